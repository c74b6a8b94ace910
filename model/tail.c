#include "model/tail.h"

#include "model/lower_walk.h"

const char *padding_word(enum padding padding)
{
    static const char *const words[PADDING_COUNT] = {
#define ROW(name, word) word,
        PADDING_LIST(ROW)
#undef ROW
    };
    return words[padding];
}

/* Output channels of an L0 tile that the layer has. */
static uint64_t item_channels(const struct conv *conv, const struct item *item)
{
    uint64_t from = item->n_from + item->n0_from, have = conv_cout_group(conv);
    return have > from ? least(item->n0_count, have - from) : 0;
}

static void add_item(struct tail *tail, const struct plan *plan, const struct item *item)
{
    const struct conv *conv = &plan->conv;
    uint64_t points = item->kd_count * conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    uint64_t n = item_channels(conv, item), n_done = align_up(item->n0_count, FRACTAL_ROWS);
    uint64_t k = points * conv->cin_group, k_done = points * conv_cin_aligned(conv);
    enum padding of_n = conv->groups > 1 ? PADDING_GROUPS : PADDING_N;
    enum padding of_k = conv->groups > 1 ? PADDING_GROUPS : plan->matmul ? PADDING_K : PADDING_C0;
    tail->useful_macs += item->m * n * k;
    tail->padding[of_k] += item->m * n * (k_done - k);
    tail->padding[of_n] += item->m * (n_done - n) * k_done;
    tail->padding[PADDING_M] += (align_up(item->m, FRACTAL_ROWS) - item->m) * n_done * k_done;
}

static void add_core(struct tail *tail, const struct plan *plan, uint64_t core)
{
    struct walk walk;
    if (!walk_begin(&walk, plan, core))
        return;
    do {
        tail->tiles[core]++;
        add_item(tail, plan, &walk.item);
    } while (walk_next(&walk));
    tail->tile_count += tail->tiles[core];
    tail->rounds = tail->tiles[core] > tail->rounds ? tail->tiles[core] : tail->rounds;
}

static bool core_has_work(const struct run_result *result, uint64_t core)
{
    uint64_t instructions = 0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        instructions += result->pipe[core * PIPE_COUNT + pipe].instructions;
    return instructions > 0;
}

static void find_balance(struct tail *tail, const struct product *product,
                         const struct run_result *result)
{
    uint64_t cores = product_whole(product, PRODUCT_CHIP_CORES), working = 0;
    double sum = 0.0;
    for (uint64_t core = 0; core < result->cores; core++) {
        if (!core_has_work(result, core))
            continue;
        working++;
        sum += (double)result->core_cycles[core];
    }
    tail->idle_cores = cores > working ? cores - working : 0;
    tail->mean_cycles = working > 0 ? sum / (double)working : 0.0;
    if (sum > 0.0)
        tail->imbalance = (double)result->cycles / tail->mean_cycles - 1.0;
}

enum status tail_find(const struct plan *plan, const struct product *product,
                      const struct run_result *result, struct arena *arena, struct tail *tail)
{
    *tail = (struct tail){0};
    find_balance(tail, product, result);
    if (plan == NULL)
        return STATUS_OK;
    tail->tiles = arena_take(arena, result->cores, sizeof *tail->tiles);
    if (tail->tiles == NULL)
        return STATUS_NO_MEMORY;
    for (uint64_t core = 0; core < result->cores; core++)
        add_core(tail, plan, core);
    return STATUS_OK;
}
