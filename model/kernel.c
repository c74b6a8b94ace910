#include "model/kernel.h"

#include <math.h>
#include <string.h>

#include "model/layout.h"

struct feature {
    const char *word;
    double weight; /* in the square of the distance */
    bool judged;
};

static const struct feature numbers[KERNEL_NUMBER_COUNT] = {
#define ROW(name, word, distance, range) {word, distance, range},
    KERNEL_NUMBER_LIST(ROW)
#undef ROW
};

static const struct feature words[KERNEL_WORD_COUNT] = {
#define ROW(name, word, distance, range) {word, distance, range},
    KERNEL_WORD_LIST(ROW)
#undef ROW
};

const char *kernel_number_word(enum kernel_number number)
{
    return numbers[number].word;
}

const char *kernel_word_word(enum kernel_word word)
{
    return words[word].word;
}

/* ---- of a run ---- */

/* Bytes of the image that lie together and are copied together: a row of blocks, or of channels of
 * one chunk of K, or, channels outside, of columns. */
static uint64_t row_bytes(const struct plan *plan)
{
    const struct conv *conv = &plan->conv;
    uint64_t element = element_bytes(conv->dtype);
    uint64_t points = conv->kernel[AXIS_H] * conv->kernel[AXIS_W];
    if (conv->input_format == FORMAT_NC1HWC0)
        return conv->in[AXIS_W] * BLOCK_BYTES;
    if (conv->input_format == FORMAT_NHWC)
        return least(plan->tile.k_a / points, conv->cin_group) * element;
    return conv->in[AXIS_W] * element;
}

static uint64_t permille(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (uint64_t)((double)part * 1000.0 / (double)whole + 0.5) : 0;
}

static uint64_t largest(const uint64_t axes[AXIS_COUNT])
{
    uint64_t most = axes[0];
    for (uint32_t axis = 1; axis < AXIS_COUNT; axis++)
        most = axes[axis] > most ? axes[axis] : most;
    return most;
}

static void kernel_numbers(const struct plan *plan, const struct run_result *result,
                           uint64_t number[KERNEL_NUMBER_COUNT])
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    double mhz = (double)product_value(plan->product, PRODUCT_CHIP_CLOCK) / (double)QUANTITY_ONE;
    number[KERNEL_MACS] = conv_macs(conv);
    number[KERNEL_READ_BYTES] = result->gm_read_bytes;
    number[KERNEL_TILE_M] = tile->linear_m ? tile->m_l0 : tile->h_l0 * tile->w_l0;
    number[KERNEL_TILE_N] = tile->n_l0;
    number[KERNEL_CORES] = result->cores;
    number[KERNEL_ROW_BYTES] = row_bytes(plan);
    number[KERNEL_TIME_NS] = (uint64_t)((double)result->cycles * 1000.0 / mhz + 0.5);
    number[KERNEL_MISS_PERMILLE] = permille(result->gm_miss_bytes, result->gm_read_bytes);
    number[KERNEL_USEFUL_PERMILLE] = permille(conv_macs(conv), result->cube_macs);
    number[KERNEL_STRIDE] = largest(conv->stride);
    number[KERNEL_DILATION] = largest(conv->dilation);
    number[KERNEL_KERNEL] = conv_kernel_points(conv);
    number[KERNEL_DEPTH] = conv->in[AXIS_D];
    number[KERNEL_CHANNELS] = conv->cin_group;
    number[KERNEL_GROUPS] = conv->groups;
    number[KERNEL_BIAS] = conv->bias;
    number[KERNEL_QUANT] = conv->quant.given;
}

/* Columns become rows of blocks on the way, but for a weight of one point whose rows are copied. */
static const char *input_word(enum tensor_format format)
{
    return format == FORMAT_NCHW ? "nchw by DN2NZ" : format_word(format);
}

static const char *weight_word(const struct conv *conv, bool has_dn2nz)
{
    bool point = conv->kernel[AXIS_H] * conv->kernel[AXIS_W] == 1;
    if (conv->weight_format == FORMAT_NCHW)
        return point ? "nchw of one point" : "nchw by DN2NZ";
    if (conv->weight_format == FORMAT_HWCN)
        return has_dn2nz ? "hwcn by DN2NZ" : "hwcn";
    return format_word(conv->weight_format);
}

void kernel_of(const struct plan *plan, const struct run_result *result, struct kernel *kernel)
{
    const struct conv *conv = &plan->conv;
    *kernel = (struct kernel){.arch = plan->product->arch, .soc = plan->product->soc};
    kernel_numbers(plan, result, kernel->number);
    kernel->word[KERNEL_OPERATION] = plan->matmul ? "matmul" : "conv";
    kernel->word[KERNEL_TYPE] = conv->hf32_bits != 0 ? "hf32" : element_word(conv->dtype);
    kernel->word[KERNEL_INPUT] = input_word(conv->input_format);
    kernel->word[KERNEL_WEIGHT] = weight_word(conv, arch_has_dn2nz(plan->product->arch));
    kernel->word[KERNEL_POLICY] = policy_word(plan->schedule.policy);
}

/* ---- against those that were measured ---- */

static double square_of_log_ratio(uint64_t left, uint64_t right)
{
    double log_left = log(left > 0 ? (double)left : 1.0);
    double log_right = log(right > 0 ? (double)right : 1.0);
    return (log_left - log_right) * (log_left - log_right);
}

double kernel_distance(const struct kernel *left, const struct kernel *right)
{
    double sum = strcmp(left->soc, right->soc) != 0;
    for (uint32_t i = 0; i < KERNEL_NUMBER_COUNT; i++)
        sum += numbers[i].weight * square_of_log_ratio(left->number[i], right->number[i]);
    for (uint32_t i = 0; i < KERNEL_WORD_COUNT; i++)
        if (strcmp(left->word[i], right->word[i]) != 0)
            sum += words[i].weight;
    return sqrt(sum);
}

const struct measured_kernel *kernel_nearest(const struct kernel_table *table,
                                             const struct kernel *kernel, double *distance)
{
    const struct measured_kernel *nearest = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct measured_kernel *measured = &table->kernels[i];
        if (measured->kernel.arch != kernel->arch)
            continue;
        double away = kernel_distance(&measured->kernel, kernel);
        if (nearest == NULL || away < *distance) {
            nearest = measured;
            *distance = away;
        }
    }
    return nearest;
}

bool kernel_range(const struct kernel_table *table, enum arch arch, enum kernel_number number,
                  uint64_t range[2])
{
    bool found = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct kernel *kernel = &table->kernels[i].kernel;
        if (kernel->arch != arch)
            continue;
        uint64_t value = kernel->number[number];
        range[0] = found && range[0] < value ? range[0] : value;
        range[1] = found && range[1] > value ? range[1] : value;
        found = true;
    }
    return found;
}

bool kernel_number_outside(const struct kernel_table *table, const struct kernel *kernel,
                           enum kernel_number number)
{
    uint64_t range[2], value = kernel->number[number];
    return numbers[number].judged && kernel_range(table, kernel->arch, number, range) &&
           (value < range[0] || value > range[1]);
}

bool kernel_word_outside(const struct kernel_table *table, const struct kernel *kernel,
                         enum kernel_word word)
{
    bool measured = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct kernel *other = &table->kernels[i].kernel;
        if (other->arch != kernel->arch)
            continue;
        if (strcmp(other->word[word], kernel->word[word]) == 0)
            return false;
        measured = true;
    }
    return words[word].judged && measured;
}
