/*
 * Tensors whose elements stand in the program: builder_read_values of program_builder.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bind.h"
#include "isa/program_builder.h"

/* Values are numbers with a sign, and codes their two's complement. */
static bool has_sign(enum element element)
{
    return element_is_integer(element) && element_is_signed(element);
}

static uint64_t code_max(enum element element)
{
    return UINT64_MAX >> (64 - element_bits(element));
}

/* What a value may be, as a message says it. */
static const char *values_expected(enum element element, char text[WORDS_BYTES])
{
    uint64_t high = has_sign(element) ? code_max(element) >> 1 : code_max(element);
    if (element_is_float(element)) {
        (void)snprintf(text, WORDS_BYTES, "the bits of %s, 0x0 to 0x%" PRIX64,
                       element_word(element), high);
    } else if (has_sign(element)) {
        (void)snprintf(text, WORDS_BYTES, "a whole number of -%" PRIu64 "..%" PRIu64, high + 1,
                       high);
    } else {
        (void)snprintf(text, WORDS_BYTES, "a whole number of 0..%" PRIu64, high);
    }
    return text;
}

/* The code of a value; false when it is none of the type. */
static bool value_read(struct word word, enum element element, uint64_t *code)
{
    uint64_t magnitude, most = code_max(element);
    bool negative;
    if (word_number(word, &magnitude, &negative) != NUMBER_OK) {
        return false;
    }
    /* Decimal digits would look like the value of the element. */
    bool hexadecimal = word.length > 2 && (word.text[1] == 'x' || word.text[1] == 'X');
    if (element_is_float(element) && !hexadecimal) {
        return false;
    }
    if (has_sign(element)) {
        most = (most >> 1) + negative;
    } else if (negative) {
        most = 0;
    }
    *code = (negative ? 0 - magnitude : magnitude) & code_max(element);
    return magnitude <= most;
}

static void value_store(enum element element, uint8_t *values, uint64_t index, uint64_t code)
{
    if (element == ELEMENT_UINT64) {
        memcpy(values + index * sizeof code, &code, sizeof code);
    } else {
        element_store(element, values, (size_t)index, (uint32_t)code);
    }
}

/* Values up to the closing bracket. */
static uint64_t values_count(struct line *line, const char *close)
{
    uint64_t count = 1;
    if (line_ends(line) || line->at == close) {
        return 0;
    }
    for (const char *at = line->at; at < close; at++) {
        count += *at == ',';
    }
    return count;
}

/* Values are read into room for all of them; false after a report. */
static bool read_all(struct program_builder *builder, enum element element, uint64_t count,
                     uint8_t *values)
{
    struct line *line = &builder->line;
    char excerpt[EXCERPT_SIZE_BYTES], expected[WORDS_BYTES];
    for (uint64_t index = 0; index < count; index++) {
        uint64_t code;
        struct word word = line_word(line, ",]");
        if (word.length == 0) {
            word = (struct word){line->at, 1};
        }
        if (!value_read(word, element, &code)) {
            builder_refuse(builder, word, "found '%s'; expected %s", word_excerpt(word, excerpt),
                           values_expected(element, expected));
            return false;
        }
        value_store(element, values, index, code);
        if (!line_takes(line, index + 1 < count ? ',' : ']')) {
            word = line_word(line, ",]");
            builder_refuse(builder, word, "found '%s'; expected '%c'", word_excerpt(word, excerpt),
                           index + 1 < count ? ',' : ']');
            return false;
        }
    }
    return true;
}

/* The closing bracket, or NULL when the line has none before a comment. */
static const char *list_end(const struct line *line)
{
    const char *at = line->at;
    while (at < line->end && *at != ']' && *at != '#') {
        at++;
    }
    return at < line->end && *at == ']' ? at : NULL;
}

void builder_read_values(struct program_builder *builder, struct region *region)
{
    struct line *line = &builder->line;
    struct word list = {line->behind - 1, 1};
    const char *close = list_end(line);
    if (close == NULL) {
        builder_refuse(builder, list, "found no closing ']'; expected one on this line");
        line->at = line->behind = line->end;
        return;
    }
    uint64_t count = region->size_bytes * 8 / element_bits(region->element);
    uint64_t found = values_count(line, close);
    list.length = (size_t)(close + 1 - list.text);
    bool whole = region->size_bytes > 0 && found == count;
    if (region->size_bytes > 0 && !whole) {
        builder_refuse(builder, list,
                       "found %" PRIu64 " value%s; expected %" PRIu64 ", the elements of the shape",
                       found, found == 1 ? "" : "s", count);
    }
    uint8_t *values = whole ? arena_take(builder->arena, (size_t)region->size_bytes, 1) : NULL;
    if (whole && values == NULL) {
        builder_fail(builder);
    }
    if (values == NULL || !read_all(builder, region->element, count, values)) {
        line->at = line->behind = close + 1;
        return;
    }
    region->binding = BINDING_VALUES;
    region->values = values;
}
