/*
 * Uses every part of the installed library: checks, lowers and times a small convolution.
 */
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/program.h"
#include "model/derive.h"
#include "model/lower.h"
#include "model/plan.h"
#include "model/product.h"
#include "model/run.h"
#include "model/tile_rules.h"
#include "model/version.h"

static const char PLAN[] = "product: atlas-a2\n"
                           "conv:\n"
                           "  input: [1, 16, 8, 8]\n"
                           "  weight: [16, 16, 3, 3]\n"
                           "  stride: [1, 1]\n"
                           "  padding: [1, 1, 1, 1]\n"
                           "  dilation: [1, 1]\n"
                           "  groups: 1\n"
                           "  dtype: fp16\n";

static struct product product;
static struct plan plan;

static enum status consumer_run(struct arena *arena, struct diag *diag)
{
    struct run_options options = {.timing_only = true};
    struct run_result result;
    struct program program;
    enum status status = plan_parse("plan", PLAN, NULL, arena, diag, &product, &plan);

    if (status == STATUS_OK)
        status = plan_resolve(&plan, &product, arena, diag);
    if (status == STATUS_OK)
        status = lower_plan(&plan, arena, diag, &program);
    if (status == STATUS_OK)
        status = run_plan(&plan, &options, arena, diag, &result);
    if (status == STATUS_OK)
        printf("cubesim %s: %s, %llu cycles, %llu instructions\n", CUBESIM_VERSION, product.soc,
               (unsigned long long)result.cycles, (unsigned long long)result.instructions);
    return status;
}

int main(void)
{
    struct arena arena;
    struct diag diag;
    enum status status;

    arena_init(&arena, 0);
    diag_init(&diag);
    status = consumer_run(&arena, &diag);
    for (size_t i = 0; i < diag.count; i++)
        fprintf(stderr, "%s\n", diag_text(&diag, i));
    diag_deinit(&diag);
    arena_deinit(&arena);
    return status_exit_code(status);
}
