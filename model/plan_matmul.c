/*
 * Matrix products: the matmul: block, and tile: in the words of the vendor's TCubeTiling
 * (docs/plan.md section 7).
 */
#include <assert.h>

#include "engine/base/bind.h"
#include "model/plan_reader.h"

/* The layouts of one matrix, each with the format that stands for it in the convolution. */
struct matrix {
    const char *key;
    enum plan_word word;
    enum tensor_format nd, dn, nz; /* FORMAT_COUNT: there is no such layout */
};

static const struct matrix matrix_a = {"a_layout", WORD_INPUT_FORMAT, FORMAT_NHWC, FORMAT_NCHW,
                                       FORMAT_NC1HWC0};
static const struct matrix matrix_b = {"b_layout", WORD_WEIGHT_FORMAT, FORMAT_HWCN, FORMAT_NCHW,
                                       FORMAT_FRACTAL_Z};
static const struct matrix matrix_c = {"c_layout", WORD_OUTPUT_FORMAT, FORMAT_NHWC, FORMAT_COUNT,
                                       FORMAT_NC1HWC0};

static enum tensor_format read_layout(struct plan_reader *reader, const struct node *map,
                                      const struct matrix *matrix)
{
    static const char *const words[] = {"nd", "nz", "dn"};
    const enum tensor_format formats[] = {matrix->nd, matrix->nz, matrix->dn};
    const size_t count = matrix->dn == FORMAT_COUNT ? 2 : COUNT_OF(words);

    return formats[reader_choice(reader, map, matrix->key, matrix->word, words, count, 0)];
}

/* m, n and k, each at least 1; false when one is missing or refused. */
static bool read_shape(struct plan_reader *reader, const struct node *map)
{
    struct conv *conv = &reader->plan->conv;
    const struct size_row rows[] = {
        {"m", WORD_M, offsetof(struct conv, in[AXIS_W]), 1, true},
        {"n", WORD_N, offsetof(struct conv, cout), 1, true},
        {"k", WORD_K, offsetof(struct conv, cin), 1, true},
    };

    reader_sizes(reader, map, rows, COUNT_OF(rows), conv);
    conv->cin_group = conv->cin;
    conv->bias_length = conv->cout;
    return conv->in[AXIS_W] != 0 && conv->cout != 0 && conv->cin != 0;
}

/* A convolution of one image with a kernel of one point, but for its sizes and types. */
static void shape_conv(struct conv *conv)
{
    *conv = (struct conv){.rank = 1,
                          .batch = 1,
                          .groups = 1,
                          .dtype = ELEMENT_COUNT,
                          .stride_length = 1,
                          .padding_length = 2,
                          .dilation_length = 1};
    for (size_t axis = 0; axis < AXIS_COUNT; axis++) {
        conv->in[axis] = conv->kernel[axis] = conv->stride[axis] = conv->dilation[axis] = 1;
    }
    conv->in[AXIS_W] = 0;
}

void plan_read_matmul(struct plan_reader *reader, const struct node *map)
{
    static const char *const keys[] = {"m",         "n",        "k",        "dtype",
                                       "out_dtype", "hf32",     "quant",    "bias",
                                       "relu",      "a_layout", "b_layout", "c_layout"};
    struct plan *plan = reader->plan;
    struct conv *conv = &plan->conv;
    bool whole;

    plan->matmul = true;
    shape_conv(conv);
    if (!reader_keys(reader, map, keys, COUNT_OF(keys)) && map->kind != NODE_MAP) {
        return;
    }
    whole = read_shape(reader, map);
    plan_read_types(reader, map);
    reader_flag(reader, map, "bias", WORD_BIAS, &conv->bias);
    reader_flag(reader, map, "relu", WORD_RELU, &conv->relu);
    conv->input_format = read_layout(reader, map, &matrix_a);
    conv->weight_format = read_layout(reader, map, &matrix_b);
    conv->output_format = read_layout(reader, map, &matrix_c);
    if (whole && conv->dtype != ELEMENT_COUNT) {
        conv_derive(conv);
        plan_check_size(reader, WORD_M);
    }
}

/* Rows of k (or n) that lie behind each other: ND2NZ. Columns: DN2NZ. Rows of n also by ND2NZ, if
 * the load to L0B turns them over, which Load2D does for types of 16 bits. */
