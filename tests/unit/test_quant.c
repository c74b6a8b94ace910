#include "isa/quant.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/float_bits.h"
#include "isa/hif8.h"
#include "tests/support/splitmix.h"

static uint64_t word_of(float scale, int offset, unsigned shift, bool shifts, bool is_signed)
{
    return float_to_bits(scale) | (uint64_t)(shift - 1) << 32 | (uint64_t)shifts << 36 |
           (uint64_t)((unsigned)offset & 0x1FF) << 37 | (uint64_t)is_signed << 46;
}

static const struct quant_rule requantise = {.source = ELEMENT_INT32,
                                             .target = ELEMENT_INT8,
                                             .saturate = true,
                                             .scales = true,
                                             .shifts = true};

static uint32_t stored(const struct quant_rule *rule, uint64_t word, uint32_t code)
{
    struct quant_word taken = quant_word_read(word, QUANT_SCALE_FIXPIPE);
    uint32_t result;
    quant_apply(rule, &taken, 0, &code, 1, &result);
    return result;
}

static uint64_t clamped(const struct quant_rule *rule, uint64_t word, uint32_t code)
{
    struct quant_word taken = quant_word_read(word, QUANT_SCALE_FIXPIPE);
    uint32_t result;
    return quant_apply(rule, &taken, 0, &code, 1, &result);
}

static void test_a_word_is_taken_apart(void **state)
{
    (void)state;
    struct quant_word word =
        quant_word_read(word_of(1.0005F, -10, 16, true, true), QUANT_SCALE_FIXPIPE);
    assert_true(word.scale == 1.0F); /* 2^-11 and below is dropped */
    assert_int_equal(word.offset, -10);
    assert_int_equal(word.shift, 16);
    assert_true(word.shifts && word.is_signed);
    word = quant_word_read(word_of(1.0005F, 255, 1, false, false), QUANT_SCALE_ALL);
    assert_true(word.scale == 1.0005F);
    assert_int_equal(word.offset, 255);
    assert_int_equal(word.shift, 1);
    assert_false(word.shifts || word.is_signed);
    assert_int_equal(quant_word_read(word_of(1, -256, 1, 0, 0), QUANT_SCALE_ALL).offset, -256);
    assert_true(quant_word_read(word_of(-1.5F, 0, 1, 0, 0), QUANT_SCALE_FIXPIPE).scale == -1.5F);
    assert_true(quant_word_half(0x3E00).scale == 1.5F);
}

static void test_scales_are_normal_numbers_or_zero(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        bool sound;
    } cases[] = {
        {0, true},           {0x80000000, true},  {0x3F800000, true},  {0x00800000, true},
        {0x7F7FE000, true},  {0x00400000, false}, {0x80400000, false}, {0x7F800000, false},
        {0xFF800000, false}, {0x7FC00000, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct quant_word word = quant_word_read(cases[i].bits, QUANT_SCALE_FIXPIPE);
        assert_int_equal(quant_word_is_sound(&word), cases[i].sound);
    }
}

static void test_worked_values(void **state)
{
    (void)state;
    const struct {
        int32_t value;
        uint64_t word;
        int expected;
    } cases[] = {
        {1, word_of(0.5F, 0, 1, false, true), 0},
        {3, word_of(0.5F, 0, 1, false, true), 2},
        {5, word_of(0.5F, 0, 1, false, true), 2},
        {-1, word_of(0.5F, 0, 1, false, true), 0},
        {-3, word_of(0.5F, 0, 1, false, true), -2},
        {-5, word_of(0.5F, 0, 1, false, true), -2},
        {255, word_of(0.5F, 0, 1, false, true), 127},
        {-300, word_of(0.5F, 0, 1, false, true), -128},
        {300, word_of(1, 0, 1, false, true), 127},
        {3, word_of(2, -10, 1, false, false), 0},
        {9, word_of(2, -10, 1, false, false), 8},
        {1000, word_of(1, 0, 4, true, true), 62},
        {-1, word_of(1, 0, 16, true, true), -1},        /* rounds down */
        {1 << 30, word_of(1, -200, 4, true, true), 55}, /* 32767, then 255 */
        {300, word_of(1, -100, 1, false, false), 155},
        {-300, word_of(1, 200, 1, false, true), -56},
        {1, word_of(1.0005F, 0, 1, false, true), 1},
        {200, word_of(1.0009F, 0, 1, false, false), 200}, /* 200.2 with 2^-10 kept */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t code = stored(&requantise, cases[i].word, (uint32_t)cases[i].value);
        assert_int_equal(code, cases[i].expected & 0xFF);
    }
}

