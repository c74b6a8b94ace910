/*
 * Mmad with every combination of types that a product has (docs/isa.md section 7), against loops
 * over the matrices, and what its registers change.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "isa/registers.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"
#include "tests/support/splitmix.h"

enum { A_BYTES = 64 * 1024, B_BYTES = 64 * 1024 };

struct combination {
    enum arch arch;
    enum element a, b, c;
};

#define E(name) ELEMENT_##name
static const struct combination combinations[] = {
    {ARCH_1001, E(UINT8), E(UINT8), E(UINT32)},     {ARCH_1001, E(INT8), E(INT8), E(INT32)},
    {ARCH_1001, E(UINT8), E(INT8), E(INT32)},       {ARCH_1001, E(FP16), E(FP16), E(FP16)},
    {ARCH_1001, E(FP16), E(FP16), E(FP32)},         {ARCH_2002, E(INT8), E(INT8), E(INT32)},
    {ARCH_2002, E(UINT8), E(UINT8), E(INT32)},      {ARCH_2002, E(UINT8), E(INT8), E(INT32)},
    {ARCH_2002, E(FP16), E(FP16), E(FP16)},         {ARCH_2002, E(FP16), E(FP16), E(FP32)},
    {ARCH_2002, E(INT4), E(INT4), E(INT32)},        {ARCH_2201, E(INT8), E(INT8), E(INT32)},
    {ARCH_2201, E(INT4), E(INT4), E(INT32)},        {ARCH_2201, E(FP16), E(FP16), E(FP32)},
    {ARCH_2201, E(BF16), E(BF16), E(FP32)},         {ARCH_2201, E(FP32), E(FP32), E(FP32)},
    {ARCH_3002, E(INT8), E(INT8), E(INT32)},        {ARCH_3002, E(INT4), E(INT4), E(INT32)},
    {ARCH_3002, E(FP16), E(FP16), E(FP32)},         {ARCH_3002, E(BF16), E(BF16), E(FP32)},
    {ARCH_3002, E(FP32), E(FP32), E(FP32)},         {ARCH_3510, E(INT8), E(INT8), E(INT32)},
    {ARCH_3510, E(FP16), E(FP16), E(FP32)},         {ARCH_3510, E(BF16), E(BF16), E(FP32)},
    {ARCH_3510, E(FP32), E(FP32), E(FP32)},         {ARCH_3510, E(HIF8), E(HIF8), E(FP32)},
    {ARCH_3510, E(FP8_E4M3), E(FP8_E4M3), E(FP32)}, {ARCH_3510, E(FP8_E4M3), E(FP8_E5M2), E(FP32)},
    {ARCH_3510, E(FP8_E5M2), E(FP8_E4M3), E(FP32)}, {ARCH_3510, E(FP8_E5M2), E(FP8_E5M2), E(FP32)},
};
#undef E
enum { COMBINATIONS = sizeof combinations / sizeof combinations[0] };

/* A, B and C of a product, logical. */
struct bench {
    struct rig rig;
    struct insn insn;
    struct combination type;
    uint64_t m, n, k, c0, depth;
    uint32_t a, b, c;
};

static void bench_init(struct bench *bench, const struct combination *type, uint64_t m, uint64_t n,
                       uint64_t k)
{
    *bench = (struct bench){.type = *type, .m = m, .n = n, .k = k};
    bench->c0 = element_c0(type->a);
    bench->depth = (k + bench->c0 - 1) / bench->c0;
    rig_init(&bench->rig, type->arch);
    /* Bytes, so that elements of 4 bits can be stored. */
    bench->a = rig_region(&bench->rig, SPACE_L0A, ELEMENT_UINT8, A_BYTES);
    bench->b = rig_region(&bench->rig, SPACE_L0B, ELEMENT_UINT8, B_BYTES);
    bench->c = rig_region(&bench->rig, SPACE_L0C, type->c, (m + 15) / 16 * ((n + 15) / 16) * 256);
    insn_init(&bench->insn, OP_MMAD);
    bench->insn.operand[MMAD_dst].region = bench->c;
    bench->insn.operand[MMAD_a].region = bench->a;
    bench->insn.operand[MMAD_b].region = bench->b;
    bench->insn.field[MMAD_type] = type->a;
    bench->insn.field[MMAD_typeB] = type->b;
    bench->insn.field[MMAD_typeC] = type->c;
    bench->insn.field[MMAD_m] = (int64_t)m;
    bench->insn.field[MMAD_n] = (int64_t)n;
    bench->insn.field[MMAD_k] = (int64_t)k;
}

