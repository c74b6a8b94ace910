#include "tests/support/ordered_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/splitmix.h"

/* ---- programs ---- */

static const enum pipe flag_pipes[FLAGS][2] = {{PIPE_MTE2, PIPE_MTE1}, {PIPE_MTE1, PIPE_CUBE},
                                               {PIPE_CUBE, PIPE_MTE1}, {PIPE_CUBE, PIPE_FIXP},
                                               {PIPE_MTE1, PIPE_FIXP}, {PIPE_FIXP, PIPE_SCALAR}};

static void add_line(struct ordered_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_line(struct ordered_program *program, const char *format, ...)
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

static struct event *event_add(struct ordered_program *program, struct core_events *core,
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
static void add_mmad(struct ordered_program *program, struct core_events *core, uint64_t *random)
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

static void add_fixpipe(struct ordered_program *program, struct core_events *core, uint64_t *random,
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

static void add_move(struct ordered_program *program, struct core_events *core, uint64_t *random)
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

static void add_flag(struct ordered_program *program, struct core_events *core, uint32_t flag,
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
static void add_some_flag(struct ordered_program *program, struct core_events *core,
                          uint64_t *random, int32_t balance[FLAGS])
{
    uint32_t flag = (uint32_t)pick(random, 0, FLAGS - 1);
    bool ahead = balance[flag] <= 0 && balance[flag] > -AHEAD_MAX &&
                 flag_pipes[flag][1] != PIPE_SCALAR && pick(random, 0, 5) == 0;
    bool wait = balance[flag] > 0 ? pick(random, 0, 5) != 0 : ahead;
    balance[flag] += wait ? -1 : 1;
    add_flag(program, core, flag, wait);
}

static void add_barrier(struct ordered_program *program, struct core_events *core, uint64_t *random)
{
    static const enum pipe pipes[] = {PIPE_CUBE, PIPE_MTE1, PIPE_ALL};
    enum pipe pipe = pipes[pick(random, 0, 2)];
    event_add(program, core, EVENT_BARRIER, pipe);
    add_line(program, "pipe_barrier pipe=%s\n", pipe_word(pipe));
}

/* Two pipes may want a mutex at once; each gives back what it holds. */
static void add_lock(struct ordered_program *program, struct core_events *core, uint64_t *random,
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

static void core_make(struct ordered_program *program, struct core_events *core, uint64_t *random)
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

void ordered_program_make(struct ordered_program *program, uint64_t *random)
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

/* ---- what comes before what ---- */

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

void ordered_graph_make(struct core_events *core)
{
    memset(core->way, 0, sizeof core->way);
    for (uint32_t i = 0; i < core->count; i++)
        graph_event(core, i);
    graph_flags(core);
    graph_unit_flags(core);
    graph_locks(core);
    graph_close(core);
}
