/*
 * Plans with tiles for the tests of the tile rules: from text, and from the case table.
 */
#ifndef CUBESIM_TESTS_UNIT_TILE_FIXTURE_H
#define CUBESIM_TESTS_UNIT_TILE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/derive.h"
#include "model/plan.h"
#include "model/tile_rules.h"

#define A2_PRODUCT  "ascend910b1"
#define PRO_PRODUCT "ascend950pr_9589"

struct tile_bench {
    struct arena arena;
    struct diag diag;
    struct product product;
    struct plan plan;
    struct rule_report report;
};

static inline void bench_init(struct tile_bench *bench, const char *product)
{
    memset(bench, 0, sizeof *bench);
    arena_init(&bench->arena, 0);
    diag_init(&bench->diag);
    assert_int_equal(
        product_load(product, place_none(), &bench->arena, &bench->diag, &bench->product),
        STATUS_OK);
    bench->plan.product = &bench->product;
}

static inline void bench_deinit(struct tile_bench *bench)
{
    diag_deinit(&bench->diag);
    arena_deinit(&bench->arena);
}

static inline void bench_set(struct tile_bench *bench, const char *assignment)
{
    assert_int_equal(product_set(&bench->product, assignment, &bench->arena, &bench->diag),
                     STATUS_OK);
}

/* A 2-D convolution with equal stride, padding and dilation of 1 along both axes. */
static inline struct conv bench_conv(uint64_t cin, uint64_t height, uint64_t width, uint64_t cout,
                                     uint64_t kernel, uint64_t pad)
{
    struct conv conv = {.rank = 2,
                        .batch = 1,
                        .cin = cin,
                        .cout = cout,
                        .cin_group = cin,
                        .groups = 1,
                        .in = {1, height, width},
                        .kernel = {1, kernel, kernel},
                        .stride = {1, 1, 1},
                        .dilation = {1, 1, 1},
                        .pad_head = {0, pad, pad},
                        .pad_tail = {0, pad, pad},
                        .dtype = ELEMENT_FP16,
                        .out_dtype = ELEMENT_FP16,
                        .bias_length = cout,
                        .input_format = FORMAT_NC1HWC0,
                        .weight_format = FORMAT_FRACTAL_Z,
                        .stride_length = 2,
                        .padding_length = 4,
                        .dilation_length = 2};

    conv_derive(&conv);
    return conv;
}

static inline void bench_parse(struct tile_bench *bench, const char *text)
{
    memset(bench, 0, sizeof *bench);
    arena_init(&bench->arena, 0);
    diag_init(&bench->diag);
    enum status status = plan_parse("wide.yaml", text, NULL, &bench->arena, &bench->diag,
                                    &bench->product, &bench->plan);
    if (status != STATUS_OK)
        fail_msg("%s", diag_text(&bench->diag, 0));
}

static inline void bench_check(struct tile_bench *bench, enum rule_set set)
{
    assert_int_equal(rules_check(&bench->plan, set, &bench->arena, &bench->report), STATUS_OK);
}

static inline const struct rule_verdict *bench_verdict(const struct tile_bench *bench,
                                                       const char *id)
{
    for (uint32_t i = 0; i < bench->report.count; i++)
        if (strcmp(bench->report.verdicts[i].id, id) == 0)
            return &bench->report.verdicts[i];
    fail_msg("no rule %s", id);
    return NULL;
}

/* The first broken rule among those that decide, "" when there is none. */
static inline const char *bench_first_broken(const struct tile_bench *bench)
{
    for (uint32_t i = 0; i < bench->report.count; i++)
        if (!bench->report.verdicts[i].ok && bench->report.verdicts[i].decides)
            return bench->report.verdicts[i].id;
    return "";
}

static inline void assert_broken(const struct tile_bench *bench, const char *id,
                                 const char *message, const char *numbers, const char *nearest)
{
    const struct rule_verdict *verdict = bench_verdict(bench, id);

    assert_false(verdict->ok);
    assert_string_equal(verdict->message, message);
    assert_string_equal(verdict->numbers, numbers);
    assert_string_equal(verdict->nearest, nearest);
}

/* A plan whose tiles are the whole of a 1 x 1 convolution over 16 x 16. */
static inline void pointwise(struct tile_bench *bench, uint64_t channels, uint64_t tile_k)
{
    bench_init(bench, A2_PRODUCT);
    bench->plan.conv = bench_conv(channels, 16, 16, 16, 1, 0);
    bench->plan.form = TILE_PYPTO;
    bench->plan.has_l0 = true;
    bench->plan.l1 = (struct tile_l1){16, 16, 16, 16, channels, channels, 16, 1};
    bench->plan.l0 = (struct tile_l0){16, 16, tile_k, 16};
}

