#include <dirent.h>

#include "tests/unit/plan_fixture.h"

static void test_what_is_not_written_has_its_default(void **state)
{
    struct fixture fixture;
    const struct plan *plan = &fixture.plan;

    (void)state;
    accept(&fixture, A2 "conv:\n" SHAPES "  dtype: fp16\n");
    assert_int_equal(plan->rules, RULES_PYPTO);
    assert_int_equal(plan->form, TILE_NONE);
    assert_int_equal(plan->conv.rank, 2);
    assert_int_equal(plan->conv.groups, 1);
    assert_int_equal(plan->conv.bias_length, 64);
    assert_false(plan->conv.bias || plan->conv.relu);
    for (enum axis axis = AXIS_D; axis < AXIS_COUNT; axis++) {
        assert_int_equal(plan->conv.stride[axis], 1);
        assert_int_equal(plan->conv.dilation[axis], 1);
        assert_int_equal(plan->conv.pad_head[axis] + plan->conv.pad_tail[axis], 0);
    }
    assert_int_equal(plan->conv.out_dtype, ELEMENT_FP16);
    assert_int_equal(plan->conv.out[AXIS_H], 14);
    assert_int_equal(plan->conv.out[AXIS_W], 30);
    assert_int_equal(plan->schedule.cores, 0);
    assert_false(plan->given[WORD_STRIDE] || plan->given[WORD_CORES] || plan->given[WORD_RULES]);
    assert_true(plan->given[WORD_INPUT]);
    assert_int_equal(plan->place[WORD_INPUT].line, 3);
    assert_int_equal(plan->place[WORD_INPUT].column, 10);
    assert_int_equal(plan->place[WORD_STRIDE].line, 0);
    assert_true(plan->product == &fixture.product);
    fixture_deinit(&fixture);
}

static void test_formats_default_to_what_the_product_reads(void **state)
{
    struct fixture fixture;

    (void)state;
    accept(&fixture, A2 LAYER);
    assert_int_equal(fixture.plan.conv.input_format, FORMAT_NC1HWC0);
    assert_int_equal(fixture.plan.conv.weight_format, FORMAT_FRACTAL_Z);
    fixture_deinit(&fixture);
    accept(&fixture, PRO LAYER);
    assert_int_equal(fixture.plan.conv.input_format, FORMAT_NCHW);
    assert_int_equal(fixture.plan.conv.weight_format, FORMAT_NCHW);
    fixture_deinit(&fixture);
    accept(&fixture, PRO LAYER "  input_format: nc1hwc0\n  weight_format: hwcn\n");
    assert_int_equal(fixture.plan.conv.input_format, FORMAT_NC1HWC0);
    assert_int_equal(fixture.plan.conv.weight_format, FORMAT_HWCN);
    fixture_deinit(&fixture);
    accept(&fixture, A2 LAYER "  input_format: nhwc\n");
    assert_int_equal(fixture.plan.conv.input_format, FORMAT_NHWC);
    assert_int_equal(fixture.plan.conv.weight_format, FORMAT_FRACTAL_Z);
    fixture_deinit(&fixture);
}

static void test_three_strides_are_depth_height_width(void **state)
{
    struct fixture fixture;
    const struct conv *conv = &fixture.plan.conv;

    (void)state;
    accept(&fixture, A2 "conv:\n  input: [1, 4, 120, 33, 34]\n  weight: [16, 4, 1, 2, 3]\n"
                        "  stride: [1, 2, 3]\n  dilation: [4, 5, 6]\n"
                        "  padding: [1, 2, 3, 4, 5, 6]\n  dtype: fp16\n");
    assert_int_equal(conv->rank, 3);
    assert_int_equal(conv->in[AXIS_D], 120);
    assert_int_equal(conv->in[AXIS_W], 34);
    assert_int_equal(conv->kernel[AXIS_D], 1);
    assert_int_equal(conv->kernel[AXIS_W], 3);
    assert_int_equal(conv->stride[AXIS_D], 1);
    assert_int_equal(conv->stride[AXIS_H], 2);
    assert_int_equal(conv->stride[AXIS_W], 3);
    assert_int_equal(conv->dilation[AXIS_D], 4);
    assert_int_equal(conv->dilation[AXIS_W], 6);
    assert_int_equal(conv->pad_head[AXIS_D], 1);
    assert_int_equal(conv->pad_tail[AXIS_D], 2);
    assert_int_equal(conv->pad_head[AXIS_H], 3);
    assert_int_equal(conv->pad_tail[AXIS_W], 6);
    assert_int_equal(conv->out[AXIS_D], 123);
    assert_int_equal(conv->out[AXIS_H], 18);
    assert_int_equal(conv->out[AXIS_W], 11);
    fixture_deinit(&fixture);
}

