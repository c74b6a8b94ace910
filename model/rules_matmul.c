/* M1 to M10: matrix products, in the words of the vendor's TCubeTiling (docs/tiling.md
 * section 1.8).
 */
#include "model/rule_case.h"

#include "model/saturate.h"
#include "model/tile_space.h"

enum { SIZE_MAX_ = INT32_MAX }; /* sizes are int in TCubeTiling */

static bool lacks_tile(struct rule_case *c)
{
    if (!rule_has_tile(c))
        rule_skip(c, "no whole tile");
    return !rule_has_tile(c);
}

void rule_judge_matmul_sizes(struct rule_case *c)
{
    rule_limit_clause(c, WORD_M, "m", c->conv->in[AXIS_W], SIZE_MAX_);
    rule_limit_clause(c, WORD_N, "n", c->conv->cout, SIZE_MAX_);
    rule_limit_clause(c, WORD_K, "k", c->conv->cin, SIZE_MAX_);
}

/* A base block ends with a fractal, and none lies wholly behind the matrix. */
static void base_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t value,
                        uint64_t size, uint64_t step)
{
    rule_measure_clause(c, &(struct rule_measure){.word = word,
                                                  .name = name,
                                                  .value = value,
                                                  .low = step,
                                                  .high = saturate_align_up(size, step),
                                                  .step = step});
}

void rule_judge_matmul_base_m(struct rule_case *c)
{
    if (!lacks_tile(c))
        base_clause(c, WORD_BASE_M, "baseM", c->base->base_m, c->conv->in[AXIS_W], FRACTAL_ROWS);
}

void rule_judge_matmul_base_n(struct rule_case *c)
{
    if (!lacks_tile(c))
        base_clause(c, WORD_BASE_N, "baseN", c->base->base_n, c->conv->cout, FRACTAL_ROWS);
}

void rule_judge_matmul_base_k(struct rule_case *c)
{
    if (!lacks_tile(c))
        base_clause(c, WORD_BASE_K, "baseK", c->base->base_k, c->conv->cin, c->c0);
}

void rule_judge_matmul_steps_mn(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    const struct tile_matmul *base = c->base;
    rule_limit_clause(c, WORD_STEP_M, "stepM", base->step_m,
                      ceil_div(c->conv->in[AXIS_W], base->base_m));
    rule_limit_clause(c, WORD_STEP_N, "stepN", base->step_n, ceil_div(c->conv->cout, base->base_n));
}

void rule_judge_matmul_steps_k(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    uint64_t most = ceil_div(c->conv->cin, c->base->base_k);
    rule_limit_clause(c, WORD_STEP_KA, "stepKa", c->base->step_ka, most);
    rule_limit_clause(c, WORD_STEP_KB, "stepKb", c->base->step_kb, most);
}

/* One slot or two, whole. */
static void depth_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t depth,
                         enum buffer buffer, const char *steps)
{
    uint64_t blocks = tile_matmul_blocks(c->base, buffer);
    uint64_t slots = tile_matmul_slots(c->base, buffer);
    bool ok = slots == 1 || slots == 2;
    uint64_t nearest =
        saturate_mul(blocks, saturate_sub(depth, blocks) >= ceil_div(blocks, 2) ? 2 : 1);

    if (depth == 0)
        return;
    rule_value(c, name, depth);
    rule_value(c, steps, blocks);
    rule_clause(
        c, ok, word,
        ok ? rule_text(c, "%s = %s x %s", rule_number(c, depth), rule_number(c, slots),
                       rule_number(c, blocks))
           : rule_text(c, "%s, blocks of a slot %s", rule_number(c, depth), rule_number(c, blocks)),
        rule_text(c, "%s is %s, or twice as much", name, steps),
        rule_text(c, "%s %s", name, rule_number(c, nearest)));
}

void rule_judge_matmul_depths(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    if (c->base->depth_a1 == 0 && c->base->depth_b1 == 0) {
        rule_skip(c, "not given");
        return;
    }
    depth_clause(c, WORD_DEPTH_A1, "depthA1", c->base->depth_a1, BUFFER_L1A, "stepM x stepKa");
    depth_clause(c, WORD_DEPTH_B1, "depthB1", c->base->depth_b1, BUFFER_L1B, "stepN x stepKb");
}

/* A buffer of L0 with room for slots x first x second elements. */
struct l0_space {
    const char *name;
    enum buffer buffer;
    enum product_key key;
    enum plan_word word;
    uint64_t first, second, size; /* bytes of an element */
};

static uint64_t l0_row_bytes(const struct rule_case *c, const struct l0_space *space)
{
    return saturate_mul(saturate_mul(rule_slots(c, space->buffer), space->first), space->size);
}

/* How long the second side can be. */
static uint64_t l0_most(const struct rule_case *c, const struct l0_space *space, uint64_t step)
{
    uint64_t row = l0_row_bytes(c, space);

    return row == 0 ? 0 : saturate_align_down(product_whole(c->product, space->key) / row, step);
}

