/*
 * Load3Dv2 and the forms that are the same load written otherwise: a block of the img2col matrix
 * becomes fractals in L0A or L0B (docs/isa.md sections 6.1, 6.2 and 6.4).
 */
#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/img2col.h"
#include "isa/lane.h"
#include "isa/load3d.h"
#include "isa/view.h"

enum { RING_BYTES_MIN = 1024 };

/* One direction of the block: `count` indexes of the matrix from `start`, repeated. A repetition
 * but the last is filled up to whole fractals. */
struct range {
    int64_t start, count, repeat, step; /* step: from a repetition to the next */
    int64_t fill;                       /* count rounded up to whole fractals */
};

/* Where the block goes. */
struct target {
    bool scatter;                        /* lanes of a row go to neighbouring rows of fractals */
    uint64_t row_pitch;                  /* fractals from a fractal row to the next */
    uint64_t column_pitch;               /* fractals from a fractal column to the next */
    int64_t rows, columns;               /* lanes of the block, filled up to what is stored */
    int64_t fractal_rows, fractal_lanes; /* lanes of a fractal */
};

/* A block of the matrix and where it goes. */
struct load3dv2 {
    struct img2col matrix;
    int64_t channels;
    int64_t rows, columns; /* of the matrix */
    struct range row, column;
    struct target target;
};

