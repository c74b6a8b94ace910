/* Databases of earlier versions of the schema. */
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

/* Leaves an empty file of SQLite, and fills it with a database that an earlier version wrote. */
static void make_version_1(void)
{
    static char dump[32768];
    FILE *file = fopen("tests/data/version_1.sql", "r");
    assert_non_null(file);
    size_t length = fread(dump, 1, sizeof dump - 1, file);
    fclose(file);
    assert_true(length > 0 && length < sizeof dump - 1);
    ask("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema; PRAGMA writable_schema = RESET;\n"
        "VACUUM");
    ask(dump);
}

static void test_a_database_of_version_1_is_migrated_and_keeps_its_runs(void **state)
{
    (void)state;
    static const char tables[] =
        "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'table' OR name <> 'timeline'\n"
        "ORDER BY name";
    const char *fresh = ask(tables);
    make_version_1();
    assert_string_equal(ask("PRAGMA user_version"), "1\n");
    const char *rows = ask("SELECT * FROM v_instruction ORDER BY pipe, seq");
    const char *totals = ask("SELECT * FROM v_path_total");
    assert_non_null(strstr(rows, "0|MTE2|0|nd2nz|4074|4168|4331|94"));
    store_close(store);
    store = NULL;

    assert_int_equal(store_open(fixture.path, false, &fixture.diag, &store), STATUS_OK);
    assert_string_equal(ask("PRAGMA user_version"), "2\n");
    assert_string_equal(ask(tables), fresh);
    assert_string_equal(ask("SELECT run_id, core, pipe, seq, opcode, start_cycle, end_cycle,\n"
                            "  done_cycle, busy_cycles, link_cycles, wait_cycles, wait_cause,\n"
                            "  blocker_core, blocker_pipe, blocker_seq, bytes, macs, operands\n"
                            "FROM v_instruction ORDER BY pipe, seq"),
                        rows);
    assert_string_equal(ask("SELECT * FROM v_path_total"), totals);
    assert_string_equal(ask("SELECT COUNT(*), COUNT(slack_cycles) FROM v_instruction"), "10|0\n");
    assert_string_equal(ask("SELECT COUNT(*) FROM v_critical_path"), "0\n");
    assert_int_equal(fixture_save(&fixture, store), 2);
    assert_string_equal(ask("SELECT run_id, COUNT(*) FROM v_instruction GROUP BY run_id"),
                        "1|10\n2|11\n");
}

#define STORE_TEST(test) cmocka_unit_test_setup_teardown(test, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_database_of_version_1_is_migrated_and_keeps_its_runs),
    };
    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
