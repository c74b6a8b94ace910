/*
 * Unit flags: the bits between Mmad and Fixpipe, one for each block of L0C.
 *
 * With unitFlag 2 or 3 an Mmad waits until the blocks that it touches are clear, a Fixpipe until
 * they are set; with 3 the Mmad sets them and the Fixpipe clears them. A block is 512 B, which are
 * 8 rows of a fractal of C: an Mmad touches those that hold a row below its m, a Fixpipe those that
 * it reads from (docs/hazards.md). An L0C of more than UNIT_BLOCKS_MAX such blocks, which no
 * product has, gets larger ones.
 */
#ifndef CUBESIM_MODEL_UNIT_FLAG_H
#define CUBESIM_MODEL_UNIT_FLAG_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/program.h"

enum { UNIT_BLOCKS_MAX = 512, UNIT_WORDS = UNIT_BLOCKS_MAX / 64 };

/* Bytes of a block of an L0C of l0c_bytes. */
uint64_t unit_block_bytes(uint64_t l0c_bytes);

enum unit_use {
    UNIT_UNUSED,
    UNIT_WAIT_CLEAR, /* Mmad, unitFlag 2 */
    UNIT_SET,        /* Mmad, 3: waits until they are clear, then sets */
    UNIT_WAIT_SET,   /* Fixpipe, 2 */
    UNIT_CLEAR,      /* Fixpipe, 3: waits until they are set, then clears */
};

/* Blocks of L0C, a bit each, the lowest address first. */
struct unit_blocks {
    uint64_t word[UNIT_WORDS];
};

/* How an instruction uses unit flags, and of which blocks of an L0C of l0c_bytes. UNUSED also when
 * it reaches outside L0C: then it does nothing. */
enum unit_use unit_flag_use(const struct program *program, const struct insn *insn,
                            uint64_t l0c_bytes, struct unit_blocks *blocks);

#endif
