/*
 * What is wrong with a program file is told in one go, each at its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/cli_program.h"

CLI_PROGRAM_FIXTURE(program)

/* Runs a program that is refused with exactly these messages, without their source lines. */
static void assert_problems(const char *text, const char *const *messages, size_t count)
{
    struct cli *cli = &program.cli;
    cli_write(cli, "wrong.prog", text);
    cli_run(cli, "run wrong.prog");
    assert_int_equal(cli->code, 2);
    assert_string_equal(cli->out, "");
    const char *at = cli->err;
    size_t found = 0;
    for (const char *line = at; *line != '\0'; line = strchr(line, '\n') + 1)
        found += strncmp(line, "wrong.prog:", 11) == 0;
    for (size_t i = 0; i < count; i++) {
        at = strstr(at, messages[i]);
        if (at == NULL)
            fail_msg("'%s' is missing, or not in its place, in:\n%s", messages[i], cli->err);
    }
    if (found != count)
        fail_msg("found %zu problems; expected %zu, in:\n%s", found, count, cli->err);
}

#define PROBLEMS(text, ...)                                                                        \
    do {                                                                                           \
        static const char *const messages[] = {__VA_ARGS__};                                       \
        assert_problems(text, messages, sizeof messages / sizeof *messages);                       \
    } while (0)

static void regions_instructions_and_files_are_told_together_in_their_order(void **state)
{
    (void)state;
    PROBLEMS(".product atlas-a2\n"
             ".gm x fp16 [16] = nowhere.npy\n"
             ".gm y fp15 [16] = y.npy\n"
             ".gm z fp16 [32,32] = w.npy\n"
             ".l1 a 0 999999999\n"
             ".core 0\n"
             "data_copi dst=a src=x\n"
             "data_copy dst=a src=x blockCount=5000 blockLen=1\n"
             "dump y y.npy\n",
             "wrong.prog:2:19: nowhere.npy: cannot open the file",
             "wrong.prog:3:7: unknown type 'fp15'", "wrong.prog:4:22: w.npy: found shape (32, 16)",
             "wrong.prog:5:1: found 'a' of 999999999 bytes from 0 on",
             "wrong.prog:7:1: unknown instruction 'data_copi'",
             "wrong.prog:8:34: blockCount is 5000; expected ");
    cli_assert_err(&program.cli, "\n6 problems in wrong.prog\n");
}

static void a_part_that_is_too_large_is_told_with_what_the_file_lacks(void **state)
{
    (void)state;
    PROBLEMS(".product atlas-a2\n"
             ".l1 a 0 999999999\n"
             "# nothing\n",
             "wrong.prog:2:1: found 'a' of 999999999 bytes",
             "wrong.prog:3:1: found no instruction");
}

static void without_a_product_files_are_looked_for_all_the_same(void **state)
{
    (void)state;
    PROBLEMS(".product atlas-a9\n"
             ".gm x fp16 [16] = nowhere.npy\n"
             ".l1 a 0 999999999\n"
             "data_copy dst=a src=x blockCount=1 blockLen=1\n",
             "wrong.prog:1:10: unknown product 'atlas-a9'", "wrong.prog:2:19: nowhere.npy: cannot");
}

static void what_a_file_lacks_has_a_place(void **state)
{
    (void)state;
    PROBLEMS("", "wrong.prog:1:1: found no product; expected '.product NAME'",
             "wrong.prog:1:1: found no instruction; expected at least one");
    PROBLEMS("\n\n  pipe_barrier pipe=ALL\npipe_barrier pipe=ALL\n",
             "wrong.prog:3:3: found no product; expected '.product NAME'");
    PROBLEMS(".product ascend310b1\n.core 0\npipe_barrier pipe=ALL\n.core 1\n"
             "pipe_barrier pipe=ALL\n.core 0x2\npipe_barrier pipe=ALL\n",
             "wrong.prog:4:1: found streams for 3 cores; expected at most 1");
}

static void of_very_many_problems_the_first_are_told_as_such(void **state)
{
    (void)state;
    static char text[64000] = ".product atlas-a2\n.gm x fp16 [16] = nowhere.npy\n";
    char *at = text + strlen(text);
    for (int i = 0; i < 999; i++)
        at += sprintf(at, "nothing_%d\n", i);
    cli_write(&program.cli, "wrong.prog", text);
    cli_run(&program.cli, "run wrong.prog");
    assert_int_equal(program.cli.code, 2);
    cli_assert_err(&program.cli,
                   "\nthe first 1,000 problems in wrong.prog; more were not looked for\n");
    cli_assert_err(&program.cli, "nowhere.npy");
    text[strlen(text) - strlen("nothing_998\n")] = '\0';
    cli_write(&program.cli, "wrong.prog", text);
    cli_run(&program.cli, "run wrong.prog");
    cli_assert_err(&program.cli, "\n999 problems in wrong.prog\n");
}

static void a_program_by_another_name_is_known_for_one(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    static const char *const texts[] = {
        ".product atlas-a2\n",     "# two operands\n\n.gm x fp16 [2] = seed=1\n.l1 a 0 64\n",
        ".l0c c 0 1024\n",         "data_copy dst=a src=x blockCount=1 blockLen=1\n",
        "pipe_barrier pipe=ALL\n",
    };
    static const char *const ways[] = {"run k.txt", "check k.txt", "lower k.txt",
                                       "run /dev/stdin < k.txt"};
    static const char told[] = ": found what looks like a program; expected a plan (YAML or JSON): "
                               "the name of a program ends in '.prog'\n";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cli_write(cli, "k.txt", texts[i]);
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            cli_run(cli, "%s", ways[way]);
            cli_assert_err(cli, told);
            assert_null(strstr(cli->err, "problems"));
        }
    }
    cli_write(cli, "k.txt", program.text);
    cli_run(cli, "run k.txt");
    assert_int_equal(cli->code, 2);
    cli_assert_err(cli, told);
    cli_run(cli, "run - < k.txt");
    assert_int_equal(cli->code, 2);
    assert_string_equal(cli->err,
                        "cubesim run: found '-'; expected the name of a file: a plan may "
                        "come from /dev/stdin, a program has a name that ends in '.prog'\n");
}

static void a_plan_with_a_mistake_is_no_program(void **state)
{
    (void)state;
    static const char *const texts[] = {"mmad: 3\n", ".product: atlas-a2\n", "mmad\n", "[1, 2\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cli_write(&program.cli, "p.yaml", texts[i]);
        cli_run(&program.cli, "run p.yaml");
        assert_int_equal(program.cli.code, 2);
        assert_null(strstr(program.cli.err, "looks like"));
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(regions_instructions_and_files_are_told_together_in_their_order),
        TEST(a_part_that_is_too_large_is_told_with_what_the_file_lacks),
        TEST(without_a_product_files_are_looked_for_all_the_same),
        TEST(what_a_file_lacks_has_a_place),
        TEST(of_very_many_problems_the_first_are_told_as_such),
        TEST(a_program_by_another_name_is_known_for_one),
        TEST(a_plan_with_a_mistake_is_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
