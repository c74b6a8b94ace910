#include "model/unit_flag.h"

#include "isa/fixpipe.h"

enum {
    UNIT_BYTES = 512,
    ROW_C_BYTES = FRACTAL_ROWS * 4,
    FRACTAL_C_BYTES = FRACTAL_ROWS * ROW_C_BYTES
};

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
    if (size_bytes == 0)
        return;
    uint64_t first = from / marker->block_bytes;
    uint64_t last = (from + size_bytes - 1) / marker->block_bytes;
    for (uint64_t word = first / 64; word <= last / 64; word++) {
        uint64_t low = word == first / 64 ? first % 64 : 0;
        uint64_t high = word == last / 64 ? last % 64 : 63;
        marker->blocks->word[word] |= UINT64_MAX << low & UINT64_MAX >> (63 - high);
    }
}

static uint64_t ceil16(int64_t count)
{
    return ((uint64_t)count + 15) / 16;
}

/* It writes within whole fractals, but has no results beyond row m. */
static void mmad_mark(struct block_marker *marker, const struct insn *insn, uint64_t start)
{
    uint64_t rows = (uint64_t)insn->field[MMAD_m];
    uint64_t columns = ceil16(insn->field[MMAD_n]);
    uint64_t column_bytes = ceil16(insn->field[MMAD_m]) * FRACTAL_C_BYTES;
    uint64_t end = start + columns * column_bytes;
    marker->outside = end > marker->l0c_bytes;
    for (uint64_t from = start; from < end && !marker->outside; from += column_bytes)
        blocks_mark(marker, from, rows * ROW_C_BYTES);
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

uint64_t unit_block_bytes(uint64_t l0c_bytes)
{
    uint64_t bytes = UNIT_BYTES;
    while (l0c_bytes > bytes * UNIT_BLOCKS_MAX)
        bytes *= 2;
    return bytes;
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
    struct block_marker marker = {unit_block_bytes(l0c_bytes), l0c_bytes, blocks, false};
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
