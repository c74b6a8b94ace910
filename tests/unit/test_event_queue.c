#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/event_queue.h"

static void push(struct event_queue *queue, tick at, enum phase phase, uint32_t index)
{
    assert_int_equal(event_queue_push(queue, at, phase, 0, index), STATUS_OK);
}

static void test_events_come_in_the_order_of_ticks(void **state)
{
    (void)state;
    struct event_queue queue;
    event_queue_init(&queue);
    assert_null(event_queue_first(&queue));
    push(&queue, 30, PHASE_ISSUE, 3);
    push(&queue, 10, PHASE_ISSUE, 1);
    push(&queue, 20, PHASE_ISSUE, 2);
    assert_int_equal(event_queue_first(&queue)->index, 1);
    for (uint32_t i = 1; i <= 3; i++)
        assert_int_equal(event_queue_pop(&queue).index, i);
    event_queue_deinit(&queue);
}

static void test_phases_order_what_happens_in_one_tick(void **state)
{
    (void)state;
    struct event_queue queue;
    event_queue_init(&queue);
    push(&queue, 5, PHASE_SAMPLE, 3);
    push(&queue, 5, PHASE_ISSUE, 2);
    push(&queue, 5, PHASE_GRANT, 1);
    push(&queue, 5, PHASE_COMPLETE, 0);
    push(&queue, 4, PHASE_SAMPLE, 9);
    assert_int_equal(event_queue_pop(&queue).index, 9);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(event_queue_pop(&queue).index, i);
    event_queue_deinit(&queue);
}

static void test_ties_keep_the_order_of_insertion(void **state)
{
    (void)state;
    struct event_queue queue;
    event_queue_init(&queue);
    for (uint32_t i = 0; i < 1000; i++)
        push(&queue, 7, PHASE_ISSUE, i);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(event_queue_pop(&queue).index, i);
    event_queue_deinit(&queue);
}

static void test_no_memory_is_a_status_and_keeps_what_was_there(void **state)
{
    (void)state;
    struct event_queue queue;
    event_queue_init(&queue);
    arena_fail_at(1);
    assert_int_equal(event_queue_push(&queue, 1, PHASE_ISSUE, 0, 0), STATUS_NO_MEMORY);
    arena_fail_at(0);
    assert_int_equal(queue.count, 0);
    push(&queue, 1, PHASE_ISSUE, 4);
    assert_int_equal(event_queue_pop(&queue).index, 4);
    event_queue_deinit(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_come_in_the_order_of_ticks),
        cmocka_unit_test(test_phases_order_what_happens_in_one_tick),
        cmocka_unit_test(test_ties_keep_the_order_of_insertion),
        cmocka_unit_test(test_no_memory_is_a_status_and_keeps_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
