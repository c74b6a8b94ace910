#include "model/roofline.h"

#include "model/run.h"

static const char *const words[ROOF_COUNT] = {
#define ROW(name, word, text) word,
    ROOF_LEVEL_LIST(ROW)
#undef ROW
};

static const char *const texts[ROOF_COUNT] = {
#define ROW(name, word, text) text,
    ROOF_LEVEL_LIST(ROW)
#undef ROW
};

const char *roof_word(enum roof_level level)
{
    return words[level];
}

const char *roof_text(enum roof_level level)
{
    return texts[level];
}

/* What so many cores get of a number of the product; 0 when it has none. */
static double rate_of(const struct product *product, enum product_key key, uint64_t cores)
{
    const struct product_number *number = &product->number[key];
    return number->present ? (double)number->value / (double)QUANTITY_ONE * (double)cores : 0.0;
}

/* All cores of the chip share a link, each core has a port. */
static double shared_rate(const struct product *product, enum product_key link,
                          enum product_key port, uint64_t cores)
{
    double all = rate_of(product, link, product_whole(product, PRODUCT_CHIP_CORES));
    double own = rate_of(product, port, cores);
    return own > 0.0 && own < all ? own : all;
}

/* What L2 gives back passes the link of GM, but no core's port. */
static double gm_rate(const struct run_result *result, const struct product *product)
{
    if (result->gm_write_back_bytes == 0)
        return shared_rate(product, PRODUCT_GM_RATE, PRODUCT_MTE2_PORT, result->cores);
    return rate_of(product, PRODUCT_GM_RATE, product_whole(product, PRODUCT_CHIP_CORES));
}

static double over(double part, double whole)
{
    return whole > 0.0 ? part / whole : 0.0;
}

/* A convolution counts the kernel depths that lie in its padding, which no Mmad does. */
static double macs_of(const struct run_result *result)
{
    return (double)(result->macs < result->mmad_macs ? result->macs : result->mmad_macs);
}

static void level_find(const struct run_result *result, uint64_t bytes, double rate,
                       struct roof *roof)
{
    if (bytes == 0)
        return;
    roof->bytes = bytes;
    roof->bytes_per_cycle = over((double)bytes, (double)result->cycles);
    roof->roof_bytes_per_cycle = rate;
    roof->macs_per_byte = macs_of(result) / (double)bytes;
    roof->roof_macs_per_cycle = rate * roof->macs_per_byte;
    roof->reached = over(roof->bytes_per_cycle, rate);
}

/* The cycles that all steps of the cubes take, with nothing between them. */
static void cube_find(const struct run_result *result, struct roof *roof)
{
    double cycles = result->cube_step_cycles / (double)result->cores;
    roof->roof_macs_per_cycle = over((double)result->cube_macs, cycles);
    roof->reached = over(over(macs_of(result), (double)result->cycles), roof->roof_macs_per_cycle);
}

void roofline_find(const struct run_result *result, const struct product *product,
                   struct roofline *roofline)
{
    uint64_t cores = result->cores;
    uint64_t a = result->l0a_bytes, b = result->l0b_bytes;
    double rate_a = rate_of(product, PRODUCT_MTE1_L0A_RATE, cores);
    double rate_b = rate_of(product, PRODUCT_MTE1_L0B_RATE, cores);
    double both = over((double)(a + b), over((double)a, rate_a) + over((double)b, rate_b));
    bool fixpipe = arch_has_fixpipe(product->arch);
    struct roof *level = roofline->level;

    *roofline = (struct roofline){.nearest = ROOF_COUNT};
    roofline->macs_per_cycle = over(macs_of(result), (double)result->cycles);
    level_find(result, result->gm_miss_bytes + result->gm_write_back_bytes,
               gm_rate(result, product), &level[ROOF_GM]);
    level_find(result, result->gm_read_bytes - result->gm_miss_bytes,
               shared_rate(product, PRODUCT_L2_READ_RATE, PRODUCT_MTE2_PORT, cores),
               &level[ROOF_L2]);
    level_find(result, a, rate_a, &level[ROOF_L0A]);
    level_find(result, b, rate_b, &level[ROOF_L0B]);
    level_find(result, a + b, both, &level[ROOF_MTE1]);
    level_find(result, result->l0c_bytes,
               fixpipe ? shared_rate(product, PRODUCT_L2_WRITE_RATE, PRODUCT_FIXP_PORT, cores)
                       : rate_of(product, PRODUCT_VECTOR_RATE, cores),
               &level[ROOF_L0C]);
    cube_find(result, &level[ROOF_CUBE]);
    for (enum roof_level i = 0; i < ROOF_COUNT; i++)
        if (level[i].reached > 0.0 && (roofline->nearest == ROOF_COUNT ||
                                       level[i].reached > level[roofline->nearest].reached))
            roofline->nearest = i;
}
