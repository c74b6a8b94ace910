/*
 * Moments of cores, and what each cannot come before.
 */
#include <assert.h>

#include "engine/sim_state.h"

uint64_t moment_new(struct sim *sim, uint32_t core)
{
    return sim->config.precedences == NULL ? 0 : ++sim->cores[core].moment_count;
}

void moment_after(struct sim *sim, uint32_t core, struct moment before, uint64_t after, tick at)
{
    assert(before.number == 0 || (before.number < after && before.at <= at));
    if (before.number == 0 || sim->config.precedences == NULL)
        return;
    const struct precedence precedence = {core, before.number, after, at - before.at};
    sim->config.precedences(sim->config.precedences_context, &precedence);
}

void moment_ends(struct sim *sim, uint32_t core, struct moment last)
{
    if (last.number == 0 || sim->config.precedences == NULL)
        return;
    const struct precedence precedence = {core, last.number, 0, last.at};
    sim->config.precedences(sim->config.precedences_context, &precedence);
}

/* ---- of pipes ---- */

static struct moment entry_moment(const struct entry *entry)
{
    return (struct moment){entry->moment, entry->arrival};
}

static struct moment done_moment(const struct pipe_state *state)
{
    return (struct moment){state->done_moment, state->done_at};
}

static struct moment front_moment(const struct pipe_state *state)
{
    return (struct moment){state->front_moment, state->free_at};
}

static struct moment head_moment(const struct pipe_state *state)
{
    return (struct moment){state->head_moment, state->head_at};
}

uint64_t pipe_set_moment(struct sim *sim, uint32_t pipe, tick at)
{
    if (sim->config.precedences == NULL)
        return 0;
    const struct pipe_state *state = &sim->pipes[pipe];
    const struct entry *entry = &state->ring[state->ring_head];
    uint32_t core = sim_core_of(sim, pipe);
    uint64_t fires = moment_new(sim, core);
    moment_after(sim, core, front_moment(state), fires, at);
    moment_after(sim, core, entry_moment(entry), fires, at);
    if (!entry->job.early)
        moment_after(sim, core, done_moment(state), fires, at);
    return fires;
}

uint64_t pipe_barrier_moment(struct sim *sim, uint32_t pipe, tick rest)
{
    if (sim->config.precedences == NULL)
        return 0;
    struct pipe_state *state = &sim->pipes[pipe];
    uint32_t core = sim_core_of(sim, pipe);
    uint64_t passes = moment_new(sim, core);
    moment_after(sim, core, front_moment(state), passes, rest);
    moment_after(sim, core, entry_moment(&state->ring[state->ring_head]), passes, rest);
    moment_after(sim, core, done_moment(state), passes, rest);
    state->head_moment = passes;
    return passes;
}

/* A wait clears at a moment, which the pipe reaches there or, while it is still at the job before,
 * later. */
void pipe_wait_moment(struct sim *sim, uint32_t pipe, struct row *row, const struct token *token,
                      tick cleared)
{
    if (sim->config.precedences == NULL)
        return;
    struct pipe_state *state = &sim->pipes[pipe];
    struct moment clears = {moment_new(sim, row->core), cleared};
    moment_after(sim, row->core, head_moment(state), clears.number, cleared);
    moment_after(sim, row->core, entry_moment(&state->ring[state->ring_head]), clears.number,
                 cleared);
    if (token != NULL)
        moment_after(sim, row->core,
                     (struct moment){token->moment, token->at + sim->config.wait_cost},
                     clears.number, cleared);
    row->moment = clears.number;
    if (row->end > cleared) {
        row->moment = moment_new(sim, row->core);
        moment_after(sim, row->core, clears, row->moment, row->end);
    }
    moment_after(sim, row->core, front_moment(state), row->moment, row->end);
    state->head_moment = clears.number;
}

/* Whether parts of a job run beside others of its pipe. */
static bool job_overlaps(const struct job *job)
{
    return job->lead > 0 || job->window > 0 || job->service > 0;
}

/* A job that is taken at a moment starts now, and makes room in the queue. */
void pipe_start_moment(struct sim *sim, uint32_t pipe, const struct entry *entry, tick taken)
{
    if (sim->config.precedences == NULL)
        return;
    struct pipe_state *state = &sim->pipes[pipe];
    uint32_t core = sim_core_of(sim, pipe);
    if (job_overlaps(&entry->job)) {
        state->taken = (struct moment){moment_new(sim, core), taken};
        moment_after(sim, core, head_moment(state), state->taken.number, taken);
        moment_after(sim, core, entry_moment(entry), state->taken.number, taken);
        gate_precedes_start(sim, pipe, &entry->job, state->taken);
    }
    struct moment start = {moment_new(sim, core), sim->now};
    moment_after(sim, core, front_moment(state), start.number, start.at);
    moment_after(sim, core, entry_moment(entry), start.number, start.at);
    gate_precedes_start(sim, pipe, &entry->job, start);
    state->start_moment = start.number;
    state->starts[state->start_count++ % sim->config.queue_depth] = start;
    state->served_before = state->served;
    state->moved_before = state->moved;
}

