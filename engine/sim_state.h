/*
 * Inside of the simulator, shared by its three files: dispatch, pipes, and the event loop.
 */
#ifndef CUBESIM_ENGINE_SIM_STATE_H
#define CUBESIM_ENGINE_SIM_STATE_H

#include "engine/event_queue.h"
#include "engine/link.h"
#include "engine/sim.h"

#define NONE UINT32_MAX /* no index */

enum event_kind {
    EVENT_PIPE,   /* a pipe looks at the head of its queue */
    EVENT_LEG,    /* the fixed part of a job is over, its next leg begins */
    EVENT_END,    /* a job without further legs ends */
    EVENT_LINK,   /* a transfer of a link ends */
    EVENT_SETTLE, /* the shares of a link are set anew */
    EVENT_FIRE,   /* a flag fires */
    EVENT_GATE,   /* a gate that is opening opens, one that is shutting shuts */
};

/* A path that many queue entries share: that of the dispatcher at some moment. */
struct base_path {
    struct path path;
    tick at;
    uint32_t references;
    uint32_t next_free;
};

struct entry {
    struct job job;
    tick arrival;
    uint32_t base; /* index of the dispatcher's path it came under */
};

/* A flag that fired, or will: one set_flag of the stream. */
struct token {
    struct path path; /* at the moment it fires */
    tick at;
    uint32_t core, pipe, seq, tag;
    uint32_t flag;        /* index over all cores */
    uint32_t blocker_seq; /* what it fired after, on the same pipe; NONE */
    uint32_t next;        /* next token of the flag, or next free */
};

struct flag {
    uint32_t first, last; /* fired tokens in the order of firing; NONE */
    uint32_t waiter;      /* pipe (over all cores) stuck at a wait for it; NONE */
};

enum gate_state { GATE_IS_SHUT, GATE_IS_OPENING, GATE_IS_OPEN, GATE_IS_SHUTTING };

struct gate {
    enum gate_state state; /* opening: its opener has started; shutting: its consumer has ended */
    tick changed_at;
    struct path changed_path;
    tick opener_done;
    struct path opener_done_path;
    uint32_t changer_core, changer_pipe, changer_seq; /* who opened or shut it last */
    uint32_t shut_waiter, open_waiter; /* pipes stuck until it is shut, or open; NONE */
};

struct pipe_state {
    struct entry *ring; /* array_grow; power of two */
    uint32_t ring_size, ring_head, ring_count;
    uint32_t queued; /* working jobs in the ring */
    bool working;
    bool woken; /* an EVENT_PIPE is on its way */
    tick woken_at;
    struct job job; /* when working */
    struct row row; /* of that job */
    uint32_t next_leg;
    tick alone;         /* ticks that the job takes without sharing */
    tick legs_end;      /* when its last leg was over; 0 before */
    tick free_at;       /* the front end is free from then on */
    uint32_t front_seq; /* of the row that ended then; NONE */
    struct path front;  /* at free_at */
    tick done_at;       /* every finished job is done by then */
    struct path done;   /* at done_at */
    uint32_t done_seq;  /* of the job that is done last; NONE */
    tick active_until;
    bool started; /* it had a row that holds it */
    struct pipe_totals totals;
};

enum stall { STALL_NONE, STALL_QUEUE, STALL_DRAIN, STALL_ENDED };

struct core_state {
    tick at;       /* the dispatcher is free from then on */
    uint32_t base; /* its path, at its own moment base.at; since then it only dispatched */
    struct job job;
    bool has_job;
    enum stall stall;
    uint32_t stalled_pipe; /* STALL_QUEUE */
    tick makespan;
    uint32_t last_pipe;
    struct path last_path; /* at makespan */
};

struct link_state {
    struct link link;
    uint32_t class_index;
    bool settling;
    tick event_at; /* of the EVENT_LINK on its way; UINT64_MAX */
};

struct sim {
    struct sim_config config;
    struct event_queue queue;
    tick now;
    enum status status;       /* NO_MEMORY sticks */
    struct core_state *cores; /* [core] */
    struct pipe_state *pipes; /* [core * pipes + pipe] */
    struct flag *flags;       /* [core * flags + flag] */
    struct gate *gates;       /* [core * gates + gate] */
    struct link_state *links;
    struct token *tokens; /* array_grow */
    size_t token_capacity;
    uint32_t token_count, token_free;
    struct base_path *bases; /* array_grow */
    size_t base_capacity;
    uint32_t base_count, base_free;
};

static inline uint32_t sim_core_of(const struct sim *sim, uint32_t pipe)
{
    return pipe / sim->config.pipes;
}

/* sim.c */
void sim_push(struct sim *sim, tick at, enum phase phase, enum event_kind kind, uint32_t index);
void sim_emit(struct sim *sim, const struct row *row);
void sim_complete(struct sim *sim, uint32_t pipe, tick done, const struct path *path);
uint32_t base_take(struct sim *sim, const struct path *path, tick at);
void base_drop(struct sim *sim, uint32_t base);
/* The dispatcher's path at a later moment, when it only dispatched since. */
struct path base_path_at(const struct sim *sim, uint32_t base, tick at);

/* sim_dispatch.c */
void sim_dispatch(struct sim *sim, uint32_t core);
/* A pipe took a working job out of its full queue just now, at path. */
void sim_queue_moved(struct sim *sim, uint32_t pipe, const struct path *path);
/* A pipe finished something: a stream that waits for all pipes may go on. */
void sim_drained(struct sim *sim, uint32_t core);

/* sim_pipe.c */
void pipe_look(struct sim *sim, uint32_t pipe);
void pipe_wake(struct sim *sim, uint32_t pipe, tick at);
void pipe_leg(struct sim *sim, uint32_t pipe);
void pipe_end(struct sim *sim, uint32_t pipe);
void flag_fire(struct sim *sim, uint32_t token);
void gate_move(struct sim *sim, uint32_t gate);
enum status pipe_enqueue(struct sim *sim, uint32_t pipe, const struct job *job, tick arrival,
                         uint32_t base);

#endif
