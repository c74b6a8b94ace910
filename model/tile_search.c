#include "model/tile_search.h"

#include <assert.h>

#include "model/load3d_rate.h"
#include "model/rule_case.h"
#include "model/saturate.h"
#include "model/tile_legal.h"
#include "model/tile_space.h"
#include "model/tile_traffic.h"

enum {
    CANDIDATE_DENSE = 128,   /* that many multiples are all tried */
    CANDIDATE_SMALL = 32,    /* of more, the small ones, */
    CANDIDATE_BALANCED = 64, /* the ones that cut the whole into equal parts, */
    CANDIDATE_POWERS = 63,   /* and the powers of two */
    CANDIDATE_MAX = CANDIDATE_DENSE + CANDIDATE_BALANCED + CANDIDATE_POWERS
};

struct candidates {
    uint64_t value[CANDIDATE_MAX];
    size_t count;
};

struct candidate {
    struct tile_l1 l1;
    struct tile_l0 l0;
    uint64_t gm_bytes;
    uint64_t cycles; /* L1->L0 per multiply-accumulate, see cycles_per_mac */
};

struct search {
    const struct conv *conv;
    const struct product *product;
    enum rule_set set;
    const uint64_t *written;      /* slots that the plan asks for, by buffer; 0: its default */
    uint64_t slots[BUFFER_COUNT]; /* that a tile must have room for */
    uint64_t size, c0, area;
    uint64_t l0a, l0b, l0c, l1; /* bytes */
    uint64_t n_limit;           /* of tables with a place per channel */
    uint64_t b_rate, issue;     /* of MTE1: 2^-16 B/cycle and 2^-16 cycles */
    bool found;
    struct candidate best;
};

static void candidate_add(struct candidates *list, uint64_t value, uint64_t limit)
{
    assert(list->count < CANDIDATE_MAX);
    if (value >= 1 && value <= limit)
        list->value[list->count++] = value;
}

/* Multiples of step up to limit worth trying for something of size whole. */
static void candidates_list(struct candidates *list, uint64_t whole, uint64_t step, uint64_t limit)
{
    uint64_t units = saturate_min(saturate_align_up(whole, step), limit) / step;
    uint64_t small = units <= CANDIDATE_DENSE ? units : CANDIDATE_SMALL;

    list->count = 0;
    for (uint64_t i = 1; i <= small; i++)
        candidate_add(list, i * step, limit);
    if (units <= CANDIDATE_DENSE)
        return;
    for (uint64_t parts = 1; parts <= CANDIDATE_BALANCED; parts++)
        candidate_add(list, saturate_align_up(ceil_div(whole, parts), step), units * step);
    for (uint64_t power = CANDIDATE_SMALL; power <= units / 2; power *= 2)
        candidate_add(list, power * 2 * step, units * step);
}

static void search_init(struct search *s, const struct conv *conv, const struct product *product,
                        enum rule_set set, const uint64_t *written)
{
    *s = (struct search){
        .written = written,
        .conv = conv,
        .product = product,
        .set = set,
        .size = element_bytes(conv->dtype),
        .c0 = element_c0(conv->dtype),
        .area = conv->kernel[AXIS_H] * conv->kernel[AXIS_W],
        .l0a = product_whole(product, PRODUCT_L0A_SIZE),
        .l0b = product_whole(product, PRODUCT_L0B_SIZE),
        .l0c = product_whole(product, PRODUCT_L0C_SIZE),
        .l1 = tile_l1_usable(product),
        .n_limit = tile_n_most(conv, product),
        .b_rate = (uint64_t)product_value(product, PRODUCT_MTE1_L0B_RATE),
        .issue = (uint64_t)product_value(product, PRODUCT_MTE1_ISSUE),
    };
    if (set == RULES_DOCUMENT) {
        s->l0a = saturate_min(s->l0a, DOCUMENT_L0A_BYTES);
        s->l0b = saturate_min(s->l0b, DOCUMENT_L0B_BYTES);
        s->l0c = saturate_min(s->l0c, DOCUMENT_L0C_BYTES);
    }
}

/* Slots that are not written are the default: so many of L0A, L0B and L1, one of L0C. */
static void search_slots(struct search *s, uint64_t slots)
{
    for (enum buffer buffer = BUFFER_L1A; buffer < BUFFER_COUNT; buffer++) {
        uint64_t usual = buffer == BUFFER_L0C ? 1 : slots;
        s->slots[buffer] = s->written[buffer] != 0 ? s->written[buffer] : usual;
    }
}

