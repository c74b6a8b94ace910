/*
 * Faults that people met with hand-written kernels of this field, as program files: each input that
 * went wrong elsewhere is run here by the binary.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "model/tensor.h"
#include "tests/support/cli.h"

enum { PROGRAM_BYTES = 4096, VALUES_MAX = 32 * 256 };

static struct cli cli;

static int setup(void **state)
{
    (void)state;
    cli_init(&cli);
    return chdir(cli.folder);
}

static int teardown(void **state)
{
    (void)state;
    assert_int_equal(chdir("/"), 0);
    cli_deinit(&cli);
    return 0;
}

static void save(const char *name, enum element element, int rows, int columns,
                 int (*value)(int row, int column))
{
    static uint8_t codes[VALUES_MAX * 4];
    struct tensor tensor;
    tensor_shape(&tensor, element, 2, (uint64_t[]){(uint64_t)rows, (uint64_t)columns});
    for (int i = 0; i < rows * columns; i++) {
        int number = value(i / columns, i % columns);
        uint32_t code = element_is_integer(element) ? (uint32_t)number
                                                    : element_encode(element, (float)number, false);
        element_store(element, codes, (size_t)i, code);
    }
    tensor.data = codes;
    assert_int_equal(npy_save(name, place_none(), &tensor, NULL), STATUS_OK);
}

static double load(const char *name, enum element element, int rows, int columns, int index)
{
    struct arena arena;
    struct tensor tensor;
    arena_init(&arena, 0);
    tensor_shape(&tensor, element, 2, (uint64_t[]){(uint64_t)rows, (uint64_t)columns});
    assert_int_equal(npy_load(name, place_none(), &tensor, &arena, NULL), STATUS_OK);
    double value = element_decode(element, element_load(element, tensor.data, (size_t)index));
    arena_deinit(&arena);
    return value;
}

/* Runs the text and expects an exit code. */
static void run(const char *text, int code)
{
    cli_run(&cli, "run %s", cli_write(&cli, "k.prog", text));
    if (cli.code != code)
        fail_msg("exit %d, expected %d\n%s%s", cli.code, code, cli.out, cli.err);
}

/* A load of a 4 x 4 image with one key changed, or a destination. */
static void expect_load_refused(const char *destination, const char *type, const char *change,
                                const char *message)
{
    char text[PROGRAM_BYTES];
    static const char *const keys[] = {
        "l1H=4",         "l1W=4",     "strideW=1",         "strideH=1",
        "filterW=2",     "filterH=2", "dilationFilterW=1", "mExtension=16",
        "kExtension=128"};
    int length = snprintf(text, sizeof text,
                          ".product atlas-a2\n.l1 a 0 4096\n.l0a l0a 0 65536\n.l0b l0b 0 65536\n"
                          ".core 0\nload3dv2 dst=%s src=a type=%s channelSize=32",
                          destination, type);
    size_t changed = strcspn(change, "=");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        bool same = strncmp(keys[i], change, changed + 1) == 0;
        length +=
            snprintf(text + length, sizeof text - (size_t)length, " %s", same ? change : keys[i]);
    }
    snprintf(text + length, sizeof text - (size_t)length, "\n");
    run(text, 2);
    cli_assert_err(&cli, "k.prog:6:");
    cli_assert_err(&cli, message);
}

/* A zero that a newer page lets into the range divides or loops nowhere. */
static void test_a12_zero_fields_of_load3d_are_refused_by_name(void **state)
{
    (void)state;
    expect_load_refused("l0a", "fp16", "strideW=0", "strideW is 0; expected 1..63");
    expect_load_refused("l0a", "fp16", "dilationFilterW=0",
                        "dilationFilterW is 0; expected 1..255");
    expect_load_refused("l0a", "fp16", "filterW=0", "filterW is 0");
    expect_load_refused("l0a", "fp16", "l1H=0", "l1H is 0");
    expect_load_refused("l0a", "fp16", "kExtension=0", "kExtension is 0; expected 1..65535");
    expect_load_refused("l0a", "fp16", "mExtension=0", "mExtension is 0; expected 1..65535");
    expect_load_refused("l0b", "int8", "-", "int8 to l0b");
}

static int ones_then_sevens(int row, int column)
{
    (void)row;
    return column < 80 ? 1 : 7;
}

static int ones(int row, int column)
{
    (void)row;
    (void)column;
    return 1;
}

/* The cube takes whole blocks of 32 in K; what lies behind K 80 does not count. */
static void test_b19_stale_lanes_behind_the_k_tail_do_not_count(void **state)
{
    (void)state;
    save("x.npy", ELEMENT_INT8, 16, 96, ones_then_sevens);
    save("w.npy", ELEMENT_INT8, 16, 96, ones_then_sevens);
    /* B is given as N x K: its NZ is the ZN of K x N. */
    run(".product atlas-a2\n"
        ".gm x int8 [16,96] = x.npy\n"
        ".gm w int8 [16,96] = w.npy\n"
        ".gm y int32 [16,16]\n"
        ".l1 la 0 1536\n.l1 lb 1536 1536\n.l0a a 0 1536\n.l0b b 0 1536\n.l0c c 0 1024\n"
        ".core 0\n"
        "nd2nz dst=la src=x ndNum=1 nValue=16 dValue=96 srcDValue=96 dstNzC0Stride=16 "
        "dstNzNStride=1\n"
        "nd2nz dst=lb src=w ndNum=1 nValue=16 dValue=96 srcDValue=96 dstNzC0Stride=16 "
        "dstNzNStride=1\n"
        "set_flag src=MTE2 dst=MTE1 id=0\nwait_flag src=MTE2 dst=MTE1 id=0\n"
        "load2d dst=a src=la type=int8 repeatTimes=3\n"
        "load2d dst=b src=lb type=int8 repeatTimes=3\n"
        "set_flag src=MTE1 dst=CUBE id=0\nwait_flag src=MTE1 dst=CUBE id=0\n"
        "mmad dst=c a=a b=b type=int8 m=16 n=16 k=80\n"
        "set_flag src=CUBE dst=FIXP id=0\nwait_flag src=CUBE dst=FIXP id=0\n"
        "fixpipe dst=y src=c layout=nz2nd mSize=16 nSize=16 srcStride=16 dstStride=16\n"
        "dump y y.npy\n",
        0);
    for (int i = 0; i < 256; i++)
        assert_true(load("y.npy", ELEMENT_INT32, 16, 16, i) == 80.0);
}

