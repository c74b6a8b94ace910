#include "model/clocks.h"

void clocks_reset(struct clocks *clocks)
{
    *clocks = (struct clocks){0};
}

static void clock_join(struct clock *clock, const struct clock *other)
{
    for (uint32_t lane = 0; lane < LANE_COUNT; lane++)
        if (other->done[lane] > clock->done[lane])
            clock->done[lane] = other->done[lane];
}

void clocks_end(struct clocks *clocks, enum pipe pipe, uint32_t seq)
{
    clocks->executed[pipe] = seq + 1;
    for (uint32_t each = 0; each < PIPE_COUNT && pipe == PIPE_SCALAR; each++)
        clocks->pipe[each].done[PIPE_SCALAR] = seq + 1;
}

struct clock clocks_release(const struct clocks *clocks, enum pipe pipe, bool operands)
{
    struct clock clock = clocks->pipe[pipe];
    if (!operands)
        clock.done[pipe] = clocks->executed[pipe];
    if (pipe == PIPE_CUBE)
        clock.done[LANE_CUBE_OPERANDS] = clocks->executed[pipe];
    return clock;
}

void clocks_acquire(struct clocks *clocks, enum pipe pipe, const struct clock *clock)
{
    for (uint32_t each = 0; each < PIPE_COUNT; each++)
        if (each == pipe || pipe == PIPE_SCALAR)
            clock_join(&clocks->pipe[each], clock);
}

void clocks_barrier(struct clocks *clocks, enum pipe pipe)
{
    if (pipe != PIPE_ALL) {
        clocks->pipe[pipe] = clocks_release(clocks, pipe, false);
        return;
    }
    struct clock all = {0};
    for (uint32_t each = 0; each < PIPE_COUNT; each++) {
        const struct clock clock = clocks_release(clocks, (enum pipe)each, false);
        clock_join(&all, &clock);
    }
    for (uint32_t each = 0; each < PIPE_COUNT; each++)
        clocks->pipe[each] = all;
}
