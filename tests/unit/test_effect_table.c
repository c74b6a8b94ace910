/* Bias to the bias table and quantisation words to the fixpipe buffer (docs/isa.md section 4). */
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

static struct insn load_of(enum opcode opcode, uint32_t target, uint32_t source)
{
    struct insn insn;
    insn_init(&insn, opcode);
    insn.operand[LOAD_BT_dst].region = target;
    insn.operand[LOAD_BT_src].region = source;
    return insn;
}

/* Blocks of 128 bytes, 96 bytes apart in L1 and a unit of the table apart behind it. */
static void test_bias_moves_in_blocks_whose_unit_is_the_product_s(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        int64_t length;
        uint64_t gap; /* elements of the table between blocks */
    } cases[] = {{ARCH_2201, 2, 16}, {ARCH_3510, 4, 8}};
    for (size_t i = 0; i < 2; i++) {
        struct rig rig;
        rig_init(&rig, cases[i].arch);
        uint32_t l1 = rig_filled(&rig, SPACE_L1, ELEMENT_INT32, 3 * 32 + 2 * 24, counting);
        uint32_t bt = rig_region(&rig, SPACE_BT, ELEMENT_INT32, 3 * 32 + 2 * cases[i].gap);
        struct insn insn = load_of(OP_LOAD_BT, bt, l1);
        insn.field[LOAD_BT_type] = ELEMENT_INT32;
        insn.field[LOAD_BT_blockCount] = 3;
        insn.field[LOAD_BT_blockLen] = cases[i].length;
        insn.field[LOAD_BT_srcGap] = 3;
        insn.field[LOAD_BT_dstGap] = 1;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t index = 0; index < 3 * 32 + 2 * cases[i].gap; index++) {
            uint64_t block = index / (32 + cases[i].gap), lane = index % (32 + cases[i].gap);
            assert_int_equal(rig_is_written(&rig, bt, index), lane < 32);
            if (lane < 32)
                assert_int_equal(rig_load(&rig, bt, index), counting(block * (32 + 24) + lane));
        }
        assert_int_equal(insn_bytes(&rig.program, &insn), 3 * 128);
        rig_deinit(&rig);
    }
}

static uint32_t half_codes(uint64_t index)
{
    return 0x3C00 + (uint32_t)index * 0x123 % 0x4000; /* 1 and more, no two alike */
}

static void test_16_bit_bias_becomes_fp32_on_its_way(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        enum element type;
    } cases[] = {{ARCH_2201, ELEMENT_FP16}, {ARCH_3510, ELEMENT_FP16}, {ARCH_3510, ELEMENT_BF16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, cases[i].arch);
        uint32_t l1 = rig_filled(&rig, SPACE_L1, ELEMENT_FP16, 64, half_codes);
        uint32_t bt = rig_region(&rig, SPACE_BT, ELEMENT_FP32, 64);
        struct insn insn = load_of(OP_LOAD_BT, bt, l1);
        insn.field[LOAD_BT_type] = cases[i].type;
        insn.field[LOAD_BT_blockLen] = cases[i].arch == ARCH_3510 ? 4 : 2;
        rig_written(&rig, l1)[2 * 40 + 1] = 0; /* half of an element is not known */
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t index = 0; index < 64; index++) {
            double value = element_decode(cases[i].type, half_codes(index));
            uint32_t code = rig_load(&rig, bt, index);
            assert_true(element_decode(ELEMENT_FP32, code) == value);
            assert_int_equal(rig_is_written(&rig, bt, index), index != 40);
        }
        assert_int_equal(insn_bytes(&rig.program, &insn), 256);
        rig_deinit(&rig);
    }
}

/* Words of 8 bytes as pairs of 4. Blocks of 128 bytes, on 950 of 64; both gaps count from head to
 * head, those of the buffer 128 bytes. */
