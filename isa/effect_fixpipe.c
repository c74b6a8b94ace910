/*
 * Fixpipe: results from L0C to GM, L1 or UB, converted and laid out (docs/isa.md section 8).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "isa/effect_parts.h"
#include "isa/fixpipe.h"
#include "isa/gm_store.h"
#include "isa/quant.h"
#include "isa/view.h"

enum { SOURCE_BYTES = 4 /* of an element of L0C */ };

/* A Fixpipe while it is made. */
struct store {
    struct machine *machine;
    const struct insn *insn;
    struct fixpipe_shape shape;
    struct quant_rule rule;
    struct quant_word scalar;
    const struct quant_word *words; /* of column 0 */
    size_t word_step;               /* 1: a word for each column; 0: one for all */
    enum element adds;              /* ELEMENT_COUNT: it replaces */
    bool told;                      /* that an addition finds bytes unwritten */
    struct view target, source;
};

static bool contradiction(const struct store *store, const char *format, ...) PRINTF_LIKE(2, 3);

/* Reports fields that contradict each other; false, for the caller to return. */
static bool contradiction(const struct store *store, const char *format, ...)
{
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    hazard_report(store->machine, HAZARD_OUT_OF_BOUNDS, store->insn, "%s", message);
    return false;
}

/* Fields of several matrices belong to one layout. */
static bool check_matrices(const struct store *store)
{
    static const struct {
        size_t field;
        enum insn_layout layout;
    } owned[] = {
        {FIXPIPE_ndNum, LAYOUT_NZ2ND},
        {FIXPIPE_srcNdStride, LAYOUT_NZ2ND},
        {FIXPIPE_dstNdStride, LAYOUT_NZ2ND},
        {FIXPIPE_dnNum, LAYOUT_NZ2DN},
        {FIXPIPE_srcNzMatrixStride, LAYOUT_NZ2DN},
        {FIXPIPE_dstDnMatrixStride, LAYOUT_NZ2DN},
        {FIXPIPE_srcNzC0Stride, LAYOUT_NZ2DN},
    };
    const struct insn_info *info = insn_info(OP_FIXPIPE);
    int64_t layout = store->insn->field[FIXPIPE_layout];
    for (size_t index = 0; index < sizeof owned / sizeof owned[0]; index++) {
        const struct field_info *field = &info->fields[owned[index].field];
        int64_t value = store->insn->field[owned[index].field];
        if (value != field->initial && layout != (int64_t)owned[index].layout) {
            return contradiction(store, "%s is %" PRId64 " with layout %s; expected %" PRId64,
                                 field->name, value, info->fields[FIXPIPE_layout].words[layout],
                                 field->initial);
        }
    }
    return true;
}

static bool check_layout(const struct store *store)
{
    const int64_t *field = store->insn->field;
    bool nz = field[FIXPIPE_layout] == LAYOUT_NZ;
    bool to_gm = operand_space(store->machine, store->insn, FIXPIPE_dst) == SPACE_GM;
    if (field[FIXPIPE_channelSplit] != 0 &&
        (!nz || !to_gm || store->shape.target != ELEMENT_FP32)) {
        return contradiction(
            store, "channelSplit is 1; expected layout nz and a stored type of fp32 in gm");
    }
    if (field[FIXPIPE_channelSplit] != 0 && field[FIXPIPE_unitFlag] != 0) {
        return contradiction(store, "channelSplit is 1 with a unit flag; expected 0");
    }
    if (field[FIXPIPE_srcNzC0Stride] != 1 && field[FIXPIPE_unitFlag] != 0) {
        return contradiction(store, "srcNzC0Stride is %" PRId64 " with a unit flag; expected 1",
                             field[FIXPIPE_srcNzC0Stride]);
    }
    return check_matrices(store);
}

/* The parameter that the mode takes is there, and no other. */
static bool check_parameter(const struct store *store)
{
    const struct quant_info *info = quant_info((enum insn_mode)store->insn->field[FIXPIPE_mode]);
    bool scalar = store->insn->field[FIXPIPE_deqScalar] != 0;
    bool vector = store->insn->operand[FIXPIPE_quant].region != REGION_NONE;
    if (scalar != (info->parameter == PARAMETER_SCALAR)) {
        return contradiction(store,
                             scalar ? "deqScalar is given with mode %s, which takes none"
                                    : "deqScalar is 0 with mode %s; expected a word",
                             info->word);
    }
    if (vector != (info->parameter == PARAMETER_VECTOR)) {
        return contradiction(store,
                             vector ? "quant is given with mode %s, which takes none"
                                    : "quant is not given with mode %s; expected words in fb",
                             info->word);
    }
    return true;
}

static bool check_adds(const struct store *store)
{
    bool same = store->adds == ELEMENT_COUNT || store->adds == store->shape.target;
    return same || contradiction(store, "set_atomic_add is of %s; expected the stored type, %s",
                                 element_word(store->adds), element_word(store->shape.target));
}

