/* Judging and completing a plan while memory runs out: a clean status, never a crash or a leak. */
#include "tests/unit/tile_fixture.h"

#define BROKEN_PLAN                                                                                \
    "product: atlas-a2\nconv:\n  input: [16, 64, 56, 56]\n  weight: [64, 64, 3, 3]\n"              \
    "  padding: [1, 1, 1, 1]\n  dtype: fp16\n  bias: true\n"                                       \
    "tile_l1: {tileHin: 4, tileHout: 2, tileWin: 56, tileWout: 64, tileCinFmap: 64,\n"             \
    "  tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"                                              \
    "tile_l0: {tileH: 1, tileW: 56, tileK: 576, tileN: 64}\n"
#define OPEN_PLAN                                                                                  \
    "product: atlas-a2\nconv:\n  input: [1, 64, 56, 56]\n  weight: [64, 64, 3, 3]\n"               \
    "  padding: [1, 1, 1, 1]\n  dtype: fp16\n"

#define PRODUCT "product: atlas-a2\nmatmul: {m: 1000, n: 500, k: 600, dtype: fp16, bias: true}\n"
#define BROKEN_PRODUCT                                                                             \
    PRODUCT "tile: {baseM: 136, baseN: 264, baseK: 120, stepKa: 9, depthA1: 20, l2_m: 20}\n"

/* Runs action with the n-th allocation failing, for n = 1, 2, ... until it is not reached; a
 * failure that is swallowed would show as a success with failures after it. */
static void until_untouched(const char *text, enum status (*action)(struct tile_bench *bench))
{
    enum { BEYOND = 100 };
    struct tile_bench bench;
    uint64_t failures = 0;
    uint64_t successes = 0;

    for (uint64_t nth = 1; successes < BEYOND; nth++) {
        bench_parse(&bench, text);
        arena_fail_at(nth);
        enum status status = action(&bench);
        arena_fail_at(0);
        bench_deinit(&bench);
        assert_int_equal(status,
                         successes > 0 || status == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY);
        if (status == STATUS_OK)
            successes++;
        else
            failures++;
    }
    assert_true(failures > 20);
}

static enum status check(struct tile_bench *bench)
{
    return rules_check(&bench->plan, RULES_PYPTO, &bench->arena, &bench->report);
}

static enum status resolve(struct tile_bench *bench)
{
    return plan_resolve(&bench->plan, &bench->product, &bench->arena, NULL);
}

static void a_check_without_memory_says_so(void **state)
{
    (void)state;
    until_untouched(BROKEN_PLAN, check);
    until_untouched(BROKEN_PRODUCT, check);
}

static void a_plan_is_not_completed_without_memory(void **state)
{
    (void)state;
    until_untouched(OPEN_PLAN, resolve);
    until_untouched(PRODUCT, resolve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_without_memory_says_so),
        cmocka_unit_test(a_plan_is_not_completed_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
