/* The store: what is saved is what is read, through the views and through the functions. */
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

static void test_a_new_database_says_what_it_is(void **state)
{
    (void)state;
    assert_string_equal(ask("PRAGMA application_id"), "1129660997\n");
    assert_string_equal(ask("PRAGMA user_version"), "2\n");
    assert_string_equal(ask("PRAGMA journal_mode"), "wal\n");
    assert_string_equal(ask("SELECT COUNT(*) FROM v_run"), "0\n");
}

static void test_every_table_is_strict(void **state)
{
    (void)state;
    assert_string_equal(ask("SELECT name FROM pragma_table_list\n"
                            "WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'"),
                        "");
}

static void test_names_in_the_database_are_those_of_the_program(void **state)
{
    (void)state;
    char expected[512] = "";
    size_t length = 0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%u|%s\n", pipe,
                                   pipe_word((enum pipe)pipe));
    assert_string_equal(ask("SELECT pipe, name FROM enum_pipe ORDER BY pipe"), expected);

    length = 0;
    for (uint32_t cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++)
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%u|%s\n", cause,
                                   cause_word((enum cause)cause));
    assert_string_equal(ask("SELECT cause, name FROM enum_cause ORDER BY cause"), expected);
}

static void test_views_have_the_columns_of_the_contract(void **state)
{
    (void)state;
    static const char *const views[][2] = {
        {"v_run", "run_id,created_utc,version,product,soc,clock_mhz,problem,tiling,cores,cycles,"
                  "time_us,launch_us,bound,macs,macs_per_cycle,cube_utilization,instructions,"
                  "gm_read_bytes,gm_write_bytes,verified,run_key,plan_json,product_json\n"},
        {"v_instruction", "run_id,core,pipe,seq,opcode,start_cycle,end_cycle,done_cycle,"
                          "busy_cycles,link_cycles,wait_cycles,wait_cause,blocker_core,"
                          "blocker_pipe,blocker_seq,bytes,macs,operands,slack_cycles\n"},
        {"v_pipe", "run_id,core,pipe,instructions,busy_cycles,waiting_cycles,idle_cycles,"
                   "link_cycles,active_cycles,utilization\n"},
        {"v_wait", "run_id,core,pipe,cause,cycles,occurrences\n"},
        {"v_wait_for", "run_id,core,pipe,for_pipe,cycles\n"},
        {"v_critical_path", "run_id,step,core,pipe,seq,opcode,cause,start_cycle,cycles\n"},
        {"v_hazard", "run_id,core,seq,kind,message\n"},
    };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT group_concat(name) FROM pragma_table_info('%s')",
                 views[i][0]);
        assert_string_equal(ask(sql), views[i][1]);
    }
}

static void test_a_saved_run_is_one_row_of_v_run(void **state)
{
    (void)state;
    assert_int_equal(fixture_save(&fixture, store), 1);
    char expected[256];
    double clock_mhz =
        (double)product_value(&fixture.product, PRODUCT_CHIP_CLOCK) / (double)QUANTITY_ONE;
    snprintf(expected, sizeof expected, "1|0.1.0|atlas-a2|ascend910b1|2|100|%.3f|mte2|4000|40.0\n",
             100 / clock_mhz);
    assert_string_equal(ask("SELECT run_id, version, product, soc, cores, cycles,\n"
                            "  printf('%.3f', time_us), bound, macs, macs_per_cycle FROM v_run"),
                        expected);
    /* CUBE is busy 15 cycles of core 1 and none of core 0. */
    assert_string_equal(ask("SELECT cube_utilization, instructions, gm_read_bytes,\n"
                            "  gm_write_bytes FROM v_run"),
                        "0.075|11|2048|512\n");
    assert_string_equal(
        ask("SELECT created_utc GLOB\n"
            "  '20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z',\n"
            "  launch_us > 0, json_valid(plan_json), json_valid(product_json)\n"
            "FROM v_run"),
        "1|1|1|1\n");
    assert_string_equal(ask("SELECT problem = ''  OR tiling = '' FROM v_run"), "0\n");
}

