#include <assert.h>
#include <string.h>

#include "traces/store_private.h"

struct step_visitor {
    stored_step_sink *sink;
    void *context;
};

static enum step_kind step_kind_find(const char *word)
{
    enum step_kind kind = STEP_BUSY;
    while (kind < STEP_WAIT && strcmp(step_kind_word(kind), word) != 0)
        kind++;
    return kind;
}

static enum status visit_step(void *context, sqlite3_stmt *statement)
{
    struct step_visitor *visitor = context;
    uint32_t pipe = column_index(statement, 2), cause = column_index(statement, 6);
    if (pipe >= PIPE_COUNT)
        return STATUS_OK;
    const struct stored_step step = {
        .step = column_number(statement, 0),
        .core = column_index(statement, 1),
        .pipe = pipe,
        .seq = column_index_or_none(statement, 3),
        .opcode = column_text(statement, 4),
        .kind = step_kind_find(column_text(statement, 5)),
        .cause = cause < CAUSE_COUNT ? (enum cause)cause : CAUSE_NONE,
        .start = column_number(statement, 7),
        .cycles = column_number(statement, 8),
    };
    return visitor->sink(visitor->context, &step);
}

enum status store_visit_path(struct store *store, int64_t run_id, stored_step_sink *sink,
                             void *context, struct diag *diag)
{
    struct step_visitor visitor = {sink, context};
    return store_ask(store,
                     "SELECT step, core, pipe, seq, opcode, kind, cause, start_cycle, cycles\n"
                     "FROM path_step WHERE run_id = ?1 ORDER BY step",
                     run_id, 0, visit_step, &visitor, diag);
}

/* ---- writing ---- */

struct path_writer {
    struct store *store;
    struct diag *diag;
    struct insert insert;
    struct path sum; /* of what was written */
};

static enum status write_step(void *context, const struct stored_step *step)
{
    struct path_writer *writer = context;
    struct insert *insert = &writer->insert;
    bool none = step->seq == ROW_NO_BLOCKER;
    assert(step->start == path_cycles(&writer->sum));
    if (step->kind == STEP_WAIT)
        writer->sum.cause[step->cause] += step->cycles;
    else
        writer->sum.part[step->pipe][step->kind] += step->cycles;
    insert_number(insert, (uint64_t)writer->store->run_id);
    insert_number(insert, step->step);
    insert_number(insert, step->core);
    insert_number(insert, step->pipe);
    insert_number_or_null(insert, step->seq, none);
    insert_text(insert, none ? NULL : step->opcode);
    insert_text(insert, step_kind_word(step->kind));
    insert_number_or_null(insert, step->cause, step->kind != STEP_WAIT);
    insert_number(insert, step->start);
    insert_number(insert, step->cycles);
    return insert_row(writer->store, insert, writer->diag);
}

enum status store_write_path(struct store *store, const struct path *path, struct diag *diag)
{
    struct path_writer writer = {.store = store, .diag = diag};
    if (store->path_spool.steps.count == 0)
        return STATUS_OK;
    assert(path->step <= store->path_spool.steps.count);
    enum status status =
        insert_open(store,
                    "INSERT INTO path_step (run_id, step, core, pipe, seq, opcode, kind, cause,\n"
                    "  start_cycle, cycles) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    diag, &writer.insert);
    if (status == STATUS_OK)
        status = path_spool_walk(&store->path_spool, path->step, write_step, &writer);
    /* What stands step by step is what stands in sums. */
    if (status == STATUS_OK)
        assert(memcmp(writer.sum.part, path->part, sizeof path->part) == 0 &&
               memcmp(writer.sum.cause, path->cause, sizeof path->cause) == 0);
    status = store_unspooled(store, status, diag);
    insert_close(&writer.insert);
    return status;
}
