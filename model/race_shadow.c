#include "model/race_shadow.h"

#include <assert.h>
#include <string.h>

void shadow_pool_init(struct shadow_pool *pool)
{
    *pool = (struct shadow_pool){.segment_count = 1, .access_count = 1};
}

void shadow_pool_deinit(struct shadow_pool *pool)
{
    array_release(pool->segment);
    array_release(pool->access);
    *pool = (struct shadow_pool){0};
}

/* Both take from the free list, else from the end; 0 when memory runs out. */
static uint32_t segment_take(struct shadow_pool *pool)
{
    uint32_t index = pool->segment_free;
    if (index != 0) {
        pool->segment_free = pool->segment[index].next;
        return index;
    }
    void *grown = array_grow(pool->segment, &pool->segment_capacity,
                             (size_t)pool->segment_count + 1, sizeof *pool->segment);
    if (grown == NULL || pool->segment_count == UINT32_MAX) {
        pool->failed = true;
        return 0;
    }
    pool->segment = grown;
    return pool->segment_count++;
}

static uint32_t access_take(struct shadow_pool *pool)
{
    uint32_t index = pool->access_free;
    if (index != 0) {
        pool->access_free = pool->access[index].next;
        return index;
    }
    void *grown = array_grow(pool->access, &pool->access_capacity, (size_t)pool->access_count + 1,
                             sizeof *pool->access);
    if (grown == NULL || pool->access_count == UINT32_MAX) {
        pool->failed = true;
        return 0;
    }
    pool->access = grown;
    return pool->access_count++;
}

static void access_drop(struct shadow_pool *pool, uint32_t index)
{
    pool->access[index].next = pool->access_free;
    pool->access_free = index;
}

static void segment_drop(struct shadow_pool *pool, uint32_t index)
{
    for (uint32_t access = pool->segment[index].first; access != 0;) {
        uint32_t next = pool->access[access].next;
        access_drop(pool, access);
        access = next;
    }
    pool->segment[index].next = pool->segment_free;
    pool->segment_free = index;
}

