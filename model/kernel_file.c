#include <string.h>

#include "engine/base/bind.h"
#include "model/kernel.h"
#include "model/product.h"

enum {
    TEXT_COUNT = 6,
    OWN_NUMBERS = 3,
    KEY_COUNT = TEXT_COUNT + OWN_NUMBERS + 1 + KERNEL_NUMBER_COUNT + KERNEL_WORD_COUNT
};

static const char *const keys[KEY_COUNT] = {"name",
                                            "file",
                                            "source",
                                            "metric",
                                            "use",
                                            "soc",
                                            "row",
                                            "measured_ns",
                                            "error_permille",
                                            "arch",
#define ROW(name, word, distance, range) word,
                                            KERNEL_NUMBER_LIST(ROW) KERNEL_WORD_LIST(ROW)
#undef ROW
};

struct table_reader {
    struct arena *arena;
    struct diag *diag;
    enum status worst;
};

static bool note(struct table_reader *reader, enum status status)
{
    reader->worst = diag_graver(reader->worst, status);
    return status == STATUS_OK;
}

static const struct node *required(struct table_reader *reader, const struct node *map,
                                   const char *key)
{
    const struct node *node = bind_required(map, key, reader->diag);
    if (node == NULL)
        (void)note(reader, STATUS_BAD_INPUT);
    return node;
}

static const char *read_text(struct table_reader *reader, const struct node *map, const char *key)
{
    const char *text = "";
    const struct node *node = required(reader, map, key);
    if (node != NULL)
        (void)note(reader, bind_text(node, reader->diag, &text));
    return text;
}

static int64_t read_whole(struct table_reader *reader, const struct node *map, const char *key,
                          int64_t low)
{
    int64_t value = low;
    const struct node *node = required(reader, map, key);
    if (node != NULL)
        (void)note(reader, bind_integer(node, low, INT64_MAX, reader->diag, &value));
    return value;
}

static void read_kernel(struct table_reader *reader, const struct node *map,
                        struct measured_kernel *kernel)
{
    if (!note(reader, bind_keys(map, keys, KEY_COUNT, reader->diag)))
        return;
    kernel->name = read_text(reader, map, "name");
    kernel->file = read_text(reader, map, "file");
    kernel->source = read_text(reader, map, "source");
    kernel->metric = read_text(reader, map, "metric");
    kernel->use = read_text(reader, map, "use");
    kernel->kernel.soc = read_text(reader, map, "soc");
    kernel->row = read_whole(reader, map, "row", 1);
    kernel->measured_ns = read_whole(reader, map, "measured_ns", 1);
    kernel->error_permille = read_whole(reader, map, "error_permille", -1000);
    const char *arch = read_text(reader, map, "arch");
    kernel->kernel.arch = arch_find(arch);
    if (reader->worst == STATUS_OK && kernel->kernel.arch == ARCH_COUNT)
        (void)note(reader, diag_add(reader->diag, STATUS_BAD_INPUT, tree_find(map, "arch")->place,
                                    "found '%s'; expected an architecture such as dav-2201", arch));
    for (uint32_t i = 0; i < KERNEL_NUMBER_COUNT; i++)
        kernel->kernel.number[i] =
            (uint64_t)read_whole(reader, map, kernel_number_word((enum kernel_number)i), 0);
    for (uint32_t i = 0; i < KERNEL_WORD_COUNT; i++)
        kernel->kernel.word[i] = read_text(reader, map, kernel_word_word((enum kernel_word)i));
}

enum status kernel_table_read(const struct node *root, struct arena *arena, struct diag *diag,
                              struct kernel_table *table)
{
    static const char *const root_keys[] = {"kernels"};
    struct table_reader reader = {.arena = arena, .diag = diag};
    *table = (struct kernel_table){0};
    if (!note(&reader, bind_keys(root, root_keys, 1, diag)))
        return reader.worst;
    const struct node *list = required(&reader, root, "kernels");
    if (list == NULL)
        return reader.worst;
    if (list->kind != NODE_LIST)
        return diag_add(diag, STATUS_BAD_INPUT, list->place,
                        "found no list; expected a list of kernels");
    table->kernels = arena_take(arena, list->count + 1, sizeof *table->kernels);
    if (table->kernels == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    for (size_t i = 0; i < list->count; i++)
        read_kernel(&reader, list->items[i], &table->kernels[i]);
    table->count = list->count;
    return reader.worst;
}

enum status kernel_table_load(struct arena *arena, struct diag *diag, struct kernel_table *table)
{
    const char *path = NULL;
    const struct node *root = NULL;
    *table = (struct kernel_table){0};
    enum status status = config_find("kernels/measured.yaml", arena, diag, &path);
    if (status != STATUS_OK || path == NULL)
        return status;
    status = tree_load(path, arena, diag, &root);
    return status == STATUS_OK ? kernel_table_read(root, arena, diag, table) : status;
}
