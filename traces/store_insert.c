#include <assert.h>

#include "traces/store_private.h"

const char store_saving[] = "save the run in";

void insert_number(struct insert *insert, uint64_t number)
{
    assert(number <= INT64_MAX);
    sqlite3_bind_int64(insert->statement, ++insert->column, (sqlite3_int64)number);
}

void insert_number_or_null(struct insert *insert, uint64_t number, bool is_null)
{
    if (is_null)
        sqlite3_bind_null(insert->statement, ++insert->column);
    else
        insert_number(insert, number);
}

void insert_real(struct insert *insert, double real)
{
    sqlite3_bind_double(insert->statement, ++insert->column, real);
}

void insert_real_or_null(struct insert *insert, double real, bool is_null)
{
    if (is_null)
        sqlite3_bind_null(insert->statement, ++insert->column);
    else
        insert_real(insert, real);
}

void insert_text(struct insert *insert, const char *text)
{
    sqlite3_bind_text(insert->statement, ++insert->column, text, -1, SQLITE_STATIC);
}

enum status insert_open(struct store *store, const char *sql, struct diag *diag,
                        struct insert *insert)
{
    insert->column = 0;
    insert->statement = NULL;
    return store_prepare(store, sql, store_saving, diag, &insert->statement);
}

enum status insert_row(struct store *store, struct insert *insert, struct diag *diag)
{
    assert(insert->column == sqlite3_bind_parameter_count(insert->statement));
    insert->column = 0;
    enum status status = STATUS_OK;
    if (sqlite3_step(insert->statement) != SQLITE_DONE)
        status = store_fail(store, store_saving, diag);
    sqlite3_reset(insert->statement);
    return status;
}

void insert_close(struct insert *insert)
{
    sqlite3_finalize(insert->statement);
}
