#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "tests/support/rig.h"

/* Small integers as binary32. */
static uint32_t counting(uint64_t index)
{
    return rig_code(ELEMENT_FP32, (int)index + 1);
}

static struct insn store_of(uint32_t target, uint32_t source, int64_t layout, int64_t m, int64_t n,
                            int64_t source_stride, int64_t target_stride)
{
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = target;
    insn.operand[FIXPIPE_src].region = source;
    insn.field[FIXPIPE_layout] = layout;
    insn.field[FIXPIPE_mSize] = m;
    insn.field[FIXPIPE_nSize] = n;
    insn.field[FIXPIPE_srcStride] = source_stride;
    insn.field[FIXPIPE_dstStride] = target_stride;
    return insn;
}

static void test_nz_columns_go_in_groups_of_16_at_strides_of_32_bytes(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 2 * 32 * 16, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP16, 7 * 16 + 5 * 16);
    struct insn insn = store_of(target, source, LAYOUT_NZ, 5, 32, 32, 7);
    insn.field[FIXPIPE_mode] = MODE_F322F16;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 5 * 32);
    for (uint64_t row = 0; row < 5; row++) {
        for (uint64_t column = 0; column < 32; column++) {
            uint64_t from = column / 16 * 32 * 16 + row * 16 + column % 16;
            uint64_t to = column / 16 * 7 * 16 + row * 16 + column % 16;
            assert_int_equal(rig_load(&rig, target, to), rig_code(ELEMENT_FP16, (int)from + 1));
        }
    }
    rig_deinit(&rig);
}

static void test_matrices_in_l0c_lie_in_fractals_or_on_950_in_rows(void **state)
{
    (void)state;
    for (int is950 = 0; is950 < 2; is950++) {
        struct rig rig;
        rig_init(&rig, is950 ? ARCH_3510 : ARCH_2201);
        uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 512 + 16, counting);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 13);
        struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 1, 3, 16, 3);
        insn.field[FIXPIPE_ndNum] = 2;
        insn.field[FIXPIPE_srcNdStride] = 2;
        insn.field[FIXPIPE_dstNdStride] = 10;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_written_count(&rig, target), 6);
        assert_int_equal(rig_load(&rig, target, 10), counting(is950 ? 32 : 512));
        assert_int_equal(insn_bytes(&rig.program, &insn), 24);
        rig_deinit(&rig);
    }
}

static void test_conversion_saturates_and_relu_comes_first(void **state)
{
    (void)state;
    static const float values[] = {70000.0F, -70000.0F, 1.5F, -1.5F, INFINITY, NAN};
    static const uint32_t plain[] = {0x7BFF, 0xFBFF, 0x3E00, 0xBE00, 0x7BFF, 0};
    static const uint32_t relu[] = {0x7BFF, 0, 0x3E00, 0, 0x7BFF, 0};
    for (int with_relu = 0; with_relu < 2; with_relu++) {
        struct rig rig;
        rig_init(&rig, ARCH_2201);
        uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 256);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP16, 6);
        for (uint64_t index = 0; index < 6; index++) {
            uint32_t code = element_encode(ELEMENT_FP32, values[index], false);
            rig_store(&rig, source, index, code);
        }
        struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 1, 6, 16, 6);
        insn.field[FIXPIPE_mode] = MODE_F322F16;
        insn.field[FIXPIPE_reluEn] = with_relu;
        effect_apply(&rig.machine, &insn);
        for (uint64_t index = 0; index < 6; index++) {
            assert_int_equal(rig_load(&rig, target, index), with_relu ? relu[index] : plain[index]);
        }
        rig_deinit(&rig);
    }
}

static void test_relu_of_int32_keeps_positive_values(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_INT32, 256);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT32, 2);
    rig_store(&rig, source, 0, 0x7FFFFFFF);
    rig_store(&rig, source, 1, 0x80000000);
    struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 1, 2, 16, 2);
    insn.field[FIXPIPE_type] = ELEMENT_INT32;
    insn.field[FIXPIPE_reluEn] = 1;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_load(&rig, target, 0), 0x7FFFFFFF);
    assert_int_equal(rig_load(&rig, target, 1), 0);
    rig_deinit(&rig);
}

static void test_bytes_stored_by_two_instructions_are_counted(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 256, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 64);
    struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 4, 6, 16, 8);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.machine.stored_twice, 0);
    insn = store_of(target, source, LAYOUT_NZ2DN, 4, 2, 16, 16);
    effect_apply(&rig.machine, &insn);
    /* Elements 0..3 and 16..19: all of them were stored as parts of rows 0 and 2. */
    assert_int_equal(rig.machine.stored_twice, 8 * 4);
    assert_int_equal(rig_hazards(&rig), 0);
    rig_deinit(&rig);
}

static void test_elements_that_nobody_wrote_are_reported_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 512, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 60);
    memset(rig_written(&rig, source) + 4 * (256 + 16 + 4), 0, 8); /* row 1, columns 20 and 21 */
    struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 3, 20, 16, 20);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    rig_written(&rig, source)[4 * (256 + 16 + 3)] = 0;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_UNINITIALIZED], 1);
    assert_string_equal(rig.message,
                        "fixpipe: src has elements that were never written, first at [1, 19]");
    rig_deinit(&rig);
}

