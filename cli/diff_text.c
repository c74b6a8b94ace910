#include <inttypes.h>
#include <string.h>

#include "cli/diff_view.h"
#include "cli/lanes_text.h"
#include "cli/text.h"

enum { WAITS_SHOWN = 10, PRODUCT_KEYS_SHOWN = 20, VALUE_COLUMNS = 18, KEY_COLUMNS = 34 };

static const struct stored_run *run_of(const struct diff_view *view, int side)
{
    return &view->side[side].run;
}

const char *diff_side_word(const struct diff_view *view, int side, struct arena *arena)
{
    if (!view->one_database)
        return side == 0 ? "A" : "B";
    return text_format(arena, "run %" PRId64, run_of(view, side)->run_id);
}

/* "run 17", "B (run 3 of new.db)". */
static const char *side_name(const struct page *page, const struct diff_view *view, int side)
{
    const char *word = diff_side_word(view, side, page->arena);
    if (view->one_database)
        return word;
    return text_format(page->arena, "%s (run %" PRId64 " of %s)", word, run_of(view, side)->run_id,
                       view->side[side].path);
}

/* ---- verdict ---- */

static const char *time_text(const struct page *page, const struct stored_run *run)
{
    return text_format(page->arena, "%s cycles (%s us)", text_number(page->arena, run->cycles),
                       text_real(page->arena, (double)run->cycles / run->clock_mhz, 2));
}

static const char *verdict_text(const struct page *page, const struct diff_view *view)
{
    const struct stored_run *a = run_of(view, 0), *b = run_of(view, 1);
    const char *head = text_change(page->arena, diff_ratio(view));
    if (a->deadlocked || b->deadlocked)
        return text_format(page->arena, "%s %s after %s, %s %s %s", side_name(page, view, 1),
                           b->deadlocked ? "stands for ever" : "ends", time_text(page, b),
                           side_name(page, view, 0), a->deadlocked ? "stood after" : "took",
                           time_text(page, a));
    if (diff_ratio(view) == 0.0)
        head = "no change";
    return text_format(page->arena, "%s: %s takes %s, %s took %s", head, side_name(page, view, 1),
                       time_text(page, b), side_name(page, view, 0), time_text(page, a));
}

static void print_verdict(const struct page *page, const struct diff_view *view)
{
    const struct stored_run *a = run_of(view, 0), *b = run_of(view, 1);
    bool gained = !b->deadlocked && diff_ratio(view) < 0.0;
    page_sentence(page,
                  view->failed ? STYLE_RED
                  : gained     ? STYLE_GREEN
                               : STYLE_BOLD,
                  verdict_text(page, view));
    if (view->failed)
        page_sentence(
            page, STYLE_RED,
            text_format(page->arena, "failed: --fail-on allows +%.6g %%", view->limit.percent));
    if (a->clock_mhz != b->clock_mhz && a->cycles > 0)
        page_sentence(
            page, STYLE_PLAIN,
            text_format(page->arena, "%s in cycles, of %s and %s MHz: the tables count cycles",
                        text_change(page->arena, (double)b->cycles / (double)a->cycles - 1.0),
                        text_real(page->arena, a->clock_mhz, 0),
                        text_real(page->arena, b->clock_mhz, 0)));
    if (strcmp(a->bound, b->bound) != 0)
        page_sentence(page, STYLE_PLAIN,
                      text_format(page->arena, "%s-bound became %s-bound", a->bound, b->bound));
    else
        page_sentence(page, STYLE_PLAIN, text_format(page->arena, "both %s-bound", a->bound));
}

/* ---- what changed in plan and product ---- */

/* A text of several lines is told by their number. */
static const char *value_text(const struct page *page, const char *value)
{
    uint64_t lines = 0;
    if (value == NULL)
        return "-";
    for (const char *at = value; *at != '\0'; at++)
        lines += *at == '\n';
    if (lines == 0)
        return value;
    return text_format(page->arena, "%s line%s", text_number(page->arena, lines),
                       lines == 1 ? "" : "s");
}

