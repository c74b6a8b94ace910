/*
 * What an instruction does to bytes: pure functions on the memories of a machine, no time.
 *
 * docs/isa.md has the element formulas; they are bit-exact to an independent oracle. An instruction
 * that would reach outside a memory or region, or has a field outside its range, reports
 * out_of_bounds and does nothing. Flags, barriers and register instructions change no bytes.
 */
#ifndef CUBESIM_ISA_EFFECT_H
#define CUBESIM_ISA_EFFECT_H

#include "isa/insn.h"
#include "isa/machine.h"

/* Executes a captured instruction (registers.h). */
void effect_apply(struct machine *machine, const struct insn *insn);

/* The multiply-accumulates of an instruction: m * n * k of true lanes; 0 for all but Mmad. */
uint64_t insn_macs(const struct insn *insn);

/* Bytes that an instruction moves: read from GM, stored to L0 or the bias table, or written to GM
 * (Fixpipe); 0 if none. A Load3D into L0B counts like one into L0A. */
uint64_t insn_bytes(const struct program *program, const struct insn *insn);

/* Bytes of what the fields of a ND2NZ or DN2NZ count: an element, of 4-bit types two. */
uint32_t nz_element_bytes(const struct insn *insn);

#endif
