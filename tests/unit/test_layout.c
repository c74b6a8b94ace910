#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/tensor.h"

/* Element bytes of the tests: every logical element holds its own index, never 0. */
static void number_elements(struct tensor *tensor)
{
    for (uint64_t i = 0; i < tensor->count; i++) {
        element_store(tensor->element, tensor->data, i, (uint32_t)i + 1);
    }
}

struct sample {
    enum element dtype, out_dtype;
    enum tensor_format input_format, weight_format;
    uint32_t rank;
    uint64_t groups, cin_group, cout_group;
};

static struct conv conv_of(const struct sample *sample)
{
    struct conv conv = {
        .rank = sample->rank,
        .batch = 2,
        .cin = sample->groups * sample->cin_group,
        .cout = sample->groups * sample->cout_group,
        .cin_group = sample->cin_group,
        .groups = sample->groups,
        .in = {sample->rank > 2 ? 3 : 1, sample->rank > 1 ? 4 : 1, 5},
        .kernel = {sample->rank > 2 ? 2 : 1, sample->rank > 1 ? 3 : 1, 2},
        .stride = {1, 1, 1},
        .dilation = {1, 1, 1},
        .dtype = sample->dtype,
        .out_dtype = sample->out_dtype,
        .bias = true,
        .bias_length = sample->groups * sample->cout_group,
        .input_format = sample->input_format,
        .weight_format = sample->weight_format,
        .output_format = sample->input_format,
    };
    conv_derive(&conv);
    return conv;
}

static struct tensor numbered(void shape(const struct conv *, struct tensor *),
                              const struct conv *conv, struct arena *arena)
{
    struct tensor tensor;
    shape(conv, &tensor);
    assert_int_equal(tensor_take(&tensor, arena), STATUS_OK);
    number_elements(&tensor);
    return tensor;
}

/* Walks GM in its own order by counting digits of the mixed radix, from the last to the first. */
struct walk {
    uint64_t radix[8], digit[8];
    size_t count;
};

static struct walk walk_start(size_t count, const uint64_t *radix)
{
    struct walk walk = {.count = count};
    memcpy(walk.radix, radix, count * sizeof *radix);
    return walk;
}

static bool walk_next(struct walk *walk)
{
    for (size_t i = walk->count; i-- > 0;) {
        if (++walk->digit[i] < walk->radix[i]) {
            return true;
        }
        walk->digit[i] = 0;
    }
    return false;
}

static uint64_t walk_total(const struct walk *walk)
{
    uint64_t total = 1;
    for (size_t i = 0; i < walk->count; i++) {
        total *= walk->radix[i];
    }
    return total;
}

/* A map of channels and extents as the documents draw it. */
struct picture {
    enum tensor_format format;
    uint64_t batch, groups, channels, c1, c0;
    uint64_t d, h, w;
};

static struct walk picture_walk(const struct picture *p)
{
    if (p->format == FORMAT_NC1HWC0) {
        return walk_start(7, (uint64_t[]){p->batch, p->d, p->groups, p->c1, p->h, p->w, p->c0});
    }
    if (p->format == FORMAT_NHWC) {
        return walk_start(5, (uint64_t[]){p->batch, p->d, p->h, p->w, p->groups * p->channels});
    }
    return walk_start(5, (uint64_t[]){p->batch, p->groups * p->channels, p->d, p->h, p->w});
}

/* The number that number_elements gave the element under the walk; 0 in the padding. */
static uint64_t picture_number(const struct picture *p, const struct walk *walk)
{
    const uint64_t *x = walk->digit;
    uint64_t n = x[0], c = x[1], d = x[2], h = x[3], w = x[4];
    if (p->format == FORMAT_NHWC) {
        d = x[1], h = x[2], w = x[3], c = x[4];
    } else if (p->format == FORMAT_NC1HWC0) {
        uint64_t in_group = x[3] * p->c0 + x[6];
        if (in_group >= p->channels) {
            return 0;
        }
        d = x[1], c = x[2] * p->channels + in_group, h = x[4], w = x[5];
    }
    return (((n * p->groups * p->channels + c) * p->d + d) * p->h + h) * p->w + w + 1;
}

static uint32_t code_mask(enum element element)
{
    return element_bytes(element) == 4 ? UINT32_MAX : (1U << element_bits(element)) - 1;
}

