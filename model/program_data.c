#include "model/program_data.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "model/tensor.h"

static struct tensor region_tensor(const struct region *region, void *data)
{
    struct tensor tensor;
    tensor_shape(&tensor, region->element, region->rank, region->shape);
    assert(element_array_bytes(tensor.element, tensor.count) == region->size_bytes);
    tensor.data = data;
    return tensor;
}

static bool path_leads_somewhere(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

/* NULL when memory runs out. */
static const char *file_find(const char *path, const char *program, struct arena *arena)
{
    const char *slash = strrchr(program, '/');
    if (path[0] == '/' || slash == NULL || path_leads_somewhere(path))
        return path;
    size_t folder = (size_t)(slash - program) + 1, length = strlen(path);
    char *beside = arena_take(arena, folder + length + 1, 1);
    if (beside == NULL)
        return NULL;
    memcpy(beside, program, folder);
    memcpy(beside + folder, path, length + 1);
    return path_leads_somewhere(beside) ? beside : path;
}

enum status program_data_find(const struct program *program, const struct source *source,
                              struct arena *arena, struct diag *diag, const char *const **file)
{
    const char **found = arena_take(arena, (size_t)program->region_count + 1, sizeof *found);
    bool all = found != NULL;
    for (uint32_t i = 0; i < program->region_count && all; i++) {
        bool bound = program->regions[i].binding == BINDING_FILE;
        found[i] = bound ? file_find(program->regions[i].path, source->name, arena) : NULL;
        all = !bound || found[i] != NULL;
    }
    *file = found;
    return all ? STATUS_OK : diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
}

static enum status data_load(const struct region *region, const char *file,
                             const struct source *source, struct arena *arena, struct diag *diag,
                             struct memory *memory)
{
    struct tensor tensor = region_tensor(region, NULL);
    struct place place = place_in_line(source, region->line, region->path);
    enum status status = npy_load(file, place, &tensor, arena, diag);
    if (status != STATUS_OK)
        return status;
    *memory = (struct memory){
        .bytes = tensor.data,
        .written = arena_take(arena, (size_t)region->size_bytes, 1),
        .size_bytes = region->size_bytes,
        .whole = true,
    };
    if (memory->written == NULL)
        return STATUS_NO_MEMORY;
    memset(memory->written, 1, (size_t)memory->size_bytes);
    return STATUS_OK;
}

static enum status data_generate(const struct region *region,
                                 const struct program_data_options *options, struct arena *arena,
                                 struct diag *diag, struct memory *memory)
{
    if (region->element == ELEMENT_UINT64)
        return diag_add(diag, STATUS_BAD_INPUT,
                        place_in_line(options->source, region->line, "seed"),
                        "found generated numbers for uint64, which holds quantisation words; "
                        "expected values, a file or zero");
    enum status status = memory_init(memory, region->size_bytes, true, arena);
    if (status != STATUS_OK)
        return status;
    struct tensor tensor = region_tensor(region, memory->bytes);
    tensor_fill(&tensor, options->seed, region->seed);
    return STATUS_OK;
}

static enum status data_make(const struct region *region, const char *file,
                             const struct program_data_options *options, struct arena *arena,
                             struct diag *diag, struct memory *memory)
{
    if (region->size_bytes == 0)
        return STATUS_OK;
    if (region->binding == BINDING_FILE)
        return data_load(region, file, options->source, arena, diag, memory);
    if (options->files_only)
        return STATUS_OK;
    if (region->binding == BINDING_SEED)
        return data_generate(region, options, arena, diag, memory);
    bool bound = region->binding != BINDING_NONE;
    enum status status = memory_init(memory, region->size_bytes, bound, arena);
    if (status == STATUS_OK && region->binding == BINDING_VALUES)
        memcpy(memory->bytes, region->values, (size_t)region->size_bytes);
    return status;
}

enum status program_data_make(const struct program *program,
                              const struct program_data_options *options, struct arena *arena,
                              struct diag *diag, struct memory **tensor)
{
    enum status status = STATUS_OK;
    *tensor = arena_take(arena, (size_t)program->region_count + 1, sizeof **tensor);
    if (*tensor == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
    for (uint32_t i = 0; i < program->region_count && status != STATUS_NO_MEMORY; i++)
        if (program->regions[i].space == SPACE_GM)
            status = diag_graver(status, data_make(&program->regions[i],
                                                   options->file != NULL ? options->file[i] : NULL,
                                                   options, arena, diag, &(*tensor)[i]));
    if (status == STATUS_NO_MEMORY)
        return diag_add(diag, status, place_none(), "memory ran out: the tensors are too large");
    return status;
}

enum status program_data_dump(const struct program *program, const struct source *source,
                              const struct memory *tensor, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < program->dump_count; i++) {
        const struct dump *dump = &program->dumps[i];
        struct tensor lying =
            region_tensor(&program->regions[dump->region], tensor[dump->region].bytes);
        struct place place = place_in_line(source, dump->line, dump->path);
        status = diag_graver(status, npy_save(dump->path, place, &lying, diag));
    }
    return status;
}
