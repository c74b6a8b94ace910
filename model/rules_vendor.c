/* Rules 10 to 22 and R1 in the words of the vendor's kernels (docs/tiling.md section 1.6). */
#include "model/rule_case.h"

#include "model/saturate.h"
#include "model/tile_space.h"

enum { VENDOR_CHANNELS = 16 };

/* Where a pypto tile is judged by these rules, the places are those of its own words. */
static enum plan_word place_of(const struct rule_case *c, enum plan_word vendor,
                               enum plan_word pypto)
{
    return c->plan->form == TILE_VENDOR ? vendor : pypto;
}

static bool lacks_tile(struct rule_case *c)
{
    if (c->vendor == NULL)
        rule_skip(c, "no whole tile");
    return c->vendor == NULL;
}

static bool lacks_output(struct rule_case *c)
{
    return lacks_tile(c) || rule_lacks_output(c);
}

static void measure_step(struct rule_case *c, enum plan_word word, const char *name, uint64_t value,
                         uint64_t high, bool multiple_only)
{
    rule_measure_clause(c, &(struct rule_measure){.word = word,
                                                  .name = name,
                                                  .value = value,
                                                  .low = 1,
                                                  .high = high,
                                                  .step = FRACTAL_ROWS,
                                                  .range_only = false,
                                                  .multiple_only = multiple_only});
}

static void k_l1_clauses(struct rule_case *c, bool range_only)
{
    /* The vendor's tables pad channels to 16 in every type, and its K may span depths. */
    uint64_t block = c->c0 > VENDOR_CHANNELS ? c->c0 : VENDOR_CHANNELS;
    uint64_t channels = saturate_align_up(c->conv->cin_group, block);
    uint64_t plane = saturate_mul(c->c0, c->area);
    struct rule_measure m = {
        .word = place_of(c, WORD_K_AL1, WORD_TILE_CIN_FMAP),
        .name = "kAL1",
        .value = c->vendor->k_al1,
        .low = plane,
        .high = saturate_mul(saturate_mul(channels, c->area), c->conv->kernel[AXIS_D]),
        .step = plane,
        .range_only = range_only,
        .multiple_only = !range_only,
    };

    rule_measure_clause(c, &m);
    /* fractal_z cuts K anywhere between fractals; the other formats need whole planes. */
    if (c->conv->weight_format == FORMAT_FRACTAL_Z) {
        m.low = c->c0;
        m.step = c->c0;
    }
    m.word = place_of(c, WORD_K_BL1, WORD_TILE_CIN_WEIGHT);
    m.name = "kBL1";
    m.value = c->vendor->k_bl1;
    rule_measure_clause(c, &m);
}

void rule_judge_vendor_k_range(struct rule_case *c)
{
    if (!lacks_tile(c))
        k_l1_clauses(c, true);
}

void rule_judge_vendor_k_planes(struct rule_case *c)
{
    if (!lacks_tile(c))
        k_l1_clauses(c, false);
}

void rule_judge_vendor_n_l1(struct rule_case *c)
{
    if (!lacks_tile(c))
        measure_step(c, place_of(c, WORD_N_BL1, WORD_TILE_L1_N), "nBL1", c->vendor->n_bl1,
                     c->n_aligned, false);
}

void rule_judge_vendor_one_row(struct rule_case *c)
{
    if (lacks_output(c))
        return;
    if (c->tile.linear_m) {
        rule_skip(c, "linear M");
        return;
    }
    const struct tile *tile = &c->tile;
    bool full = tile->w_l0 == tile->w_l1 && tile->w_l1 == c->columns_aligned;
    rule_value(c, "hoL0", tile->h_l0);
    rule_value(c, "woL0", tile->w_l0);
    rule_value(c, "woL1", tile->w_l1);
    rule_clause(c, tile->h_l0 == 1 || full, place_of(c, WORD_HO_L0, WORD_TILE_H),
                rule_text(c, "hoL0 %s, woL0 %s, woL1 %s, align(Wout, 16) %s",
                          rule_number(c, tile->h_l0), rule_number(c, tile->w_l0),
                          rule_number(c, tile->w_l1), rule_number(c, c->columns_aligned)),
                "several rows in L0 need the full aligned width in L0 and L1", "hoL0 1");
}

