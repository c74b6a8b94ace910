/* The way out of L0C by the vector unit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/float_bits.h"
#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

enum { BLOCKS = 2, FRACTALS = 3, SOURCE_GAP = 2, SOURCE = (2 * FRACTALS + SOURCE_GAP) * 256 };

static int64_t word_of(float scale, int offset, int shift, bool shifts, bool is_signed)
{
    return (int64_t)(float_to_bits(scale) | (uint64_t)(shift - 1) << 32 | (uint64_t)shifts << 36 |
                     (uint64_t)((unsigned)offset & 0x1FF) << 37 | (uint64_t)is_signed << 46);
}

static uint32_t counting(uint64_t index)
{
    return (uint32_t)index - 700;
}

static uint32_t counting_float(uint64_t index)
{
    return rig_code(ELEMENT_FP32, (int)index - 700);
}

static uint32_t counting_half(uint64_t index)
{
    return rig_code(ELEMENT_FP16, (int)index - 700);
}

/* Two blocks of three fractals, with gaps on both sides. */
static struct insn exit_of(uint32_t target, uint32_t source, enum element type, enum insn_deq scale,
                           enum element stored)
{
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY_L0C2UB);
    insn.operand[DATA_COPY_L0C2UB_dst].region = target;
    insn.operand[DATA_COPY_L0C2UB_src].region = source;
    insn.field[DATA_COPY_L0C2UB_type] = type;
    insn.field[DATA_COPY_L0C2UB_dstType] = stored;
    insn.field[DATA_COPY_L0C2UB_deqScale] = scale;
    insn.field[DATA_COPY_L0C2UB_blockCount] = BLOCKS;
    insn.field[DATA_COPY_L0C2UB_blockLen] = FRACTALS;
    insn.field[DATA_COPY_L0C2UB_srcGap] = SOURCE_GAP;
    insn.field[DATA_COPY_L0C2UB_dstGap] = 1;
    return insn;
}

static uint32_t source_of(struct rig *rig, enum element type)
{
    return rig_filled(rig, SPACE_L0C, type, SOURCE,
                      type == ELEMENT_INT32  ? counting
                      : type == ELEMENT_FP32 ? counting_float
                                             : counting_half);
}

/* Elements of the destination, with what a gap of 32 bytes is in them. */
static uint64_t target_count(enum element stored)
{
    return 2 * FRACTALS * 256 + 32 / element_bytes(stored);
}

/* Calls check for every element: where it lies in the destination, its number in L0C, its block. */
static void each_element(struct rig *rig, uint32_t target, enum element stored,
                         uint32_t (*expected)(int64_t value, uint64_t block, uint64_t column))
{
    for (uint64_t block = 0; block < BLOCKS; block++) {
        for (uint64_t index = 0; index < FRACTALS * 256; index++) {
            uint64_t from = block * (FRACTALS + SOURCE_GAP) * 256 + index;
            uint64_t to = block * (FRACTALS * 256 + 32 / element_bytes(stored)) + index;
            assert_true(rig_is_written(rig, target, to));
            assert_int_equal(rig_load(rig, target, to),
                             expected((int64_t)from - 700, block, index % 16));
        }
    }
    assert_int_equal(rig_written_count(rig, target), BLOCKS * FRACTALS * 256);
}

static uint32_t as_int32(int64_t value, uint64_t block, uint64_t column)
{
    (void)block;
    (void)column;
    return (uint32_t)value;
}

static uint32_t as_fp32(int64_t value, uint64_t block, uint64_t column)
{
    (void)block;
    (void)column;
    return rig_code(ELEMENT_FP32, (int)value);
}

static uint32_t as_fp16(int64_t value, uint64_t block, uint64_t column)
{
    (void)block;
    (void)column;
    return rig_code(ELEMENT_FP16, (int)value);
}

static uint32_t as_positive_fp16(int64_t value, uint64_t block, uint64_t column)
{
    return as_fp16(value > 0 ? value : 0, block, column);
}

