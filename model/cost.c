#include "model/cost.h"

#include <assert.h>
#include <string.h>

#include "isa/effect.h"
#include "isa/fixpipe.h"
#include "isa/l0c2ub.h"
#include "isa/load3d.h"
#include "model/conv.h"
#include "model/gm_access.h"
#include "model/load3d_rate.h"

enum { FRACTION_BITS = 16 };
#define TICKS_MOST (UINT64_C(1) << 62) /* 2^-16 ticks */

/* 2^-16 ticks to whole ticks, to nearest. */
static tick ticks_of(uint64_t fraction)
{
    return (fraction + (1u << (FRACTION_BITS - 1))) >> FRACTION_BITS;
}

/* Bytes over a rate of 2^-16 B per tick, in 2^-16 ticks, rounded up. What an instruction asks for
 * may be beyond every memory; a time beyond all bounds stays at that. */
static uint64_t bytes_over(uint64_t bytes, uint64_t rate)
{
    assert(bytes < (UINT64_C(1) << 48) && rate > 0 && rate < (UINT64_C(1) << 48));
    uint64_t whole = (bytes << FRACTION_BITS) / rate, rest = (bytes << FRACTION_BITS) % rate;
    if (whole >= TICKS_MOST >> FRACTION_BITS)
        return TICKS_MOST;
    return (whole << FRACTION_BITS) + ceil_div(rest << FRACTION_BITS, rate);
}

/* A count of things that take 2^-16 ticks each, bounded likewise. */
static uint64_t ticks_times(uint64_t count, uint64_t each)
{
    return each != 0 && count > TICKS_MOST / each ? TICKS_MOST : count * each;
}

static uint64_t greater(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

tick cost_ticks(const struct cost_model *model, enum product_key key)
{
    return ticks_of(model->number[key].value);
}

static void cost_links(struct cost_model *model)
{
    static const enum product_key rate[MODEL_LINK_COUNT] = {PRODUCT_GM_RATE, PRODUCT_L2_READ_RATE,
                                                            PRODUCT_L2_WRITE_RATE};
    uint64_t cores = product_whole(model->product, PRODUCT_CHIP_CORES);
    for (uint32_t i = 0; i < MODEL_LINK_COUNT; i++) {
        model->link[i].capacity = model->number[rate[i]].value * cores;
        model->link[i].class_index = model->number[rate[i]].basis;
    }
}

/* A number between its values for one core alone and for all of them: it grows with the cores. */
static struct cost_number cost_crowd(const struct cost_model *model, uint32_t cores,
                                     enum product_key alone_key, enum product_key loaded_key)
{
    uint64_t all = product_whole(model->product, PRODUCT_CHIP_CORES);
    const struct cost_number *alone = &model->number[alone_key];
    const struct cost_number *loaded = &model->number[loaded_key];
    if (cores <= 1 || all <= 1 || !model->product->number[loaded_key].present)
        return *alone;
    int64_t others = (int64_t)(cores < all ? cores : all) - 1;
    int64_t more = ((int64_t)loaded->value - (int64_t)alone->value) * others / ((int64_t)all - 1);
    return (struct cost_number){(uint64_t)((int64_t)alone->value + more), loaded->basis};
}

/* A window of whole lines in the time that GM takes to answer, or the port. */
static void cost_first_touch(struct cost_model *model)
{
    const struct cost_number *number = model->number;
    uint64_t window = number[PRODUCT_MTE2_WINDOW].value >> FRACTION_BITS;
    uint64_t ticks = window * number[PRODUCT_MTE2_REQUEST].value + number[PRODUCT_GM_LATENCY].value;
    uint64_t bytes = window * model->line_bytes;
    model->first_touch = number[PRODUCT_MTE2_PORT];
    if (ticks == 0 || bytes_over(bytes, model->first_touch.value) >= ticks)
        return;
    /* bytes < 2^32 and ticks in 2^-16: the rate in 2^-16 B per tick. */
    model->first_touch.value = greater((bytes << FRACTION_BITS) / (ticks >> FRACTION_BITS), 1);
    model->first_touch.basis = number[PRODUCT_GM_LATENCY].basis;
}

void cost_init(struct cost_model *model, const struct product *product,
               const struct program *program, uint32_t cores)
{
    memset(model, 0, sizeof *model);
    model->product = product;
    model->program = program;
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++) {
        const struct product_number *number = &product->number[key];
        if (!number->present)
            continue;
        model->number[key].value = (uint64_t)number->value;
        model->number[key].basis = number->basis;
    }
    model->line_bytes = product_whole(product, PRODUCT_L2_LINE);
    model->cores = cores;
    cost_links(model);
    model->mte2_latency = cost_crowd(model, cores, PRODUCT_L2_LATENCY, PRODUCT_L2_LATENCY_LOADED);
    model->mte2_request =
        cost_crowd(model, cores, PRODUCT_MTE2_REQUEST, PRODUCT_MTE2_REQUEST_LOADED);
    cost_first_touch(model);
}

