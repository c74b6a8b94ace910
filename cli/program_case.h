/*
 * Reading a program file and the product that it is for.
 */
#ifndef CUBESIM_CLI_PROGRAM_CASE_H
#define CUBESIM_CLI_PROGRAM_CASE_H

#include "cli/options.h"
#include "cli/plan_case.h"
#include "isa/program.h"

/* Whether a path names a program: it ends in ".prog". Every other file is a plan. */
bool path_is_program(const char *path);

/* Reads the program, its product into that of the case, with --product and --set, and checks that
 * they fit. All problems go to the diag of the case, those of the text in their order. source: the
 * text, for places; NULL when it could not be read. Of a program that was refused the regions are
 * there. */
enum status program_case_load(struct plan_case *c, const struct plan_options *options,
                              const struct source **source, struct program *program) MUST_CHECK;

#endif
