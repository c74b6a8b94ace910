#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "isa/effect.h"
#include "isa/effect_parts.h"
#include "isa/view.h"

void effect_data_copy(struct machine *machine, const struct insn *insn)
{
    if (operand_space(machine, insn, DATA_COPY_dst) == SPACE_GM) {
        data_copy_store(machine, insn);
        return;
    }
    const int64_t *field = insn->field;
    uint64_t count = (uint64_t)field[DATA_COPY_blockCount];
    uint64_t length = (uint64_t)field[DATA_COPY_blockLen] * BLOCK_BYTES;
    uint64_t source_pitch = length + (uint64_t)field[DATA_COPY_srcGap] * BLOCK_BYTES;
    uint64_t target_pitch = length + (uint64_t)field[DATA_COPY_dstGap] * BLOCK_BYTES;
    struct view target, source;
    if (!view_open(machine, insn, DATA_COPY_dst, (count - 1) * target_pitch + length, &target) ||
        !view_open(machine, insn, DATA_COPY_src, (count - 1) * source_pitch + length, &source)) {
        return;
    }
    for (uint64_t block = 0; block < count; block++) {
        view_copy(&target, block * target_pitch, &source, block * source_pitch, (size_t)length);
    }
}

/* The common part of ND2NZ and DN2NZ; pitches in bytes. */
struct nz_move {
    uint64_t matrices, rows, columns;
    uint64_t source_matrix, source_row, source_column;
    uint64_t target_matrix, target_group, target_row;
    uint32_t size, c0; /* bytes of an element, elements in 32 B */
};

/* Opens both sides; false when there is nothing to do. */
static bool nz_open(struct machine *machine, const struct insn *insn, const struct nz_move *move,
                    struct view *target, struct view *source)
{
    if (move->matrices == 0 || move->rows == 0 || move->columns == 0) {
        return false;
    }
    uint64_t groups = (move->columns + move->c0 - 1) / move->c0;
    uint64_t target_end = (move->matrices - 1) * move->target_matrix +
                          (groups - 1) * move->target_group + (move->rows - 1) * move->target_row +
                          BLOCK_BYTES;
    uint64_t source_end = (move->matrices - 1) * move->source_matrix +
                          (move->rows - 1) * move->source_row +
                          (move->columns - 1) * move->source_column + move->size;
    /* ND2NZ and DN2NZ have the same operands. */
    if (!view_open(machine, insn, ND2NZ_dst, target_end, target) ||
        !view_open(machine, insn, ND2NZ_src, source_end, source)) {
        return false;
    }
    if (move->matrices > 1 && move->target_matrix % BLOCK_BYTES != 0) {
        hazard_report(machine, HAZARD_MISALIGNED, insn,
                      "dstNzMatrixStride puts matrices where no 32 B block starts; expected a "
                      "multiple of %u elements",
                      (unsigned)move->c0);
    }
    return true;
}

/* One element with its shadow. */
static void element_copy(const struct view *target, uint64_t to, const struct view *source,
                         uint64_t from, uint32_t size)
{
    for (uint32_t byte = 0; byte < size; byte++) {
        target->bytes[to + byte] = source->bytes[from + byte];
        target->written[to + byte] = source->written[from + byte];
    }
}

/* Elements that lie step bytes apart, one behind the other; the size is a constant in each branch
 * so that an element moves at once. */
static void lanes_gather(uint8_t *restrict target, const uint8_t *restrict source, uint32_t count,
                         uint64_t step, uint32_t size)
{
    switch (size) {
    case 1:
        for (uint32_t lane = 0; lane < count; lane++)
            target[lane] = source[lane * step];
        break;
    case 2:
        for (uint32_t lane = 0; lane < count; lane++)
            memcpy(target + (size_t)lane * 2, source + lane * step, 2);
        break;
    default:
        assert(size == 4);
        for (uint32_t lane = 0; lane < count; lane++)
            memcpy(target + (size_t)lane * 4, source + lane * step, 4);
        break;
    }
}

