/*
 * One output tile: bias, the K loop of Load3D, Load2D and Mmad, and the store.
 */
#include <assert.h>

#include "model/layout.h"
#include "model/lower_stream.h"

enum { LOAD2D_REPEAT_MAX = 255 };

static bool same_bias(const struct item *left, const struct item *right)
{
    return left->group == right->group && left->n_tile == right->n_tile &&
           left->n0_from == right->n0_from;
}

/* The bias table serves the next item too. */
static bool bias_kept(const struct stream *stream)
{
    return stream->has_next && stream->lower->plan->schedule.residency != RESIDENCY_RELOAD &&
           same_bias(&stream->walk.item, &stream->next.item);
}

static void tile_bias(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    stream_wait(stream, PIPE_MTE1, PIPE_MTE2, ID_BIAS);
    load_bias(stream, item);
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

/* The registers that Load3D reads: image size and padding, and the repeat. */
static void tile_registers(struct stream *stream)
{
    const struct item *item = &stream->walk.item;
    const struct window *rows = &item->in_rows, *columns = &item->in_cols;
    bool same =
        stream->fmatrix_set && rows->count == stream->fmatrix_rows.count &&
        rows->head == stream->fmatrix_rows.head && rows->tail == stream->fmatrix_rows.tail &&
        columns->count == stream->fmatrix_cols.count &&
        columns->head == stream->fmatrix_cols.head && columns->tail == stream->fmatrix_cols.tail;
    if (!same) {
        struct insn *insn = stream_emit(stream, OP_SET_FMATRIX);
        if (insn == NULL)
            return;
        insn->field[SET_FMATRIX_l1H] = (int64_t)rows->count;
        insn->field[SET_FMATRIX_l1W] = (int64_t)columns->count;
        insn->field[SET_FMATRIX_padLeft] = (int64_t)columns->head;
        insn->field[SET_FMATRIX_padRight] = (int64_t)columns->tail;
        insn->field[SET_FMATRIX_padTop] = (int64_t)rows->head;
        insn->field[SET_FMATRIX_padBottom] = (int64_t)rows->tail;
        stream->fmatrix_rows = *rows;
        stream->fmatrix_cols = *columns;
        stream->fmatrix_set = true;
    }
    int64_t time = item->spread ? (int64_t)item->m_rows : 1;
    int64_t stride = item->spread ? (int64_t)(item->col_count / FRACTAL_ROWS) : 0;
    if (time == stream->repeat_time && stride == stream->repeat_stride)
        return;
    struct insn *insn = stream_emit(stream, OP_SET_LOAD_DATA_REPEAT);
    if (insn == NULL)
        return;
    insn->field[SET_LOAD_DATA_REPEAT_repeatStride] = stride;
    insn->field[SET_LOAD_DATA_REPEAT_repeatTime] = time;
    stream->repeat_time = time;
    stream->repeat_stride = stride;
}

void tile_begin(struct stream *stream)
{
    stream->k = 0;
    tile_registers(stream);
    stream->bias_fresh = false;
    if (stream->lower->bias_region == REGION_NONE)
        return;
    const struct item *item = &stream->walk.item;
    bool keeps = stream->lower->plan->schedule.residency != RESIDENCY_RELOAD;
    bool fresh = !keeps || stream->item_count == 0 || !same_bias(item, &stream->bias_item);
    if (fresh)
        tile_bias(stream);
    stream->bias_fresh = fresh;
    stream->bias_item = *item;
}

static void step_load3d(struct stream *stream, uint64_t k_in_chunk, uint64_t k_chunk,
                        uint64_t k_count, uint32_t source, uint32_t target)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    struct insn *insn = stream_emit(stream, OP_LOAD3DV2);
    if (insn == NULL)
        return;
    uint64_t m = item->spread ? item->m_cols : item->m;
    insn->operand[LOAD3DV2_dst] = (struct operand){.region = target};
    insn->operand[LOAD3DV2_src] = (struct operand){.region = source};
    insn->field[LOAD3DV2_channelSize] = (int64_t)(k_chunk / lower->points);
    insn->field[LOAD3DV2_mExtension] = (int64_t)align_up(m, FRACTAL_ROWS);
    insn->field[LOAD3DV2_kExtension] = (int64_t)k_count;
    insn->field[LOAD3DV2_mStartPt] = (int64_t)item->m_from;
    insn->field[LOAD3DV2_kStartPt] = (int64_t)k_in_chunk;
}

