/*
 * What `cubesim export` has in common for all formats, and csv, through the binary.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/exports.h"

/* Lines of the last output. */
static size_t count_lines(void)
{
    size_t lines = 0;
    for (const char *at = cli.out; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    return lines;
}

static void csv_has_each_row_of_the_view_with_its_columns_and_values(void **state)
{
    (void)state;
    export_run("1 --format csv");
    assert_int_equal(cli.code, 0);
    assert_int_equal(count_lines(), FIXTURE_ROWS + 1);
    cli_assert_out(&cli,
                   "run_id,core,pipe,seq,opcode,start_cycle,end_cycle,done_cycle,busy_cycles,");
    struct store *store = fixture_open(&fixture);
    const char *head = fixture_query(&fixture, store,
                                     "SELECT group_concat(name, ',') || char(13) FROM "
                                     "pragma_table_info('v_instruction')");
    assert_memory_equal(cli.out, head, strlen(head));
    const char *rows = fixture_query(
        &fixture, store,
        "SELECT run_id || ',' || core || ',' || pipe || ',' || seq || ',' || opcode || ',' ||\n"
        "  start_cycle || ',' || end_cycle || ',' || done_cycle || ',' || busy_cycles || ',' ||\n"
        "  link_cycles || ',' || wait_cycles || ',' || ifnull(wait_cause, '') || ','\n"
        "FROM v_instruction WHERE run_id = 1");
    char line[256];
    for (const char *at = rows; *at != '\0'; at = strchr(at, '\n') + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        cli_assert_out(&cli, line);
    }
    store_close(store);
}

static void a_window_has_the_rows_that_touch_it_and_no_others(void **state)
{
    (void)state;
    /* Row i of the flood waits and works in [4 i - 5, 4 i + 3). */
    export_run("2 --format csv --from 400 --to 404");
    assert_int_equal(cli.code, 0);
    assert_int_equal(count_lines(), 1 + 3);
    cli_assert_out(&cli, ",400,403,");
    cli_assert_out(&cli, ",404,407,");
    cli_assert_out(&cli, ",408,411,");
    export_run("2 --format csv --from 403 --to 404");
    assert_int_equal(count_lines(), 1 + 2);
    export_run("2 --format csv --from 398 --to 403");
    assert_int_equal(count_lines(), 1 + 3);
    cli_assert_out(&cli, ",396,399,");
}

static void what_cannot_be_exported_is_refused_with_exit_2(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "found no --format; expected --format X"},
        {"--format cvs", "--format: found 'cvs'; expected "},
        {"9 --format csv", "found no run 9"},
        {"3 --format csv", "run 3 was saved without its timeline"},
        {"1 2 --format csv", "expected one run"},
        {"2 --format csv --core 1", "timeline of core 0 only"},
        {"1 --format csv --core 2", "--core: found 2; expected 0 to 1"},
        {"1 --format csv --from 100", "expected a cycle before the end of run 1"},
        {"1 --format csv --from 5 --to 5", "expected --from to be less than --to"},
        {"1 --format csv --timebase ns", "found --timebase with --format csv"},
        {"1 --format csv --diff 2", "found --diff with --format csv"},
        {"1 --format csv -o .", "Is a directory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        export_run(cases[i][0]);
        assert_int_equal(cli.code, i + 1 < sizeof cases / sizeof *cases ? 2 : 3);
        assert_string_equal(cli.out, "");
        cli_assert_err(&cli, cases[i][1]);
    }
    cli_run(&cli, "export '%s' 1 --format csv -o '%s'", fixture.path, fixture.path);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "the database itself");
    assert_int_equal(cli_count(fixture.path, "SELECT count(*) FROM v_run"), 3);
}

/* Files of the folder whose names begin with "kept": the file and what is left of a draft. */
static void assert_kept(const char *text)
{
    char command[256];
    snprintf(command, sizeof command,
             "cd '%s' && [ \"$(ls kept*)\" = kept ] && [ \"$(cat kept)\" = '%s' ]", cli.folder,
             text);
    assert_int_equal(system(command), 0);
}

static void a_file_is_replaced_as_a_whole_or_stays(void **state)
{
    (void)state;
    char path[128], command[512];
    snprintf(path, sizeof path, "%s", cli_write(&cli, "kept", "before"));
    /* No file may grow over 0 blocks: the write fails as on a full disk. */
    snprintf(command, sizeof command,
             "sh -c 'trap \"\" XFSZ; ulimit -f 0; \"$0\" export \"$1\" 2 --format csv -o \"$2\" "
             "2>/dev/null; "
             "[ $? -eq 3 ]' '%s' '%s' '%s'",
             getenv("CUBESIM_BINARY"), fixture.path, path);
    assert_int_equal(system(command), 0);
    assert_kept("before");
    cli_run(&cli, "export '%s' 1 --format csv -o '%s'", fixture.path, path);
    assert_int_equal(cli.code, 0);
    assert_string_equal(cli.out, "");
    snprintf(command, sizeof command, "[ $(wc -l <'%s') -eq %d ] && rm '%s'", path,
             FIXTURE_ROWS + 1, path);
    assert_int_equal(system(command), 0);
}

static void a_stdout_that_fails_is_told_with_exit_3(void **state)
{
    (void)state;
    export_run("1 --format csv >/dev/full");
    assert_int_equal(cli.code, 3);
    cli_assert_err(&cli, "cannot write standard output: No space left on device");
    export_run("1 --format csv >&-");
    assert_int_equal(cli.code, 3);
    cli_assert_err(&cli, "cannot write standard output");
    cli_run(&cli, "export '%s' 2 --format csv | :", fixture.path);
    cli_assert_err(&cli, "cannot write standard output: Broken pipe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_has_each_row_of_the_view_with_its_columns_and_values),
        cmocka_unit_test(a_window_has_the_rows_that_touch_it_and_no_others),
        cmocka_unit_test(what_cannot_be_exported_is_refused_with_exit_2),
        cmocka_unit_test(a_file_is_replaced_as_a_whole_or_stays),
        cmocka_unit_test(a_stdout_that_fails_is_told_with_exit_3),
    };
    return cmocka_run_group_tests(tests, make_database, remove_database);
}
