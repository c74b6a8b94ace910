/*
 * Faults that people met in plans, buffers and convolutions of this field, as whole runs: each
 * input that went wrong elsewhere goes through check, lowering, execution and verification here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "model/lower.h"
#include "tests/support/run_check.h"

static struct run_case *loaded(const char *name, const char *yaml, const char *product)
{
    struct run_case *c = run_case_open(name);
    enum status status = run_case_load(c, yaml, product);
    if (status != STATUS_OK)
        fail_msg("%s: %s", name,
                 c->diag.count > 0 ? diag_text(&c->diag, 0) : status_sentence(status));
    return c;
}

static void ran(const char *name, const char *yaml, const char *product)
{
    struct run_case *c = loaded(name, yaml, product);
    c->rough = true;
    run_case_go(c, 7, true);
    run_case_close(c);
}

static void fill(struct tensor *tensor, float value)
{
    for (uint64_t i = 0; i < tensor->count; i++)
        element_store(tensor->element, tensor->data, i,
                      element_is_integer(tensor->element)
                          ? (uint32_t)(int32_t)value
                          : element_encode(tensor->element, value, true));
}

static uint64_t saturated; /* by the last call of constant_output */

/* Runs with constant tensors and returns the first output. */
static double constant_output(const char *yaml, const char *product, float input, float weight,
                              float bias)
{
    struct run_case *c = loaded("constant", yaml, product);
    run_case_go(c, 1, false); /* makes the tensors */
    fill(&c->input, input);
    fill(&c->weight, weight);
    fill(&c->bias, bias);
    struct run_options options = {.verify = true,
                                  .input = &c->input,
                                  .weight = &c->weight,
                                  .bias = c->plan.conv.bias ? &c->bias : NULL};
    assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result), STATUS_OK);
    assert_int_equal(c->result.comparison.mismatches, 0);
    saturated = c->result.saturated_values;
    const struct tensor *output = &c->result.output;
    double first = element_decode(output->element, element_load(output->element, output->data, 0));
    for (uint64_t i = 1; i < output->count; i++)
        assert_true(element_decode(output->element,
                                   element_load(output->element, output->data, i)) == first);
    run_case_close(c);
    return first;
}

/* The L1 share of the image is rows x columns x tileCin, not the expanded image. */
static void test_a1_l1_holds_the_image_before_expansion(void **state)
{
    (void)state;
    static const char *const yaml =
        "conv: {input: [4, 64, 48, 48], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: "
        "fp32, "
        "bias: true}\n"
        "tile_l1: {tileHin: 34, tileHout: 32, tileWin: 18, tileWout: 16, tileCinFmap: 64, "
        "tileCinWeight: 64, tileN: 16}\ntile_l0: {tileH: 8, tileW: 16, tileK: 64, tileN: 16}\n"
        "schedule: {l1a_buffers: 1, l1b_buffers: 1}\n";
    struct run_case *c = loaded("a1", yaml, "atlas-a2");
    assert_string_equal(c->report.buffers[0].buffer, "L1");
    assert_int_equal(c->report.buffers[0].single_bytes, 193600);
    c->plan.rules = RULES_DOCUMENT;
    assert_int_equal(rules_check(&c->plan, RULES_DOCUMENT, &c->arena, &c->report), STATUS_OK);
    assert_false(c->report.legal);
    run_case_close(c);
}

/* Channels 8 to 15 of a tile over the group are zeros and add nothing. */
static void test_a3_a_tile_may_be_wider_than_the_channels_of_a_group(void **state)
{
    (void)state;
    ran("a3",
        "conv: {input: [1, 16, 5, 32], weight: [16, 8, 3, 3], padding: [1, 1, 1, 1], groups: 2, "
        "dtype: fp16}\n"
        "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 32, tileWout: 32, tileCinFmap: 16, "
        "tileCinWeight: 16, tileN: 16}\ntile_l0: {tileH: 1, tileW: 32, tileK: 48, tileN: 16}\n",
        "atlas-a2");
}

/* Bias once, however many K steps an output takes. */
static void test_a15_bias_is_added_once(void **state)
{
    (void)state;
    static const char *const yaml =
        "conv: {input: [1, 48, 1, 16], weight: [16, 48, 1, 1], dtype: fp16, bias: true}\n"
        "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 16, tileWout: 16, tileCinFmap: 16, "
        "tileCinWeight: 48, tileN: 16}\ntile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 16}\n";
    assert_true(constant_output(yaml, "atlas-a2", 0.0f, 0.0f, 1.0f) == 1.0);
    assert_true(constant_output(yaml, "ascend-950pr", 0.0f, 0.0f, 1.0f) == 1.0);
    assert_true(constant_output(yaml, "ascend310p3", 0.0f, 0.0f, 1.0f) == 1.0);
}

