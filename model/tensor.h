/*
 * Logical tensors, their moves to and from GM, and .npy files.
 *
 * A logical tensor is C order NCHW / OIHW (NCDHW / OIDHW; N C W for 1-D). The layout change between
 * it and GM happens outside simulated time; model/layout.h has the formulas.
 */
#ifndef CUBESIM_MODEL_TENSOR_H
#define CUBESIM_MODEL_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/element.h"
#include "model/conv.h"
#include "model/layout.h"

enum { TENSOR_RANK_MAX = 8 };

struct tensor {
    enum element element;
    uint32_t rank;
    uint64_t shape[TENSOR_RANK_MAX];
    uint64_t count; /* elements; INT64_MAX when they are that many or more */
    bool bias;      /* a vector of a convolution, see tensor_fill and npy_load */
    void *data;     /* raw codes, little-endian; 4-bit elements lie two in a byte, low half first */
};

/* A tensor of a shape; data NULL. */
void tensor_shape(struct tensor *tensor, enum element element, uint32_t rank,
                  const uint64_t shape[]);

/* Shapes of the logical input, weight, bias and output of a convolution; data NULL. */
void tensor_shape_input(const struct conv *conv, struct tensor *tensor);
void tensor_shape_weight(const struct conv *conv, struct tensor *tensor);
void tensor_shape_bias(const struct conv *conv, struct tensor *tensor);   /* fp32; int32 for int8 */
void tensor_shape_output(const struct conv *conv, struct tensor *tensor); /* out[] is at least 1 */

/* Room for data, zeroed. */
enum status tensor_take(struct tensor *tensor, struct arena *arena) MUST_CHECK;

/* A matrix, of rank 2 and elements of whole bytes, the other way round; turned has its shape, any
 * of as many elements, and gets data. The tensors of a matrix product in files are A (m x k), B (k
 * x n) and C (m x n); those of the convolution that stands for it lie the other way round. */
enum status tensor_transpose(const struct tensor *matrix, struct tensor *turned,
                             struct arena *arena) MUST_CHECK;

/* The streams of a convolution. */
enum data_stream { STREAM_INPUT = 1, STREAM_WEIGHT, STREAM_BIAS };

/* Small integers, exact in every type, from a seeded generator; stream tells tensors apart. Uniform
 * in -3..3, a bias in -15..15, so that sums stay exact in binary32 up to a K of 1.8 million;
 * unsigned types in 0..6, fp4_e1m2 in -1..1. An element depends on type, seed, stream and its index
 * only. Not for uint64, which holds quantisation words. */
void tensor_fill(struct tensor *tensor, uint64_t seed, uint64_t stream);

/* Bytes of a tensor in GM under its format (model/layout.h), and the moves. The room in GM has the
 * bytes of the tensor; packing writes all of them, padding as zeros. */
uint64_t layout_input_bytes(const struct conv *conv);
uint64_t layout_weight_bytes(const struct conv *conv);
uint64_t layout_bias_bytes(const struct conv *conv);
uint64_t layout_quant_bytes(const struct conv *conv); /* of a word for each channel */
uint64_t layout_output_bytes(const struct conv *conv);
void layout_input_pack(const struct conv *conv, const struct tensor *logical, void *gm);
void layout_weight_pack(const struct conv *conv, const struct tensor *logical, void *gm);
void layout_bias_pack(const struct conv *conv, const struct tensor *logical, void *gm);
void layout_quant_pack(const struct conv *conv, void *gm); /* conversion_word of each channel */
void layout_output_unpack(const struct conv *conv, const void *gm, struct tensor *logical);

/*
 * .npy, format 1 to 3, C order, little-endian. bf16, 8-bit and 4-bit floats are stored as raw
 * unsigned codes; 4-bit types take a byte per element, int4 as int8.
 *
 * npy_load checks shape and type against *tensor and takes its data from the arena. A file that is
 * missing or whose magic, version, header, type, order, shape or length is not as expected gives
 * BAD_INPUT, a file that cannot be read IO. A bias of fp32 accepts float16. Problems are told at a
 * place of a file that names this one, or at the file itself (place_none).
 *
 * npy_save writes version 1.0 under another name in the same folder and renames it, so that no
 * part of a file is ever seen; what is no regular file (a device, a link) is written in place.
 */
enum status npy_load(const char *path, struct place place, struct tensor *tensor,
                     struct arena *arena, struct diag *diag) MUST_CHECK;
enum status npy_save(const char *path, struct place place, const struct tensor *tensor,
                     struct diag *diag) MUST_CHECK;

#endif
