#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/registers.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

enum { SOURCE_BYTES = 24576, TARGET_BYTES = 24576 };

static const enum element types[] = {
    ELEMENT_FP4_E2M1, ELEMENT_FP4_E1M2, ELEMENT_INT8,   ELEMENT_UINT8, ELEMENT_HIF8,
    ELEMENT_FP8_E5M2, ELEMENT_FP8_E4M3, ELEMENT_FP16,   ELEMENT_BF16,  ELEMENT_INT16,
    ELEMENT_UINT16,   ELEMENT_INT32,    ELEMENT_UINT32, ELEMENT_FP32,
};
enum { TYPES = sizeof types / sizeof types[0] };

/* Bytes that differ from their neighbours in both halves. */
static uint32_t noise(uint64_t index)
{
    return (uint32_t)((index * 0x9E3779B9 + (index >> 8) * 0x85EBCA6B) >> 13) & 0xFF;
}

static struct insn copy_of(struct rig *rig, enum element type, int64_t m, int64_t k)
{
    struct insn insn;
    rig_init(rig, ARCH_3510);
    insn_init(&insn, OP_COPY_L12L0A);
    insn.operand[COPY_L12L0A_src].region =
        rig_filled(rig, SPACE_L1, ELEMENT_UINT8, SOURCE_BYTES, noise);
    insn.operand[COPY_L12L0A_dst].region = rig_region(rig, SPACE_L0A, ELEMENT_UINT8, TARGET_BYTES);
    insn.field[COPY_L12L0A_type] = type;
    insn.field[COPY_L12L0A_m] = m;
    insn.field[COPY_L12L0A_k] = k;
    return insn;
}

static uint64_t up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step;
}

static void expect_written(struct rig *rig, const struct insn *insn, uint64_t bytes)
{
    assert_int_equal(rig_written_count(rig, insn->operand[COPY_L12L0A_dst].region), bytes);
    assert_int_equal(insn_bytes(&rig->program, insn), bytes);
}

static void test_nz_goes_to_nz_as_it_is_with_all_its_matrices(void **state)
{
    (void)state;
    for (int index = 0; index < TYPES; index++) {
        for (int64_t batch = 1; batch < 3; batch++) {
            struct rig rig;
            struct insn insn = copy_of(&rig, types[index], 20, 70);
            insn.field[COPY_L12L0A_batch] = batch;
            access_check_apply(&rig, &insn);
            assert_int_equal(rig_hazards(&rig), 0);
            uint64_t bytes = (uint64_t)batch * 2 * up(70, element_c0(types[index])) * FRACTAL_BYTES;
            assert_memory_equal(rig_bytes(&rig, insn.operand[COPY_L12L0A_dst].region),
                                rig_bytes(&rig, insn.operand[COPY_L12L0A_src].region), bytes);
            expect_written(&rig, &insn, bytes);
            rig_deinit(&rig);
        }
    }
}

/* Element (row, column) of matrix `matrix` in ZN and in NZ, by the formulas of the layouts. */
static uint32_t zn_load(struct rig *rig, const struct insn *insn, uint64_t matrix, uint64_t row,
                        uint64_t column)
{
    enum element type = insn_element(insn);
    uint64_t c0 = element_c0(type), m = (uint64_t)insn->field[COPY_L12L0A_m];
    uint64_t across = up((uint64_t)insn->field[COPY_L12L0A_k], 16);
    uint64_t fractal = matrix * up(m, c0) * across + row / c0 * across + column / 16;
    return element_load(type, rig_bytes(rig, insn->operand[COPY_L12L0A_src].region),
                        fractal * 16 * c0 + column % 16 * c0 + row % c0);
}

static uint32_t nz_load(struct rig *rig, const struct insn *insn, uint64_t matrix, uint64_t row,
                        uint64_t column)
{
    enum element type = insn_element(insn);
    uint64_t c0 = element_c0(type), k = (uint64_t)insn->field[COPY_L12L0A_k];
    uint64_t down = up((uint64_t)insn->field[COPY_L12L0A_m], 16);
    uint64_t fractal = matrix * up(k, c0) * down + column / c0 * down + row / 16;
    return element_load(type, rig_bytes(rig, insn->operand[COPY_L12L0A_dst].region),
                        fractal * 16 * c0 + row % 16 * c0 + column % c0);
}

