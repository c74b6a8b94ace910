/*
 * `cubesim run PROGRAM.prog` from outside: tensors in and out, hazards, what is saved and refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/tensor.h"
#include "tests/support/cli.h"

enum { M = 32, N = 16, K = 32, PROGRAM_BYTES = 8192 };

/* y = x w on two cores, each with 16 rows. */
#define CORE(core, rows, place)                                                                    \
    ".core " core "\n"                                                                             \
    "nd2nz dst=a src=x" rows " ndNum=1 nValue=16 dValue=32 srcDValue=32 dstNzC0Stride=16 "         \
    "dstNzNStride=1\n"                                                                             \
    "nd2nz dst=b src=w ndNum=1 nValue=32 dValue=16 srcDValue=16 dstNzC0Stride=32 "                 \
    "dstNzNStride=1\n"                                                                             \
    "set_flag src=MTE2 dst=MTE1 id=0\n"                                                            \
    "wait_flag src=MTE2 dst=MTE1 id=0\n"                                                           \
    "load2d dst=a0 src=a repeatTimes=2 srcStride=1\n"                                              \
    "load2d dst=b0 src=b repeatTimes=2 srcStride=1 ifTranspose=1\n"                                \
    "set_flag src=MTE1 dst=CUBE id=0\n"                                                            \
    "wait_flag src=MTE1 dst=CUBE id=0\n"                                                           \
    "mmad dst=c0 a=a0 b=b0 m=16 n=16 k=32\n"                                                       \
    "set_flag src=CUBE dst=FIXP id=0\n"                                                            \
    "wait_flag src=CUBE dst=FIXP id=0\n"                                                           \
    "fixpipe dst=y" place " src=c0 mSize=16 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\n"

static const char *const product_of_two_cores =
    ".product atlas-a2\n"
    ".gm x fp16 [32,32] = x.npy\n"
    ".gm w fp16 [32,16] = w.npy\n"
    ".gm y fp32 [32,16]\n"
    ".l1 a 0 1024\n"
    ".l1 b 1024 1024\n"
    ".l0a a0 0 1024\n"
    ".l0b b0 0 1024\n"
    ".l0c c0 0 1024\n" CORE("0", "", "") CORE("1", "+1024", "+1024") "dump y y.npy\n";

static struct cli cli;
static char text[PROGRAM_BYTES];

static int x_value(int row, int column)
{
    return (31 * row + 7 * column) % 15 - 7;
}

static int w_value(int row, int column)
{
    return (13 * row + 5 * column) % 11 - 5;
}

static void save_half(const char *name, int rows, int columns, int (*value)(int, int))
{
    static uint16_t codes[M * K];
    struct tensor tensor;
    tensor_shape(&tensor, ELEMENT_FP16, 2, (uint64_t[]){(uint64_t)rows, (uint64_t)columns});
    for (int i = 0; i < rows * columns; i++)
        codes[i] =
            (uint16_t)element_encode(ELEMENT_FP16, (float)value(i / columns, i % columns), false);
    tensor.data = codes;
    assert_int_equal(npy_save(name, place_none(), &tensor, NULL), STATUS_OK);
}

/* Every test begins in an empty folder with the tensors and the program k.prog. */
static int setup(void **state)
{
    (void)state;
    cli_init(&cli);
    if (chdir(cli.folder) != 0)
        return -1;
    save_half("x.npy", M, K, x_value);
    save_half("w.npy", K, N, w_value);
    strcpy(text, product_of_two_cores);
    cli_write(&cli, "k.prog", text);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (chdir("/") != 0)
        return -1;
    cli_deinit(&cli);
    return 0;
}

/* Replaces the first occurrence of a part of the text, which must be there. */
static void edit(const char *from, const char *to)
{
    static char edited[PROGRAM_BYTES];
    char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    strcpy(text, edited);
    cli_write(&cli, "k.prog", text);
}

static long long whole(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_integer(value))
        fail_msg("'%s' is no whole number", key);
    return json_integer_value(value);
}

static const char *words(const json_t *map, const char *key)
{
    const char *value = json_string_value(json_object_get(map, key));
    if (value == NULL)
        fail_msg("'%s' is no text", key);
    return value;
}

/* The first hazard of a kind in the JSON of a run. */
static const json_t *hazard_of(const json_t *root, const char *kind)
{
    const json_t *list = json_object_get(root, "hazards");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(words(json_array_get(list, i), "kind"), kind) == 0)
            return json_array_get(list, i);
    fail_msg("no hazard '%s'", kind);
    return NULL;
}

