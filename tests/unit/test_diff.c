/*
 * What differs between two runs: keys of plans and products, waits, and the change that tells most.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "traces/diff.h"

static struct arena arena;
static struct diag diag;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    diag_init(&diag);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    diag_deinit(&diag);
    arena_deinit(&arena);
    return 0;
}

/* "part key detail a b" of each changed key, a line each. */
static const char *changes(const char *plan_a, const char *plan_b, const char *product_a,
                           const char *product_b)
{
    const struct stored_definition a = {"0.1.0", plan_a, product_a},
                                   b = {"0.1.0", plan_b, product_b};
    struct changed_key *keys = NULL;
    size_t count = 0;
    char *text = arena_text(&arena, "", 0);
    assert_int_equal(diff_definitions(&a, &b, &arena, &diag, &keys, &count), STATUS_OK);
    for (size_t i = 0; i < count; i++)
        text = arena_format(&arena, "%s%s %s%s %s %s\n", text, keys[i].part, keys[i].key,
                            keys[i].detail ? "*" : "", keys[i].a != NULL ? keys[i].a : "-",
                            keys[i].b != NULL ? keys[i].b : "-");
    return text;
}

static void equal_definitions_have_no_changed_key_whatever_their_order(void **state)
{
    (void)state;
    assert_string_equal(changes("{\"conv\":{\"stride\":[1,2],\"groups\":1},\"rules\":\"pypto\"}",
                                "{\"rules\":\"pypto\",\"conv\":{\"groups\":1,\"stride\":[1,2]}}",
                                "{\"a\":{\"value\":\"1 KiB\"}}", "{\"a\":{\"value\":\"1 KiB\"}}"),
                        "");
}

static void keys_of_a_plan_are_told_by_part_and_lists_as_a_whole(void **state)
{
    (void)state;
    assert_string_equal(changes("{\"conv\":{\"stride\":[1,2]},\"schedule\":{\"l0c_buffers\":1,"
                                "\"core_split\":{\"m\":3}},"
                                "\"tile_l0\":{\"tileK\":64},\"rules\":\"pypto\"}",
                                "{\"conv\":{\"stride\":[1,3]},\"schedule\":{\"l0c_buffers\":2,"
                                "\"core_split\":{\"m\":4}},"
                                "\"tile_l0\":{\"tileK\":32},\"rules\":\"strict\"}",
                                "{}", "{}"),
                        "problem conv.stride [1,2] [1,3]\n"
                        "tile tile_l0.tileK 64 32\n"
                        "schedule l0c_buffers 1 2\n"
                        "schedule core_split.m 3 4\n"
                        "plan rules pypto strict\n");
}

static void a_key_that_one_has_alone_is_told_with_its_leaves(void **state)
{
    (void)state;
    assert_string_equal(
        changes("{\"tile\":{\"mL0\":16,\"nL0\":32}}", "{\"tile_l0\":{\"tileK\":64}}", "{}", "{}"),
        "tile tile.mL0 16 -\n"
        "tile tile.nL0 32 -\n"
        "tile tile_l0.tileK - 64\n");
}

static void a_number_of_the_product_is_named_by_its_key_and_the_rest_is_detail(void **state)
{
    (void)state;
    assert_string_equal(
        changes("{}", "{}",
                "{\"mte1\":{\"rate\":{\"basis\":\"vendor\",\"value\":\"128 "
                "B/cycle\",\"high\":\"256 B/cycle\"}}}",
                "{\"mte1\":{\"rate\":{\"basis\":\"guess\",\"value\":\"256 B/cycle\"}}}"),
        "product mte1.rate.basis* vendor guess\n"
        "product mte1.rate 128 B/cycle 256 B/cycle\n"
        "product mte1.rate.high* 256 B/cycle -\n");
}

static void another_version_of_the_model_is_a_change(void **state)
{
    (void)state;
    const struct stored_definition a = {"0.1.0", "{}", "{}"}, b = {"0.2.0", "{}", "{}"};
    struct changed_key *keys = NULL;
    size_t count = 0;
    assert_int_equal(diff_definitions(&a, &b, &arena, &diag, &keys, &count), STATUS_OK);
    assert_int_equal(count, 1);
    assert_string_equal(keys[0].part, "model");
    assert_string_equal(keys[0].a, "0.1.0");
    assert_string_equal(keys[0].b, "0.2.0");
}

static void a_definition_that_is_no_object_is_an_error_of_the_database(void **state)
{
    (void)state;
    const struct stored_definition a = {"0.1.0", "{}", "{}"}, b = {"0.1.0", "[1]", "{}"};
    struct changed_key *keys = NULL;
    size_t count = 0;
    assert_int_equal(diff_definitions(&a, &b, &arena, &diag, &keys, &count), STATUS_DATABASE);
    assert_int_equal(diag.count, 1);
}

/* ---- pipes ---- */

static struct pipe_set set_of(struct stored_pipe mte1, struct stored_pipe cube)
{
    struct stored_pipe pipes[2] = {mte1, cube};
    pipes[0].pipe = PIPE_MTE1;
    pipes[1].pipe = PIPE_CUBE;
    return pipe_set_make(pipes, 2);
}

