/* Room and traffic of tiles, against counting element by element. */
#include "tests/unit/tile_fixture.h"

#include "model/saturate.h"
#include "model/tile_space.h"
#include "model/tile_traffic.h"

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Rows of input under outputs [from, from + count) of an axis, padding not counted. */
static uint64_t rows_under(const struct conv *conv, enum axis axis, uint64_t from, uint64_t count)
{
    uint64_t rows = 0;

    for (uint64_t at = 0; at < conv->in[axis]; at++) {
        uint64_t padded = at + conv->pad_head[axis];
        uint64_t start = from * conv->stride[axis];
        uint64_t end = (from + count - 1) * conv->stride[axis] +
                       (conv->kernel[axis] - 1) * conv->dilation[axis] + 1;
        rows += padded >= start && padded < end;
    }
    return rows;
}

static void a_window_is_clipped_to_the_input_and_never_wraps(void **state)
{
    struct conv conv = bench_conv(16, 56, 56, 16, 3, 1);

    (void)state;
    assert_int_equal(tile_window(&conv, AXIS_H, 1), 3);
    assert_int_equal(tile_window(&conv, AXIS_H, 54), 56);
    assert_int_equal(tile_window(&conv, AXIS_H, 56), 56);
    /* The halo of 3 taps 8 apart is 17. */
    conv.dilation[AXIS_W] = 8;
    assert_int_equal(tile_window(&conv, AXIS_W, 1), 17);
    conv.in[AXIS_W] = UINT64_MAX;
    conv.stride[AXIS_W] = (uint64_t)1 << 40;
    assert_int_equal(tile_window(&conv, AXIS_W, (uint64_t)1 << 40), SATURATE_MAX);
}

static void a_linear_range_touches_as_many_rows_as_its_worst_start(void **state)
{
    (void)state;
    for (uint64_t width = 1; width <= 20; width++) {
        struct conv conv = bench_conv(16, 9, width, 16, 1, 0);
        for (uint64_t length = 1; length <= 9 * width + 3; length++) {
            uint64_t most = 0;
            uint64_t positions = 9 * width;
            for (uint64_t from = 0; from < positions; from += length) {
                uint64_t until = less(from + length, positions);
                uint64_t rows = (until - 1) / width - from / width + 1;
                most = rows > most ? rows : most;
            }
            uint64_t bound = tile_linear_rows(&conv, length);
            assert_true(bound >= most && bound <= 9);
            /* Exact when there are enough ranges to reach every start and none is cut short. */
            if (positions / length >= width)
                assert_int_equal(bound, most);
        }
    }
}

static uint64_t widest_chunk(const struct conv *conv, const struct tile *tile)
{
    uint64_t most = 0;

    for (uint64_t h = 0; h < (uint64_t)conv->out[AXIS_H]; h += tile->h_l1)
        for (uint64_t w = 0; w < (uint64_t)conv->out[AXIS_W]; w += tile->w_l1) {
            uint64_t rows =
                rows_under(conv, AXIS_H, h, less(tile->h_l1, (uint64_t)conv->out[AXIS_H] - h));
            uint64_t columns =
                rows_under(conv, AXIS_W, w, less(tile->w_l1, (uint64_t)conv->out[AXIS_W] - w));
            most = rows * columns > most ? rows * columns : most;
        }
    return most;
}

static void every_chunk_of_a_rectangle_fits_into_its_slot(void **state)
{
    (void)state;
    for (uint64_t stride = 1; stride <= 3; stride++)
        for (uint64_t h = 1; h <= 12; h += 3)
            for (uint64_t w = 16; w <= 48; w += 16) {
                struct conv conv = bench_conv(40, 11, 45, 16, 3, 1);
                conv.stride[AXIS_H] = stride;
                conv.stride[AXIS_W] = stride;
                conv_derive(&conv);
                struct tile tile = {.h_l1 = h, .w_l1 = w, .k_a = 32 * 9, .k_b = 288, .n_l1 = 16};
                uint64_t slot = tile_slot_bytes(&conv, &tile, BUFFER_L1A);
                uint64_t used = widest_chunk(&conv, &tile) * 32 * 2;
                assert_true(used <= slot);
                /* With a tile that no padding clips the slot is not a byte too large. */
                if (h <= 4 && w == 16 && stride == 1)
                    assert_int_equal(used, slot);
            }
}

