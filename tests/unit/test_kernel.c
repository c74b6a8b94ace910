/*
 * Measured kernels: what a run is like, which of them is nearest, and what lies outside of all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/kernel.h"
#include "tests/support/run_check.h"

#define KERNEL_LINES(name, arch, soc, type, macs, cores, stride)                                   \
    "- name: " name "\n  file: f.yaml\n  source: s\n  metric: task\n  use: fit\n  row: 7\n"        \
    "  measured_ns: 1500\n  error_permille: -12\n  arch: " arch "\n  soc: " soc "\n"               \
    "  operation: conv\n  type: " type "\n  input: nhwc\n  weight: hwcn\n  policy: vendor\n"       \
    "  macs: " macs "\n  read_bytes: 64\n  tile_m: 16\n  tile_n: 16\n  cores: " cores "\n"         \
    "  row_bytes: 32\n  time_ns: 1000\n  miss_permille: 100\n  useful_permille: 900\n"             \
    "  stride: " stride "\n  dilation: 1\n  kernel: 9\n  depth: 1\n  channels: 64\n  groups: 1\n"  \
    "  bias: 0\n  quant: 0\n"

static const char three[] =
    "kernels:\n" KERNEL_LINES("a", "dav-2201", "x1", "fp16", "1000", "4", "1")
        KERNEL_LINES("b", "dav-2201", "x1", "bf16", "4000", "8", "3")
            KERNEL_LINES("c", "dav-3510", "y1", "fp32", "1000", "4", "1");

struct reading {
    struct arena arena;
    struct diag diag;
    struct kernel_table table;
    enum status status;
};

static void reading_init(struct reading *reading, const char *text)
{
    const struct node *root = NULL;
    arena_init(&reading->arena, 0);
    diag_init(&reading->diag);
    assert_int_equal(
        tree_parse("kernels.yaml", text, strlen(text), &reading->arena, &reading->diag, &root),
        STATUS_OK);
    reading->status = kernel_table_read(root, &reading->arena, &reading->diag, &reading->table);
}

static void reading_deinit(struct reading *reading)
{
    diag_deinit(&reading->diag);
    arena_deinit(&reading->arena);
}

static void test_a_table_is_read_with_all_its_facts(void **state)
{
    (void)state;
    struct reading reading;
    reading_init(&reading, three);
    assert_int_equal(reading.status, STATUS_OK);
    assert_int_equal(reading.table.count, 3);
    const struct measured_kernel *b = &reading.table.kernels[1];
    assert_string_equal(b->name, "b");
    assert_int_equal(b->error_permille, -12);
    assert_int_equal(b->measured_ns, 1500);
    assert_int_equal(b->row, 7);
    assert_string_equal(b->kernel.word[KERNEL_TYPE], "bf16");
    assert_int_equal(b->kernel.number[KERNEL_CORES], 8);
    assert_int_equal(b->kernel.number[KERNEL_STRIDE], 3);
    assert_int_equal(reading.table.kernels[2].kernel.arch, ARCH_3510);
    reading_deinit(&reading);
}

static void test_a_table_that_is_none_is_refused_at_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"kernel: []\n", "kernels"},
        {"kernels: 3\n", "expected a list of kernels"},
        {"kernels:\n" KERNEL_LINES("a", "dav-1", "x1", "fp16", "1", "4", "1"), "found 'dav-1'"},
        {"kernels:\n" KERNEL_LINES("a", "dav-2201", "x1", "fp16", "-1", "4", "1"), "'-1'"},
        {"kernels:\n" KERNEL_LINES("a", "dav-2201", "x1", "fp16", "1", "4", "1") "  cors: 1\n",
         "cors"},
        {"kernels:\n- name: a\n", "file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading reading;
        reading_init(&reading, rows[i].text);
        assert_int_equal(reading.status, STATUS_BAD_INPUT);
        assert_non_null(strstr(diag_text(&reading.diag, 0), "kernels.yaml:"));
        assert_non_null(strstr(diag_text(&reading.diag, 0), rows[i].message));
        reading_deinit(&reading);
    }
}

static void assert_near(double value, double expected)
{
    double off = value > expected ? value - expected : expected - value;
    if (off > 1e-9)
        fail_msg("%.17g is not %.17g", value, expected);
}

static void test_distance_is_that_of_logarithms_and_words(void **state)
{
    (void)state;
    static const double ln_2 = 0.69314718055994530942;
    struct reading reading;
    reading_init(&reading, three);
    const struct kernel *a = &reading.table.kernels[0].kernel;
    struct kernel other = *a;
    assert_near(kernel_distance(a, &other), 0.0);
    other.number[KERNEL_MACS] *= 2;
    assert_near(kernel_distance(a, &other), ln_2);
    assert_near(kernel_distance(&other, a), ln_2);
    other = *a;
    other.number[KERNEL_TIME_NS] *= 2; /* what follows from the rest does not count */
    other.number[KERNEL_STRIDE] = 5;
    assert_near(kernel_distance(a, &other), 0.0);
    other.word[KERNEL_OPERATION] = "matmul";
    assert_near(kernel_distance(a, &other), 2.0);
    other = *a;
    other.word[KERNEL_TYPE] = "int8";
    assert_near(kernel_distance(a, &other), 1.0);
    other = *a;
    other.soc = "x2";
    assert_near(kernel_distance(a, &other), 1.0);
    reading_deinit(&reading);
}

