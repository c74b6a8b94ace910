/*
 * A machine with an image of noise in L1, and what the tests of the Load3D forms share: seeded
 * images and filters, the sizes of their img2col matrix by the definition, a ring of L1.
 */
#ifndef CUBESIM_TESTS_SUPPORT_LOAD3D_BENCH_H
#define CUBESIM_TESTS_SUPPORT_LOAD3D_BENCH_H

#include <stdint.h>

#include "isa/registers.h"
#include "tests/support/rig.h"
#include "tests/support/splitmix.h"

enum { BENCH_IMAGE_BYTES = 12288, BENCH_TARGET_BYTES = 16384, BENCH_START = 4096 };

/* The image lies at BENCH_START of L1; target: a part of L0A and one of L0B. */
struct load3d_bench {
    struct rig rig;
    struct registers registers;
    uint64_t seed;
    uint32_t image, target[2];
};

void load3d_bench_open(struct load3d_bench *bench, enum arch arch, uint64_t seed);
void load3d_bench_close(struct load3d_bench *bench);

/* A number of low..high. */
int64_t bench_pick(struct load3d_bench *bench, int64_t low, int64_t high);

/* Image, pads, filter and padding value of a Load3Dv1 or v2 under which a window fits. */
void bench_pick_image(struct load3d_bench *bench, struct insn *insn);

/* Captures and executes an instruction; fails on a hazard, and when it does not tell what it reads
 * and writes. */
void bench_apply(struct load3d_bench *bench, struct insn insn);

/* The targets as they were before anything was loaded; and after keeping one. */
void bench_clear(struct load3d_bench *bench);
void bench_keep(struct load3d_bench *bench, int side, uint8_t kept[BENCH_TARGET_BYTES]);

uint8_t *bench_bytes(struct load3d_bench *bench, int side);

/* Puts what lies behind a boundary of L1 at its start, and noise in its place; and back. */
void bench_fold(struct load3d_bench *bench, uint64_t boundary);
void bench_unfold(struct load3d_bench *bench, uint64_t boundary);
void bench_set_boundary(struct load3d_bench *bench, uint64_t value);

/* Windows of the padded image, columns of the matrix, blocks of lanes. */
int64_t img2col_windows_h(const struct insn *insn);
int64_t img2col_windows_w(const struct insn *insn);
int64_t img2col_columns(const struct insn *insn);
int64_t fractals_of(int64_t lanes, int64_t size);

#endif
