#include "model/l2.h"

#include <assert.h>
#include <string.h>

#include "model/conv.h"
#include "model/gm_access.h"

/* How finely a line is filled: the resolution of this book-keeping, no property of hardware. */
enum { SECTORS = 16, LINE_FULL = (1 << SECTORS) - 1 };

/* What has been asked of a line in the last turn that asked for it. */
struct line_turn {
    uint32_t turn;
    uint16_t fresh; /* sectors filled in it */
    uint16_t cores; /* that asked */
    uint32_t last_core;
};

/* Lines in a ring from the most to the least recently used; line_count is the head. A line is
 * filled sector by sector, as its bytes are asked for. */
struct cache {
    uint32_t *newer, *older;
    uint16_t *filled;        /* [line]: its sectors that are there */
    uint16_t *dirty;         /* [line]: those that were written; NULL when nothing is replaced */
    struct line_turn *asked; /* [line] */
    uint32_t turn, core;     /* whose copy is walked now */
    uint64_t line_bytes, line_count;
    uint64_t held, held_max;
    uint64_t written_back; /* bytes, by the access that is walked now */
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
    cache->asked = arena_take(arena, cache->line_count + 1, sizeof *cache->asked);
    if (cache->filled == NULL || cache->asked == NULL)
        return STATUS_NO_MEMORY;
    if (cache->line_count <= cache->held_max || cache->held_max == 0)
        return STATUS_OK; /* no order to keep */
    cache->newer = arena_take(arena, cache->line_count + 1, sizeof *cache->newer);
    cache->older = arena_take(arena, cache->line_count + 1, sizeof *cache->older);
    cache->dirty = arena_take(arena, cache->line_count + 1, sizeof *cache->dirty);
    if (cache->newer == NULL || cache->older == NULL || cache->dirty == NULL)
        return STATUS_NO_MEMORY;
    cache->newer[cache->line_count] = cache->older[cache->line_count] = (uint32_t)cache->line_count;
    return STATUS_OK;
}

