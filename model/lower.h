/*
 * plan -> program: loop nest, residency, buffers, flags, tails, bias and stores
 * (docs/tiling.md 2.7).
 *
 * The program is generated output tile by output tile while it is pulled; nothing of it is stored.
 */
#ifndef CUBESIM_MODEL_LOWER_H
#define CUBESIM_MODEL_LOWER_H

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/program.h"
#include "model/plan.h"

/* Tensors of a lowered program, by region index. */
enum lowered_region { REGION_INPUT, REGION_WEIGHT, REGION_OUTPUT, REGION_BIAS };
/* Of the quantisation words, where each channel has its own. */
uint32_t lowered_quant_region(const struct conv *conv);

/* Makes the program of a resolved plan. Regions 0.. are REGION_INPUT, WEIGHT, OUTPUT and, with
 * bias, BIAS, and the quantisation words; then the slots of the on-chip buffers. plan must outlive
 * the program. */
enum status lower_plan(const struct plan *plan, struct arena *arena, struct diag *diag,
                       struct program *program) MUST_CHECK;

#endif
