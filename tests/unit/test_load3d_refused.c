/*
 * What the Load3Dv2 forms refuse: ranges, switches, products, types, and fields that contradict.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/insn_check.h"
#include "tests/support/rig.h"

static uint32_t counting(uint64_t index)
{
    return (uint32_t)index + 1;
}

/* A 5 x 5 image of 32 channels, 3 x 3 filter, one ring of padding. */
static struct insn sample(struct rig *rig, enum opcode opcode, enum arch arch)
{
    struct insn insn;
    rig_init(rig, arch);
    insn_init(&insn, opcode);
    insn.operand[LOAD3DV2_src].region =
        rig_filled(rig, SPACE_L1, ELEMENT_FP16, 5 * 5 * 32, counting);
    insn.operand[LOAD3DV2_dst].region = rig_region(rig, SPACE_L0A, ELEMENT_FP16, 64 * 288);
    insn.field[LOAD3DV2_l1H] = 5;
    insn.field[LOAD3DV2_l1W] = 5;
    for (int pad = LOAD3DV2_padLeft; pad <= LOAD3DV2_padBottom; pad++) {
        insn.field[pad] = 1;
    }
    if (opcode == OP_LOAD3DV2PRO) {
        insn.field[LOAD3DV2PRO_channelSize] = 32;
        insn.field[LOAD3DV2PRO_extConfig] = 25 << 16 | 288;
        insn.field[LOAD3DV2PRO_filterConfig] = 0x010103030101;
        return insn;
    }
    insn.field[LOAD3DV2_channelSize] = 32;
    insn.field[LOAD3DV2_mExtension] = 25;
    insn.field[LOAD3DV2_kExtension] = 288;
    insn.field[LOAD3DV2_filterW] = 3;
    insn.field[LOAD3DV2_filterH] = 3;
    return insn;
}

static void refuse(struct rig *rig, const struct insn *insn, const char *part)
{
    effect_apply(&rig->machine, insn);
    if (rig_hazards(rig) != 1 || strstr(rig->message, part) == NULL) {
        fail_msg("%u hazards, '%s'; expected '%s'", rig_hazards(rig), rig->message, part);
    }
    assert_int_equal(rig_written_count(rig, insn->operand[LOAD3DV2_dst].region), 0);
    rig_deinit(rig);
}

static void test_a_field_outside_its_range_is_named_with_the_limits(void **state)
{
    (void)state;
    static const struct {
        int field;
        int64_t value;
        const char *part;
    } faults[] = {
        {LOAD3DV2_l1H, 0, "l1H is 0; expected 1..32767"},
        {LOAD3DV2_l1W, 0, "l1W is 0; expected 1..32767"},
        {LOAD3DV2_l1W, 32768, "l1W is 32768; expected 0..32767"},
        {LOAD3DV2_padTop, 256, "padTop is 256; expected 0..255"},
        {LOAD3DV2_channelSize, 0, "channelSize is 0; expected 1..65535"},
        {LOAD3DV2_mExtension, 0, "mExtension is 0; expected 1..65535"},
        {LOAD3DV2_kExtension, 0, "kExtension is 0; expected 1..65535"},
        {LOAD3DV2_mStartPt, 32768, "mStartPt is 32768; expected 0..32767"},
        {LOAD3DV2_kStartPt, 65536, "kStartPt is 65536; expected 0..65535"},
        {LOAD3DV2_strideW, 0, "strideW is 0; expected 1..63"},
        {LOAD3DV2_strideH, 64, "strideH is 64; expected 1..63"},
        {LOAD3DV2_filterW, 0, "filterW is 0; expected 1..255, or filterSizeW=1"},
        {LOAD3DV2_filterH, 0, "filterH is 0; expected 1..255, or filterSizeH=1"},
        {LOAD3DV2_filterH, 256, "filterH is 256; expected 0..255"},
        {LOAD3DV2_dilationFilterW, 0, "dilationFilterW is 0; expected 1..255"},
        {LOAD3DV2_dilationFilterH, 256, "dilationFilterH is 256; expected 1..255"},
        {LOAD3DV2_enSmallK, 1, "enSmallK is 1; expected 0: no product has fractals of 16 x 4"},
        {LOAD3DV2_fMatrixCtrl, 1, "fMatrixCtrl is 1; expected 0: only the FMATRIX of the left"},
        {LOAD3DV2_repeatTime, 0, "repeatTime is 0; expected 1..255"},
    };
    for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
        struct rig rig;
        struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
        insn.field[faults[index].field] = faults[index].value;
        refuse(&rig, &insn, faults[index].part);
    }
}

