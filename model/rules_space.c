/* Rules 21 and 22: the room in L0A, L0B, L0C and L1 (docs/tiling.md sections 1.1 and 1.3). */
#include "model/rule_case.h"

#include "model/saturate.h"
#include "model/tile_space.h"

/* What rule 21 of a set multiplies and compares with. */
struct l0_space {
    uint64_t h, w;   /* of the L0 tile as written */
    uint64_t m;      /* positions that count, */
    uint64_t m_step; /* in multiples of that many */
    uint64_t k, n;   /* K and N that count */
    uint64_t a_capacity, b_capacity, c_capacity;
    uint64_t a_bytes, b_bytes, c_bytes;
};

static uint64_t product_of(uint64_t a, uint64_t b, uint64_t c)
{
    return saturate_mul(saturate_mul(a, b), c);
}

/* The K that fits into L0A and L0B beside m and n; 0: none does. */
static uint64_t k_fit(const struct rule_case *c, const struct l0_space *s)
{
    uint64_t row = saturate_mul(s->m, c->size);
    uint64_t column = saturate_mul(s->n, c->size);
    uint64_t most = s->k;

    if (row != 0)
        most = saturate_min(most, s->a_capacity / row);
    if (column != 0)
        most = saturate_min(most, s->b_capacity / column);
    return rule_k_below(c, most, most);
}

static const char *k_text(struct rule_case *c, uint64_t k)
{
    if (c->k_a == c->k_b)
        return rule_text(c, "tileK %s (the next smaller that divides %s)", rule_number(c, k),
                         rule_number(c, c->k_a));
    return rule_text(c, "tileK %s (the next smaller that divides %s and %s)", rule_number(c, k),
                     rule_number(c, c->k_a), rule_number(c, c->k_b));
}

static uint64_t room_of(uint64_t capacity, uint64_t each)
{
    return each == 0 ? SATURATE_MAX : capacity / each;
}

/* Lowers the rows, or to one row and its columns, until room takes all positions. */
static bool m_shrink(struct l0_space *s, uint64_t room)
{
    uint64_t most = saturate_align_down(room, s->m_step);
    uint64_t columns = saturate_align_down(most, FRACTAL_ROWS);

    if (saturate_mul(s->h, s->w) <= most)
        return true;
    if (most < s->w && columns == 0)
        return false;
    s->h = most < s->w ? 1 : most / s->w;
    s->w = most < s->w ? columns : s->w;
    s->m = saturate_align_up(saturate_mul(s->h, s->w), s->m_step);
    return true;
}

/* Lowers N until room takes it. */
static bool n_shrink(struct l0_space *s, uint64_t room)
{
    uint64_t most = saturate_align_down(room, FRACTAL_ROWS);

    if (most != 0)
        s->n = saturate_min(s->n, most);
    return most != 0;
}

/* L0A and L0B: by K where one fits, else by positions and channels; then L0C. */
static bool l0_shrink(const struct rule_case *c, struct l0_space *s)
{
    uint64_t k = k_fit(c, s);
    bool ok = true;

    if (s->a_bytes > s->a_capacity || s->b_bytes > s->b_capacity) {
        s->k = k != 0 ? k : s->k;
        ok = m_shrink(s, room_of(s->a_capacity, saturate_mul(s->k, c->size))) &&
             n_shrink(s, room_of(s->b_capacity, saturate_mul(s->k, c->size)));
    }
    if (product_of(s->m, s->n, 4) <= s->c_capacity)
        return ok;
    if (!n_shrink(s, room_of(s->c_capacity, saturate_mul(s->m, 4))))
        ok = ok && m_shrink(s, room_of(s->c_capacity, saturate_mul(s->n, 4)));
    return ok && product_of(s->m, s->n, 4) <= s->c_capacity;
}