static void check_input(const struct sample *sample, struct arena *arena)
{
    struct conv conv = conv_of(sample);
    struct tensor logical = numbered(tensor_shape_input, &conv, arena);
    uint64_t c0 = 32 / element_bytes(conv.dtype);
    struct picture picture = {conv.input_format,
                              conv.batch,
                              conv.groups,
                              conv.cin_group,
                              (conv.cin_group + c0 - 1) / c0,
                              c0,
                              conv.in[AXIS_D],
                              conv.in[AXIS_H],
                              conv.in[AXIS_W]};
    struct walk walk = picture_walk(&picture);
    assert_int_equal(layout_input_bytes(&conv), walk_total(&walk) * element_bytes(conv.dtype));
    uint8_t *gm = arena_take(arena, layout_input_bytes(&conv), 1);
    memset(gm, 0xEE, layout_input_bytes(&conv));
    layout_input_pack(&conv, &logical, gm);
    uint64_t offset = 0;
    do {
        uint32_t wanted = (uint32_t)picture_number(&picture, &walk) & code_mask(conv.dtype);
        assert_int_equal(element_load(conv.dtype, gm, offset++), wanted);
    } while (walk_next(&walk));
}

static void check_output(const struct sample *sample, struct arena *arena)
{
    struct conv conv = conv_of(sample);
    uint64_t c0 = conv.out_dtype == ELEMENT_FP32 ? 8 : 16;
    uint64_t cout_group = conv.cout / conv.groups;
    struct picture picture = {conv.input_format,
                              conv.batch,
                              conv.groups,
                              cout_group,
                              (cout_group + 15) / 16 * 16 / c0,
                              c0,
                              (uint64_t)conv.out[AXIS_D],
                              (uint64_t)conv.out[AXIS_H],
                              (uint64_t)conv.out[AXIS_W]};
    struct walk walk = picture_walk(&picture);
    assert_int_equal(layout_output_bytes(&conv), walk_total(&walk) * element_bytes(conv.out_dtype));
    uint8_t *gm = arena_take(arena, layout_output_bytes(&conv), 1);
    uint64_t offset = 0;
    do {
        uint32_t code = (uint32_t)picture_number(&picture, &walk);
        element_store(conv.out_dtype, gm, offset++, code == 0 ? 0xEEEE : code);
    } while (walk_next(&walk));
    struct tensor logical;
    tensor_shape_output(&conv, &logical);
    assert_int_equal(tensor_take(&logical, arena), STATUS_OK);
    layout_output_unpack(&conv, gm, &logical);
    for (uint64_t i = 0; i < logical.count; i++) {
        assert_int_equal(element_load(conv.out_dtype, logical.data, i), i + 1);
    }
}

static struct walk weight_walk(const struct conv *conv)
{
    const uint64_t *k = conv->kernel;
    uint64_t c0 = 32 / element_bytes(conv->dtype);
    uint64_t c1 = (conv->cin_group + c0 - 1) / c0;
    uint64_t n1 = (conv->cout / conv->groups + 15) / 16;
    if (conv->weight_format == FORMAT_FRACTAL_Z) {
        return walk_start(8, (uint64_t[]){conv->groups, k[0], c1, k[1], k[2], n1, 16, c0});
    }
    if (conv->weight_format == FORMAT_HWCN) {
        return walk_start(5, (uint64_t[]){k[0], k[1], k[2], conv->cin_group, conv->cout});
    }
    return walk_start(5, (uint64_t[]){conv->cout, conv->cin_group, k[0], k[1], k[2]});
}

static uint64_t weight_number(const struct conv *conv, const struct walk *walk)
{
    const uint64_t *x = walk->digit;
    const uint64_t *k = conv->kernel;
    uint64_t n = x[0], c = x[1], kd = x[2], kh = x[3], kw = x[4];
    if (conv->weight_format == FORMAT_HWCN) {
        kd = x[0], kh = x[1], kw = x[2], c = x[3], n = x[4];
    } else if (conv->weight_format == FORMAT_FRACTAL_Z) {
        uint64_t in_group = x[5] * 16 + x[6];
        kd = x[1], c = x[2] * (32 / element_bytes(conv->dtype)) + x[7], kh = x[3], kw = x[4];
        n = x[0] * (conv->cout / conv->groups) + in_group;
        if (in_group >= conv->cout / conv->groups || c >= conv->cin_group) {
            return 0;
        }
    }
    return (((n * conv->cin_group + c) * k[0] + kd) * k[1] + kh) * k[2] + kw + 1;
}

