/*
 * What a check of a running program found: a hazard, or a note that is no hazard.
 *
 * A loop can show the same fault at each of its turns. Findings with the same key are told once and
 * counted all: the key is made of the lines of a program file, or of a lowered program, which has
 * no lines, of what its instructions are and touch.
 */
#ifndef CUBESIM_MODEL_FINDING_H
#define CUBESIM_MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"
#include "isa/machine.h"
#include "model/insn_ref.h"

struct finding {
    bool note; /* nothing is wrong, but the documents advise against it: kind does not count */
    enum hazard_kind kind;
    struct insn_ref where;
    uint64_t key;
    const char *message; /* lives only during the call */
};

/* Takes what is found; context belongs to the receiver. */
struct finding_sink {
    void (*take)(void *context, const struct finding *finding);
    void *context;
};

/* Hands a finding on with a message. */
void finding_tell(const struct finding_sink *sink, const struct finding *finding,
                  const char *format, ...) PRINTF_LIKE(3, 4);

/* A finding about one instruction and what it names by a number, a flag or the like. */
struct finding finding_about(enum hazard_kind kind, const struct insn_ref *where, uint64_t number);

/* A key of the given values, in their order. */
uint64_t finding_key(const uint64_t *values, size_t count);

#endif
