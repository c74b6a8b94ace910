/*
 * A file that appears whole or not at all: it is written under another name beside its place and
 * takes its place when all is written. What stood there before stays until then. A signal that ends
 * the program removes it.
 *
 * Standard output, and a path that is no regular file (a pipe, /dev/null), are written to directly.
 */
#ifndef CUBESIM_CLI_WHOLE_FILE_H
#define CUBESIM_CLI_WHOLE_FILE_H

#include <stdio.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"

struct whole_file {
    FILE *file;
    const char *name;  /* for messages: "'run.csv'", "standard output" */
    const char *path;  /* links resolved; NULL: standard output */
    const char *draft; /* where it is written; NULL: directly */
};

/* path NULL: standard output. keep: a file that must not be replaced, or NULL. Texts lie in the
 * arena. BAD_INPUT, IO or NO_MEMORY with a problem; then there is nothing to close. At most one
 * file is open at a time. */
enum status whole_file_open(struct whole_file *file, const char *path, const char *keep,
                            struct arena *arena, struct diag *diag) MUST_CHECK;

/* Closes the file and, unless status says that writing it failed, puts it into its place. Returns
 * status, or IO with a problem. */
enum status whole_file_close(struct whole_file *file, enum status status,
                             struct diag *diag) MUST_CHECK;

#endif
