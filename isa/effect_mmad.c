/*
 * Mmad: C = start + A x B on the cube, in the fixed order of docs/isa.md section 7.
 */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/hf32.h"
#include "isa/view.h"

enum { COLUMNS = 16 }; /* columns of a fractal of L0B and L0C */

struct product {
    uint64_t m, n, k;
    uint64_t rows16, columns16, depth;   /* fractal rows of C, columns of C, C0 blocks of K */
    uint64_t a_row_pitch, a_depth_pitch; /* fractals of A */
    enum element type_a, type_b, type_c;
    uint32_t bits, c0;    /* of an element of A and B, elements of K in 32 bytes */
    uint32_t c_size;      /* bytes of an element of C */
    double c_low, c_high; /* integers: the range of C */
    bool vector;          /* GEMV: A is one row, its elements follow each other */
    bool from_zero, from_bias;
    bool saturates;     /* floating results */
    uint32_t hf32_bits; /* fraction bits that operands are rounded to; 0: all */
    enum hf32_mode hf32_mode;
    struct view a, b, bias, c;
};

static void product_read(struct product *product, const struct insn *insn, enum arch arch)
{
    const int64_t *field = insn->field;
    *product = (struct product){
        .m = (uint64_t)field[MMAD_m],
        .n = (uint64_t)field[MMAD_n],
        .k = (uint64_t)field[MMAD_k],
        .type_a = insn_element(insn),
        .type_b = (enum element)field[MMAD_typeB],
        .type_c = (enum element)field[MMAD_typeC],
        .vector = field[MMAD_m] == 1 && field[MMAD_disableGemv] == 0,
        .saturates = field[MMAD_keepInfNan] == 0,
        .from_zero = field[MMAD_cmatrixInitVal] != 0,
        .from_bias = field[MMAD_cmatrixInitVal] == 0 && field[MMAD_cmatrixSource] != 0,
    };
    if (field[MMAD_hf32] != 0 && product->type_a == ELEMENT_FP32) {
        product->hf32_bits = hf32_fraction_bits(arch);
        product->hf32_mode = (enum hf32_mode)field[MMAD_hf32Trans];
    }
    product->bits = element_bits(product->type_a);
    product->c0 = element_c0(product->type_a);
    product->c_size = element_bytes(product->type_c);
    product->c_low = product->type_c == ELEMENT_UINT32 ? 0.0 : INT32_MIN;
    product->c_high = product->type_c == ELEMENT_UINT32 ? UINT32_MAX : INT32_MAX;
    product->rows16 = (product->m + FRACTAL_ROWS - 1) / FRACTAL_ROWS;
    product->columns16 = (product->n + COLUMNS - 1) / COLUMNS;
    product->depth = (product->k + product->c0 - 1) / product->c0;
    if (field[MMAD_kDirectionAlign] != 0 && product->type_a == ELEMENT_FP32) {
        product->depth = (product->k + 15) / 16 * 2;
    }
    bool nz = arch_l0a_is_nz(arch);
    product->a_row_pitch = nz ? 1 : product->depth;
    product->a_depth_pitch = nz ? product->rows16 : 1;
}

/* Blocks of K that hold true elements; kDirectionAlign may leave one more in L0. */
static uint64_t block_count(const struct product *product)
{
    return (product->k + product->c0 - 1) / product->c0;
}

/* Fractals that hold A as one row. */
static uint64_t vector_fractals(const struct product *product)
{
    return (block_count(product) + FRACTAL_ROWS - 1) / FRACTAL_ROWS;
}

/* Bytes of the fractals of C. */
static uint64_t c_bytes(const struct product *product)
{
    return product->rows16 * product->columns16 * FRACTAL_ROWS * COLUMNS * product->c_size;
}

/* Rules between fields. */
static bool fields_fit(const struct product *product, struct machine *machine,
                       const struct insn *insn)
{
    if (insn->field[MMAD_kDirectionAlign] != 0 && product->type_a != ELEMENT_FP32) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "kDirectionAlign is 1 with %s; expected 0, or fp32",
                      element_word(product->type_a));
        return false;
    }
    return true;
}

static bool product_open(struct product *product, struct machine *machine, const struct insn *insn)
{
    uint64_t a = product->vector ? vector_fractals(product) : product->rows16 * product->depth;
    uint64_t b = product->columns16 * product->depth;
    uint32_t align = product->c_size == 2 ? FRACTAL_BYTES : 2 * FRACTAL_BYTES;
    a *= FRACTAL_BYTES;
    b *= FRACTAL_BYTES;
    return view_open_aligned(machine, insn, MMAD_dst, c_bytes(product), align, &product->c) &&
           view_open(machine, insn, MMAD_a, a, &product->a) &&
           view_open(machine, insn, MMAD_b, b, &product->b) &&
           (!product->from_bias ||
            view_open(machine, insn, MMAD_bias, product->n * product->c_size, &product->bias));
}

