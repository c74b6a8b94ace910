#include "cli/commands.h"
#include "cli/json.h"
#include "cli/plan_case.h"
#include "cli/problems.h"
#include "cli/rules_text.h"
#include "cli/text.h"
#include "model/lower.h"

static const struct argp_option check_rows[] = {
    OPTION_ROW_PRODUCT, OPTION_ROW_RULES, OPTION_ROW_SET, OPTION_ROW_JSON, OPTION_ROW_HELP, {0},
};

static const struct argp check_argp = {
    .options = check_rows,
    .parser = options_parse_plan,
    .args_doc = "PLAN",
    .doc =
        "Judges the tiling of a plan by every rule: verdict, both sides of each rule in numbers, "
        "nearest legal values, and the buffers with one and with two slots.\v"
        "Exit status: 0 legal, 1 a rule is broken, 2 the plan cannot be read.",
};

/* A verdict with what completing the plan found. */
struct check {
    struct plan_case *c;
    bool legal;    /* the exit code says so too */
    bool resolved; /* the plan is whole */
    bool runnable; /* run would take it; if not, the diag or the rules say why */
};

/* What run would do next: a plan that cannot be lowered does not run. */
static enum status check_lower(struct check *check)
{
    struct plan_case *c = check->c;
    struct program program;
    enum status status = lower_plan(&c->plan, &c->arena, &c->diag, &program);
    check->runnable = status == STATUS_OK;
    return status == STATUS_BROKEN || status == STATUS_BAD_INPUT ? STATUS_OK : status;
}

/* A plan that holds the rules is completed, so that a derived tile and the slots can be shown. What
 * is written about buffers must fit; what is wrong with cores is not about the tile. */
static enum status check_complete(struct check *check, const struct plan_options *options)
{
    struct plan_case *c = check->c;
    enum status status = plan_case_resolve(c);
    check->resolved = status == STATUS_OK;
    check->legal = status != STATUS_BROKEN;
    if (status != STATUS_OK && status != STATUS_BROKEN && status != STATUS_BAD_INPUT)
        return status;
    status = check->resolved ? check_lower(check) : STATUS_OK;
    return status == STATUS_OK ? plan_case_judge(c, options) : status;
}

static json_t *rule_json(const struct plan *plan, const struct rule_verdict *verdict)
{
    json_t *map = json_object(), *values = json_object();
    for (uint32_t i = 0; i < verdict->value_count; i++)
        json_put(values, verdict->values[i].name,
                 json_integer((json_int_t)verdict->values[i].value));
    json_put(map, "id", json_words(verdict->id));
    json_put(map, "what", json_words(verdict->what));
    json_put(map, "formula", json_words(verdict->formula));
    json_put(map, "values", values);
    json_put(map, "numbers", json_words(verdict->numbers));
    json_put(map, "ok", json_boolean(verdict->ok));
    json_put(map, "judged", json_boolean(verdict->judged));
    json_put(map, "decides", json_boolean(verdict->decides));
    json_put(map, "needed_to_run", json_boolean(verdict->needed_to_run));
    json_put(map, "message", json_words(verdict->message));
    json_put(map, "nearest", json_words(verdict->nearest));
    if (!verdict->ok && plan->given[verdict->word]) {
        json_put(map, "line", json_whole(plan->place[verdict->word].line));
        json_put(map, "column", json_whole(plan->place[verdict->word].column));
    }
    return map;
}

static json_t *buffer_json(const struct buffer_row *row, bool resolved)
{
    json_t *map = json_object();
    json_put(map, "buffer", json_words(row->buffer));
    json_put(map, "capacity_bytes", json_whole(row->capacity_bytes));
    json_put(map, "single_bytes", json_whole(row->single_bytes));
    json_put(map, "double_bytes", json_whole(row->double_bytes));
    json_put(map, "fits_single", json_boolean(row->fits_single));
    json_put(map, "fits_double", json_boolean(row->fits_double));
    if (resolved)
        json_put(map, "slots", json_whole(row->planned));
    if (resolved && row->planned_b > 0)
        json_put(map, "slots_b", json_whole(row->planned_b));
    return map;
}

