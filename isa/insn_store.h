/*
 * The instructions of a program text, kept for its streams: operands and fields that a row has,
 * one instruction behind the other.
 */
#ifndef CUBESIM_ISA_INSN_STORE_H
#define CUBESIM_ISA_INSN_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "isa/program.h"

struct insn_chunk;

/* Where the instructions of a core start. */
struct core_mark {
    const struct insn_chunk *chunk;
    size_t offset_bytes; /* in the chunk */
    uint64_t count;      /* of instructions */
};

/* All zero but the arena, which holds everything: no cores. */
struct insn_store {
    struct arena *arena;
    struct insn_chunk *last; /* the one with room */
    struct core_mark *cores;
    uint32_t core_count, core_capacity;
};

/* Begins the next core. False when memory ran out. */
bool insn_store_core(struct insn_store *store);

/* Appends an instruction to the core that was begun last. False when memory ran out. */
bool insn_store_add(struct insn_store *store, const struct insn *insn);

/* Makes the program pull its streams from the store, which must live as long. */
void insn_store_attach(struct insn_store *store, struct program *program);

#endif
