/*
 * The bytes that one instruction touches, gathered from what its effect tells piece by piece.
 *
 * Pieces come in an order of their own, and on chip there are many small ones. On-chip memories
 * therefore have a bit for each block, which spares sorting; pieces in GM are kept as they come.
 */
#ifndef CUBESIM_MODEL_RACE_STRETCH_H
#define CUBESIM_MODEL_RACE_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/insn.h"
#include "model/race_shadow.h"

/* Bytes [from, to) that an instruction touches without a gap. */
struct stretch {
    uint64_t from, to;
    uint32_t space, region; /* region: of GM, else 0 */
    enum access_kind kind;
};

/* What an instruction touches of a page of the shadow. */
struct touch {
    uint64_t page;
    uint32_t space, region; /* region: of GM, else 0 */
    enum access_kind kind;
    struct page_bytes bytes; /* at least one; the mask lives only during the call */
};
typedef void touch_taker(void *context, const struct touch *touch);

/* Blocks of 32 B of an on-chip memory that an instruction touches. */
struct block_bits {
    uint64_t *whole;      /* a bit for each block that is touched as a whole */
    uint64_t *part;       /* a bit for each block that has a mask */
    uint32_t *mask;       /* [block]: a bit for each byte that is touched */
    uint64_t first, last; /* words of whole and part that have bits; first > last: none has */
};

struct stretches {
    struct stretch *item; /* array_grow; of GM, as they were told */
    size_t capacity, count;
    size_t open[ACCESS_KINDS]; /* the stretch of GM of the kind that was told last, plus 1 */
    struct block_bits bits[ACCESS_ATOMIC][SPACE_COUNT]; /* reads and writes on chip */
    bool failed;                                        /* memory ran out */
};

/* stretches is zeroed; sizes of the on-chip memories by space. */
enum status stretches_open(struct stretches *stretches, const uint64_t size_bytes[SPACE_COUNT],
                           struct arena *arena) MUST_CHECK;
void stretches_close(struct stretches *stretches);

/* Another instruction begins: none of its bytes are known. */
void stretches_begin(struct stretches *stretches);

/* It reads or writes bytes [from, to) of an on-chip memory, at least one. */
void stretches_add_chip(struct stretches *stretches, enum space space, bool write, uint64_t from,
                        uint64_t to);

/* It touches these bytes of GM, at least one. */
void stretches_add_gm(struct stretches *stretches, const struct stretch *told);

/* Hands on all that was added, each page of a kind once: GM, then on chip, reads before writes,
 * bytes ascending; forgets what was on chip. */
void stretches_settle(struct stretches *stretches, touch_taker *take, void *context);

#endif
