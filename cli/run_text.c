#include <inttypes.h>
#include <string.h>

#include "cli/bottleneck.h"
#include "cli/path_table.h"
#include "cli/plan_case.h"
#include "cli/run_view.h"
#include "cli/text.h"
#include "model/tile_rules.h"

enum { FULL_WIDTH = 120, FIELD_COLUMNS = 69 };

double view_clock_mhz(const struct run_view *view)
{
    return (double)product_value(view->product, PRODUCT_CHIP_CLOCK) / (double)QUANTITY_ONE;
}

double view_us(const struct run_view *view, tick cycles)
{
    return (double)cycles / view_clock_mhz(view);
}

double view_launch_us(const struct run_view *view)
{
    return product_launch_us(view->product);
}

double view_share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0.0;
}

double view_load3d_rate(const struct run_view *view)
{
    const struct run_result *result = view->result;
    return result->load3d_cycles > 0 ? (double)result->load3d_bytes / (double)result->load3d_cycles
                                     : 0.0;
}

static const struct pipe_stats *pipe_of(const struct run_result *result, uint32_t pipe)
{
    return &result->pipe[(size_t)result->deciding_core * PIPE_COUNT + pipe];
}

/* ---- verdict and key figures ---- */

static const char *verdict_text(const struct page *page, const struct run_result *result)
{
    double busy[PIPE_COUNT];
    if (result->deadlocked)
        return text_format(page->arena,
                           "deadlock at cycle %s: %s pipe%s unfinished work and no event is left",
                           text_number(page->arena, result->cycles),
                           text_number(page->arena, result->stuck_pipe_count),
                           result->stuck_pipe_count == 1 ? " holds" : "s hold");
    if (result->cycles == 0)
        return "nothing was done, and it took no time";
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        busy[pipe] = view_share(pipe_of(result, pipe)->busy, result->cycles);
    return bottleneck_text(page->arena, result->bound, &result->path, busy);
}

enum { STUCK_SHOWN = 12 };

/* What stands where, of the first pipes. */
static void print_stuck(const struct page *page, const struct run_result *result)
{
    struct table table;
    table_init(&table, page->arena, "rll");
    table_add(&table, (const char *[]){"core", "pipe", "blocked at"});
    for (uint32_t i = 0; i < result->stuck_pipe_count && i < STUCK_SHOWN; i++) {
        const struct stuck_pipe *stuck = &result->stuck_pipes[i];
        table_add(&table, (const char *[]){text_number(page->arena, stuck->core),
                                           pipe_word(stuck->pipe), stuck->at});
    }
    size_t indent = table_width(&table, 2) + 2;
    for (size_t row = 0; row < table.count && table.count > 1; row++)
        text_print_wrapped(page->stream, page->arena, table_line(&table, row, 2), indent,
                           row == 0 ? "waits for" : result->stuck_pipes[row - 1].awaited,
                           page->width);
    if (result->stuck_pipe_count > STUCK_SHOWN)
        fprintf(page->stream, "%" PRIu32 " more: the hazards have all\n",
                result->stuck_pipe_count - STUCK_SHOWN);
    if (table.count > 1)
        fputc('\n', page->stream);
}

static void print_verdict(const struct page *page, const struct run_result *result)
{
    page_sentence(page, STYLE_BOLD, verdict_text(page, result));
    fputc('\n', page->stream);
    if (result->deadlocked)
        print_stuck(page, result);
}

/* A clock as people write it: "1,850 MHz", "1,027.5 MHz". */
static const char *clock_text(const struct page *page, const struct run_view *view)
{
    return text_quantity(page->arena, product_value(view->product, PRODUCT_CHIP_CLOCK),
                         UNIT_FREQUENCY);
}

static void print_time(const struct page *page, const struct run_view *view)
{
    const struct run_result *result = view->result;
    double time_us = view_us(view, result->cycles), launch_us = view_launch_us(view);
    const char *time =
        text_format(page->arena, "%s us   %s cycles at %s", text_real(page->arena, time_us, 2),
                    text_number(page->arena, result->cycles), clock_text(page, view));
    const char *range =
        text_format(page->arena, "range %s - %s us", text_real(page->arena, result->range_us[0], 1),
                    text_real(page->arena, result->range_us[1], 1));
    bool one_line = text_columns(time) + 4 + text_columns(range) <= FIELD_COLUMNS;
    if (result->deadlocked)
        page_field(page, "time", text_format(page->arena, "%s, then nothing more", time));
    else
        page_field(page, "time",
                   one_line ? text_format(page->arena, "%s    %s", time, range) : time);
    if (!one_line && !result->deadlocked)
        page_field(page, "", range);
    page_field(page, "task",
               text_format(page->arena, "%s us   with %s us launch (%s)",
                           text_real(page->arena, time_us + launch_us, 2),
                           text_real(page->arena, launch_us, 2),
                           basis_word(view->product->number[PRODUCT_HOST_LAUNCH].basis)));
    const char *basis = "";
    for (uint32_t i = 0; i < BASIS_COUNT; i++)
        basis = text_format(
            page->arena, "%s%s%s %s", basis, i > 0 ? "  " : "", basis_word((enum basis)i),
            text_share(page->arena, view_share(result->path.by_class[i], result->cycles)));
    page_field(page, "basis", basis);
}