static uint64_t a_at(const struct bench *bench, uint64_t row, uint64_t q)
{
    if (bench->m == 1)
        return q;
    uint64_t fractal = bench->type.arch == ARCH_3510
                           ? q / bench->c0 * ((bench->m + 15) / 16) + row / 16
                           : row / 16 * bench->depth + q / bench->c0;
    return fractal * 16 * bench->c0 + row % 16 * bench->c0 + q % bench->c0;
}

static uint64_t b_at(const struct bench *bench, uint64_t q, uint64_t column)
{
    uint64_t fractal = q / bench->c0 * ((bench->n + 15) / 16) + column / 16;
    return fractal * 16 * bench->c0 + column % 16 * bench->c0 + q % bench->c0;
}

static uint64_t c_at(const struct bench *bench, uint64_t row, uint64_t column)
{
    return (column / 16 * ((bench->m + 15) / 16 * 16) + row) * 16 + column % 16;
}

static void operand_store(struct bench *bench, uint32_t region, enum element type, uint64_t index,
                          uint32_t code)
{
    uint64_t byte = index * element_bits(type) / 8;
    element_store(type, rig_bytes(&bench->rig, region), index, code);
    memset(rig_written(&bench->rig, region) + byte, 1,
           element_bits(type) < 8 ? 1 : element_bytes(type));
}

static double operand_load(struct bench *bench, uint32_t region, enum element type, uint64_t index)
{
    return element_decode(type, element_load(type, rig_bytes(&bench->rig, region), index));
}

/* A code of moderate size: all codes of integers, no special ones of floats. */
static uint32_t noise_code(enum element type, uint64_t *state)
{
    if (element_is_integer(type))
        return (uint32_t)(splitmix_next(state) & ((UINT64_C(1) << element_bits(type)) - 1));
    double value = (double)(int64_t)splitmix_range(state, 0, 2000000) - 1000000.0;
    return element_encode(type, (float)(value / 65536.0), true);
}

static void bench_fill(struct bench *bench, uint64_t *state)
{
    for (uint64_t row = 0; row < bench->m; row++)
        for (uint64_t q = 0; q < bench->k; q++)
            operand_store(bench, bench->a, bench->type.a, a_at(bench, row, q),
                          noise_code(bench->type.a, state));
    for (uint64_t q = 0; q < bench->k; q++)
        for (uint64_t column = 0; column < bench->n; column++)
            operand_store(bench, bench->b, bench->type.b, b_at(bench, q, column),
                          noise_code(bench->type.b, state));
    for (uint64_t row = 0; row < bench->m; row++)
        for (uint64_t column = 0; column < bench->n; column++)
            rig_store(&bench->rig, bench->c, c_at(bench, row, column),
                      noise_code(bench->type.c, state));
}

