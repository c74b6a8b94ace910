/*
 * Pipes: in-order queues of jobs, and the legs over links.
 *
 * Flags and barriers at the head of a queue are handled as soon as their outcome is known, even
 * when the pipe reaches them only later: their times follow from stamps. A working job starts by an
 * event at its very tick, so that what it shares with others is seen in order.
 */
#include <assert.h>

#include "engine/sim_state.h"

enum { RING_SIZE_FIRST = 64 };

static bool pipe_ring_grow(struct pipe_state *state)
{
    size_t capacity = 0;
    uint32_t size = state->ring_size == 0 ? RING_SIZE_FIRST : state->ring_size * 2;
    struct entry *ring = array_grow(NULL, &capacity, size, sizeof *ring);
    if (ring == NULL)
        return false;
    for (uint32_t i = 0; i < state->ring_count; i++)
        ring[i] = state->ring[(state->ring_head + i) & (state->ring_size - 1)];
    array_release(state->ring);
    state->ring = ring;
    state->ring_size = size;
    state->ring_head = 0;
    return true;
}

enum status pipe_enqueue(struct sim *sim, uint32_t pipe, const struct job *job)
{
    const struct core_state *core = &sim->cores[sim_core_of(sim, pipe)];
    struct pipe_state *state = &sim->pipes[pipe];
    if (state->ring_count == state->ring_size && !pipe_ring_grow(state)) {
        sim->status = STATUS_NO_MEMORY;
        return STATUS_NO_MEMORY;
    }
    uint32_t at = (state->ring_head + state->ring_count) & (state->ring_size - 1);
    state->ring[at].job = *job;
    state->ring[at].arrival = core->at;
    state->ring[at].moment = core->moment.number;
    state->ring[at].base = core->base;
    sim->bases[core->base].references++;
    state->queued += job->kind == JOB_WORK;
    if (state->ring_count++ == 0 && !state->working)
        pipe_wake(sim, pipe, core->at > state->free_at ? core->at : state->free_at);
    return STATUS_OK;
}

static void pipe_pop(struct sim *sim, struct pipe_state *state)
{
    base_drop(sim, state->ring[state->ring_head].base);
    state->queued -= state->ring[state->ring_head].job.kind == JOB_WORK;
    state->ring_head = (state->ring_head + 1) & (state->ring_size - 1);
    state->ring_count--;
}

void pipe_wake(struct sim *sim, uint32_t pipe, tick at)
{
    struct pipe_state *state = &sim->pipes[pipe];
    if (at < sim->now)
        at = sim->now;
    if (state->woken && state->woken_at <= at)
        return;
    state->woken = true;
    state->woken_at = at;
    sim_push(sim, at, PHASE_ISSUE, EVENT_PIPE, pipe);
}

/* What a wait that the arrival of a job ended is called. */
static enum cause arrival_cause(const struct pipe_state *state)
{
    return state->started ? CAUSE_DISPATCH : CAUSE_STARTUP;
}

/* ---- flags ---- */

/* A set_flag at the head: when it fires, and along which path. */
static void pipe_set(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    const struct entry *entry = &state->ring[state->ring_head];
    struct path arrived;
    struct flag_set set = {
        .pipe = pipe,
        .flag = entry->job.flag,
        .seq = entry->job.seq,
        .tag = entry->job.tag,
        .at = later(state->free_at, entry->arrival),
        .path = &state->front,
        .blocker_seq = NONE,
    };
    if (!entry->job.early && state->done_at > set.at) {
        set.at = state->done_at;
        set.path = &state->done;
        set.blocker_seq = state->done_seq;
    } else if (entry->arrival > state->free_at) {
        arrived = base_path_at(sim, entry->base, entry->arrival, pipe, &entry->job);
        set.path = &arrived;
    } else {
        set.blocker_seq = state->front_seq;
    }
    set.moment = pipe_set_moment(sim, pipe, set.at);
    pipe_pop(sim, state);
    flag_set(sim, &set);
}

/* The wait or barrier at the head of a pipe, with this row, has cleared. */
static void pipe_pass(struct sim *sim, uint32_t pipe, struct row *row, tick cleared)
{
    struct pipe_state *state = &sim->pipes[pipe];
    row->done = row->end;
    row->wait = row->end - state->free_at;
    if (row->wait == 0)
        row->cause = CAUSE_NONE;
    state->head_at = cleared;
    state->free_at = state->totals.free_at = row->end;
    state->front_moment = row->moment;
    state->front_seq = row->seq;
    moment_ends(sim, row->core, (struct moment){row->moment, row->end});
    state->started = true;
    pipe_pop(sim, state);
    sim_complete(sim, pipe, row->done, &state->front);
    sim_emit(sim, row);
}

