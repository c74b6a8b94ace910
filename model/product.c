#include "model/product.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "engine/base/bind.h"
#include "model/product_file.h"

/* Ranges in product.def are in the key's own unit; a share counts in percent there. */
#define RANGE_VALUE(unit, bound)                                                                   \
    (UNIT_##unit == UNIT_SHARE ? (((bound)*QUANTITY_ONE + 50) / 100) : ((bound)*QUANTITY_ONE))

static const struct product_key_info key_infos[] = {
#define KEY(name, path, unit, direction, low, high, section, meaning)                              \
    {path,                                                                                         \
     UNIT_##unit,                                                                                  \
     DIRECTION_##direction,                                                                        \
     RANGE_VALUE(unit, low),                                                                       \
     RANGE_VALUE(unit, high),                                                                      \
     NEED_##section,                                                                               \
     meaning},
#include "model/product.def"
#undef KEY
};

_Static_assert(sizeof key_infos / sizeof key_infos[0] == PRODUCT_KEY_COUNT,
               "every key of product.def has one row");

const char *basis_word(enum basis basis)
{
    static const char *const words[] = {
#define ROW(name, word) word,
        BASIS_LIST(ROW)
#undef ROW
    };
    assert(basis < BASIS_COUNT);
    return words[basis];
}

const struct product_key_info *product_key_info(enum product_key key)
{
    assert(key < PRODUCT_KEY_COUNT);
    return &key_infos[key];
}

enum product_key product_key_find(const char *path)
{
    for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++)
        if (strcmp(key_infos[key].path, path) == 0)
            return (enum product_key)key;
    return PRODUCT_KEY_COUNT;
}

static bool (*const need_tests[NEED_COUNT])(enum arch arch) = {
#define ROW(name, words, test) test,
    PRODUCT_NEED_LIST(ROW)
#undef ROW
};

static const char *const need_words[NEED_COUNT] = {
#define ROW(name, words, test) words,
    PRODUCT_NEED_LIST(ROW)
#undef ROW
};

bool product_key_applies(enum product_key key, enum arch arch)
{
    bool (*const test)(enum arch arch) = need_tests[product_key_info(key)->need];

    return test == NULL || test(arch);
}

const char *product_key_need(enum product_key key)
{
    return need_words[product_key_info(key)->need];
}

int64_t product_value(const struct product *product, enum product_key key)
{
    assert(key < PRODUCT_KEY_COUNT);
    assert(product->number[key].present);
    return product->number[key].value;
}

uint64_t product_memory_bytes(const struct product *product, enum space space)
{
    static const enum product_key keys[SPACE_COUNT] = {
        [SPACE_GM] = PRODUCT_KEY_COUNT, [SPACE_L1] = PRODUCT_L1_SIZE,
        [SPACE_L0A] = PRODUCT_L0A_SIZE, [SPACE_L0B] = PRODUCT_L0B_SIZE,
        [SPACE_L0C] = PRODUCT_L0C_SIZE, [SPACE_BT] = PRODUCT_BT_SIZE,
        [SPACE_FB] = PRODUCT_FB_SIZE,   [SPACE_UB] = PRODUCT_UB_SIZE,
    };
    enum product_key key = keys[space];
    return key < PRODUCT_KEY_COUNT && product->number[key].present ? product_whole(product, key)
                                                                   : 0;
}

uint64_t product_whole(const struct product *product, enum product_key key)
{
    int64_t value = product_value(product, key);

    assert(value >= 0);
    return ((uint64_t)value + (uint64_t)QUANTITY_ONE / 2) >> 16;
}

uint64_t product_time_cycles(const struct product *product, enum product_key key)
{
    assert(product_key_info(key)->unit == UNIT_TIME);

    /* us times MHz is cycles; the product of two numbers in 2^-16 is taken in two halves, because
     * the ranges of product.def allow 2^69 in all. */
    uint64_t time = (uint64_t)product_value(product, key);
    uint64_t clock = (uint64_t)product_value(product, PRODUCT_CHIP_CLOCK);
    uint64_t cycles = clock * (time >> 16) + ((clock * (time & 0xffff)) >> 16);
    return (cycles + 0x8000) >> 16;
}

void product_at_range_end(const struct product *product, bool faster, struct product *end)
{
    *end = *product;
    for (size_t key = 0; key < PRODUCT_KEY_COUNT; key++) {
        enum product_direction direction = key_infos[key].direction;
        struct product_number *number = &end->number[key];

        if (!number->present || direction == DIRECTION_NEITHER)
            continue;
        number->value = (direction == DIRECTION_MORE) == faster ? number->high : number->low;
    }
}

