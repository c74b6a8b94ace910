/*
 * What data_copy_l0c2ub converts, beyond what its row can say. docs/isa.md, section 9.
 */
#ifndef CUBESIM_ISA_L0C2UB_H
#define CUBESIM_ISA_L0C2UB_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "isa/insn_check.h"

enum { L0C2UB_ROWS = 16, L0C2UB_LANES = 16 };

/* Gives type and dstType, where they are not given, the values that follow from deqScale. */
void l0c2ub_imply(struct insn *insn, uint32_t given);

/* Whether deqScale converts type to dstType, and whether sidStoreMode has a meaning. */
bool l0c2ub_check(const struct insn *insn, struct insn_problem *problem);

/* Bytes from a row of 16 elements to the next in the destination. */
uint64_t l0c2ub_row_bytes(const struct insn *insn);

/* Bytes that it reads of L0C. */
uint64_t l0c2ub_source_bytes(const struct insn *insn);

#endif
