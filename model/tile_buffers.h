/*
 * One slot or two: how many slots of each buffer a plan asks for and how many fit.
 */
#ifndef CUBESIM_MODEL_TILE_BUFFERS_H
#define CUBESIM_MODEL_TILE_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan.h"

struct buffer_plan {
    uint64_t slot[BUFFER_COUNT];   /* bytes of one slot */
    uint64_t bias;                 /* bytes of bias and quantisation words in L1, one slot */
    uint64_t l1, l0a, l0b, l0c;    /* bytes that there are */
    uint64_t wanted[BUFFER_COUNT]; /* slots: as written, by flag, or the policy's default */
    uint64_t chosen[BUFFER_COUNT]; /* slots that fit; a written number is kept as it is */
    bool written[BUFFER_COUNT];
};

/* The policy as written, else the vendor's for its tile form and for matrix products, else pypto's.
 */
enum policy plan_policy(const struct plan *plan);

/* The word under which a buffer's slots are written. */
enum plan_word buffer_word(enum buffer buffer);

/* The slots of each buffer as written under schedule; 0: not written. */
void buffers_written(const struct plan *plan, uint64_t slots[BUFFER_COUNT]);

/* Chooses slots under a tile that the rules accept. Defaults that do not fit become 1; in L1 the
 * larger operand keeps its two slots where one of the two can. */
void buffers_choose(const struct plan *plan, const struct product *product, const struct tile *tile,
                    struct buffer_plan *choice);

/* Bytes of L1 with so many slots of A and of B, and the bias. */
uint64_t buffers_l1_bytes(const struct buffer_plan *choice, uint64_t a_slots, uint64_t b_slots);

#endif
