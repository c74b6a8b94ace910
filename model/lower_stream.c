/*
 * The stream of one core: made one K step at a time, so that neither a program nor a tile of it has
 * to lie in memory.
 *
 * At its begin every slot is announced as free, at its end all these flags are waited for, so that
 * each flag is set as often as it is waited for.
 */
#include "model/lower_stream.h"

#include <assert.h>
#include <string.h>

enum { BUFFER_FIRST = 64 };

static bool stream_grow(struct stream *stream)
{
    uint32_t room = stream->buffer_room == 0 ? BUFFER_FIRST : stream->buffer_room * 2;
    struct insn *buffer = arena_take(stream->arena, room, sizeof *buffer);
    if (buffer == NULL) {
        stream->failed = true;
        return false;
    }
    if (stream->buffer_count > 0)
        memcpy(buffer, stream->buffer, stream->buffer_count * sizeof *buffer);
    stream->buffer = buffer;
    stream->buffer_room = room;
    return true;
}

struct insn *stream_emit(struct stream *stream, enum opcode opcode)
{
    if (stream->buffer_count == stream->buffer_room && !stream_grow(stream))
        return NULL;
    struct insn *insn = &stream->buffer[stream->buffer_count++];
    insn_copy(insn, &stream->lower->shape[opcode]);
    insn->tile = (uint32_t)stream->item_count;
    return insn;
}

void stream_set(struct stream *stream, enum pipe source, enum pipe target, uint64_t id)
{
    struct insn *insn = stream_emit(stream, OP_SET_FLAG);
    if (insn == NULL)
        return;
    insn->pipe = (uint8_t)source;
    insn->field[SET_FLAG_src] = source;
    insn->field[SET_FLAG_dst] = target;
    insn->field[SET_FLAG_id] = (int64_t)id;
}

void stream_wait(struct stream *stream, enum pipe source, enum pipe target, uint64_t id)
{
    struct insn *insn = stream_emit(stream, OP_WAIT_FLAG);
    if (insn == NULL)
        return;
    insn->pipe = (uint8_t)target;
    insn->field[WAIT_FLAG_src] = source;
    insn->field[WAIT_FLAG_dst] = target;
    insn->field[WAIT_FLAG_id] = (int64_t)id;
}

uint64_t item_k(const struct lower *lower, const struct item *item)
{
    return item->kd_count * lower->k_depth;
}

uint64_t side_chunks(const struct lower *lower, const struct item *item, enum side side)
{
    return item->kd_count * ceil_div(lower->k_depth, lower->k_chunk[side]);
}

typedef void flag_action(struct stream *stream, enum pipe source, enum pipe target, uint64_t id);

/* Every flag that says "this slot is free". */
static void stream_free_flags(struct stream *stream, flag_action *action)
{
    const struct lower *lower = stream->lower;
    bool biased = lower->region_bt != REGION_NONE;
    for (uint64_t slot = 0; slot < lower->slots_l1[SIDE_A]; slot++)
        action(stream, PIPE_MTE1, PIPE_MTE2, ID_L1A + slot);
    for (uint64_t slot = 0; slot < lower->slots_l1[SIDE_B]; slot++)
        action(stream, PIPE_MTE1, PIPE_MTE2, ID_L1B + slot);
    if (biased)
        action(stream, PIPE_MTE1, PIPE_MTE2, ID_BIAS);
    for (uint64_t slot = 0; slot < lower->slots_l0[SIDE_A]; slot++)
        action(stream, PIPE_CUBE, PIPE_MTE1, ID_L0 + slot);
    if (lower->slots_l0[SIDE_A] != lower->slots_l0[SIDE_B])
        for (uint64_t slot = 0; slot < lower->slots_l0[SIDE_B]; slot++)
            action(stream, PIPE_CUBE, PIPE_MTE1, lower->id_l0b + slot);
    if (biased)
        action(stream, PIPE_CUBE, PIPE_MTE1, ID_BT);
    if (lower->region_fb != REGION_NONE)
        action(stream, PIPE_FIXP, PIPE_MTE2, ID_QUANT);
    /* A slot of L0C with a broadcast bias is handed over by the broadcast. */
    bool broadcast = lower->out_pipe == PIPE_VECTOR && lower->bias_region != REGION_NONE;
    if (!lower->plan->schedule.unit_flag && !broadcast)
        for (uint64_t slot = 0; slot < lower->slots_l0c; slot++)
            action(stream, lower->out_pipe, PIPE_CUBE, ID_L0C + slot);
    for (uint64_t slot = 0; slot < lower->room.slots; slot++)
        action(stream, PIPE_MTE3, PIPE_VECTOR, ID_UB + slot);
    if (lower->room.bias_bytes > 0)
        action(stream, PIPE_VECTOR, PIPE_MTE2, ID_UB_BIAS);
    if (lower->room.quant_bytes > 0)
        action(stream, PIPE_VECTOR, PIPE_MTE2, ID_UB_QUANT);
}

