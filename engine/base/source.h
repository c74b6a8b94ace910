/*
 * Text that a person wrote, whole and in memory, from a file or from elsewhere.
 */
#ifndef CUBESIM_ENGINE_BASE_SOURCE_H
#define CUBESIM_ENGINE_BASE_SOURCE_H

#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"

/* Reads a file of at most bytes_max (whole MiB), without a byte order mark, into the arena.
 * BAD_INPUT for a wrong path or a file that is too long, IO when an existing file cannot be read,
 * NO_MEMORY. */
enum status source_load(const char *path, size_t bytes_max, struct arena *arena, struct diag *diag,
                        const struct source **source) MUST_CHECK;

/* The same for text in memory; name is what messages call it. Both are copied. */
enum status source_copy(const char *name, const char *text, size_t length, size_t bytes_max,
                        struct arena *arena, struct diag *diag,
                        const struct source **source) MUST_CHECK;

/* Refuses what is no text, at its first byte: anything but UTF-8, and control characters other
 * than tabs and line ends. */
enum status source_check(const struct source *source, struct diag *diag) MUST_CHECK;

#endif
