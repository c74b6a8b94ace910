#include <inttypes.h>

#include "cli/commands.h"
#include "cli/plan_case.h"
#include "cli/problems.h"
#include "cli/text.h"
#include "model/lower.h"

enum { LINE_BYTES = 2048 };

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
    .args_doc = "PLAN",
    .doc = "Prints the program that run would simulate: tensors, buffers, and one instruction "
           "stream per core.\v"
           "Exit status: 0 done, 1 the plan breaks a rule, 2 it cannot be read.",
};

/* A line of the program; text that needs more than a line has goes through the arena. */
static void print_line(struct arena *arena, const struct program *program, const struct insn *insn)
{
    char line[LINE_BYTES];
    size_t length = program_format_insn(program, insn, line, sizeof line);
    if (length < sizeof line) {
        puts(line);
        return;
    }
    char *longer = arena_take(arena, length + 1, 1);
    text_need(longer);
    program_format_insn(program, insn, longer, length + 1);
    puts(longer);
}

static void print_head(struct arena *arena, const struct program *program)
{
    printf(".product %s\n", program->product);
    for (uint32_t region = 0; region < program->region_count; region++) {
        size_t length = program_format_region(program, region, NULL, 0);
        char *line = arena_take(arena, length + 1, 1);
        text_need(line);
        program_format_region(program, region, line, length + 1);
        puts(line);
    }
}

static void print_core(struct arena *arena, const struct program *program, uint32_t core)
{
    struct insn insn;
    void *stream = program->open(program->context, core, arena);
    if (stream == NULL)
        text_need(NULL);
    printf(".core %" PRIu32 "\n", core);
    while (!ferror(stdout) && program->next(stream, &insn))
        print_line(arena, program, &insn);
    if (!ferror(stdout) && program->ended(stream) != STATUS_OK)
        text_need(NULL); /* memory ran out */
}

static int lower_run(struct plan_case *c, const struct lower_options *options)
{
    struct program program;
    int code = plan_case_make(c, &options->plan, 0);
    if (code != 0)
        return code;
    enum status status = lower_plan(&c->plan, &c->arena, &c->diag, &program);
    if (status == STATUS_OK && options->core_given && options->core >= program.core_count)
        status = diag_add(&c->diag, STATUS_BAD_INPUT,
                          (struct place){.source = &(struct source){.name = "--core", .text = ""}},
                          "found %" PRIu64 "; expected 0 to %" PRIu32 ", the cores of the plan",
                          options->core, program.core_count - 1);
    if (status != STATUS_OK)
        return problems_print(&c->diag, options->plan.common.command, status);
    print_head(&c->arena, &program);
    for (uint32_t core = 0; core < program.core_count; core++)
        if (!options->core_given || core == options->core)
            print_core(&c->arena, &program, core);
    return 0;
}

int cmd_lower(int argc, char **argv)
{
    struct plan_case c;
    plan_case_init(&c);
    struct lower_options options = {
        .plan = {.common = {.missing = "PLAN; expected a file", .refused = "one plan"},
                 .arena = &c.arena}};
    enum status status = options_parse(&lower_argp, argc, argv, &options.plan.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !options.plan.common.help)
        code = lower_run(&c, &options);
    plan_case_deinit(&c);
    return code;
}
