#include "model/layout.h"

#include <assert.h>
#include <string.h>

#include "model/conversion.h"
#include "model/saturate.h"
#include "model/tensor.h"

enum { BIAS_BYTES = 4, QUANT_BYTES = 8 };

/*
 * Every format is linear once a channel is split into its group, its plane in the group and its
 * lane in the plane: these are the steps, in elements. outer is the image of a map, and the output
 * channel in its group of a weight. What a weight calls lanes and planes are those of its input
 * channels.
 */
struct steps {
    uint64_t outer, group, c1, lane, axis[AXIS_COUNT];
};

/* How far each goes. channels: of a group; c0: lanes of a plane. */
struct extents {
    uint64_t outer, groups, channels, c0, axis[AXIS_COUNT];
};

uint64_t layout_input_c1(const struct conv *conv)
{
    return ceil_div(conv->cin_group, conv_c0(conv));
}

uint64_t layout_n1(const struct conv *conv)
{
    return ceil_div(conv_cout_group(conv), FRACTAL_ROWS);
}

uint64_t layout_output_c0(const struct conv *conv)
{
    if (element_bits(conv->out_dtype) == 8)
        return element_c0(conv->out_dtype);
    return conv->out_dtype == ELEMENT_FP32 ? 8 : FRACTAL_ROWS;
}

uint64_t layout_output_c1(const struct conv *conv)
{
    return ceil_div(layout_n1(conv) * FRACTAL_ROWS, layout_output_c0(conv));
}

/* Sets the steps of D, H and W from that of W; returns the step of the whole volume. */
static uint64_t steps_of_axes(struct steps *steps, const uint64_t axis[AXIS_COUNT], uint64_t step)
{
    for (int i = AXIS_COUNT - 1; i >= 0; i--) {
        steps->axis[i] = step;
        step *= axis[i];
    }
    return step;
}

/* Maps, with c1 planes in a group. */
static struct steps steps_of_map(const struct extents *map, enum tensor_format format, uint64_t c1)
{
    const uint64_t *axis = map->axis;
    struct steps steps = {0};
    if (format == FORMAT_NC1HWC0) {
        /* The channels lie between D and H. */
        steps.lane = 1;
        (void)steps_of_axes(&steps, axis, map->c0);
        steps.c1 = map->c0 * axis[AXIS_H] * axis[AXIS_W];
        steps.group = steps.c1 * c1;
        steps.axis[AXIS_D] = steps.group * map->groups;
        steps.outer = steps.axis[AXIS_D] * axis[AXIS_D];
        return steps;
    }
    assert(format == FORMAT_NCHW || format == FORMAT_NHWC);
    uint64_t channels = map->groups * map->channels;
    steps.lane = 1;
    if (format == FORMAT_NCHW) {
        steps.lane = steps_of_axes(&steps, axis, 1);
        steps.outer = steps.lane * channels;
    } else {
        steps.outer = steps_of_axes(&steps, axis, channels);
    }
    steps.c1 = steps.lane * map->c0;
    steps.group = steps.lane * map->channels;
    return steps;
}

static struct steps steps_of_weight(const struct conv *conv, const struct extents *weight,
                                    enum tensor_format format)
{
    const uint64_t *axis = weight->axis;
    struct steps steps = {0};
    if (format == FORMAT_FRACTAL_Z) {
        /* The planes lie between Kd and Kh. */
        steps.lane = 1;
        steps.outer = weight->c0;
        (void)steps_of_axes(&steps, axis, weight->c0 * layout_n1(conv) * FRACTAL_ROWS);
        steps.c1 = steps.axis[AXIS_H] * axis[AXIS_H];
        steps.axis[AXIS_D] = steps.c1 * layout_input_c1(conv);
        steps.group = steps.axis[AXIS_D] * axis[AXIS_D];
        return steps;
    }
    assert(format == FORMAT_NCHW || format == FORMAT_HWCN);
    if (format == FORMAT_NCHW) {
        steps.lane = steps_of_axes(&steps, axis, 1);
        steps.outer = steps.lane * weight->channels;
    } else {
        (void)steps_of_axes(&steps, axis, weight->channels * conv->cout);
        steps.lane = conv->cout;
        steps.outer = 1;
    }
    steps.c1 = steps.lane * weight->c0;
    steps.group = steps.outer * weight->outer;
    return steps;
}

