#include "tests/support/sim_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool sim_rig_source(void *context, uint32_t core, struct job *job)
{
    struct sim_rig *rig = context;
    if (rig->next[core] == rig->count[core])
        return false;
    *job = rig->job[core][rig->next[core]];
    job->seq = rig->next[core]++;
    return true;
}

static void sim_rig_sink(void *context, const struct row *row)
{
    struct sim_rig *rig = context;
    assert_true(rig->rows < ROWS_MAX);
    rig->row[rig->rows++] = *row;
}

void sim_rig_init(struct sim_rig *rig)
{
    memset(rig, 0, sizeof *rig);
    arena_init(&rig->arena, 0);
    rig->link = (struct sim_link){.capacity = 100 * (uint64_t)RATE_ONE};
    rig->config = (struct sim_config){
        .cores = 1,
        .pipes = 5,
        .flags = 64,
        .gates = 4,
        .links = &rig->link,
        .link_count = 1,
        .queue_depth = 4,
        .startup = STARTUP,
        .dispatch = DISPATCH,
        .wait_cost = WAIT,
        .barrier_cost = BARRIER,
        .source = sim_rig_source,
        .source_context = rig,
        .sink = sim_rig_sink,
        .sink_context = rig,
        .steps = path_check_step,
        .steps_context = &rig->steps,
    };
}

enum status sim_rig_run(struct sim_rig *rig)
{
    assert_int_equal(sim_open(&rig->config, &rig->arena, &rig->sim), STATUS_OK);
    return sim_run(rig->sim, UINT64_MAX);
}

void sim_rig_deinit(struct sim_rig *rig)
{
    sim_close(rig->sim);
    path_check_deinit(&rig->steps);
    arena_deinit(&rig->arena);
}

struct job *sim_rig_add(struct sim_rig *rig, uint32_t core, struct job job)
{
    rig->job[core][rig->count[core]] = job;
    return &rig->job[core][rig->count[core]++];
}

struct job *sim_work(struct sim_rig *rig, uint32_t pipe, tick occupancy, tick latency)
{
    return sim_rig_add(rig, 0,
                       (struct job){.kind = JOB_WORK,
                                    .pipe = pipe,
                                    .occupancy = occupancy,
                                    .by_class = {occupancy},
                                    .latency = latency});
}

struct job *sim_set(struct sim_rig *rig, uint32_t pipe, uint32_t flag)
{
    return sim_rig_add(rig, 0, (struct job){.kind = JOB_SET, .pipe = pipe, .flag = flag});
}

struct job *sim_wait(struct sim_rig *rig, uint32_t pipe, uint32_t flag)
{
    return sim_rig_add(rig, 0, (struct job){.kind = JOB_WAIT, .pipe = pipe, .flag = flag});
}

struct job *sim_lock(struct sim_rig *rig, uint32_t pipe, uint32_t flag, uint32_t turn)
{
    return sim_rig_add(rig, 0,
                       (struct job){.kind = JOB_LOCK, .pipe = pipe, .flag = flag, .turn = turn});
}

struct job *sim_gate(struct job *job, enum gate_use use, uint64_t gates)
{
    job->gate_use = use;
    job->gates.word[0] = gates;
    return job;
}

const struct row *sim_rig_row(const struct sim_rig *rig, uint32_t core, uint32_t seq)
{
    for (uint32_t i = 0; i < rig->rows; i++)
        if (rig->row[i].core == core && rig->row[i].seq == seq)
            return &rig->row[i];
    fail_msg("no row %u of core %u", seq, core);
    return NULL;
}

void sim_rig_check(const struct sim_rig *rig)
{
    tick cycles = sim_makespan(rig->sim);
    const struct path *path;
    sim_last(rig->sim, &path);
    path_check(&rig->steps, path, cycles);
    tick total = 0, classes = 0;
    for (uint32_t pipe = 0; pipe < SIM_PIPES_MAX; pipe++)
        for (uint32_t part = 0; part < PATH_PART_COUNT; part++)
            total += path->part[pipe][part];
    for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++)
        total += path->cause[cause];
    for (uint32_t i = 0; i < SIM_CLASSES; i++)
        classes += path->by_class[i];
    assert_int_equal(total, cycles);
    assert_int_equal(classes, cycles);
    for (uint32_t core = 0; core < rig->config.cores; core++) {
        for (uint32_t pipe = 0; pipe < rig->config.pipes; pipe++) {
            const struct pipe_totals *totals = sim_pipe(rig->sim, core, pipe);
            tick waits = 0;
            for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++)
                waits += totals->wait[cause];
            assert_int_equal(totals->busy + waits, totals->free_at);
            assert_true(totals->free_at <= cycles);
        }
    }
}
