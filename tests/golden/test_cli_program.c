/*
 * `cubesim run PROGRAM.prog` from outside: tensors in and out, what is saved and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_program.h"

CLI_PROGRAM_FIXTURE(program)

/* ---- tensors ---- */

static void a_program_computes_its_tensors_from_files_into_files(void **state)
{
    (void)state;
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
    assert_string_equal(program.cli.err, "");
    assert_product("y.npy", 0, PRODUCT_ROWS);
}

static void a_tensor_that_is_not_wholly_written_is_dumped_with_zeros_and_told(void **state)
{
    (void)state;
    cli_program_edit(&program, "dst=y+1024 src", "dst=y+1088 src");
    cli_program_edit(&program, "mSize=16 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\ndump",
                     "mSize=15 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\ndump");
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
    cli_assert_out(&program.cli,
                   "\ndumps      y to y.npy (64 of 2,048 B were never written and are 0)\n");
    assert_product("y.npy", 0, 16);
    cli_run(&program.cli, "run k.prog --json");
    json_t *root = cli_json(&program.cli);
    const json_t *dump = json_array_get(json_object_get(root, "dumps"), 0);
    assert_string_equal(json_words_of(dump, "tensor"), "y");
    assert_string_equal(json_words_of(dump, "file"), "y.npy");
    assert_int_equal(json_whole_of(dump, "bytes"), 2048);
    assert_int_equal(json_whole_of(dump, "unwritten_bytes"), 64);
    json_decref(root);
}

static void generated_numbers_follow_the_seed_of_the_run(void **state)
{
    (void)state;
    cli_program_edit(&program, "= w.npy", "= seed=4");
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(rename("y.npy", "first.npy"), 0);
    cli_run(&program.cli, "run k.prog --seed 1");
    cli_run(&program.cli, "run k.prog --seed 1 && cmp y.npy first.npy >&2");
    assert_int_equal(program.cli.code, 0);
    cli_run(&program.cli, "run k.prog --seed 2 && ! cmp -s y.npy first.npy");
    assert_int_equal(program.cli.code, 0);
    cli_assert_out(&program.cli,
                   "x from x.npy, w generated (seed 4), y not bound; seed of the run 2\n");
}

static void time_alone_needs_right_files_and_writes_none(void **state)
{
    (void)state;
    cli_run(&program.cli, "run k.prog --json");
    json_t *both = cli_json(&program.cli);
    assert_int_equal(remove("y.npy"), 0);
    cli_run(&program.cli, "run k.prog --json --timing-only");
    assert_int_equal(program.cli.code, 0);
    json_t *time = cli_json(&program.cli);
    assert_int_equal(json_whole_of(time, "cycles"), json_whole_of(both, "cycles"));
    assert_int_equal(json_array_size(json_object_get(time, "dumps")), 0);
    assert_int_not_equal(access("y.npy", F_OK), 0);
    json_decref(both);
    json_decref(time);
    cli_run(&program.cli, "run k.prog --timing-only");
    cli_assert_out(&program.cli, "\nchecks     hazards were not looked for (--timing-only)\n");
    cli_assert_out(&program.cli,
                   "\ndumps      not written: no tensor was computed (--timing-only)\n");
    assert_int_equal(remove("w.npy"), 0);
    cli_run(&program.cli, "run k.prog --timing-only");
    assert_int_equal(program.cli.code, 2);
}

static int x_negated(int row, int column)
{
    return -x_value(row, column);
}

