#include "engine/base/tree.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "engine/base/source.h"

enum {
    DEPTH_MAX = 64,
};

#define FILE_BYTES_MAX ((size_t)16 * 1024 * 1024)

/* Where libyaml's count of characters is in our bytes. Marks arrive in rising order, so a cursor
 * that moves on visits each byte about once. */
struct cursor {
    size_t index;       /* characters before */
    size_t offset;      /* bytes before */
    size_t line_offset; /* where the line starts */
    uint32_t line;      /* from 1 */
};

/* An open map or list; its finished children lie in builder.pending from first on, keys and
 * values of maps in turn. */
struct frame {
    struct node *node;
    size_t first;
};

struct builder {
    const struct source *source;
    struct arena *arena;
    struct diag *diag;
    struct cursor cursor;
    struct frame frames[DEPTH_MAX];
    size_t depth;
    const struct node **pending; /* array_grow */
    size_t pending_count;
    size_t pending_capacity;
    size_t document_count;
    const struct node *root;
    enum status status; /* gravest so far */
    bool done;          /* nothing more can be learned from the text */
};

static void cursor_advance(struct cursor *cursor, const struct source *source)
{
    uint32_t code;
    size_t size =
        utf8_decode(source->text + cursor->offset, source->length - cursor->offset, &code);
    cursor->index++;
    cursor->offset += size == 0 ? 1 : size;
    if (size == 1 && code == '\n') {
        cursor->line++;
        cursor->line_offset = cursor->offset;
    }
}

/* The place of characters [start, end), as far as they lie on one line. */
static struct place builder_place(struct builder *builder, yaml_mark_t start, yaml_mark_t end)
{
    const struct source *source = builder->source;
    if (start.index < builder->cursor.index) {
        builder->cursor = (struct cursor){.line = 1};
    }
    while (builder->cursor.index < start.index && builder->cursor.offset < source->length) {
        cursor_advance(&builder->cursor, source);
    }
    struct cursor last = builder->cursor;
    size_t width = 0;
    while (last.index < end.index && last.offset < source->length) {
        char byte = source->text[last.offset];
        if (byte == '\n' || byte == '\r') {
            break;
        }
        cursor_advance(&last, source);
        width = last.offset - builder->cursor.offset;
    }
    return (struct place){
        .source = source,
        .line = builder->cursor.line,
        .column = (uint32_t)(builder->cursor.offset - builder->cursor.line_offset) + 1,
        .width = width == 0 ? 1 : (uint32_t)width,
    };
}

static void builder_note(struct builder *builder, enum status status)
{
    builder->status = diag_graver(builder->status, status);
    if (builder->status == STATUS_NO_MEMORY) {
        builder->done = true;
    }
}

static void builder_refuse(struct builder *builder, const yaml_event_t *event, const char *message)
{
    struct place place = builder_place(builder, event->start_mark, event->end_mark);
    builder_note(builder, diag_add(builder->diag, STATUS_BAD_INPUT, place, "%s", message));
}

static void builder_fail_memory(struct builder *builder)
{
    builder_note(builder, diag_add(builder->diag, STATUS_NO_MEMORY, place_none(),
                                   "memory ran out while reading '%s'", builder->source->name));
}

static struct node *builder_add_node(struct builder *builder, enum node_kind kind,
                                     struct place place)
{
    struct node *node = arena_take(builder->arena, 1, sizeof *node);
    const struct node **pending = array_grow(builder->pending, &builder->pending_capacity,
                                             builder->pending_count + 1, sizeof *pending);
    if (pending != NULL) {
        builder->pending = pending;
    }
    if (node == NULL || pending == NULL) {
        builder_fail_memory(builder);
        return NULL;
    }
    node->kind = kind;
    node->place = place;
    if (builder->depth == 0) {
        builder->root = node;
    } else {
        pending[builder->pending_count++] = node;
    }
    return node;
}

/* Whether the next node is a key. */
static bool builder_at_key(const struct builder *builder)
{
    if (builder->depth == 0) {
        return false;
    }
    const struct frame *frame = &builder->frames[builder->depth - 1];
    return frame->node->kind == NODE_MAP && (builder->pending_count - frame->first) % 2 == 0;
}

static void builder_refuse_properties(struct builder *builder, const yaml_event_t *event,
                                      const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor != NULL) {
        builder_refuse(builder, event, "found an anchor; expected the value written in place");
    }
    if (tag != NULL) {
        builder_refuse(builder, event, "found a tag; expected a plain value without '!'");
    }
}

