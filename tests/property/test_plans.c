/*
 * Goal: every legal plan of a layer computes the same tensor, bit for bit, and keeps the books.
 * Method: seeded random layers, and for each of them random legal plans of both forms: tile sizes,
 * orders, residency, buffers, store policies, unit flags, core splits. The data are rough, so a sum
 * in another order than the documented one would show. Plans that a rule refuses are not counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/depth.h"
#include "tests/support/run_check.h"
#include "tests/support/splitmix.h"
#include "tests/support/text.h"

enum { LAYERS = 72 };

/* Of a layer. */
static const struct depth plans = {.few = 3, .usual = 12, .all = 48};

struct layer {
    const struct product_kind *on;
    const char *dtype, *out_dtype;
    bool hf32, quant;
    uint64_t rank, batch, groups, cin_group, cout_group;
    uint64_t in[3], kernel[3], stride[3], dilation[3], pad[3][2], out[3];
    uint64_t c0;
    bool bias, relu;
};

static uint64_t pick(uint64_t *random, uint64_t low, uint64_t high)
{
    return splitmix_range(random, low, high);
}

static const char *word(uint64_t *random, const char *const *words, uint64_t count)
{
    return words[pick(random, 0, count - 1)];
}

enum { ON_A2 = 1, ON_950 = 2, ON_310B = 4, ON_310P = 8, ON_910A = 16 };
enum { ON_FIXPIPE = ON_A2 | ON_950 | ON_310B, ON_COPY = ON_310P | ON_910A };

static const struct product_kind {
    const char *name;
    unsigned bit;
    bool bias, channels; /* it has a way for a bias, and for a scale of each channel */
    uint64_t cores;      /* at most 9 */
} products[] = {
    {"atlas-a2", ON_A2, true, true, 9},        {"ascend-950pr", ON_950, true, true, 9},
    {"ascend310b1", ON_310B, false, false, 1}, {"atlas-a3", ON_A2, true, true, 9},
    {"ascend310p3", ON_310P, true, true, 8},   {"ascend910a", ON_910A, false, true, 9},
};

/* What can be computed where: type, output, whether with a scale, and elements of 32 bytes. */
static const struct {
    const char *dtype, *out;
    bool quant;
    uint64_t c0;
    unsigned on;
} kinds[] = {
    {"fp16", "fp16", false, 16, ON_FIXPIPE | ON_COPY},
    {"fp16", "fp32", false, 16, ON_FIXPIPE | ON_COPY},
    {"fp16", "int8", true, 16, ON_FIXPIPE},
    {"fp16", "fp16", true, 16, ON_950},
    {"bf16", "bf16", false, 16, ON_FIXPIPE},
    {"bf16", "fp16", false, 16, ON_FIXPIPE},
    {"bf16", "fp8_e4m3", true, 16, ON_950},
    {"fp32", "fp32", false, 8, ON_FIXPIPE},
    {"fp32", "bf16", false, 8, ON_FIXPIPE},
    {"fp32", "int8", true, 8, ON_FIXPIPE},
    {"fp32", "fp32", true, 8, ON_950},
    {"int8", "int32", false, 32, ON_FIXPIPE | ON_COPY},
    {"int8", "int8", true, 32, ON_FIXPIPE | ON_COPY},
    {"int8", "fp16", true, 32, ON_FIXPIPE | ON_COPY},
    {"int8", "bf16", true, 32, ON_950},
    {"fp8_e4m3", "fp16", false, 32, ON_950},
    {"fp8_e4m3", "fp8_e4m3", true, 32, ON_950},
    {"fp8_e5m2", "fp32", false, 32, ON_950},
    {"fp8_e5m2", "hif8", true, 32, ON_950},
    {"hif8", "bf16", false, 32, ON_950},
    {"hif8", "hif8", true, 32, ON_950},
};

static void layer_types(struct layer *layer, uint64_t *random)
{
    uint64_t product = pick(random, 0, sizeof products / sizeof products[0] - 1);
    uint64_t kind = pick(random, 0, sizeof kinds / sizeof kinds[0] - 1);
    while ((kinds[kind].on & products[product].bit) == 0)
        kind = pick(random, 0, sizeof kinds / sizeof kinds[0] - 1);
    layer->on = &products[product];
    layer->dtype = kinds[kind].dtype;
    layer->out_dtype = kinds[kind].out;
    layer->quant = kinds[kind].quant;
    layer->c0 = kinds[kind].c0;
    layer->hf32 = strcmp(layer->dtype, "fp32") == 0 && pick(random, 0, 1) == 0;
}

