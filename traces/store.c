#include "traces/store.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "traces/schema.h"
#include "traces/store_private.h"

/* How long to wait for another writer. A finished run of millions of rows is copied in seconds, and
 * several processes may queue for the lock. */
enum { BUSY_TIMEOUT_MS = 60000, BUSY_STEP_MS = 20, CACHE_KIB = 65536 };

enum status store_fail(struct store *store, const char *doing, struct diag *diag)
{
    int code = sqlite3_errcode(store->db) & 0xff;
    enum status status = code == SQLITE_NOMEM ? STATUS_NO_MEMORY : STATUS_DATABASE;
    const char *hint = "";
    if (code == SQLITE_NOTADB)
        hint = "; expected a database of cubesim";
    else if (code == SQLITE_BUSY)
        hint = ": another process has been writing to it for too long";
    return diag_add(diag, status, place_none(), "cannot %s '%s': %s%s", doing, store->path,
                    sqlite3_errmsg(store->db), hint);
}

enum status store_run_sql(struct store *store, const char *sql, const char *doing,
                          struct diag *diag)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_fail(store, doing, diag);
    return STATUS_OK;
}

enum status store_prepare(struct store *store, const char *sql, const char *doing,
                          struct diag *diag, sqlite3_stmt **statement)
{
    if (sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) != SQLITE_OK)
        return store_fail(store, doing, diag);
    return STATUS_OK;
}

/* IMMEDIATE, because a transaction that reads first and writes later fails at once, timeout or
 * not, when another process has written in between. */
enum status store_lock(struct store *store, const char *doing, struct diag *diag)
{
    return store_run_sql(store, "BEGIN IMMEDIATE", doing, diag);
}

enum status store_commit(struct store *store, const char *doing, struct diag *diag)
{
    enum status status = store_run_sql(store, "COMMIT", doing, diag);
    if (status != STATUS_OK)
        store_rollback(store);
    return status;
}

void store_rollback(struct store *store)
{
    /* Some failures, such as a full disk, have already rolled back; then this is an error that
     * means nothing. */
    if (store->db != NULL && sqlite3_get_autocommit(store->db) == 0)
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

/* What a database says about itself. */
struct identity {
    int64_t version, application_id, tables;
};

/* All in one statement, so that it is the state of one moment: another process may be making the
 * tables. */
static enum status store_identify(struct store *store, struct diag *diag, struct identity *identity)
{
    sqlite3_stmt *statement = NULL;
    enum status status =
        store_prepare(store,
                      "SELECT (SELECT user_version FROM pragma_user_version),\n"
                      "  (SELECT application_id FROM pragma_application_id), COUNT(*)\n"
                      "FROM sqlite_schema",
                      "open", diag, &statement);
    if (status != STATUS_OK)
        return status;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *identity = (struct identity){
            .version = sqlite3_column_int64(statement, 0),
            .application_id = sqlite3_column_int64(statement, 1),
            .tables = sqlite3_column_int64(statement, 2),
        };
    else
        status = store_fail(store, "open", diag);
    sqlite3_finalize(statement);
    return status;
}

/* Version of the database; 0 when it is empty. Refuses what is not ours. */
static enum status store_version(struct store *store, struct diag *diag, int64_t *version)
{
    struct identity found = {0};
    enum status status = store_identify(store, diag, &found);
    if (status != STATUS_OK)
        return status;
    bool empty = found.application_id == 0 && found.version == 0 && found.tables == 0;
    if (!empty && found.application_id != SCHEMA_APPLICATION_ID)
        return diag_add(diag, STATUS_DATABASE, place_none(),
                        "cannot open '%s': found a database of another program; expected one made "
                        "by cubesim",
                        store->path);
    if (found.version < 0 || found.version > SCHEMA_VERSION)
        return diag_add(diag, STATUS_DATABASE, place_none(),
                        "cannot open '%s': found schema version %lld, made by a newer cubesim; "
                        "expected at most %d",
                        store->path, (long long)found.version, SCHEMA_VERSION);
    *version = found.version;
    return STATUS_OK;
}

static enum status store_apply(struct store *store, int64_t version, struct diag *diag)
{
    static const char doing[] = "make tables in";
    enum status status = STATUS_OK;
    while (version < SCHEMA_VERSION && status == STATUS_OK) {
        const char *const *statement = schema_step((uint32_t)++version);
        for (; *statement != NULL && status == STATUS_OK; statement++)
            status = store_run_sql(store, *statement, doing, diag);
    }
    if (status != STATUS_OK)
        return status;
    char pragma[96];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
    return store_run_sql(store, pragma, doing, diag);
}

/* Applies the steps that are missing, all in one transaction; another process may have done so
 * while this one waited. */
static enum status store_migrate(struct store *store, struct diag *diag)
{
    int64_t version = 0;
    enum status status = store_version(store, diag, &version);
    if (status != STATUS_OK || version == SCHEMA_VERSION)
        return status;
    status = store_lock(store, "make tables in", diag);
    if (status != STATUS_OK)
        return status;
    status = store_version(store, diag, &version);
    if (status == STATUS_OK)
        status = store_apply(store, version, diag);
    if (status == STATUS_OK)
        return store_commit(store, "make tables in", diag);
    store_rollback(store);
    return status;
}

/* Readers and a writer do not wait for each other in WAL mode. The switch to it does not honour the
 * busy timeout, so it is repeated here. */
static enum status store_use_wal(struct store *store, struct diag *diag)
{
    for (int waited_ms = 0;; waited_ms += BUSY_STEP_MS) {
        int code = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return STATUS_OK;
        if ((code & 0xff) != SQLITE_BUSY || waited_ms >= BUSY_TIMEOUT_MS)
            return store_fail(store, "open", diag);
        sqlite3_sleep(BUSY_STEP_MS);
    }
}

static enum status store_connect(struct store *store, const char *name, int flags,
                                 struct diag *diag)
{
    if (sqlite3_open_v2(name, &store->db, flags, NULL) != SQLITE_OK)
        return store_fail(store, "open", diag);
    sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    return STATUS_OK;
}

/* A database that lies where nothing can be written, and that nobody writes to: WAL mode would
 * need a file beside it, unless SQLite is told that the file cannot change. */
static enum status store_connect_immutable(struct store *store, struct diag *diag)
{
    sqlite3_close(store->db);
    store->db = NULL;
    /* Every byte that means something in a URI is written as %XX. */
    const char head[] = "file:", tail[] = "?immutable=1", digit[] = "0123456789ABCDEF";
    char *name = arena_take(&store->arena, sizeof head + 3 * strlen(store->path) + sizeof tail, 1);
    if (name == NULL)
        return STATUS_NO_MEMORY;
    memcpy(name, head, sizeof head);
    char *to = name + strlen(head);
    for (const char *from = store->path; *from != '\0'; from++) {
        if (strchr("?#%", *from) == NULL) {
            *to++ = *from;
        } else {
            *to++ = '%';
            *to++ = digit[(unsigned char)*from / 16];
            *to++ = digit[(unsigned char)*from % 16];
        }
    }
    memcpy(to, tail, sizeof tail);
    return store_connect(store, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, diag);
}

/* False when WAL mode needs files beside the database that cannot be made. */
static bool store_is_readable(struct store *store)
{
    int code = sqlite3_exec(store->db, "SELECT COUNT(*) FROM sqlite_schema", NULL, NULL, NULL);
    return code != SQLITE_CANTOPEN && code != SQLITE_READONLY;
}

static enum status store_prepare_connection(struct store *store, bool create, struct diag *diag)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    enum status status = store_connect(store, store->path, flags, diag);
    if (status == STATUS_OK && !create && sqlite3_db_readonly(store->db, "main") == 1 &&
        !store_is_readable(store))
        status = store_connect_immutable(store, diag);
    if (status == STATUS_OK)
        status = store_migrate(store, diag);
    if (status == STATUS_OK && create)
        status = store_use_wal(store, diag);
    if (status != STATUS_OK)
        return status;
    char pragma[96];
    snprintf(pragma, sizeof pragma, "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -%d",
             CACHE_KIB);
    return store_run_sql(store, pragma, "open", diag);
}

