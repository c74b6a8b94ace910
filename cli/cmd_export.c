#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/bottleneck.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/problems.h"
#include "cli/text.h"
#include "cli/whole_file.h"
#include "cli/window.h"
#include "traces/export.h"
#include "traces/store.h"

/* What a format can be asked for. */
enum format_takes {
    TAKES_CORE = 1,      /* --core; else all cores whose rows are there */
    TAKES_WINDOW = 2,    /* --from, --to */
    TAKES_TIMEBASE = 4,  /* --timebase */
    TAKES_DIFF = 8,      /* --diff */
    NEEDS_ROWS = 16,     /* a run saved without its timeline has nothing to write */
    ONE_CORE = 32,       /* draws one core: --core, else the one that ends last */
    WARNS = 64,          /* tells before it writes more than viewers like */
    SHOWS_ROWS = 128,    /* where there are some */
    TAKES_SENTENCE = 256 /* what limits the run */
};

/* word of --format, what it shows, what it takes, its writer */
#define EXPORT_LIST(ROW)                                                                           \
    ROW("chrome", "a trace for MindStudio Insight, chrome://tracing and Perfetto",                 \
        TAKES_CORE | TAKES_WINDOW | TAKES_TIMEBASE | NEEDS_ROWS | WARNS, export_chrome)            \
    ROW("csv", "a row for each instruction, all columns of v_instruction",                         \
        TAKES_CORE | TAKES_WINDOW | NEEDS_ROWS, export_csv)                                        \
    ROW("html", "a page for the browser: what limits the run, its timeline, what to change",       \
        TAKES_CORE | TAKES_WINDOW | TAKES_DIFF | TAKES_SENTENCE | SHOWS_ROWS, export_html)         \
    ROW("instr_exe", "each instruction of a core once, as msopprof simulator",                     \
        TAKES_CORE | NEEDS_ROWS | ONE_CORE, export_instr_exe)                                      \
    ROW("pipe", "a row for each core, as PipeUtilization of msprof op", TAKES_CORE, export_pipe)   \
    ROW("svg", "a picture of a core for a page: lanes, waits, the critical path",                  \
        TAKES_CORE | TAKES_WINDOW | NEEDS_ROWS | ONE_CORE, export_svg)

struct format {
    const char *name;
    unsigned int takes; /* enum format_takes */
    export_writer *write;
};

static const struct format formats[] = {
#define ROW(name, shows, takes, write) {name, takes, write},
    EXPORT_LIST(ROW)
#undef ROW
};

enum { EXPORT_COUNT = sizeof formats / sizeof *formats };

enum export_key { EXPORT_FORMAT = 512, EXPORT_TIMEBASE, EXPORT_DIFF, EXPORT_OUTPUT = 'o' };

struct export_request {
    struct window_options window;
    const struct format *format;
    const char *output; /* NULL: standard output */
    bool timebase_given;
    enum timebase timebase;
    uint64_t other_run_id; /* 0: none */
};

static error_t parse_format(const char *argument, struct argp_state *state)
{
    struct export_request *request = state->input;
    const char *names[EXPORT_COUNT];
    size_t index = 0;
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        names[i] = formats[i].name;
    error_t error = options_word(state, "--format", argument, names, EXPORT_COUNT, &index);
    request->format = error == 0 ? &formats[index] : NULL;
    return error;
}

static error_t parse_timebase(const char *argument, struct argp_state *state)
{
    static const char *const words[TIMEBASE_COUNT] = {
#define ROW(name, word) word,
        TIMEBASE_LIST(ROW)
#undef ROW
    };
    struct export_request *request = state->input;
    size_t index = 0;
    error_t error = options_word(state, "--timebase", argument, words, TIMEBASE_COUNT, &index);
    request->timebase_given = true;
    request->timebase = (enum timebase)index;
    return error;
}

/* An option that a format cannot follow is refused: its silence would be taken for an answer. */
static error_t check_takes(struct argp_state *state)
{
    const struct export_request *request = state->input;
    const struct window_options *window = &request->window;
    const struct {
        const char *option;
        bool given;
        unsigned int takes;
    } rows[] = {
        {"--core", window->core_given, TAKES_CORE},
        {"--from", window->from_given, TAKES_WINDOW},
        {"--to", window->to_given, TAKES_WINDOW},
        {"--timebase", request->timebase_given, TAKES_TIMEBASE},
        {"--diff", request->other_run_id != 0, TAKES_DIFF},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && (request->format->takes & rows[i].takes) == 0)
            return options_refuse(state, "found %s with --format %s, which does not take it",
                                  rows[i].option, request->format->name);
    return 0;
}

