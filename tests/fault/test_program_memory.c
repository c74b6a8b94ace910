/*
 * Reading and printing a program while memory runs out, once at each request.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/program_reading.h"

enum { LINES = 200, LINE_BYTES = 128 };

/* Enough regions, dumps, cores and instructions for every list to grow, and a wrong line if asked
 * for. */
static char *text_make(bool wrong)
{
    size_t length = 0;
    char *text = malloc(4 * LINES * LINE_BYTES);
    assert_non_null(text);
    length += (size_t)sprintf(text, ".product \"atlas-a2\"\n.gm x fp16 [64] = \"a b.npy\"\n");
    for (int i = 0; i < LINES; i++)
        length += (size_t)sprintf(text + length,
                                  ".l1 a%d 0 64\ndump x y%d.npy\n.core %d\n"
                                  "data_copy dst=a%d src=x blockCount=1 blockLen=1\n",
                                  i, i, i, i);
    sprintf(text + length, "%s", wrong ? "data_copy dst=b0 src=x blockcount=1\nq\n" : "");
    return text;
}

static void reading_fails_cleanly_at_every_request(void **state)
{
    (void)state;
    for (int wrong = 0; wrong <= 1; wrong++) {
        char *text = text_make(wrong == 1);
        bool pending = false;
        for (uint64_t nth = 1; !pending; nth++) {
            struct program_reading reading;
            arena_fail_at(nth);
            program_reading_init(&reading, text, strlen(text));
            pending = arena_fail_pending();
            arena_fail_at(0);
            /* A problem whose source line found no room is a problem still. */
            if (pending || (wrong == 1 && reading.status != STATUS_NO_MEMORY))
                assert_int_equal(reading.status, wrong == 1 ? STATUS_BAD_INPUT : STATUS_OK);
            else
                assert_int_equal(reading.status, STATUS_NO_MEMORY);
            if (reading.status != STATUS_OK)
                assert_int_equal(reading.program.core_count, 0);
            program_reading_deinit(&reading);
            assert_true(nth < 10 * LINES);
        }
        free(text);
    }
}

static void printing_fails_cleanly_at_every_request(void **state)
{
    (void)state;
    char *text = text_make(false);
    bool pending = false;
    for (uint64_t nth = 1; !pending; nth++) {
        struct program_reading reading;
        program_reading_init(&reading, text, strlen(text));
        assert_int_equal(reading.status, STATUS_OK);
        arena_fail_at(nth);
        const char *printed = program_format(&reading.program, &reading.arena);
        pending = arena_fail_pending();
        arena_fail_at(0);
        assert_int_equal(printed != NULL, pending);
        program_reading_deinit(&reading);
        assert_true(nth < 10 * LINES);
    }
    free(text);
}

static void a_file_fails_cleanly_at_every_request(void **state)
{
    (void)state;
    const struct program_reader reader = {.lookup = program_reading_lookup};
    bool pending = false;
    for (uint64_t nth = 1; !pending; nth++) {
        struct arena arena;
        struct diag diag;
        struct program program;
        arena_init(&arena, 0);
        diag_init(&diag);
        arena_fail_at(nth);
        enum status status = program_load("docs/no-such.prog", &reader, &arena, &diag, &program);
        pending = arena_fail_pending();
        arena_fail_at(0);
        assert_int_equal(status, pending ? STATUS_BAD_INPUT : STATUS_NO_MEMORY);
        assert_int_equal(program.core_count, 0);
        diag_deinit(&diag);
        arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_fails_cleanly_at_every_request),
        cmocka_unit_test(printing_fails_cleanly_at_every_request),
        cmocka_unit_test(a_file_fails_cleanly_at_every_request),
    };
    return cmocka_run_group_tests_name("program memory", tests, NULL, NULL);
}
