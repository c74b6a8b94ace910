#include "model/sync.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "isa/fixpipe.h"

enum { ID_ADVISED_MAX = 5 }; /* the vendor's libraries use the ids above */

enum status sync_open(const struct sync_options *options, struct arena *arena, struct sync *sync)
{
    *sync = (struct sync){
        .program = options->program,
        .ids = options->program->event_ids,
        .product_ids = options->product_ids,
        .l0c_bytes = options->l0c_bytes,
        .sink = options->sink,
        .clocks = options->clocks,
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
    sync->set = (struct unit_blocks){0};
    sync->token_count = 0;
    sync->token_free = SYNC_NONE;
    if (sync->clocks != NULL)
        clocks_reset(sync->clocks);
}

/* ---- judged in program order ---- */

/* A finding about one instruction and the flag or mutex that it names. */
static struct finding sync_finding(enum hazard_kind kind, const struct insn_ref *where,
                                   uint64_t number)
{
    const uint64_t values[] = {kind, where->opcode, where->line, number};
    return (struct finding){
        .kind = kind,
        .where = *where,
        .key = finding_key(values, sizeof values / sizeof values[0]),
    };
}

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
    struct finding finding = sync_finding(HAZARD_FLAG_ID, where, flag);
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

static void flag_dispatch(struct sync *sync, const struct insn *insn, const struct insn_ref *where)
{
    uint32_t number = insn_flag(insn, sync->ids);
    struct sync_flag *flag = &sync->flag[number];
    flag_judge_id(sync, where, number);
    if (insn->opcode == OP_WAIT_FLAG) {
        flag->waits++;
        return;
    }
    if (flag->sets > flag->waits) {
        char name[FLAG_TEXT_BYTES], here[INSN_REF_TEXT_BYTES], before[INSN_REF_TEXT_BYTES];
        const struct finding finding = sync_finding(HAZARD_FLAG_TWICE, where, number);
        finding_tell(sync->sink, &finding,
                     "%s sets flag %s, which %s has set; expected a wait_flag between them",
                     insn_ref_text(where, here), flag_text(sync, number, name),
                     insn_ref_text(&flag->last_set, before));
    }
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
        const struct finding finding = sync_finding(HAZARD_FLAG_TWICE, where, id);
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
        const struct finding finding = sync_finding(HAZARD_FLAG_UNSET, where, id);
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
    switch (step->insn.opcode) {
    case OP_SET_FLAG:
    case OP_WAIT_FLAG:
        flag_dispatch(sync, &step->insn, &where);
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

/* ---- executed ---- */

static void sync_acquire(struct sync *sync, enum pipe pipe, const struct clock *clock)
{
    if (sync->clocks != NULL)
        clocks_acquire(sync->clocks, pipe, clock);
}

static void token_push(struct sync *sync, struct sync_flag *flag, const struct clock *clock)
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
    sync->token[index] = (struct sync_token){.clock = *clock, .next = SYNC_NONE};
    if (flag->first == SYNC_NONE)
        flag->first = index;
    else
        sync->token[flag->last].next = index;
    flag->last = index;
}

/* A flag is a bit: when it is set again before the wait for the last time has passed, that is lost.
 * Here every set counts, so it is only noted that nothing puts it behind that wait. */
static void flag_judge_again(const struct sync *sync, const struct step *step)
{
    const struct insn *insn = &step->insn;
    uint32_t number = insn_flag(insn, sync->ids);
    const struct sync_flag *flag = &sync->flag[number];
    enum pipe source = (enum pipe)insn->field[SET_FLAG_src];
    enum pipe target = (enum pipe)insn->field[SET_FLAG_dst];
    uint32_t lane = target == PIPE_CUBE ? (uint32_t)LANE_CUBE_OPERANDS : (uint32_t)target;
    if (sync->clocks == NULL || flag->given == 0 || source == target)
        return;
    if (flag->taken == flag->given &&
        clocks_before(sync->clocks, lane, flag->last_taken.seq, source))
        return;
    char name[FLAG_TEXT_BYTES], here[INSN_REF_TEXT_BYTES];
    const struct insn_ref where = insn_ref_of(insn, step->seq);
    struct finding finding = sync_finding(HAZARD_FLAG_TWICE, &where, number);
    finding.note = true;
    finding_tell(
        sync->sink, &finding,
        "%s sets flag %s again and nothing puts it behind the wait_flag for the time before",
        insn_ref_text(&where, here), flag_text(sync, number, name));
}

static bool flag_take(struct sync *sync, const struct step *step)
{
    const struct insn *insn = &step->insn;
    struct sync_flag *flag = &sync->flag[insn_flag(insn, sync->ids)];
    uint32_t index = flag->first;
    if (index == SYNC_NONE)
        return false;
    struct sync_token *token = &sync->token[index];
    flag->first = token->next;
    sync_acquire(sync, (enum pipe)insn->field[WAIT_FLAG_dst], &token->clock);
    token->next = sync->token_free;
    sync->token_free = index;
    flag->taken++;
    flag->last_taken = insn_ref_of(insn, step->seq);
    return true;
}

static bool mutex_take(struct sync *sync, const struct step *step)
{
    const struct sync_mutex *mutex = &sync->mutex[step->insn.field[MUTEX_LOCK_id]];
    if (step->turn != mutex->unlocked)
        return false;
    sync_acquire(sync, (enum pipe)step->insn.field[MUTEX_LOCK_pipe], &mutex->clock);
    return true;
}

/* Whether the unit flags let it go on. */
static bool unit_lets(const struct sync *sync, const struct insn *insn)
{
    struct unit_blocks blocks;
    enum unit_use use = unit_flag_use(sync->program, insn, sync->l0c_bytes, &blocks);
    if (use == UNIT_UNUSED)
        return true;
    bool wants_set = use == UNIT_WAIT_SET || use == UNIT_CLEAR;
    uint64_t wrong = 0;
    for (int word = 0; word < UNIT_WORDS; word++)
        wrong |= blocks.word[word] & (wants_set ? ~sync->set.word[word] : sync->set.word[word]);
    return wrong == 0;
}

static bool block_in(const struct unit_blocks *blocks, uint32_t block)
{
    return (blocks->word[block / 64] >> block % 64 & 1) != 0;
}

/* An Mmad that hands blocks over. */
static void unit_made(struct sync *sync, const struct step *step, const struct unit_blocks *blocks)
{
    const struct insn *insn = &step->insn;
    const struct sync_maker maker = {
        .ref = insn_ref_of(insn, step->seq),
        .wide = insn->field[MMAD_m] > FRACTAL_ROWS && insn->field[MMAD_n] > FRACTAL_ROWS,
        .row_major = insn->field[MMAD_rowMajor] != 0,
    };
    for (uint32_t block = 0; block < UNIT_BLOCKS_MAX; block++)
        if (block_in(blocks, block))
            sync->maker[block] = maker;
}

/* A Fixpipe that waits for blocks takes them along N first when it makes rows of them or joins
 * groups of 8-bit columns, else along M. It follows an Mmad of the other direction late: no hazard,
 * but the vendor advises against. */
static void unit_judge_direction(const struct sync *sync, const struct step *step,
                                 const struct unit_blocks *blocks)
{
    struct fixpipe_shape shape;
    fixpipe_shape(&step->insn, sync->program->arch, &shape);
    int64_t layout = step->insn.field[FIXPIPE_layout];
    bool joins = layout == LAYOUT_NZ && shape.group_columns > FIXPIPE_GROUP;
    bool rows = layout == LAYOUT_NZ2ND || joins;
    uint32_t block = 0;
    while (block < UNIT_BLOCKS_MAX && (!block_in(blocks, block) || !sync->maker[block].wide ||
                                       sync->maker[block].row_major == rows))
        block++;
    if (block == UNIT_BLOCKS_MAX)
        return;
    char here[INSN_REF_TEXT_BYTES], there[INSN_REF_TEXT_BYTES];
    const struct insn_ref where = insn_ref_of(&step->insn, step->seq);
    struct finding finding = sync_finding(HAZARD_COUNT, &where, 0);
    finding.note = true;
    finding_tell(
        sync->sink, &finding,
        "%s takes blocks of L0C along %s first and %s makes them along %s first; with unit "
        "flags expected set_mm_%s_major before the mmad",
        insn_ref_text(&where, here), rows ? "N" : "M",
        insn_ref_text(&sync->maker[block].ref, there), rows ? "M" : "N", rows ? "row" : "column");
}

static bool unit_change(struct sync *sync, const struct step *step)
{
    struct unit_blocks blocks;
    const struct insn *insn = &step->insn;
    enum unit_use use = unit_flag_use(sync->program, insn, sync->l0c_bytes, &blocks);
    if (use == UNIT_SET)
        unit_made(sync, step, &blocks);
    else if (use == UNIT_WAIT_SET || use == UNIT_CLEAR)
        unit_judge_direction(sync, step, &blocks);
    for (int word = 0; word < UNIT_WORDS; word++) {
        if (use == UNIT_SET)
            sync->set.word[word] |= blocks.word[word];
        else if (use == UNIT_CLEAR)
            sync->set.word[word] &= ~blocks.word[word];
    }
    return use == UNIT_SET || use == UNIT_CLEAR;
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
        return unit_lets(sync, insn);
    default:
        return true;
    }
}

/* What is done when an instruction of a pipe lets others go on. */
static struct clock sync_release(const struct sync *sync, enum pipe pipe, bool operands)
{
    return sync->clocks != NULL ? clocks_release(sync->clocks, pipe, operands) : (struct clock){0};
}

static void flag_give(struct sync *sync, const struct insn *insn)
{
    enum pipe source = (enum pipe)insn->field[SET_FLAG_src];
    /* The operands of an Mmad are free when it has read them, before its results are out. */
    bool operands = source == PIPE_CUBE && insn->field[SET_FLAG_dst] == PIPE_MTE1;
    const struct clock clock = sync_release(sync, source, operands);
    struct sync_flag *flag = &sync->flag[insn_flag(insn, sync->ids)];
    flag->given++;
    token_push(sync, flag, &clock);
}

static bool mutex_give(struct sync *sync, const struct step *step)
{
    struct sync_mutex *mutex = &sync->mutex[step->insn.field[MUTEX_UNLOCK_id]];
    if (step->turn == TURN_NONE)
        return false;
    assert(step->turn == mutex->unlocked);
    mutex->unlocked++;
    mutex->clock = sync_release(sync, (enum pipe)step->insn.field[MUTEX_UNLOCK_pipe], false);
    return true;
}

bool sync_end(struct sync *sync, const struct step *step)
{
    const struct insn *insn = &step->insn;
    if (sync->clocks != NULL)
        clocks_end(sync->clocks, (enum pipe)insn->pipe, step->seq);
    switch (insn->opcode) {
    case OP_SET_FLAG:
        flag_judge_again(sync, step);
        flag_give(sync, insn);
        return true;
    case OP_MUTEX_UNLOCK:
        return mutex_give(sync, step);
    case OP_PIPE_BARRIER:
        if (sync->clocks != NULL)
            clocks_barrier(sync->clocks, (enum pipe)insn->pipe);
        return false;
    case OP_MMAD:
    case OP_FIXPIPE:
        return unit_change(sync, step);
    default:
        return false;
    }
}

void sync_barrier_all(struct sync *sync)
{
    if (sync->clocks != NULL)
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
    const struct finding finding = sync_finding(HAZARD_FLAG_LEFT, &flag->last_set, number);
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
    const struct finding finding = sync_finding(HAZARD_FLAG_LEFT, &mutex->lock[pipe], id);
    finding_tell(sync->sink, &finding,
                 "%s locks mutex %" PRIu32 " and %s never unlocks it; expected a mutex_unlock",
                 insn_ref_text(&mutex->lock[pipe], here), id, pipe_word((enum pipe)pipe));
}

void sync_finish(struct sync *sync)
{
    for (uint32_t flag = 0; flag < flag_count(sync->ids); flag++)
        flag_judge_left(sync, flag);
    for (uint32_t id = 0; id < MUTEX_COUNT; id++)
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
            mutex_judge_left(sync, id, pipe);
}

void sync_tell_unset(struct sync *sync, void *stream)
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
        const struct finding finding = sync_finding(HAZARD_FLAG_UNSET, &where, number);
        finding_tell(sync->sink, &finding,
                     "%s waits for flag %s, which nothing sets; expected a set_flag src=%s dst=%s "
                     "id=%" PRIu32,
                     insn_ref_text(&where, here), flag_text(sync, number, name),
                     pipe_word(flag_source(number, sync->ids)),
                     pipe_word(flag_target(number, sync->ids)), number % sync->ids);
    }
}
