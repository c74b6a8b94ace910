#include "model/core_split.h"

#include <assert.h>
#include <stdbool.h>

#include "model/saturate.h"

void core_units(const struct conv *conv, const struct tile *tile, uint64_t units[SPLIT_COUNT])
{
    uint64_t depths = (uint64_t)conv->out[AXIS_D];
    uint64_t rows = (uint64_t)conv->out[AXIS_H];
    uint64_t columns = (uint64_t)conv->out[AXIS_W];

    units[SPLIT_BATCH] = conv->batch;
    units[SPLIT_GROUP] = conv->groups;
    uint64_t m_tiles = 0;
    if (tile->linear_m)
        m_tiles = ceil_div(saturate_mul(rows, columns), tile->m_l1);
    else
        m_tiles = saturate_mul(ceil_div(rows, tile->h_l1), ceil_div(columns, tile->w_l1));
    units[SPLIT_M] = saturate_mul(depths, m_tiles);
    units[SPLIT_N] = ceil_div(conv->cout / conv->groups, tile->n_l1);
}

uint64_t core_slices(const struct plan *plan, enum split axis)
{
    if (plan->form != TILE_MATMUL || (axis != SPLIT_M && axis != SPLIT_N))
        return 1;
    return axis == SPLIT_M ? plan->base.l2_m : plan->base.l2_n;
}

void core_slice_units(const struct plan *plan, uint64_t units[SPLIT_COUNT])
{
    core_units(&plan->conv, &plan->tile, units);
    for (enum split axis = SPLIT_BATCH; axis < SPLIT_COUNT; axis++)
        units[axis] = ceil_div(units[axis], core_slices(plan, axis));
}

uint64_t core_part(uint64_t units, uint64_t ways, uint64_t part)
{
    assert(ways >= 1 && ways <= UINT32_MAX && part <= ways);
    /* part * units / ways without the wide product. */
    return units / ways * part + units % ways * part / ways;
}

struct core_choice {
    uint64_t split[SPLIT_COUNT];
    uint64_t work;  /* units of the busiest core */
    uint64_t cores; /* 0: nothing chosen yet */
};

static bool core_choice_better(const struct core_choice *a, const struct core_choice *b)
{
    static const enum split order[] = {SPLIT_BATCH, SPLIT_M, SPLIT_GROUP, SPLIT_N};

    if (b->cores == 0 || a->work != b->work)
        return b->cores == 0 || a->work < b->work;
    if (a->cores != b->cores)
        return a->cores < b->cores;
    for (int i = 0; i < SPLIT_COUNT; i++)
        if (a->split[order[i]] != b->split[order[i]])
            return a->split[order[i]] > b->split[order[i]];
    return false;
}

/* Tries every number of ways along axis and what lies behind it; room cores are left. */
static void core_choice_search(const uint64_t units[SPLIT_COUNT], int axis, uint64_t room,
                               struct core_choice *now, struct core_choice *best)
{
    if (axis == SPLIT_COUNT) {
        if (core_choice_better(now, best))
            *best = *now;
        return;
    }
    struct core_choice next = *now;
    for (uint64_t ways = 1; ways <= room && ways <= units[axis]; ways++) {
        next.split[axis] = ways;
        next.cores = now->cores * ways;
        next.work = saturate_mul(now->work, ceil_div(units[axis], ways));
        core_choice_search(units, axis + 1, room / ways, &next, best);
    }
}

uint64_t core_split_choose(const uint64_t units[SPLIT_COUNT], uint64_t cores,
                           uint64_t split[SPLIT_COUNT])
{
    struct core_choice now = {.work = 1, .cores = 1};
    struct core_choice best = {.cores = 0};

    assert(cores >= 1);
    core_choice_search(units, 0, cores, &now, &best);
    assert(best.cores >= 1);
    for (int i = 0; i < SPLIT_COUNT; i++)
        split[i] = best.split[i];
    return best.cores;
}

/* A range of units of one kind. */
struct axis_share {
    uint64_t from, until;
};

static struct axis_share core_share_axis(struct axis_share all, uint64_t ways, bool by_ceiling,
                                         uint64_t *core)
{
    uint64_t units = all.until - all.from, part = *core % ways;
    uint64_t most = ceil_div(units, ways);

    *core /= ways;
    if (by_ceiling)
        return (struct axis_share){all.from + least(part * most, units),
                                   all.from + least((part + 1) * most, units)};
    return (struct axis_share){all.from + core_part(units, ways, part),
                               all.from + core_part(units, ways, part + 1)};
}

static struct axis_share slice_share(const struct plan *plan, enum split axis, uint64_t units,
                                     uint64_t slice)
{
    uint64_t slices = core_slices(plan, axis);

    return (struct axis_share){core_part(units, slices, slice),
                               core_part(units, slices, slice + 1)};
}

void core_share(const struct plan *plan, uint64_t core, struct core_slice slice,
                struct core_share *share)
{
    const uint64_t *split = plan->schedule.split;
    uint64_t units[SPLIT_COUNT];
    struct axis_share axis[SPLIT_COUNT];
    static const enum split order[] = {SPLIT_N, SPLIT_M, SPLIT_GROUP, SPLIT_BATCH};

    assert(core < plan->schedule.cores);
    core_units(&plan->conv, &plan->tile, units);
    if (plan->schedule.deal != 0)
        core /= plan->schedule.deal;
    for (int i = 0; i < SPLIT_COUNT; i++) {
        enum split at = order[i];
        struct axis_share all = slice_share(plan, at, units[at],
                                            at == SPLIT_M   ? slice.m
                                            : at == SPLIT_N ? slice.n
                                                            : 0);
        axis[at] = core_share_axis(all, split[at], plan->matmul, &core);
    }
    *share = (struct core_share){
        .batch_from = axis[SPLIT_BATCH].from,
        .batch_until = axis[SPLIT_BATCH].until,
        .group_from = axis[SPLIT_GROUP].from,
        .group_until = axis[SPLIT_GROUP].until,
        .m_from = axis[SPLIT_M].from,
        .m_until = axis[SPLIT_M].until,
        .n_from = axis[SPLIT_N].from,
        .n_until = axis[SPLIT_N].until,
    };
}
