/*
 * Which chunk of A and B is loaded when, and when its slot is free again.
 *
 * reload: every L0 tile loads its own chunks (what pypto emits). keep: chunks stay while the next
 * item needs the same ones and all of them fit into the slots. prefetch: keep, and the load after
 * the present one is issued before the present one is used, when there is a second slot. Kernels
 * for matrix products issue it behind the step that begins or hands back a chunk, that of B first.
 */
#include <assert.h>

#include "model/lower_stream.h"

static bool feeder_may_keep(const struct lower *lower, const struct item *item, enum side side)
{
    return lower->plan->schedule.residency != RESIDENCY_RELOAD &&
           side_chunks(lower, item, side) <= lower->slots_l1[side];
}

static bool item_same(const struct item *left, const struct item *right, enum side side)
{
    return side == SIDE_A ? item_same_a(left, right) : item_same_b(left, right);
}

bool side_kept(const struct stream *stream, enum side side)
{
    return stream->has_next && feeder_may_keep(stream->lower, &stream->walk.item, side) &&
           item_same(&stream->walk.item, &stream->next.item, side);
}

void feeder_begin(struct stream *stream, enum side side)
{
    struct feeder *feeder = &stream->feeder[side];
    *feeder = (struct feeder){.side = side, .walk = stream->walk};
}

/* Moves on to the next chunk that has to be loaded. */
static void feeder_step(struct stream *stream, struct feeder *feeder)
{
    const struct lower *lower = stream->lower;
    if (++feeder->chunk < side_chunks(lower, &feeder->walk.item, feeder->side))
        return;
    struct item previous = feeder->walk.item;
    bool keeps = feeder_may_keep(lower, &previous, feeder->side);
    do {
        if (!walk_next(&feeder->walk)) {
            feeder->ended = true;
            return;
        }
    } while (keeps && item_same(&previous, &feeder->walk.item, feeder->side));
    feeder->chunk = 0;
}

static void feeder_load(struct stream *stream, struct feeder *feeder)
{
    assert(!feeder->ended);
    enum side side = feeder->side;
    uint64_t slot = feeder->loaded % stream->lower->slots_l1[side];
    uint64_t id = (side == SIDE_A ? ID_L1A : ID_L1B) + slot;
    stream_wait(stream, PIPE_MTE1, PIPE_MTE2, id);
    load_chunk(stream, side, &feeder->walk.item, feeder->chunk, slot);
    stream_set(stream, PIPE_MTE2, PIPE_MTE1, id);
    feeder->loaded++;
    feeder_step(stream, feeder);
}

void feeder_need(struct stream *stream, enum side side, uint64_t chunk)
{
    struct feeder *feeder = &stream->feeder[side];
    uint64_t number = feeder->base + chunk;
    if (feeder->loaded == number)
        feeder_load(stream, feeder);
    assert(feeder->loaded > number);
}

void feeder_ahead(struct stream *stream, enum side side, enum prefetch moment)
{
    struct feeder *feeder = &stream->feeder[side];
    bool ahead = stream->lower->prefetch == moment && stream->lower->slots_l1[side] > 1;
    /* Only into a slot that is already handed back: MTE2 works in order, and a load that waits for
     * a chunk still in use would hold up the loads that this use needs. */
    bool room = feeder->loaded < feeder->released + stream->lower->slots_l1[side];
    if (ahead && room && !feeder->ended)
        feeder_load(stream, feeder);
}

void feeder_arrive(struct stream *stream, enum side side, uint64_t chunk)
{
    struct feeder *feeder = &stream->feeder[side];
    uint64_t number = feeder->base + chunk;
    if (feeder->announced > number)
        return;
    assert(feeder->announced == number);
    feeder->announced++;
    stream_wait(stream, PIPE_MTE2, PIPE_MTE1,
                (side == SIDE_A ? ID_L1A : ID_L1B) + number % stream->lower->slots_l1[side]);
}

void feeder_release(struct stream *stream, enum side side, uint64_t chunk)
{
    if (side_kept(stream, side))
        return;
    uint64_t number = stream->feeder[side].base + chunk;
    stream->feeder[side].released++;
    stream_set(stream, PIPE_MTE1, PIPE_MTE2,
               (side == SIDE_A ? ID_L1A : ID_L1B) + number % stream->lower->slots_l1[side]);
}

void feeder_item_done(struct stream *stream, enum side side)
{
    if (!side_kept(stream, side))
        stream->feeder[side].base += side_chunks(stream->lower, &stream->walk.item, side);
}
