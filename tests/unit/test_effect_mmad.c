#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"

struct bench {
    struct rig rig;
    struct insn insn;
    uint32_t a, b, c;
    int64_t m, n, k;
    enum element element;
};

static uint32_t zero(uint64_t index)
{
    (void)index;
    return 0;
}

static void bench_init(struct bench *bench, enum arch arch, enum element element, int64_t m,
                       int64_t n, int64_t k)
{
    rig_init(&bench->rig, arch);
    uint64_t c0 = element_c0(element);
    uint64_t depth = ((uint64_t)k + c0 - 1) / c0 * c0;
    uint64_t rows = ((uint64_t)m + 15) / 16 * 16;
    uint64_t columns = ((uint64_t)n + 15) / 16 * 16;
    enum element out = element == ELEMENT_INT8 ? ELEMENT_INT32 : ELEMENT_FP32;
    bench->a = rig_filled(&bench->rig, SPACE_L0A, element, rows * depth, zero);
    bench->b = rig_filled(&bench->rig, SPACE_L0B, element, columns * depth, zero);
    bench->c = rig_region(&bench->rig, SPACE_L0C, out, rows * columns);
    bench->m = m;
    bench->n = n;
    bench->k = k;
    bench->element = element;
    insn_init(&bench->insn, OP_MMAD);
    bench->insn.operand[MMAD_dst].region = bench->c;
    bench->insn.operand[MMAD_a].region = bench->a;
    bench->insn.operand[MMAD_b].region = bench->b;
    bench->insn.field[MMAD_type] = element;
    bench->insn.field[MMAD_typeB] = element;
    bench->insn.field[MMAD_typeC] = out;
    bench->insn.field[MMAD_m] = m;
    bench->insn.field[MMAD_n] = n;
    bench->insn.field[MMAD_k] = k;
}

/* A in ZZ, B in ZN, C in NZ of 16 x 16. */
static uint64_t a_at(const struct bench *bench, int64_t row, int64_t q)
{
    int64_t c0 = element_c0(bench->element);
    int64_t depth = (bench->k + c0 - 1) / c0;
    if (bench->m == 1) {
        return (uint64_t)q; /* one row is read as a vector */
    }
    return (uint64_t)((row / 16 * depth + q / c0) * 16 * c0 + row % 16 * c0 + q % c0);
}

static uint64_t b_at(const struct bench *bench, int64_t q, int64_t column)
{
    int64_t c0 = element_c0(bench->element);
    int64_t columns = (bench->n + 15) / 16;
    return (uint64_t)((q / c0 * columns + column / 16) * 16 * c0 + column % 16 * c0 + q % c0);
}

static uint64_t c_at(const struct bench *bench, int64_t row, int64_t column)
{
    int64_t rows = (bench->m + 15) / 16 * 16;
    return (uint64_t)((column / 16 * rows + row) * 16 + column % 16);
}

static float c_float(struct bench *bench, int64_t row, int64_t column)
{
    uint32_t code = rig_load(&bench->rig, bench->c, c_at(bench, row, column));
    return (float)element_decode(ELEMENT_FP32, code);
}

static void test_only_true_lanes_are_written(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 17, 18, 5);
    memset(rig_bytes(&bench.rig, bench.a), 0xFF, 2 * 16 * 16 * 2); /* NaN in every lane */
    for (int64_t row = 0; row < 17; row++) {
        for (int64_t q = 0; q < 5; q++) {
            rig_store(&bench.rig, bench.a, a_at(&bench, row, q), rig_code(ELEMENT_FP16, 1));
        }
    }
    for (int64_t column = 0; column < 18; column++) {
        rig_store(&bench.rig, bench.b, b_at(&bench, 4, column), rig_code(ELEMENT_FP16, 3));
    }
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    assert_int_equal(rig_written_count(&bench.rig, bench.c), 17 * 18);
    for (int64_t row = 0; row < 17; row++) {
        for (int64_t column = 0; column < 18; column++) {
            assert_true(c_float(&bench, row, column) == 3.0F);
        }
    }
    rig_deinit(&bench.rig);
}

