/*
 * Whole runs small enough to know, and what a run must not depend on.
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

#define TINY                                                                                       \
    "conv: {input: [1, 16, 1, 16], weight: [16, 16, 1, 1], dtype: fp16}\n"                         \
    "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 16, tileWout: 16, tileCinFmap: 16, "              \
    "tileCinWeight: 16, tileN: 16}\n"                                                              \
    "tile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 16}\n"

static const char *const layer =
    "conv: {input: [2, 48, 17, 20], weight: [40, 48, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
    "bias: true, relu: true}\nschedule: {residency: prefetch, cores: 5}\n";

static void set(struct run_case *c, const char *assignment)
{
    assert_int_equal(product_set(&c->product, assignment, &c->arena, &c->diag), STATUS_OK);
}

/*
 * One fractal on an A2 without costs of dispatch and flags. A: 40 + ceil(512 / 61) = 49 cycles and
 * 144 of latency, so it is in L1 at 193; B is taken at 40, when the lead of A is over, ends at 40 +
 * 40 + 9 and is in L1 at 233. Load3D 4 cycles from 193; Load2D 6 + 9 behind it from 233, visible 28
 * later at 276. Mmad 3 cycles and 61. Store from 340: 83 + 1 + ceil(512 / 120) = 89 cycles and 60.
 */
static void test_one_fractal_takes_the_sum_of_its_parts(void **state)
{
    (void)state;
    struct run_case *c = run_case_open("tiny");
    assert_int_equal(run_case_load(c, TINY, "atlas-a2"), STATUS_OK);
    set(c, "scalar.startup=0 us");
    set(c, "scalar.dispatch=0 cycles");
    set(c, "sync.wait_flag=0 cycles");
    run_case_go(c, 1, true);
    assert_int_equal(c->result.cores, 1);
    assert_int_equal(c->result.cycles, 340 + 89 + 60);
    assert_int_equal(c->result.path.part[PIPE_MTE2][PATH_LATENCY], 144);
    assert_int_equal(c->result.path.part[PIPE_FIXP][PATH_LATENCY], 60);
    assert_int_equal(c->result.path.cause[CAUSE_STARTUP], 0);
    run_case_close(c);
}

static void test_the_start_up_comes_first_and_is_named(void **state)
{
    (void)state;
    struct run_case *c = run_case_open("tiny");
    assert_int_equal(run_case_load(c, TINY, "atlas-a2"), STATUS_OK);
    run_case_go(c, 1, false);
    assert_int_equal(c->result.path.cause[CAUSE_STARTUP], 4070); /* 2.2 us at 1850 MHz */
    assert_int_equal(c->result.pipe[PIPE_MTE2].wait[CAUSE_STARTUP] > 4070, true);
    assert_string_equal(c->result.bound, "scalar");
    run_case_close(c);
}

static void test_two_runs_are_the_same_run(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        struct run_case *c = run_case_open("layer");
        assert_int_equal(run_case_load(c, layer, "atlas-a2"), STATUS_OK);
        run_case_go(c, 1, i == 0);
        hash[i] = c->timeline_hash;
        run_case_close(c);
    }
    assert_true(hash[0] == hash[1]);
}

static void test_a_run_is_the_same_without_observers(void **state)
{
    (void)state;
    struct run_case *c = run_case_open("layer");
    assert_int_equal(run_case_load(c, layer, "atlas-a2"), STATUS_OK);
    run_case_go(c, 1, false);
    struct run_result bare;
    struct run_options options = {.timing_only = true};
    assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &bare), STATUS_OK);
    assert_int_equal(bare.cycles, c->result.cycles);
    assert_int_equal(bare.instructions, c->result.instructions);
    assert_int_equal(bare.path.step, 0); /* nobody was told */
    bare.path.step = c->result.path.step;
    assert_memory_equal(&bare.path, &c->result.path, sizeof bare.path);
    assert_memory_equal(bare.pipe, c->result.pipe, bare.cores * PIPE_COUNT * sizeof bare.pipe[0]);
    run_case_close(c);
}

static void test_product_numbers_never_change_bytes(void **state)
{
    (void)state;
    struct run_case *slow = run_case_open("slow"), *fast = run_case_open("fast");
    assert_int_equal(run_case_load(slow, layer, "atlas-a2"), STATUS_OK);
    assert_int_equal(run_case_load(fast, layer, "atlas-a2"), STATUS_OK);
    set(slow, "mte1.l1_to_l0a.rate=1 B/cycle");
    run_case_go(slow, 1, true);
    run_case_go(fast, 1, true);
    assert_true(slow->result.cycles > fast->result.cycles);
    assert_memory_equal(slow->result.output.data, fast->result.output.data,
                        fast->result.output.count * 2);
    run_case_close(slow);
    run_case_close(fast);
}

