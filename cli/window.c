#include "cli/window.h"

#include <inttypes.h>

#include "engine/base/quantity.h"

error_t window_parse(int key, char *argument, struct argp_state *state)
{
    struct window_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num == 1)
            return options_number(state, "RUN", argument, 1, INT64_MAX, &options->run_id);
        if (state->arg_num > 1)
            return options_refuse(state, "found '%s' behind '%s'; expected one run", argument,
                                  state->argv[state->next - 2]);
        return options_parse_common(key, argument, state);
    case OPTION_CORE:
        options->core_given = true;
        return options_number(state, "--core", argument, 0, UINT32_MAX, &options->core);
    case OPTION_FROM:
        options->from_given = true;
        return options_number(state, "--from", argument, 0, INT64_MAX, &options->from);
    case OPTION_TO:
        options->to_given = true;
        return options_number(state, "--to", argument, 0, INT64_MAX, &options->to);
    default:
        return options_parse_common(key, argument, state);
    }
}

enum status window_check_number(const struct window_options *options, const struct stored_run *run,
                                struct diag *diag)
{
    if (options->core_given && options->core >= run->cores)
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "--core: found %" PRIu64 "; expected 0 to %" PRIu64
                        ", the cores of run %" PRId64,
                        options->core, run->cores - 1, run->run_id);
    return STATUS_OK;
}

enum status window_check_core(const struct window_options *options, const struct stored_run *run,
                              const char *path, struct diag *diag)
{
    enum status status = window_check_number(options, run, diag);
    if (status != STATUS_OK)
        return status;
    if (run->timeline == STORED_NONE)
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "run %" PRId64 " was saved without its timeline; save one with "
                        "'cubesim run PLAN --db %s --timeline all'",
                        run->run_id, path);
    if (options->core_given && options->core > 0 && run->timeline == STORED_CORE0)
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "--core: found %" PRIu64 ", but run %" PRId64 " was saved with the "
                        "timeline of core 0 only; save all with 'cubesim run PLAN --db %s "
                        "--timeline all'",
                        options->core, run->run_id, path);
    return STATUS_OK;
}

enum status window_choose(const struct window_options *options, const struct stored_run *run,
                          struct diag *diag, tick *from, tick *to)
{
    char cycles[28];
    *from = options->from;
    *to = options->to_given ? options->to : run->cycles;
    if (*to > run->cycles)
        *to = run->cycles;
    if (options->to_given && options->from >= options->to)
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "found --from %" PRIu64 " and --to %" PRIu64
                        "; expected --from to be less than --to",
                        options->from, options->to);
    if (run->cycles == 0)
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "run %" PRId64 " took no cycle; there is nothing to draw", run->run_id);
    if (*from >= *to)
        return diag_add(
            diag, STATUS_BAD_INPUT, place_none(),
            "--from: found %" PRIu64 "; expected a cycle before the end of run %" PRId64 " at %s",
            options->from, run->run_id, grouped_format(run->cycles, cycles, sizeof cycles));
    return STATUS_OK;
}
