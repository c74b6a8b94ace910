/*
 * Goal: every legal plan of a matrix product computes the same matrix, bit for bit, and keeps the
 * books, on every product that has a way for it.
 * Method: seeded random products with tails in m, n and k, and for each of them random tiles,
 * depths, slices, core splits, orders, residencies, policies and store policies. The data are
 * rough, so a sum in another order than the documented one would show. Every completed plan is read
 * back from its JSON and must be the same plan, and every derived tile legal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/run_check.h"
#include "tests/support/splitmix.h"
#include "tests/support/text.h"

enum { PROBLEMS = 60, PLANS = 12 };

static uint64_t pick(uint64_t *random, uint64_t low, uint64_t high)
{
    return splitmix_range(random, low, high);
}

static const char *word(uint64_t *random, const char *const *words, uint64_t count)
{
    return words[pick(random, 0, count - 1)];
}

enum { ON_A2 = 1, ON_950 = 2, ON_310B = 4, ON_310P = 8, ON_910A = 16 };
enum { ON_FIXPIPE = ON_A2 | ON_950 | ON_310B, ON_ALL = ON_FIXPIPE | ON_310P | ON_910A };

static const struct product_kind {
    const char *name;
    unsigned bit;
    bool bias;
    uint64_t cores;
} products[] = {
    {"atlas-a2", ON_A2, true, 12},      {"ascend-950pr", ON_950, true, 12},
    {"ascend310b1", ON_310B, false, 1}, {"atlas-a3", ON_A2, true, 12},
    {"ascend310p3", ON_310P, true, 8},  {"ascend910a", ON_910A, false, 12},
};

static const struct type_kind {
    const char *dtype, *out, *quant; /* quant: a scale, "" for none */
    uint64_t c0;
    unsigned on;
} types[] = {
    {"fp16", "fp16", "", 16, ON_ALL},        {"fp16", "fp32", "", 16, ON_ALL},
    {"bf16", "bf16", "", 16, ON_FIXPIPE},    {"bf16", "fp32", "", 16, ON_FIXPIPE},
    {"fp32", "fp32", "", 8, ON_FIXPIPE},     {"int8", "int32", "", 32, ON_ALL},
    {"int8", "int8", "0.0371", 32, ON_ALL},  {"int8", "fp16", "0.003", 32, ON_ALL},
    {"fp16", "int8", "1.7", 16, ON_FIXPIPE}, {"fp8_e4m3", "bf16", "", 32, ON_950},
    {"hif8", "fp32", "", 32, ON_950},
};

struct matmul {
    const struct product_kind *on;
    const struct type_kind *type;
    uint64_t m, n, k;
    const char *a, *b, *c; /* layouts */
    bool bias, relu, hf32;
};

/* The layouts that a product takes; B in rows of n by types of 16 bits only on A2 and A3. */
static void matmul_layouts(struct matmul *of, uint64_t *random)
{
    static const char *const plain[] = {"nd", "nz"}, *const every[] = {"nd", "nz", "dn"};
    static const char *const turned[] = {"dn", "nz"};
    unsigned on = of->on->bit;
    of->a = of->b = of->c = "nz";
    if (on == ON_950) {
        of->a = word(random, every, 3);
        of->b = word(random, every, 3);
    } else if (on == ON_A2) {
        of->a = word(random, plain, 2);
        of->b = of->type->c0 == 16 ? word(random, every, 3) : word(random, turned, 2);
    }
    if ((on & ON_FIXPIPE) != 0)
        of->c = word(random, plain, 2);
    if (strcmp(of->c, "nz") == 0 && strcmp(of->b, "nz") != 0)
        of->n = (of->n + 15) / 16 * 16;
}

