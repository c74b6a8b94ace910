/* What the tile rules say, with which numbers, and where they draw the line. */
#include "tests/unit/tile_fixture.h"

#define RES2A                                                                                      \
    "product: atlas-a2\n"                                                                          \
    "conv:\n"                                                                                      \
    "  input: [16, 64, 56, 56]\n"                                                                  \
    "  weight: [64, 64, 3, 3]\n"                                                                   \
    "  padding: [1, 1, 1, 1]\n"                                                                    \
    "  dtype: fp16\n"                                                                              \
    "  bias: true\n"

static void a_legal_plan_shows_every_rule_with_its_numbers(void **state)
{
    static const char *const numbers[][3] = {
        {"1", "output type", "fp16 in fp32 fp16 bf16"},
        {"2", "dimensions", "1 <= 3 .. 64 <= 1,000,000"},
        {"3", "bias length", "64 = Cout 64"},
        {"4", "output size", "Hout 56, Wout 56 >= 1"},
        {"5", "list lengths", "padding 4, dilation 2, stride 2"},
        {"6", "padding < kernel", "1 < 3"},
        {"7", "groups", "64 = 64 x 1"},
        {"8", "ranges", "stride 1, padding 1, dilation 1"},
        {"9", "kernel", "3 x 3 x 16 = 144 <= 65,535"},
        {"10", "tileHin, tileWin, tileBatch", "3 <= 56, 56 <= 56, 1 = 1"},
        {"11", "tileCinFmap, tileCinWeight", "16 <= 64 <= 64"},
        {"12", "tile_l1.tileN", "64 <= 64, 64 % 16 = 0"},
        {"13", "Wout % 16 != 0 -> tileHout 1", "56 % 16 = 8, tileHout 1"},
        {"14", "tileHout, tileWout", "1 <= 56, 64 <= 64, 64 % 16 = 0"},
        {"15", "tileCin % C0", "64 % 16 = 0"},
        {"16", "tileK % C0", "64 % 16 = 0"},
        {"17", "tileH, tileW, tileK", "1 <= 1, 64 <= 64, 64 <= 576"},
        {"18", "tile_l0.tileN, tileW % 16", "64 % 16 = 0, 64 % 16 = 0"},
        {"19", "tile_l0.tileN", "64 <= 64"},
        {"20", "kAL1 % tileK, kBL1 % tileK", "576 % 64 = 0, 576 % 64 = 0"},
        {"21", "L0A, L0B, L0C", "see below"},
        {"22", "L1", "21,504 + 73,728 + 128 = 95,360"},
    };
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, RES2A "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64,\n"
                              "  tileCinFmap: 64, tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"
                              "tile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n");
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal && bench.report.runnable);
    assert_string_equal(bench.report.nearest_plan, "");
    for (uint32_t i = 0; i < 22; i++) {
        const struct rule_verdict *verdict = &bench.report.verdicts[i];
        assert_string_equal(verdict->id, numbers[i][0]);
        assert_string_equal(verdict->what, numbers[i][1]);
        assert_string_equal(verdict->numbers, numbers[i][2]);
        assert_true(verdict->ok && verdict->judged && verdict->decides);
        assert_string_equal(verdict->message, "");
        assert_string_equal(verdict->nearest, "");
    }
    bench_deinit(&bench);
}

static void assert_buffer(const struct buffer_row *row, const char *name, uint64_t capacity,
                          uint64_t single, uint64_t twice, uint64_t planned)
{
    assert_string_equal(row->buffer, name);
    assert_int_equal(row->capacity_bytes, capacity);
    assert_int_equal(row->single_bytes, single);
    assert_int_equal(row->double_bytes, twice);
    assert_int_equal(row->fits_single, single <= capacity);
    assert_int_equal(row->fits_double, twice <= capacity);
    assert_int_equal(row->planned, planned);
}

static void the_buffer_table_has_one_and_two_slots(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, RES2A "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64,\n"
                              "  tileCinFmap: 64, tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"
                              "tile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n");
    bench_check(&bench, RULES_PYPTO);
    assert_int_equal(bench.report.buffer_count, 5);
    assert_buffer(&bench.report.buffers[0], "L1", 524288, 95360, 190592, 2);
    assert_int_equal(bench.report.buffers[0].planned_b, 2);
    assert_buffer(&bench.report.buffers[1], "L0A", 65536, 8192, 16384, 2);
    assert_buffer(&bench.report.buffers[2], "L0B", 65536, 8192, 16384, 2);
    assert_buffer(&bench.report.buffers[3], "L0C", 131072, 16384, 32768, 1);
    assert_buffer(&bench.report.buffers[4], "BT", 1024, 256, 256, 1);
    bench_deinit(&bench);
}

