/*
 * `cubesim check` from outside: verdicts, tables, JSON, and bad input of each kind.
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

#include "tests/support/cli.h"

#define CONV                                                                                       \
    "conv:\n  input: [1, 64, 56, 56]\n  weight: [64, 64, 3, 3]\n  padding: [1, 1, 1, 1]\n"         \
    "  dtype: fp16\n"
#define TILES(hout, w, k, n)                                                                       \
    "tile_l1: {tileHin: 3, tileHout: " hout ", tileWin: 56, tileWout: 64, tileCinFmap: 64,\n"      \
    "          tileCinWeight: 64, tileN: " n ", tileBatch: 1}\n"                                   \
    "tile_l0: {tileH: 1, tileW: " w ", tileK: " k ", tileN: " n "}\n"
#define PLAN(rest) "product: atlas-a2\n" CONV rest

CLI_FIXTURE(cli)

/* ---- text ---- */

static void assert_is_golden(const char *name)
{
    static char expected[65536];
    char path[128];
    bool update = getenv("UPDATE_GOLDEN") != NULL;
    snprintf(path, sizeof path, "tests/data/%s", name);
    FILE *file = fopen(path, update ? "w" : "r");
    assert_non_null(file);
    if (update)
        fputs(cli.out, file);
    else
        expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (!update)
        assert_string_equal(cli.out, expected);
}

static void a_legal_plan_prints_its_verdict_rules_and_buffers(void **state)
{
    (void)state;
    cli_run(&cli, "check configs/plans/res2a.yaml");
    assert_int_equal(cli.code, 0);
    assert_string_equal(cli.err, "");
    assert_is_golden("check_legal.txt");
    cli_assert_page(&cli);
}

static void an_illegal_plan_prints_each_broken_rule_with_its_place(void **state)
{
    (void)state;
    char place[160];
    cli_run(&cli, "check %s", cli_write(&cli, "wide.yaml", PLAN(TILES("2", "56", "576", "64"))));
    assert_int_equal(cli.code, 1);
    assert_int_equal(strncmp(cli.out, "illegal: 3 of 22 pypto rules are broken on ascend910b1", 54),
                     0);
    cli_assert_out(&cli, "rule 13  Wout is no multiple of 16, so tileHout must be 1");
    cli_assert_out(&cli, "nearest: tileHout 1");
    cli_assert_out(&cli, "576 x 64 x 2 = 73,728 > 65,536, 8,192 too many");
    cli_assert_out(&cli, "19 rules hold");
    cli_assert_out(&cli, "nearest legal plan: tileHout 1, tileW 64, tileK 288");
    snprintf(place, sizeof place, "%s:7:33", cli.path);
    cli_assert_out(&cli, place);
    cli_assert_page(&cli);
}

static void one_broken_rule_is_singular(void **state)
{
    (void)state;
    cli_run(&cli, "check %s", cli_write(&cli, "one.yaml", PLAN(TILES("2", "64", "64", "64"))));
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "illegal: 1 of 22 pypto rules is broken");
}

static void rules_of_the_hardware_leave_the_verdict_and_are_told(void **state)
{
    (void)state;
    /* 272 x 4 B do not fit into the bias table of 1,024 B: rule R5. */
    static const char text[] = "product: atlas-a2\n"
                               "conv: {input: [1, 64, 64, 64], weight: [512, 64, 1, 1],\n"
                               "       dtype: fp16, bias: true}\n"
                               "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 64, tileWout: 64,\n"
                               "          tileCinFmap: 64, tileCinWeight: 64, tileN: 272,\n"
                               "          tileBatch: 1}\n"
                               "tile_l0: {tileH: 1, tileW: 64, tileK: 32, tileN: 272}\n";
    cli_write(&cli, "bias.yaml", text);
    cli_run(&cli, "check %s", cli.path);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "legal: all 22 pypto rules hold on ascend910b1 (atlas-a2); run refuses");
    cli_assert_out(&cli, "rule R5 ");
    cli_assert_page(&cli);
    cli_run(&cli, "check %s --rules strict", cli.path);
    assert_int_equal(cli.code, 1);
    for (size_t i = 0; i < 2; i++) {
        cli_run(&cli, "%s %s", i == 0 ? "run" : "lower", cli.path);
        assert_int_equal(cli.code, 1);
        assert_string_equal(cli.out, "");
        cli_assert_err(&cli, "cannot run on ascend910b1 (atlas-a2)");
        cli_assert_err(&cli, "rule R5 ");
    }
}

