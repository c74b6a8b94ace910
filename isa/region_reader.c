/*
 * Lines that declare regions: a tensor in GM with type, shape and what it holds at the start, or a
 * part of an on-chip memory with offset and size (builder_read_region of program_builder.h).
 */
#include <inttypes.h>
#include <string.h>

#include "engine/base/bind.h"
#include "isa/program_builder.h"

/* Addresses and sizes stay below this, so that sums of two fit. */
#define BYTES_MAX ((uint64_t)INT64_MAX)

/* A number of low..high that the line must have next; false after a report. */
static bool read_number(struct program_builder *builder, const char *stops, uint64_t low,
                        const char *expectation, struct word *word, uint64_t *value)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    *word = line_word(&builder->line, stops);
    if (word->length == 0) {
        struct word sign = {builder->line.at, 1};
        if (line_ends(&builder->line)) {
            builder_refuse_end(builder, expectation);
        } else {
            builder_refuse(builder, sign, "found '%.1s'; expected %s", sign.text, expectation);
        }
        return false;
    }
    enum number_result result = word_count(*word, low, BYTES_MAX, value);
    if (result != NUMBER_OK) {
        builder_refuse(builder, *word, "found '%s'%s; expected %s", word_excerpt(*word, excerpt),
                       result == NUMBER_TOO_LARGE ? ", which is too large" : "", expectation);
    }
    return result == NUMBER_OK;
}

static bool read_element(struct program_builder *builder, struct region *region)
{
    static const char *const words[] = {
#define ROW(name, word, ...) word,
        ELEMENT_LIST(ROW)
#undef ROW
    };
    char excerpt[EXCERPT_SIZE_BYTES], list[WORDS_BYTES];
    struct word word = line_word(&builder->line, "[");
    if (word.length == 0) {
        builder_refuse_end(builder, "an element type, such as fp16");
        return false;
    }
    size_t index = word_find(word, words, ELEMENT_COUNT);
    if (index < ELEMENT_COUNT) {
        region->element = (enum element)index;
        return true;
    }
    const char *nearest = word_nearest(word, words, ELEMENT_COUNT);
    words_format(words, ELEMENT_COUNT, list, sizeof list);
    builder_refuse(builder, word, "unknown type '%s'; expected %s%s%s%s%s",
                   word_excerpt(word, excerpt), nearest == NULL ? "" : "'",
                   nearest == NULL ? "" : nearest, nearest == NULL ? "" : "' (one of ", list,
                   nearest == NULL ? "" : ")");
    return false;
}

/* Refuses the next word, or the end of the line; false, for the caller to return. */
static bool refuse_next(struct program_builder *builder, const char *expectation)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    struct word word = line_word(&builder->line, "");
    if (word.length == 0) {
        builder_refuse_end(builder, expectation);
    } else {
        builder_refuse(builder, word, "found '%s'; expected %s", word_excerpt(word, excerpt),
                       expectation);
    }
    return false;
}

/* "[2,3,4]": sizes from 1, at most REGION_RANK_MAX. shape becomes the text from '[' to ']'. */
static bool read_shape(struct program_builder *builder, struct region *region, struct word *shape)
{
    struct line *line = &builder->line;
    struct word word;
    *shape = (struct word){line_ends(line) ? line->behind : line->at, 0};
    if (!line_takes(line, '[')) {
        return refuse_next(builder, "a shape, such as [16,64]");
    }
    do {
        uint64_t size;
        if (!read_number(builder, ",]", 1, "a size from 1", &word, &size)) {
            return false;
        }
        if (region->rank == REGION_RANK_MAX) {
            builder_refuse(builder, word, "found more than %d sizes; expected at most %d",
                           REGION_RANK_MAX, REGION_RANK_MAX);
            return false;
        }
        region->shape[region->rank++] = size;
    } while (line_takes(line, ','));
    if (!line_takes(line, ']')) {
        return refuse_next(builder, "',' or ']'");
    }
    shape->length = (size_t)(line->behind - shape->text);
    return true;
}

/* The bytes of a tensor, and its place behind those before it. */
static bool place_tensor(struct program_builder *builder, struct region *region, struct word shape)
{
    uint32_t bits = element_bits(region->element);
    uint64_t count = 1, most = bits < 8 ? BYTES_MAX : BYTES_MAX / (bits / 8);
    bool fits = true;
    for (uint32_t axis = 0; axis < region->rank && fits; axis++) {
        fits = count <= most / region->shape[axis];
        count *= fits ? region->shape[axis] : 1;
    }
    if (fits && bits == 4 && count % 2 != 0) {
        builder_refuse(builder, shape,
                       "found %" PRIu64 " elements of %s; expected an even number, since two "
                       "lie in a byte",
                       count, element_word(region->element));
        return false;
    }
    uint64_t bytes = fits ? element_array_bytes(region->element, count) : 0;
    if (!fits || bytes > BYTES_MAX - GM_ALIGN_BYTES - builder->gm_bytes) {
        builder_refuse(builder, shape,
                       "found a tensor too large; expected less than 2^63 bytes of gm in all");
        return false;
    }
    region->base_bytes = builder->gm_bytes;
    region->size_bytes = bytes;
    builder->gm_bytes += (bytes + GM_ALIGN_BYTES - 1) / GM_ALIGN_BYTES * GM_ALIGN_BYTES;
    return true;
}

