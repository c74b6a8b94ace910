#include <assert.h>
#include <string.h>

#include "engine/base/bind.h"
#include "model/plan_reader.h"

enum { LIST_MAX = 64, SHAPE_MIN = 3, SHAPE_MAX = 5 };

/* An input or weight shape of 3 to 5 sizes; returns how many, 0 when it was refused. */
static size_t read_shape(struct plan_reader *reader, const struct node *map, const char *key,
                         enum plan_word word, uint64_t *sizes)
{
    const struct node *node = reader_require(reader, map, key, word);
    int64_t values[SHAPE_MAX];
    size_t count = 0;

    if (node == NULL || !reader_note(reader, bind_integers(node, SHAPE_MIN, SHAPE_MAX, 1, INT64_MAX,
                                                           reader->diag, values, &count))) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        sizes[i] = (uint64_t)values[i];
    }
    return count;
}

/* Reads both shapes into conv; false when one was refused or the ranks differ. */
static bool read_shapes(struct plan_reader *reader, const struct node *map)
{
    struct conv *conv = &reader->plan->conv;
    uint64_t input[SHAPE_MAX] = {0};
    uint64_t weight[SHAPE_MAX] = {0};
    const size_t input_count = read_shape(reader, map, "input", WORD_INPUT, input);
    const size_t weight_count = read_shape(reader, map, "weight", WORD_WEIGHT, weight);
    const size_t count = input_count != 0 ? input_count : weight_count;

    conv->rank = count != 0 ? (uint32_t)count - 2 : 2;
    if (input_count == 0 || weight_count == 0) {
        return false;
    }
    if (input_count != weight_count) {
        READER_REFUSE(reader, reader->plan->place[WORD_WEIGHT],
                      "found a weight of %zu sizes; expected %zu as the input has", weight_count,
                      input_count);
        return false;
    }
    conv->batch = input[0];
    conv->cin = input[1];
    conv->cout = weight[0];
    conv->cin_group = weight[1];
    for (size_t axis = 0; axis < AXIS_COUNT; axis++) {
        const bool written = axis + conv->rank >= AXIS_COUNT;

        conv->in[axis] = written ? input[axis + count - AXIS_COUNT] : 1;
        conv->kernel[axis] = written ? weight[axis + count - AXIS_COUNT] : 1;
    }
    return true;
}

/* A list of numbers per axis. Its length is for rule 5 to judge; *length keeps it. expected is the
 * right length and what a missing key stands for. Returns how many values there are to use. */
static size_t read_list(struct plan_reader *reader, const struct node *map, const char *key,
                        enum plan_word word, int64_t low, size_t expected, int64_t *values,
                        uint64_t *length)
{
    const struct node *node = reader_find(reader, map, key, word);
    size_t count = 0;

    *length = expected;
    if (node == NULL) {
        return 0;
    }
    if (node->kind != NODE_LIST) {
        READER_REFUSE(reader, node->place, "found no list for %s; expected a list of %zu numbers",
                      key, expected);
        return 0;
    }
    if (!reader_note(reader, bind_integers(node, 0, LIST_MAX, low, INT64_MAX, reader->diag, values,
                                           &count))) {
        return 0;
    }
    *length = count;
    return count < expected ? count : expected;
}

static void read_axes(struct plan_reader *reader, const struct node *map, const char *key,
                      enum plan_word word, uint64_t *axes, uint64_t *length)
{
    const size_t rank = reader->plan->conv.rank;
    int64_t values[LIST_MAX];
    const size_t count = read_list(reader, map, key, word, 1, rank, values, length);

    for (size_t axis = 0; axis < AXIS_COUNT; axis++) {
        axes[axis] = 1;
    }
    for (size_t i = 0; i < count; i++) {
        axes[AXIS_COUNT - rank + i] = (uint64_t)values[i];
    }
}

/* Padding is written in pairs: front back top bottom left right, the last rank pairs of them. */
static void read_padding(struct plan_reader *reader, const struct node *map)
{
    struct conv *conv = &reader->plan->conv;
    const size_t first = AXIS_COUNT - (size_t)conv->rank;
    int64_t values[LIST_MAX];
    const size_t count = read_list(reader, map, "padding", WORD_PADDING, 0, 2 * (size_t)conv->rank,
                                   values, &conv->padding_length);

    for (size_t i = 0; i < count; i++) {
        uint64_t *pads = i % 2 == 0 ? conv->pad_head : conv->pad_tail;

        pads[first + i / 2] = (uint64_t)values[i];
    }
}

static void read_bias(struct plan_reader *reader, const struct node *map)
{
    struct conv *conv = &reader->plan->conv;
    const struct node *length;

    reader_flag(reader, map, "bias", WORD_BIAS, &conv->bias);
    reader_flag(reader, map, "relu", WORD_RELU, &conv->relu);
    conv->bias_length = conv->cout;
    length = tree_find(map, "bias_length");
    if (length == NULL) {
        return;
    }
    (void)reader_size(reader, length, 1, &conv->bias_length);
    if (!conv->bias) {
        READER_REFUSE(reader, length->place,
                      "found bias_length without a bias; expected 'bias: true' beside it");
    } else {
        reader->plan->place[WORD_BIAS] = length->place;
    }
}

