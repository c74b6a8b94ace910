#include "isa/hif8.h"

#include "isa/float_bits.h"

enum {
    HIF8_MAGNITUDE = 0x7F,
    HIF8_NAN = 0x80, /* where other types have a negative zero */
    HIF8_LARGEST = 0x6E,
    HIF8_INFINITY = 0x6F,
    HIF8_EXPONENT_MAX = 15,
    HIF8_NORMAL_MIN = -15,
    HIF8_EXPONENT_MIN = -22,
    HIF8_SMALL_BIAS = 23, /* codes below 8 are powers of two: 2^(code - 23) */
    BINARY32_INFINITY = 0x7F800000,
    BINARY32_NAN = 0x7FC00000,
};

/* Codes of one exponent: all fractions of 1, 2 or 3 bits, as the upper halves of binary32 codes,
 * which hold every value of hif8 exactly. */
#define VALUE(exponent, eighths) (uint16_t)(((exponent) + 127) << 7 | (eighths) << 4)
#define BITS_1(exponent)         VALUE(exponent, 0), VALUE(exponent, 4)
#define BITS_2(exponent)                                                                           \
    VALUE(exponent, 0), VALUE(exponent, 2), VALUE(exponent, 4), VALUE(exponent, 6)
#define BITS_3(exponent)                                                                           \
    VALUE(exponent, 0), VALUE(exponent, 1), VALUE(exponent, 2), VALUE(exponent, 3),                \
        VALUE(exponent, 4), VALUE(exponent, 5), VALUE(exponent, 6), VALUE(exponent, 7)

/* The magnitudes in the order of their codes. An exponent is sign and magnitude, so the positive
 * ones of a prefix come first and both begin at the smallest magnitude. */
static const uint16_t magnitudes[128] = {
    /* prefix 0000: zero and powers of two */
    0, VALUE(-22, 0), VALUE(-21, 0), VALUE(-20, 0), VALUE(-19, 0), VALUE(-18, 0), VALUE(-17, 0),
    VALUE(-16, 0),
    /* 0001 */
    BITS_3(0),
    /* 001 */
    BITS_3(1), BITS_3(-1),
    /* 01 */
    BITS_3(2), BITS_3(3), BITS_3(-2), BITS_3(-3),
    /* 10 */
    BITS_2(4), BITS_2(5), BITS_2(6), BITS_2(7), BITS_2(-4), BITS_2(-5), BITS_2(-6), BITS_2(-7),
    /* 11, where infinity stands for 2^15 * 1.5 */
    BITS_1(8), BITS_1(9), BITS_1(10), BITS_1(11), BITS_1(12), BITS_1(13), BITS_1(14), VALUE(15, 0),
    BINARY32_INFINITY >> 16, BITS_1(-8), BITS_1(-9), BITS_1(-10), BITS_1(-11), BITS_1(-12),
    BITS_1(-13), BITS_1(-14), BITS_1(-15)};

static inline float code_decode(uint32_t code)
{
    uint32_t bits = (uint32_t)magnitudes[code & HIF8_MAGNITUDE] << 16;
    uint32_t sign = (code & 0x80) << 24;
    return float_from_bits((code & 0xFF) == HIF8_NAN ? BINARY32_NAN : sign | bits);
}

float hif8_decode(uint32_t code)
{
    return code_decode(code);
}

void hif8_decode_array(const void *array, size_t count, double *values, size_t pitch)
{
    const uint8_t *codes = array;
    for (size_t index = 0; index < count; index++) {
        values[index * pitch] = (double)code_decode(codes[index]);
    }
}

/* By the number of exponent bits: the prefix in its place, and the number of fraction bits. */
static const struct {
    uint32_t prefix, fraction_bits;
} dots[] = {{0x08, 3}, {0x10, 3}, {0x20, 3}, {0x40, 2}, {0x60, 1}};

/* How many exponent bits a normal code has: those of the exponent's magnitude, the leading one of
 * which gives its place to the sign. */