static void without_a_tile_the_derived_one_is_judged_and_printed(void **state)
{
    (void)state;
    cli_run(&cli, "check configs/plans/aspp_dilated.yaml");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "note: derived: tile_l1: {tileHin: ");
    cli_assert_out(&cli, "tileK % C0");
    cli_assert_out(&cli, "L0A ");
    cli_assert_page(&cli);
}

static void written_buffers_that_do_not_fit_are_illegal(void **state)
{
    (void)state;
    cli_write(&cli, "slots.yaml",
              "product: atlas-a2\n"
              "conv: {input: [1, 64, 64, 64], weight: [512, 64, 1, 1], dtype: fp16}\n"
              "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 64, tileWout: 64, tileCinFmap: 64,\n"
              "          tileCinWeight: 64, tileN: 512, tileBatch: 1}\n"
              "tile_l0: {tileH: 1, tileW: 64, tileK: 32, tileN: 512}\n"
              "schedule: {l0c_buffers: 2}\n");
    cli_run(&cli, "check %s", cli.path);
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "illegal: the buffers that the plan asks for do not fit");
    cli_assert_out(&cli, "slots.yaml:6:25: ");
    assert_string_equal(cli.err, "");
    cli_assert_page(&cli);
    cli_run(&cli, "check %s --json", cli.path);
    json_t *root = cli_json(&cli);
    assert_true(json_is_false(json_object_get(root, "legal")));
    json_decref(root);
}

static void every_example_is_legal_and_fits_80_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"aspp_dilated",
                                        "mobilenet_depthwise",
                                        "pointwise_vendor_tile",
                                        "res2a",
                                        "res3_310p",
                                        "res4_fp8",
                                        "res4_int8",
                                        "res4_int8_quant",
                                        "res4_vendor_policy",
                                        "res4a_vendor_tile",
                                        "resnet_stem",
                                        "resnext_grouped",
                                        "vgg_nchw",
                                        "video_3d",
                                        "wav2vec_1d"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cli_run(&cli, "check configs/plans/%s.yaml", names[i]);
        assert_int_equal(cli.code, 0);
        assert_int_equal(strncmp(cli.out, "legal: all ", 11), 0);
        cli_assert_page(&cli);
    }
}

static void every_kind_of_product_can_be_checked_and_run(void **state)
{
    (void)state;
    static const char *const products[] = {"atlas-inference", "atlas-training",
                                           "atlas-200i-500-a2"};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        cli_run(&cli, "check configs/plans/wav2vec_1d.yaml --product %s", products[i]);
        assert_int_equal(cli.code, 0);
        cli_run(&cli, "run configs/plans/wav2vec_1d.yaml --product %s", products[i]);
        assert_int_equal(cli.code, 0);
    }
}

