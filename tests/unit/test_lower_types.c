#include "tests/unit/lower_fixture.h"

#include "model/derive.h"
#include "model/layout.h"
#include "model/program_data.h"
#include "model/run_program.h"
#include "tests/support/program_reading.h"

/* One tile of all positions; so many output channels in L1 and in L0. */
#define TILES(n1, n0)                                                                              \
    "tile_l1: {tileHin: 1, tileHout: 2, tileWin: 1, tileWout: 16, tileCinFmap: 32, "               \
    "tileCinWeight: 32, tileN: " n1 "}\ntile_l0: {tileH: 2, tileW: 16, tileK: 32, tileN: " n0      \
    "}\n"

/* 112 output channels of int8 in nc1hwc0, with a scale for each. */
static void channel_plan(char *text, size_t size, const char *tiles, const char *schedule)
{
    size_t used = (size_t)snprintf(text, size,
                                   "conv: {input: [2, 32, 2, 16], weight: [112, 32, 1, 1], dtype: "
                                   "int8, quant: {scale: [0.5");
    for (int i = 1; i < 112; i++)
        used += (size_t)snprintf(text + used, size - used, ", %d", i);
    snprintf(text + used, size - used, "]}}\n%s%s", tiles, schedule);
}

static void test_words_of_channels_are_loaded_for_every_n_tile(void **state)
{
    (void)state;
    static const char *const schedules[] = {"schedule: {cores: 1}\n",
                                            "schedule: {cores: 1, residency: keep}\n"};
    static const char *const tiles =
        "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 16, tileCinFmap: 32, "
        "tileCinWeight: 32, tileN: 32}\ntile_l0: {tileH: 1, tileW: 16, tileK: 32, tileN: 32}\n";
    /* Two images of four N tiles of two M tiles each: for every tile, or for every N tile. */
    static const uint64_t loads[] = {16, 8};
    for (int i = 0; i < 2; i++) {
        char yaml[2048];
        channel_plan(yaml, sizeof yaml, tiles, schedules[i]);
        struct run_case *c = loaded(yaml, "atlas-a2");
        uint64_t count[OP_COUNT];
        check_stream(c, 0, count);
        assert_int_equal(count[OP_LOAD_FB], loads[i]);
        run_case_close(c);
    }
}

/* Words, their load and the stores that use them: in this order, with a flag and a barrier. */
static void test_words_reach_the_fixpipe_buffer_before_their_store(void **state)
{
    (void)state;
    char yaml[2048];
    channel_plan(yaml, sizeof yaml, TILES("112", "48"), "schedule: {cores: 1, fixpipe: tile}\n");
    struct run_case *c = loaded(yaml, "ascend-950pr");
    struct program program = lowered(c);
    void *stream = program.open(program.context, 0, &c->arena);
    struct insn insn;
    uint64_t loaded_words = 0, stores = 0;
    bool ready = false;
    while (program.next(stream, &insn)) {
        if (insn.opcode == OP_LOAD_FB) {
            loaded_words = (uint64_t)insn.field[LOAD_FB_blockLen] * 64 / 8;
            ready = false;
        } else if (insn.opcode == OP_PIPE_BARRIER && insn.pipe == PIPE_FIXP) {
            ready = true;
        } else if (insn.opcode == OP_FIXPIPE) {
            assert_true(ready);
            uint64_t first = insn.operand[FIXPIPE_quant].offset / 8;
            assert_true(first + (uint64_t)insn.field[FIXPIPE_nSize] <= loaded_words);
            assert_int_equal(insn.field[FIXPIPE_mode], MODE_VREQ8);
            stores++;
        }
    }
    assert_int_equal(stores, 2 * 3);
    run_case_close(c);
}

/* Runs the text of a lowered plan, with the tensors of the plan's run but for the words, and leaves
 * what it computes in output. */