static void matmul_make(struct matmul *of, uint64_t *random)
{
    uint64_t type = pick(random, 0, sizeof types / sizeof types[0] - 1);
    of->on = &products[pick(random, 0, sizeof products / sizeof products[0] - 1)];
    while ((types[type].on & of->on->bit) == 0)
        type = pick(random, 0, sizeof types / sizeof types[0] - 1);
    of->type = &types[type];
    of->m = pick(random, 0, 4) == 0 ? 1 : pick(random, 1, 150);
    of->n = pick(random, 0, 4) == 0 ? 1 : pick(random, 1, 150);
    of->k = pick(random, 1, 200);
    of->bias = of->on->bias && pick(random, 0, 1) == 0;
    of->relu = pick(random, 0, 2) == 0;
    of->hf32 = of->type->c0 == 8 && pick(random, 0, 1) == 0;
    matmul_layouts(of, random);
}

static void matmul_text(const struct matmul *of, struct text *text)
{
    text_add(text, "matmul:\n  m: %llu\n  n: %llu\n  k: %llu\n  dtype: %s\n  out_dtype: %s\n",
             (unsigned long long)of->m, (unsigned long long)of->n, (unsigned long long)of->k,
             of->type->dtype, of->type->out);
    text_add(text, "  bias: %s\n  relu: %s\n  hf32: %s\n", of->bias ? "true" : "false",
             of->relu ? "true" : "false", of->hf32 ? "true" : "false");
    if (of->type->quant[0] != '\0')
        text_add(text, "  quant: {scale: %s}\n", of->type->quant);
    text_add(text, "  a_layout: %s\n  b_layout: %s\n  c_layout: %s\n", of->a, of->b, of->c);
}

static uint64_t blocks(uint64_t size, uint64_t step)
{
    return (size + step - 1) / step;
}

/* Base blocks that count in steps, and how many of them an L1 tile has. */
struct side {
    uint64_t base, step, tiles; /* tiles: of L1 */
};

static struct side side_make(uint64_t *random, uint64_t size, uint64_t step, uint64_t most)
{
    struct side side;
    uint64_t high = blocks(size, step) < most ? blocks(size, step) : most;
    side.base = step * pick(random, 1, high);
    side.step = pick(random, 1, blocks(size, side.base) < 3 ? blocks(size, side.base) : 3);
    side.tiles = blocks(size, side.base * side.step);
    return side;
}

static void add_split(const struct matmul *of, uint64_t *random, uint64_t m, uint64_t n,
                      struct text *text)
{
    uint64_t cores = of->on->cores;
    uint64_t kind = pick(random, 0, 2);
    if (kind == 0) {
        text_add(text, "  cores: %llu\n", (unsigned long long)pick(random, 1, cores));
    } else if (kind == 1) {
        uint64_t most = m * n < cores ? m * n : cores;
        text_add(text, "  core_split: {mn: %llu}\n", (unsigned long long)pick(random, 1, most));
    } else {
        uint64_t ways = pick(random, 1, m < cores ? m : cores), left = cores / ways;
        text_add(text, "  core_split: {m: %llu, n: %llu}\n", (unsigned long long)ways,
                 (unsigned long long)pick(random, 1, n < left ? n : left));
    }
}

/* What the L1 tile, the depths, the slices and the split have to do with each other is kept;
 * whether all of it has room is left to the rules. */
