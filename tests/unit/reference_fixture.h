/*
 * A small convolution with its tensors, for the tests of model/reference.c.
 */
#ifndef CUBESIM_TESTS_UNIT_REFERENCE_FIXTURE_H
#define CUBESIM_TESTS_UNIT_REFERENCE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/reference.h"

struct bench {
    struct arena arena;
    struct conv conv;
    uint64_t k_step; /* bench_start: all of a kernel depth */
    struct tensor input, weight, bias, output;
};

static inline uint32_t code_of(enum element element, double value)
{
    return element_is_integer(element) ? (uint32_t)(int32_t)value
                                       : element_encode(element, (float)value, false);
}

static inline void set(struct tensor *tensor, uint64_t index, double value)
{
    element_store(tensor->element, tensor->data, index, code_of(tensor->element, value));
}

static inline double get(const struct tensor *tensor, uint64_t index)
{
    return element_decode(tensor->element, element_load(tensor->element, tensor->data, index));
}

static inline void set_all(struct tensor *tensor, double value)
{
    for (uint64_t i = 0; i < tensor->count; i++) {
        set(tensor, i, value);
    }
}

/* One image of one group; the caller may change the convolution before bench_start. */
static inline struct conv conv_plain(uint64_t cin, uint64_t cout, uint64_t h, uint64_t w,
                                     uint64_t k)
{
    return (struct conv){
        .rank = 2,
        .batch = 1,
        .cin = cin,
        .cout = cout,
        .cin_group = cin,
        .groups = 1,
        .in = {1, h, w},
        .kernel = {1, k, k},
        .stride = {1, 1, 1},
        .dilation = {1, 1, 1},
        .dtype = ELEMENT_FP16,
        .out_dtype = ELEMENT_FP32,
    };
}

static inline void bench_start(struct bench *bench, const struct conv *conv)
{
    *bench = (struct bench){.conv = *conv};
    conv_derive(&bench->conv);
    bench->k_step = conv_k(&bench->conv);
    bench->conv.bias_length = bench->conv.cout;
    arena_init(&bench->arena, 0);
    tensor_shape_input(&bench->conv, &bench->input);
    tensor_shape_weight(&bench->conv, &bench->weight);
    tensor_shape_bias(&bench->conv, &bench->bias);
    assert_int_equal(tensor_take(&bench->input, &bench->arena), STATUS_OK);
    assert_int_equal(tensor_take(&bench->weight, &bench->arena), STATUS_OK);
    assert_int_equal(tensor_take(&bench->bias, &bench->arena), STATUS_OK);
}

static inline void bench_run(struct bench *bench)
{
    assert_int_equal(reference_conv(&bench->conv, bench->k_step, &bench->input, &bench->weight,
                                    bench->conv.bias ? &bench->bias : NULL, &bench->output,
                                    &bench->arena),
                     STATUS_OK);
}

static inline void bench_end(struct bench *bench)
{
    arena_deinit(&bench->arena);
}

#endif
