#include "model/tile_nearest.h"

#include <assert.h>
#include <string.h>

#include "model/saturate.h"
#include "model/tile_legal.h"
#include "model/tile_space.h"

struct nearest {
    const struct conv *conv;
    const struct product *product;
    enum rule_set set;
    uint64_t slots;
    uint64_t size, c0, area;
    uint64_t n_step;            /* of output channels */
    uint64_t l0a, l0b, l0c, l1; /* bytes */
    bool divide;                /* R1 and R2 belong to the set */
};

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

/* The multiple of step in low .. high (multiples themselves) nearest to value, of two the larger.
 */
static uint64_t nearest_multiple(uint64_t value, uint64_t step, uint64_t low, uint64_t high)
{
    uint64_t inside = clamp(value, low, high);
    uint64_t below = saturate_align_down(inside, step);

    if (inside == below)
        return below;
    return inside - below < below + step - inside ? below : below + step;
}

/* The largest multiple of step up to value that divides whole, which step divides. */
static uint64_t divisor_below(uint64_t whole, uint64_t value, uint64_t step)
{
    uint64_t divisor = saturate_align_down(saturate_min(value, whole), step);

    while (divisor > step && whole % divisor != 0)
        divisor -= step;
    return divisor;
}

static void nearest_init(struct nearest *s, const struct conv *conv, const struct product *product,
                         enum rule_set set, uint64_t slots)
{
    *s = (struct nearest){
        .conv = conv,
        .product = product,
        .set = set,
        .slots = slots,
        .size = element_bytes(conv->dtype),
        .c0 = element_c0(conv->dtype),
        .area = conv->kernel[AXIS_H] * conv->kernel[AXIS_W],
        .n_step = saturate_min(tile_n_step(conv, product),
                               saturate_align_up(conv->cout / conv->groups, FRACTAL_ROWS)),
        .l0a = product_whole(product, PRODUCT_L0A_SIZE),
        .l0b = product_whole(product, PRODUCT_L0B_SIZE),
        .l0c = product_whole(product, PRODUCT_L0C_SIZE),
        .l1 = tile_l1_usable(product),
        .divide = set != RULES_PYPTO,
    };
    if (set == RULES_DOCUMENT) {
        s->l0a = saturate_min(s->l0a, DOCUMENT_L0A_BYTES);
        s->l0b = saturate_min(s->l0b, DOCUMENT_L0B_BYTES);
        s->l0c = saturate_min(s->l0c, DOCUMENT_L0C_BYTES);
    }
}

static uint64_t cin_limit(const struct nearest *s)
{
    if (s->set == RULES_DOCUMENT)
        return saturate_align_down(s->conv->cin_group, s->c0);
    return saturate_align_up(s->conv->cin_group, s->c0);
}

/* R4: in 3-D the channels of a chunk divide those of the convolution. */
static uint64_t cin_settled(const struct nearest *s, uint64_t cin)
{
    if (s->conv->rank < AXIS_COUNT)
        return cin;
    return divisor_below(saturate_align_up(s->conv->cin_group, s->c0), cin, s->c0);
}

static bool l1_fits(const struct nearest *s, const struct tile_l1 *l1)
{
    struct tile_l1_bytes bytes =
        s->set == RULES_DOCUMENT ? tile_l1_space_document(s->conv, l1) : tile_l1_space(s->conv, l1);
    uint64_t operands = saturate_mul(saturate_add(bytes.a, bytes.b), s->slots);

    return saturate_add(operands, bytes.bias) <= s->l1;
}

/* Lowers *value, a field of *l1, to the largest multiple of step with which the tile fits, or to
 * step when none does. */
static bool l1_shrink(const struct nearest *s, const struct tile_l1 *l1, uint64_t *value,
                      uint64_t step)
{
    uint64_t fits = 0;
    uint64_t fails = *value / step + 1;

    while (fails - fits > 1) {
        uint64_t middle = fits + (fails - fits) / 2;
        *value = middle * step;
        if (l1_fits(s, l1))
            fits = middle;
        else
            fails = middle;
    }
    *value = (fits != 0 ? fits : 1) * step;
    return fits != 0;
}

static bool l1_settle_space(const struct nearest *s, struct tile_l1 *l1)
{
    struct tile_l1_bytes bytes = tile_l1_space(s->conv, l1);
    struct {
        uint64_t *value;
        uint64_t step;
    } fields[] = {{&l1->hout, 1},
                  {&l1->cin_fmap, s->c0},
                  {&l1->wout, FRACTAL_ROWS},
                  {&l1->n, s->n_step},
                  {&l1->cin_weight, s->c0}};
    enum { FIELDS = sizeof fields / sizeof fields[0], OF_A = 3 };
    size_t first = bytes.a >= bytes.b ? 0 : OF_A;

    for (size_t i = 0; i < FIELDS && !l1_fits(s, l1); i++) {
        size_t field = (first + i) % FIELDS;
        if (l1_shrink(s, l1, fields[field].value, fields[field].step))
            break;
    }
    return l1_fits(s, l1);
}