static bool fits_table(const struct page *page, const struct changed_key *key)
{
    return text_columns(key->key) <= KEY_COLUMNS &&
           text_columns(value_text(page, key->a)) <= VALUE_COLUMNS &&
           text_columns(value_text(page, key->b)) <= VALUE_COLUMNS;
}

/* A value that does not fit stands in a line of its own. */
static void print_long_key(const struct page *page, const struct diff_view *view,
                           const struct changed_key *key)
{
    fprintf(page->stream, "%s\n", key->key);
    for (int side = 0; side < 2; side++) {
        const char *head =
            text_format(page->arena, "    %s: ", diff_side_word(view, side, page->arena));
        text_print_wrapped(page->stream, page->arena, head, text_columns(head),
                           value_text(page, side == 0 ? key->a : key->b), page->width);
    }
}

/* The keys that are told, of the product only the first: values before what says how firm they are.
 * Returns how many; hidden gets how many more there are. */
static size_t choose_keys(const struct diff_view *view, const struct changed_key **keys,
                          size_t *hidden)
{
    size_t count = 0, product = 0;
    *hidden = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < view->key_count; i++) {
            const struct changed_key *key = &view->keys[i];
            if (key->detail != (pass == 1))
                continue;
            if (strcmp(key->part, "product") == 0 && product++ >= PRODUCT_KEYS_SHOWN)
                ++*hidden;
            else
                keys[count++] = key;
        }
    return count;
}

static void print_keys(const struct page *page, const struct diff_view *view)
{
    struct table table;
    const struct changed_key **keys = arena_take(page->arena, view->key_count, sizeof *keys);
    size_t hidden = 0;
    if (keys == NULL)
        text_need(NULL);
    size_t count = choose_keys(view, keys, &hidden);
    if (count == 0) {
        fputs("\nchanged: nothing in plan, product and version\n", page->stream);
        return;
    }
    table_init(&table, page->arena, "lrr");
    table_add(&table, (const char *[]){"changed", diff_side_word(view, 0, page->arena),
                                       diff_side_word(view, 1, page->arena)});
    for (size_t i = 0; i < count; i++)
        if (fits_table(page, keys[i]))
            table_add(&table, (const char *[]){keys[i]->key, value_text(page, keys[i]->a),
                                               value_text(page, keys[i]->b)});
    fputc('\n', page->stream);
    if (table.count > 1)
        table_print(&table, page->stream, 3);
    else
        fputs("changed\n", page->stream);
    for (size_t i = 0; i < count; i++)
        if (!fits_table(page, keys[i]))
            print_long_key(page, view, keys[i]);
    if (hidden > 0)
        fprintf(page->stream, "%s more of the product: --json has all\n",
                text_number(page->arena, hidden));
}

/* ---- critical path ---- */

/* A row of cycles in A and B, their difference, and that as a share of all cycles of A. */
static void change_row(const struct page *page, struct table *table, const char *name, tick a,
                       tick b, tick all)
{
    double share = all > 0 ? ((double)b - (double)a) / (double)all : 0.0;
    table_add(table,
              (const char *[]){name, text_number(page->arena, a), text_number(page->arena, b),
                               text_step(page->arena, a, b), text_change(page->arena, share)});
}

static void change_head(const struct page *page, const struct diff_view *view, const char *what,
                        struct table *table)
{
    const char *a = diff_side_word(view, 0, page->arena);
    table_init(table, page->arena, "lrrrr");
    table_add(table, (const char *[]){what, a, diff_side_word(view, 1, page->arena), "  change",
                                      text_format(page->arena, "of %s", a)});
}