/* Whatever check says about running is what run does. */
static void runnable_agrees_with_run(void **state)
{
    (void)state;
    static const struct {
        const char *plan, *product;
        bool runnable;
    } cases[] = {
        {"res2a", "ascend910b1", true},      {"res2a", "ascend910b4", false},
        {"wav2vec_1d", "ascend910a", true},  {"wav2vec_1d", "ascend310p3", true},
        {"wav2vec_1d", "ascend310b1", true}, {"res2a", "ascend-950pr", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *plan = cases[i].plan, *product = cases[i].product;
        cli_run(&cli, "check configs/plans/%s.yaml --product %s --json", plan, product);
        json_t *root = cli_json(&cli);
        assert_int_equal(cli.code, 0);
        assert_string_equal(cli.err, "");
        assert_true(json_is_true(json_object_get(root, "legal")));
        assert_int_equal(json_is_true(json_object_get(root, "runnable")), cases[i].runnable);
        assert_int_equal(json_array_size(json_object_get(root, "run_problems")),
                         !cases[i].runnable);
        json_decref(root);
        cli_run(&cli, "run configs/plans/%s.yaml --product %s --timing-only", plan, product);
        assert_int_equal(cli.code, cases[i].runnable ? 0 : 2);
    }
}

static void a_product_of_the_option_is_told_there(void **state)
{
    (void)state;
    cli_run(&cli, "run configs/plans/wav2vec_1d.yaml --product ascend910z");
    cli_assert_err(&cli, "--product:1:1: unknown product 'ascend910z'");
}

static void rules_that_need_a_tile_are_not_judged_without_one(void **state)
{
    (void)state;
    cli_write(&cli, "padding.yaml",
              "product: atlas-training\n"
              "conv: {input: [1, 64, 56, 56], weight: [64, 64, 3, 3],\n"
              "       padding: [3, 3, 3, 3], dtype: fp16}\n");
    cli_run(&cli, "check %s", cli.path);
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "illegal: 1 of 22 pypto rules is broken");
    cli_assert_out(&cli, "\n8 rules hold, 13 not judged\n");
    assert_null(strstr(cli.out, "tile_l1.tileN"));
    cli_assert_page(&cli);
}

static void long_messages_and_source_lines_fit_80_columns(void **state)
{
    (void)state;
    cli_write(&cli, "wide.yaml",
              PLAN("schedule: {l0c_buffers: 2, policy: pypto, l2: warm, order: first, unit_flag: "
                   "false, residency: rleoad, fixpipe: tile, l1a_buffers: 2}\n"));
    char path[128];
    snprintf(path, sizeof path, "%s", cli.path);
    cli_run(&cli, "check %s", path);
    assert_int_equal(cli.code, 2);
    /* On a pipe a message is one line, for programs. */
    assert_non_null(
        strstr(cli.err, "found 'first'; expected 'm_first' (one of 'm_first' or 'n_first')\n"));
    cli_run_on_terminal(&cli, "check %s", path);
    cli_assert_err(&cli, "found 'first'; expected 'm_first' (one of 'm_first' or 'n_first')");
    cli_assert_err(&cli, "found 'rleoad'; expected 'reload'");
    cli_assert_err(&cli, " | ...");
    cli_assert_messages(&cli);
    cli_run_on_terminal(&cli, "check configs/plans/res2a.yaml --product atlas-a9");
    cli_assert_err(&cli, "--product:1:1: unknown product 'atlas-a9'");
    cli_assert_messages(&cli);
}

static void cores_that_the_product_lacks_are_no_fault_of_the_tile(void **state)
{
    (void)state;
    cli_run(&cli, "check configs/plans/res2a.yaml --product atlas-inference");
    assert_int_equal(cli.code, 0);
    assert_string_equal(cli.err, "");
    assert_memory_equal(cli.out, "legal: ", 7);
    cli_assert_out(&cli, "\nthe tile is legal, but run refuses the plan:\n"
                         "configs/plans/res2a.yaml:30:10: found cores 24; expected 1 to 8");
    cli_run(&cli, "run configs/plans/res2a.yaml --product atlas-inference");
    assert_int_equal(cli.code, 2);
}

/* ---- JSON ---- */

