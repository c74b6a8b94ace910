/*
 * Templates of a validation: plans and programs with places that rows fill in.
 *
 * In the text of a program {NAME} is the value of a row, and {EXPRESSION} a whole number made of
 * numbers, names, + - * / % and parentheses (/ rounds down). A line ".for NAME EXPRESSION" repeats
 * the lines up to its ".end" so many times, with NAME counting from 0; loops nest. In a plan a
 * value "{NAME}" is replaced by what the row says.
 */
#ifndef CUBESIM_MODEL_VALIDATION_TEMPLATE_H
#define CUBESIM_MODEL_VALIDATION_TEMPLATE_H

#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "engine/base/source.h"
#include "engine/base/tree.h"
#include "model/validation.h"

enum { TEMPLATE_BYTES_MAX = 64 << 20 }; /* of an expanded text */

/* A program text and where its lines come from. */
struct template_text {
    const struct source *source; /* the expanded text */
    const uint32_t *lines;       /* [line - 1]: line of the file */
    size_t line_count;
};

/* Expands the text of a program, a block of lines. Problems are at their lines of the file. */
enum status template_expand(const struct node *text, const struct validation_fill *fills,
                            size_t fill_count, struct arena *arena, struct diag *diag,
                            struct template_text *expanded) MUST_CHECK;

/* A copy of a plan with the values of a row, or with a problem for a name that no row has. */
enum status template_fill(const struct node *plan, const struct validation_fill *fills,
                          size_t fill_count, struct arena *arena, struct diag *diag,
                          const struct node **filled) MUST_CHECK;

/* Whether a template, a plan or a program, asks for a value of this name. */
bool template_asks(const struct node *template, const char *name);

#endif
