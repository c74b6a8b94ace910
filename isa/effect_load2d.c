/*
 * Loads of whole fractals, plain or transposed (docs/isa.md section 4).
 *
 * Transposition works on squares of as many elements as 32 bytes hold, at least 16: a square is 4
 * fractals of 4-bit, 2 of 8-bit, 1 of 16-bit elements on top of each other, or 2 of 32-bit elements
 * side by side. All three instructions move such squares; they differ in where the fractals of a
 * square lie.
 */
#include <stdbool.h>

#include "isa/effect_parts.h"
#include "isa/lane.h"
#include "isa/view.h"

struct square {
    uint32_t side, fractals; /* elements in a row, fractals of it */
    uint32_t bits;           /* of an element */
};

static struct square square_of(enum element element)
{
    uint32_t c0 = element_c0(element);
    struct square square = {.side = c0 > FRACTAL_ROWS ? c0 : FRACTAL_ROWS,
                            .bits = element_bits(element)};
    square.fractals = square.side * square.side / (FRACTAL_ROWS * c0);
    return square;
}

/* The fractal that holds an element of a square, and the element's number in it. */
static uint32_t square_fractal(const struct square *square, uint32_t row, uint32_t column)
{
    return square->bits == 32 ? column / 8 : row / FRACTAL_ROWS;
}

static uint32_t square_index(const struct square *square, uint32_t row, uint32_t column)
{
    return square->bits == 32 ? row * 8 + column % 8 : row % FRACTAL_ROWS * square->side + column;
}

/* Where the fractals of a square lie: bytes from the operand. */
struct square_place {
    uint64_t from, source_step; /* first fractal of the source and from one to the next */
    uint64_t to, target_step;
};

/* Single elements with their shadow; bits is a constant in every call. */
static inline void square_lanes(const struct square *square, const struct square_place *place,
                                const struct view *target, const struct view *source, uint32_t bits)
{
    for (uint32_t row = 0; row < square->side; row++) {
        for (uint32_t column = 0; column < square->side; column++) {
            uint64_t from = place->from + square_fractal(square, column, row) * place->source_step;
            uint64_t to = place->to + square_fractal(square, row, column) * place->target_step;
            lane_copy(bits, target->bytes + to, target->written + to,
                      square_index(square, row, column), source->bytes + from,
                      source->written + from, square_index(square, column, row));
        }
    }
}

/* Element (r, c) of the source square becomes element (c, r) of the target square. */
static void square_transpose(const struct square *square, const struct square_place *place,
                             const struct view *target, const struct view *source)
{
    for (uint32_t fractal = 0; fractal < square->fractals; fractal++) {
        view_reads(source, place->from + fractal * place->source_step, FRACTAL_BYTES);
        view_writes(target, place->to + fractal * place->target_step, FRACTAL_BYTES);
    }
    switch (square->bits) {
    case 4:
        square_lanes(square, place, target, source, 4);
        break;
    case 8:
        square_lanes(square, place, target, source, 8);
        break;
    case 16:
        square_lanes(square, place, target, source, 16);
        break;
    default:
        square_lanes(square, place, target, source, 32);
        break;
    }
}

/* A row of repeats: fractals of the source from which repeat i starts, ascending or descending. */
struct repeat {
    uint64_t count, start, stride; /* fractals */
    bool descends;
};

static uint64_t repeat_source(const struct repeat *repeat, uint64_t index)
{
    return repeat->descends ? repeat->start - index * repeat->stride
                            : repeat->start + index * repeat->stride;
}

/* Fractals from the operand to the last start of a repeat; false when a descent passes the operand.
 */
static bool repeat_reach(struct machine *machine, const struct insn *insn,
                         const struct repeat *repeat, uint64_t *last)
{
    uint64_t way = (repeat->count - 1) * repeat->stride;
    *last = repeat->descends ? repeat->start : repeat->start + way;
    if (!repeat->descends || way <= repeat->start) {
        return true;
    }
    hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                  "the source descends by %u fractals from fractal %u; expected to end at 0 or "
                  "above",
                  (unsigned)way, (unsigned)repeat->start);
    return false;
}

/* Rules of Load2D that depend on where its source lies. */
static bool load2d_fits(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    enum element element = insn_element(insn);
    bool global = operand_space(machine, insn, LOAD2D_src) == SPACE_GM;
    if (field[LOAD2D_ifTranspose] != 0 && (global || element_bits(element) != 16)) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "ifTranspose is 1 with %s from %s; expected a 16-bit type from l1",
                      element_word(element), global ? "gm" : "l1");
        return false;
    }
    if (field[LOAD2D_addrMode] != 0 && !global) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "addrMode is 1 from l1; expected a source in gm");
        return false;
    }
    if (element_bits(element) == 4 && global) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "found %s from gm; expected a source in l1", element_word(element));
        return false;
    }
    if (field[LOAD2D_dstGap] != 0 && machine->program->arch == ARCH_1001 &&
        operand_space(machine, insn, LOAD2D_dst) == SPACE_L1) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "dstGap is %u from gm to l1 on %s; expected 0",
                      (unsigned)field[LOAD2D_dstGap], arch_word(machine->program->arch));
        return false;
    }
    return true;
}

