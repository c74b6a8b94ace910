/* Rules 10 to 22 as pypto checks them, and R1 and R2 (docs/tiling.md section 1.1). */
#include "model/rule_case.h"

#include "model/saturate.h"

static bool lacks_l1(struct rule_case *c)
{
    if (c->l1 == NULL)
        rule_skip(c, "no tile_l1");
    return c->l1 == NULL;
}

static bool lacks_l0(struct rule_case *c)
{
    if (lacks_l1(c))
        return true;
    if (c->l0 == NULL)
        rule_skip(c, "no tile_l0");
    return c->l0 == NULL;
}

static bool lacks_output(struct rule_case *c)
{
    return lacks_l1(c) || rule_lacks_output(c);
}

void rule_judge_not_in_set(struct rule_case *c)
{
    rule_skip(c, "no rule of this set");
}

void rule_judge_advisory(struct rule_case *c)
{
    if (lacks_l1(c))
        return;
    rule_limit_clause(c, WORD_TILE_HIN, "tileHin", c->l1->hin, c->conv->in[AXIS_H]);
    rule_limit_clause(c, WORD_TILE_WIN, "tileWin", c->l1->win, c->conv->in[AXIS_W]);
    rule_measure_clause(c, &(struct rule_measure){.word = WORD_TILE_BATCH,
                                                  .name = "tileBatch",
                                                  .value = c->l1->batch,
                                                  .low = 1,
                                                  .high = 1,
                                                  .step = 1,
                                                  .exact = true});
}

static bool cin_holds(const struct rule_measure *m)
{
    if (m->multiple_only)
        return m->value % m->step == 0;
    return m->value >= m->low && m->value <= m->high;
}

/* Both tileCin; one clause when they are equal and hold, one sentence when both are broken. */
static void cin_clauses(struct rule_case *c, bool range_only)
{
    struct rule_measure fmap = {.word = WORD_TILE_CIN_FMAP,
                                .name = "tileCinFmap",
                                .value = c->l1->cin_fmap,
                                .low = c->c0,
                                .high = c->cin_aligned,
                                .step = c->c0,
                                .range_only = range_only,
                                .multiple_only = !range_only};
    struct rule_measure weight = fmap;

    weight.word = WORD_TILE_CIN_WEIGHT;
    weight.name = "tileCinWeight";
    weight.value = c->l1->cin_weight;
    if (!cin_holds(&fmap) && !cin_holds(&weight)) {
        fmap.names = "tileCinFmap and tileCinWeight";
        weight.names = "";
    }
    rule_measure_clause(c, &fmap);
    if (weight.value == fmap.value && c->verdict->ok)
        rule_value(c, weight.name, weight.value);
    else
        rule_measure_clause(c, &weight);
}

void rule_judge_cin_range(struct rule_case *c)
{
    if (!lacks_l1(c))
        cin_clauses(c, true);
}

void rule_judge_cin_multiple(struct rule_case *c)
{
    if (!lacks_l1(c))
        cin_clauses(c, false);
}

void rule_judge_n_l1(struct rule_case *c)
{
    if (lacks_l1(c))
        return;
    rule_measure_clause(c, &(struct rule_measure){.word = WORD_TILE_L1_N,
                                                  .name = "tile_l1.tileN",
                                                  .value = c->l1->n,
                                                  .low = 1,
                                                  .high = c->n_aligned,
                                                  .step = FRACTAL_ROWS});
}

void rule_judge_one_row(struct rule_case *c)
{
    if (lacks_output(c))
        return;
    /* A tile of several rows is one run of M positions only where each row is whole fractals. */
    bool whole = c->columns % FRACTAL_ROWS == 0;
    rule_value(c, "Wout", c->columns);
    rule_value(c, "tileHout", c->l1->hout);
    rule_clause(c, whole || c->l1->hout == 1, WORD_TILE_HOUT,
                rule_text(c, "%s, tileHout %s", rule_rest_text(c, c->columns, FRACTAL_ROWS),
                          rule_number(c, c->l1->hout)),
                "Wout is no multiple of 16, so tileHout must be 1", "tileHout 1");
}