/* Cycles from L1 to L0 per multiply-accumulate in 2^-36, without what instructions cost beyond
 * their bytes: size / (n * rate to L0A) + size / (m * rate to L0B). */
static uint64_t cycles_of_bytes(const struct search *s, const struct tile_l0 *l0)
{
    uint64_t columns = (uint64_t)s->conv->out[AXIS_W];
    /* The 16 positions of a fractal may reach beyond a row, and a single row is the widest. */
    uint64_t rows = l0->h * ceil_div(l0->w, saturate_min(l0->w, columns));
    uint64_t a_rate = load3d_rate(s->product, s->conv->stride[AXIS_W], rows).value;
    uint64_t m = l0->h * l0->w;
    uint64_t per_k = (m * s->size << 32) / a_rate + (l0->n * s->size << 32) / s->b_rate;

    return (per_k << 20) / (m * l0->n);
}

/* Instructions of a step, Load3D and Load2D: the older Load2D takes a row of fractals at a time
 * where the L0 tile is narrower than the L1 tile. */
static uint64_t step_loads(const struct search *s, uint64_t n_l1, const struct tile_l0 *l0)
{
    if (s->product->arch == ARCH_3510 || l0->n == n_l1)
        return 2;
    return 1 + saturate_min(l0->k / s->c0, l0->n / FRACTAL_ROWS);
}

static uint64_t cycles_per_mac(const struct search *s, uint64_t n_l1, const struct tile_l0 *l0)
{
    uint64_t issue = saturate_mul(step_loads(s, n_l1, l0) * s->issue, 1U << 20);

    return cycles_of_bytes(s, l0) + issue / (l0->h * l0->w * l0->n * l0->k);
}

/* Whether bytes and cycles alone already put a candidate without K behind the best one. */
static bool search_loses(const struct search *s, const struct candidate *candidate)
{
    if (!s->found)
        return false;
    if (candidate->gm_bytes != s->best.gm_bytes)
        return candidate->gm_bytes > s->best.gm_bytes;
    return cycles_of_bytes(s, &candidate->l0) > s->best.cycles;
}

static void search_offer(struct search *s, struct candidate *candidate)
{
    const struct tile_l0 *a = &candidate->l0;
    const struct tile_l0 *b = &s->best.l0;
    bool better = !s->found || candidate->gm_bytes < s->best.gm_bytes;

    candidate->cycles = cycles_per_mac(s, candidate->l1.n, a);
    if (!better && candidate->gm_bytes == s->best.gm_bytes) {
        better = candidate->cycles < s->best.cycles;
        bool equal = candidate->cycles == s->best.cycles;
        if (equal && a->k != b->k)
            better = a->k > b->k;
        else if (equal && a->n != b->n)
            better = a->n > b->n;
        else if (equal && a->w != b->w)
            better = a->w > b->w;
        else if (equal)
            better = a->h > b->h;
    }
    if (better) {
        s->best = *candidate;
        s->found = true;
    }
}

/* Rules 21 and R5 with the smallest K, for the slots that are asked for. */
static bool l0_has_room(const struct search *s, const struct tile_l0 *l0)
{
    uint64_t m = l0->h * l0->w;

    return m <= MMAD_MAX && l0->n <= MMAD_MAX && l0->n <= s->n_limit &&
           s->slots[BUFFER_L0A] * m * s->c0 * s->size <= s->l0a &&
           s->slots[BUFFER_L0B] * l0->n * s->c0 * s->size <= s->l0b &&
           s->slots[BUFFER_L0C] * m * l0->n * 4 <= s->l0c;
}

static bool l1_takes(const struct search *s, uint64_t a, uint64_t b, uint64_t bias)
{
    uint64_t operands =
        saturate_add(saturate_mul(a, s->slots[BUFFER_L1A]), saturate_mul(b, s->slots[BUFFER_L1B]));

    return saturate_add(operands, bias) <= s->l1;
}

/* Rule 22, and the slots that lowering lays out. */
static bool l1_has_room(const struct search *s, const struct tile_l1 *l1, const struct tile_l0 *l0)
{
    struct tile tile;
    struct tile_l1_bytes bytes =
        s->set == RULES_DOCUMENT ? tile_l1_space_document(s->conv, l1) : tile_l1_space(s->conv, l1);

    if (!l1_takes(s, bytes.a, bytes.b, bytes.bias))
        return false;
    tile_from_pypto(s->conv, l1, l0, &tile);
    return l1_takes(
        s, tile_slot_bytes(s->conv, &tile, BUFFER_L1A), tile_slot_bytes(s->conv, &tile, BUFFER_L1B),
        saturate_add(tile_bias_bytes(s->conv, &tile), tile_quant_bytes(s->conv, &tile)));
}