static void test_a_part_of_a_packed_word_is_named_with_its_limits(void **state)
{
    (void)state;
    static const struct {
        int64_t block, filter;
        const char *part;
    } faults[] = {
        {25 << 16, 0x010103030101, "extConfig: kExtension is 0; expected 1..65535"},
        {288, 0x010103030101, "extConfig: mExtension is 0; expected 1..65535"},
        {25 << 16 | 288, 0x010103030100, "filterConfig: strideW is 0; expected 1..63"},
        {25 << 16 | 288, 0x010103034001, "filterConfig: strideH is 64; expected 1..63"},
        {25 << 16 | 288, 0x010103000101, "filterConfig: filterW is 0; expected 1..255, or"},
        {25 << 16 | 288, 0x010100030101, "filterConfig: filterH is 0; expected 1..255, or"},
        {25 << 16 | 288, 0x010003030101, "filterConfig: dilationFilterW is 0; expected 1..255"},
        {25 << 16 | 288, 0x000103030101, "filterConfig: dilationFilterH is 0; expected 1..255"},
        {25 << 16 | 288, 0x1010103030101, "filterConfig is 282578833834241; expected 0.."},
        {-1, 0x010103030101, "extConfig is -1; expected 0.."},
        {INT64_C(8) << 32 | 25 << 16 | 288, 0x010103030101, "kStartPt is 8; expected a multiple"},
    };
    for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
        struct rig rig;
        struct insn insn = sample(&rig, OP_LOAD3DV2PRO, ARCH_3510);
        insn.field[LOAD3DV2PRO_extConfig] = faults[index].block;
        insn.field[LOAD3DV2PRO_filterConfig] = faults[index].filter;
        refuse(&rig, &insn, faults[index].part);
    }
    /* The reader of a program knows the key. */
    struct rig rig;
    struct insn_problem problem;
    struct insn insn = sample(&rig, OP_LOAD3DV2PRO, ARCH_3510);
    insn.field[LOAD3DV2PRO_filterConfig] = 0x010103030001;
    assert_false(insn_check(&rig.program, &insn, &problem));
    assert_string_equal(problem.key, "filterConfig");
    rig_deinit(&rig);
}

static void test_a_register_stands_in_for_an_image_size_that_is_not_written(void **state)
{
    (void)state;
    struct rig rig;
    struct insn_problem problem;
    struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.field[LOAD3DV2_l1H] = 0;
    insn.field[LOAD3DV2_l1W] = 0;
    assert_false(insn_check(&rig.program, &insn, &problem));
    insn.field[LOAD3DV2_isSetFMatrix] = 0;
    assert_true(insn_check(&rig.program, &insn, &problem));
    rig_deinit(&rig);
    /* Nothing was put into the register, or one of the two. */
    for (int missing = 1; missing <= 3; missing++) {
        insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
        insn.field[LOAD3DV2_l1H] = (missing & 1) != 0 ? 0 : 5;
        insn.field[LOAD3DV2_l1W] = (missing & 2) != 0 ? 0 : 5;
        insn.field[LOAD3DV2_padLeft] = 3; /* a filter would fit into padding alone */
        insn.field[LOAD3DV2_padTop] = 3;
        insn.field[LOAD3DV2_isSetFMatrix] = 0;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_UNINITIALIZED], 1);
        assert_non_null(strstr(rig.message, "no image size is set"));
        rig_deinit(&rig);
    }
}

