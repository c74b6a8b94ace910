#include "model/validation.h"

#include <inttypes.h>
#include <string.h>

#include "isa/effect.h"
#include "isa/program_text.h"
#include "model/cost.h"
#include "model/derive.h"
#include "model/lower.h"
#include "model/plan.h"
#include "model/program_check.h"
#include "model/run_program.h"
#include "model/tile_rules.h"
#include "model/validation_template.h"

/* ---- what a run shows of a pipe ---- */

struct pipe_tally {
    uint64_t count;      /* working instructions of all cores */
    double bytes;        /* moved by them */
    double rate_cycles;  /* what they take at the rate of their path and nothing else */
    tick start, done;    /* first start and last completion of any core */
    uint64_t core_count; /* of core 0: working instructions, */
    double core_bytes, core_ops;
    tick core_first;           /* the start of the first one, */
    tick last_start, last_end; /* and of the last one its times, */
    tick last_done;
    double last_bytes, last_ops, last_rate_cycles; /* work and cycles at the rate */
};

struct tally {
    const struct product *product;
    const struct program *program;
    struct pipe_tally pipe[PIPE_COUNT];
};

static double number_of(const struct product *product, enum product_key key)
{
    const struct product_number *number = &product->number[key];
    return number->present ? (double)number->value / QUANTITY_ONE : 0.0;
}

/* The rate of the path of an instruction; PRODUCT_KEY_COUNT: it moves nothing or is an Mmad. */
static enum product_key path_rate(const struct tally *tally, const struct insn *insn)
{
    const struct region *regions = tally->program->regions;
    enum space target = regions[insn->operand[0].region].space;
    switch (insn->pipe) {
    case PIPE_MTE2:
        return PRODUCT_MTE2_PORT;
    case PIPE_MTE1:
        return target == SPACE_L0A   ? PRODUCT_MTE1_L0A_RATE
               : target == SPACE_L0B ? PRODUCT_MTE1_L0B_RATE
                                     : PRODUCT_MTE1_BT_RATE;
    case PIPE_FIXP:
        return target == SPACE_GM   ? PRODUCT_FIXP_PORT
               : target == SPACE_FB ? PRODUCT_FIXP_FB_RATE
                                    : PRODUCT_FIXP_LOCAL_RATE;
    case PIPE_VECTOR:
        return PRODUCT_VECTOR_RATE;
    case PIPE_MTE3:
        return PRODUCT_MTE3_PORT;
    case PIPE_SCALAR:
    case PIPE_CUBE:
    case PIPE_ALL:
        break;
    }
    return PRODUCT_KEY_COUNT;
}

static double rate_cycles(const struct tally *tally, const struct timeline_row *line)
{
    if (line->insn->opcode == OP_MMAD)
        return (double)cost_mmad_fractals(line->insn) *
               number_of(tally->product, cost_mmad_key(line->insn));
    enum product_key key = line->bytes > 0 ? path_rate(tally, line->insn) : PRODUCT_KEY_COUNT;
    double rate = key != PRODUCT_KEY_COUNT ? number_of(tally->product, key) : 0.0;
    return rate > 0.0 ? (double)line->bytes / rate : 0.0;
}

/* A timeline_sink. */
static enum status tally_row(void *context, const struct timeline_row *line)
{
    struct tally *tally = context;
    const struct row *row = line->row;
    struct pipe_tally *pipe = &tally->pipe[row->pipe];
    if (row->kind != JOB_WORK)
        return STATUS_OK;
    double cycles = rate_cycles(tally, line);
    pipe->start = pipe->count == 0 || row->start < pipe->start ? row->start : pipe->start;
    pipe->done = row->done > pipe->done ? row->done : pipe->done;
    pipe->count++;
    pipe->bytes += (double)line->bytes;
    pipe->rate_cycles += cycles;
    if (row->core != 0)
        return STATUS_OK;
    if (pipe->core_count++ == 0)
        pipe->core_first = row->start;
    pipe->core_bytes += (double)line->bytes;
    pipe->core_ops += 2.0 * (double)line->macs;
    pipe->last_start = row->start;
    pipe->last_end = row->end;
    pipe->last_done = row->done;
    pipe->last_bytes = (double)line->bytes;
    pipe->last_ops = 2.0 * (double)line->macs;
    pipe->last_rate_cycles = cycles;
    return STATUS_OK;
}

/* ---- metrics ---- */

struct replay {
    struct tally tally;
    struct run_result result;
};