/* Two tiles of N: every channel is stored, each exactly once. */
static void test_a16_the_first_output_slice_has_its_width(void **state)
{
    (void)state;
    ran("a16",
        "conv: {input: [1, 16, 4, 16], weight: [32, 16, 1, 1], dtype: fp16}\n"
        "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 16, tileWout: 16, tileCinFmap: 16, "
        "tileCinWeight: 16, tileN: 16}\ntile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 16}\n",
        "atlas-a2");
}

/* A gap of 65,536 blocks does not fit into 16 bits: one copy for each plane instead. */
/* 80 channels of int8 are three blocks of 32, the last one half empty: K 64 and a tail of 32. */
static void test_b19_the_empty_half_of_the_last_k_block_adds_nothing(void **state)
{
    (void)state;
#define CONV_B19 "conv: {input: [1, 80, 4, 16], weight: [16, 80, 1, 1], dtype: int8}\n"
    assert_true(constant_output(CONV_B19
                                "tile: {mAL1: 64, mL0: 32, nBL1: 16, nL0: 16, kAL1: 64, kBL1: 64, "
                                "kL0: 64}\n",
                                "atlas-a2", 1.0f, 1.0f, 0.0f) == 80.0);
    struct run_case *c = run_case_open("tileK 48");
    assert_int_equal(run_case_load(c,
                                   CONV_B19
                                   "tile_l1: {tileHin: 1, tileHout: 4, tileWin: 16, tileWout: 16, "
                                   "tileCinFmap: 96, tileCinWeight: 96, tileN: 16}\n"
                                   "tile_l0: {tileH: 1, tileW: 16, tileK: 48, tileN: 16}\n",
                                   "atlas-a2"),
                     STATUS_BROKEN);
#undef CONV_B19
    for (uint32_t i = 0; i < c->report.count; i++)
        assert_int_equal(c->report.verdicts[i].ok, strcmp(c->report.verdicts[i].id, "16") != 0);
    run_case_close(c);
}

static void test_b21_a_gap_over_16_bits_is_split(void **state)
{
    (void)state;
    for (int height = 256; height <= 257; height++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 32, %d, 256], weight: [16, 32, 1, 1], stride: [63, 1], "
                 "dtype: fp16}\n"
                 "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 256, tileWout: 256, tileCinFmap: 32, "
                 "tileCinWeight: 32, tileN: 16}\n"
                 "tile_l0: {tileH: 1, tileW: 256, tileK: 32, tileN: 16}\n",
                 height);
        struct run_case *c = loaded("b21", yaml, "atlas-a2");
        struct program program;
        assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_OK);
        void *stream = program.open(program.context, 0, &c->arena);
        struct insn insn;
        uint32_t image_copies = 0;
        while (program.next(stream, &insn)) {
            if (insn.opcode != OP_DATA_COPY)
                continue;
            assert_true(insn.field[DATA_COPY_srcGap] <= 65535);
            image_copies += insn.operand[DATA_COPY_src].region == REGION_INPUT;
        }
        assert_true(height == 256 ? image_copies > 0 : image_copies % 2 == 0);
        run_case_go(c, 3, true);
        run_case_close(c);
    }
}

/* A short tail of M has its own pitch in L0C. */
static void test_b22_a_tail_of_m_is_stored_with_its_own_pitch(void **state)
{
    (void)state;
    static const char *const products[] = {"atlas-a2", "ascend-950pr", "ascend310p3", "ascend910a"};
    for (int i = 0; i < 4; i++)
        ran("b22",
            "conv: {input: [1, 32, 6, 23], weight: [256, 32, 1, 1], dtype: fp16}\n"
            "tile: {mAL1: 128, nBL1: 256, kAL1: 32, kBL1: 32, mL0: 128, kL0: 32, nL0: 256}\n"
            "schedule: {cores: 1}\n",
            products[i]);
}

/* Strides are elements: with four bytes an error would show as a factor. */
static void test_b25_strides_in_elements_hold_for_fp32(void **state)
{
    (void)state;
    ran("b25",
        "conv: {input: [1, 16, 5, 16], weight: [16, 16, 3, 3], padding: [1, 1, 1, 1], "
        "dtype: fp32}\n",
        "ascend-950pr");
}

