/*
 * Goal: the engine gives the times that its rules define, for any program.
 * Method: seeded random programs of working jobs, flags, locks and barriers. Without links and
 * gates every time follows from earlier instructions alone, so an oracle computes them in program
 * order with plain maxima and no events. With links, the invariants of a run are checked instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/event_queue.h"
#include "tests/support/random_jobs.h"
#include "tests/support/splitmix.h"

enum { ROUNDS = 300 };

struct times {
    tick start, end, done;
};

struct oracle {
    tick dispatched;
    tick free_at[PIPES], done_at[PIPES];
    tick head_at[PIPES], served[PIPES], moved[PIPES];
    tick fired[FLAGS + LOCKS][JOBS_MAX];
    uint32_t sets[FLAGS + LOCKS], waits[FLAGS];
    tick starts[PIPES][JOBS_MAX]; /* of working jobs */
    uint32_t works[PIPES];
};

static tick later(tick left, tick right)
{
    return left > right ? left : right;
}

/* When the dispatcher is done with the job, its queue allowing. */
static tick oracle_arrival(struct oracle *oracle, const struct job *job, uint32_t depth)
{
    uint32_t before = oracle->works[job->pipe];
    if (job->kind == JOB_WORK && job->pipe > 0 && before >= depth)
        oracle->dispatched = later(oracle->dispatched, oracle->starts[job->pipe][before - depth]);
    return oracle->dispatched += DISPATCH;
}

/* When a wait or lock may pass: some time after what it stands for has fired. */
static tick oracle_fired(struct oracle *oracle, const struct job *job)
{
    if (job->kind == JOB_WAIT)
        return oracle->fired[job->flag][oracle->waits[job->flag]++] + WAIT;
    return job->turn == 0 ? 0 : oracle->fired[job->flag][job->turn - 1] + WAIT;
}

/* A working job that reaches the head of its pipe, and starts when what is before it has ended. */
static struct times oracle_work(struct oracle *oracle, const struct job *job, tick taken)
{
    tick *served = &oracle->served[job->pipe];
    struct times times = {.start = later(oracle->free_at[job->pipe], taken)};
    tick hidden = times.start - taken < job->lead ? times.start - taken : job->lead;
    tick moved = times.start + job->occupancy - hidden;
    times.end = moved;
    times.done = moved + job->latency;
    if (job->service > 0) {
        *served = later(*served, taken) + job->service;
        times.end = later(moved, *served);
        tick led = taken + job->lead, *bytes = &oracle->moved[job->pipe];
        *bytes = later(*bytes, led) + moved - later(times.start, led);
        times.done = later(later(*bytes + job->latency, led + job->round_trip), times.end);
    }
    tick early = times.end > job->window ? times.end - job->window : 0;
    oracle->head_at[job->pipe] = later(taken + job->lead, early);
    return times;
}

static struct times oracle_pipe(struct oracle *oracle, const struct job *job, tick arrival)
{
    tick *free_at = &oracle->free_at[job->pipe], *done_at = &oracle->done_at[job->pipe];
    tick *head_at = &oracle->head_at[job->pipe];
    tick taken = later(*head_at, arrival), reached = later(*free_at, arrival);
    struct times times = {reached, reached, reached};
    switch (job->kind) {
    case JOB_WORK:
        times = oracle_work(oracle, job, taken);
        *done_at = later(*done_at, times.done);
        oracle->starts[job->pipe][oracle->works[job->pipe]++] = times.start;
        *free_at = times.end;
        break;
    case JOB_SET:
        times.start = times.end = times.done = job->early ? reached : later(reached, *done_at);
        oracle->fired[job->flag][oracle->sets[job->flag]++] = times.done;
        break;
    case JOB_WAIT:
    case JOB_LOCK:
        *head_at = later(taken, oracle_fired(oracle, job));
        *free_at = times.end = times.done = later(*free_at, *head_at);
        break;
    case JOB_BARRIER:
        *head_at = later(taken, *done_at) + BARRIER;
        *free_at = times.end = times.done = later(*free_at, *head_at);
        break;
    case JOB_KIND_COUNT:
        break;
    }
    return times;
}

