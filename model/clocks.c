#include "model/clocks.h"

#include <assert.h>
#include <string.h>

#include "engine/base/arena.h"

void clocks_reset(struct clocks *clocks)
{
    memset(clocks->pipe, 0, sizeof clocks->pipe);
    memset(clocks->executed, 0, sizeof clocks->executed);
    memset(clocks->scalar_met, 0, sizeof clocks->scalar_met);
    clocks->scalar_count = 0;
}

void clocks_deinit(struct clocks *clocks)
{
    array_release(clocks->scalar);
    *clocks = (struct clocks){0};
}

static void clock_join(struct clock *clock, const struct clock *other)
{
    for (uint32_t lane = 0; lane < LANE_COUNT; lane++)
        if (other->done[lane] > clock->done[lane])
            clock->done[lane] = other->done[lane];
}

void clocks_begin(struct clocks *clocks, enum pipe pipe, uint32_t scalar_count)
{
    if (clocks->scalar_met[pipe] >= scalar_count)
        return;
    clocks->scalar_met[pipe] = scalar_count;
    clock_join(&clocks->pipe[pipe], &clocks->scalar[scalar_count - 1]);
}

void clocks_end(struct clocks *clocks, enum pipe pipe, uint32_t seq)
{
    clocks->executed[pipe] = seq + 1;
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

enum status clocks_acquire(struct clocks *clocks, enum pipe pipe, const struct clock *clock)
{
    clock_join(&clocks->pipe[pipe], clock);
    if (pipe != PIPE_SCALAR)
        return STATUS_OK;
    void *grown = array_grow(clocks->scalar, &clocks->scalar_capacity,
                             (size_t)clocks->scalar_count + 1, sizeof *clocks->scalar);
    if (grown == NULL)
        return STATUS_NO_MEMORY;
    clocks->scalar = grown;
    clocks->scalar[clocks->scalar_count++] = clocks->pipe[PIPE_SCALAR];
    return STATUS_OK;
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
