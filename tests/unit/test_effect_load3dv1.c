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

/* The vendor's sample: 32 channels of 4 x 4 pixels, a 2 x 2 filter of dilation 2, one ring of
 * padding: 16 windows, and 8 fractals hold their 128 columns. */
static struct insn sample(struct rig *rig, enum arch arch)
{
    rig_init(rig, arch);
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV1);
    insn.operand[LOAD3DV1_src].region = rig_filled(rig, SPACE_L1, ELEMENT_FP16, 512, counting);
    insn.operand[LOAD3DV1_dst].region = rig_region(rig, SPACE_L0A, ELEMENT_FP16, 8 * 256);
    insn.field[LOAD3DV1_l1H] = 4;
    insn.field[LOAD3DV1_l1W] = 4;
    insn.field[LOAD3DV1_padLeft] = 1;
    insn.field[LOAD3DV1_padRight] = 1;
    insn.field[LOAD3DV1_padTop] = 1;
    insn.field[LOAD3DV1_padBottom] = 1;
    insn.field[LOAD3DV1_leftTopW] = -1;
    insn.field[LOAD3DV1_leftTopH] = -1;
    insn.field[LOAD3DV1_filterW] = 2;
    insn.field[LOAD3DV1_filterH] = 2;
    insn.field[LOAD3DV1_dilationFilterW] = 2;
    insn.field[LOAD3DV1_dilationFilterH] = 2;
    insn.field[LOAD3DV1_repeatTime] = 8;
    return insn;
}

/* What window `row`, counted over 4 x 4 of them, sees of a channel at a filter point. */
static uint32_t seen(int64_t row, int64_t point, int64_t plane, int64_t channel)
{
    int64_t h = row / 4 - 1 + point / 2 * 2;
    int64_t w = row % 4 - 1 + point % 2 * 2;
    if (h < 0 || h >= 4 || w < 0 || w >= 4) {
        return 0;
    }
    return counting((uint64_t)((plane * 16 + h * 4 + w) * 16 + channel));
}

static void test_the_sample_loads_all_filter_points_of_16_windows(void **state)
{
    (void)state;
    for (int index = 0; index < 2; index++) {
        struct rig rig;
        struct insn insn = sample(&rig, index == 0 ? ARCH_1001 : ARCH_2002);
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (int64_t fractal = 0; fractal < 8; fractal++) {
            for (int64_t lane = 0; lane < 256; lane++) {
                assert_int_equal(rig_load(&rig, insn.operand[LOAD3DV1_dst].region,
                                          (uint64_t)(fractal * 256 + lane)),
                                 seen(lane / 16, fractal % 4, fractal / 4, lane % 16));
            }
        }
        assert_int_equal(insn_bytes(&rig.program, &insn), 8 * 512);
        rig_deinit(&rig);
    }
}

static void test_a_load_starts_at_the_plane_and_point_that_it_names(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2002);
    insn.field[LOAD3DV1_c1Index] = 1;
    insn.field[LOAD3DV1_fetchFilterW] = 1;
    insn.field[LOAD3DV1_repeatTime] = 3;
    insn.field[LOAD3DV1_jumpStride] = 2;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint32_t target = insn.operand[LOAD3DV1_dst].region;
    for (int64_t repetition = 0; repetition < 3; repetition++) {
        for (int64_t lane = 0; lane < 256; lane++) {
            assert_int_equal(rig_load(&rig, target, (uint64_t)(repetition * 512 + lane)),
                             seen(lane / 16, 1 + repetition, 1, lane % 16));
        }
    }
    /* Between the fractals nothing is touched. */
    assert_int_equal(rig_written_count(&rig, target), 3 * 256);
    rig_deinit(&rig);
}

/* 5 x 5 windows of stride 1 over the sample's image without dilation: 16 windows end in the third
 * row after its first, the next 9 end the matrix. */
