/*
 * Statistics of errors and ranks.
 */
#ifndef CUBESIM_MODEL_STATISTICS_H
#define CUBESIM_MODEL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"

/* Median, 90th percentile and largest of absolute values; the percentile is the smallest value that
 * nine tenths do not exceed. */
struct spread {
    size_t count;
    double median, p90, worst;
    size_t worst_index; /* of the largest, the first of equals */
};

/* All 0 of no values. NO_MEMORY. */
enum status spread_of(const double *values, size_t count, struct arena *arena,
                      struct spread *spread) MUST_CHECK;

/* Spearman's rank correlation of two lists of count numbers; equal numbers share the mean of their
 * ranks. 0 when one of the lists has one value only. NO_MEMORY. */
enum status spearman_of(const double *left, const double *right, size_t count, struct arena *arena,
                        double *correlation) MUST_CHECK;

/* The constant that, added to every guess, makes the sum of squared errors least, each error as a
 * share of its truth (or as it is, when shares is false). */
double constant_of(const double *guess, const double *truth, size_t count, bool shares);

#endif
