#include <inttypes.h>
#include <stdlib.h>

#include "traces/packed.h"
#include "traces/report_page.h"
#include "traces/report_parts.h"

/* Browsers open so many rows in seconds; more make a file that nobody can look at. */
enum { ROWS_MAX = 4000000 };

/* ---- what fits on a page ---- */

static enum status take_count(void *context, const struct stored_cells *cells)
{
    uint64_t *count = context;
    if (!cells->is_head && cells->cell[0] != NULL)
        *count = strtoull(cells->cell[0], NULL, 10);
    return STATUS_OK;
}

/* SCALAR dispatches every instruction of its core. */
static const char count_all[] = "SELECT SUM(instructions) FROM v_pipe WHERE run_id = ?1\n"
                                "  AND core >= ?2 AND core < ?3 AND pipe = 'SCALAR'";
static const char count_window[] = "SELECT COUNT(*) FROM timeline WHERE run_id = ?1\n"
                                   "  AND core >= ?2 AND core < ?3 AND start_cycle < ?5\n"
                                   "  AND start_cycle + length_cycles >= ?4";

static enum status count_rows(const struct report *report, const struct report_run *run,
                              uint64_t *rows)
{
    const int64_t parameters[] = {run->stored.run_id, run->core_first,
                                  (int64_t)run->core_first + run->core_count, (int64_t)run->from,
                                  (int64_t)run->to};
    enum status status =
        store_visit_cells(report->store, count_all, parameters, 3, take_count, rows, report->diag);
    if (status == STATUS_OK && *rows > ROWS_MAX && report->options->has_window)
        status = store_visit_cells(report->store, count_window, parameters,
                                   sizeof parameters / sizeof *parameters, take_count, rows,
                                   report->diag);
    return status;
}

static enum status check_size(const struct report *report, const struct report_run *run)
{
    uint64_t rows = 0;
    if (run->stored.cycles >= UINT32_MAX)
        return diag_add(report->diag, STATUS_BAD_INPUT, place_none(),
                        "found %" PRIu64 " cycles in run %" PRId64
                        "; expected less than 2^32 for the page",
                        run->stored.cycles, run->stored.run_id);
    enum status status = count_rows(report, run, &rows);
    if (status == STATUS_OK && rows > ROWS_MAX)
        return diag_add(report->diag, STATUS_BAD_INPUT, place_none(),
                        "found %" PRIu64 " instructions of run %" PRId64 " on %" PRIu32
                        " core%s; expected at most %d on a page: choose a core with --core N or a "
                        "window with --from C --to C",
                        rows, run->stored.run_id, run->core_count, run->core_count == 1 ? "" : "s",
                        ROWS_MAX);
    return status;
}

/* The second run is shown as far as the first one is. */
static void choose_rows(const struct report *report, struct report_run *run)
{
    const struct export_options *options = report->options;
    uint32_t kept = run->stored.timeline == STORED_ALL     ? (uint32_t)run->stored.cores
                    : run->stored.timeline == STORED_CORE0 ? 1
                                                           : 0;
    run->from = options->has_window ? options->from : 0;
    run->to = options->has_window ? options->to : run->stored.cycles + 1;
    run->core_first = options->core_first;
    run->core_count = options->core_count;
    if (run->core_first >= kept)
        run->core_count = 0;
    else if (run->core_count > kept - run->core_first || options->core_count != 1)
        run->core_count = kept - run->core_first;
}

static enum status find_run(const struct report *report, int64_t run_id, size_t index,
                            struct report_run *run)
{
    *run = (struct report_run){.index = index, .sentence = report->options->sentence[index]};
    enum status status =
        store_find_run(report->store, run_id, report->arena, report->diag, &run->stored);
    if (status != STATUS_OK)
        return status;
    choose_rows(report, run);
    return check_size(report, run);
}

/* ---- the page ---- */

static void put_piece(struct output *output, const struct report_piece *piece)
{
    output_bytes(output, (const char *)piece->bytes, piece->count);
}

static void put_title(struct output *output, const struct report_run *runs, size_t count)
{
    output_text(output, count == 1 ? "cubesim run " : "cubesim runs ");
    for (size_t i = 0; i < count; i++) {
        output_text(output, i > 0 ? " and " : "");
        output_number(output, (uint64_t)runs[i].stored.run_id);
    }
    output_text(output, ": ");
    output_xml(output, runs[0].stored.problem);
}

static enum status put_data(const struct report *report, const struct report_run *runs,
                            size_t count)
{
    enum status status = STATUS_OK;
    output_text(report->output, "[");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        output_text(report->output, i > 0 ? ",\n" : "");
        status = report_write_json(report, &runs[i]);
    }
    output_text(report->output, "]");
    return status;
}

static enum status put_page(const struct report *report, const struct report_run *runs,
                            size_t count)
{
    struct output *output = report->output;
    put_piece(output, &report_pieces[REPORT_UP_TO_SCRIPT_HASH]);
    output_base64(output, report_script_sha256, sizeof report_script_sha256);
    put_piece(output, &report_pieces[REPORT_UP_TO_STYLE_HASH]);
    output_base64(output, report_style_sha256, sizeof report_style_sha256);
    put_piece(output, &report_pieces[REPORT_UP_TO_TITLE]);
    put_title(output, runs, count);
    put_piece(output, &report_pieces[REPORT_UP_TO_DATA]);
    enum status status = put_data(report, runs, count);
    put_piece(output, &report_pieces[REPORT_UP_TO_ROWS]);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = report_write_rows(report, &runs[i]);
    put_piece(output, &report_pieces[REPORT_UP_TO_END]);
    return status;
}

static enum status write_report(const struct report *report, int64_t run_id)
{
    struct report_run runs[2];
    size_t count = report->options->other_run_id != 0 ? 2 : 1;
    enum status status = find_run(report, run_id, 0, &runs[0]);
    if (status == STATUS_OK && count == 2)
        status = find_run(report, report->options->other_run_id, 1, &runs[1]);
    return status == STATUS_OK ? put_page(report, runs, count) : status;
}

enum status export_html(struct store *store, int64_t run_id, const struct export_options *options,
                        FILE *file, struct diag *diag)
{
    struct output output;
    struct arena arena;
    const struct report report = {store, options, diag, &output, &arena};
    output_init(&output, file);
    arena_init(&arena, 0);
    enum status status = write_report(&report, run_id);
    arena_deinit(&arena);
    return status == STATUS_OK || status == STATUS_IO
               ? output_finish(&output, options->target, diag)
               : status;
}
