#include "tests/support/random_jobs.h"

#include <string.h>

#include "tests/support/splitmix.h"

static bool jobs_source(void *context, uint32_t core, struct job *job)
{
    struct random_jobs *jobs = context;
    if (jobs->next[core] == jobs->count[core])
        return false;
    *job = jobs->job[core][jobs->next[core]++];
    return true;
}

static void jobs_sink(void *context, const struct row *row)
{
    struct random_jobs *jobs = context;
    jobs->row[row->core][row->seq] = *row;
    jobs->rows[row->core]++;
}

/* A lock of a random pipe, or what gives it back. */
static void job_lock(struct job *job, uint64_t *random, uint32_t turn[LOCKS],
                     uint32_t holder[LOCKS])
{
    uint32_t lock = (uint32_t)splitmix_range(random, 0, LOCKS - 1);
    job->flag = FLAGS + lock;
    if (holder[lock] != UINT32_MAX) {
        job->kind = JOB_SET;
        job->pipe = holder[lock];
        holder[lock] = UINT32_MAX;
        return;
    }
    job->kind = JOB_LOCK;
    job->turn = turn[lock]++;
    job->pipe = holder[lock] = (uint32_t)splitmix_range(random, 0, PIPES - 1);
}

/* What begins while the job before still moves bytes; on pipe 2 there is a server too. */
static void job_overlaps(struct job *job, uint64_t *random)
{
    job->lead = splitmix_range(random, 0, job->occupancy);
    job->window = splitmix_range(random, 0, 50);
    if (job->pipe == 2) {
        job->service = splitmix_range(random, 1, 60);
        job->service_class = (uint32_t)splitmix_range(random, 0, SIM_CLASSES - 1);
        job->round_trip = splitmix_range(random, 0, 90);
    }
}

/* A producer opens a gate, and the next job of the stream, on pipe 4, is its consumer. */
static void job_gates(struct job *producer, uint64_t *random, uint32_t seq)
{
    struct job *consumer = producer + 1;
    producer->gates.word[0] = UINT64_C(1) << splitmix_range(random, 0, GATES - 1);
    producer->gate_use = GATE_OPEN;
    producer->gate_delay = splitmix_range(random, 0, 30);
    *consumer = (struct job){
        .kind = JOB_WORK,
        .pipe = 4,
        .seq = seq,
        .occupancy = splitmix_range(random, 1, 40),
        .latency = splitmix_range(random, 0, 20),
        .gate_use = GATE_SHUT,
        .gates = producer->gates,
    };
    consumer->by_class[0] = consumer->occupancy;
}

void random_jobs_make(struct random_jobs *jobs, uint32_t core, uint64_t *random, uint32_t kinds)
{
    uint32_t pending[FLAGS] = {0}, setter[FLAGS], waiter[FLAGS];
    uint32_t turn[LOCKS] = {0}, holder[LOCKS] = {UINT32_MAX, UINT32_MAX};
    for (uint32_t flag = 0; flag < FLAGS; flag++) {
        setter[flag] = (uint32_t)splitmix_range(random, 0, PIPES - 1);
        waiter[flag] = (uint32_t)splitmix_range(random, 0, PIPES - 1);
    }
    uint32_t count = (uint32_t)splitmix_range(random, 1, JOBS_MAX);
    for (uint32_t seq = 0; seq < count; seq++) {
        struct job *job = &jobs->job[core][seq];
        uint32_t flag = (uint32_t)splitmix_range(random, 0, FLAGS - 1);
        uint64_t kind = splitmix_range(random, 0, 11);
        *job = (struct job){.seq = seq, .flag = flag};
        if (kind < 2 && pending[flag] > 0) {
            job->kind = JOB_WAIT;
            job->pipe = waiter[flag];
            pending[flag]--;
        } else if (kind < 5) {
            job->kind = JOB_SET;
            job->pipe = setter[flag];
            job->early = flag % 3 == 0;
            pending[flag]++;
        } else if (kind == 5 && splitmix_range(random, 0, 3) == 0) {
            job->kind = JOB_BARRIER;
            job->pipe = (uint32_t)splitmix_range(random, 0, PIPES - 1);
        } else if (kind > 9) {
            job_lock(job, random, turn, holder);
        } else {
            job->kind = JOB_WORK;
            job->pipe = (uint32_t)splitmix_range(random, 0, PIPES - 1);
            job->occupancy = job->pipe == 0 ? 0 : splitmix_range(random, 0, 40);
            job->by_class[splitmix_range(random, 0, SIM_CLASSES - 1)] = job->occupancy;
            job->latency = job->pipe == 0 ? 0 : splitmix_range(random, 0, 60);
            if ((kinds & RANDOM_OVERLAPS) != 0 && (job->pipe == 2 || job->pipe == 3))
                job_overlaps(job, random);
            if ((kinds & RANDOM_LINKS) != 0 && job->pipe == 1)
                job->leg[0] = (struct leg){.link = 0,
                                           .bytes = splitmix_range(random, 1, 5000),
                                           .cap = splitmix_range(random, 1, 200) * RATE_ONE};
            if ((kinds & RANDOM_GATES) != 0 && job->pipe == 3 && seq + 1 < count)
                job_gates(job, random, ++seq);
        }
    }
    jobs->count[core] = count;
}

struct sim_config random_jobs_config(struct random_jobs *jobs, const struct sim_link *link)
{
    return (struct sim_config){
        .cores = 1,
        .pipes = PIPES,
        .flags = FLAGS + LOCKS,
        .gates = GATES,
        .links = link,
        .link_count = 1,
        .queue_depth = 4,
        .startup = STARTUP,
        .dispatch = DISPATCH,
        .wait_cost = WAIT,
        .barrier_cost = BARRIER,
        .source = jobs_source,
        .source_context = jobs,
        .sink = jobs_sink,
        .sink_context = jobs,
        .steps = path_check_step,
        .steps_context = &jobs->steps,
    };
}

void random_jobs_again(struct random_jobs *jobs)
{
    memset(jobs->next, 0, sizeof jobs->next);
    memset(jobs->rows, 0, sizeof jobs->rows);
    path_check_deinit(&jobs->steps);
}
