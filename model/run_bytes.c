#include "model/run_bytes.h"

#include <assert.h>
#include <string.h>

#include "isa/effect.h"
#include "isa/registers.h"

struct held {
    struct insn insn;
    uint32_t seq;
};

/* Instructions of a pipe that stand behind a wait. */
struct held_queue {
    struct held *items; /* array_grow */
    size_t capacity, first, count;
};

struct execution {
    struct machine machine;
    struct registers registers;
    struct held_queue held[PIPE_COUNT];
    uint32_t *flag; /* [flag]: set more often than waited for */
    uint32_t event_ids;
    uint32_t core, seq; /* of the instruction at work */
    struct arena *arena;
    struct run_result *result;
    enum status status;
};

static void execution_hazard(void *context, enum hazard_kind kind, const struct insn *insn,
                             const char *message)
{
    struct execution *execution = context;
    const struct hazard_record hazard = {
        .kind = kind,
        .core = execution->core,
        .seq = execution->seq,
        .line = insn != NULL ? insn->line : 0,
        .message = message,
    };
    if (run_hazard_add(execution->result, &hazard, execution->arena) != STATUS_OK)
        execution->status = STATUS_NO_MEMORY;
}

/* Executes one instruction, false when it is a wait that has to stand. */
static bool execution_step(struct execution *execution, const struct insn *insn, uint32_t seq)
{
    execution->seq = seq;
    switch (insn->opcode) {
    case OP_SET_FLAG:
        execution->flag[insn_flag(insn, execution->event_ids)]++;
        return true;
    case OP_WAIT_FLAG: {
        uint32_t *flag = &execution->flag[insn_flag(insn, execution->event_ids)];
        if (*flag == 0)
            return false;
        --*flag;
        return true;
    }
    default:
        effect_apply(&execution->machine, insn);
        return true;
    }
}

static void held_push(struct execution *execution, struct held_queue *queue,
                      const struct insn *insn, uint32_t seq)
{
    if (queue->first + queue->count == queue->capacity) {
        void *grown =
            array_grow(queue->items, &queue->capacity, queue->capacity + 1, sizeof *queue->items);
        if (grown == NULL) {
            execution->status = STATUS_NO_MEMORY;
            return;
        }
        queue->items = grown;
    }
    queue->items[queue->first + queue->count++] = (struct held){*insn, seq};
}

/* Goes on with held instructions until every pipe stands; pipes in their order, again and again. */
static void execution_resume(struct execution *execution)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
            struct held_queue *queue = &execution->held[pipe];
            while (queue->count > 0) {
                const struct held *held = &queue->items[queue->first];
                if (!execution_step(execution, &held->insn, held->seq))
                    break;
                moved = true;
                queue->first++;
                queue->count--;
            }
            if (queue->count == 0)
                queue->first = 0;
        }
    }
}

static bool execution_stands(const struct execution *execution)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (execution->held[pipe].count > 0)
            return true;
    return false;
}

static void execution_stuck(struct execution *execution)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        const struct held_queue *queue = &execution->held[pipe];
        if (queue->count == 0)
            continue;
        const struct held *held = &queue->items[queue->first];
        execution->seq = held->seq;
        const char *message = arena_format(execution->arena,
                                           "%s stands at #%u and nothing sets "
                                           "the flag that it waits for",
                                           pipe_word(pipe), held->seq);
        if (message != NULL)
            execution_hazard(execution, HAZARD_DEADLOCK, &held->insn, message);
    }
    execution->status = STATUS_DEADLOCK;
}

/* Flags that were set and not waited for. */
static void execution_flags_left(struct execution *execution)
{
    uint32_t ids = execution->event_ids;
    for (uint32_t flag = 0; flag < flag_count(ids); flag++) {
        if (execution->flag[flag] == 0)
            continue;
        const char *message = arena_format(
            execution->arena, "flag %s->%s id %u was set %u times more than waited for",
            pipe_word(flag_source(flag, ids)), pipe_word(flag_target(flag, ids)), flag % ids,
            execution->flag[flag]);
        if (message != NULL)
            execution_hazard(execution, HAZARD_FLAG_LEFT, NULL, message);
    }
}

static void execution_core(struct execution *execution, const struct program *program, void *stream)
{
    struct insn insn;
    memset(execution->flag, 0, flag_count(execution->event_ids) * sizeof *execution->flag);
    registers_init(&execution->registers);
    machine_reset(&execution->machine);
    bool stopped = false; /* at a barrier over all pipes that cannot clear */
    for (uint32_t seq = 0; !stopped && program->next(stream, &insn); seq++) {
        insn_capture(&execution->registers, &insn);
        if (insn.opcode == OP_PIPE_BARRIER && insn.field[PIPE_BARRIER_pipe] == PIPE_ALL) {
            stopped = execution_stands(execution);
            continue;
        }
        struct held_queue *queue = &execution->held[insn.pipe];
        if (queue->count > 0 || !execution_step(execution, &insn, seq))
            held_push(execution, queue, &insn, seq);
        else if (insn.opcode == OP_SET_FLAG && execution_stands(execution))
            execution_resume(execution);
        if (execution->status != STATUS_OK)
            return;
    }
    if (!stopped)
        execution->status = program->ended(stream);
    if (execution->status != STATUS_OK)
        return;
    if (execution_stands(execution))
        execution_stuck(execution);
    else
        execution_flags_left(execution);
}

static enum status execution_run(struct execution *execution, const struct program *program,
                                 const struct product *product, struct memory *tensor,
                                 struct arena *work)
{
    uint64_t size_bytes[SPACE_COUNT];
    execution->event_ids = program->event_ids;
    execution->flag = arena_take(work, flag_count(program->event_ids), sizeof *execution->flag);
    if (execution->flag == NULL)
        return STATUS_NO_MEMORY;
    for (enum space space = 0; space < SPACE_COUNT; space++)
        size_bytes[space] = product_memory_bytes(product, space);
    enum status status = machine_init(&execution->machine, program, size_bytes, tensor, work);
    if (status != STATUS_OK)
        return status;
    execution->machine.hazard = execution_hazard;
    execution->machine.hazard_context = execution;
    for (uint32_t core = 0; core < program->core_count; core++) {
        execution->core = core;
        void *stream = program->open(program->context, core, work);
        if (stream == NULL)
            return STATUS_NO_MEMORY;
        execution_core(execution, program, stream);
        if (execution->status != STATUS_OK)
            return execution->status;
    }
    return STATUS_OK;
}

enum status run_bytes(const struct program *program, const struct product *product,
                      struct memory *tensor, struct arena *arena, struct run_result *result)
{
    struct arena work;
    arena_init(&work, 0);
    struct execution *execution = arena_take(&work, 1, sizeof *execution);
    if (execution == NULL) {
        arena_deinit(&work);
        return STATUS_NO_MEMORY;
    }
    execution->arena = arena;
    execution->result = result;
    enum status status = execution_run(execution, program, product, tensor, &work);
    result->output_twice_bytes = execution->machine.stored_twice;
    result->saturated_values = execution->machine.saturated;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        array_release(execution->held[pipe].items);
    arena_deinit(&work);
    return status;
}
