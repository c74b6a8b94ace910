#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "model/roofline.h"
#include "traces/store_private.h"

/* ---- identity ---- */

/* Hashes of the parts are hashed again, so that no text can run over into its neighbour. */
void store_run_key(const char *plan_json, const char *product_json, const char *version,
                   uint64_t seed, char key[33])
{
    const char *const part[] = {plan_json, product_json, version};
    enum { PART_COUNT = sizeof part / sizeof *part };
    XXH128_canonical_t digest[PART_COUNT + 1];
    memset(digest, 0, sizeof digest);
    for (size_t i = 0; i < PART_COUNT; i++)
        XXH128_canonicalFromHash(&digest[i], XXH3_128bits(part[i], strlen(part[i])));
    for (size_t i = 0; i < sizeof seed; i++)
        digest[PART_COUNT].digest[i] = (unsigned char)(seed >> (8 * i));
    XXH128_canonical_t whole;
    XXH128_canonicalFromHash(&whole, XXH3_128bits(digest, sizeof digest));
    for (size_t i = 0; i < sizeof whole.digest; i++)
        snprintf(key + 2 * i, 3, "%02x", whole.digest[i]);
}

/* The name that people use: the alias of the SoC, or the SoC. */
static const char *product_word(const struct product *product)
{
    bool has_alias = product->alias != NULL && product->alias[0] != '\0';
    return has_alias ? product->alias : product->soc;
}

static double product_real(const struct product *product, enum product_key key)
{
    return (double)product_value(product, key) / (double)QUANTITY_ONE;
}

/* ---- begin, rows, abort ---- */

static enum status store_reserve(struct store *store, struct diag *diag, int64_t *run_id)
{
    enum status status = store_lock(store, store_saving, diag);
    if (status != STATUS_OK)
        return status;
    sqlite3_stmt *statement = NULL;
    status = store_prepare(store,
                           "UPDATE run_counter SET last_run_id = 1 + MAX(last_run_id,\n"
                           "  (SELECT COALESCE(MAX(run_id), 0) FROM run)) RETURNING last_run_id",
                           store_saving, diag, &statement);
    if (status == STATUS_OK) {
        if (sqlite3_step(statement) == SQLITE_ROW)
            *run_id = sqlite3_column_int64(statement, 0);
        else
            status = store_fail(store, store_saving, diag);
    }
    sqlite3_finalize(statement);
    if (status == STATUS_OK)
        return store_commit(store, store_saving, diag);
    store_rollback(store);
    return status;
}

enum status store_begin(struct store *store, const struct subject *subject, const char *version,
                        struct diag *diag, int64_t *run_id)
{
    assert(!store->writing);
    enum status status = store_reserve(store, diag, run_id);
    if (status != STATUS_OK)
        return status;
    store->product_json = product_json(subject->product, &store->texts);
    store->writing = true;
    store->run_id = *run_id;
    store->subject = subject;
    store->version = version;
    store->row_problem[0] = '\0';
    if (store->product_json == NULL) {
        store_abort(store);
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    }
    return STATUS_OK;
}

/* Remembers what a row or step met on its way. */
static enum status store_spooled(struct store *store, enum status status)
{
    if (status == STATUS_IO)
        snprintf(store->row_problem, sizeof store->row_problem,
                 "cannot write rows to a file beside '%s': %s", store->path, strerror(errno));
    else if (status != STATUS_OK)
        snprintf(store->row_problem, sizeof store->row_problem, "memory ran out after %llu rows",
                 (unsigned long long)store->spool.row_count);
    return status;
}

enum status store_row(void *context, const struct timeline_row *row)
{
    struct store *store = context;
    assert(store->writing);
    struct row spooled = *row->row;
    enum status status = catalog_find(&store->catalog, store->subject->program, row, &spooled.tag);
    if (status == STATUS_OK)
        status = spool_add(&store->spool, &spooled);
    return store_spooled(store, status);
}

enum status store_step(void *context, const struct timeline_step *step)
{
    struct store *store = context;
    assert(store->writing);
    return store_spooled(store, path_spool_add(&store->path_spool, step));
}

enum status store_precedence(void *context, const struct precedence *precedence)
{
    struct store *store = context;
    assert(store->writing);
    return store_spooled(store, slack_add(&store->slack, precedence));
}

const char *store_problem(const struct store *store)
{
    return store->row_problem;
}

void store_abort(struct store *store)
{
    store_rollback(store);
    spool_deinit(&store->spool);
    path_spool_deinit(&store->path_spool);
    slack_deinit(&store->slack);
    catalog_deinit(&store->catalog);
    arena_deinit(&store->texts);
    arena_init(&store->texts, 0);
    store->advice = NULL;
    store->writing = false;
}

