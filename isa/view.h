/*
 * An operand as bytes: where it lies, what was written, and the checks on its way there.
 *
 * A view starts at the operand's address. Whoever opens it says how far the instruction reaches;
 * nothing beyond is touched. Every access is told to the machine's access sink: view_copy,
 * view_zero do so; who works on the bytes himself calls view_reads and view_writes.
 */
#ifndef CUBESIM_ISA_VIEW_H
#define CUBESIM_ISA_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/machine.h"

struct view {
    uint8_t *bytes;
    uint8_t *written;              /* parallel to bytes: 1 where a byte was written */
    bool whole;                    /* every byte of the memory was written from the start */
    const struct machine *machine; /* whose sink is told; NULL: none */
    enum space space;
    uint32_t region;
    uint64_t address; /* of bytes[0]: in its tensor or its on-chip memory */
};

static inline void view_told(const struct view *view, uint64_t offset, uint64_t size_bytes,
                             bool write)
{
    if (view->machine != NULL && view->machine->access != NULL) {
        view->machine->access(view->machine->access_context, view->space, view->region,
                              view->address + offset, size_bytes, write);
    }
}

/* Says that bytes [offset, offset + size_bytes) are read, or written, without changing them. */
static inline void view_reads(const struct view *view, uint64_t offset, uint64_t size_bytes)
{
    view_told(view, offset, size_bytes, false);
}

static inline void view_writes(const struct view *view, uint64_t offset, uint64_t size_bytes)
{
    view_told(view, offset, size_bytes, true);
}

/* Opens operand `index` of an instruction that touches its bytes [0, end_bytes). Reports
 * out_of_bounds and returns false when they leave the region or its memory; reports misaligned
 * and returns true when the address is no multiple of the operand's alignment. */
bool view_open(struct machine *machine, const struct insn *insn, size_t index, uint64_t end_bytes,
               struct view *view);

/* The same with another alignment than that of the row. */
bool view_open_aligned(struct machine *machine, const struct insn *insn, size_t index,
                       uint64_t end_bytes, uint32_t align_bytes, struct view *view);

/* Where an operand starts in its tensor or on-chip memory, and the bytes from there to the end of
 * its region or memory. */
uint64_t view_address(const struct machine *machine, const struct insn *insn, size_t index);
uint64_t view_room(const struct machine *machine, const struct insn *insn, size_t index);

/* Copies bytes together with their shadow. */
void view_copy(const struct view *target, uint64_t target_offset, const struct view *source,
               uint64_t source_offset, size_t size_bytes);

/* Writes zeros, which count as written. */
void view_zero(const struct view *target, uint64_t offset, size_t size_bytes);

/* The offset of the first byte of [offset, offset + size_bytes) that was never written, or
 * offset + size_bytes when all were. */
uint64_t view_unwritten(const struct view *view, uint64_t offset, size_t size_bytes);

/* Reports a hazard of an instruction; the message starts with its mnemonic. */
void hazard_report(struct machine *machine, enum hazard_kind kind, const struct insn *insn,
                   const char *format, ...) PRINTF_LIKE(4, 5);

/* Says what is worth knowing of an instruction and no hazard; starts likewise. */
void note_report(struct machine *machine, const struct insn *insn, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Reports lanes of an operand that were never written, first at [row, column]. */
void hazard_report_unwritten(struct machine *machine, const struct insn *insn, const char *operand,
                             uint64_t row, uint64_t column);

/* The space that operand `index` lies in. */
enum space operand_space(const struct machine *machine, const struct insn *insn, size_t index);

#endif
