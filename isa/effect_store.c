/*
 * The part of data_copy that ends in GM: what nobody wrote is reported, bytes count as stored, and
 * set_atomic_add makes it an addition (docs/isa.md sections 8.1 and 8.2).
 */
#include <stdbool.h>
#include <string.h>

#include "isa/block_move.h"
#include "isa/effect_parts.h"
#include "isa/gm_store.h"
#include "isa/view.h"

/* A copy to GM while it is made. */
struct gm_copy {
    struct machine *machine;
    const struct insn *insn;
    const struct block_move *move;
    enum element adds; /* ELEMENT_COUNT: it replaces */
    bool told_source, told_target;
};

/* Reports the first byte of a side that nobody has written, once. */
static void unwritten_tell(struct gm_copy *copy, const struct view *view, uint64_t offset,
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

static void block_store(struct gm_copy *copy, uint64_t to, uint64_t from)
{
    const struct view *source = &copy->move->source, *target = &copy->move->target;
    const uint8_t *bytes = source->bytes + from;
    size_t length = (size_t)copy->move->source_length;
    unwritten_tell(copy, source, from, length, "src", &copy->told_source);
    view_reads(source, from, length);
    if (copy->adds != ELEMENT_COUNT) {
        unwritten_tell(copy, target, to, length, "dst", &copy->told_target);
        view_reads(target, to, length);
        view_writes(target, to, length);
        gm_store_add(target, to, copy->adds, bytes, length / element_bytes(copy->adds));
        return;
    }
    view_writes(target, to, length);
    memcpy(target->bytes + to, bytes, length);
    gm_store_mark(copy->machine, target, to, length);
}

void data_copy_store(struct machine *machine, const struct insn *insn,
                     const struct block_move *move)
{
    struct gm_copy copy = {.machine = machine, .insn = insn, .move = move};
    copy.adds = gm_store_adds(SPACE_GM, insn->field[DATA_COPY_atomicAdd]);
    machine->adding = copy.adds != ELEMENT_COUNT;
    for (uint64_t block = 0; block < move->count; block++) {
        block_store(&copy, block * move->target_pitch, block * move->source_pitch);
    }
    machine->adding = false;
}
