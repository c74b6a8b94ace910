/*
 * Goal: the nearest value that a broken rule prints makes this rule hold.
 * Method: seeded random convolutions and tiles, most of them broken; each printed nearest is read,
 * written into a copy of the plan, and its rule judged again; SEED= reproduces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/rule_case.h"
#include "model/tile_rules.h"
#include "model/tile_space.h"
#include "tests/support/splitmix.h"

enum { ROUNDS = 4000, TEXT_BYTES = 512 };

static uint64_t between(uint64_t *random, uint64_t low, uint64_t high)
{
    return splitmix_range(random, low, high);
}

static bool chance(uint64_t *random, uint64_t percent)
{
    return splitmix_next(random) % 100 < percent;
}

static void conv_random(uint64_t *random, struct conv *conv)
{
    static const enum element types[] = {ELEMENT_FP16, ELEMENT_FP32, ELEMENT_INT8};
    uint32_t rank = (uint32_t)between(random, 1, 3);
    enum element type = types[between(random, 0, 2)];

    *conv = (struct conv){
        .rank = rank,
        .batch = between(random, 1, 3),
        .groups = between(random, 1, chance(random, 70) ? 4 : 70000),
        .cin_group = between(random, 1, 80),
        .in = {1, 1, 1},
        .kernel = {1, 1, 1},
        .stride = {1, 1, 1},
        .dilation = {1, 1, 1},
        .dtype = type,
        .out_dtype = chance(random, 90) ? type : ELEMENT_INT32,
        .bias = chance(random, 50),
        .input_format = FORMAT_NC1HWC0,
        .weight_format = chance(random, 50) ? FORMAT_FRACTAL_Z : FORMAT_NCHW,
        .stride_length = rank,
        .padding_length = 2U * rank + chance(random, 3),
        .dilation_length = rank,
    };
    conv->cin = chance(random, 70) ? conv->cin_group * conv->groups : between(random, 1, 200);
    conv->cin = chance(random, 20) ? conv->cin_group * between(random, 1, 6) : conv->cin;
    conv->cout = between(random, 1, chance(random, 99) ? 200 : 2000000);
    conv->bias_length = chance(random, 95) ? conv->cout : conv->cout + 1;
    for (enum axis axis = (enum axis)(AXIS_COUNT - rank); axis < AXIS_COUNT; axis++) {
        conv->in[axis] = between(random, 1, chance(random, 90) ? 70 : 1100000);
        conv->kernel[axis] = between(random, 1, chance(random, 90) ? 5 : 300);
        conv->stride[axis] = between(random, 1, chance(random, 90) ? 4 : 70);
        conv->dilation[axis] = between(random, 1, chance(random, 90) ? 3 : 70);
        conv->pad_head[axis] = between(random, 0, conv->kernel[axis]);
        conv->pad_tail[axis] = between(random, 0, conv->kernel[axis]);
    }
    conv_derive(conv);
}

/* Something in 1 .. most, often a whole number of steps, at times beyond. */
static uint64_t size_random(uint64_t *random, uint64_t most, uint64_t step)
{
    most = most > 0 ? most : 1;
    if (chance(random, 20))
        return between(random, 1, 2 * most + 2);
    return step * between(random, 1, most / step > 0 ? most / step : 1);
}

static void tiles_random(uint64_t *random, struct plan *plan)
{
    const struct conv *conv = &plan->conv;
    uint64_t c0 = element_c0(conv->dtype);
    uint64_t rows = conv->out[AXIS_H] > 0 ? (uint64_t)conv->out[AXIS_H] : 1;
    uint64_t columns = conv->out[AXIS_W] > 0 ? (uint64_t)conv->out[AXIS_W] : 1;
    uint64_t channels = align_up(conv->cin_group, c0);
    uint64_t area = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];

    plan->form = TILE_PYPTO;
    plan->has_l0 = true;
    plan->l1 = (struct tile_l1){
        .hin = size_random(random, conv->in[AXIS_H], 1),
        .hout = chance(random, 50) ? 1 : size_random(random, rows, 1),
        .win = size_random(random, conv->in[AXIS_W], 1),
        .wout = size_random(random, align_up(columns, 16), 16),
        .cin_fmap = size_random(random, channels, c0),
        .cin_weight = size_random(random, channels, c0),
        .n = size_random(random, align_up(conv->cout / conv->groups, 16), 16),
        .batch = between(random, 1, 10) == 1 ? 2 : 1,
    };
    if (chance(random, 60))
        plan->l1.cin_weight = plan->l1.cin_fmap;
    plan->l0 = (struct tile_l0){
        .h = size_random(random, plan->l1.hout, 1),
        .w = size_random(random, plan->l1.wout, 16),
        .k = size_random(random, plan->l1.cin_fmap * area, c0),
        .n = size_random(random, plan->l1.n, 16),
    };
    if (chance(random, 25)) {
        tile_vendor_from_pypto(conv, &plan->l1, &plan->l0, &plan->vendor);
        plan->form = TILE_VENDOR;
    }
}

