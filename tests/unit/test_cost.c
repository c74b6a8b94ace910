/*
 * The cost of single instructions, against the figures that docs/hardware.md cites.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/cost_rig.h"

enum { RATE_ONE = 1 << 16 };
static struct insn mmad(enum element type, int64_t m, int64_t n, int64_t k)
{
    struct insn insn;
    insn_init(&insn, OP_MMAD);
    insn.field[MMAD_type] = type;
    insn.field[MMAD_m] = m;
    insn.field[MMAD_n] = n;
    insn.field[MMAD_k] = k;
    return insn;
}

static void test_mmad_takes_its_steps_and_an_interval(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = mmad(ELEMENT_FP16, 128, 256, 64);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 512 + 2);
    assert_int_equal(cost(&rig, &insn, 0).latency, 61);
    insn = mmad(ELEMENT_FP16, 1, 1, 1);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 1 + 2);
    insn = mmad(ELEMENT_FP16, 17, 33, 17);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 2 * 3 * 2 + 2);
    cost_rig_close(&rig);
}

/* Rounding K to ceil(k / 16) * k0 would give 200 % for fp32 and half the rate for int8. */
static void test_k_is_rounded_to_the_step_of_its_type(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = mmad(ELEMENT_FP32, 16, 16, 16);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 4 + 2);
    insn = mmad(ELEMENT_INT8, 16, 16, 32);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 1 + 2);
    cost_rig_close(&rig);
    cost_rig_open(&rig, "ascend-950pr", 1);
    insn = mmad(ELEMENT_FP32, 16, 16, 16);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 16 + 3); /* 8 a step, 2.6 an issue */
    cost_rig_close(&rig);
}

/* The same 64 steps of 32 bytes: HF32 doubles the rate of A2 and is 8 times as fast on 950. */
static void test_4_bits_and_hf32_have_steps_of_their_own(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = mmad(ELEMENT_INT4, 64, 64, 256);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 64 + 2);
    insn = mmad(ELEMENT_FP32, 64, 64, 32);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 128 + 2);
    insn.field[MMAD_hf32] = 1;
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 64 + 2);
    assert_int_equal(product_set(&rig.product, "cube.fractal_b4=3 cycles", &rig.arena, &rig.diag),
                     STATUS_OK);
    cost_init(&rig.model, &rig.product, &rig.program, 1);
    insn = mmad(ELEMENT_INT4, 64, 64, 256);
    insn.field[MMAD_hf32] = 1; /* of no effect */
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 3 * 64 + 2);
    cost_rig_close(&rig);
    cost_rig_open(&rig, "ascend-950pr", 1);
    insn = mmad(ELEMENT_FP32, 64, 64, 32);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 512 + 3);
    insn.field[MMAD_hf32] = 1;
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 64 + 3);
    insn = mmad(ELEMENT_FP8_E5M2, 64, 64, 128);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 64 + 3);
    cost_rig_close(&rig);
}

static struct insn load2d(int target, int64_t fractals)
{
    struct insn insn;
    insn_init(&insn, OP_LOAD2D);
    insn.operand[LOAD2D_dst].region = (uint32_t)target;
    insn.operand[LOAD2D_src].region = L1;
    insn.field[LOAD2D_repeatTimes] = fractals;
    return insn;
}

/* Back to back: 1 KiB to L0A 6.1 cycles, 2 KiB 10.1, 64 KiB 258; 1 KiB to L0B 10.1. */
static void test_load2d_gives_the_measured_intervals(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = load2d(L0A, 2);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 6);
    assert_int_equal(cost(&rig, &insn, 0).latency, 28);
    insn = load2d(L0A, 4);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 10);
    insn = load2d(L0A, 128);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 258);
    insn = load2d(L0B, 2);
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 10);
    cost_rig_close(&rig);
}

