#include "traces/mark_queue.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void mark_queue_deinit(struct mark_queue *queue)
{
    array_release(queue->marks);
    *queue = (struct mark_queue){.marks = NULL};
}

/* Takes the room of marks that have left, once they are half of a full array. */
static void queue_close_up(struct mark_queue *queue)
{
    size_t left = queue->count - queue->first;
    if (left > 0 && (queue->count < queue->capacity || queue->first < left))
        return;
    if (left > 0)
        memmove(queue->marks, queue->marks + queue->first, left * sizeof *queue->marks);
    queue->first = 0;
    queue->count = left;
}

enum status mark_queue_push(struct mark_queue *queue, const struct stored_row *row)
{
    queue_close_up(queue);
    struct mark *marks =
        array_grow(queue->marks, &queue->capacity, queue->count + 1, sizeof *marks);
    if (marks == NULL)
        return STATUS_NO_MEMORY;
    queue->marks = marks;
    struct mark *mark = &marks[queue->count++];
    *mark = (struct mark){.seq = row->seq, .at = row->end};
    snprintf(mark->opcode, sizeof mark->opcode, "%s", row->opcode);
    snprintf(mark->operands, sizeof mark->operands, "%s", row->operands);
    return STATUS_OK;
}

const struct mark *mark_queue_first(const struct mark_queue *queue)
{
    assert(queue->first < queue->count);
    return &queue->marks[queue->first];
}

const struct mark *mark_queue_pop(struct mark_queue *queue)
{
    assert(queue->first < queue->count);
    return &queue->marks[queue->first++];
}
