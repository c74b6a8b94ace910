/*
 * Temporary files beside a database, for what is too much for memory while a run is on its way.
 *
 * They have no name, so nothing is left of them when the process dies. IO leaves errno set.
 */
#ifndef CUBESIM_TRACES_TEMPORARY_H
#define CUBESIM_TRACES_TEMPORARY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

/* Opens a file in the folder of path; close(*file) takes it away. */
enum status temporary_open(const char *path, int *file) MUST_CHECK;
enum status temporary_write(int file, const void *bytes, size_t size, uint64_t offset) MUST_CHECK;
/* All size bytes, or IO. */
enum status temporary_read(int file, void *bytes, size_t size, uint64_t offset) MUST_CHECK;

#endif
