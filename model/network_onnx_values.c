#include <string.h>

#include "model/network_onnx.h"

/* FNV-1a. */
static uint64_t name_hash(const char *name)
{
    uint64_t hash = 14695981039346656037ULL;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211ULL;
    return hash;
}

/* The slot where a name stands or would stand; there is always an empty one. */
static struct onnx_value **slot_find(struct onnx_value **slot, size_t capacity, const char *name)
{
    size_t at = (size_t)name_hash(name) & (capacity - 1);
    while (slot[at] != NULL && strcmp(slot[at]->name, name) != 0)
        at = (at + 1) & (capacity - 1);
    return &slot[at];
}

struct onnx_value *onnx_value_find(const struct onnx_values *values, const char *name)
{
    return values->capacity == 0 ? NULL : *slot_find(values->slot, values->capacity, name);
}

static bool values_grow(struct onnx_values *values, struct arena *arena)
{
    size_t wanted = values->capacity == 0 ? 256 : 2 * values->capacity;
    struct onnx_value **grown = arena_take(arena, wanted, sizeof(struct onnx_value *));
    if (grown == NULL)
        return false;
    for (size_t i = 0; i < values->capacity; i++)
        if (values->slot[i] != NULL)
            *slot_find(grown, wanted, values->slot[i]->name) = values->slot[i];
    values->slot = grown;
    values->capacity = wanted;
    return true;
}

struct onnx_value *onnx_value_make(struct onnx_values *values, const char *name,
                                   struct arena *arena)
{
    struct onnx_value *value = onnx_value_find(values, name);
    if (value != NULL)
        return value;
    if (2 * (values->count + 1) > values->capacity && !values_grow(values, arena))
        return NULL;
    value = arena_take(arena, 1, sizeof *value);
    if (value == NULL)
        return NULL;
    value->name = name;
    *slot_find(values->slot, values->capacity, name) = value;
    values->count++;
    return value;
}

/* ---- nodes ---- */

const char *onnx_input_name(const Onnx__NodeProto *node, size_t index)
{
    return index < node->n_input && node->input[index] != NULL ? node->input[index] : "";
}

bool onnx_has_input(const Onnx__NodeProto *node, size_t index)
{
    return *onnx_input_name(node, index) != '\0';
}

const struct onnx_value *onnx_input(const struct onnx_reader *onnx, const Onnx__NodeProto *node,
                                    size_t index)
{
    const char *name = onnx_input_name(node, index);
    const struct onnx_value *value = onnx_value_find(&onnx->known, name);
    if (value == NULL || !value->has_shape)
        value = onnx_value_find(&onnx->stated, name);
    return value != NULL && value->has_shape ? value : NULL;
}

const Onnx__AttributeProto *onnx_attribute(const Onnx__NodeProto *node, const char *name)
{
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->name != NULL && strcmp(node->attribute[i]->name, name) == 0)
            return node->attribute[i];
    return NULL;
}

int64_t onnx_whole(const Onnx__NodeProto *node, const char *name, int64_t missing)
{
    const Onnx__AttributeProto *attribute = onnx_attribute(node, name);
    return attribute != NULL && attribute->has_i ? attribute->i : missing;
}

bool onnx_text_is(const Onnx__NodeProto *node, const char *name, const char *text)
{
    const Onnx__AttributeProto *attribute = onnx_attribute(node, name);
    size_t length = strlen(text);
    return attribute != NULL && attribute->has_s && attribute->s.len == length &&
           memcmp(attribute->s.data, text, length) == 0;
}

static bool shape_take(struct onnx_value *value, size_t rank, const int64_t *dim)
{
    if (rank > ONNX_RANK_MAX)
        return false;
    for (size_t i = 0; i < rank; i++)
        if (dim[i] < 1 || dim[i] > INT32_MAX)
            return false;
    if (rank > 0)
        memcpy(value->dim, dim, rank * sizeof *dim);
    value->rank = rank;
    value->has_shape = true;
    return true;
}

void onnx_output(struct onnx_reader *onnx, const Onnx__NodeProto *node, size_t index, int32_t type,
                 size_t rank, const int64_t *dim)
{
    if (index >= node->n_output || node->output[index] == NULL)
        return;
    struct onnx_value *value =
        onnx_value_make(&onnx->known, node->output[index], onnx->reader->arena);
    if (value == NULL) {
        network_no_memory(onnx->reader);
        return;
    }
    value->type = type;
    (void)shape_take(value, rank, dim);
}

/* ---- tensors ---- */

