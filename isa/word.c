#include "isa/word.h"

#include <string.h>

#include "engine/base/bind.h"
#include "engine/base/diag.h"

/* What an excerpt or a neighbour can depend on. */
enum { COPY_BYTES = 4 * EXCERPT_SIZE_BYTES };

bool word_is(struct word word, const char *text)
{
    return strlen(text) == word.length && memcmp(text, word.text, word.length) == 0;
}

size_t word_find(struct word word, const char *const *words, size_t count)
{
    size_t index = 0;
    while (index < count && !word_is(word, words[index])) {
        index++;
    }
    return index;
}

bool word_split(struct word word, char sign, struct word *before, struct word *behind)
{
    const char *at = word.length == 0 ? NULL : memchr(word.text, sign, word.length);
    size_t length = at == NULL ? word.length : (size_t)(at - word.text);
    *before = (struct word){word.text, length};
    *behind = (struct word){word.text + length, 0};
    if (at != NULL) {
        *behind = (struct word){at + 1, word.length - length - 1};
    }
    return at != NULL;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

bool word_is_name(struct word word)
{
    if (word.length == 0 || !is_letter(word.text[0])) {
        return false;
    }
    for (size_t i = 1; i < word.length; i++) {
        if (!is_letter(word.text[i]) && !is_digit(word.text[i]) && word.text[i] != '.') {
            return false;
        }
    }
    return true;
}

/* The start of a word with a closing zero. */
static void word_copy(struct word word, char copy[COPY_BYTES])
{
    size_t length = word.length < COPY_BYTES ? word.length : COPY_BYTES - 1;
    memcpy(copy, word.text, length);
    copy[length] = '\0';
}

const char *word_excerpt(struct word word, char *buffer)
{
    char copy[COPY_BYTES];
    word_copy(word, copy);
    return excerpt_format(copy, buffer, EXCERPT_SIZE_BYTES);
}

const char *word_nearest(struct word word, const char *const *words, size_t count)
{
    char copy[COPY_BYTES];
    word_copy(word, copy);
    return nearest_word(copy, words, count);
}

/* The value of a digit, or 16. */
static unsigned digit_value(char byte)
{
    if (is_digit(byte)) {
        return (unsigned)(byte - '0');
    }
    if (byte >= 'a' && byte <= 'f') {
        return (unsigned)(byte - 'a') + 10;
    }
    return byte >= 'A' && byte <= 'F' ? (unsigned)(byte - 'A') + 10 : 16;
}

enum number_result word_number(struct word word, uint64_t *magnitude, bool *negative)
{
    const char *at = word.text, *end = word.text + word.length;
    *negative = at < end && *at == '-';
    at += *negative;
    bool hexadecimal = end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    at += hexadecimal ? 2 : 0;
    unsigned base = hexadecimal ? 16 : 10;
    if (at == end || (!hexadecimal && *at == '0' && end - at > 1)) {
        return NUMBER_MALFORMED;
    }
    uint64_t sum = 0;
    bool fits = true;
    for (; at < end; at++) {
        unsigned digit = digit_value(*at);
        if (digit >= base) {
            return NUMBER_MALFORMED;
        }
        fits = fits && sum <= (UINT64_MAX - digit) / base;
        sum = sum * base + digit;
    }
    *magnitude = sum;
    return fits ? NUMBER_OK : NUMBER_TOO_LARGE;
}

enum number_result word_count(struct word word, uint64_t low, uint64_t high, uint64_t *value)
{
    uint64_t magnitude;
    bool negative;
    enum number_result result = word_number(word, &magnitude, &negative);
    if (result == NUMBER_MALFORMED) {
        return result;
    }
    bool small = result == NUMBER_OK && magnitude < low;
    if (small || (negative && (result == NUMBER_TOO_LARGE || magnitude > 0))) {
        return NUMBER_TOO_SMALL;
    }
    if (result == NUMBER_TOO_LARGE || magnitude > high) {
        return NUMBER_TOO_LARGE;
    }
    *value = magnitude;
    return NUMBER_OK;
}
