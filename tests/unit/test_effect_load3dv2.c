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

/* A 5 x 5 image of 32 channels under a 3 x 3 filter with one ring of padding: 25 rows of 288. */
static struct insn sample(struct rig *rig, enum arch arch, enum element element)
{
    rig_init(rig, arch);
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    insn.operand[LOAD3DV2_src].region = rig_filled(rig, SPACE_L1, element, 5 * 5 * 32, counting);
    insn.operand[LOAD3DV2_dst].region = rig_region(rig, SPACE_L0A, element, 32 * 288);
    insn.field[LOAD3DV2_type] = element;
    insn.field[LOAD3DV2_l1H] = 5;
    insn.field[LOAD3DV2_l1W] = 5;
    insn.field[LOAD3DV2_padLeft] = 1;
    insn.field[LOAD3DV2_padRight] = 1;
    insn.field[LOAD3DV2_padTop] = 1;
    insn.field[LOAD3DV2_padBottom] = 1;
    insn.field[LOAD3DV2_channelSize] = 32;
    insn.field[LOAD3DV2_mExtension] = 25;
    insn.field[LOAD3DV2_kExtension] = 288;
    insn.field[LOAD3DV2_filterW] = 3;
    insn.field[LOAD3DV2_filterH] = 3;
    return insn;
}

/* Element offsets of ZZ and NZ with 16 x C0 fractals. */
static uint64_t zz(uint64_t row, uint64_t column, uint64_t columns, uint64_t c0)
{
    return (row / 16 * columns + column / c0) * 16 * c0 + row % 16 * c0 + column % c0;
}

static uint64_t nz(uint64_t row, uint64_t column, uint64_t rows, uint64_t c0)
{
    return (column / c0 * rows + row / 16) * 16 * c0 + row % 16 * c0 + column % c0;
}

static void test_l0a_is_zz_but_nz_on_950(void **state)
{
    (void)state;
    for (int nz_layout = 0; nz_layout < 2; nz_layout++) {
        struct rig rig;
        struct insn insn = sample(&rig, nz_layout ? ARCH_3510 : ARCH_2201, ELEMENT_FP16);
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        uint32_t target = insn.operand[LOAD3DV2_dst].region;
        /* Window 24 is centred on pixel (4, 4); channel 17 of its centre point. */
        uint64_t column = (1 * 9 + 4) * 16 + 1;
        uint64_t at = nz_layout ? nz(24, column, 2, 16) : zz(24, column, 18, 16);
        assert_int_equal(rig_load(&rig, target, at), counting(25 * 16 + 24 * 16 + 1));
        assert_int_equal(rig_load(&rig, target, nz_layout ? nz(0, 0, 2, 16) : 0), 0);
        rig_deinit(&rig);
    }
}

static void test_lanes_outside_the_matrix_or_block_are_written_as_zero(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
    uint32_t target = insn.operand[LOAD3DV2_dst].region;
    insn.field[LOAD3DV2_padValue] = 0x1111;
    insn.field[LOAD3DV2_mStartPt] = 20;
    insn.field[LOAD3DV2_mExtension] = 7; /* rows 20..24 exist, 25 and 26 do not */
    insn.field[LOAD3DV2_kStartPt] = 64;
    insn.field[LOAD3DV2_kExtension] = 20;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 16 * 32);
    for (uint64_t row = 0; row < 16; row++) {
        for (uint64_t column = 0; column < 32; column++) {
            bool inside = row < 5 && column < 20;
            assert_int_equal(rig_load(&rig, target, zz(row, column, 2, 16)) != 0, inside);
        }
    }
    rig_deinit(&rig);
}

/* 4 channels under a 3 x 3 filter make 36 columns: four points fill a chunk of 16. */
static void test_columns_beyond_a_packed_last_plane_are_zero(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
    insn.field[LOAD3DV2_channelSize] = 4;
    insn.field[LOAD3DV2_mExtension] = 16;
    insn.field[LOAD3DV2_kExtension] = 48;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint32_t target = insn.operand[LOAD3DV2_dst].region;
    assert_int_equal(rig_written_count(&rig, target), 16 * 48);
    for (uint64_t column = 0; column < 48; column++) {
        /* Window 6 is centred on pixel (1, 1) and sees no padding. */
        uint64_t point = column / 4;
        uint64_t pixel = point / 3 * 5 + point % 3;
        uint32_t wanted = column < 36 ? counting(pixel * 4 + column % 4) : 0;
        assert_int_equal(rig_load(&rig, target, zz(6, column, 3, 16)), wanted);
    }
    rig_deinit(&rig);
}

