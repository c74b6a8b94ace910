/*
 * Bump allocator with a limit: the only place of the project that calls malloc.
 *
 * Everything taken from an arena lives until arena_deinit. Memory is zeroed. Pointers stay valid
 * when the arena grows (it grows by whole blocks). A limit of 0 means no limit.
 *
 *     struct arena arena;
 *     arena_init(&arena, 0);
 *     uint32_t *rows = arena_take(&arena, count, sizeof *rows);
 *     if (rows == NULL) return STATUS_NO_MEMORY;
 *     arena_deinit(&arena);
 */
#ifndef CUBESIM_ENGINE_BASE_ARENA_H
#define CUBESIM_ENGINE_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    uint64_t used_bytes;        /* handed out, without block headers */
    uint64_t limit_bytes;       /* 0: none */
};

void arena_init(struct arena *arena, uint64_t limit_bytes);
void arena_deinit(struct arena *arena);

/* Zeroed room for count things of size_bytes each, 64-byte aligned for requests of 64 bytes and
 * more, else 16-byte aligned; NULL when the limit, the machine or a multiplication runs over. */
void *arena_take(struct arena *arena, size_t count, size_t size_bytes);

/* A copy of length bytes of text with a closing zero, or NULL. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* A formatted text in the arena, or NULL. */
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_format_list(struct arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* A growing array outside arenas, for things that come and go: makes room for at least count
 * items of size_bytes (contents kept, new part zeroed) and returns the array, or NULL with the
 * old array untouched. *capacity is in items. Release with array_release. */
void *array_grow(void *array, size_t *capacity, size_t count, size_t size_bytes);
void array_release(void *array);

/* Tests only: the n-th request from now on (arena_take, or array_grow that has to grow) answers
 * NULL, once (1 = the next one); 0 switches it off. */
void arena_fail_at(uint64_t nth_call);

/* Tests only: whether the request named by arena_fail_at is still to come. */
bool arena_fail_pending(void);

#endif
