#include "model/sync.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { ID_ADVISED_MAX = 5 }; /* the vendor's libraries use the ids above */

enum status sync_open(const struct sync_options *options, struct arena *arena, struct sync *sync)
{
    *sync = (struct sync){
        .program = options->program,
        .ids = options->program->event_ids,
        .product_ids = options->product_ids,
        .sink = options->sink,
        .clocks = options->clocks,
        .unit = {.program = options->program,
                 .l0c_bytes = options->l0c_bytes,
                 .sink = options->sink,
                 .clocks = options->clocks},
    };
    sync->flag = arena_take(arena, flag_count(sync->ids), sizeof *sync->flag);
    if (sync->flag == NULL)
        return STATUS_NO_MEMORY;
    sync_reset(sync);
    return STATUS_OK;
}

void sync_close(struct sync *sync)
{
    array_release(sync->token);
    sync->token = NULL;
}

void sync_reset(struct sync *sync)
{
    for (uint32_t flag = 0; flag < flag_count(sync->ids); flag++)
        sync->flag[flag] = (struct sync_flag){.first = SYNC_NONE, .last = SYNC_NONE};
    for (uint32_t id = 0; id < MUTEX_COUNT; id++)
        sync->mutex[id] = (struct sync_mutex){0};
    sync->turns = (struct mutex_turns){0};
    unit_order_reset(&sync->unit);
    sync->token_count = 0;
    sync->token_free = SYNC_NONE;
    clocks_reset(sync->clocks);
}

/* ---- judged in program order ---- */

enum { FLAG_TEXT_BYTES = 48 };

static const char *flag_text(const struct sync *sync, uint32_t flag, char text[FLAG_TEXT_BYTES])
{
    snprintf(text, FLAG_TEXT_BYTES, "%s->%s id %" PRIu32, pipe_word(flag_source(flag, sync->ids)),
             pipe_word(flag_target(flag, sync->ids)), flag % sync->ids);
    return text;
}

static void flag_judge_id(const struct sync *sync, const struct insn_ref *where, uint32_t flag)
{
    uint32_t id = flag % sync->ids;
    char text[INSN_REF_TEXT_BYTES];
    struct finding finding = finding_about(HAZARD_FLAG_ID, where, flag);
    if (id >= sync->product_ids) {
        finding_tell(sync->sink, &finding, "%s has event id %" PRIu32 "; expected 0..%" PRIu32,
                     insn_ref_text(where, text), id, sync->product_ids - 1);
    } else if (id > ID_ADVISED_MAX) {
        finding.note = true;
        finding_tell(sync->sink, &finding,
                     "%s has event id %" PRIu32 "; the vendor's libraries use ids above %d, "
                     "expected 0..%d",
                     insn_ref_text(where, text), id, ID_ADVISED_MAX, ID_ADVISED_MAX);
    }
}

/* A pipe does what it has in order: a flag to itself holds it until all before is done. */
static void flag_note_own(const struct sync *sync, const struct insn_ref *where, uint32_t flag)
{
    enum pipe source = flag_source(flag, sync->ids);
    char text[INSN_REF_TEXT_BYTES];
    struct finding finding = finding_about(HAZARD_COUNT, where, ~(uint64_t)flag);
    if (source != flag_target(flag, sync->ids))
        return;
    finding.note = true;
    finding_tell(sync->sink, &finding,
                 "%s is a flag of %s to itself; a flag is for another pipe, and pipe_barrier "
                 "pipe=%s holds one until all before it is done",
                 insn_ref_text(where, text), pipe_word(source), pipe_word(source));
}

static void flag_dispatch(struct sync *sync, struct step *step, const struct insn_ref *where)
{
    uint32_t number = insn_flag(&step->insn, sync->ids);
    struct sync_flag *flag = &sync->flag[number];
    flag_judge_id(sync, where, number);
    if (step->insn.opcode == OP_WAIT_FLAG) {
        flag->waits++;
        return;
    }
    flag_note_own(sync, where, number);
    step->waits_before = flag->waits;
    flag->sets++;
    flag->last_set = *where;
}

