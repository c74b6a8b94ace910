/*
 * Load3D over seeded images, filters, blocks and types: every block is the part of the img2col
 * matrix that its definition says, in the layout of its destination; the forms mean the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/load3d_bench.h"

enum { CASES = 240 };

static uint32_t code_at(const uint8_t *bytes, uint32_t bits, uint64_t index)
{
    uint32_t code = 0;
    for (uint32_t bit = 0; bit < bits; bit++) {
        uint64_t at = index * bits + bit;
        code |= (uint32_t)(bytes[at / 8] >> at % 8 & 1) << bit;
    }
    return code;
}

/* A pixel's channel of a plane of `width` channels that starts at an element, or padding. */
static uint32_t pixel(struct load3d_bench *bench, const struct insn *insn, int64_t h, int64_t w,
                      int64_t plane, int64_t width, int64_t channel)
{
    const int64_t *field = insn->field;
    uint32_t bits = element_bits(insn_element(insn));
    const uint8_t *image = rig_bytes(&bench->rig, bench->image);
    if (h < 0 || w < 0 || h >= field[LOAD3DV2_l1H] || w >= field[LOAD3DV2_l1W]) {
        return (uint32_t)field[LOAD3DV2_padValue] & (uint32_t)((UINT64_C(1) << bits) - 1);
    }
    int64_t element = plane + (h * field[LOAD3DV2_l1W] + w) * width + channel;
    return code_at(image, bits, (uint64_t)element);
}

/* Row m of the matrix, column by column as the order C1, Kh, Kw, C0 says; 0 beyond the matrix. */
static void matrix_row(struct load3d_bench *bench, const struct insn *insn, int64_t m,
                       uint32_t *row, int64_t count)
{
    const int64_t *field = insn->field;
    int64_t c0 = element_c0(insn_element(insn));
    int64_t wide = img2col_windows_w(insn), column = 0;
    memset(row, 0, (size_t)count * sizeof *row);
    if (m >= wide * img2col_windows_h(insn)) {
        return;
    }
    for (int64_t first = 0; first < field[LOAD3DV2_channelSize]; first += c0) {
        int64_t left = field[LOAD3DV2_channelSize] - first;
        int64_t width = left < c0 ? left : c0;
        int64_t plane = first * field[LOAD3DV2_l1H] * field[LOAD3DV2_l1W];
        for (int64_t kh = 0; kh < field[LOAD3DV2_filterH]; kh++) {
            for (int64_t kw = 0; kw < field[LOAD3DV2_filterW]; kw++) {
                int64_t h = m / wide * field[LOAD3DV2_strideH] +
                            kh * field[LOAD3DV2_dilationFilterH] - field[LOAD3DV2_padTop];
                int64_t w = m % wide * field[LOAD3DV2_strideW] +
                            kw * field[LOAD3DV2_dilationFilterW] - field[LOAD3DV2_padLeft];
                for (int64_t channel = 0; channel < width && column < count; channel++) {
                    row[column++] = pixel(bench, insn, h, w, plane, width, channel);
                }
            }
        }
    }
}

struct product {
    enum arch arch;
    const enum element *types[2]; /* to L0A, to L0B */
    int counts[2];
    bool boundary; /* the product has a boundary of L1 */
};

static const enum element b16_b32[] = {ELEMENT_FP16, ELEMENT_BF16, ELEMENT_FP32, ELEMENT_INT32,
                                       ELEMENT_UINT32};
static const enum element all_a2[] = {ELEMENT_FP16,   ELEMENT_BF16, ELEMENT_FP32,  ELEMENT_INT32,
                                      ELEMENT_UINT32, ELEMENT_INT8, ELEMENT_UINT8, ELEMENT_INT4};
static const enum element all_310p[] = {ELEMENT_FP16, ELEMENT_INT8, ELEMENT_UINT8, ELEMENT_INT4};
static const enum element all_950[] = {
    ELEMENT_FP16, ELEMENT_BF16,  ELEMENT_FP32,     ELEMENT_INT32,    ELEMENT_UINT32,
    ELEMENT_INT8, ELEMENT_UINT8, ELEMENT_FP8_E4M3, ELEMENT_FP8_E5M2, ELEMENT_HIF8};
