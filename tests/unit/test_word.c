#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/diag.h"
#include "isa/name_table.h"
#include "isa/word.h"

static struct word word(const char *text)
{
    return (struct word){text, strlen(text)};
}

static void assert_number(const char *text, enum number_result result, uint64_t magnitude,
                          bool negative)
{
    uint64_t found = 0;
    bool sign = false;
    assert_int_equal(word_number(word(text), &found, &sign), result);
    if (result == NUMBER_OK) {
        assert_true(found == magnitude);
        assert_int_equal(sign, negative);
    }
}

static void test_numbers_are_decimal_or_hexadecimal_up_to_64_bits(void **state)
{
    (void)state;
    assert_number("0", NUMBER_OK, 0, false);
    assert_number("-0", NUMBER_OK, 0, true);
    assert_number("18446744073709551615", NUMBER_OK, UINT64_MAX, false);
    assert_number("18446744073709551616", NUMBER_TOO_LARGE, 0, false);
    assert_number("99999999999999999999999", NUMBER_TOO_LARGE, 0, false);
    assert_number("-255", NUMBER_OK, 255, true);
    assert_number("0xFf", NUMBER_OK, 255, false);
    assert_number("0X10", NUMBER_OK, 16, false);
    assert_number("-0x10", NUMBER_OK, 16, true);
    assert_number("0x00ff", NUMBER_OK, 255, false);
    assert_number("0xffffffffffffffff", NUMBER_OK, UINT64_MAX, false);
    assert_number("0x10000000000000000", NUMBER_TOO_LARGE, 0, false);
}

static void test_what_other_readers_would_take_for_something_else_is_no_number(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "-",   "+1",  "--1", "010", "00",  "0x",
                                        "x1", "1.0", "1e3", "1 ",  "1_0", "1,0", "0b1",
                                        "ff", "0xg", "1a",  "-x",  "0-1", "1k"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_number(texts[i], NUMBER_MALFORMED, 0, false);
}

static void test_a_count_lies_in_its_range(void **state)
{
    (void)state;
    uint64_t value = 7;
    assert_int_equal(word_count(word("3"), 3, 9, &value), NUMBER_OK);
    assert_int_equal(value, 3);
    assert_int_equal(word_count(word("2"), 3, 9, &value), NUMBER_TOO_SMALL);
    assert_int_equal(word_count(word("-3"), 0, 9, &value), NUMBER_TOO_SMALL);
    assert_int_equal(word_count(word("10"), 3, 9, &value), NUMBER_TOO_LARGE);
    assert_int_equal(word_count(word("18446744073709551616"), 3, 9, &value), NUMBER_TOO_LARGE);
    assert_int_equal(word_count(word("-18446744073709551616"), 3, 9, &value), NUMBER_TOO_SMALL);
    assert_int_equal(word_count(word("x"), 3, 9, &value), NUMBER_MALFORMED);
    assert_int_equal(value, 3);
}

static void test_a_word_is_split_at_the_first_sign(void **state)
{
    (void)state;
    struct word before, behind;
    assert_true(word_split(word("a=b=c"), '=', &before, &behind));
    assert_true(word_is(before, "a") && word_is(behind, "b=c"));
    assert_true(word_split(word("="), '=', &before, &behind));
    assert_true(word_is(before, "") && word_is(behind, ""));
    assert_false(word_split(word("ab"), '=', &before, &behind));
    assert_true(word_is(before, "ab") && word_is(behind, ""));
    assert_false(word_split(word(""), '=', &before, &behind));
}

static void test_names_are_letters_digits_underscores_and_dots(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "_", "l0a0", "A.b_9", "x."};
    static const char *const bad[] = {"", "0a", ".a", "a-b", "a+1", "a b", "\xC3\xA9", "a\xC3\xA9"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(word_is_name(word(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(word_is_name(word(bad[i])));
}

static void test_long_words_are_quoted_in_part(void **state)
{
    (void)state;
    char text[2000], shown[EXCERPT_SIZE_BYTES];
    memset(text, 'q', sizeof text);
    word_excerpt((struct word){text, sizeof text}, shown);
    assert_int_equal(strlen(shown), EXCERPT_SIZE_BYTES - 1);
    assert_string_equal(shown + strlen(shown) - 3, "...");
}

static void test_every_name_of_a_large_table_is_found_and_no_other(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static char names[COUNT][8];
    struct name_table table = {.slots = NULL};
    assert_true(name_table_find(&table, "n0", 2) == NAME_NONE);
    for (uint32_t i = 0; i < COUNT; i++) {
        sprintf(names[i], "n%u", (unsigned)i);
        assert_true(name_table_find(&table, names[i], strlen(names[i])) == NAME_NONE);
        assert_true(name_table_add(&table, names[i], strlen(names[i]), i));
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(name_table_find(&table, names[i], strlen(names[i])), i);
    assert_true(name_table_find(&table, "n", 1) == NAME_NONE);
    assert_true(name_table_find(&table, "n20000", 6) == NAME_NONE);
    name_table_deinit(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_decimal_or_hexadecimal_up_to_64_bits),
        cmocka_unit_test(test_what_other_readers_would_take_for_something_else_is_no_number),
        cmocka_unit_test(test_a_count_lies_in_its_range),
        cmocka_unit_test(test_a_word_is_split_at_the_first_sign),
        cmocka_unit_test(test_names_are_letters_digits_underscores_and_dots),
        cmocka_unit_test(test_long_words_are_quoted_in_part),
        cmocka_unit_test(test_every_name_of_a_large_table_is_found_and_no_other),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