/* Bits 1 << element that a form takes from L1 to a space. */
static uint32_t types_taken(enum opcode opcode, enum arch arch, enum space space)
{
    uint32_t taken = 0;
    for (int element = 0; element < ELEMENT_COUNT; element++) {
        struct rig rig;
        struct insn_problem problem;
        struct insn insn = sample(&rig, opcode, arch);
        insn.operand[LOAD3DV2_dst].region = rig_region(&rig, space, ELEMENT_FP16, 16);
        insn.field[LOAD3DV2_type] = element;
        if (insn_check(&rig.program, &insn, &problem)) {
            taken |= 1U << element;
        } else {
            assert_non_null(strstr(problem.message, element_word((enum element)element)));
        }
        rig_deinit(&rig);
    }
    return taken;
}

#define T(name) (1U << ELEMENT_##name)

static void test_each_product_and_destination_takes_the_types_of_the_vendors_table(void **state)
{
    (void)state;
    uint32_t b32 = T(FP32) | T(INT32) | T(UINT32), b16 = T(FP16) | T(BF16);
    uint32_t a2 = b32 | b16 | T(INT8) | T(UINT8) | T(INT4);
    uint32_t small = T(FP16) | T(INT8) | T(UINT8) | T(INT4);
    uint32_t new = b32 | b16 | T(INT8) | T(UINT8) | T(HIF8) | T(FP8_E4M3) | T(FP8_E5M2);
    assert_int_equal(types_taken(OP_LOAD3DV2, ARCH_2201, SPACE_L0A), a2);
    assert_int_equal(types_taken(OP_LOAD3DV2, ARCH_2201, SPACE_L0B), b32 | b16);
    assert_int_equal(types_taken(OP_LOAD3DV2, ARCH_3002, SPACE_L0A), a2);
    assert_int_equal(types_taken(OP_LOAD3DV2, ARCH_3002, SPACE_L0B), b32 | b16);
    assert_int_equal(types_taken(OP_LOAD3DV2, ARCH_2002, SPACE_L0A), small);
    assert_int_equal(types_taken(OP_LOAD3DV2, ARCH_2002, SPACE_L0B), small);
    static const enum opcode forms[] = {OP_LOAD3DV2, OP_LOAD3DV2PRO, OP_LOAD_DATA_WITH_STRIDE};
    for (int index = 0; index < 3; index++) {
        assert_int_equal(types_taken(forms[index], ARCH_3510, SPACE_L0A), new);
        assert_int_equal(types_taken(forms[index], ARCH_3510, SPACE_L0B), new);
    }
}

static void test_the_destination_that_takes_other_types_says_which(void **state)
{
    (void)state;
    struct rig rig;
    struct insn_problem problem;
    struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.operand[LOAD3DV2_dst].region = rig_region(&rig, SPACE_L0B, ELEMENT_INT8, 512);
    insn.field[LOAD3DV2_type] = ELEMENT_INT8;
    assert_false(insn_check(&rig.program, &insn, &problem));
    assert_string_equal(problem.message, "load3dv2 takes no int8 to l0b on dav-2201; expected "
                                         "fp16, bf16, fp32, int32, uint32");
    rig_deinit(&rig);
    /* L0A is no source. */
    insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.operand[LOAD3DV2_src].region = insn.operand[LOAD3DV2_dst].region;
    assert_false(insn_check(&rig.program, &insn, &problem));
    assert_non_null(strstr(problem.message, "lies in l0a; expected l1"));
    rig_deinit(&rig);
}

