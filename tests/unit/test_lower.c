#include "tests/unit/lower_fixture.h"

static void test_the_program_of_a_small_layer_is_the_known_one(void **state)
{
    (void)state;
    static const char *const yaml =
        "conv: {input: [1, 24, 2, 20], weight: [20, 24, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
        "bias: true, relu: true}\n"
        "tile_l1: {tileHin: 2, tileHout: 1, tileWin: 20, tileWout: 32, tileCinFmap: 16, "
        "tileCinWeight: 32, tileN: 32}\ntile_l0: {tileH: 1, tileW: 32, tileK: 144, tileN: 16}\n"
        "schedule: {cores: 1}\n";
    check_golden(yaml, "atlas-a2", "tests/data/lower_small_a2.prog");
    check_golden(yaml, "ascend-950pr", "tests/data/lower_small_950.prog");
}

/* The shape of a tensor in GM has as many bytes as its region: the text can be read by itself. */
static void test_shapes_of_tensors_are_those_in_memory(void **state)
{
    (void)state;
    static const char *const convs[][2] = {
        {"atlas-a2", "{input: [2, 20, 6, 10], weight: [24, 20, 3, 3], dtype: fp16, bias: true}"},
        {"atlas-a2", "{input: [1, 12, 40], weight: [10, 6, 3], groups: 2, dtype: fp32}"},
        {"atlas-a3", "{input: [1, 12, 4, 6, 20], weight: [10, 12, 2, 2, 2], dtype: bf16}"},
        {"atlas-a2", "{input: [1, 40, 6, 10], weight: [24, 40, 1, 1], dtype: int8, bias: true}"},
        {"atlas-a2", "{input: [1, 20, 6, 10], weight: [24, 20, 1, 1], dtype: fp16, "
                     "input_format: nhwc}"},
        {"ascend-950pr", "{input: [1, 20, 6, 10], weight: [24, 20, 3, 3], dtype: fp16}"},
        {"ascend-950pr", "{input: [1, 20, 3, 6, 10], weight: [24, 20, 3, 3, 3], dtype: fp16, "
                         "weight_format: hwcn}"},
    };
    for (size_t i = 0; i < sizeof convs / sizeof convs[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "conv: %s\n", convs[i][1]);
        struct run_case *c = loaded(yaml, convs[i][0]);
        struct program program = lowered(c);
        for (uint32_t r = 0; r < program.region_count; r++) {
            const struct region *region = &program.regions[r];
            if (region->space != SPACE_GM)
                continue;
            uint64_t bytes = element_bytes(region->element);
            for (uint32_t axis = 0; axis < region->rank; axis++)
                bytes *= region->shape[axis];
            assert_int_equal(bytes, region->size_bytes);
        }
        run_case_close(c);
    }
}

static void test_flags_of_every_policy_pair_up_in_program_order(void **state)
{
    (void)state;
    static const char *const residencies[] = {"reload", "keep", "prefetch"};
    for (int i = 0; i < 3; i++)
        for (int buffers = 0; buffers < 32; buffers++) {
            char yaml[768];
            snprintf(yaml, sizeof yaml,
                     "conv: {input: [2, 48, 4, 48], weight: [64, 48, 3, 3], "
                     "padding: [1, 1, 1, 1], dtype: fp16, bias: true}\n"
                     "tile_l1: {tileHin: 1, tileHout: 2, tileWin: 1, tileWout: 48, "
                     "tileCinFmap: 16, tileCinWeight: 48, tileN: 32}\n"
                     "tile_l0: {tileH: 2, tileW: 16, tileK: 48, tileN: 16}\n"
                     "schedule: {residency: %s, l1a_buffers: %d, l1b_buffers: %d, "
                     "l0a_buffers: %d, l0b_buffers: %d, l0c_buffers: %d, cores: 3}\n",
                     residencies[i], 1 + (buffers & 1), 1 + (buffers >> 1 & 1),
                     1 + (buffers >> 2 & 1), 1 + (buffers >> 3 & 1), 1 + (buffers >> 4 & 1));
            struct run_case *c = loaded(yaml, "atlas-a2");
            uint64_t count[OP_COUNT];
            for (uint32_t core = 0; core < c->plan.schedule.cores; core++)
                check_stream(c, core, count);
            run_case_close(c);
        }
}

