#include <assert.h>
#include <string.h>

#include "engine/base/bind.h"
#include "model/plan_reader.h"

#define L1_ROW(key, word, field, required)                                                         \
    {                                                                                              \
        key, word, offsetof(struct tile_l1, field), 1, required                                    \
    }
#define L0_ROW(key, word, field)                                                                   \
    {                                                                                              \
        key, word, offsetof(struct tile_l0, field), 1, true                                        \
    }
#define VENDOR_ROW(key, word, field)                                                               \
    {                                                                                              \
        key, word, offsetof(struct tile_vendor, field), 1, true                                    \
    }

enum { KEYS_MAX = 32 };

static void row_keys(const struct size_row *rows, size_t count, const char **keys)
{
    assert(count <= KEYS_MAX);
    for (size_t i = 0; i < count; i++) {
        keys[i] = rows[i].key;
    }
}

void reader_map(struct plan_reader *reader, const struct node *map, const struct size_row *rows,
                size_t count, void *base)
{
    const char *keys[KEYS_MAX];

    row_keys(rows, count, keys);
    (void)reader_keys(reader, map, keys, count);
    if (map->kind == NODE_MAP) {
        reader_sizes(reader, map, rows, count, base);
    }
}

/* Every field of TileL1Info must be there but tileBatch, of which only 1 is legal. */
static void read_tile_l1(struct plan_reader *reader, const struct node *map)
{
    static const struct size_row rows[] = {
        L1_ROW("tileHin", WORD_TILE_HIN, hin, true),
        L1_ROW("tileHout", WORD_TILE_HOUT, hout, true),
        L1_ROW("tileWin", WORD_TILE_WIN, win, true),
        L1_ROW("tileWout", WORD_TILE_WOUT, wout, true),
        L1_ROW("tileCinFmap", WORD_TILE_CIN_FMAP, cin_fmap, true),
        L1_ROW("tileCinWeight", WORD_TILE_CIN_WEIGHT, cin_weight, true),
        L1_ROW("tileN", WORD_TILE_L1_N, n, true),
        L1_ROW("tileBatch", WORD_TILE_BATCH, batch, false),
    };

    reader->plan->form = TILE_PYPTO;
    reader->plan->l1.batch = 1;
    reader_map(reader, map, rows, COUNT_OF(rows), &reader->plan->l1);
}

static void read_tile_l0(struct plan_reader *reader, const struct node *map)
{
    static const struct size_row rows[] = {
        L0_ROW("tileH", WORD_TILE_H, h),
        L0_ROW("tileW", WORD_TILE_W, w),
        L0_ROW("tileK", WORD_TILE_K, k),
        L0_ROW("tileN", WORD_TILE_L0_N, n),
    };

    reader->plan->has_l0 = true;
    reader_map(reader, map, rows, COUNT_OF(rows), &reader->plan->l0);
}

static const struct size_row linear_rows[] = {
    VENDOR_ROW("mAL1", WORD_M_AL1, m_al1),
    VENDOR_ROW("mL0", WORD_M_L0, m_l0),
};
static const struct size_row rectangle_rows[] = {
    VENDOR_ROW("hoL1", WORD_HO_L1, ho_l1),
    VENDOR_ROW("woL1", WORD_WO_L1, wo_l1),
    VENDOR_ROW("hoL0", WORD_HO_L0, ho_l0),
    VENDOR_ROW("woL0", WORD_WO_L0, wo_l0),
};
static const struct size_row common_rows[] = {
    VENDOR_ROW("nBL1", WORD_N_BL1, n_bl1), VENDOR_ROW("kAL1", WORD_K_AL1, k_al1),
    VENDOR_ROW("kBL1", WORD_K_BL1, k_bl1), VENDOR_ROW("kL0", WORD_K_L0, k_l0),
    VENDOR_ROW("nL0", WORD_N_L0, n_l0),
};

/* The first key of rows that map has, or NULL. */
static const char *first_key(const struct node *map, const struct size_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tree_find(map, rows[i].key) != NULL) {
            return rows[i].key;
        }
    }
    return NULL;
}

/* mMode as true or false, or as 1 or 0 as tuning banks write it. Returns false when it is missing
 * or refused. */