/* Element [row, column] by the rule: integers exactly, floats a block of C0 at a time. */
static uint32_t reference(struct bench *bench, uint64_t row, uint64_t column)
{
    double integer = bench->insn.field[MMAD_cmatrixInitVal] != 0
                         ? 0.0
                         : element_decode(bench->type.c, rig_load(&bench->rig, bench->c,
                                                                  c_at(bench, row, column)));
    float value = (float)integer;
    for (uint64_t block = 0; block < bench->k; block += bench->c0) {
        double sum = 0.0;
        for (uint64_t q = block; q < bench->k && q < block + bench->c0; q++)
            sum += operand_load(bench, bench->a, bench->type.a, a_at(bench, row, q)) *
                   operand_load(bench, bench->b, bench->type.b, b_at(bench, q, column));
        value = (float)((double)value + sum);
        integer += sum;
    }
    return element_is_integer(bench->type.c)
               ? element_encode_integer(bench->type.c, (int64_t)integer)
               : element_encode(bench->type.c, value, true);
}

static void check_product(struct bench *bench)
{
    static uint32_t want[64 * 64];
    for (uint64_t row = 0; row < bench->m; row++)
        for (uint64_t column = 0; column < bench->n; column++)
            want[row * bench->n + column] = reference(bench, row, column);
    access_check_apply(&bench->rig, &bench->insn);
    if (rig_hazards(&bench->rig) != 0)
        fail_msg("%s", bench->rig.message);
    for (uint64_t row = 0; row < bench->m; row++)
        for (uint64_t column = 0; column < bench->n; column++)
            assert_int_equal(rig_load(&bench->rig, bench->c, c_at(bench, row, column)),
                             want[row * bench->n + column]);
    assert_int_equal(rig_written_count(&bench->rig, bench->c), bench->m * bench->n);
}

static void test_every_combination_of_a_product_multiplies_by_the_rule(void **state)
{
    (void)state;
    uint64_t noise = splitmix_seed();
    for (size_t i = 0; i < COMBINATIONS; i++)
        for (int round = 0; round < 8; round++) {
            struct bench bench;
            uint64_t m = round == 0 ? 1 : splitmix_range(&noise, 2, 40);
            uint64_t n = splitmix_range(&noise, 1, 40), k = splitmix_range(&noise, 1, 140);
            if (combinations[i].a == ELEMENT_INT4)
                k += k % 2;
            bench_init(&bench, &combinations[i], m, n, k);
            bench_fill(&bench, &noise);
            bench.insn.field[MMAD_cmatrixInitVal] = round % 2;
            check_product(&bench);
            rig_deinit(&bench.rig);
        }
}

static void test_no_other_combination_is_taken(void **state)
{
    (void)state;
    size_t taken = 0;
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        struct combination type = {(enum arch)arch, ELEMENT_FP16, ELEMENT_FP16, ELEMENT_FP32};
        struct bench bench;
        struct insn_problem problem;
        bench_init(&bench, &type, 16, 16, 16);
        for (int64_t a = 0; a < ELEMENT_COUNT; a++)
            for (int64_t b = 0; b < ELEMENT_COUNT; b++)
                for (int64_t c = 0; c < ELEMENT_COUNT; c++) {
                    bench.insn.field[MMAD_type] = a;
                    bench.insn.field[MMAD_typeB] = b;
                    bench.insn.field[MMAD_typeC] = c;
                    taken += insn_check(&bench.rig.program, &bench.insn, &problem);
                }
        rig_deinit(&bench.rig);
    }
    assert_int_equal(taken, COMBINATIONS);
}

static void expect_refused(struct bench *bench, const char *message)
{
    struct insn_problem problem = {.message = "accepted"};
    assert_false(insn_check(&bench->rig.program, &bench->insn, &problem));
    assert_string_equal(problem.message, message);
}

