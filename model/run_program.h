/*
 * Runs a program of any origin on a product: which bytes come from L2, time, and function.
 *
 *     memory of each GM tensor, by region index, filled by the caller
 *     status = run_program(&(struct program_run){.program = ..., .tensor = ...}, ...);
 *     the same memory holds what the program left
 */
#ifndef CUBESIM_MODEL_RUN_PROGRAM_H
#define CUBESIM_MODEL_RUN_PROGRAM_H

#include "engine/base/diag.h"
#include "isa/machine.h"
#include "isa/program.h"
#include "model/product.h"
#include "model/run.h"

struct program_run {
    const struct program *program;
    const struct product *product;
    struct memory *tensor; /* [region]: GM tensors, read and written; NULL: time only, no bytes */
    bool with_range;       /* simulate low and high ends too */
    timeline_sink *sink;   /* may be NULL */
    timeline_step_sink *steps;             /* may be NULL; all cores */
    timeline_precedence_sink *precedences; /* may be NULL */
    void *sink_context;                    /* of all three */
    bool core0_only;                       /* sink and precedences see only core 0 */
    bool unchecked;                        /* nobody looks for races */
};

/* Fills the whole result except what only an owner of tensors knows (macs are those of the Mmads,
 * there is no output). OK also when the program stands for ever or has hazards: the result says so.
 * NO_MEMORY, LIMIT, or the failure of the sink. */
enum status run_program(const struct program_run *run, struct arena *arena,
                        struct run_result *result) MUST_CHECK;

/* Adds to diag what NO_MEMORY or LIMIT of a run means; other statuses need no words. Returns it. */
enum status run_explain(enum status status, const struct run_result *result, struct diag *diag);

#endif
