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