static void json_has_every_rule_in_its_order(void **state)
{
    (void)state;
    static const char *const sets[] = {"pypto", "document", "strict", "vendor"};
    for (size_t set = 0; set < 4; set++) {
        cli_run(&cli, "check configs/plans/res2a.yaml --json --rules %s", sets[set]);
        json_t *root = cli_json(&cli), *rules = json_object_get(root, "rules_checked"), *rule;
        size_t i;
        assert_string_equal(json_string_value(json_object_get(root, "rules")), sets[set]);
        assert_int_equal(json_array_size(rules), 32);
        json_array_foreach(rules, i, rule)
        {
            char id[8];
            snprintf(id, sizeof id, i < 22 ? "%zu" : "R%zu", i < 22 ? i + 1 : i - 21);
            assert_string_equal(json_string_value(json_object_get(rule, "id")), id);
            assert_true(json_is_string(json_object_get(rule, "formula")));
            assert_true(json_is_object(json_object_get(rule, "values")));
            assert_true(json_is_boolean(json_object_get(rule, "ok")));
            assert_true(json_is_string(json_object_get(rule, "message")));
            assert_true(json_is_string(json_object_get(rule, "nearest")));
        }
        json_decref(root);
    }
}

static void json_has_the_buffers_of_the_contract(void **state)
{
    (void)state;
    cli_run(&cli, "check configs/plans/res2a.yaml --json");
    json_t *root = cli_json(&cli), *first;
    assert_int_equal(cli.code, 0);
    assert_string_equal(json_string_value(json_object_get(root, "plan")),
                        "configs/plans/res2a.yaml");
    assert_true(json_is_true(json_object_get(root, "legal")));
    first = json_array_get(json_object_get(root, "buffers"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "buffer")), "L1");
    assert_int_equal(json_integer_value(json_object_get(first, "capacity_bytes")), 524288);
    assert_int_equal(json_integer_value(json_object_get(first, "single_bytes")), 95360);
    assert_int_equal(json_integer_value(json_object_get(first, "double_bytes")), 190592);
    assert_true(json_is_true(json_object_get(first, "fits_single")));
    assert_true(json_is_true(json_object_get(first, "fits_double")));
    json_decref(root);
}

static void json_of_a_broken_rule_has_its_numbers_and_the_nearest_value(void **state)
{
    (void)state;
    cli_run(&cli, "check %s --json",
            cli_write(&cli, "one.yaml", PLAN(TILES("2", "64", "64", "64"))));
    json_t *root = cli_json(&cli);
    json_t *rule = json_array_get(json_object_get(root, "rules_checked"), 12);
    assert_int_equal(cli.code, 1);
    assert_true(json_is_false(json_object_get(root, "legal")));
    assert_true(json_is_false(json_object_get(rule, "ok")));
    assert_string_equal(json_string_value(json_object_get(rule, "nearest")), "tileHout 1");
    assert_int_equal(json_integer_value(json_object_get(rule, "line")), 7);
    json_decref(root);
}

static void a_path_that_is_no_text_does_not_spoil_the_json(void **state)
{
    (void)state;
    cli_write(&cli, "\xff.yaml", PLAN(TILES("1", "64", "64", "64")));
    cli_run(&cli, "check '%s' --json", cli.path);
    assert_int_equal(cli.code, 0);
    json_decref(cli_json(&cli));
}

/* ---- bad input ---- */

