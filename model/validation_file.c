#include "model/validation.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bind.h"
#include "model/validation_template.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct validation_reader {
    struct validation *validation;
    const struct node *root;
    struct arena *arena;
    struct diag *diag;
    enum status worst;
    size_t row_capacity;
};

/* The maps in which a row may say something: its own, that of its case, that of the file. */
struct row_scope {
    const struct node *row, *in_case, *root;
};

/* What rows say, and what cases and the file may say for all their rows. */
static const char *const row_keys[] = {"id",   "value", "what", "source", "metric",
                                       "pipe", "kind",  "use",  "reason", "clock"};

static bool note(struct validation_reader *reader, enum status status)
{
    reader->worst = diag_graver(reader->worst, status);
    return status == STATUS_OK;
}

static void refuse(struct validation_reader *reader, struct place place, const char *message)
{
    (void)note(reader, diag_add(reader->diag, STATUS_BAD_INPUT, place, "%s", message));
}

static void *take(struct validation_reader *reader, size_t count, size_t size_bytes)
{
    void *room = arena_take(reader->arena, count + 1, size_bytes);
    if (room == NULL)
        (void)note(reader,
                   diag_add(reader->diag, STATUS_NO_MEMORY, place_none(),
                            "memory ran out while '%s' was read", reader->validation->path));
    return room;
}

static const struct node *scope_find(const struct row_scope *scope, const char *key)
{
    const struct node *node = scope->row != NULL ? tree_find(scope->row, key) : NULL;
    if (node == NULL && scope->in_case != NULL)
        node = tree_find(scope->in_case, key);
    return node != NULL ? node : tree_find(scope->root, key);
}

static const char *read_text(struct validation_reader *reader, const struct node *node)
{
    const char *text = NULL;
    if (node != NULL)
        (void)note(reader, bind_text(node, reader->diag, &text));
    return text;
}

static const char *read_required_text(struct validation_reader *reader, const struct node *map,
                                      const char *key)
{
    const struct node *node = bind_required(map, key, reader->diag);
    if (node == NULL)
        (void)note(reader, STATUS_BAD_INPUT);
    return node != NULL ? read_text(reader, node) : NULL;
}

/* One of words; count when there is none. */
static size_t read_word(struct validation_reader *reader, const struct node *node,
                        const char *const *words, size_t count)
{
    size_t index = count;
    if (node == NULL || !note(reader, bind_word(node, words, count, reader->diag, &index)))
        return count;
    return index;
}

static size_t read_metric(struct validation_reader *reader, const struct node *node)
{
    static const char *const words[METRIC_COUNT] = {
#define ROW(name, word, pipe, meaning) word,
        METRIC_LIST(ROW)
#undef ROW
    };
    return read_word(reader, node, words, METRIC_COUNT);
}

/* Pipes are written in small letters, as files have them. */
static size_t read_pipe(struct validation_reader *reader, const struct node *node)
{
    static const char *const words[PIPE_COUNT] = {"scalar", "mte2",   "mte1", "cube",
                                                  "fixp",   "vector", "mte3"};
    return read_word(reader, node, words, PIPE_COUNT);
}

/* ---- numbers with units ---- */

/* Digits with at most one point inside; NULL when there are none, else what follows them. */
static const char *number_end(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    if (whole == 0)
        return NULL;
    text += whole;
    if (text[0] != '.')
        return text;
    size_t part = strspn(text + 1, "0123456789");
    return part > 0 ? text + 1 + part : NULL;
}

static bool read_measured(struct validation_reader *reader, const struct node *node, double *value,
                          enum measure_unit *unit)
{
    static const char expectation[] =
        "a number above 0 and its unit: us, cycles, %, B/cycle, GiB/s, GB/s, TB/s, op/cycle or "
        "Top/s";
    const char *text = node->kind == NODE_SCALAR ? node->text : "";
    const char *end = number_end(text);
    for (size_t i = 0; end != NULL && *end == ' ' && i < MEASURE_UNIT_COUNT; i++) {
        if (strcmp(end + 1, measure_unit_word((enum measure_unit)i)) != 0)
            continue;
        *unit = (enum measure_unit)i;
        *value = strtod(text, NULL);
        if (*value > 0.0 && *value < 1e15)
            return true;
    }
    char shown[EXCERPT_SIZE_BYTES];
    (void)note(reader,
               diag_add(reader->diag, STATUS_BAD_INPUT, node->place, "found '%s'; expected %s",
                        excerpt_format(text, shown, sizeof shown), expectation));
    return false;
}

