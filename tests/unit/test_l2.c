#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/l2.h"
#include "tests/support/stream_fixture.h"

enum { LINE = 512 };

struct rig {
    struct stream_fixture fixture;
    struct arena arena;
    struct l2_plan plan;
};

static struct rig rig;

static int rig_setup(void **state)
{
    (void)state;
    arena_init(&rig.arena, 0);
    stream_fixture_init(&rig.fixture, 2, 64 * LINE, 64 * LINE);
    return 0;
}

static int rig_teardown(void **state)
{
    (void)state;
    l2_deinit(&rig.plan);
    arena_deinit(&rig.arena);
    return 0;
}

static void decide(uint64_t lines, bool warm)
{
    struct l2_options options = {.size_bytes = lines * LINE, .line_bytes = LINE};
    rig.fixture.regions[FIXTURE_SOURCE].warm = warm;
    assert_int_equal(l2_decide(&rig.fixture.program, &options, &rig.plan, &rig.arena), STATUS_OK);
}

static void line(uint32_t core, uint64_t index)
{
    stream_fixture_copy(&rig.fixture, core, index * LINE, 1, LINE, LINE);
}

static void expect_misses(uint32_t core, const uint32_t *misses, size_t count)
{
    assert_int_equal(rig.plan.cores[core].count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rig.plan.cores[core].splits[i].miss_bytes, misses[i]);
}

static void test_the_first_touch_misses_and_the_next_hits(void **state)
{
    (void)state;
    line(0, 3);
    line(0, 3);
    decide(1024, false);
    static const uint32_t misses[] = {LINE, 0};
    expect_misses(0, misses, 2);
    assert_int_equal(rig.plan.read_bytes, 2 * LINE);
    assert_int_equal(rig.plan.miss_bytes, LINE);
}

static void test_a_line_is_filled_sector_by_sector(void **state)
{
    (void)state;
    stream_fixture_copy(&rig.fixture, 0, 64, 1, 96, 96);   /* sectors 2, 3, 4 */
    stream_fixture_copy(&rig.fixture, 0, 32, 1, 160, 160); /* sectors 1 and 5 are new */
    stream_fixture_copy(&rig.fixture, 0, 0, 1, LINE, LINE);
    decide(1024, false);
    static const uint32_t misses[] = {96, 64, LINE - 160};
    expect_misses(0, misses, 3);
}

static void test_the_least_recently_used_line_goes(void **state)
{
    (void)state;
    line(0, 1);
    line(0, 2);
    line(0, 1); /* 1 is younger than 2 now */
    line(0, 3); /* 2 goes */
    line(0, 1);
    line(0, 2);
    decide(2, false);
    static const uint32_t misses[] = {LINE, LINE, 0, LINE, 0, LINE};
    expect_misses(0, misses, 6);
}

static void test_as_many_lines_fit_as_the_size_says(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < 4; i++)
            line(0, i);
    decide(4, false);
    assert_int_equal(rig.plan.miss_bytes, 4 * LINE);
    l2_deinit(&rig.plan);
    decide(3, false); /* walking over one line too many misses always */
    assert_int_equal(rig.plan.miss_bytes, 8 * LINE);
}

static void test_a_store_leaves_its_lines_and_takes_room(void **state)
{
    (void)state;
    line(0, 1);
    stream_fixture_store(&rig.fixture, 0, 0, 32); /* 32 rows of 32 B: two lines */
    line(0, 1);
    decide(2, false);
    static const uint32_t misses[] = {LINE, 0, LINE};
    expect_misses(0, misses, 3);
    assert_int_equal(rig.plan.write_bytes, 2 * LINE);
    assert_int_equal(rig.plan.read_bytes, 2 * LINE);
}

