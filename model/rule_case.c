#include "model/rule_case.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/base/quantity.h"
#include "model/saturate.h"
#include "model/tile_buffers.h"
#include "model/tile_space.h"

const char *rule_text(struct rule_case *c, const char *format, ...)
{
    char buffer[512];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof buffer);
    const char *text = arena_text(c->arena, buffer, (size_t)length);
    if (text == NULL) {
        c->no_memory = true;
        return "";
    }
    return text;
}

const char *rule_number(struct rule_case *c, uint64_t value)
{
    char buffer[32];

    if (value >= SATURATE_MAX)
        return "2^63 or more";
    return rule_text(c, "%s", grouped_format(value, buffer, sizeof buffer));
}

void rule_value(struct rule_case *c, const char *name, uint64_t value)
{
    struct rule_verdict *verdict = c->verdict;

    assert(verdict->value_count < RULE_VALUES_MAX);
    verdict->values[verdict->value_count++] =
        (struct rule_value){.name = name, .value = (int64_t)saturate_min(value, SATURATE_MAX)};
}

void rule_skip(struct rule_case *c, const char *why)
{
    c->verdict->judged = false;
    c->held = why;
}

bool rule_has_tile(const struct rule_case *c)
{
    bool given = c->l0 != NULL || c->vendor != NULL || c->base != NULL;
    return given && c->rows > 0 && c->columns > 0;
}

bool rule_lacks_output(struct rule_case *c)
{
    bool lacks = c->rows == 0 || c->columns == 0;
    if (lacks)
        rule_skip(c, "no output");
    return lacks;
}

static const char *text_join(struct rule_case *c, const char *head, const char *separator,
                             const char *tail)
{
    if (head[0] == '\0' || tail[0] == '\0')
        return head[0] == '\0' ? tail : head;
    const char *text = arena_format(c->arena, "%s%s%s", head, separator, tail);
    if (text == NULL) {
        c->no_memory = true;
        return "";
    }
    return text;
}

void rule_clause(struct rule_case *c, bool ok, enum plan_word word, const char *numbers,
                 const char *message, const char *nearest)
{
    struct rule_verdict *verdict = c->verdict;

    if (ok) {
        c->held = text_join(c, c->held, ", ", numbers);
        return;
    }
    if (verdict->ok)
        verdict->word = word;
    verdict->ok = false;
    c->broken = text_join(c, c->broken, ", ", numbers);
    verdict->message = text_join(c, verdict->message, "; ", message);
    verdict->nearest = text_join(c, verdict->nearest, ", ", nearest);
}

const char *rule_names(struct rule_case *c, const char *names, const char *name, uint32_t at,
                       uint32_t count)
{
    const char *joint = at == 0 ? "" : at + 1 < count ? ", " : " and ";

    return rule_text(c, "%s%s%s", names, joint, name);
}

const char *rule_rest_text(struct rule_case *c, uint64_t value, uint64_t step)
{
    if (step == 0)
        return rule_text(c, "%s %% 0", rule_number(c, value));
    return rule_text(c, "%s %% %s = %s", rule_number(c, value), rule_number(c, step),
                     rule_number(c, value % step));
}

static const char *measure_nearest(struct rule_case *c, const struct rule_measure *m)
{
    uint64_t below = saturate_align_down(saturate_min(m->value, m->high), m->step);
    uint64_t above = saturate_align_up(
        m->value > m->low ? saturate_min(m->value, SATURATE_MAX) : m->low, m->step);
    bool has_below = m->value >= m->low && below >= m->low && below > 0;
    bool has_above = m->value <= m->high && above <= m->high;

    if (has_below && has_above && below != above)
        return rule_text(c, "%s %s or %s", m->name, rule_number(c, below), rule_number(c, above));
    if (has_below || has_above)
        return rule_text(c, "%s %s", m->name, rule_number(c, has_below ? below : above));
    return "";
}

