#include "isa/img2col.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Windows in one direction. */
static int64_t windows_count(int64_t size, int64_t padding, int64_t reach, int64_t stride)
{
    int64_t room = size + padding - reach;
    return room < 0 ? 0 : room / stride + 1;
}

void img2col_read(struct img2col *matrix, const struct insn *insn)
{
    const int64_t *field = insn->field;
    bool sizes = insn->opcode != OP_LOAD3DV1; /* it has no filterSize flags */
    enum element element = insn_element(insn);
    *matrix = (struct img2col){
        .element = element,
        .bits = element_bits(element),
        .c0 = element_c0(element),
        .height = field[LOAD3DV2_l1H],
        .width = field[LOAD3DV2_l1W],
        .pad_left = field[LOAD3DV2_padLeft],
        .pad_right = field[LOAD3DV2_padRight],
        .pad_top = field[LOAD3DV2_padTop],
        .pad_bottom = field[LOAD3DV2_padBottom],
        .filter_h = field[LOAD3DV2_filterH] + (sizes ? 256 * field[LOAD3DV2_filterSizeH] : 0),
        .filter_w = field[LOAD3DV2_filterW] + (sizes ? 256 * field[LOAD3DV2_filterSizeW] : 0),
        .stride_h = field[LOAD3DV2_strideH],
        .stride_w = field[LOAD3DV2_strideW],
        .dilation_h = field[LOAD3DV2_dilationFilterH],
        .dilation_w = field[LOAD3DV2_dilationFilterW],
    };
    matrix->reach_h = (matrix->filter_h - 1) * matrix->dilation_h + 1;
    matrix->reach_w = (matrix->filter_w - 1) * matrix->dilation_w + 1;
    matrix->out_h = windows_count(matrix->height, matrix->pad_top + matrix->pad_bottom,
                                  matrix->reach_h, matrix->stride_h);
    matrix->out_w = windows_count(matrix->width, matrix->pad_left + matrix->pad_right,
                                  matrix->reach_w, matrix->stride_w);
    if (matrix->out_h == 0 || matrix->out_w == 0) {
        matrix->out_h = 0;
        matrix->out_w = 0;
    }
}

bool img2col_check(struct machine *machine, const struct insn *insn, const struct img2col *matrix)
{
    if (matrix->height == 0 || matrix->width == 0) {
        hazard_report(machine, HAZARD_UNINITIALIZED, insn,
                      "no image size is set; expected l1H and l1W here or by set_fmatrix");
        machine->refusing = true;
        return false;
    }
    if (matrix->out_w == 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "the filter spans %" PRId64 " x %" PRId64 " pixels; expected no more than "
                      "the padded image, %" PRId64 " x %" PRId64,
                      matrix->reach_h, matrix->reach_w,
                      matrix->height + matrix->pad_top + matrix->pad_bottom,
                      matrix->width + matrix->pad_left + matrix->pad_right);
        return false;
    }
    return true;
}

void img2col_pad(struct img2col *matrix, uint32_t code)
{
    for (uint32_t lane = 0; lane < matrix->c0; lane++) {
        element_store(matrix->element, matrix->padding, lane, code);
    }
}

/* Windows in the row of a first one, itself included. */
static int64_t windows_beside(const struct img2col *matrix, struct img2col_window first)
{
    int64_t room = matrix->width + matrix->pad_right - matrix->reach_w - first.w;
    return room < 0 ? 1 : room / matrix->stride_w + 1;
}

int64_t img2col_rows_after(const struct img2col *matrix, struct img2col_window first, int64_t n)
{
    int64_t beside = windows_beside(matrix, first);
    return n < beside ? 0 : (n - beside) / matrix->out_w + 1;
}