static bool product_has(const struct product *product, const struct conv *conv,
                        const struct matrix *matrix, enum tensor_format format)
{
    const bool turns = element_bits(conv->dtype) == 16;

    if (format == matrix->nz) {
        return true;
    }
    if (matrix == &matrix_c) {
        return arch_has_fixpipe(product->arch);
    }
    if (matrix == &matrix_a) {
        return format == matrix->nd ? arch_has_nd2nz(product->arch) : arch_has_dn2nz(product->arch);
    }
    if (format == matrix->dn) {
        return arch_has_nd2nz(product->arch);
    }
    return arch_has_dn2nz(product->arch) || (arch_has_nd2nz(product->arch) && turns);
}

/* Why a product has no such layout. */
static const char *lack_text(const struct product *product, const struct matrix *matrix,
                             enum tensor_format format)
{
    if (matrix == &matrix_c) {
        return "no fixpipe to store rows";
    }
    if (!arch_has_nd2nz(product->arch)) {
        return "no ND2NZ copy to bring it to L1";
    }
    return matrix == &matrix_a || format == matrix->dn
               ? "no DN2NZ copy to bring it to L1"
               : "no DN2NZ copy, and its Load2D transposes 16-bit types only";
}

static void fit_layout(struct plan_reader *reader, const struct matrix *matrix,
                       enum tensor_format *format)
{
    const struct product *product = reader->product;
    const struct conv *conv = &reader->plan->conv;
    const bool given = reader->plan->given[matrix->word];
    const bool other = matrix == &matrix_b && product_has(product, conv, matrix, matrix->dn);

    if (product_has(product, conv, matrix, *format)) {
        return;
    }
    if (!given && !arch_has_nd2nz(product->arch)) {
        *format = matrix->nz;
        return;
    }
    READER_REFUSE(reader, reader->plan->place[given ? matrix->word : WORD_DTYPE],
                  "found %s%s%s%s', but %s has %s; expected '%s: %s'", given ? "" : "no ",
                  matrix->key, given ? " '" : ", which means '",
                  *format == matrix->nd ? "nd" : "dn", product->soc,
                  lack_text(product, matrix, *format), matrix->key, other ? "dn' or 'nz" : "nz");
}

void plan_fit_matmul(struct plan_reader *reader)
{
    struct conv *conv = &reader->plan->conv;

    if (conv->dtype == ELEMENT_COUNT) {
        return;
    }
    fit_layout(reader, &matrix_a, &conv->input_format);
    fit_layout(reader, &matrix_b, &conv->weight_format);
    fit_layout(reader, &matrix_c, &conv->output_format);
    plan_fit_bias(reader);
}

#define BASE_ROW(key, word, field, required)                                                       \
    {                                                                                              \
        key, word, offsetof(struct tile_matmul, field), 1, required                                \
    }

void plan_read_tile_matmul(struct plan_reader *reader, const struct node *map)
{
    static const struct size_row rows[] = {
        BASE_ROW("baseM", WORD_BASE_M, base_m, true),
        BASE_ROW("baseN", WORD_BASE_N, base_n, true),
        BASE_ROW("baseK", WORD_BASE_K, base_k, true),
        BASE_ROW("stepM", WORD_STEP_M, step_m, false),
        BASE_ROW("stepN", WORD_STEP_N, step_n, false),
        BASE_ROW("stepKa", WORD_STEP_KA, step_ka, false),
        BASE_ROW("stepKb", WORD_STEP_KB, step_kb, false),
        BASE_ROW("depthA1", WORD_DEPTH_A1, depth_a1, false),
        BASE_ROW("depthB1", WORD_DEPTH_B1, depth_b1, false),
        BASE_ROW("l2_m", WORD_L2_M, l2_m, false),
        BASE_ROW("l2_n", WORD_L2_N, l2_n, false),
    };
    struct plan *plan = reader->plan;

    plan->form = TILE_MATMUL;
    plan->base = (struct tile_matmul){
        .step_m = 1, .step_n = 1, .step_ka = 1, .step_kb = 1, .l2_m = 1, .l2_n = 1};
    reader_map(reader, map, rows, COUNT_OF(rows), &plan->base);
}
