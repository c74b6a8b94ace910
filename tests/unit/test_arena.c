#include "engine/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_memory_is_zeroed_aligned_and_stays_valid_when_the_arena_grows(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    enum { COUNT = 3000 };
    unsigned char *taken[COUNT];
    size_t sizes[COUNT];
    uint64_t total = 0;
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = i % 211 + 1;
        taken[i] = arena_take(&arena, sizes[i], 1);
        assert_non_null(taken[i]);
        assert_int_equal((uintptr_t)taken[i] % (sizes[i] >= 64 ? 64 : 16), 0);
        for (size_t j = 0; j < sizes[i]; j++) {
            assert_int_equal(taken[i][j], 0);
        }
        memset(taken[i], (int)(i % 255) + 1, sizes[i]);
        total += sizes[i];
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < sizes[i]; j++) {
            assert_int_equal(taken[i][j], i % 255 + 1);
        }
    }
    assert_int_equal(arena.used_bytes, total);
    arena_deinit(&arena);
    assert_null(arena.blocks);
}

static void test_a_large_request_does_not_give_up_the_current_block(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    char *before = arena_take(&arena, 16, 1);
    unsigned char *large = arena_take(&arena, 1024, 1024);
    char *after = arena_take(&arena, 16, 1);
    assert_non_null(large);
    assert_int_equal((uintptr_t)large % 64, 0);
    memset(large, 7, 1024 * 1024);
    assert_ptr_equal(after, before + 16);
    assert_int_equal(after[0], 0);
    arena_deinit(&arena);
}

static void test_an_empty_request_has_a_pointer_of_its_own(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 8);
    const void *first = arena_take(&arena, 0, 8);
    const void *second = arena_take(&arena, 8, 0);
    assert_non_null(first);
    assert_non_null(second);
    assert_ptr_not_equal(first, second);
    assert_int_equal(arena.used_bytes, 0);
    arena_deinit(&arena);
}

static void test_the_limit_holds_to_the_byte(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 100);
    assert_non_null(arena_take(&arena, 99, 1));
    assert_null(arena_take(&arena, 2, 1));
    assert_non_null(arena_take(&arena, 1, 1));
    assert_null(arena_take(&arena, 1, 1));
    assert_int_equal(arena.used_bytes, 100);
    arena_deinit(&arena);
}

static void test_sizes_that_run_over_are_refused(void **state)
{
    (void)state;
    struct arena arena;
    size_t capacity = 0;
    arena_init(&arena, 0);
    assert_null(arena_take(&arena, SIZE_MAX, 2));
    assert_null(arena_take(&arena, SIZE_MAX / 2 + 1, 2));
    assert_null(arena_take(&arena, SIZE_MAX, 1));
    assert_null(arena_text(&arena, "", SIZE_MAX));
    assert_null(array_grow(NULL, &capacity, SIZE_MAX / 4, 8));
    assert_int_equal(capacity, 0);
    assert_int_equal(arena.used_bytes, 0);
    arena_deinit(&arena);
}

static void test_texts_are_copied_and_formatted(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    char *copy = arena_text(&arena, "tileHin: 3", 7);
    char *empty = arena_text(&arena, NULL, 0);
    assert_string_equal(copy, "tileHin");
    assert_string_equal(empty, "");
    assert_string_equal(arena_format(&arena, "%s of %d", copy, 56), "tileHin of 56");
    arena_deinit(&arena);
}

static void test_an_array_keeps_its_contents_and_zeroes_the_rest(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        items = array_grow(items, &capacity, i + 1, sizeof *items);
        assert_non_null(items);
        assert_true(capacity > i);
        assert_int_equal(items[i], 0);
        items[i] = i * 3;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(items[i], i * 3);
    }
    for (size_t i = 1000; i < capacity; i++) {
        assert_int_equal(items[i], 0);
    }
    array_release(items);
    array_release(NULL);
}

static void test_an_array_of_no_items_is_not_null(void **state)
{
    (void)state;
    size_t capacity = 0;
    void *array = array_grow(NULL, &capacity, 0, 4);
    assert_non_null(array);
    array_release(array);
}

static void test_the_named_request_fails_once(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    arena_fail_at(2);
    assert_non_null(arena_take(&arena, 1, 1));
    assert_true(arena_fail_pending());
    assert_null(arena_take(&arena, 1, 1));
    assert_false(arena_fail_pending());
    assert_non_null(arena_take(&arena, 1, 1));
    arena_fail_at(1);
    assert_null(arena_text(&arena, "a", 1));
    arena_fail_at(1);
    assert_null(arena_format(&arena, "%d", 1));
    arena_fail_at(1);
    arena_fail_at(0);
    assert_non_null(arena_take(&arena, 1, 1));
    arena_deinit(&arena);
}

static void test_a_failed_growth_leaves_the_array_and_room_needs_no_growth(void **state)
{
    (void)state;
    size_t capacity = 0;
    int *items = array_grow(NULL, &capacity, 1, sizeof *items);
    assert_non_null(items);
    items[0] = 42;
    arena_fail_at(1);
    assert_ptr_equal(array_grow(items, &capacity, capacity, sizeof *items), items);
    assert_true(arena_fail_pending());
    size_t capacity_before = capacity;
    assert_null(array_grow(items, &capacity, capacity + 1, sizeof *items));
    assert_false(arena_fail_pending());
    assert_int_equal(capacity, capacity_before);
    assert_int_equal(items[0], 42);
    array_release(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_zeroed_aligned_and_stays_valid_when_the_arena_grows),
        cmocka_unit_test(test_a_large_request_does_not_give_up_the_current_block),
        cmocka_unit_test(test_an_empty_request_has_a_pointer_of_its_own),
        cmocka_unit_test(test_the_limit_holds_to_the_byte),
        cmocka_unit_test(test_sizes_that_run_over_are_refused),
        cmocka_unit_test(test_texts_are_copied_and_formatted),
        cmocka_unit_test(test_an_array_keeps_its_contents_and_zeroes_the_rest),
        cmocka_unit_test(test_an_array_of_no_items_is_not_null),
        cmocka_unit_test(test_the_named_request_fails_once),
        cmocka_unit_test(test_a_failed_growth_leaves_the_array_and_room_needs_no_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