/* ---- tensors ---- */

static void assert_product(const char *name, int first_row, int rows)
{
    struct arena arena;
    struct tensor tensor;
    arena_init(&arena, 0);
    tensor_shape(&tensor, ELEMENT_FP32, 2, (uint64_t[]){M, N});
    assert_int_equal(npy_load(name, place_none(), &tensor, &arena, NULL), STATUS_OK);
    for (int row = first_row; row < first_row + rows; row++)
        for (int column = 0; column < N; column++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += x_value(row, k) * w_value(k, column);
            uint32_t code = element_load(ELEMENT_FP32, tensor.data, (size_t)(row * N + column));
            if (element_decode(ELEMENT_FP32, code) != (double)sum)
                fail_msg("y[%d, %d] is not %d", row, column, sum);
        }
    arena_deinit(&arena);
}

static void a_program_computes_its_tensors_from_files_into_files(void **state)
{
    (void)state;
    cli_run(&cli, "run k.prog");
    assert_int_equal(cli.code, 0);
    assert_string_equal(cli.err, "");
    assert_product("y.npy", 0, M);
}

static void a_tensor_that_is_not_wholly_written_is_dumped_with_zeros_and_told(void **state)
{
    (void)state;
    edit("dst=y+1024 src", "dst=y+1088 src");
    edit("mSize=16 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\ndump",
         "mSize=15 nSize=16 srcStride=16 dstStride=16 layout=nz2nd\ndump");
    cli_run(&cli, "run k.prog");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "\ndumps      y to y.npy (64 of 2,048 B were never written and are 0)\n");
    assert_product("y.npy", 0, 16);
    cli_run(&cli, "run k.prog --json");
    json_t *root = cli_json(&cli);
    const json_t *dump = json_array_get(json_object_get(root, "dumps"), 0);
    assert_string_equal(words(dump, "tensor"), "y");
    assert_string_equal(words(dump, "file"), "y.npy");
    assert_int_equal(whole(dump, "bytes"), 2048);
    assert_int_equal(whole(dump, "unwritten_bytes"), 64);
    json_decref(root);
}

static void generated_numbers_follow_the_seed_of_the_run(void **state)
{
    (void)state;
    edit("= w.npy", "= seed=4");
    cli_run(&cli, "run k.prog");
    assert_int_equal(rename("y.npy", "first.npy"), 0);
    cli_run(&cli, "run k.prog --seed 1");
    cli_run(&cli, "run k.prog --seed 1 && cmp y.npy first.npy >&2");
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "run k.prog --seed 2 && ! cmp -s y.npy first.npy");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "x from x.npy, w generated (seed 4), y not bound; seed of the run 2\n");
}

static void time_alone_needs_right_files_and_writes_none(void **state)
{
    (void)state;
    cli_run(&cli, "run k.prog --json");
    json_t *both = cli_json(&cli);
    assert_int_equal(remove("y.npy"), 0);
    cli_run(&cli, "run k.prog --json --timing-only");
    assert_int_equal(cli.code, 0);
    json_t *time = cli_json(&cli);
    assert_int_equal(whole(time, "cycles"), whole(both, "cycles"));
    assert_int_equal(json_array_size(json_object_get(time, "dumps")), 0);
    assert_int_not_equal(access("y.npy", F_OK), 0);
    json_decref(both);
    json_decref(time);
    cli_run(&cli, "run k.prog --timing-only");
    cli_assert_out(&cli, "\nchecks     hazards were not looked for (--timing-only)\n");
    cli_assert_out(&cli, "\ndumps      not written: no tensor was computed (--timing-only)\n");
    assert_int_equal(remove("w.npy"), 0);
    cli_run(&cli, "run k.prog --timing-only");
    assert_int_equal(cli.code, 2);
}

/* ---- what is printed ---- */

