#include "model/race.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/race_shadow.h"

/* Bytes that an instruction touches without a gap. */
struct stretch {
    uint64_t from, to;
    uint32_t space, region; /* region: of GM, else 0 */
    enum access_kind kind;
};

/* Blocks of 32 B of an on-chip memory that an instruction touches, a bit each. Most accesses are of
 * whole blocks and come in an order of their own, so that gathering them here saves sorting. */
struct block_bits {
    uint64_t *word;
    uint64_t first, last; /* words that have bits; first > last: none has */
};

/* An earlier access that the instruction at work conflicts with and nothing orders. */
struct conflict {
    struct access old;
    enum access_kind kind; /* of the instruction at work */
    struct stretch bytes;  /* the first to the last byte */
};

struct race {
    const struct program *program;
    const struct machine *machine;
    const struct clocks *clocks;
    const struct finding_sink *sink;
    uint64_t accumulate_below;
    struct shadow chip[SPACE_COUNT]; /* on-chip memories */
    struct shadow *tensor;           /* [region] */
    struct shadow_pool pool;
    struct block_bits bits[ACCESS_KINDS][SPACE_COUNT]; /* on-chip memories */
    uint32_t core;

    /* the instruction at work */
    struct insn_ref ref;
    enum pipe pipe;
    bool accumulates;
    uint32_t mmad_before;    /* seq of the last Mmad; UINT32_MAX */
    struct stretch *stretch; /* array_grow */
    size_t stretch_capacity, stretch_count;
    size_t open[ACCESS_KINDS]; /* the stretch of the kind that was told last, plus 1 */
    struct conflict *conflict; /* array_grow */
    size_t conflict_capacity, conflict_count;
    struct access access;  /* what it puts into the shadow */
    struct stretch judged; /* of this stretch */
    uint64_t page_from;    /* byte at which the page at work starts */
    bool failed;
};

static enum status race_open_chip(struct race *race, uint32_t space, uint64_t size_bytes,
                                  struct arena *arena)
{
    enum status status = shadow_init(&race->chip[space], size_bytes, arena);
    for (uint32_t kind = 0; kind < ACCESS_ATOMIC && status == STATUS_OK; kind++) {
        struct block_bits *bits = &race->bits[kind][space];
        bits->word = arena_take(arena, (size_t)(size_bytes / BLOCK_BYTES / 64 + 1), 8);
        bits->first = UINT64_MAX;
        if (bits->word == NULL)
            status = STATUS_NO_MEMORY;
    }
    return status;
}

enum status race_open(const struct race_options *options, struct arena *arena, struct race **race)
{
    struct race *made = arena_take(arena, 1, sizeof *made);
    *race = made;
    if (made == NULL)
        return STATUS_NO_MEMORY;
    made->program = options->program;
    made->machine = options->machine;
    made->clocks = options->clocks;
    made->sink = options->sink;
    made->accumulate_below = options->accumulate_below;
    made->mmad_before = UINT32_MAX;
    shadow_pool_init(&made->pool);
    uint32_t regions = options->program->region_count;
    made->tensor = arena_take(arena, (size_t)regions + 1, sizeof *made->tensor);
    if (made->tensor == NULL)
        return STATUS_NO_MEMORY;
    enum status status = STATUS_OK;
    for (uint32_t space = 0; space < SPACE_COUNT && status == STATUS_OK; space++)
        if (space != SPACE_GM)
            status = race_open_chip(made, space, options->size_bytes[space], arena);
    for (uint32_t region = 0; region < regions && status == STATUS_OK; region++)
        if (options->program->regions[region].space == SPACE_GM)
            status = shadow_init(&made->tensor[region],
                                 options->program->regions[region].size_bytes, arena);
    return status;
}

void race_close(struct race *race)
{
    if (race == NULL)
        return;
    shadow_pool_deinit(&race->pool);
    array_release(race->stretch);
    array_release(race->conflict);
    race->stretch = NULL;
    race->conflict = NULL;
}

void race_core(struct race *race, uint32_t core)
{
    race->core = core;
    race->mmad_before = UINT32_MAX;
    for (uint32_t space = 0; space < SPACE_COUNT; space++)
        shadow_clear(&race->chip[space], &race->pool);
}

/* ---- gathering ---- */

static uint64_t mmad_fractals(const struct insn *insn)
{
    uint64_t rows = ((uint64_t)insn->field[MMAD_m] + 15) / 16;
    uint64_t columns = ((uint64_t)insn->field[MMAD_n] + 15) / 16;
    return rows * columns;
}

void race_begin(struct race *race, const struct insn *insn, uint32_t seq)
{
    race->ref = insn_ref_of(insn, seq);
    race->pipe = (enum pipe)insn->pipe;
    race->accumulates = insn->opcode == OP_MMAD && mmad_fractals(insn) < race->accumulate_below;
    race->stretch_count = 0;
    memset(race->open, 0, sizeof race->open);
}

