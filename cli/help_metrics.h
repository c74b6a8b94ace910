/*
 * `cubesim help metrics`: what the words and numbers of a run mean.
 */
#ifndef CUBESIM_CLI_HELP_METRICS_H
#define CUBESIM_CLI_HELP_METRICS_H

#include <stdio.h>

void help_metrics_print(FILE *stream);

#endif
