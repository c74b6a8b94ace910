/*
 * A program while its text is read: what the files of the parser share. program_text.c has the
 * lines, region_reader.c and insn_reader.c read the two long ones.
 *
 * A problem is told at its word and reading goes on: what is refused counts in problem_count and
 * makes status BAD_INPUT, and of such a program no stream is kept. Only NO_MEMORY, or
 * DIAG_PROBLEMS_MAX problems, ends the reading at once. What the finished program refers to (names,
 * paths, instructions) is in the arena; lists that grow and the tables of names are outside it
 * until program_parse moves or releases them.
 */
#ifndef CUBESIM_ISA_PROGRAM_BUILDER_H
#define CUBESIM_ISA_PROGRAM_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/insn_store.h"
#include "isa/line.h"
#include "isa/name_table.h"
#include "isa/program_text.h"

struct program_builder {
    const struct program_reader *reader;
    struct arena *arena;
    struct diag *diag;
    struct program *program; /* its regions: array_grow until the end */
    struct line line;        /* the present one */
    enum status status;      /* gravest so far */
    uint32_t problem_count;
    bool arch_known;       /* program->arch is that of the product */
    uint32_t product_line; /* with .product; 0: none yet */
    uint32_t insn_line;    /* of the first instruction; 0: none yet */
    uint32_t core_next;    /* number that the next .core must have */
    uint64_t gm_bytes;     /* end of the last tensor, aligned */
    size_t region_capacity;
    struct dump *dumps; /* array_grow until the end */
    size_t dump_capacity;
    struct name_table mnemonics; /* opcode */
    struct name_table regions;   /* index by name */
    struct name_table paths;     /* of dumps: index by path */
    struct insn_store *store;
};

/* Reports "what was found; what was expected" at a word of the present line. */
void builder_refuse(struct program_builder *builder, struct word word, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* The same behind what was read last. */
void builder_refuse_end(struct program_builder *builder, const char *expectation);

/* Reports that memory ran out. */
void builder_fail(struct program_builder *builder);

/* Refuses what is left of the line, if anything is. */
void builder_expect_end(struct program_builder *builder);

/* The region that a word names, or REGION_NONE after a report. */
uint32_t builder_region(struct program_builder *builder, struct word name);

/* Reads a path, or NULL after a report; raw is the word as written. */
const char *builder_path(struct program_builder *builder, const char *expectation, struct word *raw,
                         bool *quoted);

/* Reads "VALUE, VALUE, ...]", one for each element of a placed tensor, and binds the tensor to
 * them: whole numbers in the range of an integer type, of other types their bits in hexadecimal.
 * Those of a tensor with a size of 0 are passed over. */
void builder_read_values(struct program_builder *builder, struct region *region);

/* Reads the rest of a line behind ".gm" or another memory and adds the region: for GM "NAME TYPE
 * [SIZE,...] = BINDING", with 1 to REGION_RANK_MAX sizes in elements, else "NAME OFFSET BYTES". A
 * tensor starts at the next multiple of GM_ALIGN_BYTES; all of GM, and the end of a part, is less
 * than 2^63 bytes. A region whose type, shape or size is refused stays known, with a size of 0, so
 * that lines below which name it are not refused too. */
void builder_read_region(struct program_builder *builder, enum space space);

/* Reads the rest of a line behind a mnemonic, "KEY=VALUE ..." in any order, and appends the
 * instruction to the store, with its pipe, its line, and what insn_imply concludes. Offsets of
 * operands count bytes, fields the units of the table. What keys say together is checked when each
 * of them is right and the product is known. */
void builder_read_insn(struct program_builder *builder, struct word mnemonic, enum opcode opcode);

#endif
