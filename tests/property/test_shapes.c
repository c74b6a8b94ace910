/*
 * Goal: the main job is right on the layers that people have.
 * Method: shapes of published networks and of operator test suites (tests/data), big ones shrunk in
 * batch, H and W, run with derived tiles on an A2 and a 950, verified bit for bit, with every
 * invariant of run_check.h, and once more in another type or on another product. CUBESIM_DEPTH=all
 * takes every shape, CUBESIM_DEPTH=few one of 24, for builds that sanitizers make slow; the
 * default takes one of three.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/csv.h"
#include "tests/support/depth.h"
#include "tests/support/run_check.h"

enum { MACS_MAX = 12 * 1000 * 1000, OUTPUTS_MAX = 5, BATCH_MAX = 2 };
/* Every so manieth shape is taken. */
static const struct depth steps = {.few = 24, .usual = 3, .all = 1};

enum { SHAPES_LEAST = 480 };

struct shape {
    long rank, batch, cin, cout, cin_group, groups;
    long in[3], kernel[3], stride[3], dilation[3], pad[3][2];
    char dtype[16];
    bool bias;
};

/* The smallest size with a few outputs along an axis, windows over both paddings included. */
static void shape_shrink_axis(struct shape *shape, int axis)
{
    long window = (shape->kernel[axis] - 1) * shape->dilation[axis] + 1;
    long pads = shape->pad[axis][0] + shape->pad[axis][1];
    long most = window + shape->stride[axis] * (OUTPUTS_MAX - 1) - pads + 1;
    if (axis == 2)
        most += shape->stride[axis] * 14; /* over one 16-wide block in W */
    if (most < 1)
        most = 1;
    if (shape->in[axis] > most)
        shape->in[axis] = most;
}

static long shape_macs(const struct shape *shape)
{
    long macs = shape->batch * shape->cout * shape->cin_group;
    for (int axis = 0; axis < 3; axis++) {
        long window = (shape->kernel[axis] - 1) * shape->dilation[axis] + 1;
        long out = (shape->in[axis] + shape->pad[axis][0] + shape->pad[axis][1] - window) /
                       shape->stride[axis] +
                   1;
        macs *= out * shape->kernel[axis];
    }
    return macs;
}

static void shape_shrink(struct shape *shape)
{
    if (shape->batch > BATCH_MAX)
        shape->batch = BATCH_MAX;
    for (int axis = 0; axis < 3; axis++)
        shape_shrink_axis(shape, axis);
    if (shape_macs(shape) > MACS_MAX)
        shape->batch = 1;
}

static int list_text(char *text, size_t size, const long *values, long rank)
{
    int length = snprintf(text, size, "[");
    for (long axis = 3 - rank; axis < 3; axis++)
        length += snprintf(text + length, size - (size_t)length, "%s%ld",
                           axis > 3 - rank ? ", " : "", values[axis]);
    return length + snprintf(text + length, size - (size_t)length, "]");
}

static void shape_yaml(const struct shape *shape, char *yaml, size_t size)
{
    char in[64], kernel[64], stride[64], dilation[64];
    list_text(in, sizeof in, shape->in, shape->rank);
    list_text(kernel, sizeof kernel, shape->kernel, shape->rank);
    list_text(stride, sizeof stride, shape->stride, shape->rank);
    list_text(dilation, sizeof dilation, shape->dilation, shape->rank);
    char pads[96] = "[";
    for (long axis = 3 - shape->rank; axis < 3; axis++)
        snprintf(pads + strlen(pads), sizeof pads - strlen(pads), "%s%ld, %ld",
                 axis > 3 - shape->rank ? ", " : "", shape->pad[axis][0], shape->pad[axis][1]);
    snprintf(yaml, size,
             "conv:\n  input: [%ld, %ld, %s\n  weight: [%ld, %ld, %s\n  stride: %s\n"
             "  dilation: %s\n  padding: %s]\n  groups: %ld\n  dtype: %s\n  bias: %s\n",
             shape->batch, shape->cin, in + 1, shape->cout, shape->cin_group, kernel + 1, stride,
             dilation, pads, shape->groups, shape->dtype, shape->bias ? "true" : "false");
}

/* Runs a shape on a product, with more words for its convolution; false when the rules refuse the
 * convolution itself. */
static bool shape_run(const struct shape *shape, const char *name, const char *product,
                      const char *more)
{
    char yaml[1024];
    shape_yaml(shape, yaml, sizeof yaml);
    snprintf(yaml + strlen(yaml), sizeof yaml - strlen(yaml), "%s", more);
    struct run_case *c = run_case_open(name);
    enum status status = run_case_load(c, yaml, product);
    if (status != STATUS_OK && status != STATUS_BROKEN)
        fail_msg("%s on %s: %s\n%s", name, product,
                 c->diag.count > 0 ? diag_text(&c->diag, 0) : status_sentence(status), yaml);
    if (status == STATUS_OK)
        run_case_go(c, 1, true);
    run_case_close(c);
    return status == STATUS_OK;
}

