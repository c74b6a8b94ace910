#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/diff_view.h"
#include "cli/options.h"
#include "cli/problems.h"
#include "cli/text.h"

enum { WORDS_MAX = 4 };

enum diff_key { DIFF_FAIL_ON = 512, DIFF_SET_A, DIFF_SET_B, DIFF_MATCH };

struct diff_options {
    struct common_options common;
    const char *word[WORDS_MAX];
    size_t word_count;
    struct diff_limit limit;
    const char *condition[2];
    bool match_given;
    size_t match; /* enum pair_match */
};

static error_t take_percent(struct argp_state *state, const char *argument,
                            struct diff_limit *limit)
{
    char *end = NULL, shown[EXCERPT_SIZE_BYTES];
    double percent = strtod(argument, &end);
    bool digit = argument[0] >= '0' && argument[0] <= '9';
    if (!digit || (*end != '\0' && strcmp(end, "%") != 0) || !isfinite(percent))
        return options_refuse(state,
                              "--fail-on: found '%s'; expected a percentage from 0, such as "
                              "2 or 0.5",
                              excerpt_format(argument, shown, sizeof shown));
    *limit = (struct diff_limit){true, percent};
    return 0;
}

static error_t diff_parse(int key, char *argument, struct argp_state *state)
{
    static const char *const matches[MATCH_COUNT] = {
        [MATCH_TILING] = "tiling", [MATCH_PLAN] = "plan", [MATCH_PROBLEM] = "problem"};
    struct diff_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (options->word_count == WORDS_MAX)
            return options_refuse(state, "found '%s' behind '%s'; expected DB RUN_A RUN_B",
                                  argument, options->word[WORDS_MAX - 1]);
        options->word[options->word_count++] = argument;
        options->common.argument = options->word[0];
        return 0;
    case DIFF_FAIL_ON:
        return take_percent(state, argument, &options->limit);
    case DIFF_SET_A:
        options->condition[0] = argument;
        return 0;
    case DIFF_SET_B:
        options->condition[1] = argument;
        return 0;
    case DIFF_MATCH:
        options->match_given = true;
        return options_word(state, "--match", argument, matches, MATCH_COUNT, &options->match);
    default:
        return options_parse_common(key, argument, state);
    }
}

static const struct argp_option diff_rows[] = {
    {"fail-on", DIFF_FAIL_ON, "PERCENT", 0,
     "Exit 1 when B is more than so much slower than A (default: never)", 0},
    {"set-a", DIFF_SET_A, "CONDITION", 0,
     "Sets: runs of A, an SQL condition on columns of v_run (default: all)", 0},
    {"set-b", DIFF_SET_B, "CONDITION", 0, "Sets: runs of B (default: all)", 0},
    {"match", DIFF_MATCH, "WHAT", 0,
     "Sets: what a run of A and one of B have in common: tiling (problem, tiling and SoC), plan "
     "(all "
     "of it) or problem (default: tiling)",
     0},
    OPTION_ROW_JSON,
    OPTION_ROW_HELP,
    {0},
};

static const struct argp diff_argp = {
    .options = diff_rows,
    .parser = diff_parse,
    .args_doc = "DB RUN_A [RUN_B]\nDB_A RUN_A DB_B RUN_B\nDB_A DB_B\nDB --set-a CONDITION --set-b "
                "CONDITION",
    .doc = "Says what changed from one stored run to another: plan, tile, schedule, product, time, "
           "critical path, pipes and what they wait for (RUN_B: default the latest). Given two "
           "databases or two conditions, it pairs the runs of two sets and compares their times.\v"
           "Exit status: 0 done, 1 B is slower than --fail-on allows, or with --fail-on a run of A "
           "has no partner in B, 2 no such run, 3 the database failed.",
};

/* ---- what is compared ---- */

struct diff {
    struct arena arena;
    struct diag diag;
    const char *path[2];
    int64_t run_id[2]; /* 0: the latest */
    bool sets;
    struct store *store[2]; /* the same of one database */
};

static bool is_run(const char *word)
{
    return *word != '\0' && word[strspn(word, "0123456789")] == '\0';
}

static enum status take_run(struct diff *diff, int side, const char *word)
{
    char shown[EXCERPT_SIZE_BYTES];
    unsigned long long number = is_run(word) && strlen(word) < 19 ? strtoull(word, NULL, 10) : 0;
    if (number == 0)
        return diag_add(&diff->diag, STATUS_BAD_INPUT, place_none(),
                        "%s: found '%s'; expected the number of a run, from 1",
                        side == 0 ? "RUN_A" : "RUN_B", excerpt_format(word, shown, sizeof shown));
    diff->run_id[side] = (int64_t)number;
    return STATUS_OK;
}