/* Little-endian numbers of 4 or 8 bytes. */
static int64_t raw_number(const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = size; i > 0; i--)
        number = number << 8 | bytes[i - 1];
    return size == 8 ? (int64_t)number : (int64_t)(int32_t)(uint32_t)number;
}

static void take_data(struct onnx_value *value, const Onnx__TensorProto *tensor, size_t count)
{
    size_t size = tensor->data_type == ONNX_INT64 ? 8 : 4;
    bool raw = tensor->has_raw_data && tensor->raw_data.len == count * size;
    bool wide = tensor->data_type == ONNX_INT64 && tensor->n_int64_data == count;
    bool narrow = tensor->data_type == ONNX_INT32 && tensor->n_int32_data == count;
    if (!raw && !wide && !narrow)
        return;
    for (size_t i = 0; i < count; i++)
        value->data[i] = raw    ? raw_number(tensor->raw_data.data + i * size, size)
                         : wide ? tensor->int64_data[i]
                                : tensor->int32_data[i];
    value->data_count = count;
    value->has_data = true;
}

void onnx_take_tensor(struct onnx_value *value, const Onnx__TensorProto *tensor)
{
    value->type = tensor->data_type;
    bool whole = tensor->data_type == ONNX_INT64 || tensor->data_type == ONNX_INT32;
    if (!shape_take(value, tensor->n_dims, tensor->dims) || !whole || value->rank > 1)
        return;
    size_t count = value->rank == 0 ? 1 : (size_t)value->dim[0];
    if (count <= ONNX_DATA_MAX)
        take_data(value, tensor, count);
}

/* ---- windows ---- */

/* A list of numbers, one for each axis or for each end of it; 1 or 0 where there is none. */
static bool list_read(const Onnx__NodeProto *node, const char *name, size_t count, int64_t least,
                      int64_t *values)
{
    const Onnx__AttributeProto *list = onnx_attribute(node, name);
    for (size_t i = 0; i < count; i++)
        values[i] = least;
    if (list == NULL || list->n_ints == 0)
        return true;
    for (size_t i = 0; i < count && list->n_ints == count; i++) {
        values[i] = list->ints[i];
        if (values[i] < least || values[i] > INT32_MAX)
            return false;
    }
    return list->n_ints == count;
}

/* SAME: as many outputs as ceil(input / stride); the odd one goes to the end, or to the head. */
static void pad_same(struct onnx_window *window, const struct onnx_value *input, bool upper)
{
    for (size_t axis = 0; axis < window->rank; axis++) {
        int64_t in = input->dim[2 + axis], stride = window->stride[axis];
        int64_t outputs = (in + stride - 1) / stride;
        int64_t span = window->dilation[axis] * (window->kernel[axis] - 1) + 1;
        int64_t pads = (outputs - 1) * stride + span - in;
        pads = pads > 0 ? pads : 0;
        window->pad_head[axis] = upper ? pads / 2 : pads - pads / 2;
        window->pad_tail[axis] = pads - window->pad_head[axis];
    }
}

const char *onnx_window_read(const Onnx__NodeProto *node, const struct onnx_value *input,
                             struct onnx_window *window)
{
    int64_t pads[6] = {0};
    size_t rank = window->rank;
    bool upper = onnx_text_is(node, "auto_pad", "SAME_UPPER");
    if (!list_read(node, "strides", rank, 1, window->stride) ||
        !list_read(node, "dilations", rank, 1, window->dilation))
        return "its strides or dilations are none";
    if (!list_read(node, "pads", 2 * rank, 0, pads))
        return "its pads are none, or below 0";
    for (size_t axis = 0; axis < rank; axis++) {
        window->pad_head[axis] = pads[axis];
        window->pad_tail[axis] = pads[rank + axis];
    }
    if (upper || onnx_text_is(node, "auto_pad", "SAME_LOWER"))
        pad_same(window, input, upper);
    else if (onnx_text_is(node, "auto_pad", "VALID"))
        memset(window->pad_head, 0, sizeof window->pad_head),
            memset(window->pad_tail, 0, sizeof window->pad_tail);
    for (size_t axis = 0; axis < rank; axis++) {
        int64_t span = window->dilation[axis] * (window->kernel[axis] - 1) + 1;
        int64_t room = input->dim[2 + axis] + window->pad_head[axis] + window->pad_tail[axis];
        int64_t left = room - span, stride = window->stride[axis];
        bool up = onnx_whole(node, "ceil_mode", 0) != 0;
        if (left < 0)
            return "its kernel does not fit into its input";
        window->out[axis] = (left + (up ? stride - 1 : 0)) / stride + 1;
    }
    return NULL;
}
