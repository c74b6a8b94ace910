#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/view.h"

/* The image in L1, the filter and what follows from them. */
struct image {
    int64_t height, width, channels;
    int64_t filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
    int64_t pad_top, pad_bottom, pad_left, pad_right;
    int64_t out_w;         /* windows in a row */
    int64_t rows, columns; /* of the img2col matrix */
    uint32_t size, c0;     /* bytes of an element, elements in 32 B */
};

/* One direction of the block: `count` indexes of the matrix from `start`, repeated. A repetition
 * but the last is filled up to whole fractals. */
struct range {
    int64_t start, count, repeat, step; /* step: from a repetition to the next */
    int64_t fill;                       /* count rounded up to whole fractals */
};

/* Where the block goes. */
struct target {
    bool scatter;          /* lanes of a row go to neighbouring rows of fractals */
    uint64_t row_pitch;    /* fractals from a fractal row to the next */
    uint64_t column_pitch; /* fractals from a fractal column to the next */
    int64_t rows, columns; /* lanes of the block, filled up to what is stored */
};

struct load3d {
    struct image image;
    struct range row, column;
    struct target target;
    uint8_t padding[BLOCK_BYTES]; /* the padding value, all lanes */
};

/* Lanes of a chunk that lie at one filter point: consecutive in L1 and in the matrix row. */
struct piece {
    int64_t plane;  /* element offset of the channel plane */
    int64_t h, w;   /* of the filter point, relative to the window */
    uint32_t lanes; /* elements to copy */
};

/* 32 bytes of a matrix row. A last plane of 4 channels puts up to 8 points into one chunk. */
enum { PIECES_MAX = 8 };
struct chunk {
    struct piece piece[PIECES_MAX];
    uint32_t pieces;
    uint32_t width; /* channels of the plane, elements from a pixel to the next */
};

/* The upper left corner of a window, or none: the row lies outside the matrix or the block. */
struct window {
    int32_t h, w;
};
enum { WINDOW_NONE = INT32_MIN };

