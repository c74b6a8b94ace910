/*
 * Goal: a lowered plan or a sample program is clean, and not so when a flag, a wait, an id, a
 * buffer or a copy of it is wrong. Method: the streams of plans of all policies are changed in one
 * place, run, and must show a hazard. Flags and barriers: every one of the stream, left out or with
 * another id. Copies and addresses: at the first use of each buffer, since later uses find what the
 * earlier left there, which is wrong data and no hazard. Declarations of buffers: all that can be
 * moved down over another. Every program that stands for ever does so
 * in time too, at the same instructions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/lower.h"
#include "model/run_program.h"
#include "tests/support/program_reading.h"
#include "tests/support/run_check.h"

enum { INSNS_MAX = 4096, REGIONS_MAX = 32 };

enum change {
    CHANGE_NOTHING,
    CHANGE_DROP,
    CHANGE_ID,
    CHANGE_SHIFT,
    CHANGE_SHRINK,
    CHANGE_NO_BARRIERS
};

/* One core's stream as an array, and how it is changed. */
struct mutant {
    const char *name;
    struct run_case *c;             /* a lowered plan, or */
    struct program_reading reading; /* a program file */
    char *text;                     /* of the file */
    struct product sample_product;
    const struct product *product;
    bool ahead;             /* chunks are loaded ahead of their use */
    struct program whole;   /* as it was lowered or read */
    struct program program; /* the changed one */
    struct insn insn[INSNS_MAX];
    uint32_t count;
    enum change change;
    uint32_t at;
};

struct mutant_stream {
    const struct mutant *mutant;
    uint32_t next;
};

static void *mutant_open(void *context, uint32_t core, struct arena *arena)
{
    struct mutant_stream *stream = arena_take(arena, 1, sizeof *stream);
    assert_int_equal(core, 0);
    if (stream != NULL)
        stream->mutant = context;
    return stream;
}

/* Takes half away from what a copy or load moves; false when it has but one piece. */
static bool insn_shrink(struct insn *insn)
{
    int64_t *field = insn->field;
    int64_t *size = NULL;
    switch (insn->opcode) {
    case OP_DATA_COPY:
        size = field[DATA_COPY_blockCount] > 1 ? &field[DATA_COPY_blockCount]
                                               : &field[DATA_COPY_blockLen];
        break;
    case OP_ND2NZ:
        size = &field[ND2NZ_nValue];
        break;
    case OP_DN2NZ:
        size = &field[DN2NZ_nValue];
        break;
    case OP_LOAD2D:
        size = &field[LOAD2D_repeatTimes];
        break;
    case OP_LOAD2DV2:
        size = &field[LOAD2DV2_mStep];
        break;
    case OP_LOAD_BT:
        size = &field[LOAD_BT_blockLen];
        break;
    default:
        return false;
    }
    if (*size < 2)
        return false;
    *size /= 2;
    return true;
}

static void insn_change(struct insn *insn, enum change change)
{
    if (change == CHANGE_ID)
        insn->field[SET_FLAG_id] ^= 1;
    if (change == CHANGE_SHIFT)
        insn->operand[0].offset += insn_info((enum opcode)insn->opcode)->operands[0].align_bytes;
    if (change == CHANGE_SHRINK)
        insn_shrink(insn);
}

static bool mutant_next(void *opaque, struct insn *insn)
{
    struct mutant_stream *stream = opaque;
    const struct mutant *mutant = stream->mutant;
    if (mutant->change == CHANGE_DROP && stream->next == mutant->at)
        stream->next++;
    while (mutant->change == CHANGE_NO_BARRIERS && stream->next < mutant->count &&
           mutant->insn[stream->next].opcode == OP_PIPE_BARRIER)
        stream->next++;
    if (stream->next >= mutant->count)
        return false;
    *insn = mutant->insn[stream->next];
    if (mutant->change != CHANGE_NOTHING && stream->next == mutant->at)
        insn_change(insn, mutant->change);
    stream->next++;
    return true;
}

static enum status mutant_ended(void *opaque)
{
    (void)opaque;
    return STATUS_OK;
}

