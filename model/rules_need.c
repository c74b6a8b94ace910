/* R3 to R10: what hardware and lowering need and pypto does not check (docs/tiling.md section 1.5).
 */
#include "model/rule_case.h"

#include <inttypes.h>
#include <string.h>

#include "model/saturate.h"
#include "model/tile_buffers.h"
#include "model/tile_search.h"
#include "model/tile_space.h"

static bool lacks_tile(struct rule_case *c)
{
    bool lacks = !rule_has_tile(c);

    if (lacks)
        rule_skip(c, "no whole tile");
    return lacks;
}

/* The form's word for a number, of pypto, of the vendor or of a matrix product, and where the plan
 * has it. */
static const char *name_of(const struct rule_case *c, const char *pypto, const char *vendor)
{
    static const char *const products[][2] = {
        {"kL0", "baseK"}, {"nL0", "baseN"}, {"nBL1", "stepN x baseN"}};

    for (size_t i = 0; c->base != NULL && i < sizeof products / sizeof products[0]; i++)
        if (strcmp(vendor, products[i][0]) == 0)
            return products[i][1];
    return c->vendor != NULL ? vendor : pypto;
}

static enum plan_word word_of(const struct rule_case *c, enum plan_word pypto,
                              enum plan_word vendor)
{
    static const enum plan_word products[][2] = {
        {WORD_K_L0, WORD_BASE_K},   {WORD_N_L0, WORD_BASE_N},  {WORD_N_BL1, WORD_STEP_N},
        {WORD_WO_L1, WORD_STEP_M},  {WORD_M_AL1, WORD_STEP_M}, {WORD_HO_L1, WORD_STEP_M},
        {WORD_K_AL1, WORD_STEP_KA}, {WORD_M_L0, WORD_BASE_M},
    };

    for (size_t i = 0; c->base != NULL && i < sizeof products / sizeof products[0]; i++)
        if (vendor == products[i][0])
            return products[i][1];
    return c->vendor != NULL && c->plan->form == TILE_VENDOR ? vendor : pypto;
}

static void depth_k_clause(struct rule_case *c, uint64_t depth_k, const char *nearest)
{
    uint64_t k = c->tile.k_l0;

    rule_clause(c, rule_divides(k, depth_k), word_of(c, WORD_TILE_K, WORD_K_L0),
                rule_rest_text(c, depth_k, k),
                rule_text(c, "%s divides the K of one depth, which is what L1 holds",
                          name_of(c, "tileK", "kL0")),
                nearest);
}

void rule_judge_depth_k(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    if (c->conv->rank < AXIS_COUNT) {
        rule_skip(c, "not 3-D");
        return;
    }
    struct rule_case depth = *c;
    depth.k_a = c->depth_k_a;
    depth.k_b = c->depth_k_b;
    const char *nearest = "";
    uint64_t k = rule_k_below(&depth, c->tile.k_l0, SATURATE_MAX);
    if (k != 0)
        nearest = rule_text(c, "%s %s", name_of(c, "tileK", "kL0"), rule_number(c, k));
    rule_value(c, "K of one depth, A", c->depth_k_a);
    rule_value(c, "K of one depth, B", c->depth_k_b);
    rule_value(c, name_of(c, "tileK", "kL0"), c->tile.k_l0);
    depth_k_clause(c, c->depth_k_a, nearest);
    depth_k_clause(c, c->depth_k_b, c->verdict->ok ? nearest : "");
}

static void depth_cin_clause(struct rule_case *c, enum plan_word word, const char *name,
                             uint64_t tile, uint64_t step)
{
    uint64_t whole = saturate_mul(c->cin_aligned, step / c->c0);
    uint64_t most = saturate_mul(step, RULE_DIMENSION_MAX);
    uint64_t nearest = saturate_align_down(saturate_min(saturate_min(tile, whole), most), step);

    while (nearest > step && whole % nearest != 0)
        nearest -= step;
    rule_value(c, name, tile);
    rule_clause(
        c, rule_divides(tile, whole), word, rule_rest_text(c, whole, tile),
        rule_text(c, "%s divides the padded channels, so that no chunk crosses depths", name),
        nearest == 0 ? "" : rule_text(c, "%s %s", name, rule_number(c, nearest)));
}

