/*
 * Goal: races are those pairs of instructions that touch a byte, one writing, and that no path of
 * flags, unit flags, locks and barriers connects; all of them, and no others. A flag is set twice
 * where the next set can come before the wait for the time before, as a path or else the stream
 * says. Method: seeded random programs of two cores on tiny buffers, with flags before and behind
 * their waits, some set again before they are waited for, unit flags, locks and barriers. An oracle
 * draws the graph of what comes before what, with a node for the begin of each instruction, for its
 * end and for the moment its operands are read, and asks for every pair whether there is a way.
 * Each race that is told must be one of these pairs; and of each pair the instruction that is
 * executed second must be told with some earlier one. (Which one it is may differ: a byte remembers
 * only accesses that are not behind each other.) Of every set of a flag it is asked whether there
 * is a way to or from the wait for the set before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/splitmix.h"
#include "tests/support/text_run.h"

enum {
    ROUNDS = 1000,
    EVENTS_MAX = 40, /* of a core */
    CORES = 2,
    HEAD_LINES = 9,
    FLAGS = 6,
    AHEAD_MAX = 2, /* waits of a flag before their sets */
    MUTEXES = 2,
    ACCESSES_MAX = 4,
    NODES = 3 * EVENTS_MAX,
    TEXT_MAX = 16384,
    BLOCK = 512,
    FRACTAL_C = 1024,
    HALVES = 6, /* of the fractals of L0C: each has a unit flag */
};

enum event_kind { EVENT_MOVE, EVENT_SET, EVENT_WAIT, EVENT_LOCK, EVENT_UNLOCK, EVENT_BARRIER };

struct span {
    enum space space;
    uint64_t from, to;
    bool write;
};

struct event {
    enum event_kind kind;
    enum pipe pipe; /* that executes it; ALL: barrier of all */
    uint32_t line;
    uint32_t number; /* of the flag or mutex */
    struct span span[ACCESSES_MAX];
    uint32_t spans;
    bool accumulates; /* an Mmad that adds to few fractals */
    uint32_t halves;  /* of L0C, a bit each, that it hands over, or back, by unit flags */
};

struct core_events {
    struct event event[EVENTS_MAX];
    uint32_t count;
    uint32_t halves_set;    /* unit flags */
    bool way[NODES][NODES]; /* from a node to another; then whether there is any way */
};

struct random_program {
    char text[TEXT_MAX];
    size_t length;
    uint32_t line;
    bool locks; /* the product has mutexes */
    struct core_events core[CORES];
    bool told[CORES * EVENTS_MAX]; /* as the second of a race */
};

/* ---- programs ---- */

static const enum pipe flag_pipes[FLAGS][2] = {{PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_CUBE},
                                               {PIPE_CUBE, PIPE_MTE1}, {PIPE_CUBE, PIPE_FIXP},
                                               {PIPE_MTE1, PIPE_FIXP}, {PIPE_FIXP, PIPE_SCALAR}};

static void add_line(struct random_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct random_program *program, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(program->text + program->length, TEXT_MAX - program->length, format, arguments);
    va_end(arguments);
    assert_true(length > 0 && program->length + (size_t)length < TEXT_MAX);
    program->length += (size_t)length;
    program->line++;
}

static uint64_t pick(uint64_t *random, uint64_t low, uint64_t high)
{
    return splitmix_range(random, low, high);
}

static struct event *event_add(struct random_program *program, struct core_events *core,
                               enum event_kind kind, enum pipe pipe)
{
    struct event *event = &core->event[core->count++];
    *event = (struct event){.kind = kind, .pipe = pipe, .line = program->line + 1};
    return event;
}

static void span_add(struct event *event, enum space space, uint64_t from, uint64_t size_bytes,
                     bool write)
{
    assert_true(event->spans < ACCESSES_MAX);
    event->span[event->spans++] = (struct span){space, from, from + size_bytes, write};
}

static uint32_t halves_of(uint64_t first, uint64_t count)
{
    return ((1U << count) - 1) << first;
}