static int place(int row, int column)
{
    return (row * 256 + column) % 2039 - 1000;
}

/* The product of a 16 x 128 block of a matrix of 256 columns with ones. */
static void block_sum(char *text, const char *pitch, const char *group)
{
    snprintf(text, PROGRAM_BYTES,
             ".product atlas-a2\n"
             ".gm x fp16 [16,256] = x.npy\n"
             ".gm w fp16 [16,128] = w.npy\n"
             ".gm y fp32 [16,16]\n"
             ".l1 la 0 4096\n.l1 lb 4096 4096\n.l0a a 0 4096\n.l0b b 0 4096\n.l0c c 0 1024\n"
             ".core 0\n"
             "nd2nz dst=la src=x+256 ndNum=1 nValue=16 dValue=128 srcDValue=%s dstNzC0Stride=%s "
             "dstNzNStride=1\n"
             "nd2nz dst=lb src=w ndNum=1 nValue=16 dValue=128 srcDValue=128 dstNzC0Stride=16 "
             "dstNzNStride=1\n"
             "set_flag src=MTE2 dst=MTE1 id=0\nwait_flag src=MTE2 dst=MTE1 id=0\n"
             "load2d dst=a src=la repeatTimes=8\n"
             "load2d dst=b src=lb repeatTimes=8\n"
             "set_flag src=MTE1 dst=CUBE id=0\nwait_flag src=MTE1 dst=CUBE id=0\n"
             "mmad dst=c a=a b=b m=16 n=16 k=128\n"
             "set_flag src=CUBE dst=FIXP id=0\nwait_flag src=CUBE dst=FIXP id=0\n"
             "fixpipe dst=y src=c layout=nz2nd mSize=16 nSize=16 srcStride=16 dstStride=16\n"
             "dump y y.npy\n",
             pitch, group);
}

/* The pitch of the source counts elements; a wrong pitch of the destination is named where it
 * happens, not pipes later. */
static void test_b24_a_wrong_stride_is_told_at_the_load(void **state)
{
    (void)state;
    char text[PROGRAM_BYTES];
    save("x.npy", ELEMENT_FP16, 16, 256, place);
    save("w.npy", ELEMENT_FP16, 16, 128, ones);
    block_sum(text, "256", "16");
    run(text, 0);
    for (int row = 0; row < 16; row++) {
        int sum = 0;
        for (int column = 128; column < 256; column++)
            sum += place(row, column);
        assert_true(load("y.npy", ELEMENT_FP32, 16, 16, row * 16 + row) == sum);
    }
    block_sum(text, "256", "256");
    run(text, 1);
    cli_assert_err(&cli, "k.prog:11: hazard: out_of_bounds");
    cli_assert_err(&cli, "nd2nz: dst reaches bytes 0..57855 of 'la' in l1; expected at most 4096");
    block_sum(text, "512", "16");
    run(text, 1);
    cli_assert_err(&cli, "nd2nz: src reaches bytes 256..15871 of 'x' in gm; expected at most 8192");
}

/* An event that is live twice is told, and no token is lost without a word. */
static void test_b28_one_event_for_two_loads_is_told(void **state)
{
    (void)state;
    run(".product atlas-a2\n.gm x fp16 [2,16,16] = seed=1\n.l1 a 0 512\n.l1 b 512 512\n"
        ".l0a l0 0 1024\n.core 0\n"
        "nd2nz dst=a src=x ndNum=1 nValue=16 dValue=16 srcDValue=16 dstNzC0Stride=16 "
        "dstNzNStride=1\n"
        "set_flag src=MTE2 dst=MTE1 id=3\n"
        "nd2nz dst=b src=x+512 ndNum=1 nValue=16 dValue=16 srcDValue=16 dstNzC0Stride=16 "
        "dstNzNStride=1\n"
        "set_flag src=MTE2 dst=MTE1 id=3\n"
        "wait_flag src=MTE2 dst=MTE1 id=3\n"
        "load2d dst=l0 src=a repeatTimes=1\n"
        "wait_flag src=MTE2 dst=MTE1 id=3\n"
        "load2d dst=l0+512 src=b repeatTimes=1\n",
        1);
    cli_assert_err(&cli, "k.prog:10: hazard: flag_twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a12_zero_fields_of_load3d_are_refused_by_name, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_b19_stale_lanes_behind_the_k_tail_do_not_count, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_b24_a_wrong_stride_is_told_at_the_load, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_b28_one_event_for_two_loads_is_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
