#include "traces/export.h"
#include "traces/output.h"

/* An answer of the database as a table: names of columns, then rows. */
struct csv_writer {
    struct output output;
    const char *end_of_line;
    bool has_head; /* names are written once */
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
    output_text(&writer->output, writer->end_of_line);
    return output_status(&writer->output);
}

static enum status csv_finish(struct csv_writer *writer, const struct export_options *options,
                              enum status status, struct diag *diag)
{
    return status == STATUS_OK || status == STATUS_IO
               ? diag_graver(status, output_finish(&writer->output, options->target, diag))
               : status;
}

/* One pipe at a time, which is the order in which rows lie in the database: nothing has to be
 * sorted. */
static const char rows_query[] =
    "SELECT * FROM v_instruction WHERE run_id = ?1 AND core = ?2\n"
    "  AND pipe = (SELECT name FROM enum_pipe WHERE enum_pipe.pipe = ?3)\n"
    "  AND (end_cycle > ?4 OR start_cycle >= ?4)\n"
    "  AND MIN(start_cycle, CASE WHEN busy_cycles > 0 THEN start_cycle ELSE end_cycle END\n"
    "    - wait_cycles) < ?5\n"
    "ORDER BY seq";

enum status export_csv(struct store *store, int64_t run_id, const struct export_options *options,
                       FILE *file, struct diag *diag)
{
    struct csv_writer writer = {.end_of_line = "\r\n"};
    enum status status = STATUS_OK;
    output_init(&writer.output, file);
    for (uint32_t core = options->core_first; core - options->core_first < options->core_count;
         core++)
        for (uint32_t pipe = 0; pipe < PIPE_COUNT && status == STATUS_OK; pipe++) {
            const int64_t parameters[] = {run_id, core, pipe, (int64_t)options->from,
                                          (int64_t)options->to};
            status =
                store_visit_cells(store, rows_query, parameters,
                                  sizeof parameters / sizeof *parameters, csv_write, &writer, diag);
        }
    return csv_finish(&writer, options, status, diag);
}

/* Tables of the vendor's tools: run, first core, number of cores. */
static enum status export_table(struct store *store, const char *query, int64_t run_id,
                                const struct export_options *options, FILE *file, struct diag *diag)
{
    struct csv_writer writer = {.end_of_line = "\n"};
    const int64_t parameters[] = {run_id, options->core_first, options->core_count};
    output_init(&writer.output, file);
    enum status status = store_visit_cells(
        store, query, parameters, sizeof parameters / sizeof *parameters, csv_write, &writer, diag);
    return csv_finish(&writer, options, status, diag);
}

/* The columns of core0.cubecore0_instr_exe.csv of the vendor's simulator
 * (hiascend.com, atlasopdev_16_0102): an instruction is a row, however often it is executed. cycles
 * go from issue to result and count calls that overlap each; running_time is what the pipe was
 * taken. A stream has no addresses; the place of the first call in it stands for them. */
enum status export_instr_exe(struct store *store, int64_t run_id,
                             const struct export_options *options, FILE *file, struct diag *diag)
{
    static const char query[] =
        "SELECT UPPER(i.opcode) AS instr, MIN(t.seq) AS addr, p.name AS pipe,\n"
        "  COUNT(*) AS call_count,\n"
        "  SUM(CASE WHEN t.busy_cycles > 0 THEN t.length_cycles + t.latency_cycles\n"
        "    ELSE t.wait_cycles END) AS cycles,\n"
        "  PRINTF('%.6f', SUM(t.busy_cycles) / r.clock_mhz) AS \"running_time(us)\",\n"
        "  i.operands AS detail\n"
        "FROM timeline AS t JOIN instruction AS i USING (run_id, instruction_id)\n"
        "JOIN enum_pipe AS p ON p.pipe = t.pipe JOIN run AS r ON r.run_id = t.run_id\n"
        "WHERE t.run_id = ?1 AND t.core >= ?2 AND t.core < ?2 + ?3\n"
        "GROUP BY t.pipe, t.instruction_id ORDER BY 5 DESC, 2";
    return export_table(store, query, run_id, options, file, diag);
}

/* The columns of PipeUtilization.csv of msprof op (hiascend.com, atlasopdev_16_0099), with the
 * values of v_msprof_pipe; what the model does not have is NA, as there. Bytes are known of kept
 * rows. */
enum status export_pipe(struct store *store, int64_t run_id, const struct export_options *options,
                        FILE *file, struct diag *diag)
{
    /* PRINTF would make 0 of NULL. */
#define DECIMAL(format, value) "IIF(" value " IS NULL, 'NA', PRINTF('" format "', " value "))"
#define TIME_RATIO(column)                                                                         \
    DECIMAL("%.3f", "m." #column "_time_us")                                                       \
    " AS \"" #column "_time(us)\", " DECIMAL("%.4f", "m." #column "_ratio") " AS " #column         \
                                                                            "_ratio,\n"
#define NONE(name) "'NA' AS \"" name "\", "
#define BYTES(number)                                                                              \
    "(SELECT SUM(i.bytes) FROM timeline AS t JOIN instruction AS i USING (run_id, instruction_id)" \
    " WHERE t.run_id = ?1 AND t.core = m.block_id AND t.pipe = " #number ")"
#define BANDWIDTH(column, number)                                                                  \
    DECIMAL("%.3f", BYTES(number) " / NULLIF(m." #column "_time_us, 0) / 1000")                    \
    " AS \"" #column "_active_bw(GB/s)\""
    static const char query[] =
        "SELECT m.block_id, 'cube0' AS sub_block_id,\n"
        "PRINTF('%.3f', m.aic_time_us) AS \"aic_time(us)\", m.aic_total_cycles,\n" //
        NONE("aiv_time(us)") NONE("aiv_total_cycles")                              //
        TIME_RATIO(aiv_vec) TIME_RATIO(aic_cube) TIME_RATIO(aic_scalar)            //
        NONE("aiv_scalar_time(us)") NONE("aiv_scalar_ratio")                       //
        TIME_RATIO(aic_fixpipe) TIME_RATIO(aic_mte1) TIME_RATIO(aic_mte2)          //
        NONE("aiv_mte2_time(us)") NONE("aiv_mte2_ratio")                           //
        TIME_RATIO(aic_mte3) NONE("aiv_mte3_time(us)") NONE("aiv_mte3_ratio")      //
        NONE("aic_icache_miss_rate") NONE("aiv_icache_miss_rate")                  //
        BANDWIDTH(aic_mte3, 6) ",\n" NONE("aiv_mte3_active_bw(GB/s)")              //
        BANDWIDTH(aic_fixpipe, 4) ",\n" NONE("aiv_mte2_active_bw(GB/s)")           //
        BANDWIDTH(aic_mte1, 2) ",\n" BANDWIDTH(aic_mte2,
                                               1) "\n" //
                                                  "FROM v_msprof_pipe AS m\n"
                                                  "WHERE m.run_id = ?1 AND m.block_id >= ?2 AND "
                                                  "m.block_id < ?2 + ?3 ORDER BY m.block_id";
#undef DECIMAL
#undef TIME_RATIO
#undef NONE
#undef BYTES
#undef BANDWIDTH
    return export_table(store, query, run_id, options, file, diag);
}