/* A copy of more lines than L2 has takes out what the other core asked for in the same turn. */
static void test_what_left_l2_in_the_same_turn_misses_and_is_not_late(void **state)
{
    (void)state;
    stream_fixture_copy(&rig.fixture, 0, 0, 1, 4 * LINE, 4 * LINE);
    stream_fixture_copy(&rig.fixture, 1, 0, 1, 4 * LINE, 4 * LINE);
    decide(2, false);
    static const uint32_t misses[] = {4 * LINE};
    expect_misses(0, misses, 1);
    expect_misses(1, misses, 1);
    assert_int_equal(rig.plan.cores[0].splits[0].late_bytes, 0);
    assert_int_equal(rig.plan.cores[1].splits[0].late_bytes, 0);
}

/* One copy of each core in turn: the second core finds what the first has asked for. */
static void test_cores_take_turns(void **state)
{
    (void)state;
    line(0, 1);
    line(0, 2);
    line(1, 2);
    line(1, 1);
    decide(1024, false);
    static const uint32_t first[] = {LINE, 0}, second[] = {LINE, 0};
    expect_misses(0, first, 2);
    expect_misses(1, second, 2);
}

static const struct l2_split *split(uint32_t core, size_t copy)
{
    assert_true(copy < rig.plan.cores[core].count);
    return &rig.plan.cores[core].splits[copy];
}

static void test_cores_that_ask_in_one_turn_wait_for_one_fill(void **state)
{
    (void)state;
    line(0, 1);
    line(0, 2);
    line(0, 3);
    line(1, 1);
    line(1, 3);
    line(1, 2);
    decide(1024, false);
    assert_int_equal(split(0, 0)->late_bytes, 0);
    assert_int_equal(split(1, 0)->miss_bytes, 0);
    assert_int_equal(split(1, 0)->late_bytes, LINE);
    assert_int_equal(split(0, 2)->late_bytes, 0); /* asked for in an earlier turn: it is there */
    assert_int_equal(split(1, 2)->late_bytes, 0);
}

static void test_a_copy_knows_how_many_cores_ask_for_its_lines(void **state)
{
    (void)state;
    line(0, 1);
    line(1, 1);
    stream_fixture_copy(&rig.fixture, 0, 0, 1, 2 * LINE, 2 * LINE); /* lines 0 and 1 */
    line(1, 1);
    decide(1024, false);
    assert_int_equal(split(0, 0)->share, L2_SHARE_ONE / 2);
    assert_int_equal(split(1, 0)->share, L2_SHARE_ONE / 2);
    assert_int_equal(split(0, 1)->share, L2_SHARE_ONE * 3 / 4);
    assert_int_equal(split(1, 1)->share, L2_SHARE_ONE / 2);
}

static void test_who_asked_in_earlier_turns_does_not_count(void **state)
{
    (void)state;
    line(0, 1);
    line(1, 1);
    line(0, 1);
    line(1, 2);
    decide(1024, false);
    assert_int_equal(split(0, 0)->share, L2_SHARE_ONE / 2);
    assert_int_equal(split(0, 1)->share, L2_SHARE_ONE);
    assert_int_equal(split(1, 1)->share, L2_SHARE_ONE);
}

static void test_a_core_that_asks_twice_in_a_turn_counts_once(void **state)
{
    (void)state;
    stream_fixture_copy(&rig.fixture, 0, 0, 4, 32, 64); /* four rows in one line */
    line(1, 7);
    decide(1024, false);
    assert_int_equal(split(0, 0)->share, L2_SHARE_ONE);
    assert_int_equal(split(0, 0)->late_bytes, 0);
}

static void test_a_warm_cache_holds_the_inputs_and_not_the_output(void **state)
{
    (void)state;
    line(0, 1);
    line(0, 63);
    decide(1024, true);
    assert_int_equal(rig.plan.miss_bytes, 0);
    l2_deinit(&rig.plan);
    decide(8, true); /* the last eight lines of the input were asked for last */
    static const uint32_t misses[] = {LINE, 0};
    expect_misses(0, misses, 2);
}

