/*
 * A simulator with hand-made streams and a record of every row, for tests of the engine.
 *
 * Pipe 0 dispatches; STARTUP, DISPATCH, WAIT and BARRIER are its costs, and FIRST is when the first
 * job arrives. One link of 100 B per tick.
 */
#ifndef CUBESIM_TESTS_SUPPORT_SIM_RIG_H
#define CUBESIM_TESTS_SUPPORT_SIM_RIG_H

#include "engine/base/arena.h"
#include "engine/sim.h"
#include "tests/support/path_check.h"

enum {
    STARTUP = 100,
    DISPATCH = 4,
    WAIT = 7,
    BARRIER = 3,
    ROWS_MAX = 512,
    FIRST = STARTUP + DISPATCH
};
enum { RATE_ONE = 1 << 16 };

struct sim_rig {
    struct job job[2][256]; /* [core] */
    uint32_t count[2], next[2];
    struct row row[ROWS_MAX];
    uint32_t rows;
    struct path_check steps;
    struct arena arena;
    struct sim_config config;
    struct sim_link link;
    struct sim *sim;
};

void sim_rig_init(struct sim_rig *rig);
void sim_rig_deinit(struct sim_rig *rig);

/* Adds a job to the stream of a core; the shorter forms add to core 0. All return the job. */
struct job *sim_rig_add(struct sim_rig *rig, uint32_t core, struct job job);
struct job *sim_work(struct sim_rig *rig, uint32_t pipe, tick occupancy, tick latency);
struct job *sim_set(struct sim_rig *rig, uint32_t pipe, uint32_t flag);
struct job *sim_wait(struct sim_rig *rig, uint32_t pipe, uint32_t flag);
struct job *sim_lock(struct sim_rig *rig, uint32_t pipe, uint32_t flag, uint32_t turn);
/* Gives a job gates, the low 64 by bit; returns it. */
struct job *sim_gate(struct job *job, enum gate_use use, uint64_t gates);

enum status sim_rig_run(struct sim_rig *rig);

/* The row of an instruction; fails the test when there is none. */
const struct row *sim_rig_row(const struct sim_rig *rig, uint32_t core, uint32_t seq);

/* What must hold for every finished run. */
void sim_rig_check(const struct sim_rig *rig);

#endif