static void test_padding_of_bytes_is_the_low_byte_of_the_register(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_INT8);
    insn.field[LOAD3DV2_padValue] = 0x7B7B;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint32_t target = insn.operand[LOAD3DV2_dst].region;
    assert_int_equal(rig_load(&rig, target, 0), 0x7B);
    assert_int_equal(rig_load(&rig, target, zz(6, 0, 9, 32)), counting(0) & 0xFF);
    rig_deinit(&rig);
}

static void test_repetitions_append_rows_or_columns_like_one_larger_block(void **state)
{
    (void)state;
    static const struct {
        int64_t mode, m, k, stride;
    } halves[] = {{0, 16, 96, 1}, {1, 25, 48, 3}};
    for (size_t index = 0; index < 2; index++) {
        struct rig rig;
        struct insn whole = sample(&rig, ARCH_2201, ELEMENT_FP16);
        whole.field[LOAD3DV2_kExtension] = 96;
        whole.field[LOAD3DV2_kStartPt] = 32;
        struct insn half = whole;
        half.operand[LOAD3DV2_dst].region = rig_region(&rig, SPACE_L0A, ELEMENT_FP16, 32 * 96);
        half.field[LOAD3DV2_mExtension] = halves[index].m;
        half.field[LOAD3DV2_kExtension] = halves[index].k;
        half.field[LOAD3DV2_repeatMode] = halves[index].mode;
        half.field[LOAD3DV2_repeatStride] = halves[index].stride;
        half.field[LOAD3DV2_repeatTime] = 2;
        effect_apply(&rig.machine, &whole);
        effect_apply(&rig.machine, &half);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_memory_equal(rig_bytes(&rig, half.operand[LOAD3DV2_dst].region),
                            rig_bytes(&rig, whole.operand[LOAD3DV2_dst].region), 32 * 96 * 2);
        assert_int_equal(insn_bytes(&rig.program, &half), 32 * 96 * 2);
        rig_deinit(&rig);
    }
}

static void test_l0b_gets_c0_x_16_fractals(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP32);
    uint32_t target = rig_region(&rig, SPACE_L0B, ELEMENT_FP32, 32 * 16);
    insn.operand[LOAD3DV2_dst].region = target;
    insn.field[LOAD3DV2_mExtension] = 20;
    insn.field[LOAD3DV2_kExtension] = 8;
    insn.field[LOAD3DV2_kStartPt] = 4 * 8; /* the centre point */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 32 * 16);
    for (uint64_t row = 0; row < 32; row++) {
        for (uint64_t column = 0; column < 16; column++) {
            uint64_t at = (row / 8 * 16 + column) * 8 + row % 8;
            uint32_t wanted = row < 20 && column < 8 ? counting(row * 8 + column) : 0;
            assert_int_equal(rig_load(&rig, target, at), wanted);
        }
    }
    rig_deinit(&rig);
}

static void test_bytes_that_nobody_wrote_stay_so_and_padding_counts_as_written(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
    uint32_t source = insn.operand[LOAD3DV2_src].region;
    memset(rig_written(&rig, source) + 12 * 32, 0, 32); /* pixel (2, 2), channels 0..15 */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint32_t target = insn.operand[LOAD3DV2_dst].region;
    assert_int_equal(rig_written_count(&rig, target), 32 * 288 - 9 * 16);
    assert_false(rig_is_written(&rig, target, zz(12, 4 * 16, 18, 16)));
    assert_true(rig_is_written(&rig, target, zz(12, 13 * 16, 18, 16)));
    rig_deinit(&rig);
}

static void test_only_the_image_rows_that_a_block_needs_must_be_there(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
    struct region *source = &rig.region[insn.operand[LOAD3DV2_src].region];
    uint64_t plane = 5 * 5 * 32;
    /* Windows 0..4 of the first row of outputs see image rows 0 and 1. */
    insn.field[LOAD3DV2_mExtension] = 5;
    source->size_bytes = plane + 2 * 5 * 32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    source->size_bytes--;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_non_null(strstr(rig.message, "src"));
    rig_deinit(&rig);
}