static bool read_m_mode(struct plan_reader *reader, const struct node *map, bool *linear)
{
    const struct node *node = tree_find(map, "mMode");

    if (node == NULL) {
        return false;
    }
    if (node->kind == NODE_SCALAR && !node->quoted &&
        (strcmp(node->text, "0") == 0 || strcmp(node->text, "1") == 0)) {
        *linear = node->text[0] == '1';
        return true;
    }
    return reader_note(reader, bind_bool(node, reader->diag, linear));
}

/* The M tile: linear (mAL1, mL0) or a rectangle (hoL1, woL1, hoL0, woL0). */
static void read_m_tile(struct plan_reader *reader, const struct node *map)
{
    const char *linear_key = first_key(map, linear_rows, COUNT_OF(linear_rows));
    const char *rectangle_key = first_key(map, rectangle_rows, COUNT_OF(rectangle_rows));
    bool m_mode = false;
    const bool m_mode_known = read_m_mode(reader, map, &m_mode);

    if (linear_key != NULL && rectangle_key != NULL) {
        READER_REFUSE(reader, reader_key_place(map, rectangle_key),
                      "found both %s and %s; expected mAL1 and mL0, or hoL1, woL1, hoL0 and woL0",
                      linear_key, rectangle_key);
    } else if (linear_key == NULL && rectangle_key == NULL) {
        READER_REFUSE(reader, map->place,
                      "found no M tile; expected mAL1 and mL0, or hoL1, woL1, hoL0 and woL0");
    } else if (m_mode_known && m_mode && rectangle_key != NULL) {
        READER_REFUSE(reader, reader_key_place(map, "mMode"),
                      "found mMode true with %s; expected mAL1 and mL0, which tuning banks store "
                      "as hoL1 and hoL0 in this mode",
                      rectangle_key);
    } else if (m_mode_known && !m_mode && linear_key != NULL) {
        READER_REFUSE(reader, reader_key_place(map, "mMode"),
                      "found mMode false with %s; expected hoL1, woL1, hoL0 and woL0", linear_key);
    } else if (linear_key != NULL) {
        reader_sizes(reader, map, linear_rows, COUNT_OF(linear_rows), &reader->plan->vendor);
    } else {
        reader_sizes(reader, map, rectangle_rows, COUNT_OF(rectangle_rows), &reader->plan->vendor);
    }
}

/* A word of low..high, 0 when it is missing or refused. */
static uint64_t read_code(struct plan_reader *reader, const struct node *map, const char *key,
                          enum plan_word word, int64_t high)
{
    const struct node *node = reader_find(reader, map, key, word);
    int64_t value = 0;

    if (node == NULL || !reader_note(reader, bind_integer(node, 0, high, reader->diag, &value))) {
        return 0;
    }
    return (uint64_t)value;
}

static const struct split_row {
    const char *key;
    enum split split;
} split_rows[] = {
    {"batchDim", SPLIT_BATCH}, {"groupDim", SPLIT_GROUP}, {"hoDim", SPLIT_M}, {"woDim", SPLIT_M},
    {"mDim", SPLIT_M},         {"doDim", SPLIT_M},        {"nDim", SPLIT_N},
};

/* The Dim words are core splits; those along output rows, columns, positions and depth all split
 * the M tiles. */
static void read_split_words(struct plan_reader *reader, const struct node *map)
{
    struct plan *plan = reader->plan;

    for (size_t i = 0; i < COUNT_OF(split_rows); i++) {
        const struct node *node = tree_find(map, split_rows[i].key);
        uint64_t *ways = &plan->schedule.split[split_rows[i].split];
        uint64_t more = 1;

        if (node == NULL) {
            continue;
        }
        if (!plan->given[WORD_CORE_SPLIT]) {
            plan->given[WORD_CORE_SPLIT] = true;
            plan->place[WORD_CORE_SPLIT] = node->place;
            for (size_t split = 0; split < SPLIT_COUNT; split++) {
                plan->schedule.split[split] = 1;
            }
        }
        if (reader_size(reader, node, 1, &more) && __builtin_mul_overflow(*ways, more, ways)) {
            *ways = 1;
            READER_REFUSE(reader, node->place,
                          "found splits whose product 64 bits do not hold; expected fewer cores");
        }
    }
}

