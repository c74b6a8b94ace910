/*
 * Loads of whole fractals against the formulas of docs/isa.md section 4, element by element, with
 * bytes that differ at every position. Elements are counted from the start of an operand, those of
 * 4 bits two to a byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"
#include "tests/support/access_check.h"
#include "tests/support/rig.h"
#include "tests/support/splitmix.h"

enum { SOURCE_FRACTALS = 60, TARGET_FRACTALS = 40, ROUNDS = 12 };

/* A source full of noise and a target that nobody has written, as bytes. */
struct bench {
    struct rig rig;
    struct insn insn;
    uint32_t source, target;
    uint32_t bits;
    uint64_t c0, fractal;                          /* elements */
    uint8_t want[TARGET_FRACTALS * FRACTAL_BYTES]; /* what the target must hold */
    uint8_t known[TARGET_FRACTALS * FRACTAL_BYTES];
};

static void bench_init(struct bench *bench, enum opcode opcode, enum arch arch, enum element type,
                       enum space source, enum space target, uint64_t *noise)
{
    rig_init(&bench->rig, arch);
    bench->source = rig_region(&bench->rig, source, ELEMENT_UINT8, SOURCE_FRACTALS * FRACTAL_BYTES);
    bench->target = rig_region(&bench->rig, target, ELEMENT_UINT8, TARGET_FRACTALS * FRACTAL_BYTES);
    for (uint64_t byte = 0; byte < SOURCE_FRACTALS * FRACTAL_BYTES; byte++)
        rig_store(&bench->rig, bench->source, byte, (uint32_t)splitmix_next(noise) & 0xFF);
    memset(bench->want, MACHINE_POISON, sizeof bench->want);
    memset(bench->known, 0, sizeof bench->known);
    bench->bits = element_bits(type);
    bench->c0 = 256 / bench->bits;
    bench->fractal = 16 * bench->c0;
    insn_init(&bench->insn, opcode);
    /* dst, src and type stand at the same places in the rows of all loads. */
    bench->insn.operand[LOAD2D_dst].region = bench->target;
    bench->insn.operand[LOAD2D_src].region = bench->source;
    bench->insn.field[LOAD2D_type] = type;
}

/* Element `to` of the target must be element `from` of the source. */
static void bench_want(struct bench *bench, uint64_t to, uint64_t from)
{
    const uint8_t *source = rig_bytes(&bench->rig, bench->source);
    for (uint32_t bit = 0; bit < bench->bits; bit += 4) {
        uint64_t at = from * bench->bits + bit, place = to * bench->bits + bit;
        uint8_t half = source[at / 8] >> (at % 8) & 0xF;
        uint8_t kept = bench->want[place / 8] & (uint8_t)(0xF0 >> (place % 8));
        bench->want[place / 8] = (uint8_t)(kept | half << (place % 8));
        bench->known[place / 8] = 1;
    }
}

static void bench_go(struct bench *bench)
{
    access_check_apply(&bench->rig, &bench->insn);
    if (rig_hazards(&bench->rig) != 0)
        fail_msg("%s", bench->rig.message);
    assert_memory_equal(rig_bytes(&bench->rig, bench->target), bench->want, sizeof bench->want);
    assert_memory_equal(rig_written(&bench->rig, bench->target), bench->known, sizeof bench->known);
    rig_deinit(&bench->rig);
}

static struct bench bench;

static int64_t draw(uint64_t *state, uint64_t low, uint64_t high)
{
    return (int64_t)splitmix_range(state, low, high);
}

struct load_case {
    enum arch arch;
    enum element type;
    enum space source, target;
};

/* One case of every path, of every width, and of every product. */
static const struct load_case load2d_cases[] = {
    {ARCH_1001, ELEMENT_INT8, SPACE_L1, SPACE_L0A},  {ARCH_1001, ELEMENT_FP16, SPACE_GM, SPACE_L0B},
    {ARCH_2002, ELEMENT_INT4, SPACE_L1, SPACE_L0B},  {ARCH_2002, ELEMENT_FP16, SPACE_GM, SPACE_L1},
    {ARCH_2201, ELEMENT_FP32, SPACE_L1, SPACE_L0B},  {ARCH_2201, ELEMENT_BF16, SPACE_GM, SPACE_L0A},
    {ARCH_2201, ELEMENT_INT4, SPACE_L1, SPACE_L0A},  {ARCH_3002, ELEMENT_UINT8, SPACE_GM, SPACE_L1},
    {ARCH_3510, ELEMENT_INT32, SPACE_L1, SPACE_L0A}, {ARCH_3510, ELEMENT_FP16, SPACE_GM, SPACE_L1},
    {ARCH_3510, ELEMENT_HIF8, SPACE_L1, SPACE_L0B},  {ARCH_3002, ELEMENT_FP16, SPACE_L1, SPACE_L0B},
};

