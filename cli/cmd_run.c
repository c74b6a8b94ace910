#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/plan_case.h"
#include "cli/problems.h"
#include "cli/run_data.h"
#include "cli/run_view.h"
#include "cli/text.h"
#include "model/lower.h"
#include "model/version.h"
#include "traces/store.h"

enum { TIMELINE_ROWS_MAX = 5000000, HAZARDS_TOLD = 10 };
enum timeline { TIMELINE_ALL, TIMELINE_CORE0, TIMELINE_NONE, TIMELINE_COUNT };
enum hazards { HAZARDS_OFF, HAZARDS_WARN, HAZARDS_ERROR, HAZARDS_COUNT };

static const char *const timeline_words[TIMELINE_COUNT] = {"all", "core0", "none"};
static const char *const hazards_words[HAZARDS_COUNT] = {"off", "warn", "error"};

struct run_request {
    struct plan_options plan;
    struct run_files files;
    const char *db, *output;
    uint64_t cores; /* 0: as the plan says */
    enum timeline timeline;
    bool timeline_given;
    enum hazards hazards;
    bool verify;
};

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
    {"input", OPTION_INPUT, "F.npy", 0, "Input, logical NCHW (default: generated)", 0},
    {"weight", OPTION_WEIGHT, "F.npy", 0, "Weight, logical OIHW (default: generated)", 0},
    {"bias", OPTION_BIAS, "F.npy", 0, "Bias, a number per output channel (default: generated)", 0},
    {"output", OPTION_OUTPUT, "F.npy", 0, "Write the result, logical NCHW (default: not written)",
     0},
    {"verify", OPTION_VERIFY, NULL, 0,
     "Compare the result, bit for bit, with a direct convolution (default: not compared)", 0},
    {"hazards", OPTION_HAZARDS, "off|warn|error", 0, "What a hazard does (default: warn)", 0},
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
    }
    return 0;
}

static error_t run_parse_end(struct argp_state *state)
{
    const struct run_request *request = state->input;
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
        if (argument[0] == '\0' || strcmp(argument, ":memory:") == 0)
            return options_refuse(state, "--db: found '%s', which keeps nothing; expected a file",
                                  argument);
        request->db = argument;
        return 0;
    case OPTION_TIMELINE:
    case OPTION_HAZARDS:
        return run_parse_word(key, argument, state);
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
    .args_doc = "PLAN",
    .doc = "Simulates a plan: time with the cause of every waiting cycle and, unless --timing-only "
           "is given, the tensor.\v"
           "Exit status: 0 done, 1 a rule is broken, the result differs, or a hazard under "
           "--hazards error, 2 bad input, 3 a file or the database cannot be written.",
};

/* ---- interrupts ---- */

static volatile sig_atomic_t interrupted;

/* The first SIGINT lets the run finish and be saved; the second one ends the program. */
static void take_interrupt(int signal_number)
{
    static const char told[] = "\ncubesim: finishing this run; interrupt again to stop at once\n";
    interrupted = signal_number;
    if (write(STDERR_FILENO, told, sizeof told - 1) < 0)
        return;
}

static void catch_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = take_interrupt;
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
}

/* ---- the run ---- */

/* A run on its way. */
struct running {
    const struct run_request *request;
    struct plan_case *c;
    struct run_data data;
    struct program program;
    struct store *store; /* NULL: not saved */
    struct subject subject;
    int64_t run_id;
    struct run_result result;
};