static void store(uint32_t core, uint64_t first_line, uint64_t bytes)
{
    stream_fixture_store(&rig.fixture, core, first_line * LINE, bytes / 32);
}

static void test_what_was_written_goes_back_when_its_line_is_replaced(void **state)
{
    (void)state;
    store(0, 0, LINE);
    line(0, 1);
    line(0, 2); /* the written line goes */
    line(0, 3); /* line 1 goes, which nobody wrote */
    decide(2, false);
    assert_int_equal(split(0, 0)->write_back_bytes, 0); /* the store is the first split */
    assert_int_equal(split(0, 1)->write_back_bytes, 0);
    assert_int_equal(split(0, 2)->write_back_bytes, LINE);
    assert_int_equal(split(0, 3)->write_back_bytes, 0);
    assert_int_equal(rig.plan.write_back_bytes, LINE);
    assert_int_equal(rig.plan.write_bytes, LINE);
    assert_int_equal(rig.plan.miss_bytes, 3 * LINE);
}

static void test_only_written_sectors_go_back(void **state)
{
    (void)state;
    stream_fixture_store(&rig.fixture, 0, 64, 3); /* sectors 2, 3 and 4 of the first line */
    line(0, 1);
    line(0, 2);
    decide(2, false);
    assert_int_equal(split(0, 2)->write_back_bytes, 96);
}

static void test_a_line_goes_back_once_however_often_it_was_written(void **state)
{
    (void)state;
    store(0, 0, LINE);
    store(0, 0, LINE);
    line(0, 1);
    line(0, 2);
    line(0, 3);
    decide(2, false);
    assert_int_equal(rig.plan.write_back_bytes, LINE);
    assert_int_equal(rig.plan.write_bytes, 2 * LINE);
}

static void test_stores_push_stores_out_and_what_fits_stays(void **state)
{
    (void)state;
    store(0, 0, 4 * LINE);
    store(0, 4, LINE);
    decide(4, false);
    assert_int_equal(split(0, 0)->write_back_bytes, 0);
    assert_int_equal(split(0, 1)->write_back_bytes, LINE);
    l2_deinit(&rig.plan);
    decide(5, false);
    assert_int_equal(rig.plan.write_back_bytes, 0);
}

static void test_without_a_cache_every_store_goes_to_gm(void **state)
{
    (void)state;
    store(0, 0, 2 * LINE);
    store(1, 0, LINE);
    decide(0, false);
    assert_int_equal(split(0, 0)->write_back_bytes, 2 * LINE);
    assert_int_equal(split(1, 0)->write_back_bytes, LINE);
    assert_int_equal(rig.plan.write_back_bytes, 3 * LINE);
    assert_int_equal(rig.plan.miss_bytes, 0);
}

static void test_no_cache_misses_everything(void **state)
{
    (void)state;
    line(0, 1);
    line(0, 1);
    decide(0, false);
    assert_int_equal(rig.plan.miss_bytes, 2 * LINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_first_touch_misses_and_the_next_hits, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_line_is_filled_sector_by_sector, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_the_least_recently_used_line_goes, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_as_many_lines_fit_as_the_size_says, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_store_leaves_its_lines_and_takes_room, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_what_left_l2_in_the_same_turn_misses_and_is_not_late,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_cores_take_turns, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_who_asked_in_earlier_turns_does_not_count, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_core_that_asks_twice_in_a_turn_counts_once,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_copy_knows_how_many_cores_ask_for_its_lines,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_cores_that_ask_in_one_turn_wait_for_one_fill,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_warm_cache_holds_the_inputs_and_not_the_output,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_what_was_written_goes_back_when_its_line_is_replaced,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_only_written_sectors_go_back, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_a_line_goes_back_once_however_often_it_was_written,
                                        rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_stores_push_stores_out_and_what_fits_stays, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_without_a_cache_every_store_goes_to_gm, rig_setup,
                                        rig_teardown),
        cmocka_unit_test_setup_teardown(test_no_cache_misses_everything, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
