/*
 * Shapes of the values of an ONNX graph, and what its operators make of them. Private to
 * model/network_onnx*.c.
 */
#ifndef CUBESIM_MODEL_NETWORK_ONNX_H
#define CUBESIM_MODEL_NETWORK_ONNX_H

#include <onnx.pb-c.h>

#include "model/network_reader.h"

enum { ONNX_RANK_MAX = 8, ONNX_DATA_MAX = 8 };

/* Numbers of TensorProto.DataType. */
enum onnx_type {
    ONNX_FLOAT = 1,
    ONNX_UINT8 = 2,
    ONNX_INT8 = 3,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_FLOAT16 = 10,
    ONNX_BFLOAT16 = 16,
    ONNX_FLOAT8E4M3FN = 17,
    ONNX_FLOAT8E5M2 = 19
};

struct onnx_value {
    const char *name;
    int32_t type; /* enum onnx_type or another one; 0: not known */
    bool has_shape;
    size_t rank;                /* up to ONNX_RANK_MAX */
    int64_t dim[ONNX_RANK_MAX]; /* 1..INT32_MAX */
    bool has_data;              /* a list of whole numbers, such as the shape of a Reshape */
    size_t data_count;
    int64_t data[ONNX_DATA_MAX];
};

/* Values by name. */
struct onnx_values {
    struct onnx_value **slot; /* open addressing */
    size_t capacity, count;
};

struct onnx_reader {
    struct network_reader *reader;
    struct onnx_values known;  /* as far as they are inferred */
    struct onnx_values stated; /* by value_info */
};

/* The value of a name, made when there is none; NULL without memory. */
struct onnx_value *onnx_value_make(struct onnx_values *values, const char *name,
                                   struct arena *arena);
/* NULL when there is none. */
struct onnx_value *onnx_value_find(const struct onnx_values *values, const char *name);

/* Input of a node with its shape, inferred or else stated; NULL when that is not known. */
const struct onnx_value *onnx_input(const struct onnx_reader *onnx, const Onnx__NodeProto *node,
                                    size_t index);
/* Whether a node has an input, and its name or "". */
bool onnx_has_input(const Onnx__NodeProto *node, size_t index);
const char *onnx_input_name(const Onnx__NodeProto *node, size_t index);

const Onnx__AttributeProto *onnx_attribute(const Onnx__NodeProto *node, const char *name);
int64_t onnx_whole(const Onnx__NodeProto *node, const char *name, int64_t missing);
bool onnx_text_is(const Onnx__NodeProto *node, const char *name, const char *text);

/* Gives a shape (and type) to an output of a node. Does nothing when a dimension is out of range.
 */
void onnx_output(struct onnx_reader *onnx, const Onnx__NodeProto *node, size_t index, int32_t type,
                 size_t rank, const int64_t *dim);

/* Windows of a convolution or pool along the spatial axes of a value. */
struct onnx_window {
    size_t rank; /* spatial axes: 1..3 */
    int64_t kernel[3], stride[3], dilation[3], pad_head[3], pad_tail[3];
    int64_t out[3];
};

/* Reads strides, dilations, pads and auto_pad; kernel has been filled. NULL when all is well, else
 * what is wrong. */
const char *onnx_window_read(const Onnx__NodeProto *node, const struct onnx_value *input,
                             struct onnx_window *window);

/* What an operator that is no layer makes of its inputs, if it is one of those that are known. */
void onnx_infer(struct onnx_reader *onnx, const Onnx__NodeProto *node);

/* Fills value from a tensor: its shape, and its numbers when they are few. */
void onnx_take_tensor(struct onnx_value *value, const Onnx__TensorProto *tensor);

#endif
