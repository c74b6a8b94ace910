/*
 * Exports when memory runs out: the whole file, or a clean error; nothing leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/store_fixture.h"
#include "traces/export.h"

static struct fixture fixture;
static struct store *store;

static int make_database(void **state)
{
    (void)state;
    fixture_init(&fixture);
    store = fixture_open(&fixture);
    fixture_save(&fixture, store);
    return 0;
}

static int remove_database(void **state)
{
    (void)state;
    store_close(store);
    fixture_deinit(&fixture);
    return 0;
}

/* The file that a writer makes of the run, its length in *length; a failing writer makes none. */
static enum status written(export_writer *write, char *text, size_t size, size_t *length)
{
    struct diag diag;
    const struct export_options options = {
        .target = "a file", .core_count = FIXTURE_CORES, .to = FIXTURE_CYCLES};
    FILE *file = tmpfile();
    assert_non_null(file);
    diag_init(&diag);
    enum status status = write(store, 1, &options, file, &diag);
    rewind(file);
    *length = fread(text, 1, size, file);
    fclose(file);
    diag_deinit(&diag);
    return status;
}

static void assert_whole_or_clean(export_writer *write)
{
    static char whole[65536], again[65536];
    size_t whole_length = 0, length = 0, failures = 0;
    assert_int_equal(written(write, whole, sizeof whole, &whole_length), STATUS_OK);
    assert_true(whole_length > 100 && whole_length < sizeof whole);
    for (uint64_t nth = 1;; nth++) {
        /* A store that was read from knows instructions already. */
        store_close(store);
        store = fixture_open(&fixture);
        arena_fail_at(nth);
        enum status status = written(write, again, sizeof again, &length);
        bool untouched = arena_fail_pending();
        arena_fail_at(0);
        if (status == STATUS_OK) {
            assert_int_equal(length, whole_length);
            assert_memory_equal(again, whole, length);
        } else {
            assert_int_equal(status, STATUS_NO_MEMORY);
            failures++;
        }
        if (untouched)
            break;
    }
    assert_true(failures > 0);
}

static void a_trace_is_whole_or_fails_cleanly(void **state)
{
    (void)state;
    assert_whole_or_clean(export_chrome);
}

static void a_picture_is_whole_or_fails_cleanly(void **state)
{
    (void)state;
    assert_whole_or_clean(export_svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_whole_or_fails_cleanly),
        cmocka_unit_test(a_picture_is_whole_or_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, make_database, remove_database);
}
