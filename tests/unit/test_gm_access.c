#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/gm_access.h"
#include "tests/support/stream_fixture.h"

static struct stream_fixture fixture;

static struct gm_access access_of(const struct insn *insn)
{
    struct gm_access access;
    assert_true(gm_access(&fixture.program, insn, &access));
    return access;
}

static void expect_runs(const struct gm_access *access, uint64_t runs, uint64_t length)
{
    assert_int_equal(gm_access_runs(access), runs);
    assert_int_equal(access->length, length);
}

static void test_blocks_with_gaps_are_runs_and_without_one_run(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    stream_fixture_copy(&fixture, 0, 96, 4, 64, 256);
    stream_fixture_copy(&fixture, 0, 96, 4, 64, 64);
    struct gm_access access = access_of(&fixture.insn[0][0]);
    expect_runs(&access, 4, 64);
    assert_int_equal(access.from, 96);
    assert_int_equal(access.inner_stride, 256);
    assert_false(access.write);
    access = access_of(&fixture.insn[0][1]);
    expect_runs(&access, 1, 256);
}

static struct insn dn2nz(int64_t matrices, int64_t rows, int64_t columns, int64_t matrix,
                         int64_t column)
{
    struct insn insn;
    insn_init(&insn, OP_DN2NZ);
    insn.operand[DN2NZ_dst].region = FIXTURE_L1;
    insn.operand[DN2NZ_src].region = FIXTURE_SOURCE;
    insn.field[DN2NZ_dnNum] = matrices;
    insn.field[DN2NZ_nValue] = rows;
    insn.field[DN2NZ_dValue] = columns;
    insn.field[DN2NZ_srcDnMatrixStride] = matrix;
    insn.field[DN2NZ_srcDValue] = column;
    return insn;
}

static void test_matrices_and_columns_join_where_they_touch(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    struct insn insn = dn2nz(3, 10, 4, 1000, 100);
    struct gm_access access = access_of(&insn);
    expect_runs(&access, 12, 20);
    assert_int_equal(access.outer_stride, 2000);
    assert_int_equal(access.inner_stride, 200);
    insn = dn2nz(3, 10, 4, 1000, 10); /* columns follow each other */
    access = access_of(&insn);
    expect_runs(&access, 3, 80);
    insn = dn2nz(3, 10, 4, 40, 10); /* and matrices too */
    access = access_of(&insn);
    expect_runs(&access, 1, 240);
    insn = dn2nz(3, 10, 1, 50, 7); /* one column: matrices are the runs */
    access = access_of(&insn);
    expect_runs(&access, 3, 20);
    assert_int_equal(gm_access_bytes(&access), 60);
}

static struct insn load_from_gm(enum opcode opcode, uint64_t offset)
{
    struct insn insn;
    insn_init(&insn, opcode);
    insn.pipe = PIPE_MTE2;
    /* dst and src stand at the same places in the rows of all moves. */
    insn.operand[LOAD2D_dst].region = FIXTURE_L1;
    insn.operand[LOAD2D_src] = (struct operand){.region = FIXTURE_SOURCE, .offset = offset};
    return insn;
}

static void test_fractals_are_runs_that_may_descend(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    struct insn insn = load_from_gm(OP_LOAD2D, 64);
    insn.field[LOAD2D_startIndex] = 9;
    insn.field[LOAD2D_repeatTimes] = 4;
    insn.field[LOAD2D_srcStride] = 3;
    struct gm_access access = access_of(&insn);
    expect_runs(&access, 4, 512);
    assert_int_equal(access.from, 64 + 9 * 512);
    assert_int_equal(access.inner_stride, 3 * 512);
    insn.field[LOAD2D_addrMode] = 1; /* fractals 9, 6, 3 and 0 */
    access = access_of(&insn);
    expect_runs(&access, 4, 512);
    assert_int_equal(access.from, 64);
    insn.field[LOAD2D_startIndex] = 12; /* and from 12 on down to 3 */
    access = access_of(&insn);
    expect_runs(&access, 4, 512);
    assert_int_equal(access.from, 64 + 3 * 512);
    insn.field[LOAD2D_startIndex] = 8; /* the last would begin before src: the effect refuses it */
    assert_false(gm_access(&fixture.program, &insn, &access));
    insn.field[LOAD2D_startIndex] = 9;
    insn.field[LOAD2D_addrMode] = 0;
    insn.field[LOAD2D_srcStride] = 1;
    access = access_of(&insn);
    expect_runs(&access, 1, 2048);
    insn.pipe = PIPE_MTE1; /* from L1 */
    insn.operand[LOAD2D_src].region = FIXTURE_L1;
    assert_false(gm_access(&fixture.program, &insn, &access));
}