static void expect_transposed(enum element type, int64_t batch, int64_t m, int64_t k)
{
    struct rig rig;
    struct insn insn = copy_of(&rig, type, m, k);
    insn.field[COPY_L12L0A_layout] = LAYOUT_L1_ZN;
    insn.field[COPY_L12L0A_batch] = batch;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint64_t rows = up((uint64_t)m, 16) * 16, c0 = element_c0(type);
    uint64_t columns = up((uint64_t)k, c0) * c0;
    for (uint64_t matrix = 0; matrix < (uint64_t)batch; matrix++) {
        for (uint64_t row = 0; row < rows; row++) {
            for (uint64_t column = 0; column < columns; column++) {
                /* The source's fractals may end before the target's. */
                bool there = row < up((uint64_t)m, c0) * c0 && column < up((uint64_t)k, 16) * 16;
                uint32_t wanted = there ? zn_load(&rig, &insn, matrix, row, column) : 0;
                assert_int_equal(nz_load(&rig, &insn, matrix, row, column), wanted);
            }
        }
    }
    expect_written(&rig, &insn, (uint64_t)batch * rows * columns * 32 / c0);
    rig_deinit(&rig);
}

static void test_zn_is_transposed_element_by_element_in_every_type(void **state)
{
    (void)state;
    for (int index = 0; index < TYPES; index++) {
        switch (element_bits(types[index])) {
        case 4:
            expect_transposed(types[index], 1, 64, 64);
            expect_transposed(types[index], 2, 64, 40);
            break;
        case 8:
            expect_transposed(types[index], 1, 32, 64);
            expect_transposed(types[index], 2, 96, 40);
            break;
        case 16:
            expect_transposed(types[index], 1, 32, 16);
            expect_transposed(types[index], 3, 21, 37);
            break;
        default:
            expect_transposed(types[index], 1, 32, 32);
            expect_transposed(types[index], 2, 20, 48);
            break;
        }
    }
}

/* Bytes of a 4-bit type count as written when both of their elements were. */
static void test_unwritten_bytes_stay_so_when_they_are_transposed(void **state)
{
    (void)state;
    for (int index = 0; index < 2; index++) {
        struct rig rig;
        struct insn insn = copy_of(&rig, index == 0 ? ELEMENT_FP16 : ELEMENT_FP4_E2M1, 64, 64);
        insn.field[COPY_L12L0A_layout] = LAYOUT_L1_ZN;
        memset(rig_written(&rig, insn.operand[COPY_L12L0A_src].region), 0, 2);
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        uint32_t target = insn.operand[COPY_L12L0A_dst].region;
        /* Rows 0 and, of 4 bits, 1 to 3, all of column 0. */
        assert_false(rig_is_written(&rig, target, 0));
        assert_int_equal(rig_written_count(&rig, target),
                         index == 0 ? 64 * 64 * 2 - 2 : 64 * 64 / 2 - 4);
        rig_deinit(&rig);
    }
}

static void refuse(enum element type, enum l1_layout layout, int64_t batch, int64_t m, int64_t k,
                   const char *part)
{
    struct rig rig;
    struct insn insn = copy_of(&rig, type, m, k);
    insn.field[COPY_L12L0A_layout] = layout;
    insn.field[COPY_L12L0A_batch] = batch;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    if (strstr(rig.message, part) == NULL) {
        fail_msg("'%s' does not say '%s'", rig.message, part);
    }
    assert_int_equal(rig_written_count(&rig, insn.operand[COPY_L12L0A_dst].region), 0);
    rig_deinit(&rig);
}

static void test_matrices_that_do_not_fit_the_squares_are_refused(void **state)
{
    (void)state;
    refuse(ELEMENT_INT8, LAYOUT_L1_ZN, 1, 40, 32, "m is 40; expected a multiple of 32");
    refuse(ELEMENT_FP8_E4M3, LAYOUT_L1_ZN, 1, 16, 32, "fp8_e4m3 is transposed from zn in squares");
    refuse(ELEMENT_FP4_E1M2, LAYOUT_L1_ZN, 1, 96, 64, "m is 96; expected a multiple of 64");
    refuse(ELEMENT_FP32, LAYOUT_L1_ZN, 1, 16, 24, "k is 24; expected a multiple of 16");
}