void rule_judge_vendor_m_l1(struct rule_case *c)
{
    if (lacks_output(c))
        return;
    if (c->tile.linear_m) {
        uint64_t high = saturate_align_up(saturate_mul(c->rows, c->columns), FRACTAL_ROWS);
        measure_step(c, place_of(c, WORD_M_AL1, WORD_TILE_WOUT), "mAL1", c->tile.m_l1, high, false);
        return;
    }
    rule_limit_clause(c, place_of(c, WORD_HO_L1, WORD_TILE_HOUT), "hoL1", c->tile.h_l1, c->rows);
    rule_limit_clause(c, place_of(c, WORD_WO_L1, WORD_TILE_WOUT), "woL1", c->tile.w_l1,
                      c->columns_aligned);
}

void rule_judge_vendor_k_multiple(struct rule_case *c)
{
    if (!lacks_tile(c))
        rule_k_multiple_clause(c, place_of(c, WORD_K_L0, WORD_TILE_K), "kL0", c->vendor->k_l0);
}

void rule_judge_vendor_l0_range(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    if (c->tile.linear_m) {
        rule_limit_clause(c, place_of(c, WORD_M_L0, WORD_TILE_W), "mL0", c->tile.m_l0,
                          c->tile.m_l1);
    } else {
        rule_limit_clause(c, place_of(c, WORD_HO_L0, WORD_TILE_H), "hoL0", c->tile.h_l0,
                          c->tile.h_l1);
        rule_limit_clause(c, place_of(c, WORD_WO_L0, WORD_TILE_W), "woL0", c->tile.w_l0,
                          c->tile.w_l1);
    }
    rule_k_range_clause(c, place_of(c, WORD_K_L0, WORD_TILE_K), "kL0", 1, c->vendor->k_l0);
}

void rule_judge_vendor_l0_multiple(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    measure_step(c, place_of(c, WORD_N_L0, WORD_TILE_L0_N), "nL0", c->vendor->n_l0,
                 c->vendor->n_bl1, true);
    if (c->tile.linear_m)
        measure_step(c, place_of(c, WORD_M_L0, WORD_TILE_W), "mL0", c->tile.m_l0, c->tile.m_l1,
                     true);
    else
        measure_step(c, place_of(c, WORD_WO_L0, WORD_TILE_W), "woL0", c->tile.w_l0,
                     saturate_align_up(c->tile.w_l1, FRACTAL_ROWS), true);
}

/* What one core has of units things when they are split; without a split, all. */
static uint64_t core_share_of(const struct rule_case *c, uint64_t units, enum split axis)
{
    uint64_t ways = c->plan->given[WORD_CORE_SPLIT] ? c->plan->schedule.split[axis] : 1;

    return ways > 1 ? ceil_div(units, ways) : units;
}

/* step divides tile, or tile holds all there is for a core. */
static void tail_clause(struct rule_case *c, enum plan_word word, const char *message,
                        uint64_t tile, uint64_t step, uint64_t whole)
{
    bool full = tile >= whole;
    const char *numbers = rule_rest_text(c, tile, step);

    if (full)
        numbers = rule_text(c, "%s >= %s", rule_number(c, tile), rule_number(c, whole));
    rule_clause(c, full || rule_divides(step, tile), word, numbers, message, "");
}

void rule_judge_vendor_n_l0(struct rule_case *c)
{
    if (lacks_tile(c))
        return;
    enum plan_word word = place_of(c, WORD_N_L0, WORD_TILE_L0_N);
    rule_limit_clause(c, word, "nL0", c->vendor->n_l0, c->vendor->n_bl1);
    rule_value(c, "nBL1", c->vendor->n_bl1);
    tail_clause(c, word, "nL0 divides nBL1, or nBL1 holds all output channels of a core",
                c->vendor->n_bl1, c->vendor->n_l0, core_share_of(c, c->cout_group, SPLIT_N));
}

void rule_judge_vendor_k_divides(struct rule_case *c)
{
    if (!lacks_tile(c))
        rule_k_divides_clause(c, place_of(c, WORD_K_L0, WORD_TILE_K), "kL0", c->vendor->k_l0);
}

