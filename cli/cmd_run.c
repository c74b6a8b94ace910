#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/problems.h"
#include "cli/run_case.h"
#include "cli/run_view.h"
#include "cli/text.h"
#include "model/version.h"
#include "traces/store.h"

enum { HAZARDS_TOLD = 10 };

static const char *const timeline_words[TIMELINE_COUNT] = {"all", "core0", "none"};
static const char *const hazards_words[HAZARDS_COUNT] = {"off", "warn", "error"};
static const char *const advice_words[] = {"none", "some", "all"};

static const struct argp_option run_rows[] = {
    OPTION_ROW_PRODUCT,
    {"cores", OPTION_CORES, "N", 0, "Cores to use (default: the schedule's)", 0},
    OPTION_ROW_SET,
    OPTION_ROW_RULES,
    {"db", OPTION_DB, "FILE", 0,
     "Save the run in this SQLite database, made when missing (default: not saved)", 0},
    {"timeline", OPTION_TIMELINE, "all|core0|none", 0,
     "Cores whose rows are saved; no effect without --db (default: all, up to 5,000,000 rows)", 0},
    {"timing-only", OPTION_TIMING_ONLY, NULL, 0, "Compute no tensor, only time (default: both)", 0},
    {"seed", OPTION_SEED, "N", 0,
     "Seed of generated tensors; no effect with --timing-only (default: 1)", 0},
    {"input", OPTION_INPUT, "F.npy", 0, "Input, logical NCHW, or A (default: generated)", 0},
    {"weight", OPTION_WEIGHT, "F.npy", 0, "Weight, logical OIHW, or B (default: generated)", 0},
    {"bias", OPTION_BIAS, "F.npy", 0, "Bias, a number per output channel (default: generated)", 0},
    {"output", OPTION_OUTPUT, "F.npy", 0,
     "Write the result, logical NCHW, or C (default: not written)", 0},
    {"verify", OPTION_VERIFY, NULL, 0,
     "Compare the result, bit for bit, with a direct convolution or product (default: not "
     "compared)",
     0},
    {"hazards", OPTION_HAZARDS, "off|warn|error", 0,
     "What a hazard does (default: warn for a plan, error for a program)", 0},
    {"advice", OPTION_ADVICE, "none|some|all", 0,
     "Changes of a plan that are tried by simulation (default: some, at most 8 and one of two "
     "together; none with --timeline none)",
     0},
    OPTION_ROW_JSON,
    OPTION_ROW_HELP,
    {0},
};

static error_t run_parse_word(int key, const char *argument, struct argp_state *state)
{
    struct run_request *request = state->input;
    size_t index = 0;
    error_t error =
        key == OPTION_TIMELINE
            ? options_word(state, "--timeline", argument, timeline_words, TIMELINE_COUNT, &index)
            : options_word(state, "--hazards", argument, hazards_words, HAZARDS_COUNT, &index);
    if (error != 0)
        return error;
    if (key == OPTION_TIMELINE) {
        request->timeline = (enum timeline)index;
        request->timeline_given = true;
    } else {
        request->hazards = (enum hazards)index;
        request->hazards_given = true;
    }
    return 0;
}

static error_t run_parse_advice(const char *argument, struct argp_state *state)
{
    static const size_t count = sizeof advice_words / sizeof *advice_words;
    struct run_request *request = state->input;
    size_t index = 0;
    error_t error = options_word(state, "--advice", argument, advice_words, count, &index);
    request->advice = (enum advice_effort)index;
    request->advice_given = true;
    return error;
}

static error_t run_parse_end(struct argp_state *state)
{
    const struct run_request *request = state->input;
    if (request->files.check_only && request->hazards_given && request->hazards == HAZARDS_ERROR)
        return options_refuse(state, "found --hazards error with --timing-only, which looks for no "
                                     "hazards; expected one of them");
    if (request->files.check_only && request->verify)
        return options_refuse(state, "found --verify with --timing-only, which computes no tensor; "
                                     "expected one of them");
    if (request->files.check_only && request->output != NULL)
        return options_refuse(state, "found --output with --timing-only, which computes no tensor; "
                                     "expected one of them");
    return options_parse_plan(ARGP_KEY_END, NULL, state);
}

