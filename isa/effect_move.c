/*
 * Copies of blocks and matrices between GM, L1 and the unified buffer (docs/isa.md sections 3 and
 * 8.2): plain, padded, and ND or DN to NZ. Stores to GM are in effect_store.c.
 */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "isa/block_move.h"
#include "isa/effect.h"
#include "isa/effect_parts.h"
#include "isa/view.h"

void effect_data_copy(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint64_t length = (uint64_t)field[DATA_COPY_blockLen] * BLOCK_BYTES;
    struct block_move move = {
        .count = (uint64_t)field[DATA_COPY_blockCount],
        .source_length = length,
        .target_length = length,
        .source_pitch = length + (uint64_t)field[DATA_COPY_srcGap] * BLOCK_BYTES,
        .target_pitch = length + (uint64_t)field[DATA_COPY_dstGap] * BLOCK_BYTES,
    };
    if (!block_move_open(&move, machine, insn)) {
        return;
    }
    if (move.target.space == SPACE_GM) {
        data_copy_store(machine, insn, &move);
    } else {
        block_move_copy(&move);
    }
}

/* DataCopyPad; lengths in bytes. */
struct pad_move {
    uint64_t count, length;
    uint64_t left, right, fill; /* padding of a block, and what follows up to 32 bytes */
    uint64_t source_pitch, target_pitch;
    uint64_t tail; /* Compact: padding behind the last block */
    bool known;    /* the padding has a value */
    uint32_t size; /* bytes of an element */
    uint8_t value[8];
};

static uint64_t blocks_up(uint64_t size_bytes)
{
    return (size_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

static void pad_read(struct pad_move *move, const struct insn *insn)
{
    const int64_t *field = insn->field;
    *move = (struct pad_move){
        .count = (uint64_t)field[DATA_COPY_PAD_blockCount],
        .length = (uint64_t)field[DATA_COPY_PAD_blockLen],
        .known = field[DATA_COPY_PAD_isPad] != 0,
        .size = element_bytes(insn_element(insn)),
    };
    uint32_t value = (uint32_t)field[DATA_COPY_PAD_paddingValue];
    memcpy(move->value, &value, sizeof value);
    move->source_pitch = (uint64_t)((int64_t)move->length + field[DATA_COPY_PAD_srcStride]);
    if (field[DATA_COPY_PAD_mode] == PADDING_COMPACT) {
        move->target_pitch = move->length;
        move->tail = blocks_up(move->count * move->length) - move->count * move->length;
        return;
    }
    move->left = (uint64_t)field[DATA_COPY_PAD_leftPadding] * move->size;
    move->right = (uint64_t)field[DATA_COPY_PAD_rightPadding] * move->size;
    uint64_t whole = move->left + move->length + move->right;
    move->fill = blocks_up(whole) - whole;
    move->target_pitch = blocks_up(whole) + (uint64_t)field[DATA_COPY_PAD_dstStride] * BLOCK_BYTES;
}

/* Rules between the fields of DataCopyPad. */
static bool pad_fits(struct machine *machine, const struct insn *insn, const struct pad_move *move)
{
    const int64_t *field = insn->field;
    if (move->length % move->size != 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "blockLen is %u; expected whole elements of %u bytes", (unsigned)move->length,
                      (unsigned)move->size);
        return false;
    }
    if (field[DATA_COPY_PAD_srcStride] < -(int64_t)move->length) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "srcStride is %d; expected at least -blockLen, which is -%u",
                      (int)field[DATA_COPY_PAD_srcStride], (unsigned)move->length);
        return false;
    }
    if (move->left > BLOCK_BYTES || move->right > BLOCK_BYTES) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "leftPadding takes %u bytes and rightPadding %u; expected at most %u each",
                      (unsigned)move->left, (unsigned)move->right, (unsigned)BLOCK_BYTES);
        return false;
    }
    if (move->size == sizeof(uint64_t) && field[DATA_COPY_PAD_paddingValue] != 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "paddingValue is %u with a 64-bit type; expected 0",
                      (unsigned)field[DATA_COPY_PAD_paddingValue]);
        return false;
    }
    return true;
}

/* Padding without a value is written with something: it counts as never written. */
static void pad_apply(const struct pad_move *move, const struct view *target, uint64_t offset,
                      uint64_t size_bytes)
{
    view_writes(target, offset, size_bytes);
    for (uint64_t byte = 0; byte < size_bytes; byte++) {
        target->bytes[offset + byte] =
            move->known ? move->value[byte % move->size] : (uint8_t)MACHINE_POISON;
    }
    memset(target->written + offset, move->known, (size_t)size_bytes);
}

