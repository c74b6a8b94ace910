/*
 * Notes of `cubesim run PROGRAM.prog`: what breaks nothing and is probably not meant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "tests/support/cli_program.h"

CLI_PROGRAM_FIXTURE(program)

static void a_copy_of_nothing_is_noted_and_no_hazard(void **state)
{
    (void)state;
    cli_write(&program.cli, "k.prog",
              ".product ascend-950pr\n"
              ".l1 a 0 1600\n"
              ".l0a t 0 1024\n"
              ".core 0\n"
              "copy_l12l0a_img2col dst=t src=a C1=2 H=5 W=5 mExtension=16 kExtension=0\n");
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
    cli_assert_err(&program.cli,
                   "k.prog:5: note, core 0, instruction 0: copy_l12l0a_img2col: mExtension "
                   "is 16 and kExtension 0, so nothing is copied");
    cli_assert_out(&program.cli, "hazards 0");
}

/* Each kind of note once a line; the second load takes the value that is left. */
static void what_a_load3d_probably_does_not_mean_is_noted_at_its_line(void **state)
{
    (void)state;
    cli_write(&program.cli, "k.prog",
              ".product atlas-a2\n"
              ".gm x fp16 [1,1,5,5,16] = seed=1\n"
              ".l1 a 0 800\n"
              ".l0a t 0 2048\n"
              "data_copy dst=a src=x blockCount=1 blockLen=25\n"
              "pipe_barrier pipe=ALL\n"
              "set_padding_value padValue=15360\n"
              "load3dv2 dst=t src=a l1H=5 l1W=5 padTop=1 channelSize=16 mExtension=5 kExtension=9 "
              "mStartPt=1 filterW=2 filterH=2\n"
              "load3dv2 dst=t src=a channelSize=16 mExtension=16 kExtension=16 filterW=2 "
              "filterH=2\n");
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
    assert_string_equal(
        program.cli.err,
        "k.prog:8: note, core 0, instruction 3: load3dv2: padValue 0 replaces 15360 of "
        "set_padding_value; isSetPadding=0 would take that\n"
        "k.prog:8: note, core 0, instruction 3: load3dv2: mExtension is 5; the documents ask for a "
        "multiple of 16 for fp16, as the block does not cover the last fractal of the matrix, 20 x "
        "64\n"
        "k.prog:8: note, core 0, instruction 3: load3dv2: mStartPt is 1; the documents ask for a "
        "multiple of 16 for fp16, as the block does not cover the last fractal of the matrix, 20 x "
        "64\n"
        "k.prog:8: note, core 0, instruction 3: load3dv2: kExtension is 9; the documents ask for a "
        "multiple of 16 for fp16, as the block does not cover the last fractal of the matrix, 20 x "
        "64\n"
        "k.prog:9: note, core 0, instruction 4: line 9 (load3dv2) overwrites, at byte 0 of l0a "
        "('t'), what line 8 (load3dv2) has written and nobody has read\n");
    cli_assert_out(&program.cli, "hazards 0");
}

/* fp32 bytes in a tensor of fp16; with the mode that the note names there is none. */
static void a_store_of_another_type_than_the_tensor_has_is_noted(void **state)
{
    (void)state;
    static const char store[] = "fixpipe dst=y src=c mSize=16 nSize=16 srcStride=16 dstStride=%s";
    char line[128];
    for (int right = 0; right < 2; right++) {
        snprintf(line, sizeof line, store, right ? "16 mode=F322F16\n" : "16\n");
        char text[1024];
        snprintf(text, sizeof text,
                 ".product atlas-a2\n.gm x fp16 [512] = seed=1\n.gm y fp16 [1024]\n"
                 ".l1 a 0 1024\n.l0a l 0 512\n.l0b b 0 512\n.l0c c 0 1024\n"
                 "data_copy dst=a src=x blockCount=1 blockLen=32\npipe_barrier pipe=ALL\n"
                 "load2d dst=l src=a repeatTimes=1\nload2d dst=b src=a repeatTimes=1\n"
                 "pipe_barrier pipe=ALL\nmmad dst=c a=l b=b m=16 n=16 k=16\n"
                 "pipe_barrier pipe=ALL\n%s",
                 line);
        cli_write(&program.cli, "k.prog", text);
        cli_run(&program.cli, "run k.prog");
        assert_int_equal(program.cli.code, 0);
        assert_string_equal(program.cli.err,
                            right ? ""
                                  : "k.prog:15: note, core 0, instruction 7: fixpipe: dst is 'y' "
                                    "of fp16, and fp32 is stored; that takes mode=F322F16\n");
    }
}

static void a_flag_of_a_pipe_to_itself_is_noted_once(void **state)
{
    (void)state;
    cli_write(&program.cli, "k.prog",
              ".product atlas-a2\n"
              "set_flag src=MTE2 dst=MTE2 id=1\n"
              "wait_flag src=MTE2 dst=MTE2 id=1\n");
    cli_run(&program.cli, "run k.prog");
    assert_int_equal(program.cli.code, 0);
    assert_string_equal(
        program.cli.err,
        "k.prog:2: note, core 0, instruction 0: line 2 (set_flag) is a flag of MTE2 to itself; a "
        "flag is for another pipe, and pipe_barrier pipe=MTE2 holds one until all before it is "
        "done\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_copy_of_nothing_is_noted_and_no_hazard),
        TEST(what_a_load3d_probably_does_not_mean_is_noted_at_its_line),
        TEST(a_store_of_another_type_than_the_tensor_has_is_noted),
        TEST(a_flag_of_a_pipe_to_itself_is_noted_once),
    };
    return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}
