/*
 * What the summary of `cubesim run` tells besides time and pipes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/cli_program.h"

CLI_FIXTURE(cli)

static double json_real_of(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_number(value))
        fail_msg("'%s' is no number", key);
    return json_number_value(value);
}

static void assert_near(double value, double expected)
{
    double off = value > expected ? value - expected : expected - value;
    if (off > 1e-9 * (1.0 + expected))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- tail ---- */

static double share_of(const json_t *root, const char *key)
{
    return json_real_of(json_object_get(json_object_get(root, "tail"), "mac_share"), key);
}

/* Images of 60 outputs, in tiles of 32 and 28 or as one. */
static void the_tail_tells_padding_by_its_cause(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        double useful, m, n, k, c0, groups;
    } rows[] = {
        /* 60 rows in 64, 40 channels in 48, 24 in 32 */
        {"conv: {input: [2, 24, 3, 20], weight: [40, 24, 1, 1], dtype: fp16}\n"
         "tile: {mAL1: 32, mL0: 32, nBL1: 48, nL0: 48, kAL1: 32, kBL1: 32, kL0: 32}\n",
         60.0 * 40 * 24, 4.0 * 48 * 32, 60.0 * 8 * 32, 0, 60.0 * 40 * 8, 0},
        /* each group of 12 and 20 channels by itself */
        {"conv: {input: [2, 24, 3, 20], weight: [40, 12, 1, 1], groups: 2, dtype: fp16}\n"
         "tile: {mAL1: 32, mL0: 32, nBL1: 32, nL0: 32, kAL1: 16, kBL1: 16, kL0: 16}\n",
         60.0 * 20 * 12, 4.0 * 32 * 16, 0, 0, 0, 60.0 * (32 * 16 - 20 * 12)},
        {"matmul: {m: 60, n: 48, k: 24, dtype: fp16}\ntile: {baseM: 64, baseN: 48, baseK: 32}\n",
         60.0 * 48 * 24, 4.0 * 48 * 32, 0, 60.0 * 48 * 8, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, "product: atlas-a2\n%s", rows[i].plan);
        cli_run(&cli, "run %s --timing-only --json", cli_write(&cli, "tail.yaml", text));
        json_t *root = cli_json(&cli);
        double all =
            rows[i].useful + rows[i].m + rows[i].n + rows[i].k + rows[i].c0 + rows[i].groups;
        assert_near(share_of(root, "useful"), rows[i].useful / all);
        assert_near(share_of(root, "useful"), json_real_of(root, "useful_mac_share"));
        assert_near(share_of(root, "m"), rows[i].m / all);
        assert_near(share_of(root, "n"), rows[i].n / all);
        assert_near(share_of(root, "k"), rows[i].k / all);
        assert_near(share_of(root, "c0"), rows[i].c0 / all);
        assert_near(share_of(root, "groups"), rows[i].groups / all);
        json_decref(root);
    }
}

