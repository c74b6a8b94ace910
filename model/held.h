/*
 * Instructions of a pipe that stand behind a wait, oldest first.
 */
#ifndef CUBESIM_MODEL_HELD_H
#define CUBESIM_MODEL_HELD_H

#include <stddef.h>

#include "engine/base/status.h"
#include "model/sync.h"

/* A ring that grows. Zeroed it is empty. */
struct held {
    struct step *ring;             /* [capacity], array_grow */
    size_t capacity, first, count; /* first: of the oldest */
};

enum status held_push(struct held *held, const struct step *step) MUST_CHECK;

/* The oldest, until the next push or pop; NULL when there is none. */
const struct step *held_front(const struct held *held);

/* Takes the oldest away; there is one. */
void held_pop(struct held *held);

void held_clear(struct held *held);
void held_close(struct held *held);

#endif
