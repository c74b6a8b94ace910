/* Matrix products as plans: what is read, what is refused and where, and the words they are told
 * in. */
#include "model/derive.h"
#include "model/tile_rules.h"
#include "tests/unit/plan_fixture.h"

#define P310  "product: ascend310p3\n"
#define B310  "product: ascend310b1\n"
#define SIZES "matmul:\n  m: 300\n  n: 200\n  k: 100\n"
#define HALF  SIZES "  dtype: fp16\n"
#define BASE  "tile: {baseM: 64, baseN: 32, baseK: 16, "

static void test_a_matrix_product_is_a_convolution_of_one_point(void **state)
{
    struct fixture fixture;

    (void)state;
    accept(&fixture, A2 HALF "  out_dtype: fp32\n  bias: true\n  relu: true\n");
    const struct conv *conv = &fixture.plan.conv;
    assert_true(fixture.plan.matmul);
    assert_int_equal(fixture.plan.rules, RULES_MATMUL);
    assert_int_equal(conv->rank, 1);
    assert_int_equal(conv->in[AXIS_W], 300);
    assert_int_equal(conv->out[AXIS_W], 300);
    assert_int_equal(conv->cout, 200);
    assert_int_equal(conv->cin, 100);
    assert_int_equal(conv->cin_group, 100);
    assert_int_equal(conv->batch * conv->groups * conv_kernel_points(conv), 1);
    assert_int_equal(conv->out_dtype, ELEMENT_FP32);
    assert_true(conv->bias && conv->relu);
    assert_int_equal(conv->bias_length, 200);
    assert_int_equal(conv_macs(conv), 300 * 200 * 100);
    fixture_deinit(&fixture);
}