/* What a vendor's counter of a pipe shows, of all cores. */
static double counter_cycles(const struct replay *replay, enum pipe pipe)
{
    double cycles = 0.0;
    for (uint64_t core = 0; core < replay->result.cores; core++) {
        const struct pipe_stats *stats = &replay->result.pipe[core * PIPE_COUNT + pipe];
        cycles += (double)(pipe == PIPE_MTE2 ? stats->busy : stats->active);
    }
    return cycles;
}

static double core_cycles(const struct replay *replay)
{
    double cycles = 0.0;
    for (uint64_t core = 0; core < replay->result.cores; core++)
        cycles += (double)replay->result.core_cycles[core];
    return cycles;
}

static double clock_of(const struct replay *replay)
{
    return number_of(replay->tally.product, PRODUCT_CHIP_CLOCK);
}

static double task_cycles(const struct replay *replay)
{
    return (double)replay->result.cycles + replay->result.launch_us * clock_of(replay);
}

/* Cycles of a pipe at the rates of its paths and, of copies, of the links that cores share; an
 * average over the cores. */
static double pipe_roofline(const struct replay *replay, enum pipe pipe)
{
    const struct product *product = replay->tally.product;
    double all = number_of(product, PRODUCT_CHIP_CORES);
    double cycles = replay->tally.pipe[pipe].rate_cycles / (double)replay->result.cores;
    if (pipe != PIPE_MTE2)
        return cycles;
    double read =
        (double)replay->result.gm_read_bytes / (all * number_of(product, PRODUCT_L2_READ_RATE));
    double miss =
        (double)replay->result.gm_miss_bytes / (all * number_of(product, PRODUCT_GM_RATE));
    cycles = read > cycles ? read : cycles;
    return miss > cycles ? miss : cycles;
}

static double time_roofline(const struct replay *replay)
{
    double cycles = 0.0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        double of_pipe = pipe_roofline(replay, (enum pipe)pipe);
        cycles = of_pipe > cycles ? of_pipe : cycles;
    }
    return cycles;
}

/* Predicted and roofline of a metric: cycles and work. */
struct outcome {
    struct measure predicted;
    double roofline;
};

static struct outcome outcome_of_time(const struct replay *replay, enum metric metric,
                                      enum pipe pipe)
{
    double cores = (double)replay->result.cores, roofline = time_roofline(replay);
    double cycles = metric == METRIC_TASK       ? task_cycles(replay)
                    : metric == METRIC_CORE     ? core_cycles(replay) / cores
                    : metric == METRIC_CORE_SUM ? core_cycles(replay)
                                                : (double)replay->result.cycles;
    (void)pipe;
    return (struct outcome){{.cycles = cycles},
                            metric == METRIC_CORE_SUM ? roofline * cores : roofline};
}

static struct outcome outcome_of_counter(const struct replay *replay, enum metric metric,
                                         enum pipe pipe)
{
    double cores = (double)replay->result.cores, all = counter_cycles(replay, pipe);
    double roofline = pipe_roofline(replay, pipe);
    if (metric == METRIC_SHARE)
        return (struct outcome){{.cycles = 100.0 * all / cores / task_cycles(replay)},
                                100.0 * roofline / time_roofline(replay)};
    return (struct outcome){{.cycles = all / cores}, roofline};
}

static struct outcome outcome_of_count(const struct replay *replay, enum metric metric,
                                       enum pipe pipe)
{
    enum pipe counted = metric == METRIC_STEP ? PIPE_CUBE : pipe;
    double count = (double)replay->tally.pipe[counted].count;
    double roofline = pipe_roofline(replay, pipe) * (double)replay->result.cores;
    return (struct outcome){{.cycles = counter_cycles(replay, pipe) / count}, roofline / count};
}

static struct outcome outcome_of_interval(const struct replay *replay, enum metric metric,
                                          enum pipe pipe)
{
    const struct pipe_tally *tally = &replay->tally.pipe[pipe];
    double count = (double)tally->core_count;
    (void)metric;
    return (struct outcome){
        {.cycles = (double)(tally->last_start - tally->core_first) / (count - 1.0),
         .bytes = tally->core_bytes / count,
         .ops = tally->core_ops / count},
        tally->rate_cycles / (double)tally->count};
}

static struct outcome outcome_of_last(const struct replay *replay, enum metric metric,
                                      enum pipe pipe)
{
    const struct pipe_tally *tally = &replay->tally.pipe[pipe];
    if (metric == METRIC_LATENCY)
        return (struct outcome){{.cycles = (double)(tally->last_done - tally->last_end)}, 0.0};
    return (struct outcome){{.cycles = (double)(tally->last_done - tally->last_start),
                             .bytes = tally->last_bytes,
                             .ops = tally->last_ops},
                            tally->last_rate_cycles};
}

