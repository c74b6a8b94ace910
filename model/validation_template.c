#include "model/validation_template.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOOPS_MAX = 8, NAME_BYTES = 64, TURNS_MAX = 1 << 24 };

struct loop_variable {
    char name[NAME_BYTES];
    int64_t value;
};

struct text_line {
    const char *text;
    size_t length;
};

struct expander {
    const struct node *node;
    const struct validation_fill *fills;
    size_t fill_count;
    struct diag *diag;
    struct text_line *lines; /* of the template; in the arena */
    size_t line_count;
    uint32_t first_line; /* of the file */
    struct loop_variable loops[LOOPS_MAX];
    size_t loop_count;
    uint64_t turns; /* of all loops so far: an empty one makes no text and has to end, too */
    char *text;     /* array_grow */
    size_t length, capacity;
    uint32_t *origin; /* array_grow */
    size_t origin_count, origin_capacity;
    enum status status;
};

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (byte >= '0' && byte <= '9');
}

static const struct validation_fill *fill_find(const struct validation_fill *fills, size_t count,
                                               const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(fills[i].name) == length && strncmp(fills[i].name, name, length) == 0)
            return &fills[i];
    return NULL;
}

/* The innermost loop over a name; it hides a value of the row with the same name. */
static const struct loop_variable *loop_find(const struct expander *expander, const char *name,
                                             size_t length)
{
    for (size_t i = expander->loop_count; i-- > 0;)
        if (strlen(expander->loops[i].name) == length &&
            strncmp(expander->loops[i].name, name, length) == 0)
            return &expander->loops[i];
    return NULL;
}

static void expander_refuse(struct expander *expander, size_t line, const char *word,
                            const char *found, const char *expected)
{
    struct place place =
        place_in_line(expander->node->place.source, expander->first_line + (uint32_t)line, word);
    expander->status =
        diag_graver(expander->status, diag_add(expander->diag, STATUS_BAD_INPUT, place,
                                               "found %s; expected %s", found, expected));
}

static void expander_refuse_name(struct expander *expander, size_t line, const char *name)
{
    char found[EXCERPT_SIZE_BYTES + 32];
    (void)snprintf(found, sizeof found, "'%s', which no row of the case fills in", name);
    expander_refuse(expander, line, name, found, "a key of its rows, or a variable of a .for");
}

/* ---- expressions ---- */

struct reader {
    struct expander *expander;
    size_t line;
    const char *at, *end;
    bool failed;
};

static void reader_fail(struct reader *reader, const char *found, const char *expected)
{
    if (!reader->failed)
        expander_refuse(reader->expander, reader->line, NULL, found, expected);
    reader->failed = true;
}

static void reader_space(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
}

static bool reader_take(struct reader *reader, char byte)
{
    reader_space(reader);
    if (reader->at == reader->end || *reader->at != byte)
        return false;
    reader->at++;
    return true;
}

static int64_t read_sum(struct reader *reader, int depth);

static bool digits_value(const char *text, size_t length, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, text[i] - '0', value))
            return false;
    }
    return length > 0;
}

static int64_t read_name(struct reader *reader, const char *name, size_t length)
{
    struct expander *expander = reader->expander;
    int64_t value = 0;
    const struct loop_variable *loop = loop_find(expander, name, length);
    if (loop != NULL)
        return loop->value;
    const struct validation_fill *fill =
        fill_find(expander->fills, expander->fill_count, name, length);
    if (fill != NULL && fill->value->kind == NODE_SCALAR &&
        digits_value(fill->value->text, strlen(fill->value->text), &value))
        return value;
    char word[NAME_BYTES];
    (void)snprintf(word, sizeof word, "%.*s", (int)length, name);
    if (fill == NULL && !reader->failed)
        expander_refuse_name(expander, reader->line, word);
    else
        reader_fail(reader, "a value that is no whole number", "a number in an expression");
    reader->failed = true;
    return 0;
}

