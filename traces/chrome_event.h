/*
 * Events of a Chrome trace as JSON, in the shape that MindStudio Insight, chrome://tracing and
 * Perfetto read. For export_chrome.c.
 *
 * A core is a process, a pipe a thread; the flags of a pipe are a thread of their own, because a
 * set_flag fires inside later work. Numbers of threads and names of colours are those of the
 * vendor's own traces.
 */
#ifndef CUBESIM_TRACES_CHROME_EVENT_H
#define CUBESIM_TRACES_CHROME_EVENT_H

#include <stdbool.h>

#include "isa/insn.h"
#include "traces/output.h"
#include "traces/store.h"

/* A thread of a core. */
struct chrome_track {
    uint32_t core;
    enum pipe pipe;
    bool is_flags;
};

/* Where an event stands, in nanoseconds of the trace. */
struct chrome_span {
    struct chrome_track track;
    uint64_t start_ns, end_ns; /* [start, end) */
};

/* The JSON up to the first event, which labels the first core: keys by which a reader knows the
 * kind of file come before the events. */
void chrome_begin(struct output *output, uint32_t core);
/* The JSON behind the last event. */
void chrome_end(struct output *output, const struct stored_run *run, const char *timebase);

/* Names and places of a core and of its pipes. */
void chrome_name_core(struct output *output, uint32_t core);
void chrome_name_track(struct output *output, struct chrome_track track);

/* Work of a pipe. */
void chrome_work(struct output *output, const struct chrome_span *span,
                 const struct stored_row *row);

/* Waiting of a pipe before a row, or for ever: then row has no instruction. */
void chrome_wait(struct output *output, const struct chrome_span *span,
                 const struct stored_row *row);

/* A mark of an instruction that takes no time: a flag, a barrier. at: the cycle. */
struct chrome_mark {
    const char *opcode, *operands;
    uint32_t seq;
    tick at;
};
void chrome_flag(struct output *output, const struct chrome_span *span,
                 const struct chrome_mark *mark);

/* An end of the arrow of a flag, on the mark that begins at the same time. number: how many of its
 * key came before it; with core and key it names the arrow. */
void chrome_flow(struct output *output, const struct chrome_span *span, bool is_start, uint32_t key,
                 uint64_t number);

/* A counter of a core from a time on, in thousandths of its unit. */
struct chrome_counter {
    uint32_t core;
    const char *name, *unit;
};
void chrome_count(struct output *output, const struct chrome_counter *counter, uint64_t at_ns,
                  uint64_t thousandths);

#endif
