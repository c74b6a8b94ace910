#include "model/l2.h"

#include <assert.h>
#include <string.h>

#include "model/conv.h"
#include "model/gm_access.h"

/* How finely a line is filled: the resolution of this book-keeping, no property of hardware. */
enum { SECTORS = 16, LINE_FULL = (1 << SECTORS) - 1 };

/* Lines in a ring from the most to the least recently used; line_count is the head. A line is
 * filled sector by sector, as its bytes are asked for. */
struct cache {
    uint32_t *newer, *older;
    uint16_t *filled; /* [line]: its sectors that are there */
    uint64_t line_bytes, line_count;
    uint64_t held, held_max;
};

static enum status cache_init(struct cache *cache, const struct l2_options *options,
                              uint64_t gm_bytes, struct arena *arena)
{
    memset(cache, 0, sizeof *cache);
    cache->line_bytes = options->line_bytes;
    cache->line_count = ceil_div(gm_bytes, options->line_bytes);
    cache->held_max = options->size_bytes / options->line_bytes;
    if (cache->line_count >= UINT32_MAX)
        return STATUS_LIMIT;
    cache->filled = arena_take(arena, cache->line_count + 1, sizeof *cache->filled);
    if (cache->filled == NULL)
        return STATUS_NO_MEMORY;
    if (cache->line_count <= cache->held_max || cache->held_max == 0)
        return STATUS_OK; /* no order to keep */
    cache->newer = arena_take(arena, cache->line_count + 1, sizeof *cache->newer);
    cache->older = arena_take(arena, cache->line_count + 1, sizeof *cache->older);
    if (cache->newer == NULL || cache->older == NULL)
        return STATUS_NO_MEMORY;
    cache->newer[cache->line_count] = cache->older[cache->line_count] = (uint32_t)cache->line_count;
    return STATUS_OK;
}

static void cache_unlink(struct cache *cache, uint32_t line)
{
    cache->older[cache->newer[line]] = cache->older[line];
    cache->newer[cache->older[line]] = cache->newer[line];
}

/* Makes a line the most recently used one, when the cache is too small to hold everything. */
static void cache_renew(struct cache *cache, uint32_t line)
{
    uint32_t head = (uint32_t)cache->line_count;
    if (cache->filled[line] != 0) {
        cache_unlink(cache, line);
    } else if (cache->held == cache->held_max) {
        uint32_t oldest = cache->newer[head];
        cache->filled[oldest] = 0;
        cache_unlink(cache, oldest);
    } else {
        cache->held++;
    }
    cache->newer[line] = head;
    cache->older[line] = cache->older[head];
    cache->newer[cache->older[head]] = line;
    cache->older[head] = line;
}

/* Bytes of [from, until) of a line, counted from its start, that lie in sectors of a mask. */
static uint64_t sector_bytes(const struct cache *cache, uint32_t mask, uint64_t from,
                             uint64_t until)
{
    uint64_t bytes = 0, size = ceil_div(cache->line_bytes, SECTORS);
    for (uint64_t sector = from / size; sector * size < until; sector++) {
        uint64_t start = sector * size > from ? sector * size : from;
        uint64_t end = (sector + 1) * size < until ? (sector + 1) * size : until;
        bytes += mask >> sector & 1 ? end - start : 0;
    }
    return bytes;
}

/* Asks for [from, until) of a line, counted from its start; returns the bytes that were not there.
 */
static uint64_t cache_touch(struct cache *cache, uint32_t line, uint64_t from, uint64_t until)
{
    if (cache->held_max == 0)
        return until - from;
    uint64_t size = ceil_div(cache->line_bytes, SECTORS);
    uint32_t first = (uint32_t)(from / size), last = (uint32_t)((until - 1) / size);
    uint32_t wanted = (UINT32_C(2) << last) - (UINT32_C(1) << first);
    if (cache->line_count > cache->held_max)
        cache_renew(cache, line);
    uint32_t missing = wanted & ~(uint32_t)cache->filled[line];
    cache->filled[line] |= (uint16_t)wanted;
    if (missing == 0)
        return 0;
    return missing == wanted ? until - from : sector_bytes(cache, missing, from, until);
}

/* Asks for the bytes of a run; returns those that were not there. */
static uint64_t cache_run(struct cache *cache, uint64_t from, uint64_t length)
{
    uint64_t missed = 0, until = from + length, line = from / cache->line_bytes;
    bool fits = cache->line_count <= cache->held_max;
    for (uint64_t start = line * cache->line_bytes; start < until;
         start += cache->line_bytes, line++) {
        if (fits && cache->filled[line] == LINE_FULL)
            continue; /* by far the most common case: it was all there */
        uint64_t first = from > start ? from - start : 0;
        uint64_t left = until - start;
        missed += cache_touch(cache, (uint32_t)line, first,
                              left < cache->line_bytes ? left : cache->line_bytes);
    }
    return missed;
}