/* A mode without a parameter that stores a type, or NULL. */
static const char *mode_storing(enum arch arch, enum element source, enum element target)
{
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const struct quant_info *info = quant_info((enum insn_mode)mode);
        if (info->parameter == PARAMETER_NONE && (info->arches & arch_bit(arch)) != 0 &&
            (info->sources >> source & 1) != 0 && (info->targets >> target & 1) != 0) {
            return info->word;
        }
    }
    return NULL;
}

/* Whoever reads the tensor would take the stored bytes for another type. */
static void note_type(const struct store *store)
{
    const struct program *program = store->machine->program;
    const struct region *region = &program->regions[store->insn->operand[FIXPIPE_dst].region];
    enum element stored = store->shape.target;
    /* The words say whether 8 bits have a sign, each for its column. */
    bool same = region->element == stored ||
                (region->element == ELEMENT_UINT8 && stored == ELEMENT_INT8) ||
                (region->element == ELEMENT_INT8 && stored == ELEMENT_UINT8);
    if (region->space != SPACE_GM || same) {
        return;
    }
    const char *mode = mode_storing(program->arch, store->shape.source, region->element);
    note_report(store->machine, store->insn, "dst is '%s' of %s, and %s is stored%s%s",
                region->name, element_word(region->element), element_word(stored),
                mode != NULL ? "; that takes mode=" : "", mode != NULL ? mode : "");
}

/* What hardware moves in blocks of 32 bytes; reported and executed. */
static void check_blocks(const struct store *store)
{
    const struct fixpipe_shape *shape = &store->shape;
    const int64_t *field = store->insn->field;
    bool to_gm = operand_space(store->machine, store->insn, FIXPIPE_dst) == SPACE_GM;
    bool nz = field[FIXPIPE_layout] == LAYOUT_NZ;
    bool nd = field[FIXPIPE_layout] == LAYOUT_NZ2ND;
    if (nz && shape->columns % shape->span != 0) {
        hazard_report(store->machine, HAZARD_MISALIGNED, store->insn,
                      "nSize is %" PRIu64 " with layout nz; expected a multiple of %" PRIu64,
                      shape->columns, shape->span);
    }
    if (nz && shape->columns > shape->group_columns && shape->group % BLOCK_BYTES != 0) {
        hazard_report(store->machine, HAZARD_MISALIGNED, store->insn,
                      "dstStride puts column groups %" PRIu64
                      " bytes apart; expected a multiple of 32",
                      shape->group);
    }
    uint64_t line = (nd ? shape->columns : shape->rows) * shape->size;
    if (!nz && !to_gm && line % BLOCK_BYTES != 0) {
        hazard_report(store->machine, HAZARD_MISALIGNED, store->insn,
                      "%s gives %s of %" PRIu64 " bytes; expected a multiple of 32",
                      nd ? "nSize" : "mSize", nd ? "rows" : "columns", line);
    }
}

static bool store_open(struct store *store)
{
    const struct fixpipe_shape *shape = &store->shape;
    uint64_t matrix = shape->matrices - 1;
    uint64_t row = shape->rows - 1;
    uint64_t column = shape->columns - 1;
    /* The last lane of a group may lie further than the last column of the last group. */
    uint64_t group_end = column / FIXPIPE_GROUP * FIXPIPE_GROUP;
    uint64_t from = fixpipe_from(shape, matrix, row, column);
    uint64_t to = fixpipe_to(shape, matrix, row, column);
    if (group_end != 0 && fixpipe_from(shape, matrix, row, group_end - 1) > from) {
        from = fixpipe_from(shape, matrix, row, group_end - 1);
    }
    if (column >= shape->group_columns) {
        uint64_t before = column / shape->group_columns * shape->group_columns - 1;
        uint64_t end = fixpipe_to(shape, matrix, row, before);
        to = end > to ? end : to;
    }
    return view_open(store->machine, store->insn, FIXPIPE_dst, to + shape->size, &store->target) &&
           view_open(store->machine, store->insn, FIXPIPE_src, (from + 1) * SOURCE_BYTES,
                     &store->source);
}

static bool word_check(const struct store *store, const struct quant_word *word, uint64_t column)
{
    return quant_word_is_sound(word) ||
           contradiction(store,
                         "the scale of column %" PRIu64
                         " is no number that the unit takes; expected neither infinity, NaN nor "
                         "denormal",
                         column);
}

/* Takes the words of all columns apart, in the machine's work area: 16 bytes or less for each of at
 * most 4095. */
