#include "model/tile_space.h"

#include <assert.h>

#include "model/saturate.h"

enum { L0C_ELEMENT_BYTES = 4, BIAS_ELEMENT_BYTES = 4, QUANT_WORD_BYTES = 8 };

static uint64_t kernel_area(const struct conv *conv)
{
    return saturate_mul(conv->kernel[AXIS_H], conv->kernel[AXIS_W]);
}

uint64_t tile_window(const struct conv *conv, enum axis axis, uint64_t outputs)
{
    uint64_t steps = saturate_mul(saturate_sub(outputs, 1), conv->stride[axis]);
    uint64_t reach = saturate_mul(saturate_sub(conv->kernel[axis], 1), conv->dilation[axis]);

    return saturate_min(saturate_add(saturate_add(steps, reach), 1), conv->in[axis]);
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t tile_linear_start(const struct conv *conv, uint64_t length)
{
    uint64_t columns = (uint64_t)conv->out[AXIS_W];

    if (length >= saturate_mul((uint64_t)conv->out[AXIS_H], columns))
        return 0;
    /* A multiple of length lies in its row at a multiple of the common divisor. */
    return columns - greatest_common_divisor(length, columns);
}

uint64_t tile_linear_rows(const struct conv *conv, uint64_t length)
{
    uint64_t columns = (uint64_t)conv->out[AXIS_W];
    uint64_t rows = (uint64_t)conv->out[AXIS_H];

    assert(conv->out[AXIS_W] >= 1 && conv->out[AXIS_H] >= 1);
    if (length == 0)
        return 0;
    if (length >= saturate_mul(rows, columns))
        return rows;
    uint64_t start = tile_linear_start(conv, length);
    return saturate_min((start + length - 1) / columns + 1, rows);
}

static struct tile_l1_bytes l1_bytes_sum(struct tile_l1_bytes bytes)
{
    bytes.total = saturate_add(saturate_add(bytes.a, bytes.b), bytes.bias);
    return bytes;
}

struct tile_l1_bytes tile_l1_space(const struct conv *conv, const struct tile_l1 *l1)
{
    uint64_t size = element_bytes(conv->dtype);
    uint64_t c0 = element_c0(conv->dtype);
    struct tile_l1_bytes bytes = {.rows = tile_window(conv, AXIS_H, l1->hout),
                                  .columns = tile_window(conv, AXIS_W, l1->wout)};
    uint64_t area = saturate_mul(bytes.rows, bytes.columns);
    uint64_t k = saturate_align_up(saturate_mul(l1->cin_weight, kernel_area(conv)), c0);

    bytes.a = saturate_align_up(saturate_mul(saturate_mul(area, l1->cin_fmap), size), BLOCK_BYTES);
    bytes.b = saturate_align_up(saturate_mul(saturate_mul(k, l1->n), size), BLOCK_BYTES);
    if (conv->bias)
        bytes.bias = saturate_align_up(saturate_mul(l1->n, size), BLOCK_BYTES);
    return l1_bytes_sum(bytes);
}

struct tile_l1_bytes tile_l1_space_document(const struct conv *conv, const struct tile_l1 *l1)
{
    uint64_t size = element_bytes(conv->dtype);
    uint64_t c0 = element_c0(conv->dtype);
    struct tile_l1_bytes bytes = tile_l1_space(conv, l1);
    uint64_t area = saturate_mul(bytes.rows, bytes.columns);
    uint64_t k = saturate_align_up(saturate_mul(l1->cin_fmap, kernel_area(conv)), c0);

    bytes.a = saturate_align_up(saturate_mul(saturate_mul(area, k), size), BLOCK_BYTES);
    bytes.bias = saturate_align_up(saturate_mul(l1->n, size), BLOCK_BYTES);
    return l1_bytes_sum(bytes);
}

uint64_t tile_k_l1(const struct conv *conv, uint64_t tile_cin)
{
    uint64_t channels = saturate_align_up(tile_cin, element_c0(conv->dtype));

    return saturate_mul(saturate_mul(channels, kernel_area(conv)), conv->kernel[AXIS_D]);
}

bool tile_vendor_linear(const struct tile_vendor *vendor)
{
    return vendor->m_al1 != 0 || vendor->wo_l1 == 0;
}

uint64_t tile_vendor_slots(const struct tile_vendor *vendor, enum buffer buffer)
{
    /* Bits from the lowest: L0A, L0B, L0C, L1 of A, L1 of B. */
    static const unsigned bit[BUFFER_COUNT] = {
        [BUFFER_L0A] = 0, [BUFFER_L0B] = 1, [BUFFER_L0C] = 2, [BUFFER_L1A] = 3, [BUFFER_L1B] = 4,
    };

    if (!vendor->p_buffer_given)
        return 1;
    return (vendor->p_buffer_flag >> bit[buffer] & 1) != 0 ? 2 : 1;
}

static uint64_t k_of_depth(const struct conv *conv)
{
    return saturate_mul(saturate_align_up(conv->cin_group, element_c0(conv->dtype)),
                        kernel_area(conv));
}

void tile_from_pypto(const struct conv *conv, const struct tile_l1 *l1, const struct tile_l0 *l0,
                     struct tile *tile)
{
    /* More channels than a group has are no more K. */
    uint64_t k = k_of_depth(conv);

    *tile = (struct tile){
        .h_l1 = l1->hout,
        .w_l1 = l1->wout,
        .h_l0 = l0->h,
        .w_l0 = l0->w,
        .n_l1 = l1->n,
        .n_l0 = l0->n,
        .k_a = saturate_min(saturate_mul(l1->cin_fmap, kernel_area(conv)), k),
        .k_b = saturate_min(saturate_mul(l1->cin_weight, kernel_area(conv)), k),
        .k_l0 = l0->k,
    };
}

void tile_from_vendor(const struct conv *conv, const struct tile_vendor *vendor, struct tile *tile)
{
    /* The vendor's K may span depths; a chunk of the model holds one depth. */
    uint64_t k = k_of_depth(conv);

    *tile = (struct tile){
        .linear_m = tile_vendor_linear(vendor),
        .n_l1 = vendor->n_bl1,
        .n_l0 = vendor->n_l0,
        .k_a = saturate_min(vendor->k_al1, k),
        .k_b = saturate_min(vendor->k_bl1, k),
        .k_l0 = vendor->k_l0,
    };
    if (tile->linear_m) {
        tile->m_l1 = vendor->m_al1 != 0 ? vendor->m_al1 : vendor->ho_l1;
        tile->m_l0 = vendor->m_l0 != 0 ? vendor->m_l0 : vendor->ho_l0;
    } else {
        tile->h_l1 = vendor->ho_l1;
        tile->w_l1 = vendor->wo_l1;
        tile->h_l0 = vendor->ho_l0;
        tile->w_l0 = vendor->wo_l0;
    }
}

uint64_t tile_matmul_blocks(const struct tile_matmul *base, enum buffer buffer)
{
    assert(buffer == BUFFER_L1A || buffer == BUFFER_L1B);
    return buffer == BUFFER_L1A ? saturate_mul(base->step_m, base->step_ka)
                                : saturate_mul(base->step_n, base->step_kb);
}

uint64_t tile_matmul_slots(const struct tile_matmul *base, enum buffer buffer)
{
    uint64_t blocks = tile_matmul_blocks(base, buffer);
    uint64_t depth = buffer == BUFFER_L1A ? base->depth_a1 : base->depth_b1;

    return depth % blocks == 0 ? depth / blocks : 0;
}

void tile_from_matmul(const struct conv *conv, const struct tile_matmul *base, struct tile *tile)
{
    uint64_t k = k_of_depth(conv);

    *tile = (struct tile){
        .h_l1 = 1,
        .h_l0 = 1,
        .w_l1 = saturate_mul(base->step_m, base->base_m),
        .w_l0 = base->base_m,
        .n_l1 = saturate_mul(base->step_n, base->base_n),
        .n_l0 = base->base_n,
        .k_a = saturate_min(saturate_mul(base->step_ka, base->base_k), k),
        .k_b = saturate_min(saturate_mul(base->step_kb, base->base_k), k),
        .k_l0 = base->base_k,
    };
}

void tile_matmul_from_pypto(const struct tile_l1 *l1, const struct tile_l0 *l0,
                            struct tile_matmul *base)
{
    *base = (struct tile_matmul){
        .base_m = l0->w,
        .base_n = l0->n,
        .base_k = l0->k,
        .step_m = l1->wout / l0->w,
        .step_n = l1->n / l0->n,
        .step_ka = l1->cin_fmap / l0->k,
        .step_kb = l1->cin_weight / l0->k,
        .l2_m = 1,
        .l2_n = 1,
    };
}

void tile_vendor_from_pypto(const struct conv *conv, const struct tile_l1 *l1,
                            const struct tile_l0 *l0, struct tile_vendor *vendor)
{
    *vendor = (struct tile_vendor){
        .ho_l1 = l1->hout,
        .wo_l1 = l1->wout,
        .n_bl1 = l1->n,
        .k_al1 = saturate_mul(l1->cin_fmap, kernel_area(conv)),
        .k_bl1 = saturate_mul(l1->cin_weight, kernel_area(conv)),
        .ho_l0 = l0->h,
        .wo_l0 = l0->w,
        .k_l0 = l0->k,
        .n_l0 = l0->n,
    };
}

uint64_t tile_l1_usable(const struct product *product)
{
    return saturate_sub(product_whole(product, PRODUCT_L1_SIZE),
                        product_whole(product, PRODUCT_L1_RESERVED));
}

/* The largest A chunk of an L1 tile: edge tiles and the input's own size clip it. */
static uint64_t slot_l1a(const struct conv *conv, const struct tile *tile)
{
    uint64_t area = kernel_area(conv);
    uint64_t c0 = element_c0(conv->dtype);
    uint64_t channels = saturate_align_up(tile->k_a / area + (tile->k_a % area != 0), c0);
    uint64_t rows = 0;
    uint64_t columns = conv->in[AXIS_W];

    channels = saturate_min(channels, saturate_align_up(conv->cin_group, c0));
    if (tile->linear_m) {
        rows = tile_window(conv, AXIS_H, tile_linear_rows(conv, tile->m_l1));
    } else {
        uint64_t height = saturate_min(tile->h_l1, (uint64_t)conv->out[AXIS_H]);
        uint64_t width = saturate_min(tile->w_l1, (uint64_t)conv->out[AXIS_W]);
        rows = tile_window(conv, AXIS_H, height);
        columns = tile_window(conv, AXIS_W, width);
    }
    return saturate_mul(saturate_mul(saturate_mul(rows, columns), channels),
                        element_bytes(conv->dtype));
}

uint64_t tile_slot_bytes(const struct conv *conv, const struct tile *tile, enum buffer buffer)
{
    uint64_t size = element_bytes(conv->dtype);
    uint64_t m = tile->linear_m ? tile->m_l0 : saturate_mul(tile->h_l0, tile->w_l0);

    assert(conv->out[AXIS_H] >= 1 && conv->out[AXIS_W] >= 1);
    m = saturate_align_up(m, FRACTAL_ROWS);
    switch (buffer) {
    case BUFFER_L1A:
        return slot_l1a(conv, tile);
    case BUFFER_L1B:
        return saturate_mul(saturate_mul(tile->k_b, tile->n_l1), size);
    case BUFFER_L0A:
        return saturate_mul(saturate_mul(m, tile->k_l0), size);
    case BUFFER_L0B:
        return saturate_mul(saturate_mul(tile->k_l0, tile->n_l0), size);
    case BUFFER_L0C:
        return saturate_mul(saturate_mul(m, tile->n_l0), L0C_ELEMENT_BYTES);
    case BUFFER_COUNT:
        break;
    }
    assert(false);
    return 0;
}

uint64_t tile_bias_bytes(const struct conv *conv, const struct tile *tile)
{
    if (!conv->bias)
        return 0;
    return saturate_align_up(saturate_mul(tile->n_l0, BIAS_ELEMENT_BYTES), BLOCK_BYTES);
}

uint64_t tile_quant_bytes(const struct conv *conv, const struct tile *tile)
{
    if (!conv->quant.by_channel)
        return 0;
    return saturate_align_up(saturate_mul(tile->n_l0, QUANT_WORD_BYTES), BLOCK_BYTES);
}

uint64_t tile_n_most(const struct conv *conv, const struct product *product)
{
    uint64_t most = SATURATE_MAX;

    if (conv->bias && product->number[PRODUCT_BT_SIZE].present)
        most = product_whole(product, PRODUCT_BT_SIZE) / BIAS_ELEMENT_BYTES;
    if (conv->quant.by_channel && product->number[PRODUCT_FB_SIZE].present)
        most = saturate_min(most, product_whole(product, PRODUCT_FB_SIZE) / QUANT_WORD_BYTES);
    return most;
}

uint64_t tile_n_step(const struct conv *conv, const struct product *product)
{
    bool joined = arch_has_vector_exit(product->arch) && element_bits(conv->out_dtype) == 8;

    return joined ? element_c0(conv->out_dtype) : FRACTAL_ROWS;
}

bool tile_n_whole(const struct conv *conv, const struct product *product, uint64_t n_l1,
                  uint64_t n_l0)
{
    uint64_t step = tile_n_step(conv, product);

    return (n_l1 % step == 0 || n_l1 >= conv_cout_group(conv)) &&
           (n_l0 % step == 0 || n_l0 >= saturate_min(n_l1, conv_cout_group(conv)));
}