void rule_judge_depth_cin(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    if (c->conv->rank < AXIS_COUNT) {
        rule_skip(c, "not 3-D");
        return;
    }
    if (c->vendor != NULL) {
        uint64_t plane = saturate_mul(c->c0, c->area);
        depth_cin_clause(c, word_of(c, WORD_TILE_CIN_FMAP, WORD_K_AL1), "kAL1", c->depth_k_a,
                         plane);
        depth_cin_clause(c, word_of(c, WORD_TILE_CIN_WEIGHT, WORD_K_BL1), "kBL1", c->depth_k_b,
                         plane);
        return;
    }
    depth_cin_clause(c, WORD_TILE_CIN_FMAP, "tileCinFmap", c->l1->cin_fmap, c->c0);
    depth_cin_clause(c, WORD_TILE_CIN_WEIGHT, "tileCinWeight", c->l1->cin_weight, c->c0);
}

/* A table of the product with a place of so many bytes for each channel of an L0 tile. */
static void table_clause(struct rule_case *c, const char *table, enum product_key key,
                         uint64_t place)
{
    const char *name = name_of(c, "tile_l0.tileN", "nL0");
    uint64_t capacity = product_whole(c->product, key);
    uint64_t most = saturate_align_down(capacity / place, FRACTAL_ROWS);
    rule_value(c, table, capacity);
    rule_space_clause(c, word_of(c, WORD_TILE_L0_N, WORD_N_L0),
                      rule_text(c, "%s x %s", rule_number(c, c->tile.n_l0), rule_number(c, place)),
                      saturate_mul(c->tile.n_l0, place), capacity,
                      rule_text(c, "%s x %s B <= %s", name, rule_number(c, place), table),
                      most == 0 ? "" : rule_text(c, "%s %s", name, rule_number(c, most)));
}

/* Without a fixpipe 8-bit results leave in blocks of 32 channels, which one tile must have whole.
 */
static void planes_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t n)
{
    uint64_t step = tile_n_step(c->conv, c->product);
    uint64_t nearest = n < step ? step : saturate_align_down(n, step);
    rule_clause(c, false, word, rule_rest_text(c, n, step),
                rule_text(c, "%s is a multiple of %s: %s has no fixpipe to join planes", name,
                          rule_number(c, step), c->product->soc),
                rule_text(c, "%s %s", name, rule_number(c, nearest)));
}

static bool judge_planes(struct rule_case *c)
{
    if (tile_n_step(c->conv, c->product) == FRACTAL_ROWS ||
        tile_n_whole(c->conv, c->product, c->tile.n_l1, c->tile.n_l0))
        return false;
    if (!tile_n_whole(c->conv, c->product, c->tile.n_l1, c->tile.n_l1))
        planes_clause(c, word_of(c, WORD_TILE_L1_N, WORD_N_BL1),
                      name_of(c, "tile_l1.tileN", "nBL1"), c->tile.n_l1);
    else
        planes_clause(c, word_of(c, WORD_TILE_L0_N, WORD_N_L0), name_of(c, "tile_l0.tileN", "nL0"),
                      c->tile.n_l0);
    return true;
}

void rule_judge_bias_table(struct rule_case *c)
{
    if (lacks_tile(c) || judge_planes(c))
        return;
    bool biased = c->conv->bias && c->product->number[PRODUCT_BT_SIZE].present;
    bool scaled = c->conv->quant.by_channel && c->product->number[PRODUCT_FB_SIZE].present;
    if (!biased && !scaled) {
        rule_skip(c, c->conv->bias ? "no bias table" : "no bias");
        return;
    }
    rule_value(c, name_of(c, "tile_l0.tileN", "nL0"), c->tile.n_l0);
    if (biased)
        table_clause(c, "BT", PRODUCT_BT_SIZE, 4);
    if (scaled)
        table_clause(c, "FB", PRODUCT_FB_SIZE, 8);
}

static void limit_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t value,
                         uint64_t limit, const char *field)
{
    bool ok = value <= limit;

    rule_value(c, name, value);
    rule_clause(
        c, ok, word,
        rule_text(c, "%s %s %s", rule_number(c, value), ok ? "<=" : ">", rule_number(c, limit)),
        rule_text(c, "%s is at most %s, the largest %s", name, rule_number(c, limit), field), "");
}

void rule_judge_load3d_size(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    limit_clause(c, word_of(c, WORD_TILE_HOUT, WORD_HO_L1), "input rows in L1", c->input_rows,
                 LOAD3D_SIZE_MAX, "l1H of Load3D");
    limit_clause(c, word_of(c, WORD_TILE_WOUT, WORD_WO_L1), "input columns in L1", c->input_columns,
                 LOAD3D_SIZE_MAX, "l1W of Load3D");
}

