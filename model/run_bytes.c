#include "model/run_bytes.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "isa/effect.h"
#include "isa/registers.h"
#include "isa/view.h"
#include "model/clocks.h"
#include "model/gm_quiet.h"
#include "model/race.h"
#include "model/sync.h"

/* Instructions of a pipe that stand behind a wait. */
struct held_queue {
    struct step *items; /* array_grow */
    size_t capacity, first, count;
};

/* Keys of the findings of one sort that were told: open addressing, 0 is empty. Once
 * RUN_HAZARDS_MAX are in it, no more of the sort are kept anyway. */
enum { TOLD_SLOTS = 4096 };
_Static_assert(TOLD_SLOTS >= 4 * RUN_HAZARDS_MAX, "the table stays sparse");
_Static_assert(RUN_NOTES_MAX <= RUN_HAZARDS_MAX, "no note is lost that would be kept");

struct told {
    uint64_t key[TOLD_SLOTS];
    uint32_t count;
};

struct execution {
    struct machine machine;
    struct registers registers;
    struct held_queue held[PIPE_COUNT];
    struct sync sync;
    struct clocks clocks;
    struct race *race; /* NULL: nobody looks for races */
    struct finding_sink sink;
    struct told hazards, notes;
    uint32_t core, seq; /* of the instruction at work */
    struct arena *arena;
    struct run_result *result;
    enum status status;
};

static void hazard_add(struct execution *execution, enum hazard_kind kind, uint32_t seq,
                       uint32_t line, const char *message)
{
    const struct hazard_record hazard = {
        .kind = kind,
        .core = execution->core,
        .seq = seq,
        .line = line,
        .message = message,
    };
    if (run_hazard_add(execution->result, &hazard, execution->arena) != STATUS_OK)
        execution->status = STATUS_NO_MEMORY;
}

/* Whether a finding of this key is told for the first time. */
static bool told_first(struct told *told, uint64_t key)
{
    if (told->count >= RUN_HAZARDS_MAX)
        return false;
    uint64_t slot = key % TOLD_SLOTS;
    while (told->key[slot] != 0 && told->key[slot] != key)
        slot = (slot + 1) % TOLD_SLOTS;
    if (told->key[slot] == key)
        return false;
    told->key[slot] = key;
    told->count++;
    return true;
}

static uint64_t text_key(uint64_t key, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        key = finding_key((const uint64_t[]){key, (unsigned char)text[i]}, 2);
    return key | 1;
}

/* Loops say a thing again and again with other numbers: the words before the first one stand for
 * it, behind the mnemonic, which may have digits. */
static uint64_t words_key(uint64_t key, const char *message)
{
    const char *words = message + strcspn(message, " ");
    return text_key(key, words, strcspn(words, "0123456789"));
}

/* What an effect says about an instruction: word for word, of a lowered program its words and the
 * buffers. */
static uint64_t hazard_key(enum hazard_kind kind, const struct insn *insn, uint32_t core,
                           const char *message)
{
    bool filed = insn->line != 0;
    uint64_t values[4 + INSN_OPERANDS_MAX] = {kind, insn->opcode, insn->line, filed ? core : 0};
    for (size_t i = 0; i < INSN_OPERANDS_MAX; i++)
        values[4 + i] = insn->operand[i].region;
    uint64_t key = finding_key(values, sizeof values / sizeof values[0]);
    return filed ? text_key(key, message, strlen(message)) : words_key(key, message);
}

static void execution_hazard(void *context, enum hazard_kind kind, const struct insn *insn,
                             const char *message)
{
    struct execution *execution = context;
    if (told_first(&execution->hazards, hazard_key(kind, insn, execution->core, message)))
        hazard_add(execution, kind, execution->seq, insn->line, message);
    else
        execution->result->hazard_count++;
}

static void note_add(struct execution *execution, uint32_t seq, uint32_t line, const char *message)
{
    const struct hazard_record note = {
        .core = execution->core,
        .seq = seq,
        .line = line,
        .message = message,
    };
    if (run_note_add(execution->result, &note, execution->arena) != STATUS_OK)
        execution->status = STATUS_NO_MEMORY;
}

static void execution_note(void *context, const struct insn *insn, const char *message)
{
    struct execution *execution = context;
    uint64_t place = finding_key((const uint64_t[]){insn->line, insn->opcode, execution->core}, 3);
    if (told_first(&execution->notes, words_key(place, message)))
        note_add(execution, execution->seq, insn->line, message);
}

static void execution_finding(void *context, const struct finding *finding)
{
    struct execution *execution = context;
    const struct insn_ref *where = &finding->where;
    bool first =
        told_first(finding->note ? &execution->notes : &execution->hazards, finding->key | 1);
    if (finding->note && first)
        note_add(execution, where->seq, where->line, finding->message);
    else if (first)
        hazard_add(execution, finding->kind, where->seq, where->line, finding->message);
    else if (!finding->note)
        execution->result->hazard_count++;
}