/* ---- the parts of a run ---- */

/* Which cores have rows. */
static const char *timeline_word(const struct store *store, const struct run_result *result)
{
    if (store->spool.row_count == 0)
        return "none";
    bool only_core0 = store->spool.track_count <= PIPE_COUNT;
    return only_core0 && result->cores > 1 ? "core0" : "all";
}

static void bind_identity(struct store *store, struct insert *insert, const char *key)
{
    const struct product *product = store->subject->product;
    insert_number(insert, (uint64_t)store->run_id);
    insert_text(insert, store->version);
    insert_text(insert, product_word(product));
    insert_text(insert, product->soc);
    insert_real(insert, product_real(product, PRODUCT_CHIP_CLOCK));
    insert_real(insert, product_launch_us(product));
    insert_text(insert, store->subject->problem);
    insert_text(insert, store->subject->tiling);
    insert_text(insert, key);
    insert_text(insert, store->subject->plan_json);
    insert_text(insert, store->product_json);
}

static void bind_result(struct store *store, struct insert *insert, const struct run_result *result)
{
    bool has_range = result->range_us[1] > 0;
    insert_number(insert, result->cores);
    insert_number(insert, result->deciding_core);
    insert_number(insert, result->cycles);
    insert_real_or_null(insert, result->range_us[0], !has_range);
    insert_real_or_null(insert, result->range_us[1], !has_range);
    insert_text(insert, result->bound);
    insert_number(insert, result->macs);
    insert_number(insert, result->mmad_macs);
    insert_number(insert, result->cube_macs);
    insert_number(insert, result->instructions);
    insert_number(insert, result->gm_read_bytes);
    insert_number(insert, result->gm_write_bytes);
    insert_number(insert, result->gm_miss_bytes);
    insert_number(insert, result->gm_write_back_bytes);
    insert_number(insert, result->tensor_bytes);
    insert_number_or_null(insert, result->comparison.compared, !result->verified);
    insert_number_or_null(insert, result->comparison.mismatches, !result->verified);
    insert_real_or_null(insert, result->comparison.max_abs_error, !result->verified);
    insert_number(insert, result->hazard_count);
    insert_text(insert, timeline_word(store, result));
    insert_real(insert, result->simulator_seconds);
}

static enum status write_run(struct store *store, const struct run_result *result,
                             struct diag *diag)
{
    struct insert insert;
    enum status status = insert_open(
        store,
        "INSERT INTO run (created_utc, run_id, version, product, soc, clock_mhz, launch_us,\n"
        "  problem, tiling, run_key, plan_json, product_json, cores, deciding_core, cycles,\n"
        "  time_low_us, time_high_us, bound, macs, mmad_macs, cube_macs, instructions,\n"
        "  gm_read_bytes, gm_write_bytes, gm_miss_bytes, gm_write_back_bytes, tensor_bytes,\n"
        "  compared, mismatches, max_abs_error, hazards, timeline, simulator_seconds)\n"
        "VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,\n"
        "  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        diag, &insert);
    if (status != STATUS_OK)
        return status;
    char key[33];
    store_run_key(store->subject->plan_json, store->product_json, store->version, 0, key);
    bind_identity(store, &insert, key);
    bind_result(store, &insert, result);
    status = insert_row(store, &insert, diag);
    insert_close(&insert);
    return status;
}

static enum status write_cores(struct store *store, const struct run_result *result,
                               struct diag *diag)
{
    struct insert insert;
    enum status status = insert_open(
        store, "INSERT INTO core_total (run_id, core, cycles) VALUES (?, ?, ?)", diag, &insert);
    for (uint64_t core = 0; core < result->cores && status == STATUS_OK; core++) {
        insert_number(&insert, (uint64_t)store->run_id);
        insert_number(&insert, core);
        insert_number(&insert, result->core_cycles[core]);
        status = insert_row(store, &insert, diag);
    }
    insert_close(&insert);
    return status;
}

/* Writes what belongs to one pipe of one core. */
typedef enum status pipe_writer(struct store *store, struct insert *insert, uint64_t core,
                                uint32_t pipe, const struct pipe_stats *stats, struct diag *diag);

static void bind_pipe(struct store *store, struct insert *insert, uint64_t core, uint32_t pipe)
{
    insert_number(insert, (uint64_t)store->run_id);
    insert_number(insert, core);
    insert_number(insert, pipe);
}

static enum status write_pipe(struct store *store, struct insert *insert, uint64_t core,
                              uint32_t pipe, const struct pipe_stats *stats, struct diag *diag)
{
    bind_pipe(store, insert, core, pipe);
    insert_number(insert, stats->instructions);
    insert_number(insert, stats->busy);
    insert_number(insert, stats->waiting);
    insert_number(insert, stats->idle);
    insert_number(insert, stats->link);
    insert_number(insert, stats->active);
    return insert_row(store, insert, diag);
}

static enum status write_waits(struct store *store, struct insert *insert, uint64_t core,
                               uint32_t pipe, const struct pipe_stats *stats, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t cause = CAUSE_NONE + 1; cause < CAUSE_COUNT && status == STATUS_OK; cause++) {
        if (stats->wait[cause] == 0)
            continue;
        bind_pipe(store, insert, core, pipe);
        insert_number(insert, cause);
        insert_number(insert, stats->wait[cause]);
        insert_number(insert, stats->wait_count[cause]);
        status = insert_row(store, insert, diag);
    }
    return status;
}

