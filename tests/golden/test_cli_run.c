/*
 * `cubesim run` from outside: what it prints, saves and refuses.
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

#include "tests/support/cli.h"

/* A 1 x 1 layer whose output has the shape of its input. */
#define SMALL                                                                                      \
    "product: atlas-a2\n"                                                                          \
    "conv: {input: [1, 32, 8, 16], weight: [32, 32, 1, 1], dtype: fp32, bias: true}\n"

static struct cli cli;
static char small[128], database[128];

static int make_folder(void **state)
{
    (void)state;
    cli_init(&cli);
    strcpy(small, cli_write(&cli, "small.yaml", SMALL));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    cli_deinit(&cli);
    return 0;
}

static const char *new_database(const char *name)
{
    strcpy(database, cli_path(&cli, name));
    remove(database);
    return database;
}

static long long whole(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_integer(value))
        fail_msg("'%s' is no whole number", key);
    return json_integer_value(value);
}

static double real(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_number(value))
        fail_msg("'%s' is no number", key);
    return json_number_value(value);
}

static void assert_near(double value, double expected)
{
    double off = value > expected ? value - expected : expected - value;
    if (off > 1e-9 * (1.0 + expected))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- text ---- */

static const char *const plans[] = {"aspp_dilated",
                                    "mobilenet_depthwise",
                                    "pointwise_vendor_tile",
                                    "res2a",
                                    "res3_310p",
                                    "res4_fp8",
                                    "res4_int8",
                                    "res4_int8_quant",
                                    "res4_vendor_policy",
                                    "res4a_vendor_tile",
                                    "resnet_stem",
                                    "resnext_grouped",
                                    "vgg_nchw",
                                    "video_3d",
                                    "wav2vec_1d"};
enum { PLAN_COUNT = sizeof plans / sizeof *plans };

static void the_summary_of_every_example_fits_80_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        cli_run(&cli, "run configs/plans/%s.yaml --timing-only", plans[i]);
        assert_int_equal(cli.code, 0);
        assert_string_equal(cli.err, "");
        cli_assert_page(&cli);
        assert_true(strcspn(cli.out, " ") > 7);
        assert_memory_equal(cli.out + strcspn(cli.out, " ") - 7, "-bound:", 7);
        cli_assert_out(&cli, "of the critical path is");
    }
}

static void the_summary_says_what_was_simulated_and_what_was_not(void **state)
{
    (void)state;
    cli_run(&cli, "run %s", small);
    cli_assert_out(&cli, "verify     not asked for (--verify); hazards 0\n");
    cli_assert_out(&cli, "\nproblem    [1,32,8,16] x [32,32,1,1] stride 1 pad 0 fp32 bias\n");
    cli_assert_out(&cli, "\ntile       L1 ");
    cli_assert_out(&cli, "\nschedule   policy pypto, cores ");
    cli_assert_out(&cli, "\ndata       input, weight, bias generated, seed 1; NCHW to nc1hwc0");
    cli_assert_out(&cli, " core; startup 4,070 cycles included\n");
    cli_assert_out(&cli, "\nnote       derived: tile_l1: {");
    cli_assert_out(&cli, "; not saved\n");
    cli_run(&cli, "run %s --verify --seed 7", small);
    cli_assert_out(&cli, "verify     4,096 values compared, 0 differ; hazards 0\n");
    cli_assert_out(&cli, "generated, seed 7");
    cli_run(&cli, "run %s --timing-only", small);
    cli_assert_out(&cli, "verify     no tensor computed, no hazards looked for (--timing-only)\n");
}

