/*
 * What a Fixpipe reads of L0C and where it stores it: matrices, rows and columns with their
 * pitches.
 *
 * The formulas are those of docs/isa.md, section 8. The vendor's structures of A2, A3 and 310B and
 * that of 950 count some strides in different units; this is where they become elements and bytes.
 */
#ifndef CUBESIM_ISA_FIXPIPE_H
#define CUBESIM_ISA_FIXPIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/arch.h"
#include "isa/insn.h"
#include "isa/insn_check.h"

enum { FIXPIPE_GROUP = 16 }; /* columns of a group in L0C */

struct fixpipe_shape {
    uint64_t matrices, rows, columns;                 /* one is 0: nothing is stored */
    uint64_t source_matrix, source_group, source_row; /* pitches in elements of L0C */
    uint64_t matrix, group, row, column;              /* pitches in bytes of the destination */
    uint64_t group_columns;                           /* nz: columns of a group; else all */
    uint64_t tail_from, tail_row; /* nz of 8 bits: where a last group of 16 starts, its row pitch */
    uint64_t span;                /* columns that lie together on both sides: 16 or 8 */
    enum element source, target;  /* in L0C and stored; int8 for words of either sign */
    uint32_t size;                /* bytes of a stored element */
};

/* The shape of an instruction whose fields are in their ranges. */
void fixpipe_shape(const struct insn *insn, enum arch arch, struct fixpipe_shape *shape);

/* What the row cannot say: whether product and destination have the mode and the layout, whether
 * the mode takes the type in L0C, and the ranges that are smaller on some products. */
bool fixpipe_check(const struct program *program, const struct insn *insn,
                   struct insn_problem *problem);

static inline bool fixpipe_is_empty(const struct fixpipe_shape *shape)
{
    return shape->matrices == 0 || shape->rows == 0 || shape->columns == 0;
}

/* The element of L0C that holds [row, column] of a matrix. */
static inline uint64_t fixpipe_from(const struct fixpipe_shape *shape, uint64_t matrix,
                                    uint64_t row, uint64_t column)
{
    return matrix * shape->source_matrix + column / FIXPIPE_GROUP * shape->source_group +
           row * shape->source_row + column % FIXPIPE_GROUP;
}

/* The byte of the destination where it goes. */
static inline uint64_t fixpipe_to(const struct fixpipe_shape *shape, uint64_t matrix, uint64_t row,
                                  uint64_t column)
{
    uint64_t pitch = column < shape->tail_from ? shape->row : shape->tail_row;
    return matrix * shape->matrix + column / shape->group_columns * shape->group + row * pitch +
           column % shape->group_columns * shape->column;
}

#endif
