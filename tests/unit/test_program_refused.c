#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/refused.h"
#include "tests/support/program_reading.h"

/* The regions that most cases use: line 1 to 7. */
#define HEAD                                                                                       \
    ".product atlas-a2\n"                                                                          \
    ".gm  x fp16 [1,4,8,16,16]\n"                                                                  \
    ".gm  y fp16 [1,4,8,16,16]\n"                                                                  \
    ".l1  a 0 8192\n"                                                                              \
    ".l0a l0a0 0 32768\n"                                                                          \
    ".l0b l0b0 0 32768\n"                                                                          \
    ".l0c c 0 65536\n"
#define BARRIER "pipe_barrier pipe=ALL\n"

static struct program_reading reading;

static void parse(const char *text)
{
    program_reading_init(&reading, text, strlen(text));
}

static void done(void)
{
    program_reading_deinit(&reading);
}

/* "line:column+width: message" of a problem. */
static const char *problem_text(size_t index)
{
    static char text[2048];
    const struct problem *problem = &reading.diag.problems[index];
    snprintf(text, sizeof text, "%u:%u+%u: %s", (unsigned)problem->place.line,
             (unsigned)problem->place.column, (unsigned)problem->place.width, problem->message);
    return text;
}

/* Checks all problems of a text: `wanted` has one a line. */
static void assert_problems(const char *text, const char *wanted)
{
    size_t count = 0;
    parse(text);
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    for (const char *at = wanted; *at != '\0'; count++) {
        char line[2048];
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        if (count == reading.diag.count)
            fail_msg("no problem '%s' in:\n%s", line, text);
        assert_string_equal(problem_text(count), line);
        at += length + (at[length] == '\n');
    }
    if (count != reading.diag.count)
        fail_msg("problem '%s' in:\n%s", problem_text(count), text);
    assert_int_equal(reading.program.core_count, 0);
    assert_true(reading.program.open == NULL);
    done();
}

static void test_every_mnemonic_is_proposed_for_one_that_is_misspelt(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const char *mnemonic = insn_info((enum opcode)opcode)->mnemonic;
        char text[512], wanted[160];
        snprintf(text, sizeof text, HEAD "%s_\n", mnemonic);
        snprintf(wanted, sizeof wanted, "8:1+%zu: unknown instruction '%s_'; expected '%s'\n",
                 strlen(mnemonic) + 1, mnemonic, mnemonic);
        assert_problems(text, wanted);
    }
}

#define DIRECTIVES                                                                                 \
    "'.product', '.core', '.l2', '.gm', '.l1', '.l0a', '.l0b', '.l0c', '.bt', '.fb' or '.ub'"

static void test_problems_of_the_first_word_name_the_nearest(void **state)
{
    (void)state;
    assert_problems(
        HEAD "mmda dst=c\n  nd2zn\n.l0d q 0 1\nzzzzzzzz\n.zzzzzz\n",
        "8:1+4: unknown instruction 'mmda'; expected 'mmad'\n"
        "9:3+5: unknown instruction 'nd2zn'; expected 'nd2nz'\n"
        "10:1+4: unknown directive '.l0d'; expected " DIRECTIVES "\n"
        "11:1+8: unknown instruction 'zzzzzzzz'; expected one that 'cubesim isa' lists\n"
        "12:1+7: unknown directive '.zzzzzz'; expected " DIRECTIVES "\n");
}

