/*
 * How fast cubesim is: instructions simulated per second (flags count), lowering and the split into
 * L2 hits included, and multiply-accumulates computed per second on poisoned, checked memories.
 *
 *     bench_run [ROUNDS]
 *
 * Each figure is the median of the rounds, with the least and the greatest beside it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/derive.h"
#include "model/run.h"

enum { ROUNDS_MAX = 99 };

struct bench {
    const char *name, *product, *yaml;
    bool bytes; /* measure the functional run */
};

static const struct bench benches[] = {
    {"timing, 1 core, res2a", "atlas-a2",
     "conv: {input: [16, 64, 56, 56], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
     "bias: true}\n"
     "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64, tileCinFmap: 64, "
     "tileCinWeight: 64, tileN: 64}\ntile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n"
     "schedule: {cores: 1}\n",
     false},
    {"timing, 24 cores, res2a", "atlas-a2",
     "conv: {input: [192, 64, 56, 56], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
     "bias: true}\n"
     "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64, tileCinFmap: 64, "
     "tileCinWeight: 64, tileN: 64}\ntile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n"
     "schedule: {cores: 24}\n",
     false},
    {"timing, 32 cores, nchw", "ascend-950pr",
     "conv: {input: [64, 256, 28, 28], weight: [256, 256, 3, 3], padding: [1, 1, 1, 1], "
     "dtype: fp16}\n",
     false},
    {"function, fp16, res2a", "atlas-a2",
     "conv: {input: [4, 64, 56, 56], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16}\n"
     "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64, tileCinFmap: 64, "
     "tileCinWeight: 64, tileN: 64}\ntile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n",
     true},
    {"function, fp16, res4", "ascend-950pr",
     "conv: {input: [8, 256, 14, 14], weight: [256, 256, 3, 3], padding: [1, 1, 1, 1], "
     "dtype: fp16}\n",
     true},
    {"function, int8, res4", "atlas-a2",
     "conv: {input: [8, 256, 14, 14], weight: [256, 256, 3, 3], padding: [1, 1, 1, 1], "
     "dtype: int8}\n",
     true},
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static enum status bench_once(const struct bench *bench, const struct plan *plan, struct diag *diag,
                              double *rate)
{
    struct arena arena;
    struct run_result timed, whole;
    struct tensor input, weight, bias;
    arena_init(&arena, 0);
    tensor_shape_input(&plan->conv, &input);
    tensor_shape_weight(&plan->conv, &weight);
    tensor_shape_bias(&plan->conv, &bias);
    enum status status = tensor_take(&input, &arena);
    if (status == STATUS_OK)
        status = tensor_take(&weight, &arena);
    if (status == STATUS_OK)
        status = tensor_take(&bias, &arena);
    struct run_options options = {
        .timing_only = !bench->bytes, .input = &input, .weight = &weight, .bias = &bias};
    if (status == STATUS_OK && bench->bytes) {
        tensor_fill(&input, 1, 1);
        tensor_fill(&weight, 1, 2);
    }
    double start = now();
    if (status == STATUS_OK)
        status = run_plan(plan, &options, &arena, diag, &whole);
    double seconds = now() - start;
    if (status == STATUS_OK && bench->bytes) {
        /* What the timing took does not count as function. */
        options.timing_only = true;
        start = now();
        status = run_plan(plan, &options, &arena, diag, &timed);
        seconds -= now() - start;
    }
    if (status == STATUS_OK)
        *rate = (double)(bench->bytes ? whole.mmad_macs : whole.instructions) / seconds;
    arena_deinit(&arena);
    return status;
}

static enum status bench_run(const struct bench *bench, long rounds, struct diag *diag)
{
    struct arena arena;
    struct product product;
    struct plan plan;
    double rates[ROUNDS_MAX];
    arena_init(&arena, 0);
    enum status status =
        plan_parse(bench->name, bench->yaml, bench->product, &arena, diag, &product, &plan);
    if (status == STATUS_OK)
        status = plan_resolve(&plan, &product, &arena, diag);
    for (long round = 0; round < rounds && status == STATUS_OK; round++)
        status = bench_once(bench, &plan, diag, &rates[round]);
    if (status == STATUS_OK) {
        qsort(rates, (size_t)rounds, sizeof rates[0], compare);
        double scale = bench->bytes ? 1e9 : 1e6;
        printf("%-26s %8.2f %8.2f %8.2f  %s\n", bench->name, rates[0] / scale,
               rates[rounds / 2] / scale, rates[rounds - 1] / scale,
               bench->bytes ? "GMAC/s" : "million instructions/s");
    }
    arena_deinit(&arena);
    return status;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "expected 1 to %d rounds\n", ROUNDS_MAX);
        return 2;
    }
    struct diag diag;
    diag_init(&diag);
    enum status status = STATUS_OK;
    printf("%-26s %8s %8s %8s\n", "", "least", "median", "greatest");
    for (size_t i = 0; i < sizeof benches / sizeof benches[0] && status == STATUS_OK; i++)
        status = bench_run(&benches[i], rounds, &diag);
    for (size_t i = 0; i < diag.count; i++)
        fprintf(stderr, "%s\n", diag_text(&diag, i));
    diag_deinit(&diag);
    return status_exit_code(status);
}
