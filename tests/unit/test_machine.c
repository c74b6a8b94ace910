#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "tests/support/rig.h"

static const struct program a2 = {.arch = ARCH_2201};

static void test_memories_start_as_poison_that_nobody_wrote(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    for (int space = 0; space < SPACE_COUNT; space++) {
        const struct memory *memory = &rig.machine.buffer[space];
        for (uint64_t byte = 0; byte < memory->size_bytes; byte++) {
            assert_int_equal(memory->bytes[byte], MACHINE_POISON);
            assert_int_equal(memory->written[byte], 0);
        }
    }
    assert_int_equal(rig.machine.buffer[SPACE_GM].size_bytes, 0);
    assert_int_equal(rig.machine.buffer[SPACE_L0A].size_bytes, 64 * 1024);
    rig_deinit(&rig);
}

static void test_a_reset_poisons_again(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t region = rig_region(&rig, SPACE_L1, ELEMENT_FP16, 16);
    rig_store(&rig, region, 3, 0x1234);
    assert_true(rig_is_written(&rig, region, 3));
    machine_reset(&rig.machine);
    assert_int_equal(rig_load(&rig, region, 3), 0xA5A5);
    assert_false(rig_is_written(&rig, region, 3));
    rig_deinit(&rig);
}

static void test_a_tensor_starts_written_or_not_as_told(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena, 0);
    struct memory memory;
    assert_int_equal(memory_init(&memory, 100, true, &arena), STATUS_OK);
    assert_int_equal(memory.size_bytes, 100);
    assert_int_equal(memory.written[0] + memory.written[99], 2);
    assert_int_equal(memory_init(&memory, 100, false, &arena), STATUS_OK);
    assert_int_equal(memory.written[0] + memory.written[99], 0);
    arena_deinit(&arena);
}

static void test_a_machine_that_does_not_fit_says_so(void **state)
{
    (void)state;
    const uint64_t size_bytes[SPACE_COUNT] = {[SPACE_L1] = 4096, [SPACE_L0A] = 4096};
    struct program program = {0};
    struct machine machine;
    for (uint64_t nth = 1;; nth++) {
        struct arena arena;
        arena_init(&arena, 0);
        arena_fail_at(nth);
        enum status status = machine_init(&machine, &program, size_bytes, NULL, &arena);
        arena_fail_at(0);
        arena_deinit(&arena);
        if (status == STATUS_OK) {
            assert_int_equal(nth, 6); /* two arrays for each memory, and the work area */
            break;
        }
        assert_int_equal(status, STATUS_NO_MEMORY);
    }
}

static struct insn copy_of(uint32_t target, uint64_t target_offset, uint32_t source,
                           uint64_t source_offset, int64_t blocks)
{
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY);
    insn.operand[DATA_COPY_dst] = (struct operand){target, target_offset};
    insn.operand[DATA_COPY_src] = (struct operand){source, source_offset};
    insn.field[DATA_COPY_blockLen] = blocks;
    return insn;
}

static uint32_t low_byte(uint64_t index)
{
    return (uint32_t)(index & 0x7F);
}

static void test_a_footprint_may_fill_its_region_but_not_leave_it(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_INT8, 256, low_byte);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_INT8, 128);
    struct insn insn = copy_of(target, 32, source, 0, 4);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_string_equal(rig.message, "data_copy: dst reaches bytes 32..159 of 'r1' in l1; "
                                     "expected at most 128 bytes");
    assert_int_equal(rig_written_count(&rig, target), 0);
    insn = copy_of(target, 32, source, 0, 3);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    assert_int_equal(rig_written_count(&rig, target), 96);
    insn = copy_of(target, 0, source, 192, 3);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
    assert_non_null(strstr(rig.message, "src reaches bytes 192..287 of 'r0' in gm"));
    rig_deinit(&rig);
}

static void test_a_region_that_leaves_its_memory_is_no_excuse(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_INT8, 128, low_byte);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_INT8, 128);
    rig.region[target].base_bytes = rig.machine.buffer[SPACE_L1].size_bytes - 64;
    struct insn insn = copy_of(target, 0, source, 0, 4);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    insn = copy_of(target, 0, source, 0, 2);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 1);
    insn = copy_of(target, 4096, source, 0, 1);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
    rig_deinit(&rig);
}

static void test_a_misaligned_address_is_reported_and_executed(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_INT8, 128, low_byte);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_INT8, 128);
    struct insn insn = copy_of(target, 16, source, 7, 1);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 1);
    assert_string_equal(rig.message,
                        "data_copy: dst lies at byte 16 of l1; expected a multiple of 32");
    assert_int_equal(rig_hazards(&rig), 1); /* GM may start at any byte */
    assert_int_equal(rig_load(&rig, target, 16), 7);
    rig_deinit(&rig);
}

static void test_a_missing_operand_and_a_field_out_of_range_do_nothing(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_INT8, 128, low_byte);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_INT8, 128);
    struct insn insn = copy_of(REGION_NONE, 0, source, 0, 1);
    effect_apply(&rig.machine, &insn);
    assert_string_equal(rig.message, "data_copy: dst is not given; expected destination in "
                                     "L1, UB or GM");
    insn = copy_of(target, 0, source, 0, 1);
    insn.field[DATA_COPY_blockCount] = 4096;
    effect_apply(&rig.machine, &insn);
    assert_string_equal(rig.message, "data_copy: blockCount is 4096; expected 0..4095");
    assert_int_equal(rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig_deinit(&rig);
}