static void test_windows_go_on_below_and_end_with_the_image(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2002);
    insn.field[LOAD3DV1_dilationFilterW] = 1;
    insn.field[LOAD3DV1_dilationFilterH] = 1;
    insn.field[LOAD3DV1_fetchFilterW] = 1;
    insn.field[LOAD3DV1_fetchFilterH] = 1;
    insn.field[LOAD3DV1_repeatMode] = 1;
    insn.field[LOAD3DV1_repeatTime] = 2;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint32_t target = insn.operand[LOAD3DV1_dst].region;
    for (int64_t row = 0; row < 32; row++) {
        /* The lower right point of window (h, w) is pixel (h, w). */
        int64_t h = row / 5, w = row % 5;
        uint32_t wanted = h < 4 && w < 4 ? counting((uint64_t)((h * 4 + w) * 16 + 3)) : 0;
        assert_int_equal(rig_load(&rig, target, (uint64_t)(row * 16 + 3)), wanted);
    }
    assert_int_equal(rig_written_count(&rig, target), 512);
    rig_deinit(&rig);
}

static void test_padding_is_not_what_lies_below_the_last_window(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2002);
    insn.field[LOAD3DV1_padValue] = 0x3C00;
    insn.field[LOAD3DV1_leftTopH] = 2; /* the last row of windows: 4 of them */
    insn.field[LOAD3DV1_repeatTime] = 1;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint32_t target = insn.operand[LOAD3DV1_dst].region;
    assert_int_equal(rig_load(&rig, target, 0), 0x3C00);
    assert_int_equal(rig_load(&rig, target, 16), counting(2 * 4 * 16));
    for (uint64_t lane = 4 * 16; lane < 256; lane++) {
        assert_int_equal(rig_load(&rig, target, lane), 0);
    }
    rig_deinit(&rig);
}

/* 4 channels of 16 bits: a row of a fractal has four filter points. Of 9 points the last fractal
 * has one, and of what lies behind the image nothing. */
/* Behind the last point of the image lie zeros, where a part of a plane follows it too. */
static void expect_small_channels(uint64_t elements)
{
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_1001);
    insn.operand[LOAD3DV1_src].region =
        rig_filled(&rig, SPACE_L1, ELEMENT_FP16, elements, counting);
    insn.field[LOAD3DV1_cSize] = 1;
    insn.field[LOAD3DV1_filterW] = 3;
    insn.field[LOAD3DV1_filterH] = 3;
    insn.field[LOAD3DV1_dilationFilterW] = 1;
    insn.field[LOAD3DV1_dilationFilterH] = 1;
    insn.field[LOAD3DV1_repeatTime] = 3;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    uint32_t target = insn.operand[LOAD3DV1_dst].region;
    for (int64_t fractal = 0; fractal < 3; fractal++) {
        for (int64_t lane = 0; lane < 16; lane++) {
            /* Window 5 is centred on pixel (1, 1) and sees no padding. */
            int64_t point = fractal * 4 + lane / 4;
            int64_t at = (point / 3 * 4 + point % 3) * 4 + lane % 4;
            uint32_t wanted = point < 9 ? counting((uint64_t)at) : 0;
            assert_int_equal(rig_load(&rig, target, (uint64_t)(fractal * 256 + 5 * 16 + lane)),
                             wanted);
        }
    }
    rig_deinit(&rig);
}

static void test_small_channels_put_four_filter_points_into_a_row(void **state)
{
    (void)state;
    expect_small_channels(4 * 4 * 4);
    expect_small_channels(4 * 4 * 4 + 32);
    expect_small_channels(2 * 4 * 4 * 4 - 1);
}

static void test_bytes_that_nobody_wrote_stay_so(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2002);
    uint32_t source = insn.operand[LOAD3DV1_src].region;
    memset(rig_written(&rig, source) + 5 * 32, 0, 32); /* pixel (1, 1), channels 0..15 */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    /* Each of the four points of the first plane sees the pixel once. */
    assert_int_equal(rig_written_count(&rig, insn.operand[LOAD3DV1_dst].region), 8 * 256 - 4 * 16);
    rig_deinit(&rig);
}

