/* What matrix products become: copies and loads by layout, the order of chunks, slices and tiles.
 */
#include "model/lower_walk.h"
#include "tests/unit/lower_fixture.h"

static void test_the_program_of_a_small_product_is_the_known_one(void **state)
{
    (void)state;
    check_golden("matmul: {m: 40, n: 20, k: 52, dtype: fp16, out_dtype: fp32}\n"
                 "tile: {baseM: 32, baseN: 32, baseK: 32, stepKb: 2, depthB1: 2}\n"
                 "schedule: {cores: 1}\n",
                 "atlas-a2", "tests/data/lower_matmul_a2.prog");
}

/* One L1 tile of A and of B; a K of four fractals, an N of three of four in L1. */
#define ONE(b_layout)                                                                              \
    "matmul: {m: 32, n: 64, k: 64, dtype: fp16, b_layout: " b_layout "}\n"                         \
    "tile: {baseM: 32, baseN: 48, baseK: 64, stepN: 2}\n"

static void test_layouts_decide_how_b_comes_to_l1_and_l0(void **state)
{
    static const struct {
        const char *product, *policy, *text;
        uint64_t data_copy, dn2nz, load2d, load2dv2; /* of two L0 tiles, 3 and 1 wide */
    } rows[] = {
        {"atlas-a2", "vendor", ONE("dn"), 0, 0, 8, 0},
        {"atlas-a2", "pypto", ONE("dn"), 0, 0, 3 + 1, 0},
        {"atlas-a2", "vendor", ONE("nd"), 0, 0, 8, 0},
        {"atlas-a2", "pypto", ONE("nd"), 0, 0, 3 + 1, 0},
        {"atlas-a2", "vendor", ONE("nz"), 1, 0, 8, 0},
        {"ascend-950pr", "vendor", ONE("dn"), 0, 0, 0, 2},
        {"ascend-950pr", "vendor", ONE("nd"), 0, 1, 0, 2},
        {"ascend-950pr", "vendor", ONE("nz"), 1, 0, 0, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[512];
        uint64_t count[OP_COUNT];
        snprintf(yaml, sizeof yaml, "%sschedule: {cores: 1, policy: %s, residency: keep}\n",
                 rows[i].text, rows[i].policy);
        struct run_case *c = loaded(yaml, rows[i].product);
        check_stream(c, 0, count);
        /* B lies once in L1; A is kept under either policy. */
        assert_int_equal(count[OP_DATA_COPY], rows[i].data_copy);
        assert_int_equal(count[OP_ND2NZ], 2 - rows[i].data_copy - rows[i].dn2nz);
        assert_int_equal(count[OP_DN2NZ], rows[i].dn2nz);
        assert_int_equal(count[OP_LOAD2D], rows[i].load2d);
        assert_int_equal(count[OP_LOAD2DV2], rows[i].load2dv2);
        assert_int_equal(count[OP_LOAD3DV2], 2);
        assert_int_equal(count[OP_MMAD], 2);
        run_case_close(c);
    }
}

/* The letters of the copies and steps of core 0: a and b for copies to L1, M for an Mmad. */
static void letters(struct run_case *c, char *text, size_t size)
{
    struct program program = lowered(c);
    void *stream = program.open(program.context, 0, &c->arena);
    struct insn insn;
    size_t length = 0;
    while (program.next(stream, &insn)) {
        if (insn.opcode != OP_ND2NZ && insn.opcode != OP_MMAD)
            continue;
        assert_true(length + 1 < size);
        text[length++] = insn.opcode == OP_MMAD                           ? 'M'
                         : insn.operand[ND2NZ_src].region == REGION_INPUT ? 'a'
                                                                          : 'b';
    }
    text[length] = '\0';
}

static void test_chunks_are_fetched_as_the_kernels_do(void **state)
{
    static const struct {
        const char *depths, *residency, *expected;
    } rows[] = {
        /* Where first needed, A before B; a tile has four steps, A chunks of two and B of one. */
        {"", "reload", "abMbMabMbMabMbMabMbM"},
        /* The next chunk behind the step that begins or hands back one, B before A. */
        {"", "prefetch", "abMbaMbaMbMbaMbMbMbM"},
        /* In one slot there is no room ahead; with two of A and one of B only A is ahead: behind
         * the first step, and behind each that hands a chunk back. */
        {", depthA1: 2, depthB1: 1", "prefetch", "abMbMabMbMabMbMabMbM"},
        {", depthA1: 4, depthB1: 1", "prefetch", "abMabMabMbMabMbMbMbM"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[512], text[64];
        snprintf(yaml, sizeof yaml,
                 "matmul: {m: 32, n: 16, k: 64, dtype: fp16, b_layout: dn}\n"
                 "tile: {baseM: 16, baseN: 16, baseK: 16, stepKa: 2%s}\n"
                 "schedule: {cores: 1, residency: %s}\n",
                 rows[i].depths, rows[i].residency);
        struct run_case *c = loaded(yaml, "atlas-a2");
        letters(c, text, sizeof text);
        assert_string_equal(text, rows[i].expected);
        run_case_close(c);
    }
}

/* What MTE1 waits for and hands back around the loads of the first step: w, A, B and r. */
static void handovers(const char *yaml, char *text)
{
    struct run_case *c = loaded(yaml, "atlas-a2");
    struct program program = lowered(c);
    void *stream = program.open(program.context, 0, &c->arena);
    struct insn insn;
    bool fed = false;
    while (program.next(stream, &insn) && insn.opcode != OP_MMAD) {
        if (insn.opcode == OP_WAIT_FLAG && insn.field[WAIT_FLAG_src] == PIPE_MTE2)
            *text++ = 'w';
        else if (insn.opcode == OP_LOAD3DV2 || insn.opcode == OP_LOAD2D)
            *text++ = insn.opcode == OP_LOAD2D ? 'B' : 'A';
        else if (fed && insn.opcode == OP_SET_FLAG && insn.field[SET_FLAG_dst] == PIPE_MTE2)
            *text++ = 'r';
        fed = fed || insn.opcode == OP_ND2NZ || insn.opcode == OP_DATA_COPY;
    }
    *text = '\0';
    run_case_close(c);
}

static void test_a_step_hands_slots_over_as_the_schedule_says(void **state)
{
    static const char matmul[] = "matmul: {m: 16, n: 16, k: 32, dtype: fp16, b_layout: nz}\n"
                                 "tile: {baseM: 16, baseN: 16, baseK: 16}\n";
    static const char conv[] =
        "conv: {input: [1, 32, 1, 16], weight: [16, 32, 1, 1], dtype: fp16}\n"
        "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 16, tileWout: 16, "
        "tileCinFmap: 16, tileCinWeight: 16, tileN: 16}\n"
        "tile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 16}\n";
    static const struct {
        const char *plan, *schedule, *expected;
    } rows[] = {{matmul, "", "wwABrr"},
                {matmul, ", handover: operand", "wArwBr"},
                {conv, "", "wArwBr"},
                {conv, ", handover: step", "wwABrr"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[512], text[64];
        snprintf(yaml, sizeof yaml, "%sschedule: {cores: 1, residency: reload%s}\n", rows[i].plan,
                 rows[i].schedule);
        handovers(yaml, text);
        assert_string_equal(text, rows[i].expected);
    }
}

static void test_mmads_take_the_true_k(void **state)
{
    (void)state;
    struct run_case *c = loaded("matmul: {m: 16, n: 16, k: 39, dtype: fp16}\n"
                                "tile: {baseM: 16, baseN: 16, baseK: 32}\n",
                                "atlas-a2");
    struct program program = lowered(c);
    void *stream = program.open(program.context, 0, &c->arena);
    struct insn insn;
    int64_t k[2];
    int mmads = 0;
    while (program.next(stream, &insn))
        if (insn.opcode == OP_MMAD && mmads < 2)
            k[mmads++] = insn.field[MMAD_k];
    assert_int_equal(mmads, 2);
    assert_int_equal(k[0], 32);
    assert_int_equal(k[1], 7);
    run_case_close(c);
}

enum { TILES_MAX = 64 };

/* "00 10 20": M and N tile of every L1 tile of a core, in its order. */
static void tiles_text(const struct plan *plan, uint64_t core, char *text, size_t size)
{
    struct walk walk;
    size_t length = 0;
    text[0] = '\0';
    for (bool more = walk_begin(&walk, plan, core); more; more = walk_next(&walk)) {
        length += (size_t)snprintf(text + length, size - length, "%s%llu%llu",
                                   length > 0 ? " " : "", (unsigned long long)walk.item.m_tile,
                                   (unsigned long long)walk.item.n_tile);
        assert_true(length < size);
    }
}

static void test_slices_and_deals_order_the_tiles(void **state)
{
    static const struct {
        const char *slices, *schedule;
        uint64_t core;
        const char *expected;
    } rows[] = {
        /* Five tiles of M, three of N. */
        {"", "{cores: 1}", 0, "00 10 20 30 40 01 11 21 31 41 02 12 22 32 42"},
        {"", "{cores: 1, order: n_first}", 0, "00 01 02 10 11 12 20 21 22 30 31 32 40 41 42"},
        {", l2_m: 2", "{cores: 1}", 0, "00 10 01 11 02 12 20 30 40 21 31 41 22 32 42"},
        {", l2_m: 2, l2_n: 2", "{cores: 1}", 0, "00 10 20 30 40 01 11 02 12 21 31 41 22 32 42"},
        {", l2_n: 3", "{cores: 1, order: n_first}", 0,
         "00 10 20 30 40 01 11 21 31 41 02 12 22 32 42"},
        /* Parts are ceil(5 / 4) = 2 tiles: the third core has one, the last none. */
        {"", "{core_split: {m: 4}}", 1, "20 30 21 31 22 32"},
        {"", "{core_split: {m: 4}}", 2, "40 41 42"},
        {"", "{core_split: {m: 4}}", 3, ""},
        /* In the first slice only two cores have work. */
        {", l2_m: 2", "{core_split: {m: 3}}", 2, "40 41 42"},
        {", l2_m: 2", "{core_split: {m: 3}}", 1, "10 11 12 30 31 32"},
        /* Tile i goes to core i mod 4. */
        {"", "{core_split: {mn: 4}}", 1, "10 01 41 32"},
        {"", "{core_split: {mn: 4}, order: n_first}", 3, "10 21 32"},
        {", l2_n: 3", "{core_split: {mn: 4}}", 0, "00 40 01 41 02 42"},
        {", l2_m: 5, l2_n: 3", "{core_split: {mn: 1}}", 0,
         "00 10 20 30 40 01 11 21 31 41 02 12 22 32 42"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[512], text[TILES_MAX];
        snprintf(yaml, sizeof yaml,
                 "matmul: {m: 70, n: 40, k: 16, dtype: fp16}\n"
                 "tile: {baseM: 16, baseN: 16, baseK: 16%s}\nschedule: %s\n",
                 rows[i].slices, rows[i].schedule);
        struct run_case *c = loaded(yaml, "atlas-a2");
        tiles_text(&c->plan, rows[i].core, text, sizeof text);
        if (strcmp(text, rows[i].expected) != 0)
            fail_msg("%s: %s, expected %s", yaml, text, rows[i].expected);
        run_case_close(c);
    }
}

/* A core without work ends at once, and the others do all of it. */
static void test_a_core_may_have_nothing_to_do(void **state)
{
    (void)state;
    struct run_case *c = loaded("matmul: {m: 70, n: 20, k: 30, dtype: bf16}\n"
                                "tile: {baseM: 16, baseN: 16, baseK: 16}\n"
                                "schedule: {core_split: {m: 4, n: 2}}\n",
                                "atlas-a3");
    uint64_t count[OP_COUNT];
    check_stream(c, 7, count);
    for (enum opcode opcode = 0; opcode < OP_COUNT; opcode++)
        assert_int_equal(count[opcode], 0);
    run_case_go(c, 3, true);
    run_case_close(c);
}

static void test_what_fields_cannot_hold_is_refused(void **state)
{
    (void)state;
    static const char *const tile = "tile: {baseM: 16, baseN: 16, baseK: 16}\n";
    static const struct {
        const char *matmul, *product, *message;
    } rows[] = {
        {"{m: 16, n: 16, k: 65536, dtype: fp16, b_layout: nz}", "atlas-a2",
         "a_layout nd with 65536 columns; expected at most 65535"},
        {"{m: 16, n: 16, k: 65536, dtype: fp16, a_layout: nz, b_layout: dn}", "atlas-a2",
         "rows of the matrix B are 65536 elements apart; expected at most 65535"},
        {"{m: 16, n: 65537, k: 16, dtype: fp16}", "atlas-a2",
         "rows of the matrix B are 65537 elements apart"},
        {"{m: 16, n: 24, k: 16, dtype: fp16, c_layout: nz}", "atlas-a2",
         "c_layout nz and n 24; expected a multiple of 16, or b_layout nz"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml, "matmul: %s\n%s", rows[i].matmul, tile);
        check_refused(yaml, rows[i].product, rows[i].message);
    }
    /* DN2NZ has room for them. */
    struct run_case *c = loaded("matmul: {m: 16, n: 16, k: 65536, dtype: fp16, a_layout: dn, "
                                "b_layout: dn}\ntile: {baseM: 16, baseN: 16, baseK: 16}\n",
                                "ascend-950pr");
    uint64_t count[OP_COUNT];
    check_stream(c, 0, count);
    assert_int_equal(count[OP_ND2NZ], 0);
    run_case_close(c);
}

/* Convolutions of one point have their weights brought the same way. */
static void test_plain_weights_of_one_point_need_no_dn2nz(void **state)
{
    (void)state;
    struct run_case *c = loaded("conv: {input: [2, 40, 6, 16], weight: [24, 20, 1, 1], groups: 2, "
                                "dtype: fp16, input_format: nhwc, weight_format: nchw}\n",
                                "atlas-a2");
    uint64_t count[OP_COUNT];
    check_stream(c, 0, count);
    assert_true(count[OP_ND2NZ] > 0);
    assert_int_equal(count[OP_DN2NZ] + count[OP_DATA_COPY], 0);
    run_case_go(c, 5, true);
    run_case_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_program_of_a_small_product_is_the_known_one),
        cmocka_unit_test(test_layouts_decide_how_b_comes_to_l1_and_l0),
        cmocka_unit_test(test_chunks_are_fetched_as_the_kernels_do),
        cmocka_unit_test(test_a_step_hands_slots_over_as_the_schedule_says),
        cmocka_unit_test(test_mmads_take_the_true_k),
        cmocka_unit_test(test_slices_and_deals_order_the_tiles),
        cmocka_unit_test(test_a_core_may_have_nothing_to_do),
        cmocka_unit_test(test_what_fields_cannot_hold_is_refused),
        cmocka_unit_test(test_plain_weights_of_one_point_need_no_dn2nz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
