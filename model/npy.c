#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/tensor.h"

/* The format: magic, version, length of the header, then the header, a Python dictionary in text
 * padded with spaces to a multiple of 64 and closed by a newline, then the elements. */
#define NPY_MAGIC "\x93NUMPY"

enum {
    NPY_MAGIC_BYTES = 6,
    NPY_VERSION_BYTES = 2,
    NPY_ALIGN = 64,
    NPY_HEADER_MAX = 65535, /* longer headers are those of record types */
    NPY_TEXT_MAX = 640,
    NPY_PATH_MAX = 4096,
    NPY_NAMES_TRIED = 100
};

/* What the header says. */
struct npy_header {
    char descr[32];
    bool fortran_order;
    uint32_t rank;
    uint64_t shape[TENSOR_RANK_MAX];
    bool seen_descr, seen_order, seen_shape;
};

/* A file and the place that names it; place.source NULL: the file itself. */
struct npy_name {
    const char *path;
    struct place place;
};

struct npy_reader {
    FILE *file;
    struct npy_name name;
    struct arena *arena;
    struct diag *diag;
};

/* A problem of a file as a whole; diag keeps a copy of the path. */
static enum status file_refuse(const struct npy_name *name, struct diag *diag, enum status status,
                               const char *text)
{
    const struct source source = {.name = name->path, .text = ""};
    const struct place place = {.source = &source};
    if (name->place.source != NULL) {
        return diag_add(diag, status, name->place, "%s: %s", name->path, text);
    }
    return diag_add(diag, status, place, "%s", text);
}

PRINTF_LIKE(2, 3)
static enum status reader_refuse(const struct npy_reader *reader, const char *format, ...)
{
    char text[NPY_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return file_refuse(&reader->name, reader->diag, STATUS_BAD_INPUT, text);
}

/* errno of a failed call on a path: a wrong name is the user's, the rest the machine's. */
static enum status path_refuse(const struct npy_name *name, struct diag *diag, int error,
                               const char *what)
{
    bool wrong_name =
        error == ENOENT || error == ENOTDIR || error == EISDIR || error == ENAMETOOLONG;
    char text[NPY_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%s: %s; expected a .npy file", what, strerror(error));
    return file_refuse(name, diag, wrong_name ? STATUS_BAD_INPUT : STATUS_IO, text);
}

/* Exactly size bytes, or BAD_INPUT at the end of the file and IO at an error. */
static enum status reader_take(const struct npy_reader *reader, void *to, uint64_t size,
                               const char *what)
{
    errno = 0;
    size_t got = fread(to, 1, size, reader->file);
    if (got == size) {
        return STATUS_OK;
    }
    if (ferror(reader->file)) {
        return path_refuse(&reader->name, reader->diag, errno, "cannot read the file");
    }
    return reader_refuse(reader,
                         "found %zu bytes where the %s should be; expected %" PRIu64 " bytes", got,
                         what, size);
}

/* Little-endian unsigned number of at most four bytes. */
static uint32_t number_of(const uint8_t *bytes, size_t count)
{
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        number |= (uint32_t)bytes[i] << (8 * i);
    }
    return number;
}

/* The text of the header in the arena. */
static enum status reader_header_text(const struct npy_reader *reader, const char **text)
{
    uint8_t lead[NPY_MAGIC_BYTES + NPY_VERSION_BYTES];
    uint8_t length_bytes[4];
    enum status status = reader_take(reader, lead, sizeof lead, "magic and the version");
    if (status != STATUS_OK) {
        return status;
    }
    if (memcmp(lead, NPY_MAGIC, NPY_MAGIC_BYTES) != 0) {
        return reader_refuse(reader,
                             "found a file without the magic of .npy; expected a .npy file");
    }
    uint8_t major = lead[NPY_MAGIC_BYTES];
    uint8_t minor = lead[NPY_MAGIC_BYTES + 1];
    if (major < 1 || major > 3 || minor != 0) {
        return reader_refuse(reader, "found .npy version %u.%u; expected 1.0, 2.0 or 3.0", major,
                             minor);
    }
    size_t length_size = major == 1 ? 2 : 4;
    status = reader_take(reader, length_bytes, length_size, "length of the header");
    if (status != STATUS_OK) {
        return status;
    }
    uint32_t length = number_of(length_bytes, length_size);
    if (length > NPY_HEADER_MAX) {
        return reader_refuse(reader, "found a header of %" PRIu32 " bytes; expected at most %d",
                             length, NPY_HEADER_MAX);
    }
    char *header = arena_take(reader->arena, (size_t)length + 1, 1);
    if (header == NULL) {
        return STATUS_NO_MEMORY;
    }
    status = reader_take(reader, header, length, "header");
    if (status == STATUS_OK && strlen(header) != length) {
        return reader_refuse(reader, "found a zero byte in the header; expected text");
    }
    *text = header;
    return status;
}

static void skip_spaces(const char **cursor)
{
    *cursor += strspn(*cursor, " ");
}

/* The character, with spaces before and after it. */
static bool take_char(const char **cursor, char wanted)
{
    skip_spaces(cursor);
    if (**cursor != wanted) {
        return false;
    }
    (*cursor)++;
    skip_spaces(cursor);
    return true;
}

static bool take_word(const char **cursor, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*cursor, word, length) != 0) {
        return false;
    }
    *cursor += length;
    return true;
}

