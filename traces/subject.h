/*
 * What a stored run is of: a plan or a program file, in the words of the database.
 */
#ifndef CUBESIM_TRACES_SUBJECT_H
#define CUBESIM_TRACES_SUBJECT_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/machine.h"
#include "isa/program.h"
#include "model/plan.h"
#include "model/product.h"

struct subject {
    const struct program *program; /* gives names to operands */
    const struct product *product;
    const char *problem, *tiling; /* a line each */
    const char *plan_json;        /* all that determines the result, besides product and version */
};

/* The resolved plan that the program was lowered from. NO_MEMORY. */
enum status subject_plan(const struct plan *plan, const struct program *program,
                         struct arena *arena, struct subject *subject) MUST_CHECK;

/* A program file: {"program": its text, "product": SoC, "seed": of the run, "tensors": {name: hash
 * of the bytes that it is bound to}}. tensor: [region], before the run. problem is the file's name,
 * tiling "12 instructions on 1 core". NO_MEMORY. */
struct subject_file {
    const struct source *source;
    const struct program *program;
    const struct product *product;
    const struct memory *tensor;
    uint64_t instructions; /* of all cores */
    uint64_t seed;
};
enum status subject_program(const struct subject_file *file, struct arena *arena,
                            struct subject *subject) MUST_CHECK;

#endif