static void test_the_run_key_in_the_database_is_that_of_its_parts(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    char key[33];
    store_run_key(plan_json(&fixture.plan, &fixture.arena),
                  product_json(&fixture.product, &fixture.arena), "0.1.0", 0, key);
    assert_memory_equal(ask("SELECT run_key FROM v_run"), key, 32);
}

static void test_verified_is_null_one_or_zero(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    fixture.result.verified = true;
    fixture.result.comparison.compared = 100;
    fixture_save(&fixture, store);
    fixture.result.comparison.mismatches = 3;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT run_id, verified FROM v_run ORDER BY run_id"),
                        "1|\n2|1\n3|0\n");
    assert_string_equal(ask("SELECT compared, mismatches FROM v_run_detail WHERE run_id = 3"),
                        "100|3\n");
}

static void test_an_instruction_is_one_row_of_v_instruction(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(
        ask("SELECT core, pipe, seq, opcode, start_cycle, end_cycle, done_cycle, busy_cycles,\n"
            "  link_cycles, wait_cycles, wait_cause, bytes, macs FROM v_instruction\n"
            "WHERE core = 1 AND seq IN (0, 1, 6) ORDER BY seq"),
        "1|MTE2|0|data_copy|10|40|45|30|5|10|startup|1024|0\n"
        "1|MTE2|1|set_flag|45|45|45|0|0|0||0|0\n"
        "1|CUBE|6|mmad|65|80|88|15|0|0||0|4096\n");
    assert_string_equal(ask("SELECT operands FROM v_instruction WHERE core = 1 AND seq = 0"),
                        "dst=a src=x+512 blockCount=1 blockLen=32\n");
    assert_string_equal(ask("SELECT blocker_core, blocker_pipe, blocker_seq, operands\n"
                            "FROM v_instruction WHERE core = 1 AND seq = 5"),
                        "1|MTE1|4|src=MTE1 dst=CUBE id=3\n");
}

static void test_a_wait_without_a_blocker_and_a_row_without_a_wait_have_nulls(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT COUNT(*) FROM v_instruction\n"
                            "WHERE (wait_cycles = 0) <> (wait_cause IS NULL)"),
                        "0\n");
    assert_string_equal(ask("SELECT COUNT(*), COUNT(blocker_core), COUNT(blocker_pipe),\n"
                            "  COUNT(blocker_seq) FROM v_instruction"),
                        "11|3|3|3\n");
}

static void test_pipes_add_up_and_unused_ones_are_left_out(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(
        ask("SELECT pipe, instructions, busy_cycles, waiting_cycles, idle_cycles, link_cycles,\n"
            "  utilization FROM v_pipe WHERE core = 1"),
        "MTE2|2|30|10|60|5|0.3\n"
        "MTE1|3|15|45|40|0|0.15\n"
        "CUBE|3|15|65|20|0|0.15\n"
        "FIXP|2|9|88|3|0|0.09\n");
    assert_string_equal(ask("SELECT COUNT(*) FROM v_pipe JOIN v_run USING (run_id)\n"
                            "WHERE busy_cycles + waiting_cycles + idle_cycles <> cycles"),
                        "0\n");
    /* Core 0 uses only MTE2, and still has a row for each pipe that core 1 uses. */
    assert_string_equal(ask("SELECT COUNT(*), SUM(busy_cycles) FROM v_pipe WHERE core = 0"),
                        "4|20\n");
}

static void test_waits_are_summed_by_cause_and_by_pipe(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT core, pipe, cause, cycles, occurrences FROM v_wait\n"
                            "ORDER BY core, cycles"),
                        "0|MTE2|startup|10|1\n"
                        "1|MTE2|startup|10|1\n"
                        "1|MTE1|flag|45|1\n"
                        "1|CUBE|flag|65|1\n"
                        "1|FIXP|flag|88|1\n");
    assert_string_equal(ask("SELECT pipe, for_pipe, cycles FROM v_wait_for ORDER BY cycles"),
                        "MTE1|MTE2|45\nCUBE|MTE1|65\nFIXP|CUBE|88\n");
}