/* The cases of tests/data/conv_tile_cases.csv. */
enum { CASE_COLUMN_MAX = 64, CASE_LINE_MAX = 2048 };

struct tile_case {
    char line[CASE_LINE_MAX];
    const char *field[CASE_COLUMN_MAX];
    size_t count;
};

struct case_table {
    FILE *file;
    struct tile_case header, row;
};

static inline bool case_read(FILE *file, struct tile_case *row)
{
    if (fgets(row->line, sizeof row->line, file) == NULL)
        return false;
    char *write = row->line;
    const char *read = row->line;
    bool quoted = false;
    row->count = 0;
    row->field[row->count++] = write;
    for (; *read != '\0' && *read != '\n' && *read != '\r'; read++) {
        if (*read == '"') {
            quoted = !quoted;
        } else if (*read == ',' && !quoted) {
            *write++ = '\0';
            row->field[row->count++] = write;
        } else {
            *write++ = *read;
        }
    }
    *write = '\0';
    return true;
}

static inline void cases_open(struct case_table *table)
{
    table->file = fopen("tests/data/conv_tile_cases.csv", "r");
    assert_non_null(table->file);
    assert_true(case_read(table->file, &table->header));
}

static inline bool cases_next(struct case_table *table)
{
    return case_read(table->file, &table->row);
}

static inline const char *case_text(const struct case_table *table, const char *column)
{
    for (size_t i = 0; i < table->header.count; i++)
        if (strcmp(table->header.field[i], column) == 0)
            return table->row.field[i];
    fail_msg("no column %s", column);
    return "";
}

static inline uint64_t case_number(const struct case_table *table, const char *column)
{
    return strtoull(case_text(table, column), NULL, 10);
}

static inline void case_numbers(const struct case_table *table, const char *column,
                                uint64_t *values, size_t count)
{
    char *at = NULL;
    const char *text = case_text(table, column);

    for (size_t i = 0; i < count; i++, text = at)
        values[i] = strtoull(text, &at, 10);
}

static inline void case_conv(const struct case_table *table, struct conv *conv)
{
    uint64_t pads[2 * AXIS_COUNT];
    uint32_t rank = (uint32_t)case_number(table, "nd");

    *conv = (struct conv){
        .rank = rank,
        .batch = case_number(table, "N"),
        .cin = case_number(table, "Cin"),
        .cout = case_number(table, "Cout"),
        .cin_group = case_number(table, "CinPerGroup"),
        .groups = case_number(table, "groups"),
        .in = {case_number(table, "D"), case_number(table, "H"), case_number(table, "W")},
        .kernel = {case_number(table, "Kd"), case_number(table, "Kh"), case_number(table, "Kw")},
        .dtype = element_find(case_text(table, "dtype")),
        .out_dtype = element_find(case_text(table, "dtype")),
        .bias = case_number(table, "bias") != 0,
        .bias_length = case_number(table, "Cout"),
        .input_format = FORMAT_NC1HWC0,
        .weight_format = FORMAT_FRACTAL_Z,
        .stride_length = rank,
        .padding_length = 2U * rank,
        .dilation_length = rank,
    };
    case_numbers(table, "stride_dhw", conv->stride, AXIS_COUNT);
    case_numbers(table, "dilation_dhw", conv->dilation, AXIS_COUNT);
    case_numbers(table, "pad_d0d1_h0h1_w0w1", pads, 2 * AXIS_COUNT);
    for (size_t axis = 0; axis < AXIS_COUNT; axis++) {
        conv->pad_head[axis] = pads[2 * axis];
        conv->pad_tail[axis] = pads[2 * axis + 1];
    }
    conv_derive(conv);
}

static inline void case_plan(const struct case_table *table, struct plan *plan)
{
    case_conv(table, &plan->conv);
    plan->form = case_text(table, "L1_tileHin")[0] == '\0' ? TILE_NONE : TILE_PYPTO;
    plan->has_l0 = case_text(table, "L0_tileH")[0] != '\0';
    plan->l1 = (struct tile_l1){
        .hin = case_number(table, "L1_tileHin"),
        .hout = case_number(table, "L1_tileHout"),
        .win = case_number(table, "L1_tileWin"),
        .wout = case_number(table, "L1_tileWout"),
        .cin_fmap = case_number(table, "L1_tileCinFmap"),
        .cin_weight = case_number(table, "L1_tileCinWeight"),
        .n = case_number(table, "L1_tileN"),
        .batch = case_number(table, "L1_tileBatch"),
    };
    plan->l0 = (struct tile_l0){
        .h = case_number(table, "L0_tileH"),
        .w = case_number(table, "L0_tileW"),
        .k = case_number(table, "L0_tileK"),
        .n = case_number(table, "L0_tileN"),
    };
}

#endif