/* Byte offset of a 32 B row of an A fractal. */
static uint64_t a_offset(const struct product *product, uint64_t row, uint64_t block)
{
    if (product->vector) {
        return block * BLOCK_BYTES;
    }
    uint64_t fractal = row / FRACTAL_ROWS * product->a_row_pitch + block * product->a_depth_pitch;
    return fractal * FRACTAL_BYTES + row % FRACTAL_ROWS * BLOCK_BYTES;
}

/* Byte offset of the C0 elements of one column of a B fractal. */
static uint64_t b_offset(const struct product *product, uint64_t block, uint64_t column)
{
    uint64_t fractal = block * product->columns16 + column / COLUMNS;
    return fractal * FRACTAL_BYTES + column % COLUMNS * BLOCK_BYTES;
}

static uint64_t c_offset(const struct product *product, uint64_t row, uint64_t column)
{
    uint64_t group = column / COLUMNS * product->rows16 * FRACTAL_ROWS;
    return ((group + row) * COLUMNS + column % COLUMNS) * product->c_size;
}

/* Elements of K in a block. */
static uint32_t block_depth(const struct product *product, uint64_t block)
{
    uint64_t left = product->k - block * product->c0;
    return left < product->c0 ? (uint32_t)left : product->c0;
}

/* Bytes of a block of K that hold true elements; those of A and B are equally wide. */
static size_t block_bytes(const struct product *product, uint64_t block)
{
    return (block_depth(product, block) * product->bits + 7) / 8;
}

/* Finds true lanes that were never written; true when there are some, with the first. */
static bool lanes_unwritten(const struct view *view, uint64_t offset, size_t size_bytes,
                            uint32_t bits, uint64_t *lane)
{
    uint64_t found = view_unwritten(view, offset, size_bytes);
    if (found == offset + size_bytes) {
        return false;
    }
    *lane = (found - offset) * 8 / bits;
    return true;
}

/* Columns of a group that exist. */
static size_t group_columns(const struct product *product, uint64_t group)
{
    uint64_t left = product->n - group * COLUMNS;
    return left < COLUMNS ? (size_t)left : COLUMNS;
}

static bool a_check(const struct product *product, struct machine *machine, const struct insn *insn)
{
    for (uint64_t row = 0; row < product->m; row++) {
        for (uint64_t block = 0; block < block_count(product); block++) {
            uint64_t lane;
            if (lanes_unwritten(&product->a, a_offset(product, row, block),
                                block_bytes(product, block), product->bits, &lane)) {
                hazard_report_unwritten(machine, insn, "a", row, block * product->c0 + lane);
                return false;
            }
        }
    }
    return true;
}

static bool b_check(const struct product *product, struct machine *machine, const struct insn *insn)
{
    for (uint64_t block = 0; block < block_count(product); block++) {
        size_t length = block_bytes(product, block);
        for (uint64_t column = 0; column < product->n; column++) {
            uint64_t lane;
            if (lanes_unwritten(&product->b, b_offset(product, block, column), length,
                                product->bits, &lane)) {
                hazard_report_unwritten(machine, insn, "b", block * product->c0 + lane, column);
                return false;
            }
        }
    }
    return true;
}

static bool c_check(const struct product *product, struct machine *machine, const struct insn *insn)
{
    uint64_t lane;
    if (product->from_bias) {
        if (lanes_unwritten(&product->bias, 0, (size_t)product->n * product->c_size,
                            8 * product->c_size, &lane)) {
            hazard_report_unwritten(machine, insn, "bias", 0, lane);
            return false;
        }
        return true;
    }
    for (uint64_t row = 0; row < product->m; row++) {
        for (uint64_t column = 0; column < product->n; column += COLUMNS) {
            if (lanes_unwritten(&product->c, c_offset(product, row, column),
                                group_columns(product, column / COLUMNS) * product->c_size,
                                8 * product->c_size, &lane)) {
                hazard_report_unwritten(machine, insn, "dst", row, column + lane);
                return false;
            }
        }
    }
    return true;
}

