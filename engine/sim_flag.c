/*
 * Flags: tokens that a set fires and a wait takes, oldest first; and locks, which take them in
 * turns.
 */
#include <assert.h>

#include "engine/sim_state.h"

static uint32_t token_take(struct sim *sim)
{
    uint32_t token = sim->token_free;
    if (token != NONE) {
        sim->token_free = sim->tokens[token].next;
        return token;
    }
    void *tokens = array_grow(sim->tokens, &sim->token_capacity, (size_t)sim->token_count + 1,
                              sizeof *sim->tokens);
    if (tokens == NULL) {
        sim->status = STATUS_NO_MEMORY;
        return NONE;
    }
    sim->tokens = tokens;
    return sim->token_count++;
}

void token_drop(struct sim *sim, uint32_t token)
{
    if (token == NONE)
        return;
    sim->tokens[token].next = sim->token_free;
    sim->token_free = token;
}

void flag_set(struct sim *sim, const struct flag_set *set)
{
    uint32_t index = token_take(sim);
    if (index == NONE)
        return;
    struct token *token = &sim->tokens[index];
    token->core = sim_core_of(sim, set->pipe);
    token->pipe = set->pipe % sim->config.pipes;
    token->seq = set->seq;
    token->tag = set->tag;
    token->flag = token->core * sim->config.flags + set->flag;
    token->blocker_seq = set->blocker_seq;
    token->at = set->at;
    token->moment = set->moment;
    token->path = *set->path;
    if (token->at > sim->now)
        sim_push(sim, token->at, PHASE_COMPLETE, EVENT_FIRE, index);
    else
        flag_fire(sim, index);
}

/* Tells the pipes that are stuck at a flag. */
static void flag_wake(struct sim *sim, uint32_t core, struct flag *flag)
{
    uint32_t waiters = flag->waiters;
    flag->waiters = 0;
    for (uint32_t pipe = 1; pipe < sim->config.pipes; pipe++)
        if ((waiters >> pipe & 1) != 0)
            pipe_wake(sim, core * sim->config.pipes + pipe, sim->now);
    if ((waiters & 1) != 0)
        sim_flag_fired(sim, core);
}

void flag_fire(struct sim *sim, uint32_t index)
{
    const struct token *token = &sim->tokens[index];
    struct flag *flag = &sim->flags[token->flag];
    uint32_t core = token->core;
    struct row row = {
        .core = core,
        .pipe = token->pipe,
        .seq = token->seq,
        .tag = token->tag,
        .kind = JOB_SET,
        .start = token->at,
        .end = token->at,
        .done = token->at,
        .blocker_core = token->blocker_seq == NONE ? ROW_NO_BLOCKER : core,
        .blocker_pipe = token->blocker_seq == NONE ? ROW_NO_BLOCKER : token->pipe,
        .blocker_seq = token->blocker_seq == NONE ? ROW_NO_BLOCKER : token->blocker_seq,
    };
    row.moment = token->moment;
    moment_ends(sim, core, (struct moment){token->moment, token->at});
    sim_complete(sim, core * sim->config.pipes + token->pipe, token->at, &token->path);
    sim->tokens[index].next = NONE;
    if (flag->first == NONE)
        flag->first = index;
    else
        sim->tokens[flag->last].next = index;
    flag->last = index;
    sim_emit(sim, &row);
    flag_wake(sim, core, flag);
}

static struct flag *job_flag(struct sim *sim, uint32_t pipe, const struct job *job)
{
    return &sim->flags[sim_core_of(sim, pipe) * sim->config.flags + job->flag];
}

bool flag_lets(struct sim *sim, uint32_t pipe, const struct job *job)
{
    struct flag *flag = job_flag(sim, pipe, job);
    bool fired = flag->first != NONE;
    if (job->kind == JOB_LOCK ? job->turn == flag->turn && (job->turn == 0 || fired) : fired)
        return true;
    flag->waiters |= 1U << pipe % sim->config.pipes;
    return false;
}

uint32_t flag_take(struct sim *sim, uint32_t pipe, const struct job *job)
{
    struct flag *flag = job_flag(sim, pipe, job);
    if (job->kind == JOB_LOCK && flag->turn++ == 0)
        return NONE;
    uint32_t index = flag->first;
    assert(index != NONE);
    flag->first = sim->tokens[index].next;
    return index;
}
