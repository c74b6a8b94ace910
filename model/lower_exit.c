/*
 * The way out of L0C on products without a fixpipe (310P, 910A): the vector unit copies a tile,
 * part by part, into the unified buffer and converts on the way, MTE3 copies the parts to GM. And
 * the way in of the bias of 310P: broadcast from the unified buffer into L0C before the first Mmad,
 * which adds to it.
 *
 * A part is a block of units that a slot of the unified buffer holds (struct exit_room): whole
 * columns of units, or some rows of one. It lies there as in L0C. Outputs are nc1hwc0.
 */
#include "model/layout.h"
#include "model/lower_stream.h"
#include "model/tile_rules.h"

enum {
    COLUMNS = 16,         /* of a column group of L0C */
    COPY_GAP_MAX = 65535, /* dstGap of data_copy */
};
enum { GROUP_BYTES = FRACTAL_ROWS * COLUMNS * 4 }; /* of 16 rows of a column group in L0C */

#define ZERO_WORD (INT64_C(1) << 46) /* a quantisation word of scale 0; signed */

struct part {
    uint64_t row, rows;   /* blocks of 16 positions of the tile */
    uint64_t unit, units; /* columns of units */
    uint64_t slot;
};

bool exit_room_find(const struct plan *plan, struct exit_room *room, uint64_t *bytes)
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    uint64_t size = element_bytes(conv->out_dtype);
    uint64_t m = tile->linear_m ? tile->m_l0 : tile->h_l0 * tile->w_l0;
    uint64_t capacity = product_whole(plan->product, PRODUCT_UB_SIZE);
    *room = (struct exit_room){
        .columns = size == 1 ? 2 * COLUMNS : COLUMNS,
        .bias_bytes = tile_bias_bytes(conv, tile),
        .quant_bytes = tile_quant_bytes(conv, tile),
    };
    room->row_bytes = room->columns * size;
    room->unit_bytes = room->row_bytes * FRACTAL_ROWS;
    *bytes = room->bias_bytes + room->quant_bytes + room->unit_bytes;
    if (*bytes > capacity)
        return false;
    uint64_t fit = (capacity - room->bias_bytes - room->quant_bytes) / room->unit_bytes;
    uint64_t all = ceil_div(m, FRACTAL_ROWS) * ceil_div(tile->n_l0, room->columns);
    room->slots = fit > 1 ? SLOTS_MAX : 1;
    room->units = least(fit / room->slots, all);
    return true;
}

/* The table of this item's channels serves the item behind it too. */
static bool table_kept(const struct stream *stream, const struct walk *at)
{
    struct walk next = *at;
    return stream->lower->plan->schedule.residency != RESIDENCY_RELOAD && walk_next(&next) &&
           item_same_n(&at->item, &next.item);
}

/* A table that was not kept for this item is loaded; the vector unit waits for it. */
static void table_load(struct stream *stream, const struct item *item, bool *kept, uint64_t id)
{
    const struct lower *lower = stream->lower;
    if (*kept)
        return;
    stream_wait(stream, PIPE_VECTOR, PIPE_MTE2, id);
    if (id == ID_UB_BIAS)
        load_bias(stream, item, lower->region_ub_bias);
    else
        load_quant(stream, item, lower->region_ub_quant);
    stream_set(stream, PIPE_MTE2, PIPE_VECTOR, id);
    stream_wait(stream, PIPE_MTE2, PIPE_VECTOR, id);
}

/* After its last use for an item: it may be loaded anew, or is kept. */
static void table_release(struct stream *stream, const struct walk *at, bool *kept, uint64_t id)
{
    *kept = table_kept(stream, at);
    if (!*kept)
        stream_set(stream, PIPE_VECTOR, PIPE_MTE2, id);
}

/* The bias in every row of an item's C; then the cube may begin. */
static void exit_bias(struct stream *stream, const struct walk *at, uint64_t slot)
{
    const struct lower *lower = stream->lower;
    const struct item *item = &at->item;
    uint64_t rows = ceil_div(item->m, FRACTAL_ROWS);
    table_load(stream, item, &stream->ub_bias_kept, ID_UB_BIAS);
    for (uint64_t row = 0; row < rows; row++) {
        struct insn *insn = stream_emit(stream, OP_BROADCAST_VEC_TO_MM);
        if (insn == NULL)
            return;
        insn->operand[BROADCAST_VEC_TO_MM_dst] =
            (struct operand){.region = lower->region_l0c[slot], .offset = row * GROUP_BYTES};
        insn->operand[BROADCAST_VEC_TO_MM_src] = (struct operand){.region = lower->region_ub_bias};
        insn->field[BROADCAST_VEC_TO_MM_blockCount] = (int64_t)ceil_div(item->n0_count, COLUMNS);
        insn->field[BROADCAST_VEC_TO_MM_dstGap] = (int64_t)rows - 1;
    }
    stream_set(stream, PIPE_VECTOR, PIPE_CUBE, ID_L0C + slot);
    table_release(stream, at, &stream->ub_bias_kept, ID_UB_BIAS);
}

