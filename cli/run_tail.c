#include <inttypes.h>

#include "cli/json.h"
#include "cli/run_view.h"
#include "cli/text.h"

static const char *const padding_names[PADDING_COUNT] = {"M", "N", "K", "C0", "groups"};

static uint64_t cube_macs(const struct tail *tail)
{
    uint64_t macs = tail->useful_macs;
    for (uint32_t i = 0; i < PADDING_COUNT; i++)
        macs += tail->padding[i];
    return macs;
}

/* Share of the places in the rounds that tiles take. */
static double filled(const struct run_view *view)
{
    return view_share(view->tail->tile_count, view->tail->rounds * view->result->cores);
}

static const char *tiles_text(const struct page *page, const struct run_view *view)
{
    const struct tail *tail = view->tail;
    return text_format(page->arena, "%s L0 tile%s in %s round%s, %s full; ",
                       text_number(page->arena, tail->tile_count), tail->tile_count == 1 ? "" : "s",
                       text_number(page->arena, tail->rounds), tail->rounds == 1 ? "" : "s",
                       text_share(page->arena, filled(view)));
}

static void print_padding(const struct page *page, const struct tail *tail)
{
    const char *text = "";
    for (uint32_t i = 0; i < PADDING_COUNT; i++)
        if (tail->padding[i] > 0)
            text = text_format(
                page->arena, "%s%s%s %s", text, *text != '\0' ? ", " : "", padding_names[i],
                text_share(page->arena, view_share(tail->padding[i], cube_macs(tail))));
    page_field(page, "padding",
               *text != '\0' ? text_format(page->arena, "of what the cube does: %s", text)
                             : "none");
}

void run_print_tail(const struct page *page, const struct run_view *view)
{
    const struct tail *tail = view->tail;
    bool of_plan = tail->tiles != NULL;
    if (of_plan)
        print_padding(page, tail);
    page_field(
        page, "tail",
        text_format(page->arena, "%sslowest core %s over the mean, %" PRIu64 " of %" PRIu64 " idle",
                    of_plan ? tiles_text(page, view) : "", text_share(page->arena, tail->imbalance),
                    tail->idle_cores, product_whole(view->product, PRODUCT_CHIP_CORES)));
}

static json_t *cores_json(const struct run_view *view)
{
    json_t *list = json_array();
    for (uint64_t core = 0; core < view->result->cores; core++) {
        json_t *map = json_object();
        json_put(map, "core", json_whole(core));
        json_put(map, "cycles", json_whole(view->result->core_cycles[core]));
        json_put(map, "tiles",
                 view->tail->tiles != NULL ? json_whole(view->tail->tiles[core]) : json_null());
        json_add(list, map);
    }
    return list;
}

static json_t *padding_json(const struct tail *tail)
{
    json_t *map = json_object();
    json_put(map, "useful", json_number(view_share(tail->useful_macs, cube_macs(tail))));
    for (uint32_t i = 0; i < PADDING_COUNT; i++)
        json_put(map, padding_word((enum padding)i),
                 json_number(view_share(tail->padding[i], cube_macs(tail))));
    return map;
}

json_t *run_tail_json(const struct run_view *view)
{
    const struct tail *tail = view->tail;
    bool of_plan = tail->tiles != NULL;
    json_t *map = json_object();
    json_put(map, "tiles", of_plan ? json_whole(tail->tile_count) : json_null());
    json_put(map, "rounds", of_plan ? json_whole(tail->rounds) : json_null());
    json_put(map, "filled", of_plan ? json_number(filled(view)) : json_null());
    json_put(map, "mac_share", of_plan ? padding_json(tail) : json_null());
    json_put(map, "idle_cores", json_whole(tail->idle_cores));
    json_put(map, "mean_core_cycles", json_number(tail->mean_cycles));
    json_put(map, "imbalance", json_number(tail->imbalance));
    json_put(map, "cores", cores_json(view));
    return map;
}