static tick earlier(tick left, tick right)
{
    return left < right ? left : right;
}

/* How much later a job at work could have been taken without its end, its results or the next job
 * coming later: what begins with its lead hides behind what the pipe was still at. */
static tick job_taken_gap(const struct pipe_state *state, tick head_at)
{
    const struct row *row = &state->row;
    tick hidden = later(row->start, state->led) - state->led;
    tick gap = earlier(head_at - state->led, hidden + row->end - state->legs_end);
    if (state->job.service > 0)
        gap = earlier(gap, row->done - state->led - state->job.round_trip);
    return gap;
}

/* The server of the pipe, and the bytes that are under way, come to the job at work after those
 * before it. */
static void pipe_service_moments(struct sim *sim, uint32_t pipe, uint64_t served, uint64_t moved,
                                 uint64_t end)
{
    struct pipe_state *state = &sim->pipes[pipe];
    const struct row *row = &state->row;
    uint32_t core = sim_core_of(sim, pipe);
    struct moment taken = state->taken, led = {taken.number, state->led};
    tick serves = later(state->served_before, taken.at);
    tick moves = later(state->moved_before, led.at);
    moment_after(sim, core, (struct moment){state->served_moment, state->served_before}, served,
                 serves);
    moment_after(sim, core, taken, served, serves);
    moment_after(sim, core, (struct moment){state->moved_moment, state->moved_before}, moved,
                 moves);
    moment_after(sim, core, led, moved, moves);
    moment_after(sim, core, (struct moment){served, state->served}, end, row->end);
    moment_after(sim, core, (struct moment){moved, state->moved + state->job.latency}, end,
                 row->done);
    state->served_moment = served;
    state->moved_moment = moved;
}

/* The end of the job at work follows from its start, from when it was taken, from what was under
 * way before it, and from its gates. Where work overlaps, a later start might hide behind what
 * began with the lead; the path counts on the start, and so does this. */
void pipe_end_moment(struct sim *sim, uint32_t pipe, tick head_at)
{
    if (sim->config.precedences == NULL)
        return;
    struct pipe_state *state = &sim->pipes[pipe];
    const struct row *row = &state->row;
    uint32_t core = sim_core_of(sim, pipe);
    bool serves = state->job.service > 0;
    uint64_t served = serves ? moment_new(sim, core) : 0;
    uint64_t moved = serves ? moment_new(sim, core) : 0;
    uint64_t end = moment_new(sim, core);
    state->start_gap = serves ? 0 : row->end - state->legs_end;
    moment_after(sim, core, (struct moment){state->start_moment, row->start}, end,
                 row->start + state->start_gap);
    if (job_overlaps(&state->job))
        moment_after(sim, core, state->taken, end, state->taken.at + job_taken_gap(state, head_at));
    if (serves)
        pipe_service_moments(sim, pipe, served, moved, end);
    gate_precedes_end(sim, pipe, end);
    moment_ends(sim, core, (struct moment){end, row->done});
    state->head_moment = state->front_moment = state->row.moment = end;
}

/* The results of the job that has just ended join those that are on their way. Those that come last
 * stand for all of them. When the others cannot come later than these unless the pipe itself does,
 * which is so when they take no longer from their end on than this job takes from its start on,
 * they can be forgotten; else a moment of its own comes after both. */
void pipe_done_moment(struct sim *sim, uint32_t pipe)
{
    if (sim->config.precedences == NULL)
        return;
    struct pipe_state *state = &sim->pipes[pipe];
    const struct row *row = &state->row;
    uint32_t core = sim_core_of(sim, pipe);
    tick tail = row->done - row->end;
    bool last = row->done >= state->done_at;
    if (state->done_moment == 0 ||
        (last && state->done_tail + state->start_gap <= row->done - row->start)) {
        state->done_moment = row->moment;
        state->done_tail = tail;
        return;
    }
    uint64_t both = moment_new(sim, core);
    tick at = later(row->done, state->done_at);
    moment_after(sim, core, done_moment(state), both, at);
    moment_after(sim, core, (struct moment){row->moment, row->done}, both, at);
    state->done_moment = both;
    state->done_tail = later(tail, state->done_tail);
}