static void waits_come_by_the_size_of_their_change_with_flags_by_pipe(void **state)
{
    (void)state;
    struct pipe_change waits[PIPE_WAITS_MAX];
    const struct pipe_set a =
        set_of((struct stored_pipe){.wait = {[CAUSE_DISPATCH] = 10}},
               (struct stored_pipe){.wait = {[CAUSE_FLAG] = 70, [CAUSE_BARRIER] = 5},
                                    .wait_for = {[PIPE_MTE1] = 30, [PIPE_FIXP] = 40}});
    const struct pipe_set b =
        set_of((struct stored_pipe){.wait = {[CAUSE_DISPATCH] = 11}},
               (struct stored_pipe){.wait = {[CAUSE_FLAG] = 32, [CAUSE_BARRIER] = 5},
                                    .wait_for = {[PIPE_MTE1] = 25}});
    assert_int_equal(diff_waits(&a, &b, waits), 5);
    assert_int_equal(waits[0].reason, CAUSE_COUNT + PIPE_FIXP);
    assert_int_equal(waits[0].a, 40);
    assert_int_equal(waits[0].b, 0);
    /* What no pipe is known for. */
    assert_int_equal(waits[1].reason, CAUSE_FLAG);
    assert_int_equal(waits[1].a, 0);
    assert_int_equal(waits[1].b, 7);
    assert_int_equal(waits[2].reason, CAUSE_COUNT + PIPE_MTE1);
    assert_int_equal(waits[3].pipe, PIPE_MTE1);
    assert_int_equal(waits[3].reason, CAUSE_DISPATCH);
    assert_int_equal(waits[4].reason, CAUSE_BARRIER);
    assert_int_equal(pipe_change_size(&waits[4]), 0);
}

static void the_reason_is_the_largest_change_in_the_direction_of_the_time(void **state)
{
    (void)state;
    struct pipe_change reason;
    const struct pipe_set a =
        set_of((struct stored_pipe){.busy = 100, .wait = {[CAUSE_DISPATCH] = 10}},
               (struct stored_pipe){
                   .busy = 50, .wait = {[CAUSE_FLAG] = 90}, .wait_for = {[PIPE_FIXP] = 90}});
    const struct pipe_set b =
        set_of((struct stored_pipe){.busy = 70, .wait = {[CAUSE_DISPATCH] = 210}},
               (struct stored_pipe){.busy = 50});
    assert_true(diff_reason(&a, &b, true, &reason));
    assert_int_equal(reason.kind, PIPE_CHANGE_WAIT);
    assert_int_equal(reason.pipe, PIPE_CUBE);
    assert_int_equal(reason.a, 90);
    assert_int_equal(reason.b, 0);
    assert_true(diff_reason(&a, &b, false, &reason));
    assert_int_equal(reason.pipe, PIPE_MTE1);
    assert_int_equal(reason.reason, CAUSE_DISPATCH);
    assert_false(diff_reason(&a, &a, true, &reason));
    assert_false(diff_reason(&a, &a, false, &reason));
}

static void work_of_half_the_size_of_a_wait_is_the_reason_and_link_cycles_are_no_work(void **state)
{
    (void)state;
    struct pipe_change reason;
    struct pipe_set a =
        set_of((struct stored_pipe){.busy = 100},
               (struct stored_pipe){.wait = {[CAUSE_FLAG] = 80}, .wait_for = {[PIPE_MTE1] = 80}});
    struct pipe_set b = set_of((struct stored_pipe){.busy = 60}, (struct stored_pipe){0});
    assert_true(diff_reason(&a, &b, true, &reason));
    assert_int_equal(reason.kind, PIPE_CHANGE_BUSY);
    assert_int_equal(reason.pipe, PIPE_MTE1);
    b.pipe[PIPE_MTE1].busy = 61;
    assert_true(diff_reason(&a, &b, true, &reason));
    assert_int_equal(reason.kind, PIPE_CHANGE_WAIT);
    a.pipe[PIPE_MTE1].link = 39;
    assert_true(diff_reason(&a, &b, true, &reason));
    assert_int_equal(reason.kind, PIPE_CHANGE_WAIT);
    a.pipe[PIPE_CUBE].wait[CAUSE_FLAG] = a.pipe[PIPE_CUBE].wait_for[PIPE_MTE1] = 38;
    assert_true(diff_reason(&a, &b, true, &reason));
    assert_int_equal(reason.kind, PIPE_CHANGE_LINK);
    assert_int_equal(reason.a, 39);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(equal_definitions_have_no_changed_key_whatever_their_order),
        TEST(keys_of_a_plan_are_told_by_part_and_lists_as_a_whole),
        TEST(a_key_that_one_has_alone_is_told_with_its_leaves),
        TEST(a_number_of_the_product_is_named_by_its_key_and_the_rest_is_detail),
        TEST(another_version_of_the_model_is_a_change),
        TEST(a_definition_that_is_no_object_is_an_error_of_the_database),
        TEST(waits_come_by_the_size_of_their_change_with_flags_by_pipe),
        TEST(the_reason_is_the_largest_change_in_the_direction_of_the_time),
        TEST(work_of_half_the_size_of_a_wait_is_the_reason_and_link_cycles_are_no_work),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