/* What --set says, cut at its equals sign. */
struct assignment {
    const char *key;
    const char *value;
    struct place key_place;
    struct place value_place;
};

/* The part [from, until) of the text without blanks around it; NULL when memory ran out. */
static const char *assignment_part(struct source *source, size_t from, size_t until,
                                   struct arena *arena, struct place *place)
{
    while (from < until && source->text[from] == ' ')
        from++;
    while (until > from && source->text[until - 1] == ' ')
        until--;
    *place =
        (struct place){source, 1, (uint32_t)from + 1, until > from ? (uint32_t)(until - from) : 1};
    return arena_text(arena, source->text + from, until - from);
}

static enum status assignment_split(const char *text, struct arena *arena, struct diag *diag,
                                    struct assignment *assignment)
{
    struct source *source = arena_take(arena, 1, sizeof *source);
    size_t length = strlen(text);
    const char *copy = arena_text(arena, text, length);

    if (source == NULL || copy == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "no memory for --set");
    *source = (struct source){.name = "--set", .text = copy, .length = length};

    const char *equals = strchr(copy, '=');
    if (equals == NULL) {
        struct place place = {source, 1, 1, length > 0 ? (uint32_t)length : 1};
        char found[EXCERPT_SIZE_BYTES];
        return diag_add(diag, STATUS_BAD_INPUT, place, "found '%s'; expected KEY=VALUE UNIT",
                        excerpt_format(copy, found, sizeof found));
    }
    size_t cut = (size_t)(equals - copy);
    assignment->key = assignment_part(source, 0, cut, arena, &assignment->key_place);
    assignment->value = assignment_part(source, cut + 1, length, arena, &assignment->value_place);
    if (assignment->key == NULL || assignment->value == NULL)
        return diag_add(diag, STATUS_NO_MEMORY, place_none(), "no memory for --set");
    return STATUS_OK;
}

enum { PATHS_SHOWN = 4, PATHS_BYTES = 256 };

/* How many of the paths lie below a prefix; all are written into text, or the first few. */
static size_t paths_below(const char *const *paths, size_t count, const char *prefix, size_t length,
                          char *text)
{
    size_t found = 0;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (strncmp(paths[i], prefix, length) != 0 || paths[i][length] != '.')
            continue;
        if (found++ < PATHS_SHOWN)
            used += (size_t)snprintf(text + used, PATHS_BYTES - used, "%s'%s'",
                                     found == 1 ? "" : ", ", paths[i]);
    }
    if (found > PATHS_SHOWN)
        (void)snprintf(text + used, PATHS_BYTES - used, " and %zu more", found - PATHS_SHOWN);
    return found;
}

/* What was meant by a key that is none: keys below it, the nearest, or keys of its section. */
static enum status assignment_refuse_unknown(const struct assignment *assignment,
                                             const char *const *paths, size_t count,
                                             struct diag *diag)
{
    const char *key = assignment->key;
    size_t length = strlen(key);
    char found[EXCERPT_SIZE_BYTES];
    char below[PATHS_BYTES];
    const char *nearest = nearest_word(key, paths, count);

    excerpt_format(key, found, sizeof found);
    if (paths_below(paths, count, key, length, below) > 0)
        return diag_add(diag, STATUS_BAD_INPUT, assignment->key_place,
                        "unknown key '%s'; expected %s", found, below);
    if (nearest != NULL)
        return diag_add(diag, STATUS_BAD_INPUT, assignment->key_place,
                        "unknown key '%s'; expected '%s'", found, nearest);
    while (length > 0) {
        while (length > 0 && key[--length] != '.')
            continue;
        if (length > 0 && paths_below(paths, count, key, length, below) > 0)
            return diag_add(diag, STATUS_BAD_INPUT, assignment->key_place,
                            "unknown key '%s'; expected %s", found, below);
    }
    return diag_add(diag, STATUS_BAD_INPUT, assignment->key_place,
                    "unknown key '%s'; expected a key of a product file such as 'chip.clock'",
                    found);
}

/* Refuses a key that the product does not have. */
static enum status assignment_refuse_key(const struct assignment *assignment,
                                         const struct product *product, enum product_key key,
                                         struct diag *diag)
{
    const char *paths[PRODUCT_KEY_COUNT];
    size_t count = 0;

