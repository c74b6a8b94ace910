#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/element.h"

static const enum element floats[] = {ELEMENT_FP16, ELEMENT_BF16};

/* The value of a 16-bit float from its definition: sign, exponent and fraction. */
static double value_by_definition(uint32_t code, int exponent_bits, int fraction_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint32_t fraction = code & ((1U << fraction_bits) - 1);
    int exponent = (int)(code >> fraction_bits & ((1U << exponent_bits) - 1));
    double sign = (code & 0x8000) != 0 ? -1.0 : 1.0;
    double part = (double)fraction / (double)(1U << fraction_bits);
    if (exponent == (1 << exponent_bits) - 1) {
        return fraction == 0 ? sign * (double)INFINITY : (double)NAN;
    }
    if (exponent == 0) {
        return sign * ldexp(part, 1 - bias);
    }
    return sign * ldexp(1.0 + part, exponent - bias);
}

static void test_every_16_bit_code_decodes_to_its_defined_value(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 65536; code++) {
        double half = element_decode(ELEMENT_FP16, code);
        double brain = element_decode(ELEMENT_BF16, code);
        double half_wanted = value_by_definition(code, 5, 10);
        double brain_wanted = value_by_definition(code, 8, 7);
        assert_true(half == half_wanted || (isnan(half) && isnan(half_wanted)));
        assert_true(brain == brain_wanted || (isnan(brain) && isnan(brain_wanted)));
        assert_true(signbit(half) == ((code & 0x8000) != 0) || isnan(half));
    }
}

static void test_every_finite_16_bit_code_survives_decoding_and_encoding(void **state)
{
    (void)state;
    for (size_t type = 0; type < 2; type++) {
        for (uint32_t code = 0; code < 65536; code++) {
            float value = (float)element_decode(floats[type], code);
            if (isfinite(value)) {
                assert_int_equal(element_encode(floats[type], value, true), code);
                assert_int_equal(element_encode(floats[type], value, false), code);
            }
        }
    }
}

/* Between two neighbours lies one tie; it goes to the even code, and values beside it to the
 * nearer one. */
static void test_rounding_is_to_nearest_with_ties_to_even(void **state)
{
    (void)state;
    for (size_t type = 0; type < 2; type++) {
        uint32_t infinity = type == 0 ? 0x7C00 : 0x7F80;
        for (uint32_t code = 0; code + 1 < infinity; code++) {
            double low = element_decode(floats[type], code);
            double high = element_decode(floats[type], code + 1);
            float tie = (float)((low + high) / 2.0);
            if (type == 1 && code < 0x80) {
                continue; /* binary32 subnormals: half a step is exact, its neighbours are below */
            }
            uint32_t even = code + (code & 1);
            assert_int_equal(element_encode(floats[type], tie, true), even);
            assert_int_equal(element_encode(floats[type], -tie, true), even | 0x8000);
            assert_int_equal(element_encode(floats[type], nextafterf(tie, 0.0F), true), code);
            assert_int_equal(element_encode(floats[type], nextafterf(tie, INFINITY), true),
                             code + 1);
        }
    }
}

static void test_saturation_clamps_to_the_largest_finite_value_and_makes_nan_zero(void **state)
{
    (void)state;
    assert_int_equal(element_encode(ELEMENT_FP16, 65519.0F, true), 0x7BFF);
    assert_int_equal(element_encode(ELEMENT_FP16, 65520.0F, true), 0x7BFF);
    assert_int_equal(element_encode(ELEMENT_FP16, -1e30F, true), 0xFBFF);
    assert_int_equal(element_encode(ELEMENT_FP16, INFINITY, true), 0x7BFF);
    assert_int_equal(element_encode(ELEMENT_BF16, FLT_MAX, true), 0x7F7F);
    assert_int_equal(element_encode(ELEMENT_BF16, -INFINITY, true), 0xFF7F);
    assert_int_equal(element_encode(ELEMENT_FP32, INFINITY, true), 0x7F7FFFFF);
    assert_int_equal(element_encode(ELEMENT_FP32, -INFINITY, true), 0xFF7FFFFF);
    for (int element = ELEMENT_FP16; element <= ELEMENT_FP32; element++) {
        assert_int_equal(element_encode((enum element)element, NAN, true), 0);
    }
}

