/* The search of products by SoC, alias and path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/product_sample.h"

static void test_an_unknown_product_is_refused_at_its_place_with_the_known_ones(void **state)
{
    static const char text[] = "product: atlas-a22";
    static const char known[] = "\nascend310b1 (atlas-200i-500-a2), ascend310p3 (atlas-inference),"
                                "\nascend910_9362, ascend910_9372, ascend910_9381,"
                                "\nascend910_9391 (atlas-a3), ascend910a (atlas-training),"
                                "\nascend910b1 (atlas-a2), ascend910b2, ascend910b3, ascend910b4,"
                                "\nascend950dt_9581 (ascend-950dt), ascend950pr_9579 (atlas-350),"
                                "\nascend950pr_9589 (ascend-950pr)";
    const struct source source = {.name = "plan.yaml", .text = text, .length = strlen(text)};
    const struct place place = {&source, 1, 10, 9};
    struct sample sample;

    (void)state;
    sample_init(&sample);
    assert_int_equal(product_load("atlas-a22", place, &sample.arena, &sample.diag, &sample.product),
                     STATUS_BAD_INPUT);
    sample_assert_message(
        &sample, 0,
        arena_format(&sample.arena,
                     "unknown product 'atlas-a22'; did you mean 'atlas-a2'? known are%s", known));
    assert_int_equal(sample.diag.problems[0].place.column, 10);
    assert_string_equal(sample.diag.problems[0].place.source->name, "plan.yaml");
    assert_int_equal(product_load("toaster", place, &sample.arena, &sample.diag, &sample.product),
                     STATUS_BAD_INPUT);
    sample_assert_message(
        &sample, 1,
        arena_format(&sample.arena, "unknown product 'toaster'; expected one of%s", known));
    sample_deinit(&sample);
}

static void test_a_path_that_names_no_file_is_refused(void **state)
{
    struct sample sample;

    (void)state;
    assert_int_equal(sample_read(&sample, "nowhere/chip"), STATUS_BAD_INPUT);
    sample_assert_message(
        &sample, 0, "found no file 'nowhere/chip'; expected a product file, a SoC or an alias");
    sample_deinit(&sample);
    assert_int_equal(sample_read(&sample, "chip.yaml"), STATUS_BAD_INPUT);
    sample_deinit(&sample);
}

static void test_a_file_is_loaded_by_path_whatever_its_name(void **state)
{
    char text[TEXT_BYTES];
    struct folder folder;
    struct sample sample;

    (void)state;
    text_read("configs/products/ascend910b3.yaml", text);
    folder_init(&folder);
    sample_load(&sample, folder_write(&folder, "mine.yaml", text));
    assert_string_equal(sample.product.soc, "ascend910b3");
    sample_deinit(&sample);
    folder_deinit(&folder);
}

/* A product of the tests: Atlas A2 under another name, with 7 cores. */
static void custom_text(char *text, const char *soc, const char *alias)
{
    char header[128];

    text_read("configs/products/ascend910b1.yaml", text);
    (void)snprintf(header, sizeof header, "soc: %s\nalias: %s\n", soc, alias);
    text_replace(text, "soc: ascend910b1\nalias: atlas-a2\n", header);
    text_replace(text, "value: 24,", "value: 7,");
}

static void test_own_products_are_found_where_the_environment_says(void **state)
{
    char text[TEXT_BYTES];

    (void)state;
    for (int in_products = 0; in_products < 2; in_products++) {
        struct folder folder;
        struct sample sample;
        const char *const *socs;
        size_t count;

        folder_init(&folder);
        if (in_products)
            folder_make_products(&folder);
        custom_text(text, "mychip", "fast-one");
        (void)folder_write(&folder, "mychip.yaml", text);
        custom_text(text, "ascend910b2", "other-one");
        (void)folder_write(&folder, "ascend910b2.yaml", text);
        assert_int_equal(setenv("CUBESIM_CONFIGS", folder.path, 1), 0);

        sample_load(&sample, "mychip");
        assert_int_equal(product_whole(&sample.product, PRODUCT_CHIP_CORES), 7);
        sample_deinit(&sample);
        sample_load(&sample, "fast-one");
        assert_string_equal(sample.product.soc, "mychip");
        sample_deinit(&sample);
        sample_load(&sample, "ascend910b2"); /* stands before the shipped one */
        assert_int_equal(product_whole(&sample.product, PRODUCT_CHIP_CORES), 7);
        sample_deinit(&sample);
        sample_load(&sample, "ascend910b3"); /* shipped ones stay known */
        assert_int_equal(product_list(&sample.arena, &sample.diag, &socs, &count), STATUS_OK);
        assert_int_equal(count, SHIPPED_COUNT + 1);
        assert_string_equal(socs[count - 1], "mychip");
        sample_deinit(&sample);

        assert_int_equal(unsetenv("CUBESIM_CONFIGS"), 0);
        folder_deinit(&folder);
    }
}

