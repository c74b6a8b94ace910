#include "traces/run_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double listed_run_us(const struct listed_run *run)
{
    return (double)run->cycles / run->clock_mhz;
}

double run_pair_ratio(const struct run_pair *pair)
{
    if (pair->a->deadlocked || pair->b->deadlocked || pair->a->cycles == 0 || pair->b->cycles == 0)
        return 0.0;
    if (pair->a->clock_mhz == pair->b->clock_mhz)
        return (double)pair->b->cycles / (double)pair->a->cycles;
    return listed_run_us(pair->b) / listed_run_us(pair->a);
}

/* A run on its way to a partner. */
struct candidate {
    const struct listed_run *run;
    bool taken;
};

/* Below 0, 0, above 0 by what runs belong together. */
static int key_order(const struct listed_run *a, const struct listed_run *b, enum pair_match match)
{
    int order = 0;
    if (match == MATCH_PLAN)
        return strcmp(a->plan_key, b->plan_key);
    order = strcmp(a->problem, b->problem);
    if (order == 0 && match == MATCH_TILING)
        order = strcmp(a->tiling, b->tiling);
    if (order == 0 && match == MATCH_TILING)
        order = strcmp(a->soc, b->soc);
    return order;
}

static int plan_order(const struct listed_run *a, const struct listed_run *b)
{
    int order = strcmp(a->plan_key, b->plan_key);
    return order != 0 ? order : strcmp(a->soc, b->soc);
}

static int id_order(const struct listed_run *a, const struct listed_run *b)
{
    return (a->run_id > b->run_id) - (a->run_id < b->run_id);
}

#define KEY_COMPARE(name, match)                                                                   \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        const struct listed_run *own = ((const struct candidate *)a)->run;                         \
        const struct listed_run *other = ((const struct candidate *)b)->run;                       \
        int order = key_order(own, other, match);                                                  \
        return order != 0 ? order : id_order(own, other);                                          \
    }
KEY_COMPARE(tiling_compare, MATCH_TILING)
KEY_COMPARE(plan_compare, MATCH_PLAN)
KEY_COMPARE(problem_compare, MATCH_PROBLEM)
#undef KEY_COMPARE

static int same_compare(const void *a, const void *b)
{
    const struct listed_run *own = ((const struct candidate *)a)->run;
    const struct listed_run *other = ((const struct candidate *)b)->run;
    int order = strcmp(own->definition_key, other->definition_key);
    return order != 0 ? order : id_order(own, other);
}

/* The runs of a set, the latest of those of one plan and product, by key and id. */
static struct candidate *candidates_make(const struct listed_run *runs, size_t *count,
                                         enum pair_match match, struct arena *arena)
{
    static int (*const compare[MATCH_COUNT])(const void *, const void *) = {
        [MATCH_TILING] = tiling_compare,
        [MATCH_PLAN] = plan_compare,
        [MATCH_PROBLEM] = problem_compare,
    };
    struct candidate *list = arena_take(arena, *count, sizeof *list);
    size_t kept = 0;
    if (list == NULL || *count == 0)
        return list;
    for (size_t i = 0; i < *count; i++)
        list[i].run = &runs[i];
    qsort(list, *count, sizeof *list, same_compare);
    for (size_t i = 0; i < *count; i++)
        if (i + 1 == *count ||
            strcmp(list[i].run->definition_key, list[i + 1].run->definition_key) != 0)
            list[kept++] = list[i];
    *count = kept;
    qsort(list, kept, sizeof *list, compare[match]);
    return list;
}

/* Pairs runs of one key: first those of one plan, then the others in their order. */
static void pair_group(struct run_pairs *pairs, struct candidate *a, size_t a_count,
                       struct candidate *b, size_t b_count)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < a_count; i++)
            for (size_t j = 0; j < b_count && !a[i].taken; j++) {
                if (b[j].taken || (pass == 0 && plan_order(a[i].run, b[j].run) != 0))
                    continue;
                pairs->pairs[pairs->count++] = (struct run_pair){a[i].run, b[j].run};
                a[i].taken = b[j].taken = true;
            }
}

static size_t group_length(const struct candidate *list, size_t count, enum pair_match match)
{
    size_t length = count > 0 ? 1 : 0;
    while (length < count && key_order(list[0].run, list[length].run, match) == 0)
        length++;
    return length;
}

static void pair_all(struct run_pairs *pairs, struct candidate *a, size_t a_count,
                     struct candidate *b, size_t b_count, enum pair_match match)
{
    while (a_count > 0 && b_count > 0) {
        int order = key_order(a->run, b->run, match);
        size_t a_length = order <= 0 ? group_length(a, a_count, match) : 0;
        size_t b_length = order >= 0 ? group_length(b, b_count, match) : 0;
        if (order == 0)
            pair_group(pairs, a, a_length, b, b_length);
        a += a_length;
        a_count -= a_length;
        b += b_length;
        b_count -= b_length;
    }
}

static enum status keep_alone(struct run_pairs *pairs, int side, const struct candidate *list,
                              size_t count, struct arena *arena)
{
    pairs->alone[side] = arena_take(arena, count, sizeof **pairs->alone);
    if (pairs->alone[side] == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!list[i].taken)
            pairs->alone[side][pairs->alone_count[side]++] = list[i].run;
    return STATUS_OK;
}

/* Pairs without a ratio first, then the slowest change; equals by their runs. */
static int pair_compare(const void *a, const void *b)
{
    const struct run_pair *own = a, *other = b;
    double ratio = run_pair_ratio(own), second = run_pair_ratio(other);
    if ((ratio == 0.0) != (second == 0.0))
        return ratio == 0.0 ? -1 : 1;
    if (ratio != second)
        return ratio > second ? -1 : 1;
    int order = id_order(own->a, other->a);
    return order != 0 ? order : id_order(own->b, other->b);
}

static void mean_make(struct run_pairs *pairs)
{
    double sum = 0.0;
    for (size_t i = 0; i < pairs->count; i++) {
        double ratio = run_pair_ratio(&pairs->pairs[i]);
        if (ratio == 0.0)
            continue;
        sum += log(ratio);
        pairs->ratios++;
    }
    pairs->mean = pairs->ratios > 0 ? exp(sum / (double)pairs->ratios) : 1.0;
}

enum status run_pairs_make(const struct listed_run *a, size_t a_count, const struct listed_run *b,
                           size_t b_count, enum pair_match match, struct arena *arena,
                           struct run_pairs *pairs)
{
    size_t kept_a = a_count, kept_b = b_count;
    struct candidate *own = candidates_make(a, &kept_a, match, arena);
    struct candidate *other = candidates_make(b, &kept_b, match, arena);
    *pairs = (struct run_pairs){
        .superseded_count = {a_count - kept_a, b_count - kept_b},
        .pairs = arena_take(arena, kept_a < kept_b ? kept_a : kept_b, sizeof *pairs->pairs)};
    if (own == NULL || other == NULL || pairs->pairs == NULL)
        return STATUS_NO_MEMORY;
    pair_all(pairs, own, kept_a, other, kept_b, match);
    enum status status = keep_alone(pairs, 0, own, kept_a, arena);
    if (status == STATUS_OK)
        status = keep_alone(pairs, 1, other, kept_b, arena);
    if (pairs->count > 0)
        qsort(pairs->pairs, pairs->count, sizeof *pairs->pairs, pair_compare);
    mean_make(pairs);
    return status;
}
