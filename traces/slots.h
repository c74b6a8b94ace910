/*
 * How many slots of L1, L0A, L0B and L0C of a core are in use over time: what double buffering
 * does. A slot is a named part of a buffer (a0_0 and a0_1 of a plan; what .l0a and its like declare
 * in a program). It is in use from the first write to the last read before it is written again.
 *
 * Whether a read is the last is known at the next access, so rows are read ahead of the events by
 * the time between two accesses to a slot; only events are kept of them.
 *
 *     status = slots_open(&slots, store, run_id, core, &diag);
 *     while ((status = slots_next(&slots, &event, &found, &diag)) == STATUS_OK && found)
 *         ...
 *     slots_close(&slots);
 */
#ifndef CUBESIM_TRACES_SLOTS_H
#define CUBESIM_TRACES_SLOTS_H

#include "engine/event_queue.h"
#include "isa/insn.h"
#include "traces/store.h"

struct slot_event {
    tick at;
    enum space space;
    uint32_t in_use; /* from at on */
};

struct slot {
    const char *name;
    enum space space;
    enum slot_state { SLOT_FREE, SLOT_HELD, SLOT_READ } state;
    tick read_until; /* SLOT_READ: end of the latest read */
};

struct slots {
    struct arena arena;
    struct slot *slots;
    size_t slot_count, slot_capacity;
    struct row_cursor cursor[PIPE_COUNT];
    struct stored_row row[PIPE_COUNT]; /* the next of each pipe */
    bool has_row[PIPE_COUNT];
    struct event_queue changes; /* kind: space; index: 1 taken, 0 left */
    uint32_t in_use[SPACE_COUNT];
    tick at;                   /* of the changes that were taken last */
    bool changed[SPACE_COUNT]; /* by them, and not told yet */
    tick until;                /* no event from here on is asked for */
};

/* The events before a cycle. */
enum status slots_open(struct slots *slots, struct store *store, int64_t run_id, uint32_t core,
                       tick until, struct diag *diag) MUST_CHECK;
void slots_close(struct slots *slots);

/* The next event in the order of time, or *found false. Of one time and buffer there is one event.
 */
enum status slots_next(struct slots *slots, struct slot_event *event, bool *found,
                       struct diag *diag) MUST_CHECK;

/* The slot that an operand such as "dst=a0_1+512" of a row names, or NULL. */
struct slot *slots_find(struct slots *slots, const char *operands, const char *key);

#endif
