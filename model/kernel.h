/*
 * What makes a run like another one, and the kernels that were measured: which of them is nearest
 * to a run, and in what the run lies outside of all of them.
 *
 * configs/kernels/measured.yaml holds the kernels, as scripts/kernels.py makes it from
 * configs/validation.
 */
#ifndef CUBESIM_MODEL_KERNEL_H
#define CUBESIM_MODEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/plan.h"
#include "model/run.h"

/* name, word in files, weight of its logarithm in the distance, whether its range is judged */
#define KERNEL_NUMBER_LIST(ROW)                                                                    \
    ROW(MACS, "macs", 1, false)             /* of the convolution or product */                    \
    ROW(READ_BYTES, "read_bytes", 1, false) /* from GM or L2 */                                    \
    ROW(TILE_M, "tile_m", 1, false)         /* output positions of an L0 tile */                   \
    ROW(TILE_N, "tile_n", 1, false)         /* output channels of an L0 tile */                    \
    ROW(CORES, "cores", 1, true)                                                                   \
    ROW(ROW_BYTES, "row_bytes", 1, true)         /* of the input that lie together in GM */        \
    ROW(TIME_NS, "time_ns", 0, true)             /* from kernel start to the last completion */    \
    ROW(MISS_PERMILLE, "miss_permille", 0, true) /* of the bytes read: from GM, not from L2 */     \
    ROW(USEFUL_PERMILLE, "useful_permille", 0, true) /* of the MACs of the cube */                 \
    ROW(STRIDE, "stride", 0, true)                   /* the largest of all axes */                 \
    ROW(DILATION, "dilation", 0, true)               /* likewise */                                \
    ROW(KERNEL, "kernel", 0, true)                   /* points */                                  \
    ROW(DEPTH, "depth", 0, true)                     /* of the input; 1 but for 3-D */             \
    ROW(CHANNELS, "channels", 0, true) /* input channels of a group, K of a product */             \
    ROW(GROUPS, "groups", 0, true)                                                                 \
    ROW(BIAS, "bias", 0, true)   /* 0 or 1 */                                                      \
    ROW(QUANT, "quant", 0, true) /* 0 or 1 */

/* name, word in files, square of the distance of another word, whether it is judged */
#define KERNEL_WORD_LIST(ROW)                                                                      \
    ROW(OPERATION, "operation", 4, true) /* conv or matmul */                                      \
    ROW(TYPE, "type", 1, true)           /* of both inputs; hf32 counts as one */                  \
    ROW(INPUT, "input", 0, true)         /* format, and DN2NZ where it takes that */               \
    ROW(WEIGHT, "weight", 0, true)       /* likewise */                                            \
    ROW(POLICY, "policy", 0, true)

enum kernel_number {
#define ROW(name, word, distance, range) KERNEL_##name,
    KERNEL_NUMBER_LIST(ROW)
#undef ROW
        KERNEL_NUMBER_COUNT
};

enum kernel_word {
#define ROW(name, word, distance, range) KERNEL_##name,
    KERNEL_WORD_LIST(ROW)
#undef ROW
        KERNEL_WORD_COUNT
};

struct kernel {
    enum arch arch;
    const char *soc;
    uint64_t number[KERNEL_NUMBER_COUNT];
    const char *word[KERNEL_WORD_COUNT];
};

const char *kernel_number_word(enum kernel_number number);
const char *kernel_word_word(enum kernel_word word);

/* What a run of a resolved plan was. */
void kernel_of(const struct plan *plan, const struct run_result *result, struct kernel *kernel);

struct measured_kernel {
    struct kernel kernel;
    const char *name, *file, *source; /* file: of configs/validation */
    const char *metric, *use;
    int64_t row; /* number of the measurement */
    int64_t measured_ns;
    int64_t error_permille; /* predicted / measured - 1 when the table was made */
};

struct kernel_table {
    struct measured_kernel *kernels;
    size_t count;
};

/* Reads kernels/measured.yaml, which lies beside the folder of the products, or in it; without the
 * file the table is empty. BAD_INPUT for what is no such table, at its place. */
enum status kernel_table_load(struct arena *arena, struct diag *diag,
                              struct kernel_table *table) MUST_CHECK;

/* The same from a tree. */
enum status kernel_table_read(const struct node *root, struct arena *arena, struct diag *diag,
                              struct kernel_table *table) MUST_CHECK;

/* Root of a sum: the squared natural logarithms of the ratios of MACs, bytes, L0 tiles, cores and
 * row lengths (0 counts as 1), 4 for another operation, 1 for another type and for another SoC. */
double kernel_distance(const struct kernel *left, const struct kernel *right);

/* The nearest kernel of the same architecture; the first of several; NULL: none was measured. */
const struct measured_kernel *kernel_nearest(const struct kernel_table *table,
                                             const struct kernel *kernel, double *distance);

/* Smallest and largest number of the kernels of an architecture; false when there is none. */
bool kernel_range(const struct kernel_table *table, enum arch arch, enum kernel_number number,
                  uint64_t range[2]);

/* Whether a number lies outside of the range of its architecture, and a word is none of those;
 * false when nothing was measured and for what is not judged. */
bool kernel_number_outside(const struct kernel_table *table, const struct kernel *kernel,
                           enum kernel_number number);
bool kernel_word_outside(const struct kernel_table *table, const struct kernel *kernel,
                         enum kernel_word word);

#endif