static void what_the_current_folder_lacks_is_read_from_that_of_the_program(void **state)
{
    (void)state;
    assert_int_equal(mkdir("sub", 0700), 0);
    assert_int_equal(rename("k.prog", "sub/k.prog") | rename("x.npy", "sub/x.npy"), 0);
    cli_run(&program.cli, "run sub/k.prog");
    assert_int_equal(program.cli.code, 0);
    cli_assert_out(&program.cli, "\ndata       x from sub/x.npy, w from w.npy, y not bound\n");
    assert_product("y.npy", 0, PRODUCT_ROWS);
    assert_int_not_equal(access("sub/y.npy", F_OK), 0);
    cli_run(&program.cli, "run sub/k.prog --json");
    json_t *root = cli_json(&program.cli);
    const json_t *input = json_array_get(json_object_get(root, "inputs"), 0);
    assert_string_equal(json_words_of(input, "tensor"), "x");
    assert_string_equal(json_words_of(input, "file"), "sub/x.npy");
    json_decref(root);
    save_half("x.npy", PRODUCT_ROWS, PRODUCT_K, x_negated);
    cli_run(&program.cli, "run sub/k.prog");
    cli_assert_out(&program.cli, "\ndata       x from x.npy, w from w.npy, y not bound\n");
    assert_int_equal(remove("x.npy") | remove("sub/x.npy"), 0);
    cli_run(&program.cli, "run sub/k.prog");
    assert_int_equal(program.cli.code, 2);
    cli_assert_err(&program.cli, "sub/k.prog:2:");
    cli_assert_err(&program.cli, "x.npy: cannot open the file: No such file or directory");
    assert_int_equal(remove("sub/k.prog") | rmdir("sub"), 0);
}

/* ---- what is printed ---- */

static void assert_checked(const char *options, bool checked, long long refused)
{
    cli_run(&program.cli, "run k.prog --json %s", options);
    json_t *root = cli_json(&program.cli);
    const json_t *value = json_object_get(root, "hazards_checked");
    assert_true(json_is_boolean(value));
    assert_int_equal(json_is_true(value), checked);
    assert_int_equal(json_whole_of(root, "refused_instructions"), refused);
    json_decref(root);
}

static void instructions_that_did_nothing_are_counted_also_without_hazards(void **state)
{
    (void)state;
    assert_checked("", true, 0);
    assert_checked("--timing-only", false, 0);
    assert_checked("--hazards off", false, 0);
    cli_run(&program.cli, "run k.prog --hazards off");
    cli_assert_out(&program.cli, "\nchecks     hazards not asked for\n");
    cli_program_edit(&program, "repeatTimes=2 srcStride=1\n", "repeatTimes=255 srcStride=1\n");
    assert_checked("--hazards warn", true, 1);
    assert_checked("--hazards off", false, 1);
    cli_run(&program.cli, "run k.prog --hazards off");
    assert_int_equal(program.cli.code, 0);
    assert_string_equal(program.cli.err, "");
    cli_assert_out(
        &program.cli,
        "\nchecks     hazards not asked for; 1 instruction was refused and did nothing\n");
    cli_program_edit(&program, ".core 1\n",
                     ".core 1\n"
                     "load3dv2 dst=a0 src=a channelSize=16 mExtension=16 kExtension=16 filterW=1 "
                     "filterH=1\n");
    assert_checked("--hazards off", false, 2);
    cli_run(&program.cli, "run k.prog --hazards off");
    cli_assert_out(&program.cli, "; 2 instructions were refused and did nothing\n");
}

static void assert_stored_twice(long long bytes)
{
    cli_run(&program.cli, "run k.prog --json");
    json_t *root = cli_json(&program.cli);
    assert_int_equal(json_whole_of(root, "stored_twice_bytes"), bytes);
    assert_int_equal(json_whole_of(root, "output_missing_bytes"), 0);
    json_decref(root);
}

static void bytes_that_are_stored_again_are_told(void **state)
{
    (void)state;
    assert_stored_twice(0);
    cli_run(&program.cli, "run k.prog");
    assert_null(strstr(program.cli.out, "\nstores "));
    cli_program_edit(&program, "dump y",
                     "fixpipe dst=y+1024 src=c0 mSize=16 nSize=16 srcStride=16 dstStride=16 "
                     "layout=nz2nd\ndump y");
    assert_stored_twice(1024);
    cli_run(&program.cli, "run k.prog");
    cli_assert_out(&program.cli,
                   "\nstores     1,024 B in gm were stored again after they were stored\n");
    cli_assert_page(&program.cli);
    cli_program_edit(&program, "y fp32 [32,16]", "y fp32 [32,16] = zero");
    assert_stored_twice(0);
    cli_program_edit(&program, "= zero", "= seed=1");
    assert_stored_twice(0);
}