static void test_the_critical_path_and_its_basis_add_up_to_the_cycles(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT SUM(cycles), SUM(share) FROM v_path_total"), "100|1.0\n");
    assert_string_equal(ask("SELECT SUM(cycles), SUM(share) FROM v_basis"), "100|1.0\n");
    assert_string_equal(ask("SELECT kind, pipe, cause, cycles FROM v_path_total\n"
                            "ORDER BY cycles DESC LIMIT 1"),
                        "busy|MTE2||25\n");
    assert_string_equal(ask("SELECT cause, cycles FROM v_path_total WHERE kind = 'wait'"),
                        "startup|10\n");
}

static void test_hazards_and_cores_are_kept(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    assert_string_equal(ask("SELECT * FROM v_hazard"), "1|1|6|race|two pipes write c+0, 32 B\n");
    assert_string_equal(ask("SELECT core, cycles, deciding FROM v_core"), "0|35|0\n1|100|1\n");
    assert_string_equal(ask("SELECT deciding_core, timeline, time_low_us, time_high_us,\n"
                            "  hazards, useful_mac_share FROM v_run_detail"),
                        "1|all|0.05|0.0625|1|0.48828125\n");
}

static void test_a_run_that_is_taken_back_leaves_nothing_but_its_number(void **state)
{
    (void)state;
    int64_t run_id = 0;
    assert_int_equal(store_begin(store, &fixture.subject, "0.1.0", &fixture.diag, &run_id),
                     STATUS_OK);
    assert_int_equal(run_id, 1);
    assert_int_equal(fixture_emit(&fixture, store), STATUS_OK);
    store_abort(store);
    assert_string_equal(ask("SELECT (SELECT COUNT(*) FROM run), (SELECT COUNT(*) FROM timeline),\n"
                            "  (SELECT COUNT(*) FROM instruction)"),
                        "0|0|0\n");
    assert_int_equal(fixture_save(&fixture, store), 2);
    assert_string_equal(ask("SELECT DISTINCT run_id FROM v_instruction"), "2\n");
}

static void test_a_number_given_by_hand_is_not_given_again(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    ask("UPDATE run_counter SET last_run_id = 0");
    assert_int_equal(fixture_save(&fixture, store), 2);
}

static void test_references_hold_and_deleting_a_run_deletes_all_of_it(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    fixture_save(&fixture, store);
    assert_string_equal(ask("PRAGMA foreign_key_check"), "");
    ask("PRAGMA foreign_keys = ON; DELETE FROM run WHERE run_id = 1");
    assert_string_equal(ask("SELECT (SELECT COUNT(*) FROM timeline WHERE run_id = 1),\n"
                            "  (SELECT COUNT(*) FROM instruction WHERE run_id = 1),\n"
                            "  (SELECT COUNT(*) FROM pipe_total WHERE run_id = 1),\n"
                            "  (SELECT COUNT(*) FROM timeline WHERE run_id = 2)"),
                        "0|0|0|11\n");
}