static void the_summary_fits_80_columns_and_says_what_was_run(void **state)
{
    (void)state;
    cli_run(&cli, "run k.prog");
    cli_assert_page(&cli);
    cli_assert_out(&cli, "-bound: ");
    cli_assert_out(&cli, "\nwork       16,384 MAC, ");
    cli_assert_out(&cli, "\ntraffic    4,096 B read, ");
    cli_assert_out(&cli, "; 2,048 B written\n");
    cli_assert_out(&cli, "\nchecks     hazards 0\n");
    cli_assert_out(&cli, "\nproduct    ascend910b1 (atlas-a2), 2 cores; startup 4,070 cycles");
    cli_assert_out(&cli, "\nprogram    k.prog: 24 instructions on 2 cores\n");
    cli_assert_out(&cli, "\ndata       x from x.npy, w from w.npy, y not bound\n");
    cli_assert_out(&cli, "\ndumps      y to y.npy\n");
    cli_assert_out(&cli, "\n24 instructions, simulated in ");
    assert_null(strstr(cli.out, "tile"));
    assert_null(strstr(cli.out, "schedule"));
    assert_null(strstr(cli.out, "nan"));
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
    cli_run(&cli, "run k.prog --json");
    json_t *root = cli_json(&cli);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(root, keys[i]) == NULL)
            fail_msg("'%s' is missing", keys[i]);
    assert_string_equal(words(root, "program"), "k.prog");
    assert_true(json_is_null(json_object_get(root, "plan")));
    assert_true(json_is_null(json_object_get(root, "verify")));
    assert_int_equal(json_object_size(json_object_get(root, "tile")), 0);
    assert_int_equal(json_object_size(json_object_get(root, "schedule")), 0);
    assert_int_equal(json_array_size(json_object_get(root, "hazards")), 0);
    assert_true(json_is_false(json_object_get(root, "deadlock")));
    assert_int_equal(whole(root, "macs"), 2 * 16 * 16 * 32);
    assert_int_equal(whole(root, "instructions"), 24);
    assert_int_equal(whole(root, "cores"), 2);
    json_decref(root);
}

static void a_product_can_be_changed_from_outside(void **state)
{
    (void)state;
    cli_run(&cli, "run k.prog --json");
    json_t *first = cli_json(&cli);
    cli_run(&cli, "run k.prog --json --set 'cube.latency=1061 cycles'");
    json_t *slow = cli_json(&cli);
    assert_int_equal(whole(slow, "cycles"), whole(first, "cycles") + 1000);
    assert_string_equal(words(json_object_get(slow, "set"), "cube.latency"), "1061 cycles");
    cli_run(&cli, "run k.prog --json --product ascend910b4");
    json_t *other = cli_json(&cli);
    assert_string_equal(words(other, "soc"), "ascend910b4");
    json_decref(first);
    json_decref(slow);
    json_decref(other);
}

/* ---- hazards ---- */

/* On core 1 the second operand is loaded from bytes that nobody has copied to L1; the Mmad, its
 * instruction 7, reads them. */
static void forget_a_copy(void)
{
    char *core = strstr(text, ".core 1\n");
    assert_non_null(core);
    char *copy = strstr(core, "nd2nz dst=b");
    assert_non_null(copy);
    memcpy(copy, "#", 1);
    cli_write(&cli, "k.prog", text);
}

static void a_hazard_ends_in_exit_1_unless_less_was_asked_for(void **state)
{
    (void)state;
    forget_a_copy();
    cli_run(&cli, "run k.prog");
    assert_int_equal(cli.code, 1);
    assert_memory_equal(cli.err, "k.prog:32: hazard: uninitialized, core 1, instruction 7: mmad",
                        61);
    cli_assert_out(&cli, "\nchecks     hazards 1: uninitialized 1\n");
    assert_product("y.npy", 0, 16);
    cli_run(&cli, "run k.prog --hazards error");
    assert_int_equal(cli.code, 1);
    cli_run(&cli, "run k.prog --hazards warn");
    assert_int_equal(cli.code, 0);
    assert_memory_equal(cli.err, "k.prog:32: warning: uninitialized", 33);
    cli_run(&cli, "run k.prog --hazards off");
    assert_int_equal(cli.code, 0);
    assert_string_equal(cli.err, "");
    cli_assert_out(&cli, "\nchecks     hazards not asked for\n");
}

static void json_and_database_tell_hazards_with_their_place(void **state)
{
    (void)state;
    forget_a_copy();
    cli_run(&cli, "run k.prog --json --db r.db");
    assert_int_equal(cli.code, 1);
    json_t *root = cli_json(&cli);
    const json_t *hazard = json_array_get(json_object_get(root, "hazards"), 0);
    assert_string_equal(words(hazard, "kind"), "uninitialized");
    assert_int_equal(whole(hazard, "core"), 1);
    assert_int_equal(whole(hazard, "instruction"), 7);
    assert_int_equal(whole(hazard, "line"), 32);
    assert_memory_equal(words(hazard, "message"), "mmad: b", 7);
    json_decref(root);
    assert_int_equal(cli_count("r.db",
                               "SELECT count(*) FROM v_hazard WHERE run_id = 1 AND core = 1 "
                               "AND seq = 7 AND kind = 'uninitialized'"),
                     1);
}

/* ---- deadlock ---- */

