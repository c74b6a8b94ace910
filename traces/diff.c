#include "traces/diff.h"

#include <assert.h>
#include <string.h>

#include <jansson.h>

/* ---- definitions ---- */

struct key_list {
    struct arena *arena;
    struct changed_key *keys;
    size_t count, capacity;
};

/* What a value says: a text as it is, anything else as JSON. NULL: not there. */
static enum status value_text(struct key_list *list, const json_t *value, const char **text)
{
    *text = NULL;
    if (value == NULL)
        return STATUS_OK;
    if (json_is_string(value)) {
        *text = arena_text(list->arena, json_string_value(value), json_string_length(value));
        return *text == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    }
    char digits[1];
    size_t size = json_dumpb(value, digits, 0, JSON_COMPACT | JSON_ENCODE_ANY);
    char *room = arena_take(list->arena, size + 1, 1);
    if (room == NULL)
        return STATUS_NO_MEMORY;
    json_dumpb(value, room, size, JSON_COMPACT | JSON_ENCODE_ANY);
    *text = room;
    return STATUS_OK;
}

/* Where two values stand. */
struct key_place {
    const char *part, *path;
    bool detail;
};

static enum status key_list_add(struct key_list *list, const struct key_place *place,
                                const json_t *a, const json_t *b)
{
    struct changed_key *keys =
        array_grow(list->keys, &list->capacity, list->count + 1, sizeof *keys);
    if (keys == NULL)
        return STATUS_NO_MEMORY;
    list->keys = keys;
    struct changed_key *row = &keys[list->count++];
    *row = (struct changed_key){.part = place->part, .key = place->path, .detail = place->detail};
    enum status status = value_text(list, a, &row->a);
    return status == STATUS_OK ? value_text(list, b, &row->b) : status;
}

static enum status compare(struct key_list *list, const struct key_place *place, json_t *a,
                           json_t *b);

/* One key of two maps. A number of a product is a map, and its key alone names its value. */
static enum status compare_key(struct key_list *list, const struct key_place *place,
                               const char *key, json_t *a, json_t *b)
{
    bool number = json_object_get(a, "value") != NULL || json_object_get(b, "value") != NULL;
    bool is_value = number && strcmp(key, "value") == 0;
    struct key_place own = {.part = place->part, .path = place->path, .detail = number};
    if (is_value)
        own.detail = false;
    else
        own.path =
            arena_format(list->arena, "%s%s%s", place->path, *place->path != '\0' ? "." : "", key);
    if (own.path == NULL)
        return STATUS_NO_MEMORY;
    return compare(list, &own, json_object_get(a, key), json_object_get(b, key));
}

/* Compares two trees of which one may be missing; maps key by key, all else as a whole. */
static enum status compare(struct key_list *list, const struct key_place *place, json_t *a,
                           json_t *b)
{
    if ((a == NULL && b == NULL) || (a != NULL && b != NULL && json_equal(a, b)))
        return STATUS_OK;
    if ((a != NULL && !json_is_object(a)) || (b != NULL && !json_is_object(b)))
        return key_list_add(list, place, a, b);
    enum status status = STATUS_OK;
    for (void *at = json_object_iter(a); at != NULL && status == STATUS_OK;
         at = json_object_iter_next(a, at))
        status = compare_key(list, place, json_object_iter_key(at), a, b);
    for (void *at = json_object_iter(b); at != NULL && status == STATUS_OK;
         at = json_object_iter_next(b, at))
        if (json_object_get(a, json_object_iter_key(at)) == NULL)
            status = compare_key(list, place, json_object_iter_key(at), a, b);
    return status;
}

/* Where the keys of a plan belong, and how they are called. */
static const struct plan_part {
    const char *key, *part;
    const char *path; /* what stands before the keys of the map */
} plan_parts[] = {
    {"conv", "problem", "conv"},       {"matmul", "problem", "matmul"},
    {"program", "problem", "program"}, {"tensors", "problem", "tensors"},
    {"tile", "tile", "tile"},          {"tile_l1", "tile", "tile_l1"},
    {"tile_l0", "tile", "tile_l0"},    {"schedule", "schedule", ""},
};

enum { PLAN_PART_COUNT = sizeof plan_parts / sizeof *plan_parts };

static enum status compare_plans(struct key_list *list, json_t *a, json_t *b)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < PLAN_PART_COUNT && status == STATUS_OK; i++) {
        const struct plan_part *part = &plan_parts[i];
        json_t *own = json_object_get(a, part->key), *other = json_object_get(b, part->key);
        if (own != NULL || other != NULL)
            status = compare(list, &(struct key_place){part->part, part->path, false}, own, other);
        json_object_del(a, part->key);
        json_object_del(b, part->key);
    }
    if (status != STATUS_OK)
        return status;
    return compare(list, &(struct key_place){"plan", "", false}, a, b);
}

static enum status compare_versions(struct key_list *list, const char *a, const char *b)
{
    json_t *own = json_string(a), *other = json_string(b);
    enum status status =
        own == NULL || other == NULL
            ? STATUS_NO_MEMORY
            : compare(list, &(struct key_place){"model", "cubesim", false}, own, other);
    json_decref(own);
    json_decref(other);
    return status;
}

