/*
 * The effects of single instructions; effect_apply has checked the ranges of their fields.
 */
#ifndef CUBESIM_ISA_EFFECT_PARTS_H
#define CUBESIM_ISA_EFFECT_PARTS_H

#include "isa/insn.h"
#include "isa/machine.h"

/* effect_<name> does it, bytes_<name> says how many bytes it moves (effect.h, insn_bytes); <name>
 * is what the table calls it. */
#define EFFECT(name)                                                                               \
    void effect_##name(struct machine *machine, const struct insn *insn);                          \
    uint64_t bytes_##name(const struct program *program, const struct insn *insn);

/* effect_move.c: from GM to L1; shadows go along. */
EFFECT(data_copy)
EFFECT(data_copy_pad)
EFFECT(nd2nz)
EFFECT(dn2nz)

/* effect_load2d.c: whole fractals. */
EFFECT(load2d)
EFFECT(load_data_with_transpose)
EFFECT(load2dv2)

/* effect_table.c: bias and quantisation words. */
EFFECT(load_bt)
EFFECT(load_fb)

/* effect_store.c: the part of data_copy that ends in GM, where bytes count as stored. */
void data_copy_store(struct machine *machine, const struct insn *insn);

/* effect_load3dv2.c: a block of the img2col matrix, for every form but the next. */
EFFECT(load3dv2)

/* effect_load3dv1.c: fractals of the img2col matrix. */
EFFECT(load3dv1)

/* effect_copy_l0a.c: matrices of the Tensor API from L1 to L0A. */
EFFECT(copy_l12l0a)

/* effect_mmad.c: the matrix product. */
EFFECT(mmad)

/* effect_fixpipe.c: results to GM. */
EFFECT(fixpipe)

#undef EFFECT

#endif
