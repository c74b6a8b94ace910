#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/vectors.h"

/* Runs a frozen file; it has at least `least` cases. */
static void file_run(const char *path, uint32_t least)
{
    struct vectors vectors = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    vectors_run(&vectors, file, path);
    fclose(file);
    if (vectors.failures != 0) {
        fail_msg("%u of %u cases failed, the last at %s", vectors.failures, vectors.cases,
                 vectors.message);
    }
    assert_true(vectors.cases >= least);
}

static void test_moves_agree_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_move.txt", 42);
}

static void test_load3d_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_load3d.txt", 78);
}

static void test_mmad_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_mmad.txt", 26);
}

static void test_fixpipe_agrees_with_the_oracle(void **state)
{
    (void)state;
    file_run("tests/data/vectors_fixpipe.txt", 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_agree_with_the_oracle),
        cmocka_unit_test(test_load3d_agrees_with_the_oracle),
        cmocka_unit_test(test_mmad_agrees_with_the_oracle),
        cmocka_unit_test(test_fixpipe_agrees_with_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
