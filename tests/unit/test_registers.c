/*
 * Which registers each Load3D form reads and sets, and that they keep their values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/insn_imply.h"
#include "isa/registers.h"

static void set_image(struct registers *registers)
{
    struct insn insn;
    insn_init(&insn, OP_SET_FMATRIX);
    for (int field = SET_FMATRIX_l1H; field <= SET_FMATRIX_padBottom; field++) {
        insn.field[field] = 11 + field;
    }
    insn_capture(registers, &insn);
    insn_init(&insn, OP_SET_PADDING_VALUE);
    insn.field[SET_PADDING_VALUE_padValue] = 77;
    insn_capture(registers, &insn);
}

static void set_block(struct registers *registers)
{
    struct insn insn;
    insn_init(&insn, OP_SET_LOAD_DATA_REPEAT);
    insn.field[SET_LOAD_DATA_REPEAT_repeatStride] = 3;
    insn.field[SET_LOAD_DATA_REPEAT_repeatTime] = 2;
    insn.field[SET_LOAD_DATA_REPEAT_repeatMode] = 1;
    insn.field[SET_LOAD_DATA_REPEAT_dstStride] = 8;
    insn_capture(registers, &insn);
    insn_init(&insn, OP_SET_LOAD_DATA_BOUNDARY);
    insn.field[SET_LOAD_DATA_BOUNDARY_boundaryValue] = 4096;
    insn_capture(registers, &insn);
}

static void expect_image(const int64_t *image)
{
    for (int field = 0; field < 6; field++) {
        assert_int_equal(image[field], 11 + field);
    }
}

static void test_load3dv1_takes_image_padding_and_boundary_and_no_repeat(void **state)
{
    (void)state;
    struct registers registers;
    registers_init(&registers);
    set_image(&registers);
    set_block(&registers);
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV1);
    insn.field[LOAD3DV1_isSetFMatrix] = 0;
    insn.field[LOAD3DV1_isSetPadding] = 0;
    insn.field[LOAD3DV1_repeatTime] = 5;
    insn_capture(&registers, &insn);
    expect_image(&insn.field[LOAD3DV1_l1H]);
    assert_int_equal(insn.field[LOAD3DV1_padValue], 77);
    assert_int_equal(insn.field[LOAD3DV1_boundaryValue], 4096);
    assert_int_equal(insn.field[LOAD3DV1_repeatTime], 5);
    assert_int_equal(insn.field[LOAD3DV1_repeatMode], 0);
}

static void test_load3dv1_leaves_an_image_for_load3dv2(void **state)
{
    (void)state;
    struct registers registers;
    registers_init(&registers);
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV1);
    for (int field = LOAD3DV1_l1H; field <= LOAD3DV1_padBottom; field++) {
        insn.field[field] = 11 + field - LOAD3DV1_l1H;
    }
    insn.field[LOAD3DV1_padValue] = 9;
    insn_capture(&registers, &insn);
    insn_init(&insn, OP_LOAD3DV2);
    insn.field[LOAD3DV2_isSetFMatrix] = 0;
    insn.field[LOAD3DV2_isSetPadding] = 0;
    insn_capture(&registers, &insn);
    expect_image(&insn.field[LOAD3DV2_l1H]);
    assert_int_equal(insn.field[LOAD3DV2_padValue], 9);
}

static void test_load3dv2pro_has_image_padding_repeat_and_boundary_from_registers(void **state)
{
    (void)state;
    struct registers registers;
    registers_init(&registers);
    set_image(&registers);
    set_block(&registers);
    for (int count = 0; count < 2; count++) {
        struct insn insn;
        insn_init(&insn, OP_LOAD3DV2PRO);
        insn_capture(&registers, &insn);
        expect_image(&insn.field[LOAD3DV2PRO_l1H]);
        assert_int_equal(insn.field[LOAD3DV2PRO_padValue], 77);
        assert_int_equal(insn.field[LOAD3DV2PRO_repeatStride], 3);
        assert_int_equal(insn.field[LOAD3DV2PRO_repeatTime], 2);
        assert_int_equal(insn.field[LOAD3DV2PRO_repeatMode], 1);
        assert_int_equal(insn.field[LOAD3DV2PRO_dstStride], 8);
        assert_int_equal(insn.field[LOAD3DV2PRO_boundaryValue], 4096);
    }
}

static void test_load_data_with_stride_obeys_the_switches_like_load3dv2(void **state)
{
    (void)state;
    struct registers registers;
    registers_init(&registers);
    set_image(&registers);
    set_block(&registers);
    struct insn insn;
    insn_init(&insn, OP_LOAD_DATA_WITH_STRIDE);
    insn.field[LOAD_DATA_WITH_STRIDE_l1H] = 1;
    insn.field[LOAD_DATA_WITH_STRIDE_l1W] = 2;
    insn.field[LOAD_DATA_WITH_STRIDE_isSetPadding] = 0;
    insn_capture(&registers, &insn);
    assert_int_equal(insn.field[LOAD_DATA_WITH_STRIDE_l1W], 2);
    assert_int_equal(insn.field[LOAD_DATA_WITH_STRIDE_padLeft], 0);
    assert_int_equal(insn.field[LOAD_DATA_WITH_STRIDE_padValue], 77);
    assert_int_equal(insn.field[LOAD_DATA_WITH_STRIDE_dstStride], 8);
    assert_int_equal(registers.l1W, 2);
}

static void test_a_load3d_without_size_and_pads_is_concluded_to_use_the_register(void **state)
{
    (void)state;
    static const enum opcode forms[] = {OP_LOAD3DV1, OP_LOAD3DV2, OP_LOAD_DATA_WITH_STRIDE};
    const struct program program = {0};
    for (int index = 0; index < 3; index++) {
        struct insn insn;
        insn_init(&insn, forms[index]);
        insn_imply(&program, &insn, 0);
        assert_int_equal(insn.field[LOAD3DV2_isSetFMatrix], 0);
        for (uint32_t field = LOAD3DV2_l1H; field <= LOAD3DV2_padBottom; field++) {
            insn_imply(&program, &insn, UINT32_C(1) << field);
            assert_int_equal(insn.field[LOAD3DV2_isSetFMatrix], 1);
        }
        insn.field[LOAD3DV2_isSetFMatrix] = 0;
        insn_imply(&program, &insn, 1U << LOAD3DV2_padTop | 1U << LOAD3DV2_isSetFMatrix);
        assert_int_equal(insn.field[LOAD3DV2_isSetFMatrix], 0);
        /* The padding value has a default of its own. */
        assert_int_equal(insn.field[LOAD3DV2_isSetPadding], 1);
    }
}

