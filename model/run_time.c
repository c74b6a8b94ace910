#include "model/run_time.h"

#include <assert.h>
#include <string.h>

#include "isa/effect.h"
#include "isa/l0c2ub.h"
#include "isa/registers.h"
#include "model/deadlock.h"
#include "model/gm_access.h"
#include "model/insn_ref.h"
#include "model/mutex.h"
#include "model/unit_flag.h"

/* An instruction on its way: kept until its row comes, for observers that want to see it. */
struct flight {
    struct insn insn;
    uint32_t next_free;
};

struct time_core {
    void *stream;
    struct registers registers;
    struct mutex_turns turns;
    struct cost_history history;
    uint32_t seq;
    size_t splits; /* that were taken */
};

struct timing {
    const struct time_options *options;
    struct cost_model cost;
    struct time_core *cores;
    struct run_result *result;
    tick unit_flag_delay;
    uint64_t l0c_bytes;
    struct flight *flights; /* array_grow; only with observers */
    size_t flight_capacity;
    uint32_t flight_count, flight_free;
    enum status status;
};

static uint32_t flight_take(struct timing *timing, const struct insn *insn)
{
    uint32_t flight = timing->flight_free;
    if (flight != UINT32_MAX) {
        timing->flight_free = timing->flights[flight].next_free;
    } else {
        void *grown = array_grow(timing->flights, &timing->flight_capacity,
                                 (size_t)timing->flight_count + 1, sizeof *timing->flights);
        if (grown == NULL) {
            timing->status = STATUS_NO_MEMORY;
            return 0;
        }
        timing->flights = grown;
        flight = timing->flight_count++;
    }
    timing->flights[flight].insn = *insn;
    return flight;
}

static void timing_row(void *context, const struct row *row)
{
    struct timing *timing = context;
    const struct time_options *options = timing->options;
    struct flight *flight = &timing->flights[row->tag];
    bool wanted = options->sink != NULL && (row->core == 0 || !options->core0_only);
    if (timing->status == STATUS_OK && wanted) {
        struct timeline_row line = {
            .row = row,
            .insn = &flight->insn,
            .bytes = insn_bytes(options->program, &flight->insn),
            .macs = insn_macs(&flight->insn),
        };
        timing->status = options->sink(options->sink_context, &line);
    }
    flight->next_free = timing->flight_free;
    timing->flight_free = row->tag;
}

static void timing_step(void *context, const struct path_step *step)
{
    struct timing *timing = context;
    const struct time_options *options = timing->options;
    if (timing->status != STATUS_OK)
        return;
    struct timeline_step told = {
        .step = step,
        .insn = step->tag == ROW_NO_BLOCKER ? NULL : &timing->flights[step->tag].insn,
    };
    timing->status = options->steps(options->sink_context, &told);
}

static void timing_precedence(void *context, const struct precedence *precedence)
{
    struct timing *timing = context;
    const struct time_options *options = timing->options;
    if (timing->status == STATUS_OK && (precedence->core == 0 || !options->core0_only))
        timing->status = options->precedences(options->sink_context, precedence);
}

static bool timing_is_observed(const struct timing *timing)
{
    return timing->options->sink != NULL || timing->options->steps != NULL;
}

static const struct l2_split *next_split(struct timing *timing, uint32_t core,
                                         const struct insn *insn)
{
    const struct l2_core *l2 = &timing->options->l2->cores[core];
    if (!l2_takes(timing->options->program, insn))
        return NULL;
    size_t split = timing->cores[core].splits++;
    assert(split < l2->count);
    return &l2->splits[split];
}

static void job_unit_flag(const struct timing *timing, const struct insn *insn, struct job *job)
{
    static const enum gate_use uses[] = {
        [UNIT_UNUSED] = GATE_UNUSED, [UNIT_WAIT_CLEAR] = GATE_WAIT_SHUT,
        [UNIT_SET] = GATE_OPEN,      [UNIT_WAIT_SET] = GATE_WAIT_OPEN,
        [UNIT_CLEAR] = GATE_SHUT,
    };
    struct unit_blocks blocks;
    const struct program *program = timing->options->program;
    job->gate_use = uses[unit_flag_use(program, insn, timing->l0c_bytes, &blocks)];
    if (job->gate_use == GATE_UNUSED)
        return;
    _Static_assert(sizeof blocks == sizeof job->gates, "a gate for each block");
    memcpy(&job->gates, &blocks, sizeof job->gates);
    job->gate_delay = timing->unit_flag_delay;
    job->gate_class = timing->cost.number[PRODUCT_FIXP_UNIT_FLAG].basis;
}