static void test_two_dimensional_padding_is_top_bottom_left_right(void **state)
{
    struct fixture fixture;

    (void)state;
    accept(&fixture, A2 "conv:\n  input: [1, 16, 7, 5]\n  weight: [16, 16, 3, 3]\n"
                        "  stride: [2, 2]\n  padding: [1, 1, 0, 0]\n  dtype: fp16\n");
    assert_int_equal(fixture.plan.conv.out[AXIS_H], 4);
    assert_int_equal(fixture.plan.conv.out[AXIS_W], 2);
    fixture_deinit(&fixture);
    accept(&fixture, A2 "conv:\n  input: [1, 16, 14, 14]\n  weight: [16, 16, 3, 3]\n"
                        "  stride: [2, 2]\n  padding: [0, 1, 0, 1]\n  dtype: fp16\n");
    assert_int_equal(fixture.plan.conv.pad_head[AXIS_H], 0);
    assert_int_equal(fixture.plan.conv.pad_tail[AXIS_W], 1);
    assert_int_equal(fixture.plan.conv.out[AXIS_H], 7);
    fixture_deinit(&fixture);
}

static void test_one_dimensional_lists_are_for_the_width(void **state)
{
    struct fixture fixture;
    const struct conv *conv = &fixture.plan.conv;

    (void)state;
    accept(&fixture, A2 "conv:\n  input: [2, 16, 32]\n  weight: [16, 8, 3]\n  stride: [2]\n"
                        "  padding: [1, 0]\n  groups: 2\n  dtype: fp16\n");
    assert_int_equal(conv->rank, 1);
    assert_int_equal(conv->in[AXIS_H], 1);
    assert_int_equal(conv->kernel[AXIS_H], 1);
    assert_int_equal(conv->stride[AXIS_H], 1);
    assert_int_equal(conv->stride[AXIS_W], 2);
    assert_int_equal(conv->pad_head[AXIS_W], 1);
    assert_int_equal(conv->pad_tail[AXIS_W], 0);
    assert_int_equal(conv->cin_group, 8);
    assert_int_equal(conv->out[AXIS_W], 16);
    fixture_deinit(&fixture);
}

static void test_lists_of_a_wrong_length_are_kept_for_rule_5(void **state)
{
    struct fixture fixture;
    const struct conv *conv = &fixture.plan.conv;

    (void)state;
    accept(&fixture, A2 "conv:\n" SHAPES "  stride: [2]\n  padding: [1, 0, 1]\n"
                        "  dilation: [2, 3, 4]\n  dtype: fp16\n");
    assert_int_equal(conv->stride_length, 1);
    assert_int_equal(conv->padding_length, 3);
    assert_int_equal(conv->dilation_length, 3);
    assert_int_equal(conv->stride[AXIS_H], 2);
    assert_int_equal(conv->stride[AXIS_W], 1);
    assert_int_equal(conv->pad_head[AXIS_W], 1);
    assert_int_equal(conv->pad_tail[AXIS_W], 0);
    assert_int_equal(conv->dilation[AXIS_D], 1);
    assert_int_equal(conv->dilation[AXIS_W], 3);
    fixture_deinit(&fixture);
    accept(&fixture, A2 LAYER);
    assert_int_equal(conv->stride_length, 2);
    assert_int_equal(conv->padding_length, 4);
    assert_int_equal(conv->dilation_length, 2);
    fixture_deinit(&fixture);
}

static void test_pypto_tiles_keep_their_numbers_and_places(void **state)
{
    struct fixture fixture;
    const struct plan *plan = &fixture.plan;

    (void)state;
    accept(&fixture, A2 LAYER TILE_L1 TILE_L0);
    assert_int_equal(plan->form, TILE_PYPTO);
    assert_true(plan->has_l0);
    assert_int_equal(plan->l1.hin, 6);
    assert_int_equal(plan->l1.wout, 32);
    assert_int_equal(plan->l1.cin_weight, 64);
    assert_int_equal(plan->l0.h, 2);
    assert_int_equal(plan->l0.n, 64);
    assert_int_equal(plan->place[WORD_TILE_HIN].line, 7);
    assert_int_equal(plan->place[WORD_TILE_HIN].column, 20);
    assert_int_equal(plan->place[WORD_TILE_L0_N].line, 8);
    fixture_deinit(&fixture);
    accept(&fixture, A2 LAYER TILE_L1);
    assert_false(plan->has_l0);
    fixture_deinit(&fixture);
}