static const char *l0_nearest(struct rule_case *c, const struct l0_space *s)
{
    struct l0_space fit = *s;

    if (!l0_shrink(c, &fit))
        return "";
    const char *text = fit.k != s->k ? k_text(c, fit.k) : "";
    const struct {
        const char *name;
        uint64_t from, to;
    } rows[] = {{"tileH", s->h, fit.h}, {"tileW", s->w, fit.w}, {"tile_l0.tileN", s->n, fit.n}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].from != rows[i].to)
            text = rule_text(c, "%s%s%s %s", text, text[0] == '\0' ? "" : ", ", rows[i].name,
                             rule_number(c, rows[i].to));
    return text;
}

/* The nearest of all three stands behind the first that is broken. */
static const char *l0_nearest_once(struct rule_case *c, const struct l0_space *s)
{
    return c->verdict->ok ? l0_nearest(c, s) : "";
}

static void l0a_clause(struct rule_case *c, const struct l0_space *s)
{
    rule_space_clause(c, WORD_TILE_K,
                      rule_text(c, "%s x %s x %s x %s", rule_number(c, s->h), rule_number(c, s->w),
                                rule_number(c, s->k), rule_number(c, c->size)),
                      s->a_bytes, s->a_capacity,
                      rule_text(c, "tileH x tileW x tileK x %s B <= L0A", rule_number(c, c->size)),
                      l0_nearest_once(c, s));
}

static void l0b_clause(struct rule_case *c, const struct l0_space *s)
{
    rule_space_clause(c, WORD_TILE_K,
                      rule_text(c, "%s x %s x %s", rule_number(c, s->k), rule_number(c, s->n),
                                rule_number(c, c->size)),
                      s->b_bytes, s->b_capacity,
                      rule_text(c, "tileK x tileN x %s B <= L0B", rule_number(c, c->size)),
                      l0_nearest_once(c, s));
}

static void l0c_clause(struct rule_case *c, const struct l0_space *s)
{
    rule_space_clause(c, WORD_TILE_L0_N,
                      rule_text(c, "%s x %s x %s x 4", rule_number(c, s->h), rule_number(c, s->w),
                                rule_number(c, s->n)),
                      s->c_bytes, s->c_capacity, "tileH x tileW x tileN x 4 B <= L0C",
                      l0_nearest_once(c, s));
}

static void l0_clauses(struct rule_case *c, struct l0_space *s)
{
    s->a_bytes = product_of(s->m, s->k, c->size);
    s->b_bytes = product_of(s->k, s->n, c->size);
    s->c_bytes = product_of(s->m, s->n, 4);
    rule_value(c, "L0A", s->a_bytes);
    rule_value(c, "L0B", s->b_bytes);
    rule_value(c, "L0C", s->c_bytes);
    if (s->a_bytes > s->a_capacity)
        l0a_clause(c, s);
    if (s->b_bytes > s->b_capacity)
        l0b_clause(c, s);
    if (s->c_bytes > s->c_capacity)
        l0c_clause(c, s);
    rule_clause(c, true, WORD_TILE_K, "see below", "", "");
}

void rule_judge_l0_space(struct rule_case *c)
{
    if (c->l0 == NULL) {
        rule_skip(c, "no tile_l0");
        return;
    }
    l0_clauses(c, &(struct l0_space){
                      .h = c->l0->h,
                      .w = c->l0->w,
                      .m = saturate_mul(c->l0->h, c->l0->w),
                      .m_step = 1,
                      .k = c->l0->k,
                      .n = c->l0->n,
                      .a_capacity = product_whole(c->product, PRODUCT_L0A_SIZE),
                      .b_capacity = product_whole(c->product, PRODUCT_L0B_SIZE),
                      .c_capacity = product_whole(c->product, PRODUCT_L0C_SIZE),
                  });
}

void rule_judge_document_l0_space(struct rule_case *c)
{
    if (c->l0 == NULL) {
        rule_skip(c, "no tile_l0");
        return;
    }
    l0_clauses(c, &(struct l0_space){
                      .h = c->l0->h,
                      .w = c->l0->w,
                      .m = saturate_align_up(saturate_mul(c->l0->h, c->l0->w), FRACTAL_ROWS),
                      .m_step = FRACTAL_ROWS,
                      .k = saturate_align_up(c->l0->k, c->c0),
                      .n = saturate_align_up(c->l0->n, FRACTAL_ROWS),
                      .a_capacity = DOCUMENT_L0A_BYTES,
                      .b_capacity = DOCUMENT_L0B_BYTES,
                      .c_capacity = DOCUMENT_L0C_BYTES,
                  });
}