static int64_t round_up(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

static void image_read(struct image *image, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint32_t size = element_bytes(insn_element(insn));
    *image = (struct image){
        .height = field[LOAD3DV2_l1H],
        .width = field[LOAD3DV2_l1W],
        .channels = field[LOAD3DV2_channelSize],
        .filter_h = field[LOAD3DV2_filterH] + 256 * field[LOAD3DV2_filterSizeH],
        .filter_w = field[LOAD3DV2_filterW] + 256 * field[LOAD3DV2_filterSizeW],
        .stride_h = field[LOAD3DV2_strideH],
        .stride_w = field[LOAD3DV2_strideW],
        .dilation_h = field[LOAD3DV2_dilationFilterH],
        .dilation_w = field[LOAD3DV2_dilationFilterW],
        .pad_top = field[LOAD3DV2_padTop],
        .pad_bottom = field[LOAD3DV2_padBottom],
        .pad_left = field[LOAD3DV2_padLeft],
        .pad_right = field[LOAD3DV2_padRight],
        .size = size,
        .c0 = BLOCK_BYTES / size,
    };
    int64_t room_h = image->height + image->pad_top + image->pad_bottom -
                     ((image->filter_h - 1) * image->dilation_h + 1);
    int64_t room_w = image->width + image->pad_left + image->pad_right -
                     ((image->filter_w - 1) * image->dilation_w + 1);
    if (room_h >= 0 && room_w >= 0) {
        image->out_w = room_w / image->stride_w + 1;
        image->rows = (room_h / image->stride_h + 1) * image->out_w;
    }
    image->columns = image->channels * image->filter_h * image->filter_w;
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

static void ranges_read(struct load3d *load, const struct insn *insn, int64_t repeat_columns)
{
    const int64_t *field = insn->field;
    int64_t c0 = load->image.c0;
    int64_t time = field[LOAD3DV2_repeatTime];
    int64_t stride = field[LOAD3DV2_repeatStride];
    bool along_columns = field[LOAD3DV2_repeatMode] != 0;
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
        .step = along_columns ? stride * repeat_columns : 0,
        .fill = round_up(field[LOAD3DV2_kExtension], c0),
    };
}

/* L0A holds the block as ZZ, on 950 as NZ; with enTranspose its transpose. L0B holds it as ZN,
 * which is NZ of the transpose byte for byte. */
static void target_read(struct target *target, const struct load3d *load, const struct insn *insn,
                        bool to_l0b, enum arch arch)
{
    int64_t c0 = load->image.c0;
    int64_t rows = range_total(&load->row);
    int64_t columns = range_total(&load->column);
    uint64_t stride = arch == ARCH_3510 ? (uint64_t)insn->field[LOAD3DV2_dstStride] : 0;
    target->scatter = to_l0b || insn->field[LOAD3DV2_enTranspose] != 0;
    if (target->scatter) {
        target->rows = round_up(rows, c0 > FRACTAL_ROWS ? c0 : FRACTAL_ROWS);
        target->columns = round_up(columns, FRACTAL_ROWS);
        bool zz = !to_l0b && !arch_l0a_is_nz(arch);
        uint64_t across = (uint64_t)(target->columns / FRACTAL_ROWS);
        target->row_pitch = zz ? 1 : stride != 0 ? stride : across;
        target->column_pitch = zz ? (uint64_t)(target->rows / c0) : 1;
        return;
    }
    target->rows = round_up(rows, FRACTAL_ROWS);
    target->columns = round_up(columns, c0);
    if (arch_l0a_is_nz(arch)) {
        target->row_pitch = 1;
        target->column_pitch = stride != 0 ? stride : (uint64_t)(target->rows / FRACTAL_ROWS);
    } else {
        target->row_pitch = (uint64_t)(target->columns / c0);
        target->column_pitch = 1;
    }
}

/* Rows and columns of lanes in a fractal of the target. */
static int64_t target_fractal_rows(const struct load3d *load)
{
    return load->target.scatter ? load->image.c0 : FRACTAL_ROWS;
}

static int64_t target_fractal_columns(const struct load3d *load)
{
    return load->target.scatter ? FRACTAL_ROWS : load->image.c0;
}

static uint64_t target_end(const struct load3d *load)
{
    const struct target *target = &load->target;
    uint64_t last_row = (uint64_t)(target->rows / target_fractal_rows(load) - 1);
    uint64_t last_column = (uint64_t)(target->columns / target_fractal_columns(load) - 1);
    return (last_row * target->row_pitch + last_column * target->column_pitch + 1) * FRACTAL_BYTES;
}

/* A filter point, channel and plane of a matrix column. */
struct point {
    int64_t plane, h, w; /* plane: element offset in L1 */
    int64_t width;       /* channels of the plane */
};

/* The last plane holds channelSize % C0 channels, packed (confirmed for 4 channels of 16 bits). */
static struct point point_of(const struct image *image, int64_t column)
{
    int64_t points = image->filter_h * image->filter_w;
    int64_t full = image->channels / image->c0;
    int64_t pixels = image->height * image->width;
    struct point point = {.width = image->c0};
    int64_t rest = column;
    if (column < full * points * image->c0) {
        point.plane = column / (points * image->c0) * pixels * image->c0;
        rest = column % (points * image->c0);
    } else {
        point.plane = full * pixels * image->c0;
        point.width = image->channels % image->c0;
        rest = column - full * points * image->c0;
    }
    point.h = rest / point.width / image->filter_w;
    point.w = rest / point.width % image->filter_w;
    return point;
}

/* Bytes of L1 from the image's start to the end of the last image row that the block reads. */
static uint64_t source_end(const struct load3d *load)
{
    const struct image *image = &load->image;
    int64_t row = range_last_below(&load->row, image->rows);
    int64_t column = range_last_below(&load->column, image->columns);
    if (row < 0 || column < 0) {
        return 0;
    }
    struct point point = point_of(image, column);
    int64_t h = row / image->out_w * image->stride_h + point.h * image->dilation_h - image->pad_top;
    if (h >= image->height) {
        h = image->height - 1;
    }
    if (h < 0) {
        h = -1;
    }
    return (uint64_t)(point.plane + (h + 1) * image->width * point.width) * image->size;
}

static bool type_transposable(enum arch arch, enum element element, bool to_l0b)
{
    uint32_t size = element_bytes(element);
    if (arch == ARCH_3510) {
        return true;
    }
    if (arch == ARCH_2002) {
        return to_l0b && size <= 2;
    }
    return size >= 2 && (to_l0b || arch == ARCH_2201);
}

static bool channels_allowed(const struct image *image)
{
    int64_t rest = image->channels % image->c0;
    return rest == 0 || rest == 4 || (rest == 8 && image->c0 > 8) || (rest == 16 && image->c0 > 16);
}

/* Rules between fields; the ranges of single fields have been checked. */
static bool load3d_check(struct machine *machine, const struct insn *insn,
                         const struct load3d *load, bool to_l0b)
{
    const struct image *image = &load->image;
    if (image->height == 0 || image->width == 0) {
        hazard_report(machine, HAZARD_UNINITIALIZED, insn,
                      "l1H is %" PRId64 " and l1W %" PRId64
                      "; expected a size of the image, here or by set_fmatrix",
                      image->height, image->width);
        return false;
    }
    if (image->filter_h == 0 || image->filter_w == 0 || image->rows == 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "the filter is %" PRId64 " x %" PRId64
                      "; expected at least 1 x 1 and, dilated, no more than the padded image",
                      image->filter_h, image->filter_w);
        return false;
    }
    if (!channels_allowed(image) || load->column.start % image->c0 != 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "channelSize is %" PRId64 " and kStartPt %" PRId64
                      "; expected multiples of %" PRIu32
                      ", the channels with 4, 8 or 16 more where the type has room",
                      image->channels, load->column.start, image->c0);
        return false;
    }
    bool scatter = to_l0b || insn->field[LOAD3DV2_enTranspose] != 0;
    if (scatter && !type_transposable(machine->program->arch, insn_element(insn), to_l0b)) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn, "%s cannot go %s on %s",
                      element_word(insn_element(insn)),
                      to_l0b ? "to L0B" : "to L0A with enTranspose",
                      arch_word(machine->program->arch));
        return false;
    }
    return true;
}

