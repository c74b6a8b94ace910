/* What a Fixpipe makes of values: modes, their words in FB or in the instruction, saturation,
 * additions in GM. The arithmetic of a single value is in test_quant.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/fixpipe.h"
#include "isa/float_bits.h"
#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

static uint64_t word_of(float scale, int offset, bool is_signed)
{
    return float_to_bits(scale) | (uint64_t)((unsigned)offset & 0x1FF) << 37 |
           (uint64_t)is_signed << 46;
}

static struct insn store_of(uint32_t target, uint32_t source, int64_t mode, int64_t m, int64_t n)
{
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = target;
    insn.operand[FIXPIPE_src].region = source;
    insn.field[FIXPIPE_layout] = LAYOUT_NZ2ND;
    insn.field[FIXPIPE_mode] = mode;
    insn.field[FIXPIPE_mSize] = m;
    insn.field[FIXPIPE_nSize] = n;
    insn.field[FIXPIPE_srcStride] = 16;
    insn.field[FIXPIPE_dstStride] = n;
    insn.field[FIXPIPE_type] = (quant_info((enum insn_mode)mode)->sources >> ELEMENT_FP32 & 1) != 0
                                   ? ELEMENT_FP32
                                   : ELEMENT_INT32;
    return insn;
}

static float value_at(uint64_t row, uint64_t column)
{
    return (float)(int)(row * 7 + column * 3) - 60.0F;
}

/* 16 x 48 elements with value_at. */
static uint32_t source_of(struct rig *rig, enum element element)
{
    uint32_t source = rig_region(rig, SPACE_L0C, element, 3 * 256);
    for (uint64_t row = 0; row < 16; row++) {
        for (uint64_t column = 0; column < 48; column++) {
            rig_store(rig, source, column / 16 * 256 + row * 16 + column % 16,
                      rig_code(element, (int)value_at(row, column)));
        }
    }
    return source;
}

/* Scale and offset of a column; all of them differ. */
static uint64_t column_word(uint64_t column)
{
    return word_of(1.0F + (float)column / 64.0F, (int)column - 20, column % 3 != 0);
}

static uint32_t words_of(struct rig *rig, uint64_t count)
{
    uint32_t words = rig_region(rig, SPACE_FB, ELEMENT_UINT64, count);
    for (uint64_t column = 0; column < count; column++) {
        uint64_t word = column_word(column);
        memcpy(rig_bytes(rig, words) + column * 8, &word, 8);
        memset(rig_written(rig, words) + column * 8, 1, 8);
    }
    return words;
}

/* In double, which holds every product here, rounded where the documents round. */
static uint32_t expected_code(enum insn_mode mode, uint64_t row, uint64_t column, uint64_t by)
{
    const struct quant_info *info = quant_info(mode);
    double scaled = (double)value_at(row, column);
    scaled *= info->parameter == PARAMETER_NONE ? 1.0 : 1.0 + (double)by / 64.0;
    if ((info->targets >> ELEMENT_INT8 & 1) != 0) {
        double sum = fmin(fmax(nearbyint(scaled), -256), 255) + (double)by - 20.0;
        sum = by % 3 != 0 ? fmin(fmax(sum, -128), 127) : fmin(fmax(sum, 0), 255);
        return (uint32_t)(int)sum & 0xFF;
    }
    enum element target = ELEMENT_FP32;
    static const enum element others[] = {ELEMENT_FP16, ELEMENT_BF16, ELEMENT_FP8_E4M3,
                                          ELEMENT_HIF8};
    for (size_t i = 0; i < 4; i++) {
        target = (info->targets >> others[i] & 1) != 0 ? others[i] : target;
    }
    return element_encode(target, (float)scaled, true);
}

/* What is stored is the same on every product. */
static enum element stored_type(const struct insn *insn)
{
    struct fixpipe_shape shape;
    fixpipe_shape(insn, ARCH_2201, &shape);
    return shape.target;
}

