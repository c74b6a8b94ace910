#include "isa/view.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    HAZARD_MESSAGE_BYTES = 320,
    FB_GENERAL_BYTES = 128, /* where addresses in FB begin in the vendor's general table */
};

/* The message of an instruction: its mnemonic, then the text. */
static void message_format(char message[HAZARD_MESSAGE_BYTES], const struct insn *insn,
                           const char *format, va_list arguments) PRINTF_LIKE(3, 0);

static void message_format(char message[HAZARD_MESSAGE_BYTES], const struct insn *insn,
                           const char *format, va_list arguments)
{
    const char *mnemonic = insn_info((enum opcode)insn->opcode)->mnemonic;
    int used = snprintf(message, HAZARD_MESSAGE_BYTES, "%s: ", mnemonic);
    assert(used > 0 && used < HAZARD_MESSAGE_BYTES);
    int length = vsnprintf(message + used, HAZARD_MESSAGE_BYTES - (size_t)used, format, arguments);
    assert(length >= 0);
    (void)length;
}

void hazard_report(struct machine *machine, enum hazard_kind kind, const struct insn *insn,
                   const char *format, ...)
{
    char message[HAZARD_MESSAGE_BYTES];
    va_list arguments;
    machine->refusing = machine->refusing || kind == HAZARD_OUT_OF_BOUNDS;
    if (machine->hazard == NULL) {
        return;
    }
    va_start(arguments, format);
    message_format(message, insn, format, arguments);
    va_end(arguments);
    machine->hazard(machine->hazard_context, kind, insn, message);
}

void note_report(struct machine *machine, const struct insn *insn, const char *format, ...)
{
    char message[HAZARD_MESSAGE_BYTES];
    va_list arguments;
    if (machine->note == NULL) {
        return;
    }
    va_start(arguments, format);
    message_format(message, insn, format, arguments);
    va_end(arguments);
    machine->note(machine->hazard_context, insn, message);
}

void hazard_report_unwritten(struct machine *machine, const struct insn *insn, const char *operand,
                             uint64_t row, uint64_t column)
{
    hazard_report(machine, HAZARD_UNINITIALIZED, insn,
                  "%s has elements that were never written, first at [%" PRIu64 ", %" PRIu64 "]",
                  operand, row, column);
}

static const struct region *operand_region(const struct machine *machine, const struct insn *insn,
                                           size_t index)
{
    uint32_t region = insn->operand[index].region;
    assert(region < machine->program->region_count);
    return &machine->program->regions[region];
}

enum space operand_space(const struct machine *machine, const struct insn *insn, size_t index)
{
    return operand_region(machine, insn, index)->space;
}

/* The bytes from the operand's address to the end of its region or memory, what is nearer. */
static uint64_t operand_room(const struct region *region, const struct memory *memory,
                             uint64_t offset)
{
    /* Tensors are memories of their own; parts of an on-chip buffer start at their base. */
    uint64_t base = region->space == SPACE_GM ? 0 : region->base_bytes;
    uint64_t limit = memory->size_bytes > base ? memory->size_bytes - base : 0;
    if (limit > region->size_bytes) {
        limit = region->size_bytes;
    }
    return limit > offset ? limit - offset : 0;
}

uint64_t view_address(const struct machine *machine, const struct insn *insn, size_t index)
{
    const struct region *region = operand_region(machine, insn, index);
    uint64_t base = region->space == SPACE_GM ? 0 : region->base_bytes;
    return base + insn->operand[index].offset;
}

static const struct memory *operand_memory(const struct machine *machine, const struct insn *insn,
                                           size_t index)
{
    enum space space = operand_space(machine, insn, index);
    return space == SPACE_GM ? &machine->tensor[insn->operand[index].region]
                             : &machine->buffer[space];
}

uint64_t view_room(const struct machine *machine, const struct insn *insn, size_t index)
{
    return operand_room(operand_region(machine, insn, index), operand_memory(machine, insn, index),
                        insn->operand[index].offset);
}

