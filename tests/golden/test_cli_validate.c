/*
 * `cubesim validate` from outside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cli.h"
#include "tests/support/near.h"

CLI_FIXTURE(cli)

#define HEAD                                                                                       \
    "title: a title\nproduct: atlas-a2\nkind: table\nsource: a table\nbounds:\n"                   \
    "  - {metric: interval, pipe: cube, median: 1 %, worst: 5 %}\n"

/* Mmads of m x 16 x 64 back to back: 4 fractals a row block and 2 cycles. */
#define CASES(value)                                                                               \
    "cases:\n"                                                                                     \
    "  - name: rows of blocks\n"                                                                   \
    "    kernel: k\n"                                                                              \
    "    metric: interval\n    pipe: cube\n    use: fit\n"                                         \
    "    program: |\n"                                                                             \
    "      .l0a a 0 65536\n      .l0b b 0 65536\n      .l0c c 0 65536\n"                           \
    "      .for i 20\n"                                                                            \
    "      mmad dst=c a=a b=b m={m} n=16 k=64 cmatrixInitVal=1\n"                                  \
    "      .end\n"                                                                                 \
    "    rows:\n"                                                                                  \
    "      - {id: 1, value: 18 cycles, m: 64}\n"                                                   \
    "      - {id: 2, value: " value ", m: 128, use: check}\n"                                      \
    "      - {id: 3, value: 66 cycles, m: 256}\n"                                                  \
    "      - {id: 4, value: 100 cycles, m: 256, use: printed, reason: another reading}\n"          \
    "  - name: scalars\n    not_replayed: no scalars here\n"                                       \
    "    rows:\n      - {id: 5, value: 3 apples, what: fruit}\n"

static const char *file(const char *text)
{
    return cli_write(&cli, "v.yaml", text);
}

static void rows_within_their_bound_are_exit_0(void **state)
{
    (void)state;
    cli_run(&cli, "validate %s", file(HEAD CASES("34 cycles")));
    assert_int_equal(cli.code, 0);
    cli_assert_page(&cli);
    cli_assert_out(&cli, "within bounds: 1 of 1 groups; 3 rows counted of 5, on "
                         "ascend910b1 (atlas-a2)\na title\n");
    cli_assert_out(&cli, "interval CUBE     3     0.0  0.0    0.0  1 / 5");
    cli_assert_out(&cli, "rank correlation 1.00 over 3 rows of k, interval CUBE\n");
    cli_assert_out(&cli, "4: another reading\n");
    cli_assert_out(&cli, "scalars: no scalars here\n     row 5\n");
}

static void a_group_over_its_bound_is_exit_1(void **state)
{
    (void)state;
    cli_run(&cli, "validate %s", file(HEAD CASES("32 cycles")));
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "over bounds: 1 of 1 groups");
    cli_assert_out(&cli, "  2  m 128     32.00      34.00  cycles     +6.2 ");
    cli_run(&cli, "validate %s", file(HEAD CASES("33 cycles")));
    assert_int_equal(cli.code, 0);
}

static void a_changed_number_of_the_product_moves_predictions(void **state)
{
    (void)state;
    cli_run(&cli, "validate %s --set 'cube.issue=10 cycles'", file(HEAD CASES("34 cycles")));
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "  1  m 64      18.00      26.00  cycles    +44.4 ");
}

