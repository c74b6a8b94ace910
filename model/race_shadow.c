#include "model/race_shadow.h"

#include <assert.h>
#include <string.h>

static bool page_has(const struct page_bytes *bytes, uint32_t at)
{
    uint32_t block = at / SHADOW_BLOCK_BYTES;
    if ((bytes->blocks >> block & 1) == 0)
        return false;
    return bytes->mask == NULL || (bytes->mask[block] >> at % SHADOW_BLOCK_BYTES & 1) != 0;
}

uint32_t page_bytes_first(const struct page_bytes *bytes)
{
    uint32_t at = 0;
    while (!page_has(bytes, at))
        at++;
    return at;
}

uint32_t page_bytes_last(const struct page_bytes *bytes)
{
    uint32_t at = SHADOW_PAGE_BYTES - 1;
    while (!page_has(bytes, at))
        at--;
    return at;
}

static uint32_t block_mask(const struct page_bytes *bytes, uint32_t block)
{
    if (bytes->mask != NULL)
        return bytes->mask[block];
    return (bytes->blocks >> block & 1) != 0 ? UINT32_MAX : 0;
}

/* The blocks that have a byte. */
static uint16_t mask_blocks(const struct shadow_mask *mask)
{
    uint32_t blocks = 0;
    for (uint32_t block = 0; block < SHADOW_PAGE_BLOCKS; block++)
        blocks |= (uint32_t)(mask->block[block] != 0) << block;
    return (uint16_t)blocks;
}

/* Four masks of blocks. */
typedef uint32_t mask_vector __attribute__((vector_size(16), may_alias, aligned(4)));
enum { MASK_VECTORS = SHADOW_PAGE_BLOCKS / 4 };

/* Whether two masks have a byte in common; without a branch, for mostly they have none. */
static bool masks_meet(const uint32_t *left, const uint32_t *right)
{
    const mask_vector *a = (const mask_vector *)left, *b = (const mask_vector *)right;
    mask_vector any = {0};
    for (uint32_t i = 0; i < MASK_VECTORS; i++)
        any |= a[i] & b[i];
    return (any[0] | any[1] | any[2] | any[3]) != 0;
}

static bool page_bytes_meet(const struct page_bytes *left, const struct page_bytes *right)
{
    if ((left->blocks & right->blocks) == 0)
        return false;
    return left->mask == NULL || right->mask == NULL || masks_meet(left->mask, right->mask);
}

/* The bytes that both have; mask is room for them. */
static struct page_bytes page_bytes_shared(const struct page_bytes *left,
                                           const struct page_bytes *right, struct shadow_mask *mask)
{
    struct page_bytes shared = {.blocks = left->blocks & right->blocks};
    if (shared.blocks == 0 || (left->mask == NULL && right->mask == NULL))
        return shared;
    for (uint32_t block = 0; block < SHADOW_PAGE_BLOCKS; block++)
        mask->block[block] = block_mask(left, block) & block_mask(right, block);
    return (struct page_bytes){.blocks = mask_blocks(mask), .mask = mask->block};
}

/* Adds bytes to others; mask is the room of those. */
static void page_bytes_join(struct page_bytes *bytes, const struct page_bytes *added,
                            struct shadow_mask *mask)
{
    if (bytes->mask != NULL || added->mask != NULL) {
        for (uint32_t block = 0; block < SHADOW_PAGE_BLOCKS; block++)
            mask->block[block] = block_mask(bytes, block) | block_mask(added, block);
        bytes->mask = mask->block;
    }
    bytes->blocks |= added->blocks;
}

void shadow_pool_init(struct shadow_pool *pool)
{
    *pool = (struct shadow_pool){.count = 1};
}

void shadow_pool_deinit(struct shadow_pool *pool)
{
    array_release(pool->access);
    array_release(pool->mask);
    *pool = (struct shadow_pool){0};
}

/* One that was dropped, else one behind all; 0 when memory runs out. */
static uint32_t access_take(struct shadow_pool *pool)
{
    uint32_t index = pool->dropped;
    if (index != 0) {
        pool->dropped = pool->access[index].next;
        return index;
    }
    size_t needed = (size_t)pool->count + 1;
    void *accesses = array_grow(pool->access, &pool->access_capacity, needed, sizeof *pool->access);
    pool->access = accesses != NULL ? accesses : pool->access;
    void *masks = array_grow(pool->mask, &pool->mask_capacity, needed, sizeof *pool->mask);
    pool->mask = masks != NULL ? masks : pool->mask;
    if (accesses == NULL || masks == NULL || pool->count == UINT32_MAX) {
        pool->failed = true;
        return 0;
    }
    return pool->count++;
}

static void access_drop(struct shadow_pool *pool, uint32_t index)
{
    pool->access[index].next = pool->dropped;
    pool->dropped = index;
}

