#include "model/race_conflict.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/base/arena.h"
#include "model/clocks.h"

enum { SLOTS_FIRST = 16 };

void conflicts_close(struct conflicts *conflicts)
{
    array_release(conflicts->item);
    array_release(conflicts->table);
    conflicts->item = NULL;
    conflicts->table = NULL;
}

void conflicts_clear(struct conflicts *conflicts)
{
    for (size_t i = 0; i < conflicts->count; i++)
        conflicts->table[conflicts->item[i].slot] = 0;
    conflicts->count = 0;
}

/* The slot of the conflict with an instruction of a core, or the free one where it goes. */
static size_t conflict_slot(const struct conflicts *conflicts, const struct access *old)
{
    const uint64_t values[] = {old->core, old->ref.seq};
    size_t slot = (size_t)finding_key(values, 2) & (conflicts->slots - 1);
    while (conflicts->table[slot] != 0) {
        const struct access *other = &conflicts->item[conflicts->table[slot] - 1].old;
        if (other->core == old->core && other->ref.seq == old->ref.seq)
            break;
        slot = (slot + 1) & (conflicts->slots - 1);
    }
    return slot;
}

/* Makes room in both arrays for one more conflict. */
static bool conflicts_grow(struct conflicts *conflicts)
{
    void *grown = array_grow(conflicts->item, &conflicts->capacity, conflicts->count + 1,
                             sizeof *conflicts->item);
    if (grown == NULL)
        return false;
    conflicts->item = grown;
    if (conflicts->count < conflicts->slots / 2)
        return true;
    size_t slots = 0;
    uint32_t *table = array_grow(
        NULL, &slots, conflicts->slots == 0 ? SLOTS_FIRST : conflicts->slots * 2, sizeof *table);
    if (table == NULL)
        return false;
    array_release(conflicts->table);
    conflicts->table = table;
    conflicts->slots = slots;
    for (size_t i = 0; i < conflicts->count; i++) {
        struct conflict *conflict = &conflicts->item[i];
        conflict->slot = conflict_slot(conflicts, &conflict->old);
        table[conflict->slot] = (uint32_t)i + 1;
    }
    return true;
}

static void conflict_extend(struct conflict *conflict, const struct access *old,
                            const struct access *now, const struct stretch *bytes)
{
    struct stretch *all = &conflict->bytes;
    if (all->space != bytes->space || all->region != bytes->region ||
        conflict->old.kind != old->kind || conflict->now.kind != now->kind)
        return;
    all->from = bytes->from < all->from ? bytes->from : all->from;
    all->to = bytes->to > all->to ? bytes->to : all->to;
}

void conflicts_add(struct conflicts *conflicts, const struct access *old, const struct access *now,
                   const struct stretch *bytes, bool unread)
{
    if (!conflicts_grow(conflicts)) {
        conflicts->failed = true;
        return;
    }
    size_t slot = conflict_slot(conflicts, old);
    if (conflicts->table[slot] != 0) {
        conflict_extend(&conflicts->item[conflicts->table[slot] - 1], old, now, bytes);
        return;
    }
    conflicts->item[conflicts->count++] = (struct conflict){
        .old = *old, .now = *now, .bytes = *bytes, .unread = unread, .slot = slot};
    conflicts->table[slot] = (uint32_t)conflicts->count;
}

/* ---- telling ---- */

enum { PLACE_BYTES = 160, HINT_BYTES = 240 };

static const char *access_word(enum access_kind kind)
{
    static const char *const words[ACCESS_KINDS] = {"reads", "writes", "adds to"};
    return words[kind];
}

/* The region of the program that holds the first byte; NULL when none does. */
static const struct region *stretch_region(const struct program *program,
                                           const struct stretch *bytes)
{
    if (bytes->space == SPACE_GM)
        return &program->regions[bytes->region];
    for (uint32_t i = 0; i < program->region_count; i++) {
        const struct region *region = &program->regions[i];
        if (region->space == (enum space)bytes->space && bytes->from >= region->base_bytes &&
            bytes->from - region->base_bytes < region->size_bytes)
            return region;
    }
    return NULL;
}

