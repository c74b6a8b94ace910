#include <string.h>

#include "engine/event_queue.h"
#include "traces/chrome_event.h"
#include "traces/export.h"
#include "traces/flag_counts.h"
#include "traces/mark_queue.h"
#include "traces/slots.h"
#include "traces/timescale.h"

/*
 * Events come out in the order of their time, all cores together, and no more is kept than what is
 * under way: each pipe has a cursor on its rows, and a heap says which of them comes next.
 *
 * Rows of a pipe begin in the order of seq but for what sets flags, which fires later than it
 * stands; those rows wait in a queue of their own. No row that is still to come fires before a row
 * that was read begins.
 */

/* What can come next, and its order among what comes at the same time: a flag is set before it is
 * waited for, and a rate that begins again does not fall to 0 before. */
#define SOURCE_LIST(ROW)                                                                           \
    ROW(SET, PHASE_COMPLETE)                                                                       \
    ROW(WAITED, PHASE_GRANT)                                                                       \
    ROW(PIPE, PHASE_ISSUE)                                                                         \
    ROW(RATE, PHASE_SAMPLE)                                                                        \
    ROW(SLOTS, PHASE_SAMPLE)

enum source_kind {
#define ROW(name, phase) SOURCE_##name,
    SOURCE_LIST(ROW)
#undef ROW
};

/* An entry of the queue, taken apart. */
struct due {
    uint64_t at_ns;
    enum source_kind kind;
    uint32_t core, index; /* core from core_first; pipe or rate */
};

enum { SOURCE_INDICES = 16 };

/* What is counted in bytes per cycle: by pipe, and MTE1 by its target. */
#define RATE_LIST(ROW)                                                                             \
    ROW(MTE2, "MTE2 from GM")                                                                      \
    ROW(L0A, "MTE1 to L0A")                                                                        \
    ROW(L0B, "MTE1 to L0B")                                                                        \
    ROW(FIXP, "FIXP from L0C")                                                                     \
    ROW(VECTOR, "VECTOR")                                                                          \
    ROW(MTE3, "MTE3 to GM")

enum rate {
#define ROW(name, word) RATE_##name,
    RATE_LIST(ROW)
#undef ROW
        RATE_COUNT
};

/* Marks of one time stand a nanosecond apart: so much later may a set_flag be drawn than it fires.
 */
enum { SET_LATE_NS_MAX = 10000 };

struct chrome_pipe {
    struct row_cursor cursor;
    struct stored_row row;
    enum { AT_NONE, AT_WAIT, AT_DO, AT_FOR_EVER } stage;
    tick end;                      /* of the latest work */
    uint64_t end_ns, flags_end_ns; /* where the last slice of each track ended */
    struct mark_queue sets;        /* fire later than they stand */
    struct mark_queue waited;      /* stand a little later than they happened when marks are many */
    struct stored_row standing;    /* waits for ever behind the last row; wait 0: it does not */
};

struct chrome_core {
    struct chrome_pipe pipe[PIPE_COUNT];
    struct flag_counts flags;
    uint64_t rate_end_ns[RATE_COUNT]; /* when the rate falls to 0; UINT64_MAX: it is 0 */
    struct slots slots;
    bool has_slots;
    struct slot_event slot_event;          /* the next */
    struct slot_event before[SPACE_COUNT]; /* what is in use where the window begins */
    bool has_before;
};

struct chrome {
    struct output output;
    struct arena arena;
    struct store *store;
    struct diag *diag;
    const struct export_options *options;
    struct stored_run run;
    struct timescale scale;
    tick from, to;             /* of what is written; to is far behind the end of a whole run */
    struct chrome_core *cores; /* [core_count] */
    struct event_queue queue;  /* at: nanoseconds; kind: source; index: core and index of a due */
};

