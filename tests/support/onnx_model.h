/*
 * Writes ONNX models byte by byte, as protocol buffers have them, so that no model lies in git.
 *
 *     struct onnx_model model = {0};
 *     model_input(&model, "x", 1, (long[]){1, 3, 8, 8}, 4);
 *     model_weight(&model, "w", 1, (long[]){16, 3, 3, 3}, 4);
 *     model_node(&model, "Conv", "conv1", "x w", "y", "pads=1,1,1,1 group=1 auto_pad='VALID'");
 *     size_t length = model_bytes(&model, bytes, sizeof bytes);
 */
#ifndef CUBESIM_TESTS_SUPPORT_ONNX_MODEL_H
#define CUBESIM_TESTS_SUPPORT_ONNX_MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_BYTES_MAX = 16384 };

struct bytes {
    uint8_t data[MODEL_BYTES_MAX];
    size_t length;
};

struct onnx_model {
    struct bytes graph;
};

/* type: number of TensorProto.DataType. An axis of 0 has a name in place of a number. */
void model_input(struct onnx_model *model, const char *name, int type, const long *dim,
                 size_t rank);
/* value_info of a value inside. */
void model_stated(struct onnx_model *model, const char *name, int type, const long *dim,
                  size_t rank);
/* An initializer without its numbers. */
void model_weight(struct onnx_model *model, const char *name, int type, const long *dim,
                  size_t rank);
/* An initializer of type int64 with one axis, its numbers as raw data. */
void model_numbers(struct onnx_model *model, const char *name, const long *numbers, size_t count);
/* inputs and outputs are separated by spaces, "-" stands for one that is left out; attributes are
 * NAME=NUMBER, NAME=[N,N,...] or NAME='TEXT'. */
void model_node(struct onnx_model *model, const char *operator_name, const char *name,
                const char *inputs, const char *outputs, const char *attributes);
/* The whole model; fails the test when it is too long. */
size_t model_bytes(const struct onnx_model *model, uint8_t *bytes, size_t size);

#endif