void rule_judge_out_range(struct rule_case *c)
{
    if (lacks_output(c))
        return;
    rule_limit_clause(c, WORD_TILE_HOUT, "tileHout", c->l1->hout, c->rows);
    rule_measure_clause(c, &(struct rule_measure){.word = WORD_TILE_WOUT,
                                                  .name = "tileWout",
                                                  .value = c->l1->wout,
                                                  .low = 1,
                                                  .high = c->columns_aligned,
                                                  .step = FRACTAL_ROWS});
}

void rule_judge_k_multiple(struct rule_case *c)
{
    if (!lacks_l0(c))
        rule_k_multiple_clause(c, WORD_TILE_K, "tileK", c->l0->k);
}

void rule_judge_l0_range(struct rule_case *c)
{
    if (lacks_l0(c))
        return;
    rule_limit_clause(c, WORD_TILE_H, "tileH", c->l0->h, c->l1->hout);
    rule_measure_clause(c, &(struct rule_measure){.word = WORD_TILE_W,
                                                  .name = "tileW",
                                                  .value = c->l0->w,
                                                  .low = 1,
                                                  .high = c->l1->wout,
                                                  .step = FRACTAL_ROWS,
                                                  .range_only = true});
    rule_k_range_clause(c, WORD_TILE_K, "tileK", c->set == RULES_DOCUMENT ? c->c0 : 1, c->l0->k);
}

void rule_judge_l0_multiple(struct rule_case *c)
{
    if (lacks_l0(c))
        return;
    rule_measure_clause(c, &(struct rule_measure){.word = WORD_TILE_L0_N,
                                                  .name = "tile_l0.tileN",
                                                  .value = c->l0->n,
                                                  .low = 1,
                                                  .high = saturate_align_up(c->l1->n, FRACTAL_ROWS),
                                                  .step = FRACTAL_ROWS,
                                                  .multiple_only = true});
    rule_measure_clause(c, &(struct rule_measure){.word = WORD_TILE_W,
                                                  .name = "tileW",
                                                  .value = c->l0->w,
                                                  .low = 1,
                                                  .high = c->l1->wout,
                                                  .step = FRACTAL_ROWS,
                                                  .multiple_only = true});
}

void rule_judge_n_l0(struct rule_case *c)
{
    if (lacks_l0(c))
        return;
    uint64_t high = c->l1->n;
    if (c->set != RULES_DOCUMENT)
        high = saturate_align_up(high, FRACTAL_ROWS);
    rule_measure_clause(c, &(struct rule_measure){.word = WORD_TILE_L0_N,
                                                  .name = "tile_l0.tileN",
                                                  .value = c->l0->n,
                                                  .low = 1,
                                                  .high = high,
                                                  .step = FRACTAL_ROWS,
                                                  .range_only = true});
}

void rule_judge_k_divides(struct rule_case *c)
{
    if (!lacks_l0(c))
        rule_k_divides_clause(c, WORD_TILE_K, "tileK", c->l0->k);
}

void rule_judge_rows_divide(struct rule_case *c)
{
    if (lacks_l0(c))
        return;
    uint64_t step = c->l0->h;
    rule_value(c, "tileHout", c->l1->hout);
    rule_value(c, "tileH", step);
    uint64_t nearest = saturate_min(saturate_min(step, c->l1->hout), RULE_DIMENSION_MAX);
    while (nearest > 1 && c->l1->hout % nearest != 0)
        nearest--;
    rule_clause(c, rule_divides(step, c->l1->hout), WORD_TILE_H,
                rule_rest_text(c, c->l1->hout, step), "tileH divides tileHout",
                rule_text(c, "tileH %s", rule_number(c, nearest)));
}

void rule_judge_columns_divide(struct rule_case *c)
{
    if (lacks_l0(c))
        return;
    uint64_t step = c->l0->w;
    rule_value(c, "tileWout", c->l1->wout);
    rule_value(c, "tileW", step);
    uint64_t nearest = saturate_align_down(
        saturate_min(saturate_min(step, c->l1->wout), RULE_DIMENSION_MAX), FRACTAL_ROWS);
    while (nearest > FRACTAL_ROWS && c->l1->wout % nearest != 0)
        nearest -= FRACTAL_ROWS;
    rule_clause(c, rule_divides(step, c->l1->wout), WORD_TILE_W,
                rule_rest_text(c, c->l1->wout, step), "tileW divides tileWout",
                nearest == 0 ? "" : rule_text(c, "tileW %s", rule_number(c, nearest)));
}