static void layer_make(struct layer *layer, uint64_t *random)
{
    memset(layer, 0, sizeof *layer);
    layer_types(layer, random);
    layer->rank = pick(random, 1, 3);
    layer->batch = pick(random, 1, 3);
    layer->groups = pick(random, 0, 2) == 0 ? pick(random, 2, 3) : 1;
    layer->cin_group = pick(random, 1, 70);
    layer->cout_group = pick(random, 1, 70);
    layer->bias = layer->on->bias && pick(random, 0, 1) == 0;
    layer->relu = pick(random, 0, 1) == 0;
    for (uint64_t axis = 0; axis < 3; axis++) {
        layer->in[axis] = layer->kernel[axis] = layer->stride[axis] = layer->dilation[axis] = 1;
        layer->out[axis] = 1;
        if (axis < 3 - layer->rank)
            continue;
        uint64_t kernel = pick(random, 1, 3), dilation = pick(random, 1, 2);
        uint64_t head = pick(random, 0, kernel - 1), tail = pick(random, 0, kernel - 1);
        uint64_t window = (kernel - 1) * dilation + 1;
        uint64_t size = window + pick(random, 0, axis == 2 ? 50 : axis == 1 ? 12 : 2);
        layer->kernel[axis] = kernel;
        layer->dilation[axis] = axis == 0 ? 1 : dilation;
        layer->stride[axis] = pick(random, 1, 3);
        layer->in[axis] = size;
        layer->pad[axis][0] = head;
        layer->pad[axis][1] = tail;
        window = (kernel - 1) * layer->dilation[axis] + 1;
        layer->out[axis] = (size + head + tail - window) / layer->stride[axis] + 1;
    }
    if (layer->rank >= 2 && pick(random, 0, 1) == 0) { /* Wout a multiple of 16: tall tiles */
        layer->stride[2] = layer->kernel[2] = layer->dilation[2] = 1;
        layer->pad[2][0] = layer->pad[2][1] = 0;
        layer->in[2] = layer->out[2] = 16 * pick(random, 1, 3);
    }
}

static void layer_list(const struct layer *layer, const uint64_t *values, struct text *text)
{
    for (uint64_t axis = 3 - layer->rank; axis < 3; axis++)
        text_add(text, "%s%llu", axis > 3 - layer->rank ? ", " : "",
                 (unsigned long long)values[axis]);
}

/* Scales with ties, with digits that hardware cuts, above and below 1; for one channel or each. */
static void layer_quant(const struct layer *layer, uint64_t *random, struct text *text)
{
    static const char *const scales[] = {"0.5", "0.25", "0.0371", "1.7", "0.003"};
    bool by_channel = layer->on->channels && pick(random, 0, 1) == 0;
    uint64_t count = by_channel ? layer->groups * layer->cout_group : 1;
    text_add(text, "  quant: {scale: %s", by_channel ? "[" : "");
    for (uint64_t i = 0; i < count; i++)
        text_add(text, "%s%s", i > 0 ? ", " : "", word(random, scales, 5));
    text_add(text, "%s", by_channel ? "]" : "");
    if (strcmp(layer->out_dtype, "int8") == 0)
        text_add(text, ", offset: %d", (int)pick(random, 0, 63) - 32);
    text_add(text, "}\n");
}

static void layer_text(const struct layer *layer, uint64_t *random, struct text *text)
{
    static const char *const formats[][2] = {{"nchw", "nchw"},
                                             {"nhwc", "nchw"},
                                             {"nhwc", "hwcn"},
                                             {"nc1hwc0", "fractal_z"},
                                             {"nchw", "fractal_z"}};
    text_add(text, "conv:\n  input: [%llu, %llu, ", (unsigned long long)layer->batch,
             (unsigned long long)(layer->groups * layer->cin_group));
    layer_list(layer, layer->in, text);
    text_add(text, "]\n  weight: [%llu, %llu, ",
             (unsigned long long)(layer->groups * layer->cout_group),
             (unsigned long long)layer->cin_group);
    layer_list(layer, layer->kernel, text);
    text_add(text, "]\n  stride: [");
    layer_list(layer, layer->stride, text);
    text_add(text, "]\n  dilation: [");
    layer_list(layer, layer->dilation, text);
    text_add(text, "]\n  padding: [");
    for (uint64_t axis = 3 - layer->rank; axis < 3; axis++)
        text_add(text, "%s%llu, %llu", axis > 3 - layer->rank ? ", " : "",
                 (unsigned long long)layer->pad[axis][0], (unsigned long long)layer->pad[axis][1]);
    text_add(text, "]\n  groups: %llu\n  dtype: %s\n  bias: %s\n  relu: %s\n",
             (unsigned long long)layer->groups, layer->dtype, layer->bias ? "true" : "false",
             layer->relu ? "true" : "false");
    text_add(text, "  out_dtype: %s\n  hf32: %s\n", layer->out_dtype,
             layer->hf32 ? "true" : "false");
    if (layer->quant)
        layer_quant(layer, random, text);
    if (layer->on->bit == ON_950) {
        uint64_t format = pick(random, 0, 4);
        text_add(text, "  input_format: %s\n  weight_format: %s\n", formats[format][0],
                 formats[format][1]);
    } else if (layer->on->bit == ON_A2 && pick(random, 0, 3) == 0) {
        text_add(text, "  input_format: nhwc\n");
    }
}

