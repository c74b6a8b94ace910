/*
 * What a functional run tells of instructions that no line names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/run_bytes.h"
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
    };
    assert_int_equal(run_program(&run, &sample.arena, &result), STATUS_OK);
    assert_int_equal(result.hazard_count, 3);
    assert_int_equal(result.hazards_kept, 2);
    assert_non_null(strstr(result.hazards[0].message, "dst reaches"));
    assert_non_null(strstr(result.hazards[1].message, "src reaches"));
    assert_int_equal(result.refused_instructions, 3);
    sample_deinit(&sample);
}

/* Streams of a program that are cut short: the cut-th that is opened, before its last set. */
struct cut {
    const struct program *whole;
    uint32_t opened, cut;
};

struct cut_stream {
    const struct program *whole;
    void *stream;
    bool cut, ended;
};

static void *cut_open(void *context, uint32_t core, struct arena *arena)
{
    struct cut *cut = context;
    struct cut_stream *stream = arena_take(arena, 1, sizeof *stream);
    assert_non_null(stream);
    *stream = (struct cut_stream){
        .whole = cut->whole,
        .stream = cut->whole->open(cut->whole->context, core, arena),
        .cut = ++cut->opened == cut->cut,
    };
    assert_non_null(stream->stream);
    return stream;
}

static bool cut_next(void *opaque, struct insn *insn)
{
    struct cut_stream *stream = opaque;
    if (stream->ended || !stream->whole->next(stream->stream, insn))
        return false;
    stream->ended = stream->cut && insn->opcode == OP_SET_FLAG;
    return !stream->ended;
}

static enum status cut_ended(void *opaque)
{
    const struct cut_stream *stream = opaque;
    return stream->ended ? STATUS_LIMIT : STATUS_OK;
}

static void flag(struct stream_fixture *fixture, enum opcode opcode, int64_t id)
{
    struct insn *insn = &fixture->insn[0][fixture->count[0]++];
    insn_init(insn, opcode);
    insn->pipe = opcode == OP_SET_FLAG ? PIPE_MTE2 : PIPE_MTE1;
    insn->field[SET_FLAG_src] = PIPE_MTE2;
    insn->field[SET_FLAG_dst] = PIPE_MTE1;
    insn->field[SET_FLAG_id] = id;
}

/* A core whose MTE1 stands at flag 1, which nothing sets, when the cut-th stream is cut short. */
static enum status run_cut(uint32_t cut, struct run_result *result, struct sample *sample)
{
    static struct stream_fixture fixture;
    struct memory tensor[FIXTURE_REGIONS] = {{0}};
    stream_fixture_init(&fixture, 1, 512, 512);
    fixture.program.event_ids = EVENT_IDS;
    flag(&fixture, OP_WAIT_FLAG, 1);
    flag(&fixture, OP_WAIT_FLAG, 0);
    flag(&fixture, OP_SET_FLAG, 0);
    flag(&fixture, OP_WAIT_FLAG, 1);
    struct cut context = {.whole = &fixture.program, .cut = cut};
    struct program program = fixture.program;
    program.context = &context;
    program.open = cut_open;
    program.next = cut_next;
    program.ended = cut_ended;
    for (uint32_t region = FIXTURE_SOURCE; region <= FIXTURE_OUTPUT; region++)
        assert_int_equal(memory_init(&tensor[region], 512, true, &sample->arena), STATUS_OK);
    *result = (struct run_result){
        .hazards = arena_take(&sample->arena, RUN_HAZARDS_MAX, sizeof *result->hazards),
        .notes = arena_take(&sample->arena, RUN_NOTES_MAX, sizeof *result->notes),
    };
    assert_true(result->hazards != NULL && result->notes != NULL);
    return run_bytes(&program, &sample->product, tensor, true, &sample->arena, result);
}

static void test_a_stream_that_is_cut_short_is_an_error_and_calls_no_flag_unset(void **state)
{
    (void)state;
    struct sample sample;
    struct run_result result;
    sample_load(&sample, "atlas-a2");
    assert_int_equal(run_cut(0, &result, &sample), STATUS_OK);
    assert_true(result.deadlocked);
    assert_int_equal(result.hazards_kept, 2);
    assert_int_equal(result.hazards[0].kind, HAZARD_FLAG_UNSET);
    assert_int_equal(result.hazards[0].seq, 0);
    assert_int_equal(result.hazards[1].kind, HAZARD_DEADLOCK);
    assert_int_equal(result.hazard_count, 3);
    /* Without its set_flag flag 0 would seem to be unset. */
    assert_int_equal(run_cut(1, &result, &sample), STATUS_LIMIT);
    assert_int_equal(result.hazard_count, 0);
    /* The stream that is read again for the report: the last wait is missing there. */
    assert_int_equal(run_cut(2, &result, &sample), STATUS_LIMIT);
    assert_int_equal(result.hazard_count, 1);
    assert_int_equal(result.hazards[0].seq, 0);
    sample_deinit(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_two_faults_of_a_lowered_instruction_are_two_and_their_repetitions_none),
        cmocka_unit_test(test_a_stream_that_is_cut_short_is_an_error_and_calls_no_flag_unset),
    };
    return cmocka_run_group_tests_name("run bytes", tests, NULL, NULL);
}
