#include "traces/picture.h"

/* The hatching of a reason of lanes. */
static enum hatch hatch_of_reason(uint32_t reason)
{
    return reason >= CAUSE_COUNT ? hatch_of(CAUSE_FLAG, reason - CAUSE_COUNT)
                                 : hatch_of((enum cause)reason, PIPE_COUNT);
}

void picture_lane(struct picture *picture, enum pipe pipe)
{
    const struct svg_font name = {.size = 12, .ink = SVG_INK, .anchor = "start", .bold = true};
    const struct svg_font share = {.size = 11, .ink = SVG_INK_2, .anchor = "end"};
    double y = picture->lane_y[pipe];
    const char *busy = picture_text(picture, "%.0f %%",
                                    100.0 * (double)lanes_busy(&picture->lanes, pipe) /
                                        (double)(picture->to - picture->from));
    svg_rect(&picture->output, &(struct svg_box){GUTTER, y, PLOT, LANE_HEIGHT}, SVG_GROUND, "none",
             NULL);
    svg_text(&picture->output, 16, y + 19, &name, pipe_word(pipe));
    svg_text(&picture->output, GUTTER - 8, y + 19, &share, busy);
}

static void draw_wait_label(struct picture *picture, const struct svg_box *box,
                            const struct stored_row *row)
{
    enum { SIZE = 10, MARGIN = 4 };
    uint32_t reason = lane_reason(row->cause, row->blocker_pipe);
    const char *word = lane_reason_word(reason);
    const char *label = reason >= CAUSE_COUNT ? picture_text(picture, "waits for %s", word) : word;
    if (svg_text_width(label, SIZE) + 4 * MARGIN > box->width)
        label = word;
    double width = svg_text_width(label, SIZE) + 2 * MARGIN;
    double middle = box->x + box->width / 2;
    if (width > box->width)
        return;
    const struct svg_box ground = {middle - width / 2, box->y + 8, width, 14};
    const struct svg_font font = {.size = SIZE, .ink = SVG_INK, .anchor = "middle"};
    svg_rect(&picture->output, &ground, "#FFFFFF", "none", NULL);
    svg_text(&picture->output, middle, box->y + 18.5, &font, label);
}

static void draw_wait(struct picture *picture, const struct stored_row *row)
{
    tick ready = row_ready(row), begin = ready - row->wait;
    double x = x_of(picture, begin);
    const struct svg_box box = {x, picture->lane_y[row->pipe], x_of(picture, ready) - x,
                                LANE_HEIGHT};
    if (row->wait == 0 || box.width < 0.5)
        return;
    enum hatch hatch = hatch_of(row->cause, row->blocker_pipe);
    const char *title =
        picture_text(picture, "waits %s cycles (%s), up to %s", grouped(picture, row->wait),
                     cause_word(row->cause), grouped(picture, ready));
    svg_rect(&picture->output, &box, hatch_rows[hatch].fill,
             hatch == HATCH_STARTUP ? SVG_OUTLINE : "none", title);
    draw_wait_label(picture, &box, row);
}

static void draw_box(struct picture *picture, const struct stored_row *row)
{
    enum { SIZE = 10, LETTER_WIDTH = 9, BRACKET_WIDTH = 9, LOST_HEIGHT = 5 };
    const struct look_row *look = &look_rows[look_of(picture, row)];
    double x = x_of(picture, row->start), end = x_of(picture, row->end);
    const struct svg_box box = {x, picture->lane_y[row->pipe], end - x > 0.5 ? end - x : 0.5,
                                LANE_HEIGHT};
    const char *title = picture_text(picture, "%s #%u, cycles %s \xE2\x80\x93 %s, result at %s",
                                     row->opcode, row->seq, grouped(picture, row->start),
                                     grouped(picture, row->end), grouped(picture, row->done));
    svg_rect(&picture->output, &box, look->fill, box.width > 3 ? look->edge : "none", title);
    if (row->link > 0 && box.width >= 1) {
        double lost = box.width * (double)row->link / (double)(row->end - row->start);
        const struct svg_box stripes = {end - lost, box.y + LANE_HEIGHT - LOST_HEIGHT, lost,
                                        LOST_HEIGHT};
        svg_rect(&picture->output, &stripes, "url(#lost)", "none", NULL);
    }
    if (box.width >= BRACKET_WIDTH && row->done > row->end)
        svg_bracket(&picture->output, &box, x_of(picture, row->done),
                    look->edge[0] == '#' ? look->edge : SVG_INK_3);
    const char *label =
        svg_text_width(row->opcode, SIZE) + 6 <= box.width ? row->opcode : look->letter;
    const struct svg_font font = {.size = SIZE, .ink = look->ink, .anchor = "middle"};
    if (box.width < LETTER_WIDTH || label[0] == '\0')
        return;
    double width = svg_text_width(label, SIZE) + 2;
    const struct svg_box ground = {box.x + (box.width - width) / 2, box.y + 9, width, 12};
    if (look->ground[0] != '\0')
        svg_rect(&picture->output, &ground, look->ground, "none", NULL);
    svg_text(&picture->output, box.x + box.width / 2, box.y + 18.5, &font, label);
}

enum status picture_row(void *context, const struct stored_row *row)
{
    struct picture *picture = context;
    tick ready = row_ready(row);
    struct arena *arena = &picture->arena;
    if (as_columns(picture, row->pipe))
        return STATUS_OK;
    /* Texts of a row are not kept. */
    struct arena kept = *arena;
    arena_init(arena, 0);
    if (in_window(picture, ready - row->wait, ready))
        draw_wait(picture, row);
    if (row->busy > 0 && in_window(picture, row->start, row->end))
        draw_box(picture, row);
    arena_deinit(arena);
    *arena = kept;
    return output_status(&picture->output);
}

/* Many instructions: the height of a column is the share of its cycles that the pipe was busy, its
 * ground says what it waited for most. */
void picture_columns(struct picture *picture, enum pipe pipe)
{
    static const char *const fills[PIPE_COUNT] = {
        [PIPE_SCALAR] = "#8D96A0", [PIPE_MTE2] = "#0072B2", [PIPE_MTE1] = "#00805B",
        [PIPE_CUBE] = "#E69F00",   [PIPE_FIXP] = "#D88DB8", [PIPE_VECTOR] = "#EBC6DB",
        [PIPE_MTE3] = "#D88DB8",
    };
    const struct lanes *lanes = &picture->lanes;
    for (size_t first = 0, next; first < lanes->column_count; first = next) {
        const struct lane_column *column = &lanes->lane[pipe].columns[first];
        uint32_t eighths = lanes_eighths(lanes, pipe, first), reason = 0;
        for (uint32_t i = 1; i < LANE_REASON_COUNT; i++)
            reason = column->wait[i] > column->wait[reason] ? i : reason;
        for (next = first + 1;
             next < lanes->column_count && lanes_eighths(lanes, pipe, next) == eighths; next++)
            continue;
        double x = x_of(picture, lanes->edge[first]);
        struct svg_box box = {x, picture->lane_y[pipe], x_of(picture, lanes->edge[next]) - x,
                              LANE_HEIGHT};
        if (column->wait[reason] > 0)
            svg_rect(&picture->output, &box, hatch_rows[hatch_of_reason(reason)].fill, "none",
                     NULL);
        box.height = LANE_HEIGHT * eighths / 8.0;
        box.y += LANE_HEIGHT - box.height;
        if (eighths > 0)
            svg_rect(&picture->output, &box, fills[pipe], "none", NULL);
    }
}
