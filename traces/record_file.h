/*
 * An array of records of one size that is too long for memory: records are added at the end, and
 * read by index, which is quick when neighbours are read one after the other.
 *
 * Whole blocks go to a temporary file beside a database; the last records and one block that was
 * read stay in memory.
 */
#ifndef CUBESIM_TRACES_RECORD_FILE_H
#define CUBESIM_TRACES_RECORD_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

enum { RECORD_BLOCK = 2048 };

struct record_file {
    const char *path; /* of the database; borrowed */
    size_t record_bytes;
    int file;              /* -1 until the first block is full */
    uint64_t count;        /* records */
    unsigned char *tail;   /* the block that grows: RECORD_BLOCK of room, or NULL */
    unsigned char *window; /* a block of the file that was read, or NULL */
    uint64_t window_block;
};

void record_file_init(struct record_file *records, const char *path, size_t record_bytes);
/* Empties it. */
void record_file_deinit(struct record_file *records);

/* NO_MEMORY, or IO with errno set. */
enum status record_file_add(struct record_file *records, const void *record) MUST_CHECK;
/* Copies a record out; index is below count. */
enum status record_file_read(struct record_file *records, uint64_t index, void *record) MUST_CHECK;

#endif
