/*
 * A finished run with everything that is told about it.
 */
#ifndef CUBESIM_CLI_RUN_VIEW_H
#define CUBESIM_CLI_RUN_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "cli/page.h"
#include "cli/run_data.h"
#include "model/advice.h"
#include "model/kernel.h"
#include "model/roofline.h"
#include "model/run.h"
#include "model/tail.h"
#include "traces/subject.h"

struct run_view {
    const struct product *product;
    const struct plan *plan;         /* resolved; NULL: a program file */
    const struct subject_file *file; /* the program file, or NULL */
    const char *const *input;        /* its [region]: the file that was read, NULL: none */
    const char *path;                /* of the plan or program */
    const struct run_result *result;
    const struct tail *tail; /* of the result, as the next */
    const struct roofline *roofline;
    const struct advice *advice;
    const struct kernel_table *measured;
    bool timing_only;
    bool hazards_off; /* were not asked for */
    const struct run_files
        *files; /* where tensors of a plan came from; data: which were generated */
    const struct run_data *data;
    const char *db;       /* where the run was saved, or NULL */
    int64_t run_id;       /* in db */
    bool timeline_stored; /* show can draw it */
};

/* Time of so many cycles of the product's clock, in microseconds. */
double view_us(const struct run_view *view, tick cycles);
double view_clock_mhz(const struct run_view *view);
double view_launch_us(const struct run_view *view);
/* Bytes that MTE1 moved in a cycle of a Load3D, on average; 0 without Load3D. */
double view_load3d_rate(const struct run_view *view);
/* part / whole, 0 of nothing. */
double view_share(uint64_t part, uint64_t whole);

/* JSON object of the contract to stdout. */
void run_print_json(const struct run_view *view, struct arena *arena);

/* JSON objects of its tail, its roofline and the reasons to doubt its time. */
json_t *run_tail_json(const struct run_view *view);
json_t *run_roofline_json(const struct run_view *view);
/* The list of what is suggested. */
json_t *run_advice_json(const struct run_view *view, struct arena *arena);
json_t *run_doubts_json(const struct run_view *view, struct arena *arena);

/* The summary for people, and parts of it: how even the load is and what is padding; how
 * near it is to the roofs of the product; why its time may be wrong; what slows
 * Load3D down, of plans only; what was simulated. */
void run_print_text(const struct page *page, const struct run_view *view);
void run_print_tail(const struct page *page, const struct run_view *view);
void run_print_roofline(const struct page *page, const struct run_view *view);
/* Nothing when there is nothing to suggest. */
void run_print_advice(const struct page *page, const struct run_view *view);
void run_print_doubts(const struct page *page, const struct run_view *view);
void run_print_why(const struct page *page, const struct run_view *view);
void run_print_plan(const struct page *page, const struct run_view *view);
void run_print_program(const struct page *page, const struct run_view *view);

#endif
