/*
 * One chunk of the image, the weight or the bias from GM to L1, in the formats of the product
 * (docs/tiling.md, lowering; instruction ranges in docs/isa.md section 3).
 *
 * A chunk of the image lies in L1 as C0 planes of rows x columns, a chunk of the weight as rows of
 * K / C0 with the N blocks of the L1 tile behind each other. Copies are split where a field of the
 * instruction cannot hold what is needed; the bytes are the same.
 */
#include <assert.h>

#include "model/layout.h"
#include "model/lower_stream.h"

enum {
    BLOCK_COUNT_MAX = 4095, /* data_copy blockCount */
    GAP_MAX = 65535,        /* data_copy srcGap */
    NZ_ROWS_MAX = 16384,    /* nd2nz and dn2nz nValue */
    NZ_MATRICES_MAX = 4095, /* ndNum, dnNum */
    NZ_STRIDE_MAX = 16384,  /* dstNzMatrixStride */
    ND_STRIDE_MAX = 65535,  /* srcNdMatrixStride */
};

/* A chunk of the image: some channels of one depth, the rows and columns of the item. */
struct image_part {
    uint64_t channel_from; /* within the group */
    uint64_t channels;     /* real ones */
    uint64_t planes;       /* C0 planes, the last one filled up with zeros */
    uint64_t depth;        /* of the input */
    uint32_t region;
};

static void place(struct insn *insn, int dst, uint32_t dst_region, uint64_t dst_offset, int src,
                  uint32_t src_region, uint64_t src_offset)
{
    insn->operand[dst] = (struct operand){.region = dst_region, .offset = dst_offset};
    insn->operand[src] = (struct operand){.region = src_region, .offset = src_offset};
}

/* Blocks of the same length at a fixed distance, both in 32 B. */
static void copy_blocks(struct stream *stream, uint32_t region, uint64_t dst, uint32_t source,
                        uint64_t src, uint64_t count, uint64_t length, uint64_t pitch)
{
    assert(pitch >= length);
    if (pitch == length && count * length <= GAP_MAX) {
        length *= count;
        pitch = length;
        count = 1;
    }
    if (length > GAP_MAX) { /* longer than a block can be: each block in pieces */
        for (uint64_t block = 0; block < count; block++)
            for (uint64_t at = 0; at < length; at += GAP_MAX)
                copy_blocks(stream, region, dst + block * length + at, source,
                            src + block * pitch + at, 1, least(length - at, GAP_MAX),
                            least(length - at, GAP_MAX));
        return;
    }
    bool one_by_one = pitch - length > GAP_MAX;
    for (uint64_t done = 0; done < count;) {
        uint64_t now = one_by_one ? 1 : least(count - done, BLOCK_COUNT_MAX);
        struct insn *insn = stream_emit(stream, OP_DATA_COPY);
        if (insn == NULL)
            return;
        place(insn, DATA_COPY_dst, region, (dst + done * length) * BLOCK_BYTES, DATA_COPY_src,
              source, (src + done * pitch) * BLOCK_BYTES);
        insn->field[DATA_COPY_blockCount] = (int64_t)now;
        insn->field[DATA_COPY_blockLen] = (int64_t)length;
        insn->field[DATA_COPY_srcGap] = now > 1 ? (int64_t)(pitch - length) : 0;
        done += now;
    }
}

static void load_image_planes(struct stream *stream, const struct item *item,
                              const struct image_part *part)
{
    const struct conv *conv = &stream->lower->plan->conv;
    uint64_t rows = item->in_rows.count, columns = item->in_cols.count;
    uint64_t width = conv->in[AXIS_W], plane = conv->in[AXIS_H] * width;
    struct position at = {part->depth, item->in_rows.from, item->in_cols.from};
    uint64_t channel = item->group * conv->cin_group + part->channel_from;
    uint64_t src = layout_input_offset(conv, item->batch, channel, at) / stream->lower->c0;
    if (columns == width) {
        copy_blocks(stream, part->region, 0, REGION_INPUT, src, part->planes, rows * columns,
                    plane);
        return;
    }
    for (uint64_t c1 = 0; c1 < part->planes; c1++)
        copy_blocks(stream, part->region, c1 * rows * columns, REGION_INPUT, src + c1 * plane, rows,
                    columns, width);
}

/* nchw by dn2nz, nhwc by nd2nz: one instruction a chunk, or one for as many rows as its fields
 * hold. Rows of the image are matrices of columns x channels. */