static enum status no_memory(struct chrome *chrome)
{
    return diag_add(chrome->diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
}

static uint64_t at_ns(const struct chrome *chrome, tick cycle)
{
    return timescale_ns(&chrome->scale, cycle);
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* ---- the queue ---- */

static enum status due_push(struct chrome *chrome, struct due due)
{
    static const enum phase phases[] = {
#define ROW(name, phase) [SOURCE_##name] = (phase),
        SOURCE_LIST(ROW)
#undef ROW
    };
    enum status status =
        event_queue_push(&chrome->queue, due.at_ns, phases[due.kind], (uint32_t)due.kind,
                         due.core * SOURCE_INDICES + due.index);
    return status == STATUS_OK ? status : no_memory(chrome);
}

static struct due due_pop(struct chrome *chrome)
{
    const struct event event = event_queue_pop(&chrome->queue);
    return (struct due){.at_ns = event.at,
                        .kind = (enum source_kind)event.kind,
                        .core = event.index / SOURCE_INDICES,
                        .index = event.index % SOURCE_INDICES};
}

/* ---- rows ---- */

static bool row_sets(const struct stored_row *row)
{
    return strcmp(row->opcode, "set_flag") == 0 || strcmp(row->opcode, "mutex_unlock") == 0;
}

/* The cycle up to which a row waits. */
static tick row_ready(const struct stored_row *row)
{
    return row->busy > 0 ? row->start : row->end;
}

/* Keeps the row of a pipe as a mark that comes out when its time has come. */
static enum status pipe_keep_mark(struct chrome *chrome, uint32_t core, uint32_t index,
                                  enum source_kind kind)
{
    struct chrome_pipe *pipe = &chrome->cores[core].pipe[index];
    const struct stored_row *row = &pipe->row;
    if (row->end < chrome->from || row->end >= chrome->to)
        return STATUS_OK;
    enum status status = mark_queue_push(kind == SOURCE_SET ? &pipe->sets : &pipe->waited, row);
    if (status != STATUS_OK)
        return no_memory(chrome);
    return due_push(
        chrome,
        (struct due){.at_ns = at_ns(chrome, row->end), .kind = kind, .core = core, .index = index});
}

/* When the next event of a pipe can be drawn at the earliest. */
static uint64_t pipe_due_ns(const struct chrome *chrome, const struct chrome_pipe *pipe)
{
    const struct stored_row *row = &pipe->row;
    if (pipe->stage == AT_WAIT || pipe->stage == AT_FOR_EVER)
        return later(at_ns(chrome, row_ready(row) - row->wait), pipe->end_ns);
    return row->busy > 0 ? later(at_ns(chrome, row->start), pipe->end_ns) : at_ns(chrome, row->end);
}

static enum status pipe_push(struct chrome *chrome, uint32_t core, uint32_t index)
{
    const struct chrome_pipe *pipe = &chrome->cores[core].pipe[index];
    return due_push(chrome, (struct due){.at_ns = pipe_due_ns(chrome, pipe),
                                         .kind = SOURCE_PIPE,
                                         .core = core,
                                         .index = index});
}

/* Goes to the next row of a pipe that does not set a flag. */
static enum status pipe_advance(struct chrome *chrome, uint32_t core, uint32_t index)
{
    struct chrome_pipe *pipe = &chrome->cores[core].pipe[index];
    bool found = true;
    enum status status = STATUS_OK;
    while (status == STATUS_OK) {
        status = row_cursor_next(&pipe->cursor, &pipe->row, &found, chrome->diag);
        if (status != STATUS_OK || !found || !row_sets(&pipe->row))
            break;
        status = pipe_keep_mark(chrome, core, index, SOURCE_SET);
    }
    if (status != STATUS_OK)
        return status;
    pipe->stage = pipe->row.wait > 0 ? AT_WAIT : AT_DO;
    if (!found) {
        pipe->stage = pipe->standing.wait > 0 ? AT_FOR_EVER : AT_NONE;
        pipe->row = pipe->standing;
        pipe->standing.wait = 0;
    }
    return pipe->stage == AT_NONE ? STATUS_OK : pipe_push(chrome, core, index);
}

/* ---- writing ---- */

static struct chrome_span span_of(const struct chrome *chrome, uint32_t core, uint32_t pipe,
                                  bool is_flags)
{
    return (struct chrome_span){.track = {.core = chrome->options->core_first + core,
                                          .pipe = (enum pipe)pipe,
                                          .is_flags = is_flags}};
}

static bool in_window(const struct chrome *chrome, tick start, tick end)
{
    return end > chrome->from && start < chrome->to;
}

static void write_wait(struct chrome *chrome, uint32_t core, uint32_t index, uint64_t now_ns)
{
    struct chrome_pipe *pipe = &chrome->cores[core].pipe[index];
    const struct stored_row *row = &pipe->row;
    tick ready = row_ready(row);
    struct chrome_span span = span_of(chrome, core, index, false);
    span.start_ns = now_ns;
    span.end_ns = at_ns(chrome, ready);
    /* A wait that rounding leaves no room is still told by the row behind it. */
    if (!in_window(chrome, ready - row->wait, ready) || span.end_ns <= span.start_ns)
        return;
    chrome_wait(&chrome->output, &span, row);
    pipe->end_ns = span.end_ns;
}

static const char *const rate_names[RATE_COUNT] = {
#define ROW(name, word) word,
    RATE_LIST(ROW)
#undef ROW
};

/* The counter that a row moves, or RATE_COUNT. */
static enum rate rate_of(struct chrome_core *core, uint32_t pipe, const struct stored_row *row)
{
    static const enum rate of_pipe[PIPE_COUNT] = {
        [PIPE_SCALAR] = RATE_COUNT, [PIPE_MTE2] = RATE_MTE2, [PIPE_MTE1] = RATE_COUNT,
        [PIPE_CUBE] = RATE_COUNT,   [PIPE_FIXP] = RATE_FIXP, [PIPE_VECTOR] = RATE_VECTOR,
        [PIPE_MTE3] = RATE_MTE3,
    };
    if (row->bytes == 0)
        return RATE_COUNT;
    if (pipe != PIPE_MTE1)
        return of_pipe[pipe];
    const struct slot *slot = slots_find(&core->slots, row->operands, "dst");
    if (slot == NULL || slot->space == SPACE_L1)
        return RATE_COUNT;
    return slot->space == SPACE_L0A ? RATE_L0A : RATE_L0B;
}

static void count_rate(struct chrome *chrome, uint32_t core, enum rate rate, uint64_t now_ns,
                       uint64_t thousandths)
{
    const struct chrome_counter counter = {
        .core = chrome->options->core_first + core, .name = rate_names[rate], .unit = "B/cycle"};
    chrome_count(&chrome->output, &counter, now_ns, thousandths);
}

static enum status write_work(struct chrome *chrome, uint32_t core, uint32_t index, uint64_t now_ns)
{
    struct chrome_core *of = &chrome->cores[core];
    struct chrome_pipe *pipe = &of->pipe[index];
    const struct stored_row *row = &pipe->row;
    if (row->start < pipe->end)
        return diag_add(
            chrome->diag, STATUS_DATABASE, place_none(),
            "run %lld, core %u, %s: instruction %u begins before the one before it ends; "
            "expected a pipe to do one at a time",
            (long long)chrome->run.run_id, chrome->options->core_first + core,
            pipe_word((enum pipe)index), row->seq);
    pipe->end = row->end;
    if (!in_window(chrome, row->start, row->end))
        return STATUS_OK;
    struct chrome_span span = span_of(chrome, core, index, false);
    span.start_ns = now_ns;
    /* Work is at least a nanosecond long, and what follows begins behind it. */
    span.end_ns = later(at_ns(chrome, row->end), now_ns + 1);
    chrome_work(&chrome->output, &span, row);
    pipe->end_ns = span.end_ns;
    enum rate rate = rate_of(of, index, row);
    if (rate == RATE_COUNT)
        return STATUS_OK;
    count_rate(chrome, core, rate, now_ns, row->bytes * 1000 / row->busy);
    of->rate_end_ns[rate] = span.end_ns;
    return due_push(chrome, (struct due){.at_ns = span.end_ns,
                                         .kind = SOURCE_RATE,
                                         .core = core,
                                         .index = (uint32_t)rate});
}

/* A mark on the track of flags. Returns where it stands. */
static struct chrome_span write_mark(struct chrome *chrome, const struct due *due,
                                     const struct mark *mark)
{
    struct chrome_pipe *pipe = &chrome->cores[due->core].pipe[due->index];
    struct chrome_span span = span_of(chrome, due->core, due->index, true);
    const struct chrome_mark shown = {mark->opcode, mark->operands, mark->seq, mark->at};
    span.start_ns = due->at_ns;
    span.end_ns = pipe->flags_end_ns = due->at_ns + 1;
    chrome_flag(&chrome->output, &span, &shown);
    return span;
}

/* The counts of the flag that a mark sets or waits for; NULL when it is none that is paired. */
static struct flag_count *mark_flag(struct chrome_core *core, const struct mark *mark,
                                    uint32_t *key)
{
    bool is_flag = strcmp(mark->opcode, "set_flag") == 0 || strcmp(mark->opcode, "wait_flag") == 0;
    *key = is_flag ? flag_key(mark->operands) : FLAG_KEY_NONE;
    return *key == FLAG_KEY_NONE ? NULL : &core->flags.count[*key];
}

/* Comes again later. */
static enum status put_off(struct chrome *chrome, const struct due *due, uint64_t until_ns)
{
    struct due late = *due;
    late.at_ns = until_ns;
    return due_push(chrome, late);
}

static enum status take_set(struct chrome *chrome, const struct due *due)
{
    struct chrome_core *of = &chrome->cores[due->core];
    struct chrome_pipe *pipe = &of->pipe[due->index];
    if (pipe->flags_end_ns > due->at_ns)
        return put_off(chrome, due, pipe->flags_end_ns);
    const struct mark *mark = mark_queue_pop(&pipe->sets);
    const struct chrome_span span = write_mark(chrome, due, mark);
    uint32_t key = FLAG_KEY_NONE;
    struct flag_count *count = mark_flag(of, mark, &key);
    if (count == NULL)
        return STATUS_OK;
    if (count->set < count->waited_limit)
        chrome_flow(&chrome->output, &span, true, key, count->set);
    count->set++;
    count->set_ns = span.start_ns;
    return STATUS_OK;
}

static enum status take_waited(struct chrome *chrome, const struct due *due)
{
    struct chrome_core *of = &chrome->cores[due->core];
    struct chrome_pipe *pipe = &of->pipe[due->index];
    if (pipe->flags_end_ns > due->at_ns)
        return put_off(chrome, due, pipe->flags_end_ns);
    const struct mark *mark = mark_queue_first(&pipe->waited);
    uint32_t key = FLAG_KEY_NONE;
    struct flag_count *count = mark_flag(of, mark, &key);
    bool paired =
        count != NULL && count->waited >= count->set_first && count->waited < count->set_limit;
    bool set_is_late = paired && (count->set <= count->waited || count->set_ns > due->at_ns);
    if (set_is_late && due->at_ns < at_ns(chrome, mark->at) + SET_LATE_NS_MAX)
        return put_off(chrome, due, due->at_ns + 1);
    mark = mark_queue_pop(&pipe->waited);
    const struct chrome_span span = write_mark(chrome, due, mark);
    if (paired)
        chrome_flow(&chrome->output, &span, false, key, count->waited);
    if (count != NULL)
        count->waited++;
    return STATUS_OK;
}

static enum status take_pipe(struct chrome *chrome, const struct due *due)
{
    struct chrome_pipe *pipe = &chrome->cores[due->core].pipe[due->index];
    uint64_t due_ns = pipe_due_ns(chrome, pipe);
    if (due_ns > due->at_ns)
        return put_off(chrome, due, due_ns);
    if (pipe->stage == AT_WAIT || pipe->stage == AT_FOR_EVER)
        write_wait(chrome, due->core, due->index, due->at_ns);
    if (pipe->stage == AT_WAIT) {
        pipe->stage = AT_DO;
        return pipe_push(chrome, due->core, due->index);
    }
    enum status status = STATUS_OK;
    if (pipe->stage == AT_DO && pipe->row.busy > 0)
        status = write_work(chrome, due->core, due->index, due->at_ns);
    else if (pipe->stage == AT_DO)
        status = pipe_keep_mark(chrome, due->core, due->index, SOURCE_WAITED);
    return status == STATUS_OK ? pipe_advance(chrome, due->core, due->index) : status;
}

/* ---- counters of slots ---- */

static void count_slots(struct chrome *chrome, uint32_t core, const struct slot_event *event)
{
    static const char *const names[SPACE_COUNT] = {[SPACE_L1] = "L1 slots",
                                                   [SPACE_L0A] = "L0A slots",
                                                   [SPACE_L0B] = "L0B slots",
                                                   [SPACE_L0C] = "L0C slots"};
    const struct chrome_counter counter = {
        .core = chrome->options->core_first + core, .name = names[event->space], .unit = "in use"};
    chrome_count(&chrome->output, &counter, at_ns(chrome, later(event->at, chrome->from)),
                 (uint64_t)event->in_use * 1000);
}

static enum status slots_push(struct chrome *chrome, uint32_t core, tick at)
{
    return due_push(chrome,
                    (struct due){.at_ns = at_ns(chrome, at), .kind = SOURCE_SLOTS, .core = core});
}

static enum status slots_advance(struct chrome *chrome, uint32_t core)
{
    struct chrome_core *of = &chrome->cores[core];
    enum status status = slots_next(&of->slots, &of->slot_event, &of->has_slots, chrome->diag);
    if (status != STATUS_OK || !of->has_slots)
        return status;
    return slots_push(chrome, core, of->slot_event.at);
}

/* Of the events before the window the last of each buffer counts; they are drawn where it begins.
 */
static enum status slots_start(struct chrome *chrome, uint32_t core)
{
    struct chrome_core *of = &chrome->cores[core];
    enum status status = slots_next(&of->slots, &of->slot_event, &of->has_slots, chrome->diag);
    while (status == STATUS_OK && of->has_slots && of->slot_event.at < chrome->from) {
        of->before[of->slot_event.space] = of->slot_event;
        of->has_before = true;
        status = slots_next(&of->slots, &of->slot_event, &of->has_slots, chrome->diag);
    }
    if (status != STATUS_OK)
        return status;
    if (of->has_before)
        return slots_push(chrome, core, chrome->from);
    return of->has_slots ? slots_push(chrome, core, of->slot_event.at) : STATUS_OK;
}

static enum status take_slots(struct chrome *chrome, uint32_t core)
{
    struct chrome_core *of = &chrome->cores[core];
    if (!of->has_before) {
        count_slots(chrome, core, &of->slot_event);
        return slots_advance(chrome, core);
    }
    of->has_before = false;
    for (uint32_t space = 0; space < SPACE_COUNT; space++)
        if (of->before[space].in_use > 0)
            count_slots(chrome, core, &of->before[space]);
    return of->has_slots ? slots_push(chrome, core, of->slot_event.at) : STATUS_OK;
}

static enum status take(struct chrome *chrome, const struct due *due)
{
    struct chrome_core *of = &chrome->cores[due->core];
    switch (due->kind) {
    case SOURCE_SET:
        return take_set(chrome, due);
    case SOURCE_WAITED:
        return take_waited(chrome, due);
    case SOURCE_PIPE:
        return take_pipe(chrome, due);
    case SOURCE_RATE:
        /* Unless the rate has begun again. */
        if (of->rate_end_ns[due->index] == due->at_ns) {
            of->rate_end_ns[due->index] = UINT64_MAX;
            count_rate(chrome, due->core, (enum rate)due->index, due->at_ns, 0);
        }
        return STATUS_OK;
    case SOURCE_SLOTS:
    default:
        return take_slots(chrome, due->core);
    }
}

/* ---- the file ---- */

static enum status keep_standing(void *context, const struct stored_row *row)
{
    struct chrome_core *core = context;
    core->pipe[row->pipe].standing = *row;
    core->pipe[row->pipe].standing.opcode = core->pipe[row->pipe].standing.operands = "";
    return STATUS_OK;
}

static enum status name_tracks(struct chrome *chrome, uint32_t core)
{
    struct stored_pipe *pipes = NULL;
    size_t count = 0;
    uint32_t number = chrome->options->core_first + core;
    enum status status = store_read_pipes(chrome->store, chrome->run.run_id, number, &chrome->arena,
                                          chrome->diag, &pipes, &count);
    chrome_name_core(&chrome->output, number);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        for (int is_flags = 0; is_flags <= 1; is_flags++)
            chrome_name_track(&chrome->output,
                              (struct chrome_track){.core = number,
                                                    .pipe = (enum pipe)pipes[i].pipe,
                                                    .is_flags = is_flags != 0});
    return status;
}

static enum status open_core(struct chrome *chrome, uint32_t core)
{
    struct chrome_core *of = &chrome->cores[core];
    int64_t run_id = chrome->run.run_id;
    uint32_t number = chrome->options->core_first + core;
    for (uint32_t rate = 0; rate < RATE_COUNT; rate++)
        of->rate_end_ns[rate] = UINT64_MAX;
    enum status status =
        slots_open(&of->slots, chrome->store, run_id, number, chrome->to, chrome->diag);
    if (status == STATUS_OK)
        status = flag_counts_read(&of->flags, chrome->store, run_id, number, chrome->from,
                                  chrome->to, chrome->diag);
    if (status == STATUS_OK && chrome->run.deadlocked)
        status =
            store_visit_standing(chrome->store, run_id, number, keep_standing, of, chrome->diag);
    if (status == STATUS_OK)
        status = name_tracks(chrome, core);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT && status == STATUS_OK; pipe++)
        status = row_cursor_open(&of->pipe[pipe].cursor, chrome->store, run_id, number, pipe,
                                 chrome->from, chrome->to, chrome->diag);
    return status;
}

static enum status start_core(struct chrome *chrome, uint32_t core)
{
    enum status status = slots_start(chrome, core);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT && status == STATUS_OK; pipe++)
        status = pipe_advance(chrome, core, pipe);
    return status;
}