/* What comes from GM costs what a copy of its fractals costs. */
static void test_fractals_from_gm_are_a_copy(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = load2d(L0A, 4);
    insn.operand[LOAD2D_src].region = GM;
    insn.pipe = PIPE_MTE2;
    insn.field[LOAD2D_srcStride] = 1;
    struct insn plain;
    insn_init(&plain, OP_DATA_COPY);
    plain.operand[DATA_COPY_dst].region = L1;
    plain.operand[DATA_COPY_src].region = GM;
    plain.field[DATA_COPY_blockLen] = 64;
    struct job fractals = cost(&rig, &insn, 1024), bytes = cost(&rig, &plain, 1024);
    assert_int_equal(fractals.occupancy, bytes.occupancy);
    assert_int_equal(fractals.latency, bytes.latency);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(fractals.leg[i].bytes, bytes.leg[i].bytes);
        assert_int_equal(fractals.leg[i].cap, bytes.leg[i].cap);
    }
    cost_rig_close(&rig);
}

/* 15 cycles and 2 KiB at 32 B/cycle. */
static void test_quantisation_words_take_a_fixed_cost_and_their_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *product;
        int64_t length;
        tick latency;
    } cases[] = {{"atlas-a2", 16, 5}, {"ascend-950pr", 32, 11}};
    for (size_t i = 0; i < 2; i++) {
        struct cost_rig rig;
        struct insn insn;
        cost_rig_open(&rig, cases[i].product, 1);
        insn_init(&insn, OP_LOAD_FB);
        insn.field[LOAD_FB_blockLen] = cases[i].length;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, 15 + 64);
        assert_int_equal(cost(&rig, &insn, 0).latency, cases[i].latency);
        cost_rig_close(&rig);
    }
}

/* Two public tables differ by two; the rates are data. */
static void test_rates_of_l1_to_l0_are_data(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn a = load2d(L0A, 24), b = load2d(L0B, 48); /* 128 x 48 and 48 x 256 in fp16 */
    assert_int_equal(cost(&rig, &a, 0).occupancy + cost(&rig, &b, 0).occupancy, 240 + 4);
    assert_int_equal(
        product_set(&rig.product, "mte1.l1_to_l0a.rate=512 B/cycle", &rig.arena, &rig.diag),
        STATUS_OK);
    assert_int_equal(
        product_set(&rig.product, "mte1.l1_to_l0b.rate=256 B/cycle", &rig.arena, &rig.diag),
        STATUS_OK);
    cost_init(&rig.model, &rig.product, &rig.program, 1);
    assert_int_equal(cost(&rig, &a, 0).occupancy + cost(&rig, &b, 0).occupancy, 120 + 4);
    cost_rig_close(&rig);
}

static struct insn load3d(int64_t stride, int64_t width, int64_t m, int64_t k)
{
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    insn.operand[LOAD3DV2_dst].region = L0A;
    insn.operand[LOAD3DV2_src].region = L1;
    insn.field[LOAD3DV2_l1H] = 64;
    insn.field[LOAD3DV2_l1W] = (width - 1) * stride + 3;
    insn.field[LOAD3DV2_channelSize] = 64;
    insn.field[LOAD3DV2_filterW] = insn.field[LOAD3DV2_filterH] = 3;
    insn.field[LOAD3DV2_strideW] = insn.field[LOAD3DV2_strideH] = stride;
    insn.field[LOAD3DV2_mExtension] = m;
    insn.field[LOAD3DV2_kExtension] = k;
    return insn;
}

static tick load3d_body(const struct cost_rig *rig, int64_t stride, int64_t width, int64_t m)
{
    struct insn insn = load3d(stride, width, m, 64);
    return cost(rig, &insn, 0).occupancy - 2; /* 2.1 cycles of issue */
}

