/*
 * `cubesim diff` from outside: two runs, two sets of runs, and what fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/support/cli.h"

#define LAYER                                                                                      \
    "product: atlas-a2\n"                                                                          \
    "conv: {input: [4, 64, 28, 28], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16}\n" \
    "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 28, tileWout: 32, tileCinFmap: 64,\n"             \
    "  tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"                                              \
    "tile_l0: {tileH: 1, tileW: 32, tileK: 64, tileN: 64}\n"

static struct cli cli;
static char db[128], other[128]; /* db: 1 and 2 differ in l0c_buffers; 3 has a slower MTE1 */

static void save(const char *path, const char *plan, const char *options)
{
    cli_run(&cli, "run %s --timing-only --advice none --db %s %s", plan, path, options);
    assert_int_equal(cli.code, 0);
}

static int make_databases(void **state)
{
    (void)state;
    char one[128], two[128];
    cli_init(&cli);
    snprintf(db, sizeof db, "%s", cli_path(&cli, "runs.db"));
    snprintf(other, sizeof other, "%s", cli_path(&cli, "other.db"));
    snprintf(one, sizeof one, "%s", cli_write(&cli, "one.yaml", LAYER));
    snprintf(two, sizeof two, "%s",
             cli_write(&cli, "two.yaml", LAYER "schedule: {l0c_buffers: 2}\n"));
    save(db, one, "");
    save(db, two, "");
    save(db, one, "--set 'mte1.l1_to_l0a.rate=64 B/cycle'");
    save(other, one, "");
    save(other, two, "--set 'mte1.l1_to_l0a.rate=64 B/cycle'");
    return 0;
}

static int remove_databases(void **state)
{
    (void)state;
    cli_deinit(&cli);
    return 0;
}

static long long number(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_integer(value))
        fail_msg("'%s' is no whole number", key);
    return json_integer_value(value);
}

/* Sums of a key over the objects of a list. */
static long long sum(const json_t *list, const char *key)
{
    long long all = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        all += number(json_array_get(list, i), key);
    return all;
}

static long long cycles_of(const char *path, int run)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT cycles FROM v_run WHERE run_id = %d", run);
    return cli_count(path, sql);
}

static void two_runs_are_told_by_verdict_change_path_pipes_and_reason(void **state)
{
    (void)state;
    cli_run(&cli, "diff %s 1 2", db);
    assert_int_equal(cli.code, 0);
    assert_string_equal(cli.err, "");
    cli_assert_page(&cli);
    cli_assert_out(&cli, "%: run 2 takes ");
    cli_assert_out(&cli, "\n\nchanged       run 1   run 2\nl0c_buffers       1       2\n\n");
    cli_assert_out(&cli, "\ncritical path ");
    cli_assert_out(&cli, "\nsum ");
    cli_assert_out(&cli, "\npipe ");
    cli_assert_out(&cli, "\nCUBE    flag FIXP ");
    cli_assert_out(&cli, "\nwhy: ");
}

static void changes_of_the_path_add_up_to_the_change_of_the_time(void **state)
{
    (void)state;
    static const int runs[][2] = {{1, 2}, {2, 1}, {1, 3}, {3, 2}, {1, 1}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        long long a = cycles_of(db, runs[i][0]), b = cycles_of(db, runs[i][1]);
        cli_run(&cli, "diff %s %d %d --json", db, runs[i][0], runs[i][1]);
        assert_int_equal(cli.code, 0);
        json_t *root = cli_json(&cli);
        const json_t *path = json_object_get(root, "critical_path");
        assert_int_equal(number(root, "change_cycles"), b - a);
        assert_int_equal(sum(path, "change_cycles"), b - a);
        assert_int_equal(sum(path, "a_cycles"), a);
        assert_int_equal(sum(path, "b_cycles"), b);
        json_decref(root);
    }
}

