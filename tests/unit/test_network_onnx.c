/*
 * ONNX models as networks: operators, shapes between them, and bytes that are no model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/network.h"
#include "tests/support/onnx_model.h"
#include "tests/support/splitmix.h"

enum { FLOAT = 1, UINT8 = 2, INT8 = 3, FLOAT16 = 10, DOUBLE = 11 };

#define DIM(...) (const long[]){__VA_ARGS__}, sizeof((const long[]){__VA_ARGS__}) / sizeof(long)

static struct onnx_model model;
static uint8_t bytes[MODEL_BYTES_MAX];
static struct arena arena;
static struct diag diag;
static struct network network;
static const struct network_options as_written;

static int begin(void **state)
{
    (void)state;
    memset(&model, 0, sizeof model);
    arena_init(&arena, 0);
    diag_init(&diag);
    return 0;
}

static int end(void **state)
{
    (void)state;
    diag_deinit(&diag);
    arena_deinit(&arena);
    return 0;
}

static enum status read_bytes(size_t length, const struct network_options *options)
{
    return network_read("net.onnx", (const char *)bytes, length, options, &arena, &diag, &network);
}

static void read_model(const struct network_options *options)
{
    if (read_bytes(model_bytes(&model, bytes, sizeof bytes), options) != STATUS_OK)
        fail_msg("%s", diag_text(&diag, 0));
}

static const char *plan_of(const char *name)
{
    for (size_t i = 0; i < network.layer_count; i++)
        if (strcmp(network.layers[i].name, name) == 0)
            return network.distinct[network.layers[i].distinct].plan;
    fail_msg("no layer %s", name);
    return NULL;
}

static void assert_plan(const char *name, const char *part)
{
    if (strstr(plan_of(name), part) == NULL)
        fail_msg("'%s' is not in the plan of %s:\n%s", part, name, plan_of(name));
}

static void assert_skipped(const char *name, const char *what, const char *reason)
{
    for (size_t i = 0; i < network.skipped_count; i++)
        if (strcmp(network.skipped[i].name, name) == 0) {
            assert_string_equal(network.skipped[i].what, what);
            if (strstr(network.skipped[i].reason, reason) == NULL)
                fail_msg("'%s' is not in '%s'", reason, network.skipped[i].reason);
            return;
        }
    fail_msg("%s is not skipped", name);
}

static void a_convolution_has_its_shape_type_and_attributes(void **state)
{
    (void)state;
    model_input(&model, "x", FLOAT16, DIM(2, 8, 20, 21));
    model_weight(&model, "w", FLOAT16, DIM(12, 2, 3, 5));
    model_weight(&model, "b", FLOAT16, DIM(12));
    model_node(&model, "Conv", "c", "x w b", "y",
               "kernel_shape=[3,5] strides=[2,3] dilations=[1,2] pads=[1,2,0,4] group=4");
    read_model(&as_written);
    assert_int_equal(network.format, NETWORK_ONNX);
    assert_string_equal(plan_of("c"),
                        "conv: {input: [2, 8, 20, 21], weight: [12, 2, 3, 5],\n"
                        "       stride: [2, 3], padding: [1, 0, 2, 4], dilation: [1, 2], "
                        "groups: 4,\n       dtype: fp16, bias: true}\n");
}

static void convolutions_have_one_to_three_axes(void **state)
{
    (void)state;
    model_input(&model, "x", FLOAT, DIM(1, 4, 30));
    model_input(&model, "v", FLOAT, DIM(1, 4, 5, 6, 7));
    model_input(&model, "z", FLOAT, DIM(1, 4, 2, 2, 2, 2));
    model_weight(&model, "w1", FLOAT, DIM(8, 4, 3));
    model_weight(&model, "w3", FLOAT, DIM(8, 4, 1, 2, 3));
    model_weight(&model, "w4", FLOAT, DIM(8, 4, 1, 1, 1, 1));
    model_node(&model, "Conv", "one", "x w1", "y1", "pads=[1,2]");
    model_node(&model, "Conv", "three", "v w3", "y3", "pads=[0,1,2,3,4,5] strides=[1,2,3]");
    model_node(&model, "Conv", "four", "z w4", "y4", "");
    read_model(&as_written);
    assert_plan("one",
                "input: [1, 4, 30], weight: [8, 4, 3],\n       stride: [1], padding: [1, 2]");
    assert_plan("three", "stride: [1, 2, 3], padding: [0, 3, 1, 4, 2, 5]");
    assert_skipped("four", "Conv", "one, two or three axes");
}

/* The odd row of SAME_UPPER goes to the end: 14 rows, kernel 3, stride 2 are padded by 0 and 1. */
static void auto_pad_gives_its_padding(void **state)
{
    (void)state;
    model_input(&model, "x", FLOAT, DIM(1, 20, 14, 14));
    model_weight(&model, "w", FLOAT, DIM(20, 20, 3, 3));
    model_node(&model, "Conv", "upper", "x w", "a", "strides=[2,2] auto_pad='SAME_UPPER'");
    model_node(&model, "Conv", "lower", "x w", "b", "strides=[2,2] auto_pad='SAME_LOWER'");
    model_node(&model, "Conv", "valid", "x w", "c", "strides=[2,2] auto_pad='VALID'");
    read_model(&as_written);
    assert_plan("upper", "padding: [0, 1, 0, 1]");
    assert_plan("lower", "padding: [1, 0, 1, 0]");
    assert_plan("valid", "padding: [0, 0, 0, 0]");
    assert_int_equal(network.layers[0].conv.out[AXIS_H], 7);
    assert_int_equal(network.layers[2].conv.out[AXIS_H], 6);
}

