#include <assert.h>

#include "engine/base/bind.h"
#include "model/plan_reader.h"
#include "model/tile_space.h"

static const char *const split_words[SPLIT_COUNT + 1] = {[SPLIT_BATCH] = "batch",
                                                         [SPLIT_GROUP] = "group",
                                                         [SPLIT_M] = "m",
                                                         [SPLIT_N] = "n",
                                                         [SPLIT_COUNT] = "mn"};

static const struct buffer_row_word {
    const char *key;
    enum plan_word word;
} buffer_words[BUFFER_COUNT] = {
    [BUFFER_L1A] = {"l1a_buffers", WORD_L1A_BUFFERS},
    [BUFFER_L1B] = {"l1b_buffers", WORD_L1B_BUFFERS},
    [BUFFER_L0A] = {"l0a_buffers", WORD_L0A_BUFFERS},
    [BUFFER_L0B] = {"l0b_buffers", WORD_L0B_BUFFERS},
    [BUFFER_L0C] = {"l0c_buffers", WORD_L0C_BUFFERS},
};

/* mn: the tiles of a matrix product are dealt to so many cores; m and n split them otherwise. */
static void read_deal(struct plan_reader *reader, const struct node *map)
{
    const char *key = split_words[SPLIT_COUNT];
    const struct node *ways = tree_find(map, key);

    if (ways == NULL || !reader_size(reader, ways, 1, &reader->plan->schedule.deal)) {
        return;
    }
    if (!reader->plan->matmul) {
        READER_REFUSE(reader, reader_key_place(map, key),
                      "found core_split mn with a convolution; expected m and n, or matmul");
    } else if (tree_find(map, "m") != NULL || tree_find(map, "n") != NULL) {
        READER_REFUSE(reader, reader_key_place(map, key),
                      "found core_split mn beside %s; expected one of them",
                      tree_find(map, "m") != NULL ? "m" : "n");
    }
}

static void read_core_split(struct plan_reader *reader, const struct node *map)
{
    struct plan *plan = reader->plan;
    const bool vendor_split = plan->given[WORD_CORE_SPLIT];
    const struct node *node = tree_find(map, "core_split");

    if (node == NULL) {
        return;
    }
    if (vendor_split) {
        READER_REFUSE(reader, reader_key_place(map, "core_split"),
                      "found core_split beside Dim words of tile; expected one of them");
        return;
    }
    (void)reader_find(reader, map, "core_split", WORD_CORE_SPLIT);
    (void)reader_note(reader, bind_keys(node, split_words, COUNT_OF(split_words), reader->diag));
    if (node->kind != NODE_MAP) {
        return;
    }
    if (node->count == 0) {
        READER_REFUSE(reader, node->place,
                      "found an empty core_split; expected at least one of batch, group, m and n");
    }
    read_deal(reader, node);
    for (size_t split = 0; split < SPLIT_COUNT; split++) {
        const struct node *ways = tree_find(node, split_words[split]);

        plan->schedule.split[split] = 1;
        if (ways != NULL) {
            (void)reader_size(reader, ways, 1, &plan->schedule.split[split]);
        }
    }
}

static void read_buffers(struct plan_reader *reader, const struct node *map)
{
    for (size_t i = 0; i < BUFFER_COUNT; i++) {
        const struct node *node =
            reader_find(reader, map, buffer_words[i].key, buffer_words[i].word);
        int64_t slots = 0;

        if (node != NULL && reader_note(reader, bind_integer(node, 1, 2, reader->diag, &slots))) {
            reader->plan->schedule.buffers[i] = (uint64_t)slots;
        }
    }
}

static void read_choices(struct plan_reader *reader, const struct node *map)
{
#define ROW(name, word) word,
    static const char *const policies[] = {POLICY_LIST(ROW)};
    static const char *const orders[] = {ORDER_LIST(ROW)};
    static const char *const residencies[] = {RESIDENCY_LIST(ROW)};
    static const char *const handovers[] = {HANDOVER_LIST(ROW)};
    static const char *const fixpipes[] = {FIXPIPE_POLICY_LIST(ROW)};
    static const char *const l2_states[] = {L2_STATE_LIST(ROW)};
#undef ROW
    struct schedule *schedule = &reader->plan->schedule;

    schedule->policy = (enum policy)reader_choice(reader, map, "policy", WORD_POLICY, policies,
                                                  POLICY_COUNT, POLICY_PYPTO);
    schedule->order = (enum order)reader_choice(reader, map, "order", WORD_ORDER, orders,
                                                ORDER_COUNT, ORDER_M_FIRST);
    schedule->residency = (enum residency)reader_choice(
        reader, map, "residency", WORD_RESIDENCY, residencies, RESIDENCY_COUNT, RESIDENCY_RELOAD);
    schedule->handover = (enum handover)reader_choice(reader, map, "handover", WORD_HANDOVER,
                                                      handovers, HANDOVER_COUNT, HANDOVER_OPERAND);
    schedule->fixpipe = (enum fixpipe_policy)reader_choice(
        reader, map, "fixpipe", WORD_FIXPIPE, fixpipes, FIXPIPE_POLICY_COUNT, FIXPIPE_ROW);
    schedule->l2 = (enum l2_state)reader_choice(reader, map, "l2", WORD_L2, l2_states,
                                                L2_STATE_COUNT, L2_COLD);
}