static const char *measure_range_numbers(struct rule_case *c, const struct rule_measure *m)
{
    if (m->value < m->low)
        return rule_text(c, "%s < %s", rule_number(c, m->value), rule_number(c, m->low));
    if (m->value > m->high)
        return rule_text(c, "%s > %s", rule_number(c, m->value), rule_number(c, m->high));
    if (m->exact)
        return rule_text(c, "%s = %s", rule_number(c, m->value), rule_number(c, m->high));
    if (m->low > 1)
        return rule_text(c, "%s <= %s <= %s", rule_number(c, m->low), rule_number(c, m->value),
                         rule_number(c, m->high));
    return rule_text(c, "%s <= %s", rule_number(c, m->value), rule_number(c, m->high));
}

static bool measure_speaks(const struct rule_measure *m)
{
    return m->names == NULL || m->names[0] != '\0';
}

static const char *measure_range_message(struct rule_case *c, const struct rule_measure *m)
{
    bool several = m->names != NULL;
    const char *names = several ? m->names : m->name;

    if (!measure_speaks(m))
        return "";
    if (m->low == m->high)
        return rule_text(c, "%s %s %s", names, several ? "are" : "is", rule_number(c, m->high));
    if (m->low > m->high)
        return rule_text(c, "%s %s at least %s and at most %s, so there is none", names,
                         several ? "are" : "is", rule_number(c, m->low), rule_number(c, m->high));
    return rule_text(c, "%s %s in %s .. %s", names, several ? "lie" : "lies",
                     rule_number(c, m->low), rule_number(c, m->high));
}

static const char *measure_multiple_message(struct rule_case *c, const struct rule_measure *m)
{
    if (!measure_speaks(m))
        return "";
    if (m->names != NULL)
        return rule_text(c, "%s are multiples of %s", m->names, rule_number(c, m->step));
    return rule_text(c, "%s is a multiple of %s", m->name, rule_number(c, m->step));
}

void rule_measure_clause(struct rule_case *c, const struct rule_measure *m)
{
    bool in_range = m->value >= m->low && m->value <= m->high;
    bool is_multiple = m->value % m->step == 0;
    bool judges_range = !m->multiple_only;
    bool judges_multiple = m->step > 1 && !m->range_only;
    const char *nearest = measure_nearest(c, m);

    rule_value(c, m->name, m->value);
    if (judges_range)
        rule_clause(c, in_range, m->word, measure_range_numbers(c, m), measure_range_message(c, m),
                    nearest);
    if (judges_range && !in_range)
        nearest = "";
    if (judges_multiple)
        rule_clause(c, is_multiple, m->word, rule_rest_text(c, m->value, m->step),
                    measure_multiple_message(c, m), nearest);
}

void rule_limit_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t value,
                       uint64_t high)
{
    rule_measure_clause(
        c, &(struct rule_measure){
               .word = word, .name = name, .value = value, .low = 1, .high = high, .step = 1});
}

uint64_t rule_slots(const struct rule_case *c, enum buffer buffer)
{
    if (c->plan->given[buffer_word(buffer)])
        return c->plan->schedule.buffers[buffer];
    if (c->base == NULL)
        return tile_vendor_slots(&c->plan->vendor, buffer);
    bool deep =
        (buffer == BUFFER_L1A || buffer == BUFFER_L1B) && tile_matmul_slots(c->base, buffer) > 1;
    return deep ? tile_matmul_slots(c->base, buffer) : 1;
}

void rule_space_clause(struct rule_case *c, enum plan_word word, const char *product,
                       uint64_t bytes, uint64_t capacity, const char *message, const char *nearest)
{
    if (bytes <= capacity) {
        rule_clause(
            c, true, word,
            rule_text(c, "%s = %s <= %s", product, rule_number(c, bytes), rule_number(c, capacity)),
            "", "");
        return;
    }
    rule_clause(c, false, word,
                rule_text(c, "%s = %s > %s, %s too many", product, rule_number(c, bytes),
                          rule_number(c, capacity),
                          rule_number(c, bytes >= SATURATE_MAX ? bytes : bytes - capacity)),
                message, nearest);
}

