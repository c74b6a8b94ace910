/*
 * One output tile up to its sums in L0C: bias and the K loop of Load3D, Load2D and Mmad.
 */
#include <assert.h>

#include "model/layout.h"
#include "model/lower_stream.h"

enum { LOAD2D_REPEAT_MAX = 255 };

/* The bias table serves the next item too. */
static bool bias_kept(const struct stream *stream)
{
    return stream->has_next && stream->lower->plan->schedule.residency != RESIDENCY_RELOAD &&
           item_same_n(&stream->walk.item, &stream->next.item);
}

static void tile_bias(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    stream_wait(stream, PIPE_MTE1, PIPE_MTE2, ID_BIAS);
    load_bias(stream, item, lower->region_l1_bias);
    stream_set(stream, PIPE_MTE2, PIPE_MTE1, ID_BIAS);
    stream_wait(stream, PIPE_MTE2, PIPE_MTE1, ID_BIAS);
    stream_wait(stream, PIPE_CUBE, PIPE_MTE1, ID_BT);
    struct insn *insn = stream_emit(stream, OP_LOAD_BT);
    if (insn == NULL)
        return;
    insn->operand[LOAD_BT_dst] = (struct operand){.region = lower->region_bt};
    insn->operand[LOAD_BT_src] = (struct operand){.region = lower->region_l1_bias};
    /* In 64 bytes, on 950 in 32. */
    insn->field[LOAD_BT_blockLen] =
        (int64_t)ceil_div(item->n0_count, FRACTAL_ROWS) * (lower->arch == ARCH_3510 ? 2 : 1);
    stream_set(stream, PIPE_MTE1, PIPE_MTE2, ID_BIAS);
    stream_set(stream, PIPE_MTE1, PIPE_CUBE, ID_BT);
}

void tile_begin(struct stream *stream)
{
    stream->k = 0;
    load3d_registers(stream);
    stream->bias_fresh = false;
    if (stream->lower->out_pipe == PIPE_VECTOR)
        exit_begin(stream);
    else
        tile_quant(stream);
    if (stream->lower->region_bt == REGION_NONE)
        return;
    const struct item *item = &stream->walk.item;
    bool keeps = stream->lower->plan->schedule.residency != RESIDENCY_RELOAD;
    bool fresh = !keeps || stream->item_count == 0 || !item_same_n(item, &stream->bias_item);
    if (fresh)
        tile_bias(stream);
    stream->bias_fresh = fresh;
    stream->bias_item = *item;
}

/* Where a step lies in the chunks of one operand. */
struct chunk_place {
    uint64_t chunk, from, length; /* number in the item, K inside it, K of the whole chunk */
    bool first, last;             /* first and last step of the item in it */
};

/* Fractals that follow each other at even steps, in the chunk of L1 and in the tile of L0B. */
struct fractal_run {
    uint64_t from, to, length;
    uint64_t from_step, to_step;
};

static void load2d_run(struct stream *stream, const struct fractal_run *run, uint32_t source,
                       uint32_t target)
{
    for (uint64_t done = 0; done < run->length; done += LOAD2D_REPEAT_MAX) {
        struct insn *insn = stream_emit(stream, OP_LOAD2D);
        if (insn == NULL)
            return;
        insn->operand[LOAD2D_dst] = (struct operand){
            .region = target, .offset = (run->to + done * run->to_step) * FRACTAL_BYTES};
        insn->operand[LOAD2D_src] = (struct operand){
            .region = source, .offset = (run->from + done * run->from_step) * FRACTAL_BYTES};
        insn->field[LOAD2D_repeatTimes] = (int64_t)least(run->length - done, LOAD2D_REPEAT_MAX);
        insn->field[LOAD2D_srcStride] = (int64_t)run->from_step;
        insn->field[LOAD2D_dstGap] = (int64_t)run->to_step - 1;
        insn->field[LOAD2D_ifTranspose] = lower_turns(stream->lower);
    }
}

/* Fractals of the L1 chunk that make the L0 tile of B. In L1 blocks of N follow each other and rows
 * of K are n_l1 blocks apart; where they are turned over on the way, it is the other way round. The
 * vendor's kernels load row by row, else the fewest instructions are taken. */
static void step_load2d(struct stream *stream, const struct chunk_place *place, uint64_t k_count,
                        uint32_t source, uint32_t target)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    bool turns = lower_turns(lower), by_vendor = lower->plan->schedule.policy == POLICY_VENDOR;
    uint64_t pitch = ceil_div(item->n_count, FRACTAL_ROWS);
    uint64_t width = ceil_div(item->n0_count, FRACTAL_ROWS);
    uint64_t rows = k_count / lower->c0;
    uint64_t row_step = turns ? 1 : pitch, column_step = turns ? place->length / lower->c0 : 1;
    uint64_t first =
        place->from / lower->c0 * row_step + item->n0_from / FRACTAL_ROWS * column_step;
    bool whole = !turns && !by_vendor && width == pitch;
    bool by_row = whole || by_vendor || rows <= width;
    struct fractal_run run = {.length = by_row ? width : rows,
                              .from_step = by_row ? column_step : row_step,
                              .to_step = by_row ? 1 : width};
    uint64_t runs = by_row ? rows : width;
    if (whole) {
        run.length = rows * width;
        runs = 1;
    }
    for (uint64_t i = 0; i < runs; i++) {
        run.from = first + i * (by_row ? row_step : column_step);
        run.to = i * (by_row ? width : 1);
        load2d_run(stream, &run, source, target);
    }
}

