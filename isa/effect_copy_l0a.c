/*
 * The Tensor API's copy of whole matrices from L1 to L0A on 950, plain or transposed (docs/isa.md
 * section 6.4).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/lane.h"
#include "isa/view.h"

/* Matrices of the Tensor API on their way from L1 to NZ in L0A, one behind the other. */
struct matrix_copy {
    enum element element;
    bool transposed; /* the source is ZN */
    uint64_t batch, m, k;
    uint64_t c0;
    uint64_t source_down, source_across; /* fractals of a source matrix */
    uint64_t target_down, target_across; /* fractals of a target matrix */
};

static uint64_t fractals(uint64_t size, uint64_t lanes)
{
    return (size + lanes - 1) / lanes;
}

static void copy_read(struct matrix_copy *copy, const struct insn *insn)
{
    const int64_t *field = insn->field;
    enum element element = insn_element(insn);
    *copy = (struct matrix_copy){
        .element = element,
        .transposed = field[COPY_L12L0A_layout] == LAYOUT_L1_ZN,
        .batch = (uint64_t)field[COPY_L12L0A_batch],
        .m = (uint64_t)field[COPY_L12L0A_m],
        .k = (uint64_t)field[COPY_L12L0A_k],
        .c0 = element_c0(element),
    };
    copy->target_down = fractals(copy->m, FRACTAL_ROWS);
    copy->target_across = fractals(copy->k, copy->c0);
    copy->source_down = copy->transposed ? fractals(copy->m, copy->c0) : copy->target_down;
    copy->source_across = copy->transposed ? fractals(copy->k, FRACTAL_ROWS) : copy->target_across;
}

/* ZN is transposed in squares: of 32 rows for 8 bits, 64 for 4; for 32 bits of 16 columns. */
static bool check_squares(struct machine *machine, const struct insn *insn,
                          const struct matrix_copy *copy)
{
    uint32_t bits = element_bits(copy->element);
    uint64_t rows = bits < 16 ? copy->c0 : 1;
    uint64_t columns = bits > 16 ? FRACTAL_ROWS : 1;
    if (copy->m % rows == 0 && copy->k % columns == 0) {
        return true;
    }
    bool by_rows = copy->m % rows != 0;
    hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                  "%s is %" PRIu64 "; expected a multiple of %" PRIu64
                  ", as %s is transposed from zn in squares",
                  by_rows ? "m" : "k", by_rows ? copy->m : copy->k, by_rows ? rows : columns,
                  element_word(copy->element));
    return false;
}

enum { STEPS_MAX = 255 };

static bool check_steps(struct machine *machine, const struct insn *insn,
                        const struct matrix_copy *copy, const char *axis, uint64_t steps)
{
    if (steps <= STEPS_MAX) {
        return true;
    }
    hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                  "the copy has %" PRIu64 " steps along %s (batch %" PRIu64
                  "); expected at most %d",
                  steps, axis, copy->batch, STEPS_MAX);
    return false;
}

/* The load that does it counts its steps in 8 bits; a plain batch is one load, a transposed one a
 * loop. */
static bool copy_check(struct machine *machine, const struct insn *insn,
                       const struct matrix_copy *copy)
{
    if (!copy->transposed) {
        return check_steps(machine, insn, copy, "k", copy->target_across * copy->batch);
    }
    return check_squares(machine, insn, copy) &&
           check_steps(machine, insn, copy, "m", copy->source_down) &&
           check_steps(machine, insn, copy, "k", copy->source_across);
}

/* One transposed matrix: rows of C0 x 16 fractals become columns of 16 x C0 fractals. What the
 * source's fractals have beyond the matrix comes along; where they end before the target's the
 * lanes are zero. */
static void copy_transpose(const struct matrix_copy *copy, const struct view *source,
                           const struct view *target, uint64_t source_base, uint64_t target_base)
{
    uint32_t bits = element_bits(copy->element);
    uint64_t rows = copy->target_down * FRACTAL_ROWS;
    for (uint64_t row = 0; row < rows && row < copy->source_down * copy->c0; row++) {
        for (uint64_t column = 0; column < copy->source_across * FRACTAL_ROWS; column++) {
            uint64_t from = row / copy->c0 * copy->source_across + column / FRACTAL_ROWS;
            uint64_t to = column / copy->c0 * copy->target_down + row / FRACTAL_ROWS;
            uint64_t block = to * FRACTAL_BYTES + row % FRACTAL_ROWS * BLOCK_BYTES + target_base;
            uint64_t other =
                from * FRACTAL_BYTES + column % FRACTAL_ROWS * BLOCK_BYTES + source_base;
            lane_copy(bits, target->bytes + block, target->written + block, column % copy->c0,
                      source->bytes + other, source->written + other, row % copy->c0);
        }
    }
}

void effect_copy_l12l0a(struct machine *machine, const struct insn *insn)
{
    struct matrix_copy copy;
    struct view source, target;
    copy_read(&copy, insn);
    uint64_t source_bytes = copy.source_down * copy.source_across * FRACTAL_BYTES;
    uint64_t target_bytes = copy.target_down * copy.target_across * FRACTAL_BYTES;
    if (!copy_check(machine, insn, &copy) ||
        !view_open(machine, insn, COPY_L12L0A_dst, copy.batch * target_bytes, &target) ||
        !view_open(machine, insn, COPY_L12L0A_src, copy.batch * source_bytes, &source)) {
        return;
    }
    if (!copy.transposed) {
        view_copy(&target, 0, &source, 0, copy.batch * source_bytes);
        return;
    }
    view_zero(&target, 0, copy.batch * target_bytes);
    view_reads(&source, 0, copy.batch * source_bytes);
    for (uint64_t matrix = 0; matrix < copy.batch; matrix++) {
        copy_transpose(&copy, &source, &target, matrix * source_bytes, matrix * target_bytes);
    }
}

uint64_t bytes_copy_l12l0a(const struct program *program, const struct insn *insn)
{
    (void)program;
    struct matrix_copy copy;
    copy_read(&copy, insn);
    return copy.batch * copy.target_down * copy.target_across * FRACTAL_BYTES;
}
