#include <assert.h>
#include <string.h>

#include "engine/base/bind.h"
#include "model/plan_reader.h"

bool reader_note(struct plan_reader *reader, enum status status)
{
    if (status_exit_code(status) > status_exit_code(reader->worst)) {
        reader->worst = status;
    }
    return status == STATUS_OK;
}

const struct node *reader_find(struct plan_reader *reader, const struct node *map, const char *key,
                               enum plan_word word)
{
    const struct node *node = tree_find(map, key);

    if (node != NULL && word < WORD_COUNT_) {
        reader->plan->place[word] = node->place;
        reader->plan->given[word] = true;
    }
    return node;
}

bool reader_keys(struct plan_reader *reader, const struct node *map, const char *const *keys,
                 size_t count)
{
    reader->keys = keys;
    reader->key_count = count;
    return reader_note(reader, bind_keys(map, keys, count, reader->diag));
}

const struct node *reader_require(struct plan_reader *reader, const struct node *map,
                                  const char *key, enum plan_word word)
{
    if (tree_find(map, key) == NULL && bind_misspelt(map, key, reader->keys, reader->key_count)) {
        return NULL;
    }
    if (bind_required(map, key, reader->diag) == NULL) {
        (void)reader_note(reader, STATUS_BAD_INPUT);
        return NULL;
    }
    return reader_find(reader, map, key, word);
}

struct place reader_key_place(const struct node *map, const char *key)
{
    for (size_t i = 0; map->kind == NODE_MAP && i < map->count; i++) {
        if (strcmp(map->keys[i]->text, key) == 0) {
            return map->keys[i]->place;
        }
    }
    return map->place;
}

bool reader_size(struct plan_reader *reader, const struct node *node, int64_t low, uint64_t *value)
{
    int64_t number = 0;

    if (!reader_note(reader, bind_integer(node, low, INT64_MAX, reader->diag, &number))) {
        return false;
    }
    *value = (uint64_t)number;
    return true;
}

void reader_sizes(struct plan_reader *reader, const struct node *map, const struct size_row *rows,
                  size_t count, void *base)
{
    for (size_t i = 0; i < count; i++) {
        const struct size_row *row = &rows[i];
        const struct node *node = row->required ? reader_require(reader, map, row->key, row->word)
                                                : reader_find(reader, map, row->key, row->word);
        uint64_t value = 0;

        if (node != NULL && reader_size(reader, node, row->low, &value)) {
            memcpy((char *)base + row->offset, &value, sizeof value);
        }
    }
}

void reader_flag(struct plan_reader *reader, const struct node *map, const char *key,
                 enum plan_word word, bool *value)
{
    const struct node *node = reader_find(reader, map, key, word);
    bool flag = false;

    if (node != NULL && reader_note(reader, bind_bool(node, reader->diag, &flag))) {
        *value = flag;
    }
}

size_t reader_choice(struct plan_reader *reader, const struct node *map, const char *key,
                     enum plan_word word, const char *const *words, size_t count, size_t missing)
{
    const struct node *node = reader_find(reader, map, key, word);
    size_t index = missing;

    if (node == NULL || !reader_note(reader, bind_word(node, words, count, reader->diag, &index))) {
        return missing;
    }
    return index;
}

static void plan_read_rules(struct plan_reader *reader, const struct node *root)
{
    static const char *const words[RULES_COUNT] = {
#define ROW(name, word) word,
        RULE_SET_LIST(ROW)
#undef ROW
    };

    reader->plan->rules = (enum rule_set)reader_choice(reader, root, "rules", WORD_RULES, words,
                                                       RULES_COUNT, RULES_PYPTO);
}

/* The name of the product: the override, else the file's word. */
static const char *plan_read_product_name(struct plan_reader *reader, const struct node *root,
                                          const char *override)
{
    const struct node *node = reader_find(reader, root, "product", WORD_PRODUCT);
    const char *name = NULL;

    if (node != NULL && !reader_note(reader, bind_text(node, reader->diag, &name))) {
        return override;
    }
    if (override != NULL) {
        return override;
    }
    if (node == NULL) {
        READER_REFUSE(reader, root->place,
                      "found no product; expected 'product: NAME' in the plan or --product NAME");
    }
    return name;
}

/* The word of --product stands where the file's would: later problems of the product name it. */
static bool plan_place_override(struct plan_reader *reader, const char *override)
{
    struct plan *plan = reader->plan;
    struct source *option = arena_take(reader->arena, 1, sizeof *option);

    if (option == NULL) {
        return reader_note(reader, STATUS_NO_MEMORY);
    }
    *option = (struct source){.name = "--product", .text = override, .length = strlen(override)};
    plan->given[WORD_PRODUCT] = true;
    plan->place[WORD_PRODUCT] =
        (struct place){option, 1, 1, option->length > 0 ? (uint32_t)option->length : 1};
    return true;
}