static void a_changed_number_of_the_product_is_told_and_counts(void **state)
{
    (void)state;
    static const char set[] = "--set 'mte1.l1_to_l0a.rate=1 B/cycle'";
    cli_run(&cli, "run %s --json --timing-only", small);
    json_t *plain = cli_json(&cli);
    cli_run(&cli, "run %s --json --timing-only %s", small, set);
    json_t *slow = cli_json(&cli);
    assert_true(whole(slow, "cycles") > whole(plain, "cycles"));
    assert_int_equal(json_object_size(json_object_get(plain, "set")), 0);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(slow, "set"), "mte1.l1_to_l0a.rate")),
        "1 B/cycle");
    cli_run(&cli, "run %s --timing-only %s", small, set);
    cli_assert_out(&cli, "\nset        mte1.l1_to_l0a.rate = 1 B/cycle\n");
    json_decref(plain);
    json_decref(slow);
}

static void a_second_accumulator_is_advised_only_where_it_can_help(void **state)
{
    (void)state;
    static const char text[] = "product: atlas-a2\n"
                               "conv: {input: [1, 64, 56, 56], weight: [64, 64, 1, 1],\n"
                               "       dtype: fp16}\n"
                               "schedule: {cores: 1, l0c_buffers: %d}\n";
    char plan[512];
    for (int slots = 1; slots <= 2; slots++) {
        snprintf(plan, sizeof plan, text, slots);
        cli_run(&cli, "run %s --timing-only --set 'fixp.latency=2000 cycles'",
                cli_write(&cli, "slots.yaml", plan));
        assert_int_equal(cli.code, 0);
        assert_int_equal(strstr(cli.out, "try l0c_buffers 2") != NULL, slots == 1);
    }
}

static void a_slow_load3d_is_told_with_what_slows_it(void **state)
{
    (void)state;
    char plan[128];
    strcpy(plan,
           cli_write(
               &cli, "stem.yaml",
               "product: atlas-a2\n"
               "conv: {input: [1, 3, 224, 224], weight: [64, 3, 7, 7], stride: [2, 2],\n"
               "       padding: [3, 3, 3, 3], dtype: fp16}\n"
               "tile_l1: {tileHin: 37, tileHout: 16, tileWin: 69, tileWout: 32, tileCinFmap: 16,\n"
               "          tileCinWeight: 16, tileN: 64, tileBatch: 1}\n"
               "tile_l0: {tileH: 16, tileW: 32, tileK: 16, tileN: 64}\n"));
    cli_run(&cli, "run %s --timing-only", plan);
    cli_assert_out(&cli, "\nwhy        Load3D moves 31.9 of 256 B/cycle: strideW 2, it spans 16");
    cli_run(&cli, "run %s --timing-only --json", plan);
    json_t *root = cli_json(&cli);
    double rate = real(root, "load3d_bytes_per_cycle");
    assert_true(rate > 31.8 && rate < 31.9);
    json_decref(root);
    /* MTE2 leads here, so the rate of MTE1 explains nothing. */
    cli_run(&cli, "run configs/plans/res2a.yaml --timing-only");
    assert_null(strstr(cli.out, "\nwhy "));
    /* No faster than all of MTE1. */
    cli_run(&cli, "run %s --timing-only %s", plan, "--set 'mte1.l1_to_l0a.rate=32 B/cycle'");
    assert_null(strstr(cli.out, "\nwhy "));
}

/* ---- JSON ---- */

static void assert_keys(const json_t *map, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (json_object_get(map, keys[i]) == NULL)
            fail_msg("'%s' is missing", keys[i]);
}

static void assert_pipes_add_up(const json_t *root)
{
    static const char *const keys[] = {"core",        "pipe",        "instructions",
                                       "busy_cycles", "link_cycles", "active_cycles",
                                       "utilization"};
    json_t *pipes = json_object_get(root, "pipes"), *waits = json_object_get(root, "waits");
    json_t *pipe, *wait;
    size_t i, j;
    assert_int_equal(json_array_size(pipes), 7 * (size_t)whole(root, "cores"));
    json_array_foreach(pipes, i, pipe)
    {
        long long busy = whole(pipe, "busy_cycles"), waiting = whole(pipe, "waiting_cycles");
        long long caused = 0;
        assert_keys(pipe, keys, sizeof keys / sizeof *keys);
        assert_int_equal(busy + waiting + whole(pipe, "idle_cycles"), whole(root, "cycles"));
        assert_near(real(pipe, "utilization"), (double)busy / (double)whole(root, "cycles"));
        json_array_foreach(waits, j, wait)
        {
            assert_true(whole(wait, "cycles") > 0);
            if (whole(wait, "core") == whole(pipe, "core") &&
                json_equal(json_object_get(wait, "pipe"), json_object_get(pipe, "pipe")))
                caused += whole(wait, "cycles");
        }
        assert_int_equal(caused, waiting);
    }
}

