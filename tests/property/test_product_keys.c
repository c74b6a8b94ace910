/*
 * Goal: no number of a product is a dead knob.
 * Method: on each kind of product every key is moved in turn. A handful of plans chosen to touch
 * everything is judged and run, where the product runs plans, and so is a program of what no plan
 * does; at least one result must differ: a verdict, a buffer table, a time, a range, a row of the
 * timeline, a hazard.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/derive.h"
#include "model/run_program.h"
#include "tests/support/run_check.h"
#include "tests/support/stream_fixture.h"

#define CONV(input, weight, stride, padding, dtype)                                                \
    "conv: {input: " input ", weight: " weight ", stride: " stride ", padding: " padding           \
    ", dtype: " dtype "}\n"
#define TILES                                                                                      \
    "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 32, tileCinFmap: 32, "               \
    "tileCinWeight: 32, tileN: 32}\ntile_l0: {tileH: 1, tileW: 32, tileK: 32, tileN: 32}\n"

/* Rows over the free ones, strides with and without a rule, every element size, short rows of GM, a
 * small C that needs barriers, re-reads, unit flags, all cores at once. */
static const char *const plans[] = {
    CONV("[8, 64, 16, 16]", "[64, 64, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp16") TILES,
    CONV("[1, 32, 8, 16]", "[16, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]",
         "fp16") "tile_l1: {tileHin: 1, tileHout: 1, tileWin: 1, tileWout: 16, tileCinFmap: 32, "
                 "tileCinWeight: 32, tileN: 16}\ntile_l0: {tileH: 1, tileW: 16, tileK: 32, tileN: "
                 "16}\n",
    CONV("[4, 32, 8, 4]", "[48, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp16"),
    CONV("[2, 32, 12, 32]", "[128, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp16"),
    CONV("[2, 32, 20, 72]", "[32, 32, 3, 3]", "[2, 2]", "[1, 1, 1, 1]", "fp16"),
    CONV("[2, 16, 20, 72]", "[32, 16, 3, 3]", "[3, 3]", "[1, 1, 1, 1]", "fp16"),
    CONV("[1, 32, 16, 68]", "[32, 32, 1, 1]", "[1, 16]", "[0, 0, 0, 0]", "fp16"),
    CONV("[2, 16, 12, 16]", "[32, 16, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp32"),
    CONV("[2, 64, 12, 16]", "[32, 64, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "int8"),
    CONV("[2, 32, 12, 32]", "[64, 32, 3, 3]", "[1, 1]", "[1, 1, 1, 1]",
         "fp16") "schedule: {unit_flag: true, policy: vendor}\n",
    "conv: {input: [2, 256, 24, 64], weight: [64, 256, 1, 1], dtype: fp16, input_format: nhwc}\n"
    "schedule: {residency: prefetch, cores: 1}\n",
    /* Rows of GM that begin anywhere. */
    "conv: {input: [2, 33, 24, 64], weight: [64, 33, 1, 1], dtype: fp16, input_format: nhwc}\n",
    "conv: {input: [1, 32, 8, 64], weight: [515, 32, 1, 1], dtype: fp16, input_format: nhwc}\n",
    /* Weights that are read again from L2 for every tile. */
    CONV("[4, 64, 16, 64]", "[64, 64, 3, 3]", "[1, 1]", "[1, 1, 1, 1]", "fp16") TILES,
};
/* For products with a bias table. */
static const char *const biased =
    "conv: {input: [2, 32, 12, 32], weight: [64, 32, 3, 3], padding: [1, 1, 1, 1], dtype: fp16, "
    "bias: true}\n";

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 31;
}

static uint64_t mix_report(uint64_t hash, const struct rule_report *report)
{
    hash = mix(hash, report->legal);
    hash = mix(hash, report->runnable);
    for (uint32_t i = 0; i < report->count; i++)
        hash = mix(hash, report->verdicts[i].ok);
    for (uint32_t i = 0; i < report->buffer_count; i++)
        hash = mix(hash, report->buffers[i].capacity_bytes);
    return hash;
}

