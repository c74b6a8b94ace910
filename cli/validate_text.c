#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/plan_case.h"
#include "cli/text.h"
#include "cli/validate_view.h"

enum { NAME_INDENT = 5 };

/* "+1.2", "-0.3", "0.0": nothing that looks like a sign without a value. */
static const char *signed_text(struct arena *arena, double value)
{
    const char *text = text_real(arena, fabs(value), 1);
    const char *sign = strcmp(text, "0.0") == 0 ? "" : value > 0.0 ? "+" : "-";
    return text_format(arena, "%s%s", sign, text);
}

/* Five digits, or whole numbers. */
static const char *value_text(struct arena *arena, double value)
{
    int decimals = value < 10.0 ? 3 : value < 1000.0 ? 2 : value < 10000.0 ? 1 : 0;
    return text_real(arena, value, decimals);
}

/* "counter mte1" or "task". */
static const char *metric_text(struct arena *arena, enum metric metric, enum pipe pipe)
{
    if (pipe == PIPE_ALL)
        return metric_word(metric);
    return text_format(arena, "%s %s", metric_word(metric), pipe_word(pipe));
}

/* "1 / 5" of a bound; "-" where there is none. */
static const char *bound_text(struct arena *arena, const struct validation_bound *bound)
{
    if (bound == NULL)
        return "-";
    const char *median = bound->median >= 0.0 ? text_format(arena, "%g", bound->median) : "-";
    const char *worst = bound->worst >= 0.0 ? text_format(arena, "%g", bound->worst) : "-";
    return text_format(arena, "%s / %s", median, worst);
}

static const char *verdict_word(bool bounded, bool holds)
{
    return !bounded ? "-" : holds ? "yes" : "no";
}

/* ---- the verdict ---- */

static size_t count_over(const struct validation *validation, size_t *bounded)
{
    size_t over = 0;
    *bounded = 0;
    for (size_t i = 0; i < validation->group_count; i++) {
        *bounded += validation->groups[i].bound != NULL ? 1 : 0;
        over += validation->groups[i].holds ? 0 : 1;
    }
    if (validation->effect_bound != NULL) {
        ++*bounded;
        over += validation->effects_hold ? 0 : 1;
    }
    return over;
}

static void print_verdict(const struct page *page, const struct validation *validation)
{
    size_t bounded, over = count_over(validation, &bounded), counted = 0;
    struct arena *arena = page->arena;
    for (size_t i = 0; i < validation->row_count; i++)
        counted += validation_counts(validation, &validation->rows[i]) ? 1 : 0;
    const char *verdict =
        over > 0      ? text_format(arena, "over bounds: %zu of %zu groups", over, bounded)
        : bounded > 0 ? text_format(arena, "within bounds: %zu of %zu groups", bounded, bounded)
                      : "no bounds";
    page_sentence(page, STYLE_BOLD,
                  text_format(arena, "%s; %zu rows counted of %zu, on %s", verdict, counted,
                              validation->row_count, product_text(arena, &validation->product)));
    page_sentence(page, STYLE_PLAIN, validation->title);
}

/* ---- groups ---- */

static const char *group_state(const struct validation_group *group)
{
    return group->informative ? "yes" : "no";
}

static void print_groups(const struct page *page, const struct validation *validation)
{
    struct arena *arena = page->arena;
    struct table table;
    if (validation->group_count == 0)
        return;
    table_init(&table, arena, "lrrrrrrll");
    table_add(&table, (const char *[]){"error, %", "rows", "median", "p90", "worst", "bound",
                                       "null", "beaten", "holds"});
    for (size_t i = 0; i < validation->group_count; i++) {
        const struct validation_group *group = &validation->groups[i];
        table_add(&table, (const char *[]){
                              metric_text(arena, group->metric, group->pipe),
                              text_number(arena, group->all.count),
                              text_real(arena, group->all.median, 1),
                              text_real(arena, group->all.p90, 1),
                              text_real(arena, group->all.worst, 1),
                              bound_text(arena, group->bound),
                              text_real(arena, group->null.median, 1),
                              group_state(group),
                              verdict_word(group->bound != NULL, group->holds),
                          });
    }
    fputc('\n', page->stream);
    table_print(&table, page->stream, 2);
    page_sentence(page, STYLE_DIM,
                  "null: median error of the roofline and a constant fitted to the same rows; a "
                  "group that does not beat it is uninformative; bound: median / worst");
}

