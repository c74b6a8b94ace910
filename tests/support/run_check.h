/*
 * A plan on its way through the whole model, with the invariants that hold for every run.
 *
 *     struct run_case *c = run_case_open();
 *     assert_int_equal(run_case_load(c, yaml, "atlas-a2"), STATUS_OK);
 *     run_case_go(c, 1, true);
 *     run_case_close(c);
 *
 * run_case_go fails the test when spans of a pipe overlap, times do not add up, work is lost or
 * done twice, a flag is left, bytes are read that nobody wrote, or a value differs from the
 * reference.
 */
#ifndef CUBESIM_TESTS_SUPPORT_RUN_CHECK_H
#define CUBESIM_TESTS_SUPPORT_RUN_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/plan.h"
#include "model/product.h"
#include "model/run.h"
#include "model/tile_rules.h"

struct run_case {
    struct arena arena;
    struct diag diag;
    struct product product;
    struct plan plan;
    struct rule_report report;
    struct tensor input, weight, bias;
    struct run_result result;
    struct run_observer *observer;
    uint64_t timeline_hash; /* of every row of the timeline, in order */
    const char *name;       /* for messages */
    bool rough;             /* data whose sums are rounded, so that the order of sums shows */
    bool extreme;           /* data whose sums leave their type and come back, and no numbers */
};

struct run_case *run_case_open(const char *name);
void run_case_close(struct run_case *c);

/* Parses, checks the rules and resolves. BROKEN when a rule is broken; c->report says which. */
enum status run_case_load(struct run_case *c, const char *yaml, const char *product);

/* Runs and checks everything. with_bytes: compute and verify too. */
void run_case_go(struct run_case *c, uint64_t seed, bool with_bytes);

#endif
