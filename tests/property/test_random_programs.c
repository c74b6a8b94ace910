/*
 * Goal: whatever stands in a program, a run ends, its times add up, and it is the same run again.
 * Method: random instructions that fit their rows of the table, fields at and between the ends of
 * their ranges, operands anywhere, on a product of each architecture; most of them are nonsense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "model/run_program.h"
#include "tests/support/splitmix.h"

enum { CORES = 2, INSNS = 40, REGIONS = 40, GM_BYTES = 40000, PROGRAMS = 60 };

struct sample {
    struct region region[REGIONS];
    char name[REGIONS][8];
    struct insn insn[CORES][INSNS];
    struct memory tensor[REGIONS];
    struct program program;
    struct product product;
    struct arena arena;
    uint64_t state; /* of the generator */
    bool calm;      /* nothing in it waits */
};

struct stream {
    const struct sample *sample;
    uint32_t core, next;
};

static void *stream_open(void *context, uint32_t core, struct arena *arena)
{
    struct stream *stream = arena_take(arena, 1, sizeof *stream);
    if (stream != NULL)
        *stream = (struct stream){context, core, 0};
    return stream;
}

static bool stream_next(void *opaque, struct insn *insn)
{
    struct stream *stream = opaque;
    if (stream->next == INSNS)
        return false;
    *insn = stream->sample->insn[stream->core][stream->next++];
    return true;
}

static enum status stream_ended(void *opaque)
{
    (void)opaque;
    return STATUS_OK;
}

static uint64_t range(struct sample *sample, uint64_t low, uint64_t high)
{
    return splitmix_range(&sample->state, low, high);
}

/* A tensor of every type, then parts of the memories that the product has. */
static void make_regions(struct sample *sample)
{
    uint32_t count = 0;
    for (enum element element = 0; element < ELEMENT_COUNT; element++)
        sample->region[count++] = (struct region){
            .space = SPACE_GM, .size_bytes = range(sample, 1, GM_BYTES), .element = element};
    while (count < REGIONS) {
        enum space space = (enum space)range(sample, SPACE_GM + 1, SPACE_COUNT - 1);
        uint64_t size = product_memory_bytes(&sample->product, space);
        if (size == 0)
            continue;
        uint64_t base = range(sample, 0, 1) * 1024 * range(sample, 0, size / 2048);
        sample->region[count++] = (struct region){
            .space = space, .base_bytes = base, .size_bytes = range(sample, 1, size - base)};
    }
    for (uint32_t i = 0; i < REGIONS; i++) {
        snprintf(sample->name[i], sizeof sample->name[i], "r%u", i);
        sample->region[i].name = sample->name[i];
        if (i > 0 && sample->region[i].space == SPACE_GM)
            sample->region[i].base_bytes =
                (sample->region[i - 1].base_bytes + sample->region[i - 1].size_bytes + 511) / 512 *
                512;
    }
}

/* At an end of its range, near the lower end, or anywhere. */
static int64_t random_field(struct sample *sample, const struct field_info *field)
{
    uint64_t span = (uint64_t)(field->high - field->low);
    uint64_t small = span < 40 ? span : 40;
    switch (range(sample, 0, 7)) {
    case 0:
        return field->low;
    case 1:
        return field->high;
    case 2:
        return field->low + (int64_t)range(sample, 0, span);
    default:
        return field->low + (int64_t)range(sample, 0, small);
    }
}

/* What can make a pipe stand for ever. */
static bool insn_waits(const struct insn *insn)
{
    static const char *const keys[] = {"unitFlag", "id", "pipe"};
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t i = 0; i < info->field_count; i++)
        for (size_t key = 0; key < sizeof keys / sizeof *keys; key++)
            if (strcmp(info->fields[i].name, keys[key]) == 0 && (key > 0 || insn->field[i] != 0))
                return true;
    return false;
}

static void random_insn(struct sample *sample, struct insn *insn)
{
    struct insn_problem problem;
    bool fits = false;
    for (uint32_t tries = 0; !fits; tries++) {
        assert_true(tries < 1000000);
        insn_init(insn, (enum opcode)range(sample, 0, OP_COUNT - 1));
        const struct insn_info *info = insn_info((enum opcode)insn->opcode);
        for (size_t i = 0; i < info->operand_count; i++) {
            uint32_t region = (uint32_t)range(sample, 0, REGIONS - 1);
            insn->operand[i].region = region;
            insn->operand[i].offset =
                range(sample, 0, 2) == 0
                    ? range(sample, 0, sample->region[region].size_bytes / 32) * 32
                    : 0;
            if (!info->operands[i].required && range(sample, 0, 1) == 0)
                insn->operand[i].region = REGION_NONE;
        }
        for (size_t i = 0; i < info->field_count; i++)
            if (!info->fields[i].hidden && range(sample, 0, 2) > 0)
                insn->field[i] = random_field(sample, &info->fields[i]);
        if (!insn_check(&sample->program, insn, &problem) || (sample->calm && insn_waits(insn)))
            continue;
        insn->pipe = (uint8_t)insn_pipe(&sample->program, insn);
        fits = true;
    }
}

