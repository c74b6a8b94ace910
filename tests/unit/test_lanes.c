/* Lanes: what a window of a timeline looks like, column by column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/splitmix.h"
#include "traces/lanes.h"

static struct arena arena;

static int make_arena(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int remove_arena(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static struct lanes lanes_of(tick from, tick to, size_t columns)
{
    struct lanes lanes;
    assert_int_equal(lanes_init(&lanes, from, to, columns, &arena), STATUS_OK);
    return lanes;
}

/* An instruction that works in [start, end) after a wait. */
static void add_work(struct lanes *lanes, enum pipe pipe, tick start, tick end, tick wait,
                     enum cause cause)
{
    static uint32_t seq;
    struct stored_row row = {
        .pipe = pipe,
        .seq = ++seq,
        .start = start,
        .end = end,
        .done = end,
        .busy = end - start,
        .wait = wait,
        .cause = cause,
        .blocker_core = ROW_NO_BLOCKER,
        .blocker_pipe = ROW_NO_BLOCKER,
        .blocker_seq = ROW_NO_BLOCKER,
    };
    assert_int_equal(lanes_add_row(lanes, &row), STATUS_OK);
}

/* A wait_flag that holds its pipe in [start, end). */
static void add_wait(struct lanes *lanes, enum pipe pipe, tick start, tick end, enum pipe other)
{
    struct stored_row row = {
        .pipe = pipe,
        .seq = 77,
        .start = start,
        .end = end,
        .done = end,
        .wait = end - start,
        .cause = CAUSE_FLAG,
        .blocker_core = 0,
        .blocker_pipe = other,
        .blocker_seq = 76,
    };
    assert_int_equal(lanes_add_row(lanes, &row), STATUS_OK);
}

static tick busy_of(const struct lanes *lanes, enum pipe pipe, size_t column)
{
    return lanes->lane[pipe].columns[column].busy;
}

static tick wait_of(const struct lanes *lanes, enum pipe pipe, size_t column, uint32_t reason)
{
    return lanes->lane[pipe].columns[column].wait[reason];
}

static void test_columns_divide_the_window_as_evenly_as_whole_cycles_allow(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(7, 107, 30);
    assert_int_equal(lanes.column_count, 30);
    assert_int_equal(lanes.edge[0], 7);
    assert_int_equal(lanes.edge[30], 107);
    for (size_t i = 0; i < 30; i++) {
        tick width = lanes.edge[i + 1] - lanes.edge[i];
        assert_true(width == 3 || width == 4);
        assert_int_equal(lanes_column(&lanes, lanes.edge[i]), i);
        assert_int_equal(lanes_column(&lanes, lanes.edge[i + 1] - 1), i);
    }
}

static void test_a_window_shorter_than_the_screen_has_a_column_for_each_cycle(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(5, 8, 66);
    assert_int_equal(lanes.column_count, 3);
    add_work(&lanes, PIPE_CUBE, 6, 7, 0, CAUSE_NONE);
    assert_int_equal(lanes_eighths(&lanes, PIPE_CUBE, 0), 0);
    assert_int_equal(lanes_eighths(&lanes, PIPE_CUBE, 1), 8);
    assert_int_equal(lanes_eighths(&lanes, PIPE_CUBE, 2), 0);
}

