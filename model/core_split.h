/*
 * The work of a convolution shared out over cores: contiguous parts along batch, group, M tiles and
 * N tiles. No core reduces over K with another, so no result is added twice.
 *
 * Units: images, groups, M tiles of one image (depths times the L1 tiles of H and W, or of the
 * linear range), and L1 tiles of the output channels of one group.
 */
#ifndef CUBESIM_MODEL_CORE_SPLIT_H
#define CUBESIM_MODEL_CORE_SPLIT_H

#include <stdint.h>

#include "model/plan.h"

/* The units that a core works on: [from, until) of each kind. */
struct core_share {
    uint64_t batch_from, batch_until;
    uint64_t group_from, group_until;
    uint64_t m_from, m_until;
    uint64_t n_from, n_until;
};

/* Which slice of the M tiles and which of the N tiles of a matrix product is worked off: l2_m x
 * l2_n of them follow each other, each shared out to all cores. Convolutions have one. */
struct core_slice {
    uint64_t m, n;
};

/* Slices along an axis; 1 but along M and N of a matrix product. */
uint64_t core_slices(const struct plan *plan, enum split axis);

/* Units of the convolution under a tile, by enum split. The tile is one that the rules accept. */
void core_units(const struct conv *conv, const struct tile *tile, uint64_t units[SPLIT_COUNT]);

/* The same of the largest slice of a plan whose tile is known. */
void core_slice_units(const struct plan *plan, uint64_t units[SPLIT_COUNT]);

/* Part `part` of `ways` of `units` things: [part * units / ways, (part + 1) * units / ways). */
uint64_t core_part(uint64_t units, uint64_t ways, uint64_t part);

/* The split into at most `cores` parts with the least work of the busiest core; among equals fewer
 * cores, then more ways along batch, M, group, N. Returns the cores it uses. */
uint64_t core_split_choose(const uint64_t units[SPLIT_COUNT], uint64_t cores,
                           uint64_t split[SPLIT_COUNT]);

/* What core `core` (below schedule.cores) of a resolved plan works on in a slice. Cores are
 * numbered with N fastest, then M, group, batch. M and N tiles of a matrix product are shared out
 * as its kernels do it, in parts of ceil(tiles / ways), so that the last cores may have fewer or
 * none; with schedule.deal every core gets the grid of all of them, to take each deal-th tile of
 * it. */
void core_share(const struct plan *plan, uint64_t core, struct core_slice slice,
                struct core_share *share);

#endif
