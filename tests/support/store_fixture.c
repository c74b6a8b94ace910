#include "tests/support/store_fixture.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char plan_text[] = "product: atlas-a2\n"
                                "conv:\n"
                                "  input: [1, 64, 56, 56]\n"
                                "  weight: [64, 64, 3, 3]\n"
                                "  stride: [1, 1]\n"
                                "  padding: [1, 1, 1, 1]\n"
                                "  dtype: fp16\n"
                                "tile_l1: {tileHin: 3, tileHout: 1, tileWin: 56, tileWout: 64,\n"
                                "  tileCinFmap: 64, tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"
                                "tile_l0: {tileH: 1, tileW: 64, tileK: 64, tileN: 64}\n";

enum { REGION_X, REGION_A, REGION_L0A, REGION_L0B, REGION_C, REGION_Y, REGION_COUNT };

static struct region regions[REGION_COUNT] = {
    [REGION_X] = {.name = "x", .space = SPACE_GM, .size_bytes = 401408},
    [REGION_A] = {.name = "a", .space = SPACE_L1, .size_bytes = 65536},
    [REGION_L0A] = {.name = "l0a0", .space = SPACE_L0A, .size_bytes = 32768},
    [REGION_L0B] = {.name = "l0b0", .space = SPACE_L0B, .size_bytes = 32768},
    [REGION_C] = {.name = "c", .space = SPACE_L0C, .size_bytes = 65536},
    [REGION_Y] = {.name = "y", .space = SPACE_GM, .size_bytes = 401408},
};

static struct insn copy_insn(uint64_t offset)
{
    struct insn insn;
    insn_init(&insn, OP_DATA_COPY);
    insn.operand[DATA_COPY_dst].region = REGION_A;
    insn.operand[DATA_COPY_src] = (struct operand){.region = REGION_X, .offset = offset};
    insn.field[DATA_COPY_blockLen] = 32;
    return insn;
}

static struct insn load_insn(void)
{
    struct insn insn;
    insn_init(&insn, OP_LOAD2D);
    insn.operand[LOAD2D_dst].region = REGION_L0A;
    insn.operand[LOAD2D_src].region = REGION_A;
    return insn;
}

static struct insn mmad_insn(void)
{
    struct insn insn;
    insn_init(&insn, OP_MMAD);
    insn.operand[MMAD_dst].region = REGION_C;
    insn.operand[MMAD_a].region = REGION_L0A;
    insn.operand[MMAD_b].region = REGION_L0B;
    insn.field[MMAD_m] = 16;
    insn.field[MMAD_n] = 16;
    insn.field[MMAD_k] = 16;
    return insn;
}

static struct insn store_insn(void)
{
    struct insn insn;
    insn_init(&insn, OP_FIXPIPE);
    insn.operand[FIXPIPE_dst].region = REGION_Y;
    insn.operand[FIXPIPE_src].region = REGION_C;
    return insn;
}

static struct insn flag_insn(enum opcode opcode, enum pipe src, enum pipe dst)
{
    struct insn insn;
    insn_init(&insn, opcode);
    insn.pipe = (uint8_t)(opcode == OP_SET_FLAG ? src : dst);
    insn.field[SET_FLAG_src] = src;
    insn.field[SET_FLAG_dst] = dst;
    insn.field[SET_FLAG_id] = 3;
    return insn;
}

