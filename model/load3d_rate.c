#include "model/load3d_rate.h"

#include <stdbool.h>

enum { FRACTION_BITS = 16 };

static struct load3d_rate rate_of(const struct product *product, enum product_key key)
{
    return (struct load3d_rate){(uint64_t)product_value(product, key), key};
}

/* n of the vendor's table, in 2^-16. */
static uint64_t rows_counted(const struct product *product, uint64_t rows)
{
    uint64_t spanned = rows << FRACTION_BITS;
    uint64_t uncounted = rate_of(product, PRODUCT_MTE1_LOAD3D_ROWS).value;
    return spanned > uncounted ? spanned - uncounted : 0;
}

bool load3d_rate_slowed(const struct product *product, uint64_t rows)
{
    return rows_counted(product, rows) > UINT64_C(1) << FRACTION_BITS;
}

struct load3d_rate load3d_rate(const struct product *product, uint64_t stride_w, uint64_t rows)
{
    struct load3d_rate floor = rate_of(product, PRODUCT_MTE1_LOAD3D_L0A_FLOOR);
    struct load3d_rate plain = rate_of(product, PRODUCT_MTE1_L0A_RATE);
    struct load3d_rate rate = floor;
    uint64_t stride_max = rate_of(product, PRODUCT_MTE1_LOAD3D_STRIDE_MAX).value;
    bool has_rule = (stride_w & (stride_w - 1)) == 0 && stride_w << FRACTION_BITS <= stride_max;

    if (has_rule) {
        uint64_t divisor = rate_of(product, PRODUCT_MTE1_LOAD3D_STRIDE).value * stride_w;
        divisor += load3d_rate_slowed(product, rows) ? rows_counted(product, rows) : 0;
        rate = rate_of(product, PRODUCT_MTE1_LOAD3D_BUDGET);
        if (divisor > 0)
            rate.value = rate.value / divisor << FRACTION_BITS;
        rate = rate.value < floor.value ? floor : rate;
    }
    return rate.value > plain.value ? plain : rate;
}