/* What lies behind the last window or the last channel of the block needs nothing of the image. */
static void test_lanes_behind_the_matrix_need_no_image_rows(void **state)
{
    (void)state;
    static const struct {
        int64_t stride, channels, m, k;
        uint64_t rows; /* of 5, without padding below */
    } cases[] = {
        /* Windows of one point in rows 0 and 3; row 4 has none. */
        {3, 32, 16, 32, 4},
        {3, 32, 4, 32, 4},
        /* 12 columns: 4 channels at 3 points in a row. 4 more would be a point below. */
        {3, 4, 16, 16, 4},
    };
    for (size_t index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        struct rig rig;
        struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
        struct region *source = &rig.region[insn.operand[LOAD3DV2_src].region];
        for (int pad = LOAD3DV2_padLeft; pad <= LOAD3DV2_padBottom; pad++) {
            insn.field[pad] = 0;
        }
        insn.field[LOAD3DV2_filterW] = cases[index].channels == 4 ? 3 : 1;
        insn.field[LOAD3DV2_filterH] = 1;
        insn.field[LOAD3DV2_strideH] = cases[index].stride;
        insn.field[LOAD3DV2_strideW] = cases[index].stride;
        insn.field[LOAD3DV2_channelSize] = cases[index].channels;
        insn.field[LOAD3DV2_mExtension] = cases[index].m;
        insn.field[LOAD3DV2_kExtension] = cases[index].k;
        uint64_t pixel = cases[index].channels == 4 ? 8 : BLOCK_BYTES;
        uint64_t planes_before = cases[index].channels == 4 ? 0 : 5 * 5 * BLOCK_BYTES;
        source->size_bytes = planes_before + cases[index].rows * 5 * pixel;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        source->size_bytes--;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
        rig_deinit(&rig);
    }
}

/* The first row of windows lies above the image. */
static void test_a_block_of_padding_alone_needs_no_image(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
    uint32_t target = insn.operand[LOAD3DV2_dst].region;
    insn.field[LOAD3DV2_filterW] = 1;
    insn.field[LOAD3DV2_filterH] = 1;
    insn.field[LOAD3DV2_mExtension] = 7;
    insn.field[LOAD3DV2_kExtension] = 16;
    insn.field[LOAD3DV2_padValue] = 0x4321;
    rig.region[insn.operand[LOAD3DV2_src].region].size_bytes = 0;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (uint64_t lane = 0; lane < 256; lane++) {
        assert_int_equal(rig_load(&rig, target, lane), lane < 7 * 16 ? 0x4321 : 0);
    }
    insn.field[LOAD3DV2_mExtension] = 9; /* the second one begins with padding and a pixel */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    rig_deinit(&rig);
}

/* On 950 column blocks may have room between them, which is nobody's to write. */
static void test_room_between_column_blocks_is_not_told(void **state)
{
    (void)state;
    for (int64_t stride = 2; stride <= 5; stride += 3) {
        struct rig rig;
        struct insn insn = sample(&rig, ARCH_3510, ELEMENT_FP16);
        uint32_t target = insn.operand[LOAD3DV2_dst].region;
        insn.field[LOAD3DV2_kExtension] = 48;
        insn.field[LOAD3DV2_dstStride] = stride;
        access_check_apply(&rig, &insn);
        assert_int_equal(access_told_bytes(&rig, &insn, target, true), 3 * 2 * 512);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_written_count(&rig, target), 3 * 2 * 256);
        rig_deinit(&rig);
    }
}

static void test_a_block_larger_than_its_destination_is_refused(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
    uint32_t target = insn.operand[LOAD3DV2_dst].region;
    rig.region[target].size_bytes -= 1;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig_deinit(&rig);
}

/* A vendor's test: 36 channels of fp32 over 12 x 16 pixels, of which four planes are taken as the
 * columns of a plain matrix. */
static void test_a_filter_of_one_point_copies_nz_to_zz(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP32);
    insn.operand[LOAD3DV2_src].region =
        rig_filled(&rig, SPACE_L1, ELEMENT_FP32, 12 * 16 * 36, counting);
    for (int pad = LOAD3DV2_padLeft; pad <= LOAD3DV2_padBottom; pad++) {
        insn.field[pad] = 0;
    }
    insn.field[LOAD3DV2_l1H] = 12;
    insn.field[LOAD3DV2_l1W] = 16;
    insn.field[LOAD3DV2_channelSize] = 36;
    insn.field[LOAD3DV2_filterW] = 1;
    insn.field[LOAD3DV2_filterH] = 1;
    insn.field[LOAD3DV2_mExtension] = 192;
    insn.field[LOAD3DV2_kExtension] = 32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (uint64_t row = 0; row < 192; row++) {
        for (uint64_t column = 0; column < 32; column++) {
            assert_int_equal(
                rig_load(&rig, insn.operand[LOAD3DV2_dst].region, zz(row, column, 4, 8)),
                counting((column / 8 * 192 + row) * 8 + column % 8));
        }
    }
    rig_deinit(&rig);
}

