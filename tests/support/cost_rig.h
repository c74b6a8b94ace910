/*
 * A product and a region in each memory of the cube, for tests of what single instructions cost.
 */
#ifndef CUBESIM_TESTS_SUPPORT_COST_RIG_H
#define CUBESIM_TESTS_SUPPORT_COST_RIG_H

#include "engine/base/arena.h"
#include "engine/sim.h"
#include "model/cost.h"
#include "model/product.h"

enum { GM, L1, L0A, L0B, L0C, COST_RIG_REGIONS };

struct cost_rig {
    struct arena arena;
    struct diag diag;
    struct product product;
    struct region regions[COST_RIG_REGIONS];
    struct program program;
    struct cost_model model;
};

void cost_rig_open(struct cost_rig *rig, const char *product, uint32_t cores);
void cost_rig_close(struct cost_rig *rig);

/* What an instruction costs, miss bytes of which come from GM; its classes add up. */
struct job cost(const struct cost_rig *rig, const struct insn *insn, uint64_t miss);

/* The same where it pushes written bytes out of L2. */
struct job cost_pushing(const struct cost_rig *rig, const struct insn *insn, uint64_t miss,
                        uint64_t write_back);

#endif