static void test_load3d_slows_down_with_stride_and_rows(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    tick bytes = 64 * 64 * 2;
    assert_int_equal(load3d_body(&rig, 1, 64, 64), bytes / 256);
    assert_int_equal(load3d_body(&rig, 1, 32, 64), bytes / 256); /* two rows: none measured */
    assert_int_equal(load3d_body(&rig, 1, 16, 64), (bytes + 51) / 102); /* 512 / (2 + 3) */
    assert_int_equal(load3d_body(&rig, 2, 64, 64), bytes / 128);
    assert_int_equal(load3d_body(&rig, 4, 64, 64), bytes / 64);
    assert_int_equal(load3d_body(&rig, 8, 64, 64), bytes / 32);
    assert_int_equal(load3d_body(&rig, 3, 64, 64), bytes / 32);
    assert_int_equal(load3d_body(&rig, 16, 64, 64), bytes / 32);
    assert_int_equal(load3d_body(&rig, 1, 1, 64), bytes / 32); /* never under the floor */
    struct insn insn = load3d(1, 64, 64, 64);
    assert_int_equal(cost(&rig, &insn, 0).latency, 50);
    cost_rig_close(&rig);
}

static struct insn copy(int64_t count, int64_t blocks, int64_t gap)
{
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY);
    insn.operand[DATA_COPY_dst].region = L1;
    insn.operand[DATA_COPY_src].region = GM;
    insn.field[DATA_COPY_blockCount] = count;
    insn.field[DATA_COPY_blockLen] = blocks;
    insn.field[DATA_COPY_srcGap] = gap;
    return insn;
}

static struct insn nd2nz(int64_t rows)
{
    struct insn insn;
    insn_init(&insn, OP_ND2NZ);
    insn.operand[ND2NZ_dst].region = L1;
    insn.operand[ND2NZ_src].region = GM;
    insn.field[ND2NZ_nValue] = rows;
    insn.field[ND2NZ_dValue] = insn.field[ND2NZ_srcDValue] = 64; /* they follow each other */
    insn.field[ND2NZ_dstNzC0Stride] = rows;
    return insn;
}

static void test_a_copy_is_split_into_misses_and_hits(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = copy(1, 512, 0); /* 16 KiB in a row */
    struct job job = cost(&rig, &insn, 4096);
    assert_int_equal(job.occupancy, 40);
    assert_int_equal(job.latency, 144);
    assert_int_equal(job.leg[0].link, MODEL_LINK_GM);
    assert_int_equal(job.leg[0].bytes, 4096);
    assert_int_equal(job.leg[0].cap >> 16, 61); /* 64 x 512 B in 64 x 3.384 + 320 cycles */
    assert_int_equal(job.leg[1].bytes, 0);
    assert_int_equal(job.leg[2].link, MODEL_LINK_L2_READ);
    assert_int_equal(job.leg[2].bytes, 16384 - 4096);
    assert_int_equal(job.leg[2].cap >> 16, 166);
    /* 32 requests at 3.384 cycles; 64 are under way at once. The next copy begins meanwhile. */
    assert_int_equal(job.lead, 40);
    assert_int_equal(job.service, 40 + 108);
    assert_int_equal(job.window, 217);
    assert_int_equal(job.round_trip, 0);
    assert_false(job.contends);
    cost_rig_close(&rig);
}

static void test_the_largest_rates_and_windows_leave_the_port(void **state)
{
    (void)state;
    static const char *const sets[] = {"l2.read_rate=65536 B/cycle", "mte2.window=65536",
                                       "l2.slices=65536"};
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        assert_int_equal(product_set(&rig.product, sets[i], &rig.arena, &rig.diag), STATUS_OK);
    cost_init(&rig.model, &rig.product, &rig.program, 24);
    struct insn insn = copy(1, 512, 0);
    assert_int_equal(cost(&rig, &insn, 0).leg[2].cap >> 16, 166);
    cost_rig_close(&rig);
}

static void test_short_rows_load_the_gm_link_with_more_than_their_bytes(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = copy(8, 4, 4); /* 8 rows of 128 B */
    struct job job = cost(&rig, &insn, 1024);
    assert_int_equal(job.leg[0].bytes, (1024 * 100 + 74) / 75);
    assert_int_equal(job.leg[2].bytes, 0);
    /* A request a row, and what the link loses does not slow the core: 1024 / 61. */
    assert_int_equal(job.service, 40 + 27);
    tick alone = (job.leg[0].bytes * RATE_ONE + job.leg[0].cap - 1) / job.leg[0].cap;
    assert_int_equal(alone, 17);
    cost_rig_close(&rig);
}

