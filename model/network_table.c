#include <ctype.h>
#include <string.h>

#include "model/network_reader.h"

static bool is_space(char sign)
{
    return sign == ' ' || sign == '\t' || sign == '\r';
}

/* Takes a quoted cell whose opening quote is at *at; *at is then behind the closing one. NULL with
 * a problem when there is none on the line. */
static const char *take_quoted(struct row_reader *rows, const char **at, const char *end,
                               struct place place)
{
    char *text = arena_text(rows->reader->arena, *at, (size_t)(end - *at));
    size_t length = 0;
    if (text == NULL) {
        network_no_memory(rows->reader);
        return NULL;
    }
    for (const char *in = *at + 1; in < end; in++) {
        if (*in == '"' && in + 1 < end && in[1] == '"') {
            in++;
        } else if (*in == '"') {
            text[length] = '\0';
            *at = in + 1;
            return text;
        }
        text[length++] = *in;
    }
    network_refuse(rows->reader, place,
                   "found an open quote; expected '\"' at the end of the cell");
    return NULL;
}

/* Takes the cell at *at; *at is then at the comma behind it, or at the end of the line. */
static bool take_cell(struct row_reader *rows, const char *line, const char **at, const char *end,
                      struct cell *cell)
{
    while (*at < end && is_space(**at))
        ++*at;
    const char *start = *at;
    cell->place = (struct place){.source = rows->reader->source,
                                 .line = rows->line,
                                 .column = (uint32_t)(start - line) + 1,
                                 .width = 1};
    if (start < end && *start == '"') {
        cell->text = take_quoted(rows, at, end, cell->place);
        while (*at < end && is_space(**at))
            ++*at;
        if (cell->text != NULL && *at < end && **at != ',') {
            network_refuse(rows->reader, cell->place,
                           "found text behind the quoted cell; expected ','");
            return false;
        }
        cell->place.width = (uint32_t)(*at - start);
        return cell->text != NULL;
    }
    while (*at < end && **at != ',')
        ++*at;
    const char *last = *at;
    while (last > start && is_space(last[-1]))
        last--;
    if (last > start)
        cell->place.width = (uint32_t)(last - start);
    cell->text = arena_text(rows->reader->arena, start, (size_t)(last - start));
    if (cell->text == NULL)
        network_no_memory(rows->reader);
    return cell->text != NULL;
}

/* Whether nothing but commas and spaces is left. */
static bool is_empty(const char *at, const char *end)
{
    while (at < end && (is_space(*at) || *at == ','))
        at++;
    return at == end;
}

/* False: the line is left out. */
static bool take_line(struct row_reader *rows, const char *line, const char *end, struct row *row)
{
    row->line = rows->line;
    row->count = 0;
    const char *at = line;
    while (at <= end && !is_empty(at, end)) {
        if (row->count == TABLE_CELLS_MAX) {
            network_refuse(rows->reader, row->cell[0].place,
                           "found more than %d cells; expected a row of a network",
                           TABLE_CELLS_MAX);
            return false;
        }
        if (!take_cell(rows, line, &at, end, &row->cell[row->count]))
            return false;
        row->count++;
        at++;
    }
    return row->count > 0 && row->cell[0].text[0] != '#';
}

bool row_next(struct row_reader *rows, struct row *row)
{
    const char *source_end = rows->reader->source->text + rows->reader->source->length;
    while (rows->next < source_end && rows->reader->status != STATUS_NO_MEMORY) {
        const char *line = rows->next;
        const char *end = memchr(line, '\n', (size_t)(source_end - line));
        if (end == NULL)
            end = source_end;
        rows->next = end + 1;
        bool taken = take_line(rows, line, end, row);
        rows->line++;
        if (taken)
            return true;
    }
    return false;
}

const char *cell_plain(struct network_reader *reader, const struct cell *cell)
{
    char *plain = arena_text(reader->arena, cell->text, strlen(cell->text));
    size_t length = 0;
    for (char *in = plain; in != NULL && *in != '\0'; in++) {
        char sign = *in == '_' || is_space(*in) ? ' ' : (char)tolower((unsigned char)*in);
        if (sign != ' ' || (length > 0 && plain[length - 1] != ' '))
            plain[length++] = sign;
    }
    if (plain == NULL) {
        network_no_memory(reader);
        return "";
    }
    plain[length] = '\0';
    return plain;
}

bool cell_number(struct network_reader *reader, const struct cell *cell, uint64_t low,
                 uint64_t *value)
{
    char shown[EXCERPT_SIZE_BYTES];
    uint64_t number = 0;
    bool whole = cell->text[0] != '\0', large = false;
    for (const char *at = cell->text; *at != '\0' && whole; at++) {
        whole = *at >= '0' && *at <= '9';
        uint64_t digit = whole ? (uint64_t)(*at - '0') : 0;
        large = large || number > (INT64_MAX - digit) / 10;
        number = large ? 0 : number * 10 + digit;
    }
    *value = number;
    if (whole && !large && number >= low)
        return true;
    network_refuse(reader, cell->place, "found '%s'%s; expected a whole number from %llu",
                   excerpt_format(cell->text, shown, sizeof shown),
                   whole && large ? ", which is too large" : "", (unsigned long long)low);
    return false;
}