static struct outcome outcome_of_stream(const struct replay *replay, enum metric metric,
                                        enum pipe pipe)
{
    const struct pipe_tally *tally = &replay->tally.pipe[pipe];
    (void)metric;
    return (struct outcome){{.cycles = (double)(tally->done - tally->start),
                             .bytes = tally->bytes / (double)replay->result.cores},
                            pipe_roofline(replay, pipe)};
}

static struct outcome (*const outcomes[METRIC_COUNT])(const struct replay *replay,
                                                      enum metric metric, enum pipe pipe) = {
    [METRIC_TASK] = outcome_of_time,         [METRIC_CORE] = outcome_of_time,
    [METRIC_CORE_SUM] = outcome_of_time,     [METRIC_CORE_MAX] = outcome_of_time,
    [METRIC_COUNTER] = outcome_of_counter,   [METRIC_SHARE] = outcome_of_counter,
    [METRIC_STEP] = outcome_of_count,        [METRIC_EACH] = outcome_of_count,
    [METRIC_INTERVAL] = outcome_of_interval, [METRIC_ISOLATED] = outcome_of_last,
    [METRIC_LATENCY] = outcome_of_last,      [METRIC_STREAM] = outcome_of_stream,
};

/* Instructions of the pipe that a metric needs at least. */
static uint64_t insn_needed(enum metric metric)
{
    return metric == METRIC_INTERVAL ? 2 : 1;
}

static enum status row_take(const struct replay *replay, struct diag *diag,
                            struct validation_row *row)
{
    const struct tally *tally = &replay->tally;
    bool of_step = row->metric == METRIC_STEP;
    if ((row->pipe != PIPE_ALL && row->pipe != PIPE_SCALAR &&
         tally->pipe[row->pipe].core_count < insn_needed(row->metric)) ||
        (of_step && tally->pipe[PIPE_CUBE].count == 0))
        return diag_add(
            diag, STATUS_BAD_INPUT, row->place,
            "found %" PRIu64 " instruction%s of %s on core 0; expected at least %" PRIu64,
            tally->pipe[row->pipe].core_count, tally->pipe[row->pipe].core_count == 1 ? "" : "s",
            pipe_word(row->pipe), insn_needed(row->metric));
    struct outcome outcome = outcomes[row->metric](replay, row->metric, row->pipe);
    row->predicted = measure_in(&outcome.predicted, row->unit, row->clock_mhz);
    row->error = measure_error(row->unit, row->predicted, row->measured);
    row->cycles = measure_cycles(row->measured, row->unit, &outcome.predicted, row->clock_mhz);
    row->roofline = outcome.roofline;
    return STATUS_OK;
}

/* ---- plans and programs ---- */

struct replayer {
    struct validation *validation;
    struct validation_run *run;
    struct arena *arena; /* of this run */
    struct diag *diag;
};

static enum status simulate(const struct replayer *replayer, const struct program_run *run,
                            struct place place, struct replay *replay)
{
    struct program_run timed = *run;
    timed.sink = tally_row;
    timed.sink_context = &replay->tally;
    timed.unchecked = true;
    replay->tally.product = run->product;
    replay->tally.program = run->program;
    enum status status = run_program(&timed, replayer->arena, &replay->result);
    if (status == STATUS_OK && replay->result.deadlocked)
        return diag_add(replayer->diag, STATUS_BROKEN, place,
                        "found a program that stands for ever; expected one that ends");
    return run_explain(status, &replay->result, replayer->diag);
}

/* The first rule that keeps a plan from running. */
static enum status refuse_plan(const struct replayer *replayer, struct place place,
                               const struct rule_report *report)
{
    for (uint32_t i = 0; i < report->count; i++) {
        const struct rule_verdict *verdict = &report->verdicts[i];
        if (!verdict->ok && (verdict->decides || verdict->needed_to_run))
            return diag_add(replayer->diag, STATUS_BAD_INPUT, place,
                            "found a plan that breaks rule %s; expected one that runs: %s",
                            verdict->id, verdict->message);
    }
    return diag_add(replayer->diag, STATUS_BAD_INPUT, place,
                    "found a plan that does not run; expected one that does");
}

