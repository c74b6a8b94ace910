/*
 * A bias on its way to L0C on 310P: each 16 elements of the unified buffer become the 16 rows of a
 * fractal (docs/isa.md section 9.1).
 */
#include <stdint.h>

#include "isa/effect_parts.h"
#include "isa/view.h"

enum { COLUMNS = 16 };

void effect_broadcast_vec_to_mm(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint64_t count = (uint64_t)field[BROADCAST_VEC_TO_MM_blockCount];
    uint64_t length = (uint64_t)field[BROADCAST_VEC_TO_MM_blockLen];
    uint64_t row = (uint64_t)COLUMNS * element_bytes(insn_element(insn));
    uint64_t source_pitch =
        length * row + (uint64_t)field[BROADCAST_VEC_TO_MM_srcGap] * BLOCK_BYTES;
    uint64_t target_pitch =
        (length + (uint64_t)field[BROADCAST_VEC_TO_MM_dstGap]) * FRACTAL_ROWS * row;
    struct view target, source;
    if (!view_open_aligned(machine, insn, BROADCAST_VEC_TO_MM_dst,
                           (count - 1) * target_pitch + length * FRACTAL_ROWS * row,
                           (uint32_t)row * FRACTAL_ROWS, &target) ||
        !view_open(machine, insn, BROADCAST_VEC_TO_MM_src,
                   (count - 1) * source_pitch + length * row, &source)) {
        return;
    }
    for (uint64_t block = 0; block < count; block++) {
        for (uint64_t line = 0; line < length * FRACTAL_ROWS; line++) {
            view_copy(&target, block * target_pitch + line * row, &source,
                      block * source_pitch + line / FRACTAL_ROWS * row, (size_t)row);
        }
    }
}

uint64_t bytes_broadcast_vec_to_mm(const struct program *program, const struct insn *insn)
{
    (void)program;
    uint64_t fractals = (uint64_t)insn->field[BROADCAST_VEC_TO_MM_blockCount] *
                        (uint64_t)insn->field[BROADCAST_VEC_TO_MM_blockLen];
    return fractals * FRACTAL_ROWS * COLUMNS * element_bytes(insn_element(insn));
}
