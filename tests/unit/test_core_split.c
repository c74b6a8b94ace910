/* How the work is shared out over cores. */
#include "tests/unit/tile_fixture.h"

#include "model/core_split.h"

static void parts_cover_all_units_once_and_differ_by_at_most_one(void **state)
{
    const uint64_t units[] = {1, 7, 24, 100, 1000003, (uint64_t)INT64_MAX, UINT64_MAX};
    const uint64_t ways[] = {1, 2, 3, 5, 7, 24, 1024};

    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            uint64_t at = 0;
            uint64_t least = units[u] / ways[w];
            for (uint64_t part = 0; part < ways[w]; part++) {
                uint64_t until = core_part(units[u], ways[w], part + 1);
                assert_int_equal(core_part(units[u], ways[w], part), at);
                assert_true(until - at == least || until - at == least + 1);
                at = until;
            }
            assert_true(at == units[u]);
        }
    }
}

static void parts_are_those_of_the_exact_product(void **state)
{
    (void)state;
    /* 5 units in 3 ways: [0, 5/3), [5/3, 10/3), [10/3, 5). */
    assert_int_equal(core_part(5, 3, 1), 1);
    assert_int_equal(core_part(5, 3, 2), 3);
    for (uint64_t units = 0; units < 60; units++)
        for (uint64_t ways = 1; ways < 20; ways++)
            for (uint64_t part = 0; part <= ways; part++)
                assert_int_equal(core_part(units, ways, part), part * units / ways);
}

static void m_units_are_tiles_of_one_image_with_its_depths(void **state)
{
    struct conv conv = bench_conv(16, 30, 50, 100, 1, 0);
    struct tile tile = {.h_l1 = 4, .w_l1 = 16, .n_l1 = 32};
    uint64_t units[SPLIT_COUNT];

    (void)state;
    conv.batch = 3;
    core_units(&conv, &tile, units);
    assert_int_equal(units[SPLIT_BATCH], 3);
    assert_int_equal(units[SPLIT_GROUP], 1);
    assert_int_equal(units[SPLIT_M], 8 * 4);
    assert_int_equal(units[SPLIT_N], 4);
    conv.out[AXIS_D] = 5;
    conv.groups = 2;
    core_units(&conv, &tile, units);
    assert_int_equal(units[SPLIT_M], 5 * 8 * 4);
    assert_int_equal(units[SPLIT_N], 2);
    tile.linear_m = true;
    tile.m_l1 = 128;
    core_units(&conv, &tile, units);
    assert_int_equal(units[SPLIT_M], 5 * 12);
}

static uint64_t busiest(const uint64_t units[SPLIT_COUNT], const uint64_t split[SPLIT_COUNT])
{
    uint64_t work = 1;

    for (int i = 0; i < SPLIT_COUNT; i++)
        work *= ceil_div(units[i], split[i]);
    return work;
}

