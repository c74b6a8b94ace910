#include <assert.h>
#include <string.h>

#include "traces/store_private.h"

static const char reading[] = "read";

const char *column_text(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text == NULL ? "" : (const char *)text;
}

uint64_t column_number(sqlite3_stmt *statement, int column)
{
    return (uint64_t)sqlite3_column_int64(statement, column);
}

uint32_t column_index(sqlite3_stmt *statement, int column)
{
    return (uint32_t)sqlite3_column_int64(statement, column);
}

uint32_t column_index_or_none(sqlite3_stmt *statement, int column)
{
    bool none = sqlite3_column_type(statement, column) == SQLITE_NULL;
    return none ? ROW_NO_BLOCKER : column_index(statement, column);
}

/* A copy in the arena; *status becomes NO_MEMORY when there is no room. */
static const char *column_copy(sqlite3_stmt *statement, int column, struct arena *arena,
                               enum status *status)
{
    const char *text = column_text(statement, column);
    const char *copy = arena_text(arena, text, strlen(text));
    if (copy == NULL)
        *status = STATUS_NO_MEMORY;
    return copy;
}

/* Steps through a statement and closes it. */
static enum status store_read_all(struct store *store, sqlite3_stmt *statement, read_row *read,
                                  void *context, struct diag *diag)
{
    enum status status = STATUS_OK;
    int code = SQLITE_DONE;
    while (status == STATUS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = read(context, statement);
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = store_fail(store, reading, diag);
    else if (status == STATUS_NO_MEMORY)
        diag_add(diag, status, place_none(), "memory ran out while reading '%s'", store->path);
    sqlite3_finalize(statement);
    return status;
}

/* ---- runs ---- */

struct run_reader {
    struct arena *arena;
    struct stored_run *run;
    bool found;
};

static enum stored_timeline timeline_find(const char *word)
{
    if (strcmp(word, "all") == 0)
        return STORED_ALL;
    return strcmp(word, "core0") == 0 ? STORED_CORE0 : STORED_NONE;
}

static enum status read_run(void *context, sqlite3_stmt *statement)
{
    struct run_reader *reader = context;
    enum status status = STATUS_OK;
    reader->found = true;
    *reader->run = (struct stored_run){
        .run_id = sqlite3_column_int64(statement, 0),
        .product = column_copy(statement, 1, reader->arena, &status),
        .soc = column_copy(statement, 2, reader->arena, &status),
        .problem = column_copy(statement, 3, reader->arena, &status),
        .tiling = column_copy(statement, 4, reader->arena, &status),
        .bound = column_copy(statement, 5, reader->arena, &status),
        .clock_mhz = sqlite3_column_double(statement, 6),
        .cores = column_number(statement, 7),
        .cycles = column_number(statement, 8),
        .instructions = column_number(statement, 9),
        .timeline = timeline_find(column_text(statement, 10)),
        .deciding_core = column_index(statement, 11),
        .deadlocked = column_number(statement, 12) != 0,
        .hazards = column_number(statement, 13),
    };
    reader->run->has_timeline = reader->run->timeline != STORED_NONE;
    return status;
}

static enum status read_path(void *context, sqlite3_stmt *statement)
{
    struct path *path = context;
    const char *kind = column_text(statement, 0);
    uint32_t pipe = column_index(statement, 1), cause = column_index(statement, 2);
    tick cycles = column_number(statement, 3);
    if (strcmp(kind, "wait") == 0 && cause < CAUSE_COUNT)
        path->cause[cause] += cycles;
    else if (strcmp(kind, "busy") == 0 && pipe < PIPE_COUNT)
        path->part[pipe][PATH_BUSY] += cycles;
    else if (strcmp(kind, "latency") == 0 && pipe < PIPE_COUNT)
        path->part[pipe][PATH_LATENCY] += cycles;
    else if (strcmp(kind, "link") == 0 && pipe < PIPE_COUNT)
        path->part[pipe][PATH_LINK] += cycles;
    return STATUS_OK;
}

static enum status read_basis(void *context, sqlite3_stmt *statement)
{
    struct path *path = context;
    for (uint32_t basis = 0; basis < BASIS_COUNT; basis++)
        if (strcmp(column_text(statement, 0), basis_word((enum basis)basis)) == 0)
            path->by_class[basis] = column_number(statement, 1);
    return STATUS_OK;
}

enum status store_ask(struct store *store, const char *sql, int64_t first, int64_t second,
                      read_row *read, void *context, struct diag *diag)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_prepare(store, sql, reading, diag, &statement);
    if (status != STATUS_OK)
        return status;
    int parameters = sqlite3_bind_parameter_count(statement);
    if (parameters > 0)
        sqlite3_bind_int64(statement, 1, first);
    if (parameters > 1)
        sqlite3_bind_int64(statement, 2, second);
    return store_read_all(store, statement, read, context, diag);
}

