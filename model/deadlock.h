/*
 * How a core that stands for ever is told, whichever run found it.
 */
#ifndef CUBESIM_MODEL_DEADLOCK_H
#define CUBESIM_MODEL_DEADLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "isa/insn.h"

enum standing_for {
    STANDING_FLAG,      /* wait_flag: for its set_flag */
    STANDING_MUTEX,     /* mutex_lock: for the unlock before it */
    STANDING_UNIT_FLAG, /* Mmad: for the Fixpipe of its blocks of L0C; Fixpipe: for the Mmad */
    STANDING_BARRIER,   /* pipe_barrier of all pipes: for all of them */
    STANDING_QUEUE,     /* not dispatched: for a place in the queue of its pipe */
};

/* A pipe that cannot go on, and the instruction at its head. */
struct standing {
    enum pipe pipe; /* SCALAR: the instruction cannot be dispatched */
    enum standing_for cause;
    uint32_t seq;
    struct insn insn;
};

/* What it waits for, in words; NULL when memory runs out. */
const char *standing_awaited(const struct standing *standing, struct arena *arena);

/* One sentence with every pipe that stands, which it brings into the order of the stream; NULL when
 * memory runs out. */
const char *deadlock_message(struct standing *standing, size_t count, struct arena *arena);

#endif
