#include <stdlib.h>
#include <string.h>

#include "traces/packed.h"
#include "traces/report_parts.h"

/* Rows go in blocks of one pipe each: pipe, count, then the columns one after the other. Columns
 * are chosen so that most words of one are alike. */
enum column {
    COLUMN_SEQ,          /* less the row before */
    COLUMN_START,        /* less the row before, signed */
    COLUMN_LENGTH,       /* end - start */
    COLUMN_LATENCY,      /* done - end */
    COLUMN_LINK,         /* */
    COLUMN_WAIT,         /* */
    COLUMN_WHY,          /* cause, pipe of the blocker + 1 at bit 3, does it work at bit 7 */
    COLUMN_BLOCKER_CORE, /* */
    COLUMN_BLOCKER,      /* seq less that of the blocker, signed */
    COLUMN_INSTRUCTION,  /* index in the words of the run */
    COLUMN_SLACK,        /* UINT32_MAX: not known */
    COLUMN_COUNT
};

enum { BLOCK_ROWS = 8192 };

struct rows_writer {
    struct packed *packed;
    uint8_t *used; /* [instruction]: some row names it */
    size_t used_capacity;
    uint32_t pipe, seq;
    tick start;
    uint32_t count;
    uint32_t column[COLUMN_COUNT][BLOCK_ROWS];
};

/* Small numbers of either sign as small numbers. */
static uint32_t fold(uint64_t value, uint64_t before)
{
    int64_t step = (int64_t)(value - before);
    return (uint32_t)(step < 0 ? ~((uint64_t)step << 1) : (uint64_t)step << 1);
}

static void flush_block(struct rows_writer *writer)
{
    if (writer->count == 0)
        return;
    packed_word(writer->packed, writer->pipe);
    packed_word(writer->packed, writer->count);
    for (enum column column = 0; column < COLUMN_COUNT; column++)
        packed_words(writer->packed, writer->column[column], writer->count);
    writer->count = 0;
}

static enum status note_used(struct rows_writer *writer, uint32_t instruction)
{
    if (instruction >= writer->used_capacity) {
        uint8_t *used = array_grow(writer->used, &writer->used_capacity, (size_t)instruction + 1,
                                   sizeof *writer->used);
        if (used == NULL)
            return STATUS_NO_MEMORY;
        writer->used = used;
    }
    writer->used[instruction] = 1;
    return STATUS_OK;
}

static uint32_t why_word(const struct stored_row *row)
{
    uint32_t pipe = row->blocker_seq == ROW_NO_BLOCKER ? 0 : row->blocker_pipe + 1;
    return (uint32_t)row->cause | pipe << 3 | (row->busy > 0 ? 1U << 7 : 0U);
}

static enum status add_row(void *context, const struct stored_row *row)
{
    struct rows_writer *writer = context;
    if (row->pipe != writer->pipe || writer->count == BLOCK_ROWS)
        flush_block(writer);
    if (row->pipe != writer->pipe) {
        writer->pipe = row->pipe;
        writer->seq = 0;
        writer->start = 0;
    }
    bool blocked = row->blocker_seq != ROW_NO_BLOCKER;
    const uint32_t words[COLUMN_COUNT] = {
        [COLUMN_SEQ] = row->seq - writer->seq,
        [COLUMN_START] = fold(row->start, writer->start),
        [COLUMN_LENGTH] = (uint32_t)(row->end - row->start),
        [COLUMN_LATENCY] = (uint32_t)(row->done - row->end),
        [COLUMN_LINK] = (uint32_t)row->link,
        [COLUMN_WAIT] = (uint32_t)row->wait,
        [COLUMN_WHY] = why_word(row),
        [COLUMN_BLOCKER_CORE] = blocked ? row->blocker_core : 0,
        [COLUMN_BLOCKER] = blocked ? fold(row->seq, row->blocker_seq) : 0,
        [COLUMN_INSTRUCTION] = row->instruction,
        [COLUMN_SLACK] = row->slack > UINT32_MAX ? UINT32_MAX : (uint32_t)row->slack,
    };
    for (enum column column = 0; column < COLUMN_COUNT; column++)
        writer->column[column][writer->count] = words[column];
    writer->count++;
    writer->seq = row->seq;
    writer->start = row->start;
    return note_used(writer, row->instruction);
}