bool view_open(struct machine *machine, const struct insn *insn, size_t index, uint64_t end_bytes,
               struct view *view)
{
    const struct operand_info *info = &insn_info((enum opcode)insn->opcode)->operands[index];
    uint32_t region = insn->operand[index].region;
    uint32_t align_bytes =
        region == REGION_NONE ? 1 : operand_align(info, operand_space(machine, insn, index));
    return view_open_aligned(machine, insn, index, end_bytes, align_bytes, view);
}

bool view_open_aligned(struct machine *machine, const struct insn *insn, size_t index,
                       uint64_t end_bytes, uint32_t align_bytes, struct view *view)
{
    const struct operand_info *info = &insn_info((enum opcode)insn->opcode)->operands[index];
    const struct operand *operand = &insn->operand[index];
    *view = (struct view){0};
    if (operand->region == REGION_NONE) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn, "%s is not given", info->name);
        return false;
    }
    const struct region *region = operand_region(machine, insn, index);
    assert((info->spaces & 1U << region->space) != 0);
    bool global = region->space == SPACE_GM;
    const struct memory *memory = operand_memory(machine, insn, index);
    uint64_t room = view_room(machine, insn, index);
    if (end_bytes > room) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "%s reaches bytes %" PRIu64 "..%" PRIu64 " of '%s' in %s; expected at most "
                      "%" PRIu64 " bytes",
                      info->name, operand->offset, operand->offset + end_bytes - 1, region->name,
                      space_word(region->space), room + operand->offset);
        return false;
    }
    uint64_t address = region->base_bytes + operand->offset;
    if (!global && address % align_bytes != 0) {
        hazard_report(machine, HAZARD_MISALIGNED, insn,
                      "%s lies at byte %" PRIu64 " of %s; expected a multiple of %" PRIu32,
                      info->name, address, space_word(region->space), align_bytes);
    } else if (region->space == SPACE_FB && address % FB_GENERAL_BYTES != 0) {
        note_report(machine, insn,
                    "%s lies at byte %" PRIu64 " of fb; the page of the instruction asks for a "
                    "multiple of %" PRIu32 ", the general table for one of %d",
                    info->name, address, align_bytes, (int)FB_GENERAL_BYTES);
    }
    if (end_bytes != 0) {
        uint64_t start = view_address(machine, insn, index);
        view->bytes = memory->bytes + start;
        view->written = memory->written + start;
        view->whole = memory->whole;
        bool quiet = global && machine->quiet != NULL && machine->quiet[operand->region];
        view->machine = quiet ? NULL : machine;
        view->space = region->space;
        view->region = operand->region;
        view->address = start;
    }
    return true;
}

void view_copy(const struct view *target, uint64_t target_offset, const struct view *source,
               uint64_t source_offset, size_t size_bytes)
{
    view_reads(source, source_offset, size_bytes);
    view_writes(target, target_offset, size_bytes);
    /* Nearly all copies move one block; a known size saves the calls. */
    if (size_bytes == BLOCK_BYTES) {
        memcpy(target->bytes + target_offset, source->bytes + source_offset, BLOCK_BYTES);
        memcpy(target->written + target_offset, source->written + source_offset, BLOCK_BYTES);
        return;
    }
    memcpy(target->bytes + target_offset, source->bytes + source_offset, size_bytes);
    memcpy(target->written + target_offset, source->written + source_offset, size_bytes);
}

void view_zero(const struct view *target, uint64_t offset, size_t size_bytes)
{
    view_writes(target, offset, size_bytes);
    memset(target->bytes + offset, 0, size_bytes);
    memset(target->written + offset, 1, size_bytes);
}

uint64_t view_unwritten(const struct view *view, uint64_t offset, size_t size_bytes)
{
    const uint8_t *found = memchr(view->written + offset, 0, size_bytes);
    return found == NULL ? offset + size_bytes : (uint64_t)(found - view->written);
}
