/*
 * What follows from the operands and fields of an instruction: its path, its pipe, and the fields
 * that were not written.
 */
#ifndef CUBESIM_ISA_INSN_IMPLY_H
#define CUBESIM_ISA_INSN_IMPLY_H

#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"
#include "isa/program.h"

/* The region of operand `index`, which must be given and exist. */
const struct region *insn_region(const struct program *program, const struct insn *insn,
                                 size_t index);

/* The line of the table's PATH lines that fits the spaces of dst and src, the first two operands,
 * on the program's product; NULL: none. */
const struct path_info *insn_path(const struct program *program, const struct insn *insn);

/* Of a row with PRODUCT lines: the types of c (bits 1 << enum element) that type and typeB, its
 * first two fields, allow on the program's product; 0 when they do not go together. */
uint32_t insn_product_types(const struct program *program, const struct insn *insn);

/* The pipe that executes an instruction whose operands and fields are set. */
enum pipe insn_pipe(const struct program *program, const struct insn *insn);

/* Sets fields that were not written (bit 1 << field of given is 0) and follow from others: types
 * from the tensors and from each other, switches from what was written (IMPLIED of the table). All
 * else stays at its initial value. */
void insn_imply(const struct program *program, struct insn *insn, uint32_t given);

#endif