/* 2^24 + (1 + 1): added as a block of two it is exact, one after the other both ones are lost. */
static void test_a_block_of_k_is_summed_before_it_is_added_and_rounded(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP32, 1, 1, 16);
    uint32_t one = rig_code(ELEMENT_FP32, 1);
    for (int64_t q = 0; q < 16; q++) {
        rig_store(&bench.rig, bench.b, b_at(&bench, q, 0), one);
    }
    rig_store(&bench.rig, bench.c, 0, rig_code(ELEMENT_FP32, 1 << 24));
    bench.insn.field[MMAD_cmatrixInitVal] = 0;
    rig_store(&bench.rig, bench.a, a_at(&bench, 0, 6), one);
    rig_store(&bench.rig, bench.a, a_at(&bench, 0, 7), one);
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_true(c_float(&bench, 0, 0) == 16777218.0F);
    /* The same ones in two blocks: each sum of 1 is rounded away, ties to even. */
    rig_store(&bench.rig, bench.c, 0, rig_code(ELEMENT_FP32, 1 << 24));
    rig_store(&bench.rig, bench.a, a_at(&bench, 0, 6), 0);
    rig_store(&bench.rig, bench.a, a_at(&bench, 0, 8), one);
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_true(c_float(&bench, 0, 0) == 16777216.0F);
    rig_deinit(&bench.rig);
}

static void test_float_results_saturate_and_nan_becomes_zero(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_BF16, 3, 1, 1);
    rig_store(&bench.rig, bench.a, a_at(&bench, 0, 0), 0x7F7F); /* largest finite */
    rig_store(&bench.rig, bench.a, a_at(&bench, 1, 0), 0xFF80); /* -infinity */
    rig_store(&bench.rig, bench.a, a_at(&bench, 2, 0), 0x7FC0); /* NaN */
    rig_store(&bench.rig, bench.b, b_at(&bench, 0, 0), 0x7F7F);
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_true(c_float(&bench, 0, 0) == FLT_MAX);
    assert_true(c_float(&bench, 1, 0) == -FLT_MAX);
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 2, 0)), 0);
    rig_deinit(&bench.rig);
}

static void test_integers_saturate_once_at_the_end(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_INT8, 1, 3, 2);
    rig_store(&bench.rig, bench.a, a_at(&bench, 0, 0), 0x7F);
    rig_store(&bench.rig, bench.a, a_at(&bench, 0, 1), 0x80);
    static const uint32_t b[3][2] = {{0x7F, 0}, {0, 0x7F}, {0x7F, 0x7F}};
    static const uint32_t start[3] = {0x7FFFFFFF, 0x80000000, 0x7FFFFFFF};
    for (int64_t column = 0; column < 3; column++) {
        rig_store(&bench.rig, bench.b, b_at(&bench, 0, column), b[column][0]);
        rig_store(&bench.rig, bench.b, b_at(&bench, 1, column), b[column][1]);
        rig_store(&bench.rig, bench.c, c_at(&bench, 0, column), start[column]);
    }
    bench.insn.field[MMAD_cmatrixInitVal] = 0;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 0, 0)), 0x7FFFFFFF);
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 0, 1)), 0x80000000);
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 0, 2)), 0x7FFFFFFF - 127);
    rig_deinit(&bench.rig);
}

/* A row of 400 in the first two fractals: 5 at K 300 lies at byte 600, wherever fractals begin. */
static void test_a_single_row_is_a_vector_unless_a_950_is_told_otherwise(void **state)
{
    (void)state;
    static const enum arch arches[] = {ARCH_1001, ARCH_2002, ARCH_2201, ARCH_3002, ARCH_3510};
    for (size_t index = 0; index < sizeof arches / sizeof arches[0]; index++) {
        struct bench bench;
        bench_init(&bench, arches[index], ELEMENT_FP16, 1, 1, 400);
        rig_store(&bench.rig, bench.a, 300, rig_code(ELEMENT_FP16, 5));
        rig_store(&bench.rig, bench.b, b_at(&bench, 300, 0), rig_code(ELEMENT_FP16, 7));
        /* Row 0 of fractal 18 holds K 288 .. 303 when A is laid out as for any m. */
        rig_store(&bench.rig, bench.a, 18 * 256 + 12, rig_code(ELEMENT_FP16, 3));
        effect_apply(&bench.rig.machine, &bench.insn);
        assert_true(c_float(&bench, 0, 0) == 35.0F);
        uint32_t hazards = rig_hazards(&bench.rig);
        assert_int_equal(hazards, 0);
        bench.insn.field[MMAD_disableGemv] = 1;
        effect_apply(&bench.rig.machine, &bench.insn);
        bool told = arches[index] == ARCH_3510;
        assert_true(c_float(&bench, 0, 0) == (told ? 21.0F : 35.0F));
        assert_int_equal(rig_hazards(&bench.rig), told ? 0 : 1);
        rig_deinit(&bench.rig);
    }
}

