/*
 * What a run writes must be none of the files that it reads, and no two of them the same.
 */
#ifndef CUBESIM_CLI_RUN_TARGETS_H
#define CUBESIM_CLI_RUN_TARGETS_H

#include "cli/run_case.h"

/* Refuses a dump, an --output or a --db that is the plan or program, its product file, one of its
 * inputs or another target: BAD_INPUT, each at its place. Files are compared by device and inode,
 * those to be made by their folder and name; what is no regular file (/dev/null, a pipe) may be
 * named twice. */
enum status run_targets_check(const struct run_case *run) MUST_CHECK;

#endif
