#include "traces/export.h"
#include "traces/output.h"

static const char end_of_line[] = "\r\n";

struct csv_writer {
    struct output output;
    bool has_head; /* names of columns are written once */
};

static enum status csv_write(void *context, const struct stored_cells *cells)
{
    struct csv_writer *writer = context;
    if (cells->is_head && writer->has_head)
        return STATUS_OK;
    writer->has_head = true;
    for (size_t i = 0; i < cells->count; i++) {
        if (i > 0)
            output_text(&writer->output, ",");
        output_csv(&writer->output, cells->cell[i] == NULL ? "" : cells->cell[i]);
    }
    output_text(&writer->output, end_of_line);
    return output_status(&writer->output);
}

/* One pipe at a time, which is the order in which rows lie in the database: nothing has to be
 * sorted. */
static const char csv_query[] =
    "SELECT * FROM v_instruction WHERE run_id = ?1 AND core = ?2\n"
    "  AND pipe = (SELECT name FROM enum_pipe WHERE enum_pipe.pipe = ?3)\n"
    "  AND (end_cycle > ?4 OR start_cycle >= ?4)\n"
    "  AND MIN(start_cycle, CASE WHEN busy_cycles > 0 THEN start_cycle ELSE end_cycle END\n"
    "    - wait_cycles) < ?5\n"
    "ORDER BY seq";

enum status export_csv(struct store *store, int64_t run_id, const struct export_options *options,
                       FILE *file, struct diag *diag)
{
    struct csv_writer writer = {.has_head = false};
    enum status status = STATUS_OK;
    output_init(&writer.output, file);
    for (uint32_t core = options->core_first; core - options->core_first < options->core_count;
         core++)
        for (uint32_t pipe = 0; pipe < PIPE_COUNT && status == STATUS_OK; pipe++) {
            const int64_t parameters[] = {run_id, core, pipe, (int64_t)options->from,
                                          (int64_t)options->to};
            status =
                store_visit_cells(store, csv_query, parameters,
                                  sizeof parameters / sizeof *parameters, csv_write, &writer, diag);
        }
    return status == STATUS_OK || status == STATUS_IO
               ? output_finish(&writer.output, options->target, diag)
               : status;
}