/* One to five K steps through two slots: the same sums, and no hang. */
static void test_b27_ping_pong_does_not_depend_on_the_parity_of_the_loop(void **state)
{
    (void)state;
    for (int steps = 1; steps <= 5; steps++)
        for (int buffers = 1; buffers <= 2; buffers++) {
            char yaml[640];
            snprintf(yaml, sizeof yaml,
                     "conv: {input: [1, %d, 3, 16], weight: [16, %d, 1, 1], dtype: fp16}\n"
                     "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 16, tileWout: 16, "
                     "tileCinFmap: 16, tileCinWeight: 16, tileN: 16}\n"
                     "tile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 16}\n"
                     "schedule: {l0a_buffers: %d, l0b_buffers: 2, l1a_buffers: 2, "
                     "l1b_buffers: %d, cores: 1}\n",
                     16 * steps, 16 * steps, buffers, buffers);
            assert_true(constant_output(yaml, "atlas-a2", 1.0f, 1.0f, 0.0f) == 16.0 * steps);
            assert_true(constant_output(yaml, "ascend910a", 1.0f, 1.0f, 0.0f) == 16.0 * steps);
        }
}

/* A patch embedding is a matrix product: the same numbers as the 1x1 convolution over patches. */
static void test_b30_a_patch_convolution_is_a_matrix_product(void **state)
{
    (void)state;
    ran("b30",
        "conv: {input: [1, 3, 2, 28, 28], weight: [64, 3, 2, 14, 14], stride: [2, 14, 14], "
        "dtype: fp16}\n",
        "atlas-a2");
    ran("b30",
        "conv: {input: [1, 3, 2, 28, 28], weight: [64, 3, 2, 14, 14], stride: [2, 14, 14], "
        "dtype: bf16}\n",
        "ascend-950pr");
}

/* K runs over C1, Kh, Kw, C0; with C0 channels nobody could tell. */
static void test_b31_k_has_the_channel_blocks_outside(void **state)
{
    (void)state;
    ran("b31",
        "conv: {input: [1, 32, 6, 16], weight: [16, 32, 3, 3], padding: [1, 1, 1, 1], "
        "dtype: fp16}\n",
        "atlas-a2");
}

static void test_c_shapes_that_went_wrong_elsewhere(void **state)
{
    (void)state;
    static const char *const convs[] = {
        /* dilation over k - 1; chain of strides, paddings and dilations */
        "conv: {input: [1, 16, 8, 8], weight: [16, 16, 3, 3], dilation: [2, 2], dtype: fp16}\n",
        "conv: {input: [1, 16, 64], weight: [16, 16, 3], stride: [2], padding: [1, 1], "
        "dilation: [2], dtype: fp16}\n",
        /* uneven padding; SAME with stride 2; even kernel */
        "conv: {input: [1, 16, 7, 5], weight: [16, 16, 3, 3], stride: [2, 2], "
        "padding: [1, 1, 0, 0], dtype: fp16}\n",
        "conv: {input: [1, 20, 14, 14], weight: [16, 20, 3, 3], stride: [2, 2], "
        "padding: [0, 1, 0, 1], dtype: fp16}\n",
        "conv: {input: [1, 1, 4, 4], weight: [1, 1, 2, 2], dtype: fp16}\n",
        /* kernel over the bare input, inside the padded one */
        "conv: {input: [1, 16, 2, 2], weight: [16, 16, 3, 3], padding: [1, 1, 1, 1], dtype: "
        "fp16}\n",
        /* width 44 in tiles of 48, dilated */
        "conv: {input: [1, 32, 16, 44], weight: [16, 32, 3, 3], dilation: [8, 8], "
        "padding: [2, 2, 2, 2], dtype: fp16}\n",
        /* two strides, two dilations */
        "conv: {input: [1, 16, 25, 9], weight: [16, 16, 3, 3], stride: [2, 1], dilation: [1, 2], "
        "padding: [1, 1, 1, 1], dtype: fp16}\n",
        /* three different strides */
        "conv: {input: [1, 4, 12, 9, 7], weight: [16, 4, 2, 2, 2], stride: [3, 2, 1], dtype: "
        "fp16}\n",
    };
    for (size_t i = 0; i < sizeof convs / sizeof convs[0]; i++) {
        char name[16];
        snprintf(name, sizeof name, "c %zu", i);
        ran(name, convs[i], "atlas-a2");
        ran(name, convs[i], "ascend-950pr");
    }
}

