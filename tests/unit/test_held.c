/*
 * The instructions that stand behind a wait: in order, however many come and go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/held.h"

static void push(struct held *held, uint32_t seq)
{
    const struct step step = {.seq = seq, .turn = ~seq};
    assert_int_equal(held_push(held, &step), STATUS_OK);
}

static void assert_pop(struct held *held, uint32_t seq)
{
    const struct step *step = held_front(held);
    assert_non_null(step);
    assert_int_equal(step->seq, seq);
    assert_int_equal(step->turn, ~seq);
    held_pop(held);
}

/* Grows with its oldest at every place of the ring. */
static void test_what_stands_comes_out_in_its_order(void **state)
{
    (void)state;
    for (uint32_t gone = 0; gone < 20; gone++) {
        struct held held = {0};
        uint32_t in = 0, out = 0;
        while (out < gone) {
            push(&held, in++);
            assert_pop(&held, out++);
        }
        while (in < gone + 100)
            push(&held, in++);
        while (out < in)
            assert_pop(&held, out++);
        assert_null(held_front(&held));
        held_close(&held);
    }
}

static void test_a_queue_that_never_empties_takes_the_room_of_what_stands_at_once(void **state)
{
    (void)state;
    struct held held = {0};
    for (uint32_t in = 0; in < 10000; in++) {
        push(&held, in);
        if (in >= 5)
            assert_pop(&held, in - 5);
    }
    assert_int_equal(held.count, 5);
    assert_in_range(held.capacity, 5, 8);
    held_clear(&held);
    assert_null(held_front(&held));
    push(&held, 7);
    assert_pop(&held, 7);
    held_close(&held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_stands_comes_out_in_its_order),
        cmocka_unit_test(test_a_queue_that_never_empties_takes_the_room_of_what_stands_at_once),
    };
    return cmocka_run_group_tests_name("held", tests, NULL, NULL);
}