/* Fixed ticks with the basis of the number that they come from. */
static void job_fixed(struct job *job, tick ticks, const struct cost_number *number)
{
    job->occupancy += ticks;
    job->by_class[number->basis] += ticks;
}

/* issue + bytes / rate, rounded once, split between the two numbers; at least one tick. */
static void job_stream(struct job *job, const struct cost_number *issue, uint64_t bytes,
                       uint64_t rate, uint32_t rate_basis)
{
    tick whole = greater(ticks_of(issue->value + bytes_over(bytes, rate)), 1);
    tick fixed = ticks_of(issue->value) < whole ? ticks_of(issue->value) : whole;
    job_fixed(job, fixed, issue);
    job_fixed(job, whole - fixed, &(struct cost_number){.basis = rate_basis});
}

/* Copies that change the layout write L1 in pieces, which holds up loads from it; their data are
 * whole when the last request is back. */
static bool cost_rearranges(const struct insn *insn)
{
    return insn->opcode == OP_ND2NZ || insn->opcode == OP_DN2NZ;
}

/* Requests of a copy: as many lines as its rows need, each row at least one. ND2NZ asks row by row
 * even where rows follow each other in GM. */
static uint64_t cost_requests(const struct cost_model *model, const struct insn *insn,
                              const struct gm_access *access)
{
    uint64_t rows = gm_access_runs(access), length = access->length;
    if (insn->opcode == OP_ND2NZ) {
        enum element type = insn_element(insn);
        uint64_t size = element_bits(type) < 8 ? 1 : element_bytes(type); /* of 4 bits: in bytes */
        rows = (uint64_t)insn->field[ND2NZ_ndNum] * (uint64_t)insn->field[ND2NZ_nValue];
        length = (uint64_t)insn->field[ND2NZ_dValue] * size;
    }
    return rows * ceil_div(length, model->line_bytes);
}

/* Whether a row of a copy does not begin at a block. */
static bool cost_unaligned(const struct gm_access *access)
{
    uint64_t at = access->from;
    at |= access->inner_count > 1 ? access->inner_stride : 0;
    at |= access->outer_count > 1 ? access->outer_stride : 0;
    return at % BLOCK_BYTES != 0;
}

/* What a core takes for the requests of a copy: an interval each, and in rows that begin anywhere
 * no more bytes than it can put together. */
static void cost_service(const struct cost_model *model, const struct insn *insn,
                         const struct gm_access *access, struct job *job)
{
    const struct cost_number *together = &model->number[PRODUCT_MTE2_UNALIGNED];
    uint64_t requests = ticks_times(cost_requests(model, insn, access), model->mte2_request.value);
    uint64_t bytes = 0;
    if (cost_unaligned(access) && together->value > 0) /* 0: not known */
        bytes = bytes_over(gm_access_bytes(access), together->value);
    job->service = job->occupancy + ticks_of(greater(requests, bytes));
    job->service_class = bytes > requests ? together->basis : model->mte2_request.basis;
}

/* The rate of hits: requests of the cores that are under way wait in line at the slices of L2,
 * where those for one line count once. */
static struct cost_number cost_hit_rate(const struct cost_model *model, const struct l2_split *l2)
{
    const struct cost_number *number = model->number;
    uint64_t sharers = number[PRODUCT_L2_SHARERS].value >> FRACTION_BITS;
    uint64_t least = sharers > 0 ? L2_SHARE_ONE / sharers : 0;
    uint64_t asked = (number[PRODUCT_MTE2_WINDOW].value >> FRACTION_BITS) * model->cores *
                     greater(l2->share, least);
    uint64_t all = asked + number[PRODUCT_L2_SLICES].value;
    uint64_t each = model->link[MODEL_LINK_L2_READ].capacity / model->cores;
    while (asked > UINT64_MAX / (each + 1)) { /* only their ratio counts */
        asked >>= 1;
        all >>= 1;
    }
    struct cost_number rate = {each / all * asked + each % all * asked / all,
                               number[PRODUCT_L2_SLICES].basis};
    return rate.value < number[PRODUCT_MTE2_PORT].value ? rate : number[PRODUCT_MTE2_PORT];
}

