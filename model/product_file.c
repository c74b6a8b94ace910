#include "model/product_file.h"

#include <assert.h>
#include <string.h>

#include "engine/base/bind.h"
#include "engine/base/tree.h"

/* One file while it is read. */
struct product_file {
    const struct node *root;
    struct arena *arena;
    struct diag *diag;
    struct product *product;
    enum arch arch;    /* ARCH_COUNT when the file's word was refused */
    int64_t clock_mhz; /* 2^-16 MHz */
    enum status status;
};

static const char *const header_words[] = {"soc", "alias", "name", "note", "arch"};
enum {
    HEADER_WORD_COUNT = 5,
    NUMBER_WORD_COUNT = 5,
    QUANTITY_TEXT_BYTES = 64,
    PATH_WORD_BYTES = 64
};

/* Keeps the gravest status, so that reading goes on to the next problem. */
static void file_note(struct product_file *file, enum status status)
{
    file->status = diag_graver(file->status, status);
}

static void file_no_memory(struct product_file *file)
{
    file_note(file, diag_add(file->diag, STATUS_NO_MEMORY, file->root->place,
                             "no memory for a product file"));
}

enum status product_value_parse(enum product_key key, const char *text, int64_t clock_mhz,
                                struct place place, struct diag *diag, int64_t *value)
{
    const struct product_key_info *info = product_key_info(key);
    enum status status = quantity_parse(text, info->unit, clock_mhz, place, diag, value);
    char found[EXCERPT_SIZE_BYTES], low[QUANTITY_TEXT_BYTES], high[QUANTITY_TEXT_BYTES];

    if (status != STATUS_OK)
        return status;
    excerpt_format(text, found, sizeof found);
    if (*value < info->low || *value > info->high)
        return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s' for %s; expected %s to %s",
                        found, info->path, quantity_format(info->low, info->unit, low, sizeof low),
                        quantity_format(info->high, info->unit, high, sizeof high));
    if ((info->unit == UNIT_COUNT || info->unit == UNIT_BYTES) && *value % QUANTITY_ONE != 0)
        return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s' for %s; expected a whole %s",
                        found, info->path, info->unit == UNIT_COUNT ? "number" : "number of bytes");
    return STATUS_OK;
}

/* Length of the next component when path lies below prefix, else 0. *rest is where it starts. */
static size_t path_component(const char *path, const char *prefix, const char **rest)
{
    size_t length = strlen(prefix);

    if (length > 0) {
        if (strncmp(path, prefix, length) != 0 || path[length] != '.')
            return 0;
        path += length + 1;
    }
    *rest = path;
    return strcspn(path, ".");
}

/* The words that may stand in the section at prefix; 0 when there is no such section. */
static size_t section_words(struct product_file *file, const char *prefix, const char **words)
{
    size_t count = 0;

    if (*prefix == '\0')
        for (size_t i = 0; i < HEADER_WORD_COUNT; i++)
            words[count++] = header_words[i];
    for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++) {
        const char *rest;
        size_t length =
            path_component(product_key_info((enum product_key)key)->path, prefix, &rest);
        bool known = length == 0;

        for (size_t i = 0; i < count && !known; i++)
            known = strlen(words[i]) == length && memcmp(words[i], rest, length) == 0;
        if (known)
            continue;
        words[count] = arena_text(file->arena, rest, length);
        if (words[count] == NULL) {
            file_no_memory(file);
            return 0;
        }
        count++;
    }
    return count;
}

/* Refuses unknown words of a section and of the sections in it. */
static void section_check(struct product_file *file, const struct node *map, const char *prefix)
{
    const char *words[PRODUCT_KEY_COUNT + HEADER_WORD_COUNT];
    size_t count = section_words(file, prefix, words);

    if (count == 0)
        return;
    file_note(file, bind_keys(map, words, count, file->diag));
    if (map->kind != NODE_MAP)
        return;
    for (size_t i = 0; i < map->count; i++) {
        const char *path = arena_format(file->arena, "%s%s%s", prefix, *prefix != '\0' ? "." : "",
                                        map->keys[i]->text);
        if (path == NULL) {
            file_no_memory(file);
            return;
        }
        if (product_key_find(path) == PRODUCT_KEY_COUNT)
            section_check(file, map->items[i], path);
    }
}

/* Walks a dotted path. Returns its node; or NULL with *deepest the map in which the component at
 * *rest of the path is missing, which is NULL when something on the way is no map (section_check
 * has said so). */
