/*
 * How much of the on-chip buffers a tile takes: the numbers behind rules 21 and 22 and behind the
 * slots that lowering lays out. All products stop at SATURATE_MAX instead of wrapping.
 */
#ifndef CUBESIM_MODEL_TILE_SPACE_H
#define CUBESIM_MODEL_TILE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/tile_rules.h"

/* Rows of input under n >= 1 rows of output along an axis, at most what the input has. */
uint64_t tile_window(const struct conv *conv, enum axis axis, uint64_t outputs);

/* Linear ranges of length positions start at multiples of length in an image of Hout x Wout >= 1.
 * The rightmost column where one starts, and the most output rows that one touches (0 for 0). */
uint64_t tile_linear_start(const struct conv *conv, uint64_t length);
uint64_t tile_linear_rows(const struct conv *conv, uint64_t length);

/* The parts of L1 as pypto counts them, in bytes (rule 22). */
struct tile_l1_bytes {
    uint64_t rows, columns; /* of input in an L1 tile */
    uint64_t a, b, bias;
    uint64_t total;
};
struct tile_l1_bytes tile_l1_space(const struct conv *conv, const struct tile_l1 *l1);

/* The same as the published constraint page counts it: A with kAL1, the bias always. */
struct tile_l1_bytes tile_l1_space_document(const struct conv *conv, const struct tile_l1 *l1);

/* kAL1 or kBL1 of pypto: tileCin rounded up to C0, times the kernel, all depths. */
uint64_t tile_k_l1(const struct conv *conv, uint64_t tile_cin);

/* A vendor tile in linear-M mode: mAL1 is given, or hoL1 stands for it without woL1. */
bool tile_vendor_linear(const struct tile_vendor *vendor);

/* Slots of a buffer by pBufferFlag: 2 where its bit is set; 1 elsewhere and without a flag. */
uint64_t tile_vendor_slots(const struct tile_vendor *vendor, enum buffer buffer);

/* Base blocks that one slot of A or B in L1 has. */
uint64_t tile_matmul_blocks(const struct tile_matmul *base, enum buffer buffer);

/* Slots of A or B in L1 by depthA1 and depthB1, which count base blocks; 0: not given, or no whole
 * slots. */
uint64_t tile_matmul_slots(const struct tile_matmul *base, enum buffer buffer);

/* The one tile of lowering from any written form. */
void tile_from_pypto(const struct conv *conv, const struct tile_l1 *l1, const struct tile_l0 *l0,
                     struct tile *tile);
void tile_from_vendor(const struct conv *conv, const struct tile_vendor *vendor, struct tile *tile);
void tile_from_matmul(const struct conv *conv, const struct tile_matmul *base, struct tile *tile);

/* The words of a matrix product for a pypto tile of one row. */
void tile_matmul_from_pypto(const struct tile_l1 *l1, const struct tile_l0 *l0,
                            struct tile_matmul *base);

/* The vendor's words for a pypto tile, HW mode. */
void tile_vendor_from_pypto(const struct conv *conv, const struct tile_l1 *l1,
                            const struct tile_l0 *l0, struct tile_vendor *vendor);

/* The most output channels of an L0 tile that the bias table (4 bytes each) and the fixpipe buffer
 * (8 bytes each) hold; SATURATE_MAX where neither is used. */
uint64_t tile_n_most(const struct conv *conv, const struct product *product);

/* Output channels that leave together: without a fixpipe 8-bit results go to GM in blocks of 32
 * bytes, and a tile of N must not end inside one; else 16. */
uint64_t tile_n_step(const struct conv *conv, const struct product *product);

/* Whether tiles of so many output channels in L1 and L0 end between such blocks, or with the
 * channels themselves. */
bool tile_n_whole(const struct conv *conv, const struct product *product, uint64_t n_l1,
                  uint64_t n_l0);

/* Bytes of L1 that plans may use. */
uint64_t tile_l1_usable(const struct product *product);

#endif