/* Rows of core 1 but for the first; times as in the picture of the header. */
static void fixture_make_rows(struct fixture *fixture)
{
    static const struct row rows[FIXTURE_ROWS] = {
        {0, PIPE_MTE2, 0, 0, JOB_WORK, CAUSE_STARTUP, 10, 30, 35, 20, 0, 10, 0, 0, 0, 1},
        {1, PIPE_MTE2, 0, 0, JOB_WORK, CAUSE_STARTUP, 10, 40, 45, 30, 5, 10, 0, 0, 0, 1},
        {1, PIPE_MTE2, 1, 0, JOB_SET, CAUSE_NONE, 45, 45, 45, 0, 0, 0, 0, 0, 0, 2},
        {1, PIPE_MTE1, 2, 0, JOB_WAIT, CAUSE_FLAG, 0, 45, 45, 0, 0, 45, 1, PIPE_MTE2, 1, 3},
        {1, PIPE_MTE1, 3, 0, JOB_WORK, CAUSE_NONE, 45, 60, 65, 15, 0, 0, 0, 0, 0, 4},
        {1, PIPE_MTE1, 4, 0, JOB_SET, CAUSE_NONE, 65, 65, 65, 0, 0, 0, 0, 0, 0, 5},
        {1, PIPE_CUBE, 5, 0, JOB_WAIT, CAUSE_FLAG, 0, 65, 65, 0, 0, 65, 1, PIPE_MTE1, 4, 6},
        {1, PIPE_CUBE, 6, 0, JOB_WORK, CAUSE_NONE, 65, 80, 88, 15, 0, 0, 0, 0, 0, 7},
        {1, PIPE_CUBE, 7, 0, JOB_SET, CAUSE_NONE, 88, 88, 88, 0, 0, 0, 0, 0, 0, 8},
        {1, PIPE_FIXP, 8, 0, JOB_WAIT, CAUSE_FLAG, 0, 88, 88, 0, 0, 88, 1, PIPE_CUBE, 7, 9},
        {1, PIPE_FIXP, 9, 0, JOB_WORK, CAUSE_NONE, 88, 97, 100, 9, 0, 0, 0, 0, 0, 10},
    };
    const struct insn insns[FIXTURE_ROWS] = {
        copy_insn(0),
        copy_insn(512),
        flag_insn(OP_SET_FLAG, PIPE_MTE2, PIPE_MTE1),
        flag_insn(OP_WAIT_FLAG, PIPE_MTE2, PIPE_MTE1),
        load_insn(),
        flag_insn(OP_SET_FLAG, PIPE_MTE1, PIPE_CUBE),
        flag_insn(OP_WAIT_FLAG, PIPE_MTE1, PIPE_CUBE),
        mmad_insn(),
        flag_insn(OP_SET_FLAG, PIPE_CUBE, PIPE_FIXP),
        flag_insn(OP_WAIT_FLAG, PIPE_CUBE, PIPE_FIXP),
        store_insn(),
    };
    memcpy(fixture->row, rows, sizeof rows);
    memcpy(fixture->insn, insns, sizeof insns);
    for (size_t i = 0; i < FIXTURE_ROWS; i++) {
        struct row *row = &fixture->row[i];
        if (row->cause != CAUSE_FLAG)
            row->blocker_core = row->blocker_pipe = row->blocker_seq = ROW_NO_BLOCKER;
    }
}

static void fixture_add_stats(struct fixture *fixture, const struct row *row)
{
    struct pipe_stats *stats = &fixture->pipe[row->core * PIPE_COUNT + row->pipe];
    stats->instructions++;
    stats->busy += row->busy;
    stats->waiting += row->wait;
    stats->link += row->link;
    stats->active += row->done - row->start;
    if (row->wait == 0)
        return;
    stats->wait[row->cause] += row->wait;
    stats->wait_count[row->cause]++;
    if (row->cause == CAUSE_FLAG)
        stats->wait_for[row->blocker_pipe] += row->wait;
}

static void fixture_make_result(struct fixture *fixture)
{
    for (size_t i = 0; i < FIXTURE_ROWS; i++)
        fixture_add_stats(fixture, &fixture->row[i]);
    for (size_t i = 0; i < FIXTURE_CORES * PIPE_COUNT; i++)
        fixture->pipe[i].idle = FIXTURE_CYCLES - fixture->pipe[i].busy - fixture->pipe[i].waiting;
    fixture->core_cycles[0] = 35;
    fixture->core_cycles[1] = FIXTURE_CYCLES;
    fixture->hazard = (struct hazard_record){
        .kind = HAZARD_RACE, .core = 1, .seq = 6, .message = "two pipes write c+0, 32 B"};
    fixture->result = (struct run_result){
        .cores = FIXTURE_CORES,
        .cycles = FIXTURE_CYCLES,
        .range_us = {0.05, 0.0625},
        .instructions = FIXTURE_ROWS,
        .macs = 4000,
        .mmad_macs = 4096,
        .cube_macs = 8192,
        .gm_read_bytes = 2048,
        .gm_write_bytes = 512,
        .gm_miss_bytes = 1024,
        .tensor_bytes = 1536,
        .pipe = fixture->pipe,
        .core_cycles = fixture->core_cycles,
        .deciding_core = 1,
        .bound = "mte2",
        .hazards = &fixture->hazard,
        .hazard_count = 1,
        .hazards_kept = 1,
        .simulator_seconds = 0.25,
    };
    struct path *path = &fixture->result.path;
    path->cause[CAUSE_STARTUP] = 10;
    path->part[PIPE_MTE2][PATH_BUSY] = 25;
    path->part[PIPE_MTE2][PATH_LINK] = 5;
    path->part[PIPE_MTE2][PATH_LATENCY] = 5;
    path->part[PIPE_MTE1][PATH_BUSY] = 15;
    path->part[PIPE_MTE1][PATH_LATENCY] = 5;
    path->part[PIPE_CUBE][PATH_BUSY] = 15;
    path->part[PIPE_CUBE][PATH_LATENCY] = 8;
    path->part[PIPE_FIXP][PATH_BUSY] = 9;
    path->part[PIPE_FIXP][PATH_LATENCY] = 3;
    path->step = FIXTURE_STEPS;
    path->by_class[BASIS_VENDOR] = 70;
    path->by_class[BASIS_GUESS] = 30;
}

