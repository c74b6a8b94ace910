/*
 * Goal: the slack of an instruction is how much later it may end, and the critical path is what has
 * to get shorter.
 * Method: seeded random streams are run, one job is made longer or shorter, and they are run again.
 * Made longer by its slack, no job moves the end of the run; by one tick more, it does, where slack
 * is exact. What is on the path has no slack.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "tests/support/random_jobs.h"
#include "tests/support/splitmix.h"
#include "traces/slack.h"

enum { SLACK_ROUNDS = 150, TRIALS = 12 };

struct trial {
    struct random_jobs jobs;
    struct sim_config config;
    struct sim_link link;
    struct slack slack;
    struct path path;
    tick end;
};

static struct trial trial;

static void keep(void *context, const struct precedence *precedence)
{
    assert_int_equal(slack_add(context, precedence), STATUS_OK);
}

/* Runs the streams as they are and returns the end; path gets the critical one. */
static tick run_jobs(struct path *critical)
{
    struct arena arena;
    struct sim *sim;
    const struct path *path;
    arena_init(&arena, 0);
    random_jobs_again(&trial.jobs);
    assert_int_equal(sim_open(&trial.config, &arena, &sim), STATUS_OK);
    assert_int_equal(sim_run(sim, UINT64_MAX), STATUS_OK);
    sim_last(sim, &path);
    *critical = *path;
    tick end = sim_makespan(sim);
    path_check(&trial.jobs.steps, path, end);
    sim_close(sim);
    arena_deinit(&arena);
    return end;
}

/* The same without anybody who looks at steps and precedences. */
static tick run_again(void)
{
    struct path path;
    struct sim_config observed = trial.config;
    trial.config.precedences = NULL;
    tick end = run_jobs(&path);
    trial.config = observed;
    return end;
}

static void open_trial(uint64_t *random, uint32_t kinds)
{
    memset(&trial.jobs, 0, sizeof trial.jobs);
    random_jobs_make(&trial.jobs, 0, random, kinds);
    trial.link = (struct sim_link){.capacity = 1000 * (uint64_t)RATE_ONE};
    trial.config = random_jobs_config(&trial.jobs, &trial.link);
    trial.config.queue_depth = (uint32_t)splitmix_range(random, 1, 6);
    trial.config.precedences = keep;
    trial.config.precedences_context = &trial.slack;
    slack_init(&trial.slack, "/tmp/cubesim-slack");
    trial.end = run_jobs(&trial.path);
    assert_int_equal(slack_find(&trial.slack, 0, trial.end), STATUS_OK);
}

static void close_trial(void)
{
    slack_deinit(&trial.slack);
    random_jobs_again(&trial.jobs);
}

static tick slack_of_seq(uint32_t seq)
{
    return slack_of(&trial.slack, 0, trial.jobs.row[0][seq].moment);
}

/* Some working job of a pipe. */
static bool pick_job(uint64_t *random, uint32_t *seq)
{
    for (uint32_t tries = 0; tries < 50; tries++) {
        *seq = (uint32_t)splitmix_range(random, 0, trial.jobs.count[0] - 1);
        const struct job *job = &trial.jobs.job[0][*seq];
        if (job->kind == JOB_WORK && job->pipe > 0)
            return true;
    }
    return false;
}

/* The end of the run when a job takes so much longer, or shorter. */
static tick end_with(uint32_t seq, tick longer, tick shorter)
{
    struct job *job = &trial.jobs.job[0][seq], before = *job;
    struct random_jobs *jobs = &trial.jobs;
    static struct row rows[JOBS_MAX];
    memcpy(rows, jobs->row[0], sizeof rows);
    job->occupancy = job->occupancy + longer - shorter;
    job->by_class[0] += longer;
    for (uint32_t i = 0; i < SIM_CLASSES && shorter > 0; i++) {
        tick part = job->by_class[i] < shorter ? job->by_class[i] : shorter;
        job->by_class[i] -= part;
        shorter -= part;
    }
    tick end = run_again();
    *job = before;
    memcpy(jobs->row[0], rows, sizeof rows);
    return end;
}

static bool is_held(const struct job *job)
{
    return job->gate_use == GATE_SHUT;
}

static void check_slack(uint64_t *random, bool exact, uint32_t *moved)
{
    for (uint32_t i = 0; i < TRIALS; i++) {
        uint32_t seq;
        if (!pick_job(random, &seq))
            return;
        tick slack = slack_of_seq(seq), end = end_with(seq, slack, 0);
        if (end > trial.end)
            fail_msg("job %u moves the end from %llu to %llu, though its slack is %llu", seq,
                     (unsigned long long)trial.end, (unsigned long long)end,
                     (unsigned long long)slack);
        assert_int_equal(end, trial.end);
        end = end_with(seq, slack + 1, 0);
        *moved += end > trial.end;
        if (exact && !is_held(&trial.jobs.job[0][seq]))
            assert_int_equal(end, trial.end + 1);
    }
}

