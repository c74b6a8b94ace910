/*
 * `cubesim sensitivity` from outside: what it says of a number is what --set gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cli_program.h"

CLI_FIXTURE(cli)

static const char plan[] =
    "product: atlas-a2\n"
    "conv: {input: [1, 64, 12, 32], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16}\n"
    "schedule: {cores: 4}\n";

static const char *const subjects[] = {"plan.yaml", "traces/samples/conv_load3d.prog"};

static const char *subject_path(size_t i)
{
    return i == 0 ? cli_write(&cli, subjects[0], plan) : subjects[i];
}

static void a_number_is_worth_what_set_says(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2; s++) {
        cli_run(&cli, "sensitivity %s --json", subject_path(s));
        assert_int_equal(cli.code, 0);
        json_t *root = cli_json(&cli), *number;
        long long cycles = json_whole_of(root, "cycles");
        size_t i;
        json_array_foreach(json_object_get(root, "numbers"), i, number)
        {
            long long better = json_whole_of(number, "cycles");
            double gain = json_number_value(json_object_get(number, "gain_percent"));
            assert_true(gain - 100.0 * (double)(cycles - better) / (double)cycles < 1e-9);
            if (i >= 3) /* the three that matter most */
                continue;
            cli_run(&cli, "run %s --timing-only --json --set '%s=%s'", subject_path(s),
                    json_words_of(number, "key"), json_words_of(number, "better"));
            json_t *run = cli_json(&cli);
            assert_int_equal(json_whole_of(run, "cycles"), better);
            json_decref(run);
        }
        assert_true(i > 20);
        json_decref(root);
    }
}

static void text_has_pipes_numbers_and_what_did_not_matter(void **state)
{
    (void)state;
    cli_run(&cli, "sensitivity %s --set 'cube.fractal_b16=40 cycles'", subject_path(0));
    assert_int_equal(cli.code, 0);
    cli_assert_page(&cli);
    assert_int_equal(strncmp(cli.out, "cube-bound: of ", 15), 0);
    cli_assert_out(&cli, "10 % better CUBE saves ");
    cli_assert_out(&cli, "\ncube.fractal_b16 ");
    cli_assert_out(&cli, " 40 cycles ");
    cli_assert_out(&cli, " 36 cycles ");
    cli_assert_out(&cli, "\nno effect   ");
    cli_assert_out(&cli, "\nnot varied  chip.clock, chip.cores, ");
}

static void the_product_and_its_cores_can_be_chosen(void **state)
{
    (void)state;
    cli_run(&cli, "sensitivity %s --product ascend-950pr --cores 2 --json", subject_path(0));
    json_t *root = cli_json(&cli);
    assert_string_equal(json_words_of(root, "soc"), "ascend950pr_9589");
    cli_run(&cli, "run %s --product ascend-950pr --cores 2 --timing-only --json", subject_path(0));
    json_t *run = cli_json(&cli);
    assert_int_equal(json_whole_of(root, "cycles"), json_whole_of(run, "cycles"));
    json_decref(run);
    json_decref(root);
}

static void what_cannot_run_has_no_sensitivity(void **state)
{
    (void)state;
    cli_run(&cli, "sensitivity traces/samples/hazard_deadlock.prog");
    assert_int_equal(cli.code, 1);
    cli_assert_err(&cli, "stands for ever");
    cli_run(&cli, "sensitivity");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "found no PLAN or PROGRAM");
    cli_run(&cli, "sensitivity traces/samples/conv_load3d.prog --cores 2");
    assert_int_equal(cli.code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_worth_what_set_says),
        cmocka_unit_test(text_has_pipes_numbers_and_what_did_not_matter),
        cmocka_unit_test(the_product_and_its_cores_can_be_chosen),
        cmocka_unit_test(what_cannot_run_has_no_sensitivity),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
