#include "engine/base/bind.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    WORD_BYTES_MAX = 64, /* longer words are no slip of the pen */
    EXPECTATION_BYTES = 160,
    FOUND_BYTES = EXCERPT_SIZE_BYTES + 32,
};

static unsigned char byte_lower(char byte)
{
    return (unsigned char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
}

/* Insertions, deletions and replacements that turn one word into the other; capitals count as
 * their small letters. Both words have at most WORD_BYTES_MAX bytes. */
static size_t word_distance(const char *from, size_t from_length, const char *to, size_t to_length)
{
    size_t row[WORD_BYTES_MAX + 1];
    for (size_t j = 0; j <= to_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= from_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= to_length; j++) {
            size_t replaced = diagonal + (byte_lower(from[i - 1]) != byte_lower(to[j - 1]));
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[to_length];
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
    size_t length = strlen(word);
    if (length > WORD_BYTES_MAX) {
        return NULL;
    }
    const char *nearest = NULL;
    size_t best = (length / 3 > 2 ? length / 3 : 2) + 1;
    for (size_t i = 0; i < count; i++) {
        size_t other_length = strlen(words[i]);
        if (other_length > WORD_BYTES_MAX) {
            continue;
        }
        size_t distance = word_distance(word, length, words[i], other_length);
        /* A word of which no letter is left is no neighbour. */
        size_t longer = length > other_length ? length : other_length;
        if (distance < best && distance < longer) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

const char *words_format(const char *const *words, size_t count, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t left = size - used;
        if (strlen(words[i]) + 32 > left) {
            (void)snprintf(buffer + used, left, " and %zu more", count - i);
            return buffer;
        }
        const char *joint = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        int length = snprintf(buffer + used, left, "%s'%s'", joint, words[i]);
        used += (size_t)length;
    }
    return buffer;
}

/* "'x'", "nothing", "a map", "a list of 3". */
static const char *found_format(const struct node *node, char *buffer, size_t size)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    switch (node->kind) {
    case NODE_MAP:
        (void)snprintf(buffer, size, "a map");
        break;
    case NODE_LIST:
        (void)snprintf(buffer, size, "a list of %zu", node->count);
        break;
    case NODE_SCALAR:
        if (node->text[0] == '\0' && !node->quoted) {
            (void)snprintf(buffer, size, "nothing");
        } else {
            (void)snprintf(buffer, size, node->quoted ? "the text '%s'" : "'%s'",
                           excerpt_format(node->text, excerpt, sizeof excerpt));
        }
        break;
    }
    return buffer;
}

static enum status node_refuse(const struct node *node, const char *expectation, struct diag *diag)
{
    char found[FOUND_BYTES];
    return diag_add(diag, STATUS_BAD_INPUT, node->place, "found %s; expected %s",
                    found_format(node, found, sizeof found), expectation);
}

static enum status key_refuse(const struct node *key, const char *const *keys, size_t count,
                              struct diag *diag)
{
    char excerpt[EXCERPT_SIZE_BYTES];
    char words[WORDS_BYTES];
    excerpt_format(key->text, excerpt, sizeof excerpt);
    const char *nearest = nearest_word(key->text, keys, count);
    if (nearest != NULL) {
        return diag_add(diag, STATUS_BAD_INPUT, key->place, "unknown key '%s'; expected '%s'",
                        excerpt, nearest);
    }
    if (count == 0) {
        return diag_add(diag, STATUS_BAD_INPUT, key->place, "unknown key '%s'; expected no key",
                        excerpt);
    }
    return diag_add(diag, STATUS_BAD_INPUT, key->place, "unknown key '%s'; expected %s", excerpt,
                    words_format(keys, count, words, sizeof words));
}

static bool key_is_known(const char *key, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

enum status bind_keys(const struct node *map, const char *const *keys, size_t count,
                      struct diag *diag)
{
    char words[WORDS_BYTES];
    char expectation[WORDS_BYTES + 32];
    if (map->kind != NODE_MAP) {
        (void)snprintf(expectation, sizeof expectation, "a map with keys such as %s",
                       words_format(keys, count, words, sizeof words));
        return node_refuse(map, count == 0 ? "a map" : expectation, diag);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; i < map->count; i++) {
        if (!key_is_known(map->keys[i]->text, keys, count)) {
            status = diag_graver(status, key_refuse(map->keys[i], keys, count, diag));
        }
    }
    return status;
}

bool bind_misspelt(const struct node *map, const char *key, const char *const *keys, size_t count)
{
    for (size_t i = 0; map->kind == NODE_MAP && i < map->count; i++) {
        const char *written = map->keys[i]->text;
        const char *nearest =
            key_is_known(written, keys, count) ? NULL : nearest_word(written, keys, count);
        if (nearest != NULL && strcmp(nearest, key) == 0) {
            return true;
        }
    }
    return false;
}

const struct node *bind_required(const struct node *map, const char *key, struct diag *diag)
{
    if (map->kind != NODE_MAP) {
        char expectation[EXPECTATION_BYTES];
        (void)snprintf(expectation, sizeof expectation, "a map with the key '%s'", key);
        (void)node_refuse(map, expectation, diag);
        return NULL;
    }
    const struct node *value = tree_find(map, key);
    if (value == NULL) {
        (void)diag_add(diag, STATUS_BAD_INPUT, map->place,
                       "found no key '%s'; expected it in this map", key);
    }
    return value;
}

/* "a whole number from 1 to 63"; plural for lists. */
static const char *range_format(int64_t low, int64_t high, char *buffer, size_t size)
{
    long long first = low;
    long long last = high;
    if (low == high) {
        (void)snprintf(buffer, size, "the whole number %lld", first);
    } else if (low == INT64_MIN && high == INT64_MAX) {
        (void)snprintf(buffer, size, "a whole number");
    } else if (high == INT64_MAX) {
        (void)snprintf(buffer, size, "a whole number from %lld", first);
    } else if (low == INT64_MIN) {
        (void)snprintf(buffer, size, "a whole number up to %lld", last);
    } else {
        (void)snprintf(buffer, size, "a whole number from %lld to %lld", first, last);
    }
    return buffer;
}

enum integer_result { INTEGER_OK, INTEGER_MALFORMED, INTEGER_TOO_LARGE };

/* Decimal digits with an optional minus; leading zeros would be octal to other readers. */
static enum integer_result integer_parse(const char *text, int64_t *value)
{
    bool negative = text[0] == '-';
    const char *digits = negative ? text + 1 : text;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || digits[length] != '\0' || (digits[0] == '0' && length > 1)) {
        return INTEGER_MALFORMED;
    }
    /* Collected below zero, because that side of the type is the longer one. */
    int64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = digits[i] - '0';
        if (sum < (INT64_MIN + digit) / 10) {
            return INTEGER_TOO_LARGE;
        }
        sum = sum * 10 - digit;
    }
    if (!negative && sum == INT64_MIN) {
        return INTEGER_TOO_LARGE;
    }
    *value = negative ? sum : -sum;
    return INTEGER_OK;
}

enum status bind_integer(const struct node *node, int64_t low, int64_t high, struct diag *diag,
                         int64_t *value)
{
    assert(low <= high);
    char range[EXPECTATION_BYTES];
    int64_t parsed = 0;
    enum integer_result result = INTEGER_MALFORMED;
    if (node->kind == NODE_SCALAR && !node->quoted) {
        result = integer_parse(node->text, &parsed);
    }
    if (result == INTEGER_OK && parsed >= low && parsed <= high) {
        *value = parsed;
        return STATUS_OK;
    }
    /* An open range would not say why a number of twenty digits is none. */
    if (result == INTEGER_TOO_LARGE && (low == INT64_MIN || high == INT64_MAX)) {
        (void)snprintf(range, sizeof range, "a whole number from %lld to %lld", (long long)low,
                       (long long)high);
        return node_refuse(node, range, diag);
    }
    return node_refuse(node, range_format(low, high, range, sizeof range), diag);
}

enum status bind_integers(const struct node *node, size_t count_min, size_t count_max, int64_t low,
                          int64_t high, struct diag *diag, int64_t *values, size_t *count)
{
    assert(count_min <= count_max);
    if (node->kind != NODE_LIST || node->count < count_min || node->count > count_max) {
        char expectation[EXPECTATION_BYTES];
        if (count_min == count_max) {
            (void)snprintf(expectation, sizeof expectation, "a list of %zu whole numbers",
                           count_min);
        } else {
            (void)snprintf(expectation, sizeof expectation, "a list of %zu to %zu whole numbers",
                           count_min, count_max);
        }
        return node_refuse(node, expectation, diag);
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; i < node->count; i++) {
        status = diag_graver(status, bind_integer(node->items[i], low, high, diag, &values[i]));
    }
    *count = node->count;
    return status;
}

enum status bind_bool(const struct node *node, struct diag *diag, bool *value)
{
    if (node->kind == NODE_SCALAR && !node->quoted) {
        if (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0) {
            *value = node->text[0] == 't';
            return STATUS_OK;
        }
    }
    return node_refuse(node, "true or false", diag);
}

enum status bind_word(const struct node *node, const char *const *words, size_t count,
                      struct diag *diag, size_t *index)
{
    assert(count > 0);
    for (size_t i = 0; node->kind == NODE_SCALAR && i < count; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            *index = i;
            return STATUS_OK;
        }
    }
    char all[WORDS_BYTES];
    char expectation[WORDS_BYTES + WORD_BYTES_MAX + 32];
    const char *nearest = node->kind == NODE_SCALAR ? nearest_word(node->text, words, count) : NULL;
    words_format(words, count, all, sizeof all);
    if (nearest == NULL || count == 1) {
        return node_refuse(node, all, diag);
    }
    (void)snprintf(expectation, sizeof expectation, "'%s' (one of %s)", nearest, all);
    return node_refuse(node, expectation, diag);
}

enum status bind_text(const struct node *node, struct diag *diag, const char **text)
{
    if (node->kind != NODE_SCALAR || (node->text[0] == '\0' && !node->quoted)) {
        return node_refuse(node, "a text", diag);
    }
    *text = node->text;
    return STATUS_OK;
}
