/*
 * `cubesim export --format html` through the binary: what is in the file, and what is refused. What
 * a browser makes of it is tested in tests/page/.
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

static void assert_has_not(const char *text)
{
    if (strstr(cli.out, text) != NULL)
        fail_msg("the page has '%s'", text);
}

/* The data between the tags of an element, as a copy of the heap. */
static char *element(const char *opening)
{
    const char *start = strstr(cli.out, opening);
    assert_non_null(start);
    start += strlen(opening);
    const char *end = strstr(start, "</script>");
    assert_non_null(end);
    char *text = calloc((size_t)(end - start) + 1, 1);
    assert_non_null(text);
    memcpy(text, start, (size_t)(end - start));
    return text;
}

static void a_page_holds_all_of_a_run_and_asks_for_nothing(void **state)
{
    (void)state;
    export_run("1 --format html");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "<!doctype html>");
    cli_assert_out(&cli, "default-src 'none'; script-src 'sha256-");
    cli_assert_out(&cli, "id=\"rows-0-0\"");
    cli_assert_out(&cli, "id=\"rows-0-1\"");
    cli_assert_out(&cli, "id=\"words-0\"");
    cli_assert_out(&cli, "id=\"path-0\"");
    assert_has_not("id=\"rows-1-0\"");
    assert_has_not("https:");
    assert_has_not("src=\"");
    assert_has_not("unsafe-");
    char *data = element("<script type=\"application/json\" id=\"data\">");
    assert_null(strchr(data, '<'));
    assert_non_null(strstr(data, "\"sentence\":\""));
    assert_non_null(strstr(data, "\"buffers\":"));
    free(data);
}

static void the_same_run_gives_the_same_bytes(void **state)
{
    (void)state;
    export_run("1 --format html");
    size_t length = strlen(cli.out);
    char *first = calloc(length + 1, 1);
    assert_non_null(first);
    memcpy(first, cli.out, length);
    export_run("1 --format html");
    assert_string_equal(cli.out, first);
    free(first);
}

static void what_would_end_a_script_is_escaped(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command,
             "sqlite3 '%s' \"UPDATE run SET problem = 'a</script><b>&' WHERE run_id = 2\"",
             fixture.path);
    assert_int_equal(system(command), 0);
    export_run("2 --format html");
    assert_int_equal(cli.code, 0);
    assert_has_not("a</script>");
    cli_assert_out(&cli, "<title>cubesim run 2: a&lt;/script&gt;&lt;b&gt;&amp;</title>");
    cli_assert_out(&cli, "a\\u003c/script>\\u003cb>&");
}

static void core_window_and_a_second_run_choose_what_is_there(void **state)
{
    (void)state;
    export_run("1 --format html --core 1");
    assert_int_equal(cli.code, 0);
    assert_has_not("id=\"rows-0-0\"");
    cli_assert_out(&cli, "id=\"rows-0-1\"");
    export_run("2 --format html --from 400 --to 404");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "\"from\":400,\n\"to\":404,");
    export_run("1 --format html --diff 2");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "<title>cubesim runs 1 and 2: ");
    cli_assert_out(&cli, "id=\"rows-0-1\"");
    cli_assert_out(&cli, "id=\"rows-1-0\"");
    assert_has_not("id=\"rows-1-1\"");
}

static void a_run_without_timeline_has_a_page_without_rows(void **state)
{
    (void)state;
    export_run("3 --format html");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "\"core_count\":0");
    assert_has_not("id=\"rows-0-0\"");
}

static void what_no_page_can_show_is_refused_with_exit_2(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"9 --format html", "found no run 9"},
        {"1 --format html --diff 9", "found no run 9"},
        {"1 --format html --core 2", "--core: found 2; expected 0 to 1"},
        {"3 --format html --core 0", "run 3 was saved without its timeline"},
        {"1 --format html --timebase ns", "found --timebase with --format html"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        export_run(cases[i][0]);
        assert_int_equal(cli.code, 2);
        assert_string_equal(cli.out, "");
        cli_assert_err(&cli, cases[i][1]);
    }
}

/* A run of as many rows would take long: its total says so in their place. */
static void more_rows_than_a_page_can_hold_ask_for_a_core_or_a_window(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command,
             "sqlite3 '%s' \"INSERT OR REPLACE INTO pipe_total VALUES "
             "(2, 0, 0, 4000001, 0, 0, 0, 0, 0)\"",
             fixture.path);
    assert_int_equal(system(command), 0);
    export_run("2 --format html");
    assert_int_equal(cli.code, 2);
    assert_string_equal(cli.out, "");
    cli_assert_err(&cli, "found 4000001 instructions of run 2 on 1 core; expected at most 4000000 "
                         "on a page: choose a core with --core N or a window");
    export_run("2 --format html --from 2000 --to 2100");
    assert_int_equal(cli.code, 0);
    snprintf(command, sizeof command,
             "sqlite3 '%s' \"UPDATE pipe_total SET instructions = 4000000 WHERE run_id = 2 AND "
             "pipe = 0\"",
             fixture.path);
    assert_int_equal(system(command), 0);
    export_run("2 --format html");
    assert_int_equal(cli.code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_holds_all_of_a_run_and_asks_for_nothing),
        cmocka_unit_test(the_same_run_gives_the_same_bytes),
        cmocka_unit_test(what_would_end_a_script_is_escaped),
        cmocka_unit_test(core_window_and_a_second_run_choose_what_is_there),
        cmocka_unit_test(a_run_without_timeline_has_a_page_without_rows),
        cmocka_unit_test(what_no_page_can_show_is_refused_with_exit_2),
        cmocka_unit_test(more_rows_than_a_page_can_hold_ask_for_a_core_or_a_window),
    };
    return cmocka_run_group_tests(tests, make_database, remove_database);
}
