/*
 * `cubesim lower` and `cubesim products` from outside.
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

CLI_FIXTURE(cli)

/* Lines of stdout that start with text, or that do not. */
static long long count_lines(const char *start, bool with)
{
    long long count = 0;
    for (const char *line = cli.out; *line != '\0'; line = strchr(line, '\n') + 1)
        count += (strncmp(line, start, strlen(start)) == 0) == with;
    return count;
}

static void a_program_starts_with_its_product_and_tensors(void **state)
{
    (void)state;
    static const char head[] = ".product ascend910b1\n"
                               ".gm  x fp16 [16,4,56,56,16] = seed=1\n"
                               ".gm  w fp16 [1,36,4,16,16] = seed=2\n"
                               ".gm  y fp16 [16,4,56,56,16]\n";
    cli_run(&cli, "lower configs/plans/res2a.yaml --core 3");
    assert_int_equal(cli.code, 0);
    assert_int_equal(strncmp(cli.out, head, strlen(head)), 0);
    assert_int_equal(count_lines(".core ", true), 1);
    cli_assert_out(&cli, "\n# core 3 of 24\n.core 0\n");
}

static void the_program_has_as_many_instructions_as_the_run(void **state)
{
    (void)state;
    cli_run(&cli, "run configs/plans/pointwise_vendor_tile.yaml --timing-only --json");
    json_t *root = cli_json(&cli);
    long long instructions = json_integer_value(json_object_get(root, "instructions"));
    long long cores = json_integer_value(json_object_get(root, "cores"));
    cli_run(&cli, "lower configs/plans/pointwise_vendor_tile.yaml");
    assert_int_equal(count_lines(".", false), instructions);
    assert_int_equal(count_lines(".core ", true), cores);
    json_decref(root);
}

static void a_core_alone_is_a_part_of_the_whole_and_a_program(void **state)
{
    (void)state;
    static const char core_0[] = "\n.core 0\n", core_1[] = "\n.core 1\n";
    cli_run(&cli, "lower configs/plans/pointwise_vendor_tile.yaml --core 1 > %s/core.prog",
            cli.folder);
    cli_run(&cli, "lower %s/core.prog", cli.folder);
    assert_int_equal(cli.code, 0);
    char *section = strdup(strstr(cli.out, core_0) + strlen(core_0));
    assert_non_null(section);
    cli_run(&cli, "lower configs/plans/pointwise_vendor_tile.yaml");
    const char *whole = strstr(cli.out, core_1);
    assert_non_null(whole);
    assert_int_equal(strncmp(whole + strlen(core_1), section, strlen(section)), 0);
    free(section);
}

static void a_core_that_the_plan_does_not_use_is_bad_input(void **state)
{
    (void)state;
    cli_run(&cli, "lower configs/plans/res2a.yaml --core 24");
    assert_int_equal(cli.code, 2);
    assert_string_equal(cli.out, "");
    cli_assert_err(&cli, "--core: found 24; expected 0 to 23, the cores of the plan");
}

static void every_product_is_listed_with_its_alias_within_80_columns(void **state)
{
    (void)state;
    cli_run(&cli, "products");
    assert_int_equal(cli.code, 0);
    assert_int_equal(strncmp(cli.out, "14 products\n", 12), 0);
    cli_assert_out(&cli, "\nascend910b1       atlas-a2 ");
    cli_assert_out(&cli, "\nascend910b2       - ");
    cli_assert_page(&cli);
    cli_run(&cli, "products --json");
    json_t *root = cli_json(&cli);
    assert_int_equal(json_array_size(json_object_get(root, "products")), 14);
    json_decref(root);
}

static void a_product_is_told_with_basis_range_and_source(void **state)
{
    (void)state;
    cli_run(&cli, "products atlas-a2");
    assert_int_equal(cli.code, 0);
    assert_int_equal(strncmp(cli.out, "ascend910b1 (atlas-a2): ", 24), 0);
    cli_assert_out(&cli, "\nl1.size ");
    cli_assert_out(&cli, " 512 KiB  vendor\n");
    cli_assert_out(&cli, " vendor    31.7 - 40.5 B/cycle\n");
    cli_assert_out(&cli, "source: ");
    cli_assert_page(&cli);
    cli_run(&cli, "products ascend910b1 --json");
    json_t *root = cli_json(&cli);
    json_t *rate = json_object_get(json_object_get(root, "numbers"), "gm.rate");
    assert_string_equal(json_string_value(json_object_get(rate, "value")), "32 B/cycle");
    assert_string_equal(json_string_value(json_object_get(rate, "low")), "31.7 B/cycle");
    assert_string_equal(json_string_value(json_object_get(rate, "basis")), "vendor");
    json_decref(root);
}

static void an_unknown_product_lists_the_known_ones(void **state)
{
    (void)state;
    cli_run(&cli, "products atlas-a9");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "unknown product 'atlas-a9'");
    cli_assert_err(&cli, "ascend910b1 (atlas-a2)");
}

static void every_listed_product_can_be_printed(void **state)
{
    (void)state;
    cli_run(&cli, "products --json");
    json_t *root = cli_json(&cli), *product;
    size_t i;
    json_array_foreach(json_object_get(root, "products"), i, product)
    {
        cli_run(&cli, "products %s", json_string_value(json_object_get(product, "soc")));
        assert_int_equal(cli.code, 0);
        cli_assert_page(&cli);
    }
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_starts_with_its_product_and_tensors),
        cmocka_unit_test(the_program_has_as_many_instructions_as_the_run),
        cmocka_unit_test(a_core_alone_is_a_part_of_the_whole_and_a_program),
        cmocka_unit_test(a_core_that_the_plan_does_not_use_is_bad_input),
        cmocka_unit_test(every_product_is_listed_with_its_alias_within_80_columns),
        cmocka_unit_test(a_product_is_told_with_basis_range_and_source),
        cmocka_unit_test(an_unknown_product_lists_the_known_ones),
        cmocka_unit_test(every_listed_product_can_be_printed),
    };
    return cmocka_run_group_tests_name("lower and products", tests, make_folder, remove_folder);
}