static void test_problems_of_keys_stand_at_the_key(void **state)
{
    (void)state;
    assert_problems(HEAD
                    "mmad dst=c a=l0a0 b=l0b0 m=16 n=16 kk=16\n"
                    "mmad dst=c a=l0a0 b=l0b0 m=16 m=16 n=16 k=16\n"
                    "mmad a=l0a0 b=l0b0 n=16 k=16 m\n"
                    "load2d dst=l0a0 src=a repeatTimes=\n"
                    "load3dv2 dst=l0a0 src=a channelSize=16 mExtension=16 kExtension=16 filterW=1 "
                    "filterH=1 repeatTime=2\n"
                    "pipe_barrier pipe=ALL qqqqqqqq=1\n",
                    "8:36+2: unknown key 'kk'; expected 'k'\n"
                    "9:31+1: found 'm' again; expected it once\n"
                    "10:1+4: found no 'dst'; mmad needs it: C in L0C\n"
                    "10:1+4: found no 'm'; mmad needs it: rows of A and C\n"
                    "10:30+1: found 'm'; expected key=value\n"
                    "11:23+12: found no value of 'repeatTimes'; expected one behind '='\n"
                    "12:88+10: found 'repeatTime'; load3dv2 takes it from a register: of "
                    "set_load_data_repeat\n"
                    "13:23+8: unknown key 'qqqqqqqq'; expected 'pipe'\n");
}

static void test_problems_of_values_stand_at_the_value(void **state)
{
    (void)state;
    assert_problems(
        HEAD "mmad dst=c a=l0a0 b=l0b0 m=4096 n=-1 k=x\n"
             "mmad dst=c a=l0a0 b=l0b0 m=99999999999999999999 n=007 k=0x\n"
             "mmad dst=c a=l0a0 b=l0b0 m=9223372036854775808 n=1.5 k=+1\n"
             "set_flag src=MTE9 dst=cube id=1024\n"
             "mmad dst=c a=l0a0 b=l0b0 type=fp61 m=1 n=1 k=1\n",
        "8:28+4: m is 4096; expected 0..4095\n"
        "8:35+2: n is -1; expected 0..4095\n"
        "8:40+1: k is 'x'; expected a whole number of 0..4095\n"
        "9:28+20: m is '99999999999999999999'; expected a whole number of 0..4095\n"
        "9:51+3: n is '007'; expected a whole number of 0..4095\n"
        "9:57+2: k is '0x'; expected a whole number of 0..4095\n"
        "10:28+19: m is '9223372036854775808'; expected a whole number of 0..4095\n"
        "10:50+3: n is '1.5'; expected a whole number of 0..4095\n"
        "10:56+2: k is '+1'; expected a whole number of 0..4095\n"
        "11:14+4: src is 'MTE9'; expected 'MTE2' (one of 'SCALAR', 'MTE2', 'MTE1', 'CUBE', 'FIXP', "
        "'VECTOR' or 'MTE3')\n"
        "11:23+4: dst is 'cube'; expected 'CUBE' (one of 'SCALAR', 'MTE2', 'MTE1', 'CUBE', 'FIXP', "
        "'VECTOR' or 'MTE3')\n"
        "11:31+4: id is 1024; expected 0..1023\n"
        "12:31+4: type is 'fp61'; expected 'fp16' (one of 'fp16', 'bf16', 'fp32', 'int8' or "
        "'int4')\n");
}

static void test_problems_of_warm_tensors_stand_at_their_names(void **state)
{
    (void)state;
    assert_problems(".product atlas-a2\n.gm x fp16 [16]\n.l1 a 0 64\n.l2 # none\n.l2 x a x q\n"
                    ".l2 x\npipe_barrier pipe=ALL\n",
                    "4:4+1: found the end of the line; expected the names of tensors that lie in "
                    "L2 at the start\n"
                    "5:7+1: 'a' lies in l1; expected a tensor in gm\n"
                    "5:9+1: found 'x' again; expected it once\n"
                    "5:11+1: unknown name 'q'; expected one that a line above declares\n"
                    "6:5+1: found 'x' again; expected it once\n");
}

