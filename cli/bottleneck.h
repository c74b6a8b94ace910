/*
 * What a critical path went to: its entries in falling order, and the sentence that people read
 * first.
 */
#ifndef CUBESIM_CLI_BOTTLENECK_H
#define CUBESIM_CLI_BOTTLENECK_H

#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/path.h"

struct named_cycles {
    const char *name; /* "MTE1 busy", "CUBE latency", "MTE2 link", "startup", "queue_full" */
    tick cycles;      /* more than 0 */
};

/* Puts one more in, the largest first and equals in the order they came, unless cycles is 0;
 * entries has room for it. */
void named_cycles_add(struct named_cycles *entries, size_t *count, const char *name, tick cycles);

enum { PATH_ENTRIES_MAX = SIM_PIPES_MAX * PATH_PART_COUNT + CAUSE_COUNT };

/* The entries of a path, the largest first; they sum to the cycles of the path. Returns how many.
 */
size_t path_entries(const struct path *path, struct arena *arena,
                    struct named_cycles entries[PATH_ENTRIES_MAX]);

/* "latency-bound: 28.3 % of the critical path is hand-over latency between pipes, 26.7 % MTE1, ...;
 * no pipe is busy more than 60.5 %". bound is a word of the contract; busy has the share of the
 * time that each pipe (enum pipe) of the deciding core is busy. */
const char *bottleneck_text(struct arena *arena, const char *bound, const struct path *path,
                            const double *busy);

/* The same of a run that stands for ever behind its last cycle. */
const char *deadlock_text(struct arena *arena, tick cycles);

#endif
