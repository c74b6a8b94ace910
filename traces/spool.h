/*
 * Rows of a run on their way to the database, sorted by core and pipe.
 *
 * Rows come in the order of completion while the simulation runs. They are kept per track (core
 * and pipe) in chunks; full chunks go to an unlinked temporary file beside the database, so that
 * memory stays small, nothing is left when the process dies, and the database is locked only while
 * the finished run is copied into it. tag of a row is the instruction's number in the catalog.
 */
#ifndef CUBESIM_TRACES_SPOOL_H
#define CUBESIM_TRACES_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"
#include "engine/row.h"

enum { SPOOL_CHUNK_ROWS = 256 };

struct spool_track {
    struct row *rows;     /* SPOOL_CHUNK_ROWS of room, or NULL */
    uint32_t count;       /* rows in the room */
    uint32_t first, last; /* chunks in the file; UINT32_MAX when there are none */
};

struct spool {
    const char *path;           /* of the database; borrowed */
    int file;                   /* -1 until the first chunk is full */
    struct spool_track *tracks; /* [core * PIPE_COUNT + pipe] */
    size_t track_count, track_capacity;
    uint32_t *next; /* [chunk]: the next chunk of the same track */
    size_t chunk_count, chunk_capacity;
    uint64_t row_count;
};

/* Called for each row; anything but OK ends the walk and is its result. */
typedef enum status spool_visit(void *context, const struct row *row);

void spool_init(struct spool *spool, const char *path);
void spool_deinit(struct spool *spool);

/* NO_MEMORY, or IO with errno set. */
enum status spool_add(struct spool *spool, const struct row *row) MUST_CHECK;

/* Visits all rows, ordered by core, then pipe, then arrival. */
enum status spool_walk(const struct spool *spool, spool_visit *visit, void *context) MUST_CHECK;

#endif