/* Executes one instruction, false when it has to stand. */
static bool execution_step(struct execution *execution, const struct step *step, bool *lets_go)
{
    struct race *race = execution->race;
    if (!sync_begin(&execution->sync, step))
        return false;
    execution->seq = step->seq;
    if (race != NULL)
        race_begin(race, &step->insn, step->seq);
    effect_apply(&execution->machine, &step->insn);
    if (race != NULL && race_end(race) != STATUS_OK)
        execution->status = STATUS_NO_MEMORY;
    *lets_go |= sync_end(&execution->sync, step);
    return true;
}

static void held_push(struct execution *execution, struct held_queue *queue,
                      const struct step *step)
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
    queue->items[queue->first + queue->count++] = *step;
}

/* Goes on with the held instructions of a pipe until one has to stand. */
static bool held_resume(struct execution *execution, struct held_queue *queue)
{
    bool lets_go = false;
    while (queue->count > 0 && execution_step(execution, &queue->items[queue->first], &lets_go)) {
        queue->first++;
        queue->count--;
    }
    if (queue->count == 0)
        queue->first = 0;
    return lets_go;
}

/* Goes on until every pipe stands; pipes in their order, again and again. */
static void execution_resume(struct execution *execution)
{
    bool lets_go = true;
    while (lets_go && execution->status == STATUS_OK) {
        lets_go = false;
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
            lets_go |= held_resume(execution, &execution->held[pipe]);
    }
}

static bool execution_stands(const struct execution *execution)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (execution->held[pipe].count > 0)
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
    struct held_queue *queue = &execution->held[insn->pipe];
    if (queue->count > 0 || !execution_step(execution, step, &lets_go)) {
        if (insn->pipe == PIPE_SCALAR)
            return false;
        held_push(execution, queue, step);
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
        const struct held_queue *queue = &execution->held[pipe];
        const struct step *step = queue->count > 0 ? &queue->items[queue->first] : NULL;
        if (pipe == PIPE_SCALAR)
            step = stopped;
        if (step != NULL)
            standing[count++] = (struct standing){
                .pipe = (enum pipe)pipe,
                .cause = sync_cause(&step->insn),
                .seq = step->seq,
                .insn = step->insn,
            };
    }
    const char *message = deadlock_message(standing, count, execution->arena);
    if (message == NULL) {
        execution->status = STATUS_NO_MEMORY;
        return;
    }
    hazard_add(execution, HAZARD_DEADLOCK, standing[0].seq, standing[0].insn.line, message);
}

static void execution_stuck(struct execution *execution, const struct program *program,
                            const struct step *stopped, struct arena *work)
{
    execution->result->deadlocked = true;
    void *again = program->open(program->context, execution->core, work);
    if (again == NULL) {
        execution->status = STATUS_NO_MEMORY;
        return;
    }
    sync_tell_unset(&execution->sync, again);
    execution_deadlock(execution, stopped);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        execution->held[pipe].first = execution->held[pipe].count = 0;
}

/* Registers are set at dispatch, so this is no matter of an effect. */
static void note_padding(struct execution *execution, const struct step *step)
{
    const struct registers *registers = &execution->registers;
    if (!insn_loses_padding(registers, &step->insn))
        return;
    execution->seq = step->seq;
    note_report(&execution->machine, &step->insn,
                "padValue 0 replaces %" PRId64
                " of set_padding_value; isSetPadding=0 would take that",
                registers->padValue);
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
        race_core(execution->race, execution->core);
    while (goes_on && execution->status == STATUS_OK && program->next(stream, &step.insn)) {
        step.seq = seq++;
        note_padding(execution, &step);
        insn_capture(&execution->registers, &step.insn);
        goes_on = execution_take(execution, &step);
        if (execution->sync.status != STATUS_OK)
            execution->status = execution->sync.status;
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
}

/* ---- the whole program ---- */

static enum status execution_open(struct execution *execution, const struct program *program,
                                  const struct product *product, struct memory *tensor,
                                  bool unchecked, struct arena *work)
{
    execution->sink = (struct finding_sink){execution_finding, execution};
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
    execution->machine.hazard = execution_hazard;
    execution->machine.note = execution_note;
    execution->machine.hazard_context = execution;
    execution->machine.access = execution->race != NULL ? race_access : NULL;
    execution->machine.access_context = execution->race;
    return status;
}

static void execution_close(struct execution *execution)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        array_release(execution->held[pipe].items);
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
    execution->arena = arena;
    execution->result = result;
    execution->status = execution_open(execution, program, product, tensor, unchecked, &work);
    for (uint32_t core = 0; core < program->core_count && execution->status == STATUS_OK; core++) {
        execution->core = core;
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