void exit_begin(struct stream *stream)
{
    if (stream->lower->bias_region != REGION_NONE && stream->item_count == 0)
        exit_bias(stream, &stream->walk, 0);
}

/* Column groups of a part, from L0C to an offset in its slot. */
static struct insn *part_groups(struct stream *stream, const struct part *part, uint64_t group,
                                uint64_t groups, uint64_t offset)
{
    const struct lower *lower = stream->lower;
    uint64_t rows = ceil_div(stream->walk.item.m, FRACTAL_ROWS);
    struct insn *insn = stream_emit(stream, OP_DATA_COPY_L0C2UB);
    if (insn == NULL)
        return NULL;
    insn->operand[DATA_COPY_L0C2UB_dst] =
        (struct operand){.region = lower->region_ub[part->slot], .offset = offset};
    insn->operand[DATA_COPY_L0C2UB_src] = (struct operand){
        .region = lower->region_l0c[stream->item_count % lower->slots_l0c],
        .offset = (group * rows + part->row) * GROUP_BYTES,
    };
    if (lower->quant_region != REGION_NONE)
        insn->operand[DATA_COPY_L0C2UB_deqTensorAddr] = (struct operand){
            .region = lower->region_ub_quant, .offset = group * COLUMNS * sizeof(uint64_t)};
    insn->field[DATA_COPY_L0C2UB_blockCount] = (int64_t)groups;
    insn->field[DATA_COPY_L0C2UB_blockLen] = (int64_t)part->rows;
    insn->field[DATA_COPY_L0C2UB_srcGap] = groups > 1 ? (int64_t)(rows - part->rows) : 0;
    return insn;
}

/* Half of the rows of 32 8-bit values, from one column group. Lanes behind the tile's last group
 * are no channels; a copy to GM moves whole blocks of 32 bytes, so they become 0, by a scale of 0.
 */
static void part_half(struct stream *stream, const struct part *part, uint64_t group,
                      uint64_t offset, int64_t half)
{
    bool missing = group * COLUMNS >= stream->walk.item.n0_count;
    struct insn *insn = part_groups(stream, part, missing ? group - 1 : group, 1, offset);
    if (insn == NULL)
        return;
    insn->field[DATA_COPY_L0C2UB_sidStoreMode] = half;
    if (!missing)
        return;
    insn->operand[DATA_COPY_L0C2UB_deqTensorAddr].region = REGION_NONE;
    insn->field[DATA_COPY_L0C2UB_deqScale] = DEQ_B8;
    insn->field[DATA_COPY_L0C2UB_deqValue] = ZERO_WORD;
}

static void part_convert(struct stream *stream, const struct part *part)
{
    const struct exit_room *room = &stream->lower->room;
    if (room->columns == COLUMNS) {
        (void)part_groups(stream, part, part->unit, part->units, 0);
        return;
    }
    for (uint64_t i = 0; i < part->units; i++)
        for (uint64_t half = 0; half < 2; half++)
            part_half(stream, part, 2 * (part->unit + i) + half, i * part->rows * room->unit_bytes,
                      (int64_t)half);
}

/* Blocks of the unified buffer to GM; lengths and gaps in bytes. */
struct blocks {
    uint64_t from, to;
    uint64_t count, length, from_gap, to_gap;
};

static void copy_out(struct stream *stream, const struct part *part, const struct blocks *blocks)
{
    struct insn *insn = stream_emit(stream, OP_DATA_COPY);
    if (insn == NULL)
        return;
    bool one = blocks->count == 1;
    insn->pipe = PIPE_MTE3;
    insn->operand[DATA_COPY_dst] = (struct operand){.region = REGION_OUTPUT, .offset = blocks->to};
    insn->operand[DATA_COPY_src] =
        (struct operand){.region = stream->lower->region_ub[part->slot], .offset = blocks->from};
    insn->field[DATA_COPY_blockCount] = (int64_t)blocks->count;
    insn->field[DATA_COPY_blockLen] = (int64_t)(blocks->length / BLOCK_BYTES);
    insn->field[DATA_COPY_srcGap] = one ? 0 : (int64_t)(blocks->from_gap / BLOCK_BYTES);
    insn->field[DATA_COPY_dstGap] = one ? 0 : (int64_t)(blocks->to_gap / BLOCK_BYTES);
}