static void test_fractals_move_as_they_are_or_as_fp16(void **state)
{
    (void)state;
    static const struct {
        enum element type, stored;
        uint32_t (*expected)(int64_t value, uint64_t block, uint64_t column);
        int64_t relu;
    } cases[] = {
        {ELEMENT_INT32, ELEMENT_INT32, as_int32, 0},
        {ELEMENT_FP32, ELEMENT_FP32, as_fp32, 0},
        {ELEMENT_FP16, ELEMENT_FP16, as_fp16, 0},
        {ELEMENT_FP32, ELEMENT_FP16, as_fp16, 0},
        {ELEMENT_FP32, ELEMENT_FP16, as_positive_fp16, 1},
        {ELEMENT_FP16, ELEMENT_FP16, as_positive_fp16, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, i % 2 == 0 ? ARCH_2002 : ARCH_1001);
        uint32_t source = source_of(&rig, cases[i].type);
        uint32_t target =
            rig_region(&rig, SPACE_UB, cases[i].stored, target_count(cases[i].stored));
        struct insn insn = exit_of(target, source, cases[i].type, DEQ_NONE, cases[i].stored);
        insn.field[DATA_COPY_L0C2UB_isRelu] = cases[i].relu;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        each_element(&rig, target, cases[i].stored, cases[i].expected);
        assert_int_equal(insn_bytes(&rig.program, &insn),
                         BLOCKS * FRACTALS * 256 * element_bytes(cases[i].stored));
        rig_deinit(&rig);
    }
}

/* Scale of a column of a block, exact in fp16. */
static float column_scale(uint64_t block, uint64_t column)
{
    return 0.25F + (float)(block * 16 + column) / 64.0F;
}

static uint32_t halved(int64_t value, uint64_t block, uint64_t column)
{
    (void)block;
    (void)column;
    return element_encode(ELEMENT_FP16, (float)value * 0.5F, true);
}

static uint32_t by_columns(int64_t value, uint64_t block, uint64_t column)
{
    return element_encode(ELEMENT_FP16, (float)value * column_scale(block, column), true);
}

/* Words of both blocks, of 2 or 8 bytes each. */
static uint32_t words_of(struct rig *rig, uint32_t size, int shift, bool is_signed)
{
    uint32_t words = rig_region(rig, SPACE_UB, ELEMENT_UINT8, BLOCKS * 16 * size);
    for (uint64_t index = 0; index < BLOCKS * 16; index++) {
        float scale = column_scale(index / 16, index % 16);
        int64_t word = size == 2 ? element_encode(ELEMENT_FP16, scale, true)
                                 : word_of(scale, (int)index - 9, shift, true, is_signed);
        memcpy(rig_bytes(rig, words) + index * size, &word, size);
        memset(rig_written(rig, words) + index * size, 1, size);
    }
    return words;
}

static void test_int32_becomes_fp16_by_a_scale_of_fp16(void **state)
{
    (void)state;
    for (int vector = 0; vector < 2; vector++) {
        struct rig rig;
        rig_init(&rig, ARCH_2002);
        uint32_t source = source_of(&rig, ELEMENT_INT32);
        uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_FP16, target_count(ELEMENT_FP16));
        struct insn insn =
            exit_of(target, source, ELEMENT_INT32, vector ? DEQ_VFP16 : DEQ_FP16, ELEMENT_FP16);
        if (vector) {
            insn.operand[DATA_COPY_L0C2UB_deqTensorAddr].region = words_of(&rig, 2, 1, false);
        } else {
            insn.field[DATA_COPY_L0C2UB_deqValue] = 0x3800; /* 0.5 */
        }
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        each_element(&rig, target, ELEMENT_FP16, vector ? by_columns : halved);
        rig_deinit(&rig);
    }
}

static uint32_t shifted_fp16(int64_t value, uint64_t block, uint64_t column)
{
    return by_columns((int64_t)floor((double)value / 8), block, column);
}

