/*
 * What the summary of `cubesim run` tells besides time and pipes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/support/cli_program.h"

static struct cli cli;

static int make_folder(void **state)
{
    (void)state;
    cli_init(&cli);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    cli_deinit(&cli);
    return 0;
}

static double json_real_of(const json_t *map, const char *key)
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

/* ---- tail ---- */

static double share_of(const json_t *root, const char *key)
{
    return json_real_of(json_object_get(json_object_get(root, "tail"), "mac_share"), key);
}

/* Images of 60 outputs, in tiles of 32 and 28 or as one. */
static void the_tail_tells_padding_by_its_cause(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        double useful, m, n, k, c0, groups;
    } rows[] = {
        /* 60 rows in 64, 40 channels in 48, 24 in 32 */
        {"conv: {input: [2, 24, 3, 20], weight: [40, 24, 1, 1], dtype: fp16}\n"
         "tile: {mAL1: 32, mL0: 32, nBL1: 48, nL0: 48, kAL1: 32, kBL1: 32, kL0: 32}\n",
         60.0 * 40 * 24, 4.0 * 48 * 32, 60.0 * 8 * 32, 0, 60.0 * 40 * 8, 0},
        /* each group of 12 and 20 channels by itself */
        {"conv: {input: [2, 24, 3, 20], weight: [40, 12, 1, 1], groups: 2, dtype: fp16}\n"
         "tile: {mAL1: 32, mL0: 32, nBL1: 32, nL0: 32, kAL1: 16, kBL1: 16, kL0: 16}\n",
         60.0 * 20 * 12, 4.0 * 32 * 16, 0, 0, 0, 60.0 * (32 * 16 - 20 * 12)},
        {"matmul: {m: 60, n: 48, k: 24, dtype: fp16}\ntile: {baseM: 64, baseN: 48, baseK: 32}\n",
         60.0 * 48 * 24, 4.0 * 48 * 32, 0, 60.0 * 48 * 8, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, "product: atlas-a2\n%s", rows[i].plan);
        cli_run(&cli, "run %s --timing-only --json", cli_write(&cli, "tail.yaml", text));
        json_t *root = cli_json(&cli);
        double all =
            rows[i].useful + rows[i].m + rows[i].n + rows[i].k + rows[i].c0 + rows[i].groups;
        assert_near(share_of(root, "useful"), rows[i].useful / all);
        assert_near(share_of(root, "useful"), json_real_of(root, "useful_mac_share"));
        assert_near(share_of(root, "m"), rows[i].m / all);
        assert_near(share_of(root, "n"), rows[i].n / all);
        assert_near(share_of(root, "k"), rows[i].k / all);
        assert_near(share_of(root, "c0"), rows[i].c0 / all);
        assert_near(share_of(root, "groups"), rows[i].groups / all);
        json_decref(root);
    }
}

/* 7 tiles of M on 3 cores: 2, 2 and 3 of them. */
static void the_tail_tells_rounds_idle_cores_and_imbalance(void **state)
{
    (void)state;
    static const char text[] =
        "product: atlas-a2\nconv: {input: [1, 16, 7, 32], weight: [16, 16, 1, 1], dtype: fp16}\n"
        "tile: {mAL1: 32, mL0: 32, nBL1: 16, nL0: 16, kAL1: 16, kBL1: 16, kL0: 16}\n"
        "schedule: {cores: 3, core_split: {m: 3}}\n";
    const char *path = cli_write(&cli, "rounds.yaml", text);
    cli_run(&cli, "run %s --timing-only", path);
    cli_assert_out(&cli, "\npadding    none\n");
    cli_assert_out(&cli, "\ntail       7 L0 tiles in 3 rounds, 77.8 % full; slowest core ");
    cli_assert_out(&cli, "21 of 24 idle\n");
    cli_run(&cli, "run %s --timing-only --json", cli_path(&cli, "rounds.yaml"));
    json_t *root = cli_json(&cli), *tail = json_object_get(root, "tail"), *core;
    long long tiles = 0, last = 0;
    double sum = 0.0;
    size_t i;
    json_array_foreach(json_object_get(tail, "cores"), i, core)
    {
        assert_int_equal(json_whole_of(core, "core"), (long long)i);
        assert_true(json_whole_of(core, "tiles") == 2 || json_whole_of(core, "tiles") == 3);
        tiles += json_whole_of(core, "tiles");
        sum += (double)json_whole_of(core, "cycles");
        last = json_whole_of(core, "cycles") > last ? json_whole_of(core, "cycles") : last;
    }
    assert_int_equal(i, 3);
    assert_int_equal(tiles, 7);
    assert_int_equal(last, json_whole_of(root, "cycles"));
    assert_int_equal(json_whole_of(tail, "rounds"), 3);
    assert_int_equal(json_whole_of(tail, "idle_cores"), 21);
    assert_near(json_real_of(tail, "mean_core_cycles"), sum / 3);
    assert_near(json_real_of(tail, "imbalance"), (double)last / (sum / 3) - 1.0);
    assert_true(json_real_of(tail, "imbalance") > 0.0);
    json_decref(root);
}

static void a_program_has_a_balance_and_no_tiles(void **state)
{
    (void)state;
    cli_run(&cli, "run traces/samples/matmul_double_buffered.prog --timing-only --json");
    json_t *root = cli_json(&cli), *tail = json_object_get(root, "tail");
    assert_true(json_is_null(json_object_get(tail, "tiles")));
    assert_true(json_is_null(json_object_get(tail, "mac_share")));
    assert_int_equal(json_whole_of(tail, "idle_cores"), 23);
    assert_near(json_real_of(tail, "mean_core_cycles"), (double)json_whole_of(root, "cycles"));
    assert_near(json_real_of(tail, "imbalance"), 0.0);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tail_tells_padding_by_its_cause),
        cmocka_unit_test(the_tail_tells_rounds_idle_cores_and_imbalance),
        cmocka_unit_test(a_program_has_a_balance_and_no_tiles),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
