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

/* A moment of a core, see precedence.h, and its tick, or one that moves with it. */
struct moment {
    uint64_t number; /* 0: none, nothing depends on it */
    tick at;
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
    uint64_t moment; /* of the arrival */
    uint32_t base;   /* index of the dispatcher's path it came under */
};

/* A flag that fired, or will: one set_flag of the stream. */
struct token {
    struct path path; /* at the moment it fires */
    tick at;
    uint64_t moment; /* of its firing */
    uint32_t core, pipe, seq, tag;
    uint32_t flag;        /* index over all cores */
    uint32_t blocker_seq; /* what it fired after, on the same pipe; NONE */
    uint32_t next;        /* next token of the flag, or next free */
};

struct flag {
    uint32_t first, last; /* fired tokens in the order of firing; NONE */
    uint32_t waiters;     /* bits of the core's pipes that are stuck at it */
    uint32_t turn;        /* locks that have passed */
};

/* What a job made of its gates: opening from its start and open gate_delay later, or shutting from
 * its end and shut when it is done. It lives as long as a gate, an event or a job refers to it. */
struct gate_change {
    struct gate_set gates;
    bool opens;
    tick at;                  /* open, or shut, from then on */
    uint64_t moment;          /* that it comes with */
    struct path path;         /* at that moment */
    uint32_t core, pipe, seq; /* who changed it */
    tick done;                /* the opener's results are visible; UINT64_MAX: still at work */
    struct path done_path;    /* at that moment */
    uint64_t done_moment;
    uint32_t references;
    uint32_t next_free;
};

struct pipe_state {
    struct entry *ring; /* array_grow; power of two */
    uint32_t ring_size, ring_head, ring_count;
    uint32_t queued; /* working jobs in the ring */
    bool working;
    bool woken; /* an EVENT_PIPE is on its way */
    tick woken_at;
    bool gated;      /* stuck at its head until gates change */
    bool end_gated;  /* stuck at its end until an opener ends */
    uint32_t change; /* of the gates, by the job at work; NONE */
    struct job job;  /* when working */
    struct row row;  /* of that job */
    uint32_t next_leg;
    tick alone;            /* ticks that the job takes without sharing */
    tick legs_end;         /* when its last leg was over; 0 before */
    tick led;              /* when its lead was over */
    tick served;           /* the server of the pipe is free from then on */
    tick moved;            /* its bytes would be through by then, if nothing but bytes took time */
    tick head_at;          /* the next job is looked at from then on; at most free_at */
    tick free_at;          /* the front end is free from then on */
    uint32_t front_seq;    /* of the row that ended then; NONE */
    struct path front;     /* at free_at */
    tick done_at;          /* every finished job is done by then */
    struct path done;      /* at done_at */
    uint32_t done_seq;     /* of the job that is done last; NONE */
    uint64_t head_moment;  /* that head_at comes with */
    uint64_t front_moment; /* that free_at comes with */
    uint64_t served_moment, moved_moment; /* that served and moved come with */
    uint64_t start_moment;                /* of the job at work */
    struct moment taken;              /* when the pipe looked at that job, if it overlaps others */
    tick served_before, moved_before; /* served and moved then */
    uint64_t done_moment;             /* that done_at comes with */
    tick start_gap;        /* how much later the last job could have started, and ended as it did */
    tick done_tail;        /* the most that one of the jobs behind done_at took from its end on */
    struct moment *starts; /* of the last working jobs, a ring of the depth of the queue */
    uint64_t start_count;  /* working jobs that started */
    uint64_t queue_count;  /* working jobs that were dispatched */
    tick active_until;
    bool started; /* it had a row that holds it */
    struct pipe_totals totals;
};

enum stall { STALL_NONE, STALL_QUEUE, STALL_DRAIN, STALL_FLAG, STALL_ENDED };

struct core_state {
    tick at;              /* the dispatcher is free from then on */
    uint32_t base;        /* its path, at its own moment base.at; since then it only dispatched */
    struct moment moment; /* of its last dispatch or wait */
    uint64_t moment_count;
    struct gate_set open, shut; /* gates that are at rest, by their state */
    tick gates_at;              /* when the last of them came to rest */
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
    uint64_t step_count;      /* of all paths */
    enum status status;       /* NO_MEMORY sticks */
    struct core_state *cores; /* [core] */
    struct pipe_state *pipes; /* [core * pipes + pipe] */
    struct flag *flags;       /* [core * flags + flag] */
    uint32_t *gates;          /* [core * gates + gate]: its last gate_change; NONE: shut */
    struct link_state *links;
    struct token *tokens; /* array_grow */
    size_t token_capacity;
    uint32_t token_count, token_free;
    struct gate_change *changes; /* array_grow */
    size_t change_capacity;
    uint32_t change_count, change_free;
    struct base_path *bases; /* array_grow */
    size_t base_capacity;
    uint32_t base_count, base_free;
};

static inline uint32_t sim_core_of(const struct sim *sim, uint32_t pipe)
{
    return pipe / sim->config.pipes;
}

static inline tick later(tick left, tick right)
{
    return left > right ? left : right;
}

/* sim.c */
void sim_push(struct sim *sim, tick at, enum phase phase, enum event_kind kind, uint32_t index);
/* The row of a job that lasts no time at a moment and was blocked by nothing. */
void row_begin(const struct sim *sim, uint32_t pipe, const struct job *job, tick at,
               struct row *row);