static enum status write_events(struct chrome *chrome)
{
    uint32_t cores = chrome->options->core_count;
    enum status status = STATUS_OK;
    chrome_begin(&chrome->output, chrome->options->core_first);
    for (uint32_t core = 0; core < cores && status == STATUS_OK; core++)
        status = open_core(chrome, core);
    for (uint32_t core = 0; core < cores && status == STATUS_OK; core++)
        status = start_core(chrome, core);
    while (status == STATUS_OK && chrome->queue.count > 0) {
        const struct due due = due_pop(chrome);
        status = take(chrome, &due);
        if (status == STATUS_OK)
            status = output_status(&chrome->output);
    }
    return status;
}

static void close_cores(struct chrome *chrome)
{
    for (uint32_t core = 0; chrome->cores != NULL && core < chrome->options->core_count; core++) {
        struct chrome_core *of = &chrome->cores[core];
        slots_close(&of->slots);
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
            row_cursor_close(&of->pipe[pipe].cursor);
            mark_queue_deinit(&of->pipe[pipe].sets);
            mark_queue_deinit(&of->pipe[pipe].waited);
        }
    }
    event_queue_deinit(&chrome->queue);
}

enum status export_chrome(struct store *store, int64_t run_id, const struct export_options *options,
                          FILE *file, struct diag *diag)
{
    static const char *const timebases[TIMEBASE_COUNT] = {
#define ROW(name, word) word,
        TIMEBASE_LIST(ROW)
#undef ROW
    };
    struct chrome chrome = {.store = store, .diag = diag, .options = options};
    arena_init(&chrome.arena, 0);
    event_queue_init(&chrome.queue);
    output_init(&chrome.output, file);
    enum status status = store_find_run(store, run_id, &chrome.arena, diag, &chrome.run);
    chrome.scale = timescale_of(&chrome.run, options->timebase);
    chrome.from = options->from;
    chrome.to = options->to < chrome.run.cycles ? options->to : INT64_MAX;
    chrome.cores = arena_take(&chrome.arena, options->core_count, sizeof *chrome.cores);
    if (status == STATUS_OK && chrome.cores == NULL)
        status = no_memory(&chrome);
    if (status == STATUS_OK)
        status = write_events(&chrome);
    if (status == STATUS_OK)
        chrome_end(&chrome.output, &chrome.run, timebases[options->timebase]);
    if (status == STATUS_OK || status == STATUS_IO)
        status = output_finish(&chrome.output, options->target, diag);
    close_cores(&chrome);
    arena_deinit(&chrome.arena);
    return status;
}
