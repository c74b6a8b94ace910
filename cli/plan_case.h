/*
 * What check, lower and run do first: read a plan, judge it, complete it.
 */
#ifndef CUBESIM_CLI_PLAN_CASE_H
#define CUBESIM_CLI_PLAN_CASE_H

#include <stdbool.h>

#include "cli/options.h"
#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/plan.h"
#include "model/product.h"
#include "model/tile_rules.h"

struct plan_case {
    struct arena arena;
    struct diag diag;
    struct product product;
    struct plan plan;          /* as written until plan_case_resolve */
    struct rule_report report; /* of the plan as written */
};

/* The options of the command keep pointers into the arena, so a case outlives them. */
void plan_case_init(struct plan_case *c);
void plan_case_deinit(struct plan_case *c);

/* Reads the plan and its product. Problems go to the diag of the case. */
enum status plan_case_load(struct plan_case *c, const struct plan_options *options) MUST_CHECK;

/* Judges the plan as written by its rule set, or by that of the options. */
enum status plan_case_judge(struct plan_case *c, const struct plan_options *options) MUST_CHECK;

/* Completes a plan that is legal. */
enum status plan_case_resolve(struct plan_case *c) MUST_CHECK;

/* All three for commands that need a plan which runs: prints what is wrong, broken rules too, and
 * returns the exit code, 0 when the plan is whole. cores: 0, or the number that stands in place of
 * the schedule's. */
int plan_case_make(struct plan_case *c, const struct plan_options *options, uint64_t cores);

/* The name that people use: the alias of the SoC, or the SoC. */
const char *product_word(const struct product *product);

/* "ascend910b1 (atlas-a2)". */
const char *product_text(struct arena *arena, const struct product *product);

#endif