/* A bound in percent; -1 when there is none. */
static double read_percent(struct validation_reader *reader, const struct node *node)
{
    double value;
    enum measure_unit unit;
    if (node == NULL || !read_measured(reader, node, &value, &unit))
        return -1.0;
    if (unit != MEASURE_PERCENT)
        refuse(reader, node->place, "found another unit; expected a share such as '5 %'");
    return value;
}

/* ---- rows ---- */

static void row_read_pipe(struct validation_reader *reader, const struct row_scope *scope,
                          struct validation_row *row)
{
    bool needed = row->metric != METRIC_COUNT && metric_has_pipe(row->metric);
    const struct node *own = tree_find(scope->row, "pipe"), *node = scope_find(scope, "pipe");
    if (needed && node == NULL)
        refuse(reader, row->place, "found no pipe; expected one, as the metric is of a pipe");
    if (!needed && own != NULL)
        refuse(reader, own->place, "found a pipe; expected none, as the metric is of no pipe");
    row->pipe = needed ? (enum pipe)read_pipe(reader, node) : PIPE_ALL;
}

static const char *units_text(enum metric metric)
{
    if (metric == METRIC_SHARE)
        return "shares: %";
    if (metric_takes(metric, MEASURE_US))
        return metric_takes(metric, MEASURE_B_CYCLE) ? "time or rates: us, cycles, B/cycle, ..."
                                                     : "time: us or cycles";
    return "rates: B/cycle, GiB/s, ...";
}

static void row_read_value(struct validation_reader *reader, const struct node *node,
                           struct validation_row *row)
{
    if (!read_measured(reader, node, &row->measured, &row->unit) || row->metric == METRIC_COUNT)
        return;
    if (!metric_takes(row->metric, row->unit))
        (void)note(reader, diag_add(reader->diag, STATUS_BAD_INPUT, node->place,
                                    "found the unit %s; expected one of %s",
                                    measure_unit_word(row->unit), units_text(row->metric)));
}

static void row_read_clock(struct validation_reader *reader, const struct row_scope *scope,
                           struct validation_row *row)
{
    const struct node *node = scope_find(scope, "clock");
    const char *text = NULL;
    int64_t clock;
    row->clock_mhz =
        (double)product_value(&reader->validation->product, PRODUCT_CHIP_CLOCK) / QUANTITY_ONE;
    if (node == NULL)
        return;
    text = read_text(reader, node);
    if (text == NULL ||
        !note(reader, quantity_parse(text, UNIT_FREQUENCY, 0, node->place, reader->diag, &clock)))
        return;
    if (clock <= 0)
        refuse(reader, node->place, "found no clock; expected one above 0, such as '1800 MHz'");
    row->clock_mhz = (double)clock / QUANTITY_ONE;
}

static void row_read_words(struct validation_reader *reader, const struct row_scope *scope,
                           struct validation_row *row)
{
    static const char *const kinds[EVIDENCE_COUNT] = {
#define ROW(name, word) word,
        EVIDENCE_LIST(ROW)
#undef ROW
    };
    static const char *const uses[USE_COUNT] = {
#define ROW(name, word) word,
        USE_LIST(ROW)
#undef ROW
    };
    static const char *const needed[] = {"metric", "kind", "use", "source"};
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (scope_find(scope, needed[i]) == NULL)
            (void)note(reader, diag_add(reader->diag, STATUS_BAD_INPUT, row->place,
                                        "found no key '%s'; expected it in the row, its case or "
                                        "the file",
                                        needed[i]));
    row->metric = (enum metric)read_metric(reader, scope_find(scope, "metric"));
    row->kind = (enum evidence)read_word(reader, scope_find(scope, "kind"), kinds, EVIDENCE_COUNT);
    row->use = (enum use)read_word(reader, scope_find(scope, "use"), uses, USE_COUNT);
    row->reason = read_text(reader, scope_find(scope, "reason"));
    if (row->use == USE_PRINTED && row->reason == NULL)
        refuse(reader, row->place, "found no reason; expected it in a row that is only printed");
}

static bool is_row_key(const char *key)
{
    for (size_t i = 0; i < COUNT_OF(row_keys); i++)
        if (strcmp(row_keys[i], key) == 0)
            return true;
    return false;
}

