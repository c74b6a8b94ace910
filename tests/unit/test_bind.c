#include "engine/base/bind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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
    arena_deinit(&arena);
    diag_deinit(&diag);
    return 0;
}

static const struct node *parse(const char *text)
{
    const struct node *root;
    assert_int_equal(tree_parse("a.yaml", text, strlen(text), &arena, &diag, &root), STATUS_OK);
    return root;
}

/* The value of the one key "a". */
static const struct node *value_of(const char *text)
{
    char yaml[512];
    (void)snprintf(yaml, sizeof yaml, "a: %s\n", text);
    return tree_find(parse(yaml), "a");
}

static void assert_problem(size_t index, const char *message)
{
    assert_true(index < diag.count);
    assert_string_equal(diag.problems[index].message, message);
}

static void assert_last_problem(const char *message)
{
    assert_true(diag.count > 0);
    assert_problem(diag.count - 1, message);
}

static const char *const tile_keys[] = {"tileHin", "tileHout", "tileWin", "tileWout", "tileN"};

static void test_an_unknown_key_names_its_place_and_the_nearest_key(void **state)
{
    (void)state;
    const struct node *map = parse("tileN: 1\ntileHinn: 3\ntilewout: 4\n");
    assert_int_equal(bind_keys(map, tile_keys, 5, &diag), STATUS_BAD_INPUT);
    assert_int_equal(diag.count, 2);
    assert_string_equal(diag_text(&diag, 0),
                        "a.yaml:2:1: unknown key 'tileHinn'; expected 'tileHin'\n"
                        "    2 | tileHinn: 3\n"
                        "      | ^~~~~~~~");
    assert_problem(1, "unknown key 'tilewout'; expected 'tileWout'");
}

static void test_an_unknown_key_without_a_neighbour_lists_what_is_known(void **state)
{
    (void)state;
    assert_int_equal(bind_keys(parse("qq: 1\n"), tile_keys, 3, &diag), STATUS_BAD_INPUT);
    assert_problem(0, "unknown key 'qq'; expected 'tileHin', 'tileHout' or 'tileWin'");
    assert_int_equal(bind_keys(parse("qq: 1\n"), NULL, 0, &diag), STATUS_BAD_INPUT);
    assert_problem(1, "unknown key 'qq'; expected no key");
    static char names[100][32];
    const char *keys[100];
    for (int i = 0; i < 100; i++) {
        (void)snprintf(names[i], sizeof names[i], "parameter_%d", i);
        keys[i] = names[i];
    }
    assert_int_equal(bind_keys(parse("qq: 1\n"), keys, 100, &diag), STATUS_BAD_INPUT);
    const char *message = diag.problems[2].message;
    assert_true(strlen(message) < 600);
    assert_non_null(strstr(message, "expected 'parameter_0', 'parameter_1', "));
    assert_non_null(strstr(message, " more"));
}

static void test_known_keys_pass_and_only_a_map_has_keys(void **state)
{
    (void)state;
    assert_int_equal(bind_keys(parse("tileN: 1\ntileWin: 2\n"), tile_keys, 5, &diag), STATUS_OK);
    assert_int_equal(bind_keys(parse("{}"), tile_keys, 5, &diag), STATUS_OK);
    assert_int_equal(diag.count, 0);
    assert_int_equal(bind_keys(value_of("[1, 2]"), tile_keys, 2, &diag), STATUS_BAD_INPUT);
    assert_last_problem("found a list of 2; expected a map with keys such as 'tileHin' or "
                        "'tileHout'");
    assert_int_equal(bind_keys(value_of(""), NULL, 0, &diag), STATUS_BAD_INPUT);
    assert_last_problem("found nothing; expected a map");
}

static void test_a_missing_key_is_named_at_its_map(void **state)
{
    (void)state;
    const struct node *root = parse("x: 1\nconv: {input: 3}\n");
    const struct node *conv = bind_required(root, "conv", &diag);
    assert_non_null(conv);
    assert_string_equal(bind_required(conv, "input", &diag)->text, "3");
    assert_int_equal(diag.count, 0);
    assert_null(bind_required(conv, "weight", &diag));
    assert_string_equal(diag_text(&diag, 0),
                        "a.yaml:2:7: found no key 'weight'; expected it in this map\n"
                        "    2 | conv: {input: 3}\n"
                        "      |       ^");
    assert_null(bind_required(tree_find(root, "x"), "weight", &diag));
    assert_last_problem("found '1'; expected a map with the key 'weight'");
}