static void the_summary_fits_80_columns_and_says_what_was_run(void **state)
{
    (void)state;
    cli_run(&program.cli, "run k.prog");
    cli_assert_page(&program.cli);
    cli_assert_out(&program.cli, "-bound: ");
    cli_assert_out(&program.cli, "\nwork       16,384 MAC, ");
    cli_assert_out(&program.cli, "\ntraffic    4,096 B read, ");
    cli_assert_out(&program.cli, "; 2,048 B written\n");
    cli_assert_out(&program.cli, "\nchecks     hazards 0\n");
    cli_assert_out(&program.cli,
                   "\nproduct    ascend910b1 (atlas-a2), 2 cores; startup 4,070 cycles");
    cli_assert_out(&program.cli, "\nprogram    k.prog: 24 instructions on 2 cores\n");
    cli_assert_out(&program.cli, "\ndata       x from x.npy, w from w.npy, y not bound\n");
    cli_assert_out(&program.cli, "\ndumps      y to y.npy\n");
    cli_assert_out(&program.cli, "\n24 instructions, simulated in ");
    assert_null(strstr(program.cli.out, "tile"));
    assert_null(strstr(program.cli.out, "schedule"));
    assert_null(strstr(program.cli.out, "nan"));
}

static void json_has_the_keys_of_the_contract(void **state)
{
    (void)state;
    static const char *const keys[] = {"run_id",
                                       "product",
                                       "soc",
                                       "clock_mhz",
                                       "cores",
                                       "cycles",
                                       "time_us",
                                       "launch_us",
                                       "task_us",
                                       "range_us",
                                       "basis",
                                       "bound",
                                       "macs",
                                       "gm_read_bytes",
                                       "pipes",
                                       "useful_mac_share",
                                       "tile",
                                       "schedule",
                                       "gm_write_bytes",
                                       "instructions",
                                       "waits",
                                       "hazards",
                                       "critical_path",
                                       "verify",
                                       "simulator_seconds"};
    cli_run(&program.cli, "run k.prog --json");
    json_t *root = cli_json(&program.cli);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(root, keys[i]) == NULL)
            fail_msg("'%s' is missing", keys[i]);
    assert_string_equal(json_words_of(root, "program"), "k.prog");
    assert_true(json_is_null(json_object_get(root, "plan")));
    assert_true(json_is_null(json_object_get(root, "verify")));
    assert_int_equal(json_object_size(json_object_get(root, "tile")), 0);
    assert_int_equal(json_object_size(json_object_get(root, "schedule")), 0);
    assert_int_equal(json_array_size(json_object_get(root, "hazards")), 0);
    assert_true(json_is_false(json_object_get(root, "deadlock")));
    assert_int_equal(json_whole_of(root, "macs"), 2 * 16 * 16 * 32);
    assert_int_equal(json_whole_of(root, "instructions"), 24);
    assert_int_equal(json_whole_of(root, "cores"), 2);
    json_decref(root);
}

static void a_product_can_be_changed_from_outside(void **state)
{
    (void)state;
    cli_run(&program.cli, "run k.prog --json");
    json_t *first = cli_json(&program.cli);
    cli_run(&program.cli, "run k.prog --json --set 'cube.latency=1061 cycles'");
    json_t *slow = cli_json(&program.cli);
    assert_int_equal(json_whole_of(slow, "cycles"), json_whole_of(first, "cycles") + 1000);
    assert_string_equal(json_words_of(json_object_get(slow, "set"), "cube.latency"), "1061 cycles");
    cli_run(&program.cli, "run k.prog --json --product ascend910b4");
    json_t *other = cli_json(&program.cli);
    assert_string_equal(json_words_of(other, "soc"), "ascend910b4");
    json_decref(first);
    json_decref(slow);
    json_decref(other);
}

/* ---- the database ---- */

