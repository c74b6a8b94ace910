/*
 * Loads of what belongs to a column of C: bias and quantisation words (docs/isa.md section 4).
 */
#include <stdbool.h>
#include <string.h>

#include "isa/block_move.h"
#include "isa/effect_parts.h"
#include "isa/view.h"

/* Lengths and gaps of the bias table count 64 bytes, on 950 32. */
static uint64_t bt_unit(const struct program *program)
{
    return program->arch == ARCH_3510 ? 32 : 64;
}

/* 16-bit elements to fp32, with their shadows. */
static void bias_widen(enum element element, const struct view *target, uint64_t to,
                       const struct view *source, uint64_t from, uint64_t count)
{
    view_reads(source, from, count * 2);
    view_writes(target, to, count * 4);
    for (uint64_t index = 0; index < count; index++) {
        uint32_t code = element_load(element, source->bytes + from, index);
        const uint8_t *written = source->written + from + 2 * index;
        float value = (float)element_decode(element, code);
        element_store(ELEMENT_FP32, target->bytes + to, index,
                      element_encode(ELEMENT_FP32, value, false));
        memset(target->written + to + 4 * index, written[0] & written[1], 4);
    }
}

void effect_load_bt(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    enum element element = insn_element(insn);
    uint64_t unit = bt_unit(machine->program);
    bool widens = element_bits(element) == 16;
    struct block_move move = {
        .count = (uint64_t)field[LOAD_BT_blockCount],
        .source_length = (uint64_t)field[LOAD_BT_blockLen] * unit,
    };
    move.target_length = move.source_length * (widens ? 2 : 1);
    move.source_pitch = move.source_length + (uint64_t)field[LOAD_BT_srcGap] * BLOCK_BYTES;
    move.target_pitch = move.target_length + (uint64_t)field[LOAD_BT_dstGap] * unit;
    if (move.source_length % 64 != 0) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "blockLen is %u; expected an even number", (unsigned)field[LOAD_BT_blockLen]);
        return;
    }
    if (!block_move_open(&move, machine, insn)) {
        return;
    }
    if (!widens) {
        block_move_copy(&move);
        return;
    }
    for (uint64_t block = 0; block < move.count; block++) {
        bias_widen(element, &move.target, block * move.target_pitch, &move.source,
                   block * move.source_pitch, move.source_length / 2);
    }
}

/* Lengths count 128 bytes, on 950 64; gaps are from head to head. */
static uint64_t fb_length(const struct program *program, const struct insn *insn)
{
    return (uint64_t)insn->field[LOAD_FB_blockLen] * (program->arch == ARCH_3510 ? 64 : 128);
}

void effect_load_fb(struct machine *machine, const struct insn *insn)
{
    enum { FB_GAP_BYTES = 128 };
    const int64_t *field = insn->field;
    uint64_t length = fb_length(machine->program, insn);
    struct block_move move = {
        .count = (uint64_t)field[LOAD_FB_blockCount],
        .source_length = length,
        .target_length = length,
        .source_pitch = (uint64_t)field[LOAD_FB_srcGap] * BLOCK_BYTES,
        .target_pitch = (uint64_t)field[LOAD_FB_dstGap] * FB_GAP_BYTES,
    };
    if (block_move_open(&move, machine, insn)) {
        block_move_copy(&move);
    }
}

/* What is stored to the bias table. */
uint64_t bytes_load_bt(const struct program *program, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint64_t widened = element_bits(insn_element(insn)) == 16 ? 2 : 1;
    return (uint64_t)(field[LOAD_BT_blockCount] * field[LOAD_BT_blockLen]) * bt_unit(program) *
           widened;
}

uint64_t bytes_load_fb(const struct program *program, const struct insn *insn)
{
    return (uint64_t)insn->field[LOAD_FB_blockCount] * fb_length(program, insn);
}