/* The number of a plan that a word of a message names; NULL: the word is none. */
static uint64_t *plan_number(struct plan *plan, const char *word)
{
    struct conv *conv = &plan->conv;
    const struct {
        const char *word;
        uint64_t *number;
    } rows[] = {
        {"N", &conv->batch},
        {"Cin", &conv->cin},
        {"Cout", &conv->cout},
        {"Cin of the weight", &conv->cin_group},
        {"groups", &conv->groups},
        {"D", &conv->in[AXIS_D]},
        {"H", &conv->in[AXIS_H]},
        {"W", &conv->in[AXIS_W]},
        {"Kd", &conv->kernel[AXIS_D]},
        {"Kh", &conv->kernel[AXIS_H]},
        {"Kw", &conv->kernel[AXIS_W]},
        {"tileHin", &plan->l1.hin},
        {"tileHout", &plan->l1.hout},
        {"tileWin", &plan->l1.win},
        {"tileWout", &plan->l1.wout},
        {"tileCinFmap", &plan->l1.cin_fmap},
        {"tileCinWeight", &plan->l1.cin_weight},
        {"tile_l1.tileN", &plan->l1.n},
        {"tileBatch", &plan->l1.batch},
        {"tileH", &plan->l0.h},
        {"tileW", &plan->l0.w},
        {"tileK", &plan->l0.k},
        {"tile_l0.tileN", &plan->l0.n},
        {"hoL1", &plan->vendor.ho_l1},
        {"woL1", &plan->vendor.wo_l1},
        {"nBL1", &plan->vendor.n_bl1},
        {"kAL1", &plan->vendor.k_al1},
        {"kBL1", &plan->vendor.k_bl1},
        {"hoL0", &plan->vendor.ho_l0},
        {"woL0", &plan->vendor.wo_l0},
        {"kL0", &plan->vendor.k_l0},
        {"nL0", &plan->vendor.n_l0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].word, word) == 0)
            return rows[i].number;
    return NULL;
}

/* Words that stand for all axes: what is out of range goes to the value. */
static bool axes_change(struct conv *conv, const char *word, uint64_t value)
{
    uint64_t *lists[] = {NULL, NULL};

    if (strcmp(word, "stride") == 0)
        lists[0] = conv->stride;
    else if (strcmp(word, "dilation") == 0)
        lists[0] = conv->dilation;
    else if (strcmp(word, "padding") == 0)
        lists[0] = conv->pad_head, lists[1] = conv->pad_tail;
    for (size_t i = 0; i < 2 && lists[i] != NULL; i++)
        for (enum axis axis = AXIS_D; axis < AXIS_COUNT; axis++)
            if (lists[i][axis] > value)
                lists[i][axis] = value;
    return lists[0] != NULL;
}

static bool padding_change(struct conv *conv, const char *part)
{
    static const char letters[] = "DHW";
    unsigned long long value = 0;
    char letter = '\0';

    if (sscanf(part, "padding %llu along %c", &value, &letter) != 2)
        return false;
    enum axis axis = (enum axis)(strchr(letters, letter) - letters);
    conv->pad_head[axis] = conv->pad_head[axis] > value ? value : conv->pad_head[axis];
    conv->pad_tail[axis] = conv->pad_tail[axis] > value ? value : conv->pad_tail[axis];
    return true;
}

/* Writes "WORD VALUE" or "WORD VALUE or VALUE" into the plan; false: it is no word of a plan. */
static bool part_apply(struct plan *plan, char *part, bool second)
{
    char *note = strstr(part, " (");
    char *other = strstr(part, " or ");

    if (padding_change(&plan->conv, part))
        return true;
    if (note != NULL)
        *note = '\0';
    if (other != NULL)
        *other = '\0';
    char *blank = strrchr(part, ' ');
    if (blank == NULL)
        return false;
    *blank = '\0';
    uint64_t value = strtoull(second && other != NULL ? other + 4 : blank + 1, NULL, 10);
    uint64_t *number = plan_number(plan, part);
    if (number != NULL)
        *number = value;
    return number != NULL || axes_change(&plan->conv, part, value);
}

