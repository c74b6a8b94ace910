/*
 * HF32: fp32 operands whose fraction Mmad rounds to fewer bits before it multiplies.
 *
 * 11 stored fraction bits on Atlas A2 and A3, 10 on Ascend 950; docs/number_formats.md says where
 * the sources differ.
 */
#ifndef CUBESIM_ISA_HF32_H
#define CUBESIM_ISA_HF32_H

#include <stdint.h>

#include "isa/arch.h"

/* To the nearest value; what becomes of a tie (CTRL bit 47, SetHF32TransMode). */
enum hf32_mode {
    HF32_NEAREST_EVEN, /* to the even fraction; the bit is 0, the state at a kernel's start */
    HF32_NEAREST_ZERO, /* to the value nearer to zero; the bit is 1 */
};

/* Stored fraction bits that a product rounds to; it must have HF32 (arch_has_hf32). */
uint32_t hf32_fraction_bits(enum arch arch);

/* value with fraction_bits (1 to 22) stored fraction bits. Subnormals keep as many bits below
 * 2^-126, not fewer; what rounds beyond the largest such value is infinity; infinities and NaN
 * stay what they are. */
float hf32_round(float value, uint32_t fraction_bits, enum hf32_mode mode);

#endif
