/* Verdicts of a validation on rows that are put together here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/validation.h"
#include "tests/support/near.h"

enum { ROWS_MAX = 8 };

/* A validation of one case, with a row for each error. */
struct judged {
    struct arena arena;
    struct validation validation;
    struct validation_case in_case;
    struct validation_row rows[ROWS_MAX];
    struct validation_bound bounds[4];
    struct validation_effect effects[4];
};

static void judged_init(struct judged *judged)
{
    *judged = (struct judged){.in_case = {.name = "case", .kernel = "kernel"}};
    judged->validation = (struct validation){.cases = &judged->in_case,
                                             .case_count = 1,
                                             .rows = judged->rows,
                                             .bounds = judged->bounds,
                                             .effects = judged->effects};
    arena_init(&judged->arena, 0);
}

/* A row of so many us measured, 100 cycles each, with an error in percent. */
static struct validation_row *add_row(struct judged *judged, enum metric metric, enum pipe pipe,
                                      double measured, double error)
{
    struct validation_row *row = &judged->rows[judged->validation.row_count++];
    *row = (struct validation_row){
        .metric = metric,
        .pipe = pipe,
        .use = USE_CHECK,
        .unit = MEASURE_US,
        .measured = measured,
        .predicted = measured * (1.0 + error / 100.0),
        .error = error,
        .cycles = measured * 100.0,
        .roofline = measured * 50.0,
    };
    return row;
}

static void add_bound(struct judged *judged, enum metric metric, enum pipe pipe, double median,
                      double worst)
{
    judged->bounds[judged->validation.bound_count++] =
        (struct validation_bound){.metric = metric, .pipe = pipe, .median = median, .worst = worst};
}

static void judge(struct judged *judged)
{
    assert_int_equal(validation_judge(&judged->validation, &judged->arena), STATUS_OK);
}

/* Whether one row of an error holds under a median and a worst. */
static bool holds(double error, double median, double worst)
{
    struct judged judged;
    judged_init(&judged);
    add_row(&judged, METRIC_TASK, PIPE_ALL, 10.0, error);
    add_bound(&judged, METRIC_TASK, PIPE_ALL, median, worst);
    judge(&judged);
    assert_true(judged.validation.holds == judged.validation.groups[0].holds);
    arena_deinit(&judged.arena);
    return judged.validation.holds;
}

static void a_bound_that_is_met_as_printed_is_met(void **state)
{
    (void)state;
    assert_true(holds(1.0, 1.0, 5.0));
    assert_true(holds(-1.04, 1.0, 5.0));
    assert_false(holds(1.06, 1.0, 5.0));
    assert_false(holds(1.06, 5.0, 1.0));
    assert_true(holds(99.0, -1.0, -1.0));
    assert_false(holds(-99.0, -1.0, 5.0));
    assert_false(holds(99.0, 5.0, -1.0));
}

static void a_bound_of_a_pipe_stands_above_that_of_all_pipes(void **state)
{
    (void)state;
    for (int general_first = 0; general_first <= 1; general_first++) {
        struct judged judged;
        judged_init(&judged);
        add_row(&judged, METRIC_COUNTER, PIPE_CUBE, 10.0, 3.0);
        add_row(&judged, METRIC_COUNTER, PIPE_MTE1, 10.0, 3.0);
        if (general_first)
            add_bound(&judged, METRIC_COUNTER, PIPE_ALL, 9.0, 9.0);
        add_bound(&judged, METRIC_COUNTER, PIPE_CUBE, 1.0, 9.0);
        if (!general_first)
            add_bound(&judged, METRIC_COUNTER, PIPE_ALL, 9.0, 9.0);
        judge(&judged);
        assert_false(judged.validation.groups[0].holds);
        assert_true(judged.validation.groups[1].holds);
        /* One group that does not hold is enough, also before others that do. */
        assert_false(judged.validation.holds);
        arena_deinit(&judged.arena);
    }
}

static void only_rows_of_one_unit_are_ranked_together(void **state)
{
    static const double measured[] = {1.0, 2.0, 3.0, 400.0};
    struct judged judged;
    (void)state;
    judged_init(&judged);
    for (size_t i = 0; i < 4; i++)
        add_row(&judged, METRIC_TASK, PIPE_ALL, measured[i], 0.0);
    judged.rows[3].unit = MEASURE_CYCLES;
    judged.rows[3].predicted = 0.5;
    judge(&judged);
    assert_int_equal(judged.validation.rank_count, 1);
    assert_int_equal(judged.validation.ranks[0].count, 3);
    assert_near(judged.validation.ranks[0].spearman, 1.0, 1e-12);
    arena_deinit(&judged.arena);
}

static void rows_that_do_not_count_are_in_no_group_and_rank(void **state)
{
    static const enum use uses[] = {USE_FIT, USE_CHECK, USE_CALIBRATION, USE_PRINTED};
    struct judged judged;
    (void)state;
    judged_init(&judged);
    for (size_t i = 0; i < 4; i++)
        add_row(&judged, METRIC_TASK, PIPE_ALL, 10.0, 10.0 * (double)(i + 1))->use = uses[i];
    judge(&judged);
    const struct validation_group *group = &judged.validation.groups[0];
    assert_int_equal(group->all.count, 2);
    assert_near(group->all.worst, 20.0, 1e-12);
    assert_near(group->all.median, 15.0, 1e-12);
    assert_int_equal(group->all.worst_index, 1);
    assert_int_equal(group->fit.count, 1);
    assert_near(group->fit.worst, 10.0, 1e-12);
    assert_int_equal(group->check.count, 1);
    assert_near(group->check.worst, 20.0, 1e-12);
    assert_int_equal(judged.validation.rank_count, 0);
    assert_null(group->bound);
    assert_true(group->holds);
    arena_deinit(&judged.arena);
}

