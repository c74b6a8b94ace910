/*
 * The dispatcher of a core: takes jobs from the stream in program order and puts them into the
 * queues of the pipes.
 *
 * It runs ahead of the clock: as long as queues have room, the moments at which jobs will arrive
 * are already known, so they are stamped without an event for each. It stops at a full queue, at a
 * barrier over all pipes and at a flag of its own, and goes on when a pipe moves.
 */
#include <assert.h>

#include "engine/sim_state.h"

/* Moves the dispatcher to a later moment, along the path of what it waited for. */
static void core_hold(struct sim *sim, uint32_t core, tick until, const struct path *path)
{
    struct core_state *state = &sim->cores[core];
    state->at = until;
    base_drop(sim, state->base);
    state->base = base_take(sim, path, until);
}

/* The job that is being dispatched has its place in a queue only since another one has started. */
static void core_takes_place(struct sim *sim, uint32_t core, uint64_t moment)
{
    const struct core_state *state = &sim->cores[core];
    struct pipe_state *pipe = &sim->pipes[core * sim->config.pipes + state->job.pipe];
    uint64_t place = pipe->queue_count++;
    if (place >= sim->config.queue_depth)
        moment_after(sim, core, pipe->starts[place % sim->config.queue_depth], moment, state->at);
}

static void core_dispatched(struct sim *sim, uint32_t core)
{
    struct core_state *state = &sim->cores[core];
    struct pipe_totals *totals = &sim->pipes[core * sim->config.pipes].totals;
    totals->jobs++;
    totals->busy += sim->config.dispatch;
    totals->active += sim->config.dispatch;
    uint64_t moment = moment_new(sim, core);
    moment_after(sim, core, state->moment, moment, state->at);
    if (state->job.pipe != 0 && state->job.kind == JOB_WORK)
        core_takes_place(sim, core, moment);
    state->at += sim->config.dispatch;
    state->moment = (struct moment){moment, state->at};
    totals->free_at = state->at;
    state->has_job = false;
}

/* The path of a job of pipe 0 that has just been dispatched. */
static struct path core_path(struct sim *sim, uint32_t core)
{
    const struct core_state *state = &sim->cores[core];
    return base_path_at(sim, state->base, state->at, core * sim->config.pipes, &state->job);
}

/* A job of pipe 0 itself, such as the setting of a register: its cost is its dispatch. */
static void core_scalar(struct sim *sim, uint32_t core)
{
    struct core_state *state = &sim->cores[core];
    struct row row;
    row_begin(sim, core * sim->config.pipes, &state->job, state->at, &row);
    row.end = row.done = row.start + sim->config.dispatch;
    row.busy = sim->config.dispatch;
    core_dispatched(sim, core);
    struct path path = core_path(sim, core);
    sim_complete(sim, core * sim->config.pipes, state->at, &path);
    row.moment = state->moment.number;
    moment_ends(sim, core, state->moment);
    sim_emit(sim, &row);
}

/* When a pipe without jobs is at rest: its results are out and its last wait is over. */
static tick pipe_rest(const struct pipe_state *pipe)
{
    return pipe->done_at > pipe->free_at ? pipe->done_at : pipe->free_at;
}

/* The pipe that comes to rest last, when no pipe of the core has a job left; else NONE. */
static uint32_t core_last_pipe(const struct sim *sim, uint32_t core)
{
    uint32_t first = core * sim->config.pipes, last = first + 1;
    for (uint32_t pipe = first + 1; pipe < first + sim->config.pipes; pipe++) {
        if (sim->pipes[pipe].working || sim->pipes[pipe].ring_count > 0)
            return NONE;
        if (pipe_rest(&sim->pipes[pipe]) > pipe_rest(&sim->pipes[last]))
            last = pipe;
    }
    return last;
}

/* The dispatcher goes on at the end of a row that held it, along a path. */
static void core_wait_ended(struct sim *sim, struct row *row, enum cause cause,
                            const struct path *path)
{
    uint32_t pipe = row->core * sim->config.pipes;
    core_hold(sim, row->core, row->end, path);
    sim->cores[row->core].moment = (struct moment){row->moment, row->end};
    moment_ends(sim, row->core, sim->cores[row->core].moment);
    sim->pipes[pipe].totals.free_at = row->end;
    row->done = row->end;
    row->wait = row->end - row->start;
    row->cause = row->wait > 0 ? cause : CAUSE_NONE;
    sim_complete(sim, pipe, row->end, path);
    sim_emit(sim, row);
}

/* A barrier over all pipes: it is dispatched, then the stream stands until all before it is done.
 */
static bool core_barrier(struct sim *sim, uint32_t core)
{
    struct core_state *state = &sim->cores[core];
    uint32_t last = core_last_pipe(sim, core);
    if (last == NONE)
        return false;
    const struct pipe_state *pipe = &sim->pipes[last];
    core_dispatched(sim, core);
    struct path path = core_path(sim, core);
    struct row row;
    row_begin(sim, core * sim->config.pipes, &state->job, state->at, &row);
    if (pipe_rest(pipe) > row.start) {
        row.end = pipe_rest(pipe);
        path = pipe->done_at == row.end ? pipe->done : pipe->front;
        row_block(&row, core, last % sim->config.pipes,
                  pipe->done_at == row.end ? pipe->done_seq : pipe->front_seq);
    }
    row.moment = moment_new(sim, core);
    moment_after(sim, core, state->moment, row.moment, row.end);
    for (uint32_t i = core * sim->config.pipes + 1; i < (core + 1) * sim->config.pipes; i++) {
        const struct pipe_state *each = &sim->pipes[i];
        moment_after(sim, core, (struct moment){each->front_moment, each->free_at}, row.moment,
                     row.end);
        moment_after(sim, core, (struct moment){each->done_moment, each->done_at}, row.moment,
                     row.end);
    }
    row.end += sim->config.barrier_cost;
    sim_path_wait(sim, &path, core * sim->config.pipes, &state->job, CAUSE_BARRIER,
                  sim->config.barrier_cost, sim->config.barrier_class);
    core_wait_ended(sim, &row, CAUSE_BARRIER, &path);
    return true;
}

