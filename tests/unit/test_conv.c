#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/conv.h"

/* A 2-D layer with stride, dilation and groups 1 and no padding. */
static struct conv layer(uint64_t cin, uint64_t h, uint64_t w, uint64_t cout, uint64_t kh,
                         uint64_t kw)
{
    return (struct conv){.rank = 2,
                         .batch = 1,
                         .cin = cin,
                         .cin_group = cin,
                         .cout = cout,
                         .groups = 1,
                         .in = {1, h, w},
                         .kernel = {1, kh, kw},
                         .stride = {1, 1, 1},
                         .dilation = {1, 1, 1},
                         .dtype = ELEMENT_FP16,
                         .out_dtype = ELEMENT_FP16,
                         .bias_length = cout};
}

static void assert_output(struct conv conv, int64_t h, int64_t w)
{
    conv_derive(&conv);
    assert_int_equal(conv.out[AXIS_D], 1);
    assert_int_equal(conv.out[AXIS_H], h);
    assert_int_equal(conv.out[AXIS_W], w);
}

static void test_dilation_widens_the_kernel_by_its_gaps_only(void **state)
{
    struct conv conv = layer(16, 8, 8, 16, 3, 3);

    (void)state;
    conv.dilation[AXIS_H] = 2;
    assert_output(conv, 4, 6);
    conv = layer(16, 1, 1, 16, 1, 1);
    conv.dilation[AXIS_H] = 3;
    conv.dilation[AXIS_W] = 3;
    assert_output(conv, 1, 1);
}

static void test_three_dilated_layers_with_stride_two_chain(void **state)
{
    static const int64_t sizes[] = {31, 15, 7};
    uint64_t size = 64;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct conv conv = layer(16, size, size, 16, 3, 3);

        for (enum axis axis = AXIS_H; axis <= AXIS_W; axis++) {
            conv.stride[axis] = 2;
            conv.dilation[axis] = 2;
            conv.pad_head[axis] = conv.pad_tail[axis] = 1;
        }
        assert_output(conv, sizes[i], sizes[i]);
        size = (uint64_t)sizes[i];
    }
}

static void test_uneven_padding_counts_each_side(void **state)
{
    struct conv conv = layer(16, 7, 5, 16, 3, 3);

    (void)state;
    conv.stride[AXIS_H] = conv.stride[AXIS_W] = 2;
    conv.pad_head[AXIS_H] = 1;
    conv.pad_tail[AXIS_H] = 1;
    assert_output(conv, 4, 2);
}

static void test_same_padding_with_stride_two_puts_the_extra_row_last(void **state)
{
    struct conv conv = layer(20, 14, 14, 16, 3, 3);

    (void)state;
    for (enum axis axis = AXIS_H; axis <= AXIS_W; axis++) {
        conv.stride[axis] = 2;
        conv.pad_tail[axis] = 1;
    }
    assert_output(conv, 7, 7);
}

static void test_even_kernel_keeps_its_last_column(void **state)
{
    (void)state;
    assert_output(layer(1, 4, 4, 1, 2, 2), 3, 3);
}

static void test_kernel_larger_than_the_padded_input_has_no_output(void **state)
{
    struct conv conv = layer(16, 6, 2, 16, 8, 8);

    (void)state;
    conv_derive(&conv);
    assert_true(conv.out[AXIS_H] < 1 && conv.out[AXIS_W] < 1);
    assert_int_equal(conv_macs(&conv), 0);
    conv.stride[AXIS_H] = 63;
    conv_derive(&conv);
    assert_true(conv.out[AXIS_H] < 1);
    conv = layer(16, 2, 2, 16, 3, 3);
    for (enum axis axis = AXIS_H; axis <= AXIS_W; axis++) {
        conv.pad_head[axis] = conv.pad_tail[axis] = 1;
    }
    assert_output(conv, 2, 2);
}