    if (key != PRODUCT_KEY_COUNT)
        return diag_add(diag, STATUS_BAD_INPUT, assignment->key_place,
                        "found key '%s'; expected another, because %s has no %s", assignment->key,
                        product->soc, product_key_need(key));
    for (size_t i = 0; i < PRODUCT_KEY_COUNT; i++)
        if (product->number[i].present)
            paths[count++] = key_infos[i].path;
    return assignment_refuse_unknown(assignment, paths, count, diag);
}

enum status product_set(struct product *product, const char *assignment_text, struct arena *arena,
                        struct diag *diag)
{
    struct assignment assignment = {0};
    int64_t value = 0;
    enum status status = assignment_split(assignment_text, arena, diag, &assignment);

    if (status != STATUS_OK)
        return status;
    enum product_key key = product_key_find(assignment.key);
    if (key == PRODUCT_KEY_COUNT || !product->number[key].present)
        return assignment_refuse_key(&assignment, product, key, diag);

    int64_t clock = product_value(product, PRODUCT_CHIP_CLOCK);
    status =
        product_value_parse(key, assignment.value, clock, assignment.value_place, diag, &value);
    if (status != STATUS_OK)
        return status;
    /* Nobody vouches for a what-if, whatever the source of the number that it replaces. */
    product->number[key] = (struct product_number){.present = true,
                                                   .value = value,
                                                   .low = value,
                                                   .high = value,
                                                   .basis = BASIS_GUESS,
                                                   .source = "--set",
                                                   .overridden = true};
    return STATUS_OK;
}

enum { JSON_TEXT_BYTES = 64 };

static int json_set_quantity(json_t *object, const char *name, int64_t value, enum unit unit)
{
    char text[JSON_TEXT_BYTES];

    return json_object_set_new(object, name,
                               json_string(quantity_format(value, unit, text, sizeof text)));
}

static json_t *json_from_number(const struct product_number *number, enum unit unit)
{
    json_t *object = json_object();
    int failed = json_object_set_new(object, "basis", json_string(basis_word(number->basis)));

    failed |= json_set_quantity(object, "value", number->value, unit);
    if (number->low != number->value)
        failed |= json_set_quantity(object, "low", number->low, unit);
    if (number->high != number->value)
        failed |= json_set_quantity(object, "high", number->high, unit);
    if (number->overridden)
        failed |= json_object_set_new(object, "set", json_true());
    if (failed != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Puts a value at a dotted path, making the objects on the way; steals the value. */
static int json_set_path(json_t *root, const char *path, json_t *value)
{
    json_t *object = root;
    const char *dot;

    while ((dot = strchr(path, '.')) != NULL) {
        char name[JSON_TEXT_BYTES];
        size_t length = (size_t)(dot - path);

        assert(length < sizeof name);
        memcpy(name, path, length);
        name[length] = '\0';
        json_t *inner = json_object_get(object, name);
        if (inner == NULL) {
            inner = json_object();
            if (json_object_set_new(object, name, inner) != 0) {
                json_decref(value);
                return -1;
            }
        }
        object = inner;
        path = dot + 1;
    }
    return json_object_set_new(object, path, value);
}

static json_t *json_from_product(const struct product *product)
{
    json_t *root = json_object();
    int failed = json_object_set_new(root, "soc", json_string(product->soc));

    failed |= json_object_set_new(root, "arch", json_string(arch_word(product->arch)));
    for (size_t key = 0; key < PRODUCT_KEY_COUNT && failed == 0; key++) {
        const struct product_number *number = &product->number[key];
        if (number->present)
            failed |= json_set_path(root, key_infos[key].path,
                                    json_from_number(number, key_infos[key].unit));
    }
    if (failed != 0) {
        json_decref(root);
        return NULL;
    }
    return root;
}

const char *product_json(const struct product *product, struct arena *arena)
{
    const size_t flags = JSON_COMPACT | JSON_SORT_KEYS;
    json_t *root = json_from_product(product);

    if (root == NULL)
        return NULL;
    size_t length = json_dumpb(root, NULL, 0, flags);
    char *text = length > 0 ? arena_take(arena, length + 1, 1) : NULL;
    if (text != NULL && json_dumpb(root, text, length, flags) != length)
        text = NULL;
    json_decref(root);
    return text;
}

double product_launch_us(const struct product *product)
{
    int64_t launch = product_value(product, PRODUCT_HOST_LAUNCH);

    return (double)((launch * 1000 + QUANTITY_ONE / 2) / QUANTITY_ONE) / 1000.0;
}
