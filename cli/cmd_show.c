#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/bottleneck.h"
#include "cli/commands.h"
#include "cli/lanes_text.h"
#include "cli/options.h"
#include "cli/path_table.h"
#include "cli/problems.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/window.h"
#include "traces/lanes.h"
#include "traces/path_lane.h"
#include "traces/store.h"

enum { HAZARDS_SHOWN = 10, HAZARD_INDENT = 4, SUGGESTIONS_SHOWN = 3 };

enum show_key { SHOW_WIDTH = 512 };

struct show_options {
    struct window_options window;
    uint64_t width;
};

static error_t show_parse(int key, char *argument, struct argp_state *state)
{
    struct show_options *options = state->input;
    if (key == SHOW_WIDTH)
        return options_number(state, "--width", argument, TERMINAL_WIDTH_MIN, TERMINAL_WIDTH_MAX,
                              &options->width);
    return window_parse(key, argument, state);
}

static const struct argp_option show_rows[] = {
    {"core", OPTION_CORE, "N", 0, "Core to show, counted from 0 (default: the last to end)", 0},
    OPTION_ROW_FROM,
    OPTION_ROW_TO,
    {"width", SHOW_WIDTH, "N", 0, "Columns to fill (default: those of the terminal, else 80)", 0},
    OPTION_ROW_HELP,
    {0},
};

static const struct argp show_argp = {
    .options = show_rows,
    .parser = show_parse,
    .args_doc = "DB [RUN]",
    .doc = "Draws the pipes of a core over the cycles of a stored run (default: the latest), with "
           "their utilisation, what they wait for, and what limits the run.\v"
           "Exit status: 0 done, 2 no such run, core or timeline, 3 the database failed.",
};

/* What is shown, and where from. */
struct show {
    struct arena arena;
    struct diag diag;
    struct terminal terminal;
    const char *path; /* of the database */
    struct store *store;
    struct stored_run run;
    uint32_t core;
    bool drawn; /* false: the run has no rows, and only its sums are told */
    tick from, to;
    struct lanes lanes;
    struct path_lane path_lane;
    struct stored_pipe *pipes;
    size_t pipe_count;
    double busy[PIPE_COUNT];       /* of the deciding core, shares of the run */
    struct stored_hazard *hazards; /* the first HAZARDS_SHOWN */
    size_t hazard_count;
    struct stored_suggestion *suggestions;
    size_t suggestion_count;
};

/* ---- choosing ---- */

/* The core that decides, unless only core 0 was kept. Sums are there for every core. */
static enum status show_choose(struct show *show, const struct window_options *options)
{
    const struct stored_run *run = &show->run;
    bool window = options->from_given || options->to_given;
    show->drawn = run->timeline != STORED_NONE;
    show->core = run->timeline == STORED_CORE0 ? 0 : run->deciding_core;
    if (options->core_given)
        show->core = (uint32_t)options->core;
    enum status status = show->drawn || window
                             ? window_check_core(options, run, show->path, &show->diag)
                             : window_check_number(options, run, &show->diag);
    if (status == STATUS_OK)
        status = window_choose(options, run, &show->diag, &show->from, &show->to);
    return status;
}

/* ---- reading ---- */

static enum status show_read_pipes(struct show *show)
{
    enum status status =
        store_read_pipes(show->store, show->run.run_id, show->run.deciding_core, &show->arena,
                         &show->diag, &show->pipes, &show->pipe_count);
    for (size_t i = 0; i < show->pipe_count && status == STATUS_OK; i++)
        show->busy[show->pipes[i].pipe] = (double)show->pipes[i].busy / (double)show->run.cycles;
    if (status == STATUS_OK && show->core != show->run.deciding_core)
        status = store_read_pipes(show->store, show->run.run_id, show->core, &show->arena,
                                  &show->diag, &show->pipes, &show->pipe_count);
    return status;
}

static enum status show_read_lanes(struct show *show)
{
    enum status status = lanes_init(&show->lanes, show->from, show->to,
                                    lanes_text_columns(show->terminal.width), &show->arena);
    if (status == STATUS_OK)
        status = store_visit_rows(show->store, show->run.run_id, show->core, show->from, show->to,
                                  lanes_add_row, &show->lanes, &show->diag);
    if (status == STATUS_OK && show->run.deadlocked)
        status = store_visit_standing(show->store, show->run.run_id, show->core, lanes_add_row,
                                      &show->lanes, &show->diag);
    if (status == STATUS_OK)
        status = path_lane_init(&show->path_lane, &show->lanes, &show->arena);
    if (status == STATUS_OK)
        status = store_visit_path(show->store, show->run.run_id, path_lane_add_step,
                                  &show->path_lane, &show->diag);
    return status;
}