static void test_what_no_copy_can_do_is_refused(void **state)
{
    (void)state;
    refuse(ELEMENT_FP16, LAYOUT_L1_NZ, 128, 16, 32, "256 steps along k (batch 128)");
    refuse(ELEMENT_FP16, LAYOUT_L1_NZ, 1, 0, 32, "m is 0; expected 1..4080");
    refuse(ELEMENT_FP16, LAYOUT_L1_NZ, 0, 16, 32, "batch is 0; expected 1..255");
    refuse(ELEMENT_INT4, LAYOUT_L1_NZ, 1, 16, 64, "takes no int4 to l0a");
    refuse(ELEMENT_FP16, LAYOUT_L1_NZ, 1, 784, 16, "dst reaches");
    refuse(ELEMENT_FP32, LAYOUT_L1_ZN, 1, 4080, 16, "510 steps along m");
}

/* The vendor's sample: 32 channels of 5 x 5 pixels, 3 x 3 filter, one ring of padding, 25 x 288. */
static struct insn image_copy(struct rig *rig)
{
    struct insn insn;
    rig_init(rig, ARCH_3510);
    insn_init(&insn, OP_COPY_L12L0A_IMG2COL);
    insn.operand[COPY_L12L0A_IMG2COL_src].region =
        rig_filled(rig, SPACE_L1, ELEMENT_FP16, 2 * 5 * 5 * 16, noise);
    insn.operand[COPY_L12L0A_IMG2COL_dst].region =
        rig_region(rig, SPACE_L0A, ELEMENT_FP16, 32 * 288);
    insn.field[COPY_L12L0A_IMG2COL_C1] = 2;
    insn.field[COPY_L12L0A_IMG2COL_H] = 5;
    insn.field[COPY_L12L0A_IMG2COL_W] = 5;
    insn.field[COPY_L12L0A_IMG2COL_padLeft] = 1;
    insn.field[COPY_L12L0A_IMG2COL_padRight] = 1;
    insn.field[COPY_L12L0A_IMG2COL_padTop] = 1;
    insn.field[COPY_L12L0A_IMG2COL_padBottom] = 1;
    insn.field[COPY_L12L0A_IMG2COL_filterW] = 3;
    insn.field[COPY_L12L0A_IMG2COL_filterH] = 3;
    insn.field[COPY_L12L0A_IMG2COL_mExtension] = 25;
    insn.field[COPY_L12L0A_IMG2COL_kExtension] = 288;
    return insn;
}

/* Element (m, k) of the sample's matrix, 0 outside. */
static uint32_t sample_at(int64_t m, int64_t k)
{
    int64_t point = k / 16 % 9, plane = k / 144;
    int64_t h = m / 5 - 1 + point / 3, w = m % 5 - 1 + point % 3;
    if (m >= 25 || h < 0 || h >= 5 || w < 0 || w >= 5) {
        return 0;
    }
    return noise((uint64_t)((plane * 25 + h * 5 + w) * 16 + k % 16));
}

static void test_img2col_makes_the_sample_and_its_transpose_in_nz(void **state)
{
    (void)state;
    for (int64_t transpose = 0; transpose < 2; transpose++) {
        struct rig rig;
        struct insn insn = image_copy(&rig);
        insn.field[COPY_L12L0A_IMG2COL_transpose] = transpose;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (int64_t m = 0; m < 32; m++) {
            for (int64_t k = 0; k < 288; k++) {
                int64_t row = transpose ? k : m, column = transpose ? m : k;
                int64_t down = transpose ? 18 : 2;
                int64_t at = (column / 16 * down + row / 16) * 256 + row % 16 * 16 + column % 16;
                assert_int_equal(rig_load(&rig, insn.operand[0].region, (uint64_t)at),
                                 sample_at(m, k));
            }
        }
        rig_deinit(&rig);
    }
}

