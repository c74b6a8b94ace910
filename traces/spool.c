#include "traces/spool.h"

#include <assert.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "isa/insn.h"
#include "traces/temporary.h"

static const uint32_t no_chunk = UINT32_MAX;
static const size_t chunk_bytes = SPOOL_CHUNK_ROWS * sizeof(struct row);

void spool_init(struct spool *spool, const char *path)
{
    *spool = (struct spool){.path = path, .file = -1};
}

void spool_deinit(struct spool *spool)
{
    for (size_t i = 0; i < spool->track_count; i++)
        array_release(spool->tracks[i].rows);
    array_release(spool->tracks);
    array_release(spool->next);
    if (spool->file >= 0)
        close(spool->file);
    spool_init(spool, spool->path);
}

/* Moves the full room of a track to the end of the file. */
static enum status spool_flush(struct spool *spool, struct spool_track *track)
{
    if (spool->file < 0) {
        enum status status = temporary_open(spool->path, &spool->file);
        if (status != STATUS_OK)
            return status;
    }
    uint32_t *next =
        array_grow(spool->next, &spool->chunk_capacity, spool->chunk_count + 1, sizeof *next);
    if (next == NULL)
        return STATUS_NO_MEMORY;
    spool->next = next;

    uint64_t offset = (uint64_t)spool->chunk_count * chunk_bytes;
    enum status status = temporary_write(spool->file, track->rows, chunk_bytes, offset);
    if (status != STATUS_OK)
        return status;
    uint32_t chunk = (uint32_t)spool->chunk_count++;
    next[chunk] = no_chunk;
    if (track->first == no_chunk)
        track->first = chunk;
    else
        next[track->last] = chunk;
    track->last = chunk;
    track->count = 0;
    return STATUS_OK;
}

/* The track of a row with room for one more, or NULL. */
static struct spool_track *spool_track(struct spool *spool, const struct row *row)
{
    size_t index = (size_t)row->core * PIPE_COUNT + row->pipe;
    if (index >= spool->track_count) {
        struct spool_track *tracks =
            array_grow(spool->tracks, &spool->track_capacity, index + 1, sizeof *tracks);
        if (tracks == NULL)
            return NULL;
        spool->tracks = tracks;
        for (; spool->track_count <= index; spool->track_count++)
            tracks[spool->track_count] = (struct spool_track){.first = no_chunk, .last = no_chunk};
    }
    struct spool_track *track = &spool->tracks[index];
    if (track->rows == NULL) {
        size_t capacity = 0;
        track->rows = array_grow(NULL, &capacity, SPOOL_CHUNK_ROWS, sizeof *track->rows);
    }
    return track->rows == NULL ? NULL : track;
}

enum status spool_add(struct spool *spool, const struct row *row)
{
    assert(row->pipe < PIPE_COUNT);
    struct spool_track *track = spool_track(spool, row);
    if (track == NULL)
        return STATUS_NO_MEMORY;
    if (track->count == SPOOL_CHUNK_ROWS) {
        enum status status = spool_flush(spool, track);
        if (status != STATUS_OK)
            return status;
    }
    track->rows[track->count++] = *row;
    spool->row_count++;
    return STATUS_OK;
}

static enum status spool_walk_rows(const struct row *rows, size_t count, spool_visit *visit,
                                   void *context)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = visit(context, &rows[i]);
    return status;
}

enum status spool_walk(const struct spool *spool, spool_visit *visit, void *context)
{
    size_t capacity = 0;
    struct row *room = array_grow(NULL, &capacity, SPOOL_CHUNK_ROWS, sizeof *room);
    enum status status = room == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    for (size_t i = 0; i < spool->track_count && status == STATUS_OK; i++) {
        const struct spool_track *track = &spool->tracks[i];
        for (uint32_t chunk = track->first; chunk != no_chunk && status == STATUS_OK;
             chunk = spool->next[chunk]) {
            status = temporary_read(spool->file, room, chunk_bytes, (uint64_t)chunk * chunk_bytes);
            if (status == STATUS_OK)
                status = spool_walk_rows(room, SPOOL_CHUNK_ROWS, visit, context);
        }
        if (status == STATUS_OK)
            status = spool_walk_rows(track->rows, track->count, visit, context);
    }
    array_release(room);
    return status;
}
