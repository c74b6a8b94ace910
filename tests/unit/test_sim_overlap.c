/* What jobs of one pipe or of two do at the same time: leads, servers, rivals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/sim_rig.h"

/* A copy of 1000 B: 40 ticks, then 10 on the link; seen 9 later. */
static struct job *add_copy(struct sim_rig *rig)
{
    struct job job = {.kind = JOB_WORK, .pipe = 1, .occupancy = 40, .by_class = {40}, .latency = 9};
    job.leg[0] = (struct leg){.link = 0, .bytes = 1000, .cap = 100 * (uint64_t)RATE_ONE};
    return sim_rig_add(rig, 0, job);
}

/* The same with a lead of 40; 20 ticks before its last byte the next one is taken. */
static struct job *add_streaming(struct sim_rig *rig)
{
    struct job *job = add_copy(rig);
    job->lead = 40;
    job->window = 20;
    return job;
}

static void test_the_lead_of_a_job_is_hidden_behind_the_bytes_of_the_one_before(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    for (int i = 0; i < 3; i++)
        add_streaming(&rig);
    sim_wait(&rig, 1, 0);
    add_streaming(&rig);
    sim_set(&rig, 2, 0);
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    tick end = FIRST + 50;
    assert_int_equal(sim_rig_row(&rig, 0, 0)->end, end);
    for (uint32_t seq = 1; seq < 3; seq++) { /* taken when the lead before is over, 10 early */
        const struct row *row = sim_rig_row(&rig, 0, seq);
        assert_int_equal(row->start, end);
        assert_int_equal(row->wait, 0);
        end += 30 + 10;
        assert_int_equal(row->end, end);
    }
    /* The wait is passed behind the last lead, 10 before the bytes are through. */
    assert_int_equal(sim_rig_row(&rig, 0, 3)->wait, 0);
    assert_int_equal(sim_rig_row(&rig, 0, 4)->start, end);
    assert_int_equal(sim_rig_row(&rig, 0, 4)->end, end + 40 - 10 + 10);
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_server_takes_jobs_one_after_another_and_hides_its_own_round_trip(void **state)
{
    (void)state;
    struct sim_rig rig;
    sim_rig_init(&rig);
    for (int i = 0; i < 2; i++) {
        struct job *job = add_streaming(&rig);
        job->service = 70;
        job->round_trip = 200;
    }
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    const struct row *first = sim_rig_row(&rig, 0, 0), *second = sim_rig_row(&rig, 0, 1);
    assert_int_equal(first->end, FIRST + 70); /* bytes are through at 50 */
    assert_int_equal(first->done, FIRST + 40 + 200);
    assert_int_equal(second->start, first->end);
    assert_int_equal(second->end, FIRST + 140);
    assert_int_equal(second->done, FIRST + 50 + 40 + 200); /* taken 20 before the first ended */
    sim_rig_check(&rig);
    sim_rig_deinit(&rig);
}

static void test_a_job_takes_longer_when_its_rival_is_at_one_that_contends(void **state)
{
    (void)state;
    for (int contends = 0; contends < 2; contends++) {
        struct sim_rig rig;
        sim_rig_init(&rig);
        add_copy(&rig)->contends = contends;
        for (int i = 0; i < 3; i++) {
            struct job *job = sim_work(&rig, 2, 30, 0);
            job->rival = 1;
            job->contended = 5;
            job->contended_class = SIM_CLASSES - 1;
        }
        assert_int_equal(sim_rig_run(&rig), STATUS_OK);
        /* The copy works until 50; the second job starts at 39 or at 34, the third one behind it.
         */
        assert_int_equal(sim_rig_row(&rig, 0, 1)->busy, contends ? 35 : 30);
        assert_int_equal(sim_rig_row(&rig, 0, 2)->busy, contends ? 35 : 30);
        assert_int_equal(sim_rig_row(&rig, 0, 3)->busy, 30);
        sim_rig_check(&rig);
        sim_rig_deinit(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_lead_of_a_job_is_hidden_behind_the_bytes_of_the_one_before),
        cmocka_unit_test(test_a_server_takes_jobs_one_after_another_and_hides_its_own_round_trip),
        cmocka_unit_test(test_a_job_takes_longer_when_its_rival_is_at_one_that_contends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
