/*
 * `cubesim help metrics`: what every printed word, JSON key and column of a view means.
 */
#ifndef CUBESIM_CLI_HELP_METRICS_H
#define CUBESIM_CLI_HELP_METRICS_H

#include <stdio.h>

/* All words in sections. */
void help_metrics_print(FILE *stream);

/* Those that are called so, or have it as a key, whatever the case; returns the exit code, after a
 * message on stderr when there is none. */
int help_metrics_find(FILE *stream, const char *word);

/* The same as help_metrics_print in tables of Markdown, for docs/summary.md. */
void help_metrics_markdown(FILE *stream);

#endif