static void test_img2col_starts_where_mStartPt_and_kStartPt_say(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = image_copy(&rig);
    insn.field[COPY_L12L0A_IMG2COL_mStartPt] = 7;
    insn.field[COPY_L12L0A_IMG2COL_kStartPt] = 160;
    insn.field[COPY_L12L0A_IMG2COL_mExtension] = 16;
    insn.field[COPY_L12L0A_IMG2COL_kExtension] = 32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (int64_t lane = 0; lane < 512; lane++) {
        int64_t m = 7 + lane % 256 / 16, k = 160 + lane / 256 * 16 + lane % 16;
        assert_int_equal(rig_load(&rig, insn.operand[0].region, (uint64_t)lane), sample_at(m, k));
    }
    assert_int_equal(insn_bytes(&rig.program, &insn), 1024);
    rig_deinit(&rig);
}

/* The page has no rule for mStartPt of the copy, as it has for Load3Dv2. */
static void test_img2col_notes_blocks_of_broken_fractals_and_behind_the_matrix(void **state)
{
    (void)state;
    static const struct {
        int64_t m_start, m, k;
        uint32_t notes;
        const char *words;
    } cases[] = {
        {0, 16, 288, 0, ""},
        {0, 15, 288, 1, "copy_l12l0a_img2col: mExtension is 15; the documents ask for"},
        {3, 10, 17, 2, "kExtension is 17; the documents ask for a multiple of 16 for fp16"},
        {24, 16, 288, 0, ""},
        {25, 16, 288, 1, "mStartPt is 25 and the matrix has 25 rows"},
        {32767, 16, 288, 1, "mStartPt is 32767 and the matrix has 25 rows"},
    };
    for (size_t index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        struct rig rig;
        struct insn insn = image_copy(&rig);
        insn.line = 4; /* advice is for who writes programs */
        insn.field[COPY_L12L0A_IMG2COL_mStartPt] = cases[index].m_start;
        insn.field[COPY_L12L0A_IMG2COL_mExtension] = cases[index].m;
        insn.field[COPY_L12L0A_IMG2COL_kExtension] = cases[index].k;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig.notes, cases[index].notes);
        assert_non_null(strstr(rig.message, cases[index].words));
        rig_deinit(&rig);
    }
}

static void test_img2col_of_no_rows_or_no_columns_copies_nothing_and_says_so(void **state)
{
    (void)state;
    static const int fields[] = {COPY_L12L0A_IMG2COL_mExtension, COPY_L12L0A_IMG2COL_kExtension};
    for (int index = 0; index < 2; index++) {
        struct rig rig;
        struct insn insn = image_copy(&rig);
        insn.field[fields[index]] = 0;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_written_count(&rig, insn.operand[0].region), 0);
        assert_int_equal(insn_bytes(&rig.program, &insn), 0);
        assert_int_equal(rig.notes, 1);
        assert_non_null(strstr(rig.message, "nothing is copied"));
        rig_deinit(&rig);
    }
}

static void test_img2col_leaves_what_it_set_in_the_registers(void **state)
{
    (void)state;
    struct rig rig;
    struct registers registers;
    struct insn insn = image_copy(&rig);
    registers_init(&registers);
    registers.repeatTime = 4;
    registers.repeatMode = 1;
    registers.dstStride = 7;
    insn.field[COPY_L12L0A_IMG2COL_padTop] = 9;
    insn.field[COPY_L12L0A_IMG2COL_padValue] = 0x1234;
    insn_capture(&registers, &insn);
    assert_int_equal(registers.l1H, 5);
    assert_int_equal(registers.padTop, 9);
    assert_int_equal(registers.padValue, 0x1234);
    assert_int_equal(registers.repeatTime, 1);
    assert_int_equal(registers.repeatMode, 0);
    assert_int_equal(registers.dstStride, 0);
    rig_deinit(&rig);
}