static struct window window_of(const struct load3d *load, int64_t lane)
{
    const struct image *image = &load->image;
    int64_t row = range_index(&load->row, lane);
    if (row < 0 || row >= image->rows) {
        return (struct window){WINDOW_NONE, WINDOW_NONE};
    }
    int64_t h = row / image->out_w * image->stride_h - image->pad_top;
    int64_t w = row % image->out_w * image->stride_w - image->pad_left;
    return (struct window){(int32_t)h, (int32_t)w};
}

/* The pieces of the chunk that starts at a lane of the block's columns. */
static void chunk_read(struct chunk *chunk, const struct load3d *load, int64_t lane)
{
    const struct image *image = &load->image;
    *chunk = (struct chunk){.width = image->c0};
    int64_t column = range_index(&load->column, lane);
    if (column < 0 || column >= image->columns) {
        return;
    }
    int64_t lanes = load->column.count - lane % load->column.fill;
    if (lanes > image->columns - column) {
        lanes = image->columns - column;
    }
    if (lanes > image->c0) {
        lanes = image->c0;
    }
    chunk->width = (uint32_t)point_of(image, column).width;
    for (int64_t done = 0; done < lanes; done += chunk->width) {
        struct point point = point_of(image, column + done);
        int64_t left = lanes - done;
        assert(chunk->pieces < PIECES_MAX);
        chunk->piece[chunk->pieces++] = (struct piece){
            .plane = point.plane,
            .h = point.h * image->dilation_h,
            .w = point.w * image->dilation_w,
            .lanes = left < chunk->width ? (uint32_t)left : chunk->width,
        };
    }
}

/* Reads 32 bytes of a matrix row and their shadow; lanes outside the matrix are zero. */
static void chunk_gather(const struct load3d *load, const struct chunk *chunk, struct window window,
                         const struct view *source, const struct view *lanes)
{
    const struct image *image = &load->image;
    uint32_t size = image->size;
    uint32_t offset = 0;
    for (uint32_t index = 0; window.h != WINDOW_NONE && index < chunk->pieces; index++) {
        const struct piece *piece = &chunk->piece[index];
        int64_t h = window.h + piece->h;
        int64_t w = window.w + piece->w;
        uint32_t length = piece->lanes * size;
        if (h >= 0 && h < image->height && w >= 0 && w < image->width) {
            int64_t element = piece->plane + (h * image->width + w) * chunk->width;
            view_copy(lanes, offset, source, (uint64_t)element * size, length);
        } else {
            view_writes(lanes, offset, length);
            memcpy(lanes->bytes + offset, load->padding, length);
            memset(lanes->written + offset, 1, length);
        }
        offset += length;
    }
    if (offset < BLOCK_BYTES) {
        view_zero(lanes, offset, BLOCK_BYTES - offset);
    }
}