/* Copies from GM by residency, with K whole in L1: 4 M tiles and 2 N tiles of L1, 4 L0 tiles each.
 */
static void test_residency_decides_how_often_a_chunk_is_loaded(void **state)
{
    (void)state;
    static const char *const residencies[] = {"reload", "keep", "prefetch"};
    /* M tiles walk fastest: A changes with every L1 tile, B with every N tile. */
    static const uint64_t copies[] = {2 * 8 * 4, 8 + 2, 8 + 2};
    for (int i = 0; i < 3; i++) {
        char yaml[768];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 16, 8, 32], weight: [64, 16, 1, 1], dtype: fp16}\n"
                 "tile_l1: {tileHin: 1, tileHout: 2, tileWin: 1, tileWout: 32, tileCinFmap: 16, "
                 "tileCinWeight: 16, tileN: 32}\n"
                 "tile_l0: {tileH: 1, tileW: 32, tileK: 16, tileN: 16}\n"
                 "schedule: {residency: %s, cores: 1}\n",
                 residencies[i]);
        struct run_case *c = loaded(yaml, "atlas-a2");
        uint64_t count[OP_COUNT];
        check_stream(c, 0, count);
        assert_int_equal(count[OP_DATA_COPY], copies[i]);
        assert_int_equal(count[OP_MMAD], 32);
        run_case_close(c);
    }
}

/* Prefetch issues the copy of the next chunk before the present one is used. */
static void test_prefetch_loads_before_it_uses(void **state)
{
    (void)state;
    static const char *const residencies[] = {"keep", "prefetch"};
    uint32_t before[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        char yaml[768];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 64, 1, 32], weight: [16, 64, 1, 1], dtype: fp16}\n"
                 "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 32, tileCinFmap: 16, "
                 "tileCinWeight: 16, tileN: 16}\n"
                 "tile_l0: {tileH: 1, tileW: 32, tileK: 16, tileN: 16}\n"
                 "schedule: {residency: %s, cores: 1}\n",
                 residencies[i]);
        struct run_case *c = loaded(yaml, "atlas-a2");
        struct program program = lowered(c);
        void *stream = program.open(program.context, 0, &c->arena);
        struct insn insn;
        while (program.next(stream, &insn) && insn.opcode != OP_LOAD3DV2)
            before[i] += insn.opcode == OP_DATA_COPY;
        run_case_close(c);
    }
    assert_int_equal(before[0], 2);
    assert_int_equal(before[1], 4);
}

/* C of 1 x 1 fractals is under the limit of 10: each accumulating Mmad waits for the one before. */
static void test_small_accumulations_have_a_barrier(void **state)
{
    (void)state;
    for (int width = 16; width <= 160; width += 144) {
        char text[512];
        snprintf(text, sizeof text,
                 "conv: {input: [1, 64, 1, %d], weight: [16, 64, 1, 1], dtype: fp16}\n"
                 "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: %d, tileCinFmap: 64, "
                 "tileCinWeight: 64, tileN: 16}\n"
                 "tile_l0: {tileH: 1, tileW: %d, tileK: 16, tileN: 16}\nschedule: {cores: 1}\n",
                 width, width, width);
        struct run_case *c = loaded(text, "atlas-a2");
        uint64_t count[OP_COUNT];
        check_stream(c, 0, count);
        assert_int_equal(count[OP_MMAD], 4);
        assert_int_equal(count[OP_PIPE_BARRIER], width == 16 ? 3 : 0);
        run_case_close(c);
    }
}