static void test_quantisation_words_move_from_head_to_head(void **state)
{
    (void)state;
    for (int is950 = 0; is950 < 2; is950++) {
        struct rig rig;
        rig_init(&rig, is950 ? ARCH_3510 : ARCH_2201);
        uint64_t length = is950 ? 16 : 32;
        uint32_t l1 = rig_filled(&rig, SPACE_L1, ELEMENT_UINT32, 2 * 40 + length, counting);
        uint32_t fb = rig_region(&rig, SPACE_FB, ELEMENT_UINT32, 2 * 64 + length);
        struct insn insn = load_of(OP_LOAD_FB, fb, l1);
        insn.field[LOAD_FB_blockCount] = 3;
        insn.field[LOAD_FB_blockLen] = 1;
        insn.field[LOAD_FB_srcGap] = 5; /* 40 elements */
        insn.field[LOAD_FB_dstGap] = 2; /* 64 elements */
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t index = 0; index < 2 * 64 + length; index++) {
            bool moved = index % 64 < length;
            assert_int_equal(rig_is_written(&rig, fb, index), moved);
            if (moved)
                assert_int_equal(rig_load(&rig, fb, index), counting(index / 64 * 40 + index % 64));
        }
        assert_int_equal(insn_bytes(&rig.program, &insn), 3 * length * 4);
        insn.field[LOAD_FB_srcGap] = insn.field[LOAD_FB_dstGap] = 0; /* one over the other */
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_load(&rig, fb, 0), counting(0));
        assert_int_equal(rig_hazards(&rig), 0);
        rig_deinit(&rig);
    }
}

static void test_tables_take_whole_units_in_their_place(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_3510);
    uint32_t l1 = rig_filled(&rig, SPACE_L1, ELEMENT_INT32, 64, counting);
    uint32_t bt = rig_region(&rig, SPACE_BT, ELEMENT_INT32, 48);
    uint32_t fb = rig_region(&rig, SPACE_FB, ELEMENT_INT32, 64);
    struct insn bias = load_of(OP_LOAD_BT, bt, l1), words = load_of(OP_LOAD_FB, fb, l1);
    bias.field[LOAD_BT_blockLen] = 3;
    effect_apply(&rig.machine, &bias);
    assert_string_equal(rig.message, "load_bt: blockLen is 3; expected an even number");
    bias.field[LOAD_BT_blockLen] = 8;
    effect_apply(&rig.machine, &bias);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
    bias.field[LOAD_BT_blockCount] = 0;
    effect_apply(&rig.machine, &bias);
    bias.field[LOAD_BT_blockCount] = 1;
    bias.field[LOAD_BT_blockLen] = 0;
    effect_apply(&rig.machine, &bias);
    words.field[LOAD_FB_blockCount] = 0;
    effect_apply(&rig.machine, &words);
    assert_int_equal(rig_written_count(&rig, bt) + rig_written_count(&rig, fb), 0);
    assert_int_equal(rig_hazards(&rig), 2);
    bias.field[LOAD_BT_blockLen] = 2;
    bias.operand[LOAD_BT_dst].offset = 32;
    effect_apply(&rig.machine, &bias);
    assert_string_equal(rig.message, "load_bt: dst lies at byte 32 of bt; expected a multiple of "
                                     "64");
    words.field[LOAD_FB_blockCount] = 1;
    words.operand[LOAD_FB_dst].offset = 32;
    effect_apply(&rig.machine, &words);
    assert_string_equal(rig.message, "load_fb: dst lies at byte 32 of fb; expected a multiple of "
                                     "64");
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 2);
    assert_int_equal(rig.notes, 0);
    assert_int_equal(rig_written_count(&rig, bt) + rig_written_count(&rig, fb), 32);
    words.operand[LOAD_FB_dst].offset = 64;
    effect_apply(&rig.machine, &words);
    assert_string_equal(rig.message, "load_fb: dst lies at byte 64 of fb; the page of the "
                                     "instruction asks for a multiple of 64, the general table for "
                                     "one of 128");
    words.operand[LOAD_FB_dst].offset = 128;
    effect_apply(&rig.machine, &words);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 2);
    assert_int_equal(rig.notes, 1);
    rig_deinit(&rig);
}

static void test_a_bias_of_bf16_needs_a_950(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    struct insn insn = load_of(OP_LOAD_BT, rig_region(&rig, SPACE_BT, ELEMENT_FP32, 32),
                               rig_filled(&rig, SPACE_L1, ELEMENT_BF16, 32, half_codes));
    insn.field[LOAD_BT_type] = ELEMENT_BF16;
    effect_apply(&rig.machine, &insn);
    assert_string_equal(rig.message, "load_bt: load_bt takes no bf16 to bt on dav-2201; expected "
                                     "fp16, fp32, int32");
    rig_deinit(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bias_moves_in_blocks_whose_unit_is_the_product_s),
        cmocka_unit_test(test_16_bit_bias_becomes_fp32_on_its_way),
        cmocka_unit_test(test_quantisation_words_move_from_head_to_head),
        cmocka_unit_test(test_tables_take_whole_units_in_their_place),
        cmocka_unit_test(test_a_bias_of_bf16_needs_a_950),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