static void bits_add(struct block_bits *bits, uint64_t from, uint64_t to)
{
    uint64_t first = from / 64, last = (to - 1) / 64;
    bits->first = first < bits->first ? first : bits->first;
    bits->last = last > bits->last ? last : bits->last;
    for (uint64_t word = first; word <= last; word++) {
        uint64_t low = word == first ? from % 64 : 0, high = word == last ? (to - 1) % 64 : 63;
        bits->word[word] |= UINT64_MAX << low & UINT64_MAX >> (63 - high);
    }
}

static void stretch_add(struct race *race, const struct stretch *stretch)
{
    void *grown = array_grow(race->stretch, &race->stretch_capacity, race->stretch_count + 1,
                             sizeof *race->stretch);
    if (grown == NULL) {
        race->failed = true;
        return;
    }
    race->stretch = grown;
    race->stretch[race->stretch_count++] = *stretch;
}

/* Adds to the stretch that was told last, if it goes on there. */
static bool stretch_extend(struct race *race, const struct stretch *told)
{
    size_t open = race->open[told->kind];
    struct stretch *last = open == 0 ? NULL : &race->stretch[open - 1];
    if (last == NULL || last->space != told->space || last->region != told->region ||
        told->from > last->to || told->to < last->from)
        return false;
    last->from = told->from < last->from ? told->from : last->from;
    last->to = told->to > last->to ? told->to : last->to;
    return true;
}

void race_access(void *context, enum space space, uint32_t region, uint64_t address,
                 uint64_t size_bytes, bool write)
{
    struct race *race = context;
    bool global = space == SPACE_GM;
    if (size_bytes == 0)
        return;
    if (!global && (address | size_bytes) % BLOCK_BYTES == 0) {
        bits_add(&race->bits[write ? ACCESS_WRITE : ACCESS_READ][space], address / BLOCK_BYTES,
                 (address + size_bytes) / BLOCK_BYTES);
        return;
    }
    const struct stretch told = {
        .from = address,
        .to = address + size_bytes,
        .space = space,
        .region = global ? region : 0,
        .kind = global && race->machine->adding ? ACCESS_ATOMIC
                : write                         ? ACCESS_WRITE
                                                : ACCESS_READ,
    };
    if (stretch_extend(race, &told))
        return;
    stretch_add(race, &told);
    race->open[told.kind] = race->stretch_count;
}

/* Makes stretches of the blocks that were gathered, and forgets these. */
static void bits_settle(struct race *race, enum access_kind kind, uint32_t space)
{
    struct block_bits *bits = &race->bits[kind][space];
    uint64_t block = bits->first * 64, end = (bits->last + 1) * 64;
    if (bits->word == NULL || bits->first > bits->last)
        return;
    while (block < end) {
        uint64_t word = bits->word[block / 64] >> block % 64;
        if ((word & 1) == 0) {
            block = word == 0 ? (block / 64 + 1) * 64 : block + 1;
            continue;
        }
        struct stretch run = {.from = block * BLOCK_BYTES, .space = space, .kind = kind};
        while (block < end && (bits->word[block / 64] >> block % 64 & 1) != 0)
            block += bits->word[block / 64] >> block % 64 == UINT64_MAX ? 64 : 1;
        run.to = block * BLOCK_BYTES;
        stretch_add(race, &run);
    }
    memset(bits->word + bits->first, 0, (bits->last - bits->first + 1) * sizeof *bits->word);
    bits->first = UINT64_MAX;
    bits->last = 0;
}