static enum status write_waits_for(struct store *store, struct insert *insert, uint64_t core,
                                   uint32_t pipe, const struct pipe_stats *stats, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t other = 0; other < PIPE_COUNT && status == STATUS_OK; other++) {
        if (stats->wait_for[other] == 0)
            continue;
        bind_pipe(store, insert, core, pipe);
        insert_number(insert, other);
        insert_number(insert, stats->wait_for[other]);
        status = insert_row(store, insert, diag);
    }
    return status;
}

/* A pipe is written for every core when any core uses it, so that cores compare. */
static bool any_core_uses(const struct run_result *result, uint32_t pipe)
{
    for (uint64_t core = 0; core < result->cores; core++)
        if (pipe_is_used(&result->pipe[core * PIPE_COUNT + pipe]))
            return true;
    return false;
}

static enum status write_each_pipe(struct store *store, const struct run_result *result,
                                   const char *sql, pipe_writer *write, struct diag *diag)
{
    struct insert insert;
    enum status status = insert_open(store, sql, diag, &insert);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT && status == STATUS_OK; pipe++) {
        if (!any_core_uses(result, pipe))
            continue;
        for (uint64_t core = 0; core < result->cores && status == STATUS_OK; core++) {
            const struct pipe_stats *stats = &result->pipe[core * PIPE_COUNT + pipe];
            status = write(store, &insert, core, pipe, stats, diag);
        }
    }
    insert_close(&insert);
    return status;
}

