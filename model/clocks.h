/*
 * What is done before what on a core, whatever time it takes: happens-before as vector clocks.
 *
 * A pipe works in program order. Between pipes only a flag and the wait that takes it, a unit
 * flag, an unlock and the next lock, and barriers make order. Instructions are named by their index
 * in the core's stream; a clock says for each lane up to where everything is known to be done.
 *
 * The reads of operands by Mmad have a lane of their own, since a set_flag from CUBE to MTE1 fires
 * when they are over and the results are not out yet. Everything else of a pipe is its own lane.
 */
#ifndef CUBESIM_MODEL_CLOCKS_H
#define CUBESIM_MODEL_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

/* Lanes: the pipes by number, then the operands of Mmad. */
enum { LANE_CUBE_OPERANDS = PIPE_COUNT, LANE_COUNT };

struct clock {
    uint32_t done[LANE_COUNT]; /* instructions of the lane with a lower index are done */
};

struct clocks {
    struct clock pipe[PIPE_COUNT]; /* what was done before the next instruction of a pipe */
    uint32_t executed[PIPE_COUNT]; /* index behind the last instruction that the pipe executed */
};

/* Nothing has happened: a new core. Clocks of zeros are as good. */
void clocks_reset(struct clocks *clocks);

/* A pipe has executed instruction seq. What SCALAR has executed is done before all that it
 * dispatches later. */
void clocks_end(struct clocks *clocks, enum pipe pipe, uint32_t seq);

/* What is done when a pipe tells others about all that it has executed; operands: only that the
 * operands of Mmads have been read. */
struct clock clocks_release(const struct clocks *clocks, enum pipe pipe, bool operands);

/* What a pipe executes next comes behind all that a clock says; SCALAR dispatches to all, so what
 * it waits for comes before what any pipe executes next. (What a pipe was given before stands until
 * something lets it go that SCALAR dispatches later.) */
void clocks_acquire(struct clocks *clocks, enum pipe pipe, const struct clock *clock);

/* What the pipe executes next comes behind all that it has executed; ALL: what any pipe executes
 * next behind all that any has executed. */
void clocks_barrier(struct clocks *clocks, enum pipe pipe);

/* Whether instruction seq of a lane is done before the pipe's next instruction; lanes of the pipe
 * itself included: they are only known to be done behind a barrier or a flag there and back. */
static inline bool clocks_before(const struct clocks *clocks, uint32_t lane, uint32_t seq,
                                 enum pipe pipe)
{
    return seq < clocks->pipe[pipe].done[lane];
}

/* The pipe of a lane. */
static inline enum pipe lane_pipe(uint32_t lane)
{
    return lane == LANE_CUBE_OPERANDS ? PIPE_CUBE : (enum pipe)lane;
}

#endif
