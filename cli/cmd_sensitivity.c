#include "cli/commands.h"
#include "cli/json.h"
#include "cli/page.h"
#include "cli/problems.h"
#include "cli/run_case.h"
#include "cli/text.h"
#include "model/run_program.h"
#include "model/sensitivity.h"

static const struct argp_option sensitivity_rows[] = {
    OPTION_ROW_PRODUCT,
    {"cores", OPTION_CORES, "N", 0, "Cores to use (default: the schedule's)", 0},
    OPTION_ROW_SET,
    OPTION_ROW_RULES,
    OPTION_ROW_JSON,
    OPTION_ROW_HELP,
    {0},
};

static error_t sensitivity_parse(int key, char *argument, struct argp_state *state)
{
    struct run_request *request = state->input;
    if (key == OPTION_CORES)
        return options_number(state, "--cores", argument, 1, UINT64_MAX, &request->cores);
    return options_parse_plan(key, argument, state);
}

static const struct argp sensitivity_argp = {
    .options = sensitivity_rows,
    .parser = sensitivity_parse,
    .args_doc = "PLAN|PROGRAM",
    .doc = "Tells what 10 % of each number of the product is worth: simulates a plan or program "
           "again with 10 % more of each rate and capacity, with 10 % less of each time, and with "
           "all numbers of a pipe.\v"
           "The instructions stay the same. Time only; a number takes one simulation.\n\n"
           "Exit status: 0 done, 1 a rule is broken or the program stands for ever, 2 bad input.",
};

/* A finished look with what is told about it. */
struct outcome {
    const struct run_case *run;
    const struct sensitivity *found;
    struct arena *arena;
};

static double gain_of(const struct outcome *outcome, tick cycles)
{
    double base = (double)outcome->found->base.cycles;
    return base > 0.0 ? (base - (double)cycles) / base : 0.0;
}

/* "-7.1 %": how the time changes. Faster is below 0, and no change has no sign. */
static const char *change_text(const struct outcome *outcome, tick cycles)
{
    double gain = gain_of(outcome, cycles);
    const char *text = text_share(outcome->arena, gain < 0.0 ? -gain : gain);
    if (gain < 0.0005 && gain > -0.0005)
        return text;
    return text_format(outcome->arena, "%s%s", gain > 0.0 ? "-" : "+", text);
}

/* ---- text ---- */

static const char *pipe_name(uint32_t pipe)
{
    return pipe < PIPE_COUNT ? pipe_word((enum pipe)pipe) : "flags";
}

static const struct sensitivity_pipe *pipe_of(const struct outcome *outcome, uint32_t pipe)
{
    return pipe < PIPE_COUNT ? &outcome->found->pipe[pipe] : &outcome->found->flags;
}

/* The pipe that gives most; of equal ones the first. */
static uint32_t best_pipe(const struct outcome *outcome)
{
    uint32_t best = 0;
    for (uint32_t pipe = 1; pipe <= PIPE_COUNT; pipe++)
        if (pipe_of(outcome, pipe)->cycles < pipe_of(outcome, best)->cycles)
            best = pipe;
    return best;
}

static void print_verdict(const struct page *page, const struct outcome *outcome)
{
    const struct sensitivity *found = outcome->found;
    uint32_t best = best_pipe(outcome);
    const char *cycles = text_number(page->arena, found->base.cycles);
    const char *text = text_format(
        page->arena,
        "%s-bound: %s cycles, and nothing of the product that is 10 %% better changes them",
        found->base.bound, cycles);
    if (pipe_of(outcome, best)->cycles < found->base.cycles)
        text = text_format(
            page->arena, "%s-bound: of %s cycles, 10 %% better %s %s %s, the most of all",
            found->base.bound, cycles, pipe_name(best), best == PIPE_COUNT ? "save" : "saves",
            text_share(page->arena, gain_of(outcome, pipe_of(outcome, best)->cycles)));
    page_sentence(page, STYLE_BOLD, text);
}

static void print_pipes(const struct page *page, const struct outcome *outcome)
{
    struct table table;
    table_init(&table, page->arena, "lrrr");
    table_add(&table, (const char *[]){"all of a pipe", "numbers", "cycles", "change"});
    for (uint32_t pipe = 0; pipe <= PIPE_COUNT; pipe++) {
        const struct sensitivity_pipe *all = pipe_of(outcome, pipe);
        if (all->numbers > 0 && all->cycles != outcome->found->base.cycles)
            table_add(&table,
                      (const char *[]){pipe_name(pipe), text_number(page->arena, all->numbers),
                                       text_number(page->arena, all->cycles),
                                       change_text(outcome, all->cycles)});
    }
    if (table.count == 1)
        return;
    fputc('\n', page->stream);
    table_print(&table, page->stream, 2);
}

static void print_numbers(const struct page *page, const struct outcome *outcome)
{
    const struct sensitivity *found = outcome->found;
    const struct product *product = &outcome->run->c->product;
    struct table table;
    table_init(&table, page->arena, "lrrrrl");
    table_add(&table,
              (const char *[]){"number", "value", "10 % better", "cycles", "change", "basis"});
    for (uint32_t i = 0; i < found->count; i++) {
        const struct sensitivity_number *number = &found->number[i];
        const struct product_key_info *info = product_key_info(number->key);
        if (number->cycles != found->base.cycles)
            table_add(
                &table,
                (const char *[]){
                    info->path,
                    text_quantity(page->arena, product->number[number->key].value, info->unit),
                    text_quantity(page->arena, number->moved, info->unit),
                    text_number(page->arena, number->cycles), change_text(outcome, number->cycles),
                    basis_word(product->number[number->key].basis)});
    }
    if (table.count == 1)
        return;
    fputc('\n', page->stream);
    table_print(&table, page->stream, 2);
}