static void plan_load_product(struct plan_reader *reader, const char *override,
                              const char *const *sets, size_t set_count, struct product *product)
{
    struct plan *plan = reader->plan;

    if (override != NULL && !plan_place_override(reader, override)) {
        return;
    }
    if (plan->product_name == NULL ||
        !reader_note(reader, product_load(plan->product_name, plan->place[WORD_PRODUCT],
                                          reader->arena, reader->diag, product))) {
        return;
    }
    for (size_t i = 0; i < set_count; i++) {
        (void)reader_note(reader, product_set(product, sets[i], reader->arena, reader->diag));
    }
    reader->product = product;
    plan->product = product;
}

static void plan_read_problem(struct plan_reader *reader, const struct node *root)
{
    const struct node *conv = tree_find(root, "conv");
    const struct node *matmul = tree_find(root, "matmul");

    if (conv != NULL && matmul != NULL) {
        READER_REFUSE(reader, reader_key_place(root, "matmul"),
                      "found both conv and matmul; expected one of them");
    } else if (conv == NULL && matmul == NULL) {
        READER_REFUSE(reader, root->place,
                      "missing key 'conv'; expected the convolution, or matmul");
    }
    if (conv != NULL) {
        plan_read_conv(reader, conv);
    } else if (matmul != NULL) {
        plan_read_matmul(reader, matmul);
    }
    if (!reader->plan->matmul && reader->plan->rules == RULES_MATMUL) {
        READER_REFUSE(reader, reader->plan->place[WORD_RULES],
                      "found rules 'matmul' without matmul; expected those of convolutions");
    }
}

static enum status plan_read(struct plan_reader *reader, const struct node *root,
                             const char *override, const char *const *sets, size_t set_count,
                             struct product *product)
{
    static const char *const keys[] = {"product", "rules",   "conv", "matmul",
                                       "tile_l1", "tile_l0", "tile", "schedule"};
    struct plan *plan = reader->plan;

    if (root->kind != NODE_MAP) {
        return diag_add(reader->diag, STATUS_BAD_INPUT, root->place,
                        "found no keys; expected a plan with 'product' and 'conv' or 'matmul'");
    }
    (void)reader_note(reader, bind_keys(root, keys, COUNT_OF(keys), reader->diag));
    plan->product_name = plan_read_product_name(reader, root, override);
    plan_load_product(reader, override, sets, set_count, product);
    plan_read_rules(reader, root);
    plan_read_problem(reader, root);
    if (reader->product != NULL && plan->matmul) {
        plan_fit_matmul(reader);
    } else if (reader->product != NULL && tree_find(root, "conv") != NULL) {
        plan_fit_conv(reader);
    }
    plan_read_tiles(reader, root);
    plan_read_schedule(reader, tree_find(root, "schedule"));
    return reader->worst;
}

/* The same with its problems in the order of the file. */
static enum status plan_read_sorted(struct plan_reader *reader, const struct node *root,
                                    const char *override, const char *const *sets, size_t set_count,
                                    struct product *product)
{
    const size_t first = reader->diag != NULL ? reader->diag->count : 0;
    const enum status status = plan_read(reader, root, override, sets, set_count, product);

    diag_sort(reader->diag, first);
    return status;
}

static struct plan_reader plan_reader_make(const char *name, struct arena *arena, struct diag *diag,
                                           struct plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->path = arena_text(arena, name, strlen(name));
    return (struct plan_reader){.plan = plan,
                                .arena = arena,
                                .diag = diag,
                                .worst = plan->path != NULL ? STATUS_OK : STATUS_NO_MEMORY};
}

enum status plan_from_tree(const char *name, const struct node *root, const char *product_override,
                           const char *const *sets, size_t set_count, struct arena *arena,
                           struct diag *diag, struct product *product, struct plan *plan)
{
    struct plan_reader reader = plan_reader_make(name, arena, diag, plan);

    plan->source = root->place.source;
    return plan_read_sorted(&reader, root, product_override, sets, set_count, product);
}

enum status plan_load(const char *path, const char *product_override, const char *const *sets,
                      size_t set_count, struct arena *arena, struct diag *diag,
                      struct product *product, struct plan *plan)
{
    const struct node *root = NULL;
    const enum status status = tree_load(path, arena, diag, &root);

    if (status != STATUS_OK) {
        return status;
    }
    assert(root != NULL);
    return plan_from_tree(path, root, product_override, sets, set_count, arena, diag, product,
                          plan);
}

enum status plan_parse(const char *name, const char *text, const char *product_override,
                       struct arena *arena, struct diag *diag, struct product *product,
                       struct plan *plan)
{
    const struct node *root = NULL;
    const enum status status = tree_parse(name, text, strlen(text), arena, diag, &root);

    if (status != STATUS_OK) {
        return status;
    }
    assert(root != NULL);
    return plan_from_tree(name, root, product_override, NULL, 0, arena, diag, product, plan);
}
