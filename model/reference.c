#include "model/reference.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/*
 * LANES output positions of one depth are computed together for CHANNELS output channels. Their
 * inputs are gathered once into a panel [k][LANES] that all output channels read. The numbers of a
 * product have at most 24 bits, so products are exact in binary64 and a fused multiply-add would
 * give the same sums.
 */
enum { LANES = 8, CHANNELS = 2, LANE_PAIRS = LANES / 2, PIXELS = 16 };

typedef double lane_pair __attribute__((vector_size(16), may_alias));

struct direct {
    const struct conv *conv;
    const struct tensor *input, *weight, *bias;
    struct tensor *output;
    uint64_t cout_group, c0;
    uint64_t step_blocks;       /* C0 blocks of one Mmad */
    uint64_t depth_k, filter_k; /* real channels * Kh * Kw, and that * Kd */
    bool integer;
    float *image;   /* [D][H][W][cin_group] of one group of one batch */
    float *nothing; /* [cin_group] zeros, what a padding tap reads */
    double *filter; /* [cout_group][Kd][C1][Kh][Kw][channels of the block] */
    double *panel;  /* [k][LANES] */
};

/* The real channels of the C0 block that starts at channel c; the last block may have fewer than
 * C0. Lanes of padding would add +0 to a sum that is never -0. */
static uint64_t block_channels(const struct direct *direct, uint64_t c)
{
    uint64_t left = direct->conv->cin_group - c;
    return left < direct->c0 ? left : direct->c0;
}

static double tensor_value(const struct tensor *tensor, uint64_t index)
{
    return element_decode(tensor->element, element_load(tensor->element, tensor->data, index));
}

/* To nearest even at fraction_bits behind the leading bit, or as many below 2^-126. */
static double hf32_of(double value, int fraction_bits)
{
    if (!isfinite(value) || value == 0.0) {
        return value;
    }
    int leading = ilogb(value);
    int last = (leading > FLT_MIN_EXP - 1 ? leading : FLT_MIN_EXP - 1) - fraction_bits;
    return ldexp(nearbyint(ldexp(value, -last)), last);
}

/* What the cube multiplies. */
static double operand_value(const struct direct *direct, const struct tensor *tensor,
                            uint64_t index)
{
    double value = tensor_value(tensor, index);
    uint32_t bits = direct->conv->hf32_bits;
    return bits == 0 ? value : (double)(float)hf32_of(value, (int)bits);
}

/* A few pixels of all channels at a time, so that both sides stay in the cache. */
static void direct_decode_image(const struct direct *direct, uint64_t n, uint64_t group)
{
    const struct conv *conv = direct->conv;
    const uint64_t pixels = conv->in[AXIS_D] * conv->in[AXIS_H] * conv->in[AXIS_W];
    const uint64_t plane = n * conv->cin + group * conv->cin_group;
    for (uint64_t first = 0; first < pixels; first += PIXELS) {
        uint64_t last = pixels - first < PIXELS ? pixels : first + PIXELS;
        for (uint64_t c = 0; c < conv->cin_group; c++) {
            for (uint64_t pixel = first; pixel < last; pixel++) {
                double value = operand_value(direct, direct->input, (plane + c) * pixels + pixel);
                direct->image[pixel * conv->cin_group + c] = (float)value;
            }
        }
    }
}

/* One filter in the order of K; index is its first element in the weight tensor. */
static void direct_decode_filter(const struct direct *direct, uint64_t index, double *to)
{
    const struct conv *conv = direct->conv;
    const uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    const uint64_t channel_points = conv->kernel[AXIS_D] * points;
    for (uint64_t kd = 0; kd < conv->kernel[AXIS_D]; kd++) {
        for (uint64_t c = 0; c < conv->cin_group; c += direct->c0) {
            uint64_t channels = block_channels(direct, c);
            for (uint64_t point = 0; point < points; point++) {
                uint64_t from = index + c * channel_points + kd * points + point;
                for (uint64_t i = 0; i < channels; i++) {
                    *to++ = operand_value(direct, direct->weight, from + i * channel_points);
                }
            }
        }
    }
}

static void direct_decode_group(const struct direct *direct, uint64_t group)
{
    for (uint64_t channel = 0; channel < direct->cout_group; channel++) {
        uint64_t n = group * direct->cout_group + channel;
        direct_decode_filter(direct, n * direct->filter_k,
                             direct->filter + channel * direct->filter_k);
    }
}