static uint32_t shifted_int16(int64_t value, uint64_t block, uint64_t column)
{
    (void)block;
    (void)column;
    return (uint32_t)(int)floor((double)value / 8) & 0xFFFF;
}

static uint32_t shifted_int8(int64_t value, uint64_t block, uint64_t column)
{
    double shifted = floor((double)value / 8) * (double)column_scale(block, column);
    double sum = fmin(fmax(nearbyint(shifted), -256), 255) + (double)(block * 16 + column) - 9;
    return (uint32_t)(int)fmin(fmax(sum, -128), 127) & 0xFF;
}

static uint32_t shifted_uint8(int64_t value, uint64_t block, uint64_t column)
{
    double shifted = floor((double)value / 8) * (double)column_scale(block, column);
    double sum = fmin(fmax(nearbyint(shifted), -256), 255) + (double)(block * 16 + column) - 9;
    return (uint32_t)(int)fmin(fmax(sum, 0), 255);
}

static void test_words_of_columns_shift_scale_and_offset(void **state)
{
    (void)state;
    static const struct {
        enum insn_deq scale;
        enum element stored;
        uint32_t (*expected)(int64_t value, uint64_t block, uint64_t column);
    } cases[] = {
        {DEQ_VB16, ELEMENT_FP16, shifted_fp16},
        {DEQ_VB16, ELEMENT_INT16, shifted_int16},
        {DEQ_VB8, ELEMENT_INT8, shifted_int8},
        {DEQ_VB8, ELEMENT_UINT8, shifted_uint8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2002);
        uint32_t source = source_of(&rig, ELEMENT_INT32);
        uint32_t target =
            rig_region(&rig, SPACE_UB, cases[i].stored, target_count(cases[i].stored));
        struct insn insn = exit_of(target, source, ELEMENT_INT32, cases[i].scale, cases[i].stored);
        insn.field[DATA_COPY_L0C2UB_sidStoreMode] = element_bits(cases[i].stored) == 8 ? 2 : 0;
        insn.operand[DATA_COPY_L0C2UB_deqTensorAddr].region = words_of(&rig, 8, 3, false);
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        each_element(&rig, target, cases[i].stored, cases[i].expected);
        rig_deinit(&rig);
    }
}

/* Rows of 16 bytes in the halves of 32: two groups of 16 columns become one of 32. */
static void test_two_stores_of_bytes_fill_the_halves_of_a_block(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = source_of(&rig, ELEMENT_INT32);
    uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_INT8, 2 * 512);
    struct insn insn = exit_of(target, source, ELEMENT_INT32, DEQ_B8, ELEMENT_INT8);
    insn.field[DATA_COPY_L0C2UB_deqValue] = word_of(0.125F, 0, 1, false, true);
    insn.field[DATA_COPY_L0C2UB_blockCount] = 1;
    insn.field[DATA_COPY_L0C2UB_blockLen] = 2;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_written_count(&rig, target), 512);
    assert_true(rig_is_written(&rig, target, 15));
    assert_false(rig_is_written(&rig, target, 16));
    insn.operand[DATA_COPY_L0C2UB_src].offset = 2 * 1024;
    insn.field[DATA_COPY_L0C2UB_sidStoreMode] = 1;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 1024);
    for (uint64_t index = 0; index < 1024; index++) {
        uint64_t row = index / 32, lane = index % 32;
        int64_t value = (int64_t)(lane / 16 * 512 + row * 16 + lane % 16) - 700;
        double rounded = fmin(fmax(nearbyint((double)value / 8), -128), 127);
        assert_int_equal(rig_load(&rig, target, index), (uint32_t)(int)rounded & 0xFF);
    }
    rig_deinit(&rig);
}