/* Flags of the engine: those of the program, one for each mutex, and one that nobody waits for. */
static uint32_t mutex_flag(const struct program *program, int64_t id)
{
    return flag_count(program->event_ids) + (uint32_t)id;
}

static void job_mutex(struct timing *timing, uint32_t core, const struct insn *insn,
                      struct job *job)
{
    const struct program *program = timing->options->program;
    bool lock = insn->opcode == OP_MUTEX_LOCK;
    uint32_t turn = mutex_turn(&timing->cores[core].turns, insn);
    job->kind = lock ? JOB_LOCK : JOB_SET;
    job->flag = mutex_flag(program, turn == TURN_NONE ? MUTEX_COUNT : insn->field[MUTEX_LOCK_id]);
    job->turn = turn;
}

/* What passes a level of the memories. */
static void count_levels(const struct timing *timing, const struct insn *insn)
{
    struct run_result *result = timing->result;
    const struct program *program = timing->options->program;
    const struct insn_info *info = insn_info(insn->opcode);
    enum space space =
        info->operand_count > 0 ? program->regions[insn->operand[0].region].space : SPACE_COUNT;
    if (insn->opcode == OP_DATA_COPY_L0C2UB)
        result->l0c_bytes += l0c2ub_source_bytes(insn);
    else if (insn->opcode == OP_FIXPIPE && space == SPACE_GM)
        result->l0c_bytes += insn_bytes(program, insn);
    else if (insn->pipe == PIPE_MTE1 && space == SPACE_L0A)
        result->l0a_bytes += insn_bytes(program, insn);
    else if (insn->pipe == PIPE_MTE1 && space == SPACE_L0B)
        result->l0b_bytes += insn_bytes(program, insn);
}

static void job_work(struct timing *timing, uint32_t core, const struct insn *insn, struct job *job)
{
    struct run_result *result = timing->result;
    struct cost_history *history = &timing->cores[core].history;
    job->kind = JOB_WORK;
    cost_job(&timing->cost, history, insn, next_split(timing, core, insn), job);
    count_levels(timing, insn);
    if (cost_is_load3d(insn)) {
        result->load3d_bytes += insn_bytes(timing->options->program, insn);
        result->load3d_cycles += job->occupancy;
        return;
    }
    switch (insn->opcode) {
    case OP_MMAD:
        result->mmad_macs += insn_macs(insn);
        result->cube_macs +=
            cost_mmad_fractals(insn) * FRACTAL_ROWS * FRACTAL_ROWS * element_c0(insn_element(insn));
        result->cube_step_cycles += cost_mmad_cycles(&timing->cost, insn);
        job_unit_flag(timing, insn, job);
        break;
    case OP_FIXPIPE:
        job_unit_flag(timing, insn, job);
        break;
    default:
        break;
    }
}

static void job_of(struct timing *timing, uint32_t core, const struct insn *insn, struct job *job)
{
    switch (insn->opcode) {
    case OP_SET_FLAG:
        job->kind = JOB_SET;
        job->flag = insn_flag(insn, timing->options->program->event_ids);
        /* The operands of an Mmad are free when it has read them, before its results are out. */
        job->early =
            insn->field[SET_FLAG_src] == PIPE_CUBE && insn->field[SET_FLAG_dst] == PIPE_MTE1;
        timing->result->flags_set++;
        break;
    case OP_WAIT_FLAG:
        job->kind = JOB_WAIT;
        job->flag = insn_flag(insn, timing->options->program->event_ids);
        timing->result->flags_waited++;
        break;
    case OP_MUTEX_LOCK:
    case OP_MUTEX_UNLOCK:
        job_mutex(timing, core, insn, job);
        break;
    case OP_PIPE_BARRIER:
        job->kind = JOB_BARRIER;
        if (insn->field[PIPE_BARRIER_pipe] == PIPE_ALL)
            job->pipe = PIPE_SCALAR;
        break;
    default:
        job_work(timing, core, insn, job);
        break;
    }
}

