/*
 * A network as a list of convolutions and matrix products, from a file of one of four formats: our
 * CSV, a topology of SCALE-Sim (convolutions or GEMM), or ONNX. docs/network.md has what each of
 * them may contain and what is made of it.
 *
 *     status = network_load(path, &options, &arena, &diag, &network);
 *     for (size_t i = 0; i < network.distinct_count; i++)
 *         ... network.distinct[i].plan is the text of a plan
 */
#ifndef CUBESIM_MODEL_NETWORK_H
#define CUBESIM_MODEL_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "isa/element.h"
#include "model/conv.h"

#define NETWORK_FORMAT_LIST(ROW)                                                                   \
    ROW(CSV, "csv") ROW(SCALESIM, "scalesim") ROW(GEMM, "scalesim gemm") ROW(ONNX, "onnx")

enum network_format {
#define ROW(name, word) NETWORK_##name,
    NETWORK_FORMAT_LIST(ROW)
#undef ROW
        NETWORK_FORMAT_COUNT
};

const char *network_format_word(enum network_format format);

/* A layer as it stands in the file. A matrix product is held as in struct plan: m columns of k
 * channels, and n output channels. */
struct layer {
    const char *name;
    struct place place; /* of its name; of an ONNX file the whole file */
    uint64_t count;     /* times that it occurs, at least 1 */
    bool matmul;
    struct conv conv; /* shape, types, bias and whether there is quant; the rest is the product's */
    size_t distinct;  /* index of the layer that it is equal to */
};

/* Layers that differ in nothing but their names. */
struct distinct_layer {
    size_t first;     /* index of the first of them in the file */
    uint64_t count;   /* occurrences of all of them */
    uint64_t macs;    /* useful, of one occurrence */
    const char *plan; /* a plan of it in YAML, without product, tile and schedule */
};

/* What a file has besides its layers, and why it is left out. */
struct skipped_layer {
    const char *name, *what; /* what: "Relu", "sparsity 2:4" */
    const char *reason;
};

struct network {
    const char *path;
    enum network_format format;
    struct layer *layers; /* in the order of the file */
    size_t layer_count;
    struct distinct_layer *distinct; /* in the order of their first occurrence */
    size_t distinct_count;
    struct skipped_layer *skipped;
    size_t skipped_count;
    uint64_t occurrences; /* counts of all layers */
    uint64_t macs;        /* useful, of all occurrences; at most INT64_MAX */
    const char *notes[8]; /* sentences for the summary */
    uint32_t note_count;
};

struct network_options {
    uint64_t batch; /* of every layer; 0: as the file says */
    bool dtype_given;
    enum element dtype; /* of every layer, in place of the file's */
    bool turn_b;        /* B of products whose type has not 16 bits lies transposed in GM */
};

/* Reads a file; texts and places live in the arena. Every problem of a CSV file is reported with
 * its line and column: BAD_INPUT. A file whose name ends in .onnx is ONNX, any other a table. A
 * network without layers is BAD_INPUT, too. IO, NO_MEMORY. */
enum status network_load(const char *path, const struct network_options *options,
                         struct arena *arena, struct diag *diag,
                         struct network *network) MUST_CHECK;

/* The same from bytes in memory; name decides the format and is what messages call it. */
enum status network_read(const char *name, const char *bytes, size_t length,
                         const struct network_options *options, struct arena *arena,
                         struct diag *diag, struct network *network) MUST_CHECK;

#endif