void row_block(struct row *row, uint32_t core, uint32_t pipe, uint32_t seq);
void sim_emit(struct sim *sim, const struct row *row);
void sim_complete(struct sim *sim, uint32_t pipe, tick done, const struct path *path);
uint32_t base_take(struct sim *sim, const struct path *path, tick at);
void base_drop(struct sim *sim, uint32_t base);
/* The dispatcher's path at a later moment, when it only dispatched since; the job that it hands to
 * a pipe then, or NULL. */
struct path base_path_at(struct sim *sim, uint32_t base, tick at, uint32_t pipe,
                         const struct job *job);
/* Makes the step of a path that has just grown; no ticks, no step. job may be NULL. */
void sim_step(struct sim *sim, struct path *path, uint32_t pipe, const struct job *job,
              enum step_kind kind, enum cause cause, tick ticks);
/* A path waits for a cause. */
void sim_path_wait(struct sim *sim, struct path *path, uint32_t pipe, const struct job *job,
                   enum cause cause, tick ticks, uint32_t class_index);

/* sim_moment.c */
/* 0 when nobody looks at precedences: then nothing of this is done. */
uint64_t moment_new(struct sim *sim, uint32_t core);
/* A moment that is being made, at a tick, cannot come before another. */
void moment_after(struct sim *sim, uint32_t core, struct moment before, uint64_t after, tick at);
/* The run does not end before a moment. */
void moment_ends(struct sim *sim, uint32_t core, struct moment last);
/* The set at the head of a pipe fires at a tick. */
uint64_t pipe_set_moment(struct sim *sim, uint32_t pipe, tick at);
/* All that the barrier at the head of a pipe waits for is over at a tick. */
uint64_t pipe_barrier_moment(struct sim *sim, uint32_t pipe, tick rest);
/* The wait at the head of a pipe clears at a tick; the pipe reaches its end, row->end, then or,
 * while it is still at the job before, later. */
void pipe_wait_moment(struct sim *sim, uint32_t pipe, struct row *row, const struct token *token,
                      tick cleared);
/* A job that the pipe looked at when it was taken starts now, and makes room in the queue. */
void pipe_start_moment(struct sim *sim, uint32_t pipe, const struct entry *entry, tick taken);
/* The job at work ends now, and the pipe looks at the next one from head_at on. */
void pipe_end_moment(struct sim *sim, uint32_t pipe, tick head_at);
/* Its results join those that are on their way. */
void pipe_done_moment(struct sim *sim, uint32_t pipe);

/* sim_dispatch.c */
void sim_dispatch(struct sim *sim, uint32_t core);
/* A pipe took a working job out of its full queue just now, at path. */
void sim_queue_moved(struct sim *sim, uint32_t pipe, const struct path *path);
/* A pipe finished something: a stream that waits for all pipes may go on. */
void sim_drained(struct sim *sim, uint32_t core);
/* A flag that the stream itself waits for has fired. */
void sim_flag_fired(struct sim *sim, uint32_t core);

/* sim_pipe.c */
void pipe_look(struct sim *sim, uint32_t pipe);
void pipe_wake(struct sim *sim, uint32_t pipe, tick at);
void pipe_leg(struct sim *sim, uint32_t pipe);
void pipe_end(struct sim *sim, uint32_t pipe);
/* The job that the dispatcher has just dispatched. */
enum status pipe_enqueue(struct sim *sim, uint32_t pipe, const struct job *job);

/* sim_flag.c */
/* A set of the core's flag fires at a moment of a pipe, along a path. */
struct flag_set {
    uint32_t pipe; /* over all cores */
    uint32_t flag; /* of the core */
    uint32_t seq, tag;
    tick at;
    uint64_t moment;
    const struct path *path;
    uint32_t blocker_seq;
};
void flag_set(struct sim *sim, const struct flag_set *set);
void flag_fire(struct sim *sim, uint32_t token);
/* Whether a wait or lock may pass; if not, its pipe is told when the flag fires. */
bool flag_lets(struct sim *sim, uint32_t pipe, const struct job *job);
/* It passes: takes the token that it waited for, NONE for a first turn. */
uint32_t flag_take(struct sim *sim, uint32_t pipe, const struct job *job);
void token_drop(struct sim *sim, uint32_t token);

/* sim_gate.c */
bool gate_lets(struct sim *sim, uint32_t pipe, const struct job *job);
/* The change that made the last of a job's gates fit after a moment; NONE: they fitted by then. */
uint32_t gate_binding(const struct sim *sim, uint32_t pipe, const struct job *job, tick reached);
void gate_started(struct sim *sim, uint32_t pipe);
/* The moment before which the job at work may not end, UINT64_MAX: not known yet; *change gets what
 * it waits for, NONE. */
tick gate_holds_end(const struct sim *sim, uint32_t pipe, uint32_t *change);
void gate_ended(struct sim *sim, uint32_t pipe, const struct path *done);
/* What the start, or the end, of a job cannot come before for its gates. */
void gate_precedes_start(struct sim *sim, uint32_t pipe, const struct job *job,
                         struct moment start);
void gate_precedes_end(struct sim *sim, uint32_t pipe, uint64_t end);
void gate_settle(struct sim *sim, uint32_t change);

#endif
