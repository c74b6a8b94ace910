/* The rate of Load3D, and that the search for tiles counts with it. */
#include "tests/unit/tile_fixture.h"

#include "model/load3d_rate.h"

static uint64_t bytes_per_cycle(const struct tile_bench *bench, uint64_t stride_w, uint64_t rows)
{
    return load3d_rate(&bench->product, stride_w, rows).value / 65536;
}

static void rows_and_strides_slow_a_load3d(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    assert_int_equal(bytes_per_cycle(&bench, 1, 1), 256);
    assert_int_equal(bytes_per_cycle(&bench, 1, 2), 256);
    assert_int_equal(bytes_per_cycle(&bench, 1, 3), 128);
    assert_int_equal(bytes_per_cycle(&bench, 2, 1), 128);
    assert_int_equal(bytes_per_cycle(&bench, 1, 4), 102);
    assert_int_equal(bytes_per_cycle(&bench, 2, 3), 85);
    assert_int_equal(bytes_per_cycle(&bench, 1, 16), 32);
    assert_int_equal(bytes_per_cycle(&bench, 1, 15), 32);
    assert_int_equal(bytes_per_cycle(&bench, 1, 14), 34);
    assert_int_equal(bytes_per_cycle(&bench, 3, 1), 32);
    assert_int_equal(bytes_per_cycle(&bench, 16, 1), 32);
    assert_int_equal(load3d_rate(&bench.product, 1, 1).key, PRODUCT_MTE1_LOAD3D_BUDGET);
    assert_int_equal(load3d_rate(&bench.product, 1, 17).key, PRODUCT_MTE1_LOAD3D_L0A_FLOOR);
    bench_set(&bench, "mte1.l1_to_l0a.rate=200 B/cycle");
    assert_int_equal(bytes_per_cycle(&bench, 1, 1), 200);
    assert_int_equal(load3d_rate(&bench.product, 1, 1).key, PRODUCT_MTE1_L0A_RATE);
    bench_deinit(&bench);
}

/* n of the vendor's table: rows, or steps from a row to the next. */
static void rows_count_in_either_of_two_readings(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench_set(&bench, "mte1.load3d.uncounted_rows=0");
    assert_int_equal(bytes_per_cycle(&bench, 1, 1), 256);
    assert_int_equal(bytes_per_cycle(&bench, 1, 2), 128);
    assert_int_equal(bytes_per_cycle(&bench, 1, 3), 102);
    assert_int_equal(bytes_per_cycle(&bench, 2, 2), 85);
    assert_false(load3d_rate_slowed(&bench.product, 1));
    assert_true(load3d_rate_slowed(&bench.product, 2));
    bench_set(&bench, "mte1.load3d.uncounted_rows=1");
    assert_int_equal(bytes_per_cycle(&bench, 2, 2), 128);
    assert_false(load3d_rate_slowed(&bench.product, 2));
    assert_true(load3d_rate_slowed(&bench.product, 3));
    bench_deinit(&bench);
}

/* The range of a run has one reading at either end. */
static void the_slow_end_of_a_product_has_the_other_reading(void **state)
{
    struct tile_bench bench;
    struct product slow, fast;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    product_at_range_end(&bench.product, false, &slow);
    product_at_range_end(&bench.product, true, &fast);
    assert_int_equal(load3d_rate(&slow, 1, 2).value / 65536, 128);
    assert_int_equal(load3d_rate(&fast, 1, 2).value / 65536, 256);
    bench_deinit(&bench);
}

/* Under one L1 tile that fetches the same bytes whole, 8 rows of 16 and 2 rows of 64 are equal but
 * for the rate. */
static void of_equal_traffic_the_tile_with_fewer_rows_is_derived(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(64, 32, 64, 16, 1, 0);
    bench.plan.form = TILE_PYPTO;
    bench.plan.l1 = (struct tile_l1){8, 8, 64, 64, 64, 64, 16, 1};
    bench_set(&bench, "l0c.size=8 KiB");
    assert_int_equal(plan_resolve(&bench.plan, &bench.product, &bench.arena, &bench.diag),
                     STATUS_OK);
    assert_int_equal(bench.plan.l0.h, 2);
    assert_int_equal(bench.plan.l0.w, 64);
    bench_deinit(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_strides_slow_a_load3d),
        cmocka_unit_test(rows_count_in_either_of_two_readings),
        cmocka_unit_test(the_slow_end_of_a_product_has_the_other_reading),
        cmocka_unit_test(of_equal_traffic_the_tile_with_fewer_rows_is_derived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