/* GM is one tensor of 4 KiB; L1 has 4 blocks of 512 B, L0A and L0B 4 fractals, L0C 3. */
static void add_mmad(struct random_program *program, struct core_events *core, uint64_t *random)
{
    struct event *event = event_add(program, core, EVENT_MOVE, PIPE_CUBE);
    uint64_t rows = pick(random, 1, 2), c = pick(random, 0, 3 - rows);
    uint64_t a = pick(random, 0, 4 - rows), b = pick(random, 0, 3);
    bool adds = pick(random, 0, 2) == 0;
    span_add(event, SPACE_L0A, a * BLOCK, rows * BLOCK, false);
    span_add(event, SPACE_L0B, b * BLOCK, BLOCK, false);
    if (adds)
        span_add(event, SPACE_L0C, c * FRACTAL_C, rows * FRACTAL_C, false);
    span_add(event, SPACE_L0C, c * FRACTAL_C, rows * FRACTAL_C, true);
    event->accumulates = adds;
    uint32_t halves = halves_of(2 * c, 2 * rows);
    if ((core->halves_set & halves) == 0 && pick(random, 0, 1) == 0)
        event->halves = halves;
    core->halves_set |= event->halves;
    add_line(program, "mmad dst=c+%u a=a+%u b=b+%u m=%u n=16 k=16 cmatrixInitVal=%d unitFlag=%d\n",
             (unsigned)(c * FRACTAL_C), (unsigned)(a * BLOCK), (unsigned)(b * BLOCK),
             (unsigned)(rows * 16), !adds, event->halves != 0 ? 3 : 0);
}

static void add_fixpipe(struct random_program *program, struct core_events *core, uint64_t *random,
                        uint64_t half, uint64_t count)
{
    struct event *event = event_add(program, core, EVENT_MOVE, PIPE_FIXP);
    uint64_t to = pick(random, 0, 2);
    uint32_t halves = halves_of(half, count);
    span_add(event, SPACE_L0C, half * BLOCK, count * BLOCK, false);
    span_add(event, SPACE_GM, to * 832, count * BLOCK, true);
    if ((core->halves_set & halves) == halves && pick(random, 0, 3) != 0)
        event->halves = halves;
    core->halves_set &= ~event->halves;
    add_line(program,
             "fixpipe dst=x+%u src=c+%u mSize=%u nSize=16 srcStride=16 dstStride=32 layout=nz "
             "unitFlag=%d\n",
             (unsigned)(to * 832), (unsigned)(half * BLOCK), (unsigned)(count * 8),
             event->halves != 0 ? 3 : 0);
}

static void add_move(struct random_program *program, struct core_events *core, uint64_t *random)
{
    uint64_t from = pick(random, 0, 2), to = pick(random, 0, 2), count = pick(random, 1, 2);
    struct event *event;
    switch (pick(random, 0, 3)) {
    case 0:
        event = event_add(program, core, EVENT_MOVE, PIPE_MTE2);
        span_add(event, SPACE_GM, from * 192, count * 160, false);
        span_add(event, SPACE_L1, to * 448, count * 160, true);
        add_line(program, "data_copy dst=l+%u src=x+%u blockCount=1 blockLen=%u\n",
                 (unsigned)(to * 448), (unsigned)(from * 192), (unsigned)(count * 5));
        break;
    case 1: {
        bool b = pick(random, 0, 1) == 0;
        event = event_add(program, core, EVENT_MOVE, PIPE_MTE1);
        span_add(event, SPACE_L1, from * BLOCK, count * BLOCK, false);
        span_add(event, b ? SPACE_L0B : SPACE_L0A, to * BLOCK, count * BLOCK, true);
        add_line(program, "load2d dst=%s+%u src=l+%u repeatTimes=%u srcStride=1\n", b ? "b" : "a",
                 (unsigned)(to * BLOCK), (unsigned)(from * BLOCK), (unsigned)count);
        break;
    }
    case 2:
        add_mmad(program, core, random);
        break;
    default:
        add_fixpipe(program, core, random, pick(random, 0, HALVES - count), count);
        break;
    }
}

static void add_flag(struct random_program *program, struct core_events *core, uint32_t flag,
                     bool wait)
{
    enum pipe source = flag_pipes[flag][0], target = flag_pipes[flag][1];
    struct event *event =
        event_add(program, core, wait ? EVENT_WAIT : EVENT_SET, wait ? target : source);
    event->number = flag;
    add_line(program, "%s src=%s dst=%s id=0\n", wait ? "wait_flag" : "set_flag", pipe_word(source),
             pipe_word(target));
}

