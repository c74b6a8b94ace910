#include "engine/base/diag.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_NUMBER_WIDTH = 5, /* of the column in front of a source line */
    TAB_COLUMNS = 8,       /* as terminals have it */
    LINE_BYTES_MAX = 72,   /* as 80 columns have room for; longer ones are shown in part: */
    WINDOW_BYTES = 66,     /* around the place, with dots at both ends */
    WINDOW_BEFORE = 30,    /* of that before the place */
    EXCERPT_LINE_BYTES = LINE_BYTES_MAX * TAB_COLUMNS + 64,
};

/* Text that grows in a fixed buffer; what does not fit is left out. */
struct buffer {
    char *text;
    size_t size;
    size_t used;
};

static void buffer_append(struct buffer *buffer, const char *text, size_t length)
{
    size_t left = buffer->size - 1 - buffer->used;
    size_t taken = length < left ? length : left;
    memcpy(buffer->text + buffer->used, text, taken);
    buffer->used += taken;
    buffer->text[buffer->used] = '\0';
}

static void buffer_fill(struct buffer *buffer, char byte, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buffer_append(buffer, &byte, 1);
    }
}

static bool utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

size_t utf8_decode(const char *text, size_t length, uint32_t *code)
{
    static const uint32_t code_min[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0) {
        return 0;
    }
    unsigned char lead = (unsigned char)text[0];
    size_t size = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (size == 0 || size > length || lead >= 0xF8) {
        return 0;
    }
    uint32_t value = size == 1 ? lead : lead & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if (!utf8_continues(text[i])) {
            return 0;
        }
        value = value << 6 | ((unsigned char)text[i] & 0x3Fu);
    }
    if (value < code_min[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        return 0;
    }
    *code = value;
    return size;
}

/* Columns that a terminal gives to a character: East Asian wide forms and pictographs take two,
 * combining marks none. Blocks are enough here; a caret is no typesetter. */
static size_t code_columns(uint32_t code)
{
    static const struct {
        uint32_t first;
        uint32_t last;
        size_t columns;
    } blocks[] = {
        {0x0300, 0x036F, 0}, {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0},   {0x2E80, 0xA4CF, 2},
        {0xAC00, 0xD7A3, 2}, {0xF900, 0xFAFF, 2},   {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},
        {0xFFE0, 0xFFE6, 2}, {0x1F300, 0x1FAFF, 2}, {0x20000, 0x3FFFD, 2},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (code >= blocks[i].first && code <= blocks[i].last) {
            return blocks[i].columns;
        }
    }
    return 1;
}

static bool code_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

const char *excerpt_format(const char *text, char *buffer, size_t size)
{
    assert(size >= 8);
    static const char dots[] = "...";
    size_t length = strlen(text);
    struct buffer out = {.text = buffer, .size = size};
    buffer[0] = '\0';
    size_t keep = 0; /* length of the output that leaves room for the dots */
    for (size_t i = 0; i < length;) {
        uint32_t code = (unsigned char)text[i];
        size_t step = utf8_decode(text + i, length - i, &code);
        char piece[16];
        if (step == 0 || code_is_control(code)) {
            step = step == 0 ? 1 : step;
            (void)snprintf(piece, sizeof piece, code == '\n' ? "\\n" : "\\x%02X", (unsigned)code);
        } else {
            memcpy(piece, text + i, step);
            piece[step] = '\0';
        }
        size_t piece_length = strlen(piece);
        if (out.used + piece_length >= size) {
            out.used = keep;
            buffer_append(&out, dots, sizeof dots - 1);
            return buffer;
        }
        buffer_append(&out, piece, piece_length);
        if (out.used + sizeof dots <= size) {
            keep = out.used;
        }
        i += step;
    }
    return buffer;
}

void diag_init(struct diag *diag)
{
    *diag = (struct diag){0};
    arena_init(&diag->arena, 0);
}

void diag_deinit(struct diag *diag)
{
    array_release(diag->problems);
    arena_deinit(&diag->arena);
    *diag = (struct diag){0};
}

struct place place_none(void)
{
    return (struct place){0};
}

enum status diag_graver(enum status first, enum status second)
{
    return status_exit_code(second) > status_exit_code(first) ? second : first;
}

/* The bytes of a line of the source, without its end; false when there is no such line. */
static bool source_line(const struct source *source, uint32_t line, const char **start,
                        size_t *length)
{
    const char *cursor = source->text;
    const char *end = source->text + source->length;
    if (line <= source->lines_before) {
        return false;
    }
    for (uint32_t i = source->lines_before + 1; i < line; i++) {
        const char *newline = memchr(cursor, '\n', (size_t)(end - cursor));
        if (newline == NULL) {
            return false;
        }
        cursor = newline + 1;
    }
    const char *newline = memchr(cursor, '\n', (size_t)(end - cursor));
    const char *until = newline == NULL ? end : newline;
    if (until > cursor && until[-1] == '\r') {
        until--;
    }
    *start = cursor;
    *length = (size_t)(until - cursor);
    return true;
}