static void cache_unlink(struct cache *cache, uint32_t line)
{
    cache->older[cache->newer[line]] = cache->older[line];
    cache->newer[cache->older[line]] = cache->newer[line];
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

/* Makes a line the most recently used one, when the cache is too small to hold everything. */
static void cache_renew(struct cache *cache, uint32_t line)
{
    uint32_t head = (uint32_t)cache->line_count;
    if (cache->filled[line] != 0) {
        cache_unlink(cache, line);
    } else if (cache->held == cache->held_max) {
        uint32_t oldest = cache->newer[head];
        cache->written_back += sector_bytes(cache, cache->dirty[oldest], 0, cache->line_bytes);
        cache->filled[oldest] = cache->dirty[oldest] = 0;
        cache_unlink(cache, oldest);
    } else {
        cache->held++;
    }
    cache->newer[line] = head;
    cache->older[line] = cache->older[head];
    cache->newer[cache->older[head]] = line;
    cache->older[head] = line;
}

/* Bytes that were not there, and those that were asked for earlier in the same turn. */
struct missed {
    uint64_t miss, late;
};

/* Notes that the core asks for a line; returns what is known of it in this turn. */
static struct line_turn *cache_ask(struct cache *cache, uint64_t line)
{
    struct line_turn *asked = &cache->asked[line];
    if (asked->turn != cache->turn) {
        *asked = (struct line_turn){.turn = cache->turn, .cores = 1, .last_core = cache->core};
    } else if (asked->last_core != cache->core) {
        asked->last_core = cache->core;
        asked->cores++;
    }
    return asked;
}

/* Asks for [from, until) of a line, counted from its start. */
static void cache_touch(struct cache *cache, uint32_t line, uint64_t from, uint64_t until,
                        bool write, struct missed *missed)
{
    struct line_turn *asked = cache_ask(cache, line);
    if (cache->held_max == 0) {
        missed->miss += until - from;
        cache->written_back += write ? until - from : 0;
        return;
    }
    uint64_t size = ceil_div(cache->line_bytes, SECTORS);
    uint32_t first = (uint32_t)(from / size), last = (uint32_t)((until - 1) / size);
    uint32_t wanted = (UINT32_C(2) << last) - (UINT32_C(1) << first);
    if (cache->line_count > cache->held_max)
        cache_renew(cache, line);
    if (write && cache->dirty != NULL)
        cache->dirty[line] |= (uint16_t)wanted;
    uint32_t missing = wanted & ~(uint32_t)cache->filled[line];
    /* What has left L2 again since is a miss, too, and no longer on its way. */
    uint32_t late = wanted & asked->fresh & ~missing;
    cache->filled[line] |= (uint16_t)wanted;
    asked->fresh |= (uint16_t)missing;
    if (missing != 0)
        missed->miss += sector_bytes(cache, missing, from, until);
    if (late != 0)
        missed->late += sector_bytes(cache, late, from, until);
}

/* Asks for the bytes of a run. */
static void cache_run(struct cache *cache, uint64_t from, uint64_t length, bool write,
                      struct missed *missed)
{
    uint64_t until = from + length, line = from / cache->line_bytes;
    bool fits = cache->line_count <= cache->held_max;
    for (uint64_t start = line * cache->line_bytes; start < until;
         start += cache->line_bytes, line++) {
        if (fits && cache->filled[line] == LINE_FULL && cache->asked[line].turn != cache->turn) {
            cache_ask(cache, line); /* by far the most common case: it was all there */
            continue;
        }
        uint64_t first = from > start ? from - start : 0;
        uint64_t left = until - start;
        cache_touch(cache, (uint32_t)line, first,
                    left < cache->line_bytes ? left : cache->line_bytes, write, missed);
    }
}

/* Where run `index` of an access begins. */
static uint64_t access_run(const struct gm_access *access, uint64_t index)
{
    return access->from + index / access->inner_count * access->outer_stride +
           index % access->inner_count * access->inner_stride;
}

static struct missed cache_access(struct cache *cache, const struct gm_access *access)
{
    struct missed missed = {0, 0};
    uint64_t left = gm_access_bytes(access), runs = gm_access_runs(access);
    cache->written_back = 0;
    for (uint64_t run = 0; run < runs; run++) {
        uint64_t length = left < access->length ? left : access->length;
        cache_run(cache, access_run(access, run), length, access->write, &missed);
        left -= length;
    }
    return missed;
}

/* How few cores asked for the lines of an access in this turn: the mean of one over their number,
 * in 2^-16, from lines that are spread evenly over it. */
static uint32_t cache_share(const struct cache *cache, const struct gm_access *access)
{
    enum { SAMPLES = 16 };
    uint64_t runs = gm_access_runs(access), sum = 0;
    uint64_t lines = ceil_div(access->length, cache->line_bytes);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t run = runs * i / SAMPLES;
        uint64_t at = access_run(access, run) + lines * i / SAMPLES * cache->line_bytes;
        const struct line_turn *asked = &cache->asked[at / cache->line_bytes];
        assert(asked->turn == cache->turn); /* by this access, if by no other */
        sum += (uint64_t)L2_SHARE_ONE / asked->cores;
    }
    return (uint32_t)(sum / SAMPLES);
}

static enum status l2_note(struct l2_core *core, const struct l2_split *split)
{
    if (core->count == core->capacity) {
        void *grown =
            array_grow(core->splits, &core->capacity, core->count + 1, sizeof *core->splits);
        if (grown == NULL)
            return STATUS_NO_MEMORY;
        core->splits = grown;
    }
    core->splits[core->count++] = *split;
    return STATUS_OK;
}

