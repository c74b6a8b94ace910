#include "tests/support/cost_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void cost_rig_open(struct cost_rig *rig, const char *product, uint32_t cores)
{
    memset(rig, 0, sizeof *rig);
    arena_init(&rig->arena, 0);
    diag_init(&rig->diag);
    assert_int_equal(product_load(product, place_none(), &rig->arena, &rig->diag, &rig->product),
                     STATUS_OK);
    static const enum space spaces[] = {SPACE_GM, SPACE_L1, SPACE_L0A, SPACE_L0B, SPACE_L0C};
    for (int i = 0; i < COST_RIG_REGIONS; i++)
        rig->regions[i] =
            (struct region){.space = spaces[i], .size_bytes = 1 << 20, .element = ELEMENT_FP16};
    rig->program = (struct program){
        .arch = rig->product.arch, .regions = rig->regions, .region_count = COST_RIG_REGIONS};
    cost_init(&rig->model, &rig->product, &rig->program, cores);
}

void cost_rig_close(struct cost_rig *rig)
{
    diag_deinit(&rig->diag);
    arena_deinit(&rig->arena);
}

struct job cost(const struct cost_rig *rig, const struct insn *insn, uint64_t miss)
{
    return cost_pushing(rig, insn, miss, 0);
}

struct job cost_pushing(const struct cost_rig *rig, const struct insn *insn, uint64_t miss,
                        uint64_t write_back)
{
    const struct l2_split split = {.miss_bytes = (uint32_t)miss,
                                   .share = L2_SHARE_ONE,
                                   .write_back_bytes = (uint32_t)write_back};
    struct job job;
    memset(&job, 0, sizeof job);
    cost_job(&rig->model, &(struct cost_history){0}, insn, &split, &job);
    tick sum = 0;
    for (uint32_t i = 0; i < SIM_CLASSES; i++)
        sum += job.by_class[i];
    assert_int_equal(sum, job.occupancy);
    return job;
}
