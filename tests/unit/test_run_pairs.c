/*
 * Two sets of runs: which belong together, which are left over, and the mean change.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/support/near.h"
#include "traces/run_pairs.h"

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

/* A run of 1,000 MHz whose plan and definition are named by a word each. */
static struct listed_run run_of(int64_t id, const char *tiling, const char *plan,
                                const char *definition, uint64_t cycles)
{
    struct listed_run run = {.run_id = id,
                             .soc = "ascend910b1",
                             .problem = "p",
                             .tiling = tiling,
                             .bound = "mte2",
                             .clock_mhz = 1000,
                             .cycles = cycles};
    snprintf(run.plan_key, sizeof run.plan_key, "%s", plan);
    snprintf(run.definition_key, sizeof run.definition_key, "%s", definition);
    return run;
}

/* "1-4 2-3" of a and b. */
static const char *pairs_text(const struct run_pairs *pairs)
{
    const char *text = "";
    for (size_t i = 0; i < pairs->count; i++)
        text = arena_format(&arena, "%s%s%d-%d", text, i > 0 ? " " : "",
                            (int)pairs->pairs[i].a->run_id, (int)pairs->pairs[i].b->run_id);
    return text;
}

static struct run_pairs make(const struct listed_run *a, size_t a_count, const struct listed_run *b,
                             size_t b_count, enum pair_match match)
{
    struct run_pairs pairs;
    assert_int_equal(run_pairs_make(a, a_count, b, b_count, match, &arena, &pairs), STATUS_OK);
    return pairs;
}

static void runs_of_one_problem_tiling_and_soc_belong_together(void **state)
{
    (void)state;
    const struct listed_run a[] = {run_of(1, "x", "p1", "d1", 100),
                                   run_of(2, "y", "p2", "d2", 100)};
    struct listed_run b[] = {run_of(3, "y", "p3", "d3", 90), run_of(4, "x", "p4", "d4", 120),
                             run_of(5, "x", "p5", "d5", 120)};
    struct run_pairs pairs = make(a, 2, b, 3, MATCH_TILING);
    assert_string_equal(pairs_text(&pairs), "1-4 2-3");
    assert_int_equal(pairs.alone_count[0], 0);
    assert_int_equal(pairs.alone_count[1], 1);
    assert_int_equal(pairs.alone[1][0]->run_id, 5);
    b[0].soc = "ascend950pr_9589";
    pairs = make(a, 2, b, 3, MATCH_TILING);
    assert_string_equal(pairs_text(&pairs), "1-4");
    assert_int_equal(pairs.alone[0][0]->run_id, 2);
}

static void runs_of_one_plan_are_paired_before_others_of_its_tiling(void **state)
{
    (void)state;
    const struct listed_run a[] = {run_of(1, "x", "p1", "d1", 100),
                                   run_of(2, "x", "p2", "d2", 100)};
    const struct listed_run b[] = {run_of(3, "x", "p2", "d3", 100),
                                   run_of(4, "x", "p9", "d4", 100)};
    struct run_pairs pairs = make(a, 2, b, 2, MATCH_TILING);
    assert_string_equal(pairs_text(&pairs), "1-4 2-3");
    pairs = make(a, 2, b, 2, MATCH_PLAN);
    assert_string_equal(pairs_text(&pairs), "2-3");
    assert_int_equal(pairs.alone_count[0], 1);
    assert_int_equal(pairs.alone_count[1], 1);
}

static void the_problem_alone_pairs_other_tilings_and_products(void **state)
{
    (void)state;
    const struct listed_run a[] = {run_of(1, "x", "p1", "d1", 100)};
    struct listed_run b[] = {run_of(2, "y", "p2", "d2", 50)};
    b[0].soc = "ascend950pr_9589";
    b[0].clock_mhz = 2000;
    struct run_pairs pairs = make(a, 1, b, 1, MATCH_TILING);
    assert_int_equal(pairs.count, 0);
    assert_near(pairs.mean, 1.0, 1e-12);
    pairs = make(a, 1, b, 1, MATCH_PROBLEM);
    assert_string_equal(pairs_text(&pairs), "1-2");
    assert_near(pairs.mean, 0.25, 1e-12);
}

static void the_latest_run_of_one_plan_and_product_stands_for_all(void **state)
{
    (void)state;
    const struct listed_run a[] = {run_of(1, "x", "p1", "d1", 100), run_of(2, "x", "p1", "d1", 101),
                                   run_of(3, "x", "p1", "d2", 200)};
    const struct listed_run b[] = {run_of(9, "x", "p1", "d1", 100)};
    const struct run_pairs pairs = make(a, 3, b, 1, MATCH_TILING);
    assert_string_equal(pairs_text(&pairs), "2-9");
    assert_int_equal(pairs.superseded_count[0], 1);
    assert_int_equal(pairs.superseded_count[1], 0);
    assert_int_equal(pairs.alone_count[0], 1);
    assert_int_equal(pairs.alone[0][0]->run_id, 3);
}

static void pairs_come_from_the_slowest_change_and_their_mean_is_geometric(void **state)
{
    (void)state;
    const struct listed_run a[] = {run_of(1, "x", "p1", "d1", 100), run_of(2, "y", "p2", "d2", 100),
                                   run_of(3, "z", "p3", "d3", 100)};
    struct listed_run b[] = {run_of(4, "x", "p1", "d1", 50), run_of(5, "y", "p2", "d2", 400),
                             run_of(6, "z", "p3", "d3", 100)};
    struct run_pairs pairs = make(a, 3, b, 3, MATCH_TILING);
    assert_string_equal(pairs_text(&pairs), "2-5 3-6 1-4");
    assert_near(pairs.mean, 1.2599210498948732, 1e-12); /* the cube root of 0.5 x 4 x 1 */
    b[0].deadlocked = true;
    pairs = make(a, 3, b, 3, MATCH_TILING);
    assert_string_equal(pairs_text(&pairs), "1-4 2-5 3-6");
    assert_int_equal(pairs.ratios, 2);
    assert_near(pairs.mean, 2.0, 1e-12);
}

static void an_empty_set_has_no_pairs(void **state)
{
    (void)state;
    const struct listed_run a[] = {run_of(1, "x", "p1", "d1", 100)};
    const struct run_pairs pairs = make(a, 1, NULL, 0, MATCH_TILING);
    assert_int_equal(pairs.count, 0);
    assert_int_equal(pairs.alone_count[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(runs_of_one_problem_tiling_and_soc_belong_together),
        TEST(runs_of_one_plan_are_paired_before_others_of_its_tiling),
        TEST(the_problem_alone_pairs_other_tilings_and_products),
        TEST(the_latest_run_of_one_plan_and_product_stands_for_all),
        TEST(pairs_come_from_the_slowest_change_and_their_mean_is_geometric),
        TEST(an_empty_set_has_no_pairs),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
