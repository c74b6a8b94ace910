/*
 * The database of runs: SQLite, STRICT tables behind the views of docs/sql.md.
 *
 * A run is written in one transaction: store_begin, rows, store_finish; anything that goes wrong
 * in between leaves no trace of it. Rows wait in a spool until store_finish, so the database is
 * locked only while a finished run is copied into it, and any number of processes can simulate for
 * one database at once. sqlite3 is hidden here.
 *
 *     status = store_open(path, true, &diag, &store);
 *     status = subject_plan(&plan, &program, &arena, &subject);
 *     status = store_begin(store, &subject, version, &diag, &run_id);
 *     options.sink = store_row; options.steps = store_step; options.precedences = store_precedence;
 *     options.sink_context = store;
 *     status = run_plan(...);
 *     status = store_finish(store, &result, &diag);      or store_abort(store)
 *     store_close(store);
 */
#ifndef CUBESIM_TRACES_STORE_H
#define CUBESIM_TRACES_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "engine/path_step.h"
#include "model/advice.h"
#include "model/run.h"
#include "traces/subject.h"

struct store;

/* Opens a database, makes it when it does not exist (create) and migrates an older one; a newer
 * user_version, a file that is no database and a database of another program are refused
 * (DATABASE). Without create a database that may only be read is opened for reading. */
enum status store_open(const char *path, bool create, struct diag *diag,
                       struct store **store) MUST_CHECK;
/* Takes back a run that was begun and not finished. NULL is fine. */
void store_close(struct store *store);

/* Reserves the id of a run and returns it; fails at once when the database cannot be written.
 * subject and version are borrowed until store_finish or store_abort. An id that was reserved for a
 * run that is taken back is not given again. */
enum status store_begin(struct store *store, const struct subject *subject, const char *version,
                        struct diag *diag, int64_t *run_id) MUST_CHECK;
/* A timeline_sink whose context is the store. After anything but OK, store_problem says why. */
enum status store_row(void *store, const struct timeline_row *row);
/* A timeline_step_sink whose context is the store; the same. Without it the run is saved without
 * its critical path, but for its totals. */
enum status store_step(void *store, const struct timeline_step *step);
/* A timeline_precedence_sink whose context is the store; the same. Without it the slack of rows is
 * not known. */
enum status store_precedence(void *store, const struct precedence *precedence);
/* What the last of these that failed met; "" when none did. */
const char *store_problem(const struct store *store);
/* What store_finish writes of suggestions; borrowed until then. */
void store_advise(struct store *store, const struct advice *advice);
/* Writes the run and commits. Whatever the result, the run has ended. */
enum status store_finish(struct store *store, const struct run_result *result,
                         struct diag *diag) MUST_CHECK;
/* Takes the run back. */
void store_abort(struct store *store);

/* Hash of all that determines a result: resolved plan or program with its data, resolved product,
 * model version, and the seed of a plan's generated data (0 in the database, since data does not
 * move a timeline). 32 hex digits and a zero into key. */
void store_run_key(const char *plan_json, const char *product_json, const char *version,
                   uint64_t seed, char key[33]);

/* Runs SQL and returns the rows of all its statements as text in the arena: columns separated by
 * '|', each row closed by a newline, NULL empty. For questions that have no function here. */
enum status store_query(struct store *store, const char *sql, struct arena *arena,
                        struct diag *diag, const char **text) MUST_CHECK;

/* ---- reading, for show, diff and export ---- */

/* Everything that is read up to store_release is of this moment, whatever other processes write
 * meanwhile. */
enum status store_hold(struct store *store, struct diag *diag) MUST_CHECK;
void store_release(struct store *store);

/* One row of an answer as texts, NULL for NULL. Lives only during the call. */
struct stored_cells {
    bool is_head; /* the names of the columns: the first call of a visit */
    const char *const *cell;
    size_t count;
};

typedef enum status stored_cells_sink(void *context, const struct stored_cells *cells);

enum { STORE_COLUMNS_MAX = 64 };

/* Visits the answer to one SQL statement with whole numbers as its parameters ?1, ?2 and so on.
 * Anything but OK from the sink ends the visit and is its result. */
enum status store_visit_cells(struct store *store, const char *sql, const int64_t *parameters,
                              size_t parameter_count, stored_cells_sink *sink, void *context,
                              struct diag *diag) MUST_CHECK;

enum stored_timeline { STORED_NONE, STORED_CORE0, STORED_ALL };

struct stored_run {
    int64_t run_id;
    const char *product, *soc, *problem, *tiling, *bound;
    double clock_mhz;
    uint64_t cores, cycles, instructions;
    enum stored_timeline timeline; /* the cores whose rows are there */
    bool has_timeline;             /* any rows are there */
    uint32_t deciding_core;
    uint64_t hazards; /* as the run counted them; its records may be fewer */
    bool deadlocked;  /* it stands for ever at the end of its cycles */
    struct path path; /* of the critical path; sums to cycles */
};

/* run_id 0: the latest. BAD_INPUT with a message when there is none. */
enum status store_find_run(struct store *store, int64_t run_id, struct arena *arena,
                           struct diag *diag, struct stored_run *run) MUST_CHECK;

/* What a run was of, in full; texts in the arena. */
struct stored_definition {
    const char *version;                  /* of the model */
    const char *plan_json, *product_json; /* resolved */
};

enum status store_read_definition(struct store *store, int64_t run_id, struct arena *arena,
                                  struct diag *diag,
                                  struct stored_definition *definition) MUST_CHECK;

/* What tells runs of a set apart. */
struct listed_run {
    int64_t run_id;
    const char *soc, *problem, *tiling, *bound; /* in the arena */
    char plan_key[33];       /* of the resolved plan alone: equal in all versions of the model */
    char definition_key[33]; /* of plan and product */
    double clock_mhz;
    uint64_t cycles;
    bool deadlocked;
};

