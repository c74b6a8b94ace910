#include "model/load3d_rate.h"

#include <stdbool.h>

enum { FRACTION_BITS = 16 };

static struct load3d_rate rate_of(const struct product *product, enum product_key key)
{
    return (struct load3d_rate){(uint64_t)product_value(product, key), key};
}

struct load3d_rate load3d_rate(const struct product *product, uint64_t stride_w, uint64_t rows)
{
    struct load3d_rate floor = rate_of(product, PRODUCT_MTE1_LOAD3D_L0A_FLOOR);
    struct load3d_rate plain = rate_of(product, PRODUCT_MTE1_L0A_RATE);
    struct load3d_rate rate = floor;
    uint64_t stride_max = rate_of(product, PRODUCT_MTE1_LOAD3D_STRIDE_MAX).value;
    bool has_rule = (stride_w & (stride_w - 1)) == 0 && stride_w << FRACTION_BITS <= stride_max;

    if (has_rule) {
        uint64_t spanned = rows << FRACTION_BITS;
        uint64_t divisor = rate_of(product, PRODUCT_MTE1_LOAD3D_STRIDE).value * stride_w;
        divisor += spanned > rate_of(product, PRODUCT_MTE1_LOAD3D_ROWS).value ? spanned : 0;
        rate = rate_of(product, PRODUCT_MTE1_LOAD3D_BUDGET);
        if (divisor > 0)
            rate.value = rate.value / divisor << FRACTION_BITS;
        rate = rate.value < floor.value ? floor : rate;
    }
    return rate.value > plain.value ? plain : rate;
}