static void load_image_rows(struct stream *stream, const struct item *item,
                            const struct image_part *part, uint64_t row, uint64_t rows,
                            bool whole_rows)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    bool columns_major = conv->input_format == FORMAT_NCHW;
    uint64_t columns = item->in_cols.count, width = conv->in[AXIS_W];
    uint64_t channel_step = columns_major ? conv->in[AXIS_D] * conv->in[AXIS_H] * width : 1;
    uint64_t step = layout_input_step(conv);
    struct position at = {part->depth, item->in_rows.from + row, item->in_cols.from};
    uint64_t channel = item->group * conv->cin_group + part->channel_from;
    uint64_t src = layout_input_offset(conv, item->batch, channel, at) * lower->element_bytes;
    uint64_t dst = row * columns * BLOCK_BYTES;
    uint64_t matrices = whole_rows ? 1 : rows;
    uint64_t points = whole_rows ? rows * columns : columns;
    uint64_t dst_matrix = columns * lower->c0;
    struct insn *insn = stream_emit(stream, columns_major ? OP_DN2NZ : OP_ND2NZ);
    if (insn == NULL)
        return;
    if (columns_major) {
        place(insn, DN2NZ_dst, part->region, dst, DN2NZ_src, REGION_INPUT, src);
        insn->field[DN2NZ_dnNum] = (int64_t)matrices;
        insn->field[DN2NZ_nValue] = (int64_t)points;
        insn->field[DN2NZ_dValue] = (int64_t)part->channels;
        insn->field[DN2NZ_srcDnMatrixStride] = matrices > 1 ? (int64_t)(width * step) : 0;
        insn->field[DN2NZ_srcDValue] = (int64_t)channel_step;
        insn->field[DN2NZ_dstNzC0Stride] = (int64_t)(item->in_rows.count * columns);
        insn->field[DN2NZ_dstNzNStride] = 1;
        insn->field[DN2NZ_dstNzMatrixStride] = matrices > 1 ? (int64_t)dst_matrix : 0;
    } else {
        place(insn, ND2NZ_dst, part->region, dst, ND2NZ_src, REGION_INPUT, src);
        insn->field[ND2NZ_ndNum] = (int64_t)matrices;
        insn->field[ND2NZ_nValue] = (int64_t)points;
        insn->field[ND2NZ_dValue] = (int64_t)part->channels;
        insn->field[ND2NZ_srcNdMatrixStride] = matrices > 1 ? (int64_t)(width * step) : 0;
        insn->field[ND2NZ_srcDValue] = (int64_t)step;
        insn->field[ND2NZ_dstNzC0Stride] = (int64_t)(item->in_rows.count * columns);
        insn->field[ND2NZ_dstNzNStride] = 1;
        insn->field[ND2NZ_dstNzMatrixStride] = matrices > 1 ? (int64_t)dst_matrix : 0;
    }
}

static void load_image_plain(struct stream *stream, const struct item *item,
                             const struct image_part *part)
{
    const struct conv *conv = &stream->lower->plan->conv;
    uint64_t rows = item->in_rows.count, columns = item->in_cols.count;
    bool whole_rows = columns == conv->in[AXIS_W];
    uint64_t row_pitch = conv->in[AXIS_W] * layout_input_step(conv);
    bool nd = conv->input_format == FORMAT_NHWC;
    uint64_t at_once = NZ_MATRICES_MAX;
    if (whole_rows)
        at_once = NZ_ROWS_MAX / columns;
    else if (columns * stream->lower->c0 > NZ_STRIDE_MAX || (nd && row_pitch > ND_STRIDE_MAX))
        at_once = 1;
    assert(at_once > 0);
    for (uint64_t row = 0; row < rows; row += at_once)
        load_image_rows(stream, item, part, row, least(at_once, rows - row), whole_rows);
}

static void load_image(struct stream *stream, const struct item *item, uint64_t kd, uint64_t k,
                       uint64_t k_count, uint32_t region)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    uint64_t planes = k_count / (lower->points * lower->c0);
    struct image_part part = {
        .channel_from = k / lower->points,
        .planes = planes,
        .depth = item->depth * conv->stride[AXIS_D] + kd * conv->dilation[AXIS_D] -
                 conv->pad_head[AXIS_D],
        .region = region,
    };
    part.channels = least(planes * lower->c0, conv->cin_group - part.channel_from);
    if (conv->input_format == FORMAT_NC1HWC0)
        load_image_planes(stream, item, &part);
    else
        load_image_plain(stream, item, &part);
}

