/*
 * Faults that people met in simulators of this field: cycles, stalls and traffic that were off by
 * one, counted twice, or no function of the input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/derive.h"
#include "tests/support/run_check.h"
#include "tests/support/text_run.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A plan whose product is changed before the plan is completed. */
static struct run_case *loaded(const char *yaml, const char *const *sets, size_t count)
{
    struct run_case *c = run_case_open("simulators");
    if (plan_parse("plan", yaml, "atlas-a2", &c->arena, &c->diag, &c->product, &c->plan) !=
        STATUS_OK)
        fail_msg("%s", diag_text(&c->diag, 0));
    for (size_t i = 0; i < count; i++)
        if (product_set(&c->product, sets[i], &c->arena, &c->diag) != STATUS_OK)
            fail_msg("%s", diag_text(&c->diag, 0));
    if (plan_resolve(&c->plan, &c->product, &c->arena, &c->diag) != STATUS_OK)
        fail_msg("%s", diag_text(&c->diag, 0));
    return c;
}

/* ---- 48: cycles are a count, not the last index ---- */

struct ends {
    tick start, end, last;
};

static enum status see_ends(void *context, const struct timeline_row *row)
{
    struct ends *ends = context;
    if (row->insn->opcode == OP_MMAD) {
        ends->start = row->row->start;
        ends->end = row->row->end;
    }
    if (row->row->done > ends->last)
        ends->last = row->row->done;
    return STATUS_OK;
}

/* 64 x 16 x 64 of fp16 are 4 x 1 x 4 steps of a cycle: [0, 16) and not a cycle less or more. */
static void test_d48_an_mmad_of_16_cycles_from_0_ends_at_16(void **state)
{
    (void)state;
    static const char *const sets[] = {"scalar.startup=0 us", "scalar.dispatch=0 cycles",
                                       "cube.issue=0 cycles", "cube.latency=0 cycles",
                                       "cube.latency=5 cycles"};
    struct text_run run;
    struct ends ends = {0};
    text_run_init(&run, ".product atlas-a2\n.l0a a 0 8192\n.l0b b 0 2048\n.l0c c 0 4096\n"
                        "mmad dst=c a=a b=b type=fp16 m=64 n=16 k=64 cmatrixInitVal=1\n");
    const struct program_run again = {.program = &run.reading.program,
                                      .product = &run.product,
                                      .sink = see_ends,
                                      .sink_context = &ends};
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        struct run_result result;
        assert_int_equal(product_set(&run.product, sets[i], &run.reading.arena, &run.reading.diag),
                         STATUS_OK);
        if (i < 3)
            continue;
        assert_int_equal(run_program(&again, &run.reading.arena, &result), STATUS_OK);
        assert_int_equal(ends.start, 0);
        assert_int_equal(ends.end, 16);
        assert_int_equal(result.cycles, i == 3 ? 16 : 21);
        assert_int_equal(result.core_cycles[0], result.cycles);
    }
    text_run_deinit(&run);
}

static void test_d48_a_run_ends_with_its_last_completion(void **state)
{
    (void)state;
    static const char *const residencies[] = {"reload", "keep", "prefetch"};
    for (size_t i = 0; i < COUNT_OF(residencies); i++) {
        char yaml[256];
        struct ends ends = {0};
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 48, 9, 20], weight: [40, 48, 3, 3], padding: [1, 1, 1, 1], "
                 "dtype: fp16}\nschedule: {residency: %s, cores: 3}\n",
                 residencies[i]);
        struct run_case *c = loaded(yaml, NULL, 0);
        struct run_options options = {.timing_only = true, .sink = see_ends, .sink_context = &ends};
        assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result), STATUS_OK);
        assert_int_equal(c->result.cycles, ends.last);
        assert_int_equal(c->result.core_cycles[c->result.deciding_core], ends.last);
        run_case_close(c);
    }
}

/* ---- 49: no stall where nothing can stall, and each stall once ---- */