/* Fractals of the L1 chunk that make the L0 tile of B; rows of K are n_l1 blocks apart in L1. */
static void step_load2d(struct stream *stream, uint64_t k_in_chunk, uint64_t k_count,
                        uint32_t source, uint32_t target)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    uint64_t pitch = ceil_div(item->n_count, FRACTAL_ROWS);
    uint64_t width = ceil_div(item->n0_count, FRACTAL_ROWS);
    uint64_t rows = k_count / lower->c0;
    uint64_t first = k_in_chunk / lower->c0 * pitch + item->n0_from / FRACTAL_ROWS;
    bool whole = width == pitch;
    uint64_t runs = whole ? 1 : least(rows, width);
    bool by_row = whole || rows <= width;
    uint64_t length = whole ? rows * width : by_row ? width : rows;
    for (uint64_t run = 0; run < runs; run++) {
        uint64_t from = first + run * (by_row ? pitch : 1);
        uint64_t to = run * (by_row ? width : 1);
        uint64_t from_step = by_row ? 1 : pitch, to_step = by_row ? 1 : width;
        for (uint64_t done = 0; done < length; done += LOAD2D_REPEAT_MAX) {
            struct insn *insn = stream_emit(stream, OP_LOAD2D);
            if (insn == NULL)
                return;
            insn->operand[LOAD2D_dst] =
                (struct operand){.region = target, .offset = (to + done * to_step) * FRACTAL_BYTES};
            insn->operand[LOAD2D_src] = (struct operand){
                .region = source, .offset = (from + done * from_step) * FRACTAL_BYTES};
            insn->field[LOAD2D_repeatTimes] = (int64_t)least(length - done, LOAD2D_REPEAT_MAX);
            insn->field[LOAD2D_srcStride] = (int64_t)from_step;
            insn->field[LOAD2D_dstGap] = (int64_t)to_step - 1;
        }
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
    bool biased = first && lower->bias_region != REGION_NONE;
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
    if (biased)
        insn->operand[MMAD_bias] = (struct operand){.region = lower->region_bt};
    /* One row would be read as a vector: 950 can say that it is none, elsewhere the row of padding
     * behind it is multiplied too, as vendor kernels do. */
    bool row_pair = item->m == 1 && lower->arch != ARCH_3510;
    insn->field[MMAD_m] = row_pair ? 2 : (int64_t)item->m;
    insn->field[MMAD_disableGemv] = item->m == 1 && lower->arch == ARCH_3510;
    insn->field[MMAD_n] = (int64_t)item->n0_count;
    insn->field[MMAD_k] = (int64_t)k_count;
    insn->field[MMAD_cmatrixInitVal] = first && !biased;
    insn->field[MMAD_cmatrixSource] = biased;
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
    stream_wait(stream, PIPE_CUBE, PIPE_MTE1, (side == SIDE_A ? ID_L0 : ID_L0B) + slot);
}

static void step_free_slots(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    bool shared = lower->slots_l0[SIDE_A] == lower->slots_l0[SIDE_B];
    stream_set(stream, PIPE_CUBE, PIPE_MTE1, ID_L0 + stream->step_count % lower->slots_l0[SIDE_A]);
    if (!shared)
        stream_set(stream, PIPE_CUBE, PIPE_MTE1,
                   ID_L0B + stream->step_count % lower->slots_l0[SIDE_B]);
}