static void shapes_pass_through_the_operators_between_layers(void **state)
{
    (void)state;
    model_input(&model, "x", FLOAT, DIM(1, 3, 32, 34));
    model_weight(&model, "w", FLOAT, DIM(8, 3, 3, 3));
    model_weight(&model, "scale", FLOAT, DIM(8));
    model_weight(&model, "w2", FLOAT, DIM(6, 16, 1, 1));
    model_weight(&model, "fc", FLOAT, DIM(10, 48));
    model_weight(&model, "fcb", FLOAT, DIM(10));
    model_node(&model, "Conv", "c1", "x w", "y", "pads=[1,1,1,1]");
    model_node(&model, "BatchNormalization", "bn", "y scale scale scale scale", "n", "");
    model_node(&model, "Relu", "r", "n", "a", "");
    model_node(&model, "MaxPool", "p", "a", "q", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]");
    model_node(&model, "Concat", "cat", "q q", "z", "axis=1");
    model_node(&model, "Conv", "c2", "z w2", "u", "");
    model_numbers(&model, "shape", (const long[]){0, -1, 4, 17}, 4);
    model_node(&model, "Reshape", "rs", "u shape", "v", "");
    model_node(&model, "Transpose", "t", "v", "tt", "perm=[0,2,3,1]");
    model_weight(&model, "w3", FLOAT, DIM(5, 4, 17, 1));
    model_node(&model, "Conv", "c3", "tt w3", "c3y", "");
    model_node(&model, "AveragePool", "ap", "u", "apy",
               "kernel_shape=[4,4] strides=[6,6] ceil_mode=1");
    model_weight(&model, "w4", FLOAT, DIM(7, 6, 1, 3));
    model_node(&model, "Conv", "c4", "apy w4", "c4y", "");
    model_node(&model, "GlobalAveragePool", "gap", "z", "g", "");
    model_node(&model, "Concat", "cat2", "g g g", "g3", "axis=-3");
    model_node(&model, "Flatten", "f", "g3", "flat", "");
    model_node(&model, "Gemm", "fc", "flat fc fcb", "out", "transB=1");
    read_model(&as_written);
    assert_plan("c2", "input: [1, 16, 16, 17], weight: [6, 16, 1, 1]");
    assert_plan("c3", "input: [1, 4, 17, 24], weight: [5, 4, 17, 1]");
    assert_plan("c4", "input: [1, 6, 3, 4], weight: [7, 6, 1, 3]");
    assert_string_equal(plan_of("fc"), "matmul: {m: 1, n: 10, k: 48, dtype: fp32, bias: true}\n");
    assert_skipped("Relu", "1 node", "neither a convolution nor a matrix product");
    assert_skipped("Concat", "2 nodes", "neither");
}