static void lock_dispatch(struct sync *sync, struct step *step, const struct insn_ref *where)
{
    enum pipe pipe = (enum pipe)step->insn.field[MUTEX_LOCK_pipe];
    uint32_t id = (uint32_t)step->insn.field[MUTEX_LOCK_id];
    struct sync_mutex *mutex = &sync->mutex[id];
    if (sync->turns.held[id][pipe] != 0) {
        char here[INSN_REF_TEXT_BYTES], before[INSN_REF_TEXT_BYTES];
        const struct finding finding = finding_about(HAZARD_FLAG_TWICE, where, id);
        finding_tell(sync->sink, &finding,
                     "%s locks mutex %" PRIu32 ", which %s holds on %s; expected a mutex_unlock "
                     "between them",
                     insn_ref_text(where, here), id, insn_ref_text(&mutex->lock[pipe], before),
                     pipe_word(pipe));
    }
    mutex->lock[pipe] = *where;
    step->turn = mutex_turn(&sync->turns, &step->insn);
}

static void unlock_dispatch(struct sync *sync, struct step *step, const struct insn_ref *where)
{
    enum pipe pipe = (enum pipe)step->insn.field[MUTEX_UNLOCK_pipe];
    uint32_t id = (uint32_t)step->insn.field[MUTEX_UNLOCK_id];
    step->turn = mutex_turn(&sync->turns, &step->insn);
    if (step->turn == TURN_NONE) {
        char here[INSN_REF_TEXT_BYTES];
        const struct finding finding = finding_about(HAZARD_FLAG_UNSET, where, id);
        finding_tell(sync->sink, &finding,
                     "%s unlocks mutex %" PRIu32 ", which %s does not hold; expected a mutex_lock "
                     "before it",
                     insn_ref_text(where, here), id, pipe_word(pipe));
    }
}

void sync_dispatch(struct sync *sync, struct step *step)
{
    const struct insn_ref where = insn_ref_of(&step->insn, step->seq);
    step->turn = TURN_NONE;
    step->waits_before = 0;
    switch (step->insn.opcode) {
    case OP_SET_FLAG:
    case OP_WAIT_FLAG:
        flag_dispatch(sync, step, &where);
        break;
    case OP_MUTEX_LOCK:
        lock_dispatch(sync, step, &where);
        break;
    case OP_MUTEX_UNLOCK:
        unlock_dispatch(sync, step, &where);
        break;
    default:
        break;
    }
}

/* ---- set twice ---- */

/*
 * A flag is one bit. The n-th set of a flag goes with its n-th wait; set n+1 may come only when
 * wait n has passed. The order of the pipes decides. Where it leaves both open, set n+1 is taken
 * for a fault if the stream has it before wait n, and else for something to look at.
 */

/* Whether an instruction of a lane that was executed is over before the pipe's next one. Flags and
 * waits of a pipe hold each other up. */
static bool flag_behind(const struct sync *sync, uint32_t lane, const struct insn_ref *ref,
                        enum pipe pipe)
{
    return lane_pipe(lane) == pipe || clocks_before(sync->clocks, lane, ref->seq, pipe);
}

/* The operands of an Mmad are free when it has read them, before its results are out. */
static bool flag_of_operands(enum pipe source, enum pipe target)
{
    return source == PIPE_CUBE && target == PIPE_MTE1;
}

static uint32_t set_lane(enum pipe source, enum pipe target)
{
    return flag_of_operands(source, target) ? (uint32_t)LANE_CUBE_OPERANDS : (uint32_t)source;
}

/* What CUBE does behind a wait is behind it with its operands, too. */
static uint32_t wait_lane(enum pipe target)
{
    return target == PIPE_CUBE ? (uint32_t)LANE_CUBE_OPERANDS : (uint32_t)target;
}

enum { REVERSE_TEXT_BYTES = 256 };

