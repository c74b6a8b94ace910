/*
 * GM around the run of a program file: what its tensors hold at the start, and the dumps at the
 * end.
 *
 * A tensor lies in GM as it is declared: C order, element after element, two 4-bit elements in a
 * byte. It is bound to a .npy file of exactly its shape and type, to zeros, to generated numbers,
 * or to nothing: then its bytes are 0 and count as never written. Generated numbers are those of
 * tensor_fill: the seed of the run with the seed of the tensor as its stream, so that equal seeds
 * in a file mean equal numbers, and another seed of the run other numbers everywhere. Dumps are
 * written relative to the current folder.
 */
#ifndef CUBESIM_MODEL_PROGRAM_DATA_H
#define CUBESIM_MODEL_PROGRAM_DATA_H

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/machine.h"
#include "isa/program.h"

/* The file that each tensor is bound to, [region], NULL for the others: as the program names it,
 * from the current folder; a relative path that leads to nothing there is taken from the folder of
 * the program, where it leads to something. NO_MEMORY. */
enum status program_data_find(const struct program *program, const struct source *source,
                              struct arena *arena, struct diag *diag,
                              const char *const **file) MUST_CHECK;

struct program_data_options {
    const struct source *source; /* of the program, for the places of problems */
    const char *const *file;     /* [region]: the files to read, of program_data_find; NULL only
                                    without any tensor that is bound to a file */
    uint64_t seed;
    bool files_only; /* only what is bound to a file is made: it must be right in any case; a wrong
                        region of a program that was refused, of size 0, is passed over */
};

/* Makes the GM tensors of a program: [region] in the arena. All problems of all files go to diag.
 */
enum status program_data_make(const struct program *program,
                              const struct program_data_options *options, struct arena *arena,
                              struct diag *diag, struct memory **tensor) MUST_CHECK;

/* Writes every dump; a problem of one does not stop the others. */
enum status program_data_dump(const struct program *program, const struct source *source,
                              const struct memory *tensor, struct diag *diag) MUST_CHECK;

#endif
