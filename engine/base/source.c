#include "engine/base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES = 64 * 1024 };

/* A problem with a file as a whole. */
static enum status file_refuse(const char *path, enum status status, const char *what,
                               const char *reason, struct diag *diag)
{
    const struct source source = {.name = path, .text = ""};
    struct place place = {.source = &source};
    return diag_add(diag, status, place, "%s%s", what, reason);
}

enum status source_copy(const char *name, const char *text, size_t length, size_t bytes_max,
                        struct arena *arena, struct diag *diag, const struct source **source)
{
    static const char order_mark[] = "\xEF\xBB\xBF";
    if (length > bytes_max) {
        const struct source named = {.name = name, .text = ""};
        size_t mib = bytes_max >> 20;
        return diag_add(diag, STATUS_BAD_INPUT, (struct place){.source = &named},
                        "found more than %zu MiB; expected a file of at most %zu MiB", mib, mib);
    }
    if (length >= 3 && memcmp(text, order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    struct source *copy = arena_take(arena, 1, sizeof *copy);
    char *name_copy = arena_text(arena, name, strlen(name));
    char *text_copy = arena_text(arena, text, length);
    if (copy == NULL || name_copy == NULL || text_copy == NULL) {
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out while reading '%s'",
                        name);
    }
    *copy = (struct source){.name = name_copy, .text = text_copy, .length = length};
    *source = copy;
    return STATUS_OK;
}

/* Reads up to one byte more than the limit, so that the caller sees a file that is too long. */
static enum status file_read(const char *path, int file, size_t bytes_max, struct diag *diag,
                             char **text, size_t *length)
{
    size_t capacity = 0;
    *length = 0;
    while (*length <= bytes_max) {
        char *grown = array_grow(*text, &capacity, *length + READ_BYTES, 1);
        if (grown == NULL) {
            return file_refuse(path, STATUS_NO_MEMORY, "memory ran out while reading", "", diag);
        }
        *text = grown;
        ssize_t taken = read(file, *text + *length, READ_BYTES);
        if (taken < 0 && errno == EINTR) {
            continue;
        }
        if (taken < 0) {
            return file_refuse(path, STATUS_IO, "cannot read: ", strerror(errno), diag);
        }
        if (taken == 0) {
            return STATUS_OK;
        }
        *length += (size_t)taken;
    }
    return STATUS_OK;
}

/* Opens for reading; a wrong path is the user's, a machine without descriptors is not. */
static enum status file_open(const char *path, struct diag *diag, int *file)
{
    *file = open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0) {
        bool machine = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO;
        return file_refuse(path, machine ? STATUS_IO : STATUS_BAD_INPUT,
                           "cannot open: ", strerror(errno), diag);
    }
    struct stat info;
    if (fstat(*file, &info) == 0 && S_ISDIR(info.st_mode)) {
        return file_refuse(path, STATUS_BAD_INPUT, "found a directory; expected a file", "", diag);
    }
    return STATUS_OK;
}

enum status source_load(const char *path, size_t bytes_max, struct arena *arena, struct diag *diag,
                        const struct source **source)
{
    int file = -1;
    char *text = NULL;
    size_t length = 0;
    enum status status = file_open(path, diag, &file);
    if (status == STATUS_OK) {
        status = file_read(path, file, bytes_max, diag, &text, &length);
    }
    if (file >= 0) {
        (void)close(file);
    }
    if (status == STATUS_OK) {
        status = source_copy(path, text, length, bytes_max, arena, diag, source);
    }
    array_release(text);
    return status;
}

enum status source_check(const struct source *source, struct diag *diag)
{
    uint32_t line = 1;
    size_t line_offset = 0, size;
    for (size_t offset = 0; offset < source->length; offset += size) {
        const char *left = source->text + offset;
        uint32_t code = (unsigned char)*left;
        size = utf8_decode(left, source->length - offset, &code);
        struct place place = {.source = source,
                              .line = line,
                              .column = (uint32_t)(offset - line_offset) + 1,
                              .width = 1};
        if (size == 0) {
            return diag_add(diag, STATUS_BAD_INPUT, place,
                            "found the byte 0x%02X; expected UTF-8 text", (unsigned)code);
        }
        bool control = (code < 0x20 && code != '\t' && code != '\n' && code != '\r') ||
                       (code >= 0x7F && code < 0xA0 && code != 0x85);
        if (control || code == 0xFEFF || code == 0xFFFE || code == 0xFFFF) {
            return diag_add(diag, STATUS_BAD_INPUT, place,
                            "found the control character U+%04X; expected text", (unsigned)code);
        }
        if (code == '\n') {
            line++;
            line_offset = offset + 1;
        }
    }
    return STATUS_OK;
}
