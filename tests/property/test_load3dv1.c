/*
 * Load3Dv1 over seeded images: its fractals are those that Load3Dv2 makes of the same image.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/load3d_bench.h"

enum { CASES = 60 };

/* The Load3Dv1 that loads one fractal of a Load3Dv2's matrix: the block of rows from m on, and what
 * follows by its repeat. */
static struct insn v1_of(const struct insn *load, int64_t m, int64_t column)
{
    const int64_t *field = load->field;
    int64_t points = field[LOAD3DV2_filterH] * field[LOAD3DV2_filterW];
    int64_t wide = img2col_windows_w(load), point = column % points;
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV1);
    memcpy(insn.operand, load->operand, sizeof insn.operand);
    memcpy(insn.field, field, (LOAD3DV2_dilationFilterH + 1) * sizeof field[0]);
    insn.field[LOAD3DV1_padValue] = field[LOAD3DV2_padValue];
    insn.field[LOAD3DV1_c1Index] = column / points;
    insn.field[LOAD3DV1_fetchFilterW] = point % field[LOAD3DV2_filterW];
    insn.field[LOAD3DV1_fetchFilterH] = point / field[LOAD3DV2_filterW];
    insn.field[LOAD3DV1_leftTopW] = m % wide * field[LOAD3DV2_strideW] - field[LOAD3DV2_padLeft];
    insn.field[LOAD3DV1_leftTopH] = m / wide * field[LOAD3DV2_strideH] - field[LOAD3DV2_padTop];
    return insn;
}

/* The whole matrix as ZZ by Load3Dv2; planes are full, or with small the only one is packed. */
static struct insn pick_whole(struct load3d_bench *bench, bool small, int64_t *down,
                              int64_t *across)
{
    static const enum element types[] = {ELEMENT_FP16, ELEMENT_INT8, ELEMENT_UINT8};
    struct insn insn;
    insn_init(&insn, OP_LOAD3DV2);
    insn.operand[LOAD3DV2_dst].region = bench->target[0];
    insn.operand[LOAD3DV2_src].region = bench->image;
    insn.field[LOAD3DV2_type] = types[bench_pick(bench, 0, 2)];
    int64_t c0 = element_c0(insn_element(&insn));
    do {
        bench_pick_image(bench, &insn);
        insn.field[LOAD3DV2_channelSize] = small ? c0 / 4 : bench_pick(bench, 1, 2) * c0;
        insn.field[LOAD3DV2_mExtension] = img2col_windows_h(&insn) * img2col_windows_w(&insn);
        insn.field[LOAD3DV2_kExtension] = img2col_columns(&insn);
        *down = fractals_of(insn.field[LOAD3DV2_mExtension], 16);
        *across = fractals_of(insn.field[LOAD3DV2_kExtension], c0);
    } while (*down * *across > BENCH_TARGET_BYTES / FRACTAL_BYTES);
    return insn;
}

static void test_load3dv1_by_filter_points_makes_the_fractal_rows_of_load3dv2(void **state)
{
    (void)state;
    static uint8_t kept[BENCH_TARGET_BYTES];
    struct load3d_bench bench;
    load3d_bench_open(&bench, ARCH_2002, splitmix_seed());
    /* A last fractal of packed points may run past the image: there is nothing behind it. */
    for (int count = 0; count < CASES; count++) {
        int64_t down, across;
        bool small = count % 2 != 0;
        struct insn insn = pick_whole(&bench, small, &down, &across);
        struct region *image = &bench.rig.region[bench.image];
        image->size_bytes = element_array_bytes(
            insn_element(&insn), (uint64_t)(insn.field[LOAD3DV2_l1H] * insn.field[LOAD3DV2_l1W] *
                                            insn.field[LOAD3DV2_channelSize]));
        bench_clear(&bench);
        bench_apply(&bench, insn);
        bench_keep(&bench, 0, kept);
        for (int64_t row = 0; row < down; row++) {
            struct insn load = v1_of(&insn, 16 * row, 0);
            load.operand[LOAD3DV1_dst].offset = (uint64_t)(row * across * FRACTAL_BYTES);
            load.field[LOAD3DV1_repeatTime] = across;
            load.field[LOAD3DV1_cSize] = small;
            bench_apply(&bench, load);
        }
        assert_memory_equal(bench_bytes(&bench, 0), kept, BENCH_TARGET_BYTES);
        image->size_bytes = BENCH_IMAGE_BYTES;
    }
    load3d_bench_close(&bench);
}

static void test_load3dv1_by_windows_makes_the_fractal_columns_of_load3dv2(void **state)
{
    (void)state;
    static uint8_t kept[BENCH_TARGET_BYTES];
    struct load3d_bench bench;
    load3d_bench_open(&bench, ARCH_2002, splitmix_seed());
    for (int count = 0; count < CASES; count++) {
        int64_t down, across;
        struct insn insn = pick_whole(&bench, false, &down, &across);
        int side = (int)bench_pick(&bench, 0, 1); /* the same bytes go to L0B */
        bench_clear(&bench);
        bench_apply(&bench, insn);
        bench_keep(&bench, 0, kept);
        for (int64_t column = 0; column < across; column++) {
            struct insn load = v1_of(&insn, 0, column);
            load.operand[LOAD3DV1_dst].region = bench.target[side];
            load.operand[LOAD3DV1_dst].offset = (uint64_t)(column * FRACTAL_BYTES);
            load.field[LOAD3DV1_repeatMode] = 1;
            load.field[LOAD3DV1_repeatTime] = down;
            load.field[LOAD3DV1_jumpStride] = across;
            bench_apply(&bench, load);
        }
        assert_memory_equal(bench_bytes(&bench, side), kept, BENCH_TARGET_BYTES);
    }
    load3d_bench_close(&bench);
}

static void test_load3dv1_across_the_boundary_counts_it_in_blocks(void **state)
{
    (void)state;
    static uint8_t kept[BENCH_TARGET_BYTES];
    struct load3d_bench bench;
    load3d_bench_open(&bench, ARCH_2002, splitmix_seed());
    for (int count = 0; count < CASES; count++) {
        int64_t down, across;
        struct insn insn = pick_whole(&bench, false, &down, &across);
        struct insn load = v1_of(&insn, 0, 0);
        load.field[LOAD3DV1_repeatTime] = across;
        bench_clear(&bench);
        bench_set_boundary(&bench, 0);
        bench_apply(&bench, load);
        bench_keep(&bench, 0, kept);
        uint64_t boundary = BENCH_START + (uint64_t)bench_pick(&bench, 1, 20) * BLOCK_BYTES;
        bench_fold(&bench, boundary);
        bench_set_boundary(&bench, boundary / BLOCK_BYTES);
        bench_apply(&bench, load);
        assert_memory_equal(bench_bytes(&bench, 0), kept, BENCH_TARGET_BYTES);
        bench_unfold(&bench, boundary);
    }
    load3d_bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load3dv1_by_filter_points_makes_the_fractal_rows_of_load3dv2),
        cmocka_unit_test(test_load3dv1_by_windows_makes_the_fractal_columns_of_load3dv2),
        cmocka_unit_test(test_load3dv1_across_the_boundary_counts_it_in_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
