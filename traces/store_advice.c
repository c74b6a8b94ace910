#include <string.h>

#include "traces/store_private.h"

enum status store_write_suggestions(struct store *store, struct diag *diag)
{
    const struct suggestion *ranked[ADVICE_KEPT + 1];
    struct insert insert;
    if (store->advice == NULL)
        return STATUS_OK;
    uint32_t count = advice_ranked(store->advice, ranked);
    enum status status = insert_open(store,
                                     "INSERT INTO suggestion (run_id, rank, change, rule,\n"
                                     "  looked_at, cycles) VALUES (?, ?, ?, ?, ?, ?)",
                                     diag, &insert);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        insert_number(&insert, (uint64_t)store->run_id);
        insert_number(&insert, i + 1);
        insert_text(&insert, ranked[i]->text);
        insert_text(&insert, ranked[i]->rule);
        insert_text(&insert, ranked[i]->looked_at);
        insert_number(&insert, ranked[i]->cycles);
        status = insert_row(store, &insert, diag);
    }
    insert_close(&insert);
    return status;
}

void store_advise(struct store *store, const struct advice *advice)
{
    store->advice = advice;
}

struct suggestion_reader {
    struct arena *arena;
    struct stored_suggestion *list;
    size_t count;
};

static const char *text_kept(struct suggestion_reader *reader, sqlite3_stmt *statement, int column)
{
    const char *text = column_text(statement, column);
    return arena_text(reader->arena, text, strlen(text));
}

static enum status read_suggestion(void *context, sqlite3_stmt *statement)
{
    struct suggestion_reader *reader = context;
    struct stored_suggestion *one = &reader->list[reader->count++];
    one->change = text_kept(reader, statement, 0);
    one->looked_at = text_kept(reader, statement, 1);
    one->cycles = column_number(statement, 2);
    return one->change != NULL && one->looked_at != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status store_read_suggestions(struct store *store, int64_t run_id, struct arena *arena,
                                   struct diag *diag, struct stored_suggestion **suggestions,
                                   size_t *count)
{
    struct suggestion_reader reader = {
        .arena = arena, .list = arena_take(arena, ADVICE_KEPT + 1, sizeof *reader.list)};
    if (reader.list == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    enum status status = store_ask(store,
                                   "SELECT change, looked_at, cycles FROM suggestion\n"
                                   "WHERE run_id = ?1 ORDER BY rank LIMIT ?2",
                                   run_id, ADVICE_KEPT + 1, read_suggestion, &reader, diag);
    *suggestions = reader.list;
    *count = reader.count;
    return status;
}
