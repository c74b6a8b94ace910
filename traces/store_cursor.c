#include <assert.h>
#include <string.h>

#include "traces/store_private.h"

static const char reading[] = "read";

static enum status cursor_open(struct row_cursor *cursor, struct store *store, const char *sql,
                               const int64_t *parameters, size_t count, struct diag *diag)
{
    *cursor = (struct row_cursor){.store = store, .run_id = parameters[0]};
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
                       ROW_COLUMNS_BARE
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
                       ROW_COLUMNS_BARE " WHERE t.run_id = ?1 AND t.core = ?2 AND t.pipe = ?3"
                                        " AND t.busy_cycles > 0 ORDER BY t.seq",
                       parameters, sizeof parameters / sizeof *parameters, diag);
}

/* Other cursors may drive the instruction out of what is known: the row gets its own copy. */
static enum status cursor_name_row(struct row_cursor *cursor, struct stored_row *row,
                                   const struct known_instruction *known, struct diag *diag)
{
    char *texts = array_grow(cursor->texts, &cursor->capacity, known->size, 1);
    if (texts == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    memcpy(texts, known->texts, known->size);
    cursor->texts = texts;
    row->opcode = texts;
    row->operands = texts + known->opcode_size;
    row->bytes = known->bytes;
    row->macs = known->macs;
    return STATUS_OK;
}

enum status row_cursor_next(struct row_cursor *cursor, struct stored_row *row, bool *found,
                            struct diag *diag)
{
    int code = SQLITE_DONE;
    enum status status = STATUS_OK;
    *found = false;
    if (cursor->statement == NULL)
        return STATUS_OK;
    while (status == STATUS_OK && (code = sqlite3_step(cursor->statement)) == SQLITE_ROW) {
        const struct known_instruction *known = NULL;
        struct stored_row read = column_row(cursor->statement);
        status = store_find_known(cursor->store, cursor->run_id, read.instruction, diag, &known);
        if (status != STATUS_OK || known == NULL)
            continue;
        *row = read;
        *found = true;
        return cursor_name_row(cursor, row, known, diag);
    }
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = store_fail(cursor->store, reading, diag);
    row_cursor_close(cursor);
    return status;
}

void row_cursor_close(struct row_cursor *cursor)
{
    sqlite3_finalize(cursor->statement);
    array_release(cursor->texts);
    *cursor = (struct row_cursor){.store = NULL};
}