static void test_a_job_may_take_as_much_longer_as_its_slack_and_no_tick_more(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed() + 10;
    uint32_t moved = 0;
    for (uint32_t round = 0; round < SLACK_ROUNDS; round++) {
        static const uint32_t kinds[] = {0, RANDOM_LINKS, RANDOM_GATES};
        open_trial(&random, kinds[round % 3]);
        check_slack(&random, round % 3 == 0, &moved);
        close_trial();
    }
    assert_true(moved > SLACK_ROUNDS);
}

static void test_where_work_overlaps_the_slack_is_safe(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed() + 11;
    uint32_t moved = 0;
    for (uint32_t round = 0; round < SLACK_ROUNDS; round++) {
        open_trial(&random, RANDOM_OVERLAPS | (round % 2 == 0 ? RANDOM_GATES : 0));
        check_slack(&random, false, &moved);
        close_trial();
    }
    assert_true(moved > SLACK_ROUNDS / 4); /* and it is of use */
}

static void test_what_is_on_the_critical_path_has_no_slack(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed() + 12;
    for (uint32_t round = 0; round < SLACK_ROUNDS; round++) {
        open_trial(&random, RANDOM_OVERLAPS | (round % 2 == 0 ? RANDOM_GATES : RANDOM_LINKS));
        const struct path_step *steps = trial.jobs.steps.steps;
        for (uint64_t i = trial.path.step; i != 0; i = steps[i - 1].before) {
            const struct path_step *step = &steps[i - 1];
            /* Through a gate, a queue or the dispatcher it may lead through the start of a job,
             * whose end may still wait. */
            if (step->seq != ROW_NO_BLOCKER && step->cause != CAUSE_UNIT_FLAG &&
                step->cause != CAUSE_DISPATCH)
                assert_int_equal(slack_of_seq(step->seq), 0);
        }
        close_trial();
    }
}

/* Without overlaps a run is a sum of maxima: off the path nothing can make it shorter. */
static void test_a_shorter_job_shortens_the_run_only_on_the_path(void **state)
{
    (void)state;
    uint64_t random = splitmix_seed() + 13;
    uint32_t shortened = 0, tried = 0;
    for (uint32_t round = 0; round < SLACK_ROUNDS; round++) {
        static bool on_path[JOBS_MAX];
        open_trial(&random, round % 2 == 0 ? 0 : RANDOM_LINKS);
        memset(on_path, 0, sizeof on_path);
        const struct path_step *steps = trial.jobs.steps.steps;
        for (uint64_t i = trial.path.step; i != 0; i = steps[i - 1].before)
            if (steps[i - 1].kind == STEP_BUSY)
                on_path[steps[i - 1].seq] = true;
        for (uint32_t i = 0; i < 2 * TRIALS; i++) {
            uint32_t seq;
            if (!pick_job(&random, &seq) || trial.jobs.job[0][seq].occupancy == 0)
                continue;
            tick end = end_with(seq, 0, 1);
            if (!on_path[seq])
                assert_int_equal(end, trial.end);
            assert_true(end == trial.end || end == trial.end - 1);
            tried += on_path[seq];
            shortened += end < trial.end;
        }
        close_trial();
    }
    assert_true(tried > 100 && 2 * shortened > tried);
}

/* Nobody who looks changes anything: rows and path are those of a run that nobody looks at. */
static void test_a_run_is_the_same_for_whoever_looks(void **state)
{
    (void)state;
    static struct row rows[JOBS_MAX];
    uint64_t random = splitmix_seed() + 14;
    for (uint32_t round = 0; round < SLACK_ROUNDS / 3; round++) {
        open_trial(&random, RANDOM_OVERLAPS | RANDOM_LINKS | RANDOM_GATES);
        struct random_jobs *jobs = &trial.jobs;
        memcpy(rows, jobs->row[0], sizeof rows);
        struct arena arena;
        struct sim *sim;
        const struct path *path;
        arena_init(&arena, 0);
        random_jobs_again(jobs);
        trial.config.steps = NULL;
        trial.config.precedences = NULL;
        assert_int_equal(sim_open(&trial.config, &arena, &sim), STATUS_OK);
        assert_int_equal(sim_run(sim, UINT64_MAX), STATUS_OK);
        sim_last(sim, &path);
        struct path untold = trial.path;
        untold.step = 0;
        assert_memory_equal(path, &untold, sizeof untold);
        for (uint32_t seq = 0; seq < jobs->count[0]; seq++) {
            const struct row *row = &jobs->row[0][seq];
            size_t known = offsetof(struct row, blocker_seq) + sizeof row->blocker_seq;
            assert_memory_equal(&rows[seq], row, known);
            assert_int_equal(row->moment, 0); /* which is for those who look */
        }
        sim_close(sim);
        arena_deinit(&arena);
        close_trial();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job_may_take_as_much_longer_as_its_slack_and_no_tick_more),
        cmocka_unit_test(test_where_work_overlaps_the_slack_is_safe),
        cmocka_unit_test(test_what_is_on_the_critical_path_has_no_slack),
        cmocka_unit_test(test_a_shorter_job_shortens_the_run_only_on_the_path),
        cmocka_unit_test(test_a_run_is_the_same_for_whoever_looks),
    };
    return cmocka_run_group_tests_name("slack", tests, NULL, NULL);
}
