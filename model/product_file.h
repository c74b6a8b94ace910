/*
 * Reading one product file: the tree of a YAML file against the rows of product.def.
 *
 * Keys are nested maps along the dotted paths; each number is a map of value, basis, source and the
 * optional ends low and high. Nothing has a default, and every problem of the file is reported.
 */
#ifndef CUBESIM_MODEL_PRODUCT_FILE_H
#define CUBESIM_MODEL_PRODUCT_FILE_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "model/product.h"

/* Reads the file at path. stem, when not NULL, is what the key soc must say: files that are found
 * by name are named by their SoC. The texts of *product live in the arena. */
enum status product_file_load(const char *path, const char *stem, struct arena *arena,
                              struct diag *diag, struct product *product) MUST_CHECK;

/* What a product must have for a key that does not stand in every file, in words. */
const char *product_key_need(enum product_key key);

/* Whether products of an architecture have the unit that a key describes. */
bool product_key_applies(enum product_key key, enum arch arch);

/* "VALUE UNIT" of a key, checked against the range of the key. clock_mhz is in 2^-16 MHz. */
enum status product_value_parse(enum product_key key, const char *text, int64_t clock_mhz,
                                struct place place, struct diag *diag, int64_t *value) MUST_CHECK;

#endif
