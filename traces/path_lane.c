#include "traces/path_lane.h"

#include <assert.h>

uint32_t path_lane_part(enum step_kind kind, uint32_t pipe, enum cause cause)
{
    assert(pipe < PIPE_COUNT && kind < STEP_KIND_COUNT && cause < CAUSE_COUNT);
    return kind == STEP_WAIT ? PATH_LANE_WAITS + (uint32_t)cause
                             : (uint32_t)kind * PIPE_COUNT + pipe;
}

enum status path_lane_init(struct path_lane *lane, const struct lanes *lanes, struct arena *arena)
{
    *lane = (struct path_lane){
        .lanes = lanes,
        .columns = arena_take(arena, lanes->column_count, sizeof *lane->columns),
    };
    return lane->columns == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status path_lane_add_step(void *context, const struct stored_step *step)
{
    struct path_lane *lane = context;
    const struct lanes *lanes = lane->lanes;
    tick start = step->start > lanes->from ? step->start : lanes->from;
    tick end = step->start + step->cycles < lanes->to ? step->start + step->cycles : lanes->to;
    if (start >= end)
        return STATUS_OK;
    lane->used = true;
    lane->core = step->core;
    uint32_t part = path_lane_part(step->kind, step->pipe, step->cause);
    for (size_t column = lanes_column(lanes, start); start < end; column++) {
        tick stop = end < lanes->edge[column + 1] ? end : lanes->edge[column + 1];
        lane->columns[column].part[part] += stop - start;
        start = stop;
    }
    return STATUS_OK;
}