static void load2d_go(const struct load_case *load, uint64_t *state)
{
    bench_init(&bench, OP_LOAD2D, load->arch, load->type, load->source, load->target, state);
    int64_t *field = bench.insn.field;
    bool global = load->source == SPACE_GM;
    bool transposes = !global && bench.bits == 16 && draw(state, 0, 1);
    bool descends = global && draw(state, 0, 1);
    uint64_t repeat = splitmix_range(state, 1, 6), stride = splitmix_range(state, 0, 4);
    uint64_t start = splitmix_range(state, descends ? (repeat - 1) * stride : 0, 30);
    uint64_t gap = splitmix_range(state, 0, load->arch == ARCH_1001 ? 0 : 5);
    field[LOAD2D_startIndex] = (int64_t)start;
    field[LOAD2D_repeatTimes] = (int64_t)repeat;
    field[LOAD2D_srcStride] = (int64_t)stride;
    field[LOAD2D_dstGap] = (int64_t)gap;
    field[LOAD2D_sid] = draw(state, 0, 15);
    field[LOAD2D_ifTranspose] = transposes;
    field[LOAD2D_addrMode] = descends;
    for (uint64_t i = 0; i < repeat; i++)
        for (uint64_t r = 0; r < 16; r++)
            for (uint64_t c = 0; c < bench.c0; c++) {
                uint64_t fractal = descends ? start - i * stride : start + i * stride;
                bench_want(&bench, i * (gap + 1) * bench.fractal + r * bench.c0 + c,
                           fractal * bench.fractal + (transposes ? c * 16 + r : r * bench.c0 + c));
            }
    bench_go(&bench);
}

static void test_load2d_moves_fractals_on_every_path(void **state)
{
    (void)state;
    uint64_t noise = splitmix_seed();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < sizeof load2d_cases / sizeof load2d_cases[0]; i++)
            load2d_go(&load2d_cases[i], &noise);
}

/* Element (row, column) of a square, in fractals that follow each other `step` fractals apart. */
static uint64_t square_at(uint64_t row, uint64_t column, uint64_t step)
{
    if (bench.bits == 32)
        return column / 8 * step * bench.fractal + row * 8 + column % 8;
    return row / 16 * step * bench.fractal + row % 16 * bench.c0 + column;
}

static const struct load_case transpose_cases[] = {
    {ARCH_2002, ELEMENT_INT4, SPACE_L1, SPACE_L0B},
    {ARCH_2002, ELEMENT_UINT8, SPACE_L1, SPACE_L0A},
    {ARCH_2002, ELEMENT_FP16, SPACE_L1, SPACE_L0B},
    {ARCH_2201, ELEMENT_INT4, SPACE_L1, SPACE_L0B},
    {ARCH_2201, ELEMENT_INT8, SPACE_L1, SPACE_L0A},
    {ARCH_2201, ELEMENT_BF16, SPACE_L1, SPACE_L0B},
    {ARCH_2201, ELEMENT_FP32, SPACE_L1, SPACE_L0A},
    {ARCH_3002, ELEMENT_INT32, SPACE_L1, SPACE_L0B},
    {ARCH_3510, ELEMENT_INT8, SPACE_L1, SPACE_L0B},
    {ARCH_3510, ELEMENT_FP16, SPACE_L1, SPACE_L0B},
    {ARCH_3510, ELEMENT_UINT32, SPACE_L1, SPACE_L0B},
};

/* Squares of 64, 32, 16 and 16 elements; on 950 indices and strides count fractals, elsewhere whole
 * squares. */