/* The rows that no number was fitted to, apart. */
static void print_checks(const struct page *page, const struct validation *validation)
{
    for (size_t i = 0; i < validation->group_count; i++) {
        const struct validation_group *group = &validation->groups[i];
        if (group->check.count == 0 || group->fit.count == 0)
            continue;
        page_sentence(
            page, STYLE_PLAIN,
            text_format(
                page->arena, "%s: %zu %s that nothing was fitted to: median %.1f %%, worst %.1f %%",
                metric_text(page->arena, group->metric, group->pipe), group->check.count,
                group->check.count > 1 ? "rows" : "row", group->check.median, group->check.worst));
    }
}

static void print_ranks(const struct page *page, const struct validation *validation)
{
    for (size_t i = 0; i < validation->rank_count; i++) {
        const struct validation_rank *rank = &validation->ranks[i];
        page_sentence(page, STYLE_PLAIN,
                      text_format(page->arena, "rank correlation %.2f over %zu rows of %s, %s",
                                  rank->spearman, rank->count, rank->kernel,
                                  metric_text(page->arena, rank->metric, rank->pipe)));
    }
}

/* ---- effects ---- */

static void effect_row(struct arena *arena, const struct validation_effect *effect,
                       struct table *table)
{
    table_add(table, (const char *[]){
                         "",
                         text_format(arena, "%" PRId64, effect->before_id),
                         text_format(arena, "%" PRId64, effect->after_id),
                         signed_text(arena, effect->measured),
                         signed_text(arena, effect->predicted),
                         signed_text(arena, effect->error),
                         effect->direction ? "right" : "wrong",
                         use_word(effect->use),
                     });
}

/* The numbers of an effect stand under its name. */
static void print_effects(const struct page *page, const struct validation *validation)
{
    struct arena *arena = page->arena;
    struct table table;
    const struct spread *spread = &validation->effect_spread;
    if (validation->effect_count == 0)
        return;
    table_init(&table, arena, "lrrrrrll");
    table_add(&table, (const char *[]){"", "from", "to", "measured %", "predicted %", "of it %",
                                       "direction", "use"});
    for (size_t i = 0; i < validation->effect_count; i++)
        effect_row(arena, &validation->effects[i], &table);
    fputc('\n', page->stream);
    page_sentence(page, STYLE_BOLD, "effects: what one row takes against another");
    fprintf(page->stream, "%s\n", table_line(&table, 0, 2));
    for (size_t i = 0; i < validation->effect_count; i++) {
        const struct validation_effect *effect = &validation->effects[i];
        page_sentence(page, STYLE_PLAIN, effect->name);
        fprintf(page->stream, "%s\n", table_line(&table, i + 1, 2));
        if (effect->reason != NULL)
            text_print_wrapped(page->stream, arena, "", NAME_INDENT, effect->reason, page->width);
    }
    if (spread->count > 0)
        page_sentence(page, STYLE_PLAIN,
                      text_format(arena,
                                  "%zu effects counted: median error %.1f %% of the effect, worst "
                                  "%.1f %%; wrong direction %zu; bound %s",
                                  spread->count, spread->median, spread->worst,
                                  validation->effect_wrong,
                                  bound_text(arena, validation->effect_bound)));
}

/* ---- rows ---- */

/* Whether all rows of a case say the same of their metric. */
static bool one_metric(const struct validation *validation, const struct validation_case *in_case)
{
    const struct validation_row *first = &validation->rows[in_case->first_row];
    for (size_t i = 1; i < in_case->row_count; i++)
        if (first[i].metric != first->metric || first[i].pipe != first->pipe)
            return false;
    return true;
}

/* "repeat 4", and the metric where the heading does not say it. */
static const char *row_what(struct arena *arena, const struct validation_row *row, bool heading)
{
    const char *text = heading ? "" : metric_text(arena, row->metric, row->pipe);
    for (size_t i = 0; i < row->fill_count; i++) {
        const char *value = row->fills[i].value->text;
        text = text_format(arena, "%s%s%s %s", text, *text != '\0' ? ", " : "", row->fills[i].name,
                           value != NULL ? value : "...");
    }
    return text;
}

static void add_row(const struct validation *validation, const struct validation_row *row,
                    const char *what, struct table *table)
{
    struct arena *arena = table->arena;
    table_add(table,
              (const char *[]){
                  text_format(arena, "%" PRId64, row->id),
                  what,
                  value_text(arena, row->measured),
                  value_text(arena, row->predicted),
                  measure_unit_word(row->unit),
                  signed_text(arena, row->error),
                  validation_counts(validation, row) ? signed_text(arena, row->null_error) : "-",
                  use_word(row->use),
              });
}

