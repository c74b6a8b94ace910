/* The bits of a binary32 value, and back. */
#ifndef CUBESIM_ISA_FLOAT_BITS_H
#define CUBESIM_ISA_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t float_to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
