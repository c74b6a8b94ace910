#include "isa/element.h"

#include <assert.h>
#include <string.h>

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

/* Two's complement or unsigned; bits above the type's width do not count. */
static double integer_decode(enum element element, uint32_t code)
{
    uint32_t bits = element_bits(element);
    assert(bits <= 32);
    int64_t span = INT64_C(1) << bits;
    int64_t value = code & (span - 1);
    bool negative = element_is_signed(element) && value >= span / 2;
    return (double)(negative ? value - span : value);
}

double element_decode(enum element element, uint32_t code)
{
    if (element_is_integer(element)) {
        return integer_decode(element, code);
    }
    return (double)(element == ELEMENT_HIF8 ? hif8_decode(code) : float_code_decode(element, code));
}

uint32_t element_encode(enum element element, float value, bool saturate)
{
    return element == ELEMENT_HIF8 ? hif8_encode(value, saturate)
                                   : float_code_encode(element, value, saturate);
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

/* The types of Mmad's operands have loops of their own: this is its preparation's inner loop. */
void element_decode_array(enum element element, const void *array, size_t count, double *values,
                          size_t pitch)
{
    if (element == ELEMENT_HIF8) {
        hif8_decode_array(array, count, values, pitch);
    } else if (element_is_float(element) && element_bits(element) >= 8) {
        float_code_decode_array(element, array, count, values, pitch);
    } else if (element == ELEMENT_INT8) {
        for (size_t index = 0; index < count; index++) {
            values[index * pitch] = (double)((const int8_t *)array)[index];
        }
    } else if (element == ELEMENT_UINT8) {
        for (size_t index = 0; index < count; index++) {
            values[index * pitch] = (double)((const uint8_t *)array)[index];
        }
    } else {
        for (size_t index = 0; index < count; index++) {
            values[index * pitch] = element_decode(element, element_load(element, array, index));
        }
    }
}