static error_t parse_end(struct argp_state *state)
{
    const struct export_request *request = state->input;
    error_t error = window_parse(ARGP_KEY_END, NULL, state);
    if (error != 0 || request->window.common.help)
        return error;
    return request->format == NULL ? options_refuse(state, "found no --format; expected --format X")
                                   : check_takes(state);
}

static error_t export_parse(int key, char *argument, struct argp_state *state)
{
    struct export_request *request = state->input;
    switch (key) {
    case EXPORT_FORMAT:
        return parse_format(argument, state);
    case EXPORT_TIMEBASE:
        return parse_timebase(argument, state);
    case EXPORT_DIFF:
        return options_number(state, "--diff", argument, 1, INT64_MAX, &request->other_run_id);
    case EXPORT_OUTPUT:
        request->output = argument;
        return 0;
    case ARGP_KEY_END:
        return parse_end(state);
    default:
        return window_parse(key, argument, state);
    }
}

static const struct argp_option export_rows[] = {
    {"format", EXPORT_FORMAT, "X", 0, "Format, see below (needed)", 0},
    {"output", EXPORT_OUTPUT, "FILE", 0, "File to write (default: standard output)", 0},
    {"core", OPTION_CORE, "N", 0, "Core to write (default: see below)", 0},
    {"from", OPTION_FROM, "C", 0, "First cycle to write (default: 0)", 0},
    {"to", OPTION_TO, "C", 0, "Cycle to end before (default: the end of the run)", 0},
    {"timebase", EXPORT_TIMEBASE, "ns|cycle", 0,
     "What a nanosecond of the trace is: a nanosecond, or a cycle (default: ns)", 0},
    {"diff", EXPORT_DIFF, "RUN2", 0, "A second run on the same page (default: none)", 0},
    OPTION_ROW_HELP,
    {0},
};

#define ROW(name, shows, takes, write) "  " name ": " shows "\n"
static const struct argp export_argp = {
    .options = export_rows,
    .parser = export_parse,
    .args_doc = "DB [RUN]",
    .doc =
        "Writes a stored run (default: the latest) in the format of another tool. "
        "docs/export.md describes the formats.\v"
        "Formats:\n" EXPORT_LIST(
            ROW) "\n"
                 "All cores that were saved are written, unless the format shows one.\n\n"
                 "Exit status: 0 done, 2 no such run, core or timeline, 3 the file or the database "
                 "failed.",
};
#undef ROW

/* ---- writing ---- */

struct exporting {
    struct arena arena;
    struct diag diag;
    const char *path; /* of the database */
    struct store *store;
    struct stored_run run;
    struct export_options options;
};

static enum status choose_cores(struct exporting *exporting, const struct export_request *request)
{
    const struct stored_run *run = &exporting->run;
    struct export_options *options = &exporting->options;
    bool given = request->window.core_given;
    bool needs_rows = (request->format->takes & NEEDS_ROWS) != 0 ||
                      (given && (request->format->takes & SHOWS_ROWS) != 0);
    enum status status =
        needs_rows ? window_check_core(&request->window, run, exporting->path, &exporting->diag)
                   : window_check_number(&request->window, run, &exporting->diag);
    options->core_count = (uint32_t)run->cores;
    if (given) {
        options->core_first = (uint32_t)request->window.core;
        options->core_count = 1;
    } else if (!needs_rows) {
        return status;
    } else if (run->timeline == STORED_CORE0) {
        options->core_count = 1;
    } else if ((request->format->takes & ONE_CORE) != 0) {
        options->core_first = run->deciding_core;
        options->core_count = 1;
    }
    return status;
}

/* What limits a run, in the words of show. */
static enum status find_sentence(struct exporting *exporting, const struct stored_run *run,
                                 const char **sentence)
{
    double busy[PIPE_COUNT] = {0};
    struct stored_pipe *pipes = NULL;
    size_t count = 0;
    enum status status = store_read_pipes(exporting->store, run->run_id, run->deciding_core,
                                          &exporting->arena, &exporting->diag, &pipes, &count);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        busy[pipes[i].pipe] = (double)pipes[i].busy / (double)run->cycles;
    *sentence = run->deadlocked ? deadlock_text(&exporting->arena, run->cycles)
                                : bottleneck_text(&exporting->arena, run->bound, &run->path, busy);
    return STATUS_OK;
}

