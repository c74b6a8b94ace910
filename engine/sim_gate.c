/*
 * Gates between jobs that overlap: a producer opens them soon after its start, a consumer shuts
 * them when it is done. A job has a set of gates and needs all of them in one state.
 */
#include <assert.h>

#include "engine/sim_state.h"

static uint32_t change_take(struct sim *sim)
{
    uint32_t change = sim->change_free;
    if (change != NONE) {
        sim->change_free = sim->changes[change].next_free;
    } else {
        void *changes = array_grow(sim->changes, &sim->change_capacity,
                                   (size_t)sim->change_count + 1, sizeof *sim->changes);
        if (changes == NULL) {
            sim->status = STATUS_NO_MEMORY;
            return NONE;
        }
        sim->changes = changes;
        change = sim->change_count++;
    }
    sim->changes[change] = (struct gate_change){.references = 1, .next_free = NONE};
    return change;
}

static void change_drop(struct sim *sim, uint32_t change)
{
    if (change == NONE)
        return;
    assert(sim->changes[change].references > 0);
    if (--sim->changes[change].references > 0)
        return;
    sim->changes[change].next_free = sim->change_free;
    sim->change_free = change;
}

/* The next gate of a set from a number on, config.gates at the end. */
static uint32_t gate_next(const struct sim *sim, const struct gate_set *set, uint32_t from)
{
    while (from < sim->config.gates && (set->word[from / 64] >> from % 64 & 1) == 0)
        from = set->word[from / 64] >> from % 64 == 0 ? (from / 64 + 1) * 64 : from + 1;
    return from < sim->config.gates ? from : sim->config.gates;
}

static uint32_t gate_of(const struct sim *sim, uint32_t pipe, uint32_t gate)
{
    return sim->gates[sim_core_of(sim, pipe) * sim->config.gates + gate];
}

static bool job_wants_open(const struct job *job)
{
    return job->gate_use == GATE_WAIT_OPEN || job->gate_use == GATE_SHUT;
}

bool gate_lets(struct sim *sim, uint32_t pipe, const struct job *job)
{
    if (job->gate_use == GATE_UNUSED)
        return true;
    const struct core_state *core = &sim->cores[sim_core_of(sim, pipe)];
    const struct gate_set *fit = job_wants_open(job) ? &core->open : &core->shut;
    uint64_t wrong = 0;
    for (uint32_t word = 0; word < GATE_WORDS; word++)
        wrong |= job->gates.word[word] & ~fit->word[word];
    sim->pipes[pipe].gated = wrong != 0;
    return wrong == 0;
}

uint32_t gate_binding(const struct sim *sim, uint32_t pipe, const struct job *job, tick reached)
{
    uint32_t binding = NONE;
    if (job->gate_use == GATE_UNUSED || sim->cores[sim_core_of(sim, pipe)].gates_at <= reached)
        return NONE;
    for (uint32_t gate = gate_next(sim, &job->gates, 0); gate < sim->config.gates;
         gate = gate_next(sim, &job->gates, gate + 1)) {
        uint32_t change = gate_of(sim, pipe, gate);
        if (change != NONE && sim->changes[change].at > reached &&
            (binding == NONE || sim->changes[change].at > sim->changes[binding].at))
            binding = change;
    }
    return binding;
}

/* The gates of the job at work change by it: at a moment, along a path. */
static uint32_t gate_change(struct sim *sim, uint32_t pipe, bool opens, tick at,
                            const struct path *path)
{
    const struct pipe_state *state = &sim->pipes[pipe];
    uint32_t index = change_take(sim);
    if (index == NONE)
        return NONE;
    uint32_t core = sim_core_of(sim, pipe);
    struct gate_change *change = &sim->changes[index];
    change->gates = state->job.gates;
    change->opens = opens;
    change->at = at;
    change->moment = opens ? state->start_moment : state->front_moment;
    change->path = *path;
    change->core = core;
    change->pipe = pipe % sim->config.pipes;
    change->seq = state->job.seq;
    change->done = UINT64_MAX;
    for (uint32_t gate = gate_next(sim, &state->job.gates, 0); gate < sim->config.gates;
         gate = gate_next(sim, &state->job.gates, gate + 1)) {
        uint32_t *place = &sim->gates[core * sim->config.gates + gate];
        change_drop(sim, *place);
        *place = index;
        sim->changes[index].references++;
    }
    for (uint32_t word = 0; word < GATE_WORDS; word++) {
        sim->cores[core].open.word[word] &= ~state->job.gates.word[word];
        sim->cores[core].shut.word[word] &= ~state->job.gates.word[word];
    }
    sim_push(sim, at, PHASE_COMPLETE, EVENT_GATE, index);
    return index;
}

