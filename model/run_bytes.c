#include "model/run_bytes.h"

#include <inttypes.h>

#include "isa/effect.h"
#include "isa/registers.h"
#include "isa/view.h"
#include "model/clocks.h"
#include "model/gm_quiet.h"
#include "model/held.h"
#include "model/race.h"
#include "model/run_findings.h"
#include "model/sync.h"

struct execution {
    struct machine machine;
    struct registers registers;
    struct held held[PIPE_COUNT]; /* what stands */
    struct sync sync;
    struct clocks clocks;
    struct race *race; /* NULL: nobody looks for races */
    struct finding_sink sink;
    struct run_findings findings;
    enum status status;
};

/* Executes one instruction, false when it has to stand. */
static bool execution_step(struct execution *execution, const struct step *step, bool *lets_go)
{
    struct race *race = execution->race;
    if (!sync_begin(&execution->sync, step))
        return false;
    execution->findings.seq = step->seq;
    if (race != NULL)
        race_begin(race, &step->insn, step->seq);
    uint64_t refused = execution->machine.refused;
    effect_apply(&execution->machine, &step->insn);
    if (execution->machine.refused > refused && step->insn.opcode == OP_MMAD)
        execution->findings.result->refused_macs += insn_macs(&step->insn);
    if (race != NULL && race_end(race) != STATUS_OK)
        execution->status = STATUS_NO_MEMORY;
    *lets_go |= sync_end(&execution->sync, step);
    return true;
}

/* Goes on with the held instructions of a pipe until one has to stand. */
static bool pipe_resume(struct execution *execution, struct held *held)
{
    const struct step *step;
    bool lets_go = false;
    while ((step = held_front(held)) != NULL && execution_step(execution, step, &lets_go))
        held_pop(held);
    return lets_go;
}

/* Goes on until every pipe stands; pipes in their order, again and again. */
static void execution_resume(struct execution *execution)
{
    bool lets_go = true;
    while (lets_go && execution->status == STATUS_OK) {
        lets_go = false;
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
            lets_go |= pipe_resume(execution, &execution->held[pipe]);
    }
}

static bool execution_stands(const struct execution *execution)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (held_front(&execution->held[pipe]) != NULL)
            return true;
    return false;
}

/* Takes one instruction of the stream; false when the stream cannot go on behind it. */
static bool execution_take(struct execution *execution, struct step *step)
{
    const struct insn *insn = &step->insn;
    bool lets_go = false;
    sync_dispatch(&execution->sync, step);
    if (insn->opcode == OP_PIPE_BARRIER && insn->pipe == PIPE_ALL) {
        if (execution_stands(execution))
            return false;
        sync_barrier_all(&execution->sync);
        return true;
    }
    struct held *held = &execution->held[insn->pipe];
    if (held_front(held) != NULL || !execution_step(execution, step, &lets_go)) {
        if (insn->pipe == PIPE_SCALAR)
            return false;
        if (held_push(held, step) != STATUS_OK)
            execution->status = STATUS_NO_MEMORY;
    }
    if (lets_go)
        execution_resume(execution);
    return true;
}

/* ---- what stands for ever ---- */

/* The rest of the stream is judged and not executed. */
static void execution_drain(struct execution *execution, const struct program *program,
                            void *stream, uint32_t seq)
{
    struct step step;
    while (program->next(stream, &step.insn)) {
        step.seq = seq++;
        sync_dispatch(&execution->sync, &step);
    }
    execution->status = program->ended(stream);
}

/* stopped: the instruction that the stream stands at, or NULL. */
static void execution_deadlock(struct execution *execution, const struct step *stopped)
{
    struct standing standing[PIPE_COUNT + 1];
    size_t count = 0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        const struct step *step =
            pipe == PIPE_SCALAR ? stopped : held_front(&execution->held[pipe]);
        if (step != NULL)
            standing[count++] = (struct standing){
                .pipe = (enum pipe)pipe,
                .cause = sync_cause(&step->insn),
                .seq = step->seq,
                .insn = step->insn,
            };
    }
    const char *message = deadlock_message(standing, count, execution->findings.arena);
    if (message == NULL) {
        execution->status = STATUS_NO_MEMORY;
        return;
    }
    findings_add(&execution->findings, HAZARD_DEADLOCK, standing[0].seq, standing[0].insn.line,
                 message);
}

static void execution_stuck(struct execution *execution, const struct program *program,
                            const struct step *stopped, struct arena *work)
{
    execution->findings.result->deadlocked = true;
    void *again = program->open(program->context, execution->findings.core, work);
    if (again == NULL) {
        execution->status = STATUS_NO_MEMORY;
        return;
    }
    execution->status = sync_tell_unset(&execution->sync, again);
    if (execution->status == STATUS_OK)
        execution_deadlock(execution, stopped);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        held_clear(&execution->held[pipe]);
}