static struct times oracle_job(struct oracle *oracle, const struct job *job, uint32_t depth)
{
    if (job->pipe > 0)
        return oracle_pipe(oracle, job, oracle_arrival(oracle, job, depth));
    struct times times = {oracle->dispatched, 0, 0};
    if (job->kind == JOB_BARRIER) {
        /* Everything before it is at rest when it is done, waits included. */
        times.start = oracle->dispatched + DISPATCH;
        tick rest = times.start;
        for (uint32_t pipe = 1; pipe < PIPES; pipe++)
            rest = later(rest, later(oracle->done_at[pipe], oracle->free_at[pipe]));
        times.end = times.done = rest + BARRIER;
        oracle->dispatched = rest + BARRIER;
    } else if (job->kind == JOB_WAIT || job->kind == JOB_LOCK) {
        times.start = oracle->dispatched + DISPATCH;
        times.end = times.done = later(times.start, oracle_fired(oracle, job));
        oracle->dispatched = times.end;
    } else if (job->kind == JOB_SET) {
        oracle->dispatched += DISPATCH;
        times.start = times.end = times.done = oracle->dispatched;
        oracle->fired[job->flag][oracle->sets[job->flag]++] = times.done;
    } else {
        oracle->dispatched += DISPATCH;
        times.end = times.done = oracle->dispatched;
    }
    return times;
}

static void check_invariants(const struct sim *sim, const struct random_jobs *program,
                             uint32_t cores)
{
    tick cycles = sim_makespan(sim), total = 0;
    const struct path *path;
    sim_last(sim, &path);
    path_check(&program->steps, path, cycles);
    for (uint32_t pipe = 0; pipe < SIM_PIPES_MAX; pipe++)
        for (uint32_t part = 0; part < PATH_PART_COUNT; part++)
            total += path->part[pipe][part];
    for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++)
        total += path->cause[cause];
    assert_int_equal(total, cycles);
    for (uint32_t core = 0; core < cores; core++) {
        assert_int_equal(program->rows[core], program->count[core]);
        tick free_at[PIPES] = {0};
        for (uint32_t seq = 0; seq < program->count[core]; seq++) {
            const struct row *row = &program->row[core][seq];
            assert_true(row->start <= row->end && row->end <= row->done && row->done <= cycles);
            if (row->kind == JOB_SET || row->pipe == 0)
                continue;
            assert_true(row->start >= free_at[row->pipe]);
            tick until = row->kind == JOB_WORK ? row->start : row->end;
            assert_int_equal(row->wait, until - free_at[row->pipe]);
            free_at[row->pipe] = row->end;
        }
        for (uint32_t pipe = 0; pipe < PIPES; pipe++) {
            const struct pipe_totals *totals = sim_pipe(sim, core, pipe);
            tick waits = 0;
            for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++)
                waits += totals->wait[cause];
            assert_int_equal(totals->busy + waits, totals->free_at);
            assert_true(totals->free_at <= cycles);
        }
    }
}

static void test_every_time_is_that_of_the_oracle(void **state)
{
    (void)state;
    static struct random_jobs program;
    static struct oracle oracle;
    uint64_t random = splitmix_seed();
    struct sim_link link = {.capacity = 100 * (uint64_t)RATE_ONE};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memset(&program, 0, sizeof program);
        memset(&oracle, 0, sizeof oracle);
        random_jobs_make(&program, 0, &random, RANDOM_OVERLAPS);
        struct sim_config config = random_jobs_config(&program, &link);
        config.queue_depth = (uint32_t)splitmix_range(&random, 1, 6);
        struct arena arena;
        struct sim *sim;
        arena_init(&arena, 0);
        assert_int_equal(sim_open(&config, &arena, &sim), STATUS_OK);
        assert_int_equal(sim_run(sim, UINT64_MAX), STATUS_OK);
        oracle.dispatched = STARTUP;
        for (uint32_t seq = 0; seq < program.count[0]; seq++) {
            struct times times = oracle_job(&oracle, &program.job[0][seq], config.queue_depth);
            const struct row *row = &program.row[0][seq];
            if (row->start != times.start || row->end != times.end || row->done != times.done)
                fail_msg("round %u seq %u: %llu %llu %llu; expected %llu %llu %llu", round, seq,
                         (unsigned long long)row->start, (unsigned long long)row->end,
                         (unsigned long long)row->done, (unsigned long long)times.start,
                         (unsigned long long)times.end, (unsigned long long)times.done);
        }
        check_invariants(sim, &program, 1);
        sim_close(sim);
        path_check_deinit(&program.steps);
        arena_deinit(&arena);
    }
}

