#include "tests/support/run_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "model/cost.h"
#include "model/derive.h"
#include "model/layout.h"
#include "model/lower_walk.h"
#include "model/tail.h"
#include "tests/support/path_check.h"
#include "tests/support/splitmix.h"

/* What the rows of a pipe add up to. */
struct pipe_seen {
    uint64_t rows;
    tick busy, link, waiting, end, work_end;
};

struct run_observer {
    struct pipe_seen *pipe; /* [core * PIPE_COUNT + pipe] */
    uint64_t macs, read_bytes, write_bytes;
    uint64_t pair_macs; /* of Mmads of two rows, one of which may be padding */
    tick last_done;
    uint64_t *seq_sum, *rows; /* [core] */
    uint64_t *hash;
    struct path_check steps;
};

#define CHECK(condition, c)                                                                        \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s: %s does not hold", (c)->name, #condition);                               \
    } while (0)

struct run_case *run_case_open(const char *name)
{
    struct arena arena;
    arena_init(&arena, 0);
    struct run_case *c = arena_take(&arena, 1, sizeof *c);
    assert_non_null(c);
    c->arena = arena;
    c->name = name;
    diag_init(&c->diag);
    return c;
}

void run_case_close(struct run_case *c)
{
    struct arena arena = c->arena;
    diag_deinit(&c->diag);
    arena_deinit(&arena);
}

enum status run_case_load(struct run_case *c, const char *yaml, const char *product)
{
    enum status status =
        plan_parse(c->name, yaml, product, &c->arena, &c->diag, &c->product, &c->plan);
    if (status == STATUS_OK)
        status = rules_check(&c->plan, c->plan.rules, &c->arena, &c->report);
    if (status == STATUS_OK && (!c->report.legal || !c->report.runnable))
        status = STATUS_BROKEN;
    if (status == STATUS_OK)
        status = plan_resolve(&c->plan, &c->product, &c->arena, &c->diag);
    return status;
}

static uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 29;
}

static enum status observe(void *context, const struct timeline_row *line)
{
    struct run_observer *observer = context;
    const struct row *row = line->row;
    observer->seq_sum[row->core] += row->seq;
    observer->rows[row->core]++;
    struct pipe_seen *pipe = &observer->pipe[row->core * PIPE_COUNT + row->pipe];
    assert_true(row->start <= row->end && row->end <= row->done);
    if (row->busy > 0) {
        assert_true(row->start >= pipe->work_end);
        assert_int_equal(row->busy, row->end - row->start);
        pipe->work_end = row->end;
    }
    assert_true(row->link <= row->busy);
    assert_int_equal(row->wait > 0, row->cause != CAUSE_NONE);
    pipe->rows++;
    pipe->busy += row->busy;
    pipe->link += row->link;
    pipe->waiting += row->wait;
    observer->macs += line->macs;
    if (line->insn->opcode == OP_MMAD && line->insn->field[MMAD_m] == 2)
        observer->pair_macs += line->macs;
    if (row->pipe == PIPE_MTE2)
        observer->read_bytes += line->bytes;
    if (line->insn->opcode == OP_FIXPIPE || row->pipe == PIPE_MTE3)
        observer->write_bytes += line->bytes;
    if (row->done > observer->last_done)
        observer->last_done = row->done;
    const uint64_t values[] = {row->core,         row->pipe,        row->seq,
                               row->start,        row->end,         row->done,
                               row->link,         row->wait,        (uint64_t)row->cause,
                               row->blocker_pipe, row->blocker_seq, line->insn->opcode};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        *observer->hash = hash_mix(*observer->hash, values[i]);
    return STATUS_OK;
}

static enum status observe_step(void *context, const struct timeline_step *told)
{
    struct run_observer *observer = context;
    assert_int_equal(told->insn == NULL, told->step->seq == ROW_NO_BLOCKER);
    path_check_step(&observer->steps, told->step);
    return STATUS_OK;
}

/* Multiply-accumulates of the tiles by algebra: every output of a computed channel takes all of K
 * of the depths that it meets. */
static uint64_t algebraic_macs(const struct plan *plan)
{
    const struct conv *conv = &plan->conv;
    uint64_t k = plan->matmul ? conv->cin : conv_k(conv); /* the true K of matrix products */
    uint64_t depths = 0;
    for (int64_t depth = 0; depth < conv->out[AXIS_D]; depth++)
        for (uint64_t kd = 0; kd < conv->kernel[AXIS_D]; kd++) {
            int64_t at = depth * (int64_t)conv->stride[AXIS_D] +
                         (int64_t)(kd * conv->dilation[AXIS_D]) - (int64_t)conv->pad_head[AXIS_D];
            depths += at >= 0 && at < (int64_t)conv->in[AXIS_D];
        }
    return conv->batch * conv->groups * lower_n_padded(conv) * k * depths *
           (uint64_t)conv->out[AXIS_H] * (uint64_t)conv->out[AXIS_W];
}