/* Keys that are no words of rows fill the template, which has to ask for them. */
static void row_read_fills(struct validation_reader *reader, const struct node *map,
                           const struct node *template, struct validation_row *row)
{
    struct validation_fill *fills = take(reader, map->count, sizeof *fills);
    if (fills == NULL)
        return;
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->keys[i]->text;
        char shown[EXCERPT_SIZE_BYTES];
        if (is_row_key(key))
            continue;
        if (template != NULL && template_asks(template, key)) {
            fills[row->fill_count++] = (struct validation_fill){key, map->items[i]};
            continue;
        }
        const char *near = nearest_word(key, row_keys, COUNT_OF(row_keys));
        (void)note(reader, diag_add(reader->diag, STATUS_BAD_INPUT, map->keys[i]->place,
                                    "found the key '%s'; expected %s%s%s",
                                    excerpt_format(key, shown, sizeof shown),
                                    near != NULL ? "'" : "a name that the template asks for",
                                    near != NULL ? near : "", near != NULL ? "'" : ""));
    }
    row->fills = fills;
}

static bool same_fills(const struct validation_row *left, const struct validation_row *right)
{
    if (left->fill_count != right->fill_count)
        return false;
    for (size_t i = 0; i < left->fill_count; i++) {
        bool found = false;
        for (size_t j = 0; j < right->fill_count && !found; j++)
            found = strcmp(left->fills[i].name, right->fills[j].name) == 0 &&
                    left->fills[i].value->kind == NODE_SCALAR &&
                    right->fills[j].value->kind == NODE_SCALAR &&
                    strcmp(left->fills[i].value->text, right->fills[j].value->text) == 0;
        if (!found)
            return false;
    }
    return true;
}

/* Effects name rows by their number, so each stands once in a file. */
static void row_check_id(struct validation_reader *reader, const struct node *node, size_t index)
{
    const struct validation_row *rows = reader->validation->rows;
    for (size_t i = 0; i < index; i++)
        if (rows[i].id == rows[index].id && rows[index].id > 0) {
            (void)note(reader, diag_add(reader->diag, STATUS_BAD_INPUT, node->place,
                                        "found id %lld again; expected each once (first in line "
                                        "%u)",
                                        (long long)rows[i].id, (unsigned)rows[i].place.line));
            return;
        }
}

/* The run of a row: one of its case with the same values, or a new one. */
static void row_find_run(struct validation_reader *reader, struct validation_row *row, size_t index)
{
    struct validation *validation = reader->validation;
    for (size_t i = 0; i < validation->run_count; i++) {
        const struct validation_run *run = &validation->runs[i];
        row->run_index = i;
        if (run->case_index == row->case_index &&
            same_fills(&validation->rows[run->row_index], row))
            return;
    }
    row->run_index = validation->run_count;
    validation->runs[validation->run_count++] =
        (struct validation_run){.case_index = row->case_index, .row_index = index};
}

static void row_read(struct validation_reader *reader, const struct validation_case *in_case,
                     const struct row_scope *scope, size_t index)
{
    struct validation *validation = reader->validation;
    struct validation_row *row = &validation->rows[index];
    const struct node *id = bind_required(scope->row, "id", reader->diag);
    const struct node *value = bind_required(scope->row, "value", reader->diag);
    const struct node *template = in_case->plan != NULL ? in_case->plan : in_case->program;
    *row = (struct validation_row){.place = scope->row->place,
                                   .metric = METRIC_COUNT,
                                   .pipe = PIPE_ALL,
                                   .use = USE_PRINTED,
                                   .case_index = validation->case_count};
    if (id == NULL || value == NULL) {
        (void)note(reader, STATUS_BAD_INPUT);
        return;
    }
    (void)note(reader, bind_integer(id, 1, INT32_MAX, reader->diag, &row->id));
    row_check_id(reader, id, index);
    row->value_text = read_text(reader, value);
    row->what = read_text(reader, tree_find(scope->row, "what"));
    row->source = read_text(reader, scope_find(scope, "source"));
    row_read_fills(reader, scope->row, template, row);
    if (template == NULL)
        return;
    row_read_words(reader, scope, row);
    row_read_pipe(reader, scope, row);
    row_read_value(reader, value, row);
    row_read_clock(reader, scope, row);
    row_find_run(reader, row, index);
}

static void rows_read(struct validation_reader *reader, const struct validation_case *in_case,
                      const struct node *map)
{
    struct validation *validation = reader->validation;
    const struct node *list = bind_required(map, "rows", reader->diag);
    if (list == NULL || list->kind != NODE_LIST || list->count == 0) {
        refuse(reader, list != NULL ? list->place : map->place,
               "found no list; expected the rows of the case");
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct row_scope scope = {list->items[i], map, reader->root};
        if (list->items[i]->kind == NODE_MAP)
            row_read(reader, in_case, &scope, validation->row_count++);
        else
            refuse(reader, list->items[i]->place, "found no map; expected a row with id and value");
    }
}

/* ---- cases ---- */

