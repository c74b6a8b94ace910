/*
 * A window of one core's timeline as lanes: per pipe and column of the screen, how many cycles it
 * was busy and how many it waited, and for what.
 *
 * Pure data, for every picture of a timeline; nothing is printed here. Columns divide the window as
 * evenly as whole cycles allow. Rows may come in any order.
 *
 *     lanes_init(&lanes, from, to, columns, &arena);
 *     store_visit_rows(store, run_id, core, from, to, lanes_add_row, &lanes, &diag);
 */
#ifndef CUBESIM_TRACES_LANES_H
#define CUBESIM_TRACES_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/row.h"
#include "isa/insn.h"
#include "traces/store.h"

/* What a wait is for: a cause, or in place of the cause flag the pipe that sets the flag. */
enum { LANE_REASON_COUNT = CAUSE_COUNT + PIPE_COUNT };

uint32_t lane_reason(enum cause cause, uint32_t blocker_pipe);
/* "CUBE" or the word of a cause. */
const char *lane_reason_word(uint32_t reason);

struct lane_column {
    tick busy;                    /* cycles of the column */
    tick wait[LANE_REASON_COUNT]; /* cycles of the column by reason */
};

struct lane {
    bool used;                   /* some row touched the window */
    struct lane_column *columns; /* [lanes.column_count] */
};

/* Whether waits of a pipe tell something: of the pipes that keep the cube fed and of the cube.
 * SCALAR waits whenever queues are full, and the pipes of the output whenever there is no output
 * yet: such waits are long and say nothing. */
bool lane_wait_tells(uint32_t pipe);

/* The wait with the most cycles in the window, of the pipes whose waits tell something. */
struct lane_wait {
    tick cycles; /* inside the window; 0: nothing waited */
    tick all;    /* of the whole wait */
    uint32_t pipe, seq;
    uint32_t reason;
    uint32_t blocker_core, blocker_pipe, blocker_seq; /* ROW_NO_BLOCKER */
};

struct lanes {
    tick from, to; /* [from, to) */
    size_t column_count;
    tick *edge; /* [column_count + 1]: first cycle of each column, then to */
    struct lane lane[PIPE_COUNT];
    struct lane_wait longest;
};

/* A window of at least one cycle; column_count is at least 1 and is lowered to the cycles of the
 * window. NO_MEMORY. */
enum status lanes_init(struct lanes *lanes, tick from, tick to, size_t column_count,
                       struct arena *arena) MUST_CHECK;

/* A stored_row_sink whose context is the lanes; always OK. */
enum status lanes_add_row(void *lanes, const struct stored_row *row);

/* Busy cycles of a pipe in the window. */
tick lanes_busy(const struct lanes *lanes, enum pipe pipe);

/* Busy share of a column in eighths, rounded to nearest; at least 1 when it is busy at all, and 8
 * only when no cycle is free or the rest is below a sixteenth. */
uint32_t lanes_eighths(const struct lanes *lanes, enum pipe pipe, size_t column);

/* What a column without a busy cycle shows. */
bool lanes_is_waiting(const struct lanes *lanes, enum pipe pipe, size_t column);

/* A run of columns in which a pipe only waits. */
struct lane_gap {
    size_t first, count;
    uint32_t reason; /* with the most cycles of the gap */
};

/* The next gap that starts at column or later; false when there is none. */
bool lanes_next_gap(const struct lanes *lanes, enum pipe pipe, size_t column, struct lane_gap *gap);

/* The distance of ticks on an axis of the window: 1, 2 or 5 times a power of ten, the smallest
 * that keeps ticks at least columns_min columns apart. */
tick lanes_tick_step(const struct lanes *lanes, size_t columns_min);

/* The column that holds a cycle of the window. */
size_t lanes_column(const struct lanes *lanes, tick cycle);

#endif
