#include "traces/picture.h"

/* ---- the critical path ---- */

static double path_y(const struct picture *picture, uint32_t pipe)
{
    return picture->lane_y[pipe] + LANE_HEIGHT + 3;
}

void picture_path_piece(struct picture *picture, double x1, double x2, double y, bool solid)
{
    svg_line(&picture->output, x1, y, x2, y, SVG_INK, 3, solid ? "" : " stroke-dasharray=\"3 2\"");
}

/* Solid where a pipe is busy, dashed where only time passes, upright where one pipe hands over to
 * another. */
static enum status draw_step(void *context, const struct stored_step *step)
{
    struct picture *picture = context;
    tick end = step->start + step->cycles;
    if (step->core != picture->core || !in_window(picture, step->start, end))
        return STATUS_OK;
    double x = x_of(picture, step->start), y = path_y(picture, step->pipe);
    bool follows = picture->path_x > 0 && picture->path_step + 1 == step->step;
    if (follows && (y < picture->path_y || y > picture->path_y))
        svg_line(&picture->output, x, picture->path_y, x, y, SVG_INK, 1.5, "");
    picture_path_piece(picture, x, x_of(picture, end), y,
                       step->kind == STEP_BUSY || step->kind == STEP_LINK);
    picture->path_x = x_of(picture, end);
    picture->path_y = y;
    picture->path_step = step->step;
    return output_status(&picture->output);
}

static uint32_t path_pipe(const struct picture *picture, size_t column)
{
    const tick *cycles = picture->path_cycles[column];
    uint32_t most = 0;
    for (uint32_t pipe = 1; pipe < PIPE_COUNT; pipe++)
        most = cycles[pipe] > cycles[most] ? pipe : most;
    return cycles[most] > 0 ? most : PIPE_COUNT;
}

/* Of many steps each column shows the pipe with most of the path. */
static void draw_path_columns(struct picture *picture)
{
    const struct lanes *lanes = &picture->lanes;
    uint32_t before = PIPE_COUNT;
    for (size_t first = 0, next; first < lanes->column_count; first = next) {
        uint32_t pipe = path_pipe(picture, first);
        for (next = first + 1; next < lanes->column_count && path_pipe(picture, next) == pipe;)
            next++;
        double x = x_of(picture, lanes->edge[first]);
        if (before < PIPE_COUNT && pipe < PIPE_COUNT)
            svg_line(&picture->output, x, path_y(picture, before), x, path_y(picture, pipe),
                     SVG_INK, 1, "");
        if (pipe < PIPE_COUNT)
            picture_path_piece(picture, x, x_of(picture, lanes->edge[next]), path_y(picture, pipe),
                               true);
        before = pipe;
    }
}

enum status picture_path(struct picture *picture)
{
    if (picture->steps > STEPS_MAX)
        draw_path_columns(picture);
    else if (picture->steps > 0)
        return store_visit_path(picture->store, picture->run.run_id, draw_step, picture,
                                picture->diag);
    return STATUS_OK;
}

/* ---- slots ---- */

static void draw_slots_piece(struct picture *picture, size_t lane, double y, tick from, tick to,
                             uint32_t in_use)
{
    double x = x_of(picture, from);
    double height = (double)SLOT_HEIGHT * in_use / picture->slots_most[slot_lanes[lane].space];
    const struct svg_box box = {x, y + SLOT_HEIGHT - height, x_of(picture, to) - x, height};
    if (in_use > 0 && box.width > 0)
        svg_rect(&picture->output, &box, slot_lanes[lane].fill, "none", NULL);
}

static void draw_slot_lane(struct picture *picture, size_t lane, double y)
{
    const struct svg_font name = {.size = 11, .ink = SVG_INK_2, .anchor = "start"};
    const struct svg_font most = {.size = 10, .ink = SVG_INK_3, .anchor = "end"};
    const char *text =
        picture_text(picture, "0 \xE2\x80\x93 %u", picture->slots_most[slot_lanes[lane].space]);
    svg_rect(&picture->output, &(struct svg_box){GUTTER, y, PLOT, SLOT_HEIGHT}, SVG_GROUND, "none",
             NULL);
    svg_text(&picture->output, 16, y + 10, &name, slot_lanes[lane].label);
    svg_text(&picture->output, GUTTER - 8, y + 10, &most, text);
}

enum status picture_slots(struct picture *picture)
{
    double y[SLOT_LANES] = {0}, next = picture->bottom;
    uint32_t in_use[SLOT_LANES] = {0};
    tick since[SLOT_LANES] = {0};
    for (size_t lane = 0; lane < SLOT_LANES; lane++) {
        if (picture->slots_most[slot_lanes[lane].space] == 0)
            continue;
        draw_slot_lane(picture, lane, y[lane] = next);
        next += SLOT_STEP;
    }
    slots_close(&picture->slots);
    enum status status = picture_open_slots(picture);
    struct slot_event event;
    bool found = true;
    while (status == STATUS_OK &&
           (status = slots_next(&picture->slots, &event, &found, picture->diag)) == STATUS_OK &&
           found)
        for (size_t lane = 0; lane < SLOT_LANES; lane++)
            if (slot_lanes[lane].space == event.space && y[lane] > 0) {
                draw_slots_piece(picture, lane, y[lane], since[lane], event.at, in_use[lane]);
                since[lane] = event.at;
                in_use[lane] = event.in_use;
            }
    for (size_t lane = 0; lane < SLOT_LANES; lane++)
        if (y[lane] > 0)
            draw_slots_piece(picture, lane, y[lane], since[lane], picture->to, in_use[lane]);
    picture->bottom = next;
    return status;
}
