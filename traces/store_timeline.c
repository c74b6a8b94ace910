#include <assert.h>
#include <errno.h>
#include <string.h>

#include "traces/store_private.h"

enum status store_unspooled(const struct store *store, enum status status, struct diag *diag)
{
    if (status == STATUS_IO)
        diag_add(diag, status, place_none(), "cannot read back rows beside '%s': %s", store->path,
                 strerror(errno));
    return status;
}

enum status store_write_instructions(struct store *store, struct diag *diag)
{
    struct insert insert;
    enum status status = insert_open(store,
                                     "INSERT INTO instruction (run_id, instruction_id, opcode,\n"
                                     "  operands, bytes, macs) VALUES (?, ?, ?, ?, ?, ?)",
                                     diag, &insert);
    for (size_t i = 0; i < store->catalog.count && status == STATUS_OK; i++) {
        const struct catalog_entry *entry = &store->catalog.entries[i];
        insert_number(&insert, (uint64_t)store->run_id);
        insert_number(&insert, i);
        insert_text(&insert, entry->opcode);
        insert_text(&insert, entry->operands);
        insert_number(&insert, entry->bytes);
        insert_number(&insert, entry->macs);
        status = insert_row(store, &insert, diag);
    }
    insert_close(&insert);
    return status;
}

/* Rows are written many to a statement: that saves most of the cost of a statement, and SQLite
 * keeps its place at the end of the table. */
enum { BATCH_ROWS = 16 };

struct timeline_writer {
    struct store *store;
    struct diag *diag;
    struct insert many, one; /* BATCH_ROWS rows, one row */
    struct row rows[BATCH_ROWS];
    tick slack[BATCH_ROWS];
    size_t count;
    tick cycles;   /* of the run */
    uint32_t core; /* whose slack was found */
};

static void bind_timeline_row(struct insert *insert, int64_t run_id, const struct row *row,
                              tick slack)
{
    bool has_no_blocker = row->wait == 0 || row->blocker_seq == ROW_NO_BLOCKER;
    assert(row->end >= row->start && row->done >= row->end);
    insert_number(insert, (uint64_t)run_id);
    insert_number(insert, row->core);
    insert_number(insert, row->pipe);
    insert_number(insert, row->seq);
    insert_number(insert, row->tag);
    insert_number(insert, row->start);
    insert_number(insert, row->end - row->start);
    insert_number(insert, row->done - row->end);
    insert_number(insert, row->busy);
    insert_number(insert, row->link);
    insert_number(insert, row->wait);
    insert_number_or_null(insert, row->cause, row->wait == 0 || row->cause == CAUSE_NONE);
    insert_number_or_null(insert, row->blocker_core, has_no_blocker);
    insert_number_or_null(insert, row->blocker_pipe, has_no_blocker);
    insert_number_or_null(insert, row->blocker_seq, has_no_blocker);
    insert_number_or_null(insert, slack, slack == UINT64_MAX);
}

/* Writes the rows that were collected: all at once when there are BATCH_ROWS. */
static enum status write_batch(struct timeline_writer *writer)
{
    struct store *store = writer->store;
    bool full = writer->count == BATCH_ROWS;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < writer->count && status == STATUS_OK; i++) {
        bind_timeline_row(full ? &writer->many : &writer->one, store->run_id, &writer->rows[i],
                          writer->slack[i]);
        if (!full)
            status = insert_row(store, &writer->one, writer->diag);
    }
    if (full)
        status = insert_row(store, &writer->many, writer->diag);
    writer->count = 0;
    return status;
}

static enum status write_timeline_row(void *context, const struct row *row)
{
    struct timeline_writer *writer = context;
    struct slack *slack = &writer->store->slack;
    enum status status = STATUS_OK;
    if (row->core != writer->core)
        status = slack_find(slack, row->core, writer->cycles);
    if (status != STATUS_OK)
        return status;
    writer->core = row->core;
    writer->slack[writer->count] = slack_of(slack, row->core, row->moment);
    writer->rows[writer->count++] = *row;
    return writer->count == BATCH_ROWS ? write_batch(writer) : STATUS_OK;
}

static enum status timeline_writer_open(struct timeline_writer *writer)
{
#define ROW_VALUES  "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define FOUR_VALUES ROW_VALUES ", " ROW_VALUES ", " ROW_VALUES ", " ROW_VALUES
#define ROW_INSERT                                                                                 \
    "INSERT INTO timeline (run_id, core, pipe, seq, instruction_id, start_cycle, length_cycles,"   \
    " latency_cycles, busy_cycles, link_cycles, wait_cycles, cause, blocker_core, blocker_pipe,"   \
    " blocker_seq, slack_cycles) VALUES "
    _Static_assert(BATCH_ROWS == 4 * 4, "the statement has four times four rows");
    enum status status = insert_open(
        writer->store, ROW_INSERT FOUR_VALUES ", " FOUR_VALUES ", " FOUR_VALUES ", " FOUR_VALUES,
        writer->diag, &writer->many);
    if (status == STATUS_OK)
        status = insert_open(writer->store, ROW_INSERT ROW_VALUES, writer->diag, &writer->one);
    return status;
#undef ROW_VALUES
#undef FOUR_VALUES
#undef ROW_INSERT
}

enum status store_write_timeline(struct store *store, tick cycles, struct diag *diag)
{
    struct timeline_writer writer = {
        .store = store, .diag = diag, .cycles = cycles, .core = UINT32_MAX};
    enum status status = timeline_writer_open(&writer);
    if (status == STATUS_OK)
        status = spool_walk(&store->spool, write_timeline_row, &writer);
    if (status == STATUS_OK)
        status = write_batch(&writer);
    status = store_unspooled(store, status, diag);
    insert_close(&writer.many);
    insert_close(&writer.one);
    return status;
}
