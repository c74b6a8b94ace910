#include "engine/base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct source source_of(const char *name, const char *text)
{
    return (struct source){.name = name, .text = text, .length = strlen(text)};
}

/* The text of a single problem at a place in a text of one or more lines. */
static void assert_shown(const char *text, uint32_t line, uint32_t column, uint32_t width,
                         const char *expected)
{
    struct diag diag;
    struct source source = source_of("a.yaml", text);
    diag_init(&diag);
    struct place place = {&source, line, column, width};
    assert_int_equal(diag_add(&diag, STATUS_BAD_INPUT, place, "found it"), STATUS_BAD_INPUT);
    assert_string_equal(diag_text(&diag, 0), expected);
    diag_deinit(&diag);
}

static void test_a_problem_shows_its_line_and_a_caret_of_its_width(void **state)
{
    (void)state;
    assert_shown("tile_l1:\n  tileHinn: 3\n  tileHout: 1\n", 2, 3, 8,
                 "a.yaml:2:3: found it\n"
                 "    2 |   tileHinn: 3\n"
                 "      |   ^~~~~~~~");
    assert_shown("a: 0", 1, 4, 1,
                 "a.yaml:1:4: found it\n"
                 "    1 | a: 0\n"
                 "      |    ^");
}

static void test_the_caret_aligns_behind_tabs_and_characters_of_several_bytes(void **state)
{
    (void)state;
    assert_shown("a:\t12", 1, 4, 2,
                 "a.yaml:1:4: found it\n"
                 "    1 | a:      12\n"
                 "      |         ^~");
    /* An umlaut takes two bytes and one column, a Chinese character three bytes and two. */
    assert_shown("\xC3\xA4: [\xE4\xB8\xAD, xy]", 1, 11, 2,
                 "a.yaml:1:11: found it\n"
                 "    1 | \xC3\xA4: [\xE4\xB8\xAD, xy]\n"
                 "      |         ^~");
    assert_shown("k: \xE4\xB8\xAD\xC3\xA4", 1, 4, 5,
                 "a.yaml:1:4: found it\n"
                 "    1 | k: \xE4\xB8\xAD\xC3\xA4\n"
                 "      |    ^~~");
    /* A combining accent stands on the letter before it. */
    assert_shown("e\xCC\x81: x", 1, 6, 1,
                 "a.yaml:1:6: found it\n"
                 "    1 | e\xCC\x81: x\n"
                 "      |    ^");
}

static void test_bytes_that_steer_a_terminal_are_not_shown(void **state)
{
    (void)state;
    assert_shown("a: \x1B[31m\xFF x\r\nb: 1", 1, 11, 1,
                 "a.yaml:1:11: found it\n"
                 "    1 | a: ?[31m? x\n"
                 "      |           ^");
}

static void test_problems_are_sorted_inside_of_their_file_only(void **state)
{
    (void)state;
    struct source a = source_of("a.yaml", "x\ny\nz\n");
    struct source b = source_of("--set", "k=1");
    const struct {
        struct place place;
        const char *text;
    } rows[] = {{{&a, 9, 1, 1}, "kept"}, {{&a, 3, 1, 1}, "5"}, {{&a, 1, 4, 1}, "2"},
                {{&a, 1, 1, 1}, "1"},    {{&a, 1, 4, 1}, "3"}, {{&a, 2, 1, 1}, "4"},
                {{&b, 1, 1, 1}, "6"},    {{&a, 1, 1, 1}, "7"}, {{NULL, 0, 0, 0}, "8"}};
    struct diag diag;
    diag_init(&diag);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)diag_add(&diag, STATUS_BAD_INPUT, rows[i].place, "%s", rows[i].text);
    }
    diag_sort(&diag, 1);
    diag_sort(NULL, 0);
    assert_string_equal(diag.problems[0].message, "kept");
    for (size_t i = 1; i < diag.count; i++) {
        assert_int_equal(diag.problems[i].message[0], '0' + (int)i);
    }
    diag_deinit(&diag);
}

