/*
 * A convolution: shapes, types and formats, and what follows from them.
 *
 * 1-D and 2-D convolutions are held as 3-D ones with D (and H) of 1, so axis is always D, H, W.
 */
#ifndef CUBESIM_MODEL_CONV_H
#define CUBESIM_MODEL_CONV_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/element.h"

enum axis { AXIS_D, AXIS_H, AXIS_W, AXIS_COUNT };

/* word in plan files */
#define TENSOR_FORMAT_LIST(ROW)                                                                    \
    ROW(NC1HWC0, "nc1hwc0") /* input: N, (D,) groups*C1, H, W, C0; channels padded per group */    \
    ROW(FRACTAL_Z, "fractal_z") /* weight: groups, (D,) C1*Kh*Kw, N1, 16, C0 */                    \
    ROW(NCHW, "nchw")           /* input NCHW or NCDHW, weight OIHW or OIDHW */                    \
    ROW(NHWC, "nhwc")           /* input only: N(D)HWC */                                          \
    ROW(HWCN, "hwcn")           /* weight only: (D)HWCN, C within the group, N over all groups */

enum tensor_format {
#define ROW(name, word) FORMAT_##name,
    TENSOR_FORMAT_LIST(ROW)
#undef ROW
        FORMAT_COUNT
};

const char *format_word(enum tensor_format format);

/* What makes outputs of accumulators: scale * accumulator, + offset for int8 outputs. */
struct quant {
    bool given;
    bool by_channel;     /* scales holds Cout numbers; else one number stands for all */
    const float *scales; /* as written: above 0, no subnormal */
    uint32_t scale_bits; /* fraction bits of a scale that the product keeps */
    int32_t offset;      /* QUANT_OFFSET_MIN..QUANT_OFFSET_MAX */
};
enum { QUANT_OFFSET_MIN = -256, QUANT_OFFSET_MAX = 255 }; /* nine bits of a quantisation word */

struct conv {
    uint32_t rank;      /* spatial axes: 1, 2 or 3 */
    uint64_t batch;     /* N */
    uint64_t cin, cout; /* of the whole convolution */
    uint64_t cin_group; /* second dimension of the weight, cin / groups */
    uint64_t groups;
    uint64_t in[AXIS_COUNT];     /* D, H, W of the input */
    uint64_t kernel[AXIS_COUNT]; /* Kd, Kh, Kw */
    uint64_t stride[AXIS_COUNT];
    uint64_t dilation[AXIS_COUNT];
    uint64_t pad_head[AXIS_COUNT]; /* front, top, left */
    uint64_t pad_tail[AXIS_COUNT]; /* back, bottom, right */
    int64_t out[AXIS_COUNT];       /* Do, Ho, Wo; below 1 when the kernel does not fit */
    enum element dtype;            /* of input and weight */
    enum element out_dtype;
    uint32_t hf32_bits; /* fp32: fraction bits that the cube rounds its operands to; 0: all */
    struct quant quant;
    bool bias, relu;
    uint64_t bias_length; /* Cout, or the length of a given bias tensor */
    enum tensor_format input_format, weight_format;
    enum tensor_format output_format; /* of a convolution that of the input */
    /* Lengths of the lists as they were written; a wrong one breaks rule 5. Axes that a short list
     * leaves out are 1 (stride, dilation) or 0 (padding) above; what is too much is dropped. */
    uint64_t stride_length, padding_length, dilation_length;
};

/* Fills out[] from the rest: (in + pads - dilation * (kernel - 1) - 1) / stride + 1, rounded down;
 * 0 when the kernel does not fit, INT64_MAX when the padded input is beyond 64 bits. */
void conv_derive(struct conv *conv);

/* Useful multiply-accumulates: batch * Cout * outputs * cin_group * kernel points, padding taps
 * included; 0 without outputs. The caller has checked with conv_macs_fit that the number fits. */
uint64_t conv_macs(const struct conv *conv);
bool conv_macs_fit(const struct conv *conv); /* below INT64_MAX */

/* Whether input, weight, bias and output together, channels padded to blocks as NC1HWC0 and
 * FRACTAL_Z do it, take fewer than INT64_MAX bytes. */
bool conv_bytes_fit(const struct conv *conv);

uint64_t conv_cout_group(const struct conv *conv);
uint64_t conv_c0(const struct conv *conv);              /* 32 / element bytes */
enum element conv_accumulator(const struct conv *conv); /* what L0C holds: int32 or fp32 */
uint64_t conv_cin_aligned(const struct conv *conv);     /* cin_group rounded up to C0 */
uint64_t conv_k(const struct conv *conv);               /* cin_aligned * Kh * Kw: K of one depth */
uint64_t conv_kernel_points(const struct conv *conv);   /* Kd * Kh * Kw; at most INT64_MAX */
/* Rows (or columns) of the padded input that n output positions along an axis span; 0 for 0. */
uint64_t conv_window(const struct conv *conv, enum axis axis, uint64_t outputs);

static inline uint64_t ceil_div(uint64_t value, uint64_t step)
{
    return value / step + (value % step != 0);
}

static inline uint64_t least(uint64_t left, uint64_t right)
{
    return left < right ? left : right;
}

static inline uint64_t align_up(uint64_t value, uint64_t step)
{
    return ceil_div(value, step) * step;
}

#endif
