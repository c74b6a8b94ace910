/*
 * What a store from L0C does to values: ReLU, scale, round, offset, clamp.
 *
 * A value is shifted and clamped to int16 (where mode and word
 * say so), replaced by 0 if it is negative and ReLU is on, multiplied by the scale and rounded to
 * binary32. Then it is rounded to the stored type, or to an integer that is clamped to 9 bits, gets
 * the offset and is clamped to 8 bits. Halves go to even, in hif8 away from zero. docs/isa.md
 * sections 8 and 9.
 */
#ifndef CUBESIM_ISA_QUANT_H
#define CUBESIM_ISA_QUANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/element.h"

/* How the values of an instruction are stored. */
struct quant_rule {
    enum element source; /* in L0C: fp32, int32, fp16, uint32 */
    enum element target; /* stored; for int8 and uint8 the words say which */
    bool relu;           /* max(0, x) */
    bool saturate;       /* infinities become the largest finite value, NaN becomes 0 */
    bool scales;         /* values are multiplied by the scale of a word */
    bool shifts;         /* QUANT_WORD_MCB counts */
    bool hybrid;         /* hif8 in its hybrid rounding */
};

/* Where the parts of a quantisation word begin. */
enum quant_word_bit {
    QUANT_WORD_SCALE = 0,  /* 32 bits: a binary32, of which Fixpipe takes the upper part */
    QUANT_WORD_SHIFT = 32, /* 4 bits: a shift less 1 */
    QUANT_WORD_MCB = 36,   /* whether int32 values are shifted first */
    QUANT_WORD_OFFSET = 37,
    QUANT_WORD_SIGNED = 46, /* 8-bit results are signed */
    QUANT_WORD_RELU = 47,   /* of data_copy_l0c2ub only */
};
enum { QUANT_OFFSET_MASK = 0x1FF, QUANT_OFFSET_SIGN = 0x100 }; /* 9 bits with a sign */

/* A quantisation word, taken apart. */
struct quant_word {
    float scale;
    int16_t offset; /* -256..255 */
    uint8_t shift;  /* 1..16 */
    bool shifts;
    bool is_signed;
};

/* Fixpipe keeps the sign, the exponent and 10 bits of the fraction of a scale, data_copy_l0c2ub all
 * 32 bits. */
enum { QUANT_SCALE_FIXPIPE = 19, QUANT_SCALE_ALL = 32 };

/* Takes a word apart; scale_bits of its scale count, from the sign on. */
struct quant_word quant_word_read(uint64_t word, unsigned scale_bits);

/* A word that is an fp16 scale and nothing else. */
struct quant_word quant_word_half(uint16_t code);

/* Whether the scale is one that the documents allow: neither infinity, NaN nor denormal. */
bool quant_word_is_sound(const struct quant_word *word);

/* The stored codes of codes in L0C; how many of them are values that the stored type cannot hold
 * and that saturation brings in. words: word_step apart, one for each code; not read unless the
 * rule scales or stores int16. */
uint64_t quant_apply(const struct quant_rule *rule, const struct quant_word *words,
                     size_t word_step, const uint32_t *codes, size_t count, uint32_t *stored);

#endif