static void check_weight(const struct sample *sample, struct arena *arena)
{
    struct conv conv = conv_of(sample);
    struct tensor logical = numbered(tensor_shape_weight, &conv, arena);
    struct walk walk = weight_walk(&conv);
    assert_int_equal(layout_weight_bytes(&conv), walk_total(&walk) * element_bytes(conv.dtype));
    uint8_t *gm = arena_take(arena, layout_weight_bytes(&conv), 1);
    memset(gm, 0xEE, layout_weight_bytes(&conv));
    layout_weight_pack(&conv, &logical, gm);
    uint64_t offset = 0;
    do {
        uint32_t wanted = (uint32_t)weight_number(&conv, &walk) & code_mask(conv.dtype);
        assert_int_equal(element_load(conv.dtype, gm, offset++), wanted);
    } while (walk_next(&walk));
}

/* Calls check for every rank, type and a few group shapes. */
static void for_samples(enum tensor_format input_format, enum tensor_format weight_format,
                        void check(const struct sample *, struct arena *))
{
    static const enum element types[][2] = {{ELEMENT_FP16, ELEMENT_FP16},
                                            {ELEMENT_BF16, ELEMENT_FP32},
                                            {ELEMENT_FP32, ELEMENT_FP32},
                                            {ELEMENT_INT8, ELEMENT_INT32}};
    static const uint64_t groups[][3] = {{1, 1, 1}, {1, 33, 17}, {3, 5, 20}, {2, 16, 32}};
    for (uint32_t rank = 1; rank <= 3; rank++) {
        for (size_t i = 0; i < 16; i++) {
            const uint64_t *group = groups[i % 4];
            struct sample sample = {
                types[i / 4][0], types[i / 4][1], input_format, weight_format, rank,
                group[0],        group[1],        group[2]};
            struct arena arena;
            arena_init(&arena, 0);
            check(&sample, &arena);
            arena_deinit(&arena);
        }
    }
}

static void test_inputs_lie_as_their_format_is_drawn(void **state)
{
    (void)state;
    for_samples(FORMAT_NC1HWC0, FORMAT_FRACTAL_Z, check_input);
    for_samples(FORMAT_NCHW, FORMAT_FRACTAL_Z, check_input);
    for_samples(FORMAT_NHWC, FORMAT_FRACTAL_Z, check_input);
}

static void test_weights_lie_as_their_format_is_drawn(void **state)
{
    (void)state;
    for_samples(FORMAT_NC1HWC0, FORMAT_FRACTAL_Z, check_weight);
    for_samples(FORMAT_NC1HWC0, FORMAT_NCHW, check_weight);
    for_samples(FORMAT_NC1HWC0, FORMAT_HWCN, check_weight);
}

static void test_outputs_are_read_back_from_their_format(void **state)
{
    (void)state;
    for_samples(FORMAT_NC1HWC0, FORMAT_FRACTAL_Z, check_output);
    for_samples(FORMAT_NCHW, FORMAT_FRACTAL_Z, check_output);
    for_samples(FORMAT_NHWC, FORMAT_FRACTAL_Z, check_output);
}

static void test_a_bias_is_padded_to_16_channels_of_each_group(void **state)
{
    (void)state;
    struct sample sample = {
        ELEMENT_FP16, ELEMENT_FP16, FORMAT_NC1HWC0, FORMAT_FRACTAL_Z, 2, 3, 1, 18};
    struct conv conv = conv_of(&sample);
    struct arena arena;
    arena_init(&arena, 0);
    struct tensor logical = numbered(tensor_shape_bias, &conv, &arena);
    uint8_t gm[3 * 32 * 4];
    assert_int_equal(layout_bias_bytes(&conv), sizeof gm);
    memset(gm, 0xEE, sizeof gm);
    layout_bias_pack(&conv, &logical, gm);
    for (uint32_t i = 0; i < 3 * 32; i++) {
        uint32_t wanted = i % 32 < 18 ? i / 32 * 18 + i % 32 + 1 : 0;
        assert_int_equal(element_load(ELEMENT_FP32, gm, i), wanted);
    }
    arena_deinit(&arena);
}