/* A set of a flag that is not set, else its wait; now and then a wait comes first, or a set again.
 */
static void add_some_flag(struct random_program *program, struct core_events *core,
                          uint64_t *random, int32_t balance[FLAGS])
{
    uint32_t flag = (uint32_t)pick(random, 0, FLAGS - 1);
    bool ahead = balance[flag] <= 0 && balance[flag] > -AHEAD_MAX &&
                 flag_pipes[flag][1] != PIPE_SCALAR && pick(random, 0, 5) == 0;
    bool wait = balance[flag] > 0 ? pick(random, 0, 5) != 0 : ahead;
    balance[flag] += wait ? -1 : 1;
    add_flag(program, core, flag, wait);
}

static void add_barrier(struct random_program *program, struct core_events *core, uint64_t *random)
{
    static const enum pipe pipes[] = {PIPE_CUBE, PIPE_MTE1, PIPE_ALL};
    enum pipe pipe = pipes[pick(random, 0, 2)];
    event_add(program, core, EVENT_BARRIER, pipe);
    add_line(program, "pipe_barrier pipe=%s\n", pipe_word(pipe));
}

/* Two pipes may want a mutex at once; each gives back what it holds. */
static void add_lock(struct random_program *program, struct core_events *core, uint64_t *random,
                     bool held[MUTEXES][PIPE_COUNT])
{
    static const enum pipe pipes[] = {PIPE_MTE2, PIPE_MTE1, PIPE_CUBE};
    uint32_t mutex = (uint32_t)pick(random, 0, MUTEXES - 1);
    enum pipe pipe = pipes[pick(random, 0, 2)];
    bool unlock = held[mutex][pipe];
    struct event *event = event_add(program, core, unlock ? EVENT_UNLOCK : EVENT_LOCK, pipe);
    event->number = mutex;
    held[mutex][pipe] = !unlock;
    add_line(program, "mutex_%s pipe=%s id=%u\n", unlock ? "unlock" : "lock", pipe_word(pipe),
             mutex);
}

static void core_make(struct random_program *program, struct core_events *core, uint64_t *random)
{
    int32_t balance[FLAGS] = {0};
    bool held[MUTEXES][PIPE_COUNT] = {{false}};
    uint32_t count = (uint32_t)pick(random, 4, EVENTS_MAX - FLAGS * AHEAD_MAX - 1);
    core->count = 0;
    core->halves_set = 0;
    while (core->count < count) {
        uint64_t kind = pick(random, 0, 19);
        if (kind < 8)
            add_move(program, core, random);
        else if (kind < 17 || (kind < 19 && !program->locks))
            add_some_flag(program, core, random, balance);
        else if (kind < 19)
            add_lock(program, core, random, held);
        else
            add_barrier(program, core, random);
    }
    for (uint32_t flag = 0; flag < FLAGS; flag++)
        for (; balance[flag] < 0; balance[flag]++)
            add_flag(program, core, flag, false);
}

static void program_make(struct random_program *program, uint64_t *random)
{
    memset(program, 0, sizeof *program);
    program->locks = pick(random, 0, 1) == 0;
    add_line(program, ".product %s\n", program->locks ? "ascend-950pr" : "atlas-a2");
    add_line(program, ".gm x fp32 [1024] = seed=1\n");
    add_line(program, ".l1 l 0 2048\n");
    add_line(program, ".l0a a 0 2048\n");
    add_line(program, ".l0b b 0 2048\n");
    add_line(program, ".l0c c 0 3072\n");
    for (uint32_t core = 0; core < CORES; core++) {
        add_line(program, ".core %u\n", core);
        core_make(program, &program->core[core], random);
    }
}

/* ---- the oracle ---- */

/* Nodes of an event: it begins; it has read its operands; it is done. */
static uint32_t node_begin(uint32_t event)
{
    return 3 * event;
}

static uint32_t node_read(uint32_t event)
{
    return 3 * event + 1;
}

static uint32_t node_done(uint32_t event)
{
    return 3 * event + 2;
}