static void pipes_and_waits_are_those_of_the_database(void **state)
{
    (void)state;
    cli_run(&cli, "diff %s 1 3 --json", db);
    json_t *root = cli_json(&cli);
    const json_t *pipes = json_object_get(root, "pipes"), *waits = json_object_get(root, "waits");
    assert_int_equal(json_array_size(pipes), 5);
    long long busy = 0, waiting = 0;
    for (size_t i = 0; i < json_array_size(pipes); i++) {
        const json_t *b = json_object_get(json_array_get(pipes, i), "b");
        assert_int_equal(number(b, "busy_cycles") + number(b, "waiting_cycles") +
                             number(b, "idle_cycles"),
                         cycles_of(db, 3));
        busy += number(b, "busy_cycles");
        waiting += number(b, "waiting_cycles");
    }
    assert_int_equal(busy, cli_count(db, "SELECT sum(busy_cycles) FROM v_pipe JOIN v_core USING "
                                         "(run_id, core) WHERE run_id = 3 AND deciding"));
    assert_int_equal(sum(waits, "b_cycles"), waiting);
    json_decref(root);
}

static void a_number_of_the_product_that_changed_is_named(void **state)
{
    (void)state;
    cli_run(&cli, "diff %s 1 3", db);
    cli_assert_page(&cli);
    cli_assert_out(&cli, "mte1.l1_to_l0a.rate ");
    cli_assert_out(&cli, "  64 B/cycle\n");
    cli_assert_out(&cli, "why: MTE1 is busy more, link apart (");
}

static void slower_than_allowed_is_exit_1_and_faster_never(void **state)
{
    (void)state;
    double percent =
        100.0 * (double)(cycles_of(db, 3) - cycles_of(db, 1)) / (double)cycles_of(db, 1);
    assert_true(percent > 1.0);
    cli_run(&cli, "diff %s 1 3 --fail-on %.9f", db, percent - 1e-6);
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "failed: --fail-on allows +");
    cli_run(&cli, "diff %s 1 3 --fail-on %.9f", db, percent + 1e-6);
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "diff %s 1 3", db);
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "diff %s 3 1 --fail-on 0", db);
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "diff %s 1 1 --fail-on 0%%", db);
    assert_int_equal(cli.code, 0);
    cli_assert_out(&cli, "no change: ");
    cli_assert_out(&cli, "changed: nothing in plan, product and version\n");
}

static void runs_of_two_databases_are_compared_by_both_names(void **state)
{
    (void)state;
    cli_run(&cli, "diff %s 1 %s 2", db, other);
    assert_int_equal(cli.code, 0);
    cli_assert_page(&cli);
    cli_assert_out(&cli, "B (run 2 of ");
    cli_assert_out(&cli, "A (run 1 of ");
    cli_run(&cli, "diff %s 1", db);
    cli_assert_out(&cli, ": run 3 takes ");
}

static void sets_are_paired_and_their_worst_pair_decides(void **state)
{
    (void)state;
    cli_run(&cli, "diff %s %s --json", db, other);
    assert_int_equal(cli.code, 0);
    json_t *root = cli_json(&cli);
    const json_t *pairs = json_object_get(root, "pairs"), *first = json_array_get(pairs, 0);
    assert_int_equal(json_array_size(pairs), 2);
    assert_int_equal(number(json_object_get(first, "a"), "run_id"), 2);
    assert_int_equal(number(json_object_get(first, "b"), "run_id"), 2);
    assert_true(json_real_value(json_object_get(first, "change_percent")) > 1.0);
    const json_t *alone = json_object_get(json_object_get(root, "a"), "alone");
    assert_int_equal(json_array_size(alone), 1);
    assert_int_equal(json_integer_value(json_array_get(alone, 0)), 3);
    json_decref(root);
    cli_run(&cli, "diff %s %s", db, other);
    cli_assert_page(&cli);
    cli_assert_out(&cli, "% in the geometric mean of 2 pairs, +");
    cli_assert_out(&cli, "\nonly in A: run 3\n");
}

static void a_set_may_be_named_by_a_condition(void **state)
{
    (void)state;
    cli_run(&cli,
            "diff %s --set-a 'run_id = 1' --set-b \"product_json ->> "
            "'$.mte1.l1_to_l0a.rate.value' = '64 B/cycle'\" --fail-on 1",
            db);
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "in the geometric mean of 1 pair, ");
    cli_assert_out(&cli, "1 pair beyond it, 0 of A without a partner");
    cli_run(&cli, "diff %s %s --set-a 'run_id = 1 -- the first' --fail-on 1", db, other);
    assert_int_equal(cli.code, 0);
}