static void products_follow_their_axes(void **state)
{
    (void)state;
    model_input(&model, "a", FLOAT16, DIM(2, 7, 30));
    model_input(&model, "q", FLOAT16, DIM(2, 12, 7, 64));
    model_input(&model, "k", FLOAT16, DIM(1, 12, 64, 9));
    model_input(&model, "t", FLOAT16, DIM(30, 5));
    model_weight(&model, "b", FLOAT16, DIM(30, 11));
    model_node(&model, "MatMul", "linear", "a b", "y", "");
    model_node(&model, "MatMul", "scores", "q k", "s", "");
    model_node(&model, "Gemm", "turned", "t b", "g", "transA=1");
    model_node(&model, "MatMul", "wrong", "b a", "w", "");
    read_model(&as_written);
    assert_string_equal(plan_of("linear"),
                        "matmul: {m: 14, n: 11, k: 30, dtype: fp16, bias: false}\n");
    assert_string_equal(plan_of("scores"),
                        "matmul: {m: 7, n: 9, k: 64, dtype: fp16, bias: false}\n");
    assert_int_equal(network.layers[1].count, 24);
    assert_string_equal(plan_of("turned"),
                        "matmul: {m: 5, n: 11, k: 30, dtype: fp16, bias: false}\n");
    assert_skipped("wrong", "MatMul", "no matrices that fit");
}

static void quantized_convolutions_are_int8(void **state)
{
    (void)state;
    model_input(&model, "x", UINT8, DIM(1, 32, 9, 9));
    model_weight(&model, "w", INT8, DIM(16, 32, 3, 3));
    model_weight(&model, "s", FLOAT, DIM(1));
    model_weight(&model, "z", UINT8, DIM(1));
    model_weight(&model, "bias", 6, DIM(16));
    model_weight(&model, "w2", INT8, DIM(8, 16, 3, 3));
    model_node(&model, "ConvInteger", "ci", "x w z", "y", "");
    model_node(&model, "QLinearConv", "qc", "x s z w s z s z bias", "u", "");
    model_node(&model, "QLinearConv", "qc2", "u s z w2 s z s z", "v", "");
    read_model(&as_written);
    assert_plan("ci", "dtype: int8, bias: false");
    assert_plan("qc", "dtype: int8, out_dtype: int8, quant: {scale: 1}, bias: true");
    assert_plan("qc2", "input: [1, 16, 7, 7]");
}

static void what_cannot_be_read_is_skipped_with_its_reason(void **state)
{
    (void)state;
    model_input(&model, "x", FLOAT, DIM(1, 4, 8, 8));
    model_input(&model, "d", DOUBLE, DIM(1, 4, 8, 8));
    model_weight(&model, "w", FLOAT, DIM(4, 4, 3, 3));
    model_weight(&model, "big", FLOAT, DIM(4, 4, 9, 9));
    model_node(&model, "Conv", "good", "x w", "y", "");
    model_node(&model, "NonZero", "nz", "y", "hidden", "");
    model_node(&model, "Conv", "lost", "hidden w", "y2", "");
    model_node(&model, "Conv", "double", "d w", "y3", "");
    model_node(&model, "Conv", "large", "x big", "y4", "");
    model_node(&model, "Conv", "groups", "x w", "y5", "group=3");
    model_node(&model, "Conv", "pads", "x w", "y6", "pads=[-1,0,0,0]");
    model_node(&model, "Conv", "kernel", "x w", "y7", "kernel_shape=[3,2]");
    model_node(&model, "ConvTranspose", "up", "x w", "y8", "");
    read_model(&as_written);
    assert_int_equal(network.layer_count, 1);
    assert_skipped("lost", "Conv", "the shape of its input 'hidden' is not known");
    assert_skipped("double", "Conv", "type (number 11 of ONNX) is not modelled");
    assert_skipped("large", "Conv", "kernel does not fit");
    assert_skipped("groups", "Conv", "do not agree");
    assert_skipped("pads", "Conv", "below 0");
    assert_skipped("kernel", "Conv", "kernel_shape");
    assert_skipped("ConvTranspose", "1 node", "transposed convolutions are not modelled");
}