/* "<script type="text/plain" id="rows-0-12">" */
static void open_script(const struct report *report, const char *name, size_t run, bool has_core,
                        uint32_t core)
{
    struct output *output = report->output;
    output_text(output, "<script type=\"text/plain\" id=\"");
    output_text(output, name);
    output_text(output, "-");
    output_number(output, run);
    if (has_core) {
        output_text(output, "-");
        output_number(output, core);
    }
    output_text(output, "\">");
}

static void close_script(const struct report *report, struct packed *packed)
{
    packed_close(packed);
    output_text(report->output, "</script>\n");
}

static enum status write_core(const struct report *report, const struct report_run *run,
                              uint32_t core, struct rows_writer *writer)
{
    writer->pipe = UINT32_MAX;
    open_script(report, "rows", run->index, true, core);
    enum status status = packed_open(report->output, report->diag, &writer->packed);
    if (status == STATUS_OK)
        status = store_visit_rows(report->store, run->stored.run_id, core, run->from, run->to,
                                  add_row, writer, report->diag);
    flush_block(writer);
    close_script(report, writer->packed);
    return status == STATUS_OK ? output_status(report->output) : status;
}

/* ---- what rows name ---- */

struct words_writer {
    struct packed *packed;
    const struct rows_writer *rows;
};

/* A line for each instruction, empty when no row names it; fields are apart by a tab, which no
 * opcode or operand holds. */
static enum status add_words(void *context, const struct stored_cells *cells)
{
    struct words_writer *writer = context;
    if (cells->is_head || cells->cell[0] == NULL)
        return STATUS_OK;
    uint64_t index = strtoull(cells->cell[0], NULL, 10);
    bool used = index < writer->rows->used_capacity && writer->rows->used[index] != 0;
    for (size_t i = 1; i < cells->count && used; i++) {
        const char *text = cells->cell[i] == NULL ? "" : cells->cell[i];
        packed_bytes(writer->packed, text, strlen(text));
        if (i + 1 < cells->count)
            packed_bytes(writer->packed, "\t", 1);
    }
    packed_bytes(writer->packed, "\n", 1);
    return STATUS_OK;
}

static enum status write_words(const struct report *report, const struct report_run *run,
                               const struct rows_writer *rows)
{
    struct words_writer writer = {.rows = rows};
    open_script(report, "words", run->index, false, 0);
    enum status status = packed_open(report->output, report->diag, &writer.packed);
    if (status == STATUS_OK)
        status = store_visit_cells(report->store,
                                   "SELECT instruction_id, opcode, operands, bytes, macs\n"
                                   "FROM instruction WHERE run_id = ?1 ORDER BY instruction_id",
                                   &run->stored.run_id, 1, add_words, &writer, report->diag);
    close_script(report, writer.packed);
    return status;
}

/* ---- the critical path ---- */

struct path_writer {
    struct packed *packed;
    const struct report_run *run;
};

/* core, pipe, seq, kind, cause, start, cycles of each step that touches the window. */
static enum status add_step(void *context, const struct stored_step *step)
{
    struct path_writer *writer = context;
    if (step->start >= writer->run->to || step->start + step->cycles <= writer->run->from)
        return STATUS_OK;
    const uint32_t words[] = {step->core,
                              step->pipe,
                              step->seq,
                              (uint32_t)step->kind,
                              (uint32_t)step->cause,
                              (uint32_t)step->start,
                              (uint32_t)step->cycles};
    packed_words(writer->packed, words, sizeof words / sizeof *words);
    return STATUS_OK;
}

static enum status write_path(const struct report *report, const struct report_run *run)
{
    struct path_writer writer = {.run = run};
    open_script(report, "path", run->index, false, 0);
    enum status status = packed_open(report->output, report->diag, &writer.packed);
    if (status == STATUS_OK)
        status =
            store_visit_path(report->store, run->stored.run_id, add_step, &writer, report->diag);
    close_script(report, writer.packed);
    return status;
}

enum status report_write_rows(const struct report *report, const struct report_run *run)
{
    struct rows_writer *writer = arena_take(report->arena, 1, sizeof *writer);
    enum status status = writer == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    for (uint32_t i = 0; i < run->core_count && status == STATUS_OK; i++)
        status = write_core(report, run, run->core_first + i, writer);
    if (status == STATUS_OK)
        status = write_words(report, run, writer);
    if (status == STATUS_OK)
        status = write_path(report, run);
    if (writer != NULL)
        array_release(writer->used);
    return status;
}