static void slots_have_the_sizes_of_the_hardware(void **state)
{
    struct conv conv = bench_conv(64, 56, 56, 64, 3, 1);
    struct tile tile = {.h_l1 = 1,
                        .w_l1 = 64,
                        .h_l0 = 1,
                        .w_l0 = 64,
                        .n_l1 = 64,
                        .n_l0 = 48,
                        .k_a = 576,
                        .k_b = 288,
                        .k_l0 = 96};

    (void)state;
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L1A), 3 * 56 * 64 * 2);
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L1B), 288 * 64 * 2);
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L0A), 64 * 96 * 2);
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L0B), 96 * 48 * 2);
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L0C), 64 * 48 * 4);
    assert_int_equal(tile_bias_bytes(&conv, &tile), 0);
    conv.bias = true;
    assert_int_equal(tile_bias_bytes(&conv, &tile), 48 * 4);
    /* M is whole fractals; more channels than a group has take no room. */
    tile.w_l0 = 50;
    tile.k_a = 80 * 9;
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L0A), 64 * 96 * 2);
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L1A), 3 * 56 * 64 * 2);
    /* Linear M: whole rows of input. 128 positions start at columns of a multiple of 8. */
    tile.linear_m = true;
    tile.m_l1 = 128;
    tile.m_l0 = 128;
    assert_int_equal(tile_linear_rows(&conv, 128), 4);
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L1A), 6 * 56 * 64 * 2);
    assert_int_equal(tile_slot_bytes(&conv, &tile, BUFFER_L0C), 128 * 48 * 4);
}

static void both_forms_become_the_same_tile(void **state)
{
    struct conv conv = bench_conv(64, 32, 32, 64, 3, 1);
    struct tile_l1 l1 = {6, 4, 32, 32, 32, 64, 48, 1};
    struct tile_l0 l0 = {2, 32, 96, 16};
    struct tile_vendor vendor;
    struct tile pypto;
    struct tile rectangle;

    (void)state;
    tile_vendor_from_pypto(&conv, &l1, &l0, &vendor);
    assert_int_equal(vendor.k_al1, 288);
    assert_int_equal(vendor.k_bl1, 576);
    tile_from_pypto(&conv, &l1, &l0, &pypto);
    tile_from_vendor(&conv, &vendor, &rectangle);
    assert_false(pypto.linear_m);
    assert_false(rectangle.linear_m);
    /* All behind the bool and its padding are numbers. */
    assert_memory_equal(&pypto.m_l1, &rectangle.m_l1, sizeof pypto - offsetof(struct tile, m_l1));
    /* A bank stores mAL1 as hoL1 without woL1. */
    vendor.wo_l1 = 0;
    vendor.wo_l0 = 0;
    vendor.ho_l1 = 208;
    vendor.ho_l0 = 104;
    tile_from_vendor(&conv, &vendor, &rectangle);
    assert_true(rectangle.linear_m);
    assert_int_equal(rectangle.m_l1, 208);
    assert_int_equal(rectangle.m_l0, 104);
    /* The vendor's K may span depths; a chunk holds one. */
    vendor.k_bl1 = 3 * 576;
    tile_from_vendor(&conv, &vendor, &rectangle);
    assert_int_equal(rectangle.k_b, 576);
}