static void test_a_block_of_fractals_is_a_run_for_each_column(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    struct insn insn = load_from_gm(OP_LOAD2DV2, 0);
    insn.field[LOAD2DV2_mStartPosition] = 2;
    insn.field[LOAD2DV2_kStartPosition] = 3;
    insn.field[LOAD2DV2_mStep] = 2;
    insn.field[LOAD2DV2_kStep] = 5;
    insn.field[LOAD2DV2_srcStride] = 7;
    struct gm_access access = access_of(&insn);
    expect_runs(&access, 5, 1024);
    assert_int_equal(access.from, (3 * 7 + 2) * 512);
    assert_int_equal(access.inner_stride, 7 * 512);
}

static void test_padded_blocks_are_read_without_their_padding(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    struct insn insn = load_from_gm(OP_DATA_COPY_PAD, 3);
    insn.field[DATA_COPY_PAD_blockCount] = 4;
    insn.field[DATA_COPY_PAD_blockLen] = 10;
    insn.field[DATA_COPY_PAD_srcStride] = 6;
    insn.field[DATA_COPY_PAD_leftPadding] = 2;
    struct gm_access access = access_of(&insn);
    expect_runs(&access, 4, 10);
    assert_int_equal(access.from, 3);
    assert_int_equal(access.inner_stride, 16);
    insn.field[DATA_COPY_PAD_srcStride] = -10; /* the same block four times */
    access = access_of(&insn);
    expect_runs(&access, 4, 10);
    assert_int_equal(access.inner_stride, 0);
    insn.field[DATA_COPY_PAD_srcStride] = -11; /* the effect refuses it */
    assert_false(gm_access(&fixture.program, &insn, &access));
}

static void test_4_bit_matrices_count_bytes(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    struct insn insn = dn2nz(1, 10, 4, 0, 100);
    insn.field[DN2NZ_type] = ELEMENT_FP4_E2M1;
    struct gm_access access = access_of(&insn);
    expect_runs(&access, 4, 10);
    assert_int_equal(access.inner_stride, 100);
}

static void test_nothing_to_move_is_no_access(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    struct insn insn = dn2nz(0, 10, 4, 40, 10);
    struct gm_access access;
    assert_false(gm_access(&fixture.program, &insn, &access));
    insn_init(&insn, OP_MMAD);
    assert_false(gm_access(&fixture.program, &insn, &access));
}

static void test_a_store_writes_groups_of_its_layout(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    stream_fixture_store(&fixture, 0, 64, 10);
    struct insn *insn = &fixture.insn[0][0];
    insn->field[FIXPIPE_nSize] = 32;
    insn->field[FIXPIPE_dstStride] = 100; /* 3,200 B */
    struct gm_access access = access_of(insn);
    assert_true(access.write);
    assert_int_equal(access.from, (1 << 20) + 64);
    expect_runs(&access, 2, 10 * 16 * 2);
    assert_int_equal(access.inner_stride, 3200);
    fixture.regions[FIXTURE_OUTPUT].element = ELEMENT_FP32;
    insn->field[FIXPIPE_mode] = MODE_NOQUANT;
    insn->field[FIXPIPE_channelSplit] = 1; /* groups of eight columns */
    access = access_of(insn);
    expect_runs(&access, 4, 10 * 8 * 4);
    insn->field[FIXPIPE_channelSplit] = 0;
    insn->field[FIXPIPE_layout] = LAYOUT_NZ2ND;
    insn->field[FIXPIPE_dstStride] = 50;
    access = access_of(insn);
    expect_runs(&access, 10, 32 * 4);
    insn->field[FIXPIPE_layout] = LAYOUT_NZ2DN;
    access = access_of(insn);
    expect_runs(&access, 32, 10 * 4);
    assert_int_equal(access.inner_stride, 200);
}

/* fp32 to int8: groups of 32 columns, of which a last one of 16 takes half. */
static void test_a_store_of_bytes_ends_with_half_a_group(void **state)
{
    (void)state;
    struct gm_access access;
    stream_fixture_init(&fixture, 1, 1 << 20, 2000 + 10 * 16);
    fixture.regions[FIXTURE_OUTPUT].element = ELEMENT_INT8;
    stream_fixture_store(&fixture, 0, 0, 10);
    struct insn *insn = &fixture.insn[0][0];
    insn->field[FIXPIPE_mode] = MODE_QF322B8_PRE;
    insn->field[FIXPIPE_nSize] = 80;
    insn->field[FIXPIPE_dstStride] = 31; /* 992 B */
    insn->operand[FIXPIPE_dst].offset = 16;
    access = access_of(insn);
    expect_runs(&access, 3, 320);
    assert_int_equal(gm_access_bytes(&access), 2 * 320 + 160);
    insn->operand[FIXPIPE_dst].offset = 17;
    assert_false(gm_access(&fixture.program, insn, &access));
    insn->operand[FIXPIPE_dst].offset = 0;
    insn->field[FIXPIPE_dstStride] = 10; /* groups follow each other */
    access = access_of(insn);
    expect_runs(&access, 1, 960);
    assert_int_equal(gm_access_bytes(&access), 800);
    insn->field[FIXPIPE_nSize] = 16; /* the half and nothing else */
    access = access_of(insn);
    assert_int_equal(gm_access_bytes(&access), 160);
    insn->operand[FIXPIPE_dst].offset = 2000;
    assert_true(gm_access(&fixture.program, insn, &access));
    insn->operand[FIXPIPE_dst].offset = 2001;
    assert_false(gm_access(&fixture.program, insn, &access));
    insn->field[FIXPIPE_nSize] = 48; /* the half ends inside the group before it */
    insn->field[FIXPIPE_dstStride] = 1;
    insn->operand[FIXPIPE_dst].offset = 2160 - 320;
    assert_true(gm_access(&fixture.program, insn, &access));
    insn->operand[FIXPIPE_dst].offset = 2160 - 319;
    assert_false(gm_access(&fixture.program, insn, &access));
}