/* Depthwise work is counted twice: what the layer needs, and what the cube does for it. */
static void test_c42_useful_work_and_the_cubes_work_are_told_apart(void **state)
{
    (void)state;
    struct run_case *c = loaded("c42",
                                "conv: {input: [1, 32, 112, 112], weight: [32, 1, 3, 3], "
                                "padding: [1, 1, 1, 1], groups: 32, dtype: fp16}\n",
                                "atlas-a2");
    run_case_go(c, 1, false);
    assert_int_equal(c->result.macs, 3612672);
    assert_int_equal(c->result.cube_macs, UINT64_C(3612672) * 16 * 16);
    run_case_close(c);
}

/* 576 x 16 x 16 = 147,456: exact in bf16, over the largest fp16. */
static void test_c46_an_overflow_of_fp16_saturates(void **state)
{
    (void)state;
    assert_true(
        constant_output("conv: {input: [1, 64, 3, 3], weight: [16, 64, 3, 3], dtype: bf16}\n",
                        "atlas-a2", 16.0f, 16.0f, 0.0f) == 147456.0);
    assert_int_equal(saturated, 0);
    assert_true(
        constant_output("conv: {input: [1, 64, 3, 3], weight: [16, 64, 3, 3], dtype: fp16}\n",
                        "atlas-a2", 16.0f, 16.0f, 0.0f) == 65504.0);
    assert_int_equal(saturated, 16); /* every output, and none twice */
    assert_true(
        constant_output("conv: {input: [1, 64, 3, 3], weight: [16, 64, 3, 3], dtype: fp16}\n",
                        "ascend310p3", 16.0f, 16.0f, 0.0f) == 65504.0);
    assert_int_equal(saturated, 16);
}

/* A half goes to the even neighbour, and what int8 cannot hold is clamped and counted. */
static void test_c45_requantisation_rounds_to_even_and_clamps(void **state)
{
    (void)state;
    static const struct {
        float input, weight;
        const char *quant;
        double value;
        uint64_t clamped;
    } rows[] = {{5, 1, "{scale: 0.5}", 2, 0},      {-5, 1, "{scale: 0.5}", -2, 0},
                {7, 1, "{scale: 0.5}", 4, 0},      {100, 3, "{scale: 1}", 127, 16},
                {100, -3, "{scale: 1}", -128, 16}, {100, 3, "{scale: 0.5, offset: -30}", 120, 0}};
    static const char *const products[] = {"atlas-a2", "ascend310b1", "ascend-950pr", "ascend310p3",
                                           "ascend910a"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int product = 0; product < 5; product++) {
            char yaml[256];
            snprintf(yaml, sizeof yaml,
                     "conv: {input: [1, 1, 1, 1], weight: [16, 1, 1, 1], dtype: int8, quant: %s}\n",
                     rows[i].quant);
            assert_true(constant_output(yaml, products[product], rows[i].input, rows[i].weight,
                                        0.0f) == rows[i].value);
            assert_int_equal(saturated, rows[i].clamped);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a1_l1_holds_the_image_before_expansion),
        cmocka_unit_test(test_a3_a_tile_may_be_wider_than_the_channels_of_a_group),
        cmocka_unit_test(test_a15_bias_is_added_once),
        cmocka_unit_test(test_a16_the_first_output_slice_has_its_width),
        cmocka_unit_test(test_b19_the_empty_half_of_the_last_k_block_adds_nothing),
        cmocka_unit_test(test_b21_a_gap_over_16_bits_is_split),
        cmocka_unit_test(test_b22_a_tail_of_m_is_stored_with_its_own_pitch),
        cmocka_unit_test(test_b25_strides_in_elements_hold_for_fp32),
        cmocka_unit_test(test_b27_ping_pong_does_not_depend_on_the_parity_of_the_loop),
        cmocka_unit_test(test_b30_a_patch_convolution_is_a_matrix_product),
        cmocka_unit_test(test_b31_k_has_the_channel_blocks_outside),
        cmocka_unit_test(test_c_shapes_that_went_wrong_elsewhere),
        cmocka_unit_test(test_c42_useful_work_and_the_cubes_work_are_told_apart),
        cmocka_unit_test(test_c45_requantisation_rounds_to_even_and_clamps),
        cmocka_unit_test(test_c46_an_overflow_of_fp16_saturates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
