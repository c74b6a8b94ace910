/*
 * Text for people: numbers, wrapped sentences and tables, as docs and help describe them.
 *
 * All texts live in an arena. Memory that runs out here ends the program with exit 3: nothing is
 * half done at this point, since a run is stored before it is printed.
 */
#ifndef CUBESIM_CLI_TEXT_H
#define CUBESIM_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/arena.h"
#include "engine/base/quantity.h"
#include "engine/base/status.h"

const char *text_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* text, or the end of the program when it is NULL for want of memory. */
const char *text_need(const char *text);

/* 63941 -> "63,941". */
const char *text_number(struct arena *arena, uint64_t value);

/* 3934.007 with 2 decimals -> "3,934.01"; at least 0. */
const char *text_real(struct arena *arena, double value, int decimals);

/* 0.283 -> "28.3 %", 19.002 -> "1,900.2 %"; never "-0.0 %". */
const char *text_share(struct arena *arena, double share);

/* A change of a share with its sign: "+3.1 %", "-21.4 %", "0.0 %" for what rounds to it. */
const char *text_change(struct arena *arena, double share);

/* The change from one number to another with its sign: "+7,689", "-10,508", "0". */
const char *text_step(struct arena *arena, uint64_t from, uint64_t to);

/* Columns on a terminal: characters, each one wide. */
size_t text_columns(const char *text);

/* A number with its unit as quantity_format has it, its whole part in groups: "1,850 MHz". */
const char *text_quantity(struct arena *arena, int64_t value, enum unit unit);

/* Bytes of the next piece of text that fits into width columns, at least one word; see text_line.
 */
size_t text_break(const char *text, size_t width);

/* The next piece of *rest that fits into width columns, without its trailing space, moves *rest
 * behind it. Breaks at spaces: behind a comma where that leaves the line fairly full, and beside a
 * number, which would tear it from its unit or its name, only if there is no other way. A word
 * longer than width stays whole. */
const char *text_line(struct arena *arena, const char **rest, size_t width);

/* Prints head, padded to indent, then text wrapped to width with further lines indented, each line
 * closed by a newline. */
void text_print_wrapped(FILE *stream, struct arena *arena, const char *head, size_t indent,
                        const char *text, size_t width);

/*
 * A table: rows of cells, columns as wide as their widest cell.
 *
 * align has one letter a column: 'l' left, 'r' right. A last column aligned left is not padded.
 */
enum { TABLE_COLUMNS_MAX = 10 };

struct table {
    struct arena *arena;
    const char *align;
    size_t columns;
    const char *(*rows)[TABLE_COLUMNS_MAX];
    size_t count, capacity;
    size_t width[TABLE_COLUMNS_MAX];
};

void table_init(struct table *table, struct arena *arena, const char *align);
/* cells has a text for each column; they are borrowed. */
void table_add(struct table *table, const char *const *cells);
/* Columns of a whole line with gap spaces between columns. */
size_t table_width(const struct table *table, size_t gap);
/* row as one line without its newline. */
const char *table_line(const struct table *table, size_t row, size_t gap);
void table_print(const struct table *table, FILE *stream, size_t gap);

#endif
