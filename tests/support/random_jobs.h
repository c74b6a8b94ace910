/*
 * Seeded random streams of jobs for the engine, and a record of what became of them.
 *
 *     random_jobs_make(&jobs, 0, &random, RANDOM_OVERLAPS);
 *     config = random_jobs_config(&jobs, &link);
 *     ... sim_open, sim_run ...
 *     random_jobs_again(&jobs) before the same streams are run once more
 *
 * Every wait has its set before it, and every job at a gate the one that changes it, so no stream
 * stands for ever.
 */
#ifndef CUBESIM_TESTS_SUPPORT_RANDOM_JOBS_H
#define CUBESIM_TESTS_SUPPORT_RANDOM_JOBS_H

#include "engine/sim.h"
#include "tests/support/path_check.h"

enum { PIPES = 5, FLAGS = 16, LOCKS = 2, GATES = 4, JOBS_MAX = 400, CORES_MAX = 4 };
enum { STARTUP = 50, DISPATCH = 3, WAIT = 5, BARRIER = 2, RATE_ONE = 1 << 16 };

enum {
    RANDOM_OVERLAPS = 1, /* leads and windows on pipes 2 and 3, a server on pipe 2 */
    RANDOM_LINKS = 2,    /* bytes on pipe 1 */
    RANDOM_GATES = 4,    /* between pipes 3 and 4 */
};

struct random_jobs {
    struct job job[CORES_MAX][JOBS_MAX];
    uint32_t count[CORES_MAX], next[CORES_MAX];
    struct row row[CORES_MAX][JOBS_MAX];
    uint32_t rows[CORES_MAX];
    struct path_check steps;
};

/* Fills the stream of a core. */
void random_jobs_make(struct random_jobs *jobs, uint32_t core, uint64_t *random, uint32_t kinds);

/* One core, one link. */
struct sim_config random_jobs_config(struct random_jobs *jobs, const struct sim_link *link);

/* Forgets what became of the jobs. */
void random_jobs_again(struct random_jobs *jobs);

#endif