static void test_a_problem_is_told_once_at_a_place(void **state)
{
    (void)state;
    struct source a = source_of("a.yaml", "xy\nz\n"), again = source_of("a.yaml", "xy\nz\n");
    struct source b = source_of("b.yaml", "xy\nz\n");
    const struct {
        struct place place;
        enum status status;
        const char *text;
        size_t count; /* of problems behind it */
    } rows[] = {
        {{&a, 1, 1, 1}, STATUS_BAD_INPUT, "one", 1},
        {{&a, 1, 1, 1}, STATUS_BAD_INPUT, "one", 1},
        {{&again, 1, 1, 1}, STATUS_BAD_INPUT, "one", 1},
        {{&a, 1, 2, 1}, STATUS_BAD_INPUT, "one", 2},
        {{&a, 2, 1, 1}, STATUS_BAD_INPUT, "one", 3},
        {{&b, 1, 1, 1}, STATUS_BAD_INPUT, "one", 4},
        {{&a, 1, 1, 1}, STATUS_BAD_INPUT, "two", 5},
        {{&a, 1, 1, 1}, STATUS_BROKEN, "one", 6},
        {{&a, 1, 1, 1}, STATUS_BAD_INPUT, "one", 6},
        {{NULL, 0, 0, 0}, STATUS_BROKEN, "one", 7},
        {{NULL, 0, 0, 0}, STATUS_BROKEN, "one", 8},
        {{&a, 0, 0, 0}, STATUS_BROKEN, "one", 9},
        {{&a, 0, 0, 0}, STATUS_BROKEN, "one", 10},
    };
    struct diag diag;
    diag_init(&diag);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(diag_add(&diag, rows[i].status, rows[i].place, "%s", rows[i].text),
                         rows[i].status);
        assert_int_equal(diag.count, rows[i].count);
    }
    diag_deinit(&diag);
}

static void test_places_at_the_edge_of_the_text_have_a_caret(void **state)
{
    (void)state;
    assert_shown("a:", 1, 3, 5,
                 "a.yaml:1:3: found it\n"
                 "    1 | a:\n"
                 "      |   ^");
    assert_shown("a\n", 2, 1, 1,
                 "a.yaml:2:1: found it\n"
                 "    2 | \n"
                 "      | ^");
    assert_shown("a\n", 1, 99, 1,
                 "a.yaml:1:99: found it\n"
                 "    1 | a\n"
                 "      |  ^");
    assert_shown("a\n", 7, 1, 1, "a.yaml:7:1: found it");
}

static void test_a_long_line_is_shown_around_the_place(void **state)
{
    (void)state;
    struct diag diag;
    char text[5001];
    for (size_t i = 0; i < 5000; i += 2) {
        memcpy(text + i, "\xC3\xA4", 2);
    }
    memcpy(text + 3000, "XYZ!", 4);
    text[5000] = '\0';
    struct source source = source_of("a.json", text);
    diag_init(&diag);
    struct place place = {&source, 1, 3001, 3};
    (void)diag_add(&diag, STATUS_BAD_INPUT, place, "found it");
    char shown[1024];
    assert_true(strlen(diag_text(&diag, 0)) < sizeof shown);
    strcpy(shown, diag_text(&diag, 0));
    const char *line = strchr(shown, '\n') + 1;
    const char *caret_line = strchr(line, '\n') + 1;
    assert_memory_equal(line, "    1 | ...\xC3\xA4", 13);
    assert_non_null(strstr(line, "\xC3\xA4...\n      | "));
    /* 15 umlauts stand before the place, each two bytes but one column. */
    assert_int_equal(strstr(line, "XYZ") - line, 8 + 3 + 30);
    assert_int_equal(strchr(caret_line, '^') - caret_line, 8 + 3 + 15);
    assert_string_equal(strchr(caret_line, '^'), "^~~");
    diag_deinit(&diag);
}

