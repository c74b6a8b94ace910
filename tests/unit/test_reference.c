#include "tests/unit/reference_fixture.h"

#include <float.h>
#include <math.h>

static void test_a_bias_is_added_once(void **state)
{
    (void)state;
    struct conv conv = conv_plain(48, 3, 4, 4, 3);
    struct bench bench;
    conv.bias = true;
    bench_start(&bench, &conv);
    set_all(&bench.bias, 1.0);
    bench_run(&bench);
    assert_int_equal(bench.output.count, 3 * 2 * 2);
    for (uint64_t i = 0; i < bench.output.count; i++) {
        assert_true(get(&bench.output, i) == 1.0);
    }
    bench_end(&bench);
}

static void test_every_output_channel_is_its_own(void **state)
{
    (void)state;
    struct conv conv = conv_plain(1, 32, 3, 3, 1);
    struct bench bench;
    bench_start(&bench, &conv);
    set_all(&bench.input, 1.0);
    for (uint64_t n = 0; n < 32; n++) {
        set(&bench.weight, n, (double)n + 1.0);
    }
    bench_run(&bench);
    for (uint64_t i = 0; i < 32 * 9; i++) {
        assert_true(get(&bench.output, i) == (double)(i / 9) + 1.0);
    }
    bench_end(&bench);
}

static void test_a_k_that_is_no_multiple_of_c0_adds_nothing_more(void **state)
{
    (void)state;
    struct conv conv = conv_plain(80, 1, 1, 1, 1);
    struct bench bench;
    conv.dtype = ELEMENT_INT8;
    conv.out_dtype = ELEMENT_INT32;
    bench_start(&bench, &conv);
    set_all(&bench.input, 1.0);
    set_all(&bench.weight, 1.0);
    bench_run(&bench);
    assert_true(get(&bench.output, 0) == 80.0);
    bench_end(&bench);
}

static void test_uneven_padding_goes_to_the_end(void **state)
{
    (void)state;
    struct conv conv = conv_plain(20, 1, 14, 14, 3);
    struct bench bench;
    conv.stride[AXIS_H] = conv.stride[AXIS_W] = 2;
    conv.pad_tail[AXIS_H] = conv.pad_tail[AXIS_W] = 1;
    bench_start(&bench, &conv);
    for (uint64_t i = 0; i < bench.input.count; i++) {
        set(&bench.input, i, (double)(i % 196));
    }
    set(&bench.weight, 0, 1.0); /* channel 0, the top left tap */
    bench_run(&bench);
    assert_int_equal(bench.output.count, 7 * 7);
    for (uint64_t i = 0; i < 49; i++) {
        assert_true(get(&bench.output, i) == (double)(i / 7 * 2 * 14 + i % 7 * 2));
    }
    bench_end(&bench);
}

static void test_an_even_kernel_keeps_its_right_column(void **state)
{
    (void)state;
    static const double expected[9] = {10, 14, 18, 26, 30, 34, 42, 46, 50};
    struct conv conv = conv_plain(1, 1, 4, 4, 2);
    struct bench bench;
    bench_start(&bench, &conv);
    for (uint64_t i = 0; i < 16; i++) {
        set(&bench.input, i, (double)i);
    }
    set_all(&bench.weight, 1.0);
    bench_run(&bench);
    assert_int_equal(bench.output.count, 9);
    for (uint64_t i = 0; i < 9; i++) {
        assert_true(get(&bench.output, i) == expected[i]);
    }
    bench_end(&bench);
}

static void test_a_kernel_larger_than_the_input_works_with_padding(void **state)
{
    (void)state;
    struct conv conv = conv_plain(1, 1, 2, 2, 3);
    struct bench bench;
    for (int axis = AXIS_H; axis <= AXIS_W; axis++) {
        conv.pad_head[axis] = conv.pad_tail[axis] = 1;
    }
    bench_start(&bench, &conv);
    for (uint64_t i = 0; i < 9; i++) {
        set(&bench.weight, i, (double)i + 1.0);
    }
    for (uint64_t i = 0; i < 4; i++) {
        set(&bench.input, i, (double)i + 1.0);
    }
    bench_run(&bench);
    assert_int_equal(bench.output.count, 4);
    assert_true(get(&bench.output, 0) == 5 * 1 + 6 * 2 + 8 * 3 + 9 * 4);
    assert_true(get(&bench.output, 1) == 4 * 1 + 5 * 2 + 7 * 3 + 8 * 4);
    assert_true(get(&bench.output, 2) == 2 * 1 + 3 * 2 + 5 * 3 + 6 * 4);
    assert_true(get(&bench.output, 3) == 1 * 1 + 2 * 2 + 4 * 3 + 5 * 4);
    bench_end(&bench);
}