static struct insn load_of(enum opcode opcode, int64_t own, int64_t value)
{
    struct insn insn;
    insn_init(&insn, opcode);
    insn.field[LOAD3DV2_isSetPadding] = own;
    insn.field[LOAD3DV2_padValue] = value;
    return insn;
}

static void test_a_padding_value_of_0_in_place_of_the_one_that_was_set_is_a_loss(void **state)
{
    (void)state;
    static const enum opcode forms[] = {OP_LOAD3DV1, OP_LOAD3DV2, OP_LOAD_DATA_WITH_STRIDE};
    for (int index = 0; index < 3; index++) {
        struct registers registers;
        struct insn set, insn = load_of(forms[index], 1, 0);
        registers_init(&registers);
        assert_false(insn_loses_padding(&registers, &insn));
        insn_init(&set, OP_SET_PADDING_VALUE);
        set.field[SET_PADDING_VALUE_padValue] = 7;
        insn_capture(&registers, &set);
        assert_true(insn_loses_padding(&registers, &insn));
        insn = load_of(forms[index], 0, 0); /* takes it */
        assert_false(insn_loses_padding(&registers, &insn));
        insn_capture(&registers, &insn);
        insn = load_of(forms[index], 1, 3); /* has one of its own, */
        assert_false(insn_loses_padding(&registers, &insn));
        insn_capture(&registers, &insn);
        insn = load_of(forms[index], 1, 0); /* and so has the next */
        assert_false(insn_loses_padding(&registers, &insn));
        set.field[SET_PADDING_VALUE_padValue] = 0;
        insn_capture(&registers, &set);
        assert_false(insn_loses_padding(&registers, &insn));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load3dv1_takes_image_padding_and_boundary_and_no_repeat),
        cmocka_unit_test(test_load3dv1_leaves_an_image_for_load3dv2),
        cmocka_unit_test(test_load3dv2pro_has_image_padding_repeat_and_boundary_from_registers),
        cmocka_unit_test(test_load_data_with_stride_obeys_the_switches_like_load3dv2),
        cmocka_unit_test(test_a_load3d_without_size_and_pads_is_concluded_to_use_the_register),
        cmocka_unit_test(test_a_padding_value_of_0_in_place_of_the_one_that_was_set_is_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
