#include "model/tensor.h"

#include <assert.h>
#include <string.h>

#include "model/saturate.h"

#define GOLDEN_GAMMA UINT64_C(0x9E3779B97F4A7C15)

enum { FILL_DATA_MAX = 3, FILL_BIAS_MAX = 15 };

void tensor_shape(struct tensor *tensor, enum element element, uint32_t rank,
                  const uint64_t shape[])
{
    assert(rank >= 1 && rank <= TENSOR_RANK_MAX);
    *tensor = (struct tensor){.element = element, .rank = rank, .count = 1};
    for (uint32_t i = 0; i < rank; i++) {
        tensor->shape[i] = shape[i];
        tensor->count = saturate_mul(tensor->count, shape[i]);
    }
}

/* Two leading dimensions and those of the last conv->rank axes. */
static void tensor_shape_spatial(const struct conv *conv, enum element element,
                                 const uint64_t lead[2], const uint64_t axes[AXIS_COUNT],
                                 struct tensor *tensor)
{
    uint64_t shape[2 + AXIS_COUNT] = {lead[0], lead[1]};
    assert(conv->rank >= 1 && conv->rank <= AXIS_COUNT);
    for (uint32_t i = 0; i < conv->rank; i++) {
        shape[2 + i] = axes[AXIS_COUNT - conv->rank + i];
    }
    tensor_shape(tensor, element, 2 + conv->rank, shape);
}

void tensor_shape_input(const struct conv *conv, struct tensor *tensor)
{
    tensor_shape_spatial(conv, conv->dtype, (uint64_t[]){conv->batch, conv->cin}, conv->in, tensor);
}

void tensor_shape_weight(const struct conv *conv, struct tensor *tensor)
{
    tensor_shape_spatial(conv, conv->dtype, (uint64_t[]){conv->cout, conv->cin_group}, conv->kernel,
                         tensor);
}

void tensor_shape_bias(const struct conv *conv, struct tensor *tensor)
{
    enum element element = element_is_integer(conv->dtype) ? ELEMENT_INT32 : ELEMENT_FP32;
    tensor_shape(tensor, element, 1, &conv->cout);
    tensor->bias = true;
}

void tensor_shape_output(const struct conv *conv, struct tensor *tensor)
{
    uint64_t out[AXIS_COUNT];
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        assert(conv->out[axis] >= 1);
        out[axis] = (uint64_t)conv->out[axis];
    }
    tensor_shape_spatial(conv, conv->out_dtype, (uint64_t[]){conv->batch, conv->cout}, out, tensor);
}

enum status tensor_take(struct tensor *tensor, struct arena *arena)
{
    uint32_t bits = element_bits(tensor->element);
    tensor->data = bits < 8
                       ? arena_take(arena, element_array_bytes(tensor->element, tensor->count), 1)
                       : arena_take(arena, tensor->count, bits / 8);
    return tensor->data == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status tensor_transpose(const struct tensor *matrix, struct tensor *turned,
                             struct arena *arena)
{
    assert(matrix->rank == 2 && matrix->count == turned->count);
    assert(matrix->element == turned->element && element_bits(matrix->element) >= 8);
    const size_t size = element_bytes(matrix->element);
    const uint64_t rows = matrix->shape[0], columns = matrix->shape[1];
    enum status status = tensor_take(turned, arena);
    for (uint64_t row = 0; status == STATUS_OK && row < rows; row++) {
        const uint8_t *from = (const uint8_t *)matrix->data + row * columns * size;
        uint8_t *to = (uint8_t *)turned->data + row * size;
        for (uint64_t column = 0; column < columns; column++) {
            memcpy(to + column * rows * size, from + column * size, size);
        }
    }
    return status;
}

/* The output function of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint32_t code_of_integer(enum element element, int32_t value)
{
    if (element_is_integer(element)) {
        return element_encode_integer(element, value);
    }
    return element_encode(element, (float)value, true);
}

/* Whether a type has all integers from low on, so many. */
static bool integers_are_exact(enum element element, int32_t low, int32_t count)
{
    for (int32_t value = low; value < low + count; value++) {
        if (element_decode(element, code_of_integer(element, value)) != (double)value) {
            return false;
        }
    }
    return true;
}

void tensor_fill(struct tensor *tensor, uint64_t seed, uint64_t stream)
{
    enum element element = tensor->element;
    bool negative = element_is_signed(element);
    uint32_t code[2 * FILL_BIAS_MAX + 1];
    int32_t high = tensor->bias ? FILL_BIAS_MAX : FILL_DATA_MAX;
    while (!integers_are_exact(element, negative ? -high : 0, 2 * high + 1)) {
        high--;
    }
    uint64_t values = (uint64_t)(2 * high + 1);
    for (int32_t index = 0; index <= 2 * high; index++) {
        code[index] = code_of_integer(element, negative ? index - high : index);
    }
    uint64_t state = mix(mix(seed + GOLDEN_GAMMA) + (stream + 1) * GOLDEN_GAMMA);
    for (uint64_t i = 0; i < tensor->count; i++) {
        state += GOLDEN_GAMMA;
        element_store(element, tensor->data, i, code[((mix(state) >> 32) * values) >> 32]);
    }
}