static enum status count_rows(struct running *running, uint64_t *rows)
{
    const struct program *program = &running->program;
    enum status status = STATUS_OK;
    struct arena work;
    *rows = 0;
    arena_init(&work, 0);
    for (uint32_t core = 0; core < program->core_count && status == STATUS_OK; core++) {
        struct insn insn;
        void *stream = program->open(program->context, core, &work);
        if (stream == NULL)
            status = diag_add(&running->c->diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
        while (stream != NULL && program->next(stream, &insn))
            ++*rows;
        if (stream != NULL && program->ended(stream) != STATUS_OK)
            status =
                diag_add(&running->c->diag, program->ended(stream), place_none(), "memory ran out");
    }
    arena_deinit(&work);
    return status;
}

/* A long timeline has to be asked for. */
static enum status check_rows(struct running *running)
{
    const struct run_request *request = running->request;
    struct plan_case *c = running->c;
    uint64_t rows = 0;
    if (request->db == NULL || request->timeline_given)
        return STATUS_OK;
    enum status status = count_rows(running, &rows);
    if (status != STATUS_OK || rows <= TIMELINE_ROWS_MAX)
        return status;
    return diag_add(&c->diag, STATUS_BAD_INPUT, place_none(),
                    "the timeline has %s rows; more than %s have to be asked for\n"
                    "write '--timeline core0' or '--timeline none' to save less of it, or "
                    "'--timeline all'",
                    text_number(&c->arena, rows), text_number(&c->arena, TIMELINE_ROWS_MAX));
}

static enum status open_store(struct running *running)
{
    struct plan_case *c = running->c;
    if (running->request->db == NULL)
        return STATUS_OK;
    enum status status = store_open(running->request->db, true, &c->diag, &running->store);
    if (status == STATUS_OK)
        status = subject_plan(&c->plan, &running->program, &c->arena, &running->subject);
    if (status == STATUS_OK)
        status = store_begin(running->store, &running->subject, CUBESIM_VERSION, &c->diag,
                             &running->run_id);
    return status;
}

static enum status simulate(struct running *running)
{
    const struct run_request *request = running->request;
    struct plan_case *c = running->c;
    bool rows = running->store != NULL && request->timeline != TIMELINE_NONE;
    struct run_options options = {
        .timing_only = request->files.check_only,
        .verify = request->verify,
        .with_range = true,
        .input = &running->data.input,
        .weight = &running->data.weight,
        .bias = c->plan.conv.bias ? &running->data.bias : NULL,
        .sink = rows ? store_row : NULL,
        .sink_context = running->store,
        .core0_only = request->timeline == TIMELINE_CORE0,
    };
    enum status status = run_plan(&c->plan, &options, &c->arena, &c->diag, &running->result);
    if (status != STATUS_OK && rows && *store_problem(running->store) != '\0')
        return diag_add(&c->diag, status, place_none(), "%s", store_problem(running->store));
    if (request->hazards == HAZARDS_OFF)
        running->result.hazard_count = running->result.hazards_kept = 0;
    return status;
}

/* Tensor and database; what cannot be written leaves no run behind. */
static enum status save(struct running *running)
{
    const struct run_request *request = running->request;
    struct diag *diag = &running->c->diag;
    if (request->output != NULL && running->result.has_output) {
        enum status status = npy_save(request->output, place_none(), &running->result.output, diag);
        if (status != STATUS_OK)
            return status;
    }
    return running->store != NULL ? store_finish(running->store, &running->result, diag)
                                  : STATUS_OK;
}

static enum status run_steps(struct running *running)
{
    const struct run_request *request = running->request;
    struct plan_case *c = running->c;
    enum status status =
        run_data_make(&c->plan.conv, &request->files, &c->arena, &c->diag, &running->data);
    if (status == STATUS_OK)
        status = lower_plan(&c->plan, &c->arena, &c->diag, &running->program);
    if (status == STATUS_OK)
        status = check_rows(running);
    if (status == STATUS_OK)
        status = open_store(running);
    catch_interrupt();
    if (status == STATUS_OK)
        status = simulate(running);
    if (status == STATUS_OK)
        status = save(running);
    /* Takes back a run that is not finished. */
    store_close(running->store);
    return status;
}

static void print_hazards(const struct running *running)
{
    const struct run_result *result = &running->result;
    const char *word = running->request->hazards == HAZARDS_ERROR ? "hazard" : "warning";
    uint64_t told = result->hazards_kept < HAZARDS_TOLD ? result->hazards_kept : HAZARDS_TOLD;
    struct arena *arena = &running->c->arena;
    for (uint64_t i = 0; i < told; i++)
        message_print(stderr,
                      text_format(arena, "%s: %s, core %" PRIu32 ", instruction %s: ", word,
                                  hazard_word(result->hazards[i].kind), result->hazards[i].core,
                                  text_number(arena, result->hazards[i].seq)),
                      result->hazards[i].message);
    if (result->hazard_count > told)
        fprintf(stderr, "%s more hazards\n", text_number(arena, result->hazard_count - told));
}

static void print_mismatch(const struct running *running)
{
    const struct run_result *result = &running->result;
    if (!result->verified || result->comparison.mismatches == 0)
        return;
    struct arena *arena = &running->c->arena;
    message_print(stderr, text_format(arena, "%s: ", running->request->plan.common.command),
                  text_format(arena,
                              "%s of %s values differ from the direct convolution, by %g at most; "
                              "the first is number %s",
                              text_number(arena, result->comparison.mismatches),
                              text_number(arena, result->comparison.compared),
                              result->comparison.max_abs_error,
                              text_number(arena, result->comparison.first_index)));
}

static enum status run_verdict(const struct running *running)
{
    const struct run_result *result = &running->result;
    if (interrupted != 0)
        return STATUS_STOPPED;
    if (result->deadlocked)
        return STATUS_DEADLOCK;
    if (result->verified && result->comparison.mismatches > 0)
        return STATUS_BROKEN;
    if (running->request->hazards == HAZARDS_ERROR && result->hazard_count > 0)
        return STATUS_BROKEN;
    return STATUS_OK;
}

static int run_run(struct plan_case *c, const struct run_request *request)
{
    int code = plan_case_make(c, &request->plan, request->cores);
    if (code != 0)
        return code;
    struct running *running = arena_take(&c->arena, 1, sizeof *running);
    if (running == NULL)
        text_need(NULL);
    *running = (struct running){.request = request, .c = c};
    enum status status = run_steps(running);
    if (status != STATUS_OK)
        return problems_print(&c->diag, request->plan.common.command, status);
    print_hazards(running);
    print_mismatch(running);
    struct run_view view = {
        .plan = &c->plan,
        .result = &running->result,
        .timing_only = request->files.check_only,
        .hazards_off = request->hazards == HAZARDS_OFF,
        .files = &request->files,
        .data = &running->data,
        .db = request->db,
        .run_id = running->run_id,
        .timeline_stored = request->timeline != TIMELINE_NONE,
    };
    struct page page = page_stdout(&c->arena);
    if (request->plan.common.json)
        run_print_json(&view, &c->arena);
    else
        run_print_text(&page, &view);
    return status_exit_code(run_verdict(running));
}

int cmd_run(int argc, char **argv)
{
    struct plan_case c;
    plan_case_init(&c);
    struct run_request request = {
        .plan = {.common = {.missing = "PLAN; expected a file", .refused = "one plan"},
                 .arena = &c.arena},
        .files = {.seed = 1},
        .hazards = HAZARDS_WARN,
    };
    enum status status = options_parse(&run_argp, argc, argv, &request.plan.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !request.plan.common.help)
        code = run_run(&c, &request);
    plan_case_deinit(&c);
    return code;
}