static enum status replay_plan(const struct replayer *replayer, const struct node *template,
                               struct replay *replay)
{
    const struct validation *validation = replayer->validation;
    const struct validation_row *row = &validation->rows[replayer->run->row_index];
    struct plan *plan = arena_take(replayer->arena, 1, sizeof *plan);
    struct product *product = arena_take(replayer->arena, 1, sizeof *product);
    struct rule_report *report = arena_take(replayer->arena, 1, sizeof *report);
    struct program program;
    const struct node *filled = NULL;
    if (plan == NULL || product == NULL || report == NULL)
        return STATUS_NO_MEMORY;
    enum status status = template_fill(template, row->fills, row->fill_count, replayer->arena,
                                       replayer->diag, &filled);
    if (status == STATUS_OK)
        status =
            plan_from_tree(validation->path, filled, validation->product_name, validation->sets,
                           validation->set_count, replayer->arena, replayer->diag, product, plan);
    if (status == STATUS_OK)
        status = rules_check(plan, plan->rules, replayer->arena, report);
    if (status == STATUS_OK && !report->runnable)
        return refuse_plan(replayer, template->place, report);
    if (status == STATUS_OK)
        status = plan_resolve(plan, product, replayer->arena, replayer->diag);
    if (status == STATUS_OK)
        status = lower_plan(plan, replayer->arena, replayer->diag, &program);
    if (status != STATUS_OK)
        return status;
    struct program_run run = {.program = &program, .product = product};
    status = simulate(replayer, &run, template->place, replay);
    if (status != STATUS_OK)
        return status;
    kernel_of(plan, &replay->result, &replayer->run->kernel);
    replayer->run->kernel.soc = validation->product.soc; /* outlives this run */
    replayer->run->is_kernel = true;
    return STATUS_OK;
}

/* A product_lookup: the product of the file, whatever the name. */
static enum status find_product(void *context, const char *name, struct place place,
                                struct diag *diag, enum arch *arch)
{
    const struct validation *validation = context;
    (void)name;
    (void)place;
    (void)diag;
    *arch = validation->product.arch;
    return STATUS_OK;
}

/* Problems of an expanded text, told at the lines that they come from. */
static void hand_over_problems(struct diag *from, const struct template_text *text,
                               const struct node *template, struct diag *diag)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct problem *problem = &from->problems[i];
        uint32_t line = problem->place.line;
        struct place place = template->place;
        if (line > 0 && line <= text->line_count)
            place = place_in_line(template->place.source, text->lines[line - 1], NULL);
        (void)diag_add(diag, problem->status, place, "%s", problem->message);
    }
}

static enum status parse_program(const struct replayer *replayer, const struct template_text *text,
                                 struct diag *diag, struct program *program)
{
    struct validation *validation = replayer->validation;
    struct program_reader reader = {.product = validation->product_name,
                                    .product_place = validation->product_place,
                                    .lookup = find_product,
                                    .lookup_context = validation};
    enum status status = program_parse(text->source, &reader, replayer->arena, diag, program);
    return status == STATUS_OK ? program_check(program, &validation->product, text->source, diag)
                               : status;
}

static enum status replay_program(const struct replayer *replayer, const struct node *template,
                                  struct replay *replay)
{
    const struct validation *validation = replayer->validation;
    const struct validation_row *row = &validation->rows[replayer->run->row_index];
    struct template_text text = {0};
    struct program program;
    struct diag diag;
    enum status status = template_expand(template, row->fills, row->fill_count, replayer->arena,
                                         replayer->diag, &text);
    if (status != STATUS_OK)
        return status;
    diag_init(&diag);
    status = parse_program(replayer, &text, &diag, &program);
    hand_over_problems(&diag, &text, template, replayer->diag);
    diag_deinit(&diag);
    if (status != STATUS_OK)
        return status;
    struct program_run run = {.program = &program, .product = &validation->product};
    return simulate(replayer, &run, template->place, replay);
}

static enum status rows_take(const struct replayer *replayer, size_t run_index,
                             const struct replay *replay)
{
    struct validation *validation = replayer->validation;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < validation->row_count; i++) {
        struct validation_row *row = &validation->rows[i];
        if (validation_replayed(validation, row) && row->run_index == run_index)
            status = diag_graver(status, row_take(replay, replayer->diag, row));
    }
    return status;
}

enum status validation_run(struct validation *validation, struct arena *arena, struct diag *diag)
{
    struct replay *replay = arena_take(arena, 1, sizeof *replay);
    enum status status = replay != NULL ? STATUS_OK : STATUS_NO_MEMORY;
    for (size_t i = 0; i < validation->run_count && status != STATUS_NO_MEMORY; i++) {
        struct arena work;
        struct replayer replayer = {validation, &validation->runs[i], &work, diag};
        const struct validation_case *in_case = &validation->cases[replayer.run->case_index];
        arena_init(&work, 0);
        memset(replay, 0, sizeof *replay);
        enum status one = in_case->plan != NULL
                              ? replay_plan(&replayer, in_case->plan, replay)
                              : replay_program(&replayer, in_case->program, replay);
        if (one == STATUS_OK)
            one = rows_take(&replayer, i, replay);
        status = diag_graver(status, one);
        arena_deinit(&work);
    }
    return status;
}
