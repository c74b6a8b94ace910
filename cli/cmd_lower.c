#include <inttypes.h>

#include "cli/commands.h"
#include "cli/plan_case.h"
#include "cli/problems.h"
#include "cli/program_case.h"
#include "cli/text.h"
#include "isa/program_text.h"
#include "model/lower.h"

struct lower_options {
    struct plan_options plan;
    bool core_given;
    uint64_t core;
};

static error_t lower_parse(int key, char *argument, struct argp_state *state)
{
    struct lower_options *options = state->input;
    switch (key) {
    case OPTION_CORE:
        options->core_given = true;
        return options_number(state, "--core", argument, 0, UINT32_MAX, &options->core);
    default:
        return options_parse_plan(key, argument, state);
    }
}

static const struct argp_option lower_rows[] = {
    OPTION_ROW_PRODUCT,
    OPTION_ROW_RULES,
    OPTION_ROW_SET,
    {"core", OPTION_CORE, "N", 0, "Core to print, counted from 0 (default: all)", 0},
    OPTION_ROW_HELP,
    {0},
};

static const struct argp lower_argp = {
    .options = lower_rows,
    .parser = lower_parse,
    .args_doc = "PLAN|PROGRAM",
    .doc = "Prints the program that run would simulate: tensors, buffers, and one instruction "
           "stream per core. A program file (it ends in .prog) is read and printed again.\v"
           "Exit status: 0 done, 1 the plan breaks a rule, 2 it cannot be read.",
};

static bool print_line(void *context, const char *line)
{
    (void)context;
    puts(line);
    return !ferror(stdout);
}

static struct place option_place(const struct source *option)
{
    return (struct place){.source = option};
}

/* A program file is read and printed as it would be lowered: one way of writing it. */
static int read_program(struct plan_case *c, const struct lower_options *options,
                        struct program *program)
{
    const struct source rules = {.name = "--rules", .text = ""}, *source;
    enum status status = STATUS_OK;
    if (options->plan.rules_given)
        status = diag_add(&c->diag, STATUS_BAD_INPUT, option_place(&rules),
                          "found with the program '%s'; expected a plan: a program has no tiling "
                          "to judge",
                          options->plan.common.argument);
    status = diag_graver(status, program_case_load(c, &options->plan, &source, program));
    return status != STATUS_OK ? problems_print(&c->diag, options->plan.common.command, status) : 0;
}

static int make_program(struct plan_case *c, const struct lower_options *options,
                        struct program *program)
{
    if (path_is_program(options->plan.common.argument))
        return read_program(c, options, program);
    int code = plan_case_make(c, &options->plan, 0);
    if (code != 0)
        return code;
    enum status status = lower_plan(&c->plan, &c->arena, &c->diag, program);
    return status != STATUS_OK ? problems_print(&c->diag, options->plan.common.command, status) : 0;
}

static int lower_run(struct plan_case *c, const struct lower_options *options)
{
    struct program program;
    int code = make_program(c, options, &program);
    if (code != 0)
        return code;
    if (options->core_given && options->core >= program.core_count) {
        const struct source option = {.name = "--core", .text = ""};
        enum status status =
            diag_add(&c->diag, STATUS_BAD_INPUT, option_place(&option),
                     "found %" PRIu64 "; expected 0 to %" PRIu32 ", the cores of the %s",
                     options->core, program.core_count - 1,
                     path_is_program(options->plan.common.argument) ? "program" : "plan");
        return problems_print(&c->diag, options->plan.common.command, status);
    }
    uint32_t core = options->core_given ? (uint32_t)options->core : CORES_ALL;
    if (program_format_lines(&program, core, &c->arena, print_line, NULL) != STATUS_OK)
        text_need(NULL); /* memory ran out */
    return 0;
}

int cmd_lower(int argc, char **argv)
{
    struct plan_case c;
    plan_case_init(&c);
    struct lower_options options = {
        .plan = {.common = {.missing = "PLAN or PROGRAM; expected a file",
                            .refused = "one plan or program"},
                 .arena = &c.arena}};
    enum status status = options_parse(&lower_argp, argc, argv, &options.plan.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !options.plan.common.help)
        code = lower_run(&c, &options);
    plan_case_deinit(&c);
    return code;
}
