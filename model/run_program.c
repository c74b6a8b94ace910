#include "model/run_program.h"

#include <string.h>
#include <time.h>

#include "model/run_bytes.h"
#include "model/run_time.h"

static enum status record_set(struct hazard_record *kept, const struct hazard_record *record,
                              struct arena *arena)
{
    const char *message = arena_text(arena, record->message, strlen(record->message));
    if (message == NULL)
        return STATUS_NO_MEMORY;
    *kept = *record;
    kept->message = message;
    return STATUS_OK;
}

/* Where a hazard goes, or NULL: of each kind the first RUN_HAZARDS_OF_KIND are kept, and every
 * deadlock; when there is no room they take that of the last one of the kind that has most. */
static struct hazard_record *hazard_room(struct run_result *result, enum hazard_kind kind)
{
    if (result->hazards_kept < RUN_HAZARDS_MAX)
        return &result->hazards[result->hazards_kept++];
    uint64_t count[HAZARD_COUNT] = {0}, last[HAZARD_COUNT] = {0};
    for (uint64_t i = 0; i < RUN_HAZARDS_MAX; i++) {
        count[result->hazards[i].kind]++;
        last[result->hazards[i].kind] = i;
    }
    if (kind != HAZARD_DEADLOCK && count[kind] >= RUN_HAZARDS_OF_KIND)
        return NULL;
    enum hazard_kind most = 0;
    for (enum hazard_kind other = 0; other < HAZARD_DEADLOCK; other++)
        most = count[other] > count[most] ? other : most;
    if (count[most] == 0)
        return NULL;
    struct hazard_record *gone = &result->hazards[last[most]];
    memmove(gone, gone + 1, (RUN_HAZARDS_MAX - 1 - last[most]) * sizeof *gone);
    return &result->hazards[RUN_HAZARDS_MAX - 1];
}

enum status run_hazard_add(struct run_result *result, const struct hazard_record *hazard,
                           struct arena *arena)
{
    struct hazard_record *kept = hazard_room(result, hazard->kind);
    result->hazard_count++;
    return kept != NULL ? record_set(kept, hazard, arena) : STATUS_OK;
}

enum status run_note_add(struct run_result *result, const struct hazard_record *note,
                         struct arena *arena)
{
    result->note_count++;
    if (result->notes_kept == RUN_NOTES_MAX)
        return STATUS_OK;
    return record_set(&result->notes[result->notes_kept++], note, arena);
}

/* ---- time ---- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cycles_us(const struct product *product, tick cycles)
{
    double mhz = (double)product_value(product, PRODUCT_CHIP_CLOCK) / (double)QUANTITY_ONE;
    return (double)cycles / mhz;
}

static enum status run_l2(const struct program_run *run, struct arena *arena, struct l2_plan *l2)
{
    struct l2_options options = {
        .size_bytes = product_whole(run->product, PRODUCT_L2_SIZE),
        .line_bytes = product_whole(run->product, PRODUCT_L2_LINE),
    };
    return l2_decide(run->program, &options, l2, arena);
}

/* The time with all numbers of the product at one end of their range. Sizes have no such ends, so
 * the split into hits and misses stays. */
static enum status run_range_end(const struct program_run *run, const struct l2_plan *l2,
                                 bool faster, struct arena *arena, double *time_us)
{
    struct product *product = arena_take(arena, 1, sizeof *product);
    struct run_result *result = arena_take(arena, 1, sizeof *result);
    if (product == NULL || result == NULL)
        return STATUS_NO_MEMORY;
    product_at_range_end(run->product, faster, product);
    struct time_options options = {.program = run->program, .product = product, .l2 = l2};
    enum status status = time_program(&options, arena, result);
    if (status == STATUS_OK)
        *time_us = cycles_us(product, result->cycles);
    return status;
}

