#include <stdlib.h>

#include "traces/export.h"

static enum status add_events(void *context, const struct stored_cells *cells)
{
    uint64_t *events = context;
    if (!cells->is_head && cells->cell[0] != NULL)
        *events += strtoull(cells->cell[0], NULL, 10);
    return STATUS_OK;
}

enum status export_chrome_events(struct store *store, int64_t run_id,
                                 const struct export_options *options, struct diag *diag,
                                 uint64_t *events)
{
    /* A slice or mark each, a slice of waiting, an end of an arrow, a rate that begins and ends,
     * and a slot that is taken and left. */
    static const char query[] =
        "SELECT SUM(1 + (t.wait_cycles > 0) + (i.opcode IN ('set_flag', 'wait_flag'))\n"
        "  + 4 * (t.busy_cycles > 0 AND i.bytes > 0))\n"
        "FROM timeline AS t JOIN instruction AS i USING (run_id, instruction_id)\n"
        "WHERE t.run_id = ?1 AND t.core = ?2\n"
        "  AND t.start_cycle + t.length_cycles >= ?3 AND t.start_cycle < ?4";
    enum status status = STATUS_OK;
    *events = 0;
    for (uint32_t i = 0; i < options->core_count && status == STATUS_OK; i++) {
        const int64_t parameters[] = {run_id, options->core_first + i, (int64_t)options->from,
                                      (int64_t)options->to};
        status = store_visit_cells(store, query, parameters, sizeof parameters / sizeof *parameters,
                                   add_events, events, diag);
    }
    return status;
}
