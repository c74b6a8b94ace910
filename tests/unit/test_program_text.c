#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/program_format.h"
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

static const struct program *parsed(const char *text)
{
    parse(text);
    if (reading.status != STATUS_OK)
        fail_msg("%s", diag_text(&reading.diag, 0));
    return &reading.program;
}

static void done(void)
{
    program_reading_deinit(&reading);
}

static void next(const struct program *program, void *stream, struct insn *insn)
{
    assert_true(program->next(stream, insn));
}

static void test_an_instruction_has_its_operands_fields_pipe_and_line(void **state)
{
    (void)state;
    const struct program *program =
        parsed(HEAD ".core 0\nnd2nz src=x+64 dst=a ndNum=1 nValue=0x10 dValue=64 srcDValue=64 "
                    "dstNzC0Stride=16 dstNzNStride=1 # rows\n");
    struct insn insn;
    void *stream = program->open(program->context, 0, &reading.arena);
    next(program, stream, &insn);
    assert_int_equal(insn.opcode, OP_ND2NZ);
    assert_int_equal(insn.pipe, PIPE_MTE2);
    assert_int_equal(insn.line, 9);
    assert_int_equal(insn.operand[ND2NZ_dst].region, 2);
    assert_int_equal(insn.operand[ND2NZ_dst].offset, 0);
    assert_int_equal(insn.operand[ND2NZ_src].region, 0);
    assert_int_equal(insn.operand[ND2NZ_src].offset, 64);
    assert_int_equal(insn.operand[INSN_OPERANDS_MAX - 1].region, REGION_NONE);
    assert_int_equal(insn.field[ND2NZ_type], ELEMENT_FP16);
    assert_int_equal(insn.field[ND2NZ_nValue], 16);
    assert_int_equal(insn.field[ND2NZ_dValue], 64);
    assert_int_equal(insn.field[ND2NZ_dstNzC0Stride], 16);
    assert_int_equal(insn.field[ND2NZ_srcNdMatrixStride], 0);
    assert_false(program->next(stream, &insn));
    assert_int_equal(program->ended(stream), STATUS_OK);
    done();
}

static void test_tensors_follow_each_other_at_multiples_of_512_bytes(void **state)
{
    (void)state;
    const struct program *program =
        parsed(".product atlas-a2\n.gm x int8 [3,5] = \"my # x.npy\"\n.gm z fp32[129]=seed=0x10\n"
               ".gm w int4 [ 2 , 3 ] = zero\n.gm v uint64 [2] = a-b_c.npy# all\n"
               ".l1 a 64 96\n" BARRIER);
    static const uint64_t bases[] = {0, 512, 1536, 2048}, sizes[] = {15, 516, 3, 16};
    assert_int_equal(program->region_count, 5);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(program->regions[i].base_bytes, bases[i]);
        assert_int_equal(program->regions[i].size_bytes, sizes[i]);
        assert_int_equal(program->regions[i].line, i + 2);
    }
    assert_int_equal(program->regions[0].binding, BINDING_FILE);
    assert_string_equal(program->regions[0].path, "my # x.npy");
    assert_int_equal(program->regions[1].binding, BINDING_SEED);
    assert_int_equal(program->regions[1].seed, 16);
    assert_int_equal(program->regions[2].binding, BINDING_ZERO);
    assert_int_equal(program->regions[2].rank, 2);
    assert_int_equal(program->regions[2].shape[1], 3);
    assert_string_equal(program->regions[3].path, "a-b_c.npy");
    assert_int_equal(program->regions[4].space, SPACE_L1);
    assert_int_equal(program->regions[4].base_bytes, 64);
    assert_int_equal(program->regions[4].size_bytes, 96);
    done();
}

static void test_named_tensors_are_warm_and_printed_in_one_line(void **state)
{
    (void)state;
    const struct program *program =
        parsed(".product atlas-a2\n.gm x int8 [3]\n.gm y int8 [4]\n.gm z int8 [5]\n.l2 z # all\n"
               ".l2 x\n" BARRIER);
    static const bool warm[] = {true, false, true};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(program->regions[i].warm, warm[i]);
    assert_non_null(strstr(program_format(program, &reading.arena), "[5]\n.l2  x z\n.core 0\n"));
    done();
}