static bool timing_source(void *context, uint32_t core, struct job *job)
{
    struct timing *timing = context;
    struct time_core *state = &timing->cores[core];
    struct insn insn;
    if (timing->status != STATUS_OK)
        return false;
    if (!timing->options->program->next(state->stream, &insn)) {
        timing->status = timing->options->program->ended(state->stream);
        return false;
    }
    if (state->seq == UINT32_MAX) {
        timing->status = STATUS_LIMIT;
        return false;
    }
    insn_capture(&state->registers, &insn);
    memset(job, 0, sizeof *job);
    job->pipe = insn.pipe;
    job->seq = state->seq++;
    job_of(timing, core, &insn, job);
    timing->result->instructions++;
    if (timing_is_observed(timing))
        job->tag = flight_take(timing, &insn);
    return timing->status == STATUS_OK;
}

static void timing_config(struct timing *timing, struct sim_config *config)
{
    const struct product *product = timing->options->product;
    const struct program *program = timing->options->program;
    *config = (struct sim_config){
        .cores = program->core_count,
        .pipes = PIPE_COUNT,
        .flags = mutex_flag(program, MUTEX_COUNT) + 1,
        .gates = UNIT_BLOCKS_MAX,
        .links = timing->cost.link,
        .link_count = MODEL_LINK_COUNT,
        .queue_depth = (uint32_t)product_whole(product, PRODUCT_SCALAR_QUEUE),
        .startup = product_time_cycles(product, PRODUCT_SCALAR_STARTUP),
        .dispatch = cost_ticks(&timing->cost, PRODUCT_SCALAR_DISPATCH),
        .wait_cost = cost_ticks(&timing->cost, PRODUCT_SYNC_WAIT),
        .barrier_cost = cost_ticks(&timing->cost, PRODUCT_SYNC_BARRIER),
        .startup_class = product->number[PRODUCT_SCALAR_STARTUP].basis,
        .dispatch_class = product->number[PRODUCT_SCALAR_DISPATCH].basis,
        .wait_class = product->number[PRODUCT_SYNC_WAIT].basis,
        .barrier_class = product->number[PRODUCT_SYNC_BARRIER].basis,
        .source = timing_source,
        .source_context = timing,
        .sink = timing_is_observed(timing) ? timing_row : NULL,
        .sink_context = timing,
        .steps = timing->options->steps != NULL ? timing_step : NULL,
        .steps_context = timing,
        .precedences = timing->options->precedences != NULL ? timing_precedence : NULL,
        .precedences_context = timing,
    };
    timing->l0c_bytes = product_memory_bytes(product, SPACE_L0C);
    timing->unit_flag_delay = cost_ticks(&timing->cost, PRODUCT_FIXP_UNIT_FLAG);
}