static void refuse(struct rig *rig, const struct insn *insn, const char *part)
{
    effect_apply(&rig->machine, insn);
    assert_int_equal(rig_hazards(rig), 1);
    assert_non_null(strstr(rig->message, part));
    assert_int_equal(rig_written_count(rig, insn->operand[LOAD3DV1_dst].region), 0);
    rig_deinit(rig);
}

static void test_what_lies_outside_is_reported_and_not_loaded(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2002);
    insn.field[LOAD3DV1_c1Index] = 2; /* the image has planes 0 and 1 */
    insn.field[LOAD3DV1_repeatTime] = 1;
    refuse(&rig, &insn, "src reaches");
    insn = sample(&rig, ARCH_2002);
    insn.field[LOAD3DV1_repeatTime] = 9; /* the first point of a third plane */
    rig.region[insn.operand[LOAD3DV1_dst].region].size_bytes += 512;
    refuse(&rig, &insn, "src reaches");
    insn = sample(&rig, ARCH_2002);
    insn.field[LOAD3DV1_jumpStride] = 2;
    refuse(&rig, &insn, "dst reaches");
}

static void test_contradicting_fields_are_reported_and_do_nothing(void **state)
{
    (void)state;
    static const struct {
        int field;
        int64_t value;
        const char *part;
    } faults[] = {
        {LOAD3DV1_l1H, 0, "l1H is 0; expected 1..32767"},
        {LOAD3DV1_l1W, 0, "l1W is 0; expected 1..32767"},
        {LOAD3DV1_repeatTime, 0, "repeatTime is 0; expected 1..255"},
        {LOAD3DV1_repeatTime, 256, "repeatTime is 256; expected 1..255"},
        {LOAD3DV1_repeatMode, 2, "repeatMode is 2; expected 0..1"},
        {LOAD3DV1_jumpStride, 0, "jumpStride is 0; expected 1..127"},
        {LOAD3DV1_jumpStride, 128, "jumpStride is 128; expected 1..127"},
        {LOAD3DV1_cSize, 2, "cSize is 2; expected 0..1"},
        {LOAD3DV1_c1Index, 4096, "c1Index is 4096; expected 0..4095"},
        {LOAD3DV1_leftTopW, -256, "leftTopW is -256; expected -255..32767"},
        {LOAD3DV1_leftTopH, 32768, "leftTopH is 32768; expected -255..32767"},
        {LOAD3DV1_strideW, 0, "strideW is 0; expected 1..63"},
        {LOAD3DV1_filterH, 0, "filterH is 0; expected 1..255"},
        {LOAD3DV1_fetchFilterW, 2, "fetchFilterW is 2"},
        {LOAD3DV1_fetchFilterH, 2, "fetchFilterH 2; expected a point of the filter"},
        {LOAD3DV1_filterW, 9, "filter spans 3 x 17 pixels"},
        {LOAD3DV1_boundaryValue, 15, "boundary of l1 is byte 480; expected 0 or at least 512"},
        {LOAD3DV1_type, ELEMENT_BF16, "load3dv1 takes no bf16"},
    };
    for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
        struct rig rig;
        struct insn insn = sample(&rig, ARCH_2002);
        insn.field[faults[index].field] = faults[index].value;
        refuse(&rig, &insn, faults[index].part);
    }
    struct rig rig;
    struct insn insn = sample(&rig, ARCH_2201);
    refuse(&rig, &insn,
           "load3dv1 on dav-2201 (Atlas A2, A3); expected a product of dav-1001 (Atlas "
           "training), dav-2002 (Atlas inference)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sample_loads_all_filter_points_of_16_windows),
        cmocka_unit_test(test_a_load_starts_at_the_plane_and_point_that_it_names),
        cmocka_unit_test(test_windows_go_on_below_and_end_with_the_image),
        cmocka_unit_test(test_padding_is_not_what_lies_below_the_last_window),
        cmocka_unit_test(test_small_channels_put_four_filter_points_into_a_row),
        cmocka_unit_test(test_bytes_that_nobody_wrote_stay_so),
        cmocka_unit_test(test_what_lies_outside_is_reported_and_not_loaded),
        cmocka_unit_test(test_contradicting_fields_are_reported_and_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
