/*
 * A small run made by hand, for tests of the store and of what is shown from it.
 *
 * Two cores, 100 cycles. Core 1 decides: a copy, a load, an Mmad and a store hand over to each
 * other by flags; core 0 does one copy. Every total of the result follows from the rows.
 */
#ifndef CUBESIM_TESTS_SUPPORT_STORE_FIXTURE_H
#define CUBESIM_TESTS_SUPPORT_STORE_FIXTURE_H

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/program.h"
#include "model/plan.h"
#include "model/run.h"
#include "traces/store.h"

enum { FIXTURE_ROWS = 11, FIXTURE_CORES = 2, FIXTURE_CYCLES = 100, FIXTURE_STEPS = 11 };

struct fixture {
    struct arena arena;
    struct diag diag;
    struct product product;
    struct plan plan;
    struct program program;
    struct subject subject;
    struct insn insn[FIXTURE_ROWS];
    struct row row[FIXTURE_ROWS]; /* in the order of completion */
    struct pipe_stats pipe[FIXTURE_CORES * PIPE_COUNT];
    tick core_cycles[FIXTURE_CORES];
    struct hazard_record hazard;
    struct run_result result;
    char folder[64]; /* an empty folder of its own */
    char path[96];   /* of a database in it that does not exist yet */
};

void fixture_init(struct fixture *fixture);
/* Removes the folder and the databases in it. */
void fixture_deinit(struct fixture *fixture);

/* Opens the database of the fixture, making it. */
struct store *fixture_open(struct fixture *fixture);

/* Sends the rows to a store. */
enum status fixture_emit(const struct fixture *fixture, struct store *store);

/* Sends the steps of the paths to a store. */
enum status fixture_emit_steps(const struct fixture *fixture, struct store *store);

/* Saves the run and returns its id. */
int64_t fixture_save(struct fixture *fixture, struct store *store);

enum status fixture_begin(struct fixture *fixture, struct store *store);

/* Sends count rows of core 0, MTE2 and CUBE in turn: seq is the index, row i is busy in
 * [4 i, 4 i + 3). Copies read from a new place every seventh row. Behind the
 * steps of fixture_emit_steps one that leads nowhere comes with each row, whose slack is the whole
 * run. */
enum status fixture_emit_many(struct store *store, uint32_t count);

/* fixture_begin and fixture_emit_many. */
enum status fixture_flood(struct fixture *fixture, struct store *store, uint32_t count);

/* Fills the database of the fixture, and closes it: run 1 is the run, run 2 has 1,000 rows of core
 * 0 in 4,000 cycles, run 3 none. */
void fixture_make_three(struct fixture *fixture);

/* The answer of the database to a query; lives as long as the fixture. */
const char *fixture_query(struct fixture *fixture, struct store *store, const char *sql);

#endif
