#include "tests/unit/lower_fixture.h"

static void check_small(const char *bias, const char *product, const char *golden)
{
    char text[768];
    snprintf(
        text, sizeof text,
        "conv: {input: [1, 24, 2, 20], weight: [20, 24, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
        "bias: %s, relu: true}\n"
        "tile_l1: {tileHin: 2, tileHout: 1, tileWin: 20, tileWout: 32, tileCinFmap: 16, "
        "tileCinWeight: 32, tileN: 32}\ntile_l0: {tileH: 1, tileW: 32, tileK: 144, tileN: 16}\n"
        "schedule: {cores: 1}\n",
        bias);
    check_golden(text, product, golden);
}

static void test_the_programs_of_small_layers_are_the_known_ones(void **state)
{
    (void)state;
    check_small("true", "ascend310p3", "tests/data/lower_small_310p.prog");
    check_small("false", "ascend910a", "tests/data/lower_small_910a.prog");
}

/* Tall tiles that are narrower than their image, two slots of everything, tails of M, N and K. */
static void exit_plan(char *text, size_t size, const char *types, int buffers)
{
    snprintf(text, size,
             "conv: {input: [2, 80, 5, 48], weight: [112, 80, 1, 3], padding: [0, 0, 1, 1], %s}\n"
             "tile_l1: {tileHin: 1, tileHout: 4, tileWin: 1, tileWout: 48, tileCinFmap: 32, "
             "tileCinWeight: 32, tileN: 64}\n"
             "tile_l0: {tileH: 4, tileW: 16, tileK: 32, tileN: 32}\n"
             "schedule: {l1a_buffers: %d, l1b_buffers: %d, l0a_buffers: %d, l0b_buffers: %d, "
             "l0c_buffers: %d, cores: 3, residency: %s}\n",
             types, 1 + (buffers & 1), 1 + (buffers >> 1 & 1), 1 + (buffers >> 2 & 1),
             1 + (buffers >> 3 & 1), 1 + (buffers >> 4 & 1), buffers % 3 == 0 ? "keep" : "reload");
}

static void test_flags_of_every_policy_pair_up_within_the_ids_of_the_product(void **state)
{
    (void)state;
    static const struct {
        const char *product, *types;
        int64_t ids;
    } rows[] = {{"ascend310p3", "dtype: fp16, bias: true", 8},
                {"ascend310p3", "dtype: int8, bias: true, quant: {scale: 0.25}", 8},
                {"ascend910a", "dtype: fp16, out_dtype: fp32", 4},
                {"ascend910a", "dtype: int8", 4}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++)
        for (int buffers = 0; buffers < 32; buffers++) {
            char yaml[768];
            uint64_t count[OP_COUNT];
            exit_plan(yaml, sizeof yaml, rows[row].types, buffers);
            struct run_case *c = loaded(yaml, rows[row].product);
            for (uint32_t core = 0; core < c->plan.schedule.cores; core++)
                check_stream(c, core, count);
            struct program program = lowered(c);
            void *stream = program.open(program.context, 0, &c->arena);
            struct insn insn;
            while (program.next(stream, &insn))
                if (insn.opcode == OP_SET_FLAG)
                    assert_true(insn.field[SET_FLAG_id] < rows[row].ids);
            run_case_close(c);
        }
}

/* Instructions of a small plan on one core, by opcode. */
static void counted(const char *yaml, const char *product, uint64_t count[OP_COUNT])
{
    struct run_case *c = loaded(yaml, product);
    check_stream(c, 0, count);
    run_case_close(c);
}