static void l0_clause(struct rule_case *c, const struct l0_space *space, const char *nearest)
{
    uint64_t slots = rule_slots(c, space->buffer);
    uint64_t bytes = saturate_mul(l0_row_bytes(c, space), space->second);

    rule_value(c, space->name, bytes);
    rule_space_clause(c, space->word,
                      rule_text(c, "%s %s x %s x %s x %s", space->name, rule_number(c, slots),
                                rule_number(c, space->first), rule_number(c, space->second),
                                rule_number(c, space->size)),
                      bytes, product_whole(c->product, space->key),
                      rule_text(c, "slots x block <= %s", space->name), nearest);
}

static const char *at_most(struct rule_case *c, const char *name, uint64_t most)
{
    return most == 0 ? "" : rule_text(c, "%s %s", name, rule_number(c, most));
}

void rule_judge_matmul_l0_space(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    const struct tile_matmul *base = c->base;
    const struct l0_space a = {"L0A",        BUFFER_L0A,   PRODUCT_L0A_SIZE, WORD_BASE_K,
                               base->base_m, base->base_k, c->size};
    const struct l0_space b = {"L0B",        BUFFER_L0B,   PRODUCT_L0B_SIZE, WORD_BASE_K,
                               base->base_n, base->base_k, c->size};
    const struct l0_space sums = {"L0C",        BUFFER_L0C,   PRODUCT_L0C_SIZE, WORD_BASE_N,
                                  base->base_m, base->base_n, sizeof(float)};
    uint64_t k = saturate_min(l0_most(c, &a, c->c0), l0_most(c, &b, c->c0));
    const char *nearest_k = at_most(c, "baseK", k);

    l0_clause(c, &a, nearest_k);
    l0_clause(c, &b, c->verdict->ok ? nearest_k : "");
    l0_clause(c, &sums, at_most(c, "baseN", l0_most(c, &sums, FRACTAL_ROWS)));
}

/* "stepKa 4, depthA1 8": the most blocks along K of an operand that leave room for the rest. */
static const char *step_nearest(struct rule_case *c, enum buffer buffer, uint64_t rest)
{
    bool a = buffer == BUFFER_L1A;
    const struct tile_matmul *base = c->base;
    uint64_t slots = rule_slots(c, buffer);
    uint64_t rows =
        a ? saturate_mul(base->step_m, base->base_m) : saturate_mul(base->step_n, base->base_n);
    uint64_t block = saturate_mul(saturate_mul(saturate_mul(slots, rows), base->base_k), c->size);
    uint64_t step = saturate_sub(tile_l1_usable(c->product), rest) / (block > 0 ? block : 1);
    uint64_t depth = saturate_mul(saturate_mul(slots, step), a ? base->step_m : base->step_n);

    if (step == 0)
        return "";
    if ((a ? base->depth_a1 : base->depth_b1) == 0)
        return rule_text(c, "%s %s", a ? "stepKa" : "stepKb", rule_number(c, step));
    return rule_text(c, "%s %s with %s %s", a ? "stepKa" : "stepKb", rule_number(c, step),
                     a ? "depthA1" : "depthB1", rule_number(c, depth));
}

void rule_judge_matmul_l1_space(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    uint64_t bias = tile_bias_bytes(c->conv, &c->tile);
    uint64_t slots_a = rule_slots(c, BUFFER_L1A), slots_b = rule_slots(c, BUFFER_L1B);
    uint64_t a = saturate_mul(slots_a, tile_slot_bytes(c->conv, &c->tile, BUFFER_L1A));
    uint64_t b = saturate_mul(slots_b, tile_slot_bytes(c->conv, &c->tile, BUFFER_L1B));
    uint64_t total = saturate_add(saturate_add(a, b), bias);
    const char *sum = rule_text(c, "A %s + B %s", rule_number(c, a), rule_number(c, b));
    const char *nearest = "";

    if (bias != 0)
        sum = rule_text(c, "%s + bias %s", sum, rule_number(c, bias));
    rule_value(c, "A", a);
    rule_value(c, "B", b);
    rule_value(c, "total", total);
    rule_value(c, "L1", tile_l1_usable(c->product));
    if (total > tile_l1_usable(c->product)) {
        const char *less_a = step_nearest(c, BUFFER_L1A, saturate_add(b, bias));
        const char *less_b = step_nearest(c, BUFFER_L1B, saturate_add(a, bias));
        nearest = less_a[0] != '\0' && (a >= b || less_b[0] == '\0') ? less_a : less_b;
    }
    rule_space_clause(c, a >= b ? WORD_STEP_KA : WORD_STEP_KB, sum, total,
                      tile_l1_usable(c->product), "slots of A and B and the bias <= L1", nearest);
}

void rule_judge_matmul_slices(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    rule_limit_clause(c, WORD_L2_M, "l2_m", c->base->l2_m,
                      ceil_div(c->conv->in[AXIS_W], c->tile.w_l1));
    rule_limit_clause(c, WORD_L2_N, "l2_n", c->base->l2_n, ceil_div(c->conv->cout, c->tile.n_l1));
}