static uint64_t mix_double(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

static enum status mix_row(void *context, const struct timeline_row *line)
{
    uint64_t *hash = context;
    *hash = mix(*hash, line->row->end);
    *hash = mix(*hash, line->row->done);
    return STATUS_OK;
}

/* HF32, 4-bit integers and quantisation words, on products that have them. */
static struct insn *program_fill_cube(struct insn *insn, const struct product *product)
{
    static const enum element types[][2] = {{ELEMENT_FP32, ELEMENT_FP32},
                                            {ELEMENT_INT4, ELEMENT_INT32}};
    if (arch_has_hf32(product->arch)) {
        insn_init(insn, OP_SET_HF32_MODE);
        insn->field[SET_HF32_MODE_mode] = 1;
        insn++;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++, insn++) {
        insn_init(insn, OP_MMAD);
        insn->operand[MMAD_dst].region = FIXTURE_L0C;
        insn->operand[MMAD_a].region = FIXTURE_L0A;
        insn->operand[MMAD_b].region = FIXTURE_L0B;
        insn->field[MMAD_type] = insn->field[MMAD_typeB] = types[i][0];
        insn->field[MMAD_typeC] = types[i][1];
        insn->field[MMAD_m] = insn->field[MMAD_n] = insn->field[MMAD_k] = 64;
    }
    if (arch_has_parameter_load(product->arch)) {
        insn_init(insn, OP_LOAD_FB);
        insn->operand[LOAD_FB_dst].region = FIXTURE_FB;
        insn->operand[LOAD_FB_src].region = FIXTURE_WORDS;
        insn->field[LOAD_FB_blockLen] = 16;
        insn++;
    }
    return insn;
}

/* Stores of 16 and of 8 bits that stay on the chip, and one whose rows lie apart in L0C. */
static struct insn *program_fill_store(struct insn *insn, const struct product *product)
{
    static const enum insn_mode modes[] = {MODE_F322F16, MODE_QF322B8_PRE, MODE_F322F16};
    size_t count = !arch_has_fixpipe(product->arch) ? 0 : arch_has_dn2nz(product->arch) ? 3 : 2;
    bool to_l1 = arch_has_nd2nz(product->arch);
    for (size_t i = 0; i < count; i++, insn++) {
        insn_init(insn, OP_FIXPIPE);
        insn->operand[FIXPIPE_dst].region = to_l1 ? (uint32_t)FIXTURE_WORDS : FIXTURE_L1;
        insn->operand[FIXPIPE_src].region = FIXTURE_L0C;
        insn->field[FIXPIPE_mode] = modes[i];
        insn->field[FIXPIPE_deqScalar] = modes[i] == MODE_QF322B8_PRE ? 0x3F800000 : 0;
        insn->field[FIXPIPE_layout] = i == 2 ? LAYOUT_NZ2DN : LAYOUT_NZ;
        insn->field[FIXPIPE_srcNzC0Stride] = i == 2 ? 2 : 1;
        insn->field[FIXPIPE_mSize] = insn->field[FIXPIPE_nSize] = 64;
        insn->field[FIXPIPE_srcStride] = 128;
        insn->field[FIXPIPE_dstStride] = 2048;
    }
    return insn;
}

/* The way out of L0C where there is no fixpipe. */
static struct insn *program_fill_exit(struct insn *insn, const struct product *product)
{
    if (!arch_has_vector_exit(product->arch))
        return insn;
    insn_init(insn, OP_DATA_COPY_L0C2UB);
    insn->operand[DATA_COPY_L0C2UB_dst].region = FIXTURE_L1;
    insn->operand[DATA_COPY_L0C2UB_src].region = FIXTURE_L0C;
    insn->field[DATA_COPY_L0C2UB_blockLen] = 16;
    return insn + 1;
}

/* A copy to the end of the unified buffer and one from there to GM, and what no plan does. */
static void program_fill(struct stream_fixture *fixture, const struct product *product)
{
    uint64_t ub_bytes = product_whole(product, PRODUCT_UB_SIZE);
    stream_fixture_init(fixture, 1, 4096, 4096);
    fixture->program.arch = product->arch;
    fixture->regions[FIXTURE_L1] =
        (struct region){.name = "u", .space = SPACE_UB, .size_bytes = ub_bytes};
    stream_fixture_copy(fixture, 0, 0, 1, 4096, 4096);
    stream_fixture_copy(fixture, 0, 0, 1, 4096, 4096);
    struct insn *in = &fixture->insn[0][0], *out = &fixture->insn[0][1];
    in->operand[DATA_COPY_dst].offset = out->operand[DATA_COPY_src].offset = ub_bytes - 4096;
    out->operand[DATA_COPY_dst].region = FIXTURE_OUTPUT;
    out->operand[DATA_COPY_dst].offset = 0;
    out->operand[DATA_COPY_src].region = FIXTURE_L1;
    out->pipe = PIPE_MTE3;
    struct insn *end = program_fill_store(program_fill_cube(out + 1, product), product);
    end = program_fill_exit(end, product);
    fixture->count[0] = (uint32_t)(end - fixture->insn[0]);
}

/* All results of the program on a product whose memories it was made for, one key moved. */
static uint64_t program_results(const struct product *product, enum product_key key, int64_t value)
{
    struct stream_fixture fixture;
    struct product moved = *product;
    struct memory tensor[FIXTURE_REGIONS];
    struct run_result result;
    struct arena arena;
    uint64_t hash = 1;
    program_fill(&fixture, product);
    moved.number[key].value = moved.number[key].low = moved.number[key].high = value;
    arena_init(&arena, 0);
    memset(&result, 0, sizeof result);
    for (uint32_t i = 0; i < FIXTURE_REGIONS; i++) {
        bool source = i == FIXTURE_SOURCE;
        uint64_t size_bytes = i <= FIXTURE_OUTPUT ? fixture.regions[i].size_bytes : 0;
        assert_int_equal(memory_init(&tensor[i], size_bytes, source, &arena), STATUS_OK);
    }
    const struct program_run run = {.program = &fixture.program,
                                    .product = &moved,
                                    .tensor = tensor,
                                    .with_range = true,
                                    .sink = mix_row,
                                    .sink_context = &hash};
    assert_int_equal(run_program(&run, &arena, &result), STATUS_OK);
    hash = mix(hash, result.cycles);
    hash = mix(hash, result.hazard_count);
    hash = mix_double(hash, result.range_us[0]);
    arena_deinit(&arena);
    return hash;
}

/* All results of one plan with one key of the product at another value. */
static uint64_t results_of(const char *yaml, const char *product, enum product_key key,
                           int64_t value)
{
    struct run_case *c = run_case_open("keys");
    if (plan_parse(c->name, yaml, product, &c->arena, &c->diag, &c->product, &c->plan) !=
        STATUS_OK) {
        /* no fp32, no unit flags, no ND2NZ */
        assert_true(arch_has_vector_exit(c->product.arch) || !arch_has_nd2nz(c->product.arch));
        run_case_close(c);
        return 0;
    }
    if (key < PRODUCT_KEY_COUNT) {
        struct product_number *number = &c->product.number[key];
        number->value = number->low = number->high = value;
    }
    uint64_t hash = 1;
    assert_int_equal(rules_check(&c->plan, c->plan.rules, &c->arena, &c->report), STATUS_OK);
    hash = mix_report(hash, &c->report);
    if (plan_resolve(&c->plan, &c->product, &c->arena, &c->diag) == STATUS_OK) {
        struct run_options options = {.timing_only = true, .sink = mix_row, .sink_context = &hash};
        enum status status = run_plan(&c->plan, &options, &c->arena, &c->diag, &c->result);
        hash = mix(hash, status);
        if (status == STATUS_OK) {
            hash = mix(hash, c->result.cycles);
            hash = mix(hash, c->result.cores);
            hash = mix(hash, c->result.gm_miss_bytes);
            hash = mix_double(hash, c->result.launch_us);
            hash = mix_double(hash, c->result.range_us[0]);
        }
    }
    run_case_close(c);
    return hash;
}

enum { MOVES_MAX = 5 };

/* Other values of a key that are worth a try. */
static uint32_t moves_of(const struct product *product, enum product_key key,
                         int64_t moves[MOVES_MAX])
{
    const struct product_key_info *info = product_key_info(key);
    const int64_t value = product->number[key].value;
    const bool far = info->unit == UNIT_COUNT || info->unit == UNIT_CYCLES;
    const int64_t wanted[MOVES_MAX] = {value * 3, value / 3, info->low, value + QUANTITY_ONE,
                                       far ? info->high : value};
    uint32_t count = 0;
    for (size_t i = 0; i < MOVES_MAX; i++) {
        int64_t move = wanted[i];
        bool whole = info->unit == UNIT_COUNT || info->unit == UNIT_BYTES;
        if (whole)
            move = move / QUANTITY_ONE * QUANTITY_ONE;
        if (move >= info->low && move <= info->high && move != value)
            moves[count++] = move;
    }
    return count;
}

static bool key_moves_a_result(const char *name, const struct product *product,
                               enum product_key key, const uint64_t *base, uint32_t plan_count)
{
    int64_t moves[MOVES_MAX];
    uint32_t count = moves_of(product, key, moves);
    uint64_t still = program_results(product, key, product->number[key].value);
    for (uint32_t move = 0; move < count; move++)
        if (program_results(product, key, moves[move]) != still)
            return true;
    for (uint32_t move = 0; move < count; move++)
        for (uint32_t plan = 0; plan < plan_count; plan++) {
            const char *yaml = plan < sizeof plans / sizeof plans[0] ? plans[plan] : biased;
            if (results_of(yaml, name, key, moves[move]) != base[plan])
                return true;
        }
    return false;
}

static void check_product(const char *name)
{
    enum { PLANS_MAX = sizeof plans / sizeof plans[0] + 1 };
    uint64_t base[PLANS_MAX];
    struct arena arena;
    struct diag diag;
    struct product product;
    arena_init(&arena, 0);
    diag_init(&diag);
    assert_int_equal(product_load(name, place_none(), &arena, &diag, &product), STATUS_OK);
    uint32_t count = arch_has_bias_table(product.arch) ? PLANS_MAX : PLANS_MAX - 1;
    for (uint32_t plan = 0; plan < count; plan++)
        base[plan] =
            results_of(plan < PLANS_MAX - 1 ? plans[plan] : biased, name, PRODUCT_KEY_COUNT, 0);
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++) {
        if (!product.number[key].present)
            continue;
        if (!key_moves_a_result(name, &product, key, base, count))
            fail_msg("%s: %s moves no result", name, product_key_info(key)->path);
    }
    diag_deinit(&diag);
    arena_deinit(&arena);
}

static void test_every_key_of_an_a2_moves_a_result(void **state)
{
    (void)state;
    check_product("atlas-a2");
}

static void test_every_key_of_a_950_moves_a_result(void **state)
{
    (void)state;
    check_product("ascend-950pr");
}

static void test_every_key_of_a_310b_moves_a_result(void **state)
{
    (void)state;
    check_product("ascend310b1");
}

static void test_every_key_of_a_product_without_a_fixpipe_moves_a_result(void **state)
{
    (void)state;
    check_product("ascend310p3");
    check_product("ascend910a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_of_an_a2_moves_a_result),
        cmocka_unit_test(test_every_key_of_a_950_moves_a_result),
        cmocka_unit_test(test_every_key_of_a_310b_moves_a_result),
        cmocka_unit_test(test_every_key_of_a_product_without_a_fixpipe_moves_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