static void test_the_range_holds_the_nominal_time(void **state)
{
    (void)state;
    struct run_case *c = run_case_open("layer");
    assert_int_equal(run_case_load(c, layer, "atlas-a2"), STATUS_OK);
    struct run_options options = {.timing_only = true, .with_range = true};
    assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result), STATUS_OK);
    double time_us = (double)c->result.cycles / 1850.0;
    assert_true(c->result.range_us[0] < time_us);
    assert_true(c->result.range_us[1] > time_us);
    run_case_close(c);
}

/* Mmads that saturate give what the reference gives, wherever the tile cuts K: 27 C0 blocks of each
 * of three depths in steps of 1, 3, 9 or all of them. */
static void test_a_sum_that_leaves_its_type_between_two_mmads_is_verified(void **state)
{
    (void)state;
    static const struct {
        const char *product, *dtype, *out;
        int c0;
    } types[] = {
        {"atlas-a2", "fp32", "fp32", 8},         {"atlas-a2", "bf16", "fp32", 16},
        {"atlas-a2", "fp16", "fp32", 16},        {"atlas-a2", "int8", "int32", 32},
        {"atlas-inference", "fp16", "fp16", 16}, {"atlas-inference", "int8", "int32", 32},
        {"ascend-950pr", "bf16", "bf16", 16},
    };
    static const int blocks[] = {1, 3, 9, 27};
    for (size_t i = 0; i < sizeof types / sizeof types[0] * 4; i++) {
        int c0 = types[i / 4].c0;
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, %d, 3, 4, 16], weight: [16, %d, 3, 3, 3], bias: true, "
                 "padding: [1, 1, 1, 1, 1, 1], dtype: %s, out_dtype: %s}\n"
                 "tile: {mAL1: 64, nBL1: 16, kAL1: %d, kBL1: %d, mL0: 32, nL0: 16, kL0: %d}\n"
                 "schedule: {cores: 1}\nrules: vendor\n",
                 3 * c0, 3 * c0, types[i / 4].dtype, types[i / 4].out, 27 * c0, 27 * c0,
                 blocks[i % 4] * c0);
        struct run_case *c = run_case_open(yaml);
        enum status status = run_case_load(c, yaml, types[i / 4].product);
        if (status != STATUS_OK)
            fail_msg("%s: %s", yaml, c->diag.count > 0 ? diag_text(&c->diag, 0) : "rules");
        c->extreme = true;
        run_case_go(c, i, true);
        run_case_close(c);
    }
}

/* The same layer needs more bytes when less of it fits. */
static void test_a_smaller_l1_means_more_traffic(void **state)
{
    (void)state;
    static const char *const yaml =
        "conv: {input: [1, 64, 28, 32], weight: [128, 64, 3, 3], padding: [1, 1, 1, 1], "
        "dtype: fp16}\nschedule: {residency: keep, cores: 1}\n";
    uint64_t bytes[2];
    for (int i = 0; i < 2; i++) {
        struct run_case *c = run_case_open("l1");
        assert_int_equal(
            plan_parse("l1", yaml, "atlas-a2", &c->arena, &c->diag, &c->product, &c->plan),
            STATUS_OK);
        set(c, i == 0 ? "l1.size=512 KiB" : "l1.size=64 KiB");
        assert_int_equal(plan_resolve(&c->plan, &c->product, &c->arena, &c->diag), STATUS_OK);
        run_case_go(c, 1, true);
        bytes[i] = c->result.gm_read_bytes;
        assert_true(bytes[i] + c->result.gm_write_bytes >= c->result.tensor_bytes);
        run_case_close(c);
    }
    assert_true(bytes[1] > bytes[0]);
}

static void test_a_warm_l2_misses_nothing_and_a_small_one_misses_again(void **state)
{
    (void)state;
    static const char *const words[] = {"cold", "warm", "cold"};
    uint64_t miss[3], read = 0;
    for (int i = 0; i < 3; i++) {
        struct run_case *c = run_case_open("l2");
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 64, 28, 32], weight: [128, 64, 3, 3], "
                 "padding: [1, 1, 1, 1], dtype: fp16}\nschedule: {l2: %s, cores: 4}\n",
                 words[i]);
        assert_int_equal(run_case_load(c, yaml, "atlas-a2"), STATUS_OK);
        if (i == 2)
            set(c, "l2.size=0 B");
        run_case_go(c, 1, false);
        miss[i] = c->result.gm_miss_bytes;
        read = c->result.gm_read_bytes;
        if (i == 0) /* each byte once: the inputs */
            assert_int_equal(miss[i], 64 * 28 * 32 * 2 + 128 * 64 * 9 * 2);
        run_case_close(c);
    }
    assert_int_equal(miss[1], 0);
    assert_int_equal(miss[2], read);
}

