/*
 * The critical path in a window as a lane: per column of the screen, how many of its cycles went to
 * which part of the path.
 *
 * Pure data; nothing is printed here. Columns are those of the lanes of the window. Every
 * cycle of a column belongs to exactly one part, unless the run was saved without its steps.
 *
 *     path_lane_init(&lane, &lanes, &arena);
 *     store_visit_path(store, run_id, path_lane_add_step, &lane, &diag);
 */
#ifndef CUBESIM_TRACES_PATH_LANE_H
#define CUBESIM_TRACES_PATH_LANE_H

#include <stdbool.h>

#include "traces/lanes.h"

/* Parts of pipes, then causes of waiting. */
enum {
    PATH_LANE_WAITS = PATH_PART_COUNT * PIPE_COUNT,
    PATH_LANE_PARTS = PATH_LANE_WAITS + CAUSE_COUNT
};

struct path_lane_column {
    tick part[PATH_LANE_PARTS]; /* cycles of the column */
};

struct path_lane {
    const struct lanes *lanes;
    struct path_lane_column *columns; /* [lanes->column_count] */
    bool used;                        /* some step touched the window */
    uint32_t core;                    /* of the last step that did */
};

/* The part of a lane that a step belongs to. */
uint32_t path_lane_part(enum step_kind kind, uint32_t pipe, enum cause cause);

/* NO_MEMORY. */
enum status path_lane_init(struct path_lane *lane, const struct lanes *lanes,
                           struct arena *arena) MUST_CHECK;

/* A stored_step_sink whose context is the lane; always OK. */
enum status path_lane_add_step(void *lane, const struct stored_step *step);

#endif