/* Whether stores take L0C along N first, as those do that make rows or join groups of 8-bit
 * columns; with unit flags Mmad should go that way too. */
static bool stream_stores_rows(const struct stream *stream)
{
    const struct plan *plan = stream->lower->plan;
    bool joins =
        plan->conv.output_format == FORMAT_NC1HWC0 && element_bits(plan->conv.out_dtype) == 8;
    return plan->schedule.unit_flag && (plan->conv.output_format == FORMAT_NHWC || joins);
}

static void stream_begin(struct stream *stream)
{
    stream->begun = true;
    stream->repeat_time = 1;
    stream->next = stream->walk;
    stream->has_next = walk_next(&stream->next);
    feeder_begin(stream, SIDE_A);
    feeder_begin(stream, SIDE_B);
    stream_emit(stream, OP_SET_PADDING_VALUE);
    if (stream_stores_rows(stream))
        stream_emit(stream, OP_SET_MM_ROW_MAJOR);
    if (stream->lower->plan->conv.hf32_bits != 0)
        stream_emit(stream, OP_SET_HF32_MODE);
    stream_free_flags(stream, stream_set);
}

static void stream_item_done(struct stream *stream)
{
    tile_store(stream);
    feeder_item_done(stream, SIDE_A);
    feeder_item_done(stream, SIDE_B);
    stream->item_count++;
    stream->k = 0;
    if (!stream->has_next) {
        stream_free_flags(stream, stream_wait);
        stream->ended = true;
        return;
    }
    stream->walk = stream->next;
    stream->has_next = walk_next(&stream->next);
}

static void stream_refill(struct stream *stream)
{
    stream->buffer_at = stream->buffer_count = 0;
    if (!stream->begun)
        stream_begin(stream);
    if (stream->k == 0)
        tile_begin(stream);
    tile_step(stream);
    if (stream->k == item_k(stream->lower, &stream->walk.item))
        stream_item_done(stream);
}

static bool stream_next(void *opaque, struct insn *insn)
{
    struct stream *stream = opaque;
    if (stream->buffer_at == stream->buffer_count) {
        if (stream->ended || stream->failed)
            return false;
        stream_refill(stream);
    }
    if (stream->failed)
        return false; /* what was made of this step is not whole */
    insn_copy(insn, &stream->buffer[stream->buffer_at++]);
    return true;
}

static enum status stream_ended(void *opaque)
{
    const struct stream *stream = opaque;
    return stream->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static void *stream_open(void *opaque, uint32_t core, struct arena *arena)
{
    const struct lower *lower = opaque;
    struct stream *stream = arena_take(arena, 1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->lower = lower;
    stream->arena = arena;
    stream->ended = !walk_begin(&stream->walk, lower->plan, core);
    return stream_grow(stream) ? stream : NULL;
}

void stream_attach(struct program *program, struct lower *lower)
{
    program->context = lower;
    program->open = stream_open;
    program->next = stream_next;
    program->ended = stream_ended;
}