/* Another: 20 channels of 5 x 9 pixels, a 2 x 2 filter; the first plane fills the block. */
static void test_a_block_of_weights_goes_to_l0b_in_zn(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_BF16);
    uint32_t target = rig_region(&rig, SPACE_L0B, ELEMENT_BF16, 32 * 64);
    insn.operand[LOAD3DV2_dst].region = target;
    insn.operand[LOAD3DV2_src].region =
        rig_filled(&rig, SPACE_L1, ELEMENT_BF16, 5 * 9 * 20, counting);
    for (int pad = LOAD3DV2_padLeft; pad <= LOAD3DV2_padBottom; pad++) {
        insn.field[pad] = 0;
    }
    insn.field[LOAD3DV2_l1W] = 9;
    insn.field[LOAD3DV2_channelSize] = 20;
    insn.field[LOAD3DV2_filterW] = 2;
    insn.field[LOAD3DV2_filterH] = 2;
    insn.field[LOAD3DV2_mExtension] = 32;
    insn.field[LOAD3DV2_kExtension] = 64;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (uint64_t row = 0; row < 32; row++) {
        for (uint64_t column = 0; column < 64; column++) {
            uint64_t at = (row / 16 * 4 + column / 16) * 256 + column % 16 * 16 + row % 16;
            uint64_t h = row / 8 + column / 32, w = row % 8 + column / 16 % 2;
            assert_int_equal(rig_load(&rig, target, at), counting((h * 9 + w) * 16 + column % 16));
        }
    }
    rig_deinit(&rig);
}

/* The lower half of a byte is the first of its two 4-bit elements. 8 channels under a 3 x 3 filter:
 * 72 columns, of which 13 are asked for; the last half byte is zero. */
static void test_elements_of_4_bits_are_halves_of_bytes(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201, ELEMENT_FP16);
    insn.field[LOAD3DV2_type] = ELEMENT_INT4;
    insn.operand[LOAD3DV2_src].region =
        rig_filled(&rig, SPACE_L1, ELEMENT_UINT8, 5 * 5 * 4, counting);
    insn.field[LOAD3DV2_channelSize] = 8;
    insn.field[LOAD3DV2_mExtension] = 16;
    insn.field[LOAD3DV2_kExtension] = 13;
    insn.field[LOAD3DV2_padValue] = 0x39; /* the low half counts */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    const uint8_t *bytes = rig_bytes(&rig, insn.operand[LOAD3DV2_dst].region);
    /* Window 1 has points (-1, 0) and (-1, 1) above the image, window 6 pixels (0, 0) and (0, 1).
     */
    static const uint8_t padding[8] = {0x99, 0x99, 0x99, 0x99, 0x99, 0x99, 0x09, 0};
    static const uint8_t pixels[8] = {1, 2, 3, 4, 5, 6, 7, 0};
    assert_memory_equal(bytes + 1 * 32, padding, 8);
    assert_memory_equal(bytes + 6 * 32, pixels, 8);
    assert_int_equal(rig_written_count(&rig, insn.operand[LOAD3DV2_dst].region), 256);
    rig_deinit(&rig);
}

static void test_the_filter_size_flag_adds_256(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_L1, ELEMENT_FP16, 258 * 16, counting);
    uint32_t target = rig_region(&rig, SPACE_L0A, ELEMENT_FP16, 16 * 16);
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    insn.operand[LOAD3DV2_dst].region = target;
    insn.operand[LOAD3DV2_src].region = source;
    insn.field[LOAD3DV2_l1H] = 1;
    insn.field[LOAD3DV2_l1W] = 258;
    insn.field[LOAD3DV2_channelSize] = 16;
    insn.field[LOAD3DV2_filterW] = 0;
    insn.field[LOAD3DV2_filterSizeW] = 1;
    insn.field[LOAD3DV2_mExtension] = 16;
    insn.field[LOAD3DV2_kExtension] = 16;
    insn.field[LOAD3DV2_kStartPt] = 255 * 16;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    /* 258 - 256 + 1 = 3 windows. */
    for (uint64_t row = 0; row < 16; row++) {
        uint32_t wanted = row < 3 ? counting((row + 255) * 16) : 0;
        assert_int_equal(rig_load(&rig, target, row * 16), wanted);
    }
    rig_deinit(&rig);
}