static enum status find_sentences(struct exporting *exporting)
{
    struct export_options *options = &exporting->options;
    struct stored_run other;
    enum status status = find_sentence(exporting, &exporting->run, &options->sentence[0]);
    if (status != STATUS_OK || options->other_run_id == 0)
        return status;
    status = store_find_run(exporting->store, options->other_run_id, &exporting->arena,
                            &exporting->diag, &other);
    return status == STATUS_OK ? find_sentence(exporting, &other, &options->sentence[1]) : status;
}

static enum status choose(struct exporting *exporting, const struct export_request *request)
{
    struct export_options *options = &exporting->options;
    enum status status = store_find_run(exporting->store, (int64_t)request->window.run_id,
                                        &exporting->arena, &exporting->diag, &exporting->run);
    options->timebase = request->timebase;
    options->other_run_id = (int64_t)request->other_run_id;
    options->has_window = request->window.from_given || request->window.to_given;
    if (status == STATUS_OK && (request->format->takes & TAKES_SENTENCE) != 0)
        status = find_sentences(exporting);
    if (status == STATUS_OK)
        status = choose_cores(exporting, request);
    if (status == STATUS_OK)
        status = window_choose(&request->window, &exporting->run, &exporting->diag, &options->from,
                               &options->to);
    return status;
}

/* Above this the old viewer of Chrome gives up, and others need long. */
enum { EVENTS_MANY = 1000000, EVENT_BYTES = 140, EVENTS_OF_A_ROW_MAX = 6 };

static enum status warn_of_size(struct exporting *exporting)
{
    char number[28];
    uint64_t events = 0;
    /* Counting takes a while; most runs are too short to need it. */
    if (exporting->run.instructions < EVENTS_MANY / EVENTS_OF_A_ROW_MAX)
        return STATUS_OK;
    enum status status = export_chrome_events(exporting->store, exporting->run.run_id,
                                              &exporting->options, &exporting->diag, &events);
    if (status != STATUS_OK || events < EVENTS_MANY)
        return status;
    const char *size = text_number(&exporting->arena, events * EVENT_BYTES / 1000000);
    message_print(
        stderr, "cubesim export: warning: ",
        text_format(&exporting->arena,
                    "about %s events, %s MB; chrome://tracing opens up to about a million; "
                    "--core, --from and --to write less",
                    grouped_format(events, number, sizeof number), size));
    return STATUS_OK;
}

static enum status write_file(struct exporting *exporting, const struct export_request *request)
{
    struct whole_file file;
    enum status status = whole_file_open(&file, request->output, exporting->path, &exporting->arena,
                                         &exporting->diag);
    if (status != STATUS_OK)
        return status;
    exporting->options.target = file.name;
    if ((request->format->takes & WARNS) != 0)
        status = warn_of_size(exporting);
    if (status == STATUS_OK)
        status = request->format->write(exporting->store, exporting->run.run_id,
                                        &exporting->options, file.file, &exporting->diag);
    return whole_file_close(&file, status, &exporting->diag);
}

static enum status export_run(struct exporting *exporting, const struct export_request *request)
{
    enum status status = store_open(exporting->path, false, &exporting->diag, &exporting->store);
    if (status == STATUS_OK)
        status = store_hold(exporting->store, &exporting->diag);
    if (status == STATUS_OK)
        status = choose(exporting, request);
    if (status == STATUS_OK)
        status = write_file(exporting, request);
    if (exporting->store != NULL)
        store_release(exporting->store);
    store_close(exporting->store);
    return status;
}

int cmd_export(int argc, char **argv)
{
    struct export_request request = {
        .window.common = {.missing = "DB; expected a database of runs"}};
    struct common_options *common = &request.window.common;
    enum status status = options_parse(&export_argp, argc, argv, common);
    if (status != STATUS_OK || common->help)
        return status_exit_code(status);
    struct exporting exporting = {.path = common->argument};
    arena_init(&exporting.arena, 0);
    diag_init(&exporting.diag);
    status = export_run(&exporting, &request);
    int code = status == STATUS_OK ? 0 : problems_print(&exporting.diag, common->command, status);
    diag_deinit(&exporting.diag);
    arena_deinit(&exporting.arena);
    return code;
}