/* The cap of a leg that loads its link with more, or less, than the bytes that pass the port. */
static uint64_t cap_scaled(uint64_t port, uint64_t load, uint64_t bytes)
{
    return bytes > 0 ? greater(port / bytes * load + port % bytes * load / bytes, 1) : 0;
}

/* The bytes of a copy: misses, those that come by a miss of another core at the same time, hits. */
static void cost_copy_legs(const struct cost_model *model, const struct gm_access *access,
                           uint64_t bytes, const struct l2_split *l2, struct job *job)
{
    struct cost_number hit = cost_hit_rate(model, l2);
    const struct cost_number *first =
        model->first_touch.value < hit.value ? &model->first_touch : &hit;
    uint64_t miss = l2->miss_bytes;
    uint64_t load = miss;
    assert(miss + l2->late_bytes <= bytes);
    if (access->length < model->line_bytes)
        load = ceil_div(miss << FRACTION_BITS, model->number[PRODUCT_GM_SHORT_ROW].value);
    /* What a short row leaves unused, and what makes room for the fill, passes the link and not the
     * core's port. */
    load += l2->write_back_bytes;
    assert(miss > 0 || load == 0); /* only a fill makes room */
    job->leg[0] =
        (struct leg){MODEL_LINK_GM, first->basis, load, cap_scaled(first->value, load, miss)};
    job->leg[1] = (struct leg){MODEL_LINK_L2_READ, first->basis, l2->late_bytes, first->value};
    job->leg[2] =
        (struct leg){MODEL_LINK_L2_READ, hit.basis, bytes - miss - l2->late_bytes, hit.value};
}

/*
 * GM to L1: a fixed cost, then requests of at most one line each (a row needs at least one) at a
 * fixed interval, and their bytes over the links, whichever takes longer. So many requests are
 * under way at once: when the last one of a copy is out the next copy begins, and what leads up to
 * its first byte is hidden. Misses come over the GM link, where rows shorter than a line leave part
 * of it unused, hits over the L2 link.
 */
static void cost_copy(const struct cost_model *model, const struct insn *insn,
                      const struct l2_split *l2, struct job *job)
{
    const struct cost_number *number = model->number;
    job_fixed(job, ticks_of(number[PRODUCT_MTE2_COPY].value), &number[PRODUCT_MTE2_COPY]);
    job->latency = ticks_of(model->mte2_latency.value);
    job->latency_class = model->mte2_latency.basis;
    struct gm_access access;
    if (!gm_access(model->program, insn, &access))
        return;
    uint64_t bytes = gm_access_bytes(&access);
    uint64_t window = number[PRODUCT_MTE2_WINDOW].value >> FRACTION_BITS;
    job->lead = job->occupancy;
    cost_service(model, insn, &access, job);
    job->window = ticks_of(ticks_times(window, model->mte2_request.value));
    job->contends = cost_rearranges(insn);
    job->round_trip = job->contends ? job->window : 0;
    cost_copy_legs(model, &access, bytes, l2, job);
}

/* The bytes of a store: as many as push out of L2 what was written before go at the pace of GM, the
 * others at that of L2. */
static void cost_store_legs(const struct gm_access *access, const struct cost_number *port,
                            const struct l2_split *l2, struct job *job)
{
    uint64_t bytes = gm_access_bytes(access), load = l2->write_back_bytes;
    uint64_t through = load < bytes ? load : bytes;
    job->leg[0] =
        (struct leg){MODEL_LINK_GM, port->basis, load, cap_scaled(port->value, load, through)};
    job->leg[1] = (struct leg){MODEL_LINK_L2_WRITE, port->basis, bytes - through, port->value};
}

