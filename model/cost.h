/*
 * What an instruction costs on a product: words take time here and nowhere else.
 *
 * cost_init turns the numbers of a product into a table once; cost_job is a pure function from an
 * instruction (and, for copies, its split into L2 hits and misses) to occupancy, latency and legs
 * over the shared links. The formulas are those of docs/hardware.md.
 */
#ifndef CUBESIM_MODEL_COST_H
#define CUBESIM_MODEL_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/sim.h"
#include "isa/insn.h"
#include "isa/program.h"
#include "model/l2.h"
#include "model/product.h"

/* Links that all cores share. */
enum model_link { MODEL_LINK_GM, MODEL_LINK_L2_READ, MODEL_LINK_L2_WRITE, MODEL_LINK_COUNT };

/* A number in 2^-16 of its unit, with the class of its ticks. */
struct cost_number {
    uint64_t value;
    uint32_t basis;
};

struct cost_model {
    const struct product *product;
    const struct program *program;
    struct cost_number number[PRODUCT_KEY_COUNT]; /* absent keys are 0 */
    struct cost_number mte2_latency;              /* at the cores of this run, as the next */
    struct cost_number mte2_request;
    struct cost_number first_touch; /* 2^-16 B per tick: lines that L2 does not hold */
    uint32_t cores;
    uint64_t line_bytes;
    struct sim_link link[MODEL_LINK_COUNT];
};

/* cores: how many take part in the run. */
void cost_init(struct cost_model *model, const struct product *product,
               const struct program *program, uint32_t cores);

/* What the cost of an instruction depends on of those before it in its stream; starts as zeros. */
struct cost_history {
    bool loaded_a; /* the last load of MTE1 went to L0A */
};

/* Fills occupancy, latency, classes and legs of a working job from a captured instruction.
 * l2: where the bytes of a copy from GM come from, and what it or a store to GM pushes out of L2;
 * not looked at for others (l2_takes). */
void cost_job(const struct cost_model *model, struct cost_history *history, const struct insn *insn,
              const struct l2_split *l2, struct job *job);

/* Whether it costs what a Load3D costs: the rows of every form of it. */
bool cost_is_load3d(const struct insn *insn);

/* Whole ticks of a UNIT_CYCLES key, to nearest. */
tick cost_ticks(const struct cost_model *model, enum product_key key);

/* Steps of 16 x 16 x 32 B that an Mmad takes. */
uint64_t cost_mmad_fractals(const struct insn *insn);

/* Cycles of these steps, nothing rounded. */
double cost_mmad_cycles(const struct cost_model *model, const struct insn *insn);

/* The number of a product that says how long such a step takes. */
enum product_key cost_mmad_key(const struct insn *insn);

/* Multiply-accumulates that a cube does in a cycle at most, on operands of a type of 4, 8, 16 or 32
 * bits, fp32 as it is. */
double cost_cube_rate(const struct product *product, enum element element);

#endif