static void print_path(const struct page *page, const struct diff_view *view)
{
    struct table table;
    tick a = run_of(view, 0)->cycles, b = run_of(view, 1)->cycles;
    change_head(page, view, "critical path", &table);
    for (size_t i = 0; i < view->path_count; i++)
        change_row(page, &table, view->path[i].name, view->path[i].a, view->path[i].b, a);
    change_row(page, &table, "sum", a, b, a);
    fputc('\n', page->stream);
    for (size_t row = 0; row + 1 < table.count; row++)
        fprintf(page->stream, "%s\n", table_line(&table, row, 2));
    fprintf(page->stream, "%s%s%s\n", page_style(page, STYLE_BOLD),
            table_line(&table, table.count - 1, 2), page_style(page, STYLE_PLAIN));
}

/* ---- pipes ---- */

enum { PAIRS = 4 }; /* busy, waiting, idle, busy share */

static const char *core_word(const struct page *page, const struct diff_view *view)
{
    uint32_t a = run_of(view, 0)->deciding_core, b = run_of(view, 1)->deciding_core;
    if (a == b)
        return text_format(page->arena, "core %" PRIu32, a);
    return text_format(page->arena, "core %" PRIu32 ", %" PRIu32, a, b);
}

static bool pipe_is_told(const struct diff_view *view, uint32_t pipe)
{
    return view->side[0].pipes.used[pipe] || view->side[1].pipes.used[pipe];
}

static const char *busy_share(const struct page *page, const struct diff_view *view, int side,
                              uint32_t pipe)
{
    tick all = run_of(view, side)->cycles, busy = view->side[side].pipes.pipe[pipe].busy;
    return text_format(page->arena, "%.1f", all > 0 ? 100.0 * (double)busy / (double)all : 0.0);
}

static void pipe_pairs(const struct page *page, const struct diff_view *view, struct table *table)
{
    const char *name[2];
    for (int side = 0; side < 2; side++)
        name[side] = view->one_database
                         ? text_format(page->arena, "%" PRId64, run_of(view, side)->run_id)
                         : diff_side_word(view, side, page->arena);
    const char *share_b = text_format(page->arena, "%s  ", name[1]);
    table_init(table, page->arena, "lrrrrrrrr");
    table_add(table, (const char *[]){"pipe  ", name[0], name[1], name[0], name[1], name[0],
                                      name[1], name[0], share_b});
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        const struct stored_pipe *a = &view->side[0].pipes.pipe[pipe];
        const struct stored_pipe *b = &view->side[1].pipes.pipe[pipe];
        if (!pipe_is_told(view, pipe))
            continue;
        const char *cells[] = {
            pipe_word((enum pipe)pipe),
            text_number(page->arena, a->busy),
            text_number(page->arena, b->busy),
            text_number(page->arena, a->waiting),
            text_number(page->arena, b->waiting),
            text_number(page->arena, a->idle),
            text_number(page->arena, b->idle),
            busy_share(page, view, 0, pipe),
            text_format(page->arena, "%s %%", busy_share(page, view, 1, pipe)),
        };
        table_add(table, cells);
    }
}

/* The heads of the pairs, each in the middle over its two columns. */
static const char *pair_heads(const struct page *page, const struct table *table, const char *core)
{
    static const char *const head[PAIRS] = {"busy", "waiting", "idle", "busy share"};
    const char *line = core;
    size_t column = table->width[0];
    for (size_t i = 0; i < PAIRS; i++) {
        size_t width = 2 + table->width[1 + 2 * i] + 2 + table->width[2 + 2 * i];
        size_t room = width > strlen(head[i]) ? width - strlen(head[i]) : 0;
        size_t at = column + (room + 1) / 2, filled = text_columns(line);
        if (i + 1 == PAIRS)
            at = column + room;
        line = text_format(page->arena, "%s%*s%s", line, at > filled ? (int)(at - filled) : 2, "",
                           head[i]);
        column += width;
    }
    return line;
}