static void test_axes_keep_their_own_stride_in_the_order_depth_height_width(void **state)
{
    struct conv conv = layer(4, 32, 32, 16, 2, 2);

    (void)state;
    conv.rank = 3;
    conv.in[AXIS_D] = 120;
    conv.stride[AXIS_D] = 1;
    conv.stride[AXIS_H] = 2;
    conv.stride[AXIS_W] = 2;
    conv_derive(&conv);
    assert_int_equal(conv.out[AXIS_D], 120);
    assert_int_equal(conv.out[AXIS_H], 16);
    assert_int_equal(conv.out[AXIS_W], 16);
    conv.stride[AXIS_D] = 2;
    conv.stride[AXIS_W] = 1;
    conv_derive(&conv);
    assert_int_equal(conv.out[AXIS_D], 60);
    assert_int_equal(conv.out[AXIS_H], 16);
    assert_int_equal(conv.out[AXIS_W], 31);
}

static void test_strides_and_dilations_may_differ_by_axis(void **state)
{
    struct conv conv = layer(16, 25, 9, 16, 3, 3);

    (void)state;
    conv.stride[AXIS_H] = 2;
    conv.dilation[AXIS_W] = 2;
    for (enum axis axis = AXIS_H; axis <= AXIS_W; axis++) {
        conv.pad_head[axis] = conv.pad_tail[axis] = 1;
    }
    assert_output(conv, 13, 7);
}

static void test_grouped_work_counts_the_channels_of_a_group(void **state)
{
    struct conv conv = layer(32, 112, 112, 32, 3, 3);

    (void)state;
    conv.groups = 32;
    conv.cin_group = 1;
    for (enum axis axis = AXIS_H; axis <= AXIS_W; axis++) {
        conv.pad_head[axis] = conv.pad_tail[axis] = 1;
    }
    conv_derive(&conv);
    assert_int_equal(conv_macs(&conv), 3612672);
    assert_int_equal(conv_cout_group(&conv), 1);
    assert_int_equal(conv_cin_aligned(&conv), 16);
    assert_int_equal(conv_k(&conv), 144);

    conv = layer(768, 1, 149, 768, 1, 128);
    conv.rank = 1;
    conv.groups = 16;
    conv.cin_group = 48;
    assert_int_equal(conv_k(&conv), 6144);
    assert_int_equal(conv_cout_group(&conv), 48);
}

static void test_counts_beyond_32_bits_do_not_wrap(void **state)
{
    struct conv conv = layer(32, 2800, 2800, 1, 3, 3);

    (void)state;
    for (enum axis axis = AXIS_H; axis <= AXIS_W; axis++) {
        conv.pad_head[axis] = conv.pad_tail[axis] = 1;
    }
    conv_derive(&conv);
    assert_true(conv_macs(&conv) == UINT64_C(2257920000));

    conv = layer(256, 146, 258, 1, 3, 3);
    conv.rank = 3;
    conv.in[AXIS_D] = 19;
    conv.kernel[AXIS_D] = 3;
    conv_derive(&conv);
    assert_int_equal(conv.out[AXIS_D], 17);
    assert_true(conv_macs(&conv) == UINT64_C(256) * 27 * 17 * 144 * 256);
    assert_true(conv_macs(&conv) == UINT64_C(4331667456));
}

static void test_work_that_64_bits_do_not_hold_is_told(void **state)
{
    struct conv conv = layer(1, 1, 1, 1, 1, 1);

    (void)state;
    conv.batch = UINT64_C(1) << 62;
    conv_derive(&conv);
    assert_true(conv_macs_fit(&conv));
    conv.cout = 2;
    assert_false(conv_macs_fit(&conv));
    conv.batch = UINT64_C(1) << 32;
    conv.cout = UINT64_C(1) << 32;
    assert_false(conv_macs_fit(&conv));
}

static void test_tensors_that_64_bits_do_not_address_are_told(void **state)
{
    struct conv conv = layer(16, 1, 1, 16, 1, 1);

    (void)state;
    conv_derive(&conv);
    assert_true(conv_bytes_fit(&conv));
    conv.batch = UINT64_C(1) << 58;
    assert_false(conv_bytes_fit(&conv));
    conv.batch = 1;
    conv.kernel[AXIS_W] = UINT64_C(1) << 56;
    conv_derive(&conv);
    assert_int_equal(conv.out[AXIS_W], 0);
    assert_false(conv_bytes_fit(&conv));
}

