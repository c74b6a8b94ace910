/*
 * Sensitivity: what a number of the product is worth to a program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/lower.h"
#include "model/sensitivity.h"
#include "tests/support/run_check.h"

#define LAYER                                                                                      \
    "conv: {input: [1, 64, 12, 32], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: fp16}\n" \
    "schedule: {cores: 4, residency: prefetch}\n"

struct look {
    struct run_case *c;
    struct program program;
    struct sensitivity *found;
};

/* Looks at the layer on an A2 with some numbers set. */
static void look_open(struct look *look, const char *const *sets, size_t count)
{
    struct run_case *c = look->c = run_case_open("sensitivity");
    assert_int_equal(run_case_load(c, LAYER, "atlas-a2"), STATUS_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(product_set(&c->product, sets[i], &c->arena, &c->diag), STATUS_OK);
    look->found = arena_take(&c->arena, 1, sizeof *look->found);
    assert_non_null(look->found);
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &look->program), STATUS_OK);
    assert_int_equal(sensitivity_find(&look->program, &c->product, &c->arena, look->found),
                     STATUS_OK);
}

static const struct sensitivity_number *number_of(const struct look *look, enum product_key key)
{
    for (uint32_t i = 0; i < look->found->count; i++)
        if (look->found->number[i].key == key)
            return &look->found->number[i];
    fail_msg("no '%s'", product_key_info(key)->path);
    return NULL;
}

static uint32_t best_pipe(const struct look *look)
{
    uint32_t best = 0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (look->found->pipe[pipe].cycles < look->found->pipe[best].cycles)
            best = pipe;
    return best;
}

static void a_run_that_the_cube_bounds_says_cube(void **state)
{
    (void)state;
    static const char *const sets[] = {"cube.fractal_b16=40 cycles"};
    struct look look;
    look_open(&look, sets, 1);
    assert_string_equal(look.found->base.bound, "cube");
    assert_int_equal(look.found->number[0].key, PRODUCT_CUBE_FRACTAL_B16);
    assert_int_equal(look.found->number[0].moved, 36 * QUANTITY_ONE);
    assert_int_equal(best_pipe(&look), PIPE_CUBE);
    /* the cube works nearly all the time, so a tenth less of its steps is nearly a tenth less */
    tick base = look.found->base.cycles, gain = base - look.found->number[0].cycles;
    assert_true(gain * 100 > base * 8 && gain * 10 < base);
    run_case_close(look.c);
}

static void a_run_that_gm_bounds_says_gm(void **state)
{
    (void)state;
    static const char *const sets[] = {"gm.rate=1 B/cycle", "chip.cores=4"};
    struct look look;
    look_open(&look, sets, 2);
    assert_string_equal(look.found->base.bound, "mte2");
    assert_int_equal(look.found->number[0].key, PRODUCT_GM_RATE);
    assert_int_equal(best_pipe(&look), PIPE_MTE2);
    run_case_close(look.c);
}

/* 10 % of a time that is always on the path is a tenth of it. */
static void the_startup_is_worth_a_tenth_of_itself(void **state)
{
    (void)state;
    struct look look;
    look_open(&look, NULL, 0);
    tick base = look.found->base.cycles;
    /* 4070 cycles, 3663 */
    assert_int_equal(base - number_of(&look, PRODUCT_SCALAR_STARTUP)->cycles, 407);
    run_case_close(look.c);
}

static void better_numbers_are_no_slower_and_a_pipe_gains_what_its_numbers_do(void **state)
{
    (void)state;
    struct look look;
    look_open(&look, NULL, 0);
    tick base = look.found->base.cycles, before = 0;
    for (uint32_t i = 0; i < look.found->count; i++) {
        const struct sensitivity_number *number = &look.found->number[i];
        assert_true(number->varied);
        assert_true(number->cycles >= before);
        /* in-order pipes know anomalies, small ones */
        assert_true(number->cycles <= base + base / 100);
        before = number->cycles;
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
            if (sensitivity_is_of(number->key, pipe))
                assert_true(look.found->pipe[pipe].cycles <= number->cycles + base / 200);
    }
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        tick sum = 0;
        for (uint32_t i = 0; i < look.found->count; i++)
            if (sensitivity_is_of(look.found->number[i].key, pipe) &&
                look.found->number[i].cycles < base)
                sum += base - look.found->number[i].cycles;
        tick gain = base > look.found->pipe[pipe].cycles ? base - look.found->pipe[pipe].cycles : 0;
        assert_true(gain <= 2 * sum + base / 100);
    }
    run_case_close(look.c);
}

static void every_number_is_varied_or_named_and_the_product_stays(void **state)
{
    (void)state;
    struct look look;
    look_open(&look, NULL, 0);
    uint32_t present = 0;
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++)
        present += look.c->product.number[key].present;
    assert_int_equal(look.found->count + look.found->fixed_count, present);
    assert_true(look.found->fixed_count < 20);
    assert_int_equal(look.c->product.number[PRODUCT_GM_RATE].value, 32 * QUANTITY_ONE);
    run_case_close(look.c);
}

static void better_is_more_of_a_rate_and_less_of_a_time(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        enum product_key key;
        int64_t better; /* 2^-16 */
    } rows[] = {
        {"gm.rate=30 B/cycle", PRODUCT_GM_RATE, 33 * QUANTITY_ONE},
        {"cube.latency=50 cycles", PRODUCT_CUBE_LATENCY, 45 * QUANTITY_ONE},
        {"cube.issue=0 cycles", PRODUCT_CUBE_ISSUE, 0},
        {"scalar.queue=16", PRODUCT_SCALAR_QUEUE, 18 * QUANTITY_ONE},
        {"scalar.queue=4", PRODUCT_SCALAR_QUEUE, 5 * QUANTITY_ONE},
        {"scalar.queue=4096", PRODUCT_SCALAR_QUEUE, 4096 * QUANTITY_ONE},
        {"l2.sharers=1", PRODUCT_L2_SHARERS, QUANTITY_ONE},
        {"l2.size=25 B", PRODUCT_L2_SIZE, 27 * QUANTITY_ONE},
        {"gm.short_row=100 %", PRODUCT_GM_SHORT_ROW, QUANTITY_ONE},
    };
    struct run_case *c = run_case_open("better");
    assert_int_equal(run_case_load(c, LAYER, "atlas-a2"), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(product_set(&c->product, rows[i].set, &c->arena, &c->diag), STATUS_OK);
        if (sensitivity_better(&c->product, rows[i].key) != rows[i].better)
            fail_msg("%s gives %lld / 65536", rows[i].set,
                     (long long)sensitivity_better(&c->product, rows[i].key));
    }
    run_case_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_the_cube_bounds_says_cube),
        cmocka_unit_test(a_run_that_gm_bounds_says_gm),
        cmocka_unit_test(the_startup_is_worth_a_tenth_of_itself),
        cmocka_unit_test(better_numbers_are_no_slower_and_a_pipe_gains_what_its_numbers_do),
        cmocka_unit_test(every_number_is_varied_or_named_and_the_product_stays),
        cmocka_unit_test(better_is_more_of_a_rate_and_less_of_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