static void test_a_long_line_is_never_cut_inside_a_character(void **state)
{
    (void)state;
    /* Characters of three bytes, so that the window's ends fall inside of one. */
    char text[3001];
    for (size_t i = 0; i < 3000; i += 3) {
        memcpy(text + i, "\xE4\xB8\xAD", 3);
    }
    text[3000] = '\0';
    struct source source = source_of("a.json", text);
    for (uint32_t column = 1501; column < 1504; column++) {
        struct diag diag;
        text[column - 1] = 'X';
        diag_init(&diag);
        (void)diag_add(&diag, STATUS_BAD_INPUT, (struct place){&source, 1, column, 1}, "it");
        const char *line = strchr(diag_text(&diag, 0), '\n') + 1;
        const char *first = strstr(line, "...") + 3;
        size_t marks = 0;
        for (const char *byte = line; byte < strchr(line, '\n'); byte++) {
            marks += *byte == '?';
        }
        /* Only the character that the X broke open shows its other bytes. */
        assert_int_equal(marks, 2);
        assert_memory_equal(first, "\xE4\xB8\xAD", 3);
        memcpy(text + 1500, "\xE4\xB8\xAD", 3);
        diag_deinit(&diag);
    }
}

static void test_line_numbers_of_six_digits_keep_the_caret_aligned(void **state)
{
    (void)state;
    static char text[123460];
    memset(text, '\n', 123455);
    strcpy(text + 123455, "ab");
    assert_shown(text, 123456, 2, 1,
                 "a.yaml:123456:2: found it\n"
                 "123456 | ab\n"
                 "       |  ^");
}

static void test_a_problem_without_a_line_has_its_name_only(void **state)
{
    (void)state;
    struct diag diag;
    struct source source = source_of("missing.yaml", "");
    struct source unnamed = source_of(NULL, "x");
    diag_init(&diag);
    (void)diag_add(&diag, STATUS_BAD_INPUT, (struct place){.source = &source}, "cannot open");
    (void)diag_add(&diag, STATUS_IO, place_none(), "disk %s", "full");
    (void)diag_add(&diag, STATUS_IO, (struct place){&unnamed, 1, 1, 1}, "bad");
    assert_string_equal(diag_text(&diag, 0), "missing.yaml: cannot open");
    assert_string_equal(diag_text(&diag, 1), "disk full");
    assert_string_equal(diag_text(&diag, 2), "1:1: bad\n    1 | x\n      | ^");
    diag_deinit(&diag);
}

static void test_notes_stand_below_the_caret(void **state)
{
    (void)state;
    struct diag diag;
    struct source source = source_of("--set", "rate=512");
    diag_init(&diag);
    (void)diag_add(&diag, STATUS_BAD_INPUT, (struct place){&source, 1, 6, 3},
                   "512 has no unit\nfirst note\nsecond note");
    assert_string_equal(diag_text(&diag, 0), "--set:1:6: 512 has no unit\n"
                                             "    1 | rate=512\n"
                                             "      |      ^~~\n"
                                             "    first note\n"
                                             "    second note");
    diag_deinit(&diag);
}

static void test_a_problem_outlives_its_source(void **state)
{
    (void)state;
    struct diag diag;
    char text[] = "a: 1";
    char name[] = "a.yaml";
    diag_init(&diag);
    {
        struct source source = {.name = name, .text = text, .length = 4};
        (void)diag_add(&diag, STATUS_BAD_INPUT, (struct place){&source, 1, 4, 1}, "bad");
        memset(&source, 0, sizeof source);
    }
    memset(text, 'x', sizeof text - 1);
    memset(name, 'x', sizeof name - 1);
    assert_string_equal(diag_text(&diag, 0), "a.yaml:1:4: bad\n    1 | a: 1\n      |    ^");
    assert_string_equal(diag.problems[0].place.source->name, "a.yaml");
    diag_deinit(&diag);
}

