/* The critical path as a lane: each cycle of the window is in the column and part where it went. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "traces/path_lane.h"

static struct arena arena;
static struct lanes lanes;
static struct path_lane lane;

static int open_lane(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    assert_int_equal(lanes_init(&lanes, 10, 50, 4, &arena), STATUS_OK);
    assert_int_equal(path_lane_init(&lane, &lanes, &arena), STATUS_OK);
    return 0;
}

static int close_lane(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void add(enum step_kind kind, enum pipe pipe, enum cause cause, tick start, tick cycles)
{
    struct stored_step step = {
        .core = 3, .pipe = pipe, .kind = kind, .cause = cause, .start = start, .cycles = cycles};
    assert_int_equal(path_lane_add_step(&lane, &step), STATUS_OK);
}

static tick part(size_t column, enum step_kind kind, enum pipe pipe, enum cause cause)
{
    return lane.columns[column].part[path_lane_part(kind, pipe, cause)];
}

static void test_a_step_fills_the_columns_that_it_touches(void **state)
{
    (void)state;
    add(STEP_WAIT, PIPE_SCALAR, CAUSE_STARTUP, 0, 13);
    add(STEP_BUSY, PIPE_MTE2, CAUSE_NONE, 13, 22);
    add(STEP_LINK, PIPE_MTE2, CAUSE_NONE, 35, 2);
    add(STEP_LATENCY, PIPE_CUBE, CAUSE_NONE, 37, 100);
    assert_int_equal(part(0, STEP_WAIT, PIPE_SCALAR, CAUSE_STARTUP), 3);
    assert_int_equal(part(0, STEP_BUSY, PIPE_MTE2, CAUSE_NONE), 7);
    assert_int_equal(part(1, STEP_BUSY, PIPE_MTE2, CAUSE_NONE), 10);
    assert_int_equal(part(2, STEP_BUSY, PIPE_MTE2, CAUSE_NONE), 5);
    assert_int_equal(part(2, STEP_LINK, PIPE_MTE2, CAUSE_NONE), 2);
    assert_int_equal(part(2, STEP_LATENCY, PIPE_CUBE, CAUSE_NONE), 3);
    assert_int_equal(part(3, STEP_LATENCY, PIPE_CUBE, CAUSE_NONE), 10);
    for (size_t column = 0; column < 4; column++) {
        tick sum = 0;
        for (uint32_t i = 0; i < PATH_LANE_PARTS; i++)
            sum += lane.columns[column].part[i];
        assert_int_equal(sum, 10);
    }
    assert_true(lane.used);
    assert_int_equal(lane.core, 3);
}

static void test_steps_outside_of_the_window_leave_no_trace(void **state)
{
    (void)state;
    add(STEP_BUSY, PIPE_CUBE, CAUSE_NONE, 0, 10);
    add(STEP_BUSY, PIPE_CUBE, CAUSE_NONE, 50, 10);
    assert_false(lane.used);
    add(STEP_BUSY, PIPE_CUBE, CAUSE_NONE, 49, 1);
    assert_true(lane.used);
    assert_int_equal(part(3, STEP_BUSY, PIPE_CUBE, CAUSE_NONE), 1);
}

static void test_no_two_parts_are_one(void **state)
{
    (void)state;
    bool seen[PATH_LANE_PARTS] = {false};
    for (uint32_t kind = 0; kind < STEP_WAIT; kind++)
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
            uint32_t at = path_lane_part((enum step_kind)kind, pipe, CAUSE_NONE);
            assert_true(at < PATH_LANE_PARTS && !seen[at]);
            seen[at] = true;
        }
    for (uint32_t cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++) {
        uint32_t at = path_lane_part(STEP_WAIT, PIPE_CUBE, (enum cause)cause);
        assert_true(at < PATH_LANE_PARTS && !seen[at]);
        assert_int_equal(at, path_lane_part(STEP_WAIT, PIPE_MTE2, (enum cause)cause));
        seen[at] = true;
    }
}

#define LANE_TEST(test) cmocka_unit_test_setup_teardown(test, open_lane, close_lane)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LANE_TEST(test_a_step_fills_the_columns_that_it_touches),
        LANE_TEST(test_steps_outside_of_the_window_leave_no_trace),
        LANE_TEST(test_no_two_parts_are_one),
    };
    return cmocka_run_group_tests_name("path_lane", tests, NULL, NULL);
}