static void test_the_nearest_kernel_is_of_the_same_architecture(void **state)
{
    (void)state;
    struct reading reading;
    double distance = -1.0;
    reading_init(&reading, three);
    struct kernel kernel = reading.table.kernels[2].kernel;
    assert_string_equal(kernel_nearest(&reading.table, &kernel, &distance)->name, "c");
    assert_near(distance, 0.0);
    kernel = reading.table.kernels[1].kernel;
    assert_string_equal(kernel_nearest(&reading.table, &kernel, &distance)->name, "b");
    kernel.number[KERNEL_MACS] = 1000;
    kernel.number[KERNEL_CORES] = 4;
    kernel.word[KERNEL_TYPE] = "fp16";
    assert_string_equal(kernel_nearest(&reading.table, &kernel, &distance)->name, "a");
    kernel.number[KERNEL_MACS] = 2000; /* as far from one as from the other, but for the cores */
    reading.table.kernels[0].kernel.number[KERNEL_CORES] = 4;
    reading.table.kernels[1].kernel.number[KERNEL_CORES] = 4;
    reading.table.kernels[1].kernel.word[KERNEL_TYPE] = "fp16";
    assert_string_equal(kernel_nearest(&reading.table, &kernel, &distance)->name, "a");
    kernel.arch = ARCH_2002;
    assert_null(kernel_nearest(&reading.table, &kernel, &distance));
    reading_deinit(&reading);
}