void rule_judge_load3d_m(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    limit_clause(c, word_of(c, WORD_TILE_WOUT, WORD_M_AL1), "positions in L1", c->m_start,
                 LOAD3D_SIZE_MAX, "mStartPt of Load3D");
}

void rule_judge_load3d_k(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    limit_clause(c, word_of(c, WORD_TILE_CIN_FMAP, WORD_K_AL1), "K in L1", c->depth_k_a,
                 LOAD3D_K_MAX, "kStartPt of Load3D");
    limit_clause(c, word_of(c, WORD_TILE_K, WORD_K_L0), name_of(c, "tileK", "kL0"), c->tile.k_l0,
                 MMAD_MAX, "k of Mmad");
    limit_clause(c, word_of(c, WORD_TILE_W, WORD_M_L0), "positions in L0",
                 c->tile.linear_m ? c->tile.m_l0 : saturate_mul(c->tile.h_l0, c->tile.w_l0),
                 MMAD_MAX, "m of Mmad");
    limit_clause(c, word_of(c, WORD_TILE_L0_N, WORD_N_L0), name_of(c, "tile_l0.tileN", "nL0"),
                 c->tile.n_l0, MMAD_MAX, "n of Mmad");
}

void rule_judge_load3d_repeat(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    const struct tile *tile = &c->tile;
    if (tile->linear_m || tile->h_l0 <= 1 || tile->w_l0 == tile->w_l1) {
        rule_skip(c, "no repeat");
        return;
    }
    limit_clause(c, word_of(c, WORD_TILE_H, WORD_HO_L0), name_of(c, "tileH", "hoL0"), tile->h_l0,
                 LOAD3D_REPEAT_MAX, "repeatTimes of Load3D");
}

/* Looks for the tile that a plan leaves out, with room for so many slots. */
static bool tile_exists(const struct rule_case *c, const uint64_t *slots, struct tile_l0 *l0)
{
    struct tile_l1 l1 = c->plan->l1;

    if (c->plan->form == TILE_NONE)
        return tile_search(c->conv, c->product, c->set, slots, &l1, l0);
    return tile_search_l0(c->conv, c->product, c->set, slots, &l1, l0);
}

static const char *no_tile_text(const struct rule_case *c)
{
    static const uint64_t none_written[BUFFER_COUNT];
    struct tile_l0 l0;

    if (tile_exists(c, none_written, &l0))
        return "no legal tile has room for the slots that the schedule asks for";
    if (c->plan->form != TILE_NONE)
        return "no legal tile_l0 exists under this tile_l1";
    return c->plan->matmul ? "no legal tile exists for this matrix product on this product"
                           : "no legal tile exists for this convolution on this product";
}

void rule_judge_tile_given(struct rule_case *c)
{
    bool whole = c->plan->form == TILE_NONE;
    uint64_t slots[BUFFER_COUNT];
    struct tile_l0 l0 = {0};

    if (c->plan->form == TILE_VENDOR || c->plan->form == TILE_MATMUL ||
        (c->plan->form == TILE_PYPTO && c->plan->has_l0)) {
        const char *how = "given";
        if (c->plan->tile_derived && c->base != NULL)
            how = "derived";
        else if (c->plan->tile_derived)
            how = c->plan->given[WORD_TILE_HOUT] ? "tile_l0 derived" : "both derived";
        rule_clause(c, true, WORD_TILE_K, how, "", "");
        return;
    }
    if (!c->holds) {
        rule_skip(c, "a rule above is broken");
        return;
    }
    buffers_written(c->plan, slots);
    bool found = tile_exists(c, slots, &l0);
    const char *numbers = whole ? "neither tile was given" : "tile_l0 was not given";
    if (c->plan->matmul)
        numbers =
            found ? rule_text(c, "derived: baseM %" PRIu64 ", baseN %" PRIu64 ", baseK %" PRIu64,
                              l0.w, l0.n, l0.k)
                  : "no tile was given";
    else if (found)
        numbers = rule_text(
            c, "derived: tileH %" PRIu64 ", tileW %" PRIu64 ", tileK %" PRIu64 ", tileN %" PRIu64,
            l0.h, l0.w, l0.k, l0.n);
    rule_clause(c, found, WORD_TILE_WOUT, numbers, found ? "" : no_tile_text(c), "");
}
