/*
 * The way out of L0C by Fixpipe: quantisation words, and the stores of an output tile.
 */
#include "model/layout.h"
#include "model/lower_stream.h"

/* The words of the tile's channels, from GM by L1 to the fixpipe buffer; in order with the stores.
 */
void tile_quant(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    bool keeps = lower->plan->schedule.residency != RESIDENCY_RELOAD && stream->item_count > 0;
    if (lower->region_fb == REGION_NONE || (keeps && item_same_n(item, &stream->quant_item)))
        return;
    stream->quant_item = *item;
    stream_wait(stream, PIPE_FIXP, PIPE_MTE2, ID_QUANT);
    load_quant(stream, item, lower->region_l1_quant);
    stream_set(stream, PIPE_MTE2, PIPE_FIXP, ID_QUANT);
    stream_wait(stream, PIPE_MTE2, PIPE_FIXP, ID_QUANT);
    struct insn *insn = stream_emit(stream, OP_LOAD_FB);
    if (insn == NULL)
        return;
    insn->operand[LOAD_FB_dst] = (struct operand){.region = lower->region_fb};
    insn->operand[LOAD_FB_src] = (struct operand){.region = lower->region_l1_quant};
    insn->field[LOAD_FB_blockLen] = (int64_t)(align_up(item->n0_count, FRACTAL_ROWS) *
                                              sizeof(uint64_t) / lower->fb_block_bytes);
    stream_set(stream, PIPE_FIXP, PIPE_MTE2, ID_QUANT);
    struct insn *barrier = stream_emit(stream, OP_PIPE_BARRIER);
    if (barrier == NULL)
        return;
    barrier->pipe = PIPE_FIXP;
    barrier->field[PIPE_BARRIER_pipe] = PIPE_FIXP;
}

/* Part of a tile that one Fixpipe stores: rows x columns positions from position m on, and n_count
 * channels from n on. final: with unit flags, nothing more is stored from the fractals that it
 * touches. */
struct part {
    uint64_t m, rows, columns;
    uint64_t n, n_count;
    bool final;
};

uint64_t store_offset(const struct stream *stream, uint64_t m, uint64_t n)
{
    const struct conv *conv = &stream->lower->plan->conv;
    const struct item *item = &stream->walk.item;
    uint64_t width = (uint64_t)conv->out[AXIS_W];
    uint64_t linear = item->out_row * width + item->out_col;
    /* Rows of a tile that is not spread follow each other. */
    uint64_t position = stream->lower->plan->tile.linear_m || item->m_cols == width
                            ? linear + m
                            : linear + m / item->m_cols * width + m % item->m_cols;
    struct position at = {item->depth, position / width, position % width};
    uint64_t channel = item->group * conv_cout_group(conv) + item->n_from + item->n0_from;
    return layout_output_offset(conv, item->batch, channel + n, at) *
           element_bytes(conv->out_dtype);
}

uint64_t store_length(const struct stream *stream, uint64_t m)
{
    const struct plan *plan = stream->lower->plan;
    const struct item *item = &stream->walk.item;
    uint64_t width = (uint64_t)plan->conv.out[AXIS_W];
    bool in_a_row = plan->tile.linear_m || item->m_rows == 1 || item->m_cols == width;
    if (plan->schedule.fixpipe == FIXPIPE_TILE && in_a_row)
        return item->m - m;
    if (plan->tile.linear_m)
        return least(width - (item->out_col + m) % width, item->m - m);
    return item->m_cols - m % item->m_cols;
}

/* The layout of the destination and its strides. */
static void part_layout(struct insn *insn, enum arch arch, const struct conv *conv,
                        const struct part *part)
{
    uint64_t height = (uint64_t)conv->out[AXIS_H], width = (uint64_t)conv->out[AXIS_W];
    uint64_t plane = height * width, c0 = layout_output_c0(conv);
    bool one = part->rows == 1;
    if (conv->output_format == FORMAT_NC1HWC0 && part->n_count % c0 != 0 && c0 > FRACTAL_ROWS) {
        insn->field[FIXPIPE_layout] = LAYOUT_NZ2ND;
        insn->field[FIXPIPE_dstStride] = (int64_t)c0;
    } else if (conv->output_format == FORMAT_NC1HWC0) {
        insn->field[FIXPIPE_layout] = LAYOUT_NZ;
        uint64_t group = plane * c0; /* elements */
        uint64_t size = element_bytes(conv->out_dtype);
        insn->field[FIXPIPE_dstStride] =
            (int64_t)(arch == ARCH_3510 ? group : group * size / BLOCK_BYTES);
        insn->field[FIXPIPE_channelSplit] = c0 < FRACTAL_ROWS;
    } else if (conv->output_format == FORMAT_NCHW) {
        insn->field[FIXPIPE_layout] = LAYOUT_NZ2DN;
        insn->field[FIXPIPE_dstStride] = (int64_t)((uint64_t)conv->out[AXIS_D] * plane);
        insn->field[FIXPIPE_dnNum] = (int64_t)part->rows;
        insn->field[FIXPIPE_srcNzMatrixStride] = one ? 0 : (int64_t)part->columns;
        insn->field[FIXPIPE_dstDnMatrixStride] = one ? 0 : (int64_t)width;
    } else {
        insn->field[FIXPIPE_layout] = LAYOUT_NZ2ND;
        insn->field[FIXPIPE_dstStride] = (int64_t)conv->cout;
    }
}

