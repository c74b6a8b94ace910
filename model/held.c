#include "model/held.h"

#include <assert.h>
#include <string.h>

#include "engine/base/arena.h"

/* The part of a full ring that begins again at its start goes on behind its end instead: growing
 * at least doubles it. */
static enum status held_grow(struct held *held)
{
    size_t full = held->capacity;
    void *grown = array_grow(held->ring, &held->capacity, full + 1, sizeof *held->ring);
    if (grown == NULL)
        return STATUS_NO_MEMORY;
    held->ring = grown;
    assert(held->capacity - full >= held->first);
    memcpy(held->ring + full, held->ring, held->first * sizeof *held->ring);
    return STATUS_OK;
}

enum status held_push(struct held *held, const struct step *step)
{
    if (held->count == held->capacity && held_grow(held) != STATUS_OK)
        return STATUS_NO_MEMORY;
    size_t at = held->first + held->count++;
    held->ring[at < held->capacity ? at : at - held->capacity] = *step;
    return STATUS_OK;
}

const struct step *held_front(const struct held *held)
{
    return held->count == 0 ? NULL : &held->ring[held->first];
}

void held_pop(struct held *held)
{
    assert(held->count > 0);
    held->count--;
    held->first = held->first + 1 < held->capacity ? held->first + 1 : 0;
}

void held_clear(struct held *held)
{
    held->first = held->count = 0;
}

void held_close(struct held *held)
{
    array_release(held->ring);
    *held = (struct held){0};
}
