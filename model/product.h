/*
 * One chip: its identity and its numbers, each with unit, basis and source.
 *
 * A product is read from configs/products/<soc>.yaml; nothing has a default in code. Every number
 * of model/product.def is held in 2^-16 of its base unit (quantity.h), with the low and high values
 * where sources conflict. Times in cycles use the product's own clock.
 */
#ifndef CUBESIM_MODEL_PRODUCT_H
#define CUBESIM_MODEL_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "engine/base/quantity.h"
#include "isa/arch.h"
#include "isa/insn.h"

enum product_key {
#define KEY(name, path, unit, direction, low, high, section, meaning) PRODUCT_##name,
#include "model/product.def"
#undef KEY
    PRODUCT_KEY_COUNT
};

enum product_direction { DIRECTION_MORE, DIRECTION_LESS, DIRECTION_NEITHER };

/* Where a number comes from; the order is from the firmest to the weakest. */
#define BASIS_LIST(ROW)                                                                            \
    ROW(VENDOR, "vendor")                                                                          \
    ROW(MEASURED, "measured")                                                                      \
    ROW(FITTED, "fitted")                                                                          \
    ROW(GUESS, "guess")

enum basis {
#define ROW(name, word) BASIS_##name,
    BASIS_LIST(ROW)
#undef ROW
        BASIS_COUNT
};

const char *basis_word(enum basis basis);

/* What a product must have for a key to apply: name, in words, test. */
#define PRODUCT_NEED_LIST(ROW)                                                                     \
    ROW(CORE, "core", NULL)                                                                        \
    ROW(FIXP, "fixpipe", arch_has_fixpipe)                                                         \
    ROW(ND, "ND2NZ copy for plans", arch_has_nd2nz)                                                \
    ROW(DN, "store of columns", arch_has_dn2nz)                                                    \
    ROW(EXIT, "way out of L0C by the vector unit", arch_has_vector_exit)                           \
    ROW(BT, "bias table", arch_has_bias_table)                                                     \
    ROW(FB, "load into a fixpipe buffer", arch_has_parameter_load)                                 \
    ROW(INT4, "4-bit integers", arch_has_int4)                                                     \
    ROW(HF32, "HF32", arch_has_hf32)                                                               \
    ROW(CORES, "second core", arch_has_cores)

enum product_need {
#define ROW(name, words, test) NEED_##name,
    PRODUCT_NEED_LIST(ROW)
#undef ROW
        NEED_COUNT
};

struct product_key_info {
    const char *path; /* "mte1.l1_to_l0a.rate" */
    enum unit unit;
    enum product_direction direction;
    int64_t low, high; /* in 2^-16 of the base unit */
    enum product_need need;
    const char *meaning;
};

struct product_number {
    bool present;      /* false: the product has no such unit */
    int64_t value;     /* 2^-16 of the base unit */
    int64_t low, high; /* equal to value where sources agree */
    enum basis basis;
    const char *source;
    bool overridden; /* by --set */
};

struct product {
    const char *soc;   /* "ascend910b1" */
    const char *alias; /* marketing name of this SoC, or "" */
    const char *name;  /* "Ascend 910B1, Atlas A2" */
    const char *note;  /* what a reader should know, or "" */
    enum arch arch;
    struct product_number number[PRODUCT_KEY_COUNT];
};

const struct product_key_info *product_key_info(enum product_key key);
enum product_key product_key_find(const char *path); /* PRODUCT_KEY_COUNT when unknown */

/* Loads a product by SoC name, alias or path; a name with a slash or ending in .yaml is a path.
 * Names are searched in $CUBESIM_CONFIGS/products, $CUBESIM_CONFIGS, share/cubesim/configs/products
 * of the binary's prefix, configs/products beside the binary and beside up to four of its parents,
 * the configured install directory and ./configs/products; the first directory that has the SoC or
 * the alias wins. An unknown name is BAD_INPUT at place and lists the known ones; IO when there are
 * no product files at all. Seconds in a file are converted to cycles once, with the file's clock.
 */
enum status product_load(const char *name, struct place place, struct arena *arena,
                         struct diag *diag, struct product *product) MUST_CHECK;

/* "KEY=VALUE UNIT" as given to --set; places are in a source named --set. The number loses its
 * range and counts as a guess. Seconds are converted with the clock of the moment; setting
 * chip.clock leaves numbers that are held in cycles as they are. On an error the product is
 * unchanged. */
enum status product_set(struct product *product, const char *assignment, struct arena *arena,
                        struct diag *diag) MUST_CHECK;

/* The product with each number at the end of its range that makes runs faster (or slower). Numbers
 * without a direction keep their value. */
void product_at_range_end(const struct product *product, bool faster, struct product *end);

/* Names of all products found, sorted, without doubles; IO when there are none. */
enum status product_list(struct arena *arena, struct diag *diag, const char *const **socs,
                         size_t *count) MUST_CHECK;

/* A file beside the folder of the products, or in it, in the first directory that has it; *path is
 * NULL when none has. */
enum status config_find(const char *name, struct arena *arena, struct diag *diag,
                        const char **path) MUST_CHECK;

/* Value in 2^-16 of the base unit; asserts that the product has the key. */
int64_t product_value(const struct product *product, enum product_key key);

/* Bytes of an on-chip memory of a core; 0 when the product has none. */
uint64_t product_memory_bytes(const struct product *product, enum space space);

/* A whole value (counts, bytes): the number rounded to nearest. */
uint64_t product_whole(const struct product *product, enum product_key key);

/* A UNIT_TIME key in cycles of the product's clock, rounded to nearest. */
uint64_t product_time_cycles(const struct product *product, enum product_key key);

/* host.launch in microseconds, as it stands in the file (to the nanosecond). */
double product_launch_us(const struct product *product);

/* Canonical JSON, compact with sorted keys, in the arena (NULL without memory): what run_key
 * hashes.
 * {"arch","soc","chip":{"clock":{"basis","value","low","high","set"}},...}: maps nested as in the
 * file, quantities as exact text; low and high only where they differ, set only when overridden. */
const char *product_json(const struct product *product, struct arena *arena);

#endif
