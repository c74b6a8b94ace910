/*
 * Every metric of `cubesim validate` against the run itself, and the roofline of each against the
 * numbers of the product: with one row in its group, the null baseline is exactly that row, and its
 * constant is what the row lies above the roofline.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cli.h"
#include "tests/support/near.h"

CLI_FIXTURE(cli)

static double number(const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    if (!json_is_number(value))
        fail_msg("no number '%s'", key);
    return json_number_value(value);
}

/* The item of a list whose text under a key is value; key NULL: the first. */
static const json_t *item(const json_t *root, const char *list, const char *key, const char *value)
{
    size_t i;
    const json_t *map;
    json_array_foreach(json_object_get(root, list), i, map)
    {
        const char *text = json_string_value(json_object_get(map, key));
        if (text != NULL && strcmp(text, value) == 0)
            return map;
    }
    fail_msg("no '%s' in %s", value, list);
    return NULL;
}

/* What a row predicts, and its roofline in cycles, which is what the constant leaves. */
static double predicted(const json_t *validation, const char *metric)
{
    return number(item(validation, "rows", "metric", metric), "predicted");
}

static double roofline(const json_t *validation, const char *metric)
{
    return number(item(validation, "rows", "metric", metric), "measured_cycles") -
           number(item(validation, "groups", "metric", metric), "null_constant");
}

/* ---- kernels ---- */

/* 24 tiles whose cores read rows of A that nobody else reads, so that misses are most bytes. */
#define MATMUL                                                                                     \
    "matmul: {m: 3072, n: 256, k: 512, dtype: fp16, b_layout: dn}\n"                               \
    "tile: {baseM: 128, baseN: 256, baseK: 64, stepKa: 4, stepKb: 4}\n"                            \
    "schedule: {core_split: {m: 20, n: 1}}\n"

static json_t *run_json(const char *set)
{
    cli_run(&cli, "run %s --timing-only --json --set '%s'",
            cli_write(&cli, "m.yaml", "product: atlas-a2\n" MATMUL), set);
    assert_int_equal(cli.code, 0);
    return cli_json(&cli);
}

static json_t *validate_json(const char *pipe, const char *set)
{
    static const char *const metrics[] = {"task", "core",    "core_sum", "core_max",
                                          "step", "counter", "share",    "each"};
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "title: t\nproduct: atlas-a2\nkind: time\nuse: check\nsource: s\ncases:\n"
                          "  - name: c\n    plan:\n      matmul: {m: 3072, n: 256, k: 512, dtype: "
                          "fp16, b_layout: dn}\n      tile: {baseM: 128, baseN: 256, baseK: 64, "
                          "stepKa: 4, stepKb: 4}\n      schedule: {core_split: {m: 20, n: 1}}\n"
                          "    rows:\n");
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "      - {id: %zu, value: 50 %s, metric: %s%s%s}\n", i + 1,
                           strcmp(metrics[i], "share") == 0 ? "%" : "cycles", metrics[i],
                           i >= 4 ? ", pipe: " : "", i >= 4 ? pipe : "");
    cli_run(&cli, "validate %s --json --set '%s'", cli_write(&cli, "v.yaml", text), set);
    assert_int_equal(cli.code, 0);
    return cli_json(&cli);
}

/* A column of a pipe, added up over the cores. */
static double pipe_sum(const json_t *run, const char *pipe, const char *column)
{
    double sum = 0.0;
    size_t i;
    const json_t *map;
    json_array_foreach(json_object_get(run, "pipes"), i, map)
    {
        if (strcmp(json_string_value(json_object_get(map, "pipe")), pipe) == 0)
            sum += number(map, column);
    }
    return sum;
}

static double core_sum(const json_t *run)
{
    double sum = 0.0;
    size_t i;
    const json_t *map;
    json_array_foreach(json_object_get(json_object_get(run, "tail"), "cores"), i, map) sum +=
        number(map, "cycles");
    return sum;
}

static void kernel_times_are_those_of_the_run(void **state)
{
    (void)state;
    json_t *run = run_json("host.launch=3 us"), *v = validate_json("cube", "host.launch=3 us");
    double cycles = number(run, "cycles"), cores = number(run, "cores");
    assert_true(cores > 2 && core_sum(run) < cores * cycles);
    assert_near(predicted(v, "task"), cycles + 3.0 * 1850.0, 1e-6);
    assert_near(predicted(v, "core_max"), cycles, 1e-6);
    assert_near(predicted(v, "core_sum"), core_sum(run), 1e-6);
    assert_near(predicted(v, "core"), core_sum(run) / cores, 1e-6);
    assert_near(roofline(v, "core_sum"), cores * roofline(v, "core"), 1e-3);
    json_decref(run);
    json_decref(v);
}

