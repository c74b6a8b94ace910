/*
 * Inside of the lowering: the state of one core's stream, shared by its files.
 */
#ifndef CUBESIM_MODEL_LOWER_STREAM_H
#define CUBESIM_MODEL_LOWER_STREAM_H

#include "isa/program.h"
#include "model/lower.h"
#include "model/lower_walk.h"

enum { SLOTS_MAX = 2 };

/* Event ids of an ordered pipe pair (docs/tiling.md, lowering). */
enum {
    ID_L1A = 0, /* MTE2 <-> MTE1, by slot */
    ID_L1B = 2,
    ID_BIAS = 4,
    ID_L0 = 0, /* MTE1 <-> CUBE, by slot */
    ID_BT = 2,
    ID_L0B = 3,   /* CUBE -> MTE1 when L0A and L0B have different numbers of slots */
    ID_L0C = 0,   /* CUBE <-> FIXP, by slot */
    ID_QUANT = 0, /* MTE2 <-> FIXP */
};

/* What all cores of a lowered plan share. */
struct lower {
    const struct plan *plan;
    enum arch arch;
    uint32_t bias_region;             /* GM; REGION_NONE without bias */
    uint32_t region_l1[2][SLOTS_MAX]; /* of A and B, by slot */
    uint32_t region_l1_bias, region_bt;
    uint32_t quant_region; /* GM; REGION_NONE unless every channel has its own scale */
    uint32_t region_l1_quant, region_fb;
    uint64_t fb_block_bytes;          /* unit of load_fb */
    uint32_t region_l0[2][SLOTS_MAX]; /* of A and B */
    uint32_t region_l0c[SLOTS_MAX];
    uint64_t c0, points, element_bytes; /* points: Kh * Kw */
    uint64_t k_depth;                   /* K of one kernel depth */
    uint64_t k_chunk[2];                /* of A and B in L1 */
    uint64_t slots_l1[2], slots_l0[2], slots_l0c;
    uint64_t barrier_below;      /* fractals of C */
    struct insn shape[OP_COUNT]; /* instructions with initial fields */
};

enum side { SIDE_A, SIDE_B };

/*
 * The loads of one operand from GM to L1, in the order in which chunks are needed. Loads are
 * numbered over the stream; load i lies in slot i % slots.
 */
struct feeder {
    enum side side;
    struct walk walk; /* item of the next load */
    bool ended;
    uint64_t chunk;     /* of that item */
    uint64_t loaded;    /* loads issued */
    uint64_t base;      /* number of the first chunk of the present item's loads */
    uint64_t released;  /* loads whose slot was handed back */
    uint64_t announced; /* loads whose full flag MTE1 has waited for */
};

struct stream {
    const struct lower *lower;
    struct arena *arena;
    struct walk walk, next; /* next: the item after the present one */
    bool has_next, begun, ended;
    struct feeder feeder[2];
    uint64_t item_count, step_count; /* items begun, K steps issued */
    uint64_t k;                      /* position in the K of the present item */
    bool bias_fresh;                 /* the bias table was loaded for the present item */
    struct item bias_item;           /* the last item that used it */
    struct item quant_item;          /* the item that the quantisation words were loaded for */
    struct window fmatrix_rows, fmatrix_cols;
    bool fmatrix_set;
    int64_t repeat_time, repeat_stride;

    struct insn *buffer; /* instructions made and not yet pulled */
    uint32_t buffer_count, buffer_at, buffer_room;
    bool failed; /* memory ran out */
};

/* lower_stream.c */
void stream_attach(struct program *program, struct lower *lower);
struct insn *stream_emit(struct stream *stream, enum opcode opcode);
void stream_set(struct stream *stream, enum pipe source, enum pipe target, uint64_t id);
void stream_wait(struct stream *stream, enum pipe source, enum pipe target, uint64_t id);
uint64_t item_k(const struct lower *lower, const struct item *item);
uint64_t side_chunks(const struct lower *lower, const struct item *item, enum side side);
/* The item's chunks of this operand stay in L1 for the next item. */
bool side_kept(const struct stream *stream, enum side side);

/* lower_load.c: one chunk from GM to L1. */
void load_chunk(struct stream *stream, enum side side, const struct item *item, uint64_t chunk,
                uint64_t slot);
void load_bias(struct stream *stream, const struct item *item);
void load_quant(struct stream *stream, const struct item *item);

/* lower_feed.c */
void feeder_begin(struct stream *stream, enum side side);
/* Issues what is needed for a chunk of the present item and, with prefetch, the load after it. */
void feeder_need(struct stream *stream, enum side side, uint64_t chunk);
/* Before the first use of a chunk: MTE1 waits until it lies in L1. */
void feeder_arrive(struct stream *stream, enum side side, uint64_t chunk);
/* After the last use of a chunk: hands its slot back. */
void feeder_release(struct stream *stream, enum side side, uint64_t chunk);
void feeder_item_done(struct stream *stream, enum side side);

/* lower_load3d.c */
struct load3d_place {
    uint64_t from, chunk, count; /* K inside the chunk, K of the whole chunk, K to load */
};
/* The image size and padding, and the repeat, where they have changed. */
void load3d_registers(struct stream *stream);
/* The rows of the present item and a range of K, from a chunk in L1 to an L0A slot. */
void load3d_block(struct stream *stream, struct load3d_place place, uint32_t source,
                  uint32_t target);

/* lower_tile.c */
void tile_begin(struct stream *stream);
void tile_step(struct stream *stream);

/* lower_store.c */
void tile_quant(struct stream *stream);
void tile_store(struct stream *stream);

#endif