static void assert_path_adds_up(const json_t *root)
{
    json_t *path = json_object_get(root, "critical_path"), *entry;
    long long sum = 0, last = whole(root, "cycles");
    size_t i;
    json_array_foreach(path, i, entry)
    {
        assert_true(json_is_string(json_object_get(entry, "cause")));
        assert_true(whole(entry, "cycles") > 0 && whole(entry, "cycles") <= last);
        last = whole(entry, "cycles");
        sum += last;
        assert_near(real(entry, "share"), (double)last / (double)whole(root, "cycles"));
    }
    assert_int_equal(sum, whole(root, "cycles"));
}

static void assert_times_agree(const json_t *root)
{
    json_t *range = json_object_get(root, "range_us"), *basis = json_object_get(root, "basis");
    double time_us = real(root, "time_us");
    assert_near(time_us, (double)whole(root, "cycles") / real(root, "clock_mhz"));
    assert_near(real(root, "task_us"), time_us + real(root, "launch_us"));
    assert_int_equal(json_array_size(range), 2);
    assert_true(json_real_value(json_array_get(range, 0)) <= time_us + 1e-9);
    assert_true(json_real_value(json_array_get(range, 1)) >= time_us - 1e-9);
    assert_near(real(basis, "vendor") + real(basis, "measured") + real(basis, "fitted") +
                    real(basis, "guess"),
                1.0);
}

static void json_has_every_key_and_its_numbers_add_up(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "run_id",         "product",       "soc",       "clock_mhz",        "cores",
        "cycles",         "time_us",       "launch_us", "task_us",          "range_us",
        "basis",          "bound",         "macs",      "useful_mac_share", "gm_read_bytes",
        "gm_write_bytes", "instructions",  "tile",      "schedule",         "pipes",
        "waits",          "critical_path", "hazards",   "verify",           "simulator_seconds"};
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        cli_run(&cli, "run configs/plans/%s.yaml --timing-only --json", plans[i]);
        assert_int_equal(cli.code, 0);
        json_t *root = cli_json(&cli);
        assert_keys(root, keys, sizeof keys / sizeof *keys);
        assert_true(json_is_null(json_object_get(root, "run_id")));
        assert_true(json_is_null(json_object_get(root, "verify")));
        assert_times_agree(root);
        assert_pipes_add_up(root);
        assert_path_adds_up(root);
        json_decref(root);
    }
}

static void json_has_the_resolved_tile_and_schedule(void **state)
{
    (void)state;
    static const char *const schedule[] = {
        "policy",      "cores",       "core_split",  "order",       "residency",
        "l1a_buffers", "l1b_buffers", "l0a_buffers", "l0b_buffers", "l0c_buffers",
        "unit_flag",   "handover",    "fixpipe",     "l2"};
    static const char *const l1[] = {"tileHin",     "tileHout",      "tileWin", "tileWout",
                                     "tileCinFmap", "tileCinWeight", "tileN",   "tileBatch"};
    static const char *const l0[] = {"tileH", "tileW", "tileK", "tileN"};
    static const char *const vendor[] = {"mAL1", "nBL1", "kAL1", "kBL1", "mL0", "kL0", "nL0"};
    cli_run(&cli, "run configs/plans/res2a.yaml --timing-only --json");
    json_t *root = cli_json(&cli), *tile = json_object_get(root, "tile");
    assert_keys(json_object_get(root, "schedule"), schedule, 13);
    assert_keys(json_object_get(tile, "tile_l1"), l1, 8);
    assert_keys(json_object_get(tile, "tile_l0"), l0, 4);
    assert_int_equal(whole(json_object_get(tile, "tile_l1"), "tileHin"), 3);
    json_decref(root);
    cli_run(&cli, "run configs/plans/res4a_vendor_tile.yaml --timing-only --json");
    root = cli_json(&cli);
    assert_keys(json_object_get(root, "tile"), vendor, 7);
    json_decref(root);
}