static void test_a_pipe_that_the_product_lacks_is_refused(void **state)
{
    (void)state;
    static const char wanted[] =
        "2:14+4: src is FIXP on dav-1001; expected 'SCALAR', 'MTE2', 'MTE1', 'CUBE', 'VECTOR' or "
        "'MTE3'\n"
        "3:24+4: dst is FIXP on dav-1001; expected 'SCALAR', 'MTE2', 'MTE1', 'CUBE', 'VECTOR' or "
        "'MTE3'\n"
        "4:19+4: pipe is FIXP on dav-1001; expected 'MTE2', 'MTE1', 'CUBE', 'VECTOR', 'MTE3' or "
        "'ALL'\n"
        "5:19+6: pipe is SCALAR; expected 'MTE2', 'MTE1', 'CUBE', 'FIXP', 'VECTOR', 'MTE3' or "
        "'ALL'\n"
        "6:14+4: src is 'FIXA'; expected 'SCALAR', 'MTE2', 'MTE1', 'CUBE', 'VECTOR' or 'MTE3'\n";
    assert_problems(".product atlas-training\nset_flag src=FIXP dst=CUBE id=0\n"
                    "wait_flag src=CUBE dst=FIXP id=0\npipe_barrier pipe=FIXP\n"
                    "pipe_barrier pipe=SCALAR\nset_flag src=FIXA dst=CUBE id=0\n",
                    wanted);
}

static void test_problems_of_operands_stand_at_their_part(void **state)
{
    (void)state;
    assert_problems(
        HEAD "load2d dst=l0a1 src=a+8192 repeatTimes=1\n"
             "load2d dst=x src=a+y repeatTimes=1\n"
             "load2d dst=l0a0+ src=zzzzzz repeatTimes=1\n"
             "load2d dst=l0a0+99999999999999999999 src=a+-1 repeatTimes=1\n",
        "8:12+4: unknown name 'l0a1'; expected 'l0a0'\n"
        "8:23+4: src begins 8192 bytes into 'a'; expected less than its 8192\n"
        "9:12+1: dst 'x' lies in gm; expected l1, l0a, l0b\n"
        "9:20+1: found 'y' behind '+'; expected a number of bytes\n"
        "10:17+1: found '' behind '+'; expected a number of bytes\n"
        "10:22+6: unknown name 'zzzzzz'; expected one that a line above "
        "declares\n"
        "11:17+20: found '99999999999999999999' behind '+'; expected a number of bytes\n"
        "11:44+2: found '-1' behind '+'; expected a number of bytes\n");
}

static void test_what_the_product_lacks_is_refused_at_the_mnemonic_or_the_type(void **state)
{
    (void)state;
    assert_problems(HEAD "dn2nz dst=a src=x dnNum=1 nValue=16 dValue=16 srcDValue=16 "
                         "dstNzC0Stride=16 dstNzNStride=1\n"
                         "mmad dst=c a=l0a0 b=l0b0 type=hif8 m=16 n=16 k=16\n"
                         "fixpipe dst=y src=c type=fp16 mSize=16 nSize=16 srcStride=16 "
                         "dstStride=16\n",
                    "8:1+5: found dn2nz on dav-2201 (Atlas A2, A3); expected a product of dav-3510 "
                    "(Ascend 950)\n"
                    "9:31+4: found hif8 x hif8 -> fp32 on dav-2201; expected int8 x int8 -> int32, "
                    "int4 x int4 -> int32, fp16 x fp16 -> fp32, bf16 x bf16 -> fp32, fp32 x fp32 "
                    "-> fp32\n"
                    "10:26+4: fixpipe takes no fp16 to gm on dav-2201; expected fp32, int32\n");
}