enum status shadow_init(struct shadow *shadow, uint64_t size_bytes, struct arena *arena)
{
    *shadow = (struct shadow){.pages = (size_bytes + SHADOW_PAGE_BYTES - 1) / SHADOW_PAGE_BYTES};
    if (shadow->pages == 0)
        return STATUS_OK;
    shadow->page = arena_take(arena, (size_t)shadow->pages, sizeof *shadow->page);
    return shadow->page == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

void shadow_clear(struct shadow *shadow, struct shadow_pool *pool)
{
    shadow->visited = 0;
    for (uint64_t page = 0; page < shadow->pages; page++) {
        for (uint32_t segment = shadow->page[page]; segment != 0;) {
            uint32_t next = pool->segment[segment].next;
            segment_drop(pool, segment);
            segment = next;
        }
        shadow->page[page] = 0;
    }
}

/* A copy of a list of accesses; 0 when memory runs out. */
static uint32_t accesses_copy(struct shadow_pool *pool, uint32_t first)
{
    uint32_t head = 0, last = 0;
    for (uint32_t from = first; from != 0; from = pool->access[from].next) {
        uint32_t copy = access_take(pool);
        if (copy == 0)
            return head;
        pool->access[copy] = (struct shadow_access){.access = pool->access[from].access};
        if (last == 0)
            head = copy;
        else
            pool->access[last].next = copy;
        last = copy;
    }
    return head;
}

/* Cuts a segment in two at a byte of its page that lies inside it; the second part, or 0. */
static uint32_t segment_cut(struct shadow_pool *pool, uint32_t segment, uint32_t at)
{
    uint32_t second = segment_take(pool);
    if (second == 0)
        return 0;
    pool->segment[second] = (struct shadow_segment){
        .start = at,
        .next = pool->segment[segment].next,
        .first = accesses_copy(pool, pool->segment[segment].first),
    };
    pool->segment[segment].next = second;
    return second;
}

static uint32_t segment_end(const struct shadow_pool *pool, uint32_t segment)
{
    uint32_t next = pool->segment[segment].next;
    return next == 0 ? SHADOW_PAGE_BYTES : pool->segment[next].start;
}

/* The segment of a page that starts at a byte, cut if need be; 0 when memory runs out. */
static uint32_t page_segment_at(struct shadow *shadow, struct shadow_pool *pool, uint64_t page,
                                uint32_t at)
{
    if (shadow->page[page] == 0) {
        uint32_t segment = segment_take(pool);
        if (segment == 0)
            return 0;
        pool->segment[segment] = (struct shadow_segment){0};
        shadow->page[page] = segment;
    }
    uint32_t segment = shadow->page[page];
    if (shadow->visited != 0 && shadow->visited_page == page &&
        pool->segment[shadow->visited].start <= at)
        segment = shadow->visited;
    while (segment_end(pool, segment) <= at)
        segment = pool->segment[segment].next;
    if (pool->segment[segment].start != at)
        segment = segment_cut(pool, segment, at);
    shadow->visited_page = page;
    shadow->visited = segment;
    return segment;
}

void shadow_visit(struct shadow *shadow, struct shadow_pool *pool, uint64_t page, uint32_t from,
                  uint32_t to, shadow_visitor *visit, void *context)
{
    assert(page < shadow->pages && from < to && to <= SHADOW_PAGE_BYTES);
    uint32_t segment = page_segment_at(shadow, pool, page, from);
    while (segment != 0 && pool->segment[segment].start < to) {
        if (segment_end(pool, segment) > to && segment_cut(pool, segment, to) == 0)
            return;
        visit(context, segment, pool->segment[segment].start, segment_end(pool, segment));
        segment = pool->segment[segment].next;
    }
}

void shadow_put(struct shadow_pool *pool, uint32_t segment, const struct access *access,
                shadow_superseded *superseded, void *context)
{
    unsigned foreign = 0; /* kinds of other cores' accesses: one of each says all */
    uint32_t kept = 0;    /* the last access of the list that stays */
    for (uint32_t index = pool->segment[segment].first; index != 0;) {
        const struct access *old = &pool->access[index].access;
        uint32_t next = pool->access[index].next;
        unsigned kind = 1U << old->kind;
        bool drop =
            old->core != access->core ? (foreign & kind) != 0 : superseded(context, old, access);
        if (old->core != access->core)
            foreign |= kind;
        if (!drop)
            kept = index;
        else if (kept == 0)
            pool->segment[segment].first = next;
        else
            pool->access[kept].next = next;
        if (drop)
            access_drop(pool, index);
        index = next;
    }
    uint32_t added = access_take(pool);
    if (added == 0)
        return;
    pool->access[added] =
        (struct shadow_access){.access = *access, .next = pool->segment[segment].first};
    pool->segment[segment].first = added;
}

static bool segments_same(const struct shadow_pool *pool, uint32_t left, uint32_t right)
{
    uint32_t a = pool->segment[left].first, b = pool->segment[right].first;
    if (a == 0 || b == 0)
        return false;
    const struct shadow_access *one = &pool->access[a], *two = &pool->access[b];
    return one->next == 0 && two->next == 0 && one->access.kind == ACCESS_WRITE &&
           two->access.kind == ACCESS_WRITE && one->access.ref.seq == two->access.ref.seq &&
           one->access.core == two->access.core;
}

void shadow_join(struct shadow *shadow, struct shadow_pool *pool, uint64_t page, uint32_t to)
{
    uint32_t segment = shadow->visited_page == page ? shadow->visited : 0;
    while (segment != 0 && pool->segment[segment].start < to) {
        uint32_t next = pool->segment[segment].next;
        if (next != 0 && pool->segment[next].start < to && segments_same(pool, segment, next)) {
            pool->segment[segment].next = pool->segment[next].next;
            segment_drop(pool, next);
        } else {
            segment = next;
        }
    }
}
