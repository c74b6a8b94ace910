/*
 * Completes a plan: derives missing tiles, fills the schedule's defaults, splits the work.
 */
#ifndef CUBESIM_MODEL_DERIVE_H
#define CUBESIM_MODEL_DERIVE_H

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/plan.h"
#include "model/tile_rules.h"

/* Fills plan->tile, plan->schedule and plan->notes. Among legal tiles that fit with the slots that
 * are written and otherwise double-buffered (else single): the fewest GM bytes, then the fewest
 * L1->L0 cycles per MAC, then larger tileK, tileN, tileW, tileH. Default double buffers that do not
 * fit are degraded with a note; written ones that do not fit are BROKEN with a message. A core
 * split that contradicts cores is BAD_INPUT. The plan must be legal when it has tiles (rules_check
 * first). */
enum status plan_resolve(struct plan *plan, const struct product *product, struct arena *arena,
                         struct diag *diag) MUST_CHECK;

#endif