static void bad_input_of_each_kind_is_exit_2_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"product: [atlas-a2\n", "bad.yaml:2:1: "},                                  /* syntax */
        {"", "bad.yaml: "},                                                          /* nothing */
        {PLAN("tile_l0: {tileH: 1}\ntile_l00: 3\n"), "bad.yaml:8:1: unknown key"},   /* key */
        {PLAN("rules: pypto\nrules: strict\n"), "bad.yaml:8:1: "},                   /* repeated */
        {PLAN("schedule: {cores: many}\n"), "bad.yaml:7:19: found 'many'"},          /* type */
        {PLAN("schedule: {cores: 0}\n"), "bad.yaml:7:19: found '0'"},                /* below 1 */
        {PLAN("schedule: {cores: 99999999999999999999}\n"), "bad.yaml:7:19: found"}, /* too big */
        {PLAN(TILES("0", "64", "64", "64")), "bad.yaml:7:33: found '0'"},
        {PLAN("rules: ptypo\n"), "bad.yaml:7:8: found 'ptypo'"},
        {PLAN("schedule: {cores: 4, core_split: {m: 3}}\n"), "bad.yaml:7:"}, /* contradiction */
        {"product: &a atlas-a2\n" CONV, "bad.yaml:1:10: "},                  /* anchor */
        {"product: atlas-a9\n" CONV, "bad.yaml:1:10: unknown product 'atlas-a9'"},
        {CONV, "bad.yaml:1:1: found no product"},
        {"product: atlas-a2\n", "bad.yaml:1:1: missing key 'conv'"},
        {"product: atlas-a2\nmatmul: {m: 1}\n", "bad.yaml:2:9: found no key 'n'"},
        {PLAN("rules: matmul\n"), "bad.yaml:7:8: found rules 'matmul' without matmul"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_run(&cli, "check %s", cli_write(&cli, "bad.yaml", cases[i].text));
        if (cli.code != 2)
            fail_msg("exit code %d of:\n%s", cli.code, cases[i].text);
        assert_string_equal(cli.out, "");
        cli_assert_err(&cli, cases[i].expected);
    }
}

static void all_problems_of_a_file_are_counted(void **state)
{
    (void)state;
    cli_write(&cli, "three.yaml", PLAN("rules: ptypo\nschedule: {cores: 0, order: up}\n"));
    cli_run(&cli, "check %s", cli.path);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "three.yaml:7:8: ");
    cli_assert_err(&cli, "three.yaml:8:19: ");
    cli_assert_err(&cli, "three.yaml:8:29: ");
    cli_assert_err(&cli, "3 problems in ");
}

static void a_missing_unit_in_set_has_its_column(void **state)
{
    (void)state;
    cli_run(&cli, "check configs/plans/res2a.yaml --set mte1.l1_to_l0a.rate=512");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--set:1:21: 512 has no unit; expected '512 B/cycle'");
}

static void missing_files_and_folders_are_bad_input(void **state)
{
    (void)state;
    cli_run(&cli, "check nowhere.yaml");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "nowhere.yaml: cannot open");
    cli_run(&cli, "check configs");
    assert_int_equal(cli.code, 2);
    cli_run(&cli, "check ''");
    assert_int_equal(cli.code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_legal_plan_prints_its_verdict_rules_and_buffers),
        cmocka_unit_test(an_illegal_plan_prints_each_broken_rule_with_its_place),
        cmocka_unit_test(one_broken_rule_is_singular),
        cmocka_unit_test(rules_of_the_hardware_leave_the_verdict_and_are_told),
        cmocka_unit_test(without_a_tile_the_derived_one_is_judged_and_printed),
        cmocka_unit_test(written_buffers_that_do_not_fit_are_illegal),
        cmocka_unit_test(every_example_is_legal_and_fits_80_columns),
        cmocka_unit_test(every_kind_of_product_can_be_checked_and_run),
        cmocka_unit_test(runnable_agrees_with_run),
        cmocka_unit_test(a_product_of_the_option_is_told_there),
        cmocka_unit_test(rules_that_need_a_tile_are_not_judged_without_one),
        cmocka_unit_test(long_messages_and_source_lines_fit_80_columns),
        cmocka_unit_test(cores_that_the_product_lacks_are_no_fault_of_the_tile),
        cmocka_unit_test(json_has_every_rule_in_its_order),
        cmocka_unit_test(json_has_the_buffers_of_the_contract),
        cmocka_unit_test(json_of_a_broken_rule_has_its_numbers_and_the_nearest_value),
        cmocka_unit_test(a_path_that_is_no_text_does_not_spoil_the_json),
        cmocka_unit_test(bad_input_of_each_kind_is_exit_2_with_its_place),
        cmocka_unit_test(all_problems_of_a_file_are_counted),
        cmocka_unit_test(a_missing_unit_in_set_has_its_column),
        cmocka_unit_test(missing_files_and_folders_are_bad_input),
    };
    return cmocka_run_group_tests_name("check", tests, make_folder, remove_folder);
}
