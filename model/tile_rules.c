#include "model/tile_rules.h"

#include <assert.h>
#include <string.h>

#include "model/rule_case.h"
#include "model/saturate.h"
#include "model/tile_buffers.h"
#include "model/tile_nearest.h"
#include "model/tile_space.h"

/* The words of rule.def for sets of rule sets. */
enum {
    NOWHERE = 0,
    NONE = 0,
    PYPTO = 1 << RULES_PYPTO,
    DOCUMENT = 1 << RULES_DOCUMENT,
    STRICT = 1 << RULES_STRICT,
    VENDOR = 1 << RULES_VENDOR,
    MATMUL = 1 << RULES_MATMUL,
    CODE = PYPTO | STRICT,
    EVERY = PYPTO | DOCUMENT | STRICT | VENDOR
};

enum { CONV_RULE_COUNT = 9, MATMUL_RULE_COUNT = 1 };

struct rule_row {
    const char *id;
    unsigned sets, decides, needed; /* bits by enum rule_set */
    void (*judge)(struct rule_case *c);
    const char *what, *formula;
};

static const struct rule_row rule_rows[] = {
#define RULE(id, sets, decides, needed, judge, what, formula)                                      \
    {id, sets, decides, needed, rule_judge_##judge, what, formula},
#include "model/rule.def"
#undef RULE
};

static void case_tiles(struct rule_case *c)
{
    const struct plan *plan = c->plan;
    bool pypto = plan->form == TILE_PYPTO;

    if (pypto && c->set != RULES_VENDOR) {
        c->l1 = &plan->l1;
        c->l0 = plan->has_l0 ? &plan->l0 : NULL;
    } else if (pypto && plan->has_l0) {
        tile_vendor_from_pypto(c->conv, &plan->l1, &plan->l0, &c->translated);
        c->vendor = &c->translated;
    } else if (plan->form == TILE_VENDOR) {
        c->vendor = &plan->vendor;
    } else if (plan->form == TILE_MATMUL) {
        c->base = &plan->base;
    }
    if (c->base != NULL)
        tile_from_matmul(c->conv, c->base, &c->tile);
    else if (c->vendor != NULL)
        tile_from_vendor(c->conv, c->vendor, &c->tile);
    else if (c->l0 != NULL)
        tile_from_pypto(c->conv, c->l1, c->l0, &c->tile);
}

/* K of the L1 tiles: pypto's, the page's without kernel depths, the vendor's as given. */
static void case_k(struct rule_case *c)
{
    if (c->base != NULL) {
        c->k_a = c->depth_k_a = c->tile.k_a;
        c->k_b = c->depth_k_b = c->tile.k_b;
        return;
    }
    if (c->vendor != NULL) {
        c->k_a = c->vendor->k_al1;
        c->k_b = c->vendor->k_bl1;
        c->depth_k_a = c->tile.k_a;
        c->depth_k_b = c->tile.k_b;
        return;
    }
    if (c->l1 == NULL)
        return;
    c->depth_k_a = saturate_mul(c->l1->cin_fmap, c->area);
    c->depth_k_b = saturate_mul(c->l1->cin_weight, c->area);
    if (c->set == RULES_DOCUMENT) {
        c->k_a = saturate_align_up(c->depth_k_a, c->c0);
        c->k_b = saturate_align_up(c->depth_k_b, c->c0);
    } else {
        c->k_a = tile_k_l1(c->conv, c->l1->cin_fmap);
        c->k_b = tile_k_l1(c->conv, c->l1->cin_weight);
    }
}

static void case_extent(struct rule_case *c)
{
    const struct tile *tile = &c->tile;

    if (c->rows == 0 || c->columns == 0)
        return;
    if (tile->linear_m) {
        c->input_rows = tile_window(c->conv, AXIS_H, tile_linear_rows(c->conv, tile->m_l1));
        c->input_columns = c->conv->in[AXIS_W];
        c->m_start = saturate_add(tile_linear_start(c->conv, tile->m_l1), tile->m_l1);
        return;
    }
    c->input_rows = tile_window(c->conv, AXIS_H, tile->h_l1);
    c->input_columns = tile_window(c->conv, AXIS_W, tile->w_l1);
    c->m_start = saturate_mul(tile->h_l1, tile->w_l1);
}

/* A tile in the vendor's form and a matrix product have sets of their own. */
static enum rule_set plan_rule_set(const struct plan *plan, enum rule_set set)
{
    if (plan->matmul)
        return RULES_MATMUL;
    assert(set != RULES_MATMUL);
    return plan->form == TILE_VENDOR ? RULES_VENDOR : set;
}

static void case_init(struct rule_case *c, const struct plan *plan, enum rule_set set,
                      struct arena *arena)
{
    const struct conv *conv = &plan->conv;
    uint64_t groups = conv->groups > 0 ? conv->groups : 1;

    *c = (struct rule_case){
        .plan = plan,
        .conv = conv,
        .product = plan->product,
        .set = plan_rule_set(plan, set),
        .arena = arena,
        .size = element_bytes(conv->dtype),
        .c0 = element_c0(conv->dtype),
        .area = saturate_mul(conv->kernel[AXIS_H], conv->kernel[AXIS_W]),
        .cout_group = conv->cout / groups,
        .rows = conv->out[AXIS_H] > 0 ? (uint64_t)conv->out[AXIS_H] : 0,
        .columns = conv->out[AXIS_W] > 0 ? (uint64_t)conv->out[AXIS_W] : 0,
    };
    c->cin_aligned = saturate_align_up(conv->cin_group, c->c0);
    c->n_aligned = saturate_align_up(c->cout_group, FRACTAL_ROWS);
    c->columns_aligned = saturate_align_up(c->columns, FRACTAL_ROWS);
    case_tiles(c);
    case_k(c);
    case_extent(c);
}

static void rule_run(struct rule_case *c, const struct rule_row *row, struct rule_verdict *verdict)
{
    unsigned set = 1U << c->set;

    *verdict = (struct rule_verdict){
        .id = row->id,
        .what = row->what,
        .formula = row->formula,
        .ok = true,
        .judged = true,
        .decides = (row->decides & set) != 0,
        .needed_to_run = (row->needed & set) != 0,
        .message = "",
        .nearest = "",
        .word = WORD_RULES,
    };
    c->verdict = verdict;
    c->held = "";
    c->broken = "";
    row->judge(c);
    verdict->numbers = verdict->ok ? c->held : c->broken;
}

static void rules_run(struct rule_case *c, struct rule_report *report)
{
    for (size_t i = 0; i < sizeof rule_rows / sizeof rule_rows[0]; i++) {
        if ((rule_rows[i].sets & 1U << c->set) == 0)
            continue;
        assert(report->count < RULE_COUNT_MAX);
        struct rule_verdict *verdict = &report->verdicts[report->count++];
        c->holds = report->runnable;
        rule_run(c, &rule_rows[i], verdict);
        report->legal = report->legal && (verdict->ok || !verdict->decides);
        report->runnable =
            report->runnable && (verdict->ok || (!verdict->decides && !verdict->needed_to_run));
        if (report->count == report->problem_count)
            c->conv_holds = report->legal;
    }
}

static void buffer_add(struct rule_report *report, const char *name, uint64_t capacity,
                       uint64_t single, uint64_t twice, uint64_t planned)
{
    report->buffers[report->buffer_count++] = (struct buffer_row){
        .buffer = name,
        .capacity_bytes = capacity,
        .single_bytes = single,
        .double_bytes = twice,
        .fits_single = single <= capacity,
        .fits_double = twice <= capacity,
        .planned = planned,
    };
}

/* L1 as the rules count it: two slots of A and of B, the bias once. */
static void buffer_l1(const struct rule_case *c, struct rule_report *report,
                      const struct buffer_plan *choice)
{
    uint64_t operands = 0;
    uint64_t bias = 0;

    if (c->l1 != NULL) {
        struct tile_l1_bytes bytes = c->set == RULES_DOCUMENT
                                         ? tile_l1_space_document(c->conv, c->l1)
                                         : tile_l1_space(c->conv, c->l1);
        operands = saturate_add(bytes.a, bytes.b);
        bias = bytes.bias;
    } else {
        operands = saturate_add(choice->slot[BUFFER_L1A], choice->slot[BUFFER_L1B]);
        bias = choice->bias;
    }
    buffer_add(report, "L1", tile_l1_usable(c->product), saturate_add(operands, bias),
               saturate_add(saturate_mul(operands, 2), bias), choice->chosen[BUFFER_L1A]);
    report->buffers[report->buffer_count - 1].planned_b = choice->chosen[BUFFER_L1B];
}

/* A pypto tile of L0 takes what its fields multiply to; legal ones are whole fractals. */
static uint64_t l0_bytes(const struct rule_case *c, enum buffer buffer)
{
    if (c->l0 == NULL)
        return tile_slot_bytes(c->conv, &c->tile, buffer);
    uint64_t m = saturate_mul(c->l0->h, c->l0->w);
    if (buffer == BUFFER_L0A)
        return saturate_mul(saturate_mul(m, c->l0->k), c->size);
    if (buffer == BUFFER_L0B)
        return saturate_mul(saturate_mul(c->l0->k, c->l0->n), c->size);
    return saturate_mul(saturate_mul(m, c->l0->n), 4);
}

/* A table with a place of so many bytes for each channel of an L0 tile. */
static void buffer_table(const struct rule_case *c, struct rule_report *report, const char *name,
                         enum product_key key, uint64_t place)
{
    uint64_t bytes = saturate_mul(c->tile.n_l0, place);

    buffer_add(report, name, product_whole(c->product, key), bytes, bytes, 1);
}

static void buffer_rows(const struct rule_case *c, struct rule_report *report)
{
    static const struct {
        enum buffer buffer;
        enum product_key key;
        const char *name;
    } l0_rows[] = {{BUFFER_L0A, PRODUCT_L0A_SIZE, "L0A"},
                   {BUFFER_L0B, PRODUCT_L0B_SIZE, "L0B"},
                   {BUFFER_L0C, PRODUCT_L0C_SIZE, "L0C"}};
    struct buffer_plan choice = {.bias = 0};
    bool whole = rule_has_tile(c);

    if (whole)
        buffers_choose(c->plan, c->product, &c->tile, &choice);
    if (whole || c->l1 != NULL)
        buffer_l1(c, report, &choice);
    if (!whole)
        return;
    for (size_t i = 0; i < sizeof l0_rows / sizeof l0_rows[0]; i++) {
        uint64_t bytes = l0_bytes(c, l0_rows[i].buffer);
        buffer_add(report, l0_rows[i].name, product_whole(c->product, l0_rows[i].key), bytes,
                   saturate_mul(bytes, 2), choice.chosen[l0_rows[i].buffer]);
    }
    if (c->conv->bias && c->product->number[PRODUCT_BT_SIZE].present)
        buffer_table(c, report, "BT", PRODUCT_BT_SIZE, 4);
    if (c->conv->quant.by_channel && c->product->number[PRODUCT_FB_SIZE].present)
        buffer_table(c, report, "FB", PRODUCT_FB_SIZE, 8);
}

enum status rules_check(const struct plan *plan, enum rule_set set, struct arena *arena,
                        struct rule_report *report)
{
    struct rule_case c;

    assert(plan->product != NULL && (unsigned)set < RULES_COUNT);
    case_init(&c, plan, set, arena);
    *report = (struct rule_report){.legal = true,
                                   .runnable = true,
                                   .set = c.set,
                                   .problem_count =
                                       c.set == RULES_MATMUL ? MATMUL_RULE_COUNT : CONV_RULE_COUNT,
                                   .nearest_plan = "",
                                   .nearest_plan_double = ""};
    rules_run(&c, report);
    buffer_rows(&c, report);
    if (!report->runnable && c.conv_holds) {
        report->nearest_plan = tile_nearest_text(&c, 1);
        report->nearest_plan_double = tile_nearest_text(&c, 2);
        /* When one slot's answer already has room for two, there is nothing to add. */
        if (strchr(report->nearest_plan, '(') == NULL)
            report->nearest_plan_double = "";
    }
    return c.no_memory ? STATUS_NO_MEMORY : STATUS_OK;
}