/* The largest K of an L0 tile that divides the K of the L1 tiles and fits; 0: none. */
static uint64_t k_largest(const struct search *s, uint64_t common, const struct tile_l0 *l0)
{
    uint64_t room_a = s->l0a / (s->slots[BUFFER_L0A] * l0->h * l0->w * s->size);
    uint64_t room_b = s->l0b / (s->slots[BUFFER_L0B] * l0->n * s->size);
    uint64_t k = saturate_min(saturate_min(room_a, room_b), MMAD_MAX);

    k = saturate_align_down(saturate_min(k, common), s->c0);
    while (k > 0 && common % k != 0)
        k -= s->c0;
    return k;
}

/* Completes a candidate with the channels in L1 and K that give the largest K, then the most
 * channels. Equal channels for A and B are enough: K divides both, hence the smaller one. */
static void search_channels(struct search *s, struct candidate *candidate)
{
    uint64_t whole = saturate_align_up(s->conv->cin_group, s->c0);
    uint64_t limit = s->set == RULES_DOCUMENT ? s->conv->cin_group : whole;
    struct candidates channels;
    uint64_t best_k = 0;
    uint64_t best_channels = 0;

    candidates_list(&channels, whole, s->c0, limit);
    for (size_t i = 0; i < channels.count; i++) {
        uint64_t cin = channels.value[i];
        if ((s->conv->rank == AXIS_COUNT && whole % cin != 0) || cin * s->area > LOAD3D_K_MAX)
            continue;
        candidate->l1.cin_fmap = cin;
        candidate->l1.cin_weight = cin;
        if (!l1_has_room(s, &candidate->l1, &candidate->l0))
            continue;
        uint64_t k = k_largest(s, cin * s->area, &candidate->l0);
        if (k > best_k || (k == best_k && cin > best_channels)) {
            best_k = k;
            best_channels = cin;
        }
    }
    if (best_k == 0)
        return;
    candidate->l1.cin_fmap = best_channels;
    candidate->l1.cin_weight = best_channels;
    candidate->l0.k = best_k;
    search_offer(s, candidate);
}

/* All N for one rectangle of output. */
static void search_n(struct search *s, const struct tile_axis *height,
                     const struct tile_axis *width)
{
    const struct conv *conv = s->conv;
    uint64_t row_bytes = s->slots[BUFFER_L0B] * s->c0 * s->size;
    struct candidates ns;
    struct candidate candidate = {
        .l1 = {.hin = tile_window(conv, AXIS_H, height->tile),
               .hout = height->tile,
               .win = tile_window(conv, AXIS_W, width->tile),
               .wout = width->tile,
               .batch = 1},
        .l0 = {.h = height->tile, .w = width->tile},
    };

    if (candidate.l1.hin > LOAD3D_SIZE_MAX || candidate.l1.win > LOAD3D_SIZE_MAX)
        return;
    candidates_list(&ns, conv->cout / conv->groups, FRACTAL_ROWS, s->l0b / row_bytes);
    for (size_t i = 0; i < ns.count; i++) {
        candidate.l0.n = ns.value[i];
        candidate.l1.n = ns.value[i];
        if (!l0_has_room(s, &candidate.l0) ||
            !tile_n_whole(conv, s->product, candidate.l1.n, candidate.l0.n))
            continue;
        candidate.gm_bytes = tile_traffic_bytes(conv, height, width, &candidate.l1, &candidate.l0);
        if (!search_loses(s, &candidate))
            search_channels(s, &candidate);
    }
}