static void test_many_rows_come_back_complete_and_share_their_instructions(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    assert_int_equal(fixture_flood(&fixture, store, ROWS), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    assert_string_equal(
        ask("SELECT COUNT(*), COUNT(DISTINCT seq), SUM(end_cycle - 4 * seq = 3),\n"
            "  SUM(done_cycle - 4 * seq = 20),\n"
            "  SUM((pipe = 'CUBE') = (seq % 2 = 1)), SUM((pipe = 'CUBE') = (opcode = 'mmad'))\n"
            "FROM v_instruction"),
        "5000|5000|5000|5000|5000|5000\n");
    /* Every seventh row moves the place that copies read from: 715 copies and one Mmad. */
    assert_string_equal(ask("SELECT COUNT(*), COUNT(DISTINCT operands) FROM instruction"),
                        "716|716\n");
    assert_string_equal(
        ask("SELECT COUNT(*) FROM v_instruction WHERE opcode = 'data_copy'\n"
            "AND operands <> CASE WHEN seq < 7 THEN\n"
            "  'dst=a src=x blockCount=1 blockLen=32' ELSE printf(\n"
            "  'dst=a src=x+%d blockCount=1 blockLen=32', 512 * (seq - seq % 7)) END"),
        "0\n");
}

static void test_the_timeline_kept_is_all_core_0_or_none(void **state)
{
    (void)state;
    struct stored_run run;
    int64_t run_id = fixture_save(&fixture, store);
    assert_int_equal(store_find_run(store, run_id, &fixture.arena, &fixture.diag, &run), STATUS_OK);
    assert_int_equal(run.timeline, STORED_ALL);
    assert_true(run.has_timeline);

    assert_int_equal(fixture_flood(&fixture, store, 10), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    assert_int_equal(store_find_run(store, 0, &fixture.arena, &fixture.diag, &run), STATUS_OK);
    assert_int_equal(run.timeline, STORED_CORE0);
    assert_true(run.has_timeline);

    assert_int_equal(fixture_flood(&fixture, store, 0), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    assert_int_equal(store_find_run(store, 0, &fixture.arena, &fixture.diag, &run), STATUS_OK);
    assert_int_equal(run.timeline, STORED_NONE);
    assert_false(run.has_timeline);
}

static void test_a_run_is_found_by_number_or_as_the_latest(void **state)
{
    (void)state;
    struct stored_run run;
    fixture_save(&fixture, store);
    fixture.result.cycles = 101;
    fixture_save(&fixture, store);
    assert_int_equal(store_find_run(store, 0, &fixture.arena, &fixture.diag, &run), STATUS_OK);
    assert_int_equal(run.run_id, 2);
    assert_int_equal(run.cycles, 101);
    assert_int_equal(store_find_run(store, 1, &fixture.arena, &fixture.diag, &run), STATUS_OK);
    assert_int_equal(run.run_id, 1);
    assert_string_equal(run.product, "atlas-a2");
    assert_string_equal(run.soc, "ascend910b1");
    assert_string_equal(run.bound, "mte2");
    assert_int_equal(run.cores, 2);
    assert_int_equal(run.instructions, 11);
    assert_int_equal(run.deciding_core, 1);
    run.path.step = fixture.result.path.step; /* a number of its own run, which is not kept */
    assert_memory_equal(&run.path, &fixture.result.path, sizeof run.path);
}

static void test_a_run_that_is_not_there_is_bad_input(void **state)
{
    (void)state;
    struct stored_run run;
    assert_int_equal(store_find_run(store, 0, &fixture.arena, &fixture.diag, &run),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.diag.problems[0].message, "found no runs"));
    fixture_save(&fixture, store);
    assert_int_equal(store_find_run(store, 7, &fixture.arena, &fixture.diag, &run),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.diag.problems[1].message, "found no run 7"));
    assert_non_null(strstr(fixture.diag.problems[1].message, "latest is run 1"));
}

static void test_rows_of_a_window_are_those_that_touch_it(void **state)
{
    (void)state;
    struct stored_row *rows = NULL;
    size_t count = 0;
    int64_t run_id = fixture_save(&fixture, store);
    struct diag *diag = &fixture.diag;
    assert_int_equal(store_read_rows(store, run_id, 1, 0, 100, &fixture.arena, diag, &rows, &count),
                     STATUS_OK);
    assert_int_equal(count, 10);

    /* [45, 46): the flag of MTE2 fires at 45, MTE1 starts its load, CUBE and FIXP wait. */
    assert_int_equal(store_read_rows(store, run_id, 1, 45, 46, &fixture.arena, diag, &rows, &count),
                     STATUS_OK);
    static const uint32_t seqs[] = {1, 3, 5, 8};
    assert_int_equal(count, sizeof seqs / sizeof *seqs);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(rows[i].seq, seqs[i]);
    assert_int_equal(rows[2].cause, CAUSE_FLAG);
    assert_int_equal(rows[2].blocker_pipe, PIPE_MTE1);
    assert_int_equal(rows[2].blocker_seq, 4);
    assert_string_equal(rows[2].operands, "src=MTE1 dst=CUBE id=3");
    assert_int_equal(rows[1].blocker_seq, ROW_NO_BLOCKER);

    /* The wait of the first copy before its start touches, the copy itself does not. */
    assert_int_equal(store_read_rows(store, run_id, 0, 0, 5, &fixture.arena, diag, &rows, &count),
                     STATUS_OK);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].wait, 10);
    assert_int_equal(store_read_rows(store, run_id, 0, 30, 99, &fixture.arena, diag, &rows, &count),
                     STATUS_OK);
    assert_int_equal(count, 0);
}

