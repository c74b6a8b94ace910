#include "model/race.h"

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
    struct insn_ref ref;
    enum pipe pipe;
    bool accumulates;
    uint32_t mmad_before; /* seq of the last Mmad; only its own accesses are compared with it */
    struct stretches stretches;
    struct conflicts conflicts;
    struct access access;  /* what it puts into the shadow */
    struct stretch judged; /* of this stretch */
    uint64_t page_from;    /* byte at which the page at work starts */
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
}

void race_core(struct race *race, uint32_t core)
{
    race->core = core;
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
    race->ref = insn_ref_of(insn, seq);
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
            !access_ordered(race, old)) {
            struct stretch bytes = race->judged;
            bytes.from = race->page_from + from;
            bytes.to = race->page_from + to;
            conflicts_add(&race->conflicts, old, &race->access, &bytes);
        }
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

enum status race_end(struct race *race)
{
    stretches_settle(&race->stretches);
    for (size_t i = 0; i < race->stretches.count; i++)
        stretch_judge(race, &race->stretches.item[i]);
    conflicts_tell(&race->conflicts);
    if (race->ref.opcode == OP_MMAD)
        race->mmad_before = race->ref.seq;
    bool failed = race->stretches.failed || race->conflicts.failed || race->pool.failed;
    return failed ? STATUS_NO_MEMORY : STATUS_OK;
}
