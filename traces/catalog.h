/*
 * The distinct instructions of a run, numbered from 0 in the order of their first row.
 *
 * Most rows of a timeline repeat an instruction that an earlier tile or another core had, so its
 * text is made once and rows refer to it by number.
 */
#ifndef CUBESIM_TRACES_CATALOG_H
#define CUBESIM_TRACES_CATALOG_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "isa/program.h"
#include "model/run.h"

struct catalog_entry {
    const char *opcode;   /* mnemonic */
    const char *operands; /* the rest of its text */
    uint64_t bytes, macs;
};

struct catalog_slot {
    uint64_t low, high; /* hash of the instruction */
    uint32_t number;    /* of the entry, plus 1; 0: free */
};

struct catalog {
    struct arena arena; /* texts */
    struct catalog_entry *entries;
    size_t count, capacity;
    struct catalog_slot *slots; /* open addressing, a power of two */
    size_t slot_count;
};

void catalog_init(struct catalog *catalog);
void catalog_deinit(struct catalog *catalog);

/* The number of a row's instruction, which is added when it is new. NO_MEMORY. */
enum status catalog_find(struct catalog *catalog, const struct program *program,
                         const struct timeline_row *row, uint32_t *number) MUST_CHECK;

#endif