enum status store_open(const char *path, bool create, struct diag *diag, struct store **opened)
{
    *opened = NULL;
    size_t capacity = 0;
    struct store *store = array_grow(NULL, &capacity, 1, sizeof *store);
    if (store == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    arena_init(&store->arena, 0);
    arena_init(&store->texts, 0);
    catalog_init(&store->catalog);
    store->path = arena_text(&store->arena, path, strlen(path));
    spool_init(&store->spool, store->path);
    path_spool_init(&store->path_spool, store->path);
    slack_init(&store->slack, store->path);
    enum status status = store->path == NULL
                             ? diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out")
                             : store_prepare_connection(store, create, diag);
    if (status == STATUS_OK)
        *opened = store;
    else
        store_close(store);
    return status;
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    store_abort(store);
    store_forget_known(store);
    sqlite3_close(store->db);
    arena_deinit(&store->arena);
    array_release(store);
}

/* A growing text outside arenas. */
struct rows_text {
    char *text;
    size_t length, capacity;
};

static enum status rows_text_add(struct rows_text *rows, const char *text, size_t length)
{
    char *grown = array_grow(rows->text, &rows->capacity, rows->length + length + 1, 1);
    if (grown == NULL)
        return STATUS_NO_MEMORY;
    rows->text = grown;
    memcpy(grown + rows->length, text, length);
    rows->length += length;
    grown[rows->length] = '\0';
    return STATUS_OK;
}

static enum status rows_text_add_row(struct rows_text *rows, sqlite3_stmt *statement)
{
    enum status status = STATUS_OK;
    int columns = sqlite3_column_count(statement);
    for (int i = 0; i < columns && status == STATUS_OK; i++) {
        const unsigned char *value = sqlite3_column_text(statement, i);
        const char *text = value == NULL ? "" : (const char *)value;
        status = rows_text_add(rows, text, strlen(text));
        if (status == STATUS_OK)
            status = rows_text_add(rows, i + 1 < columns ? "|" : "\n", 1);
    }
    return status;
}

enum status store_query(struct store *store, const char *sql, struct arena *arena,
                        struct diag *diag, const char **text)
{
    struct rows_text rows = {0};
    enum status status = rows_text_add(&rows, "", 0);
    while (*sql != '\0' && status == STATUS_OK) {
        sqlite3_stmt *statement = NULL;
        if (sqlite3_prepare_v2(store->db, sql, -1, &statement, &sql) != SQLITE_OK) {
            status = store_fail(store, "query", diag);
            break;
        }
        int code = SQLITE_DONE;
        while (statement != NULL && status == STATUS_OK &&
               (code = sqlite3_step(statement)) == SQLITE_ROW)
            status = rows_text_add_row(&rows, statement);
        if (status == STATUS_OK && code != SQLITE_DONE)
            status = store_fail(store, "query", diag);
        sqlite3_finalize(statement);
    }
    if (status == STATUS_OK) {
        *text = arena_text(arena, rows.text, rows.length);
        status = *text == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    }
    array_release(rows.text);
    return status;
}