/* Registers are set at dispatch, so this is no matter of an effect. */
static void note_padding(struct execution *execution, const struct step *step)
{
    const struct registers *registers = &execution->registers;
    if (!insn_loses_padding(registers, &step->insn))
        return;
    execution->findings.seq = step->seq;
    note_report(&execution->machine, &step->insn,
                "padValue 0 replaces %" PRId64
                " of set_padding_value; isSetPadding=0 would take that",
                registers->padValue);
}

/* What was not kept on the way ends the run. */
static void execution_check(struct execution *execution)
{
    if (execution->status == STATUS_OK)
        execution->status = execution->sync.status;
    if (execution->status == STATUS_OK)
        execution->status = execution->findings.status;
}

static void execution_core(struct execution *execution, const struct program *program, void *stream,
                           struct arena *work)
{
    struct step step;
    uint32_t seq = 0;
    bool goes_on = true;
    sync_reset(&execution->sync);
    registers_init(&execution->registers);
    machine_reset(&execution->machine);
    if (execution->race != NULL)
        race_core(execution->race, execution->findings.core);
    while (goes_on && execution->status == STATUS_OK && program->next(stream, &step.insn)) {
        step.seq = seq++;
        note_padding(execution, &step);
        insn_capture(&execution->registers, &step.insn);
        goes_on = execution_take(execution, &step);
        execution_check(execution);
    }
    if (execution->status == STATUS_OK) /* behind a stop the rest still counts */
        execution_drain(execution, program, stream, seq);
    if (execution->status != STATUS_OK)
        return;
    bool stands = !goes_on || execution_stands(execution);
    if (stands)
        execution_stuck(execution, program, goes_on ? NULL : &step, work);
    if (execution->status == STATUS_OK)
        sync_finish(&execution->sync, stands);
    execution_check(execution);
}

/* ---- the whole program ---- */

static enum status execution_open(struct execution *execution, const struct program *program,
                                  const struct product *product, struct memory *tensor,
                                  bool unchecked, struct arena *work)
{
    execution->sink = (struct finding_sink){findings_take, &execution->findings};
    struct race_options race = {
        .program = program,
        .machine = &execution->machine,
        .accumulate_below = product_whole(product, PRODUCT_CUBE_BARRIER_BELOW),
        .clocks = &execution->clocks,
        .sink = &execution->sink,
    };
    for (enum space space = 0; space < SPACE_COUNT; space++)
        race.size_bytes[space] = product_memory_bytes(product, space);
    const struct sync_options sync = {
        .program = program,
        .product_ids = (uint32_t)product_whole(product, PRODUCT_SYNC_IDS),
        .l0c_bytes = race.size_bytes[SPACE_L0C],
        .sink = &execution->sink,
        .clocks = &execution->clocks,
    };
    enum status status = machine_init(&execution->machine, program, race.size_bytes, tensor, work);
    if (status == STATUS_OK)
        status = sync_open(&sync, work, &execution->sync);
    bool *quiet = NULL;
    if (status == STATUS_OK && !unchecked)
        status = gm_quiet(program, work, &quiet);
    if (status == STATUS_OK && !unchecked)
        status = race_open(&race, work, &execution->race);
    execution->machine.quiet = quiet;
    execution->machine.hazard = findings_hazard;
    execution->machine.note = findings_note;
    execution->machine.hazard_context = &execution->findings;
    execution->machine.access = execution->race != NULL ? race_access : NULL;
    execution->machine.access_context = execution->race;
    return status;
}

static void execution_close(struct execution *execution)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        held_close(&execution->held[pipe]);
    sync_close(&execution->sync);
    race_close(execution->race);
}

enum status run_bytes(const struct program *program, const struct product *product,
                      struct memory *tensor, bool unchecked, struct arena *arena,
                      struct run_result *result)
{
    struct arena work;
    arena_init(&work, 0);
    struct execution *execution = arena_take(&work, 1, sizeof *execution);
    if (execution == NULL) {
        arena_deinit(&work);
        return STATUS_NO_MEMORY;
    }
    execution->findings.arena = arena;
    execution->findings.result = result;
    execution->status = execution_open(execution, program, product, tensor, unchecked, &work);
    for (uint32_t core = 0; core < program->core_count && execution->status == STATUS_OK; core++) {
        execution->findings.core = core;
        void *stream = program->open(program->context, core, &work);
        if (stream == NULL)
            execution->status = STATUS_NO_MEMORY;
        else
            execution_core(execution, program, stream, &work);
    }
    enum status status = execution->status;
    result->stored_twice_bytes = execution->machine.stored_twice;
    result->refused_instructions = execution->machine.refused;
    result->saturated_values = execution->machine.saturated;
    execution_close(execution);
    arena_deinit(&work);
    return status;
}
