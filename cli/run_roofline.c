#include "cli/json.h"
#include "cli/run_view.h"
#include "cli/text.h"

/* "3,091.4", "-" for nothing. */
static const char *rate_text(struct arena *arena, double rate)
{
    return rate > 0.0 ? text_real(arena, rate, 1) : "-";
}

static void level_row(const struct page *page, struct table *table, const char *name,
                      const struct roof *roof)
{
    struct arena *arena = page->arena;
    table_add(table, (const char *[]){
                         name,
                         roof->bytes > 0 ? text_number(arena, roof->bytes) : "-",
                         rate_text(arena, roof->bytes_per_cycle),
                         rate_text(arena, roof->roof_bytes_per_cycle),
                         rate_text(arena, roof->macs_per_byte),
                         roof->roof_macs_per_cycle > 0.0
                             ? text_number(arena, (uint64_t)(roof->roof_macs_per_cycle + 0.5))
                             : "-",
                         text_share(arena, roof->reached),
                     });
}

void run_print_roofline(const struct page *page, const struct run_view *view)
{
    const struct roofline *roofline = view->roofline;
    struct table table;
    if (roofline->nearest == ROOF_COUNT)
        return;
    table_init(&table, page->arena, "lrrrrrr");
    table_add(&table, (const char *[]){"level", "bytes", "B/cycle", "roof", "MAC/B",
                                       "MAC/cycle roof", "reached"});
    for (enum roof_level level = 0; level < ROOF_COUNT; level++)
        if (roofline->level[level].reached > 0.0)
            level_row(page, &table, roof_text(level), &roofline->level[level]);
    fputc('\n', page->stream);
    page_sentence(page, STYLE_PLAIN,
                  text_format(page->arena,
                              "roofline: %s MAC/cycle; the nearest roof is %s, %s of it reached",
                              text_number(page->arena, (uint64_t)(roofline->macs_per_cycle + 0.5)),
                              roof_text(roofline->nearest),
                              text_share(page->arena, roofline->level[roofline->nearest].reached)));
    table_print(&table, page->stream, 2);
}

/* A number, or null where there is none. */
static json_t *some_json(double value)
{
    return value > 0.0 ? json_number(value) : json_null();
}

json_t *run_roofline_json(const struct run_view *view)
{
    const struct roofline *roofline = view->roofline;
    json_t *map = json_object(), *levels = json_array();
    json_put(map, "macs_per_cycle", json_number(roofline->macs_per_cycle));
    json_put(map, "nearest",
             roofline->nearest < ROOF_COUNT ? json_words(roof_word(roofline->nearest))
                                            : json_null());
    for (enum roof_level i = 0; i < ROOF_COUNT; i++) {
        const struct roof *roof = &roofline->level[i];
        json_t *level = json_object();
        json_put(level, "level", json_words(roof_word(i)));
        json_put(level, "bytes", json_whole(roof->bytes));
        json_put(level, "bytes_per_cycle", json_number(roof->bytes_per_cycle));
        json_put(level, "roof_bytes_per_cycle", some_json(roof->roof_bytes_per_cycle));
        json_put(level, "macs_per_byte", some_json(roof->macs_per_byte));
        json_put(level, "roof_macs_per_cycle", some_json(roof->roof_macs_per_cycle));
        json_put(level, "reached", json_number(roof->reached));
        json_add(levels, level);
    }
    json_put(map, "levels", levels);
    return map;
}