typedef struct tile_l1_bytes (*l1_space_rule)(const struct conv *conv, const struct tile_l1 *l1);

/* Where a smaller tile is looked for. */
struct l1_field {
    const char *name;
    size_t offset; /* in struct tile_l1 */
    uint64_t step;
    bool of_a; /* it shrinks A, else B */
};

static uint64_t *l1_field_value(struct tile_l1 *l1, const struct l1_field *field)
{
    return (uint64_t *)(void *)((char *)l1 + field->offset);
}

/* The largest smaller multiple of the field's step with which all fits; 0: none. */
static uint64_t l1_field_shrink(struct rule_case *c, const struct l1_field *field,
                                l1_space_rule space)
{
    struct tile_l1 l1 = *c->l1;
    uint64_t *value = l1_field_value(&l1, field);
    uint64_t fits = 0;
    uint64_t fails = *value / field->step + 1;

    while (fails - fits > 1) {
        uint64_t middle = fits + (fails - fits) / 2;
        *value = middle * field->step;
        if (space(c->conv, &l1).total <= tile_l1_usable(c->product))
            fits = middle;
        else
            fails = middle;
    }
    return fits * field->step;
}

static const char *l1_nearest(struct rule_case *c, const struct tile_l1_bytes *bytes,
                              l1_space_rule space)
{
    const struct l1_field fields[] = {
        {"tileHout", offsetof(struct tile_l1, hout), 1, true},
        {"tileCinFmap", offsetof(struct tile_l1, cin_fmap), c->c0, true},
        {"tileWout", offsetof(struct tile_l1, wout), FRACTAL_ROWS, true},
        {"tile_l1.tileN", offsetof(struct tile_l1, n), FRACTAL_ROWS, false},
        {"tileCinWeight", offsetof(struct tile_l1, cin_weight), c->c0, false},
    };
    size_t count = sizeof fields / sizeof fields[0];

    /* The larger operand first. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            if (fields[i].of_a != ((bytes->a >= bytes->b) == (pass == 0)))
                continue;
            uint64_t value = l1_field_shrink(c, &fields[i], space);
            if (value != 0)
                return rule_text(c, "%s %s", fields[i].name, rule_number(c, value));
        }
    }
    return "";
}

static void l1_clause(struct rule_case *c, l1_space_rule space)
{
    if (c->l1 == NULL) {
        rule_skip(c, "no tile_l1");
        return;
    }
    struct tile_l1_bytes bytes = space(c->conv, c->l1);
    uint64_t usable = tile_l1_usable(c->product);
    const char *sum = rule_text(c, "%s + %s", rule_number(c, bytes.a), rule_number(c, bytes.b));
    if (bytes.bias != 0)
        sum = rule_text(c, "%s + %s", sum, rule_number(c, bytes.bias));
    rule_value(c, "A", bytes.a);
    rule_value(c, "B", bytes.b);
    rule_value(c, "bias", bytes.bias);
    rule_value(c, "total", bytes.total);
    rule_value(c, "L1", usable);
    if (bytes.total <= usable) {
        rule_clause(c, true, WORD_TILE_L1_N,
                    rule_text(c, "%s = %s", sum, rule_number(c, bytes.total)), "", "");
        return;
    }
    rule_space_clause(c, bytes.a >= bytes.b ? WORD_TILE_HOUT : WORD_TILE_L1_N, sum, bytes.total,
                      usable, bytes.bias != 0 ? "A + B + bias <= L1" : "A + B <= L1",
                      l1_nearest(c, &bytes, space));
}

void rule_judge_l1_space(struct rule_case *c)
{
    l1_clause(c, tile_l1_space);
}

void rule_judge_document_l1_space(struct rule_case *c)
{
    l1_clause(c, tile_l1_space_document);
}