static void case_read(struct validation_reader *reader, const struct node *map)
{
    static const char *const keys[] = {"name", "kernel", "plan",   "program", "not_replayed",
                                       "rows", "source", "metric", "pipe",    "kind",
                                       "use",  "reason", "clock"};
    struct validation *validation = reader->validation;
    struct validation_case *in_case = &validation->cases[validation->case_count];
    *in_case = (struct validation_case){
        .place = map->place,
        .plan = tree_find(map, "plan"),
        .program = tree_find(map, "program"),
        .first_row = validation->row_count,
    };
    if (!note(reader, bind_keys(map, keys, COUNT_OF(keys), reader->diag)))
        return;
    in_case->name = read_required_text(reader, map, "name");
    in_case->kernel = read_text(reader, tree_find(map, "kernel"));
    in_case->not_replayed = read_text(reader, tree_find(map, "not_replayed"));
    int ways = (in_case->plan != NULL) + (in_case->program != NULL) +
               (tree_find(map, "not_replayed") != NULL);
    if (ways != 1)
        refuse(reader, map->place,
               "found none or several of plan, program and not_replayed; expected one of them");
    if (ways == 1)
        rows_read(reader, in_case, map);
    in_case->row_count = validation->row_count - in_case->first_row;
    validation->case_count++;
}

static size_t count_rows(const struct node *cases)
{
    size_t count = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct node *rows = tree_find(cases->items[i], "rows");
        count += rows != NULL ? rows->count : 0;
    }
    return count;
}

static void cases_read(struct validation_reader *reader)
{
    struct validation *validation = reader->validation;
    const struct node *list = bind_required(reader->root, "cases", reader->diag);
    if (list == NULL || list->kind != NODE_LIST || list->count == 0) {
        refuse(reader, list != NULL ? list->place : reader->root->place,
               "found no list; expected the cases of the file");
        return;
    }
    size_t rows = count_rows(list);
    validation->cases = take(reader, list->count, sizeof *validation->cases);
    validation->rows = take(reader, rows, sizeof *validation->rows);
    validation->runs = take(reader, rows, sizeof *validation->runs);
    if (validation->cases == NULL || validation->rows == NULL || validation->runs == NULL)
        return;
    for (size_t i = 0; i < list->count; i++)
        case_read(reader, list->items[i]);
}

/* ---- bounds ---- */

static void bound_read(struct validation_reader *reader, const struct node *map)
{
    static const char *const keys[] = {"metric", "pipe", "median", "worst"};
    struct validation *validation = reader->validation;
    struct validation_bound *bound = &validation->bounds[validation->bound_count++];
    *bound = (struct validation_bound){
        .place = map->place, .metric = METRIC_COUNT, .pipe = PIPE_ALL, .median = -1, .worst = -1};
    if (!note(reader, bind_keys(map, keys, COUNT_OF(keys), reader->diag)))
        return;
    const struct node *metric = bind_required(map, "metric", reader->diag);
    const struct node *pipe = tree_find(map, "pipe");
    if (metric == NULL) {
        (void)note(reader, STATUS_BAD_INPUT);
        return;
    }
    bound->of_effects = metric->kind == NODE_SCALAR && strcmp(metric->text, "effect") == 0;
    if (!bound->of_effects)
        bound->metric = (enum metric)read_metric(reader, metric);
    if (pipe != NULL)
        bound->pipe = (enum pipe)read_pipe(reader, pipe);
    bound->median = read_percent(reader, tree_find(map, "median"));
    bound->worst = read_percent(reader, tree_find(map, "worst"));
    if (tree_find(map, "median") == NULL && tree_find(map, "worst") == NULL)
        refuse(reader, map->place, "found no bound; expected median, worst or both");
}

static void bounds_read(struct validation_reader *reader)
{
    struct validation *validation = reader->validation;
    const struct node *list = tree_find(reader->root, "bounds");
    if (list == NULL)
        return;
    if (list->kind != NODE_LIST) {
        refuse(reader, list->place, "found no list; expected bounds");
        return;
    }
    validation->bounds = take(reader, list->count, sizeof *validation->bounds);
    for (size_t i = 0; i < list->count && validation->bounds != NULL; i++)
        bound_read(reader, list->items[i]);
}

/* ---- effects ---- */

/* The row with an id, that is replayed; row_count after a report. */
static size_t effect_row(struct validation_reader *reader, const struct node *node, int64_t *id)
{
    const struct validation *validation = reader->validation;
    if (node == NULL || !note(reader, bind_integer(node, 1, INT32_MAX, reader->diag, id)))
        return validation->row_count;
    for (size_t i = 0; i < validation->row_count; i++)
        if (validation->rows[i].id == *id && validation_replayed(validation, &validation->rows[i]))
            return i;
    refuse(reader, node->place, "found a number that no replayed row has; expected the id of one");
    return validation->row_count;
}