/* A wait or lock at the head; false when its flag has not fired yet. */
static bool pipe_wait(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    const struct entry *entry = &state->ring[state->ring_head];
    if (!flag_lets(sim, pipe, &entry->job))
        return false;
    uint32_t index = flag_take(sim, pipe, &entry->job);
    const struct token *token = index == NONE ? NULL : &sim->tokens[index];
    tick reached = later(state->head_at, entry->arrival);
    tick cleared = token == NULL ? reached : later(reached, token->at + sim->config.wait_cost);
    struct row row;
    row_begin(sim, pipe, &entry->job, later(state->free_at, reached), &row);
    row.end = later(state->free_at, cleared);
    row.cause = CAUSE_FLAG;
    if (token != NULL)
        row_block(&row, token->core, token->pipe, token->seq);
    bool late = entry->arrival > state->free_at;
    if (late && (token == NULL || token->at <= entry->arrival))
        row.cause = arrival_cause(state);
    if (cleared > later(reached, state->free_at)) {
        state->front = token->path;
        sim_path_wait(sim, &state->front, pipe, &entry->job, CAUSE_FLAG, sim->config.wait_cost,
                      sim->config.wait_class);
    } else if (late) {
        state->front = base_path_at(sim, entry->base, entry->arrival, pipe, &entry->job);
    }
    pipe_wait_moment(sim, pipe, &row, token, cleared);
    token_drop(sim, index);
    pipe_pass(sim, pipe, &row, cleared);
    return true;
}

/* A barrier of one pipe at the head. */
static void pipe_barrier(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    const struct entry *entry = &state->ring[state->ring_head];
    tick reached = later(state->free_at, entry->arrival);
    struct row row;
    row_begin(sim, pipe, &entry->job, reached, &row);
    row.end = later(reached, state->done_at) + sim->config.barrier_cost;
    row.cause = CAUSE_BARRIER;
    tick rest = later(reached, state->done_at);
    row.moment = pipe_barrier_moment(sim, pipe, rest);
    if (state->done_at > reached) {
        state->front = state->done;
        row_block(&row, row.core, row.pipe, state->done_seq);
    } else if (entry->arrival > state->free_at) {
        state->front = base_path_at(sim, entry->base, entry->arrival, pipe, &entry->job);
        row.cause = arrival_cause(state);
    }
    sim_path_wait(sim, &state->front, pipe, &entry->job, CAUSE_BARRIER, sim->config.barrier_cost,
                  sim->config.barrier_class);
    pipe_pass(sim, pipe, &row, row.end);
}

/* ---- working jobs ---- */

static tick job_alone(const struct job *job)
{
    tick alone = job->occupancy;
    for (uint32_t i = 0; i < JOB_LEGS_MAX; i++)
        if (job->leg[i].bytes > 0)
            alone += link_alone(job->leg[i].bytes, job->leg[i].cap);
    return alone;
}

/* Chooses what the start was bound by, and takes its path over. */
static void pipe_start_path(struct sim *sim, uint32_t pipe, const struct entry *entry)
{
    struct pipe_state *state = &sim->pipes[pipe];
    struct row *row = &state->row;
    tick reached = later(state->free_at, entry->arrival);
    uint32_t binding = gate_binding(sim, pipe, &entry->job, reached);
    if (binding != NONE) {
        const struct gate_change *change = &sim->changes[binding];
        state->front = change->path;
        row->cause = CAUSE_UNIT_FLAG;
        row_block(row, change->core, change->pipe, change->seq);
        return;
    }
    if (entry->arrival > state->free_at) {
        state->front = base_path_at(sim, entry->base, entry->arrival, pipe, &entry->job);
        row->cause = arrival_cause(state);
    }
}

/* Takes ticks from the fixed part of a job, class by class. */
static void job_shorten(struct job *job, tick hidden)
{
    job->occupancy -= hidden;
    for (uint32_t i = 0; i < SIM_CLASSES && hidden > 0; i++) {
        tick part = job->by_class[i] < hidden ? job->by_class[i] : hidden;
        job->by_class[i] -= part;
        hidden -= part;
    }
}

