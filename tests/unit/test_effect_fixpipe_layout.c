/* Where a Fixpipe puts its elements: every layout, product and destination, against loops that know
 * nothing of pitches in bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/insn_check.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

enum { REACH = 1 << 14 }; /* elements of the source and, at least, of the destination */

static struct insn store_of(uint32_t target, uint32_t source, int64_t layout, int64_t m, int64_t n,
                            int64_t source_stride, int64_t target_stride)
{
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = target;
    insn.operand[FIXPIPE_src].region = source;
    insn.field[FIXPIPE_layout] = layout;
    insn.field[FIXPIPE_mSize] = m;
    insn.field[FIXPIPE_nSize] = n;
    insn.field[FIXPIPE_srcStride] = source_stride;
    insn.field[FIXPIPE_dstStride] = target_stride;
    return insn;
}

static uint32_t counting(uint64_t index)
{
    return (uint32_t)index;
}

/* Whether element `to` of the destination is element `from` of L0C, and forgets that it is written.
 */
static void expect_moved(struct rig *rig, uint32_t target, uint64_t to, uint64_t from)
{
    assert_true(rig_is_written(rig, target, to));
    assert_int_equal(rig_load(rig, target, to), from);
    uint32_t size = element_bytes(rig->region[target].element);
    memset(rig_written(rig, target) + to * size, 0, size);
}

/* A store of int32 as it is. */
struct move_case {
    enum arch arch;
    enum space space;
    int64_t layout, m, n, source_stride, target_stride;
    int64_t matrices, source_matrix, matrix, source_row;
    uint64_t unit; /* elements of source_matrix */
};

static void case_run(const struct move_case *c)
{
    static const int keys[3][3] = {
        {FIXPIPE_ndNum, FIXPIPE_srcNdStride, FIXPIPE_dstNdStride},
        {FIXPIPE_ndNum, FIXPIPE_srcNdStride, FIXPIPE_dstNdStride},
        {FIXPIPE_dnNum, FIXPIPE_srcNzMatrixStride, FIXPIPE_dstDnMatrixStride},
    };
    struct rig rig;
    rig_init(&rig, c->arch);
    uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_INT32, REACH, counting);
    uint32_t target = rig_region(&rig, c->space, ELEMENT_INT32, 2 * REACH);
    struct insn insn =
        store_of(target, source, c->layout, c->m, c->n, c->source_stride, c->target_stride);
    insn.field[FIXPIPE_type] = ELEMENT_INT32;
    insn.field[keys[c->layout][0]] = c->matrices;
    insn.field[keys[c->layout][1]] = c->source_matrix;
    insn.field[keys[c->layout][2]] = c->matrix;
    insn.field[FIXPIPE_srcNzC0Stride] = c->source_row;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (int64_t b = 0; b < c->matrices; b++) {
        for (int64_t row = 0; row < c->m; row++) {
            for (int64_t column = 0; column < c->n; column++) {
                int64_t from = b * c->source_matrix * (int64_t)c->unit +
                               column / 16 * c->source_stride * 16 + row * 16 * c->source_row +
                               column % 16;
                int64_t to = b * c->matrix;
                if (c->layout == LAYOUT_NZ) {
                    int64_t group = c->target_stride * (c->arch == ARCH_3510 ? 1 : 8);
                    to += column / 16 * group + row * 16 + column % 16;
                } else if (c->layout == LAYOUT_NZ2ND) {
                    to += row * c->target_stride + column;
                } else {
                    to += column * c->target_stride + row;
                }
                expect_moved(&rig, target, (uint64_t)to, (uint64_t)from);
            }
        }
    }
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig_deinit(&rig);
}

