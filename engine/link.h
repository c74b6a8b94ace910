/*
 * A link that several transfers share: each gets a max-min fair share of its capacity, capped by
 * the transfer's own port.
 *
 * Rates are in 2^-16 bytes per tick, shares are found by water-filling with floor, and the units
 * left over go one each to the first transfers in order of cap and owner. A transfer ends at the
 * tick ceil(remaining / rate). Shares change only in link_settle; between two settlements
 * transfers may be added, and finished ones are taken out with link_pop.
 */
#ifndef CUBESIM_ENGINE_LINK_H
#define CUBESIM_ENGINE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "engine/row.h"

enum { RATE_SHIFT = 16, BYTES_MAX_SHIFT = 44 };

struct transfer {
    uint32_t owner;     /* meaning belongs to the owner of the link */
    uint64_t cap;       /* most that its port takes, 2^-16 B per tick */
    uint64_t rate;      /* present share */
    uint64_t remaining; /* 2^-16 B at the tick of the last settlement */
    tick finish;        /* when it ends at the present share */
};

struct link {
    uint64_t capacity;          /* 2^-16 B per tick */
    struct transfer *transfers; /* sorted by cap, then owner; room for one per owner */
    uint32_t count, room;
    tick settled_at;
    uint64_t bytes; /* carried in all, for statistics */
};

enum status link_init(struct link *link, uint64_t capacity, uint32_t owners,
                      struct arena *arena) MUST_CHECK;

/* Adds a transfer of bytes (1 .. 2^44) that begins now; it moves from the next settlement on, which
 * must happen in the same tick. */
void link_add(struct link *link, tick now, uint32_t owner, uint64_t bytes, uint64_t cap);

/* Takes out one transfer that has ended at now; false when there is none. */
bool link_pop(struct link *link, tick now, uint32_t *owner);

/* Shares the capacity anew from now on. */
void link_settle(struct link *link, tick now);

/* The tick of the earliest end, or UINT64_MAX when nothing moves. */
tick link_next(const struct link *link);

/* Ticks that a transfer takes alone: ceil(bytes / cap). */
tick link_alone(uint64_t bytes, uint64_t cap);

#endif
