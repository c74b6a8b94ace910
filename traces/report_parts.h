/*
 * The parts of the HTML report that hold data. docs/report.md says what is in each.
 */
#ifndef CUBESIM_TRACES_REPORT_PARTS_H
#define CUBESIM_TRACES_REPORT_PARTS_H

#include "engine/base/arena.h"
#include "traces/export.h"
#include "traces/output.h"

struct report {
    struct store *store;
    const struct export_options *options;
    struct diag *diag;
    struct output *output;
    struct arena *arena;
};

/* A run on the page, and which of its rows are there. */
struct report_run {
    struct stored_run stored;
    size_t index;         /* 0, or 1 for the second of a page */
    const char *sentence; /* what limits it */
    uint32_t core_first, core_count;
    tick from, to;
};

/* Everything but rows, as one JSON object in which no '<' stands. */
enum status report_write_json(const struct report *report, const struct report_run *run) MUST_CHECK;

/* "buffers": what the tile takes of each buffer, or null where there is no plan to tell. */
enum status report_write_buffers(const struct report *report,
                                 const struct report_run *run) MUST_CHECK;

/* The rows of each core, the distinct instructions that they name, and the critical path: script
 * elements of data. */
enum status report_write_rows(const struct report *report, const struct report_run *run) MUST_CHECK;

#endif
