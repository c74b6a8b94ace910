/*
 * Bytes that a pypto tile fetches from GM with residency reload: every L0 tile fetches the whole L1
 * tiles of A and B that it works on, all of K (docs/tiling.md section 2.3).
 */
#ifndef CUBESIM_MODEL_TILE_TRAFFIC_H
#define CUBESIM_MODEL_TILE_TRAFFIC_H

#include <stdint.h>

#include "model/plan.h"

/* An axis of the output cut into L1 tiles. */
struct tile_axis {
    uint64_t tile;       /* outputs of a whole L1 tile */
    uint64_t whole;      /* whole L1 tiles */
    uint64_t whole_rows; /* rows of input under all of them; padding is no row */
    uint64_t tail;       /* outputs of the last, smaller tile; 0: none */
    uint64_t tail_rows;
};

/* tile >= 1; the output has at least one element along the axis. */
void tile_axis_cut(const struct conv *conv, enum axis axis, uint64_t tile, struct tile_axis *cut);

/* Fetches of one axis when each L1 tile is cut into L0 tiles of step: how many L0 tiles there are,
 * and the rows of input that they fetch together. */
uint64_t tile_axis_count(const struct tile_axis *cut, uint64_t step);
uint64_t tile_axis_rows(const struct tile_axis *cut, uint64_t step);

/* Bytes for one image, one group and one kernel depth; stops at SATURATE_MAX. */
uint64_t tile_traffic_bytes(const struct conv *conv, const struct tile_axis *height,
                            const struct tile_axis *width, const struct tile_l1 *l1,
                            const struct tile_l0 *l0);

#endif