static void test_edges_do_not_overflow_in_the_longest_window(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(0, UINT64_MAX / 2, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_true(lanes.edge[i] < lanes.edge[i + 1]);
    assert_int_equal(lanes_tick_step(&lanes, 20), 200000000000000000);
}

static void test_busy_cycles_are_spread_over_the_columns_that_hold_them(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(100, 140, 4);
    add_work(&lanes, PIPE_MTE2, 95, 123, 0, CAUSE_NONE);
    assert_int_equal(busy_of(&lanes, PIPE_MTE2, 0), 10);
    assert_int_equal(busy_of(&lanes, PIPE_MTE2, 1), 10);
    assert_int_equal(busy_of(&lanes, PIPE_MTE2, 2), 3);
    assert_int_equal(busy_of(&lanes, PIPE_MTE2, 3), 0);
    assert_true(lanes.lane[PIPE_MTE2].used);
    assert_false(lanes.lane[PIPE_CUBE].used);
}

static void test_rows_outside_the_window_leave_no_trace(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(100, 140, 4);
    add_work(&lanes, PIPE_MTE2, 10, 100, 5, CAUSE_DISPATCH);
    add_work(&lanes, PIPE_MTE2, 140, 150, 0, CAUSE_NONE);
    assert_false(lanes.lane[PIPE_MTE2].used);
    assert_int_equal(lanes.longest.cycles, 0);
}

static void test_a_share_is_rounded_to_eighths_but_never_to_nothing(void **state)
{
    (void)state;
    static const struct {
        tick busy;
        uint32_t eighths;
    } cases[] = {{0, 0},  {1, 1},  {18, 1}, {19, 2}, {31, 2},
                 {32, 3}, {50, 4}, {93, 7}, {94, 8}, {100, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lanes lanes = lanes_of(0, 100, 1);
        if (cases[i].busy > 0)
            add_work(&lanes, PIPE_MTE1, 0, cases[i].busy, 0, CAUSE_NONE);
        assert_int_equal(lanes_eighths(&lanes, PIPE_MTE1, 0), cases[i].eighths);
    }
}

static void test_work_waits_before_its_start_and_flags_up_to_their_end(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(0, 40, 4);
    add_work(&lanes, PIPE_MTE2, 20, 30, 15, CAUSE_DISPATCH);
    add_wait(&lanes, PIPE_CUBE, 3, 25, PIPE_MTE1);
    assert_int_equal(wait_of(&lanes, PIPE_MTE2, 0, CAUSE_DISPATCH), 5);
    assert_int_equal(wait_of(&lanes, PIPE_MTE2, 1, CAUSE_DISPATCH), 10);
    assert_int_equal(wait_of(&lanes, PIPE_MTE2, 2, CAUSE_DISPATCH), 0);
    uint32_t mte1 = lane_reason(CAUSE_FLAG, PIPE_MTE1);
    assert_int_equal(wait_of(&lanes, PIPE_CUBE, 0, mte1), 7);
    assert_int_equal(wait_of(&lanes, PIPE_CUBE, 2, mte1), 5);
    assert_int_equal(busy_of(&lanes, PIPE_CUBE, 0), 0);
}

static void test_a_reason_is_the_pipe_of_the_flag_or_the_cause(void **state)
{
    (void)state;
    assert_string_equal(lane_reason_word(lane_reason(CAUSE_FLAG, PIPE_FIXP)), "FIXP");
    assert_string_equal(lane_reason_word(lane_reason(CAUSE_FLAG, ROW_NO_BLOCKER)), "flag");
    assert_string_equal(lane_reason_word(lane_reason(CAUSE_DISPATCH, PIPE_FIXP)), "dispatch");
    assert_string_equal(lane_reason_word(lane_reason(CAUSE_QUEUE_FULL, ROW_NO_BLOCKER)),
                        "queue_full");
}

static void test_a_gap_is_a_run_of_waiting_columns_with_its_main_reason(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(0, 100, 10);
    struct lane_gap gap;
    add_wait(&lanes, PIPE_CUBE, 0, 12, PIPE_MTE2);
    add_wait(&lanes, PIPE_CUBE, 12, 40, PIPE_MTE1);
    add_work(&lanes, PIPE_CUBE, 40, 55, 0, CAUSE_NONE);
    add_work(&lanes, PIPE_CUBE, 70, 80, 15, CAUSE_BARRIER);

    assert_true(lanes_next_gap(&lanes, PIPE_CUBE, 0, &gap));
    assert_int_equal(gap.first, 0);
    assert_int_equal(gap.count, 4);
    assert_string_equal(lane_reason_word(gap.reason), "MTE1");
    assert_true(lanes_next_gap(&lanes, PIPE_CUBE, gap.first + gap.count, &gap));
    assert_int_equal(gap.first, 6);
    assert_int_equal(gap.count, 1);
    assert_string_equal(lane_reason_word(gap.reason), "barrier");
    assert_false(lanes_next_gap(&lanes, PIPE_CUBE, 7, &gap));

    /* After its last instruction a pipe is idle, which is no wait. */
    assert_false(lanes_is_waiting(&lanes, PIPE_CUBE, 9));
    assert_false(lanes_next_gap(&lanes, PIPE_FIXP, 0, &gap));
}

static void test_the_longest_wait_is_one_of_the_pipes_that_feed_the_cube(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(100, 200, 10);
    add_wait(&lanes, PIPE_FIXP, 0, 190, PIPE_CUBE);
    add_work(&lanes, PIPE_SCALAR, 190, 191, 150, CAUSE_QUEUE_FULL);
    assert_int_equal(lanes.longest.cycles, 0);
    add_wait(&lanes, PIPE_MTE1, 90, 120, PIPE_MTE2);
    add_wait(&lanes, PIPE_CUBE, 120, 160, PIPE_FIXP);
    add_work(&lanes, PIPE_MTE2, 150, 160, 40, CAUSE_DISPATCH);
    assert_int_equal(lanes.longest.cycles, 40);
    assert_int_equal(lanes.longest.pipe, PIPE_CUBE);
    assert_int_equal(lanes.longest.seq, 77);
    assert_string_equal(lane_reason_word(lanes.longest.reason), "FIXP");
    assert_int_equal(lanes.longest.blocker_seq, 76);
    /* A wait that ended before the window, of an instruction that works in it. */
    add_work(&lanes, PIPE_MTE2, 90, 110, 80, CAUSE_DISPATCH);
    assert_int_equal(lanes.longest.cycles, 40);
    /* Of a wait that begins before the window only the part inside counts. */
    add_work(&lanes, PIPE_MTE2, 139, 140, 139, CAUSE_DISPATCH);
    assert_int_equal(lanes.longest.cycles, 40);
    add_work(&lanes, PIPE_MTE2, 145, 146, 145, CAUSE_DISPATCH);
    assert_int_equal(lanes.longest.cycles, 45);
    assert_int_equal(lanes.longest.all, 145);
}

static void test_busy_cycles_are_those_inside_the_window(void **state)
{
    (void)state;
    struct lanes lanes = lanes_of(100, 200, 7);
    assert_int_equal(lanes_busy(&lanes, PIPE_CUBE), 0);
    add_work(&lanes, PIPE_CUBE, 90, 110, 0, CAUSE_NONE);
    add_work(&lanes, PIPE_CUBE, 130, 161, 0, CAUSE_NONE);
    add_work(&lanes, PIPE_CUBE, 199, 300, 0, CAUSE_NONE);
    assert_int_equal(lanes_busy(&lanes, PIPE_CUBE), 10 + 31 + 1);
    assert_int_equal(lanes_busy(&lanes, PIPE_MTE1), 0);
}

static void test_ticks_are_one_two_or_five_times_a_power_of_ten(void **state)
{
    (void)state;
    struct lanes run = lanes_of(0, 63941, 66);
    assert_int_equal(lanes_tick_step(&run, 20), 20000);
    struct lanes tiles = lanes_of(35890, 37960, 66);
    assert_int_equal(lanes_tick_step(&tiles, 20), 1000);
    struct lanes wide = lanes_of(35890, 37960, 106);
    assert_int_equal(lanes_tick_step(&wide, 20), 500);
    struct lanes few = lanes_of(0, 10, 66);
    assert_int_equal(lanes_tick_step(&few, 20), 20);
}

/* Goal: no cycle is lost or counted twice, whatever the window. Method: random rows of one pipe,
 * end to end, in windows of random place, size and columns; the columns must sum to what the rows
 * have in the window. */
static tick overlap(tick start, tick end, tick from, tick to)
{
    tick low = start > from ? start : from, high = end < to ? end : to;
    return high > low ? high - low : 0;
}

static void check_sums(uint64_t *random)
{
    tick from = splitmix_next(random) % 500, to = from + 1 + splitmix_next(random) % 500;
    struct lanes lanes = lanes_of(from, to, 1 + (size_t)(splitmix_next(random) % 200));
    tick busy = 0, wait = 0, now = 0;
    while (now < 1000) {
        tick hold = splitmix_next(random) % 20, work = 1 + splitmix_next(random) % 20;
        add_work(&lanes, PIPE_CUBE, now + hold, now + hold + work, hold,
                 hold > 0 ? CAUSE_BARRIER : CAUSE_NONE);
        wait += overlap(now, now + hold, from, to);
        busy += overlap(now + hold, now + hold + work, from, to);
        now += hold + work;
    }
    for (size_t i = 0; i < lanes.column_count; i++) {
        tick width = lanes.edge[i + 1] - lanes.edge[i];
        assert_int_equal(
            busy_of(&lanes, PIPE_CUBE, i) + wait_of(&lanes, PIPE_CUBE, i, CAUSE_BARRIER), width);
        busy -= busy_of(&lanes, PIPE_CUBE, i);
        wait -= wait_of(&lanes, PIPE_CUBE, i, CAUSE_BARRIER);
    }
    assert_int_equal(busy, 0);
    assert_int_equal(wait, 0);
}

static void test_columns_sum_to_the_cycles_of_the_rows_in_any_window(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed();
    for (int i = 0; i < 500; i++)
        check_sums(&random);
}

static void test_lanes_without_memory_say_so(void **state)
{
    (void)state;
    struct lanes lanes;
    for (uint64_t nth = 1; nth <= 1 + PIPE_COUNT; nth++) {
        arena_fail_at(nth);
        assert_int_equal(lanes_init(&lanes, 0, 100, 10, &arena), STATUS_NO_MEMORY);
    }
    arena_fail_at(0);
    assert_int_equal(lanes_init(&lanes, 0, 100, 10, &arena), STATUS_OK);
}

#define LANES_TEST(test) cmocka_unit_test_setup_teardown(test, make_arena, remove_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LANES_TEST(test_columns_divide_the_window_as_evenly_as_whole_cycles_allow),
        LANES_TEST(test_a_window_shorter_than_the_screen_has_a_column_for_each_cycle),
        LANES_TEST(test_edges_do_not_overflow_in_the_longest_window),
        LANES_TEST(test_busy_cycles_are_spread_over_the_columns_that_hold_them),
        LANES_TEST(test_rows_outside_the_window_leave_no_trace),
        LANES_TEST(test_a_share_is_rounded_to_eighths_but_never_to_nothing),
        LANES_TEST(test_work_waits_before_its_start_and_flags_up_to_their_end),
        LANES_TEST(test_a_reason_is_the_pipe_of_the_flag_or_the_cause),
        LANES_TEST(test_a_gap_is_a_run_of_waiting_columns_with_its_main_reason),
        LANES_TEST(test_busy_cycles_are_those_inside_the_window),
        LANES_TEST(test_the_longest_wait_is_one_of_the_pipes_that_feed_the_cube),
        LANES_TEST(test_ticks_are_one_two_or_five_times_a_power_of_ten),
        LANES_TEST(test_columns_sum_to_the_cycles_of_the_rows_in_any_window),
        LANES_TEST(test_lanes_without_memory_say_so),
    };
    return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
