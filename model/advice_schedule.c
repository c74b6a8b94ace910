/*
 * Rules of advice that change the schedule.
 */
#include "model/advice_rules.h"
#include "model/core_split.h"
#include "model/saturate.h"
#include "model/tile_buffers.h"

static const char *const buffer_names[BUFFER_COUNT] = {
    [BUFFER_L1A] = "L1 of A", [BUFFER_L1B] = "L1 of B", [BUFFER_L0A] = "L0A",
    [BUFFER_L0B] = "L0B",     [BUFFER_L0C] = "L0C",
};

static double mte2_share(const struct adviser *adviser)
{
    return path_of_pipe(adviser, PIPE_MTE2);
}

/* ---- the store ---- */

void advise_second_l0c(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    struct plan_change change = {.count = 0};
    struct buffer_plan room;
    enum pipe store = store_pipe(adviser);
    double waits = waits_for(adviser, PIPE_CUBE, store);
    buffers_choose(plan, adviser->product, &plan->tile, &room);
    if (plan->schedule.buffers[BUFFER_L0C] != 1 ||
        saturate_mul(room.slot[BUFFER_L0C], 2) > room.l0c)
        return;
    plan_change_slots(plan, BUFFER_L0C, 2, &change);
    adviser_propose(adviser, larger(waits, path_of_stores(adviser)), &change,
                    "CUBE waits %s of the time for %s, and L0C has room for two slots of %s B",
                    share_text(adviser, waits), pipe_word(store),
                    count_text(adviser, room.slot[BUFFER_L0C]));
}

void advise_unit_flag(struct adviser *adviser)
{
    const struct schedule *schedule = &adviser->plan->schedule;
    struct plan_change change = {.count = 0};
    double waits = waits_for(adviser, PIPE_CUBE, PIPE_FIXP), stores = path_of_stores(adviser);
    if (!arch_has_fixpipe(adviser->product->arch) || schedule->unit_flag)
        return;
    plan_change_add(&change, WORD_UNIT_FLAG, 1);
    adviser_propose(adviser, 0.9 * larger(waits, stores), &change,
                    "FIXP is %s of the critical path and CUBE waits %s of the time for it; with "
                    "unit flags they go by blocks of C",
                    share_text(adviser, stores), share_text(adviser, waits));
}

void advise_store_tiles(struct adviser *adviser)
{
    const struct tile *tile = &adviser->plan->tile;
    struct plan_change change = {.count = 0};
    double stores = path_of_stores(adviser);
    uint64_t width = (uint64_t)adviser->plan->conv.out[AXIS_W];
    bool rows = tile->linear_m ? tile->m_l0 > width : tile->h_l0 > 1;
    if (adviser->plan->schedule.fixpipe != FIXPIPE_ROW || !rows)
        return;
    plan_change_add(&change, WORD_FIXPIPE, FIXPIPE_TILE);
    adviser_propose(adviser, stores, &change,
                    "stores are %s of the critical path, and each row of a tile has its own",
                    share_text(adviser, stores));
}

/* ---- what stays in L1, and in which order ---- */

static double amplification(const struct adviser *adviser)
{
    const struct run_result *result = adviser->result;
    uint64_t out = result->gm_write_bytes;
    uint64_t in = result->tensor_bytes > out ? result->tensor_bytes - out : 1;
    return (double)result->gm_read_bytes / (double)in;
}

static void propose_residency(struct adviser *adviser, enum residency residency, double hope,
                              const char *why)
{
    struct plan_change change = {.count = 0};
    plan_change_add(&change, WORD_RESIDENCY, residency);
    adviser_propose(adviser, hope, &change,
                    "MTE2 is %s of the critical path, %.1f x the tensors are read, and %s",
                    share_text(adviser, mte2_share(adviser)), amplification(adviser), why);
}

void advise_residency(struct adviser *adviser)
{
    double waits = waits_for(adviser, PIPE_MTE1, PIPE_MTE2);
    double hope = larger(mte2_share(adviser), waits);
    if (adviser->plan->schedule.residency != RESIDENCY_RELOAD)
        return;
    propose_residency(adviser, RESIDENCY_PREFETCH, 0.95 * hope,
                      "nothing stays in L1 or is fetched ahead");
    propose_residency(adviser, RESIDENCY_KEEP, 0.8 * hope, "nothing stays in L1");
}