static void test_shared_links_keep_the_books(void **state)
{
    (void)state;
    static struct random_jobs program;
    uint64_t random = splitmix_seed() + 1;
    for (uint32_t round = 0; round < ROUNDS / 4; round++) {
        memset(&program, 0, sizeof program);
        uint64_t rate = splitmix_range(&random, 1, 300), bytes = 0;
        struct sim_link link = {.capacity = rate * RATE_ONE};
        struct sim_config config = random_jobs_config(&program, &link);
        config.cores = (uint32_t)splitmix_range(&random, 1, CORES_MAX);
        for (uint32_t core = 0; core < config.cores; core++) {
            random_jobs_make(&program, core, &random, RANDOM_OVERLAPS | RANDOM_LINKS);
            for (uint32_t seq = 0; seq < program.count[core]; seq++)
                bytes += program.job[core][seq].leg[0].bytes;
        }
        struct arena arena;
        struct sim *sim;
        arena_init(&arena, 0);
        assert_int_equal(sim_open(&config, &arena, &sim), STATUS_OK);
        assert_int_equal(sim_run(sim, UINT64_MAX), STATUS_OK);
        assert_int_equal(sim_link_bytes(sim, 0), bytes);
        assert_true(sim_makespan(sim) >= STARTUP + bytes / rate);
        for (uint32_t core = 0; core < config.cores; core++)
            for (uint32_t seq = 0; seq < program.count[core]; seq++) {
                const struct row *row = &program.row[core][seq];
                const struct job *job = &program.job[core][seq];
                tick alone = job->occupancy;
                if (job->leg[0].bytes > 0)
                    alone += (job->leg[0].bytes * RATE_ONE + job->leg[0].cap - 1) / job->leg[0].cap;
                if (job->kind == JOB_WORK && job->pipe > 0 && job->lead == 0 && job->service == 0)
                    assert_int_equal(row->busy - row->link, alone);
            }
        check_invariants(sim, &program, config.cores);
        sim_close(sim);
        path_check_deinit(&program.steps);
        arena_deinit(&arena);
    }
}

static bool event_before(const struct event *left, const struct event *right)
{
    return left->at < right->at || (left->at == right->at && left->order < right->order);
}

/* Pops agree with a search of an unsorted array, over many ticks and many ties. */
static void test_the_queue_agrees_with_a_linear_search(void **state)
{
    (void)state;
    static struct event array[4096];
    uint64_t random = splitmix_seed() + 2;
    struct event_queue queue;
    event_queue_init(&queue);
    size_t count = 0;
    for (uint32_t step = 0; step < 20000; step++) {
        bool push = count == 0 || (count < 4096 && splitmix_range(&random, 0, 99) < 52);
        if (push) {
            tick at = splitmix_range(&random, 0, 30);
            enum phase phase = (enum phase)splitmix_range(&random, 0, PHASE_COUNT - 1);
            array[count++] = (struct event){
                .at = at, .order = (uint64_t)phase << 56 | queue.sequence, .index = step};
            assert_int_equal(event_queue_push(&queue, at, phase, 0, step), STATUS_OK);
            continue;
        }
        size_t first = 0;
        for (size_t i = 1; i < count; i++)
            if (event_before(&array[i], &array[first]))
                first = i;
        struct event event = event_queue_pop(&queue);
        assert_int_equal(event.index, array[first].index);
        array[first] = array[--count];
    }
    event_queue_deinit(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_time_is_that_of_the_oracle),
        cmocka_unit_test(test_shared_links_keep_the_books),
        cmocka_unit_test(test_the_queue_agrees_with_a_linear_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