static void builder_add_scalar(struct builder *builder, const yaml_event_t *event,
                               const char *value, size_t length, bool quoted)
{
    struct place place = builder_place(builder, event->start_mark, event->end_mark);
    if (memchr(value, '\0', length) != NULL) {
        builder_refuse(builder, event, "found a zero character; expected text");
    }
    struct node *node = builder_add_node(builder, NODE_SCALAR, place);
    if (node == NULL) {
        return;
    }
    node->quoted = quoted;
    node->text = arena_text(builder->arena, value, length);
    if (node->text == NULL) {
        builder_fail_memory(builder);
    }
}

static void builder_open(struct builder *builder, const yaml_event_t *event, enum node_kind kind)
{
    if (builder_at_key(builder)) {
        builder_refuse(builder, event,
                       kind == NODE_MAP ? "found a map as a key; expected a word"
                                        : "found a list as a key; expected a word");
    }
    if (builder->depth == DEPTH_MAX) {
        builder_refuse(builder, event,
                       "found a value nested more than 64 levels deep; expected fewer levels");
        builder->done = true;
        return;
    }
    /* The first character stands for the whole, which may have many lines. */
    struct place place = builder_place(builder, event->start_mark, event->start_mark);
    struct node *node = builder_add_node(builder, kind, place);
    if (node != NULL) {
        builder->frames[builder->depth++] = (struct frame){node, builder->pending_count};
    }
}

struct key_slot {
    const struct node *key;
    const struct node *first; /* the key that it repeats, or NULL */
    size_t index;
};