void advise_prefetch(struct adviser *adviser)
{
    double waits = waits_for(adviser, PIPE_MTE1, PIPE_MTE2);
    if (adviser->plan->schedule.residency == RESIDENCY_KEEP)
        propose_residency(adviser, RESIDENCY_PREFETCH, 0.9 * waits, "nothing is fetched ahead");
}

void advise_other_order(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    struct plan_change change = {.count = 0};
    uint64_t units[SPLIT_COUNT];
    double misses = (double)adviser->result->gm_miss_bytes;
    double read = (double)adviser->result->gm_read_bytes;
    core_units(&plan->conv, &plan->tile, units);
    if (units[SPLIT_M] < 2 || units[SPLIT_N] < 2 || read == 0.0)
        return;
    plan_change_order(plan, plan->schedule.order == ORDER_M_FIRST ? ORDER_N_FIRST : ORDER_M_FIRST,
                      &change);
    adviser_propose(adviser, 0.6 * mte2_share(adviser), &change,
                    "MTE2 is %s of the critical path, %s of its bytes are not in L2, and there are "
                    "%s tiles along M and %s along N",
                    share_text(adviser, mte2_share(adviser)), share_text(adviser, misses / read),
                    count_text(adviser, units[SPLIT_M]), count_text(adviser, units[SPLIT_N]));
}

/* Slices let all cores work on what L2 holds. */
void advise_slices(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    struct plan_change change = {.count = 0};
    uint64_t units[SPLIT_COUNT];
    double twice =
        (double)adviser->result->gm_miss_bytes / (double)(adviser->result->tensor_bytes + 1);
    core_units(&plan->conv, &plan->tile, units);
    if (!plan->matmul || plan->form != TILE_MATMUL || twice < 1.1)
        return;
    if (units[SPLIT_M] >= units[SPLIT_N] && plan->base.l2_m * 2 <= units[SPLIT_M])
        plan_change_add(&change, WORD_L2_M, plan->base.l2_m * 2);
    else if (plan->base.l2_n * 2 <= units[SPLIT_N])
        plan_change_add(&change, WORD_L2_N, plan->base.l2_n * 2);
    adviser_propose(adviser, 0.8 * mte2_share(adviser), &change,
                    "L2 does not hold what is read again: %.1f x the tensors come from GM", twice);
}

/* ---- slots ---- */

/* The pipes that fill and empty a buffer. */
static double waits_at(const struct adviser *adviser, enum buffer buffer)
{
    bool l1 = buffer == BUFFER_L1A || buffer == BUFFER_L1B;
    enum pipe fills = l1 ? PIPE_MTE2 : PIPE_MTE1, empties = l1 ? PIPE_MTE1 : PIPE_CUBE;
    return larger(waits_for(adviser, fills, empties), waits_for(adviser, empties, fills));
}

static bool has_room(const struct buffer_plan *room, const struct schedule *schedule,
                     enum buffer buffer)
{
    switch (buffer) {
    case BUFFER_L1A:
        return buffers_l1_bytes(room, 2, schedule->buffers[BUFFER_L1B]) <= room->l1;
    case BUFFER_L1B:
        return buffers_l1_bytes(room, schedule->buffers[BUFFER_L1A], 2) <= room->l1;
    case BUFFER_L0A:
        return saturate_mul(room->slot[buffer], 2) <= room->l0a;
    case BUFFER_L0B:
        return saturate_mul(room->slot[buffer], 2) <= room->l0b;
    case BUFFER_L0C:
    case BUFFER_COUNT:
        break;
    }
    return false;
}

/* Half the K of what fills a buffer; false when it cannot be halved. */
static bool halve_k(const struct plan *plan, enum buffer buffer, struct tile *tile)
{
    uint64_t step = conv_c0(&plan->conv);
    uint64_t area = plan->conv.kernel[AXIS_H] * plan->conv.kernel[AXIS_W];
    uint64_t *k = &tile->k_l0;
    if (buffer == BUFFER_L1A || buffer == BUFFER_L1B) {
        k = buffer == BUFFER_L1A ? &tile->k_a : &tile->k_b;
        step = saturate_mul(step, area);
    }
    if (*k % 2 != 0 || *k / 2 % step != 0)
        return false;
    *k /= 2;
    return true;
}

/* Slots that were written down are said anew; those that are one for want of room come by
 * themselves. */