static void test_a_vector_needs_no_more_fractals_than_hold_it(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 1, 3, 272);
    struct region *a = &bench.rig.region[bench.a];
    a->size_bytes = 1024; /* 17 blocks of 32 bytes */
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    a->size_bytes--;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(bench.rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    rig_deinit(&bench.rig);
}

/* 40 x 20 of fp32 with 3 blocks of K, of which kDirectionAlign makes 4: rows of A are 4 fractals
 * apart and 3 of them are read. */
static void test_the_padding_block_of_an_aligned_k_is_not_told(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP32, 40, 20, 32);
    bench.insn.field[MMAD_k] = 20;
    bench.insn.field[MMAD_kDirectionAlign] = 1;
    bench.insn.field[MMAD_cmatrixInitVal] = 1;
    for (uint64_t index = 0; index < 3UL * 4 * 128; index++) {
        rig_store(&bench.rig, bench.a, index, rig_code(ELEMENT_FP32, (int)(index % 97) + 1));
        rig_store(&bench.rig, bench.b, index % 1024, rig_code(ELEMENT_FP32, (int)(index % 89) + 1));
    }
    access_check_apply(&bench.rig, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.a, false), 3 * 3 * 512);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.b, false), 3 * 2 * 512);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.c, true), 2 * 40 * 64);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.c, false), 0);
    bench.insn.field[MMAD_k] = 32; /* needs no padding: the operands have room for no more */
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.a, false), 3 * 4 * 512);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.b, false), 4 * 2 * 512);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    rig_deinit(&bench.rig);
}

static void test_an_aligned_k_contradicts_types_other_than_fp32(void **state)
{
    (void)state;
    static const enum element types[] = {ELEMENT_FP16, ELEMENT_BF16, ELEMENT_INT8, ELEMENT_FP32};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bench bench;
        bool fits = types[i] == ELEMENT_FP32;
        bench_init(&bench, ARCH_2201, types[i], 16, 16, 32);
        bench.insn.field[MMAD_kDirectionAlign] = 1;
        bench.insn.field[MMAD_cmatrixInitVal] = 1;
        effect_apply(&bench.rig.machine, &bench.insn);
        assert_int_equal(rig_hazards(&bench.rig), !fits);
        assert_int_equal(bench.rig.hazards[HAZARD_OUT_OF_BOUNDS], !fits);
        if (types[i] == ELEMENT_INT8)
            assert_string_equal(bench.rig.message,
                                "mmad: kDirectionAlign is 1 with int8; expected 0, or fp32");
        rig_deinit(&bench.rig);
    }
}

/* 19 blocks of K lie in two fractals. */
static void test_a_vector_tells_the_fractals_that_hold_it(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 1, 3, 300);
    bench.insn.field[MMAD_cmatrixInitVal] = 1;
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.a, false), 2 * 512);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.b, false), 19 * 512);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.c, true), 64);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    rig_deinit(&bench.rig);
}

static void test_zero_sizes_do_nothing(void **state)
{
    (void)state;
    static const int sizes[] = {MMAD_m, MMAD_n, MMAD_k};
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 16, 16, 16);
    for (size_t index = 0; index < 3; index++) {
        struct insn insn = bench.insn;
        insn.field[sizes[index]] = 0;
        effect_apply(&bench.rig.machine, &insn);
    }
    assert_int_equal(rig_hazards(&bench.rig), 0);
    assert_int_equal(rig_written_count(&bench.rig, bench.c), 0);
    rig_deinit(&bench.rig);
}

static void expect_unwritten(struct bench *bench, const char *message)
{
    uint32_t before = bench->rig.hazards[HAZARD_UNINITIALIZED];
    effect_apply(&bench->rig.machine, &bench->insn);
    assert_int_equal(bench->rig.hazards[HAZARD_UNINITIALIZED], before + 1);
    assert_string_equal(bench->rig.message, message);
    assert_int_equal(rig_hazards(&bench->rig), before + 1);
}

static void test_true_lanes_that_nobody_wrote_are_reported_once(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 18, 17, 20);
    uint8_t *a = rig_written(&bench.rig, bench.a);
    uint8_t *b = rig_written(&bench.rig, bench.b);
    a[2 * a_at(&bench, 3, 20)] = 0; /* beyond k, m and n: nobody reads them */
    a[2 * a_at(&bench, 18, 0)] = 0;
    b[2 * b_at(&bench, 20, 0)] = 0;
    b[2 * b_at(&bench, 0, 17)] = 0;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    b[2 * b_at(&bench, 19, 16) + 1] = 0;
    expect_unwritten(&bench, "mmad: b has elements that were never written, first at [19, 16]");
    a[2 * a_at(&bench, 17, 19)] = 0;
    expect_unwritten(&bench, "mmad: a has elements that were never written, first at [17, 19]");
    rig_deinit(&bench.rig);
}

