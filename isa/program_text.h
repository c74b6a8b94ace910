/*
 * Program text: the words of a person or of `cubesim lower` become a program, and back.
 *
 *     .product atlas-a2
 *     .core 0
 *     .gm  x fp16 [1,4,8,16,16] = x.npy    # or zero, or seed=N; nothing: not written
 *     .l1  a 0 8192                        # name, offset, bytes
 *     nd2nz dst=a src=x+64 ndNum=1 ...
 *     dump y y.npy
 *
 * One instruction, directive or dump a line; '#' starts a comment. An operand is NAME or
 * NAME+bytes; the other keys are the fields of isa/opcode.def. parse(format(program)) is the
 * program.
 */
#ifndef CUBESIM_ISA_PROGRAM_TEXT_H
#define CUBESIM_ISA_PROGRAM_TEXT_H

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/program.h"

/* Finds the product that a .product line names (place: of the name) and its architecture; reports
 * an unknown one to diag itself. */
typedef enum status product_lookup(void *context, const char *name, struct place place,
                                   struct diag *diag, enum arch *arch);

struct program_reader {
    const char *product; /* stands in place of the .product line; NULL: the line decides */
    product_lookup *lookup;
    void *lookup_context;
};

/* Reads a program from the text of source, which must live as long as the program, as must the
 * arena that takes everything. All problems go to diag with their places: BAD_INPUT. */
enum status program_parse(const struct source *source, const struct program_reader *reader,
                          struct arena *arena, struct diag *diag,
                          struct program *program) MUST_CHECK;

/* The text of a whole program in the arena, zero-terminated, or NULL without memory. */
const char *program_format(const struct program *program, struct arena *arena);

#endif