/* DB [RUN_A [RUN_B]], DB RUN DB RUN or DB DB; a word of digits is a run. */
static enum status choose(struct diff *diff, const struct diff_options *options)
{
    const char *const *word = options->word;
    size_t count = options->word_count;
    bool conditions = options->condition[0] != NULL || options->condition[1] != NULL;
    diff->path[0] = diff->path[1] = word[0];
    diff->sets = (count == 2 && !is_run(word[1])) || count == 1;
    if (count == 1 && (options->condition[0] == NULL || options->condition[1] == NULL))
        return diag_add(&diff->diag, STATUS_BAD_INPUT, place_none(),
                        "found one database and no run; expected DB RUN_A RUN_B, DB_A DB_B, or "
                        "DB with --set-a and --set-b");
    if (!diff->sets && (conditions || options->match_given))
        return diag_add(&diff->diag, STATUS_BAD_INPUT, place_none(),
                        "found %s beside runs; expected it with DB_A DB_B or with DB alone",
                        conditions ? "--set-a or --set-b" : "--match");
    if (count == 2 && diff->sets)
        diff->path[1] = word[1];
    if (diff->sets)
        return STATUS_OK;
    enum status status = take_run(diff, 0, word[1]);
    if (count == 4)
        diff->path[1] = word[2];
    if (count == 2 || status != STATUS_OK)
        return status;
    return take_run(diff, 1, word[count - 1]);
}

static enum status open_stores(struct diff *diff)
{
    enum status status = store_open(diff->path[0], false, &diff->diag, &diff->store[0]);
    diff->store[1] = diff->store[0];
    if (status == STATUS_OK && strcmp(diff->path[0], diff->path[1]) != 0) {
        diff->store[1] = NULL;
        status = store_open(diff->path[1], false, &diff->diag, &diff->store[1]);
    }
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        if (side == 0 || diff->store[1] != diff->store[0])
            status = store_hold(diff->store[side], &diff->diag);
    return status;
}

static void close_stores(struct diff *diff)
{
    if (diff->store[1] != diff->store[0])
        store_close(diff->store[1]);
    store_close(diff->store[0]);
}

/* ---- two runs ---- */

static enum status read_side(struct diff *diff, int side, struct diff_side *run)
{
    struct store *store = diff->store[side];
    struct stored_pipe *pipes = NULL;
    size_t count = 0;
    run->path = diff->path[side];
    enum status status =
        store_find_run(store, diff->run_id[side], &diff->arena, &diff->diag, &run->run);
    if (status == STATUS_OK)
        status = store_read_definition(store, run->run.run_id, &diff->arena, &diff->diag,
                                       &run->definition);
    if (status == STATUS_OK)
        status = store_read_pipes(store, run->run.run_id, run->run.deciding_core, &diff->arena,
                                  &diff->diag, &pipes, &count);
    if (status == STATUS_OK)
        run->pipes = pipe_set_make(pipes, count);
    return status;
}

static tick path_change_size(const struct path_change *change)
{
    return change->a > change->b ? change->a - change->b : change->b - change->a;
}

static struct path_change *path_find(struct diff_view *view, const char *name)
{
    for (size_t i = 0; i < view->path_count; i++)
        if (strcmp(view->path[i].name, name) == 0)
            return &view->path[i];
    struct path_change *row = &view->path[view->path_count++];
    *row = (struct path_change){.name = name};
    return row;
}

/* Entries of both paths, the largest change first; equals as they stand in A. */
static void compare_paths(struct diff_view *view, struct arena *arena)
{
    struct named_cycles entries[PATH_ENTRIES_MAX];
    for (int side = 0; side < 2; side++) {
        size_t count = path_entries(&view->side[side].run.path, arena, entries);
        for (size_t i = 0; i < count; i++)
            *(side == 0 ? &path_find(view, entries[i].name)->a
                        : &path_find(view, entries[i].name)->b) = entries[i].cycles;
    }
    for (size_t i = 1; i < view->path_count; i++) {
        struct path_change row = view->path[i];
        size_t at = i;
        for (; at > 0 && path_change_size(&view->path[at - 1]) < path_change_size(&row); at--)
            view->path[at] = view->path[at - 1];
        view->path[at] = row;
    }
}

double diff_ratio(const struct diff_view *view)
{
    const struct stored_run *a = &view->side[0].run, *b = &view->side[1].run;
    double own = (double)a->cycles * b->clock_mhz, other = (double)b->cycles * a->clock_mhz;
    return own > 0.0 ? (other - own) / own : 0.0;
}

struct run_time {
    uint64_t cycles;
    double clock_mhz;
    bool deadlocked;
};

/* Whether b is slower than a limit allows; exact where the clocks are equal. */
static bool is_beyond(const struct diff_limit *limit, struct run_time a, struct run_time b)
{
    bool same = a.clock_mhz == b.clock_mhz;
    double own = (double)a.cycles * (same ? 1.0 : b.clock_mhz);
    double other = (double)b.cycles * (same ? 1.0 : a.clock_mhz);
    if (!limit->given)
        return false;
    if (a.deadlocked || b.deadlocked)
        return !a.deadlocked;
    return 100.0 * (other - own) > limit->percent * own;
}