static void fixture_make_plan(struct fixture *fixture)
{
    enum status status = plan_parse("res2a.yaml", plan_text, NULL, &fixture->arena, &fixture->diag,
                                    &fixture->product, &fixture->plan);
    for (size_t i = 0; i < fixture->diag.count; i++)
        fprintf(stderr, "%s\n", diag_text(&fixture->diag, i));
    assert(status == STATUS_OK);
    struct plan *plan = &fixture->plan;
    plan->product = &fixture->product;
    plan->tile = (struct tile){.h_l1 = 1,
                               .w_l1 = 64,
                               .h_l0 = 1,
                               .w_l0 = 64,
                               .n_l1 = 64,
                               .n_l0 = 64,
                               .k_a = 576,
                               .k_b = 576,
                               .k_l0 = 64};
    plan->schedule.cores = FIXTURE_CORES;
    for (size_t i = 0; i < SPLIT_COUNT; i++)
        plan->schedule.split[i] = i == SPLIT_M ? FIXTURE_CORES : 1;
    for (size_t i = 0; i < BUFFER_COUNT; i++)
        plan->schedule.buffers[i] = 2;
}

void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    arena_init(&fixture->arena, 0);
    diag_init(&fixture->diag);
    fixture_make_plan(fixture);
    fixture->program = (struct program){
        .product = "atlas-a2",
        .arch = fixture->product.arch,
        .regions = regions,
        .region_count = REGION_COUNT,
        .core_count = FIXTURE_CORES,
    };
    enum status status =
        subject_plan(&fixture->plan, &fixture->program, &fixture->arena, &fixture->subject);
    assert(status == STATUS_OK);
    fixture_make_rows(fixture);
    fixture_make_result(fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/cubesim-store-XXXXXX");
    const char *made = mkdtemp(fixture->folder);
    assert(made != NULL);
    snprintf(fixture->path, sizeof fixture->path, "%s/runs.db", fixture->folder);
}

void fixture_deinit(struct fixture *fixture)
{
    DIR *folder = opendir(fixture->folder);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", fixture->folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(fixture->folder);
    diag_deinit(&fixture->diag);
    arena_deinit(&fixture->arena);
}

struct store *fixture_open(struct fixture *fixture)
{
    struct store *store = NULL;
    enum status status = store_open(fixture->path, true, &fixture->diag, &store);
    assert(status == STATUS_OK);
    return store;
}

enum status fixture_emit(const struct fixture *fixture, struct store *store)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < FIXTURE_ROWS && status == STATUS_OK; i++) {
        bool is_mmad = fixture->insn[i].opcode == OP_MMAD;
        bool is_copy = fixture->insn[i].opcode == OP_DATA_COPY;
        struct timeline_row row = {
            .row = &fixture->row[i],
            .insn = &fixture->insn[i],
            .bytes = is_copy ? 1024 : 0,
            .macs = is_mmad ? 4096 : 0,
        };
        status = store_row(store, &row);
    }
    return status;
}

/* The path of core 1, behind a step that leads nowhere. */
static const struct path_step fixture_steps[FIXTURE_STEPS] = {
    {1, 0, 1, PIPE_SCALAR, ROW_NO_BLOCKER, 0, STEP_WAIT, CAUSE_STARTUP, 10},
    {2, 1, 0, PIPE_MTE2, 0, 0, STEP_BUSY, CAUSE_NONE, 20},
    {3, 1, 1, PIPE_MTE2, 0, 1, STEP_BUSY, CAUSE_NONE, 25},
    {4, 3, 1, PIPE_MTE2, 0, 1, STEP_LINK, CAUSE_NONE, 5},
    {5, 4, 1, PIPE_MTE2, 0, 1, STEP_LATENCY, CAUSE_NONE, 5},
    {6, 5, 1, PIPE_MTE1, 3, 4, STEP_BUSY, CAUSE_NONE, 15},
    {7, 6, 1, PIPE_MTE1, 3, 4, STEP_LATENCY, CAUSE_NONE, 5},
    {8, 7, 1, PIPE_CUBE, 6, 7, STEP_BUSY, CAUSE_NONE, 15},
    {9, 8, 1, PIPE_CUBE, 6, 7, STEP_LATENCY, CAUSE_NONE, 8},
    {10, 9, 1, PIPE_FIXP, 9, 10, STEP_BUSY, CAUSE_NONE, 9},
    {11, 10, 1, PIPE_FIXP, 9, 10, STEP_LATENCY, CAUSE_NONE, 3},
};

