/*
 * A piece of a program's text, and the numbers that stand in it.
 */
#ifndef CUBESIM_ISA_WORD_H
#define CUBESIM_ISA_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct word {
    const char *text; /* borrowed, not zero-terminated */
    size_t length;
};

bool word_is(struct word word, const char *text);

/* The index of a word in a list; count when it is not there. */
size_t word_find(struct word word, const char *const *words, size_t count);

/* The parts before and behind the first sign in a word; false when it has none: all is before. */
bool word_split(struct word word, char sign, struct word *before, struct word *behind);

/* A name: letters, digits, '_' and '.', the first a letter or '_'. */
bool word_is_name(struct word word);

/* As messages quote it. Returns buffer of EXCERPT_SIZE_BYTES. */
const char *word_excerpt(struct word word, char *buffer);

/* The nearest of words within a small edit distance, or NULL. */
const char *word_nearest(struct word word, const char *const *words, size_t count);

enum number_result { NUMBER_OK, NUMBER_MALFORMED, NUMBER_TOO_SMALL, NUMBER_TOO_LARGE };

/* A whole number in decimal, or in hexadecimal behind 0x, with an optional minus: the magnitude in
 * 64 bits and the sign. Leading zeros of a decimal number would be octal to other readers. */
enum number_result word_number(struct word word, uint64_t *magnitude, bool *negative);

/* The same of low..high. */
enum number_result word_count(struct word word, uint64_t low, uint64_t high, uint64_t *value);

#endif
