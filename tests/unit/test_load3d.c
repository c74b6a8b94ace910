/*
 * What the Load3D forms have in common, however it is written down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/img2col.h"
#include "isa/load3d.h"

static void test_a_load3dv2_is_itself(void **state)
{
    (void)state;
    struct insn insn, room;
    insn_init(&insn, OP_LOAD3DV2);
    assert_ptr_equal(load3d_as_v2(&insn, &room), &insn);
    insn_init(&insn, OP_LOAD_DATA_WITH_STRIDE);
    assert_ptr_equal(load3d_as_v2(&insn, &room), &insn);
}

static void test_packed_words_come_apart_into_the_fields_of_load3dv2(void **state)
{
    (void)state;
    struct insn insn, room;
    insn_init(&insn, OP_LOAD3DV2PRO);
    insn.operand[LOAD3DV2PRO_dst].region = 3;
    insn.operand[LOAD3DV2PRO_src].offset = 64;
    for (int field = 0; field < LOAD3DV2PRO_FIELD_COUNT; field++) {
        insn.field[field] = 100 + field;
    }
    insn.field[LOAD3DV2PRO_extConfig] =
        INT64_C(0x7001) << 48 | INT64_C(0x8002) << 32 | INT64_C(0x9003) << 16 | 0xA004;
    insn.field[LOAD3DV2PRO_filterConfig] = 0x060504030201;
    const int64_t *field = load3d_as_v2(&insn, &room)->field;
    assert_int_equal(room.opcode, OP_LOAD3DV2);
    assert_int_equal(room.operand[LOAD3DV2_dst].region, 3);
    assert_int_equal(room.operand[LOAD3DV2_src].offset, 64);
    assert_int_equal(field[LOAD3DV2_mStartPt], 0x7001);
    assert_int_equal(field[LOAD3DV2_kStartPt], 0x8002);
    assert_int_equal(field[LOAD3DV2_mExtension], 0x9003);
    assert_int_equal(field[LOAD3DV2_kExtension], 0xA004);
    for (int part = 0; part < 6; part++) {
        static const int parts[] = {LOAD3DV2_strideW,         LOAD3DV2_strideH,
                                    LOAD3DV2_filterW,         LOAD3DV2_filterH,
                                    LOAD3DV2_dilationFilterW, LOAD3DV2_dilationFilterH};
        assert_int_equal(field[parts[part]], part + 1);
    }
    static const int same[][2] = {
        {LOAD3DV2_type, LOAD3DV2PRO_type},
        {LOAD3DV2_l1H, LOAD3DV2PRO_l1H},
        {LOAD3DV2_padBottom, LOAD3DV2PRO_padBottom},
        {LOAD3DV2_channelSize, LOAD3DV2PRO_channelSize},
        {LOAD3DV2_filterSizeW, LOAD3DV2PRO_filterSizeW},
        {LOAD3DV2_filterSizeH, LOAD3DV2PRO_filterSizeH},
        {LOAD3DV2_enTranspose, LOAD3DV2PRO_enTranspose},
        {LOAD3DV2_padValue, LOAD3DV2PRO_padValue},
        {LOAD3DV2_repeatStride, LOAD3DV2PRO_repeatStride},
        {LOAD3DV2_repeatTime, LOAD3DV2PRO_repeatTime},
        {LOAD3DV2_repeatMode, LOAD3DV2PRO_repeatMode},
        {LOAD3DV2_dstStride, LOAD3DV2PRO_dstStride},
        {LOAD3DV2_boundaryValue, LOAD3DV2PRO_boundaryValue},
    };
    for (size_t index = 0; index < sizeof same / sizeof same[0]; index++) {
        assert_int_equal(field[same[index][0]], 100 + same[index][1]);
    }
}

static void test_the_initial_filter_word_is_a_filter_of_one_point(void **state)
{
    (void)state;
    struct insn insn, room;
    insn_init(&insn, OP_LOAD3DV2PRO);
    const int64_t *field = load3d_as_v2(&insn, &room)->field;
    for (int part = LOAD3DV2_strideW; part <= LOAD3DV2_dilationFilterH; part++) {
        assert_int_equal(field[part], 1);
    }
}

static void test_a_packed_field_names_its_word(void **state)
{
    (void)state;
    assert_string_equal(load3d_packed_in("mStartPt"), "extConfig");
    assert_string_equal(load3d_packed_in("dilationFilterH"), "filterConfig");
    assert_string_equal(load3d_packed_in("channelSize"), "channelSize");
}

static void test_a_tensor_of_c1_planes_has_c1_times_c0_channels(void **state)
{
    (void)state;
    struct insn insn, room;
    insn_init(&insn, OP_COPY_L12L0A_IMG2COL);
    insn.field[COPY_L12L0A_IMG2COL_type] = ELEMENT_INT8;
    insn.field[COPY_L12L0A_IMG2COL_C1] = 3;
    insn.field[COPY_L12L0A_IMG2COL_H] = 4;
    insn.field[COPY_L12L0A_IMG2COL_W] = 5;
    insn.field[COPY_L12L0A_IMG2COL_transpose] = 1;
    insn.field[COPY_L12L0A_IMG2COL_padValue] = 6;
    const int64_t *field = load3d_as_v2(&insn, &room)->field;
    assert_int_equal(field[LOAD3DV2_channelSize], 96);
    assert_int_equal(field[LOAD3DV2_l1H], 4);
    assert_int_equal(field[LOAD3DV2_l1W], 5);
    assert_int_equal(field[LOAD3DV2_enTranspose], 1);
    assert_int_equal(field[LOAD3DV2_padValue], 6);
    assert_int_equal(field[LOAD3DV2_repeatTime], 1);
    assert_int_equal(field[LOAD3DV2_dstStride], 0);
}

/* A 3 x 3 filter over 6 x 10 pixels with one column of padding on both sides: 4 rows of 10 windows.
 */