struct img2col_window img2col_window_after(const struct img2col *matrix,
                                           struct img2col_window first, int64_t n)
{
    int64_t beside = windows_beside(matrix, first);
    int64_t h = first.h + img2col_rows_after(matrix, first, n) * matrix->stride_h;
    int64_t w = n < beside ? first.w + n * matrix->stride_w
                           : (n - beside) % matrix->out_w * matrix->stride_w - matrix->pad_left;
    if (h + matrix->reach_h > matrix->height + matrix->pad_bottom) {
        return (struct img2col_window){IMG2COL_NONE, 0};
    }
    return (struct img2col_window){(int32_t)h, (int32_t)w};
}

/* Smaller rings are undefined: 1024 bytes for Load3Dv2, 16 blocks for Load3Dv1. */
bool img2col_open(struct machine *machine, const struct insn *insn, size_t operand,
                  uint64_t end_bytes, struct img2col_ring ring, struct img2col_source *source)
{
    uint64_t address = view_address(machine, insn, operand);
    *source = (struct img2col_source){0};
    if (ring.bytes == 0 || (address < ring.bytes && end_bytes <= ring.bytes - address &&
                            ring.bytes >= ring.least_bytes)) {
        return view_open(machine, insn, operand, end_bytes, &source->view);
    }
    if (ring.bytes < ring.least_bytes || address >= ring.bytes) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "the boundary of l1 is byte %" PRIu64 "; expected 0 or at least %" PRIu64
                      ", behind the start of src, %" PRIu64,
                      ring.bytes, ring.least_bytes, address);
        return false;
    }
    if (!view_open(machine, insn, operand, ring.bytes - address, &source->view)) {
        return false;
    }
    source->view.bytes -= address;
    source->view.written -= address;
    source->view.address -= address;
    source->start = address;
    source->ring_bytes = ring.bytes;
    return true;
}

uint64_t img2col_end(const struct img2col *matrix, const struct img2col_chunk *chunk, int64_t h)
{
    uint64_t end = 0;
    for (uint32_t index = 0; h != IMG2COL_NONE && index < chunk->pieces; index++) {
        const struct img2col_piece *piece = &chunk->piece[index];
        int64_t last = h + piece->h;
        last = last < matrix->height ? last : matrix->height - 1;
        uint64_t rows = last < 0 ? 0 : (uint64_t)last + 1;
        uint64_t bytes = piece->plane + rows * (uint64_t)matrix->width * chunk->pixel_bytes;
        end = bytes > end ? bytes : end;
    }
    return end;
}

/* Whether a piece under a window lies in the image, and where: bytes from its start. */
static inline bool piece_offset(const struct img2col *matrix, const struct img2col_chunk *chunk,
                                const struct img2col_piece *piece, struct img2col_window window,
                                uint64_t *offset)
{
    int64_t h = window.h + piece->h;
    int64_t w = window.w + piece->w;
    if (h < 0 || h >= matrix->height || w < 0 || w >= matrix->width) {
        return false;
    }
    *offset = piece->plane + (uint64_t)(h * matrix->width + w) * chunk->pixel_bytes;
    return true;
}

/* The bytes in the view until a ring starts again; no more than length. */
static uint32_t source_run(const struct img2col_source *source, uint64_t position, uint32_t length)
{
    uint64_t room = source->ring_bytes - position;
    return source->ring_bytes != 0 && room < length ? (uint32_t)room : length;
}

static uint64_t source_position(const struct img2col_source *source, uint64_t offset)
{
    return source->ring_bytes == 0 ? offset : (source->start + offset) % source->ring_bytes;
}

static void source_copy(const struct img2col_source *source, uint64_t offset, uint32_t length,
                        uint8_t *bytes, uint8_t *written)
{
    uint32_t run;
    for (uint32_t done = 0; done < length; done += run) {
        uint64_t position = source_position(source, offset + done);
        run = source_run(source, position, length - done);
        memcpy(bytes + done, source->view.bytes + position, run);
        memcpy(written + done, source->view.written + position, run);
    }
}

