#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/program_format.h"

static struct region regions[] = {
    {.name = "x",
     .space = SPACE_GM,
     .base_bytes = 512,
     .size_bytes = 16384,
     .element = ELEMENT_FP16,
     .rank = 5,
     .shape = {1, 4, 8, 16, 16}},
    {.name = "a",
     .space = SPACE_L1,
     .base_bytes = 0,
     .size_bytes = 8192,
     .element = ELEMENT_FP16,
     .rank = 0,
     .shape = {0}},
    {.name = "l0a0",
     .space = SPACE_L0A,
     .base_bytes = 1024,
     .size_bytes = 32768,
     .element = ELEMENT_FP16,
     .rank = 0,
     .shape = {0}},
    {.name = "l0b0",
     .space = SPACE_L0B,
     .base_bytes = 0,
     .size_bytes = 32768,
     .element = ELEMENT_FP16,
     .rank = 0,
     .shape = {0}},
    {.name = "c",
     .space = SPACE_L0C,
     .base_bytes = 2048,
     .size_bytes = 65536,
     .element = ELEMENT_FP32,
     .rank = 0,
     .shape = {0}},
};
static const struct program program = {.product = "atlas-a2",
                                       .arch = ARCH_2201,
                                       .regions = regions,
                                       .region_count = 5,
                                       .core_count = 1,
                                       .event_ids = EVENT_IDS};

static void assert_region(uint32_t region, const char *wanted)
{
    char line[128];
    assert_int_equal(program_format_region(&program, region, line, sizeof line), strlen(wanted));
    assert_string_equal(line, wanted);
}

static void assert_insn(const struct insn *insn, const char *wanted)
{
    char line[512];
    assert_int_equal(program_format_insn(&program, insn, line, sizeof line), strlen(wanted));
    assert_string_equal(line, wanted);
}

static void test_tensors_print_type_and_shape_and_parts_offset_and_bytes(void **state)
{
    (void)state;
    assert_region(0, ".gm  x fp16 [1,4,8,16,16]");
    assert_region(1, ".l1  a 0 8192");
    assert_region(2, ".l0a l0a0 1024 32768");
}

static void test_required_keys_are_printed_and_initial_ones_left_out(void **state)
{
    (void)state;
    struct insn insn;
    insn_init(&insn, OP_ND2NZ);
    insn.operand[ND2NZ_dst].region = 1;
    insn.operand[ND2NZ_src] = (struct operand){0, 64};
    insn.field[ND2NZ_nValue] = 16;
    insn.field[ND2NZ_dValue] = 64;
    assert_insn(&insn, "nd2nz dst=a src=x+64 ndNum=1 nValue=16 dValue=64 srcDValue=1 "
                       "dstNzC0Stride=1 dstNzNStride=1");
    insn.field[ND2NZ_type] = ELEMENT_INT8;
    insn.field[ND2NZ_srcNdMatrixStride] = 1024;
    assert_insn(&insn, "nd2nz dst=a src=x+64 type=int8 ndNum=1 nValue=16 dValue=64 "
                       "srcNdMatrixStride=1024 srcDValue=1 dstNzC0Stride=1 dstNzNStride=1");
}

static void test_hidden_fields_are_not_printed(void **state)
{
    (void)state;
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    insn.operand[LOAD3DV2_dst] = (struct operand){2, 512};
    insn.operand[LOAD3DV2_src].region = 1;
    insn.field[LOAD3DV2_channelSize] = 16;
    insn.field[LOAD3DV2_mExtension] = 64;
    insn.field[LOAD3DV2_kExtension] = 144;
    insn.field[LOAD3DV2_filterW] = 3;
    insn.field[LOAD3DV2_filterH] = 3;
    insn.field[LOAD3DV2_isSetFMatrix] = 0;
    insn.field[LOAD3DV2_repeatTime] = 7;
    assert_insn(&insn, "load3dv2 dst=l0a0+512 src=a channelSize=16 mExtension=64 kExtension=144 "
                       "filterW=3 filterH=3");
}

static void test_a_flag_is_printed_where_the_other_keys_would_say_otherwise(void **state)
{
    (void)state;
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    insn.operand[LOAD3DV2_dst].region = 2;
    insn.operand[LOAD3DV2_src].region = 1;
    insn.field[LOAD3DV2_l1W] = 9;
    assert_insn(&insn, "load3dv2 dst=l0a0 src=a l1W=9 channelSize=1 mExtension=1 kExtension=1 "
                       "filterW=1 filterH=1");
    insn.field[LOAD3DV2_isSetFMatrix] = 0;
    assert_insn(&insn, "load3dv2 dst=l0a0 src=a l1W=9 channelSize=1 mExtension=1 kExtension=1 "
                       "filterW=1 filterH=1 isSetFMatrix=0");
}

static void test_optional_operands_print_when_they_are_there(void **state)
{
    (void)state;
    struct insn insn;
    insn_init(&insn, OP_MMAD);
    insn.operand[MMAD_dst].region = 4;
    insn.operand[MMAD_a].region = 2;
    insn.operand[MMAD_b].region = 3;
    insn.field[MMAD_m] = 64;
    insn.field[MMAD_n] = 16;
    insn.field[MMAD_k] = 144;
    assert_insn(&insn, "mmad dst=c a=l0a0 b=l0b0 m=64 n=16 k=144");
    insn.field[MMAD_cmatrixInitVal] = 0;
    assert_insn(&insn, "mmad dst=c a=l0a0 b=l0b0 m=64 n=16 k=144 cmatrixInitVal=0");
}

static void test_flags_and_barriers_print_pipes_as_words(void **state)
{
    (void)state;
    struct insn insn;
    insn_init(&insn, OP_SET_FLAG);
    insn.field[SET_FLAG_src] = PIPE_MTE2;
    insn.field[SET_FLAG_dst] = PIPE_MTE1;
    assert_insn(&insn, "set_flag src=MTE2 dst=MTE1 id=0");
    insn_init(&insn, OP_PIPE_BARRIER);
    insn.field[PIPE_BARRIER_pipe] = PIPE_ALL;
    assert_insn(&insn, "pipe_barrier pipe=ALL");
}

static void test_a_short_buffer_is_closed_and_the_whole_length_returned(void **state)
{
    (void)state;
    char line[8];
    memset(line, 'z', sizeof line);
    assert_int_equal(program_format_region(&program, 1, line, 6), strlen(".l1  a 0 8192"));
    assert_string_equal(line, ".l1  ");
    assert_int_equal(line[6], 'z');
    assert_int_equal(program_format_region(&program, 1, NULL, 0), strlen(".l1  a 0 8192"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensors_print_type_and_shape_and_parts_offset_and_bytes),
        cmocka_unit_test(test_required_keys_are_printed_and_initial_ones_left_out),
        cmocka_unit_test(test_hidden_fields_are_not_printed),
        cmocka_unit_test(test_a_flag_is_printed_where_the_other_keys_would_say_otherwise),
        cmocka_unit_test(test_optional_operands_print_when_they_are_there),
        cmocka_unit_test(test_flags_and_barriers_print_pipes_as_words),
        cmocka_unit_test(test_a_short_buffer_is_closed_and_the_whole_length_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
