/* Copies out of the unified buffer and L1, and additions to what lies in GM. */
#include <float.h>
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
#include "isa/registers.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

static uint32_t counting(uint64_t index)
{
    return (uint32_t)index * 3 + 1;
}

static struct insn copy_of(uint32_t target, uint32_t source, int64_t count, int64_t length,
                           int64_t source_gap, int64_t target_gap)
{
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY);
    insn.operand[DATA_COPY_dst].region = target;
    insn.operand[DATA_COPY_src].region = source;
    insn.field[DATA_COPY_blockCount] = count;
    insn.field[DATA_COPY_blockLen] = length;
    insn.field[DATA_COPY_srcGap] = source_gap;
    insn.field[DATA_COPY_dstGap] = target_gap;
    return insn;
}

static void test_a_copy_runs_on_the_pipe_of_its_path(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        enum space source, target;
        enum pipe pipe; /* PIPE_ALL: refused */
    } cases[] = {
        {ARCH_2002, SPACE_GM, SPACE_L1, PIPE_MTE2}, {ARCH_1001, SPACE_GM, SPACE_UB, PIPE_MTE2},
        {ARCH_2002, SPACE_UB, SPACE_GM, PIPE_MTE3}, {ARCH_2002, SPACE_UB, SPACE_L1, PIPE_MTE3},
        {ARCH_3510, SPACE_UB, SPACE_L1, PIPE_MTE3}, {ARCH_2201, SPACE_L1, SPACE_GM, PIPE_MTE3},
        {ARCH_3510, SPACE_L1, SPACE_GM, PIPE_ALL},  {ARCH_2201, SPACE_UB, SPACE_L1, PIPE_ALL},
        {ARCH_1001, SPACE_L1, SPACE_UB, PIPE_ALL},  {ARCH_2002, SPACE_GM, SPACE_GM, PIPE_ALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        struct insn_problem problem;
        rig_init(&rig, cases[i].arch);
        uint32_t source = rig_filled(&rig, cases[i].source, ELEMENT_INT32, 16, counting);
        uint32_t target = rig_region(&rig, cases[i].target, ELEMENT_INT32, 16);
        struct insn insn = copy_of(target, source, 1, 2, 0, 0);
        bool allowed = cases[i].pipe != PIPE_ALL;
        assert_int_equal(insn_check(&rig.program, &insn, &problem), allowed);
        if (allowed) {
            assert_int_equal(insn_pipe(&rig.program, &insn), cases[i].pipe);
            access_check_apply(&rig, &insn);
            assert_int_equal(rig_hazards(&rig), 0);
            for (uint64_t index = 0; index < 16; index++) {
                assert_int_equal(rig_load(&rig, target, index), counting(index));
            }
        }
        rig_deinit(&rig);
    }
}

static void test_blocks_go_to_gm_with_their_gaps_and_count_when_stored_twice(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = rig_filled(&rig, SPACE_UB, ELEMENT_INT32, 3 * 8 + 2 * 2 * 8, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT32, 3 * 8 + 2 * 8);
    struct insn insn = copy_of(target, source, 3, 1, 2, 1);
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 24);
    for (uint64_t block = 0; block < 3; block++) {
        for (uint64_t lane = 0; lane < 8; lane++) {
            assert_int_equal(rig_load(&rig, target, block * 16 + lane),
                             counting(block * 24 + lane));
        }
    }
    assert_int_equal(rig.machine.stored_twice, 0);
    insn.field[DATA_COPY_dstGap] = 0; /* the second block falls between, the third on the second */
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.machine.stored_twice, 2 * 32);
    rig_deinit(&rig);
}

/* Bytes and not blocks: one may be partly stored. */
static void test_only_the_bytes_that_were_stored_before_count_as_stored_twice(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_L1, ELEMENT_INT32, 8, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT32, 8);
    memset(rig_written(&rig, target) + 3, 1, 5);
    rig_written(&rig, target)[30] = 1;
    struct insn insn = copy_of(target, source, 1, 1, 0, 0);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig.machine.stored_twice, 6);
    rig_deinit(&rig);
}