/* The last row of the lower half reaches 16 bytes less far. */
static void test_footprints_end_with_the_last_element(void **state)
{
    (void)state;
    for (int64_t mode = 0; mode < 3; mode++) {
        struct rig rig;
        rig_init(&rig, ARCH_1001);
        uint32_t source = source_of(&rig, ELEMENT_INT32);
        uint64_t end = mode == 0 ? 512 - 16 : mode == 1 ? 512 : 256;
        uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_UINT8, end);
        struct insn insn = exit_of(target, source, ELEMENT_INT32, DEQ_B8, ELEMENT_UINT8);
        insn.field[DATA_COPY_L0C2UB_deqValue] = word_of(1, 0, 1, false, false);
        insn.field[DATA_COPY_L0C2UB_sidStoreMode] = mode;
        insn.field[DATA_COPY_L0C2UB_blockCount] = insn.field[DATA_COPY_L0C2UB_blockLen] = 1;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        rig.region[target].size_bytes--;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
        rig.region[target].size_bytes++;
        rig.region[source].size_bytes = 1023;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
        rig_deinit(&rig);
    }
}

static void test_words_of_one_value(void **state)
{
    (void)state;
    int64_t relu = INT64_C(1) << 47;
    const struct {
        enum insn_deq scale;
        enum element type, stored;
        int64_t word, relu;
        int value;
        uint32_t code;
    } cases[] = {
        {DEQ_B8, ELEMENT_INT32, ELEMENT_INT8, word_of(0.5F, 0, 1, false, true), 0, -3, 0xFE},
        {DEQ_B8, ELEMENT_INT32, ELEMENT_INT8, word_of(0.5F, 3, 1, false, true) | relu, 0, -9, 3},
        {DEQ_B8, ELEMENT_INT32, ELEMENT_INT8, word_of(0.5F, 3, 1, false, true), 1, -9, 3},
        {DEQ_B8, ELEMENT_INT32, ELEMENT_INT8, word_of(1, 0, 1, false, false), 0, 200, 127},
        {DEQ_B8, ELEMENT_INT32, ELEMENT_UINT8, word_of(1, 0, 1, false, false), 0, 200, 200},
        /* All bits of the scale count: 200 * 1.0026 is 200.52. */
        {DEQ_B8, ELEMENT_INT32, ELEMENT_UINT8, word_of(1.0026F, 0, 1, false, false), 0, 200, 201},
        {DEQ_B16, ELEMENT_INT32, ELEMENT_FP16, word_of(0.5F, 9, 1, false, true), 0, -3, 0xBE00},
        {DEQ_B16, ELEMENT_INT32, ELEMENT_FP16, word_of(0.5F, 9, 1, true, true), 0, -3, 0xBC00},
        {DEQ_B16, ELEMENT_INT32, ELEMENT_FP16, word_of(0.5F, 0, 1, false, true) | relu, 0, -3, 0},
        {DEQ_B16, ELEMENT_INT32, ELEMENT_INT16, 0, 0, -3, 0xFFFE},
        {DEQ_B16, ELEMENT_INT32, ELEMENT_INT16, word_of(0, 0, 2, false, false), 0, 200000, 0x7FFF},
        {DEQ_B16, ELEMENT_INT32, ELEMENT_INT16, relu, 0, -3, 0},
        {DEQ_FP16, ELEMENT_FP16, ELEMENT_FP16, 0x4200, 0, 5, 0x4B80}, /* 3 */
        {DEQ_FP16, ELEMENT_INT32, ELEMENT_FP16, 0x7BFF, 0, 70000, 0x7BFF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2002);
        uint32_t source = rig_region(&rig, SPACE_L0C, cases[i].type, 256);
        for (uint64_t index = 0; index < 256; index++) {
            rig_store(&rig, source, index,
                      rig_code(cases[i].type, index == 37 ? cases[i].value : 0));
        }
        uint32_t target = rig_region(&rig, SPACE_UB, cases[i].stored, 512);
        struct insn insn = exit_of(target, source, cases[i].type, cases[i].scale, cases[i].stored);
        insn.field[DATA_COPY_L0C2UB_deqValue] = cases[i].word;
        insn.field[DATA_COPY_L0C2UB_isRelu] = cases[i].relu;
        insn.field[DATA_COPY_L0C2UB_sidStoreMode] = element_bits(cases[i].stored) == 8 ? 2 : 0;
        insn.field[DATA_COPY_L0C2UB_blockCount] = insn.field[DATA_COPY_L0C2UB_blockLen] = 1;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_load(&rig, target, 37), cases[i].code);
        rig_deinit(&rig);
    }
}

