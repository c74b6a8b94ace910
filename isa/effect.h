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

/* Bytes that an instruction moves: from GM, to L0, to the tables, or what leaves L0C and UB; 0 if
 * none. A Load3D into L0B counts like one into L0A. */
uint64_t insn_bytes(const struct program *program, const struct insn *insn);

/* An instruction that would move more is out_of_bounds and does nothing, in bytes and in time: it
 * could only write the same bytes of a core's memory again and again. */
#define INSN_BYTES_MAX ((uint64_t)UINT32_MAX)

/* Bytes of what the fields of a ND2NZ or DN2NZ count: an element, of 4-bit types two. */
uint32_t nz_element_bytes(const struct insn *insn);

#endif