static struct insn sample(enum opcode opcode)
{
    struct insn insn;
    insn_init(&insn, opcode);
    insn.field[LOAD3DV2_l1H] = 6;
    insn.field[LOAD3DV2_l1W] = 10;
    insn.field[LOAD3DV2_padLeft] = 1;
    insn.field[LOAD3DV2_padRight] = 1;
    insn.field[LOAD3DV2_filterW] = 3;
    insn.field[LOAD3DV2_filterH] = 3;
    return insn;
}

static uint64_t rows_of_block(int64_t first, int64_t count)
{
    struct load3d_span span;
    struct insn insn = sample(OP_LOAD3DV2);
    insn.field[LOAD3DV2_mStartPt] = first;
    insn.field[LOAD3DV2_mExtension] = count;
    load3d_span(&insn, &span);
    return span.rows;
}

static void test_a_block_spans_the_rows_of_windows_that_it_touches(void **state)
{
    (void)state;
    assert_int_equal(rows_of_block(0, 10), 1);
    assert_int_equal(rows_of_block(0, 11), 2);
    assert_int_equal(rows_of_block(9, 2), 2);
    assert_int_equal(rows_of_block(0, 40), 4);
    assert_int_equal(rows_of_block(0, 48), 4); /* behind the last row there is nothing to walk */
    assert_int_equal(rows_of_block(35, 16), 1);
    assert_int_equal(rows_of_block(60, 16), 1);
}

static uint64_t rows_of_repeat(int64_t left, int64_t top, int64_t mode, int64_t time)
{
    struct load3d_span span;
    struct insn insn = sample(OP_LOAD3DV1);
    insn.field[LOAD3DV1_leftTopW] = left;
    insn.field[LOAD3DV1_leftTopH] = top;
    insn.field[LOAD3DV1_repeatMode] = mode;
    insn.field[LOAD3DV1_repeatTime] = time;
    load3d_span(&insn, &span);
    return span.rows;
}

static void test_load3dv1_spans_the_rows_of_its_windows(void **state)
{
    (void)state;
    assert_int_equal(rows_of_repeat(-1, 0, 0, 9), 2); /* the same 16 windows nine times */
    assert_int_equal(rows_of_repeat(8, 0, 0, 1), 3);  /* 1, 10 and 5 windows */
    assert_int_equal(rows_of_repeat(-1, 0, 1, 2), 4); /* 32 windows */
    assert_int_equal(rows_of_repeat(-1, 0, 1, 9), 4); /* there are only 40 */
    assert_int_equal(rows_of_repeat(-1, 3, 1, 9), 1);
    assert_int_equal(rows_of_repeat(-1, 9, 1, 9), 1);
}

/* A first window that overhangs the padded image on the right is the only one of its row. */
static void test_windows_go_on_in_the_row_below_an_overhanging_one(void **state)
{
    (void)state;
    struct img2col matrix;
    struct insn insn = sample(OP_LOAD3DV1);
    img2col_read(&matrix, &insn);
    for (int32_t left = 8; left <= 10; left++) { /* the last one that fits, and two that do not */
        const struct img2col_window first = {1, left};
        struct img2col_window window = img2col_window_after(&matrix, first, 0);
        assert_int_equal(window.h, 1);
        assert_int_equal(window.w, left);
        window = img2col_window_after(&matrix, first, 1);
        assert_int_equal(window.h, 2);
        assert_int_equal(window.w, -1);
        window = img2col_window_after(&matrix, first, 10);
        assert_int_equal(window.h, 2);
        assert_int_equal(window.w, 8);
        assert_int_equal(img2col_window_after(&matrix, first, 21).h, IMG2COL_NONE);
    }
}

static void test_a_load_without_an_image_spans_one_row(void **state)
{
    (void)state;
    struct load3d_span span;
    struct insn insn = sample(OP_LOAD3DV2);
    insn.field[LOAD3DV2_l1H] = 0;
    insn.field[LOAD3DV2_strideW] = 3;
    load3d_span(&insn, &span);
    assert_int_equal(span.rows, 1);
    assert_int_equal(span.stride_w, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_load3dv2_is_itself),
        cmocka_unit_test(test_packed_words_come_apart_into_the_fields_of_load3dv2),
        cmocka_unit_test(test_the_initial_filter_word_is_a_filter_of_one_point),
        cmocka_unit_test(test_a_packed_field_names_its_word),
        cmocka_unit_test(test_a_tensor_of_c1_planes_has_c1_times_c0_channels),
        cmocka_unit_test(test_a_block_spans_the_rows_of_windows_that_it_touches),
        cmocka_unit_test(test_load3dv1_spans_the_rows_of_its_windows),
        cmocka_unit_test(test_windows_go_on_in_the_row_below_an_overhanging_one),
        cmocka_unit_test(test_a_load_without_an_image_spans_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