static void sample_make(struct sample *sample, const char *product, uint64_t seed)
{
    memset(sample, 0, sizeof *sample);
    arena_init(&sample->arena, 0);
    sample->state = seed;
    sample->calm = seed % 2 == 0;
    assert_int_equal(product_load(product, place_none(), &sample->arena, NULL, &sample->product),
                     STATUS_OK);
    sample->program = (struct program){
        .product = sample->product.soc,
        .arch = sample->product.arch,
        .regions = sample->region,
        .region_count = REGIONS,
        .core_count = sample->product.arch == ARCH_3002 ? 1 : CORES,
        .event_ids = 1024,
        .context = sample,
        .open = stream_open,
        .next = stream_next,
        .ended = stream_ended,
    };
    make_regions(sample);
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t i = 0; i < INSNS; i++) {
            random_insn(sample, &sample->insn[core][i]);
            sample->insn[core][i].line = 1 + core * INSNS + i;
        }
}

/* ---- what every run must be ---- */

struct seen {
    uint64_t rows, hash;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    uint64_t state = hash ^ value;
    return splitmix_next(&state);
}

static enum status see_row(void *context, const struct timeline_row *line)
{
    struct seen *seen = context;
    const struct row *row = line->row;
    assert_true(row->start <= row->end && row->end <= row->done);
    seen->rows++;
    seen->hash = mix(mix(mix(seen->hash, row->start), row->end), row->done);
    return STATUS_OK;
}

static void check_result(const struct sample *sample, const struct run_result *result,
                         const struct seen *seen)
{
    uint64_t jobs = 0;
    assert_int_equal(result->cores, sample->program.core_count);
    assert_true(path_cycles(&result->path) == result->cycles);
    assert_false(sample->calm && result->deadlocked);
    for (uint64_t i = 0; i < result->cores * PIPE_COUNT; i++) {
        const struct pipe_stats *stats = &result->pipe[i];
        assert_true(stats->busy + stats->waiting + stats->idle == result->cycles);
        jobs += i % PIPE_COUNT == PIPE_SCALAR ? stats->instructions : 0;
    }
    if (result->deadlocked) {
        bool told = false;
        for (uint64_t i = 0; i < result->hazards_kept; i++)
            told |= result->hazards[i].kind == HAZARD_DEADLOCK;
        assert_true(told);
        assert_true(seen->rows <= jobs);
    } else {
        assert_true(jobs == result->instructions);
        assert_true(seen->rows == jobs);
        assert_true(result->instructions == result->cores * INSNS);
    }
    for (uint64_t i = 0; i < result->hazards_kept; i++) {
        assert_true(result->hazards[i].kind < HAZARD_COUNT);
        assert_true(result->hazards[i].core < result->cores);
        assert_true(result->hazards[i].seq < INSNS);
        assert_true(strlen(result->hazards[i].message) > 0);
    }
}

static uint64_t run_once(struct sample *sample)
{
    struct arena work;
    struct run_result result;
    struct seen seen = {0, 1};
    arena_init(&work, 0);
    for (uint32_t i = 0; i < REGIONS; i++) {
        if (sample->region[i].space != SPACE_GM)
            continue;
        struct memory *memory = &sample->tensor[i];
        uint64_t size = sample->region[i].size_bytes;
        assert_int_equal(memory_init(memory, size, i % 4 != 0, &work), STATUS_OK);
        for (uint64_t at = 0; at < size; at++)
            memory->bytes[at] = (uint8_t)(at * 7 + i);
    }
    struct program_run run = {
        .program = &sample->program,
        .product = &sample->product,
        .tensor = sample->tensor,
        .with_range = true,
        .sink = see_row,
        .sink_context = &seen,
    };
    assert_int_equal(run_program(&run, &work, &result), STATUS_OK);
    check_result(sample, &result, &seen);
    uint64_t hash = mix(mix(seen.hash, result.cycles), result.hazard_count);
    for (uint64_t i = 0; i < result.hazards_kept; i++)
        for (const char *c = result.hazards[i].message; *c != '\0'; c++)
            hash = mix(hash, (uint64_t)*c);
    for (uint32_t i = 0; i < REGIONS; i++)
        for (uint64_t at = 0; at < sample->tensor[i].size_bytes; at++)
            hash = mix(hash, sample->tensor[i].bytes[at]);
    arena_deinit(&work);
    return hash;
}

static void test_every_program_ends_and_does_the_same_again(void **state)
{
    (void)state;
    static const char *const products[] = {"atlas-a2", "ascend-950pr", "atlas-inference",
                                           "atlas-200i-500-a2", "atlas-training"};
    static struct sample sample;
    uint64_t seed = splitmix_seed();
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        const char *product = products[i % (sizeof products / sizeof *products)];
        print_message("SEED=%llu, %s\n", (unsigned long long)(seed + i), product);
        sample_make(&sample, product, seed + i);
        uint64_t first = run_once(&sample);
        assert_true(run_once(&sample) == first);
        arena_deinit(&sample.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_program_ends_and_does_the_same_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