static void store_part(struct stream *stream, const struct part *part)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    const struct item *item = &stream->walk.item;
    uint64_t m_padded = align_up(item->m, FRACTAL_ROWS);
    struct insn *insn = stream_emit(stream, OP_FIXPIPE);
    if (insn == NULL)
        return;
    insn->operand[FIXPIPE_dst] =
        (struct operand){.region = REGION_OUTPUT, .offset = store_offset(stream, part->m, part->n)};
    insn->operand[FIXPIPE_src] = (struct operand){
        .region = lower->region_l0c[stream->item_count % lower->slots_l0c],
        .offset = (part->n * m_padded + part->m * FRACTAL_ROWS) * sizeof(float),
    };
    if (lower->region_fb != REGION_NONE)
        insn->operand[FIXPIPE_quant] =
            (struct operand){.region = lower->region_fb, .offset = part->n * sizeof(uint64_t)};
    insn->field[FIXPIPE_mSize] = (int64_t)part->columns;
    insn->field[FIXPIPE_nSize] = (int64_t)part->n_count;
    insn->field[FIXPIPE_srcStride] = (int64_t)m_padded;
    insn->field[FIXPIPE_reluEn] = conv->relu;
    if (lower->plan->schedule.unit_flag)
        insn->field[FIXPIPE_unitFlag] = part->final ? 3 : 2;
    part_layout(insn, lower->arch, conv, part);
}

/*
 * All channels of a part. A plane of 8-bit values in nc1hwc0 is two column groups of L0C wide, and
 * Fixpipe joins two; a tile may begin or end in the middle of a plane, and these 16 columns are
 * rows of 16 values, a plane's width apart.
 */
static void store_rows(struct stream *stream, struct part part)
{
    const struct conv *conv = &stream->lower->plan->conv;
    const struct item *item = &stream->walk.item;
    uint64_t c0 = layout_output_c0(conv), until = item->n0_count;
    bool joined = conv->output_format == FORMAT_NC1HWC0 && c0 > FRACTAL_ROWS;
    for (part.n = 0; part.n < until; part.n += part.n_count) {
        uint64_t left = until - part.n, in_plane = (item->n_from + item->n0_from + part.n) % c0;
        part.n_count = left;
        if (joined && (in_plane != 0 || left < c0))
            part.n_count = FRACTAL_ROWS;
        else if (joined)
            part.n_count = left / c0 * c0;
        store_part(stream, &part);
    }
}

enum { UNIT_ROWS = 8 /* positions that share a unit flag */ };

/* A store of a run of positions. Unit flags are handed back by blocks of 8 positions: where the
 * run ends inside one that the next run needs too, it is cut, and the piece hands nothing back. */
static void store_run(struct stream *stream, uint64_t m, uint64_t columns)
{
    struct part part = {.m = m, .rows = 1, .columns = columns, .final = true};
    uint64_t end = m + columns;
    uint64_t whole = end == stream->walk.item.m ? end : end / UNIT_ROWS * UNIT_ROWS;
    if (!stream->lower->plan->schedule.unit_flag || whole == end) {
        store_rows(stream, part);
        return;
    }
    uint64_t cut = whole > m ? whole : m;
    if (cut > m) {
        part.columns = cut - m;
        store_rows(stream, part);
    }
    store_rows(stream, (struct part){.m = cut, .rows = 1, .columns = end - cut});
}

/*
 * row: one store for each output row of the tile, as pypto issues them. tile: one store where the
 * positions of the tile follow each other in GM, or where the layout can step from row to row.
 */
static void fixpipe_store(struct stream *stream)
{
    const struct plan *plan = stream->lower->plan;
    const struct item *item = &stream->walk.item;
    bool steps = plan->schedule.fixpipe == FIXPIPE_TILE && plan->conv.output_format == FORMAT_NCHW;
    if (steps && store_length(stream, 0) < item->m) {
        store_rows(stream,
                   (struct part){.rows = item->m_rows, .columns = item->m_cols, .final = true});
        return;
    }
    for (uint64_t m = 0; m < item->m;) {
        uint64_t columns = store_length(stream, m);
        store_run(stream, m, columns);
        m += columns;
    }
}

void tile_store(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    uint64_t slot = stream->item_count % lower->slots_l0c;
    bool flagged = !lower->plan->schedule.unit_flag;
    if (lower->out_pipe == PIPE_VECTOR) {
        exit_store(stream);
        return;
    }
    if (flagged) {
        stream_set(stream, PIPE_CUBE, PIPE_FIXP, ID_L0C + slot);
        stream_wait(stream, PIPE_CUBE, PIPE_FIXP, ID_L0C + slot);
    }
    fixpipe_store(stream);
    if (flagged)
        stream_set(stream, PIPE_FIXP, PIPE_CUBE, ID_L0C + slot);
}
