/*
 * Rows of flags and barriers on their way into a trace: they take no time and are drawn as marks, a
 * set_flag later than it stands in its stream, others when there is room.
 */
#ifndef CUBESIM_TRACES_MARK_QUEUE_H
#define CUBESIM_TRACES_MARK_QUEUE_H

#include "traces/store.h"

struct mark {
    char opcode[16], operands[64];
    uint32_t seq;
    tick at; /* when it fires or clears */
};

/* First in, first out. Starts as zeros. */
struct mark_queue {
    struct mark *marks; /* array_grow; [first, count) wait */
    size_t first, count, capacity;
};

void mark_queue_deinit(struct mark_queue *queue);

/* NO_MEMORY. */
enum status mark_queue_push(struct mark_queue *queue, const struct stored_row *row) MUST_CHECK;

/* The first mark; the queue must not be empty. It lives until the next push. */
const struct mark *mark_queue_first(const struct mark_queue *queue);
/* The same, and takes it out. */
const struct mark *mark_queue_pop(struct mark_queue *queue);

#endif