static void transpose_go(const struct load_case *load, uint64_t *state)
{
    static const uint64_t sides[] = {[4] = 64, [8] = 32, [16] = 16, [32] = 16};
    bench_init(&bench, OP_LOAD_DATA_WITH_TRANSPOSE, load->arch, load->type, load->source,
               load->target, state);
    int64_t *field = bench.insn.field;
    bool fine = load->arch == ARCH_3510;
    uint64_t side = sides[bench.bits];
    uint64_t parts = side * side / bench.fractal, unit = fine ? 1 : parts;
    uint64_t repeat = splitmix_range(state, 1, 3), stride = splitmix_range(state, 0, 3);
    bool descends = draw(state, 0, 1);
    uint64_t start = splitmix_range(state, descends ? (repeat - 1) * stride : 0, 7);
    uint64_t step = splitmix_range(state, 1, 3),
             source_step = fine ? splitmix_range(state, 1, 3) : 1;
    /* Squares must not meet: the next one begins behind this one, or between its fractals. */
    uint64_t gap = step >= repeat ? 0 : parts * step - 1 + splitmix_range(state, 0, 1);
    field[LOAD_DATA_WITH_TRANSPOSE_startIndex] = (int64_t)start;
    field[LOAD_DATA_WITH_TRANSPOSE_repeatTimes] = (int64_t)repeat;
    field[LOAD_DATA_WITH_TRANSPOSE_srcStride] = (int64_t)stride;
    field[LOAD_DATA_WITH_TRANSPOSE_dstGap] = (int64_t)gap;
    field[LOAD_DATA_WITH_TRANSPOSE_dstFracGap] = (int64_t)step - 1;
    field[LOAD_DATA_WITH_TRANSPOSE_srcFracGap] = (int64_t)source_step - 1;
    field[LOAD_DATA_WITH_TRANSPOSE_addrMode] = descends;
    for (uint64_t i = 0; i < repeat; i++)
        for (uint64_t r = 0; r < side; r++)
            for (uint64_t c = 0; c < side; c++) {
                uint64_t first = (descends ? start - i * stride : start + i * stride) * unit;
                bench_want(&bench, i * (gap + 1) * bench.fractal + square_at(c, r, step),
                           first * bench.fractal + square_at(r, c, source_step));
            }
    bench_go(&bench);
}

static void test_transposed_loads_turn_squares_of_their_type(void **state)
{
    (void)state;
    uint64_t noise = splitmix_seed();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < sizeof transpose_cases / sizeof transpose_cases[0]; i++)
            transpose_go(&transpose_cases[i], &noise);
}

static const struct load_case load2dv2_cases[] = {
    {ARCH_3510, ELEMENT_FP4_E2M1, SPACE_L1, SPACE_L0A},
    {ARCH_3510, ELEMENT_FP4_E1M2, SPACE_L1, SPACE_L0B},
    {ARCH_3510, ELEMENT_FP8_E5M2, SPACE_L1, SPACE_L0A},
    {ARCH_3510, ELEMENT_INT8, SPACE_L1, SPACE_L0B},
    {ARCH_3510, ELEMENT_FP16, SPACE_L1, SPACE_L0A},
    {ARCH_3510, ELEMENT_UINT16, SPACE_L1, SPACE_L0B},
    {ARCH_3510, ELEMENT_FP32, SPACE_L1, SPACE_L0B},
    {ARCH_3510, ELEMENT_BF16, SPACE_GM, SPACE_L1},
    {ARCH_3510, ELEMENT_FP4_E2M1, SPACE_GM, SPACE_L1},
};

static uint64_t nz_at(uint64_t row, uint64_t column, uint64_t pitch)
{
    return (column / bench.c0 * pitch + row / 16) * bench.fractal + row % 16 * bench.c0 +
           column % bench.c0;
}

