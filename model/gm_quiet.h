/*
 * GM tensors that a program only reads: whoever reads them, nothing can go wrong between them.
 */
#ifndef CUBESIM_MODEL_GM_QUIET_H
#define CUBESIM_MODEL_GM_QUIET_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/program.h"

/* Goes through the streams of all cores; quiet: [region], from the arena, true for GM tensors that
 * no instruction has as its destination. An error of a stream is left to who executes it. */
enum status gm_quiet(const struct program *program, struct arena *arena, bool **quiet) MUST_CHECK;

#endif
