/*
 * Faults that people met in simulators of this field, from outside: words that nobody read, and
 * results that differ from run to run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "tests/support/cli.h"

#define LAYER                                                                                      \
    "product: atlas-a2\n"                                                                          \
    "conv: {input: [1, 32, 9, 20], weight: [32, 32, 3, 3], stride: [2, 1], dtype: fp16}\n"

static struct cli cli;

static int setup(void **state)
{
    (void)state;
    cli_init(&cli);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cli_deinit(&cli);
    return 0;
}

static void test_d54_a_word_that_nobody_reads_is_refused_with_the_nearest_one(void **state)
{
    (void)state;
    cli_run(&cli, "run %s", cli_write(&cli, "word.yaml", LAYER "schedule: {l0c_buffer: 1}\n"));
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "word.yaml:3:12:");
    cli_assert_err(&cli, "l0c_buffers");
    cli_run(&cli, "run %s --set 'l0c.siz=1 KiB'", cli_write(&cli, "layer.yaml", LAYER));
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "l0c.size");
}

static void test_d54_a_number_that_is_set_has_an_effect(void **state)
{
    (void)state;
    char path[128];
    json_int_t cycles[2];
    strcpy(path, cli_write(&cli, "layer.yaml", LAYER));
    for (int i = 0; i < 2; i++) {
        cli_run(&cli, "run %s --json --timing-only --set 'cube.latency=%d cycles'", path, 100 + i);
        json_t *root = cli_json(&cli);
        cycles[i] = json_integer_value(json_object_get(root, "cycles"));
        json_decref(root);
    }
    assert_true(cycles[0] > 0 && cycles[1] > cycles[0]);
}

static long long answer(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    long long number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* Rows of a table that only one of both databases has. */
static long long differing_rows(sqlite3 *db, const char *table)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT (SELECT count(*) FROM (SELECT * FROM main.%s EXCEPT SELECT * FROM other.%s))"
             " + (SELECT count(*) FROM (SELECT * FROM other.%s EXCEPT SELECT * FROM main.%s))",
             table, table, table, table);
    return answer(db, sql);
}

/* All but the moment and the wall clock. */
static void test_d54_the_same_job_twice_gives_the_same_database(void **state)
{
    (void)state;
    static const char stamps[] = "UPDATE main.run SET created_utc = '', simulator_seconds = 0;"
                                 "UPDATE other.run SET created_utc = '', simulator_seconds = 0";
    char path[128], attach[256];
    sqlite3 *db = NULL;
    sqlite3_stmt *tables = NULL;
    strcpy(path, cli_write(&cli, "layer.yaml", LAYER));
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.db", i);
        cli_run(&cli, "run %s --db %s", path, cli_path(&cli, name));
        assert_int_equal(cli.code, 0);
    }
    assert_int_equal(sqlite3_open(cli_path(&cli, "0.db"), &db), SQLITE_OK);
    snprintf(attach, sizeof attach, "ATTACH '%s' AS other", cli_path(&cli, "1.db"));
    assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, stamps, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT name FROM main.sqlite_master WHERE type = "
                                        "'table'",
                                        -1, &tables, NULL),
                     SQLITE_OK);
    int count = 0;
    for (; sqlite3_step(tables) == SQLITE_ROW; count++) {
        const char *table = (const char *)sqlite3_column_text(tables, 0);
        if (differing_rows(db, table) != 0)
            fail_msg("two runs of a plan differ in %s", table);
    }
    sqlite3_finalize(tables);
    assert_true(count > 10);
    assert_true(answer(db, "SELECT count(*) FROM other.timeline") > 100);
    /* what differs is seen */
    assert_int_equal(sqlite3_exec(db, "UPDATE other.run SET cycles = cycles + 1", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(differing_rows(db, "run"), 2);
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_d54_a_word_that_nobody_reads_is_refused_with_the_nearest_one),
        cmocka_unit_test(test_d54_a_number_that_is_set_has_an_effect),
        cmocka_unit_test(test_d54_the_same_job_twice_gives_the_same_database),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