static void json_of_a_verified_run_has_the_comparison(void **state)
{
    (void)state;
    cli_run(&cli, "run %s --verify --json", small);
    json_t *root = cli_json(&cli), *verify = json_object_get(root, "verify");
    assert_int_equal(cli.code, 0);
    assert_int_equal(whole(verify, "compared"), 4096);
    assert_int_equal(whole(verify, "mismatches"), 0);
    assert_near(real(verify, "max_abs_error"), 0.0);
    assert_string_equal(json_string_value(json_object_get(verify, "reference")),
                        "direct convolution, documented summation order");
    assert_int_equal(json_array_size(json_object_get(root, "hazards")), 0);
    json_decref(root);
}

/* ---- options ---- */

static void cores_stand_in_place_of_the_schedules(void **state)
{
    (void)state;
    cli_run(&cli, "run configs/plans/wav2vec_1d.yaml --cores 2 --timing-only --json");
    json_t *root = cli_json(&cli);
    assert_int_equal(cli.code, 0);
    assert_int_equal(whole(root, "cores"), 2);
    json_decref(root);
    cli_run(&cli, "run %s --cores 25", small);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--cores: found 25; expected 1 to 24, the cores of ascend910b1");
    cli_run(&cli, "run configs/plans/res2a.yaml --cores 12");
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "res2a.yaml:31:15: found a core split of 24 ways; expected 12");
}

static void files_of_another_type_or_shape_are_bad_input(void **state)
{
    (void)state;
    char first[128];
    strcpy(first, cli_path(&cli, "out.npy"));
    cli_run(&cli, "run %s --output %s", small, first);
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "run configs/plans/wav2vec_1d.yaml --input %s", first);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "out.npy: ");
    cli_run(&cli, "run %s --weight %s --input nowhere.npy --bias configs/plans/res2a.yaml", small,
            first);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "out.npy: ");
    cli_assert_err(&cli, "nowhere.npy: ");
    cli_assert_err(&cli, "configs/plans/res2a.yaml: ");
    cli_assert_err(&cli, "3 problems");
    cli_run(&cli, "run %s --timing-only --input nowhere.npy", small);
    assert_int_equal(cli.code, 2);
    cli_run(&cli, "run configs/plans/wav2vec_1d.yaml --bias %s", first);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, "--bias: found a file; the plan has no bias");
}

static void an_output_can_be_the_next_input_and_seeds_differ(void **state)
{
    (void)state;
    char first[128], second[128], third[128];
    strcpy(first, cli_path(&cli, "first.npy"));
    strcpy(second, cli_path(&cli, "second.npy"));
    strcpy(third, cli_path(&cli, "third.npy"));
    cli_run(&cli, "run %s --output %s", small, first);
    cli_run(&cli, "run %s --input %s --output %s --verify", small, first, second);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "4,096 values compared, 0 differ");
    cli_assert_out(&cli, "\ndata       input from ");
    cli_assert_out(&cli, "first.npy;");
    cli_assert_out(&cli, "weight, bias generated,");
    cli_run(&cli, "run %s --seed 2 --output %s", small, third);
    cli_run(&cli, "--version; cmp -s %s %s", first, second);
    assert_int_equal(cli.code, 1);
    cli_run(&cli, "--version; cmp -s %s %s", first, third);
    assert_int_equal(cli.code, 1);
    cli_run(&cli, "run %s --seed 1 --output %s", small, third);
    cli_run(&cli, "--version; cmp -s %s %s", first, third);
    assert_int_equal(cli.code, 0);
}