/* More than one batch in an M tile is a mode of the hand-written kernels for small outputs. */
static void read_inner_batch(struct plan_reader *reader, const struct node *map)
{
    const struct node *node = tree_find(map, "innerBatch");
    uint64_t batches = 1;

    if (node != NULL && reader_size(reader, node, 1, &batches) && batches != 1) {
        READER_REFUSE(reader, node->place,
                      "found innerBatch %llu; expected 1, as tiles over several batches are not "
                      "modelled",
                      (unsigned long long)batches);
    }
}

static void vendor_keys(const char **keys, size_t *count)
{
    static const char *const others[] = {"pBufferFlag", "iterateMNOrder", "mMode", "innerBatch"};

    row_keys(linear_rows, COUNT_OF(linear_rows), keys);
    *count = COUNT_OF(linear_rows);
    row_keys(rectangle_rows, COUNT_OF(rectangle_rows), keys + *count);
    *count += COUNT_OF(rectangle_rows);
    row_keys(common_rows, COUNT_OF(common_rows), keys + *count);
    *count += COUNT_OF(common_rows);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        keys[(*count)++] = others[i];
    }
    for (size_t i = 0; i < COUNT_OF(split_rows); i++) {
        keys[(*count)++] = split_rows[i].key;
    }
    assert(*count <= KEYS_MAX);
}

static void read_tile_vendor(struct plan_reader *reader, const struct node *map)
{
    struct plan *plan = reader->plan;
    const char *keys[KEYS_MAX];
    size_t count = 0;

    plan->form = TILE_VENDOR;
    vendor_keys(keys, &count);
    (void)reader_keys(reader, map, keys, count);
    if (map->kind != NODE_MAP) {
        return;
    }
    read_m_tile(reader, map);
    reader_sizes(reader, map, common_rows, COUNT_OF(common_rows), &plan->vendor);
    plan->vendor.p_buffer_flag = read_code(reader, map, "pBufferFlag", WORD_P_BUFFER_FLAG, 31);
    plan->vendor.p_buffer_given = plan->given[WORD_P_BUFFER_FLAG];
    plan->vendor.iterate_mn_order =
        read_code(reader, map, "iterateMNOrder", WORD_ITERATE_MN_ORDER, 1);
    read_inner_batch(reader, map);
    read_split_words(reader, map);
    if (plan->rules != RULES_VENDOR) {
        if (plan->given[WORD_RULES]) {
            plan->notes[plan->note_count++] =
                "rules vendor judge this tile: the other sets know no tile: with vendor names";
        }
        plan->rules = RULES_VENDOR;
    }
}

/* A matrix product has rules and a tile of its own. */
static void read_matmul_tile(struct plan_reader *reader, const struct node *root)
{
    static const char *const others[] = {"tile_l1", "tile_l0"};
    struct plan *plan = reader->plan;
    const struct node *tile = tree_find(root, "tile");

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (tree_find(root, others[i]) != NULL) {
            READER_REFUSE(
                reader, reader_key_place(root, others[i]),
                "found %s with matmul; expected tile with baseM, baseN and baseK, or none",
                others[i]);
        }
    }
    if (tile != NULL) {
        plan_read_tile_matmul(reader, tile);
    }
    if (plan->given[WORD_RULES] && plan->rules != RULES_MATMUL) {
        plan->notes[plan->note_count++] =
            "rules matmul judge this plan: the other sets know convolutions only";
    }
    plan->rules = RULES_MATMUL;
}

void plan_read_tiles(struct plan_reader *reader, const struct node *root)
{
    const struct node *l1 = tree_find(root, "tile_l1");
    const struct node *l0 = tree_find(root, "tile_l0");
    const struct node *vendor = tree_find(root, "tile");

    if (reader->plan->matmul) {
        read_matmul_tile(reader, root);
        return;
    }
    if (l1 != NULL) {
        read_tile_l1(reader, l1);
    }
    if (l0 != NULL) {
        read_tile_l0(reader, l0);
    }
    if (vendor != NULL && (l1 != NULL || l0 != NULL)) {
        READER_REFUSE(reader, reader_key_place(root, "tile"),
                      "found both tile and %s; expected tile with the vendor's names, or tile_l1 "
                      "and tile_l0",
                      l1 != NULL ? "tile_l1" : "tile_l0");
    } else if (l0 != NULL && l1 == NULL) {
        READER_REFUSE(reader, reader_key_place(root, "tile_l0"),
                      "found tile_l0 without tile_l1; expected both, tile_l1 alone, or neither");
    }
    if (vendor != NULL) {
        read_tile_vendor(reader, vendor);
    }
}