static void test_a_refused_combination_names_those_of_the_product(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, &(struct combination){ARCH_1001, ELEMENT_INT8, ELEMENT_UINT8, ELEMENT_INT32},
               16, 16, 16);
    expect_refused(&bench, "found int8 x uint8 -> int32 on dav-1001; expected uint8 x uint8 -> "
                           "uint32, int8 x int8 -> int32, uint8 x int8 -> int32, fp16 x fp16 -> "
                           "fp32, fp16 x fp16 -> fp16");
    rig_deinit(&bench.rig);
    bench_init(&bench, &(struct combination){ARCH_3510, ELEMENT_INT4, ELEMENT_INT4, ELEMENT_INT32},
               16, 16, 16);
    expect_refused(&bench,
                   "found int4 x int4 -> int32 on dav-3510; expected int8 x int8 -> int32, fp16 x "
                   "fp16 -> fp32, bf16 x bf16 -> fp32, fp32 x fp32 -> fp32, fp8_e4m3|fp8_e5m2 x "
                   "fp8_e4m3|fp8_e5m2 -> fp32, hif8 x hif8 -> fp32");
    rig_deinit(&bench.rig);
}

static void test_types_that_are_left_out_follow_from_a(void **state)
{
    (void)state;
    static const struct combination cases[] = {
        {ARCH_1001, ELEMENT_UINT8, ELEMENT_UINT8, ELEMENT_UINT32},
        {ARCH_2002, ELEMENT_UINT8, ELEMENT_UINT8, ELEMENT_INT32},
        {ARCH_1001, ELEMENT_FP16, ELEMENT_FP16, ELEMENT_FP32},
        {ARCH_3510, ELEMENT_HIF8, ELEMENT_HIF8, ELEMENT_FP32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        bench_init(&bench, &cases[i], 16, 16, 16);
        bench.insn.field[MMAD_typeB] = bench.insn.field[MMAD_typeC] = ELEMENT_FP4_E1M2;
        insn_imply(&bench.rig.program, &bench.insn, 1U << MMAD_type);
        assert_int_equal(bench.insn.field[MMAD_typeB], cases[i].b);
        assert_int_equal(bench.insn.field[MMAD_typeC], cases[i].c);
        assert_int_equal(bench.insn.field[MMAD_cmatrixInitVal], 1);
        bench.insn.operand[MMAD_bias].region = bench.c;
        insn_imply(&bench.rig.program, &bench.insn, 1U << MMAD_type);
        assert_int_equal(bench.insn.field[MMAD_cmatrixInitVal], 0);
        assert_int_equal(bench.insn.field[MMAD_cmatrixSource], 1);
        rig_deinit(&bench.rig);
    }
}

static void test_fields_that_a_product_lacks_are_refused(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        int field;
        int64_t value;
        const char *message;
    } cases[] = {
        {ARCH_2201, MMAD_disableGemv, 1,
         "disableGemv is 1 on dav-2201; expected 0, or a product of dav-3510"},
        {ARCH_3510, MMAD_kDirectionAlign, 1,
         "kDirectionAlign is 1 on dav-3510; expected 0, or a product of dav-2201"},
        {ARCH_2002, MMAD_cmatrixSource, 1,
         "cmatrixSource is 1 on dav-2002; expected 0, or a product of dav-2201, dav-3510"},
        {ARCH_1001, MMAD_unitFlag, 3,
         "unitFlag is 3 on dav-1001; expected 0, or a product of dav-2201, dav-3002, dav-3510"},
        {ARCH_2201, MMAD_unitFlag, 1, "unitFlag is 1; expected one of 0, 2, 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        bench_init(&bench,
                   &(struct combination){cases[i].arch, ELEMENT_FP16, ELEMENT_FP16, ELEMENT_FP32},
                   16, 16, 16);
        bench.insn.field[cases[i].field] = cases[i].value;
        expect_refused(&bench, cases[i].message);
        rig_deinit(&bench.rig);
    }
}

/* 2048 + 1 is no fp16: summed in binary32 two ones make 2050, rounded after each they would be
 * lost. 300 * 300 is more than fp16 holds. */
