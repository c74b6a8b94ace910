/*
 * The timed run of a program: instructions become jobs of the engine.
 */
#ifndef CUBESIM_MODEL_RUN_TIME_H
#define CUBESIM_MODEL_RUN_TIME_H

#include "model/cost.h"
#include "model/l2.h"
#include "model/run.h"

struct time_options {
    const struct program *program;
    const struct product *product;
    const struct l2_plan *l2;
    timeline_sink *sink;                   /* may be NULL */
    timeline_step_sink *steps;             /* may be NULL; all cores */
    timeline_precedence_sink *precedences; /* may be NULL */
    void *sink_context;                    /* of all three */
    bool core0_only;                       /* sink and precedences see only core 0 */
};

/* Simulates and fills the timing part of result: cycles, pipes, path, counts of instructions, flags
 * and MACs; of a program that stands for ever up to there, and where it stands. */
enum status time_program(const struct time_options *options, struct arena *arena,
                         struct run_result *result) MUST_CHECK;

#endif
