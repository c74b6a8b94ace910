/*
 * What a functional run finds: each hazard and note is told once, with the instruction that showed
 * it first, and hazards are counted however often they come.
 */
#ifndef CUBESIM_MODEL_RUN_FINDINGS_H
#define CUBESIM_MODEL_RUN_FINDINGS_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/machine.h"
#include "model/finding.h"
#include "model/run.h"

/* Keys of the findings that were told: open addressing, 0 is empty. Once RUN_HAZARDS_MAX of a kind
 * are in it, no more of the kind are kept anyway. */
enum { TOLD_SLOTS = 16384 };
_Static_assert(TOLD_SLOTS * 3 >= HAZARD_COUNT * RUN_HAZARDS_MAX * 5, "the table stays sparse");
_Static_assert(RUN_NOTES_MAX <= RUN_HAZARDS_MAX, "no note is lost that would be kept");

struct told {
    uint64_t key[TOLD_SLOTS];
    uint32_t count[HAZARD_COUNT];
};

/* The first four are its owner's to fill, the rest is zeroed. */
struct run_findings {
    struct run_result *result;
    struct arena *arena; /* of the result */
    uint32_t core, seq;  /* of the instruction at work */
    struct told hazards, notes;
    enum status status; /* NO_MEMORY sticks */
};

/* What effects say about the instruction at work; context: the findings. */
hazard_sink findings_hazard;
note_sink findings_note;

/* For a finding_sink. */
void findings_take(void *context, const struct finding *finding);

/* Adds a hazard of the core at work, whatever was told before. */
void findings_add(struct run_findings *findings, enum hazard_kind kind, uint32_t seq, uint32_t line,
                  const char *message);

#endif
