/*
 * The roofline of a run: what it reached at each level of the memories against what the product
 * allows the cores that it uses.
 *
 * Rates are of all cores of the run together. A level is served by a rate of bytes; MTE1 loads L0A
 * and L0B one after the other, so they have a joint limit, too. No level can be over its roof.
 */
#ifndef CUBESIM_MODEL_ROOFLINE_H
#define CUBESIM_MODEL_ROOFLINE_H

#include <stdint.h>

#include "model/product.h"

/* name, word, how people write it */
#define ROOF_LEVEL_LIST(ROW)                                                                       \
    ROW(GM, "gm", "GM")       /* bytes that L2 does not hold, to L1 */                             \
    ROW(L2, "l2", "L2")       /* bytes that L2 holds, to L1 */                                     \
    ROW(L0A, "l0a", "L1-L0A") /* */                                                                \
    ROW(L0B, "l0b", "L1-L0B") /* */                                                                \
    ROW(MTE1, "mte1", "MTE1") /* both of these */                                                  \
    ROW(L0C, "l0c", "L0C")    /* stores to L2; without a fixpipe bytes from L0C to UB */           \
    ROW(CUBE, "cube", "CUBE") /* the cube itself, no bytes */

enum roof_level {
#define ROW(name, word, text) ROOF_##name,
    ROOF_LEVEL_LIST(ROW)
#undef ROW
        ROOF_COUNT
};

const char *roof_word(enum roof_level level);
const char *roof_text(enum roof_level level);

struct roof {
    uint64_t bytes;              /* that passed in the run */
    double bytes_per_cycle;      /* over all its cycles */
    double roof_bytes_per_cycle; /* 0: none passed, or the cube */
    double macs_per_byte;        /* arithmetic intensity; 0 without bytes */
    double roof_macs_per_cycle;  /* at this intensity; 0: there is no roof */
    double reached;              /* 0..1 of the roof, in bytes or, of the cube, in MACs */
};

struct roofline {
    double macs_per_cycle; /* useful */
    struct roof level[ROOF_COUNT];
    enum roof_level nearest; /* most of it is reached; ROOF_COUNT: there is none */
};

struct run_result;

/* Of a run on a product. */
void roofline_find(const struct run_result *result, const struct product *product,
                   struct roofline *roofline);

#endif