static bool words_read(struct store *store)
{
    struct quant_word *words = (void *)store->machine->scratch;
    uint64_t columns = store->shape.columns;
    struct view view;
    if (!view_open(store->machine, store->insn, FIXPIPE_quant, columns * sizeof(uint64_t), &view)) {
        return false;
    }
    uint64_t found = view_unwritten(&view, 0, columns * sizeof(uint64_t));
    if (found != columns * sizeof(uint64_t)) {
        hazard_report_unwritten(store->machine, store->insn, "quant", 0, found / sizeof(uint64_t));
    }
    view_reads(&view, 0, columns * sizeof(uint64_t));
    for (uint64_t column = 0; column < columns; column++) {
        uint64_t word;
        memcpy(&word, view.bytes + column * sizeof word, sizeof word);
        words[column] = quant_word_read(word, QUANT_SCALE_FIXPIPE);
        if (!word_check(store, &words[column], column)) {
            return false;
        }
    }
    store->words = words;
    store->word_step = 1;
    return true;
}

static bool parameter_read(struct store *store)
{
    const struct quant_info *info = quant_info((enum insn_mode)store->insn->field[FIXPIPE_mode]);
    store->words = &store->scalar;
    if (info->parameter == PARAMETER_VECTOR) {
        return words_read(store);
    }
    if (info->parameter == PARAMETER_SCALAR) {
        store->scalar =
            quant_word_read((uint64_t)store->insn->field[FIXPIPE_deqScalar], QUANT_SCALE_FIXPIPE);
        return word_check(store, &store->scalar, 0);
    }
    return true;
}

/* Bits 32 to 36 of the word count in the modes from int32 to 8 bits, and not on 950. */
static struct quant_rule store_rule(const struct insn *insn, const struct fixpipe_shape *shape,
                                    enum arch arch)
{
    enum insn_mode mode = (enum insn_mode)insn->field[FIXPIPE_mode];
    return (struct quant_rule){
        .source = shape->source,
        .target = shape->target,
        .relu = insn->field[FIXPIPE_reluEn] != 0,
        .saturate = insn->field[FIXPIPE_keepInfNan] == 0,
        .scales = quant_info(mode)->parameter != PARAMETER_NONE,
        .shifts = (mode == MODE_REQ8 || mode == MODE_VREQ8) && arch != ARCH_3510,
        .hybrid = mode == MODE_QF322HIF8_PRE_HYBRID || mode == MODE_VQF322HIF8_PRE_HYBRID,
    };
}

/* Writes elements of 1, 2 or 4 bytes, pitch bytes apart. */
static void codes_write(uint8_t *target, uint64_t pitch, uint32_t size, const uint32_t *codes,
                        size_t count)
{
    for (size_t lane = 0; lane < count; lane++) {
        uint8_t *place = target + lane * pitch;
        if (size == 2) {
            memcpy(place, &codes[lane], 2);
        } else if (size == 1) {
            *place = (uint8_t)codes[lane];
        } else {
            memcpy(place, &codes[lane], 4);
        }
    }
}

/* Stores up to 16 columns that lie in one group on both sides. */
static void span_store(struct store *store, uint64_t column, uint64_t to, const uint8_t *source,
                       size_t count)
{
    const struct fixpipe_shape *shape = &store->shape;
    uint32_t codes[FIXPIPE_GROUP], stored[FIXPIPE_GROUP];
    memcpy(codes, source, count * sizeof codes[0]);
    store->machine->saturated += quant_apply(&store->rule, store->words + column * store->word_step,
                                             store->word_step, codes, count, stored);
    if (store->adds == ELEMENT_COUNT) {
        codes_write(store->target.bytes + to, shape->column, shape->size, stored, count);
        return;
    }
    for (size_t lane = 0; lane < count; lane++) {
        gm_store_add(&store->target, to + lane * shape->column, store->adds, &stored[lane], 1);
    }
}

static void row_store(struct store *store, uint64_t matrix, uint64_t row)
{
    const struct fixpipe_shape *shape = &store->shape;
    for (uint64_t column = 0; column < shape->columns; column += shape->span) {
        uint64_t left = shape->columns - column;
        const uint8_t *from =
            store->source.bytes + fixpipe_from(shape, matrix, row, column) * SOURCE_BYTES;
        span_store(store, column, fixpipe_to(shape, matrix, row, column), from,
                   left < shape->span ? (size_t)left : (size_t)shape->span);
    }
}

/* Reports the first element that was never written, once for the instruction. */
static void source_check(const struct store *store)
{
    const struct fixpipe_shape *shape = &store->shape;
    for (uint64_t matrix = 0; matrix < shape->matrices; matrix++) {
        for (uint64_t row = 0; row < shape->rows; row++) {
            for (uint64_t column = 0; column < shape->columns; column += FIXPIPE_GROUP) {
                uint64_t left = shape->columns - column;
                uint64_t offset = fixpipe_from(shape, matrix, row, column) * SOURCE_BYTES;
                size_t length = (size_t)(left < FIXPIPE_GROUP ? left : FIXPIPE_GROUP);
                uint64_t found = view_unwritten(&store->source, offset, length * SOURCE_BYTES);
                if (found != offset + length * SOURCE_BYTES) {
                    hazard_report_unwritten(store->machine, store->insn, "src", row,
                                            column + (found - offset) / SOURCE_BYTES);
                    return;
                }
            }
        }
    }
}

