/*
 * A row of the timeline: what one instruction did on its pipe, and what it waited for.
 *
 * Times are ticks (core cycles). A pipe is busy in [start, end) of its working rows; rows of flags
 * and barriers have busy 0. wait counts from the moment the pipe was free to the start (working
 * rows) or to the end (rows that wait); cause says what cleared last. Rows of a pipe come in the
 * order of seq, except that a set_flag comes when it fires.
 */
#ifndef CUBESIM_ENGINE_ROW_H
#define CUBESIM_ENGINE_ROW_H

#include <stdint.h>

typedef uint64_t tick;

/* words of the contract */
#define CAUSE_LIST(ROW)                                                                            \
    ROW(NONE, "")                                                                                  \
    ROW(FLAG, "flag")                                                                              \
    ROW(BARRIER, "barrier")                                                                        \
    ROW(DISPATCH, "dispatch")                                                                      \
    ROW(UNIT_FLAG, "unit_flag")                                                                    \
    ROW(STARTUP, "startup")                                                                        \
    ROW(SAME_ADDRESS, "same_address")                                                              \
    ROW(QUEUE_FULL, "queue_full")

enum cause {
#define ROW(name, word) CAUSE_##name,
    CAUSE_LIST(ROW)
#undef ROW
        CAUSE_COUNT
};

const char *cause_word(enum cause cause);

enum job_kind {
    JOB_WORK,    /* occupies its pipe */
    JOB_SET,     /* fires a flag when what is before it on its pipe is done */
    JOB_WAIT,    /* holds its pipe until a flag has fired */
    JOB_LOCK,    /* the same for one flag that many take in turns: the first turn needs no flag */
    JOB_BARRIER, /* holds its pipe until what is before it is done; on pipe 0 holds the stream */
    JOB_KIND_COUNT
};

#define ROW_NO_BLOCKER UINT32_MAX

struct row {
    uint32_t core;
    uint32_t pipe;
    uint32_t seq; /* index in the core's stream */
    uint32_t tag; /* the job's, for its owner */
    enum job_kind kind;
    enum cause cause;      /* CAUSE_NONE when wait is 0 */
    tick start, end, done; /* done: results are visible */
    tick busy;             /* end - start of working rows */
    tick link;             /* cycles lost to shared links, part of busy */
    tick wait;
    uint32_t blocker_core, blocker_pipe, blocker_seq; /* ROW_NO_BLOCKER each when there is none */
    uint64_t moment; /* of its end, see precedence.h; 0: nobody looks */
};

/* Called once per row; context belongs to the observer. */
typedef void row_sink(void *context, const struct row *row);

#endif