static uint64_t up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

/* A divisor of value that is a multiple of step, by chance. */
static uint64_t divisor(uint64_t *random, uint64_t value, uint64_t step)
{
    uint64_t chosen = step;
    for (uint64_t part = step; part <= value; part += step)
        if (value % part == 0 && pick(random, 0, 1) == 0)
            chosen = part;
    return value % chosen == 0 ? chosen : value;
}

static void plan_pypto(const struct layer *layer, uint64_t *random, struct text *text)
{
    bool rows_free = layer->out[2] % 16 == 0;
    uint64_t h = rows_free ? pick(random, 1, layer->out[1]) : 1;
    uint64_t w = 16 * pick(random, 1, up(layer->out[2], 16) / 16);
    uint64_t cin = up(layer->cin_group, layer->c0), cout = up(layer->cout_group, 16);
    uint64_t n = 16 * pick(random, 1, cout / 16);
    uint64_t cin_a = divisor(random, cin, layer->c0), cin_b = divisor(random, cin, layer->c0);
    uint64_t points = layer->kernel[1] * layer->kernel[2];
    uint64_t k = divisor(random, (cin_a < cin_b ? cin_a : cin_b) * points, layer->c0);
    text_add(text,
             "tile_l1: {tileHin: 1, tileHout: %llu, tileWin: 1, tileWout: %llu, tileCinFmap: %llu, "
             "tileCinWeight: %llu, tileN: %llu, tileBatch: 1}\n",
             (unsigned long long)h, (unsigned long long)w, (unsigned long long)cin_a,
             (unsigned long long)cin_b, (unsigned long long)n);
    text_add(text, "tile_l0: {tileH: %llu, tileW: %llu, tileK: %llu, tileN: %llu}\n",
             (unsigned long long)pick(random, 1, h),
             (unsigned long long)(16 * pick(random, 1, w / 16)), (unsigned long long)k,
             (unsigned long long)(16 * pick(random, 1, n / 16)));
}

static void plan_vendor(const struct layer *layer, uint64_t *random, struct text *text)
{
    uint64_t cin = up(layer->cin_group, layer->c0), cout = up(layer->cout_group, 16);
    uint64_t points = layer->kernel[1] * layer->kernel[2];
    uint64_t n0 = 16 * pick(random, 1, cout / 16), n1 = n0 * pick(random, 1, 2);
    uint64_t k_a = divisor(random, cin, layer->c0) * points;
    uint64_t k_b = divisor(random, cin, layer->c0) * points;
    uint64_t k = divisor(random, k_a < k_b ? k_a : k_b, layer->c0);
    uint64_t m0 = 16 * pick(random, 1, up(layer->out[1] * layer->out[2], 16) / 16);
    text_add(text,
             "tile: {mAL1: %llu, nBL1: %llu, kAL1: %llu, kBL1: %llu, mL0: %llu, kL0: %llu, "
             "nL0: %llu, pBufferFlag: %llu, iterateMNOrder: %llu}\n",
             (unsigned long long)(m0 * pick(random, 1, 2)),
             (unsigned long long)(n1 < cout ? n1 : n0), (unsigned long long)k_a,
             (unsigned long long)k_b, (unsigned long long)m0, (unsigned long long)k,
             (unsigned long long)n0, (unsigned long long)pick(random, 0, 31),
             (unsigned long long)pick(random, 0, 1));
}

