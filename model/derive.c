#include "model/derive.h"

#include <assert.h>
#include <inttypes.h>

#include "model/conversion.h"
#include "model/core_split.h"
#include "model/layout.h"
#include "model/rule_case.h"
#include "model/saturate.h"
#include "model/tile_buffers.h"
#include "model/tile_search.h"
#include "model/tile_space.h"

enum { NOTE_COUNT_MAX = sizeof((struct plan *)0)->notes / sizeof(const char *) };

struct resolve {
    struct plan *plan;
    const struct product *product;
    struct arena *arena;
    struct diag *diag;
    enum status status; /* the gravest so far */
};

#define NOTE(resolve, ...) note_add(resolve, arena_format((resolve)->arena, __VA_ARGS__))
#define PROBLEM(resolve, status, word, ...)                                                        \
    problem_add(resolve,                                                                           \
                diag_add((resolve)->diag, status, (resolve)->plan->place[word], __VA_ARGS__))

static void problem_add(struct resolve *resolve, enum status status)
{
    if (status_exit_code(status) > status_exit_code(resolve->status))
        resolve->status = status;
}

static void note_add(struct resolve *resolve, const char *text)
{
    struct plan *plan = resolve->plan;

    if (text == NULL) {
        problem_add(resolve, STATUS_NO_MEMORY);
        return;
    }
    if (plan->note_count < NOTE_COUNT_MAX)
        plan->notes[plan->note_count++] = text;
}

/* "73,728" in the arena. */
static const char *number(struct resolve *resolve, uint64_t value)
{
    char buffer[32];
    const char *text =
        arena_format(resolve->arena, "%s", grouped_format(value, buffer, sizeof buffer));

    if (text == NULL) {
        problem_add(resolve, STATUS_NO_MEMORY);
        return "";
    }
    return text;
}

/* Every rule that stops a run, as a problem at the word at fault. */
static void resolve_rules(struct resolve *resolve)
{
    struct rule_report report;
    enum status status = rules_check(resolve->plan, resolve->plan->rules, resolve->arena, &report);

    if (status != STATUS_OK) {
        problem_add(resolve, status);
        return;
    }
    for (uint32_t i = 0; !report.runnable && i < report.count; i++) {
        const struct rule_verdict *verdict = &report.verdicts[i];
        if (verdict->ok || (!verdict->decides && !verdict->needed_to_run))
            continue;
        PROBLEM(resolve, STATUS_BROKEN, verdict->word, "rule %s: %s; found %s%s%s", verdict->id,
                verdict->message, verdict->numbers,
                verdict->nearest[0] == '\0' ? "" : "; nearest: ", verdict->nearest);
    }
}

/* As a plan writes them, to be pasted into one. */
static void note_tiles(struct resolve *resolve, bool both)
{
    const struct tile_l1 *l1 = &resolve->plan->l1;
    const struct tile_l0 *l0 = &resolve->plan->l0;

    if (both)
        NOTE(resolve,
             "derived: tile_l1: {tileHin: %" PRIu64 ", tileHout: %" PRIu64 ", tileWin: %" PRIu64
             ", tileWout: %" PRIu64 ", tileCinFmap: %" PRIu64 ", tileCinWeight: %" PRIu64
             ", tileN: %" PRIu64 ", tileBatch: 1}",
             l1->hin, l1->hout, l1->win, l1->wout, l1->cin_fmap, l1->cin_weight, l1->n);
    NOTE(resolve,
         "derived: tile_l0: {tileH: %" PRIu64 ", tileW: %" PRIu64 ", tileK: %" PRIu64
         ", tileN: %" PRIu64 "}",
         l0->h, l0->w, l0->k, l0->n);
}

static void note_matmul_tile(struct resolve *resolve)
{
    const struct tile_matmul *base = &resolve->plan->base;

    NOTE(resolve,
         "derived: tile: {baseM: %" PRIu64 ", baseN: %" PRIu64 ", baseK: %" PRIu64
         ", stepM: %" PRIu64 ", stepN: %" PRIu64 ", stepKa: %" PRIu64 ", stepKb: %" PRIu64 "}",
         base->base_m, base->base_n, base->base_k, base->step_m, base->step_n, base->step_ka,
         base->step_kb);
}

