/*
 * An instruction against its row of the table: product, spaces of its operands, ranges, types.
 *
 * Rules between fields and everything about bytes are for the effect.
 */
#ifndef CUBESIM_ISA_INSN_CHECK_H
#define CUBESIM_ISA_INSN_CHECK_H

#include <stdbool.h>

#include "engine/base/status.h"
#include "isa/insn.h"
#include "isa/program.h"

struct insn_problem {
    const char *key;   /* operand or field at fault; NULL: the instruction as a whole */
    char message[320]; /* "what was found; what was expected" */
};

/* Fills a problem; false, for the caller to return. */
bool problem_set(struct insn_problem *problem, const char *key, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Whether the space of an operand that is given is one of its row, and whether a field lies in its
 * range, and is no hole of all products; the problem otherwise. */
bool insn_check_operand(const struct program *program, const struct insn *insn, size_t index,
                        struct insn_problem *problem);
bool insn_check_field(const struct insn *insn, size_t index, struct insn_problem *problem);

/* The words that a field may have on some product of the given ones: in no hole, and for a type
 * among those of the row. words has room for all of the field. Returns how many they are. */
size_t insn_field_words(const struct insn_info *info, size_t index, unsigned arches,
                        const char **words);

/* Whether the instruction fits its row on the program's product; the first problem otherwise. The
 * regions of its operands must exist. */
bool insn_check(const struct program *program, const struct insn *insn,
                struct insn_problem *problem);

#endif