static int64_t read_factor(struct reader *reader, int depth)
{
    if (depth > 32) {
        reader_fail(reader, "an expression nested more than 32 levels deep", "fewer levels");
        return 0;
    }
    if (reader_take(reader, '(')) {
        int64_t value = read_sum(reader, depth + 1);
        if (!reader_take(reader, ')'))
            reader_fail(reader, "a '(' without its ')'", "both");
        return value;
    }
    reader_space(reader);
    const char *start = reader->at;
    while (reader->at < reader->end && is_name_byte(*reader->at))
        reader->at++;
    size_t length = (size_t)(reader->at - start);
    int64_t value = 0;
    if (length == 0)
        reader_fail(reader, "an expression that is cut short", "a number, a name or '('");
    else if (*start < '0' || *start > '9')
        value = read_name(reader, start, length);
    else if (!digits_value(start, length, &value))
        reader_fail(reader, "a number that is no whole one", "decimal digits");
    return value;
}

static int64_t read_product(struct reader *reader, int depth)
{
    int64_t value = read_factor(reader, depth);
    while (!reader->failed) {
        bool times = reader_take(reader, '*'), over = !times && reader_take(reader, '/');
        if (!times && !over && !reader_take(reader, '%'))
            break;
        int64_t other = read_factor(reader, depth);
        if (reader->failed)
            break;
        if (times) {
            if (__builtin_mul_overflow(value, other, &value))
                reader_fail(reader, "a number beyond 64 bits", "a smaller one");
        } else if (other <= 0 || value < 0) {
            reader_fail(reader, "a division of or by less than 1", "numbers from 1");
        } else {
            value = over ? value / other : value % other;
        }
    }
    return value;
}

static int64_t read_sum(struct reader *reader, int depth)
{
    int64_t value = read_product(reader, depth);
    while (!reader->failed) {
        bool plus = reader_take(reader, '+');
        if (!plus && !reader_take(reader, '-'))
            break;
        int64_t other = read_product(reader, depth);
        if (plus ? __builtin_add_overflow(value, other, &value)
                 : __builtin_sub_overflow(value, other, &value))
            reader_fail(reader, "a number beyond 64 bits", "a smaller one");
    }
    return value;
}

/* The value of a whole expression; false after a report. */
static bool expression_value(struct expander *expander, size_t line, const char *text,
                             size_t length, int64_t *value)
{
    struct reader reader = {.expander = expander, .line = line, .at = text, .end = text + length};
    *value = read_sum(&reader, 0);
    reader_space(&reader);
    if (!reader.failed && reader.at != reader.end)
        reader_fail(&reader, "an expression with something behind it", "+ - * / % or its end");
    return !reader.failed;
}

/* ---- text ---- */

static void expander_put(struct expander *expander, const char *text, size_t length)
{
    if (expander->length + length > TEMPLATE_BYTES_MAX) {
        if (expander->status == STATUS_OK)
            expander_refuse(expander, 0, NULL, "a program of more than 64 MiB", "a shorter one");
        return;
    }
    char *grown = array_grow(expander->text, &expander->capacity, expander->length + length + 1, 1);
    if (grown == NULL) {
        expander->status = diag_add(expander->diag, STATUS_NO_MEMORY, place_none(),
                                    "memory ran out while a program was made");
        return;
    }
    expander->text = grown;
    memcpy(expander->text + expander->length, text, length);
    expander->length += length;
}

/* What stands between braces. */
static void expand_braces(struct expander *expander, size_t line, const char *text, size_t length)
{
    const struct validation_fill *fill =
        fill_find(expander->fills, expander->fill_count, text, length);
    int64_t value;
    char digits[32];
    if (fill != NULL && fill->value->kind == NODE_SCALAR &&
        loop_find(expander, text, length) == NULL) {
        expander_put(expander, fill->value->text, strlen(fill->value->text));
    } else if (expression_value(expander, line, text, length, &value)) {
        (void)snprintf(digits, sizeof digits, "%" PRId64, value);
        expander_put(expander, digits, strlen(digits));
    }
}

static void expand_line(struct expander *expander, size_t line)
{
    const char *at = expander->lines[line].text, *end = at + expander->lines[line].length;
    uint32_t *grown = array_grow(expander->origin, &expander->origin_capacity,
                                 expander->origin_count + 1, sizeof *grown);
    if (grown == NULL) {
        expander->status = diag_add(expander->diag, STATUS_NO_MEMORY, place_none(),
                                    "memory ran out while a program was made");
        return;
    }
    expander->origin = grown;
    expander->origin[expander->origin_count++] = expander->first_line + (uint32_t)line;
    while (at < end && expander->status == STATUS_OK) {
        const char *open = memchr(at, '{', (size_t)(end - at));
        if (open == NULL)
            open = end;
        expander_put(expander, at, (size_t)(open - at));
        if (open == end)
            break;
        const char *close = memchr(open, '}', (size_t)(end - open));
        if (close == NULL) {
            expander_refuse(expander, line, "{", "a '{' without its '}'", "both in one line");
            return;
        }
        expand_braces(expander, line, open + 1, (size_t)(close - open - 1));
        at = close + 1;
    }
    expander_put(expander, "\n", 1);
}

