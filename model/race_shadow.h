/*
 * The shadow of a memory: which accesses of each byte a later one has to be judged against.
 *
 * A memory is cut into pages. A page has a list of accesses, newest first, each with the bytes of
 * the page for which it still counts: whole blocks mostly, so that an instruction that touches many
 * small pieces of a page costs little more than one that touches all of it.
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

enum {
    SHADOW_BLOCK_BYTES = 32,
    SHADOW_PAGE_BLOCKS = 16,
    SHADOW_PAGE_BYTES = SHADOW_PAGE_BLOCKS * SHADOW_BLOCK_BYTES,
};

/* Some bytes of a page. */
struct page_bytes {
    uint16_t blocks;      /* a bit for each block with bytes, from the lowest */
    const uint32_t *mask; /* [block]: a bit for each byte, 0 in other blocks; NULL: whole blocks */
};

/* The first and the last of them; there is one. */
uint32_t page_bytes_first(const struct page_bytes *bytes);
uint32_t page_bytes_last(const struct page_bytes *bytes);

struct shadow_access {
    struct access access;
    uint32_t next;   /* of the page; 0: none */
    uint16_t blocks; /* page_bytes, at least one */
    bool part;       /* the mask of the same index counts */
};

struct shadow_mask {
    uint32_t block[SHADOW_PAGE_BLOCKS];
};

/* Accesses of all shadows; index 0 is nothing. */
struct shadow_pool {
    struct shadow_access *access; /* array_grow */
    struct shadow_mask *mask;     /* array_grow */
    size_t access_capacity, mask_capacity;
    uint32_t count;   /* ever used */
    uint32_t dropped; /* the first of those to be used again; 0: none */
    bool failed;      /* memory ran out */
};

struct shadow {
    uint32_t *page; /* [page]: newest access; 0: untouched */
    uint64_t pages;
};

void shadow_pool_init(struct shadow_pool *pool);
void shadow_pool_deinit(struct shadow_pool *pool);

enum status shadow_init(struct shadow *shadow, uint64_t size_bytes, struct arena *arena) MUST_CHECK;
/* Forgets all accesses. */
void shadow_clear(struct shadow *shadow, struct shadow_pool *pool);

/* Adds an access to bytes of a page, at least one. Calls visit for each access, newest first, that
 * counts for some of these bytes, with the bytes that both have: there the new one takes the place
 * of one of the same core when all that conflicts with that would also conflict with the new one
 * (visit says so). Of other cores one access of each kind says all. */
typedef bool shadow_visitor(void *context, const struct access *old,
                            const struct page_bytes *shared);
void shadow_put(struct shadow *shadow, struct shadow_pool *pool, uint64_t page,
                const struct page_bytes *bytes, const struct access *access, shadow_visitor *visit,
                void *context);

#endif
