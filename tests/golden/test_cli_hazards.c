/*
 * What the hazards of a program file do: exit codes, messages, JSON, the database.
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

static struct cli_program program;
static char tree[512];    /* of the sources */
static char text[120000]; /* of many.prog */

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

/* The first hazard of a kind in the JSON of a run. */
static const json_t *hazard_of(const json_t *root, const char *kind)
{
    const json_t *list = json_object_get(root, "hazards");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_words_of(json_array_get(list, i), "kind"), kind) == 0)
            return json_array_get(list, i);
    fail_msg("no hazard '%s'", kind);
    return NULL;
}

/* ---- hazards ---- */

/* On core 1 the second operand is loaded from bytes that nobody has copied to L1; the Mmad, its
 * instruction 7, reads them. */
static void forget_a_copy(void)
{
    char *core = strstr(program.text, ".core 1\n");
    assert_non_null(core);
    char *copy = strstr(core, "nd2nz dst=b");
    assert_non_null(copy);
    memcpy(copy, "#", 1);
    cli_write(&program.cli, "k.prog", program.text);
}

static void a_hazard_ends_in_exit_1_unless_less_was_asked_for(void **state)
{
    (void)state;
    forget_a_copy();
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 1);
    assert_memory_equal(program.cli.err,
                        "k.prog:32: hazard: uninitialized, core 1, instruction 7: mmad", 61);
    cli_assert_out(&program.cli, "\nchecks     hazards 1: uninitialized 1\n");
    assert_product("y.npy", 0, 16);
    cli_run(&program.cli, "run k.prog --hazards error");
    assert_int_equal(program.cli.code, 1);
    cli_run(&program.cli, "run k.prog --hazards warn");
    assert_int_equal(program.cli.code, 0);
    assert_memory_equal(program.cli.err, "k.prog:32: warning: uninitialized", 33);
    cli_run(&program.cli, "run k.prog --hazards off");
    assert_int_equal(program.cli.code, 0);
    assert_string_equal(program.cli.err, "");
    cli_assert_out(&program.cli, "\nchecks     hazards not asked for\n");
}

static void json_and_database_tell_hazards_with_their_place(void **state)
{
    (void)state;
    forget_a_copy();
    cli_run(&program.cli, "run k.prog --json --db r.db");
    assert_int_equal(program.cli.code, 1);
    json_t *root = cli_json(&program.cli);
    const json_t *hazard = json_array_get(json_object_get(root, "hazards"), 0);
    assert_string_equal(json_words_of(hazard, "kind"), "uninitialized");
    assert_int_equal(json_whole_of(hazard, "core"), 1);
    assert_int_equal(json_whole_of(hazard, "instruction"), 7);
    assert_int_equal(json_whole_of(hazard, "line"), 32);
    assert_memory_equal(json_words_of(hazard, "message"), "mmad: b", 7);
    json_decref(root);
    assert_int_equal(cli_count("r.db",
                               "SELECT count(*) FROM v_hazard WHERE run_id = 1 AND core = 1 "
                               "AND seq = 7 AND kind = 'uninitialized'"),
                     1);
}

