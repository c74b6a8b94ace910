#include "tests/support/access_check.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/effect.h"

enum { READ = 1, WRITTEN = 2, FLIP = 0x5A };

/* The bytes of a region at some moment, or what was told of them. */
struct copies {
    uint8_t *bytes[RIG_REGIONS];
    uint8_t *written[RIG_REGIONS];
};

struct told {
    struct rig *rig;
    uint8_t *uses[RIG_REGIONS]; /* READ | WRITTEN of each byte */
    char *message;              /* the first problem, "" so far */
};

static void problem(struct told *told, const char *format, ...) PRINTF_LIKE(2, 3);

static void problem(struct told *told, const char *format, ...)
{
    if (told->message[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(told->message, ACCESS_MESSAGE_BYTES, format, arguments);
        va_end(arguments);
    }
}

static void *take(uint64_t size_bytes)
{
    void *memory = calloc(1, size_bytes + 1);
    assert(memory != NULL);
    return memory;
}

static void told_access(void *context, enum space space, uint32_t region, uint64_t address,
                        uint64_t size_bytes, bool write)
{
    struct told *told = context;
    uint64_t left = size_bytes;
    for (uint32_t index = 0; index < told->rig->program.region_count; index++) {
        const struct region *found = &told->rig->region[index];
        uint64_t base = space == SPACE_GM ? 0 : found->base_bytes;
        if (found->space != space || (space == SPACE_GM && index != region))
            continue;
        for (uint64_t byte = 0; byte < size_bytes; byte++) {
            if (address + byte < base || address + byte - base >= found->size_bytes)
                continue;
            told->uses[index][address + byte - base] |= write ? WRITTEN : READ;
            left--;
        }
    }
    if (left != 0)
        problem(told, "%llu bytes at %llu of %s were told that lie in no region",
                (unsigned long long)left, (unsigned long long)address, space_word(space));
}

static void copies_take(struct rig *rig, struct copies *copies)
{
    for (uint32_t region = 0; region < rig->program.region_count; region++) {
        uint64_t size = rig->region[region].size_bytes;
        copies->bytes[region] = take(size);
        copies->written[region] = take(size);
        memcpy(copies->bytes[region], rig_bytes(rig, region), size);
        memcpy(copies->written[region], rig_written(rig, region), size);
    }
}

static void copies_drop(struct copies *copies)
{
    for (uint32_t region = 0; region < RIG_REGIONS; region++) {
        free(copies->bytes[region]);
        free(copies->written[region]);
    }
}

/* Puts the bytes of before back, those that were not told as read with other values. */
static void rig_disturb(struct rig *rig, const struct copies *before, const struct told *told)
{
    for (uint32_t region = 0; region < rig->program.region_count; region++) {
        uint64_t size = rig->region[region].size_bytes;
        uint8_t *bytes = rig_bytes(rig, region);
        memcpy(rig_written(rig, region), before->written[region], size);
        for (uint64_t byte = 0; byte < size; byte++) {
            bool read = (told->uses[region][byte] & READ) != 0;
            bytes[byte] = before->bytes[region][byte] ^ (read ? 0 : FLIP);
        }
    }
}

static void rig_restore(struct rig *rig, const struct copies *copies)
{
    for (uint32_t region = 0; region < rig->program.region_count; region++) {
        uint64_t size = rig->region[region].size_bytes;
        memcpy(rig_bytes(rig, region), copies->bytes[region], size);
        memcpy(rig_written(rig, region), copies->written[region], size);
    }
}

static void check_writes(struct rig *rig, const struct copies *before, struct told *told,
                         const char *mnemonic)
{
    for (uint32_t region = 0; region < rig->program.region_count; region++) {
        for (uint64_t byte = 0; byte < rig->region[region].size_bytes; byte++) {
            bool same = rig_bytes(rig, region)[byte] == before->bytes[region][byte] &&
                        rig_written(rig, region)[byte] == before->written[region][byte];
            if (!same && (told->uses[region][byte] & WRITTEN) == 0)
                problem(told, "%s changed byte %llu of region %u and did not tell", mnemonic,
                        (unsigned long long)byte, region);
        }
    }
}

static void check_reads(struct rig *rig, const struct copies *before, const struct copies *after,
                        struct told *told, const char *mnemonic)
{
    for (uint32_t region = 0; region < rig->program.region_count; region++) {
        for (uint64_t byte = 0; byte < rig->region[region].size_bytes; byte++) {
            bool read = (told->uses[region][byte] & READ) != 0;
            uint8_t disturbed = before->bytes[region][byte] ^ (read ? 0 : FLIP);
            uint8_t now = rig_bytes(rig, region)[byte], was = after->bytes[region][byte];
            bool untouched = now == disturbed && was == before->bytes[region][byte];
            if (now != was && !untouched)
                problem(told,
                        "%s made byte %llu of region %u of bytes that it did not tell as read",
                        mnemonic, (unsigned long long)byte, region);
        }
    }
}

/* Applies an instruction and hears what it tells. */
static void told_apply(struct rig *rig, const struct insn *insn, struct told *told)
{
    for (uint32_t region = 0; region < rig->program.region_count; region++)
        told->uses[region] = take(rig->region[region].size_bytes);
    rig->machine.access = told_access;
    rig->machine.access_context = told;
    effect_apply(&rig->machine, insn);
    rig->machine.access = NULL;
}

static void told_drop(struct told *told)
{
    for (uint32_t region = 0; region < RIG_REGIONS; region++)
        free(told->uses[region]);
}

bool access_check_holds(struct rig *rig, const struct insn *insn,
                        char message[ACCESS_MESSAGE_BYTES])
{
    const char *mnemonic = insn_info((enum opcode)insn->opcode)->mnemonic;
    struct told told = {.rig = rig, .message = message};
    message[0] = '\0';
    struct copies before = {0}, after = {0};
    copies_take(rig, &before);
    told_apply(rig, insn, &told);
    check_writes(rig, &before, &told, mnemonic);
    copies_take(rig, &after);
    struct machine counts = rig->machine;
    hazard_sink *hazard = rig->machine.hazard;
    rig_disturb(rig, &before, &told);
    rig->machine.hazard = NULL;
    effect_apply(&rig->machine, insn);
    rig->machine = counts;
    rig->machine.hazard = hazard;
    check_reads(rig, &before, &after, &told, mnemonic);
    rig_restore(rig, &after);
    copies_drop(&before);
    copies_drop(&after);
    told_drop(&told);
    return message[0] == '\0';
}

void access_check_apply(struct rig *rig, const struct insn *insn)
{
    char message[ACCESS_MESSAGE_BYTES];
    if (!access_check_holds(rig, insn, message)) {
        fail_msg("%s", message);
    }
}

uint64_t access_told_bytes(struct rig *rig, const struct insn *insn, uint32_t region, bool write)
{
    char message[ACCESS_MESSAGE_BYTES] = "";
    struct told told = {.rig = rig, .message = message};
    uint64_t count = 0;
    told_apply(rig, insn, &told);
    for (uint64_t byte = 0; byte < rig->region[region].size_bytes; byte++)
        count += (told.uses[region][byte] & (write ? WRITTEN : READ)) != 0;
    told_drop(&told);
    if (message[0] != '\0')
        fail_msg("%s", message);
    return count;
}