/* The input coordinate of a tap; *inside is false in the padding. */
static uint64_t tap_at(const struct conv *conv, enum axis axis, uint64_t out, uint64_t tap,
                       bool *inside)
{
    uint64_t padded = out * conv->stride[axis] + tap * conv->dilation[axis];
    *inside = padded >= conv->pad_head[axis] && padded - conv->pad_head[axis] < conv->in[axis];
    return padded - conv->pad_head[axis];
}

/* One lane of the panel at one depth of the input. */
static void direct_gather_lane(const struct direct *direct, uint64_t depth, uint64_t position,
                               double *lane)
{
    const struct conv *conv = direct->conv;
    uint64_t ho = position / (uint64_t)conv->out[AXIS_W];
    uint64_t wo = position % (uint64_t)conv->out[AXIS_W];
    for (uint64_t c = 0; c < conv->cin_group; c += direct->c0) {
        uint64_t channels = block_channels(direct, c);
        for (uint64_t kh = 0; kh < conv->kernel[AXIS_H]; kh++) {
            bool row_inside;
            uint64_t row = tap_at(conv, AXIS_H, ho, kh, &row_inside);
            for (uint64_t kw = 0; kw < conv->kernel[AXIS_W]; kw++) {
                bool inside;
                uint64_t column = tap_at(conv, AXIS_W, wo, kw, &inside);
                uint64_t pixel = (depth * conv->in[AXIS_H] + row) * conv->in[AXIS_W] + column;
                const float *from = row_inside && inside
                                        ? direct->image + pixel * conv->cin_group + c
                                        : direct->nothing;
                for (uint64_t i = 0; i < channels; i++, lane += LANES) {
                    *lane = (double)from[i];
                }
            }
        }
    }
}

/* The kernel depths that meet the input at one output depth: count of them, from first. */
struct depths {
    uint64_t first, count;
};

/* Fills the panel for up to LANES positions of an output depth; the other lanes stay as they are.
 */
static struct depths direct_gather(const struct direct *direct, uint64_t out_depth,
                                   uint64_t position, uint64_t lanes)
{
    struct depths depths = {0, 0};
    for (uint64_t kd = 0; kd < direct->conv->kernel[AXIS_D]; kd++) {
        bool inside;
        uint64_t depth = tap_at(direct->conv, AXIS_D, out_depth, kd, &inside);
        if (!inside) {
            continue;
        }
        depths.first = depths.count == 0 ? kd : depths.first;
        double *panel = direct->panel + depths.count * direct->depth_k * LANES;
        for (uint64_t lane = 0; lane < lanes; lane++) {
            direct_gather_lane(direct, depth, position + lane, panel + lane);
        }
        depths.count++;
    }
    return depths;
}

struct block {
    lane_pair pair[CHANNELS][LANE_PAIRS];
};

/* The dot products of one C0 block: LANES positions by CHANNELS filters. */
static void block_sum(const lane_pair *panel, const double *const filter[CHANNELS],
                      uint64_t channels, struct block *sum)
{
    lane_pair s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    lane_pair t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
    for (uint64_t c = 0; c < channels; c++, panel += LANE_PAIRS) {
        const lane_pair a = {filter[0][c], filter[0][c]};
        const lane_pair b = {filter[1][c], filter[1][c]};
        s0 += panel[0] * a;
        s1 += panel[1] * a;
        s2 += panel[2] * a;
        s3 += panel[3] * a;
        t0 += panel[0] * b;
        t1 += panel[1] * b;
        t2 += panel[2] * b;
        t3 += panel[3] * b;
    }
    *sum = (struct block){{{s0, s1, s2, s3}, {t0, t1, t2, t3}}};
}

/* What the blocks add up to: integers exactly, the floating types as binary32. */
struct total {
    double exact[CHANNELS][LANES];
    float rounded[CHANNELS][LANES];
};

static void total_start(struct total *total, uint64_t channel, double bias)
{
    for (int lane = 0; lane < LANES; lane++) {
        total->exact[channel][lane] = bias;
        total->rounded[channel][lane] = (float)bias;
    }
}

/* Lane by lane through floats in memory: gcc 12 drops the rounding of a vector that is put together
 * from lanes converted to float and back. */