/* Positions of a part that follow each other in the output; m counts from the tile's first one. A
 * row of fp32 is two planes wide, and its halves go to one each. */
static void part_copy(struct stream *stream, const struct part *part, uint64_t m, uint64_t count)
{
    const struct lower *lower = stream->lower;
    const struct conv *conv = &lower->plan->conv;
    const struct exit_room *room = &lower->room;
    uint64_t c0 = layout_output_c0(conv);
    uint64_t plane_row = c0 * element_bytes(conv->out_dtype);
    uint64_t plane = (uint64_t)conv->out[AXIS_H] * (uint64_t)conv->out[AXIS_W] * plane_row;
    bool split = plane_row < room->row_bytes;
    uint64_t from = (m - part->row * FRACTAL_ROWS) * room->row_bytes;
    uint64_t column = part->rows * room->unit_bytes, length = count * room->row_bytes;
    bool together = !split && plane - length <= COPY_GAP_MAX * (uint64_t)BLOCK_BYTES;
    for (uint64_t unit = 0; unit < part->units; unit += together ? part->units : 1) {
        struct blocks blocks = {
            .from = from + unit * column,
            .to = store_offset(stream, m, (part->unit + unit) * room->columns),
            .count = together ? part->units : 1,
            .length = length,
            .from_gap = column - length,
            .to_gap = plane - length,
        };
        if (!split) {
            copy_out(stream, part, &blocks);
            continue;
        }
        for (uint64_t half = 0; half < room->columns / c0; half++) {
            blocks.count = count;
            blocks.length = plane_row;
            blocks.from_gap = room->row_bytes - plane_row;
            blocks.to_gap = 0;
            copy_out(stream, part, &blocks);
            blocks.from += plane_row;
            blocks.to += plane; /* the second half may have no channel to ask the place of */
        }
    }
}

/* Through its slot to GM, with a copy for each run of the output that it has a piece of. */
static void part_store(struct stream *stream, const struct part *part)
{
    uint64_t first = part->row * FRACTAL_ROWS;
    uint64_t until = least(first + part->rows * FRACTAL_ROWS, stream->walk.item.m);
    stream_wait(stream, PIPE_MTE3, PIPE_VECTOR, ID_UB + part->slot);
    part_convert(stream, part);
    stream_set(stream, PIPE_VECTOR, PIPE_MTE3, ID_UB + part->slot);
    stream_wait(stream, PIPE_VECTOR, PIPE_MTE3, ID_UB + part->slot);
    for (uint64_t m = first; m < until;) {
        uint64_t count = least(store_length(stream, m), until - m);
        part_copy(stream, part, m, count);
        m += count;
    }
    stream_set(stream, PIPE_MTE3, PIPE_VECTOR, ID_UB + part->slot);
}

static void exit_parts(struct stream *stream)
{
    const struct exit_room *room = &stream->lower->room;
    uint64_t rows = ceil_div(stream->walk.item.m, FRACTAL_ROWS);
    uint64_t units = ceil_div(stream->walk.item.n0_count, room->columns);
    uint64_t row_step = least(room->units, rows);
    uint64_t unit_step = room->units < rows ? 1 : room->units / rows;
    for (uint64_t unit = 0; unit < units; unit += unit_step)
        for (uint64_t row = 0; row < rows; row += row_step) {
            struct part part = {
                .row = row,
                .rows = least(row_step, rows - row),
                .unit = unit,
                .units = least(unit_step, units - unit),
                .slot = stream->part_count++ % room->slots,
            };
            part_store(stream, &part);
        }
}

/* With two slots of L0C the next tile gets its bias before this one is waited for. */
void exit_store(struct stream *stream)
{
    const struct lower *lower = stream->lower;
    uint64_t slot = stream->item_count % lower->slots_l0c;
    bool biased = lower->bias_region != REGION_NONE, scaled = lower->quant_region != REGION_NONE;
    bool early = lower->slots_l0c > 1;
    if (biased && early && stream->has_next)
        exit_bias(stream, &stream->next, (stream->item_count + 1) % lower->slots_l0c);
    if (scaled)
        table_load(stream, &stream->walk.item, &stream->ub_quant_kept, ID_UB_QUANT);
    stream_set(stream, PIPE_CUBE, PIPE_VECTOR, ID_L0C + slot);
    stream_wait(stream, PIPE_CUBE, PIPE_VECTOR, ID_L0C + slot);
    exit_parts(stream);
    if (scaled)
        table_release(stream, &stream->walk, &stream->ub_quant_kept, ID_UB_QUANT);
    if (!biased)
        stream_set(stream, PIPE_VECTOR, PIPE_CUBE, ID_L0C + slot);
    else if (!early && stream->has_next)
        exit_bias(stream, &stream->next, slot);
}