static void plan_text_add(const struct matmul *of, uint64_t *random, struct text *text)
{
    static const char *const residencies[] = {"reload", "keep", "prefetch"};
    static const char *const stores[] = {"row", "tile"}, *const policies[] = {"pypto", "vendor"};
    static const char *const orders[] = {"m_first", "n_first"};
    struct side m = side_make(random, of->m, 16, 6), n = side_make(random, of->n, 16, 6);
    struct side ka = side_make(random, of->k, of->type->c0, 6);
    uint64_t kb = pick(random, 1, blocks(of->k, ka.base) < 3 ? blocks(of->k, ka.base) : 3);
    uint64_t l2_m = pick(random, 1, m.tiles), l2_n = pick(random, 1, n.tiles);
    text_add(
        text,
        "tile: {baseM: %llu, baseN: %llu, baseK: %llu, stepM: %llu, stepN: %llu, stepKa: %llu, "
        "stepKb: %llu, l2_m: %llu, l2_n: %llu",
        (unsigned long long)m.base, (unsigned long long)n.base, (unsigned long long)ka.base,
        (unsigned long long)m.step, (unsigned long long)n.step, (unsigned long long)ka.step,
        (unsigned long long)kb, (unsigned long long)l2_m, (unsigned long long)l2_n);
    if (pick(random, 0, 1) == 0)
        text_add(text, ", depthA1: %llu",
                 (unsigned long long)(m.step * ka.step * pick(random, 1, 2)));
    if (pick(random, 0, 1) == 0)
        text_add(text, ", depthB1: %llu", (unsigned long long)(n.step * kb * pick(random, 1, 2)));
    text_add(text, "}\nschedule:\n  residency: %s\n  fixpipe: %s\n  policy: %s\n  order: %s\n",
             word(random, residencies, 3), word(random, stores, 2), word(random, policies, 2),
             word(random, orders, 2));
    text_add(text, "  handover: %s\n", pick(random, 0, 1) == 0 ? "step" : "operand");
    /* Planes of 8 columns leave without unit flags. */
    bool flags = (of->on->bit & ON_FIXPIPE) != 0 &&
                 !(strcmp(of->c, "nz") == 0 && strcmp(of->type->out, "fp32") == 0);
    text_add(text, "  unit_flag: %s\n", flags && pick(random, 0, 2) == 0 ? "true" : "false");
    static const char *const buffers[] = {"l0a", "l0b", "l0c"};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (pick(random, 0, 1) == 0)
            text_add(text, "  %s_buffers: %llu\n", buffers[i],
                     (unsigned long long)pick(random, 1, 2));
    add_split(of, random, blocks(m.tiles, l2_m), blocks(n.tiles, l2_n), text);
}

static void check_read_back(struct run_case *c)
{
    const char *json = plan_json(&c->plan, &c->arena);
    assert_non_null(json);
    struct run_case *again = run_case_open("read back");
    if (run_case_load(again, json, NULL) != STATUS_OK)
        fail_msg("%s: %s\n%s", c->name,
                 again->diag.count > 0 ? diag_text(&again->diag, 0) : "a rule is broken", json);
    assert_string_equal(plan_json(&again->plan, &again->arena), json);
    run_case_close(again);
}

/* Loads and runs one plan; false when a rule or a buffer refuses it. */
static bool plan_run(const struct matmul *of, const struct text *text, uint64_t seed,
                     const char *name)
{
    struct run_case *c = run_case_open(name);
    c->rough = true;
    enum status status = run_case_load(c, text->bytes, of->on->name);
    if (status != STATUS_OK && status != STATUS_BROKEN)
        fail_msg("%s: %s\n%s", name,
                 c->diag.count > 0 ? diag_text(&c->diag, 0) : status_sentence(status), text->bytes);
    if (status == STATUS_OK) {
        check_read_back(c);
        run_case_go(c, seed, true);
    }
    run_case_close(c);
    return status == STATUS_OK;
}

static void test_every_legal_plan_of_a_matrix_product_gives_the_same_matrix(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed();
    uint32_t runs = 0;
    for (uint32_t i = 0; i < PROBLEMS; i++) {
        struct matmul of;
        matmul_make(&of, &random);
        struct text base = {.length = 0};
        matmul_text(&of, &base);
        for (uint32_t plan = 0; plan < PLANS; plan++) {
            struct text text = base;
            char name[64];
            snprintf(name, sizeof name, "product %u plan %u on %s", i, plan, of.on->name);
            if (plan > 0)
                plan_text_add(&of, &random, &text);
            bool ran = plan_run(&of, &text, i + 1, name);
            assert_true(ran || plan > 0); /* without a tile one is derived */
            runs += ran;
        }
    }
    print_message("%u plans ran\n", runs);
    assert_true(runs > PROBLEMS * PLANS / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_legal_plan_of_a_matrix_product_gives_the_same_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
