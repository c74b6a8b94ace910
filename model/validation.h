/*
 * A validation: measurements of one product, each with the plan or program that replays it.
 *
 *     status = validation_load(path, sets, set_count, arena, diag, &validation);
 *     status = validation_run(&validation, arena, diag);
 *     status = validation_judge(&validation, arena);
 *
 * docs/validation.md has the format of the file. Rows of a case that put the same values into its
 * template share one run; a run computes time only. Everything lives in the arena.
 */
#ifndef CUBESIM_MODEL_VALIDATION_H
#define CUBESIM_MODEL_VALIDATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "engine/base/tree.h"
#include "isa/insn.h"
#include "model/kernel.h"
#include "model/measure.h"
#include "model/product.h"
#include "model/statistics.h"

/* A value that a row puts into the template of its case. */
struct validation_fill {
    const char *name;
    const struct node *value;
};

struct validation_row {
    struct place place;
    int64_t id; /* in the table of measurements */
    const char *source;
    enum metric metric;
    enum pipe pipe; /* PIPE_ALL: the metric is of no pipe */
    enum evidence kind;
    enum use use;
    const char *reason;     /* why it is only printed or only calibrates; NULL: none given */
    const char *value_text; /* as written */
    const char *what;       /* of a row that is not replayed: what was measured; may be NULL */
    double measured;        /* in the unit */
    enum measure_unit unit;
    double clock_mhz; /* of the measurement */
    size_t case_index;
    size_t run_index; /* of the rows that are replayed */
    const struct validation_fill *fills;
    size_t fill_count;

    /* filled by validation_run, when the case is replayed */
    double predicted; /* in the unit */
    double error;     /* measure_error */
    double cycles;    /* what was measured, as cycles, or points of a share */
    double roofline;  /* the same of bytes and steps at the rates of the product, nothing else */

    double null_error; /* of the null baseline; filled by validation_judge where the row counts */
};

struct validation_case {
    struct place place;
    const char *name;
    const char *kernel;         /* rows of one kernel are ranked together; NULL: none */
    const struct node *plan;    /* one of plan and program, or neither: then why not */
    const struct node *program; /* a scalar */
    const char *not_replayed;
    size_t first_row, row_count;
};

/* Times of one run as rows ask for them. */
struct validation_run {
    size_t case_index;
    size_t row_index; /* the first of its rows, with the values for the template */

    /* filled by validation_run, when the run is that of a plan */
    bool is_kernel;
    struct kernel kernel;
};

/* median and worst in percent, or in points of shares; below 0: no bound. */
struct validation_bound {
    struct place place;
    bool of_effects; /* else of a metric */
    enum metric metric;
    enum pipe pipe; /* PIPE_ALL: all pipes, or of no pipe */
    double median, worst;
};

/* The rows of one metric and pipe that count. */
struct validation_group {
    enum metric metric;
    enum pipe pipe;
    struct spread all, fit, check; /* of the errors of rows; worst_index is one of rows */
    struct spread null;            /* of the null baseline on the same rows */
    double null_constant;          /* added to the roofline, in cycles, or points of shares */
    bool informative;              /* the model beats the null baseline */
    const struct validation_bound *bound; /* NULL: none */
    bool holds;
};

/* Rank correlation of predicted and measured over the rows of a kernel. */
struct validation_rank {
    const char *kernel;
    enum metric metric;
    enum pipe pipe;
    size_t count;
    double spearman;
};

/* A change of a kernel: what its second row takes against its first one. */
struct validation_effect {
    struct place place;
    const char *name;
    int64_t before_id, after_id;
    size_t before, after; /* row indexes */
    enum use use;
    const char *reason;
    double predicted, measured; /* change in percent; below 0: faster */
    double error;               /* in percent of the measured change */
    bool direction;             /* both have the same sign */
};

struct validation {
    const char *path, *title;
    struct place product_place;
    const char *product_name;
    struct product product; /* with the sets */
    const char *const *sets;
    size_t set_count;
    struct validation_bound *bounds;
    size_t bound_count;
    struct validation_case *cases;
    size_t case_count;
    struct validation_row *rows;
    size_t row_count;
    struct validation_run *runs;
    size_t run_count;
    struct validation_effect *effects;
    size_t effect_count;

    /* filled by validation_judge */
    struct validation_group *groups;
    size_t group_count;
    struct validation_rank *ranks;
    size_t rank_count;
    struct spread effect_spread; /* of errors; worst_index is one of effects */
    size_t effect_wrong;         /* of these, with the wrong direction */
    const struct validation_bound *effect_bound;
    bool effects_hold;
    bool holds; /* every bound does */
};

/* Reads a file and its product, changed by sets (KEY=VALUE UNIT). All problems go to diag. */
enum status validation_load(const char *path, const char *const *sets, size_t set_count,
                            struct arena *arena, struct diag *diag,
                            struct validation *validation) MUST_CHECK;

/* Runs every plan and program and fills the predictions. What cannot run is a problem at its place:
 * BAD_INPUT, or BROKEN for a program that stands for ever. */
enum status validation_run(struct validation *validation, struct arena *arena,
                           struct diag *diag) MUST_CHECK;

/* Fills statistics and verdicts. NO_MEMORY is the only failure. */
enum status validation_judge(struct validation *validation, struct arena *arena) MUST_CHECK;

/* Whether every bound has something to bound, and is the only one of its metric and pipe: BAD_INPUT
 * with a problem at each that is not. validation_load asks. */
enum status validation_check_bounds(const struct validation *validation,
                                    struct diag *diag) MUST_CHECK;

/* Whether a row is one that statistics count. */
bool validation_counts(const struct validation *validation, const struct validation_row *row);

/* Whether it has a prediction. */
bool validation_replayed(const struct validation *validation, const struct validation_row *row);

#endif