static error_t run_parse(int key, char *argument, struct argp_state *state)
{
    struct run_request *request = state->input;
    switch (key) {
    case OPTION_CORES:
        return options_number(state, "--cores", argument, 1, UINT64_MAX, &request->cores);
    case OPTION_SEED:
        return options_number(state, "--seed", argument, 0, UINT64_MAX, &request->files.seed);
    case OPTION_DB:
        return options_db(state, argument, &request->db);
    case OPTION_TIMELINE:
    case OPTION_HAZARDS:
        return run_parse_word(key, argument, state);
    case OPTION_ADVICE:
        return run_parse_advice(argument, state);
    case OPTION_TIMING_ONLY:
        request->files.check_only = true;
        return 0;
    case OPTION_VERIFY:
        request->verify = true;
        return 0;
    case OPTION_INPUT:
        request->files.input = argument;
        return 0;
    case OPTION_WEIGHT:
        request->files.weight = argument;
        return 0;
    case OPTION_BIAS:
        request->files.bias = argument;
        return 0;
    case OPTION_OUTPUT:
        request->output = argument;
        return 0;
    case ARGP_KEY_END:
        return run_parse_end(state);
    default:
        return options_parse_plan(key, argument, state);
    }
}

static const struct argp run_argp = {
    .options = run_rows,
    .parser = run_parse,
    .args_doc = "PLAN|PROGRAM",
    .doc =
        "Simulates a plan, or a program written by hand (a file that ends in .prog): time with "
        "the cause of every waiting cycle and, unless --timing-only is given, the tensors.\v"
        "A program binds its tensors to files by its .gm lines and writes them by its dump "
        "lines. Paths are relative to the current folder; files to read are looked for beside the "
        "program, too. --cores, --rules, --input, --weight, "
        "--bias, --output, --verify and --advice are for plans.\n\n"
        "Exit status: 0 done, 1 a rule is broken, the result differs, a hazard under --hazards "
        "error, or a deadlock, 2 bad input, 3 a file or the database cannot be written.",
};

/* ---- the run ---- */

/* A run on its way. */
struct running {
    struct run_case run;
    struct store *store; /* NULL: not saved */
    struct subject subject;
    int64_t run_id;
    struct run_result result;
    struct tail tail;
    struct roofline roofline;
    struct advice advice;
    struct kernel_table measured;
};

static enum status open_store(struct running *running)
{
    const struct run_request *request = running->run.request;
    struct diag *diag = &running->run.c->diag;
    if (request->db == NULL)
        return STATUS_OK;
    enum status status = store_open(request->db, true, diag, &running->store);
    if (status == STATUS_OK)
        status = run_case_subject(&running->run, &running->subject);
    if (status == STATUS_OK)
        status =
            store_begin(running->store, &running->subject, CUBESIM_VERSION, diag, &running->run_id);
    return status;
}

/* Hazards that were not asked for do not count, but that a program stands for ever does. */
static void drop_hazards(struct run_result *result)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < result->hazards_kept; i++)
        if (result->hazards[i].kind == HAZARD_DEADLOCK)
            result->hazards[kept++] = result->hazards[i];
    result->hazard_count = result->hazards_kept = kept;
}

static enum status simulate(struct running *running)
{
    struct run_case *run = &running->run;
    bool rows = running->store != NULL && run->request->timeline != TIMELINE_NONE;
    enum status status = run_case_simulate(run, rows ? running->store : NULL, &running->result);
    if (status != STATUS_OK && rows && *store_problem(running->store) != '\0')
        return diag_add(&run->c->diag, status, place_none(), "%s", store_problem(running->store));
    if (run->hazards == HAZARDS_OFF)
        drop_hazards(&running->result);
    return status;
}

/* Tensors and database; what cannot be written leaves no run behind. */
static enum status save(struct running *running)
{
    enum status status = run_case_save(&running->run, &running->result);
    if (running->store != NULL)
        store_advise(running->store, &running->advice);
    if (status == STATUS_OK && running->store != NULL)
        status = store_finish(running->store, &running->result, &running->run.c->diag);
    return status;
}

