#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

static uint32_t counting(uint64_t index)
{
    return (uint32_t)index + 1;
}

static uint32_t counting_bytes(uint64_t index)
{
    return (uint32_t)(index * 37 + 11) & 0xFF;
}

static struct insn pad_of(uint32_t target, uint32_t source, enum element type, int64_t count,
                          int64_t length)
{
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY_PAD);
    insn.operand[DATA_COPY_PAD_dst].region = target;
    insn.operand[DATA_COPY_PAD_src].region = source;
    insn.field[DATA_COPY_PAD_type] = type;
    insn.field[DATA_COPY_PAD_blockCount] = count;
    insn.field[DATA_COPY_PAD_blockLen] = length;
    return insn;
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
    static const int blocks[] = {DATA_COPY_blockCount, DATA_COPY_blockLen};
    for (size_t zero = 0; zero < 2; zero++) {
        insn_init(&insn, OP_DATA_COPY);
        insn.operand[DATA_COPY_dst].region = l1;
        insn.operand[DATA_COPY_src].region = source;
        insn.field[blocks[zero]] = 0;
        effect_apply(&rig.machine, &insn);
    }
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, l1) + rig_written_count(&rig, l0), 0);
    rig_deinit(&rig);
}

/* All of it within bounds: with these strides the same bytes are written again and again. */
static void test_a_move_of_more_bytes_than_any_memory_is_refused(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_FP16, 70000, counting);
    uint32_t l1 = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 200000);
    struct insn insn;
    insn_init(&insn, OP_ND2NZ);
    insn.operand[ND2NZ_dst].region = l1;
    insn.operand[ND2NZ_src].region = source;
    insn.field[ND2NZ_ndNum] = 4095;
    insn.field[ND2NZ_nValue] = 8000;
    insn.field[ND2NZ_dValue] = 60000;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_string_equal(rig.message, "nd2nz: it moves 3931200000000 bytes; expected at most "
                                     "4294967295");
    assert_int_equal(rig_written_count(&rig, l1), 0);
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
    insn.field[ND2NZ_dstNzMatrixStride] = 24;
    insn.field[ND2NZ_ndNum] = 1; /* there is no second matrix to start anywhere */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    rig_deinit(&rig);
}

/* Blocks of 10 elements: 3 of padding in front, 1 behind, up to 64 bytes, 32 bytes between. */
static void test_data_copy_pad_fills_blocks_up_on_both_sides(void **state)
{
    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_UINT8, 2 * 47 + 40, counting_bytes);
        uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_UINT8, 2 * 96 + 64);
        struct insn insn = pad_of(target, source, ELEMENT_FP32, 3, 40);
        insn.field[DATA_COPY_PAD_srcStride] = 7;
        insn.field[DATA_COPY_PAD_dstStride] = 1;
        insn.field[DATA_COPY_PAD_leftPadding] = 3;
        insn.field[DATA_COPY_PAD_rightPadding] = 1; /* 12 + 40 + 4 bytes, and 8 more up to 64 */
        insn.field[DATA_COPY_PAD_isPad] = padded;
        insn.field[DATA_COPY_PAD_paddingValue] = 0xB4C3D2E1;
        rig_store(&rig, target, 64, 9);  /* between blocks: kept */
        rig_store(&rig, target, 100, 9); /* padding: known no more */
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t byte = 0; byte < 2 * 96 + 64; byte++) {
            uint64_t block = byte / 96, at = byte % 96;
            bool data = at >= 12 && at < 52, gap = at >= 64;
            if (data)
                assert_int_equal(rig_load(&rig, target, byte),
                                 counting_bytes(block * 47 + at - 12));
            else if (!gap && padded)
                assert_int_equal(rig_load(&rig, target, byte), 0xB4C3D2E1 >> 8 * (at % 4) & 0xFF);
            assert_int_equal(rig_is_written(&rig, target, byte),
                             byte == 64 || data || (!gap && padded));
        }
        assert_int_equal(insn_bytes(&rig.program, &insn), 120);
        rig_deinit(&rig);
    }
}