/* Written bytes count as written once, and apart from that as pushed on where L2 is too small. */
static void test_an_output_beyond_l2_is_pushed_on_to_gm_and_one_that_fits_is_not(void **state)
{
    (void)state;
    static const char *const sizes[] = {"l2.size=4 MiB", "l2.size=64 KiB", "l2.size=0 B"};
    uint64_t written[3], pushed[3];
    for (int i = 0; i < 3; i++) {
        struct run_case *c = run_case_open("back");
        assert_int_equal(run_case_load(c,
                                       "conv: {input: [1, 16, 64, 64], weight: [64, 16, 1, 1], "
                                       "dtype: fp16}\nschedule: {cores: 4}\n",
                                       "atlas-a2"),
                         STATUS_OK);
        set(c, sizes[i]);
        run_case_go(c, 1, false);
        written[i] = c->result.gm_write_bytes;
        pushed[i] = c->result.gm_write_back_bytes;
        run_case_close(c);
    }
    assert_int_equal(written[0], 64 * 64 * 64 * 2);
    assert_int_equal(written[1], written[0]);
    assert_int_equal(pushed[0], 0);
    assert_in_range(pushed[1], written[0] - 64 * 1024, written[0]); /* all but what L2 holds */
    assert_int_equal(pushed[2], written[0]);
}

/* The rows of the tiles of a layer in two L0C slots, by what the checks below look at. */
struct seen {
    tick mmad_start[8], mmad_end[8], store_start[8], store_end[8], freed[32];
    uint32_t mmads, stores, frees, cores_seen;
    uint32_t unit_flag_waits;
};

static enum status see(void *context, const struct timeline_row *line)
{
    struct seen *seen = context;
    const struct row *row = line->row;
    seen->cores_seen |= UINT32_C(1) << row->core;
    if (line->insn->opcode == OP_MMAD && line->insn->field[MMAD_unitFlag] != 2) {
        seen->mmad_start[seen->mmads] = row->start;
        seen->mmad_end[seen->mmads++] = row->end;
    } else if (line->insn->opcode == OP_FIXPIPE) {
        seen->store_start[seen->stores] = row->start;
        seen->store_end[seen->stores++] = row->end;
    } else if (line->insn->opcode == OP_SET_FLAG && row->pipe == PIPE_CUBE && row->start > 4200 &&
               line->insn->field[SET_FLAG_dst] == PIPE_MTE1) {
        seen->freed[seen->frees++] = row->start;
    }
    seen->unit_flag_waits += row->cause == CAUSE_UNIT_FLAG;
    return STATUS_OK;
}

static struct seen seen_of(const char *yaml, bool core0_only)
{
    struct seen seen = {.mmads = 0};
    struct run_case *c = run_case_open("seen");
    assert_int_equal(run_case_load(c, yaml, "atlas-a2"), STATUS_OK);
    struct run_options options = {
        .timing_only = true, .sink = see, .sink_context = &seen, .core0_only = core0_only};
    assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result), STATUS_OK);
    run_case_close(c);
    return seen;
}

#define FOUR_TILES                                                                                 \
    "conv: {input: [1, 32, 4, 128], weight: [64, 32, 1, 1], dtype: fp16}\n"                        \
    "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 128, tileWout: 128, tileCinFmap: 32, "            \
    "tileCinWeight: 32, tileN: 64}\ntile_l0: {tileH: 1, tileW: 128, tileK: 32, tileN: 64}\n"