/* What puts a set behind the wait for the time before. */
static const char *reverse_text(const struct sync *sync, uint32_t flag, const char *wait,
                                const char *set, char text[REVERSE_TEXT_BYTES])
{
    enum pipe source = flag_source(flag, sync->ids), target = flag_target(flag, sync->ids);
    if (source == target)
        snprintf(text, REVERSE_TEXT_BYTES, "%s before %s", wait, set);
    else
        snprintf(text, REVERSE_TEXT_BYTES,
                 "another id, or set_flag src=%s dst=%s behind %s and its wait_flag before %s",
                 pipe_word(target), pipe_word(source), wait, set);
    return text;
}

/* Tells that `again` sets a flag that `set` has set, before `wait` takes that; certain: in every
 * order of events. wait: NULL when none does. */
static void flag_tell_twice(const struct sync *sync, uint32_t flag, const struct insn_ref *set,
                            const struct insn_ref *again, const struct insn_ref *wait, bool certain)
{
    char name[FLAG_TEXT_BYTES], first[INSN_REF_TEXT_BYTES], second[INSN_REF_TEXT_BYTES];
    char waiting[INSN_REF_TEXT_BYTES], reverse[REVERSE_TEXT_BYTES];
    const struct finding finding = finding_about(HAZARD_FLAG_TWICE, again, flag);
    flag_text(sync, flag, name);
    insn_ref_text(set, first);
    insn_ref_text(again, second);
    if (wait == NULL) {
        finding_tell(sync->sink, &finding,
                     "%s sets flag %s, which %s has set and no wait_flag has taken; expected a "
                     "wait_flag between them",
                     second, name, first);
        return;
    }
    insn_ref_text(wait, waiting);
    finding_tell(sync->sink, &finding, "%s sets flag %s, which %s has set, %s%s%s; expected %s",
                 second, name, first, certain ? "before " : "and nothing puts it behind ", waiting,
                 certain ? " takes it" : ", which takes that",
                 reverse_text(sync, flag, waiting, second, reverse));
}

static void flag_note_again(const struct sync *sync, uint32_t flag, const struct insn_ref *set,
                            const struct insn_ref *again, const struct insn_ref *wait)
{
    char name[FLAG_TEXT_BYTES], first[INSN_REF_TEXT_BYTES], second[INSN_REF_TEXT_BYTES];
    char waiting[INSN_REF_TEXT_BYTES];
    struct finding finding = finding_about(HAZARD_COUNT, again, flag);
    finding.note = true;
    finding_tell(sync->sink, &finding,
                 "%s sets flag %s again and nothing puts it behind %s, which takes what %s has set",
                 insn_ref_text(again, second), flag_text(sync, flag, name),
                 insn_ref_text(wait, waiting), insn_ref_text(set, first));
}

/* A flag is set again when the wait for the time before has been executed. */
static void flag_judge_set(const struct sync *sync, const struct step *step, uint32_t number)
{
    const struct sync_flag *flag = &sync->flag[number];
    enum pipe source = flag_source(number, sync->ids), target = flag_target(number, sync->ids);
    const struct insn_ref where = insn_ref_of(&step->insn, step->seq);
    if (flag->taken == 0 || flag->first != SYNC_NONE ||
        flag_behind(sync, wait_lane(target), &flag->taken_wait, source))
        return;
    if (step->waits_before < flag->taken)
        flag_tell_twice(sync, number, &flag->taken_set, &where, &flag->taken_wait, false);
    else
        flag_note_again(sync, number, &flag->taken_set, &where, &flag->taken_wait);
}

/* A wait is executed that takes the first token, when the flag was set again before. */
static void flag_judge_wait(const struct sync *sync, const struct step *step, uint32_t number)
{
    const struct sync_flag *flag = &sync->flag[number];
    enum pipe source = flag_source(number, sync->ids), target = flag_target(number, sync->ids);
    const struct sync_token *token = &sync->token[flag->first];
    const struct insn_ref where = insn_ref_of(&step->insn, step->seq);
    if (token->next == SYNC_NONE)
        return;
    const struct sync_token *again = &sync->token[token->next];
    bool certain = flag_behind(sync, set_lane(source, target), &again->set, target);
    if (certain || again->waits_before <= flag->taken)
        flag_tell_twice(sync, number, &token->set, &again->set, &where, certain);
    else
        flag_note_again(sync, number, &token->set, &again->set, &where);
}