/* Numbers become two's complement, bits stay bits, and 4-bit elements lie two in a byte. */
static void test_values_lie_in_gm_as_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *line, *printed;
        uint8_t bytes[16];
    } cases[] = {
        {".gm a uint64 [1,2] = [0xFEDCBA9876543210, 18446744073709551615]",
         ".gm  a uint64 [1,2] = [0xFEDCBA9876543210, 0xFFFFFFFFFFFFFFFF]",
         {0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE, 255, 255, 255, 255, 255, 255, 255, 255}},
        {".gm a int8 [4]=[-128,127 ,\t0x1F, -0]",
         ".gm  a int8 [4] = [-128, 127, 31, 0]",
         {0x80, 0x7F, 0x1F, 0}},
        {".gm a int32 [2] = [-2147483648, -2]",
         ".gm  a int32 [2] = [-2147483648, -2]",
         {0, 0, 0, 0x80, 0xFE, 255, 255, 255}},
        {".gm a uint32 [1] = [4294967295]#x",
         ".gm  a uint32 [1] = [4294967295]",
         {255, 255, 255, 255}},
        {".gm a int4 [2,2] = [-8, 7, 1, -1]", ".gm  a int4 [2,2] = [-8, 7, 1, -1]", {0x78, 0xF1}},
        {".gm a fp4_e2m1 [2] = [0x1, 0xf]", ".gm  a fp4_e2m1 [2] = [0x1, 0xF]", {0xF1}},
        {".gm a fp16 [2] = [0x3C00, 0xC0]",
         ".gm  a fp16 [2] = [0x3C00, 0x00C0]",
         {0, 0x3C, 0xC0, 0}},
        {".gm a fp32 [1] = [0xBF800001]", ".gm  a fp32 [1] = [0xBF800001]", {1, 0, 0x80, 0xBF}},
        {".gm a hif8 [2] = [0x80, 0X07]", ".gm  a hif8 [2] = [0x80, 0x07]", {0x80, 7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256], printed[256];
        (void)snprintf(text, sizeof text, ".product atlas-a2\n%s\n" BARRIER, cases[i].line);
        const struct program *program = parsed(text);
        assert_int_equal(program->regions[0].binding, BINDING_VALUES);
        assert_memory_equal(program->regions[0].values, cases[i].bytes,
                            (size_t)program->regions[0].size_bytes);
        (void)program_format_region(program, 0, printed, sizeof printed);
        assert_string_equal(printed, cases[i].printed);
        done();
    }
}

/* As many as a layer may have output channels, on one line. */
static void test_a_list_of_values_has_no_limit(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    char *text = malloc(32 * COUNT);
    assert_non_null(text);
    int length = sprintf(text, ".product atlas-a2\n.gm  a uint64 [1,%d]", COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        length += sprintf(text + length, "%s0x%X", i == 0 ? " = [" : ", ", i * 65537 + 1);
    (void)sprintf(text + length, "]\n.core 0\n" BARRIER);
    const struct program *program = parsed(text);
    const uint64_t *words = program->regions[0].values;
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(words[i], i * 65537 + 1);
    assert_string_equal(program_format(program, &reading.arena), text);
    done();
    free(text);
}

static void test_each_core_has_the_stream_behind_its_line(void **state)
{
    (void)state;
    const struct program *program = parsed(
        ".product atlas-a2\npipe_barrier pipe=CUBE\n.core 1\n.core 2\npipe_barrier pipe=MTE1\n"
        "pipe_barrier pipe=MTE2\n");
    static const enum pipe pipes[3][2] = {{PIPE_CUBE}, {PIPE_ALL}, {PIPE_MTE1, PIPE_MTE2}};
    static const uint32_t counts[] = {1, 0, 2};
    assert_int_equal(program->core_count, 3);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t core = 3; core-- > 0;) {
            struct insn insn;
            void *stream = program->open(program->context, core, &reading.arena);
            for (uint32_t i = 0; i < counts[core]; i++) {
                next(program, stream, &insn);
                assert_int_equal(insn.field[PIPE_BARRIER_pipe], pipes[core][i]);
                assert_int_equal(insn.pipe, pipes[core][i]);
            }
            assert_false(program->next(stream, &insn));
        }
    }
    done();
}