static void test_worked_numbers_of_the_documents(void **state)
{
    (void)state;
    static const struct move_case cases[] = {
        /* 48 x 32, two matrices, 64 rows of 16 from group to group and 64 from row to row. */
        {ARCH_2201, SPACE_GM, LAYOUT_NZ2ND, 48, 32, 64, 64, 2, 16, 4096, 1, 256},
        {ARCH_3510, SPACE_GM, LAYOUT_NZ2ND, 48, 32, 64, 64, 2, 256, 4096, 1, 16},
        {ARCH_3510, SPACE_GM, LAYOUT_NZ2DN, 48, 32, 80, 80, 2, 240, 3840, 1, 16},
        {ARCH_3510, SPACE_GM, LAYOUT_NZ2DN, 24, 24, 120, 60, 2, 240, 2880, 2, 16},
        {ARCH_2201, SPACE_GM, LAYOUT_NZ, 24, 48, 64, 80, 1, 0, 0, 1, 16},
        {ARCH_3510, SPACE_GM, LAYOUT_NZ, 24, 48, 64, 640, 1, 0, 0, 1, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        case_run(&cases[i]);
    }
}

static void test_every_destination_takes_its_layouts(void **state)
{
    (void)state;
    static const struct move_case cases[] = {
        {ARCH_3510, SPACE_L1, LAYOUT_NZ, 10, 48, 16, 320, 1, 0, 0, 1, 16},
        {ARCH_3510, SPACE_L1, LAYOUT_NZ2ND, 10, 24, 16, 40, 2, 32, 480, 1, 16},
        {ARCH_3510, SPACE_L1, LAYOUT_NZ2DN, 16, 9, 16, 24, 3, 16, 320, 1, 16},
        {ARCH_3510, SPACE_UB, LAYOUT_NZ, 10, 48, 16, 320, 1, 0, 0, 1, 16},
        {ARCH_3510, SPACE_UB, LAYOUT_NZ2ND, 10, 24, 16, 40, 2, 32, 480, 1, 16},
        {ARCH_3510, SPACE_UB, LAYOUT_NZ2DN, 16, 9, 32, 24, 3, 16, 320, 2, 16},
        {ARCH_3002, SPACE_UB, LAYOUT_NZ, 10, 48, 16, 40, 1, 0, 0, 1, 16},
        {ARCH_3002, SPACE_UB, LAYOUT_NZ2ND, 10, 24, 16, 40, 2, 2, 480, 1, 256},
        {ARCH_3002, SPACE_GM, LAYOUT_NZ2ND, 10, 19, 16, 40, 2, 2, 480, 1, 256},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        case_run(&cases[i]);
    }
}

static void test_sources_may_overlap_and_repeat(void **state)
{
    (void)state;
    static const struct move_case cases[] = {
        {ARCH_3510, SPACE_GM, LAYOUT_NZ2ND, 3, 40, 0, 40, 1, 0, 0, 1, 16},
        {ARCH_3510, SPACE_GM, LAYOUT_NZ2ND, 3, 40, 1, 40, 3, 1, 120, 1, 16},
        {ARCH_3510, SPACE_GM, LAYOUT_NZ2DN, 3, 40, 1, 3, 2, 0, 120, 7, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        case_run(&cases[i]);
    }
}

/* Known fault 22: with 10 rows left of a tile of 128 L0C has 16 rows a group, and all of the 256
 * columns come from there. */
static void test_short_tails_have_the_stride_of_their_rows(void **state)
{
    (void)state;
    const struct move_case tail = {ARCH_2201, SPACE_GM, LAYOUT_NZ2ND, 10, 256, 16, 256, 1, 0,
                                   0,         1,        256};
    case_run(&tail);
    const struct move_case whole = {ARCH_2201, SPACE_GM, LAYOUT_NZ2ND, 128, 48, 128, 256, 1, 0,
                                    0,         1,        256};
    case_run(&whole);
}

/* fp32 to int8: which element of L0C lies where, by 7 bits of its index that differ nearby. */
static uint32_t seven_bits(uint64_t index)
{
    return rig_code(ELEMENT_FP32, (int)((index * 5 + index / 16 * 3 + index / 256) % 127));
}

static void expect_bytes(enum arch arch, enum space space, int64_t columns, int64_t rows)
{
    struct rig rig;
    rig_init(&rig, arch);
    uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 6 * 32 * 16, seven_bits);
    uint32_t target = rig_region(&rig, space, ELEMENT_INT8, 4096);
    int64_t pitch = 1088; /* bytes: 34 blocks */
    struct insn insn = store_of(target, source, LAYOUT_NZ, rows, columns, 32,
                                arch == ARCH_3510 ? pitch : pitch / 32);
    insn.field[FIXPIPE_mode] = MODE_QF322B8_PRE;
    insn.field[FIXPIPE_deqScalar] = INT64_C(1) << 46 | 0x3F800000;
    access_check_apply(&rig, &insn);
    assert_int_equal(rig_hazards(&rig), 0);
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t column = 0; column < columns; column++) {
            bool alone = columns % 32 == 16 && column >= columns - 16;
            int64_t from = column / 16 * 512 + row * 16 + column % 16;
            int64_t to = column / 32 * pitch + row * (alone ? 16 : 32) + column % 32;
            uint64_t value = (uint64_t)(from * 5 + from / 16 * 3 + from / 256) % 127;
            expect_moved(&rig, target, (uint64_t)to, value);
        }
    }
    assert_int_equal(rig_written_count(&rig, target), 0);
    rig_deinit(&rig);
}