static void test_one_row_is_found_by_core_pipe_and_seq(void **state)
{
    (void)state;
    struct stored_row *row = NULL;
    int64_t run_id = fixture_save(&fixture, store);
    assert_int_equal(
        store_read_row(store, run_id, 1, PIPE_CUBE, 6, &fixture.arena, &fixture.diag, &row),
        STATUS_OK);
    assert_non_null(row);
    assert_string_equal(row->opcode, "mmad");
    assert_int_equal(row->done, 88);
    assert_int_equal(
        store_read_row(store, run_id, 0, PIPE_CUBE, 6, &fixture.arena, &fixture.diag, &row),
        STATUS_OK);
    assert_null(row);
}

static void test_pipes_are_read_with_their_waits(void **state)
{
    (void)state;
    struct stored_pipe *pipes = NULL;
    size_t count = 0;
    int64_t run_id = fixture_save(&fixture, store);
    assert_int_equal(
        store_read_pipes(store, run_id, 1, &fixture.arena, &fixture.diag, &pipes, &count),
        STATUS_OK);
    assert_int_equal(count, 4);
    assert_int_equal(pipes[2].pipe, PIPE_CUBE);
    assert_int_equal(pipes[2].busy, 15);
    assert_int_equal(pipes[2].waiting, 65);
    assert_int_equal(pipes[2].idle, 20);
    assert_int_equal(pipes[2].wait[CAUSE_FLAG], 65);
    assert_int_equal(pipes[2].wait_for[PIPE_MTE1], 65);
    assert_int_equal(pipes[0].wait[CAUSE_STARTUP], 10);
    assert_int_equal(pipes[0].link, 5);
}

static void test_a_database_is_read_again_by_another_connection(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    store_close(store);
    store = NULL;
    assert_int_equal(store_open(fixture.path, false, &fixture.diag, &store), STATUS_OK);
    assert_string_equal(ask("SELECT COUNT(*) FROM v_instruction"), "11\n");
    assert_int_equal(fixture_save(&fixture, store), 2);
}

static void test_an_empty_file_becomes_a_database(void **state)
{
    (void)state;
    store_close(store);
    store = NULL;
    unlink(fixture.path);
    FILE *file = fopen(fixture.path, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(store_open(fixture.path, false, &fixture.diag, &store), STATUS_OK);
    assert_string_equal(ask("PRAGMA user_version"), "2\n");
    assert_int_equal(fixture_save(&fixture, store), 1);
}

static void test_a_run_key_moves_with_each_of_its_parts(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *product, *version;
        uint64_t seed;
    } parts[] = {
        {"{\"a\":1}", "{\"b\":2}", "0.1.0", 0},
        {"{\"a\":2}", "{\"b\":2}", "0.1.0", 0},
        {"{\"a\":1}", "{\"b\":3}", "0.1.0", 0},
        {"{\"a\":1}", "{\"b\":2}", "0.1.1", 0},
        {"{\"a\":1}", "{\"b\":2}", "0.1.0", 1},
        {"{\"a\":1}{", "\"b\":2}", "0.1.0", 0},
        {"", "", "", 0},
    };
    enum { COUNT = sizeof parts / sizeof *parts };
    char key[COUNT][33];
    for (size_t i = 0; i < COUNT; i++) {
        store_run_key(parts[i].plan, parts[i].product, parts[i].version, parts[i].seed, key[i]);
        assert_int_equal(strlen(key[i]), 32);
        assert_int_equal(strspn(key[i], "0123456789abcdef"), 32);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(key[i], key[j]);
    }
    char again[33];
    store_run_key(parts[0].plan, parts[0].product, parts[0].version, parts[0].seed, again);
    assert_string_equal(again, key[0]);
}

