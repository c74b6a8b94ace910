/*
 * Which blocks of L0C an Mmad and a Fixpipe with unit flags wait for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/unit_flag.h"
#include "tests/support/program_reading.h"

enum { L0C_BYTES = 256 * 1024 };

/* c begins at block 4 of 512 B. */
#define HEAD                                                                                       \
    ".product ascend-950pr\n.gm y fp32 [512,64]\n.l0a a 0 65536\n.l0b b 0 65536\n"                 \
    ".l0c c 2048 260096\n.core 0\n"

/* The use of the only instruction of a text, and its blocks below 64. */
static enum unit_use use_of(const char *text, uint64_t l0c_bytes, uint64_t *blocks)
{
    struct program_reading reading;
    struct unit_blocks found = {0};
    struct insn insn;
    program_reading_init(&reading, text, strlen(text));
    if (reading.status != STATUS_OK)
        fail_msg("%s", diag_text(&reading.diag, 0));
    void *stream = reading.program.open(reading.program.context, 0, &reading.arena);
    assert_non_null(stream);
    assert_true(reading.program.next(stream, &insn));
    enum unit_use use = unit_flag_use(&reading.program, &insn, l0c_bytes, &found);
    *blocks = found.word[0];
    program_reading_deinit(&reading);
    return use;
}

static void assert_use(const char *text, enum unit_use use, uint64_t blocks)
{
    uint64_t found;
    assert_int_equal(use_of(text, L0C_BYTES, &found), use);
    assert_int_equal(found, blocks);
}

static void test_mmad_takes_the_blocks_of_its_rows(void **state)
{
    (void)state;
    /* Two columns of two fractals, the lower ones with 4 rows: 3 blocks in each column. */
    assert_use(HEAD "mmad dst=c a=a b=b m=20 n=20 k=16 unitFlag=2\n", UNIT_WAIT_CLEAR, 0x770);
    assert_use(HEAD "mmad dst=c a=a b=b m=25 n=20 k=16 unitFlag=2\n", UNIT_WAIT_CLEAR, 0xFF0);
    assert_use(HEAD "mmad dst=c+4096 a=a b=b m=1 n=17 k=16 unitFlag=3\n", UNIT_SET, 0x5000);
    assert_use(HEAD "mmad dst=c a=a b=b m=0 n=17 k=16 unitFlag=3\n", UNIT_SET, 0);
    assert_use(HEAD "mmad dst=c a=a b=b m=17 n=0 k=16 unitFlag=3\n", UNIT_SET, 0);
}

static void test_blocks_run_on_over_words(void **state)
{
    (void)state;
    assert_use(HEAD "mmad dst=c a=a b=b m=496 n=16 k=16 unitFlag=3\n", UNIT_SET, UINT64_MAX << 4);
}

#define STORE(keys) HEAD "fixpipe dst=y " keys "\n"

static void test_a_store_takes_the_blocks_of_its_rows(void **state)
{
    (void)state;
    assert_use(STORE("src=c mSize=20 nSize=20 srcStride=32 dstStride=64 layout=nz2nd unitFlag=3"),
               UNIT_CLEAR, 0x770);
    assert_use(STORE("src=c mSize=8 nSize=20 srcStride=32 dstStride=64 layout=nz2nd unitFlag=2"),
               UNIT_WAIT_SET, 0x110);
    /* Positions 12 to 19, on both sides of a fractal. */
    assert_use(
        STORE("src=c+768 mSize=8 nSize=20 srcStride=32 dstStride=64 layout=nz2nd unitFlag=3"),
        UNIT_CLEAR, 0x660);
    assert_use(
        STORE("src=c+1024 mSize=4 nSize=20 srcStride=32 dstStride=64 layout=nz2nd unitFlag=3"),
        UNIT_CLEAR, 0x440);
}

/* Two matrices 16 positions apart, each 8 high. */
static void test_matrices_of_a_store_lie_apart(void **state)
{
    (void)state;
    assert_use(STORE("src=c mSize=8 nSize=16 srcStride=64 dstStride=64 layout=nz2nd ndNum=2 "
                     "srcNdStride=32 dstNdStride=512 unitFlag=3"),
               UNIT_CLEAR, 0x110);
}

/* nz2dn takes rows that are srcNzC0Stride positions apart: every 16th is in every other block. */
static void test_rows_of_a_store_may_lie_apart(void **state)
{
    (void)state;
    assert_use(STORE("src=c mSize=3 nSize=16 srcStride=64 dstStride=64 layout=nz2dn "
                     "srcNzC0Stride=16 unitFlag=3"),
               UNIT_CLEAR, 0x150);
    assert_use(STORE("src=c mSize=17 nSize=16 srcStride=64 dstStride=64 layout=nz2dn "
                     "srcNzC0Stride=1 unitFlag=3"),
               UNIT_CLEAR, 0x70);
}

static void test_without_unit_flag_nothing_waits(void **state)
{
    (void)state;
    assert_use(HEAD "mmad dst=c a=a b=b m=20 n=20 k=16\n", UNIT_UNUSED, 0);
    assert_use(HEAD "pipe_barrier pipe=CUBE\n", UNIT_UNUSED, 0);
}

static void test_what_leaves_l0c_does_nothing_and_waits_for_nothing(void **state)
{
    (void)state;
    uint64_t blocks;
    assert_int_equal(
        use_of(HEAD "mmad dst=c a=a b=b m=4095 n=4095 k=16 unitFlag=3\n", L0C_BYTES, &blocks),
        UNIT_UNUSED);
}

/* 1 MiB in 512 blocks of 2 KiB: c begins with the second. */
static void test_a_large_l0c_has_larger_blocks(void **state)
{
    (void)state;
    uint64_t blocks;
    assert_int_equal(
        use_of(HEAD "mmad dst=c a=a b=b m=16 n=48 k=16 unitFlag=3\n", 1 << 20, &blocks), UNIT_SET);
    assert_int_equal(blocks, 0x6);
    assert_int_equal(unit_block_bytes(1 << 20), 2048);
    assert_int_equal(unit_block_bytes(L0C_BYTES), 512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mmad_takes_the_blocks_of_its_rows),
        cmocka_unit_test(test_blocks_run_on_over_words),
        cmocka_unit_test(test_a_store_takes_the_blocks_of_its_rows),
        cmocka_unit_test(test_matrices_of_a_store_lie_apart),
        cmocka_unit_test(test_rows_of_a_store_may_lie_apart),
        cmocka_unit_test(test_without_unit_flag_nothing_waits),
        cmocka_unit_test(test_what_leaves_l0c_does_nothing_and_waits_for_nothing),
        cmocka_unit_test(test_a_large_l0c_has_larger_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
