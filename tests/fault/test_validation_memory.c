/* A validation while memory runs out: a clean status, never a crash or a leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "model/validation.h"

static const char path[] = "tests/data/validation.yaml";

static enum status validate(void)
{
    struct arena arena;
    struct diag diag;
    struct validation validation;
    arena_init(&arena, 0);
    diag_init(&diag);
    enum status status = validation_load(path, NULL, 0, &arena, &diag, &validation);
    if (status == STATUS_OK)
        status = validation_run(&validation, &arena, &diag);
    if (status == STATUS_OK)
        status = validation_judge(&validation, &arena);
    diag_deinit(&diag);
    arena_deinit(&arena);
    return status;
}

static void a_validation_without_memory_says_so(void **state)
{
    uint64_t failures = 0, successes = 0;
    (void)state;
    /* Every request at first, then ever fewer: most of the many are those of product files. */
    for (uint64_t nth = 1; successes < 3; nth += 1 + nth / 32) {
        arena_fail_at(nth);
        enum status status = validate();
        bool reached = !arena_fail_pending();
        arena_fail_at(0);
        if (reached && status != STATUS_OK)
            assert_int_equal(status, STATUS_NO_MEMORY);
        if (!reached)
            assert_int_equal(status, STATUS_OK);
        successes += reached ? 0 : 1;
        failures += status == STATUS_NO_MEMORY ? 1 : 0;
    }
    assert_true(failures > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_validation_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
