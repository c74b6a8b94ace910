/*
 * A step of a path: what some ticks between two moments of a run went to, and for whom.
 *
 * Steps are numbered from 1 in the order in which they are made, and each knows the step that it
 * follows, which has a lower number; so the path of any moment is found by walking back from its
 * last step, and nobody needs to keep the steps of paths that led nowhere. No step is empty, and
 * those of a path fill the ticks from 0 to its moment.
 */
#ifndef CUBESIM_ENGINE_PATH_STEP_H
#define CUBESIM_ENGINE_PATH_STEP_H

#include "engine/path.h"

/* The parts of a pipe, and waiting. */
enum step_kind {
    STEP_BUSY = PATH_BUSY,
    STEP_LATENCY = PATH_LATENCY,
    STEP_LINK = PATH_LINK,
    STEP_WAIT = PATH_PART_COUNT,
    STEP_KIND_COUNT
};

/* "busy" "latency" "link" "wait" */
const char *step_kind_word(enum step_kind kind);

struct path_step {
    uint64_t number;
    uint64_t before; /* the step that it follows; 0: it begins at tick 0 */
    uint32_t core, pipe;
    uint32_t seq, tag; /* of its job; ROW_NO_BLOCKER when it belongs to none */
    enum step_kind kind;
    enum cause cause; /* of STEP_WAIT, else CAUSE_NONE */
    tick ticks;       /* at least 1 */
};

/* Called once per step; context belongs to the observer. */
typedef void path_step_sink(void *context, const struct path_step *step);

#endif
