#include "traces/record_file.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "traces/temporary.h"

void record_file_init(struct record_file *records, const char *path, size_t record_bytes)
{
    *records = (struct record_file){
        .path = path, .record_bytes = record_bytes, .file = -1, .window_block = UINT64_MAX};
}

void record_file_deinit(struct record_file *records)
{
    array_release(records->tail);
    array_release(records->window);
    if (records->file >= 0)
        close(records->file);
    record_file_init(records, records->path, records->record_bytes);
}

static size_t block_bytes(const struct record_file *records)
{
    return RECORD_BLOCK * records->record_bytes;
}

/* Room for a block in *room. */
static enum status block_take(const struct record_file *records, unsigned char **room)
{
    size_t capacity = 0;
    if (*room == NULL)
        *room = array_grow(NULL, &capacity, RECORD_BLOCK, records->record_bytes);
    return *room == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Writes the full block that has grown behind the others. */
static enum status record_file_flush(struct record_file *records)
{
    enum status status = STATUS_OK;
    if (records->file < 0)
        status = temporary_open(records->path, &records->file);
    if (status == STATUS_OK)
        status = temporary_write(records->file, records->tail, block_bytes(records),
                                 (records->count - RECORD_BLOCK) * records->record_bytes);
    return status;
}

enum status record_file_add(struct record_file *records, const void *record)
{
    enum status status = block_take(records, &records->tail);
    size_t place = records->count % RECORD_BLOCK;
    if (status == STATUS_OK && place == 0 && records->count > 0)
        status = record_file_flush(records);
    if (status != STATUS_OK)
        return status;
    memcpy(records->tail + place * records->record_bytes, record, records->record_bytes);
    records->count++;
    return STATUS_OK;
}

/* The block of a record, read from the file if it is not in memory; NULL: *status says why. */
static const unsigned char *record_file_block(struct record_file *records, uint64_t block,
                                              enum status *status)
{
    if (block == (records->count - 1) / RECORD_BLOCK)
        return records->tail;
    if (block == records->window_block)
        return records->window;
    records->window_block = UINT64_MAX;
    *status = block_take(records, &records->window);
    if (*status == STATUS_OK)
        *status = temporary_read(records->file, records->window, block_bytes(records),
                                 block * block_bytes(records));
    if (*status != STATUS_OK)
        return NULL;
    records->window_block = block;
    return records->window;
}

enum status record_file_read(struct record_file *records, uint64_t index, void *record)
{
    assert(index < records->count);
    enum status status = STATUS_OK;
    const unsigned char *block = record_file_block(records, index / RECORD_BLOCK, &status);
    if (block != NULL)
        memcpy(record, block + index % RECORD_BLOCK * records->record_bytes, records->record_bytes);
    return status;
}
