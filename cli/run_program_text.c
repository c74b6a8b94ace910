/*
 * What the summary of a run says of its program file.
 */
#include <inttypes.h>

#include "cli/run_view.h"
#include "cli/text.h"
#include "isa/machine.h"

static const char *instructions_text(const struct page *page, const struct run_view *view)
{
    uint32_t cores = view->file->program->core_count;
    return text_format(page->arena, "%s: %s instruction%s on %" PRIu32 " core%s", view->path,
                       text_number(page->arena, view->file->instructions),
                       view->file->instructions == 1 ? "" : "s", cores, cores == 1 ? "" : "s");
}

static const char *binding_text(const struct page *page, const struct run_view *view,
                                uint32_t index)
{
    const struct region *region = &view->file->program->regions[index];
    switch (region->binding) {
    case BINDING_FILE:
        return text_format(page->arena, "%s from %s", region->name, view->input[index]);
    case BINDING_ZERO:
        return text_format(page->arena, "%s zero", region->name);
    case BINDING_SEED:
        return text_format(page->arena, "%s generated (seed %" PRIu64 ")", region->name,
                           region->seed);
    case BINDING_VALUES:
        return text_format(page->arena, "%s by value", region->name);
    case BINDING_NONE:
        break;
    }
    return text_format(page->arena, "%s not bound", region->name);
}

/* "x from x.npy, w generated (seed 2), y not bound; seed of the run 1". */
static const char *bindings_text(const struct page *page, const struct run_view *view)
{
    const struct program *program = view->file->program;
    const char *text = "";
    bool generated = false;
    for (uint32_t i = 0; i < program->region_count; i++) {
        if (program->regions[i].space != SPACE_GM)
            continue;
        generated = generated || program->regions[i].binding == BINDING_SEED;
        text = text_format(page->arena, "%s%s%s", text, *text != '\0' ? ", " : "",
                           binding_text(page, view, i));
    }
    if (!generated)
        return text;
    return text_format(page->arena, "%s; seed of the run %" PRIu64, text, view->file->seed);
}

/* "y to y.npy", and how much of it was never written. */
static const char *dump_text(const struct page *page, const struct run_view *view,
                             const struct dump *dump)
{
    const struct memory *memory = &view->file->tensor[dump->region];
    const char *name = view->file->program->regions[dump->region].name;
    uint64_t unwritten = memory_unwritten_bytes(memory);
    if (unwritten == 0)
        return text_format(page->arena, "%s to %s", name, dump->path);
    return text_format(page->arena, "%s to %s (%s of %s B were never written and are 0)", name,
                       dump->path, text_number(page->arena, unwritten),
                       text_number(page->arena, memory->size_bytes));
}

static void print_dumps(const struct page *page, const struct run_view *view)
{
    const struct program *program = view->file->program;
    if (program->dump_count == 0)
        return;
    if (view->timing_only || view->result->deadlocked) {
        page_field(page, "dumps",
                   view->timing_only ? "not written: no tensor was computed (--timing-only)"
                                     : "not written: the program has not ended");
        return;
    }
    for (uint32_t i = 0; i < program->dump_count; i++)
        page_field(page, i == 0 ? "dumps" : "", dump_text(page, view, &program->dumps[i]));
}

void run_print_program(const struct page *page, const struct run_view *view)
{
    const char *bindings = bindings_text(page, view);
    page_field(page, "program", instructions_text(page, view));
    if (!view->timing_only && *bindings != '\0')
        page_field(page, "data", bindings);
    print_dumps(page, view);
}