/* Reads before writes: an instruction reads what was there before it. */
static int stretch_compare(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static bool stretches_sorted(const struct race *race)
{
    for (size_t i = 1; i < race->stretch_count; i++)
        if (stretch_compare(&race->stretch[i - 1], &race->stretch[i]) > 0)
            return false;
    return true;
}

/* Puts all that was gathered in order and joins what touches. */
static void stretches_settle(struct race *race)
{
    size_t kept = 0;
    for (uint32_t kind = 0; kind < ACCESS_ATOMIC; kind++)
        for (uint32_t space = 0; space < SPACE_COUNT; space++)
            bits_settle(race, (enum access_kind)kind, space);
    if (!stretches_sorted(race))
        qsort(race->stretch, race->stretch_count, sizeof *race->stretch, stretch_compare);
    for (size_t i = 1; i < race->stretch_count; i++) {
        const struct stretch *next = &race->stretch[i];
        struct stretch *last = &race->stretch[kept];
        if (next->kind == last->kind && next->space == last->space &&
            next->region == last->region && next->from <= last->to)
            last->to = next->to > last->to ? next->to : last->to;
        else
            race->stretch[++kept] = *next;
    }
    if (race->stretch_count > 0)
        race->stretch_count = kept + 1;
}

/* ---- judging ---- */

/* A small Mmad may start before the C of the Mmad in front of it is written: with fewer fractals
 * than it takes for a result to come out, it would add to the old C. */
static bool accumulation_races(const struct race *race, const struct access *old)
{
    return race->accumulates && race->judged.kind == ACCESS_READ && old->kind == ACCESS_WRITE &&
           old->ref.seq == race->mmad_before &&
           !clocks_before(race->clocks, old->lane, old->ref.seq, race->pipe);
}

static bool access_ordered(const struct race *race, const struct access *old)
{
    if (old->core != race->core)
        return false;
    enum pipe pipe = lane_pipe(old->lane);
    if (pipe == race->pipe)
        return race->judged.space != SPACE_L0C || !accumulation_races(race, old);
    return clocks_before(race->clocks, old->lane, old->ref.seq, race->pipe);
}

static bool kinds_conflict(enum access_kind left, enum access_kind right)
{
    return left != right || left == ACCESS_WRITE;
}

/* Keeps one conflict for each earlier instruction, with the bytes from the first to the last. */
static void conflict_add(struct race *race, const struct access *old, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < race->conflict_count; i++) {
        struct conflict *found = &race->conflict[i];
        if (found->old.ref.seq != old->ref.seq || found->old.core != old->core)
            continue;
        if (found->bytes.space == race->judged.space &&
            found->bytes.region == race->judged.region && found->old.kind == old->kind &&
            found->kind == race->judged.kind) {
            found->bytes.from = from < found->bytes.from ? from : found->bytes.from;
            found->bytes.to = to > found->bytes.to ? to : found->bytes.to;
        }
        return;
    }
    void *grown = array_grow(race->conflict, &race->conflict_capacity, race->conflict_count + 1,
                             sizeof *race->conflict);
    if (grown == NULL) {
        race->failed = true;
        return;
    }
    race->conflict = grown;
    struct conflict *conflict = &race->conflict[race->conflict_count++];
    *conflict = (struct conflict){.old = *old, .kind = race->judged.kind, .bytes = race->judged};
    conflict->bytes.from = from;
    conflict->bytes.to = to;
}

static bool superseded(void *context, const struct access *old, const struct access *new)
{
    const struct race *race = context;
    return (new->kind == ACCESS_WRITE || new->kind == old->kind) && access_ordered(race, old);
}

static void segment_judge(void *context, uint32_t segment, uint32_t from, uint32_t to)
{
    struct race *race = context;
    for (uint32_t index = race->pool.segment[segment].first; index != 0;
         index = race->pool.access[index].next) {
        const struct access *old = &race->pool.access[index].access;
        if (kinds_conflict((enum access_kind)old->kind, race->judged.kind) &&
            !access_ordered(race, old))
            conflict_add(race, old, race->page_from + from, race->page_from + to);
    }
    shadow_put(&race->pool, segment, &race->access, superseded, race);
}

/* Mmad reads its operands in another lane than it works on C. */
static uint8_t stretch_lane(const struct race *race, const struct stretch *stretch)
{
    bool operand = race->pipe == PIPE_CUBE && stretch->space != SPACE_L0C;
    return (uint8_t)(operand ? LANE_CUBE_OPERANDS : (int)race->pipe);
}

static void stretch_judge(struct race *race, const struct stretch *stretch)
{
    struct shadow *shadow =
        stretch->space == SPACE_GM ? &race->tensor[stretch->region] : &race->chip[stretch->space];
    race->judged = *stretch;
    race->access = (struct access){
        .ref = race->ref,
        .core = race->core,
        .lane = stretch_lane(race, stretch),
        .kind = (uint8_t)stretch->kind,
    };
    uint64_t last = (stretch->to - 1) / SHADOW_PAGE_BYTES;
    for (uint64_t page = stretch->from / SHADOW_PAGE_BYTES; page <= last; page++) {
        race->page_from = page * SHADOW_PAGE_BYTES;
        uint64_t from = stretch->from > race->page_from ? stretch->from - race->page_from : 0;
        uint64_t to = stretch->to - race->page_from;
        to = to < SHADOW_PAGE_BYTES ? to : SHADOW_PAGE_BYTES;
        shadow_visit(shadow, &race->pool, page, (uint32_t)from, (uint32_t)to, segment_judge, race);
        if (stretch->kind == ACCESS_WRITE)
            shadow_join(shadow, &race->pool, page, (uint32_t)from, (uint32_t)to);
    }
}

/* ---- telling ---- */

enum { PLACE_BYTES = 160, HINT_BYTES = 240 };