/* "l0a ('a0')". */
static void memory_text(const struct program *program, const struct stretch *bytes,
                        char text[PLACE_BYTES])
{
    const struct region *region = stretch_region(program, bytes);
    const char *word = space_word((enum space)bytes->space);
    if (region != NULL)
        snprintf(text, PLACE_BYTES, "%s ('%.64s')", word, region->name);
    else
        snprintf(text, PLACE_BYTES, "%s", word);
}

/* What would order the two, in program order. */
static void hint_text(const struct access *first, const struct access *second,
                      char text[HINT_BYTES])
{
    char one[INSN_REF_TEXT_BYTES], two[INSN_REF_TEXT_BYTES];
    enum pipe source = lane_pipe(first->lane), target = lane_pipe(second->lane);
    insn_ref_text(&first->ref, one);
    insn_ref_text(&second->ref, two);
    if (source == target)
        snprintf(text, HINT_BYTES, "pipe_barrier pipe=%s between them", pipe_word(source));
    else
        snprintf(text, HINT_BYTES,
                 "set_flag src=%s dst=%s behind %s and its wait_flag before %s, or pipe_barrier "
                 "pipe=ALL between them",
                 pipe_word(source), pipe_word(target), one, two);
}

static uint64_t conflict_key(const struct conflicts *conflicts, const struct conflict *conflict)
{
    const struct access *old = &conflict->old, *now = &conflict->now;
    bool filed = now->ref.line != 0;
    const struct region *region = stretch_region(conflicts->program, &conflict->bytes);
    const uint64_t values[] = {
        conflict->unread ? HAZARD_COUNT : HAZARD_RACE,
        now->ref.opcode,
        old->ref.opcode,
        now->ref.line,
        old->ref.line,
        filed ? now->core : 0,
        filed ? old->core : 0,
        old->core == now->core,
        filed || region == NULL ? 0 : (uint64_t)(region - conflicts->program->regions),
        conflict->bytes.space,
    };
    return finding_key(values, sizeof values / sizeof values[0]);
}

static void conflict_tell(const struct conflicts *conflicts, const struct conflict *conflict)
{
    const struct access *old = &conflict->old, *now = &conflict->now;
    const char *wants = access_word((enum access_kind)now->kind);
    const char *has = access_word((enum access_kind)old->kind);
    char here[INSN_REF_TEXT_BYTES], there[INSN_REF_TEXT_BYTES], place[PLACE_BYTES];
    const struct finding finding = {
        .note = conflict->unread,
        .kind = HAZARD_RACE,
        .where = now->ref,
        .key = conflict_key(conflicts, conflict),
    };
    insn_ref_text(&now->ref, here);
    insn_ref_text(&old->ref, there);
    memory_text(conflicts->program, &conflict->bytes, place);
    if (conflict->unread) {
        finding_tell(conflicts->sink, &finding,
                     "%s overwrites, at byte %" PRIu64 " of %s, what %s has written and nobody has "
                     "read",
                     here, conflict->bytes.from, place, there);
        return;
    }
    if (old->core != now->core) {
        finding_tell(conflicts->sink, &finding,
                     "%s of core %" PRIu32 " and %s of core %" PRIu32 " are not ordered: the first "
                     "%s, the second %s bytes %" PRIu64 "..%" PRIu64
                     " of %s; expected other bytes, as nothing orders cores",
                     here, now->core, there, old->core, wants, has, conflict->bytes.from,
                     conflict->bytes.to - 1, place);
        return;
    }
    char hint[HINT_BYTES];
    if (old->ref.seq < now->ref.seq)
        hint_text(old, now, hint);
    else
        hint_text(now, old, hint);
    finding_tell(conflicts->sink, &finding,
                 "%s and %s are not ordered: the first %s, the second %s bytes %" PRIu64
                 "..%" PRIu64 " of %s; expected %s",
                 here, there, wants, has, conflict->bytes.from, conflict->bytes.to - 1, place,
                 hint);
}

void conflicts_tell(const struct conflicts *conflicts)
{
    for (size_t i = 0; i < conflicts->count; i++)
        conflict_tell(conflicts, &conflicts->item[i]);
}