static void a_run_of_a_without_a_partner_fails_a_set_that_is_checked(void **state)
{
    (void)state;
    cli_run(&cli, "diff %s %s --set-b 'run_id = 1'", db, other);
    assert_int_equal(cli.code, 0);
    cli_run(&cli, "diff %s %s --set-b 'run_id = 1' --fail-on 50", db, other);
    assert_int_equal(cli.code, 1);
    cli_assert_out(&cli, "0 pairs beyond it, 2 of A without a partner");
}

static void what_cannot_be_compared_is_exit_2_with_what_there_is(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"1 7", "found no run 7 in '"},
        {"1 7", "it holds 3: 1-3; the latest is run 3"},
        {"1 0", "RUN_B: found '0'; expected the number of a run, from 1"},
        {"1 2 3 4", "found '4' behind '3'"},
        {"1 x", "RUN_B: found 'x'"},
        {"", "found one database and no run; expected DB RUN_A RUN_B"},
        {"1 2 --fail-on -1", "--fail-on: found '-1'; expected a percentage from 0"},
        {"1 2 --fail-on 2x", "--fail-on: found '2x'"},
        {"1 2 --fail-on nan", "--fail-on: found 'nan'"},
        {"1 2 --set-a 1", "found --set-a or --set-b beside runs"},
        {"1 2 --match plan", "found --match beside runs"},
        {"--set-a 'nonsense = 1' --set-b 1", "no such column: nonsense; expected an SQL condition"},
        {"--set-a '1); DROP TABLE run' --set-b 1", "found '1); DROP TABLE run' for runs of '"},
        {"--set-a '0' --set-b 1",
         "found no run of B that belongs to one of A, of 0 in A and 3 in B"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_run(&cli, "diff %s %s", db, cases[i][0]);
        assert_int_equal(cli.code, 2);
        assert_string_equal(cli.out, "");
        cli_assert_err(&cli, cases[i][1]);
    }
    cli_run(&cli, "diff %s/missing.db 1 2", cli.folder);
    assert_int_equal(cli.code, 3);
    assert_int_equal(cycles_of(db, 3) > 0, 1);
}

static void other_products_are_compared_in_time_and_say_that_clocks_differ(void **state)
{
    (void)state;
    char plan[128], clocks[128];
    snprintf(plan, sizeof plan, "%s", cli_path(&cli, "one.yaml"));
    snprintf(clocks, sizeof clocks, "%s", cli_path(&cli, "clocks.db"));
    save(clocks, plan, "");
    save(clocks, plan, "--product ascend-950pr");
    cli_run(&cli, "diff %s 1 2", clocks);
    assert_int_equal(cli.code, 0);
    cli_assert_page(&cli);
    cli_assert_out(&cli, " in cycles, of 1,850 and 1,650 MHz: the tables count cycles\n");
    cli_assert_out(&cli, " more of the product: --json has all\n");
    cli_run(&cli, "diff %s --set-a 'run_id = 1' --set-b 'run_id = 2'", clocks);
    assert_int_equal(cli.code, 2);
    cli_run(&cli, "diff %s --set-a 'run_id = 1' --set-b 'run_id = 2' --match problem", clocks);
    assert_int_equal(cli.code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_runs_are_told_by_verdict_change_path_pipes_and_reason),
        cmocka_unit_test(changes_of_the_path_add_up_to_the_change_of_the_time),
        cmocka_unit_test(pipes_and_waits_are_those_of_the_database),
        cmocka_unit_test(a_number_of_the_product_that_changed_is_named),
        cmocka_unit_test(slower_than_allowed_is_exit_1_and_faster_never),
        cmocka_unit_test(runs_of_two_databases_are_compared_by_both_names),
        cmocka_unit_test(sets_are_paired_and_their_worst_pair_decides),
        cmocka_unit_test(a_set_may_be_named_by_a_condition),
        cmocka_unit_test(a_run_of_a_without_a_partner_fails_a_set_that_is_checked),
        cmocka_unit_test(what_cannot_be_compared_is_exit_2_with_what_there_is),
        cmocka_unit_test(other_products_are_compared_in_time_and_say_that_clocks_differ),
    };
    return cmocka_run_group_tests(tests, make_databases, remove_databases);
}
