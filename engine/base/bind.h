/*
 * A schema binder: types the nodes of a tree by rules and reports every problem at once.
 *
 * The file's words have no type of their own: the rule of a key says what it must be. Unknown keys
 * are refused with the nearest known one, missing required keys are named, numbers are checked
 * against their range and refused when their type cannot hold them. Results are written on OK only
 * (bind_integers may have written some items). All may return NO_MEMORY besides BAD_INPUT.
 */
#ifndef CUBESIM_ENGINE_BASE_BIND_H
#define CUBESIM_ENGINE_BASE_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/diag.h"
#include "engine/base/tree.h"

/* Name of the nearest word within a small edit distance, or NULL. */
const char *nearest_word(const char *word, const char *const *words, size_t count);

/* "'a', 'b' or 'c'" of words, or its beginning and how many are left out. Returns buffer. */
const char *words_format(const char *const *words, size_t count, char *buffer, size_t size);
enum { WORDS_BYTES = 512 }; /* room for a list in a message */

/* Refuses keys of map that are not in keys, each with its place and the nearest known key.
 * map must be a map, else that is the problem. Returns BAD_INPUT if anything was wrong. */
enum status bind_keys(const struct node *map, const char *const *keys, size_t count,
                      struct diag *diag) MUST_CHECK;

/* Whether bind_keys took an unknown key of the map for this one, so that its absence is told. */
bool bind_misspelt(const struct node *map, const char *key, const char *const *keys, size_t count);

/* The value of a required key; NULL with a problem at the map's place when it is missing, or when
 * map is no map. */
const struct node *bind_required(const struct node *map, const char *key, struct diag *diag);

/* A whole number of low..high, in decimal digits without quotes: "found 'x'; expected a whole
 * number from 1". */
enum status bind_integer(const struct node *node, int64_t low, int64_t high, struct diag *diag,
                         int64_t *value) MUST_CHECK;

/* A list of count_min..count_max whole numbers, each of low..high, into values. */
enum status bind_integers(const struct node *node, size_t count_min, size_t count_max, int64_t low,
                          int64_t high, struct diag *diag, int64_t *values,
                          size_t *count) MUST_CHECK;

/* true or false (yes/no/on/off are refused). */
enum status bind_bool(const struct node *node, struct diag *diag, bool *value) MUST_CHECK;

/* One of words; *index is its place in words. The problem names all words and the nearest. */
enum status bind_word(const struct node *node, const char *const *words, size_t count,
                      struct diag *diag, size_t *index) MUST_CHECK;

/* A scalar as text; nothing at all is refused, '' is accepted. */
enum status bind_text(const struct node *node, struct diag *diag, const char **text) MUST_CHECK;

#endif