static void test_what_nobody_wrote_stays_unwritten(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = source_of(&rig, ELEMENT_FP32);
    uint32_t target = rig_filled(&rig, SPACE_UB, ELEMENT_FP16, 256, counting_half);
    rig_store(&rig, source, 37, float_to_bits(1e30F)); /* nor does it count as saturated */
    rig_written(&rig, source)[4 * 37 + 2] = 0;
    struct insn insn = exit_of(target, source, ELEMENT_FP32, DEQ_NONE, ELEMENT_FP16);
    insn.field[DATA_COPY_L0C2UB_blockCount] = insn.field[DATA_COPY_L0C2UB_blockLen] = 1;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 255);
    assert_false(rig_is_written(&rig, target, 37));
    assert_int_equal(rig.machine.saturated, 0);
    rig_written(&rig, source)[4 * 37 + 2] = 1;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.machine.saturated, 1);
    rig_deinit(&rig);
}

/* The results of the first block lie over the words of the second. */
static void test_words_hold_as_they_were_when_the_copy_began(void **state)
{
    (void)state;
    static const struct {
        enum insn_deq scale;
        uint32_t size;
        uint32_t (*expected)(int64_t value, uint64_t block, uint64_t column);
    } cases[] = {{DEQ_VB16, 8, shifted_fp16}, {DEQ_VFP16, 2, by_columns}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2002);
        uint32_t source = source_of(&rig, ELEMENT_INT32);
        uint32_t words = words_of(&rig, cases[i].size, 3, false);
        uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_FP16, target_count(ELEMENT_FP16));
        struct insn insn = exit_of(target, source, ELEMENT_INT32, cases[i].scale, ELEMENT_FP16);
        insn.operand[DATA_COPY_L0C2UB_deqTensorAddr].region = words;
        rig.region[target].base_bytes = rig.region[words].base_bytes;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        each_element(&rig, target, ELEMENT_FP16, cases[i].expected);
        rig_deinit(&rig);
    }
}

static void test_nothing_moves_of_no_block(void **state)
{
    (void)state;
    static const int fields[] = {DATA_COPY_L0C2UB_blockCount, DATA_COPY_L0C2UB_blockLen};
    for (size_t i = 0; i < 2; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2002);
        uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 1);
        uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_FP32, 1);
        struct insn insn = exit_of(target, source, ELEMENT_FP32, DEQ_NONE, ELEMENT_FP32);
        insn.field[fields[i]] = 0;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        rig_deinit(&rig);
    }
}

static void expect_contradiction(enum insn_deq scale, enum element stored, int64_t word,
                                 bool vector, const char *message)
{
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = source_of(&rig, ELEMENT_INT32);
    uint32_t target = rig_region(&rig, SPACE_UB, stored, 4096);
    uint32_t words = words_of(&rig, 8, 3, false);
    struct insn insn = exit_of(target, source, ELEMENT_INT32, scale, stored);
    insn.field[DATA_COPY_L0C2UB_deqValue] = word;
    insn.operand[DATA_COPY_L0C2UB_deqTensorAddr].region = vector ? words : REGION_NONE;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_int_equal(rig_written_count(&rig, target), 0);
    assert_string_equal(rig.message, message);
    rig_deinit(&rig);
}

