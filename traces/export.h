/*
 * Saved runs in the formats of other tools. docs/export.md has the columns and how to open each.
 *
 * A writer reads the run from the store and writes as it reads, so its memory does not grow with
 * the run. It answers BAD_INPUT when the run has not what the format shows, IO when the file could
 * not be written. What it has written by then is of no use; the caller throws it away.
 */
#ifndef CUBESIM_TRACES_EXPORT_H
#define CUBESIM_TRACES_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/diag.h"
#include "engine/row.h"
#include "traces/store.h"

/* words of --timebase */
#define TIMEBASE_LIST(ROW)                                                                         \
    ROW(NS, "ns")                                                                                  \
    ROW(CYCLE, "cycle")

enum timebase {
#define ROW(name, word) TIMEBASE_##name,
    TIMEBASE_LIST(ROW)
#undef ROW
        TIMEBASE_COUNT
};

struct export_options {
    const char *target;              /* the file as messages name it: "'run.csv'" */
    uint32_t core_first, core_count; /* cores to write; of kept rows, when the format has rows */
    tick from, to;                   /* cycles [from, to) of a window */
    bool has_window;                 /* from or to was given; else it is the whole run */
    enum timebase timebase;
    int64_t other_run_id;    /* a second run on the same page; 0: none */
    const char *sentence[2]; /* what limits the run, and the other, as `show` says it */
};

/* A writer of a format. file stays open. */
typedef enum status export_writer(struct store *store, int64_t run_id,
                                  const struct export_options *options, FILE *file,
                                  struct diag *diag);

/* All columns of v_instruction, a row for each instruction that touches the window. */
export_writer export_csv;

/* The instructions of a core in the columns of the vendor's simulator: each once, with its calls.
 */
export_writer export_instr_exe;

/* The pipes of each core in the columns of the vendor's profiler. Needs no rows. */
export_writer export_pipe;

/* A picture of a core in a window: lanes of pipes, waits, the critical path and slots in use. */
export_writer export_svg;

/* Chrome trace JSON: a track for each pipe and core and for its flags, waits, arrows of flags, and
 * counters of bytes per cycle and of slots in use; in the order of time. */
export_writer export_chrome;

/* How many events that trace has, within a few: those of rows exactly, counters as if none were
 * joined. */
enum status export_chrome_events(struct store *store, int64_t run_id,
                                 const struct export_options *options, struct diag *diag,
                                 uint64_t *events) MUST_CHECK;

/* One page with everything about one run or two: pictures, numbers, tables. */
export_writer export_html;

#endif
