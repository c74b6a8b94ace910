#include "traces/export.h"
#include "traces/picture.h"

static const enum pipe lane_order[PIPE_COUNT] = {
    PIPE_MTE2, PIPE_MTE1, PIPE_CUBE, PIPE_FIXP, PIPE_VECTOR, PIPE_MTE3, PIPE_SCALAR,
};

/* ---- what there is to draw ---- */

static enum status measure_row(void *context, const struct stored_row *row)
{
    struct picture *picture = context;
    tick ready = row_ready(row);
    if (row->busy > 0 && in_window(picture, row->start, row->end)) {
        picture->boxes[row->pipe]++;
        picture->shows_look[look_of(picture, row)] = true;
        picture->shows_link = picture->shows_link || row->link > 0;
        picture->shows_done = picture->shows_done || row->done > row->end;
    }
    if (row->wait > 0 && in_window(picture, ready - row->wait, ready))
        picture->shows_hatch[hatch_of(row->cause, row->blocker_pipe)] = true;
    return lanes_add_row(&picture->lanes, row);
}

static size_t column_of(const struct picture *picture, tick cycle)
{
    return lanes_column(&picture->lanes, cycle);
}

static enum status measure_step(void *context, const struct stored_step *step)
{
    struct picture *picture = context;
    tick end = step->start + step->cycles;
    if (step->core != picture->core || !in_window(picture, step->start, end))
        return STATUS_OK;
    picture->steps++;
    picture->lanes.lane[step->pipe].used = true;
    tick start = step->start > picture->from ? step->start : picture->from;
    end = end < picture->to ? end : picture->to;
    for (size_t column = column_of(picture, start); start < end; column++) {
        tick edge = picture->lanes.edge[column + 1];
        tick stop = end < edge ? end : edge;
        picture->path_cycles[column][step->pipe] += stop - start;
        start = stop;
    }
    return STATUS_OK;
}

/* The slots in use where the window begins and in it. */
static enum status measure_slots(struct picture *picture)
{
    struct slot_event event;
    bool found = true;
    uint32_t before[SPACE_COUNT] = {0};
    enum status status = STATUS_OK;
    while ((status = slots_next(&picture->slots, &event, &found, picture->diag)) == STATUS_OK &&
           found) {
        if (event.at <= picture->from)
            before[event.space] = event.in_use;
        else if (event.in_use > picture->slots_most[event.space])
            picture->slots_most[event.space] = event.in_use;
        picture->slot_events += event.at > picture->from;
    }
    for (uint32_t space = 0; space < SPACE_COUNT; space++)
        if (before[space] > picture->slots_most[space])
            picture->slots_most[space] = before[space];
    picture->shows_slots = picture->slot_events <= SLOT_EVENTS_MAX;
    return status;
}

enum status picture_open_slots(struct picture *picture)
{
    return slots_open(&picture->slots, picture->store, picture->run.run_id, picture->core,
                      picture->to, picture->diag);
}

static enum status visit_rows(struct picture *picture, stored_row_sink *sink)
{
    int64_t run_id = picture->run.run_id;
    enum status status = store_visit_rows(picture->store, run_id, picture->core, picture->from,
                                          picture->to, sink, picture, picture->diag);
    if (status == STATUS_OK && picture->run.deadlocked)
        status = store_visit_standing(picture->store, run_id, picture->core, sink, picture,
                                      picture->diag);
    return status;
}

