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
    uint64_t bytes_##name(const struct insn *insn);

/* effect_move.c: copies and reorders bytes; shadows go along. */
EFFECT(data_copy)
EFFECT(nd2nz)
EFFECT(dn2nz)
EFFECT(load2d)
EFFECT(load2dv2)
EFFECT(load_bt)

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

/* The element type that a Fixpipe stores: that of its mode, or that of L0C. */
enum element fixpipe_target(const struct insn *insn);

#endif