/* Where a step lies in the chunks of one operand. */
struct chunk_place {
    uint64_t chunk, from, length; /* number in the item, K inside it, K of the whole chunk */
    bool first, last;             /* first and last step of the item in it */
};

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
    uint32_t source[2];
    for (enum side side = SIDE_A; side <= SIDE_B; side++) {
        place[side] = step_place(stream, side, k_count);
        source[side] = lower->region_l0[side][stream->step_count % lower->slots_l0[side]];
        if (place[side].first)
            feeder_need(stream, side, place[side].chunk);
    }
    for (enum side side = SIDE_A; side <= SIDE_B; side++) {
        uint64_t number = stream->feeder[side].base + place[side].chunk;
        uint32_t l1 = lower->region_l1[side][number % lower->slots_l1[side]];
        step_take_slots(stream, side);
        feeder_arrive(stream, side, place[side].chunk);
        if (side == SIDE_A)
            step_load3d(stream, place[side].from, place[side].length, k_count, l1, source[side]);
        else if (lower->arch == ARCH_3510)
            step_load2dv2(stream, place[side].from, k_count, l1, source[side]);
        else
            step_load2d(stream, place[side].from, k_count, l1, source[side]);
        if (place[side].last)
            feeder_release(stream, side, place[side].chunk);
    }
    stream_set(stream, PIPE_MTE1, PIPE_CUBE, ID_L0 + slot);
    stream_wait(stream, PIPE_MTE1, PIPE_CUBE, ID_L0 + slot);
    if (first && stream->bias_fresh)
        stream_wait(stream, PIPE_MTE1, PIPE_CUBE, ID_BT);
    if (first && !lower->plan->schedule.unit_flag)
        stream_wait(stream, PIPE_FIXP, PIPE_CUBE, ID_L0C + slot_c);
    step_mmad(stream, k_count, first, last, source, slot_c);
    step_free_slots(stream);
    if (first && lower->bias_region != REGION_NONE && !bias_kept(stream))
        stream_set(stream, PIPE_CUBE, PIPE_MTE1, ID_BT);
    stream->k += k_count;
    stream->step_count++;
}

/* A store of rows x columns positions from position m of the L0C tile on. final: with unit flags,
 * nothing more is stored from the fractals that it touches. */
static void store_part(struct stream *stream, uint64_t m, uint64_t rows, uint64_t columns,
                       bool final)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    const struct item *item = &stream->walk.item;
    uint64_t slot = stream->item_count % lower->slots_l0c;
    uint64_t height = (uint64_t)conv->out[AXIS_H], width = (uint64_t)conv->out[AXIS_W];
    uint64_t linear = item->out_row * width + item->out_col;
    /* The first position of this part: rows of a tile that is not spread follow each other. */
    uint64_t position = lower->plan->tile.linear_m || item->m_cols == width
                            ? linear + m
                            : linear + m / item->m_cols * width + m % item->m_cols;
    struct position at = {item->depth, position / width, position % width};
    uint64_t channel = item->group * conv_cout_group(conv) + item->n_from + item->n0_from;
    uint64_t size = element_bytes(conv->out_dtype);
    struct insn *insn = stream_emit(stream, OP_FIXPIPE);
    if (insn == NULL)
        return;
    insn->operand[FIXPIPE_dst] =
        (struct operand){.region = REGION_OUTPUT,
                         .offset = layout_output_offset(conv, item->batch, channel, at) * size};
    insn->operand[FIXPIPE_src] = (struct operand){.region = lower->region_l0c[slot],
                                                  .offset = m * FRACTAL_ROWS * sizeof(float)};
    bool one = rows == 1;
    insn->field[FIXPIPE_mSize] = (int64_t)columns;
    insn->field[FIXPIPE_nSize] = (int64_t)item->n0_count;
    insn->field[FIXPIPE_srcStride] = (int64_t)align_up(item->m, FRACTAL_ROWS);
    insn->field[FIXPIPE_reluEn] = conv->relu;
    if (lower->plan->schedule.unit_flag)
        insn->field[FIXPIPE_unitFlag] = final ? 3 : 2;
    uint64_t plane = height * width;
    if (conv->input_format == FORMAT_NC1HWC0) {
        insn->field[FIXPIPE_layout] = LAYOUT_NZ;
        uint64_t group = plane * layout_output_c0(conv); /* elements */
        bool elements = lower->plan->product->arch == ARCH_3510;
        insn->field[FIXPIPE_dstStride] = (int64_t)(elements ? group : group * size / BLOCK_BYTES);
        insn->field[FIXPIPE_channelSplit] = layout_output_c0(conv) < FRACTAL_ROWS;
    } else if (conv->input_format == FORMAT_NCHW) {
        insn->field[FIXPIPE_layout] = LAYOUT_NZ2DN;
        insn->field[FIXPIPE_dstStride] = (int64_t)((uint64_t)conv->out[AXIS_D] * plane);
        insn->field[FIXPIPE_dnNum] = (int64_t)rows;
        insn->field[FIXPIPE_srcNzMatrixStride] = one ? 0 : (int64_t)columns;
        insn->field[FIXPIPE_dstDnMatrixStride] = one ? 0 : (int64_t)width;
    } else {
        insn->field[FIXPIPE_layout] = LAYOUT_NZ2ND;
        insn->field[FIXPIPE_dstStride] = (int64_t)conv->cout;
    }
}

