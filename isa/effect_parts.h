/*
 * The effects of single instructions; effect_apply has checked the ranges of their fields.
 */
#ifndef CUBESIM_ISA_EFFECT_PARTS_H
#define CUBESIM_ISA_EFFECT_PARTS_H

#include "isa/insn.h"
#include "isa/machine.h"

/* Copies and reorders bytes; shadows go along (effect_move.c). */
void effect_data_copy(struct machine *machine, const struct insn *insn);
void effect_nd2nz(struct machine *machine, const struct insn *insn);
void effect_dn2nz(struct machine *machine, const struct insn *insn);
void effect_load2d(struct machine *machine, const struct insn *insn);
void effect_load2dv2(struct machine *machine, const struct insn *insn);
void effect_load_bt(struct machine *machine, const struct insn *insn);

/* A block of the img2col matrix (effect_load3d.c). */
void effect_load3dv2(struct machine *machine, const struct insn *insn);

/* Whole fractals that a Load3D stores, in bytes; into L0B it counts like into L0A. */
uint64_t load3d_bytes(const struct insn *insn);

/* The matrix product (effect_mmad.c). */
void effect_mmad(struct machine *machine, const struct insn *insn);

/* Results to GM (effect_fixpipe.c). */
void effect_fixpipe(struct machine *machine, const struct insn *insn);

/* The element type that a Fixpipe stores: that of its mode, or that of L0C. */
enum element fixpipe_target(const struct insn *insn);

#endif
