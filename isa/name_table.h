/*
 * Names and the number of each, found in constant time however many there are.
 */
#ifndef CUBESIM_ISA_NAME_TABLE_H
#define CUBESIM_ISA_NAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_slot {
    const char *name; /* NULL: empty */
    size_t length;
    uint32_t number;
};

/* All zero: empty. */
struct name_table {
    struct name_slot *slots; /* array_grow */
    size_t slot_count;       /* 0 or a power of two */
    size_t count;
};

#define NAME_NONE UINT32_MAX

void name_table_deinit(struct name_table *table);

/* Adds a name that the table lacks; it is borrowed. False when memory ran out. */
bool name_table_add(struct name_table *table, const char *name, size_t length, uint32_t number);

/* The number of a name, or NAME_NONE. */
uint32_t name_table_find(const struct name_table *table, const char *name, size_t length);

#endif