enum status fixture_emit_steps(const struct fixture *fixture, struct store *store)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < FIXTURE_STEPS && status == STATUS_OK; i++) {
        const struct path_step *step = &fixture_steps[i];
        bool none = step->seq == ROW_NO_BLOCKER;
        struct timeline_step told = {.step = step, .insn = none ? NULL : &fixture->insn[step->tag]};
        status = store_step(store, &told);
    }
    return status;
}

int64_t fixture_save(struct fixture *fixture, struct store *store)
{
    int64_t run_id = 0;
    enum status status = store_begin(store, &fixture->subject, "0.1.0", &fixture->diag, &run_id);
    assert(status == STATUS_OK);
    status = fixture_emit(fixture, store);
    assert(status == STATUS_OK);
    status = fixture_emit_steps(fixture, store);
    assert(status == STATUS_OK);
    status = store_finish(store, &fixture->result, &fixture->diag);
    assert(status == STATUS_OK);
    return run_id;
}

enum status fixture_begin(struct fixture *fixture, struct store *store)
{
    int64_t run_id = 0;
    return store_begin(store, &fixture->subject, "0.1.0", &fixture->diag, &run_id);
}

enum status fixture_emit_many(struct store *store, uint32_t count)
{
    enum status status = STATUS_OK;
    struct insn copy = copy_insn(0), mmad = mmad_insn();
    for (size_t i = 0; i < FIXTURE_STEPS && status == STATUS_OK; i++) {
        struct timeline_step told = {.step = &fixture_steps[i], .insn = i == 0 ? NULL : &copy};
        status = store_step(store, &told);
    }
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        bool is_copy = i % 2 == 0;
        if (i % 7 == 0)
            copy.operand[DATA_COPY_src].offset = 512 * (uint64_t)i;
        struct row row = {
            .pipe = is_copy ? PIPE_MTE2 : PIPE_CUBE,
            .seq = i,
            .start = 4 * (tick)i,
            .end = 4 * (tick)i + 3,
            .done = 4 * (tick)i + 20,
            .busy = 3,
            .wait = i == 0 ? 0 : 5,
            .cause = i == 0 ? CAUSE_NONE : CAUSE_DISPATCH,
            .blocker_core = ROW_NO_BLOCKER,
            .blocker_pipe = ROW_NO_BLOCKER,
            .blocker_seq = ROW_NO_BLOCKER,
            .moment = i + 1,
        };
        struct timeline_row sent = {.row = &row, .insn = is_copy ? &copy : &mmad};
        status = store_row(store, &sent);
        struct path_step step = {
            FIXTURE_STEPS + i + 1, 1, 0, row.pipe, i, 0, STEP_BUSY, CAUSE_NONE, 3};
        struct timeline_step told = {.step = &step, .insn = sent.insn};
        if (status == STATUS_OK)
            status = store_step(store, &told);
        struct precedence precedence = {.core = 0, .before = i + 1};
        if (status == STATUS_OK)
            status = store_precedence(store, &precedence);
    }
    return status;
}

enum status fixture_flood(struct fixture *fixture, struct store *store, uint32_t count)
{
    enum status status = fixture_begin(fixture, store);
    return status == STATUS_OK ? fixture_emit_many(store, count) : status;
}

static void fixture_save_many(struct fixture *fixture, struct store *store, uint32_t count)
{
    enum status status = fixture_flood(fixture, store, count);
    assert(status == STATUS_OK);
    status = store_finish(store, &fixture->result, &fixture->diag);
    assert(status == STATUS_OK);
    (void)status;
}

void fixture_make_three(struct fixture *fixture)
{
    struct store *store = fixture_open(fixture);
    fixture_save(fixture, store);
    fixture->result.cycles = 4000;
    fixture_save_many(fixture, store, 1000);
    fixture_save_many(fixture, store, 0);
    store_close(store);
}

const char *fixture_query(struct fixture *fixture, struct store *store, const char *sql)
{
    const char *text = NULL;
    enum status status = store_query(store, sql, &fixture->arena, &fixture->diag, &text);
    assert(status == STATUS_OK);
    return text;
}
