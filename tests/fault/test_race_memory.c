/*
 * Looking for races and flags while memory runs out, once at each request.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/text_run.h"

/* Races, flags of all kinds, stores cut into many pieces, and a core that stands. */
static const char *const text =
    ".product atlas-a2\n"
    ".gm x fp16 [64,16] = seed=1\n"
    ".gm y fp32 [64,40]\n"
    ".l1 a 0 2048\n"
    ".l0a a0 0 2048\n"
    ".l0b b0 0 512\n"
    ".l0c c0 0 4096\n"
    ".core 0\n"
    "nd2nz dst=a src=x ndNum=1 nValue=64 dValue=16 srcDValue=16 dstNzC0Stride=64 dstNzNStride=1\n"
    "load2d dst=a0 src=a repeatTimes=4 srcStride=1\n"
    "load2d dst=b0 src=a repeatTimes=1 srcStride=1\n"
    "mmad dst=c0 a=a0 b=b0 m=64 n=16 k=16\n"
    "fixpipe dst=y src=c0 mSize=64 nSize=16 srcStride=64 dstStride=40 layout=nz2nd\n"
    "fixpipe dst=y+12 src=c0 mSize=64 nSize=7 srcStride=64 dstStride=40 layout=nz2nd\n"
    "set_flag src=MTE2 dst=MTE1 id=6\n"
    "set_flag src=MTE2 dst=MTE1 id=6\n"
    "set_flag src=MTE2 dst=MTE1 id=9\n"
    ".core 1\n"
    "wait_flag src=MTE2 dst=MTE1 id=0\n"
    "load2d dst=a0 src=a repeatTimes=4 srcStride=1\n"
    "pipe_barrier pipe=ALL\n";

static void a_run_that_finds_hazards_fails_cleanly_at_every_request(void **state)
{
    (void)state;
    struct text_run run;
    text_run_init(&run, text);
    uint64_t hazards = run.result.hazard_count;
    assert_true(text_run_count(&run, HAZARD_RACE) > 4);
    assert_int_equal(text_run_count(&run, HAZARD_DEADLOCK), 1);
    bool pending = false;
    for (uint64_t nth = 1; !pending; nth++) {
        struct arena arena;
        struct run_result result;
        arena_init(&arena, 0);
        const struct program_run program_run = {
            .program = &run.reading.program,
            .product = &run.product,
            .tensor = run.tensor,
        };
        arena_fail_at(nth);
        enum status status = run_program(&program_run, &arena, &result);
        pending = arena_fail_pending();
        arena_fail_at(0);
        assert_int_equal(status, pending ? STATUS_OK : STATUS_NO_MEMORY);
        if (pending)
            assert_int_equal(result.hazard_count, hazards);
        arena_deinit(&arena);
        assert_true(nth < 100000);
    }
    text_run_deinit(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_finds_hazards_fails_cleanly_at_every_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
