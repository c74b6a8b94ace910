#include "cli/run_targets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/text.h"

/* A file of a run, in the order in which their owners come first. */
struct named_file {
    const char *path, *role; /* "the program" */
    const char *option;      /* that names a target, or NULL */
    uint32_t line;           /* of a dump */
    bool written;
    size_t index; /* in that order */
    dev_t device; /* of the file, or of the folder of one to be made */
    ino_t inode;
    const char *name; /* of a file to be made; "" when it is there */
};

struct file_list {
    struct arena *arena;
    struct named_file *files;
    size_t count;
};

/* Finds out which file a path names; false: none that could be overwritten. */
static bool file_identify(struct named_file *file, struct arena *arena)
{
    struct stat info;
    const char *slash = strrchr(file->path, '/');
    if (stat(file->path, &info) == 0) {
        file->name = "";
        file->device = info.st_dev;
        file->inode = info.st_ino;
        return S_ISREG(info.st_mode);
    }
    const char *folder = ".";
    if (slash != NULL)
        folder = text_format(arena, "%.*s", (int)(slash - file->path) + 1, file->path);
    file->name = slash != NULL ? slash + 1 : file->path;
    file->device = 0;
    file->inode = 0;
    if (stat(folder, &info) != 0)
        return false;
    file->device = info.st_dev;
    file->inode = info.st_ino;
    return true;
}

static void list_add(struct file_list *list, struct named_file file)
{
    if (file.path == NULL || !file_identify(&file, list->arena))
        return;
    file.index = list->count;
    list->files[list->count++] = file;
}

static void list_add_read(struct file_list *list, const char *path, const char *role)
{
    list_add(list, (struct named_file){.path = path, .role = role});
}

static int file_compare(const struct named_file *a, const struct named_file *b)
{
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode)
        return a->inode < b->inode ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int file_order(const void *a, const void *b)
{
    const struct named_file *first = a, *second = b;
    int order = file_compare(first, second);
    if (order != 0)
        return order;
    return first->index < second->index ? -1 : first->index > second->index;
}

/* ---- the files of a run ---- */

/* A product that is named by its file. */
static const char *product_path(const struct run_case *run)
{
    const char *name = run->request->plan.product;
    if (name == NULL)
        name = run->is_program ? run->program.product : run->c->plan.product_name;
    return name != NULL && (strchr(name, '/') != NULL || strstr(name, ".yaml") != NULL) ? name
                                                                                        : NULL;
}

static void list_read(struct file_list *list, const struct run_case *run)
{
    const struct run_request *request = run->request;
    const struct program *program = &run->program;
    list_add_read(list, request->plan.common.argument,
                  run->is_program ? "the program itself" : "the plan itself");
    list_add_read(list, product_path(run), "its product file");
    if (!run->is_program) {
        list_add_read(list, request->files.input, "the file of --input");
        list_add_read(list, request->files.weight, "the file of --weight");
        list_add_read(list, request->files.bias, "the file of --bias");
        return;
    }
    for (uint32_t i = 0; i < program->region_count; i++)
        if (run->input[i] != NULL)
            list_add_read(list, run->input[i],
                          text_format(list->arena, "the file that '%s' is read from",
                                      program->regions[i].name));
}

static void list_written(struct file_list *list, const struct run_case *run)
{
    const struct run_request *request = run->request;
    const struct program *program = &run->program;
    list_add(list, (struct named_file){.path = request->db,
                                       .role = "the database (--db)",
                                       .option = "--db",
                                       .written = true});
    list_add(list, (struct named_file){.path = request->output,
                                       .role = "the output",
                                       .option = "--output",
                                       .written = true});
    for (uint32_t i = 0; run->is_program && i < program->dump_count; i++)
        list_add(list,
                 (struct named_file){.path = program->dumps[i].path,
                                     .role = text_format(list->arena, "the dump of line %" PRIu32,
                                                         program->dumps[i].line),
                                     .line = program->dumps[i].line,
                                     .written = true});
}

static enum status file_refuse(const struct run_case *run, const struct named_file *file,
                               const struct named_file *first)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    struct source option = {.name = file->option, .text = ""};
    struct place place = {.source = &option};
    if (file->option == NULL)
        place = place_in_line(run->file.source, file->line, file->path);
    return diag_add(&run->c->diag, STATUS_BAD_INPUT, place,
                    "found '%s', which is %s; expected a file of its own",
                    excerpt_format(file->path, excerpt, sizeof excerpt), first->role);
}

enum status run_targets_check(const struct run_case *run)
{
    enum { NAMED_BY_OPTIONS = 7 };
    struct file_list list = {.arena = &run->c->arena};
    const struct program *program = &run->program;
    size_t most = NAMED_BY_OPTIONS;
    if (run->is_program)
        most += (size_t)program->region_count + program->dump_count;
    list.files = arena_take(list.arena, most, sizeof *list.files);
    if (list.files == NULL)
        return diag_add(&run->c->diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    list_read(&list, run);
    list_written(&list, run);
    qsort(list.files, list.count, sizeof *list.files, file_order);
    enum status status = STATUS_OK;
    size_t already = run->c->diag.count;
    for (size_t i = 1, first = 0; i < list.count; i++) {
        if (file_compare(&list.files[first], &list.files[i]) != 0)
            first = i;
        else if (list.files[i].written)
            status = diag_graver(status, file_refuse(run, &list.files[i], &list.files[first]));
    }
    diag_sort(&run->c->diag, already);
    return status;
}