static void test_streams_longer_than_a_chunk_come_back_whole(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static char text[COUNT * 48 + 64];
    size_t length = (size_t)sprintf(text, ".product atlas-a2\n");
    for (int i = 0; i < COUNT; i++)
        length += (size_t)sprintf(text + length, "set_flag src=MTE2 dst=MTE1 id=%d\n", i % 1000);
    const struct program *program = parsed(text);
    struct insn insn;
    void *stream = program->open(program->context, 0, &reading.arena);
    for (int i = 0; i < COUNT; i++) {
        next(program, stream, &insn);
        assert_int_equal(insn.field[SET_FLAG_id], i % 1000);
        assert_int_equal(insn.line, i + 2);
    }
    assert_false(program->next(stream, &insn));
    assert_int_equal(program->event_ids, 1000);
    done();
}

static void test_the_event_ids_of_a_program_are_at_least_eight(void **state)
{
    (void)state;
    assert_int_equal(parsed(".product atlas-a2\nset_flag src=MTE2 dst=MTE1 id=7\n")->event_ids, 8);
    done();
    assert_int_equal(parsed(".product atlas-a2\nwait_flag src=MTE2 dst=MTE1 id=8\n")->event_ids, 9);
    done();
}

static void test_line_ends_tabs_comments_and_a_missing_last_newline_do_not_matter(void **state)
{
    (void)state;
    const struct program *program =
        parsed("# first\r\n\r\n.product\tatlas-a2\t\r\n\t.gm x fp16 [4] #[8]\r\n"
               "  dump x \"a b\\\"c\\\\d.npy\"#end\r\n" BARRIER "#.core 1\npipe_barrier pipe=CUBE");
    assert_string_equal(program->product, "atlas-a2");
    assert_int_equal(program->core_count, 1);
    assert_int_equal(program->regions[0].size_bytes, 8);
    assert_int_equal(program->dump_count, 1);
    assert_string_equal(program->dumps[0].path, "a b\"c\\d.npy");
    assert_int_equal(program->dumps[0].line, 5);
    struct insn insn;
    void *stream = program->open(program->context, 0, &reading.arena);
    next(program, stream, &insn);
    next(program, stream, &insn);
    assert_int_equal(insn.pipe, PIPE_CUBE);
    done();
}

static void test_what_the_other_keys_say_is_concluded(void **state)
{
    (void)state;
    const struct program *program = parsed(
        HEAD "load3dv2 dst=l0a0 src=a type=int8 channelSize=32 mExtension=16 kExtension=32 "
             "filterW=1 filterH=1\n"
             "load3dv2 dst=l0a0 src=a l1H=4 l1W=4 channelSize=16 mExtension=16 kExtension=16 "
             "filterW=1 filterH=1\n"
             "mmad dst=c a=l0a0 b=l0b0 type=int8 m=16 n=16 k=32\n");
    struct insn insn;
    void *stream = program->open(program->context, 0, &reading.arena);
    next(program, stream, &insn);
    assert_int_equal(insn.field[LOAD3DV2_isSetFMatrix], 0);
    next(program, stream, &insn);
    assert_int_equal(insn.field[LOAD3DV2_isSetFMatrix], 1);
    next(program, stream, &insn);
    assert_int_equal(insn.field[MMAD_typeB], ELEMENT_INT8);
    assert_int_equal(insn.field[MMAD_typeC], ELEMENT_INT32);
    done();
}

static void test_a_product_from_outside_stands_in_place_of_the_line(void **state)
{
    (void)state;
    static const char text[] = ".product no-such\n" BARRIER, none[] = BARRIER;
    program_reading_init_for(&reading, text, strlen(text), "ascend-950pr");
    assert_int_equal(reading.status, STATUS_OK);
    assert_string_equal(reading.program.product, "ascend-950pr");
    assert_int_equal(reading.program.arch, ARCH_3510);
    done();
    program_reading_init_for(&reading, none, strlen(none), "ascend-950pr");
    assert_int_equal(reading.status, STATUS_OK);
    done();
    program_reading_init_for(&reading, none, strlen(none), "no-such");
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    assert_string_equal(reading.diag.problems[0].message,
                        "unknown product 'no-such'; expected another");
    done();
}