static void on_a_terminal_a_hazard_is_wrapped_as_the_readme_shows_it(void **state)
{
    (void)state;
    static char readme[65536];
    struct cli *cli = &program.cli;
    char path[600];
    snprintf(path, sizeof path, "%s/README.md", tree);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    readme[fread(readme, 1, sizeof readme - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    const char *sample = strstr(readme, "$ cubesim run traces/samples/hazard_race.prog\n");
    assert_non_null(sample);
    sample = strchr(sample, '\n') + 1;
    const char *end = strstr(sample, "...\n");
    assert_non_null(end);
    snprintf(path, sizeof path, "%s/traces", tree);
    assert_int_equal(symlink(path, "traces"), 0);
    cli_run_on_terminal(cli, "run traces/samples/hazard_race.prog");
    assert_int_equal(strncmp(cli->err, sample, (size_t)(end - sample)), 0);
    cli_assert_messages(cli);
}

static void a_hazard_fits_80_columns_whatever_its_file_is_called(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    forget_a_copy();
    char name[80] = "";
    for (size_t length = 1; length < 60; length++) {
        memset(name, 'k', length);
        strcpy(name + length, ".prog");
        cli_write(cli, name, program.text);
        cli_run_on_terminal(cli, "run %s", name);
        cli_assert_err(cli, "hazard: uninitialized, core 1, instruction 7: mmad: b");
        cli_assert_messages(cli);
    }
}

/* many.prog: copies that read behind the end of x. */
static size_t write_hazards(int places)
{
    size_t used = (size_t)snprintf(text, sizeof text,
                                   ".product atlas-a2\n.gm x fp16 [16]\n.l1 a 0 1024\n.core 0\n");
    for (int i = 0; i < places; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "data_copy dst=a+%d src=x blockCount=1 blockLen=2\n", i % 32 * 32);
    cli_write(&program.cli, "many.prog", text);
    return used;
}

static void hazards_that_are_not_printed_are_counted_and_said_to_be_elsewhere(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    write_hazards(12);
    cli_run(cli, "run many.prog");
    cli_assert_err(cli, "\n2 more hazards; --json lists all 12, and so does v_hazard in a database "
                        "(--db)\n");
    cli_assert_out(cli, "\nchecks     hazards 12: out_of_bounds 12\n");
    write_hazards(1200);
    cli_run(cli, "run many.prog");
    cli_assert_err(
        cli, "\n1,190 more hazards; --json lists 1,000, some of each kind, and so does v_hazard "
             "in a database (--db)\n");
    cli_assert_out(cli, "\nchecks     hazards 1,200; of 1,000 kept: out_of_bounds 1,000\n");
    cli_run_on_terminal(cli, "run many.prog");
    cli_assert_messages(cli);
}

/* ---- deadlock ---- */

static void a_deadlock_is_told_saved_and_exit_1(void **state)
{
    (void)state;
    cli_program_edit(&program, "set_flag src=MTE1 dst=CUBE id=0\n", "#\n");
    cli_run(&program.cli, "run k.prog --db r.db");
    assert_int_equal(program.cli.code, 1);
    cli_assert_page(&program.cli);
    assert_memory_equal(program.cli.out, "deadlock at cycle 4,", 20);
    cli_assert_out(&program.cli, ": 2 pipes hold unfinished work and no event is left\n\n"
                                 "core  pipe  blocked at           waits for\n"
                                 "   0  CUBE  line 18 (wait_flag)  flag MTE1->CUBE id 0\n"
                                 "   0  FIXP  line 21 (wait_flag)  flag CUBE->FIXP id 0\n\n");
    cli_assert_out(&program.cli, "\ndumps      not written: the program has not ended\n");
    cli_assert_out(&program.cli, "\nrun 1 saved in r.db (23 instructions)");
    cli_assert_err(&program.cli, ": hazard: deadlock, core 0, instruction ");
    assert_int_not_equal(access("y.npy", F_OK), 0);
    assert_true(cli_count("r.db", "SELECT count(*) FROM v_hazard WHERE kind = 'deadlock'") > 0);
    /* Core 1 does not wait for core 0; CUBE of core 0 has done nothing and waits to the end. */
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_instruction WHERE opcode = 'mmad'"),
                     1);
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_run JOIN v_pipe USING (run_id) "
                                       "WHERE core = 0 AND pipe = 'CUBE' AND idle_cycles = 0 "
                                       "AND waiting_cycles = cycles"),
                     1);
    cli_run(&program.cli, "show r.db");
    assert_int_equal(program.cli.code, 0);
    cli_assert_page(&program.cli);
    cli_assert_out(&program.cli, "\ndeadlock: nothing moves after cycle 4,");
    assert_null(strstr(program.cli.out, "-bound"));
    cli_assert_out(&program.cli,
                   " hazards\n    deadlock, core 0, instruction 6: nothing can go on: CUBE "
                   "stands at\n    line 18 (wait_flag) and waits for flag MTE1->CUBE id 0; FIXP");
}