static void mutant_take(struct mutant *mutant, struct arena *arena)
{
    assert_int_equal(mutant->whole.core_count, 1);
    void *stream = mutant->whole.open(mutant->whole.context, 0, arena);
    assert_non_null(stream);
    while (mutant->whole.next(stream, &mutant->insn[mutant->count]))
        assert_true(++mutant->count < INSNS_MAX);
    mutant->program = mutant->whole;
    mutant->program.context = mutant;
    mutant->program.open = mutant_open;
    mutant->program.next = mutant_next;
    mutant->program.ended = mutant_ended;
}

static void mutant_init(struct mutant *mutant, const char *name, const char *product,
                        const char *yaml)
{
    struct run_case *c = run_case_open(name);
    memset(mutant, 0, sizeof *mutant);
    mutant->name = name;
    mutant->c = c;
    enum status status = run_case_load(c, yaml, product);
    if (status != STATUS_OK)
        fail_msg("%s: %s", name, c->diag.count > 0 ? diag_text(&c->diag, 0) : "");
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &mutant->whole), STATUS_OK);
    mutant->product = &c->product;
    mutant->ahead = c->plan.schedule.residency == RESIDENCY_PREFETCH;
    mutant_take(mutant, &c->arena);
}

static char *text_of(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)size, file);
    assert_int_equal(*length, size);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static void mutant_init_sample(struct mutant *mutant, const char *path)
{
    size_t length;
    memset(mutant, 0, sizeof *mutant);
    mutant->name = path;
    mutant->text = text_of(path, &length);
    program_reading_init(&mutant->reading, mutant->text, length);
    assert_int_equal(mutant->reading.status, STATUS_OK);
    mutant->whole = mutant->reading.program;
    assert_int_equal(product_load(mutant->whole.product, place_none(), &mutant->reading.arena,
                                  &mutant->reading.diag, &mutant->sample_product),
                     STATUS_OK);
    mutant->product = &mutant->sample_product;
    mutant_take(mutant, &mutant->reading.arena);
}

static void mutant_deinit(struct mutant *mutant)
{
    if (mutant->c != NULL) {
        run_case_close(mutant->c);
        return;
    }
    program_reading_deinit(&mutant->reading);
    free(mutant->text);
}

static struct memory *mutant_tensors(const struct mutant *mutant, struct arena *arena)
{
    struct memory *tensor = arena_take(arena, mutant->program.region_count, sizeof *tensor);
    assert_non_null(tensor);
    for (uint32_t i = 0; i < mutant->program.region_count; i++) {
        const struct region *region = &mutant->program.regions[i];
        if (region->space == SPACE_GM)
            assert_int_equal(
                memory_init(&tensor[i], region->size_bytes, region->binding != BINDING_NONE, arena),
                STATUS_OK);
    }
    return tensor;
}

/* The message of the only deadlock, or NULL. */
static const char *deadlock_told(const struct run_result *result)
{
    for (uint64_t i = 0; i < result->hazards_kept; i++)
        if (result->hazards[i].kind == HAZARD_DEADLOCK)
            return result->hazards[i].message;
    return NULL;
}

/* Whether the pipes that stand in time stand at the same instructions in the other run. That knows
 * no full queues and so may have handed more pipes something to stand at. */
static void check_same_standing(const char *timed, const char *other)
{
    char text[2048];
    assert_true(strlen(timed) < sizeof text);
    strcpy(text, strchr(timed, ':') + 1);
    for (char *rest, *clause = strtok_r(text, ";", &rest); clause != NULL;
         clause = strtok_r(NULL, ";", &rest))
        if (strstr(clause, "in the queue of") == NULL && strstr(other, clause) == NULL)
            fail_msg("in time:%s; else: %s", clause, other);
}

/* Runs it and returns the hazards that bytes show, by kind, and how many notes there are. */
static uint64_t mutant_run(const struct mutant *mutant, uint64_t hazards[HAZARD_COUNT])
{
    struct arena arena;
    struct run_result timed, whole;
    arena_init(&arena, 0);
    struct program_run run = {
        .program = &mutant->program,
        .product = mutant->product,
    };
    assert_int_equal(run_program(&run, &arena, &timed), STATUS_OK);
    run.tensor = mutant_tensors(mutant, &arena);
    assert_int_equal(run_program(&run, &arena, &whole), STATUS_OK);
    memset(hazards, 0, HAZARD_COUNT * sizeof hazards[0]);
    for (uint64_t i = 0; i < whole.hazards_kept; i++)
        hazards[whole.hazards[i].kind]++;
    assert_int_equal(timed.deadlocked, whole.deadlocked);
    if (whole.deadlocked)
        check_same_standing(deadlock_told(&timed), deadlock_told(&whole));
    arena_deinit(&arena);
    return whole.note_count;
}

