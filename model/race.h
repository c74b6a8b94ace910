/*
 * Conflicting accesses that nothing orders: two instructions touch a byte, one of them writes it,
 * and no chain of flags, locks and barriers puts one behind the other (model/clocks.h).
 *
 * Each memory has a shadow that knows, byte by byte, who wrote it last and who has read it since.
 * What the effects tell (isa/view.h) is gathered for an instruction, judged against the shadow and
 * then put into it. Cores are never ordered: what one writes in GM no other may touch, unless both
 * add atomically.
 */
#ifndef CUBESIM_MODEL_RACE_H
#define CUBESIM_MODEL_RACE_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/machine.h"
#include "isa/program.h"
#include "model/clocks.h"
#include "model/finding.h"

struct race_options {
    const struct program *program;
    const struct machine *machine;    /* at work; says which accesses are atomic additions */
    uint64_t size_bytes[SPACE_COUNT]; /* of the on-chip memories */
    uint64_t accumulate_below;   /* an Mmad with fewer fractals of C may not add to the C of the
                                    Mmad before it without a barrier (docs/hazards.md) */
    const struct clocks *clocks; /* of the core at work */
    const struct finding_sink *sink;
};

struct race; /* opaque: large */

enum status race_open(const struct race_options *options, struct arena *arena,
                      struct race **race) MUST_CHECK;
void race_close(struct race *race);

/* What follows belongs to another core, whose on-chip memories nobody has touched. */
void race_core(struct race *race, uint32_t core);

/* An instruction begins; its accesses go to race_access (context: the race); it ends. NO_MEMORY at
 * the end when something was not kept. */
void race_begin(struct race *race, const struct insn *insn, uint32_t seq);
access_sink race_access;
enum status race_end(struct race *race) MUST_CHECK;

#endif