static struct run_time stored_time(const struct stored_run *run)
{
    return (struct run_time){run->cycles, run->clock_mhz, run->deadlocked};
}

static struct run_time listed_time(const struct listed_run *run)
{
    return (struct run_time){run->cycles, run->clock_mhz, run->deadlocked};
}

static enum status diff_runs(struct diff *diff, const struct diff_options *options, bool *failed)
{
    struct diff_view *view = arena_take(&diff->arena, 1, sizeof *view);
    if (view == NULL)
        return diag_add(&diff->diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    view->limit = options->limit;
    view->one_database = diff->store[0] == diff->store[1];
    enum status status = read_side(diff, 0, &view->side[0]);
    if (status == STATUS_OK)
        status = read_side(diff, 1, &view->side[1]);
    const struct diff_side *a = &view->side[0], *b = &view->side[1];
    if (status == STATUS_OK)
        status = diff_definitions(&a->definition, &b->definition, &diff->arena, &diff->diag,
                                  &view->keys, &view->key_count);
    if (status != STATUS_OK)
        return status;
    compare_paths(view, &diff->arena);
    view->wait_count = diff_waits(&a->pipes, &b->pipes, view->waits);
    if (a->run.cycles != b->run.cycles && !a->run.deadlocked && !b->run.deadlocked)
        view->has_reason =
            diff_reason(&a->pipes, &b->pipes, b->run.cycles < a->run.cycles, &view->reason);
    *failed = view->failed = is_beyond(&view->limit, stored_time(&a->run), stored_time(&b->run));
    const struct page page = page_stdout(&diff->arena);
    if (options->common.json)
        diff_print_json(view, &diff->arena);
    else
        diff_print_text(&page, view);
    return STATUS_OK;
}

/* ---- two sets ---- */

static bool sets_failed(const struct sets_view *view)
{
    if (view->limit.given && view->pairs.alone_count[0] > 0)
        return true;
    for (size_t i = 0; i < view->pairs.count; i++)
        if (is_beyond(&view->limit, listed_time(view->pairs.pairs[i].a),
                      listed_time(view->pairs.pairs[i].b)))
            return true;
    return false;
}

static enum status no_pairs(struct diff *diff, const struct sets_view *view, enum pair_match match)
{
    static const char *const expected[MATCH_COUNT] = {
        [MATCH_TILING] = "problem, tiling and SoC (--match problem asks for the problem alone)",
        [MATCH_PLAN] = "plan (--match tiling leaves out the schedule)",
        [MATCH_PROBLEM] = "problem"};
    return diag_add(
        &diff->diag, STATUS_BAD_INPUT, place_none(),
        "found no run of B that belongs to one of A, of %zu in A and %zu in B; expected "
        "two of the same %s",
        view->run_count[0], view->run_count[1], expected[match]);
}

static enum status diff_sets(struct diff *diff, const struct diff_options *options, bool *failed)
{
    struct listed_run *runs[2] = {NULL, NULL};
    struct sets_view view = {.limit = options->limit};
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        view.path[side] = diff->path[side];
        view.condition[side] = options->condition[side];
        status = store_list_runs(diff->store[side], options->condition[side], &diff->arena,
                                 &diff->diag, &runs[side], &view.run_count[side]);
    }
    if (status != STATUS_OK)
        return status;
    if (run_pairs_make(runs[0], view.run_count[0], runs[1], view.run_count[1],
                       (enum pair_match)options->match, &diff->arena, &view.pairs) != STATUS_OK)
        return diag_add(&diff->diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    if (view.pairs.count == 0)
        return no_pairs(diff, &view, (enum pair_match)options->match);
    *failed = view.failed = sets_failed(&view);
    const struct page page = page_stdout(&diff->arena);
    if (options->common.json)
        sets_print_json(&view);
    else
        sets_print_text(&page, &view);
    return STATUS_OK;
}

int cmd_diff(int argc, char **argv)
{
    struct diff_options options = {.common = {.missing = "DB; expected a database of runs"}};
    enum status status = options_parse(&diff_argp, argc, argv, &options.common);
    if (status != STATUS_OK || options.common.help)
        return status_exit_code(status);
    struct diff diff = {0};
    bool failed = false;
    arena_init(&diff.arena, 0);
    diag_init(&diff.diag);
    status = choose(&diff, &options);
    if (status == STATUS_OK)
        status = open_stores(&diff);
    if (status == STATUS_OK)
        status =
            diff.sets ? diff_sets(&diff, &options, &failed) : diff_runs(&diff, &options, &failed);
    int code = status_exit_code(failed ? STATUS_BROKEN : STATUS_OK);
    if (status != STATUS_OK)
        code = problems_print(&diff.diag, options.common.command, status);
    close_stores(&diff);
    diag_deinit(&diff.diag);
    arena_deinit(&diff.arena);
    return code;
}
