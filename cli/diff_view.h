/*
 * Two stored runs, or two sets of them, with everything that is told about their difference.
 */
#ifndef CUBESIM_CLI_DIFF_VIEW_H
#define CUBESIM_CLI_DIFF_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/bottleneck.h"
#include "cli/page.h"
#include "traces/diff.h"
#include "traces/run_pairs.h"
#include "traces/store.h"

/* One of the two. */
struct diff_side {
    const char *path; /* of the database */
    struct stored_run run;
    struct stored_definition definition;
    struct pipe_set pipes; /* of the deciding core */
};

/* Cycles of the critical path under one name. */
struct path_change {
    const char *name;
    tick a, b;
};

/* What --fail-on asked for. */
struct diff_limit {
    bool given;
    double percent;
};

struct diff_view {
    struct diff_side side[2]; /* A, B */
    bool one_database;
    struct diff_limit limit;
    bool failed; /* B is slower than the limit allows */
    struct changed_key *keys;
    size_t key_count;
    struct path_change path[2 * PATH_ENTRIES_MAX]; /* the largest change first */
    size_t path_count;
    struct pipe_change waits[PIPE_WAITS_MAX]; /* the largest change first */
    size_t wait_count;
    bool has_reason;
    struct pipe_change reason;
};

/* Time of B over that of A, less 1; 0 when A took none. */
double diff_ratio(const struct diff_view *view);

/* "run 17", or "A" and "B" of two databases. */
const char *diff_side_word(const struct diff_view *view, int side, struct arena *arena);

/* "CUBE no longer waits for FIXP (16,243 -> 0 cycles)"; has_reason. */
const char *diff_reason_text(const struct diff_view *view, struct arena *arena);

void diff_print_text(const struct page *page, const struct diff_view *view);
void diff_print_json(const struct diff_view *view, struct arena *arena);

struct sets_view {
    const char *path[2], *condition[2]; /* NULL: all runs */
    size_t run_count[2];
    struct run_pairs pairs;
    struct diff_limit limit;
    bool failed;
};

void sets_print_text(const struct page *page, const struct sets_view *view);
void sets_print_json(const struct sets_view *view);

#endif
