/*
 * Instructions that the vendor's API has and that are refused by name: isa/refused.def.
 */
#ifndef CUBESIM_ISA_REFUSED_H
#define CUBESIM_ISA_REFUSED_H

#include <stddef.h>

struct refused {
    const char *mnemonic;
    const char *reason; /* why it is not modelled: the rest of a sentence */
};

/* All of them in the order of the table. */
const struct refused *refused_list(size_t *count);

#endif