static void test_accumulators_and_bias_that_nobody_wrote_are_reported(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 17, 17, 16);
    bench.insn.field[MMAD_cmatrixInitVal] = 0;
    expect_unwritten(&bench, "mmad: dst has elements that were never written, first at [0, 0]");
    rig_written(&bench.rig, bench.c)[4 * c_at(&bench, 16, 16)] = 0;
    expect_unwritten(&bench, "mmad: dst has elements that were never written, first at [16, 16]");
    uint32_t bias = rig_region(&bench.rig, SPACE_BT, ELEMENT_FP32, 17);
    for (uint64_t column = 0; column < 16; column++) {
        rig_store(&bench.rig, bias, column, 0);
    }
    bench.insn.field[MMAD_cmatrixSource] = 1;
    bench.insn.operand[MMAD_bias].region = bias;
    expect_unwritten(&bench, "mmad: bias has elements that were never written, first at [0, 16]");
    rig_deinit(&bench.rig);
}

/* cmatrixInitVal wins over a bias, and a bias over the old C. */
static void test_only_what_c_starts_from_is_read(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 16, 17, 16);
    uint32_t bias = rig_filled(&bench.rig, SPACE_BT, ELEMENT_FP32, 17, zero);
    bench.insn.field[MMAD_cmatrixInitVal] = 1;
    bench.insn.field[MMAD_cmatrixSource] = 1;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0); /* no bias is given, and none is needed */
    bench.insn.operand[MMAD_bias].region = bias;
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bias, false), 0);
    bench.insn.field[MMAD_cmatrixInitVal] = 0;
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bias, false), 17 * 4);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.c, false), 0);
    bench.insn.field[MMAD_cmatrixSource] = 0;
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bias, false), 0);
    assert_int_equal(access_told_bytes(&bench.rig, &bench.insn, bench.c, false), 2 * 16 * 64);
    rig_deinit(&bench.rig);
}

static void test_operands_must_hold_whole_fractals(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_FP16, 17, 17, 17);
    static const int operands[] = {MMAD_dst, MMAD_a, MMAD_b};
    for (size_t index = 0; index < 3; index++) {
        struct region *region = &bench.rig.region[bench.insn.operand[operands[index]].region];
        region->size_bytes--;
        effect_apply(&bench.rig.machine, &bench.insn);
        region->size_bytes++;
        assert_int_equal(bench.rig.hazards[HAZARD_OUT_OF_BOUNDS], index + 1);
    }
    bench.insn.field[MMAD_cmatrixInitVal] = 0;
    bench.insn.field[MMAD_cmatrixSource] = 1;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_string_equal(bench.rig.message, "mmad: bias is not given");
    assert_int_equal(rig_written_count(&bench.rig, bench.c), 0);
    rig_deinit(&bench.rig);
}

static void test_the_largest_operands_fit_the_work_area(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, ARCH_2201, ELEMENT_INT8, 16, 16, 4064);
    bench.insn.field[MMAD_m] = 16;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    assert_int_equal(rig_load(&bench.rig, bench.c, 0), 0);
    rig_deinit(&bench.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_true_lanes_are_written),
        cmocka_unit_test(test_a_block_of_k_is_summed_before_it_is_added_and_rounded),
        cmocka_unit_test(test_float_results_saturate_and_nan_becomes_zero),
        cmocka_unit_test(test_integers_saturate_once_at_the_end),
        cmocka_unit_test(test_a_single_row_is_a_vector_unless_a_950_is_told_otherwise),
        cmocka_unit_test(test_a_vector_needs_no_more_fractals_than_hold_it),
        cmocka_unit_test(test_the_padding_block_of_an_aligned_k_is_not_told),
        cmocka_unit_test(test_an_aligned_k_contradicts_types_other_than_fp32),
        cmocka_unit_test(test_a_vector_tells_the_fractals_that_hold_it),
        cmocka_unit_test(test_zero_sizes_do_nothing),
        cmocka_unit_test(test_true_lanes_that_nobody_wrote_are_reported_once),
        cmocka_unit_test(test_accumulators_and_bias_that_nobody_wrote_are_reported),
        cmocka_unit_test(test_only_what_c_starts_from_is_read),
        cmocka_unit_test(test_operands_must_hold_whole_fractals),
        cmocka_unit_test(test_the_largest_operands_fit_the_work_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