void img2col_gather(const struct img2col *matrix, const struct img2col_chunk *chunk,
                    struct img2col_window window, const struct img2col_source *source,
                    uint8_t *bytes, uint8_t *written)
{
    uint32_t done = 0;
    for (uint32_t index = 0; window.h != IMG2COL_NONE && index < chunk->pieces; index++) {
        const struct img2col_piece *piece = &chunk->piece[index];
        uint64_t offset;
        if (piece_offset(matrix, chunk, piece, window, &offset)) {
            source_copy(source, offset, piece->bytes, bytes + done, written + done);
        } else {
            memcpy(bytes + done, matrix->padding, piece->bytes);
            memset(written + done, 1, piece->bytes);
        }
        done += piece->bytes;
    }
    if (chunk->half && done > 0) {
        bytes[done - 1] &= 0x0F;
    }
    memset(bytes + done, 0, BLOCK_BYTES - done);
    memset(written + done, 1, BLOCK_BYTES - done);
}

/* The common case: all lanes of a chunk at one filter point, and no ring. */
static void fractal_whole(const struct img2col *matrix, const struct img2col_chunk *chunk,
                          const struct img2col_window *windows, const struct view *source,
                          uint8_t *bytes, uint8_t *written)
{
    for (int row = 0; row < FRACTAL_ROWS; row++, bytes += BLOCK_BYTES, written += BLOCK_BYTES) {
        uint64_t offset;
        if (windows[row].h == IMG2COL_NONE) {
            memset(bytes, 0, BLOCK_BYTES);
            memset(written, 1, BLOCK_BYTES);
        } else if (piece_offset(matrix, chunk, &chunk->piece[0], windows[row], &offset)) {
            memcpy(bytes, source->bytes + offset, BLOCK_BYTES);
            memcpy(written, source->written + offset, BLOCK_BYTES);
        } else {
            memcpy(bytes, matrix->padding, BLOCK_BYTES);
            memset(written, 1, BLOCK_BYTES);
        }
    }
}

void img2col_fractal(const struct img2col *matrix, const struct img2col_chunk *chunk,
                     const struct img2col_window *windows, const struct img2col_source *source,
                     uint8_t *bytes, uint8_t *written)
{
    if (source->ring_bytes == 0 && chunk->pieces == 1 && chunk->piece[0].bytes == BLOCK_BYTES &&
        !chunk->half) {
        fractal_whole(matrix, chunk, windows, &source->view, bytes, written);
        return;
    }
    for (int row = 0; row < FRACTAL_ROWS; row++) {
        img2col_gather(matrix, chunk, windows[row], source, bytes + row * BLOCK_BYTES,
                       written + row * BLOCK_BYTES);
    }
}

static void source_tell(const struct img2col_source *source, uint64_t offset, uint64_t length)
{
    while (length > 0) {
        uint64_t position = source_position(source, offset);
        uint64_t run = source->ring_bytes != 0 && source->ring_bytes - position < length
                           ? source->ring_bytes - position
                           : length;
        view_reads(&source->view, position, run);
        offset += run;
        length -= run;
    }
}

void img2col_tell(const struct img2col *matrix, const struct img2col_chunk *chunk,
                  const struct img2col_window *windows, uint64_t count,
                  const struct img2col_source *source)
{
    if (source->view.machine == NULL || source->view.machine->access == NULL) {
        return;
    }
    for (uint32_t index = 0; index < chunk->pieces; index++) {
        const struct img2col_piece *piece = &chunk->piece[index];
        uint64_t start = 0, end = 0; /* what is not told yet: neighbouring windows often touch */
        for (uint64_t row = 0; row < count; row++) {
            uint64_t offset;
            if (windows[row].h == IMG2COL_NONE ||
                !piece_offset(matrix, chunk, piece, windows[row], &offset)) {
                continue;
            }
            if (offset != end) {
                source_tell(source, start, end - start);
                start = offset;
            }
            end = offset + piece->bytes;
        }
        source_tell(source, start, end - start);
    }
}
