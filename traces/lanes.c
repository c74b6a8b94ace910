#include "traces/lanes.h"

#include <assert.h>

uint32_t lane_reason(enum cause cause, uint32_t blocker_pipe)
{
    if (cause == CAUSE_FLAG && blocker_pipe < PIPE_COUNT)
        return CAUSE_COUNT + blocker_pipe;
    return (uint32_t)cause;
}

const char *lane_reason_word(uint32_t reason)
{
    assert(reason < LANE_REASON_COUNT);
    if (reason >= CAUSE_COUNT)
        return pipe_word((enum pipe)(reason - CAUSE_COUNT));
    return cause_word((enum cause)reason);
}

/* The first cycle of a column: from + window * column / count, without overflow. */
static tick lanes_edge(const struct lanes *lanes, size_t column)
{
    tick window = lanes->to - lanes->from;
    tick whole = window / lanes->column_count, rest = window % lanes->column_count;
    return lanes->from + whole * column + rest * column / lanes->column_count;
}

enum status lanes_init(struct lanes *lanes, tick from, tick to, size_t column_count,
                       struct arena *arena)
{
    assert(from < to && column_count >= 1);
    *lanes = (struct lanes){.from = from, .to = to, .column_count = column_count};
    if (lanes->column_count > to - from)
        lanes->column_count = (size_t)(to - from);
    lanes->edge = arena_take(arena, lanes->column_count + 1, sizeof *lanes->edge);
    if (lanes->edge == NULL)
        return STATUS_NO_MEMORY;
    for (size_t column = 0; column <= lanes->column_count; column++)
        lanes->edge[column] = lanes_edge(lanes, column);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        struct lane *lane = &lanes->lane[pipe];
        lane->columns = arena_take(arena, lanes->column_count, sizeof *lane->columns);
        if (lane->columns == NULL)
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

size_t lanes_column(const struct lanes *lanes, tick cycle)
{
    assert(cycle >= lanes->from && cycle < lanes->to);
    size_t low = 0, high = lanes->column_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lanes->edge[middle] <= cycle)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds the cycles of [start, end) that lie in the window to busy (reason LANE_REASON_COUNT) or to
 * the waits of a reason. */
static void lane_add(struct lanes *lanes, uint32_t pipe, tick start, tick end, uint32_t reason)
{
    if (start < lanes->from)
        start = lanes->from;
    if (end > lanes->to)
        end = lanes->to;
    if (start >= end)
        return;
    struct lane_column *columns = lanes->lane[pipe].columns;
    for (size_t column = lanes_column(lanes, start); start < end; column++) {
        tick stop = end < lanes->edge[column + 1] ? end : lanes->edge[column + 1];
        if (reason == LANE_REASON_COUNT)
            columns[column].busy += stop - start;
        else
            columns[column].wait[reason] += stop - start;
        start = stop;
    }
}

bool lane_wait_tells(uint32_t pipe)
{
    return pipe == PIPE_MTE2 || pipe == PIPE_MTE1 || pipe == PIPE_CUBE || pipe == PIPE_VECTOR;
}

enum status lanes_add_row(void *context, const struct stored_row *row)
{
    struct lanes *lanes = context;
    assert(row->pipe < PIPE_COUNT);
    /* A working row waits before its start; a row of a flag or barrier waits up to its end. */
    tick ready = row->busy > 0 ? row->start : row->end;
    tick before = row->wait < ready ? ready - row->wait : 0;
    uint32_t reason = lane_reason(row->cause, row->blocker_pipe);
    bool touches = before < lanes->to && (row->end > lanes->from || row->start >= lanes->from);
    if (!touches)
        return STATUS_OK;
    lanes->lane[row->pipe].used = true;
    if (row->busy > 0)
        lane_add(lanes, row->pipe, row->start, row->end, LANE_REASON_COUNT);
    lane_add(lanes, row->pipe, before, ready, reason);
    tick first = before > lanes->from ? before : lanes->from;
    tick last = ready < lanes->to ? ready : lanes->to;
    tick inside = last > first ? last - first : 0;
    if (lane_wait_tells(row->pipe) && inside > lanes->longest.cycles)
        lanes->longest = (struct lane_wait){
            .cycles = inside,
            .all = row->wait,
            .pipe = row->pipe,
            .seq = row->seq,
            .reason = reason,
            .blocker_core = row->blocker_core,
            .blocker_pipe = row->blocker_pipe,
            .blocker_seq = row->blocker_seq,
        };
    return STATUS_OK;
}

static const struct lane_column *lanes_at(const struct lanes *lanes, enum pipe pipe, size_t column)
{
    assert((uint32_t)pipe < PIPE_COUNT && column < lanes->column_count);
    return &lanes->lane[pipe].columns[column];
}

tick lanes_busy(const struct lanes *lanes, enum pipe pipe)
{
    tick busy = 0;
    for (size_t column = 0; column < lanes->column_count; column++)
        busy += lanes_at(lanes, pipe, column)->busy;
    return busy;
}

uint32_t lanes_eighths(const struct lanes *lanes, enum pipe pipe, size_t column)
{
    tick busy = lanes_at(lanes, pipe, column)->busy;
    tick width = lanes->edge[column + 1] - lanes->edge[column];
    tick eighths = (16 * busy + width) / (2 * width);
    if (busy > 0 && eighths == 0)
        return 1;
    return eighths > 8 ? 8 : (uint32_t)eighths;
}

bool lanes_is_waiting(const struct lanes *lanes, enum pipe pipe, size_t column)
{
    const struct lane_column *at = lanes_at(lanes, pipe, column);
    if (at->busy > 0)
        return false;
    for (uint32_t reason = 0; reason < LANE_REASON_COUNT; reason++)
        if (at->wait[reason] > 0)
            return true;
    return false;
}

bool lanes_next_gap(const struct lanes *lanes, enum pipe pipe, size_t column, struct lane_gap *gap)
{
    while (column < lanes->column_count && !lanes_is_waiting(lanes, pipe, column))
        column++;
    if (column == lanes->column_count)
        return false;
    tick wait[LANE_REASON_COUNT] = {0};
    *gap = (struct lane_gap){.first = column};
    for (; column < lanes->column_count && lanes_is_waiting(lanes, pipe, column); column++) {
        gap->count++;
        for (uint32_t reason = 0; reason < LANE_REASON_COUNT; reason++)
            wait[reason] += lanes_at(lanes, pipe, column)->wait[reason];
    }
    for (uint32_t reason = 0; reason < LANE_REASON_COUNT; reason++)
        if (wait[reason] > wait[gap->reason])
            gap->reason = reason;
    return true;
}

tick lanes_tick_step(const struct lanes *lanes, size_t columns_min)
{
    static const tick digits[] = {1, 2, 5};
    tick window = lanes->to - lanes->from;
    /* step * columns / window >= columns_min, as a bound on step. */
    tick least = window / lanes->column_count * columns_min +
                 (window % lanes->column_count) * columns_min / lanes->column_count;
    for (tick power = 1;; power *= 10) {
        for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
            if (digits[i] * power >= least)
                return digits[i] * power;
        if (power > UINT64_MAX / 100)
            return power * 5;
    }
}
