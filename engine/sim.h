/*
 * The simulator: cores with in-order pipes, flags between them, gates, and links that all share.
 *
 * A core's stream is pulled job by job in program order and dispatched into finite pipe queues, one
 * job per dispatch cost; flags and barriers take no place in a queue. A pipe works on its jobs in
 * order. A job has an occupancy (its pipe cannot take the next one) and a latency (its results are
 * visible that much later). On a pipe with a window the next job is taken while the bytes of the
 * one before are still under way, so that what leads up to its own bytes is hidden behind them.
 * Between pipes there is no order but what flags, barriers and gates make. Pipe 0 is the dispatcher
 * itself: what it waits for holds the stream. The engine gives no meaning to pipes, flags, links
 * and tags: that belongs to its owner.
 *
 * Everything is an integer and events have a total order, so a run is a pure function of its input.
 */
#ifndef CUBESIM_ENGINE_SIM_H
#define CUBESIM_ENGINE_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "engine/path.h"
#include "engine/path_step.h"
#include "engine/precedence.h"
#include "engine/row.h"

enum { JOB_LEGS_MAX = 3, GATES_MAX = 512, GATE_WORDS = GATES_MAX / 64 };

/* Part of a job's occupancy that moves bytes over a shared link, after its fixed occupancy. */
struct leg {
    uint32_t link;
    uint32_t class_index; /* of the ticks that the leg takes alone */
    uint64_t bytes;       /* 0: no leg */
    uint64_t cap;         /* of its port, 2^-16 B per tick */
};

/* What a job does with its gates, bits between producers and consumers that overlap. */
enum gate_use {
    GATE_UNUSED,
    GATE_WAIT_SHUT, /* starts only while all of them are shut */
    GATE_OPEN,      /* the same, and opens them gate_delay after its start */
    GATE_WAIT_OPEN, /* starts only while all are open, ends not before their openers are done */
    GATE_SHUT,      /* the same, and shuts them when it is done */
};

/* Gates of a core, a bit each. */
struct gate_set {
    uint64_t word[GATE_WORDS];
};

struct job {
    enum job_kind kind;
    uint32_t pipe;
    uint32_t seq;               /* index in the core's stream */
    uint32_t tag;               /* handed back in rows */
    uint32_t flag;              /* JOB_SET, JOB_WAIT, JOB_LOCK: index of the core's flag */
    uint32_t turn;              /* JOB_LOCK: locks of the flag that come before it */
    bool early;                 /* JOB_SET: fires at the end of occupancy of what is before it */
    tick occupancy;             /* fixed part, besides legs */
    tick by_class[SIM_CLASSES]; /* the fixed part by class; sums to it */
    tick lead;    /* the first of the fixed part: it runs while the job before moves bytes */
    tick window;  /* the pipe takes the next job so long before the last byte; 0: at the end */
    tick service; /* of the pipe's server, which takes jobs one after another: no end before */
    uint32_t service_class;
    tick round_trip; /* results are visible no earlier than so long after the lead */
    bool contends;   /* what `contended` of other jobs stands for */
    uint32_t rival;  /* pipe of the core */
    tick contended;  /* more fixed ticks if the rival is at a job that contends */
    uint32_t contended_class;
    tick latency;
    uint32_t latency_class;
    struct leg leg[JOB_LEGS_MAX]; /* served one after the other */
    enum gate_use gate_use;
    struct gate_set gates;
    tick gate_delay;
    uint32_t gate_class; /* of gate_delay, when something waits for it */
};

/* The next job of a core's stream; false at its end. */
typedef bool job_source(void *context, uint32_t core, struct job *job);

struct sim_link {
    uint64_t capacity;    /* 2^-16 B per tick */
    uint32_t class_index; /* of ticks lost to sharing */
};

struct sim_config {
    uint32_t cores;
    uint32_t pipes; /* at most SIM_PIPES_MAX, pipe 0 is the dispatcher */
    uint32_t flags; /* per core */
    uint32_t gates; /* per core, at most GATES_MAX */
    const struct sim_link *links;
    uint32_t link_count;
    uint32_t queue_depth; /* working jobs that wait in a pipe's queue */
    tick startup, dispatch;
    tick wait_cost; /* from the firing of a flag to the end of a wait for it */
    tick barrier_cost;
    uint32_t startup_class, dispatch_class, wait_class, barrier_class;
    job_source *source;
    void *source_context;
    row_sink *sink; /* may be NULL */
    void *sink_context;
    path_step_sink *steps; /* may be NULL */
    void *steps_context;
    precedence_sink *precedences; /* may be NULL */
    void *precedences_context;
};

struct pipe_totals {
    uint64_t jobs;                    /* rows of the pipe; pipe 0: all that it dispatched */
    tick busy, link, active, free_at; /* free_at: end of its last row that holds it */
    tick wait[CAUSE_COUNT];
    uint64_t waits[CAUSE_COUNT];
    tick wait_for[SIM_PIPES_MAX]; /* flag waits by the pipe that set */
};

struct sim; /* opaque: large */

/* Takes all that it needs from the arena and from array_grow. */
enum status sim_open(const struct sim_config *config, struct arena *arena,
                     struct sim **sim) MUST_CHECK;
void sim_close(struct sim *sim);

/* Handles at most event_count_max events. OK: finished; LIMIT: more to do; DEADLOCK: no event is
 * left and work is unfinished; NO_MEMORY. */
enum status sim_run(struct sim *sim, uint64_t event_count_max) MUST_CHECK;

tick sim_now(const struct sim *sim);
/* Last completion of all cores, or of one. */
tick sim_makespan(const struct sim *sim);
tick sim_core_makespan(const struct sim *sim, uint32_t core);
/* Core, pipe and path of the last completion; ties: the lowest core, then pipe. */
uint32_t sim_last(const struct sim *sim, const struct path **path);
const struct pipe_totals *sim_pipe(const struct sim *sim, uint32_t core, uint32_t pipe);
/* Bytes carried by a link. */
uint64_t sim_link_bytes(const struct sim *sim, uint32_t link);

/* After a deadlock: the job that a pipe is stuck at; false when the pipe has none. For pipe 0 it is
 * the job that cannot be dispatched. */
bool sim_blocked(const struct sim *sim, uint32_t core, uint32_t pipe, struct job *job);

#endif
