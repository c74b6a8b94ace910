/*
 * Changes of plans: what they make of one is what the edited file would give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan_change.h"
#include "tests/support/run_check.h"

#define LAYER                                                                                      \
    "conv: {input: [4, 64, 20, 32], weight: [96, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16}\n"
#define PRODUCT "matmul: {m: 300, n: 400, k: 512, dtype: fp16}\n"
#define TILE_L1                                                                                    \
    "tile_l1: {tileHin: 6, tileHout: 4, tileWin: 32, tileWout: 32, tileCinFmap: 64, "              \
    "tileCinWeight: 64, tileN: 96}\n"

static struct run_case *open_plan(const char *text)
{
    struct run_case *c = run_case_open("change");
    assert_int_equal(run_case_load(c, text, "atlas-a2"), STATUS_OK);
    return c;
}

/* The change of one file gives the plan of another. */
static void assert_gives(struct run_case *c, const struct plan_change *change, const char *edited)
{
    struct plan changed;
    struct run_case *other = open_plan(edited);
    if (plan_change_apply(&c->plan, change, &c->arena, &c->diag, &changed) != STATUS_OK)
        fail_msg("%s", diag_text(&c->diag, 0));
    assert_string_equal(plan_json(&changed, &c->arena), plan_json(&other->plan, &c->arena));
    run_case_close(other);
}

static void words_of_the_schedule_are_changed_as_in_the_file(void **state)
{
    (void)state;
    struct run_case *c = open_plan(LAYER TILE_L1 "tile_l0: {tileH: 1, tileW: 32, tileK: 64, "
                                                 "tileN: 96}\nschedule: {cores: 6}\n");
    struct plan_change change = {.count = 0};
    plan_change_slots(&c->plan, BUFFER_L0C, 2, &change);
    plan_change_order(&c->plan, ORDER_N_FIRST, &change);
    plan_change_add(&change, WORD_RESIDENCY, RESIDENCY_PREFETCH);
    plan_change_add(&change, WORD_UNIT_FLAG, 1);
    plan_change_add(&change, WORD_FIXPIPE, FIXPIPE_TILE);
    plan_change_split(&change, SPLIT_BATCH, 2);
    plan_change_split(&change, SPLIT_M, 3);
    assert_gives(c, &change,
                 LAYER TILE_L1 "tile_l0: {tileH: 1, tileW: 32, tileK: 64, tileN: 96}\n"
                               "schedule: {cores: 6, l0c_buffers: 2, order: n_first, residency: "
                               "prefetch, unit_flag: true, fixpipe: tile, core_split: {batch: 2, "
                               "m: 3}}\n");
    assert_string_equal(plan_change_text(&change, &c->arena),
                        "l0c_buffers 2, order n_first, residency prefetch, unit_flag true, "
                        "fixpipe tile, core_split batch 2 x m 3");
    run_case_close(c);
}

static void a_tile_is_changed_in_the_words_of_its_form(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after, *text;
    } rows[] = {
        {LAYER TILE_L1 "tile_l0: {tileH: 1, tileW: 32, tileK: 64, tileN: 96}\n",
         LAYER TILE_L1 "tile_l0: {tileH: 1, tileW: 16, tileK: 96, tileN: 48}\n",
         "tileW 16, tileK 96, tile_l0.tileN 48"},
        {LAYER "tile: {mAL1: 128, mL0: 128, nBL1: 96, nL0: 96, kAL1: 576, kBL1: 576, kL0: 64}\n",
         LAYER "tile: {mAL1: 128, mL0: 16, nBL1: 96, nL0: 48, kAL1: 576, kBL1: 576, kL0: 96}\n",
         "mL0 16, kL0 96, nL0 48"},
        {PRODUCT "tile: {baseM: 64, baseN: 128, baseK: 64, stepN: 1, stepKa: 8, stepKb: 4, "
                 "depthA1: 16}\n",
         PRODUCT "tile: {baseM: 16, baseN: 64, baseK: 128, stepM: 4, stepN: 2, stepKa: 4, stepKb: "
                 "2, depthA1: 32}\n",
         "baseM 16, baseN 64, baseK 128, stepM 4, stepN 2, stepKa 4, stepKb 2, depthA1 32"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_case *c = open_plan(rows[i].before), *other = open_plan(rows[i].after);
        struct plan_change change = {.count = 0};
        assert_true(plan_change_tile(&c->plan, &other->plan.tile, &change));
        assert_string_equal(plan_change_text(&change, &c->arena), rows[i].text);
        assert_gives(c, &change, rows[i].after);
        run_case_close(other);
        run_case_close(c);
    }
}

