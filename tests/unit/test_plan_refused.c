#include "tests/unit/plan_fixture.h"

static void test_what_the_product_cannot_do_is_refused_with_its_place(void **state)
{
    static const struct refusal rows[] = {
        {A2 LAYER "  input_format: nchw\n", 7, 17, "expected 'nc1hwc0'"},
        {A2 LAYER "  weight_format: nchw\n", 7, 18, "expected 'fractal_z'"},
        {A2 LAYER "  weight_format: hwcn\n", 7, 18, "no DN2NZ"},
        {"product: ascend310p3\n" LAYER "  input_format: nhwc\n", 7, 17, "no ND2NZ"},
        {"product: ascend310b1\n" LAYER "  bias: true\n", 7, 9, "'bias: false'"},
        {"product: ascend910a\n" LAYER "  bias: true\n", 7, 9, "'bias: false'"},
        {"product: ascend910a\nconv:\n" SHAPES "  dtype: bf16\n", 5, 10, "fp16 and int8"},
        {"product: ascend310p3\nconv:\n" SHAPES "  dtype: fp32\n", 5, 10, "fp16 and int8"},
    };
    struct fixture fixture;

    (void)state;
    REFUSE_ALL(rows);
    accept(&fixture, "product: ascend310p3\n" LAYER "  bias: true\n");
    assert_true(fixture.plan.conv.bias);
    fixture_deinit(&fixture);
    accept(&fixture, "product: ascend310b1\nconv:\n" SHAPES "  dtype: bf16\n");
    assert_int_equal(fixture.plan.conv.dtype, ELEMENT_BF16);
    fixture_deinit(&fixture);
}

static void test_what_the_tile_rules_judge_is_not_refused_here(void **state)
{
    static const char *const texts[] = {
        /* Rules 2, 3, 4, 5, 6, 7, 8, 9 and tiles far too large. */
        A2 "conv:\n  input: [1, 64, 1000001, 1]\n  weight: [64, 64, 1, 1]\n  dtype: fp16\n",
        A2 LAYER "  bias: true\n  bias_length: 63\n",
        A2 "conv:\n  input: [1, 16, 6, 2]\n  weight: [16, 16, 8, 8]\n  dtype: fp16\n",
        A2 LAYER "  stride: [1]\n",
        A2 LAYER "  stride: []\n",
        A2 "conv:\n" SHAPES "  padding: [1, 1, 1, 1, 1]\n  dtype: fp16\n",
        A2 LAYER "  dilation: [1, 1, 1]\n",
        A2 "conv:\n" SHAPES "  padding: [3, 3, 3, 3]\n  dtype: fp16\n",
        A2 LAYER "  groups: 2\n",
        A2 LAYER "  groups: 65536\n",
        A2 LAYER "  stride: [64, 9223372036854775807]\n",
        A2 "conv:\n  input: [1, 16, 80, 80]\n  weight: [16, 16, 64, 64]\n  dtype: fp16\n",
        A2 LAYER "tile_l1: {tileHin: 99, tileHout: 99, tileWin: 99, tileWout: 99, tileCinFmap: 99,"
                 " tileCinWeight: 99, tileN: 9223372036854775807, tileBatch: 2}\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct fixture fixture;

        accept(&fixture, texts[i]);
        fixture_deinit(&fixture);
    }
}