/* Mmad reads a single row as a vector: what Load3D stores is none. */
static void test_a_tile_of_one_row_is_no_vector(void **state)
{
    (void)state;
    static const char *const yaml =
        "conv: {input: [1, 32, 3, 3], weight: [16, 32, 3, 3], dtype: fp16}\n";
    static const struct {
        const char *product;
        int64_t rows, disabled;
    } cases[] = {{"atlas-a2", 2, 0}, {"ascend310b1", 2, 0}, {"ascend-950pr", 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_case *c = loaded(yaml, cases[i].product);
        struct program program = lowered(c);
        void *stream = program.open(program.context, 0, &c->arena);
        struct insn insn;
        uint32_t products = 0;
        while (program.next(stream, &insn)) {
            if (insn.opcode != OP_MMAD)
                continue;
            products++;
            assert_int_equal(insn.field[MMAD_m], cases[i].rows);
            assert_int_equal(insn.field[MMAD_disableGemv], cases[i].disabled);
        }
        assert_true(products > 0);
        run_case_close(c);
    }
}

static void test_stores_follow_the_policy(void **state)
{
    (void)state;
    static const char *const policies[] = {"row", "tile"};
    static const uint64_t stores[] = {4, 1};
    for (int i = 0; i < 2; i++) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], dtype: fp16}\n"
                 "tile_l1: {tileHin: 1, tileHout: 4, tileWin: 1, tileWout: 16, tileCinFmap: 16, "
                 "tileCinWeight: 16, tileN: 16}\n"
                 "tile_l0: {tileH: 4, tileW: 16, tileK: 16, tileN: 16}\n"
                 "schedule: {fixpipe: %s, cores: 1}\n",
                 policies[i]);
        struct run_case *c = loaded(yaml, "atlas-a2");
        uint64_t count[OP_COUNT];
        check_stream(c, 0, count);
        assert_int_equal(count[OP_FIXPIPE], stores[i]);
        run_case_close(c);
    }
}

/* The next chunk is loaded ahead also when it belongs to the next output tile. */
static void test_prefetch_reaches_into_the_next_tile(void **state)
{
    (void)state;
    struct run_case *c =
        loaded("conv: {input: [1, 16, 4, 32], weight: [16, 16, 1, 1], dtype: fp16}\n"
               "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 32, "
               "tileCinFmap: 16, tileCinWeight: 16, tileN: 16}\n"
               "tile_l0: {tileH: 1, tileW: 32, tileK: 16, tileN: 16}\n"
               "schedule: {residency: prefetch, cores: 1}\n",
               "atlas-a2");
    struct program program = lowered(c);
    void *stream = program.open(program.context, 0, &c->arena);
    struct insn insn;
    uint32_t copies = 0;
    while (program.next(stream, &insn) && insn.opcode != OP_LOAD3DV2)
        copies += insn.opcode == OP_DATA_COPY;
    assert_int_equal(copies, 3); /* A and B of this tile, A of the next */
    run_case_close(c);
}

/* Depths at the edges of the input take other kernel depths: kept weights must not be mixed up. */
static void test_kept_weights_belong_to_their_kernel_depths(void **state)
{
    (void)state;
    struct run_case *c = loaded("conv: {input: [1, 16, 2, 4, 16], weight: [16, 16, 3, 1, 1], "
                                "padding: [1, 1, 0, 0, 0, 0], dtype: fp16}\n"
                                "tile_l1: {tileHin: 1, tileHout: 4, tileWin: 1, tileWout: 16, "
                                "tileCinFmap: 16, tileCinWeight: 16, tileN: 16}\n"
                                "tile_l0: {tileH: 4, tileW: 16, tileK: 16, tileN: 16}\n"
                                "schedule: {residency: keep, cores: 1}\n",
                                "atlas-a2");
    c->rough = true;
    run_case_go(c, 5, true); /* depth 0 takes kernel depths 1 and 2, depth 1 takes 0 and 1 */
    run_case_close(c);
}