static uint32_t exponent_width(int exponent)
{
    uint32_t bits = 0;
    for (int rest = exponent < 0 ? -exponent : exponent; rest != 0; rest >>= 1) {
        bits++;
    }
    return bits;
}

static uint32_t fraction_width(int exponent)
{
    bool normal = exponent >= HIF8_NORMAL_MIN && exponent <= HIF8_EXPONENT_MAX;
    return normal ? dots[exponent_width(exponent)].fraction_bits : 0;
}

static uint32_t normal_code(int exponent, uint32_t fraction)
{
    uint32_t bits = exponent_width(exponent);
    uint32_t field = 0;
    if (bits > 0) {
        uint32_t leading = 1U << (bits - 1);
        field = exponent < 0 ? (uint32_t)-exponent : (uint32_t)exponent - leading;
    }
    return dots[bits].prefix | field << dots[bits].fraction_bits | fraction;
}

/* Finite binary32 bits without sign; may round up to infinity. */
static uint32_t magnitude_round(uint32_t bits)
{
    int exponent = (int)(bits >> 23) - 127;
    if (exponent < HIF8_EXPONENT_MIN) {
        /* From half of the smallest value on up to it, else below the half. */
        return exponent == HIF8_EXPONENT_MIN - 1;
    }
    /* Adding half a step moves ties away from zero. A carry out of the fraction leaves it zero, so
     * that it fits the next exponent whatever the width there. */
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

enum { HYBRID_EXPONENT = 4, HYBRID_BITS = 14, FRACTION_BITS = 23 };

/* Finite binary32 bits without sign to a code, by comparison of what does not fit with the lowest
 * bits of the fraction; what fits is kept. Values below half of the smallest one are zero, and of
 * those between the half and the smallest the leading one is the first bit that does not fit. */
static uint32_t magnitude_hybrid(uint32_t bits)
{
    int exponent = (int)(bits >> FRACTION_BITS) - 127;
    if (exponent > -HYBRID_EXPONENT && exponent < HYBRID_EXPONENT) {
        return magnitude_round(bits);
    }
    if (exponent < HIF8_EXPONENT_MIN - 1) {
        return 0;
    }
    uint32_t fraction = bits & 0x7FFFFF;
    uint32_t threshold = fraction & ((1U << HYBRID_BITS) - 1);
    if (exponent == HIF8_EXPONENT_MIN - 1) {
        uint32_t rest = 1U << (HYBRID_BITS - 1) | fraction >> (FRACTION_BITS - HYBRID_BITS + 1);
        return rest >= threshold;
    }
    uint32_t width = fraction_width(exponent);
    uint32_t dropped = FRACTION_BITS - width;
    uint32_t rest = (fraction & ((1U << dropped) - 1)) >> (dropped - HYBRID_BITS);
    uint32_t kept = bits >> dropped << dropped;
    bool up = kept != bits && rest >= threshold;
    /* A carry out of the fraction leaves it zero, which fits whatever the width there. */
    return magnitude_round(up ? kept + (1U << dropped) : kept);
}

static uint32_t code_encode(float value, bool saturate, uint32_t (*round)(uint32_t bits))
{
    uint32_t bits = float_to_bits(value);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    uint32_t sign = bits >> 31 << 7;
    if (magnitude > BINARY32_INFINITY) {
        return saturate ? 0 : HIF8_NAN;
    }
    uint32_t code = magnitude == BINARY32_INFINITY ? HIF8_INFINITY : round(magnitude);
    if (code == HIF8_INFINITY && saturate) {
        code = HIF8_LARGEST;
    }
    return code == 0 ? 0 : sign | code; /* a zero has no sign: 0x80 is NaN */
}

uint32_t hif8_encode(float value, bool saturate)
{
    return code_encode(value, saturate, magnitude_round);
}

uint32_t hif8_encode_hybrid(float value, bool saturate)
{
    return code_encode(value, saturate, magnitude_hybrid);
}