void effect_data_copy_pad(struct machine *machine, const struct insn *insn)
{
    struct pad_move move;
    struct view target, source;
    pad_read(&move, insn);
    if (!pad_fits(machine, insn, &move) || move.count == 0 || move.length == 0) {
        return;
    }
    uint64_t padded = move.left + move.length + move.right + move.fill;
    uint64_t last = move.count - 1;
    if (!view_open(machine, insn, DATA_COPY_PAD_dst, last * move.target_pitch + padded + move.tail,
                   &target) ||
        !view_open(machine, insn, DATA_COPY_PAD_src, last * move.source_pitch + move.length,
                   &source)) {
        return;
    }
    for (uint64_t block = 0; block < move.count; block++) {
        uint64_t to = block * move.target_pitch;
        pad_apply(&move, &target, to, move.left);
        view_copy(&target, to + move.left, &source, block * move.source_pitch, (size_t)move.length);
        pad_apply(&move, &target, to + move.left + move.length, move.right + move.fill);
    }
    pad_apply(&move, &target, move.count * move.length, move.tail);
}

/* The common part of ND2NZ and DN2NZ; pitches in bytes. */
struct nz_move {
    uint64_t matrices, rows, columns;
    uint64_t source_matrix, source_row, source_column;
    uint64_t target_matrix, target_group, target_row;
    uint64_t tail;      /* zeros behind the last row of a matrix */
    uint32_t size, c0;  /* bytes of an element, elements in a column group */
    uint32_t row_bytes; /* of a row of a column group */
};

uint32_t nz_element_bytes(const struct insn *insn)
{
    enum element element = insn_element(insn);
    return element_bits(element) < 8 ? 1 : element_bytes(element);
}

/* SmallC0: one group of 4 elements, its rows packed, each matrix filled up to 32 bytes. */
static bool nz_pack(struct machine *machine, const struct insn *insn, struct nz_move *move)
{
    enum { SMALL_C0 = 4 };
    if (move->columns > SMALL_C0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "dValue is %u with enableSmallC0; expected at most %u",
                      (unsigned)move->columns, (unsigned)SMALL_C0);
        return false;
    }
    move->c0 = SMALL_C0;
    move->row_bytes = SMALL_C0 * move->size;
    move->target_row = move->row_bytes;
    move->tail = blocks_up(move->rows * move->row_bytes) - move->rows * move->row_bytes;
    return true;
}

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
                          move->row_bytes + move->tail;
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
                      (unsigned)(BLOCK_BYTES / move->size));
    }
    return true;
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
        view_zero(target, to + count * move->size, move->row_bytes - count * move->size);
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
        view_zero(&target, matrix * move->target_matrix + move->rows * move->target_row,
                  (size_t)move->tail);
    }
}

void effect_nd2nz(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint32_t size = nz_element_bytes(insn);
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
        .row_bytes = BLOCK_BYTES,
    };
    if (field[ND2NZ_enableSmallC0] == 0 || nz_pack(machine, insn, &move)) {
        nz_move_apply(machine, insn, &move);
    }
}

void effect_dn2nz(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint32_t size = nz_element_bytes(insn);
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
        .row_bytes = BLOCK_BYTES,
    };
    if (element_bits(insn_element(insn)) < 8 && move.rows % 2 != 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "nValue is %u with a 4-bit type; expected an even number",
                      (unsigned)move.rows);
        return;
    }
    if (field[DN2NZ_enableSmallC0] == 0 || nz_pack(machine, insn, &move)) {
        nz_move_apply(machine, insn, &move);
    }
}

uint64_t bytes_data_copy(const struct program *program, const struct insn *insn)
{
    (void)program;
    const int64_t *field = insn->field;
    return (uint64_t)(field[DATA_COPY_blockCount] * field[DATA_COPY_blockLen]) * BLOCK_BYTES;
}

uint64_t bytes_data_copy_pad(const struct program *program, const struct insn *insn)
{
    (void)program;
    const int64_t *field = insn->field;
    return (uint64_t)(field[DATA_COPY_PAD_blockCount] * field[DATA_COPY_PAD_blockLen]);
}

uint64_t bytes_nd2nz(const struct program *program, const struct insn *insn)
{
    (void)program;
    const int64_t *field = insn->field;
    return (uint64_t)(field[ND2NZ_ndNum] * field[ND2NZ_nValue] * field[ND2NZ_dValue]) *
           nz_element_bytes(insn);
}

uint64_t bytes_dn2nz(const struct program *program, const struct insn *insn)
{
    (void)program;
    const int64_t *field = insn->field;
    return (uint64_t)(field[DN2NZ_dnNum] * field[DN2NZ_nValue] * field[DN2NZ_dValue]) *
           nz_element_bytes(insn);
}
