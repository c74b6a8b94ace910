#include "traces/path_spool.h"

#include <assert.h>

/* opcode of a step that belongs to no instruction */
enum { NO_OPCODE = OP_COUNT };
_Static_assert((int)NO_OPCODE <= UINT16_MAX, "an opcode fits");

struct spooled_step {
    uint64_t before;
    tick ticks;
    uint32_t core, seq;
    uint16_t opcode;
    uint8_t pipe, kind, cause;
};

void path_spool_init(struct path_spool *spool, const char *path)
{
    record_file_init(&spool->steps, path, sizeof(struct spooled_step));
    record_file_init(&spool->path, path, sizeof(uint64_t));
}

void path_spool_deinit(struct path_spool *spool)
{
    record_file_deinit(&spool->steps);
    record_file_deinit(&spool->path);
}

enum status path_spool_add(struct path_spool *spool, const struct timeline_step *told)
{
    const struct path_step *step = told->step;
    assert(step->number == spool->steps.count + 1 && step->before < step->number);
    const struct spooled_step spooled = {
        .before = step->before,
        .ticks = step->ticks,
        .core = step->core,
        .seq = step->seq,
        .opcode = (uint16_t)(told->insn == NULL ? NO_OPCODE : told->insn->opcode),
        .pipe = (uint8_t)step->pipe,
        .kind = (uint8_t)step->kind,
        .cause = (uint8_t)step->cause,
    };
    return record_file_add(&spool->steps, &spooled);
}

/* Collects the numbers of the steps from the last one back. */
static enum status path_spool_trace(struct path_spool *spool, uint64_t last)
{
    enum status status = STATUS_OK;
    record_file_deinit(&spool->path);
    for (uint64_t number = last; number != 0 && status == STATUS_OK;) {
        struct spooled_step step = {0};
        status = record_file_read(&spool->steps, number - 1, &step);
        if (status == STATUS_OK)
            status = record_file_add(&spool->path, &number);
        number = step.before;
    }
    return status;
}

enum status path_spool_walk(struct path_spool *spool, uint64_t last, stored_step_sink *visit,
                            void *context)
{
    enum status status = path_spool_trace(spool, last);
    tick start = 0;
    for (uint64_t i = 0; i < spool->path.count && status == STATUS_OK; i++) {
        uint64_t number = 0;
        struct spooled_step step = {0};
        status = record_file_read(&spool->path, spool->path.count - 1 - i, &number);
        if (status == STATUS_OK)
            status = record_file_read(&spool->steps, number - 1, &step);
        if (status != STATUS_OK)
            break;
        const struct stored_step stored = {
            .step = i,
            .core = step.core,
            .pipe = step.pipe,
            .seq = step.seq,
            .opcode = step.opcode == NO_OPCODE ? "" : insn_info((enum opcode)step.opcode)->mnemonic,
            .kind = (enum step_kind)step.kind,
            .cause = (enum cause)step.cause,
            .start = start,
            .cycles = step.ticks,
        };
        start += step.ticks;
        status = visit(context, &stored);
    }
    return status;
}