static const struct node *path_walk(const struct node *root, const char *path,
                                    const struct node **deepest, const char **rest)
{
    const struct node *node = root;

    *deepest = NULL;
    for (*rest = path; **rest != '\0';) {
        char word[PATH_WORD_BYTES];
        size_t length = strcspn(*rest, ".");

        if (node->kind != NODE_MAP)
            return NULL;
        assert(length < sizeof word);
        memcpy(word, *rest, length);
        word[length] = '\0';
        const struct node *item = tree_find(node, word);
        if (item == NULL) {
            *deepest = node;
            return NULL;
        }
        node = item;
        *rest += length + ((*rest)[length] == '.' ? 1 : 0);
    }
    return node;
}

/* Whether the missing component at rest of a path is there under a misspelt word, which
 * section_check has refused. */
static bool path_misspelt(struct product_file *file, const struct node *map, const char *path,
                          const char *rest)
{
    const char *words[PRODUCT_KEY_COUNT + HEADER_WORD_COUNT];
    size_t above = rest == path ? 0 : (size_t)(rest - path) - 1;
    const char *prefix = arena_text(file->arena, path, above);
    const char *word = arena_text(file->arena, rest, strcspn(rest, "."));

    if (prefix == NULL || word == NULL) {
        file_no_memory(file);
        return false;
    }
    return bind_misspelt(map, word, words, section_words(file, prefix, words));
}

/* A key that must be there; NULL: it is not, which is told here unless a misspelt one was. */
static const struct node *file_require(struct product_file *file, const struct node *map,
                                       const char *word, const char *const *words, size_t count)
{
    if (tree_find(map, word) == NULL && bind_misspelt(map, word, words, count))
        return NULL;
    const struct node *node = bind_required(map, word, file->diag);
    if (node == NULL)
        file_note(file, STATUS_BAD_INPUT);
    return node;
}

static const char *const number_words[] = {"value", "basis", "source", "low", "high"};

static const struct node *number_require(struct product_file *file, const struct node *map,
                                         const char *word)
{
    return file_require(file, map, word, number_words, NUMBER_WORD_COUNT);
}

static const struct node *header_require(struct product_file *file, const char *word)
{
    const char *words[PRODUCT_KEY_COUNT + HEADER_WORD_COUNT];
    size_t count = section_words(file, "", words);

    return file_require(file, file->root, word, words, count);
}

/* One of value, low and high. false: it is absent or was refused. */
static bool number_bind_value(struct product_file *file, enum product_key key,
                              const struct node *map, const char *word, bool required,
                              int64_t *value)
{
    const struct node *node = required ? number_require(file, map, word) : tree_find(map, word);
    const char *text;

    if (node == NULL)
        return false;
    enum status status = bind_text(node, file->diag, &text);
    if (status == STATUS_OK)
        status = product_value_parse(key, text, file->clock_mhz, node->place, file->diag, value);
    file_note(file, status);
    return status == STATUS_OK;
}

/* A text that says something; node is NULL when it was missing, which is told. */
static void bind_sentence(struct product_file *file, const struct node *node, const char *word,
                          const char *expected, const char **text)
{
    if (node == NULL)
        return;
    enum status status = bind_text(node, file->diag, text);
    if (status == STATUS_OK && **text == '\0')
        status = diag_add(file->diag, STATUS_BAD_INPUT, node->place,
                          "found no text for '%s'; "
                          "expected %s",
                          word, expected);
    file_note(file, status);
}

static void number_bind_basis(struct product_file *file, const struct node *map, enum basis *basis)
{
    static const char *const words[] = {
#define ROW(name, word) word,
        BASIS_LIST(ROW)
#undef ROW
    };
    const struct node *node = number_require(file, map, "basis");
    size_t index = 0;

    if (node == NULL)
        return;
    enum status status = bind_word(node, words, BASIS_COUNT, file->diag, &index);
    if (status == STATUS_OK)
        *basis = (enum basis)index;
    file_note(file, status);
}

/* low <= value <= high. */
static void number_check_ends(struct product_file *file, enum product_key key,
                              const struct node *map, const struct product_number *number)
{
    enum unit unit = product_key_info(key)->unit;
    char end[QUANTITY_TEXT_BYTES], value[QUANTITY_TEXT_BYTES];
    const char *value_text = quantity_format(number->value, unit, value, sizeof value);

    if (number->low > number->value)
        file_note(file, diag_add(file->diag, STATUS_BAD_INPUT, tree_find(map, "low")->place,
                                 "found low %s; expected at most the value %s",
                                 quantity_format(number->low, unit, end, sizeof end), value_text));
    if (number->high < number->value)
        file_note(file, diag_add(file->diag, STATUS_BAD_INPUT, tree_find(map, "high")->place,
                                 "found high %s; expected at least the value %s",
                                 quantity_format(number->high, unit, end, sizeof end), value_text));
}

