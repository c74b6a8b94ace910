/*
 * Codes of the floating types with fixed fields (all but hif8): sign, exponent, fraction.
 *
 * The layouts and special codes are those of docs/number_formats.md: fp16, bf16 and fp32 are IEEE
 * or its upper half, the 8-bit types those of the Open Compute Project's OFP8, the 4-bit ones have
 * no special codes.
 */
#ifndef CUBESIM_ISA_FLOAT_CODE_H
#define CUBESIM_ISA_FLOAT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/element.h"

/* The value of a code of a floating type but hif8; bits above the type's width do not count. */
float float_code_decode(enum element element, uint32_t code);

/* Decodes count codes that lie side by side; value i goes to values[i * pitch]. Not for the 4-bit
 * types. */
void float_code_decode_array(enum element element, const void *array, size_t count, double *values,
                             size_t pitch);

/* The code of the nearest value, ties to even. With saturate what rounds beyond the largest finite
 * value, infinities too, becomes that value and NaN becomes 0. Without it they become infinity (NaN
 * in fp8_e4m3, which has none) and the one NaN of docs/number_formats.md. The 4-bit types have
 * neither: they always saturate, and NaN becomes 0. */
uint32_t float_code_encode(enum element element, float value, bool saturate);

#endif