/* An output coordinate has two taps inside when one of its neighbours at the dilation is outside.
 */
static uint64_t taps_inside(uint64_t at, uint64_t size, uint64_t dilation)
{
    return 1 + (at >= dilation ? 1U : 0U) + (at + dilation < size ? 1U : 0U);
}

static void test_a_wide_dilation_reads_only_what_is_inside(void **state)
{
    (void)state;
    for (uint64_t dilation = 12; dilation <= 18; dilation += 6) {
        struct conv conv = conv_plain(3, 2, 16, 44, 3);
        struct bench bench;
        for (int axis = AXIS_H; axis <= AXIS_W; axis++) {
            conv.pad_head[axis] = conv.pad_tail[axis] = conv.dilation[axis] = dilation;
        }
        bench_start(&bench, &conv);
        set_all(&bench.input, 1.0);
        set_all(&bench.weight, 1.0);
        bench_run(&bench);
        assert_int_equal(bench.output.count, 2 * 16 * 44);
        for (uint64_t i = 0; i < bench.output.count; i++) {
            uint64_t h = i % 704 / 44, w = i % 44;
            uint64_t taps = taps_inside(h, 16, dilation) * taps_inside(w, 44, dilation);
            assert_true(get(&bench.output, i) == (double)(3 * taps));
        }
        bench_end(&bench);
    }
}

static void test_strides_and_dilations_belong_to_their_axis(void **state)
{
    (void)state;
    struct conv conv = conv_plain(1, 1, 25, 9, 3);
    struct bench bench;
    conv.stride[AXIS_H] = 2;
    conv.dilation[AXIS_W] = 2;
    for (int axis = AXIS_H; axis <= AXIS_W; axis++) {
        conv.pad_head[axis] = conv.pad_tail[axis] = 1;
    }
    bench_start(&bench, &conv);
    for (uint64_t i = 0; i < bench.input.count; i++) {
        set(&bench.input, i, (double)i);
    }
    set(&bench.weight, 4, 1.0); /* the middle tap: row ho * 2, column wo + 1 */
    bench_run(&bench);
    assert_int_equal(bench.output.count, 13 * 7);
    for (uint64_t i = 0; i < 13 * 7; i++) {
        assert_true(get(&bench.output, i) == (double)(i / 7 * 2 * 9 + i % 7 + 1));
    }
    bench_end(&bench);
}

static void test_a_sum_beyond_fp16_saturates_and_bf16_holds_it(void **state)
{
    (void)state;
    static const struct {
        enum element out;
        double value;
    } rows[] = {{ELEMENT_FP16, 65504.0}, {ELEMENT_BF16, 147456.0}, {ELEMENT_FP32, 147456.0}};
    for (size_t i = 0; i < 3; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            struct conv conv = conv_plain(64, 1, 3, 3, 3);
            struct bench bench;
            conv.out_dtype = rows[i].out;
            bench_start(&bench, &conv);
            set_all(&bench.input, 16.0);
            set_all(&bench.weight, 16.0 * sign);
            bench_run(&bench);
            assert_true(get(&bench.output, 0) == rows[i].value * sign);
            bench_end(&bench);
        }
    }
}

static void test_results_round_to_nearest_even(void **state)
{
    (void)state;
    static const struct {
        enum element out;
        double sum, value;
    } rows[] = {{ELEMENT_FP16, 2049, 2048}, {ELEMENT_FP16, 2051, 2052}, {ELEMENT_FP16, 2050, 2050},
                {ELEMENT_BF16, 257, 256},   {ELEMENT_BF16, 259, 260},   {ELEMENT_BF16, -259, -260}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct conv conv = conv_plain(2, 1, 1, 1, 1);
        struct bench bench;
        conv.out_dtype = rows[i].out;
        conv.bias = true;
        bench_start(&bench, &conv);
        set(&bench.bias, 0, rows[i].sum);
        bench_run(&bench);
        assert_true(get(&bench.output, 0) == rows[i].value);
        bench_end(&bench);
    }
}

