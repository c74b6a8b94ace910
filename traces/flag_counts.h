/*
 * Which set_flag belongs to which wait_flag of a core: of one source, destination and id the first
 * to the first, the second to the second. A set_flag that nobody waits for, and one whose wait lies
 * outside of the window, has no partner.
 */
#ifndef CUBESIM_TRACES_FLAG_COUNTS_H
#define CUBESIM_TRACES_FLAG_COUNTS_H

#include <stdbool.h>

#include "isa/insn.h"
#include "traces/store.h"

/* Flags of other ids are hazards; they are not paired. */
enum { FLAG_IDS = 16, FLAG_KEYS = PIPE_COUNT * PIPE_COUNT * FLAG_IDS, FLAG_KEY_NONE = FLAG_KEYS };

struct flag_count {
    uint64_t set, waited;             /* numbers of those seen so far */
    uint64_t set_first;               /* number of the first set_flag of the window */
    uint64_t set_limit, waited_limit; /* numbers of the first behind the window */
    uint64_t set_ns;                  /* where the latest set_flag was drawn */
};

struct flag_counts {
    struct flag_count count[FLAG_KEYS];
};

/* Counts the flags of a core that fire before and in the window [from, to). */
enum status flag_counts_read(struct flag_counts *counts, struct store *store, int64_t run_id,
                             uint32_t core, tick from, tick to, struct diag *diag) MUST_CHECK;

/* The key of operands "src=MTE1 dst=MTE2 id=4", or FLAG_KEY_NONE. */
uint32_t flag_key(const char *operands);

/* The pipes and id of a key. */
enum pipe flag_key_source(uint32_t key);
enum pipe flag_key_target(uint32_t key);

#endif