/* The operands of an Mmad are free when it has read them, before its results are out. */
static void test_l0_slots_are_free_at_the_end_of_an_mmad(void **state)
{
    (void)state;
    struct seen seen = seen_of(FOUR_TILES "schedule: {cores: 1}\n", false);
    assert_int_equal(seen.mmads, 4);
    assert_int_equal(seen.frees, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(seen.freed[i], seen.mmad_end[i]);
}

/* With unit flags a store begins 60 cycles after its Mmad, and the next Mmad of its slot waits for
 * its end; with two slots, the one after the next. */
static void test_unit_flags_pair_mmads_and_stores_by_slot(void **state)
{
    (void)state;
    for (uint32_t slots = 1; slots <= 2; slots++) {
        struct seen seen = seen_of(
            slots == 1 ? FOUR_TILES "schedule: {cores: 1, unit_flag: true, l0c_buffers: 1}\n"
                       : FOUR_TILES "schedule: {cores: 1, unit_flag: true, l0c_buffers: 2}\n",
            false);
        assert_int_equal(seen.stores, 4);
        assert_int_equal(seen.store_start[0], seen.mmad_start[0] + 60);
        for (uint32_t i = 0; i < 4; i++) {
            assert_true(seen.store_start[i] >= seen.mmad_start[i] + 60);
            assert_true(seen.store_end[i] >= seen.mmad_end[i] + 61);
            if (i >= slots)
                assert_true(seen.mmad_start[i] >= seen.store_end[i - slots]);
        }
        if (slots == 2) /* the second does not wait for the first store */
            assert_true(seen.mmad_start[1] < seen.store_end[0]);
        assert_true(seen.unit_flag_waits > 0);
    }
}

/* The last depth meets the first kernel depth only, those before it both: from the same weights on,
 * but not the same chunks. */
static void test_weights_that_stay_are_those_of_as_many_kernel_depths(void **state)
{
    (void)state;
    static const char *const policies[] = {"keep", "prefetch"};
    for (size_t i = 0; i < 2; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [2, 16, 3, 4, 16], weight: [16, 16, 2, 1, 1], "
                 "padding: [0, 1, 0, 0, 0, 0], dtype: fp16}\n"
                 "tile: {mAL1: 64, mL0: 64, nBL1: 16, nL0: 16, kAL1: 16, kBL1: 16, kL0: 16}\n"
                 "schedule: {cores: 1, residency: %s}\n",
                 policies[i]);
        struct run_case *c = run_case_open(policies[i]);
        assert_int_equal(run_case_load(c, yaml, "atlas-a2"), STATUS_OK);
        run_case_go(c, 1, true);
        run_case_close(c);
    }
}

static void test_an_observer_of_core_0_sees_no_other(void **state)
{
    (void)state;
    assert_int_equal(seen_of(FOUR_TILES "schedule: {cores: 2}\n", true).cores_seen, 1);
    assert_int_equal(seen_of(FOUR_TILES "schedule: {cores: 2}\n", false).cores_seen, 3);
}

/* Waits cost what sync.wait_flag says, and rest on its basis. */
static void test_the_cost_of_flags_rests_on_its_own_number(void **state)
{
    (void)state;
    struct run_case *c = run_case_open("basis");
    assert_int_equal(run_case_load(c, TINY, "atlas-a2"), STATUS_OK);
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++)
        c->product.number[key].basis = BASIS_VENDOR;
    c->product.number[PRODUCT_SYNC_WAIT].basis = BASIS_FITTED;
    run_case_go(c, 1, false);
    assert_true(c->result.path.cause[CAUSE_FLAG] > 0);
    assert_int_equal(c->result.path.by_class[BASIS_FITTED], c->result.path.cause[CAUSE_FLAG]);
    run_case_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_fractal_takes_the_sum_of_its_parts),
        cmocka_unit_test(test_the_start_up_comes_first_and_is_named),
        cmocka_unit_test(test_two_runs_are_the_same_run),
        cmocka_unit_test(test_a_run_is_the_same_without_observers),
        cmocka_unit_test(test_product_numbers_never_change_bytes),
        cmocka_unit_test(test_the_range_holds_the_nominal_time),
        cmocka_unit_test(test_a_sum_that_leaves_its_type_between_two_mmads_is_verified),
        cmocka_unit_test(test_a_smaller_l1_means_more_traffic),
        cmocka_unit_test(test_l0_slots_are_free_at_the_end_of_an_mmad),
        cmocka_unit_test(test_unit_flags_pair_mmads_and_stores_by_slot),
        cmocka_unit_test(test_weights_that_stay_are_those_of_as_many_kernel_depths),
        cmocka_unit_test(test_an_observer_of_core_0_sees_no_other),
        cmocka_unit_test(test_the_cost_of_flags_rests_on_its_own_number),
        cmocka_unit_test(test_a_warm_l2_misses_nothing_and_a_small_one_misses_again),
        cmocka_unit_test(test_an_output_beyond_l2_is_pushed_on_to_gm_and_one_that_fits_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