/* The sample has 25 x 288 lanes: with C0 = 16 its last fractals start at row 16 and column 272. */
static void test_a_block_inside_the_matrix_is_noted_unless_it_has_whole_fractals(void **state)
{
    (void)state;
    static const struct {
        enum element element;
        int64_t m_start, m, k_start, k;
        uint32_t notes;
        const char *words;
    } cases[] = {
        {ELEMENT_FP16, 0, 16, 0, 16, 0, ""},
        {ELEMENT_FP16, 0, 15, 0, 16, 1, "mExtension is 15; the documents ask for a multiple of 16"},
        {ELEMENT_FP16, 0, 17, 0, 16, 0, ""}, /* reaches into the last fractal */
        {ELEMENT_FP16, 5, 11, 0, 16, 2, "mStartPt is 5; the documents"},
        {ELEMENT_FP16, 5, 12, 0, 16, 0, ""},
        {ELEMENT_FP16, 0, 25, 0, 17, 1,
         "kExtension is 17; the documents ask for a multiple of 16 "
         "for fp16, as the block does not cover the last fractal of "
         "the matrix, 25 x 288"},
        {ELEMENT_FP16, 0, 25, 256, 17, 0, ""},
        {ELEMENT_INT8, 0, 5, 0, 32, 1, "mExtension is 5"},
        {ELEMENT_INT8, 0, 25, 0, 16, 1, "kExtension is 16; the documents ask for a multiple of 32"},
        {ELEMENT_FP32, 0, 5, 0, 8, 0, ""}, /* rows of 32 bits are free */
        {ELEMENT_FP32, 0, 5, 0, 9, 1, "kExtension is 9; the documents ask for a multiple of 8"},
        {ELEMENT_FP16, 25, 16, 0, 16, 1, "mStartPt is 25 and the matrix has 25 rows"},
    };
    for (size_t index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        struct rig rig;
        struct insn insn = sample(&rig, ARCH_2201, cases[index].element);
        insn.field[LOAD3DV2_mStartPt] = cases[index].m_start;
        insn.field[LOAD3DV2_mExtension] = cases[index].m;
        insn.field[LOAD3DV2_kStartPt] = cases[index].k_start;
        insn.field[LOAD3DV2_kExtension] = cases[index].k;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.notes, 0); /* a lowered tile begins where it must */
        insn.line = 4;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_true(rig_written_count(&rig, insn.operand[LOAD3DV2_dst].region) > 0);
        assert_int_equal(rig.notes, cases[index].notes);
        assert_non_null(strstr(rig.message, cases[index].words));
        rig_deinit(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_l0a_is_zz_but_nz_on_950),
        cmocka_unit_test(test_lanes_outside_the_matrix_or_block_are_written_as_zero),
        cmocka_unit_test(test_columns_beyond_a_packed_last_plane_are_zero),
        cmocka_unit_test(test_padding_of_bytes_is_the_low_byte_of_the_register),
        cmocka_unit_test(test_repetitions_append_rows_or_columns_like_one_larger_block),
        cmocka_unit_test(test_l0b_gets_c0_x_16_fractals),
        cmocka_unit_test(test_bytes_that_nobody_wrote_stay_so_and_padding_counts_as_written),
        cmocka_unit_test(test_only_the_image_rows_that_a_block_needs_must_be_there),
        cmocka_unit_test(test_lanes_behind_the_matrix_need_no_image_rows),
        cmocka_unit_test(test_a_block_of_padding_alone_needs_no_image),
        cmocka_unit_test(test_room_between_column_blocks_is_not_told),
        cmocka_unit_test(test_a_block_larger_than_its_destination_is_refused),
        cmocka_unit_test(test_a_filter_of_one_point_copies_nz_to_zz),
        cmocka_unit_test(test_a_block_of_weights_goes_to_l0b_in_zn),
        cmocka_unit_test(test_elements_of_4_bits_are_halves_of_bytes),
        cmocka_unit_test(test_the_filter_size_flag_adds_256),
        cmocka_unit_test(test_a_block_inside_the_matrix_is_noted_unless_it_has_whole_fractals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