static bool event_on(const struct event *event, enum pipe pipe)
{
    return event->pipe == pipe;
}

/* A set of CUBE that says only that operands have been read. */
static bool event_early(const struct event *event)
{
    return event->kind == EVENT_SET && flag_pipes[event->number][0] == PIPE_CUBE &&
           flag_pipes[event->number][1] == PIPE_MTE1;
}

/* What an event comes behind because of those before it in the stream. */
static void graph_event(struct core_events *core, uint32_t i)
{
    const struct event *event = &core->event[i];
    bool barrier = event->kind == EVENT_BARRIER;
    bool tells = event->kind == EVENT_SET || event->kind == EVENT_UNLOCK || event->halves != 0;
    bool early = event_early(event);
    core->way[node_begin(i)][node_read(i)] = core->way[node_read(i)][node_done(i)] = true;
    for (uint32_t j = 0; j < i; j++) {
        const struct event *before = &core->event[j];
        bool all = barrier && event->pipe == PIPE_ALL;
        bool held = before->kind == EVENT_BARRIER && before->pipe == PIPE_ALL;
        bool scalar = before->kind == EVENT_WAIT && before->pipe == PIPE_SCALAR;
        if (held || scalar)
            core->way[node_done(j)][node_begin(i)] = true;
        if (all)
            core->way[node_done(j)][node_begin(i)] = true;
        if (!event_on(before, event->pipe))
            continue;
        core->way[node_begin(j)][node_begin(i)] = true;
        /* A wait, a lock or a barrier holds its pipe. */
        if (before->kind == EVENT_WAIT || before->kind == EVENT_LOCK ||
            before->kind == EVENT_BARRIER)
            core->way[node_done(j)][node_begin(i)] = true;
        if (barrier)
            core->way[node_done(j)][node_begin(i)] = true;
        /* What tells others holds nothing up. */
        if (tells)
            core->way[early && !event_early(before) ? node_read(j) : node_done(j)][node_done(i)] =
                true;
    }
}

/* A half of a fractal goes from an Mmad to the next store that takes it, and back. */
static void graph_unit_flags(struct core_events *core)
{
    for (uint32_t i = 0; i < core->count; i++) {
        uint32_t halves = core->event[i].halves;
        for (uint32_t j = i; j-- > 0 && halves != 0;) {
            if ((core->event[j].halves & halves) == 0)
                continue;
            assert_true(core->event[j].pipe != core->event[i].pipe);
            core->way[node_done(j)][node_begin(i)] = true;
            halves &= ~core->event[j].halves;
        }
    }
}

/* The n-th set goes with the n-th wait of a flag. */
static void graph_flags(struct core_events *core)
{
    for (uint32_t i = 0; i < core->count; i++) {
        if (core->event[i].kind != EVENT_WAIT)
            continue;
        uint32_t waits = 0, sets = 0;
        for (uint32_t j = 0; j < i; j++)
            waits +=
                core->event[j].kind == EVENT_WAIT && core->event[j].number == core->event[i].number;
        for (uint32_t j = 0; j < core->count; j++)
            if (core->event[j].kind == EVENT_SET &&
                core->event[j].number == core->event[i].number && sets++ == waits)
                core->way[node_done(j)][node_done(i)] = true;
    }
}

/* A lock passes when the lock before it, of any pipe, was given back by its pipe. */
static void graph_locks(struct core_events *core)
{
    for (uint32_t i = 0; i < core->count; i++) {
        if (core->event[i].kind != EVENT_LOCK)
            continue;
        uint32_t before = i;
        while (before > 0 && !(core->event[before - 1].kind == EVENT_LOCK &&
                               core->event[before - 1].number == core->event[i].number))
            before--;
        if (before == 0)
            continue;
        for (uint32_t j = before; j < core->count; j++)
            if (core->event[j].kind == EVENT_UNLOCK &&
                core->event[j].number == core->event[i].number &&
                core->event[j].pipe == core->event[before - 1].pipe) {
                core->way[node_done(j)][node_done(i)] = true;
                break;
            }
    }
}

