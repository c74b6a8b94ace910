#include "cli/rules_text.h"

#include <stdint.h>
#include <string.h>

#include "cli/plan_case.h"
#include "cli/text.h"

enum { RULE_INDENT = 9, OWN_LINE_INDENT = 4, OK_COLUMNS = 3 };

struct rule_counts {
    uint32_t deciding, broken; /* of the verdict, and of those the broken ones */
    uint32_t not_judged;       /* deciding ones that nothing could be said about */
    uint32_t needed_broken;    /* broken ones that stop a run only */
};

static bool is_broken(const struct rule_verdict *verdict)
{
    return !verdict->ok && (verdict->decides || verdict->needed_to_run);
}

/* A rule about the tile that was not judged says nothing. One about the problem that was not judged
 * does not apply, and holds. */
static bool is_open(const struct rule_report *report, uint32_t index)
{
    const struct rule_verdict *verdict = &report->verdicts[index];
    return index >= report->problem_count && verdict->decides && verdict->ok && !verdict->judged;
}

static struct rule_counts count_rules(const struct rule_report *report)
{
    struct rule_counts counts = {0};
    for (uint32_t i = 0; i < report->count; i++) {
        const struct rule_verdict *verdict = &report->verdicts[i];
        counts.deciding += verdict->decides;
        counts.broken += verdict->decides && !verdict->ok;
        counts.not_judged += is_open(report, i);
        counts.needed_broken += !verdict->decides && is_broken(verdict);
    }
    return counts;
}

/* "13, R5": rules that are broken; of the verdict too, or only those that stop a run. */
static const char *broken_ids(struct arena *arena, const struct rule_report *report,
                              bool deciding_too)
{
    const char *ids = "";
    for (uint32_t i = 0; i < report->count; i++) {
        const struct rule_verdict *verdict = &report->verdicts[i];
        if (is_broken(verdict) && (deciding_too || !verdict->decides))
            ids = text_format(arena, "%s%s%s", ids, *ids != '\0' ? ", " : "", verdict->id);
    }
    return ids;
}

void rules_print_verdict(const struct page *page, const struct judged_plan *judged)
{
    const struct rule_report *report = judged->report;
    struct rule_counts counts = count_rules(report);
    const char *product = product_text(page->arena, judged->plan->product);
    const char *set = rule_set_word(report->set);
    const char *also = "";
    if (counts.needed_broken > 0)
        also = text_format(page->arena, "; run refuses it: %s",
                           broken_ids(page->arena, report, false));
    if (counts.broken == 0)
        page_sentence(page, STYLE_BOLD,
                      text_format(page->arena, "legal: all %u %s rules hold on %s%s",
                                  counts.deciding, set, product, also));
    else
        page_sentence(page, STYLE_RED,
                      text_format(page->arena, "illegal: %u of %u %s rules %s broken on %s%s",
                                  counts.broken, counts.deciding, set,
                                  counts.broken == 1 ? "is" : "are", product, also));
}

void rules_print_refusal(const struct page *page, const struct judged_plan *judged)
{
    const struct rule_report *report = judged->report;
    struct rule_counts counts = count_rules(report);
    uint32_t broken = counts.broken + counts.needed_broken;
    page_sentence(page, STYLE_RED,
                  text_format(page->arena, "%s cannot run on %s: %u %s broken (%s)",
                              judged->plan->path, product_text(page->arena, judged->plan->product),
                              broken, broken == 1 ? "rule is" : "rules are",
                              broken_ids(page->arena, report, true)));
}

static const char *place_text(struct arena *arena, const struct plan *plan, enum plan_word word)
{
    const struct place *place = &plan->place[word];
    if (!plan->given[word] || place->line == 0 || place->source == NULL)
        return "";
    return text_format(arena, "%s:%u:%u", place->source->name, place->line, place->column);
}

/* The numbers, and the place at the right edge where both fit on a line. */
static void print_numbers(const struct page *page, const char *numbers, const char *place)
{
    size_t left = RULE_INDENT + text_columns(numbers), right = text_columns(place);
    if (*numbers != '\0' && left + 2 + right <= page->width) {
        int fill = right > 0 ? (int)(80 > left + right + 2 ? 80 - left - right : 2) : 0;
        fprintf(page->stream, "%*s%s%*s%s\n", RULE_INDENT, "", numbers, fill, "", place);
        return;
    }
    if (*numbers != '\0')
        text_print_wrapped(page->stream, page->arena, "", RULE_INDENT, numbers, page->width);
    if (*place != '\0')
        text_print_wrapped(page->stream, page->arena, "",
                           right + RULE_INDENT <= page->width ? RULE_INDENT : OWN_LINE_INDENT,
                           place, page->width);
}