/* The order of the C0 blocks decides what is rounded away: 2^24 + 1 is 2^24 in binary32. */
static void test_c1_is_outside_the_kernel_and_depth_outside_c1(void **state)
{
    (void)state;
    struct conv conv = conv_plain(16, 1, 1, 2, 1);
    struct bench bench;
    conv.dtype = ELEMENT_FP32;
    conv.kernel[AXIS_W] = 2;
    bench_start(&bench, &conv);
    set_all(&bench.input, 1.0);
    set(&bench.weight, 0 * 2 + 0, 16777216.0);
    set(&bench.weight, 3 * 2 + 1, -16777216.0);
    set(&bench.weight, 8 * 2 + 0, 1.0);
    bench_run(&bench);
    assert_true(get(&bench.output, 0) == 1.0);
    bench_end(&bench);

    conv.rank = 3;
    conv.in[AXIS_D] = conv.kernel[AXIS_D] = 2;
    conv.in[AXIS_W] = conv.kernel[AXIS_W] = 1;
    bench_start(&bench, &conv);
    set_all(&bench.input, 1.0);
    set(&bench.weight, 0 * 2 + 0, 16777216.0);
    set(&bench.weight, 3 * 2 + 1, -16777216.0);
    set(&bench.weight, 8 * 2 + 0, 1.0);
    bench_run(&bench);
    assert_true(get(&bench.output, 0) == 0.0);
    bench_end(&bench);
}

static void test_a_block_is_summed_in_binary64_before_it_is_rounded(void **state)
{
    (void)state;
    struct conv conv = conv_plain(9, 1, 1, 1, 1);
    struct bench bench;
    conv.dtype = ELEMENT_FP32;
    bench_start(&bench, &conv);
    set_all(&bench.input, 1.0);
    set(&bench.weight, 0, 16777216.0);
    set(&bench.weight, 1, 1.0);
    set(&bench.weight, 7, -16777216.0);
    bench_run(&bench);
    assert_true(get(&bench.output, 0) == 1.0);
    set(&bench.weight, 7, 0.0);
    set(&bench.weight, 8, -16777216.0); /* channel 8 is the next block */
    bench_run(&bench);
    assert_true(get(&bench.output, 0) == 0.0);
    bench_end(&bench);
}

/* One output of one product, with a bias. */
static double single(enum element dtype, double x, double w, double bias, bool relu)
{
    struct conv conv = conv_plain(1, 1, 1, 1, 1);
    struct bench bench;
    conv.dtype = dtype;
    conv.out_dtype = element_is_integer(dtype) ? ELEMENT_INT32 : ELEMENT_FP32;
    conv.bias = true;
    conv.relu = relu;
    bench_start(&bench, &conv);
    set(&bench.input, 0, x);
    set(&bench.weight, 0, w);
    set(&bench.bias, 0, bias);
    bench_run(&bench);
    double value = get(&bench.output, 0);
    bench_end(&bench);
    return value;
}

static void test_relu_makes_plus_zero_of_what_is_not_above_zero(void **state)
{
    (void)state;
    assert_true(single(ELEMENT_FP16, 2.0, -3.0, 1.0, false) == -5.0);
    assert_true(single(ELEMENT_FP16, 2.0, -3.0, 1.0, true) == 0.0);
    assert_true(single(ELEMENT_FP16, 2.0, 3.0, 1.0, true) == 7.0);
    assert_true(single(ELEMENT_INT8, 2.0, -3.0, 1.0, false) == -5.0);
    assert_true(single(ELEMENT_INT8, 2.0, -3.0, 1.0, true) == 0.0);
    assert_true(single(ELEMENT_INT8, 2.0, 3.0, 1.0, true) == 7.0);
    assert_false(signbit(single(ELEMENT_FP32, -1.0, 0.0, -0.0, true)));
    /* A block sum starts at +0, and -0 + +0 is +0. */
    assert_false(signbit(single(ELEMENT_FP32, -1.0, 0.0, -0.0, false)));
    /* A sum too small for binary32 keeps its sign. */
    assert_true(signbit(single(ELEMENT_FP32, -1e-30, 1e-30, 0.0, false)));
    assert_false(signbit(single(ELEMENT_FP32, -1e-30, 1e-30, 0.0, true)));
}