static uint64_t cache_access(struct cache *cache, const struct gm_access *access)
{
    uint64_t missed = 0, left = gm_access_bytes(access);
    for (uint64_t outer = 0; outer < access->outer_count; outer++)
        for (uint64_t inner = 0; inner < access->inner_count; inner++) {
            uint64_t length = left < access->length ? left : access->length;
            missed += cache_run(
                cache, access->from + outer * access->outer_stride + inner * access->inner_stride,
                length);
            left -= length;
        }
    return missed;
}

static enum status l2_note(struct l2_core *core, uint64_t missed)
{
    assert(missed <= UINT32_MAX);
    if (core->count == core->capacity) {
        void *grown = array_grow(core->miss_bytes, &core->capacity, core->count + 1,
                                 sizeof *core->miss_bytes);
        if (grown == NULL)
            return STATUS_NO_MEMORY;
        core->miss_bytes = grown;
    }
    core->miss_bytes[core->count++] = (uint32_t)missed;
    return STATUS_OK;
}

/* Walks a core's stream up to and with its next copy from GM; false at its end. */
static bool l2_step(const struct program *program, void *stream, struct cache *cache,
                    struct l2_plan *plan, struct l2_core *core, enum status *status)
{
    struct insn insn;
    struct gm_access access;
    while (program->next(stream, &insn)) {
        if (!gm_access(program, &insn, &access)) {
            if (!insn_copies(&insn))
                continue;
            *status = l2_note(core, 0); /* a copy of nothing */
            return true;
        }
        uint64_t missed = cache_access(cache, &access);
        if (access.write) {
            plan->write_bytes += gm_access_bytes(&access);
            continue;
        }
        plan->read_bytes += gm_access_bytes(&access);
        plan->miss_bytes += missed;
        *status = l2_note(core, missed);
        return true;
    }
    *status = program->ended(stream);
    return false;
}

/* In the order of the tensors: of more than fits, the last. */
static void l2_warm(const struct program *program, struct cache *cache)
{
    for (uint32_t i = 0; i < program->region_count; i++) {
        const struct region *region = &program->regions[i];
        if (region->warm)
            cache_run(cache, region->base_bytes, region->size_bytes);
    }
}

static enum status l2_walk(const struct program *program, struct cache *cache, struct l2_plan *plan,
                           struct arena *work)
{
    void **streams = arena_take(work, program->core_count, sizeof *streams);
    if (streams == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t core = 0; core < program->core_count; core++) {
        streams[core] = program->open(program->context, core, work);
        if (streams[core] == NULL)
            return STATUS_NO_MEMORY;
    }
    enum status status = STATUS_OK;
    for (uint32_t running = program->core_count; running > 0 && status == STATUS_OK;) {
        for (uint32_t core = 0; core < program->core_count && status == STATUS_OK; core++) {
            if (streams[core] == NULL)
                continue;
            if (l2_step(program, streams[core], cache, plan, &plan->cores[core], &status))
                continue;
            streams[core] = NULL;
            running--;
        }
    }
    return status;
}

enum status l2_decide(const struct program *program, const struct l2_options *options,
                      struct l2_plan *plan, struct arena *arena)
{
    memset(plan, 0, sizeof *plan);
    plan->core_count = program->core_count;
    plan->cores = arena_take(arena, program->core_count, sizeof *plan->cores);
    if (plan->cores == NULL)
        return STATUS_NO_MEMORY;
    uint64_t gm_bytes = 0;
    for (uint32_t i = 0; i < program->region_count; i++) {
        const struct region *region = &program->regions[i];
        if (region->space == SPACE_GM && region->base_bytes + region->size_bytes > gm_bytes)
            gm_bytes = region->base_bytes + region->size_bytes;
    }
    struct arena work;
    struct cache cache;
    arena_init(&work, 0);
    enum status status = cache_init(&cache, options, gm_bytes, &work);
    if (status == STATUS_OK) {
        l2_warm(program, &cache);
        status = l2_walk(program, &cache, plan, &work);
    }
    arena_deinit(&work);
    return status;
}

void l2_deinit(struct l2_plan *plan)
{
    if (plan->cores != NULL)
        for (uint32_t core = 0; core < plan->core_count; core++)
            array_release(plan->cores[core].miss_bytes);
    memset(plan, 0, sizeof *plan);
}
