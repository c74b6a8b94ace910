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

/* Blocks of 32 B of an on-chip memory that an instruction touches. Accesses come in an order of
 * their own, so that gathering them here saves sorting. */
struct block_bits {
    uint64_t *whole;      /* a bit for each block that is touched as a whole */
    uint64_t *part;       /* a bit for each block that has a mask */
    uint32_t *mask;       /* [block]: a bit for each byte that is touched */
    uint64_t first, last; /* words of whole and part that have bits; first > last: none has */
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
        size_t words = (size_t)(size_bytes / BLOCK_BYTES / 64 + 1);
        bits->whole = arena_take(arena, words, sizeof *bits->whole);
        bits->part = arena_take(arena, words, sizeof *bits->part);
        bits->mask = arena_take(arena, words * 64, sizeof *bits->mask);
        bits->first = UINT64_MAX;
        if (bits->whole == NULL || bits->part == NULL || bits->mask == NULL)
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

static void bits_cover(struct block_bits *bits, uint64_t first, uint64_t last)
{
    bits->first = first < bits->first ? first : bits->first;
    bits->last = last > bits->last ? last : bits->last;
}

/* Whole blocks [from, to). */
static void bits_add_whole(struct block_bits *bits, uint64_t from, uint64_t to)
{
    uint64_t first = from / 64, last = (to - 1) / 64;
    bits_cover(bits, first, last);
    for (uint64_t word = first; word <= last; word++) {
        uint64_t low = word == first ? from % 64 : 0, high = word == last ? (to - 1) % 64 : 63;
        bits->whole[word] |= UINT64_MAX << low & UINT64_MAX >> (63 - high);
    }
}

/* Bytes [from, to) of one block. */
static void bits_add_part(struct block_bits *bits, uint64_t block, uint32_t from, uint32_t to)
{
    bits_cover(bits, block / 64, block / 64);
    bits->part[block / 64] |= UINT64_C(1) << block % 64;
    bits->mask[block] |= UINT32_MAX << from & UINT32_MAX >> (BLOCK_BYTES - to);
}

static void bits_add(struct block_bits *bits, uint64_t from, uint64_t to)
{
    uint64_t first = from / BLOCK_BYTES, last = to / BLOCK_BYTES; /* last: that `to` lies in */
    uint32_t head = (uint32_t)(from % BLOCK_BYTES), tail = (uint32_t)(to % BLOCK_BYTES);
    if (head != 0) {
        bits_add_part(bits, first, head, first == last ? tail : BLOCK_BYTES);
        first++;
    }
    if (first < last)
        bits_add_whole(bits, first, last);
    if (tail != 0 && first <= last)
        bits_add_part(bits, last, 0, tail);
}

static void stretch_add(struct race *race, const struct stretch *stretch)
{
    if (race->stretch_count == race->stretch_capacity) {
        void *grown = array_grow(race->stretch, &race->stretch_capacity, race->stretch_count + 1,
                                 sizeof *race->stretch);
        if (grown == NULL) {
            race->failed = true;
            return;
        }
        race->stretch = grown;
    }
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
    if (size_bytes == 0)
        return;
    if (space != SPACE_GM) {
        bits_add(&race->bits[write ? ACCESS_WRITE : ACCESS_READ][space], address,
                 address + size_bytes);
        return;
    }
    const struct stretch told = {
        .from = address,
        .to = address + size_bytes,
        .space = space,
        .region = region,
        .kind = race->machine->adding ? ACCESS_ATOMIC
                : write               ? ACCESS_WRITE
                                      : ACCESS_READ,
    };
    if (stretch_extend(race, &told))
        return;
    stretch_add(race, &told);
    race->open[told.kind] = race->stretch_count;
}

/* Adds bytes to a run of them that grows upwards; a run that they do not touch is put away. */
static void run_add(struct race *race, struct stretch *run, uint64_t from, uint64_t to)
{
    if (from != run->to && run->to != 0)
        stretch_add(race, run);
    if (from != run->to || run->to == 0)
        run->from = from;
    run->to = to;
}

/* The number of the lowest bit that is set; there is one. */
static uint32_t lowest_bit(uint32_t mask)
{
    uint32_t bit = 0;
    for (uint32_t half = BLOCK_BYTES / 2; half > 0; half /= 2)
        if (mask << (BLOCK_BYTES - half) == 0) {
            mask >>= half;
            bit += half;
        }
    return bit;
}

/* Adds the bytes of a block that a mask names. */
static void run_add_mask(struct race *race, struct stretch *run, uint64_t start, uint32_t mask)
{
    uint32_t at = 0;
    while (mask != 0) {
        uint32_t gap = lowest_bit(mask);
        uint32_t rest = ~(mask >> gap);
        uint32_t length = rest == 0 ? BLOCK_BYTES : lowest_bit(rest);
        run_add(race, run, start + at + gap, start + at + gap + length);
        at += gap + length;
        mask = at == BLOCK_BYTES ? 0 : mask >> gap >> length;
    }
}

/* Adds the 64 blocks of a word to the run. */
static void run_add_word(struct race *race, struct stretch *run, struct block_bits *bits,
                         uint64_t word)
{
    uint64_t start = word * 64 * BLOCK_BYTES;
    uint64_t whole = bits->whole[word], part = bits->part[word] & ~whole;
    if (whole == UINT64_MAX)
        run_add(race, run, start, start + UINT64_C(64) * BLOCK_BYTES);
    for (uint64_t block = word * 64; whole != UINT64_MAX && (whole | part) != 0; block++) {
        if ((whole & 1) != 0)
            run_add(race, run, start, start + BLOCK_BYTES);
        else if ((part & 1) != 0)
            run_add_mask(race, run, start, bits->mask[block]);
        start += BLOCK_BYTES;
        whole >>= 1;
        part >>= 1;
    }
    if (bits->part[word] != 0)
        memset(bits->mask + word * 64, 0, 64 * sizeof *bits->mask);
    bits->whole[word] = bits->part[word] = 0;
}

/* Makes stretches of the blocks that were gathered, and forgets these. */
static void bits_settle(struct race *race, enum access_kind kind, uint32_t space)
{
    struct block_bits *bits = &race->bits[kind][space];
    struct stretch run = {.space = space, .kind = kind};
    if (bits->whole == NULL || bits->first > bits->last)
        return;
    for (uint64_t word = bits->first; word <= bits->last; word++)
        run_add_word(race, &run, bits, word);
    stretch_add(race, &run);
    bits->first = UINT64_MAX;
    bits->last = 0;
}

/* Of GM. Reads before writes: an instruction reads what was there before it. */
static int stretch_compare(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
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

/* Puts what was gathered in order, memory by memory, and joins what touches. */
static void stretches_settle(struct race *race)
{
    size_t kept = 0;
    if (!stretches_sorted(race))
        qsort(race->stretch, race->stretch_count, sizeof *race->stretch, stretch_compare);
    for (uint32_t kind = 0; kind < ACCESS_ATOMIC; kind++)
        for (uint32_t space = 0; space < SPACE_COUNT; space++)
            bits_settle(race, (enum access_kind)kind, space);
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
            shadow_join(shadow, &race->pool, page, (uint32_t)to);
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