static void test_keys_that_are_unknown_missing_or_repeated_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {A2 LAYER "schedul: {}\n", 7, 1, "schedule"},
        {A2 LAYER "  strides: [1, 1]\n", 7, 3, "stride"},
        {A2 LAYER "tile_l0: {tileh: 1}\n", 7, 11, "tileH"},
        {A2 LAYER "tile: {mAl1: 16}\n", 7, 8, "mAL1"},
        {A2 LAYER "schedule: {core: 2}\n", 7, 12, "cores"},
        {A2 LAYER "schedule: {core_split: {k: 2}}\n", 7, 25, "k"},
        {A2 LAYER "  dtype: fp16\n", 7, 3, "dtype"},
        {LAYER, 1, 1, "found no product"},
        {A2 "rules: pypto\n", 1, 1, "'conv'"},
        {A2 "conv:\n  weight: [64, 64, 3, 3]\n  dtype: fp16\n", 3, 3, "input"},
        {A2 "conv:\n" SHAPES, 3, 3,
         "found no key 'dtype'; expected one of fp16, bf16, fp32, int8, fp8_e4m3, fp8_e5m2 and "
         "hif8"},
        {A2 LAYER "tile_l1: {tileHin: 1}\n", 7, 10, "tileHout"},
        {A2 LAYER TILE_L1 "tile_l0: {tileH: 1, tileW: 16, tileK: 16}\n", 8, 10, "tileN"},
        {"product: ascend910b9\n" LAYER, 1, 10, "ascend910b"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_values_of_a_wrong_type_or_range_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {A2 "conv:\n  input: [1, 64, 0, 32]\n  weight: [64, 64, 3, 3]\n  dtype: fp16\n", 3, 18,
         "0"},
        {A2 "conv:\n  input: [1, 64, 32]\n  weight: [64, 64, 3, 3]\n  dtype: fp16\n", 4, 11,
         "expected 3"},
        {A2 "conv:\n  input: [64, 32]\n  weight: [64, 64]\n  dtype: fp16\n", 3, 10, ""},
        {A2 "conv:\n  input: [1, 2, 3, 4, 5, 6]\n  weight: [64, 64, 3, 3]\n  dtype: fp16\n", 3, 10,
         ""},
        {A2 "conv:\n  input: 64\n  weight: [64, 64, 3, 3]\n  dtype: fp16\n", 3, 10, "64"},
        {A2 LAYER "  stride: [0, 1]\n", 7, 12, "0"},
        {A2 LAYER "  stride: 2\n", 7, 11, "2"},
        {A2 LAYER "  dilation: [1, -1]\n", 7, 17, "-1"},
        {A2 "conv:\n" SHAPES "  padding: [0, -1, 0, 0]\n  dtype: fp16\n", 5, 16, "-1"},
        {A2 LAYER "  groups: 0\n", 7, 11, "0"},
        {A2 LAYER "  groups: 1.5\n", 7, 11, "1.5"},
        {A2 LAYER "  groups: 9223372036854775808\n", 7, 11, "9223372036854775808"},
        {A2 LAYER "  bias: yes\n", 7, 9, "yes"},
        {A2 LAYER "  relu: 1\n", 7, 9, "1"},
        {A2 "conv:\n" SHAPES "  dtype: fp17\n", 5, 10, "fp16"},
        {A2 "conv:\n" SHAPES "  dtype: float16\n", 5, 10,
         "found 'float16'; expected 'fp16', 'bf16', 'fp32', 'int8', 'fp8_e4m3', 'fp8_e5m2' or "
         "'hif8'"},
        {A2 LAYER "  out_dtype: int4\n", 7, 14, "found 'int4'"},
        {A2 LAYER "  input_format: fractal_z\n", 7, 17, "fractal_z"},
        {A2 "rules: loose\n" LAYER, 2, 8, "loose"},
        {A2 LAYER "schedule: {l0a_buffers: 3}\n", 7, 25, "3"},
        {A2 LAYER "schedule: {cores: 0}\n", 7, 19, "0"},
        {A2 LAYER "schedule: {core_split: {m: 0}}\n", 7, 28, "0"},
        {A2 LAYER "schedule: {core_split: {}}\n", 7, 24, "empty"},
        {A2 LAYER "schedule: {order: k_first}\n", 7, 19, "m_first"},
        {A2 LAYER "schedule: [1]\n", 7, 11, ""},
        {A2 LAYER "tile: {" LINEAR ", pBufferFlag: 32}\n", 7, 91, "32"},
        {A2 LAYER "tile: {" LINEAR ", innerBatch: 2}\n", 7, 90, "expected 1"},
        {"- 1\n", 1, 1, "expected a plan"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_a_tile_size_below_one_is_bad_input(void **state)
{
    static const struct refusal rows[] = {
        {A2 LAYER "tile_l1: {tileHin: 0, tileHout: 4, tileWin: 32, tileWout: 32, tileCinFmap: 32, "
                  "tileCinWeight: 32, tileN: 64, tileBatch: 1}\n" TILE_L0,
         7, 20, "0"},
        {A2 LAYER TILE_L1 "tile_l0: {tileH: 2, tileW: 32, tileK: -16, tileN: 64}\n", 8, 39, "-16"},
        {A2 LAYER "tile: {mAL1: 128, mL0: 0, nBL1: 64, kAL1: 576, kBL1: 576, kL0: 64, nL0: 64}\n",
         7, 24, "0"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_contradictory_keys_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {A2 LAYER TILE_L1 "tile: {" LINEAR "}\n", 8, 1, "both tile and tile_l1"},
        {A2 LAYER TILE_L0, 7, 1, "without tile_l1"},
        {A2 LAYER "matmul: {m: 1}\n", 7, 1, "both conv and matmul"},
        {A2 "matmul: {m: 1}\n", 2, 9, "found no key 'n'"},
        {A2 LAYER "schedule: {cores: 24, core_split: {batch: 8, m: 2}}\n", 7, 35, "8 x 1 x 2 x 1"},
        {A2 LAYER "schedule: {cores: 1, core_split: {m: 9223372036854775807, n: 3}}\n", 7, 34,
         "expected a product of 1"},
        {A2 LAYER "  bias_length: 64\n", 7, 16, "'bias: true'"},
        {A2 LAYER "tile: {hoL1: 4, " LINEAR "}\n", 7, 8, "found both mAL1 and hoL1"},
        {A2 LAYER "tile: {nBL1: 64, kAL1: 576, kBL1: 576, kL0: 64, nL0: 64}\n", 7, 7, "no M tile"},
        {A2 LAYER "tile: {mMode: false, " LINEAR "}\n", 7, 8, "mMode false with mAL1"},
        {A2 LAYER "tile: {mMode: 1, hoL1: 4, woL1: 32, hoL0: 1, woL0: 32, nBL1: 64, kAL1: 576, "
                  "kBL1: 576, kL0: 64, nL0: 64}\n",
         7, 8, "mMode true with hoL1"},
        {A2 LAYER "tile: {" LINEAR ", hoDim: 2}\nschedule: {core_split: {m: 2}}\n", 8, 12,
         "Dim words"},
        {A2 LAYER "tile: {" LINEAR ", hoDim: 2}\nschedule: {cores: 3}\n", 7, 85,
         "expected a product of 3"},
        {A2 LAYER "tile: {" LINEAR ", iterateMNOrder: 1}\nschedule: {order: m_first}\n", 8, 19,
         "iterateMNOrder 1"},
        {A2 LAYER "tile: {" LINEAR ", pBufferFlag: 1}\nschedule: {l0a_buffers: 1}\n", 8, 25,
         "which means 2"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_work_and_tensors_beyond_64_bits_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {A2 "conv:\n  input: [4294967296, 1, 1, 1]\n  weight: [4294967296, 1, 1, 1]\n"
            "  dtype: fp16\n",
         3, 10, "multiply-accumulates"},
        {A2 "conv:\n  input: [1, 64, 9223372036854775807, 1]\n  weight: [1, 64, 3, 3]\n"
            "  dtype: fp16\n",
         3, 10, "bytes"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_every_problem_of_a_file_is_reported(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture);
    assert_int_equal(fixture_parse(&fixture,
                                   "product: nothing\nrules: loose\nconv:\n  inputs: [1]\n"
                                   "  weight: [64, 64, 3, 0]\n  dtype: fp17\ntile_l0: {tileH: 0}\n"
                                   "schedule: {cores: x}\n",
                                   NULL),
                     STATUS_BAD_INPUT);
    /* product, rules, inputs (in place of input), weight, dtype, tileH, three other sizes of
     * tile_l0, no tile_l1, cores. */
    assert_int_equal(fixture.diag.count, 11);
    fixture_deinit(&fixture);
}

static void test_a_missing_file_is_bad_input(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture);
    assert_int_equal(plan_load("configs/plans/no_such.yaml", NULL, NULL, 0, &fixture.arena,
                               &fixture.diag, &fixture.product, &fixture.plan),
                     STATUS_BAD_INPUT);
    assert_int_equal(fixture.diag.count, 1);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_the_product_cannot_do_is_refused_with_its_place),
        cmocka_unit_test(test_what_the_tile_rules_judge_is_not_refused_here),
        cmocka_unit_test(test_keys_that_are_unknown_missing_or_repeated_are_refused),
        cmocka_unit_test(test_values_of_a_wrong_type_or_range_are_refused),
        cmocka_unit_test(test_a_tile_size_below_one_is_bad_input),
        cmocka_unit_test(test_contradictory_keys_are_refused),
        cmocka_unit_test(test_work_and_tensors_beyond_64_bits_are_refused),
        cmocka_unit_test(test_every_problem_of_a_file_is_reported),
        cmocka_unit_test(test_a_missing_file_is_bad_input),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