static void counters_are_busy_of_mte2_and_active_of_the_others(void **state)
{
    static const struct {
        const char *word, *pipe, *column, *other;
    } pipes[] = {{"mte2", "MTE2", "busy_cycles", "active_cycles"},
                 {"mte1", "MTE1", "active_cycles", "busy_cycles"},
                 {"cube", "CUBE", "active_cycles", "busy_cycles"},
                 {"fixp", "FIXP", "active_cycles", "busy_cycles"}};
    (void)state;
    json_t *run = run_json("fixp.latency=40 cycles");
    double cores = number(run, "cores"), mmads = 24.0 * 512.0 / 64.0;
    for (size_t i = 0; i < 4; i++) {
        json_t *v = validate_json(pipes[i].word, "fixp.latency=40 cycles");
        double counter = pipe_sum(run, pipes[i].pipe, pipes[i].column);
        assert_true(counter != pipe_sum(run, pipes[i].pipe, pipes[i].other));
        assert_near(predicted(v, "counter"), counter / cores, 1e-6);
        assert_near(predicted(v, "step"), counter / mmads, 1e-6);
        assert_near(predicted(v, "share"), 100.0 * counter / cores / predicted(v, "task"), 1e-6);
        assert_near(roofline(v, "step") * mmads, roofline(v, "counter") * cores, 1e-3);
        json_decref(v);
    }
    json_decref(run);
}

/* A rate of the product, B a cycle. */
static double rate_of(const json_t *product, const char *key)
{
    const json_t *map = json_object_get(json_object_get(product, "numbers"), key);
    return strtod(json_string_value(json_object_get(map, "value")), NULL);
}

/* The roofline of MTE2 with the rate of one path changed to a value. */
static double mte2_roofline(const char *key, double rate)
{
    char set[64];
    snprintf(set, sizeof set, "%s=%.0f B/cycle", key, rate);
    json_t *v = validate_json("mte2", set);
    double cycles = roofline(v, "counter");
    json_decref(v);
    return cycles;
}

static void copies_are_bound_by_their_port_l2_or_gm(void **state)
{
    (void)state;
    json_t *run = run_json("host.launch=3 us");
    double cores = number(run, "cores"), read = number(run, "gm_read_bytes");
    double missed = 2.0 * 512.0 * (3072.0 + 256.0); /* A and B, once */
    json_decref(run);
    cli_run(&cli, "products atlas-a2 --json");
    json_t *product = cli_json(&cli);
    double gm = missed / (24.0 * rate_of(product, "gm.rate"));
    assert_near(mte2_roofline("mte2.port", 1000.0), gm, gm * 1e-3);
    assert_near(mte2_roofline("mte2.port", 16.0), read / cores / 16.0, 1e-2);
    assert_near(mte2_roofline("l2.read_rate", 8.0), read / (24.0 * 8.0), 1e-2);
    json_decref(product);
}

static void a_time_is_bound_by_its_busiest_pipe(void **state)
{
    static const char *const pipes[] = {"mte2", "mte1", "cube", "fixp"};
    double most = 0.0, time = 0.0;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        json_t *v = validate_json(pipes[i], "host.launch=3 us");
        most = fmax(most, roofline(v, "counter"));
        time = roofline(v, "task");
        json_decref(v);
    }
    assert_near(time, most, 1e-3);
}

/* ---- single instructions ---- */

static json_t *validate_program(const char *rows, const char *program)
{
    char text[4096];
    snprintf(text, sizeof text,
             "title: t\nproduct: atlas-a2\nkind: table\nuse: check\nsource: s\ncases:\n"
             "  - name: c\n    program: |\n%s    rows:\n%s",
             program, rows);
    cli_run(&cli, "validate %s --json", cli_write(&cli, "p.yaml", text));
    assert_int_equal(cli.code, 0);
    return cli_json(&cli);
}

