/*
 * Derives the tiles that a plan leaves out (docs/tiling.md section 3).
 *
 * Among the pypto tiles that hold every rule of the set, rules 1 to 22 and R1 to R9, those that fit
 * double-buffered into L0A, L0B and L1 come first (L0C single); slots that the plan writes stand in
 * place of these. Then the fewest bytes from GM with residency reload, the fewest L1->L0 cycles per
 * multiply-accumulate at the rates that a run has, and the larger tileK, tileN, tileW, tileH. With
 * reload every L0 tile fetches its L1 tiles whole, so an L1 tile that is larger than the L0 tile in
 * H, W or N never saves a byte: both are searched as one.
 */
#ifndef CUBESIM_MODEL_TILE_SEARCH_H
#define CUBESIM_MODEL_TILE_SEARCH_H

#include <stdbool.h>

#include "model/plan.h"

/* Both tiles. slots: those that the plan writes, BUFFER_COUNT of 1 or 2; 0: not written. The
 * convolution holds rules 1 to 9. False: no legal tile. */
bool tile_search(const struct conv *conv, const struct product *product, enum rule_set set,
                 const uint64_t *slots, struct tile_l1 *l1, struct tile_l0 *l0);

/* The L0 tile under a given L1 tile, of which nothing is assumed. False: no legal one. */
bool tile_search_l0(const struct conv *conv, const struct product *product, enum rule_set set,
                    const uint64_t *slots, const struct tile_l1 *l1, struct tile_l0 *l0);

#endif