static bool l1_settle(const struct nearest *s, struct tile_l1 *l1)
{
    const struct conv *conv = s->conv;
    uint64_t rows = (uint64_t)conv->out[AXIS_H];
    uint64_t columns = (uint64_t)conv->out[AXIS_W];
    uint64_t channels = saturate_align_up(conv->cout / conv->groups, FRACTAL_ROWS);
    uint64_t most_cin =
        saturate_min(cin_limit(s), saturate_align_down(LOAD3D_K_MAX / s->area, s->c0));

    if (most_cin < s->c0)
        return false;
    l1->hin = clamp(l1->hin, 1, conv->in[AXIS_H]);
    l1->win = clamp(l1->win, 1, conv->in[AXIS_W]);
    l1->batch = 1;
    l1->cin_fmap = cin_settled(s, nearest_multiple(l1->cin_fmap, s->c0, s->c0, most_cin));
    l1->cin_weight = cin_settled(s, nearest_multiple(l1->cin_weight, s->c0, s->c0, cin_limit(s)));
    l1->n = nearest_multiple(l1->n, s->n_step, s->n_step, saturate_align_down(channels, s->n_step));
    l1->wout = nearest_multiple(l1->wout, FRACTAL_ROWS, FRACTAL_ROWS,
                                saturate_min(saturate_align_up(columns, FRACTAL_ROWS),
                                             saturate_align_down(LOAD3D_SIZE_MAX, FRACTAL_ROWS)));
    l1->hout = columns % FRACTAL_ROWS != 0 ? 1 : clamp(l1->hout, 1, rows);
    l1->hout = saturate_min(l1->hout, LOAD3D_SIZE_MAX / l1->wout);
    if (!l1_settle_space(s, l1))
        return false;
    l1->cin_fmap = cin_settled(s, l1->cin_fmap);
    l1->cin_weight = cin_settled(s, l1->cin_weight);
    return true;
}

/* Lowers the rectangle and N until the smallest K fits into L0A and L0B, and the tile into L0C. */
static bool l0_settle_space(const struct nearest *s, struct tile_l0 *l0)
{
    uint64_t k_bytes = s->slots * s->c0 * s->size;
    uint64_t m_most = saturate_min(s->l0a / k_bytes, MMAD_MAX);
    uint64_t n_most =
        saturate_min(saturate_min(s->l0b / k_bytes, MMAD_MAX), tile_n_most(s->conv, s->product));

    n_most = saturate_align_down(n_most, s->n_step);
    if (m_most < FRACTAL_ROWS || n_most == 0)
        return false;
    l0->n = saturate_min(l0->n, n_most);
    l0->w = saturate_min(l0->w, saturate_align_down(m_most, FRACTAL_ROWS));
    l0->h = saturate_min(l0->h, m_most / l0->w);
    uint64_t most = s->l0c / 4 / (l0->h * l0->w);
    if (most < FRACTAL_ROWS) {
        l0->w = saturate_min(l0->w, saturate_align_down(s->l0c / 4 / FRACTAL_ROWS, FRACTAL_ROWS));
        if (l0->w == 0)
            return false;
        l0->h = saturate_min(l0->h, s->l0c / 4 / FRACTAL_ROWS / l0->w);
        most = s->l0c / 4 / (l0->h * l0->w);
    }
    l0->n = saturate_min(l0->n, saturate_align_down(most, s->n_step));
    return l0->n > 0;
}

/* The K nearest to *k that divides that of the L1 tiles and fits; of two the larger. */
static bool k_settle(const struct nearest *s, const struct tile_l1 *l1, struct tile_l0 *l0)
{
    uint64_t common = rule_common_divisor(l1->cin_fmap * s->area, l1->cin_weight * s->area);
    uint64_t room_a = s->l0a / (s->slots * l0->h * l0->w * s->size);
    uint64_t room_b = s->l0b / (s->slots * l0->n * s->size);
    uint64_t most = saturate_min(saturate_min(room_a, room_b), MMAD_MAX);
    uint64_t best = 0;

    for (uint64_t k = s->c0; k <= most && k <= common; k += s->c0) {
        uint64_t far = k > l0->k ? k - l0->k : l0->k - k;
        uint64_t best_far = best > l0->k ? best - l0->k : l0->k - best;
        if (common % k == 0 && (best == 0 || far <= best_far))
            best = k;
    }
    l0->k = best;
    return best != 0;
}

