#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/view.h"

enum { COLUMNS = 16 }; /* columns of a group in L0C */

struct store {
    uint64_t matrices, rows, columns;
    uint64_t source_group, source_matrix; /* pitches in elements of L0C */
    uint64_t group, row, column, matrix;  /* pitches in bytes of the destination */
    uint64_t group_columns;               /* nz: columns of a group; else all */
    enum element source, target;
    uint32_t size; /* bytes of a stored element */
    bool relu;
};

enum element fixpipe_target(const struct insn *insn)
{
    switch (insn->field[FIXPIPE_mode]) {
    case MODE_F322F16:
        return ELEMENT_FP16;
    case MODE_F322BF16:
        return ELEMENT_BF16;
    default:
        return insn_element(insn);
    }
}

/* Destination pitches by layout; isa.md section 8. */
static void store_layout(struct store *store, const struct insn *insn)
{
    const int64_t *field = insn->field;
    uint64_t stride = (uint64_t)field[FIXPIPE_dstStride];
    store->group_columns = store->columns;
    switch (field[FIXPIPE_layout]) {
    case LAYOUT_NZ:
        store->group_columns = field[FIXPIPE_channelSplit] != 0 ? COLUMNS / 2 : COLUMNS;
        store->group = stride * BLOCK_BYTES;
        store->row = store->group_columns * store->size;
        store->column = store->size;
        break;
    case LAYOUT_NZ2ND:
        store->row = stride * store->size;
        store->column = store->size;
        break;
    default:
        store->row = store->size;
        store->column = stride * store->size;
        break;
    }
}

static void store_read(struct store *store, const struct insn *insn, enum arch arch)
{
    const int64_t *field = insn->field;
    *store = (struct store){
        .matrices = (uint64_t)field[FIXPIPE_ndNum],
        .rows = (uint64_t)field[FIXPIPE_mSize],
        .columns = (uint64_t)field[FIXPIPE_nSize],
        .source_group = (uint64_t)field[FIXPIPE_srcStride] * COLUMNS,
        /* Whole fractals on A2 and A3, rows of a fractal on 950. */
        .source_matrix = (uint64_t)field[FIXPIPE_srcNdStride] * (arch == ARCH_3510 ? COLUMNS : 256),
        .source = insn_element(insn),
        .target = fixpipe_target(insn),
        .relu = field[FIXPIPE_reluEn] != 0,
    };
    store->size = element_bytes(store->target);
    store->matrix = (uint64_t)field[FIXPIPE_dstNdStride] * store->size;
    store_layout(store, insn);
}

static bool store_check(const struct store *store, struct machine *machine, const struct insn *insn)
{
    const int64_t *field = insn->field;
    bool nz = field[FIXPIPE_layout] == LAYOUT_NZ;
    bool split = field[FIXPIPE_channelSplit] != 0;
    if (field[FIXPIPE_mode] != MODE_NOQUANT && store->source != ELEMENT_FP32) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "mode converts fp32 and L0C holds %s; expected mode NoQuant",
                      element_word(store->source));
        return false;
    }
    if (split && (!nz || store->target != ELEMENT_FP32)) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "channelSplit is 1; expected layout nz and a stored type of fp32");
        return false;
    }
    if (nz && store->matrices != 1) {
        hazard_report(machine, HAZARD_OUT_OF_BOUNDS, insn,
                      "ndNum is %" PRIu64 " with layout nz; expected 1", store->matrices);
        return false;
    }
    if (nz && store->columns % store->group_columns != 0) {
        hazard_report(machine, HAZARD_MISALIGNED, insn,
                      "nSize is %" PRIu64 " with layout nz; expected a multiple of %" PRIu64,
                      store->columns, store->group_columns);
    }
    return true;
}

/* Element offset in L0C and byte offset in the destination. */
static uint64_t store_from(const struct store *store, uint64_t matrix, uint64_t row,
                           uint64_t column)
{
    return matrix * store->source_matrix + column / COLUMNS * store->source_group + row * COLUMNS +
           column % COLUMNS;
}

