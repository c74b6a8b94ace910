/*
 * The part of a saved run that the words RUN, --core, --from and --to choose.
 */
#ifndef CUBESIM_CLI_WINDOW_H
#define CUBESIM_CLI_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "engine/base/diag.h"
#include "traces/store.h"

struct window_options {
    struct common_options common; /* argument: the database */
    uint64_t run_id;              /* 0: the latest */
    bool core_given, from_given, to_given;
    uint64_t core, from, to;
};

#define OPTION_ROW_FROM                                                                            \
    {                                                                                              \
        "from", OPTION_FROM, "C", 0, "First cycle to show (default: 0)", 0                         \
    }
#define OPTION_ROW_TO                                                                              \
    {                                                                                              \
        "to", OPTION_TO, "C", 0, "Cycle to end before (default: the end of the run)", 0            \
    }

/* For parsers whose state begins with window_options: DB [RUN] --core --from --to and what
 * options_parse_common knows. */
error_t window_parse(int key, char *argument, struct argp_state *state);

/* BAD_INPUT when --core is no core of the run. */
enum status window_check_number(const struct window_options *options, const struct stored_run *run,
                                struct diag *diag) MUST_CHECK;

/* BAD_INPUT unless the run has its rows saved, those of --core where that is given. path is the
 * database's, for the message. */
enum status window_check_core(const struct window_options *options, const struct stored_run *run,
                              const char *path, struct diag *diag) MUST_CHECK;

/* The cycles [from, to) that options choose of a run, at least one. BAD_INPUT. */
enum status window_choose(const struct window_options *options, const struct stored_run *run,
                          struct diag *diag, tick *from, tick *to) MUST_CHECK;

#endif