static void text_run_output(struct run_case *c, const char *text, struct tensor *output)
{
    struct program_reading reading;
    struct memory *tensor;
    struct run_result result;
    program_reading_init(&reading, text, strlen(text));
    assert_int_equal(reading.status, STATUS_OK);
    const struct program_data_options data = {.source = &reading.source, .seed = 1};
    assert_int_equal(
        program_data_make(&reading.program, &data, &reading.arena, &reading.diag, &tensor),
        STATUS_OK);
    layout_input_pack(&c->plan.conv, &c->input, tensor[REGION_INPUT].bytes);
    layout_weight_pack(&c->plan.conv, &c->weight, tensor[REGION_WEIGHT].bytes);
    layout_bias_pack(&c->plan.conv, &c->bias, tensor[REGION_BIAS].bytes);
    const struct program_run run = {
        .program = &reading.program, .product = &c->product, .tensor = tensor};
    assert_int_equal(run_program(&run, &reading.arena, &result), STATUS_OK);
    if (result.hazard_count != 0)
        fail_msg("%s", result.hazards[0].message);
    tensor_shape_output(&c->plan.conv, output);
    assert_int_equal(tensor_take(output, &c->arena), STATUS_OK);
    layout_output_unpack(&c->plan.conv, tensor[REGION_OUTPUT].bytes, output);
    program_reading_deinit(&reading);
}

static void test_the_text_of_a_plan_with_words_of_channels_computes_the_same(void **state)
{
    (void)state;
    static const char *const products[] = {"atlas-a2", "ascend-950pr", "atlas-inference"};
    static const char *const outputs[] = {"int8", "fp16"};
    for (size_t i = 0; i < 2 * (sizeof products / sizeof products[0]); i++) {
        char yaml[1024];
        size_t used = (size_t)snprintf(yaml, sizeof yaml,
                                       "conv: {input: [1, 32, 8, 16], weight: [48, 32, 3, 3], "
                                       "dtype: int8, out_dtype: %s, bias: true, padding: [1, 1, 1, "
                                       "1], quant: {scale: [0.5",
                                       outputs[i % 2]);
        for (int n = 1; n < 48; n++)
            used += (size_t)snprintf(yaml + used, sizeof yaml - used, ", 0.0%d", n % 7 + 1);
        snprintf(yaml + used, sizeof yaml - used, "]}}\n");
        struct run_case *c = loaded(yaml, products[i / 2]);
        struct program program = lowered(c);
        struct tensor output;
        run_case_go(c, 5, true);
        text_run_output(c, program_format(&program, &c->arena), &output);
        assert_memory_equal(output.data, c->result.output.data,
                            output.count * element_bytes(output.element));
        run_case_close(c);
    }
}

/* Planes of 32: a tile of 48 ends in the middle of one, and the next begins there. */
static void test_8_bit_tiles_are_cut_at_planes(void **state)
{
    (void)state;
    static const struct {
        int64_t n, layout;
        uint64_t plane, lane;
    } parts[] = {{32, LAYOUT_NZ, 0, 0},
                 {16, LAYOUT_NZ2ND, 1, 0},
                 {16, LAYOUT_NZ2ND, 1, 16},
                 {32, LAYOUT_NZ, 2, 0},
                 {16, LAYOUT_NZ2ND, 3, 0}};
    enum { PARTS = sizeof parts / sizeof parts[0], PLANE_BYTES = 2 * 16 * 32 };
    struct run_case *c =
        loaded("conv: {input: [1, 32, 2, 16], weight: [112, 32, 1, 1], dtype: int8, quant: {scale: "
               "0.5}}\n" TILES("112", "48") "schedule: {cores: 1, fixpipe: tile}\n",
               "atlas-a2");
    struct program program = lowered(c);
    void *stream = program.open(program.context, 0, &c->arena);
    struct insn insn;
    size_t part = 0;
    while (program.next(stream, &insn)) {
        if (insn.opcode != OP_FIXPIPE)
            continue;
        assert_true(part < PARTS);
        assert_int_equal(insn.field[FIXPIPE_nSize], parts[part].n);
        assert_int_equal(insn.field[FIXPIPE_layout], parts[part].layout);
        assert_int_equal(insn.operand[FIXPIPE_dst].offset,
                         parts[part].plane * PLANE_BYTES + parts[part].lane);
        assert_int_equal(insn.field[FIXPIPE_dstStride],
                         parts[part].layout == LAYOUT_NZ ? PLANE_BYTES / 32 : 32);
        assert_true(insn.field[FIXPIPE_deqScalar] == (INT64_C(1) << 46 | INT64_C(0x3F000000)));
        part++;
    }
    assert_int_equal(part, PARTS);
    run_case_close(c);
}