static void test_an_fp16_c_is_rounded_once_and_saturates(void **state)
{
    (void)state;
    static const struct combination type = {ARCH_2002, ELEMENT_FP16, ELEMENT_FP16, ELEMENT_FP16};
    struct bench bench;
    bench_init(&bench, &type, 2, 2, 32);
    uint64_t noise = 1;
    bench_fill(&bench, &noise);
    for (uint64_t q = 0; q < 32; q++)
        for (uint64_t lane = 0; lane < 2; lane++) {
            bool one = q == 0 || q == 16; /* two blocks */
            uint32_t left = rig_code(ELEMENT_FP16, !one ? 0 : lane == 0 ? 1 : 300);
            operand_store(&bench, bench.a, ELEMENT_FP16, a_at(&bench, lane, q), left);
            operand_store(&bench, bench.b, ELEMENT_FP16, b_at(&bench, q, lane), left);
        }
    for (uint64_t row = 0; row < 2; row++)
        for (uint64_t column = 0; column < 2; column++)
            rig_store(&bench.rig, bench.c, c_at(&bench, row, column), rig_code(ELEMENT_FP16, 2048));
    bench.insn.field[MMAD_cmatrixInitVal] = 0;
    check_product(&bench);
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 0, 0)),
                     rig_code(ELEMENT_FP16, 2050));
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 1, 1)), 0x7BFF);
    rig_deinit(&bench.rig);
}

/* A fractal of an fp16 C takes 512 bytes, of the others 1024; each starts at a multiple of it. */
static void test_c_lies_in_fractals_of_its_type(void **state)
{
    (void)state;
    for (int half = 0; half < 2; half++) {
        struct bench bench;
        struct combination type = {ARCH_1001, ELEMENT_FP16, ELEMENT_FP16,
                                   half ? ELEMENT_FP16 : ELEMENT_FP32};
        bench_init(&bench, &type, 16, 32, 16);
        uint64_t noise = 1;
        bench_fill(&bench, &noise);
        struct region *c = &bench.rig.region[bench.c];
        assert_int_equal(c->size_bytes, half ? 1024 : 2048);
        c->size_bytes += 512;
        bench.insn.operand[MMAD_dst].offset = 512;
        effect_apply(&bench.rig.machine, &bench.insn);
        assert_int_equal(bench.rig.hazards[HAZARD_MISALIGNED], !half);
        c->size_bytes--;
        effect_apply(&bench.rig.machine, &bench.insn);
        assert_int_equal(bench.rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
        rig_deinit(&bench.rig);
    }
}

static void test_an_unsigned_c_saturates_at_the_end_of_its_range(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, &combinations[0], 2, 1, 1);
    operand_store(&bench, bench.a, ELEMENT_UINT8, a_at(&bench, 0, 0), 255);
    operand_store(&bench, bench.a, ELEMENT_UINT8, a_at(&bench, 1, 0), 1);
    operand_store(&bench, bench.b, ELEMENT_UINT8, b_at(&bench, 0, 0), 200);
    rig_store(&bench.rig, bench.c, c_at(&bench, 0, 0), 0xFFFFFFF0);
    rig_store(&bench.rig, bench.c, c_at(&bench, 1, 0), 0xF0000000);
    bench.insn.field[MMAD_cmatrixInitVal] = 0;
    check_product(&bench);
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 0, 0)), 0xFFFFFFFF);
    assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 1, 0)), 0xF00000C8);
    rig_deinit(&bench.rig);
}

static void test_4_bit_products_need_an_even_k_and_have_room_for_the_largest(void **state)
{
    (void)state;
    struct combination type = {ARCH_2201, ELEMENT_INT4, ELEMENT_INT4, ELEMENT_INT32};
    struct bench bench;
    bench_init(&bench, &type, 16, 8, 4094);
    uint64_t noise = splitmix_seed();
    bench_fill(&bench, &noise);
    check_product(&bench);
    bench.insn.field[MMAD_k] = 4093;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_string_equal(bench.rig.message, "mmad: k is 4093 with int4; expected an even number");
    assert_int_equal(rig_hazards(&bench.rig), 1);
    rig_deinit(&bench.rig);
}

