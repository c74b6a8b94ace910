#include "traces/timescale.h"

enum { KHZ_PER_MHZ = 1000, NS_PER_KHZ_PERIOD = 1000000 };

struct timescale timescale_of(const struct stored_run *run, enum timebase base)
{
    uint64_t khz = (uint64_t)(run->clock_mhz * KHZ_PER_MHZ + 0.5);
    return (struct timescale){.base = base, .clock_khz = khz > 0 ? khz : 1};
}

uint64_t timescale_ns(const struct timescale *scale, tick cycle)
{
    if (scale->base == TIMEBASE_CYCLE)
        return cycle;
    /* cycle * 1e6 / khz, in two parts so that it cannot overflow. */
    uint64_t whole = cycle / scale->clock_khz, rest = cycle % scale->clock_khz;
    return whole * NS_PER_KHZ_PERIOD + rest * NS_PER_KHZ_PERIOD / scale->clock_khz;
}
