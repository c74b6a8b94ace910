/*
 * How fast cubesim is: instructions simulated per second (flags count), lowering and the split into
 * L2 hits included, and multiply-accumulates computed per second on poisoned memories, as it is
 * with --hazards off; and how many times longer the same run takes when it looks for races,
 * measured in pairs.
 *
 *     bench_run [ROUNDS]
 *
 * Each figure is the median of the rounds, with the least and the greatest beside it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/rounds.h"
#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/derive.h"
#include "model/run.h"

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

/* The time of a run with these options. */
static enum status bench_time(const struct plan *plan, const struct run_options *options,
                              struct arena *arena, struct diag *diag, struct run_result *result,
                              double *seconds)
{
    double start = rounds_now();
    enum status status = run_plan(plan, options, arena, diag, result);
    *seconds = rounds_now() - start;
    return status;
}

/* rate: of instructions or multiply-accumulates; checked: time of looking for races, over that
 * without. */
static enum status bench_once(const struct bench *bench, const struct plan *plan, struct diag *diag,
                              double *rate, double *checked)
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
    double timing = 0.0, plain = 0.0, looking = 0.0;
    options.unchecked = true;
    if (status == STATUS_OK)
        status = bench_time(plan, &options, &arena, diag, &whole, &plain);
    options.unchecked = false;
    if (status == STATUS_OK && bench->bytes)
        status = bench_time(plan, &options, &arena, diag, &whole, &looking);
    options.timing_only = true; /* what the timing takes does not count as function */
    if (status == STATUS_OK && bench->bytes)
        status = bench_time(plan, &options, &arena, diag, &timed, &timing);
    if (status == STATUS_OK) {
        *rate = (double)(bench->bytes ? whole.mmad_macs : whole.instructions) / (plain - timing);
        *checked = (looking - timing) / (plain - timing);
    }
    arena_deinit(&arena);
    return status;
}

/* The least, the median and the greatest of the rounds. */
static void print_figure(const char *name, double *values, long rounds, double scale,
                         const char *unit)
{
    struct spread spread = rounds_spread(values, rounds);
    printf("%-26s %8.2f %8.2f %8.2f  %s\n", name, spread.least / scale, spread.median / scale,
           spread.greatest / scale, unit);
}

static enum status bench_run(const struct bench *bench, long rounds, struct diag *diag)
{
    struct arena arena;
    struct product product;
    struct plan plan;
    double rates[ROUNDS_MAX], checked[ROUNDS_MAX];
    arena_init(&arena, 0);
    enum status status =
        plan_parse(bench->name, bench->yaml, bench->product, &arena, diag, &product, &plan);
    if (status == STATUS_OK)
        status = plan_resolve(&plan, &product, &arena, diag);
    for (long round = 0; round < rounds && status == STATUS_OK; round++)
        status = bench_once(bench, &plan, diag, &rates[round], &checked[round]);
    if (status == STATUS_OK) {
        print_figure(bench->name, rates, rounds, bench->bytes ? 1e9 : 1e6,
                     bench->bytes ? "GMAC/s" : "million instructions/s");
        if (bench->bytes)
            print_figure("  looking for races", checked, rounds, 1.0, "times as long");
    }
    arena_deinit(&arena);
    return status;
}

int main(int argc, char **argv)
{
    long rounds = rounds_parse(argc, argv);
    if (rounds == 0)
        return 2;
    struct diag diag;
    diag_init(&diag);
    enum status status = STATUS_OK;
    printf("%-26s %8s %8s %8s\n", "", "least", "median", "greatest");
    for (size_t i = 0; i < sizeof benches / sizeof benches[0] && status == STATUS_OK; i++)
        status = bench_run(&benches[i], rounds, &diag);
    return rounds_end(&diag, status);
}
