#include "model/plan_change.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "model/derive.h"
#include "model/tile_buffers.h"
#include "model/tile_space.h"

enum edit_kind { EDIT_NUMBER, EDIT_ORDER, EDIT_RESIDENCY, EDIT_HANDOVER, EDIT_FIXPIPE, EDIT_FLAG };

/* word, map, key, how it is written in text, field of struct plan */
#define EDIT_NUMBER_LIST(ROW)                                                                      \
    ROW(TILE_HOUT, "tile_l1", "tileHout", "tileHout", l1.hout)                                     \
    ROW(TILE_WOUT, "tile_l1", "tileWout", "tileWout", l1.wout)                                     \
    ROW(TILE_CIN_FMAP, "tile_l1", "tileCinFmap", "tileCinFmap", l1.cin_fmap)                       \
    ROW(TILE_CIN_WEIGHT, "tile_l1", "tileCinWeight", "tileCinWeight", l1.cin_weight)               \
    ROW(TILE_L1_N, "tile_l1", "tileN", "tile_l1.tileN", l1.n)                                      \
    ROW(TILE_H, "tile_l0", "tileH", "tileH", l0.h)                                                 \
    ROW(TILE_W, "tile_l0", "tileW", "tileW", l0.w)                                                 \
    ROW(TILE_K, "tile_l0", "tileK", "tileK", l0.k)                                                 \
    ROW(TILE_L0_N, "tile_l0", "tileN", "tile_l0.tileN", l0.n)                                      \
    ROW(M_AL1, "tile", "mAL1", "mAL1", vendor.m_al1)                                               \
    ROW(HO_L1, "tile", "hoL1", "hoL1", vendor.ho_l1)                                               \
    ROW(WO_L1, "tile", "woL1", "woL1", vendor.wo_l1)                                               \
    ROW(N_BL1, "tile", "nBL1", "nBL1", vendor.n_bl1)                                               \
    ROW(K_AL1, "tile", "kAL1", "kAL1", vendor.k_al1)                                               \
    ROW(K_BL1, "tile", "kBL1", "kBL1", vendor.k_bl1)                                               \
    ROW(M_L0, "tile", "mL0", "mL0", vendor.m_l0)                                                   \
    ROW(HO_L0, "tile", "hoL0", "hoL0", vendor.ho_l0)                                               \
    ROW(WO_L0, "tile", "woL0", "woL0", vendor.wo_l0)                                               \
    ROW(K_L0, "tile", "kL0", "kL0", vendor.k_l0)                                                   \
    ROW(N_L0, "tile", "nL0", "nL0", vendor.n_l0)                                                   \
    ROW(P_BUFFER_FLAG, "tile", "pBufferFlag", "pBufferFlag", vendor.p_buffer_flag)                 \
    ROW(ITERATE_MN_ORDER, "tile", "iterateMNOrder", "iterateMNOrder", vendor.iterate_mn_order)     \
    ROW(BASE_M, "tile", "baseM", "baseM", base.base_m)                                             \
    ROW(BASE_N, "tile", "baseN", "baseN", base.base_n)                                             \
    ROW(BASE_K, "tile", "baseK", "baseK", base.base_k)                                             \
    ROW(STEP_M, "tile", "stepM", "stepM", base.step_m)                                             \
    ROW(STEP_N, "tile", "stepN", "stepN", base.step_n)                                             \
    ROW(STEP_KA, "tile", "stepKa", "stepKa", base.step_ka)                                         \
    ROW(STEP_KB, "tile", "stepKb", "stepKb", base.step_kb)                                         \
    ROW(DEPTH_A1, "tile", "depthA1", "depthA1", base.depth_a1)                                     \
    ROW(DEPTH_B1, "tile", "depthB1", "depthB1", base.depth_b1)                                     \
    ROW(L2_M, "tile", "l2_m", "l2_m", base.l2_m)                                                   \
    ROW(L2_N, "tile", "l2_n", "l2_n", base.l2_n)                                                   \
    ROW(L1A_BUFFERS, "schedule", "l1a_buffers", "l1a_buffers", schedule.buffers[BUFFER_L1A])       \
    ROW(L1B_BUFFERS, "schedule", "l1b_buffers", "l1b_buffers", schedule.buffers[BUFFER_L1B])       \
    ROW(L0A_BUFFERS, "schedule", "l0a_buffers", "l0a_buffers", schedule.buffers[BUFFER_L0A])       \
    ROW(L0B_BUFFERS, "schedule", "l0b_buffers", "l0b_buffers", schedule.buffers[BUFFER_L0B])       \
    ROW(L0C_BUFFERS, "schedule", "l0c_buffers", "l0c_buffers", schedule.buffers[BUFFER_L0C])

