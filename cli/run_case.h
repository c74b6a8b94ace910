/*
 * What `cubesim run` runs, a plan or a program file, with its tensors before and after.
 */
#ifndef CUBESIM_CLI_RUN_CASE_H
#define CUBESIM_CLI_RUN_CASE_H

#include "cli/options.h"
#include "cli/plan_case.h"
#include "cli/run_data.h"
#include "isa/program.h"
#include "model/advice.h"
#include "model/run.h"
#include "traces/store.h"
#include "traces/subject.h"

enum timeline { TIMELINE_ALL, TIMELINE_CORE0, TIMELINE_NONE, TIMELINE_COUNT };
enum hazards { HAZARDS_OFF, HAZARDS_WARN, HAZARDS_ERROR, HAZARDS_COUNT };

struct run_request {
    struct plan_options plan;
    struct run_files files;
    const char *db, *output;
    uint64_t cores; /* 0: as the plan says */
    enum timeline timeline;
    bool timeline_given;
    enum hazards hazards;
    bool hazards_given;
    enum advice_effort advice;
    bool advice_given;
    bool verify;
};

struct run_case {
    const struct run_request *request;
    struct plan_case *c; /* arena, diag, product, and the plan of a plan */
    bool is_program;
    struct program program;
    struct run_data data;     /* of a plan */
    struct subject_file file; /* of a program file */
    const char *const *input; /* of a program file: [region], the files that were read */
    struct memory *tensor;    /* of a program file: [region] */
    enum hazards hazards;     /* as asked for: warn for plans, error for programs */
};

/* Reads what the request names, and its tensors. Prints what is wrong and returns the exit code; 0
 * when all is well. */
int run_case_make(struct run_case *run, struct plan_case *c, const struct run_request *request);

/* What the database shall say of it. */
enum status run_case_subject(const struct run_case *run, struct subject *subject) MUST_CHECK;

/* Runs it; store gets its timeline, and may be NULL. */
enum status run_case_simulate(struct run_case *run, struct store *store,
                              struct run_result *result) MUST_CHECK;

/* Writes the output of a plan, or the dumps of a program that has ended. */
enum status run_case_save(const struct run_case *run, const struct run_result *result) MUST_CHECK;

#endif