/* "1-3, 7", the latest behind "..." where there are many. */
struct run_ranges {
    struct arena *arena;
    const char *text;
    uint64_t runs, ranges;
    int64_t latest;
};

enum { RUN_RANGES_TOLD = 8 };

static enum status read_run_range(void *context, sqlite3_stmt *statement)
{
    struct run_ranges *ranges = context;
    int64_t first = sqlite3_column_int64(statement, 0), last = sqlite3_column_int64(statement, 1);
    ranges->runs += column_number(statement, 2);
    ranges->latest = last;
    if (ranges->ranges++ >= RUN_RANGES_TOLD)
        return STATUS_OK;
    const char *text = arena_format(ranges->arena, "%s%s%lld", ranges->text,
                                    *ranges->text != '\0' ? ", " : "", (long long)first);
    if (text != NULL && last > first)
        text = arena_format(ranges->arena, "%s-%lld", text, (long long)last);
    ranges->text = text;
    return text == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static enum status no_such_run(struct store *store, int64_t run_id, struct arena *arena,
                               struct diag *diag)
{
    struct run_ranges ranges = {.arena = arena, .text = ""};
    enum status status =
        store_ask(store,
                  "SELECT MIN(run_id), MAX(run_id), COUNT(*) FROM (\n"
                  "  SELECT run_id, run_id - ROW_NUMBER() OVER (ORDER BY run_id) AS gap FROM run)\n"
                  "GROUP BY gap ORDER BY 1",
                  0, 0, read_run_range, &ranges, diag);
    if (status != STATUS_OK)
        return status;
    if (ranges.runs == 0)
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "found no runs in '%s'; save one with 'cubesim run PLAN --db %s'",
                        store->path, store->path);
    return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                    "found no run %lld in '%s'; it holds %llu: %s%s; the latest is run %lld",
                    (long long)run_id, store->path, (unsigned long long)ranges.runs, ranges.text,
                    ranges.ranges > RUN_RANGES_TOLD ? " and others" : "", (long long)ranges.latest);
}

enum status store_find_run(struct store *store, int64_t run_id, struct arena *arena,
                           struct diag *diag, struct stored_run *run)
{
    struct run_reader reader = {.arena = arena, .run = run};
    enum status status =
        store_ask(store,
                  "SELECT run_id, product, soc, problem, tiling, bound, clock_mhz, cores, cycles,\n"
                  "  instructions, timeline, deciding_core, EXISTS (SELECT 1 FROM hazard\n"
                  "    WHERE hazard.run_id = run.run_id AND kind = 'deadlock'), hazards\n"
                  "FROM run\n"
                  "WHERE run_id = CASE WHEN ?1 = 0 THEN (SELECT MAX(run_id) FROM run) ELSE ?1 END",
                  run_id, 0, read_run, &reader, diag);
    if (status == STATUS_OK && !reader.found)
        return no_such_run(store, run_id, arena, diag);
    if (status == STATUS_OK)
        status =
            store_ask(store, "SELECT kind, pipe, cause, cycles FROM path_total WHERE run_id = ?1",
                      run->run_id, 0, read_path, &run->path, diag);
    if (status == STATUS_OK)
        status = store_ask(store, "SELECT basis, cycles FROM basis_total WHERE run_id = ?1",
                           run->run_id, 0, read_basis, &run->path, diag);
    return status;
}

/* ---- rows ---- */

enum { ROW_COLUMN_INSTRUCTION = 14 };

struct stored_row column_row(sqlite3_stmt *statement)
{
    uint32_t cause = column_index(statement, 9);
    return (struct stored_row){
        .pipe = column_index(statement, 0),
        .seq = column_index(statement, 1),
        .opcode = column_text(statement, 2),
        .start = column_number(statement, 3),
        .end = column_number(statement, 4),
        .done = column_number(statement, 5),
        .busy = column_number(statement, 6),
        .link = column_number(statement, 7),
        .wait = column_number(statement, 8),
        .cause = cause < CAUSE_COUNT ? (enum cause)cause : CAUSE_NONE,
        .blocker_core = column_index_or_none(statement, 10),
        .blocker_pipe = column_index_or_none(statement, 11),
        .blocker_seq = column_index_or_none(statement, 12),
        .operands = column_text(statement, 13),
        .bytes = column_number(statement, 15),
        .macs = column_number(statement, 16),
        .instruction = column_index(statement, ROW_COLUMN_INSTRUCTION),
        .slack = sqlite3_column_type(statement, 17) == SQLITE_NULL ? UINT64_MAX
                                                                   : column_number(statement, 17),
    };
}