/* 64 positions and K of 9 blocks: four lines of 9 along K, or nine of 4 along M; the fewer. */
static void test_load3d_v1_goes_along_the_longer_side(void **state)
{
    (void)state;
    uint64_t count[OP_COUNT];
    counted("conv: {input: [1, 16, 8, 8], weight: [16, 16, 3, 3], padding: [1, 1, 1, 1], dtype: "
            "fp16}\ntile: {mAL1: 64, mL0: 64, nBL1: 16, nL0: 16, kAL1: 144, kBL1: 144, kL0: 144}\n",
            "ascend910a", count);
    assert_int_equal(count[OP_LOAD3DV1], 4);
    counted("conv: {input: [1, 16, 16, 16], weight: [16, 16, 3, 3], padding: [1, 1, 1, 1], dtype: "
            "fp16}\ntile: {mAL1: 256, mL0: 256, nBL1: 16, nL0: 16, kAL1: 144, kBL1: 144, kL0: "
            "48}\n",
            "ascend910a", count);
    assert_int_equal(count[OP_LOAD3DV1], 3 * 3); /* three fractals of K a step */
}

static void test_rows_apart_take_a_load3d_each_on_310p(void **state)
{
    (void)state;
    uint64_t count[OP_COUNT];
    counted("conv: {input: [1, 16, 4, 32], weight: [16, 16, 1, 1], dtype: fp16}\n"
            "tile_l1: {tileHin: 1, tileHout: 4, tileWin: 1, tileWout: 32, tileCinFmap: 16, "
            "tileCinWeight: 16, tileN: 16}\n"
            "tile_l0: {tileH: 4, tileW: 16, tileK: 16, tileN: 16}\nschedule: {cores: 1}\n",
            "ascend310p3", count);
    assert_int_equal(count[OP_LOAD3DV2], 2 * 4);
    assert_int_equal(count[OP_SET_LOAD_DATA_REPEAT], 0);
}

/* A tile of 8 x 4 blocks of 512 B through a unified buffer with room for so many. */
static void test_a_tile_passes_the_unified_buffer_in_parts_that_fit(void **state)
{
    (void)state;
    static const struct {
        const char *size;
        uint64_t parts;
    } rows[] = {{"ub.size=32 KiB", 1},
                {"ub.size=16 KiB", 2},
                {"ub.size=8 KiB", 4},
                {"ub.size=4 KiB", 8},
                {"ub.size=1024 B", 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run_case *c =
            loaded("conv: {input: [1, 16, 4, 32], weight: [64, 16, 1, 1], dtype: fp16}\n"
                   "tile_l1: {tileHin: 1, tileHout: 4, tileWin: 1, tileWout: 32, tileCinFmap: 16, "
                   "tileCinWeight: 16, tileN: 64}\n"
                   "tile_l0: {tileH: 4, tileW: 32, tileK: 16, tileN: 64}\nschedule: {cores: 1}\n",
                   "ascend310p3");
        uint64_t count[OP_COUNT];
        assert_int_equal(product_set(&c->product, rows[i].size, &c->arena, &c->diag), STATUS_OK);
        check_stream(c, 0, count);
        assert_int_equal(count[OP_DATA_COPY_L0C2UB], rows[i].parts);
        run_case_go(c, 3, true);
        run_case_close(c);
    }
}

static void test_a_unified_buffer_without_room_is_told_with_the_numbers(void **state)
{
    (void)state;
    struct run_case *c =
        loaded("conv: {input: [1, 16, 4, 32], weight: [256, 16, 1, 1], dtype: fp16, bias: true}\n"
               "tile_l1: {tileHin: 1, tileHout: 4, tileWin: 1, tileWout: 32, tileCinFmap: 16, "
               "tileCinWeight: 16, tileN: 256}\n"
               "tile_l0: {tileH: 4, tileW: 32, tileK: 16, tileN: 256}\nschedule: {cores: 1}\n",
               "ascend310p3");
    struct program program;
    assert_int_equal(product_set(&c->product, "ub.size=1024 B", &c->arena, &c->diag), STATUS_OK);
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_BROKEN);
    assert_non_null(strstr(diag_text(&c->diag, 0),
                           "results of 512 B, a bias of 1024 B and quantisation words of 0 B need "
                           "1536 B of the unified buffer; ascend310p3 has 1024 B"));
    run_case_close(c);
}

