/*
 * Goal: the reference is right for any convolution, and packing loses nothing.
 *
 * Method: seeded random convolutions of every rank, type, group shape, stride, dilation and uneven
 * padding. With small integers the reference must equal a plain loop over the logical tensors,
 * which is exact. With random mantissas it must equal, bit for bit, the documented summation walked
 * over the packed tensors in GM, where K is simply the order of the weight in memory. SEED in the
 * environment changes the cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/reference.h"

enum { ROUNDS = 150 };

static uint64_t random_state;

static uint64_t random_next(void)
{
    random_state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t random_in(uint64_t low, uint64_t high)
{
    return low + random_next() % (high - low + 1);
}

static uint64_t seed_of_environment(void)
{
    const char *text = getenv("SEED");
    return text == NULL ? 1 : strtoull(text, NULL, 10);
}

static void random_axes(struct conv *conv)
{
    for (uint32_t axis = 0; axis < AXIS_COUNT; axis++) {
        bool used = axis + conv->rank >= AXIS_COUNT;
        conv->in[axis] = used ? random_in(1, 9) : 1;
        conv->kernel[axis] = used ? random_in(1, 4) : 1;
        conv->stride[axis] = used ? random_in(1, 3) : 1;
        conv->dilation[axis] = used ? random_in(1, 3) : 1;
        conv->pad_head[axis] = used ? random_in(0, 3) : 0;
        conv->pad_tail[axis] = used ? random_in(0, 3) : 0;
    }
    conv_derive(conv);
}

static struct conv random_conv(enum element dtype, enum element out_dtype)
{
    struct conv conv = {
        .rank = (uint32_t)random_in(1, 3),
        .batch = random_in(1, 2),
        .groups = random_in(1, 3),
        .cin_group = random_in(1, 40),
        .dtype = dtype,
        .out_dtype = out_dtype,
        .bias = random_in(0, 1) == 1,
        .relu = random_in(0, 1) == 1,
    };
    conv.cin = conv.cin_group * conv.groups;
    conv.cout = conv.groups * random_in(1, 20);
    conv.bias_length = conv.cout;
    do {
        random_axes(&conv);
    } while (conv.out[0] < 1 || conv.out[1] < 1 || conv.out[2] < 1);
    return conv;
}

struct sample {
    struct arena arena;
    struct conv conv;
    struct tensor input, weight, bias, output;
};

static void sample_start(struct sample *sample, const struct conv *conv, uint64_t seed)
{
    *sample = (struct sample){.conv = *conv};
    arena_init(&sample->arena, 0);
    tensor_shape_input(conv, &sample->input);
    tensor_shape_weight(conv, &sample->weight);
    tensor_shape_bias(conv, &sample->bias);
    assert_int_equal(tensor_take(&sample->input, &sample->arena), STATUS_OK);
    assert_int_equal(tensor_take(&sample->weight, &sample->arena), STATUS_OK);
    assert_int_equal(tensor_take(&sample->bias, &sample->arena), STATUS_OK);
    tensor_fill(&sample->input, seed, 0);
    tensor_fill(&sample->weight, seed, 1);
    tensor_fill(&sample->bias, seed, 2);
}

static void sample_run(struct sample *sample)
{
    assert_int_equal(reference_conv(&sample->conv, conv_k(&sample->conv), &sample->input,
                                    &sample->weight, sample->conv.bias ? &sample->bias : NULL,
                                    &sample->output, &sample->arena),
                     STATUS_OK);
}

static double get(const struct tensor *tensor, uint64_t index)
{
    return element_decode(tensor->element, element_load(tensor->element, tensor->data, index));
}

/* The row of the input that a tap reads along an axis; -1 in the padding. */
static int64_t tap(const struct conv *conv, enum axis axis, uint64_t out, uint64_t k)
{
    int64_t at = (int64_t)(out * conv->stride[axis] + k * conv->dilation[axis]) -
                 (int64_t)conv->pad_head[axis];
    return at < 0 || at >= (int64_t)conv->in[axis] ? -1 : at;
}

/* One output element. */
struct place_out {
    uint64_t n, c, d, h, w;
};

static struct place_out place_of(const struct conv *conv, uint64_t index)
{
    uint64_t out[AXIS_COUNT] = {(uint64_t)conv->out[0], (uint64_t)conv->out[1],
                                (uint64_t)conv->out[2]};
    struct place_out at;
    at.w = index % out[2];
    at.h = index / out[2] % out[1];
    at.d = index / out[2] / out[1] % out[0];
    at.c = index / out[2] / out[1] / out[0] % conv->cout;
    at.n = index / out[2] / out[1] / out[0] / conv->cout;
    return at;
}

/* The exact sum over the logical tensors. */
static double plain_sum(const struct sample *sample, struct place_out at)
{
    const struct conv *conv = &sample->conv;
    const uint64_t *k = conv->kernel, *in = conv->in;
    uint64_t group = at.c / (conv->cout / conv->groups);
    double sum = conv->bias ? get(&sample->bias, at.c) : 0.0;
    for (uint64_t i = 0; i < conv->cin_group * k[0] * k[1] * k[2]; i++) {
        int64_t d = tap(conv, AXIS_D, at.d, i / k[2] / k[1] % k[0]);
        int64_t h = tap(conv, AXIS_H, at.h, i / k[2] % k[1]);
        int64_t w = tap(conv, AXIS_W, at.w, i % k[2]);
        uint64_t c = group * conv->cin_group + i / k[2] / k[1] / k[0];
        if (d >= 0 && h >= 0 && w >= 0) {
            uint64_t row = ((at.n * conv->cin + c) * in[0] + (uint64_t)d) * in[1] + (uint64_t)h;
            sum += get(&sample->input, row * in[2] + (uint64_t)w) *
                   get(&sample->weight, at.c * conv->cin_group * k[0] * k[1] * k[2] + i);
        }
    }
    return sum;
}