/* 7 tiles of M on 3 cores: 2, 2 and 3 of them. */
static void the_tail_tells_rounds_idle_cores_and_imbalance(void **state)
{
    (void)state;
    static const char text[] =
        "product: atlas-a2\nconv: {input: [1, 16, 7, 32], weight: [16, 16, 1, 1], dtype: fp16}\n"
        "tile: {mAL1: 32, mL0: 32, nBL1: 16, nL0: 16, kAL1: 16, kBL1: 16, kL0: 16}\n"
        "schedule: {cores: 3, core_split: {m: 3}}\n";
    const char *path = cli_write(&cli, "rounds.yaml", text);
    cli_run(&cli, "run %s --timing-only", path);
    cli_assert_out(&cli, "\npadding    none\n");
    cli_assert_out(&cli, "\ntail       7 L0 tiles in 3 rounds, 77.8 % full; slowest core ");
    cli_assert_out(&cli, "21 of 24 idle\n");
    cli_run(&cli, "run %s --timing-only --json", cli_path(&cli, "rounds.yaml"));
    json_t *root = cli_json(&cli), *tail = json_object_get(root, "tail"), *core;
    long long tiles = 0, last = 0;
    double sum = 0.0;
    size_t i;
    json_array_foreach(json_object_get(tail, "cores"), i, core)
    {
        assert_int_equal(json_whole_of(core, "core"), (long long)i);
        assert_true(json_whole_of(core, "tiles") == 2 || json_whole_of(core, "tiles") == 3);
        tiles += json_whole_of(core, "tiles");
        sum += (double)json_whole_of(core, "cycles");
        last = json_whole_of(core, "cycles") > last ? json_whole_of(core, "cycles") : last;
    }
    assert_int_equal(i, 3);
    assert_int_equal(tiles, 7);
    assert_int_equal(last, json_whole_of(root, "cycles"));
    assert_int_equal(json_whole_of(tail, "rounds"), 3);
    assert_int_equal(json_whole_of(tail, "idle_cores"), 21);
    assert_near(json_real_of(tail, "mean_core_cycles"), sum / 3);
    assert_near(json_real_of(tail, "imbalance"), (double)last / (sum / 3) - 1.0);
    assert_true(json_real_of(tail, "imbalance") > 0.0);
    json_decref(root);
}

static void a_program_has_a_balance_and_no_tiles(void **state)
{
    (void)state;
    cli_run(&cli, "run traces/samples/matmul_double_buffered.prog --timing-only --json");
    json_t *root = cli_json(&cli), *tail = json_object_get(root, "tail");
    assert_true(json_is_null(json_object_get(tail, "tiles")));
    assert_true(json_is_null(json_object_get(tail, "mac_share")));
    assert_int_equal(json_whole_of(tail, "idle_cores"), 23);
    assert_near(json_real_of(tail, "mean_core_cycles"), (double)json_whole_of(root, "cycles"));
    assert_near(json_real_of(tail, "imbalance"), 0.0);
    json_decref(root);
}

/* ---- doubts ---- */

static json_t *doubts_of(const char *arguments, json_t **root)
{
    cli_run(&cli, "run %s --timing-only --json", arguments);
    assert_int_equal(cli.code, 0);
    *root = cli_json(&cli);
    return json_object_get(*root, "doubts");
}

static bool is_outside(const json_t *doubts, const char *feature)
{
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(doubts, "outside"), i, item)
    {
        if (strcmp(json_words_of(item, "feature"), feature) == 0)
            return true;
    }
    return false;
}

static void a_measured_kernel_is_its_own_nearest_and_within_all_ranges(void **state)
{
    (void)state;
    static const char plan[] =
        "product: ascend910_9391\nconv: {input: [4, 128, 8, 48], weight: [1536, 128, 3, 3], "
        "padding: [1, 1, 1, 1], dtype: fp16}\n"
        "tile: {mMode: true, mAL1: 128, nBL1: 256, kAL1: 144, kBL1: 144, mL0: 128, kL0: 48, "
        "nL0: 256, pBufferFlag: 27, iterateMNOrder: 0, batchDim: 4, nDim: 6}\n"
        "schedule: {policy: vendor, residency: reload, handover: step}\n";
    json_t *root, *doubts = doubts_of(cli_write(&cli, "measured.yaml", plan), &root);
    const json_t *nearest = json_object_get(doubts, "nearest");
    assert_true(json_is_true(json_object_get(doubts, "product_measured")));
    assert_int_equal(json_whole_of(nearest, "row"), 514);
    assert_true(json_real_of(nearest, "distance") < 0.01);
    assert_near(json_real_of(nearest, "measured_us"), 32.2);
    assert_false(is_outside(doubts, "operation") || is_outside(doubts, "channels") ||
                 is_outside(doubts, "policy") || is_outside(doubts, "cores"));
    json_decref(root);
}

