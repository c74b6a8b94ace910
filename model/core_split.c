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

static void core_share_axis(uint64_t units, uint64_t ways, uint64_t *core, uint64_t *from,
                            uint64_t *until)
{
    uint64_t part = *core % ways;

    *core /= ways;
    *from = core_part(units, ways, part);
    *until = core_part(units, ways, part + 1);
}

void core_share(const struct plan *plan, uint64_t core, struct core_share *share)
{
    const uint64_t *split = plan->schedule.split;
    uint64_t units[SPLIT_COUNT];

    assert(core < plan->schedule.cores);
    core_units(&plan->conv, &plan->tile, units);
    core_share_axis(units[SPLIT_N], split[SPLIT_N], &core, &share->n_from, &share->n_until);
    core_share_axis(units[SPLIT_M], split[SPLIT_M], &core, &share->m_from, &share->m_until);
    core_share_axis(units[SPLIT_GROUP], split[SPLIT_GROUP], &core, &share->group_from,
                    &share->group_until);
    core_share_axis(units[SPLIT_BATCH], split[SPLIT_BATCH], &core, &share->batch_from,
                    &share->batch_until);
}