static enum status measure(struct picture *picture)
{
    enum status status =
        lanes_init(&picture->lanes, picture->from, picture->to, COLUMNS, &picture->arena);
    picture->path_cycles = arena_take(&picture->arena, COLUMNS, sizeof *picture->path_cycles);
    if (status != STATUS_OK || picture->path_cycles == NULL)
        return diag_add(picture->diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    status = picture_open_slots(picture);
    if (status == STATUS_OK)
        status = measure_slots(picture);
    if (status == STATUS_OK)
        status = visit_rows(picture, measure_row);
    if (status == STATUS_OK)
        status = store_visit_path(picture->store, picture->run.run_id, measure_step, picture,
                                  picture->diag);
    return status;
}

/* ---- head and axis ---- */

static void draw_head(struct picture *picture)
{
    const struct svg_font title = {.size = 14, .ink = SVG_INK, .anchor = "start", .bold = true};
    const struct svg_font sub = {.size = 11, .ink = SVG_INK_2, .anchor = "start"};
    const struct svg_font right = {.size = 12, .ink = SVG_INK, .anchor = "end", .bold = true};
    const struct stored_run *run = &picture->run;
    const char *head = picture_text(
        picture, "run %lld, core %u, cycles %s \xE2\x80\x93 %s (%.2f \xE2\x80\x93 %.2f \xC2\xB5s)",
        (long long)run->run_id, picture->core, grouped(picture, picture->from),
        grouped(picture, picture->to), (double)picture->from / run->clock_mhz,
        (double)picture->to / run->clock_mhz);
    const char *what = picture_text(picture, "%s on %s; %s", run->problem, run->soc, run->tiling);
    const char *bound = picture_text(picture, "%s-bound", run->bound);
    svg_text(&picture->output, 16, 22, &title, head);
    svg_text(&picture->output, 16, 40, &sub, what);
    svg_text(&picture->output, GUTTER + PLOT, 22, &right, run->deadlocked ? "deadlock" : bound);
}

static void draw_axis(struct picture *picture)
{
    enum { MARGIN = 20 };
    struct svg_font cycles = {.size = 11, .ink = SVG_INK, .anchor = "middle"};
    struct svg_font time = {.size = 10, .ink = SVG_INK_3, .anchor = "middle"};
    const struct svg_font label = {.size = 11, .ink = SVG_INK_2, .anchor = "start"};
    const struct svg_font clock = {.size = 10, .ink = SVG_INK_3, .anchor = "start"};
    size_t distance = picture->lanes.column_count * TICK_DISTANCE / PLOT > 0
                          ? picture->lanes.column_count * TICK_DISTANCE / PLOT
                          : 1;
    tick step = lanes_tick_step(&picture->lanes, distance);
    const char *rate = picture_text(picture, "at %s MHz",
                                    grouped(picture, (uint64_t)(picture->run.clock_mhz + 0.5)));
    svg_text(&picture->output, 16, 64, &label, "cycle");
    svg_text(&picture->output, 16, 78, &clock, rate);
    for (tick at = (picture->from + step - 1) / step * step; at < picture->to; at += step) {
        double x = x_of(picture, at);
        if (x > GUTTER + PLOT - MARGIN)
            break;
        const char *microseconds =
            picture_text(picture, "%.2f \xC2\xB5s", (double)at / picture->run.clock_mhz);
        svg_line(&picture->output, x, 84, x, picture->bottom, SVG_RULE, 0.6, "");
        cycles.anchor = time.anchor = x < GUTTER + MARGIN ? "start" : "middle";
        svg_text(&picture->output, x, 64, &cycles, grouped(picture, at));
        svg_text(&picture->output, x, 78, &time, microseconds);
    }
}

/* ---- the file ---- */

static double lay_out(struct picture *picture)
{
    double y = LANES_TOP;
    for (size_t i = 0; i < PIPE_COUNT; i++) {
        enum pipe pipe = lane_order[i];
        if (!picture->lanes.lane[pipe].used)
            continue;
        picture->lane_y[pipe] = y;
        y += LANE_STEP;
    }
    picture->bottom = y;
    for (size_t lane = 0; lane < SLOT_LANES; lane++)
        if (picture->shows_slots && picture->slots_most[slot_lanes[lane].space] > 0)
            y += SLOT_STEP;
    return picture_legend(picture, y + LEGEND_MARGIN, false) + LEGEND_MARGIN;
}

static enum status draw(struct picture *picture)
{
    double height = lay_out(picture);
    const char *title = picture_text(
        picture, "Run %lld, core %u: pipes over cycles %s to %s", (long long)picture->run.run_id,
        picture->core, grouped(picture, picture->from), grouped(picture, picture->to));
    svg_begin(
        &picture->output, WIDTH, height, title,
        "One lane for each pipe; boxes are instructions, hatching is waiting, the line at the "
        "foot of the lanes is the critical path.");
    draw_head(picture);
    for (size_t i = 0; i < PIPE_COUNT; i++)
        if (picture->lanes.lane[lane_order[i]].used)
            picture_lane(picture, lane_order[i]);
    draw_axis(picture);
    for (size_t i = 0; i < PIPE_COUNT; i++)
        if (as_columns(picture, lane_order[i]))
            picture_columns(picture, lane_order[i]);
    enum status status = visit_rows(picture, picture_row);
    if (status == STATUS_OK)
        status = picture_path(picture);
    if (status == STATUS_OK && picture->shows_slots)
        status = picture_slots(picture);
    picture_legend(picture, picture->bottom + LEGEND_MARGIN, true);
    svg_end(&picture->output);
    return status;
}

enum status export_svg(struct store *store, int64_t run_id, const struct export_options *options,
                       FILE *file, struct diag *diag)
{
    struct picture picture = {
        .store = store,
        .diag = diag,
        .core = options->core_first,
        .from = options->from,
        .to = options->to,
    };
    arena_init(&picture.arena, 0);
    output_init(&picture.output, file);
    enum status status = store_find_run(store, run_id, &picture.arena, diag, &picture.run);
    if (status == STATUS_OK)
        status = measure(&picture);
    if (status == STATUS_OK)
        status = draw(&picture);
    if (status == STATUS_OK && picture.lacks_memory)
        status = diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    if (status == STATUS_OK || status == STATUS_IO)
        status = output_finish(&picture.output, options->target, diag);
    slots_close(&picture.slots);
    arena_deinit(&picture.arena);
    return status;
}