static void test_a_program_in_its_own_words_is_the_same_text_again(void **state)
{
    (void)state;
    static const char text[] =
        ".product \"my products/a b.yaml\"\n"
        ".gm  x fp16 [1,4,8,16,16] = x.npy\n"
        ".gm  y fp16 [2] = \"zero\"\n"
        ".gm  z int4 [4] = zero\n"
        ".gm  u hif8 [4] = seed=18446744073709551615\n"
        ".gm  v int8 [4] = \"seed=7\"\n"
        ".gm  w int8 [4] = \"a \\\"b\\\\ #.npy\"\n"
        ".l1  a 32 8192\n"
        ".fb  f 0 64\n"
        ".ub  e.1_ 0 64\n"
        ".core 0\n"
        "nd2nz dst=a src=x+64 ndNum=1 nValue=16 dValue=64 srcDValue=64 dstNzC0Stride=16 "
        "dstNzNStride=1\n"
        "set_flag src=MTE2 dst=MTE1 id=9\n"
        ".core 1\n"
        ".core 2\n"
        "wait_flag src=MTE2 dst=MTE1 id=9\n"
        "pipe_barrier pipe=ALL\n"
        "dump y y.npy\n"
        "dump y \"y 2.npy\"\n";
    program_reading_init_for(&reading, text, strlen(text), "atlas-a2");
    assert_int_equal(reading.status, STATUS_OK);
    reading.program.product = "my products/a b.yaml";
    assert_string_equal(program_format(&reading.program, &reading.arena), text);
    done();
}

static void test_the_text_of_a_program_reads_as_the_program(void **state)
{
    (void)state;
    static const char canonical[] = ".product ascend-950pr\n"
                                    ".l0b l0b0 1024 32768\n"
                                    ".l1  a.x 0 8192\n"
                                    ".core 0\n"
                                    "load2dv2 dst=l0b0+512 src=a.x type=hif8 mStep=1 kStep=2 "
                                    "srcStride=3 dstStride=4\n";
    struct program_reading again;
    const struct program *program =
        parsed("# out of order, and with more words than needed\n.product ascend-950pr\n"
               "\t.l0b l0b0 0x400 32768\n.l1 a.x 0 0x2000\n"
               "load2dv2 dstStride=0x4 kStep=2 ifTranspose=0 mStep=1 srcStride=3 src=a.x+0 "
               "type=hif8 dst=l0b0+0x200\n");
    const char *text = program_format(program, &reading.arena);
    assert_string_equal(text, canonical);
    program_reading_init(&again, text, strlen(text));
    assert_int_equal(again.status, STATUS_OK);
    program_assert_same(program, &again.program, &again.arena);
    program_reading_deinit(&again);
    done();
}

/* The text between the first two fences of a page. */
static const char *fenced_text(const char *path)
{
    static char page[32768];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    char *start = strstr(page, "```\n");
    char *end = start == NULL ? NULL : strstr(start + 4, "```\n");
    assert_non_null(end);
    *end = '\0';
    return start + 4;
}

static void test_the_example_of_the_documentation_is_a_program(void **state)
{
    (void)state;
    const struct program *program = parsed(fenced_text("docs/program.md"));
    assert_int_equal(program->region_count, 8);
    assert_int_equal(program->dump_count, 1);
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_instruction_has_its_operands_fields_pipe_and_line),
        cmocka_unit_test(test_tensors_follow_each_other_at_multiples_of_512_bytes),
        cmocka_unit_test(test_named_tensors_are_warm_and_printed_in_one_line),
        cmocka_unit_test(test_values_lie_in_gm_as_they_are_written),
        cmocka_unit_test(test_a_list_of_values_has_no_limit),
        cmocka_unit_test(test_each_core_has_the_stream_behind_its_line),
        cmocka_unit_test(test_streams_longer_than_a_chunk_come_back_whole),
        cmocka_unit_test(test_the_event_ids_of_a_program_are_at_least_eight),
        cmocka_unit_test(test_line_ends_tabs_comments_and_a_missing_last_newline_do_not_matter),
        cmocka_unit_test(test_what_the_other_keys_say_is_concluded),
        cmocka_unit_test(test_a_product_from_outside_stands_in_place_of_the_line),
        cmocka_unit_test(test_a_program_in_its_own_words_is_the_same_text_again),
        cmocka_unit_test(test_the_text_of_a_program_reads_as_the_program),
        cmocka_unit_test(test_the_example_of_the_documentation_is_a_program),
    };
    return cmocka_run_group_tests_name("program text", tests, NULL, NULL);
}