static void nz_row_move(const struct nz_move *move, const struct view *target, uint64_t to,
                        const struct view *source, uint64_t from)
{
    for (uint64_t column = 0; column < move->columns; column += move->c0) {
        uint64_t left = move->columns - column;
        uint32_t count = left < move->c0 ? (uint32_t)left : move->c0;
        uint64_t start = from + column * move->source_column;
        if (move->source_column == move->size) {
            view_copy(target, to, source, start, count * move->size);
        } else {
            view_writes(target, to, (uint64_t)count * move->size);
            lanes_gather(target->bytes + to, source->bytes + start, count, move->source_column,
                         move->size);
            if (source->whole) {
                memset(target->written + to, 1, (size_t)count * move->size);
            } else {
                lanes_gather(target->written + to, source->written + start, count,
                             move->source_column, move->size);
            }
        }
        view_zero(target, to + count * move->size, BLOCK_BYTES - count * move->size);
        to += move->target_group;
    }
}

/* Tells what DN2NZ reads: columns, whose rows follow each other. */
static void nz_columns_tell(const struct nz_move *move, const struct view *source)
{
    for (uint64_t matrix = 0; matrix < move->matrices; matrix++) {
        for (uint64_t column = 0; column < move->columns; column++) {
            view_reads(source, matrix * move->source_matrix + column * move->source_column,
                       move->rows * move->size);
        }
    }
}

static void nz_move_apply(struct machine *machine, const struct insn *insn,
                          const struct nz_move *move)
{
    struct view target, source;
    if (!nz_open(machine, insn, move, &target, &source)) {
        return;
    }
    if (move->source_column != move->size) {
        nz_columns_tell(move, &source);
    }
    for (uint64_t matrix = 0; matrix < move->matrices; matrix++) {
        for (uint64_t row = 0; row < move->rows; row++) {
            nz_row_move(move, &target, matrix * move->target_matrix + row * move->target_row,
                        &source, matrix * move->source_matrix + row * move->source_row);
        }
    }
}

void effect_nd2nz(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint32_t size = element_bytes(insn_element(insn));
    struct nz_move move = {
        .matrices = (uint64_t)field[ND2NZ_ndNum],
        .rows = (uint64_t)field[ND2NZ_nValue],
        .columns = (uint64_t)field[ND2NZ_dValue],
        .source_matrix = (uint64_t)field[ND2NZ_srcNdMatrixStride] * size,
        .source_row = (uint64_t)field[ND2NZ_srcDValue] * size,
        .source_column = size,
        .target_matrix = (uint64_t)field[ND2NZ_dstNzMatrixStride] * size,
        .target_group = (uint64_t)field[ND2NZ_dstNzC0Stride] * BLOCK_BYTES,
        .target_row = (uint64_t)field[ND2NZ_dstNzNStride] * BLOCK_BYTES,
        .size = size,
        .c0 = BLOCK_BYTES / size,
    };
    nz_move_apply(machine, insn, &move);
}

void effect_dn2nz(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint32_t size = element_bytes(insn_element(insn));
    struct nz_move move = {
        .matrices = (uint64_t)field[DN2NZ_dnNum],
        .rows = (uint64_t)field[DN2NZ_nValue],
        .columns = (uint64_t)field[DN2NZ_dValue],
        .source_matrix = (uint64_t)field[DN2NZ_srcDnMatrixStride] * size,
        .source_row = size,
        .source_column = (uint64_t)field[DN2NZ_srcDValue] * size,
        .target_matrix = (uint64_t)field[DN2NZ_dstNzMatrixStride] * size,
        .target_group = (uint64_t)field[DN2NZ_dstNzC0Stride] * BLOCK_BYTES,
        .target_row = (uint64_t)field[DN2NZ_dstNzNStride] * BLOCK_BYTES,
        .size = size,
        .c0 = BLOCK_BYTES / size,
    };
    nz_move_apply(machine, insn, &move);
}