/* word, key, kind, field of the schedule, its type */
#define EDIT_WORD_LIST(ROW)                                                                        \
    ROW(ORDER, "order", EDIT_ORDER, order, enum order)                                             \
    ROW(RESIDENCY, "residency", EDIT_RESIDENCY, residency, enum residency)                         \
    ROW(HANDOVER, "handover", EDIT_HANDOVER, handover, enum handover)                              \
    ROW(FIXPIPE, "fixpipe", EDIT_FIXPIPE, fixpipe, enum fixpipe_policy)                            \
    ROW(UNIT_FLAG, "unit_flag", EDIT_FLAG, unit_flag, bool)

struct edit_row {
    const char *map, *key, *text; /* NULL: the word cannot be changed */
    enum edit_kind kind;
};

static const struct edit_row edit_rows[WORD_COUNT_] = {
#define ROW(word, map, key, text, field) [WORD_##word] = {map, key, text, EDIT_NUMBER},
    EDIT_NUMBER_LIST(ROW)
#undef ROW
#define ROW(word, key, kind, field, type) [WORD_##word] = {"schedule", key, key, kind},
        EDIT_WORD_LIST(ROW)
#undef ROW
            [WORD_CORE_SPLIT] = {"schedule", "core_split", "core_split", EDIT_NUMBER},
};

static const char *const split_names[SPLIT_COUNT] = {
    [SPLIT_BATCH] = "batch", [SPLIT_GROUP] = "group", [SPLIT_M] = "m", [SPLIT_N] = "n"};

/* ---- making changes ---- */

static void change_add(struct plan_change *change, const struct plan_edit *edit)
{
    for (uint32_t i = 0; i < change->count; i++)
        if (change->edit[i].word == edit->word && change->edit[i].axis == edit->axis) {
            change->edit[i].value = edit->value;
            return;
        }
    assert(change->count < PLAN_EDITS_MAX);
    change->edit[change->count++] = *edit;
}

void plan_change_add(struct plan_change *change, enum plan_word word, uint64_t value)
{
    assert(edit_rows[word].key != NULL && word != WORD_CORE_SPLIT);
    change_add(change, &(struct plan_edit){.word = word, .value = value});
}

void plan_change_split(struct plan_change *change, enum split axis, uint64_t ways)
{
    change_add(change, &(struct plan_edit){.word = WORD_CORE_SPLIT, .axis = axis, .value = ways});
}

static uint64_t flag_bit(enum buffer buffer)
{
    static const uint64_t bits[BUFFER_COUNT] = {
        [BUFFER_L0A] = 1, [BUFFER_L0B] = 2, [BUFFER_L0C] = 4, [BUFFER_L1A] = 8, [BUFFER_L1B] = 16};
    return bits[buffer];
}

/* The word that counts base blocks of a matrix product in L1, if it is written. */
static bool depth_word(const struct plan *plan, enum buffer buffer, enum plan_word *word)
{
    *word = buffer == BUFFER_L1A ? WORD_DEPTH_A1 : WORD_DEPTH_B1;
    return plan->form == TILE_MATMUL && (buffer == BUFFER_L1A || buffer == BUFFER_L1B) &&
           plan->given[*word];
}