static int64_t round_up(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

static int64_t range_total(const struct range *range)
{
    return (range->repeat - 1) * range->fill + range->count;
}

/* The matrix index of a lane of the block, -1 for the filling between repetitions. */
static int64_t range_index(const struct range *range, int64_t lane)
{
    int64_t repetition = lane / range->fill;
    int64_t rest = lane % range->fill;
    if (repetition >= range->repeat || rest >= range->count) {
        return -1;
    }
    return range->start + repetition * range->step + rest;
}

/* The largest index of the range that is below limit, -1 when there is none. */
static int64_t range_last_below(const struct range *range, int64_t limit)
{
    for (int64_t repetition = range->repeat; repetition-- > 0;) {
        int64_t first = range->start + repetition * range->step;
        if (first < limit) {
            int64_t last = first + range->count - 1;
            return last < limit ? last : limit - 1;
        }
    }
    return -1;
}

static void ranges_read(struct load3dv2 *load, const struct insn *v2, enum arch arch)
{
    const int64_t *field = v2->field;
    int64_t c0 = load->matrix.c0;
    int64_t time = field[LOAD3DV2_repeatTime];
    int64_t stride = field[LOAD3DV2_repeatStride];
    bool along_columns = field[LOAD3DV2_repeatMode] != 0;
    int64_t unit = arch == ARCH_3002 ? 2 * c0 : c0; /* 32 B, on 310B 64 B */
    load->row = (struct range){
        .start = field[LOAD3DV2_mStartPt],
        .count = field[LOAD3DV2_mExtension],
        .repeat = along_columns ? 1 : time,
        .step = along_columns ? 0 : stride * FRACTAL_ROWS,
        .fill = round_up(field[LOAD3DV2_mExtension], FRACTAL_ROWS),
    };
    load->column = (struct range){
        .start = field[LOAD3DV2_kStartPt],
        .count = field[LOAD3DV2_kExtension],
        .repeat = along_columns ? time : 1,
        .step = along_columns ? stride * unit : 0,
        .fill = round_up(field[LOAD3DV2_kExtension], c0),
    };
}

/* L0A holds the block as ZZ, on 950 as NZ; with enTranspose its transpose. L0B holds it as ZN,
 * which is NZ of the transpose byte for byte. */
static void target_read(struct load3dv2 *load, const struct insn *v2, bool to_l0b, enum arch arch)
{
    struct target *target = &load->target;
    int64_t c0 = load->matrix.c0;
    int64_t rows = range_total(&load->row);
    int64_t columns = range_total(&load->column);
    bool zz = !to_l0b && !arch_l0a_is_nz(arch);
    target->scatter = to_l0b || v2->field[LOAD3DV2_enTranspose] != 0;
    target->fractal_rows = target->scatter ? c0 : FRACTAL_ROWS;
    target->fractal_lanes = target->scatter ? FRACTAL_ROWS : c0;
    /* A transposed block has whole fractals in both views of it. */
    target->rows = round_up(rows, target->scatter && c0 > FRACTAL_ROWS ? c0 : FRACTAL_ROWS);
    target->columns = round_up(columns, target->fractal_lanes);
    uint64_t down = (uint64_t)(target->rows / target->fractal_rows);
    uint64_t across = (uint64_t)(target->columns / target->fractal_lanes);
    uint64_t stride = (uint64_t)v2->field[LOAD3DV2_dstStride];
    if (target->scatter) {
        target->row_pitch = zz ? 1 : stride != 0 ? stride : across;
        target->column_pitch = zz ? down : 1;
    } else {
        target->row_pitch = zz ? across : 1;
        target->column_pitch = zz ? 1 : stride != 0 ? stride : down;
    }
}

static uint64_t target_end(const struct target *target)
{
    uint64_t last_row = (uint64_t)(target->rows / target->fractal_rows - 1);
    uint64_t last_column = (uint64_t)(target->columns / target->fractal_lanes - 1);
    return (last_row * target->row_pitch + last_column * target->column_pitch + 1) * FRACTAL_BYTES;
}

/* Tells what is written: whole fractals, in one direction without a gap. */
static void target_tell(const struct target *target, const struct view *view)
{
    uint64_t down = (uint64_t)(target->rows / target->fractal_rows);
    uint64_t across = (uint64_t)(target->columns / target->fractal_lanes);
    bool by_rows = target->column_pitch == 1;
    uint64_t count = by_rows ? down : across;
    uint64_t length = by_rows ? across : down;
    uint64_t pitch = by_rows ? target->row_pitch : target->column_pitch;
    if (pitch == length) {
        length *= count;
        count = 1;
    }
    for (uint64_t stretch = 0; stretch < count; stretch++) {
        view_writes(view, stretch * pitch * FRACTAL_BYTES, length * FRACTAL_BYTES);
    }
}

/* The piece that starts at a matrix column, as long as its plane has channels. The last plane holds
 * channelSize % C0 channels, packed. */
static struct img2col_piece piece_at(const struct load3dv2 *load, int64_t column, int64_t *channels)
{
    const struct img2col *matrix = &load->matrix;
    int64_t points = matrix->filter_h * matrix->filter_w;
    int64_t c0 = matrix->c0;
    int64_t full = load->channels / c0;
    int64_t plane = column / (points * c0);
    *channels = c0;
    if (plane >= full) {
        plane = full;
        *channels = load->channels % c0;
    }
    int64_t point = (column - plane * points * c0) / *channels;
    return (struct img2col_piece){
        .plane = (uint64_t)(plane * matrix->height * matrix->width) * BLOCK_BYTES,
        .h = point / matrix->filter_w * matrix->dilation_h,
        .w = point % matrix->filter_w * matrix->dilation_w,
    };
}

/* The chunk that starts at a lane of the block's columns. */
static void chunk_read(struct img2col_chunk *chunk, const struct load3dv2 *load, int64_t lane)
{
    const struct img2col *matrix = &load->matrix;
    int64_t column = range_index(&load->column, lane);
    chunk->pieces = 0;
    chunk->pixel_bytes = BLOCK_BYTES;
    chunk->half = false;
    if (column < 0 || column >= load->columns) {
        return;
    }
    int64_t lanes = load->column.count - lane % load->column.fill;
    if (lanes > load->columns - column) {
        lanes = load->columns - column;
    }
    if (lanes > matrix->c0) {
        lanes = matrix->c0;
    }
    chunk->half = matrix->bits == 4 && lanes % 2 != 0;
    int64_t channels;
    for (int64_t done = 0; done < lanes; done += channels) {
        assert(chunk->pieces < IMG2COL_PIECES_MAX);
        struct img2col_piece *piece = &chunk->piece[chunk->pieces++];
        *piece = piece_at(load, column + done, &channels);
        int64_t length = lanes - done < channels ? lanes - done : channels;
        piece->bytes = (uint32_t)element_array_bytes(matrix->element, (uint64_t)length);
        chunk->pixel_bytes = (uint32_t)element_array_bytes(matrix->element, (uint64_t)channels);
    }
}

static uint64_t source_end(const struct load3dv2 *load)
{
    const struct img2col *matrix = &load->matrix;
    int64_t row = range_last_below(&load->row, load->rows);
    int64_t column = range_last_below(&load->column, load->columns);
    if (row < 0 || column < 0) {
        return 0;
    }
    int64_t channels;
    struct img2col_chunk chunk = {.pieces = 1};
    chunk.piece[0] = piece_at(load, column, &channels);
    chunk.pixel_bytes = (uint32_t)element_array_bytes(matrix->element, (uint64_t)channels);
    return img2col_end(matrix, &chunk, row / matrix->out_w * matrix->stride_h - matrix->pad_top);
}

/* The rest that packed planes may have: 4 channels, of 4-bit types 8, and twice that while there is
 * room. */
static bool channels_allowed(const struct load3dv2 *load)
{
    int64_t rest = load->channels % load->matrix.c0;
    int64_t least = load->matrix.bits == 4 ? 8 : 4;
    return rest == 0 || (rest >= least && (rest & (rest - 1)) == 0);
}

/* What a transposed L0A takes; the types of L0B stand in the table. */
static bool type_transposable(enum arch arch, enum element element)
{
    if (arch == ARCH_2201) {
        return element_bits(element) >= 16;
    }
    return arch == ARCH_3510 || element == ELEMENT_FP16;
}

static bool check_channels(struct machine *machine, const struct insn *insn,
                           const struct load3dv2 *load)
{
    uint32_t c0 = load->matrix.c0;
    if (load->channels > 65535) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "C1 * %" PRIu32 " is %" PRId64 " channels; expected at most 65535", c0,
                      load->channels);
        return false;
    }
    if (!channels_allowed(load)) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "channelSize is %" PRId64 "; expected a multiple of %" PRIu32
                      " for %s, or %s more",
                      load->channels, c0, element_word(load->matrix.element),
                      c0 == 64   ? "8, 16 or 32"
                      : c0 == 32 ? "4, 8 or 16"
                      : c0 == 16 ? "4 or 8"
                                 : "4");
        return false;
    }
    return true;
}