static enum status timing_streams(struct timing *timing, struct arena *work)
{
    const struct program *program = timing->options->program;
    timing->cores = arena_take(work, program->core_count, sizeof *timing->cores);
    if (timing->cores == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t core = 0; core < program->core_count; core++) {
        struct time_core *state = &timing->cores[core];
        registers_init(&state->registers);
        state->stream = program->open(program->context, core, work);
        if (state->stream == NULL)
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

static enum standing_for job_stands_for(const struct job *job)
{
    switch (job->kind) {
    case JOB_WAIT:
        return STANDING_FLAG;
    case JOB_LOCK:
        return STANDING_MUTEX;
    case JOB_BARRIER:
        return STANDING_BARRIER;
    case JOB_SET:
    case JOB_WORK:
    case JOB_KIND_COUNT:
        break;
    }
    return job->gate_use != GATE_UNUSED ? STANDING_UNIT_FLAG : STANDING_QUEUE;
}

/* A pipe that stands for ever waits from its last row to the end. */
static void pipe_stats_stuck(const struct timing *timing, const struct job *job,
                             struct pipe_stats *stats)
{
    static const enum cause causes[] = {
        [STANDING_FLAG] = CAUSE_FLAG,           [STANDING_MUTEX] = CAUSE_FLAG,
        [STANDING_UNIT_FLAG] = CAUSE_UNIT_FLAG, [STANDING_BARRIER] = CAUSE_BARRIER,
        [STANDING_QUEUE] = CAUSE_QUEUE_FULL,
    };
    enum standing_for stands_for = job_stands_for(job);
    enum cause cause = causes[stands_for];
    stats->wait[cause] += stats->idle;
    stats->wait_count[cause]++;
    stats->waiting += stats->idle;
    if (stands_for == STANDING_FLAG)
        stats->wait_for[flag_source(job->flag, timing->options->program->event_ids)] += stats->idle;
    stats->idle = 0;
}

static void pipe_stats_of(const struct timing *timing, const struct sim *sim, uint32_t core,
                          uint32_t pipe, tick cycles, struct pipe_stats *stats)
{
    const struct pipe_totals *totals = sim_pipe(sim, core, pipe);
    stats->instructions = totals->jobs;
    stats->busy = totals->busy;
    stats->link = totals->link;
    stats->active = totals->active;
    assert(totals->free_at <= cycles);
    stats->idle = cycles - totals->free_at;
    for (uint32_t cause = 0; cause < CAUSE_COUNT; cause++) {
        stats->wait[cause] = totals->wait[cause];
        stats->wait_count[cause] = totals->waits[cause];
        stats->waiting += totals->wait[cause];
    }
    for (uint32_t other = 0; other < PIPE_COUNT; other++)
        stats->wait_for[other] = totals->wait_for[other];
    struct job job;
    if (sim_blocked(sim, core, pipe, &job) && stats->idle > 0)
        pipe_stats_stuck(timing, &job, stats);
    assert(stats->busy + stats->waiting + stats->idle == cycles);
}

static enum status timing_collect(const struct timing *timing, const struct sim *sim,
                                  struct arena *arena)
{
    struct run_result *result = timing->result;
    uint32_t cores = timing->options->program->core_count;
    const struct path *path;
    result->cores = cores;
    result->deciding_core = sim_last(sim, &path);
    result->cycles = sim_makespan(sim);
    result->path = *path;
    assert(path_cycles(path) == result->cycles);
    result->bound = path_bound(path, NULL);
    result->pipe = arena_take(arena, (size_t)cores * PIPE_COUNT, sizeof *result->pipe);
    result->core_cycles = arena_take(arena, cores, sizeof *result->core_cycles);
    if (result->pipe == NULL || result->core_cycles == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t core = 0; core < cores; core++) {
        result->core_cycles[core] = sim_core_makespan(sim, core);
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
            pipe_stats_of(timing, sim, core, pipe, result->cycles,
                          &result->pipe[core * PIPE_COUNT + pipe]);
    }
    return STATUS_OK;
}

/* The pipes of a core that stand, for people. */
static enum status stuck_core_pipes(struct run_result *result, uint32_t core,
                                    const struct standing *standing, size_t count,
                                    struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        char where[INSN_REF_TEXT_BYTES];
        const struct insn_ref ref = insn_ref_of(&standing[i].insn, standing[i].seq);
        const struct stuck_pipe pipe = {
            .core = core,
            .pipe = standing[i].pipe,
            .at = arena_format(arena, "%s", insn_ref_text(&ref, where)),
            .awaited = standing_awaited(&standing[i], arena),
        };
        if (pipe.at == NULL || pipe.awaited == NULL)
            return STATUS_NO_MEMORY;
        result->stuck_pipes[result->stuck_pipe_count++] = pipe;
    }
    return STATUS_OK;
}

/* What the pipes of a core stand at, if it stands. */
static enum status stuck_core(const struct timing *timing, const struct sim *sim, uint32_t core,
                              struct arena *arena, struct arena *work)
{
    const struct program *program = timing->options->program;
    struct run_result *result = timing->result;
    struct standing standing[PIPE_COUNT];
    struct insn insn;
    size_t count = 0;
    void *stream = program->open(program->context, core, work);
    if (stream == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t seq = 0; program->next(stream, &insn); seq++) {
        for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
            struct job job;
            if (sim_blocked(sim, core, pipe, &job) && job.seq == seq)
                standing[count++] = (struct standing){
                    .pipe = (enum pipe)pipe,
                    .cause = job_stands_for(&job),
                    .seq = seq,
                    .insn = insn,
                };
        }
    }
    enum status status = program->ended(stream);
    if (status != STATUS_OK || count == 0)
        return status;
    result->stuck[result->stuck_count++] = (struct hazard_record){
        .kind = HAZARD_DEADLOCK,
        .core = core,
        .seq = standing[0].seq,
        .line = standing[0].insn.line,
        .message = deadlock_message(standing, count, arena),
    };
    if (result->stuck[result->stuck_count - 1].message == NULL)
        return STATUS_NO_MEMORY;
    return stuck_core_pipes(result, core, standing, count, arena);
}

/* Pipes and the dispatcher work in order: what stands before the jobs that they are stuck at is
 * done. */
static bool was_executed(const struct sim *sim, uint32_t core, const struct insn *insn,
                         uint32_t seq)
{
    struct job job;
    if (sim_blocked(sim, core, PIPE_SCALAR, &job) && seq >= job.seq)
        return false;
    return insn->pipe == PIPE_ALL || !sim_blocked(sim, core, insn->pipe, &job) || seq < job.seq;
}