/* C by its true rows: those of padding are in no unit flag either. */
static void product_tell_c(const struct product *product)
{
    uint64_t group = product->rows16 * FRACTAL_ROWS * COLUMNS * product->c_size;
    bool whole = product->m % FRACTAL_ROWS == 0;
    uint64_t size = whole ? c_bytes(product) : product->m * COLUMNS * product->c_size;
    for (uint64_t column = 0; column < (whole ? 1 : product->columns16); column++) {
        if (!product->from_bias && !product->from_zero) {
            view_reads(&product->c, column * group, size);
        }
        view_writes(&product->c, column * group, size);
    }
}

/* Tells what is read and written, of A and B by whole fractals. */
static void product_tell(const struct product *product)
{
    uint64_t blocks = block_count(product);
    bool a_runs = product->a_depth_pitch == 1 && product->depth != blocks;
    uint64_t a_blocks = product->vector ? vector_fractals(product) : blocks;
    for (uint64_t row = 0; row < (a_runs ? product->rows16 : 1); row++) {
        view_reads(&product->a, row * product->a_row_pitch * FRACTAL_BYTES,
                   (a_runs ? 1 : product->rows16) * a_blocks * FRACTAL_BYTES);
    }
    view_reads(&product->b, 0, blocks * product->columns16 * FRACTAL_BYTES);
    if (product->from_bias) {
        view_reads(&product->bias, 0, product->n * product->c_size);
    }
    product_tell_c(product);
}

/* HF32: operands are rounded before they are multiplied. */
static void values_round(const struct product *product, double *values, uint64_t count)
{
    for (uint64_t index = 0; product->hf32_bits != 0 && index < count; index++) {
        values[index] =
            (double)hf32_round((float)values[index], product->hf32_bits, product->hf32_mode);
    }
}

/* A as m rows of k doubles. */
static void a_widen(const struct product *product, double *values)
{
    for (uint64_t row = 0; row < product->m; row++) {
        for (uint64_t block = 0; block < block_count(product); block++) {
            element_decode_array(product->type_a, product->a.bytes + a_offset(product, row, block),
                                 block_depth(product, block),
                                 values + row * product->k + block * product->c0, 1);
        }
    }
    values_round(product, values, product->m * product->k);
}

/* A group of 16 columns of B as k rows of 16 doubles; columns from n on are zero. */
static void b_widen(const struct product *product, uint64_t group, double *values)
{
    memset(values, 0, (size_t)product->k * COLUMNS * sizeof *values);
    for (uint64_t block = 0; block < block_count(product); block++) {
        for (uint64_t column = 0; column < COLUMNS; column++) {
            if (group * COLUMNS + column < product->n) {
                uint64_t offset = b_offset(product, block, group * COLUMNS + column);
                element_decode_array(product->type_b, product->b.bytes + offset,
                                     block_depth(product, block),
                                     values + block * product->c0 * COLUMNS + column, COLUMNS);
            }
        }
    }
    values_round(product, values, product->k * COLUMNS);
}

/* Two columns. The vector type fixes how the inner loop is compiled, whatever the optimiser
 * decides; every lane is still computed by itself, in the order that is written here. */
typedef double pair __attribute__((vector_size(16), may_alias));
enum { PAIRS = COLUMNS / 2 };

/* sum[j] = a[0] * b[0][j] + a[1] * b[1][j] + ..., in this order. */
static void columns_dot(const double *restrict a, const pair *restrict b, uint64_t depth,
                        double sum[COLUMNS])
{
    pair s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
    for (uint64_t q = 0; q < depth; q++, b += PAIRS) {
        const pair x = {a[q], a[q]};
        s0 += x * b[0];
        s1 += x * b[1];
        s2 += x * b[2];
        s3 += x * b[3];
        s4 += x * b[4];
        s5 += x * b[5];
        s6 += x * b[6];
        s7 += x * b[7];
    }
    const pair total[PAIRS] = {s0, s1, s2, s3, s4, s5, s6, s7};
    memcpy(sum, total, sizeof total);
}

/* Where the accumulators of a row start: 0, the bias or the old C. */
static const uint8_t *c_start(const struct product *product, uint64_t row, uint64_t group)
{
    if (product->from_zero) {
        return NULL;
    }
    return product->from_bias ? product->bias.bytes + group * COLUMNS * product->c_size
                              : product->c.bytes + c_offset(product, row, group * COLUMNS);
}