void rule_judge_vendor_m_divides(struct rule_case *c)
{
    if (lacks_output(c))
        return;
    if (c->tile.linear_m) {
        rule_value(c, "mAL1", c->tile.m_l1);
        rule_value(c, "mL0", c->tile.m_l0);
        tail_clause(c, place_of(c, WORD_M_L0, WORD_TILE_W),
                    "mL0 divides mAL1, or mAL1 holds all positions of a core", c->tile.m_l1,
                    c->tile.m_l0, core_share_of(c, saturate_mul(c->rows, c->columns), SPLIT_M));
        return;
    }
    rule_value(c, "hoL1", c->tile.h_l1);
    rule_value(c, "hoL0", c->tile.h_l0);
    tail_clause(c, place_of(c, WORD_HO_L0, WORD_TILE_H),
                "hoL0 divides hoL1, or hoL1 holds all rows of a core", c->tile.h_l1, c->tile.h_l0,
                core_share_of(c, c->rows, SPLIT_M));
}

static void l0_space_clause(struct rule_case *c, enum buffer buffer, enum plan_word word,
                            const char *name, uint64_t capacity)
{
    uint64_t slots = rule_slots(c, buffer);
    uint64_t slot = tile_slot_bytes(c->conv, &c->tile, buffer);
    uint64_t bytes = saturate_mul(slots, slot);

    rule_value(c, name, bytes);
    if (bytes <= capacity)
        return;
    rule_space_clause(c, word,
                      rule_text(c, "%s %s x %s", name, rule_number(c, slots), rule_number(c, slot)),
                      bytes, capacity, rule_text(c, "slots x tile <= %s", name),
                      slots > 1 && slot <= capacity ? rule_text(c, "one slot in %s", name) : "");
}

void rule_judge_vendor_l0_space(struct rule_case *c)
{
    if (lacks_output(c))
        return;
    l0_space_clause(c, BUFFER_L0A, place_of(c, WORD_K_L0, WORD_TILE_K), "L0A",
                    product_whole(c->product, PRODUCT_L0A_SIZE));
    l0_space_clause(c, BUFFER_L0B, place_of(c, WORD_K_L0, WORD_TILE_K), "L0B",
                    product_whole(c->product, PRODUCT_L0B_SIZE));
    l0_space_clause(c, BUFFER_L0C, place_of(c, WORD_N_L0, WORD_TILE_L0_N), "L0C",
                    product_whole(c->product, PRODUCT_L0C_SIZE));
    rule_clause(c, true, WORD_K_L0, "see below", "", "");
}

void rule_judge_vendor_l1_space(struct rule_case *c)
{
    if (lacks_output(c))
        return;
    uint64_t a_slots = rule_slots(c, BUFFER_L1A);
    uint64_t b_slots = rule_slots(c, BUFFER_L1B);
    uint64_t a = tile_slot_bytes(c->conv, &c->tile, BUFFER_L1A);
    uint64_t b = tile_slot_bytes(c->conv, &c->tile, BUFFER_L1B);
    uint64_t bias = tile_bias_bytes(c->conv, &c->tile);
    uint64_t total =
        saturate_add(saturate_add(saturate_mul(a_slots, a), saturate_mul(b_slots, b)), bias);
    uint64_t usable = tile_l1_usable(c->product);
    bool one_fits = saturate_add(saturate_add(a, b), bias) <= usable;
    const char *sum = rule_text(c, "%s x %s + %s x %s", rule_number(c, a_slots), rule_number(c, a),
                                rule_number(c, b_slots), rule_number(c, b));

    if (bias != 0)
        sum = rule_text(c, "%s + %s", sum, rule_number(c, bias));
    rule_value(c, "A", a);
    rule_value(c, "B", b);
    rule_value(c, "bias", bias);
    rule_value(c, "total", total);
    rule_value(c, "L1", usable);
    if (total <= usable) {
        rule_clause(c, true, WORD_K_AL1, rule_text(c, "%s = %s", sum, rule_number(c, total)), "",
                    "");
        return;
    }
    enum plan_word word = a >= b ? place_of(c, WORD_K_AL1, WORD_TILE_CIN_FMAP)
                                 : place_of(c, WORD_K_BL1, WORD_TILE_L1_N);
    rule_space_clause(c, word, sum, total, usable, "slots x A + slots x B + bias <= L1",
                      one_fits ? "one slot of A and of B" : "");
}
