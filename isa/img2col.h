/*
 * The img2col matrix of an image in L1, which every Load3D form reads (docs/isa.md section 5).
 *
 * A row is a window: a position of the filter over the padded image, W fastest. A column is a
 * channel at a filter point. The lanes of a row are read in chunks of 32 bytes; a chunk consists of
 * pieces, each the channels of a plane at one filter point, contiguous in L1.
 */
#ifndef CUBESIM_ISA_IMG2COL_H
#define CUBESIM_ISA_IMG2COL_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/element.h"
#include "isa/insn.h"
#include "isa/machine.h"
#include "isa/view.h"

struct img2col {
    enum element element;
    uint32_t bits, c0;     /* of an element; elements in 32 B */
    int64_t height, width; /* of the image, pixels; 0: no size was set */
    int64_t pad_left, pad_right, pad_top, pad_bottom;
    int64_t filter_h, filter_w; /* points */
    int64_t stride_h, stride_w; /* pixels from a window to the next */
    int64_t dilation_h, dilation_w;
    int64_t reach_h, reach_w;     /* pixels that a window spans */
    int64_t out_h, out_w;         /* windows; 0 when none fits into the padded image */
    uint8_t padding[BLOCK_BYTES]; /* the padding value in every lane */
};

/* Reads image and filter of a Load3Dv1, or of a Load3Dv2 as load3d_as_v2 gives it; the padding
 * value is left at 0. */
void img2col_read(struct img2col *matrix, const struct insn *insn);

/* Sets the padding value; its low bits count. */
void img2col_pad(struct img2col *matrix, uint32_t code);

/* Whether the image has a size and a window fits into it, padded; else false after a report. */
bool img2col_check(struct machine *machine, const struct insn *insn, const struct img2col *matrix);

/* The upper left corner of a window in the image; h is IMG2COL_NONE for a row of zeros. */
struct img2col_window {
    int32_t h, w;
};
enum { IMG2COL_NONE = INT32_MIN };

/* Window n of those that follow a first one: to the right by strideW, and from where the next would
 * leave the padded image to the start of the row of windows below. NONE below the last row. */
struct img2col_window img2col_window_after(const struct img2col *matrix,
                                           struct img2col_window first, int64_t n);

/* The row of windows that window n lies in, counted from that of first. */
int64_t img2col_rows_after(const struct img2col *matrix, struct img2col_window first, int64_t n);

/* Up to 32 bytes of a row. The smallest plane has pixels of 4 bytes. */
enum { IMG2COL_PIECES_MAX = 8 };
struct img2col_piece {
    uint64_t plane; /* bytes from the start of the image to the channel plane */
    int64_t h, w;   /* of the filter point, pixels from the window's corner */
    uint32_t bytes;
};
struct img2col_chunk {
    struct img2col_piece piece[IMG2COL_PIECES_MAX];
    uint32_t pieces;
    uint32_t pixel_bytes; /* from a pixel of the planes to the next */
    bool half;            /* the last byte holds one 4-bit element, its upper half is zero */
};

/* L1 addresses from a boundary on start again at 0. */
struct img2col_ring {
    uint64_t bytes;       /* 0: no boundary */
    uint64_t least_bytes; /* shorter rings are undefined */
};

/* Where the image lies. */
struct img2col_source {
    struct view view;    /* of the image, or of the ring */
    uint64_t start;      /* of the image, bytes in the view */
    uint64_t ring_bytes; /* 0 when the image ends before the boundary */
};

/* Opens the source of a Load3D that needs its bytes [0, end_bytes). False after a report. */
bool img2col_open(struct machine *machine, const struct insn *insn, size_t operand,
                  uint64_t end_bytes, struct img2col_ring ring, struct img2col_source *source);

/* Bytes of the image up to the end of the last row that a chunk reads under windows whose lowest
 * corner is at h; 0 for IMG2COL_NONE. */
uint64_t img2col_end(const struct img2col *matrix, const struct img2col_chunk *chunk, int64_t h);

/* Writes 32 bytes of a row and their shadow: pixels, padding values, zeros behind the pieces and
 * for no window. Nothing is told. */
void img2col_gather(const struct img2col *matrix, const struct img2col_chunk *chunk,
                    struct img2col_window window, const struct img2col_source *source,
                    uint8_t *bytes, uint8_t *written);

/* The same for 16 rows, one behind the other: a fractal. */
void img2col_fractal(const struct img2col *matrix, const struct img2col_chunk *chunk,
                     const struct img2col_window *windows, const struct img2col_source *source,
                     uint8_t *bytes, uint8_t *written);

/* Tells the access sink, if there is one, what a chunk reads under count windows. */
void img2col_tell(const struct img2col *matrix, const struct img2col_chunk *chunk,
                  const struct img2col_window *windows, uint64_t count,
                  const struct img2col_source *source);

#endif
