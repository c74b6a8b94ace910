/*
 * Loads of what belongs to a column of C: bias and quantisation words (docs/isa.md section 4).
 */
#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/view.h"

/* Blocks of a table; bytes. */
struct table_move {
    uint64_t count, source_length, target_length;
    uint64_t source_pitch, target_pitch;
};

static bool table_open(struct machine *machine, const struct insn *insn,
                       const struct table_move *move, struct view *target, struct view *source)
{
    if (move->count == 0 || move->source_length == 0) {
        return false;
    }
    /* Both loads have their destination first. */
    uint64_t last = move->count - 1;
    return view_open(machine, insn, LOAD_BT_dst, last * move->target_pitch + move->target_length,
                     target) &&
           view_open(machine, insn, LOAD_BT_src, last * move->source_pitch + move->source_length,
                     source);
}

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
    struct table_move move = {
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
    struct view target, source;
    if (!table_open(machine, insn, &move, &target, &source)) {
        return;
    }
    for (uint64_t block = 0; block < move.count; block++) {
        uint64_t to = block * move.target_pitch, from = block * move.source_pitch;
        if (widens) {
            bias_widen(element, &target, to, &source, from, move.source_length / 2);
        } else {
            view_copy(&target, to, &source, from, (size_t)move.source_length);
        }
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
    const struct table_move move = {
        .count = (uint64_t)field[LOAD_FB_blockCount],
        .source_length = length,
        .target_length = length,
        .source_pitch = (uint64_t)field[LOAD_FB_srcGap] * BLOCK_BYTES,
        .target_pitch = (uint64_t)field[LOAD_FB_dstGap] * FB_GAP_BYTES,
    };
    struct view target, source;
    if (!table_open(machine, insn, &move, &target, &source)) {
        return;
    }
    for (uint64_t block = 0; block < move.count; block++) {
        view_copy(&target, block * move.target_pitch, &source, block * move.source_pitch,
                  (size_t)length);
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
