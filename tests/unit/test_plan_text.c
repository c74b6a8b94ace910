#include "tests/unit/plan_fixture.h"

/* Fills by hand what plan_resolve makes of res2a.yaml. */
static void resolve(struct plan *plan)
{
    plan->tile = (struct tile){.h_l1 = 1,
                               .w_l1 = 64,
                               .h_l0 = 1,
                               .w_l0 = 64,
                               .n_l1 = 64,
                               .n_l0 = 64,
                               .k_a = 576,
                               .k_b = 576,
                               .k_l0 = 64};
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        plan->schedule.buffers[i] = 2;
    }
}

static void test_json_of_a_plan_is_canonical_and_reads_back_as_the_same_plan(void **state)
{
    struct fixture fixture;
    struct fixture again;
    const char *json;

    (void)state;
    fixture_init(&fixture);
    assert_int_equal(plan_load("configs/plans/res2a.yaml", NULL, NULL, 0, &fixture.arena,
                               &fixture.diag, &fixture.product, &fixture.plan),
                     STATUS_OK);
    resolve(&fixture.plan);
    json = plan_json(&fixture.plan, &fixture.arena);
    assert_non_null(json);
    assert_null(strstr(json, "res2a"));
    assert_null(strstr(json, " "));
    assert_memory_equal(json, "{\"conv\":{\"bias\":true,", 21);
    assert_non_null(strstr(json, "\"product\":\"ascend910b1\",\"rules\":\"pypto\",\"schedule\":{"));
    assert_non_null(strstr(json, "\"core_split\":{\"batch\":8,\"group\":1,\"m\":3,\"n\":1}"));
    assert_non_null(strstr(json, "\"tileCinFmap\":64"));
    assert_non_null(strstr(json, "\"tileHin\":3"));
    accept(&again, json);
    assert_int_equal(again.plan.l1.wout, 64);
    resolve(&again.plan);
    assert_string_equal(plan_json(&again.plan, &again.arena), json);
    fixture_deinit(&again);
    fixture_deinit(&fixture);
}

static void test_json_of_a_linear_tile_has_the_names_of_the_vendor(void **state)
{
    struct fixture fixture;
    struct fixture again;
    const char *json;

    (void)state;
    accept(&fixture, PRO LAYER "tile: {" LINEAR "}\nschedule: {cores: 1}\n");
    fixture.plan.tile = (struct tile){.linear_m = true,
                                      .m_l1 = 128,
                                      .m_l0 = 64,
                                      .n_l1 = 64,
                                      .n_l0 = 64,
                                      .k_a = 576,
                                      .k_b = 576,
                                      .k_l0 = 64};
    for (size_t i = 0; i < SPLIT_COUNT; i++) {
        fixture.plan.schedule.split[i] = 1;
    }
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        fixture.plan.schedule.buffers[i] = 1;
    }
    json = plan_json(&fixture.plan, &fixture.arena);
    assert_non_null(json);
    assert_non_null(strstr(json, "\"tile\":{\"kAL1\":576,\"kBL1\":576,\"kL0\":64,\"mAL1\":128,"
                                 "\"mL0\":64,\"nBL1\":64,\"nL0\":64}"));
    accept(&again, json);
    assert_int_equal(again.plan.vendor.m_l0, 64);
    fixture_deinit(&again);
    assert_string_equal(plan_tiling_text(&fixture.plan, &fixture.arena),
                        "L1 m 128 n 64 kA 576 kB 576, L0 m 64 n 64 k 64");
    fixture_deinit(&fixture);
}

