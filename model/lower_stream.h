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
    ID_L0B = 3,     /* CUBE -> MTE1 when L0A and L0B have different numbers of slots */
    ID_L0B_LOW = 2, /* the same without a bias table, so that four ids are enough */
    ID_L0C = 0,     /* CUBE <-> FIXP or VECTOR, by slot */
    ID_QUANT = 0,   /* MTE2 <-> FIXP */
    ID_UB = 0,      /* VECTOR <-> MTE3, by slot */
    ID_UB_BIAS = 0, /* MTE2 <-> VECTOR */
    ID_UB_QUANT = 1,
};

/* How results pass the unified buffer: by slots of so many units. A unit is 16 rows of one column
 * group of L0C; of 8-bit outputs, which lie there in rows of 32, of two. */
struct exit_room {
    uint64_t slots, units; /* units of a slot */
    uint64_t columns;      /* of a unit: 16 or 32 */
    uint64_t row_bytes, unit_bytes;
    uint64_t bias_bytes, quant_bytes; /* tables of a tile, beside the slots */
};

/* When the chunk after the present one is asked for. */
enum prefetch {
    PREFETCH_NEVER,
    PREFETCH_WITH_CHUNK,  /* right behind the present one, as kernels for convolutions do */
    PREFETCH_BEHIND_MMAD, /* as soon as a slot is free, as those for matrix products do, B first */
};

/* What all cores of a lowered plan share. */
struct lower {
    const struct plan *plan;
    enum arch arch;
    uint32_t bias_region;               /* GM; REGION_NONE without bias */
    uint32_t region_l1[2][SLOTS_MAX];   /* of A and B, by slot */
    uint32_t region_l1_bias, region_bt; /* region_bt: REGION_NONE when it is not used */
    uint32_t quant_region;              /* GM; REGION_NONE unless every channel has its own scale */
    uint32_t region_l1_quant, region_fb; /* region_fb: REGION_NONE when it is not used */
    uint64_t fb_block_bytes;             /* unit of load_fb */
    enum pipe out_pipe;                  /* that empties L0C: FIXP, or VECTOR without a fixpipe */
    uint64_t id_l0b;                     /* ID_L0B or ID_L0B_LOW */
    bool b_by_rows;                      /* B has one kernel point and comes to L1 by ND2NZ */
    struct exit_room room;
    uint32_t region_ub[SLOTS_MAX], region_ub_bias, region_ub_quant;
    uint32_t region_l0[2][SLOTS_MAX]; /* of A and B */
    uint32_t region_l0c[SLOTS_MAX];
    uint64_t c0, points, element_bytes; /* points: Kh * Kw */
    uint64_t k_depth;                   /* K of one kernel depth */
    uint64_t k_chunk[2];                /* of A and B in L1 */
    uint64_t slots_l1[2], slots_l0[2], slots_l0c;
    enum prefetch prefetch;
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
    bool ub_bias_kept,
        ub_quant_kept;   /* the tables in the unified buffer are those of the next use */
    uint64_t part_count; /* parts of tiles that went through the unified buffer */
    struct window fmatrix_rows, fmatrix_cols;
    bool fmatrix_set;
    int64_t repeat_time, repeat_stride;

    struct insn *buffer; /* instructions made and not yet pulled */
    uint32_t buffer_count, buffer_at, buffer_room;
    bool failed; /* memory ran out */
};

/* lower_check.c */
enum status lower_check(const struct plan *plan, struct diag *diag) MUST_CHECK;

/* Weights of one kernel point that lie in GM as rows of channels go to L1 by ND2NZ, if its fields
 * hold the pitch; rows of output channels only where there is no DN2NZ for them. */
bool lower_by_rows(const struct conv *conv, enum arch arch);

/* Such rows of output channels are turned over by the load to L0B. */
static inline bool lower_turns(const struct lower *lower)
{
    return lower->b_by_rows && lower->plan->conv.weight_format == FORMAT_HWCN;
}

/* Where there is no bias table, L0B can take the id of the bias. */
static inline uint64_t lower_id_l0b(enum arch arch)
{
    return arch_has_vector_exit(arch) ? ID_L0B_LOW : ID_L0B;
}

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
/* The values of a tile's channels from GM to a region. */
void load_bias(struct stream *stream, const struct item *item, uint32_t region);
void load_quant(struct stream *stream, const struct item *item, uint32_t region);

/* lower_feed.c */
void feeder_begin(struct stream *stream, enum side side);
/* Issues the load of a chunk of the present item, unless it is there. */
void feeder_need(struct stream *stream, enum side side, uint64_t chunk);
/* Where this is the moment to prefetch, issues the load after those that were issued, if a second
 * slot is free. */
void feeder_ahead(struct stream *stream, enum side side, enum prefetch moment);
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
/* Positions of the tile that one store takes from position m on: what is left of an output row, or
 * all that follow each other in GM. */
uint64_t store_length(const struct stream *stream, uint64_t m);
/* Where position m and channel n of the tile lie in the output, in bytes. */
uint64_t store_offset(const struct stream *stream, uint64_t m, uint64_t n);

/* lower_exit.c */
void exit_begin(struct stream *stream);
void exit_store(struct stream *stream);
/* The room for results of a plan on a product without a fixpipe. False when the tables of a tile
 * and one unit, which take *bytes, do not fit. */
bool exit_room_find(const struct plan *plan, struct exit_room *room, uint64_t *bytes);

#endif
