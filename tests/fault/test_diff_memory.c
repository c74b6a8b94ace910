/*
 * Memory that runs out while runs are listed, paired and compared: a right answer or a clean error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "tests/support/open_store.h"
#include "traces/diff.h"
#include "traces/run_pairs.h"

/* Four runs: two of one plan, two of another tile. */
static int setup(void **state)
{
    open_store(state);
    fixture_save(&fixture, store);
    fixture_save(&fixture, store);
    fixture.subject.plan_json = "{\"conv\":{\"groups\":2},\"tile\":{\"mL0\":16}}";
    fixture_save(&fixture, store);
    fixture_save(&fixture, store);
    return 0;
}

/* Lists and pairs all runs with themselves and compares two; a new arena and diag each time. */
static enum status compare_all(struct run_pairs *pairs, size_t *key_count, size_t *problems)
{
    struct arena arena;
    struct diag diag;
    struct listed_run *runs = NULL;
    struct stored_definition a, b;
    struct changed_key *keys = NULL;
    size_t count = 0;
    arena_init(&arena, 0);
    diag_init(&diag);
    enum status status = store_list_runs(store, "run_id > 0", &arena, &diag, &runs, &count);
    if (status == STATUS_OK)
        status = run_pairs_make(runs, count, runs, count, MATCH_TILING, &arena, pairs);
    if (status == STATUS_OK)
        status = store_read_definition(store, 1, &arena, &diag, &a);
    if (status == STATUS_OK)
        status = store_read_definition(store, 3, &arena, &diag, &b);
    if (status == STATUS_OK)
        status = diff_definitions(&a, &b, &arena, &diag, &keys, key_count);
    *problems = diag.count;
    diag_deinit(&diag);
    arena_deinit(&arena);
    return status;
}

static void every_request_for_memory_may_fail(void **state)
{
    (void)state;
    struct run_pairs pairs;
    size_t keys = 0, problems = 0, failures = 0;
    assert_int_equal(compare_all(&pairs, &keys, &problems), STATUS_OK);
    assert_int_equal(pairs.count, 2);
    assert_int_equal(pairs.superseded_count[0], 2);
    assert_true(keys > 5);
    const size_t right = keys;
    for (uint64_t nth = 1;; nth++) {
        arena_fail_at(nth);
        enum status status = compare_all(&pairs, &keys, &problems);
        if (arena_fail_pending()) {
            arena_fail_at(0);
            break;
        }
        /* A problem that found no room is dropped; what is told is never wrong. */
        if (status == STATUS_OK)
            assert_true(pairs.count == 2 && keys == right);
        else
            assert_int_equal(status, STATUS_NO_MEMORY);
        failures += status != STATUS_OK;
    }
    assert_true(failures > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_request_for_memory_may_fail, setup, close_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
