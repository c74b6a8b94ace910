/*
 * Instructions that the vendor's API has and that are refused by name: isa/refused.def.
 */
#ifndef CUBESIM_ISA_REFUSED_H
#define CUBESIM_ISA_REFUSED_H

#include <stddef.h>

#include "isa/word.h"

struct refused {
    const char *mnemonic;
    const char *reason; /* why it is not modelled: the rest of a sentence */
};

/* All of them in the order of the table. */
const struct refused *refused_list(size_t *count);

/* The row of a name or of one of its aliases, however it is written: upper or lower case, with
 * underscores or without; NULL when there is none. */
const struct refused *refused_find(struct word word);

#endif
