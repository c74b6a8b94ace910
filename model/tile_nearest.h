/*
 * The nearest legal tile to a broken one: its fields are moved as little as the rules ask for.
 */
#ifndef CUBESIM_MODEL_TILE_NEAREST_H
#define CUBESIM_MODEL_TILE_NEAREST_H

#include <stdbool.h>

#include "model/rule_case.h"

/* A legal tile near the given ones, in pypto's words, with room for slots (1 or 2) in L0A, L0B and
 * L1. l0 may be NULL: only tile_l1 was written. The convolution holds rules 1 to 9; set is not
 * vendor. False: none was found. */
bool tile_nearest(const struct conv *conv, const struct product *product, enum rule_set set,
                  uint64_t slots, struct tile_l1 *l1, struct tile_l0 *l0);

/* What tile_nearest changes: "tileHout 1, tileW 64, tileK 288 (one slot in L0A and L0B)"; "" when
 * it finds nothing, or the plan is no plan in pypto's words. */
const char *tile_nearest_text(struct rule_case *c, uint64_t slots);

#endif
