/*
 * A program text on its way through the parser, for tests.
 */
#ifndef CUBESIM_TESTS_SUPPORT_PROGRAM_READING_H
#define CUBESIM_TESTS_SUPPORT_PROGRAM_READING_H

#include <stddef.h>

#include "isa/program_text.h"

struct program_reading {
    struct arena arena;
    struct diag diag;
    struct source source;
    struct program program;
    enum status status;
};

/* Reads a text that calls itself a.prog; known products are atlas-a2, ascend-950pr,
 * atlas-inference, atlas-training, atlas-200i-500-a2 and every lowered one. The text must live as
 * long. */
void program_reading_init(struct program_reading *reading, const char *text, size_t length);
void program_reading_deinit(struct program_reading *reading);

/* The same with a product in place of the .product line. */
void program_reading_init_for(struct program_reading *reading, const char *text, size_t length,
                              const char *product);

/* The lookup behind it, which knows architectures by the names of shipped products. */
enum status program_reading_lookup(void *context, const char *name, struct place place,
                                   struct diag *diag, enum arch *arch);

/* Fails the test when two instructions differ in anything but their line and tile. */
void insn_assert_same(const struct insn *insn, const struct insn *other);

/* Whether two programs are the same but for the lines that things stand in; fails the test with
 * what differs. */
void program_assert_same(const struct program *program, const struct program *other,
                         struct arena *arena);

#endif
