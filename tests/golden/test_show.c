/*
 * What `cubesim show` prints, through the binary: pictures that must not move by accident, and the
 * exit codes of what cannot be shown. UPDATE_GOLDEN=1 writes the pictures anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/store_fixture.h"

static struct fixture fixture;
static char output[65536];

/* Two runs: the one by hand, and one with the timeline of core 0 only. */
static int make_database(void **state)
{
    (void)state;
    fixture_init(&fixture);
    fixture_make_three(&fixture);
    return 0;
}

static int remove_database(void **state)
{
    (void)state;
    fixture_deinit(&fixture);
    return 0;
}

static const char *binary(void)
{
    const char *path = getenv("CUBESIM_BINARY");
    if (path == NULL) {
        print_message("CUBESIM_BINARY names no cubesim\n");
        skip();
    }
    return path;
}

/* Makes one line of each message that goes on in the next. */
static void join_messages(void)
{
    for (char *at = output; (at = strstr(at, "\n    ")) != NULL;) {
        *at++ = ' ';
        memmove(at, at + 4, strlen(at + 4) + 1);
    }
}

/* Runs `cubesim show DATABASE ARGUMENTS` with settings of the environment; output gets what it
 * prints (stdout, or stderr when it fails). Returns the exit code. */
static int show(const char *environment, const char *database, const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command,
             "env -u COLUMNS -u NO_COLOR -u LC_ALL -u LC_CTYPE %s '%s' show %s %s 2>'%s/stderr' || "
             "{ code=$?; cat '%s/stderr'; exit $code; }",
             environment, binary(), database, arguments, fixture.folder, fixture.folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    int ended = pclose(pipe);
    assert_true(WIFEXITED(ended));
    if (WEXITSTATUS(ended) != 0)
        join_messages();
    return WEXITSTATUS(ended);
}

static void assert_is_picture(const char *name)
{
    static char expected[65536];
    char path[128];
    snprintf(path, sizeof path, "tests/data/%s.txt", name);
    FILE *file = fopen(path, getenv("UPDATE_GOLDEN") != NULL ? "w" : "r");
    assert_non_null(file);
    if (getenv("UPDATE_GOLDEN") != NULL) {
        fputs(output, file);
    } else {
        expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
        assert_string_equal(output, expected);
    }
    fclose(file);
}

