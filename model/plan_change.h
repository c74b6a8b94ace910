/*
 * A change of a plan: words and the values that they shall have, as a person would edit the file.
 *
 * Applied to a resolved plan it gives another resolved plan, judged by the same rules: what the
 * edited file would give. A tile that was derived and is changed counts as written, all of it; one
 * that is left alone is derived anew when slots are written.
 */
#ifndef CUBESIM_MODEL_PLAN_CHANGE_H
#define CUBESIM_MODEL_PLAN_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/plan.h"

enum { PLAN_EDITS_MAX = 24 };

/* Values of words that are no numbers are those of their enumeration, of flags 0 and 1. */
struct plan_edit {
    enum plan_word word;
    enum split axis; /* of WORD_CORE_SPLIT, whose axes that are not named get 1 way */
    uint64_t value;
};

struct plan_change {
    struct plan_edit edit[PLAN_EDITS_MAX];
    uint32_t count;
};

/* Adds an edit, unless it is there. A word that cannot be changed is a fault of the caller. */
void plan_change_add(struct plan_change *change, enum plan_word word, uint64_t value);
void plan_change_split(struct plan_change *change, enum split axis, uint64_t ways);

/* Slots of a buffer, and the order, by the word that the plan says them with. */
void plan_change_slots(const struct plan *plan, enum buffer buffer, uint64_t slots,
                       struct plan_change *change);
void plan_change_order(const struct plan *plan, enum order order, struct plan_change *change);

/* The edits that make the tile of a plan another one, in the words of its form. False when the form
 * has no words for it. */
bool plan_change_tile(const struct plan *plan, const struct tile *tile, struct plan_change *change);

/* Both together; false when they want different things of a word. */
bool plan_change_join(const struct plan_change *left, const struct plan_change *right,
                      struct plan_change *both);

/* What the change makes of a resolved plan. BROKEN or BAD_INPUT when that is not legal. Texts live
 * in the arena, problems in diag. */
enum status plan_change_apply(const struct plan *plan, const struct plan_change *change,
                              struct arena *arena, struct diag *diag,
                              struct plan *changed) MUST_CHECK;

/* Where a word stands in a plan file: "tile_l0", "tileK"; and its value as it is written there. */
const char *plan_edit_map(const struct plan_edit *edit);
const char *plan_edit_key(const struct plan_edit *edit);
const char *plan_edit_value(const struct plan_edit *edit, struct arena *arena);

/* "batch", "group", "m" or "n". */
const char *split_word(enum split axis);

/* "l0c_buffers 2", "tileK 192, core_split batch 8 x m 3"; NULL without memory. */
const char *plan_change_text(const struct plan_change *change, struct arena *arena);

#endif