/* Compact: 3 blocks of 48 bytes follow each other, 16 bytes of padding behind the last. */
static void test_data_copy_pad_can_pack_its_blocks(void **state)
{
    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_UINT8, 144, counting_bytes);
        uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_UINT8, 160);
        struct insn insn = pad_of(target, source, ELEMENT_INT8, 3, 48);
        insn.field[DATA_COPY_PAD_mode] = PADDING_COMPACT;
        insn.field[DATA_COPY_PAD_dstStride] = 5; /* of no effect, as are the next two */
        insn.field[DATA_COPY_PAD_leftPadding] = 9;
        insn.field[DATA_COPY_PAD_rightPadding] = 9;
        insn.field[DATA_COPY_PAD_isPad] = padded;
        insn.field[DATA_COPY_PAD_paddingValue] = 0x5C;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t byte = 0; byte < 160; byte++) {
            assert_int_equal(rig_is_written(&rig, target, byte), byte < 144 || padded);
            if (byte < 144 || padded)
                assert_int_equal(rig_load(&rig, target, byte),
                                 byte < 144 ? counting_bytes(byte) : 0x5C);
        }
        rig_deinit(&rig);
    }
}

/* A stride of -blockLen reads the same block again. */
static void test_data_copy_pad_can_repeat_a_block(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_UINT8, 6, counting_bytes);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_UINT8, 64);
    struct insn insn = pad_of(target, source, ELEMENT_INT16, 2, 6);
    insn.field[DATA_COPY_PAD_srcStride] = -6;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (uint64_t byte = 0; byte < 6; byte++) {
        assert_int_equal(rig_load(&rig, target, byte), counting_bytes(byte));
        assert_int_equal(rig_load(&rig, target, 32 + byte), counting_bytes(byte));
    }
    rig_deinit(&rig);
}

static void test_data_copy_pad_refuses_what_contradicts_itself(void **state)
{
    (void)state;
    static const struct {
        enum element type;
        int field;
        int64_t value;
        const char *message;
    } cases[] = {
        {ELEMENT_FP32, DATA_COPY_PAD_blockLen, 18,
         "data_copy_pad: blockLen is 18; expected whole elements of 4 bytes"},
        {ELEMENT_FP32, DATA_COPY_PAD_srcStride, -17,
         "data_copy_pad: srcStride is -17; expected at least -blockLen, which is -16"},
        {ELEMENT_FP32, DATA_COPY_PAD_leftPadding, 9,
         "data_copy_pad: leftPadding takes 36 bytes and rightPadding 0; expected at most 32 each"},
        {ELEMENT_UINT16, DATA_COPY_PAD_rightPadding, 17,
         "data_copy_pad: leftPadding takes 0 bytes and rightPadding 34; expected at most 32 each"},
        {ELEMENT_UINT64, DATA_COPY_PAD_paddingValue, 3,
         "data_copy_pad: paddingValue is 3 with a 64-bit type; expected 0"},
    };
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_UINT8, 64, counting_bytes);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_UINT8, 256);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct insn insn = pad_of(target, source, cases[i].type, 1, 16);
        insn.field[cases[i].field] = cases[i].value;
        effect_apply(&rig.machine, &insn);
        assert_string_equal(rig.message, cases[i].message);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], i + 1);
    }
    struct insn nothing = pad_of(target, source, ELEMENT_FP32, 0, 16);
    effect_apply(&rig.machine, &nothing);
    assert_int_equal(rig_hazards(&rig), 5);
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig_deinit(&rig);
}

