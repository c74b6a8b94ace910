#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/element.h"

struct integer_type {
    enum element element;
    int64_t low, high;
};

static const struct integer_type integers[] = {
    {ELEMENT_INT4, -8, 7},           {ELEMENT_INT8, -128, 127},
    {ELEMENT_UINT8, 0, 255},         {ELEMENT_INT16, -32768, 32767},
    {ELEMENT_UINT16, 0, 65535},      {ELEMENT_INT32, INT32_MIN, INT32_MAX},
    {ELEMENT_UINT32, 0, UINT32_MAX},
};
enum { INTEGERS = sizeof integers / sizeof integers[0] };

static void test_every_code_of_a_small_integer_type_decodes_to_its_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < INTEGERS; i++) {
        uint32_t bits = element_bits(integers[i].element);
        for (uint32_t code = 0; bits <= 16 && code < 1U << bits; code++) {
            /* From 0 up to the highest value, then from the lowest one up to -1. */
            int64_t value = code;
            if (value > integers[i].high) {
                value = integers[i].low + (value - integers[i].high - 1);
            }
            assert_true(element_decode(integers[i].element, code) == (double)value);
            assert_int_equal(element_encode_integer(integers[i].element, value), code);
        }
    }
}

static void test_wide_integers_decode_to_their_values(void **state)
{
    (void)state;
    assert_true(element_decode(ELEMENT_INT32, 0x7FFFFFFF) == 2147483647.0);
    assert_true(element_decode(ELEMENT_INT32, 0x80000000) == -2147483648.0);
    assert_true(element_decode(ELEMENT_INT32, 0xFFFFFFFF) == -1.0);
    assert_true(element_decode(ELEMENT_UINT32, 0xFFFFFFFF) == 4294967295.0);
    assert_int_equal(element_encode_integer(ELEMENT_INT32, -2), 0xFFFFFFFE);
    assert_int_equal(element_encode_integer(ELEMENT_UINT32, 0xFFFFFFFE), 0xFFFFFFFE);
}

static void test_integers_beyond_the_range_clamp_to_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < INTEGERS; i++) {
        const struct integer_type *type = &integers[i];
        const int64_t above[] = {type->high, type->high + 1, type->high + 12345, INT64_MAX};
        const int64_t below[] = {type->low, type->low - 1, type->low - 54321, INT64_MIN};
        for (size_t at = 0; at < sizeof above / sizeof above[0]; at++) {
            uint32_t high = element_encode_integer(type->element, above[at]);
            uint32_t low = element_encode_integer(type->element, below[at]);
            assert_true(element_decode(type->element, high) == (double)type->high);
            assert_true(element_decode(type->element, low) == (double)type->low);
        }
    }
}

static void test_arrays_decode_like_single_elements(void **state)
{
    (void)state;
    uint8_t bytes[256];
    for (size_t index = 0; index < sizeof bytes; index++) {
        bytes[index] = (uint8_t)(index * 37 + 11);
    }
    for (enum element element = 0; element < ELEMENT_COUNT; element++) {
        if (element == ELEMENT_UINT64) {
            continue; /* it has no values */
        }
        size_t count = sizeof bytes * 8 / element_bits(element);
        double values[1024];
        element_decode_array(element, bytes, count, values, 2);
        for (size_t index = 0; index < count; index++) {
            double wanted = element_decode(element, element_load(element, bytes, index));
            assert_true(values[2 * index] == wanted || (isnan(wanted) && isnan(values[2 * index])));
        }
    }
}

static void test_elements_lie_in_arrays_lowest_byte_first(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88};
    assert_int_equal(element_load(ELEMENT_INT8, bytes, 7), 0x88);
    assert_int_equal(element_load(ELEMENT_BF16, bytes, 1), 0x0403);
    assert_int_equal(element_load(ELEMENT_FP32, bytes, 1), 0x88070605);
    uint8_t stored[8] = {0};
    element_store(ELEMENT_UINT32, stored, 1, 0x88070605);
    element_store(ELEMENT_FP16, stored, 1, 0x0403);
    element_store(ELEMENT_HIF8, stored, 0, 0x01);
    element_store(ELEMENT_INT8, stored, 1, 0x02);
    assert_memory_equal(stored, bytes, sizeof bytes);
}

