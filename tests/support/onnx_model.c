#include "tests/support/onnx_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2, INT64 = 7 };

static void put_byte(struct bytes *bytes, unsigned int byte)
{
    assert_true(bytes->length < sizeof bytes->data);
    bytes->data[bytes->length++] = (uint8_t)byte;
}

static void put_varint(struct bytes *bytes, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        put_byte(bytes, (unsigned int)(number & 127) | 128);
    put_byte(bytes, (unsigned int)number);
}

static void put_number(struct bytes *bytes, unsigned int field, int64_t number)
{
    put_varint(bytes, field << 3 | WIRE_NUMBER);
    put_varint(bytes, (uint64_t)number);
}

static void put_bytes(struct bytes *bytes, unsigned int field, const void *data, size_t length)
{
    put_varint(bytes, field << 3 | WIRE_BYTES);
    put_varint(bytes, length);
    for (size_t i = 0; i < length; i++)
        put_byte(bytes, ((const uint8_t *)data)[i]);
}

static void put_text(struct bytes *bytes, unsigned int field, const char *text, size_t length)
{
    put_bytes(bytes, field, text, length);
}

static void put_part(struct bytes *bytes, unsigned int field, const struct bytes *part)
{
    put_bytes(bytes, field, part->data, part->length);
}

/* ValueInfoProto {name 1, type 2 {tensor_type 1 {elem_type 1, shape 2 {dim 1 {1, 2}}}}} */
static void put_value(struct onnx_model *model, unsigned int field, const char *name, int type,
                      const long *dim, size_t rank)
{
    static struct bytes shape, tensor, of_type, value;
    shape.length = tensor.length = of_type.length = value.length = 0;
    for (size_t i = 0; i < rank; i++) {
        struct bytes one = {.length = 0};
        if (dim[i] == 0)
            put_text(&one, 2, "N", 1);
        else
            put_number(&one, 1, dim[i]);
        put_part(&shape, 1, &one);
    }
    put_number(&tensor, 1, type);
    put_part(&tensor, 2, &shape);
    put_part(&of_type, 1, &tensor);
    put_text(&value, 1, name, strlen(name));
    put_part(&value, 2, &of_type);
    put_part(&model->graph, field, &value);
}

void model_input(struct onnx_model *model, const char *name, int type, const long *dim, size_t rank)
{
    put_value(model, 11, name, type, dim, rank);
}

void model_stated(struct onnx_model *model, const char *name, int type, const long *dim,
                  size_t rank)
{
    put_value(model, 13, name, type, dim, rank);
}

void model_weight(struct onnx_model *model, const char *name, int type, const long *dim,
                  size_t rank)
{
    static struct bytes tensor;
    tensor.length = 0;
    for (size_t i = 0; i < rank; i++)
        put_number(&tensor, 1, dim[i]);
    put_number(&tensor, 2, type);
    put_text(&tensor, 8, name, strlen(name));
    put_part(&model->graph, 5, &tensor);
}

void model_numbers(struct onnx_model *model, const char *name, const long *numbers, size_t count)
{
    static struct bytes tensor, raw;
    tensor.length = raw.length = 0;
    for (size_t i = 0; i < count; i++)
        for (unsigned int byte = 0; byte < 8; byte++)
            put_byte(&raw, (unsigned int)((uint64_t)numbers[i] >> 8 * byte & 255));
    put_number(&tensor, 1, (int64_t)count);
    put_number(&tensor, 2, INT64);
    put_text(&tensor, 8, name, strlen(name));
    put_part(&tensor, 9, &raw);
    put_part(&model->graph, 5, &tensor);
}

/* Each word of a list, "-" as an empty one. */
static void put_words(struct bytes *node, unsigned int field, const char *words)
{
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        put_text(node, field, words, length == 1 && *words == '-' ? 0 : length);
        words += length + strspn(words + length, " ");
    }
}

/* AttributeProto {name 1, i 3, s 4, ints 8, type 20} */
static void put_attribute(struct bytes *node, const char *text, size_t length)
{
    struct bytes attribute = {.length = 0};
    const char *value = memchr(text, '=', length);
    assert_non_null(value);
    put_text(&attribute, 1, text, (size_t)(value - text));
    value++;
    if (*value == '\'') {
        put_text(&attribute, 4, value + 1, strcspn(value + 1, "'"));
        put_number(&attribute, 20, 3);
    } else if (*value == '[') {
        for (char *at = NULL; *value != ']'; value = at) {
            put_number(&attribute, 8, strtoll(value + 1, &at, 10));
            assert_true(at > value + 1);
        }
        put_number(&attribute, 20, 7);
    } else {
        put_number(&attribute, 3, strtoll(value, NULL, 10));
        put_number(&attribute, 20, 2);
    }
    put_part(node, 5, &attribute);
}

void model_node(struct onnx_model *model, const char *operator_name, const char *name,
                const char *inputs, const char *outputs, const char *attributes)
{
    static struct bytes node;
    node.length = 0;
    put_words(&node, 1, inputs);
    put_words(&node, 2, outputs);
    put_text(&node, 3, name, strlen(name));
    put_text(&node, 4, operator_name, strlen(operator_name));
    while (*attributes != '\0') {
        size_t length = strcspn(attributes, " ");
        put_attribute(&node, attributes, length);
        attributes += length + strspn(attributes + length, " ");
    }
    put_part(&model->graph, 1, &node);
}

size_t model_bytes(const struct onnx_model *model, uint8_t *bytes, size_t size)
{
    static struct bytes whole;
    whole.length = 0;
    put_number(&whole, 1, 8);
    put_part(&whole, 7, &model->graph);
    assert_true(whole.length <= size);
    memcpy(bytes, whole.data, whole.length);
    return whole.length;
}
