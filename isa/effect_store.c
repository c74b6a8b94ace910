#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/gm_store.h"
#include "isa/view.h"

/* A copy to GM while it is made. */
struct copy {
    struct machine *machine;
    const struct insn *insn;
    struct view target, source;
    enum element adds; /* ELEMENT_COUNT: it replaces */
    bool told_source, told_target;
};

/* Reports the first byte of a side that nobody has written, once. */
static void unwritten_tell(struct copy *copy, const struct view *view, uint64_t offset,
                           size_t length, const char *name, bool *told)
{
    uint64_t found = *told ? offset + length : view_unwritten(view, offset, length);
    if (found != offset + length) {
        hazard_report(copy->machine, HAZARD_UNINITIALIZED, copy->insn,
                      "%s has bytes that were never written, first at %llu", name,
                      (unsigned long long)found);
        *told = true;
    }
}

static void block_store(struct copy *copy, uint64_t to, uint64_t from, size_t length)
{
    const uint8_t *bytes = copy->source.bytes + from;
    unwritten_tell(copy, &copy->source, from, length, "src", &copy->told_source);
    view_reads(&copy->source, from, length);
    if (copy->adds != ELEMENT_COUNT) {
        unwritten_tell(copy, &copy->target, to, length, "dst", &copy->told_target);
        view_reads(&copy->target, to, length);
        view_writes(&copy->target, to, length);
        gm_store_add(&copy->target, to, copy->adds, bytes, length / element_bytes(copy->adds));
        return;
    }
    view_writes(&copy->target, to, length);
    memcpy(copy->target.bytes + to, bytes, length);
    gm_store_mark(copy->machine, &copy->target, to, length);
}

void data_copy_store(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint64_t count = (uint64_t)field[DATA_COPY_blockCount];
    uint64_t length = (uint64_t)field[DATA_COPY_blockLen] * BLOCK_BYTES;
    uint64_t source_pitch = length + (uint64_t)field[DATA_COPY_srcGap] * BLOCK_BYTES;
    uint64_t target_pitch = length + (uint64_t)field[DATA_COPY_dstGap] * BLOCK_BYTES;
    struct copy copy = {.machine = machine, .insn = insn};
    copy.adds = gm_store_adds(SPACE_GM, field[DATA_COPY_atomicAdd]);
    if (!view_open(machine, insn, DATA_COPY_dst, (count - 1) * target_pitch + length,
                   &copy.target) ||
        !view_open(machine, insn, DATA_COPY_src, (count - 1) * source_pitch + length,
                   &copy.source)) {
        return;
    }
    machine->adding = copy.adds != ELEMENT_COUNT;
    for (uint64_t block = 0; block < count; block++) {
        block_store(&copy, block * target_pitch, block * source_pitch, (size_t)length);
    }
    machine->adding = false;
}
