#include "model/unit_flag.h"

#include "isa/fixpipe.h"

enum { FRACTAL_C_BYTES = 1024 };

struct block_marker {
    uint64_t block_bytes, l0c_bytes;
    struct unit_blocks *blocks;
    bool outside;
};

/* Marks the blocks of bytes [from, from + size_bytes) of L0C. */
static void blocks_mark(struct block_marker *marker, uint64_t from, uint64_t size_bytes)
{
    if (from > marker->l0c_bytes || size_bytes > marker->l0c_bytes - from) {
        marker->outside = true;
        return;
    }
    for (uint64_t block = from / marker->block_bytes;
         block * marker->block_bytes < from + size_bytes; block++)
        marker->blocks->word[block / 64] |= UINT64_C(1) << block % 64;
}

static uint64_t ceil16(int64_t count)
{
    return ((uint64_t)count + 15) / 16;
}

static void mmad_mark(struct block_marker *marker, const struct insn *insn, uint64_t start)
{
    uint64_t fractals = ceil16(insn->field[MMAD_m]) * ceil16(insn->field[MMAD_n]);
    blocks_mark(marker, start, fractals * FRACTAL_C_BYTES);
}

static void fixpipe_mark(struct block_marker *marker, const struct insn *insn, enum arch arch,
                         uint64_t start)
{
    struct fixpipe_shape shape;
    fixpipe_shape(insn, arch, &shape);
    /* Rows of a group follow each other, unless a stride keeps them apart. */
    bool apart = shape.source_row != FIXPIPE_GROUP;
    uint64_t count = apart ? shape.rows : 1, rows = apart ? 1 : shape.rows;
    if (fixpipe_is_empty(&shape))
        return;
    for (uint64_t i = 0; i < shape.matrices && !marker->outside; i++)
        for (uint64_t j = 0; j < shape.columns && !marker->outside; j += FIXPIPE_GROUP)
            for (uint64_t row = 0; row < count && !marker->outside; row++)
                blocks_mark(marker, start + fixpipe_from(&shape, i, row, j) * 4,
                            rows * FIXPIPE_GROUP * 4);
}

enum unit_use unit_flag_use(const struct program *program, const struct insn *insn,
                            uint64_t l0c_bytes, struct unit_blocks *blocks)
{
    bool mmad = insn->opcode == OP_MMAD;
    if (!mmad && insn->opcode != OP_FIXPIPE)
        return UNIT_UNUSED;
    int64_t mode = insn->field[mmad ? (int)MMAD_unitFlag : (int)FIXPIPE_unitFlag];
    const struct operand *operand = &insn->operand[mmad ? (int)MMAD_dst : (int)FIXPIPE_src];
    if (mode < 2 || operand->region >= program->region_count)
        return UNIT_UNUSED;
    struct block_marker marker = {FRACTAL_C_BYTES, l0c_bytes, blocks, false};
    while (l0c_bytes > marker.block_bytes * UNIT_BLOCKS_MAX)
        marker.block_bytes *= 2;
    *blocks = (struct unit_blocks){0};
    uint64_t start = program->regions[operand->region].base_bytes + operand->offset;
    if (mmad)
        mmad_mark(&marker, insn, start);
    else
        fixpipe_mark(&marker, insn, program->arch, start);
    if (marker.outside)
        return UNIT_UNUSED;
    if (mmad)
        return mode == 2 ? UNIT_WAIT_CLEAR : UNIT_SET;
    return mode == 2 ? UNIT_WAIT_SET : UNIT_CLEAR;
}
