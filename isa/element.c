#include "isa/element.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const char *const element_words[] = {
#define ROW(name, word, bits) word,
    ELEMENT_LIST(ROW)
#undef ROW
};

static const uint32_t element_widths[] = {
#define ROW(name, word, bits) bits,
    ELEMENT_LIST(ROW)
#undef ROW
};

uint32_t element_bits(enum element element)
{
    assert(element < ELEMENT_COUNT);
    return element_widths[element];
}

uint32_t element_bytes(enum element element)
{
    return element_bits(element) / 8;
}

uint32_t element_c0(enum element element)
{
    return BLOCK_BYTES / element_bytes(element);
}

const char *element_word(enum element element)
{
    assert(element < ELEMENT_COUNT);
    return element_words[element];
}

bool element_is_integer(enum element element)
{
    return element == ELEMENT_INT8 || element == ELEMENT_INT32;
}

enum element element_find(const char *word)
{
    for (int element = 0; element < ELEMENT_COUNT; element++) {
        if (strcmp(element_words[element], word) == 0) {
            return (enum element)element;
        }
    }
    return ELEMENT_COUNT;
}

static float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t float_to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float fp16_decode(uint32_t code)
{
    uint32_t sign = (code & 0x8000) << 16;
    uint32_t rest = (code & 0x7FFF) << 13;
    if (rest >= 0x0F800000) {
        return float_from_bits(sign | 0x7F800000 | rest);
    }
    /* The fraction and exponent sit where binary32 has them, with a bias that is 112 too small;
     * one exact multiplication corrects it for normal and subnormal codes alike. */
    return float_from_bits(sign | float_to_bits(float_from_bits(rest) * 0x1p112F));
}

double element_decode(enum element element, uint32_t code)
{
    switch (element) {
    case ELEMENT_FP16:
        return (double)fp16_decode(code);
    case ELEMENT_BF16:
        return (double)float_from_bits(code << 16);
    case ELEMENT_FP32:
        return (double)float_from_bits(code);
    case ELEMENT_INT8:
        return (double)((int32_t)(code & 0xFF) - ((code & 0x80) != 0 ? 256 : 0));
    case ELEMENT_INT32:
    case ELEMENT_COUNT:
        break;
    }
    assert(element == ELEMENT_INT32);
    return (double)code - ((code & 0x80000000) != 0 ? 4294967296.0 : 0.0);
}

/* Drops `shift` low bits of a significand, rounding to nearest, ties to even. */
static uint32_t round_shift(uint32_t significand, uint32_t shift)
{
    if (shift > 31) {
        return 0;
    }
    uint32_t kept = significand >> shift;
    uint32_t rest = significand & ((1U << shift) - 1);
    uint32_t half = 1U << (shift - 1);
    return kept + (rest > half || (rest == half && (kept & 1) != 0));
}

/* Magnitude bits of a finite binary32 to fp16 magnitude bits; may round up to infinity. */
static uint32_t fp16_round(uint32_t magnitude)
{
    uint32_t exponent = magnitude >> 23;
    if (exponent >= 113) {
        uint32_t rounded = round_shift(magnitude - (112U << 23), 13);
        return rounded > 0x7C00 ? 0x7C00 : rounded;
    }
    if (exponent == 0) {
        return 0; /* binary32 subnormals lie far below half of the least fp16 */
    }
    uint32_t significand = (magnitude & 0x7FFFFF) | 0x800000;
    return round_shift(significand, 126 - exponent);
}

uint32_t element_encode(enum element element, float value, bool saturate)
{
    assert(element == ELEMENT_FP16 || element == ELEMENT_BF16 || element == ELEMENT_FP32);
    if (isnan(value) && saturate) {
        return 0;
    }
    uint32_t bits = float_to_bits(value);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    uint32_t infinity = element == ELEMENT_FP16 ? 0x7C00 : 0x7F800000;
    uint32_t sign = element == ELEMENT_FP16 ? (bits >> 16) & 0x8000 : bits & 0x80000000;
    if (isnan(value)) {
        magnitude = element == ELEMENT_FP16 ? 0x7E00 : 0x7FC00000;
    } else if (isinf(value)) {
        magnitude = infinity;
    } else if (element == ELEMENT_FP16) {
        magnitude = fp16_round(magnitude);
    } else if (element == ELEMENT_BF16) {
        magnitude = round_shift(magnitude, 16) << 16;
    }
    if (saturate && magnitude == infinity) {
        /* The largest finite code is the one just below infinity. */
        magnitude -= element == ELEMENT_BF16 ? 0x10000 : 1;
    }
    return element == ELEMENT_BF16 ? (sign | magnitude) >> 16 : sign | magnitude;
}

/* Arrays are little-endian, and so are the machines that this is built for. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian");

uint32_t element_load(enum element element, const void *array, size_t index)
{
    const uint8_t *bytes = array;
    uint32_t code = 0;
    switch (element_bytes(element)) {
    case 1:
        return bytes[index];
    case 2:
        memcpy(&code, bytes + index * 2, 2);
        return code;
    default:
        memcpy(&code, bytes + index * 4, 4);
        return code;
    }
}

void element_store(enum element element, void *array, size_t index, uint32_t code)
{
    uint8_t *bytes = array;
    switch (element_bytes(element)) {
    case 1:
        bytes[index] = (uint8_t)code;
        return;
    case 2:
        memcpy(bytes + index * 2, &code, 2);
        return;
    default:
        memcpy(bytes + index * 4, &code, 4);
        return;
    }
}

static uint32_t half_load(const void *array, size_t index)
{
    uint16_t code;
    memcpy(&code, (const uint8_t *)array + index * sizeof code, sizeof code);
    return code;
}

static float float_load(const void *array, size_t index)
{
    float value;
    memcpy(&value, (const uint8_t *)array + index * sizeof value, sizeof value);
    return value;
}

/* One loop per type: this is the inner loop of Mmad's preparation. */
void element_decode_array(enum element element, const void *array, size_t count, double *values,
                          size_t pitch)
{
    switch (element) {
    case ELEMENT_FP16:
        for (size_t index = 0; index < count; index++) {
            values[index * pitch] = (double)fp16_decode(half_load(array, index));
        }
        return;
    case ELEMENT_BF16:
        for (size_t index = 0; index < count; index++) {
            values[index * pitch] = (double)float_from_bits(half_load(array, index) << 16);
        }
        return;
    case ELEMENT_FP32:
        for (size_t index = 0; index < count; index++) {
            values[index * pitch] = (double)float_load(array, index);
        }
        return;
    case ELEMENT_INT8:
        for (size_t index = 0; index < count; index++) {
            values[index * pitch] = (double)((const int8_t *)array)[index];
        }
        return;
    case ELEMENT_INT32:
    case ELEMENT_COUNT:
        break;
    }
    for (size_t index = 0; index < count; index++) {
        values[index * pitch] = element_decode(element, element_load(element, array, index));
    }
}