static struct extents extents_of_input(const struct conv *conv)
{
    struct extents input = {conv->batch, conv->groups, conv->cin_group, conv_c0(conv), {0}};
    memcpy(input.axis, conv->in, sizeof input.axis);
    return input;
}

static struct extents extents_of_weight(const struct conv *conv)
{
    struct extents weight = {
        conv_cout_group(conv), conv->groups, conv->cin_group, conv_c0(conv), {0}};
    memcpy(weight.axis, conv->kernel, sizeof weight.axis);
    return weight;
}

static struct extents extents_of_output(const struct conv *conv)
{
    struct extents output = {
        conv->batch, conv->groups, conv_cout_group(conv), layout_output_c0(conv), {0}};
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        assert(conv->out[axis] >= 1);
        output.axis[axis] = (uint64_t)conv->out[axis];
    }
    return output;
}

static uint64_t steps_offset(const struct steps *steps, const struct extents *extents,
                             uint64_t outer, uint64_t group, uint64_t c, struct position at)
{
    return outer * steps->outer + group * steps->group + c / extents->c0 * steps->c1 +
           c % extents->c0 * steps->lane + at.d * steps->axis[AXIS_D] + at.h * steps->axis[AXIS_H] +
           at.w * steps->axis[AXIS_W];
}

uint64_t layout_input_offset(const struct conv *conv, uint64_t n, uint64_t c, struct position at)
{
    const struct extents input = extents_of_input(conv);
    const struct steps steps = steps_of_map(&input, conv->input_format, layout_input_c1(conv));
    return steps_offset(&steps, &input, n, c / input.channels, c % input.channels, at);
}

uint64_t layout_weight_offset(const struct conv *conv, uint64_t n, uint64_t c, struct position at)
{
    const struct extents weight = extents_of_weight(conv);
    const struct steps steps = steps_of_weight(conv, &weight, conv->weight_format);
    return steps_offset(&steps, &weight, n % weight.outer, n / weight.outer, c, at);
}

uint64_t layout_channel_offset(const struct conv *conv, uint64_t n)
{
    uint64_t group = n / conv_cout_group(conv);
    return group * layout_n1(conv) * FRACTAL_ROWS + n % conv_cout_group(conv);
}

uint64_t layout_output_offset(const struct conv *conv, uint64_t n, uint64_t c, struct position at)
{
    const struct extents output = extents_of_output(conv);
    const struct steps steps = steps_of_map(&output, conv->output_format, layout_output_c1(conv));
    return steps_offset(&steps, &output, n, c / output.channels, c % output.channels, at);
}

static uint64_t map_step(enum tensor_format format, uint64_t c0, uint64_t channels)
{
    if (format == FORMAT_NC1HWC0) {
        return c0;
    }
    return format == FORMAT_NHWC ? channels : 1;
}

uint64_t layout_input_step(const struct conv *conv)
{
    return map_step(conv->input_format, conv_c0(conv), conv->cin);
}

uint64_t layout_weight_step(const struct conv *conv)
{
    const struct extents weight = extents_of_weight(conv);
    return steps_of_weight(conv, &weight, conv->weight_format).axis[AXIS_W];
}

uint64_t layout_output_step(const struct conv *conv)
{
    return map_step(conv->output_format, layout_output_c0(conv), conv->cout);
}