static void test_hf32_is_switched_on_before_anything_is_multiplied(void **state)
{
    (void)state;
    for (int on = 0; on < 2; on++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 "conv: {input: [1, 16, 4, 16], weight: [16, 16, 1, 1], dtype: fp32, hf32: %s}\n",
                 on != 0 ? "true" : "false");
        struct run_case *c = loaded(yaml, "atlas-a2");
        struct program program = lowered(c);
        void *stream = program.open(program.context, 0, &c->arena);
        struct insn insn;
        int set = 0;
        while (program.next(stream, &insn) && insn.opcode != OP_MMAD)
            set += insn.opcode == OP_SET_HF32_MODE && insn.field[SET_HF32_MODE_mode] == 1;
        assert_int_equal(set, on);
        run_case_close(c);
    }
}

/* Half of the time of fp32 on A2, an eighth on 950. */
static void test_hf32_takes_the_cycles_of_its_own(void **state)
{
    (void)state;
    static const struct {
        const char *product;
        uint64_t ratio;
    } rows[] = {{"atlas-a2", 2}, {"ascend-950pr", 8}};
    for (int i = 0; i < 2; i++) {
        tick busy[2];
        for (int on = 0; on < 2; on++) {
            char yaml[256];
            snprintf(yaml, sizeof yaml,
                     "conv: {input: [1, 256, 8, 64], weight: [256, 256, 1, 1], dtype: fp32, hf32: "
                     "%s}\nschedule: {cores: 1}\n",
                     on != 0 ? "true" : "false");
            struct run_case *c = loaded(yaml, rows[i].product);
            struct run_options options = {.timing_only = true};
            assert_int_equal(run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result),
                             STATUS_OK);
            busy[on] = c->result.pipe[PIPE_CUBE].busy;
            run_case_close(c);
        }
        assert_true(busy[1] * rows[i].ratio >= busy[0]);
        assert_true(busy[1] * rows[i].ratio <= busy[0] * 3 / 2);
    }
}

static void test_a_tile_wider_than_the_fixpipe_buffer_is_refused_with_the_numbers(void **state)
{
    (void)state;
    char yaml[2048];
    channel_plan(yaml, sizeof yaml, TILES("112", "112"), "schedule: {cores: 1}\n");
    struct run_case *c = run_case_open("lower");
    assert_int_equal(
        plan_parse("lower", yaml, "atlas-a2", &c->arena, &c->diag, &c->product, &c->plan),
        STATUS_OK);
    assert_int_equal(product_set(&c->product, "fb.size=512 B", &c->arena, &c->diag), STATUS_OK);
    assert_int_equal(rules_check(&c->plan, c->plan.rules, &c->arena, &c->report), STATUS_OK);
    assert_false(c->report.runnable);
    uint32_t told = 0;
    for (uint32_t i = 0; i < c->report.count; i++) {
        const struct rule_verdict *verdict = &c->report.verdicts[i];
        if (strcmp(verdict->id, "R5") != 0)
            continue;
        assert_false(verdict->ok);
        told += strstr(verdict->numbers, "112 x 8") != NULL &&
                strcmp(verdict->nearest, "tile_l0.tileN 64") == 0;
    }
    assert_int_equal(told, 1);
    /* A derived tile keeps to it. */
    channel_plan(yaml, sizeof yaml, "", "schedule: {cores: 1}\n");
    assert_int_equal(
        plan_parse("lower", yaml, "atlas-a2", &c->arena, &c->diag, &c->product, &c->plan),
        STATUS_OK);
    assert_int_equal(product_set(&c->product, "fb.size=512 B", &c->arena, &c->diag), STATUS_OK);
    assert_int_equal(plan_resolve(&c->plan, &c->product, &c->arena, &c->diag), STATUS_OK);
    assert_true(c->plan.tile.n_l0 <= 64);
    run_case_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_channels_are_loaded_for_every_n_tile),
        cmocka_unit_test(test_words_reach_the_fixpipe_buffer_before_their_store),
        cmocka_unit_test(test_the_text_of_a_plan_with_words_of_channels_computes_the_same),
        cmocka_unit_test(test_8_bit_tiles_are_cut_at_planes),
        cmocka_unit_test(test_hf32_is_switched_on_before_anything_is_multiplied),
        cmocka_unit_test(test_hf32_takes_the_cycles_of_its_own),
        cmocka_unit_test(test_a_tile_wider_than_the_fixpipe_buffer_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