static void test_problems_of_tensors_have_their_place(void **state)
{
    (void)state;
    assert_problems(
        ".product atlas-a2\n.gm\n.gm x\n.gm x fp16\n.gm 1x fp16 [1]\n.gm z fp61 [4]\n.gm q fp16 4\n"
        ".gm r fp16 [4,0]\n.gm s fp16 [4,x]\n.gm t fp16 [4\n.gm u fp16 []\n.gm v fp16 [4;4]\n"
        ".gm w fp16 [1,1,1,1,1,1,1,1,2]\n.gm x2 int4 [3,5]\n"
        ".gm x3 fp32 [4294967296,4294967296]\n.gm x4 fp16 [4] =\n.gm x5 fp16 [4] = \"x.npy\n"
        ".gm x6 fp16 [4] = seed=-1\n.gm x7 fp16 [4] = \"\"\n.gm x8 fp16 [4] = \"a\\n\"\n"
        ".gm x9 fp16 [4] x.npy\n.gm x9 fp16 [4]\n.gm x10 fp16 [4] = zero one\n.gm x-1 fp16 [4]\n"
        ".gm y1 int8 [9223372036854775808]\n.gm y2 uint64 [1152921504606846976]\n"
        ".gm y3 fp16 [2] = sed=3\n",
        "2:4+1: found the end of the line; expected a name\n"
        "3:6+1: found the end of the line; expected an element type, such as fp16\n"
        "4:5+1: found 'x' again; expected a new name, since line 3 has it\n"
        "5:5+2: found '1x'; expected a name of letters, digits, '_' and '.'\n"
        "6:7+4: unknown type 'fp61'; expected 'fp16' (one of 'fp16', 'bf16', 'fp32', 'int8', "
        "'int32', 'uint8', 'int16', 'uint16', 'uint32', 'uint64', 'int4', 'fp8_e4m3', 'fp8_e5m2', "
        "'hif8', 'fp4_e2m1' or 'fp4_e1m2')\n"
        "7:12+1: found '4'; expected a shape, such as [16,64]\n"
        "8:15+1: found '0'; expected a size from 1\n"
        "9:15+1: found 'x'; expected a size from 1\n"
        "10:14+1: found the end of the line; expected ',' or ']'\n"
        "11:13+1: found ']'; expected a size from 1\n"
        "12:13+3: found '4;4'; expected a size from 1\n"
        "13:29+1: found more than 8 sizes; expected at most 8\n"
        "14:13+5: found 15 elements of int4; expected an even number, since two lie in a byte\n"
        "15:13+23: found a tensor too large; expected less than 2^63 bytes of gm in all\n"
        "16:18+1: found the end of the line; expected the path of a .npy file, zero, "
        "seed=N, or [values]\n"
        "17:19+6: found no closing '\"'; expected one on this line\n"
        "18:24+2: seed is '-1'; expected a whole number of 0..2^64-1\n"
        "19:19+2: found nothing in quotes; expected the path of a .npy file, zero, "
        "seed=N, or [values]\n"
        "20:21+2: found a backslash in quotes; expected '\\\\' or '\\\"' for '\\' or '\"'\n"
        "21:17+5: found 'x.npy'; expected the end of the line\n"
        "22:5+2: found 'x9' again; expected a new name, since line 21 has it\n"
        "23:25+3: found 'one'; expected the end of the line\n"
        "24:5+3: found 'x-1'; expected a name of letters, digits, '_' and '.'\n"
        "25:14+19: found '9223372036854775808', which is too large; expected a size from 1\n"
        "26:15+21: found a tensor too large; expected less than 2^63 bytes of gm in all\n"
        "27:19+5: found 'sed=3'; expected the path of a .npy file, zero, seed=N, or [values]; a "
        "path with "
        "'=' "
        "stands in quotes\n");
}

static void test_tensors_together_stay_below_2_to_63_bytes(void **state)
{
    (void)state;
    assert_problems(".product atlas-a2\n.gm a uint64 [288230376151711744]\n"
                    ".gm b uint64 [288230376151711744]\n.gm c uint64 [288230376151711744]\n"
                    ".gm d uint64 [288230376151711744]\n" BARRIER,
                    "5:14+20: found a tensor too large; expected less than 2^63 bytes of gm in "
                    "all\n");
}

static void test_problems_of_buffer_parts_have_their_place(void **state)
{
    (void)state;
    assert_problems(".product atlas-a2\n.l1 a\n.l1 b 0\n.l1 c 0 0\n.l1 d -1 32\n.l1 e 0 32 x\n"
                    ".l0a f 9223372036854775807 1\n.bt g 9223372036854775808 1\n.l1 h fp16 [4]\n"
                    ".l1 a 0 32\nload_bt dst=a src=a blockLen=1\n",
                    "2:6+1: found the end of the line; expected an offset in bytes, then a size\n"
                    "3:8+1: found the end of the line; expected a size in bytes, from 1\n"
                    "4:9+1: found '0'; expected a size in bytes, from 1\n"
                    "5:7+2: found '-1'; expected an offset in bytes, then a size\n"
                    "6:12+1: found 'x'; expected the end of the line\n"
                    "7:28+1: found an end beyond 2^63; expected a part of the memory\n"
                    "8:7+19: found '9223372036854775808', which is too large; expected an offset "
                    "in bytes, then a size\n"
                    "9:7+4: found 'fp16'; expected an offset in bytes, then a size\n"
                    "10:5+1: found 'a' again; expected a new name, since line 2 has it\n"
                    "11:13+1: dst 'a' lies in l1; expected bt\n");
}