static void check_caught(struct mutant *mutant, enum change change, uint32_t at)
{
    static const char *const words[] = {"nothing", "left out", "another id", "shifted", "shrunk"};
    uint64_t hazards[HAZARD_COUNT], all = 0;
    mutant->change = change;
    mutant->at = at;
    mutant_run(mutant, hazards);
    for (int kind = 0; kind < HAZARD_COUNT; kind++)
        all += hazards[kind];
    if (all == 0)
        fail_msg("%s: %s #%u %s is not caught", mutant->name,
                 insn_info((enum opcode)mutant->insn[at].opcode)->mnemonic, at, words[change]);
}

static bool is_flag(const struct insn *insn)
{
    return insn->opcode == OP_SET_FLAG || insn->opcode == OP_WAIT_FLAG;
}

/* How many were changed; the changes of flags of every place, or of every few. */
static uint32_t check_flags(struct mutant *mutant, uint32_t step)
{
    uint32_t changed = 0;
    for (uint32_t at = 0; at < mutant->count; at += step) {
        if (!is_flag(&mutant->insn[at]))
            continue;
        check_caught(mutant, CHANGE_DROP, at);
        check_caught(mutant, CHANGE_ID, at);
        changed += 2;
    }
    return changed;
}

/* Whether a wait hands data on that no other wait hands on too: those that hand a buffer back may
 * be implied by others, and so may that of the bias table and that of a chunk that was loaded
 * ahead. */
static bool waits_for_data(const struct mutant *mutant, const struct insn *insn)
{
    int64_t source = insn->field[WAIT_FLAG_src], target = insn->field[WAIT_FLAG_dst];
    return insn->opcode == OP_WAIT_FLAG &&
           ((source == PIPE_MTE2 && target == PIPE_MTE1 && !mutant->ahead) ||
            (source == PIPE_MTE1 && target == PIPE_CUBE && insn->field[WAIT_FLAG_id] < 2) ||
            (source == PIPE_CUBE && target == PIPE_FIXP));
}

static uint32_t check_waits(struct mutant *mutant)
{
    uint32_t changed = 0;
    for (uint32_t at = 0; at < mutant->count; at++) {
        uint64_t hazards[HAZARD_COUNT];
        if (!waits_for_data(mutant, &mutant->insn[at]))
            continue;
        mutant->change = CHANGE_DROP;
        mutant->at = at;
        mutant_run(mutant, hazards);
        if (hazards[HAZARD_RACE] == 0)
            fail_msg("%s: wait_flag #%u left out is no race", mutant->name, at);
        changed++;
    }
    return changed;
}

static uint32_t check_barriers(struct mutant *mutant)
{
    uint32_t changed = 0;
    for (uint32_t at = 0; at < mutant->count; at++)
        if (mutant->insn[at].opcode == OP_PIPE_BARRIER) {
            check_caught(mutant, CHANGE_DROP, at);
            changed++;
        }
    return changed;
}

static uint32_t check_moves(struct mutant *mutant)
{
    bool used[REGIONS_MAX] = {false};
    uint32_t changed = 0;
    for (uint32_t at = 0; at < mutant->count; at++) {
        const struct insn *insn = &mutant->insn[at];
        bool moves = insn_info((enum opcode)insn->opcode)->effect;
        if (!moves || mutant->program.regions[insn->operand[0].region].space == SPACE_GM)
            continue;
        assert_true(insn->operand[0].region < REGIONS_MAX);
        if (used[insn->operand[0].region])
            continue;
        used[insn->operand[0].region] = true;
        check_caught(mutant, CHANGE_SHIFT, at);
        changed++;
        struct insn smaller = *insn;
        if (insn_shrink(&smaller)) {
            check_caught(mutant, CHANGE_SHRINK, at);
            changed++;
        }
    }
    return changed;
}

/* How many of the buffers on chip show a hazard or a note when they are declared a step below
 * their place, over the end of the one before. */
