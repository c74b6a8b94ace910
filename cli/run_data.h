/*
 * The tensors of a run: from .npy files, or from the seeded generator.
 */
#ifndef CUBESIM_CLI_RUN_DATA_H
#define CUBESIM_CLI_RUN_DATA_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/plan.h"
#include "model/tensor.h"

struct run_files {
    const char *input, *weight, *bias; /* paths, or NULL */
    uint64_t seed;
    bool check_only; /* nothing is generated; files are read, so that wrong ones are found */
};

struct run_data {
    struct tensor input, weight, bias;
    bool input_generated, weight_generated, bias_generated;
};

/* The tensors of the plan's convolution. A matrix product has A and B, as matrices in the files, in
 * place of input and weight. All problems of all files are reported. */
enum status run_data_make(const struct plan *plan, const struct run_files *files,
                          struct arena *arena, struct diag *diag, struct run_data *data) MUST_CHECK;

#endif