static void propose_slots(struct adviser *adviser, enum buffer buffer)
{
    const struct plan *plan = adviser->plan;
    struct plan_change change = {.count = 0};
    struct buffer_plan room;
    struct tile tile = plan->tile;
    double waits = waits_at(adviser, buffer);
    buffers_choose(plan, adviser->product, &tile, &room);
    bool halved = false;
    if (!has_room(&room, &plan->schedule, buffer)) {
        halved = halve_k(plan, buffer, &tile) && plan_change_tile(plan, &tile, &change);
        if (!halved)
            return;
    }
    if (room.written[buffer] || !halved)
        plan_change_slots(plan, buffer, 2, &change);
    adviser_propose(adviser, waits, &change,
                    "%s has one slot, and the pipes that fill and empty it wait up to %s of the "
                    "time for each other%s",
                    buffer_names[buffer], share_text(adviser, waits),
                    halved ? "; two have room with half the K" : "");
}

void advise_second_slots(struct adviser *adviser)
{
    for (enum buffer buffer = BUFFER_L1A; buffer < BUFFER_L0C; buffer++)
        if (adviser->plan->schedule.buffers[buffer] == 1)
            propose_slots(adviser, buffer);
}

void advise_hand_back(struct adviser *adviser)
{
    struct plan_change change = {.count = 0};
    double waits =
        larger(waits_for(adviser, PIPE_MTE1, PIPE_MTE2), waits_for(adviser, PIPE_MTE2, PIPE_MTE1));
    if (adviser->plan->schedule.handover != HANDOVER_STEP)
        return;
    plan_change_add(&change, WORD_HANDOVER, HANDOVER_OPERAND);
    adviser_propose(adviser, 0.7 * waits, &change,
                    "MTE1 and MTE2 wait up to %s of the time for each other, and both operands are "
                    "handed over together",
                    share_text(adviser, waits));
}

/* ---- cores ---- */

/* L1 tiles of the busiest core. */
static uint64_t split_work(const uint64_t units[SPLIT_COUNT], const uint64_t split[SPLIT_COUNT])
{
    uint64_t work = 1;
    for (enum split axis = SPLIT_BATCH; axis < SPLIT_COUNT; axis++)
        work = saturate_mul(work, ceil_div(units[axis], split[axis]));
    return work;
}

/* As many ways along one axis as there can be, and the best split of the rest. */
static void propose_split(struct adviser *adviser, enum split first, const char *name)
{
    const struct plan *plan = adviser->plan;
    const struct schedule *schedule = &plan->schedule;
    uint64_t cores = product_whole(adviser->product, PRODUCT_CHIP_CORES), best = 0;
    uint64_t units[SPLIT_COUNT], split[SPLIT_COUNT], now = 0;
    struct plan_change change = {.count = 0};
    if (plan->given[WORD_CORES])
        cores = plan->written_cores;
    core_slice_units(plan, units);
    uint64_t most = split_work(units, schedule->split), own = units[first];
    for (uint64_t ways = least(own, cores); ways > schedule->split[first] && best == 0; ways--) {
        units[first] = 1;
        (void)core_split_choose(units, cores / ways, split);
        units[first] = own;
        split[first] = ways;
        now = split_work(units, split);
        best = now <= most ? ways : 0;
    }
    if (best == 0)
        return;
    for (enum split axis = SPLIT_BATCH; axis < SPLIT_COUNT; axis++)
        if (split[axis] > 1)
            plan_change_split(&change, axis, split[axis]);
    adviser_propose(adviser, larger(0.4 * mte2_share(adviser), adviser->tail->imbalance), &change,
                    "the slowest core takes %s over the mean and MTE2 is %s of the critical path; "
                    "with more ways along %s the busiest core has %s L1 tiles in place of %s",
                    share_text(adviser, adviser->tail->imbalance),
                    share_text(adviser, mte2_share(adviser)), name, count_text(adviser, now),
                    count_text(adviser, most));
}

/* Words of a tile that split cores are not said twice. */
void advise_other_split(struct adviser *adviser)
{
    const struct plan *plan = adviser->plan;
    bool by_tile = plan->form == TILE_VENDOR && plan->given[WORD_CORE_SPLIT];
    if (by_tile || plan->schedule.deal != 0)
        return;
    propose_split(adviser, SPLIT_N, "N");
    propose_split(adviser, SPLIT_M, "M");
    propose_split(adviser, SPLIT_BATCH, "images");
}
