#include "traces/temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum status temporary_open(const char *path, int *file)
{
    char name[4096];
    int length = snprintf(name, sizeof name, "%s-rows-XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof name) {
        errno = ENAMETOOLONG;
        return STATUS_IO;
    }
    *file = mkstemp(name);
    if (*file < 0)
        return STATUS_IO;
    unlink(name);
    return STATUS_OK;
}

enum status temporary_write(int file, const void *bytes, size_t size, uint64_t offset)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t done = pwrite(file, from, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return STATUS_IO;
        from += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return STATUS_OK;
}

enum status temporary_read(int file, void *bytes, size_t size, uint64_t offset)
{
    char *to = bytes;
    while (size > 0) {
        ssize_t done = pread(file, to, size, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return STATUS_IO;
        to += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return STATUS_OK;
}
