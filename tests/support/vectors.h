/*
 * Vectors: single instructions, the codes of their operands and what must come out, as text.
 *
 *     case MNEMONIC ARCH          an instruction on a product
 *     before MNEMONIC KEY=VALUE.. a register instruction that precedes it
 *     set KEY=VALUE ...           its fields; what is left out follows as in a program
 *     OPERAND[+BYTES] SPACE TYPE CODES
 *     OPERAND[+BYTES] SPACE TYPE random SEED COUNT [AND OR]
 *                                 a region with all its elements written, and where in it the
 *                                 operand lies; random: see code_random
 *     want SPACE TYPE CODES       the region of dst afterwards
 *     refused KIND WORDS          in place of want: nothing is written, and the one hazard of this
 *                                 kind has these words in its message
 *     end
 *
 *     convert FROM TO keep|saturate
 *     codes CODES                 of FROM
 *     want CODES                  of TO
 *     end
 *
 * CODES are hexadecimal without separators, of the width of the type, lowest element first. In
 * `want`, '-' stands for an element that may have any value, '.' for one as it was before, '*'
 * for any NaN; ".{40}" for 40 of them. Regions are exactly as large as the case says, and any
 * hazard is a failure. scripts/make_vectors.py makes such text from an independent oracle.
 */
#ifndef CUBESIM_TESTS_SUPPORT_VECTORS_H
#define CUBESIM_TESTS_SUPPORT_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "isa/insn.h"
#include "tests/support/rig.h"

/* Called for a case with `want` that held, captured and executed; changed: a byte of dst or its
 * shadow is not as before. */
typedef void vector_sink(void *context, struct rig *rig, const struct insn *insn, bool changed);

enum { VECTORS_VALUES = 32 }; /* that a field may have to be counted */

struct vectors {
    uint32_t cases;                    /* run so far */
    uint32_t failures;                 /* cases that failed */
    void (*tell)(const char *message); /* called once for each of them */
    char message[640];                 /* of the last one: "name:line: ..." */
    /* Of the cases that held: instruction, product and element type (rows without a type stand at
     * ELEMENT_COUNT), and instruction, field and value of fields that have few of them. */
    bool types[OP_COUNT][ARCH_COUNT][ELEMENT_COUNT + 1];
    bool values[OP_COUNT][INSN_FIELDS_MAX][VECTORS_VALUES];
    vector_sink *held; /* may be NULL */
    void *held_context;
};

/* Runs all cases of a text; name stands in messages. A case ends with its first problem. */
void vectors_run(struct vectors *vectors, FILE *file, const char *name);

#endif