static enum status show_read(struct show *show, const struct window_options *options)
{
    enum status status = store_open(show->path, false, &show->diag, &show->store);
    if (status == STATUS_OK)
        status = store_find_run(show->store, (int64_t)options->run_id, &show->arena, &show->diag,
                                &show->run);
    if (status == STATUS_OK)
        status = show_choose(show, options);
    if (status == STATUS_OK)
        status = show_read_pipes(show);
    if (status == STATUS_OK && show->drawn)
        status = show_read_lanes(show);
    if (status == STATUS_OK)
        status = store_read_hazards(show->store, show->run.run_id, HAZARDS_SHOWN, &show->arena,
                                    &show->diag, &show->hazards, &show->hazard_count);
    if (status == STATUS_OK)
        status = store_read_suggestions(show->store, show->run.run_id, &show->arena, &show->diag,
                                        &show->suggestions, &show->suggestion_count);
    return status;
}

/* ---- printing ---- */

/* Whole cycles from 100 on, else with one decimal unless that is 0. */
static const char *cycles_per_column(struct show *show)
{
    tick window = show->to - show->from, columns = show->lanes.column_count;
    if (window % columns == 0 || window / columns >= 100)
        return text_number(&show->arena, (window + columns / 2) / columns);
    return text_format(&show->arena, "%.1f", (double)window / (double)columns);
}

static void show_print_head(struct show *show)
{
    struct arena *arena = &show->arena;
    const struct stored_run *run = &show->run;
    const char *head =
        text_format(arena, "run %" PRId64 ", core %" PRIu32 ", cycles %s - %s (%.2f us)",
                    run->run_id, show->core, text_number(arena, show->from),
                    text_number(arena, show->to), (double)(show->to - show->from) / run->clock_mhz);
    if (show->drawn) {
        const char *per_column = cycles_per_column(show);
        head = text_format(arena, "%s, %s cycle%s per column", head, per_column,
                           strcmp(per_column, "1") == 0 ? "" : "s");
    }
    const char *bold = terminal_style(&show->terminal, STYLE_BOLD);
    const char *plain = terminal_style(&show->terminal, STYLE_PLAIN);
    const char *rest = head;
    while (*rest != '\0')
        printf("%s%s%s\n", bold, text_line(arena, &rest, show->terminal.width), plain);
    text_print_wrapped(stdout, arena, "", 0, text_format(arena, "%s on %s", run->problem, run->soc),
                       show->terminal.width);
    if (run->timeline == STORED_CORE0 && run->deciding_core != 0)
        printf("core %" PRIu32 " is the last to end; only core 0 was saved\n", run->deciding_core);
}

/* The flag of a wait_flag, "flag id 0", or the instruction that waited, "mmad #6". */
static const char *waiter_text(struct show *show, const struct stored_row *row)
{
    const char *id = strstr(row->operands, "id=");
    if (strcmp(row->opcode, "wait_flag") == 0 && id != NULL)
        return text_format(&show->arena, "flag id %.*s", (int)strcspn(id + strlen("id="), " "),
                           id + strlen("id="));
    return text_format(&show->arena, "%s #%s", row->opcode, text_number(&show->arena, row->seq));
}

/* ", set by fixpipe #1,787", or "" when nothing is known about it. */
static enum status blocker_text(struct show *show, const struct lane_wait *wait, const char **text)
{
    struct stored_row *row = NULL;
    *text = "";
    if (wait->blocker_seq == ROW_NO_BLOCKER)
        return STATUS_OK;
    enum status status =
        store_read_row(show->store, show->run.run_id, wait->blocker_core, wait->blocker_pipe,
                       wait->blocker_seq, &show->arena, &show->diag, &row);
    if (status == STATUS_OK && row != NULL)
        *text = text_format(&show->arena, "%s %s #%s",
                            strcmp(row->opcode, "set_flag") == 0 ? ", set by" : ", behind",
                            row->opcode, text_number(&show->arena, row->seq));
    return status;
}

static enum status show_print_longest_wait(struct show *show)
{
    const struct lane_wait *wait = &show->lanes.longest;
    struct stored_row *row = NULL;
    const char *blocker = "";
    const struct lanes_text words = {.arena = &show->arena};
    if (wait->cycles == 0) {
        puts("longest wait: none");
        return STATUS_OK;
    }
    if (wait->seq == ROW_NO_BLOCKER) {
        text_print_wrapped(stdout, &show->arena, "longest wait: ", strlen("longest wait: "),
                           text_format(&show->arena, "%s %s cycles for %s, and for ever",
                                       pipe_word((enum pipe)wait->pipe),
                                       text_number(&show->arena, wait->cycles),
                                       lanes_text_reason(&words, wait->reason)),
                           show->terminal.width);
        return STATUS_OK;
    }
    enum status status = store_read_row(show->store, show->run.run_id, show->core, wait->pipe,
                                        wait->seq, &show->arena, &show->diag, &row);
    if (status == STATUS_OK)
        status = blocker_text(show, wait, &blocker);
    if (status != STATUS_OK || row == NULL)
        return status;
    const char *all = wait->all > wait->cycles ? text_format(&show->arena, " here, of %s,",
                                                             text_number(&show->arena, wait->all))
                                               : "";
    const char *line =
        text_format(&show->arena, "%s %s cycles%s for %s (%s%s)", pipe_word((enum pipe)wait->pipe),
                    text_number(&show->arena, wait->cycles), all,
                    lanes_text_reason(&words, wait->reason), waiter_text(show, row), blocker);
    text_print_wrapped(stdout, &show->arena, "longest wait: ", strlen("longest wait: "), line,
                       show->terminal.width);
    return STATUS_OK;
}

