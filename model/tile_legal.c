#include "model/tile_legal.h"

#include "model/rule_case.h"
#include "model/saturate.h"
#include "model/tile_space.h"

static bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return value >= low && value <= high;
}

static bool is_extended(enum element element)
{
    return element != ELEMENT_FP16 && element != ELEMENT_BF16 && element != ELEMENT_FP32;
}

static bool axis_legal(const struct conv *conv, enum axis axis)
{
    uint64_t kernel = conv->kernel[axis];
    uint64_t head = conv->pad_head[axis];
    uint64_t tail = conv->pad_tail[axis];

    return within(conv->in[axis], 1, RULE_DIMENSION_MAX) && within(kernel, 1, RULE_DIMENSION_MAX) &&
           conv->out[axis] >= 1 && conv->out[axis] <= RULE_DIMENSION_MAX && head < kernel &&
           tail < kernel && head <= RULE_PAD_MAX && tail <= RULE_PAD_MAX &&
           within(conv->stride[axis], 1, RULE_STEP_MAX) &&
           within(conv->dilation[axis], 1, RULE_STEP_MAX);
}

static bool channels_legal(const struct conv *conv)
{
    uint64_t groups = conv->groups;

    return within(conv->batch, 1, RULE_DIMENSION_MAX) && within(conv->cin, 1, RULE_DIMENSION_MAX) &&
           within(conv->cout, 1, RULE_DIMENSION_MAX) &&
           within(conv->cin_group, 1, RULE_DIMENSION_MAX) && within(groups, 1, RULE_GROUPS_MAX) &&
           conv->cin % groups == 0 && conv->cout % groups == 0 &&
           saturate_mul(conv->cin_group, groups) == conv->cin;
}

bool rules_conv_legal(const struct conv *conv)
{
    uint64_t area = saturate_mul(conv->kernel[AXIS_H], conv->kernel[AXIS_W]);

    if (!is_extended(conv->dtype) && is_extended(conv->out_dtype) && !conv->quant.given)
        return false;
    if (conv->bias && conv->bias_length != conv->cout)
        return false;
    if (conv->padding_length != 2U * conv->rank || conv->dilation_length != conv->rank ||
        conv->stride_length != conv->rank)
        return false;
    for (enum axis axis = (enum axis)(AXIS_COUNT - conv->rank); axis < AXIS_COUNT; axis++)
        if (!axis_legal(conv, axis))
            return false;
    return channels_legal(conv) && conv->kernel[AXIS_H] <= RULE_KERNEL_MAX &&
           conv->kernel[AXIS_W] <= RULE_KERNEL_MAX &&
           saturate_mul(area, element_c0(conv->dtype)) <= RULE_KERNEL_BLOCK_MAX;
}

static bool cin_legal(const struct conv *conv, uint64_t tile)
{
    uint64_t c0 = element_c0(conv->dtype);
    uint64_t aligned = saturate_align_up(conv->cin_group, c0);

    /* The last term is R4: in 3-D no chunk may cross depths. */
    return within(tile, c0, aligned) && tile % c0 == 0 &&
           (conv->rank < AXIS_COUNT || aligned % tile == 0);
}

bool rules_l1_legal(const struct conv *conv, const struct product *product,
                    const struct tile_l1 *l1)
{
    uint64_t rows = (uint64_t)conv->out[AXIS_H];
    uint64_t columns = (uint64_t)conv->out[AXIS_W];
    uint64_t channels = saturate_align_up(conv->cout / conv->groups, FRACTAL_ROWS);

    if (!within(l1->hin, 1, conv->in[AXIS_H]) || !within(l1->win, 1, conv->in[AXIS_W]) ||
        l1->batch != 1)
        return false;
    if (!cin_legal(conv, l1->cin_fmap) || !cin_legal(conv, l1->cin_weight))
        return false;
    if (!within(l1->n, 1, channels) || l1->n % FRACTAL_ROWS != 0)
        return false;
    if (columns % FRACTAL_ROWS != 0 && l1->hout != 1)
        return false;
    if (!within(l1->hout, 1, rows) ||
        !within(l1->wout, 1, saturate_align_up(columns, FRACTAL_ROWS)) ||
        l1->wout % FRACTAL_ROWS != 0)
        return false;
    uint64_t area = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    if (saturate_mul(l1->cin_fmap, area) > LOAD3D_K_MAX ||
        saturate_mul(l1->hout, l1->wout) > LOAD3D_SIZE_MAX)
        return false;
    struct tile_l1_bytes bytes = tile_l1_space(conv, l1);
    return bytes.rows <= LOAD3D_SIZE_MAX && bytes.columns <= LOAD3D_SIZE_MAX &&
           bytes.total <= tile_l1_usable(product);
}

static bool k_legal(const struct conv *conv, const struct tile_l1 *l1, uint64_t k)
{
    uint64_t area = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    uint64_t k_a = tile_k_l1(conv, l1->cin_fmap);
    uint64_t k_b = tile_k_l1(conv, l1->cin_weight);

    if (k < 1 || k > MMAD_MAX || k % element_c0(conv->dtype) != 0)
        return false;
    if (k_a % k != 0 || k_b % k != 0)
        return false;
    return conv->rank < AXIS_COUNT ||
           (l1->cin_fmap * area % k == 0 && l1->cin_weight * area % k == 0);
}

bool rules_l0_legal(const struct conv *conv, const struct product *product,
                    const struct tile_l1 *l1, const struct tile_l0 *l0)
{
    uint64_t size = element_bytes(conv->dtype);

    if (!within(l0->h, 1, l1->hout) || !within(l0->w, 1, l1->wout) || l0->w % FRACTAL_ROWS != 0)
        return false;
    if (!within(l0->n, 1, l1->n) || l0->n % FRACTAL_ROWS != 0)
        return false;
    if (!k_legal(conv, l1, l0->k))
        return false;
    uint64_t m = saturate_mul(l0->h, l0->w);
    if (m > MMAD_MAX || l0->n > MMAD_MAX)
        return false;
    if (saturate_mul(saturate_mul(m, l0->k), size) > product_whole(product, PRODUCT_L0A_SIZE) ||
        saturate_mul(saturate_mul(l0->k, l0->n), size) > product_whole(product, PRODUCT_L0B_SIZE) ||
        saturate_mul(saturate_mul(m, l0->n), 4) > product_whole(product, PRODUCT_L0C_SIZE))
        return false;
    if (l0->n > tile_n_most(conv, product) || !tile_n_whole(conv, product, l1->n, l0->n))
        return false;
    return l0->h == 1 || l0->w == l1->wout || l0->h <= LOAD3D_REPEAT_MAX;
}

bool rules_tile_legal(const struct conv *conv, const struct product *product,
                      const struct tile_l1 *l1, const struct tile_l0 *l0)
{
    return rules_conv_legal(conv) && rules_l1_legal(conv, product, l1) &&
           rules_l0_legal(conv, product, l1, l0);
}
