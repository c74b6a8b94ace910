/*
 * The seeded generator of the property tests: SEED in the environment reproduces a failure.
 */
#ifndef CUBESIM_TESTS_SUPPORT_SPLITMIX_H
#define CUBESIM_TESTS_SUPPORT_SPLITMIX_H

#include <stdint.h>
#include <stdlib.h>

static inline uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* A number of low..high. */
static inline uint64_t splitmix_range(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + splitmix_next(state) % (high - low + 1);
}

static inline uint64_t splitmix_seed(void)
{
    const char *seed = getenv("SEED");
    return seed != NULL ? strtoull(seed, NULL, 10) : 1;
}

#endif