/* Columns 16 to 41 of the source, so that words and columns do not start together. */
static void mode_run(enum arch arch, enum insn_mode mode)
{
    const struct quant_info *info = quant_info(mode);
    bool hybrid = mode == MODE_QF322HIF8_PRE_HYBRID || mode == MODE_VQF322HIF8_PRE_HYBRID;
    struct rig rig;
    rig_init(&rig, arch);
    bool real = (info->sources >> ELEMENT_FP32 & 1) != 0;
    uint32_t source = source_of(&rig, real ? ELEMENT_FP32 : ELEMENT_INT32);
    uint32_t words = words_of(&rig, 48);
    struct insn insn = store_of(0, source, mode, 9, 26);
    insn.field[FIXPIPE_deqScalar] =
        info->parameter == PARAMETER_SCALAR ? (int64_t)column_word(4) : 0;
    enum element stored = stored_type(&insn);
    uint32_t target = rig_region(&rig, SPACE_GM, stored, 9 * 26);
    insn.operand[FIXPIPE_dst].region = target;
    insn.operand[FIXPIPE_src].offset = 16 * 16 * 4;
    if (info->parameter == PARAMETER_VECTOR) {
        insn.operand[FIXPIPE_quant] = (struct operand){.region = words, .offset = 16 * 8};
    }
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 9 * 26);
    assert_int_equal(insn_bytes(&rig.program, &insn), 9 * 26 * element_bytes(stored));
    for (uint64_t row = 0; row < 9; row++) {
        for (uint64_t column = 0; column < 26; column++) {
            uint64_t by = info->parameter == PARAMETER_VECTOR ? 16 + column : 4;
            uint32_t code = rig_load(&rig, target, row * 26 + column);
            if (!hybrid) { /* else test_quant.c knows */
                assert_int_equal(code, expected_code(mode, row, 16 + column, by));
            }
        }
    }
    rig_deinit(&rig);
}

static bool mode_is_taken(enum arch arch, enum space space, enum insn_mode mode)
{
    struct rig rig;
    rig_init(&rig, arch);
    struct insn insn = store_of(0, 0, mode, 16, 16);
    insn.field[FIXPIPE_layout] = LAYOUT_NZ;
    insn.operand[FIXPIPE_src].region = rig_region(&rig, SPACE_L0C, insn_element(&insn), 256);
    insn.operand[FIXPIPE_dst].region = rig_region(&rig, space, ELEMENT_INT8, 256);
    struct insn_problem problem;
    bool taken = insn_check(&rig.program, &insn, &problem);
    rig_deinit(&rig);
    return taken;
}

static void test_every_mode_of_a_product_stores_what_it_says(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        int modes;
    } products[] = {{ARCH_2201, 9}, {ARCH_3002, 9}, {ARCH_3510, MODE_COUNT}};
    for (size_t i = 0; i < 3; i++) {
        int modes = 0;
        for (int mode = 0; mode < MODE_COUNT; mode++) {
            if (mode_is_taken(products[i].arch, SPACE_GM, (enum insn_mode)mode)) {
                mode_run(products[i].arch, (enum insn_mode)mode);
                modes++;
            }
        }
        assert_int_equal(modes, products[i].modes);
    }
    /* To L1 A2 and A3 convert; 950 need not. */
    assert_false(mode_is_taken(ARCH_2201, SPACE_L1, MODE_NOQUANT));
    assert_true(mode_is_taken(ARCH_2201, SPACE_L1, MODE_VREQ8));
    assert_true(mode_is_taken(ARCH_3510, SPACE_L1, MODE_NOQUANT));
    assert_true(mode_is_taken(ARCH_3510, SPACE_UB, MODE_VQF322F32_PRE));
}

static void test_a_mode_takes_one_type_of_l0c(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 256);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT8, 256);
    struct insn insn = store_of(target, source, MODE_REQ8, 16, 16);
    insn.field[FIXPIPE_type] = ELEMENT_FP32;
    struct insn_problem problem;
    assert_false(insn_check(&rig.program, &insn, &problem));
    assert_string_equal(problem.message, "type is fp32; mode REQ8 takes int32");
    insn = store_of(target, source, MODE_QF322B8_PRE, 16, 16);
    insn.field[FIXPIPE_type] = ELEMENT_INT32;
    assert_false(insn_check(&rig.program, &insn, &problem));
    assert_string_equal(problem.message, "type is int32; mode QF322B8_PRE takes fp32");
    rig_deinit(&rig);
}

