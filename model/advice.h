/*
 * What to try next on a plan that was run: changes that rules propose (advice.def) and that a
 * simulation of time, at the nominal numbers of the product, has found to be faster.
 *
 * Proposals are legal plans, tried in the order of the share of the time that they may win back.
 * How many are simulated is bounded, by number and by instructions; both are counted, so the answer
 * is the same everywhere.
 */
#ifndef CUBESIM_MODEL_ADVICE_H
#define CUBESIM_MODEL_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/plan_change.h"
#include "model/run.h"
#include "model/tail.h"

enum advice_rule {
#define ADVICE(name, looks_at, when, proposes) ADVICE_##name,
#include "model/advice.def"
#undef ADVICE
    ADVICE_RULE_COUNT
};

/* "second_l0c". */
const char *advice_rule_word(enum advice_rule rule);

enum advice_effort {
    ADVICE_NONE,
    ADVICE_SOME, /* ADVICE_TRIES proposals, and no new one after so many instructions */
    ADVICE_ALL,  /* every proposal */
};

enum { ADVICE_TRIES = 8, ADVICE_INSTRUCTIONS = 2000000, ADVICE_KEPT = 5 };

struct suggestion {
    struct plan_change change;
    const char *text;      /* "l0c_buffers 2" */
    const char *looked_at; /* a sentence with the numbers that the rule saw */
    const char *rule;      /* its word, "both" of two together */
    tick cycles;           /* of the changed plan, less than those of the run */
};

struct advice {
    struct suggestion single[ADVICE_KEPT]; /* the fastest first */
    uint32_t count;
    bool has_both; /* the fastest and the next that goes with it are faster together */
    struct suggestion both;
    uint32_t partner;   /* of the fastest in both: its index in single */
    uint32_t simulated; /* plans */
};

/* What was run. */
struct advised {
    const struct plan *plan; /* resolved */
    const struct run_result *result;
    const struct tail *tail;
};

/* Texts live in the arena. An empty advice for a run that took no time or stood for ever.
 * NO_MEMORY, or LIMIT like a run; anything else about a proposal makes it none. */
enum status advice_find(const struct advised *advised, enum advice_effort effort,
                        struct arena *arena, struct advice *advice) MUST_CHECK;

/* All suggestions of an advice by their cycles: singles and both. Returns how many. */
uint32_t advice_ranked(const struct advice *advice,
                       const struct suggestion *ranked[ADVICE_KEPT + 1]);

/* How much less time a suggestion takes, in percent of the run. */
double suggestion_gain(const struct suggestion *suggestion, tick cycles);

#endif
