/*
 * A rule report as text: verdict, broken rules, rules that hold, buffers.
 */
#ifndef CUBESIM_CLI_RULES_TEXT_H
#define CUBESIM_CLI_RULES_TEXT_H

#include "cli/page.h"
#include "model/tile_rules.h"

/* A report with the plan that it judges. */
struct judged_plan {
    const struct plan *plan;
    const struct rule_report *report;
};

/* "legal: all 22 pypto rules hold on ascend910b1 (atlas-a2)" or what is broken. */
void rules_print_verdict(const struct page *page, const struct judged_plan *judged);

/* "cannot run on ...: 2 rules are broken (13, R5)", for commands that need the plan. */
void rules_print_refusal(const struct page *page, const struct judged_plan *judged);

/* A block for each broken rule: its sentence, both sides in numbers, the place of the word at
 * fault, the nearest legal value. */
void rules_print_broken(const struct page *page, const struct judged_plan *judged);

/* Tables of the rules that hold: those of the verdict, then those that hardware needs. */
void rules_print_held(const struct page *page, const struct judged_plan *judged);

/* The buffer table; nothing when no tile is known. */
void rules_print_buffers(const struct page *page, const struct judged_plan *judged);

/* What completing the plan derived or degraded, and whether more fits into L0C. */
void rules_print_notes(const struct page *page, const struct judged_plan *judged);

/* The nearest legal plans, or nothing. */
void rules_print_nearest(const struct page *page, const struct judged_plan *judged);

#endif
