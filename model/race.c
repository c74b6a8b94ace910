#include "model/race.h"

#include <stdlib.h>
#include <string.h>

#include "model/race_conflict.h"
#include "model/race_shadow.h"
#include "model/race_stretch.h"

struct race {
    const struct machine *machine;
    const struct clocks *clocks;
    uint64_t accumulate_below;
    struct shadow chip[SPACE_COUNT]; /* on-chip memories */
    struct shadow *tensor;           /* [region] */
    struct shadow_pool pool;
    uint32_t core;

    /* the instruction at work */
    enum pipe pipe;
    bool accumulates;
    uint32_t mmad_before; /* seq of the last Mmad; only its own accesses are compared with it */
    struct stretches stretches;
    struct conflicts conflicts;
    struct access access;       /* what it puts into the shadow */
    const struct touch *judged; /* of the page at work */
    uint8_t *read; /* array_grow: a bit for each instruction of the core of whose writes on chip a
                      byte was read, or that nobody had is told */
    size_t read_capacity;
    struct meeting *meeting; /* array_grow: conflicts in the page */
    size_t meeting_capacity, meeting_count;
};

/* Bytes of the page at work, from first to last, over which the instruction meets an old access. */
struct meeting {
    uint32_t first, last;
    uint32_t order; /* as they were found */
    bool unread;    /* no race: it overwrites what nobody has read */
    struct access old;
};

enum status race_open(const struct race_options *options, struct arena *arena, struct race **race)
{
    const struct program *program = options->program;
    struct race *made = arena_take(arena, 1, sizeof *made);
    *race = made;
    if (made == NULL)
        return STATUS_NO_MEMORY;
    made->machine = options->machine;
    made->clocks = options->clocks;
    made->accumulate_below = options->accumulate_below;
    made->conflicts.program = program;
    made->conflicts.sink = options->sink;
    shadow_pool_init(&made->pool);
    made->tensor = arena_take(arena, (size_t)program->region_count + 1, sizeof *made->tensor);
    if (made->tensor == NULL)
        return STATUS_NO_MEMORY;
    enum status status = stretches_open(&made->stretches, options->size_bytes, arena);
    for (uint32_t space = 0; space < SPACE_COUNT && status == STATUS_OK; space++)
        if (space != SPACE_GM)
            status = shadow_init(&made->chip[space], options->size_bytes[space], arena);
    for (uint32_t region = 0; region < program->region_count && status == STATUS_OK; region++)
        if (program->regions[region].space == SPACE_GM)
            status = shadow_init(&made->tensor[region], program->regions[region].size_bytes, arena);
    return status;
}

void race_close(struct race *race)
{
    if (race == NULL)
        return;
    shadow_pool_deinit(&race->pool);
    stretches_close(&race->stretches);
    conflicts_close(&race->conflicts);
    array_release(race->meeting);
    array_release(race->read);
}

void race_core(struct race *race, uint32_t core)
{
    race->core = core;
    if (race->read_capacity > 0)
        memset(race->read, 0, race->read_capacity);
    for (uint32_t space = 0; space < SPACE_COUNT; space++)
        shadow_clear(&race->chip[space], &race->pool);
}

static uint64_t mmad_fractals(const struct insn *insn)
{
    uint64_t rows = ((uint64_t)insn->field[MMAD_m] + 15) / 16;
    uint64_t columns = ((uint64_t)insn->field[MMAD_n] + 15) / 16;
    return rows * columns;
}

void race_begin(struct race *race, const struct insn *insn, uint32_t seq)
{
    race->access = (struct access){.ref = insn_ref_of(insn, seq), .core = race->core};
    race->pipe = (enum pipe)insn->pipe;
    race->accumulates = insn->opcode == OP_MMAD && mmad_fractals(insn) < race->accumulate_below;
    stretches_begin(&race->stretches);
    conflicts_clear(&race->conflicts);
}