static const char *access_word(enum access_kind kind)
{
    static const char *const words[ACCESS_KINDS] = {"reads", "writes", "adds to"};
    return words[kind];
}

/* The region of the program that holds the first byte; NULL when none does. */
static const struct region *stretch_region(const struct race *race, const struct stretch *bytes)
{
    if (bytes->space == SPACE_GM)
        return &race->program->regions[bytes->region];
    for (uint32_t i = 0; i < race->program->region_count; i++) {
        const struct region *region = &race->program->regions[i];
        if (region->space == (enum space)bytes->space && bytes->from >= region->base_bytes &&
            bytes->from - region->base_bytes < region->size_bytes)
            return region;
    }
    return NULL;
}

/* "bytes 0..8191 of l0a ('a0')". */
static void stretch_text(const struct race *race, const struct stretch *bytes,
                         char text[PLACE_BYTES])
{
    const struct region *region = stretch_region(race, bytes);
    int used = snprintf(text, PLACE_BYTES, "bytes %" PRIu64 "..%" PRIu64 " of %s", bytes->from,
                        bytes->to - 1, space_word((enum space)bytes->space));
    if (region != NULL && used > 0 && used < PLACE_BYTES)
        snprintf(text + used, PLACE_BYTES - (size_t)used, " ('%.64s')", region->name);
}

/* What would order the two: first and second in program order. */
static void hint_text(const struct insn_ref *first, enum pipe first_pipe,
                      const struct insn_ref *second, enum pipe second_pipe, char text[HINT_BYTES])
{
    char one[INSN_REF_TEXT_BYTES], two[INSN_REF_TEXT_BYTES];
    insn_ref_text(first, one);
    insn_ref_text(second, two);
    if (first_pipe == second_pipe)
        snprintf(text, HINT_BYTES, "pipe_barrier pipe=%s between them", pipe_word(first_pipe));
    else
        snprintf(text, HINT_BYTES,
                 "set_flag src=%s dst=%s behind %s and its wait_flag before %s, or pipe_barrier "
                 "pipe=ALL between them",
                 pipe_word(first_pipe), pipe_word(second_pipe), one, two);
}

static uint64_t conflict_key(const struct race *race, const struct conflict *conflict)
{
    const struct insn_ref *old = &conflict->old.ref;
    bool filed = race->ref.line != 0;
    const struct region *region = stretch_region(race, &conflict->bytes);
    const uint64_t values[] = {
        HAZARD_RACE,
        race->ref.opcode,
        old->opcode,
        race->ref.line,
        old->line,
        filed ? race->core : 0,
        filed ? conflict->old.core : 0,
        conflict->old.core == race->core,
        filed || region == NULL ? 0 : (uint64_t)(region - race->program->regions),
        conflict->bytes.space,
    };
    return finding_key(values, sizeof values / sizeof values[0]);
}

static void conflict_tell(const struct race *race, const struct conflict *conflict)
{
    const struct access *old = &conflict->old;
    char here[INSN_REF_TEXT_BYTES], there[INSN_REF_TEXT_BYTES], place[PLACE_BYTES];
    const struct finding finding = {
        .kind = HAZARD_RACE,
        .where = race->ref,
        .key = conflict_key(race, conflict),
    };
    insn_ref_text(&race->ref, here);
    insn_ref_text(&old->ref, there);
    stretch_text(race, &conflict->bytes, place);
    if (old->core != race->core) {
        finding_tell(race->sink, &finding,
                     "%s of core %" PRIu32 " and %s of core %" PRIu32 " are not ordered: the first "
                     "%s, the second %s %s; expected other bytes, as nothing orders cores",
                     here, race->core, there, old->core, access_word(conflict->kind),
                     access_word((enum access_kind)old->kind), place);
        return;
    }
    char hint[HINT_BYTES];
    enum pipe pipe = lane_pipe(old->lane);
    if (old->ref.seq < race->ref.seq)
        hint_text(&old->ref, pipe, &race->ref, race->pipe, hint);
    else
        hint_text(&race->ref, race->pipe, &old->ref, pipe, hint);
    finding_tell(race->sink, &finding,
                 "%s and %s are not ordered: the first %s, the second %s %s; expected %s", here,
                 there, access_word(conflict->kind), access_word((enum access_kind)old->kind),
                 place, hint);
}

enum status race_end(struct race *race)
{
    race->conflict_count = 0;
    stretches_settle(race);
    for (size_t i = 0; i < race->stretch_count; i++)
        stretch_judge(race, &race->stretch[i]);
    for (size_t i = 0; i < race->conflict_count; i++)
        conflict_tell(race, &race->conflict[i]);
    if (race->ref.opcode == OP_MMAD)
        race->mmad_before = race->ref.seq;
    return race->failed || race->pool.failed ? STATUS_NO_MEMORY : STATUS_OK;
}
