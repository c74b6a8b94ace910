#include "cli/program_case.h"

#include <string.h>

#include "engine/base/source.h"
#include "isa/program_text.h"
#include "model/program_check.h"

struct lookup {
    struct plan_case *c;
    const struct plan_options *options;
    bool found; /* there is a product */
};

bool path_is_program(const char *path)
{
    static const char ending[] = ".prog";
    size_t length = strlen(path), ending_length = strlen(ending);
    return length >= ending_length && strcmp(path + length - ending_length, ending) == 0;
}

/* A product_lookup: the product with what --set makes of it. */
static enum status find_product(void *context, const char *name, struct place place,
                                struct diag *diag, enum arch *arch)
{
    struct lookup *lookup = context;
    struct plan_case *c = lookup->c;
    enum status status = product_load(name, place, &c->arena, diag, &c->product);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < lookup->options->set_count; i++)
        status = diag_graver(status,
                             product_set(&c->product, lookup->options->sets[i], &c->arena, diag));
    lookup->found = true;
    *arch = c->product.arch;
    return status;
}

enum status program_case_load(struct plan_case *c, const struct plan_options *options,
                              const struct source **source, struct program *program)
{
    struct lookup lookup = {c, options, false};
    const char *product = options->product;
    struct source option = {.name = "--product", .text = product};
    struct program_reader reader = {
        .product = product, .lookup = find_product, .lookup_context = &lookup};
    if (product != NULL) {
        option.length = strlen(product);
        reader.product_place = (struct place){&option, 1, 1, (uint32_t)option.length};
    }
    enum status status =
        source_load(options->common.argument, PROGRAM_BYTES_MAX, &c->arena, &c->diag, source);
    if (status != STATUS_OK)
        return status;
    status = program_parse(*source, &reader, &c->arena, &c->diag, program);
    if (lookup.found && status != STATUS_NO_MEMORY)
        status = diag_graver(status, program_check(program, &c->product, *source, &c->diag));
    return status;
}
