#include "model/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

enum status spread_of(const double *values, size_t count, struct arena *arena,
                      struct spread *spread)
{
    *spread = (struct spread){.count = count};
    if (count == 0)
        return STATUS_OK;
    double *sorted = arena_take(arena, count, sizeof *sorted);
    if (sorted == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = fabs(values[i]);
        if (sorted[i] > fabs(values[spread->worst_index]))
            spread->worst_index = i;
    }
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    spread->median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
    spread->p90 = sorted[(9 * count + 9) / 10 - 1];
    spread->worst = sorted[count - 1];
    return STATUS_OK;
}

/* The rank of each value, from 1, as a mean of those of its equals. */
static void ranks_of(const double *values, size_t count, double *ranks)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < count; j++) {
            below += values[j] < values[i] ? 1 : 0;
            equal += values[j] > values[i] || values[j] < values[i] ? 0 : 1;
        }
        ranks[i] = (double)below + ((double)equal + 1.0) / 2.0;
    }
}

enum status spearman_of(const double *left, const double *right, size_t count, struct arena *arena,
                        double *correlation)
{
    double *ranks = arena_take(arena, 2 * count + 1, sizeof *ranks);
    double mean = ((double)count + 1.0) / 2.0, both = 0.0, first = 0.0, second = 0.0;
    if (ranks == NULL)
        return STATUS_NO_MEMORY;
    ranks_of(left, count, ranks);
    ranks_of(right, count, ranks + count);
    for (size_t i = 0; i < count; i++) {
        double a = ranks[i] - mean, b = ranks[count + i] - mean;
        both += a * b;
        first += a * a;
        second += b * b;
    }
    *correlation = first > 0.0 && second > 0.0 ? both / sqrt(first * second) : 0.0;
    return STATUS_OK;
}

double constant_of(const double *guess, const double *truth, size_t count, bool shares)
{
    double sum = 0.0, weights = 0.0;
    for (size_t i = 0; i < count; i++) {
        double weight = shares ? 1.0 / (truth[i] * truth[i]) : 1.0;
        sum += (truth[i] - guess[i]) * weight;
        weights += weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
}
