#include "tests/support/product_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

const struct shipped shipped[SHIPPED_COUNT] = {
    {"ascend310b1", "atlas-200i-500-a2", "dav-3002", 1, 1224, 4},
    {"ascend310p3", "atlas-inference", "dav-2002", 8, 1060, 16},
    {"ascend910_9362", "", "dav-2201", 20, 1500, 168},
    {"ascend910_9372", "", "dav-2201", 20, 1800, 192},
    {"ascend910_9381", "", "dav-2201", 24, 1800, 192},
    {"ascend910_9391", "atlas-a3", "dav-2201", 24, 1850, 192},
    {"ascend910a", "atlas-training", "dav-1001", 32, 1000, 32},
    {"ascend910b1", "atlas-a2", "dav-2201", 24, 1850, 192},
    {"ascend910b2", "", "dav-2201", 24, 1800, 192},
    {"ascend910b3", "", "dav-2201", 20, 1800, 192},
    {"ascend910b4", "", "dav-2201", 20, 1500, 96},
    {"ascend950dt_9581", "ascend-950dt", "dav-3510", 32, 1650, 128},
    {"ascend950pr_9579", "atlas-350", "dav-3510", 28, 1650, 128},
    {"ascend950pr_9589", "ascend-950pr", "dav-3510", 32, 1650, 128},
};

const char *shipped_of(enum arch arch)
{
    size_t index = 0;
    while (index < SHIPPED_COUNT && strcmp(shipped[index].arch, arch_word(arch)) != 0)
        index++;
    assert_true(index < SHIPPED_COUNT);
    return shipped[index].soc;
}

void sample_init(struct sample *sample)
{
    arena_init(&sample->arena, 0);
    diag_init(&sample->diag);
}

void sample_deinit(struct sample *sample)
{
    arena_deinit(&sample->arena);
    diag_deinit(&sample->diag);
}

enum status sample_read(struct sample *sample, const char *name)
{
    sample_init(sample);
    return product_load(name, place_none(), &sample->arena, &sample->diag, &sample->product);
}

void sample_load(struct sample *sample, const char *name)
{
    enum status status = sample_read(sample, name);

    if (sample->diag.count > 0)
        print_error("%s\n", diag_text(&sample->diag, 0));
    assert_int_equal(status, STATUS_OK);
}

enum status sample_set(struct sample *sample, const char *assignment)
{
    return product_set(&sample->product, assignment, &sample->arena, &sample->diag);
}

void sample_assert_message(const struct sample *sample, size_t index, const char *message)
{
    assert_true(index < sample->diag.count);
    assert_string_equal(sample->diag.problems[index].message, message);
}

void folder_init(struct folder *folder)
{
    *folder = (struct folder){.path = "/tmp/cubesim_product_XXXXXX"};
    assert_non_null(mkdtemp(folder->path));
}

void folder_deinit(struct folder *folder)
{
    for (size_t i = 0; i < folder->count; i++)
        assert_int_equal(unlink(folder->file[i]), 0);
    if (folder->inner[0] != '\0')
        assert_int_equal(rmdir(folder->inner), 0);
    assert_int_equal(rmdir(folder->path), 0);
}

void folder_make_products(struct folder *folder)
{
    int length = snprintf(folder->inner, sizeof folder->inner, "%.200s/products", folder->path);

    assert_true(length > 0 && (size_t)length < sizeof folder->inner);
    assert_int_equal(mkdir(folder->inner, 0700), 0);
}

const char *folder_write(struct folder *folder, const char *name, const char *text)
{
    const char *base = folder->inner[0] != '\0' ? folder->inner : folder->path;
    assert_true(folder->count < FOLDER_FILES_MAX);
    char *path = folder->file[folder->count++];
    int length = snprintf(path, PATH_BYTES, "%.200s/%.50s", base, name);

    assert_true(length > 0 && length < PATH_BYTES);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

void text_read(const char *path, char *text)
{
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    size_t length = fread(text, 1, TEXT_BYTES - 1, file);
    assert_true(length > 0 && length < TEXT_BYTES - 1);
    text[length] = '\0';
    assert_int_equal(fclose(file), 0);
}

void text_replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);

    if (at == NULL)
        fail_msg("'%s' is not in the file", from);
    assert_true(strlen(text) + strlen(to) < TEXT_BYTES);
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
}

void text_locate(const char *text, const char *what, uint32_t *line, uint32_t *column)
{
    const char *at = strstr(text, what);

    assert_non_null(at);
    *line = *column = 1;
    for (const char *byte = text; byte < at; byte++) {
        *column = *byte == '\n' ? 1 : *column + 1;
        *line += *byte == '\n';
    }
}