static void test_contradicting_fields_are_reported(void **state)
{
    (void)state;
    expect_contradiction(DEQ_NONE, ELEMENT_INT32, 1, false,
                         "data_copy_l0c2ub: deqValue is given with a deqScale that takes none");
    expect_contradiction(DEQ_B8, ELEMENT_INT8, 0, false,
                         "data_copy_l0c2ub: deqValue is 0; expected a word");
    expect_contradiction(DEQ_FP16, ELEMENT_FP16, 0x10000, false,
                         "data_copy_l0c2ub: deqValue has more than the 16 bits of an fp16 code");
    expect_contradiction(
        DEQ_B8, ELEMENT_INT8, 1 << 23, true,
        "data_copy_l0c2ub: deqTensorAddr is given with a deqScale that takes none");
    expect_contradiction(DEQ_VB8, ELEMENT_INT8, 0, false,
                         "data_copy_l0c2ub: deqTensorAddr is not given; expected 16 words a block");
    expect_contradiction(DEQ_B16, ELEMENT_FP16, 0x7F800000, false,
                         "data_copy_l0c2ub: a scale is no number that the unit takes; expected "
                         "neither infinity, NaN nor denormal");
}

static void test_words_are_there_whole(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = source_of(&rig, ELEMENT_INT32);
    uint32_t target = rig_region(&rig, SPACE_UB, ELEMENT_FP16, 4096);
    uint32_t words = words_of(&rig, 8, 3, false);
    struct insn insn = exit_of(target, source, ELEMENT_INT32, DEQ_VB16, ELEMENT_FP16);
    insn.operand[DATA_COPY_L0C2UB_deqTensorAddr].region = words;
    rig.region[words].size_bytes--;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    rig.region[words].size_bytes++;
    rig_written(&rig, words)[200] = 0;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_UNINITIALIZED], 1);
    assert_string_equal(
        rig.message,
        "data_copy_l0c2ub: deqTensorAddr has bytes that were never written, first at 200");
    rig_deinit(&rig);
}

static void expect_refused(enum arch arch, enum element type, enum insn_deq scale,
                           enum element stored, int64_t mode, const char *reason)
{
    struct rig rig;
    rig_init(&rig, arch);
    uint32_t source = rig_region(&rig, SPACE_L0C, type, 256);
    uint32_t target = rig_region(&rig, SPACE_UB, stored, 256);
    struct insn insn = exit_of(target, source, type, scale, stored);
    insn.field[DATA_COPY_L0C2UB_sidStoreMode] = mode;
    struct insn_problem problem;
    assert_false(insn_check(&rig.program, &insn, &problem));
    assert_string_equal(problem.message, reason);
    rig_deinit(&rig);
}

static void test_conversions_take_and_make_their_types(void **state)
{
    (void)state;
    expect_refused(ARCH_2002, ELEMENT_FP32, DEQ_B8, ELEMENT_INT8, 0,
                   "type is fp32; deqScale DEQ8 takes int32");
    expect_refused(ARCH_2002, ELEMENT_FP32, DEQ_FP16, ELEMENT_FP16, 0,
                   "type is fp32; deqScale DEQ takes int32 or fp16");
    expect_refused(ARCH_2002, ELEMENT_INT32, DEQ_B8, ELEMENT_FP16, 0,
                   "dstType is fp16; deqScale DEQ8 makes int8 or uint8 of int32");
    expect_refused(ARCH_2002, ELEMENT_INT32, DEQ_NONE, ELEMENT_FP16, 0,
                   "dstType is fp16; deqScale DEQ_NONE makes int32 of int32");
    expect_refused(ARCH_2002, ELEMENT_FP32, DEQ_NONE, ELEMENT_BF16, 0,
                   "dstType is bf16; deqScale DEQ_NONE makes fp16 or fp32 of fp32");
    expect_refused(ARCH_1001, ELEMENT_FP32, DEQ_NONE, ELEMENT_FP16, 1,
                   "sidStoreMode is 1 with fp16; expected 0");
    expect_refused(
        ARCH_2201, ELEMENT_FP32, DEQ_NONE, ELEMENT_FP16, 0,
        "found data_copy_l0c2ub on dav-2201 (Atlas A2, A3); expected a product of dav-1001 "
        "(Atlas training), dav-2002 (Atlas inference)");
}