static uint32_t check_regions(struct mutant *mutant)
{
    static const uint64_t steps[SPACE_COUNT] = {
        [SPACE_L1] = 128,  [SPACE_UB] = 128,  [SPACE_BT] = 128,   [SPACE_FB] = 128,
        [SPACE_L0A] = 512, [SPACE_L0B] = 512, [SPACE_L0C] = 1024,
    };
    uint32_t caught = 0;
    mutant->change = CHANGE_NOTHING;
    for (uint32_t i = 0; i < mutant->program.region_count; i++) {
        struct region *region = &mutant->program.regions[i];
        uint64_t hazards[HAZARD_COUNT], step = steps[region->space];
        if (step == 0 || region->base_bytes < step)
            continue;
        region->base_bytes -= step;
        uint64_t found = mutant_run(mutant, hazards);
        region->base_bytes += step;
        for (int kind = 0; kind < HAZARD_COUNT; kind++)
            found += hazards[kind];
        caught += found > 0;
    }
    return caught;
}

static const struct {
    const char *name, *product, *yaml;
} plans[] = {
    {"pypto with bias", "atlas-a2",
     "conv: {input: [1, 32, 4, 16], weight: [32, 32, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
     "bias: true}\n"
     "tile_l1: {tileHin: 3, tileHout: 2, tileWin: 16, tileWout: 16, tileCinFmap: 16, "
     "tileCinWeight: 32, tileN: 32}\n"
     "tile_l0: {tileH: 1, tileW: 16, tileK: 48, tileN: 16}\n"
     "schedule: {cores: 1}\n"},
    {"kept chunks, one buffer", "atlas-a2",
     "conv: {input: [1, 32, 4, 16], weight: [48, 32, 3, 3], padding: [1, 1, 1, 1], dtype: bf16}\n"
     "tile_l1: {tileHin: 3, tileHout: 2, tileWin: 16, tileWout: 16, tileCinFmap: 32, "
     "tileCinWeight: 32, tileN: 16}\n"
     "tile_l0: {tileH: 2, tileW: 16, tileK: 96, tileN: 16}\n"
     "schedule: {cores: 1, residency: keep, l0a_buffers: 1, l0b_buffers: 1}\n"},
    {"prefetch, two of L0C", "atlas-a3",
     "conv: {input: [1, 16, 6, 16], weight: [32, 16, 3, 3], padding: [1, 1, 1, 1], dtype: fp32, "
     "bias: true}\n"
     "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 16, tileWout: 16, tileCinFmap: 8, "
     "tileCinWeight: 16, tileN: 32}\n"
     "tile_l0: {tileH: 1, tileW: 16, tileK: 24, tileN: 32}\n"
     "schedule: {cores: 1, residency: prefetch, l0c_buffers: 2}\n"},
    {"unit flags, rows", "ascend-950pr",
     "conv: {input: [1, 32, 6, 16], weight: [32, 32, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
     "input_format: nhwc, weight_format: fractal_z}\n"
     "tile_l1: {tileHin: 3, tileHout: 2, tileWin: 16, tileWout: 16, tileCinFmap: 32, "
     "tileCinWeight: 32, tileN: 32}\n"
     "tile_l0: {tileH: 2, tileW: 16, tileK: 96, tileN: 16}\n"
     "schedule: {cores: 1, policy: vendor, unit_flag: true, fixpipe: row}\n"},
    {"plain layouts", "ascend-950pr",
     "conv: {input: [1, 20, 5, 12], weight: [40, 20, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
     "bias: true}\n"
     "schedule: {cores: 1, policy: pypto}\n"},
    {"no bias table, int8", "ascend310b1",
     "conv: {input: [1, 64, 4, 16], weight: [32, 64, 3, 3], padding: [1, 1, 1, 1], dtype: int8}\n"
     "schedule: {cores: 1, l0c_buffers: 2}\n"},
};
enum { PLANS = sizeof plans / sizeof plans[0] };

static void for_each_plan(uint32_t (*check)(struct mutant *mutant), uint32_t least)
{
    static struct mutant mutant;
    uint32_t changed = 0;
    for (size_t i = 0; i < PLANS; i++) {
        mutant_init(&mutant, plans[i].name, plans[i].product, plans[i].yaml);
        changed += check(&mutant);
        mutant_deinit(&mutant);
    }
    if (changed < least)
        fail_msg("%u changes; expected at least %u", changed, least);
}

