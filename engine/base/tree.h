/*
 * A YAML or JSON document as a tree whose every node knows its place in the file.
 *
 * The accepted language is the plain part of YAML 1.1: maps, lists and scalars. Anchors, aliases,
 * tags, directives, second documents, repeated keys, keys that are no scalars, invalid UTF-8,
 * control characters, more than 64 levels, empty documents and files over 16 MiB are refused with
 * their place. Scalars stay text: the schema gives them a type; "key:" with nothing behind is "".
 */
#ifndef CUBESIM_ENGINE_BASE_TREE_H
#define CUBESIM_ENGINE_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"

enum node_kind { NODE_SCALAR, NODE_MAP, NODE_LIST };

struct node {
    enum node_kind kind;
    struct place place;        /* a scalar's width ends with its first line; others: 1 */
    const char *text;          /* NODE_SCALAR: its text; else NULL */
    bool quoted;               /* NODE_SCALAR: written in quotes or as a block */
    size_t count;              /* NODE_MAP: pairs; NODE_LIST: items */
    const struct node **keys;  /* NODE_MAP: scalars */
    const struct node **items; /* NODE_MAP: values; NODE_LIST: items */
};

/* Reads a file. *root is NULL unless the result is OK. Every problem is added to diag; a syntax
 * error ends the search. BAD_INPUT for a wrong path, IO when an existing file cannot be read,
 * NO_MEMORY. Nodes, their texts and their source live in the arena. */
enum status tree_load(const char *path, struct arena *arena, struct diag *diag,
                      const struct node **root) MUST_CHECK;

/* Reads text; name is what messages call it. Both are copied. */
enum status tree_parse(const char *name, const char *text, size_t length, struct arena *arena,
                       struct diag *diag, const struct node **root) MUST_CHECK;

/* The value of a key in a map, or NULL; a scalar or list has no keys. */
const struct node *tree_find(const struct node *map, const char *key);

#endif
