/*
 * What a functional run tells of instructions that no line names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/run_program.h"
#include "tests/support/product_sample.h"
#include "tests/support/stream_fixture.h"

/* A Load2D whose operands start so many bytes before the ends of L0A and L1. */
static void load(struct stream_fixture *fixture, uint64_t target_room, uint64_t source_room)
{
    struct insn *insn = &fixture->insn[0][fixture->count[0]++];
    insn_init(insn, OP_LOAD2D);
    insn->operand[LOAD2D_dst] = (struct operand){FIXTURE_L0A, (1 << 16) - target_room};
    insn->operand[LOAD2D_src] = (struct operand){FIXTURE_L1, (1 << 19) - source_room};
    insn->field[LOAD2D_repeatTimes] = 4;
}

/* The mnemonic has a digit; the words that tell two faults apart stand behind it. */
static void
test_two_faults_of_a_lowered_instruction_are_two_and_their_repetitions_none(void **state)
{
    (void)state;
    static struct stream_fixture fixture;
    struct sample sample;
    struct memory tensor[FIXTURE_REGIONS] = {{0}};
    struct run_result result;
    stream_fixture_init(&fixture, 1, 512, 512);
    load(&fixture, 512, 2048);
    load(&fixture, 2048, 512);
    load(&fixture, 1024, 2048);
    load(&fixture, 2048, 2048);
    sample_load(&sample, "atlas-a2");
    for (uint32_t region = FIXTURE_SOURCE; region <= FIXTURE_OUTPUT; region++)
        assert_int_equal(memory_init(&tensor[region], 512, true, &sample.arena), STATUS_OK);
    const struct program_run run = {
        .program = &fixture.program,
        .product = &sample.product,
        .tensor = tensor,
        .l2_output = REGION_NONE,
    };
    assert_int_equal(run_program(&run, &sample.arena, &result), STATUS_OK);
    assert_int_equal(result.hazard_count, 3);
    assert_int_equal(result.hazards_kept, 2);
    assert_non_null(strstr(result.hazards[0].message, "dst reaches"));
    assert_non_null(strstr(result.hazards[1].message, "src reaches"));
    assert_int_equal(result.refused_instructions, 3);
    sample_deinit(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_two_faults_of_a_lowered_instruction_are_two_and_their_repetitions_none),
    };
    return cmocka_run_group_tests_name("run bytes", tests, NULL, NULL);
}