/* Where a word starts in a line, or length. */
static size_t line_find(const char *line, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t at = 0; at + size <= length; at++) {
        if (memcmp(line + at, word, size) == 0) {
            return at;
        }
    }
    return length;
}

struct place place_in_line(const struct source *source, uint32_t line, const char *word)
{
    struct place place = {.source = source, .line = line, .column = 1, .width = 1};
    const char *text;
    size_t length;
    if (line == 0 || !source_line(source, line, &text, &length)) {
        return (struct place){.source = source};
    }
    size_t at = word != NULL ? line_find(text, length, word) : length;
    size_t width = at < length ? strlen(word) : 0;
    if (width == 0) {
        for (at = 0; at < length && (text[at] == ' ' || text[at] == '\t'); at++) {
        }
        for (width = length - at;
             width > 1 && (text[at + width - 1] == ' ' || text[at + width - 1] == '\t'); width--) {
        }
    }
    place.column = (uint32_t)at + 1;
    place.width = width > 0 ? (uint32_t)width : 1;
    return place;
}

/* A part of a line, [start, until) in bytes. */
struct window {
    size_t start;
    size_t until;
};

/* The part of a line that is shown with the byte at, cut between characters. */
static struct window line_window(const char *line, size_t length, size_t at)
{
    struct window window = {0, length};
    if (length <= LINE_BYTES_MAX) {
        return window;
    }
    window.start = at > WINDOW_BEFORE ? at - WINDOW_BEFORE : 0;
    if (length - window.start > WINDOW_BYTES) {
        window.until = window.start + WINDOW_BYTES;
    }
    while (window.start < at && utf8_continues(line[window.start])) {
        window.start++;
    }
    while (window.until < length && window.until > at && utf8_continues(line[window.until])) {
        window.until--;
    }
    return window;
}

/* Appends the character at text + i as it is shown and returns its columns; *step is its bytes. */
static size_t buffer_append_shown(struct buffer *shown, const char *text, size_t left,
                                  size_t column, size_t *step)
{
    uint32_t code = 0;
    size_t size = utf8_decode(text, left, &code);
    *step = size == 0 ? 1 : size;
    if (size == 1 && code == '\t') {
        size_t columns = TAB_COLUMNS - column % TAB_COLUMNS;
        buffer_fill(shown, ' ', columns);
        return columns;
    }
    /* Bytes that could steer the terminal do not reach it. */
    if (size == 0 || code_is_control(code)) {
        buffer_append(shown, "?", 1);
        return 1;
    }
    buffer_append(shown, text, size);
    return code_columns(code);
}

/* The source line and, under the place, "^~~~". NULL when the line is not known. */
static const char *excerpt_build(struct arena *arena, struct place place)
{
    const char *line;
    size_t length;
    if (place.source == NULL || place.line == 0 || place.column == 0 ||
        !source_line(place.source, place.line, &line, &length)) {
        return NULL;
    }
    size_t at = place.column - 1 < length ? place.column - 1 : length;
    size_t until = place.width < length - at ? at + place.width : length;
    struct window window = line_window(line, length, at);
    char text[EXCERPT_LINE_BYTES] = "";
    struct buffer shown = {.text = text, .size = sizeof text};
    size_t column = 0;
    if (window.start > 0) {
        buffer_append(&shown, "...", 3);
        column = 3;
    }
    size_t mark_columns = 0;
    size_t mark_start = column;
    for (size_t i = window.start, step; i < window.until; i += step) {
        size_t columns = buffer_append_shown(&shown, line + i, window.until - i, column, &step);
        column += columns;
        if (i < at) {
            mark_start = column;
        } else if (i < until) {
            mark_columns += columns;
        }
    }
    if (window.until < length) {
        buffer_append(&shown, "...", 3);
    }
    char mark_text[EXCERPT_LINE_BYTES] = "";
    struct buffer mark = {.text = mark_text, .size = sizeof mark_text};
    buffer_fill(&mark, ' ', mark_start);
    buffer_fill(&mark, '^', 1);
    buffer_fill(&mark, '~', mark_columns > 1 ? mark_columns - 1 : 0);
    int number_width = snprintf(NULL, 0, "%*u", LINE_NUMBER_WIDTH, (unsigned)place.line);
    return arena_format(arena, "%*u | %s\n%*s | %s", number_width, (unsigned)place.line, text,
                        number_width, "", mark_text);
}

/* A source that keeps the name only, so that the problem outlives what it was found in. */
static const struct source *source_keep_name(struct arena *arena, const struct source *source)
{
    struct source *kept = arena_take(arena, 1, sizeof *kept);
    if (kept == NULL) {
        return NULL;
    }
    kept->text = "";
    if (source->name != NULL) {
        kept->name = arena_text(arena, source->name, strlen(source->name));
    }
    return kept->name == NULL && source->name != NULL ? NULL : kept;
}

