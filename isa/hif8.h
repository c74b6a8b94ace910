/*
 * hif8 (HiFloat8): 8-bit floating codes whose exponent field has 0 to 4 bits, as a prefix says, so
 * that values near 1 have 3 fraction bits and those far away 1 or none.
 *
 * Source: the layout in docs/number_formats.md.
 */
#ifndef CUBESIM_ISA_HIF8_H
#define CUBESIM_ISA_HIF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a code (low 8 bits), exact. */
float hif8_decode(uint32_t code);

/* Decodes count codes; value i goes to values[i * pitch]. */
void hif8_decode_array(const void *array, size_t count, double *values, size_t pitch);

/* The code of the nearest value; one half way between two goes away from zero. With saturate what
 * rounds beyond 2^15, infinities too, becomes 2^15 of its sign and NaN becomes 0; else they are
 * kept. There is one zero. */
uint32_t hif8_encode(float value, bool saturate);

/* The same in hybrid rounding: magnitudes from 2^-3 to below 2^4 as above. Farther out, the first
 * 14 bits of a value that do not fit are compared with the lowest 14 of its binary32 fraction, and
 * the code goes up when they are not less: a choice that looks random and is none. Source: the
 * HiFloat8 format paper. */
uint32_t hif8_encode_hybrid(float value, bool saturate);

#endif