/* Runs without a timeline are many and read by scripts: they pay for advice when they ask. */
static enum advice_effort effort_of(const struct run_request *request)
{
    if (request->advice_given)
        return request->advice;
    return request->timeline == TIMELINE_NONE ? ADVICE_NONE : ADVICE_SOME;
}

/* Nobody waits for advice who wants the run to end. */
static enum status advise(struct running *running)
{
    struct plan_case *c = running->run.c;
    const struct advised advised = {
        .plan = &c->plan, .result = &running->result, .tail = &running->tail};
    if (running->run.is_program || interrupt_came())
        return STATUS_OK;
    return advice_find(&advised, effort_of(running->run.request), &c->arena, &running->advice);
}

/* What is told of the result besides itself. */
static enum status look_closer(struct running *running)
{
    struct run_case *run = &running->run;
    struct plan_case *c = run->c;
    enum status status = tail_find(run->is_program ? NULL : &c->plan, &c->product, &running->result,
                                   &c->arena, &running->tail);
    roofline_find(&running->result, &c->product, &running->roofline);
    if (status == STATUS_OK)
        status = advise(running);
    return status == STATUS_OK ? status
                               : diag_add(&c->diag, status, place_none(), "memory ran out");
}

static enum status run_steps(struct running *running)
{
    struct plan_case *c = running->run.c;
    enum status status = kernel_table_load(&c->arena, &c->diag, &running->measured);
    interrupt_finishes();
    if (status == STATUS_OK)
        status = open_store(running);
    if (status == STATUS_OK)
        status = simulate(running);
    if (status == STATUS_OK)
        status = look_closer(running);
    if (status == STATUS_OK)
        status = save(running);
    /* Takes back a run that is not finished. */
    store_close(running->store);
    return status;
}

/* "k.prog:12: what, core 0, instruction 5: " */
static const char *record_head(const struct running *running, const struct hazard_record *record,
                               const char *what)
{
    struct arena *arena = &running->run.c->arena;
    const char *place = "";
    if (record->line > 0)
        place =
            text_format(arena, "%s:%" PRIu32 ": ", running->run.file.source->name, record->line);
    return text_format(arena, "%s%s, core %" PRIu32 ", instruction %s: ", place, what, record->core,
                       text_number(arena, record->seq));
}

static const char *hazard_head(const struct running *running, const struct hazard_record *hazard)
{
    bool error = running->run.hazards == HAZARDS_ERROR || hazard->kind == HAZARD_DEADLOCK;
    return record_head(running, hazard,
                       text_format(&running->run.c->arena, "%s: %s", error ? "hazard" : "warning",
                                   hazard_word(hazard->kind)));
}

/* How many hazards are not told here, and where they stand. */
static void print_more_hazards(const struct running *running, uint64_t told)
{
    const struct run_result *result = &running->result;
    struct arena *arena = &running->run.c->arena;
    const char *more = text_number(arena, result->hazard_count - told);
    const char *kept = text_number(arena, result->hazards_kept);
    if (result->hazards_kept == told) {
        message_print(stderr, "",
                      text_format(arena, "%s more hazards, each one of these again", more));
        return;
    }
    const char *which = text_format(arena, "the %s that differ", kept);
    if (result->hazards_kept == result->hazard_count)
        which = text_format(arena, "all %s", kept);
    else if (result->hazards_kept == RUN_HAZARDS_MAX)
        which = text_format(arena, "%s, some of each kind", kept);
    message_print(
        stderr, "",
        text_format(arena,
                    "%s more hazards; --json lists %s, and so does v_hazard in a database "
                    "(--db)",
                    more, which));
}

static void print_hazards(const struct running *running)
{
    const struct run_result *result = &running->result;
    uint64_t told = result->hazards_kept < HAZARDS_TOLD ? result->hazards_kept : HAZARDS_TOLD;
    for (uint64_t i = 0; i < told; i++)
        message_print(stderr, hazard_head(running, &result->hazards[i]),
                      result->hazards[i].message);
    if (result->hazard_count > told)
        print_more_hazards(running, told);
}