static int slot_compare_text(const void *left, const void *right)
{
    const struct key_slot *a = left;
    const struct key_slot *b = right;
    int order = strcmp(a->key->text, b->key->text);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int slot_compare_index(const void *left, const void *right)
{
    const struct key_slot *a = left;
    const struct key_slot *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* Names every repetition of a key, in the order of the file. Sorting keeps huge maps cheap. */
static void builder_check_keys(struct builder *builder, const struct node *map)
{
    size_t capacity = 0;
    struct key_slot *slots = array_grow(NULL, &capacity, map->count, sizeof *slots);
    if (slots == NULL) {
        builder_fail_memory(builder);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < map->count; i++) {
        if (map->keys[i]->kind == NODE_SCALAR) {
            slots[count++] = (struct key_slot){.key = map->keys[i], .index = i};
        }
    }
    qsort(slots, count, sizeof *slots, slot_compare_text);
    for (size_t i = 1; i < count; i++) {
        const struct key_slot *before = &slots[i - 1];
        if (strcmp(before->key->text, slots[i].key->text) == 0) {
            slots[i].first = before->first != NULL ? before->first : before->key;
        }
    }
    qsort(slots, count, sizeof *slots, slot_compare_index);
    for (size_t i = 0; i < count; i++) {
        if (slots[i].first != NULL) {
            char excerpt[EXCERPT_SIZE_BYTES];
            builder_note(builder,
                         diag_add(builder->diag, STATUS_BAD_INPUT, slots[i].key->place,
                                  "found key '%s' again; expected it once, as in line %u",
                                  excerpt_format(slots[i].key->text, excerpt, sizeof excerpt),
                                  (unsigned)slots[i].first->place.line));
        }
    }
    array_release(slots);
}

/* Moves the children of the innermost map or list from the pending ones into its node. */
static void builder_close(struct builder *builder)
{
    assert(builder->depth > 0);
    const struct frame *frame = &builder->frames[--builder->depth];
    struct node *node = frame->node;
    size_t child_count = builder->pending_count - frame->first;
    size_t step = node->kind == NODE_MAP ? 2 : 1;
    const struct node *const *children = builder->pending + frame->first;
    node->count = child_count / step;
    node->items = arena_take(builder->arena, node->count, sizeof(const struct node *));
    if (node->kind == NODE_MAP) {
        node->keys = arena_take(builder->arena, node->count, sizeof(const struct node *));
    }
    if (node->items == NULL || (node->kind == NODE_MAP && node->keys == NULL)) {
        builder_fail_memory(builder);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        node->items[i] = children[i * step + step - 1];
        if (node->kind == NODE_MAP) {
            node->keys[i] = children[i * step];
        }
    }
    builder->pending_count = frame->first;
    if (node->kind == NODE_MAP) {
        builder_check_keys(builder, node);
    }
}

static void builder_start_document(struct builder *builder, const yaml_event_t *event)
{
    if (event->data.document_start.version_directive != NULL ||
        event->data.document_start.tag_directives.start !=
            event->data.document_start.tag_directives.end) {
        builder_refuse(builder, event, "found a directive; expected a document without '%' lines");
    }
    if (builder->document_count++ > 0) {
        builder_refuse(builder, event, "found a second document; expected one in a file");
        builder->done = true;
    }
}

static void builder_take_event(struct builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        builder_start_document(builder, event);
        break;
    case YAML_ALIAS_EVENT:
        builder_refuse(builder, event, "found an alias; expected the value written in place");
        builder_add_scalar(builder, event, "", 0, false);
        break;
    case YAML_SCALAR_EVENT:
        builder_refuse_properties(builder, event, event->data.scalar.anchor,
                                  event->data.scalar.tag);
        builder_add_scalar(builder, event, (const char *)event->data.scalar.value,
                           event->data.scalar.length,
                           event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE);
        break;
    case YAML_SEQUENCE_START_EVENT:
        builder_refuse_properties(builder, event, event->data.sequence_start.anchor,
                                  event->data.sequence_start.tag);
        builder_open(builder, event, NODE_LIST);
        break;
    case YAML_MAPPING_START_EVENT:
        builder_refuse_properties(builder, event, event->data.mapping_start.anchor,
                                  event->data.mapping_start.tag);
        builder_open(builder, event, NODE_MAP);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        builder_close(builder);
        break;
    case YAML_STREAM_END_EVENT:
        builder->done = true;
        break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
}

/* What libyaml could not read. Its sentences say what was expected. */
static void builder_fail_syntax(struct builder *builder, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        builder_fail_memory(builder);
        return;
    }
    yaml_mark_t mark = parser->problem_mark;
    /* The context is earlier, so it is looked up first. */
    struct place context = builder_place(builder, parser->context_mark, parser->context_mark);
    struct place place = builder_place(builder, mark, mark);
    const char *problem = parser->problem == NULL ? "the text is no YAML" : parser->problem;
    size_t offset = builder->cursor.offset;
    if (offset < builder->source->length && builder->source->text[offset] == '\t') {
        builder_note(builder, diag_add(builder->diag, STATUS_BAD_INPUT, place,
                                       "found a tab; expected spaces as indentation"));
    } else if (parser->context == NULL) {
        builder_note(builder, diag_add(builder->diag, STATUS_BAD_INPUT, place, "%s", problem));
    } else {
        builder_note(builder,
                     diag_add(builder->diag, STATUS_BAD_INPUT, place, "%s (%s at %u:%u)", problem,
                              parser->context, (unsigned)context.line, (unsigned)context.column));
    }
}

static void builder_run(struct builder *builder)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        builder_fail_memory(builder);
        return;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)builder->source->text,
                                 builder->source->length);
    while (!builder->done) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            builder_fail_syntax(builder, &parser);
            break;
        }
        builder_take_event(builder, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

static enum status source_parse(const struct source *source, struct arena *arena, struct diag *diag,
                                const struct node **root)
{
    enum status status = source_check(source, diag);
    if (status != STATUS_OK) {
        return status;
    }
    struct builder builder = {
        .source = source, .arena = arena, .diag = diag, .cursor = {.line = 1}};
    builder_run(&builder);
    array_release(builder.pending);
    if (builder.status != STATUS_OK) {
        return builder.status;
    }
    const struct node *found = builder.root;
    if (found == NULL || (found->kind == NODE_SCALAR && found->text[0] == '\0' && !found->quoted)) {
        struct place place = {.source = source};
        return diag_add(diag, STATUS_BAD_INPUT, place, "found nothing; expected a YAML document");
    }
    *root = found;
    return STATUS_OK;
}

enum status tree_parse(const char *name, const char *text, size_t length, struct arena *arena,
                       struct diag *diag, const struct node **root)
{
    const struct source *source;
    *root = NULL;
    enum status status = source_copy(name, text, length, FILE_BYTES_MAX, arena, diag, &source);
    return status == STATUS_OK ? source_parse(source, arena, diag, root) : status;
}

enum status tree_load(const char *path, struct arena *arena, struct diag *diag,
                      const struct node **root)
{
    const struct source *source;
    *root = NULL;
    enum status status = source_load(path, FILE_BYTES_MAX, arena, diag, &source);
    return status == STATUS_OK ? source_parse(source, arena, diag, root) : status;
}

const struct node *tree_find(const struct node *map, const char *key)
{
    for (size_t i = 0; map->kind == NODE_MAP && i < map->count; i++) {
        if (strcmp(map->keys[i]->text, key) == 0) {
            return map->items[i];
        }
    }
    return NULL;
}