static void test_problems_of_dumps_have_their_place(void **state)
{
    (void)state;
    assert_problems(HEAD BARRIER "dump\ndump y\ndump yy y.npy\ndump a a.npy\ndump y y.npy\n"
                                 "dump x \"y.npy\"\ndump x x.npy y\n",
                    "9:5+1: found the end of the line; expected the name of a tensor\n"
                    "10:7+1: found the end of the line; expected the path of a .npy file\n"
                    "11:6+2: unknown name 'yy'; expected 'y'\n"
                    "12:6+1: 'a' lies in l1; expected a tensor in gm\n"
                    "14:8+7: found 'y.npy' again; expected another file, since line 13 writes it\n"
                    "15:14+1: found 'y'; expected the end of the line\n");
}

static void test_cores_follow_each_other_from_0(void **state)
{
    (void)state;
    assert_problems(".product atlas-a2\n.core 1\n.core 2\n.core 2\n.core\n.core x\n.core 3 y\n",
                    "2:7+1: found core 1; expected 0: cores follow each other from 0\n"
                    "4:7+1: found core 2; expected 3: cores follow each other from 0\n"
                    "5:6+1: found the end of the line; expected the number of a core\n"
                    "6:7+1: found 'x'; expected the number of a core\n"
                    "7:9+1: found 'y'; expected the end of the line\n");
    assert_problems(".product atlas-a2\n" BARRIER ".core 0\n" BARRIER,
                    "3:7+1: found core 0; expected 1: cores follow each other from 0\n");
    assert_problems(".product atlas-a2\n.core 0\n" BARRIER ".core 2\n",
                    "4:7+1: found core 2; expected 1: cores follow each other from 0\n");
}

static void test_the_product_comes_once_and_before_the_instructions(void **state)
{
    (void)state;
    assert_problems(BARRIER, "1:1+21: found no product; expected '.product NAME' before the first "
                             "instruction\n");
    assert_problems(BARRIER BARRIER ".product atlas-a2\n",
                    "3:10+8: found the product behind an instruction; expected it before line 1\n");
    assert_problems(".product atlas-a2\n.product atlas-a2\n" BARRIER,
                    "2:10+8: found a second product; expected one, as in line 1\n");
    assert_problems(".product\n" BARRIER,
                    "1:9+1: found the end of the line; expected the name of a product\n");
    assert_problems(".product atlas-a2 x\n" BARRIER,
                    "1:19+1: found 'x'; expected the end of the line\n");
    assert_problems(".product atlas-a9\ndn2nz\n" BARRIER,
                    "1:10+8: unknown product 'atlas-a9'; expected another\n"
                    "2:1+5: found no 'dst'; dn2nz needs it: destination in L1\n"
                    "2:1+5: found no 'src'; dn2nz needs it: source in GM\n"
                    "2:1+5: found no 'dnNum'; dn2nz needs it: matrices to move\n"
                    "2:1+5: found no 'nValue'; dn2nz needs it: rows of a matrix, contiguous in GM\n"
                    "2:1+5: found no 'dValue'; dn2nz needs it: columns of a matrix\n"
                    "2:1+5: found no 'srcDValue'; dn2nz needs it: from a column to the next in GM\n"
                    "2:1+5: found no 'dstNzC0Stride'; dn2nz needs it: from a column group to the "
                    "next in L1\n"
                    "2:1+5: found no 'dstNzNStride'; dn2nz needs it: from a row to the next in "
                    "L1\n");
}