/* Only what an addition does in GM is an addition: on chip it reads what it adds. */
void race_access(void *context, enum space space, uint32_t region, uint64_t address,
                 uint64_t size_bytes, bool write)
{
    struct race *race = context;
    if (size_bytes == 0)
        return;
    if (space != SPACE_GM) {
        stretches_add_chip(&race->stretches, space, write, address, address + size_bytes);
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
    stretches_add_gm(&race->stretches, &told);
}

/* ---- judging ---- */

/* A small Mmad may start before the C of the Mmad in front of it is written: with fewer fractals
 * than it takes for a result to come out, it would add to the old C. */
static bool accumulation_races(const struct race *race, const struct access *old)
{
    return race->accumulates && race->judged->kind == ACCESS_READ && old->kind == ACCESS_WRITE &&
           old->ref.seq == race->mmad_before &&
           !clocks_before(race->clocks, old->lane, old->ref.seq, race->pipe);
}

static bool access_ordered(const struct race *race, const struct access *old)
{
    if (old->core != race->core)
        return false;
    enum pipe pipe = lane_pipe(old->lane);
    if (pipe == race->pipe)
        return race->judged->space != SPACE_L0C || !accumulation_races(race, old);
    return clocks_before(race->clocks, old->lane, old->ref.seq, race->pipe);
}

static bool kinds_conflict(enum access_kind left, enum access_kind right)
{
    return left != right || left == ACCESS_WRITE;
}

static bool was_read(const struct race *race, uint32_t seq)
{
    return seq / 8 < race->read_capacity && (race->read[seq / 8] >> seq % 8 & 1) != 0;
}

static void mark_read(struct race *race, uint32_t seq)
{
    if (seq / 8 >= race->read_capacity) {
        void *grown =
            array_grow(race->read, &race->read_capacity, (size_t)seq / 8 + 1, sizeof *race->read);
        if (grown == NULL) {
            race->conflicts.failed = true;
            return;
        }
        race->read = grown;
    }
    race->read[seq / 8] |= (uint8_t)(1U << seq % 8);
}

static void meeting_add(struct race *race, const struct access *old,
                        const struct page_bytes *shared, bool unread)
{
    void *grown = array_grow(race->meeting, &race->meeting_capacity, race->meeting_count + 1,
                             sizeof *race->meeting);
    if (grown == NULL) {
        race->conflicts.failed = true;
        return;
    }
    race->meeting = grown;
    race->meeting[race->meeting_count] = (struct meeting){
        .first = page_bytes_first(shared),
        .last = page_bytes_last(shared),
        .order = (uint32_t)race->meeting_count,
        .unread = unread,
        .old = *old,
    };
    race->meeting_count++;
}

/* True when the access at work stands for an old one from now on. */
static bool access_judge(void *context, const struct access *old, const struct page_bytes *shared)
{
    struct race *race = context;
    bool ordered = access_ordered(race, old);
    bool written = old->kind == ACCESS_WRITE && race->judged->space != SPACE_GM;
    if (!ordered && kinds_conflict((enum access_kind)old->kind, race->judged->kind))
        meeting_add(race, old, shared, false);
    else if (written && race->judged->kind == ACCESS_READ)
        mark_read(race, old->ref.seq);
    else if (written && race->judged->kind == ACCESS_WRITE && !was_read(race, old->ref.seq)) {
        meeting_add(race, old, shared, true);
        mark_read(race, old->ref.seq);
    }
    return ordered && (race->judged->kind == ACCESS_WRITE || old->kind == race->judged->kind);
}

static int meeting_compare(const void *left, const void *right)
{
    const struct meeting *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Conflicts count by their first byte, at one byte the latest access first. */
static void meetings_tell(struct race *race)
{
    if (race->meeting_count > 1)
        qsort(race->meeting, race->meeting_count, sizeof *race->meeting, meeting_compare);
    for (size_t i = 0; i < race->meeting_count; i++) {
        const struct meeting *meeting = &race->meeting[i];
        uint64_t page_from = race->judged->page * SHADOW_PAGE_BYTES;
        const struct stretch bytes = {
            .from = page_from + meeting->first,
            .to = page_from + meeting->last + 1,
            .space = race->judged->space,
            .region = race->judged->region,
            .kind = race->judged->kind,
        };
        conflicts_add(&race->conflicts, &meeting->old, &race->access, &bytes, meeting->unread);
    }
    race->meeting_count = 0;
}

/* Mmad reads its operands in another lane than it works on C. */
static uint8_t touch_lane(const struct race *race, const struct touch *touch)
{
    bool operand = race->pipe == PIPE_CUBE && touch->space != SPACE_L0C;
    return (uint8_t)(operand ? LANE_CUBE_OPERANDS : (int)race->pipe);
}

/* Judges what the instruction does to a page, and puts it into the shadow. */
static void touch_judge(void *context, const struct touch *touch)
{
    struct race *race = context;
    struct shadow *shadow =
        touch->space == SPACE_GM ? &race->tensor[touch->region] : &race->chip[touch->space];
    race->judged = touch;
    race->access.lane = touch_lane(race, touch);
    race->access.kind = (uint8_t)touch->kind;
    shadow_put(shadow, &race->pool, touch->page, &touch->bytes, &race->access, access_judge, race);
    if (race->meeting_count > 0)
        meetings_tell(race);
}

enum status race_end(struct race *race)
{
    stretches_settle(&race->stretches, touch_judge, race);
    conflicts_tell(&race->conflicts);
    if (race->access.ref.opcode == OP_MMAD)
        race->mmad_before = race->access.ref.seq;
    bool failed = race->stretches.failed || race->conflicts.failed || race->pool.failed;
    return failed ? STATUS_NO_MEMORY : STATUS_OK;
}