static void test_vendor_tiles_bring_rules_buffers_and_core_split(void **state)
{
    struct fixture fixture;
    const struct plan *plan = &fixture.plan;

    (void)state;
    accept(&fixture, PRO LAYER "tile: {" LINEAR ", pBufferFlag: 27, iterateMNOrder: 1, mMode: 1, "
                               "batchDim: 1, hoDim: 4, woDim: 2, nDim: 2, groupDim: 1, "
                               "innerBatch: 1}\n");
    assert_int_equal(plan->form, TILE_VENDOR);
    assert_int_equal(plan->rules, RULES_VENDOR);
    assert_int_equal(plan->note_count, 0);
    assert_int_equal(plan->vendor.m_al1, 128);
    assert_int_equal(plan->vendor.ho_l1, 0);
    assert_int_equal(plan->vendor.k_bl1, 576);
    assert_true(plan->vendor.p_buffer_given);
    assert_int_equal(plan->vendor.p_buffer_flag, 27);
    assert_int_equal(plan->vendor.iterate_mn_order, 1);
    assert_true(plan->given[WORD_CORE_SPLIT]);
    assert_int_equal(plan->schedule.split[SPLIT_BATCH], 1);
    assert_int_equal(plan->schedule.split[SPLIT_M], 8);
    assert_int_equal(plan->schedule.split[SPLIT_N], 2);
    fixture_deinit(&fixture);

    accept(&fixture, "rules: pypto\n" PRO LAYER
                     "tile: {hoL1: 4, woL1: 32, hoL0: 1, woL0: 32, nBL1: 64, kAL1: 576, "
                     "kBL1: 576, kL0: 64, nL0: 64, mMode: false}\n");
    assert_int_equal(plan->rules, RULES_VENDOR);
    assert_int_equal(plan->note_count, 1);
    assert_int_equal(plan->vendor.wo_l0, 32);
    assert_int_equal(plan->vendor.m_al1, 0);
    assert_false(plan->vendor.p_buffer_given);
    assert_false(plan->given[WORD_CORE_SPLIT]);
    fixture_deinit(&fixture);
}

static void test_the_schedule_keeps_what_was_written_only(void **state)
{
    struct fixture fixture;
    const struct plan *plan = &fixture.plan;

    (void)state;
    accept(&fixture,
           A2 LAYER "schedule:\n  policy: vendor\n  cores: 6\n  core_split: {m: 3, n: 2}\n"
                    "  order: n_first\n  residency: prefetch\n  l0c_buffers: 2\n  unit_flag: true\n"
                    "  handover: step\n  fixpipe: tile\n  l2: warm\n");
    assert_int_equal(plan->schedule.policy, POLICY_VENDOR);
    assert_int_equal(plan->schedule.cores, 6);
    assert_int_equal(plan->schedule.split[SPLIT_BATCH], 1);
    assert_int_equal(plan->schedule.split[SPLIT_M], 3);
    assert_int_equal(plan->schedule.order, ORDER_N_FIRST);
    assert_int_equal(plan->schedule.residency, RESIDENCY_PREFETCH);
    assert_int_equal(plan->schedule.buffers[BUFFER_L0C], 2);
    assert_int_equal(plan->schedule.buffers[BUFFER_L1A], 0);
    assert_true(plan->schedule.unit_flag);
    assert_int_equal(plan->schedule.handover, HANDOVER_STEP);
    assert_int_equal(plan->schedule.fixpipe, FIXPIPE_TILE);
    assert_int_equal(plan->schedule.l2, L2_WARM);
    assert_true(plan->given[WORD_L0C_BUFFERS]);
    assert_false(plan->given[WORD_L1A_BUFFERS]);
    assert_int_equal(plan->place[WORD_RESIDENCY].line, 12);
    fixture_deinit(&fixture);
}

static void test_a_json_file_of_the_same_shape_is_a_plan(void **state)
{
    struct fixture fixture;

    (void)state;
    accept(&fixture, "{\"product\": \"atlas-a2\", \"conv\": {\"input\": [1, 64, 16, 32],\n"
                     "\"weight\": [64, 64, 3, 3], \"dtype\": \"fp16\", \"bias\": true}}\n");
    assert_string_equal(fixture.product.soc, "ascend910b1");
    assert_true(fixture.plan.conv.bias);
    assert_int_equal(fixture.plan.place[WORD_WEIGHT].line, 2);
    fixture_deinit(&fixture);
}