static void test_sums_saturate_and_nan_becomes_zero(void **state)
{
    (void)state;
    const double infinity = (double)INFINITY;
    assert_true(single(ELEMENT_FP32, 3e38, 10.0, 0.0, false) == (double)FLT_MAX);
    assert_true(single(ELEMENT_FP32, 3e38, -10.0, 0.0, false) == -(double)FLT_MAX);
    assert_true(single(ELEMENT_FP32, 3e38, -10.0, 0.0, true) == 0.0);
    assert_true(single(ELEMENT_FP16, infinity, 1.0, 0.0, false) == (double)FLT_MAX);
    assert_true(single(ELEMENT_FP16, infinity, 0.0, 5.0, false) == 0.0);
    assert_true(single(ELEMENT_INT8, 1.0, 1.0, INT32_MAX, false) == INT32_MAX);
    assert_true(single(ELEMENT_INT8, 1.0, -1.0, INT32_MAX, false) == INT32_MAX - 1.0);
    assert_true(single(ELEMENT_INT8, 1.0, -1.0, INT32_MIN, false) == INT32_MIN);
    assert_true(single(ELEMENT_INT8, -128.0, -128.0, -7.0, false) == 16377.0);
}

/* Two blocks of C0, the second takes back what the first has beyond the type. */
static void test_each_step_of_k_saturates_and_every_depth_ends_one(void **state)
{
    (void)state;
    for (uint64_t step = 1; step <= 2; step++) {
        struct conv conv = conv_plain(16, 1, 1, 1, 1);
        struct bench bench;
        conv.dtype = ELEMENT_FP32;
        bench_start(&bench, &conv);
        bench.k_step = step * 8;
        set(&bench.input, 0, (double)FLT_MAX);
        set(&bench.input, 8, -(double)FLT_MAX);
        set_all(&bench.weight, 2.0);
        bench_run(&bench);
        assert_true(get(&bench.output, 0) == (step == 1 ? -(double)FLT_MAX : (double)FLT_MAX));
        bench_end(&bench);
    }
    struct conv conv = conv_plain(1, 1, 1, 1, 1);
    struct bench bench;
    conv.rank = 3;
    conv.in[AXIS_D] = conv.kernel[AXIS_D] = 2;
    conv.dtype = ELEMENT_INT8;
    conv.out_dtype = ELEMENT_INT32;
    conv.bias = true;
    bench_start(&bench, &conv);
    bench.k_step = 32 * 5;
    set(&bench.input, 0, 100.0);
    set(&bench.input, 1, -100.0);
    set_all(&bench.weight, 3.0);
    set(&bench.bias, 0, INT32_MAX - 1);
    bench_run(&bench);
    assert_true(get(&bench.output, 0) == INT32_MAX - 300.0);
    bench_end(&bench);
}

static void test_padding_in_h_and_w_is_a_product_with_zero_but_not_in_d(void **state)
{
    (void)state;
    struct conv conv = conv_plain(1, 1, 1, 1, 1);
    struct bench bench;
    conv.rank = 3;
    for (int axis = AXIS_D; axis <= AXIS_W; axis++) {
        conv.kernel[axis] = 2;
        conv.pad_head[axis] = 1;
        bench_start(&bench, &conv);
        set(&bench.input, 0, 3.0);
        set(&bench.weight, 0, (double)INFINITY);
        set(&bench.weight, 1, 2.0);
        bench_run(&bench);
        assert_int_equal(bench.output.count, 1);
        assert_true(get(&bench.output, 0) == (axis == AXIS_D ? 6.0 : 0.0));
        conv.kernel[axis] = 1;
        conv.pad_head[axis] = 0;
        bench_end(&bench);
    }
}