static void test_forms_and_registers_stay_on_their_products(void **state)
{
    (void)state;
    static const struct {
        enum opcode opcode;
        unsigned arches; /* bits of ARCH_LIST */
    } rows[] = {
        {OP_LOAD3DV1, 1 | 2},
        {OP_LOAD3DV2, 2 | 4 | 8 | 16},
        {OP_LOAD3DV2PRO, 16},
        {OP_LOAD_DATA_WITH_STRIDE, 16},
        {OP_COPY_L12L0A, 16},
        {OP_COPY_L12L0A_IMG2COL, 16},
        {OP_SET_FMATRIX, 31},
        {OP_SET_PADDING_VALUE, 31},
        {OP_SET_LOAD_DATA_REPEAT, 4 | 8 | 16},
        {OP_SET_LOAD_DATA_BOUNDARY, 2 | 4},
    };
    for (size_t index = 0; index < sizeof rows / sizeof rows[0]; index++) {
        assert_int_equal(insn_info(rows[index].opcode)->arches, rows[index].arches);
    }
}

static void test_channels_are_whole_planes_or_leave_a_rest_that_can_be_packed(void **state)
{
    (void)state;
    static const struct {
        enum element type;
        int64_t taken[8], refused[4];
    } cases[] = {
        {ELEMENT_FP32, {4, 8, 12, 16, 20}, {1, 5, 6, 10}},
        {ELEMENT_FP16, {4, 8, 16, 20, 24, 32}, {2, 12, 28, 18}},
        {ELEMENT_INT8, {4, 8, 16, 32, 36, 40, 48}, {2, 12, 24, 56}},
        {ELEMENT_INT4, {8, 16, 32, 64, 72, 80, 96}, {4, 24, 48, 68}},
    };
    for (size_t index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        for (int number = 0; number < 8 && cases[index].taken[number] != 0; number++) {
            struct rig rig;
            struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
            insn.operand[LOAD3DV2_src].region =
                rig_filled(&rig, SPACE_L1, ELEMENT_UINT8, 6400, counting);
            insn.field[LOAD3DV2_type] = cases[index].type;
            insn.field[LOAD3DV2_channelSize] = cases[index].taken[number];
            insn.field[LOAD3DV2_kExtension] = 8;
            effect_apply(&rig.machine, &insn);
            assert_int_equal(rig_hazards(&rig), 0);
            rig_deinit(&rig);
        }
        for (int number = 0; number < 4; number++) {
            struct rig rig;
            struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
            insn.field[LOAD3DV2_type] = cases[index].type;
            insn.field[LOAD3DV2_channelSize] = cases[index].refused[number];
            insn.field[LOAD3DV2_kExtension] = 8;
            refuse(&rig, &insn, "; expected a multiple of");
        }
    }
}

static void test_fields_that_contradict_each_other_do_nothing(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.field[LOAD3DV2_filterH] = 8;
    refuse(&rig, &insn, "filter spans 8 x 3 pixels; expected no more than the padded image, 7 x 7");
    insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.field[LOAD3DV2_kStartPt] = 8;
    refuse(&rig, &insn, "kStartPt is 8; expected a multiple of 16 for fp16");
    /* A 1 x 1 filter over 32 channels has 32 columns; a vendor's test asks for 128. */
    insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.field[LOAD3DV2_filterW] = 1;
    insn.field[LOAD3DV2_filterH] = 1;
    insn.field[LOAD3DV2_kExtension] = 128;
    refuse(&rig, &insn, "kStartPt + kExtension is 128; expected at most 32");
    insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.field[LOAD3DV2_dstStride] = 4;
    refuse(&rig, &insn, "dstStride is 4; expected 0 on dav-2201");
    insn = sample(&rig, OP_LOAD3DV2, ARCH_3510);
    insn.field[LOAD3DV2_dstStride] = 1;
    refuse(&rig, &insn, "dstStride is 1; expected at least 2 fractals");
    insn = sample(&rig, OP_LOAD_DATA_WITH_STRIDE, ARCH_3510);
    refuse(&rig, &insn, "dstStride is 0; expected at least 2 fractals by set_load_data_repeat");
}

