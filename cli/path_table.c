#include "cli/path_table.h"

#include "cli/bottleneck.h"
#include "cli/text.h"

enum { PATH_ROWS_MAX = 14 };

static void path_row(const struct page *page, struct table *table, const char *name, tick cycles,
                     tick all)
{
    double share = all > 0 ? (double)cycles / (double)all : 0.0;
    table_add(table, (const char *[]){name, text_number(page->arena, cycles),
                                      text_share(page->arena, share)});
}

void path_table_print(const struct page *page, const struct path *path, tick cycles)
{
    struct named_cycles entries[PATH_ENTRIES_MAX];
    size_t count = path_entries(path, page->arena, entries);
    size_t shown = count > PATH_ROWS_MAX ? PATH_ROWS_MAX - 1 : count;
    tick rest = cycles;
    struct table table;
    table_init(&table, page->arena, "lrr");
    for (size_t i = 0; i < shown; i++) {
        path_row(page, &table, entries[i].name, entries[i].cycles, cycles);
        rest -= entries[i].cycles;
    }
    if (shown < count)
        path_row(page, &table, text_format(page->arena, "%zu more", count - shown), rest, cycles);
    path_row(page, &table, "sum", cycles, cycles);
    size_t columns = TERMINAL_WIDTH - table_width(&table, 2) - 2;
    fputs("\ncritical path\n", page->stream);
    for (size_t i = 0; i + 1 < table.count; i++) {
        tick own = i < shown ? entries[i].cycles : rest;
        tick most = entries[0].cycles > rest ? entries[0].cycles : rest;
        double share = (double)own / (double)most;
        const char *bar = text_need(terminal_bar(&page->terminal, share, columns, page->arena));
        fprintf(page->stream, "%s%s%s\n", table_line(&table, i, 2), *bar != '\0' ? "  " : "", bar);
    }
    fprintf(page->stream, "%s%s%s\n", page_style(page, STYLE_BOLD),
            table_line(&table, table.count - 1, 2), page_style(page, STYLE_PLAIN));
}