static uint64_t store_to(const struct store *store, uint64_t matrix, uint64_t row, uint64_t column)
{
    return matrix * store->matrix + column / store->group_columns * store->group +
           row * store->row + column % store->group_columns * store->column;
}

static bool store_open(const struct store *store, struct machine *machine, const struct insn *insn,
                       struct view *target, struct view *source)
{
    uint64_t matrix = store->matrices - 1;
    uint64_t row = store->rows - 1;
    uint64_t column = store->columns - 1;
    /* The last lane of a group may lie further than the last column of the last group. */
    uint64_t group_end = column / COLUMNS * COLUMNS;
    uint64_t from = store_from(store, matrix, row, column);
    uint64_t to = store_to(store, matrix, row, column);
    if (group_end != 0 && store_from(store, matrix, row, group_end - 1) > from) {
        from = store_from(store, matrix, row, group_end - 1);
    }
    if (column >= store->group_columns) {
        uint64_t before = column / store->group_columns * store->group_columns - 1;
        uint64_t end = store_to(store, matrix, row, before);
        to = end > to ? end : to;
    }
    return view_open(machine, insn, FIXPIPE_dst, to + store->size, target) &&
           view_open(machine, insn, FIXPIPE_src, (from + 1) * 4, source);
}

static uint32_t element_convert(const struct store *store, uint32_t code)
{
    if (store->source == ELEMENT_INT32) {
        return store->relu && (code & 0x80000000) != 0 ? 0 : code;
    }
    float value;
    memcpy(&value, &code, sizeof value);
    if (store->relu && !(value > 0.0F)) {
        return 0;
    }
    return store->target == ELEMENT_FP32 ? code : element_encode(store->target, value, true);
}

/* The largest finite code of a 16-bit float, of either sign. */
static bool code_is_largest(enum element element, uint32_t code)
{
    uint32_t largest = element == ELEMENT_FP16 ? 0x7BFF : 0x7F7F;
    return (element == ELEMENT_FP16 || element == ELEMENT_BF16) && (code & 0x7FFF) == largest;
}

/* Whether a binary32 code lies beyond the largest finite value of the type. */
static bool element_exceeds(enum element element, uint32_t code)
{
    float value;
    memcpy(&value, &code, sizeof value);
    float largest =
        (float)element_decode(element, element == ELEMENT_FP16 ? UINT32_C(0x7BFF) : 0x7F7F);
    return value > largest || value < -largest;
}

/* Marks stored bytes and counts those that an earlier instruction stored too. */
static void target_mark(struct machine *machine, const struct view *target, uint64_t offset,
                        size_t size_bytes)
{
    uint8_t *written = target->written + offset;
    if (memchr(written, 1, size_bytes) != NULL) {
        for (size_t byte = 0; byte < size_bytes; byte++) {
            machine->stored_twice += written[byte];
        }
    }
    memset(written, 1, size_bytes);
}

/* Stores up to 16 columns that lie in one group on both sides. */
static void span_store(const struct store *store, struct machine *machine,
                       const struct view *target, uint64_t to, const uint8_t *source, size_t count)
{
    uint32_t codes[COLUMNS];
    memcpy(codes, source, count * sizeof codes[0]);
    for (size_t lane = 0; lane < count; lane++) {
        uint32_t code = element_convert(store, codes[lane]);
        element_store(store->target, target->bytes + to + lane * store->column, 0, code);
        machine->saturated +=
            code_is_largest(store->target, code) && element_exceeds(store->target, codes[lane]);
    }
    if (store->column == store->size) {
        target_mark(machine, target, to, count * store->size);
        return;
    }
    for (size_t lane = 0; lane < count; lane++) {
        target_mark(machine, target, to + lane * store->column, store->size);
    }
}