/* The tiles that were left out. The rules so far hold, so R10 has found that there are some. */
static void resolve_missing_tiles(struct resolve *resolve)
{
    struct plan *plan = resolve->plan;
    bool both = plan->form == TILE_NONE;
    bool found = false;
    uint64_t slots[BUFFER_COUNT];

    if (plan->form == TILE_VENDOR || plan->form == TILE_MATMUL ||
        (plan->form == TILE_PYPTO && plan->has_l0))
        return;
    buffers_written(plan, slots);
    if (both)
        found =
            tile_search(&plan->conv, resolve->product, plan->rules, slots, &plan->l1, &plan->l0);
    else
        found =
            tile_search_l0(&plan->conv, resolve->product, plan->rules, slots, &plan->l1, &plan->l0);
    assert(found);
    plan->tile_derived = true;
    if (plan->matmul) {
        plan->form = TILE_MATMUL;
        tile_matmul_from_pypto(&plan->l1, &plan->l0, &plan->base);
        note_matmul_tile(resolve);
        return;
    }
    plan->form = TILE_PYPTO;
    plan->has_l0 = true;
    note_tiles(resolve, both);
}

static void note_depths(struct resolve *resolve, const char *name, uint64_t written, uint64_t used)
{
    if (written != used)
        NOTE(resolve,
             "%s %s is more than the K of one depth, which a chunk in L1 holds: %s is used", name,
             number(resolve, written), number(resolve, used));
}

static void resolve_tile(struct resolve *resolve)
{
    struct plan *plan = resolve->plan;

    if (plan->form == TILE_PYPTO) {
        tile_from_pypto(&plan->conv, &plan->l1, &plan->l0, &plan->tile);
        return;
    }
    if (plan->form == TILE_MATMUL) {
        tile_from_matmul(&plan->conv, &plan->base, &plan->tile);
        return;
    }
    tile_from_vendor(&plan->conv, &plan->vendor, &plan->tile);
    note_depths(resolve, "kAL1", plan->vendor.k_al1, plan->tile.k_a);
    note_depths(resolve, "kBL1", plan->vendor.k_bl1, plan->tile.k_b);
}

/* Fixpipe cannot take unit flags and split 16 columns into planes of fewer channels. */
static void resolve_unit_flag(struct resolve *resolve, bool preferred)
{
    const struct plan *plan = resolve->plan;
    bool splits =
        plan->conv.output_format == FORMAT_NC1HWC0 && layout_output_c0(&plan->conv) < FRACTAL_ROWS;

    if (!plan->given[WORD_UNIT_FLAG])
        resolve->plan->schedule.unit_flag = preferred && !splits;
    else if (plan->schedule.unit_flag && !arch_has_fixpipe(resolve->product->arch))
        PROBLEM(resolve, STATUS_BAD_INPUT, WORD_UNIT_FLAG,
                "found unit_flag true on %s, which has no fixpipe; expected false",
                resolve->product->soc);
    else if (plan->schedule.unit_flag && splits)
        PROBLEM(resolve, STATUS_BAD_INPUT, WORD_UNIT_FLAG,
                "found unit_flag true with an output of %s in %s, whose planes of 8 channels "
                "Fixpipe stores without unit flags; expected false",
                element_word(plan->conv.out_dtype), plan->matmul ? "c_layout nz" : "nc1hwc0");
}

static void resolve_policy(struct resolve *resolve)
{
    struct plan *plan = resolve->plan;
    struct schedule *schedule = &plan->schedule;
    enum policy policy = plan_policy(plan);
    bool vendor = policy == POLICY_VENDOR;

    schedule->policy = policy;
    if (!plan->given[WORD_ORDER])
        schedule->order = plan->form == TILE_VENDOR && plan->vendor.iterate_mn_order == 1
                              ? ORDER_N_FIRST
                              : ORDER_M_FIRST;
    if (!plan->given[WORD_RESIDENCY])
        schedule->residency = vendor ? RESIDENCY_PREFETCH : RESIDENCY_RELOAD;
    if (!plan->given[WORD_HANDOVER])
        schedule->handover = plan->matmul ? HANDOVER_STEP : HANDOVER_OPERAND;
    if (!plan->given[WORD_FIXPIPE])
        schedule->fixpipe = vendor ? FIXPIPE_TILE : FIXPIPE_ROW;
    /* Kernels for matrix products take unit flags only when they are told to. */
    resolve_unit_flag(resolve, vendor && resolve->product->arch == ARCH_3510 && !plan->matmul);
    if (!plan->given[WORD_L2])
        schedule->l2 = L2_COLD;
}

/* Slots of a buffer of its own. */
static void resolve_l0_buffer(struct resolve *resolve, const struct buffer_plan *choice,
                              enum buffer buffer, const char *name, uint64_t capacity)
{
    uint64_t slots = choice->chosen[buffer];
    uint64_t wanted = saturate_mul(choice->wanted[buffer], choice->slot[buffer]);
    enum plan_word word = buffer_word(buffer);

