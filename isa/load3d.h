/*
 * The Load3D forms and what they have in common.
 *
 * Load3Dv2, LoadDataWithStride, Load3Dv2Pro and the Img2Col copy of the Tensor API load a block of
 * the same matrix (isa/img2col.h) and differ in how their fields are written down; Load3Dv1 walks
 * windows and filter points. Whoever reads the parameters of any form reads them here, so that
 * effects, checks and costs mean the same. docs/isa.md sections 5 and 6.
 */
#ifndef CUBESIM_ISA_LOAD3D_H
#define CUBESIM_ISA_LOAD3D_H

#include <stdint.h>

#include "isa/insn.h"

/* The Load3Dv2 that does the same as an instruction of any form but Load3Dv1: the instruction
 * itself where the fields are those of Load3Dv2, else it is made in room. Operands, type and
 * captured registers go along. */
const struct insn *load3d_as_v2(const struct insn *insn, struct insn *room);

/* The word of a Load3Dv2Pro that a field of its Load3Dv2 is packed in. */
const char *load3d_packed_in(const char *field);

/* How a captured Load3D of any form moves over the image. */
struct load3d_span {
    uint64_t stride_w; /* pixels from a window to the next */
    uint64_t rows;     /* rows of windows that it loads from, each repetition counted; at least 1 */
};

void load3d_span(const struct insn *insn, struct load3d_span *span);

#endif