#define WIDE                                                                                       \
    RES2A "tile_l1:\n"                                                                             \
          "  tileHin: 4\n"                                                                         \
          "  tileHout: 2\n"                                                                        \
          "  tileWin: 56\n"                                                                        \
          "  tileWout: 64\n"                                                                       \
          "  tileCinFmap: 64\n"                                                                    \
          "  tileCinWeight: 64\n"                                                                  \
          "  tileN: 64\n"                                                                          \
          "  tileBatch: 1\n"                                                                       \
          "tile_l0:\n"                                                                             \
          "  tileH: 1\n"                                                                           \
          "  tileW: 56\n"                                                                          \
          "  tileK: 576\n"                                                                         \
          "  tileN: 64\n"

static uint32_t line_of(const struct tile_bench *bench, const char *id)
{
    return bench->plan.place[bench_verdict(bench, id)->word].line;
}

static void an_illegal_plan_names_both_sides_the_place_and_the_nearest_value(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, WIDE);
    bench_check(&bench, RULES_PYPTO);
    assert_false(bench.report.legal);
    assert_broken(&bench, "13", "Wout is no multiple of 16, so tileHout must be 1",
                  "56 % 16 = 8, tileHout 2", "tileHout 1");
    assert_broken(&bench, "18", "tileW is a multiple of 16", "56 % 16 = 8", "tileW 48 or 64");
    assert_broken(&bench, "21", "tileK x tileN x 2 B <= L0B",
                  "576 x 64 x 2 = 73,728 > 65,536, 8,192 too many",
                  "tileK 288 (the next smaller that divides 576)");
    assert_int_equal(line_of(&bench, "13"), 10);
    assert_int_equal(line_of(&bench, "18"), 19);
    assert_int_equal(line_of(&bench, "21"), 20);
    uint32_t held = 0;
    for (uint32_t i = 0; i < 22; i++)
        held += bench.report.verdicts[i].ok;
    assert_int_equal(held, 19);
    assert_string_equal(bench_verdict(&bench, "22")->numbers, "28,672 + 73,728 + 128 = 102,528");
    bench_deinit(&bench);
}

static void an_illegal_plan_comes_with_the_nearest_legal_one(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_parse(&bench, WIDE);
    bench_check(&bench, RULES_PYPTO);
    assert_string_equal(bench.report.nearest_plan,
                        "tileHout 1, tileW 64, tileK 288 (one slot in L0A and L0B)");
    assert_string_equal(bench.report.nearest_plan_double,
                        "tileHout 1, tileW 64, tileK 192 (49,152 B each)");
    assert_buffer(&bench.report.buffers[1], "L0A", 65536, 64512, 129024, 1);
    assert_buffer(&bench.report.buffers[2], "L0B", 65536, 73728, 147456, 1);
    assert_buffer(&bench.report.buffers[3], "L0C", 131072, 14336, 28672, 1);
    bench_deinit(&bench);
}

static void l0a_may_be_full_and_the_excess_is_named(void **state)
{
    struct tile_bench bench;

    (void)state;
    pointwise(&bench, 256, 256);
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "21", "tileH x tileW x tileK x 2 B <= L0A",
                  "16 x 16 x 256 x 2 = 131,072 > 65,536, 65,536 too many",
                  "tileK 128 (the next smaller that divides 256)");
    bench.plan.l0.k = 128;
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    assert_int_equal(bench.report.buffers[1].single_bytes, 65536);
    bench_deinit(&bench);
}