static void test_bytes_merge_two_groups_and_an_odd_last_one_stays_alone(void **state)
{
    (void)state;
    for (int64_t columns = 16; columns <= 96; columns += 16) {
        expect_bytes(ARCH_2201, SPACE_GM, columns, 5);
        expect_bytes(ARCH_3510, SPACE_GM, columns, 32);
        expect_bytes(ARCH_2201, SPACE_L1, columns, 7);
        expect_bytes(ARCH_3510, SPACE_UB, columns, 1);
    }
}

/* Only a rest of 16 columns stays alone: others are rests of a merged group, and reported. */
static void test_a_rest_of_bytes_that_is_no_group_keeps_the_rows_of_a_pair(void **state)
{
    (void)state;
    for (int64_t columns = 8; columns <= 40; columns += 32) {
        struct rig rig;
        rig_init(&rig, ARCH_2201);
        uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 6 * 32 * 16, seven_bits);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT8, 4096);
        struct insn insn = store_of(target, source, LAYOUT_NZ, 5, columns, 32, 34);
        insn.field[FIXPIPE_mode] = MODE_QF322B8_PRE;
        insn.field[FIXPIPE_deqScalar] = INT64_C(1) << 46 | 0x3F800000;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig.hazards[HAZARD_MISALIGNED], 1);
        assert_int_equal(rig_hazards(&rig), 1);
        for (int64_t row = 0; row < 5; row++) {
            for (int64_t column = 0; column < columns; column++) {
                int64_t from = column / 16 * 512 + row * 16 + column % 16;
                int64_t to = column / 32 * 1088 + row * 32 + column % 32;
                expect_moved(&rig, target, (uint64_t)to,
                             (uint64_t)(from * 5 + from / 16 * 3 + from / 256) % 127);
            }
        }
        assert_int_equal(rig_written_count(&rig, target), 0);
        rig_deinit(&rig);
    }
}

/* Strides on 950 are of elements, so that groups of bytes may lie off the blocks of 32. */
static void test_groups_of_bytes_are_aligned_where_there_is_a_second_one(void **state)
{
    (void)state;
    for (int64_t columns = 16; columns <= 48; columns += 16) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 3 * 16 * 16, seven_bits);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_INT8, 4096);
        struct insn insn = store_of(target, source, LAYOUT_NZ, 5, columns, 16, 1089);
        insn.field[FIXPIPE_mode] = MODE_QF322B8_PRE;
        insn.field[FIXPIPE_deqScalar] = INT64_C(1) << 46 | 0x3F800000;
        effect_apply(&rig.machine, &insn);
        assert_int_equal(rig_hazards(&rig), columns > 32);
        assert_int_equal(rig.hazards[HAZARD_MISALIGNED], columns > 32);
        rig_deinit(&rig);
    }
}