static void test_the_product_of_the_command_line_stands_in_for_the_files(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture);
    assert_int_equal(fixture_parse(&fixture, LAYER, "ascend-950pr"), STATUS_OK);
    assert_string_equal(fixture.product.soc, "ascend950pr_9589");
    assert_int_equal(fixture.plan.conv.input_format, FORMAT_NCHW);
    assert_int_equal(fixture_parse(&fixture, A2 LAYER, "ascend-950pr"), STATUS_OK);
    assert_string_equal(fixture.plan.product_name, "ascend-950pr");
    assert_string_equal(fixture.product.soc, "ascend950pr_9589");
    assert_int_equal(fixture_parse(&fixture, A2 LAYER, "ascend-950px"), STATUS_BAD_INPUT);
    fixture_deinit(&fixture);
}

static void test_overrides_change_the_product(void **state)
{
    static const char *const good[] = {"chip.cores=7"};
    static const char *const bad[] = {"chip.corse=7"};
    struct fixture fixture;

    (void)state;
    fixture_init(&fixture);
    assert_int_equal(plan_load("configs/plans/res2a.yaml", NULL, good, 1, &fixture.arena,
                               &fixture.diag, &fixture.product, &fixture.plan),
                     STATUS_OK);
    assert_int_equal(product_whole(&fixture.product, PRODUCT_CHIP_CORES), 7);
    assert_int_equal(plan_load("configs/plans/res2a.yaml", NULL, bad, 1, &fixture.arena,
                               &fixture.diag, &fixture.product, &fixture.plan),
                     STATUS_BAD_INPUT);
    fixture_deinit(&fixture);
}

static void test_every_shipped_plan_loads(void **state)
{
    DIR *folder = opendir("configs/plans");
    const struct dirent *entry;
    size_t count = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        struct fixture fixture;
        const char *path;

        if (strstr(entry->d_name, ".yaml") == NULL) {
            continue;
        }
        fixture_init(&fixture);
        path = arena_format(&fixture.arena, "configs/plans/%s", entry->d_name);
        if (plan_load(path, NULL, NULL, 0, &fixture.arena, &fixture.diag, &fixture.product,
                      &fixture.plan) != STATUS_OK) {
            print_error("%s", diag_text(&fixture.diag, 0));
            fail();
        }
        assert_string_equal(fixture.plan.path, path);
        fixture_deinit(&fixture);
        count++;
    }
    (void)closedir(folder);
    assert_true(count >= 9);
}

static void test_running_out_of_memory_is_told_at_every_step(void **state)
{
    const char *const text = A2 LAYER TILE_L1 TILE_L0 "schedule: {cores: 2}\n";
    bool whole = false;

    (void)state;
    for (uint64_t nth = 1; !whole; nth++) {
        struct fixture fixture;
        enum status status;

        fixture_init(&fixture);
        arena_fail_at(nth);
        status = fixture_parse(&fixture, text, NULL);
        arena_fail_at(0);
        whole = status == STATUS_OK;
        if (!whole) {
            assert_int_equal(status_exit_code(status), 3);
        }
        fixture_deinit(&fixture);
        assert_true(nth < 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_not_written_has_its_default),
        cmocka_unit_test(test_formats_default_to_what_the_product_reads),
        cmocka_unit_test(test_three_strides_are_depth_height_width),
        cmocka_unit_test(test_two_dimensional_padding_is_top_bottom_left_right),
        cmocka_unit_test(test_one_dimensional_lists_are_for_the_width),
        cmocka_unit_test(test_lists_of_a_wrong_length_are_kept_for_rule_5),
        cmocka_unit_test(test_pypto_tiles_keep_their_numbers_and_places),
        cmocka_unit_test(test_vendor_tiles_bring_rules_buffers_and_core_split),
        cmocka_unit_test(test_the_schedule_keeps_what_was_written_only),
        cmocka_unit_test(test_a_json_file_of_the_same_shape_is_a_plan),
        cmocka_unit_test(test_the_product_of_the_command_line_stands_in_for_the_files),
        cmocka_unit_test(test_overrides_change_the_product),
        cmocka_unit_test(test_every_shipped_plan_loads),
        cmocka_unit_test(test_running_out_of_memory_is_told_at_every_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
