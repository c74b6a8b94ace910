/*
 * What the files that read a plan share: the plan under construction and how a word of it is typed.
 *
 * plan_file.c reads the frame and the product, plan_conv.c the convolution, plan_types.c its types,
 * plan_matmul.c matrix products, plan_tile.c the tiles, plan_schedule.c the schedule. Each reports
 * every problem and goes on; plan_reader.worst tells in the end whether the plan can be used.
 * Private to model/plan*.c.
 */
#ifndef CUBESIM_MODEL_PLAN_READER_H
#define CUBESIM_MODEL_PLAN_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/diag.h"
#include "engine/base/tree.h"
#include "model/plan.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct plan_reader {
    struct plan *plan;
    const struct product *product; /* NULL: it could not be loaded */
    struct arena *arena;
    struct diag *diag;
    enum status worst;       /* gravest problem so far */
    const char *const *keys; /* of the map that is being read; borrowed while it is */
    size_t key_count;
};

/* A whole number of a map and the uint64_t that takes it. */
struct size_row {
    const char *key;
    enum plan_word word;
    size_t offset; /* of the field in the structure that is filled */
    int64_t low;
    bool required;
};

/* Keeps a status when it is graver than what was kept; true when it is OK. */
bool reader_note(struct plan_reader *reader, enum status status);

/* Adds a problem with what the person wrote; printf-like. */
#define READER_REFUSE(reader, place, ...)                                                          \
    ((void)reader_note((reader), diag_add((reader)->diag, STATUS_BAD_INPUT, (place), __VA_ARGS__)))

/* The value of a key, or NULL; keeps the place of the word and that it was given. */
const struct node *reader_find(struct plan_reader *reader, const struct node *map, const char *key,
                               enum plan_word word);

/* Refuses keys of the map that are not in keys, and keeps these for reader_require. */
bool reader_keys(struct plan_reader *reader, const struct node *map, const char *const *keys,
                 size_t count);

/* The same as reader_find for a key that must be there; a missing one is reported, unless an
 * unknown key of the map was taken for it already. */
const struct node *reader_require(struct plan_reader *reader, const struct node *map,
                                  const char *key, enum plan_word word);

/* Where a key itself is written; the map's place when it is not there. */
struct place reader_key_place(const struct node *map, const char *key);

/* A whole number of low..INT64_MAX; *value stays as it is when the number is refused. */
bool reader_size(struct plan_reader *reader, const struct node *node, int64_t low, uint64_t *value);

/* Fills the fields of base from map as rows tell. */
void reader_sizes(struct plan_reader *reader, const struct node *map, const struct size_row *rows,
                  size_t count, void *base);

/* A map that has exactly the keys of rows, and the required ones of them, into base. */
void reader_map(struct plan_reader *reader, const struct node *map, const struct size_row *rows,
                size_t count, void *base);

/* true or false under key; *value stays as it is when the key is missing or refused. */
void reader_flag(struct plan_reader *reader, const struct node *map, const char *key,
                 enum plan_word word, bool *value);

/* One of words under key; returns its index, or missing when the key is missing or refused. */
size_t reader_choice(struct plan_reader *reader, const struct node *map, const char *key,
                     enum plan_word word, const char *const *words, size_t count, size_t missing);

/* dtype, out_dtype, hf32 and quant of the conv: or matmul: block, whose shapes have been read. What
 * the product, if it is known, cannot compute or store is refused. */
void plan_read_types(struct plan_reader *reader, const struct node *map);

/* Types the conv: block, without the rest of what depends on the product. */
void plan_read_conv(struct plan_reader *reader, const struct node *map);

/* Fills the formats that were not written and refuses what the product cannot do. */
void plan_fit_conv(struct plan_reader *reader);

/* The same two for the matmul: block. */
void plan_read_matmul(struct plan_reader *reader, const struct node *map);
void plan_fit_matmul(struct plan_reader *reader);

/* What both share. Everything later counts in 64 bits, so a convolution that leaves them is refused
 * at the place of a word; and a bias on a product that has no way for one. */
void plan_check_size(struct plan_reader *reader, enum plan_word word);
void plan_fit_bias(struct plan_reader *reader);

/* Types tile_l1, tile_l0 and tile. Core splits of the vendor form go to the schedule. */
void plan_read_tiles(struct plan_reader *reader, const struct node *root);

/* Types the tile: block of a matrix product. */
void plan_read_tile_matmul(struct plan_reader *reader, const struct node *map);

/* Types the schedule: block; map may be NULL. Checks the words of both blocks that say the same. */
void plan_read_schedule(struct plan_reader *reader, const struct node *map);

#endif