static void load_weight_fractals(struct stream *stream, const struct item *item, uint64_t kd,
                                 uint64_t k, uint64_t k_count, uint32_t region)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    uint64_t blocks = ceil_div(item->n_count, FRACTAL_ROWS) * FRACTAL_ROWS;
    uint64_t pitch = layout_n1(conv) * FRACTAL_ROWS;
    uint64_t depth = item->group * conv->kernel[AXIS_D] + kd;
    uint64_t row = depth * (lower->k_depth / lower->c0) + k / lower->c0;
    copy_blocks(stream, region, 0, REGION_WEIGHT, row * pitch + item->n_from, k_count / lower->c0,
                blocks, pitch);
}

/* One matrix of rows x columns elements, its rows pitch elements apart in GM, as columns of C0
 * elements that are c0_stride blocks apart in L1. */
struct rows {
    uint64_t source, rows, columns, pitch, c0_stride; /* source: in bytes */
};

static void load_rows(struct stream *stream, const struct rows *rows, uint32_t region)
{
    struct insn *insn = stream_emit(stream, OP_ND2NZ);
    if (insn == NULL)
        return;
    place(insn, ND2NZ_dst, region, 0, ND2NZ_src, REGION_WEIGHT, rows->source);
    insn->field[ND2NZ_ndNum] = 1;
    insn->field[ND2NZ_nValue] = (int64_t)rows->rows;
    insn->field[ND2NZ_dValue] = (int64_t)rows->columns;
    insn->field[ND2NZ_srcDValue] = (int64_t)rows->pitch;
    insn->field[ND2NZ_dstNzC0Stride] = (int64_t)rows->c0_stride;
    insn->field[ND2NZ_dstNzNStride] = 1;
}

/* A weight of one kernel point is a matrix: in nchw output channels are rows of channels, in hwcn
 * channels are rows of output channels, and so they lie in L1 until the load to L0B turns them
 * over.
 */
static void load_weight_matrix(struct stream *stream, const struct item *item, uint64_t k,
                               uint64_t k_count, uint32_t region)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    uint64_t first = item->group * conv_cout_group(conv) + item->n_from;
    uint64_t channels = least(k_count, conv->cin_group - k);
    uint64_t offset = layout_weight_offset(conv, first, k, (struct position){0, 0, 0});
    bool turned = conv->weight_format == FORMAT_HWCN;
    const struct rows rows = {
        .source = offset * lower->element_bytes,
        .rows = turned ? channels : item->n_count,
        .columns = turned ? item->n_count : channels,
        .pitch = turned ? conv->cout : conv->cin_group,
        .c0_stride = turned ? k_count : align_up(item->n_count, FRACTAL_ROWS),
    };
    load_rows(stream, &rows, region);
}

/* nchw: a matrix for each output channel, kernel points x channels. */
static void load_weight_nchw(struct stream *stream, const struct item *item, uint64_t kd,
                             uint64_t k, uint64_t k_count, uint32_t region)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    uint64_t channel = k / lower->points;
    uint64_t channels = k_count / lower->points;
    uint64_t n_pitch = align_up(item->n_count, FRACTAL_ROWS);
    uint64_t depth_points = conv->kernel[AXIS_D] * lower->points;
    struct position at = {kd, 0, 0};
    for (uint64_t n = 0; n < item->n_count; n += NZ_MATRICES_MAX) {
        uint64_t first = item->group * conv_cout_group(conv) + item->n_from + n;
        struct insn *insn = stream_emit(stream, OP_DN2NZ);
        if (insn == NULL)
            return;
        place(insn, DN2NZ_dst, region, n * BLOCK_BYTES, DN2NZ_src, REGION_WEIGHT,
              layout_weight_offset(conv, first, channel, at) * lower->element_bytes);
        insn->field[DN2NZ_dnNum] = (int64_t)least(item->n_count - n, NZ_MATRICES_MAX);
        insn->field[DN2NZ_nValue] = (int64_t)lower->points;
        insn->field[DN2NZ_dValue] = (int64_t)least(channels, conv->cin_group - channel);
        insn->field[DN2NZ_srcDnMatrixStride] = (int64_t)(conv->cin_group * depth_points);
        insn->field[DN2NZ_srcDValue] = (int64_t)depth_points;
        insn->field[DN2NZ_dstNzC0Stride] = (int64_t)(lower->points * n_pitch);
        insn->field[DN2NZ_dstNzNStride] = (int64_t)n_pitch;
        insn->field[DN2NZ_dstNzMatrixStride] = (int64_t)lower->c0;
    }
}