/* The block has no column of fractals outside the matrix; its first repetition, as those that
 * follow depend on the registers. */
static bool check_columns(struct machine *machine, const struct insn *insn,
                          const struct load3dv2 *load)
{
    uint32_t c0 = load->matrix.c0;
    const struct range *range = &load->column;
    if (range->start % c0 != 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "kStartPt is %" PRId64 "; expected a multiple of %" PRIu32 " for %s",
                      range->start, c0, element_word(load->matrix.element));
        return false;
    }
    int64_t limit = round_up(load->columns, c0);
    if (range->start + range->count > limit) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "kStartPt + kExtension is %" PRId64 "; expected at most %" PRId64
                      ", the columns of the matrix (channels %" PRId64 ", filter %" PRId64
                      " x %" PRId64 ")",
                      range->start + range->count, limit, load->channels, load->matrix.filter_h,
                      load->matrix.filter_w);
        return false;
    }
    return true;
}

/* dstStride is a word of 950; LoadDataWithStride needs it, and column blocks must not overlap. */
static bool check_stride(struct machine *machine, const struct insn *insn, const struct insn *v2,
                         const struct target *target)
{
    int64_t stride = v2->field[LOAD3DV2_dstStride];
    if (!arch_l0a_is_nz(machine->program->arch)) {
        if (stride != 0) {
            hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                          "dstStride is %" PRId64 "; expected 0 on %s", stride,
                          arch_word(machine->program->arch));
        }
        return stride == 0;
    }
    int64_t needed = target->scatter ? target->columns / target->fractal_lanes
                                     : target->rows / target->fractal_rows;
    bool derived = stride == 0 && insn->opcode != OP_LOAD_DATA_WITH_STRIDE;
    if (!derived && stride < needed) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "dstStride is %" PRId64 "; expected at least %" PRId64
                      " fractals by set_load_data_repeat",
                      stride, needed);
        return false;
    }
    return true;
}

