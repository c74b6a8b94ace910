/*
 * The rate of a Load3D from L1 to L0A: what costs and the search for tiles both count with.
 *
 * budget / (stride_weight * strideW + n), n left out if not more than 1, floored to whole bytes,
 * not under the floor and not over the plain rate; strides that are no power of two, or larger than
 * stride_max, run at the floor. Source: the Load3D tables named in configs/products.
 *
 * n is the output rows that the instruction spans, less uncounted_rows: the tables can be read as
 * counting rows (0), or the steps from a row to the next (1).
 */
#ifndef CUBESIM_MODEL_LOAD3D_RATE_H
#define CUBESIM_MODEL_LOAD3D_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/product.h"

struct load3d_rate {
    uint64_t value;       /* 2^-16 B/cycle, at least 1 B/cycle */
    enum product_key key; /* the number that decides: budget, floor or plain rate */
};

/* Whether a Load3D that spans so many output rows is slower than one in a row. */
bool load3d_rate_slowed(const struct product *product, uint64_t rows);

/* rows: output rows that the instruction spans. */
struct load3d_rate load3d_rate(const struct product *product, uint64_t stride_w, uint64_t rows);

#endif
