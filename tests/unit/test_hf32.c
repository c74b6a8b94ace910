#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/hf32.h"

/* The rule with exact arithmetic of binary64: count steps, look at the rest, stop at the top. */
static double rounded(double value, int fraction_bits, enum hf32_mode mode)
{
    double magnitude = fabs(value);
    if (magnitude == 0.0) {
        return value;
    }
    int exponent = ilogb(magnitude) < -126 ? -126 : ilogb(magnitude);
    double step = ldexp(1.0, exponent - fraction_bits);
    double steps = floor(magnitude / step);
    double twice_rest = 2.0 * (magnitude / step - steps);
    bool odd = fmod(steps, 2.0) != 0.0;
    if (twice_rest > 1.0 || (twice_rest == 1.0 && mode == HF32_NEAREST_EVEN && odd)) {
        steps += 1.0;
    }
    double largest = (2.0 - ldexp(1.0, -fraction_bits)) * 0x1p127;
    double result = steps * step;
    return copysign(result > largest ? (double)INFINITY : result, value);
}

static void assert_rounds(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    for (int fraction_bits = 10; fraction_bits <= 11; fraction_bits++) {
        for (enum hf32_mode mode = HF32_NEAREST_EVEN; mode <= HF32_NEAREST_ZERO; mode++) {
            float found = hf32_round(value, (uint32_t)fraction_bits, mode);
            double wanted = rounded((double)value, fraction_bits, mode);
            if ((double)found != wanted || !signbit(found) != !signbit(wanted)) {
                fail_msg("%a to %d bits, mode %d, is %a, expected %a", (double)value, fraction_bits,
                         (int)mode, (double)found, wanted);
            }
        }
    }
}

static uint32_t next_bits(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static void test_any_finite_value_rounds_as_the_rule_says(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int round = 0; round < 300000; round++) {
        uint32_t bits = next_bits(&random);
        if ((bits & 0x7F800000) != 0x7F800000) {
            assert_rounds(bits);
        }
    }
}

/* The fraction bits around the cut in all combinations, at exponents from the subnormals to the top
 * and with fractions that carry. */
static void test_ties_and_their_neighbours_round_as_the_rule_says(void **state)
{
    (void)state;
    static const uint32_t exponents[] = {0, 1, 2, 126, 127, 128, 253, 254};
    static const uint32_t heads[] = {0, 1, 2, 0x1FF, 0x1FE};
    static const uint32_t tails[] = {0, 1, 0x7FF, 0x800, 0x801, 0xFFF};
    for (size_t exponent = 0; exponent < 8; exponent++) {
        for (size_t head = 0; head < 5; head++) {
            for (uint32_t cut = 0; cut < 4; cut++) {
                for (size_t tail = 0; tail < 6; tail++) {
                    uint32_t bits =
                        exponents[exponent] << 23 | heads[head] << 14 | cut << 12 | tails[tail];
                    assert_rounds(bits);
                    assert_rounds(bits | 0x80000000);
                }
            }
        }
    }
}

static void test_a_tie_goes_to_the_even_fraction_or_toward_zero(void **state)
{
    (void)state;
    assert_true(hf32_round(4097.0F, 11, HF32_NEAREST_EVEN) == 4096.0F);
    assert_true(hf32_round(4099.0F, 11, HF32_NEAREST_EVEN) == 4100.0F);
    assert_true(hf32_round(4099.0F, 11, HF32_NEAREST_ZERO) == 4098.0F);
    assert_true(hf32_round(-4099.0F, 11, HF32_NEAREST_ZERO) == -4098.0F);
    assert_true(hf32_round(4099.5F, 11, HF32_NEAREST_ZERO) == 4100.0F);
    assert_true(hf32_round(4098.0F, 10, HF32_NEAREST_EVEN) == 4096.0F);
    assert_true(hf32_round(4102.0F, 10, HF32_NEAREST_EVEN) == 4104.0F);
    assert_true(hf32_round(4102.0F, 10, HF32_NEAREST_ZERO) == 4100.0F);
}

static void test_what_rounds_beyond_the_largest_value_is_infinity_and_specials_stay(void **state)
{
    (void)state;
    for (enum hf32_mode mode = HF32_NEAREST_EVEN; mode <= HF32_NEAREST_ZERO; mode++) {
        assert_true(hf32_round(FLT_MAX, 11, mode) == INFINITY);
        assert_true(hf32_round(-FLT_MAX, 10, mode) == -INFINITY);
        assert_true(hf32_round(INFINITY, 11, mode) == INFINITY);
        assert_true(hf32_round(-INFINITY, 10, mode) == -INFINITY);
        for (uint32_t tail = 0x7F800001; tail != 0; tail = tail == 0x7F800001 ? 0xFFFFFFFF : 0) {
            float value;
            memcpy(&value, &tail, sizeof value);
            assert_true(isnan(hf32_round(value, 11, mode)));
        }
    }
}

static void test_a_rounded_value_stays_what_it_is(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int round = 0; round < 100000; round++) {
        uint32_t bits = next_bits(&random) & 0xFFFFE000;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            assert_true(hf32_round(value, 10, HF32_NEAREST_EVEN) == value);
            assert_true(hf32_round(value, 11, HF32_NEAREST_ZERO) == value);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_finite_value_rounds_as_the_rule_says),
        cmocka_unit_test(test_ties_and_their_neighbours_round_as_the_rule_says),
        cmocka_unit_test(test_a_tie_goes_to_the_even_fraction_or_toward_zero),
        cmocka_unit_test(test_what_rounds_beyond_the_largest_value_is_infinity_and_specials_stay),
        cmocka_unit_test(test_a_rounded_value_stays_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
