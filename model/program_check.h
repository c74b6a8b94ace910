/*
 * Whether a program file fits the product that it shall run on.
 */
#ifndef CUBESIM_MODEL_PROGRAM_CHECK_H
#define CUBESIM_MODEL_PROGRAM_CHECK_H

#include "engine/base/diag.h"
#include "isa/program.h"
#include "model/product.h"

/* Refuses buffers that reach beyond their memory or lie in one that the product lacks, each at its
 * line of source, and streams of cores that the product does not have, at the first such core.
 * Buffers may overlap. The program may be one that was refused: its regions are checked. */
enum status program_check(const struct program *program, const struct product *product,
                          const struct source *source, struct diag *diag) MUST_CHECK;

#endif