/* Whether a line begins with a directive of templates; *rest is what follows it. */
static bool line_is(const struct text_line *line, const char *word, struct text_line *rest)
{
    size_t indent = 0, length = strlen(word);
    while (indent < line->length && line->text[indent] == ' ')
        indent++;
    if (line->length < indent + length || strncmp(line->text + indent, word, length) != 0)
        return false;
    if (line->length > indent + length && line->text[indent + length] != ' ')
        return false;
    *rest = (struct text_line){line->text + indent + length, line->length - indent - length};
    return true;
}

/* The line of the .end that belongs to a .for; the number of lines when there is none. */
static size_t loop_end(const struct expander *expander, size_t head, size_t last)
{
    struct text_line rest;
    size_t depth = 0;
    for (size_t line = head; line < last; line++) {
        depth += line_is(&expander->lines[line], ".for", &rest) ? 1 : 0;
        if (line_is(&expander->lines[line], ".end", &rest) && --depth == 0)
            return line;
    }
    return last;
}

static void expand_lines(struct expander *expander, size_t first, size_t last);

static void expand_loop(struct expander *expander, size_t head, size_t end, struct text_line rest)
{
    size_t at = 0, start;
    int64_t count = 0;
    while (at < rest.length && rest.text[at] == ' ')
        at++;
    for (start = at; at < rest.length && is_name_byte(rest.text[at]);)
        at++;
    if (at == start || at - start >= NAME_BYTES || expander->loop_count == LOOPS_MAX) {
        expander_refuse(expander, head, NULL,
                        at == start ? "a .for without a variable" : "a long name or deep loops",
                        ".for NAME COUNT, at most 8 within each other");
        return;
    }
    if (!expression_value(expander, head, rest.text + at, rest.length - at, &count))
        return;
    struct loop_variable *loop = &expander->loops[expander->loop_count++];
    (void)snprintf(loop->name, sizeof loop->name, "%.*s", (int)(at - start), rest.text + start);
    for (loop->value = 0; loop->value < count && expander->status == STATUS_OK; loop->value++) {
        if (++expander->turns > TURNS_MAX)
            expander_refuse(expander, head, NULL, "loops of more than 16,777,216 turns", "fewer");
        else
            expand_lines(expander, head + 1, end);
    }
    expander->loop_count--;
}

static void expand_lines(struct expander *expander, size_t first, size_t last)
{
    struct text_line rest;
    for (size_t line = first; line < last && expander->status == STATUS_OK; line++) {
        if (line_is(&expander->lines[line], ".end", &rest)) {
            expander_refuse(expander, line, ".end", "an .end without a .for", "a .for before it");
        } else if (line_is(&expander->lines[line], ".for", &rest)) {
            size_t end = loop_end(expander, line, last);
            if (end == last) {
                expander_refuse(expander, line, ".for", "a .for without its .end",
                                "an .end behind it");
                return;
            }
            expand_loop(expander, line, end, rest);
            line = end;
        } else {
            expand_line(expander, line);
        }
    }
}

static enum status split_lines(struct expander *expander, struct arena *arena)
{
    const char *text = expander->node->text;
    size_t count = 0;
    for (const char *at = text; *at != '\0'; at++)
        count += *at == '\n' ? 1 : 0;
    expander->lines = arena_take(arena, count + 1, sizeof *expander->lines);
    if (expander->lines == NULL)
        return STATUS_NO_MEMORY;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        expander->lines[expander->line_count++] = (struct text_line){text, length};
        text += length + (text[length] == '\n' ? 1 : 0);
    }
    return STATUS_OK;
}

/* The byte of the file at which a node begins. */
static char node_first_byte(const struct node *node)
{
    const char *text = node->place.source->text;
    for (uint32_t line = 1; line < node->place.line && text != NULL; line++)
        text = strchr(text, '\n') != NULL ? strchr(text, '\n') + 1 : NULL;
    return text != NULL ? text[node->place.column - 1] : '\0';
}

