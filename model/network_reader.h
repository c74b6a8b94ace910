/*
 * What the readers of network files share: layers are added one by one, and tables are read row by
 * row. Private to model/network*.c.
 */
#ifndef CUBESIM_MODEL_NETWORK_READER_H
#define CUBESIM_MODEL_NETWORK_READER_H

#include "engine/base/source.h"
#include "model/network.h"

/* ---- layers ---- */

struct network_reader {
    struct network *network;
    const struct network_options *options;
    struct arena *arena;
    struct diag *diag;
    const struct source *source;
    size_t layer_capacity, skipped_capacity;
    enum status status; /* the gravest so far */
};

/* A layer of one point, one group and fp16, once, with one of everything else. */
struct layer layer_make(const char *name, struct place place);

/* Takes the options into account, derives the outputs and appends a copy of the layer. A kernel
 * that does not fit, groups that do not divide the channels and sizes beyond 63 bits are
 * BAD_INPUT. */
void network_add(struct network_reader *reader, const struct layer *layer);

/* name and what are copied. */
void network_skip(struct network_reader *reader, const char *name, const char *what,
                  const char *reason);

/* A sentence for the summary; more than there is room for are dropped. NULL: memory ran out. */
void network_note(struct network_reader *reader, const char *sentence);

/* Adds a problem and remembers its status. */
void network_refuse(struct network_reader *reader, struct place place, const char *format, ...)
    PRINTF_LIKE(3, 4);
void network_no_memory(struct network_reader *reader);

/* left * right of numbers of at most INT64_MAX; UINT64_MAX when that is beyond it. */
uint64_t network_product(uint64_t left, uint64_t right);

/* ---- tables ---- */

enum { TABLE_CELLS_MAX = 64 };

struct cell {
    const char *text; /* without the spaces around it, zero-terminated */
    struct place place;
};

struct row {
    uint32_t line;
    struct cell cell[TABLE_CELLS_MAX];
    size_t count; /* trailing empty cells are dropped, so 0 never comes */
};

struct row_reader {
    struct network_reader *reader;
    const char *next; /* the rest of the source */
    uint32_t line;    /* of next, from 1 */
};

/* The next row that is neither empty nor a comment (#); false at the end. A cell may stand in
 * double quotes, where "" is a quote. Rows with too many cells or an open quote are refused and
 * left out. */
bool row_next(struct row_reader *rows, struct row *row);

/* Lower case, one space in place of underscores and runs of spaces: how heads are compared; "" when
 * memory runs out. */
const char *cell_plain(struct network_reader *reader, const struct cell *cell);

/* A whole number of low..INT64_MAX in decimal digits; anything else is refused and false. */
bool cell_number(struct network_reader *reader, const struct cell *cell, uint64_t low,
                 uint64_t *value);

/* The readers. head is the first row of the table. */
void network_read_csv(struct network_reader *reader, struct row_reader *rows,
                      const struct row *head);
void network_read_scalesim(struct network_reader *reader, struct row_reader *rows,
                           const struct row *head);
/* The source is the bytes of a model. */
void network_read_onnx(struct network_reader *reader);
/* Whether a table is one of SCALE-Sim, by its head. */
bool scalesim_is(struct network_reader *reader, const struct row *head);

#endif