static void print_work(const struct page *page, const struct run_view *view)
{
    const struct run_result *result = view->result;
    double rate = view_share(result->macs, result->cycles);
    double peak = view->roofline->level[ROOF_CUBE].roof_macs_per_cycle;
    if (result->cube_macs == 0) {
        page_field(page, "work", result->deadlocked ? "no Mmad was executed" : "no Mmad");
        return;
    }
    const char *of_peak =
        peak > 0.0 ? text_format(page->arena, ", %s of peak", text_share(page->arena, rate / peak))
                   : "";
    page_field(page, "work",
               text_format(page->arena, "%s MAC, %s MAC/cycle%s; useful %s",
                           text_number(page->arena, result->macs),
                           text_number(page->arena, (uint64_t)(rate + 0.5)), of_peak,
                           text_share(page->arena, view_share(result->macs, result->cube_macs))));
}

static void print_traffic(const struct page *page, const struct run_view *view)
{
    const struct run_result *result = view->result;
    uint64_t hits = result->gm_read_bytes - result->gm_miss_bytes;
    const char *times = "";
    if (view->plan != NULL)
        times =
            text_format(page->arena, ", %.1f x the tensors",
                        view_share(result->gm_read_bytes,
                                   result->tensor_bytes - layout_output_bytes(&view->plan->conv)));
    const char *reads = text_format(
        page->arena, "%s B read%s, %s from L2;", text_number(page->arena, result->gm_read_bytes),
        times, text_share(page->arena, view_share(hits, result->gm_read_bytes)));
    const char *back = result->gm_write_back_bytes > 0
                           ? text_format(page->arena, ", %s B pushed on to GM",
                                         text_number(page->arena, result->gm_write_back_bytes))
                           : "";
    const char *writes = text_format(page->arena, "%s B written%s",
                                     text_number(page->arena, result->gm_write_bytes), back);
    bool one_line = text_columns(reads) + 1 + text_columns(writes) <= FIELD_COLUMNS;
    page_field(page, "traffic",
               one_line ? text_format(page->arena, "%s %s", reads, writes) : reads);
    if (!one_line)
        page_field(page, "", writes);
}

/* "3: race 2, flag_left 1"; "5,999; of 1,000 kept: race 990, flag_left 10"; where a loop
 * repeats them "50; of 2 that differ: race 2". */
static const char *hazards_text(const struct page *page, const struct run_result *result)
{
    uint64_t count[HAZARD_COUNT] = {0};
    const char *text = text_number(page->arena, result->hazard_count), *mark = ": ";
    for (uint64_t i = 0; i < result->hazards_kept; i++)
        count[result->hazards[i].kind]++;
    if (result->hazards_kept < result->hazard_count)
        mark = text_format(page->arena,
                           result->hazards_kept == RUN_HAZARDS_MAX ? "; of %s kept: "
                                                                   : "; of %s that differ: ",
                           text_number(page->arena, result->hazards_kept));
    for (enum hazard_kind kind = 0; kind < HAZARD_COUNT; kind++) {
        if (count[kind] == 0)
            continue;
        text = text_format(page->arena, "%s%s%s %s", text, mark, hazard_word(kind),
                           text_number(page->arena, count[kind]));
        mark = ", ";
    }
    return text;
}

static const char *verify_text(const struct page *page, const struct run_result *result)
{
    if (!result->verified)
        return "not asked for (--verify); ";
    return text_format(page->arena, "%s values compared, %s differ; ",
                       text_number(page->arena, result->comparison.compared),
                       text_number(page->arena, result->comparison.mismatches));
}

/* Hazards that were not asked for are not told, but that not all of the program was done is. */
static const char *unasked_text(const struct page *page, const struct run_result *result)
{
    uint64_t refused = result->refused_instructions;
    if (refused == 0)
        return "hazards not asked for";
    return text_format(page->arena,
                       "hazards not asked for; %s instruction%s refused and did nothing",
                       text_number(page->arena, refused), refused == 1 ? " was" : "s were");
}