/* The same from real numbers: what a word means, not how its bits are worked on. */
static int requantised(int32_t value, float scale, int offset, int shift, bool is_signed, bool relu)
{
    double x = value;
    if (shift != 0) {
        x = fmin(fmax(floor(x / pow(2, shift)), -32768), 32767);
    }
    x = (double)(float)x;
    x = relu && x < 0 ? 0 : (double)(float)(x * (double)scale);
    x = fmin(fmax(nearbyint(x), -256), 255) + offset;
    return (int)(is_signed ? fmin(fmax(x, -128), 127) : fmin(fmax(x, 0), 255));
}

static void test_random_words_agree_with_real_numbers(void **state)
{
    (void)state;
    uint64_t seed = 98;
    for (int round = 0; round < 200000; round++) {
        uint64_t bits = splitmix_next(&seed);
        int32_t value = (int32_t)(uint32_t)(bits >> 32) >> (bits & 31);
        uint64_t more = splitmix_next(&seed);
        float scale = ldexpf((float)(int)(more & 0x7FF) / 1024.0F, (int)(more >> 11 & 31) - 24);
        int offset = (int)(more >> 16 & 511) - 256;
        int shift = (int)(more >> 25 & 15) + 1;
        bool shifts = (more >> 29 & 1) != 0, is_signed = (more >> 30 & 1) != 0;
        struct quant_rule rule = requantise;
        rule.relu = (more >> 31 & 1) != 0;
        uint64_t word = word_of((more >> 32 & 1) != 0 ? -scale : scale, offset, (unsigned)shift,
                                shifts, is_signed);
        float kept = (more >> 32 & 1) != 0 ? -scale : scale;
        int expected = requantised(value, kept, offset, shifts ? shift : 0, is_signed, rule.relu);
        assert_int_equal(stored(&rule, word, (uint32_t)value), expected & 0xFF);
        rule.shifts = false; /* 950, and every other mode */
        expected = requantised(value, kept, offset, 0, is_signed, rule.relu);
        assert_int_equal(stored(&rule, word, (uint32_t)value), expected & 0xFF);
    }
}

static void test_floats_are_scaled_and_rounded_once_more(void **state)
{
    (void)state;
    static const enum element targets[] = {ELEMENT_FP16, ELEMENT_BF16, ELEMENT_FP8_E4M3,
                                           ELEMENT_HIF8, ELEMENT_FP32};
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct quant_rule rule = {.source = ELEMENT_FP32, .target = targets[i], .scales = true};
        for (int round = 0; round < 5000; round++) {
            uint64_t bits = splitmix_next(&seed);
            float value = ldexpf((float)(int32_t)(uint32_t)bits, (int)(bits >> 32 & 31) - 47);
            float scale =
                ldexpf(1.0F + (float)(bits >> 40 & 1023) / 1024.0F, (int)(bits >> 60) - 8);
            rule.relu = (bits >> 50 & 1) != 0;
            rule.saturate = (bits >> 51 & 1) != 0;
            float product = (float)((double)value * (double)scale);
            uint32_t expected =
                element_encode(targets[i], rule.relu && value < 0 ? 0.0F : product, rule.saturate);
            /* The offset and the sign of the word do not count. */
            uint64_t word = word_of(scale, 77, 3, true, (bits >> 52 & 1) != 0);
            assert_int_equal(stored(&rule, word, float_to_bits(value)), expected);
        }
    }
}

