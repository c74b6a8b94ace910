/*
 * How fast a saved run is written for other tools: instructions a second, and bytes for each.
 *
 *     bench_export [ROUNDS]
 *
 * The run is res2a with twelve times the images on 24 cores, saved once with all rows in a
 * database that is removed at the end. Each rate is the median of the rounds, with the least and
 * the greatest beside it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/rounds.h"
#include "model/derive.h"
#include "model/lower.h"
#include "model/run.h"
#include "traces/export.h"
#include "traces/store.h"

static const char yaml[] =
    "conv: {input: [192, 64, 56, 56], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
    "bias: true}\n"
    "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64, tileCinFmap: 64, "
    "tileCinWeight: 64, tileN: 64}\ntile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n"
    "schedule: {cores: 24}\n";

struct format {
    const char *name;
    export_writer *write;
    uint32_t cores; /* written at once */
    tick cycles;    /* of the window; 0: the whole run */
};

static const struct format formats[] = {
    {"chrome", export_chrome, 24, 0},  {"chrome, 1 core", export_chrome, 1, 0},
    {"csv", export_csv, 24, 0},        {"instr_exe, 1 core", export_instr_exe, 1, 0},
    {"svg, 1 core", export_svg, 1, 0}, {"svg, 2,000 cycles", export_svg, 1, 2000},
};

/* Saves the run; its rows are all there. */
static enum status bench_save(struct store *store, struct arena *arena, struct diag *diag,
                              struct stored_run *saved)
{
    struct product product;
    struct plan plan;
    struct program program;
    struct subject subject;
    struct run_result result;
    int64_t run_id = 0;
    enum status status = plan_parse("bench_export", yaml, "atlas-a2", arena, diag, &product, &plan);
    if (status == STATUS_OK)
        status = plan_resolve(&plan, &product, arena, diag);
    if (status == STATUS_OK)
        status = lower_plan(&plan, arena, diag, &program);
    if (status == STATUS_OK)
        status = subject_plan(&plan, &program, arena, &subject);
    if (status == STATUS_OK)
        status = store_begin(store, &subject, "bench", diag, &run_id);
    const struct run_options options = {
        .timing_only = true, .sink = store_row, .steps = store_step, .sink_context = store};
    if (status == STATUS_OK)
        status = run_plan(&plan, &options, arena, diag, &result);
    if (status == STATUS_OK)
        status = store_finish(store, &result, diag);
    return status == STATUS_OK ? store_find_run(store, 0, arena, diag, saved) : status;
}

static enum status bench_format(struct store *store, const struct stored_run *run,
                                const struct format *format, long rounds, struct diag *diag)
{
    const struct export_options options = {.target = "a file",
                                           .core_count = format->cores,
                                           .to = format->cycles > 0 ? format->cycles : run->cycles};
    double rates[ROUNDS_MAX], rows = (double)run->instructions * format->cores / (double)run->cores;
    long bytes = 0;
    enum status status = STATUS_OK;
    for (long round = 0; round < rounds && status == STATUS_OK; round++) {
        FILE *file = tmpfile();
        if (file == NULL)
            return diag_add(diag, STATUS_IO, place_none(), "no temporary file");
        double start = rounds_now();
        status = format->write(store, run->run_id, &options, file, diag);
        rates[round] = rows / (rounds_now() - start);
        bytes = ftell(file);
        fclose(file);
    }
    if (status != STATUS_OK)
        return status;
    struct spread spread = rounds_spread(rates, rounds);
    printf("%-20s %8.3f %8.3f %8.3f  million instructions/s  %9.2f MB  %6.1f B each\n",
           format->name, spread.least / 1e6, spread.median / 1e6, spread.greatest / 1e6,
           (double)bytes / 1e6, (double)bytes / rows);
    return STATUS_OK;
}

static enum status bench(const char *path, long rounds, struct diag *diag)
{
    struct arena arena;
    struct store *store = NULL;
    struct stored_run run;
    arena_init(&arena, 0);
    enum status status = store_open(path, true, diag, &store);
    if (status == STATUS_OK)
        status = bench_save(store, &arena, diag, &run);
    if (status == STATUS_OK)
        printf("%" PRIu64 " instructions\n%-20s %8s %8s %8s\n", run.instructions, "", "least",
               "median", "greatest");
    for (size_t i = 0; i < sizeof formats / sizeof formats[0] && status == STATUS_OK; i++)
        status = bench_format(store, &run, &formats[i], rounds, diag);
    store_close(store);
    arena_deinit(&arena);
    return status;
}

int main(int argc, char **argv)
{
    long rounds = rounds_parse(argc, argv);
    char folder[] = "/tmp/cubesim-bench-XXXXXX", path[64];
    if (rounds == 0)
        return 2;
    if (mkdtemp(folder) == NULL)
        return 3;
    struct diag diag;
    diag_init(&diag);
    snprintf(path, sizeof path, "%s/runs.db", folder);
    enum status status = bench(path, rounds, &diag);
    for (size_t i = 0; i < diag.count; i++)
        fprintf(stderr, "%s\n", diag_text(&diag, i));
    diag_deinit(&diag);
    unlink(path);
    rmdir(folder);
    return status_exit_code(status);
}
