/*
 * A program file with its tensors in a folder of their own, for tests of the binary.
 *
 * k.prog computes y = x w on two cores, each 16 rows, from x.npy and w.npy into y.npy.
 */
#ifndef CUBESIM_TESTS_SUPPORT_CLI_PROGRAM_H
#define CUBESIM_TESTS_SUPPORT_CLI_PROGRAM_H

#include "tests/support/cli.h"

enum { PRODUCT_ROWS = 32, PRODUCT_COLUMNS = 16, PRODUCT_K = 32 };

struct cli_program {
    struct cli cli;
    char text[8192]; /* of k.prog */
};

/* Makes the folder, goes there, and fills it; 0, or -1 as cmocka wants it. */
int cli_program_init(struct cli_program *program);
int cli_program_deinit(struct cli_program *program);

/* k.prog as it was at the start. */
void cli_program_restore(struct cli_program *program);

/* Replaces the first occurrence of a part of k.prog, which must be there. */
void cli_program_edit(struct cli_program *program, const char *from, const char *to);

int x_value(int row, int column);
int w_value(int row, int column);

/* Writes a tensor of fp16. */
void save_half(const char *name, int rows, int columns, int (*value)(int, int));

/* Fails the test unless these rows of a file are those of x w. */
void assert_product(const char *name, int first_row, int rows);

/* A member of an object; fails the test when it is none of that kind. */
long long json_whole_of(const json_t *map, const char *key);
const char *json_words_of(const json_t *map, const char *key);

/* The fixture of tests that share one `struct cli_program name`: setup, teardown. */
#define CLI_PROGRAM_FIXTURE(name)                                                                  \
    static struct cli_program name;                                                                \
    static int setup(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        return cli_program_init(&name);                                                            \
    }                                                                                              \
    static int teardown(void **state)                                                              \
    {                                                                                              \
        (void)state;                                                                               \
        return cli_program_deinit(&name);                                                          \
    }

#endif