static void test_the_transpose_is_for_the_types_of_the_product(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        enum element type;
        const char *part;
    } faults[] = {
        {ARCH_2201, ELEMENT_INT8, "int8 cannot go to L0A with enTranspose on dav-2201"},
        {ARCH_2201, ELEMENT_INT4, "int4 cannot go to L0A with enTranspose"},
        {ARCH_2002, ELEMENT_UINT8, "uint8 cannot go to L0A with enTranspose on dav-2002"},
        {ARCH_3002, ELEMENT_FP32, "fp32 cannot go to L0A with enTranspose on dav-3002"},
    };
    for (size_t index = 0; index < sizeof faults / sizeof faults[0]; index++) {
        struct rig rig;
        struct insn insn = sample(&rig, OP_LOAD3DV2, faults[index].arch);
        insn.field[LOAD3DV2_type] = faults[index].type;
        insn.field[LOAD3DV2_kExtension] = 64;
        insn.field[LOAD3DV2_enTranspose] = 1;
        refuse(&rig, &insn, faults[index].part);
    }
}

static void test_a_boundary_lies_behind_the_image_and_is_not_small(void **state)
{
    (void)state;
    struct rig rig;
    struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.field[LOAD3DV2_boundaryValue] = 1023;
    refuse(&rig, &insn, "boundary of l1 is byte 1023; expected 0 or at least 1024");
    insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    uint32_t behind = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 800);
    insn.operand[LOAD3DV2_src].region = behind;
    insn.field[LOAD3DV2_boundaryValue] = (int64_t)rig.region[behind].base_bytes;
    refuse(&rig, &insn, "behind the start of src, 2048");
    /* The image has to reach it. */
    insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    rig.region[insn.operand[LOAD3DV2_src].region].size_bytes = 1500;
    insn.field[LOAD3DV2_boundaryValue] = 1504;
    refuse(&rig, &insn, "src reaches bytes 0..1503");
    /* One that ends before the boundary does not make a small boundary a good one. */
    insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
    insn.field[LOAD3DV2_channelSize] = 16;
    insn.field[LOAD3DV2_kExtension] = 144;
    insn.field[LOAD3DV2_boundaryValue] = 1023;
    refuse(&rig, &insn, "boundary of l1 is byte 1023; expected 0 or at least 1024");
}

static void test_the_least_boundary_is_taken_before_and_behind_the_end_of_the_image(void **state)
{
    (void)state;
    for (int64_t channels = 16; channels <= 32; channels += 16) {
        struct rig rig;
        struct insn insn = sample(&rig, OP_LOAD3DV2, ARCH_2201);
        insn.field[LOAD3DV2_channelSize] = channels;
        insn.field[LOAD3DV2_kExtension] = 9 * channels;
        insn.field[LOAD3DV2_boundaryValue] = 1024; /* the image has 800 bytes, then 1600 */
        if (channels == 16) {
            rig.region[insn.operand[LOAD3DV2_src].region].size_bytes = 800;
        }
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_written_count(&rig, insn.operand[LOAD3DV2_dst].region),
                         32 * 9 * channels);
        rig_deinit(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_field_outside_its_range_is_named_with_the_limits),
        cmocka_unit_test(test_a_part_of_a_packed_word_is_named_with_its_limits),
        cmocka_unit_test(test_a_register_stands_in_for_an_image_size_that_is_not_written),
        cmocka_unit_test(test_each_product_and_destination_takes_the_types_of_the_vendors_table),
        cmocka_unit_test(test_the_destination_that_takes_other_types_says_which),
        cmocka_unit_test(test_forms_and_registers_stay_on_their_products),
        cmocka_unit_test(test_channels_are_whole_planes_or_leave_a_rest_that_can_be_packed),
        cmocka_unit_test(test_fields_that_contradict_each_other_do_nothing),
        cmocka_unit_test(test_the_transpose_is_for_the_types_of_the_product),
        cmocka_unit_test(test_a_boundary_lies_behind_the_image_and_is_not_small),
        cmocka_unit_test(test_the_least_boundary_is_taken_before_and_behind_the_end_of_the_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