/* Tells what is read of L0C: a stretch of rows in each group of 16 columns. */
static void source_tell(const struct store *store)
{
    const struct fixpipe_shape *shape = &store->shape;
    bool dense = shape->source_row == FIXPIPE_GROUP;
    uint64_t stretches = dense ? 1 : shape->rows;
    for (uint64_t matrix = 0; matrix < shape->matrices; matrix++) {
        for (uint64_t column = 0; column < shape->columns; column += FIXPIPE_GROUP) {
            uint64_t left = shape->columns - column;
            uint64_t lanes = left < FIXPIPE_GROUP ? left : FIXPIPE_GROUP;
            lanes += dense ? (shape->rows - 1) * FIXPIPE_GROUP : 0;
            for (uint64_t row = 0; row < stretches; row++) {
                view_reads(&store->source, fixpipe_from(shape, matrix, row, column) * SOURCE_BYTES,
                           lanes * SOURCE_BYTES);
            }
        }
    }
}

/* Tells one stretch of the destination and marks it. */
static void stretch_tell(struct store *store, uint64_t offset, uint64_t length)
{
    if (store->adds != ELEMENT_COUNT) {
        view_reads(&store->target, offset, length);
    } else {
        gm_store_mark(store->machine, &store->target, offset, (size_t)length);
    }
    view_writes(&store->target, offset, length);
}

/* Calls visit for what is written: columns of nz2dn, else rows within a group, joined where rows
 * follow each other. */
static void target_visit(struct store *store,
                         void (*visit)(struct store *store, uint64_t offset, uint64_t length))
{
    const struct fixpipe_shape *shape = &store->shape;
    bool by_column = shape->column != shape->size;
    for (uint64_t matrix = 0; matrix < shape->matrices; matrix++) {
        for (uint64_t column = 0; column < shape->columns;) {
            uint64_t left = shape->columns - column;
            uint64_t span = left < shape->group_columns ? left : shape->group_columns;
            uint64_t length = (by_column ? shape->rows : span) * shape->size;
            uint64_t count = by_column ? span : shape->rows;
            uint64_t row = column < shape->tail_from ? shape->row : shape->tail_row;
            uint64_t pitch = by_column ? shape->column : row;
            uint64_t start = fixpipe_to(shape, matrix, 0, column);
            if (pitch == length) {
                visit(store, start, count * length);
            }
            for (uint64_t stretch = 0; pitch != length && stretch < count; stretch++) {
                visit(store, start + stretch * pitch, length);
            }
            column += span;
        }
    }
}

/* Reports the first byte that an addition finds unwritten. */
static void stretch_check(struct store *store, uint64_t offset, uint64_t length)
{
    uint64_t found = view_unwritten(&store->target, offset, (size_t)length);
    if (!store->told && found != offset + length) {
        store->told = true;
        hazard_report(store->machine, HAZARD_UNINITIALIZED, store->insn,
                      "dst has bytes that were never written, first at %" PRIu64, found);
    }
}

void effect_fixpipe(struct machine *machine, const struct insn *insn)
{
    enum arch arch = machine->program->arch;
    struct store store = {.machine = machine, .insn = insn};
    fixpipe_shape(insn, arch, &store.shape);
    store.rule = store_rule(insn, &store.shape, arch);
    store.adds =
        gm_store_adds(operand_space(machine, insn, FIXPIPE_dst), insn->field[FIXPIPE_atomicAdd]);
    if (!check_layout(&store) || !check_parameter(&store) || !check_adds(&store) ||
        fixpipe_is_empty(&store.shape)) {
        return;
    }
    check_blocks(&store);
    if (!store_open(&store) || !parameter_read(&store)) {
        return;
    }
    note_type(&store);
    source_check(&store);
    source_tell(&store);
    machine->adding = store.adds != ELEMENT_COUNT;
    if (machine->adding) {
        target_visit(&store, stretch_check);
    }
    target_visit(&store, stretch_tell);
    for (uint64_t matrix = 0; matrix < store.shape.matrices; matrix++) {
        for (uint64_t row = 0; row < store.shape.rows; row++) {
            row_store(&store, matrix, row);
        }
    }
    machine->adding = false;
}

uint64_t bytes_fixpipe(const struct program *program, const struct insn *insn)
{
    struct fixpipe_shape shape;
    fixpipe_shape(insn, program->arch, &shape);
    return shape.matrices * shape.rows * shape.columns * shape.size;
}