static void effect_read(struct validation_reader *reader, const struct node *map)
{
    static const char *const keys[] = {"name", "before", "after", "use", "reason"};
    static const char *const uses[] = {"fit", "check", "calibration", "printed"};
    struct validation *validation = reader->validation;
    struct validation_effect *effect = &validation->effects[validation->effect_count++];
    *effect = (struct validation_effect){.place = map->place};
    if (!note(reader, bind_keys(map, keys, COUNT_OF(keys), reader->diag)))
        return;
    effect->name = read_required_text(reader, map, "name");
    const struct node *before = bind_required(map, "before", reader->diag);
    const struct node *after = bind_required(map, "after", reader->diag);
    if (before == NULL || after == NULL)
        (void)note(reader, STATUS_BAD_INPUT);
    effect->before = effect_row(reader, before, &effect->before_id);
    effect->after = effect_row(reader, after, &effect->after_id);
    effect->reason = read_text(reader, tree_find(map, "reason"));
    size_t use = read_word(reader, tree_find(map, "use"), uses, COUNT_OF(uses));
    effect->use = use < COUNT_OF(uses) ? (enum use)use : USE_CHECK;
    if (effect->use == USE_PRINTED && effect->reason == NULL)
        refuse(reader, map->place, "found no reason; expected it in what is only printed");
    if (effect->before == validation->row_count || effect->after == validation->row_count)
        return;
    const struct validation_row *first = &validation->rows[effect->before];
    const struct validation_row *second = &validation->rows[effect->after];
    if (first->unit != second->unit || first->metric != second->metric ||
        first->pipe != second->pipe || first->measured == second->measured)
        refuse(reader, map->place,
               "found rows of another metric or unit, or without a change; expected a change");
}

static void effects_read(struct validation_reader *reader)
{
    struct validation *validation = reader->validation;
    const struct node *list = tree_find(reader->root, "effects");
    if (list == NULL)
        return;
    if (list->kind != NODE_LIST) {
        refuse(reader, list->place, "found no list; expected effects");
        return;
    }
    validation->effects = take(reader, list->count, sizeof *validation->effects);
    for (size_t i = 0; i < list->count && validation->effects != NULL; i++)
        effect_read(reader, list->items[i]);
}

/* ---- the file ---- */

static bool product_read(struct validation_reader *reader)
{
    struct validation *validation = reader->validation;
    const struct node *node = bind_required(reader->root, "product", reader->diag);
    if (node == NULL) {
        (void)note(reader, STATUS_BAD_INPUT);
        return false;
    }
    validation->product_name = read_text(reader, node);
    validation->product_place = node->place;
    if (validation->product_name == NULL ||
        !note(reader, product_load(validation->product_name, node->place, reader->arena,
                                   reader->diag, &validation->product)))
        return false;
    for (size_t i = 0; i < validation->set_count; i++)
        (void)note(reader, product_set(&validation->product, validation->sets[i], reader->arena,
                                       reader->diag));
    return true;
}

enum status validation_load(const char *path, const char *const *sets, size_t set_count,
                            struct arena *arena, struct diag *diag, struct validation *validation)
{
    static const char *const keys[] = {"title",  "product", "bounds", "cases", "effects",
                                       "source", "kind",    "use",    "clock"};
    struct validation_reader reader = {.validation = validation, .arena = arena, .diag = diag};
    *validation = (struct validation){.path = path, .sets = sets, .set_count = set_count};
    size_t first = diag->count;
    enum status status = tree_load(path, arena, diag, &reader.root);
    if (status != STATUS_OK)
        return status;
    if (!note(&reader, bind_keys(reader.root, keys, COUNT_OF(keys), diag)) &&
        reader.root->kind != NODE_MAP)
        return reader.worst;
    validation->title = read_required_text(&reader, reader.root, "title");
    bounds_read(&reader);
    if (product_read(&reader))
        cases_read(&reader);
    if (validation->rows != NULL)
        effects_read(&reader);
    if (reader.worst == STATUS_OK)
        (void)note(&reader, validation_check_bounds(validation, diag));
    diag_sort(diag, first);
    return reader.worst;
}

bool validation_replayed(const struct validation *validation, const struct validation_row *row)
{
    return validation->cases[row->case_index].not_replayed == NULL;
}

bool validation_counts(const struct validation *validation, const struct validation_row *row)
{
    return validation_replayed(validation, row) && (row->use == USE_FIT || row->use == USE_CHECK);
}
