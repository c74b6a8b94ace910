#include "model/advice.h"

#include <stdarg.h>
#include <string.h>

#include "model/advice_rules.h"
#include "model/saturate.h"

/* What gains less than a thousandth is not worth a line. */
enum { GAIN_LEAST = 1000 };

static const struct {
    const char *word;
    void (*advise)(struct adviser *adviser);
} rules[ADVICE_RULE_COUNT] = {
#define ADVICE(name, looks_at, when, proposes) {#name, advise_##name},
#include "model/advice.def"
#undef ADVICE
};

const char *advice_rule_word(enum advice_rule rule)
{
    return rules[rule].word;
}

double suggestion_gain(const struct suggestion *suggestion, tick cycles)
{
    return 100.0 * ((double)cycles - (double)suggestion->cycles) / (double)cycles;
}

/* ---- what rules look at ---- */

double larger(double left, double right)
{
    return left > right ? left : right;
}

static double share_of(const struct adviser *adviser, tick cycles)
{
    return (double)cycles / (double)adviser->result->cycles;
}

double path_of_pipe(const struct adviser *adviser, enum pipe pipe)
{
    const tick *part = adviser->result->path.part[pipe];
    return share_of(adviser, part[PATH_BUSY] + part[PATH_LINK] + part[PATH_LATENCY]);
}

double path_of_stores(const struct adviser *adviser)
{
    return path_of_pipe(adviser, PIPE_FIXP) + path_of_pipe(adviser, PIPE_VECTOR) +
           path_of_pipe(adviser, PIPE_MTE3);
}

double path_of_handover(const struct adviser *adviser)
{
    const struct path *path = &adviser->result->path;
    tick cycles =
        path->cause[CAUSE_FLAG] + path->cause[CAUSE_BARRIER] + path->cause[CAUSE_UNIT_FLAG];
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        cycles += path->part[pipe][PATH_LATENCY];
    return share_of(adviser, cycles);
}

double path_of_dispatch(const struct adviser *adviser)
{
    const struct path *path = &adviser->result->path;
    return share_of(adviser, path->cause[CAUSE_DISPATCH] + path->cause[CAUSE_QUEUE_FULL] +
                                 path->part[PIPE_SCALAR][PATH_BUSY]);
}

double waits_for(const struct adviser *adviser, enum pipe pipe, enum pipe other)
{
    const struct run_result *result = adviser->result;
    const struct pipe_stats *stats =
        &result->pipe[(size_t)result->deciding_core * PIPE_COUNT + pipe];
    return share_of(adviser, stats->wait_for[other]);
}

enum pipe store_pipe(const struct adviser *adviser)
{
    return arch_has_fixpipe(adviser->product->arch) ? PIPE_FIXP : PIPE_VECTOR;
}

static const char *text_or_empty(struct adviser *adviser, const char *text)
{
    adviser->no_memory = adviser->no_memory || text == NULL;
    return text != NULL ? text : "";
}

const char *share_text(struct adviser *adviser, double share)
{
    return text_or_empty(adviser, arena_format(adviser->arena, "%.1f %%", 100.0 * share));
}

const char *count_text(struct adviser *adviser, uint64_t count)
{
    char buffer[32];
    const char *text = grouped_format(count, buffer, sizeof buffer);
    return text_or_empty(adviser, arena_format(adviser->arena, "%s", text));
}

/* ---- proposals ---- */

static bool change_equal(const struct plan_change *left, const struct plan_change *right)
{
    struct plan_change both;
    return left->count == right->count && plan_change_join(left, right, &both) &&
           both.count == left->count;
}