static bool problem_fill(struct diag *diag, struct problem *problem, enum status status,
                         struct place place, const char *message)
{
    if (message == NULL) {
        return false;
    }
    *problem = (struct problem){.status = status, .place = place, .message = message};
    if (place.source == NULL) {
        return true;
    }
    problem->excerpt = excerpt_build(&diag->arena, place);
    problem->place.source = source_keep_name(&diag->arena, place.source);
    return problem->place.source != NULL;
}

/* Room for one more problem; NULL when memory ran out. */
static struct problem *diag_room(struct diag *diag)
{
    struct problem *problems =
        array_grow(diag->problems, &diag->capacity, diag->count + 1, sizeof *problems);
    if (problems == NULL) {
        return NULL;
    }
    diag->problems = problems;
    return &problems[diag->count];
}

/* Whether a file has been told the same at the same place: what many readers of a line find. */
static bool diag_knows(const struct diag *diag, enum status status, struct place place,
                       const char *message)
{
    const char *name = place.source != NULL ? place.source->name : NULL;
    for (size_t i = diag->count; i-- > 0 && name != NULL && place.line > 0;) {
        const struct problem *problem = &diag->problems[i];
        const struct source *source = problem->place.source;
        if (problem->status == status && problem->place.line == place.line &&
            problem->place.column == place.column && source != NULL && source->name != NULL &&
            strcmp(source->name, name) == 0 && strcmp(problem->message, message) == 0) {
            return true;
        }
    }
    return false;
}

enum status diag_add(struct diag *diag, enum status status, struct place place, const char *format,
                     ...)
{
    assert(status != STATUS_OK);
    if (diag == NULL) {
        return status;
    }
    if (diag->count >= DIAG_PROBLEMS_MAX) {
        diag->lost = diag_graver(diag->lost, status);
        return status;
    }
    va_list arguments;
    va_start(arguments, format);
    const char *message = arena_format_list(&diag->arena, format, arguments);
    va_end(arguments);
    if (message != NULL && diag_knows(diag, status, place, message)) {
        return status;
    }
    struct problem *problem = diag_room(diag);
    if (problem == NULL || !problem_fill(diag, problem, status, place, message)) {
        diag->lost = diag_graver(diag->lost, STATUS_NO_MEMORY);
        return STATUS_NO_MEMORY;
    }
    diag->count++;
    return status;
}

static bool place_is_before(const struct place *left, const struct place *right)
{
    if (left->source == NULL || right->source == NULL || left->source->name == NULL ||
        right->source->name == NULL || strcmp(left->source->name, right->source->name) != 0) {
        return false;
    }
    return left->line != right->line ? left->line < right->line : left->column < right->column;
}

void diag_sort(struct diag *diag, size_t first)
{
    for (size_t i = first + 1; diag != NULL && i < diag->count; i++) {
        struct problem problem = diag->problems[i];
        size_t at = i;
        while (at > first && place_is_before(&problem.place, &diag->problems[at - 1].place)) {
            diag->problems[at] = diag->problems[at - 1];
            at--;
        }
        diag->problems[at] = problem;
    }
}

enum status diag_status(const struct diag *diag)
{
    enum status gravest = STATUS_OK;
    for (size_t i = 0; i < diag->count; i++) {
        gravest = diag_graver(gravest, diag->problems[i].status);
    }
    return diag_graver(gravest, diag->lost);
}

/* "file:line:column: ", as much of it as is known. */
static void place_format(struct place place, char *buffer, size_t size)
{
    const char *name = place.source == NULL ? NULL : place.source->name;
    const char *colon = name == NULL ? "" : ":";
    name = name == NULL ? "" : name;
    if (place.line == 0) {
        (void)snprintf(buffer, size, "%s%s", name, *colon == '\0' ? "" : ": ");
    } else {
        (void)snprintf(buffer, size, "%s%s%u:%u: ", name, colon, (unsigned)place.line,
                       (unsigned)place.column);
    }
}

const char *diag_text(struct diag *diag, size_t index)
{
    assert(index < diag->count);
    const struct problem *problem = &diag->problems[index];
    const char *name = problem->place.source == NULL ? NULL : problem->place.source->name;
    size_t prefix_size = (name == NULL ? 0 : strlen(name)) + 32;
    char *prefix = arena_take(&diag->arena, prefix_size, 1);
    if (prefix == NULL) {
        return problem->message;
    }
    place_format(problem->place, prefix, prefix_size);
    const char *message = problem->message;
    size_t first_length = strcspn(message, "\n");
    const char *text = arena_format(&diag->arena, "%s%.*s%s%s", prefix, (int)first_length, message,
                                    problem->excerpt == NULL ? "" : "\n",
                                    problem->excerpt == NULL ? "" : problem->excerpt);
    const char *note = message + first_length;
    while (text != NULL && *note == '\n') {
        note++;
        size_t length = strcspn(note, "\n");
        text = arena_format(&diag->arena, "%s\n    %.*s", text, (int)length, note);
        note += length;
    }
    return text == NULL ? message : text;
}