/* Fails the test unless a lane of so many columns only waits, for this. */
static void assert_lane_waits(const char *lane, const char *reason, size_t columns)
{
    char expected[1024] = "";
    size_t dots = columns - strlen(reason);
    snprintf(expected, sizeof expected, "\n%s  ", lane);
    for (size_t dot = 0; dot < dots; dot++) {
        strcat(expected, dot == dots / 2 ? reason : "");
        strcat(expected, "\u00b7");
    }
    strcat(expected, "   0.0 %\n");
    cli_assert_out(&program.cli, expected);
}

static void what_stands_for_ever_waits_in_the_picture_up_to_the_end(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    cli_program_edit(&program, "set_flag src=MTE1 dst=CUBE id=0\n", "#\n");
    cli_run(cli, "run k.prog --db r.db");
    cli_run(cli, "show r.db --core 0 --width 94");
    assert_lane_waits("CUBE", "MTE1", 80);
    assert_lane_waits("FIXP", "CUBE", 80);
    cli_assert_out(cli, "\nlongest wait: CUBE 4,679 cycles for MTE1, and for ever\n");
    cli_run(cli, "show r.db --core 0 --width 94 --from 4598 --to 4678");
    assert_lane_waits("CUBE", "MTE1", 80);
    cli_assert_out(cli, "\nlongest wait: CUBE 80 cycles for MTE1, and for ever\n");
    /* MTE1 has nothing left to do: it is idle. */
    assert_null(strstr(cli->out, "MTE1  \u00b7"));
}

static void a_pipe_that_stands_behind_its_work_waits_from_there_on(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    cli_program_edit(&program, "set_flag src=CUBE dst=FIXP id=0\n",
                     "wait_flag src=FIXP dst=CUBE id=3\n#\n");
    cli_run(cli, "run k.prog --db r.db");
    long long end = cli_count("r.db", "SELECT end_cycle FROM v_instruction WHERE core = 0 AND "
                                      "opcode = 'mmad'");
    assert_true(end > 4070);
    cli_run(cli, "show r.db --core 0 --width 94 --from %lld --to %lld", end, end + 80);
    assert_lane_waits("CUBE", "FIXP", 80);
    cli_assert_out(cli, "\nlongest wait: CUBE 80 cycles for FIXP, and for ever\n");
}

static void a_saved_run_shows_its_hazards(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    write_hazards(12);
    cli_run(cli, "run many.prog --db r.db");
    cli_run(cli, "show r.db");
    assert_int_equal(cli->code, 0);
    cli_assert_page(cli);
    cli_assert_out(cli, "\n\n12 hazards\n    out_of_bounds, core 0, instruction 0: data_copy");
    cli_assert_out(cli, "\n    out_of_bounds, core 0, instruction 9: data_copy");
    assert_null(strstr(cli->out, "instruction 10:"));
    cli_assert_out(cli, "\n2 more; 'SELECT * FROM v_hazard WHERE run_id = 1' has what is kept of "
                        "them\n");
    cli_run(cli, "run k.prog --db r.db");
    cli_run(cli, "show r.db");
    assert_null(strstr(cli->out, "hazard"));
}

