#include <string.h>

#include "cli/net_view.h"
#include "cli/plan_case.h"
#include "cli/text.h"

enum { NAME_COLUMNS = 22, SKIPPED_TOLD = 8, GAP = 2 };

/* A name that fits into its column: its end is left out. */
static const char *name_text(struct arena *arena, const char *name)
{
    char shown[EXCERPT_SIZE_BYTES];
    excerpt_format(name, shown, sizeof shown);
    if (text_columns(shown) <= NAME_COLUMNS)
        return text_format(arena, "%s", shown);
    size_t bytes = 0, columns = 0;
    while (columns < NAME_COLUMNS - 2) {
        uint32_t code;
        size_t size = utf8_decode(shown + bytes, strlen(shown + bytes), &code);
        bytes += size > 0 ? size : 1;
        columns++;
    }
    return text_format(arena, "%.*s..", (int)bytes, shown);
}

static const char *layer_name(const struct page *page, const struct net_view *view, size_t index)
{
    const struct network *network = view->network;
    return name_text(page->arena, network->layers[network->distinct[index].first].name);
}

/* The cells about time: count, us, share, bound, peak. */
static void time_cells(const struct page *page, const struct net_view *view, size_t index,
                       const char **cells)
{
    const struct net_layer *layer = &view->layers[index];
    uint64_t count = view->network->distinct[index].count;
    struct arena *arena = page->arena;
    cells[0] = text_number(arena, count);
    cells[1] = layer->outcome == NET_REFUSED ? "refused" : "not run";
    cells[2] = cells[3] = cells[4] = cells[5] = "";
    if (!net_has_time(layer))
        return;
    double all = (double)view->total.cycles, own = (double)layer->cycles * (double)count;
    cells[1] = text_real(arena, net_us(view, layer->cycles), 2);
    cells[2] = text_real(arena, net_us(view, layer->cycles) * (double)count, 2);
    cells[3] = text_share(arena, all > 0.0 ? own / all : 0.0);
    cells[4] = layer->bound;
    cells[5] = text_share(arena, net_layer_share(view, index));
}

enum { TIME_CELLS = 6, FORM_CELLS = 3 };
static const char *const time_heads[TIME_CELLS] = {"count", "us",    "all us",
                                                   "share", "bound", "peak"};
static const char *const form_heads[FORM_CELLS] = {"shape", "L1 tile", "L0 tile"};

static void form_cells(const struct net_layer *layer, const char **cells)
{
    cells[0] = layer->shape;
    cells[1] = layer->l1;
    cells[2] = layer->l0;
}

static void fill_tables(const struct page *page, const struct net_view *view, struct table *times,
                        struct table *forms, struct table *both)
{
    const char *cells[1 + FORM_CELLS + TIME_CELLS] = {"layer"};
    table_init(times, page->arena, "lrrrrlr");
    table_init(forms, page->arena, "llll");
    table_init(both, page->arena, "llllrrrrlr");
    memcpy(cells + 1, form_heads, sizeof form_heads);
    table_add(forms, cells);
    memcpy(cells + 1 + FORM_CELLS, time_heads, sizeof time_heads);
    table_add(both, cells);
    memcpy(cells + 1, time_heads, sizeof time_heads);
    table_add(times, cells);
    for (size_t i = 0; i < view->network->distinct_count; i++) {
        cells[0] = layer_name(page, view, i);
        form_cells(&view->layers[i], cells + 1);
        table_add(forms, cells);
        time_cells(page, view, i, cells + 1 + FORM_CELLS);
        table_add(both, cells);
        time_cells(page, view, i, cells + 1);
        table_add(times, cells);
    }
}

static void print_layers(const struct page *page, const struct net_view *view)
{
    struct table times, forms, both;
    fill_tables(page, view, &times, &forms, &both);
    fputc('\n', page->stream);
    if (table_width(&both, GAP) <= page->width) {
        table_print(&both, page->stream, GAP);
    } else {
        table_print(&times, page->stream, GAP);
        fputc('\n', page->stream);
        table_print(&forms, page->stream, GAP);
    }
    fputc('\n', page->stream);
    page_sentence(page, STYLE_PLAIN,
                  "us: of one; all us: of all that occur; peak: of what the cubes of all cores "
                  "could do; shape: channels x input -> output channels, kernel, s stride, p "
                  "padding, d dilation, g groups, or m x k x n of a product; tile: rows x columns "
                  "(or positions) x channels, k");
}

/* ---- the summary ---- */

/* "1 layer", "53 layers". */
static const char *counted(struct arena *arena, uint64_t count, const char *one, const char *many)
{
    return text_format(arena, "%s %s", text_number(arena, count), count == 1 ? one : many);
}

