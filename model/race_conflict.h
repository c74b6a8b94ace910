/*
 * Earlier accesses that the instruction at work conflicts with and nothing orders.
 *
 * Two instructions often meet in many places: a pair of them is one conflict, with the bytes from
 * the first place to the last.
 */
#ifndef CUBESIM_MODEL_RACE_CONFLICT_H
#define CUBESIM_MODEL_RACE_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"
#include "model/finding.h"
#include "model/race_shadow.h"
#include "model/race_stretch.h"

struct conflict {
    struct access old, now; /* now: of the instruction at work */
    struct stretch bytes;
    bool unread; /* they are ordered, and nobody has read what the old one wrote: a note */
    size_t slot; /* of the table */
};

/* Of the instruction at work, in the order in which they were found. The first two are its owner's
 * to fill, the rest is zeroed. */
struct conflicts {
    const struct program *program;
    const struct finding_sink *sink;
    struct conflict *item; /* array_grow */
    size_t capacity, count;
    uint32_t *table; /* [slot], array_grow: 1 + the conflict with an instruction of a core, or 0;
                        open addressing, at most half full */
    size_t slots;    /* a power of two */
    bool failed;     /* memory ran out */
};

void conflicts_close(struct conflicts *conflicts);

/* Another instruction begins: it has none. */
void conflicts_clear(struct conflicts *conflicts);

/* The access `now` to these bytes conflicts with an old one. Of a pair of instructions the first
 * memory, tensor and kinds of access that are told stay, other ones add nothing. */
void conflicts_add(struct conflicts *conflicts, const struct access *old, const struct access *now,
                   const struct stretch *bytes, bool unread);

/* Tells them. */
void conflicts_tell(const struct conflicts *conflicts);

#endif