/* The runs for which an SQL condition on the columns of v_run holds, by run_id; condition NULL:
 * all. BAD_INPUT, with what SQLite says, when it is no condition. */
enum status store_list_runs(struct store *store, const char *condition, struct arena *arena,
                            struct diag *diag, struct listed_run **runs, size_t *count) MUST_CHECK;

struct stored_row {
    uint32_t pipe, seq;
    const char *opcode;
    tick start, end, done, busy, link, wait;
    enum cause cause;
    uint32_t blocker_core, blocker_pipe, blocker_seq; /* ROW_NO_BLOCKER */
    const char *operands;
    uint64_t bytes, macs;
    uint32_t instruction; /* which of the distinct instructions of the run */
    tick slack; /* how much later it could end without moving the end; UINT64_MAX: not known */
};

/* Called for each row; its texts live only during the call. Anything but OK ends the visit and is
 * its result. */
typedef enum status stored_row_sink(void *context, const struct stored_row *row);

/* Visits all rows of a core whose waiting or occupancy touches [from, to), ordered by pipe and
 * seq. */
enum status store_visit_rows(struct store *store, int64_t run_id, uint32_t core, tick from, tick to,
                             stored_row_sink *sink, void *context, struct diag *diag) MUST_CHECK;

/* Visits the waits of pipes that stand for ever: no row belongs to them. Such a row has no
 * instruction (seq is ROW_NO_BLOCKER, its texts are ""), and ends with the run; of a flag it knows
 * the pipe that did not set it. */
enum status store_visit_standing(struct store *store, int64_t run_id, uint32_t core,
                                 stored_row_sink *sink, void *context,
                                 struct diag *diag) MUST_CHECK;

/* The rows of store_visit_rows as an array, texts in the arena. */
enum status store_read_rows(struct store *store, int64_t run_id, uint32_t core, tick from, tick to,
                            struct arena *arena, struct diag *diag, struct stored_row **rows,
                            size_t *count) MUST_CHECK;

/* The rows of one pipe of a core, one after the other, for writers that follow many pipes at once.
 * The caller's storage; a cursor that was not opened, or closed, is all zeros. */
struct sqlite3_stmt;
struct row_cursor {
    struct store *store;
    struct sqlite3_stmt *statement;
    int64_t run_id;
    char *texts; /* of the row */
    size_t capacity;
};

/* Rows whose waiting or occupancy touches [from, to), or that end at from, in the order of seq. */
enum status row_cursor_open(struct row_cursor *cursor, struct store *store, int64_t run_id,
                            uint32_t core, uint32_t pipe, tick from, tick to,
                            struct diag *diag) MUST_CHECK;
/* Working rows from the start of the run. */
enum status row_cursor_open_work(struct row_cursor *cursor, struct store *store, int64_t run_id,
                                 uint32_t core, uint32_t pipe, struct diag *diag) MUST_CHECK;
/* *found is false behind the last row. The texts of the row live until the next call. */
enum status row_cursor_next(struct row_cursor *cursor, struct stored_row *row, bool *found,
                            struct diag *diag) MUST_CHECK;
void row_cursor_close(struct row_cursor *cursor);

/* One row, or *row NULL when it is not there. */
enum status store_read_row(struct store *store, int64_t run_id, uint32_t core, uint32_t pipe,
                           uint32_t seq, struct arena *arena, struct diag *diag,
                           struct stored_row **row) MUST_CHECK;

/* A step of the critical path. */
struct stored_step {
    uint64_t step; /* from 0, at cycle 0; each begins where the one before ends */
    uint32_t core, pipe;
    uint32_t seq;       /* of the instruction; ROW_NO_BLOCKER: none */
    const char *opcode; /* "" when there is none */
    enum step_kind kind;
    enum cause cause;   /* of STEP_WAIT, else CAUSE_NONE */
    tick start, cycles; /* cycles is at least 1 */
};

/* As stored_row_sink. */
typedef enum status stored_step_sink(void *context, const struct stored_step *step);

/* Visits the steps of the critical path in order: they fill the run from cycle 0 to its end. A run
 * that was saved without a timeline has none. */
enum status store_visit_path(struct store *store, int64_t run_id, stored_step_sink *sink,
                             void *context, struct diag *diag) MUST_CHECK;

/* Of a change of the plan that was simulated and found to be faster. */
struct stored_suggestion {
    const char *change, *looked_at;
    tick cycles; /* of the changed plan */
};

/* All of a run, the fastest first, in the arena. */
enum status store_read_suggestions(struct store *store, int64_t run_id, struct arena *arena,
                                   struct diag *diag, struct stored_suggestion **suggestions,
                                   size_t *count) MUST_CHECK;

struct stored_hazard {
    uint32_t core, seq;
    const char *kind, *message;
};

/* The first hazards of a run, at most `most`, in the arena. */
enum status store_read_hazards(struct store *store, int64_t run_id, size_t most,
                               struct arena *arena, struct diag *diag,
                               struct stored_hazard **hazards, size_t *count) MUST_CHECK;

struct stored_pipe {
    uint32_t pipe;
    uint64_t instructions;
    tick busy, waiting, idle, link, active;
    tick wait[CAUSE_COUNT];
    tick wait_for[PIPE_COUNT];
};

/* The pipes of a core, in the order of enum pipe: those that some core of the run uses. */
enum status store_read_pipes(struct store *store, int64_t run_id, uint32_t core,
                             struct arena *arena, struct diag *diag, struct stored_pipe **pipes,
                             size_t *count) MUST_CHECK;

#endif
