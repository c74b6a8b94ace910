#include "model/conv.h"

#include <assert.h>

const char *format_word(enum tensor_format format)
{
    static const char *const words[FORMAT_COUNT] = {
#define ROW(name, word) [FORMAT_##name] = word,
        TENSOR_FORMAT_LIST(ROW)
#undef ROW
    };

    assert((unsigned)format < FORMAT_COUNT);
    return words[format];
}

/* A product that stays at INT64_MAX once it has left the range. */
static uint64_t capped_product(uint64_t left, uint64_t right)
{
    uint64_t product;

    if (__builtin_mul_overflow(left, right, &product) || product > INT64_MAX) {
        return INT64_MAX;
    }
    return product;
}

static uint64_t capped_sum(uint64_t left, uint64_t right)
{
    uint64_t sum;

    if (__builtin_add_overflow(left, right, &sum) || sum > INT64_MAX) {
        return INT64_MAX;
    }
    return sum;
}

static uint64_t conv_reach(const struct conv *conv, enum axis axis)
{
    return capped_sum(capped_product(conv->dilation[axis], conv->kernel[axis] - 1), 1);
}

void conv_derive(struct conv *conv)
{
    for (enum axis axis = AXIS_D; axis < AXIS_COUNT; axis++) {
        const uint64_t pads = capped_sum(conv->pad_head[axis], conv->pad_tail[axis]);
        const uint64_t padded = capped_sum(conv->in[axis], pads);
        const uint64_t reach = conv_reach(conv, axis);

        assert(conv->kernel[axis] > 0 && conv->stride[axis] > 0);
        if (reach > padded || reach == INT64_MAX) {
            conv->out[axis] = 0;
        } else if (padded == INT64_MAX) {
            conv->out[axis] = INT64_MAX;
        } else {
            conv->out[axis] = (int64_t)((padded - reach) / conv->stride[axis] + 1);
        }
    }
}

/* Multiplies value by every factor; INT64_MAX stands for "too large". A factor of 0 wins. */
static uint64_t capped_chain(uint64_t value, const uint64_t *factors, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (factors[i] == 0) {
            return 0;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        value = capped_product(value, factors[i]);
    }
    return value;
}

static uint64_t capped_outputs(const struct conv *conv)
{
    uint64_t factors[AXIS_COUNT];

    for (enum axis axis = AXIS_D; axis < AXIS_COUNT; axis++) {
        factors[axis] = conv->out[axis] > 0 ? (uint64_t)conv->out[axis] : 0;
    }
    return capped_chain(1, factors, AXIS_COUNT);
}

static uint64_t capped_macs(const struct conv *conv)
{
    const uint64_t factors[] = {conv->batch,         conv->cout,           capped_outputs(conv),
                                conv->cin_group,     conv->kernel[AXIS_D], conv->kernel[AXIS_H],
                                conv->kernel[AXIS_W]};

    return capped_chain(1, factors, sizeof factors / sizeof factors[0]);
}

bool conv_macs_fit(const struct conv *conv)
{
    return capped_macs(conv) < INT64_MAX;
}

uint64_t conv_macs(const struct conv *conv)
{
    assert(conv_macs_fit(conv));
    return capped_macs(conv);
}

/* Channels that groups of channels take when each group is padded to whole blocks. */
static uint64_t padded_channels(uint64_t channels, uint64_t group, uint64_t groups, uint64_t block)
{
    const uint64_t together = capped_sum(channels, block);
    const uint64_t apart = capped_product(capped_sum(group, block), groups);

    return together > apart ? together : apart;
}

bool conv_bytes_fit(const struct conv *conv)
{
    const uint64_t c0 = conv_c0(conv);
    const uint64_t in_bytes = element_bytes(conv->dtype);
    const uint64_t out_bytes = element_bytes(conv->out_dtype);
    const uint64_t cin = padded_channels(conv->cin, conv->cin_group, conv->groups, c0);
    const uint64_t cout =
        padded_channels(conv->cout, conv_cout_group(conv), conv->groups, BLOCK_BYTES);
    const uint64_t weight_n =
        padded_channels(conv->cout, conv_cout_group(conv), conv->groups, FRACTAL_ROWS);
    const uint64_t input[] = {conv->batch, cin, conv->in[AXIS_D], conv->in[AXIS_H],
                              conv->in[AXIS_W]};
    const uint64_t weight[] = {weight_n, capped_sum(conv->cin_group, c0), conv->kernel[AXIS_D],
                               conv->kernel[AXIS_H], conv->kernel[AXIS_W]};
    const uint64_t output[] = {conv->batch, cout, capped_outputs(conv)};
    uint64_t bytes = capped_chain(in_bytes, input, sizeof input / sizeof input[0]);

    bytes = capped_sum(bytes, capped_chain(in_bytes, weight, sizeof weight / sizeof weight[0]));
    bytes = capped_sum(bytes, capped_chain(out_bytes, output, sizeof output / sizeof output[0]));
    bytes = capped_sum(bytes, capped_product(sizeof(float), conv->bias_length));
    return bytes < INT64_MAX;
}

uint64_t conv_cout_group(const struct conv *conv)
{
    return conv->cout / conv->groups;
}

uint64_t conv_c0(const struct conv *conv)
{
    return element_c0(conv->dtype);
}

enum element conv_accumulator(const struct conv *conv)
{
    return element_is_integer(conv->dtype) ? ELEMENT_INT32 : ELEMENT_FP32;
}

uint64_t conv_cin_aligned(const struct conv *conv)
{
    return align_up(conv->cin_group, conv_c0(conv));
}

uint64_t conv_k(const struct conv *conv)
{
    return conv_cin_aligned(conv) * conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
}

uint64_t conv_kernel_points(const struct conv *conv)
{
    return capped_product(capped_product(conv->kernel[AXIS_D], conv->kernel[AXIS_H]),
                          conv->kernel[AXIS_W]);
}

uint64_t conv_window(const struct conv *conv, enum axis axis, uint64_t outputs)
{
    if (outputs == 0) {
        return 0;
    }
    return capped_sum(capped_product(outputs - 1, conv->stride[axis]), conv_reach(conv, axis));
}
