#include "cli/plan_case.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/problems.h"
#include "cli/program_case.h"
#include "cli/rules_text.h"
#include "cli/text.h"
#include "model/derive.h"

void plan_case_init(struct plan_case *c)
{
    memset(c, 0, sizeof *c);
    arena_init(&c->arena, 0);
    diag_init(&c->diag);
}

void plan_case_deinit(struct plan_case *c)
{
    diag_deinit(&c->diag);
    arena_deinit(&c->arena);
}

const char *product_word(const struct product *product)
{
    return product->alias[0] != '\0' ? product->alias : product->soc;
}

const char *product_text(struct arena *arena, const struct product *product)
{
    if (product->alias[0] == '\0')
        return product->soc;
    return text_format(arena, "%s (%s)", product->soc, product->alias);
}

/* Whether a line begins as those of programs do: with a directive or a mnemonic and an operand. */
static bool line_is_of_program(const char *line)
{
    size_t length = strcspn(line, " \t\n");
    const char *rest = line + length + strspn(line + length, " \t");
    const char *equals = strchr(rest, '=');
    for (enum space space = 0; space < SPACE_COUNT; space++)
        if (line[0] == '.' && strlen(space_word(space)) == length - 1 &&
            strncmp(line + 1, space_word(space), length - 1) == 0)
            return true;
    static const char *const directives[] = {".product ", ".core ", ".l2 "};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (strncmp(line, directives[i], strlen(directives[i])) == 0)
            return true;
    for (enum opcode op = 0; op < OP_COUNT && equals != NULL; op++)
        if (strlen(insn_info(op)->mnemonic) == length &&
            strncmp(line, insn_info(op)->mnemonic, length) == 0)
            return true;
    return false;
}

/* What YAML finds wrong with a program says nothing to its author; the first line that it shows
 * gives the program away. */
static void explain_program(struct diag *diag)
{
    struct problem *problem = diag->count > 0 ? &diag->problems[0] : NULL;
    const char *line =
        problem != NULL && problem->excerpt != NULL ? strstr(problem->excerpt, " | ") : NULL;
    if (line == NULL || !line_is_of_program(line + 3))
        return;
    problem->message = "found what looks like a program; expected a plan (YAML or JSON): the name "
                       "of a program ends in '.prog'";
    diag->count = 1;
}

enum status plan_case_load(struct plan_case *c, const struct plan_options *options)
{
    const char *path = options->common.argument;
    struct source source = {.name = path, .text = ""};
    if (path_is_program(path))
        return diag_add(&c->diag, STATUS_BAD_INPUT, (struct place){.source = &source},
                        "found a program file; expected a plan (YAML or JSON), whose tiling the "
                        "rules judge");
    if (strcmp(path, "-") == 0 && access(path, F_OK) != 0)
        return diag_add(
            &c->diag, STATUS_BAD_INPUT, place_none(),
            "found '-'; expected the name of a file: a plan may come from /dev/stdin, a "
            "program has a name that ends in '.prog'");
    enum status status = plan_load(path, options->product, options->sets, options->set_count,
                                   &c->arena, &c->diag, &c->product, &c->plan);
    if (status != STATUS_OK)
        explain_program(&c->diag);
    return status;
}

enum status plan_case_judge(struct plan_case *c, const struct plan_options *options)
{
    static const struct source option = {.name = "--rules", .text = ""};
    if (options->rules_given && options->rules == RULES_MATMUL && !c->plan.matmul)
        return diag_add(&c->diag, STATUS_BAD_INPUT, (struct place){.source = &option},
                        "found matmul, and the plan has a convolution; expected pypto, document, "
                        "strict or vendor");
    if (options->rules_given && !c->plan.matmul)
        c->plan.rules = options->rules;
    enum status status = rules_check(&c->plan, c->plan.rules, &c->arena, &c->report);
    if (status == STATUS_OK)
        return STATUS_OK;
    return diag_add(&c->diag, status, place_none(), "memory ran out");
}

enum status plan_case_resolve(struct plan_case *c)
{
    return plan_resolve(&c->plan, &c->product, &c->arena, &c->diag);
}

/* --cores N. */
static enum status take_cores(struct plan_case *c, uint64_t cores)
{
    struct schedule *schedule = &c->plan.schedule;
    struct source option = {.name = "--cores", .text = ""};
    uint64_t most = product_whole(&c->product, PRODUCT_CHIP_CORES);
    if (cores > most)
        return diag_add(&c->diag, STATUS_BAD_INPUT, (struct place){.source = &option},
                        "found %llu; expected 1 to %llu, the cores of %s",
                        (unsigned long long)cores, (unsigned long long)most, c->product.soc);
    if (c->plan.given[WORD_CORE_SPLIT] && schedule_ways(schedule) != cores)
        return diag_add(&c->diag, STATUS_BAD_INPUT, c->plan.place[WORD_CORE_SPLIT],
                        "found a core split of %llu ways; expected %llu, as --cores says",
                        (unsigned long long)schedule_ways(schedule), (unsigned long long)cores);
    schedule->cores = cores;
    c->plan.given[WORD_CORES] = true;
    c->plan.place[WORD_CORES] = (struct place){.source = NULL};
    return STATUS_OK;
}

int plan_case_make(struct plan_case *c, const struct plan_options *options, uint64_t cores)
{
    enum status status = plan_case_load(c, options);
    if (status == STATUS_OK && cores > 0)
        status = take_cores(c, cores);
    if (status == STATUS_OK)
        status = plan_case_judge(c, options);
    if (status == STATUS_OK && !c->report.runnable) {
        struct page page = page_stderr(&c->arena);
        struct judged_plan judged = {&c->plan, &c->report};
        rules_print_refusal(&page, &judged);
        rules_print_broken(&page, &judged);
        rules_print_nearest(&page, &judged);
        return status_exit_code(STATUS_BROKEN);
    }
    if (status == STATUS_OK)
        status = plan_case_resolve(c);
    if (status != STATUS_OK)
        return problems_print(&c->diag, options->common.command, status);
    return 0;
}