static double real_of(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void json_says_all_that_the_text_says(void **state)
{
    (void)state;
    cli_run(&cli, "validate %s --json", file(HEAD CASES("32 cycles")));
    assert_int_equal(cli.code, 1);
    json_t *root = cli_json(&cli);
    const json_t *group = json_array_get(json_object_get(root, "groups"), 0);
    const json_t *row = json_array_get(json_object_get(root, "rows"), 1);
    const json_t *left_out = json_array_get(json_object_get(root, "not_replayed"), 0);
    const json_t *rank = json_array_get(json_object_get(root, "ranks"), 0);
    assert_true(json_is_false(json_object_get(root, "holds")));
    assert_near(real_of(group, "worst"), 6.25, 1e-9);
    assert_near(real_of(group, "rows"), 3.0, 0.0);
    assert_near(real_of(group, "worst_id"), 2.0, 0.0);
    assert_near(real_of(json_object_get(group, "check"), "median"), 6.25, 1e-9);
    assert_near(real_of(json_object_get(group, "fit"), "worst"), 0.0, 1e-9);
    assert_near(real_of(json_object_get(group, "bound"), "worst"), 5.0, 1e-9);
    assert_near(real_of(row, "predicted"), 34.0, 1e-9);
    assert_near(real_of(row, "error"), 6.25, 1e-9);
    assert_string_equal(json_string_value(json_object_get(row, "use")), "check");
    assert_string_equal(json_string_value(json_object_get(json_object_get(row, "with"), "m")),
                        "128");
    assert_string_equal(json_string_value(json_object_get(left_out, "what")), "fruit");
    assert_near(real_of(rank, "spearman"), 1.0, 1e-9);
    json_decref(root);
}

/* The model is fractals + 2, and so is the null baseline: it cannot be beaten. */
static void a_group_that_a_constant_explains_is_uninformative(void **state)
{
    (void)state;
    cli_run(&cli, "validate %s --json", file(HEAD CASES("34 cycles")));
    json_t *root = cli_json(&cli);
    const json_t *group = json_array_get(json_object_get(root, "groups"), 0);
    assert_true(json_is_false(json_object_get(group, "informative")));
    assert_near(real_of(group, "null_constant"), 2.0, 1e-6);
    json_decref(root);
}

static void effects_compare_two_rows(void **state)
{
    (void)state;
    cli_run(&cli, "validate %s --json",
            file(HEAD CASES("34 cycles") "effects:\n"
                                         "  - {name: twice, before: 1, after: 2}\n"
                                         "  - {name: not as read, before: 3, after: 4}\n"));
    json_t *root = cli_json(&cli);
    const json_t *list = json_object_get(root, "effects");
    const json_t *first = json_array_get(list, 0), *second = json_array_get(list, 1);
    assert_near(real_of(first, "predicted_percent"), 100.0 * 16.0 / 18.0, 1e-9);
    assert_near(real_of(first, "error_percent"), 0.0, 1e-9);
    assert_true(json_is_true(json_object_get(first, "direction")));
    assert_true(json_is_false(json_object_get(second, "direction")));
    json_decref(root);
    cli_run(&cli, "validate %s",
            file(HEAD "  - {metric: effect, median: 30 %}\n" CASES(
                "34 cycles") "effects:\n  - {name: not as read, before: 3, after: 4}\n"));
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "over bounds: 1 of 2 groups");
    cli_assert_page(&cli);
}

static void rows_fit_the_page_however_much_they_fill_in(void **state)
{
    static const char *const files[] = {"a2_cube", "a2_mmad_streams", "a2_tuning", "a5_catlass"};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        cli_run(&cli, "validate configs/validation/%s.yaml", files[i]);
        assert_in_range(cli.code, 0, 1);
        cli_assert_page(&cli);
    }
}

static void assert_refused(const char *text, const char *message)
{
    cli_run(&cli, "validate %s", file(text));
    assert_int_equal(cli.code, 2);
    assert_string_equal(cli.out, "");
    cli_assert_err(&cli, message);
}

#define CASE(lines)                                                                                \
    HEAD "cases:\n  - name: one\n    metric: interval\n    pipe: cube\n    use: fit\n" lines
#define PROGRAM                                                                                    \
    "    program: |\n      .l0a a 0 512\n      .l0b b 0 512\n      .l0c c 0 1024\n"                \
    "      mmad dst=c a=a b=b m=16 n=16 k=16 cmatrixInitVal=1\n"

static void what_is_wrong_in_a_file_is_told_at_its_place(void **state)
{
    (void)state;
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5}\n"),
                   "v.yaml:18:24: found '5'; expected a number above 0 and its unit");
    assert_refused(
        CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 %}\n"),
        "v.yaml:18:24: found the unit %; expected one of time or rates: us, cycles, B/cy");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 B/cycle, metric: each}\n"),
                   "v.yaml:18:24: found the unit B/cycle; expected one of time: us or cycles");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 us, metric: stream}\n"),
                   "v.yaml:18:24: found the unit us; expected one of rates: B/cycle, GiB/s");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 us, metric: share}\n"),
                   "v.yaml:18:24: found the unit us; expected one of shares: %");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 us, clock: 0 MHz}\n"),
                   "v.yaml:18:37: found no clock; expected one above 0");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 cycles, vlaue: 3}\n"),
                   "v.yaml:18:34: found the key 'vlaue'; expected 'value'");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 cycles, width: 3}\n"),
                   "v.yaml:18:34: found the key 'width'; expected a name that the template asks");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 cycles}\n"),
                   "v.yaml:18:9: found 1 instruction of CUBE on core 0; expected at least 2");
    assert_refused(CASE("    program: |\n      mmad dst=c\n    rows:\n"
                        "      - {id: 1, value: 5 cycles}\n"),
                   "v.yaml:13:7: ");
    assert_refused(CASE("    rows:\n      - {id: 1, value: 5 cycles}\n"),
                   "v.yaml:8:5: found none or several of plan, program and not_replayed");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 cycles, use: printed}\n"),
                   "v.yaml:18:9: found no reason");
    assert_refused(CASE(PROGRAM "    rows:\n      - {id: 1, value: 5 cycles}\n"
                                "      - {id: 1, value: 6 cycles}\n"),
                   "v.yaml:19:14: found id 1 again; expected each once (first in line 18)");
    assert_refused(HEAD CASES("34 cycles") "effects:\n  - {name: a, before: 1, after: 9}\n",
                   "found a number that no replayed row has");
    assert_refused("title: t\nproduct: atlas-b7\ncases: []\n", "v.yaml:2:10: ");
}