static const char *const samples[] = {
    "traces/samples/conv_load3d.prog",
    "traces/samples/copy_l12l0a.prog",
    "traces/samples/load3dv1.prog",
    "traces/samples/matmul_double_buffered.prog",
    "traces/samples/set_conv_tile_shapes.prog",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void for_each_sample(uint32_t (*check)(struct mutant *mutant), uint32_t least)
{
    static struct mutant mutant;
    uint32_t changed = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        mutant_init_sample(&mutant, samples[i]);
        changed += check(&mutant);
        mutant_deinit(&mutant);
    }
    if (changed < least)
        fail_msg("%u changes of samples; expected at least %u", changed, least);
}

static uint32_t check_clean(struct mutant *mutant)
{
    uint64_t hazards[HAZARD_COUNT];
    mutant->change = CHANGE_NOTHING;
    assert_int_equal(mutant_run(mutant, hazards), 0);
    for (int kind = 0; kind < HAZARD_COUNT; kind++)
        assert_int_equal(hazards[kind], 0);
    return 1;
}

static uint32_t check_all_flags(struct mutant *mutant)
{
    /* A prime step meets all kinds of places of a long stream. */
    return check_flags(mutant, mutant->count > 400 ? 7 : 1);
}

static void test_lowered_plans_are_clean(void **state)
{
    (void)state;
    for_each_plan(check_clean, PLANS);
    for_each_sample(check_clean, SAMPLES);
}

static void test_no_flag_of_a_lowered_plan_can_be_left_out_or_renamed(void **state)
{
    (void)state;
    for_each_plan(check_all_flags, 500);
    for_each_sample(check_all_flags, 100);
}

/* 22 of them: the two that are not found lie over bytes that were read before. */
static void test_a_buffer_that_is_declared_over_another_is_found(void **state)
{
    (void)state;
    for_each_sample(check_regions, 20);
}

static void test_a_wait_for_data_that_is_left_out_is_a_race(void **state)
{
    (void)state;
    for_each_plan(check_waits, 200);
    for_each_sample(check_waits, 50);
}

static void test_no_barrier_of_a_lowered_plan_can_be_left_out(void **state)
{
    (void)state;
    for_each_plan(check_barriers, 20);
    for_each_sample(check_barriers, 3);
}

static void test_what_a_loop_repeats_is_told_once_and_counted(void **state)
{
    (void)state;
    static struct mutant mutant;
    struct arena arena;
    struct run_result result;
    uint32_t barriers = 0;
    arena_init(&arena, 0);
    mutant_init(&mutant, plans[0].name, plans[0].product, plans[0].yaml);
    mutant.change = CHANGE_NO_BARRIERS;
    for (uint32_t at = 0; at < mutant.count; at++)
        barriers += mutant.insn[at].opcode == OP_PIPE_BARRIER;
    const struct program_run run = {
        .program = &mutant.program,
        .product = mutant.product,
        .tensor = mutant_tensors(&mutant, &arena),
    };
    assert_int_equal(run_program(&run, &arena, &result), STATUS_OK);
    assert_true(barriers > 1);
    assert_int_equal(result.hazard_count, barriers);
    assert_int_equal(result.hazards_kept, 1);
    arena_deinit(&arena);
    mutant_deinit(&mutant);
}

static void test_shifted_and_shrunk_moves_are_caught_where_a_buffer_is_first_used(void **state)
{
    (void)state;
    for_each_plan(check_moves, 60);
    for_each_sample(check_moves, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lowered_plans_are_clean),
        cmocka_unit_test(test_no_flag_of_a_lowered_plan_can_be_left_out_or_renamed),
        cmocka_unit_test(test_a_buffer_that_is_declared_over_another_is_found),
        cmocka_unit_test(test_a_wait_for_data_that_is_left_out_is_a_race),
        cmocka_unit_test(test_no_barrier_of_a_lowered_plan_can_be_left_out),
        cmocka_unit_test(test_what_a_loop_repeats_is_told_once_and_counted),
        cmocka_unit_test(test_shifted_and_shrunk_moves_are_caught_where_a_buffer_is_first_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
