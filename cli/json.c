#include "cli/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "cli/text.h"

/* Ends the program when memory ran out. */
static json_t *need(json_t *value)
{
    if (value == NULL)
        text_need(NULL);
    return value;
}

void json_put(json_t *map, const char *key, json_t *value)
{
    if (json_object_set_new(map, key, need(value)) != 0)
        text_need(NULL);
}

void json_add(json_t *list, json_t *value)
{
    if (json_array_append_new(list, need(value)) != 0)
        text_need(NULL);
}

json_t *json_whole(uint64_t value)
{
    return json_integer(value <= INT64_MAX ? (json_int_t)value : INT64_MAX);
}

json_t *json_words(const char *text)
{
    char shown[4 * EXCERPT_SIZE_BYTES];
    json_t *value = json_string(text);
    return value != NULL ? value : json_string(excerpt_format(text, shown, sizeof shown));
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *plan_tree(const struct plan *plan, struct arena *arena)
{
    return need(json_loads(text_need(plan_json(plan, arena)), 0, NULL));
}

json_t *json_plan_tile(const struct plan *plan, struct arena *arena)
{
    json_t *tree = plan_tree(plan, arena);
    json_t *tile = json_object_get(tree, "tile"), *l1 = json_object_get(tree, "tile_l1");
    if (tile == NULL) {
        tile = need(json_object());
        json_put(tile, "tile_l1", json_incref(l1));
        json_put(tile, "tile_l0", json_incref(json_object_get(tree, "tile_l0")));
    } else {
        json_incref(tile);
    }
    /* These two are advice, and the plan keeps what was written. */
    if (plan->form == TILE_PYPTO && l1 != NULL) {
        json_put(l1, "tileHin", json_whole(plan->l1.hin));
        json_put(l1, "tileWin", json_whole(plan->l1.win));
    }
    json_decref(tree);
    return tile;
}

json_t *json_plan_schedule(const struct plan *plan, struct arena *arena)
{
    json_t *tree = plan_tree(plan, arena);
    json_t *schedule = need(json_incref(json_object_get(tree, "schedule")));
    json_decref(tree);
    return schedule;
}

json_t *json_plan_notes(const struct plan *plan)
{
    json_t *notes = need(json_array());
    for (uint32_t i = 0; i < plan->note_count; i++)
        json_add(notes, json_words(plan->notes[i]));
    return notes;
}

void json_print(json_t *root)
{
    enum { REAL_DIGITS = 15 };
    if (json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS)) == 0)
        putchar('\n');
    json_decref(root);
}

json_t *json_kernel(const struct kernel *kernel)
{
    json_t *map = json_object();
    json_put(map, "arch", json_words(arch_word(kernel->arch)));
    json_put(map, "soc", json_words(kernel->soc));
    for (uint32_t i = 0; i < KERNEL_WORD_COUNT; i++)
        json_put(map, kernel_word_word((enum kernel_word)i), json_words(kernel->word[i]));
    for (uint32_t i = 0; i < KERNEL_NUMBER_COUNT; i++)
        json_put(map, kernel_number_word((enum kernel_number)i), json_whole(kernel->number[i]));
    return map;
}
