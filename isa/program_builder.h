/*
 * A program while its text is read: what the files of the parser share.
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
    struct name_table mnemonics; /* opcode, or OP_COUNT + row of refused.def */
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

/* Read the rest of a line: behind ".gm" or another memory, or behind a mnemonic. */
void builder_read_region(struct program_builder *builder, enum space space);
void builder_read_insn(struct program_builder *builder, struct word mnemonic, enum opcode opcode);

#endif
