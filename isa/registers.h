/*
 * State that scalar instructions set and later instructions use: FMATRIX, the padding value, the
 * Load3D repeat, the boundary of L1 (docs/isa.md sections 5 and 6), the modes of Mmad (section 7)
 * and the atomic addition of stores (section 8). The registers are read when an instruction is
 * dispatched, in program order, so the stream must be passed through insn_capture exactly once, in
 * order, before an instruction is executed or timed.
 */
#ifndef CUBESIM_ISA_REGISTERS_H
#define CUBESIM_ISA_REGISTERS_H

#include "isa/insn.h"

struct registers {
    int64_t l1H, l1W;                             /* FMATRIX: rows, columns of the image in L1 */
    int64_t padLeft, padRight, padTop, padBottom; /* FMATRIX */
    int64_t padValue;                             /* raw code */
    int64_t padValueSet;                          /* 1: by set_padding_value, 0: by a Load3D */
    int64_t repeatStride, repeatTime, repeatMode; /* Load3D repeat, 16 rows or 32 B of columns */
    int64_t dstStride;                            /* Load3D repeat, fractals; 0: derived */
    int64_t boundaryValue;                        /* ring of L1, bytes (32 B for v1); 0: none */
    int64_t atomicAdd;       /* of stores to GM: 1 + element type of the sums; 0: they replace */
    int64_t hf32, hf32Trans; /* CTRL: HF32 on, enum hf32_mode */
    int64_t rowMajor;        /* CTRL: Mmad makes C along N first */
    int64_t keepInfNan;      /* CTRL bit 48 */
};

void registers_init(struct registers *registers);

/* Applies a register-setting instruction to registers. Into a Mmad or Fixpipe it copies their
 * modes, into stores the atomic addition, into a Load3D the repeat, the boundary, and the image
 * size, pads and padding value where its isSetFMatrix or isSetPadding is 0; where they are 1 the
 * registers take the values of the instruction. Load3Dv2Pro has no values of its own, the Img2Col
 * copy of the Tensor API sets all registers but the boundary, the repeat to one iteration with a
 * derived stride. */
void insn_capture(struct registers *registers, struct insn *insn);

/* Whether capturing a Load3D will replace what set_padding_value has set, another number than 0, by
 * a padValue of 0: probably one that was left out. */
bool insn_loses_padding(const struct registers *registers, const struct insn *insn);

#endif
