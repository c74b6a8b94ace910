/*
 * The queue of events: a heap with a total order (tick, phase, sequence number).
 *
 * Phases order what happens in one tick: work completes before freed resources are granted, grants
 * come before new work is issued, and counters look last. The sequence number is the order of
 * insertion, so ties never depend on the heap.
 */
#ifndef CUBESIM_ENGINE_EVENT_QUEUE_H
#define CUBESIM_ENGINE_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"
#include "engine/row.h"

enum phase { PHASE_COMPLETE, PHASE_GRANT, PHASE_ISSUE, PHASE_SAMPLE, PHASE_COUNT };

struct event {
    tick at;
    uint64_t order; /* phase in the top byte, then the sequence number */
    uint32_t kind;  /* meaning belongs to the owner of the queue */
    uint32_t index;
};

struct event_queue {
    struct event *heap; /* array_grow */
    size_t count, capacity;
    uint64_t sequence;
};

void event_queue_init(struct event_queue *queue);
void event_queue_deinit(struct event_queue *queue);

enum status event_queue_push(struct event_queue *queue, tick at, enum phase phase, uint32_t kind,
                             uint32_t index) MUST_CHECK;
/* The earliest event; the queue must not be empty. */
struct event event_queue_pop(struct event_queue *queue);
/* The earliest event, or NULL. */
const struct event *event_queue_first(const struct event_queue *queue);

#endif