/* What stands behind '=': values, a file, zero, or seed=N. */
static void read_binding(struct program_builder *builder, struct region *region)
{
    static const char expectation[] = "the path of a .npy file, zero, seed=N, or [values]";
    struct word raw, before, behind;
    bool quoted;
    char excerpt[EXCERPT_SIZE_BYTES];
    if (line_takes(&builder->line, '[')) {
        builder_read_values(builder, region);
        return;
    }
    const char *path = builder_path(builder, expectation, &raw, &quoted);
    if (path == NULL) {
        return;
    }
    bool seed = word_split(raw, '=', &before, &behind) && word_is(before, "seed");
    if (!quoted && word_is(raw, "zero")) {
        region->binding = BINDING_ZERO;
    } else if (!quoted && seed) {
        region->binding = BINDING_SEED;
        if (word_count(behind, 0, UINT64_MAX, &region->seed) != NUMBER_OK) {
            builder_refuse(builder, behind, "seed is '%s'; expected a whole number of 0..2^64-1",
                           word_excerpt(behind, excerpt));
        }
    } else if (!quoted && behind.text != raw.text + raw.length) {
        builder_refuse(builder, raw, "found '%s'; expected %s; a path with '=' stands in quotes",
                       word_excerpt(raw, excerpt), expectation);
    } else {
        region->binding = BINDING_FILE;
        region->path = path;
    }
}

/* NAME TYPE SHAPE [= BINDING]; a size of 0 marks a tensor that is wrong. */
static void read_tensor(struct program_builder *builder, struct region *region)
{
    struct word shape;
    bool typed = read_element(builder, region);
    uint32_t problems = builder->problem_count;
    /* Behind a wrong type a shape may still be looked at, behind none there is nothing. */
    if (line_ends(&builder->line) && !typed) {
        return;
    }
    if (!read_shape(builder, region, &shape)) {
        return;
    }
    if (typed && !place_tensor(builder, region, shape)) {
        region->size_bytes = 0;
    }
    if (line_takes(&builder->line, '=')) {
        read_binding(builder, region);
    }
    if (problems == builder->problem_count) {
        builder_expect_end(builder);
    }
}

/* NAME OFFSET BYTES; a size of 0 marks a part that is wrong. */
static void read_part(struct program_builder *builder, struct region *region)
{
    struct word word;
    uint64_t bytes;
    if (!read_number(builder, "", 0, "an offset in bytes, then a size", &word,
                     &region->base_bytes) ||
        !read_number(builder, "", 1, "a size in bytes, from 1", &word, &bytes)) {
        return;
    }
    if (bytes > BYTES_MAX - region->base_bytes) {
        builder_refuse(builder, word, "found an end beyond 2^63; expected a part of the memory");
        return;
    }
    region->size_bytes = bytes;
    builder_expect_end(builder);
}

/* The name of a new region; false after a report. */
static bool read_name(struct program_builder *builder, struct word *name)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    *name = line_word(&builder->line, "");
    if (name->length == 0) {
        builder_refuse_end(builder, "a name");
        return false;
    }
    if (!word_is_name(*name)) {
        builder_refuse(builder, *name,
                       "found '%s'; expected a name of letters, digits, '_' and '.'",
                       word_excerpt(*name, excerpt));
        return false;
    }
    uint32_t region = name_table_find(&builder->regions, name->text, name->length);
    if (region != NAME_NONE) {
        builder_refuse(builder, *name,
                       "found '%s' again; expected a new name, since line %" PRIu32 " has it",
                       word_excerpt(*name, excerpt), builder->program->regions[region].line);
        return false;
    }
    return true;
}

static void add_region(struct program_builder *builder, const struct region *region)
{
    struct program *program = builder->program;
    struct region *regions = array_grow(program->regions, &builder->region_capacity,
                                        (size_t)program->region_count + 1, sizeof *regions);
    if (regions == NULL) {
        builder_fail(builder);
        return;
    }
    program->regions = regions;
    if (!name_table_add(&builder->regions, region->name, strlen(region->name),
                        program->region_count)) {
        builder_fail(builder);
        return;
    }
    regions[program->region_count++] = *region;
}

void builder_read_region(struct program_builder *builder, enum space space)
{
    struct word name;
    if (!read_name(builder, &name)) {
        return;
    }
    struct region region = {
        .name = arena_text(builder->arena, name.text, name.length),
        .space = space,
        .line = builder->line.number,
    };
    if (region.name == NULL) {
        builder_fail(builder);
        return;
    }
    if (space == SPACE_GM) {
        read_tensor(builder, &region);
    } else {
        read_part(builder, &region);
    }
    add_region(builder, &region);
}
