#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/bind.h"
#include "engine/base/tree.h"
#include "model/product_file.h"

enum { DIRECTORY_MAX = 16, PARENT_MAX = 4, PATH_BYTES = 4096 };

/* The directories that exist, in the order of search. */
struct directories {
    const char *path[DIRECTORY_MAX];
    size_t count;
};

/* Names without .yaml, sorted. */
struct names {
    const char **name; /* array_grow */
    size_t count;
    size_t capacity;
};

static enum status find_no_memory(struct diag *diag)
{
    return diag_add(diag, STATUS_NO_MEMORY, place_none(), "no memory for the search of products");
}

static enum status find_no_files(struct place place, struct diag *diag)
{
    return diag_add(diag, STATUS_IO, place,
                    "no product files were found; expected them in configs/products next to the "
                    "program or in the directory that CUBESIM_CONFIGS names");
}

static bool path_is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool path_is_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Adds base/tail if it is a directory; false when memory ran out. */
static bool directories_add(struct directories *directories, const char *base, const char *tail,
                            struct arena *arena)
{
    const char *path = arena_format(arena, "%s%s", base, tail);

    if (path == NULL)
        return false;
    if (directories->count < DIRECTORY_MAX && path_is_directory(path))
        directories->path[directories->count++] = path;
    return true;
}

/* $CUBESIM_CONFIGS names a folder that has products/ or that holds the files itself. */
static enum status directories_add_environment(struct directories *directories, struct arena *arena,
                                               struct diag *diag)
{
    const char *configs = getenv("CUBESIM_CONFIGS");

    if (configs == NULL || *configs == '\0')
        return STATUS_OK;
    if (!path_is_directory(configs))
        return diag_add(diag, STATUS_BAD_INPUT, place_none(),
                        "CUBESIM_CONFIGS is '%s', which is no directory; expected the directory of "
                        "the product files",
                        configs);
    if (!directories_add(directories, configs, "/products", arena) ||
        !directories_add(directories, configs, "", arena))
        return find_no_memory(diag);
    return STATUS_OK;
}