static const struct product products[] = {
    {ARCH_2201, {all_a2, b16_b32}, {8, 5}, true},
    {ARCH_3002, {all_a2, b16_b32}, {8, 5}, false},
    {ARCH_2002, {all_310p, all_310p}, {4, 4}, true},
    {ARCH_3510, {all_950, all_950}, {10, 10}, false},
};

/* A multiple of C0, or a rest that a packed plane may have. */
static void pick_channels(struct load3d_bench *bench, struct insn *insn)
{
    int64_t c0 = element_c0(insn_element(insn));
    int64_t least = element_bits(insn_element(insn)) == 4 ? 8 : 4;
    int64_t rest = least << bench_pick(bench, 0, 3);
    int64_t full = bench_pick(bench, 0, 2) * c0;
    insn->field[LOAD3DV2_channelSize] = full + (rest < c0 ? rest : full == 0 ? c0 : 0);
}

static void pick_block(struct load3d_bench *bench, struct insn *insn)
{
    int64_t *field = insn->field;
    int64_t c0 = element_c0(insn_element(insn));
    int64_t rows = img2col_windows_h(insn) * img2col_windows_w(insn);
    int64_t blocks = (img2col_columns(insn) + c0 - 1) / c0;
    field[LOAD3DV2_mStartPt] = bench_pick(bench, 0, rows - 1);
    field[LOAD3DV2_mExtension] = bench_pick(bench, 1, 40);
    int64_t first = bench_pick(bench, 0, blocks - 1);
    int64_t most = blocks - first < 3 ? blocks - first : 3;
    field[LOAD3DV2_kStartPt] = first * c0;
    field[LOAD3DV2_kExtension] = bench_pick(bench, 1, most * c0);
}

static bool transposes(enum arch arch, enum element element)
{
    return arch == ARCH_3510 || (arch == ARCH_2201 && element_bits(element) >= 16) ||
           element == ELEMENT_FP16;
}

static struct insn pick_load(struct load3d_bench *bench, const struct product *product, int *side)
{
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    *side = (int)bench_pick(bench, 0, 1);
    insn.operand[LOAD3DV2_dst].region = bench->target[*side];
    insn.operand[LOAD3DV2_src].region = bench->image;
    insn.field[LOAD3DV2_type] =
        product->types[*side][bench_pick(bench, 0, product->counts[*side] - 1)];
    bench_pick_image(bench, &insn);
    pick_channels(bench, &insn);
    pick_block(bench, &insn);
    if (transposes(product->arch, insn_element(&insn))) {
        insn.field[LOAD3DV2_enTranspose] = bench_pick(bench, 0, 1);
    }
    return insn;
}

/* Fractals of the target, as rows and columns of its layout. */
struct grid {
    int64_t down, across;
};

static struct grid grid_of(const struct insn *insn, int side)
{
    int64_t c0 = element_c0(insn_element(insn));
    int64_t m = insn->field[LOAD3DV2_mExtension], k = insn->field[LOAD3DV2_kExtension];
    /* Where rows become columns of 32 B there are at least 16 of them. */
    int64_t turned = c0 > 16 ? fractals_of(m, c0) : fractals_of(m, 16) * (16 / c0);
    if (side == 1) {
        return (struct grid){turned, fractals_of(k, 16)};
    }
    if (insn->field[LOAD3DV2_enTranspose] != 0) {
        return (struct grid){fractals_of(k, 16), turned};
    }
    return (struct grid){fractals_of(m, 16), fractals_of(k, c0)};
}

/* The element of the target that holds (row, column) of the block: a formula per layout. */
static int64_t place(const struct insn *insn, int side, bool nz, int64_t row, int64_t column)
{
    int64_t c0 = element_c0(insn_element(insn));
    struct grid grid = grid_of(insn, side);
    if (side == 1) { /* ZN: C0 x 16 fractals, in rows */
        int64_t fractal = row / c0 * grid.across + column / 16;
        return fractal * 16 * c0 + column % 16 * c0 + row % c0;
    }
    if (insn->field[LOAD3DV2_enTranspose] != 0) {
        int64_t other = row;
        row = column;
        column = other;
    }
    int64_t fractal =
        nz ? column / c0 * grid.down + row / 16 : row / 16 * grid.across + column / c0;
    return fractal * 16 * c0 + row % 16 * c0 + column % c0;
}