static void total_add(struct total *total, const struct block *sum, bool integer)
{
    for (int channel = 0; channel < CHANNELS; channel++) {
        for (int lane = 0; lane < LANES; lane++) {
            double added = sum->pair[channel][lane / 2][lane % 2];
            if (integer) {
                total->exact[channel][lane] += added;
            } else {
                added += (double)total->rounded[channel][lane];
                total->rounded[channel][lane] = (float)added;
            }
        }
    }
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The accumulator at the end of an Mmad: saturated, NaN is 0. */
static double accumulator_value(bool integer, double sum)
{
    if (integer) {
        return clamp(sum, INT32_MIN, INT32_MAX);
    }
    return isnan(sum) ? 0.0 : clamp(sum, -(double)FLT_MAX, (double)FLT_MAX);
}

static void total_saturate(struct total *total, bool integer)
{
    for (int channel = 0; channel < CHANNELS; channel++) {
        for (int lane = 0; lane < LANES; lane++) {
            double *exact = &total->exact[channel][lane];
            float *rounded = &total->rounded[channel][lane];
            *exact = integer ? accumulator_value(true, *exact) : *exact;
            *rounded = integer ? *rounded : (float)accumulator_value(false, (double)*rounded);
        }
    }
}

/* Adds all C0 blocks of the panel in ascending K, an Mmad after the other. */
static void direct_accumulate(const struct direct *direct, struct depths depths,
                              const double *filter[CHANNELS], struct total *total)
{
    const struct conv *conv = direct->conv;
    const lane_pair *panel = (const lane_pair *)direct->panel;
    uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    const uint64_t blocks = ceil_div(conv->cin_group, direct->c0) * points;
    for (uint64_t depth = 0; depth < depths.count; depth++) {
        uint64_t done = 0;
        for (uint64_t c = 0; c < conv->cin_group; c += direct->c0) {
            uint64_t channels = block_channels(direct, c);
            for (uint64_t point = 0; point < points; point++) {
                struct block sum;
                block_sum(panel, filter, channels, &sum);
                total_add(total, &sum, direct->integer);
                if (++done % direct->step_blocks == 0 || done == blocks) {
                    total_saturate(total, direct->integer);
                }
                panel += channels * LANE_PAIRS;
                filter[0] += channels;
                filter[1] += channels;
            }
        }
    }
}

/* A scale with so many bits behind its leading one, the rest cut off. */
static double scale_kept(float scale, int fraction_bits)
{
    int exponent;
    double fraction = frexp((double)scale, &exponent);
    return ldexp(floor(ldexp(fraction, fraction_bits + 1)), exponent - fraction_bits - 1);
}

/* Saturation, relu, scale and conversion of a finished sum of an output channel. */
static uint32_t direct_finish(const struct conv *conv, uint64_t channel, double sum)
{
    const struct quant *quant = &conv->quant;
    double value = accumulator_value(element_is_integer(conv->dtype), sum);
    if (conv->relu && !(value > 0.0)) {
        value = 0.0;
    }
    if (conv->out_dtype == ELEMENT_INT32) {
        return (uint32_t)(int32_t)value;
    }
    float scaled = (float)value;
    if (quant->given) {
        /* Both have at most 24 bits: the product is exact before it is rounded. */
        double scale =
            scale_kept(quant->scales[quant->by_channel ? channel : 0], (int)quant->scale_bits);
        scaled = (float)((double)scaled * scale);
    }
    if (conv->out_dtype == ELEMENT_INT8) {
        double whole = clamp(nearbyint((double)scaled), -256.0, 255.0);
        return (uint32_t)(int32_t)clamp(whole + quant->offset, INT8_MIN, INT8_MAX) & UINT8_MAX;
    }
    return element_encode(conv->out_dtype, scaled, true);
}

/* Where a run of output positions lies: lanes of them from position, Ho * Wo with W fastest. */
struct run {
    uint64_t n, group, depth, position, lanes;
};

/* One pair of output channels of a group (the second may be missing) at a run of positions. */
static void direct_channels(const struct direct *direct, const struct run *run,
                            struct depths depths, uint64_t channel)
{
    const struct conv *conv = direct->conv;
    const uint64_t plane = (uint64_t)conv->out[AXIS_H] * (uint64_t)conv->out[AXIS_W];
    const double *filter[CHANNELS];
    struct total total;
    for (uint64_t i = 0; i < CHANNELS; i++) {
        uint64_t own = channel + i < direct->cout_group ? channel + i : channel;
        uint64_t first = run->group * direct->cout_group;
        double bias = direct->bias == NULL ? 0.0 : tensor_value(direct->bias, first + own);
        filter[i] = direct->filter + own * direct->filter_k + depths.first * direct->depth_k;
        total_start(&total, i, bias);
    }
    direct_accumulate(direct, depths, filter, &total);
    for (uint64_t i = 0; i < CHANNELS && channel + i < direct->cout_group; i++) {
        uint64_t c = run->group * direct->cout_group + channel + i;
        uint64_t row = (run->n * conv->cout + c) * (uint64_t)conv->out[AXIS_D] + run->depth;
        for (uint64_t lane = 0; lane < run->lanes; lane++) {
            uint32_t code = direct_finish(
                conv, c, direct->integer ? total.exact[i][lane] : (double)total.rounded[i][lane]);
            element_store(conv->out_dtype, direct->output->data, row * plane + run->position + lane,
                          code);
        }
    }
}

static void direct_image(const struct direct *direct, uint64_t n, uint64_t group)
{
    const struct conv *conv = direct->conv;
    const uint64_t plane = (uint64_t)conv->out[AXIS_H] * (uint64_t)conv->out[AXIS_W];
    struct run run = {.n = n, .group = group};
    for (run.depth = 0; run.depth < (uint64_t)conv->out[AXIS_D]; run.depth++) {
        for (run.position = 0; run.position < plane; run.position += LANES) {
            uint64_t left = plane - run.position;
            run.lanes = left < LANES ? left : LANES;
            struct depths depths = direct_gather(direct, run.depth, run.position, run.lanes);
            for (uint64_t channel = 0; channel < direct->cout_group; channel += CHANNELS) {
                direct_channels(direct, &run, depths, channel);
            }
        }
    }
}

static enum status direct_take(struct direct *direct, struct arena *arena)
{
    const struct conv *conv = direct->conv;
    const uint64_t pixels = conv->in[AXIS_D] * conv->in[AXIS_H] * conv->in[AXIS_W];
    direct->image = arena_take(arena, pixels * conv->cin_group, sizeof *direct->image);
    direct->nothing = arena_take(arena, conv->cin_group, sizeof *direct->nothing);
    direct->filter =
        arena_take(arena, direct->cout_group * direct->filter_k, sizeof *direct->filter);
    direct->panel = arena_take(arena, direct->filter_k, LANES * sizeof *direct->panel);
    if (direct->image == NULL || direct->nothing == NULL || direct->filter == NULL ||
        direct->panel == NULL) {
        return STATUS_NO_MEMORY;
    }
    return tensor_take(direct->output, arena);
}

enum status reference_conv(const struct conv *conv, uint64_t k_step, const struct tensor *input,
                           const struct tensor *weight, const struct tensor *bias,
                           struct tensor *output, struct arena *arena)
{
    struct direct direct = {
        .conv = conv, .input = input, .weight = weight, .bias = bias, .output = output};
    direct.integer = element_is_integer(conv->dtype);
    direct.cout_group = conv_cout_group(conv);
    direct.c0 = conv_c0(conv);
    assert(k_step > 0 && k_step % direct.c0 == 0);
    direct.step_blocks = k_step / direct.c0;
    direct.depth_k = conv->cin_group * conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    direct.filter_k = direct.depth_k * conv->kernel[AXIS_D];
    assert(input->element == conv->dtype && weight->element == conv->dtype);
    assert(conv->bias == (bias != NULL));
    assert(conv->out_dtype != ELEMENT_INT32 || (direct.integer && !conv->quant.given));
    assert(conv->out_dtype != ELEMENT_INT8 || conv->quant.given);
    assert(conv->quant.given == (conv->quant.scales != NULL));
    tensor_shape_output(conv, output);
    enum status status = direct_take(&direct, arena);
    if (status != STATUS_OK) {
        return status;
    }
    for (uint64_t group = 0; group < conv->groups; group++) {
        direct_decode_group(&direct, group);
        for (uint64_t n = 0; n < conv->batch; n++) {
            direct_decode_image(&direct, n, group);
            direct_image(&direct, n, group);
        }
    }
    return STATUS_OK;
}

struct comparison reference_compare(const struct tensor *result, const struct tensor *reference)
{
    struct comparison comparison = {.compared = reference->count};
    assert(result->element == reference->element && result->count == reference->count);
    for (uint64_t i = 0; i < reference->count; i++) {
        uint32_t found = element_load(result->element, result->data, i);
        uint32_t wanted = element_load(reference->element, reference->data, i);
        if (found == wanted) {
            continue;
        }
        double error = fabs(tensor_value(result, i) - tensor_value(reference, i));
        error = isfinite(error) ? error : (double)INFINITY;
        comparison.first_index = comparison.mismatches == 0 ? i : comparison.first_index;
        comparison.mismatches++;
        comparison.max_abs_error = fmax(comparison.max_abs_error, error);
    }
    return comparison;
}
