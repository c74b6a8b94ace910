#include "isa/program_builder.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    MESSAGE_BYTES = 1024,
    NEIGHBOURS_MAX = 1024, /* regions among which a misspelt one is searched */
};

void builder_refuse(struct program_builder *builder, struct word word, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    enum status status =
        diag_add(builder->diag, STATUS_BAD_INPUT, line_place(&builder->line, word), "%s", message);
    builder->status = diag_graver(builder->status, status);
    builder->problem_count++;
}

void builder_refuse_end(struct program_builder *builder, const char *expectation)
{
    builder_refuse(builder, (struct word){builder->line.behind, 0},
                   "found the end of the line; expected %s", expectation);
}

void builder_fail(struct program_builder *builder)
{
    builder->status = diag_graver(
        builder->status, diag_add(builder->diag, STATUS_NO_MEMORY, place_none(),
                                  "memory ran out while reading '%s'", builder->line.window.name));
}

void builder_expect_end(struct program_builder *builder)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    struct word word = line_word(&builder->line, "");
    if (word.length > 0) {
        builder_refuse(builder, word, "found '%s'; expected the end of the line",
                       word_excerpt(word, excerpt));
    }
}

static const char *region_nearest(const struct program_builder *builder, struct word name)
{
    const char *names[NEIGHBOURS_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < builder->program->region_count && count < NEIGHBOURS_MAX; i++) {
        names[count++] = builder->program->regions[i].name;
    }
    return word_nearest(name, names, count);
}

uint32_t builder_region(struct program_builder *builder, struct word name)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    uint32_t region = name_table_find(&builder->regions, name.text, name.length);
    if (region != NAME_NONE) {
        return region;
    }
    const char *nearest = region_nearest(builder, name);
    builder_refuse(builder, name, "unknown name '%s'; expected %s%s%s", word_excerpt(name, excerpt),
                   nearest == NULL ? "one that a line above declares" : "'",
                   nearest == NULL ? "" : nearest, nearest == NULL ? "" : "'");
    return REGION_NONE;
}

const char *builder_path(struct program_builder *builder, const char *expectation, struct word *raw,
                         bool *quoted)
{
    const char *path = NULL;
    switch (line_path(&builder->line, builder->arena, raw, quoted, &path)) {
    case PATH_OK:
        return path;
    case PATH_MISSING:
        if (*quoted) {
            builder_refuse(builder, *raw, "found nothing in quotes; expected %s", expectation);
        } else {
            builder_refuse_end(builder, expectation);
        }
        break;
    case PATH_OPEN:
        builder_refuse(builder, *raw, "found no closing '\"'; expected one on this line");
        break;
    case PATH_ESCAPE:
        builder_refuse(builder, *raw,
                       "found a backslash in quotes; expected '\\\\' or '\\\"' for '\\' or '\"'");
        break;
    case PATH_NO_MEMORY:
        builder_fail(builder);
        break;
    }
    return NULL;
}