static void test_types_follow_from_the_conversion(void **state)
{
    (void)state;
    const struct {
        enum insn_deq scale;
        int64_t word;
        enum element type, stored;
    } cases[] = {
        {DEQ_NONE, 0, ELEMENT_FP32, ELEMENT_FP32},
        {DEQ_FP16, 0x3C00, ELEMENT_INT32, ELEMENT_FP16},
        {DEQ_VFP16, 0, ELEMENT_INT32, ELEMENT_FP16},
        {DEQ_B8, word_of(1, 0, 1, false, true), ELEMENT_INT32, ELEMENT_INT8},
        {DEQ_B8, word_of(1, 0, 1, false, false), ELEMENT_INT32, ELEMENT_UINT8},
        {DEQ_VB8, 0, ELEMENT_INT32, ELEMENT_INT8},
        {DEQ_B16, word_of(1, 0, 1, false, false), ELEMENT_INT32, ELEMENT_FP16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2002);
        struct insn insn = exit_of(0, 0, ELEMENT_BF16, cases[i].scale, ELEMENT_BF16);
        insn.field[DATA_COPY_L0C2UB_deqValue] = cases[i].word;
        insn_imply(&rig.program, &insn, 0);
        assert_int_equal(insn.field[DATA_COPY_L0C2UB_type], cases[i].type);
        assert_int_equal(insn.field[DATA_COPY_L0C2UB_dstType], cases[i].stored);
        rig_deinit(&rig);
    }
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    struct insn insn = exit_of(0, 0, ELEMENT_FP16, DEQ_NONE, ELEMENT_BF16);
    insn_imply(&rig.program, &insn, 1U << DATA_COPY_L0C2UB_type);
    assert_int_equal(insn.field[DATA_COPY_L0C2UB_dstType], ELEMENT_FP16);
    rig_deinit(&rig);
}

static void test_l0c_is_read_from_the_start_of_a_fractal(void **state)
{
    (void)state;
    static const struct {
        enum element type;
        uint64_t offset;
        uint32_t misaligned;
    } cases[] = {{ELEMENT_FP16, 512, 0}, {ELEMENT_FP16, 256, 1}, {ELEMENT_FP32, 512, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_1001);
        uint32_t source = source_of(&rig, cases[i].type);
        uint32_t target = rig_region(&rig, SPACE_UB, cases[i].type, 256);
        struct insn insn = exit_of(target, source, cases[i].type, DEQ_NONE, cases[i].type);
        insn.field[DATA_COPY_L0C2UB_blockCount] = insn.field[DATA_COPY_L0C2UB_blockLen] = 1;
        insn.operand[DATA_COPY_L0C2UB_src].offset = cases[i].offset;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig.hazards[HAZARD_MISALIGNED], cases[i].misaligned);
        rig_deinit(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fractals_move_as_they_are_or_as_fp16),
        cmocka_unit_test(test_int32_becomes_fp16_by_a_scale_of_fp16),
        cmocka_unit_test(test_words_of_columns_shift_scale_and_offset),
        cmocka_unit_test(test_two_stores_of_bytes_fill_the_halves_of_a_block),
        cmocka_unit_test(test_footprints_end_with_the_last_element),
        cmocka_unit_test(test_words_of_one_value),
        cmocka_unit_test(test_what_nobody_wrote_stays_unwritten),
        cmocka_unit_test(test_words_hold_as_they_were_when_the_copy_began),
        cmocka_unit_test(test_nothing_moves_of_no_block),
        cmocka_unit_test(test_contradicting_fields_are_reported),
        cmocka_unit_test(test_words_are_there_whole),
        cmocka_unit_test(test_conversions_take_and_make_their_types),
        cmocka_unit_test(test_types_follow_from_the_conversion),
        cmocka_unit_test(test_l0c_is_read_from_the_start_of_a_fractal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