/* Whether each element of the output was stored exactly once, if not. */
static void print_stores(const struct page *page, const struct run_result *result)
{
    uint64_t missing = result->output_missing_bytes, twice = result->stored_twice_bytes;
    if (missing > 0)
        page_field(page, "output",
                   text_format(page->arena, "%s B were never stored and are 0",
                               text_number(page->arena, missing)));
    if (twice > 0)
        page_field(page, "stores",
                   text_format(page->arena, "%s B in gm were stored again after they were stored",
                               text_number(page->arena, twice)));
}

static void print_checks(const struct page *page, const struct run_view *view)
{
    const struct run_result *result = view->result;
    const char *hazards = view->hazards_off && !result->deadlocked
                              ? unasked_text(page, result)
                              : text_format(page->arena, "hazards %s", hazards_text(page, result));
    if (view->plan == NULL && view->timing_only && !result->deadlocked)
        page_field(page, "checks", "hazards were not looked for (--timing-only)");
    else if (view->plan == NULL)
        page_field(page, "checks", hazards);
    else if (view->timing_only)
        page_field(page, "verify", "no tensor computed, no hazards looked for (--timing-only)");
    else
        page_field(page, "verify",
                   text_format(page->arena, "%s%s", verify_text(page, result), hazards));
    print_stores(page, result);
    if (result->saturated_values > 0)
        page_field(page, "saturated",
                   text_format(page->arena, "%s outputs were beyond %s and were clamped",
                               text_number(page->arena, result->saturated_values),
                               view->plan != NULL ? element_word(view->plan->conv.out_dtype)
                                                  : "their type"));
}

/* ---- what was simulated ---- */

static const char *overrides_text(const struct page *page, const struct product *product)
{
    const char *text = "";
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++) {
        const struct product_number *number = &product->number[key];
        const struct product_key_info *info = product_key_info(key);
        if (number->present && number->overridden)
            text = text_format(page->arena, "%s%s%s = %s", text, *text != '\0' ? ", " : "",
                               info->path, text_quantity(page->arena, number->value, info->unit));
    }
    return text;
}

static void print_product(const struct page *page, const struct run_view *view)
{
    const struct product *product = view->product;
    const char *overrides = overrides_text(page, product);
    uint64_t startup = product_time_cycles(product, PRODUCT_SCALAR_STARTUP);
    page_field(page, "product",
               text_format(page->arena, "%s, %" PRIu64 " core%s; startup %s cycles included",
                           product_text(page->arena, product), view->result->cores,
                           view->result->cores == 1 ? "" : "s", text_number(page->arena, startup)));
    if (*product->note != '\0')
        page_field(page, "", text_format(page->arena, "about this product: %s", product->note));
    if (*overrides != '\0')
        page_field(page, "set", overrides);
}

/* ---- pipes ---- */

enum { WAIT_ENTRIES_MAX = PIPE_COUNT + CAUSE_COUNT };

/* What a pipe waits for, the most first; flags by the pipe that sets them. */
static size_t pipe_waits(struct arena *arena, const struct pipe_stats *stats,
                         struct named_cycles entries[WAIT_ENTRIES_MAX])
{
    size_t count = 0;
    tick named = 0;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        named += stats->wait_for[pipe];
        if (stats->wait_for[pipe] > 0)
            named_cycles_add(entries, &count,
                             text_format(arena, "flag %s", pipe_word((enum pipe)pipe)),
                             stats->wait_for[pipe]);
    }
    for (uint32_t cause = CAUSE_NONE + 1; cause < CAUSE_COUNT; cause++) {
        char *name =
            arena_text(arena, cause_word((enum cause)cause), strlen(cause_word((enum cause)cause)));
        tick cycles = stats->wait[cause];
        if (cause == CAUSE_FLAG)
            cycles = cycles > named ? cycles - named : 0;
        for (char *c = name; c != NULL && *c != '\0'; c++)
            if (*c == '_')
                *c = ' ';
        named_cycles_add(entries, &count, text_need(name), cycles);
    }
    return count;
}

static const char *waits_text(struct arena *arena, const struct pipe_stats *stats, size_t most)
{
    struct named_cycles entries[WAIT_ENTRIES_MAX];
    size_t count = pipe_waits(arena, stats, entries);
    const char *text = "";
    for (size_t i = 0; i < count && i < most; i++)
        text = text_format(arena, "%s%s%s %s", text, i > 0 ? ", " : "", entries[i].name,
                           text_number(arena, entries[i].cycles));
    return text;
}

/* How much of the pipe table a page has room for. */
struct pipe_columns {
    bool cycles; /* the same in every row */
    size_t waits;
};

