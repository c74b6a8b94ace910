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

/* The text must be bad input with a problem at line:column whose message has the fragment. */
static inline void refuse(const char *text, uint32_t line, uint32_t column, const char *fragment)
{
    struct fixture fixture;
    bool found = false;

    fixture_init(&fixture);
    if (fixture_parse(&fixture, text, NULL) != STATUS_BAD_INPUT) {
        print_error("accepted, expected '%s' in:\n%s", fragment, text);
        fail();
    }
    for (size_t i = 0; i < fixture.diag.count; i++) {
        const struct problem *problem = &fixture.diag.problems[i];

        found = found || (problem->place.line == line && problem->place.column == column &&
                          strstr(problem->message, fragment) != NULL);
    }
    if (!found) {
        print_error("expected %u:%u '%s' in:\n%s", line, column, fragment, text);
        for (size_t i = 0; i < fixture.diag.count; i++) {
            print_error("%s", diag_text(&fixture.diag, i));
        }
    }
    assert_true(found);
    fixture_deinit(&fixture);
}

struct refusal {
    const char *text;
    uint32_t line, column;
    const char *fragment;
};

static inline void refuse_all(const struct refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        refuse(rows[i].text, rows[i].line, rows[i].column, rows[i].fragment);
    }
}

#define REFUSE_ALL(rows) refuse_all(rows, sizeof(rows) / sizeof(rows)[0])

#endif