static void scalar(struct registers *registers, enum opcode opcode, int64_t value)
{
    struct insn insn;
    insn_init(&insn, opcode);
    insn.field[0] = value;
    insn_capture(registers, &insn);
}

/* The result of 1 x value after HF32 has rounded it; `bits` below the last that A2 keeps. */
static float rounded(enum arch arch, float value, int64_t mode, bool on)
{
    struct combination type = {arch, ELEMENT_FP32, ELEMENT_FP32, ELEMENT_FP32};
    struct registers registers;
    struct bench bench;
    registers_init(&registers);
    bench_init(&bench, &type, 2, 1, 1);
    uint32_t code;
    memcpy(&code, &value, sizeof code);
    operand_store(&bench, bench.a, ELEMENT_FP32, a_at(&bench, 0, 0), code);
    operand_store(&bench, bench.a, ELEMENT_FP32, a_at(&bench, 1, 0), 0);
    operand_store(&bench, bench.b, ELEMENT_FP32, b_at(&bench, 0, 0), rig_code(ELEMENT_FP32, 1));
    if (on)
        scalar(&registers, OP_SET_HF32_MODE, 1);
    scalar(&registers, OP_SET_HF32_TRANS_MODE, mode);
    insn_capture(&registers, &bench.insn);
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    uint32_t result = rig_load(&bench.rig, bench.c, 0);
    memcpy(&value, &result, sizeof value);
    rig_deinit(&bench.rig);
    return value;
}

static void test_hf32_rounds_operands_to_the_bits_of_the_product(void **state)
{
    (void)state;
    static const struct {
        enum arch arch;
        float step; /* of the fraction that is kept, at 1 */
    } cases[] = {{ARCH_2201, 0x1p-11F}, {ARCH_3002, 0x1p-11F}, {ARCH_3510, 0x1p-10F}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum arch arch = cases[i].arch;
        float step = cases[i].step;
        assert_true(rounded(arch, 1 + step / 2, 0, false) == 1 + step / 2);
        assert_true(rounded(arch, 1 + step / 2, 0, true) == 1);
        assert_true(rounded(arch, 1 + 3 * step / 2, 0, true) == 1 + 2 * step);
        assert_true(rounded(arch, 1 + 3 * step / 2, 1, true) == 1 + step);
        assert_true(rounded(arch, -1 - 3 * step / 2, 1, true) == -1 - step);
        assert_true(rounded(arch, 1 + 3 * step / 2 + step / 64, 1, true) == 1 + 2 * step);
    }
}

static void test_hf32_leaves_other_types_alone(void **state)
{
    (void)state;
    uint64_t noise = splitmix_seed();
    for (size_t i = 0; i < COMBINATIONS; i++) {
        struct bench bench;
        if (combinations[i].a == ELEMENT_FP32)
            continue;
        bench_init(&bench, &combinations[i], 5, 6, 34);
        bench_fill(&bench, &noise);
        bench.insn.field[MMAD_hf32] = 1;
        check_product(&bench);
        rig_deinit(&bench.rig);
    }
}

/* B is rounded as well as A: (1 + s/2)^2 is 1 exactly. */
static void test_hf32_rounds_both_operands(void **state)
{
    (void)state;
    struct combination type = {ARCH_2201, ELEMENT_FP32, ELEMENT_FP32, ELEMENT_FP32};
    struct bench bench;
    bench_init(&bench, &type, 2, 17, 9);
    for (uint64_t q = 0; q < 9; q++) {
        uint32_t code = element_encode(ELEMENT_FP32, q == 8 ? 1 + 0x1p-12F : 0, true);
        for (uint64_t row = 0; row < 2; row++)
            operand_store(&bench, bench.a, ELEMENT_FP32, a_at(&bench, row, q), code);
        for (uint64_t column = 0; column < 17; column++)
            operand_store(&bench, bench.b, ELEMENT_FP32, b_at(&bench, q, column), code);
    }
    bench.insn.field[MMAD_hf32] = 1;
    effect_apply(&bench.rig.machine, &bench.insn);
    for (uint64_t column = 0; column < 17; column++)
        assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, 1, column)),
                         rig_code(ELEMENT_FP32, 1));
    rig_deinit(&bench.rig);
}

