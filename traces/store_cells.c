#include <assert.h>

#include "traces/store_private.h"

enum status store_hold(struct store *store, struct diag *diag)
{
    return store_run_sql(store, "BEGIN", "read", diag);
}

void store_release(struct store *store)
{
    store_rollback(store);
}

static enum status visit_names(sqlite3_stmt *statement, stored_cells_sink *sink, void *context)
{
    const char *names[STORE_COLUMNS_MAX];
    int count = sqlite3_column_count(statement);
    assert(count <= STORE_COLUMNS_MAX);
    for (int i = 0; i < count; i++)
        names[i] = sqlite3_column_name(statement, i);
    const struct stored_cells cells = {.is_head = true, .cell = names, .count = (size_t)count};
    return sink(context, &cells);
}

static enum status visit_cells(sqlite3_stmt *statement, stored_cells_sink *sink, void *context)
{
    const char *texts[STORE_COLUMNS_MAX];
    int count = sqlite3_column_count(statement);
    for (int i = 0; i < count; i++)
        texts[i] = (const char *)sqlite3_column_text(statement, i);
    const struct stored_cells cells = {.cell = texts, .count = (size_t)count};
    return sink(context, &cells);
}

enum status store_visit_cells(struct store *store, const char *sql, const int64_t *parameters,
                              size_t parameter_count, stored_cells_sink *sink, void *context,
                              struct diag *diag)
{
    static const char reading[] = "read";
    sqlite3_stmt *statement = NULL;
    enum status status = store_prepare(store, sql, reading, diag, &statement);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < parameter_count; i++)
        sqlite3_bind_int64(statement, (int)i + 1, parameters[i]);
    status = visit_names(statement, sink, context);
    int code = SQLITE_DONE;
    while (status == STATUS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = visit_cells(statement, sink, context);
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = store_fail(store, reading, diag);
    sqlite3_finalize(statement);
    return status;
}
