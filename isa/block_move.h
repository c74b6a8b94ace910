/*
 * Blocks that a copy moves: as many bytes from each to each, at a pitch on either side.
 */
#ifndef CUBESIM_ISA_BLOCK_MOVE_H
#define CUBESIM_ISA_BLOCK_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/view.h"

struct block_move {
    uint64_t count;                        /* blocks */
    uint64_t source_length, target_length; /* bytes of a block */
    uint64_t source_pitch, target_pitch;   /* bytes from a block to the next */
    struct view source, target;            /* block_move_open fills them */
};

/* Opens both sides of an instruction whose first operands are dst and src, the way view_open does;
 * false when there is nothing to move, or when it does not fit. */
bool block_move_open(struct block_move *move, struct machine *machine, const struct insn *insn);

/* Copies all blocks, source_length bytes each, as they are and with their shadow. */
void block_move_copy(const struct block_move *move);

#endif
