/*
 * The fast question: is a convolution, or a pypto tile under it, legal? Numbers only, no texts.
 * It answers as the rules of rule.def do; a property test holds the two together.
 */
#ifndef CUBESIM_MODEL_TILE_LEGAL_H
#define CUBESIM_MODEL_TILE_LEGAL_H

#include <stdbool.h>

#include "model/plan.h"

/* Rules 1 to 9. */
bool rules_conv_legal(const struct conv *conv);

/* Rules 10 to 15 and 22, and R4 and R6 to R8 as far as they speak of L1. */
bool rules_l1_legal(const struct conv *conv, const struct product *product,
                    const struct tile_l1 *l1);

/* The other rules of the pypto set and R3 to R9, for an L0 tile under a legal L1 tile. */
bool rules_l0_legal(const struct conv *conv, const struct product *product,
                    const struct tile_l1 *l1, const struct tile_l0 *l0);

#endif