static void test_rows_that_begin_anywhere_come_slowly(void **state)
{
    (void)state;
    struct cost_rig rig;
    struct insn insn = nd2nz(4);
    cost_rig_open(&rig, "atlas-a2", 1);
    insn.field[ND2NZ_dValue] = 256;
    insn.field[ND2NZ_srcDValue] = 272; /* 544 B, a multiple of 32 */
    assert_int_equal(cost(&rig, &insn, 2048).service, 40 + 14);
    insn.field[ND2NZ_srcDValue] = 273;
    assert_int_equal(cost(&rig, &insn, 2048).service, 40 + 127); /* 2048 / 16.1 */
    assert_int_equal(cost(&rig, &insn, 0).service, 40 + 127);
    cost_rig_close(&rig);
}

static void test_matrices_that_begin_anywhere_come_slowly(void **state)
{
    (void)state;
    struct cost_rig rig;
    struct insn insn = nd2nz(2);
    cost_rig_open(&rig, "atlas-a2", 1);
    insn.field[ND2NZ_ndNum] = 2;
    insn.field[ND2NZ_dValue] = 256;
    insn.field[ND2NZ_srcDValue] = 272;
    insn.field[ND2NZ_srcNdMatrixStride] = 1024; /* 2048 B, a multiple of 32 */
    assert_int_equal(cost(&rig, &insn, 2048).service, 40 + 14);
    insn.field[ND2NZ_srcNdMatrixStride] = 1025;
    assert_int_equal(cost(&rig, &insn, 2048).service, 40 + 127);
    cost_rig_close(&rig);
}

static void test_the_ends_of_the_load3d_rule_are_where_the_keys_say(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    assert_int_equal(product_set(&rig.product, "mte1.load3d.stride_max=4", &rig.arena, &rig.diag),
                     STATUS_OK);
    cost_init(&rig.model, &rig.product, &rig.program, 1);
    assert_int_equal(load3d_body(&rig, 4, 64, 64), 64 * 64 * 2 / 64);
    /* A repeat spans the rows of all its iterations: four rows, 512 / (2 + 3). */
    struct insn insn = load3d(1, 64, 16, 64);
    insn.field[LOAD3DV2_repeatTime] = 4;
    insn.field[LOAD3DV2_repeatStride] = 4;
    assert_int_equal(cost(&rig, &insn, 0).occupancy - 2, (64 * 64 * 2 + 51) / 102);
    cost_rig_close(&rig);
}

/* A block is as long as whole fractals; rows behind the last output cost nothing. */
static void test_rows_behind_the_image_are_not_walked(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = load3d(1, 7, 16, 64);
    insn.field[LOAD3DV2_l1H] = 3; /* one row of seven outputs */
    assert_int_equal(cost(&rig, &insn, 0).occupancy - 2, 16 * 64 * 2 / 256);
    cost_rig_close(&rig);
}

/* 16 windows of 32 B each a repeat, whatever they hold. */
static void test_load3dv1_costs_its_fractals(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-inference", 1);
    struct insn block = load3d(1, 64, 16, 16);
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV1);
    insn.operand[LOAD3DV1_dst].region = L0A;
    insn.operand[LOAD3DV1_src].region = L1;
    insn.field[LOAD3DV1_l1H] = insn.field[LOAD3DV1_l1W] = 66;
    insn.field[LOAD3DV1_filterW] = insn.field[LOAD3DV1_filterH] = 3;
    for (int64_t time = 1; time < 40; time++) {
        block.field[LOAD3DV2_kExtension] = time * 16;
        insn.field[LOAD3DV1_repeatTime] = time;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, cost(&rig, &block, 0).occupancy);
        assert_int_equal(cost(&rig, &insn, 0).latency, cost(&rig, &block, 0).latency);
    }
    cost_rig_close(&rig);
}