/* Tiles that differ in nothing but the padding at one end need their own FMATRIX. */
static void test_every_change_of_padding_sets_the_image_anew(void **state)
{
    (void)state;
    struct run_case *c = loaded("conv: {input: [1, 16, 3, 16], weight: [16, 16, 3, 3], "
                                "stride: [2, 1], padding: [0, 2, 1, 1], dtype: fp16}\n"
                                "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 16, "
                                "tileCinFmap: 16, tileCinWeight: 16, tileN: 16}\n"
                                "tile_l0: {tileH: 1, tileW: 16, tileK: 16, tileN: 16}\n"
                                "schedule: {cores: 1}\n",
                                "atlas-a2");
    c->rough = true;
    run_case_go(c, 5, true);
    uint64_t count[OP_COUNT];
    check_stream(c, 0, count);
    assert_int_equal(count[OP_SET_FMATRIX], 2);
    run_case_close(c);
}

static void test_event_ids_are_those_that_the_product_has(void **state)
{
    (void)state;
    struct run_case *c = loaded("conv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], "
                                "dtype: fp16, bias: true}\n",
                                "atlas-a2");
    struct program program;
    assert_int_equal(product_set(&c->product, "sync.event_ids=5", &c->arena, &c->diag), STATUS_OK);
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_OK);
    assert_int_equal(product_set(&c->product, "sync.event_ids=4", &c->arena, &c->diag), STATUS_OK);
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_BROKEN);
    c->plan.conv.bias = false;
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_OK);
    c->plan.schedule.buffers[BUFFER_L0A] = 1; /* now L0B needs ids of its own, 3 and 4 */
    c->plan.schedule.buffers[BUFFER_L0B] = 2;
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_BROKEN);
    run_case_close(c);
}

static void test_what_cannot_be_lowered_is_refused_with_its_reason(void **state)
{
    (void)state;
    check_refused("conv: {input: [1, 16, 8, 16], weight: [20, 16, 1, 1], dtype: fp16, "
                  "input_format: nc1hwc0, weight_format: nchw}\n",
                  "ascend-950pr", "multiple of 16 channels");
    /* The points of the kernel are at depths -1 and 1 of an image that has depth 0 alone. */
    check_refused("conv: {input: [1, 16, 1, 2, 16], weight: [16, 16, 2, 1, 1], dtype: fp16, "
                  "dilation: [2, 1, 1], padding: [1, 1, 0, 0, 0, 0]}\n",
                  "atlas-a2", "output depth 0 reads nothing but padding");
    check_refused("conv: {input: [1, 70000, 2, 2], weight: [16, 70000, 1, 1], dtype: fp16, "
                  "input_format: nhwc}\n",
                  "atlas-a2", "srcDValue");
}

static enum status lower_tile(const char *yaml, uint64_t h_l1, uint64_t w_l1, uint64_t h_l0,
                              uint64_t w_l0)
{
    struct run_case *c = loaded(yaml, "ascend-950pr");
    struct program program;
    c->plan.tile.linear_m = false;
    c->plan.tile.h_l1 = h_l1;
    c->plan.tile.w_l1 = w_l1;
    c->plan.tile.h_l0 = h_l0;
    c->plan.tile.w_l0 = w_l0;
    enum status status = lower_plan(&c->plan, &c->arena, &c->diag, &program);
    run_case_close(c);
    return status;
}

/* Lowers with a tile of L1 of so many rows, columns and channels, and tiles of 16 x 16 in L0, each
 * of which loads and stores its own: every field is in its range, and each has so many copies. */