void effect_load2d(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    const struct square square = square_of(insn_element(insn));
    const struct repeat repeat = {
        .count = (uint64_t)field[LOAD2D_repeatTimes],
        .start = (uint64_t)field[LOAD2D_startIndex],
        .stride = (uint64_t)field[LOAD2D_srcStride],
        .descends = field[LOAD2D_addrMode] != 0,
    };
    uint64_t target_pitch = (uint64_t)(field[LOAD2D_dstGap] + 1) * FRACTAL_BYTES;
    uint64_t last;
    struct view target, source;
    if (repeat.count == 0 || !load2d_fits(machine, insn) ||
        !repeat_reach(machine, insn, &repeat, &last) ||
        !view_open(machine, insn, LOAD2D_dst, (repeat.count - 1) * target_pitch + FRACTAL_BYTES,
                   &target) ||
        !view_open(machine, insn, LOAD2D_src, (last + 1) * FRACTAL_BYTES, &source)) {
        return;
    }
    for (uint64_t index = 0; index < repeat.count; index++) {
        const struct square_place place = {
            .from = repeat_source(&repeat, index) * FRACTAL_BYTES,
            .to = index * target_pitch,
        };
        if (field[LOAD2D_ifTranspose] != 0) {
            square_transpose(&square, &place, &target, &source);
        } else {
            view_copy(&target, place.to, &source, place.from, FRACTAL_BYTES);
        }
    }
}

/* On 950 startIndex and srcStride count fractals, else squares, whose fractals follow each other.
 */
void effect_load_data_with_transpose(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    const struct square square = square_of(insn_element(insn));
    uint64_t unit = machine->program->arch == ARCH_3510 ? 1 : square.fractals;
    const struct repeat repeat = {
        .count = (uint64_t)field[LOAD_DATA_WITH_TRANSPOSE_repeatTimes],
        .start = (uint64_t)field[LOAD_DATA_WITH_TRANSPOSE_startIndex] * unit,
        .stride = (uint64_t)field[LOAD_DATA_WITH_TRANSPOSE_srcStride] * unit,
        .descends = field[LOAD_DATA_WITH_TRANSPOSE_addrMode] != 0,
    };
    uint64_t target_pitch = (uint64_t)field[LOAD_DATA_WITH_TRANSPOSE_dstGap] + 1;
    uint64_t target_step = (uint64_t)field[LOAD_DATA_WITH_TRANSPOSE_dstFracGap] + 1;
    uint64_t source_step = (uint64_t)field[LOAD_DATA_WITH_TRANSPOSE_srcFracGap] + 1;
    uint64_t others = square.fractals - 1;
    uint64_t last;
    struct view target, source;
    if (repeat.count == 0 || !repeat_reach(machine, insn, &repeat, &last)) {
        return;
    }
    uint64_t target_end = (repeat.count - 1) * target_pitch + others * target_step + 1;
    uint64_t source_end = last + others * source_step + 1;
    if (!view_open(machine, insn, LOAD_DATA_WITH_TRANSPOSE_dst, target_end * FRACTAL_BYTES,
                   &target) ||
        !view_open(machine, insn, LOAD_DATA_WITH_TRANSPOSE_src, source_end * FRACTAL_BYTES,
                   &source)) {
        return;
    }
    for (uint64_t index = 0; index < repeat.count; index++) {
        const struct square_place place = {
            .from = repeat_source(&repeat, index) * FRACTAL_BYTES,
            .source_step = source_step * FRACTAL_BYTES,
            .to = index * target_pitch * FRACTAL_BYTES,
            .target_step = target_step * FRACTAL_BYTES,
        };
        square_transpose(&square, &place, &target, &source);
    }
}

/* A block of Load2Dv2: rows of 16 and columns of 32 B; pitches in fractals from a column block to
 * the next. */
struct block2d {
    uint64_t row_start, column_start, rows, columns;
    uint64_t source_pitch, target_pitch;
    struct square square;
    uint64_t square_rows, square_columns; /* row and column blocks of a square */
};

static uint64_t block2d_source(const struct block2d *block, uint64_t row, uint64_t column)
{
    return (block->column_start + column) * block->source_pitch + block->row_start + row;
}