/* A Python string without escapes. */
static bool take_string(const char **cursor, char *text, size_t size)
{
    char quote = **cursor;
    if (quote != '\'' && quote != '"') {
        return false;
    }
    const char *start = *cursor + 1;
    const char *end = strchr(start, quote);
    if (end == NULL || (size_t)(end - start) >= size ||
        memchr(start, '\\', (size_t)(end - start))) {
        return false;
    }
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = '\0';
    *cursor = end + 1;
    return true;
}

static bool take_number(const char **cursor, uint64_t *number)
{
    const char *start = *cursor;
    *number = 0;
    for (; **cursor >= '0' && **cursor <= '9'; (*cursor)++) {
        uint64_t digit = (uint64_t)(**cursor - '0');
        if (*number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *number = *number * 10 + digit;
    }
    return *cursor != start;
}

/* A Python tuple of numbers: (), (3,) or (3, 4) with or without a last comma. */
static bool take_shape(const char **cursor, struct npy_header *header)
{
    bool comma = true;
    if (!take_char(cursor, '(')) {
        return false;
    }
    for (header->rank = 0; header->rank < TENSOR_RANK_MAX && comma; header->rank++) {
        if (!take_number(cursor, &header->shape[header->rank])) {
            break;
        }
        comma = take_char(cursor, ',');
    }
    /* (3) is a number in brackets, no tuple. */
    return (comma || header->rank != 1) && take_char(cursor, ')');
}

static bool take_pair(const char **cursor, struct npy_header *header)
{
    char key[sizeof "fortran_order"];
    if (!take_string(cursor, key, sizeof key) || !take_char(cursor, ':')) {
        return false;
    }
    if (strcmp(key, "descr") == 0 && !header->seen_descr) {
        header->seen_descr = true;
        return take_string(cursor, header->descr, sizeof header->descr);
    }
    if (strcmp(key, "fortran_order") == 0 && !header->seen_order) {
        header->seen_order = true;
        header->fortran_order = take_word(cursor, "True");
        return header->fortran_order || take_word(cursor, "False");
    }
    if (strcmp(key, "shape") == 0 && !header->seen_shape) {
        header->seen_shape = true;
        return take_shape(cursor, header);
    }
    return false;
}

/* The dictionary, then nothing but spaces and one newline. */
static bool header_parse(const char *text, struct npy_header *header)
{
    const char *cursor = text;
    *header = (struct npy_header){0};
    if (*cursor != '{' || !take_char(&cursor, '{')) {
        return false;
    }
    while (*cursor != '}') {
        if (!take_pair(&cursor, header)) {
            return false;
        }
        if (!take_char(&cursor, ',') && *cursor != '}') {
            return false;
        }
    }
    cursor++;
    skip_spaces(&cursor);
    return strcmp(cursor, "\n") == 0 && header->seen_descr && header->seen_order &&
           header->seen_shape;
}

/* "(1, 64, 56)" as Python writes it. */
static const char *shape_text(const uint64_t *shape, uint32_t rank, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");
    for (uint32_t i = 0; i < rank; i++) {
        int more = snprintf(text + used, size - used, "%s%" PRIu64, i > 0 ? ", " : "", shape[i]);
        used += (size_t)more;
    }
    assert(used + sizeof ",)" <= size);
    (void)snprintf(text + used, size - used, "%s", rank == 1 ? ",)" : ")");
    return text;
}

/* The type words of an element; the first is the one that is written. */
static const char *const npy_types[ELEMENT_COUNT][2] = {
    [ELEMENT_FP16] = {"<f2", NULL},      [ELEMENT_BF16] = {"<u2", NULL},
    [ELEMENT_FP32] = {"<f4", NULL},      [ELEMENT_INT8] = {"|i1", "<i1"},
    [ELEMENT_INT32] = {"<i4", NULL},     [ELEMENT_UINT8] = {"|u1", "<u1"},
    [ELEMENT_INT16] = {"<i2", NULL},     [ELEMENT_UINT16] = {"<u2", NULL},
    [ELEMENT_UINT32] = {"<u4", NULL},    [ELEMENT_UINT64] = {"<u8", NULL},
    [ELEMENT_INT4] = {"|i1", "<i1"},     [ELEMENT_FP8_E4M3] = {"|u1", "<u1"},
    [ELEMENT_FP8_E5M2] = {"|u1", "<u1"}, [ELEMENT_HIF8] = {"|u1", "<u1"},
    [ELEMENT_FP4_E2M1] = {"|u1", "<u1"}, [ELEMENT_FP4_E1M2] = {"|u1", "<u1"},
};

static bool type_is(const char *descr, enum element element)
{
    const char *const *types = npy_types[element];
    return strcmp(descr, types[0]) == 0 || (types[1] != NULL && strcmp(descr, types[1]) == 0);
}

static bool tensor_takes_fp16(const struct tensor *tensor)
{
    return tensor->bias && tensor->element == ELEMENT_FP32;
}

/* Bytes of so many elements in a file, where every element has bytes of its own. */
static uint64_t file_bytes(enum element element, uint64_t count)
{
    return element_bits(element) < 8 ? count : count * element_bytes(element);
}

/* Compares the header with the tensor; *element is the type in the file. */
static enum status header_check(const struct npy_reader *reader, const struct npy_header *header,
                                const struct tensor *tensor, enum element *element)
{
    char found[16 + TENSOR_RANK_MAX * 24];
    char expected[16 + TENSOR_RANK_MAX * 24];
    char descr[64];
    const char *type = npy_types[tensor->element][0];
    *element = tensor->element;
    if (tensor_takes_fp16(tensor) && type_is(header->descr, ELEMENT_FP16)) {
        *element = ELEMENT_FP16;
    }
    if (!type_is(header->descr, *element)) {
        return reader_refuse(reader, "found %stype '%s'; expected '%s'%s for %s",
                             header->descr[0] == '>' ? "the big-endian " : "",
                             excerpt_format(header->descr, descr, sizeof descr), type,
                             tensor_takes_fp16(tensor) ? " or '<f2'" : "",
                             element_word(tensor->element));
    }
    if (header->fortran_order) {
        return reader_refuse(reader, "found fortran_order True; expected C order");
    }
    if (header->rank != tensor->rank ||
        memcmp(header->shape, tensor->shape, tensor->rank * sizeof tensor->shape[0]) != 0) {
        return reader_refuse(reader, "found shape %s; expected %s",
                             shape_text(header->shape, header->rank, found, sizeof found),
                             shape_text(tensor->shape, tensor->rank, expected, sizeof expected));
    }
    return STATUS_OK;
}

/* Elements of the file's type become those of the tensor: a bias of fp16. */
static enum status reader_convert(const struct npy_reader *reader, enum element element,
                                  const uint8_t *raw, struct tensor *tensor)
{
    enum status status = tensor_take(tensor, reader->arena);
    for (uint64_t i = 0; status == STATUS_OK && i < tensor->count; i++) {
        double value = element_decode(element, element_load(element, raw, i));
        uint32_t code = element_encode(tensor->element, (float)value, false);
        element_store(tensor->element, tensor->data, i, code);
    }
    return status;
}

/* Bytes of the file become 4-bit elements, two in a byte. */
static enum status reader_pack(const struct npy_reader *reader, const uint8_t *raw,
                               struct tensor *tensor)
{
    struct tensor packed = *tensor;
    enum status status = tensor_take(&packed, reader->arena);
    bool integer = element_is_integer(packed.element);
    int low = integer ? -8 : 0, high = integer ? 7 : 15;
    for (uint64_t i = 0; status == STATUS_OK && i < packed.count; i++) {
        int value = integer && raw[i] >= 128 ? raw[i] - 256 : raw[i];
        if (value < low || value > high) {
            return reader_refuse(reader,
                                 "found %d at element %" PRIu64 "; expected %d to %d for %s", value,
                                 i, low, high, element_word(packed.element));
        }
        element_store(packed.element, packed.data, i, (uint32_t)raw[i] & 15);
    }
    tensor->data = packed.data;
    return status;
}

/* Reads the elements of the file's type into the tensor's data and looks for the end. */
static enum status reader_data(const struct npy_reader *reader, enum element element,
                               struct tensor *tensor)
{
    uint64_t size = file_bytes(element, tensor->count);
    uint8_t surplus;
    uint8_t *raw = arena_take(reader->arena, size, 1);
    if (raw == NULL) {
        return STATUS_NO_MEMORY;
    }
    enum status status = reader_take(reader, raw, size, "data");
    if (status != STATUS_OK) {
        return status;
    }
    if (fread(&surplus, 1, 1, reader->file) != 0) {
        return reader_refuse(
            reader, "found bytes behind the data; expected %" PRIu64 " bytes of data", size);
    }
    if (ferror(reader->file)) {
        return path_refuse(&reader->name, reader->diag, errno, "cannot read the file");
    }
    if (element != tensor->element) {
        return reader_convert(reader, element, raw, tensor);
    }
    if (element_bits(element) < 8) {
        return reader_pack(reader, raw, tensor);
    }
    tensor->data = raw;
    return STATUS_OK;
}

static enum status reader_load(const struct npy_reader *reader, struct tensor *tensor)
{
    struct npy_header header;
    char shown[128];
    const char *text = NULL;
    enum element element;
    enum status status = reader_header_text(reader, &text);
    if (status != STATUS_OK) {
        return status;
    }
    if (!header_parse(text, &header)) {
        return reader_refuse(reader,
                             "found the header '%s'; expected a dictionary of descr (one "
                             "type), fortran_order and shape (at most %d numbers)",
                             excerpt_format(text, shown, sizeof shown), TENSOR_RANK_MAX);
    }
    status = header_check(reader, &header, tensor, &element);
    return status == STATUS_OK ? reader_data(reader, element, tensor) : status;
}

enum status npy_load(const char *path, struct place place, struct tensor *tensor,
                     struct arena *arena, struct diag *diag)
{
    struct npy_reader reader = {fopen(path, "rb"), {path, place}, arena, diag};
    if (reader.file == NULL) {
        return path_refuse(&reader.name, diag, errno, "cannot open the file");
    }
    enum status status = reader_load(&reader, tensor);
    (void)fclose(reader.file);
    return status;
}

/* Lead and header; the sum of their lengths is a multiple of NPY_ALIGN. */
static bool header_write(FILE *file, const struct tensor *tensor)
{
    char shape[16 + TENSOR_RANK_MAX * 24];
    char text[96 + sizeof shape];
    const int lead_bytes = NPY_MAGIC_BYTES + NPY_VERSION_BYTES + 2;
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                        npy_types[tensor->element][0],
                        shape_text(tensor->shape, tensor->rank, shape, sizeof shape));
    assert(used > 0 && (size_t)used < sizeof text);
    int total = (int)align_up((uint64_t)(lead_bytes + used + 1), NPY_ALIGN);
    int length = total - lead_bytes;
    return fprintf(file, NPY_MAGIC "%c%c%c%c%-*s\n", 1, 0, length % 256, length / 256, length - 1,
                   text) == total;
}

