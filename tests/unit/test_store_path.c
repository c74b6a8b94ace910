/* The critical path in the database: step by step, from its start to the end of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/open_store.h"

static void test_the_steps_of_the_critical_path_fill_the_run(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT * FROM v_critical_path ORDER BY step"),
                        "1|0|1|SCALAR|||startup|0|10\n"
                        "1|1|1|MTE2|0|data_copy|busy|10|25\n"
                        "1|2|1|MTE2|0|data_copy|link|35|5\n"
                        "1|3|1|MTE2|0|data_copy|latency|40|5\n"
                        "1|4|1|MTE1|3|load2d|busy|45|15\n"
                        "1|5|1|MTE1|3|load2d|latency|60|5\n"
                        "1|6|1|CUBE|6|mmad|busy|65|15\n"
                        "1|7|1|CUBE|6|mmad|latency|80|8\n"
                        "1|8|1|FIXP|9|fixpipe|busy|88|9\n"
                        "1|9|1|FIXP|9|fixpipe|latency|97|3\n");
    assert_string_equal(ask("SELECT pipe, kind, cause, cycles FROM v_path_total\n"
                            "EXCEPT SELECT CASE kind WHEN 'wait' THEN NULL ELSE p.name END, kind,\n"
                            "  c.name, SUM(cycles) FROM path_step AS s JOIN enum_pipe AS p\n"
                            "  USING (pipe) LEFT JOIN enum_cause AS c ON c.cause = s.cause\n"
                            "  GROUP BY s.pipe, kind, s.cause"),
                        "");
}

struct step_list {
    struct stored_step step[FIXTURE_STEPS];
    char opcode[FIXTURE_STEPS][16];
    size_t count;
};

static enum status list_step(void *context, const struct stored_step *step)
{
    struct step_list *list = context;
    assert_true(list->count < FIXTURE_STEPS);
    snprintf(list->opcode[list->count], sizeof list->opcode[0], "%s", step->opcode);
    list->step[list->count++] = *step;
    return STATUS_OK;
}

static void test_the_critical_path_is_visited_from_the_start(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    fixture_save(&fixture, store);
    struct step_list list = {.count = 0};
    assert_int_equal(store_visit_path(store, 2, list_step, &list, &fixture.diag), STATUS_OK);
    assert_int_equal(list.count, FIXTURE_STEPS - 1);
    tick at = 0;
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.step[i].step, i);
        assert_int_equal(list.step[i].start, at);
        assert_int_equal(list.step[i].core, 1);
        at += list.step[i].cycles;
    }
    assert_int_equal(at, FIXTURE_CYCLES);
    assert_int_equal(list.step[0].seq, ROW_NO_BLOCKER);
    assert_int_equal(list.step[0].kind, STEP_WAIT);
    assert_int_equal(list.step[0].cause, CAUSE_STARTUP);
    assert_string_equal(list.opcode[0], "");
    assert_int_equal(list.step[2].kind, STEP_LINK);
    assert_int_equal(list.step[2].cause, CAUSE_NONE);
    assert_int_equal(list.step[6].pipe, PIPE_CUBE);
    assert_int_equal(list.step[6].seq, 6);
    assert_string_equal(list.opcode[6], "mmad");
}

static enum status refuse_step(void *context, const struct stored_step *step)
{
    assert_int_equal(list_step(context, step), STATUS_OK);
    return STATUS_LIMIT;
}

static void test_a_visit_of_the_critical_path_ends_when_it_is_told(void **state)
{
    (void)state;
    struct step_list list = {.count = 0};
    fixture_save(&fixture, store);
    assert_int_equal(store_visit_path(store, 1, refuse_step, &list, &fixture.diag), STATUS_LIMIT);
    assert_int_equal(list.count, 1);
    assert_int_equal(store_visit_path(store, 2, list_step, &list, &fixture.diag), STATUS_OK);
    assert_int_equal(list.count, 1);
}

/* How much later an end may come is found from what cannot come before what, per core. */
static void test_slack_is_what_the_precedences_leave(void **state)
{
    (void)state;
    static const struct precedence told[] = {
        {1, 1, 2, 3}, {1, 1, 0, 45}, {0, 1, 0, 35},   {1, 2, 3, 4},
        {1, 1, 3, 9}, {1, 3, 0, 90}, {1, 10, 0, 100},
    };
    assert_int_equal(fixture_begin(&fixture, store), STATUS_OK);
    assert_int_equal(fixture_emit(&fixture, store), STATUS_OK);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        assert_int_equal(store_precedence(store, &told[i]), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    assert_string_equal(ask("SELECT core, seq, slack_cycles FROM v_instruction\n"
                            "WHERE slack_cycles IS NOT NULL ORDER BY core, seq"),
                        "0|0|65\n1|0|17\n1|1|14\n1|2|10\n1|9|0\n");

    struct stored_row *row = NULL;
    assert_int_equal(store_read_row(store, 1, 1, PIPE_MTE2, 1, &fixture.arena, &fixture.diag, &row),
                     STATUS_OK);
    assert_int_equal(row->slack, 14);
    assert_int_equal(store_read_row(store, 1, 1, PIPE_CUBE, 6, &fixture.arena, &fixture.diag, &row),
                     STATUS_OK);
    assert_int_equal(row->slack, UINT64_MAX);
    assert_int_equal(row->macs, 4096);
}

static void test_slack_is_not_known_without_precedences(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT COUNT(*), COUNT(slack_cycles) FROM v_instruction"), "11|0\n");
    assert_string_equal(ask("SELECT COUNT(*) FROM v_critical_path"), "10\n");
}

#define STORE_TEST(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_the_steps_of_the_critical_path_fill_the_run),
        STORE_TEST(test_the_critical_path_is_visited_from_the_start),
        STORE_TEST(test_slack_is_what_the_precedences_leave),
        STORE_TEST(test_slack_is_not_known_without_precedences),
        STORE_TEST(test_a_visit_of_the_critical_path_ends_when_it_is_told),
    };
    return cmocka_run_group_tests_name("store_path", tests, NULL, NULL);
}