static void row_store(const struct store *store, struct machine *machine, uint64_t matrix,
                      uint64_t row, const struct view *target, const struct view *source)
{
    /* A group of the destination has 8 or 16 columns, or all of them. */
    uint64_t span = store->group != 0 ? store->group_columns : COLUMNS;
    for (uint64_t column = 0; column < store->columns; column += span) {
        uint64_t left = store->columns - column;
        const uint8_t *from = source->bytes + store_from(store, matrix, row, column) * 4;
        span_store(store, machine, target, store_to(store, matrix, row, column), from,
                   left < span ? (size_t)left : (size_t)span);
    }
}

/* Reports the first element that was never written, once for the instruction. */
static void source_check(const struct store *store, struct machine *machine,
                         const struct insn *insn, const struct view *source)
{
    for (uint64_t matrix = 0; matrix < store->matrices; matrix++) {
        for (uint64_t row = 0; row < store->rows; row++) {
            for (uint64_t column = 0; column < store->columns; column += COLUMNS) {
                uint64_t left = store->columns - column;
                uint64_t offset = store_from(store, matrix, row, column) * 4;
                size_t length = (size_t)(left < COLUMNS ? left : COLUMNS) * 4;
                uint64_t found = view_unwritten(source, offset, length);
                if (found != offset + length) {
                    hazard_report_unwritten(machine, insn, "src", row,
                                            column + (found - offset) / 4);
                    return;
                }
            }
        }
    }
}

/* Tells what is read of L0C: a stretch of rows in each group of 16 columns. */
static void source_tell(const struct store *store, const struct view *source)
{
    for (uint64_t matrix = 0; matrix < store->matrices; matrix++) {
        for (uint64_t column = 0; column < store->columns; column += COLUMNS) {
            uint64_t left = store->columns - column;
            uint64_t lanes = (store->rows - 1) * COLUMNS + (left < COLUMNS ? left : COLUMNS);
            view_reads(source, store_from(store, matrix, 0, column) * 4, lanes * 4);
        }
    }
}

/* Tells what is written: columns of nz2dn, else rows within a group, joined where rows follow each
 * other. */
static void target_tell(const struct store *store, const struct view *target)
{
    bool by_column = store->column != store->size;
    for (uint64_t matrix = 0; matrix < store->matrices; matrix++) {
        for (uint64_t column = 0; column < store->columns;) {
            uint64_t left = store->columns - column;
            uint64_t span = left < store->group_columns ? left : store->group_columns;
            uint64_t length = (by_column ? store->rows : span) * store->size;
            uint64_t count = by_column ? span : store->rows;
            uint64_t pitch = by_column ? store->column : store->row;
            uint64_t start = store_to(store, matrix, 0, column);
            if (pitch == length) {
                view_writes(target, start, count * length);
            }
            for (uint64_t stretch = 0; pitch != length && stretch < count; stretch++) {
                view_writes(target, start + stretch * pitch, length);
            }
            column += span;
        }
    }
}

void effect_fixpipe(struct machine *machine, const struct insn *insn)
{
    struct store store;
    store_read(&store, insn, machine->program->arch);
    struct view target, source;
    if (!store_check(&store, machine, insn) ||
        !store_open(&store, machine, insn, &target, &source)) {
        return;
    }
    source_check(&store, machine, insn, &source);
    source_tell(&store, &source);
    target_tell(&store, &target);
    for (uint64_t matrix = 0; matrix < store.matrices; matrix++) {
        for (uint64_t row = 0; row < store.rows; row++) {
            row_store(&store, machine, matrix, row, &target, &source);
        }
    }
}

uint64_t bytes_fixpipe(const struct program *program, const struct insn *insn)
{
    (void)program;
    const int64_t *field = insn->field;
    uint64_t matrices = field[FIXPIPE_layout] == LAYOUT_NZ ? 1 : (uint64_t)field[FIXPIPE_ndNum];
    return matrices * (uint64_t)(field[FIXPIPE_mSize] * field[FIXPIPE_nSize]) *
           element_bytes(fixpipe_target(insn));
}
