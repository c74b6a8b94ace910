#include "cli/text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *text_need(const char *text)
{
    if (text != NULL)
        return text;
    fputs("cubesim: memory ran out\n", stderr);
    exit(status_exit_code(STATUS_NO_MEMORY));
}

const char *text_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_format_list(arena, format, arguments);
    va_end(arguments);
    return text_need(text);
}

const char *text_number(struct arena *arena, uint64_t value)
{
    char buffer[28];
    return text_format(arena, "%s", grouped_format(value, buffer, sizeof buffer));
}

const char *text_real(struct arena *arena, double value, int decimals)
{
    const char *text = text_format(arena, "%.*f", decimals, value);
    char *end = NULL;
    unsigned long long whole = strtoull(text, &end, 10);
    return text_format(arena, "%s%s", text_number(arena, whole), end);
}

const char *text_share(struct arena *arena, double share)
{
    double percent = share * 100.0;
    if (percent <= -0.05)
        return text_format(arena, "%.1f %%", percent);
    return text_format(arena, "%s %%", text_real(arena, percent < 0.0 ? 0.0 : percent, 1));
}

const char *text_change(struct arena *arena, double share)
{
    const char *text = text_share(arena, share < 0.0 ? -share : share);
    if (strcmp(text, "0.0 %") == 0)
        return text;
    return text_format(arena, "%c%s", share < 0.0 ? '-' : '+', text);
}

const char *text_step(struct arena *arena, uint64_t from, uint64_t to)
{
    if (from == to)
        return "0";
    return text_format(arena, "%c%s", to < from ? '-' : '+',
                       text_number(arena, to < from ? from - to : to - from));
}

const char *text_quantity(struct arena *arena, int64_t value, enum unit unit)
{
    char buffer[64];
    char *end = NULL;
    const char *text = quantity_format(value, unit, buffer, sizeof buffer);
    if (*text < '0' || *text > '9')
        return text_format(arena, "%s", text);
    unsigned long long whole = strtoull(text, &end, 10);
    return text_format(arena, "%s%s", text_number(arena, whole), end);
}

size_t text_columns(const char *text)
{
    size_t columns = 0;
    for (; *text != '\0'; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t text_break(const char *text, size_t width)
{
    size_t any = 0, good = 0, clause = 0, columns = 0, at = 0;
    for (; text[at] != '\0' && (columns <= width || any == 0); at++) {
        if (text[at] == ' ' && at > 0 && columns <= width) {
            any = at;
            if (!is_digit(text[at - 1]) && !is_digit(text[at + 1]) && text[at + 1] != '#')
                good = at;
            if (text[at - 1] == ',' && 4 * columns >= 3 * width)
                clause = at;
        } else if (text[at] == ' ' && any == 0) {
            return at;
        }
        columns += ((unsigned char)text[at] & 0xC0) != 0x80;
    }
    if (text[at] == '\0' && columns <= width)
        return at;
    if (clause > 0)
        return clause;
    if (good > 0)
        return good;
    return any > 0 ? any : at;
}

const char *text_line(struct arena *arena, const char **rest, size_t width)
{
    size_t length = text_break(*rest, width);
    size_t shown = length;
    while (shown > 0 && (*rest)[shown - 1] == ' ')
        shown--;
    const char *line = text_need(arena_text(arena, *rest, shown));
    *rest += length;
    *rest += strspn(*rest, " ");
    return line;
}

void text_print_wrapped(FILE *stream, struct arena *arena, const char *head, size_t indent,
                        const char *text, size_t width)
{
    size_t room = width > indent + 20 ? width - indent : 20;
    const char *lead = head;
    do {
        const char *line = text_line(arena, &text, room);
        size_t columns = text_columns(lead);
        if (*line == '\0')
            fprintf(stream, "%s\n", lead);
        else
            fprintf(stream, "%s%*s%s\n", lead, columns < indent ? (int)(indent - columns) : 0, "",
                    line);
        lead = "";
    } while (*text != '\0');
}

void table_init(struct table *table, struct arena *arena, const char *align)
{
    *table = (struct table){.arena = arena, .align = align, .columns = strlen(align)};
    assert(table->columns <= TABLE_COLUMNS_MAX);
}

void table_add(struct table *table, const char *const *cells)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity > 0 ? 2 * table->capacity : 16;
        const char *(*rows)[TABLE_COLUMNS_MAX] = arena_take(table->arena, capacity, sizeof *rows);
        if (rows == NULL)
            text_need(NULL);
        if (table->count > 0)
            memcpy(rows, table->rows, table->count * sizeof *rows);
        table->rows = rows;
        table->capacity = capacity;
    }
    for (size_t i = 0; i < table->columns; i++) {
        size_t columns = text_columns(cells[i]);
        table->rows[table->count][i] = cells[i];
        if (columns > table->width[i])
            table->width[i] = columns;
    }
    table->count++;
}

size_t table_width(const struct table *table, size_t gap)
{
    size_t width = (table->columns - 1) * gap;
    for (size_t i = 0; i < table->columns; i++)
        width += table->width[i];
    return width;
}

const char *table_line(const struct table *table, size_t row, size_t gap)
{
    const char *line = "";
    for (size_t i = 0; i < table->columns; i++) {
        const char *cell = table->rows[row][i];
        int fill = (int)(table->width[i] - text_columns(cell));
        bool last = i + 1 == table->columns;
        int between = last ? 0 : (int)gap;
        if (table->align[i] == 'r')
            line = text_format(table->arena, "%s%*s%s%*s", line, fill, "", cell, between, "");
        else
            line = text_format(table->arena, "%s%s%*s", line, cell, last ? 0 : fill + between, "");
    }
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        length--;
    return text_need(arena_text(table->arena, line, length));
}

void table_print(const struct table *table, FILE *stream, size_t gap)
{
    for (size_t row = 0; row < table->count; row++)
        fprintf(stream, "%s\n", table_line(table, row, gap));
}
