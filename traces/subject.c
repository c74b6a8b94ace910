#include "traces/subject.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <xxhash.h>

static enum status subject_check(const struct subject *subject)
{
    return subject->problem == NULL || subject->tiling == NULL || subject->plan_json == NULL
               ? STATUS_NO_MEMORY
               : STATUS_OK;
}

enum status subject_plan(const struct plan *plan, const struct program *program,
                         struct arena *arena, struct subject *subject)
{
    *subject = (struct subject){
        .program = program,
        .product = plan->product,
        .problem = plan_problem_text(plan, arena),
        .tiling = plan_tiling_text(plan, arena),
        .plan_json = plan_json(plan, arena),
    };
    return subject_check(subject);
}

/* Sets a key and takes value over; false when there is no value or no memory. */
static bool put(json_t *map, const char *key, json_t *value)
{
    return json_object_set_new(map, key, value) == 0;
}

static json_t *hash_json(const struct memory *memory)
{
    XXH128_canonical_t digest;
    char text[2 * sizeof digest.digest + 1];
    XXH128_canonicalFromHash(&digest, XXH3_128bits(memory->bytes, (size_t)memory->size_bytes));
    for (size_t i = 0; i < sizeof digest.digest; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest.digest[i]);
    return json_string(text);
}

/* JSON has no numbers above 63 bits here; they are written as text with the same digits. */
static json_t *seed_json(uint64_t seed)
{
    char digits[24];
    if (seed <= INT64_MAX)
        return json_integer((json_int_t)seed);
    (void)snprintf(digits, sizeof digits, "%llu", (unsigned long long)seed);
    return json_string(digits);
}

/* What is bound to files; all else follows from the text and the seed. */
static json_t *tensors_json(const struct subject_file *file)
{
    json_t *map = json_object();
    bool whole = map != NULL;
    for (uint32_t i = 0; i < file->program->region_count && whole; i++)
        if (file->program->regions[i].binding == BINDING_FILE)
            whole = put(map, file->program->regions[i].name, hash_json(&file->tensor[i]));
    if (whole)
        return map;
    json_decref(map);
    return NULL;
}

/* Compact text with sorted keys in the arena, or NULL. Takes root over. */
static const char *json_text(json_t *root, struct arena *arena)
{
    char *dumped = root != NULL ? json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const char *text = dumped != NULL ? arena_text(arena, dumped, strlen(dumped)) : NULL;
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    release(dumped);
    json_decref(root);
    return text;
}

static const char *program_json(const struct subject_file *file, struct arena *arena)
{
    json_t *map = json_object();
    bool whole = put(map, "program", json_stringn(file->source->text, file->source->length)) &&
                 put(map, "product", json_string(file->product->soc)) &&
                 put(map, "seed", seed_json(file->seed)) && put(map, "tensors", tensors_json(file));
    if (whole)
        return json_text(map, arena);
    json_decref(map);
    return NULL;
}

enum status subject_program(const struct subject_file *file, struct arena *arena,
                            struct subject *subject)
{
    const char *name = file->source->name, *slash = strrchr(name, '/');
    uint32_t cores = file->program->core_count;
    *subject = (struct subject){
        .program = file->program,
        .product = file->product,
        .problem = slash != NULL ? slash + 1 : name,
        .tiling = arena_format(arena, "%llu instruction%s on %u core%s",
                               (unsigned long long)file->instructions,
                               file->instructions == 1 ? "" : "s", cores, cores == 1 ? "" : "s"),
        .plan_json = program_json(file, arena),
    };
    return subject_check(subject);
}