/* A stride of 3 fractals, as the copy has, would leave gaps in a block of 2. */
static void test_a_load_behind_a_copy_derives_its_own_stride(void **state)
{
    (void)state;
    for (int64_t transpose = 0; transpose < 2; transpose++) {
        struct rig rig;
        struct registers registers;
        struct insn copy = image_copy(&rig), load;
        registers_init(&registers);
        registers.dstStride = 7;
        copy.field[COPY_L12L0A_IMG2COL_mExtension] = 48;
        copy.field[COPY_L12L0A_IMG2COL_transpose] = transpose;
        insn_capture(&registers, &copy);
        insn_init(&load, OP_LOAD3DV2);
        insn_capture(&registers, &load);
        assert_int_equal(load.field[LOAD3DV2_dstStride], 0);
        assert_int_equal(load.field[LOAD3DV2_repeatTime], 1);
        rig_deinit(&rig);
    }
}

static void test_img2col_refuses_what_its_ranges_forbid(void **state)
{
    (void)state;
    static const struct {
        int field;
        int64_t value;
        const char *part;
    } faults[] = {
        {COPY_L12L0A_IMG2COL_strideW, 0, "strideW is 0; expected 1..63"},
        {COPY_L12L0A_IMG2COL_strideH, 64, "strideH is 64; expected 1..63"},
        {COPY_L12L0A_IMG2COL_filterW, 0, "filterW is 0; expected 1..255, or filterSizeW=1"},
        {COPY_L12L0A_IMG2COL_filterH, 0, "filterH is 0; expected 1..255, or filterSizeH=1"},
        {COPY_L12L0A_IMG2COL_dilationFilterW, 0, "dilationFilterW is 0; expected 1..255"},
        {COPY_L12L0A_IMG2COL_dilationFilterH, 0, "dilationFilterH is 0; expected 1..255"},
        {COPY_L12L0A_IMG2COL_H, 0, "H is 0; expected 1..32767"},
        {COPY_L12L0A_IMG2COL_mStartPt, 32768, "mStartPt is 32768; expected 0..32767"},
        {COPY_L12L0A_IMG2COL_kStartPt, 8, "kStartPt is 8; expected a multiple of 16"},
        {COPY_L12L0A_IMG2COL_C1, 4096, "C1 * 16 is 65536 channels; expected at most 65535"},
        {COPY_L12L0A_IMG2COL_N, 2, "N is 2; expected 1: one image a copy"},
        {COPY_L12L0A_IMG2COL_fMatrixCtrl, 1, "fMatrixCtrl is 1; expected 0: only the FMATRIX of"},
        {COPY_L12L0A_IMG2COL_type, ELEMENT_FP4_E2M1, "takes no fp4_e2m1"},
        {COPY_L12L0A_IMG2COL_type, ELEMENT_INT4, "takes no int4"},
    };
    for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
        struct rig rig;
        struct insn insn = image_copy(&rig);
        insn.field[faults[index].field] = faults[index].value;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 1);
        if (strstr(rig.message, faults[index].part) == NULL) {
            fail_msg("'%s' does not say '%s'", rig.message, faults[index].part);
        }
        assert_int_equal(rig_written_count(&rig, insn.operand[0].region), 0);
        rig_deinit(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nz_goes_to_nz_as_it_is_with_all_its_matrices),
        cmocka_unit_test(test_zn_is_transposed_element_by_element_in_every_type),
        cmocka_unit_test(test_unwritten_bytes_stay_so_when_they_are_transposed),
        cmocka_unit_test(test_matrices_that_do_not_fit_the_squares_are_refused),
        cmocka_unit_test(test_what_no_copy_can_do_is_refused),
        cmocka_unit_test(test_img2col_makes_the_sample_and_its_transpose_in_nz),
        cmocka_unit_test(test_img2col_starts_where_mStartPt_and_kStartPt_say),
        cmocka_unit_test(test_img2col_notes_blocks_of_broken_fractals_and_behind_the_matrix),
        cmocka_unit_test(test_img2col_of_no_rows_or_no_columns_copies_nothing_and_says_so),
        cmocka_unit_test(test_img2col_leaves_what_it_set_in_the_registers),
        cmocka_unit_test(test_a_load_behind_a_copy_derives_its_own_stride),
        cmocka_unit_test(test_img2col_refuses_what_its_ranges_forbid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
