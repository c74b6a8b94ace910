/*
 * A program text run on its product, for tests of what a run finds.
 *
 *     struct text_run run;
 *     text_run_init(&run, text);
 *     assert_int_equal(run.result.hazard_count, 0);
 *     text_run_deinit(&run);
 */
#ifndef CUBESIM_TESTS_SUPPORT_TEXT_RUN_H
#define CUBESIM_TESTS_SUPPORT_TEXT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/machine.h"
#include "model/product.h"
#include "model/run_program.h"
#include "tests/support/program_reading.h"

struct text_run {
    struct program_reading reading;
    struct product product;
    struct memory *tensor; /* [region]; bound to generated numbers or nothing */
    struct run_result result;
};

struct text_run_options {
    bool timing_only, unchecked;
    const char *set; /* KEY=VALUE of the product; NULL */
    timeline_sink *sink;
    void *sink_context;
};

/* Reads and runs a text, which must be right and live as long. */
void text_run_init(struct text_run *run, const char *text);
void text_run_init_with(struct text_run *run, const char *text,
                        const struct text_run_options *options);
void text_run_deinit(struct text_run *run);

/* How many hazards of a kind were told. */
uint32_t text_run_count(const struct text_run *run, enum hazard_kind kind);

/* The message of the hazard of a kind at a line; fails the test when there is none. */
const char *text_run_hazard(const struct text_run *run, enum hazard_kind kind, uint32_t line);

/* Fails the test when anything was found; says what. */
void text_run_assert_clean(const struct text_run *run);

#endif