static void test_the_gravest_status_has_the_largest_exit_code(void **state)
{
    (void)state;
    struct diag diag;
    diag_init(&diag);
    assert_int_equal(diag_status(&diag), STATUS_OK);
    (void)diag_add(&diag, STATUS_BROKEN, place_none(), "rule 13");
    assert_int_equal(diag_status(&diag), STATUS_BROKEN);
    (void)diag_add(&diag, STATUS_IO, place_none(), "disk");
    (void)diag_add(&diag, STATUS_BAD_INPUT, place_none(), "key");
    (void)diag_add(&diag, STATUS_LIMIT, place_none(), "limit");
    assert_int_equal(diag_status(&diag), STATUS_IO);
    (void)diag_add(&diag, STATUS_STOPPED, place_none(), "signal");
    assert_int_equal(diag_status(&diag), STATUS_STOPPED);
    assert_int_equal(diag_graver(STATUS_OK, STATUS_BAD_INPUT), STATUS_BAD_INPUT);
    assert_int_equal(diag_graver(STATUS_NO_MEMORY, STATUS_BAD_INPUT), STATUS_NO_MEMORY);
    diag_deinit(&diag);
}

static void test_every_status_has_the_exit_code_of_the_contract(void **state)
{
    (void)state;
    static const struct {
        enum status status;
        int exit_code;
    } rows[] = {
        {STATUS_OK, 0},        {STATUS_BROKEN, 1}, {STATUS_DEADLOCK, 1},
        {STATUS_BAD_INPUT, 2}, {STATUS_IO, 3},     {STATUS_DATABASE, 3},
        {STATUS_NO_MEMORY, 3}, {STATUS_LIMIT, 3},  {STATUS_STOPPED, 130},
    };
    assert_int_equal(sizeof rows / sizeof rows[0], STATUS_COUNT);
    for (size_t i = 0; i < STATUS_COUNT; i++) {
        assert_int_equal(status_exit_code(rows[i].status), rows[i].exit_code);
        assert_true(strlen(status_sentence(rows[i].status)) > 0);
    }
}

static void test_a_dropped_problem_still_returns_its_status(void **state)
{
    (void)state;
    assert_int_equal(diag_add(NULL, STATUS_IO, place_none(), "dropped"), STATUS_IO);
}

static void test_a_flood_of_problems_is_cut_but_not_its_status(void **state)
{
    (void)state;
    struct diag diag;
    diag_init(&diag);
    for (int i = 0; i < DIAG_PROBLEMS_MAX + 50; i++) {
        (void)diag_add(&diag, STATUS_BAD_INPUT, place_none(), "problem %d", i);
    }
    assert_int_equal(diag_add(&diag, STATUS_IO, place_none(), "disk"), STATUS_IO);
    assert_int_equal(diag.count, DIAG_PROBLEMS_MAX);
    assert_int_equal(diag_status(&diag), STATUS_IO);
    diag_deinit(&diag);
}

static void test_running_out_of_memory_is_a_status_and_no_crash(void **state)
{
    (void)state;
    struct source source = source_of("a.yaml", "a: 1");
    uint64_t failures = 0;
    for (uint64_t nth = 1;; nth++) {
        struct diag diag;
        diag_init(&diag);
        arena_fail_at(nth);
        enum status status =
            diag_add(&diag, STATUS_BAD_INPUT, (struct place){&source, 1, 4, 1}, "bad\nnote");
        if (status == STATUS_NO_MEMORY) {
            assert_int_equal(diag.count, 0);
            assert_int_equal(diag_status(&diag), STATUS_NO_MEMORY);
            failures++;
        } else {
            assert_int_equal(diag_status(&diag), STATUS_BAD_INPUT);
            assert_non_null(strstr(diag_text(&diag, 0), "bad"));
        }
        bool pending = arena_fail_pending();
        arena_fail_at(0);
        diag_deinit(&diag);
        if (pending) {
            break;
        }
    }
    assert_true(failures >= 3);
}

