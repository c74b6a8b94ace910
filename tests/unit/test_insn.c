#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/insn.h"
#include "isa/insn_imply.h"
#include "isa/registers.h"

static void test_mnemonics_are_unique_and_found(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        assert_int_equal(opcode_find(insn_info((enum opcode)opcode)->mnemonic), opcode);
    }
    assert_int_equal(opcode_find("load3d"), OP_COUNT);
}

static void test_every_row_is_complete(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        assert_true(info->meaning[0] != '\0' && info->source[0] != '\0');
        assert_true(info->arches != 0 && info->arches < 32);
        assert_in_range(info->operand_count, 0, INSN_OPERANDS_MAX);
        assert_in_range(info->field_count, 0, INSN_FIELDS_MAX);
        for (size_t index = 0; index < info->operand_count; index++) {
            const struct operand_info *operand = &info->operands[index];
            assert_true(operand->spaces != 0 && operand->meaning[0] != '\0');
            bool global = operand->spaces == 1U << SPACE_GM;
            assert_true(global ? operand->align_bytes == 1 : operand->align_bytes % 32 == 0);
        }
    }
}

static void test_initial_values_lie_in_their_range_unless_the_key_is_required(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        for (size_t index = 0; index < info->field_count; index++) {
            const struct field_info *field = &info->fields[index];
            assert_true(field->low <= field->high);
            assert_true(field->required ||
                        (field->initial >= field->low && field->initial <= field->high));
            assert_false(field->required && field->hidden);
            if (field->words != NULL) {
                assert_int_equal(field->high + 1, field->word_count);
            }
            for (size_t before = 0; before < index; before++) {
                assert_string_not_equal(info->fields[before].name, field->name);
            }
        }
    }
}

static void test_enumerators_index_the_rows_that_they_name(void **state)
{
    (void)state;
    const struct insn_info *load = insn_info(OP_LOAD3DV2);
    assert_string_equal(load->fields[LOAD3DV2_mExtension].name, "mExtension");
    assert_string_equal(load->fields[LOAD3DV2_enTranspose].name, "enTranspose");
    assert_string_equal(load->fields[LOAD3DV2_dstStride].name, "dstStride");
    assert_true(load->fields[LOAD3DV2_repeatTime].hidden);
    assert_string_equal(load->operands[LOAD3DV2_src].name, "src");
    const struct insn_info *mmad = insn_info(OP_MMAD);
    assert_string_equal(mmad->operands[MMAD_bias].name, "bias");
    assert_false(mmad->operands[MMAD_bias].required);
    assert_int_equal(mmad->pipe, PIPE_CUBE);
    assert_int_equal(insn_info(OP_FIXPIPE)->fields[FIXPIPE_layout].word_count, LAYOUT_NZ2DN + 1);
}

static void test_word_lists_follow_their_enums(void **state)
{
    (void)state;
    const struct field_info *mode = &insn_info(OP_FIXPIPE)->fields[FIXPIPE_mode];
    assert_string_equal(mode->words[MODE_NOQUANT], "NoQuant");
    assert_string_equal(mode->words[MODE_F322F16], "F322F16");
    assert_string_equal(mode->words[MODE_F322BF16], "F322BF16");
    const struct field_info *layout = &insn_info(OP_FIXPIPE)->fields[FIXPIPE_layout];
    assert_string_equal(layout->words[LAYOUT_NZ], "nz");
    assert_string_equal(layout->words[LAYOUT_NZ2ND], "nz2nd");
    const struct field_info *source = &insn_info(OP_SET_FLAG)->fields[SET_FLAG_src];
    assert_int_equal(source->word_count, PIPE_COUNT);
    const struct field_info *held = &insn_info(OP_PIPE_BARRIER)->fields[PIPE_BARRIER_pipe];
    assert_int_equal(held->word_count, PIPE_COUNT + 1);
    for (int pipe = 0; pipe <= PIPE_ALL; pipe++) {
        assert_string_equal(held->words[pipe], pipe_word((enum pipe)pipe));
    }
}

static void test_type_words_name_element_types(void **state)
{
    (void)state;
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        struct insn insn;
        insn_init(&insn, (enum opcode)opcode);
        if (info->field_count == 0 || strcmp(info->fields[0].name, "type") != 0) {
            assert_int_equal(info->type_count + info->product_count, 0);
            assert_int_equal(insn_element(&insn), ELEMENT_COUNT);
            continue;
        }
        assert_true(info->type_count + info->product_count > 0);
        assert_int_equal(info->fields[0].word_count, ELEMENT_COUNT);
        for (int element = 0; element < ELEMENT_COUNT; element++) {
            insn.field[0] = element;
            assert_int_equal(insn_element(&insn), element);
            assert_string_equal(info->fields[0].words[element],
                                element_word((enum element)element));
        }
    }
}

