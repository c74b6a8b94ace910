#include "isa/fixpipe.h"

#include <inttypes.h>

#include "isa/quant.h"
#include "isa/word_list.h"

/* The element type that is stored: that of the mode, or that of L0C. The 8-bit modes store what the
 * sign bit of the word says; a vector of words may mix signs and counts as int8. */
static enum element target_of(const struct insn *insn)
{
    const struct quant_info *info = quant_info((enum insn_mode)insn->field[FIXPIPE_mode]);
    if (info->targets == 0) {
        return insn_element(insn);
    }
    bool is_unsigned = info->parameter == PARAMETER_SCALAR &&
                       (insn->field[FIXPIPE_deqScalar] >> QUANT_WORD_SIGNED & 1) == 0;
    if ((info->targets >> ELEMENT_INT8 & 1) != 0) {
        return is_unsigned ? ELEMENT_UINT8 : ELEMENT_INT8;
    }
    enum element element = 0;
    while ((info->targets >> element & 1) == 0) {
        element++;
    }
    return element;
}

/* Column groups. Those of 8-bit types are pairs of groups of L0C; an odd last one stays alone. */
static void shape_nz(struct fixpipe_shape *shape, const struct insn *insn, enum arch arch)
{
    uint64_t stride = (uint64_t)insn->field[FIXPIPE_dstStride];
    shape->span = insn->field[FIXPIPE_channelSplit] != 0 ? FIXPIPE_GROUP / 2 : FIXPIPE_GROUP;
    shape->group_columns = shape->size == 1 ? 2 * FIXPIPE_GROUP : shape->span;
    shape->group = stride * (arch == ARCH_3510 ? shape->size : BLOCK_BYTES);
    shape->row = shape->group_columns * shape->size;
    shape->column = shape->size;
    if (shape->size == 1 && shape->columns % shape->group_columns == FIXPIPE_GROUP) {
        shape->tail_from = shape->columns - FIXPIPE_GROUP;
        shape->tail_row = FIXPIPE_GROUP;
    }
}

/* Rows that follow each other; matrices of whole fractals on A2, A3 and 310B, of rows on 950. */
static void shape_nd(struct fixpipe_shape *shape, const struct insn *insn, enum arch arch)
{
    const int64_t *field = insn->field;
    uint64_t unit = arch == ARCH_3510 ? FIXPIPE_GROUP : FIXPIPE_GROUP * FIXPIPE_GROUP;
    shape->matrices = (uint64_t)field[FIXPIPE_ndNum];
    shape->source_matrix = (uint64_t)field[FIXPIPE_srcNdStride] * unit;
    shape->matrix = (uint64_t)field[FIXPIPE_dstNdStride] * shape->size;
    shape->row = (uint64_t)field[FIXPIPE_dstStride] * shape->size;
    shape->column = shape->size;
}

static void shape_dn(struct fixpipe_shape *shape, const struct insn *insn)
{
    const int64_t *field = insn->field;
    shape->matrices = (uint64_t)field[FIXPIPE_dnNum];
    shape->source_matrix = (uint64_t)field[FIXPIPE_srcNzMatrixStride] * FIXPIPE_GROUP;
    shape->source_row = (uint64_t)field[FIXPIPE_srcNzC0Stride] * FIXPIPE_GROUP;
    shape->matrix = (uint64_t)field[FIXPIPE_dstDnMatrixStride] * shape->size;
    shape->row = shape->size;
    shape->column = (uint64_t)field[FIXPIPE_dstStride] * shape->size;
}

