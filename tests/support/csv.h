/*
 * Reads a table with a head line, for tests. Quoted fields may hold commas.
 */
#ifndef CUBESIM_TESTS_SUPPORT_CSV_H
#define CUBESIM_TESTS_SUPPORT_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CSV_FIELDS_MAX = 128, CSV_LINE_MAX = 8192 };

struct csv {
    FILE *file;
    uint32_t line; /* of the present row, from 1 */
    char head_text[CSV_LINE_MAX], row_text[CSV_LINE_MAX];
    char *head[CSV_FIELDS_MAX], *row[CSV_FIELDS_MAX];
    uint32_t head_count, row_count;
};

/* Fails the test when the file is not there. */
void csv_open(struct csv *csv, const char *path);
void csv_close(struct csv *csv);
bool csv_next(struct csv *csv);

/* A field of the present row by its head; fails the test when there is no such column. */
const char *csv_text(const struct csv *csv, const char *column);
/* The same as a whole number; an empty field is 0. */
long csv_long(const struct csv *csv, const char *column);

#endif