/* The block as squares; element (r, c) becomes element (c, r) of an NZ matrix. */
static void block2d_transpose(const struct block2d *block, const struct view *target,
                              const struct view *source)
{
    bool beside = block->square_columns > 1;
    for (uint64_t row = 0; row < block->rows; row += block->square_rows) {
        for (uint64_t column = 0; column < block->columns; column += block->square_columns) {
            /* A row of squares fills as many column groups as a square is wide; the fractals of a
             * square lie on top of each other, those of 32-bit types side by side. */
            uint64_t group = row / block->square_rows * block->square_columns;
            uint64_t inside = column / block->square_columns * block->square_rows;
            const struct square_place place = {
                .from = block2d_source(block, row, column) * FRACTAL_BYTES,
                .source_step = (beside ? block->source_pitch : 1) * FRACTAL_BYTES,
                .to = (group * block->target_pitch + inside) * FRACTAL_BYTES,
                .target_step = (beside ? block->target_pitch : 1) * FRACTAL_BYTES,
            };
            square_transpose(&block->square, &place, target, source);
        }
    }
}

/* A transposed block is made of whole squares and comes from L1. */
static bool block2d_transposable(struct machine *machine, const struct insn *insn,
                                 const struct block2d *block)
{
    if (operand_space(machine, insn, LOAD2DV2_src) == SPACE_GM) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "ifTranspose is 1 from gm; expected a source in l1");
        return false;
    }
    if (block->rows % block->square_rows == 0 && block->columns % block->square_columns == 0) {
        return true;
    }
    hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                  "mStep is %u and kStep %u with ifTranspose; expected multiples of %u and %u",
                  (unsigned)block->rows, (unsigned)block->columns, (unsigned)block->square_rows,
                  (unsigned)block->square_columns);
    return false;
}

/* Fractals from the destination to the end of what the block covers there. */
static uint64_t block2d_target_end(const struct block2d *block, bool transpose)
{
    if (!transpose) {
        return (block->columns - 1) * block->target_pitch + block->rows;
    }
    uint64_t groups = block->rows / block->square_rows * block->square_columns;
    return (groups - 1) * block->target_pitch +
           block->columns / block->square_columns * block->square_rows;
}

void effect_load2dv2(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    struct block2d block = {
        .row_start = (uint64_t)field[LOAD2DV2_mStartPosition],
        .column_start = (uint64_t)field[LOAD2DV2_kStartPosition],
        .rows = (uint64_t)field[LOAD2DV2_mStep],
        .columns = (uint64_t)field[LOAD2DV2_kStep],
        .source_pitch = (uint64_t)field[LOAD2DV2_srcStride],
        .target_pitch = (uint64_t)field[LOAD2DV2_dstStride],
        .square = square_of(insn_element(insn)),
    };
    block.square_rows = block.square.side / FRACTAL_ROWS;
    block.square_columns = block.square.fractals / block.square_rows;
    bool transpose = field[LOAD2DV2_ifTranspose] != 0;
    if (block.rows == 0 || block.columns == 0 ||
        (transpose && !block2d_transposable(machine, insn, &block))) {
        return;
    }
    struct view target, source;
    uint64_t target_end = block2d_target_end(&block, transpose);
    uint64_t source_end = block2d_source(&block, block.rows, block.columns - 1);
    if (!view_open(machine, insn, LOAD2DV2_dst, target_end * FRACTAL_BYTES, &target) ||
        !view_open(machine, insn, LOAD2DV2_src, source_end * FRACTAL_BYTES, &source)) {
        return;
    }
    if (transpose) {
        block2d_transpose(&block, &target, &source);
        return;
    }
    for (uint64_t column = 0; column < block.columns; column++) {
        view_copy(&target, column * block.target_pitch * FRACTAL_BYTES, &source,
                  block2d_source(&block, 0, column) * FRACTAL_BYTES,
                  (size_t)block.rows * FRACTAL_BYTES);
    }
}

uint64_t bytes_load2d(const struct program *program, const struct insn *insn)
{
    (void)program;
    return (uint64_t)insn->field[LOAD2D_repeatTimes] * FRACTAL_BYTES;
}

uint64_t bytes_load_data_with_transpose(const struct program *program, const struct insn *insn)
{
    (void)program;
    return (uint64_t)insn->field[LOAD_DATA_WITH_TRANSPOSE_repeatTimes] *
           square_of(insn_element(insn)).fractals * FRACTAL_BYTES;
}

uint64_t bytes_load2dv2(const struct program *program, const struct insn *insn)
{
    (void)program;
    return (uint64_t)(insn->field[LOAD2DV2_mStep] * insn->field[LOAD2DV2_kStep]) * FRACTAL_BYTES;
}