static void test_bytes_that_nobody_wrote_are_reported_where_they_reach_gm(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_1001);
    uint32_t source = rig_filled(&rig, SPACE_UB, ELEMENT_INT32, 16, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT32, 16);
    rig_written(&rig, source)[45] = 0;
    struct insn insn = copy_of(target, source, 1, 2, 0, 0);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_UNINITIALIZED], 1);
    assert_string_equal(rig.message,
                        "data_copy: src has bytes that were never written, first at 45");
    assert_int_equal(rig_load(&rig, target, 15), counting(15));
    rig_deinit(&rig);
}

/* Gives an instruction what the registers hold. */
static void adds(struct insn *insn, enum element element)
{
    struct registers registers;
    struct insn set;
    registers_init(&registers);
    insn_init(&set, OP_SET_ATOMIC_ADD);
    set.field[SET_ATOMIC_ADD_type] = element;
    insn_capture(&registers, &set);
    insn_capture(&registers, insn);
}

static void test_the_registers_say_whether_a_later_store_adds(void **state)
{
    (void)state;
    struct registers registers;
    struct insn set, clear, store, load;
    registers_init(&registers);
    insn_init(&set, OP_SET_ATOMIC_ADD);
    insn_init(&clear, OP_SET_ATOMIC_NONE);
    insn_init(&store, OP_DATA_COPY);
    insn_init(&load, OP_LOAD2D);
    set.field[SET_ATOMIC_ADD_type] = ELEMENT_BF16;
    insn_capture(&registers, &set);
    insn_capture(&registers, &load);
    insn_capture(&registers, &store);
    assert_int_equal(store.field[DATA_COPY_atomicAdd], 1 + ELEMENT_BF16);
    insn_capture(&registers, &clear);
    insn_capture(&registers, &store);
    assert_int_equal(store.field[DATA_COPY_atomicAdd], 0);
}

static void test_sums_are_rounded_once_in_their_type(void **state)
{
    (void)state;
    const uint32_t big = float_to_bits(FLT_MAX);
    const struct {
        enum element element;
        uint32_t old, value, sum;
    } cases[] = {
        {ELEMENT_INT8, 100, 27, 127},
        {ELEMENT_INT8, 100, 28, 127}, /* clamped */
        {ELEMENT_INT8, 0x9C, 0xE3, 0x80},
        {ELEMENT_INT16, 0x7FF0, 15, 0x7FFF},
        {ELEMENT_INT16, 0x8000, 0xFFFF, 0x8000},
        {ELEMENT_INT32, 0x7FFFFFFF, 1, 0x7FFFFFFF},
        {ELEMENT_INT32, 0xFFFFFFF0, 0x20, 0x10},
        {ELEMENT_FP16, 0x3C00, 0x1000, 0x3C00}, /* 1 + 2^-11: half an ulp, to even */
        {ELEMENT_FP16, 0x3C01, 0x1000, 0x3C02},
        {ELEMENT_FP16, 0x3C00, 0x1001, 0x3C01}, /* just above half */
        {ELEMENT_FP16, 0x7BFF, 0x7BFF, 0x7C00},
        {ELEMENT_BF16, 0x3F80, 0x3B80, 0x3F80}, /* 1 + 2^-8 */
        {ELEMENT_BF16, 0x3F81, 0x3B80, 0x3F82},
        {ELEMENT_FP32, 0x3F800000, 0x33800000, 0x3F800000}, /* 1 + 2^-24 */
        {ELEMENT_FP32, 0x3F800001, 0x33800000, 0x3F800002},
        {ELEMENT_FP32, big, big, 0x7F800000},
        {ELEMENT_FP32, 0x7F800000, 0xFF800000, 0x7FC00000},
        {ELEMENT_FP32, 0xC0A00000, 0x40A00000, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2201);
        uint64_t count = 32 / element_bytes(cases[i].element);
        uint32_t source = rig_filled(&rig, SPACE_UB, cases[i].element, count, counting);
        uint32_t target = rig_filled(&rig, SPACE_GM, cases[i].element, count, counting);
        rig_store(&rig, source, 3, cases[i].value);
        rig_store(&rig, target, 3, cases[i].old);
        struct insn insn = copy_of(target, source, 1, 1, 0, 0);
        adds(&insn, cases[i].element);
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(rig_load(&rig, target, 3), cases[i].sum);
        assert_int_equal(rig.machine.stored_twice, 0);
        assert_false(rig.machine.adding);
        rig_deinit(&rig);
    }
}