static void pipe_row(const struct page *page, const struct run_result *result, uint32_t pipe,
                     const struct pipe_columns *columns, struct table *table)
{
    const struct pipe_stats *stats = pipe_of(result, pipe);
    const char *cells[TABLE_COLUMNS_MAX];
    size_t count = 0;
    cells[count++] = pipe_word((enum pipe)pipe);
    cells[count++] = text_number(page->arena, stats->instructions);
    cells[count++] = text_number(page->arena, stats->busy);
    cells[count++] = text_number(page->arena, stats->waiting);
    cells[count++] = text_number(page->arena, stats->idle);
    if (columns->cycles)
        cells[count++] = text_number(page->arena, result->cycles);
    cells[count++] = text_share(page->arena, view_share(stats->busy, result->cycles));
    cells[count++] = columns->waits > 0 ? waits_text(page->arena, stats, columns->waits) : "";
    table_add(table, cells);
}

static void pipe_table(const struct page *page, const struct run_result *result,
                       const struct pipe_columns *columns, struct table *table)
{
    const char *waits = columns->waits > 1   ? "waits for, cycles"
                        : columns->waits > 0 ? "waits most for"
                                             : "";
    table_init(table, page->arena, columns->cycles ? "lrrrrrrl" : "lrrrrrl");
    if (columns->cycles)
        table_add(table, (const char *[]){"pipe", "  instr", "  busy", " waiting", " idle",
                                          " cycles", " busy", waits});
    else
        table_add(table, (const char *[]){"pipe", "  instr", "  busy", " waiting", " idle", " busy",
                                          waits});
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (pipe_is_used(pipe_of(result, pipe)))
            pipe_row(page, result, pipe, columns, table);
}

/* The fullest table that fits; where not even the main wait fits in, it gets lines of its own. */
static void print_pipes(const struct page *page, const struct run_result *result)
{
    static const struct pipe_columns choices[] = {{true, 2}, {true, 1}, {false, 1}, {false, 0}};
    enum { CHOICE_COUNT = sizeof choices / sizeof *choices };
    struct table table;
    size_t choice = page->width < FULL_WIDTH ? 1 : 0;
    for (; choice < CHOICE_COUNT; choice++) {
        pipe_table(page, result, &choices[choice], &table);
        if (table_width(&table, 2) <= page->width)
            break;
    }
    table_print(&table, page->stream, 2);
    if (choice + 1 < CHOICE_COUNT)
        return;
    fputs("\nwaits most for\n", page->stream);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (pipe_is_used(pipe_of(result, pipe)))
            fprintf(page->stream, "%-6s  %s\n", pipe_word((enum pipe)pipe),
                    waits_text(page->arena, pipe_of(result, pipe), 1));
}

static void print_core(const struct page *page, const struct run_result *result)
{
    tick first = result->cycles;
    for (uint64_t core = 0; core < result->cores; core++)
        if (result->core_cycles[core] < first)
            first = result->core_cycles[core];
    fputc('\n', page->stream);
    if (result->cores == 1)
        fputs("core 0, the only one\n", page->stream);
    else
        page_sentence(page, STYLE_PLAIN,
                      text_format(page->arena,
                                  "core %" PRIu32 " of %" PRIu64
                                  ", the last to end (the first: %s cycles; spread %s)",
                                  result->deciding_core, result->cores,
                                  text_number(page->arena, first),
                                  text_share(page->arena,
                                             view_share(result->cycles - first, result->cycles))));
    print_pipes(page, result);
}

/* ---- what next ---- */

static void print_end(const struct page *page, const struct run_view *view)
{
    const struct run_result *result = view->result;
    const char *instructions =
        text_format(page->arena, "%s instruction%s", text_number(page->arena, result->instructions),
                    result->instructions == 1 ? "" : "s");
    fputc('\n', page->stream);
    run_print_advice(page, view);
    if (view->db != NULL)
        text_print_wrapped(page->stream, page->arena, "", 0,
                           text_format(page->arena,
                                       "run %" PRId64 " saved in %s (%s); simulated "
                                       "in %.2f s",
                                       view->run_id, view->db, instructions,
                                       result->simulator_seconds),
                           page->width);
    else
        fprintf(page->stream, "%s, simulated in %.2f s; not saved\n", instructions,
                result->simulator_seconds);
    if (view->db != NULL && view->timeline_stored)
        fprintf(page->stream, "cubesim show %s draws its timeline\n", view->db);
    else if (view->db == NULL)
        fputs("--db FILE saves the run; then cubesim show FILE draws its timeline\n", page->stream);
}

void run_print_text(const struct page *page, const struct run_view *view)
{
    print_verdict(page, view->result);
    if (view->plan != NULL)
        run_print_why(page, view);
    print_time(page, view);
    print_work(page, view);
    run_print_tail(page, view);
    print_traffic(page, view);
    print_checks(page, view);
    run_print_doubts(page, view);
    print_product(page, view);
    if (view->plan != NULL)
        run_print_plan(page, view);
    else
        run_print_program(page, view);
    print_core(page, view->result);
    run_print_roofline(page, view);
    path_table_print(page, &view->result->path, view->result->cycles);
    print_end(page, view);
}