/* Out of the unified buffer or L1: a fixed cost, then the bytes, to GM over the link of writes. */
static void cost_mte3(const struct cost_model *model, const struct insn *insn,
                      const struct l2_split *l2, struct job *job)
{
    const struct cost_number *number = model->number;
    const struct cost_number *port = &number[PRODUCT_MTE3_PORT];
    struct gm_access access;
    job->latency = ticks_of(number[PRODUCT_MTE3_LATENCY].value);
    job->latency_class = number[PRODUCT_MTE3_LATENCY].basis;
    if (!gm_access(model->program, insn, &access)) {
        job_stream(job, &number[PRODUCT_MTE3_COPY], insn_bytes(model->program, insn), port->value,
                   port->basis);
        return;
    }
    job_fixed(job, ticks_of(number[PRODUCT_MTE3_COPY].value), &number[PRODUCT_MTE3_COPY]);
    cost_store_legs(&access, port, l2, job);
}

static void cost_data_copy(const struct cost_model *model, const struct insn *insn,
                           const struct l2_split *l2, struct job *job)
{
    if (insn->pipe == PIPE_MTE3)
        cost_mte3(model, insn, l2, job);
    else
        cost_copy(model, insn, l2, job);
}

/* From L1 to L0A or L0B: a cost of the instruction, then its bytes, which take longer while a copy
 * that changes the layout writes L1. */
static void cost_mte1(const struct cost_model *model, const struct insn *insn,
                      const struct cost_number *rate, struct job *job)
{
    const struct cost_number *number = model->number;
    uint64_t bytes = insn_bytes(model->program, insn);
    uint64_t share = number[PRODUCT_MTE1_CONTENTION].value;
    job_stream(job, &number[PRODUCT_MTE1_ISSUE], bytes, rate->value, rate->basis);
    job->rival = PIPE_MTE2;
    job->contended = (bytes_over(bytes, rate->value) >> FRACTION_BITS) * share >> FRACTION_BITS;
    job->contended_class = number[PRODUCT_MTE1_CONTENTION].basis;
}

static void cost_load2d(const struct cost_model *model, const struct insn *insn,
                        const struct l2_split *l2, struct job *job)
{
    if (insn_copies(insn)) {
        cost_copy(model, insn, l2, job);
        return;
    }
    bool to_l0a = model->program->regions[insn->operand[LOAD2D_dst].region].space == SPACE_L0A;
    const struct cost_number *rate =
        &model->number[to_l0a ? PRODUCT_MTE1_L0A_RATE : PRODUCT_MTE1_L0B_RATE];
    cost_mte1(model, insn, rate, job);
    job->latency = ticks_of(model->number[PRODUCT_MTE1_LATENCY].value);
    job->latency_class = model->number[PRODUCT_MTE1_LATENCY].basis;
}

/* Every form of Load3D and the Img2Col copy. */
static void cost_load3d(const struct cost_model *model, const struct insn *insn,
                        const struct l2_split *l2, struct job *job)
{
    (void)l2;
    const struct cost_number *number = model->number;
    struct load3d_span span;
    load3d_span(insn, &span);
    struct load3d_rate rate = load3d_rate(model->product, span.stride_w, span.rows);
    cost_mte1(model, insn, &(struct cost_number){rate.value, number[rate.key].basis}, job);
    job->latency = ticks_of(number[PRODUCT_MTE1_LOAD3D_LATENCY].value);
    job->latency_class = number[PRODUCT_MTE1_LOAD3D_LATENCY].basis;
}

static void cost_load_bt(const struct cost_model *model, const struct insn *insn,
                         const struct l2_split *l2, struct job *job)
{
    (void)l2;
    const struct cost_number *rate = &model->number[PRODUCT_MTE1_BT_RATE];
    const struct cost_number nothing = {.basis = rate->basis};
    job_stream(job, &nothing, insn_bytes(model->program, insn), rate->value, rate->basis);
    job->latency = ticks_of(model->number[PRODUCT_MTE1_BT_LATENCY].value);
    job->latency_class = model->number[PRODUCT_MTE1_BT_LATENCY].basis;
}

static void cost_load_fb(const struct cost_model *model, const struct insn *insn,
                         const struct l2_split *l2, struct job *job)
{
    (void)l2;
    const struct cost_number *rate = &model->number[PRODUCT_FIXP_FB_RATE];
    job_stream(job, &model->number[PRODUCT_FIXP_FB_COPY], insn_bytes(model->program, insn),
               rate->value, rate->basis);
    job->latency = ticks_of(model->number[PRODUCT_FIXP_FB_LATENCY].value);
    job->latency_class = model->number[PRODUCT_FIXP_FB_LATENCY].basis;
}

