/*
 * Goal: the fast answer and the full rules never differ, and what is derived or offered is legal.
 * Method: seeded random convolutions and tiles, most of them near the limits; SEED= reproduces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/tile_legal.h"
#include "model/tile_nearest.h"
#include "model/tile_rules.h"
#include "model/tile_search.h"
#include "model/tile_traffic.h"

enum { TILE_ROUNDS = 12000, DERIVE_ROUNDS = 400 };

static const uint64_t free_slots[BUFFER_COUNT];
static uint64_t random_state;

/* splitmix64 */
static uint64_t random_next(void)
{
    uint64_t z = random_state += 0x9E3779B97F4A7C15U;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

static uint64_t random_upto(uint64_t most)
{
    return random_next() % (most + 1);
}

static uint64_t random_between(uint64_t low, uint64_t high)
{
    return low + random_next() % (high - low + 1);
}

static bool random_chance(uint64_t percent)
{
    return random_next() % 100 < percent;
}

static int setup(void **state)
{
    const char *seed = getenv("SEED");

    (void)state;
    random_state = seed != NULL ? strtoull(seed, NULL, 10) : 20260822;
    print_message("SEED=%llu\n", (unsigned long long)random_state);
    return 0;
}

static void random_conv(struct conv *conv)
{
    static const enum element types[] = {ELEMENT_FP16, ELEMENT_BF16, ELEMENT_FP32, ELEMENT_INT8};
    static const uint64_t groups[] = {1, 1, 1, 2, 3, 8};
    uint32_t rank = (uint32_t)random_between(1, 3);
    enum element type = types[random_upto(3)];

    *conv = (struct conv){
        .rank = rank,
        .batch = random_between(1, 3),
        .groups = groups[random_upto(5)],
        .cin_group = random_between(1, 80),
        .in = {1, 1, 1},
        .kernel = {1, 1, 1},
        .stride = {1, 1, 1},
        .dilation = {1, 1, 1},
        .dtype = type,
        .out_dtype = type == ELEMENT_INT8 ? ELEMENT_INT32 : type,
        .bias = random_chance(50),
        .input_format = random_chance(50) ? FORMAT_NC1HWC0 : FORMAT_NCHW,
        .weight_format = random_chance(50) ? FORMAT_FRACTAL_Z : FORMAT_NCHW,
        .stride_length = rank,
        .padding_length = 2U * rank,
        .dilation_length = rank,
    };
    conv->cin = conv->cin_group * conv->groups;
    conv->cout = conv->groups * random_between(1, 200);
    conv->bias_length = conv->cout;
    for (enum axis axis = (enum axis)(AXIS_COUNT - rank); axis < AXIS_COUNT; axis++) {
        conv->in[axis] = random_between(1, random_chance(70) ? 70 : 700);
        conv->kernel[axis] = random_between(1, random_chance(90) ? 5 : 40);
        conv->stride[axis] = random_between(1, random_chance(95) ? 4 : 64);
        conv->dilation[axis] = random_between(1, random_chance(95) ? 3 : 64);
        conv->pad_head[axis] = random_upto(conv->kernel[axis] - (random_chance(95) ? 1 : 0));
        conv->pad_tail[axis] = random_upto(conv->kernel[axis] - 1);
    }
    if (random_chance(3))
        conv->padding_length++;
    if (random_chance(3))
        conv->cin++;
    conv_derive(conv);
}

/* Something in 1 .. most, often a whole number of steps, rarely out of range. */
static uint64_t random_size(uint64_t most, uint64_t step)
{
    if (random_chance(3))
        return random_upto(2 * most + 2);
    if (random_chance(4))
        return random_between(1, most > 0 ? most : 1);
    uint64_t units = most / step > 0 ? most / step : 1;
    return step * random_between(1, units);
}

static void random_tile(const struct conv *conv, struct tile_l1 *l1, struct tile_l0 *l0)
{
    uint64_t c0 = element_c0(conv->dtype);
    uint64_t area = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    uint64_t rows = conv->out[AXIS_H] > 0 ? (uint64_t)conv->out[AXIS_H] : 1;
    uint64_t columns = conv->out[AXIS_W] > 0 ? (uint64_t)conv->out[AXIS_W] : 1;
    uint64_t channels = align_up(conv->cin_group, c0);

    *l1 = (struct tile_l1){
        .hin = random_size(conv->in[AXIS_H], 1),
        .hout = columns % 16 != 0 && random_chance(90) ? 1 : random_size(rows, 1),
        .win = random_size(conv->in[AXIS_W], 1),
        .wout = random_size(align_up(columns, 16), 16),
        .cin_fmap = random_size(channels, c0),
        .n = random_size(align_up(conv->cout / conv->groups, 16), 16),
        .batch = random_chance(99) ? 1 : 2,
    };
    l1->cin_weight = random_chance(60) ? l1->cin_fmap : random_size(channels, c0);
    uint64_t units = (l1->cin_fmap < l1->cin_weight ? l1->cin_fmap : l1->cin_weight) * area / c0;
    uint64_t parts = random_between(1, 12);
    *l0 = (struct tile_l0){
        .h = random_size(l1->hout, 1),
        .w = random_size(l1->wout, 16),
        .k = random_chance(80) && units % parts == 0 ? units / parts * c0
                                                     : random_size(units * c0, c0),
        .n = random_size(l1->n, 16),
    };
}

static void load(struct product *product, const char *name, struct arena *arena, struct diag *diag)
{
    assert_int_equal(product_load(name, place_none(), arena, diag, product), STATUS_OK);
}

static void the_fast_answer_is_that_of_the_rules(void **state)
{
    static const char *const names[] = {"ascend910b1", "ascend950pr_9589", "ascend310b1"};
    static struct rule_report report;
    struct arena memory;
    struct diag diag;
    struct product products[3];
    uint64_t legal_count = 0;
    uint64_t broken[32] = {0};

    (void)state;
    arena_init(&memory, 0);
    diag_init(&diag);
    for (size_t i = 0; i < 3; i++)
        load(&products[i], names[i], &memory, &diag);
    for (int round = 0; round < TILE_ROUNDS; round++) {
        struct plan plan = {.form = TILE_PYPTO, .has_l0 = true, .product = &products[round % 3]};
        struct arena arena;
        random_conv(&plan.conv);
        random_tile(&plan.conv, &plan.l1, &plan.l0);
        arena_init(&arena, 0);
        assert_int_equal(rules_check(&plan, RULES_PYPTO, &arena, &report), STATUS_OK);
        bool fast = rules_tile_legal(&plan.conv, plan.product, &plan.l1, &plan.l0);
        if (fast != report.runnable) {
            for (uint32_t i = 0; i < report.count; i++)
                if (!report.verdicts[i].ok)
                    print_error("%s %s\n", report.verdicts[i].id, report.verdicts[i].numbers);
            fail_msg("round %d: fast %d, rules %d", round, fast, report.runnable);
        }
        legal_count += fast;
        for (uint32_t i = 0; i < report.count; i++)
            broken[i] += !report.verdicts[i].ok;
        arena_deinit(&arena);
    }
    /* The rounds reach both answers, and all rules that such sizes can break. */
    assert_true(legal_count > TILE_ROUNDS / 10);
    for (uint32_t rule = 3; rule < 22; rule++)
        if (rule + 1 != 9 && broken[rule] == 0)
            fail_msg("no round breaks rule %u", (unsigned)rule + 1);
    diag_deinit(&diag);
    arena_deinit(&memory);
}

static void a_nearest_tile_is_legal_and_a_legal_tile_is_its_own_nearest(void **state)
{
    struct arena memory;
    struct diag diag;
    struct product product;
    uint64_t found = 0;
    uint64_t missing = 0;

    (void)state;
    arena_init(&memory, 0);
    diag_init(&diag);
    load(&product, "ascend910b1", &memory, &diag);
    for (int round = 0; round < TILE_ROUNDS; round++) {
        struct conv conv;
        struct tile_l1 l1;
        struct tile_l0 l0;
        random_conv(&conv);
        random_tile(&conv, &l1, &l0);
        if (!rules_conv_legal(&conv))
            continue;
        struct tile_l1 near_l1 = l1;
        struct tile_l0 near_l0 = l0;
        if (!tile_nearest(&conv, &product, RULES_PYPTO, 1, &near_l1, &near_l0)) {
            assert_false(rules_tile_legal(&conv, &product, &l1, &l0));
            missing++;
            continue;
        }
        found++;
        assert_true(rules_tile_legal(&conv, &product, &near_l1, &near_l0));
        if (rules_tile_legal(&conv, &product, &l1, &l0)) {
            assert_memory_equal(&near_l1, &l1, sizeof l1);
            assert_memory_equal(&near_l0, &l0, sizeof l0);
        }
    }
    assert_true(found > 20 * missing);
    diag_deinit(&diag);
    arena_deinit(&memory);
}

/* Every set accepts what is derived under it, from nothing and from the L1 tile alone. */
static void derived_tiles_are_legal_in_every_set(void **state)
{
    static const char *const names[] = {"ascend910b1", "ascend950pr_9589"};
    static struct rule_report report;
    struct arena memory;
    struct diag diag;
    struct product products[2];
    uint64_t derived = 0;

    (void)state;
    arena_init(&memory, 0);
    diag_init(&diag);
    for (size_t i = 0; i < 2; i++)
        load(&products[i], names[i], &memory, &diag);
    for (int round = 0; round < DERIVE_ROUNDS; round++) {
        struct plan plan = {.form = TILE_PYPTO, .has_l0 = true, .product = &products[round % 2]};
        enum rule_set set = (enum rule_set)random_upto(RULES_CONV_COUNT - 1);
        struct tile_l0 again;
        struct arena arena;
        random_conv(&plan.conv);
        if (!rules_conv_legal(&plan.conv) ||
            !tile_search(&plan.conv, plan.product, set, free_slots, &plan.l1, &plan.l0))
            continue;
        derived++;
        arena_init(&arena, 0);
        assert_int_equal(rules_check(&plan, set, &arena, &report), STATUS_OK);
        for (uint32_t i = 0; i < report.count; i++)
            if (!report.verdicts[i].ok)
                fail_msg("round %d, %s: rule %s, %s", round, rule_set_word(set),
                         report.verdicts[i].id, report.verdicts[i].numbers);
        assert_true(report.legal && report.runnable);
        assert_true(tile_search_l0(&plan.conv, plan.product, set, free_slots, &plan.l1, &again));
        arena_deinit(&arena);
    }
    assert_true(derived > DERIVE_ROUNDS / 3);
    diag_deinit(&diag);
    arena_deinit(&memory);
}

/* Whether two slots of L0A, L0B and L1 fit. */
static bool fits_twice(const struct plan *plan, struct rule_report *report, struct arena *arena)
{
    assert_int_equal(rules_check(plan, RULES_PYPTO, arena, report), STATUS_OK);
    return report->runnable && report->buffers[0].fits_double && report->buffers[1].fits_double &&
           report->buffers[2].fits_double;
}

static uint64_t traffic(const struct plan *plan)
{
    struct tile_axis height;
    struct tile_axis width;

    tile_axis_cut(&plan->conv, AXIS_H, plan->l1.hout, &height);
    tile_axis_cut(&plan->conv, AXIS_W, plan->l1.wout, &width);
    return tile_traffic_bytes(&plan->conv, &height, &width, &plan->l1, &plan->l0);
}

static void no_random_tile_moves_fewer_bytes_than_the_derived_one(void **state)
{
    static struct rule_report report;
    struct arena memory;
    struct diag diag;
    struct product product;
    uint64_t compared = 0;

    (void)state;
    arena_init(&memory, 0);
    diag_init(&diag);
    load(&product, "ascend910b1", &memory, &diag);
    for (int round = 0; round < DERIVE_ROUNDS / 4; round++) {
        struct plan best = {.form = TILE_PYPTO, .has_l0 = true, .product = &product};
        struct arena arena;
        random_conv(&best.conv);
        if (!rules_conv_legal(&best.conv) ||
            !tile_search(&best.conv, &product, RULES_PYPTO, free_slots, &best.l1, &best.l0))
            continue;
        arena_init(&arena, 0);
        bool twice = fits_twice(&best, &report, &arena);
        for (int tile = 0; tile < 60; tile++) {
            struct plan other = best;
            random_tile(&other.conv, &other.l1, &other.l0);
            if (!fits_twice(&other, &report, &arena))
                continue;
            /* Only what does not fit twice may be derived where something does. */
            assert_true(twice);
            assert_true(traffic(&best) <= traffic(&other));
            compared++;
        }
        arena_deinit(&arena);
    }
    assert_true(compared > 200);
    diag_deinit(&diag);
    arena_deinit(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_fast_answer_is_that_of_the_rules, setup),
        cmocka_unit_test_setup(a_nearest_tile_is_legal_and_a_legal_tile_is_its_own_nearest, setup),
        cmocka_unit_test_setup(derived_tiles_are_legal_in_every_set, setup),
        cmocka_unit_test_setup(no_random_tile_moves_fewer_bytes_than_the_derived_one, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