static void test_without_saturation_infinities_and_nan_are_kept(void **state)
{
    (void)state;
    assert_int_equal(element_encode(ELEMENT_FP16, 65519.0F, false), 0x7BFF);
    assert_int_equal(element_encode(ELEMENT_FP16, 65520.0F, false), 0x7C00);
    assert_int_equal(element_encode(ELEMENT_FP16, -INFINITY, false), 0xFC00);
    assert_int_equal(element_encode(ELEMENT_BF16, FLT_MAX, false), 0x7F80);
    assert_int_equal(element_encode(ELEMENT_FP32, -INFINITY, false), 0xFF800000);
    for (int element = ELEMENT_FP16; element <= ELEMENT_FP32; element++) {
        uint32_t code = element_encode((enum element)element, NAN, false);
        assert_true(isnan(element_decode((enum element)element, code)));
    }
}

static void test_integers_are_signed(void **state)
{
    (void)state;
    assert_true(element_decode(ELEMENT_INT8, 0x7F) == 127.0);
    assert_true(element_decode(ELEMENT_INT8, 0x80) == -128.0);
    assert_true(element_decode(ELEMENT_INT32, 0x7FFFFFFF) == 2147483647.0);
    assert_true(element_decode(ELEMENT_INT32, 0x80000000) == -2147483648.0);
    assert_true(element_decode(ELEMENT_INT32, 0xFFFFFFFF) == -1.0);
}

static void test_arrays_decode_like_single_elements(void **state)
{
    (void)state;
    uint8_t bytes[256];
    for (size_t index = 0; index < sizeof bytes; index++) {
        bytes[index] = (uint8_t)(index * 37 + 11);
    }
    for (int type = 0; type < ELEMENT_COUNT; type++) {
        enum element element = (enum element)type;
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
    element_store(ELEMENT_INT32, stored, 1, 0x88070605);
    element_store(ELEMENT_FP16, stored, 1, 0x0403);
    element_store(ELEMENT_INT8, stored, 0, 0x01);
    element_store(ELEMENT_INT8, stored, 1, 0x02);
    assert_memory_equal(stored, bytes, sizeof bytes);
}

static void test_words_and_sizes_agree(void **state)
{
    (void)state;
    for (int type = 0; type < ELEMENT_COUNT; type++) {
        enum element element = (enum element)type;
        assert_int_equal(element_find(element_word(element)), element);
        assert_int_equal(element_c0(element) * element_bits(element), 8 * BLOCK_BYTES);
        assert_int_equal(element_array_bytes(element, element_c0(element)), BLOCK_BYTES);
        if (element_bits(element) >= 8) {
            assert_int_equal(element_bits(element), 8 * element_bytes(element));
            assert_int_equal(element_array_bytes(element, 3), 3 * element_bytes(element));
        } else {
            assert_int_equal(element_array_bytes(element, 3), 2);
        }
        assert_int_not_equal(element_is_integer(element), element_is_float(element));
    }
    assert_int_equal(element_find("fp15"), ELEMENT_COUNT);
    assert_true(element_is_integer(ELEMENT_INT8) && element_is_integer(ELEMENT_INT32));
    assert_false(element_is_integer(ELEMENT_FP16) || element_is_integer(ELEMENT_FP32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_16_bit_code_decodes_to_its_defined_value),
        cmocka_unit_test(test_every_finite_16_bit_code_survives_decoding_and_encoding),
        cmocka_unit_test(test_rounding_is_to_nearest_with_ties_to_even),
        cmocka_unit_test(test_saturation_clamps_to_the_largest_finite_value_and_makes_nan_zero),
        cmocka_unit_test(test_without_saturation_infinities_and_nan_are_kept),
        cmocka_unit_test(test_integers_are_signed),
        cmocka_unit_test(test_arrays_decode_like_single_elements),
        cmocka_unit_test(test_elements_lie_in_arrays_lowest_byte_first),
        cmocka_unit_test(test_words_and_sizes_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