void plan_change_slots(const struct plan *plan, enum buffer buffer, uint64_t slots,
                       struct plan_change *change)
{
    enum plan_word word;
    uint64_t bit = flag_bit(buffer), flag = plan->vendor.p_buffer_flag;
    bool by_flag = plan->form == TILE_VENDOR && plan->vendor.p_buffer_given;
    bool by_depth = depth_word(plan, buffer, &word);
    for (uint32_t i = 0; i < change->count; i++)
        if (change->edit[i].word == WORD_P_BUFFER_FLAG)
            flag = change->edit[i].value;
    if (by_flag)
        plan_change_add(change, WORD_P_BUFFER_FLAG, slots == 2 ? flag | bit : flag & ~bit);
    if (by_depth)
        plan_change_add(change, word, slots * tile_matmul_blocks(&plan->base, buffer));
    if ((!by_flag && !by_depth) || plan->given[buffer_word(buffer)])
        plan_change_add(change, buffer_word(buffer), slots);
}

void plan_change_order(const struct plan *plan, enum order order, struct plan_change *change)
{
    bool by_number = plan->form == TILE_VENDOR && plan->given[WORD_ITERATE_MN_ORDER];
    if (by_number)
        plan_change_add(change, WORD_ITERATE_MN_ORDER, order == ORDER_N_FIRST);
    if (!by_number || plan->given[WORD_ORDER])
        plan_change_add(change, WORD_ORDER, order);
}

/* ---- tiles ---- */

/* A number that a tile has now and shall have. */
static void add_moved(struct plan_change *change, enum plan_word word, uint64_t from, uint64_t to)
{
    if (from != to)
        plan_change_add(change, word, to);
}

static bool change_pypto(const struct plan *plan, const struct tile *to, struct plan_change *change)
{
    const struct tile *from = &plan->tile;
    uint64_t area = plan->conv.kernel[AXIS_H] * plan->conv.kernel[AXIS_W];
    if (to->k_a % area != 0 || to->k_b % area != 0)
        return false;
    add_moved(change, WORD_TILE_HOUT, from->h_l1, to->h_l1);
    add_moved(change, WORD_TILE_WOUT, from->w_l1, to->w_l1);
    add_moved(change, WORD_TILE_CIN_FMAP, from->k_a / area, to->k_a / area);
    add_moved(change, WORD_TILE_CIN_WEIGHT, from->k_b / area, to->k_b / area);
    add_moved(change, WORD_TILE_L1_N, from->n_l1, to->n_l1);
    add_moved(change, WORD_TILE_H, from->h_l0, to->h_l0);
    add_moved(change, WORD_TILE_W, from->w_l0, to->w_l0);
    add_moved(change, WORD_TILE_K, from->k_l0, to->k_l0);
    add_moved(change, WORD_TILE_L0_N, from->n_l0, to->n_l0);
    return true;
}

static bool change_vendor(const struct plan *plan, const struct tile *to,
                          struct plan_change *change)
{
    const struct tile *from = &plan->tile;
    if (to->linear_m) {
        add_moved(change, WORD_M_AL1, from->m_l1, to->m_l1);
        add_moved(change, WORD_M_L0, from->m_l0, to->m_l0);
    } else {
        add_moved(change, WORD_HO_L1, from->h_l1, to->h_l1);
        add_moved(change, WORD_WO_L1, from->w_l1, to->w_l1);
        add_moved(change, WORD_HO_L0, from->h_l0, to->h_l0);
        add_moved(change, WORD_WO_L0, from->w_l0, to->w_l0);
    }
    add_moved(change, WORD_N_BL1, from->n_l1, to->n_l1);
    add_moved(change, WORD_K_AL1, from->k_a, to->k_a);
    add_moved(change, WORD_K_BL1, from->k_b, to->k_b);
    add_moved(change, WORD_K_L0, from->k_l0, to->k_l0);
    add_moved(change, WORD_N_L0, from->n_l0, to->n_l0);
    return true;
}

