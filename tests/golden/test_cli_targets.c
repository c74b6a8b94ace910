/*
 * `cubesim run` overwrites nothing that the same run reads or writes already.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_program.h"

static struct cli_program program;
static char tree[512]; /* of the sources */

static int setup(void **state)
{
    (void)state;
    return cli_program_init(&program);
}

static int teardown(void **state)
{
    (void)state;
    return cli_program_deinit(&program);
}

/* Runs the program with another dump line, which must be refused for this reason, with nothing
 * written. */
static void refuse_dump(const char *options, const char *dumps, const char *reason)
{
    struct cli *cli = &program.cli;
    cli_program_restore(&program);
    cli_program_edit(&program, "dump y y.npy", dumps);
    cli_run(cli, "run k.prog --db k.db %s", options);
    assert_int_equal(cli->code, 2);
    assert_string_equal(cli->out, "");
    cli_assert_err(cli, reason);
    assert_int_equal(access("k.db", F_OK), -1);
    assert_int_equal(access("y.npy", F_OK), -1);
}

static void a_dump_onto_the_program_or_what_it_reads_is_refused_at_its_place(void **state)
{
    (void)state;
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(symlink("x.npy", "link.npy") | link("x.npy", "hard.npy"), 0);
    refuse_dump("", "dump y k.prog",
                "k.prog:36:8: found 'k.prog', which is the program itself; expected a file of its "
                "own\n");
    refuse_dump("", "dump y sub/../k.prog", "k.prog:36:8: found 'sub/../k.prog', which is the ");
    refuse_dump("", "dump y ./x.npy",
                "k.prog:36:8: found './x.npy', which is the file that 'x' is read from; expected");
    refuse_dump("", "dump y link.npy", "which is the file that 'x' is read from");
    refuse_dump("", "dump y hard.npy", "which is the file that 'x' is read from");
}

static void two_dumps_to_one_file_are_refused_however_it_is_spelled(void **state)
{
    (void)state;
    refuse_dump("", "dump y y.npy\ndump y ./y.npy",
                "k.prog:37:8: found './y.npy', which is the dump of line 36; expected");
    refuse_dump("", "dump y ../y.npy\ndump y z.npy\ndump x ./z.npy\ndump w .//z.npy",
                "k.prog:38:8: found './z.npy', which is the dump of line 37; expected");
    cli_assert_err(&program.cli, "k.prog:39:8: found './/z.npy', which is the dump of line 37");
}

static void a_dump_onto_the_database_or_the_product_is_refused(void **state)
{
    (void)state;
    refuse_dump("", "dump y ./k.db", "found './k.db', which is the database (--db); expected");
    cli_run(&program.cli, "--version && cp %s/configs/products/ascend910b1.yaml own.yaml", tree);
    assert_int_equal(program.cli.code, 0);
    refuse_dump("--product own.yaml", "dump y ./own.yaml",
                "found './own.yaml', which is its product file; expected");
}

static void a_database_is_none_of_the_files_that_are_read(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    cli_run(cli, "run k.prog --db ./k.prog");
    assert_int_equal(cli->code, 2);
    assert_string_equal(cli->err, "cubesim run: --db: found './k.prog', which is the program "
                                  "itself; expected a file of its own\n");
    cli_run(cli, "run k.prog --db x.npy");
    assert_int_equal(cli->code, 2);
    cli_run(cli, "run k.prog && cmp y.npy y.npy");
    assert_int_equal(cli->code, 0);
}

static void the_output_of_a_plan_is_neither_plan_nor_input_nor_database(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    cli_write(cli, "p.yaml",
              "product: atlas-a2\n"
              "conv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], dtype: fp16}\n");
    cli_run(cli, "run p.yaml --output ./p.yaml");
    assert_int_equal(cli->code, 2);
    assert_string_equal(cli->err, "cubesim run: --output: found './p.yaml', which is the plan "
                                  "itself; expected a file of its own\n");
    cli_run(cli, "run p.yaml --db q.db --output ./q.db");
    assert_int_equal(cli->code, 2);
    cli_assert_err(cli, "--output: found './q.db', which is the database (--db); expected");
    assert_int_equal(access("q.db", F_OK), -1);
    cli_run(cli, "run p.yaml --db p.yaml");
    assert_int_equal(cli->code, 2);
    cli_run(cli, "run p.yaml --output i.npy");
    assert_int_equal(cli->code, 0);
    cli_run(cli, "run p.yaml --input i.npy --output $PWD/i.npy");
    assert_int_equal(cli->code, 2);
    cli_assert_err(cli, "which is the file of --input; expected a file of its own");
    cli_run(cli, "run p.yaml --input i.npy --output o.npy --verify");
    assert_int_equal(cli->code, 0);
}

static void what_is_no_file_can_take_several_dumps(void **state)
{
    (void)state;
    cli_program_edit(&program, "dump y y.npy", "dump y /dev/null\ndump y /dev/../dev/null");
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_dump_onto_the_program_or_what_it_reads_is_refused_at_its_place),
        TEST(two_dumps_to_one_file_are_refused_however_it_is_spelled),
        TEST(a_dump_onto_the_database_or_the_product_is_refused),
        TEST(a_database_is_none_of_the_files_that_are_read),
        TEST(the_output_of_a_plan_is_neither_plan_nor_input_nor_database),
        TEST(what_is_no_file_can_take_several_dumps),
    };
    if (getcwd(tree, sizeof tree) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
