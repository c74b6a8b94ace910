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

/* Adds bytes to a run of them that grows upwards; a run that they do not touch is put away. */
static void run_add(struct stretches *stretches, struct stretch *run, uint64_t from, uint64_t to)
{
    if (from != run->to && run->to != 0)
        stretch_push(stretches, run);
    if (from != run->to || run->to == 0)
        run->from = from;
    run->to = to;
}

/* The number of the lowest bit that is set; there is one. */
static uint32_t lowest_bit(uint32_t mask)
{
    uint32_t bit = 0;
    for (uint32_t half = BLOCK_BYTES / 2; half > 0; half /= 2)
        if (mask << (BLOCK_BYTES - half) == 0) {
            mask >>= half;
            bit += half;
        }
    return bit;
}

/* Adds the bytes of a block that a mask names. */
static void run_add_mask(struct stretches *stretches, struct stretch *run, uint64_t start,
                         uint32_t mask)
{
    uint32_t at = 0;
    while (mask != 0) {
        uint32_t gap = lowest_bit(mask);
        uint32_t rest = ~(mask >> gap);
        uint32_t length = rest == 0 ? BLOCK_BYTES : lowest_bit(rest);
        run_add(stretches, run, start + at + gap, start + at + gap + length);
        at += gap + length;
        mask = at == BLOCK_BYTES ? 0 : mask >> gap >> length;
    }
}

/* Adds the 64 blocks of a word to the run. */
static void run_add_word(struct stretches *stretches, struct stretch *run, struct block_bits *bits,
                         uint64_t word)
{
    uint64_t start = word * 64 * BLOCK_BYTES;
    uint64_t whole = bits->whole[word], part = bits->part[word] & ~whole;
    if (whole == UINT64_MAX)
        run_add(stretches, run, start, start + UINT64_C(64) * BLOCK_BYTES);
    for (uint64_t block = word * 64; whole != UINT64_MAX && (whole | part) != 0; block++) {
        if ((whole & 1) != 0)
            run_add(stretches, run, start, start + BLOCK_BYTES);
        else if ((part & 1) != 0)
            run_add_mask(stretches, run, start, bits->mask[block]);
        start += BLOCK_BYTES;
        whole >>= 1;
        part >>= 1;
    }
    if (bits->part[word] != 0)
        memset(bits->mask + word * 64, 0, 64 * sizeof *bits->mask);
    bits->whole[word] = bits->part[word] = 0;
}

/* Makes stretches of the blocks that were gathered, and forgets these. */
static void bits_settle(struct stretches *stretches, enum access_kind kind, uint32_t space)
{
    struct block_bits *bits = &stretches->bits[kind][space];
    struct stretch run = {.space = space, .kind = kind};
    if (space == SPACE_GM || bits->first > bits->last)
        return;
    for (uint64_t word = bits->first; word <= bits->last; word++)
        run_add_word(stretches, &run, bits, word);
    stretch_push(stretches, &run);
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

void stretches_settle(struct stretches *stretches)
{
    size_t kept = 0;
    if (!stretches_sorted(stretches))
        qsort(stretches->item, stretches->count, sizeof *stretches->item, stretch_compare);
    for (uint32_t kind = 0; kind < ACCESS_ATOMIC; kind++)
        for (uint32_t space = 0; space < SPACE_COUNT; space++)
            bits_settle(stretches, (enum access_kind)kind, space);
    for (size_t i = 1; i < stretches->count; i++) {
        const struct stretch *next = &stretches->item[i];
        struct stretch *last = &stretches->item[kept];
        if (next->kind == last->kind && next->space == last->space &&
            next->region == last->region && next->from <= last->to)
            last->to = next->to > last->to ? next->to : last->to;
        else
            stretches->item[++kept] = *next;
    }
    if (stretches->count > 0)
        stretches->count = kept + 1;
}