static void a_deadlock_is_told_saved_and_exit_1(void **state)
{
    (void)state;
    edit("set_flag src=MTE1 dst=CUBE id=0\n", "#\n");
    cli_run(&cli, "run k.prog --db r.db");
    assert_int_equal(cli.code, 1);
    cli_assert_page(&cli);
    assert_memory_equal(cli.out, "deadlock: nothing moves after cycle 4,", 38);
    cli_assert_out(&cli, "\ndumps      not written: the program has not ended\n");
    cli_assert_out(&cli, "\nrun 1 saved in r.db (23 instructions)");
    cli_assert_err(&cli, ": hazard: deadlock, core 0, instruction ");
    assert_int_not_equal(access("y.npy", F_OK), 0);
    assert_true(cli_count("r.db", "SELECT count(*) FROM v_hazard WHERE kind = 'deadlock'") > 0);
    /* Core 1 does not wait for core 0; CUBE of core 0 has done nothing and waits to the end. */
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_instruction WHERE opcode = 'mmad'"),
                     1);
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_run JOIN v_pipe USING (run_id) "
                                       "WHERE core = 0 AND pipe = 'CUBE' AND idle_cycles = 0 "
                                       "AND waiting_cycles = cycles"),
                     1);
    cli_run(&cli, "show r.db");
    assert_int_equal(cli.code, 0);
    cli_assert_page(&cli);
}

static void a_deadlock_counts_whatever_is_asked_for(void **state)
{
    (void)state;
    static const char *const options[] = {"", "--timing-only", "--hazards off", "--hazards warn"};
    edit("set_flag src=MTE1 dst=CUBE id=0\n", "#\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        cli_run(&cli, "run k.prog --json %s", options[i]);
        assert_int_equal(cli.code, 1);
        json_t *root = cli_json(&cli);
        assert_true(json_is_true(json_object_get(root, "deadlock")));
        const json_t *hazard = hazard_of(root, "deadlock");
        assert_int_equal(whole(hazard, "line"), 18);
        assert_non_null(strstr(words(hazard, "message"), "CUBE stands at "));
        json_decref(root);
    }
}

/* ---- the database ---- */

static void a_saved_run_can_be_shown_and_holds_its_program(void **state)
{
    (void)state;
    cli_run(&cli, "run k.prog --db r.db");
    cli_assert_out(&cli, "\ncubesim show r.db draws its timeline\n");
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_instruction"), 24);
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_run WHERE problem = 'k.prog' AND "
                                       "tiling = '24 instructions on 2 cores' AND macs = 16384 "
                                       "AND verified IS NULL AND cores = 2"),
                     1);
    assert_int_equal(cli_count("r.db", "SELECT json_extract(plan_json, '$.program') LIKE "
                                       "'.product atlas-a2%nd2nz dst=b%dump y y.npy_' FROM v_run"),
                     1);
    cli_run(&cli, "show r.db --core 1");
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "\nk.prog on ascend910b1\n");
    cli_assert_out(&cli, "\nCUBE ");
    cli_assert_page(&cli);
}

static const char *run_key(const char *options)
{
    static char key[4][64];
    static unsigned next;
    char *mine = key[next++ % 4];
    remove("r.db");
    cli_run(&cli, "run k.prog --db r.db %s", options);
    cli_run(&cli, "--version; sqlite3 r.db 'SELECT run_key FROM v_run'");
    const char *line = strchr(cli.out, '\n');
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
    save_half("w.npy", K, N, x_value);
    const char *other = run_key("");
    assert_string_not_equal(other, first);
    edit("k=32", "k=16");
    assert_string_not_equal(run_key(""), other);
}

static void the_same_run_has_the_same_timeline(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        cli_run(&cli, "run k.prog --db r.db");
    assert_int_equal(
        cli_count("r.db", "SELECT count(*) FROM v_instruction AS a JOIN v_instruction AS b "
                          "USING (core, pipe, seq, opcode, start_cycle, end_cycle, done_cycle, "
                          "operands) WHERE a.run_id = 1 AND b.run_id = 2"),
        24);
    assert_int_equal(cli_count("r.db", "SELECT count(DISTINCT run_key) FROM v_run"), 1);
}

static void rows_of_core_0_alone_can_be_saved(void **state)
{
    (void)state;
    cli_run(&cli, "run k.prog --db r.db --timeline core0");
    assert_int_equal(cli_count("r.db", "SELECT count(*) FROM v_instruction"), 12);
    assert_int_equal(cli_count("r.db", "SELECT max(core) FROM v_instruction"), 0);
}