static void load2dv2_go(const struct load_case *load, uint64_t *state)
{
    bench_init(&bench, OP_LOAD2DV2, load->arch, load->type, load->source, load->target, state);
    int64_t *field = bench.insn.field;
    bool transposes = load->source == SPACE_L1 && draw(state, 0, 2) != 0;
    uint64_t m_unit = bench.bits == 4 ? 4 : bench.bits == 8 ? 2 : 1;
    uint64_t m = splitmix_range(state, 1, 3), k = splitmix_range(state, 1, 3);
    if (transposes) {
        m = m_unit * splitmix_range(state, 1, m_unit == 4 ? 1 : 2);
        k = bench.bits == 32 ? 2 * splitmix_range(state, 1, 2) : splitmix_range(state, 1, 3);
    }
    uint64_t m_start = splitmix_range(state, 0, 2), k_start = splitmix_range(state, 0, 2);
    uint64_t pitch = m_start + m + splitmix_range(state, 0, 1);
    uint64_t down = transposes ? k * bench.c0 / 16 : m;
    uint64_t to_pitch = down + splitmix_range(state, 0, 1);
    field[LOAD2DV2_mStartPosition] = (int64_t)m_start;
    field[LOAD2DV2_kStartPosition] = (int64_t)k_start;
    field[LOAD2DV2_mStep] = (int64_t)m;
    field[LOAD2DV2_kStep] = (int64_t)k;
    field[LOAD2DV2_srcStride] = (int64_t)pitch;
    field[LOAD2DV2_dstStride] = (int64_t)to_pitch;
    field[LOAD2DV2_ifTranspose] = transposes;
    for (uint64_t r = 0; r < 16 * m; r++)
        for (uint64_t c = 0; c < bench.c0 * k; c++) {
            uint64_t from = nz_at(16 * m_start + r, bench.c0 * k_start + c, pitch);
            bench_want(&bench, transposes ? nz_at(c, r, to_pitch) : nz_at(r, c, to_pitch), from);
        }
    bench_go(&bench);
}

static void test_load2dv2_moves_and_turns_blocks_of_every_width(void **state)
{
    (void)state;
    uint64_t noise = splitmix_seed();
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < sizeof load2dv2_cases / sizeof load2dv2_cases[0]; i++)
            load2dv2_go(&load2dv2_cases[i], &noise);
}

static void test_a_byte_of_two_elements_is_written_when_both_are(void **state)
{
    (void)state;
    uint64_t noise = 3;
    bench_init(&bench, OP_LOAD_DATA_WITH_TRANSPOSE, ARCH_2201, ELEMENT_INT4, SPACE_L1, SPACE_L0B,
               &noise);
    /* Rows 2 and 3 of the square: byte 0 holds columns 0 and 1, which go to rows 0 and 1. */
    rig_written(&bench.rig, bench.source)[3 * 32] = 0;
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(rig_hazards(&bench.rig), 0);
    for (uint64_t byte = 0; byte < 4 * FRACTAL_BYTES; byte++)
        assert_int_equal(rig_is_written(&bench.rig, bench.target, byte), byte != 1 && byte != 33);
    rig_deinit(&bench.rig);
}

static void expect_refused(enum arch arch, enum element type, enum space source, enum space target,
                           enum opcode opcode, const int64_t fields[][2], const char *message)
{
    uint64_t noise = 1;
    bench_init(&bench, opcode, arch, type, source, target, &noise);
    for (size_t i = 0; fields[i][0] >= 0; i++)
        bench.insn.field[fields[i][0]] = fields[i][1];
    effect_apply(&bench.rig.machine, &bench.insn);
    assert_int_equal(bench.rig.hazards[HAZARD_OUT_OF_BOUNDS], 1);
    assert_string_equal(bench.rig.message, message);
    assert_int_equal(rig_hazards(&bench.rig), 1);
    assert_int_equal(rig_written_count(&bench.rig, bench.target), 0);
    rig_deinit(&bench.rig);
}

