#include "traces/catalog.h"

#include <string.h>

#include <xxhash.h>

#include "isa/program_format.h"

void catalog_init(struct catalog *catalog)
{
    *catalog = (struct catalog){0};
    arena_init(&catalog->arena, 0);
}

void catalog_deinit(struct catalog *catalog)
{
    arena_deinit(&catalog->arena);
    array_release(catalog->entries);
    array_release(catalog->slots);
    catalog_init(catalog);
}

/* 128 bits, so that two instructions with one hash need not be told apart. The words are copied
 * because padding inside struct insn has no defined value. */
static XXH128_hash_t catalog_hash(const struct timeline_row *row)
{
    const struct insn *insn = row->insn;
    const struct insn_info *info = insn_info(insn->opcode);
    uint64_t word[3 + 2 * INSN_OPERANDS_MAX + INSN_FIELDS_MAX];
    size_t count = 0;
    word[count++] = insn->opcode;
    word[count++] = row->bytes;
    word[count++] = row->macs;
    for (size_t i = 0; i < info->operand_count; i++) {
        word[count++] = insn->operand[i].region;
        word[count++] = insn->operand[i].offset;
    }
    for (size_t i = 0; i < info->field_count; i++)
        word[count++] = (uint64_t)insn->field[i];
    return XXH3_128bits(word, count * sizeof *word);
}

static struct catalog_slot *catalog_slot(struct catalog_slot *slots, size_t slot_count,
                                         uint64_t low, uint64_t high)
{
    size_t index = (size_t)low & (slot_count - 1);
    while (slots[index].number != 0 && (slots[index].low != low || slots[index].high != high))
        index = (index + 1) & (slot_count - 1);
    return &slots[index];
}

/* Keeps at least half of the slots free. */
static enum status catalog_make_room(struct catalog *catalog)
{
    if (2 * (catalog->count + 1) <= catalog->slot_count)
        return STATUS_OK;
    size_t slot_count = catalog->slot_count == 0 ? 1024 : 2 * catalog->slot_count;
    size_t capacity = 0;
    struct catalog_slot *slots = array_grow(NULL, &capacity, slot_count, sizeof *slots);
    if (slots == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < catalog->slot_count; i++) {
        const struct catalog_slot *old = &catalog->slots[i];
        if (old->number != 0)
            *catalog_slot(slots, slot_count, old->low, old->high) = *old;
    }
    array_release(catalog->slots);
    catalog->slots = slots;
    catalog->slot_count = slot_count;
    return STATUS_OK;
}

static enum status catalog_add(struct catalog *catalog, const struct program *program,
                               const struct timeline_row *row)
{
    struct catalog_entry *entries =
        array_grow(catalog->entries, &catalog->capacity, catalog->count + 1, sizeof *entries);
    if (entries == NULL)
        return STATUS_NO_MEMORY;
    catalog->entries = entries;

    size_t length = program_format_insn(program, row->insn, NULL, 0);
    char *text = arena_take(&catalog->arena, length + 1, 1);
    if (text == NULL)
        return STATUS_NO_MEMORY;
    program_format_insn(program, row->insn, text, length + 1);
    const char *opcode = insn_info(row->insn->opcode)->mnemonic;
    const char *operands = text + strlen(opcode);
    entries[catalog->count++] = (struct catalog_entry){
        .opcode = opcode,
        .operands = *operands == ' ' ? operands + 1 : operands,
        .bytes = row->bytes,
        .macs = row->macs,
    };
    return STATUS_OK;
}

enum status catalog_find(struct catalog *catalog, const struct program *program,
                         const struct timeline_row *row, uint32_t *number)
{
    enum status status = catalog_make_room(catalog);
    if (status != STATUS_OK)
        return status;
    XXH128_hash_t hash = catalog_hash(row);
    struct catalog_slot *slot =
        catalog_slot(catalog->slots, catalog->slot_count, hash.low64, hash.high64);
    if (slot->number == 0) {
        status = catalog_add(catalog, program, row);
        if (status != STATUS_OK)
            return status;
        *slot = (struct catalog_slot){hash.low64, hash.high64, (uint32_t)catalog->count};
    }
    *number = slot->number - 1;
    return STATUS_OK;
}