static void test_layouts_are_those_of_the_convolution_that_stands_for_the_product(void **state)
{
    static const struct {
        const char *text;
        enum tensor_format a, b, c;
    } rows[] = {
        {A2 HALF, FORMAT_NHWC, FORMAT_HWCN, FORMAT_NHWC},
        {A2 HALF "  a_layout: nz\n  b_layout: dn\n", FORMAT_NC1HWC0, FORMAT_NCHW, FORMAT_NHWC},
        {A2 HALF "  b_layout: nz\n  c_layout: nz\n", FORMAT_NHWC, FORMAT_FRACTAL_Z, FORMAT_NC1HWC0},
        {PRO HALF "  a_layout: dn\n  c_layout: nd\n", FORMAT_NCHW, FORMAT_HWCN, FORMAT_NHWC},
        {PRO SIZES "  dtype: int8\n", FORMAT_NHWC, FORMAT_HWCN, FORMAT_NHWC},
        {A2 SIZES "  dtype: bf16\n", FORMAT_NHWC, FORMAT_HWCN, FORMAT_NHWC},
        /* Without ND2NZ matrices come in blocks; without a fixpipe they leave so. */
        {B310 HALF, FORMAT_NC1HWC0, FORMAT_FRACTAL_Z, FORMAT_NHWC},
        {P310 HALF, FORMAT_NC1HWC0, FORMAT_FRACTAL_Z, FORMAT_NC1HWC0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        accept(&fixture, rows[i].text);
        assert_int_equal(fixture.plan.conv.input_format, rows[i].a);
        assert_int_equal(fixture.plan.conv.weight_format, rows[i].b);
        assert_int_equal(fixture.plan.conv.output_format, rows[i].c);
        fixture_deinit(&fixture);
    }
}

static void test_what_a_product_cannot_bring_to_l1_is_refused_with_the_reason(void **state)
{
    static const struct refusal rows[] = {
        {A2 HALF "  a_layout: dn\n", 7, 13,
         "has no DN2NZ copy to bring it to L1; expected 'a_layout: nz'"},
        {A2 SIZES "  dtype: int8\n", 6, 10,
         "found no b_layout, which means 'nd', but ascend910b1 has no DN2NZ copy, and its Load2D "
         "transposes 16-bit types only; expected 'b_layout: dn' or 'nz'"},
        {A2 SIZES "  dtype: fp32\n  b_layout: nd\n", 7, 13, "found b_layout 'nd'"},
        {P310 HALF "  a_layout: nd\n", 7, 13, "ascend310p3 has no ND2NZ copy"},
        {P310 HALF "  b_layout: dn\n", 7, 13, "expected 'b_layout: nz'"},
        {P310 HALF "  c_layout: nd\n", 7, 13,
         "has no fixpipe to store rows; expected 'c_layout: nz'"},
        {B310 HALF "  a_layout: nd\n", 7, 13, "ascend310b1 has no ND2NZ copy"},
        {B310 HALF "  bias: true\n", 7, 9, "no hardware path"},
        {PRO HALF "  c_layout: dn\n", 7, 13, "found 'dn'"},
        {P310 SIZES "  dtype: bf16\n", 6, 10, "fp16 and int8"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

static void test_a_block_with_wrong_words_is_refused_at_their_places(void **state)
{
    static const struct refusal rows[] = {
        {A2 "matmul: {m: 4, n: 4, dtype: fp16}\n", 2, 9, "found no key 'k'"},
        {A2 "matmul: {m: 4, n: 0, k: 4, dtype: fp16}\n", 2, 19, "found '0'"},
        {A2 "matmul: {m: 4, n: 4, k: 4}\n", 2, 9, "found no key 'dtype'"},
        {A2 "matmul: {m: 4, n: 4, k: 4, dtype: fp16, padding: [1]}\n", 2, 41, "padding"},
        {A2 "matmul: [4, 4, 4]\n", 2, 9, "map"},
        {A2 "matmul: {m: 4000000000, n: 4000000000, k: 4, dtype: fp16, b_layout: dn}\n", 2, 13,
         "found a matrix product of more than 2^63"},
        {A2 HALF "conv: {dtype: fp16}\n", 2, 1, "both conv and matmul"},
        {A2 HALF TILE_L1, 7, 1, "found tile_l1 with matmul"},
        {A2 HALF TILE_L1 TILE_L0, 8, 1, "found tile_l0 with matmul"},
        {A2 HALF "tile: {mAL1: 16, baseN: 16, baseK: 16}\n", 7, 8, "mAL1"},
        {A2 HALF "tile: {baseM: 16, baseK: 16}\n", 7, 7, "found no key 'baseN'"},
        {A2 HALF BASE "stepKa: 0}\n", 7, 49, "found '0'"},
        {A2 LAYER "tile: {baseM: 64, baseN: 32, baseK: 16}\n", 7, 8, "baseM"},
        {A2 "rules: matmul\n" LAYER, 2, 8, "found rules 'matmul' without matmul"},
        {A2 LAYER "schedule: {core_split: {mn: 4}}\n", 7, 25, "core_split mn with a convolution"},
        {A2 HALF "schedule: {core_split: {mn: 4, n: 2}}\n", 7, 25, "core_split mn beside n"},
        {A2 HALF "schedule: {cores: 3, core_split: {mn: 4}}\n", 7, 34, "expected 3, as cores says"},
        {A2 HALF BASE "stepKa: 2, depthA1: 4}\nschedule: {l1a_buffers: 1}\n", 8, 25,
         "found l1a_buffers 1 with depthA1, which means 2"},
        {A2 HALF BASE "stepN: 2, depthB1: 2}\nschedule: {l1b_buffers: 2}\n", 8, 25,
         "found l1b_buffers 2 with depthB1, which means 1"},
    };

    (void)state;
    REFUSE_ALL(rows);
}

/* Completes a plan; the caller releases it. */
static void resolve(struct fixture *fixture, const char *text)
{
    struct rule_report report;

    accept(fixture, text);
    assert_int_equal(rules_check(&fixture->plan, fixture->plan.rules, &fixture->arena, &report),
                     STATUS_OK);
    assert_true(report.runnable);
    if (plan_resolve(&fixture->plan, &fixture->product, &fixture->arena, &fixture->diag) !=
        STATUS_OK) {
        fail_msg("%s", diag_text(&fixture->diag, 0));
    }
}

static void test_depths_decide_the_slots_of_l1_and_defaults_are_those_of_kernels(void **state)
{
    struct fixture fixture;

    (void)state;
    resolve(&fixture, A2 HALF BASE "stepKa: 2, depthA1: 2, stepKb: 3, depthB1: 6}\n");
    const struct schedule *schedule = &fixture.plan.schedule;
    assert_int_equal(schedule->policy, POLICY_VENDOR);
    assert_int_equal(schedule->residency, RESIDENCY_PREFETCH);
    assert_int_equal(schedule->buffers[BUFFER_L1A], 1);
    assert_int_equal(schedule->buffers[BUFFER_L1B], 2);
    assert_int_equal(schedule->buffers[BUFFER_L0A], 2);
    assert_int_equal(schedule->buffers[BUFFER_L0C], 1);
    assert_string_equal(plan_tiling_text(&fixture.plan, &fixture.arena),
                        "L1 m 64 n 32 kA 32 kB 48, L0 m 64 n 32 k 16");
    fixture_deinit(&fixture);
}

static void test_unit_flags_are_taken_when_they_are_written(void **state)
{
    struct fixture fixture;

    (void)state;
    resolve(&fixture, PRO HALF BASE "}\n");
    assert_false(fixture.plan.schedule.unit_flag);
    fixture_deinit(&fixture);
    resolve(&fixture, PRO HALF BASE "}\nschedule: {unit_flag: true}\n");
    assert_true(fixture.plan.schedule.unit_flag);
    fixture_deinit(&fixture);
}

static void test_a_chunk_is_no_longer_than_k(void **state)
{
    struct fixture fixture;

    (void)state;
    resolve(&fixture, A2 HALF "tile: {baseM: 64, baseN: 32, baseK: 48, stepKa: 3, stepKb: 2}\n");
    assert_int_equal(fixture.plan.tile.k_a, 112);
    assert_int_equal(fixture.plan.tile.k_b, 96);
    fixture_deinit(&fixture);
}

static void test_written_ways_are_those_of_a_slice(void **state)
{
    static const struct {
        const char *text;
        const char *problem; /* "": none */
    } rows[] = {
        {A2 HALF BASE "l2_m: 2}\nschedule: {core_split: {m: 3, n: 7}}\n", ""},
        {A2 HALF BASE "l2_m: 2}\nschedule: {core_split: {m: 4}}\n",
         "found core_split m 4; expected 1 to 3, the M tiles of an image of a slice"},
        {A2 HALF BASE "l2_m: 5, l2_n: 4}\nschedule: {core_split: {mn: 2}}\n", ""},
        {A2 HALF BASE "l2_m: 5, l2_n: 4}\nschedule: {core_split: {mn: 3}}\n",
         "found core_split mn 3; expected 1 to 2, the M tiles x N tiles"},
        {A2 HALF BASE "}\nschedule: {core_split: {mn: 25}}\n", "expected at most 24"},
        {A2 HALF BASE "}\nschedule: {core_split: {batch: 2}}\n", "expected 1 to 1, the images"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        accept(&fixture, rows[i].text);
        enum status status =
            plan_resolve(&fixture.plan, &fixture.product, &fixture.arena, &fixture.diag);
        assert_int_equal(status, rows[i].problem[0] == '\0' ? STATUS_OK : STATUS_BAD_INPUT);
        if (status != STATUS_OK) {
            assert_non_null(strstr(fixture.diag.problems[0].message, rows[i].problem));
        }
        fixture_deinit(&fixture);
    }
}

static void test_json_of_a_product_is_a_plan_of_it(void **state)
{
    static const char *const texts[] = {
        A2 HALF,
        A2 HALF "  b_layout: dn\n",
        A2 HALF "  c_layout: nz\n  b_layout: nz\n",
        A2 HALF "  bias: true\n",
        A2 HALF "  out_dtype: int8\n  quant: {scale: 0.5}\n",
        A2 HALF BASE "}\n",
        A2 HALF BASE "stepM: 2}\n",
        A2 HALF BASE "stepN: 2}\n",
        A2 HALF BASE "stepKa: 2}\n",
        A2 HALF BASE "stepKb: 2}\n",
        A2 HALF BASE "depthA1: 1}\n",
        A2 HALF BASE "depthB1: 1}\n",
        A2 HALF BASE "l2_m: 2}\n",
        A2 HALF BASE "l2_n: 2}\n",
        A2 HALF BASE "}\nschedule: {core_split: {mn: 6}}\n",
        A2 HALF BASE "}\nschedule: {core_split: {m: 2, n: 3}}\n",
        PRO SIZES "  dtype: hif8\n  out_dtype: bf16\n  a_layout: dn\n",
    };
    enum { TEXT_COUNT = sizeof texts / sizeof texts[0] };
    struct fixture fixtures[TEXT_COUNT];
    const char *jsons[TEXT_COUNT];

    (void)state;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        struct fixture again;

        resolve(&fixtures[i], texts[i]);
        jsons[i] = plan_json(&fixtures[i].plan, &fixtures[i].arena);
        assert_non_null(jsons[i]);
        for (size_t earlier = 0; earlier < i; earlier++) {
            assert_string_not_equal(jsons[i], jsons[earlier]);
        }
        resolve(&again, jsons[i]);
        assert_string_equal(plan_json(&again.plan, &again.arena), jsons[i]);
        fixture_deinit(&again);
    }
    assert_non_null(strstr(jsons[0], "\"matmul\":{\"a_layout\":\"nd\",\"b_layout\":\"nd\","));
    assert_non_null(strstr(jsons[14], "\"core_split\":{\"batch\":1,\"group\":1,\"mn\":6}"));
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        fixture_deinit(&fixtures[i]);
    }
}

static void test_one_line_says_sizes_types_and_layouts(void **state)
{
    struct fixture fixture;

    (void)state;
    accept(&fixture, A2 HALF "  out_dtype: fp32\n  b_layout: dn\n  bias: true\n");
    assert_string_equal(plan_problem_text(&fixture.plan, &fixture.arena),
                        "matmul m 300 n 200 k 100 fp16 to fp32 bias, A nd, B dn, C nd");
    assert_string_equal(plan_tiling_text(&fixture.plan, &fixture.arena), "to be derived");
    fixture_deinit(&fixture);
}

static void test_other_rule_sets_give_way_with_a_note(void **state)
{
    struct fixture fixture;

    (void)state;
    accept(&fixture, A2 "rules: strict\n" HALF);
    assert_int_equal(fixture.plan.rules, RULES_MATMUL);
    assert_int_equal(fixture.plan.note_count, 1);
    assert_non_null(strstr(fixture.plan.notes[0], "rules matmul judge this plan"));
    fixture_deinit(&fixture);
    accept(&fixture, A2 "rules: matmul\n" HALF);
    assert_int_equal(fixture.plan.note_count, 0);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_matrix_product_is_a_convolution_of_one_point),
        cmocka_unit_test(test_layouts_are_those_of_the_convolution_that_stands_for_the_product),
        cmocka_unit_test(test_what_a_product_cannot_bring_to_l1_is_refused_with_the_reason),
        cmocka_unit_test(test_a_block_with_wrong_words_is_refused_at_their_places),
        cmocka_unit_test(test_depths_decide_the_slots_of_l1_and_defaults_are_those_of_kernels),
        cmocka_unit_test(test_unit_flags_are_taken_when_they_are_written),
        cmocka_unit_test(test_a_chunk_is_no_longer_than_k),
        cmocka_unit_test(test_written_ways_are_those_of_a_slice),
        cmocka_unit_test(test_json_of_a_product_is_a_plan_of_it),
        cmocka_unit_test(test_one_line_says_sizes_types_and_layouts),
        cmocka_unit_test(test_other_rule_sets_give_way_with_a_note),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
