#include "engine/event_queue.h"

#include <assert.h>
#include <string.h>

#include "engine/base/arena.h"

enum { HEAP_FANOUT = 4, PHASE_SHIFT = 56 };

static bool event_before(const struct event *left, const struct event *right)
{
    return left->at < right->at || (left->at == right->at && left->order < right->order);
}

void event_queue_init(struct event_queue *queue)
{
    memset(queue, 0, sizeof *queue);
}

void event_queue_deinit(struct event_queue *queue)
{
    array_release(queue->heap);
    memset(queue, 0, sizeof *queue);
}

static void event_queue_raise(struct event_queue *queue, size_t index, struct event event)
{
    while (index > 0) {
        size_t parent = (index - 1) / HEAP_FANOUT;
        if (!event_before(&event, &queue->heap[parent]))
            break;
        queue->heap[index] = queue->heap[parent];
        index = parent;
    }
    queue->heap[index] = event;
}

static void event_queue_sink(struct event_queue *queue, struct event event)
{
    size_t index = 0;
    for (;;) {
        size_t child = index * HEAP_FANOUT + 1;
        if (child >= queue->count)
            break;
        size_t end = child + HEAP_FANOUT < queue->count ? child + HEAP_FANOUT : queue->count;
        size_t least = child;
        for (size_t i = child + 1; i < end; i++)
            if (event_before(&queue->heap[i], &queue->heap[least]))
                least = i;
        if (!event_before(&queue->heap[least], &event))
            break;
        queue->heap[index] = queue->heap[least];
        index = least;
    }
    queue->heap[index] = event;
}

enum status event_queue_push(struct event_queue *queue, tick at, enum phase phase, uint32_t kind,
                             uint32_t index)
{
    if (queue->count == queue->capacity) {
        void *heap =
            array_grow(queue->heap, &queue->capacity, queue->count + 1, sizeof queue->heap[0]);
        if (heap == NULL)
            return STATUS_NO_MEMORY;
        queue->heap = heap;
    }
    assert(queue->sequence >> PHASE_SHIFT == 0);
    struct event event = {
        .at = at,
        .order = (uint64_t)phase << PHASE_SHIFT | queue->sequence++,
        .kind = kind,
        .index = index,
    };
    event_queue_raise(queue, queue->count++, event);
    return STATUS_OK;
}

struct event event_queue_pop(struct event_queue *queue)
{
    assert(queue->count > 0);
    struct event first = queue->heap[0];
    struct event last = queue->heap[--queue->count];
    if (queue->count > 0)
        event_queue_sink(queue, last);
    return first;
}

const struct event *event_queue_first(const struct event_queue *queue)
{
    return queue->count > 0 ? &queue->heap[0] : NULL;
}
