/*
 * The effects of single instructions; effect_apply has checked the ranges of their fields.
 */
#ifndef CUBESIM_ISA_EFFECT_PARTS_H
#define CUBESIM_ISA_EFFECT_PARTS_H

#include "isa/insn.h"
#include "isa/machine.h"

/* For every row of the table: effect_<effect> does it, bytes_<effect> says how many bytes it moves
 * (effect.h, insn_bytes). They stand in isa/effect_*.c; rows that share an effect repeat the same
 * declaration. */
#define INSN(op, mnemonic, pipe, arches, capture, effect, ...)                                     \
    void effect_##effect(struct machine *machine, const struct insn *insn);                        \
    uint64_t bytes_##effect(const struct program *program, const struct insn *insn);
#include "isa/opcode.def"

/* effect_store.c: the part of data_copy that ends in GM, where bytes count as stored. Both sides of
 * move are open. */
struct block_move;
void data_copy_store(struct machine *machine, const struct insn *insn,
                     const struct block_move *move);

#endif