/* The same on 950: blocks of N are the rows and rows of K the columns of one Load2Dv2. */
static void step_load2dv2(struct stream *stream, uint64_t k_in_chunk, uint64_t k_count,
                          uint32_t source, uint32_t target)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    uint64_t pitch = ceil_div(item->n_count, FRACTAL_ROWS);
    uint64_t width = ceil_div(item->n0_count, FRACTAL_ROWS);
    uint64_t rows = k_count / lower->c0;
    assert(width <= LOAD2D_REPEAT_MAX);
    for (uint64_t done = 0; done < rows; done += LOAD2D_REPEAT_MAX) {
        struct insn *insn = stream_emit(stream, OP_LOAD2DV2);
        if (insn == NULL)
            return;
        insn->operand[LOAD2DV2_dst] =
            (struct operand){.region = target, .offset = done * width * FRACTAL_BYTES};
        insn->operand[LOAD2DV2_src] = (struct operand){.region = source};
        insn->field[LOAD2DV2_mStartPosition] = (int64_t)(item->n0_from / FRACTAL_ROWS);
        insn->field[LOAD2DV2_kStartPosition] = (int64_t)(k_in_chunk / lower->c0 + done);
        insn->field[LOAD2DV2_mStep] = (int64_t)width;
        insn->field[LOAD2DV2_kStep] = (int64_t)least(rows - done, LOAD2D_REPEAT_MAX);
        insn->field[LOAD2DV2_srcStride] = (int64_t)pitch;
        insn->field[LOAD2DV2_dstStride] = (int64_t)width;
    }
}

static void step_mmad(struct stream *stream, uint64_t k_count, bool first, bool last,
                      const uint32_t source[2], uint64_t slot_c)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    bool from_bias = first && lower->region_bt != REGION_NONE;
    /* A broadcast bias lies in C already. */
    bool from_zero = first && lower->bias_region == REGION_NONE;
    uint64_t fractals = ceil_div(item->m, FRACTAL_ROWS) * ceil_div(item->n0_count, FRACTAL_ROWS);
    if (!first && fractals < lower->barrier_below) {
        struct insn *barrier = stream_emit(stream, OP_PIPE_BARRIER);
        if (barrier == NULL)
            return;
        barrier->pipe = PIPE_CUBE;
        barrier->field[PIPE_BARRIER_pipe] = PIPE_CUBE;
    }
    struct insn *insn = stream_emit(stream, OP_MMAD);
    if (insn == NULL)
        return;
    insn->operand[MMAD_dst] = (struct operand){.region = lower->region_l0c[slot_c]};
    insn->operand[MMAD_a] = (struct operand){.region = source[SIDE_A]};
    insn->operand[MMAD_b] = (struct operand){.region = source[SIDE_B]};
    if (from_bias)
        insn->operand[MMAD_bias] = (struct operand){.region = lower->region_bt};
    /* One row would be read as a vector: 950 can say that it is none, elsewhere the row of padding
     * behind it is multiplied too, as vendor kernels do. */
    bool row_pair = item->m == 1 && lower->arch != ARCH_3510;
    insn->field[MMAD_m] = row_pair ? 2 : (int64_t)item->m;
    insn->field[MMAD_disableGemv] = item->m == 1 && lower->arch == ARCH_3510;
    insn->field[MMAD_n] = (int64_t)item->n0_count;
    /* Kernels for matrix products tell the true K: rows of B behind it may hold anything. */
    uint64_t k_left = lower->plan->matmul ? lower->plan->conv.cin - stream->k : k_count;
    insn->field[MMAD_k] = (int64_t)least(k_count, k_left);
    insn->field[MMAD_cmatrixInitVal] = from_zero;
    insn->field[MMAD_cmatrixSource] = from_bias;
    if (lower->plan->schedule.unit_flag)
        insn->field[MMAD_unitFlag] = last ? 3 : 2;
}

/* MTE1 takes the L0 slot of this step: it waits until CUBE has read what was in it. */
static void step_take_slots(struct stream *stream, enum side side)
{
    const struct lower *lower = stream->lower;
    bool shared = lower->slots_l0[SIDE_A] == lower->slots_l0[SIDE_B];
    if (shared && side == SIDE_B)
        return;
    uint64_t slot = stream->step_count % lower->slots_l0[side];
    stream_wait(stream, PIPE_CUBE, PIPE_MTE1, (side == SIDE_A ? ID_L0 : lower->id_l0b) + slot);
}