static const enum element type_pairs[][2] = {{ELEMENT_FP16, ELEMENT_FP16},
                                             {ELEMENT_FP16, ELEMENT_FP32},
                                             {ELEMENT_BF16, ELEMENT_BF16},
                                             {ELEMENT_FP32, ELEMENT_FP32},
                                             {ELEMENT_INT8, ELEMENT_INT32}};
enum { TYPE_PAIRS = sizeof type_pairs / sizeof type_pairs[0] };

static void test_small_integers_give_the_exact_sums_of_a_plain_loop(void **state)
{
    (void)state;
    uint64_t seed = seed_of_environment();
    random_state = seed;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const enum element *types = type_pairs[round % TYPE_PAIRS];
        struct conv conv = random_conv(types[0], types[1]);
        struct sample sample;
        sample_start(&sample, &conv, seed + round);
        sample_run(&sample);
        for (uint64_t i = 0; i < sample.output.count; i++) {
            double sum = plain_sum(&sample, place_of(&conv, i));
            sum = conv.relu && sum < 0.0 ? 0.0 : sum;
            uint32_t wanted = element_is_integer(types[1])
                                  ? (uint32_t)(int32_t)sum
                                  : element_encode(types[1], (float)(sum + 0.0), true);
            if (element_load(types[1], sample.output.data, i) != wanted) {
                fail_msg("seed %llu round %llu element %llu", (unsigned long long)seed,
                         (unsigned long long)round, (unsigned long long)i);
            }
        }
        arena_deinit(&sample.arena);
    }
}

/* Overwrites the fill by random signs and mantissas around 1, so that sums round and cancel. */
static void roughen(struct tensor *tensor)
{
    for (uint64_t i = 0; i < tensor->count; i++) {
        double value = (double)random_in(1, (1 << 24) - 1) / (1 << 22);
        value = random_in(0, 1) == 1 ? value : -value;
        element_store(tensor->element, tensor->data, i,
                      element_encode(tensor->element, (float)value, true));
    }
}

/* The documented summation on packed tensors: K is the order of fractal_z, block after block. */
static float walked_sum(const struct sample *sample, const void *input, const void *weight,
                        struct place_out at)
{
    const struct conv *conv = &sample->conv;
    const uint64_t *k = conv->kernel, *in = conv->in;
    uint64_t c0 = 32 / element_bytes(conv->dtype), c1 = (conv->cin_group + c0 - 1) / c0;
    uint64_t cout_group = conv->cout / conv->groups;
    uint64_t n1 = (cout_group + 15) / 16, group = at.c / cout_group;
    float total = conv->bias ? (float)get(&sample->bias, at.c) : 0.0F;
    for (uint64_t block = 0; block < k[0] * c1 * k[1] * k[2]; block++) {
        int64_t d = tap(conv, AXIS_D, at.d, block / k[2] / k[1] / c1);
        int64_t h = tap(conv, AXIS_H, at.h, block / k[2] % k[1]);
        int64_t w = tap(conv, AXIS_W, at.w, block % k[2]);
        if (d < 0) {
            continue;
        }
        uint64_t plane = (at.n * in[0] + (uint64_t)d) * conv->groups * c1 + group * c1 +
                         block / k[2] / k[1] % c1;
        uint64_t column = (group * k[0] * c1 * k[1] * k[2] + block) * n1 * 16 + at.c % cout_group;
        double sum = 0.0;
        for (uint64_t i = 0; i < c0; i++) {
            double x = 0.0;
            if (h >= 0 && w >= 0) {
                uint64_t pixel = (plane * in[1] + (uint64_t)h) * in[2] + (uint64_t)w;
                uint32_t code = element_load(conv->dtype, input, pixel * c0 + i);
                x = element_decode(conv->dtype, code);
            }
            uint32_t code = element_load(conv->dtype, weight, column * c0 + i);
            sum += x * element_decode(conv->dtype, code);
        }
        total = (float)((double)total + sum);
    }
    return conv->relu && !(total > 0.0F) ? 0.0F : total;
}

static void test_any_numbers_give_the_bits_of_the_documented_order_in_gm(void **state)
{
    (void)state;
    uint64_t seed = seed_of_environment();
    random_state = seed + 1000;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const enum element *types = type_pairs[round % (TYPE_PAIRS - 1)];
        struct conv conv = random_conv(types[0], types[1]);
        struct sample sample;
        conv.input_format = FORMAT_NC1HWC0;
        conv.weight_format = FORMAT_FRACTAL_Z;
        sample_start(&sample, &conv, seed);
        roughen(&sample.input);
        roughen(&sample.weight);
        roughen(&sample.bias);
        sample_run(&sample);
        void *input = arena_take(&sample.arena, layout_input_bytes(&conv), 1);
        void *weight = arena_take(&sample.arena, layout_weight_bytes(&conv), 1);
        layout_input_pack(&conv, &sample.input, input);
        layout_weight_pack(&conv, &sample.weight, weight);
        for (uint64_t i = 0; i < sample.output.count; i++) {
            float sum = walked_sum(&sample, input, weight, place_of(&conv, i));
            if (element_load(types[1], sample.output.data, i) !=
                element_encode(types[1], sum, true)) {
                fail_msg("seed %llu round %llu element %llu", (unsigned long long)seed,
                         (unsigned long long)round, (unsigned long long)i);
            }
        }
        arena_deinit(&sample.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_integers_give_the_exact_sums_of_a_plain_loop),
        cmocka_unit_test(test_any_numbers_give_the_bits_of_the_documented_order_in_gm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
