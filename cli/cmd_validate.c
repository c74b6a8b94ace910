#include "cli/commands.h"
#include "cli/options.h"
#include "cli/page.h"
#include "cli/problems.h"
#include "cli/validate_view.h"
#include "model/validation.h"

static const struct argp_option validate_rows[] = {
    OPTION_ROW_SET, OPTION_ROW_JSON, OPTION_ROW_HELP, {0}};

static const struct argp validate_argp = {
    .options = validate_rows,
    .parser = options_parse_plan,
    .args_doc = "FILE",
    .doc = "Replays measurements: runs the plan or program of each row of a validation file and "
           "compares what it predicts with what was measured, row by row and in groups, beside a "
           "null baseline (roofline and a fitted constant).\v"
           "configs/validation has the files of the published measurements, docs/validation.md the "
           "format.\n\n"
           "Exit status: 0 every bound of the file holds, 1 a group is over its bound, 2 bad "
           "input, 3 memory ran out.",
};

struct validating {
    struct arena arena;
    struct diag diag;
    struct validation validation;
};

static int validate_run(struct validating *validating, const struct plan_options *options)
{
    struct validation *validation = &validating->validation;
    struct arena *arena = &validating->arena;
    enum status status = validation_load(options->common.argument, options->sets,
                                         options->set_count, arena, &validating->diag, validation);
    if (status == STATUS_OK)
        status = validation_run(validation, arena, &validating->diag);
    if (status == STATUS_OK)
        status = validation_judge(validation, arena);
    if (status != STATUS_OK)
        return problems_print(&validating->diag, options->common.command, status);
    if (options->common.json) {
        validate_print_json(validation);
    } else {
        struct page page = page_stdout(arena);
        validate_print_text(&page, validation);
    }
    return status_exit_code(validation->holds ? STATUS_OK : STATUS_BROKEN);
}

int cmd_validate(int argc, char **argv)
{
    struct validating validating;
    arena_init(&validating.arena, 0);
    diag_init(&validating.diag);
    struct plan_options options = {
        .common = {.missing = "FILE; expected a validation file", .refused = "one validation file"},
        .arena = &validating.arena,
    };
    enum status status = options_parse(&validate_argp, argc, argv, &options.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !options.common.help)
        code = validate_run(&validating, &options);
    diag_deinit(&validating.diag);
    arena_deinit(&validating.arena);
    return code;
}
