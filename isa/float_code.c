#include "isa/float_code.h"

#include <assert.h>
#include <math.h>

#include "isa/float_bits.h"

/* Codes here are magnitudes, without the sign bit. */
struct format {
    uint32_t exponent_bits, fraction_bits;
    uint32_t bias;
    uint32_t largest;  /* finite; what lies above it is infinity or NaN */
    uint32_t overflow; /* what a larger value becomes when it does not saturate */
    uint32_t nan;      /* 0 where there is none */
};

static const struct format formats[ELEMENT_COUNT] = {
    [ELEMENT_FP32] = {8, 23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FC00000},
    [ELEMENT_BF16] = {8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0},
    [ELEMENT_FP16] = {5, 10, 15, 0x7BFF, 0x7C00, 0x7E00},
    [ELEMENT_FP8_E5M2] = {5, 2, 15, 0x7B, 0x7C, 0x7E},
    [ELEMENT_FP8_E4M3] = {4, 3, 7, 0x7E, 0x7F, 0x7F},
    [ELEMENT_FP4_E2M1] = {2, 1, 1, 0x7, 0x7, 0},
    [ELEMENT_FP4_E1M2] = {1, 2, 1, 0x7, 0x7, 0},
};

static const struct format *format_find(enum element element)
{
    assert(element < ELEMENT_COUNT && formats[element].largest != 0);
    return &formats[element];
}

double float_code_decode(enum element element, uint32_t code)
{
    const struct format *format = format_find(element);
    uint32_t width = format->exponent_bits + format->fraction_bits;
    uint32_t magnitude = code & ((1U << width) - 1);
    double sign = (code >> width & 1) != 0 ? -1.0 : 1.0;
    if (magnitude > format->largest) {
        bool infinite = magnitude == format->overflow && magnitude != format->nan;
        return infinite ? sign * (double)INFINITY : (double)NAN;
    }
    uint32_t exponent = magnitude >> format->fraction_bits;
    uint32_t significand = magnitude & ((1U << format->fraction_bits) - 1);
    if (exponent == 0) {
        exponent = 1;
    } else {
        significand |= 1U << format->fraction_bits;
    }
    return sign * ldexp(significand, (int)exponent - (int)(format->bias + format->fraction_bits));
}

uint32_t float_round_shift(uint32_t significand, uint32_t shift)
{
    if (shift == 0 || shift > 31) {
        return shift == 0 ? significand : 0;
    }
    uint32_t kept = significand >> shift;
    uint32_t rest = significand & ((1U << shift) - 1);
    uint32_t half = 1U << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1) != 0));
}

/* A finite binary32 magnitude to the nearest code; beyond the largest one the codes go on as if
 * the exponent had no end. */
static uint32_t format_round(const struct format *format, uint32_t magnitude)
{
    uint32_t exponent = magnitude >> 23;
    uint32_t least = 128 - format->bias; /* exponent field of the smallest normal in binary32 */
    uint32_t shift = 23 - format->fraction_bits;
    if (exponent >= least) {
        return float_round_shift(magnitude - ((least - 1) << 23), shift);
    }
    uint32_t significand = magnitude & 0x7FFFFF;
    if (exponent == 0) {
        exponent = 1;
    } else {
        significand |= 0x800000;
    }
    return float_round_shift(significand, shift + least - exponent);
}

uint32_t float_code_encode(enum element element, float value, bool saturate)
{
    const struct format *format = format_find(element);
    uint32_t bits = float_to_bits(value);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    uint32_t sign = bits >> 31 << (format->exponent_bits + format->fraction_bits);
    if (magnitude > 0x7F800000) {
        return saturate ? 0 : format->nan;
    }
    uint32_t code = magnitude == 0x7F800000 ? UINT32_MAX : format_round(format, magnitude);
    if (code > format->largest) {
        code = saturate ? format->largest : format->overflow;
    }
    return sign | code;
}
