/*
 * What lets the pipes of a core go on: flags, mutexes, unit flags, barriers; and their misuse.
 *
 * The owner executes a core's stream. Each instruction is passed to sync_dispatch once, in program
 * order; then sync_begin says whether its pipe may execute it or has to stand, and after its
 * execution sync_end says whether others may go on by it. Nothing depends on time.
 *
 * Found on the way: flags, unit flags and mutexes that are set, waited for, locked or unlocked when
 * they should not be (docs/hazards.md).
 */
#ifndef CUBESIM_MODEL_SYNC_H
#define CUBESIM_MODEL_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/program.h"
#include "model/clocks.h"
#include "model/deadlock.h"
#include "model/finding.h"
#include "model/mutex.h"
#include "model/unit_order.h"

/* An instruction on its way through its pipe. */
struct step {
    struct insn insn;
    uint32_t seq;
    uint32_t turn;         /* of a mutex (mutex_turn) */
    uint32_t waits_before; /* of a set_flag: the waits for its flag that the stream has before it */
};

/* A flag that was set and not yet waited for, with what was done then. */
struct sync_token {
    struct clock clock;
    struct insn_ref set;
    uint32_t waits_before;
    uint32_t next;
};

struct sync_flag {
    uint32_t first, last;                  /* tokens, oldest first; SYNC_NONE */
    uint32_t sets, waits;                  /* dispatched so far */
    struct insn_ref last_set;              /* the last one dispatched */
    uint32_t taken;                        /* waits executed so far */
    struct insn_ref taken_set, taken_wait; /* the last wait executed, and the set that it took */
};

struct sync_mutex {
    uint32_t unlocked; /* locks that were given back: the lock of that turn may pass */
    struct insn_ref lock[PIPE_COUNT]; /* the last one of a pipe that was dispatched */
    struct clock clock;               /* what was done at the last unlock */
};
#define SYNC_NONE UINT32_MAX

struct sync {
    const struct program *program;
    uint32_t ids;         /* flags of a pipe pair in the program */
    uint32_t product_ids; /* that the product has */
    const struct finding_sink *sink;
    struct clocks *clocks;  /* told what comes behind what */
    struct sync_flag *flag; /* [flag] */
    struct mutex_turns turns;
    struct sync_mutex mutex[MUTEX_COUNT];
    struct unit_order unit;
    struct sync_token *token; /* array_grow */
    size_t token_capacity;
    uint32_t token_count, token_free;
    enum status status; /* NO_MEMORY sticks */
};

struct sync_options {
    const struct program *program;
    uint32_t product_ids;
    uint64_t l0c_bytes;
    const struct finding_sink *sink;
    struct clocks *clocks;
};

enum status sync_open(const struct sync_options *options, struct arena *arena,
                      struct sync *sync) MUST_CHECK;
void sync_close(struct sync *sync);

/* Nothing has happened: a new core. */
void sync_reset(struct sync *sync);

/* Takes an instruction with its seq in program order, judges it and fills the rest of step. */
void sync_dispatch(struct sync *sync, struct step *step);

/* Whether its pipe may execute it now; takes what it waits for. Not for barriers of all pipes. */
bool sync_begin(struct sync *sync, const struct step *step);

/* It was executed. Whether something that stands may be able to go on now. */
bool sync_end(struct sync *sync, const struct step *step);

/* All pipes are at rest: what comes next comes behind everything. */
void sync_barrier_all(struct sync *sync);

/* What an instruction that stands waits for. */
enum standing_for sync_cause(const struct insn *insn);

/* The stream has ended: flags that were set and never waited for, mutexes that were never given
 * back, and, unless the core stands for ever, unit flags that were never cleared. */
void sync_finish(struct sync *sync, bool stands);

/* The core stands for ever and all of its stream was dispatched: tells the waits whose flag nothing
 * sets. stream is the core's stream once more, from its start; when it is cut short now, the answer
 * says why, and waits behind the cut are not told. */
enum status sync_tell_unset(struct sync *sync, void *stream) MUST_CHECK;

#endif
