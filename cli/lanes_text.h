/*
 * Lanes of a core on a terminal: axis, one line per pipe, legend, and the waits in numbers.
 */
#ifndef CUBESIM_CLI_LANES_TEXT_H
#define CUBESIM_CLI_LANES_TEXT_H

#include <stddef.h>

#include "cli/terminal.h"
#include "engine/base/arena.h"
#include "traces/lanes.h"
#include "traces/path_lane.h"
#include "traces/store.h"

struct lanes_text {
    const struct terminal *terminal;
    struct arena *arena;
    const struct lanes *lanes;
    const struct path_lane *path; /* of the same window */
    uint32_t core;
    const struct stored_pipe *pipes; /* of the core, over the whole run */
    size_t pipe_count;
    tick cycles; /* of the run */
};

/* Columns that lanes have on a terminal of this width. */
size_t lanes_text_columns(size_t width);

/* The axis, the lanes with the busy share of the window at their right end, and the critical path
 * when its steps are known. */
void lanes_text_print(const struct lanes_text *text);

/* What the signs of the lanes mean. */
void lanes_text_print_legend(const struct lanes_text *text);

/* Busy, waiting and idle cycles of each pipe over the whole run, and what it waits for. */
void lanes_text_print_waits(const struct lanes_text *text);

/* The words of a wait for people: "CUBE", "queue full". */
const char *lanes_text_reason(const struct lanes_text *text, uint32_t reason);

#endif