/* Rules between fields; the ranges of single fields have been checked. */
static bool load3dv2_check(struct machine *machine, const struct insn *insn, const struct insn *v2,
                           const struct load3dv2 *load, bool to_l0b)
{
    enum arch arch = machine->program->arch;
    if (!img2col_check(machine, insn, &load->matrix) || !check_channels(machine, insn, load) ||
        !check_columns(machine, insn, load)) {
        return false;
    }
    if (!to_l0b && load->target.scatter && !type_transposable(arch, load->matrix.element)) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "%s cannot go to L0A with enTranspose on %s; expected %s",
                      element_word(load->matrix.element), arch_word(arch),
                      arch == ARCH_2201 ? "a type of 16 or 32 bits" : "fp16");
        return false;
    }
    return check_stride(machine, insn, v2, &load->target);
}

/* Whether the first repetition reaches into the last fractal of the matrix, `unit` lanes. */
static bool range_ends_last(const struct range *range, int64_t size, int64_t unit)
{
    return range->start + range->count > (size - 1) / unit * unit;
}

static void note_multiple(struct machine *machine, const struct insn *insn, const char *field,
                          int64_t value, int64_t unit, const struct load3dv2 *load)
{
    if (value % unit == 0) {
        return;
    }
    note_report(machine, insn,
                "%s is %" PRId64 "; the documents ask for a multiple of %" PRId64
                " for %s, as the block does not cover the last fractal of the matrix, %" PRId64
                " x %" PRId64,
                field, value, unit, element_word(load->matrix.element), load->rows, load->columns);
}

/* Multiples that the documents ask for; the hardware is said to take any. They say nothing about
 * rows of other types, and of the copy's start. Advice for who writes programs: tiles of plans
 * begin at any row, as they do in the vendor's kernels. */
static void note_block(struct machine *machine, const struct insn *insn,
                       const struct load3dv2 *load)
{
    uint32_t bits = load->matrix.bits, c0 = load->matrix.c0;
    if (insn->line == 0) {
        return;
    }
    bool last_row = range_ends_last(&load->row, load->rows, FRACTAL_ROWS);
    if (load->row.start >= load->rows) {
        note_report(machine, insn,
                    "mStartPt is %" PRId64 " and the matrix has %" PRId64
                    " rows, so the block starts behind it with zeros",
                    load->row.start, load->rows);
    }
    if (!last_row && (bits == 8 || bits == 16)) {
        note_multiple(machine, insn, "mExtension", load->row.count, FRACTAL_ROWS, load);
        if (insn->opcode != OP_COPY_L12L0A_IMG2COL) {
            note_multiple(machine, insn, "mStartPt", load->row.start, FRACTAL_ROWS, load);
        }
    }
    if (!range_ends_last(&load->column, load->columns, c0)) {
        note_multiple(machine, insn, "kExtension", load->column.count, c0, load);
    }
}

static struct img2col_window window_of(const struct load3dv2 *load, int64_t lane)
{
    const struct img2col *matrix = &load->matrix;
    int64_t row = range_index(&load->row, lane);
    if (row < 0 || row >= load->rows) {
        return (struct img2col_window){IMG2COL_NONE, 0};
    }
    int64_t h = row / matrix->out_w * matrix->stride_h - matrix->pad_top;
    int64_t w = row % matrix->out_w * matrix->stride_w - matrix->pad_left;
    return (struct img2col_window){(int32_t)h, (int32_t)w};
}

/* Spreads the lanes of a chunk over the rows of fractals: lane e is row e of a C0 x 16 fractal's
 * column, as ZN and the transposed layouts want it. */
static void chunk_scatter(const struct load3dv2 *load, const struct img2col_chunk *chunk,
                          int64_t column, const struct img2col_window *windows,
                          const struct img2col_source *source, const struct view *view)
{
    const struct target *target = &load->target;
    uint32_t c0 = load->matrix.c0;
    uint8_t bytes[BLOCK_BYTES], written[BLOCK_BYTES];
    for (int64_t row = 0; row < target->rows; row++) {
        img2col_gather(&load->matrix, chunk, windows[row], source, bytes, written);
        uint64_t fractal_row = (uint64_t)(row / c0) * target->row_pitch;
        for (uint32_t lane = 0; lane < c0 && column + lane < target->columns; lane++) {
            uint64_t position = (uint64_t)column + lane;
            uint64_t fractal = fractal_row + position / FRACTAL_ROWS * target->column_pitch;
            uint64_t block = fractal * FRACTAL_BYTES + position % FRACTAL_ROWS * BLOCK_BYTES;
            lane_copy(load->matrix.bits, view->bytes + block, view->written + block,
                      (uint64_t)(row % c0), bytes, written, lane);
        }
    }
}