static void test_int32_is_dequantised(void **state)
{
    (void)state;
    struct quant_rule rule = {
        .source = ELEMENT_INT32, .target = ELEMENT_FP16, .saturate = true, .scales = true};
    uint64_t word = word_of(0.5F, 0, 1, false, false);
    assert_int_equal(stored(&rule, word, 3), 0x3E00);
    assert_int_equal(stored(&rule, word, (uint32_t)-3), 0xBE00);
    assert_int_equal(stored(&rule, word, 200000), 0x7BFF);
    assert_int_equal(clamped(&rule, word, 200000), 1);
    assert_int_equal(clamped(&rule, word, 2 * 65504), 0);
    assert_int_equal(clamped(&rule, word, (uint32_t)-200000), 1);
    assert_int_equal(clamped(&rule, word, (uint32_t)(-2 * 65504)), 0);
    rule.saturate = false;
    assert_int_equal(stored(&rule, word, 200000), 0x7C00);
    assert_int_equal(clamped(&rule, word, 200000), 0);
    rule.relu = true;
    assert_int_equal(stored(&rule, word, (uint32_t)-3), 0);
    /* int32 becomes binary32 first: 2^24 + 1 is a tie, and goes to even. */
    rule.target = ELEMENT_FP32;
    assert_int_equal(stored(&rule, word_of(1, 0, 1, false, false), (1 << 24) + 1), 0x4B800000);
}