/* 950: rows of 3 elements are padded to 4 and packed; each matrix ends on 32 bytes. */
static void test_small_c0_packs_rows_of_four(void **state)
{
    (void)state;
    for (int opcode = OP_ND2NZ; opcode <= OP_DN2NZ; opcode++) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_FP16, 80, counting);
        uint32_t l1 = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 48 + 32);
        struct insn insn;
        insn_init(&insn, (enum opcode)opcode);
        insn.operand[ND2NZ_dst].region = l1;
        insn.operand[ND2NZ_src].region = source;
        insn.field[ND2NZ_ndNum] = 2;
        insn.field[ND2NZ_nValue] = 6; /* 24 elements, 8 zeros up to 32 */
        insn.field[ND2NZ_dValue] = 3;
        insn.field[ND2NZ_srcNdMatrixStride] = 40;
        insn.field[ND2NZ_srcDValue] = 7;
        insn.field[ND2NZ_dstNzC0Stride] = 77; /* of no effect, as is the next */
        insn.field[ND2NZ_dstNzNStride] = 5;
        insn.field[ND2NZ_dstNzMatrixStride] = 48;
        insn.field[ND2NZ_enableSmallC0] = 1;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t index = 0; index < 48 + 32; index++) {
            uint64_t matrix = index / 48, row = index % 48 / 4, lane = index % 4;
            bool there = index % 48 < 32, value = row < 6 && lane < 3;
            uint64_t from = 40 * matrix + (opcode == OP_ND2NZ ? row * 7 + lane : lane * 7 + row);
            assert_int_equal(rig_is_written(&rig, l1, index), there);
            if (there)
                assert_int_equal(rig_load(&rig, l1, index), value ? counting(from) : 0);
        }
        insn.field[ND2NZ_dValue] = 5;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
        assert_non_null(strstr(rig.message, "dValue is 5 with enableSmallC0; expected at most 4"));
        rig_deinit(&rig);
    }
}

/* 4-bit elements move as bytes, whatever the bytes hold: all fields count them. */
static void test_4_bit_matrices_move_as_bytes(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        enum element type;
        enum opcode opcode;
    } cases[] = {{ARCH_2201, ELEMENT_INT4, OP_ND2NZ},
                 {ARCH_3510, ELEMENT_FP4_E1M2, OP_ND2NZ},
                 {ARCH_3510, ELEMENT_FP4_E2M1, OP_DN2NZ}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, cases[i].arch);
        uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_UINT8, 4 * 50, counting_bytes);
        uint32_t l1 = rig_region(&rig, SPACE_L1, ELEMENT_UINT8, 2 * 4 * 32);
        struct insn insn;
        bool rows = cases[i].opcode == OP_ND2NZ;
        insn_init(&insn, cases[i].opcode);
        insn.operand[ND2NZ_dst].region = l1;
        insn.operand[ND2NZ_src].region = source;
        insn.field[ND2NZ_type] = cases[i].type;
        insn.field[ND2NZ_nValue] = 4;
        insn.field[ND2NZ_dValue] = 40;
        insn.field[ND2NZ_srcDValue] = rows ? 50 : 5;
        insn.field[ND2NZ_dstNzC0Stride] = 4;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t row = 0; row < 4; row++)
            for (uint64_t column = 0; column < 64; column++) {
                uint64_t from = rows ? row * 50 + column : column * 5 + row;
                uint64_t at = column / 32 * 4 * 32 + row * 32 + column % 32;
                assert_int_equal(rig_load(&rig, l1, at), column < 40 ? counting_bytes(from) : 0);
            }
        assert_int_equal(insn_bytes(&rig.program, &insn), 160);
        insn.field[ND2NZ_nValue] = 3;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], !rows);
        rig_deinit(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_copy_moves_blocks_and_leaves_the_gaps),
        cmocka_unit_test(test_copies_carry_bytes_that_nobody_wrote_without_a_report),
        cmocka_unit_test(test_zero_counts_do_nothing),
        cmocka_unit_test(test_a_move_of_more_bytes_than_any_memory_is_refused),
        cmocka_unit_test(test_nd2nz_reads_and_writes_to_its_last_byte_and_no_further),
        cmocka_unit_test(test_matrices_that_start_inside_a_block_are_misaligned),
        cmocka_unit_test(test_data_copy_pad_fills_blocks_up_on_both_sides),
        cmocka_unit_test(test_data_copy_pad_can_pack_its_blocks),
        cmocka_unit_test(test_data_copy_pad_can_repeat_a_block),
        cmocka_unit_test(test_data_copy_pad_refuses_what_contradicts_itself),
        cmocka_unit_test(test_small_c0_packs_rows_of_four),
        cmocka_unit_test(test_4_bit_matrices_move_as_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
