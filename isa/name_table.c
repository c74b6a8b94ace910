#include "isa/name_table.h"

#include <assert.h>
#include <string.h>

#include "engine/base/arena.h"

enum { SLOTS_MIN = 64 };

/* FNV-1a. */
static uint64_t name_hash(const char *name, size_t length)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001B3);
    }
    return hash ^ hash >> 32;
}

/* The slot of a name, or the empty one where it would stand. */
static struct name_slot *slot_find(struct name_slot *slots, size_t slot_count, const char *name,
                                   size_t length)
{
    size_t at = (size_t)name_hash(name, length) & (slot_count - 1);
    while (slots[at].name != NULL &&
           (slots[at].length != length || memcmp(slots[at].name, name, length) != 0)) {
        at = (at + 1) & (slot_count - 1);
    }
    return &slots[at];
}

void name_table_deinit(struct name_table *table)
{
    array_release(table->slots);
    *table = (struct name_table){.slots = NULL};
}

/* Twice the slots, so that at most half of them are taken. */
static bool table_grow(struct name_table *table)
{
    size_t capacity = 0; /* all of it is slots */
    size_t slot_count = table->slot_count == 0 ? SLOTS_MIN : 2 * table->slot_count;
    struct name_slot *slots = array_grow(NULL, &capacity, slot_count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->slot_count; i++) {
        const struct name_slot *old = &table->slots[i];
        if (old->name != NULL) {
            *slot_find(slots, slot_count, old->name, old->length) = *old;
        }
    }
    array_release(table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

bool name_table_add(struct name_table *table, const char *name, size_t length, uint32_t number)
{
    assert(number != NAME_NONE);
    if (2 * (table->count + 1) > table->slot_count && !table_grow(table)) {
        return false;
    }
    struct name_slot *slot = slot_find(table->slots, table->slot_count, name, length);
    assert(slot->name == NULL);
    *slot = (struct name_slot){name, length, number};
    table->count++;
    return true;
}

uint32_t name_table_find(const struct name_table *table, const char *name, size_t length)
{
    if (table->slot_count == 0) {
        return NAME_NONE;
    }
    const struct name_slot *slot = slot_find(table->slots, table->slot_count, name, length);
    return slot->name == NULL ? NAME_NONE : slot->number;
}
