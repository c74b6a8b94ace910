/*
 * What differs between two stored runs: keys of their plan and product, what their pipes do and
 * wait for, and the change that tells most. Pure data; nothing is read or printed here.
 */
#ifndef CUBESIM_TRACES_DIFF_H
#define CUBESIM_TRACES_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/insn.h"
#include "traces/lanes.h"
#include "traces/store.h"

/* A key whose values are not the same. */
struct changed_key {
    const char *part;  /* model problem tile schedule plan product */
    const char *key;   /* "l0c_buffers", "tile_l0.tileK", "mte1.l1_to_l0b.rate" */
    bool detail;       /* says how firm a number of the product is: its basis, low, high */
    const char *a, *b; /* JSON of the values, of texts what they say; NULL: the key is not there */
};

/* Every key that is not the same in both, in the order of the plan, then of the product. Texts lie
 * in the arena. DATABASE when a definition is no JSON, NO_MEMORY. */
enum status diff_definitions(const struct stored_definition *a, const struct stored_definition *b,
                             struct arena *arena, struct diag *diag, struct changed_key **keys,
                             size_t *count) MUST_CHECK;

/* The pipes of a core by their number; those that it does not use are all 0. */
struct pipe_set {
    struct stored_pipe pipe[PIPE_COUNT];
    bool used[PIPE_COUNT];
};

struct pipe_set pipe_set_make(const struct stored_pipe *pipes, size_t count);

/* Cycles for which a pipe waits by reason (lane_reason): flags by the pipe that sets them. */
tick pipe_wait(const struct stored_pipe *pipe, uint32_t reason);

enum pipe_change_kind { PIPE_CHANGE_BUSY, PIPE_CHANGE_LINK, PIPE_CHANGE_WAIT };

struct pipe_change {
    enum pipe_change_kind kind; /* busy: without what is lost on links */
    uint32_t pipe;
    uint32_t reason; /* of a wait */
    tick a, b;       /* cycles */
};

/* The size of a change, whatever its direction. */
tick pipe_change_size(const struct pipe_change *change);

enum { PIPE_WAITS_MAX = PIPE_COUNT * LANE_REASON_COUNT };

/* Every wait that either has, the largest change first, equals by pipe and reason. */
size_t diff_waits(const struct pipe_set *a, const struct pipe_set *b,
                  struct pipe_change waits[PIPE_WAITS_MAX]);

/* The change that tells most about why b is faster (or slower): the largest in that direction of
 * the work of pipes, of what they lose on links, and of the waits of those that keep the cube fed
 * and of the cube. Less or more work tells more than the wait that follows from it, so it needs
 * only half the size. False when nothing changed in that direction. */
bool diff_reason(const struct pipe_set *a, const struct pipe_set *b, bool faster,
                 struct pipe_change *reason);

#endif
