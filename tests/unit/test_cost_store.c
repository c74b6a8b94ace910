/*
 * The cost of instructions that bring results out of L0C, against the figures of docs/hardware.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/link.h"
#include "tests/support/cost_rig.h"

static void test_a_split_store_has_twice_the_groups(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 24);
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = GM;
    insn.operand[FIXPIPE_src].region = L0C;
    insn.field[FIXPIPE_mSize] = 16;
    insn.field[FIXPIPE_nSize] = 320;
    insn.field[FIXPIPE_srcStride] = 16;
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 83 + 21); /* 20 groups of 1.07 */
    insn.field[FIXPIPE_channelSplit] = 1;
    assert_int_equal(cost(&rig, &insn, 0).occupancy, 83 + 43); /* 40 */
    cost_rig_close(&rig);
}

static void test_a_store_has_a_fixed_part_rows_and_bytes(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 24);
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = GM;
    insn.operand[FIXPIPE_src].region = L0C;
    insn.field[FIXPIPE_mode] = MODE_F322F16;
    insn.field[FIXPIPE_layout] = LAYOUT_NZ2ND;
    insn.field[FIXPIPE_mSize] = 128;
    insn.field[FIXPIPE_nSize] = 256;
    insn.field[FIXPIPE_srcStride] = 128;
    insn.field[FIXPIPE_dstStride] = 256;
    struct job job = cost(&rig, &insn, 0);
    assert_int_equal(job.occupancy, 83 + 137); /* 128 rows of 1.07 cycles */
    assert_int_equal(job.leg[1].link, MODEL_LINK_L2_WRITE);
    assert_int_equal(job.leg[0].bytes, 0);
    assert_int_equal(job.leg[1].bytes, 128 * 256 * 2);
    assert_int_equal(job.leg[1].cap >> 16, 120);
    assert_int_equal(job.latency, 60);
    insn.field[FIXPIPE_dstStride] = 272; /* rows of 544 B, a multiple of 32 */
    assert_int_equal(cost(&rig, &insn, 0).leg[1].cap >> 16, 120);
    insn.field[FIXPIPE_dstStride] = 273; /* rows begin anywhere */
    assert_int_equal(cost(&rig, &insn, 0).leg[1].cap >> 16, 30);
    cost_rig_close(&rig);
}

/* As many of its bytes as it pushes out go with them over the GM link, no slower for the core. */
static void test_a_store_that_pushes_written_bytes_out_goes_at_the_pace_of_gm(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 24);
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = GM;
    insn.operand[FIXPIPE_src].region = L0C;
    insn.field[FIXPIPE_mode] = MODE_F322F16;
    insn.field[FIXPIPE_mSize] = 64;
    insn.field[FIXPIPE_nSize] = 16;
    insn.field[FIXPIPE_srcStride] = 64; /* 2048 B */
    struct job part = cost_pushing(&rig, &insn, 0, 512), more = cost_pushing(&rig, &insn, 0, 6144);
    assert_int_equal(part.leg[0].link, MODEL_LINK_GM);
    assert_int_equal(part.leg[0].bytes, 512);
    assert_int_equal(part.leg[0].cap >> 16, 120);
    assert_int_equal(part.leg[1].bytes, 2048 - 512);
    assert_int_equal(more.leg[0].bytes, 6144); /* short rows that replace whole lines */
    assert_int_equal(more.leg[0].cap >> 16, 3 * 120);
    assert_int_equal(more.leg[1].bytes, 0);
    cost_rig_close(&rig);
}

/* What makes room for a fill loads the GM link; alone on it, the fill is as fast as without. */
static void test_a_fill_loads_gm_with_what_it_pushes_out(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 24);
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY);
    insn.operand[DATA_COPY_dst].region = L1;
    insn.operand[DATA_COPY_src].region = GM;
    insn.field[DATA_COPY_blockCount] = 1;
    insn.field[DATA_COPY_blockLen] = 256; /* 8192 B */
    struct leg alone = cost(&rig, &insn, 4096).leg[0];
    struct leg both = cost_pushing(&rig, &insn, 4096, 2048).leg[0];
    assert_int_equal(both.link, MODEL_LINK_GM);
    assert_int_equal(alone.bytes, 4096);
    assert_int_equal(both.bytes, 4096 + 2048);
    assert_int_equal(link_alone(both.bytes, both.cap), link_alone(alone.bytes, alone.cap));
    cost_rig_close(&rig);
}

