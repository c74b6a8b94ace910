/* The codes of the floating types against their definition in docs/number_formats.md, written here
 * once more with powers of two, and the conversion from binary32 at and beside every tie. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/element.h"

enum { CODES_MAX = 65536 };

struct float_type {
    enum element element;
    int exponent_bits, fraction_bits, bias; /* 0 0 0: hif8 */
    double largest;
    double limit;       /* half way from largest to the next value, were there one */
    bool limit_is_over; /* whether the limit itself rounds to that next value */
    uint32_t overflow;  /* the code of what exceeds the limit and does not saturate */
    uint32_t nan;       /* the code of NaN; 0: none */
};

static const struct float_type types[] = {
    {ELEMENT_FP16, 5, 10, 15, 65504.0, 65520.0, true, 0x7C00, 0x7E00},
    {ELEMENT_BF16, 8, 7, 127, 0x1.FEp127, 0x1.FFp127, true, 0x7F80, 0x7FC0},
    {ELEMENT_FP8_E4M3, 4, 3, 7, 448.0, 464.0, false, 0x7F, 0x7F},
    {ELEMENT_FP8_E5M2, 5, 2, 15, 57344.0, 61440.0, true, 0x7C, 0x7E},
    {ELEMENT_HIF8, 0, 0, 0, 32768.0, 40960.0, true, 0x6F, 0x80},
    {ELEMENT_FP4_E2M1, 2, 1, 1, 6.0, 7.0, true, 0x7, 0},
    {ELEMENT_FP4_E1M2, 1, 2, 1, 1.75, 1.875, true, 0x7, 0},
};
enum { TYPES = sizeof types / sizeof types[0] };

static uint32_t codes_of(const struct float_type *type)
{
    return 1U << element_bits(type->element);
}

/* Sign, exponent and fraction in fields of fixed width. */
static double fixed_value(const struct float_type *type, uint32_t code)
{
    uint32_t fraction = code & ((1U << type->fraction_bits) - 1);
    int exponent = (int)(code >> type->fraction_bits & ((1U << type->exponent_bits) - 1));
    bool negative = code >> (type->exponent_bits + type->fraction_bits) != 0;
    bool top = exponent == (1 << type->exponent_bits) - 1;
    double sign = negative ? -1.0 : 1.0;
    double part = ldexp(fraction, -type->fraction_bits);
    if (type->element == ELEMENT_FP8_E4M3) {
        top = top && fraction == 7;
    } else if (type->nan == 0) {
        top = false;
    }
    if (top) {
        bool infinite = fraction == 0;
        return infinite ? sign * (double)INFINITY : (double)NAN;
    }
    return exponent == 0 ? sign * ldexp(part, 1 - type->bias)
                         : sign * ldexp(1.0 + part, exponent - type->bias);
}

/* The number in bits [low, low + width) of a code. */
static uint32_t field_of(uint32_t code, uint32_t low, uint32_t width)
{
    return code >> low & ((1U << width) - 1);
}

static double hif8_value(uint32_t code)
{
    double sign = code >= 128 ? -1.0 : 1.0;
    uint32_t exponent_bits, fraction_bits;
    if (code == 0x80) {
        return (double)NAN;
    }
    if (field_of(code, 0, 7) == 0x6F) {
        return sign * (double)INFINITY;
    }
    if (field_of(code, 5, 2) == 3) {
        exponent_bits = 4, fraction_bits = 1;
    } else if (field_of(code, 5, 2) == 2) {
        exponent_bits = 3, fraction_bits = 2;
    } else if (field_of(code, 5, 2) == 1) {
        exponent_bits = 2, fraction_bits = 3;
    } else if (field_of(code, 4, 3) == 1) {
        exponent_bits = 1, fraction_bits = 3;
    } else if (field_of(code, 3, 4) == 1) {
        exponent_bits = 0, fraction_bits = 3;
    } else {
        uint32_t power = field_of(code, 0, 3);
        return power == 0 ? 0.0 : sign * ldexp(1.0, (int)power - 23);
    }
    double part = ldexp(field_of(code, 0, fraction_bits), -(int)fraction_bits);
    int exponent = 0;
    if (exponent_bits > 0) {
        exponent =
            (1 << (exponent_bits - 1)) + (int)field_of(code, fraction_bits, exponent_bits - 1);
        if (field_of(code, fraction_bits + exponent_bits - 1, 1) == 1) {
            exponent = -exponent;
        }
    }
    return sign * ldexp(1.0 + part, exponent);
}

static double value_of(const struct float_type *type, uint32_t code)
{
    return type->element == ELEMENT_HIF8 ? hif8_value(code) : fixed_value(type, code);
}

struct point {
    double value;
    uint32_t code;
};

static int point_compare(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    return (left->value > right->value) - (left->value < right->value);
}

