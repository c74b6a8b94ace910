#include "engine/path_step.h"

#include <assert.h>

const char *step_kind_word(enum step_kind kind)
{
    static const char *const words[STEP_KIND_COUNT] = {
        [STEP_BUSY] = "busy",
        [STEP_LATENCY] = "latency",
        [STEP_LINK] = "link",
        [STEP_WAIT] = "wait",
    };
    assert(kind < STEP_KIND_COUNT);
    return words[kind];
}