/* hwcn: a matrix for each kernel point, output channels x channels. */
static void load_weight_hwcn(struct stream *stream, const struct item *item, uint64_t kd,
                             uint64_t k, uint64_t k_count, uint32_t region)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    uint64_t channel = k / lower->points;
    uint64_t channels = k_count / lower->points;
    uint64_t n_pitch = align_up(item->n_count, FRACTAL_ROWS);
    uint64_t matrix = n_pitch * lower->c0;
    uint64_t first = item->group * conv_cout_group(conv) + item->n_from;
    uint64_t at_once = matrix <= NZ_STRIDE_MAX ? NZ_MATRICES_MAX : 1;
    for (uint64_t point = 0; point < lower->points; point += at_once) {
        struct position at = {kd, point / conv->kernel[AXIS_W], point % conv->kernel[AXIS_W]};
        uint64_t points = least(at_once, lower->points - point);
        struct insn *insn = stream_emit(stream, OP_DN2NZ);
        if (insn == NULL)
            return;
        place(insn, DN2NZ_dst, region, point * n_pitch * BLOCK_BYTES, DN2NZ_src, REGION_WEIGHT,
              layout_weight_offset(conv, first, channel, at) * lower->element_bytes);
        insn->field[DN2NZ_dnNum] = (int64_t)points;
        insn->field[DN2NZ_nValue] = (int64_t)item->n_count;
        insn->field[DN2NZ_dValue] = (int64_t)least(channels, conv->cin_group - channel);
        insn->field[DN2NZ_srcDnMatrixStride] =
            points > 1 ? (int64_t)(conv->cin_group * conv->cout) : 0;
        insn->field[DN2NZ_srcDValue] = (int64_t)conv->cout;
        insn->field[DN2NZ_dstNzC0Stride] = (int64_t)(lower->points * n_pitch);
        insn->field[DN2NZ_dstNzNStride] = 1;
        insn->field[DN2NZ_dstNzMatrixStride] = points > 1 ? (int64_t)matrix : 0;
    }
}

void load_chunk(struct stream *stream, enum side side, const struct item *item, uint64_t chunk,
                uint64_t slot)
{
    const struct lower *lower = stream->lower;
    uint64_t per_depth = ceil_div(lower->k_depth, lower->k_chunk[side]);
    uint64_t kd = item->kd_from + chunk / per_depth;
    uint64_t k = chunk % per_depth * lower->k_chunk[side];
    uint64_t k_count = least(lower->k_chunk[side], lower->k_depth - k);
    uint32_t region = lower->region_l1[side][slot];
    enum tensor_format format = lower->plan->conv.weight_format;
    if (side == SIDE_A)
        load_image(stream, item, kd, k, k_count, region);
    else if (format == FORMAT_FRACTAL_Z)
        load_weight_fractals(stream, item, kd, k, k_count, region);
    else if (lower->b_by_rows)
        load_weight_matrix(stream, item, k, k_count, region);
    else if (format == FORMAT_NCHW)
        load_weight_nchw(stream, item, kd, k, k_count, region);
    else
        load_weight_hwcn(stream, item, kd, k, k_count, region);
}

/* The places of an item's channels in a table of place bytes a channel, from GM. */
static void load_table(struct stream *stream, const struct item *item, uint32_t region,
                       uint32_t source, uint64_t place)
{
    const struct conv *conv = &stream->lower->plan->conv;
    uint64_t first = item->group * conv_cout_group(conv) + item->n_from + item->n0_from;
    uint64_t blocks = align_up(item->n0_count, FRACTAL_ROWS) * place / BLOCK_BYTES;
    copy_blocks(stream, region, 0, source, layout_channel_offset(conv, first) * place / BLOCK_BYTES,
                1, blocks, blocks);
}

void load_bias(struct stream *stream, const struct item *item, uint32_t region)
{
    load_table(stream, item, region, stream->lower->bias_region, sizeof(float));
}

void load_quant(struct stream *stream, const struct item *item, uint32_t region)
{
    load_table(stream, item, region, stream->lower->quant_region, sizeof(uint64_t));
}