static void step_free_slots(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    bool shared = lower->slots_l0[SIDE_A] == lower->slots_l0[SIDE_B];
    stream_set(stream, PIPE_CUBE, PIPE_MTE1, ID_L0 + stream->step_count % lower->slots_l0[SIDE_A]);
    if (!shared)
        stream_set(stream, PIPE_CUBE, PIPE_MTE1,
                   lower->id_l0b + stream->step_count % lower->slots_l0[SIDE_B]);
}

static struct chunk_place step_place(const struct stream *stream, enum side side, uint64_t k_count)
{
    const struct lower *lower = stream->lower;
    uint64_t size = lower->k_chunk[side];
    uint64_t in_depth = stream->k % lower->k_depth;
    struct chunk_place place = {
        .chunk = stream->k / lower->k_depth * ceil_div(lower->k_depth, size) + in_depth / size,
        .from = in_depth % size,
        .length = least(size, lower->k_depth - in_depth / size * size),
    };
    place.first = place.from == 0;
    place.last = place.from + k_count == place.length;
    return place;
}

/* Chunks that begin with this step are on their way. */
static void step_fetch(struct stream *stream, const struct chunk_place place[2])
{
    for (enum side side = SIDE_A; side <= SIDE_B; side++) {
        if (!place[side].first)
            continue;
        feeder_need(stream, side, place[side].chunk);
        feeder_ahead(stream, side, PREFETCH_WITH_CHUNK);
    }
}

/* MTE1 waits for the slot in L0 and for the chunk in L1. */
static void step_take(struct stream *stream, enum side side, const struct chunk_place *place)
{
    step_take_slots(stream, side);
    feeder_arrive(stream, side, place->chunk);
}

static void step_load(struct stream *stream, enum side side, const struct chunk_place *place,
                      uint64_t k_count, uint32_t target)
{
    const struct lower *lower = stream->lower;
    uint64_t number = stream->feeder[side].base + place->chunk;
    uint32_t l1 = lower->region_l1[side][number % lower->slots_l1[side]];
    if (side == SIDE_A)
        load3d_block(stream, (struct load3d_place){place->from, place->length, k_count}, l1,
                     target);
    else if (lower->arch == ARCH_3510)
        step_load2dv2(stream, place->from, k_count, l1, target);
    else
        step_load2d(stream, place, k_count, l1, target);
}

static void step_release(struct stream *stream, enum side side, const struct chunk_place *place)
{
    if (place->last)
        feeder_release(stream, side, place->chunk);
}

/* Both operands from L1 to L0: each waited for and handed back by itself, or both together. */
static void step_operands(struct stream *stream, const struct chunk_place place[2],
                          uint64_t k_count, const uint32_t target[2])
{
    bool together = stream->lower->plan->schedule.handover == HANDOVER_STEP;
    for (enum side side = SIDE_A; side <= SIDE_B && together; side++)
        step_take(stream, side, &place[side]);
    for (enum side side = SIDE_A; side <= SIDE_B; side++) {
        if (!together)
            step_take(stream, side, &place[side]);
        step_load(stream, side, &place[side], k_count, target[side]);
        if (!together)
            step_release(stream, side, &place[side]);
    }
    for (enum side side = SIDE_A; side <= SIDE_B && together; side++)
        step_release(stream, side, &place[side]);
}

void tile_step(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    uint64_t in_depth = stream->k % lower->k_depth;
    uint64_t k_count = least(lower->plan->tile.k_l0, lower->k_depth - in_depth);
    bool first = stream->k == 0, last = stream->k + k_count == item_k(lower, item);
    uint64_t most = lower->slots_l0[SIDE_A] > lower->slots_l0[SIDE_B] ? lower->slots_l0[SIDE_A]
                                                                      : lower->slots_l0[SIDE_B];
    uint64_t slot = stream->step_count % most, slot_c = stream->item_count % lower->slots_l0c;
    struct chunk_place place[2];
    uint32_t l0[2];
    for (enum side side = SIDE_A; side <= SIDE_B; side++) {
        place[side] = step_place(stream, side, k_count);
        l0[side] = lower->region_l0[side][stream->step_count % lower->slots_l0[side]];
    }
    step_fetch(stream, place);
    step_operands(stream, place, k_count, l0);
    stream_set(stream, PIPE_MTE1, PIPE_CUBE, ID_L0 + slot);
    stream_wait(stream, PIPE_MTE1, PIPE_CUBE, ID_L0 + slot);
    if (first && stream->bias_fresh)
        stream_wait(stream, PIPE_MTE1, PIPE_CUBE, ID_BT);
    if (first && !lower->plan->schedule.unit_flag)
        stream_wait(stream, lower->out_pipe, PIPE_CUBE, ID_L0C + slot_c);
    step_mmad(stream, k_count, first, last, l0, slot_c);
    step_free_slots(stream);
    if (first && lower->region_bt != REGION_NONE && !bias_kept(stream))
        stream_set(stream, PIPE_CUBE, PIPE_MTE1, ID_BT);
    feeder_ahead(stream, SIDE_B, PREFETCH_BEHIND_MMAD);
    feeder_ahead(stream, SIDE_A, PREFETCH_BEHIND_MMAD);
    stream->k += k_count;
    stream->step_count++;
}
