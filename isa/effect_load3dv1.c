/*
 * Load3Dv1 on 310P and Atlas training: fractals of 16 windows by the channels of one filter point
 * (docs/isa.md section 6.3).
 */
#include <inttypes.h>
#include <stdbool.h>

#include "isa/effect_parts.h"
#include "isa/img2col.h"
#include "isa/view.h"

enum { RING_BLOCKS_MIN = 16 };

/* Fractals of 16 windows by 32 bytes of channels. */
struct load3dv1 {
    struct img2col matrix;
    struct img2col_window first;
    int64_t plane, point; /* channel plane and filter point of the first fractal */
    int64_t points;       /* filter points in a row of a fractal */
    uint32_t pixel_bytes; /* of a plane */
    bool along_windows;   /* the next fractal has the next windows, else the next points */
    int64_t repeat;       /* fractals */
    int64_t jump;         /* fractals from one to the next */
    uint64_t planes_end;  /* bytes from the image's start: planes that end behind are not there */
};

static void load3dv1_read(struct load3dv1 *load, const struct insn *insn)
{
    const int64_t *field = insn->field;
    img2col_read(&load->matrix, insn);
    bool small = field[LOAD3DV1_cSize] != 0;
    load->first = (struct img2col_window){(int32_t)field[LOAD3DV1_leftTopH],
                                          (int32_t)field[LOAD3DV1_leftTopW]};
    load->plane = field[LOAD3DV1_c1Index];
    load->point =
        field[LOAD3DV1_fetchFilterH] * load->matrix.filter_w + field[LOAD3DV1_fetchFilterW];
    load->points = small ? 4 : 1;
    load->pixel_bytes = small ? BLOCK_BYTES / 4 : BLOCK_BYTES;
    load->along_windows = field[LOAD3DV1_repeatMode] != 0;
    load->repeat = field[LOAD3DV1_repeatTime];
    load->jump = field[LOAD3DV1_jumpStride];
    load->planes_end = UINT64_MAX;
}

static void windows_read(const struct load3dv1 *load, int64_t repetition,
                         struct img2col_window windows[FRACTAL_ROWS])
{
    int64_t first = load->along_windows ? repetition * FRACTAL_ROWS : 0;
    for (int64_t row = 0; row < FRACTAL_ROWS; row++) {
        windows[row] = img2col_window_after(&load->matrix, load->first, first + row);
    }
}

/* Filter points go on in W, then H, then in the next plane. A last row of packed planes may run
 * past the planes that are there: only its first point must lie in one. */
static void chunk_read(struct img2col_chunk *chunk, const struct load3dv1 *load, int64_t repetition)
{
    const struct img2col *matrix = &load->matrix;
    int64_t plane_points = matrix->filter_h * matrix->filter_w;
    uint64_t plane_bytes = (uint64_t)(matrix->height * matrix->width) * load->pixel_bytes;
    int64_t first = load->point + (load->along_windows ? 0 : repetition * load->points);
    *chunk = (struct img2col_chunk){.pixel_bytes = load->pixel_bytes};
    for (int64_t point = first; point < first + load->points; point++) {
        uint64_t plane = (uint64_t)(load->plane + point / plane_points) * plane_bytes;
        if (point > first && plane + plane_bytes > load->planes_end) {
            return;
        }
        int64_t within = point % plane_points;
        chunk->piece[chunk->pieces++] = (struct img2col_piece){
            .plane = plane,
            .h = within / matrix->filter_w * matrix->dilation_h,
            .w = within % matrix->filter_w * matrix->dilation_w,
            .bytes = load->pixel_bytes,
        };
    }
}

/* The lowest window of a fractal that has a row. */
static int64_t lowest(const struct img2col_window windows[FRACTAL_ROWS])
{
    int64_t h = IMG2COL_NONE;
    for (int row = 0; row < FRACTAL_ROWS; row++) {
        h = windows[row].h > h ? windows[row].h : h;
    }
    return h;
}

static uint64_t source_end(const struct load3dv1 *load)
{
    uint64_t end = 0;
    for (int64_t repetition = 0; repetition < load->repeat; repetition++) {
        struct img2col_window windows[FRACTAL_ROWS];
        struct img2col_chunk chunk;
        windows_read(load, repetition, windows);
        chunk_read(&chunk, load, repetition);
        uint64_t bytes = img2col_end(&load->matrix, &chunk, lowest(windows));
        end = bytes > end ? bytes : end;
    }
    return end;
}

static bool load3dv1_check(struct machine *machine, const struct insn *insn,
                           const struct load3dv1 *load)
{
    const int64_t *field = insn->field;
    if (!img2col_check(machine, insn, &load->matrix)) {
        return false;
    }
    if (field[LOAD3DV1_fetchFilterW] >= field[LOAD3DV1_filterW] ||
        field[LOAD3DV1_fetchFilterH] >= field[LOAD3DV1_filterH]) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "fetchFilterW is %" PRId64 " and fetchFilterH %" PRId64
                      "; expected a point of the filter, %" PRId64 " x %" PRId64,
                      field[LOAD3DV1_fetchFilterW], field[LOAD3DV1_fetchFilterH],
                      field[LOAD3DV1_filterW], field[LOAD3DV1_filterH]);
        return false;
    }
    return true;
}

void effect_load3dv1(struct machine *machine, const struct insn *insn)
{
    struct load3dv1 load;
    struct view target;
    struct img2col_source source;
    load3dv1_read(&load, insn);
    if (!load3dv1_check(machine, insn, &load)) {
        return;
    }
    struct img2col_ring ring = {
        (uint64_t)insn->field[LOAD3DV1_boundaryValue] * BLOCK_BYTES,
        RING_BLOCKS_MIN * BLOCK_BYTES,
    };
    if (ring.bytes == 0) {
        load.planes_end = view_room(machine, insn, LOAD3DV1_src);
    }
    uint64_t target_end = (uint64_t)((load.repeat - 1) * load.jump + 1) * FRACTAL_BYTES;
    if (!view_open(machine, insn, LOAD3DV1_dst, target_end, &target) ||
        !img2col_open(machine, insn, LOAD3DV1_src, source_end(&load), ring, &source)) {
        return;
    }
    img2col_pad(&load.matrix, (uint32_t)insn->field[LOAD3DV1_padValue]);
    for (int64_t repetition = 0; repetition < load.repeat; repetition++) {
        uint64_t offset = (uint64_t)(repetition * load.jump) * FRACTAL_BYTES;
        struct img2col_window windows[FRACTAL_ROWS];
        struct img2col_chunk chunk;
        windows_read(&load, repetition, windows);
        chunk_read(&chunk, &load, repetition);
        img2col_tell(&load.matrix, &chunk, windows, FRACTAL_ROWS, &source);
        view_writes(&target, offset, FRACTAL_BYTES);
        img2col_fractal(&load.matrix, &chunk, windows, &source, target.bytes + offset,
                        target.written + offset);
    }
}

uint64_t bytes_load3dv1(const struct program *program, const struct insn *insn)
{
    (void)program;
    return (uint64_t)insn->field[LOAD3DV1_repeatTime] * FRACTAL_BYTES;
}
