/*
 * Two sets of runs brought together: which run of one belongs to which run of the other, and how
 * much faster or slower the second set is.
 */
#ifndef CUBESIM_TRACES_RUN_PAIRS_H
#define CUBESIM_TRACES_RUN_PAIRS_H

#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "traces/store.h"

/* By what runs belong together. */
enum pair_match {
    MATCH_TILING,  /* problem, tiling and SoC */
    MATCH_PLAN,    /* the whole plan, schedule included */
    MATCH_PROBLEM, /* the problem alone: other tilings, other products */
    MATCH_COUNT
};

struct run_pair {
    const struct listed_run *a, *b;
};

struct run_pairs {
    struct run_pair *pairs; /* the slowest change first; those that have no ratio before all */
    size_t count;
    size_t ratios;                      /* pairs that have a ratio of times */
    double mean;                        /* geometric mean of b / a over these; 1 of none */
    const struct listed_run **alone[2]; /* of a, of b: without a partner */
    size_t alone_count[2],
        superseded_count[2]; /* superseded: a later run of the set is of the same */
};

/* Microseconds of a run. */
double listed_run_us(const struct listed_run *run);

/* Time of b over that of a; 0 when one took none or stands for ever. */
double run_pair_ratio(const struct run_pair *pair);

/* Of runs of a set with one plan and one product the latest stands for all. Of runs with one key
 * those of one plan are paired first, the others in their order. NO_MEMORY. */
enum status run_pairs_make(const struct listed_run *a, size_t a_count, const struct listed_run *b,
                           size_t b_count, enum pair_match match, struct arena *arena,
                           struct run_pairs *pairs) MUST_CHECK;

#endif
