#include <string.h>

#include "traces/store_private.h"

static const char reading[] = "read";

static const char *copy_text(sqlite3_stmt *statement, int column, struct arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text == NULL ? arena_text(arena, "", 0) : arena_text(arena, text, strlen(text));
}

static enum status out_of_memory(const struct store *store, struct diag *diag)
{
    return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out while reading '%s'",
                    store->path);
}

enum status store_read_definition(struct store *store, int64_t run_id, struct arena *arena,
                                  struct diag *diag, struct stored_definition *definition)
{
    sqlite3_stmt *statement = NULL;
    enum status status =
        store_prepare(store, "SELECT version, plan_json, product_json FROM run WHERE run_id = ?1",
                      reading, diag, &statement);
    if (status != STATUS_OK)
        return status;
    sqlite3_bind_int64(statement, 1, run_id);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *definition = (struct stored_definition){
            .version = copy_text(statement, 0, arena),
            .plan_json = copy_text(statement, 1, arena),
            .product_json = copy_text(statement, 2, arena),
        };
        if (definition->version == NULL || definition->plan_json == NULL ||
            definition->product_json == NULL)
            status = out_of_memory(store, diag);
    } else {
        status = store_fail(store, reading, diag);
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- lists ---- */

static enum status refuse_condition(struct store *store, const char *condition, const char *found,
                                    struct diag *diag)
{
    char shown[EXCERPT_SIZE_BYTES];
    return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                    "found '%s' for runs of '%s': %s; expected an SQL condition on columns of "
                    "v_run, such as \"version = '0.1.0'\"",
                    excerpt_format(condition, shown, sizeof shown), store->path, found);
}

/* Prepares the list of runs; the condition is a person's, so it is checked to be one and no more.
 */
static enum status list_prepare(struct store *store, const char *condition, struct diag *diag,
                                sqlite3_stmt **statement)
{
    static const char select[] =
        "SELECT run_id, soc, problem, tiling, bound, clock_mhz, cycles, plan_json, product_json,\n"
        "  EXISTS (SELECT 1 FROM v_hazard AS h WHERE h.run_id = v_run.run_id\n"
        "    AND h.kind = 'deadlock') FROM v_run\n"
        "WHERE (%s\n) ORDER BY run_id";
    struct arena arena;
    const char *rest = "";
    arena_init(&arena, 0);
    const char *sql = arena_format(&arena, select, condition != NULL ? condition : "1");
    enum status status = STATUS_OK;
    if (sql == NULL)
        status = out_of_memory(store, diag);
    else if (sqlite3_prepare_v2(store->db, sql, -1, statement, &rest) != SQLITE_OK)
        status = condition == NULL
                     ? store_fail(store, reading, diag)
                     : refuse_condition(store, condition, sqlite3_errmsg(store->db), diag);
    else if (*rest != '\0' || !sqlite3_stmt_readonly(*statement))
        status = refuse_condition(store, condition, "more than a condition", diag);
    if (status != STATUS_OK) {
        sqlite3_finalize(*statement);
        *statement = NULL;
    }
    arena_deinit(&arena);
    return status;
}

static enum status list_read(sqlite3_stmt *statement, struct arena *arena, struct listed_run *run)
{
    const char *plan = (const char *)sqlite3_column_text(statement, 7);
    *run = (struct listed_run){
        .run_id = sqlite3_column_int64(statement, 0),
        .soc = copy_text(statement, 1, arena),
        .problem = copy_text(statement, 2, arena),
        .tiling = copy_text(statement, 3, arena),
        .bound = copy_text(statement, 4, arena),
        .clock_mhz = sqlite3_column_double(statement, 5),
        .cycles = (uint64_t)sqlite3_column_int64(statement, 6),
        .deadlocked = sqlite3_column_int(statement, 9) != 0,
    };
    const char *product = (const char *)sqlite3_column_text(statement, 8);
    if (plan == NULL || product == NULL || run->soc == NULL || run->problem == NULL ||
        run->tiling == NULL || run->bound == NULL)
        return STATUS_NO_MEMORY;
    store_run_key(plan, "", "", 0, run->plan_key);
    store_run_key(plan, product, "", 0, run->definition_key);
    return STATUS_OK;
}

enum status store_list_runs(struct store *store, const char *condition, struct arena *arena,
                            struct diag *diag, struct listed_run **runs, size_t *count)
{
    sqlite3_stmt *statement = NULL;
    struct listed_run *list = NULL;
    size_t capacity = 0, filled = 0;
    int code = SQLITE_DONE;
    enum status status = list_prepare(store, condition, diag, &statement);
    if (status != STATUS_OK)
        return status;
    while (status == STATUS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct listed_run *grown = array_grow(list, &capacity, filled + 1, sizeof *list);
        if (grown != NULL) {
            list = grown;
            status = list_read(statement, arena, &list[filled++]);
        } else {
            status = STATUS_NO_MEMORY;
        }
    }
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = store_fail(store, reading, diag);
    sqlite3_finalize(statement);
    *count = filled;
    *runs = arena_take(arena, filled, sizeof **runs);
    if (*runs != NULL && filled > 0)
        memcpy(*runs, list, filled * sizeof **runs);
    if (status == STATUS_NO_MEMORY || (status == STATUS_OK && *runs == NULL))
        status = out_of_memory(store, diag);
    array_release(list);
    return status;
}