/* Rooflines of half the time: the constant is sum(50 m / m^2) / sum(1 / m^2) in cycles of 100 m. */
static void the_null_baseline_is_the_roofline_and_its_best_constant(void **state)
{
    struct judged judged;
    (void)state;
    judged_init(&judged);
    add_row(&judged, METRIC_TASK, PIPE_ALL, 1.0, 30.0);
    add_row(&judged, METRIC_TASK, PIPE_ALL, 2.0, 20.0);
    judge(&judged);
    const struct validation_group *group = &judged.validation.groups[0];
    /* (50 / 1 + 100 / 4) / (1 / 1 + 1 / 4) = 60: guesses of 110 and 160 for 100 and 200. */
    assert_near(group->null_constant, 60.0, 1e-9);
    assert_near(judged.rows[0].null_error, 10.0, 1e-9);
    assert_near(judged.rows[1].null_error, -20.0, 1e-9);
    assert_near(group->null.median, 15.0, 1e-9);
    assert_near(group->all.median, 25.0, 1e-9);
    assert_false(group->informative);
    arena_deinit(&judged.arena);
}

static void a_group_is_informative_when_its_median_beats_the_baseline(void **state)
{
    static const double errors[] = {14.9, 15.1};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct judged judged;
        judged_init(&judged);
        add_row(&judged, METRIC_TASK, PIPE_ALL, 1.0, errors[i]);
        add_row(&judged, METRIC_TASK, PIPE_ALL, 2.0, -errors[i]);
        judge(&judged);
        assert_near(judged.validation.groups[0].null.median, 15.0, 1e-9);
        assert_int_equal(judged.validation.groups[0].informative, i == 0);
        arena_deinit(&judged.arena);
    }
}

static void a_constant_of_shares_is_their_mean_distance(void **state)
{
    struct judged judged;
    (void)state;
    judged_init(&judged);
    add_row(&judged, METRIC_SHARE, PIPE_CUBE, 1.0, 0.5)->unit = MEASURE_PERCENT;
    add_row(&judged, METRIC_SHARE, PIPE_CUBE, 2.0, 0.5)->unit = MEASURE_PERCENT;
    judge(&judged);
    assert_near(judged.validation.groups[0].null_constant, 75.0, 1e-9);
    assert_near(judged.rows[0].null_error, 25.0, 1e-9);
    assert_near(judged.rows[1].null_error, -25.0, 1e-9);
    arena_deinit(&judged.arena);
}

static void add_effect(struct judged *judged, size_t before, size_t after, enum use use)
{
    judged->effects[judged->validation.effect_count++] =
        (struct validation_effect){.before = before, .after = after, .use = use};
}

/* Three effects that come out and one that goes the wrong way: no median makes that good. */
static void an_effect_of_the_wrong_direction_breaks_the_bound_of_effects(void **state)
{
    (void)state;
    for (int use = USE_FIT; use < USE_COUNT; use++) {
        struct judged judged;
        judged_init(&judged);
        add_row(&judged, METRIC_TASK, PIPE_ALL, 10.0, 0.0);
        add_row(&judged, METRIC_TASK, PIPE_ALL, 20.0, 0.0);
        add_row(&judged, METRIC_TASK, PIPE_ALL, 20.0, -55.0);
        add_effect(&judged, 0, 1, USE_CHECK);
        add_effect(&judged, 1, 0, USE_CHECK);
        add_effect(&judged, 0, 2, (enum use)use);
        judged.bounds[0] =
            (struct validation_bound){.of_effects = true, .median = 30.0, .worst = -1.0};
        judged.validation.bound_count = 1;
        judge(&judged);
        bool counts = use == USE_FIT || use == USE_CHECK;
        assert_near(judged.effects[0].measured, 100.0, 1e-9);
        assert_near(judged.effects[1].measured, -50.0, 1e-9);
        assert_near(judged.effects[2].predicted, -10.0, 1e-9);
        assert_near(judged.effects[2].error, -110.0, 1e-9);
        assert_false(judged.effects[2].direction);
        assert_near(judged.validation.effect_spread.median, 0.0, 1e-9);
        assert_int_equal(judged.validation.effect_wrong, counts);
        assert_int_equal(judged.validation.effects_hold, !counts);
        assert_int_equal(judged.validation.holds, !counts);
        arena_deinit(&judged.arena);
    }
}

static void no_change_is_no_direction(void **state)
{
    struct judged judged;
    (void)state;
    judged_init(&judged);
    add_row(&judged, METRIC_TASK, PIPE_ALL, 10.0, 0.0);
    add_row(&judged, METRIC_TASK, PIPE_ALL, 20.0, -50.0);
    add_effect(&judged, 0, 1, USE_CHECK);
    judge(&judged);
    assert_false(judged.effects[0].direction);
    assert_near(judged.effects[0].error, -100.0, 1e-9);
    arena_deinit(&judged.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bound_that_is_met_as_printed_is_met),
        cmocka_unit_test(a_bound_of_a_pipe_stands_above_that_of_all_pipes),
        cmocka_unit_test(only_rows_of_one_unit_are_ranked_together),
        cmocka_unit_test(rows_that_do_not_count_are_in_no_group_and_rank),
        cmocka_unit_test(the_null_baseline_is_the_roofline_and_its_best_constant),
        cmocka_unit_test(a_group_is_informative_when_its_median_beats_the_baseline),
        cmocka_unit_test(a_constant_of_shares_is_their_mean_distance),
        cmocka_unit_test(an_effect_of_the_wrong_direction_breaks_the_bound_of_effects),
        cmocka_unit_test(no_change_is_no_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
