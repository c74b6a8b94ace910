/*
 * Random programs of two cores on tiny buffers, and the graph of what comes before what in them.
 *
 * Flags stand before and behind their waits, some are set again before they are waited for; there
 * are unit flags, locks and barriers. The graph has a node for the begin of each instruction, for
 * the moment its operands are read and for its end.
 */
#ifndef CUBESIM_TESTS_SUPPORT_ORDERED_PROGRAM_H
#define CUBESIM_TESTS_SUPPORT_ORDERED_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/insn.h"
#include "isa/program.h"

enum {
    EVENTS_MAX = 40, /* of a core */
    CORES = 2,
    HEAD_LINES = 9,
    FLAGS = 6,
    AHEAD_MAX = 2, /* waits of a flag before their sets */
    MUTEXES = 2,
    ACCESSES_MAX = 4,
    NODES = 3 * EVENTS_MAX,
    TEXT_MAX = 16384,
    BLOCK = 512,
    FRACTAL_C = 1024,
    HALVES = 6, /* of the fractals of L0C: each has a unit flag */
};

enum event_kind { EVENT_MOVE, EVENT_SET, EVENT_WAIT, EVENT_LOCK, EVENT_UNLOCK, EVENT_BARRIER };

struct span {
    enum space space;
    uint64_t from, to;
    bool write;
};

struct event {
    enum event_kind kind;
    enum pipe pipe; /* that executes it; ALL: barrier of all */
    uint32_t line;
    uint32_t number; /* of the flag or mutex */
    struct span span[ACCESSES_MAX];
    uint32_t spans;
    bool accumulates; /* an Mmad that adds to few fractals */
    uint32_t halves;  /* of L0C, a bit each, that it hands over, or back, by unit flags */
};

struct core_events {
    struct event event[EVENTS_MAX];
    uint32_t count;
    uint32_t halves_set;    /* unit flags */
    bool way[NODES][NODES]; /* from a node to another; then whether there is any way */
};

struct ordered_program {
    char text[TEXT_MAX];
    size_t length;
    uint32_t line;
    bool locks; /* the product has mutexes */
    struct core_events core[CORES];
};

/* Nodes of an event: it begins; it has read its operands; it is done. */
static inline uint32_t node_begin(uint32_t event)
{
    return 3 * event;
}

static inline uint32_t node_read(uint32_t event)
{
    return 3 * event + 1;
}

static inline uint32_t node_done(uint32_t event)
{
    return 3 * event + 2;
}

void ordered_program_make(struct ordered_program *program, uint64_t *random);

/* Fills core->way. */
void ordered_graph_make(struct core_events *core);

#endif
