/*
 * Which output types a product makes of accumulators, and whether a scale is part of it.
 */
#ifndef CUBESIM_MODEL_CONVERSION_H
#define CUBESIM_MODEL_CONVERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/arch.h"
#include "isa/element.h"
#include "isa/insn.h"
#include "model/conv.h"

/* Whether a product of arches (bits of enum arch) stores accumulators as out, with a scale or
 * without one. */
bool conversion_exists(unsigned arches, enum element accumulator, enum element out, bool scaled);

/* How a convolution, whose plan was accepted, is stored: the mode of Fixpipe, or the deqScale of
 * the copy to the unified buffer on products without one; and the vendor's word for either. */
enum insn_mode conversion_mode(enum arch arch, const struct conv *conv);
enum insn_deq conversion_deq(const struct conv *conv);
const char *conversion_name(enum arch arch, const struct conv *conv);

/* Fraction bits of a scale that count: ten in Fixpipe, all 23 in a copy to the unified buffer. */
uint32_t conversion_scale_bits(enum arch arch);

/* The part of a scale that counts. */
float conversion_scale(float scale, uint32_t scale_bits);

/* The quantisation word of an output channel: scale, offset and sign (docs/isa.md section 8). */
uint64_t conversion_word(const struct conv *conv, uint64_t channel);

/* "fp32, fp16, bf16, or int8 with quant": what is stored; written to text. */
const char *conversion_list(unsigned arches, enum element accumulator, char *text, size_t size);

#endif
