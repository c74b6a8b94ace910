/*
 * The loop nest of a lowered plan: which output tile comes next in the stream of a core.
 *
 * An item is one L0 tile of the output with the L1 tile around it. Loops from the outside: slices
 * of a matrix product, group, batch, output depth, then N and M tiles of L1 (m_first: N outside;
 * n_first: M outside), then the L0 tiles inside them: N, rows, columns (docs/tiling.md, lowering).
 * Slices go as tiles do. Where the grid of tiles is dealt, a core takes each deal-th tile of it.
 */
#ifndef CUBESIM_MODEL_LOWER_WALK_H
#define CUBESIM_MODEL_LOWER_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/core_split.h"
#include "model/plan.h"

/* The rows or columns of the input that an L1 tile needs along one axis. */
struct window {
    uint64_t from, count; /* inside the input */
    uint64_t head, tail;  /* padding before and after */
};

struct item {
    uint64_t group, batch, depth; /* depth: output depth */
    uint64_t m_tile;              /* M tile of L1 within its depth */
    uint64_t n_tile;              /* N tile of L1 within its group */

    /* L1 tile */
    uint64_t row_from, row_count; /* output rows that it touches */
    uint64_t col_from, col_count; /* output columns of these rows */
    uint64_t m_skip;              /* linear: positions of its first row before its first one */
    uint64_t m_count;             /* output positions of the L1 tile */
    uint64_t n_from, n_count;     /* output channels within the group, n_count as computed */
    struct window in_rows, in_cols;
    uint64_t kd_from, kd_count; /* kernel depths that meet the input */

    /* L0 tile */
    uint64_t m_from;            /* position in the image of the L1 tile: row * col_count + column */
    uint64_t m_rows, m_cols;    /* rectangle: rows and columns; linear: 1 row of m positions */
    uint64_t m;                 /* output positions */
    uint64_t out_row, out_col;  /* of its first position in the output */
    uint64_t n0_from, n0_count; /* output channels within the L1 tile */
    bool spread;                /* its rows do not lie next to each other in the L1 image */
};

struct walk {
    const struct plan *plan;
    uint64_t core;
    struct core_slice slice;
    struct core_share share; /* of the slice */
    uint64_t dealt;          /* number of the tile in the grid of the slice, if it is dealt */
    uint64_t n_padded;       /* output channels of a group that are computed */
    uint64_t m_per_depth;    /* M tiles of L1 in one output depth */
    uint64_t w_tiles;        /* rectangle: M tiles along a row */
    uint64_t h0, w0, n0; /* L0 position inside the L1 tile, elements; linear: w0 is the position */
    struct item item;
};

/* Starts at the first item; false when the core has none. */
bool walk_begin(struct walk *walk, const struct plan *plan, uint64_t core);
/* Goes to the next item; false at the end, then the item is unchanged. */
bool walk_next(struct walk *walk);

/* Whether two items need the same chunks of the image, or of the weight. */
bool item_same_a(const struct item *left, const struct item *right);
bool item_same_b(const struct item *left, const struct item *right);
/* Whether the output channels of two L0 tiles are the same. */
bool item_same_n(const struct item *left, const struct item *right);

/* Output channels of a group that are computed: padded to 16 where the output is nc1hwc0. */
uint64_t lower_n_padded(const struct conv *conv);

#endif
