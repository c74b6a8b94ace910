#include "tests/support/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Splits a line in place. */
static uint32_t csv_split(char *text, char **fields)
{
    uint32_t count = 0;
    char *out = text;
    bool quoted = false;
    fields[count++] = out;
    for (char *in = text; *in != '\0' && *in != '\n' && *in != '\r'; in++) {
        if (*in == '"') {
            quoted = !quoted;
        } else if (*in == ',' && !quoted) {
            *out++ = '\0';
            assert_true(count < CSV_FIELDS_MAX);
            fields[count++] = out;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    return count;
}

void csv_open(struct csv *csv, const char *path)
{
    memset(csv, 0, sizeof *csv);
    csv->file = fopen(path, "r");
    if (csv->file == NULL)
        fail_msg("cannot open %s", path);
    assert_non_null(fgets(csv->head_text, sizeof csv->head_text, csv->file));
    csv->head_count = csv_split(csv->head_text, csv->head);
    csv->line = 1;
}

void csv_close(struct csv *csv)
{
    fclose(csv->file);
}

bool csv_next(struct csv *csv)
{
    if (fgets(csv->row_text, sizeof csv->row_text, csv->file) == NULL)
        return false;
    csv->line++;
    csv->row_count = csv_split(csv->row_text, csv->row);
    return true;
}

const char *csv_text(const struct csv *csv, const char *column)
{
    for (uint32_t i = 0; i < csv->head_count; i++)
        if (strcmp(csv->head[i], column) == 0)
            return i < csv->row_count ? csv->row[i] : "";
    fail_msg("no column %s", column);
    return "";
}

long csv_long(const struct csv *csv, const char *column)
{
    return strtol(csv_text(csv, column), NULL, 10);
}