static void test_the_type_of_l0c_follows_from_mode_and_tensor(void **state)
{
    (void)state;
    static const struct {
        enum insn_mode mode;
        enum element tensor, type;
    } cases[] = {
        {MODE_NOQUANT, ELEMENT_FP32, ELEMENT_FP32},
        {MODE_NOQUANT, ELEMENT_INT32, ELEMENT_INT32},
        {MODE_F322F16, ELEMENT_FP16, ELEMENT_FP32},
        {MODE_REQ8, ELEMENT_INT8, ELEMENT_INT32},
        {MODE_VREQ8, ELEMENT_UINT8, ELEMENT_INT32},
        {MODE_DEQF16, ELEMENT_FP16, ELEMENT_INT32},
        {MODE_QF322B8_PRE, ELEMENT_INT8, ELEMENT_FP32},
        {MODE_VDEQF16, ELEMENT_FP16, ELEMENT_INT32},
        {MODE_QS322BF16_PRE, ELEMENT_BF16, ELEMENT_INT32},
        {MODE_QF322F32_PRE, ELEMENT_FP32, ELEMENT_FP32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 256);
        uint32_t target = rig_region(&rig, SPACE_GM, cases[i].tensor, 256);
        struct insn insn = store_of(target, source, cases[i].mode, 16, 16);
        insn.field[FIXPIPE_type] = ELEMENT_BF16;
        insn_imply(&rig.program, &insn, 0);
        assert_int_equal(insn.field[FIXPIPE_type], cases[i].type);
        rig_deinit(&rig);
    }
}

static void expect_contradiction(int64_t mode, int64_t scalar, bool vector, const char *message)
{
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = source_of(&rig, ELEMENT_FP32);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 256);
    uint32_t words = words_of(&rig, 48);
    struct insn insn = store_of(target, source, mode, 16, 16);
    insn.field[FIXPIPE_deqScalar] = scalar;
    insn.operand[FIXPIPE_quant].region = vector ? words : REGION_NONE;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_int_equal(rig_written_count(&rig, target), 0);
    assert_string_equal(rig.message, message);
    rig_deinit(&rig);
}

static void test_a_mode_has_the_parameter_that_it_needs_and_no_other(void **state)
{
    (void)state;
    int64_t one = 0x3F800000;
    expect_contradiction(MODE_NOQUANT, one, false,
                         "fixpipe: deqScalar is given with mode NoQuant, which takes none");
    expect_contradiction(MODE_F322F16, 0, true,
                         "fixpipe: quant is given with mode F322F16, which takes none");
    expect_contradiction(MODE_QF322B8_PRE, 0, false,
                         "fixpipe: deqScalar is 0 with mode QF322B8_PRE; expected a word");
    expect_contradiction(
        MODE_VQF322B8_PRE, 0, false,
        "fixpipe: quant is not given with mode VQF322B8_PRE; expected words in fb");
    expect_contradiction(MODE_VQF322B8_PRE, one, true,
                         "fixpipe: deqScalar is given with mode VQF322B8_PRE, which takes none");
    expect_contradiction(
        MODE_QF322B8_PRE, 0x7F800000, false,
        "fixpipe: the scale of column 0 is no number that the unit takes; expected "
        "neither infinity, NaN nor denormal");
}

static void test_words_are_there_whole_and_aligned(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = source_of(&rig, ELEMENT_FP32);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT8, 16 * 33);
    uint32_t words = words_of(&rig, 48);
    struct insn insn = store_of(target, source, MODE_VQF322B8_PRE, 16, 33);
    insn.operand[FIXPIPE_quant].region = words;
    rig.region[words].size_bytes = 33 * 8 - 1;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig.region[words].size_bytes = 48 * 8;
    rig_written(&rig, words)[33 * 8] = 0;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    rig_written(&rig, words)[20 * 8 + 5] = 0;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_UNINITIALIZED], 1);
    assert_string_equal(rig.message,
                        "fixpipe: quant has elements that were never written, first at [0, 20]");
    insn.field[FIXPIPE_nSize] = 15;
    insn.operand[FIXPIPE_quant].offset = 32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 1);
    assert_int_equal(rig.notes, 0);
    insn.operand[FIXPIPE_quant].offset = 64;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 1);
    assert_int_equal(rig.notes, 1);
    rig_deinit(&rig);
}

/* Bits 32 to 36 count on A2, A3 and 310B, where the mode starts from int32 and ends in 8 bits. */
static void test_words_shift_before_950_only(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        int64_t mode;
        uint32_t stored;
    } cases[] = {
        {ARCH_2201, MODE_REQ8, 62},
        {ARCH_3002, MODE_REQ8, 62},
        {ARCH_3510, MODE_REQ8, 127},
        {ARCH_2201, MODE_DEQF16, 0x63D0},
        {ARCH_3510, MODE_QS322BF16_PRE, 0x447A},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, cases[i].arch);
        uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_INT32, 256);
        rig_store(&rig, source, 0, 1000);
        struct insn insn = store_of(0, source, cases[i].mode, 1, 1);
        insn.field[FIXPIPE_deqScalar] = INT64_C(1) << 46 | INT64_C(0x13) << 32 | 0x3F800000;
        uint32_t target = rig_region(&rig, SPACE_GM, stored_type(&insn), 1);
        insn.operand[FIXPIPE_dst].region = target;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_load(&rig, target, 0), cases[i].stored);
        rig_deinit(&rig);
    }
}