static void test_a_file_without_instructions_is_refused(void **state)
{
    (void)state;
#define NONE(place)                                                                                \
    place ": found no product; expected '.product NAME' before the first instruction\n" place      \
          ": found no instruction; expected at least one\n"
    assert_problems("", NONE("1:1+1"));
    assert_problems("\n\n# nothing", NONE("3:1+9"));
    assert_problems("# nothing\n\n", NONE("2:1+1"));
#undef NONE
    assert_problems(".product atlas-a2\n.core 0\n",
                    "2:1+7: found no instruction; expected at least one\n");
}

static void test_bytes_that_are_no_text_are_refused_at_their_place(void **state)
{
    (void)state;
    static const char zero[] = ".product atlas-a2\n# \0 \n", latin[] = "# caf\xE9\n";
    program_reading_init(&reading, zero, sizeof zero - 1);
    assert_string_equal(problem_text(0),
                        "2:3+1: found the control character U+0000; expected text");
    assert_int_equal(reading.diag.count, 1);
    done();
    program_reading_init(&reading, latin, sizeof latin - 1);
    assert_string_equal(problem_text(0), "1:6+1: found the byte 0xE9; expected UTF-8 text");
    done();
}

static void test_values_that_are_not_those_of_the_tensor_are_refused(void **state)
{
    (void)state;
    assert_problems(
        ".product atlas-a2\n.gm a uint8 [1,3] = [1, 2]\n.gm b uint8 [1] = [1, 2] # two\n"
        ".gm c uint8 [2] = [ ]\n.gm d uint8 [2] = [1, 2 # ]\n.gm e uint8 [2] = [1,\n"
        ".gm f uint8 [2] = [1, 256]\n.gm g int8 [2] = [-129, 0]\n.gm h int4 [2] = [0x7, 8]\n"
        ".gm i uint32 [1] = [-1]\n.gm j fp16 [1] = [1]\n.gm k bf16 [1] = [0x10000]\n"
        ".gm l uint64 [1] = [0x10000000000000000]\n.gm m int32 [2] = [1,,]\n"
        ".gm n int32 [3] = [1, 2 4, 3]\n.gm o int32 [1] = [1] 2\n.gm p fp61 [1] = [x]\n"
        ".gm q int4 [3] = [1, 2, 3]\n.gm r uint16 [1] = [07]\n",
        "2:21+6: found 2 values; expected 3, the elements of the shape\n"
        "3:19+6: found 2 values; expected 1, the elements of the shape\n"
        "4:19+3: found 0 values; expected 2, the elements of the shape\n"
        "5:19+1: found no closing ']'; expected one on this line\n"
        "6:19+1: found no closing ']'; expected one on this line\n"
        "7:23+3: found '256'; expected a whole number of 0..255\n"
        "8:19+4: found '-129'; expected a whole number of -128..127\n"
        "9:24+1: found '8'; expected a whole number of -8..7\n"
        "10:21+2: found '-1'; expected a whole number of 0..4294967295\n"
        "11:19+1: found '1'; expected the bits of fp16, 0x0 to 0xFFFF\n"
        "12:19+7: found '0x10000'; expected the bits of bf16, 0x0 to 0xFFFF\n"
        "13:21+19: found '0x10000000000000000'; expected a whole number of "
        "0..18446744073709551615\n"
        "14:19+5: found 3 values; expected 2, the elements of the shape\n"
        "15:25+1: found '4'; expected ','\n"
        "16:23+1: found '2'; expected the end of the line\n"
        "17:7+4: unknown type 'fp61'; expected 'fp16' (one of 'fp16', 'bf16', 'fp32', 'int8', "
        "'int32', 'uint8', 'int16', 'uint16', 'uint32', 'uint64', 'int4', 'fp8_e4m3', 'fp8_e5m2', "
        "'hif8', 'fp4_e2m1' or 'fp4_e1m2')\n"
        "18:12+3: found 3 elements of int4; expected an even number, since two lie in a byte\n"
        "19:21+2: found '07'; expected a whole number of 0..65535\n");
    assert_problems(".product atlas-a2\n.gm a int32 [2] = [1,]\n.gm b int32 [3] = [,2,3]\n",
                    "2:22+1: found ']'; expected a whole number of -2147483648..2147483647\n"
                    "3:20+1: found ','; expected a whole number of -2147483648..2147483647\n");
}

