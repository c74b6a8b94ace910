#include <assert.h>

#include "traces/store_private.h"

static const char reading[] = "read";

static enum status cursor_open(struct row_cursor *cursor, struct store *store, const char *sql,
                               const int64_t *parameters, size_t count, struct diag *diag)
{
    *cursor = (struct row_cursor){.store = store};
    enum status status = store_prepare(store, sql, reading, diag, &cursor->statement);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        sqlite3_bind_int64(cursor->statement, (int)i + 1, parameters[i]);
    return status;
}

enum status row_cursor_open(struct row_cursor *cursor, struct store *store, int64_t run_id,
                            uint32_t core, uint32_t pipe, tick from, tick to, struct diag *diag)
{
    assert(from <= INT64_MAX && to <= INT64_MAX);
    const int64_t parameters[] = {run_id, core, pipe, (int64_t)from, (int64_t)to};
    return cursor_open(cursor, store,
                       ROW_COLUMNS
                       " WHERE t.run_id = ?1 AND t.core = ?2 AND t.pipe = ?3 AND end_cycle >= ?4"
                       " AND MIN(t.start_cycle, CASE WHEN t.busy_cycles > 0 THEN t.start_cycle"
                       "   ELSE end_cycle END - t.wait_cycles) < ?5"
                       " ORDER BY t.seq",
                       parameters, sizeof parameters / sizeof *parameters, diag);
}

enum status row_cursor_open_work(struct row_cursor *cursor, struct store *store, int64_t run_id,
                                 uint32_t core, uint32_t pipe, struct diag *diag)
{
    const int64_t parameters[] = {run_id, core, pipe};
    return cursor_open(cursor, store,
                       ROW_COLUMNS " WHERE t.run_id = ?1 AND t.core = ?2 AND t.pipe = ?3"
                                   " AND t.busy_cycles > 0 ORDER BY t.seq",
                       parameters, sizeof parameters / sizeof *parameters, diag);
}

enum status row_cursor_next(struct row_cursor *cursor, struct stored_row *row, bool *found,
                            struct diag *diag)
{
    *found = false;
    if (cursor->statement == NULL)
        return STATUS_OK;
    int code = sqlite3_step(cursor->statement);
    if (code == SQLITE_ROW) {
        *row = column_row(cursor->statement);
        *found = true;
        return STATUS_OK;
    }
    enum status status = code == SQLITE_DONE ? STATUS_OK : store_fail(cursor->store, reading, diag);
    row_cursor_close(cursor);
    return status;
}

void row_cursor_close(struct row_cursor *cursor)
{
    sqlite3_finalize(cursor->statement);
    *cursor = (struct row_cursor){.store = NULL};
}