static void count_traffic(const struct timing *timing, uint32_t core, const struct insn *insn)
{
    struct run_result *result = timing->result;
    struct gm_access access;
    if (!gm_access(timing->options->program, insn, &access))
        return;
    const struct l2_split *split =
        &timing->options->l2->cores[core].splits[timing->cores[core].splits];
    result->gm_miss_bytes += split->miss_bytes;
    result->gm_write_back_bytes += split->write_back_bytes;
    if (access.write)
        result->gm_write_bytes += gm_access_bytes(&access);
    else
        result->gm_read_bytes += gm_access_bytes(&access);
}

/* Counts the work of a core that was executed; the dispatcher has counted what it pulled. */
static enum status count_executed(struct timing *timing, const struct sim *sim, uint32_t core,
                                  struct arena *work)
{
    const struct program *program = timing->options->program;
    struct time_core *state = &timing->cores[core];
    struct insn insn;
    *state = (struct time_core){.stream = program->open(program->context, core, work)};
    registers_init(&state->registers);
    if (state->stream == NULL)
        return STATUS_NO_MEMORY;
    while (program->next(state->stream, &insn)) {
        struct job job = {.pipe = insn.pipe, .seq = state->seq};
        bool executed = was_executed(sim, core, &insn, state->seq++);
        if (executed)
            count_traffic(timing, core, &insn);
        insn_capture(&state->registers, &insn);
        if (executed)
            job_of(timing, core, &insn, &job);
        else
            state->splits += l2_takes(program, &insn);
    }
    return program->ended(state->stream);
}

static enum status timing_count_executed(struct timing *timing, const struct sim *sim,
                                         struct arena *work)
{
    struct run_result *result = timing->result;
    enum status status = STATUS_OK;
    result->mmad_macs = result->cube_macs = 0;
    result->gm_read_bytes = result->gm_miss_bytes = 0;
    result->gm_write_bytes = result->gm_write_back_bytes = 0;
    result->load3d_bytes = result->load3d_cycles = 0;
    result->l0a_bytes = result->l0b_bytes = result->l0c_bytes = 0;
    result->cube_step_cycles = 0.0;
    result->flags_set = result->flags_waited = 0;
    for (uint32_t core = 0; core < timing->options->program->core_count && status == STATUS_OK;
         core++)
        status = count_executed(timing, sim, core, work);
    return status;
}

static enum status timing_stuck(const struct timing *timing, const struct sim *sim,
                                struct arena *arena, struct arena *work)
{
    struct run_result *result = timing->result;
    uint32_t cores = timing->options->program->core_count;
    enum status status = STATUS_OK;
    result->deadlocked = true;
    result->stuck = arena_take(arena, cores, sizeof *result->stuck);
    result->stuck_pipes =
        arena_take(arena, (size_t)cores * PIPE_COUNT, sizeof *result->stuck_pipes);
    if (result->stuck == NULL || result->stuck_pipes == NULL)
        return STATUS_NO_MEMORY;
    for (uint32_t core = 0; core < cores && status == STATUS_OK; core++)
        status = stuck_core(timing, sim, core, arena, work);
    return status;
}

enum status time_program(const struct time_options *options, struct arena *arena,
                         struct run_result *result)
{
    struct timing timing = {
        .options = options,
        .result = result,
        .flight_free = UINT32_MAX,
    };
    struct sim_config config;
    struct sim *sim = NULL;
    struct arena work;
    arena_init(&work, 0);
    cost_init(&timing.cost, options->product, options->program, options->program->core_count);
    timing_config(&timing, &config);
    enum status status = timing_streams(&timing, &work);
    if (status == STATUS_OK)
        status = sim_open(&config, &work, &sim);
    if (status == STATUS_OK)
        status = sim_run(sim, UINT64_MAX);
    if (timing.status != STATUS_OK) /* the streams were cut short, whatever the engine made of it */
        status = timing.status;
    if (status == STATUS_DEADLOCK)
        status = timing_stuck(&timing, sim, arena, &work);
    if (status == STATUS_OK && result->deadlocked)
        status = timing_count_executed(&timing, sim, &work);
    if (status == STATUS_OK)
        status = timing_collect(&timing, sim, arena);
    sim_close(sim);
    array_release(timing.flights);
    arena_deinit(&work);
    return status;
}
