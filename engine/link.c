#include "engine/link.h"

#include <assert.h>
#include <string.h>

enum status link_init(struct link *link, uint64_t capacity, uint32_t owners, struct arena *arena)
{
    memset(link, 0, sizeof *link);
    assert(capacity > owners);
    link->capacity = capacity;
    link->room = owners;
    link->transfers = arena_take(arena, owners, sizeof *link->transfers);
    return link->transfers == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static bool transfer_before(const struct transfer *left, const struct transfer *right)
{
    return left->cap < right->cap || (left->cap == right->cap && left->owner < right->owner);
}

/* Moves every transfer on to now at its present share. */
static void link_advance(struct link *link, tick now)
{
    assert(now >= link->settled_at);
    tick elapsed = now - link->settled_at;
    link->settled_at = now;
    if (elapsed == 0)
        return;
    for (uint32_t i = 0; i < link->count; i++) {
        struct transfer *transfer = &link->transfers[i];
        if (transfer->finish <= now)
            transfer->remaining = 0;
        else
            transfer->remaining -= transfer->rate * elapsed;
    }
}

void link_add(struct link *link, tick now, uint32_t owner, uint64_t bytes, uint64_t cap)
{
    assert(link->count < link->room);
    assert(bytes > 0 && bytes >> BYTES_MAX_SHIFT == 0 && cap > 0);
    link_advance(link, now);
    struct transfer added = {
        .owner = owner,
        .cap = cap,
        .remaining = bytes << RATE_SHIFT,
        .finish = UINT64_MAX,
    };
    uint32_t at = link->count++;
    while (at > 0 && transfer_before(&added, &link->transfers[at - 1])) {
        link->transfers[at] = link->transfers[at - 1];
        at--;
    }
    link->transfers[at] = added;
    link->bytes += bytes;
}

bool link_pop(struct link *link, tick now, uint32_t *owner)
{
    for (uint32_t i = 0; i < link->count; i++) {
        if (link->transfers[i].finish > now)
            continue;
        assert(link->transfers[i].finish == now);
        *owner = link->transfers[i].owner;
        link_advance(link, now);
        link->count--;
        memmove(&link->transfers[i], &link->transfers[i + 1],
                (link->count - i) * sizeof link->transfers[0]);
        return true;
    }
    return false;
}

static uint64_t ceil_rate(uint64_t remaining, uint64_t rate)
{
    return remaining / rate + (remaining % rate != 0);
}

static void transfer_share(struct transfer *transfer, tick now, uint64_t rate)
{
    if (transfer->rate == rate)
        return;
    assert(rate > 0);
    transfer->rate = rate;
    transfer->finish = now + ceil_rate(transfer->remaining, rate);
}

void link_settle(struct link *link, tick now)
{
    link_advance(link, now);
    uint64_t left = link->capacity;
    uint32_t i = 0;
    /* Water-filling: the smallest caps are served whole while they stay below an equal share. */
    for (; i < link->count; i++) {
        struct transfer *transfer = &link->transfers[i];
        if (transfer->cap > left / (link->count - i))
            break;
        transfer_share(transfer, now, transfer->cap);
        left -= transfer->cap;
    }
    if (i == link->count)
        return;
    /* The caps of the rest are above share, so none is below share and the unit left over. */
    uint64_t share = left / (link->count - i);
    uint64_t over = left % (link->count - i);
    for (; i < link->count; i++) {
        transfer_share(&link->transfers[i], now, share + (over > 0));
        over -= over > 0;
    }
}

tick link_next(const struct link *link)
{
    tick next = UINT64_MAX;
    for (uint32_t i = 0; i < link->count; i++)
        if (link->transfers[i].finish < next)
            next = link->transfers[i].finish;
    return next;
}

tick link_alone(uint64_t bytes, uint64_t cap)
{
    return ceil_rate(bytes << RATE_SHIFT, cap);
}
