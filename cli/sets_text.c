#include <inttypes.h>
#include <string.h>

#include "cli/diff_view.h"
#include "cli/text.h"

enum { ALONE_SHOWN = 10 };

static const char *pair_change(const struct page *page, const struct run_pair *pair)
{
    double ratio = run_pair_ratio(pair);
    if (ratio > 0.0)
        return text_change(page->arena, ratio - 1.0);
    return pair->a->deadlocked || pair->b->deadlocked ? "deadlock" : "-";
}

static const char *pairs_text(const struct page *page, size_t count)
{
    return text_format(page->arena, "%s pair%s", text_number(page->arena, count),
                       count == 1 ? "" : "s");
}

/* "+0.4 % in the geometric mean of 12 pairs, +3.1 % at worst, -2.0 % at best". */
static const char *verdict_text(const struct page *page, const struct sets_view *view)
{
    const struct run_pairs *pairs = &view->pairs;
    if (pairs->ratios == 0)
        return text_format(page->arena, "no times to compare in %s",
                           pairs_text(page, pairs->count));
    const struct run_pair *worst = &pairs->pairs[pairs->count - pairs->ratios];
    return text_format(page->arena, "%s in the geometric mean of %s, %s at worst, %s at best",
                       text_change(page->arena, pairs->mean - 1.0), pairs_text(page, pairs->ratios),
                       pair_change(page, worst),
                       pair_change(page, &pairs->pairs[pairs->count - 1]));
}

static void print_set(const struct page *page, const struct sets_view *view, int side)
{
    size_t superseded = view->pairs.superseded_count[side];
    const char *text = text_format(page->arena, "%s%s%s: %s run%s", view->path[side],
                                   view->condition[side] != NULL ? " where " : "",
                                   view->condition[side] != NULL ? view->condition[side] : "",
                                   text_number(page->arena, view->run_count[side]),
                                   view->run_count[side] == 1 ? "" : "s");
    if (superseded > 0)
        text = text_format(page->arena, "%s, %s older of the same plan and product left out", text,
                           text_number(page->arena, superseded));
    text_print_wrapped(page->stream, page->arena, side == 0 ? "A  " : "B  ", 3, text, page->width);
}

static const char *bound_text(const struct page *page, const struct run_pair *pair)
{
    if (strcmp(pair->a->bound, pair->b->bound) == 0)
        return pair->a->bound;
    return text_format(page->arena, "%s -> %s", pair->a->bound, pair->b->bound);
}

/* A line of numbers for each pair, and below it what was simulated. */
static void print_pairs(const struct page *page, const struct run_pairs *pairs)
{
    struct table table;
    table_init(&table, page->arena, "rrrrrl");
    table_add(&table, (const char *[]){"run A", "run B", "us A", "us B", "change", "bound"});
    for (size_t i = 0; i < pairs->count; i++) {
        const struct run_pair *pair = &pairs->pairs[i];
        const char *cells[] = {
            text_format(page->arena, "%" PRId64, pair->a->run_id),
            text_format(page->arena, "%" PRId64, pair->b->run_id),
            text_real(page->arena, listed_run_us(pair->a), 2),
            text_real(page->arena, listed_run_us(pair->b), 2),
            pair_change(page, pair),
            bound_text(page, pair),
        };
        table_add(&table, cells);
    }
    fprintf(page->stream, "\n%s\n", table_line(&table, 0, 2));
    for (size_t i = 0; i < pairs->count; i++) {
        const struct listed_run *a = pairs->pairs[i].a, *b = pairs->pairs[i].b;
        fprintf(page->stream, "%s\n", table_line(&table, i + 1, 2));
        text_print_wrapped(page->stream, page->arena, "    ", 4,
                           text_format(page->arena, "%s on %s", a->problem, a->soc), page->width);
        text_print_wrapped(page->stream, page->arena, "    ", 4, a->tiling, page->width);
        if (strcmp(a->tiling, b->tiling) != 0 || strcmp(a->soc, b->soc) != 0)
            text_print_wrapped(page->stream, page->arena, "    -> ", 7,
                               text_format(page->arena, "%s on %s", b->tiling, b->soc),
                               page->width);
    }
}

/* Runs without a partner. */
static void print_alone(const struct page *page, const struct run_pairs *pairs, int side)
{
    size_t count = pairs->alone_count[side];
    const char *list = "";
    if (count == 0)
        return;
    for (size_t i = 0; i < count && i < ALONE_SHOWN; i++)
        list = text_format(page->arena, "%s%s%" PRId64, list, i > 0 ? ", " : "",
                           pairs->alone[side][i]->run_id);
    text_print_wrapped(page->stream, page->arena, "", 0,
                       text_format(page->arena, "only in %s: run%s %s%s", side == 0 ? "A" : "B",
                                   count == 1 ? "" : "s", list,
                                   count > ALONE_SHOWN
                                       ? text_format(page->arena, " and %s more",
                                                     text_number(page->arena, count - ALONE_SHOWN))
                                       : ""),
                       page->width);
}

static size_t slower_count(const struct sets_view *view)
{
    size_t count = 0;
    for (size_t i = 0; i < view->pairs.count; i++)
        count += 100.0 * (run_pair_ratio(&view->pairs.pairs[i]) - 1.0) > view->limit.percent;
    return count;
}

void sets_print_text(const struct page *page, const struct sets_view *view)
{
    page_sentence(page, view->failed ? STYLE_RED : STYLE_BOLD, verdict_text(page, view));
    if (view->failed)
        page_sentence(page, STYLE_RED,
                      text_format(page->arena,
                                  "failed: --fail-on allows +%.6g %%; %s beyond it, %s of A "
                                  "without a partner",
                                  view->limit.percent, pairs_text(page, slower_count(view)),
                                  text_number(page->arena, view->pairs.alone_count[0])));
    fputc('\n', page->stream);
    for (int side = 0; side < 2; side++)
        print_set(page, view, side);
    print_pairs(page, &view->pairs);
    if (view->pairs.alone_count[0] + view->pairs.alone_count[1] > 0)
        fputc('\n', page->stream);
    for (int side = 0; side < 2; side++)
        print_alone(page, &view->pairs, side);
}
