/* Statistics against numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/statistics.h"
#include "tests/support/near.h"

static struct arena arena;

static int make_arena(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int drop_arena(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void a_spread_is_of_absolute_values(void **state)
{
    static const double values[] = {1.0, -7.0, 3.0, -2.0};
    struct spread spread;
    (void)state;
    assert_int_equal(spread_of(values, 4, &arena, &spread), STATUS_OK);
    assert_int_equal(spread.count, 4);
    assert_near(spread.median, 2.5, 1e-12);
    assert_near(spread.p90, 7.0, 1e-12);
    assert_near(spread.worst, 7.0, 1e-12);
    assert_int_equal(spread.worst_index, 1);
}

static void nine_tenths_of_the_values_do_not_exceed_the_percentile(void **state)
{
    double values[20];
    struct spread spread;
    (void)state;
    for (size_t i = 0; i < 20; i++)
        values[i] = (double)(i * 7 % 20 + 1);
    for (size_t count = 1; count <= 20; count++) {
        size_t below = 0, under = 0;
        assert_int_equal(spread_of(values, count, &arena, &spread), STATUS_OK);
        for (size_t i = 0; i < count; i++) {
            below += values[i] <= spread.p90 ? 1 : 0;
            under += values[i] < spread.p90 ? 1 : 0;
        }
        assert_true(10 * below >= 9 * count);
        assert_true(10 * under < 9 * count);
    }
}

static void a_spread_of_nothing_is_0(void **state)
{
    struct spread spread;
    (void)state;
    assert_int_equal(spread_of(NULL, 0, &arena, &spread), STATUS_OK);
    assert_int_equal(spread.count, 0);
    assert_near(spread.worst, 0.0, 0.0);
}

static double correlation(const double *left, const double *right, size_t count)
{
    double result = -2.0;
    assert_int_equal(spearman_of(left, right, count, &arena, &result), STATUS_OK);
    return result;
}

static void ranks_correlate_whatever_the_distances(void **state)
{
    static const double left[] = {1.0, 2.0, 30.0, 4000.0}, up[] = {5.0, 6.0, 7.0, 8.0};
    static const double down[] = {9.0, 4.0, 3.0, 1.0}, mixed[] = {2.0, 1.0, 4.0, 3.0};
    (void)state;
    assert_near(correlation(left, up, 4), 1.0, 1e-12);
    assert_near(correlation(left, down, 4), -1.0, 1e-12);
    /* 1 - 6 * 4 / (4 * 15) */
    assert_near(correlation(left, mixed, 4), 0.6, 1e-12);
}

static void equal_values_share_the_mean_of_their_ranks(void **state)
{
    static const double left[] = {1.0, 2.0, 2.0, 3.0}, right[] = {1.0, 2.0, 3.0, 4.0};
    static const double same[] = {5.0, 5.0, 5.0, 5.0};
    (void)state;
    /* Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5). */
    assert_near(correlation(left, right, 4), 0.948683298050514, 1e-12);
    assert_near(correlation(same, right, 4), 0.0, 0.0);
    assert_near(correlation(right, same, 4), 0.0, 0.0);
}

static void the_constant_makes_relative_or_plain_errors_least(void **state)
{
    static const double guess[] = {10.0, 50.0}, truth[] = {20.0, 100.0};
    (void)state;
    assert_near(constant_of(guess, truth, 2, false), 30.0, 1e-12);
    /* (10 / 400 + 50 / 10000) / (1 / 400 + 1 / 10000) */
    assert_near(constant_of(guess, truth, 2, true), 0.03 / 0.0026, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spread_is_of_absolute_values),
        cmocka_unit_test(nine_tenths_of_the_values_do_not_exceed_the_percentile),
        cmocka_unit_test(a_spread_of_nothing_is_0),
        cmocka_unit_test(ranks_correlate_whatever_the_distances),
        cmocka_unit_test(equal_values_share_the_mean_of_their_ranks),
        cmocka_unit_test(the_constant_makes_relative_or_plain_errors_least),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