static void check_fields(const char *yaml, uint64_t h_l1, uint64_t w_l1, uint64_t n_l1,
                         enum opcode opcode, uint64_t each)
{
    struct run_case *c = loaded(yaml, "ascend-950pr");
    uint64_t count[OP_COUNT], copies = 0, stores = 0;
    struct tile *tile = &c->plan.tile;
    uint64_t points = c->plan.conv.kernel[AXIS_H] * c->plan.conv.kernel[AXIS_W];
    tile->linear_m = false;
    tile->h_l1 = h_l1;
    tile->w_l1 = w_l1;
    tile->h_l0 = 1;
    tile->w_l0 = w_l1 < 16 ? w_l1 : 16;
    tile->n_l1 = n_l1;
    tile->n_l0 = 16;
    tile->k_a = tile->k_b = points * c->plan.conv.cin_group;
    tile->k_l0 = points * 16;
    for (uint32_t core = 0; core < c->plan.schedule.cores; core++) {
        check_stream(c, core, count);
        copies += count[opcode];
        stores += count[OP_FIXPIPE];
    }
    assert_int_equal(copies, each * stores);
    run_case_close(c);
}

/* Each layer has something that one field cannot hold, so that a copy becomes several. */
static void test_copies_are_split_where_their_fields_end(void **state)
{
    (void)state;
    /* Planes of the image lie 2^18 blocks apart. */
    check_fields("conv: {input: [1, 32, 512, 512], weight: [16, 32, 1, 1], stride: [32, 1], "
                 "dtype: fp16, input_format: nc1hwc0}\n",
                 1, 512, 16, OP_DATA_COPY, 2);
    /* A part of each of 4,200 rows. */
    check_fields("conv: {input: [1, 16, 4200, 6], weight: [16, 16, 1, 1], dtype: fp16, "
                 "input_format: nc1hwc0}\n",
                 4200, 4, 16, OP_DATA_COPY, 2);
    /* 1,040 columns of rows that have more: matrices would be 16,640 elements apart. */
    check_fields("conv: {input: [1, 16, 4, 2080], weight: [16, 16, 1, 1], dtype: fp16, "
                 "input_format: nchw, weight_format: nchw}\n",
                 4, 1040, 16, OP_DN2NZ, 4);
    /* Rows are 76,800 elements apart. */
    check_fields("conv: {input: [1, 256, 4, 300], weight: [16, 256, 1, 1], dtype: fp16, "
                 "input_format: nhwc, weight_format: fractal_z}\n",
                 4, 160, 16, OP_ND2NZ, 4);
    /* Points of the kernel would be 16,640 elements apart; and the image. */
    check_fields("conv: {input: [1, 16, 3, 18], weight: [1040, 16, 3, 3], dtype: fp16, "
                 "input_format: nchw, weight_format: hwcn}\n",
                 1, 16, 1040, OP_DN2NZ, 9 + 1);
    /* 4,112 matrices of weights; and the image. */
    check_fields("conv: {input: [1, 16, 3, 16], weight: [4112, 16, 3, 1], dtype: fp16, "
                 "input_format: nchw, weight_format: nchw}\n",
                 1, 16, 4112, OP_DN2NZ, 2 + 1);
}