static void test_footprints_end_with_their_last_element(void **state)
{
    (void)state;
    static const struct {
        int64_t layout, m, n, stride;
        uint64_t count;
    } rows[] = {
        {LAYOUT_NZ, 3, 32, 64, 64 + 3 * 16},
        {LAYOUT_NZ2ND, 3, 17, 20, 2 * 20 + 17},
        {LAYOUT_NZ2DN, 3, 17, 5, 16 * 5 + 3},
    };
    for (size_t index = 0; index < 3; index++) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 512, counting);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, rows[index].count);
        struct insn insn = store_of(target, source, rows[index].layout, rows[index].m,
                                    rows[index].n, 16, rows[index].stride);
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        rig.region[target].size_bytes--;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
        rig.region[target].size_bytes++;
        rig.region[source].size_bytes = 256 * 4;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
        rig_deinit(&rig);
    }
}

static void test_groups_that_overlap_reach_as_far_as_the_widest(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 32, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 32);
    /* Both groups of columns start at the first element of L0C. */
    struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 1, 17, 0, 17);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    rig.region[source].size_bytes = 15 * 4;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    rig.region[source].size_bytes = 32 * 4;
    /* The second group of the destination starts inside the first and ends before it. */
    insn = store_of(target, source, LAYOUT_NZ, 1, 17, 1, 1);
    rig.region[target].size_bytes = 16 * 4;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    rig.region[target].size_bytes = 15 * 4;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
    rig_deinit(&rig);
}

static void expect_hazard(enum hazard_kind kind, int field, int64_t value, int other, int64_t with,
                          uint64_t stored)
{
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 1024, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 512);
    struct insn insn = store_of(target, source, LAYOUT_NZ, 2, 16, 16, 16);
    insn.field[field] = value;
    insn.field[other] = with;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    assert_int_equal(rig.hazards[kind], 1);
    assert_int_equal(rig_written_count(&rig, target), stored);
    rig_deinit(&rig);
}

/* Unit flags count fractals, of which rows that lie apart have no whole ones. */
static void test_rows_apart_in_l0c_have_no_unit_flag(void **state)
{
    (void)state;
    for (int64_t flag = 0; flag <= 3; flag += 3) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 1024, counting);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 512);
        struct insn insn = store_of(target, source, LAYOUT_NZ2DN, 4, 16, 16, 8);
        insn.field[FIXPIPE_srcNzC0Stride] = 2;
        insn.field[FIXPIPE_unitFlag] = flag;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], flag != 0);
        assert_int_equal(rig_hazards(&rig), flag != 0);
        assert_int_equal(rig_written_count(&rig, target), flag != 0 ? 0 : 4 * 16);
        rig_deinit(&rig);
    }
}

static void test_columns_split_in_groups_of_8_have_no_unit_flag(void **state)
{
    (void)state;
    static const enum arch archs[] = {ARCH_2201, ARCH_3002, ARCH_3510};
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++) {
        for (int64_t flag = 0; flag <= 3; flag += flag == 0 ? 2 : 1) {
            struct rig rig;
            rig_init(&rig, archs[i]);
            uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 256, counting);
            uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 256);
            int64_t stride = archs[i] == ARCH_3510 ? 128 : 16;
            struct insn insn = store_of(target, source, LAYOUT_NZ, 16, 16, 16, stride);
            insn.field[FIXPIPE_channelSplit] = 1;
            insn.field[FIXPIPE_unitFlag] = flag;
            effect_apply(&rig.machine, &insn);
            assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], flag != 0);
            assert_int_equal(rig_hazards(&rig), flag != 0);
            assert_int_equal(rig_written_count(&rig, target), flag != 0 ? 0 : 256);
            rig_deinit(&rig);
        }
    }
}

static void test_contradicting_fields_are_reported(void **state)
{
    (void)state;
    expect_hazard(HAZARD_MISALIGNED, FIXPIPE_nSize, 12, FIXPIPE_channelSplit, 0, 24);
    expect_hazard(HAZARD_MISALIGNED, FIXPIPE_nSize, 12, FIXPIPE_channelSplit, 1, 24);
    expect_hazard(HAZARD_OUT_OF_BOUNDS, FIXPIPE_ndNum, 2, FIXPIPE_channelSplit, 0, 0);
    expect_hazard(HAZARD_OUT_OF_BOUNDS, FIXPIPE_channelSplit, 1, FIXPIPE_layout, LAYOUT_NZ2ND, 0);
    expect_hazard(HAZARD_OUT_OF_BOUNDS, FIXPIPE_channelSplit, 1, FIXPIPE_mode, MODE_F322F16, 0);
    expect_hazard(HAZARD_OUT_OF_BOUNDS, FIXPIPE_mode, MODE_F322F16, FIXPIPE_type, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nz_columns_go_in_groups_of_16_at_strides_of_32_bytes),
        cmocka_unit_test(test_matrices_in_l0c_lie_in_fractals_or_on_950_in_rows),
        cmocka_unit_test(test_conversion_saturates_and_relu_comes_first),
        cmocka_unit_test(test_relu_of_int32_keeps_positive_values),
        cmocka_unit_test(test_bytes_stored_by_two_instructions_are_counted),
        cmocka_unit_test(test_elements_that_nobody_wrote_are_reported_once),
        cmocka_unit_test(test_footprints_end_with_their_last_element),
        cmocka_unit_test(test_groups_that_overlap_reach_as_far_as_the_widest),
        cmocka_unit_test(test_rows_apart_in_l0c_have_no_unit_flag),
        cmocka_unit_test(test_columns_split_in_groups_of_8_have_no_unit_flag),
        cmocka_unit_test(test_contradicting_fields_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
