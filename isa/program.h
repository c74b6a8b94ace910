/*
 * A program: regions that its operands name, and one instruction stream per core.
 *
 * A stream is pulled, not stored: the lowering generates it tile by tile, the parser keeps
 * what it read from text. It can be opened any number of times and gives the same instructions each
 * time.
 */
#ifndef CUBESIM_ISA_PROGRAM_H
#define CUBESIM_ISA_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "isa/element.h"
#include "isa/insn.h"

enum { REGION_RANK_MAX = 8, GM_ALIGN_BYTES = 512 };

/* What a GM tensor holds at the start: nothing, a file, zeros, generated numbers, or values that
 * the program has. */
enum binding { BINDING_NONE, BINDING_FILE, BINDING_ZERO, BINDING_SEED, BINDING_VALUES };

struct region {
    const char *name;
    enum space space;
    uint64_t base_bytes; /* address in its memory; GM tensors follow each other from 0, aligned */
    uint64_t size_bytes;
    enum element element; /* GM: element type */
    uint32_t rank;        /* GM: number of dimensions of its layout in memory */
    uint64_t shape[REGION_RANK_MAX];
    enum binding binding; /* GM: what it holds at the start */
    const char *path;     /* of a .npy file; NULL unless bound to a file */
    uint64_t seed;        /* of generated data */
    bool warm;            /* GM: it lies in L2 at the start, as far as it fits */
    const void *values;   /* size_bytes of codes as they lie in GM; NULL unless bound to values */
    uint32_t line;        /* of a program file; 0 when lowered */
};

/* A tensor to be written to a .npy file when the program has ended. */
struct dump {
    uint32_t region;
    const char *path;
    uint32_t line; /* of a program file */
};

struct program {
    const char *product; /* name for the .product line */
    enum arch arch;
    struct region *regions; /* borrowed from an arena */
    uint32_t region_count;
    const struct dump *dumps;
    uint32_t dump_count;
    uint32_t core_count;
    uint32_t event_ids; /* ids that flags may have, at least EVENT_IDS */
    void *context;      /* for the callbacks */
    /* Opens the stream of a core in the arena; NULL when memory runs out. */
    void *(*open)(void *context, uint32_t core, struct arena *arena);
    /* The next instruction, or false at the end, */
    bool (*next)(void *stream, struct insn *insn);
    /* which is OK, or the reason why the stream was cut short. */
    enum status (*ended)(void *stream);
};

#endif