static void test_refused_mnemonics_say_why(void **state)
{
    (void)state;
    assert_problems(HEAD "mmad_mx dst=c\n  mmad_with_sparse\ntranspose\n" BARRIER,
                    "8:1+7: found 'mmad_mx'; it is not modelled: MX types have a scale for 32 "
                    "elements each, and no buffer here holds scales\n"
                    "9:3+16: found 'mmad_with_sparse'; it is not modelled: 4:2 sparsity chooses "
                    "rows of A by an index matrix, and no buffer here holds one\n"
                    "10:1+9: found 'transpose'; it is not modelled: moving elements about in UB "
                    "is for the vector core\n");
}

static const struct refused *find(const char *name)
{
    return refused_find((struct word){name, strlen(name)});
}

/* However the vendor's pages, headers and intrinsics write a name. */
static void test_refused_names_are_known_however_they_are_written(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"MmadMx", "mmad_mx"},
        {"mmadmx", "mmad_mx"},
        {"MMAD_MX", "mmad_mx"},
        {"mad_mx", "mmad_mx"},
        {"MmadWithSparse", "mmad_with_sparse"},
        {"mmad_sparse", "mmad_with_sparse"},
        {"LoadDataWithSparse", "load_data_with_sparse"},
        {"LoadDataMx", "load2dv2_mx"},
        {"load_data_mx", "load2dv2_mx"},
        {"load2dmx", "load2d_mx"},
        {"Load2DMX", "load2d_mx"},
        {"Gather", "gather"},
        {"GatherMask", "gather_mask"},
        {"TransDataTo5HD", "trans_data_to_5hd"},
        {"LoadUnzipIndex", "load_unzip_index"},
        {"SetAippFunctions", "set_aipp_functions"},
        {"CrossCoreWaitFlag", "cross_core_wait_flag"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_non_null(find(cases[i][0]));
        assert_string_equal(find(cases[i][0])->mnemonic, cases[i][1]);
    }
    static const char *const others[] = {"",       "_",        "mmad",   "Mmad",
                                         "mmad_m", "mmad_mxx", "load2d", "set_flag"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_null(find(others[i]));
    for (int opcode = 0; opcode < OP_COUNT; opcode++)
        assert_null(find(insn_info((enum opcode)opcode)->mnemonic));
    assert_problems(HEAD "MmadMx dst=c\n  load2dmx\n" BARRIER,
                    "8:1+6: found 'MmadMx'; it is not modelled: MX types have a scale for 32 "
                    "elements each, and no buffer here holds scales\n"
                    "9:3+8: found 'load2dmx'; it is not modelled: MX types have a scale for 32 "
                    "elements each, and no buffer here holds scales\n");
}

static void test_what_is_refused_has_a_reason_and_no_row(void **state)
{
    (void)state;
    size_t count;
    const struct refused *refused = refused_list(&count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(opcode_find(refused[i].mnemonic), OP_COUNT);
        assert_true(strlen(refused[i].reason) > 20);
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(refused[i].mnemonic, refused[other].mnemonic);
    }
}

static void test_a_region_that_is_wrong_brings_no_further_problems(void **state)
{
    (void)state;
    assert_problems(".product atlas-a2\n.gm x fp61 [16]\n.l1 a 0 x\n"
                    "nd2nz dst=a+64 src=x+99 ndNum=1 nValue=16 dValue=16 srcDValue=16 "
                    "dstNzC0Stride=16 dstNzNStride=1\ndump x x.npy\n",
                    "2:7+4: unknown type 'fp61'; expected 'fp16' (one of 'fp16', 'bf16', 'fp32', "
                    "'int8', 'int32', 'uint8', 'int16', 'uint16', 'uint32', 'uint64', 'int4', "
                    "'fp8_e4m3', 'fp8_e5m2', 'hif8', 'fp4_e2m1' or 'fp4_e1m2')\n"
                    "3:9+1: found 'x'; expected a size in bytes, from 1\n");
}

