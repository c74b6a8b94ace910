#include <string.h>

#include "traces/report_parts.h"

/* Each part is one JSON value, made by SQLite from the views that docs/sql.md promises, so that the
 * page and a query say the same. ?1 is the run. */
static const struct part {
    const char *name, *sql;
} parts[] = {
    {"run",
     "SELECT json_object('run_id', r.run_id, 'created', r.created_utc, 'version', r.version,\n"
     "  'product', r.product, 'soc', r.soc, 'clock_mhz', r.clock_mhz, 'problem', r.problem,\n"
     "  'tiling', r.tiling, 'cores', r.cores, 'cycles', r.cycles, 'time_us', r.time_us,\n"
     "  'launch_us', r.launch_us, 'task_us', d.task_us, 'low_us', d.time_low_us,\n"
     "  'high_us', d.time_high_us, 'bound', r.bound, 'macs', r.macs, 'cube_macs', d.cube_macs,\n"
     "  'mmad_macs', d.mmad_macs, 'macs_per_cycle', r.macs_per_cycle,\n"
     "  'cube_utilization', r.cube_utilization, 'instructions', r.instructions,\n"
     "  'read', r.gm_read_bytes, 'write', r.gm_write_bytes, 'miss', d.gm_miss_bytes,\n"
     "  'tensors', d.tensor_bytes, 'verified', r.verified, 'compared', d.compared,\n"
     "  'mismatches', d.mismatches, 'hazards', d.hazards, 'run_key', r.run_key,\n"
     "  'timeline', d.timeline, 'deciding', d.deciding_core)\n"
     "FROM v_run AS r JOIN v_run_detail AS d USING (run_id) WHERE run_id = ?1"},
    {"pipes",
     "SELECT json_group_array(json_array(core, pipe, instructions, busy_cycles, waiting_cycles,\n"
     "  idle_cycles, link_cycles, active_cycles))\n"
     "FROM (SELECT * FROM v_pipe WHERE run_id = ?1 ORDER BY core, pipe)"},
    {"waits", "SELECT json_group_array(json_array(core, pipe, cause, cycles, occurrences))\n"
              "FROM (SELECT * FROM v_wait WHERE run_id = ?1 ORDER BY core, pipe, cause)"},
    {"waits_for",
     "SELECT json_group_array(json_array(core, pipe, for_pipe, cycles))\n"
     "FROM (SELECT * FROM v_wait_for WHERE run_id = ?1 ORDER BY core, pipe, for_pipe)"},
    {"cores", "SELECT json_group_array(json_array(core, cycles))\n"
              "FROM (SELECT * FROM v_core WHERE run_id = ?1 ORDER BY core)"},
    {"path",
     "SELECT json_group_array(json_array(kind, pipe, cause, cycles))\n"
     "FROM (SELECT * FROM v_path_total WHERE run_id = ?1 ORDER BY cycles DESC, pipe, kind, cause)"},
    {"basis", "SELECT json_group_array(json_array(basis, cycles))\n"
              "FROM (SELECT * FROM v_basis WHERE run_id = ?1 ORDER BY basis)"},
    {"roofline",
     "SELECT json_group_array(json_array(level, bytes, roof_bytes_per_cycle, macs_per_byte,\n"
     "  roof_macs_per_cycle, reached))\n"
     "FROM (SELECT * FROM v_roofline WHERE run_id = ?1)"},
    {"suggestions", "SELECT json_group_array(json_array(change, looked_at, cycles))\n"
                    "FROM (SELECT * FROM v_suggestion WHERE run_id = ?1 ORDER BY rank)"},
    {"hazards", "SELECT json_group_array(json_array(core, seq, kind, message))\n"
                "FROM (SELECT * FROM v_hazard WHERE run_id = ?1 LIMIT 100)"},
    {"plan", "SELECT plan_json FROM v_run WHERE run_id = ?1"},
    {"product", "SELECT product_json FROM v_run WHERE run_id = ?1"},
};

/* In JSON a '<' stands in strings alone. */
static void put_json(const struct report *report, const char *text)
{
    for (const char *at = text; *at != '\0';) {
        size_t plain = strcspn(at, "<");
        output_bytes(report->output, at, plain);
        at += plain;
        if (*at == '<') {
            output_text(report->output, "\\u003c");
            at++;
        }
    }
}

static enum status put_answer(void *context, const struct stored_cells *cells)
{
    const struct report *report = context;
    if (!cells->is_head && cells->cell[0] != NULL)
        put_json(report, cells->cell[0]);
    return STATUS_OK;
}

static void put_key(const struct report *report, const char *key)
{
    output_text(report->output, ",\n\"");
    output_text(report->output, key);
    output_text(report->output, "\":");
}

static void put_number(const struct report *report, const char *key, uint64_t number)
{
    put_key(report, key);
    output_number(report->output, number);
}

enum status report_write_json(const struct report *report, const struct report_run *run)
{
    struct report context = *report;
    enum status status = STATUS_OK;
    output_text(report->output, "{\"sentence\":");
    output_json_for_html(report->output, run->sentence);
    put_number(report, "from", run->from);
    put_number(report, "to", run->to);
    put_number(report, "core_first", run->core_first);
    put_number(report, "core_count", run->core_count);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == STATUS_OK; i++) {
        put_key(report, parts[i].name);
        status = store_visit_cells(report->store, parts[i].sql, &run->stored.run_id, 1, put_answer,
                                   &context, report->diag);
    }
    if (status == STATUS_OK)
        status = report_write_buffers(report, run);
    output_text(report->output, "}");
    return status;
}