/* Copies text without the commas inside of numbers. */
static void text_ungroup(const char *text, char *out)
{
    assert_true(strlen(text) < TEXT_BYTES);
    for (; *text != '\0'; text++)
        if (*text != ',' || text[1] < '0' || text[1] > '9')
            *out++ = *text;
    *out = '\0';
}

/* Writes all parts into the plan; false: one of them is no word of a plan. */
static bool nearest_apply(struct plan *plan, const char *nearest, bool second)
{
    char text[TEXT_BYTES];

    text_ungroup(nearest, text);
    for (char *part = text; part != NULL;) {
        char *next = strstr(part, ", ");
        if (next != NULL) {
            *next = '\0';
            next += 2;
        }
        if (!part_apply(plan, part, second))
            return false;
        part = next;
    }
    conv_derive(&plan->conv);
    return true;
}

/* The verdict of the same rule after the change. */
static void nearest_check(const struct plan *plan, enum rule_set set,
                          const struct rule_verdict *broken, bool second, uint64_t *checked)
{
    static struct rule_report report;
    struct plan changed = *plan;
    struct arena arena;

    if (!nearest_apply(&changed, broken->nearest, second))
        return;
    arena_init(&arena, 0);
    assert_int_equal(rules_check(&changed, set, &arena, &report), STATUS_OK);
    for (uint32_t i = 0; i < report.count; i++)
        if (strcmp(report.verdicts[i].id, broken->id) == 0 && !report.verdicts[i].ok)
            fail_msg("rule %s, set %s, '%s': nearest '%s' gives '%s', nearest '%s'", broken->id,
                     rule_set_word(set), broken->numbers, broken->nearest,
                     report.verdicts[i].numbers, report.verdicts[i].nearest);
    (*checked)++;
    arena_deinit(&arena);
}

static size_t parts_count(const char *text)
{
    size_t count = 1;

    for (const char *at = strstr(text, ", "); at != NULL; at = strstr(at + 2, ", "))
        count++;
    return count;
}

/* Under a broken L1 tile, or with fewer channels than C0, there may be no legal value for one of
 * two words, and then only the other one is named. */
static bool names_a_part(const struct rule_verdict *verdict)
{
    static const char *const ids[] = {"11", "17", "18"};
    bool may = false;

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        may = may || strcmp(verdict->id, ids[i]) == 0;
    return may && parts_count(verdict->nearest) < parts_count(verdict->numbers);
}

static void a_printed_nearest_makes_its_rule_hold(void **state)
{
    static struct rule_report report;
    uint64_t random = splitmix_seed();
    struct arena memory;
    struct diag diag;
    struct product product;
    uint64_t checked[23] = {0};

    (void)state;
    print_message("SEED=%llu\n", (unsigned long long)random);
    arena_init(&memory, 0);
    diag_init(&diag);
    assert_int_equal(product_load("ascend910b1", place_none(), &memory, &diag, &product),
                     STATUS_OK);
    for (int round = 0; round < ROUNDS; round++) {
        struct plan plan = {.product = &product};
        enum rule_set set = (enum rule_set)between(&random, RULES_PYPTO, RULES_STRICT);
        struct arena arena;
        conv_random(&random, &plan.conv);
        tiles_random(&random, &plan);
        arena_init(&arena, 0);
        assert_int_equal(rules_check(&plan, set, &arena, &report), STATUS_OK);
        for (uint32_t i = 0; i < report.count; i++) {
            const struct rule_verdict *verdict = &report.verdicts[i];
            if (verdict->ok || verdict->nearest[0] == '\0' || verdict->id[0] == 'R' ||
                names_a_part(verdict))
                continue;
            uint64_t *count = &checked[strtoull(verdict->id, NULL, 10)];
            nearest_check(&plan, set, verdict, false, count);
            nearest_check(&plan, set, verdict, true, count);
        }
        arena_deinit(&arena);
    }
    /* Rules 1, 3 and 5 name no number of a plan. */
    for (size_t rule = 2; rule <= 22; rule++)
        if (rule != 3 && rule != 5 && checked[rule] == 0)
            fail_msg("no round checks rule %zu", rule);
    diag_deinit(&diag);
    arena_deinit(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_printed_nearest_makes_its_rule_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