/* A .npy of binary32 with count numbers; the first half is value, the second is other. */
static void write_halves(const char *path, const char *shape, size_t count, float value,
                         float other)
{
    char head[128];
    int length = snprintf(head, sizeof head, "\x93NUMPY\x01%c%c%c", 0, 118, 0);
    length += snprintf(head + length, sizeof head - (size_t)length,
                       "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
    memset(head + length, ' ', sizeof head - (size_t)length);
    head[sizeof head - 1] = '\n';
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, sizeof head, file), sizeof head);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(fwrite(i < count / 2 ? &value : &other, sizeof value, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

/* The cube saturates after each Mmad, not only at the end: these sums overflow in the first half of
 * K and come back in the second. */
static void a_sum_that_saturates_half_way_is_verified_and_saved_as_such(void **state)
{
    (void)state;
    char input[128], weight[128];
    strcpy(input, cli_path(&cli, "huge.npy"));
    strcpy(weight, cli_path(&cli, "ones.npy"));
    write_halves(input, "(1, 32, 1, 16)", 512, 3e38F, -3e38F);
    write_halves(weight, "(16, 32, 1, 1)", 512, 1.0F, 1.0F);
    new_database("halfway.db");
    cli_write(&cli, "huge.yaml",
              "product: atlas-a2\n"
              "conv: {input: [1, 32, 1, 16], weight: [16, 32, 1, 1], dtype: fp32}\n"
              "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 16, tileWout: 16, tileCinFmap: 32,\n"
              "          tileCinWeight: 32, tileN: 16, tileBatch: 1}\n"
              "tile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 16}\n");
    cli_run(&cli, "run %s --input %s --weight %s --verify --db %s --json", cli.path, input, weight,
            database);
    assert_int_equal(cli.code, 0);
    json_t *root = cli_json(&cli);
    assert_int_equal(whole(json_object_get(root, "verify"), "compared"), 256);
    assert_int_equal(whole(json_object_get(root, "verify"), "mismatches"), 0);
    assert_int_equal(cli_count(database, "SELECT verified FROM v_run"), 1);
    json_decref(root);
}

static void hazards_are_known_words_and_off_asks_for_none(void **state)
{
    (void)state;
    cli_run(&cli, "run %s --hazards off", small);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "hazards not asked for");
    cli_run(&cli, "run %s --hazards error", small);
    assert_int_equal(cli.code, 0);
}

/* ---- saving ---- */

static void a_saved_run_has_its_id_and_its_rows(void **state)
{
    (void)state;
    new_database("runs.db");
    cli_run(&cli, "run %s --db %s --json --verify", small, database);
    json_t *root = cli_json(&cli);
    assert_int_equal(cli.code, 0);
    assert_int_equal(whole(root, "run_id"), 1);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_instruction WHERE run_id = 1"),
                     whole(root, "instructions"));
    assert_int_equal(cli_count(database, "SELECT cycles FROM v_run"), whole(root, "cycles"));
    assert_int_equal(cli_count(database, "SELECT verified FROM v_run"), 1);
    json_decref(root);
    cli_run(&cli, "run %s --db %s", small, database);
    cli_assert_out(&cli, "run 2 saved in ");
    cli_run(&cli, "show %s", database);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "run 2, ");
}

static void less_of_the_timeline_can_be_saved(void **state)
{
    (void)state;
    new_database("less.db");
    cli_run(&cli, "run %s --db %s --timeline none --timing-only", small, database);
    assert_int_equal(cli.code, 0);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_instruction"), 0);
    assert_true(cli_count(database, "SELECT count(*) FROM v_pipe") > 0);
    cli_run(&cli, "run %s --db %s --timeline core0 --timing-only", small, database);
    assert_int_equal(cli.code, 0);
    assert_true(cli_count(database, "SELECT count(*) FROM v_instruction WHERE core = 0") > 0);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_instruction WHERE core > 0"), 0);
}