/* The vendor's rectangles: rows and columns in place of a linear range. */
static void plan_rectangle(const struct layer *layer, uint64_t *random, struct text *text)
{
    uint64_t cin = up(layer->cin_group, layer->c0), cout = up(layer->cout_group, 16);
    uint64_t points = layer->kernel[1] * layer->kernel[2];
    uint64_t n0 = 16 * pick(random, 1, cout / 16);
    uint64_t k_a = divisor(random, cin, layer->c0) * points;
    uint64_t k_b = divisor(random, cin, layer->c0) * points;
    uint64_t w1 = 16 * pick(random, 1, up(layer->out[2], 16) / 16);
    uint64_t h0 = w1 >= layer->out[2] ? pick(random, 1, layer->out[1]) : 1;
    uint64_t h1 = h0 * pick(random, 1, 2);
    text_add(text,
             "tile: {hoL1: %llu, woL1: %llu, hoL0: %llu, woL0: %llu, nBL1: %llu, kAL1: %llu, "
             "kBL1: %llu, kL0: %llu, nL0: %llu, pBufferFlag: %llu, iterateMNOrder: %llu}\n",
             (unsigned long long)(h1 < layer->out[1] ? h1 : h0), (unsigned long long)w1,
             (unsigned long long)h0,
             (unsigned long long)(h0 > 1 ? w1 : 16 * pick(random, 1, w1 / 16)),
             (unsigned long long)n0, (unsigned long long)k_a, (unsigned long long)k_b,
             (unsigned long long)divisor(random, k_a < k_b ? k_a : k_b, layer->c0),
             (unsigned long long)n0, (unsigned long long)pick(random, 0, 31),
             (unsigned long long)pick(random, 0, 1));
}

static void plan_schedule(const struct layer *layer, uint64_t *random, bool vendor,
                          struct text *text)
{
    static const char *const residencies[] = {"reload", "keep", "prefetch"};
    static const char *const stores[] = {"row", "tile"};
    static const char *const orders[] = {"m_first", "n_first"};
    /* Planes of 8 channels are stored without unit flags. */
    bool planes = strstr(text->bytes, "input_format: nchw") == NULL &&
                  strstr(text->bytes, "input_format: nhwc") == NULL;
    bool flags =
        (layer->on->bit & ON_FIXPIPE) != 0 && !(planes && strcmp(layer->out_dtype, "fp32") == 0);
    text_add(text, "schedule:\n  residency: %s\n  fixpipe: %s\n  unit_flag: %s\n  l2: %s\n",
             word(random, residencies, 3), word(random, stores, 2),
             pick(random, 0, 2) == 0 && flags ? "true" : "false",
             pick(random, 0, 1) == 0 ? "warm" : "cold");
    text_add(text, "  handover: %s\n", pick(random, 0, 1) == 0 ? "step" : "operand");
    text_add(text, "  cores: %llu\n", (unsigned long long)pick(random, 1, 1));
    if (vendor)
        return;
    text_add(text, "  order: %s\n", word(random, orders, 2));
    static const char *const buffers[] = {"l1a", "l1b", "l0a", "l0b", "l0c"};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (pick(random, 0, 1) == 0)
            text_add(text, "  %s_buffers: %llu\n", buffers[i],
                     (unsigned long long)pick(random, 1, 2));
}

static void cores_instead(struct text *text, uint64_t cores)
{
    char *at = strstr(text->bytes, "  cores: 1\n");
    assert_non_null(at);
    at[9] = (char)('0' + cores);
}

/* Loads and runs one plan; false when a rule or a buffer refuses it. */
static bool plan_run(const struct layer *layer, const struct text *text, uint64_t seed,
                     const char *name)
{
    struct run_case *c = run_case_open(name);
    c->rough = true;
    enum status status = run_case_load(c, text->bytes, layer->on->name);
    if (status != STATUS_OK && status != STATUS_BROKEN)
        fail_msg("%s: %s\n%s", name,
                 c->diag.count > 0 ? diag_text(&c->diag, 0) : status_sentence(status), text->bytes);
    if (status == STATUS_OK)
        run_case_go(c, seed, true);
    run_case_close(c);
    return status == STATUS_OK;
}

static void test_every_legal_plan_of_a_layer_gives_the_same_tensor(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed();
    uint32_t runs = 0, plan_count = depth_choose(&plans);
    for (uint32_t i = 0; i < LAYERS; i++) {
        struct layer layer;
        layer_make(&layer, &random);
        struct text base = {.length = 0};
        layer_text(&layer, &random, &base);
        for (uint32_t plan = 0; plan < plan_count; plan++) {
            struct text text = base;
            char name[64];
            bool vendor = pick(&random, 0, 2) == 0;
            snprintf(name, sizeof name, "layer %u plan %u on %s", i, plan, layer.on->name);
            if (vendor && plan % 2 == 0)
                plan_rectangle(&layer, &random, &text);
            else if (vendor)
                plan_vendor(&layer, &random, &text);
            else
                plan_pypto(&layer, &random, &text);
            plan_schedule(&layer, &random, vendor, &text);
            cores_instead(&text, pick(&random, 1, layer.on->cores));
            runs += plan_run(&layer, &text, i + 1, name);
        }
    }
    print_message("%u plans ran\n", runs);
    assert_true(runs > LAYERS * plan_count / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_legal_plan_of_a_layer_gives_the_same_tensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