static void test_what_a_source_or_a_type_does_not_allow_does_nothing(void **state)
{
    (void)state;
    static const int64_t turned[][2] = {{LOAD2D_ifTranspose, 1}, {-1, 0}};
    static const int64_t down[][2] = {{LOAD2D_addrMode, 1}, {-1, 0}};
    static const int64_t below[][2] = {{LOAD2D_addrMode, 1},
                                       {LOAD2D_startIndex, 5},
                                       {LOAD2D_srcStride, 3},
                                       {LOAD2D_repeatTimes, 3},
                                       {-1, 0}};
    static const int64_t gap[][2] = {{LOAD2D_dstGap, 2}, {-1, 0}};
    static const int64_t plain[][2] = {{-1, 0}};
    static const int64_t block[][2] = {{LOAD2DV2_ifTranspose, 1}, {-1, 0}};
    static const int64_t gaps[][2] = {{LOAD_DATA_WITH_TRANSPOSE_srcFracGap, 1}, {-1, 0}};
    expect_refused(ARCH_2201, ELEMENT_FP32, SPACE_L1, SPACE_L0A, OP_LOAD2D, turned,
                   "load2d: ifTranspose is 1 with fp32 from l1; expected a 16-bit type from l1");
    expect_refused(ARCH_2201, ELEMENT_FP16, SPACE_GM, SPACE_L0A, OP_LOAD2D, turned,
                   "load2d: ifTranspose is 1 with fp16 from gm; expected a 16-bit type from l1");
    expect_refused(ARCH_2201, ELEMENT_FP16, SPACE_L1, SPACE_L0A, OP_LOAD2D, down,
                   "load2d: addrMode is 1 from l1; expected a source in gm");
    expect_refused(ARCH_2201, ELEMENT_FP16, SPACE_GM, SPACE_L1, OP_LOAD2D, below,
                   "load2d: the source descends by 6 fractals from fractal 5; expected to end at 0 "
                   "or above");
    expect_refused(ARCH_2201, ELEMENT_INT4, SPACE_GM, SPACE_L0A, OP_LOAD2D, plain,
                   "load2d: found int4 from gm; expected a source in l1");
    expect_refused(ARCH_1001, ELEMENT_FP16, SPACE_GM, SPACE_L1, OP_LOAD2D, gap,
                   "load2d: dstGap is 2 from gm to l1 on dav-1001; expected 0");
    expect_refused(ARCH_3510, ELEMENT_FP16, SPACE_GM, SPACE_L0A, OP_LOAD2D, plain,
                   "load2d: found a move from gm to l0a on dav-3510; expected one of l1->l0a, "
                   "l1->l0b, gm->l1");
    expect_refused(ARCH_3510, ELEMENT_FP16, SPACE_L1, SPACE_L0A, OP_LOAD_DATA_WITH_TRANSPOSE, plain,
                   "load_data_with_transpose: found a move from l1 to l0a on dav-3510; expected "
                   "one of l1->l0b");
    expect_refused(
        ARCH_2201, ELEMENT_INT4, SPACE_L1, SPACE_L0A, OP_LOAD_DATA_WITH_TRANSPOSE, plain,
        "load_data_with_transpose: load_data_with_transpose takes no int4 to l0a on "
        "dav-2201; expected fp16, bf16, fp32, int8, int32, uint8, int16, uint16, uint32");
    expect_refused(ARCH_2201, ELEMENT_INT8, SPACE_L1, SPACE_L0B, OP_LOAD_DATA_WITH_TRANSPOSE, gaps,
                   "load_data_with_transpose: srcFracGap is 1 on dav-2201; expected 0, or a "
                   "product of dav-3510");
    expect_refused(ARCH_3510, ELEMENT_FP16, SPACE_GM, SPACE_L1, OP_LOAD2DV2, block,
                   "load2dv2: ifTranspose is 1 from gm; expected a source in l1");
    expect_refused(ARCH_3510, ELEMENT_FP4_E2M1, SPACE_L1, SPACE_L0A, OP_LOAD2DV2, block,
                   "load2dv2: mStep is 1 and kStep 1 with ifTranspose; expected multiples of 4 and "
                   "1");
    expect_refused(ARCH_3510, ELEMENT_INT8, SPACE_L1, SPACE_L0A, OP_LOAD2DV2, block,
                   "load2dv2: mStep is 1 and kStep 1 with ifTranspose; expected multiples of 2 and "
                   "1");
    expect_refused(ARCH_3510, ELEMENT_FP32, SPACE_L1, SPACE_L0A, OP_LOAD2DV2, block,
                   "load2dv2: mStep is 1 and kStep 1 with ifTranspose; expected multiples of 1 and "
                   "2");
}