static void a_very_long_timeline_is_refused_with_its_size(void **state)
{
    (void)state;
    new_database("long.db");
    cli_write(&cli, "long.yaml",
              "product: atlas-a2\n"
              "conv: {input: [10, 512, 112, 112], weight: [512, 16, 3, 3], groups: 32,\n"
              "       padding: [1, 1, 1, 1], dtype: fp16}\n"
              "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 112, tileWout: 16, tileCinFmap: 16,\n"
              "          tileCinWeight: 16, tileN: 16, tileBatch: 1}\n"
              "tile_l0: {tileH: 1, tileW: 16, tileK: 144, tileN: 16}\n");
    cli_run(&cli, "run %s --timing-only --db %s", cli.path, database);
    assert_int_equal(cli.code, 2);
    cli_assert_err(&cli, " rows; more than 5,000,000 have to be asked for");
    cli_assert_err(&cli, "--timeline core0");
    assert_int_equal(access(database, F_OK), -1);
}

static void what_cannot_be_written_is_exit_3_and_leaves_no_run(void **state)
{
    (void)state;
    new_database("kept.db");
    cli_run(&cli, "run %s --db %s", small, database);
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "run %s --db %s --output /nonexistent/o.npy", small, database);
    assert_int_equal(cli.code, 3);
    assert_string_equal(cli.out, "");
    cli_assert_err(&cli, "/nonexistent/o.npy: ");
    cli_run(&cli, "run %s --db %s --output /dev/full", small, database);
    assert_int_equal(cli.code, 3);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_run"), 1);
    assert_int_equal(cli_count(database, "SELECT count(DISTINCT run_id) FROM v_instruction"), 1);
    cli_run(&cli, "run %s --db /nonexistent/runs.db", small);
    assert_int_equal(cli.code, 3);
    const char *text = cli_write(&cli, "text.txt", "no database\n");
    cli_run(&cli, "run %s --db %s", small, text);
    assert_int_equal(cli.code, 3);
    cli_assert_err(&cli, "text.txt");
}

static void a_plan_that_is_refused_makes_no_database(void **state)
{
    (void)state;
    new_database("none.db");
    cli_run(&cli, "run configs/plans/res2a.yaml --cores 12 --db %s", database);
    assert_int_equal(cli.code, 2);
    cli_run(&cli, "run %s --input nowhere.npy --db %s", small, database);
    assert_int_equal(cli.code, 2);
    assert_int_equal(access(database, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_summary_of_every_example_fits_80_columns),
        cmocka_unit_test(the_summary_says_what_was_simulated_and_what_was_not),
        cmocka_unit_test(a_changed_number_of_the_product_is_told_and_counts),
        cmocka_unit_test(a_second_accumulator_is_advised_only_where_it_can_help),
        cmocka_unit_test(a_slow_load3d_is_told_with_what_slows_it),
        cmocka_unit_test(json_has_every_key_and_its_numbers_add_up),
        cmocka_unit_test(json_has_the_resolved_tile_and_schedule),
        cmocka_unit_test(json_of_a_verified_run_has_the_comparison),
        cmocka_unit_test(cores_stand_in_place_of_the_schedules),
        cmocka_unit_test(files_of_another_type_or_shape_are_bad_input),
        cmocka_unit_test(an_output_can_be_the_next_input_and_seeds_differ),
        cmocka_unit_test(a_sum_that_saturates_half_way_is_verified_and_saved_as_such),
        cmocka_unit_test(hazards_are_known_words_and_off_asks_for_none),
        cmocka_unit_test(a_saved_run_has_its_id_and_its_rows),
        cmocka_unit_test(less_of_the_timeline_can_be_saved),
        cmocka_unit_test(a_very_long_timeline_is_refused_with_its_size),
        cmocka_unit_test(what_cannot_be_written_is_exit_3_and_leaves_no_run),
        cmocka_unit_test(a_plan_that_is_refused_makes_no_database),
    };
    return cmocka_run_group_tests_name("run", tests, make_folder, remove_folder);
}