void fixpipe_shape(const struct insn *insn, enum arch arch, struct fixpipe_shape *shape)
{
    uint64_t columns = (uint64_t)insn->field[FIXPIPE_nSize];
    *shape = (struct fixpipe_shape){
        .matrices = 1,
        .rows = (uint64_t)insn->field[FIXPIPE_mSize],
        .columns = columns,
        .source_group = (uint64_t)insn->field[FIXPIPE_srcStride] * FIXPIPE_GROUP,
        .source_row = FIXPIPE_GROUP,
        .group_columns = columns != 0 ? columns : 1,
        .tail_from = UINT64_MAX,
        .span = FIXPIPE_GROUP,
        .source = insn_element(insn),
        .target = target_of(insn),
    };
    shape->size = element_bytes(shape->target);
    switch ((enum insn_layout)insn->field[FIXPIPE_layout]) {
    case LAYOUT_NZ:
        shape_nz(shape, insn, arch);
        break;
    case LAYOUT_NZ2ND:
        shape_nd(shape, insn, arch);
        break;
    case LAYOUT_NZ2DN:
        shape_dn(shape, insn);
        break;
    }
}

static bool check_mode(const struct program *program, const struct insn *insn, enum space target,
                       struct insn_problem *problem)
{
    const struct quant_info *info = quant_info((enum insn_mode)insn->field[FIXPIPE_mode]);
    unsigned arches = target == SPACE_L1 ? info->arches_l1 : info->arches;
    if ((arches & arch_bit(program->arch)) != 0) {
        return (info->sources >> insn->field[FIXPIPE_type] & 1) != 0 ||
               problem_set(problem, "type", "type is %s; mode %s takes %s",
                           element_word(insn_element(insn)), info->word,
                           (info->sources >> ELEMENT_FP32 & 1) != 0 ? "fp32" : "int32");
    }
    char list[240] = "";
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const struct quant_info *other = quant_info((enum insn_mode)mode);
        if (((target == SPACE_L1 ? other->arches_l1 : other->arches) & arch_bit(program->arch)) !=
            0) {
            list_add(list, sizeof list, ", ", other->word);
        }
    }
    return problem_set(problem, "mode", "mode is %s to %s on %s; expected one of %s", info->word,
                       space_word(target), arch_word(program->arch), list);
}

static bool check_layout(const struct program *program, const struct insn *insn, enum space target,
                         struct insn_problem *problem)
{
    const struct field_info *field = &insn_info(OP_FIXPIPE)->fields[FIXPIPE_layout];
    int64_t layout = insn->field[FIXPIPE_layout];
    bool nz_only = program->arch == ARCH_2201 && target == SPACE_L1;
    bool allowed =
        program->arch == ARCH_3510 || layout == LAYOUT_NZ || (layout == LAYOUT_NZ2ND && !nz_only);
    return allowed || problem_set(problem, field->name, "layout is %s to %s on %s; expected nz%s",
                                  field->words[layout], space_word(target),
                                  arch_word(program->arch), nz_only ? "" : " or nz2nd");
}

/* Ranges of the structures of A2, A3 and 310B where that of 950 has larger ones. */
static bool check_sizes(const struct insn *insn, struct insn_problem *problem)
{
    static const struct {
        size_t field;
        int64_t high;
    } limits[] = {{FIXPIPE_mSize, 8192}, {FIXPIPE_srcNdStride, 512}, {FIXPIPE_dstNdStride, 65535}};
    for (size_t index = 0; index < sizeof limits / sizeof limits[0]; index++) {
        const struct field_info *field = &insn_info(OP_FIXPIPE)->fields[limits[index].field];
        int64_t value = insn->field[limits[index].field];
        if (value > limits[index].high) {
            return problem_set(problem, field->name,
                               "%s is %" PRId64 " with layout nz2nd; expected at most %" PRId64,
                               field->name, value, limits[index].high);
        }
    }
    return true;
}

bool fixpipe_check(const struct program *program, const struct insn *insn,
                   struct insn_problem *problem)
{
    enum space target = program->regions[insn->operand[FIXPIPE_dst].region].space;
    bool small = program->arch != ARCH_3510 && insn->field[FIXPIPE_layout] == LAYOUT_NZ2ND;
    return check_mode(program, insn, target, problem) &&
           check_layout(program, insn, target, problem) && (!small || check_sizes(insn, problem));
}
