#include "traces/slots.h"

#include <string.h>

static const enum space slot_spaces[] = {SPACE_L1, SPACE_L0A, SPACE_L0B, SPACE_L0C};

enum { SLOT_SPACE_COUNT = sizeof slot_spaces / sizeof *slot_spaces, SLOTS_OF_A_NAME = 8 };

static enum status no_memory(struct diag *diag)
{
    return diag_add(diag, STATUS_NO_MEMORY, place_none(), "memory ran out");
}

/* ---- which slots there are ---- */

static enum status slots_add(struct slots *slots, const char *name, size_t length, enum space space)
{
    struct slot *grown =
        array_grow(slots->slots, &slots->slot_capacity, slots->slot_count + 1, sizeof *grown);
    if (grown == NULL)
        return STATUS_NO_MEMORY;
    slots->slots = grown;
    char *copy = arena_text(&slots->arena, name, length);
    if (copy == NULL)
        return STATUS_NO_MEMORY;
    grown[slots->slot_count++] = (struct slot){.name = copy, .space = space};
    return STATUS_OK;
}

/* The slots that the lowering of a plan names. */
static enum status slots_add_of_plan(struct slots *slots)
{
    static const struct {
        const char *name;
        enum space space;
    } rows[] = {{"a1_", SPACE_L1},
                {"b1_", SPACE_L1},
                {"a0_", SPACE_L0A},
                {"b0_", SPACE_L0B},
                {"c0_", SPACE_L0C}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == STATUS_OK; i++)
        for (char digit = '0'; digit < '0' + SLOTS_OF_A_NAME && status == STATUS_OK; digit++) {
            const char name[] = {rows[i].name[0], rows[i].name[1], rows[i].name[2], digit};
            status = slots_add(slots, name, sizeof name, rows[i].space);
        }
    return status;
}

/* A line such as ".l0a a 0 8192" of the text of a program. */
static enum status slots_add_of_line(struct slots *slots, const char *line)
{
    static const char blanks[] = " \t";
    line += strspn(line, blanks);
    if (*line != '.')
        return STATUS_OK;
    size_t length = strcspn(line + 1, blanks);
    for (size_t i = 0; i < SLOT_SPACE_COUNT; i++) {
        const char *word = space_word(slot_spaces[i]);
        if (strlen(word) != length || strncmp(line + 1, word, length) != 0)
            continue;
        const char *name = line + 1 + length;
        name += strspn(name, blanks);
        return slots_add(slots, name, strcspn(name, " \t\r\n"), slot_spaces[i]);
    }
    return STATUS_OK;
}

static enum status slots_read_names(void *context, const struct stored_cells *cells)
{
    struct slots *slots = context;
    const char *text = cells->cell[0];
    enum status status = STATUS_OK;
    if (cells->is_head)
        return STATUS_OK;
    if (text == NULL)
        return slots_add_of_plan(slots);
    while (status == STATUS_OK && text != NULL) {
        status = slots_add_of_line(slots, text);
        text = strchr(text, '\n');
        text = text == NULL ? NULL : text + 1;
    }
    return status;
}

/* ---- rows ---- */

static enum status slots_read_row(struct slots *slots, uint32_t pipe, struct diag *diag)
{
    return row_cursor_next(&slots->cursor[pipe], &slots->row[pipe], &slots->has_row[pipe], diag);
}

enum status slots_open(struct slots *slots, struct store *store, int64_t run_id, uint32_t core,
                       tick until, struct diag *diag)
{
    *slots = (struct slots){.until = until};
    arena_init(&slots->arena, 0);
    event_queue_init(&slots->changes);
    enum status status = store_visit_cells(
        store, "SELECT json_extract(plan_json, '$.program') FROM run WHERE run_id = ?1", &run_id, 1,
        slots_read_names, slots, diag);
    if (status == STATUS_NO_MEMORY)
        return no_memory(diag);
    for (uint32_t pipe = 0; pipe < PIPE_COUNT && status == STATUS_OK; pipe++) {
        status = row_cursor_open_work(&slots->cursor[pipe], store, run_id, core, pipe, diag);
        if (status == STATUS_OK)
            status = slots_read_row(slots, pipe, diag);
    }
    return status;
}

void slots_close(struct slots *slots)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        row_cursor_close(&slots->cursor[pipe]);
    array_release(slots->slots);
    event_queue_deinit(&slots->changes);
    arena_deinit(&slots->arena);
}

/* "key=name" at the start of text or behind a space. */
static const char *operand_find(const char *operands, const char *key, size_t *length)
{
    size_t key_length = strlen(key);
    for (const char *at = operands; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, key, key_length) == 0 && at[key_length] == '=') {
            *length = strcspn(at + key_length + 1, "+ ");
            return at + key_length + 1;
        }
    }
    return NULL;
}

