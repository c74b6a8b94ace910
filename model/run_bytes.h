/*
 * The functional run of a program: what it computes, without time.
 *
 * Instructions are executed in one canonical order that respects the flags and does not depend on
 * timing: each core's stream in program order, except that a pipe stands at a wait until its flag
 * is set, and what comes behind it on that pipe stands too; likewise at locks and unit flags.
 */
#ifndef CUBESIM_MODEL_RUN_BYTES_H
#define CUBESIM_MODEL_RUN_BYTES_H

#include "isa/machine.h"
#include "isa/program.h"
#include "model/product.h"
#include "model/run.h"

/* Executes a program on the memories of a product. tensor: [region], what lies in GM, read and
 * written. unchecked: nobody looks for races; all else is the same. Adds to the hazards, notes and
 * counts of result; a core that stands for ever is a hazard and leaves what it had done. */
enum status run_bytes(const struct program *program, const struct product *product,
                      struct memory *tensor, bool unchecked, struct arena *arena,
                      struct run_result *result) MUST_CHECK;

#endif