static enum status write_refuse(const struct npy_name *name, struct diag *diag, int error)
{
    char text[NPY_TEXT_MAX];
    (void)snprintf(text, sizeof text, "cannot write the file: %s", strerror(error));
    return file_refuse(name, diag, STATUS_IO, text);
}

/* Two elements in a byte get a byte each, int4 with its sign. */
static bool data_write_unpacked(FILE *file, const struct tensor *tensor)
{
    bool integer = element_is_integer(tensor->element);
    for (uint64_t i = 0; i < tensor->count; i++) {
        uint32_t code = element_load(tensor->element, tensor->data, i);
        if (fputc((int)(integer && code >= 8 ? code + 240 : code), file) == EOF) {
            return false;
        }
    }
    return true;
}

static bool data_write(FILE *file, const struct tensor *tensor)
{
    if (element_bits(tensor->element) < 8) {
        return data_write_unpacked(file, tensor);
    }
    uint64_t size = file_bytes(tensor->element, tensor->count);
    return fwrite(tensor->data, 1, size, file) == size;
}

/* Writes everything and closes the file; errno is that of the first failure. */
static bool tensor_write(FILE *file, const struct tensor *tensor)
{
    bool whole = header_write(file, tensor) && data_write(file, tensor) && fflush(file) == 0;
    int error = errno;
    bool closed = fclose(file) == 0;
    if (!whole) {
        errno = error;
    }
    return whole && closed;
}