static void test_quoted_text_is_short_and_on_one_line(void **state)
{
    (void)state;
    char buffer[12];
    assert_string_equal(excerpt_format("tileHin", buffer, sizeof buffer), "tileHin");
    assert_string_equal(excerpt_format("", buffer, sizeof buffer), "");
    assert_string_equal(excerpt_format("12345678901", buffer, sizeof buffer), "12345678901");
    assert_string_equal(excerpt_format("123456789012", buffer, sizeof buffer), "12345678...");
    assert_string_equal(excerpt_format("a\nb\x1B"
                                       "c",
                                       buffer, sizeof buffer),
                        "a\\nb\\x1Bc");
    assert_string_equal(excerpt_format("\xFF", buffer, sizeof buffer), "\\xFF");
    /* A character of several bytes is never cut. */
    assert_string_equal(excerpt_format("1234567\xC3\xA4yyyyyy", buffer, sizeof buffer),
                        "1234567...");
}

static void test_utf8_is_decoded_and_its_misuses_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
        uint32_t code;
    } rows[] = {
        {"A", 1, 'A'},
        {"\x7F", 1, 0x7F},
        {"\xC2\x80", 2, 0x80},
        {"\xDF\xBF", 2, 0x7FF},
        {"\xE0\xA0\x80", 3, 0x800},
        {"\xEF\xBF\xBF", 3, 0xFFFF},
        {"\xF0\x90\x80\x80", 4, 0x10000},
        {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
        {"", 0, 0},
        {"\x80", 0, 0},                 /* a continuation alone */
        {"\xC1\xBF", 0, 0},             /* overlong */
        {"\xE0\x9F\xBF", 0, 0},         /* overlong */
        {"\xF0\x8F\xBF\xBF", 0, 0},     /* overlong */
        {"\xED\xA0\x80", 0, 0},         /* a surrogate */
        {"\xF4\x90\x80\x80", 0, 0},     /* above U+10FFFF */
        {"\xF8\x88\x80\x80\x80", 0, 0}, /* five bytes */
        {"\xE4\xB8", 0, 0},             /* cut off */
        {"\xC3(", 0, 0},                /* no continuation */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t code = 0;
        assert_int_equal(utf8_decode(rows[i].text, strlen(rows[i].text), &code), rows[i].size);
        assert_int_equal(code, rows[i].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_problem_shows_its_line_and_a_caret_of_its_width),
        cmocka_unit_test(test_the_caret_aligns_behind_tabs_and_characters_of_several_bytes),
        cmocka_unit_test(test_bytes_that_steer_a_terminal_are_not_shown),
        cmocka_unit_test(test_problems_are_sorted_inside_of_their_file_only),
        cmocka_unit_test(test_a_problem_is_told_once_at_a_place),
        cmocka_unit_test(test_places_at_the_edge_of_the_text_have_a_caret),
        cmocka_unit_test(test_a_long_line_is_shown_around_the_place),
        cmocka_unit_test(test_a_long_line_is_never_cut_inside_a_character),
        cmocka_unit_test(test_line_numbers_of_six_digits_keep_the_caret_aligned),
        cmocka_unit_test(test_a_problem_without_a_line_has_its_name_only),
        cmocka_unit_test(test_notes_stand_below_the_caret),
        cmocka_unit_test(test_a_problem_outlives_its_source),
        cmocka_unit_test(test_the_gravest_status_has_the_largest_exit_code),
        cmocka_unit_test(test_every_status_has_the_exit_code_of_the_contract),
        cmocka_unit_test(test_a_dropped_problem_still_returns_its_status),
        cmocka_unit_test(test_a_flood_of_problems_is_cut_but_not_its_status),
        cmocka_unit_test(test_running_out_of_memory_is_a_status_and_no_crash),
        cmocka_unit_test(test_quoted_text_is_short_and_on_one_line),
        cmocka_unit_test(test_utf8_is_decoded_and_its_misuses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
