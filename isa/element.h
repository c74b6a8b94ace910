/*
 * Element types of tensors and operands, and conversions between them and binary32/binary64.
 *
 * C0 is the number of elements in 32 bytes. The codes are IEEE or as in docs/number_formats.md.
 */
#ifndef CUBESIM_ISA_ELEMENT_H
#define CUBESIM_ISA_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name, word in files, bits */
#define ELEMENT_LIST(ROW)                                                                          \
    ROW(FP16, "fp16", 16)                                                                          \
    ROW(BF16, "bf16", 16)                                                                          \
    ROW(FP32, "fp32", 32)                                                                          \
    ROW(INT8, "int8", 8)                                                                           \
    ROW(INT32, "int32", 32)

enum element {
#define ROW(name, word, bits) ELEMENT_##name,
    ELEMENT_LIST(ROW)
#undef ROW
        ELEMENT_COUNT
};

enum { BLOCK_BYTES = 32, FRACTAL_BYTES = 512, FRACTAL_ROWS = 16 };

uint32_t element_bits(enum element element);
uint32_t element_bytes(enum element element); /* 4-bit types are not here yet; always >= 1 */
uint32_t element_c0(enum element element);    /* elements in 32 bytes */
const char *element_word(enum element element);
bool element_is_integer(enum element element);

/* ELEMENT_COUNT when the word is unknown. */
enum element element_find(const char *word);

/* Raw code (low bits) to value; exact for every type. Integers are read as signed. */
double element_decode(enum element element, uint32_t code);

/* Decodes count elements of an array; value i goes to values[i * pitch]. */
void element_decode_array(enum element element, const void *array, size_t count, double *values,
                          size_t pitch);

/* binary32 to the raw code of a narrower or equal floating type, round to nearest even.
 * saturate: values beyond the largest finite clamp and NaN becomes 0 (CTRL bit 48 = 0); else
 * infinities and NaN are kept. */
uint32_t element_encode(enum element element, float value, bool saturate);

/* Reads or writes element index of a little-endian array. */
uint32_t element_load(enum element element, const void *array, size_t index);
void element_store(enum element element, void *array, size_t index, uint32_t code);

#endif
