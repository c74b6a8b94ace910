/*
 * Gates between pipes that overlap, and what a run says of its causes: blockers, counts and the
 * path.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/sim_rig.h"

static void test_the_cause_of_a_set_behind_a_wait_is_that_wait(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 2, 5, 0);
    sim_work(&rig, 1, 300, 0);
    sim_set(&rig, 1, 5);
    sim_wait(&rig, 2, 5);
    sim_set(&rig, 2, 6);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 4)->start, sim_rig_row(&rig, 0, 3)->end);
    assert_int_equal(sim_rig_row(&rig, 0, 4)->blocker_seq, 3);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_the_delay_of_a_gate_has_its_own_cause_and_class(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    struct job *producer = sim_work(&rig, 3, 10, 5);
    sim_gate(producer, GATE_OPEN, 1);
    producer->gate_delay = 60;
    producer->gate_class = 2;
    sim_gate(sim_work(&rig, 4, 100, 5), GATE_SHUT, 1);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct path *path;
    sim_last(rig.sim, &path);
    assert_int_equal(path->cause[CAUSE_UNIT_FLAG], 60);
    assert_int_equal(path->by_class[2], 60);
    assert_int_equal(path->part[3][PATH_BUSY], 0);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_gate_lets_the_consumer_start_early_and_holds_its_end(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    struct job *producer = sim_work(&rig, 3, 500, 61);
    sim_gate(producer, GATE_OPEN, 1);
    producer->gate_delay = 60;
    struct job *consumer = sim_work(&rig, 4, 100, 5);
    sim_gate(consumer, GATE_SHUT, 1);
    struct job *next = sim_work(&rig, 3, 500, 61);
    sim_gate(next, GATE_WAIT_SHUT, 1);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *stored = sim_rig_row(&rig, 0, 1);
    assert_int_equal(stored->start, FIRST + 60);
    assert_int_equal(stored->cause, CAUSE_UNIT_FLAG);
    assert_int_equal(stored->end, FIRST + 561);
    /* C is free again when the store is done, 5 cycles after its end. */
    assert_int_equal(sim_rig_row(&rig, 0, 2)->start, FIRST + 566);
    assert_int_equal(sim_rig_row(&rig, 0, 2)->cause, CAUSE_UNIT_FLAG);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_gate_on_its_way_to_open_is_not_shut_any_more(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    struct job *producer = sim_work(&rig, 3, 10, 5);
    sim_gate(producer, GATE_OPEN, 1);
    producer->gate_delay = 60; /* later than the end of the opener */
    sim_gate(sim_work(&rig, 3, 10, 5), GATE_WAIT_SHUT, 1);
    sim_gate(sim_work(&rig, 4, 30, 5), GATE_WAIT_OPEN, 1);
    sim_gate(sim_work(&rig, 4, 30, 5), GATE_SHUT, 1);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 2)->start, FIRST + 60);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->end, FIRST + 120);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->start, FIRST + 125);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->blocker_seq, 3);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_gate_that_opened_long_ago_costs_nothing(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    struct job *producer = sim_work(&rig, 3, 10, 5);
    sim_gate(producer, GATE_OPEN, 1);
    producer->gate_delay = 2;
    sim_work(&rig, 4, 300, 0);
    sim_gate(sim_work(&rig, 4, 100, 5), GATE_SHUT, 1);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *stored = sim_rig_row(&rig, 0, 2);
    assert_int_equal(stored->start, STARTUP + 2 * DISPATCH + 300);
    assert_int_equal(stored->wait, 0);
    assert_int_equal(stored->busy, 100);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

/* Two producers fill a half of what one consumer takes: it starts when the second half opens. */
static void test_a_consumer_waits_for_all_of_its_gates(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_gate(sim_work(&rig, 3, 100, 5), GATE_OPEN, 0x3)->gate_delay = 20;
    sim_gate(sim_work(&rig, 3, 100, 5), GATE_OPEN, 0xC)->gate_delay = 20;
    sim_gate(sim_work(&rig, 4, 10, 5), GATE_SHUT, 0xF);
    sim_gate(sim_work(&rig, 3, 100, 5), GATE_WAIT_SHUT, 0x6);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *stored = sim_rig_row(&rig, 0, 2);
    assert_int_equal(stored->start, FIRST + 120);
    assert_int_equal(stored->blocker_seq, 1);
    assert_int_equal(stored->end, FIRST + 205); /* the second producer's results are out */
    assert_int_equal(sim_rig_row(&rig, 0, 3)->start, FIRST + 210);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

/* The halves of what a producer filled are shut one by one; the next producer of the first half
 * need not wait for the second. */
static void test_gates_of_one_job_are_shut_one_by_one(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_gate(sim_work(&rig, 3, 10, 5), GATE_OPEN, 0x3)->gate_delay = 2;
    sim_gate(sim_work(&rig, 4, 30, 5), GATE_SHUT, 0x1);
    sim_gate(sim_work(&rig, 4, 300, 5), GATE_SHUT, 0x2);
    sim_gate(sim_work(&rig, 3, 10, 5), GATE_WAIT_SHUT, 0x1);
    sim_gate(sim_work(&rig, 3, 10, 5), GATE_WAIT_SHUT, 0x2);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    tick shut = sim_rig_row(&rig, 0, 1)->done;
    assert_int_equal(sim_rig_row(&rig, 0, 2)->start, shut - 5);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->start, shut);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->blocker_seq, 1);
    assert_int_equal(sim_rig_row(&rig, 0, 4)->start, shut - 5 + 300 + 5);
    assert_int_equal(sim_rig_row(&rig, 0, 4)->blocker_seq, 2);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_consumer_whose_gates_nobody_opens_is_a_deadlock(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_gate(sim_work(&rig, 3, 10, 5), GATE_OPEN, 0x1);
    sim_gate(sim_work(&rig, 4, 10, 5), GATE_SHUT, 0x3);
    assert_int_equal(sim_rig_run(&rig), STATUS_DEADLOCK);
    struct job job;
    assert_true(sim_blocked(rig.sim, 0, 4, &job));
    assert_int_equal(job.seq, 1);
    sim_rig_deinit(&rig);
}

static void test_of_two_jobs_done_at_once_the_later_is_the_blocker(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 10, 30);
    sim_work(&rig, 1, 10, 20);
    sim_set(&rig, 1, 5);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 2)->done, FIRST + 40);
    assert_int_equal(sim_rig_row(&rig, 0, 2)->blocker_seq, 1);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void