/* 950: 26 cycles, then 128 B or 64 elements a cycle; a quarter of it where rows do not follow. */
static void test_a_store_on_the_chip_is_limited_by_bytes_or_elements(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "ascend-950pr", 1);
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = L1;
    insn.operand[FIXPIPE_src].region = L0C;
    insn.field[FIXPIPE_layout] = LAYOUT_NZ2DN;
    insn.field[FIXPIPE_mSize] = 64;
    insn.field[FIXPIPE_nSize] = 64;
    insn.field[FIXPIPE_srcStride] = 64;
    static const struct {
        int64_t mode;
        tick cycles;
    } cases[] = {{MODE_NOQUANT, 128}, {MODE_F322F16, 64}, {MODE_QF322B8_PRE, 64}};
    for (size_t i = 0; i < 3; i++) {
        insn.field[FIXPIPE_mode] = cases[i].mode;
        insn.field[FIXPIPE_srcNzC0Stride] = 1;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, 26 + cases[i].cycles);
        insn.field[FIXPIPE_srcNzC0Stride] = 2;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, 26 + 4 * cases[i].cycles);
        assert_int_equal(cost(&rig, &insn, 0).leg[0].bytes, 0);
    }
    cost_rig_close(&rig);
}

static void test_a_store_of_bytes_has_half_the_groups(void **state)
{
    (void)state;
    struct cost_rig rig;
    cost_rig_open(&rig, "atlas-a2", 24);
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = GM;
    insn.operand[FIXPIPE_src].region = L0C;
    insn.field[FIXPIPE_mode] = MODE_QF322B8_PRE;
    insn.field[FIXPIPE_mSize] = 16;
    insn.field[FIXPIPE_nSize] = 624; /* 19 groups of 32 and one of 16 */
    insn.field[FIXPIPE_srcStride] = 16;
    insn.field[FIXPIPE_dstStride] = 16;
    struct job job = cost(&rig, &insn, 0);
    assert_int_equal(job.occupancy, 83 + 21); /* 20 groups of 1.07 */
    assert_int_equal(job.leg[1].bytes, 16 * 624);
    cost_rig_close(&rig);
}

/* Bytes of L0C at 512 or 256 a cycle after 20 cycles; the stored type does not matter. */
static void test_the_way_out_by_the_vector_unit_is_limited_by_l0c(void **state)
{
    (void)state;
    static const struct {
        const char *product;
        tick cycles;
    } cases[] = {{"ascend310p3", 20 + 6 * 1024 / 512}, {"ascend910a", 20 + 6 * 1024 / 256}};
    for (size_t i = 0; i < 2; i++) {
        struct cost_rig rig;
        cost_rig_open(&rig, cases[i].product, 1);
        struct insn insn;
        insn_init(&insn, OP_DATA_COPY_L0C2UB);
        insn.field[DATA_COPY_L0C2UB_blockCount] = 3;
        insn.field[DATA_COPY_L0C2UB_blockLen] = 2;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, cases[i].cycles);
        insn.field[DATA_COPY_L0C2UB_dstType] = ELEMENT_FP16;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, cases[i].cycles);
        assert_int_equal(cost(&rig, &insn, 0).latency, 20);
        insn_init(&insn, OP_BROADCAST_VEC_TO_MM);
        insn.field[BROADCAST_VEC_TO_MM_blockCount] = 3;
        insn.field[BROADCAST_VEC_TO_MM_blockLen] = 2;
        assert_int_equal(cost(&rig, &insn, 0).occupancy, cases[i].cycles);
        cost_rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_split_store_has_twice_the_groups),
        cmocka_unit_test(test_a_store_has_a_fixed_part_rows_and_bytes),
        cmocka_unit_test(test_a_store_that_pushes_written_bytes_out_goes_at_the_pace_of_gm),
        cmocka_unit_test(test_a_fill_loads_gm_with_what_it_pushes_out),
        cmocka_unit_test(test_a_store_on_the_chip_is_limited_by_bytes_or_elements),
        cmocka_unit_test(test_a_store_of_bytes_has_half_the_groups),
        cmocka_unit_test(test_the_way_out_by_the_vector_unit_is_limited_by_l0c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
