#include "model/race_stretch.h"

#include <stdlib.h>
#include <string.h>

static enum status bits_open(struct block_bits *bits, uint64_t size_bytes, struct arena *arena)
{
    size_t words = (size_t)(size_bytes / BLOCK_BYTES / 64 + 1);
    bits->whole = arena_take(arena, words, sizeof *bits->whole);
    bits->part = arena_take(arena, words, sizeof *bits->part);
    bits->mask = arena_take(arena, words * 64, sizeof *bits->mask);
    bits->first = UINT64_MAX;
    bool made = bits->whole != NULL && bits->part != NULL && bits->mask != NULL;
    return made ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status stretches_open(struct stretches *stretches, const uint64_t size_bytes[SPACE_COUNT],
                           struct arena *arena)
{
    enum status status = STATUS_OK;
    for (uint32_t kind = 0; kind < ACCESS_ATOMIC; kind++)
        for (uint32_t space = 0; space < SPACE_COUNT && status == STATUS_OK; space++)
            if (space != SPACE_GM)
                status = bits_open(&stretches->bits[kind][space], size_bytes[space], arena);
    return status;
}

void stretches_close(struct stretches *stretches)
{
    array_release(stretches->item);
    stretches->item = NULL;
}

void stretches_begin(struct stretches *stretches)
{
    stretches->count = 0;
    memset(stretches->open, 0, sizeof stretches->open);
}

/* ---- gathering ---- */

static void bits_cover(struct block_bits *bits, uint64_t first, uint64_t last)
{
    bits->first = first < bits->first ? first : bits->first;
    bits->last = last > bits->last ? last : bits->last;
}

/* Whole blocks [from, to). */
static void bits_add_whole(struct block_bits *bits, uint64_t from, uint64_t to)
{
    uint64_t first = from / 64, last = (to - 1) / 64;
    bits_cover(bits, first, last);
    for (uint64_t word = first; word <= last; word++) {
        uint64_t low = word == first ? from % 64 : 0, high = word == last ? (to - 1) % 64 : 63;
        bits->whole[word] |= UINT64_MAX << low & UINT64_MAX >> (63 - high);
    }
}

/* Bytes [from, to) of one block. */
static void bits_add_part(struct block_bits *bits, uint64_t block, uint32_t from, uint32_t to)
{
    bits_cover(bits, block / 64, block / 64);
    bits->part[block / 64] |= UINT64_C(1) << block % 64;
    bits->mask[block] |= UINT32_MAX << from & UINT32_MAX >> (BLOCK_BYTES - to);
}

void stretches_add_chip(struct stretches *stretches, enum space space, bool write, uint64_t from,
                        uint64_t to)
{
    struct block_bits *bits = &stretches->bits[write ? ACCESS_WRITE : ACCESS_READ][space];
    uint64_t first = from / BLOCK_BYTES, last = to / BLOCK_BYTES; /* last: that `to` lies in */
    uint32_t head = (uint32_t)(from % BLOCK_BYTES), tail = (uint32_t)(to % BLOCK_BYTES);
    if ((head | tail) == 0 && first + 1 == last) { /* quick, since most pieces are one block */
        uint64_t word = first / 64;
        if ((bits->whole[word] | bits->part[word]) == 0)
            bits_cover(bits, word, word);
        bits->whole[word] |= UINT64_C(1) << first % 64;
        return;
    }
    if (head != 0) {
        bits_add_part(bits, first, head, first == last ? tail : BLOCK_BYTES);
        first++;
    }
    if (first < last)
        bits_add_whole(bits, first, last);
    if (tail != 0 && first <= last)
        bits_add_part(bits, last, 0, tail);
}

static void stretch_push(struct stretches *stretches, const struct stretch *stretch)
{
    if (stretches->count == stretches->capacity) {
        void *grown = array_grow(stretches->item, &stretches->capacity, stretches->count + 1,
                                 sizeof *stretches->item);
        if (grown == NULL) {
            stretches->failed = true;
            return;
        }
        stretches->item = grown;
    }
    stretches->item[stretches->count++] = *stretch;
}

/* Adds to the stretch that was told last, if it goes on there. */
static bool stretch_extend(struct stretches *stretches, const struct stretch *told)
{
    size_t open = stretches->open[told->kind];
    struct stretch *last = open == 0 ? NULL : &stretches->item[open - 1];
    if (last == NULL || last->space != told->space || last->region != told->region ||
        told->from > last->to || told->to < last->from)
        return false;
    last->from = told->from < last->from ? told->from : last->from;
    last->to = told->to > last->to ? told->to : last->to;
    return true;
}

void stretches_add_gm(struct stretches *stretches, const struct stretch *told)
{
    if (stretch_extend(stretches, told))
        return;
    stretch_push(stretches, told);
    stretches->open[told->kind] = stretches->count;
}

/* ---- in order ---- */

/* Hands on the blocks of a page: whole ones, and part of others by their masks. */
static void touch_blocks(struct touch *touch, uint32_t whole, uint32_t part, const uint32_t *mask,
                         touch_taker *take, void *context)
{
    uint32_t all[SHADOW_PAGE_BLOCKS];
    for (uint32_t block = 0; part != 0 && block < SHADOW_PAGE_BLOCKS; block++) {
        bool full = (whole >> block & 1) != 0;
        all[block] = full ? UINT32_MAX : (part >> block & 1) != 0 ? mask[block] : 0;
        whole |= (uint32_t)(all[block] == UINT32_MAX) << block;
    }
    touch->bytes.blocks = (uint16_t)(whole | part);
    touch->bytes.mask = (part & ~whole) != 0 ? all : NULL;
    take(context, touch);
}

/* Hands on the blocks that were gathered, and forgets them. */
static void bits_settle(struct stretches *stretches, enum access_kind kind, uint32_t space,
                        touch_taker *take, void *context)
{
    struct block_bits *bits = &stretches->bits[kind][space];
    struct touch touch = {.space = space, .kind = kind};
    if (space == SPACE_GM || bits->first > bits->last)
        return;
    for (uint64_t word = bits->first; word <= bits->last; word++) {
        uint64_t whole = bits->whole[word], part = bits->part[word] & ~whole;
        for (uint32_t quarter = 0; (whole | part) != 0; quarter++) {
            touch.page = word * (64 / SHADOW_PAGE_BLOCKS) + quarter;
            if (((whole | part) & UINT16_MAX) != 0)
                touch_blocks(&touch, whole & UINT16_MAX, part & UINT16_MAX,
                             bits->mask + touch.page * SHADOW_PAGE_BLOCKS, take, context);
            whole >>= SHADOW_PAGE_BLOCKS;
            part >>= SHADOW_PAGE_BLOCKS;
        }
        if (bits->part[word] != 0)
            memset(bits->mask + word * 64, 0, 64 * sizeof *bits->mask);
        bits->whole[word] = bits->part[word] = 0;
    }
    bits->first = UINT64_MAX;
    bits->last = 0;
}

/* Of GM. Reads before writes: an instruction reads what was there before it. */
static int stretch_compare(const void *left, const void *right)
{
    const struct stretch *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static bool stretches_sorted(const struct stretches *stretches)
{
    for (size_t i = 1; i < stretches->count; i++)
        if (stretch_compare(&stretches->item[i - 1], &stretches->item[i]) > 0)
            return false;
    return true;
}

/* Bytes [from, to) of the page that starts at a byte, as masks of blocks. */
static void masks_add(uint32_t mask[SHADOW_PAGE_BLOCKS], uint64_t from, uint64_t to)
{
    for (uint64_t block = from / BLOCK_BYTES; block <= (to - 1) / BLOCK_BYTES; block++) {
        uint64_t start = block * BLOCK_BYTES, end = start + BLOCK_BYTES;
        uint32_t low = from > start ? (uint32_t)(from - start) : 0;
        uint32_t over = to < end ? (uint32_t)(end - to) : 0;
        mask[block] |= UINT32_MAX << low & UINT32_MAX >> over;
    }
}

/* What is gathered of a page of GM. */
struct gm_page {
    struct touch touch;
    uint32_t mask[SHADOW_PAGE_BLOCKS];
    bool begun;
};

static void gm_page_end(struct gm_page *page, touch_taker *take, void *context)
{
    uint32_t part = 0;
    if (!page->begun)
        return;
    for (uint32_t block = 0; block < SHADOW_PAGE_BLOCKS; block++)
        part |= (uint32_t)(page->mask[block] != 0) << block;
    touch_blocks(&page->touch, 0, part, page->mask, take, context);
    page->begun = false;
}

/* Adds bytes [from, to) of a stretch, which lie in one page. */
static void gm_page_add(struct gm_page *page, const struct stretch *stretch, uint64_t from,
                        uint64_t to, touch_taker *take, void *context)
{
    const struct touch touch = {.page = from / SHADOW_PAGE_BYTES,
                                .space = stretch->space,
                                .region = stretch->region,
                                .kind = stretch->kind};
    if (!page->begun || page->touch.page != touch.page || page->touch.region != touch.region ||
        page->touch.kind != touch.kind) {
        gm_page_end(page, take, context);
        *page = (struct gm_page){.touch = touch, .begun = true};
    }
    masks_add(page->mask, from % SHADOW_PAGE_BYTES, (to - 1) % SHADOW_PAGE_BYTES + 1);
}

static void gm_settle(const struct stretches *stretches, touch_taker *take, void *context)
{
    struct gm_page page;
    page.begun = false;
    for (size_t i = 0; i < stretches->count; i++) {
        const struct stretch *stretch = &stretches->item[i];
        for (uint64_t from = stretch->from, to; from < stretch->to; from = to) {
            to = (from / SHADOW_PAGE_BYTES + 1) * SHADOW_PAGE_BYTES;
            to = to < stretch->to ? to : stretch->to;
            gm_page_add(&page, stretch, from, to, take, context);
        }
    }
    gm_page_end(&page, take, context);
}

void stretches_settle(struct stretches *stretches, touch_taker *take, void *context)
{
    if (!stretches_sorted(stretches))
        qsort(stretches->item, stretches->count, sizeof *stretches->item, stretch_compare);
    gm_settle(stretches, take, context);
    for (uint32_t kind = 0; kind < ACCESS_ATOMIC; kind++)
        for (uint32_t space = 0; space < SPACE_COUNT; space++)
            bits_settle(stretches, (enum access_kind)kind, space, take, context);
}
