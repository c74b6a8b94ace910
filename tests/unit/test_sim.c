/*
 * The engine on programs small enough to know every tick. Each rule is tested tight: the exact tick
 * at which something starts, ends, fires or clears.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/sim_rig.h"

static void add_copy(struct sim_rig *rig, uint32_t core, uint64_t bytes, uint64_t cap)
{
    struct job job = {.kind = JOB_WORK, .pipe = 1, .occupancy = 40, .by_class = {40}, .latency = 9};
    job.leg[0] = (struct leg){.link = 0, .bytes = bytes, .cap = cap * RATE_ONE};
    sim_rig_add(rig, core, job);
}

static void test_one_job_of_n_cycles_ends_n_after_its_start(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 3, 10, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *row = sim_rig_row(&rig, 0, 0);
    assert_int_equal(row->start, FIRST);
    assert_int_equal(row->end, FIRST + 10);
    assert_int_equal(row->done, FIRST + 10);
    assert_int_equal(row->wait, FIRST);
    assert_int_equal(row->cause, CAUSE_STARTUP);
    assert_int_equal(sim_makespan(rig.sim), FIRST + 10);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_the_next_job_starts_at_the_end_of_occupancy_not_of_latency(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 3, 50, 61);
    sim_work(&rig, 3, 50, 61);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->start, FIRST + 50);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->wait, 0);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->cause, CAUSE_NONE);
    assert_int_equal(sim_makespan(rig.sim), FIRST + 161);
    assert_int_equal(sim_pipe(rig.sim, 0, 3)->active, 161);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_starved_pipe_waits_for_dispatch(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 1, 0);
    sim_work(&rig, 2, 1, 0);
    sim_work(&rig, 1, 1, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *row = sim_rig_row(&rig, 0, 2);
    assert_int_equal(row->start, STARTUP + 3 * DISPATCH);
    assert_int_equal(row->wait, 2 * DISPATCH - 1);
    assert_int_equal(row->cause, CAUSE_DISPATCH);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_flag_fires_when_the_job_before_it_is_done(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 50, 28);
    sim_set(&rig, 1, 5);
    sim_wait(&rig, 2, 5);
    sim_work(&rig, 2, 10, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *fired = sim_rig_row(&rig, 0, 1), *waited = sim_rig_row(&rig, 0, 2);
    assert_int_equal(fired->start, FIRST + 78);
    assert_int_equal(fired->done, FIRST + 78);
    assert_int_equal(fired->blocker_seq, 0);
    assert_int_equal(waited->start, STARTUP + 3 * DISPATCH);
    assert_int_equal(waited->end, FIRST + 78 + WAIT);
    assert_int_equal(waited->busy, 0);
    assert_int_equal(waited->wait, FIRST + 78 + WAIT);
    assert_int_equal(waited->cause, CAUSE_FLAG);
    assert_int_equal(waited->blocker_pipe, 1);
    assert_int_equal(waited->blocker_seq, 1);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->start, FIRST + 78 + WAIT);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

/* Pipe 2 comes to its wait 100 cycles later than the flag. */
static void test_a_wait_that_comes_late_names_the_set_that_it_takes(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 50, 0);
    sim_set(&rig, 1, 5);
    sim_work(&rig, 2, 150, 0);
    sim_wait(&rig, 2, 5);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *waited = sim_rig_row(&rig, 0, 3);
    assert_int_equal(waited->start, STARTUP + 3 * DISPATCH + 150);
    assert_int_equal(waited->wait, 0);
    assert_int_equal(waited->blocker_core, 0);
    assert_int_equal(waited->blocker_pipe, 1);
    assert_int_equal(waited->blocker_seq, 1);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_an_early_flag_fires_at_the_end_of_occupancy(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 3, 50, 61);
    sim_set(&rig, 3, 5)->early = true;
    sim_wait(&rig, 2, 5);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->done, FIRST + 50);
    assert_int_equal(sim_rig_row(&rig, 0, 2)->end, FIRST + 50 + WAIT);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_flag_that_fired_long_before_costs_nothing(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_set(&rig, 1, 5);
    sim_work(&rig, 2, 100, 0);
    sim_wait(&rig, 2, 5);
    sim_work(&rig, 2, 10, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *waited = sim_rig_row(&rig, 0, 2);
    tick free_at = STARTUP + 2 * DISPATCH + 100;
    assert_int_equal(waited->start, free_at);
    assert_int_equal(waited->end, free_at);
    assert_int_equal(waited->wait, 0);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->start, free_at);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->wait, 0);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_flags_set_twice_are_two_tokens(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_set(&rig, 1, 5);
    sim_set(&rig, 1, 5);
    sim_wait(&rig, 2, 5);
    sim_wait(&rig, 2, 5);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_set_does_not_hold_its_pipe(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 50, 200);
    sim_set(&rig, 1, 5);
    sim_work(&rig, 1, 50, 200);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 2)->start, FIRST + 50);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->start, FIRST + 250);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_full_queue_holds_the_stream_back(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    for (int i = 0; i < 6; i++)
        sim_work(&rig, 1, 100, 0);
    sim_work(&rig, 2, 1, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    /* One works and four wait; the sixth is let in when the second starts, at FIRST + 100. */
    assert_int_equal(sim_rig_row(&rig, 0, 6)->start, FIRST + 100 + 2 * DISPATCH);
    const struct pipe_totals *scalar = sim_pipe(rig.sim, 0, 0);
    assert_int_equal(scalar->jobs, 7);
    assert_int_equal(scalar->busy, 7 * DISPATCH);
    assert_int_equal(scalar->wait[CAUSE_QUEUE_FULL], FIRST + 100 - (STARTUP + 5 * DISPATCH));
    assert_int_equal(scalar->wait[CAUSE_STARTUP], STARTUP);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_flags_take_no_place_in_a_queue(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 1000, 0);
    for (uint32_t i = 0; i < 100; i++)
        sim_set(&rig, 1, i % 8);
    for (int i = 0; i < 4; i++)
        sim_work(&rig, 1, 1, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_pipe(rig.sim, 0, 0)->wait[CAUSE_QUEUE_FULL], 0);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_pipe_barrier_waits_for_the_latency_of_its_own_pipe(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 3, 50, 61);
    sim_rig_add(&rig, 0, (struct job){.kind = JOB_BARRIER, .pipe = 3});
    sim_work(&rig, 3, 50, 61);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *row = sim_rig_row(&rig, 0, 1);
    assert_int_equal(row->start, FIRST + 50);
    assert_int_equal(row->end, FIRST + 111 + BARRIER);
    assert_int_equal(row->wait, 61 + BARRIER);
    assert_int_equal(row->cause, CAUSE_BARRIER);
    assert_int_equal(sim_rig_row(&rig, 0, 2)->start, FIRST + 111 + BARRIER);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_barrier_over_all_pipes_holds_the_stream(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 50, 20);
    sim_work(&rig, 2, 80, 30);
    sim_rig_add(&rig, 0, (struct job){.kind = JOB_BARRIER, .pipe = 0});
    sim_work(&rig, 1, 10, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    tick cleared = STARTUP + 2 * DISPATCH + 110 + BARRIER;
    const struct row *row = sim_rig_row(&rig, 0, 2);
    assert_int_equal(row->start, STARTUP + 3 * DISPATCH);
    assert_int_equal(row->end, cleared);
    assert_int_equal(row->cause, CAUSE_BARRIER);
    assert_int_equal(row->blocker_pipe, 2);
    assert_int_equal(row->blocker_seq, 1);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->start, cleared + DISPATCH);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_barrier_at_the_end_ends_the_run(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 10, 0);
    sim_rig_add(&rig, 0, (struct job){.kind = JOB_BARRIER, .pipe = 0});
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_makespan(rig.sim), FIRST + 10 + BARRIER);
    assert_int_equal(sim_pipe(rig.sim, 0, 0)->free_at, FIRST + 10 + BARRIER);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_scalar_work_is_a_row_of_pipe_0(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 0, 0, 0);
    sim_work(&rig, 1, 1, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *row = sim_rig_row(&rig, 0, 0);
    assert_int_equal(row->pipe, 0);
    assert_int_equal(row->start, STARTUP);
    assert_int_equal(row->end, STARTUP + DISPATCH);
    assert_int_equal(sim_rig_row(&rig, 0, 1)->start, STARTUP + 2 * DISPATCH);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_cycles_lost_to_a_shared_link_are_counted(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    rig.config.cores = 2;
    add_copy(&rig, 0, 1000, 100);
    add_copy(&rig, 1, 2000, 100);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    /* Both at 50 B per tick for 20 ticks, then the second alone at 100 for its last 1000 B. */
    const struct row *first = sim_rig_row(&rig, 0, 0), *second = sim_rig_row(&rig, 1, 0);
    assert_int_equal(first->end, FIRST + 40 + 20);
    assert_int_equal(first->busy, 60);
    assert_int_equal(first->link, 10);
    assert_int_equal(first->done, first->end + 9);
    assert_int_equal(second->end, FIRST + 40 + 30);
    assert_int_equal(second->link, 10);
    assert_int_equal(sim_link_bytes(rig.sim, 0), 3000);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_legs_are_served_one_after_the_other(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    add_copy(&rig, 0, 1000, 50);
    rig.job[0][0].leg[1] = (struct leg){.link = 0, .bytes = 500, .cap = 25 * (uint64_t)RATE_ONE};
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    assert_int_equal(sim_rig_row(&rig, 0, 0)->end, FIRST + 40 + 20 + 20);
    assert_int_equal(sim_rig_row(&rig, 0, 0)->link, 0);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_wait_that_nothing_ends_is_a_deadlock_with_its_place(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 10, 0);
    sim_wait(&rig, 2, 5);
    sim_work(&rig, 2, 10, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_DEADLOCK);
    struct job job;
    assert_true(sim_blocked(rig.sim, 0, 2, &job));
    assert_int_equal(job.kind, JOB_WAIT);
    assert_int_equal(job.seq, 1);
    assert_int_equal(job.flag, 5);
    assert_false(sim_blocked(rig.sim, 0, 1, &job));
    sim_rig_deinit(&rig);
}

static void test_locks_pass_in_their_turns_whichever_pipe_comes_first(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 50, 0); /* the pipe of turn 0 comes late */
    sim_lock(&rig, 1, 5, 0);
    sim_work(&rig, 1, 30, 9);
    sim_lock(&rig, 2, 5, 1);
    sim_set(&rig, 1, 5);
    sim_work(&rig, 2, 10, 2);
    sim_set(&rig, 2, 5);
    sim_lock(&rig, 1, 5, 2);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *first = sim_rig_row(&rig, 0, 1), *second = sim_rig_row(&rig, 0, 3);
    assert_int_equal(first->end, FIRST + 50);
    assert_int_equal(first->blocker_seq, ROW_NO_BLOCKER);
    tick given = FIRST + 50 + 30 + 9; /* its work is done, latency included */
    assert_int_equal(sim_rig_row(&rig, 0, 4)->end, given);
    assert_int_equal(second->end, given + WAIT);
    assert_int_equal(second->cause, CAUSE_FLAG);
    assert_int_equal(second->blocker_seq, 4);
    assert_int_equal(sim_rig_row(&rig, 0, 7)->end, given + WAIT + 10 + 2 + WAIT);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_lock_that_is_never_given_back_is_a_deadlock(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_lock(&rig, 1, 5, 0);
    sim_lock(&rig, 2, 5, 1);
    sim_lock(&rig, 3, 5, 2);
    assert_int_equal(sim_rig_run(&rig), STATUS_DEADLOCK);
    struct job job;
    assert_false(sim_blocked(rig.sim, 0, 1, &job));
    assert_true(sim_blocked(rig.sim, 0, 2, &job));
    assert_int_equal(job.kind, JOB_LOCK);
    assert_true(sim_blocked(rig.sim, 0, 3, &job));
    sim_rig_deinit(&rig);
}

static void test_a_wait_of_the_dispatcher_holds_the_stream(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_work(&rig, 1, 50, 6);
    sim_set(&rig, 1, 5);
    sim_wait(&rig, 0, 5);
    sim_work(&rig, 2, 10, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    tick fired = FIRST + 56;
    const struct row *row = sim_rig_row(&rig, 0, 2);
    assert_int_equal(row->pipe, 0);
    assert_int_equal(row->start, STARTUP + 3 * DISPATCH);
    assert_int_equal(row->end, fired + WAIT);
    assert_int_equal(row->cause, CAUSE_FLAG);
    assert_int_equal(row->blocker_pipe, 1);
    assert_int_equal(sim_rig_row(&rig, 0, 3)->start, fired + WAIT + DISPATCH);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_set_of_the_dispatcher_fires_when_it_is_dispatched(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_wait(&rig, 1, 5);
    sim_work(&rig, 2, 90, 0);
    sim_set(&rig, 0, 5);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    tick dispatched = STARTUP + 3 * DISPATCH;
    assert_int_equal(sim_rig_row(&rig, 0, 2)->end, dispatched);
    assert_int_equal(sim_rig_row(&rig, 0, 0)->end, dispatched + WAIT);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_dispatcher_that_waits_for_ever_is_a_deadlock(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    sim_wait(&rig, 0, 5);
    sim_set(&rig, 1, 5); /* behind the wait: never dispatched */
    assert_int_equal(sim_rig_run(&rig), STATUS_DEADLOCK);
    struct job job;
    assert_true(sim_blocked(rig.sim, 0, 0, &job));
    assert_int_equal(job.kind, JOB_WAIT);
    assert_int_equal(job.seq, 0);
    sim_rig_deinit(&rig);
}

static void test_a_run_in_slices_is_the_same_run(void **state)
{
    (void)state;
    tick whole = 0;
    for (uint64_t slice = 1; slice <= 1000; slice *= 10) {
        struct sim_rig rig;
        sim_rig_init(&rig);
        rig.config.cores = 2;
        for (uint32_t i = 0; i < 20; i++) {
            add_copy(&rig, 0, 500 + i, 80);
            add_copy(&rig, 1, 700 + i, 90);
        }
        assert_int_equal(sim_open(&rig.config, &rig.arena, &rig.sim), STATUS_OK);
        enum status status;
        while ((status = sim_run(rig.sim, slice)) == STATUS_LIMIT)
            ;
        assert_int_equal(status, STATUS_OK);
        if (whole == 0)
            whole = sim_makespan(rig.sim);
        assert_int_equal(sim_makespan(rig.sim), whole);
        sim_rig_check(&rig);
        sim_rig_deinit(&rig);
    }
}

static void test_no_memory_is_a_status_wherever_it_strikes(void **state)
{
    (void)state;
    bool whole = false;
    for (uint64_t nth = 1; !whole; nth++) {
        struct sim_rig rig;
        sim_rig_init(&rig);
        sim_work(&rig, 1, 50, 28);
        sim_set(&rig, 1, 5);
        sim_wait(&rig, 2, 5);
        sim_work(&rig, 2, 10, 0);
        arena_fail_at(nth);
        enum status status = sim_open(&rig.config, &rig.arena, &rig.sim);
        if (status == STATUS_OK)
            status = sim_run(rig.sim, UINT64_MAX);
        arena_fail_at(0);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        whole = status == STATUS_OK;
        sim_rig_deinit(&rig);
        assert_true(nth < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_job_of_n_cycles_ends_n_after_its_start),
        cmocka_unit_test(test_the_next_job_starts_at_the_end_of_occupancy_not_of_latency),
        cmocka_unit_test(test_a_starved_pipe_waits_for_dispatch),
        cmocka_unit_test(test_a_flag_fires_when_the_job_before_it_is_done),
        cmocka_unit_test(test_a_wait_that_comes_late_names_the_set_that_it_takes),
        cmocka_unit_test(test_an_early_flag_fires_at_the_end_of_occupancy),
        cmocka_unit_test(test_a_flag_that_fired_long_before_costs_nothing),
        cmocka_unit_test(test_flags_set_twice_are_two_tokens),
        cmocka_unit_test(test_a_set_does_not_hold_its_pipe),
        cmocka_unit_test(test_a_full_queue_holds_the_stream_back),
        cmocka_unit_test(test_flags_take_no_place_in_a_queue),
        cmocka_unit_test(test_a_pipe_barrier_waits_for_the_latency_of_its_own_pipe),
        cmocka_unit_test(test_a_barrier_over_all_pipes_holds_the_stream),
        cmocka_unit_test(test_a_barrier_at_the_end_ends_the_run),
        cmocka_unit_test(test_scalar_work_is_a_row_of_pipe_0),
        cmocka_unit_test(test_cycles_lost_to_a_shared_link_are_counted),
        cmocka_unit_test(test_legs_are_served_one_after_the_other),
        cmocka_unit_test(test_a_wait_that_nothing_ends_is_a_deadlock_with_its_place),
        cmocka_unit_test(test_locks_pass_in_their_turns_whichever_pipe_comes_first),
        cmocka_unit_test(test_a_lock_that_is_never_given_back_is_a_deadlock),
        cmocka_unit_test(test_a_wait_of_the_dispatcher_holds_the_stream),
        cmocka_unit_test(test_a_set_of_the_dispatcher_fires_when_it_is_dispatched),
        cmocka_unit_test(test_a_dispatcher_that_waits_for_ever_is_a_deadlock),
        cmocka_unit_test(test_a_run_in_slices_is_the_same_run),
        cmocka_unit_test(test_no_memory_is_a_status_wherever_it_strikes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