/* The element (kh 0, kw 1, channel 16) of a 3x3 kernel on 32 channels is K 160, not 48. */
static void test_k_runs_over_c1_then_the_kernel_then_c0(void **state)
{
    (void)state;
    struct conv conv = {.rank = 2,
                        .cin = 32,
                        .cout = 16,
                        .cin_group = 32,
                        .groups = 1,
                        .kernel = {1, 3, 3},
                        .dtype = ELEMENT_FP16,
                        .weight_format = FORMAT_FRACTAL_Z};
    const struct position at = {0, 0, 1};
    assert_int_equal(layout_weight_offset(&conv, 0, 16, at), 160 / 16 * 256);
    assert_int_equal(layout_weight_offset(&conv, 5, 19, at), 160 / 16 * 256 + 5 * 16 + 3);
}

static void test_offsets_of_a_hand_computed_example(void **state)
{
    (void)state;
    struct conv conv = {.rank = 2,
                        .batch = 2,
                        .cin = 40,
                        .cout = 24,
                        .cin_group = 20,
                        .groups = 2,
                        .in = {1, 6, 7},
                        .out = {1, 4, 5},
                        .dtype = ELEMENT_FP16,
                        .out_dtype = ELEMENT_FP32,
                        .input_format = FORMAT_NC1HWC0};
    const struct position at = {0, 2, 3};
    assert_int_equal(layout_input_c1(&conv), 2);
    assert_int_equal(layout_n1(&conv), 1);
    assert_int_equal(layout_output_c0(&conv), 8);
    assert_int_equal(layout_output_c1(&conv), 2);
    /* Channel 37 is channel 17 of group 1: plane 3, lane 1; image 1 starts at plane 4. */
    assert_int_equal(layout_input_offset(&conv, 1, 37, at), ((4 + 3) * 42 + 2 * 7 + 3) * 16 + 1);
    assert_int_equal(layout_input_step(&conv), 16);
    /* Channel 21 is channel 9 of group 1: plane 3, lane 1. */
    assert_int_equal(layout_output_offset(&conv, 1, 21, at), ((4 + 3) * 20 + 2 * 5 + 3) * 8 + 1);
    assert_int_equal(layout_output_step(&conv), 8);
    conv.input_format = conv.output_format = FORMAT_NHWC;
    assert_int_equal(layout_input_offset(&conv, 1, 37, at), (42 + 2 * 7 + 3) * 40 + 37);
    assert_int_equal(layout_output_step(&conv), 24);
    conv.output_format = FORMAT_NCHW;
    assert_int_equal(layout_input_step(&conv), 40);
    conv.input_format = FORMAT_NCHW;
    assert_int_equal(layout_output_offset(&conv, 1, 21, at), (24 + 21) * 20 + 2 * 5 + 3);
    assert_int_equal(layout_input_step(&conv), 1);
}

static void test_sizes_stop_instead_of_wrapping(void **state)
{
    (void)state;
    struct sample sample = {ELEMENT_FP32, ELEMENT_FP32, FORMAT_NCHW, FORMAT_NCHW, 3, 1, 1, 1};
    struct conv conv = conv_of(&sample);
    conv.in[AXIS_D] = conv.in[AXIS_H] = conv.in[AXIS_W] = UINT64_C(1) << 20;
    assert_int_equal(layout_input_count(&conv), UINT64_C(1) << 61);
    assert_int_equal(layout_input_bytes(&conv), INT64_MAX);
    conv.kernel[AXIS_H] = conv.kernel[AXIS_W] = UINT64_C(1) << 32;
    assert_int_equal(layout_weight_count(&conv), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs_lie_as_their_format_is_drawn),
        cmocka_unit_test(test_weights_lie_as_their_format_is_drawn),
        cmocka_unit_test(test_outputs_are_read_back_from_their_format),
        cmocka_unit_test(test_a_bias_is_padded_to_16_channels_of_each_group),
        cmocka_unit_test(test_k_runs_over_c1_then_the_kernel_then_c0),
        cmocka_unit_test(test_offsets_of_a_hand_computed_example),
        cmocka_unit_test(test_sizes_stop_instead_of_wrapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