/* Why run refuses a plan whose rules hold, each with its place. */
static json_t *problems_json(const struct diag *diag)
{
    json_t *list = json_array();
    for (size_t i = 0; i < diag->count; i++) {
        const struct place *place = &diag->problems[i].place;
        json_t *map = json_object();
        json_put(map, "message", json_words(diag->problems[i].message));
        if (place->source != NULL && place->line > 0) {
            json_put(map, "file", json_words(place->source->name));
            json_put(map, "line", json_whole(place->line));
            json_put(map, "column", json_whole(place->column));
        }
        json_add(list, map);
    }
    return list;
}

static void check_print_json(const struct check *check)
{
    struct plan_case *c = check->c;
    const struct rule_report *report = &c->report;
    json_t *root = json_object(), *rules = json_array(), *buffers = json_array();
    for (uint32_t i = 0; i < report->count; i++)
        json_add(rules, rule_json(&c->plan, &report->verdicts[i]));
    for (uint32_t i = 0; i < report->buffer_count; i++)
        json_add(buffers, buffer_json(&report->buffers[i], check->resolved));
    json_put(root, "plan", json_words(c->plan.path));
    json_put(root, "product", json_words(product_word(&c->product)));
    json_put(root, "soc", json_words(c->product.soc));
    json_put(root, "rules", json_words(rule_set_word(report->set)));
    json_put(root, "legal", json_boolean(check->legal));
    json_put(root, "runnable", json_boolean(check->runnable));
    json_put(root, "run_problems", problems_json(&c->diag));
    json_put(root, "rules_checked", rules);
    json_put(root, "buffers", buffers);
    json_put(root, "nearest_plan", json_words(report->nearest_plan));
    json_put(root, "nearest_plan_double", json_words(report->nearest_plan_double));
    if (check->resolved) {
        json_put(root, "tile", json_plan_tile(&c->plan, &c->arena));
        json_put(root, "tile_derived", json_boolean(c->plan.tile_derived));
        json_put(root, "schedule", json_plan_schedule(&c->plan, &c->arena));
        json_put(root, "notes", json_plan_notes(&c->plan));
    }
    json_print(root);
}

static void check_print_text(const struct check *check, const char *command)
{
    struct plan_case *c = check->c;
    struct page page = page_stdout(&c->arena);
    struct judged_plan judged = {&c->plan, &c->report};
    if (c->report.legal && !check->legal)
        fprintf(page.stream, "%sillegal: the buffers that the plan asks for do not fit on %s%s\n",
                page_style(&page, STYLE_RED), product_text(&c->arena, &c->product),
                page_style(&page, STYLE_PLAIN));
    else
        rules_print_verdict(&page, &judged);
    if (c->diag.count > 0) {
        fputs(check->legal ? "\nthe tile is legal, but run refuses the plan:\n" : "\n",
              page.stream);
        problems_list(page.stream, &c->diag, command);
    }
    rules_print_broken(&page, &judged);
    rules_print_held(&page, &judged);
    rules_print_buffers(&page, &judged);
    rules_print_notes(&page, &judged);
    rules_print_nearest(&page, &judged);
}

static int check_run(struct check *check, const struct plan_options *options)
{
    struct plan_case *c = check->c;
    enum status status = plan_case_load(c, options);
    if (status == STATUS_OK)
        status = plan_case_judge(c, options);
    if (status != STATUS_OK)
        return problems_print(&c->diag, options->common.command, status);
    check->legal = c->report.legal;
    status = c->report.runnable ? check_complete(check, options) : STATUS_OK;
    if (status != STATUS_OK)
        return problems_print(&c->diag, options->common.command, status);
    if (options->common.json)
        check_print_json(check);
    else
        check_print_text(check, options->common.command);
    return status_exit_code(check->legal ? STATUS_OK : STATUS_BROKEN);
}

int cmd_check(int argc, char **argv)
{
    struct plan_case c;
    plan_case_init(&c);
    struct plan_options options = {
        .common = {.missing = "PLAN; expected a file", .refused = "one plan"}, .arena = &c.arena};
    struct check check = {.c = &c};
    enum status status = options_parse(&check_argp, argc, argv, &options.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !options.common.help)
        code = check_run(&check, &options);
    plan_case_deinit(&c);
    return code;
}