static void the_default_split_has_the_least_work_of_the_busiest_core(void **state)
{
    const uint64_t cases[][SPLIT_COUNT] = {{16, 1, 56, 1}, {1, 1, 56, 4}, {1, 32, 7, 1},
                                           {3, 2, 5, 7},   {1, 1, 1, 1},  {1, 1, 25, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t split[SPLIT_COUNT];
        uint64_t cores = core_split_choose(cases[i], 24, split);
        uint64_t best = UINT64_MAX;
        uint64_t fewest = UINT64_MAX;
        for (uint64_t b = 1; b <= 24; b++)
            for (uint64_t g = 1; b * g <= 24; g++)
                for (uint64_t m = 1; b * g * m <= 24; m++)
                    for (uint64_t n = 1; b * g * m * n <= 24; n++) {
                        const uint64_t other[SPLIT_COUNT] = {b, g, m, n};
                        uint64_t work = busiest(cases[i], other);
                        bool better = work < best || (work == best && b * g * m * n < fewest);
                        best = better ? work : best;
                        fewest = better ? b * g * m * n : fewest;
                    }
        assert_int_equal(busiest(cases[i], split), best);
        assert_int_equal(cores, fewest);
        assert_int_equal(split[0] * split[1] * split[2] * split[3], cores);
    }
}

static void sixteen_images_of_56_rows_go_to_8_times_3_cores(void **state)
{
    const uint64_t units[SPLIT_COUNT] = {16, 1, 56, 1};
    uint64_t split[SPLIT_COUNT];

    (void)state;
    assert_int_equal(core_split_choose(units, 24, split), 24);
    assert_int_equal(split[SPLIT_BATCH], 8);
    assert_int_equal(split[SPLIT_M], 3);
    assert_int_equal(split[SPLIT_GROUP], 1);
    assert_int_equal(split[SPLIT_N], 1);
}

static void equal_splits_prefer_batch_then_m_then_group_then_n(void **state)
{
    const uint64_t all[SPLIT_COUNT] = {2, 2, 2, 2};
    const uint64_t no_batch[SPLIT_COUNT] = {1, 2, 2, 2};
    const uint64_t neither[SPLIT_COUNT] = {1, 2, 1, 2};
    uint64_t split[SPLIT_COUNT];

    (void)state;
    assert_int_equal(core_split_choose(all, 3, split), 2);
    assert_int_equal(split[SPLIT_BATCH], 2);
    assert_int_equal(core_split_choose(no_batch, 2, split), 2);
    assert_int_equal(split[SPLIT_M], 2);
    assert_int_equal(core_split_choose(neither, 2, split), 2);
    assert_int_equal(split[SPLIT_GROUP], 2);
}

/* Each unit of work belongs to exactly one core, and N runs fastest over the core numbers. */
static void shares_of_all_cores_cover_the_work_once(void **state)
{
    struct plan plan = {.conv = bench_conv(16, 13, 50, 16, 1, 0)};
    uint8_t seen[5][3][13 * 4][7];
    struct core_share share;

    (void)state;
    memset(seen, 0, sizeof seen);
    plan.conv.batch = 5;
    plan.conv.groups = 3;
    plan.conv.cout = 3 * 7 * 16;
    plan.tile = (struct tile){.h_l1 = 1, .w_l1 = 16, .n_l1 = 16};
    plan.schedule.cores = 2 * 3 * 5 * 4;
    plan.schedule.split[SPLIT_BATCH] = 2;
    plan.schedule.split[SPLIT_GROUP] = 3;
    plan.schedule.split[SPLIT_M] = 5;
    plan.schedule.split[SPLIT_N] = 4;
    for (uint64_t core = 0; core < plan.schedule.cores; core++) {
        core_share(&plan, core, (struct core_slice){0, 0}, &share);
        assert_true(share.m_from < share.m_until && share.n_from < share.n_until);
        for (uint64_t b = share.batch_from; b < share.batch_until; b++)
            for (uint64_t g = share.group_from; g < share.group_until; g++)
                for (uint64_t m = share.m_from; m < share.m_until; m++)
                    for (uint64_t n = share.n_from; n < share.n_until; n++)
                        seen[b][g][m][n]++;
    }
    for (size_t i = 0; i < sizeof seen; i++)
        assert_int_equal(((uint8_t *)seen)[i], 1);
    core_share(&plan, 1, (struct core_slice){0, 0}, &share);
    assert_int_equal(share.n_from, 1);
    assert_int_equal(share.m_from, 0);
    core_share(&plan, 4, (struct core_slice){0, 0}, &share);
    assert_int_equal(share.n_from, 0);
    assert_int_equal(share.m_from, 10);
    core_share(&plan, 119, (struct core_slice){0, 0}, &share);
    assert_int_equal(share.batch_from, 2);
    assert_int_equal(share.group_from, 2);
    assert_int_equal(share.m_until, 52);
    assert_int_equal(share.n_until, 7);
}

/* Slices are even parts; in one, a product gives its first cores whole parts of the ceiling. */
static void shares_of_a_matrix_product_cover_every_slice_once(void **state)
{
    struct plan plan = {.conv = bench_conv(16, 1, 13 * 16, 11 * 16, 1, 0), .matmul = true};
    uint8_t seen[13][11];
    struct core_share share;

    (void)state;
    memset(seen, 0, sizeof seen);
    plan.form = TILE_MATMUL;
    plan.base = (struct tile_matmul){.l2_m = 3, .l2_n = 2};
    plan.tile = (struct tile){.h_l1 = 1, .w_l1 = 16, .n_l1 = 16};
    plan.schedule.cores = 4 * 2;
    plan.schedule.split[SPLIT_BATCH] = plan.schedule.split[SPLIT_GROUP] = 1;
    plan.schedule.split[SPLIT_M] = 4;
    plan.schedule.split[SPLIT_N] = 2;
    for (uint64_t core = 0; core < plan.schedule.cores; core++)
        for (uint64_t slice = 0; slice < 6; slice++) {
            core_share(&plan, core, (struct core_slice){slice % 3, slice / 3}, &share);
            for (uint64_t m = share.m_from; m < share.m_until; m++)
                for (uint64_t n = share.n_from; n < share.n_until; n++)
                    seen[m][n]++;
        }
    for (size_t i = 0; i < sizeof seen; i++)
        assert_int_equal(((uint8_t *)seen)[i], 1);
    /* Slices of M have 4, 4 and 5 tiles; of five, three cores get two, two and one. */
    core_share(&plan, 3 * 2, (struct core_slice){2, 0}, &share);
    assert_int_equal(share.m_from, share.m_until);
    core_share(&plan, 2 * 2, (struct core_slice){2, 0}, &share);
    assert_int_equal(share.m_from, 12);
    assert_int_equal(share.m_until, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cover_all_units_once_and_differ_by_at_most_one),
        cmocka_unit_test(parts_are_those_of_the_exact_product),
        cmocka_unit_test(m_units_are_tiles_of_one_image_with_its_depths),
        cmocka_unit_test(the_default_split_has_the_least_work_of_the_busiest_core),
        cmocka_unit_test(sixteen_images_of_56_rows_go_to_8_times_3_cores),
        cmocka_unit_test(equal_splits_prefer_batch_then_m_then_group_then_n),
        cmocka_unit_test(shares_of_all_cores_cover_the_work_once),
        cmocka_unit_test(shares_of_a_matrix_product_cover_every_slice_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