static void the_page_counts_the_expanded_image_and_the_code_does_not(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(64, 48, 48, 64, 3, 1);
    bench.plan.conv.dtype = ELEMENT_FP32;
    bench.plan.conv.out_dtype = ELEMENT_FP32;
    bench.plan.conv.batch = 4;
    bench.plan.form = TILE_PYPTO;
    bench.plan.has_l0 = true;
    bench.plan.l1 = (struct tile_l1){34, 32, 18, 16, 64, 64, 16, 1};
    bench.plan.l0 = (struct tile_l0){8, 16, 64, 16};
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    assert_string_equal(bench_verdict(&bench, "22")->numbers, "156,672 + 36,864 = 193,536");
    bench_check(&bench, RULES_DOCUMENT);
    assert_string_equal(bench_first_broken(&bench), "22");
    bench.plan.conv.bias = true;
    bench_check(&bench, RULES_PYPTO);
    assert_int_equal(bench.report.buffers[0].single_bytes, 193600);
    bench_check(&bench, RULES_DOCUMENT);
    assert_int_equal(bench.report.buffers[0].single_bytes, 1446976);
    bench_deinit(&bench);
}

static void tile_cin_is_bounded_by_the_padded_channels_of_a_group(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(16, 5, 32, 16, 3, 1);
    bench.plan.conv.cin_group = 8;
    bench.plan.conv.groups = 2;
    bench.plan.form = TILE_PYPTO;
    bench.plan.has_l0 = true;
    bench.plan.l1 = (struct tile_l1){1, 1, 32, 16, 16, 16, 16, 1};
    bench.plan.l0 = (struct tile_l0){1, 16, 16, 16};
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    bench.plan.l1.cin_weight = 32;
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "11", "tileCinWeight is 16", "32 > 16", "tileCinWeight 16");
    bench.plan.l1.cin_fmap = 48;
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "11", "tileCinFmap and tileCinWeight are 16", "48 > 16, 32 > 16",
                  "tileCinFmap 16, tileCinWeight 16");
    bench_deinit(&bench);
}

/* tileK is bounded by kh * kw * Cin, not by kh * kh * Cin. */
static void a_flat_and_a_tall_kernel_bound_tile_k_alike(void **state)
{
    struct tile_bench bench;

    (void)state;
    pointwise(&bench, 16, 48);
    bench.plan.conv.kernel[AXIS_W] = 3;
    bench.plan.conv.pad_head[AXIS_W] = 1;
    bench.plan.conv.pad_tail[AXIS_W] = 1;
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    bench.plan.conv = bench_conv(16, 16, 16, 16, 1, 0);
    bench.plan.conv.kernel[AXIS_H] = 3;
    bench.plan.conv.pad_head[AXIS_H] = 1;
    bench.plan.conv.pad_tail[AXIS_H] = 1;
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    bench.plan.l0.k = 144;
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "17", "tileK lies in 1 .. min(kAL1, kBL1) = 48", "144 > 48", "tileK 48");
    bench_deinit(&bench);
}

static void each_message_names_its_own_field(void **state)
{
    struct tile_bench bench;

    (void)state;
    pointwise(&bench, 16, 16);
    bench.plan.l1.hout = 999;
    bench.plan.l1.win = 0;
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "10", "tileWin lies in 1 .. 16", "0 < 1", "tileWin 1");
    assert_int_equal(bench_verdict(&bench, "10")->word, WORD_TILE_WIN);
    assert_broken(&bench, "14", "tileHout lies in 1 .. 16", "999 > 16", "tileHout 16");
    assert_int_equal(bench_verdict(&bench, "14")->word, WORD_TILE_HOUT);
    bench_deinit(&bench);
}

/* A 1 x 1 plan that fills L1 to the byte: 16 x 1024 x 2 of A, the rest of B. */
static void l1_exactly_full(struct tile_bench *bench)
{
    bench_init(bench, A2_PRODUCT);
    bench->plan.conv = bench_conv(1024, 1, 16, 240, 1, 0);
    bench->plan.form = TILE_PYPTO;
    bench->plan.has_l0 = true;
    bench->plan.l1 = (struct tile_l1){1, 1, 16, 16, 1024, 1024, 240, 1};
    bench->plan.l0 = (struct tile_l0){1, 16, 64, 48};
}

static void reserved_bytes_of_l1_are_not_for_plans(void **state)
{
    struct tile_bench bench;

    (void)state;
    l1_exactly_full(&bench);
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    assert_int_equal(bench.report.buffers[0].single_bytes, 524288);
    bench_set(&bench, "l1.reserved_bytes=256 B");
    bench_check(&bench, RULES_PYPTO);
    assert_string_equal(bench_first_broken(&bench), "22");
    assert_string_equal(bench_verdict(&bench, "22")->numbers,
                        "32,768 + 491,520 = 524,288 > 524,032, 256 too many");
    assert_int_equal(bench.report.buffers[0].capacity_bytes, 524032);
    bench_deinit(&bench);
}