    if (!resolve->plan->given[word])
        word = resolve->plan->matmul ? WORD_BASE_K : WORD_P_BUFFER_FLAG;
    if (saturate_mul(slots, choice->slot[buffer]) > capacity) {
        PROBLEM(resolve, STATUS_BROKEN, word,
                "%s slots of %s B need %s B of %s; it has %s B, %s too few", number(resolve, slots),
                number(resolve, choice->slot[buffer]), number(resolve, wanted), name,
                number(resolve, capacity),
                number(resolve, saturate_mul(slots, choice->slot[buffer]) - capacity));
        return;
    }
    if (slots != choice->wanted[buffer])
        NOTE(resolve, "%s: one slot; two of %s B need %s B of %s", name,
             number(resolve, choice->slot[buffer]), number(resolve, wanted),
             number(resolve, capacity));
}

static void resolve_l1_buffers(struct resolve *resolve, const struct buffer_plan *choice)
{
    uint64_t a = choice->chosen[BUFFER_L1A];
    uint64_t b = choice->chosen[BUFFER_L1B];
    uint64_t bytes = buffers_l1_bytes(choice, a, b);
    uint64_t wanted =
        buffers_l1_bytes(choice, choice->wanted[BUFFER_L1A], choice->wanted[BUFFER_L1B]);
    enum plan_word word = WORD_TILE_L1_N;

    if (resolve->plan->form == TILE_VENDOR)
        word = WORD_P_BUFFER_FLAG;
    if (resolve->plan->form == TILE_MATMUL)
        word = WORD_BASE_N;
    if (resolve->plan->given[WORD_L1B_BUFFERS])
        word = WORD_L1B_BUFFERS;
    if (resolve->plan->given[WORD_L1A_BUFFERS])
        word = WORD_L1A_BUFFERS;
    if (bytes > choice->l1) {
        PROBLEM(resolve, STATUS_BROKEN, word,
                "%s slots of A of %s B, %s of B of %s B and %s of %s B need %s B of L1; it has %s "
                "B, %s too few",
                number(resolve, a), number(resolve, choice->slot[BUFFER_L1A]), number(resolve, b),
                number(resolve, choice->slot[BUFFER_L1B]),
                !resolve->plan->conv.quant.by_channel ? "the bias" : "bias and quantisation words",
                number(resolve, choice->bias), number(resolve, bytes), number(resolve, choice->l1),
                number(resolve, bytes - choice->l1));
        return;
    }
    if (a != choice->wanted[BUFFER_L1A] || b != choice->wanted[BUFFER_L1B])
        NOTE(resolve, "L1: %s of A and %s of B; %s and %s need %s B of %s",
             a == 1 ? "one slot" : "two slots", b == 1 ? "one slot" : "two slots",
             number(resolve, choice->wanted[BUFFER_L1A]),
             number(resolve, choice->wanted[BUFFER_L1B]), number(resolve, wanted),
             number(resolve, choice->l1));
}

static void resolve_buffers(struct resolve *resolve)
{
    struct buffer_plan choice;

    buffers_choose(resolve->plan, resolve->product, &resolve->plan->tile, &choice);
    resolve_l1_buffers(resolve, &choice);
    resolve_l0_buffer(resolve, &choice, BUFFER_L0A, "L0A", choice.l0a);
    resolve_l0_buffer(resolve, &choice, BUFFER_L0B, "L0B", choice.l0b);
    resolve_l0_buffer(resolve, &choice, BUFFER_L0C, "L0C", choice.l0c);
    for (enum buffer buffer = BUFFER_L1A; buffer < BUFFER_COUNT; buffer++)
        resolve->plan->schedule.buffers[buffer] = choice.chosen[buffer];
}