/* What a run was found to do wrong, as it was saved. */
static void show_print_hazards(struct show *show)
{
    struct arena *arena = &show->arena;
    const struct stored_run *run = &show->run;
    uint64_t more = run->hazards > show->hazard_count ? run->hazards - show->hazard_count : 0;
    if (run->hazards == 0)
        return;
    printf("\n%s hazard%s\n", text_number(arena, run->hazards), run->hazards == 1 ? "" : "s");
    for (size_t i = 0; i < show->hazard_count; i++) {
        const struct stored_hazard *hazard = &show->hazards[i];
        text_print_wrapped(stdout, arena, "", HAZARD_INDENT,
                           text_format(arena, "%s, core %" PRIu32 ", instruction %s: %s",
                                       hazard->kind, hazard->core, text_number(arena, hazard->seq),
                                       hazard->message),
                           show->terminal.width);
    }
    if (more > 0)
        text_print_wrapped(stdout, arena, "", 0,
                           text_format(arena,
                                       "%s more; 'SELECT * FROM v_hazard WHERE run_id = %" PRId64
                                       "' has what is kept of them",
                                       text_number(arena, more), run->run_id),
                           show->terminal.width);
}

/* The fastest changes that were simulated when the run was saved. */
static void show_print_suggestions(struct show *show)
{
    struct arena *arena = &show->arena;
    const char *text = "";
    if (show->suggestion_count == 0)
        return;
    for (size_t i = 0; i < show->suggestion_count && i < SUGGESTIONS_SHOWN; i++) {
        const struct stored_suggestion *suggestion = &show->suggestions[i];
        double change = (double)suggestion->cycles / (double)show->run.cycles - 1.0;
        text = text_format(arena, "%s%s%s (%s)", text, i > 0 ? "; " : "", suggestion->change,
                           text_change(arena, change));
    }
    fputc('\n', stdout);
    text_print_wrapped(stdout, arena, "try", strlen("try "),
                       text_format(arena, "%s: simulated", text), show->terminal.width);
}

/* Lanes with what belongs to them, closed by an empty line. */
static enum status show_print_lanes(struct show *show, const struct lanes_text *text)
{
    lanes_text_print(text);
    fputc('\n', stdout);
    enum status status = show_print_longest_wait(show);
    if (status != STATUS_OK)
        return status;
    fputc('\n', stdout);
    lanes_text_print_legend(text);
    fputc('\n', stdout);
    return STATUS_OK;
}

/* In place of lanes: why there are none. */
static void show_print_no_lanes(struct show *show)
{
    text_print_wrapped(stdout, &show->arena, "", 0,
                       "saved without its timeline, so nothing is drawn; run it again with "
                       "--timeline all, or core0",
                       show->terminal.width);
    fputc('\n', stdout);
}

static enum status show_print(struct show *show)
{
    const struct lanes_text text = {
        .terminal = &show->terminal,
        .arena = &show->arena,
        .lanes = &show->lanes,
        .path = &show->path_lane,
        .core = show->core,
        .pipes = show->pipes,
        .pipe_count = show->pipe_count,
        .cycles = show->run.cycles,
    };
    enum status status = STATUS_OK;
    show_print_head(show);
    fputc('\n', stdout);
    if (show->drawn)
        status = show_print_lanes(show, &text);
    else
        show_print_no_lanes(show);
    if (status != STATUS_OK)
        return status;
    lanes_text_print_waits(&text);
    if (!show->drawn) {
        const struct page page = {stdout, &show->arena, show->terminal, show->terminal.width};
        path_table_print(&page, &show->run.path, show->run.cycles);
    }
    fputc('\n', stdout);
    const char *verdict = show->run.deadlocked ? deadlock_text(&show->arena, show->run.cycles)
                                               : bottleneck_text(&show->arena, show->run.bound,
                                                                 &show->run.path, show->busy);
    text_print_wrapped(stdout, &show->arena, "", 0, verdict, show->terminal.width);
    show_print_hazards(show);
    show_print_suggestions(show);
    return STATUS_OK;
}

int cmd_show(int argc, char **argv)
{
    struct show_options options = {.window.common = {.missing = "DB; expected a database of runs"}};
    struct common_options *common = &options.window.common;
    enum status status = options_parse(&show_argp, argc, argv, common);
    if (status != STATUS_OK || common->help)
        return status_exit_code(status);
    struct show show = {.path = common->argument, .terminal = terminal_look(stdout, options.width)};
    arena_init(&show.arena, 0);
    diag_init(&show.diag);
    status = show_read(&show, &options.window);
    if (status == STATUS_OK)
        status = show_print(&show);
    int code = status == STATUS_OK ? 0 : problems_print(&show.diag, common->command, status);
    store_close(show.store);
    diag_deinit(&show.diag);
    arena_deinit(&show.arena);
    return code;
}
