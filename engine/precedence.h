/*
 * What holds what in a run: bounds between its moments, from which follows how late each could be.
 *
 * A moment is something that happens on a core: a job that is dispatched, starts or ends, a flag
 * that fires. Moments of a core are numbered from 1. A precedence says that one of them cannot come
 * before another plus something, and by how much it came later than that: gap. If moments come
 * later by some ticks, those that they precede come later by at most what is beyond the gap, as
 * long as everything takes what it took. Precedences are told in an order that serves a walk
 * backwards: when one that leads to a moment is told, none that leads away from it has been told
 * yet, but those to the end of the run.
 */
#ifndef CUBESIM_ENGINE_PRECEDENCE_H
#define CUBESIM_ENGINE_PRECEDENCE_H

#include "engine/row.h"

struct precedence {
    uint32_t core;
    uint64_t before, after; /* moments of the core; after 0: the end of the run */
    tick gap;               /* for the end of the run: the tick that it cannot come before */
};

/* Called once per precedence; context belongs to the observer. */
typedef void precedence_sink(void *context, const struct precedence *precedence);

#endif
