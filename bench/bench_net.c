/*
 * How long `cubesim net` takes for the convolutions of ResNet-50 at batch 1, timing only, with a
 * new database and with one that holds all runs.
 *
 *     bench_net [ROUNDS]
 *
 * Each figure is the median of the rounds in seconds, with the least and the greatest beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 99, ROUNDS = 5 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds of one run of the program. */
static double run_network(const char *db)
{
    char command[512];
    snprintf(command, sizeof command,
             "'" CUBESIM_BINARY
             "' net configs/networks/resnet50.csv --batch 1 --db '%s' >/dev/null",
             db);
    double start = now();
    if (system(command) != 0) {
        fprintf(stderr, "bench_net: failed: %s\n", command);
        exit(1);
    }
    return now() - start;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_figure(const char *name, double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, compare);
    printf("%-40s %8.3f s (%.3f - %.3f)\n", name, seconds[count / 2], seconds[0],
           seconds[count - 1]);
}

int main(int argc, char **argv)
{
    double cold[ROUNDS_MAX], stored[ROUNDS_MAX];
    char folder[] = "/tmp/bench-net-XXXXXX", db[64];
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : ROUNDS;
    if (rounds < 1 || rounds > ROUNDS_MAX || mkdtemp(folder) == NULL) {
        fprintf(stderr, "usage: bench_net [ROUNDS], 1 to %d\n", ROUNDS_MAX);
        return 2;
    }
    snprintf(db, sizeof db, "%s/net.db", folder);
    for (long i = 0; i < rounds; i++) {
        unlink(db);
        cold[i] = run_network(db);
        stored[i] = run_network(db);
    }
    print_figure("net, ResNet-50, new database", cold, (size_t)rounds);
    print_figure("net, ResNet-50, all runs stored", stored, (size_t)rounds);
    unlink(db);
    rmdir(folder);
    return 0;
}