static void test_an_output_whose_depths_are_all_padding_is_the_bias(void **state)
{
    (void)state;
    struct conv conv = conv_plain(1, 1, 1, 1, 1);
    struct bench bench;
    conv.rank = 3;
    conv.pad_head[AXIS_D] = 1;
    conv.bias = true;
    bench_start(&bench, &conv);
    set_all(&bench.input, 2.0);
    set_all(&bench.weight, 3.0);
    set(&bench.bias, 0, 7.0);
    bench_run(&bench);
    assert_int_equal(bench.output.count, 2);
    assert_true(get(&bench.output, 0) == 7.0);
    assert_true(get(&bench.output, 1) == 13.0);
    bench_end(&bench);
}

static void test_a_comparison_counts_and_places_mismatches(void **state)
{
    (void)state;
    uint8_t left[4 * 5] = {0}, right[4 * 5] = {0};
    struct tensor a = {.element = ELEMENT_FP32, .rank = 1, .shape = {5}, .count = 5, .data = left};
    struct tensor b = a;
    b.data = right;
    struct comparison comparison = reference_compare(&a, &b);
    assert_int_equal(comparison.compared, 5);
    assert_int_equal(comparison.mismatches, 0);
    assert_true(comparison.max_abs_error == 0.0);
    set(&a, 1, -0.0);
    set(&a, 3, 2.5);
    set(&b, 3, -1.0);
    comparison = reference_compare(&a, &b);
    assert_int_equal(comparison.mismatches, 2);
    assert_int_equal(comparison.first_index, 1);
    assert_true(comparison.max_abs_error == 3.5);
    element_store(ELEMENT_FP32, left, 4, 0x7FC00001);
    element_store(ELEMENT_FP32, right, 4, 0x7FC00001);
    assert_int_equal(reference_compare(&a, &b).mismatches, 2);
    element_store(ELEMENT_FP32, right, 4, 0x7FC00002);
    comparison = reference_compare(&a, &b);
    assert_int_equal(comparison.mismatches, 3);
    assert_true(isinf(comparison.max_abs_error));
}

static void test_memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    struct conv conv = conv_plain(3, 4, 5, 5, 3);
    struct bench bench;
    enum status status = STATUS_NO_MEMORY;
    uint64_t nth = 0;
    bench_start(&bench, &conv);
    while (status == STATUS_NO_MEMORY) {
        arena_fail_at(++nth);
        status = reference_conv(&bench.conv, bench.k_step, &bench.input, &bench.weight, NULL,
                                &bench.output, &bench.arena);
        arena_fail_at(0);
    }
    assert_int_equal(status, STATUS_OK);
    assert_true(nth > 3);
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bias_is_added_once),
        cmocka_unit_test(test_every_output_channel_is_its_own),
        cmocka_unit_test(test_a_k_that_is_no_multiple_of_c0_adds_nothing_more),
        cmocka_unit_test(test_uneven_padding_goes_to_the_end),
        cmocka_unit_test(test_an_even_kernel_keeps_its_right_column),
        cmocka_unit_test(test_a_kernel_larger_than_the_input_works_with_padding),
        cmocka_unit_test(test_a_wide_dilation_reads_only_what_is_inside),
        cmocka_unit_test(test_strides_and_dilations_belong_to_their_axis),
        cmocka_unit_test(test_a_sum_beyond_fp16_saturates_and_bf16_holds_it),
        cmocka_unit_test(test_results_round_to_nearest_even),
        cmocka_unit_test(test_c1_is_outside_the_kernel_and_depth_outside_c1),
        cmocka_unit_test(test_a_block_is_summed_in_binary64_before_it_is_rounded),
        cmocka_unit_test(test_relu_makes_plus_zero_of_what_is_not_above_zero),
        cmocka_unit_test(test_sums_saturate_and_nan_becomes_zero),
        cmocka_unit_test(test_each_step_of_k_saturates_and_every_depth_ends_one),
        cmocka_unit_test(test_padding_in_h_and_w_is_a_product_with_zero_but_not_in_d),
        cmocka_unit_test(test_an_output_whose_depths_are_all_padding_is_the_bias),
        cmocka_unit_test(test_a_comparison_counts_and_places_mismatches),
        cmocka_unit_test(test_memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