/* Known fault 46: 576 products of 16 and 16. */
static void test_what_fp16_cannot_hold_saturates_or_not_and_is_counted(void **state)
{
    (void)state;
    static const struct {
        int64_t mode, keeps;
        uint32_t stored;
        uint64_t count;
    } cases[] = {
        {MODE_F322BF16, 0, 0x4810, 0},
        {MODE_F322F16, 0, 0x7BFF, 1},
        {MODE_F322F16, 1, 0x7C00, 0},
    };
    for (size_t i = 0; i < 3; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2201);
        uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 256);
        rig_store(&rig, source, 0, float_to_bits(576.0F * 16 * 16));
        struct insn insn = store_of(0, source, cases[i].mode, 1, 1);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP16, 1);
        insn.operand[FIXPIPE_dst].region = target;
        insn.field[FIXPIPE_keepInfNan] = cases[i].keeps;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_load(&rig, target, 0), cases[i].stored);
        assert_int_equal(rig.machine.saturated, cases[i].count);
        rig_deinit(&rig);
    }
}

static void test_stores_add_to_what_lies_in_gm(void **state)
{
    (void)state;
    for (int layout = LAYOUT_NZ; layout <= LAYOUT_NZ2DN; layout++) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = source_of(&rig, ELEMENT_FP32);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP16, 64 * 64);
        for (uint64_t i = 0; i < 64 * 64; i++) {
            rig_store(&rig, target, i, rig_code(ELEMENT_FP16, (int)(i % 500)));
        }
        struct insn insn = store_of(target, source, MODE_F322F16, 8, 32);
        insn.field[FIXPIPE_layout] = layout;
        insn.field[FIXPIPE_dstStride] = layout == LAYOUT_NZ ? 1024 : 64;
        insn.field[FIXPIPE_atomicAdd] = 1 + ELEMENT_FP16;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig.machine.stored_twice, 0);
        uint64_t changed = 0;
        for (uint64_t row = 0; row < 8; row++) {
            for (uint64_t column = 0; column < 32; column++) {
                uint64_t to = layout == LAYOUT_NZ      ? column / 16 * 1024 + row * 16 + column % 16
                              : layout == LAYOUT_NZ2ND ? row * 64 + column
                                                       : column * 64 + row;
                int sum = (int)(to % 500) + (int)value_at(row, column);
                assert_int_equal(rig_load(&rig, target, to), rig_code(ELEMENT_FP16, sum));
                changed += (int)value_at(row, column) != 0;
            }
        }
        for (uint64_t i = 0; i < 64 * 64; i++) {
            changed -= rig_load(&rig, target, i) != rig_code(ELEMENT_FP16, (int)(i % 500));
        }
        assert_int_equal(changed, 0);
        rig_deinit(&rig);
    }
}

static void test_an_addition_wants_its_type_and_written_bytes(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = source_of(&rig, ELEMENT_FP32);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 16 * 32);
    struct insn insn = store_of(target, source, MODE_NOQUANT, 16, 32);
    insn.field[FIXPIPE_atomicAdd] = 1 + ELEMENT_FP16;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_string_equal(rig.message,
                        "fixpipe: set_atomic_add is of fp16; expected the stored type, fp32");
    assert_int_equal(rig_written_count(&rig, target), 0);
    memset(rig_written(&rig, target), 1, 4 * 37);
    insn.field[FIXPIPE_atomicAdd] = 1 + ELEMENT_FP32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_UNINITIALIZED], 1);
    assert_string_equal(rig.message,
                        "fixpipe: dst has bytes that were never written, first at 148");
    rig_deinit(&rig);
}

