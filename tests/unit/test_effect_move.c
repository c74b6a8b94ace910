#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "tests/support/rig.h"

static uint32_t counting(uint64_t index)
{
    return (uint32_t)index + 1;
}

static void test_moves_agree_with_the_frozen_vectors(void **state)
{
    (void)state;
    assert_int_equal(vectors_run("tests/data/vectors_move.txt"), 42);
}

static void test_data_copy_moves_blocks_and_leaves_the_gaps(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_FP16, 16 * 11, counting);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 16 * 9);
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY);
    insn.operand[DATA_COPY_dst].region = target;
    insn.operand[DATA_COPY_src].region = source;
    insn.field[DATA_COPY_blockCount] = 3;
    insn.field[DATA_COPY_blockLen] = 1;
    insn.field[DATA_COPY_srcGap] = 4;
    insn.field[DATA_COPY_dstGap] = 3;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (uint64_t index = 0; index < 16 * 9; index++) {
        uint64_t block = index / 16;
        bool copied = block % 4 == 0;
        assert_int_equal(rig_is_written(&rig, target, index), copied);
        uint64_t from = block / 4 * 5 * 16 + index % 16;
        assert_int_equal(rig_load(&rig, target, index), copied ? counting(from) : 0xA5A5);
    }
    rig_deinit(&rig);
}

static void test_copies_carry_bytes_that_nobody_wrote_without_a_report(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_region(&rig, SPACE_GM, ELEMENT_FP16, 40);
    for (uint64_t index = 0; index < 40; index += 2) {
        rig_store(&rig, source, index, 7);
    }
    uint32_t l1 = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 256);
    uint32_t l0 = rig_region(&rig, SPACE_L0A, ELEMENT_FP16, 256);
    struct insn insn;
    insn_init(&insn, OP_ND2NZ);
    insn.operand[ND2NZ_dst].region = l1;
    insn.operand[ND2NZ_src].region = source;
    insn.field[ND2NZ_nValue] = 4;
    insn.field[ND2NZ_dValue] = 10;
    insn.field[ND2NZ_srcDValue] = 10;
    effect_apply(&rig.machine, &insn);
    for (uint64_t index = 0; index < 64; index++) {
        bool written = index % 16 >= 10 || index % 2 == 0;
        assert_int_equal(rig_is_written(&rig, l1, index), written);
        assert_true(index % 16 < 10 || rig_load(&rig, l1, index) == 0);
    }
    insn_init(&insn, OP_LOAD2D);
    insn.operand[LOAD2D_dst].region = l0;
    insn.operand[LOAD2D_src].region = l1;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_memory_equal(rig_written(&rig, l0), rig_written(&rig, l1), 512);
    rig_deinit(&rig);
}

static void test_zero_counts_do_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_FP16, 256, counting);
    uint32_t l1 = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 256);
    uint32_t l0 = rig_region(&rig, SPACE_L0A, ELEMENT_FP16, 256);
    static const int counts[] = {ND2NZ_ndNum, ND2NZ_nValue, ND2NZ_dValue};
    struct insn insn;
    for (size_t zero = 0; zero < 3; zero++) {
        for (int opcode = OP_ND2NZ; opcode <= OP_DN2NZ; opcode++) {
            insn_init(&insn, (enum opcode)opcode);
            insn.operand[ND2NZ_dst].region = l1;
            insn.operand[ND2NZ_src].region = source;
            insn.field[ND2NZ_nValue] = 2;
            insn.field[ND2NZ_dValue] = 2;
            insn.field[counts[zero]] = 0;
            effect_apply(&rig.machine, &insn);
        }
    }
    insn_init(&insn, OP_LOAD2D);
    insn.operand[LOAD2D_dst].region = l0;
    insn.operand[LOAD2D_src].region = l1;
    insn.field[LOAD2D_repeatTimes] = 0;
    effect_apply(&rig.machine, &insn);
    insn_init(&insn, OP_LOAD2DV2);
    insn.operand[LOAD2DV2_dst].region = l0;
    insn.operand[LOAD2DV2_src].region = l1;
    insn.field[LOAD2DV2_mStep] = 0;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, l1) + rig_written_count(&rig, l0), 0);
    rig_deinit(&rig);
}