static void the_flag_has_the_bits_of_the_vendor(void **state)
{
    struct tile_vendor vendor = {.p_buffer_flag = 23, .p_buffer_given = true};

    (void)state;
    assert_int_equal(tile_vendor_slots(&vendor, BUFFER_L0A), 2);
    assert_int_equal(tile_vendor_slots(&vendor, BUFFER_L0B), 2);
    assert_int_equal(tile_vendor_slots(&vendor, BUFFER_L0C), 2);
    assert_int_equal(tile_vendor_slots(&vendor, BUFFER_L1A), 1);
    assert_int_equal(tile_vendor_slots(&vendor, BUFFER_L1B), 2);
    vendor.p_buffer_given = false;
    assert_int_equal(tile_vendor_slots(&vendor, BUFFER_L0A), 1);
}

/* The loop nest of residency reload, tile by tile. */
static uint64_t counted_traffic(const struct conv *conv, const struct tile_l1 *l1,
                                const struct tile_l0 *l0)
{
    uint64_t rows = (uint64_t)conv->out[AXIS_H];
    uint64_t columns = (uint64_t)conv->out[AXIS_W];
    uint64_t channels = conv->cout / conv->groups;
    uint64_t cin = align_up(conv->cin_group, 16);
    uint64_t area = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    uint64_t bytes = 0;

    for (uint64_t n1 = 0; n1 < channels; n1 += l1->n)
        for (uint64_t h1 = 0; h1 < rows; h1 += l1->hout)
            for (uint64_t w1 = 0; w1 < columns; w1 += l1->wout) {
                uint64_t height = less(l1->hout, rows - h1);
                uint64_t width = less(l1->wout, columns - w1);
                uint64_t n = less(l1->n, channels - n1);
                uint64_t a = rows_under(conv, AXIS_H, h1, height) *
                             rows_under(conv, AXIS_W, w1, width) * cin * 2;
                uint64_t b = align_up(n, 16) * cin * area * 2;
                for (uint64_t n0 = 0; n0 < n; n0 += l0->n)
                    for (uint64_t h0 = 0; h0 < height; h0 += l0->h)
                        for (uint64_t w0 = 0; w0 < width; w0 += l0->w)
                            bytes += a + b + (conv->bias ? 4 * l0->n : 0);
            }
    return bytes;
}

static void traffic_is_what_the_loop_nest_fetches(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400; i++) {
        uint64_t kernel = 1 + i % 5;
        struct conv conv = bench_conv(20, 7 + i % 23, 9 + i % 41, 10 + i % 90, kernel, i % kernel);
        conv.stride[AXIS_H] = 1 + i % 3;
        conv.stride[AXIS_W] = 1 + i % 4;
        conv.dilation[AXIS_H] = 1 + i % 2;
        conv.bias = i % 2 == 0;
        conv_derive(&conv);
        if (conv.out[AXIS_H] < 1 || conv.out[AXIS_W] < 1)
            continue;
        struct tile_l1 l1 = {.hout = 1 + i % 7, .wout = 16 * (1 + i % 3), .n = 16 * (1 + i % 4)};
        struct tile_l0 l0 = {.h = 1 + i % 3, .w = 16, .n = 16 * (1 + i % 2)};
        struct tile_axis height;
        struct tile_axis width;
        tile_axis_cut(&conv, AXIS_H, l1.hout, &height);
        tile_axis_cut(&conv, AXIS_W, l1.wout, &width);
        assert_int_equal(tile_traffic_bytes(&conv, &height, &width, &l1, &l0),
                         counted_traffic(&conv, &l1, &l0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_is_clipped_to_the_input_and_never_wraps),
        cmocka_unit_test(a_linear_range_touches_as_many_rows_as_its_worst_start),
        cmocka_unit_test(every_chunk_of_a_rectangle_fits_into_its_slot),
        cmocka_unit_test(slots_have_the_sizes_of_the_hardware),
        cmocka_unit_test(both_forms_become_the_same_tile),
        cmocka_unit_test(the_flag_has_the_bits_of_the_vendor),
        cmocka_unit_test(traffic_is_what_the_loop_nest_fetches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