static void test_the_first_of_two_4_bit_elements_is_the_low_half_of_a_byte(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x21, 0x43, 0xF5};
    const uint32_t codes[] = {0x1, 0x2, 0x3, 0x4, 0x5, 0xF};
    uint8_t stored[] = {0xA5, 0xA5, 0xA5};
    for (size_t index = 0; index < 6; index++) {
        assert_int_equal(element_load(ELEMENT_INT4, bytes, index), codes[index]);
        assert_int_equal(element_load(ELEMENT_FP4_E1M2, bytes, index), codes[index]);
    }
    element_store(ELEMENT_FP4_E2M1, stored, 3, 0x7);
    assert_memory_equal(stored, ((uint8_t[]){0xA5, 0x75, 0xA5}), 3);
    element_store(ELEMENT_INT4, stored, 2, 0xFFFFFFFE);
    assert_memory_equal(stored, ((uint8_t[]){0xA5, 0x7E, 0xA5}), 3);
    for (size_t index = 0; index < 6; index++) {
        element_store(ELEMENT_INT4, stored, index, codes[index]);
    }
    assert_memory_equal(stored, bytes, sizeof bytes);
}

static void test_words_and_sizes_agree(void **state)
{
    (void)state;
    for (enum element element = 0; element < ELEMENT_COUNT; element++) {
        uint32_t bits = element_bits(element);
        assert_int_equal(element_find(element_word(element)), element);
        assert_int_equal(element_c0(element) * bits, 8 * BLOCK_BYTES);
        assert_int_equal(element_array_bytes(element, element_c0(element)), BLOCK_BYTES);
        if (bits >= 8) {
            assert_int_equal(bits, 8 * element_bytes(element));
            assert_int_equal(element_array_bytes(element, 3), 3 * element_bytes(element));
        }
    }
    assert_int_equal(element_find("fp15"), ELEMENT_COUNT);
}

static void test_4_bit_elements_take_half_bytes_rounded_up(void **state)
{
    (void)state;
    assert_int_equal(element_array_bytes(ELEMENT_INT4, 0), 0);
    assert_int_equal(element_array_bytes(ELEMENT_INT4, 1), 1);
    assert_int_equal(element_array_bytes(ELEMENT_FP4_E2M1, 2), 1);
    assert_int_equal(element_array_bytes(ELEMENT_FP4_E1M2, 3), 2);
    assert_int_equal(element_array_bytes(ELEMENT_INT4, UINT64_MAX), UINT64_C(1) << 63);
}

/* The prefix of a type's word says what it is. */
static void test_a_type_is_a_float_or_an_integer_and_uint_means_unsigned(void **state)
{
    (void)state;
    for (enum element element = 0; element < ELEMENT_COUNT; element++) {
        const char *word = element_word(element);
        bool is_unsigned = strncmp(word, "uint", 4) == 0;
        bool is_integer = is_unsigned || strncmp(word, "int", 3) == 0;
        assert_int_equal(element_is_integer(element), is_integer);
        assert_int_equal(element_is_float(element), !is_integer);
        assert_int_equal(element_is_signed(element), !is_unsigned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_of_a_small_integer_type_decodes_to_its_value),
        cmocka_unit_test(test_wide_integers_decode_to_their_values),
        cmocka_unit_test(test_integers_beyond_the_range_clamp_to_it),
        cmocka_unit_test(test_arrays_decode_like_single_elements),
        cmocka_unit_test(test_elements_lie_in_arrays_lowest_byte_first),
        cmocka_unit_test(test_the_first_of_two_4_bit_elements_is_the_low_half_of_a_byte),
        cmocka_unit_test(test_words_and_sizes_agree),
        cmocka_unit_test(test_4_bit_elements_take_half_bytes_rounded_up),
        cmocka_unit_test(test_a_type_is_a_float_or_an_integer_and_uint_means_unsigned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