static void test_rows_of_bytes_need_no_pairs(void **state)
{
    (void)state;
    for (int to_rows = 0; to_rows < 2; to_rows++) {
        struct rig rig;
        rig_init(&rig, ARCH_3510);
        uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 3 * 16 * 16, seven_bits);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_UINT8, 2000);
        struct insn insn =
            store_of(target, source, to_rows ? LAYOUT_NZ2ND : LAYOUT_NZ2DN, 11, 37, 16, 53);
        insn.field[FIXPIPE_mode] = MODE_QF322B8_PRE;
        insn.field[FIXPIPE_deqScalar] = 0x3F800000;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t row = 0; row < 11; row++) {
            for (uint64_t column = 0; column < 37; column++) {
                uint64_t from = column / 16 * 256 + row * 16 + column % 16;
                uint64_t to = to_rows ? row * 53 + column : column * 53 + row;
                expect_moved(&rig, target, to, (from * 5 + from / 16 * 3 + from / 256) % 127);
            }
        }
        assert_int_equal(rig_written_count(&rig, target), 0);
        rig_deinit(&rig);
    }
}

static void test_split_channels_have_8_columns_a_group(void **state)
{
    (void)state;
    for (int is950 = 0; is950 < 2; is950++) {
        struct rig rig;
        rig_init(&rig, is950 ? ARCH_3510 : ARCH_2201);
        uint32_t source = rig_filled(&rig, SPACE_L0C, ELEMENT_FP32, 2 * 256, counting);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 400);
        struct insn insn = store_of(target, source, LAYOUT_NZ, 11, 24, 16, is950 ? 104 : 13);
        insn.field[FIXPIPE_channelSplit] = 1;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        for (uint64_t row = 0; row < 11; row++) {
            for (uint64_t column = 0; column < 24; column++) {
                uint64_t from = column / 16 * 256 + row * 16 + column % 16;
                expect_moved(&rig, target, column / 8 * 104 + row * 8 + column % 8, from);
            }
        }
        assert_int_equal(rig_written_count(&rig, target), 0);
        rig_deinit(&rig);
    }
}

static void test_nothing_is_stored_of_an_empty_matrix(void **state)
{
    (void)state;
    static const int fields[] = {FIXPIPE_mSize, FIXPIPE_nSize, FIXPIPE_ndNum};
    for (size_t i = 0; i < 3; i++) {
        struct rig rig;
        rig_init(&rig, ARCH_2201);
        uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 1);
        uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 1);
        struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 16, 16, 16, 16);
        insn.field[fields[i]] = 0;
        access_check_apply(&rig, &insn);
        assert_int_equal(rig_hazards(&rig), 0);
        assert_int_equal(insn_bytes(&rig.program, &insn), 0);
        rig_deinit(&rig);
    }
}

/* What is refused before it runs. */
static void expect_refused(enum arch arch, enum space space, int field, int64_t value, int64_t mode,
                           const char *reason)
{
    struct rig rig;
    rig_init(&rig, arch);
    uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 1024);
    uint32_t target = rig_region(&rig, space, ELEMENT_FP32, 1024);
    struct insn insn = store_of(target, source, LAYOUT_NZ, 16, 16, 16, 16);
    insn.field[FIXPIPE_mode] = mode;
    insn.field[field] = value;
    struct insn_problem problem;
    assert_false(insn_check(&rig.program, &insn, &problem));
    assert_string_equal(problem.message, reason);
    rig_deinit(&rig);
}

