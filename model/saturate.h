/*
 * Unsigned arithmetic that stops at SATURATE_MAX where it would wrap.
 *
 * Rules put sizes of any magnitude into products. Every capacity and range of a rule is far below
 * the stop, so a stopped number is judged as what it is: too large.
 */
#ifndef CUBESIM_MODEL_SATURATE_H
#define CUBESIM_MODEL_SATURATE_H

#include <stdint.h>

#define SATURATE_MAX ((uint64_t)INT64_MAX)

static inline uint64_t saturate_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t saturate_add(uint64_t a, uint64_t b)
{
    if (a >= SATURATE_MAX || b >= SATURATE_MAX || a > SATURATE_MAX - b)
        return SATURATE_MAX;
    return a + b;
}

static inline uint64_t saturate_mul(uint64_t a, uint64_t b)
{
    if (a == 0 || b == 0)
        return 0;
    return a > SATURATE_MAX / b ? SATURATE_MAX : a * b;
}

/* a - b, and 0 where b is larger. */
static inline uint64_t saturate_sub(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static inline uint64_t saturate_align_up(uint64_t value, uint64_t step)
{
    return saturate_mul(value / step + (value % step != 0), step);
}

static inline uint64_t saturate_align_down(uint64_t value, uint64_t step)
{
    return value / step * step;
}

#endif