static void a_saved_run_can_be_shown_and_holds_its_program(void **state)
{
    (void)state;
    cli_run(&program.cli, "run k.prog --db r.db");
    cli_assert_out(&program.cli, "\ncubesim show r.db draws its timeline\n");
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_instruction"), 24);
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_run WHERE problem = 'k.prog' AND "
                                       "tiling = '24 instructions on 2 cores' AND macs = 16384 "
                                       "AND verified IS NULL AND cores = 2"),
                     1);
    assert_int_equal(cli_count("r.db", "SELECT json_extract(plan_json, '$.program') LIKE "
                                       "'.product atlas-a2%nd2nz dst=b%dump y y.npy_' FROM v_run"),
                     1);
    cli_run(&program.cli, "show r.db --core 1");
    assert_int_equal(program.cli.code, 0);
    cli_assert_out(&program.cli, "\nk.prog on ascend910b1\n");
    cli_assert_out(&program.cli, "\nCUBE ");
    cli_assert_page(&program.cli);
}

static const char *run_key(const char *options)
{
    static char key[4][64];
    static unsigned next;
    char *mine = key[next++ % 4];
    remove("r.db");
    cli_run(&program.cli, "run k.prog --db r.db %s", options);
    cli_run(&program.cli, "--version; sqlite3 r.db 'SELECT run_key FROM v_run'");
    const char *line = strchr(program.cli.out, '\n');
    assert_non_null(line);
    snprintf(mine, 64, "%s", line + 1);
    assert_int_equal(strlen(mine), 33);
    return mine;
}

static void the_key_of_a_run_follows_text_files_product_and_seed(void **state)
{
    (void)state;
    const char *first = run_key("");
    assert_string_equal(run_key("--timeline none"), first);
    assert_string_not_equal(run_key("--seed 2"), first);
    assert_string_not_equal(run_key("--product ascend910b4"), first);
    first = run_key("");
    assert_string_not_equal(run_key("--set 'cube.latency=9 cycles'"), first);
    save_half("w.npy", PRODUCT_K, PRODUCT_COLUMNS, x_value);
    const char *other = run_key("");
    assert_string_not_equal(other, first);
    cli_program_edit(&program, "k=32", "k=16");
    assert_string_not_equal(run_key(""), other);
}

static void the_same_run_has_the_same_timeline(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        cli_run(&program.cli, "run k.prog --db r.db");
    assert_int_equal(
        cli_count("r.db", "SELECT count(*) FROM v_instruction AS a JOIN v_instruction AS b "
                          "USING (core, pipe, seq, opcode, start_cycle, end_cycle, done_cycle, "
                          "operands) WHERE a.run_id = 1 AND b.run_id = 2"),
        24);
    assert_int_equal(cli_count("r.db", "SELECT count(DISTINCT run_key) FROM v_run"), 1);
}

static void a_run_without_a_cycle_is_saved_and_cannot_be_drawn(void **state)
{
    (void)state;
    cli_write(&program.cli, "idle.prog",
              ".product atlas-a2\n.core 0\n.core 1\nset_fmatrix l1H=1 l1W=1\n");
    cli_run(&program.cli, "run idle.prog --db r.db --set 'scalar.startup=0 us' "
                          "--set 'scalar.dispatch=0 cycles'");
    assert_int_equal(program.cli.code, 0);
    cli_assert_page(&program.cli);
    cli_assert_out(&program.cli, "nothing was done, and it took no time\n");
    assert_null(strstr(program.cli.out, "nan"));
    cli_run(&program.cli, "show r.db");
    assert_int_equal(program.cli.code, 2);
    cli_assert_err(&program.cli, "run 1 took no cycle; there is nothing to draw");
    cli_run(&program.cli, "run idle.prog");
    cli_assert_out(&program.cli, "\ncore 1 of 2, the last to end");
    cli_assert_out(&program.cli, "\nwork       no Mmad\n");
}

static void rows_of_core_0_alone_can_be_saved(void **state)
{
    (void)state;
    cli_run(&program.cli, "run k.prog --db r.db --timeline core0");
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_instruction"), 12);
    assert_int_equal(cli_count("r.db", "SELECT max(core) FROM v_instruction"), 0);
}

/* ---- lower ---- */