/* At the end: what was set again, and no wait took the time before. */
static void flag_judge_tokens(const struct sync *sync, uint32_t number)
{
    const struct sync_flag *flag = &sync->flag[number];
    uint32_t waits = flag->taken; /* that come before the one for the token */
    for (uint32_t index = flag->first; index != SYNC_NONE; index = sync->token[index].next) {
        const struct sync_token *token = &sync->token[index];
        const struct sync_token *again =
            token->next == SYNC_NONE ? NULL : &sync->token[token->next];
        if (again != NULL && again->waits_before <= waits)
            flag_tell_twice(sync, number, &token->set, &again->set, NULL, true);
        waits++;
    }
}

/* ---- executed ---- */

static void token_push(struct sync *sync, struct sync_flag *flag, const struct sync_token *token)
{
    uint32_t index = sync->token_free;
    if (index != SYNC_NONE) {
        sync->token_free = sync->token[index].next;
    } else {
        void *grown = array_grow(sync->token, &sync->token_capacity, (size_t)sync->token_count + 1,
                                 sizeof *sync->token);
        if (grown == NULL) {
            sync->status = STATUS_NO_MEMORY;
            return;
        }
        sync->token = grown;
        index = sync->token_count++;
    }
    sync->token[index] = *token;
    if (flag->first == SYNC_NONE)
        flag->first = index;
    else
        sync->token[flag->last].next = index;
    flag->last = index;
}

static bool flag_take(struct sync *sync, const struct step *step)
{
    uint32_t number = insn_flag(&step->insn, sync->ids);
    struct sync_flag *flag = &sync->flag[number];
    uint32_t index = flag->first;
    if (index == SYNC_NONE)
        return false;
    flag_judge_wait(sync, step, number);
    struct sync_token *token = &sync->token[index];
    clocks_acquire(sync->clocks, (enum pipe)step->insn.field[WAIT_FLAG_dst], &token->clock);
    flag->taken++;
    flag->taken_set = token->set;
    flag->taken_wait = insn_ref_of(&step->insn, step->seq);
    flag->first = token->next;
    token->next = sync->token_free;
    sync->token_free = index;
    return true;
}

static bool mutex_take(struct sync *sync, const struct step *step)
{
    const struct sync_mutex *mutex = &sync->mutex[step->insn.field[MUTEX_LOCK_id]];
    if (step->turn != mutex->unlocked)
        return false;
    clocks_acquire(sync->clocks, (enum pipe)step->insn.field[MUTEX_LOCK_pipe], &mutex->clock);
    return true;
}

bool sync_begin(struct sync *sync, const struct step *step)
{
    const struct insn *insn = &step->insn;
    switch (insn->opcode) {
    case OP_WAIT_FLAG:
        return flag_take(sync, step);
    case OP_MUTEX_LOCK:
        return mutex_take(sync, step);
    case OP_MMAD:
    case OP_FIXPIPE:
        return unit_order_take(&sync->unit, insn);
    default:
        return true;
    }
}

static void flag_give(struct sync *sync, const struct step *step)
{
    uint32_t number = insn_flag(&step->insn, sync->ids);
    enum pipe source = flag_source(number, sync->ids), target = flag_target(number, sync->ids);
    const struct sync_token token = {
        .clock = clocks_release(sync->clocks, source, flag_of_operands(source, target)),
        .set = insn_ref_of(&step->insn, step->seq),
        .waits_before = step->waits_before,
        .next = SYNC_NONE,
    };
    flag_judge_set(sync, step, number);
    token_push(sync, &sync->flag[number], &token);
}

static bool mutex_give(struct sync *sync, const struct step *step)
{
    struct sync_mutex *mutex = &sync->mutex[step->insn.field[MUTEX_UNLOCK_id]];
    if (step->turn == TURN_NONE)
        return false;
    assert(step->turn == mutex->unlocked);
    mutex->unlocked++;
    mutex->clock =
        clocks_release(sync->clocks, (enum pipe)step->insn.field[MUTEX_UNLOCK_pipe], false);
    return true;
}