static struct view view_at(const struct view *view, uint64_t offset)
{
    struct view part = *view;
    part.bytes += offset;
    part.written += offset;
    part.address += offset;
    return part;
}

/* Spreads the lanes of a chunk over the rows of fractals: lane e is row e of a C0 x 16 fractal's
 * column, as ZN and the transposed layouts want it. */
static void chunk_scatter(const struct load3d *load, int64_t row, int64_t column,
                          const struct view *lanes, const struct view *target)
{
    uint32_t size = load->image.size;
    uint32_t c0 = load->image.c0;
    uint64_t fractal_row = (uint64_t)(row / c0) * load->target.row_pitch;
    for (uint32_t lane = 0; lane < c0 && column + lane < load->target.columns; lane++) {
        uint64_t position = (uint64_t)column + lane;
        uint64_t fractal = fractal_row + position / FRACTAL_ROWS * load->target.column_pitch;
        uint64_t offset = fractal * FRACTAL_BYTES + position % FRACTAL_ROWS * BLOCK_BYTES +
                          (uint64_t)(row % c0) * size;
        view_copy(target, offset, lanes, (uint64_t)lane * size, size);
    }
}

static void load3d_store(const struct load3d *load, const struct view *source,
                         const struct view *target, const struct window *windows)
{
    uint8_t bytes[BLOCK_BYTES];
    uint8_t written[BLOCK_BYTES];
    const struct view lanes = {.bytes = bytes, .written = written};
    for (int64_t column = 0; column < load->target.columns; column += load->image.c0) {
        struct chunk chunk;
        chunk_read(&chunk, load, column);
        uint64_t fractal_column = (uint64_t)(column / load->image.c0) * load->target.column_pitch;
        for (int64_t row = 0; row < load->target.rows; row++) {
            if (load->target.scatter) {
                chunk_gather(load, &chunk, windows[row], source, &lanes);
                chunk_scatter(load, row, column, &lanes, target);
                continue;
            }
            uint64_t fractal =
                (uint64_t)(row / FRACTAL_ROWS) * load->target.row_pitch + fractal_column;
            const struct view place = view_at(
                target, fractal * FRACTAL_BYTES + (uint64_t)(row % FRACTAL_ROWS) * BLOCK_BYTES);
            chunk_gather(load, &chunk, windows[row], source, &place);
        }
    }
}

void effect_load3dv2(struct machine *machine, const struct insn *insn)
{
    enum arch arch = machine->program->arch;
    bool to_l0b = operand_space(machine, insn, LOAD3DV2_dst) == SPACE_L0B;
    struct load3d load = {0};
    image_read(&load.image, insn);
    /* The repeat counts columns in 32 B, on 310B in 64 B. */
    ranges_read(&load, insn, load.image.c0 * (arch == ARCH_3002 ? 2 : 1));
    if (!load3d_check(machine, insn, &load, to_l0b)) {
        return;
    }
    target_read(&load.target, &load, insn, to_l0b, arch);
    struct view target, source;
    if (!view_open(machine, insn, LOAD3DV2_dst, target_end(&load), &target) ||
        !view_open(machine, insn, LOAD3DV2_src, source_end(&load), &source)) {
        return;
    }
    for (uint32_t lane = 0; lane < load.image.c0; lane++) {
        element_store(insn_element(insn), load.padding, lane,
                      (uint32_t)insn->field[LOAD3DV2_padValue]);
    }
    struct window *windows = (struct window *)(void *)machine->scratch;
    assert((uint64_t)load.target.rows * sizeof *windows <= machine->scratch_bytes);
    for (int64_t row = 0; row < load.target.rows; row++) {
        windows[row] = window_of(&load, row);
    }
    load3d_store(&load, &source, &target, windows);
}

uint64_t bytes_load3dv2(const struct insn *insn)
{
    struct load3d load = {0};
    image_read(&load.image, insn);
    ranges_read(&load, insn, load.image.c0);
    target_read(&load.target, &load, insn, false, ARCH_2201);
    return (uint64_t)(load.target.rows * load.target.columns) * load.image.size;
}
