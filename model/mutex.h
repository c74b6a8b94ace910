/*
 * Mutexes in program order: whose turn a lock is, and which lock an unlock gives back.
 *
 * The locks of an id take turns in the order of the core's stream, whatever their pipes. A lock
 * passes when the lock before it was given back by its own pipe; the first passes at once.
 */
#ifndef CUBESIM_MODEL_MUTEX_H
#define CUBESIM_MODEL_MUTEX_H

#include <stdint.h>

#include "isa/insn.h"

enum { MUTEX_COUNT = 28 };

#define TURN_NONE UINT32_MAX

struct mutex_turns {
    uint32_t locks[MUTEX_COUNT];            /* so far */
    uint32_t held[MUTEX_COUNT][PIPE_COUNT]; /* 1 + turn of the lock that a pipe holds; 0: none */
};

/* Takes the mutex_lock and mutex_unlock instructions of a core in program order: the turn of the
 * lock, or of the lock that the unlock gives back, TURN_NONE when its pipe holds none. Begin with
 * zeros. */
uint32_t mutex_turn(struct mutex_turns *turns, const struct insn *insn);

#endif
