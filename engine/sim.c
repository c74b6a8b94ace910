#include "engine/sim.h"

#include <assert.h>
#include <string.h>

#include "engine/sim_state.h"

void sim_push(struct sim *sim, tick at, enum phase phase, enum event_kind kind, uint32_t index)
{
    assert(at >= sim->now);
    if (event_queue_push(&sim->queue, at, phase, kind, index) != STATUS_OK)
        sim->status = STATUS_NO_MEMORY;
}

void row_begin(const struct sim *sim, uint32_t pipe, const struct job *job, tick at,
               struct row *row)
{
    *row = (struct row){
        .core = sim_core_of(sim, pipe),
        .pipe = pipe % sim->config.pipes,
        .seq = job->seq,
        .tag = job->tag,
        .kind = job->kind,
        .start = at,
        .end = at,
        .done = at,
    };
    row_block(row, ROW_NO_BLOCKER, ROW_NO_BLOCKER, ROW_NO_BLOCKER);
}

void row_block(struct row *row, uint32_t core, uint32_t pipe, uint32_t seq)
{
    row->blocker_core = core;
    row->blocker_pipe = pipe;
    row->blocker_seq = seq;
}

void sim_emit(struct sim *sim, const struct row *row)
{
    struct pipe_totals *totals = &sim->pipes[row->core * sim->config.pipes + row->pipe].totals;
    assert((row->wait == 0) == (row->cause == CAUSE_NONE));
    if (row->pipe != 0)
        totals->jobs++;
    totals->wait[row->cause] += row->wait;
    totals->waits[row->cause] += row->wait > 0;
    if (row->cause == CAUSE_FLAG && row->blocker_pipe != ROW_NO_BLOCKER)
        totals->wait_for[row->blocker_pipe] += row->wait;
    if (sim->config.sink != NULL)
        sim->config.sink(sim->config.sink_context, row);
}

void sim_complete(struct sim *sim, uint32_t pipe, tick done, const struct path *path)
{
    struct core_state *core = &sim->cores[sim_core_of(sim, pipe)];
    uint32_t local = pipe % sim->config.pipes;
    if (done < core->makespan || (done == core->makespan && local >= core->last_pipe))
        return;
    core->makespan = done;
    core->last_pipe = local;
    core->last_path = *path;
}

uint32_t base_take(struct sim *sim, const struct path *path, tick at)
{
    uint32_t base = sim->base_free;
    if (base != NONE) {
        sim->base_free = sim->bases[base].next_free;
    } else {
        void *bases = array_grow(sim->bases, &sim->base_capacity, (size_t)sim->base_count + 1,
                                 sizeof *sim->bases);
        if (bases == NULL) {
            sim->status = STATUS_NO_MEMORY;
            return NONE;
        }
        sim->bases = bases;
        base = sim->base_count++;
    }
    sim->bases[base].path = *path;
    sim->bases[base].at = at;
    sim->bases[base].references = 1;
    return base;
}

void base_drop(struct sim *sim, uint32_t base)
{
    assert(sim->bases[base].references > 0);
    if (--sim->bases[base].references > 0)
        return;
    sim->bases[base].next_free = sim->base_free;
    sim->base_free = base;
}

struct path base_path_at(struct sim *sim, uint32_t base, tick at, uint32_t pipe,
                         const struct job *job)
{
    struct path path = sim->bases[base].path;
    assert(at >= sim->bases[base].at);
    sim_path_wait(sim, &path, pipe, job, CAUSE_DISPATCH, at - sim->bases[base].at,
                  sim->config.dispatch_class);
    return path;
}

void sim_step(struct sim *sim, struct path *path, uint32_t pipe, const struct job *job,
              enum step_kind kind, enum cause cause, tick ticks)
{
    if (ticks == 0 || sim->config.steps == NULL)
        return;
    const struct path_step step = {
        .number = ++sim->step_count,
        .before = path->step,
        .core = sim_core_of(sim, pipe),
        .pipe = pipe % sim->config.pipes,
        .seq = job == NULL ? ROW_NO_BLOCKER : job->seq,
        .tag = job == NULL ? ROW_NO_BLOCKER : job->tag,
        .kind = kind,
        .cause = cause,
        .ticks = ticks,
    };
    path->step = step.number;
    sim->config.steps(sim->config.steps_context, &step);
}

void sim_path_wait(struct sim *sim, struct path *path, uint32_t pipe, const struct job *job,
                   enum cause cause, tick ticks, uint32_t class_index)
{
    path_add_cause(path, cause, ticks, class_index);
    sim_step(sim, path, pipe, job, STEP_WAIT, cause, ticks);
}