/* A new file in the folder of path, whose name goes to name (NPY_PATH_MAX bytes). */
static FILE *temporary_open(const char *path, char *name)
{
    FILE *file = NULL;
    errno = EEXIST;
    for (int i = 0; file == NULL && errno == EEXIST && i < NPY_NAMES_TRIED; i++) {
        int length = snprintf(name, NPY_PATH_MAX, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        if (length < 0 || length >= NPY_PATH_MAX) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        file = fopen(name, "wbx");
    }
    return file;
}

/* Only a regular file, or none, may be replaced by a rename: a device or a link must stay. */
static bool path_is_replaceable(const char *path)
{
    struct stat info;
    return lstat(path, &info) != 0 || S_ISREG(info.st_mode);
}

enum status npy_save(const char *path, struct place place, const struct tensor *tensor,
                     struct diag *diag)
{
    const struct npy_name named = {path, place};
    char name[NPY_PATH_MAX];
    assert(tensor->data != NULL);
    if (!path_is_replaceable(path)) {
        FILE *file = fopen(path, "wb");
        bool whole = file != NULL && tensor_write(file, tensor);
        return whole ? STATUS_OK : write_refuse(&named, diag, errno);
    }
    FILE *file = temporary_open(path, name);
    if (file == NULL) {
        return write_refuse(&named, diag, errno);
    }
    if (!tensor_write(file, tensor) || rename(name, path) != 0) {
        int error = errno;
        (void)remove(name);
        return write_refuse(&named, diag, error);
    }
    return STATUS_OK;
}
