/*
 * What a run leaves on the table at its ends: how evenly its cores are loaded, and what the cube
 * multiplies besides the convolution or product itself.
 */
#ifndef CUBESIM_MODEL_TAIL_H
#define CUBESIM_MODEL_TAIL_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "model/plan.h"
#include "model/run.h"

/* Why the cube has to multiply more than there is. */
#define PADDING_LIST(ROW)                                                                          \
    ROW(M, "m")           /* rows of the last fractal of an L0 tile */                             \
    ROW(N, "n")           /* output channels up to 16 */                                           \
    ROW(K, "k")           /* of a matrix product: K up to C0 */                                    \
    ROW(C0, "c0")         /* of a convolution: input channels up to C0 */                          \
    ROW(GROUPS, "groups") /* both kinds of channels, where each group is padded by itself */

enum padding {
#define ROW(name, word) PADDING_##name,
    PADDING_LIST(ROW)
#undef ROW
        PADDING_COUNT
};

const char *padding_word(enum padding padding);

struct tail {
    /* of plans; tiles is NULL for a program */
    uint64_t *tiles;                 /* [core]: L0 tiles of the output */
    uint64_t tile_count;             /* of all cores */
    uint64_t rounds;                 /* tiles of the core that has most */
    uint64_t useful_macs;            /* of the cube; kernel depths in the padding are left out */
    uint64_t padding[PADDING_COUNT]; /* MACs; with useful_macs all that the cube does */

    uint64_t idle_cores; /* of the product: they have no instruction, or are not used */
    double mean_cycles;  /* last completion of the cores that have one, on average */
    double imbalance;    /* slowest core / mean - 1; 0 when nothing took time */
};

/* plan: resolved; NULL: result is that of a program. NO_MEMORY or OK. */
enum status tail_find(const struct plan *plan, const struct product *product,
                      const struct run_result *result, struct arena *arena,
                      struct tail *tail) MUST_CHECK;

#endif
