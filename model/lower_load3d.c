/*
 * The L0 tile of A: a block of the img2col matrix of an image chunk, from L1 to L0A.
 */
#include "model/lower_stream.h"

enum {
    REPEAT_MAX = 255, /* repeatTime of Load3D v1 */
    JUMP_MAX = 127,   /* jumpStride of Load3D v1 */
};

/* Whether Load3D of a product can be repeated along M: not on 310P and 910A. */
static bool has_repeat(enum arch arch)
{
    return (insn_info(OP_SET_LOAD_DATA_REPEAT)->arches & arch_bit(arch)) != 0;
}

/* The registers that Load3D reads: image size and padding, and the repeat. */
void load3d_registers(struct stream *stream)
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
    if (!has_repeat(stream->lower->arch))
        return;
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

static void load3dv2(struct stream *stream, struct load3d_place place, uint64_t m_from, uint64_t m,
                     uint32_t source, struct operand target)
{
    struct insn *insn = stream_emit(stream, OP_LOAD3DV2);
    if (insn == NULL)
        return;
    insn->operand[LOAD3DV2_dst] = target;
    insn->operand[LOAD3DV2_src] = (struct operand){.region = source};
    insn->field[LOAD3DV2_channelSize] = (int64_t)(place.chunk / stream->lower->points);
    insn->field[LOAD3DV2_mExtension] = (int64_t)align_up(m, FRACTAL_ROWS);
    insn->field[LOAD3DV2_kExtension] = (int64_t)place.count;
    insn->field[LOAD3DV2_mStartPt] = (int64_t)m_from;
    insn->field[LOAD3DV2_kStartPt] = (int64_t)place.from;
}

/* Output rows that do not follow each other take a repeat, or an instruction each without one. */
static void block_v2(struct stream *stream, struct load3d_place place, uint32_t source,
                     uint32_t target)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    uint64_t rows = item->spread && !has_repeat(lower->arch) ? item->m_rows : 1;
    uint64_t m = item->spread ? item->m_cols : item->m;
    uint64_t row_bytes = ceil_div(m, FRACTAL_ROWS) * (place.count / lower->c0) * FRACTAL_BYTES;
    for (uint64_t row = 0; row < rows; row++)
        load3dv2(stream, place, item->m_from + row * item->col_count, m, source,
                 (struct operand){.region = target, .offset = row * row_bytes});
}

/* Fractals of one output row of a tile, or of all its rows where these follow each other. */
struct fractals {
    uint64_t position;    /* of the first window, in the image of the L1 tile */
    uint64_t first;       /* block of 16 windows in L0A */
    uint64_t blocks;      /* of 16 windows */
    uint64_t columns;     /* fractals of a row of blocks: K / C0 */
    uint64_t points_from; /* filter points of the chunk before the first one, plane by plane */
};

/* So many fractals from one on: along K, or with along_m along M. */
static void load3dv1(struct stream *stream, const struct fractals *fractals, uint64_t block,
                     uint64_t column, uint64_t repeat, bool along_m, uint32_t source,
                     uint32_t target)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    const struct item *item = &stream->walk.item;
    uint64_t position = fractals->position + block * FRACTAL_ROWS;
    uint64_t row = position / item->col_count, left = position % item->col_count;
    uint64_t point = fractals->points_from + column, in_plane = point % lower->points;
    uint64_t fractal = (fractals->first + block) * fractals->columns + column;
    struct insn *insn = stream_emit(stream, OP_LOAD3DV1);
    if (insn == NULL)
        return;
    insn->operand[LOAD3DV1_dst] =
        (struct operand){.region = target, .offset = fractal * FRACTAL_BYTES};
    insn->operand[LOAD3DV1_src] = (struct operand){.region = source};
    insn->field[LOAD3DV1_c1Index] = (int64_t)(point / lower->points);
    insn->field[LOAD3DV1_fetchFilterW] = (int64_t)(in_plane % conv->kernel[AXIS_W]);
    insn->field[LOAD3DV1_fetchFilterH] = (int64_t)(in_plane / conv->kernel[AXIS_W]);
    insn->field[LOAD3DV1_leftTopW] =
        (int64_t)(left * conv->stride[AXIS_W]) - (int64_t)item->in_cols.head;
    insn->field[LOAD3DV1_leftTopH] =
        (int64_t)(row * conv->stride[AXIS_H]) - (int64_t)item->in_rows.head;
    insn->field[LOAD3DV1_jumpStride] = along_m ? (int64_t)fractals->columns : 1;
    insn->field[LOAD3DV1_repeatMode] = along_m;
    insn->field[LOAD3DV1_repeatTime] = (int64_t)repeat;
}

/* Each instruction loads a line of fractals; the longer lines take fewer of them. */
static void load_fractals(struct stream *stream, const struct fractals *fractals, uint32_t source,
                          uint32_t target)
{
    bool along_m = fractals->blocks > fractals->columns && fractals->columns <= JUMP_MAX;
    uint64_t lines = along_m ? fractals->columns : fractals->blocks;
    uint64_t length = along_m ? fractals->blocks : fractals->columns;
    for (uint64_t line = 0; line < lines; line++)
        for (uint64_t at = 0; at < length; at += REPEAT_MAX)
            load3dv1(stream, fractals, along_m ? at : line, along_m ? line : at,
                     least(length - at, REPEAT_MAX), along_m, source, target);
}

/* 910A: Load3D v1 makes one fractal after the other. */
static void block_v1(struct stream *stream, struct load3d_place place, uint32_t source,
                     uint32_t target)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &stream->walk.item;
    uint64_t rows = item->spread ? item->m_rows : 1;
    struct fractals fractals = {
        .blocks = ceil_div(item->m / rows, FRACTAL_ROWS),
        .columns = place.count / lower->c0,
        .points_from = place.from / lower->c0,
    };
    for (uint64_t row = 0; row < rows; row++) {
        fractals.position = item->m_from + row * item->col_count;
        fractals.first = row * fractals.blocks;
        load_fractals(stream, &fractals, source, target);
    }
}

void load3d_block(struct stream *stream, struct load3d_place place, uint32_t source,
                  uint32_t target)
{
    if (stream->lower->arch == ARCH_1001)
        block_v1(stream, place, source, target);
    else
        block_v2(stream, place, source, target);
}
