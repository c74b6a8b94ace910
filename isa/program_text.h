/*
 * Program text: the words of a person or of `cubesim lower` become a program, and back.
 *
 *     .product atlas-a2
 *     .core 0
 *     .gm  x fp16 [1,4,8,16,16] = x.npy    # or zero, seed=N, [1, 2]; nothing: not written
 *     .l2  x                               # tensors that lie in L2 at the start
 *     .l1  a 0 8192                        # name, offset, bytes
 *     nd2nz dst=a src=x+64 ndNum=1 ...
 *     dump y y.npy
 *
 * One instruction, directive or dump a line; '#' starts a comment outside quotes. An operand is
 * NAME or NAME+bytes; the other keys are the fields of isa/opcode.def. Numbers are decimal, or
 * hexadecimal behind 0x. Names are letters, digits, '_' and '.'; paths and products with other
 * signs stand in double quotes, in which \" and \\ are '"' and '\'. A name is declared before it is
 * used, once, and for all cores. `.core N` starts the stream of the next core; instructions before
 * the first are those of core 0. parse(format(program)) is the program.
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
    const char *product;        /* stands in place of the .product line; NULL: the line decides */
    struct place product_place; /* of this product, for messages */
    product_lookup *lookup;
    void *lookup_context;
};

/* Reads a program from the text of source, which must live as long as the program, as must the
 * arena that takes everything. All problems go to diag with their places: BAD_INPUT. Of such a
 * program only product, regions (a wrong one with a size of 0) and dumps are kept, so that they can
 * be looked at for more problems. */
enum status program_parse(const struct source *source, const struct program_reader *reader,
                          struct arena *arena, struct diag *diag,
                          struct program *program) MUST_CHECK;

/* The same from a file; STATUS_IO when it cannot be read. */
enum status program_load(const char *path, const struct program_reader *reader, struct arena *arena,
                         struct diag *diag, struct program *program) MUST_CHECK;

#define PROGRAM_BYTES_MAX ((size_t)1 << 30) /* of a file */

/* Takes a line of text, without its newline; false when it wants no more. */
typedef bool line_sink(void *context, const char *line);

/* Hands the text of a program to sink, line by line; core: CORES_ALL, or one whose stream is wanted
 * alone, as core 0 of a program with the same regions and dumps. OK, also when the sink has enough;
 * or why a stream was cut short; or NO_MEMORY.
 * Streams and lines come from the arena. */
enum status program_format_lines(const struct program *program, uint32_t core, struct arena *arena,
                                 line_sink *sink, void *context) MUST_CHECK;
#define CORES_ALL UINT32_MAX

/* The text of a whole program in the arena, zero-terminated, or NULL without memory. */
const char *program_format(const struct program *program, struct arena *arena);

#endif