/* A set of the dispatcher itself fires when it is dispatched. */
static void core_set(struct sim *sim, uint32_t core)
{
    struct core_state *state = &sim->cores[core];
    core_dispatched(sim, core);
    struct path path = core_path(sim, core);
    struct flag_set set = {
        .pipe = core * sim->config.pipes,
        .flag = state->job.flag,
        .seq = state->job.seq,
        .tag = state->job.tag,
        .at = state->at,
        .moment = state->moment.number,
        .path = &path,
        .blocker_seq = NONE,
    };
    flag_set(sim, &set);
}

/* A wait or lock of the dispatcher itself: it is dispatched, then the stream stands until the flag
 * has fired. */
static bool core_wait(struct sim *sim, uint32_t core)
{
    struct core_state *state = &sim->cores[core];
    uint32_t pipe = core * sim->config.pipes;
    if (!flag_lets(sim, pipe, &state->job))
        return false;
    uint32_t index = flag_take(sim, pipe, &state->job);
    const struct token *token = index == NONE ? NULL : &sim->tokens[index];
    core_dispatched(sim, core);
    struct path path = core_path(sim, core);
    struct row row;
    row_begin(sim, core * sim->config.pipes, &state->job, state->at, &row);
    if (token != NULL)
        row_block(&row, token->core, token->pipe, token->seq);
    if (token != NULL && token->at + sim->config.wait_cost > row.start) {
        row.end = token->at + sim->config.wait_cost;
        path = token->path;
        sim_path_wait(sim, &path, pipe, &state->job, CAUSE_FLAG, sim->config.wait_cost,
                      sim->config.wait_class);
    }
    row.moment = moment_new(sim, core);
    moment_after(sim, core, state->moment, row.moment, row.end);
    if (token != NULL)
        moment_after(sim, core, (struct moment){token->moment, token->at + sim->config.wait_cost},
                     row.moment, row.end);
    token_drop(sim, index);
    core_wait_ended(sim, &row, CAUSE_FLAG, &path);
    return true;
}

/* One job, false when the dispatcher has to stop. */
static bool core_step(struct sim *sim, uint32_t core)
{
    struct core_state *state = &sim->cores[core];
    const struct job *job = &state->job;
    uint32_t pipe = core * sim->config.pipes + job->pipe;
    if (job->pipe == 0 && job->kind == JOB_WORK) {
        core_scalar(sim, core);
        return true;
    }
    if (job->pipe == 0 && job->kind == JOB_SET) {
        core_set(sim, core);
        return true;
    }
    if (job->pipe == 0 && job->kind != JOB_BARRIER) {
        state->stall = STALL_FLAG;
        return core_wait(sim, core);
    }
    if (job->pipe == 0) {
        state->stall = STALL_DRAIN;
        return core_barrier(sim, core);
    }
    if (job->kind == JOB_WORK && sim->pipes[pipe].queued >= sim->config.queue_depth) {
        state->stall = STALL_QUEUE;
        state->stalled_pipe = pipe;
        return false;
    }
    core_dispatched(sim, core);
    return pipe_enqueue(sim, pipe, job) == STATUS_OK;
}

void sim_dispatch(struct sim *sim, uint32_t core)
{
    struct core_state *state = &sim->cores[core];
    while (sim->status == STATUS_OK) {
        if (!state->has_job) {
            if (!sim->config.source(sim->config.source_context, core, &state->job)) {
                state->stall = STALL_ENDED;
                return;
            }
            state->has_job = true;
        }
        state->stall = STALL_NONE;
        if (!core_step(sim, core))
            return;
    }
}

void sim_queue_moved(struct sim *sim, uint32_t pipe, const struct path *path)
{
    uint32_t core = sim_core_of(sim, pipe);
    struct core_state *state = &sim->cores[core];
    if (state->stall != STALL_QUEUE || state->stalled_pipe != pipe)
        return;
    if (sim->now > state->at) {
        struct pipe_totals *totals = &sim->pipes[core * sim->config.pipes].totals;
        totals->wait[CAUSE_QUEUE_FULL] += sim->now - state->at;
        totals->waits[CAUSE_QUEUE_FULL]++;
        core_hold(sim, core, sim->now, path);
    }
    sim_dispatch(sim, core);
}

void sim_drained(struct sim *sim, uint32_t core)
{
    if (sim->cores[core].stall == STALL_DRAIN && core_barrier(sim, core))
        sim_dispatch(sim, core);
}

void sim_flag_fired(struct sim *sim, uint32_t core)
{
    if (sim->cores[core].stall == STALL_FLAG)
        sim_dispatch(sim, core);
}
