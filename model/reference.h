/*
 * The reference for --verify: a direct convolution, written apart from the instruction code.
 *
 * With HF32 both operands are first rounded to the product's fraction bits, ties to even.
 *
 * Summation order (docs/design.md): K runs over depth, C1, Kh, Kw, C0; within one C0 block products
 * are summed in ascending k in binary64, the sum is added to the accumulator in binary64 and
 * rounded once to binary32; blocks ascend. The accumulator starts at the bias, or at 0. Padding
 * taps inside H and W are products with 0 (so a weight of infinity there gives NaN); depths outside
 * the input are left out. Integers are summed exactly.
 *
 * An Mmad takes K of one L0 tile, at the end of a kernel depth what is left of it, and saturates:
 * in 32 bits, or infinity becomes the largest finite number and NaN 0. As long as no Mmad ends
 * beyond its type, every legal tiling gives the same bits; where one does, those that cut K alike.
 *
 * After the last block (without one the bias saturates too) relu makes 0 of everything that is not
 * above 0 (-0 too), then the result, an integer rounded to binary32, is multiplied by the scale of
 * its channel, if there is one, then it is converted and saturates at the largest finite number of
 * its type. Of a scale the first scale_bits of its fraction count; the product is rounded once to
 * binary32. Conversion is to nearest even, to hif8 ties go away from zero; to int8 the rounded
 * value is clamped to nine bits, the offset added, and the sum clamped to eight.
 */
#ifndef CUBESIM_MODEL_REFERENCE_H
#define CUBESIM_MODEL_REFERENCE_H

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "model/tensor.h"

/* Fills output (shape set, data taken). k_step: K of one Mmad, a multiple of C0 (a tile's k_l0).
 * bias is NULL without bias. Integers stay int32 unless there is a scale. Takes from the arena room
 * for one group's weights as binary64, one image of it as binary32 and K * 8 numbers. */
enum status reference_conv(const struct conv *conv, uint64_t k_step, const struct tensor *input,
                           const struct tensor *weight, const struct tensor *bias,
                           struct tensor *output, struct arena *arena) MUST_CHECK;

struct comparison {
    uint64_t compared, mismatches;
    double max_abs_error; /* infinite when a differing element is no finite number */
    uint64_t first_index; /* of the first mismatch */
};

/* Bitwise; NaN equals NaN of the same bits. The tensors have one type and count. */
struct comparison reference_compare(const struct tensor *result, const struct tensor *reference);

#endif