/* Where pairs do not fit beside each other, a row for each run. */
static void print_pipe_rows(const struct page *page, const struct diff_view *view, const char *core)
{
    struct table table;
    table_init(&table, page->arena, "llrrrr");
    table_add(&table, (const char *[]){core, "", "busy", "waiting", "idle", "busy"});
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        for (int side = 0; side < 2 && pipe_is_told(view, pipe); side++) {
            const struct stored_pipe *stats = &view->side[side].pipes.pipe[pipe];
            const char *cells[] = {
                side == 0 ? pipe_word((enum pipe)pipe) : "",
                diff_side_word(view, side, page->arena),
                text_number(page->arena, stats->busy),
                text_number(page->arena, stats->waiting),
                text_number(page->arena, stats->idle),
                text_format(page->arena, "%s %%", busy_share(page, view, side, pipe)),
            };
            table_add(&table, cells);
        }
    table_print(&table, page->stream, 2);
}

static void print_pipes(const struct page *page, const struct diff_view *view)
{
    struct table table;
    const char *core = core_word(page, view);
    pipe_pairs(page, view, &table);
    fputc('\n', page->stream);
    if (table_width(&table, 2) > page->width) {
        print_pipe_rows(page, view, core);
        return;
    }
    fprintf(page->stream, "%s\n", pair_heads(page, &table, core));
    table_print(&table, page->stream, 2);
}

/* ---- waits ---- */

static const char *reason_words(struct arena *arena, uint32_t reason)
{
    const struct lanes_text words = {.arena = arena};
    const char *word = lanes_text_reason(&words, reason);
    return reason >= CAUSE_COUNT ? text_format(arena, "flag %s", word) : word;
}

static void print_waits(const struct page *page, const struct diff_view *view)
{
    struct table table;
    size_t more = 0;
    change_head(page, view, "waiting for", &table);
    for (size_t i = 0; i < view->wait_count; i++) {
        const struct pipe_change *wait = &view->waits[i];
        if (wait->a == wait->b)
            continue;
        if (table.count > WAITS_SHOWN)
            more++;
        else
            change_row(page, &table,
                       text_format(page->arena, "%-6s  %s", pipe_word((enum pipe)wait->pipe),
                                   reason_words(page->arena, wait->reason)),
                       wait->a, wait->b, run_of(view, 0)->cycles);
    }
    if (table.count == 1)
        return;
    fputc('\n', page->stream);
    table_print(&table, page->stream, 2);
    if (more > 0)
        fprintf(page->stream, "%zu more with smaller changes: --json has all\n", more);
}

/* ---- why ---- */

const char *diff_reason_text(const struct diff_view *view, struct arena *arena)
{
    const struct pipe_change *reason = &view->reason;
    const char *pipe = pipe_word((enum pipe)reason->pipe);
    const char *cycles = text_format(arena, "(%s -> %s cycles)", text_number(arena, reason->a),
                                     text_number(arena, reason->b));
    bool less = reason->b < reason->a;
    if (reason->kind == PIPE_CHANGE_BUSY)
        return text_format(arena, "%s is busy %s, link apart %s", pipe, less ? "less" : "more",
                           cycles);
    if (reason->kind == PIPE_CHANGE_LINK)
        return text_format(arena, "%s loses %s to transfers of others %s", pipe,
                           less ? "less" : "more", cycles);
    const char *word = reason->reason >= CAUSE_COUNT ? lane_reason_word(reason->reason)
                                                     : reason_words(arena, reason->reason);
    const char *how = reason->b == 0   ? "no longer waits for"
                      : reason->a == 0 ? "now waits for"
                      : less           ? "waits less for"
                                       : "waits more for";
    return text_format(arena, "%s %s %s %s", pipe, how, word, cycles);
}

void diff_print_text(const struct page *page, const struct diff_view *view)
{
    print_verdict(page, view);
    print_keys(page, view);
    print_path(page, view);
    print_pipes(page, view);
    print_waits(page, view);
    if (view->has_reason) {
        fputc('\n', page->stream);
        text_print_wrapped(page->stream, page->arena, "why: ", strlen("why: "),
                           diff_reason_text(view, page->arena), page->width);
    }
}