/* Elements with channels padded to whole planes (of c1 for each group) when planes is true. */
static uint64_t extents_count(const struct extents *extents, uint64_t outer, uint64_t c1,
                              bool planes)
{
    uint64_t count = saturate_mul(outer, extents->groups);
    count = saturate_mul(count, planes ? saturate_mul(c1, extents->c0) : extents->channels);
    for (int axis = 0; axis < AXIS_COUNT; axis++) {
        count = saturate_mul(count, extents->axis[axis]);
    }
    return count;
}

uint64_t layout_input_count(const struct conv *conv)
{
    const struct extents input = extents_of_input(conv);
    return extents_count(&input, input.outer, layout_input_c1(conv),
                         conv->input_format == FORMAT_NC1HWC0);
}

uint64_t layout_weight_count(const struct conv *conv)
{
    const struct extents weight = extents_of_weight(conv);
    bool padded = conv->weight_format == FORMAT_FRACTAL_Z;
    uint64_t outer = padded ? layout_n1(conv) * FRACTAL_ROWS : weight.outer;
    return extents_count(&weight, outer, layout_input_c1(conv), padded);
}

uint64_t layout_channel_count(const struct conv *conv)
{
    return saturate_mul(conv->groups, saturate_mul(layout_n1(conv), FRACTAL_ROWS));
}

uint64_t layout_output_count(const struct conv *conv)
{
    const struct extents output = extents_of_output(conv);
    return extents_count(&output, output.outer, layout_output_c1(conv),
                         conv->output_format == FORMAT_NC1HWC0);
}

uint64_t layout_output_unwritten(const struct conv *conv)
{
    if (conv->output_format != FORMAT_NC1HWC0) {
        return 0;
    }
    struct extents output = extents_of_output(conv);
    output.channels = layout_output_c1(conv) * output.c0 - layout_n1(conv) * FRACTAL_ROWS;
    return extents_count(&output, output.outer, 0, false);
}

uint64_t layout_input_bytes(const struct conv *conv)
{
    return saturate_mul(layout_input_count(conv), element_bytes(conv->dtype));
}

uint64_t layout_weight_bytes(const struct conv *conv)
{
    return saturate_mul(layout_weight_count(conv), element_bytes(conv->dtype));
}

uint64_t layout_bias_bytes(const struct conv *conv)
{
    return saturate_mul(layout_channel_count(conv), BIAS_BYTES);
}

uint64_t layout_quant_bytes(const struct conv *conv)
{
    return saturate_mul(layout_channel_count(conv), QUANT_BYTES);
}

uint64_t layout_output_bytes(const struct conv *conv)
{
    return saturate_mul(layout_output_count(conv), element_bytes(conv->out_dtype));
}

/* A copy between two places of a tensor; steps of both sides in elements of size bytes. */
struct move {
    uint8_t *to;
    const uint8_t *from;
    struct steps to_steps, from_steps;
    struct extents extents;
    uint32_t bytes;
};

/* count elements; the sizes are written out so that each copy is one instruction. */
static void move_row(uint8_t *to, const uint8_t *from, const struct move *move)
{
    const size_t to_bytes = move->to_steps.axis[AXIS_W] * move->bytes;
    const size_t from_bytes = move->from_steps.axis[AXIS_W] * move->bytes;
    for (uint64_t w = 0; w < move->extents.axis[AXIS_W]; w++, to += to_bytes, from += from_bytes) {
        if (move->bytes == 1) {
            *to = *from;
        } else if (move->bytes == 2) {
            memcpy(to, from, 2);
        } else {
            memcpy(to, from, 4);
        }
    }
}

static void move_volume(uint8_t *to, const uint8_t *from, const struct move *move)
{
    const uint64_t *axis = move->extents.axis;
    const struct steps *there = &move->to_steps, *here = &move->from_steps;
    for (uint64_t d = 0; d < axis[AXIS_D]; d++) {
        for (uint64_t h = 0; h < axis[AXIS_H]; h++) {
            uint64_t to_row = d * there->axis[AXIS_D] + h * there->axis[AXIS_H];
            uint64_t from_row = d * here->axis[AXIS_D] + h * here->axis[AXIS_H];
            move_row(to + to_row * move->bytes, from + from_row * move->bytes, move);
        }
    }
}