static void test_nd2nz_reads_and_writes_to_its_last_byte_and_no_further(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_FP32, 40 + 20 + 9, counting);
    uint32_t l1 = rig_region(&rig, SPACE_L1, ELEMENT_FP32, 64 + 40 + 16 + 8);
    struct insn insn;
    insn_init(&insn, OP_ND2NZ);
    insn.operand[ND2NZ_dst].region = l1;
    insn.operand[ND2NZ_src].region = source;
    insn.field[ND2NZ_type] = ELEMENT_FP32;
    insn.field[ND2NZ_ndNum] = 2;
    insn.field[ND2NZ_nValue] = 3;
    insn.field[ND2NZ_dValue] = 9;
    insn.field[ND2NZ_srcDValue] = 10;
    insn.field[ND2NZ_srcNdMatrixStride] = 40;
    insn.field[ND2NZ_dstNzNStride] = 1;
    insn.field[ND2NZ_dstNzC0Stride] = 5;
    insn.field[ND2NZ_dstNzMatrixStride] = 64;
    struct insn wider = insn;
    wider.field[ND2NZ_dValue] = 10;
    effect_apply(&rig.machine, &wider);
    assert_non_null(strstr(rig.message, "src"));
    wider = insn;
    wider.field[ND2NZ_dstNzC0Stride] = 6;
    effect_apply(&rig.machine, &wider);
    assert_non_null(strstr(rig.message, "dst"));
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
    assert_int_equal(rig_written_count(&rig, l1), 0);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 2);
    assert_int_equal(rig_written_count(&rig, l1), 2 * 3 * 16);
    assert_int_equal(rig_load(&rig, l1, 64 + 40 + 16), counting(40 + 20 + 8));
    rig_deinit(&rig);
}

static void test_matrices_that_start_inside_a_block_are_misaligned(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_FP16, 64, counting);
    uint32_t l1 = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 64);
    struct insn insn;
    insn_init(&insn, OP_ND2NZ);
    insn.operand[ND2NZ_dst].region = l1;
    insn.operand[ND2NZ_src].region = source;
    insn.field[ND2NZ_ndNum] = 2;
    insn.field[ND2NZ_nValue] = 1;
    insn.field[ND2NZ_dValue] = 4;
    insn.field[ND2NZ_dstNzMatrixStride] = 24;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 1);
    insn.field[ND2NZ_dstNzMatrixStride] = 32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    rig_deinit(&rig);
}

static void test_transposing_needs_a_type_and_whole_squares(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t l1 = rig_filled(&rig, SPACE_L1, ELEMENT_INT8, 2048, counting);
    uint32_t l0 = rig_region(&rig, SPACE_L0B, ELEMENT_INT8, 2048);
    struct insn insn;
    insn_init(&insn, OP_LOAD2D);
    insn.operand[LOAD2D_dst].region = l0;
    insn.operand[LOAD2D_src].region = l1;
    insn.field[LOAD2D_type] = ELEMENT_INT8;
    insn.field[LOAD2D_ifTranspose] = 1;
    effect_apply(&rig.machine, &insn);
    insn_init(&insn, OP_LOAD2DV2);
    insn.operand[LOAD2DV2_dst].region = l0;
    insn.operand[LOAD2DV2_src].region = l1;
    insn.field[LOAD2DV2_type] = ELEMENT_INT8;
    insn.field[LOAD2DV2_ifTranspose] = 1;
    effect_apply(&rig.machine, &insn);
    insn.field[LOAD2DV2_type] = ELEMENT_FP32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 3);
    assert_int_equal(rig_written_count(&rig, l0), 0);
    rig_deinit(&rig);
}

static void test_bias_moves_to_the_bias_table_in_blocks_of_64_bytes(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t l1 = rig_filled(&rig, SPACE_L1, ELEMENT_FP32, 48, counting);
    uint32_t bt = rig_region(&rig, SPACE_BT, ELEMENT_FP32, 48);
    struct insn insn;
    insn_init(&insn, OP_LOAD_BT);
    insn.operand[LOAD_BT_dst].region = bt;
    insn.operand[LOAD_BT_src].region = l1;
    insn.field[LOAD_BT_blockLen] = 2;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, bt), 32);
    assert_int_equal(rig_load(&rig, bt, 31), 32);
    insn.field[LOAD_BT_blockCount] = 2;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    rig_deinit(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_agree_with_the_frozen_vectors),
        cmocka_unit_test(test_data_copy_moves_blocks_and_leaves_the_gaps),
        cmocka_unit_test(test_copies_carry_bytes_that_nobody_wrote_without_a_report),
        cmocka_unit_test(test_zero_counts_do_nothing),
        cmocka_unit_test(test_nd2nz_reads_and_writes_to_its_last_byte_and_no_further),
        cmocka_unit_test(test_matrices_that_start_inside_a_block_are_misaligned),
        cmocka_unit_test(test_transposing_needs_a_type_and_whole_squares),
        cmocka_unit_test(test_bias_moves_to_the_bias_table_in_blocks_of_64_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