/* ---- lower ---- */

static void lower_prints_a_program_that_is_the_same_program(void **state)
{
    (void)state;
    cli_run(&cli, "lower k.prog > again.prog");
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "lower again.prog | cmp - again.prog >&2");
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "run k.prog");
    assert_int_equal(rename("y.npy", "first.npy"), 0);
    cli_run(&cli, "run again.prog --db r.db && cmp y.npy first.npy >&2");
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "run k.prog --db r.db");
    assert_int_equal(cli_count("r.db", "SELECT count(DISTINCT cycles) FROM v_run"), 1);
    cli_run(&cli, "lower k.prog --core 1");
    cli_assert_out(&cli, "\n.core 1\n");
    cli_assert_out(&cli, "fixpipe dst=y+1024 ");
    assert_null(strstr(cli.out, ".core 0"));
    cli_run(&cli, "lower k.prog --core 2");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--core: found 2; expected 0 to 1, the cores of the program");
    cli_run(&cli, "lower k.prog --rules pypto");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--rules: found with the program 'k.prog'; expected a plan");
}

/* ---- refusals ---- */

static void refused(const char *options, const char *message)
{
    cli_run(&cli, "run k.prog %s", options);
    if (cli.code != 2)
        fail_msg("exit code %d of run k.prog %s", cli.code, options);
    assert_string_equal(cli.out, "");
    cli_assert_err(&cli, message);
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
    save_half("w.npy", N, K, w_value);
    refused("", "k.prog:3:22: w.npy: found shape (16, 32); expected (32, 16)");
    edit("w fp16 [32,16]", "w int16 [16,32]");
    refused("", "k.prog:3:23: w.npy: found type '<f2'; expected '<i2' for int16");
    assert_int_equal(remove("x.npy"), 0);
    refused("", "2 problems in k.prog");
    refused("", "k.prog:2:22: x.npy: cannot open the file: No such file");
}

static void a_program_that_does_not_fit_its_product_is_refused(void **state)
{
    (void)state;
    edit(".l1 b 1024 1024", ".l1 b 524000 1024");
    refused("", "k.prog:6:1: found 'b' of 1024 bytes from 524000 on; expected it to end within the "
                "524288 bytes of l1 on ascend910b1");
    edit(".l1 b 524000 1024", ".l1 b 1024 1024\n.bt t 1024 64");
    refused("", "k.prog:7:1: found 't' of 64 bytes from 1024 on");
    edit(".bt t 1024 64", ".l0c t 100000 31072");
    cli_run(&cli, "run k.prog");
    assert_int_equal(cli.code, 0);
}

static void an_unknown_product_is_told_where_it_stands(void **state)
{
    (void)state;
    refused("--product nonesuch", "--product:1:1: ");
    edit("atlas-a2", "atlas-a9");
    refused("", "k.prog:1:10: ");
    edit(".product atlas-a9\n", "");
    refused("", "product");
    cli_run(&cli, "run k.prog --product atlas-a2");
    assert_int_equal(cli.code, 0);
}

static void a_dump_that_cannot_be_written_is_exit_3_and_saves_no_run(void **state)
{
    (void)state;
    edit("dump y y.npy", "dump y nowhere/y.npy");
    cli_run(&cli, "run k.prog --db r.db");
    assert_int_equal(cli.code, 3);
    cli_assert_err(&cli, "k.prog:36:8: nowhere/y.npy: cannot write the file");
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
        TEST(the_summary_fits_80_columns_and_says_what_was_run),
        TEST(json_has_the_keys_of_the_contract),
        TEST(a_product_can_be_changed_from_outside),
        TEST(a_hazard_ends_in_exit_1_unless_less_was_asked_for),
        TEST(json_and_database_tell_hazards_with_their_place),
        TEST(a_deadlock_is_told_saved_and_exit_1),
        TEST(a_deadlock_counts_whatever_is_asked_for),
        TEST(a_saved_run_can_be_shown_and_holds_its_program),
        TEST(the_key_of_a_run_follows_text_files_product_and_seed),
        TEST(the_same_run_has_the_same_timeline),
        TEST(rows_of_core_0_alone_can_be_saved),
        TEST(lower_prints_a_program_that_is_the_same_program),
        TEST(options_of_plans_are_refused_all_at_once),
        TEST(wrong_files_are_told_where_they_are_named),
        TEST(a_program_that_does_not_fit_its_product_is_refused),
        TEST(an_unknown_product_is_told_where_it_stands),
        TEST(a_dump_that_cannot_be_written_is_exit_3_and_saves_no_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
