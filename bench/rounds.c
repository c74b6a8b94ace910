#include "bench/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

long rounds_parse(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    if (rounds >= 1 && rounds <= ROUNDS_MAX)
        return rounds;
    fprintf(stderr, "expected 1 to %d rounds\n", ROUNDS_MAX);
    return 0;
}

double rounds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct spread rounds_spread(double *values, long rounds)
{
    qsort(values, (size_t)rounds, sizeof values[0], compare);
    return (struct spread){values[0], values[rounds / 2], values[rounds - 1]};
}

int rounds_end(struct diag *diag, enum status status)
{
    for (size_t i = 0; i < diag->count; i++)
        fprintf(stderr, "%s\n", diag_text(diag, i));
    diag_deinit(diag);
    return status_exit_code(status);
}