/* The rows of a case; heading: it says their metric. Where they are too wide, what they are stands
 * above them. */
static void print_rows(const struct page *page, const struct validation *validation,
                       const struct validation_case *in_case, bool heading)
{
    const struct validation_row *first = &validation->rows[in_case->first_row];
    struct table table;
    for (int apart = 0; apart < 2; apart++) {
        table_init(&table, page->arena, "rlrrlrrl");
        table_add(&table, (const char *[]){"row", "", "measured", "predicted", "unit", "error %",
                                           "null %", "use"});
        for (size_t i = 0; i < in_case->row_count; i++)
            add_row(validation, first + i, apart ? "" : row_what(page->arena, first + i, heading),
                    &table);
        if (apart == 0 && table_width(&table, 2) <= page->width) {
            table_print(&table, page->stream, 2);
            return;
        }
    }
    fprintf(page->stream, "%s\n", table_line(&table, 0, 2));
    for (size_t i = 0; i < in_case->row_count; i++) {
        page_sentence(page, STYLE_PLAIN, row_what(page->arena, first + i, heading));
        fprintf(page->stream, "%s\n", table_line(&table, i + 1, 2));
    }
}

/* Why rows are only shown, each reason once. */
static void print_reasons(const struct page *page, const struct validation *validation,
                          const struct validation_case *in_case)
{
    const struct validation_row *rows = &validation->rows[in_case->first_row];
    for (size_t i = 0; i < in_case->row_count; i++) {
        const char *ids = text_format(page->arena, "%" PRId64, rows[i].id);
        bool told = rows[i].reason == NULL;
        for (size_t j = 0; j < i && !told; j++)
            told = rows[j].reason != NULL && strcmp(rows[j].reason, rows[i].reason) == 0;
        if (told)
            continue;
        for (size_t j = i + 1; j < in_case->row_count; j++)
            if (rows[j].reason != NULL && strcmp(rows[j].reason, rows[i].reason) == 0)
                ids = text_format(page->arena, "%s, %" PRId64, ids, rows[j].id);
        text_print_wrapped(page->stream, page->arena, "", NAME_INDENT,
                           text_format(page->arena, "%s: %s", ids, rows[i].reason), page->width);
    }
}

static void print_case(const struct page *page, const struct validation *validation,
                       const struct validation_case *in_case)
{
    bool heading = one_metric(validation, in_case);
    const struct validation_row *first = &validation->rows[in_case->first_row];
    const char *name = in_case->name;
    if (heading)
        name = text_format(page->arena, "%s: %s", name,
                           metric_text(page->arena, first->metric, first->pipe));
    fputc('\n', page->stream);
    page_sentence(page, STYLE_BOLD, name);
    print_rows(page, validation, in_case, heading);
    print_reasons(page, validation, in_case);
}

static void print_left_out(const struct page *page, const struct validation *validation)
{
    bool first = true;
    for (size_t i = 0; i < validation->case_count; i++) {
        const struct validation_case *in_case = &validation->cases[i];
        if (in_case->not_replayed == NULL)
            continue;
        if (first) {
            fputc('\n', page->stream);
            page_sentence(page, STYLE_BOLD, "not replayed");
        }
        first = false;
        const char *ids = "";
        for (size_t j = 0; j < in_case->row_count; j++)
            ids = text_format(page->arena, "%s%s%" PRId64, ids, j > 0 ? ", " : "",
                              validation->rows[in_case->first_row + j].id);
        text_print_wrapped(page->stream, page->arena, "", 0,
                           text_format(page->arena, "%s: %s", in_case->name, in_case->not_replayed),
                           page->width);
        text_print_wrapped(
            page->stream, page->arena, "", NAME_INDENT,
            text_format(page->arena, "%s %s", in_case->row_count > 1 ? "rows" : "row", ids),
            page->width);
    }
}

void validate_print_text(const struct page *page, const struct validation *validation)
{
    print_verdict(page, validation);
    print_groups(page, validation);
    print_checks(page, validation);
    print_ranks(page, validation);
    print_effects(page, validation);
    for (size_t i = 0; i < validation->case_count; i++)
        if (validation->cases[i].not_replayed == NULL)
            print_case(page, validation, &validation->cases[i]);
    print_left_out(page, validation);
}