static void search_rectangles(struct search *s)
{
    const struct conv *conv = s->conv;
    uint64_t m_most = s->l0a / (s->slots[BUFFER_L0A] * s->c0 * s->size);
    uint64_t columns = (uint64_t)conv->out[AXIS_W];
    /* Rule 13: one row per tile where rows are no whole fractals. */
    uint64_t rows = columns % FRACTAL_ROWS == 0 ? (uint64_t)conv->out[AXIS_H] : 1;
    struct candidates widths;
    struct candidates heights;
    struct tile_axis width_cuts[CANDIDATE_MAX];

    m_most = saturate_min(m_most, MMAD_MAX);
    candidates_list(&widths, columns, FRACTAL_ROWS, m_most);
    candidates_list(&heights, rows, 1, m_most / FRACTAL_ROWS);
    for (size_t w = 0; w < widths.count; w++)
        tile_axis_cut(conv, AXIS_W, widths.value[w], &width_cuts[w]);
    for (size_t h = 0; h < heights.count; h++) {
        struct tile_axis height;
        tile_axis_cut(conv, AXIS_H, heights.value[h], &height);
        for (size_t w = 0; w < widths.count; w++) {
            bool full = widths.value[w] == saturate_align_up(columns, FRACTAL_ROWS);
            if (heights.value[h] * widths.value[w] > m_most ||
                (s->set == RULES_VENDOR && heights.value[h] > 1 && !full))
                continue;
            search_n(s, &height, &width_cuts[w]);
        }
    }
}

bool tile_search(const struct conv *conv, const struct product *product, enum rule_set set,
                 const uint64_t *slots, struct tile_l1 *l1, struct tile_l0 *l0)
{
    struct search s;

    search_init(&s, conv, product, set, slots);
    for (uint64_t each = 2; each >= 1 && !s.found; each--) {
        search_slots(&s, each);
        search_rectangles(&s);
    }
    if (s.found) {
        *l1 = s.best.l1;
        *l0 = s.best.l0;
    }
    return s.found;
}

static bool vendor_l0_legal(const struct search *s, const struct tile_l1 *l1,
                            const struct tile_l0 *l0)
{
    uint64_t columns = saturate_align_up((uint64_t)s->conv->out[AXIS_W], FRACTAL_ROWS);
    bool full = l0->w == l1->wout && l1->wout == columns;
    bool whole_n = l1->n >= s->conv->cout / s->conv->groups;

    return (l0->h == 1 || full) && (l1->n % l0->n == 0 || whole_n);
}

/* All L0 tiles under candidate->l1 of a height and width. */
static void search_l0_n(struct search *s, struct candidate *candidate,
                        const struct tile_axis *height, const struct tile_axis *width)
{
    uint64_t common =
        rule_common_divisor(candidate->l1.cin_fmap * s->area, candidate->l1.cin_weight * s->area);
    uint64_t row_bytes = s->slots[BUFFER_L0B] * s->c0 * s->size;
    struct candidates ns;

    candidates_list(&ns, candidate->l1.n, FRACTAL_ROWS,
                    saturate_min(candidate->l1.n, s->l0b / row_bytes));
    for (size_t i = 0; i < ns.count; i++) {
        candidate->l0.n = ns.value[i];
        if (!l0_has_room(s, &candidate->l0))
            continue;
        candidate->l0.k = k_largest(s, common, &candidate->l0);
        if (candidate->l0.k == 0 ||
            !rules_l0_legal(s->conv, s->product, &candidate->l1, &candidate->l0))
            continue;
        if (s->set == RULES_VENDOR && !vendor_l0_legal(s, &candidate->l1, &candidate->l0))
            continue;
        candidate->gm_bytes =
            tile_traffic_bytes(s->conv, height, width, &candidate->l1, &candidate->l0);
        search_offer(s, candidate);
    }
}

bool tile_search_l0(const struct conv *conv, const struct product *product, enum rule_set set,
                    const uint64_t *slots, const struct tile_l1 *l1, struct tile_l0 *l0)
{
    struct search s;
    struct candidate candidate = {.l1 = *l1};
    struct tile_axis height;
    struct tile_axis width;

    if (!rules_l1_legal(conv, product, l1))
        return false;
    search_init(&s, conv, product, set, slots);
    tile_axis_cut(conv, AXIS_H, l1->hout, &height);
    tile_axis_cut(conv, AXIS_W, l1->wout, &width);
    for (uint64_t each = 2; each >= 1 && !s.found; each--) {
        search_slots(&s, each);
        uint64_t m_most = s.l0a / (s.slots[BUFFER_L0A] * s.c0 * s.size);
        /* R1 and R2: the L0 tile divides the L1 tile. */
        for (uint64_t w = FRACTAL_ROWS; w <= l1->wout && w <= m_most; w += FRACTAL_ROWS) {
            for (uint64_t h = 1; h <= l1->hout && h * w <= m_most; h++) {
                if (l1->wout % w != 0 || l1->hout % h != 0)
                    continue;
                candidate.l0 = (struct tile_l0){.h = h, .w = w};
                search_l0_n(&s, &candidate, &height, &width);
            }
        }
    }
    if (s.found)
        *l0 = s.best.l0;
    return s.found;
}
