/*
 * What the benchmarks share: rounds, the clock, and the spread of what the rounds gave.
 */
#ifndef CUBESIM_BENCH_ROUNDS_H
#define CUBESIM_BENCH_ROUNDS_H

#include "engine/base/diag.h"
#include "engine/base/status.h"

enum { ROUNDS_MAX = 99 };

/* The only argument, 5 without one; 0 when it is no number of rounds, which stderr is told. */
long rounds_parse(int argc, char **argv);

/* Seconds from some moment on. */
double rounds_now(void);

struct spread {
    double least, median, greatest;
};

/* Sorts the values. */
struct spread rounds_spread(double *values, long rounds);

/* Tells stderr the problems of a benchmark and returns its exit status. */
int rounds_end(struct diag *diag, enum status status);

#endif
