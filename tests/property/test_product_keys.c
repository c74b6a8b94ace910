/*
 * Goal: no number of a product is a dead knob.
 * Method: on each kind of product that runs plans, every key is moved in turn, and a handful of
 * plans chosen to touch everything is judged and run; at least one result of one plan must differ:
 * a verdict, a buffer table, a time, a range, a row of the timeline.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/derive.h"
#include "tests/support/run_check.h"

#define CONV(input, weight, stride, padding, dtype)                                                \
    "conv: {input: " input ", weight: " weight ", stride: " stride ", padding: " padding           \
    ", dtype: " dtype "}\n"
#define TILES                                                                                      \
    "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 32, tileCinFmap: 32, "               \
    "tileCinWeight: 32, tileN: 32}\ntile_l0: {tileH: 1, tileW: 32, tileK: 32, tileN: 32}\n"

/* Rows over the free ones, strides with and without a rule, every element size, short rows of GM, a
 * small C that needs barriers, re-reads, unit flags, all cores at once. */
static const char *const plans[] = {
    CONV("[8, 64, 16, 16]", "[64, 64, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp16") TILES,
    CONV("[1, 32, 8, 16]", "[16, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]",
         "fp16") "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 16, tileCinFmap: 32, "
                 "tileCinWeight: 32, tileN: 16}\ntile_l0: {tileH: 1, tileW: 16, tileK: 32, tileN: "
                 "16}\n",
    CONV("[4, 32, 8, 4]", "[48, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp16"),
    CONV("[2, 32, 12, 32]", "[128, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp16"),
    CONV("[2, 32, 20, 72]", "[32, 32, 3, 3]", "[2, 2]", "[1, 1, 1, 1]", "fp16"),
    CONV("[2, 16, 20, 72]", "[32, 16, 3, 3]", "[3, 3]", "[1, 1, 1, 1]", "fp16"),
    CONV("[1, 32, 16, 68]", "[32, 32, 1, 1]", "[1, 16]", "[0, 0, 0, 0]", "fp16"),
    CONV("[2, 16, 12, 16]", "[32, 16, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp32"),
    CONV("[2, 64, 12, 16]", "[32, 64, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "int8"),
    CONV("[2, 32, 12, 32]", "[64, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]",
         "fp16") "schedule: {unit_flag: true, policy: vendor}\n",
};
/* For products with a bias table. */
static const char *const biased =
    "conv: {input: [2, 32, 12, 32], weight: [64, 32, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
    "bias: true}\n";

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 31;
}

static uint64_t mix_report(uint64_t hash, const struct rule_report *report)
{
    hash = mix(hash, report->legal);
    hash = mix(hash, report->runnable);
    for (uint32_t i = 0; i < report->count; i++)
        hash = mix(hash, report->verdicts[i].ok);
    for (uint32_t i = 0; i < report->buffer_count; i++)
        hash = mix(hash, report->buffers[i].capacity_bytes);
    return hash;
}

static uint64_t mix_double(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

static enum status mix_row(void *context, const struct timeline_row *line)
{
    uint64_t *hash = context;
    *hash = mix(*hash, line->row->end);
    *hash = mix(*hash, line->row->done);
    return STATUS_OK;
}

/* All results of one plan with one key of the product at another value. */
static uint64_t results_of(const char *yaml, const char *product, enum product_key key,
                           int64_t value)
{
    struct run_case *c = run_case_open("keys");
    assert_int_equal(plan_parse(c->name, yaml, product, &c->arena, &c->diag, &c->product, &c->plan),
                     STATUS_OK);
    if (key < PRODUCT_KEY_COUNT) {
        struct product_number *number = &c->product.number[key];
        number->value = number->low = number->high = value;
    }
    uint64_t hash = 1;
    assert_int_equal(rules_check(&c->plan, c->plan.rules, &c->arena, &c->report), STATUS_OK);
    hash = mix_report(hash, &c->report);
    if (plan_resolve(&c->plan, &c->product, &c->arena, &c->diag) == STATUS_OK) {
        struct run_options options = {.timing_only = true, .sink = mix_row, .sink_context = &hash};
        enum status status = run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result);
        hash = mix(hash, status);
        if (status == STATUS_OK) {
            hash = mix(hash, c->result.cycles);
            hash = mix(hash, c->result.cores);
            hash = mix(hash, c->result.gm_miss_bytes);
            hash = mix_double(hash, c->result.launch_us);
            hash = mix_double(hash, c->result.range_us[0]);
        }
    }
    run_case_close(c);
    return hash;
}

/* Other values of a key that are worth a try. */
static uint32_t moves_of(const struct product *product, enum product_key key, int64_t moves[4])
{
    const struct product_key_info *info = product_key_info(key);
    const int64_t value = product->number[key].value;
    const int64_t wanted[] = {value * 3, value / 3, info->low, value + QUANTITY_ONE};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        int64_t move = wanted[i];
        bool whole = info->unit == UNIT_COUNT || info->unit == UNIT_BYTES;
        if (whole)
            move = move / QUANTITY_ONE * QUANTITY_ONE;
        if (move >= info->low && move <= info->high && move != value)
            moves[count++] = move;
    }
    return count;
}

static bool key_moves_a_result(const char *name, const struct product *product,
                               enum product_key key, const uint64_t *base, uint32_t plan_count)
{
    int64_t moves[4];
    uint32_t count = moves_of(product, key, moves);
    for (uint32_t move = 0; move < count; move++)
        for (uint32_t plan = 0; plan < plan_count; plan++) {
            const char *yaml = plan < sizeof plans / sizeof plans[0] ? plans[plan] : biased;
            if (results_of(yaml, name, key, moves[move]) != base[plan])
                return true;
        }
    return false;
}

static void check_product(const char *name)
{
    enum { PLANS_MAX = sizeof plans / sizeof plans[0] + 1 };
    uint64_t base[PLANS_MAX];
    struct arena arena;
    struct diag diag;
    struct product product;
    arena_init(&arena, 0);
    diag_init(&diag);
    assert_int_equal(product_load(name, place_none(), &arena, &diag, &product), STATUS_OK);
    uint32_t count = arch_has_bias_table(product.arch) ? PLANS_MAX : PLANS_MAX - 1;
    for (uint32_t plan = 0; plan < count; plan++)
        base[plan] =
            results_of(plan < PLANS_MAX - 1 ? plans[plan] : biased, name, PRODUCT_KEY_COUNT, 0);
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++) {
        if (!product.number[key].present)
            continue;
        if (!key_moves_a_result(name, &product, key, base, count))
            fail_msg("%s: %s moves no result", name, product_key_info(key)->path);
    }
    diag_deinit(&diag);
    arena_deinit(&arena);
}

static void test_every_key_of_an_a2_moves_a_result(void **state)
{
    (void)state;
    check_product("atlas-a2");
}

static void test_every_key_of_a_950_moves_a_result(void **state)
{
    (void)state;
    check_product("ascend-950pr");
}

static void test_every_key_of_a_310b_moves_a_result(void **state)
{
    (void)state;
    check_product("ascend310b1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_of_an_a2_moves_a_result),
        cmocka_unit_test(test_every_key_of_a_950_moves_a_result),
        cmocka_unit_test(test_every_key_of_a_310b_moves_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
