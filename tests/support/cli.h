/*
 * The built binary from outside: runs `cubesim ARGUMENTS` and keeps what it prints.
 *
 *     struct cli cli;
 *     cli_init(&cli);
 *     cli_run(&cli, "check %s", cli_write(&cli, "plan.yaml", text));
 *     assert_int_equal(cli.code, 2);
 *     cli_deinit(&cli);
 */
#ifndef CUBESIM_TESTS_SUPPORT_CLI_H
#define CUBESIM_TESTS_SUPPORT_CLI_H

#include <stddef.h>

#include <jansson.h>

struct cli {
    char folder[64]; /* of its own, for files */
    char path[128];  /* answer of cli_path and cli_write */
    int code;        /* exit code of the last run */
    char *out, *err; /* what it printed */
};

/* Fails the test when CUBESIM_BINARY names no binary. */
void cli_init(struct cli *cli);
/* Removes the folder and all files in it. */
void cli_deinit(struct cli *cli);

/* Runs the binary by a shell in the current folder, so quotes and redirections work. */
void cli_run(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with stderr on a terminal, whose text is err then; the exit code is not kept. */
void cli_run_on_terminal(struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "FOLDER/NAME"; valid until the next call. */
const char *cli_path(struct cli *cli, const char *name);
/* Makes a file in the folder and returns its path. */
const char *cli_write(struct cli *cli, const char *name, const char *text);

/* stdout of the last run as JSON; fails the test when it is none. The caller releases it. */
json_t *cli_json(const struct cli *cli);

/* Fail the test, with what was printed, unless text is in stdout or stderr; in stderr a message may
 * go on in the next line. */
void cli_assert_out(const struct cli *cli, const char *text);
void cli_assert_err(const struct cli *cli, const char *text);

/* Every line of stdout fits into 80 columns and ends in no space. */
void cli_assert_page(const struct cli *cli);
/* The same of stderr, on a terminal. */
void cli_assert_messages(const struct cli *cli);

/* What sqlite3 answers to one SQL question about a database, as one number. */
long long cli_count(const char *database, const char *sql);

/* The fixture of a group of tests that share one `struct cli name`: make_folder, remove_folder. */
#define CLI_FIXTURE(name)                                                                          \
    static struct cli name;                                                                        \
    static int make_folder(void **state)                                                           \
    {                                                                                              \
        (void)state;                                                                               \
        cli_init(&name);                                                                           \
        return 0;                                                                                  \
    }                                                                                              \
    static int remove_folder(void **state)                                                         \
    {                                                                                              \
        (void)state;                                                                               \
        cli_deinit(&name);                                                                         \
        return 0;                                                                                  \
    }

#endif