/* Tiles in L1 and L2 are counted in base blocks, and the depths in blocks of all slots. */
static bool change_matmul(const struct plan *plan, const struct tile *to,
                          struct plan_change *change)
{
    const struct tile_matmul *from = &plan->base;
    const uint64_t *slots = plan->schedule.buffers;
    struct tile_matmul base = *from;
    base.base_m = to->w_l0;
    base.base_n = to->n_l0;
    base.base_k = to->k_l0;
    base.step_m = to->w_l1 / to->w_l0;
    base.step_n = to->n_l1 / to->n_l0;
    base.step_ka = ceil_div(to->k_a, to->k_l0);
    base.step_kb = ceil_div(to->k_b, to->k_l0);
    if (base.step_m * base.base_m != to->w_l1 || base.step_n * base.base_n != to->n_l1)
        return false;
    add_moved(change, WORD_BASE_M, from->base_m, base.base_m);
    add_moved(change, WORD_BASE_N, from->base_n, base.base_n);
    add_moved(change, WORD_BASE_K, from->base_k, base.base_k);
    add_moved(change, WORD_STEP_M, from->step_m, base.step_m);
    add_moved(change, WORD_STEP_N, from->step_n, base.step_n);
    add_moved(change, WORD_STEP_KA, from->step_ka, base.step_ka);
    add_moved(change, WORD_STEP_KB, from->step_kb, base.step_kb);
    if (plan->given[WORD_DEPTH_A1])
        add_moved(change, WORD_DEPTH_A1, from->depth_a1,
                  slots[BUFFER_L1A] * base.step_m * base.step_ka);
    if (plan->given[WORD_DEPTH_B1])
        add_moved(change, WORD_DEPTH_B1, from->depth_b1,
                  slots[BUFFER_L1B] * base.step_n * base.step_kb);
    return true;
}

bool plan_change_tile(const struct plan *plan, const struct tile *tile, struct plan_change *change)
{
    switch (plan->form) {
    case TILE_PYPTO:
        return change_pypto(plan, tile, change);
    case TILE_VENDOR:
        return change_vendor(plan, tile, change);
    case TILE_MATMUL:
        return change_matmul(plan, tile, change);
    case TILE_NONE:
        break;
    }
    return false;
}

static bool has_word(const struct plan_change *change, enum plan_word word)
{
    for (uint32_t i = 0; i < change->count; i++)
        if (change->edit[i].word == word)
            return true;
    return false;
}

bool plan_change_join(const struct plan_change *left, const struct plan_change *right,
                      struct plan_change *both)
{
    *both = *left;
    for (uint32_t i = 0; i < right->count; i++) {
        const struct plan_edit *edit = &right->edit[i];
        for (uint32_t k = 0; k < left->count; k++)
            if (left->edit[k].word == edit->word &&
                (left->edit[k].axis != edit->axis || left->edit[k].value != edit->value))
                return false;
        if (!has_word(left, edit->word) && both->count == PLAN_EDITS_MAX)
            return false;
        change_add(both, edit);
    }
    return true;
}

/* ---- applying them ---- */

static void plan_set(struct plan *plan, const struct plan_edit *edit)
{
    switch ((int)edit->word) {
#define ROW(word, map, key, text, field)                                                           \
    case WORD_##word:                                                                              \
        plan->field = edit->value;                                                                 \
        break;
        EDIT_NUMBER_LIST(ROW)
#undef ROW
#define ROW(word, key, kind, field, type)                                                          \
    case WORD_##word:                                                                              \
        plan->schedule.field = (type)edit->value;                                                  \
        break;
        EDIT_WORD_LIST(ROW)
#undef ROW
    case WORD_CORE_SPLIT:
        plan->schedule.split[edit->axis] = edit->value;
        break;
    default:
        assert(false);
    }
    plan->given[edit->word] = true;
    plan->place[edit->word] = place_none();
}