bool sync_end(struct sync *sync, const struct step *step)
{
    const struct insn *insn = &step->insn;
    clocks_end(sync->clocks, (enum pipe)insn->pipe, step->seq);
    switch (insn->opcode) {
    case OP_SET_FLAG:
        flag_give(sync, step);
        return true;
    case OP_MUTEX_UNLOCK:
        return mutex_give(sync, step);
    case OP_PIPE_BARRIER:
        clocks_barrier(sync->clocks, (enum pipe)insn->pipe);
        return false;
    case OP_MMAD:
    case OP_FIXPIPE:
        return unit_order_change(&sync->unit, insn, step->seq);
    default:
        return false;
    }
}

void sync_barrier_all(struct sync *sync)
{
    clocks_barrier(sync->clocks, PIPE_ALL);
}

enum standing_for sync_cause(const struct insn *insn)
{
    switch (insn->opcode) {
    case OP_WAIT_FLAG:
        return STANDING_FLAG;
    case OP_MUTEX_LOCK:
        return STANDING_MUTEX;
    case OP_PIPE_BARRIER:
        return STANDING_BARRIER;
    default:
        return STANDING_UNIT_FLAG;
    }
}

/* ---- at the end ---- */

static void flag_judge_left(const struct sync *sync, uint32_t number)
{
    const struct sync_flag *flag = &sync->flag[number];
    if (flag->sets <= flag->waits)
        return;
    char name[FLAG_TEXT_BYTES], here[INSN_REF_TEXT_BYTES];
    const struct finding finding = finding_about(HAZARD_FLAG_LEFT, &flag->last_set, number);
    finding_tell(sync->sink, &finding,
                 "%s leaves flag %s set: %" PRIu32 " set_flag and %" PRIu32
                 " wait_flag; expected as many of both",
                 insn_ref_text(&flag->last_set, here), flag_text(sync, number, name), flag->sets,
                 flag->waits);
}

static void mutex_judge_left(const struct sync *sync, uint32_t id, uint32_t pipe)
{
    const struct sync_mutex *mutex = &sync->mutex[id];
    if (sync->turns.held[id][pipe] == 0)
        return;
    char here[INSN_REF_TEXT_BYTES];
    const struct finding finding = finding_about(HAZARD_FLAG_LEFT, &mutex->lock[pipe], id);
    finding_tell(sync->sink, &finding,
                 "%s locks mutex %" PRIu32 " and %s never unlocks it; expected a mutex_unlock",
                 insn_ref_text(&mutex->lock[pipe], here), id, pipe_word((enum pipe)pipe));
}

void sync_finish(struct sync *sync, bool stands)
{
    for (uint32_t flag = 0; flag < flag_count(sync->ids); flag++) {
        flag_judge_tokens(sync, flag);
        flag_judge_left(sync, flag);
    }
    for (uint32_t id = 0; id < MUTEX_COUNT; id++)
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
            mutex_judge_left(sync, id, pipe);
    if (!stands)
        unit_order_finish(&sync->unit);
}

enum status sync_tell_unset(struct sync *sync, void *stream)
{
    struct insn insn;
    for (uint32_t flag = 0; flag < flag_count(sync->ids); flag++)
        sync->flag[flag].waits = 0;
    for (uint32_t seq = 0; sync->program->next(stream, &insn); seq++) {
        if (insn.opcode != OP_WAIT_FLAG)
            continue;
        uint32_t number = insn_flag(&insn, sync->ids);
        if (sync->flag[number].waits++ < sync->flag[number].sets)
            continue;
        char name[FLAG_TEXT_BYTES], here[INSN_REF_TEXT_BYTES];
        const struct insn_ref where = insn_ref_of(&insn, seq);
        const struct finding finding = finding_about(HAZARD_FLAG_UNSET, &where, number);
        finding_tell(sync->sink, &finding,
                     "%s waits for flag %s, which nothing sets; expected a set_flag src=%s dst=%s "
                     "id=%" PRIu32,
                     insn_ref_text(&where, here), flag_text(sync, number, name),
                     pipe_word(flag_source(number, sync->ids)),
                     pipe_word(flag_target(number, sync->ids)), number % sync->ids);
    }
    return sync->program->ended(stream);
}