static void lower_prints_a_program_that_is_the_same_program(void **state)
{
    (void)state;
    cli_run(&program.cli, "lower k.prog > again.prog");
    assert_int_equal(program.cli.code, 0);
    cli_run(&program.cli, "lower again.prog | cmp - again.prog >&2");
    assert_int_equal(program.cli.code, 0);
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(rename("y.npy", "first.npy"), 0);
    cli_run(&program.cli, "run again.prog --db r.db && cmp y.npy first.npy >&2");
    assert_int_equal(program.cli.code, 0);
    cli_run(&program.cli, "run k.prog --db r.db");
    assert_int_equal(cli_count("r.db", "SELECT count(DISTINCT cycles) FROM v_run"), 1);
    cli_run(&program.cli, "lower k.prog --core 1");
    cli_assert_out(&program.cli, "\n# core 1 of 2\n.core 0\n");
    cli_assert_out(&program.cli, "fixpipe dst=y+1024 ");
    assert_null(strstr(program.cli.out, ".core 1"));
    cli_run(&program.cli, "lower k.prog --core 1 > again.prog");
    cli_run(&program.cli, "run again.prog");
    assert_int_equal(program.cli.code, 0);
    assert_product("y.npy", 16, 16);
    cli_run(&program.cli, "lower k.prog --core 2");
    assert_int_equal(program.cli.code, 2);
    cli_assert_err(&program.cli, "--core: found 2; expected 0 to 1, the cores of the program");
    cli_run(&program.cli, "lower k.prog --rules pypto");
    assert_int_equal(program.cli.code, 2);
    cli_assert_err(&program.cli, "--rules: found with the program 'k.prog'; expected a plan");
}

/* With bias, padding, tails in M and N, several cores and a cold L2. */
static void a_lowered_plan_is_the_same_run_as_the_plan(void **state)
{
    (void)state;
    static const char *const same[] = {"cycles",         "instructions",  "gm_read_bytes",
                                       "gm_write_bytes", "gm_miss_bytes", "cores",
                                       "deciding_core",  "hazard_count"};
    static const char *const states[] = {"cold", "warm"};
    long long missed[2];
    for (size_t warm = 0; warm < 2; warm++) {
        char plan_text[512];
        snprintf(plan_text, sizeof plan_text,
                 "product: atlas-a2\n"
                 "conv: {input: [2, 40, 13, 17], weight: [24, 40, 3, 3], padding: [1, 1, 1, 1],\n"
                 "  dtype: fp16, bias: true}\n"
                 "schedule: {cores: 4, residency: prefetch, l2: %s}\n",
                 states[warm]);
        cli_write(&program.cli, "p.yaml", plan_text);
        cli_run(&program.cli, "lower p.yaml > p.prog");
        assert_int_equal(program.cli.code, 0);
        cli_run(&program.cli, "run p.yaml --json");
        json_t *plan = cli_json(&program.cli);
        cli_run(&program.cli, "run p.prog --json");
        assert_int_equal(program.cli.code, 0);
        json_t *lowered = cli_json(&program.cli);
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            assert_int_equal(json_whole_of(lowered, same[i]), json_whole_of(plan, same[i]));
        missed[warm] = json_whole_of(plan, "gm_miss_bytes");
        json_decref(plan);
        json_decref(lowered);
    }
    assert_true(missed[0] > 0 && missed[1] == 0);
}

/* ---- refusals ---- */

static void refused(const char *options, const char *message)
{
    cli_run(&program.cli, "run k.prog %s", options);
    if (program.cli.code != 2)
        fail_msg("exit code %d of run k.prog %s", program.cli.code, options);
    assert_string_equal(program.cli.out, "");
    cli_assert_err(&program.cli, message);
    assert_int_not_equal(access("y.npy", F_OK), 0);
}

static void options_of_plans_are_refused_all_at_once(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"--input x.npy", "cubesim run: --input: found with the program 'k.prog'; expected a plan"},
        {"--weight w.npy", "cubesim run: --weight: found with the program 'k.prog'"},
        {"--bias w.npy", "cubesim run: --bias: found with the program 'k.prog'"},
        {"--output o.npy", "cubesim run: --output: found with the program 'k.prog'"},
        {"--verify", "cubesim run: --verify: found with the program 'k.prog'"},
        {"--cores 2", "cubesim run: --cores: found with the program 'k.prog'"},
        {"--rules pypto", "cubesim run: --rules: found with the program 'k.prog'"},
        {"--verify --cores 2", "2 problems"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i][0], cases[i][1]);
}

