#include "isa/hif8.h"

#include "isa/float_bits.h"

enum {
    HIF8_SIGN = 0x80,
    HIF8_NAN = 0x80, /* where other types have a negative zero */
    HIF8_LARGEST = 0x6E,
    HIF8_INFINITY = 0x6F,
    HIF8_EXPONENT_MAX = 15,
    HIF8_NORMAL_MIN = -15,
    HIF8_EXPONENT_MIN = -22,
    HIF8_SMALL_BIAS = 23, /* codes below 8 are powers of two: 2^(code - 23) */
};

/* By the number of exponent bits: the prefix in its place, and the number of fraction bits. */
static const struct {
    uint32_t prefix, fraction_bits;
} dots[] = {{0x08, 3}, {0x10, 3}, {0x20, 3}, {0x40, 2}, {0x60, 1}};

/* 2^exponent * significand / 2^23, of normal binary32 values. */
static float compose(uint32_t sign, int exponent, uint32_t fraction)
{
    return float_from_bits(sign << 31 | (uint32_t)(exponent + 127) << 23 | fraction);
}

/* Exponents are sign and magnitude; the highest bit of the magnitude is not stored. */
static int exponent_decode(uint32_t field, uint32_t bits)
{
    if (bits == 0) {
        return 0;
    }
    uint32_t high = 1U << (bits - 1);
    int magnitude = (int)(high | (field & (high - 1)));
    return (field & high) != 0 ? -magnitude : magnitude;
}

float hif8_decode(uint32_t code)
{
    uint32_t sign = code >> 7 & 1;
    uint32_t magnitude = code & 0x7F;
    if (magnitude == HIF8_INFINITY) {
        return float_from_bits(sign << 31 | 0x7F800000);
    }
    if (magnitude == 0) {
        return float_from_bits(sign != 0 ? 0x7FC00000 : 0);
    }
    if (magnitude < dots[0].prefix) {
        return compose(sign, (int)magnitude - HIF8_SMALL_BIAS, 0);
    }
    uint32_t bits = 4;
    while (magnitude < dots[bits].prefix) {
        bits--;
    }
    uint32_t field = magnitude - dots[bits].prefix;
    uint32_t fraction_bits = dots[bits].fraction_bits;
    uint32_t fraction = field & ((1U << fraction_bits) - 1);
    return compose(sign, exponent_decode(field >> fraction_bits, bits),
                   fraction << (23 - fraction_bits));
}

/* The number of exponent bits of a normal code. */
static uint32_t exponent_width(uint32_t distance)
{
    uint32_t bits = 0;
    for (; distance != 0; distance >>= 1) {
        bits++;
    }
    return bits;
}

/* A magnitude whose rounded exponent and fraction are known. */
static uint32_t normal_code(int exponent, uint32_t fraction)
{
    uint32_t distance = (uint32_t)(exponent < 0 ? -exponent : exponent);
    uint32_t bits = exponent_width(distance);
    uint32_t field = 0;
    if (bits > 0) {
        uint32_t high = 1U << (bits - 1);
        field = (exponent < 0 ? high : 0) | (distance & (high - 1));
    }
    return dots[bits].prefix | field << dots[bits].fraction_bits | fraction;
}

static uint32_t fraction_width(int exponent)
{
    if (exponent < HIF8_NORMAL_MIN || exponent > HIF8_EXPONENT_MAX) {
        return 0;
    }
    return dots[exponent_width((uint32_t)(exponent < 0 ? -exponent : exponent))].fraction_bits;
}

/* Finite binary32 bits without sign; may round up to infinity. */
static uint32_t magnitude_round(uint32_t bits)
{
    int exponent = (int)(bits >> 23) - 127;
    if (exponent < HIF8_EXPONENT_MIN) {
        return exponent == HIF8_EXPONENT_MIN - 1; /* at least half of the smallest value, or less */
    }
    /* Adding half a step moves ties away from zero; a carry leaves an all-zero fraction, which the
     * next exponent can hold whatever its width. */
    uint32_t width = fraction_width(exponent);
    bits += 1U << (22 - width);
    exponent = (int)(bits >> 23) - 127;
    uint32_t fraction = (bits & 0x7FFFFF) >> (23 - width);
    if (exponent > HIF8_EXPONENT_MAX || (exponent == HIF8_EXPONENT_MAX && fraction != 0)) {
        return HIF8_INFINITY;
    }
    if (exponent < HIF8_NORMAL_MIN) {
        return (uint32_t)(exponent + HIF8_SMALL_BIAS);
    }
    return normal_code(exponent, fraction);
}

uint32_t hif8_encode(float value, bool saturate)
{
    uint32_t bits = float_to_bits(value);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    uint32_t sign = bits >> 31 << 7;
    if (magnitude > 0x7F800000) {
        return saturate ? 0 : HIF8_NAN;
    }
    uint32_t code = magnitude == 0x7F800000 ? HIF8_INFINITY : magnitude_round(magnitude);
    if (code == HIF8_INFINITY && saturate) {
        code = HIF8_LARGEST;
    }
    return code == 0 ? 0 : sign | code;
}
