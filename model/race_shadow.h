/*
 * The shadow of a memory: which accesses of each byte a later one has to be judged against.
 *
 * A memory is cut into pages, a page into segments of bytes with the same accesses. A page that
 * nobody has touched has no segment.
 */
#ifndef CUBESIM_MODEL_RACE_SHADOW_H
#define CUBESIM_MODEL_RACE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "model/insn_ref.h"

/* Two accesses of different kinds, or two writes, conflict; reads among themselves and atomic
 * additions among themselves do not. */
enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_KINDS };

struct access {
    struct insn_ref ref;
    uint32_t core;
    uint8_t lane; /* model/clocks.h */
    uint8_t kind; /* enum access_kind */
};

struct shadow_access {
    struct access access;
    uint32_t next; /* of the segment; 0: none */
};

struct shadow_segment {
    uint32_t start; /* byte of its page; it ends where the next begins */
    uint32_t next;  /* of the page; 0: none */
    uint32_t first; /* shadow_access; 0: none */
};

/* Segments and accesses of all shadows; index 0 is nothing. */
struct shadow_pool {
    struct shadow_segment *segment; /* array_grow */
    struct shadow_access *access;   /* array_grow */
    size_t segment_capacity, access_capacity;
    uint32_t segment_count, access_count; /* ever used */
    uint32_t segment_free, access_free;
    bool failed; /* memory ran out */
};

enum { SHADOW_PAGE_BYTES = 512 };

struct shadow {
    uint32_t *page; /* first segment of each page; 0: untouched */
    uint64_t pages;
    /* Where the last visit began: the next often goes on behind it. */
    uint64_t visited_page;
    uint32_t visited; /* segment; 0: none */
};

void shadow_pool_init(struct shadow_pool *pool);
void shadow_pool_deinit(struct shadow_pool *pool);

enum status shadow_init(struct shadow *shadow, uint64_t size_bytes, struct arena *arena) MUST_CHECK;
/* Forgets all accesses. */
void shadow_clear(struct shadow *shadow, struct shadow_pool *pool);

/* The segments that make up bytes [from, to) of a page, cut where these begin and end: calls visit
 * for each, with its bounds in the page. */
typedef void shadow_visitor(void *context, uint32_t segment, uint32_t from, uint32_t to);
void shadow_visit(struct shadow *shadow, struct shadow_pool *pool, uint64_t page, uint32_t from,
                  uint32_t to, shadow_visitor *visit, void *context);

/* Adds an access to a segment; removes those behind which all that conflicts with them would also
 * conflict with the new one (superseded says so). */
typedef bool shadow_superseded(void *context, const struct access *old, const struct access *new);
void shadow_put(struct shadow_pool *pool, uint32_t segment, const struct access *access,
                shadow_superseded *superseded, void *context);

/* Joins neighbours that one and the same access has overwritten, from where the last visit to this
 * page began up to a byte of it. */
void shadow_join(struct shadow *shadow, struct shadow_pool *pool, uint64_t page, uint32_t to);

#endif