static void test_what_saturates_is_counted(void **state)
{
    (void)state;
    const struct {
        int32_t value;
        int offset;
        bool is_signed;
        uint64_t count;
    } cases[] = {
        {127, 0, true, 0},  {128, 0, true, 1},    {-128, 0, true, 0},     {-129, 0, true, 1},
        {255, 0, false, 0}, {256, -1, false, 1},  {255, 1, false, 1},     {-1, 0, false, 1},
        {-1, 1, false, 0},  {-256, 255, true, 0}, {-257, 255, true, 1},   {1 << 30, -200, true, 1},
        {127, 1, true, 1},  {-128, -1, true, 1},  {-2000000, 0, true, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t word = word_of(1, cases[i].offset, 1, false, cases[i].is_signed);
        assert_int_equal(clamped(&requantise, word, (uint32_t)cases[i].value), cases[i].count);
    }
}

/* The largest value of each type, and the next one that its grid would have. */
static void test_each_type_saturates_above_its_largest_value(void **state)
{
    (void)state;
    static const struct {
        enum element target;
        float largest, next;
    } cases[] = {
        {ELEMENT_FP16, 65504.0F, 65536.0F},
        {ELEMENT_BF16, 0x1.FEp127F, 0x1.FFp127F},
        {ELEMENT_FP8_E4M3, 448.0F, 480.0F},
        {ELEMENT_HIF8, 32768.0F, 49152.0F},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct quant_rule rule = {
            .source = ELEMENT_FP32, .target = cases[i].target, .saturate = true, .scales = true};
        for (int sign = -1; sign <= 1; sign += 2) {
            uint64_t word = word_of((float)sign, 0, 1, false, false);
            assert_int_equal(clamped(&rule, word, float_to_bits(cases[i].largest)), 0);
            assert_int_equal(clamped(&rule, word, float_to_bits(cases[i].next)), 1);
            assert_int_equal(stored(&rule, word, float_to_bits(cases[i].next)),
                             stored(&rule, word, float_to_bits(cases[i].largest)));
        }
    }
}

static void test_what_is_no_number_becomes_zero_or_stays(void **state)
{
    (void)state;
    struct quant_rule rule = {.source = ELEMENT_FP32, .target = ELEMENT_FP16, .saturate = true};
    uint32_t nan = float_to_bits(NAN), infinity = float_to_bits(INFINITY);
    assert_int_equal(stored(&rule, 0, nan), 0);
    assert_int_equal(clamped(&rule, 0, nan), 0);
    assert_int_equal(stored(&rule, 0, infinity), 0x7BFF);
    assert_int_equal(clamped(&rule, 0, infinity), 1);
    rule.saturate = false;
    assert_int_equal(stored(&rule, 0, nan), 0x7E00);
    assert_int_equal(stored(&rule, 0, infinity), 0x7C00);
    rule.relu = true;
    assert_int_equal(stored(&rule, 0, nan), 0);
    assert_int_equal(stored(&rule, 0, float_to_bits(-INFINITY)), 0);
    rule.target = ELEMENT_FP32;
    assert_int_equal(stored(&rule, 0, nan), 0);
    rule.relu = false;
    assert_int_equal(stored(&rule, 0, nan), nan);
    rule.target = ELEMENT_INT8;
    rule.scales = true;
    uint64_t word = word_of(1, 5, 1, false, true);
    assert_int_equal(stored(&rule, word, nan), 5);
    assert_int_equal(stored(&rule, word, infinity), 127);
    assert_int_equal(stored(&rule, word, float_to_bits(-INFINITY)), 0x80);
    assert_int_equal(stored(&rule, word, float_to_bits(-FLT_MAX)), 0x80);
}

static void test_relu_knows_no_negative_zero(void **state)
{
    (void)state;
    struct quant_rule rule = {
        .source = ELEMENT_FP32, .target = ELEMENT_FP16, .relu = true, .scales = true};
    assert_int_equal(stored(&rule, word_of(-2, 0, 1, false, false), float_to_bits(-1.0F)), 0);
    assert_int_equal(stored(&rule, word_of(-2, 0, 1, false, false), float_to_bits(-0.0F)), 0);
    assert_int_equal(stored(&rule, word_of(-2, 0, 1, false, false), float_to_bits(1.0F)), 0xC000);
    rule = (struct quant_rule){.source = ELEMENT_FP32, .target = ELEMENT_FP32, .relu = true};
    assert_int_equal(stored(&rule, 0, float_to_bits(-0.0F)), 0); /* what is stored as it is */
    assert_int_equal(stored(&rule, 0, 0x7FC00000), 0);
    assert_int_equal(stored(&rule, 0, 1), 1);
}

static void test_int16_is_shifted_and_clamped(void **state)
{
    (void)state;
    struct quant_rule rule = {.source = ELEMENT_INT32, .target = ELEMENT_INT16, .scales = true};
    uint64_t word = word_of(8, 0, 4, false, false); /* the scale does not count */
    assert_int_equal(stored(&rule, word, 1000), 62);
    assert_int_equal(stored(&rule, word, (uint32_t)-1000), 0xFFC1); /* -62.5, down */
    assert_int_equal(stored(&rule, word, 1 << 30), 0x7FFF);
    assert_int_equal(clamped(&rule, word, 1 << 30), 1);
    assert_int_equal(stored(&rule, word, 0x80000000), 0x8000);
    rule.relu = true;
    assert_int_equal(stored(&rule, word, 0x80000000), 0);
    assert_int_equal(stored(&rule, word, 1000), 62);
    assert_int_equal(stored(&rule, word, (uint32_t)-1000), 0);
    assert_int_equal(clamped(&rule, word, (uint32_t)-1000), 0); /* int16 can hold it */
}

static void test_each_code_has_its_word_or_all_have_one(void **state)
{
    (void)state;
    struct quant_word words[4];
    for (int i = 0; i < 4; i++) {
        words[i] = quant_word_read(word_of(1, i, 1, false, true), QUANT_SCALE_FIXPIPE);
    }
    static const uint32_t codes[4] = {10, 20, 126, 200};
    uint32_t result[4];
    assert_int_equal(quant_apply(&requantise, words, 1, codes, 4, result), 2);
    assert_int_equal(result[0], 10);
    assert_int_equal(result[1], 21);
    assert_int_equal(result[2], 127);
    assert_int_equal(result[3], 127);
    assert_int_equal(quant_apply(&requantise, words + 1, 0, codes, 3, result), 0);
    assert_int_equal(result[1], 21);
    assert_int_equal(result[2], 127);
}

static void test_hybrid_rounding_of_hif8(void **state)
{
    (void)state;
    /* From 2^-3 to less than 2^4 as ever: halves away from zero. */
    for (uint32_t bits = 0x3E000000; bits < 0x41800000; bits += 0x1001) {
        float value = float_from_bits(bits);
        assert_int_equal(hif8_encode_hybrid(value, true), hif8_encode(value, true));
    }
    /* What hif8 has stays. */
    for (uint32_t code = 0; code < 256; code++) {
        float value = hif8_decode(code);
        assert_int_equal(hif8_encode_hybrid(value, false), code);
    }
    /* Beyond: the first 14 bits that do not fit against the last 14 of the fraction. Of 1.5 * 2^5
     * two bits of the fraction are kept, 21 dropped: 14 of these and 7 more. */
    uint32_t at = 0x42000000 | 1U << 22;
    uint32_t low = hif8_encode(float_from_bits(at), true);
    static const struct {
        uint32_t rest; /* of 21 bits */
        uint32_t up;
    } cases[] = {
        {0x100000, 1},           /* 2^13 against 0 */
        {0x000080, 0},           /* 1 against 0x80 */
        {0x000001, 0},           /* 0 against 1 */
        {0x0FFFFF, 0},           /* 0x1FFF against 0x3FFF */
        {0x1FFFFF, 1},           /* 0x3FFF against 0x3FFF */
        {0x1FFF7F, 1},           /* 0x3FFE against 0x3F7F */
        {1U << 7 | 1U << 14, 1}, /* 0x81 against 0x80 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float value = float_from_bits(at | cases[i].rest);
        assert_int_equal(hif8_encode_hybrid(value, true), low + cases[i].up);
        assert_int_equal(hif8_encode_hybrid(-value, true), (low + cases[i].up) | 0x80);
    }
}

static void test_hybrid_rounding_at_both_ends(void **state)
{
    (void)state;
    assert_int_equal(hif8_encode_hybrid(ldexpf(1, -24), true), 0);
    uint32_t half = float_to_bits(ldexpf(1, -23)); /* of the smallest value */
    assert_int_equal(hif8_encode_hybrid(float_from_bits(half), true), 1);
    assert_int_equal(hif8_encode_hybrid(float_from_bits(half + 1), true), 1);
    assert_int_equal(hif8_encode_hybrid(float_from_bits(half + 0x3FFF), true), 0);
    assert_int_equal(hif8_encode_hybrid(1e30F, true), 0x6E);
    assert_int_equal(hif8_encode_hybrid(-1e30F, false), 0xEF);
    assert_int_equal(hif8_encode_hybrid(32768.0F, false), 0x6E);
    assert_int_equal(hif8_encode_hybrid(49152.0F, false), 0x6F);
    assert_int_equal(hif8_encode_hybrid(INFINITY, true), 0x6E);
    assert_int_equal(hif8_encode_hybrid(NAN, false), 0x80);
    assert_int_equal(hif8_encode_hybrid(-0.0F, false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_word_is_taken_apart),
        cmocka_unit_test(test_scales_are_normal_numbers_or_zero),
        cmocka_unit_test(test_worked_values),
        cmocka_unit_test(test_random_words_agree_with_real_numbers),
        cmocka_unit_test(test_floats_are_scaled_and_rounded_once_more),
        cmocka_unit_test(test_int32_is_dequantised),
        cmocka_unit_test(test_what_saturates_is_counted),
        cmocka_unit_test(test_each_type_saturates_above_its_largest_value),
        cmocka_unit_test(test_what_is_no_number_becomes_zero_or_stays),
        cmocka_unit_test(test_relu_knows_no_negative_zero),
        cmocka_unit_test(test_int16_is_shifted_and_clamped),
        cmocka_unit_test(test_each_code_has_its_word_or_all_have_one),
        cmocka_unit_test(test_hybrid_rounding_of_hif8),
        cmocka_unit_test(test_hybrid_rounding_at_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