/* The source tree or the install prefix around the running binary. */
static bool directories_add_binary(struct directories *directories, struct arena *arena)
{
    char path[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length <= 0)
        return true;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return true;
    *slash = '\0';
    if (!directories_add(directories, path, "/../share/cubesim/configs/products", arena))
        return false;
    for (int parent = 0; parent <= PARENT_MAX; parent++) {
        if (!directories_add(directories, path, "/configs/products", arena))
            return false;
        slash = strrchr(path, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
    return true;
}

static enum status directories_find(struct arena *arena, struct diag *diag,
                                    struct directories *directories)
{
    *directories = (struct directories){0};
    enum status status = directories_add_environment(directories, arena, diag);

    if (status != STATUS_OK)
        return status;
    bool fits = directories_add_binary(directories, arena);
#ifdef CUBESIM_INSTALL_CONFIGS
    fits = fits && directories_add(directories, CUBESIM_INSTALL_CONFIGS, "/products", arena);
#endif
    fits = fits && directories_add(directories, "./configs", "/products", arena);
    return fits ? STATUS_OK : find_no_memory(diag);
}

static int names_compare(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool names_add(struct names *names, const char *text, size_t length, struct arena *arena)
{
    const char **name =
        array_grow(names->name, &names->capacity, names->count + 1, sizeof *names->name);

    if (name == NULL)
        return false;
    names->name = name;
    const char *copy = arena_text(arena, text, length);
    if (copy == NULL)
        return false;
    names->name[names->count++] = copy;
    return true;
}

static void names_sort_unique(struct names *names)
{
    size_t kept = 0;

    if (names->count == 0)
        return;
    qsort(names->name, names->count, sizeof *names->name, names_compare);
    for (size_t i = 1; i < names->count; i++)
        if (strcmp(names->name[kept], names->name[i]) != 0)
            names->name[++kept] = names->name[i];
    names->count = kept + 1;
}

static bool name_is_yaml(const char *name)
{
    size_t length = strlen(name);

    return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

/* Adds the product names of a directory. */
static enum status names_read(struct names *names, const char *directory, struct arena *arena,
                              struct diag *diag)
{
    DIR *stream = opendir(directory);
    bool fits = true;
    struct dirent *entry;

    if (stream == NULL)
        return diag_add(diag, STATUS_IO, place_none(), "%s cannot be listed: %s", directory,
                        strerror(errno));
    while (fits && (entry = readdir(stream)) != NULL)
        if (entry->d_name[0] != '.' && name_is_yaml(entry->d_name))
            fits = names_add(names, entry->d_name, strlen(entry->d_name) - 5, arena);
    closedir(stream);
    return fits ? STATUS_OK : find_no_memory(diag);
}

static enum status names_read_all(struct names *names, const struct directories *directories,
                                  struct arena *arena, struct diag *diag)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < directories->count && status == STATUS_OK; i++)
        status = names_read(names, directories->path[i], arena, diag);
    names_sort_unique(names);
    return status;
}

/* Whether a line of the file could be "alias: NAME": saves parsing every product for an alias. */
static bool file_mentions_alias(const char *path, const char *alias)
{
    char line[1024];
    bool found = false;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL)
        found = strstr(line, "alias") != NULL && strstr(line, alias) != NULL;
    (void)fclose(file);
    return found;
}

/* The alias that a product file states, or "" when it has none. */
static enum status file_alias(const char *path, struct arena *arena, struct diag *diag,
                              const char **alias)
{
    const struct node *root = NULL;
    const struct node *node = NULL;
    enum status status = tree_load(path, arena, diag, &root);

    if (status == STATUS_OK && root->kind == NODE_MAP)
        node = tree_find(root, "alias");
    *alias = node != NULL && node->kind == NODE_SCALAR ? node->text : "";
    return status;
}

/* Looks for a SoC or an alias in one directory. *path stays NULL when it is not there. */
static enum status directory_find(const char *directory, const char *name, struct arena *arena,
                                  struct diag *diag, const char **path, const char **stem)
{
    struct names names = {0};
    enum status status;
    const char *file = arena_format(arena, "%s/%s.yaml", directory, name);

    if (file == NULL)
        return find_no_memory(diag);
    if (path_is_file(file)) {
        *path = file;
        *stem = name;
        return STATUS_OK;
    }
    status = names_read(&names, directory, arena, diag);
    names_sort_unique(&names);
    for (size_t i = 0; i < names.count && status == STATUS_OK && *path == NULL; i++) {
        file = arena_format(arena, "%s/%s.yaml", directory, names.name[i]);
        const char *alias = "";
        if (file == NULL)
            status = find_no_memory(diag);
        else if (file_mentions_alias(file, name))
            status = file_alias(file, arena, diag, &alias);
        if (status == STATUS_OK && strcmp(alias, name) == 0) {
            *path = file;
            *stem = names.name[i];
        }
    }
    array_release(names.name);
    return status;
}

/* Known products as notes of a problem, a few on each line, and all words that name one. */
struct known {
    const char *text;
    size_t column; /* of the last line of text */
    struct names words;
};

enum { KNOWN_COLUMNS = 72 };

static bool known_add(struct known *known, const char *soc, const char *alias, struct arena *arena)
{
    bool has_alias = *alias != '\0';
    const char *item = arena_format(arena, has_alias ? "%s (%s)" : "%s%s", soc, alias);

    if (item == NULL || !names_add(&known->words, soc, strlen(soc), arena) ||
        (has_alias && !names_add(&known->words, alias, strlen(alias), arena)))
        return false;
    bool fits = known->column > 0 && known->column + 2 + strlen(item) <= KNOWN_COLUMNS;
    const char *joint = fits ? ", " : known->column > 0 ? ",\n" : "\n";
    known->text = arena_format(arena, "%s%s%s", known->text, joint, item);
    known->column = (fits ? known->column + 2 : 0) + strlen(item);
    return known->text != NULL;
}

/* Lists the products with the alias that the first file of each name states. */
static bool known_read(struct known *known, const struct directories *directories,
                       const struct names *names, struct arena *arena)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *alias = "";
        bool found = false;

        for (size_t at = 0; at < directories->count && !found; at++) {
            const char *path =
                arena_format(arena, "%s/%s.yaml", directories->path[at], names->name[i]);
            if (path == NULL)
                return false;
            found = path_is_file(path);
            /* A file that cannot be read still has its name. */
            if (found && file_alias(path, arena, NULL, &alias) == STATUS_NO_MEMORY)
                return false;
        }
        if (!known_add(known, names->name[i], alias, arena))
            return false;
    }
    return true;
}