static void row_store(const struct product *product, uint64_t row, uint64_t group,
                      const uint32_t codes[COLUMNS])
{
    uint64_t offset = c_offset(product, row, group * COLUMNS);
    size_t count = group_columns(product, group);
    if (product->c_size == sizeof codes[0]) {
        memcpy(product->c.bytes + offset, codes, count * sizeof codes[0]);
    } else {
        for (size_t column = 0; column < count; column++) {
            element_store(product->type_c, product->c.bytes + offset, column, codes[column]);
        }
    }
    memset(product->c.written + offset, 1, count * product->c_size);
}

/* Loads codes of C or bias for the columns that exist; zeros for the others. */
static void row_load(const struct product *product, uint64_t row, uint64_t group,
                     uint32_t codes[COLUMNS])
{
    const uint8_t *start = c_start(product, row, group);
    size_t count = group_columns(product, group);
    memset(codes, 0, COLUMNS * sizeof codes[0]);
    if (start == NULL) {
        return;
    }
    if (product->c_size == sizeof codes[0]) {
        memcpy(codes, start, count * sizeof codes[0]);
        return;
    }
    for (size_t column = 0; column < count; column++) {
        codes[column] = element_load(product->type_c, start, column);
    }
}

/* The rule for floating accumulation: the products of a C0 block of K are summed in ascending k in
 * binary64, the sum is added to the accumulator and rounded once to binary32, blocks ascending. An
 * fp16 C takes part as binary32 and is rounded once, at the end. */
static void row_float(const struct product *product, const double *a, const pair *b,
                      uint32_t codes[COLUMNS])
{
    float c[COLUMNS];
    double sum[COLUMNS];
    memcpy(c, codes, sizeof c);
    for (int j = 0; product->type_c != ELEMENT_FP32 && j < COLUMNS; j++) {
        c[j] = (float)element_decode(product->type_c, codes[j]);
    }
    for (uint64_t q = 0; q < product->k; q += product->c0) {
        uint64_t left = product->k - q;
        columns_dot(a + q, b + q * PAIRS, left < product->c0 ? left : product->c0, sum);
        for (int j = 0; j < COLUMNS; j++) {
            c[j] = (float)((double)c[j] + sum[j]);
        }
    }
    for (int j = 0; j < COLUMNS; j++) {
        codes[j] = element_encode(product->type_c, c[j], product->saturates);
    }
}

/* Sums of at most 4095 products of bytes are exact in binary64; C is clamped once to its type. */
static void row_integer(const struct product *product, const double *a, const pair *b,
                        uint32_t codes[COLUMNS])
{
    double sum[COLUMNS];
    columns_dot(a, b, product->k, sum);
    for (int j = 0; j < COLUMNS; j++) {
        /* Of an unsigned C the upper half of the codes is positive. */
        double start = codes[j] > product->c_high ? (double)(int32_t)codes[j] : (double)codes[j];
        double total = start + sum[j];
        total = total > product->c_high ? product->c_high : total;
        total = total < product->c_low ? product->c_low : total;
        codes[j] = (uint32_t)(int64_t)total;
    }
}

void effect_mmad(struct machine *machine, const struct insn *insn)
{
    struct product product;
    product_read(&product, insn, machine->program->arch);
    if (product.m == 0 || product.n == 0 || product.k == 0) {
        return;
    }
    if (element_bits(product.type_a) == 4 && product.k % 2 != 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "k is %u with %s; expected an even number", (unsigned)product.k,
                      element_word(product.type_a));
        return;
    }
    if (!fields_fit(&product, machine, insn) || !product_open(&product, machine, insn)) {
        return;
    }
    /* One report for an instruction, whatever is missing. */
    (void)(a_check(&product, machine, insn) && b_check(&product, machine, insn) &&
           (product.from_zero || c_check(&product, machine, insn)));
    product_tell(&product);
    pair *b = (pair *)(void *)machine->scratch;
    double *a = (double *)(void *)(b + product.k * PAIRS);
    assert((product.k * COLUMNS + product.m * product.k) * sizeof *a <= machine->scratch_bytes);
    a_widen(&product, a);
    bool integer = element_is_integer(product.type_a);
    for (uint64_t group = 0; group < product.columns16; group++) {
        b_widen(&product, group, (double *)(void *)b);
        for (uint64_t row = 0; row < product.m; row++) {
            uint32_t codes[COLUMNS];
            row_load(&product, row, group, codes);
            if (integer) {
                row_integer(&product, a + row * product.k, b, codes);
            } else {
                row_float(&product, a + row * product.k, b, codes);
            }
            row_store(&product, row, group, codes);
        }
    }
}

/* Its work is counted in multiply-accumulates. */
uint64_t bytes_mmad(const struct program *program, const struct insn *insn)
{
    (void)program;
    (void)insn;
    return 0;
}