static void three(const char *text, long values[3])
{
    assert_int_equal(sscanf(text, "%ld %ld %ld", &values[0], &values[1], &values[2]), 3);
}

static bool shape_of_suite(const struct csv *csv, struct shape *shape)
{
    memset(shape, 0, sizeof *shape);
    const char *dtype = csv_text(csv, "dtype");
    bool known =
        strcmp(dtype, "fp16") == 0 || strcmp(dtype, "bf16") == 0 || strcmp(dtype, "fp32") == 0;
    if (!known || strcmp(csv_text(csv, "pypto_shape_ok"), "1") != 0 ||
        strcmp(csv_text(csv, "transposed"), "1") == 0)
        return false;
    snprintf(shape->dtype, sizeof shape->dtype, "%s", dtype);
    const char *format = csv_text(csv, "format");
    shape->rank = strchr(format, 'D') != NULL ? 3 : strchr(format, 'H') != NULL ? 2 : 1;
    shape->batch = csv_long(csv, "N");
    shape->cin = csv_long(csv, "Cin");
    shape->cout = csv_long(csv, "Cout");
    shape->cin_group = csv_long(csv, "CinPerGroup");
    shape->groups = csv_long(csv, "groups");
    shape->bias = strcmp(csv_text(csv, "bias"), "1") == 0;
    static const char *const in[] = {"D", "H", "W"}, *const kernel[] = {"Kd", "Kh", "Kw"};
    for (int axis = 0; axis < 3; axis++) {
        shape->in[axis] = csv_long(csv, in[axis]);
        shape->kernel[axis] = csv_long(csv, kernel[axis]);
    }
    three(csv_text(csv, "stride_dhw"), shape->stride);
    three(csv_text(csv, "dilation_dhw"), shape->dilation);
    long pads[6];
    assert_int_equal(sscanf(csv_text(csv, "pad_d0d1_h0h1_w0w1"), "%ld %ld %ld %ld %ld %ld",
                            &pads[0], &pads[1], &pads[2], &pads[3], &pads[4], &pads[5]),
                     6);
    for (int axis = 0; axis < 3; axis++) {
        shape->pad[axis][0] = pads[2 * axis];
        shape->pad[axis][1] = pads[2 * axis + 1];
    }
    if (shape->kernel[0] > 1 || shape->in[0] > 1)
        shape->rank = 3;
    else if (shape->rank == 1 && (shape->kernel[1] > 1 || shape->in[1] > 1))
        shape->rank = 2;
    return true;
}

static bool shape_of_network(const struct csv *csv, struct shape *shape)
{
    memset(shape, 0, sizeof *shape);
    snprintf(shape->dtype, sizeof shape->dtype, "%s", csv_text(csv, "dtype"));
    if (strcmp(shape->dtype, "fp16") != 0 && strcmp(shape->dtype, "int8") != 0)
        return false;
    shape->rank = 2;
    shape->batch = csv_long(csv, "batch");
    shape->cin = csv_long(csv, "cin");
    shape->cout = csv_long(csv, "cout");
    shape->groups = csv_long(csv, "groups");
    if (shape->groups < 1 || shape->cin % shape->groups != 0)
        return false;
    shape->cin_group = shape->cin / shape->groups;
    static const char *const in[] = {"hin", "win"}, *const kernel[] = {"kh", "kw"};
    static const char *const stride[] = {"stride_h", "stride_w"};
    static const char *const dilation[] = {"dil_h", "dil_w"};
    static const char *const pad[2][2] = {{"pad_top", "pad_bottom"}, {"pad_left", "pad_right"}};
    shape->in[0] = shape->kernel[0] = shape->stride[0] = shape->dilation[0] = 1;
    for (int axis = 1; axis < 3; axis++) {
        shape->in[axis] = csv_long(csv, in[axis - 1]);
        shape->kernel[axis] = csv_long(csv, kernel[axis - 1]);
        shape->stride[axis] = csv_long(csv, stride[axis - 1]);
        shape->dilation[axis] = csv_long(csv, dilation[axis - 1]);
        shape->pad[axis][0] = csv_long(csv, pad[axis - 1][0]);
        shape->pad[axis][1] = csv_long(csv, pad[axis - 1][1]);
    }
    shape->bias = csv->line % 3 == 0;
    return true;
}

typedef bool shape_reader(const struct csv *csv, struct shape *shape);

/* The same shapes in the types that tables seldom have, and on the products that few have; each
 * shape takes the next of them. */