uint64_t cost_mmad_fractals(const struct insn *insn)
{
    uint64_t k_step = element_c0(insn_element(insn));
    uint64_t k = (uint64_t)insn->field[MMAD_k];
    if (insn->field[MMAD_kDirectionAlign])
        k = align_up(k, FRACTAL_ROWS);
    return ceil_div((uint64_t)insn->field[MMAD_m], FRACTAL_ROWS) *
           ceil_div((uint64_t)insn->field[MMAD_n], FRACTAL_ROWS) * ceil_div(k, k_step);
}

static enum product_key step_key(enum element element, bool hf32)
{
    switch (element_bits(element)) {
    case 4:
        return PRODUCT_CUBE_FRACTAL_B4;
    case 8:
        return PRODUCT_CUBE_FRACTAL_B8;
    case 16:
        return PRODUCT_CUBE_FRACTAL_B16;
    default:
        return hf32 ? PRODUCT_CUBE_FRACTAL_HF32 : PRODUCT_CUBE_FRACTAL_B32;
    }
}

enum product_key cost_mmad_key(const struct insn *insn)
{
    return step_key(insn_element(insn), insn->field[MMAD_hf32] != 0);
}

double cost_cube_rate(const struct product *product, enum element element)
{
    const struct product_number *step = &product->number[step_key(element, false)];
    double macs = (double)FRACTAL_ROWS * FRACTAL_ROWS * element_c0(element);
    return step->present && step->value > 0 ? macs * QUANTITY_ONE / (double)step->value : 0.0;
}

static void cost_mmad(const struct cost_model *model, const struct insn *insn,
                      const struct l2_split *l2, struct job *job)
{
    (void)l2;
    const struct cost_number *step = &model->number[cost_mmad_key(insn)];
    const struct cost_number *issue = &model->number[PRODUCT_CUBE_ISSUE];
    uint64_t work = cost_mmad_fractals(insn) * step->value;
    tick whole = greater(ticks_of(work + issue->value), 1);
    tick fixed = ticks_of(issue->value) < whole ? ticks_of(issue->value) : whole;
    job_fixed(job, fixed, issue);
    job_fixed(job, whole - fixed, step);
    job->latency = ticks_of(model->number[PRODUCT_CUBE_LATENCY].value);
    job->latency_class = model->number[PRODUCT_CUBE_LATENCY].basis;
}

double cost_mmad_cycles(const struct cost_model *model, const struct insn *insn)
{
    double step = (double)model->number[cost_mmad_key(insn)].value / (double)QUANTITY_ONE;
    return (double)cost_mmad_fractals(insn) * step;
}

/* L0C to L1 or the unified buffer: a fixed cost, then output bytes or elements, what takes longer.
 * Rows that do not follow each other in L0C leave a share of the rate. */
static void cost_fixpipe_local(const struct cost_model *model, const struct insn *insn,
                               const struct fixpipe_shape *shape, struct job *job)
{
    const struct cost_number *number = model->number;
    struct cost_number rate = number[PRODUCT_FIXP_LOCAL_RATE];
    uint64_t by_lanes = number[PRODUCT_FIXP_LOCAL_LANES].value * shape->size;
    if (by_lanes < rate.value)
        rate = (struct cost_number){by_lanes, number[PRODUCT_FIXP_LOCAL_LANES].basis};
    if (shape->source_row != FIXPIPE_GROUP) {
        const struct cost_number *share = &number[PRODUCT_FIXP_LOCAL_STRIDED];
        rate = (struct cost_number){greater(rate.value * share->value >> FRACTION_BITS, 1),
                                    share->basis};
    }
    job_stream(job, &number[PRODUCT_FIXP_LOCAL_COPY], insn_bytes(model->program, insn), rate.value,
               rate.basis);
}

/* Between L0C and the unified buffer on the vector pipe: a fixed cost, then the bytes of L0C. */
static void cost_vector(const struct cost_model *model, uint64_t bytes, struct job *job)
{
    const struct cost_number *number = model->number;
    job_stream(job, &number[PRODUCT_VECTOR_COPY], bytes, number[PRODUCT_VECTOR_RATE].value,
               number[PRODUCT_VECTOR_RATE].basis);
    job->latency = ticks_of(number[PRODUCT_VECTOR_LATENCY].value);
    job->latency_class = number[PRODUCT_VECTOR_LATENCY].basis;
}