/* Names of those that did not matter, or were not tried. */
static void print_names(const struct page *page, const char *label,
                        const struct sensitivity_number *numbers, uint32_t count, tick base)
{
    const char *text = "";
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i].cycles == base)
            text = text_format(page->arena, "%s%s%s", text, *text != '\0' ? ", " : "",
                               product_key_info(numbers[i].key)->path);
    if (*text == '\0')
        return;
    fputc('\n', page->stream);
    text_print_wrapped(page->stream, page->arena, label, 12, text, page->width);
}

static void print_text(const struct outcome *outcome)
{
    struct page page = page_stdout(outcome->arena);
    const struct sensitivity *found = outcome->found;
    print_verdict(&page, outcome);
    print_pipes(&page, outcome);
    print_numbers(&page, outcome);
    print_names(&page, "no effect", found->number, found->count, found->base.cycles);
    print_names(&page, "not varied", found->fixed, found->fixed_count, found->base.cycles);
}

/* ---- JSON ---- */

static json_t *quantity_json(int64_t value, enum unit unit)
{
    char buffer[64];
    return json_words(quantity_format(value, unit, buffer, sizeof buffer));
}

static void put_gain(json_t *map, const struct outcome *outcome, tick cycles)
{
    json_put(map, "cycles", json_whole(cycles));
    json_put(map, "gain_percent", json_number(100.0 * gain_of(outcome, cycles)));
}

static json_t *pipes_json(const struct outcome *outcome)
{
    json_t *list = json_array();
    for (uint32_t pipe = 0; pipe <= PIPE_COUNT; pipe++) {
        json_t *map = json_object();
        json_put(map, "pipe", json_words(pipe_name(pipe)));
        json_put(map, "numbers", json_whole(pipe_of(outcome, pipe)->numbers));
        put_gain(map, outcome, pipe_of(outcome, pipe)->cycles);
        json_add(list, map);
    }
    return list;
}

static json_t *numbers_json(const struct outcome *outcome)
{
    const struct sensitivity *found = outcome->found;
    const struct product *product = &outcome->run->c->product;
    json_t *list = json_array();
    for (uint32_t i = 0; i < found->count; i++) {
        const struct sensitivity_number *number = &found->number[i];
        const struct product_key_info *info = product_key_info(number->key);
        json_t *map = json_object();
        json_put(map, "key", json_words(info->path));
        json_put(map, "value", quantity_json(product->number[number->key].value, info->unit));
        json_put(map, "better", quantity_json(number->moved, info->unit));
        json_put(map, "basis", json_words(basis_word(product->number[number->key].basis)));
        put_gain(map, outcome, number->cycles);
        json_add(list, map);
    }
    return list;
}

static json_t *fixed_json(const struct sensitivity *found)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < found->fixed_count; i++)
        json_add(list, json_words(product_key_info(found->fixed[i].key)->path));
    return list;
}

static void print_json(const struct outcome *outcome)
{
    const struct run_case *run = outcome->run;
    const char *path = run->request->plan.common.argument;
    json_t *root = json_object();
    json_put(root, "plan", run->is_program ? json_null() : json_words(path));
    json_put(root, "program", run->is_program ? json_words(path) : json_null());
    json_put(root, "product", json_words(product_word(&run->c->product)));
    json_put(root, "soc", json_words(run->c->product.soc));
    json_put(root, "cycles", json_whole(outcome->found->base.cycles));
    json_put(root, "bound", json_words(outcome->found->base.bound));
    json_put(root, "pipes", pipes_json(outcome));
    json_put(root, "numbers", numbers_json(outcome));
    json_put(root, "not_varied", fixed_json(outcome->found));
    json_print(root);
}

/* ---- the command ---- */

static enum status look(struct run_case *run, struct sensitivity *found)
{
    struct plan_case *c = run->c;
    enum status status = sensitivity_find(&run->program, &c->product, &c->arena, found);
    if (status == STATUS_OK && found->base.deadlocked)
        return diag_add(&c->diag, STATUS_BROKEN, place_none(),
                        "the program stands for ever behind cycle %s; 'cubesim run' says where",
                        text_number(&c->arena, found->base.cycles));
    return run_explain(status, &found->base, &c->diag);
}

static int sensitivity_run(struct plan_case *c, const struct run_request *request)
{
    struct run_case *run = arena_take(&c->arena, 1, sizeof *run);
    struct sensitivity *found = arena_take(&c->arena, 1, sizeof *found);
    if (run == NULL || found == NULL)
        text_need(NULL);
    int code = run_case_make(run, c, request);
    if (code != 0)
        return code;
    enum status status = look(run, found);
    if (status != STATUS_OK)
        return problems_print(&c->diag, request->plan.common.command, status);
    const struct outcome outcome = {.run = run, .found = found, .arena = &c->arena};
    if (request->plan.common.json)
        print_json(&outcome);
    else
        print_text(&outcome);
    return 0;
}

int cmd_sensitivity(int argc, char **argv)
{
    struct plan_case c;
    plan_case_init(&c);
    struct run_request request = {
        .plan = {.common = {.missing = "PLAN or PROGRAM; expected a file",
                            .refused = "one plan or program"},
                 .arena = &c.arena},
        .files = {.seed = 1, .check_only = true},
    };
    enum status status = options_parse(&sensitivity_argp, argc, argv, &request.plan.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !request.plan.common.help)
        code = sensitivity_run(&c, &request);
    plan_case_deinit(&c);
    return code;
}
