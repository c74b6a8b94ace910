/*
 * Which bytes of each copy come from L2 and which from GM.
 *
 * Decided before timing, so that it cannot depend on it: the copies of all cores are walked in one
 * canonical order (one copy of each core in turn) through a cache of L2 lines that replaces the
 * least recently used line; a line is filled by sectors of a sixteenth of it. What a store writes
 * lies in L2 too, and so do warm tensors from the start, as far as they fit. What another core has
 * already asked for counts as a hit; when it was asked for in the same turn, its line is still on
 * its way, and both wait for the same fill.
 *
 * Written sectors go back to GM when their line is replaced, on account of the copy or store that
 * takes its place; what still lies in L2 at the end never does. Without an L2 every store goes to
 * GM.
 */
#ifndef CUBESIM_MODEL_L2_H
#define CUBESIM_MODEL_L2_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/program.h"

enum { L2_SHARE_ONE = 1 << 16 };

/* Where the bytes of a copy come from; the others lie in L2. Of a store only write_back_bytes. */
struct l2_split {
    uint32_t miss_bytes; /* from GM */
    uint32_t late_bytes; /* from GM too, by a miss of another core in the same turn */
    uint32_t share;      /* lines for each core that asks for them in this turn, 2^-16; at most 1 */
    uint32_t write_back_bytes; /* to GM: whole sectors, of lines that it replaces */
};

/* What l2_takes holds for, of a core in the order of its stream. */
struct l2_core {
    struct l2_split *splits; /* array_grow, released by l2_deinit */
    size_t count, capacity;
};

struct l2_plan {
    struct l2_core *cores; /* [core] */
    uint32_t core_count;
    uint64_t read_bytes, miss_bytes, write_bytes, write_back_bytes;
};

struct l2_options {
    uint64_t size_bytes, line_bytes;
};

/* Whether an instruction has a split: copies from GM, whatever they move, and stores to it. */
bool l2_takes(const struct program *program, const struct insn *insn);

enum status l2_decide(const struct program *program, const struct l2_options *options,
                      struct l2_plan *plan, struct arena *arena) MUST_CHECK;
void l2_deinit(struct l2_plan *plan);

#endif