static void the_last_free_byte_of_l1_decides(void **state)
{
    struct tile_bench bench;

    (void)state;
    l1_exactly_full(&bench);
    /* 524,288 B used: one usable byte less breaks the rule, and the size itself does not. */
    bench_set(&bench, "l1.size=524544 B");
    bench_set(&bench, "l1.reserved_bytes=257 B");
    bench_check(&bench, RULES_PYPTO);
    assert_false(bench.report.legal);
    bench_set(&bench, "l1.reserved_bytes=256 B");
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    bench_deinit(&bench);
}

static void hardware_rules_do_not_decide_for_pypto_but_stop_runs(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(16, 1, 16, 512, 1, 0);
    bench.plan.conv.bias = true;
    bench.plan.form = TILE_PYPTO;
    bench.plan.has_l0 = true;
    bench.plan.l1 = (struct tile_l1){1, 1, 16, 16, 16, 16, 512, 1};
    bench.plan.l0 = (struct tile_l0){1, 16, 16, 512};
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    assert_false(bench.report.runnable);
    assert_broken(&bench, "R5", "tile_l0.tileN x 4 B <= BT",
                  "512 x 4 = 2,048 > 1,024, 1,024 too many", "tile_l0.tileN 256");
    assert_true(bench_verdict(&bench, "R5")->needed_to_run);
    bench_check(&bench, RULES_STRICT);
    assert_string_equal(bench_first_broken(&bench), "R5");
    bench_deinit(&bench);
    bench_init(&bench, PRO_PRODUCT);
    bench.plan.conv = bench_conv(16, 1, 16, 512, 1, 0);
    bench.plan.conv.bias = true;
    bench.plan.form = TILE_PYPTO;
    bench.plan.has_l0 = true;
    bench.plan.l1 = (struct tile_l1){1, 1, 16, 16, 16, 16, 512, 1};
    bench.plan.l0 = (struct tile_l0){1, 16, 16, 512};
    bench_check(&bench, RULES_STRICT);
    assert_true(bench.report.legal);
    bench_deinit(&bench);
}

static void every_set_reports_the_same_ids_in_order(void **state)
{
    static const char *const last[] = {"R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10"};
    struct tile_bench bench;

    (void)state;
    pointwise(&bench, 16, 16);
    for (enum rule_set set = RULES_PYPTO; set < RULES_CONV_COUNT; set++) {
        bench_check(&bench, set);
        assert_int_equal(bench.report.count, 32);
        for (uint32_t i = 0; i < 22; i++)
            assert_int_equal(strtol(bench.report.verdicts[i].id, NULL, 10), i + 1);
        for (uint32_t i = 0; i < 10; i++)
            assert_string_equal(bench.report.verdicts[22 + i].id, last[i]);
        assert_true(bench.report.legal);
        for (uint32_t i = 0; i < bench.report.count; i++) {
            const struct rule_verdict *verdict = &bench.report.verdicts[i];
            assert_true(verdict->judged || verdict->ok);
            assert_true(verdict->what[0] != '\0' && verdict->formula[0] != '\0' &&
                        verdict->numbers[0] != '\0');
        }
    }
    bench_deinit(&bench);
}

static void a_depth_bounds_tile_k_and_the_channels_of_a_chunk(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(48, 16, 32, 64, 1, 0);
    bench.plan.conv.rank = 3;
    bench.plan.conv.stride_length = 3;
    bench.plan.conv.dilation_length = 3;
    bench.plan.conv.padding_length = 6;
    bench.plan.conv.in[AXIS_D] = 4;
    bench.plan.conv.kernel[AXIS_D] = 3;
    conv_derive(&bench.plan.conv);
    bench.plan.form = TILE_PYPTO;
    bench.plan.has_l0 = true;
    bench.plan.l1 = (struct tile_l1){4, 4, 32, 32, 32, 32, 64, 1};
    bench.plan.l0 = (struct tile_l0){2, 32, 96, 64};
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    assert_false(bench.report.runnable);
    assert_string_equal(bench_verdict(&bench, "R3")->nearest, "tileK 32");
    assert_string_equal(bench_verdict(&bench, "R4")->nearest, "tileCinFmap 16, tileCinWeight 16");
    bench.plan.l1.cin_fmap = 16;
    bench.plan.l1.cin_weight = 16;
    bench.plan.l0.k = 16;
    bench_check(&bench, RULES_STRICT);
    assert_true(bench.report.legal);
    bench_deinit(&bench);
}

