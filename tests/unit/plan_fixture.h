/*
 * Texts of plans and a plan under test, for the tests of model/plan*.c.
 */
#ifndef CUBESIM_TESTS_UNIT_PLAN_FIXTURE_H
#define CUBESIM_TESTS_UNIT_PLAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/plan.h"

#define SHAPES "  input: [1, 64, 16, 32]\n  weight: [64, 64, 3, 3]\n"
#define LAYER  "conv:\n" SHAPES "  padding: [1, 1, 1, 1]\n  dtype: fp16\n"
#define A2     "product: ascend910b1\n"
#define PRO    "product: ascend950pr_9589\n"
#define TILE_L1                                                                                    \
    "tile_l1: {tileHin: 6, tileHout: 4, tileWin: 32, tileWout: 32, tileCinFmap: 64, "              \
    "tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"
#define TILE_L0 "tile_l0: {tileH: 2, tileW: 32, tileK: 64, tileN: 64}\n"
#define LINEAR  "mAL1: 128, mL0: 64, nBL1: 64, kAL1: 576, kBL1: 576, kL0: 64, nL0: 64"

struct fixture {
    struct arena arena;
    struct diag diag;
    struct product product;
    struct plan plan;
};

static inline void fixture_init(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    arena_init(&fixture->arena, 0);
    diag_init(&fixture->diag);
}

static inline void fixture_deinit(struct fixture *fixture)
{
    diag_deinit(&fixture->diag);
    arena_deinit(&fixture->arena);
}

static inline enum status fixture_parse(struct fixture *fixture, const char *text,
                                        const char *product)
{
    return plan_parse("test.yaml", text, product, &fixture->arena, &fixture->diag,
                      &fixture->product, &fixture->plan);
}

/* Parses a text that must be accepted, into a fixture that the caller releases. */
static inline void accept(struct fixture *fixture, const char *text)
{
    fixture_init(fixture);
    if (fixture_parse(fixture, text, NULL) != STATUS_OK) {
        print_error("%s", diag_text(&fixture->diag, 0));
        fail();
    }
    assert_int_equal(fixture->diag.count, 0);
}

#endif