/* A split that was written: what its ways divide, and how many cores it takes. */
static uint64_t resolve_written_split(struct resolve *resolve, const uint64_t units[SPLIT_COUNT],
                                      uint64_t cores)
{
    static const char *const names[SPLIT_COUNT] = {
        [SPLIT_BATCH] = "batch", [SPLIT_GROUP] = "group", [SPLIT_M] = "m", [SPLIT_N] = "n"};
    static const char *const things[SPLIT_COUNT] = {[SPLIT_BATCH] = "images",
                                                    [SPLIT_GROUP] = "groups",
                                                    [SPLIT_M] = "M tiles of an image",
                                                    [SPLIT_N] = "N tiles"};
    const struct plan *plan = resolve->plan;
    uint64_t product = plan->schedule.deal != 0 ? plan->schedule.deal : 1;
    uint64_t grid = saturate_mul(units[SPLIT_M], units[SPLIT_N]);

    if (product > grid)
        PROBLEM(resolve, STATUS_BAD_INPUT, WORD_CORE_SPLIT,
                "found core_split mn %s; expected 1 to %s, the M tiles x N tiles",
                number(resolve, product), number(resolve, grid));

    for (int i = 0; i < SPLIT_COUNT; i++) {
        uint64_t ways = plan->schedule.split[i];
        product = saturate_mul(product, ways);
        if (ways < 1 || ways > units[i])
            PROBLEM(resolve, STATUS_BAD_INPUT, WORD_CORE_SPLIT,
                    "found core_split %s %s; expected 1 to %s, the %s%s", names[i],
                    number(resolve, ways), number(resolve, units[i]), things[i],
                    core_slices(plan, (enum split)i) > 1 ? " of a slice" : "");
    }
    if (plan->given[WORD_CORES] && product != plan->schedule.cores)
        PROBLEM(resolve, STATUS_BAD_INPUT, WORD_CORE_SPLIT,
                "found a core_split over %s cores; expected %s, as cores says",
                number(resolve, product), number(resolve, plan->schedule.cores));
    else if (product > cores)
        PROBLEM(resolve, STATUS_BAD_INPUT, WORD_CORE_SPLIT,
                "found a core_split over %s cores; expected at most %s, which %s has",
                number(resolve, product), number(resolve, cores), resolve->product->soc);
    return product;
}

static void resolve_cores(struct resolve *resolve)
{
    struct plan *plan = resolve->plan;
    struct schedule *schedule = &plan->schedule;
    uint64_t cores = product_whole(resolve->product, PRODUCT_CHIP_CORES);
    uint64_t units[SPLIT_COUNT];

    core_slice_units(plan, units);
    plan->written_cores = schedule->cores;
    if (plan->given[WORD_CORES] && (schedule->cores < 1 || schedule->cores > cores)) {
        PROBLEM(resolve, STATUS_BAD_INPUT, WORD_CORES,
                "found cores %s; expected 1 to %s, which %s has", number(resolve, schedule->cores),
                number(resolve, cores), resolve->product->soc);
        return;
    }
    if (plan->given[WORD_CORE_SPLIT]) {
        schedule->cores = resolve_written_split(resolve, units, cores);
        return;
    }
    uint64_t most = plan->given[WORD_CORES] ? schedule->cores : cores;
    schedule->cores = core_split_choose(units, most, schedule->split);
    if (schedule->cores < most)
        NOTE(resolve, "%s of %s cores are used: more would not shorten the busiest one's work",
             number(resolve, schedule->cores), number(resolve, most));
}

static float kept_scale(const struct conv *conv, uint64_t channel)
{
    return conversion_scale(conv->quant.scales[channel], conv->quant.scale_bits);
}

/* A scale of more digits than a quantisation word has room for. */
static void note_scales(struct resolve *resolve)
{
    const struct conv *conv = &resolve->plan->conv;
    uint64_t count = conv->quant.by_channel ? conv->cout : 1;
    uint64_t cut = 0;

    if (!conv->quant.given)
        return;
    NOTE(resolve, "outputs are scale x sum%s, halves to %s; mode %s",
         conv->quant.offset != 0 ? " + offset" : "",
         conv->out_dtype == ELEMENT_HIF8 ? "the larger magnitude" : "even",
         conversion_name(resolve->product->arch, conv));
    for (uint64_t i = 0; i < count; i++)
        cut += kept_scale(conv, i) < conv->quant.scales[i];
    if (cut > 0 && count == 1)
        NOTE(resolve, "scale %.9g counts as %.9g: hardware keeps ten fraction bits",
             (double)conv->quant.scales[0], (double)kept_scale(conv, 0));
    else if (cut > 0)
        NOTE(resolve, "%s of %s scales lose digits: hardware keeps ten fraction bits",
             number(resolve, cut), number(resolve, count));
}

enum status plan_resolve(struct plan *plan, const struct product *product, struct arena *arena,
                         struct diag *diag)
{
    struct resolve resolve = {
        .plan = plan, .product = product, .arena = arena, .diag = diag, .status = STATUS_OK};

    plan->product = product;
    resolve_rules(&resolve);
    if (resolve.status != STATUS_OK)
        return resolve.status;
    resolve_missing_tiles(&resolve);
    resolve_tile(&resolve);
    resolve_policy(&resolve);
    resolve_buffers(&resolve);
    resolve_cores(&resolve);
    note_scales(&resolve);
    return resolve.status;
}
