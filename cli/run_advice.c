#include <string.h>

#include "cli/json.h"
#include "cli/run_view.h"
#include "cli/text.h"

enum { TOLD = 3 }; /* besides what goes with the fastest */

struct suggestions {
    const char *text, *mark; /* between two of them */
};

/* "l0c_buffers 2 (-21.4 %)". */
static void list_add(struct arena *arena, const struct run_view *view, struct suggestions *list,
                     const struct suggestion *suggestion, const char *name)
{
    double gain = suggestion_gain(suggestion, view->result->cycles);
    list->text =
        text_format(arena, "%s%s%s (-%s)", list->text, *list->text != '\0' ? list->mark : "", name,
                    text_share(arena, gain / 100));
}

/* The fastest, what goes with it, and both; then the others; and why the fastest. */
void run_print_advice(const struct page *page, const struct run_view *view)
{
    const struct advice *advice = view->advice;
    struct arena *arena = page->arena;
    struct suggestions list = {.text = "", .mark = ", "};
    if (advice->count == 0)
        return;
    for (uint32_t i = 0; i < advice->count; i++)
        if (advice->single[i].change.count > 1)
            list.mark = "; ";
    list_add(arena, view, &list, &advice->single[0], advice->single[0].text);
    if (advice->has_both) {
        const struct suggestion *partner = &advice->single[advice->partner];
        list_add(arena, view, &list, partner, partner->text);
        list_add(arena, view, &list, &advice->both, "both");
    }
    for (uint32_t i = 1; i < advice->count && i < TOLD; i++)
        if (!advice->has_both || i != advice->partner)
            list_add(arena, view, &list, &advice->single[i], advice->single[i].text);
    text_print_wrapped(page->stream, arena, "try", 4,
                       text_format(arena, "%s: simulated", list.text), page->width);
    text_print_wrapped(page->stream, arena, "", 4,
                       text_format(arena, "the first: %s", advice->single[0].looked_at),
                       page->width);
}

static json_t *value_json(const struct plan_edit *edit, struct arena *arena)
{
    const char *text = text_need(plan_edit_value(edit, arena));
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return json_boolean(strcmp(text, "true") == 0);
    return text[0] >= '0' && text[0] <= '9' ? json_whole(edit->value) : json_words(text);
}

/* The changed words as they stand in a plan. */
static json_t *edits_json(const struct plan_change *change, struct arena *arena)
{
    json_t *root = json_object();
    for (uint32_t i = 0; i < change->count; i++) {
        const struct plan_edit *edit = &change->edit[i];
        json_t *map = json_object_get(root, plan_edit_map(edit));
        if (map == NULL) {
            map = json_object();
            json_put(root, plan_edit_map(edit), map);
        }
        if (edit->word == WORD_CORE_SPLIT) {
            json_t *split = json_object_get(map, plan_edit_key(edit));
            if (split == NULL) {
                split = json_object();
                json_put(map, plan_edit_key(edit), split);
            }
            json_put(split, split_word(edit->axis), json_whole(edit->value));
            continue;
        }
        json_put(map, plan_edit_key(edit), value_json(edit, arena));
    }
    return root;
}

json_t *run_advice_json(const struct run_view *view, struct arena *arena)
{
    const struct suggestion *ranked[ADVICE_KEPT + 1];
    uint32_t count = advice_ranked(view->advice, ranked);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *map = json_object();
        json_put(map, "change", json_words(ranked[i]->text));
        json_put(map, "edits", edits_json(&ranked[i]->change, arena));
        json_put(map, "rule", json_words(ranked[i]->rule));
        json_put(map, "looked_at", json_words(ranked[i]->looked_at));
        json_put(map, "cycles", json_whole(ranked[i]->cycles));
        json_put(map, "gain_percent",
                 json_number(suggestion_gain(ranked[i], view->result->cycles)));
        json_add(list, map);
    }
    return list;
}