/* A job that is taken at a moment and starts now: what of its lead is over already, when the server
 * of the pipe will be through with it, and whether it has to share with its rival. */
static void job_overlap(struct sim *sim, uint32_t pipe, tick taken)
{
    struct pipe_state *state = &sim->pipes[pipe];
    struct job *job = &state->job;
    assert(taken <= sim->now && job->lead <= job->occupancy);
    job_shorten(job, sim->now - taken < job->lead ? sim->now - taken : job->lead);
    state->led = taken + job->lead;
    if (job->service > 0)
        state->served = later(state->served, taken) + job->service;
    if (job->contended == 0)
        return;
    const struct pipe_state *rival = &sim->pipes[pipe - pipe % sim->config.pipes + job->rival];
    if (rival->working && rival->job.contends) {
        job->occupancy += job->contended;
        job->by_class[job->contended_class] += job->contended;
    }
}

/* When a job that starts now was taken: since then its lead runs. Its gates hold that too. */
static tick pipe_taken(const struct sim *sim, uint32_t pipe, const struct entry *entry)
{
    tick taken = later(sim->pipes[pipe].head_at, entry->arrival);
    uint32_t change = gate_binding(sim, pipe, &entry->job, taken);
    return change == NONE ? taken : sim->changes[change].at;
}

static void pipe_start(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    const struct entry *entry = &state->ring[state->ring_head];
    row_begin(sim, pipe, &entry->job, sim->now, &state->row);
    pipe_start_path(sim, pipe, entry);
    tick taken = pipe_taken(sim, pipe, entry);
    pipe_start_moment(sim, pipe, entry, taken);
    state->row.wait = sim->now - state->free_at;
    assert((state->row.wait > 0) == (state->row.cause != CAUSE_NONE));
    state->job = entry->job;
    state->working = true;
    state->started = true;
    state->next_leg = 0;
    state->legs_end = 0;
    job_overlap(sim, pipe, taken);
    state->alone = job_alone(&state->job);
    pipe_pop(sim, state);
    gate_started(sim, pipe);
    bool has_leg = false;
    for (uint32_t i = 0; i < JOB_LEGS_MAX; i++)
        has_leg = has_leg || state->job.leg[i].bytes > 0;
    sim_push(sim, sim->now + state->job.occupancy, PHASE_COMPLETE, has_leg ? EVENT_LEG : EVENT_END,
             pipe);
    sim_queue_moved(sim, pipe, &state->front);
}

/* The fixed part or a leg is over: the next leg begins, or the job ends. */
void pipe_leg(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    while (state->next_leg < JOB_LEGS_MAX && state->job.leg[state->next_leg].bytes == 0)
        state->next_leg++;
    if (state->next_leg == JOB_LEGS_MAX) {
        pipe_end(sim, pipe);
        return;
    }
    const struct leg *leg = &state->job.leg[state->next_leg++];
    struct link_state *link = &sim->links[leg->link];
    link_add(&link->link, sim->now, pipe, leg->bytes, leg->cap);
    if (link->settling)
        return;
    link->settling = true;
    sim_push(sim, sim->now, PHASE_GRANT, EVENT_SETTLE, leg->link);
}

/* Adds the job's own segments to the path that it started on. */
static void pipe_end_path(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    const struct job *job = &state->job;
    uint32_t local = pipe % sim->config.pipes, lost_class = 0;
    tick fixed = 0;
    for (uint32_t i = 0; i < SIM_CLASSES; i++) {
        path_add_part(&state->front, local, PATH_BUSY, job->by_class[i], i);
        fixed += job->by_class[i];
    }
    assert(fixed == job->occupancy);
    for (uint32_t i = 0; i < JOB_LEGS_MAX; i++) {
        if (job->leg[i].bytes == 0)
            continue;
        path_add_part(&state->front, local, PATH_BUSY,
                      link_alone(job->leg[i].bytes, job->leg[i].cap), job->leg[i].class_index);
        lost_class = sim->links[job->leg[i].link].class_index;
    }
    path_add_part(&state->front, local, PATH_LINK, state->row.link, lost_class);
    path_add_part(&state->front, local, PATH_BUSY, state->row.end - state->legs_end,
                  job->service_class);
    sim_step(sim, &state->front, pipe, job, STEP_BUSY, CAUSE_NONE,
             state->row.busy - state->row.link);
    sim_step(sim, &state->front, pipe, job, STEP_LINK, CAUSE_NONE, state->row.link);
}