/* Core 0 copies 2 KiB to L1 and gets no further, core 1 does all of its half. */
static void a_deadlocked_run_counts_what_was_executed_and_has_no_range(void **state)
{
    (void)state;
    struct cli *cli = &program.cli;
    cli_program_edit(&program, "set_flag src=MTE1 dst=CUBE id=0\n", "#\n");
    cli_program_edit(&program, "src=c0 mSize=16 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\n",
                     "src=c0 mSize=16 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\n"
                     "pipe_barrier pipe=ALL\n"
                     "nd2nz dst=b src=w ndNum=1 nValue=32 dValue=16 srcDValue=16 dstNzC0Stride=32 "
                     "dstNzNStride=1\n");
    for (int timing_only = 0; timing_only < 2; timing_only++) {
        cli_run(cli, "run k.prog --json --db r.db %s", timing_only ? "--timing-only" : "");
        assert_int_equal(cli->code, 1);
        json_t *root = cli_json(cli);
        assert_int_equal(json_whole_of(root, "macs"), 16 * 16 * 32);
        assert_int_equal(json_whole_of(root, "gm_read_bytes"), 4096);
        assert_int_equal(json_whole_of(root, "gm_miss_bytes"), 3072);
        assert_int_equal(json_whole_of(root, "gm_write_bytes"), 1024);
        assert_true(json_is_null(json_object_get(root, "range_us")));
        json_decref(root);
    }
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_run_detail JOIN v_run USING (run_id)"
                                       " WHERE time_low_us IS NULL AND time_high_us IS NULL AND "
                                       "macs = 8192 AND mmad_macs = 8192 AND cube_macs = 8192"),
                     2);
    cli_run(cli, "run k.prog");
    assert_null(strstr(cli->out, "range "));
    cli_assert_page(cli);
}

static void an_mmad_that_was_refused_has_multiplied_nothing(void **state)
{
    (void)state;
    cli_program_edit(&program, "m=16 n=16 k=32", "m=16 n=16 k=48");
    cli_run(&program.cli, "run k.prog --json");
    assert_int_equal(program.cli.code, 1);
    json_t *root = cli_json(&program.cli);
    assert_int_equal(json_whole_of(root, "refused_instructions"), 1);
    assert_int_equal(json_whole_of(root, "macs"), 16 * 16 * 32);
    json_decref(root);
}

static void a_deadlock_is_told_behind_any_number_of_other_hazards(void **state)
{
    (void)state;
    size_t used = write_hazards(1100);
    snprintf(text + used, sizeof text - used, "wait_flag src=MTE2 dst=MTE1 id=0\n");
    cli_write(&program.cli, "many.prog", text);
    cli_run(&program.cli, "run many.prog --json");
    assert_int_equal(program.cli.code, 1);
    json_t *root = cli_json(&program.cli);
    assert_true(json_whole_of(root, "hazard_count") > 1100);
    assert_int_equal(json_array_size(json_object_get(root, "hazards")), 1000);
    assert_int_equal(json_whole_of(hazard_of(root, "deadlock"), "line"), 1105);
    json_decref(root);
}

static void a_deadlock_counts_whatever_is_asked_for(void **state)
{
    (void)state;
    static const char *const options[] = {"", "--timing-only", "--hazards off", "--hazards warn"};
    cli_program_edit(&program, "set_flag src=MTE1 dst=CUBE id=0\n", "#\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        cli_run(&program.cli, "run k.prog --json %s", options[i]);
        assert_int_equal(program.cli.code, 1);
        json_t *root = cli_json(&program.cli);
        assert_true(json_is_true(json_object_get(root, "deadlock")));
        const json_t *hazard = hazard_of(root, "deadlock");
        assert_int_equal(json_whole_of(hazard, "line"), 18);
        assert_non_null(strstr(json_words_of(hazard, "message"), "CUBE stands at "));
        json_decref(root);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_hazard_ends_in_exit_1_unless_less_was_asked_for),
        TEST(json_and_database_tell_hazards_with_their_place),
        TEST(on_a_terminal_a_hazard_is_wrapped_as_the_readme_shows_it),
        TEST(a_hazard_fits_80_columns_whatever_its_file_is_called),
        TEST(hazards_that_are_not_printed_are_counted_and_said_to_be_elsewhere),
        TEST(a_deadlock_is_told_saved_and_exit_1),
        TEST(what_stands_for_ever_waits_in_the_picture_up_to_the_end),
        TEST(a_pipe_that_stands_behind_its_work_waits_from_there_on),
        TEST(a_saved_run_shows_its_hazards),
        TEST(a_deadlocked_run_counts_what_was_executed_and_has_no_range),
        TEST(an_mmad_that_was_refused_has_multiplied_nothing),
        TEST(a_deadlock_is_told_behind_any_number_of_other_hazards),
        TEST(a_deadlock_counts_whatever_is_asked_for),
    };
    if (getcwd(tree, sizeof tree) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