/* An opener has just started: its gates open gate_delay later, on its own path. */
void gate_started(struct sim *sim, uint32_t pipe)
{
    struct pipe_state *state = &sim->pipes[pipe];
    state->change = NONE;
    if (state->job.gate_use != GATE_OPEN)
        return;
    struct path path = state->front;
    sim_path_wait(sim, &path, pipe, &state->job, CAUSE_UNIT_FLAG, state->job.gate_delay,
                  state->job.gate_class);
    state->change = gate_change(sim, pipe, true, sim->now + state->job.gate_delay, &path);
    if (state->change != NONE)
        sim->changes[state->change].references++;
}

void gate_settle(struct sim *sim, uint32_t index)
{
    const struct gate_change *change = &sim->changes[index];
    uint32_t core = change->core;
    struct gate_set *rest = change->opens ? &sim->cores[core].open : &sim->cores[core].shut;
    for (uint32_t word = 0; word < GATE_WORDS; word++)
        rest->word[word] |= change->gates.word[word];
    sim->cores[core].gates_at = change->at;
    change_drop(sim, index);
    for (uint32_t pipe = core * sim->config.pipes; pipe < (core + 1) * sim->config.pipes; pipe++) {
        if (!sim->pipes[pipe].gated)
            continue;
        sim->pipes[pipe].gated = false;
        pipe_wake(sim, pipe, sim->now);
    }
}

tick gate_holds_end(const struct sim *sim, uint32_t pipe, uint32_t *change)
{
    const struct job *job = &sim->pipes[pipe].job;
    *change = NONE;
    if (!job_wants_open(job))
        return 0;
    for (uint32_t gate = gate_next(sim, &job->gates, 0); gate < sim->config.gates;
         gate = gate_next(sim, &job->gates, gate + 1)) {
        uint32_t opener = gate_of(sim, pipe, gate);
        if (*change == NONE || sim->changes[opener].done > sim->changes[*change].done)
            *change = opener;
    }
    return *change == NONE ? 0 : sim->changes[*change].done;
}

/* An opener has ended: consumers that stand at their own end are told when they may end. */
static void gate_opener_done(struct sim *sim, uint32_t pipe, const struct path *done)
{
    struct pipe_state *state = &sim->pipes[pipe];
    uint32_t core = sim_core_of(sim, pipe);
    if (state->change == NONE)
        return;
    sim->changes[state->change].done = state->row.done;
    sim->changes[state->change].done_path = *done;
    sim->changes[state->change].done_moment = state->front_moment;
    for (uint32_t other = core * sim->config.pipes; other < (core + 1) * sim->config.pipes;
         other++) {
        uint32_t change;
        if (!sim->pipes[other].end_gated || gate_holds_end(sim, other, &change) == UINT64_MAX)
            continue;
        sim->pipes[other].end_gated = false;
        tick at = sim->changes[change].done;
        sim_push(sim, at > sim->now ? at : sim->now, PHASE_COMPLETE, EVENT_END, other);
    }
    change_drop(sim, state->change);
    state->change = NONE;
}

/* The job at work has ended, and is done along a path. */
void gate_ended(struct sim *sim, uint32_t pipe, const struct path *done)
{
    const struct pipe_state *state = &sim->pipes[pipe];
    if (state->job.gate_use == GATE_OPEN)
        gate_opener_done(sim, pipe, done);
    else if (state->job.gate_use == GATE_SHUT)
        gate_change(sim, pipe, false, state->row.done, done);
}

/* Gates of a job that one job changed stand side by side: each change is told once in a row. */
void gate_precedes_start(struct sim *sim, uint32_t pipe, const struct job *job, struct moment start)
{
    if (job->gate_use == GATE_UNUSED || sim->config.precedences == NULL)
        return;
    uint32_t last = NONE;
    for (uint32_t gate = gate_next(sim, &job->gates, 0); gate < sim->config.gates;
         gate = gate_next(sim, &job->gates, gate + 1)) {
        uint32_t index = gate_of(sim, pipe, gate);
        if (index == NONE || index == last)
            continue;
        last = index;
        const struct gate_change *change = &sim->changes[index];
        moment_after(sim, change->core, (struct moment){change->moment, change->at}, start.number,
                     start.at);
    }
}

void gate_precedes_end(struct sim *sim, uint32_t pipe, uint64_t end)
{
    const struct job *job = &sim->pipes[pipe].job;
    if (!job_wants_open(job) || sim->config.precedences == NULL)
        return;
    uint32_t last = NONE;
    for (uint32_t gate = gate_next(sim, &job->gates, 0); gate < sim->config.gates;
         gate = gate_next(sim, &job->gates, gate + 1)) {
        uint32_t index = gate_of(sim, pipe, gate);
        if (index == last)
            continue;
        last = index;
        const struct gate_change *opener = &sim->changes[index];
        moment_after(sim, opener->core, (struct moment){opener->done_moment, opener->done}, end,
                     sim->now);
    }
}