static void test_infinities_and_nan_are_kept_when_ctrl_says_so(void **state)
{
    (void)state;
    struct combination type = {ARCH_2201, ELEMENT_FP16, ELEMENT_FP16, ELEMENT_FP32};
    for (int kept = 0; kept < 2; kept++) {
        static const uint32_t codes[3] = {0x7C00, 0xFC00, 0x7E00}; /* +inf, -inf, NaN */
        static const uint32_t want[2][3] = {{0x7F7FFFFF, 0xFF7FFFFF, 0},
                                            {0x7F800000, 0xFF800000, 0x7FC00000}};
        struct registers registers;
        struct bench bench;
        registers_init(&registers);
        bench_init(&bench, &type, 3, 1, 1);
        operand_store(&bench, bench.b, ELEMENT_FP16, b_at(&bench, 0, 0), 0x3C00);
        for (uint64_t row = 0; row < 3; row++)
            operand_store(&bench, bench.a, ELEMENT_FP16, a_at(&bench, row, 0), codes[row]);
        scalar(&registers, OP_SET_OVERFLOW, kept);
        insn_capture(&registers, &bench.insn);
        effect_apply(&bench.rig.machine, &bench.insn);
        for (uint64_t row = 0; row < 3; row++)
            assert_int_equal(rig_load(&bench.rig, bench.c, c_at(&bench, row, 0)), want[kept][row]);
        rig_deinit(&bench.rig);
    }
}

static void test_the_order_of_c_is_captured_and_changes_no_value(void **state)
{
    (void)state;
    struct registers registers;
    struct insn insn;
    registers_init(&registers);
    insn_init(&insn, OP_MMAD);
    insn_capture(&registers, &insn);
    assert_int_equal(insn.field[MMAD_rowMajor], 0);
    static const enum opcode orders[] = {OP_SET_MM_COLUMN_MAJOR, OP_SET_MM_ROW_MAJOR};
    for (int round = 0; round < 4; round++) {
        struct insn order;
        insn_init(&order, orders[round % 2]);
        insn_capture(&registers, &order);
        insn_capture(&registers, &insn);
        assert_int_equal(insn.field[MMAD_rowMajor], round % 2);
    }
    struct bench bench;
    uint64_t noise = 1;
    bench_init(&bench, &combinations[13], 20, 20, 20);
    bench_fill(&bench, &noise);
    bench.insn.field[MMAD_rowMajor] = 1;
    check_product(&bench);
    rig_deinit(&bench.rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_combination_of_a_product_multiplies_by_the_rule),
        cmocka_unit_test(test_no_other_combination_is_taken),
        cmocka_unit_test(test_a_refused_combination_names_those_of_the_product),
        cmocka_unit_test(test_types_that_are_left_out_follow_from_a),
        cmocka_unit_test(test_fields_that_a_product_lacks_are_refused),
        cmocka_unit_test(test_an_fp16_c_is_rounded_once_and_saturates),
        cmocka_unit_test(test_c_lies_in_fractals_of_its_type),
        cmocka_unit_test(test_an_unsigned_c_saturates_at_the_end_of_its_range),
        cmocka_unit_test(test_4_bit_products_need_an_even_k_and_have_room_for_the_largest),
        cmocka_unit_test(test_hf32_rounds_operands_to_the_bits_of_the_product),
        cmocka_unit_test(test_hf32_rounds_both_operands),
        cmocka_unit_test(test_hf32_leaves_other_types_alone),
        cmocka_unit_test(test_infinities_and_nan_are_kept_when_ctrl_says_so),
        cmocka_unit_test(test_the_order_of_c_is_captured_and_changes_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