/* Transposes a fractal of 16 x 16 elements of 16 bits. */
static void fractal_transpose(const struct view *target, uint64_t to, const struct view *source,
                              uint64_t from)
{
    view_reads(source, from, FRACTAL_BYTES);
    view_writes(target, to, FRACTAL_BYTES);
    for (uint32_t row = 0; row < FRACTAL_ROWS; row++) {
        for (uint32_t column = 0; column < FRACTAL_ROWS; column++) {
            element_copy(target, to + 2 * (row * FRACTAL_ROWS + column), source,
                         from + 2 * (column * FRACTAL_ROWS + row), 2);
        }
    }
}

void effect_load2d(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint64_t repeat = (uint64_t)field[LOAD2D_repeatTimes];
    uint64_t source_pitch = (uint64_t)field[LOAD2D_srcStride] * FRACTAL_BYTES;
    uint64_t target_pitch = (uint64_t)(field[LOAD2D_dstGap] + 1) * FRACTAL_BYTES;
    uint64_t start = (uint64_t)field[LOAD2D_startIndex] * FRACTAL_BYTES;
    bool transpose = field[LOAD2D_ifTranspose] != 0;
    if (repeat == 0) {
        return;
    }
    if (transpose && element_bytes(insn_element(insn)) != 2) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "ifTranspose is 1 with %s; expected a 16-bit type",
                      element_word(insn_element(insn)));
        return;
    }
    struct view target, source;
    uint64_t target_end = (repeat - 1) * target_pitch + FRACTAL_BYTES;
    uint64_t source_end = start + (repeat - 1) * source_pitch + FRACTAL_BYTES;
    if (!view_open(machine, insn, LOAD2D_dst, target_end, &target) ||
        !view_open(machine, insn, LOAD2D_src, source_end, &source)) {
        return;
    }
    for (uint64_t index = 0; index < repeat; index++) {
        uint64_t to = index * target_pitch;
        uint64_t from = start + index * source_pitch;
        if (transpose) {
            fractal_transpose(&target, to, &source, from);
        } else {
            view_copy(&target, to, &source, from, FRACTAL_BYTES);
        }
    }
}

/* A block of Load2Dv2: rows of 16 and columns of 32 B. */
struct block2d {
    uint64_t row_start, column_start, rows, columns;
    uint64_t source_pitch, target_pitch; /* fractals from a column block to the next */
    uint32_t size, c0;
};

static uint64_t block2d_source(const struct block2d *block, uint64_t row, uint64_t column)
{
    uint64_t fractal = (block->column_start + column) * block->source_pitch + block->row_start;
    return (fractal + row) * FRACTAL_BYTES;
}

/* Element (r, c) of the block becomes element (c, r) of an NZ matrix. */
static void block2d_transpose(const struct block2d *block, const struct view *target,
                              const struct view *source)
{
    for (uint64_t column = 0; column < block->columns; column++) {
        view_reads(source, block2d_source(block, 0, column), block->rows * FRACTAL_BYTES);
    }
    for (uint64_t r = 0; r < block->rows * FRACTAL_ROWS; r++) {
        if (r % block->c0 == 0) {
            view_writes(target, r / block->c0 * block->target_pitch * FRACTAL_BYTES,
                        block->columns * block->c0 / FRACTAL_ROWS * FRACTAL_BYTES);
        }
        uint64_t group = r / block->c0 * block->target_pitch;
        for (uint64_t c = 0; c < block->columns * block->c0; c++) {
            uint64_t from = block2d_source(block, r / FRACTAL_ROWS, c / block->c0) +
                            r % FRACTAL_ROWS * BLOCK_BYTES + c % block->c0 * block->size;
            uint64_t to = (group + c / FRACTAL_ROWS) * FRACTAL_BYTES +
                          c % FRACTAL_ROWS * BLOCK_BYTES + r % block->c0 * block->size;
            element_copy(target, to, source, from, block->size);
        }
    }
}

/* Transposed blocks are squares of whole fractals: 32 rows of bytes, 16 columns of words. */
static bool block2d_transposable(struct machine *machine, const struct insn *insn,
                                 const struct block2d *block)
{
    uint32_t rows = block->size == 1 ? 2 : 1;
    uint32_t columns = block->size == 4 ? 2 : 1;
    if (block->rows % rows == 0 && block->columns % columns == 0) {
        return true;
    }
    hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                  "mStep is %u and kStep %u with ifTranspose; expected multiples of %u and %u",
                  (unsigned)block->rows, (unsigned)block->columns, (unsigned)rows,
                  (unsigned)columns);
    return false;
}

