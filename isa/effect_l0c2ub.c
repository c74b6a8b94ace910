/*
 * The way out of L0C by the vector pipe: fractals become rows in the unified buffer, converted
 * (docs/isa.md section 9).
 *
 * The destination may lie over the quantisation words, since both are in the unified buffer: all
 * words are taken before the first block is written.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/l0c2ub.h"
#include "isa/quant.h"
#include "isa/view.h"

enum { ROWS = L0C2UB_ROWS, LANES = L0C2UB_LANES };

/* A data_copy_l0c2ub while it is made. Pitches are bytes. */
struct exit_copy {
    struct machine *machine;
    const struct insn *insn;
    struct quant_rule rule;
    enum insn_deq scale;
    struct quant_word words[LANES];
    size_t word_step; /* 1: a word for each column; 0: words[0] for all */
    uint64_t count, length;
    uint64_t source_block, target_block, row;
    uint32_t source_size, size;
    const uint8_t *taken; /* the words of all blocks, as they were at the start */
    struct view target, source;
};

static struct exit_copy exit_read(struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    struct exit_copy copy = {
        .machine = machine,
        .insn = insn,
        .scale = (enum insn_deq)field[DATA_COPY_L0C2UB_deqScale],
        .count = (uint64_t)field[DATA_COPY_L0C2UB_blockCount],
        .length = (uint64_t)field[DATA_COPY_L0C2UB_blockLen],
        .row = l0c2ub_row_bytes(insn),
        .rule = {.source = insn_element(insn),
                 .target = (enum element)field[DATA_COPY_L0C2UB_dstType],
                 .relu = field[DATA_COPY_L0C2UB_isRelu] != 0,
                 .saturate = true,
                 .shifts = true},
    };
    copy.source_size = element_bytes(copy.rule.source);
    copy.size = element_bytes(copy.rule.target);
    uint64_t gap = (uint64_t)field[DATA_COPY_L0C2UB_srcGap];
    copy.source_block = (copy.length + gap) * ROWS * LANES * copy.source_size;
    copy.target_block =
        copy.length * ROWS * copy.row + (uint64_t)field[DATA_COPY_L0C2UB_dstGap] * BLOCK_BYTES;
    return copy;
}

/* Reports fields that contradict each other; false, for the caller to return. */
static bool exit_refuse(const struct exit_copy *copy, const char *message)
{
    hazard_report(copy->machine, HAZARD_OUT_OF_BOUNDS, copy->insn, "%s", message);
    return false;
}

/* A shift to int16 needs no scale, so that a word of 0 is one: a shift by 1. */
static bool exit_check(const struct exit_copy *copy)
{
    enum quant_parameter parameter = deq_info(copy->scale)->parameter;
    bool scalar = copy->insn->field[DATA_COPY_L0C2UB_deqValue] != 0;
    bool vector = copy->insn->operand[DATA_COPY_L0C2UB_deqTensorAddr].region != REGION_NONE;
    if (scalar && parameter != PARAMETER_SCALAR) {
        return exit_refuse(copy, "deqValue is given with a deqScale that takes none");
    }
    if (!scalar && parameter == PARAMETER_SCALAR && copy->rule.target != ELEMENT_INT16) {
        return exit_refuse(copy, "deqValue is 0; expected a word");
    }
    if (copy->scale == DEQ_FP16 && copy->insn->field[DATA_COPY_L0C2UB_deqValue] > UINT16_MAX) {
        return exit_refuse(copy, "deqValue has more than the 16 bits of an fp16 code");
    }
    if (vector != (parameter == PARAMETER_VECTOR)) {
        return exit_refuse(copy, vector ? "deqTensorAddr is given with a deqScale that takes none"
                                        : "deqTensorAddr is not given; expected 16 words a block");
    }
    return true;
}

static struct quant_word word_read(const struct exit_copy *copy, uint64_t word)
{
    bool half = copy->scale == DEQ_FP16 || copy->scale == DEQ_VFP16;
    struct quant_word taken =
        half ? quant_word_half((uint16_t)word) : quant_word_read(word, QUANT_SCALE_ALL);
    taken.is_signed = taken.is_signed || copy->rule.target == ELEMENT_INT8;
    return taken;
}

static bool word_check(const struct exit_copy *copy, const struct quant_word *word)
{
    return copy->rule.target == ELEMENT_INT16 || quant_word_is_sound(word) ||
           exit_refuse(copy, "a scale is no number that the unit takes; expected neither infinity, "
                             "NaN nor denormal");
}

static uint32_t word_bytes(const struct exit_copy *copy)
{
    return copy->scale == DEQ_VFP16 ? sizeof(uint16_t) : sizeof(uint64_t);
}

/* The 16 words of a block. */
static void words_read(struct exit_copy *copy, uint64_t block)
{
    uint64_t size = word_bytes(copy);
    for (size_t lane = 0; lane < LANES; lane++) {
        uint64_t word = 0;
        memcpy(&word, copy->taken + (block * LANES + lane) * size, size);
        copy->words[lane] = word_read(copy, word);
    }
}

/* Keeps the words of all blocks in the machine's work area: 16 words of 8 bytes or less for each
 * of at most 4095 blocks. */