/* Mmads of 4 x 1 x 4 steps and one of 8 x 1 x 4: 2 cycles more each, results after 61. */
static void instructions_are_told_by_interval_duration_and_latency(void **state)
{
    (void)state;
    json_t *v = validate_program(
        "      - {id: 1, value: 9 op/cycle, metric: interval, pipe: cube}\n"
        "      - {id: 2, value: 9 op/cycle, metric: isolated, pipe: cube}\n"
        "      - {id: 3, value: 9 cycles, metric: latency, pipe: cube}\n",
        "      .l0a a 0 65536\n      .l0b b 0 65536\n      .l0c c 0 65536\n      .for i 3\n"
        "      mmad dst=c a=a b=b m=64 n=16 k=64 cmatrixInitVal=1\n      .end\n"
        "      mmad dst=c a=a b=b m=128 n=16 k=64 cmatrixInitVal=1\n");
    double small = 2.0 * 64 * 16 * 64, large = 2.0 * 128 * 16 * 64;
    assert_near(predicted(v, "interval"), (3.0 * small + large) / 4.0 / 18.0, 1e-6);
    assert_near(predicted(v, "isolated"), large / (34.0 + 61.0), 1e-6);
    assert_near(predicted(v, "latency"), 61.0, 1e-9);
    assert_near(roofline(v, "interval"), (3.0 * 16.0 + 32.0) / 4.0, 1e-6);
    assert_near(roofline(v, "isolated"), 32.0, 1e-6);
    assert_near(roofline(v, "latency"), 0.0, 1e-6);
    json_decref(v);
}

/* Of two cores one begins later: from its start to its end are not all the bytes of both. */
static void a_stream_is_from_the_first_start_to_the_last_completion_of_any_core(void **state)
{
    (void)state;
    json_t *v =
        validate_program("      - {id: 1, value: 9 B/cycle, metric: stream, pipe: mte1}\n"
                         "      - {id: 2, value: 9 cycles, metric: latency, pipe: mte1}\n",
                         "      .l1 x 0 65536\n      .l0a a 0 65536\n      .l0b b 0 65536\n"
                         "      load2d dst=a src=x type=fp16 repeatTimes=8\n"
                         "      .core 1\n      .for i 40\n      set_mm_row_major\n      .end\n"
                         "      load2d dst=a src=x type=fp16 repeatTimes=8\n"
                         "      load2d dst=a src=x type=fp16 repeatTimes=8\n");
    double late = 40.0 * 4.0; /* dispatches of 4 cycles */
    /* 4 KiB at 256 B and 2.1 cycles; twice; 28 more to the result. */
    assert_near(3.0 * 4096.0 / 2.0 / predicted(v, "stream"), late + 2.0 * 18.0 + 28.0, 1.0);
    assert_near(roofline(v, "stream"), 3.0 * 16.0 / 2.0, 1e-6);
    json_decref(v);
}

static void instructions_are_bound_by_the_rate_of_their_target(void **state)
{
    static const struct {
        const char *target, *pipe, *program;
        double cycles;
    } rows[] = {
        {"l0a", "mte1", "      load2d dst=l0a src=x type=fp16 repeatTimes=4\n", 8.0},
        {"l0b", "mte1", "      load2d dst=l0b src=x type=fp16 repeatTimes=4\n", 16.0},
        {"bt", "mte1", "      load_bt dst=bt src=x blockLen=8\n", 8.0 * 64.0 / 32.0},
        {"gm", "fixp",
         "      fixpipe dst=y src=l0c layout=nz2nd mSize=64 nSize=64 srcStride=64 "
         "dstStride=64\n",
         64.0 * 64.0 * 4.0 / 120.0},
        {"l1", "fixp",
         "      fixpipe dst=x src=l0c layout=nz mode=F322F16 mSize=64 nSize=64 "
         "srcStride=64 dstStride=64\n",
         64.0 * 64.0 * 2.0 / 128.0},
        {"fb", "fixp", "      load_fb dst=fb src=x blockLen=8\n", 8.0 * 128.0 / 32.0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char program[640], line[128];
        snprintf(program, sizeof program,
                 "      .l1 x 0 65536\n      .l0a l0a 0 65536\n      .l0b l0b 0 65536\n"
                 "      .gm y fp32 [64,64]\n      .l0c l0c 0 16384\n"
                 "      .bt bt 0 1024\n      .fb fb 0 2048\n%s",
                 rows[i].program);
        snprintf(line, sizeof line,
                 "      - {id: 1, value: 9 cycles, metric: isolated, pipe: %s}\n", rows[i].pipe);
        json_t *v = validate_program(line, program);
        assert_near(roofline(v, "isolated"), rows[i].cycles, 1e-3);
        json_decref(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_times_are_those_of_the_run),
        cmocka_unit_test(counters_are_busy_of_mte2_and_active_of_the_others),
        cmocka_unit_test(copies_are_bound_by_their_port_l2_or_gm),
        cmocka_unit_test(a_time_is_bound_by_its_busiest_pipe),
        cmocka_unit_test(instructions_are_told_by_interval_duration_and_latency),
        cmocka_unit_test(a_stream_is_from_the_first_start_to_the_last_completion_of_any_core),
        cmocka_unit_test(instructions_are_bound_by_the_rate_of_their_target),
    };
    return cmocka_run_group_tests_name("metrics", tests, make_folder, remove_folder);
}
