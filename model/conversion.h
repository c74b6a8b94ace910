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

/* The mode of Fixpipe that a convolution is stored with; its plan was accepted. */
enum insn_mode conversion_mode(enum arch arch, const struct conv *conv);

/* The part of a scale that hardware keeps: its first ten fraction bits. */
float conversion_scale(float scale);

/* The quantisation word of an output channel: scale, offset and sign (docs/isa.md section 8). */
uint64_t conversion_word(const struct conv *conv, uint64_t channel);

/* "fp32, fp16, bf16, or int8 with quant": what is stored; written to text. */
const char *conversion_list(unsigned arches, enum element accumulator, char *text, size_t size);

#endif