static enum status compare_texts(struct key_list *list, bool plans, const char *a, const char *b,
                                 struct diag *diag)
{
    json_t *own = json_loads(a, 0, NULL), *other = json_loads(b, 0, NULL);
    enum status status = STATUS_OK;
    if (!json_is_object(own) || !json_is_object(other))
        status = diag_add(diag, STATUS_DATABASE, place_none(),
                          "found a %s that is no JSON object in the database",
                          plans ? "plan" : "product");
    else if (plans)
        status = compare_plans(list, own, other);
    else
        status = compare(list, &(struct key_place){"product", "", false}, own, other);
    json_decref(own);
    json_decref(other);
    return status;
}

enum status diff_definitions(const struct stored_definition *a, const struct stored_definition *b,
                             struct arena *arena, struct diag *diag, struct changed_key **keys,
                             size_t *count)
{
    struct key_list list = {.arena = arena};
    enum status status = compare_versions(&list, a->version, b->version);
    if (status == STATUS_OK)
        status = compare_texts(&list, true, a->plan_json, b->plan_json, diag);
    if (status == STATUS_OK)
        status = compare_texts(&list, false, a->product_json, b->product_json, diag);
    *count = list.count;
    *keys = arena_take(arena, list.count, sizeof **keys);
    if (*keys == NULL)
        status = diag_graver(status, STATUS_NO_MEMORY);
    else if (list.count > 0)
        memcpy(*keys, list.keys, list.count * sizeof **keys);
    array_release(list.keys);
    if (status == STATUS_NO_MEMORY)
        diag_add(diag, status, place_none(), "memory ran out");
    return status;
}

/* ---- pipes ---- */

struct pipe_set pipe_set_make(const struct stored_pipe *pipes, size_t count)
{
    struct pipe_set set = {0};
    for (size_t i = 0; i < count; i++) {
        assert(pipes[i].pipe < PIPE_COUNT);
        set.pipe[pipes[i].pipe] = pipes[i];
        set.used[pipes[i].pipe] = true;
    }
    return set;
}

tick pipe_wait(const struct stored_pipe *pipe, uint32_t reason)
{
    assert(reason < LANE_REASON_COUNT);
    if (reason >= CAUSE_COUNT)
        return pipe->wait_for[reason - CAUSE_COUNT];
    tick cycles = pipe->wait[reason], named = 0;
    if (reason != CAUSE_FLAG)
        return cycles;
    for (uint32_t other = 0; other < PIPE_COUNT; other++)
        named += pipe->wait_for[other];
    return cycles > named ? cycles - named : 0;
}

tick pipe_change_size(const struct pipe_change *change)
{
    return change->a > change->b ? change->a - change->b : change->b - change->a;
}

size_t diff_waits(const struct pipe_set *a, const struct pipe_set *b,
                  struct pipe_change waits[PIPE_WAITS_MAX])
{
    size_t count = 0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        for (uint32_t reason = CAUSE_NONE + 1; reason < LANE_REASON_COUNT; reason++) {
            const struct pipe_change wait = {PIPE_CHANGE_WAIT, pipe, reason,
                                             pipe_wait(&a->pipe[pipe], reason),
                                             pipe_wait(&b->pipe[pipe], reason)};
            if (wait.a == 0 && wait.b == 0)
                continue;
            size_t at = count++;
            for (; at > 0 && pipe_change_size(&waits[at - 1]) < pipe_change_size(&wait); at--)
                waits[at] = waits[at - 1];
            waits[at] = wait;
        }
    return count;
}

static void keep_larger(struct pipe_change *kept, const struct pipe_change *change, bool faster)
{
    bool less = change->b < change->a;
    if (change->a != change->b && less == faster &&
        pipe_change_size(change) > pipe_change_size(kept))
        *kept = *change;
}

bool diff_reason(const struct pipe_set *a, const struct pipe_set *b, bool faster,
                 struct pipe_change *reason)
{
    struct pipe_change waits[PIPE_WAITS_MAX], wait = {0}, work = {0};
    size_t count = diff_waits(a, b, waits);
    for (size_t i = 0; i < count; i++)
        if (lane_wait_tells(waits[i].pipe))
            keep_larger(&wait, &waits[i], faster);
    for (uint32_t pipe = PIPE_SCALAR + 1; pipe < PIPE_COUNT; pipe++) {
        const struct stored_pipe *own = &a->pipe[pipe], *other = &b->pipe[pipe];
        const struct pipe_change link = {PIPE_CHANGE_LINK, pipe, 0, own->link, other->link};
        const struct pipe_change busy = {PIPE_CHANGE_BUSY, pipe, 0, own->busy - own->link,
                                         other->busy - other->link};
        keep_larger(&work, &busy, faster);
        keep_larger(&wait, &link, faster);
    }
    *reason = 2 * pipe_change_size(&work) >= pipe_change_size(&wait) ? work : wait;
    return pipe_change_size(reason) > 0;
}