/* The finite values from 0 up, ascending; returns how many. */
static size_t points_of(const struct float_type *type, struct point *points)
{
    size_t count = 0;
    for (uint32_t code = 0; code < codes_of(type) / 2; code++) {
        double value = value_of(type, code);
        if (isfinite(value)) {
            points[count++] = (struct point){value, code};
        }
    }
    qsort(points, count, sizeof points[0], point_compare);
    assert_true(points[0].value == 0.0 && points[count - 1].value == type->largest);
    return count;
}

/* The code of a value of the other sign. */
static uint32_t negated(const struct float_type *type, uint32_t code)
{
    return type->element == ELEMENT_HIF8 && code == 0 ? 0 : code | codes_of(type) / 2;
}

static void assert_encodes(const struct float_type *type, float value, uint32_t code)
{
    for (int saturate = 0; saturate < 2; saturate++) {
        uint32_t positive = element_encode(type->element, value, saturate);
        uint32_t negative = element_encode(type->element, -value, saturate);
        if (positive != code || negative != negated(type, code)) {
            fail_msg("%s of +-%a is %x and %x, expected %x and %x", element_word(type->element),
                     (double)value, positive, negative, code, negated(type, code));
        }
    }
}

static void test_every_code_decodes_to_its_defined_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPES; i++) {
        for (uint32_t code = 0; code < codes_of(&types[i]); code++) {
            double found = element_decode(types[i].element, code);
            double wanted = value_of(&types[i], code);
            bool same = found == wanted && !signbit(found) == !signbit(wanted);
            if (!same && !(isnan(found) && isnan(wanted))) {
                fail_msg("%s %x is %a, expected %a", element_word(types[i].element), code, found,
                         wanted);
            }
        }
    }
}

static void test_every_finite_code_survives_decoding_and_encoding(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPES; i++) {
        for (uint32_t code = 0; code < codes_of(&types[i]); code++) {
            double value = value_of(&types[i], code);
            if (isfinite(value)) {
                float narrow = (float)element_decode(types[i].element, code);
                assert_int_equal(element_encode(types[i].element, narrow, true), code);
                assert_int_equal(element_encode(types[i].element, narrow, false), code);
            }
        }
    }
}

/* Between two neighbours lies one tie; it goes to the even code, in hif8 to the greater one, and
 * the values of binary32 beside it to the nearer one. */
static void test_every_tie_goes_as_documented_and_its_neighbours_to_the_nearer_code(void **state)
{
    (void)state;
    static struct point points[CODES_MAX];
    for (size_t i = 0; i < TYPES; i++) {
        size_t count = points_of(&types[i], points);
        for (size_t at = 0; at + 1 < count; at++) {
            uint32_t low = points[at].code, high = points[at + 1].code;
            double middle = (points[at].value + points[at + 1].value) / 2.0;
            float tie = (float)middle;
            assert_true((double)tie == middle);
            bool to_high = types[i].element == ELEMENT_HIF8 || high % 2 == 0;
            assert_encodes(&types[i], tie, to_high ? high : low);
            assert_encodes(&types[i], nextafterf(tie, 0.0F), low);
            assert_encodes(&types[i], nextafterf(tie, INFINITY), high);
        }
    }
}

/* The output function of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* A finite binary32 value below the limit of the type, of any exponent that matters to it. */
static float random_value(const struct float_type *type, uint64_t index)
{
    uint64_t bits = mix(index * UINT64_C(0x9E3779B97F4A7C15));
    double highest = log2(type->limit), lowest = log2(value_of(type, 1)) - 3.0;
    double exponent = lowest + (highest - lowest) * ldexp((double)(bits >> 32), -32);
    return (float)(exp2(floor(exponent)) * (1.0 + ldexp((double)(uint32_t)bits, -32)));
}

static void test_any_value_goes_to_the_nearest_code(void **state)
{
    (void)state;
    static struct point points[CODES_MAX];
    for (size_t i = 0; i < TYPES; i++) {
        size_t count = points_of(&types[i], points);
        for (uint64_t index = 0; index < 20000; index++) {
            float value = random_value(&types[i], index);
            size_t low = 0, high = count;
            while (high - low > 1) {
                size_t middle = (low + high) / 2;
                *(points[middle].value <= (double)value ? &low : &high) = middle;
            }
            if (low + 1 < count) {
                double middle = (points[low].value + points[low + 1].value) / 2.0;
                if ((double)value != middle) {
                    size_t nearest = (double)value < middle ? low : low + 1;
                    assert_encodes(&types[i], value, points[nearest].code);
                }
            } else if ((double)value < types[i].limit) {
                assert_encodes(&types[i], value, points[low].code);
            }
        }
    }
}

static void test_saturation_keeps_every_value_within_the_largest(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPES; i++) {
        const struct float_type *type = &types[i];
        const float large[] = {(float)type->largest, (float)type->limit,
                               nextafterf((float)type->limit, INFINITY), FLT_MAX, INFINITY};
        for (size_t at = 0; at < sizeof large / sizeof large[0]; at++) {
            uint32_t positive = element_encode(type->element, large[at], true);
            uint32_t negative = element_encode(type->element, -large[at], true);
            assert_true(value_of(type, positive) == type->largest);
            assert_true(value_of(type, negative) == -type->largest);
        }
    }
}