static void test_a_file_found_by_name_must_say_that_name(void **state)
{
    char text[TEXT_BYTES];
    struct folder folder;
    struct sample sample;

    (void)state;
    folder_init(&folder);
    custom_text(text, "mychip", "fast-one");
    (void)folder_write(&folder, "yourchip.yaml", text);
    assert_int_equal(setenv("CUBESIM_CONFIGS", folder.path, 1), 0);
    assert_int_equal(sample_read(&sample, "yourchip"), STATUS_BAD_INPUT);
    sample_assert_message(&sample, 0,
                          "found soc 'mychip'; expected 'yourchip', the name of the file");
    assert_int_equal(sample.diag.problems[0].place.line, 1);
    assert_int_equal(sample.diag.problems[0].place.column, 6);
    sample_deinit(&sample);
    assert_int_equal(unsetenv("CUBESIM_CONFIGS"), 0);
    folder_deinit(&folder);
}

static void test_a_broken_file_with_the_wanted_alias_is_reported(void **state)
{
    char text[TEXT_BYTES];
    struct folder folder;
    struct sample sample;

    (void)state;
    folder_init(&folder);
    custom_text(text, "mychip", "fast-one");
    text_replace(text, "{value: 7", "{{value: 7");
    (void)folder_write(&folder, "mychip.yaml", text);
    assert_int_equal(setenv("CUBESIM_CONFIGS", folder.path, 1), 0);
    assert_int_equal(sample_read(&sample, "fast-one"), STATUS_BAD_INPUT);
    assert_string_equal(sample.diag.problems[0].place.source->name, folder.file[0]);
    sample_deinit(&sample);
    sample_load(&sample, "atlas-a2"); /* it is in nobody else's way */
    sample_deinit(&sample);
    assert_int_equal(unsetenv("CUBESIM_CONFIGS"), 0);
    folder_deinit(&folder);
}

static void test_an_environment_that_names_no_directory_is_refused(void **state)
{
    struct sample sample;

    (void)state;
    assert_int_equal(setenv("CUBESIM_CONFIGS", "/nonexistent", 1), 0);
    assert_int_equal(sample_read(&sample, "atlas-a2"), STATUS_BAD_INPUT);
    sample_assert_message(&sample, 0,
                          "CUBESIM_CONFIGS is '/nonexistent', which is no directory; expected the "
                          "directory of the product files");
    sample_deinit(&sample);
    assert_int_equal(setenv("CUBESIM_CONFIGS", "", 1), 0);
    sample_load(&sample, "atlas-a2");
    sample_deinit(&sample);
    assert_int_equal(unsetenv("CUBESIM_CONFIGS"), 0);
}

static void test_memory_that_runs_out_anywhere_is_a_clean_status(void **state)
{
    uint64_t failures = 0;
    bool passed = false;

    (void)state;
    for (uint64_t nth = 1; !passed; nth += 1 + nth / 40) {
        struct sample sample;
        const char *json = NULL;

        sample_init(&sample);
        arena_fail_at(nth);
        enum status status = product_load("atlas-inference", place_none(), &sample.arena,
                                          &sample.diag, &sample.product);
        if (status == STATUS_OK)
            status = sample_set(&sample, "chip.cores=3");
        if (status == STATUS_OK)
            json = product_json(&sample.product, &sample.arena);
        passed = arena_fail_pending();
        arena_fail_at(0);
        if (passed)
            assert_non_null(json);
        else if (status == STATUS_OK)
            assert_null(json);
        else
            assert_int_equal(status, STATUS_NO_MEMORY);
        failures += !passed;
        sample_deinit(&sample);
    }
    assert_true(failures > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_unknown_product_is_refused_at_its_place_with_the_known_ones),
        cmocka_unit_test(test_a_path_that_names_no_file_is_refused),
        cmocka_unit_test(test_a_file_is_loaded_by_path_whatever_its_name),
        cmocka_unit_test(test_own_products_are_found_where_the_environment_says),
        cmocka_unit_test(test_a_file_found_by_name_must_say_that_name),
        cmocka_unit_test(test_a_broken_file_with_the_wanted_alias_is_reported),
        cmocka_unit_test(test_an_environment_that_names_no_directory_is_refused),
        cmocka_unit_test(test_memory_that_runs_out_anywhere_is_a_clean_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