static enum status unknown_refuse(const char *name, const struct known *known, struct place place,
                                  struct diag *diag)
{
    const char *nearest = nearest_word(name, known->words.name, known->words.count);
    char found[EXCERPT_SIZE_BYTES];

    excerpt_format(name, found, sizeof found);
    if (nearest != NULL)
        return diag_add(diag, STATUS_BAD_INPUT, place,
                        "unknown product '%s'; did you mean '%s'? known are%s", found, nearest,
                        known->text);
    return diag_add(diag, STATUS_BAD_INPUT, place, "unknown product '%s'; expected one of%s", found,
                    known->text);
}

static enum status product_unknown(const char *name, const struct directories *directories,
                                   struct place place, struct arena *arena, struct diag *diag)
{
    struct names names = {0};
    struct known known = {.text = ""};
    enum status status = names_read_all(&names, directories, arena, diag);

    if (status == STATUS_OK && names.count == 0)
        status = find_no_files(place, diag);
    else if (status == STATUS_OK && !known_read(&known, directories, &names, arena))
        status = find_no_memory(diag);
    else if (status == STATUS_OK)
        status = unknown_refuse(name, &known, place, diag);
    array_release(names.name);
    array_release(known.words.name);
    return status;
}

enum status product_load(const char *name, struct place place, struct arena *arena,
                         struct diag *diag, struct product *product)
{
    struct directories directories;
    const char *path = NULL;
    const char *stem = NULL;

    *product = (struct product){0};
    if (strchr(name, '/') != NULL || name_is_yaml(name)) {
        if (!path_is_file(name)) {
            char found[EXCERPT_SIZE_BYTES];
            return diag_add(diag, STATUS_BAD_INPUT, place,
                            "found no file '%s'; expected a product file, a SoC or an alias",
                            excerpt_format(name, found, sizeof found));
        }
        return product_file_load(name, NULL, arena, diag, product);
    }
    enum status status = directories_find(arena, diag, &directories);
    for (size_t i = 0; i < directories.count && status == STATUS_OK && path == NULL; i++)
        status = directory_find(directories.path[i], name, arena, diag, &path, &stem);
    if (status != STATUS_OK)
        return status;
    if (path == NULL)
        return product_unknown(name, &directories, place, arena, diag);
    return product_file_load(path, stem, arena, diag, product);
}

enum status product_list(struct arena *arena, struct diag *diag, const char *const **socs,
                         size_t *count)
{
    struct directories directories;
    struct names names = {0};
    enum status status = directories_find(arena, diag, &directories);

    *socs = NULL;
    *count = 0;
    if (status == STATUS_OK)
        status = names_read_all(&names, &directories, arena, diag);
    if (status == STATUS_OK && names.count == 0)
        status = find_no_files(place_none(), diag);
    if (status == STATUS_OK) {
        const char **copy = arena_take(arena, names.count, sizeof *copy);
        if (copy == NULL) {
            status = find_no_memory(diag);
        } else {
            memcpy(copy, names.name, names.count * sizeof *copy);
            *socs = copy;
            *count = names.count;
        }
    }
    array_release(names.name);
    return status;
}

enum status config_find(const char *name, struct arena *arena, struct diag *diag, const char **path)
{
    struct directories directories;
    enum status status = directories_find(arena, diag, &directories);
    *path = NULL;
    for (size_t i = 0; i < 2 * directories.count && status == STATUS_OK && *path == NULL; i++) {
        const char *above = i % 2 == 0 ? "/.." : "";
        const char *file = arena_format(arena, "%s%s/%s", directories.path[i / 2], above, name);
        if (file == NULL)
            status = find_no_memory(diag);
        else if (path_is_file(file))
            *path = file;
    }
    return status;
}