static void wrong_files_are_told_where_they_are_named(void **state)
{
    (void)state;
    save_half("w.npy", PRODUCT_COLUMNS, PRODUCT_K, w_value);
    refused("", "k.prog:3:22: w.npy: found shape (16, 32); expected (32, 16)");
    cli_program_edit(&program, "w fp16 [32,16]", "w int16 [16,32]");
    refused("", "k.prog:3:23: w.npy: found type '<f2'; expected '<i2' for int16");
    assert_int_equal(remove("x.npy"), 0);
    refused("", "2 problems in k.prog");
    refused("", "k.prog:2:22: x.npy: cannot open the file: No such file");
}

static void a_program_that_does_not_fit_its_product_is_refused(void **state)
{
    (void)state;
    cli_program_edit(&program, ".l1 b 1024 1024", ".l1 b 524000 1024");
    refused("", "k.prog:6:1: found 'b' of 1024 bytes from 524000 on; expected it to end within the "
                "524288 bytes of l1 on ascend910b1");
    cli_program_edit(&program, ".l1 b 524000 1024", ".l1 b 1024 1024\n.bt t 1024 64");
    refused("", "k.prog:7:1: found 't' of 64 bytes from 1024 on");
    cli_program_edit(&program, ".bt t 1024 64", ".l0c t 100000 31072");
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
}

static void an_unknown_product_is_told_where_it_stands(void **state)
{
    (void)state;
    refused("--product nonesuch", "--product:1:1: ");
    cli_program_edit(&program, "atlas-a2", "atlas-a9");
    refused("", "k.prog:1:10: ");
    cli_program_edit(&program, ".product atlas-a9\n", "");
    refused("", "product");
    cli_run(&program.cli, "run k.prog --product atlas-a2");
    assert_int_equal(program.cli.code, 0);
}

static void a_dump_that_cannot_be_written_is_exit_3_and_saves_no_run(void **state)
{
    (void)state;
    cli_program_edit(&program, "dump y y.npy", "dump y nowhere/y.npy");
    cli_run(&program.cli, "run k.prog --db r.db");
    assert_int_equal(program.cli.code, 3);
    cli_assert_err(&program.cli, "k.prog:36:8: nowhere/y.npy: cannot write the file");
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_run"), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_program_computes_its_tensors_from_files_into_files),
        TEST(a_tensor_that_is_not_wholly_written_is_dumped_with_zeros_and_told),
        TEST(generated_numbers_follow_the_seed_of_the_run),
        TEST(time_alone_needs_right_files_and_writes_none),
        TEST(what_the_current_folder_lacks_is_read_from_that_of_the_program),
        TEST(instructions_that_did_nothing_are_counted_also_without_hazards),
        TEST(bytes_that_are_stored_again_are_told),
        TEST(the_summary_fits_80_columns_and_says_what_was_run),
        TEST(json_has_the_keys_of_the_contract),
        TEST(a_product_can_be_changed_from_outside),
        TEST(a_saved_run_can_be_shown_and_holds_its_program),
        TEST(the_key_of_a_run_follows_text_files_product_and_seed),
        TEST(the_same_run_has_the_same_timeline),
        TEST(a_run_without_a_cycle_is_saved_and_cannot_be_drawn),
        TEST(rows_of_core_0_alone_can_be_saved),
        TEST(lower_prints_a_program_that_is_the_same_program),
        TEST(a_lowered_plan_is_the_same_run_as_the_plan),
        TEST(options_of_plans_are_refused_all_at_once),
        TEST(wrong_files_are_told_where_they_are_named),
        TEST(a_program_that_does_not_fit_its_product_is_refused),
        TEST(an_unknown_product_is_told_where_it_stands),
        TEST(a_dump_that_cannot_be_written_is_exit_3_and_saves_no_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
