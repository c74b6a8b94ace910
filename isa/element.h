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

/* name, word in files, bits, kind; uint64 holds quantisation words: it has a size, no values here
 */
#define ELEMENT_LIST(ROW)                                                                          \
    ROW(FP16, "fp16", 16, FLOAT)                                                                   \
    ROW(BF16, "bf16", 16, FLOAT)                                                                   \
    ROW(FP32, "fp32", 32, FLOAT)                                                                   \
    ROW(INT8, "int8", 8, SIGNED)                                                                   \
    ROW(INT32, "int32", 32, SIGNED)                                                                \
    ROW(UINT8, "uint8", 8, UNSIGNED)                                                               \
    ROW(INT16, "int16", 16, SIGNED)                                                                \
    ROW(UINT16, "uint16", 16, UNSIGNED)                                                            \
    ROW(UINT32, "uint32", 32, UNSIGNED)                                                            \
    ROW(UINT64, "uint64", 64, UNSIGNED)                                                            \
    ROW(INT4, "int4", 4, SIGNED)                                                                   \
    ROW(FP8_E4M3, "fp8_e4m3", 8, FLOAT)                                                            \
    ROW(FP8_E5M2, "fp8_e5m2", 8, FLOAT)                                                            \
    ROW(HIF8, "hif8", 8, FLOAT)                                                                    \
    ROW(FP4_E2M1, "fp4_e2m1", 4, FLOAT)                                                            \
    ROW(FP4_E1M2, "fp4_e1m2", 4, FLOAT)

enum element {
#define ROW(name, word, bits, kind) ELEMENT_##name,
    ELEMENT_LIST(ROW)
#undef ROW
        ELEMENT_COUNT
};

enum { BLOCK_BYTES = 32, FRACTAL_BYTES = 512, FRACTAL_ROWS = 16 };

uint32_t element_bits(enum element element);
uint32_t element_bytes(enum element element); /* of types of 8 bits and more; always >= 1 */
/* Bytes that count elements take side by side; 4-bit types lie two in a byte, rounded up. */
uint64_t element_array_bytes(enum element element, uint64_t count);
uint32_t element_c0(enum element element); /* elements in 32 bytes */
const char *element_word(enum element element);
bool element_is_integer(enum element element);
bool element_is_float(enum element element);  /* every type that is no integer */
bool element_is_signed(enum element element); /* all but the unsigned integers */

/* ELEMENT_COUNT when the word is unknown. */
enum element element_find(const char *word);

/* Raw code (low bits) to value; exact for every type of up to 32 bits. */
double element_decode(enum element element, uint32_t code);

/* Decodes count elements of an array; value i goes to values[i * pitch]. */
void element_decode_array(enum element element, const void *array, size_t count, double *values,
                          size_t pitch);

/* binary32 to the raw code of the nearest value of a floating type; ties to even, in hif8 away from
 * zero. saturate (CTRL bit 48 = 0): values beyond the largest finite one clamp to it and NaN
 * becomes 0; else infinities and NaN are kept, where fp8_e4m3 has NaN for both and the 4-bit types,
 * which have neither, saturate all the same. */
uint32_t element_encode(enum element element, float value, bool saturate);

/* The raw code of an integer type of up to 32 bits; values beyond its range clamp to it. */
uint32_t element_encode_integer(enum element element, int64_t value);

/* Reads or writes element index of a little-endian array of a type of up to 32 bits. Of two 4-bit
 * elements in a byte the first is the low half; a store keeps the other one. */
uint32_t element_load(enum element element, const void *array, size_t index);
void element_store(enum element element, void *array, size_t index, uint32_t code);

#endif