static void graph_close(struct core_events *core)
{
    uint32_t nodes = 3 * core->count;
    for (uint32_t k = 0; k < nodes; k++)
        for (uint32_t i = 0; i < nodes; i++)
            if (core->way[i][k])
                for (uint32_t j = 0; j < nodes; j++)
                    core->way[i][j] |= core->way[k][j];
}

static void graph_make(struct core_events *core)
{
    memset(core->way, 0, sizeof core->way);
    for (uint32_t i = 0; i < core->count; i++)
        graph_event(core, i);
    graph_flags(core);
    graph_unit_flags(core);
    graph_locks(core);
    graph_close(core);
}

static bool spans_conflict(const struct span *left, const struct span *right)
{
    return left->space == right->space && left->from < right->to && right->from < left->to &&
           (left->write || right->write);
}

/* Whether a span of an event is over before another event begins. */
static bool span_before(const struct core_events *core, uint32_t i, const struct span *span,
                        uint32_t j)
{
    bool operand = core->event[i].pipe == PIPE_CUBE && span->space != SPACE_L0C;
    return core->way[operand ? node_read(i) : node_done(i)][node_begin(j)];
}

/* Of the Mmads of a core only one that adds to what the Mmad right before it writes can race. */
static bool mmads_race(const struct core_events *core, uint32_t i, uint32_t j)
{
    const struct event *first = &core->event[i], *second = &core->event[j];
    if (!second->accumulates || first->kind != EVENT_MOVE)
        return false;
    for (uint32_t between = i + 1; between < j; between++)
        if (core->event[between].kind == EVENT_MOVE && event_on(&core->event[between], PIPE_CUBE))
            return false;
    const struct span *written = &first->span[first->spans - 1];
    const struct span *read = &second->span[second->spans - 2];
    return spans_conflict(written, read) && !span_before(core, i, written, j);
}

/* i comes before j in the stream. */
static bool events_race(const struct core_events *core, uint32_t i, uint32_t j)
{
    const struct event *first = &core->event[i], *second = &core->event[j];
    if (first->pipe == second->pipe)
        return first->pipe == PIPE_CUBE && mmads_race(core, i, j);
    for (uint32_t a = 0; a < first->spans; a++)
        for (uint32_t b = 0; b < second->spans; b++)
            if (spans_conflict(&first->span[a], &second->span[b]) &&
                !span_before(core, i, &first->span[a], j) &&
                !span_before(core, j, &second->span[b], i))
                return true;
    return false;
}

static bool cores_race(const struct event *first, const struct event *second)
{
    for (uint32_t a = 0; a < first->spans; a++)
        for (uint32_t b = 0; b < second->spans; b++)
            if (first->span[a].space == SPACE_GM &&
                spans_conflict(&first->span[a], &second->span[b]))
                return true;
    return false;
}

/* ---- the comparison ---- */

/* The event that stands in a line: its core, and its index there. */
static uint32_t event_at(const struct random_program *program, uint32_t line, uint32_t *core)
{
    for (*core = 0; *core < CORES; ++*core)
        for (uint32_t i = 0; i < program->core[*core].count; i++)
            if (program->core[*core].event[i].line == line)
                return i;
    fail_msg("no event at line %u", line);
    return 0;
}

static bool pair_races(const struct random_program *program, uint32_t core, uint32_t i,
                       uint32_t other_core, uint32_t j)
{
    if (core != other_core)
        return cores_race(&program->core[core].event[i], &program->core[other_core].event[j]);
    return i < j ? events_race(&program->core[core], i, j)
                 : events_race(&program->core[core], j, i);
}

static void check_told(struct random_program *program, const struct hazard_record *hazard)
{
    unsigned line = 0, other = 0;
    const char *and = strstr(hazard->message, " and line ");
    assert_int_equal(sscanf(hazard->message, "line %u", &line), 1);
    assert_non_null(and);
    assert_int_equal(sscanf(and, " and line %u", &other), 1);
    assert_int_equal(line, hazard->line);
    uint32_t core, other_core;
    uint32_t i = event_at(program, line, &core), j = event_at(program, other, &other_core);
    program->told[core * EVENTS_MAX + i] = true;
    if (!pair_races(program, core, i, other_core, j))
        fail_msg("told and no race: %s\n%s", hazard->message, program->text);
}

