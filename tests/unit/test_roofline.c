/*
 * The roofline: made-up runs on a made-up product, worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/roofline.h"
#include "model/run.h"
#include "tests/support/product_sample.h"

static struct sample sample;

static int setup(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "chip.cores=8",
        "gm.rate=10 B/cycle",
        "l2.read_rate=20 B/cycle",
        "l2.write_rate=15 B/cycle",
        "mte2.port=50 B/cycle",
        "fixp.port=25 B/cycle",
        "mte1.l1_to_l0a.rate=64 B/cycle",
        "mte1.l1_to_l0b.rate=32 B/cycle",
    };
    sample_load(&sample, "ascend910b1");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        assert_int_equal(sample_set(&sample, sets[i]), STATUS_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sample_deinit(&sample);
    return 0;
}

/* Of a run on 2 of the 8 cores: 100,000 cycles, 64 M MACs. */
static struct run_result two_cores(void)
{
    return (struct run_result){
        .cores = 2,
        .cycles = 100000,
        .macs = 64000000,
        .mmad_macs = 80000000,
        .cube_macs = 81920000,
        .cube_step_cycles = 40000,
        .gm_read_bytes = 6000000,
        .gm_miss_bytes = 1000000,
        .l0a_bytes = 3200000,
        .l0b_bytes = 1600000,
        .l0c_bytes = 500000,
    };
}

static void assert_about(double value, double expected)
{
    double off = value > expected ? value - expected : expected - value;
    if (off > 1e-12 * expected)
        fail_msg("%.17g is not %.17g", value, expected);
}

static void assert_level(const struct roof *roof, double bytes_per_cycle, double most,
                         double macs_per_byte)
{
    assert_about(roof->bytes_per_cycle, bytes_per_cycle);
    assert_about(roof->roof_bytes_per_cycle, most);
    assert_about(roof->macs_per_byte, macs_per_byte);
    assert_about(roof->roof_macs_per_cycle, most * macs_per_byte);
    assert_about(roof->reached, bytes_per_cycle / most);
}

/* The links give 8 shares to whoever asks, a core takes no more than its port; a byte of L0A takes
 * half as long as one of L0B, so the two together have a joint rate. */
static void each_level_has_the_rate_of_its_link_or_its_ports(void **state)
{
    (void)state;
    struct run_result result = two_cores();
    struct roofline roofline;
    roofline_find(&result, &sample.product, &roofline);
    assert_about(roofline.macs_per_cycle, 640.0);
    assert_level(&roofline.level[ROOF_GM], 10.0, 80.0, 64.0);
    assert_level(&roofline.level[ROOF_L2], 50.0, 100.0, 12.8);
    assert_level(&roofline.level[ROOF_L0A], 32.0, 128.0, 20.0);
    assert_level(&roofline.level[ROOF_L0B], 16.0, 64.0, 40.0);
    /* 3.2 MB at 128 and 1.6 MB at 64 B/cycle take 25,000 cycles each */
    assert_level(&roofline.level[ROOF_MTE1], 48.0, 96.0, 64.0 / 4.8);
    assert_level(&roofline.level[ROOF_L0C], 5.0, 50.0, 128.0);
}

/* 81.92 M MACs in 20,000 cycles of two cubes. */
static void the_cube_has_the_rate_of_its_steps(void **state)
{
    (void)state;
    struct run_result result = two_cores();
    struct roofline roofline;
    roofline_find(&result, &sample.product, &roofline);
    assert_about(roofline.level[ROOF_CUBE].roof_macs_per_cycle, 4096.0);
    assert_about(roofline.level[ROOF_CUBE].reached, 640.0 / 4096.0);
    assert_int_equal(roofline.level[ROOF_CUBE].bytes, 0);
}

static void the_nearest_roof_is_the_one_that_is_reached_most(void **state)
{
    (void)state;
    struct run_result result = two_cores();
    struct roofline roofline;
    result.gm_read_bytes = 1000000;
    roofline_find(&result, &sample.product, &roofline);
    assert_int_equal(roofline.nearest, ROOF_MTE1);
    result.cube_step_cycles = 160000;
    roofline_find(&result, &sample.product, &roofline);
    assert_int_equal(roofline.nearest, ROOF_CUBE);
    result.gm_miss_bytes = result.gm_read_bytes = 7000000;
    roofline_find(&result, &sample.product, &roofline);
    assert_int_equal(roofline.nearest, ROOF_GM);
}

/* A convolution counts the depths of its kernel that lie in the padding; no Mmad does them. */
static void what_no_mmad_did_is_not_reached(void **state)
{
    (void)state;
    struct run_result result = two_cores();
    struct roofline roofline;
    result.macs = 90000000;
    roofline_find(&result, &sample.product, &roofline);
    assert_about(roofline.macs_per_cycle, 800.0);
    assert_about(roofline.level[ROOF_CUBE].reached, 800.0 / 4096.0);
}

/* No port of a core bounds what L2 writes back. */
static void what_l2_gives_back_counts_at_gm(void **state)
{
    (void)state;
    struct run_result result = two_cores();
    struct roofline roofline;
    assert_int_equal(sample_set(&sample, "mte2.port=12 B/cycle"), STATUS_OK);
    roofline_find(&result, &sample.product, &roofline);
    assert_level(&roofline.level[ROOF_GM], 10.0, 24.0, 64.0);
    result.gm_write_back_bytes = 3000000;
    roofline_find(&result, &sample.product, &roofline);
    assert_level(&roofline.level[ROOF_GM], 40.0, 80.0, 16.0);
    assert_int_equal(sample_set(&sample, "mte2.port=50 B/cycle"), STATUS_OK);
}

static void a_run_of_nothing_has_no_roof(void **state)
{
    (void)state;
    struct run_result result = {.cores = 1};
    struct roofline roofline;
    roofline_find(&result, &sample.product, &roofline);
    assert_int_equal(roofline.nearest, ROOF_COUNT);
    for (enum roof_level level = 0; level < ROOF_COUNT; level++)
        assert_true(roofline.level[level].reached == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_has_the_rate_of_its_link_or_its_ports),
        cmocka_unit_test(the_cube_has_the_rate_of_its_steps),
        cmocka_unit_test(the_nearest_roof_is_the_one_that_is_reached_most),
        cmocka_unit_test(what_no_mmad_did_is_not_reached),
        cmocka_unit_test(what_l2_gives_back_counts_at_gm),
        cmocka_unit_test(a_run_of_nothing_has_no_roof),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
