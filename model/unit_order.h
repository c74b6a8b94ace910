/*
 * The order that unit flags make between Mmad and Fixpipe (model/unit_flag.h), and their misuse.
 *
 * An Mmad that sets the flags of blocks comes before the Fixpipe that waits for these, a Fixpipe
 * that clears them before the next Mmad that does.
 */
#ifndef CUBESIM_MODEL_UNIT_ORDER_H
#define CUBESIM_MODEL_UNIT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/program.h"
#include "model/clocks.h"
#include "model/finding.h"
#include "model/unit_flag.h"

/* The instruction that changed the unit flag of a block of L0C last in one direction, and what was
 * done then. */
struct unit_hand {
    struct insn_ref ref;
    struct clock clock;
    bool wide;      /* of an Mmad: its C has several rows and several columns of fractals */
    bool row_major; /* made along N first */
};

/* Of the core at work. The first four are its owner's to fill. */
struct unit_order {
    const struct program *program;
    uint64_t l0c_bytes;
    const struct finding_sink *sink;
    struct clocks *clocks;      /* told what comes behind what */
    struct unit_blocks set;     /* blocks whose unit flag is set */
    struct unit_blocks cleared; /* blocks whose unit flag was ever cleared */
    struct unit_hand maker[UNIT_BLOCKS_MAX], taker[UNIT_BLOCKS_MAX]; /* who set, who cleared it */
};

/* Nothing has happened: a new core. */
void unit_order_reset(struct unit_order *order);

/* Whether an Mmad or a Fixpipe may begin; puts it behind what it waits for. */
bool unit_order_take(struct unit_order *order, const struct insn *insn);

/* It was executed, as number seq of the stream. Whether it changed flags. */
bool unit_order_change(struct unit_order *order, const struct insn *insn, uint32_t seq);

/* The stream has ended: tells the Mmads whose flags are still set. */
void unit_order_finish(const struct unit_order *order);

#endif