static void test_without_a_sink_hazards_are_dropped(void **state)
{
    (void)state;
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    rig.machine.hazard = NULL;
    uint32_t source = rig_filled(&rig, SPACE_GM, ELEMENT_INT8, 128, low_byte);
    uint32_t target = rig_region(&rig, SPACE_L1, ELEMENT_INT8, 64);
    struct insn insn = copy_of(target, 0, source, 0, 4);
    effect_apply(&rig.machine, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig_deinit(&rig);
}

static void test_flags_barriers_and_registers_change_no_bytes(void **state)
{
    (void)state;
    static const enum opcode quiet[] = {OP_SET_FLAG,          OP_WAIT_FLAG,
                                        OP_PIPE_BARRIER,      OP_SET_FMATRIX,
                                        OP_SET_PADDING_VALUE, OP_SET_LOAD_DATA_REPEAT};
    struct rig rig;
    rig_init(&rig, ARCH_2201);
    uint32_t region = rig_region(&rig, SPACE_L1, ELEMENT_INT8, 1024);
    for (size_t index = 0; index < sizeof quiet / sizeof quiet[0]; index++) {
        struct insn insn;
        insn_init(&insn, quiet[index]);
        insn.field[0] = 1;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(insn_bytes(&a2, &insn) + insn_macs(&insn), 0);
    }
    assert_int_equal(rig_hazards(&rig), 0);
    assert_int_equal(rig_written_count(&rig, region), 0);
    rig_deinit(&rig);
}

static void test_bytes_and_macs_of_instructions(void **state)
{
    (void)state;
    struct insn insn = copy_of(0, 0, 1, 0, 3);
    insn.field[DATA_COPY_blockCount] = 5;
    assert_int_equal(insn_bytes(&a2, &insn), 5 * 3 * 32);
    insn_init(&insn, OP_ND2NZ);
    insn.field[ND2NZ_ndNum] = 2;
    insn.field[ND2NZ_nValue] = 3;
    insn.field[ND2NZ_dValue] = 5;
    assert_int_equal(insn_bytes(&a2, &insn), 2 * 3 * 5 * 2);
    insn_init(&insn, OP_LOAD2D);
    insn.field[LOAD2D_repeatTimes] = 7;
    assert_int_equal(insn_bytes(&a2, &insn), 7 * 512);
    insn_init(&insn, OP_LOAD3DV2);
    insn.field[LOAD3DV2_mExtension] = 17;
    insn.field[LOAD3DV2_kExtension] = 33;
    assert_int_equal(insn_bytes(&a2, &insn), 32 * 48 * 2);
    insn_init(&insn, OP_LOAD_BT);
    insn.field[LOAD_BT_blockLen] = 2;
    assert_int_equal(insn_bytes(&a2, &insn), 128);
    insn_init(&insn, OP_MMAD);
    insn.field[MMAD_m] = 17;
    insn.field[MMAD_n] = 5;
    insn.field[MMAD_k] = 33;
    assert_int_equal(insn_macs(&insn), 17 * 5 * 33);
    assert_int_equal(insn_bytes(&a2, &insn), 0);
    insn_init(&insn, OP_FIXPIPE);
    insn.field[FIXPIPE_layout] = LAYOUT_NZ2ND;
    insn.field[FIXPIPE_mode] = MODE_F322F16;
    insn.field[FIXPIPE_ndNum] = 2;
    insn.field[FIXPIPE_mSize] = 3;
    insn.field[FIXPIPE_nSize] = 7;
    assert_int_equal(insn_bytes(&a2, &insn), 2 * 3 * 7 * 2);
    assert_int_equal(insn_macs(&insn), 0);
}

static void test_hazard_words_are_those_of_the_contract(void **state)
{
    (void)state;
    assert_string_equal(hazard_word(HAZARD_OUT_OF_BOUNDS), "out_of_bounds");
    assert_string_equal(hazard_word(HAZARD_UNINITIALIZED), "uninitialized");
    assert_string_equal(hazard_word(HAZARD_DEADLOCK), "deadlock");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memories_start_as_poison_that_nobody_wrote),
        cmocka_unit_test(test_a_reset_poisons_again),
        cmocka_unit_test(test_a_tensor_starts_written_or_not_as_told),
        cmocka_unit_test(test_a_machine_that_does_not_fit_says_so),
        cmocka_unit_test(test_a_footprint_may_fill_its_region_but_not_leave_it),
        cmocka_unit_test(test_a_region_that_leaves_its_memory_is_no_excuse),
        cmocka_unit_test(test_a_misaligned_address_is_reported_and_executed),
        cmocka_unit_test(test_a_missing_operand_and_a_field_out_of_range_do_nothing),
        cmocka_unit_test(test_without_a_sink_hazards_are_dropped),
        cmocka_unit_test(test_flags_barriers_and_registers_change_no_bytes),
        cmocka_unit_test(test_bytes_and_macs_of_instructions),
        cmocka_unit_test(test_hazard_words_are_those_of_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
