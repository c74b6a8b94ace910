#include "cli/lanes_text.h"

#include <stdio.h>
#include <string.h>

#include "cli/path_text.h"
#include "cli/text.h"

/* "MTE2  " before a lane, " 100.0 %" behind it. Labels of ticks need room to be told apart. */
enum { NAME_COLUMNS = 6, SHARE_COLUMNS = 8, TICK_COLUMNS_MIN = 20 };

size_t lanes_text_columns(size_t width)
{
    return width - NAME_COLUMNS - SHARE_COLUMNS;
}

const char *lanes_text_reason(const struct lanes_text *text, uint32_t reason)
{
    const char *word = lane_reason_word(reason);
    char *spaced = arena_text(text->arena, word, strlen(word));
    text_need(spaced);
    for (char *at = spaced; *at != '\0'; at++)
        if (*at == '_')
            *at = ' ';
    return spaced;
}

static const struct stored_pipe *pipe_of(const struct lanes_text *text, uint32_t pipe)
{
    for (size_t i = 0; i < text->pipe_count; i++)
        if (text->pipes[i].pipe == pipe)
            return &text->pipes[i];
    return NULL;
}

/* The pipes of a convolution have a lane when the run uses them, others when they do something in
 * the window. SCALAR has none: most of its time is dispatch, which has no rows. */
static bool lane_is_shown(const struct lanes_text *text, uint32_t pipe)
{
    bool usual = pipe == PIPE_MTE2 || pipe == PIPE_MTE1 || pipe == PIPE_CUBE || pipe == PIPE_FIXP;
    if (pipe == PIPE_SCALAR)
        return false;
    return text->lanes->lane[pipe].used || (usual && pipe_of(text, pipe) != NULL);
}

/* ---- axis ---- */

static void print_axis(const struct lanes_text *text)
{
    const struct lanes *lanes = text->lanes;
    size_t width = NAME_COLUMNS + lanes->column_count + SHARE_COLUMNS;
    char *labels = arena_take(text->arena, width + 1, 1);
    char *marks = arena_take(text->arena, width + 1, 1);
    text_need(labels);
    text_need(marks);
    memset(labels, ' ', width);
    memset(marks, ' ', width);
    memcpy(labels, "cycle", strlen("cycle"));
    size_t end = strlen("cycle");
    tick step = lanes_tick_step(lanes, TICK_COLUMNS_MIN);
    tick first = lanes->from / step * step + (lanes->from % step == 0 ? 0 : step);
    for (tick at = first; at < lanes->to; at += step) {
        const char *label = text_number(text->arena, at);
        size_t column = NAME_COLUMNS + lanes_column(lanes, at), length = strlen(label);
        if (column + length > width || column < end + 1)
            continue;
        memcpy(labels + column, label, length);
        marks[column] = '|';
        end = column + length;
    }
    while (end > 0 && marks[end - 1] == ' ' && labels[end - 1] == ' ')
        end--;
    labels[end] = '\0';
    size_t last = width;
    while (last > 0 && marks[last - 1] == ' ')
        last--;
    marks[last] = '\0';
    printf("%s\n%s\n", labels, marks);
}

/* ---- lanes ---- */

/* Dots, with the reason in the middle when it fits with a dot on each side. */
static void print_gap(const struct lanes_text *text, const struct lane_gap *gap)
{
    const char *word = lanes_text_reason(text, gap->reason);
    size_t length = strlen(word);
    bool told = length > 0 && gap->count >= length + 2;
    size_t before = told ? (gap->count - length) / 2 : gap->count;
    size_t behind = told ? gap->count - length - before : 0;
    const char *dot = terminal_wait(text->terminal);
    fputs(terminal_style(text->terminal, STYLE_DIM), stdout);
    for (size_t i = 0; i < before; i++)
        fputs(dot, stdout);
    fputs(terminal_style(text->terminal, STYLE_PLAIN), stdout);
    if (told)
        fputs(word, stdout);
    fputs(terminal_style(text->terminal, STYLE_DIM), stdout);
    for (size_t i = 0; i < behind; i++)
        fputs(dot, stdout);
    fputs(terminal_style(text->terminal, STYLE_PLAIN), stdout);
}