/* Walks an access through the cache, counts it and notes what became of it. */
static enum status l2_access(struct cache *cache, const struct gm_access *access,
                             struct l2_plan *plan, struct l2_core *core)
{
    struct missed missed = cache_access(cache, access);
    assert(missed.miss <= UINT32_MAX && missed.late <= UINT32_MAX &&
           cache->written_back <= UINT32_MAX);
    plan->write_back_bytes += cache->written_back;
    struct l2_split split = {.share = L2_SHARE_ONE,
                             .write_back_bytes = (uint32_t)cache->written_back};
    if (access->write) {
        plan->write_bytes += gm_access_bytes(access);
        return l2_note(core, &split);
    }
    plan->read_bytes += gm_access_bytes(access);
    plan->miss_bytes += missed.miss;
    split.miss_bytes = (uint32_t)missed.miss;
    split.late_bytes = (uint32_t)missed.late;
    return l2_note(core, &split);
}

/* A core on its way through its stream. */
struct l2_stream {
    void *stream;            /* NULL: at its end */
    struct gm_access access; /* of its copy in this turn */
    bool copied;             /* it has one that moves bytes */
};

/* Walks a core's stream up to and with its next copy from GM; false at its end. */
static bool l2_step(const struct program *program, struct l2_stream *stream, struct cache *cache,
                    struct l2_plan *plan, struct l2_core *core, enum status *status)
{
    struct insn insn;
    struct gm_access *access = &stream->access;
    stream->copied = false;
    while (*status == STATUS_OK && program->next(stream->stream, &insn)) {
        if (!gm_access(program, &insn, access)) {
            if (!insn_copies(&insn))
                continue;
            *status = l2_note(core, &(struct l2_split){.share = L2_SHARE_ONE}); /* of nothing */
            return true;
        }
        stream->copied = !access->write;
        *status = l2_access(cache, access, plan, core);
        if (stream->copied)
            return true;
    }
    if (*status == STATUS_OK)
        *status = program->ended(stream->stream);
    return false;
}

/* In the order of the tensors: of more than fits, the last. */
static void l2_warm(const struct program *program, struct cache *cache)
{
    for (uint32_t i = 0; i < program->region_count; i++) {
        const struct region *region = &program->regions[i];
        if (region->warm)
            cache_run(cache, region->base_bytes, region->size_bytes, false, &(struct missed){0, 0});
    }
}

/* One copy of each core; returns how many streams have ended. */
static uint32_t l2_turn(const struct program *program, struct l2_stream *streams,
                        struct cache *cache, struct l2_plan *plan, enum status *status)
{
    uint32_t ended = 0;
    for (uint32_t core = 0; core < program->core_count && *status == STATUS_OK; core++) {
        if (streams[core].stream == NULL)
            continue;
        cache->core = core;
        if (l2_step(program, &streams[core], cache, plan, &plan->cores[core], status))
            continue;
        streams[core].stream = NULL;
        ended++;
    }
    for (uint32_t core = 0; core < program->core_count && *status == STATUS_OK; core++) {
        struct l2_core *noted = &plan->cores[core];
        if (streams[core].stream != NULL && streams[core].copied)
            noted->splits[noted->count - 1].share = cache_share(cache, &streams[core].access);
    }
    return ended;
}

static enum status l2_walk(const struct program *program, struct cache *cache, struct l2_plan *plan,
                           struct arena *work)
{
    struct l2_stream *streams = arena_take(work, program->core_count, sizeof *streams);
    if (streams == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t core = 0; core < program->core_count; core++) {
        streams[core].stream = program->open(program->context, core, work);
        if (streams[core].stream == NULL)
            return STATUS_NO_MEMORY;
    }
    enum status status = STATUS_OK;
    uint32_t running = program->core_count;
    while (running > 0 && status == STATUS_OK) {
        cache->turn++;
        running -= l2_turn(program, streams, cache, plan, &status);
    }
    return status;
}

bool l2_takes(const struct program *program, const struct insn *insn)
{
    struct gm_access access;
    return insn_copies(insn) || (gm_access(program, insn, &access) && access.write);
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
            array_release(plan->cores[core].splits);
    memset(plan, 0, sizeof *plan);
}
