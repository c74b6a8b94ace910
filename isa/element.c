#include "isa/element.h"

#include <assert.h>
#include <string.h>

#include "isa/float_bits.h"
#include "isa/float_code.h"
#include "isa/hif8.h"

static const char *const element_words[] = {
#define ROW(name, word, bits, kind) word,
    ELEMENT_LIST(ROW)
#undef ROW
};

static const uint32_t element_widths[] = {
#define ROW(name, word, bits, kind) bits,
    ELEMENT_LIST(ROW)
#undef ROW
};

enum kind { KIND_FLOAT, KIND_SIGNED, KIND_UNSIGNED };

static const enum kind element_kinds[] = {
#define ROW(name, word, bits, kind) KIND_##kind,
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
    assert(element_bits(element) >= 8);
    return element_bits(element) / 8;
}

uint64_t element_array_bytes(enum element element, uint64_t count)
{
    if (element_bits(element) == 4) {
        return count / 2 + count % 2;
    }
    return count * element_bytes(element);
}

uint32_t element_c0(enum element element)
{
    return BLOCK_BYTES * 8 / element_bits(element);
}

const char *element_word(enum element element)
{
    assert(element < ELEMENT_COUNT);
    return element_words[element];
}

static enum kind element_kind(enum element element)
{
    assert(element < ELEMENT_COUNT);
    return element_kinds[element];
}

bool element_is_integer(enum element element)
{
    return element_kind(element) != KIND_FLOAT;
}

bool element_is_float(enum element element)
{
    return element_kind(element) == KIND_FLOAT;
}

bool element_is_signed(enum element element)
{
    return element_kind(element) != KIND_UNSIGNED;
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

/* Two's complement of the type's width; bits above it do not count. */
static double integer_decode(enum element element, uint32_t code)
{
    uint32_t bits = element_bits(element);
    assert(bits <= 32);
    uint32_t sign = 1U << (bits - 1);
    uint32_t magnitude = code & (sign - 1);
    double high = (code & sign) != 0 ? (double)sign : 0.0;
    return (double)magnitude + (element_is_signed(element) ? -high : high);
}

double element_decode(enum element element, uint32_t code)
{
    if (element_is_integer(element)) {
        return integer_decode(element, code);
    }
    if (element == ELEMENT_HIF8) {
        return (double)hif8_decode(code);
    }
    return float_code_decode(element, code);
}

uint32_t element_encode(enum element element, float value, bool saturate)
{
    assert(element_is_float(element));
    if (element == ELEMENT_HIF8) {
        return hif8_encode(value, saturate);
    }
    return float_code_encode(element, value, saturate);
}

uint32_t element_encode_integer(enum element element, int64_t value)
{
    uint32_t bits = element_bits(element);
    assert(element_is_integer(element) && bits <= 32);
    int64_t span = INT64_C(1) << bits;
    int64_t low = element_is_signed(element) ? -(span / 2) : 0;
    int64_t high = low + span - 1;
    int64_t clamped = value < low ? low : value > high ? high : value;
    return (uint32_t)((uint64_t)clamped & (uint64_t)(span - 1));
}

/* Arrays are little-endian, and so are the machines that this is built for. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian");

uint32_t element_load(enum element element, const void *array, size_t index)
{
    const uint8_t *bytes = array;
    uint32_t code = 0;
    switch (element_bits(element)) {
    case 4:
        return bytes[index / 2] >> (4 * (index % 2)) & 0xF;
    case 8:
        return bytes[index];
    case 16:
        memcpy(&code, bytes + index * 2, 2);
        return code;
    default:
        assert(element_bits(element) == 32);
        memcpy(&code, bytes + index * 4, 4);
        return code;
    }
}

void element_store(enum element element, void *array, size_t index, uint32_t code)
{
    uint8_t *bytes = array;
    switch (element_bits(element)) {
    case 4: {
        uint32_t shift = 4 * (index % 2);
        uint32_t other = bytes[index / 2] & (0xF0U >> shift);
        bytes[index / 2] = (uint8_t)(other | (code & 0xF) << shift);
        return;
    }
    case 8:
        bytes[index] = (uint8_t)code;
        return;
    case 16:
        memcpy(bytes + index * 2, &code, 2);
        return;
    default:
        assert(element_bits(element) == 32);
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
    case ELEMENT_UINT8:
    case ELEMENT_INT16:
    case ELEMENT_UINT16:
    case ELEMENT_UINT32:
    case ELEMENT_UINT64:
    case ELEMENT_INT4:
    case ELEMENT_FP8_E4M3:
    case ELEMENT_FP8_E5M2:
    case ELEMENT_HIF8:
    case ELEMENT_FP4_E2M1:
    case ELEMENT_FP4_E1M2:
    case ELEMENT_COUNT:
        break;
    }
    for (size_t index = 0; index < count; index++) {
        values[index * pitch] = element_decode(element, element_load(element, array, index));
    }
}