static enum status expander_finish(struct expander *expander, struct arena *arena,
                                   struct template_text *expanded)
{
    uint32_t *lines = arena_take(arena, expander->origin_count + 1, sizeof *lines);
    if (lines == NULL)
        return STATUS_NO_MEMORY;
    if (expander->origin_count > 0)
        memcpy(lines, expander->origin, expander->origin_count * sizeof *lines);
    expanded->lines = lines;
    expanded->line_count = expander->origin_count;
    return source_copy(expander->node->place.source->name,
                       expander->text != NULL ? expander->text : "", expander->length,
                       TEMPLATE_BYTES_MAX + 1, arena, expander->diag, &expanded->source);
}

enum status template_expand(const struct node *text, const struct validation_fill *fills,
                            size_t fill_count, struct arena *arena, struct diag *diag,
                            struct template_text *expanded)
{
    struct expander expander = {
        .node = text,
        .fills = fills,
        .fill_count = fill_count,
        .diag = diag,
        .first_line = text->place.line + 1,
    };
    if (text->kind != NODE_SCALAR || node_first_byte(text) != '|')
        return diag_add(diag, STATUS_BAD_INPUT, text->place,
                        "found no block of lines; expected '|' and the lines of a program");
    enum status status = split_lines(&expander, arena);
    if (status == STATUS_OK) {
        expand_lines(&expander, 0, expander.line_count);
        status = expander.status;
    }
    if (status == STATUS_OK)
        status = expander_finish(&expander, arena, expanded);
    array_release(expander.text);
    array_release(expander.origin);
    return status;
}

/* ---- plans ---- */

/* Whether a scalar is "{NAME}"; *length of the name behind its first byte. */
static bool scalar_is_place(const struct node *node, size_t *length)
{
    if (node->kind != NODE_SCALAR || node->text[0] != '{')
        return false;
    size_t whole = strlen(node->text);
    *length = whole > 2 ? whole - 2 : 0;
    return whole > 2 && node->text[whole - 1] == '}';
}

enum status template_fill(const struct node *plan, const struct validation_fill *fills,
                          size_t fill_count, struct arena *arena, struct diag *diag,
                          const struct node **filled)
{
    size_t length;
    *filled = plan;
    if (scalar_is_place(plan, &length)) {
        const struct validation_fill *fill = fill_find(fills, fill_count, plan->text + 1, length);
        if (fill == NULL)
            return diag_add(diag, STATUS_BAD_INPUT, plan->place,
                            "found '%s', which no row of the case fills in; expected a key of its "
                            "rows",
                            plan->text);
        *filled = fill->value;
        return STATUS_OK;
    }
    if (plan->kind == NODE_SCALAR)
        return STATUS_OK;
    struct node *copy = arena_take(arena, 1, sizeof *copy);
    const struct node **items = arena_take(arena, plan->count + 1, sizeof *items);
    if (copy == NULL || items == NULL)
        return STATUS_NO_MEMORY;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < plan->count; i++)
        status = diag_graver(
            status, template_fill(plan->items[i], fills, fill_count, arena, diag, &items[i]));
    *copy = *plan;
    copy->items = items;
    *filled = copy;
    return status;
}

/* Whether a place of a text lies in braces or in a .for line. */
static bool place_is_asked(const char *text, const char *at)
{
    const char *start = at;
    while (start > text && start[-1] != '\n')
        start--;
    struct text_line rest, line = {start, strcspn(start, "\n")};
    if (line_is(&line, ".for", &rest))
        return true;
    for (const char *back = at; back > start && back[-1] != '}'; back--)
        if (back[-1] == '{')
            return true;
    return false;
}

static bool text_asks(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name))
        if ((at == text || !is_name_byte(at[-1])) && !is_name_byte(at[length]) &&
            place_is_asked(text, at))
            return true;
    return false;
}

bool template_asks(const struct node *template, const char *name)
{
    size_t length;
    if (template->kind == NODE_SCALAR && node_first_byte(template) == '|')
        return text_asks(template->text, name);
    if (template->kind == NODE_SCALAR)
        return scalar_is_place(template, &length) && strlen(name) == length &&
               strncmp(template->text + 1, name, length) == 0;
    for (size_t i = 0; i < template->count; i++)
        if (template_asks(template->items[i], name))
            return true;
    return false;
}