/* Words that say the same thing in two places are changed together. */
static void slots_and_order_are_said_where_the_plan_says_them(void **state)
{
    (void)state;
    static const char vendor[] =
        "tile: {mAL1: 128, mL0: 128, nBL1: 96, nL0: 96, kAL1: 576, kBL1: 576, kL0: 64, ";
    struct run_case *c;
    char before[512], after[512];
    struct plan_change change = {.count = 0};
    snprintf(before, sizeof before, "%s%spBufferFlag: 9, iterateMNOrder: 0}\n", LAYER, vendor);
    snprintf(after, sizeof after, "%s%spBufferFlag: 13, iterateMNOrder: 1}\n", LAYER, vendor);
    c = open_plan(before);
    plan_change_slots(&c->plan, BUFFER_L0C, 2, &change);
    plan_change_order(&c->plan, ORDER_N_FIRST, &change);
    assert_string_equal(plan_change_text(&change, &c->arena), "pBufferFlag 13, iterateMNOrder 1");
    assert_gives(c, &change, after);
    run_case_close(c);

    c = open_plan(PRODUCT "tile: {baseM: 64, baseN: 64, baseK: 64, stepKa: 4, depthA1: 4}\n"
                          "schedule: {l1a_buffers: 1}\n");
    change.count = 0;
    plan_change_slots(&c->plan, BUFFER_L1A, 2, &change);
    assert_gives(c, &change,
                 PRODUCT "tile: {baseM: 64, baseN: 64, baseK: 64, stepKa: 4, depthA1: 8}\n"
                         "schedule: {l1a_buffers: 2}\n");
    run_case_close(c);
}

/* Slots that are written count when a tile is derived. */
static void a_tile_that_is_left_out_is_derived_anew(void **state)
{
    (void)state;
    struct run_case *c = open_plan(LAYER);
    struct plan_change change = {.count = 0};
    plan_change_slots(&c->plan, BUFFER_L0C, 2, &change);
    plan_change_slots(&c->plan, BUFFER_L1A, 1, &change);
    assert_gives(c, &change, LAYER "schedule: {l0c_buffers: 2, l1a_buffers: 1}\n");
    run_case_close(c);

    c = open_plan(LAYER TILE_L1);
    change.count = 0;
    plan_change_slots(&c->plan, BUFFER_L0B, 1, &change);
    assert_gives(c, &change, LAYER TILE_L1 "schedule: {l0b_buffers: 1}\n");
    run_case_close(c);
}

static void a_derived_tile_that_is_changed_counts_as_written(void **state)
{
    (void)state;
    struct run_case *c = open_plan(LAYER);
    struct plan_change change = {.count = 0};
    struct tile tile = c->plan.tile;
    struct plan changed;
    tile.n_l1 = tile.n_l0 = 16;
    assert_true(plan_change_tile(&c->plan, &tile, &change));
    assert_int_equal(plan_change_apply(&c->plan, &change, &c->arena, &c->diag, &changed),
                     STATUS_OK);
    assert_int_equal(changed.tile.n_l0, 16);
    assert_int_equal(changed.tile.w_l0, c->plan.tile.w_l0);
    assert_int_equal(changed.tile.k_l0, c->plan.tile.k_l0);
    run_case_close(c);
}

static void what_breaks_a_rule_is_refused(void **state)
{
    (void)state;
    static const struct {
        enum plan_word word;
        uint64_t value;
        enum status status;
    } rows[] = {{WORD_TILE_K, 80, STATUS_BROKEN},      /* divides no K of 576 */
                {WORD_TILE_L0_N, 112, STATUS_BROKEN},  /* more than tileN of L1 */
                {WORD_L0A_BUFFERS, 2, STATUS_BROKEN}}; /* 2 x 128 x 192 x 2 B in L0A */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_case *c =
            open_plan(LAYER TILE_L1 "tile_l0: {tileH: 4, tileW: 32, tileK: 192, tileN: 96}\n");
        struct plan_change change = {.count = 0};
        struct plan changed;
        plan_change_add(&change, rows[i].word, rows[i].value);
        assert_int_equal(plan_change_apply(&c->plan, &change, &c->arena, &c->diag, &changed),
                         rows[i].status);
        assert_true(c->diag.count > 0);
        run_case_close(c);
    }
}

static void changes_that_want_different_things_do_not_join(void **state)
{
    (void)state;
    struct plan_change left = {.count = 0}, right = {.count = 0}, both;
    plan_change_add(&left, WORD_TILE_K, 64);
    plan_change_add(&left, WORD_UNIT_FLAG, 1);
    plan_change_add(&right, WORD_UNIT_FLAG, 1);
    plan_change_add(&right, WORD_TILE_W, 16);
    assert_true(plan_change_join(&left, &right, &both));
    assert_int_equal(both.count, 3);
    right.edit[0].value = 0;
    assert_false(plan_change_join(&left, &right, &both));

    left.count = right.count = 0;
    plan_change_split(&left, SPLIT_M, 3);
    plan_change_split(&right, SPLIT_N, 3);
    assert_false(plan_change_join(&left, &right, &both));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_schedule_are_changed_as_in_the_file),
        cmocka_unit_test(a_tile_is_changed_in_the_words_of_its_form),
        cmocka_unit_test(slots_and_order_are_said_where_the_plan_says_them),
        cmocka_unit_test(a_tile_that_is_left_out_is_derived_anew),
        cmocka_unit_test(a_derived_tile_that_is_changed_counts_as_written),
        cmocka_unit_test(what_breaks_a_rule_is_refused),
        cmocka_unit_test(changes_that_want_different_things_do_not_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