static void test_whole_numbers_of_the_range_are_bound(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t low;
        int64_t high;
        int64_t value;
    } rows[] = {
        {"1", 1, INT64_MAX, 1},
        {"0", 0, 0, 0},
        {"63", 1, 63, 63},
        {"-5", -5, 5, -5},
        {"9223372036854775807", 1, INT64_MAX, INT64_MAX},
        {"-9223372036854775808", INT64_MIN, 0, INT64_MIN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t value = 99;
        assert_int_equal(
            bind_integer(value_of(rows[i].text), rows[i].low, rows[i].high, &diag, &value),
            STATUS_OK);
        assert_true(value == rows[i].value);
    }
    assert_int_equal(diag.count, 0);
}

static void test_other_numbers_are_refused_with_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t low;
        int64_t high;
        const char *message;
    } rows[] = {
        {"0", 1, INT64_MAX, "found '0'; expected a whole number from 1"},
        {"64", 1, 63, "found '64'; expected a whole number from 1 to 63"},
        {"7", INT64_MIN, 6, "found '7'; expected a whole number up to 6"},
        {"x", INT64_MIN, INT64_MAX, "found 'x'; expected a whole number"},
        {"3", 4, 4, "found '3'; expected the whole number 4"},
        {"99999999999999999999", 1, INT64_MAX,
         "found '99999999999999999999'; expected a whole number from 1 to 9223372036854775807"},
        {"9223372036854775808", 1, INT64_MAX,
         "found '9223372036854775808'; expected a whole number from 1 to 9223372036854775807"},
        {"-9223372036854775809", INT64_MIN, 0,
         "found '-9223372036854775809'; expected a whole number from -9223372036854775808 to 0"},
        {"99999999999999999999", 1, 9,
         "found '99999999999999999999'; expected a whole number from 1 to 9"},
        {"2.0", 1, 9, "found '2.0'; expected a whole number from 1 to 9"},
        {"1e3", 1, 9, "found '1e3'; expected a whole number from 1 to 9"},
        {"1e400", 1, 9, "found '1e400'; expected a whole number from 1 to 9"},
        {"0x10", 1, 99, "found '0x10'; expected a whole number from 1 to 99"},
        {"010", 1, 99, "found '010'; expected a whole number from 1 to 99"},
        {"+1", 1, 9, "found '+1'; expected a whole number from 1 to 9"},
        {"1_000", 1, 9999, "found '1_000'; expected a whole number from 1 to 9999"},
        {"1,000", 1, 9999, "found '1,000'; expected a whole number from 1 to 9999"},
        {"nan", 1, 9, "found 'nan'; expected a whole number from 1 to 9"},
        {".inf", 1, 9, "found '.inf'; expected a whole number from 1 to 9"},
        {"'-'", 1, 9, "found the text '-'; expected a whole number from 1 to 9"},
        {"\"5\"", 1, 9, "found the text '5'; expected a whole number from 1 to 9"},
        {"5 cycles", 1, 9, "found '5 cycles'; expected a whole number from 1 to 9"},
        {"", 1, 9, "found nothing; expected a whole number from 1 to 9"},
        {"{b: 1}", 1, 9, "found a map; expected a whole number from 1 to 9"},
        {"[1]", 1, 9, "found a list of 1; expected a whole number from 1 to 9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t value = 42;
        assert_int_equal(
            bind_integer(value_of(rows[i].text), rows[i].low, rows[i].high, &diag, &value),
            STATUS_BAD_INPUT);
        assert_int_equal(value, 42);
        assert_last_problem(rows[i].message);
    }
    assert_int_equal(diag.count, sizeof rows / sizeof rows[0]);
}

