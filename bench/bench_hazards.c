/*
 * How many times longer the functional run of a program takes when it looks for races, for
 * instructions whose accesses are small and lie apart: ND2NZ of rows with one element, Load3D of
 * few channels with stride and dilation, and destinations with gaps. Measured in pairs; the time of
 * the simulation is taken off.
 *
 *     bench_hazards [ROUNDS]
 *
 * Each figure is the median of the rounds, with the least and the greatest beside it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/rounds.h"
#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/program_text.h"
#include "model/product.h"
#include "model/program_data.h"
#include "model/run_program.h"

enum { REPEATS = 300, TEXT_BYTES = 160 * 1024 };

#define HEAD                                                                                       \
    ".product ascend-950pr\n.gm x fp16 [16384,16] = seed=1\n.gm y fp16 [65536]\n"                  \
    ".l1 a 0 524288\n.l0a l0a 0 65536\n.l0b l0b 0 65536\n.l0c c 0 131072\n"                        \
    "data_copy dst=a src=x blockCount=1 blockLen=16384\npipe_barrier pipe=ALL\n"                   \
    "load2dv2 dst=l0a src=a mStep=32 kStep=1 srcStride=32 dstStride=32\n"                          \
    "load2dv2 dst=l0b src=a mStep=1 kStep=1 srcStride=1 dstStride=1\npipe_barrier pipe=ALL\n"      \
    "mmad dst=c a=l0a b=l0b m=512 n=16 k=16 cmatrixInitVal=1\npipe_barrier pipe=ALL\n"

struct bench {
    const char *name, *text; /* of one turn */
};

static const struct bench benches[] = {
    {"nd2nz, rows of 1 element",
     "nd2nz dst=a src=x ndNum=1 nValue=16384 dValue=1 srcDValue=16 dstNzC0Stride=16384 "
     "dstNzNStride=1\npipe_barrier pipe=ALL\n"},
    {"load3dv2, 4 channels",
     "load3dv2 dst=l0a src=a l1H=100 l1W=100 channelSize=4 mExtension=1024 kExtension=16 "
     "filterW=3 filterH=3 strideW=3 dilationFilterW=2\n"},
    {"data_copy, every second block",
     "data_copy dst=a src=x blockCount=2000 blockLen=1 dstGap=1\npipe_barrier pipe=ALL\n"},
    {"nd2nz, two interleaved",
     "nd2nz dst=a src=x ndNum=1 nValue=1000 dValue=16 srcDValue=16 dstNzC0Stride=2000 "
     "dstNzNStride=2\n"
     "nd2nz dst=a+32 src=x ndNum=1 nValue=1000 dValue=16 srcDValue=16 dstNzC0Stride=2000 "
     "dstNzNStride=2\npipe_barrier pipe=ALL\n"},
    {"nd2nz, a block in a page",
     "nd2nz dst=a src=x ndNum=1 nValue=500 dValue=16 srcDValue=16 dstNzC0Stride=2 "
     "dstNzNStride=31\n"
     "nd2nz dst=a+32 src=x ndNum=1 nValue=500 dValue=16 srcDValue=16 dstNzC0Stride=2 "
     "dstNzNStride=31\npipe_barrier pipe=ALL\n"},
    {"fixpipe, columns of 1 element",
     "fixpipe dst=y src=c mSize=512 nSize=1 srcStride=512 dstStride=100 layout=nz2nd "
     "mode=F322F16\n"
     "fixpipe dst=y+2 src=c mSize=512 nSize=1 srcStride=512 dstStride=100 layout=nz2nd "
     "mode=F322F16\npipe_barrier pipe=ALL\n"},
};

struct lookup {
    struct arena *arena;
    struct product product;
};

static enum status look_up(void *context, const char *name, struct place place, struct diag *diag,
                           enum arch *arch)
{
    struct lookup *lookup = context;
    enum status status = product_load(name, place, lookup->arena, diag, &lookup->product);
    if (status == STATUS_OK)
        *arch = lookup->product.arch;
    return status;
}

/* The time of a run, 0.0 when it fails or finds a hazard. */
static double run_time(struct program_run run, struct memory *tensor, bool unchecked)
{
    struct arena arena;
    struct run_result result;
    arena_init(&arena, 0);
    run.tensor = tensor;
    run.unchecked = unchecked;
    double start = rounds_now();
    enum status status = run_program(&run, &arena, &result);
    double seconds = rounds_now() - start;
    bool clean = status == STATUS_OK && result.hazard_count == 0;
    arena_deinit(&arena);
    return clean ? seconds : 0.0;
}

/* Times as long; 0.0 when a run fails. */
static double bench_once(const struct program_run *run, struct memory *tensor)
{
    double plain = run_time(*run, tensor, true), looking = run_time(*run, tensor, false);
    double timing = run_time(*run, NULL, true);
    return plain > timing && looking > 0.0 ? (looking - timing) / (plain - timing) : 0.0;
}

static enum status bench_run(const struct bench *bench, long rounds, struct diag *diag)
{
    static char text[TEXT_BYTES];
    struct arena arena;
    struct program program;
    struct memory *tensor;
    double ratios[ROUNDS_MAX];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", HEAD);
    for (uint32_t i = 0; i < REPEATS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", bench->text);
    arena_init(&arena, 0);
    struct lookup lookup = {.arena = &arena};
    const struct source source = {.name = bench->name, .text = text, .length = used};
    const struct program_reader reader = {.lookup = look_up, .lookup_context = &lookup};
    const struct program_data_options data = {.source = &source, .seed = 1};
    enum status status = program_parse(&source, &reader, &arena, diag, &program);
    if (status == STATUS_OK)
        status = program_data_make(&program, &data, &arena, diag, &tensor);
    const struct program_run run = {.program = &program, .product = &lookup.product};
    for (long round = 0; round < rounds && status == STATUS_OK; round++)
        ratios[round] = bench_once(&run, tensor);
    if (status == STATUS_OK) {
        struct spread spread = rounds_spread(ratios, rounds);
        printf("%-30s %8.2f %8.2f %8.2f  times as long\n", bench->name, spread.least, spread.median,
               spread.greatest);
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
    printf("%-30s %8s %8s %8s\n", "looking for races", "least", "median", "greatest");
    for (size_t i = 0; i < sizeof benches / sizeof benches[0] && status == STATUS_OK; i++)
        status = bench_run(&benches[i], rounds, &diag);
    return rounds_end(&diag, status);
}