static void test_every_word_that_changes_a_run_changes_the_json(void **state)
{
    static const char *const texts[] = {
        A2 LAYER,
        A2 LAYER "  relu: true\n",
        A2 LAYER "  bias: true\n",
        A2 LAYER "  stride: [1, 2]\n",
        A2 LAYER "  stride: [2, 1]\n",
        A2 LAYER "  dilation: [1, 2]\n",
        A2 LAYER "  out_dtype: fp32\n",
        A2 LAYER "  out_dtype: int8\n  quant: {scale: 0.5}\n",
        A2 LAYER "  out_dtype: int8\n  quant: {scale: 0.25}\n",
        A2 LAYER "  out_dtype: int8\n  quant: {scale: 0.25, offset: 3}\n",
        A2 "conv:\n" SHAPES "  padding: [1, 1, 1, 1]\n  dtype: fp32\n",
        A2 "conv:\n" SHAPES "  padding: [1, 1, 1, 1]\n  dtype: fp32\n  hf32: true\n",
        A2 LAYER "  input_format: nhwc\n",
        A2 LAYER "schedule: {policy: vendor}\n",
        A2 LAYER "schedule: {order: n_first}\n",
        A2 LAYER "schedule: {residency: keep}\n",
        A2 LAYER "schedule: {unit_flag: true}\n",
        A2 LAYER "schedule: {fixpipe: tile}\n",
        A2 LAYER "schedule: {l2: warm}\n",
        A2 "rules: strict\n" LAYER,
        "product: ascend910b2\n" LAYER,
    };
    enum { TEXT_COUNT = sizeof texts / sizeof texts[0] };
    struct fixture fixture;
    const char *jsons[TEXT_COUNT];

    (void)state;
    fixture_init(&fixture);
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        assert_int_equal(fixture_parse(&fixture, texts[i], NULL), STATUS_OK);
        resolve(&fixture.plan);
        jsons[i] = plan_json(&fixture.plan, &fixture.arena);
        assert_non_null(jsons[i]);
        for (size_t earlier = 0; earlier < i; earlier++) {
            assert_string_not_equal(jsons[i], jsons[earlier]);
        }
    }
    fixture_deinit(&fixture);
}

static void test_one_line_texts_name_what_is_not_usual(void **state)
{
    static const struct {
        const char *text;
        const char *problem;
    } rows[] = {
        {A2 LAYER, "[1,64,16,32] x [64,64,3,3] stride 1 pad 1 fp16"},
        {A2 "conv:\n  input: [1, 32, 40]\n  weight: [32, 1, 3]\n  stride: [2]\n"
            "  padding: [1, 0]\n  dilation: [4]\n  groups: 32\n  dtype: bf16\n  out_dtype: fp32\n"
            "  bias: true\n  relu: true\n",
         "[1,32,40] x [32,1,3] stride 2 pad 1,0 dilation 4 groups 32 bf16 to fp32 bias relu"},
        {A2 "conv:\n  input: [1, 4, 8, 33, 34]\n  weight: [16, 4, 1, 2, 3]\n  stride: [1, 2, 3]\n"
            "  dtype: int8\n",
         "[1,4,8,33,34] x [16,4,1,2,3] stride 1,2,3 pad 0 int8"},
        {A2 LAYER "  out_dtype: int8\n  quant: {scale: 0.5}\n  relu: true\n",
         "[1,64,16,32] x [64,64,3,3] stride 1 pad 1 fp16 to int8 quant relu"},
        {A2 "conv:\n" SHAPES "  padding: [1, 1, 1, 1]\n  dtype: int8\n  quant: {scale: 2}\n",
         "[1,64,16,32] x [64,64,3,3] stride 1 pad 1 int8 quant"},
        {A2 "conv:\n" SHAPES "  padding: [1, 1, 1, 1]\n  dtype: fp32\n  hf32: true\n",
         "[1,64,16,32] x [64,64,3,3] stride 1 pad 1 fp32 hf32"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture fixture;

        accept(&fixture, rows[i].text);
        assert_string_equal(plan_problem_text(&fixture.plan, &fixture.arena), rows[i].problem);
        assert_string_equal(plan_tiling_text(&fixture.plan, &fixture.arena), "to be derived");
        resolve(&fixture.plan);
        assert_string_equal(plan_tiling_text(&fixture.plan, &fixture.arena),
                            "L1 h 1 w 64 n 64 kA 576 kB 576, L0 h 1 w 64 n 64 k 64");
        fixture_deinit(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_of_a_plan_is_canonical_and_reads_back_as_the_same_plan),
        cmocka_unit_test(test_json_of_a_linear_tile_has_the_names_of_the_vendor),
        cmocka_unit_test(test_every_word_that_changes_a_run_changes_the_json),
        cmocka_unit_test(test_one_line_texts_name_what_is_not_usual),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