static void test_sizes_at_the_end_of_the_range_stay_in_it(void **state)
{
    struct conv conv = layer(1, INT64_MAX, 5, 1, 3, INT64_MAX);

    (void)state;
    conv.pad_head[AXIS_H] = conv.pad_tail[AXIS_H] = INT64_MAX;
    conv.dilation[AXIS_W] = INT64_MAX;
    conv_derive(&conv);
    assert_true(conv.out[AXIS_H] == INT64_MAX);
    assert_int_equal(conv.out[AXIS_W], 0);
    assert_true(conv_window(&conv, AXIS_W, INT64_MAX) == INT64_MAX);
}

static void test_window_spans_strides_and_dilated_kernel(void **state)
{
    struct conv conv = layer(16, 64, 64, 16, 3, 3);

    (void)state;
    conv.dilation[AXIS_W] = 8;
    conv.stride[AXIS_H] = 2;
    assert_int_equal(conv_window(&conv, AXIS_W, 1), 17);
    assert_int_equal(conv_window(&conv, AXIS_W, 44), 60);
    assert_int_equal(conv_window(&conv, AXIS_H, 4), 9);
    assert_int_equal(conv_window(&conv, AXIS_H, 0), 0);
}

static void test_channel_blocks_hold_32_bytes(void **state)
{
    static const struct {
        enum element dtype;
        uint64_t c0, aligned;
    } rows[] = {{ELEMENT_FP16, 16, 32}, {ELEMENT_FP32, 8, 24}, {ELEMENT_INT8, 32, 32}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct conv conv = layer(17, 4, 4, 16, 1, 1);

        conv.dtype = rows[i].dtype;
        assert_int_equal(conv_c0(&conv), rows[i].c0);
        assert_int_equal(conv_cin_aligned(&conv), rows[i].aligned);
    }
}

static void test_rounding_helpers_work_at_the_edges(void **state)
{
    (void)state;
    assert_int_equal(ceil_div(0, 16), 0);
    assert_int_equal(ceil_div(16, 16), 1);
    assert_int_equal(ceil_div(17, 16), 2);
    assert_int_equal(align_up(0, 16), 0);
    assert_int_equal(align_up(1, 16), 16);
    assert_int_equal(align_up(32, 16), 32);
}

static void test_formats_have_the_words_of_plan_files(void **state)
{
    (void)state;
    assert_string_equal(format_word(FORMAT_NC1HWC0), "nc1hwc0");
    assert_string_equal(format_word(FORMAT_FRACTAL_Z), "fractal_z");
    assert_string_equal(format_word(FORMAT_HWCN), "hwcn");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dilation_widens_the_kernel_by_its_gaps_only),
        cmocka_unit_test(test_three_dilated_layers_with_stride_two_chain),
        cmocka_unit_test(test_uneven_padding_counts_each_side),
        cmocka_unit_test(test_same_padding_with_stride_two_puts_the_extra_row_last),
        cmocka_unit_test(test_even_kernel_keeps_its_last_column),
        cmocka_unit_test(test_kernel_larger_than_the_padded_input_has_no_output),
        cmocka_unit_test(test_axes_keep_their_own_stride_in_the_order_depth_height_width),
        cmocka_unit_test(test_strides_and_dilations_may_differ_by_axis),
        cmocka_unit_test(test_grouped_work_counts_the_channels_of_a_group),
        cmocka_unit_test(test_counts_beyond_32_bits_do_not_wrap),
        cmocka_unit_test(test_work_that_64_bits_do_not_hold_is_told),
        cmocka_unit_test(test_tensors_that_64_bits_do_not_address_are_told),
        cmocka_unit_test(test_sizes_at_the_end_of_the_range_stay_in_it),
        cmocka_unit_test(test_window_spans_strides_and_dilated_kernel),
        cmocka_unit_test(test_channel_blocks_hold_32_bytes),
        cmocka_unit_test(test_rounding_helpers_work_at_the_edges),
        cmocka_unit_test(test_formats_have_the_words_of_plan_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
