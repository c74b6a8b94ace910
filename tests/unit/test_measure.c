/* Units of measurements and errors of predictions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/measure.h"
#include "tests/support/near.h"

static const struct measure copy = {.cycles = 200.0, .bytes = 4096.0, .ops = 8192.0};

static void a_unit_tells_time_work_or_share_at_the_clock(void **state)
{
    (void)state;
    assert_near(measure_in(&copy, MEASURE_CYCLES, 1800.0), 200.0, 1e-9);
    assert_near(measure_in(&copy, MEASURE_US, 1600.0), 0.125, 1e-9);
    assert_near(measure_in(&copy, MEASURE_B_CYCLE, 1800.0), 20.48, 1e-9);
    assert_near(measure_in(&copy, MEASURE_OP_CYCLE, 1800.0), 40.96, 1e-9);
    /* 20.48 B a cycle of 1.8 GHz are 36.864e9 B a second. */
    assert_near(measure_in(&copy, MEASURE_GB_S, 1800.0), 36.864, 1e-9);
    assert_near(measure_in(&copy, MEASURE_GIB_S, 1800.0), 34.332275390625, 1e-9);
    assert_near(measure_in(&copy, MEASURE_TB_S, 1800.0), 0.036864, 1e-12);
    assert_near(measure_in(&copy, MEASURE_TOP_S, 1800.0), 0.073728, 1e-12);
    assert_near(measure_in(&copy, MEASURE_PERCENT, 1800.0), 200.0, 1e-9);
}

static void cycles_of_a_number_are_those_that_give_it_back(void **state)
{
    (void)state;
    for (int unit = 0; unit < MEASURE_UNIT_COUNT; unit++) {
        double value = measure_in(&copy, (enum measure_unit)unit, 1850.0);
        assert_near(measure_cycles(value, (enum measure_unit)unit, &copy, 1850.0), 200.0, 1e-6);
    }
}

static void an_error_above_0_is_a_model_that_is_too_slow(void **state)
{
    (void)state;
    assert_near(measure_error(MEASURE_US, 110.0, 100.0), 10.0, 1e-9);
    assert_near(measure_error(MEASURE_CYCLES, 90.0, 100.0), -10.0, 1e-9);
    assert_near(measure_error(MEASURE_GIB_S, 80.0, 100.0), 25.0, 1e-9);
    assert_near(measure_error(MEASURE_OP_CYCLE, 125.0, 100.0), -20.0, 1e-9);
    assert_near(measure_error(MEASURE_PERCENT, 61.5, 60.0), 1.5, 1e-9);
    /* No rate at all is a time without end, not an error of 0. */
    assert_near(measure_error(MEASURE_GIB_S, 0.0, 100.0), 1e9, 0.0);
}

static void a_metric_takes_only_units_that_can_tell_it(void **state)
{
    (void)state;
    assert_true(metric_takes(METRIC_TASK, MEASURE_US));
    assert_false(metric_takes(METRIC_TASK, MEASURE_GIB_S));
    assert_false(metric_takes(METRIC_COUNTER, MEASURE_PERCENT));
    assert_true(metric_takes(METRIC_SHARE, MEASURE_PERCENT));
    assert_false(metric_takes(METRIC_SHARE, MEASURE_US));
    assert_true(metric_takes(METRIC_INTERVAL, MEASURE_OP_CYCLE));
    assert_true(metric_takes(METRIC_ISOLATED, MEASURE_GIB_S));
    assert_true(metric_takes(METRIC_STREAM, MEASURE_B_CYCLE));
    assert_false(metric_takes(METRIC_STREAM, MEASURE_CYCLES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_tells_time_work_or_share_at_the_clock),
        cmocka_unit_test(cycles_of_a_number_are_those_that_give_it_back),
        cmocka_unit_test(an_error_above_0_is_a_model_that_is_too_slow),
        cmocka_unit_test(a_metric_takes_only_units_that_can_tell_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