void rules_print_broken(const struct page *page, const struct judged_plan *judged)
{
    for (uint32_t i = 0; i < judged->report->count; i++) {
        const struct rule_verdict *verdict = &judged->report->verdicts[i];
        if (!is_broken(verdict))
            continue;
        const char *head = text_format(page->arena, "rule %s", verdict->id);
        fputc('\n', page->stream);
        text_print_wrapped(page->stream, page->arena, head, RULE_INDENT,
                           *verdict->message != '\0' ? verdict->message : verdict->what,
                           page->width);
        print_numbers(page, verdict->numbers, place_text(page->arena, judged->plan, verdict->word));
        if (*verdict->nearest != '\0')
            text_print_wrapped(page->stream, page->arena, "         nearest:", RULE_INDENT + 9,
                               verdict->nearest, page->width);
        if (!verdict->decides)
            fprintf(page->stream, "%*sstops run; no part of the verdict by %s rules\n", RULE_INDENT,
                    "", rule_set_word(judged->report->set));
    }
}

/* ---- tables of rules ---- */

struct rule_columns {
    size_t what, numbers; /* widths */
    bool ok;              /* with the column that says yes */
};

static const char *ok_word(const struct rule_verdict *verdict)
{
    if (!verdict->ok)
        return "no";
    return verdict->judged ? "yes" : "-";
}

static bool all_lines_fit(struct arena *arena, const char *text, size_t width)
{
    while (*text != '\0')
        if (text_columns(text_line(arena, &text, width)) > width)
            return false;
    return true;
}

/* The next line of a cell: breaks behind a clause where it can. */
static const char *cell_line(struct arena *arena, const char **rest, size_t width)
{
    size_t best = 0;
    if (text_columns(*rest) <= width)
        return text_line(arena, rest, width);
    for (const char *comma = strstr(*rest, ", "); comma != NULL; comma = strstr(comma + 1, ", "))
        if ((size_t)(comma - *rest) < width)
            best = (size_t)(comma - *rest) + 1;
    if (best == 0)
        return text_line(arena, rest, width);
    const char *line = text_need(arena_text(arena, *rest, best));
    *rest += best + 1;
    return line;
}

static void print_rule(const struct page *page, const struct rule_columns *columns, const char *id,
                       const char *what, const char *numbers, const char *ok)
{
    const char *rest = numbers;
    bool inside = all_lines_fit(page->arena, numbers, columns->numbers);
    const char *cell = inside ? cell_line(page->arena, &rest, columns->numbers) : "";
    int fill = (int)(columns->numbers - text_columns(cell));
    if (columns->ok)
        fprintf(page->stream, "%4s  %-*s  %s%*s  %s\n", id, (int)columns->what, what, cell, fill,
                "", ok);
    else if (*cell != '\0')
        fprintf(page->stream, "%4s  %-*s  %s\n", id, (int)columns->what, what, cell);
    else
        fprintf(page->stream, "%4s  %s\n", id, what);
    if (!inside)
        text_print_wrapped(page->stream, page->arena, "", OWN_LINE_INDENT + 2, rest, page->width);
    while (inside && *rest != '\0')
        fprintf(page->stream, "%*s%s\n", (int)(4 + 2 + columns->what + 2), "",
                cell_line(page->arena, &rest, columns->numbers));
}

static void print_rules(const struct page *page, const struct rule_report *report,
                        const struct rule_columns *columns, bool deciding)
{
    print_rule(page, columns, "rule", "what", "with numbers", "ok");
    for (uint32_t i = 0; i < report->count; i++) {
        const struct rule_verdict *verdict = &report->verdicts[i];
        bool listed = deciding ? verdict->decides
                               : !verdict->decides && verdict->needed_to_run && verdict->judged;
        if (listed && verdict->ok && (columns->ok || !is_open(report, i)))
            print_rule(page, columns, verdict->id, verdict->what, verdict->numbers,
                       ok_word(verdict));
    }
}

static uint32_t count_needed_held(const struct rule_report *report)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->count; i++) {
        const struct rule_verdict *verdict = &report->verdicts[i];
        count += verdict->ok && verdict->judged && !verdict->decides && verdict->needed_to_run;
    }
    return count;
}

/* "8 rules hold, 13 not judged". */
static void print_held_count(const struct page *page, uint32_t held, uint32_t not_judged)
{
    fprintf(page->stream, "%u %s", held, held == 1 ? "rule holds" : "rules hold");
    if (not_judged > 0)
        fprintf(page->stream, ", %u not judged", not_judged);
    fputs("\n\n", page->stream);
}