/* What is no hazard and never changes the exit code. */
static void print_notes(const struct running *running)
{
    const struct run_result *result = &running->result;
    uint64_t told = result->notes_kept < HAZARDS_TOLD ? result->notes_kept : HAZARDS_TOLD;
    for (uint64_t i = 0; i < told; i++)
        message_print(stderr, record_head(running, &result->notes[i], "note"),
                      result->notes[i].message);
    if (result->note_count > told)
        message_print(stderr, "",
                      text_format(&running->run.c->arena,
                                  "%s more notes; --json lists %s%s as its advice",
                                  text_number(&running->run.c->arena, result->note_count - told),
                                  result->notes_kept == result->note_count ? "all " : "the first ",
                                  text_number(&running->run.c->arena, result->notes_kept)));
}

/* Where the first value that differs stands in the tensor that --output writes. */
static uint64_t first_number(const struct running *running)
{
    const struct conv *conv = &running->run.c->plan.conv;
    uint64_t first = running->result.comparison.first_index, rows = conv->in[AXIS_W];
    return running->run.c->plan.matmul ? first % rows * conv->cout + first / rows : first;
}

static const char *direct_name(const struct run_case *run)
{
    return run->c->plan.matmul ? "direct product" : "direct convolution";
}

static void print_mismatch(const struct running *running)
{
    const struct run_result *result = &running->result;
    if (!result->verified || result->comparison.mismatches == 0)
        return;
    struct arena *arena = &running->run.c->arena;
    message_print(stderr, text_format(arena, "%s: ", running->run.request->plan.common.command),
                  text_format(arena,
                              "%s of %s values differ from the %s, by %g at most; "
                              "the first is number %s",
                              text_number(arena, result->comparison.mismatches),
                              text_number(arena, result->comparison.compared),
                              direct_name(&running->run), result->comparison.max_abs_error,
                              text_number(arena, first_number(running))));
}

static enum status run_verdict(const struct running *running)
{
    const struct run_result *result = &running->result;
    if (interrupt_came())
        return STATUS_STOPPED;
    if (result->deadlocked)
        return STATUS_DEADLOCK;
    if (result->verified && result->comparison.mismatches > 0)
        return STATUS_BROKEN;
    if (running->run.hazards == HAZARDS_ERROR && result->hazard_count > 0)
        return STATUS_BROKEN;
    return STATUS_OK;
}

static void print_result(struct running *running)
{
    const struct run_case *run = &running->run;
    const struct run_request *request = run->request;
    struct run_view view = {
        .product = &run->c->product,
        .plan = run->is_program ? NULL : &run->c->plan,
        .file = run->is_program ? &run->file : NULL,
        .input = run->input,
        .path = request->plan.common.argument,
        .result = &running->result,
        .tail = &running->tail,
        .roofline = &running->roofline,
        .advice = &running->advice,
        .measured = &running->measured,
        .timing_only = request->files.check_only,
        .hazards_off = run->hazards == HAZARDS_OFF,
        .files = &request->files,
        .data = &run->data,
        .db = request->db,
        .run_id = running->run_id,
        .timeline_stored = request->timeline != TIMELINE_NONE,
    };
    struct page page = page_stdout(&run->c->arena);
    print_hazards(running);
    if (run->hazards != HAZARDS_OFF)
        print_notes(running);
    print_mismatch(running);
    if (request->plan.common.json)
        run_print_json(&view, &run->c->arena);
    else
        run_print_text(&page, &view);
}

static int run_run(struct plan_case *c, const struct run_request *request)
{
    struct running *running = arena_take(&c->arena, 1, sizeof *running);
    if (running == NULL)
        text_need(NULL);
    int code = run_case_make(&running->run, c, request);
    if (code != 0)
        return code;
    enum status status = run_steps(running);
    if (status != STATUS_OK)
        return problems_print(&c->diag, request->plan.common.command, status);
    print_result(running);
    return status_exit_code(run_verdict(running));
}

int cmd_run(int argc, char **argv)
{
    struct plan_case c;
    plan_case_init(&c);
    struct run_request request = {
        .plan = {.common = {.missing = "PLAN or PROGRAM; expected a file",
                            .refused = "one plan or program"},
                 .arena = &c.arena},
        .files = {.seed = 1},
    };
    enum status status = options_parse(&run_argp, argc, argv, &request.plan.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !request.plan.common.help)
        code = run_run(&c, &request);
    plan_case_deinit(&c);
    return code;
}
