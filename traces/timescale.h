/*
 * Cycles of a run as whole nanoseconds of a trace.
 *
 * Start and end of everything are converted alike, and a length is their difference, so what
 * touches in cycles touches in nanoseconds. With the base "cycle" a cycle is drawn as a nanosecond,
 * exactly; with "ns" the nanosecond in which the cycle begins.
 */
#ifndef CUBESIM_TRACES_TIMESCALE_H
#define CUBESIM_TRACES_TIMESCALE_H

#include "traces/export.h"

struct timescale {
    enum timebase base;
    uint64_t clock_khz;
};

struct timescale timescale_of(const struct stored_run *run, enum timebase base);

uint64_t timescale_ns(const struct timescale *scale, tick cycle);

#endif