static void check_pipes(const struct run_case *c)
{
    const struct run_result *result = &c->result;
    for (uint64_t i = 0; i < result->cores * PIPE_COUNT; i++) {
        const struct pipe_stats *stats = &result->pipe[i];
        const struct pipe_seen *seen = &c->observer->pipe[i];
        CHECK(stats->busy + stats->waiting + stats->idle == result->cycles, c);
        CHECK(stats->active <= result->cycles, c);
        CHECK(stats->link <= stats->busy, c);
        tick waits = 0;
        for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++)
            waits += stats->wait[cause];
        CHECK(waits == stats->waiting, c);
        if (i % PIPE_COUNT == PIPE_SCALAR)
            continue;
        CHECK(seen->rows == stats->instructions, c);
        CHECK(seen->busy == stats->busy, c);
        CHECK(seen->link == stats->link, c);
        CHECK(seen->waiting == stats->waiting, c);
    }
}

/* No run is faster than its bytes through a link or its steps through the cubes. */
static void check_bounds(const struct run_case *c)
{
    const struct run_result *result = &c->result;
    const struct product *product = &c->product;
    uint64_t cores = product_whole(product, PRODUCT_CHIP_CORES);
    uint64_t gm = (uint64_t)product_value(product, PRODUCT_GM_RATE) * cores;
    uint64_t l2 = (uint64_t)product_value(product, PRODUCT_L2_READ_RATE) * cores;
    uint64_t store = (uint64_t)product_value(product, PRODUCT_L2_WRITE_RATE) * cores;
    uint64_t hits = result->gm_read_bytes - result->gm_miss_bytes;
    CHECK(result->cycles >= ((result->gm_miss_bytes + result->gm_write_back_bytes) << 16) / gm, c);
    uint64_t pushed = result->gm_write_back_bytes; /* stores that push it go at the pace of GM */
    CHECK(result->cycles >= (hits << 16) / l2, c);
    CHECK(result->cycles >=
              ((pushed < result->gm_write_bytes ? result->gm_write_bytes - pushed : 0) << 16) /
                  store,
          c);
    uint32_t bits = element_bits(c->plan.conv.dtype);
    enum product_key key = bits == 8                     ? PRODUCT_CUBE_FRACTAL_B8
                           : bits == 16                  ? PRODUCT_CUBE_FRACTAL_B16
                           : c->plan.conv.hf32_bits != 0 ? PRODUCT_CUBE_FRACTAL_HF32
                                                         : PRODUCT_CUBE_FRACTAL_B32;
    uint64_t fractal = 16 * 16 * element_c0(c->plan.conv.dtype);
    uint64_t steps = result->cube_macs / fractal;
    uint64_t ticks = (steps * (uint64_t)product_value(product, key)) >> 16;
    CHECK(result->cycles >= ticks / result->cores, c);
}

/* Every product of the cube is one of the convolution or has its reason, tile by tile. */
static void check_tail(struct run_case *c)
{
    struct tail tail;
    uint64_t macs = 0, tiles = 0;
    assert_int_equal(tail_find(&c->plan, &c->product, &c->result, &c->arena, &tail), STATUS_OK);
    for (uint32_t i = 0; i < PADDING_COUNT; i++)
        macs += tail.padding[i];
    CHECK(tail.useful_macs + macs == c->result.cube_macs, c);
    CHECK(tail.useful_macs <= c->result.macs, c);
    for (uint64_t core = 0; core < c->result.cores; core++) {
        tiles += tail.tiles[core];
        CHECK(tail.tiles[core] <= tail.rounds, c);
    }
    CHECK(tiles == tail.tile_count && tail.imbalance >= 0.0, c);
}

static void check_path(struct run_case *c)
{
    tick classes = 0;
    for (uint32_t basis = 0; basis < BASIS_COUNT; basis++)
        classes += c->result.path.by_class[basis];
    CHECK(path_cycles(&c->result.path) == c->result.cycles, c);
    CHECK(classes == c->result.cycles, c);
    path_check(&c->observer->steps, &c->result.path, c->result.cycles);
    path_check_deinit(&c->observer->steps);
    CHECK(c->observer->last_done == c->result.cycles, c);
    uint64_t rows = 0;
    for (uint64_t core = 0; core < c->result.cores; core++) {
        uint64_t count = c->observer->rows[core];
        CHECK(count == 0 || c->observer->seq_sum[core] == count * (count - 1) / 2, c);
        rows += count;
    }
    CHECK(rows == c->result.instructions, c);
}

static void check_bytes(const struct run_case *c)
{
    const struct run_result *result = &c->result;
    for (uint64_t i = 0; i < result->hazards_kept && i < 3; i++)
        print_error("%s: %s core %u #%u %s\n", c->name, hazard_word(result->hazards[i].kind),
                    result->hazards[i].core, result->hazards[i].seq, result->hazards[i].message);
    CHECK(result->hazard_count == 0, c);
    if (result->notes_kept > 0)
        fail_msg("%s: %s", c->name, result->notes[0].message);
    CHECK(result->output_missing_bytes == 0, c);
    CHECK(result->stored_twice_bytes == 0, c);
    CHECK(result->verified, c);
    CHECK(result->comparison.compared == result->output.count, c);
    CHECK(result->comparison.mismatches == 0, c);
}