/* Columns of the longest line: characters, not bytes. */
static size_t longest_line(void)
{
    size_t longest = 0, columns = 0;
    for (const char *at = output; *at != '\0'; at++) {
        columns = *at == '\n' ? 0 : columns + (((unsigned char)*at & 0xC0) != 0x80);
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

static const char utf8[] = "LANG=C.UTF-8 TERM=xterm";
static const char ascii[] = "LANG=C TERM=xterm";

static void test_a_run_is_shown_in_80_columns(void **state)
{
    (void)state;
    assert_int_equal(show(utf8, fixture.path, "1"), 0);
    assert_is_picture("show_run");
}

static void test_a_window_of_a_core_is_shown_in_ascii(void **state)
{
    (void)state;
    assert_int_equal(show(ascii, fixture.path, "1 --core 1 --from 35 --to 95"), 0);
    assert_is_picture("show_window_ascii");
    char first[sizeof output];
    memcpy(first, output, sizeof output);
    assert_int_equal(show("LANG=C.UTF-8 TERM=dumb", fixture.path, "1 --from 35 --to 95"), 0);
    assert_string_equal(output, first);
}

static void test_the_path_under_another_core_says_whose_it_is(void **state)
{
    (void)state;
    assert_int_equal(show(utf8, fixture.path, "1 --core 0"), 0);
    assert_non_null(strstr(output, "\npath  sssssss2222"));
    assert_non_null(
        strstr(output, "\npath: that of core 1; largest part of the column; s startup"));
    assert_int_equal(show(utf8, fixture.path, "1 --core 1"), 0);
    assert_null(strstr(output, "that of core"));
}

static void test_the_latest_run_with_rows_of_core_0_says_so(void **state)
{
    (void)state;
    assert_int_equal(show(utf8, fixture.path, "2 --from 100 --to 300 --width 120"), 0);
    assert_is_picture("show_core0_wide");
    assert_non_null(strstr(output, "run 2, core 0, cycles 100 - 300"));
    assert_non_null(strstr(output, "core 1 is the last to end; only core 0 was saved"));
}

static void test_no_line_is_longer_than_the_width(void **state)
{
    (void)state;
    static const size_t widths[] = {80, 81, 120, 333};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char arguments[32], environment[64];
        snprintf(arguments, sizeof arguments, "2 --width %zu", widths[i]);
        assert_int_equal(show(utf8, fixture.path, arguments), 0);
        assert_true(longest_line() <= widths[i]);
        snprintf(environment, sizeof environment, "%s COLUMNS=%zu", ascii, widths[i]);
        assert_int_equal(show(environment, fixture.path, "2"), 0);
        assert_true(longest_line() <= widths[i]);
    }
    assert_int_equal(longest_line(), 333);
}

static void test_numbers_may_have_commas_and_a_wait_counts_inside_the_window(void **state)
{
    (void)state;
    char first[sizeof output];
    assert_int_equal(show(utf8, fixture.path, "2 --from 1000 --to 1200"), 0);
    memcpy(first, output, sizeof output);
    assert_int_equal(show(utf8, fixture.path, "2 --from 1,000 --to 1,200"), 0);
    assert_string_equal(output, first);
    assert_int_equal(show(utf8, fixture.path, "1 --core 1 --from 40 --to 60"), 0);
    assert_non_null(strstr(output, "longest wait: CUBE 20 cycles here, of 65, for MTE1 (flag id "));
    assert_non_null(strstr(output, "share of these cycles busy; below: the whole run"));
}

static void test_a_pipe_gets_no_colour(void **state)
{
    (void)state;
    assert_int_equal(show(utf8, fixture.path, "1"), 0);
    assert_null(strchr(output, '\033'));
}

static void test_what_cannot_be_shown_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *words;
    } cases[] = {
        {"9", "found no run 9"},
        {"x", "RUN: found 'x'"},
        {"1 2", "expected one run"},
        {"1 --core 2", "--core: found 2; expected 0 to 1"},
        {"1 --from 20 --to 20", "expected --from to be less than --to"},
        {"1 --from 100", "expected a cycle before the end of run 1 at 100"},
        {"1 --from -1", "--from: found '-1'"},
        {"1 --width 10", "expected a whole number from 80 to 1000"},
        {"2 --core 1", "timeline of core 0 only"},
        {"--from 5", "--timeline all"}, /* the latest run has no rows */
        {"--to 50", "saved without its timeline"},
        {"3 --core 2", "--core: found 2; expected 0 to 1"},
        {"1 --cores 1", "unknown option"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("%s\n", cases[i].arguments);
        assert_int_equal(show(utf8, fixture.path, cases[i].arguments), 2);
        assert_non_null(strstr(output, cases[i].words));
    }
}

static void test_a_run_without_a_timeline_is_told_in_sums(void **state)
{
    (void)state;
    assert_int_equal(show(utf8, fixture.path, "3"), 0);
    assert_is_picture("show_sums");
    assert_true(longest_line() <= 80);
    assert_int_equal(show(utf8, fixture.path, "3 --core 0"), 0);
    assert_non_null(strstr(output, "run 3, core 0, "));
}

static void test_a_database_that_is_not_there_is_exit_3(void **state)
{
    (void)state;
    assert_int_equal(show(utf8, "/nowhere/runs.db", ""), 3);
    assert_non_null(strstr(output, "cannot open '/nowhere/runs.db'"));
    assert_int_equal(show(utf8, "CMakeLists.txt", ""), 3);
    assert_non_null(strstr(output, "not a database"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_is_shown_in_80_columns),
        cmocka_unit_test(test_a_window_of_a_core_is_shown_in_ascii),
        cmocka_unit_test(test_the_path_under_another_core_says_whose_it_is),
        cmocka_unit_test(test_the_latest_run_with_rows_of_core_0_says_so),
        cmocka_unit_test(test_no_line_is_longer_than_the_width),
        cmocka_unit_test(test_numbers_may_have_commas_and_a_wait_counts_inside_the_window),
        cmocka_unit_test(test_a_pipe_gets_no_colour),
        cmocka_unit_test(test_what_cannot_be_shown_says_why),
        cmocka_unit_test(test_a_run_without_a_timeline_is_told_in_sums),
        cmocka_unit_test(test_a_database_that_is_not_there_is_exit_3),
    };
    return cmocka_run_group_tests_name("show", tests, make_database, remove_database);
}
