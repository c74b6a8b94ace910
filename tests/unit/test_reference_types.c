#include "tests/unit/reference_fixture.h"

/* Half-way cases, cut digits of scales, both clamps and the offset between them. */
static void test_a_scaled_sum_is_rounded_to_even_clamped_and_shifted(void **state)
{
    (void)state;
    static const struct {
        double sum;
        float scale;
        int32_t offset;
        bool relu;
        double value;
    } rows[] = {
        {5, 0.5F, 0, false, 2},
        {-5, 0.5F, 0, false, -2},
        {7, 0.5F, 0, false, 4},
        {300, 1.0F, 0, false, 127},
        {-300, 1.0F, 0, false, -128},
        {-5, 0.5F, 0, true, 0},
        {-5, 0.5F, 7, true, 7},
        {400, 1.0F, -100, false, 127},
        {300, 1.0F, -200, false, 55},
        {-300, 1.0F, 200, false, -56},
        {2147483647, 0x1p-31F, 0, false, 1},
        /* 2^24 + 1 is 2^24 in binary32: exactly 32.5 is left. */
        {16777217, 0x1.04p-19F, 0, false, 32},
        /* A bit of 2^-10 is kept, one of 2^-11 is not, and a tie is left. */
        {1024, 0x1.004p-11F, 0, false, 1},
        {1024, 0x1.002p-11F, 0, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct conv conv = conv_plain(2, 1, 1, 1, 1);
        struct bench bench;
        conv.dtype = ELEMENT_INT8;
        conv.out_dtype = ELEMENT_INT8;
        conv.bias = true;
        conv.relu = rows[i].relu;
        conv.quant = (struct quant){
            .given = true, .scales = &rows[i].scale, .scale_bits = 10, .offset = rows[i].offset};
        bench_start(&bench, &conv);
        set(&bench.bias, 0, rows[i].sum);
        bench_run(&bench);
        if (get(&bench.output, 0) != rows[i].value) {
            fail_msg("row %zu: %g; expected %g", i, get(&bench.output, 0), rows[i].value);
        }
        bench_end(&bench);
    }
}

static void test_scaled_sums_become_every_type(void **state)
{
    (void)state;
    static const struct {
        enum element out;
        double sum, value; /* value: of a quarter of sum */
    } rows[] = {
        {ELEMENT_FP16, 8196, 2048},     {ELEMENT_FP16, 400000, 65504},
        {ELEMENT_BF16, 1028, 256},      {ELEMENT_FP8_E4M3, 68, 16},
        {ELEMENT_FP8_E4M3, 4000, 448},  {ELEMENT_FP8_E4M3, 100, 24},
        {ELEMENT_HIF8, 34, 9},          {ELEMENT_HIF8, 72, 20},
        {ELEMENT_HIF8, 4194304, 32768}, {ELEMENT_FP32, 16777215, 4194303.75},
    };
    static const float quarter = 0.25F;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct conv conv = conv_plain(2, 1, 1, 1, 1);
        struct bench bench;
        conv.out_dtype = rows[i].out;
        conv.bias = true;
        conv.quant = (struct quant){.given = true, .scales = &quarter, .scale_bits = 10};
        bench_start(&bench, &conv);
        set(&bench.bias, 0, rows[i].sum);
        bench_run(&bench);
        if (get(&bench.output, 0) != rows[i].value) {
            fail_msg("row %zu: %g; expected %g", i, get(&bench.output, 0), rows[i].value);
        }
        bench_end(&bench);
    }
}

static void test_each_channel_has_the_scale_of_its_own(void **state)
{
    (void)state;
    static const float scales[6] = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
    struct conv conv = conv_plain(4, 6, 1, 1, 1);
    struct bench bench;
    conv.groups = 2;
    conv.cin_group = 2;
    conv.dtype = conv.out_dtype = ELEMENT_INT8;
    conv.quant =
        (struct quant){.given = true, .by_channel = true, .scales = scales, .scale_bits = 10};
    bench_start(&bench, &conv);
    set_all(&bench.input, 1.0);
    set_all(&bench.weight, 3.0);
    bench_run(&bench);
    for (int c = 0; c < 6; c++) {
        assert_true(get(&bench.output, (uint64_t)c) == 6.0 * (c + 1));
    }
    bench_end(&bench);
}

/* 1 + 2^-11 is a tie at ten bits and stays at eleven; the other operand sees the same rule. */
static void test_hf32_rounds_both_operands_to_the_bits_of_the_product(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits;
        double input, weight, value;
    } rows[] = {
        {0, 1 + 0x1p-13, 1, 1 + 0x1p-13},
        {11, 1 + 0x1p-13, 1, 1},
        {11, 1 + 0x1p-11, 1, 1 + 0x1p-11},
        {10, 1 + 0x1p-11, 1, 1},
        {10, 1 + 0x3p-11, 1, 1 + 0x1p-9},
        {10, 1, -1 - 0x3p-11, -1 - 0x1p-9},
        {11, 1 + 0x3p-12, 1 + 0x3p-12, (1 + 0x1p-10) * (1 + 0x1p-10)},
        {11, 2 - 0x1p-13, 1, 2},
        {11, 0x1p-126, 0x1p+100, 0x1p-26},
        {10, 0x1p-140, 0x1p+120, 0},
        {10, 0x1p-136, 0x1p+120, 0x1p-16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct conv conv = conv_plain(1, 1, 1, 1, 1);
        struct bench bench;
        conv.dtype = ELEMENT_FP32;
        conv.hf32_bits = rows[i].bits;
        bench_start(&bench, &conv);
        set(&bench.input, 0, rows[i].input);
        set(&bench.weight, 0, rows[i].weight);
        bench_run(&bench);
        if (get(&bench.output, 0) != rows[i].value) {
            fail_msg("row %zu: %a; expected %a", i, get(&bench.output, 0), rows[i].value);
        }
        bench_end(&bench);
    }
}

static void test_8_bit_floats_are_multiplied_exactly(void **state)
{
    (void)state;
    static const struct {
        enum element type;
        double input, weight;
    } rows[] = {{ELEMENT_FP8_E4M3, 448, -0x1p-9},
                {ELEMENT_FP8_E5M2, 57344, 0x1p-16},
                {ELEMENT_HIF8, 32768, 0x1p-22},
                {ELEMENT_HIF8, -1.875, 1.875}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct conv conv = conv_plain(1, 1, 1, 1, 1);
        struct bench bench;
        conv.dtype = rows[i].type;
        bench_start(&bench, &conv);
        set(&bench.input, 0, rows[i].input);
        set(&bench.weight, 0, rows[i].weight);
        bench_run(&bench);
        assert_true(get(&bench.output, 0) == rows[i].input * rows[i].weight);
        bench_end(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_scaled_sum_is_rounded_to_even_clamped_and_shifted),
        cmocka_unit_test(test_scaled_sums_become_every_type),
        cmocka_unit_test(test_each_channel_has_the_scale_of_its_own),
        cmocka_unit_test(test_hf32_rounds_both_operands_to_the_bits_of_the_product),
        cmocka_unit_test(test_8_bit_floats_are_multiplied_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