static void test_every_form_of_load3d_costs_what_the_same_load3dv2_does(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "ascend-950pr", 1);
    for (int64_t stride = 1; stride < 9; stride++) {
        struct insn block = load3d(stride, 8, 32, 48);
        tick wanted = cost(&rig, &block, 0).occupancy;
        struct insn insn = block;
        insn.opcode = OP_LOAD_DATA_WITH_STRIDE;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, wanted);
        insn_init(&insn, OP_LOAD3DV2PRO);
        memcpy(insn.operand, block.operand, sizeof insn.operand);
        insn.field[LOAD3DV2PRO_l1H] = block.field[LOAD3DV2_l1H];
        insn.field[LOAD3DV2PRO_l1W] = block.field[LOAD3DV2_l1W];
        insn.field[LOAD3DV2PRO_channelSize] = 64;
        insn.field[LOAD3DV2PRO_extConfig] = 32 << 16 | 48;
        insn.field[LOAD3DV2PRO_filterConfig] = 0x010103030000 | stride << 8 | stride;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, wanted);
        insn_init(&insn, OP_COPY_L12L0A_IMG2COL);
        memcpy(insn.operand, block.operand, sizeof insn.operand);
        memcpy(insn.field, block.field, (LOAD3DV2_filterSizeH + 1) * sizeof insn.field[0]);
        insn.field[COPY_L12L0A_IMG2COL_C1] = 4;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, wanted);
    }
    cost_rig_close(&rig);
}

static void test_a_tensor_copy_costs_what_load2dv2_does(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "ascend-950pr", 1);
    struct insn load, insn;
    insn_init(&load, OP_LOAD2DV2);
    load.operand[LOAD2DV2_dst].region = L0A;
    load.operand[LOAD2DV2_src].region = L1;
    load.field[LOAD2DV2_mStep] = 3;
    load.field[LOAD2DV2_kStep] = 10;
    insn_init(&insn, OP_COPY_L12L0A);
    insn.operand[COPY_L12L0A_dst].region = L0A;
    insn.operand[COPY_L12L0A_src].region = L1;
    insn.field[COPY_L12L0A_m] = 40;
    insn.field[COPY_L12L0A_k] = 70;
    insn.field[COPY_L12L0A_batch] = 2;
    assert_int_equal(cost(&rig, &insn, 0).occupancy, cost(&rig, &load, 0).occupancy);
    assert_int_equal(cost(&rig, &insn, 0).latency, cost(&rig, &load, 0).latency);
    cost_rig_close(&rig);
}

static void test_a_row_of_a_whole_line_is_not_short(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = copy(4, 16, 16); /* rows of 512 B */
    assert_int_equal(cost(&rig, &insn, 2048).leg[0].bytes, 2048);
    insn = copy(4, 15, 16); /* of 480 B */
    assert_int_equal(cost(&rig, &insn, 1920).leg[0].bytes, 2560);
    cost_rig_close(&rig);
}

static void test_requests_and_bytes_of_a_copy_have_the_basis_of_their_own_numbers(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    rig.model.number[PRODUCT_MTE2_PORT].basis = BASIS_VENDOR;
    rig.model.mte2_request.basis = BASIS_GUESS;
    struct insn insn = copy(8, 4, 4);
    assert_int_equal(cost(&rig, &insn, 0).leg[2].class_index, BASIS_VENDOR);
    assert_int_equal(cost(&rig, &insn, 0).service_class, BASIS_GUESS);
    cost_rig_close(&rig);
}

static void test_a_copy_that_changes_the_layout_is_whole_after_a_round_trip(void **state)
{
    (void)state;
    struct cost_rig rig;
    struct insn insn = nd2nz(64); /* of 128 B */
    cost_rig_open(&rig, "ascend-950pr", 1);
    struct job job = cost(&rig, &insn, 0);
    assert_int_equal(job.service, 84 + 147); /* 64 x 2.297 */
    assert_int_equal(job.round_trip, 588);   /* 256 x 2.297 */
    assert_true(job.contends);
    cost_rig_close(&rig);
    cost_rig_open(&rig, "atlas-a2", 24);
    assert_int_equal(cost(&rig, &insn, 0).service, 40 + 230); /* all cores: 64 x 3.587 */
    cost_rig_close(&rig);
}