/* Nothing but the bytes of MTE2 and the steps of the cube takes time. */
#define ONLY_MTE2_AND_CUBE                                                                         \
    "scalar.startup=0 us", "scalar.dispatch=0 cycles", "sync.wait_flag=0 cycles",                  \
        "sync.barrier=0 cycles", "mte1.l1_to_l0a.rate=65536 B/cycle",                              \
        "mte1.l1_to_l0b.rate=65536 B/cycle", "mte1.issue=0 cycles", "mte1.switch=0 cycles",        \
        "mte1.latency=0 cycles", "mte1.load3d.latency=0 cycles",                                   \
        "mte1.load3d.budget=65536 B/cycle", "mte1.load3d.l0a_floor=65536 B/cycle",                 \
        "cube.issue=0 cycles", "cube.latency=0 cycles", "mte2.copy=0 cycles",                      \
        "mte2.request=0 cycles", "mte2.window=65536", "l2.latency=0 cycles",                       \
        "gm.latency=0 cycles", "scalar.queue=4096"

enum {
    K_STEPS = 64,
    STEP_CYCLES = 8 * 16 * 4, /* of the cube */
    STEP_BYTES = (128 + 256) * 64 * 2,
    CUBE_CYCLES = K_STEPS * STEP_CYCLES
};

/* One tile of a matrix product in K_STEPS steps, with MTE2 at so many bytes a cycle. */
static struct run_case *fed(int rate)
{
    static const char yaml[] =
        "matmul: {m: 128, n: 256, k: 4096, dtype: fp16, a_layout: nz, b_layout: nz}\n"
        "tile: {baseM: 128, baseN: 256, baseK: 64, depthA1: 2, depthB1: 2}\n"
        "schedule: {policy: vendor, cores: 1, l2: warm}\n";
    char port[64], read[64];
    snprintf(port, sizeof port, "mte2.port=%d B/cycle", rate);
    snprintf(read, sizeof read, "l2.read_rate=%d B/cycle", rate);
    const char *const sets[] = {ONLY_MTE2_AND_CUBE, port, read};
    struct run_case *c = loaded(yaml, sets, COUNT_OF(sets));
    run_case_go(c, 1, false); /* busy + waiting + idle = cycles; waits by cause add up */
    assert_int_equal(c->result.pipe[PIPE_CUBE].busy, CUBE_CYCLES);
    return c;
}

static void test_d49_a_cube_that_is_fed_at_once_waits_for_its_first_step_only(void **state)
{
    (void)state;
    struct run_case *c = fed(65536);
    const struct pipe_stats *cube = &c->result.pipe[PIPE_CUBE];
    assert_true(cube->wait_for[PIPE_MTE1] < 16);
    assert_int_equal(cube->wait_count[CAUSE_FLAG], 2); /* the first step; the end of the store */
    assert_int_equal(cube->waiting, cube->wait_for[PIPE_MTE1] + cube->wait_for[PIPE_FIXP]);
    run_case_close(c);
}

/* Half the rate: a step comes in twice the time that it takes, and the cube waits for the other
 * half of each and for all of the first. */
static void test_d49_at_half_the_rate_the_cube_waits_half_the_time_once(void **state)
{
    (void)state;
    struct run_case *c = fed(STEP_BYTES / STEP_CYCLES / 2);
    const struct pipe_stats *cube = &c->result.pipe[PIPE_CUBE];
    tick stalls = cube->wait_for[PIPE_MTE1];
    assert_true(stalls >= CUBE_CYCLES + STEP_CYCLES);
    assert_true(stalls < CUBE_CYCLES + STEP_CYCLES + 4 * K_STEPS);
    assert_int_equal(cube->wait_count[CAUSE_FLAG], K_STEPS + 1);
    assert_int_equal(cube->waiting, stalls + cube->wait_for[PIPE_FIXP]);
    run_case_close(c);
}

/* ---- 51: two strides, and padding that costs no traffic ---- */

/* Everything is fetched once: one core, one tile of all. */
static uint64_t read_bytes(const char *shape, int64_t out_h, int64_t out_w)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "conv: {%s, weight: [16, 16, 3, 3], stride: [2, 1], dilation: [1, 2], dtype: fp16}\n"
             "tile: {mAL1: 96, mL0: 96, nBL1: 16, nL0: 16, kAL1: 144, kBL1: 144, kL0: 144}\n"
             "schedule: {cores: 1}\n",
             shape);
    struct run_case *c = loaded(yaml, NULL, 0);
    assert_int_equal(c->plan.conv.out[AXIS_H], out_h);
    assert_int_equal(c->plan.conv.out[AXIS_W], out_w);
    run_case_go(c, 5, true);
    uint64_t bytes = c->result.gm_read_bytes;
    run_case_close(c);
    return bytes;
}