static void int8_follows_the_same_formulas_and_is_marked(void **state)
{
    struct tile_bench bench;

    (void)state;
    pointwise(&bench, 256, 256);
    bench.plan.conv.dtype = ELEMENT_INT8;
    bench.plan.conv.out_dtype = ELEMENT_INT32;
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal);
    assert_string_equal(bench_verdict(&bench, "1")->numbers, "int32 of int8, extended");
    bench.plan.l1.cin_fmap = 48;
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "15", "tileCinFmap is a multiple of 32", "48 % 32 = 16",
                  "tileCinFmap 32 or 64");
    /* A tile of 48 K would be read as 64: 16 of them belong to another tile. */
    bench.plan.l1.cin_fmap = 256;
    bench.plan.l0.k = 48;
    bench_check(&bench, RULES_PYPTO);
    assert_broken(&bench, "16", "tileK is a multiple of C0 = 32", "48 % 32 = 16", "tileK 32 or 64");
    bench_deinit(&bench);
}

static void without_tiles_only_the_convolution_is_judged(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(64, 56, 56, 64, 3, 1);
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal && bench.report.runnable);
    assert_false(bench_verdict(&bench, "10")->judged);
    assert_false(bench_verdict(&bench, "22")->judged);
    assert_true(bench_verdict(&bench, "R10")->judged);
    assert_int_equal(bench.report.buffer_count, 0);
    bench_deinit(&bench);
}

static void an_l1_tile_without_any_l0_tile_under_it_cannot_run(void **state)
{
    struct tile_bench bench;

    (void)state;
    bench_init(&bench, A2_PRODUCT);
    bench.plan.conv = bench_conv(16, 16, 16, 16, 1, 0);
    bench.plan.form = TILE_PYPTO;
    bench.plan.l1 = (struct tile_l1){16, 16, 16, 16, 16, 16, 16, 1};
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.legal && bench.report.runnable);
    assert_false(bench_verdict(&bench, "17")->judged);
    assert_int_equal(bench.report.buffer_count, 1);
    bench_set(&bench, "l0b.size=512 B");
    bench_set(&bench, "l0a.size=512 B");
    bench_check(&bench, RULES_PYPTO);
    assert_true(bench.report.runnable);
    bench.plan.conv.dtype = ELEMENT_FP32;
    bench.plan.conv.out_dtype = ELEMENT_FP32;
    bench.plan.conv.in[AXIS_W] = 1000;
    conv_derive(&bench.plan.conv);
    bench_check(&bench, RULES_PYPTO);
    assert_false(bench.report.runnable);
    bench_deinit(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_legal_plan_shows_every_rule_with_its_numbers),
        cmocka_unit_test(the_buffer_table_has_one_and_two_slots),
        cmocka_unit_test(an_illegal_plan_names_both_sides_the_place_and_the_nearest_value),
        cmocka_unit_test(an_illegal_plan_comes_with_the_nearest_legal_one),
        cmocka_unit_test(l0a_may_be_full_and_the_excess_is_named),
        cmocka_unit_test(the_page_counts_the_expanded_image_and_the_code_does_not),
        cmocka_unit_test(tile_cin_is_bounded_by_the_padded_channels_of_a_group),
        cmocka_unit_test(a_flat_and_a_tall_kernel_bound_tile_k_alike),
        cmocka_unit_test(each_message_names_its_own_field),
        cmocka_unit_test(reserved_bytes_of_l1_are_not_for_plans),
        cmocka_unit_test(the_last_free_byte_of_l1_decides),
        cmocka_unit_test(hardware_rules_do_not_decide_for_pypto_but_stop_runs),
        cmocka_unit_test(every_set_reports_the_same_ids_in_order),
        cmocka_unit_test(a_depth_bounds_tile_k_and_the_channels_of_a_chunk),
        cmocka_unit_test(int8_follows_the_same_formulas_and_is_marked),
        cmocka_unit_test(without_tiles_only_the_convolution_is_judged),
        cmocka_unit_test(an_l1_tile_without_any_l0_tile_under_it_cannot_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