/* Opens the query of the rows of a core that touch [from, to). */
static enum status store_open_rows(struct store *store, int64_t run_id, uint32_t core, tick from,
                                   tick to, struct diag *diag, sqlite3_stmt **statement)
{
    assert(from <= INT64_MAX && to <= INT64_MAX);
    enum status status = store_prepare(
        store,
        ROW_COLUMNS " WHERE t.run_id = ?1 AND t.core = ?2"
                    " AND (end_cycle > ?3 OR t.start_cycle >= ?3)"
                    " AND MIN(t.start_cycle, CASE WHEN t.busy_cycles > 0 THEN t.start_cycle"
                    "   ELSE end_cycle END - t.wait_cycles) < ?4"
                    " ORDER BY t.pipe, t.seq",
        reading, diag, statement);
    if (status != STATUS_OK)
        return status;
    sqlite3_bind_int64(*statement, 1, run_id);
    sqlite3_bind_int64(*statement, 2, core);
    sqlite3_bind_int64(*statement, 3, (sqlite3_int64)from);
    sqlite3_bind_int64(*statement, 4, (sqlite3_int64)to);
    return STATUS_OK;
}

struct row_visitor {
    stored_row_sink *sink;
    void *context;
};

static enum status visit_row(void *context, sqlite3_stmt *statement)
{
    struct row_visitor *visitor = context;
    struct stored_row row = column_row(statement);
    if (row.pipe >= PIPE_COUNT)
        return STATUS_OK;
    return visitor->sink(visitor->context, &row);
}

enum status store_visit_rows(struct store *store, int64_t run_id, uint32_t core, tick from, tick to,
                             stored_row_sink *sink, void *context, struct diag *diag)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_open_rows(store, run_id, core, from, to, diag, &statement);
    if (status != STATUS_OK)
        return status;
    struct row_visitor visitor = {sink, context};
    return store_read_all(store, statement, visit_row, &visitor, diag);
}

/* A wait that is in the totals of a pipe and in none of its rows. */
static enum status visit_standing(void *context, sqlite3_stmt *statement)
{
    struct row_visitor *visitor = context;
    uint32_t pipe = column_index(statement, 0), cause = column_index(statement, 3);
    tick start = column_number(statement, 1), end = column_number(statement, 2);
    if (pipe >= PIPE_COUNT || cause >= CAUSE_COUNT || start >= end)
        return STATUS_OK;
    const struct stored_row row = {
        .pipe = pipe,
        .seq = ROW_NO_BLOCKER,
        .opcode = "",
        .operands = "",
        .start = start,
        .end = end,
        .done = end,
        .wait = end - start,
        .cause = (enum cause)cause,
        .blocker_core = ROW_NO_BLOCKER,
        .blocker_pipe = column_index_or_none(statement, 4),
        .blocker_seq = ROW_NO_BLOCKER,
        .slack = UINT64_MAX,
    };
    return visitor->sink(visitor->context, &row);
}

enum status store_visit_standing(struct store *store, int64_t run_id, uint32_t core,
                                 stored_row_sink *sink, void *context, struct diag *diag)
{
    struct row_visitor visitor = {sink, context};
    return store_ask(store,
                     "WITH own AS (SELECT * FROM timeline WHERE run_id = ?1 AND core = ?2)\n"
                     "SELECT p.pipe, COALESCE((SELECT MAX(start_cycle + length_cycles) FROM own\n"
                     "    WHERE own.pipe = p.pipe), 0), r.cycles, w.cause, f.for_pipe\n"
                     "FROM pipe_total AS p JOIN run AS r USING (run_id)\n"
                     "JOIN wait_total AS w USING (run_id, core, pipe)\n"
                     "LEFT JOIN wait_for_total AS f ON w.cause = 1 AND f.run_id = p.run_id\n"
                     "  AND f.core = p.core AND f.pipe = p.pipe AND f.cycles > (\n"
                     "    SELECT COALESCE(SUM(wait_cycles), 0) FROM own WHERE own.pipe = p.pipe\n"
                     "    AND own.cause = 1 AND blocker_pipe = f.for_pipe)\n"
                     "WHERE p.run_id = ?1 AND p.core = ?2 AND p.idle_cycles = 0 AND w.cycles > (\n"
                     "  SELECT COALESCE(SUM(wait_cycles), 0) FROM own WHERE own.pipe = p.pipe\n"
                     "  AND own.cause = w.cause)\n"
                     "ORDER BY p.pipe",
                     run_id, core, visit_standing, &visitor, diag);
}

