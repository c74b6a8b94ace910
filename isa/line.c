#include "isa/line.h"

#include <assert.h>
#include <string.h>

void line_init(struct line *line, const struct source *source)
{
    *line = (struct line){.window = *source, .next = source->length > 0 ? source->text : NULL};
}

bool line_next(struct line *line)
{
    if (line->next == NULL) {
        return false;
    }
    const char *start = line->next;
    size_t left = line->window.length - (size_t)(start - line->window.text);
    const char *newline = memchr(start, '\n', left);
    line->end = newline == NULL ? start + left : newline;
    line->next = newline == NULL || newline + 1 == start + left ? NULL : newline + 1;
    if (line->end > start && line->end[-1] == '\r') {
        line->end--;
    }
    line->at = start;
    line->behind = start;
    line->number++;
    line->window = (struct source){
        .name = line->window.name,
        .text = start,
        .length = left,
        .lines_before = line->number - 1,
    };
    return true;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

bool line_ends(struct line *line)
{
    while (line->at < line->end && is_blank(*line->at)) {
        line->at++;
    }
    if (line->at < line->end && *line->at == '#') {
        line->at = line->end;
    }
    return line->at == line->end;
}

struct word line_word(struct line *line, const char *stops)
{
    if (line_ends(line)) {
        return (struct word){line->behind, 0};
    }
    const char *start = line->at;
    while (line->at < line->end && !is_blank(*line->at) && *line->at != '#' &&
           strchr(stops, *line->at) == NULL) {
        line->at++;
    }
    line->behind = line->at;
    return (struct word){start, (size_t)(line->at - start)};
}

bool line_takes(struct line *line, char sign)
{
    if (line_ends(line) || *line->at != sign) {
        return false;
    }
    line->behind = ++line->at;
    return true;
}

struct place line_place(const struct line *line, struct word word)
{
    return (struct place){
        .source = &line->window,
        .line = line->number,
        .column = (uint32_t)(word.text - line->window.text) + 1,
        .width = word.length == 0 ? 1 : (uint32_t)word.length,
    };
}

/* The text between quotes, the first of which is next. */
static enum path_result quoted_path(struct line *line, struct arena *arena, struct word *raw,
                                    const char **path)
{
    const char *start = line->at;
    size_t length = 0;
    char *copy = arena_take(arena, (size_t)(line->end - start), 1);
    if (copy == NULL) {
        return PATH_NO_MEMORY;
    }
    for (const char *at = start + 1; at < line->end; at++) {
        if (*at == '"') {
            line->at = line->behind = at + 1;
            *raw = (struct word){start, (size_t)(at + 1 - start)};
            *path = copy;
            return length == 0 ? PATH_MISSING : PATH_OK;
        }
        if (*at == '\\') {
            at++;
            if (at == line->end || (*at != '"' && *at != '\\')) {
                *raw = (struct word){at - 1, at == line->end ? 1 : 2};
                return PATH_ESCAPE;
            }
        }
        copy[length++] = *at;
    }
    *raw = (struct word){start, (size_t)(line->end - start)};
    return PATH_OPEN;
}

enum path_result line_path(struct line *line, struct arena *arena, struct word *raw, bool *quoted,
                           const char **path)
{
    *raw = (struct word){line->behind, 0};
    *quoted = false;
    if (line_ends(line)) {
        return PATH_MISSING;
    }
    if (*line->at == '"') {
        *quoted = true;
        return quoted_path(line, arena, raw, path);
    }
    *raw = line_word(line, "");
    *path = arena_text(arena, raw->text, raw->length);
    return *path == NULL ? PATH_NO_MEMORY : PATH_OK;
}