static void test_a_problem_is_shown_with_its_line_wherever_that_is(void **state)
{
    (void)state;
    parse(HEAD "\n\n\n  pipe_barrier pipe=AL # all\n");
    assert_string_equal(diag_text(&reading.diag, 0),
                        "a.prog:11:21: pipe is 'AL'; expected 'ALL' (one of 'MTE2', "
                        "'MTE1', 'CUBE', 'FIXP', 'VECTOR', 'MTE3' or 'ALL')\n"
                        "   11 |   pipe_barrier pipe=AL # all\n"
                        "      |                     ^~");
    done();
}

static void test_reading_ends_when_no_problem_finds_room(void **state)
{
    (void)state;
    enum { LINES = 3000 };
    static char text[LINES * 2 + 1];
    for (int i = 0; i < LINES; i++)
        memcpy(text + 2 * (size_t)i, "q\n", 2);
    parse(text);
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    assert_int_equal(reading.diag.count, DIAG_PROBLEMS_MAX);
    assert_int_equal(reading.diag.problems[DIAG_PROBLEMS_MAX - 1].place.line, DIAG_PROBLEMS_MAX);
    done();
}

/* They would be lost: the register has pads of its own. */
static void test_pads_without_an_image_size_are_refused(void **state)
{
    (void)state;
    assert_problems(HEAD "load3dv2 dst=l0a0 src=a padTop=1 channelSize=16 mExtension=16 "
                         "kExtension=16 filterW=1 filterH=1\n",
                    "8:1+8: found no 'l1H': l1H is 0; expected 1..32767, or isSetFMatrix=0\n");
    parse(HEAD "load3dv2 dst=l0a0 src=a padTop=1 isSetFMatrix=0 channelSize=16 mExtension=16 "
               "kExtension=16 filterW=1 filterH=1\n");
    assert_int_equal(reading.status, STATUS_OK);
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_mnemonic_is_proposed_for_one_that_is_misspelt),
        cmocka_unit_test(test_problems_of_the_first_word_name_the_nearest),
        cmocka_unit_test(test_problems_of_keys_stand_at_the_key),
        cmocka_unit_test(test_problems_of_values_stand_at_the_value),
        cmocka_unit_test(test_problems_of_warm_tensors_stand_at_their_names),
        cmocka_unit_test(test_a_pipe_that_the_product_lacks_is_refused),
        cmocka_unit_test(test_problems_of_operands_stand_at_their_part),
        cmocka_unit_test(test_what_the_product_lacks_is_refused_at_the_mnemonic_or_the_type),
        cmocka_unit_test(test_problems_of_tensors_have_their_place),
        cmocka_unit_test(test_tensors_together_stay_below_2_to_63_bytes),
        cmocka_unit_test(test_problems_of_buffer_parts_have_their_place),
        cmocka_unit_test(test_problems_of_dumps_have_their_place),
        cmocka_unit_test(test_cores_follow_each_other_from_0),
        cmocka_unit_test(test_the_product_comes_once_and_before_the_instructions),
        cmocka_unit_test(test_a_file_without_instructions_is_refused),
        cmocka_unit_test(test_bytes_that_are_no_text_are_refused_at_their_place),
        cmocka_unit_test(test_values_that_are_not_those_of_the_tensor_are_refused),
        cmocka_unit_test(test_refused_mnemonics_say_why),
        cmocka_unit_test(test_refused_names_are_known_however_they_are_written),
        cmocka_unit_test(test_what_is_refused_has_a_reason_and_no_row),
        cmocka_unit_test(test_pads_without_an_image_size_are_refused),
        cmocka_unit_test(test_a_region_that_is_wrong_brings_no_further_problems),
        cmocka_unit_test(test_a_problem_is_shown_with_its_line_wherever_that_is),
        cmocka_unit_test(test_reading_ends_when_no_problem_finds_room),
    };
    return cmocka_run_group_tests_name("program refused", tests, NULL, NULL);
}