/* Texts that rows share are copied once: [instruction_id]. */
struct row_texts {
    const char *opcode, *operands;
};

struct row_collector {
    struct arena *arena;
    struct stored_row *rows;
    size_t count, capacity;
    struct row_texts *texts;
    size_t text_capacity;
};

static enum status collect_texts(struct row_collector *collector, size_t instruction,
                                 struct stored_row *row)
{
    struct row_texts *texts =
        array_grow(collector->texts, &collector->text_capacity, instruction + 1, sizeof *texts);
    if (texts == NULL)
        return STATUS_NO_MEMORY;
    collector->texts = texts;
    struct row_texts *text = &texts[instruction];
    if (text->opcode == NULL)
        *text = (struct row_texts){
            .opcode = arena_text(collector->arena, row->opcode, strlen(row->opcode)),
            .operands = arena_text(collector->arena, row->operands, strlen(row->operands)),
        };
    row->opcode = text->opcode;
    row->operands = text->operands;
    return row->opcode == NULL || row->operands == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static enum status collect_row(void *context, sqlite3_stmt *statement)
{
    struct row_collector *collector = context;
    struct stored_row row = column_row(statement);
    if (row.pipe >= PIPE_COUNT)
        return STATUS_OK;
    struct stored_row *rows =
        array_grow(collector->rows, &collector->capacity, collector->count + 1, sizeof *rows);
    if (rows == NULL)
        return STATUS_NO_MEMORY;
    collector->rows = rows;
    enum status status =
        collect_texts(collector, column_index(statement, ROW_COLUMN_INSTRUCTION), &row);
    if (status == STATUS_OK)
        rows[collector->count++] = row;
    return status;
}

/* Reads a query of ROW_COLUMNS into an array in the arena. */
static enum status store_collect(struct store *store, sqlite3_stmt *statement, struct arena *arena,
                                 struct diag *diag, struct stored_row **rows, size_t *count)
{
    struct row_collector collector = {.arena = arena};
    enum status status = store_read_all(store, statement, collect_row, &collector, diag);
    if (status == STATUS_OK) {
        *count = collector.count;
        *rows = arena_take(arena, collector.count, sizeof **rows);
        if (*rows == NULL)
            status = diag_add(diag, STATUS_NO_MEMORY, place_none(),
                              "memory ran out while reading '%s'", store->path);
        else if (collector.count > 0)
            memcpy(*rows, collector.rows, collector.count * sizeof **rows);
    }
    array_release(collector.rows);
    array_release(collector.texts);
    return status;
}

enum status store_read_rows(struct store *store, int64_t run_id, uint32_t core, tick from, tick to,
                            struct arena *arena, struct diag *diag, struct stored_row **rows,
                            size_t *count)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_open_rows(store, run_id, core, from, to, diag, &statement);
    if (status != STATUS_OK)
        return status;
    return store_collect(store, statement, arena, diag, rows, count);
}

enum status store_read_row(struct store *store, int64_t run_id, uint32_t core, uint32_t pipe,
                           uint32_t seq, struct arena *arena, struct diag *diag,
                           struct stored_row **row)
{
    sqlite3_stmt *statement = NULL;
    enum status status = store_prepare(
        store, ROW_COLUMNS " WHERE t.run_id = ?1 AND t.core = ?2 AND t.pipe = ?3 AND t.seq = ?4",
        reading, diag, &statement);
    if (status != STATUS_OK)
        return status;
    sqlite3_bind_int64(statement, 1, run_id);
    sqlite3_bind_int64(statement, 2, core);
    sqlite3_bind_int64(statement, 3, pipe);
    sqlite3_bind_int64(statement, 4, seq);
    size_t count = 0;
    status = store_collect(store, statement, arena, diag, row, &count);
    if (status == STATUS_OK && count == 0)
        *row = NULL;
    return status;
}