static void print_time(const struct page *page, const struct net_view *view)
{
    const struct net_total *total = &view->total;
    struct arena *arena = page->arena;
    double time_us = net_us(view, total->cycles);
    double launches_us = view->launch_us * (double)total->occurrences;
    const char *range = "";
    if (total->range_us[1] > 0.0)
        range = text_format(arena, "    range %s - %s us", text_real(arena, total->range_us[0], 1),
                            text_real(arena, total->range_us[1], 1));
    if (total->too_long) {
        page_field(page, "time", "more cycles than 63 bits count");
        return;
    }
    page_field(page, "time",
               text_format(arena, "%s us   %s cycles at %s MHz%s", text_real(arena, time_us, 2),
                           text_number(arena, total->cycles), text_real(arena, view->clock_mhz, 0),
                           range));
    page_field(page, "task",
               text_format(arena, "%s us   with %s of %s us (%s), one after the other",
                           text_real(arena, time_us + launches_us, 2),
                           counted(arena, total->occurrences, "launch", "launches"),
                           text_real(arena, view->launch_us, 2),
                           basis_word(view->product->number[PRODUCT_HOST_LAUNCH].basis)));
}

static void print_bounds(const struct page *page, const struct net_view *view)
{
    const struct net_total *total = &view->total;
    const char *text = "";
    for (size_t i = 0; i < sizeof net_bounds / sizeof *net_bounds; i++)
        if (total->by_bound[i] > 0)
            text = text_format(
                page->arena, "%s%s%s %s", text, *text != '\0' ? ", " : "", net_bounds[i],
                text_share(page->arena, (double)total->by_bound[i] / (double)total->cycles));
    if (*text != '\0')
        page_field(page, "bound", text_format(page->arena, "%s of the time", text));
}

static void print_skipped(const struct page *page, const struct network *network)
{
    struct arena *arena = page->arena;
    char name[EXCERPT_SIZE_BYTES], what[EXCERPT_SIZE_BYTES];
    size_t told = least(network->skipped_count, SKIPPED_TOLD);
    for (size_t i = 0; i < told; i++) {
        const struct skipped_layer *skipped = &network->skipped[i];
        page_field(page, "skipped",
                   text_format(arena, "%s: %s: %s",
                               excerpt_format(skipped->name, name, sizeof name),
                               excerpt_format(skipped->what, what, sizeof what), skipped->reason));
    }
    if (told < network->skipped_count)
        page_field(page, "skipped",
                   text_format(arena, "%s more, which --json lists",
                               text_number(arena, network->skipped_count - told)));
}

static void print_database(const struct page *page, const struct net_view *view)
{
    const struct net_total *total = &view->total;
    char shown[EXCERPT_SIZE_BYTES];
    if (view->db == NULL)
        page_field(page, "database",
                   text_format(page->arena, "%s simulated, not saved; --db FILE saves the runs",
                               counted(page->arena, total->simulated, "layer", "layers")));
    else
        page_field(page, "database",
                   text_format(page->arena, "%s simulated and saved, %s stored already; %s",
                               counted(page->arena, total->simulated, "layer", "layers"),
                               text_number(page->arena, total->stored),
                               excerpt_format(view->db, shown, sizeof shown)));
}

static const char *headline(const struct page *page, const struct net_view *view)
{
    const struct network *network = view->network;
    struct arena *arena = page->arena;
    char shown[EXCERPT_SIZE_BYTES];
    const char *batch = "";
    if (view->options->batch > 0)
        batch = text_format(arena, ", batch %s", text_number(arena, view->options->batch));
    const char *left_out = "";
    if (view->total.refused + view->total.waiting > 0)
        left_out = text_format(arena, "; the sums leave out %s refused and %s not reached",
                               text_number(arena, view->total.refused),
                               text_number(arena, view->total.waiting));
    return text_format(
        arena, "%s on %s: %s, %s distinct%s%s", excerpt_format(network->path, shown, sizeof shown),
        product_text(arena, view->product), counted(arena, network->occurrences, "layer", "layers"),
        text_number(arena, network->distinct_count), batch, left_out);
}

void net_print_text(const struct page *page, const struct net_view *view)
{
    const struct net_total *total = &view->total;
    struct arena *arena = page->arena;
    page_sentence(page, STYLE_BOLD, headline(page, view));
    fputc('\n', page->stream);
    print_time(page, view);
    if (total->peak_macs > 0.0)
        page_field(page, "work",
                   text_format(
                       arena, "%s MAC, %s of the peak of %s cores", text_number(arena, total->macs),
                       text_share(arena, (double)total->macs / total->peak_macs),
                       text_number(arena, product_whole(view->product, PRODUCT_CHIP_CORES))));
    print_bounds(page, view);
    for (uint32_t i = 0; i < view->network->note_count; i++)
        page_field(page, "note", view->network->notes[i]);
    print_skipped(page, view->network);
    print_database(page, view);
    print_layers(page, view);
}
