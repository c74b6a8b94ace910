/*
 * Problems on their way to people: wrapped to 80 columns, with source line and caret.
 *
 * A problem inside a file begins with its place there; all others, and those of options, begin with
 * the command ("cubesim run: --cores: found 25; ...").
 */
#ifndef CUBESIM_CLI_PROBLEMS_H
#define CUBESIM_CLI_PROBLEMS_H

#include <stdio.h>

#include "engine/base/diag.h"

/* Prints head and text; where the line would be too long it goes on in the next one, indented by 4.
 * Breaks at spaces, best behind a semicolon, and behind a head that leaves little room; a word that
 * is too long stays whole. */
void message_print(FILE *stream, const char *head, const char *text);

/* All problems of a diag, one after the other. command: "cubesim run". */
void problems_list(FILE *stream, struct diag *diag, const char *command);

/* Prints all problems and their number to stderr; returns the exit code of the gravest, or of
 * status when that is graver. */
int problems_print(struct diag *diag, const char *command, enum status status);

#endif