static void expect_block(struct load3d_bench *bench, const struct insn *insn, int side, bool nz)
{
    uint32_t bits = element_bits(insn_element(insn));
    int64_t c0 = element_c0(insn_element(insn));
    int64_t count = img2col_columns(insn) + c0;
    uint32_t row[2048];
    assert_true(count <= 2048);
    const uint8_t *found = rig_bytes(&bench->rig, bench->target[side]);
    for (int64_t m = 0; m < insn->field[LOAD3DV2_mExtension]; m++) {
        matrix_row(bench, insn, insn->field[LOAD3DV2_mStartPt] + m, row, count);
        for (int64_t k = 0; k < insn->field[LOAD3DV2_kExtension]; k++) {
            int64_t at = place(insn, side, nz, m, k);
            uint32_t code = code_at(found, bits, (uint64_t)at);
            uint32_t wanted = row[insn->field[LOAD3DV2_kStartPt] + k];
            if (code != wanted) {
                fail_msg("row %d column %d is %x, expected %x", (int)m, (int)k, code, wanted);
            }
        }
    }
}

static void test_every_block_is_the_part_of_the_matrix_that_its_fields_say(void **state)
{
    (void)state;
    for (size_t number = 0; number < sizeof products / sizeof products[0]; number++) {
        const struct product *product = &products[number];
        struct load3d_bench bench;
        load3d_bench_open(&bench, product->arch, splitmix_seed() + number);
        for (int count = 0; count < CASES; count++) {
            int side;
            struct insn insn = pick_load(&bench, product, &side);
            bench_clear(&bench);
            bench_apply(&bench, insn);
            expect_block(&bench, &insn, side, product->arch == ARCH_3510);
            struct grid grid = grid_of(&insn, side);
            assert_int_equal(rig_written_count(&bench.rig, bench.target[side]),
                             grid.down * grid.across * FRACTAL_BYTES);
        }
        load3d_bench_close(&bench);
    }
}

static void set_registers(struct load3d_bench *bench, const struct insn *load)
{
    struct insn insn;
    insn_init(&insn, OP_SET_FMATRIX);
    memcpy(&insn.field[SET_FMATRIX_l1H], &load->field[LOAD3DV2_l1H], 6 * sizeof insn.field[0]);
    bench_apply(bench, insn);
    insn_init(&insn, OP_SET_PADDING_VALUE);
    insn.field[SET_PADDING_VALUE_padValue] = load->field[LOAD3DV2_padValue];
    bench_apply(bench, insn);
}

static struct insn pro_of(const struct insn *load)
{
    const int64_t *field = load->field;
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2PRO);
    memcpy(insn.operand, load->operand, sizeof insn.operand);
    insn.field[LOAD3DV2PRO_type] = field[LOAD3DV2_type];
    insn.field[LOAD3DV2PRO_channelSize] = field[LOAD3DV2_channelSize];
    insn.field[LOAD3DV2PRO_enTranspose] = field[LOAD3DV2_enTranspose];
    insn.field[LOAD3DV2PRO_extConfig] =
        field[LOAD3DV2_mStartPt] << 48 | field[LOAD3DV2_kStartPt] << 32 |
        field[LOAD3DV2_mExtension] << 16 | field[LOAD3DV2_kExtension];
    insn.field[LOAD3DV2PRO_filterConfig] =
        field[LOAD3DV2_dilationFilterH] << 40 | field[LOAD3DV2_dilationFilterW] << 32 |
        field[LOAD3DV2_filterH] << 24 | field[LOAD3DV2_filterW] << 16 |
        field[LOAD3DV2_strideH] << 8 | field[LOAD3DV2_strideW];
    return insn;
}