static enum tensor_format read_format(struct plan_reader *reader, const struct node *map,
                                      const char *key, enum plan_word word,
                                      const enum tensor_format *formats, size_t count)
{
    const char *words[FORMAT_COUNT];
    size_t index;

    assert(count <= FORMAT_COUNT);
    for (size_t i = 0; i < count; i++) {
        words[i] = format_word(formats[i]);
    }
    index = reader_choice(reader, map, key, word, words, count, 0);
    return formats[index];
}

static void read_formats(struct plan_reader *reader, const struct node *map)
{
    static const enum tensor_format inputs[] = {FORMAT_NC1HWC0, FORMAT_NCHW, FORMAT_NHWC};
    static const enum tensor_format weights[] = {FORMAT_FRACTAL_Z, FORMAT_NCHW, FORMAT_HWCN};
    struct conv *conv = &reader->plan->conv;

    conv->input_format =
        read_format(reader, map, "input_format", WORD_INPUT_FORMAT, inputs, COUNT_OF(inputs));
    conv->weight_format =
        read_format(reader, map, "weight_format", WORD_WEIGHT_FORMAT, weights, COUNT_OF(weights));
}

void plan_check_size(struct plan_reader *reader, enum plan_word word)
{
    const struct conv *conv = &reader->plan->conv;
    const struct place place = reader->plan->place[word];

    if (!conv_macs_fit(conv)) {
        READER_REFUSE(reader, place,
                      "found a %s of more than 2^63 multiply-accumulates; expected a number that "
                      "64 bits hold",
                      reader->plan->matmul ? "matrix product" : "convolution");
    }
    if (!conv_bytes_fit(conv)) {
        READER_REFUSE(reader, place,
                      "found tensors of more than 2^63 bytes; expected sizes that 64 bits hold");
    }
}

void plan_read_conv(struct plan_reader *reader, const struct node *map)
{
    static const char *const keys[] = {"input",       "weight",       "stride",       "padding",
                                       "dilation",    "groups",       "dtype",        "hf32",
                                       "quant",       "bias",         "relu",         "out_dtype",
                                       "bias_length", "input_format", "weight_format"};
    struct conv *conv = &reader->plan->conv;
    const struct node *groups;
    bool shapes_known;

    conv->dtype = ELEMENT_COUNT;
    if (!reader_keys(reader, map, keys, COUNT_OF(keys)) && map->kind != NODE_MAP) {
        return;
    }
    shapes_known = read_shapes(reader, map);
    read_axes(reader, map, "stride", WORD_STRIDE, conv->stride, &conv->stride_length);
    read_axes(reader, map, "dilation", WORD_DILATION, conv->dilation, &conv->dilation_length);
    read_padding(reader, map);
    conv->groups = 1;
    groups = reader_find(reader, map, "groups", WORD_GROUPS);
    if (groups != NULL) {
        (void)reader_size(reader, groups, 1, &conv->groups);
    }
    plan_read_types(reader, map);
    read_bias(reader, map);
    read_formats(reader, map);
    if (shapes_known && conv->dtype != ELEMENT_COUNT) {
        conv_derive(conv);
        plan_check_size(reader, WORD_INPUT);
    }
}

/* 950 converts NCHW on the way to L1 (DN2NZ); NHWC needs ND2NZ, HWCN needs DN2NZ. Weights of one
 * kernel point are rows of channels in NCHW: ND2NZ. */
static bool arch_has_format(enum arch arch, enum tensor_format format, bool rows)
{
    switch (format) {
    case FORMAT_NC1HWC0:
    case FORMAT_FRACTAL_Z:
        return true;
    case FORMAT_NCHW:
        return rows ? arch_has_nd2nz(arch) : arch_has_dn2nz(arch);
    case FORMAT_HWCN:
        return arch_has_dn2nz(arch);
    case FORMAT_NHWC:
        return arch_has_nd2nz(arch);
    case FORMAT_COUNT:
        break;
    }
    assert(false);
    return false;
}

static void fit_format(struct plan_reader *reader, enum plan_word word, const char *key,
                       enum tensor_format blocked, bool rows, enum tensor_format *format)
{
    const struct product *product = reader->product;

    if (!reader->plan->given[word]) {
        *format = arch_has_dn2nz(product->arch) ? FORMAT_NCHW : blocked;
    } else if (!arch_has_format(product->arch, *format, rows)) {
        READER_REFUSE(reader, reader->plan->place[word],
                      "found %s '%s', but %s has no %s to bring it to L1; expected '%s'", key,
                      format_word(*format), product->soc,
                      *format == FORMAT_NHWC || rows ? "ND2NZ copy" : "DN2NZ copy",
                      format_word(blocked));
    }
}

void plan_fit_conv(struct plan_reader *reader)
{
    struct conv *conv = &reader->plan->conv;
    const bool point = conv_kernel_points(conv) == 1;

    fit_format(reader, WORD_INPUT_FORMAT, "input_format", FORMAT_NC1HWC0, false,
               &conv->input_format);
    fit_format(reader, WORD_WEIGHT_FORMAT, "weight_format", FORMAT_FRACTAL_Z, point,
               &conv->weight_format);
    conv->output_format = conv->input_format;
    plan_fit_bias(reader);
}

void plan_fit_bias(struct plan_reader *reader)
{
    const struct product *product = reader->product;
    const struct plan *plan = reader->plan;

    if (plan->conv.bias && (product->arch == ARCH_3002 || product->arch == ARCH_1001)) {
        READER_REFUSE(reader, plan->place[WORD_BIAS],
                      "found a bias, but no hardware path for it is documented on %s; expected "
                      "'bias: false'",
                      product->soc);
    }
}