/* Words of the vendor's tile and of the schedule that say the same thing must agree. */
static void check_vendor_words(struct plan_reader *reader)
{
    /* Bits of pBufferFlag from the lowest. */
    static const enum buffer flag_bits[BUFFER_COUNT] = {BUFFER_L0A, BUFFER_L0B, BUFFER_L0C,
                                                        BUFFER_L1A, BUFFER_L1B};
    const struct plan *plan = reader->plan;
    const struct tile_vendor *vendor = &plan->vendor;

    if (plan->given[WORD_ITERATE_MN_ORDER] && plan->given[WORD_ORDER] &&
        (vendor->iterate_mn_order == 1) != (plan->schedule.order == ORDER_N_FIRST)) {
        READER_REFUSE(reader, plan->place[WORD_ORDER],
                      "found order %s with iterateMNOrder %d; expected one of them, or both alike "
                      "(0 is m_first, 1 is n_first)",
                      order_word(plan->schedule.order), (int)vendor->iterate_mn_order);
    }
    for (size_t bit = 0; vendor->p_buffer_given && bit < BUFFER_COUNT; bit++) {
        const enum buffer buffer = flag_bits[bit];
        const uint64_t slots = 1 + (vendor->p_buffer_flag >> bit & 1);
        const uint64_t written = plan->schedule.buffers[buffer];

        if (written != 0 && written != slots) {
            READER_REFUSE(reader, plan->place[buffer_words[buffer].word],
                          "found %s %d with pBufferFlag %d, which means %d; expected one of them, "
                          "or both alike",
                          buffer_words[buffer].key, (int)written, (int)vendor->p_buffer_flag,
                          (int)slots);
        }
    }
}

uint64_t schedule_ways(const struct schedule *schedule)
{
    uint64_t cores = schedule->deal != 0 ? schedule->deal : 1;

    for (size_t split = 0; split < SPLIT_COUNT; split++) {
        if (__builtin_mul_overflow(cores, schedule->split[split], &cores)) {
            return UINT64_MAX;
        }
    }
    return cores;
}

/* The depths of a matrix product and the slots of L1 say the same thing too. */
static void check_depth(struct plan_reader *reader, const char *depth, enum buffer buffer)
{
    const struct plan *plan = reader->plan;
    const uint64_t written = plan->schedule.buffers[buffer];
    const uint64_t slots = plan->form == TILE_MATMUL ? tile_matmul_slots(&plan->base, buffer) : 0;

    if (slots != 0 && written != 0 && written != slots) {
        READER_REFUSE(reader, plan->place[buffer_words[buffer].word],
                      "found %s %d with %s, which means %llu; expected one of them, or both alike",
                      buffer_words[buffer].key, (int)written, depth, (unsigned long long)slots);
    }
}

/* Whether the product has that many cores is for plan_resolve: tiles can be checked without. */
static void check_cores(struct plan_reader *reader)
{
    const struct plan *plan = reader->plan;
    const struct schedule *schedule = &plan->schedule;

    if (!plan->given[WORD_CORE_SPLIT] || schedule->cores == 0 ||
        schedule->cores == schedule_ways(schedule)) {
        return;
    }
    if (schedule->deal != 0) {
        READER_REFUSE(reader, plan->place[WORD_CORE_SPLIT],
                      "found a core split of %llu ways (batch, group, mn); expected %llu, as cores "
                      "says",
                      (unsigned long long)schedule_ways(schedule),
                      (unsigned long long)schedule->cores);
        return;
    }
    READER_REFUSE(reader, plan->place[WORD_CORE_SPLIT],
                  "found a core split of %llu x %llu x %llu x %llu ways (batch, group, m, n); "
                  "expected a product of %llu, as cores says",
                  (unsigned long long)schedule->split[SPLIT_BATCH],
                  (unsigned long long)schedule->split[SPLIT_GROUP],
                  (unsigned long long)schedule->split[SPLIT_M],
                  (unsigned long long)schedule->split[SPLIT_N],
                  (unsigned long long)schedule->cores);
}

void plan_read_schedule(struct plan_reader *reader, const struct node *map)
{
    static const char *const keys[] = {"policy",      "cores",       "core_split",  "order",
                                       "residency",   "l1a_buffers", "l1b_buffers", "l0a_buffers",
                                       "l0b_buffers", "l0c_buffers", "unit_flag",   "handover",
                                       "fixpipe",     "l2"};

    if (map != NULL) {
        (void)reader_note(reader, bind_keys(map, keys, COUNT_OF(keys), reader->diag));
    }
    if (map != NULL && map->kind == NODE_MAP) {
        const struct node *cores = reader_find(reader, map, "cores", WORD_CORES);

        if (cores != NULL) {
            (void)reader_size(reader, cores, 1, &reader->plan->schedule.cores);
        }
        read_core_split(reader, map);
        read_choices(reader, map);
        read_buffers(reader, map);
        reader_flag(reader, map, "unit_flag", WORD_UNIT_FLAG, &reader->plan->schedule.unit_flag);
        check_vendor_words(reader);
        check_depth(reader, "depthA1", BUFFER_L1A);
        check_depth(reader, "depthB1", BUFFER_L1B);
    }
    check_cores(reader);
}
