#include "engine/row.h"

#include <assert.h>

const char *cause_word(enum cause cause)
{
    static const char *const words[] = {
#define ROW(name, word) word,
        CAUSE_LIST(ROW)
#undef ROW
    };
    assert(cause < CAUSE_COUNT);
    return words[cause];
}
