/*
 * Faults that people met with databases of results, numbered as in the list of known faults: F60
 * one commit for each row, F61 a database that is locked or half written. The other cases of F61
 * (killed writers, full disks, folders that may not be written, locks that stay) are in
 * test_store_fault.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/support/cli.h"
#include "tests/support/store_fixture.h"
#include "traces/store_private.h"

static struct fixture fixture;

static int setup(void **state)
{
    (void)state;
    fixture_init(&fixture);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fixture_deinit(&fixture);
    return 0;
}

static int count_commit(void *counter)
{
    ++*(int *)counter;
    return 0;
}

/* Statements that write rows of a timeline, as they begin to run. */
struct row_writes {
    int begun;
    const void *compiled[2]; /* the first handles; another one is a statement compiled anew */
    int handles;
};

static int count_row_write(unsigned int event, void *counter, void *statement, void *text)
{
    struct row_writes *writes = counter;
    (void)event;
    (void)text;
    if (strncmp(sqlite3_sql(statement), "INSERT INTO timeline", 20) != 0)
        return 0;
    writes->begun++;
    for (int i = 0; i < writes->handles && i < 2; i++)
        if (writes->compiled[i] == statement)
            return 0;
    if (writes->handles < 2)
        writes->compiled[writes->handles] = statement;
    writes->handles++;
    return 0;
}

/* Commits while a run of so many rows is saved. */
static int commits_of(struct store *store, uint32_t rows)
{
    int commits = 0;
    sqlite3_commit_hook(store->db, count_commit, &commits);
    assert_int_equal(fixture_flood(&fixture, store, rows), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    sqlite3_commit_hook(store->db, NULL, NULL);
    return commits;
}

/* One for the number of the run, one for all that is in it. */
static void test_f60_a_run_is_two_commits_however_many_rows_it_has(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    assert_int_equal(commits_of(store, 1), 2);
    assert_int_equal(commits_of(store, 100000), 2);
    assert_string_equal(fixture_query(&fixture, store, "SELECT COUNT(*) FROM v_instruction"),
                        "100001\n");
    store_close(store);
}

/* A second index would be filled row by row and cost more than the rows. */
static void test_f60_rows_of_a_timeline_go_into_one_tree(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    assert_string_equal(fixture_query(&fixture, store,
                                      "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'index'\n"
                                      "AND tbl_name IN ('timeline', 'instruction', 'path_step')\n"
                                      "AND sql IS NOT NULL"),
                        "0\n");
    store_close(store);
}

/* One compiled statement for many rows at a time, and one for those left over. */
static void test_f60_rows_are_written_many_at_a_time_by_statements_compiled_once(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    struct row_writes writes = {0};
    assert_int_equal(fixture_flood(&fixture, store, 1003), STATUS_OK);
    sqlite3_trace_v2(store->db, SQLITE_TRACE_STMT, count_row_write, &writes);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    sqlite3_trace_v2(store->db, 0, NULL, NULL);
    assert_int_equal(writes.handles, 2);
    assert_true(writes.begun < 100);
    store_close(store);
}

/* A viewer holds a query open while cubesim saves two runs. */
static void test_f61_a_viewer_does_not_lock_a_simulation_out(void **state)
{
    (void)state;
    struct cli cli;
    char db[128];
    sqlite3 *viewer = NULL;
    sqlite3_stmt *query = NULL;
    cli_init(&cli);
    snprintf(db, sizeof db, "%s", cli_path(&cli, "runs.db"));
    cli_run(&cli, "run configs/plans/pointwise_vendor_tile.yaml --timing-only --db %s", db);
    assert_int_equal(cli.code, 0);
    assert_int_equal(sqlite3_open_v2(db, &viewer, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(viewer, "SELECT run_id FROM v_instruction", -1, &query, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(query), SQLITE_ROW);
    for (int i = 0; i < 2; i++) {
        cli_run(&cli, "run configs/plans/pointwise_vendor_tile.yaml --timing-only --db %s", db);
        assert_int_equal(cli.code, 0);
        assert_string_equal(cli.err, "");
    }
    /* What the viewer sees stays as it was when its query began. */
    while (sqlite3_step(query) == SQLITE_ROW)
        assert_int_equal(sqlite3_column_int(query, 0), 1);
    sqlite3_finalize(query);
    sqlite3_close(viewer);
    assert_int_equal(cli_count(db, "SELECT COUNT(*) FROM v_run"), 3);
    cli_deinit(&cli);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(test_f60_a_run_is_two_commits_however_many_rows_it_has),
        TEST(test_f60_rows_of_a_timeline_go_into_one_tree),
        TEST(test_f60_rows_are_written_many_at_a_time_by_statements_compiled_once),
        TEST(test_f61_a_viewer_does_not_lock_a_simulation_out),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