static void cost_data_copy_l0c2ub(const struct cost_model *model, const struct insn *insn,
                                  const struct l2_split *l2, struct job *job)
{
    (void)l2;
    cost_vector(model, l0c2ub_source_bytes(insn), job);
}

static void cost_broadcast_vec_to_mm(const struct cost_model *model, const struct insn *insn,
                                     const struct l2_split *l2, struct job *job)
{
    (void)l2;
    cost_vector(model, insn_bytes(model->program, insn), job);
}

/* L0C to GM: a fixed cost, a cost for each destination row, and the output bytes over the link. The
 * first two are hidden behind the bytes of a store right before. */
static void cost_fixpipe(const struct cost_model *model, const struct insn *insn,
                         const struct l2_split *l2, struct job *job)
{
    const struct cost_number *number = model->number;
    struct fixpipe_shape shape;
    struct gm_access access;
    job->latency = ticks_of(number[PRODUCT_FIXP_LATENCY].value);
    job->latency_class = number[PRODUCT_FIXP_LATENCY].basis;
    fixpipe_shape(insn, model->program->arch, &shape);
    if (model->program->regions[insn->operand[FIXPIPE_dst].region].space != SPACE_GM) {
        cost_fixpipe_local(model, insn, &shape, job);
        return;
    }
    uint64_t rows = shape.matrices;
    switch ((enum insn_layout)insn->field[FIXPIPE_layout]) {
    case LAYOUT_NZ:
        rows = ceil_div(shape.columns, shape.group_columns);
        break;
    case LAYOUT_NZ2ND:
        rows *= shape.rows;
        break;
    case LAYOUT_NZ2DN:
        rows *= shape.columns;
        break;
    }
    job_fixed(job, ticks_of(number[PRODUCT_FIXP_COPY].value), &number[PRODUCT_FIXP_COPY]);
    job_fixed(job, ticks_of(ticks_times(rows, number[PRODUCT_FIXP_ROW].value)),
              &number[PRODUCT_FIXP_ROW]);
    job->lead = job->window = job->occupancy;
    if (!gm_access(model->program, insn, &access))
        return;
    const struct cost_number *port = &number[PRODUCT_FIXP_PORT];
    if (cost_unaligned(&access) && number[PRODUCT_FIXP_UNALIGNED].value > 0) /* 0: not known */
        port = &number[PRODUCT_FIXP_UNALIGNED];
    cost_store_legs(&access, port, l2, job);
}

/* Registers, flags and barriers: the cost is the dispatch. */
static void cost_none(const struct cost_model *model, const struct insn *insn,
                      const struct l2_split *l2, struct job *job)
{
    (void)model;
    (void)insn;
    (void)l2;
    (void)job;
}

/* The functions that the instruction table names. */
static void (*const costs[OP_COUNT])(const struct cost_model *model, const struct insn *insn,
                                     const struct l2_split *l2, struct job *job) = {
#define INSN(op, mnemonic, pipe, arches, capture, effect, cost, ...) [OP_##op] = cost_##cost,
#include "isa/opcode.def"
};

/* The space that a load of MTE1 fills; SPACE_COUNT for other instructions. */
static enum space cost_loads(const struct cost_model *model, const struct insn *insn)
{
    bool loads = insn->pipe == PIPE_MTE1 && insn_info(insn->opcode)->operand_count > 0;
    return loads ? model->program->regions[insn->operand[0].region].space : SPACE_COUNT;
}

void cost_job(const struct cost_model *model, struct cost_history *history, const struct insn *insn,
              const struct l2_split *l2, struct job *job)
{
    const struct cost_number *number = &model->number[PRODUCT_MTE1_SWITCH];
    enum space target = cost_loads(model, insn);
    costs[insn->opcode](model, insn, l2, job);
    if (target == SPACE_L0B && history->loaded_a)
        job_fixed(job, ticks_of(number->value), number);
    if (target != SPACE_COUNT)
        history->loaded_a = target == SPACE_L0A;
}

bool cost_is_load3d(const struct insn *insn)
{
    return costs[insn->opcode] == cost_load3d;
}
