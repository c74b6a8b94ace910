/*
 * What 10 % of each number of a product is worth to a program: its time simulated again with the
 * number 10 % better, and with all numbers of a pipe.
 *
 * Better is 10 % more of a rate or a capacity and 10 % less of a time; of a count at least one. The
 * instructions stay as they are, so what is gained by another tiling does not count. Numbers that
 * no run at a given clock on given cores can tell apart, or that decide which instructions there
 * are, are not varied.
 */
#ifndef CUBESIM_MODEL_SENSITIVITY_H
#define CUBESIM_MODEL_SENSITIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "isa/program.h"
#include "model/product.h"
#include "model/run.h"

struct sensitivity_number {
    enum product_key key;
    int64_t moved; /* 2^-16 of the base unit; equal to its value when it is not varied or cannot be
                      better */
    bool varied;
    tick cycles; /* of the program with it; those of the base when it did not move */
};

struct sensitivity_pipe {
    uint32_t numbers; /* that moved; 0: the pipe has none */
    tick cycles;
};

struct sensitivity {
    struct run_result base;
    struct sensitivity_number number[PRODUCT_KEY_COUNT]; /* [0, count): those of the product that
                                                            are varied, the most gain first */
    uint32_t count;
    struct sensitivity_number fixed[PRODUCT_KEY_COUNT]; /* the others of the product */
    uint32_t fixed_count;
    struct sensitivity_pipe pipe[PIPE_COUNT]; /* with all numbers that it works by */
    struct sensitivity_pipe flags;            /* with all costs of flags and barriers */
};

/* Of a program on a product. OK also when the program stands for ever: then only base is filled.
 * NO_MEMORY or LIMIT. */
enum status sensitivity_find(const struct program *program, const struct product *product,
                             struct arena *arena, struct sensitivity *sensitivity) MUST_CHECK;

/* Whether the number is one of those that a pipe works by; PIPE_COUNT: of flags and barriers. */
bool sensitivity_is_of(enum product_key key, uint32_t pipe);

/* The value that is 10 % better, within what the key allows. */
int64_t sensitivity_better(const struct product *product, enum product_key key);

#endif