static void test_without_saturation_overflow_becomes_infinity_or_what_the_type_has(void **state)
{
    (void)state;
    for (size_t i = 0; i < TYPES; i++) {
        const struct float_type *type = &types[i];
        uint32_t sign = codes_of(type) / 2;
        float limit = (float)type->limit;
        uint32_t below = element_encode(type->element, nextafterf(limit, 0.0F), false);
        uint32_t at = element_encode(type->element, limit, false);
        assert_true(value_of(type, below) == type->largest);
        assert_int_equal(at, type->limit_is_over ? type->overflow : below);
        const float over[] = {nextafterf(limit, INFINITY), FLT_MAX, INFINITY};
        for (size_t j = 0; j < sizeof over / sizeof over[0]; j++) {
            assert_int_equal(element_encode(type->element, over[j], false), type->overflow);
            assert_int_equal(element_encode(type->element, -over[j], false), type->overflow | sign);
        }
    }
}

static void test_nan_becomes_zero_when_it_saturates_and_else_the_one_nan_of_the_type(void **state)
{
    (void)state;
    static const uint32_t codes[] = {0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF};
    for (size_t at = 0; at < sizeof codes / sizeof codes[0]; at++) {
        float value;
        memcpy(&value, &codes[at], sizeof value);
        for (size_t i = 0; i < TYPES; i++) {
            assert_int_equal(element_encode(types[i].element, value, true), 0);
            assert_int_equal(element_encode(types[i].element, value, false), types[i].nan);
        }
        assert_int_equal(element_encode(ELEMENT_FP32, value, true), 0);
        assert_int_equal(element_encode(ELEMENT_FP32, value, false), 0x7FC00000);
    }
}

static void test_fp32_keeps_every_value_and_saturates_infinities(void **state)
{
    (void)state;
    for (uint64_t index = 0; index < 1000000; index++) {
        uint32_t code = (uint32_t)mix(index);
        float value;
        memcpy(&value, &code, sizeof value);
        double decoded = element_decode(ELEMENT_FP32, code);
        if (isfinite(value)) {
            assert_true(decoded == (double)value);
            assert_int_equal(element_encode(ELEMENT_FP32, value, true), code);
            assert_int_equal(element_encode(ELEMENT_FP32, value, false), code);
        }
    }
    assert_true(isnan(element_decode(ELEMENT_FP32, 0x7FC00000)));
    assert_true(element_decode(ELEMENT_FP32, 0xFF800000) == -(double)INFINITY);
    assert_int_equal(element_encode(ELEMENT_FP32, INFINITY, true), 0x7F7FFFFF);
    assert_int_equal(element_encode(ELEMENT_FP32, -INFINITY, true), 0xFF7FFFFF);
    assert_int_equal(element_encode(ELEMENT_FP32, INFINITY, false), 0x7F800000);
    assert_int_equal(element_encode(ELEMENT_FP32, -INFINITY, false), 0xFF800000);
}

static void test_published_values_of_hif8_hold(void **state)
{
    (void)state;
    static const struct {
        float value;
        uint32_t code;
    } published[] = {{0.34375F, 0x33}, {32768.0F, 0x6E},  {0x1p-15F, 0x7E},  {0x1p-16F, 0x07},
                     {0x1p-22F, 0x01}, {1.0F, 0x08},      {-0.34375F, 0xB3}, {0.0F, 0x00},
                     {INFINITY, 0x6F}, {-INFINITY, 0xEF}, {-1.0F, 0x88}};
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        float value = published[i].value;
        assert_true(element_decode(ELEMENT_HIF8, published[i].code) == (double)value);
        assert_int_equal(element_encode(ELEMENT_HIF8, value, false), published[i].code);
    }
    assert_true(isnan(element_decode(ELEMENT_HIF8, 0x80)));
    assert_int_equal(element_encode(ELEMENT_HIF8, -0.0F, false), 0x00);
    assert_int_equal(element_encode(ELEMENT_HIF8, -0x1p-24F, false), 0x00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_decodes_to_its_defined_value),
        cmocka_unit_test(test_every_finite_code_survives_decoding_and_encoding),
        cmocka_unit_test(test_every_tie_goes_as_documented_and_its_neighbours_to_the_nearer_code),
        cmocka_unit_test(test_any_value_goes_to_the_nearest_code),
        cmocka_unit_test(test_saturation_keeps_every_value_within_the_largest),
        cmocka_unit_test(test_without_saturation_overflow_becomes_infinity_or_what_the_type_has),
        cmocka_unit_test(test_nan_becomes_zero_when_it_saturates_and_else_the_one_nan_of_the_type),
        cmocka_unit_test(test_fp32_keeps_every_value_and_saturates_infinities),
        cmocka_unit_test(test_published_values_of_hif8_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