uint64_t rule_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool rule_divides(uint64_t step, uint64_t value)
{
    return step != 0 && value % step == 0;
}

/* No K of an L0 tile is larger than what 16 rows leave room for in L0A. */
static uint64_t k_limit(const struct rule_case *c, uint64_t most)
{
    uint64_t room = product_whole(c->product, PRODUCT_L0A_SIZE) / (FRACTAL_ROWS * c->size);

    return saturate_min(most, room);
}

uint64_t rule_k_below(const struct rule_case *c, uint64_t value, uint64_t most)
{
    uint64_t common = rule_common_divisor(c->k_a, c->k_b);
    uint64_t k = saturate_align_down(saturate_min(value, k_limit(c, most)), c->c0);

    while (k > 0 && (common == 0 || common % k != 0))
        k -= c->c0;
    return k;
}

uint64_t rule_k_above(const struct rule_case *c, uint64_t value, uint64_t most)
{
    uint64_t common = rule_common_divisor(c->k_a, c->k_b);
    uint64_t limit = saturate_min(k_limit(c, most), common);

    if (value > limit)
        return 0;
    for (uint64_t k = saturate_align_down(value, c->c0) + c->c0; k <= limit; k += c->c0)
        if (common % k == 0)
            return k;
    return 0;
}

const char *rule_k_nearest(struct rule_case *c, const char *name, uint64_t k, uint64_t most)
{
    uint64_t below = rule_k_below(c, k, most);
    uint64_t above = k <= most ? rule_k_above(c, k, most) : 0;

    if (below != 0 && above != 0 && below != k)
        return rule_text(c, "%s %s or %s", name, rule_number(c, below), rule_number(c, above));
    if (below != 0 || above != 0)
        return rule_text(c, "%s %s", name, rule_number(c, below != 0 ? below : above));
    return "";
}

void rule_k_multiple_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t k)
{
    rule_value(c, name, k);
    rule_value(c, "C0", c->c0);
    rule_clause(c, k % c->c0 == 0, word, rule_rest_text(c, k, c->c0),
                rule_text(c, "%s is a multiple of C0 = %s", name, rule_number(c, c->c0)),
                rule_k_nearest(c, name, k, saturate_min(c->k_a, c->k_b)));
}

void rule_k_range_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t low,
                         uint64_t k)
{
    uint64_t high = saturate_min(c->k_a, c->k_b);
    const char *numbers = rule_text(c, "%s <= %s", rule_number(c, k), rule_number(c, high));

    if (k > high)
        numbers = rule_text(c, "%s > %s", rule_number(c, k), rule_number(c, high));
    else if (k < low)
        numbers = rule_text(c, "%s < %s", rule_number(c, k), rule_number(c, low));
    rule_value(c, name, k);
    rule_value(c, "kAL1", c->k_a);
    rule_value(c, "kBL1", c->k_b);
    rule_clause(c, k >= low && k <= high, word, numbers,
                rule_text(c, "%s lies in %s .. min(kAL1, kBL1) = %s", name, rule_number(c, low),
                          rule_number(c, high)),
                rule_k_nearest(c, name, k, high));
}

void rule_k_divides_clause(struct rule_case *c, enum plan_word word, const char *name, uint64_t k)
{
    bool divides_a = rule_divides(k, c->k_a);
    bool divides_b = rule_divides(k, c->k_b);
    const char *nearest = rule_k_nearest(c, name, k, saturate_min(c->k_a, c->k_b));

    rule_value(c, name, k);
    rule_value(c, "kAL1", c->k_a);
    rule_value(c, "kBL1", c->k_b);
    rule_clause(c, divides_a, word, rule_rest_text(c, c->k_a, k),
                rule_text(c, "%s divides kAL1", name), nearest);
    rule_clause(c, divides_b, word, rule_rest_text(c, c->k_b, k),
                rule_text(c, "%s divides kBL1", name), divides_a ? nearest : "");
}