static void test_d51_padding_is_made_on_the_way_and_costs_no_traffic(void **state)
{
    (void)state;
    enum { WEIGHT_BYTES = 16 * 16 * 9 * 2, C0_BYTES = 32 };
    assert_int_equal(read_bytes("input: [1, 16, 25, 9], padding: [1, 1, 1, 1]", 13, 7),
                     25 * 9 * C0_BYTES + WEIGHT_BYTES);
    /* the same outputs from an image that was padded by hand */
    assert_int_equal(read_bytes("input: [1, 16, 27, 11]", 13, 7),
                     27 * 11 * C0_BYTES + WEIGHT_BYTES);
}

/* ---- 52: traffic follows the buffer ---- */

static void test_d52_what_does_not_fit_is_fetched_again(void **state)
{
    (void)state;
    static const char *const residencies[] = {"reload", "keep", "prefetch"};
    static const char *const sizes[] = {"l1.size=512 KiB", "l1.size=64 KiB"};
    for (size_t i = 0; i < COUNT_OF(residencies); i++) {
        uint64_t bytes[COUNT_OF(sizes)], ideal = 0;
        for (size_t k = 0; k < COUNT_OF(sizes); k++) {
            char yaml[256];
            snprintf(yaml, sizeof yaml,
                     "conv: {input: [1, 128, 28, 28], weight: [256, 128, 3, 3], "
                     "padding: [1, 1, 1, 1], dtype: fp16}\n"
                     "schedule: {residency: %s, cores: 1}\n",
                     residencies[i]);
            struct run_case *c = loaded(yaml, &sizes[k], 1);
            run_case_go(c, 1, false);
            bytes[k] = c->result.gm_read_bytes;
            ideal = c->result.tensor_bytes - 28 * 28 * 256 * 2;
            run_case_close(c);
        }
        assert_int_equal(ideal, 28 * 28 * 128 * 2 + 256 * 128 * 9 * 2);
        assert_true(bytes[0] >= ideal);
        assert_true(bytes[1] > bytes[0]);
    }
}

/* ---- 54: a stride is no reason to stop, and no word is overlooked ---- */

static void test_d54_stride_2_runs(void **state)
{
    (void)state;
    struct run_case *c = loaded("conv: {input: [2, 24, 15, 17], weight: [40, 24, 3, 3], "
                                "stride: [2, 2], padding: [1, 1, 1, 1], dtype: fp16}\n",
                                NULL, 0);
    assert_int_equal(c->plan.conv.out[AXIS_H], 8);
    assert_int_equal(c->plan.conv.out[AXIS_W], 9);
    run_case_go(c, 3, true);
    assert_int_equal(c->result.comparison.compared, 2 * 40 * 8 * 9);
    run_case_close(c);
}

static void test_d54_an_unknown_number_is_an_error_with_the_nearest_name(void **state)
{
    (void)state;
    struct run_case *c = loaded("conv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], "
                                "dtype: fp16}\n",
                                NULL, 0);
    assert_int_equal(product_set(&c->product, "l0c.siz=1 KiB", &c->arena, &c->diag),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(diag_text(&c->diag, c->diag.count - 1), "l0c.size"));
    run_case_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_d48_an_mmad_of_16_cycles_from_0_ends_at_16),
        cmocka_unit_test(test_d48_a_run_ends_with_its_last_completion),
        cmocka_unit_test(test_d49_a_cube_that_is_fed_at_once_waits_for_its_first_step_only),
        cmocka_unit_test(test_d49_at_half_the_rate_the_cube_waits_half_the_time_once),
        cmocka_unit_test(test_d51_padding_is_made_on_the_way_and_costs_no_traffic),
        cmocka_unit_test(test_d52_what_does_not_fit_is_fetched_again),
        cmocka_unit_test(test_d54_stride_2_runs),
        cmocka_unit_test(test_d54_an_unknown_number_is_an_error_with_the_nearest_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