static void move_all(const struct move *move)
{
    const struct extents *extents = &move->extents;
    const struct steps *there = &move->to_steps, *here = &move->from_steps;
    assert(move->bytes == 1 || move->bytes == 2 || move->bytes == 4);
    assert(move->to != NULL && move->from != NULL);
    for (uint64_t i = 0; i < extents->outer * extents->groups; i++) {
        uint64_t outer = i / extents->groups, group = i % extents->groups;
        uint64_t to_group = outer * there->outer + group * there->group;
        uint64_t from_group = outer * here->outer + group * here->group;
        for (uint64_t c = 0; c < extents->channels; c++) {
            uint64_t c1 = c / extents->c0, lane = c % extents->c0;
            uint64_t to_plane = to_group + c1 * there->c1 + lane * there->lane;
            uint64_t from_plane = from_group + c1 * here->c1 + lane * here->lane;
            move_volume(move->to + to_plane * move->bytes, move->from + from_plane * move->bytes,
                        move);
        }
    }
}

void layout_input_pack(const struct conv *conv, const struct tensor *logical, void *gm)
{
    struct move move = {.to = gm, .from = logical->data, .bytes = element_bytes(conv->dtype)};
    assert(logical->element == conv->dtype);
    move.extents = extents_of_input(conv);
    move.to_steps = steps_of_map(&move.extents, conv->input_format, layout_input_c1(conv));
    move.from_steps = steps_of_map(&move.extents, FORMAT_NCHW, 0);
    memset(gm, 0, layout_input_bytes(conv));
    move_all(&move);
}

void layout_weight_pack(const struct conv *conv, const struct tensor *logical, void *gm)
{
    struct move move = {.to = gm, .from = logical->data, .bytes = element_bytes(conv->dtype)};
    assert(logical->element == conv->dtype);
    move.extents = extents_of_weight(conv);
    move.to_steps = steps_of_weight(conv, &move.extents, conv->weight_format);
    move.from_steps = steps_of_weight(conv, &move.extents, FORMAT_NCHW);
    memset(gm, 0, layout_weight_bytes(conv));
    move_all(&move);
}

void layout_bias_pack(const struct conv *conv, const struct tensor *logical, void *gm)
{
    assert(element_bytes(logical->element) == BIAS_BYTES && logical->data != NULL);
    memset(gm, 0, layout_bias_bytes(conv));
    for (uint64_t n = 0; n < conv->cout; n++) {
        uint8_t *to = (uint8_t *)gm + layout_channel_offset(conv, n) * BIAS_BYTES;
        memcpy(to, (const uint8_t *)logical->data + n * BIAS_BYTES, BIAS_BYTES);
    }
}

void layout_quant_pack(const struct conv *conv, void *gm)
{
    memset(gm, 0, layout_quant_bytes(conv));
    for (uint64_t n = 0; n < conv->cout; n++) {
        uint64_t word = conversion_word(conv, n);
        memcpy((uint8_t *)gm + layout_channel_offset(conv, n) * QUANT_BYTES, &word, QUANT_BYTES);
    }
}

void layout_output_unpack(const struct conv *conv, const void *gm, struct tensor *logical)
{
    struct move move = {.to = logical->data, .from = gm, .bytes = element_bytes(conv->out_dtype)};
    assert(logical->element == conv->out_dtype);
    move.extents = extents_of_output(conv);
    move.to_steps = steps_of_map(&move.extents, FORMAT_NCHW, 0);
    move.from_steps = steps_of_map(&move.extents, conv->output_format, layout_output_c1(conv));
    move_all(&move);
}
