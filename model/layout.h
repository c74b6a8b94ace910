/*
 * Where the elements of a logical tensor lie in GM.
 *
 * Offsets are in elements from the start of the tensor. Formats (docs/isa.md section 2):
 *
 *     nc1hwc0    input   [N][D][groups * C1][H][W][C0], channels of a group padded to C1 * C0
 *                output  [N][Do][groups * C1][Ho][Wo][C0], channels padded to a multiple of 16; of
 *                8-bit types, whose C0 is 32, the upper half of the last plane may stay unwritten
 *     fractal_z  weight  [groups][Kd][C1 * Kh * Kw][N1][16][C0], both channels padded per group
 *     nchw       input and output N C D H W, weight Cout Cin/groups Kd Kh Kw, nothing padded
 *     nhwc       input and output N D H W C, nothing padded
 *     hwcn       weight  Kd Kh Kw Cin/groups Cout, nothing padded
 *     bias       [groups][N1 * 16], four bytes each; quantisation words likewise, eight bytes each
 *
 * Padding holds zeros. Axes that a 1-D or 2-D convolution lacks are 1. A channel counts over the
 * whole convolution, except c of a weight, which counts within its group.
 */
#ifndef CUBESIM_MODEL_LAYOUT_H
#define CUBESIM_MODEL_LAYOUT_H

#include <stdint.h>

#include "model/conv.h"

uint64_t layout_input_c1(const struct conv *conv); /* C0 planes of a group */
uint64_t layout_n1(const struct conv *conv); /* 16-wide blocks of output channels of a group */
uint64_t layout_output_c0(const struct conv *conv); /* 8 for fp32, 32 for 8 bits, else 16 */
uint64_t layout_output_c1(const struct conv *conv); /* C0 planes of a group, 16 * N1 / C0 up */

/* Position of an output or input element along D, H, W, or of a kernel point. */
struct position {
    uint64_t d, h, w;
};

uint64_t layout_input_offset(const struct conv *conv, uint64_t n, uint64_t c, struct position at);
uint64_t layout_weight_offset(const struct conv *conv, uint64_t n, uint64_t c, struct position at);
uint64_t layout_channel_offset(const struct conv *conv, uint64_t n); /* bias, quantisation words */
uint64_t layout_output_offset(const struct conv *conv, uint64_t n, uint64_t c, struct position at);

/* From an element to its neighbour along W (of a weight: along Kw). */
uint64_t layout_input_step(const struct conv *conv);
uint64_t layout_weight_step(const struct conv *conv);
uint64_t layout_output_step(const struct conv *conv);

/* Elements of the output in GM that no store writes: lanes behind the 16 * N1-th channel. */
uint64_t layout_output_unwritten(const struct conv *conv);

/* Elements of a tensor in GM with their padding; INT64_MAX when they are that many or more. */
uint64_t layout_input_count(const struct conv *conv);
uint64_t layout_weight_count(const struct conv *conv);
uint64_t layout_channel_count(const struct conv *conv);
uint64_t layout_output_count(const struct conv *conv);

#endif