/* Fractals from the destination to the end of what the block covers there. */
static uint64_t block2d_target_end(const struct block2d *block, bool transpose)
{
    if (!transpose) {
        return (block->columns - 1) * block->target_pitch + block->rows;
    }
    return (block->rows * FRACTAL_ROWS - 1) / block->c0 * block->target_pitch +
           (block->columns * block->c0 - 1) / FRACTAL_ROWS + 1;
}

void effect_load2dv2(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint32_t size = element_bytes(insn_element(insn));
    struct block2d block = {
        .row_start = (uint64_t)field[LOAD2DV2_mStartPosition],
        .column_start = (uint64_t)field[LOAD2DV2_kStartPosition],
        .rows = (uint64_t)field[LOAD2DV2_mStep],
        .columns = (uint64_t)field[LOAD2DV2_kStep],
        .source_pitch = (uint64_t)field[LOAD2DV2_srcStride],
        .target_pitch = (uint64_t)field[LOAD2DV2_dstStride],
        .size = size,
        .c0 = BLOCK_BYTES / size,
    };
    bool transpose = field[LOAD2DV2_ifTranspose] != 0;
    if (block.rows == 0 || block.columns == 0 ||
        (transpose && !block2d_transposable(machine, insn, &block))) {
        return;
    }
    struct view target, source;
    uint64_t target_end = block2d_target_end(&block, transpose) * FRACTAL_BYTES;
    uint64_t source_end = block2d_source(&block, block.rows, block.columns - 1);
    if (!view_open(machine, insn, LOAD2DV2_dst, target_end, &target) ||
        !view_open(machine, insn, LOAD2DV2_src, source_end, &source)) {
        return;
    }
    if (transpose) {
        block2d_transpose(&block, &target, &source);
        return;
    }
    for (uint64_t column = 0; column < block.columns; column++) {
        view_copy(&target, column * block.target_pitch * FRACTAL_BYTES, &source,
                  block2d_source(&block, 0, column), (size_t)block.rows * FRACTAL_BYTES);
    }
}

void effect_load_bt(struct machine *machine, const struct insn *insn)
{
    uint64_t size = insn_bytes(insn);
    struct view target, source;
    if (view_open(machine, insn, LOAD_BT_dst, size, &target) &&
        view_open(machine, insn, LOAD_BT_src, size, &source)) {
        view_copy(&target, 0, &source, 0, (size_t)size);
    }
}

uint64_t bytes_data_copy(const struct insn *insn)
{
    const int64_t *field = insn->field;
    return (uint64_t)(field[DATA_COPY_blockCount] * field[DATA_COPY_blockLen]) * BLOCK_BYTES;
}

uint64_t bytes_nd2nz(const struct insn *insn)
{
    const int64_t *field = insn->field;
    return (uint64_t)(field[ND2NZ_ndNum] * field[ND2NZ_nValue] * field[ND2NZ_dValue]) *
           element_bytes(insn_element(insn));
}

uint64_t bytes_dn2nz(const struct insn *insn)
{
    const int64_t *field = insn->field;
    return (uint64_t)(field[DN2NZ_dnNum] * field[DN2NZ_nValue] * field[DN2NZ_dValue]) *
           element_bytes(insn_element(insn));
}

uint64_t bytes_load2d(const struct insn *insn)
{
    return (uint64_t)insn->field[LOAD2D_repeatTimes] * FRACTAL_BYTES;
}

uint64_t bytes_load2dv2(const struct insn *insn)
{
    return (uint64_t)(insn->field[LOAD2DV2_mStep] * insn->field[LOAD2DV2_kStep]) * FRACTAL_BYTES;
}

uint64_t bytes_load_bt(const struct insn *insn)
{
    const int64_t *field = insn->field;
    return (uint64_t)(field[LOAD_BT_blockCount] * field[LOAD_BT_blockLen]) * 64;
}