/* The next block of SQL of a Markdown text, or NULL; *text moves behind it. */
static char *next_example(const char **text)
{
    static const char head[] = "```sql\n", tail[] = "```";
    const char *from = strstr(*text, head);
    if (from == NULL)
        return NULL;
    from += strlen(head);
    const char *to = strstr(from, tail);
    assert_non_null(to);
    *text = to + strlen(tail);
    return arena_text(&fixture.arena, from, (size_t)(to - from));
}

static void test_every_example_of_the_manual_gives_rows(void **state)
{
    (void)state;
    fixture_save(&fixture, store);
    fixture_save(&fixture, store);
    FILE *file = fopen("docs/sql.md", "r");
    assert_non_null(file);
    static char manual[65536];
    size_t length = fread(manual, 1, sizeof manual - 1, file);
    fclose(file);
    assert_true(length > 0 && length < sizeof manual - 1);
    const char *rest = manual;
    size_t examples = 0;
    for (char *sql; (sql = next_example(&rest)) != NULL; examples++) {
        print_message("%s\n", sql);
        assert_string_not_equal(ask(sql), "");
    }
    assert_true(examples >= 6);
}

#define STORE_TEST(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_new_database_says_what_it_is),
        STORE_TEST(test_every_table_is_strict),
        STORE_TEST(test_names_in_the_database_are_those_of_the_program),
        STORE_TEST(test_views_have_the_columns_of_the_contract),
        STORE_TEST(test_a_saved_run_is_one_row_of_v_run),
        STORE_TEST(test_the_run_key_in_the_database_is_that_of_its_parts),
        STORE_TEST(test_verified_is_null_one_or_zero),
        STORE_TEST(test_an_instruction_is_one_row_of_v_instruction),
        STORE_TEST(test_a_wait_without_a_blocker_and_a_row_without_a_wait_have_nulls),
        STORE_TEST(test_pipes_add_up_and_unused_ones_are_left_out),
        STORE_TEST(test_waits_are_summed_by_cause_and_by_pipe),
        STORE_TEST(test_the_critical_path_and_its_basis_add_up_to_the_cycles),
        STORE_TEST(test_hazards_and_cores_are_kept),
        STORE_TEST(test_a_run_that_is_taken_back_leaves_nothing_but_its_number),
        STORE_TEST(test_a_number_given_by_hand_is_not_given_again),
        STORE_TEST(test_references_hold_and_deleting_a_run_deletes_all_of_it),
        STORE_TEST(test_many_rows_come_back_complete_and_share_their_instructions),
        STORE_TEST(test_the_timeline_kept_is_all_core_0_or_none),
        STORE_TEST(test_a_run_is_found_by_number_or_as_the_latest),
        STORE_TEST(test_a_run_that_is_not_there_is_bad_input),
        STORE_TEST(test_rows_of_a_window_are_those_that_touch_it),
        STORE_TEST(test_one_row_is_found_by_core_pipe_and_seq),
        STORE_TEST(test_pipes_are_read_with_their_waits),
        STORE_TEST(test_a_database_is_read_again_by_another_connection),
        STORE_TEST(test_an_empty_file_becomes_a_database),
        STORE_TEST(test_a_run_key_moves_with_each_of_its_parts),
        STORE_TEST(test_every_example_of_the_manual_gives_rows),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
