/*
 * What the rules of advice share. For model/advice*.c only.
 */
#ifndef CUBESIM_MODEL_ADVICE_RULES_H
#define CUBESIM_MODEL_ADVICE_RULES_H

#include "model/advice.h"

enum { PROPOSALS_MAX = 64 };

struct proposal {
    enum advice_rule rule;
    struct plan_change change;
    double hope;           /* share of the time that it may win back, 0..1 */
    const char *looked_at; /* in the arena */
};

struct adviser {
    const struct plan *plan;
    const struct product *product;
    const struct run_result *result;
    const struct tail *tail;
    struct arena *arena;
    enum advice_rule rule; /* the one at work */
    struct proposal list[PROPOSALS_MAX];
    uint32_t count;
    bool no_memory;
};

/* Adds a proposal of the rule at work, unless it changes nothing, is there or hopes for nothing.
 * The text is printf-like. */
void adviser_propose(struct adviser *adviser, double hope, const struct plan_change *change,
                     const char *format, ...) PRINTF_LIKE(4, 5);

/* Shares of the critical path, 0..1: what pipes of a kind do (busy, link and latency); what lies
 * between pipes (latencies, flags, barriers); dispatch and full queues. */
double path_of_pipe(const struct adviser *adviser, enum pipe pipe);
double path_of_stores(const struct adviser *adviser);
double path_of_handover(const struct adviser *adviser);
double path_of_dispatch(const struct adviser *adviser);

/* Share of the time that a pipe of the core that ends last waits for flags of another. */
double waits_for(const struct adviser *adviser, enum pipe pipe, enum pipe other);

/* The pipe that brings results out of L0C. */
enum pipe store_pipe(const struct adviser *adviser);

/* "34.1 %", "16,384"; "" without memory. */
const char *share_text(struct adviser *adviser, double share);
const char *count_text(struct adviser *adviser, uint64_t count);

double larger(double left, double right);

#define ADVICE(name, looks_at, when, proposes) void advise_##name(struct adviser *adviser);
#include "model/advice.def"
#undef ADVICE

#endif