static void test_the_largest_fields_of_instructions_can_be_lowered(void **state)
{
    (void)state;
    static const char square[] = "conv: {input: [1, 16, 128, 128], weight: [16, 16, 1, 1], dtype: "
                                 "fp16, input_format: nhwc}\n";
    static const char wide[] = "conv: {input: [1, 16, 128, 129], weight: [16, 16, 1, 1], dtype: "
                               "fp16, input_format: nhwc}\n";
    assert_int_equal(lower_tile(square, 64, 128, 63, 65), STATUS_OK); /* m of Mmad is 4095 */
    assert_int_equal(lower_tile(square, 64, 128, 64, 64), STATUS_BROKEN);
    assert_int_equal(lower_tile(square, 128, 128, 16, 16), STATUS_OK); /* dstNzC0Stride 16384 */
    assert_int_equal(lower_tile(wide, 128, 129, 16, 16), STATUS_BROKEN);
    struct run_case *c = loaded("conv: {input: [1, 65535, 2, 2], weight: [16, 65535, 1, 1], dtype: "
                                "fp16, input_format: nhwc}\n",
                                "atlas-a2");
    (void)lowered(c);
    run_case_close(c);
    c = loaded("conv: {input: [1, 16, 130, 128], weight: [16, 16, 1, 1], dtype: fp16, "
               "input_format: nhwc}\n",
               "ascend-950pr");
    struct program program;
    c->plan.tile.linear_m = true;
    c->plan.tile.m_l0 = 16;
    c->plan.tile.m_l1 = 127 * 128; /* may begin in the middle of a row */
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_OK);
    c->plan.tile.m_l1 = 128 * 128;
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_BROKEN);
    run_case_close(c);
    c = loaded("conv: {input: [1, 16, 3, 18], weight: [1824, 16, 3, 3], dtype: fp16, "
               "weight_format: nchw, input_format: nchw}\n",
               "ascend-950pr");
    c->plan.tile.n_l1 = 1808; /* 9 points of each: 16,272 and 16,416 */
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_OK);
    c->plan.tile.n_l1 = 1824;
    assert_int_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_BROKEN);
    run_case_close(c);
    check_refused("conv: {input: [1, 65536, 2, 2], weight: [16, 65536, 1, 1], dtype: fp16, "
                  "input_format: nhwc}\n",
                  "atlas-a2", "srcDValue");
}

static void check_no_memory(const char *yaml)
{
    struct run_case *c = loaded(yaml, "atlas-a2");
    struct run_options options = {.timing_only = true};
    assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result), STATUS_OK);
    uint64_t instructions = c->result.instructions;
    bool whole = false;
    for (uint64_t nth = 1; !whole; nth++) {
        arena_fail_at(nth);
        enum status status = run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result);
        whole = arena_fail_pending();
        arena_fail_at(0);
        assert_true(status == STATUS_NO_MEMORY || (whole && status == STATUS_OK));
        assert_true(nth < 10000);
    }
    assert_int_equal(c->result.instructions, instructions);
    run_case_close(c);
}

static void test_no_memory_ends_the_stream_and_is_told(void **state)
{
    (void)state;
    check_no_memory("conv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], dtype: fp16}\n");
    /* A step of one copy for each plane: more than the first buffer of a stream holds. */
    check_no_memory("conv: {input: [1, 2048, 8, 8], weight: [16, 2048, 1, 1], stride: [2, 2], "
                    "dtype: fp16}\nschedule: {cores: 1}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_program_of_a_small_layer_is_the_known_one),
        cmocka_unit_test(test_shapes_of_tensors_are_those_in_memory),
        cmocka_unit_test(test_flags_of_every_policy_pair_up_in_program_order),
        cmocka_unit_test(test_residency_decides_how_often_a_chunk_is_loaded),
        cmocka_unit_test(test_prefetch_loads_before_it_uses),
        cmocka_unit_test(test_small_accumulations_have_a_barrier),
        cmocka_unit_test(test_a_tile_of_one_row_is_no_vector),
        cmocka_unit_test(test_stores_follow_the_policy),
        cmocka_unit_test(test_prefetch_reaches_into_the_next_tile),
        cmocka_unit_test(test_kept_weights_belong_to_their_kernel_depths),
        cmocka_unit_test(test_every_change_of_padding_sets_the_image_anew),
        cmocka_unit_test(test_event_ids_are_those_that_the_product_has),
        cmocka_unit_test(test_what_cannot_be_lowered_is_refused_with_its_reason),
        cmocka_unit_test(test_copies_are_split_where_their_fields_end),
        cmocka_unit_test(test_the_largest_fields_of_instructions_can_be_lowered),
        cmocka_unit_test(test_no_memory_ends_the_stream_and_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