static void test_rows_hold_on_the_products_that_have_the_unit(void **state)
{
    (void)state;
    for (int number = 0; number < ARCH_COUNT; number++) {
        enum arch arch = (enum arch)number;
        unsigned bit = arch_bit(arch);
        /* On 310P a library makes ND2NZ; plans do not use it there. */
        assert_int_equal((insn_info(OP_ND2NZ)->arches & bit) != 0,
                         arch_has_nd2nz(arch) || arch == ARCH_2002);
        assert_int_equal((insn_info(OP_LOAD_FB)->arches & bit) != 0, arch_has_parameter_load(arch));
        assert_int_equal((insn_info(OP_SET_HF32_MODE)->arches & bit) != 0, arch_has_hf32(arch));
        assert_int_equal((insn_info(OP_DN2NZ)->arches & bit) != 0, arch_has_dn2nz(arch));
        assert_int_equal((insn_info(OP_LOAD_BT)->arches & bit) != 0, arch_has_bias_table(arch));
        assert_int_equal((insn_info(OP_FIXPIPE)->arches & bit) != 0, arch_has_fixpipe(arch));
        assert_int_equal((insn_info(OP_LOAD2DV2)->arches & bit) != 0, arch_l0a_is_nz(arch));
        assert_int_equal((insn_info(OP_LOAD3DV2)->arches & bit) != 0, arch != ARCH_1001);
        assert_int_equal(arch_find(arch_word(arch)), arch);
    }
    assert_int_equal(arch_find("dav-9999"), ARCH_COUNT);
}

static void test_a_new_instruction_has_initial_fields_and_no_operands(void **state)
{
    (void)state;
    struct insn insn;
    memset(&insn, 0xFF, sizeof insn);
    insn_init(&insn, OP_LOAD3DV2);
    assert_int_equal(insn.opcode, OP_LOAD3DV2);
    assert_int_equal(insn.pipe, PIPE_MTE1);
    assert_int_equal(insn.operand[LOAD3DV2_dst].region, REGION_NONE);
    assert_int_equal(insn.field[LOAD3DV2_strideW], 1);
    assert_int_equal(insn.field[LOAD3DV2_isSetFMatrix], 1);
    assert_int_equal(insn.field[LOAD3DV2_repeatTime], 1);
    assert_int_equal(insn.line + insn.tile, 0);
}

static void test_any_key_of_the_image_makes_load3d_set_its_registers(void **state)
{
    (void)state;
    const struct program program = {.arch = ARCH_2201};
    for (int field = LOAD3DV2_l1H; field <= LOAD3DV2_padBottom + 1; field++) {
        struct insn insn;
        insn_init(&insn, OP_LOAD3DV2);
        insn_imply(&program, &insn, UINT32_C(1) << field);
        assert_int_equal(insn.field[LOAD3DV2_isSetFMatrix], field <= LOAD3DV2_padBottom);
    }
}

static void test_a_bias_starts_c_unless_the_keys_say_otherwise(void **state)
{
    (void)state;
    struct region regions[] = {{.space = SPACE_BT}};
    const struct program program = {.arch = ARCH_2201, .regions = regions, .region_count = 1};
    for (int given = 0; given < 2; given++) {
        struct insn insn;
        insn_init(&insn, OP_MMAD);
        insn.operand[MMAD_bias].region = 0;
        insn_imply(&program, &insn, given == 0 ? 0 : 1U << MMAD_cmatrixSource);
        assert_int_equal(insn.field[MMAD_cmatrixSource], given == 0);
    }
}

static void test_what_a_store_keeps_on_the_chip_is_fp32_where_a_mode_takes_two_types(void **state)
{
    (void)state;
    struct region regions[] = {{.space = SPACE_UB}};
    const struct program program = {.arch = ARCH_3510, .regions = regions, .region_count = 1};
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = 0;
    insn.field[FIXPIPE_type] = ELEMENT_BF16;
    insn_imply(&program, &insn, 0);
    assert_int_equal(insn.field[FIXPIPE_type], ELEMENT_FP32);
}