/* A bound that can only hold would be believed. */
static void a_bound_without_rows_or_beside_another_is_refused(void **state)
{
    (void)state;
    assert_refused(HEAD "  - {metric: interval, pipe: fixp, median: 1 %}\n" CASES("34 cycles"),
                   "v.yaml:7:5: found a bound that nothing falls under; expected");
    assert_refused(HEAD "  - {metric: each, median: 1 %}\n" CASES("34 cycles"),
                   "v.yaml:7:5: found a bound that nothing falls under; expected");
    assert_refused(HEAD "  - {metric: effect, median: 30 %}\n" CASES("34 cycles"),
                   "v.yaml:7:5: found a bound that nothing falls under; expected");
    assert_refused(
        HEAD "  - {metric: effect, median: 30 %}\n" CASES(
            "34 cycles") "effects:\n  - {name: a, before: 1, after: 2, use: printed, reason: r}\n",
        "v.yaml:7:5: found a bound that nothing falls under; expected");
    assert_refused(HEAD "  - {metric: interval, pipe: cube, worst: 2 %}\n" CASES("34 cycles"),
                   "v.yaml:7:5: found a second bound of the same; expected one (first in line 6)");
    cli_run(&cli, "validate %s",
            file(HEAD "  - {metric: interval, worst: 2 %}\n" CASES("34 cycles")));
    assert_int_equal(cli.code, 0);
}

/* Rows share what their case says, and its problems are told once. */
static void what_is_wrong_for_many_rows_is_told_once(void **state)
{
    (void)state;
    assert_refused(HEAD CASES("34 cycles") "  - name: two\n    metric: intervall\n    pipe: cube\n"
                                           "    use: fit\n    program: |\n      mmad\n"
                                           "    rows:\n      - {id: 6, value: 1 us}\n"
                                           "      - {id: 7, value: 1 us}\n",
                   "v.yaml:30:13: found 'intervall'; expected 'interval'");
    assert_null(strstr(cli.err, "problems in"));
}

static void a_program_that_stands_is_exit_1(void **state)
{
    (void)state;
    cli_run(&cli, "validate %s",
            file(CASE("    program: |\n      wait_flag src=MTE1 dst=CUBE id=0\n    rows:\n"
                      "      - {id: 1, value: 5 cycles}\n")));
    assert_int_equal(cli.code, 1);
    cli_assert_err(&cli, "v.yaml:12:14: found a program that stands for ever");
}

static void a_plan_is_replayed_with_the_values_of_its_row(void **state)
{
    static const char plan[] =
        "title: t\nproduct: atlas-a2\nkind: time\nuse: check\nsource: s\ncases:\n"
        "  - name: conv\n    metric: task\n"
        "    plan:\n"
        "      conv: {input: [1, 16, 8, 8], weight: [\"{cout}\", 16, 1, 1], dtype: fp16}\n"
        "      schedule: {cores: 1}\n"
        "    rows:\n      - {id: 1, value: 20 us, cout: 16}\n"
        "      - {id: 2, value: 20 us, cout: 256}\n";
    (void)state;
    cli_run(&cli, "validate %s --json", file(plan));
    assert_int_equal(cli.code, 0);
    json_t *root = cli_json(&cli);
    const json_t *rows = json_object_get(root, "rows");
    assert_true(real_of(json_array_get(rows, 0), "predicted") <
                real_of(json_array_get(rows, 1), "predicted"));
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_within_their_bound_are_exit_0),
        cmocka_unit_test(a_group_over_its_bound_is_exit_1),
        cmocka_unit_test(a_changed_number_of_the_product_moves_predictions),
        cmocka_unit_test(json_says_all_that_the_text_says),
        cmocka_unit_test(a_group_that_a_constant_explains_is_uninformative),
        cmocka_unit_test(effects_compare_two_rows),
        cmocka_unit_test(rows_fit_the_page_however_much_they_fill_in),
        cmocka_unit_test(what_is_wrong_in_a_file_is_told_at_its_place),
        cmocka_unit_test(a_bound_without_rows_or_beside_another_is_refused),
        cmocka_unit_test(what_is_wrong_for_many_rows_is_told_once),
        cmocka_unit_test(a_program_that_stands_is_exit_1),
        cmocka_unit_test(a_plan_is_replayed_with_the_values_of_its_row),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
