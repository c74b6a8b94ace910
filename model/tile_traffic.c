#include "model/tile_traffic.h"

#include <assert.h>

#include "model/saturate.h"

enum { BIAS_BYTES = 4 };

/* Rows of the input that lie in a window that starts at start - pad of the padded input. */
static uint64_t rows_inside(const struct conv *conv, enum axis axis, uint64_t start,
                            uint64_t window)
{
    uint64_t head = conv->pad_head[axis];
    uint64_t end = saturate_sub(saturate_add(start, window), head);
    uint64_t from = saturate_sub(start, head);

    return saturate_sub(saturate_min(end, conv->in[axis]), from);
}

void tile_axis_cut(const struct conv *conv, enum axis axis, uint64_t tile, struct tile_axis *cut)
{
    uint64_t outputs = (uint64_t)conv->out[axis];
    uint64_t step = saturate_mul(tile, conv->stride[axis]);
    uint64_t window = conv_window(conv, axis, tile);
    uint64_t head = conv->pad_head[axis];

    assert(tile >= 1 && conv->out[axis] >= 1);
    *cut = (struct tile_axis){
        .tile = tile, .whole = outputs / tile, .tail = outputs % tile, .whole_rows = 0};
    /* Only tiles at the edges reach into padding: count those one by one. */
    uint64_t from = 0;
    uint64_t until = cut->whole;
    while (from < until && from * step < head) {
        cut->whole_rows += rows_inside(conv, axis, from * step, window);
        from++;
    }
    while (from < until &&
           saturate_add((until - 1) * step, window) > saturate_add(head, conv->in[axis])) {
        cut->whole_rows += rows_inside(conv, axis, (until - 1) * step, window);
        until--;
    }
    cut->whole_rows = saturate_add(cut->whole_rows, saturate_mul(until - from, window));
    if (cut->tail != 0)
        cut->tail_rows =
            rows_inside(conv, axis, cut->whole * step, conv_window(conv, axis, cut->tail));
}

uint64_t tile_axis_count(const struct tile_axis *cut, uint64_t step)
{
    return saturate_add(saturate_mul(cut->whole, ceil_div(cut->tile, step)),
                        ceil_div(cut->tail, step));
}

uint64_t tile_axis_rows(const struct tile_axis *cut, uint64_t step)
{
    return saturate_add(saturate_mul(cut->whole_rows, ceil_div(cut->tile, step)),
                        saturate_mul(cut->tail_rows, ceil_div(cut->tail, step)));
}

/* L0 tiles along the output channels of a group, and the channels that they fetch together. */
static void channel_counts(const struct conv *conv, const struct tile_l1 *l1,
                           const struct tile_l0 *l0, uint64_t *count, uint64_t *channels)
{
    uint64_t group = conv->cout / conv->groups;
    uint64_t whole = group / l1->n;
    uint64_t tail = group % l1->n;
    uint64_t tail_size =
        conv->weight_format == FORMAT_FRACTAL_Z ? align_up(tail, FRACTAL_ROWS) : tail;
    uint64_t each = ceil_div(l1->n, l0->n);

    *count = saturate_add(saturate_mul(whole, each), ceil_div(tail, l0->n));
    *channels = saturate_add(saturate_mul(saturate_mul(whole, each), l1->n),
                             saturate_mul(ceil_div(tail, l0->n), tail_size));
}

uint64_t tile_traffic_bytes(const struct conv *conv, const struct tile_axis *height,
                            const struct tile_axis *width, const struct tile_l1 *l1,
                            const struct tile_l0 *l0)
{
    uint64_t size = element_bytes(conv->dtype);
    uint64_t aligned = saturate_align_up(conv->cin_group, element_c0(conv->dtype));
    uint64_t area = saturate_mul(conv->kernel[AXIS_H], conv->kernel[AXIS_W]);
    uint64_t a_channels = conv->input_format == FORMAT_NC1HWC0 ? aligned : conv->cin_group;
    uint64_t b_channels = conv->weight_format == FORMAT_FRACTAL_Z ? aligned : conv->cin_group;
    uint64_t n_count = 0;
    uint64_t n_channels = 0;

    channel_counts(conv, l1, l0, &n_count, &n_channels);
    uint64_t positions = saturate_mul(tile_axis_rows(height, l0->h), tile_axis_rows(width, l0->w));
    uint64_t tiles = saturate_mul(tile_axis_count(height, l0->h), tile_axis_count(width, l0->w));
    uint64_t a = saturate_mul(saturate_mul(positions, n_count), saturate_mul(a_channels, size));
    uint64_t b = saturate_mul(saturate_mul(tiles, n_channels),
                              saturate_mul(saturate_mul(b_channels, area), size));
    uint64_t bias = 0;
    if (conv->bias)
        bias = saturate_mul(saturate_mul(tiles, n_count), saturate_mul(l0->n, BIAS_BYTES));
    return saturate_add(saturate_add(a, b), bias);
}