/* ---- pipes ---- */

struct pipe_reader {
    struct stored_pipe *pipes; /* PIPE_COUNT of room */
    size_t count;
};

static enum status read_pipe(void *context, sqlite3_stmt *statement)
{
    struct pipe_reader *reader = context;
    uint32_t pipe = column_index(statement, 0);
    if (pipe >= PIPE_COUNT || reader->count == PIPE_COUNT)
        return STATUS_OK;
    reader->pipes[reader->count++] = (struct stored_pipe){
        .pipe = pipe,
        .instructions = column_number(statement, 1),
        .busy = column_number(statement, 2),
        .waiting = column_number(statement, 3),
        .idle = column_number(statement, 4),
        .link = column_number(statement, 5),
        .active = column_number(statement, 6),
    };
    return STATUS_OK;
}

static struct stored_pipe *pipe_find(struct pipe_reader *reader, uint32_t pipe)
{
    for (size_t i = 0; i < reader->count; i++)
        if (reader->pipes[i].pipe == pipe)
            return &reader->pipes[i];
    return NULL;
}

static enum status read_wait(void *context, sqlite3_stmt *statement)
{
    struct stored_pipe *pipe = pipe_find(context, column_index(statement, 0));
    uint32_t cause = column_index(statement, 1);
    if (pipe != NULL && cause < CAUSE_COUNT)
        pipe->wait[cause] = column_number(statement, 2);
    return STATUS_OK;
}

static enum status read_wait_for(void *context, sqlite3_stmt *statement)
{
    struct stored_pipe *pipe = pipe_find(context, column_index(statement, 0));
    uint32_t other = column_index(statement, 1);
    if (pipe != NULL && other < PIPE_COUNT)
        pipe->wait_for[other] = column_number(statement, 2);
    return STATUS_OK;
}

enum status store_read_pipes(struct store *store, int64_t run_id, uint32_t core,
                             struct arena *arena, struct diag *diag, struct stored_pipe **pipes,
                             size_t *count)
{
    struct pipe_reader reader = {.pipes = arena_take(arena, PIPE_COUNT, sizeof **pipes)};
    if (reader.pipes == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    enum status status = store_ask(
        store,
        "SELECT pipe, instructions, busy_cycles, waiting_cycles, idle_cycles, link_cycles,\n"
        "  active_cycles FROM pipe_total WHERE run_id = ?1 AND core = ?2 ORDER BY pipe",
        run_id, core, read_pipe, &reader, diag);
    if (status == STATUS_OK)
        status = store_ask(store,
                           "SELECT pipe, cause, cycles FROM wait_total\n"
                           "WHERE run_id = ?1 AND core = ?2",
                           run_id, core, read_wait, &reader, diag);
    if (status == STATUS_OK)
        status = store_ask(store,
                           "SELECT pipe, for_pipe, cycles FROM wait_for_total\n"
                           "WHERE run_id = ?1 AND core = ?2",
                           run_id, core, read_wait_for, &reader, diag);
    *pipes = reader.pipes;
    *count = reader.count;
    return status;
}

/* ---- hazards ---- */

struct hazard_reader {
    struct arena *arena;
    struct stored_hazard *hazards;
    size_t count, most;
};

static enum status read_hazard(void *context, sqlite3_stmt *statement)
{
    struct hazard_reader *reader = context;
    enum status status = STATUS_OK;
    if (reader->count == reader->most)
        return STATUS_OK;
    reader->hazards[reader->count++] = (struct stored_hazard){
        .core = column_index(statement, 0),
        .seq = column_index(statement, 1),
        .kind = column_copy(statement, 2, reader->arena, &status),
        .message = column_copy(statement, 3, reader->arena, &status),
    };
    return status;
}

enum status store_read_hazards(struct store *store, int64_t run_id, size_t most,
                               struct arena *arena, struct diag *diag,
                               struct stored_hazard **hazards, size_t *count)
{
    struct hazard_reader reader = {
        .arena = arena,
        .hazards = arena_take(arena, most, sizeof **hazards),
        .most = most,
    };
    if (reader.hazards == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    enum status status = store_ask(store,
                                   "SELECT core, seq, kind, message FROM hazard WHERE run_id = ?1\n"
                                   "ORDER BY kind <> 'deadlock', hazard_id LIMIT ?2",
                                   run_id, (int64_t)most, read_hazard, &reader, diag);
    *hazards = reader.hazards;
    *count = reader.count;
    return status;
}