void rules_print_held(const struct page *page, const struct judged_plan *judged)
{
    const struct rule_report *report = judged->report;
    struct rule_counts counts = count_rules(report);
    struct rule_columns columns = {.ok = counts.broken == 0};
    for (uint32_t i = 0; i < report->count; i++)
        if (strlen(report->verdicts[i].what) > columns.what)
            columns.what = strlen(report->verdicts[i].what);
    columns.what += 2;
    columns.numbers = 80 - 4 - 2 - columns.what - 2 - (columns.ok ? 2 + OK_COLUMNS : 0);
    uint32_t held = counts.deciding - counts.broken - counts.not_judged;
    if (held > 0) {
        fputc('\n', page->stream);
        if (counts.broken > 0)
            print_held_count(page, held, counts.not_judged);
        print_rules(page, report, &columns, true);
    }
    if (count_needed_held(report) > 0) {
        fputs("\nneeded by the hardware; no part of the verdict, but run asks for them\n\n",
              page->stream);
        print_rules(page, report, &columns, false);
    }
}

/* ---- buffers ---- */

static const char *share_of(struct arena *arena, uint64_t bytes, uint64_t capacity)
{
    return capacity > 0 ? text_share(arena, (double)bytes / (double)capacity) : "-";
}

static const char *slots_text(struct arena *arena, const struct buffer_row *row, bool legal)
{
    if (!legal) {
        bool one_only = strcmp(row->buffer, "BT") == 0;
        return !row->fits_single ? "no" : row->fits_double && !one_only ? "two" : "one";
    }
    if (strcmp(row->buffer, "L1") == 0)
        return text_format(arena, "A %llu, B %llu", (unsigned long long)row->planned,
                           (unsigned long long)row->planned_b);
    return text_format(arena, "%llu", (unsigned long long)row->planned);
}

void rules_print_buffers(const struct page *page, const struct judged_plan *judged)
{
    const struct rule_report *report = judged->report;
    bool legal = report->runnable;
    struct table table;
    if (report->buffer_count == 0)
        return;
    table_init(&table, page->arena, "lrrrrrl");
    table_add(&table, (const char *[]){"buffer", " capacity B", " one slot B", " share",
                                       " two slots B", " share", legal ? " this plan" : " fits"});
    for (uint32_t i = 0; i < report->buffer_count; i++) {
        const struct buffer_row *row = &report->buffers[i];
        bool one_only = strcmp(row->buffer, "BT") == 0;
        table_add(
            &table,
            (const char *[]){
                row->buffer,
                text_number(page->arena, row->capacity_bytes),
                text_number(page->arena, row->single_bytes),
                share_of(page->arena, row->single_bytes, row->capacity_bytes),
                one_only ? "-" : text_number(page->arena, row->double_bytes),
                one_only ? "-" : share_of(page->arena, row->double_bytes, row->capacity_bytes),
                text_format(page->arena, " %s", slots_text(page->arena, row, legal)),
            });
    }
    fputc('\n', page->stream);
    table_print(&table, page->stream, 2);
}

/* "87.5 % of the space is free in L0C; ...", or "". */
static const char *room_text(struct arena *arena, const struct rule_report *report)
{
    for (uint32_t i = 0; i < report->buffer_count && report->runnable; i++) {
        const struct buffer_row *row = &report->buffers[i];
        if (strcmp(row->buffer, "L0C") != 0 || row->planned != 1 || !row->fits_double)
            continue;
        double used = (double)row->single_bytes / (double)row->capacity_bytes;
        return text_format(arena, "%s of the space is free in L0C; l0c_buffers 2 would fit",
                           text_share(arena, 1.0 - used));
    }
    return "";
}

void rules_print_notes(const struct page *page, const struct judged_plan *judged)
{
    const struct plan *plan = judged->plan;
    const char *room = room_text(page->arena, judged->report);
    if (plan->note_count > 0 || *room != '\0')
        fputc('\n', page->stream);
    for (uint32_t i = 0; i < plan->note_count; i++)
        text_print_wrapped(page->stream, page->arena, "note:", 6, plan->notes[i], page->width);
    if (*room != '\0')
        fprintf(page->stream, "note: %s\n", room);
}

void rules_print_nearest(const struct page *page, const struct judged_plan *judged)
{
    const struct rule_report *report = judged->report;
    if (*report->nearest_plan == '\0')
        return;
    fputc('\n', page->stream);
    text_print_wrapped(page->stream, page->arena, "nearest legal plan:", 20, report->nearest_plan,
                       page->width);
    if (*report->nearest_plan_double != '\0')
        text_print_wrapped(page->stream, page->arena, "with two slots:", 20,
                           report->nearest_plan_double, page->width);
}