static enum status write_pipes(struct store *store, const struct run_result *result,
                               struct diag *diag)
{
    enum status status = write_each_pipe(
        store, result,
        "INSERT INTO pipe_total (run_id, core, pipe, instructions, busy_cycles, waiting_cycles,\n"
        "  idle_cycles, link_cycles, active_cycles) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        write_pipe, diag);
    if (status == STATUS_OK)
        status = write_each_pipe(store, result,
                                 "INSERT INTO wait_total (run_id, core, pipe, cause, cycles,\n"
                                 "  occurrences) VALUES (?, ?, ?, ?, ?, ?)",
                                 write_waits, diag);
    if (status == STATUS_OK)
        status = write_each_pipe(store, result,
                                 "INSERT INTO wait_for_total (run_id, core, pipe, for_pipe,\n"
                                 "  cycles) VALUES (?, ?, ?, ?, ?)",
                                 write_waits_for, diag);
    return status;
}

/* pipe or cause is UINT32_MAX when the part has none. */
static enum status write_path_part(struct store *store, struct insert *insert, const char *kind,
                                   uint32_t pipe, uint32_t cause, tick cycles, struct diag *diag)
{
    if (cycles == 0)
        return STATUS_OK;
    insert_number(insert, (uint64_t)store->run_id);
    insert_text(insert, kind);
    insert_number_or_null(insert, pipe, pipe == UINT32_MAX);
    insert_number_or_null(insert, cause, cause == UINT32_MAX);
    insert_number(insert, cycles);
    return insert_row(store, insert, diag);
}

static enum status write_path(struct store *store, const struct path *path, struct diag *diag)
{
    struct insert insert;
    enum status status = insert_open(store,
                                     "INSERT INTO path_total (run_id, kind, pipe, cause, cycles)\n"
                                     "VALUES (?, ?, ?, ?, ?)",
                                     diag, &insert);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        for (uint32_t part = 0; part < PATH_PART_COUNT && status == STATUS_OK; part++)
            status = write_path_part(store, &insert, step_kind_word((enum step_kind)part), pipe,
                                     UINT32_MAX, path->part[pipe][part], diag);
    for (uint32_t cause = CAUSE_NONE + 1; cause < CAUSE_COUNT && status == STATUS_OK; cause++)
        status = write_path_part(store, &insert, step_kind_word(STEP_WAIT), UINT32_MAX, cause,
                                 path->cause[cause], diag);
    insert_close(&insert);
    return status;
}

/* The classes of the path are the basis of the numbers behind its cycles. */
static enum status write_basis(struct store *store, const struct path *path, struct diag *diag)
{
    struct insert insert;
    enum status status = insert_open(
        store, "INSERT INTO basis_total (run_id, basis, cycles) VALUES (?, ?, ?)", diag, &insert);
    _Static_assert((int)SIM_CLASSES == (int)BASIS_COUNT, "a class of the path for each basis");
    for (uint32_t basis = 0; basis < BASIS_COUNT && status == STATUS_OK; basis++) {
        insert_number(&insert, (uint64_t)store->run_id);
        insert_text(&insert, basis_word((enum basis)basis));
        insert_number(&insert, path->by_class[basis]);
        status = insert_row(store, &insert, diag);
    }
    insert_close(&insert);
    return status;
}

static enum status write_hazards(struct store *store, const struct run_result *result,
                                 struct diag *diag)
{
    struct insert insert;
    enum status status = insert_open(store,
                                     "INSERT INTO hazard (run_id, hazard_id, core, seq, kind,\n"
                                     "  message) VALUES (?, ?, ?, ?, ?, ?)",
                                     diag, &insert);
    for (uint64_t i = 0; i < result->hazards_kept && status == STATUS_OK; i++) {
        const struct hazard_record *hazard = &result->hazards[i];
        insert_number(&insert, (uint64_t)store->run_id);
        insert_number(&insert, i);
        insert_number(&insert, hazard->core);
        insert_number(&insert, hazard->seq);
        insert_text(&insert, hazard_word(hazard->kind));
        insert_text(&insert, hazard->message);
        status = insert_row(store, &insert, diag);
    }
    insert_close(&insert);
    return status;
}

/* The levels that the run has, in their order. */
static enum status write_roofline(struct store *store, const struct run_result *result,
                                  struct diag *diag)
{
    struct roofline roofline;
    struct insert insert;
    enum status status = insert_open(
        store,
        "INSERT INTO roofline (run_id, level, name, bytes, roof_bytes_per_cycle,\n"
        "  macs_per_byte, roof_macs_per_cycle, reached) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        diag, &insert);
    roofline_find(result, store->subject->product, &roofline);
    for (enum roof_level level = 0; level < ROOF_COUNT && status == STATUS_OK; level++) {
        const struct roof *roof = &roofline.level[level];
        if (roof->reached <= 0.0)
            continue;
        insert_number(&insert, (uint64_t)store->run_id);
        insert_number(&insert, level);
        insert_text(&insert, roof_word(level));
        insert_number(&insert, roof->bytes);
        insert_real_or_null(&insert, roof->roof_bytes_per_cycle, roof->bytes == 0);
        insert_real_or_null(&insert, roof->macs_per_byte, roof->bytes == 0);
        insert_real_or_null(&insert, roof->roof_macs_per_cycle, roof->roof_macs_per_cycle <= 0.0);
        insert_real(&insert, roof->reached);
        status = insert_row(store, &insert, diag);
    }
    insert_close(&insert);
    return status;
}

static enum status write_all(struct store *store, const struct run_result *result,
                             struct diag *diag)
{
    enum status status = write_run(store, result, diag);
    if (status == STATUS_OK)
        status = write_cores(store, result, diag);
    if (status == STATUS_OK)
        status = write_pipes(store, result, diag);
    if (status == STATUS_OK)
        status = write_path(store, &result->path, diag);
    if (status == STATUS_OK)
        status = write_basis(store, &result->path, diag);
    if (status == STATUS_OK)
        status = write_hazards(store, result, diag);
    if (status == STATUS_OK)
        status = write_roofline(store, result, diag);
    if (status == STATUS_OK)
        status = store_write_suggestions(store, diag);
    if (status == STATUS_OK)
        status = store_write_instructions(store, diag);
    if (status == STATUS_OK)
        status = store_write_timeline(store, result->cycles, diag);
    if (status == STATUS_OK)
        status = store_write_path(store, &result->path, diag);
    return status;
}

enum status store_finish(struct store *store, const struct run_result *result, struct diag *diag)
{
    assert(store->writing);
    enum status status = store_lock(store, store_saving, diag);
    if (status == STATUS_OK)
        status = write_all(store, result, diag);
    if (status == STATUS_OK)
        status = store_commit(store, store_saving, diag);
    store_abort(store);
    return status;
}
