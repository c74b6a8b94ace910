#include "traces/picture.h"

#include <stdarg.h>
#include <string.h>

#include "engine/base/quantity.h"

const struct slot_lane slot_lanes[SLOT_LANES] = {{SPACE_L1, "L1 slots", "#8DC3E3"},
                                                 {SPACE_L0A, "L0A slots", "#8CCDB8"},
                                                 {SPACE_L0B, "L0B slots", "#8CCDB8"},
                                                 {SPACE_L0C, "L0C slots", "#F5CF80"}};

double x_of(const struct picture *picture, tick cycle)
{
    if (cycle <= picture->from)
        return GUTTER;
    if (cycle >= picture->to)
        return GUTTER + PLOT;
    return GUTTER + (double)(cycle - picture->from) * PLOT / (double)(picture->to - picture->from);
}

bool in_window(const struct picture *picture, tick start, tick end)
{
    return end > picture->from && start < picture->to;
}

bool as_columns(const struct picture *picture, uint32_t pipe)
{
    return picture->boxes[pipe] > BOXES_MAX;
}

enum look look_of(struct picture *picture, const struct stored_row *row)
{
    static const enum look of_pipe[PIPE_COUNT] = {
        [PIPE_SCALAR] = LOOK_SCALAR, [PIPE_MTE2] = LOOK_COPY, [PIPE_MTE1] = LOOK_LOAD,
        [PIPE_CUBE] = LOOK_MMAD,     [PIPE_FIXP] = LOOK_EXIT, [PIPE_VECTOR] = LOOK_VECTOR,
        [PIPE_MTE3] = LOOK_STORE,
    };
    const struct slot *slot = slots_find(&picture->slots, row->operands, "dst");
    if (slot != NULL && row->pipe == PIPE_MTE1 && slot->space != SPACE_L1)
        return slot->space == SPACE_L0A ? LOOK_LOAD_A : LOOK_LOAD_B;
    if (slot != NULL && row->pipe == PIPE_MTE2 && strncmp(slot->name, "a1_", 3) == 0)
        return LOOK_COPY_A;
    if (slot != NULL && row->pipe == PIPE_MTE2 && strncmp(slot->name, "b1_", 3) == 0)
        return LOOK_COPY_B;
    return of_pipe[row->pipe];
}

enum hatch hatch_of(enum cause cause, uint32_t blocker_pipe)
{
    static const enum hatch of_pipe[PIPE_COUNT] = {
        [PIPE_SCALAR] = HATCH_STREAM, [PIPE_MTE2] = HATCH_MTE2, [PIPE_MTE1] = HATCH_MTE1,
        [PIPE_CUBE] = HATCH_CUBE,     [PIPE_FIXP] = HATCH_EXIT, [PIPE_VECTOR] = HATCH_EXIT,
        [PIPE_MTE3] = HATCH_EXIT,
    };
    if (cause == CAUSE_STARTUP)
        return HATCH_STARTUP;
    if (cause == CAUSE_DISPATCH || cause == CAUSE_QUEUE_FULL || blocker_pipe >= PIPE_COUNT)
        return HATCH_STREAM;
    return of_pipe[blocker_pipe];
}

tick row_ready(const struct stored_row *row)
{
    return row->busy > 0 ? row->start : row->end;
}

const char *picture_text(struct picture *picture, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_format_list(&picture->arena, format, arguments);
    va_end(arguments);
    picture->lacks_memory = picture->lacks_memory || text == NULL;
    return text == NULL ? "" : text;
}

const char *grouped(struct picture *picture, uint64_t number)
{
    char buffer[28];
    return picture_text(picture, "%s", grouped_format(number, buffer, sizeof buffer));
}