static enum status sim_take(struct sim *sim, struct arena *arena)
{
    const struct sim_config *config = &sim->config;
    size_t pipes = (size_t)config->cores * config->pipes;
    size_t flags = (size_t)config->cores * config->flags;
    size_t gates = (size_t)config->cores * config->gates;
    sim->cores = arena_take(arena, config->cores, sizeof *sim->cores);
    sim->pipes = arena_take(arena, pipes, sizeof *sim->pipes);
    sim->flags = arena_take(arena, flags + 1, sizeof *sim->flags);
    sim->gates = arena_take(arena, gates + 1, sizeof *sim->gates);
    sim->links = arena_take(arena, (size_t)config->link_count + 1, sizeof *sim->links);
    if (sim->cores == NULL || sim->pipes == NULL || sim->flags == NULL || sim->gates == NULL ||
        sim->links == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < flags; i++)
        sim->flags[i] = (struct flag){.first = NONE, .last = NONE};
    for (size_t i = 0; i < gates; i++)
        sim->gates[i] = NONE;
    for (uint32_t i = 0; i < config->cores; i++)
        memset(&sim->cores[i].shut, 0xFF, sizeof sim->cores[i].shut);
    struct moment *starts = arena_take(arena, pipes * config->queue_depth, sizeof *starts);
    if (starts == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < pipes; i++)
        sim->pipes[i].starts = starts + i * config->queue_depth;
    for (size_t i = 0; i < pipes; i++)
        sim->pipes[i].done_seq = sim->pipes[i].front_seq = sim->pipes[i].change = NONE;
    for (uint32_t i = 0; i < config->link_count; i++) {
        sim->links[i].class_index = config->links[i].class_index;
        sim->links[i].event_at = UINT64_MAX;
        if (link_init(&sim->links[i].link, config->links[i].capacity, (uint32_t)pipes, arena) !=
            STATUS_OK)
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

/* Pipe 0 of every core waits out the startup, then its dispatcher begins. */
static void sim_start(struct sim *sim)
{
    const struct sim_config *config = &sim->config;
    for (uint32_t core = 0; core < config->cores; core++) {
        struct path path = {0};
        sim_path_wait(sim, &path, core * config->pipes, NULL, CAUSE_STARTUP, config->startup,
                      config->startup_class);
        struct pipe_totals *totals = &sim->pipes[core * config->pipes].totals;
        sim->cores[core].at = config->startup;
        sim->cores[core].last_pipe = NONE;
        sim->cores[core].base = base_take(sim, &path, config->startup);
        totals->wait[CAUSE_STARTUP] = config->startup;
        totals->waits[CAUSE_STARTUP] = config->startup > 0;
        totals->free_at = config->startup;
        if (sim->status == STATUS_OK)
            sim_dispatch(sim, core);
    }
}

enum status sim_open(const struct sim_config *config, struct arena *arena, struct sim **out)
{
    assert(config->cores > 0 && config->pipes > 1 && config->pipes <= SIM_PIPES_MAX);
    assert(config->queue_depth > 0 && config->gates <= GATES_MAX);
    *out = NULL;
    struct sim *sim = arena_take(arena, 1, sizeof *sim);
    if (sim == NULL)
        return STATUS_NO_MEMORY;
    sim->config = *config;
    sim->token_free = NONE;
    sim->base_free = NONE;
    sim->change_free = NONE;
    event_queue_init(&sim->queue);
    *out = sim;
    enum status status = sim_take(sim, arena);
    if (status != STATUS_OK)
        return status;
    sim_start(sim);
    return sim->status;
}

void sim_close(struct sim *sim)
{
    if (sim == NULL)
        return;
    if (sim->pipes != NULL)
        for (uint32_t i = 0; i < sim->config.cores * sim->config.pipes; i++)
            array_release(sim->pipes[i].ring);
    array_release(sim->tokens);
    array_release(sim->changes);
    array_release(sim->bases);
    event_queue_deinit(&sim->queue);
}

static void sim_link_ends(struct sim *sim, uint32_t index)
{
    struct link_state *state = &sim->links[index];
    if (state->event_at != sim->now)
        return; /* the shares changed after this event was planned */
    state->event_at = UINT64_MAX;
    uint32_t pipe;
    while (link_pop(&state->link, sim->now, &pipe)) {
        if (!state->settling) {
            state->settling = true;
            sim_push(sim, sim->now, PHASE_GRANT, EVENT_SETTLE, index);
        }
        pipe_leg(sim, pipe);
    }
}

static void sim_link_settle(struct sim *sim, uint32_t index)
{
    struct link_state *state = &sim->links[index];
    state->settling = false;
    link_settle(&state->link, sim->now);
    tick next = link_next(&state->link);
    if (next == state->event_at)
        return;
    state->event_at = next;
    if (next != UINT64_MAX)
        sim_push(sim, next, PHASE_COMPLETE, EVENT_LINK, index);
}

static void sim_handle(struct sim *sim, const struct event *event)
{
    switch ((enum event_kind)event->kind) {
    case EVENT_PIPE:
        if (sim->pipes[event->index].woken && sim->pipes[event->index].woken_at == sim->now) {
            sim->pipes[event->index].woken = false;
            pipe_look(sim, event->index);
        }
        break;
    case EVENT_LEG:
        pipe_leg(sim, event->index);
        break;
    case EVENT_END:
        pipe_end(sim, event->index);
        break;
    case EVENT_LINK:
        sim_link_ends(sim, event->index);
        break;
    case EVENT_SETTLE:
        sim_link_settle(sim, event->index);
        break;
    case EVENT_FIRE:
        flag_fire(sim, event->index);
        break;
    case EVENT_GATE:
        gate_settle(sim, event->index);
        break;
    }
}

static bool sim_finished(const struct sim *sim)
{
    for (uint32_t core = 0; core < sim->config.cores; core++)
        if (sim->cores[core].stall != STALL_ENDED)
            return false;
    for (uint32_t i = 0; i < sim->config.cores * sim->config.pipes; i++)
        if (sim->pipes[i].ring_count > 0 || sim->pipes[i].working)
            return false;
    return true;
}

/* The last thing that happens on a core can be a dispatch: of a job that stands for ever, or none
 * at all, the start-up of an empty stream. */
static void sim_complete_dispatch(struct sim *sim)
{
    for (uint32_t core = 0; core < sim->config.cores; core++) {
        const struct core_state *state = &sim->cores[core];
        moment_ends(sim, core, state->moment);
        if (state->at <= state->makespan)
            continue;
        uint32_t pipe = core * sim->config.pipes;
        struct path path = base_path_at(sim, state->base, state->at, pipe, NULL);
        sim_complete(sim, pipe, state->at, &path);
    }
}

enum status sim_run(struct sim *sim, uint64_t event_count_max)
{
    while (sim->status == STATUS_OK && sim->queue.count > 0) {
        if (event_count_max-- == 0)
            return STATUS_LIMIT;
        struct event event = event_queue_pop(&sim->queue);
        assert(event.at >= sim->now);
        sim->now = event.at;
        sim_handle(sim, &event);
    }
    if (sim->status != STATUS_OK)
        return sim->status;
    sim_complete_dispatch(sim);
    return sim_finished(sim) ? STATUS_OK : STATUS_DEADLOCK;
}

tick sim_now(const struct sim *sim)
{
    return sim->now;
}

tick sim_core_makespan(const struct sim *sim, uint32_t core)
{
    return sim->cores[core].makespan;
}

tick sim_makespan(const struct sim *sim)
{
    return sim->cores[sim_last(sim, NULL)].makespan;
}

uint32_t sim_last(const struct sim *sim, const struct path **path)
{
    uint32_t last = 0;
    for (uint32_t core = 1; core < sim->config.cores; core++)
        if (sim->cores[core].makespan > sim->cores[last].makespan)
            last = core;
    if (path != NULL)
        *path = &sim->cores[last].last_path;
    return last;
}

const struct pipe_totals *sim_pipe(const struct sim *sim, uint32_t core, uint32_t pipe)
{
    return &sim->pipes[core * sim->config.pipes + pipe].totals;
}

uint64_t sim_link_bytes(const struct sim *sim, uint32_t link)
{
    return sim->links[link].link.bytes;
}

bool sim_blocked(const struct sim *sim, uint32_t core, uint32_t pipe, struct job *job)
{
    const struct pipe_state *state = &sim->pipes[core * sim->config.pipes + pipe];
    if (pipe == 0) {
        if (sim->cores[core].has_job)
            *job = sim->cores[core].job;
        return sim->cores[core].has_job;
    }
    if (state->ring_count == 0)
        return false;
    *job = state->ring[state->ring_head].job;
    return true;
}