struct slot *slots_find(struct slots *slots, const char *operands, const char *key)
{
    size_t length = 0;
    const char *name = operand_find(operands, key, &length);
    for (size_t i = 0; name != NULL && i < slots->slot_count; i++)
        if (strncmp(slots->slots[i].name, name, length) == 0 &&
            slots->slots[i].name[length] == '\0')
            return &slots->slots[i];
    return NULL;
}

/* ---- accesses ---- */

static enum status slot_change(struct slots *slots, const struct slot *slot, tick at, bool taken)
{
    return event_queue_push(&slots->changes, at, PHASE_SAMPLE, (uint32_t)slot->space, taken);
}

static enum status slot_write(struct slots *slots, struct slot *slot, tick at)
{
    enum slot_state before = slot->state;
    enum status status = STATUS_OK;
    slot->state = SLOT_HELD;
    if (before == SLOT_READ && slot->read_until < at) {
        status = slot_change(slots, slot, slot->read_until, false);
        before = SLOT_FREE;
    }
    if (status == STATUS_OK && before == SLOT_FREE)
        status = slot_change(slots, slot, at, true);
    return status;
}

static void slot_read(struct slot *slot, tick until)
{
    /* Bytes that nobody wrote are read of a slot that holds nothing. */
    if (slot->state == SLOT_FREE)
        return;
    if (slot->state == SLOT_HELD || slot->read_until < until)
        slot->read_until = until;
    slot->state = SLOT_READ;
}

static enum status slots_take_row(struct slots *slots, const struct stored_row *row)
{
    static const char *const sources[] = {"src", "a", "b", "bias"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct slot *slot = slots_find(slots, row->operands, sources[i]);
        if (slot != NULL)
            slot_read(slot, row->end);
    }
    struct slot *slot = slots_find(slots, row->operands, "dst");
    return slot == NULL ? STATUS_OK : slot_write(slots, slot, row->start);
}

/* Takes the row that starts first; *left is false when there is none. */
static enum status slots_advance(struct slots *slots, bool *left, struct diag *diag)
{
    uint32_t next = PIPE_COUNT;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (slots->has_row[pipe] &&
            (next == PIPE_COUNT || slots->row[pipe].start < slots->row[next].start))
            next = pipe;
    *left = next < PIPE_COUNT;
    if (!*left)
        return STATUS_OK;
    if (slots_take_row(slots, &slots->row[next]) != STATUS_OK)
        return no_memory(diag);
    return slots_read_row(slots, next, diag);
}

/* No change before this time is still to come. */
static tick slots_settled(const struct slots *slots)
{
    tick settled = UINT64_MAX;
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++)
        if (slots->has_row[pipe] && slots->row[pipe].start < settled)
            settled = slots->row[pipe].start;
    for (size_t i = 0; i < slots->slot_count; i++)
        if (slots->slots[i].state == SLOT_READ && slots->slots[i].read_until < settled)
            settled = slots->slots[i].read_until;
    return settled;
}

/* At the end of the stream every read was a last one. */
static enum status slots_end(struct slots *slots)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < slots->slot_count && status == STATUS_OK; i++) {
        struct slot *slot = &slots->slots[i];
        if (slot->state == SLOT_READ)
            status = slot_change(slots, slot, slot->read_until, false);
        slot->state = SLOT_FREE;
    }
    return status;
}

/* Takes all changes of the next time at which there are some; *found is false when there is none.
 */
static enum status slots_take_changes(struct slots *slots, bool *found, struct diag *diag)
{
    bool left = true;
    tick settled = slots_settled(slots);
    const struct event *first = event_queue_first(&slots->changes);
    while (left && settled < slots->until && (first == NULL || first->at >= settled)) {
        enum status status = slots_advance(slots, &left, diag);
        if (status == STATUS_OK && !left && slots_end(slots) != STATUS_OK)
            status = no_memory(diag);
        if (status != STATUS_OK)
            return status;
        settled = slots_settled(slots);
        first = event_queue_first(&slots->changes);
    }
    *found = first != NULL && first->at < slots->until;
    if (!*found)
        return STATUS_OK;
    slots->at = first->at;
    for (; first != NULL && first->at == slots->at; first = event_queue_first(&slots->changes)) {
        struct event change = event_queue_pop(&slots->changes);
        slots->in_use[change.kind] += change.index == 1 ? 1U : UINT32_MAX;
        slots->changed[change.kind] = true;
    }
    return STATUS_OK;
}

enum status slots_next(struct slots *slots, struct slot_event *event, bool *found,
                       struct diag *diag)
{
    enum status status = STATUS_OK;
    for (*found = true; status == STATUS_OK && *found;
         status = slots_take_changes(slots, found, diag))
        for (uint32_t space = 0; space < SPACE_COUNT; space++)
            if (slots->changed[space]) {
                slots->changed[space] = false;
                *event = (struct slot_event){slots->at, (enum space)space, slots->in_use[space]};
                return STATUS_OK;
            }
    return status;
}