static void test_a_list_of_numbers_reports_each_bad_item(void **state)
{
    (void)state;
    int64_t values[4] = {0};
    size_t count = 0;
    assert_int_equal(bind_integers(value_of("[1, 64, 56]"), 2, 4, 1, 99, &diag, values, &count),
                     STATUS_OK);
    assert_int_equal(count, 3);
    assert_int_equal(values[2], 56);
    assert_int_equal(bind_integers(value_of("[1, x, 0, 5]"), 4, 4, 1, 9, &diag, values, &count),
                     STATUS_BAD_INPUT);
    assert_int_equal(diag.count, 2);
    assert_problem(0, "found 'x'; expected a whole number from 1 to 9");
    assert_problem(1, "found '0'; expected a whole number from 1 to 9");
    assert_int_equal(diag.problems[1].place.column, 11);
}

static void test_a_list_of_another_length_is_refused(void **state)
{
    (void)state;
    int64_t values[4] = {7, 7, 7, 7};
    size_t count = 9;
    assert_int_equal(bind_integers(value_of("[1, 2, 3]"), 4, 4, 1, 9, &diag, values, &count),
                     STATUS_BAD_INPUT);
    assert_last_problem("found a list of 3; expected a list of 4 whole numbers");
    assert_int_equal(bind_integers(value_of("[1, 2, 3, 4, 5]"), 1, 4, 1, 9, &diag, values, &count),
                     STATUS_BAD_INPUT);
    assert_last_problem("found a list of 5; expected a list of 1 to 4 whole numbers");
    assert_int_equal(bind_integers(value_of("3"), 1, 4, 1, 9, &diag, values, &count),
                     STATUS_BAD_INPUT);
    assert_last_problem("found '3'; expected a list of 1 to 4 whole numbers");
    assert_int_equal(values[0], 7);
    assert_int_equal(count, 9);
}

static void test_only_true_and_false_are_truth_values(void **state)
{
    (void)state;
    bool value = false;
    assert_int_equal(bind_bool(value_of("true"), &diag, &value), STATUS_OK);
    assert_true(value);
    assert_int_equal(bind_bool(value_of("false"), &diag, &value), STATUS_OK);
    assert_false(value);
    static const char *const others[] = {"yes", "no", "on",     "off", "True",
                                         "1",   "~",  "'true'", "",    "[true]"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(bind_bool(value_of(others[i]), &diag, &value), STATUS_BAD_INPUT);
    }
    assert_problem(0, "found 'yes'; expected true or false");
    assert_int_equal(diag.count, sizeof others / sizeof others[0]);
}

static const char *const rule_words[] = {"pypto", "document", "strict", "vendor"};

static void test_a_word_is_bound_to_its_index(void **state)
{
    (void)state;
    size_t index = 9;
    assert_int_equal(bind_word(value_of("strict"), rule_words, 4, &diag, &index), STATUS_OK);
    assert_int_equal(index, 2);
    assert_int_equal(bind_word(value_of("\"pypto\""), rule_words, 4, &diag, &index), STATUS_OK);
    assert_int_equal(index, 0);
    assert_int_equal(bind_word(value_of("stict"), rule_words, 4, &diag, &index), STATUS_BAD_INPUT);
    assert_last_problem("found 'stict'; expected 'strict' (one of 'pypto', 'document', 'strict' "
                        "or 'vendor')");
    assert_int_equal(bind_word(value_of("loose"), rule_words, 4, &diag, &index), STATUS_BAD_INPUT);
    assert_last_problem("found 'loose'; expected 'pypto', 'document', 'strict' or 'vendor'");
    assert_int_equal(bind_word(value_of("[pypto]"), rule_words, 4, &diag, &index),
                     STATUS_BAD_INPUT);
    assert_last_problem("found a list of 1; expected 'pypto', 'document', 'strict' or 'vendor'");
    assert_int_equal(index, 0);
}

static void test_a_text_is_any_scalar_that_was_written(void **state)
{
    (void)state;
    const char *text = NULL;
    assert_int_equal(bind_text(value_of("vendor page 3"), &diag, &text), STATUS_OK);
    assert_string_equal(text, "vendor page 3");
    assert_int_equal(bind_text(value_of("''"), &diag, &text), STATUS_OK);
    assert_string_equal(text, "");
    assert_int_equal(bind_text(value_of(""), &diag, &text), STATUS_BAD_INPUT);
    assert_last_problem("found nothing; expected a text");
    assert_int_equal(bind_text(value_of("{b: 1}"), &diag, &text), STATUS_BAD_INPUT);
    assert_last_problem("found a map; expected a text");
}