/* Reads the map of a number; false when its value cannot be used. */
static bool number_bind(struct product_file *file, enum product_key key, const struct node *map)
{
    struct product_number *number = &file->product->number[key];
    int64_t value = 0, low = 0, high = 0;

    file_note(file, bind_keys(map, number_words, NUMBER_WORD_COUNT, file->diag));
    if (map->kind != NODE_MAP)
        return false;
    bool has_value = number_bind_value(file, key, map, "value", true, &value);
    number_bind_basis(file, map, &number->basis);
    bind_sentence(file, number_require(file, map, "source"), "source",
                  "where the number comes from", &number->source);
    bool has_low = number_bind_value(file, key, map, "low", false, &low);
    bool has_high = number_bind_value(file, key, map, "high", false, &high);
    if (!has_value)
        return false;

    number->present = true;
    number->value = value;
    number->low = has_low ? low : value;
    number->high = has_high ? high : value;
    number_check_ends(file, key, map, number);
    return true;
}

/* A key of the schema: there, or missing, or one that the product cannot have. */
static bool key_bind(struct product_file *file, enum product_key key)
{
    const struct product_key_info *info = product_key_info(key);
    const struct node *deepest;
    const char *rest;
    const struct node *node = path_walk(file->root, info->path, &deepest, &rest);
    bool applies = file->arch != ARCH_COUNT && product_key_applies(key, file->arch);

    if (node != NULL && (applies || file->arch == ARCH_COUNT))
        return number_bind(file, key, node);
    if (node != NULL)
        file_note(file, diag_add(file->diag, STATUS_BAD_INPUT, node->place,
                                 "found key '%s'; expected none, because %s has no %s", info->path,
                                 arch_word(file->arch), product_key_need(key)));
    else if (applies && deepest != NULL && !path_misspelt(file, deepest, info->path, rest))
        file_note(file, diag_add(file->diag, STATUS_BAD_INPUT, deepest->place,
                                 "key '%s' is missing; expected %s", info->path,
                                 unit_expectation(info->unit)));
    return false;
}

static void optional_text(struct product_file *file, const char *word, const char **text)
{
    const struct node *node = tree_find(file->root, word);

    *text = "";
    if (node != NULL)
        file_note(file, bind_text(node, file->diag, text));
}

static void header_bind_soc(struct product_file *file, const char *stem)
{
    struct product *product = file->product;

    bind_sentence(file, header_require(file, "soc"), "soc", "the name of the SoC", &product->soc);
    if (stem != NULL && product->soc != NULL && strcmp(product->soc, stem) != 0)
        file_note(file, diag_add(file->diag, STATUS_BAD_INPUT, tree_find(file->root, "soc")->place,
                                 "found soc '%s'; expected '%s', the name of the file",
                                 product->soc, stem));
}

static void header_bind(struct product_file *file, const char *stem)
{
    static const char *const words[] = {
#define ROW(number, word, bit) word,
        ARCH_LIST(ROW)
#undef ROW
    };
    const struct node *node;
    size_t index = 0;

    header_bind_soc(file, stem);
    optional_text(file, "alias", &file->product->alias);
    bind_sentence(file, header_require(file, "name"), "name", "the name that people use",
                  &file->product->name);
    optional_text(file, "note", &file->product->note);
    node = header_require(file, "arch");
    if (node == NULL)
        return;
    enum status status = bind_word(node, words, ARCH_COUNT, file->diag, &index);
    if (status == STATUS_OK)
        file->arch = file->product->arch = (enum arch)index;
    file_note(file, status);
}

static void file_bind(struct product_file *file, const char *stem)
{
    section_check(file, file->root, "");
    if (file->root->kind != NODE_MAP || file->status == STATUS_NO_MEMORY)
        return;
    header_bind(file, stem);

    /* The clock comes first, because other numbers may be written in seconds. When it is refused,
     * any clock lets the rest of the file be checked. */
    if (key_bind(file, PRODUCT_CHIP_CLOCK))
        file->clock_mhz = file->product->number[PRODUCT_CHIP_CLOCK].value;
    else
        file->clock_mhz = 1000 * QUANTITY_ONE;
    for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++)
        if (key != PRODUCT_CHIP_CLOCK)
            (void)key_bind(file, (enum product_key)key);
}

enum status product_file_load(const char *path, const char *stem, struct arena *arena,
                              struct diag *diag, struct product *product)
{
    struct product_file file = {
        .arena = arena, .diag = diag, .product = product, .arch = ARCH_COUNT, .status = STATUS_OK};
    size_t first = diag != NULL ? diag->count : 0;
    enum status status = tree_load(path, arena, diag, &file.root);

    *product = (struct product){0};
    if (status != STATUS_OK)
        return status;
    file_bind(&file, stem);
    diag_sort(diag, first);
    return file.status;
}