static const struct variant {
    const char *product, *dtype, *more;
} variants[] = {
    {"atlas-a2", "int8", "  quant: {scale: 0.0625, offset: 3}\n"},
    {"ascend-950pr", "fp8_e4m3", "  quant: {scale: 0.5}\n"},
    {"ascend-950pr", "hif8", "  out_dtype: bf16\n"},
    {"atlas-a3", "fp32", "  hf32: true\n"},
    {"ascend-950pr", "int8", "  out_dtype: bf16\n  quant: {scale: 0.25}\n"},
    {"atlas-a3", "fp16", "  out_dtype: int8\n  quant: {scale: 0.0371, offset: -7}\n"},
    {"atlas-inference", "fp16", ""},
    {"atlas-training", "fp16", ""},
    {"atlas-inference", "int8", "  quant: {scale: 0.0371, offset: -7}\n"},
    {"atlas-training", "int8", ""},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static bool shape_run_variant(const struct shape *shape, const char *name, uint32_t number)
{
    const struct variant *variant = &variants[number % VARIANTS];
    struct shape own = *shape;
    snprintf(own.dtype, sizeof own.dtype, "%s", variant->dtype);
    own.bias = shape->bias && strcmp(variant->product, "atlas-training") != 0;
    return shape_run(&own, name, variant->product, variant->more);
}

/* Every n-th shape of a table on both products; those that run must be enough. */
static void run_table(const char *path, shape_reader *read)
{
    uint32_t runs = 0, variant_runs = 0, usable = 0, step = depth_choose(&steps);
    struct csv csv;
    csv_open(&csv, path);
    while (csv_next(&csv)) {
        struct shape shape;
        char name[96];
        if (!read(&csv, &shape))
            continue;
        shape_shrink(&shape);
        if (shape_macs(&shape) > MACS_MAX || shape_macs(&shape) < 1 || usable++ % step != 0)
            continue;
        snprintf(name, sizeof name, "%s:%u", path, csv.line);
        bool runs_on_a2 = shape_run(&shape, name, "atlas-a2", "");
        bool runs_on_950 = shape_run(&shape, name, "ascend-950pr", "");
        assert_int_equal(runs_on_a2, runs_on_950);
        runs += runs_on_a2;
        variant_runs += shape_run_variant(&shape, name, usable / step);
    }
    csv_close(&csv);
    print_message("%u of %u shapes of %s\n", runs, usable, path);
    assert_true(runs >= SHAPES_LEAST / step);
    assert_true(variant_runs >= runs - runs / 8);
}

static void test_shapes_of_operator_suites_run_without_a_mismatch(void **state)
{
    (void)state;
    run_table("tests/data/conv_shapes.csv", shape_of_suite);
}

static void test_layers_of_networks_run_without_a_mismatch(void **state)
{
    (void)state;
    run_table("tests/data/networks.csv", shape_of_network);
}

/* Corners that tables seldom have: rank, batch, cin, cout, cin_group, groups, sizes D H W, kernel,
 * stride, dilation, padding, type, bias. */
/* clang-format off */
static const struct shape corners[] = {
    /* stride over kernel, Cin 1 */
    {2, 1, 1, 17, 1, 1,
     {1, 20, 37}, {1, 3, 3}, {1, 5, 7}, {1, 1, 1}, {{0}, {1, 1}, {1, 1}},
     "fp16", true},
    /* Cin 5, Wout no multiple of 16, asymmetric padding, dilation */
    {2, 2, 5, 33, 5, 1,
     {1, 19, 29}, {1, 3, 5}, {1, 2, 1}, {1, 2, 3}, {{0}, {2, 0}, {1, 4}},
     "fp32", true},
    /* depthwise */
    {2, 1, 24, 24, 1, 24,
     {1, 9, 18}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {{0}, {1, 1}, {1, 1}},
     "fp16", false},
    /* groups with odd channels, int8 */
    {2, 1, 9, 15, 3, 3,
     {1, 8, 33}, {1, 2, 4}, {1, 1, 2}, {1, 1, 1}, {{0}, {0, 1}, {3, 0}},
     "int8", true},
    /* 1-D */
    {1, 3, 7, 19, 7, 1,
     {1, 1, 70}, {1, 1, 9}, {1, 1, 3}, {1, 1, 2}, {{0}, {0}, {5, 8}},
     "bf16", true},
    /* 3-D with padding depths and three different strides */
    {3, 1, 6, 20, 6, 1,
     {7, 9, 21}, {3, 2, 3}, {3, 2, 1}, {1, 2, 1}, {{2, 1}, {1, 0}, {1, 2}},
     "bf16", false},
    /* kernel as large as the input */
    {2, 1, 4, 16, 4, 1,
     {1, 6, 6}, {1, 6, 6}, {1, 1, 1}, {1, 1, 1}, {{0}, {0}, {0}},
     "fp16", true},
    /* one output */
    {2, 1, 1, 1, 1, 1,
     {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {{0}, {0}, {0}},
     "int8", false},
};
/* clang-format on */

static void test_corner_shapes_run_without_a_mismatch(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "corner %zu", i);
        assert_true(shape_run(&corners[i], name, "atlas-a2", ""));
        assert_true(shape_run(&corners[i], name, "ascend-950pr", ""));
        if (!corners[i].bias) /* 310B has no bias path */
            assert_true(shape_run(&corners[i], name, "ascend310b1", ""));
        for (uint32_t variant = 0; variant < VARIANTS; variant++)
            assert_true(shape_run_variant(&corners[i], name, variant));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corner_shapes_run_without_a_mismatch),
        cmocka_unit_test(test_shapes_of_operator_suites_run_without_a_mismatch),
        cmocka_unit_test(test_layers_of_networks_run_without_a_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