void adviser_propose(struct adviser *adviser, double hope, const struct plan_change *change,
                     const char *format, ...)
{
    va_list arguments;
    if (change->count == 0 || hope <= 0.0 || adviser->count == PROPOSALS_MAX)
        return;
    for (uint32_t i = 0; i < adviser->count; i++)
        if (change_equal(&adviser->list[i].change, change))
            return;
    va_start(arguments, format);
    const char *looked_at =
        text_or_empty(adviser, arena_format_list(adviser->arena, format, arguments));
    va_end(arguments);
    /* Those that hope for more come first, equal ones in the order of the rules. */
    uint32_t at = adviser->count++;
    for (; at > 0 && adviser->list[at - 1].hope < hope; at--)
        adviser->list[at] = adviser->list[at - 1];
    adviser->list[at] = (struct proposal){
        .rule = adviser->rule, .change = *change, .hope = hope, .looked_at = looked_at};
}

/* ---- trying them ---- */

struct trial {
    const struct advised *advised;
    struct arena *arena;
    struct advice *advice;
    uint64_t instructions; /* of all simulations */
};

/* Mmads of a core of a plan, about. */
static double plan_steps(const struct plan *plan)
{
    const struct conv *conv = &plan->conv;
    const struct tile *tile = &plan->tile;
    double m = tile->linear_m ? (double)tile->m_l0 : (double)tile->h_l0 * (double)tile->w_l0;
    double outputs = (double)conv->out[AXIS_H] * (double)conv->out[AXIS_W];
    double tiles = outputs > m ? outputs / m : 1.0;
    tiles *= (double)ceil_div(conv_cout_group(conv), tile->n_l0);
    return tiles * (double)ceil_div(conv_k(conv), tile->k_l0);
}

/* The cycles of a changed plan; 0: it is not legal, or has so many more instructions that it cannot
 * be meant. */
static enum status try_change(struct trial *trial, const struct plan_change *change, tick *cycles)
{
    const struct plan *plan = trial->advised->plan;
    struct arena work;
    struct diag diag;
    *cycles = 0;
    arena_init(&work, 0);
    diag_init(&diag);
    struct plan *changed = arena_take(&work, 1, sizeof *changed);
    struct run_result *result = arena_take(&work, 1, sizeof *result);
    enum status status = changed == NULL || result == NULL
                             ? STATUS_NO_MEMORY
                             : plan_change_apply(plan, change, &work, &diag, changed);
    if (status == STATUS_OK && plan_steps(changed) < 4.0 * plan_steps(plan)) {
        const struct run_options options = {.timing_only = true};
        status = run_plan(changed, &options, &work, &diag, result);
        if (status == STATUS_OK) {
            trial->advice->simulated++;
            trial->instructions += result->instructions;
            *cycles = result->deadlocked ? 0 : result->cycles;
        }
    }
    diag_deinit(&diag);
    arena_deinit(&work);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

static bool gains(const struct trial *trial, tick cycles)
{
    tick all = trial->advised->result->cycles;
    return cycles > 0 && cycles < all && all - cycles >= ceil_div(all, GAIN_LEAST);
}

static enum status suggestion_make(const struct trial *trial, const struct plan_change *change,
                                   tick cycles, struct suggestion *suggestion)
{
    *suggestion = (struct suggestion){
        .change = *change, .cycles = cycles, .text = plan_change_text(change, trial->arena)};
    return suggestion->text != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Of equally fast ones that of fewer words. */
static bool is_better(const struct suggestion *kept, const struct proposal *proposal, tick cycles)
{
    return kept->cycles < cycles ||
           (kept->cycles == cycles && kept->change.count <= proposal->change.count);
}

/* Whether a change is another one and more. */
static bool change_holds(const struct plan_change *change, const struct plan_change *part)
{
    struct plan_change both;
    return part->count < change->count && plan_change_join(change, part, &both) &&
           both.count == change->count;
}

/* Takes out those that only add words to a faster one. */
static void drop_longer(struct advice *advice)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < advice->count; i++) {
        bool adds = false;
        for (uint32_t k = 0; k < kept; k++)
            adds = adds || change_holds(&advice->single[i].change, &advice->single[k].change);
        if (!adds)
            advice->single[kept++] = advice->single[i];
    }
    advice->count = kept;
}