static void test_load3d_takes_fmatrix_and_padding_from_the_registers_when_told(void **state)
{
    (void)state;
    struct registers registers;
    registers_init(&registers);
    struct insn insn;
    insn_init(&insn, OP_SET_FMATRIX);
    insn.field[SET_FMATRIX_l1H] = 7;
    insn.field[SET_FMATRIX_l1W] = 9;
    insn.field[SET_FMATRIX_padLeft] = 1;
    insn.field[SET_FMATRIX_padRight] = 2;
    insn.field[SET_FMATRIX_padTop] = 3;
    insn.field[SET_FMATRIX_padBottom] = 4;
    insn_capture(&registers, &insn);
    insn_init(&insn, OP_SET_PADDING_VALUE);
    insn.field[SET_PADDING_VALUE_padValue] = 0x3C00;
    insn_capture(&registers, &insn);
    insn_init(&insn, OP_LOAD3DV2);
    insn.field[LOAD3DV2_isSetFMatrix] = 0;
    insn.field[LOAD3DV2_isSetPadding] = 0;
    insn.field[LOAD3DV2_l1H] = 100;
    insn_capture(&registers, &insn);
    assert_int_equal(insn.field[LOAD3DV2_l1H], 7);
    assert_int_equal(insn.field[LOAD3DV2_l1W], 9);
    assert_int_equal(insn.field[LOAD3DV2_padLeft], 1);
    assert_int_equal(insn.field[LOAD3DV2_padRight], 2);
    assert_int_equal(insn.field[LOAD3DV2_padTop], 3);
    assert_int_equal(insn.field[LOAD3DV2_padBottom], 4);
    assert_int_equal(insn.field[LOAD3DV2_padValue], 0x3C00);
}

static void test_load3d_that_sets_the_registers_leaves_its_values_there(void **state)
{
    (void)state;
    struct registers registers;
    registers_init(&registers);
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    insn.field[LOAD3DV2_l1H] = 5;
    insn.field[LOAD3DV2_l1W] = 6;
    insn.field[LOAD3DV2_padBottom] = 2;
    insn.field[LOAD3DV2_padValue] = 0x1234;
    insn_capture(&registers, &insn);
    assert_int_equal(insn.field[LOAD3DV2_l1H], 5);
    insn_init(&insn, OP_LOAD3DV2);
    insn.field[LOAD3DV2_isSetFMatrix] = 0;
    insn.field[LOAD3DV2_isSetPadding] = 0;
    insn_capture(&registers, &insn);
    assert_int_equal(insn.field[LOAD3DV2_l1H], 5);
    assert_int_equal(insn.field[LOAD3DV2_l1W], 6);
    assert_int_equal(insn.field[LOAD3DV2_padBottom], 2);
    assert_int_equal(insn.field[LOAD3DV2_padValue], 0x1234);
}

static void test_the_repeat_registers_reach_every_later_load3d(void **state)
{
    (void)state;
    struct registers registers;
    registers_init(&registers);
    struct insn insn;
    insn_init(&insn, OP_SET_LOAD_DATA_REPEAT);
    insn.field[SET_LOAD_DATA_REPEAT_repeatStride] = 3;
    insn.field[SET_LOAD_DATA_REPEAT_repeatTime] = 2;
    insn.field[SET_LOAD_DATA_REPEAT_repeatMode] = 1;
    insn.field[SET_LOAD_DATA_REPEAT_dstStride] = 8;
    insn_capture(&registers, &insn);
    for (int count = 0; count < 2; count++) {
        insn_init(&insn, OP_LOAD3DV2);
        insn_capture(&registers, &insn);
        assert_int_equal(insn.field[LOAD3DV2_repeatStride], 3);
        assert_int_equal(insn.field[LOAD3DV2_repeatTime], 2);
        assert_int_equal(insn.field[LOAD3DV2_repeatMode], 1);
        assert_int_equal(insn.field[LOAD3DV2_dstStride], 8);
    }
    registers_init(&registers);
    insn_capture(&registers, &insn);
    assert_int_equal(insn.field[LOAD3DV2_repeatTime], 1);
    assert_int_equal(insn.field[LOAD3DV2_dstStride], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mnemonics_are_unique_and_found),
        cmocka_unit_test(test_every_row_is_complete),
        cmocka_unit_test(test_initial_values_lie_in_their_range_unless_the_key_is_required),
        cmocka_unit_test(test_enumerators_index_the_rows_that_they_name),
        cmocka_unit_test(test_word_lists_follow_their_enums),
        cmocka_unit_test(test_type_words_name_element_types),
        cmocka_unit_test(test_rows_hold_on_the_products_that_have_the_unit),
        cmocka_unit_test(test_a_new_instruction_has_initial_fields_and_no_operands),
        cmocka_unit_test(test_any_key_of_the_image_makes_load3d_set_its_registers),
        cmocka_unit_test(test_a_bias_starts_c_unless_the_keys_say_otherwise),
        cmocka_unit_test(test_what_a_store_keeps_on_the_chip_is_fp32_where_a_mode_takes_two_types),
        cmocka_unit_test(test_load3d_takes_fmatrix_and_padding_from_the_registers_when_told),
        cmocka_unit_test(test_load3d_that_sets_the_registers_leaves_its_values_there),
        cmocka_unit_test(test_the_repeat_registers_reach_every_later_load3d),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