/* Values of -4..4 with all mantissa bits in use; integers stay as they are. */
static void tensor_roughen(struct tensor *tensor, uint64_t seed)
{
    if (element_is_integer(tensor->element))
        return;
    uint64_t random = seed;
    for (uint64_t i = 0; i < tensor->count; i++) {
        float value = (float)(int32_t)splitmix_next(&random) / 536870912.0f;
        element_store(tensor->element, tensor->data, i,
                      element_encode(tensor->element, value, true));
    }
}

/* Values of both signs up to a number; one in 32 is infinite or no number. Integers of 32 bits lie
 * near the ends of their range, the others stay as they are. */
static void tensor_stretch(struct tensor *tensor, uint64_t seed, float largest)
{
    uint64_t random = seed;
    for (uint64_t i = 0; i < tensor->count; i++) {
        uint64_t draw = splitmix_next(&random);
        float value = (float)(int32_t)(draw >> 32) / 2147483648.0f * largest;
        value = draw % 64 == 0 ? (float)INFINITY : draw % 64 == 1 ? (float)NAN : value;
        if (tensor->element == ELEMENT_INT32)
            element_store(ELEMENT_INT32, tensor->data, i,
                          (draw % 2 == 0 ? UINT32_C(0x7FFFFF00) : UINT32_C(0x80000000)) +
                              (uint32_t)(draw >> 56));
        else if (!element_is_integer(tensor->element))
            element_store(tensor->element, tensor->data, i,
                          element_encode(tensor->element, value, false));
    }
}

static void case_tensors(struct run_case *c, uint64_t seed)
{
    tensor_shape_input(&c->plan.conv, &c->input);
    tensor_shape_weight(&c->plan.conv, &c->weight);
    tensor_shape_bias(&c->plan.conv, &c->bias);
    assert_int_equal(tensor_take(&c->input, &c->arena), STATUS_OK);
    assert_int_equal(tensor_take(&c->weight, &c->arena), STATUS_OK);
    assert_int_equal(tensor_take(&c->bias, &c->arena), STATUS_OK);
    tensor_fill(&c->input, seed, 1);
    tensor_fill(&c->weight, seed, 2);
    tensor_fill(&c->bias, seed, 3);
    if (c->extreme) {
        tensor_stretch(&c->input, seed, 3e38f);
        tensor_stretch(&c->weight, seed + 1, 2.0f);
        tensor_stretch(&c->bias, seed + 2, 3e38f);
    }
    if (!c->rough)
        return;
    tensor_roughen(&c->input, seed);
    tensor_roughen(&c->weight, seed + 1);
    tensor_roughen(&c->bias, seed + 2);
}

void run_case_go(struct run_case *c, uint64_t seed, bool with_bytes)
{
    uint64_t cores = c->plan.schedule.cores;
    c->observer = arena_take(&c->arena, 1, sizeof *c->observer);
    assert_non_null(c->observer);
    c->observer->pipe = arena_take(&c->arena, cores * PIPE_COUNT, sizeof *c->observer->pipe);
    c->observer->seq_sum = arena_take(&c->arena, cores, sizeof *c->observer->seq_sum);
    c->observer->rows = arena_take(&c->arena, cores, sizeof *c->observer->rows);
    assert_non_null(c->observer->pipe);
    assert_non_null(c->observer->seq_sum);
    assert_non_null(c->observer->rows);
    c->timeline_hash = UINT64_C(0xCBF29CE484222325);
    c->observer->hash = &c->timeline_hash;
    case_tensors(c, seed);
    struct run_options options = {
        .timing_only = !with_bytes,
        .verify = with_bytes,
        .input = &c->input,
        .weight = &c->weight,
        .bias = c->plan.conv.bias ? &c->bias : NULL,
        .sink = observe,
        .steps = observe_step,
        .sink_context = c->observer,
    };
    enum status status = run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result);
    if (status != STATUS_OK)
        fail_msg("%s: %s %s", c->name, status_sentence(status),
                 c->diag.count > 0 ? diag_text(&c->diag, 0) : "");
    if (c->result.deadlocked)
        fail_msg("%s: %s", c->name, c->result.hazards[0].message);
    check_pipes(c);
    check_bounds(c);
    check_tail(c);
    check_path(c);
    CHECK(c->result.mmad_macs >= algebraic_macs(&c->plan), c);
    CHECK(c->result.mmad_macs <= algebraic_macs(&c->plan) + c->observer->pair_macs / 2, c);
    CHECK(c->observer->macs == c->result.mmad_macs, c);
    CHECK(c->observer->read_bytes == c->result.gm_read_bytes, c);
    CHECK(c->observer->write_bytes == c->result.gm_write_bytes, c);
    CHECK(c->result.flags_set == c->result.flags_waited, c);
    if (with_bytes)
        check_bytes(c);
}