static void print_lane(const struct lanes_text *text, enum pipe pipe)
{
    const struct lanes *lanes = text->lanes;
    printf("%-*s", NAME_COLUMNS, pipe_word(pipe));
    struct lane_gap gap = {0};
    for (size_t column = 0; column < lanes->column_count;) {
        uint32_t eighths = lanes_eighths(lanes, pipe, column);
        if (eighths > 0) {
            fputs(terminal_block(text->terminal, eighths), stdout);
            column++;
        } else if (lanes_next_gap(lanes, pipe, column, &gap) && gap.first == column) {
            print_gap(text, &gap);
            column += gap.count;
        } else {
            fputc(' ', stdout);
            column++;
        }
    }
    double share = (double)lanes_busy(lanes, pipe) / (double)(lanes->to - lanes->from);
    printf("%*s\n", SHARE_COLUMNS, text_share(text->arena, share));
}

void lanes_text_print(const struct lanes_text *text)
{
    print_axis(text);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (lane_is_shown(text, pipe))
            print_lane(text, (enum pipe)pipe);
    if (text->path->used)
        printf("%-*s%s\n", NAME_COLUMNS, "path", path_text_line(text->path, text->arena));
}

static bool window_is_part(const struct lanes_text *text)
{
    return text->lanes->to - text->lanes->from < text->cycles;
}

void lanes_text_print_legend(const struct lanes_text *text)
{
    const char *legend =
        text->terminal->utf8
            ? "height: share of the column busy;  \u00b7 waiting;  name: pipe or cause waited for"
            : "# busy  + half or more  - less  . waiting  NAME pipe or cause waited for";
    text_print_wrapped(stdout, text->arena, "", 0, legend, text->terminal->width);
    if (text->path->used)
        text_print_wrapped(stdout, text->arena, "path: ", strlen("path: "),
                           path_text_legend(text->path, text->core, text->arena),
                           text->terminal->width);
    text_print_wrapped(stdout, text->arena, "", 0,
                       window_is_part(text)
                           ? "at the right: share of these cycles busy; below: the whole run"
                           : "at the right: share of the whole run busy",
                       text->terminal->width);
}

/* ---- waits ---- */

struct reason_cycles {
    const char *word;
    tick cycles;
};

static void reasons_add(struct reason_cycles *reasons, size_t *count, const char *word, tick cycles)
{
    if (cycles == 0)
        return;
    size_t at = (*count)++;
    for (; at > 0 && reasons[at - 1].cycles < cycles; at--)
        reasons[at] = reasons[at - 1];
    reasons[at] = (struct reason_cycles){word, cycles};
}

/* "flag CUBE 19,088, dispatch 5", the largest first. */
static const char *waits_text(const struct lanes_text *text, const struct stored_pipe *pipe)
{
    struct reason_cycles reasons[LANE_REASON_COUNT];
    size_t count = 0;
    tick flags = pipe->wait[CAUSE_FLAG];
    for (uint32_t other = 0; other < PIPE_COUNT; other++) {
        tick cycles = pipe->wait_for[other] < flags ? pipe->wait_for[other] : flags;
        const char *word = pipe_word((enum pipe)other);
        reasons_add(reasons, &count, text_format(text->arena, "flag %s", word), cycles);
        flags -= cycles;
    }
    for (uint32_t cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++)
        reasons_add(reasons, &count, lanes_text_reason(text, cause),
                    cause == CAUSE_FLAG ? flags : pipe->wait[cause]);
    const char *line = count == 0 ? "nothing" : "";
    for (size_t i = 0; i < count; i++)
        line = text_format(text->arena, "%s%s%s %s", line, i == 0 ? "" : ", ", reasons[i].word,
                           text_number(text->arena, reasons[i].cycles));
    return line;
}

void lanes_text_print_waits(const struct lanes_text *text)
{
    struct arena *arena = text->arena;
    struct table table;
    table_init(&table, arena, "lrrrr");
    table_add(&table, (const char *[]){"pipe", "busy", "waiting", "idle", "cycles"});
    for (size_t i = 0; i < text->pipe_count; i++) {
        const struct stored_pipe *pipe = &text->pipes[i];
        const char *cells[] = {
            pipe_word((enum pipe)pipe->pipe),
            text_number(arena, pipe->busy),
            text_number(arena, pipe->waiting),
            text_number(arena, pipe->idle),
            text_number(arena, pipe->busy + pipe->waiting + pipe->idle),
        };
        table_add(&table, cells);
    }
    size_t indent = table_width(&table, 2) + 2;
    for (size_t row = 0; row < table.count; row++) {
        const char *waits =
            row == 0 ? "waits for, cycles" : waits_text(text, &text->pipes[row - 1]);
        text_print_wrapped(stdout, arena, table_line(&table, row, 2), indent, waits,
                           text->terminal->width);
    }
}