static void what_was_never_measured_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *path, *inside;
        const char *outside[4];
    } rows[] = {
        {"configs/plans/resnet_stem.yaml", "type", {"stride", "channels", "bias", "policy"}},
        {"configs/plans/aspp_dilated.yaml", "stride", {"dilation", "policy", "policy", "policy"}},
        {"configs/plans/vgg_nchw.yaml", "type", {"operation", "input", "weight", "kernel"}},
        {"configs/plans/res4_int8_quant.yaml", "stride", {"type", "quant", "bias", "policy"}},
        {"configs/plans/mobilenet_depthwise.yaml",
         "kernel",
         {"groups", "useful_permille", "channels", "row_bytes"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *root, *doubts = doubts_of(rows[i].path, &root);
        for (size_t k = 0; k < 4; k++)
            if (!is_outside(doubts, rows[i].outside[k]))
                fail_msg("%s: %s is within", rows[i].path, rows[i].outside[k]);
        assert_false(is_outside(doubts, rows[i].inside));
        json_decref(root);
    }
    cli_run(&cli, "run configs/plans/resnet_stem.yaml --timing-only");
    cli_assert_out(&cli, "\nnearest    ");
    cli_assert_out(&cli, "\noutside    of what was measured: ");
    cli_assert_out(&cli, "stride 2 (1)");
    cli_assert_out(&cli, "\nleft out   TransData ");
    cli_run(&cli, "run configs/plans/vgg_nchw.yaml --timing-only");
    cli_assert_out(&cli, "input nchw by DN2NZ");
    cli_assert_out(&cli, "\nleft out   dispatch by the AI CPU, throttling\n");
}

/* TransData is left out where any tensor lies in blocks, and only there. */
static void layouts_of_blocks_leave_their_making_out(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        bool blocks;
    } rows[] = {
        {"product: atlas-a2\nmatmul: {m: 32, n: 32, k: 32, dtype: fp16, b_layout: dn}\n", false},
        {"product: atlas-a2\nmatmul: {m: 32, n: 32, k: 32, dtype: fp16, b_layout: nz}\n", true},
        {"product: atlas-a2\nmatmul: {m: 32, n: 32, k: 32, dtype: fp16, b_layout: dn, "
         "a_layout: nz}\n",
         true},
        {"product: atlas-a2\nmatmul: {m: 32, n: 32, k: 32, dtype: fp16, b_layout: dn, "
         "c_layout: nz}\n",
         true},
        {"product: ascend-950pr\nconv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], "
         "dtype: fp16}\n",
         false},
        {"product: ascend-950pr\nconv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], "
         "dtype: fp16, weight_format: fractal_z}\n",
         true},
        {"product: ascend-950pr\nconv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], "
         "dtype: fp16, input_format: nc1hwc0}\n",
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cli_run(&cli, "run %s --timing-only", cli_write(&cli, "blocks.yaml", rows[i].plan));
        assert_int_equal(cli.code, 0);
        cli_assert_out(&cli, rows[i].blocks ? "\nleft out   TransData to and from these layouts, "
                                            : "\nleft out   dispatch by the AI CPU, throttling\n");
    }
}

static void products_that_nobody_measured_say_so(void **state)
{
    (void)state;
    static const char *const products[] = {"atlas-inference", "atlas-200i-500-a2",
                                           "atlas-training"};
    const char *path = cli_write(&cli, "any.yaml",
                                 "product: atlas-a2\nconv: {input: [1, 16, 4, 16], "
                                 "weight: [16, 16, 1, 1], dtype: fp16}\n");
    char plan[128];
    strcpy(plan, path);
    for (size_t i = 0; i < 3; i++) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "%s --product %s", plan, products[i]);
        cli_run(&cli, "run %s --timing-only", arguments);
        cli_assert_out(&cli, "\nnearest    none: no kernel was measured on ");
        json_t *root, *doubts = doubts_of(arguments, &root);
        assert_true(json_is_false(json_object_get(doubts, "product_measured")));
        assert_true(json_is_null(json_object_get(doubts, "nearest")));
        assert_ptr_equal(strstr(json_string_value(json_object_get(doubts, "no_nearest")),
                                "none: no kernel was measured on "),
                         json_string_value(json_object_get(doubts, "no_nearest")));
        assert_int_equal(json_array_size(json_object_get(doubts, "outside")), 0);
        json_decref(root);
    }
}