static void chunk_store(const struct load3dv2 *load, const struct img2col_chunk *chunk,
                        int64_t column, const struct img2col_window *windows,
                        const struct img2col_source *source, const struct view *view)
{
    const struct target *target = &load->target;
    uint64_t fractal = (uint64_t)(column / load->matrix.c0) * target->column_pitch;
    for (int64_t row = 0; row < target->rows; row += FRACTAL_ROWS) {
        img2col_fractal(&load->matrix, chunk, windows + row, source,
                        view->bytes + fractal * FRACTAL_BYTES,
                        view->written + fractal * FRACTAL_BYTES);
        fractal += target->row_pitch;
    }
}

static void load3dv2_store(const struct load3dv2 *load, const struct img2col_window *windows,
                           const struct img2col_source *source, const struct view *view)
{
    const struct target *target = &load->target;
    target_tell(target, view);
    for (int64_t column = 0; column < target->columns; column += load->matrix.c0) {
        struct img2col_chunk chunk;
        chunk_read(&chunk, load, column);
        img2col_tell(&load->matrix, &chunk, windows, (uint64_t)target->rows, source);
        if (target->scatter) {
            chunk_scatter(load, &chunk, column, windows, source, view);
        } else {
            chunk_store(load, &chunk, column, windows, source, view);
        }
    }
}

void effect_load3dv2(struct machine *machine, const struct insn *insn)
{
    enum arch arch = machine->program->arch;
    bool to_l0b = operand_space(machine, insn, LOAD3DV2_dst) == SPACE_L0B;
    struct insn room;
    const struct insn *v2 = load3d_as_v2(insn, &room);
    struct load3dv2 load;
    struct img2col_source source;
    struct view target;
    /* Only the ranges of the Tensor API allow this. */
    if (v2->field[LOAD3DV2_mExtension] == 0 || v2->field[LOAD3DV2_kExtension] == 0) {
        note_report(machine, insn,
                    "mExtension is %" PRId64 " and kExtension %" PRId64 ", so nothing is copied",
                    v2->field[LOAD3DV2_mExtension], v2->field[LOAD3DV2_kExtension]);
        return;
    }
    img2col_read(&load.matrix, v2);
    load.channels = v2->field[LOAD3DV2_channelSize];
    load.rows = load.matrix.out_h * load.matrix.out_w;
    load.columns = load.channels * load.matrix.filter_h * load.matrix.filter_w;
    ranges_read(&load, v2, arch);
    target_read(&load, v2, to_l0b, arch);
    struct img2col_ring ring = {(uint64_t)v2->field[LOAD3DV2_boundaryValue], RING_BYTES_MIN};
    if (!load3dv2_check(machine, insn, v2, &load, to_l0b) ||
        !view_open(machine, insn, LOAD3DV2_dst, target_end(&load.target), &target) ||
        !img2col_open(machine, insn, LOAD3DV2_src, source_end(&load), ring, &source)) {
        return;
    }
    note_block(machine, insn, &load);
    img2col_pad(&load.matrix, (uint32_t)v2->field[LOAD3DV2_padValue]);
    struct img2col_window *windows = (struct img2col_window *)(void *)machine->scratch;
    assert((uint64_t)load.target.rows * sizeof *windows <= machine->scratch_bytes);
    for (int64_t row = 0; row < load.target.rows; row++) {
        windows[row] = window_of(&load, row);
    }
    load3dv2_store(&load, windows, &source, &target);
}

uint64_t bytes_load3dv2(const struct program *program, const struct insn *insn)
{
    (void)program;
    struct insn room;
    const struct insn *v2 = load3d_as_v2(insn, &room);
    struct load3dv2 load;
    if (v2->field[LOAD3DV2_mExtension] == 0 || v2->field[LOAD3DV2_kExtension] == 0) {
        return 0;
    }
    load.matrix.c0 = element_c0(insn_element(v2));
    ranges_read(&load, v2, ARCH_2201);
    target_read(&load, v2, false, ARCH_2201);
    return (uint64_t)(load.target.rows * load.target.columns) * BLOCK_BYTES / load.matrix.c0;
}