static void test_products_lack_layouts_and_keys(void **state)
{
    (void)state;
    expect_refused(ARCH_2201, SPACE_GM, FIXPIPE_layout, LAYOUT_NZ2DN, MODE_NOQUANT,
                   "layout is nz2dn to gm on dav-2201; expected nz or nz2nd");
    expect_refused(ARCH_2201, SPACE_L1, FIXPIPE_layout, LAYOUT_NZ2ND, MODE_F322F16,
                   "layout is nz2nd to l1 on dav-2201; expected nz");
    expect_refused(ARCH_2201, SPACE_GM, FIXPIPE_dnNum, 2, MODE_NOQUANT,
                   "dnNum is 2 on dav-2201; expected 1, or a product of dav-3510");
    expect_refused(ARCH_2201, SPACE_UB, FIXPIPE_mSize, 16, MODE_NOQUANT,
                   "found a move from l0c to ub on dav-2201; expected one of l0c->gm, l0c->l1");
    expect_refused(ARCH_3002, SPACE_L1, FIXPIPE_mSize, 16, MODE_NOQUANT,
                   "found a move from l0c to l1 on dav-3002; expected one of l0c->gm, l0c->ub");
    expect_refused(
        ARCH_2002, SPACE_GM, FIXPIPE_mSize, 16, MODE_NOQUANT,
        "found fixpipe on dav-2002 (Atlas inference); expected a product of dav-2201 (Atlas "
        "A2, A3), dav-3002 (Atlas 200I/500 A2), dav-3510 (Ascend 950)");
    expect_refused(
        ARCH_3510, SPACE_UB, FIXPIPE_dualDstCtl, 1, MODE_NOQUANT,
        "dualDstCtl is 1; expected 0: results go to the unified buffer of one vector core");
    expect_refused(
        ARCH_3510, SPACE_UB, FIXPIPE_subBlockId, 1, MODE_NOQUANT,
        "subBlockId is 1; expected 0: a core has one unified buffer here, that of vector core 0");
    expect_refused(ARCH_3510, SPACE_GM, FIXPIPE_unitFlag, 1, MODE_NOQUANT,
                   "unitFlag is 1; expected one of 0, 2, 3");
    expect_refused(ARCH_2201, SPACE_L1, FIXPIPE_mSize, 16, MODE_NOQUANT,
                   "mode is NoQuant to l1 on dav-2201; expected one of F322F16, F322BF16, DEQF16, "
                   "VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8");
    expect_refused(ARCH_2201, SPACE_GM, FIXPIPE_mSize, 16, MODE_QF322F32_PRE,
                   "mode is QF322F32_PRE to gm on dav-2201; expected one of NoQuant, F322F16, "
                   "F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8");
}

static void expect_range(enum arch arch, int field, int64_t value, bool taken)
{
    struct rig rig;
    rig_init(&rig, arch);
    uint32_t source = rig_region(&rig, SPACE_L0C, ELEMENT_FP32, 1024);
    uint32_t target = rig_region(&rig, SPACE_GM, ELEMENT_FP32, 1024);
    struct insn insn = store_of(target, source, LAYOUT_NZ2ND, 16, 16, 16, 16);
    insn.field[field] = value;
    struct insn_problem problem;
    assert_int_equal(insn_check(&rig.program, &insn, &problem), taken);
    rig_deinit(&rig);
}

static void test_ranges_of_rows_are_smaller_before_950(void **state)
{
    (void)state;
    static const struct {
        int field;
        int64_t high;
    } cases[] = {{FIXPIPE_mSize, 8192}, {FIXPIPE_srcNdStride, 512}, {FIXPIPE_dstNdStride, 65535}};
    for (size_t i = 0; i < 3; i++) {
        expect_range(ARCH_2201, cases[i].field, cases[i].high, true);
        expect_range(ARCH_2201, cases[i].field, cases[i].high + 1, false);
        expect_range(ARCH_3002, cases[i].field, cases[i].high + 1, false);
        if (cases[i].high != 65535 || cases[i].field == FIXPIPE_dstNdStride) {
            expect_range(ARCH_3510, cases[i].field, cases[i].high + 1, true);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_numbers_of_the_documents),
        cmocka_unit_test(test_every_destination_takes_its_layouts),
        cmocka_unit_test(test_sources_may_overlap_and_repeat),
        cmocka_unit_test(test_short_tails_have_the_stride_of_their_rows),
        cmocka_unit_test(test_bytes_merge_two_groups_and_an_odd_last_one_stays_alone),
        cmocka_unit_test(test_a_rest_of_bytes_that_is_no_group_keeps_the_rows_of_a_pair),
        cmocka_unit_test(test_groups_of_bytes_are_aligned_where_there_is_a_second_one),
        cmocka_unit_test(test_rows_of_bytes_need_no_pairs),
        cmocka_unit_test(test_split_channels_have_8_columns_a_group),
        cmocka_unit_test(test_nothing_is_stored_of_an_empty_matrix),
        cmocka_unit_test(test_products_lack_layouts_and_keys),
        cmocka_unit_test(test_ranges_of_rows_are_smaller_before_950),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