static void test_the_nearest_word_is_near(void **state)
{
    (void)state;
    static const char *const words[] = {"m", "tileHin", "tileHout", "accumulate_barrier_below"};
    static const struct {
        const char *word;
        const char *nearest;
    } rows[] = {
        {"tileHin", "tileHin"},
        {"tileHinn", "tileHin"},
        {"tilHin", "tileHin"},
        {"TILEHIN", "tileHin"},
        {"tileHot", "tileHout"},
        {"tileX", NULL},
        {"x", NULL},
        {"", NULL},
        {"acumulate_barier_bellow", "accumulate_barrier_below"},
        {"accumulate_fences_below", "accumulate_barrier_below"},
        {"an entirely different text, longer than any word that a person would call a key", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *nearest = nearest_word(rows[i].word, words, 4);
        if (rows[i].nearest == NULL) {
            assert_null(nearest);
        } else {
            assert_non_null(nearest);
            assert_string_equal(nearest, rows[i].nearest);
        }
    }
}

static void test_long_and_strange_texts_stay_on_one_line(void **state)
{
    (void)state;
    char text[400] = "\"a\\nb\\e";
    size_t used = strlen(text);
    memset(text + used, 'x', 300);
    strcpy(text + used + 300, "\"");
    int64_t value;
    assert_int_equal(bind_integer(value_of(text), 1, 9, &diag, &value), STATUS_BAD_INPUT);
    const char *message = diag.problems[0].message;
    assert_memory_equal(message, "found the text 'a\\nb\\x1Bxxx", 26);
    assert_null(strchr(message, '\n'));
    assert_non_null(strstr(message, "...'; expected a whole number from 1 to 9"));
    assert_true(strlen(message) < 160);
}

static void test_running_out_of_memory_is_told_apart_from_bad_input(void **state)
{
    (void)state;
    const struct node *map = parse("qq: 1\nrr: 2\n");
    int64_t value;
    arena_fail_at(1);
    assert_int_equal(bind_keys(map, tile_keys, 5, &diag), STATUS_NO_MEMORY);
    arena_fail_at(1);
    assert_int_equal(bind_integer(map, 1, 9, &diag, &value), STATUS_NO_MEMORY);
    assert_int_equal(diag_status(&diag), STATUS_NO_MEMORY);
    assert_int_equal(diag.count, 1);
}

static void test_a_misspelt_key_is_known_as_what_it_was_taken_for(void **state)
{
    (void)state;
    static const char *const keys[] = {"tileHin", "tileWin", "tileN"};
    static const char *const text = "tileHinn: 1\ntileWin: 2\n";
    struct arena room;
    struct diag problems;
    const struct node *root;
    arena_init(&room, 0);
    diag_init(&problems);
    assert_int_equal(tree_parse("t", text, strlen(text), &room, &problems, &root), STATUS_OK);
    assert_true(bind_misspelt(root, "tileHin", keys, 3));
    /* A known key stands for itself, however near it is to another. */
    assert_false(bind_misspelt(root, "tileWin", keys, 3));
    assert_false(bind_misspelt(root, "tileN", keys, 3));
    diag_deinit(&problems);
    arena_deinit(&room);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_misspelt_key_is_known_as_what_it_was_taken_for),
        TEST(test_an_unknown_key_names_its_place_and_the_nearest_key),
        TEST(test_an_unknown_key_without_a_neighbour_lists_what_is_known),
        TEST(test_known_keys_pass_and_only_a_map_has_keys),
        TEST(test_a_missing_key_is_named_at_its_map),
        TEST(test_whole_numbers_of_the_range_are_bound),
        TEST(test_other_numbers_are_refused_with_what_was_expected),
        TEST(test_a_list_of_numbers_reports_each_bad_item),
        TEST(test_a_list_of_another_length_is_refused),
        TEST(test_only_true_and_false_are_truth_values),
        TEST(test_a_word_is_bound_to_its_index),
        TEST(test_a_text_is_any_scalar_that_was_written),
        TEST(test_the_nearest_word_is_near),
        TEST(test_long_and_strange_texts_stay_on_one_line),
        TEST(test_running_out_of_memory_is_told_apart_from_bad_input),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