test_a_consumer_that_ends_after_the_opener_ended_still_waits_for_its_results(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    struct job *producer = sim_work(&rig, 3, 80, 61);
    sim_gate(producer, GATE_OPEN, 1);
    producer->gate_delay = 60;
    /* 60 .. 100: the opener ended at 80, done at 141 */
    sim_gate(sim_work(&rig, 4, 40, 5), GATE_SHUT, 1);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->start, FIRST + 60);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->end, FIRST + 141);
    const struct path *path;
    sim_last(rig.sim, &path);
    assert_int_equal(path->part[3][PATH_LATENCY], 61);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

/* When a flag lets pass at the very tick at which a pipe comes to its wait, the pipe was not held.
 */
static void test_a_tie_belongs_to_the_pipe_itself(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 54, 0);
    sim_set(&rig, 1, 5);
    sim_work(&rig, 2, 46 + WAIT, 0); /* from FIRST + 8 to FIRST + 54 + WAIT */
    sim_wait(&rig, 2, 5);
    sim_work(&rig, 2, 10, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->wait, 0);
    const struct path *path;
    sim_last(rig.sim, &path);
    assert_int_equal(path->part[2][PATH_BUSY], 56 + WAIT);
    assert_int_equal(path->part[1][PATH_BUSY], 0);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_waits_are_counted_by_cause_and_by_the_pipe_waited_for(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 50, 28);
    sim_set(&rig, 1, 5);
    sim_wait(&rig, 2, 5);
    for (int i = 0; i < 7; i++)
        sim_work(&rig, 3, 100, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct pipe_totals *totals = sim_pipe(rig.sim, 0, 2);
    assert_int_equal(totals->waits[CAUSE_FLAG], 1);
    assert_int_equal(totals->wait_for[1], FIRST + 78 + WAIT);
    assert_int_equal(totals->wait_for[2], 0);
    assert_int_equal(sim_pipe(rig.sim, 0, 0)->waits[CAUSE_QUEUE_FULL], 2);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_after_a_wait_a_late_job_is_late_by_dispatch(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_set(&rig, 1, 5);
    sim_wait(&rig, 2, 5);
    for (int i = 0; i < 4; i++)
        sim_work(&rig, 3, 1, 0);
    sim_work(&rig, 2, 1, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->cause, CAUSE_STARTUP);
    assert_int_equal(sim_rig_row(&rig, 0, 6)->cause, CAUSE_DISPATCH);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

/* Each part of a path carries the class of the number that made it. */
static void test_a_path_keeps_the_classes_of_its_parts(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    rig.config.cores = 2;
    rig.config.startup_class = 3;
    rig.config.dispatch_class = 3;
    rig.link.class_index = 2;
    for (uint32_t core = 0; core < 2; core++) {
        struct job job = {.kind = JOB_WORK, .pipe = 1, .occupancy = 40, .by_class = {0, 40}};
        job.latency = 9;
        job.latency_class = 1;
        job.leg[0] = (struct leg){.link = 0, .bytes = 1000, .cap = 100 * (uint64_t)RATE_ONE};
        sim_rig_add(&rig, core, job);
    }
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct path *path;
    assert_int_equal(sim_last(rig.sim, &path), 0); /* of two last cores the lower one */
    assert_int_equal(path->by_class[0], 10);       /* the leg alone */
    assert_int_equal(path->by_class[1], 40 + 9);
    assert_int_equal(path->by_class[2], 10); /* lost to sharing */
    assert_int_equal(path->by_class[3], FIRST);
    assert_int_equal(path->part[1][PATH_LINK], 10);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_of_two_pipes_done_last_the_lower_one_leads_the_path(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 54, 0);
    sim_work(&rig, 2, 50, 0); /* arrives four later, ends at the same tick */
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct path *path;
    sim_last(rig.sim, &path);
    assert_int_equal(path->part[1][PATH_BUSY], 54);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

/* A pipe that the stream starved: the path leads over the dispatcher, not over what it did before.
 */
static void test_the_path_of_a_late_job_leads_over_the_dispatcher(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 2, 0);
    for (int i = 0; i < 4; i++)
        sim_work(&rig, 3, 1, 0);
    sim_work(&rig, 1, 90, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct path *path;
    sim_last(rig.sim, &path);
    assert_int_equal(path->part[1][PATH_BUSY], 90);
    assert_int_equal(path->cause[CAUSE_DISPATCH], 6 * DISPATCH);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_cause_of_a_set_behind_a_wait_is_that_wait),
        cmocka_unit_test(test_the_delay_of_a_gate_has_its_own_cause_and_class),
        cmocka_unit_test(test_a_gate_lets_the_consumer_start_early_and_holds_its_end),
        cmocka_unit_test(test_a_gate_on_its_way_to_open_is_not_shut_any_more),
        cmocka_unit_test(test_a_gate_that_opened_long_ago_costs_nothing),
        cmocka_unit_test(test_a_consumer_waits_for_all_of_its_gates),
        cmocka_unit_test(test_gates_of_one_job_are_shut_one_by_one),
        cmocka_unit_test(test_a_consumer_whose_gates_nobody_opens_is_a_deadlock),
        cmocka_unit_test(test_of_two_jobs_done_at_once_the_later_is_the_blocker),
        cmocka_unit_test(
            test_a_consumer_that_ends_after_the_opener_ended_still_waits_for_its_results),
        cmocka_unit_test(test_a_tie_belongs_to_the_pipe_itself),
        cmocka_unit_test(test_waits_are_counted_by_cause_and_by_the_pipe_waited_for),
        cmocka_unit_test(test_after_a_wait_a_late_job_is_late_by_dispatch),
        cmocka_unit_test(test_a_path_keeps_the_classes_of_its_parts),
        cmocka_unit_test(test_of_two_pipes_done_last_the_lower_one_leads_the_path),
        cmocka_unit_test(test_the_path_of_a_late_job_leads_over_the_dispatcher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
