#include "tests/support/rig.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void rig_hazard(void *context, enum hazard_kind kind, const struct insn *insn,
                       const char *message)
{
    struct rig *rig = context;
    (void)insn;
    rig->hazards[kind]++;
    snprintf(rig->message, sizeof rig->message, "%s", message);
}

static void rig_note(void *context, const struct insn *insn, const char *message)
{
    struct rig *rig = context;
    (void)insn;
    rig->notes++;
    snprintf(rig->message, sizeof rig->message, "%s", message);
}

void rig_init(struct rig *rig, enum arch arch)
{
    memset(rig, 0, sizeof *rig);
    arena_init(&rig->arena, 0);
    rig->program = (struct program){.product = "test", .arch = arch, .regions = rig->region};
    rig->program.core_count = 1;
    rig->program.event_ids = EVENT_IDS;
    uint64_t size_bytes[SPACE_COUNT] = {0};
    size_bytes[SPACE_L1] = 512 * 1024;
    size_bytes[SPACE_L0A] = 64 * 1024;
    size_bytes[SPACE_L0B] = 64 * 1024;
    size_bytes[SPACE_L0C] = 128 * 1024;
    size_bytes[SPACE_BT] = 4096;
    size_bytes[SPACE_FB] = 8 * 1024;
    size_bytes[SPACE_UB] = 192 * 1024;
    enum status status =
        machine_init(&rig->machine, &rig->program, size_bytes, rig->tensor, &rig->arena);
    assert(status == STATUS_OK);
    rig->machine.hazard = rig_hazard;
    rig->machine.note = rig_note;
    rig->machine.hazard_context = rig;
}

void rig_deinit(struct rig *rig)
{
    arena_deinit(&rig->arena);
}

uint32_t rig_region(struct rig *rig, enum space space, enum element element, uint64_t count)
{
    static const char *const names[RIG_REGIONS] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"};
    uint32_t index = rig->program.region_count++;
    assert(index < RIG_REGIONS);
    uint64_t base = 0;
    for (uint32_t before = 0; before < index; before++) {
        const struct region *other = &rig->region[before];
        if (other->space == space) {
            base = (other->base_bytes + other->size_bytes + 1023) / 1024 * 1024;
        }
    }
    rig->region[index] = (struct region){
        .name = names[index],
        .space = space,
        .base_bytes = base,
        .size_bytes = element_array_bytes(element, count),
        .element = element,
        .rank = 1,
        .shape = {count},
    };
    if (space == SPACE_GM) {
        enum status status =
            memory_init(&rig->tensor[index], rig->region[index].size_bytes, false, &rig->arena);
        assert(status == STATUS_OK);
        memset(rig->tensor[index].bytes, MACHINE_POISON, rig->region[index].size_bytes);
    } else {
        assert(base + rig->region[index].size_bytes <= rig->machine.buffer[space].size_bytes);
    }
    return index;
}

uint32_t rig_filled(struct rig *rig, enum space space, enum element element, uint64_t count,
                    uint32_t (*code)(uint64_t index))
{
    uint32_t region = rig_region(rig, space, element, count);
    for (uint64_t index = 0; index < count; index++) {
        rig_store(rig, region, index, code(index));
    }
    return region;
}

static struct memory *rig_memory(struct rig *rig, uint32_t region, uint64_t *base)
{
    const struct region *found = &rig->region[region];
    *base = found->space == SPACE_GM ? 0 : found->base_bytes;
    return found->space == SPACE_GM ? &rig->tensor[region] : &rig->machine.buffer[found->space];
}

uint8_t *rig_bytes(struct rig *rig, uint32_t region)
{
    uint64_t base;
    struct memory *memory = rig_memory(rig, region, &base);
    return memory->bytes + base;
}

uint8_t *rig_written(struct rig *rig, uint32_t region)
{
    uint64_t base;
    struct memory *memory = rig_memory(rig, region, &base);
    return memory->written + base;
}

uint32_t rig_load(struct rig *rig, uint32_t region, uint64_t index)
{
    return element_load(rig->region[region].element, rig_bytes(rig, region), index);
}

/* Bytes that element `index` lies in, from the start of its region. */
static uint64_t element_place(enum element element, uint64_t index, size_t *size)
{
    *size = element_bits(element) < 8 ? 1 : element_bytes(element);
    return element_bits(element) < 8 ? index / 2 : index * *size;
}

void rig_store(struct rig *rig, uint32_t region, uint64_t index, uint32_t code)
{
    enum element element = rig->region[region].element;
    size_t size;
    uint64_t place = element_place(element, index, &size);
    element_store(element, rig_bytes(rig, region), index, code);
    memset(rig_written(rig, region) + place, 1, size);
}

bool rig_is_written(struct rig *rig, uint32_t region, uint64_t index)
{
    size_t size;
    uint64_t place = element_place(rig->region[region].element, index, &size);
    return memchr(rig_written(rig, region) + place, 0, size) == NULL;
}

uint64_t rig_written_count(struct rig *rig, uint32_t region)
{
    const struct region *found = &rig->region[region];
    uint64_t written = 0;
    for (uint64_t index = 0; index < found->shape[0]; index++) {
        written += rig_is_written(rig, region, index);
    }
    return written;
}

uint32_t rig_hazards(const struct rig *rig)
{
    uint32_t total = 0;
    for (int kind = 0; kind < HAZARD_COUNT; kind++) {
        total += rig->hazards[kind];
    }
    return total;
}

uint32_t rig_code(enum element element, int value)
{
    if (element_is_integer(element)) {
        return (uint32_t)value;
    }
    return element_encode(element, (float)value, false);
}
