/*
 * The rules of advice: each has a plan on which it proposes something that is legal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/advice_rules.h"
#include "tests/support/run_check.h"

#define LAYER                                                                                      \
    "conv: {input: [2, 64, 16, 32], weight: [96, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16}\n"
#define TALL                                                                                       \
    "conv: {input: [1, 64, 32, 32], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16}\n"

static const struct {
    const char *text, *set; /* a number of the product, or NULL */
} plans[] = {
    /* tiles of L1 larger than those of L0, channels in parts, one slot of A */
    {LAYER "tile_l1: {tileHin: 4, tileHout: 2, tileWin: 32, tileWout: 32, tileCinFmap: 32, "
           "tileCinWeight: 32, tileN: 96}\n"
           "tile_l0: {tileH: 1, tileW: 32, tileK: 32, tileN: 48}\n"
           "schedule: {l0a_buffers: 1, l1a_buffers: 1, cores: 8}\n",
     NULL},
    /* rows of a tile have stores of their own; Load3D is slow */
    {TALL "tile_l1: {tileHin: 10, tileHout: 8, tileWin: 18, tileWout: 16, tileCinFmap: 64, "
          "tileCinWeight: 64, tileN: 64}\n"
          "tile_l0: {tileH: 8, tileW: 16, tileK: 64, tileN: 64}\n",
     NULL},
    /* what stays is fetched when it is needed, and pipes stand still for it */
    {LAYER "schedule: {residency: keep, cores: 2}\n", "gm.rate=2 B/cycle"},
    /* few tiles for many cores */
    {LAYER, NULL},
    /* L2 is too small; operands are handed over together */
    {"matmul: {m: 512, n: 512, k: 512, dtype: fp16}\n"
     "tile: {baseM: 64, baseN: 64, baseK: 64, stepKa: 4, stepKb: 4}\n"
     "schedule: {core_split: {m: 2, n: 2}, residency: reload}\n",
     "l2.size=64 KiB"},
    {"matmul: {m: 512, n: 512, k: 512, dtype: fp16}\n"
     "tile: {baseM: 64, baseN: 64, baseK: 64, stepKa: 2, stepKb: 2}\n"
     "schedule: {core_split: {m: 8, n: 1}}\n",
     "l2.latency_loaded=4000 cycles"},
};
enum { PLAN_COUNT = sizeof plans / sizeof *plans };

static void (*const advise[ADVICE_RULE_COUNT])(struct adviser *adviser) = {
#define ADVICE(name, looks_at, when, proposes) advise_##name,
#include "model/advice.def"
#undef ADVICE
};

static struct run_case *open_run(size_t plan)
{
    struct run_case *c = run_case_open("advice");
    assert_int_equal(run_case_load(c, plans[plan].text, "atlas-a2"), STATUS_OK);
    if (plans[plan].set != NULL)
        assert_int_equal(product_set(&c->product, plans[plan].set, &c->arena, &c->diag), STATUS_OK);
    const struct run_options options = {.timing_only = true};
    assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result), STATUS_OK);
    return c;
}

/* What all rules propose for a run. */
static struct adviser *proposals_of(struct run_case *c)
{
    struct adviser *adviser = arena_take(&c->arena, 1, sizeof *adviser);
    struct tail *tail = arena_take(&c->arena, 1, sizeof *tail);
    assert_non_null(adviser);
    assert_non_null(tail);
    assert_int_equal(tail_find(&c->plan, &c->product, &c->result, &c->arena, tail), STATUS_OK);
    *adviser = (struct adviser){.plan = &c->plan,
                                .product = &c->product,
                                .result = &c->result,
                                .tail = tail,
                                .arena = &c->arena};
    for (enum advice_rule rule = 0; rule < ADVICE_RULE_COUNT; rule++) {
        adviser->rule = rule;
        advise[rule](adviser);
    }
    assert_false(adviser->no_memory);
    return adviser;
}

static void every_rule_proposes_something_legal_somewhere(void **state)
{
    (void)state;
    uint32_t legal[ADVICE_RULE_COUNT] = {0};
    for (size_t plan = 0; plan < PLAN_COUNT; plan++) {
        struct run_case *c = open_run(plan);
        struct adviser *adviser = proposals_of(c);
        for (uint32_t i = 0; i < adviser->count; i++) {
            const struct proposal *proposal = &adviser->list[i];
            struct plan changed;
            legal[proposal->rule] += plan_change_apply(&c->plan, &proposal->change, &c->arena,
                                                       &c->diag, &changed) == STATUS_OK;
        }
        run_case_close(c);
    }
    for (enum advice_rule rule = 0; rule < ADVICE_RULE_COUNT; rule++)
        if (legal[rule] == 0)
            fail_msg("'%s' proposes nothing", advice_rule_word(rule));
}

static void proposals_differ_and_the_most_hopeful_comes_first(void **state)
{
    (void)state;
    for (size_t plan = 0; plan < PLAN_COUNT; plan++) {
        struct run_case *c = open_run(plan);
        struct adviser *adviser = proposals_of(c);
        assert_true(adviser->count > 0 && adviser->count < PROPOSALS_MAX);
        for (uint32_t i = 0; i < adviser->count; i++) {
            const struct proposal *proposal = &adviser->list[i];
            const char *text = plan_change_text(&proposal->change, &c->arena);
            assert_true(proposal->hope > 0.0 && proposal->hope < 3.0);
            assert_true(strlen(proposal->looked_at) > 20);
            for (uint32_t k = 0; k < i; k++) {
                assert_true(adviser->list[k].hope >= proposal->hope);
                assert_string_not_equal(plan_change_text(&adviser->list[k].change, &c->arena),
                                        text);
            }
        }
        run_case_close(c);
    }
}

static void simulations_are_bounded_unless_all_are_wanted(void **state)
{
    (void)state;
    for (size_t plan = 0; plan < PLAN_COUNT; plan++) {
        struct run_case *c = open_run(plan);
        struct adviser *adviser = proposals_of(c);
        const struct advised advised = {&c->plan, &c->result, adviser->tail};
        struct advice some, all, none;
        assert_int_equal(advice_find(&advised, ADVICE_NONE, &c->arena, &none), STATUS_OK);
        assert_int_equal(advice_find(&advised, ADVICE_SOME, &c->arena, &some), STATUS_OK);
        assert_int_equal(advice_find(&advised, ADVICE_ALL, &c->arena, &all), STATUS_OK);
        assert_int_equal(none.count + none.simulated, 0);
        assert_true(some.simulated <= ADVICE_TRIES + ADVICE_KEPT);
        assert_true(all.simulated >= some.simulated || all.simulated > ADVICE_TRIES);
        assert_true(some.count > 0 && all.count > 0);
        assert_true(all.single[0].cycles <= some.single[0].cycles);
        for (uint32_t i = 0; i < all.count; i++)
            assert_true(all.single[i].cycles < c->result.cycles);
        run_case_close(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_proposes_something_legal_somewhere),
        cmocka_unit_test(proposals_differ_and_the_most_hopeful_comes_first),
        cmocka_unit_test(simulations_are_bounded_unless_all_are_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