/* To the last byte of source and target, and not one more. */
static void test_loads_reach_exactly_as_far_as_their_fractals(void **state)
{
    (void)state;
    static const enum opcode opcodes[] = {OP_LOAD2D, OP_LOAD_DATA_WITH_TRANSPOSE, OP_LOAD2DV2};
    static const uint64_t source_ends[] = {5 + 2 * 3 + 1, (5 + 2 * 3 + 1) + 1, 5 + 2 * 3 + 1};
    static const uint64_t target_ends[] = {2 * 5 + 1, 2 * 5 + 1 + 2, 2 * 5 + 1};
    for (size_t i = 0; i < 3; i++) {
        uint64_t noise = 1;
        bench_init(&bench, opcodes[i], ARCH_3510, ELEMENT_FP32, SPACE_L1, SPACE_L0B, &noise);
        int64_t *field = bench.insn.field;
        if (opcodes[i] == OP_LOAD2DV2) {
            field[LOAD2DV2_mStartPosition] = 5;
            field[LOAD2DV2_kStep] = 3;
            field[LOAD2DV2_srcStride] = 3;
            field[LOAD2DV2_dstStride] = 5;
        } else {
            bool pairs = opcodes[i] == OP_LOAD_DATA_WITH_TRANSPOSE;
            field[pairs ? (int)LOAD_DATA_WITH_TRANSPOSE_startIndex : (int)LOAD2D_startIndex] = 5;
            field[pairs ? (int)LOAD_DATA_WITH_TRANSPOSE_repeatTimes : (int)LOAD2D_repeatTimes] = 3;
            field[pairs ? (int)LOAD_DATA_WITH_TRANSPOSE_srcStride : (int)LOAD2D_srcStride] = 3;
            field[pairs ? (int)LOAD_DATA_WITH_TRANSPOSE_dstGap : (int)LOAD2D_dstGap] = 4;
            if (pairs)
                field[LOAD_DATA_WITH_TRANSPOSE_dstFracGap] = 1;
        }
        struct region *source = &bench.rig.region[bench.source];
        struct region *target = &bench.rig.region[bench.target];
        source->size_bytes = source_ends[i] * FRACTAL_BYTES;
        target->size_bytes = target_ends[i] * FRACTAL_BYTES;
        effect_apply(&bench.rig.machine, &bench.insn);
        assert_int_equal(rig_hazards(&bench.rig), 0);
        source->size_bytes--;
        effect_apply(&bench.rig.machine, &bench.insn);
        source->size_bytes++;
        target->size_bytes--;
        effect_apply(&bench.rig.machine, &bench.insn);
        assert_int_equal(bench.rig.hazards[HAZARD_OUT_OF_BOUNDS], 2);
        rig_deinit(&bench.rig);
    }
}

/* 512 bytes in L0, 32 in L1, any byte of GM. */
static void test_addresses_are_aligned_as_their_memory_demands(void **state)
{
    (void)state;
    static const struct {
        enum space source, target;
        uint64_t source_offset, target_offset;
        uint32_t reports;
    } cases[] = {
        {SPACE_L1, SPACE_L0A, 32, 512, 0}, {SPACE_L1, SPACE_L0A, 16, 512, 1},
        {SPACE_L1, SPACE_L0A, 32, 256, 1}, {SPACE_GM, SPACE_L0A, 1, 512, 0},
        {SPACE_GM, SPACE_L1, 3, 32, 0},    {SPACE_GM, SPACE_L1, 3, 16, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t noise = 1;
        bench_init(&bench, OP_LOAD2D, ARCH_2201, ELEMENT_FP16, cases[i].source, cases[i].target,
                   &noise);
        bench.insn.operand[LOAD2D_src].offset = cases[i].source_offset;
        bench.insn.operand[LOAD2D_dst].offset = cases[i].target_offset;
        effect_apply(&bench.rig.machine, &bench.insn);
        assert_int_equal(bench.rig.hazards[HAZARD_MISALIGNED], cases[i].reports);
        assert_int_equal(rig_hazards(&bench.rig), cases[i].reports);
        assert_int_equal(rig_written_count(&bench.rig, bench.target), FRACTAL_BYTES);
        rig_deinit(&bench.rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load2d_moves_fractals_on_every_path),
        cmocka_unit_test(test_transposed_loads_turn_squares_of_their_type),
        cmocka_unit_test(test_load2dv2_moves_and_turns_blocks_of_every_width),
        cmocka_unit_test(test_a_byte_of_two_elements_is_written_when_both_are),
        cmocka_unit_test(test_what_a_source_or_a_type_does_not_allow_does_nothing),
        cmocka_unit_test(test_loads_reach_exactly_as_far_as_their_fractals),
        cmocka_unit_test(test_addresses_are_aligned_as_their_memory_demands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
