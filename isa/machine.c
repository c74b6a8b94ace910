#include "isa/machine.h"

#include <assert.h>
#include <string.h>

static const char *const hazard_words[] = {
#define ROW(name, word) word,
    HAZARD_LIST(ROW)
#undef ROW
};

const char *hazard_word(enum hazard_kind kind)
{
    assert(kind < HAZARD_COUNT);
    return hazard_words[kind];
}

enum status memory_init(struct memory *memory, uint64_t size_bytes, bool written,
                        struct arena *arena)
{
    *memory = (struct memory){0};
    if (size_bytes == 0) {
        return STATUS_OK;
    }
    memory->bytes = arena_take(arena, (size_t)size_bytes, 1);
    memory->written = arena_take(arena, (size_t)size_bytes, 1);
    if (memory->bytes == NULL || memory->written == NULL) {
        return STATUS_NO_MEMORY;
    }
    memory->size_bytes = size_bytes;
    memory->whole = written;
    memset(memory->written, written ? 1 : 0, (size_t)size_bytes);
    return STATUS_OK;
}

uint64_t memory_unwritten_bytes(const struct memory *memory)
{
    uint64_t count = 0;
    for (uint64_t i = 0; !memory->whole && i < memory->size_bytes; i++) {
        count += memory->written[i] == 0;
    }
    return count;
}

/* Mmad widens A to doubles (16 bytes for a byte, which may hold two elements), Load3D keeps 8 bytes
 * for a row of at least 32 bytes; B is widened a column group at a time: 128 bytes for a K of at
 * most 4095. The words of a data_copy_l0c2ub are 128 bytes for each of at most 4095 blocks. */
static uint64_t scratch_size(const uint64_t size_bytes[SPACE_COUNT])
{
    uint64_t l0 = size_bytes[SPACE_L0A] > size_bytes[SPACE_L0B] ? size_bytes[SPACE_L0A]
                                                                : size_bytes[SPACE_L0B];
    return 16 * l0 + (uint64_t)4096 * 128;
}

enum status machine_init(struct machine *machine, const struct program *program,
                         const uint64_t size_bytes[SPACE_COUNT], struct memory *tensor,
                         struct arena *arena)
{
    *machine = (struct machine){.program = program, .tensor = tensor};
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (space == SPACE_GM) {
            continue;
        }
        enum status status = memory_init(&machine->buffer[space], size_bytes[space], false, arena);
        if (status != STATUS_OK) {
            return status;
        }
    }
    machine->scratch_bytes = scratch_size(size_bytes);
    machine->scratch = arena_take(arena, (size_t)machine->scratch_bytes, 1);
    if (machine->scratch == NULL) {
        return STATUS_NO_MEMORY;
    }
    machine_reset(machine);
    return STATUS_OK;
}

void machine_reset(struct machine *machine)
{
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory *memory = &machine->buffer[space];
        if (memory->size_bytes != 0) {
            memset(memory->bytes, MACHINE_POISON, (size_t)memory->size_bytes);
            memset(memory->written, 0, (size_t)memory->size_bytes);
        }
    }
}