static bool l0_settle(const struct nearest *s, const struct tile_l1 *l1, struct tile_l0 *l0)
{
    l0->h = clamp(l0->h, 1, l1->hout);
    l0->w = nearest_multiple(l0->w, FRACTAL_ROWS, FRACTAL_ROWS, l1->wout);
    l0->n = nearest_multiple(l0->n, s->n_step, s->n_step, l1->n);
    if (!l0_settle_space(s, l0))
        return false;
    if (s->divide) {
        l0->h = divisor_below(l1->hout, l0->h, 1);
        l0->w = divisor_below(l1->wout, l0->w, FRACTAL_ROWS);
    }
    if (l0->w != l1->wout)
        l0->h = saturate_min(l0->h, LOAD3D_REPEAT_MAX);
    if (s->divide)
        l0->h = divisor_below(l1->hout, l0->h, 1);
    return k_settle(s, l1, l0);
}

bool tile_nearest(const struct conv *conv, const struct product *product, enum rule_set set,
                  uint64_t slots, struct tile_l1 *l1, struct tile_l0 *l0)
{
    struct nearest s;

    assert(set != RULES_VENDOR && (slots == 1 || slots == 2));
    nearest_init(&s, conv, product, set, slots);
    if (!l1_settle(&s, l1) || !rules_l1_legal(conv, product, l1))
        return false;
    return l0 == NULL || (l0_settle(&s, l1, l0) && rules_l0_legal(conv, product, l1, l0));
}

static const char *change_text(struct rule_case *c, const char *text, const char *name,
                               uint64_t from, uint64_t to)
{
    if (from == to)
        return text;
    return rule_text(c, "%s%s%s %s", text, text[0] == '\0' ? "" : ", ", name, rule_number(c, to));
}

static const char *changes_text(struct rule_case *c, const struct tile_l1 *l1,
                                const struct tile_l0 *l0)
{
    const char *text = "";

    text = change_text(c, text, "tileHin", c->l1->hin, l1->hin);
    text = change_text(c, text, "tileHout", c->l1->hout, l1->hout);
    text = change_text(c, text, "tileWin", c->l1->win, l1->win);
    text = change_text(c, text, "tileWout", c->l1->wout, l1->wout);
    text = change_text(c, text, "tileCinFmap", c->l1->cin_fmap, l1->cin_fmap);
    text = change_text(c, text, "tileCinWeight", c->l1->cin_weight, l1->cin_weight);
    text = change_text(c, text, "tile_l1.tileN", c->l1->n, l1->n);
    text = change_text(c, text, "tileBatch", c->l1->batch, l1->batch);
    if (c->l0 == NULL)
        return text;
    text = change_text(c, text, "tileH", c->l0->h, l0->h);
    text = change_text(c, text, "tileW", c->l0->w, l0->w);
    text = change_text(c, text, "tileK", c->l0->k, l0->k);
    return change_text(c, text, "tile_l0.tileN", c->l0->n, l0->n);
}

/* "one slot in L0A and L0B", "" when two fit everywhere. */
static const char *single_text(struct rule_case *c, bool l1, bool l0a, bool l0b)
{
    const struct {
        bool single;
        const char *name;
    } buffers[] = {{l1, "L1"}, {l0a, "L0A"}, {l0b, "L0B"}};
    const char *names[3];
    size_t count = 0;

    for (size_t i = 0; i < 3; i++)
        if (buffers[i].single)
            names[count++] = buffers[i].name;
    if (count == 0)
        return "";
    if (count == 1)
        return rule_text(c, " (one slot in %s)", names[0]);
    if (count == 2)
        return rule_text(c, " (one slot in %s and %s)", names[0], names[1]);
    return rule_text(c, " (one slot in %s, %s and %s)", names[0], names[1], names[2]);
}

static const char *slots_text(struct rule_case *c, uint64_t slots, const struct tile_l1 *l1,
                              const struct tile_l0 *l0)
{
    struct nearest s;
    uint64_t a = saturate_mul(saturate_mul(l0->h, l0->w), saturate_mul(l0->k, c->size)) * 2;
    uint64_t b = saturate_mul(saturate_mul(l0->k, l0->n), c->size) * 2;

    nearest_init(&s, c->conv, c->product, c->set, 2);
    if (slots == 1)
        return single_text(c, !l1_fits(&s, l1), a > s.l0a, b > s.l0b);
    if (c->l0 == NULL)
        return "";
    if (a == b)
        return rule_text(c, " (%s B each)", rule_number(c, a));
    return rule_text(c, " (L0A %s B, L0B %s B)", rule_number(c, a), rule_number(c, b));
}

const char *tile_nearest_text(struct rule_case *c, uint64_t slots)
{
    struct tile_l1 l1;
    struct tile_l0 l0 = {0};

    if (c->l1 == NULL)
        return "";
    l1 = *c->l1;
    if (c->l0 != NULL)
        l0 = *c->l0;
    if (!tile_nearest(c->conv, c->product, c->set, slots, &l1, c->l0 != NULL ? &l0 : NULL))
        return "";
    const char *text = changes_text(c, &l1, &l0);
    if (text[0] == '\0')
        return "";
    return rule_text(c, "%s%s", text, slots_text(c, slots, &l1, &l0));
}