static void stated_shapes_and_an_open_batch_are_used(void **state)
{
    (void)state;
    model_input(&model, "x", FLOAT, DIM(0, 4, 8, 8));
    model_weight(&model, "w", FLOAT, DIM(6, 4, 3, 3));
    model_weight(&model, "w2", FLOAT, DIM(2, 6, 1, 1));
    model_stated(&model, "up", FLOAT, DIM(1, 6, 12, 13));
    model_node(&model, "Conv", "a", "x w", "y", "");
    model_node(&model, "Resize", "r", "y", "up", "");
    model_node(&model, "Conv", "b", "up w2", "z", "");
    read_model(&as_written);
    assert_plan("a", "input: [1, 4, 8, 8]");
    assert_plan("b", "input: [1, 6, 12, 13]");
    assert_non_null(strstr(network.notes[0], "leaves the batch open"));
    const struct network_options eight = {.batch = 8, .dtype_given = true, .dtype = ELEMENT_BF16};
    read_model(&eight);
    assert_plan("a", "input: [8, 4, 8, 8]");
    assert_plan("a", "dtype: bf16");
    assert_skipped("b", "Conv", "the shape of its input 'up' is not known");
}

static void bytes_that_are_no_model_are_refused(void **state)
{
    (void)state;
    memcpy(bytes, "layer,m,n,k\n", 12);
    assert_int_equal(read_bytes(12, &as_written), STATUS_BAD_INPUT);
    assert_non_null(strstr(diag_text(&diag, 0), "net.onnx: found no ONNX model"));
    assert_int_equal(read_bytes(0, &as_written), STATUS_BAD_INPUT);
    assert_non_null(strstr(diag_text(&diag, 1), "without a graph"));
    model_input(&model, "x", FLOAT, DIM(1, 4, 8, 8));
    model_node(&model, "Relu", "r", "x", "y", "");
    assert_int_equal(read_bytes(model_bytes(&model, bytes, sizeof bytes), &as_written),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(diag_text(&diag, 2), "no layer that can be simulated"));
}

/* A model with most operators; every cut and many changed bytes give layers or BAD_INPUT. */
static void cut_and_changed_models_are_read_or_refused(void **state)
{
    static uint8_t good[MODEL_BYTES_MAX];
    uint64_t seed = 6;
    shapes_pass_through_the_operators_between_layers(state);
    model_node(&model, "Split", "sp", "z", "s1 s2", "axis=1");
    model_node(&model, "Unsqueeze", "us", "flat", "us1", "axes=[0]");
    model_node(&model, "Squeeze", "sq", "us1", "sq1", "axes=[0]");
    model_node(&model, "Add", "add", "s1 s2", "sum", "");
    model_node(&model, "QLinearConv", "qc", "x scale scale w", "u9", "auto_pad='SAME_LOWER'");
    size_t length = model_bytes(&model, good, sizeof good);
    for (size_t cut = 0; cut < length; cut += 1 + length / 400) {
        end(state);
        arena_init(&arena, 0);
        diag_init(&diag);
        memcpy(bytes, good, length);
        enum status status = read_bytes(cut, &as_written);
        assert_true(status == STATUS_OK || status == STATUS_BAD_INPUT);
    }
    for (size_t i = 0; i < 2000; i++) {
        end(state);
        arena_init(&arena, 0);
        diag_init(&diag);
        memcpy(bytes, good, length);
        for (size_t change = 0; change <= i % 4; change++)
            bytes[splitmix_next(&seed) % length] = (uint8_t)splitmix_next(&seed);
        enum status status = read_bytes(length, &as_written);
        assert_true(status == STATUS_OK || status == STATUS_BAD_INPUT);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_convolution_has_its_shape_type_and_attributes),
        TEST(convolutions_have_one_to_three_axes),
        TEST(auto_pad_gives_its_padding),
        TEST(shapes_pass_through_the_operators_between_layers),
        TEST(products_follow_their_axes),
        TEST(quantized_convolutions_are_int8),
        TEST(what_cannot_be_read_is_skipped_with_its_reason),
        TEST(stated_shapes_and_an_open_batch_are_used),
        TEST(bytes_that_are_no_model_are_refused),
        TEST(cut_and_changed_models_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