enum status shadow_init(struct shadow *shadow, uint64_t size_bytes, struct arena *arena)
{
    *shadow = (struct shadow){.pages = (size_bytes + SHADOW_PAGE_BYTES - 1) / SHADOW_PAGE_BYTES};
    if (shadow->pages == 0)
        return STATUS_OK;
    shadow->page = arena_take(arena, (size_t)shadow->pages, sizeof *shadow->page);
    return shadow->page == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

void shadow_clear(struct shadow *shadow, struct shadow_pool *pool)
{
    for (uint64_t page = 0; page < shadow->pages; page++) {
        for (uint32_t index = shadow->page[page]; index != 0;) {
            uint32_t next = pool->access[index].next;
            access_drop(pool, index);
            index = next;
        }
        shadow->page[page] = 0;
    }
}

static struct page_bytes access_bytes(const struct shadow_pool *pool, uint32_t index)
{
    const struct shadow_access *access = &pool->access[index];
    return (struct page_bytes){.blocks = access->blocks,
                               .mask = access->part ? pool->mask[index].block : NULL};
}

/* Takes bytes away from an access; false: none is left. */
static bool access_remove(struct shadow_pool *pool, uint32_t index, const struct page_bytes *gone)
{
    struct shadow_access *access = &pool->access[index];
    struct shadow_mask *mask = &pool->mask[index];
    if (!access->part && gone->mask == NULL) {
        access->blocks &= (uint16_t)~gone->blocks;
        return access->blocks != 0;
    }
    const struct page_bytes bytes = access_bytes(pool, index);
    for (uint32_t block = 0; block < SHADOW_PAGE_BLOCKS; block++)
        mask->block[block] = block_mask(&bytes, block) & ~block_mask(gone, block);
    access->part = true;
    access->blocks = mask_blocks(mask);
    return access->blocks != 0;
}

static void access_push(struct shadow *shadow, struct shadow_pool *pool, uint64_t page,
                        uint32_t added, const struct page_bytes *bytes, const struct access *access)
{
    if (added == 0)
        return;
    pool->access[added] = (struct shadow_access){
        .access = *access,
        .next = shadow->page[page],
        .blocks = bytes->blocks,
        .part = bytes->mask != NULL,
    };
    if (bytes->mask != NULL)
        memcpy(pool->mask[added].block, bytes->mask, sizeof pool->mask[added].block);
    shadow->page[page] = added;
}

/* Bytes of other cores' accesses of each kind that were met. */
struct foreign {
    struct page_bytes bytes[ACCESS_KINDS];
    struct shadow_mask mask[ACCESS_KINDS];
};

/* Takes from an access of another core what a newer one of its kind stands for; false: all. */
static bool foreign_reduce(struct foreign *foreign, struct shadow_pool *pool, uint32_t index,
                           const struct page_bytes *shared)
{
    struct page_bytes *said = &foreign->bytes[pool->access[index].access.kind];
    struct shadow_mask room;
    const struct page_bytes again = page_bytes_shared(shared, said, &room);
    bool stays = again.blocks == 0 || access_remove(pool, index, &again);
    page_bytes_join(said, shared, &foreign->mask[said - foreign->bytes]);
    return stays;
}

void shadow_put(struct shadow *shadow, struct shadow_pool *pool, uint64_t page,
                const struct page_bytes *bytes, const struct access *access, shadow_visitor *visit,
                void *context)
{
    assert(page < shadow->pages && bytes->blocks != 0);
    struct foreign foreign;
    memset(foreign.bytes, 0, sizeof foreign.bytes);
    uint32_t kept = 0;  /* the last access of the list that stays */
    uint32_t spare = 0; /* one that does not: its place is near those of the neighbouring pages */
    for (uint32_t index = shadow->page[page], next; index != 0; index = next) {
        struct shadow_mask room;
        const struct access *old = &pool->access[index].access;
        const struct page_bytes own = access_bytes(pool, index);
        next = pool->access[index].next;
        if (!page_bytes_meet(&own, bytes)) {
            kept = index;
            continue;
        }
        const struct page_bytes shared = page_bytes_shared(&own, bytes, &room);
        bool stays = true;
        bool replaced = shared.blocks != 0 && visit(context, old, &shared);
        if (shared.blocks != 0 && old->core != access->core)
            stays = foreign_reduce(&foreign, pool, index, &shared);
        else if (replaced)
            stays = access_remove(pool, index, &shared);
        if (stays) {
            kept = index;
            continue;
        }
        *(kept == 0 ? &shadow->page[page] : &pool->access[kept].next) = next;
        if (spare == 0)
            spare = index;
        else
            access_drop(pool, index);
    }
    access_push(shadow, pool, page, spare != 0 ? spare : access_take(pool), bytes, access);
}
