/*
 * What the files of the store share. For traces/store*.c only.
 */
#ifndef CUBESIM_TRACES_STORE_PRIVATE_H
#define CUBESIM_TRACES_STORE_PRIVATE_H

#include <sqlite3.h>

#include "traces/catalog.h"
#include "traces/path_spool.h"
#include "traces/slack.h"
#include "traces/spool.h"
#include "traces/store.h"

struct store {
    sqlite3 *db;
    struct arena arena; /* path */
    const char *path;

    /* the run that is being written */
    bool writing;
    int64_t run_id;
    const struct subject *subject;
    const char *version;
    const struct advice *advice; /* NULL: none */
    struct arena texts;          /* of the run */
    const char *product_json;
    struct catalog catalog;
    struct spool spool;
    struct path_spool path_spool;
    struct slack slack;
    char row_problem[512];

    /* distinct instructions that were read last */
    struct known_instruction *known; /* [KNOWN_COUNT], or NULL */
    sqlite3_stmt *find_known;
};

/* A distinct instruction by the last bits of its number. */
enum { KNOWN_COUNT = 4096 };

struct known_instruction {
    int64_t run_id; /* 0: none */
    uint32_t number;
    uint64_t bytes, macs;
    char *texts; /* opcode, then operands, each with its end */
    size_t opcode_size, size, capacity;
};

/* *known is NULL when the run has no such instruction. It lives until the next call. */
enum status store_find_known(struct store *store, int64_t run_id, uint32_t number,
                             struct diag *diag, const struct known_instruction **known) MUST_CHECK;
void store_forget_known(struct store *store);

/* Adds the problem "cannot <doing> 'path': <what SQLite says>" and returns its status. */
enum status store_fail(struct store *store, const char *doing, struct diag *diag);

/* Runs statements that give no rows. doing is for the message. */
enum status store_run_sql(struct store *store, const char *sql, const char *doing,
                          struct diag *diag) MUST_CHECK;

enum status store_prepare(struct store *store, const char *sql, const char *doing,
                          struct diag *diag, sqlite3_stmt **statement) MUST_CHECK;

/* Starts a transaction that may write, waiting for other writers. */
enum status store_lock(struct store *store, const char *doing, struct diag *diag) MUST_CHECK;
enum status store_commit(struct store *store, const char *doing, struct diag *diag) MUST_CHECK;
void store_rollback(struct store *store);

/* What is being done while a run is written, for store_fail. */
extern const char store_saving[];

/* A statement that writes rows; columns are bound from left to right. */
struct insert {
    sqlite3_stmt *statement;
    int column;
};

enum status insert_open(struct store *store, const char *sql, struct diag *diag,
                        struct insert *insert) MUST_CHECK;
void insert_close(struct insert *insert);
void insert_number(struct insert *insert, uint64_t number);
void insert_number_or_null(struct insert *insert, uint64_t number, bool is_null);
void insert_real(struct insert *insert, double real);
void insert_real_or_null(struct insert *insert, double real, bool is_null);
/* text must live until the row is written. */
void insert_text(struct insert *insert, const char *text);
/* Writes what was bound; the next row is bound from the left again. */
enum status insert_row(struct store *store, struct insert *insert, struct diag *diag) MUST_CHECK;

/* Columns of a row that was read. Texts live until the statement moves on; NULL is "" and 0. */
const char *column_text(sqlite3_stmt *statement, int column);
uint64_t column_number(sqlite3_stmt *statement, int column);
uint32_t column_index(sqlite3_stmt *statement, int column);
/* ROW_NO_BLOCKER for NULL. */
uint32_t column_index_or_none(sqlite3_stmt *statement, int column);

/* The columns of a stored_row. A working row waits before its start, a row of a flag or barrier up
 * to its end. */
#define ROW_COLUMNS_WITH(opcode, operands, bytes, macs)                                            \
    "SELECT t.pipe, t.seq, " opcode ", t.start_cycle,"                                             \
    "  t.start_cycle + t.length_cycles AS end_cycle,"                                              \
    "  t.start_cycle + t.length_cycles + t.latency_cycles, t.busy_cycles, t.link_cycles,"          \
    "  t.wait_cycles, t.cause, t.blocker_core, t.blocker_pipe, t.blocker_seq, " operands ","       \
    "  t.instruction_id, " bytes ", " macs ", t.slack_cycles"                                      \
    " FROM timeline AS t"

#define ROW_COLUMNS                                                                                \
    ROW_COLUMNS_WITH("i.opcode", "i.operands", "i.bytes", "i.macs")                                \
    " JOIN instruction AS i ON i.run_id = t.run_id AND i.instruction_id = t.instruction_id"

/* Without what the instruction knows. */
#define ROW_COLUMNS_BARE ROW_COLUMNS_WITH("NULL", "NULL", "0", "0")

struct stored_row column_row(sqlite3_stmt *statement);

/* Called for each row of a query. */
typedef enum status read_row(void *context, sqlite3_stmt *statement);

/* Runs a query with up to two parameters. */
enum status store_ask(struct store *store, const char *sql, int64_t first, int64_t second,
                      read_row *read, void *context, struct diag *diag) MUST_CHECK;

/* The advice of the run that is being written. */
enum status store_write_suggestions(struct store *store, struct diag *diag) MUST_CHECK;

/* The distinct instructions and the rows of the run that is being written. */
enum status store_write_instructions(struct store *store, struct diag *diag) MUST_CHECK;
enum status store_write_timeline(struct store *store, tick cycles, struct diag *diag) MUST_CHECK;
/* Its critical path, if steps were told; path: that of the result. */
enum status store_write_path(struct store *store, const struct path *path,
                             struct diag *diag) MUST_CHECK;

/* Explains a spool that cannot be read back; returns the status. */
enum status store_unspooled(const struct store *store, enum status status, struct diag *diag);

#endif