static bool is_of_tile(const struct plan_edit *edit)
{
    return strncmp(edit_rows[edit->word].map, "tile", 4) == 0;
}

static bool changes_tile(const struct plan_change *change)
{
    for (uint32_t i = 0; i < change->count; i++)
        if (is_of_tile(&change->edit[i]))
            return true;
    return false;
}

/* A tile that the file lacks, as plan_load leaves it. */
static void tile_forget(struct plan *plan)
{
    plan->tile_derived = false;
    plan->l0 = (struct tile_l0){0};
    plan->has_l0 = false;
    if (plan->given[WORD_TILE_HOUT])
        return;
    plan->form = TILE_NONE;
    plan->l1 = (struct tile_l1){0};
    plan->base = (struct tile_matmul){
        .step_m = 1, .step_n = 1, .step_ka = 1, .step_kb = 1, .l2_m = 1, .l2_n = 1};
}

enum status plan_change_apply(const struct plan *plan, const struct plan_change *change,
                              struct arena *arena, struct diag *diag, struct plan *changed)
{
    *changed = *plan;
    changed->note_count = 0;
    changed->tile = (struct tile){0};
    if (plan->given[WORD_CORES])
        changed->schedule.cores = plan->written_cores;
    if (plan->tile_derived && !changes_tile(change))
        tile_forget(changed);
    if (has_word(change, WORD_CORE_SPLIT)) {
        changed->schedule.deal = 0;
        for (enum split axis = SPLIT_BATCH; axis < SPLIT_COUNT; axis++)
            changed->schedule.split[axis] = 1;
    }
    for (uint32_t i = 0; i < change->count; i++)
        plan_set(changed, &change->edit[i]);
    return plan_resolve(changed, plan->product, arena, diag);
}

/* ---- texts ---- */

const char *split_word(enum split axis)
{
    return split_names[axis];
}

const char *plan_edit_map(const struct plan_edit *edit)
{
    return edit_rows[edit->word].map;
}

const char *plan_edit_key(const struct plan_edit *edit)
{
    return edit_rows[edit->word].key;
}

const char *plan_edit_value(const struct plan_edit *edit, struct arena *arena)
{
    switch (edit_rows[edit->word].kind) {
    case EDIT_ORDER:
        return order_word((enum order)edit->value);
    case EDIT_RESIDENCY:
        return residency_word((enum residency)edit->value);
    case EDIT_HANDOVER:
        return handover_word((enum handover)edit->value);
    case EDIT_FIXPIPE:
        return fixpipe_policy_word((enum fixpipe_policy)edit->value);
    case EDIT_FLAG:
        return edit->value != 0 ? "true" : "false";
    case EDIT_NUMBER:
        break;
    }
    return arena_format(arena, "%" PRIu64, edit->value);
}

const char *plan_change_text(const struct plan_change *change, struct arena *arena)
{
    const char *text = "";
    bool in_split = false;
    for (uint32_t i = 0; i < change->count && text != NULL; i++) {
        const struct plan_edit *edit = &change->edit[i];
        const char *value = plan_edit_value(edit, arena);
        if (value == NULL)
            return NULL;
        if (edit->word == WORD_CORE_SPLIT)
            text = arena_format(arena, "%s%s%s %s", text,
                                in_split        ? " x "
                                : *text != '\0' ? ", core_split "
                                                : "core_split ",
                                split_names[edit->axis], value);
        else
            text = arena_format(arena, "%s%s%s %s", text, *text != '\0' ? ", " : "",
                                edit_rows[edit->word].text, value);
        in_split = edit->word == WORD_CORE_SPLIT;
    }
    return text;
}