/* The broadcast of the next tile stands before the wait for the present one, with two slots. */
static void test_a_bias_is_broadcast_before_it_is_needed(void **state)
{
    (void)state;
    for (int slots = 1; slots <= 2; slots++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 16, 2, 32], weight: [16, 16, 1, 1], dtype: fp16, bias: true}\n"
                 "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 32, tileCinFmap: 16, "
                 "tileCinWeight: 16, tileN: 16}\n"
                 "tile_l0: {tileH: 1, tileW: 32, tileK: 16, tileN: 16}\n"
                 "schedule: {cores: 1, l0c_buffers: %d}\n",
                 slots);
        struct run_case *c = loaded(yaml, "ascend310p3");
        struct program program = lowered(c);
        void *stream = program.open(program.context, 0, &c->arena);
        struct insn insn;
        int broadcasts = 0, first_exit = -1, adds = 0;
        while (program.next(stream, &insn)) {
            broadcasts += insn.opcode == OP_BROADCAST_VEC_TO_MM;
            if (insn.opcode == OP_DATA_COPY_L0C2UB && first_exit < 0)
                first_exit = broadcasts;
            if (insn.opcode == OP_MMAD) {
                assert_int_equal(insn.field[MMAD_cmatrixInitVal], 0);
                assert_int_equal(insn.field[MMAD_cmatrixSource], 0);
                adds++;
            }
        }
        assert_int_equal(broadcasts, 2 * 2); /* two rows of fractals a tile */
        assert_int_equal(first_exit, slots == 1 ? 2 : 4);
        assert_int_equal(adds, 2);
        run_case_close(c);
    }
}

/* GM is written in blocks of 32 bytes, which two tiles of int8 cannot share. */
static void test_tiles_of_int8_that_would_share_a_plane_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *product, *n1, *n0;
        bool runs;
    } rows[] = {
        {"ascend310p3", "96", "48", false}, {"ascend310p3", "48", "48", false},
        {"ascend310p3", "96", "32", true},  {"ascend310p3", "112", "112", true},
        {"ascend310p3", "112", "32", true}, {"ascend910a", "96", "48", false},
        {"atlas-a2", "96", "48", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 32, 2, 16], weight: [112, 32, 1, 1], dtype: int8, quant: "
                 "{scale: 0.5}}\n"
                 "tile_l1: {tileHin: 1, tileHout: 2, tileWin: 1, tileWout: 16, tileCinFmap: 32, "
                 "tileCinWeight: 32, tileN: %s}\n"
                 "tile_l0: {tileH: 2, tileW: 16, tileK: 32, tileN: %s}\n",
                 rows[i].n1, rows[i].n0);
        struct run_case *c = run_case_open("planes");
        enum status status = run_case_load(c, yaml, rows[i].product);
        assert_int_equal(status, rows[i].runs ? STATUS_OK : STATUS_BROKEN);
        if (rows[i].runs)
            run_case_go(c, 5, true);
        for (uint32_t v = 0; v < c->report.count; v++)
            assert_int_equal(c->report.verdicts[v].ok,
                             rows[i].runs || strcmp(c->report.verdicts[v].id, "R5") != 0);
        run_case_close(c);
    }
    /* A derived tile keeps to it. */
    struct run_case *c = loaded("conv: {input: [1, 32, 40, 40], weight: [496, 32, 3, 3], dtype: "
                                "int8, quant: {scale: 0.5}}\n",
                                "ascend310p3");
    assert_true(c->plan.tile.n_l0 % 32 == 0 || c->plan.tile.n_l0 == 496);
    run_case_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_programs_of_small_layers_are_the_known_ones),
        cmocka_unit_test(test_flags_of_every_policy_pair_up_within_the_ids_of_the_product),
        cmocka_unit_test(test_load3d_v1_goes_along_the_longer_side),
        cmocka_unit_test(test_rows_apart_take_a_load3d_each_on_310p),
        cmocka_unit_test(test_a_tile_passes_the_unified_buffer_in_parts_that_fit),
        cmocka_unit_test(test_a_unified_buffer_without_room_is_told_with_the_numbers),
        cmocka_unit_test(test_a_bias_is_broadcast_before_it_is_needed),
        cmocka_unit_test(test_tiles_of_int8_that_would_share_a_plane_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
