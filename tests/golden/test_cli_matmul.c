/*
 * Matrix products from outside: the plans that come with the program, matrices from and to files,
 * and what the commands call things.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "model/tensor.h"
#include "tests/support/cli.h"

enum { M = 5, N = 3, K = 4 };

#define SMALL                                                                                      \
    "product: atlas-a2\n"                                                                          \
    "matmul: {m: 5, n: 3, k: 4, dtype: fp16, out_dtype: fp32}\n"

static struct cli cli;
static struct arena arena;
static struct diag diag;

static int make_folder(void **state)
{
    (void)state;
    cli_init(&cli);
    arena_init(&arena, 0);
    diag_init(&diag);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    cli_deinit(&cli);
    diag_deinit(&diag);
    arena_deinit(&arena);
    return 0;
}

/* A file with a number of its own at every place: 1 + row * 10 + column. */
static void write_matrix(const char *path, uint64_t rows, uint64_t columns)
{
    struct tensor matrix;
    tensor_shape(&matrix, ELEMENT_FP16, 2, (uint64_t[]){rows, columns});
    assert_int_equal(tensor_take(&matrix, &arena), STATUS_OK);
    for (uint64_t i = 0; i < matrix.count; i++)
        element_store(
            ELEMENT_FP16, matrix.data, i,
            element_encode(ELEMENT_FP16, (float)(1 + i / columns * 10 + i % columns), true));
    assert_int_equal(npy_save(path, place_none(), &matrix, &diag), STATUS_OK);
}

static void test_files_hold_the_matrices_as_they_are_written(void **state)
{
    char a[128], b[128], c[128];
    struct tensor matrix;

    (void)state;
    strcpy(a, cli_path(&cli, "a.npy"));
    strcpy(b, cli_path(&cli, "b.npy"));
    strcpy(c, cli_path(&cli, "c.npy"));
    write_matrix(a, M, K);
    write_matrix(b, K, N);
    cli_run(&cli, "run %s --input %s --weight %s --output %s --verify",
            cli_write(&cli, "small.yaml", SMALL), a, b, c);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "15 values compared, 0 differ");
    cli_assert_out(&cli, "problem    matmul m 5 n 3 k 4 fp16 to fp32, A nd, B nd, C nd");
    cli_assert_out(&cli, "data       A from ");
    cli_assert_out(&cli, "matrices to their layouts outside the");
    tensor_shape(&matrix, ELEMENT_FP32, 2, (uint64_t[]){M, N});
    assert_int_equal(npy_load(c, place_none(), &matrix, &arena, &diag), STATUS_OK);
    for (uint64_t i = 0; i < M; i++)
        for (uint64_t j = 0; j < N; j++) {
            float sum = 0;
            for (uint64_t k = 0; k < K; k++)
                sum += (float)(1 + i * 10 + k) * (float)(1 + k * 10 + j);
            float found;
            memcpy(&found, (const uint8_t *)matrix.data + (i * N + j) * sizeof found, sizeof found);
            assert_true(found == sum);
        }
}

static void test_a_matrix_of_the_wrong_shape_is_refused(void **state)
{
    char a[128];

    (void)state;
    strcpy(a, cli_path(&cli, "turned.npy"));
    write_matrix(a, K, M);
    cli_run(&cli, "run %s --input %s", cli_write(&cli, "small.yaml", SMALL), a);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "(5, 4)");
    cli_run(&cli, "run %s --bias %s", cli_write(&cli, "small.yaml", SMALL), a);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "expected 'bias: true' in its matmul");
}

static void test_the_small_plan_verifies_and_the_large_ones_are_legal(void **state)
{
    static const char *const large[] = {"matmul_8192_a2", "matmul_8192_950"};

    (void)state;
    cli_run(&cli, "run configs/plans/matmul_tails.yaml --verify");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "60,000 values compared, 0 differ; hazards 0");
    cli_assert_page(&cli);
    cli_run(&cli, "run configs/plans/matmul_tails.yaml --verify --json");
    json_t *run = cli_json(&cli);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(run, "verify"), "reference")),
        "direct product, documented summation order");
    json_decref(run);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        cli_run(&cli, "check configs/plans/%s.yaml --json", large[i]);
        assert_int_equal(cli.code, 0);
        json_t *root = cli_json(&cli);
        assert_true(json_is_true(json_object_get(root, "runnable")));
        assert_string_equal(json_string_value(json_object_get(root, "rules")), "matmul");
        assert_int_equal(
            json_integer_value(json_object_get(json_object_get(root, "tile"), "baseN")), 256);
        json_decref(root);
    }
}

static void test_a_plan_on_other_products_is_refused_for_what_they_lack(void **state)
{
    static const struct {
        const char *product, *message;
    } rows[] = {
        {"atlas-inference",
         "ascend310p3 has no ND2NZ copy to bring it to L1; expected 'b_layout: nz'"},
        {"atlas-200i-500-a2", "ascend310b1 has no ND2NZ copy to bring it to L1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cli_run(&cli, "check configs/plans/matmul_tails.yaml --product %s", rows[i].product);
        assert_int_equal(cli.code, 2);
        cli_assert_err(&cli, rows[i].message);
    }
    cli_run(&cli, "run configs/plans/matmul_tails.yaml --product ascend-950pr --verify");
    assert_int_equal(cli.code, 0);
}

static void test_rules_of_products_judge_no_convolution(void **state)
{
    (void)state;
    cli_run(&cli, "check configs/plans/res2a.yaml --rules matmul");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--rules: found matmul, and the plan has a convolution");
    cli_run(&cli, "check configs/plans/matmul_tails.yaml --rules strict");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "legal: all 15 matmul rules hold");
}

static void test_broken_rules_stop_a_run_and_are_shown_with_their_places(void **state)
{
    (void)state;
    cli_run(&cli, "run %s",
            cli_write(&cli, "broken.yaml", SMALL "tile: {baseM: 24, baseN: 16, baseK: 16}\n"));
    assert_int_equal(cli.code, 1);
    cli_assert_err(&cli, "rule M2");
    cli_assert_err(&cli, "broken.yaml:3:15");
    cli_assert_err(&cli, "nearest: baseM 16");
}

static void test_lowered_streams_run_as_a_program(void **state)
{
    char program[128];

    (void)state;
    strcpy(program, cli_path(&cli, "tails.prog"));
    cli_run(&cli, "lower configs/plans/matmul_tails.yaml --core 1 > %s", program);
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "run %s", program);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "hazards 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_hold_the_matrices_as_they_are_written),
        cmocka_unit_test(test_a_matrix_of_the_wrong_shape_is_refused),
        cmocka_unit_test(test_the_small_plan_verifies_and_the_large_ones_are_legal),
        cmocka_unit_test(test_a_plan_on_other_products_is_refused_for_what_they_lack),
        cmocka_unit_test(test_rules_of_products_judge_no_convolution),
        cmocka_unit_test(test_broken_rules_stop_a_run_and_are_shown_with_their_places),
        cmocka_unit_test(test_lowered_streams_run_as_a_program),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
