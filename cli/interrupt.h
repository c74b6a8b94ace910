/*
 * What SIGINT does: it ends the program at once, with a word and exit code 130, until something is
 * under way that is worth finishing.
 */
#ifndef CUBESIM_CLI_INTERRUPT_H
#define CUBESIM_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on it ends the program. What the caller of the program ignores stays ignored. */
void interrupt_ends(void);

/* Behind interrupt_ends: from now on the first SIGINT lets a run finish and be saved; the second
 * one ends the program. */
void interrupt_finishes(void);

/* Whether there was one since interrupt_finishes. */
bool interrupt_came(void);

#endif