/* When results are visible. What the server of a pipe holds back is part of the latency of bytes,
 * which are under way meanwhile, and of a round trip that begins behind the lead. */
static tick pipe_done(struct pipe_state *state, tick end)
{
    const struct job *job = &state->job;
    if (job->service == 0)
        return end + job->latency;
    tick moving = state->legs_end - later(state->row.start, state->led);
    state->moved = later(state->moved, state->led) + moving;
    return later(later(state->moved + job->latency, state->led + job->round_trip), end);
}

/* Whether a consumer has to stay at its end until its opener is done; if so, it is told then. */
static bool pipe_end_held(struct sim *sim, uint32_t pipe)
{
    uint32_t change;
    tick held = gate_holds_end(sim, pipe, &change);
    if (held <= sim->now)
        return false;
    if (held == UINT64_MAX) /* an opener is still at work: it says at its own end */
        sim->pipes[pipe].end_gated = true;
    else
        sim_push(sim, held, PHASE_COMPLETE, EVENT_END, pipe);
    return true;
}

/* The end of a job on the front end of its pipe: its row, its path, and what the pipe adds up. */
static void pipe_account(struct sim *sim, uint32_t pipe, struct path *done)
{
    struct pipe_state *state = &sim->pipes[pipe];
    const struct job *job = &state->job;
    struct row *row = &state->row;
    row->end = sim->now;
    row->busy = row->end - row->start;
    row->link = state->legs_end - row->start - state->alone;
    row->done = pipe_done(state, row->end);
    tick head_at = row->end > job->window ? later(state->led, row->end - job->window) : state->led;
    pipe_end_moment(sim, pipe, head_at);
    uint32_t opener;
    gate_holds_end(sim, pipe, &opener);
    if (opener != NONE && row->end > state->legs_end)
        state->front = sim->changes[opener].done_path;
    else
        pipe_end_path(sim, pipe);
    state->free_at = state->totals.free_at = row->end;
    state->head_at = head_at;
    state->front_seq = row->seq;
    *done = state->front;
    path_add_part(done, row->pipe, PATH_LATENCY, row->done - row->end, job->latency_class);
    sim_step(sim, done, pipe, job, STEP_LATENCY, CAUSE_NONE, row->done - row->end);
    pipe_done_moment(sim, pipe);
    if (row->done >= state->done_at) {
        state->done_at = row->done;
        state->done = *done;
        state->done_seq = row->seq;
    }
    state->totals.busy += row->busy;
    state->totals.link += row->link;
    tick active_from = later(row->start, state->active_until);
    if (row->done > active_from) {
        state->totals.active += row->done - active_from;
        state->active_until = row->done;
    }
}

void pipe_end(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    if (state->legs_end == 0)
        state->legs_end = sim->now;
    if (state->job.service > 0 && state->served > sim->now) {
        sim_push(sim, state->served, PHASE_COMPLETE, EVENT_END, pipe);
        return;
    }
    if (pipe_end_held(sim, pipe))
        return;
    struct path done;
    pipe_account(sim, pipe, &done);
    state->working = false;
    sim_complete(sim, pipe, state->row.done, &done);
    sim_emit(sim, &state->row);
    gate_ended(sim, pipe, &done);
    pipe_look(sim, pipe);
    sim_drained(sim, sim_core_of(sim, pipe));
}

void pipe_look(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    while (!state->working && state->ring_count > 0 && sim->status == STATUS_OK) {
        const struct entry *entry = &state->ring[state->ring_head];
        switch (entry->job.kind) {
        case JOB_SET:
            pipe_set(sim, pipe);
            continue;
        case JOB_WAIT:
        case JOB_LOCK:
            if (!pipe_wait(sim, pipe))
                return;
            continue;
        case JOB_BARRIER:
            pipe_barrier(sim, pipe);
            continue;
        case JOB_WORK:
        case JOB_KIND_COUNT:
            break;
        }
        tick ready = later(state->free_at, entry->arrival);
        if (ready > sim->now) {
            pipe_wake(sim, pipe, ready);
            return;
        }
        if (!gate_lets(sim, pipe, &entry->job))
            return;
        pipe_start(sim, pipe);
    }
    if (!state->working)
        sim_drained(sim, sim_core_of(sim, pipe));
}
