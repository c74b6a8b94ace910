/* A bias on its way from the unified buffer to L0C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/insn_check.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

static uint32_t counting(uint64_t index)
{
    return (uint32_t)index - 700;
}

static uint32_t counting_float(uint64_t index)
{
    return rig_code(ELEMENT_FP32, (int)index - 700);
}

static struct insn broadcast_of(uint32_t target, uint32_t source, enum element type, int64_t count,
                                int64_t length, int64_t source_gap, int64_t target_gap)
{
    struct insn insn;
    insn_init(&insn, OP_BROADCAST_VEC_TO_MM);
    insn.operand[BROADCAST_VEC_TO_MM_dst].region = target;
    insn.operand[BROADCAST_VEC_TO_MM_src].region = source;
    insn.field[BROADCAST_VEC_TO_MM_type] = type;
    insn.field[BROADCAST_VEC_TO_MM_blockCount] = count;
    insn.field[BROADCAST_VEC_TO_MM_blockLen] = length;
    insn.field[BROADCAST_VEC_TO_MM_srcGap] = source_gap;
    insn.field[BROADCAST_VEC_TO_MM_dstGap] = target_gap;
    return insn;
}

static void test_a_vector_fills_the_rows_of_fractals(void **state)
{
    (void)state;
    static const enum element types[] = {ELEMENT_FP16, ELEMENT_FP32, ELEMENT_INT32};
    for (size_t i = 0; i < 3; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2002);
        uint32_t size = element_bytes(types[i]);
        uint64_t pitch = 2 * 16 + 32 / size; /* two pieces and a gap of 32 bytes */
        uint32_t source = rig_filled(&rig, SPACE_UB, types[i], 3 * pitch, counting);
        uint32_t target = rig_region(&rig, SPACE_L0C, types[i], 3 * 5 * 256);
        struct insn insn = broadcast_of(target, source, types[i], 3, 2, 1, 3);
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(insn_bytes(&rig.program, &insn), 6 * 256 * size);
        assert_int_equal(rig_written_count(&rig, target), 6 * 256);
        for (uint64_t index = 0; index < 6 * 256; index++) {
            uint64_t block = index / 512, piece = index / 256 % 2;
            uint64_t to = block * 5 * 256 + index % 512;
            uint32_t code = counting(block * pitch + piece * 16 + index % 16);
            assert_int_equal(rig_load(&rig, target, to), code & (size == 2 ? 0xFFFF : UINT32_MAX));
        }
        rig_deinit(&rig);
    }
}

/* The vendor's way to a bias: for each row of fractals of an m x n block one instruction that puts
 * the pieces of 16 columns one column of fractals apart. Then Mmad adds to it. */
static void test_mmad_adds_to_a_bias_that_was_broadcast(void **state)
{
    (void)state;
    enum { M = 32, N = 48 };
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t bias = rig_filled(&rig, SPACE_UB, ELEMENT_FP32, N, counting_float);
    uint32_t c = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, M * N);
    for (uint64_t row = 0; row < M / 16; row++) {
        struct insn insn = broadcast_of(c, bias, ELEMENT_FP32, N / 16, 1, 0, M / 16 - 1);
        insn.operand[BROADCAST_VEC_TO_MM_dst].offset = row * 256 * 4;
        access_check_apply(&rig, &insn);
    }
    uint32_t a = rig_region(&rig, SPACE_L0A, ELEMENT_FP16, M * 16);
    uint32_t b = rig_region(&rig, SPACE_L0B, ELEMENT_FP16, 16 * N);
    for (uint64_t index = 0; index < M * 16; index++) {
        rig_store(&rig, a, index, rig_code(ELEMENT_FP16, 1));
    }
    for (uint64_t index = 0; index < 16 * N; index++) {
        rig_store(&rig, b, index, rig_code(ELEMENT_FP16, 2));
    }
    struct insn insn;
    insn_init(&insn, OP_MMAD);
    insn.operand[MMAD_dst].region = c;
    insn.operand[MMAD_a].region = a;
    insn.operand[MMAD_b].region = b;
    insn.field[MMAD_type] = insn.field[MMAD_typeB] = ELEMENT_FP16;
    insn.field[MMAD_typeC] = ELEMENT_FP32;
    insn.field[MMAD_m] = M;
    insn.field[MMAD_n] = N;
    insn.field[MMAD_k] = 16;
    insn.field[MMAD_cmatrixInitVal] = 0;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (uint64_t index = 0; index < M * N; index++) {
        uint64_t column = index / (M * 16) * 16 + index % 16;
        assert_int_equal(rig_load(&rig, c, index), rig_code(ELEMENT_FP32, (int)column - 700 + 32));
    }
    rig_deinit(&rig);
}

static void test_a_broadcast_stays_in_its_memories(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = rig_filled(&rig, SPACE_UB, ELEMENT_FP32, 40, counting);
    uint32_t target = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 1024);
    struct insn insn = broadcast_of(target, source, ELEMENT_FP32, 2, 1, 1, 2);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    rig_written(&rig, source)[4 * 25] = 0; /* column 1 of the second piece */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 2 * 256 - 16);
    rig.region[source].size_bytes--;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    rig.region[source].size_bytes++;
    rig.region[target].size_bytes--;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
    insn = broadcast_of(target, source, ELEMENT_FP32, 1, 1, 0, 0);
    insn.operand[BROADCAST_VEC_TO_MM_dst].offset = 512;
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 1);
    struct insn_problem problem;
    insn.field[BROADCAST_VEC_TO_MM_blockCount] = 0;
    assert_false(insn_check(&rig.program, &insn, &problem));
    rig.program.arch = ARCH_1001;
    insn.field[BROADCAST_VEC_TO_MM_blockCount] = 1;
    assert_false(insn_check(&rig.program, &insn, &problem));
    rig_deinit(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_vector_fills_the_rows_of_fractals),
        cmocka_unit_test(test_mmad_adds_to_a_bias_that_was_broadcast),
        cmocka_unit_test(test_a_broadcast_stays_in_its_memories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