/* A store of a run of positions. Unit flags are handed back by fractals of 16 positions: where the
 * run ends inside one that the next run needs too, it is cut, and the piece hands nothing back. */
static void store_run(struct stream *stream, uint64_t m, uint64_t columns)
{
    uint64_t end = m + columns;
    uint64_t whole = end == stream->walk.item.m ? end : end / FRACTAL_ROWS * FRACTAL_ROWS;
    if (!stream->lower->plan->schedule.unit_flag || whole == end) {
        store_part(stream, m, 1, columns, true);
        return;
    }
    uint64_t cut = whole > m ? whole : m;
    if (cut > m)
        store_part(stream, m, 1, cut - m, true);
    store_part(stream, cut, 1, end - cut, false);
}

/*
 * row: one store for each output row of the tile, as pypto issues them. tile: one store where the
 * positions of the tile follow each other in GM, or where the layout can step from row to row.
 */
void tile_store(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    const struct item *item = &stream->walk.item;
    uint64_t slot = stream->item_count % lower->slots_l0c;
    bool flagged = !lower->plan->schedule.unit_flag;
    uint64_t width = (uint64_t)conv->out[AXIS_W];
    bool by_tile = lower->plan->schedule.fixpipe == FIXPIPE_TILE;
    bool in_a_row = lower->plan->tile.linear_m || item->m_rows == 1 || item->m_cols == width;
    if (flagged) {
        stream_set(stream, PIPE_CUBE, PIPE_FIXP, ID_L0C + slot);
        stream_wait(stream, PIPE_CUBE, PIPE_FIXP, ID_L0C + slot);
    }
    if (by_tile && in_a_row) {
        store_run(stream, 0, item->m);
    } else if (by_tile && conv->input_format == FORMAT_NCHW) {
        store_part(stream, 0, item->m_rows, item->m_cols, true);
    } else if (lower->plan->tile.linear_m) {
        for (uint64_t m = 0; m < item->m;) {
            uint64_t columns = least(width - (item->out_col + m) % width, item->m - m);
            store_run(stream, m, columns);
            m += columns;
        }
    } else {
        for (uint64_t row = 0; row < item->m_rows; row++)
            store_run(stream, row * item->m_cols, item->m_cols);
    }
    if (flagged)
        stream_set(stream, PIPE_FIXP, PIPE_CUBE, ID_L0C + slot);
}