static void a_program_says_why_it_has_no_nearest_kernel(void **state)
{
    (void)state;
    const char *sample = "traces/samples/conv_load3d.prog";
    json_t *root, *doubts = doubts_of(sample, &root);
    assert_true(json_is_true(json_object_get(doubts, "product_measured")));
    assert_true(json_is_null(json_object_get(doubts, "nearest")));
    assert_string_equal(json_string_value(json_object_get(doubts, "no_nearest")),
                        "none: a program states no shape or tiling to compare with those of "
                        "measured kernels; docs/accuracy.md has single instructions");
    json_decref(root);
    cli_run(&cli, "run %s --timing-only", sample);
    cli_assert_out(&cli, "\nnearest    none: a program states no shape or tiling ");
    doubts = doubts_of("configs/plans/matmul_tails.yaml", &root);
    assert_true(json_is_null(json_object_get(doubts, "no_nearest")));
    assert_true(json_is_object(json_object_get(doubts, "nearest")));
    json_decref(root);
}

/* Every summary has a range and a basis. */
static void every_summary_says_how_sure_it_is(void **state)
{
    (void)state;
    static const char *const paths[] = {"configs/plans/matmul_tails.yaml",
                                        "configs/plans/wav2vec_1d.yaml",
                                        "traces/samples/conv_load3d.prog"};
    for (size_t i = 0; i < 3; i++) {
        json_t *root, *doubts = doubts_of(paths[i], &root);
        assert_int_equal(json_array_size(json_object_get(root, "range_us")), 2);
        assert_int_equal(json_object_size(json_object_get(root, "basis")), 4);
        assert_true(json_array_size(json_object_get(doubts, "left_out")) >= 2);
        json_decref(root);
        cli_run(&cli, "run %s --timing-only", paths[i]);
        cli_assert_out(&cli, "range ");
        cli_assert_out(&cli, "\nbasis      vendor ");
        cli_assert_out(&cli, "\nnearest    ");
        cli_assert_page(&cli);
    }
}

static void a_broken_table_of_kernels_is_bad_input(void **state)
{
    (void)state;
    char plan[128], configs[256];
    snprintf(configs, sizeof configs, "%s", getenv("CUBESIM_CONFIGS"));
    strcpy(plan, cli_write(&cli, "any.yaml",
                           "product: atlas-a2\nconv: {input: [1, 16, 4, 16], "
                           "weight: [16, 16, 1, 1], dtype: fp16}\n"));
    assert_int_equal(mkdir(cli_path(&cli, "kernels"), 0700), 0);
    cli_write(&cli, "kernels/measured.yaml", "kernels:\n- nam: x\n");
    setenv("CUBESIM_CONFIGS", cli.folder, 1);
    cli_run(&cli, "run %s", plan);
    setenv("CUBESIM_CONFIGS", configs, 1);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "kernels/measured.yaml:2:3:");
    assert_string_equal(cli.out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tail_tells_padding_by_its_cause),
        cmocka_unit_test(the_tail_tells_rounds_idle_cores_and_imbalance),
        cmocka_unit_test(a_program_has_a_balance_and_no_tiles),
        cmocka_unit_test(a_measured_kernel_is_its_own_nearest_and_within_all_ranges),
        cmocka_unit_test(what_was_never_measured_is_told),
        cmocka_unit_test(layouts_of_blocks_leave_their_making_out),
        cmocka_unit_test(products_that_nobody_measured_say_so),
        cmocka_unit_test(a_program_says_why_it_has_no_nearest_kernel),
        cmocka_unit_test(every_summary_says_how_sure_it_is),
        cmocka_unit_test(a_broken_table_of_kernels_is_bad_input),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