static void test_loads_of_l0_take_longer_while_a_layout_changes(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn insn = load2d(L0B, 32); /* 16 KiB: 128 cycles */
    struct job job = cost(&rig, &insn, 0);
    assert_int_equal(job.rival, PIPE_MTE2);
    assert_int_equal(job.contended, 24); /* 19 % */
    cost_rig_close(&rig);
}

static void test_the_first_load_to_l0b_behind_one_to_l0a_costs_more(void **state)
{
    (void)state;
    struct cost_rig rig;
    struct cost_history history = {0};
    cost_rig_open(&rig, "atlas-a2", 1);
    struct insn a = load2d(L0A, 1), b = load2d(L0B, 1);
    const struct insn *order[] = {&b, &a, &b, &b};
    static const tick expected[] = {6, 4, 6 + 9, 6}; /* 512 B at 256 or 128, and 2.1; 8.5 */
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        struct job job;
        memset(&job, 0, sizeof job);
        cost_job(&rig.model, &history, order[i], NULL, &job);
        assert_int_equal(job.occupancy, expected[i]);
    }
    cost_rig_close(&rig);
}

static void test_the_latency_of_a_copy_grows_with_the_cores(void **state)
{
    (void)state;
    struct cost_rig rig;
    struct insn insn = copy(1, 16, 0);
    cost_rig_open(&rig, "atlas-a2", 24);
    assert_int_equal(cost(&rig, &insn, 0).latency, 485);
    cost_init(&rig.model, &rig.product, &rig.program, 12);
    assert_int_equal(cost(&rig, &insn, 0).latency, 144 + 341 * 11 / 23);
    cost_init(&rig.model, &rig.product, &rig.program, 2);
    assert_int_equal(cost(&rig, &insn, 0).latency, 159); /* 144 + 341 / 23, to nearest */
    cost_rig_close(&rig);
    cost_rig_open(&rig, "ascend310b1", 1);
    assert_int_equal(cost(&rig, &insn, 0).latency, 144);
    cost_rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mmad_takes_its_steps_and_an_interval),
        cmocka_unit_test(test_k_is_rounded_to_the_step_of_its_type),
        cmocka_unit_test(test_4_bits_and_hf32_have_steps_of_their_own),
        cmocka_unit_test(test_load2d_gives_the_measured_intervals),
        cmocka_unit_test(test_fractals_from_gm_are_a_copy),
        cmocka_unit_test(test_quantisation_words_take_a_fixed_cost_and_their_bytes),
        cmocka_unit_test(test_rates_of_l1_to_l0_are_data),
        cmocka_unit_test(test_load3d_slows_down_with_stride_and_rows),
        cmocka_unit_test(test_a_copy_is_split_into_misses_and_hits),
        cmocka_unit_test(test_the_largest_rates_and_windows_leave_the_port),
        cmocka_unit_test(test_short_rows_load_the_gm_link_with_more_than_their_bytes),
        cmocka_unit_test(test_rows_that_begin_anywhere_come_slowly),
        cmocka_unit_test(test_matrices_that_begin_anywhere_come_slowly),
        cmocka_unit_test(test_the_ends_of_the_load3d_rule_are_where_the_keys_say),
        cmocka_unit_test(test_rows_behind_the_image_are_not_walked),
        cmocka_unit_test(test_load3dv1_costs_its_fractals),
        cmocka_unit_test(test_every_form_of_load3d_costs_what_the_same_load3dv2_does),
        cmocka_unit_test(test_a_tensor_copy_costs_what_load2dv2_does),
        cmocka_unit_test(test_a_row_of_a_whole_line_is_not_short),
        cmocka_unit_test(test_requests_and_bytes_of_a_copy_have_the_basis_of_their_own_numbers),
        cmocka_unit_test(test_a_copy_that_changes_the_layout_is_whole_after_a_round_trip),
        cmocka_unit_test(test_loads_of_l0_take_longer_while_a_layout_changes),
        cmocka_unit_test(test_the_first_load_to_l0b_behind_one_to_l0a_costs_more),
        cmocka_unit_test(test_the_latency_of_a_copy_grows_with_the_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