static void test_a_store_that_stays_on_the_chip_is_no_access(void **state)
{
    (void)state;
    struct gm_access access;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    stream_fixture_store(&fixture, 0, 0, 16);
    fixture.insn[0][0].operand[FIXPIPE_dst].region = FIXTURE_L1;
    assert_false(gm_access(&fixture.program, &fixture.insn[0][0], &access));
}

static void test_strides_of_groups_on_950_are_of_elements(void **state)
{
    (void)state;
    stream_fixture_init(&fixture, 1, 1 << 20, 1 << 20);
    fixture.program.arch = ARCH_3510;
    stream_fixture_store(&fixture, 0, 0, 10);
    struct insn *insn = &fixture.insn[0][0];
    insn->field[FIXPIPE_nSize] = 32;
    insn->field[FIXPIPE_dstStride] = 1600;
    struct gm_access access = access_of(insn);
    assert_int_equal(access.inner_stride, 3200);
    insn->field[FIXPIPE_layout] = LAYOUT_NZ2DN;
    insn->field[FIXPIPE_dnNum] = 3;
    insn->field[FIXPIPE_dstDnMatrixStride] = 60000;
    access = access_of(insn);
    expect_runs(&access, 3 * 32, 10 * 2);
    assert_int_equal(access.outer_stride, 120000);
}

static void test_an_access_that_leaves_its_tensor_is_none(void **state)
{
    (void)state;
    struct gm_access access;
    stream_fixture_init(&fixture, 1, 1024, 1024);
    stream_fixture_copy(&fixture, 0, 0, 4, 128, 256);
    struct insn *copy = &fixture.insn[0][0];
    assert_true(gm_access(&fixture.program, copy, &access)); /* ends at 3 * 256 + 128 */
    copy->operand[DATA_COPY_src].offset = 128;
    assert_true(gm_access(&fixture.program, copy, &access));
    copy->operand[DATA_COPY_src].offset = 129;
    assert_false(gm_access(&fixture.program, copy, &access));
    copy->operand[DATA_COPY_src].offset = UINT64_MAX - 100;
    assert_false(gm_access(&fixture.program, copy, &access));
    stream_fixture_store(&fixture, 0, 0, 32);
    struct insn *store = &fixture.insn[0][1];
    assert_true(gm_access(&fixture.program, store, &access));
    store->operand[FIXPIPE_dst].offset = 1;
    assert_false(gm_access(&fixture.program, store, &access));
    /* The largest of all fields: no product of them wraps. */
    struct insn insn = dn2nz(4095, 16384, 2097151, 1099511627775, 1099511627775);
    assert_false(gm_access(&fixture.program, &insn, &access));
}

static void test_more_bytes_than_any_memory_holds_are_no_access(void **state)
{
    (void)state;
    struct gm_access access;
    stream_fixture_init(&fixture, 1, UINT64_C(1) << 33, 1024);
    struct insn insn = dn2nz(1, 16384, 131072, 0, 16384);
    assert_false(gm_access(&fixture.program, &insn, &access)); /* 2^32 bytes */
    insn = dn2nz(1, 16384, 131071, 0, 16384);
    assert_true(gm_access(&fixture.program, &insn, &access));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_access_that_leaves_its_tensor_is_none),
        cmocka_unit_test(test_more_bytes_than_any_memory_holds_are_no_access),
        cmocka_unit_test(test_blocks_with_gaps_are_runs_and_without_one_run),
        cmocka_unit_test(test_matrices_and_columns_join_where_they_touch),
        cmocka_unit_test(test_fractals_are_runs_that_may_descend),
        cmocka_unit_test(test_a_block_of_fractals_is_a_run_for_each_column),
        cmocka_unit_test(test_padded_blocks_are_read_without_their_padding),
        cmocka_unit_test(test_4_bit_matrices_count_bytes),
        cmocka_unit_test(test_nothing_to_move_is_no_access),
        cmocka_unit_test(test_a_store_writes_groups_of_its_layout),
        cmocka_unit_test(test_a_store_of_bytes_ends_with_half_a_group),
        cmocka_unit_test(test_a_store_that_stays_on_the_chip_is_no_access),
        cmocka_unit_test(test_strides_of_groups_on_950_are_of_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