static void test_outside_is_what_no_kernel_of_the_architecture_was(void **state)
{
    (void)state;
    struct reading reading;
    uint64_t range[2];
    reading_init(&reading, three);
    struct kernel kernel = reading.table.kernels[0].kernel;
    assert_true(kernel_range(&reading.table, ARCH_2201, KERNEL_CORES, range));
    assert_int_equal(range[0], 4);
    assert_int_equal(range[1], 8);
    static const struct {
        uint64_t cores;
        bool outside;
    } rows[] = {{3, true}, {4, false}, {6, false}, {8, false}, {9, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel.number[KERNEL_CORES] = rows[i].cores;
        assert_int_equal(kernel_number_outside(&reading.table, &kernel, KERNEL_CORES),
                         rows[i].outside);
    }
    kernel.number[KERNEL_MACS] = 1; /* a size is no kind of kernel */
    assert_false(kernel_number_outside(&reading.table, &kernel, KERNEL_MACS));
    assert_false(kernel_word_outside(&reading.table, &kernel, KERNEL_TYPE));
    kernel.word[KERNEL_TYPE] = "fp32"; /* measured, but on another architecture */
    assert_true(kernel_word_outside(&reading.table, &kernel, KERNEL_TYPE));
    kernel.arch = ARCH_1001;
    assert_false(kernel_range(&reading.table, kernel.arch, KERNEL_CORES, range));
    assert_false(kernel_word_outside(&reading.table, &kernel, KERNEL_TYPE));
    assert_false(kernel_number_outside(&reading.table, &kernel, KERNEL_CORES));
    reading_deinit(&reading);
}

static void kernel_of_plan(const char *yaml, const char *product, struct kernel *kernel)
{
    struct run_case *c = run_case_open("kernel");
    if (run_case_load(c, yaml, product) != STATUS_OK)
        fail_msg("%s", c->diag.count > 0 ? diag_text(&c->diag, 0) : "rules");
    run_case_go(c, 1, false);
    kernel_of(&c->plan, &c->result, kernel);
    uint64_t read = c->result.gm_read_bytes, cycles = c->result.cycles;
    uint64_t mhz = product_whole(&c->product, PRODUCT_CHIP_CLOCK);
    assert_int_equal(kernel->number[KERNEL_READ_BYTES], read);
    assert_int_equal(kernel->number[KERNEL_MISS_PERMILLE],
                     (1000 * c->result.gm_miss_bytes + read / 2) / read);
    assert_int_equal(kernel->number[KERNEL_TIME_NS], (1000 * cycles + mhz / 2) / mhz);
    run_case_close(c);
}

static void test_a_convolution_is_told_by_what_it_is(void **state)
{
    (void)state;
    struct kernel kernel;
    kernel_of_plan("conv: {input: [1, 48, 9, 20], weight: [32, 24, 3, 2], stride: [1, 2], "
                   "dilation: [3, 1], groups: 2, dtype: fp16, bias: true}\n"
                   "tile: {mAL1: 32, mL0: 16, nBL1: 16, nL0: 16, kAL1: 192, kBL1: 192, kL0: 96}\n"
                   "schedule: {cores: 1}\n",
                   "atlas-a2", &kernel);
    assert_int_equal(kernel.arch, ARCH_2201);
    assert_int_equal(kernel.number[KERNEL_MACS], 32 * 3 * 10 * 24 * 6);
    assert_int_equal(kernel.number[KERNEL_STRIDE], 2);
    assert_int_equal(kernel.number[KERNEL_DILATION], 3);
    assert_int_equal(kernel.number[KERNEL_KERNEL], 6);
    assert_int_equal(kernel.number[KERNEL_CHANNELS], 24);
    assert_int_equal(kernel.number[KERNEL_GROUPS], 2);
    assert_int_equal(kernel.number[KERNEL_BIAS], 1);
    assert_int_equal(kernel.number[KERNEL_TILE_M], 16);
    assert_int_equal(kernel.number[KERNEL_ROW_BYTES], 20 * 32);
    assert_int_equal(kernel.number[KERNEL_USEFUL_PERMILLE], 703); /* 24 of 32, 30 of 32 */
    assert_string_equal(kernel.word[KERNEL_INPUT], "nc1hwc0");
    assert_string_equal(kernel.word[KERNEL_POLICY], "vendor"); /* as its tile */
}

static void test_layouts_are_told_by_what_copies_them(void **state)
{
    (void)state;
    struct kernel kernel;
    kernel_of_plan("conv: {input: [1, 16, 6, 20], weight: [16, 16, 3, 3], dtype: fp32}\n",
                   "ascend-950pr", &kernel);
    assert_string_equal(kernel.word[KERNEL_INPUT], "nchw by DN2NZ");
    assert_string_equal(kernel.word[KERNEL_WEIGHT], "nchw by DN2NZ");
    assert_int_equal(kernel.number[KERNEL_ROW_BYTES], 20 * 4);
    kernel_of_plan("matmul: {m: 96, n: 48, k: 200, dtype: fp16, b_layout: dn}\n"
                   "tile: {baseM: 32, baseN: 48, baseK: 64, stepKa: 2, stepKb: 2}\n",
                   "atlas-a2", &kernel);
    assert_string_equal(kernel.word[KERNEL_OPERATION], "matmul");
    assert_string_equal(kernel.word[KERNEL_INPUT], "nhwc");
    assert_string_equal(kernel.word[KERNEL_WEIGHT], "nchw of one point");
    assert_int_equal(kernel.number[KERNEL_ROW_BYTES], 128 * 2);
    assert_int_equal(kernel.number[KERNEL_TILE_M], 32);
    assert_int_equal(kernel.number[KERNEL_MACS], 96 * 48 * 200);
    /* A chunk of K that goes beyond the matrix copies no more than a row of it. */
    kernel_of_plan("matmul: {m: 96, n: 48, k: 40, dtype: fp16, b_layout: dn}\n"
                   "tile: {baseM: 16, baseN: 48, baseK: 48}\n",
                   "atlas-a2", &kernel);
    assert_int_equal(kernel.number[KERNEL_ROW_BYTES], 40 * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_table_is_read_with_all_its_facts),
        cmocka_unit_test(test_a_table_that_is_none_is_refused_at_its_place),
        cmocka_unit_test(test_distance_is_that_of_logarithms_and_words),
        cmocka_unit_test(test_the_nearest_kernel_is_of_the_same_architecture),
        cmocka_unit_test(test_outside_is_what_no_kernel_of_the_architecture_was),
        cmocka_unit_test(test_a_convolution_is_told_by_what_it_is),
        cmocka_unit_test(test_layouts_are_told_by_what_copies_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
