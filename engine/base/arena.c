#include "engine/base/arena.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block's payload follows its header. Blocks come zeroed and their bytes are handed out only
 * once, so no request has to clear anything. */
struct arena_block {
    struct arena_block *next;
    size_t size_bytes; /* header and payload */
    size_t used_bytes; /* header, padding and what was handed out */
};

#define BLOCK_BYTES ((size_t)64 * 1024)
#define ALIGN_SMALL ((size_t)16)
#define ALIGN_LARGE ((size_t)64)

/* No machine that this runs on has as much. Checked allocators abort on such a request instead of
 * refusing it, so it is refused here. */
#define REQUEST_BYTES_MAX ((size_t)1 << 39)

/* Requests of this size get a block of their own, so that the current one is not given up. */
#define REQUEST_BYTES_OWN_BLOCK (BLOCK_BYTES / 4)

static uint64_t fail_at;

void arena_fail_at(uint64_t nth_call)
{
    fail_at = nth_call;
}

bool arena_fail_pending(void)
{
    return fail_at > 0;
}

static bool arena_must_fail(void)
{
    if (fail_at == 0) {
        return false;
    }
    fail_at--;
    return fail_at == 0;
}

static bool size_multiply(size_t count, size_t size_bytes, size_t *total_bytes)
{
    if (size_bytes != 0 && count > REQUEST_BYTES_MAX / size_bytes) {
        return false;
    }
    *total_bytes = count * size_bytes;
    return true;
}

void arena_init(struct arena *arena, uint64_t limit_bytes)
{
    *arena = (struct arena){.limit_bytes = limit_bytes};
}

void arena_deinit(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    while (block != NULL) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct arena){0};
}

/* Room in a block, or NULL. */
static void *block_take(struct arena_block *block, size_t size_bytes)
{
    size_t align = size_bytes >= ALIGN_LARGE ? ALIGN_LARGE : ALIGN_SMALL;
    uintptr_t start = (uintptr_t)block + block->used_bytes;
    size_t padding = (size_t)(0 - start) & (align - 1);
    size_t left_bytes = block->size_bytes - block->used_bytes;
    if (left_bytes < padding || left_bytes - padding < size_bytes) {
        return NULL;
    }
    char *taken = (char *)block + block->used_bytes + padding;
    block->used_bytes += padding + size_bytes;
    return taken;
}

/* A new block with room for size_bytes. It becomes the current one unless it is made to measure
 * and there is a current one already. */
static struct arena_block *arena_add_block(struct arena *arena, size_t size_bytes)
{
    bool own = size_bytes >= REQUEST_BYTES_OWN_BLOCK;
    size_t total_bytes = own ? sizeof(struct arena_block) + ALIGN_LARGE + size_bytes : BLOCK_BYTES;
    struct arena_block *block = calloc(1, total_bytes);
    if (block == NULL) {
        return NULL;
    }
    block->size_bytes = total_bytes;
    block->used_bytes = sizeof *block;
    if (own && arena->blocks != NULL) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block;
}

void *arena_take(struct arena *arena, size_t count, size_t size_bytes)
{
    size_t total_bytes;
    if (arena_must_fail() || !size_multiply(count, size_bytes, &total_bytes)) {
        return NULL;
    }
    if (arena->limit_bytes != 0 && total_bytes > arena->limit_bytes - arena->used_bytes) {
        return NULL;
    }
    /* An empty request gets a byte, so that its pointer is its own and not NULL. */
    size_t room_bytes = total_bytes == 0 ? 1 : total_bytes;
    void *taken = arena->blocks == NULL ? NULL : block_take(arena->blocks, room_bytes);
    if (taken == NULL) {
        struct arena_block *block = arena_add_block(arena, room_bytes);
        if (block == NULL) {
            return NULL;
        }
        taken = block_take(block, room_bytes);
        assert(taken != NULL);
    }
    arena->used_bytes += total_bytes;
    return taken;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX) {
        return NULL;
    }
    char *copy = arena_take(arena, length + 1, 1);
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *arena_format_list(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = NULL;
    if (length >= 0) {
        text = arena_take(arena, (size_t)length + 1, 1);
    }
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_format_list(arena, format, arguments);
    va_end(arguments);
    return text;
}

void *array_grow(void *array, size_t *capacity, size_t count, size_t size_bytes)
{
    assert(size_bytes > 0);
    if (array != NULL && count <= *capacity) {
        return array;
    }
    if (arena_must_fail()) {
        return NULL;
    }
    /* Doubling keeps the cost of an append constant; 8 spares the first few steps. */
    size_t wanted = count < 8 ? 8 : count;
    if (*capacity <= SIZE_MAX / 2 && wanted < *capacity * 2) {
        wanted = *capacity * 2;
    }
    size_t total_bytes;
    if (!size_multiply(wanted, size_bytes, &total_bytes)) {
        return NULL;
    }
    char *grown = realloc(array, total_bytes);
    if (grown == NULL) {
        return NULL;
    }
    size_t old_bytes = *capacity * size_bytes;
    memset(grown + old_bytes, 0, total_bytes - old_bytes);
    *capacity = wanted;
    return grown;
}

void array_release(void *array)
{
    free(array);
}