static void test_packed_fields_and_registers_load_what_plain_fields_do(void **state)
{
    (void)state;
    static uint8_t kept[BENCH_TARGET_BYTES];
    struct load3d_bench bench;
    load3d_bench_open(&bench, ARCH_3510, splitmix_seed());
    for (int count = 0; count < CASES / 4; count++) {
        int side;
        struct insn insn = pick_load(&bench, &products[3], &side);
        bench_clear(&bench);
        bench_apply(&bench, insn);
        bench_keep(&bench, side, kept);
        set_registers(&bench, &insn);
        bench_apply(&bench, pro_of(&insn));
        assert_memory_equal(bench_bytes(&bench, side), kept, BENCH_TARGET_BYTES);
    }
    load3d_bench_close(&bench);
}

static void test_the_destination_stride_moves_whole_column_blocks_apart(void **state)
{
    (void)state;
    static uint8_t kept[BENCH_TARGET_BYTES];
    struct load3d_bench bench;
    load3d_bench_open(&bench, ARCH_3510, splitmix_seed());
    for (int count = 0; count < CASES / 4; count++) {
        int side;
        struct insn insn = pick_load(&bench, &products[3], &side);
        struct grid grid = grid_of(&insn, side);
        bench_clear(&bench);
        bench_apply(&bench, insn);
        bench_keep(&bench, side, kept);
        /* NZ has columns of `down` fractals, ZN rows of `across`. */
        int64_t length = side == 1 ? grid.across : grid.down;
        int64_t stretches = side == 1 ? grid.down : grid.across;
        struct insn repeat;
        insn_init(&repeat, OP_SET_LOAD_DATA_REPEAT);
        repeat.field[SET_LOAD_DATA_REPEAT_dstStride] = length + bench_pick(&bench, 0, 1);
        bench_apply(&bench, repeat);
        insn.opcode = OP_LOAD_DATA_WITH_STRIDE;
        bench_apply(&bench, insn);
        for (int64_t stretch = 0; stretch < stretches; stretch++) {
            int64_t at = stretch * repeat.field[SET_LOAD_DATA_REPEAT_dstStride] * FRACTAL_BYTES;
            assert_memory_equal(bench_bytes(&bench, side) + at,
                                kept + stretch * length * FRACTAL_BYTES,
                                (size_t)(length * FRACTAL_BYTES));
        }
        assert_int_equal(rig_written_count(&bench.rig, bench.target[side]),
                         grid.down * grid.across * FRACTAL_BYTES);
        registers_init(&bench.registers);
    }
    load3d_bench_close(&bench);
}

static void test_an_image_across_the_boundary_goes_on_at_the_start_of_l1(void **state)
{
    (void)state;
    static uint8_t kept[BENCH_TARGET_BYTES];
    for (size_t number = 0; number < sizeof products / sizeof products[0]; number++) {
        if (!products[number].boundary) {
            continue;
        }
        struct load3d_bench bench;
        load3d_bench_open(&bench, products[number].arch, splitmix_seed());
        for (int count = 0; count < CASES / 4; count++) {
            int side;
            struct insn insn = pick_load(&bench, &products[number], &side);
            bench_clear(&bench);
            bench_set_boundary(&bench, 0);
            bench_apply(&bench, insn);
            bench_keep(&bench, side, kept);
            uint64_t boundary = (uint64_t)bench_pick(&bench, BENCH_START + 1, BENCH_START + 700);
            bench_fold(&bench, boundary);
            bench_set_boundary(&bench, boundary);
            bench_apply(&bench, insn);
            assert_memory_equal(bench_bytes(&bench, side), kept, BENCH_TARGET_BYTES);
            bench_unfold(&bench, boundary);
        }
        load3d_bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_block_is_the_part_of_the_matrix_that_its_fields_say),
        cmocka_unit_test(test_packed_fields_and_registers_load_what_plain_fields_do),
        cmocka_unit_test(test_the_destination_stride_moves_whole_column_blocks_apart),
        cmocka_unit_test(test_an_image_across_the_boundary_goes_on_at_the_start_of_l1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
