#include "isa/refused.h"

static const struct refused refused_rows[] = {
#define REFUSED(mnemonic, reason) {mnemonic, reason},
#include "isa/refused.def"
};

const struct refused *refused_list(size_t *count)
{
    *count = sizeof refused_rows / sizeof refused_rows[0];
    return refused_rows;
}
