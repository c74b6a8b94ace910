#include "tests/support/path_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

void path_check_deinit(struct path_check *check)
{
    free(check->steps);
    *check = (struct path_check){0};
}

void path_check_step(void *context, const struct path_step *step)
{
    struct path_check *check = context;
    if (check->count == check->capacity) {
        check->capacity = check->capacity == 0 ? 256 : 2 * check->capacity;
        /* Not array_grow, whose failures are for what is tested. */
        check->steps = realloc(check->steps, check->capacity * sizeof *check->steps);
        assert_non_null(check->steps);
    }
    assert_int_equal(step->number, check->count + 1);
    assert_true(step->before < step->number);
    assert_true(step->ticks > 0);
    assert_int_equal(step->kind == STEP_WAIT, step->cause != CAUSE_NONE);
    assert_int_equal(step->seq == ROW_NO_BLOCKER, step->tag == ROW_NO_BLOCKER);
    check->steps[check->count++] = *step;
}

void path_check(const struct path_check *check, const struct path *path, tick cycles)
{
    struct path sum = {0};
    tick at = cycles;
    assert_true(path->step <= check->count);
    for (uint64_t number = path->step; number != 0; number = check->steps[number - 1].before) {
        const struct path_step *step = &check->steps[number - 1];
        assert_true(step->ticks <= at);
        at -= step->ticks;
        if (step->kind == STEP_WAIT)
            sum.cause[step->cause] += step->ticks;
        else
            sum.part[step->pipe][step->kind] += step->ticks;
    }
    assert_int_equal(at, 0);
    assert_memory_equal(sum.part, path->part, sizeof sum.part);
    assert_memory_equal(sum.cause, path->cause, sizeof sum.cause);
}