/* Keeps the fastest. */
static enum status keep_single(struct trial *trial, const struct proposal *proposal, tick cycles)
{
    struct advice *advice = trial->advice;
    uint32_t at = advice->count < ADVICE_KEPT ? advice->count : ADVICE_KEPT;
    while (at > 0 && !is_better(&advice->single[at - 1], proposal, cycles))
        at--;
    if (at == ADVICE_KEPT)
        return STATUS_OK;
    if (advice->count < ADVICE_KEPT)
        advice->count++;
    for (uint32_t i = advice->count - 1; i > at; i--)
        advice->single[i] = advice->single[i - 1];
    enum status status = suggestion_make(trial, &proposal->change, cycles, &advice->single[at]);
    advice->single[at].looked_at = proposal->looked_at;
    advice->single[at].rule = advice_rule_word(proposal->rule);
    return status;
}

static bool spent(const struct trial *trial, enum advice_effort effort)
{
    uint64_t own = saturate_mul(trial->advised->result->instructions, 2);
    uint64_t most = own > ADVICE_INSTRUCTIONS ? own : ADVICE_INSTRUCTIONS;
    return effort == ADVICE_SOME &&
           (trial->advice->simulated >= ADVICE_TRIES || trial->instructions >= most);
}

/* The fastest with the next that wants nothing else of the same words. */
static enum status try_both(struct trial *trial)
{
    struct advice *advice = trial->advice;
    enum status status = STATUS_OK;
    for (uint32_t i = 1; i < advice->count; i++) {
        struct plan_change change;
        tick cycles = 0;
        if (!plan_change_join(&advice->single[0].change, &advice->single[i].change, &change))
            continue;
        status = try_change(trial, &change, &cycles);
        if (status != STATUS_OK)
            return status;
        if (cycles == 0) /* not legal together */
            continue;
        advice->has_both = cycles < advice->single[0].cycles;
        advice->partner = i;
        if (!advice->has_both)
            return STATUS_OK;
        status = suggestion_make(trial, &change, cycles, &advice->both);
        advice->both.rule = "both";
        advice->both.looked_at = arena_format(trial->arena, "%s and %s together",
                                              advice->single[0].text, advice->single[i].text);
        return advice->both.looked_at != NULL ? status : STATUS_NO_MEMORY;
    }
    return status;
}

static enum status try_all(struct trial *trial, const struct adviser *adviser,
                           enum advice_effort effort)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < adviser->count && status == STATUS_OK; i++) {
        tick cycles = 0;
        if (spent(trial, effort))
            break;
        status = try_change(trial, &adviser->list[i].change, &cycles);
        if (status == STATUS_OK && gains(trial, cycles))
            status = keep_single(trial, &adviser->list[i], cycles);
    }
    drop_longer(trial->advice);
    return status == STATUS_OK ? try_both(trial) : status;
}

enum status advice_find(const struct advised *advised, enum advice_effort effort,
                        struct arena *arena, struct advice *advice)
{
    struct trial trial = {.advised = advised, .arena = arena, .advice = advice};
    *advice = (struct advice){0};
    if (effort == ADVICE_NONE || advised->result->cycles == 0 || advised->result->deadlocked)
        return STATUS_OK;
    struct adviser *adviser = arena_take(arena, 1, sizeof *adviser);
    if (adviser == NULL)
        return STATUS_NO_MEMORY;
    *adviser = (struct adviser){
        .plan = advised->plan,
        .product = advised->plan->product,
        .result = advised->result,
        .tail = advised->tail,
        .arena = arena,
    };
    for (enum advice_rule rule = 0; rule < ADVICE_RULE_COUNT; rule++) {
        adviser->rule = rule;
        rules[rule].advise(adviser);
    }
    return adviser->no_memory ? STATUS_NO_MEMORY : try_all(&trial, adviser, effort);
}

uint32_t advice_ranked(const struct advice *advice,
                       const struct suggestion *ranked[ADVICE_KEPT + 1])
{
    uint32_t count = 0;
    if (advice->has_both) /* faster than the fastest */
        ranked[count++] = &advice->both;
    for (uint32_t i = 0; i < advice->count; i++)
        ranked[count++] = &advice->single[i];
    return count;
}