static void test_additions_need_what_they_add_to(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = rig_filled(&rig, SPACE_UB, ELEMENT_FP32, 8, counting);
    uint32_t target = rig_filled(&rig, SPACE_GM, ELEMENT_FP32, 8, counting);
    rig_written(&rig, target)[9] = 0;
    struct insn insn = copy_of(target, source, 1, 1, 0, 0);
    adds(&insn, ELEMENT_FP32);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_UNINITIALIZED], 1);
    assert_string_equal(rig.message,
                        "data_copy: dst has bytes that were never written, first at 9");
    rig_deinit(&rig);
}

static void test_a_copy_that_does_not_end_in_gm_replaces(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = rig_filled(&rig, SPACE_UB, ELEMENT_INT16, 16, counting);
    uint32_t target = rig_filled(&rig, SPACE_L1, ELEMENT_INT16, 16, counting);
    struct insn insn = copy_of(target, source, 1, 1, 0, 0);
    adds(&insn, ELEMENT_INT16);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_load(&rig, target, 5), counting(5));
    rig_deinit(&rig);
}

static void test_each_product_adds_in_its_types_only(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        uint32_t types;
    } cases[] = {
        {ARCH_1001, 1U << ELEMENT_FP32},
        {ARCH_2002, 1U << ELEMENT_FP32 | 1U << ELEMENT_FP16 | 1U << ELEMENT_INT16},
        {ARCH_3002,
         1U << ELEMENT_FP32 | 1U << ELEMENT_FP16 | 1U << ELEMENT_INT16 | 1U << ELEMENT_INT32},
        {ARCH_2201, 1U << ELEMENT_FP32 | 1U << ELEMENT_FP16 | 1U << ELEMENT_BF16 |
                        1U << ELEMENT_INT32 | 1U << ELEMENT_INT16 | 1U << ELEMENT_INT8},
        {ARCH_3510, 1U << ELEMENT_FP32 | 1U << ELEMENT_FP16 | 1U << ELEMENT_BF16 |
                        1U << ELEMENT_INT32 | 1U << ELEMENT_INT16 | 1U << ELEMENT_INT8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        struct insn_problem problem;
        struct insn insn;
        rig_init(&rig, cases[i].arch);
        insn_init(&insn, OP_SET_ATOMIC_ADD);
        for (int element = 0; element < ELEMENT_COUNT; element++) {
            insn.field[SET_ATOMIC_ADD_type] = element;
            assert_int_equal(insn_check(&rig.program, &insn, &problem),
                             cases[i].types >> element & 1);
        }
        rig_deinit(&rig);
    }
}

static void test_a_store_of_nothing_is_no_hazard(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2002);
    uint32_t source = rig_filled(&rig, SPACE_UB, ELEMENT_INT32, 16, counting);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT32, 16);
    struct insn no_blocks = copy_of(target, source, 0, 2, 1, 3);
    struct insn no_length = copy_of(target, source, 3, 0, 9, 9);
    effect_apply(&rig.machine, &no_blocks);
    effect_apply(&rig.machine, &no_length);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig_deinit(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_copy_runs_on_the_pipe_of_its_path),
        cmocka_unit_test(test_blocks_go_to_gm_with_their_gaps_and_count_when_stored_twice),
        cmocka_unit_test(test_only_the_bytes_that_were_stored_before_count_as_stored_twice),
        cmocka_unit_test(test_a_store_of_nothing_is_no_hazard),
        cmocka_unit_test(test_bytes_that_nobody_wrote_are_reported_where_they_reach_gm),
        cmocka_unit_test(test_the_registers_say_whether_a_later_store_adds),
        cmocka_unit_test(test_sums_are_rounded_once_in_their_type),
        cmocka_unit_test(test_additions_need_what_they_add_to),
        cmocka_unit_test(test_a_copy_that_does_not_end_in_gm_replaces),
        cmocka_unit_test(test_each_product_adds_in_its_types_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