static enum status run_range(const struct program_run *run, const struct l2_plan *l2,
                             struct run_result *result)
{
    struct arena work;
    double fast = 0.0, slow = 0.0, nominal = cycles_us(run->product, result->cycles);
    arena_init(&work, 0);
    enum status status = run_range_end(run, l2, true, &work, &fast);
    if (status == STATUS_OK)
        status = run_range_end(run, l2, false, &work, &slow);
    arena_deinit(&work);
    /* In-order pipes know anomalies: a faster part can, rarely, make a run slower. */
    result->range_us[0] = fast < nominal ? fast : nominal;
    result->range_us[1] = slow > nominal ? slow : nominal;
    return status;
}

/* The nominal run with its observers, then the ends of the range. */
static enum status run_timing(const struct program_run *run, struct arena *arena,
                              struct run_result *result)
{
    struct l2_plan l2 = {0};
    double started = seconds_now();
    enum status status = run_l2(run, arena, &l2);
    if (status == STATUS_OK) {
        result->gm_read_bytes = l2.read_bytes;
        result->gm_miss_bytes = l2.miss_bytes;
        result->gm_write_bytes = l2.write_bytes;
        result->gm_write_back_bytes = l2.write_back_bytes;
        struct time_options time = {
            .program = run->program,
            .product = run->product,
            .l2 = &l2,
            .sink = run->sink,
            .steps = run->steps,
            .precedences = run->precedences,
            .sink_context = run->sink_context,
            .core0_only = run->core0_only,
        };
        status = time_program(&time, arena, result);
    }
    result->simulator_seconds = seconds_now() - started;
    if (!result->deadlocked)
        result->range_us[0] = result->range_us[1] = cycles_us(run->product, result->cycles);
    if (status == STATUS_OK && run->with_range && !result->deadlocked)
        status = run_range(run, &l2, result);
    l2_deinit(&l2);
    return status;
}

/* ---- bytes ---- */

static bool deadlock_is_told(const struct run_result *result, uint32_t core)
{
    for (uint64_t i = 0; i < result->hazards_kept; i++)
        if (result->hazards[i].kind == HAZARD_DEADLOCK && result->hazards[i].core == core)
            return true;
    return false;
}

/* A core that stands for ever is told about by the run that computes bytes; not so when there is
 * none, or when only time makes it stand: a full queue. */
static enum status run_stuck(struct run_result *result, struct arena *arena)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < result->stuck_count && status == STATUS_OK; i++)
        if (!deadlock_is_told(result, result->stuck[i].core))
            status = run_hazard_add(result, &result->stuck[i], arena);
    return status;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t gm_bytes(const struct program *program)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->region_count; i++)
        if (program->regions[i].space == SPACE_GM)
            bytes += program->regions[i].size_bytes;
    return bytes;
}

enum status run_program(const struct program_run *run, struct arena *arena,
                        struct run_result *result)
{
    *result = (struct run_result){
        .tensor_bytes = gm_bytes(run->program),
        .launch_us = product_launch_us(run->product),
        .hazards = arena_take(arena, RUN_HAZARDS_MAX, sizeof *result->hazards),
        .notes = arena_take(arena, RUN_NOTES_MAX, sizeof *result->notes),
    };
    enum status status = result->hazards == NULL || result->notes == NULL
                             ? STATUS_NO_MEMORY
                             : run_timing(run, arena, result);
    if (status == STATUS_OK && run->tensor != NULL)
        status = run_bytes(run->program, run->product, run->tensor, run->unchecked, arena, result);
    result->macs = result->mmad_macs - smaller(result->refused_macs, result->mmad_macs);
    if (status == STATUS_OK)
        status = run_stuck(result, arena);
    return status;
}

enum status run_explain(enum status status, const struct run_result *result, struct diag *diag)
{
    if (status == STATUS_NO_MEMORY)
        return diag_add(diag, status, place_none(), "memory ran out");
    if (status == STATUS_LIMIT)
        return diag_add(diag, status, place_none(),
                        "the tensors take %llu bytes of GM and the streams have %llu instructions "
                        "so far; expected less than 2^32 L2 lines and instructions of a core",
                        (unsigned long long)result->tensor_bytes,
                        (unsigned long long)result->instructions);
    return status;
}
