#include "isa/float_code.h"

#include <assert.h>
#include <string.h>

#include "isa/float_bits.h"

enum { BINARY32_FRACTION = 23, BINARY32_SIGN = 31 };

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
    assert(element < ELEMENT_COUNT && formats[element].fraction_bits != 0);
    return &formats[element];
}

static inline float format_decode(const struct format *format, uint32_t code)
{
    uint32_t width = format->exponent_bits + format->fraction_bits;
    uint32_t magnitude = code & ((1U << width) - 1);
    uint32_t sign = (code >> width & 1) << BINARY32_SIGN;
    uint32_t aligned = magnitude << (BINARY32_FRACTION - format->fraction_bits);
    if (format->bias == 127) {
        return float_from_bits(sign | aligned);
    }
    if (magnitude > format->largest) {
        bool infinite = magnitude == format->overflow && magnitude != format->nan;
        uint32_t infinity = formats[ELEMENT_FP32].overflow;
        return float_from_bits(sign | infinity | (infinite ? 0 : formats[ELEMENT_FP32].nan));
    }
    /* Exponent and fraction stand where binary32 has them, but with too small a bias; one exact
     * multiplication corrects it for normal and subnormal codes alike. */
    float scale = float_from_bits((127 + 127 - format->bias) << BINARY32_FRACTION);
    return float_from_bits(sign | float_to_bits(float_from_bits(aligned) * scale));
}

float float_code_decode(enum element element, uint32_t code)
{
    return format_decode(format_find(element), code);
}

static inline uint32_t byte_load(const void *array, size_t index)
{
    return ((const uint8_t *)array)[index];
}

static inline uint32_t half_load(const void *array, size_t index)
{
    uint16_t code;
    memcpy(&code, (const uint8_t *)array + index * sizeof code, sizeof code);
    return code;
}

static inline uint32_t word_load(const void *array, size_t index)
{
    uint32_t code;
    memcpy(&code, (const uint8_t *)array + index * sizeof code, sizeof code);
    return code;
}

/* One loop per type, so that the compiler knows its format: this is the inner loop of Mmad's
 * preparation. */
#define DECODE_ARRAY(element, load)                                                                \
    for (size_t index = 0; index < count; index++) {                                               \
        values[index * pitch] = (double)format_decode(&formats[element], load(array, index));      \
    }

void float_code_decode_array(enum element element, const void *array, size_t count, double *values,
                             size_t pitch)
{
    if (element == ELEMENT_FP16) {
        DECODE_ARRAY(ELEMENT_FP16, half_load)
    } else if (element == ELEMENT_BF16) {
        DECODE_ARRAY(ELEMENT_BF16, half_load)
    } else if (element == ELEMENT_FP32) {
        DECODE_ARRAY(ELEMENT_FP32, word_load)
    } else if (element == ELEMENT_FP8_E4M3) {
        DECODE_ARRAY(ELEMENT_FP8_E4M3, byte_load)
    } else {
        assert(element == ELEMENT_FP8_E5M2);
        DECODE_ARRAY(ELEMENT_FP8_E5M2, byte_load)
    }
}

/* Drops the lowest `shift` bits of a significand of at most 31 bits; to nearest, ties to even. */
static uint32_t round_shift(uint32_t significand, uint32_t shift)
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
    uint32_t exponent = magnitude >> BINARY32_FRACTION;
    uint32_t least = 128 - format->bias; /* exponent field of the smallest normal in binary32 */
    uint32_t shift = BINARY32_FRACTION - format->fraction_bits;
    if (exponent >= least) {
        return round_shift(magnitude - ((least - 1) << BINARY32_FRACTION), shift);
    }
    uint32_t significand = magnitude & 0x7FFFFF;
    if (exponent == 0) {
        exponent = 1;
    } else {
        significand |= 0x800000;
    }
    return round_shift(significand, shift + least - exponent);
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