static void test_rows_that_an_addition_finds_unwritten_are_reported_once(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = source_of(&rig, ELEMENT_FP32);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 16 * 40);
    memset(rig_written(&rig, target), 1, 40 * 4 + 8);
    struct insn insn = store_of(target, source, MODE_NOQUANT, 16, 32);
    insn.field[FIXPIPE_dstStride] = 40;
    insn.field[FIXPIPE_atomicAdd] = 1 + ELEMENT_FP32;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    assert_string_equal(rig.message,
                        "fixpipe: dst has bytes that were never written, first at 168");
    rig_deinit(&rig);
}

/* The word of the instruction says the sign of 8-bit results, of words in FB each its own. */
static void test_bytes_have_the_sign_of_the_word_and_count_as_int8_with_several(void **state)
{
    (void)state;
    static const struct {
        enum insn_mode mode;
        bool is_signed;
        enum element target;
    } cases[] = {
        {MODE_REQ8, true, ELEMENT_INT8},        {MODE_REQ8, false, ELEMENT_UINT8},
        {MODE_QF322B8_PRE, true, ELEMENT_INT8}, {MODE_QF322B8_PRE, false, ELEMENT_UINT8},
        {MODE_VREQ8, false, ELEMENT_INT8},      {MODE_VQF322B8_PRE, false, ELEMENT_INT8},
        {MODE_DEQF16, false, ELEMENT_FP16},     {MODE_VDEQF16, false, ELEMENT_FP16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct insn insn = store_of(0, 0, cases[i].mode, 16, 16);
        bool vector = quant_info(cases[i].mode)->parameter == PARAMETER_VECTOR;
        uint64_t word = vector ? 0 : word_of(1.0F, 0, cases[i].is_signed);
        insn.field[FIXPIPE_deqScalar] = (int64_t)word;
        struct fixpipe_shape shape;
        fixpipe_shape(&insn, ARCH_2201, &shape);
        assert_int_equal(shape.target, cases[i].target);
    }
}

static void test_additions_are_made_in_gm_only(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t source = source_of(&rig, ELEMENT_FP32);
    uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_FP32, 16 * 32);
    struct insn insn = store_of(target, source, MODE_NOQUANT, 16, 32);
    insn.field[FIXPIPE_atomicAdd] = 1 + ELEMENT_FP32;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_load(&rig, target, 32 * 3 + 20), rig_code(ELEMENT_FP32, 21 + 60 - 60));
    /* Stored twice is a matter of GM. */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.machine.stored_twice, 0);
    rig_deinit(&rig);
}

static void test_blocks_in_l1_and_ub_have_32_bytes(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t source = source_of(&rig, ELEMENT_FP32);
    uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_FP32, 2048);
    struct insn insn = store_of(target, source, MODE_NOQUANT, 16, 12);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 1);
    assert_string_equal(rig.message,
                        "fixpipe: nSize gives rows of 48 bytes; expected a multiple of 32");
    insn = store_of(target, source, MODE_NOQUANT, 12, 16);
    insn.field[FIXPIPE_layout] = LAYOUT_NZ2DN;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 2);
    assert_string_equal(rig.message,
                        "fixpipe: mSize gives columns of 48 bytes; expected a multiple of 32");
    insn = store_of(target, source, MODE_F322F16, 16, 32);
    insn.field[FIXPIPE_layout] = LAYOUT_NZ;
    insn.field[FIXPIPE_dstStride] = 264;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 3);
    assert_string_equal(
        rig.message,
        "fixpipe: dstStride puts column groups 528 bytes apart; expected a multiple of 32");
    rig_deinit(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_mode_of_a_product_stores_what_it_says),
        cmocka_unit_test(test_a_mode_takes_one_type_of_l0c),
        cmocka_unit_test(test_the_type_of_l0c_follows_from_mode_and_tensor),
        cmocka_unit_test(test_a_mode_has_the_parameter_that_it_needs_and_no_other),
        cmocka_unit_test(test_words_are_there_whole_and_aligned),
        cmocka_unit_test(test_words_shift_before_950_only),
        cmocka_unit_test(test_what_fp16_cannot_hold_saturates_or_not_and_is_counted),
        cmocka_unit_test(test_stores_add_to_what_lies_in_gm),
        cmocka_unit_test(test_an_addition_wants_its_type_and_written_bytes),
        cmocka_unit_test(test_rows_that_an_addition_finds_unwritten_are_reported_once),
        cmocka_unit_test(test_bytes_have_the_sign_of_the_word_and_count_as_int8_with_several),
        cmocka_unit_test(test_additions_are_made_in_gm_only),
        cmocka_unit_test(test_blocks_in_l1_and_ub_have_32_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