static bool words_take(struct exit_copy *copy)
{
    struct machine *machine = copy->machine;
    struct view vector;
    uint64_t bytes = copy->count * LANES * word_bytes(copy);
    if (!view_open(machine, copy->insn, DATA_COPY_L0C2UB_deqTensorAddr, bytes, &vector)) {
        return false;
    }
    uint64_t found = view_unwritten(&vector, 0, (size_t)bytes);
    if (found != bytes) {
        hazard_report(machine, HAZARD_UNINITIALIZED, copy->insn,
                      "deqTensorAddr has bytes that were never written, first at %" PRIu64, found);
    }
    view_reads(&vector, 0, bytes);
    assert(bytes <= machine->scratch_bytes);
    memcpy(machine->scratch, vector.bytes, (size_t)bytes);
    copy->taken = machine->scratch;
    return true;
}

/* Takes the parameter and checks all of its words before anything is written. */
static bool parameter_open(struct exit_copy *copy)
{
    uint64_t word = (uint64_t)copy->insn->field[DATA_COPY_L0C2UB_deqValue];
    enum quant_parameter parameter = deq_info(copy->scale)->parameter;
    copy->rule.scales = parameter != PARAMETER_NONE;
    if (parameter == PARAMETER_SCALAR) {
        bool half = copy->scale == DEQ_FP16;
        copy->rule.relu = copy->rule.relu || (!half && (word >> QUANT_WORD_RELU & 1) != 0);
        copy->words[0] = word_read(copy, word);
        return word_check(copy, &copy->words[0]);
    }
    if (parameter == PARAMETER_NONE) {
        return true;
    }
    copy->word_step = 1;
    if (!words_take(copy)) {
        return false;
    }
    for (uint64_t block = 0; block < copy->count; block++) {
        words_read(copy, block);
        for (size_t lane = 0; lane < LANES; lane++) {
            if (!word_check(copy, &copy->words[lane])) {
                return false;
            }
        }
    }
    return true;
}

/* 16 elements that lie together on both sides; a result is written when its source is, and only
 * then it counts that it saturated. */
static void row_move(struct exit_copy *copy, uint64_t to, uint64_t from)
{
    const uint8_t *bytes = copy->source.bytes + from;
    uint8_t *written = copy->target.written + to;
    uint32_t codes[LANES], stored[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        codes[lane] = element_load(copy->rule.source, bytes, lane);
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        uint64_t start = from + lane * copy->source_size;
        bool known =
            view_unwritten(&copy->source, start, copy->source_size) == start + copy->source_size;
        uint64_t clamped = quant_apply(&copy->rule, copy->words + lane * copy->word_step,
                                       copy->word_step, &codes[lane], 1, &stored[lane]);
        copy->machine->saturated += known ? clamped : 0;
        element_store(copy->rule.target, copy->target.bytes + to, lane, stored[lane]);
        memset(written + lane * copy->size, known, copy->size);
    }
}

static void block_move(struct exit_copy *copy, uint64_t block)
{
    uint64_t rows = copy->length * ROWS;
    uint64_t from = block * copy->source_block;
    uint64_t to = block * copy->target_block;
    uint64_t source_row = (uint64_t)LANES * copy->source_size;
    uint64_t stored = (uint64_t)LANES * copy->size;
    if (copy->row != stored && copy->insn->field[DATA_COPY_L0C2UB_sidStoreMode] == 1) {
        to += BLOCK_BYTES / 2;
    }
    view_reads(&copy->source, from, rows * source_row);
    if (copy->row == stored) {
        view_writes(&copy->target, to, rows * stored);
    }
    for (uint64_t row = 0; row < rows; row++) {
        if (copy->row != stored) {
            view_writes(&copy->target, to + row * copy->row, stored);
        }
        row_move(copy, to + row * copy->row, from + row * source_row);
    }
}

void effect_data_copy_l0c2ub(struct machine *machine, const struct insn *insn)
{
    struct exit_copy copy = exit_read(machine, insn);
    if (!exit_check(&copy) || copy.count == 0 || copy.length == 0) {
        return;
    }
    uint64_t last = copy.count - 1;
    uint64_t source_end = last * copy.source_block + copy.length * ROWS * LANES * copy.source_size;
    uint64_t target_end = last * copy.target_block + copy.length * ROWS * copy.row;
    if (copy.row == BLOCK_BYTES && copy.size == 1 &&
        insn->field[DATA_COPY_L0C2UB_sidStoreMode] == 0) {
        target_end -= BLOCK_BYTES / 2; /* the upper half of the last row */
    }
    uint32_t align = FRACTAL_BYTES * (copy.source_size == 2 ? 1 : 2);
    if (!view_open(machine, insn, DATA_COPY_L0C2UB_dst, target_end, &copy.target) ||
        !view_open_aligned(machine, insn, DATA_COPY_L0C2UB_src, source_end, align, &copy.source) ||
        !parameter_open(&copy)) {
        return;
    }
    for (uint64_t block = 0; block < copy.count; block++) {
        if (copy.word_step != 0) {
            words_read(&copy, block);
        }
        block_move(&copy, block);
    }
}

uint64_t bytes_data_copy_l0c2ub(const struct program *program, const struct insn *insn)
{
    (void)program;
    uint64_t elements = l0c2ub_source_bytes(insn) / element_bytes(insn_element(insn));
    return elements * element_bytes((enum element)insn->field[DATA_COPY_L0C2UB_dstType]);
}