static uint32_t check_missed(const struct random_program *program)
{
    uint32_t races = 0;
    for (uint32_t a = 0; a < CORES * EVENTS_MAX; a++)
        for (uint32_t b = a + 1; b < CORES * EVENTS_MAX; b++) {
            uint32_t core = a / EVENTS_MAX, i = a % EVENTS_MAX;
            uint32_t other = b / EVENTS_MAX, j = b % EVENTS_MAX;
            if (i >= program->core[core].count || j >= program->core[other].count ||
                !pair_races(program, core, i, other, j))
                continue;
            races++;
            if (!program->told[a] && !program->told[b])
                fail_msg("lines %u and %u race and neither is told\n%s",
                         program->core[core].event[i].line, program->core[other].event[j].line,
                         program->text);
        }
    return races;
}

/* ---- flags that are set twice ---- */

enum twice { TWICE_CLEAN, TWICE_NOTE, TWICE_HAZARD, TWICE_COUNT };

/* The n-th set or wait of a flag, from 0; count when there is none. */
static uint32_t flag_event(const struct core_events *core, enum event_kind kind, uint32_t flag,
                           uint32_t n)
{
    for (uint32_t i = 0; i < core->count; i++)
        if (core->event[i].kind == kind && core->event[i].number == flag && n-- == 0)
            return i;
    return core->count;
}

/* Set n + 1 of a flag, and wait n. */
static enum twice twice_expected(const struct core_events *core, uint32_t set, uint32_t wait)
{
    if (wait == core->count || core->way[node_done(set)][node_done(wait)])
        return TWICE_HAZARD;
    if (core->way[node_done(wait)][node_done(set)])
        return TWICE_CLEAN;
    return set < wait ? TWICE_HAZARD : TWICE_NOTE;
}

static bool told_at(const struct hazard_record *records, uint64_t count, uint32_t line,
                    const char *what)
{
    for (uint64_t i = 0; i < count; i++)
        if (records[i].line == line && strstr(records[i].message, what) != NULL)
            return true;
    return false;
}

static enum twice twice_told(const struct run_result *result, uint32_t line)
{
    bool hazard = told_at(result->hazards, result->hazards_kept, line, ", which line ");
    bool note = told_at(result->notes, result->notes_kept, line, " again and nothing ");
    assert_false(hazard && note);
    return hazard ? TWICE_HAZARD : note ? TWICE_NOTE : TWICE_CLEAN;
}

static void check_twice(const struct random_program *program, const struct core_events *core,
                        const struct run_result *result, uint32_t counts[TWICE_COUNT])
{
    for (uint32_t flag = 0; flag < FLAGS; flag++)
        for (uint32_t n = 0;; n++) {
            uint32_t set = flag_event(core, EVENT_SET, flag, n + 1);
            if (set == core->count)
                break;
            enum twice expected = twice_expected(core, set, flag_event(core, EVENT_WAIT, flag, n));
            if (twice_told(result, core->event[set].line) != expected)
                fail_msg("line %u: expected %d\n%s", core->event[set].line, (int)expected,
                         program->text);
            counts[expected]++;
        }
}

static void test_what_nothing_orders_is_told(void **state)
{
    (void)state;
    static struct random_program program;
    uint64_t random = splitmix_seed();
    uint32_t ended = 0, races = 0, clean = 0, twice[TWICE_COUNT] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct text_run run;
        program_make(&program, &random);
        text_run_init(&run, program.text);
        if (!run.result.deadlocked) {
            ended++;
            for (uint32_t core = 0; core < CORES; core++) {
                graph_make(&program.core[core]);
                check_twice(&program, &program.core[core], &run.result, twice);
            }
            for (uint64_t i = 0; i < run.result.hazards_kept; i++)
                if (run.result.hazards[i].kind == HAZARD_RACE)
                    check_told(&program, &run.result.hazards[i]);
            uint32_t found = check_missed(&program);
            races += found;
            clean += found == 0;
        }
        text_run_deinit(&run);
    }
    /* The programs are worth their while. */
    assert_true(ended > ROUNDS / 2 && races > ROUNDS && clean > ROUNDS / 100);
    for (enum twice kind = TWICE_CLEAN; kind < TWICE_COUNT; kind++)
        assert_true(twice[kind] > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_nothing_orders_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
