#include "isa/insn_imply.h"

#include <assert.h>

#include "isa/l0c2ub.h"

const struct region *insn_region(const struct program *program, const struct insn *insn,
                                 size_t index)
{
    uint32_t region = insn->operand[index].region;
    assert(region < program->region_count);
    return &program->regions[region];
}

const struct path_info *insn_path(const struct program *program, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    enum space target = insn_region(program, insn, 0)->space;
    enum space source = insn_region(program, insn, 1)->space;
    for (size_t index = 0; index < info->path_count; index++) {
        const struct path_info *path = &info->paths[index];
        if (path->source == source && path->target == target &&
            (path->arches & arch_bit(program->arch)) != 0) {
            return path;
        }
    }
    return NULL;
}

uint32_t insn_product_types(const struct program *program, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    uint32_t types = 0;
    for (size_t index = 0; index < info->product_count; index++) {
        const struct product_info *product = &info->products[index];
        if ((product->arches & arch_bit(program->arch)) != 0 &&
            (product->a >> insn->field[0] & 1) != 0 && (product->b >> insn->field[1] & 1) != 0) {
            types |= product->c;
        }
    }
    return types;
}

enum pipe insn_pipe(const struct program *program, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    switch (insn->opcode) {
    case OP_SET_FLAG:
        return (enum pipe)insn->field[SET_FLAG_src];
    case OP_WAIT_FLAG:
        return (enum pipe)insn->field[WAIT_FLAG_dst];
    case OP_PIPE_BARRIER:
        return (enum pipe)insn->field[PIPE_BARRIER_pipe];
    case OP_MUTEX_LOCK:
        return (enum pipe)insn->field[MUTEX_LOCK_pipe];
    case OP_MUTEX_UNLOCK:
        return (enum pipe)insn->field[MUTEX_UNLOCK_pipe];
    default:
        break;
    }
    const struct path_info *path = info->path_count == 0 ? NULL : insn_path(program, insn);
    return path == NULL ? info->pipe : path->pipe;
}

/* The element type of a GM tensor that an operand names, or fallback. */
static enum element operand_type(const struct program *program, const struct operand *operand,
                                 enum element fallback)
{
    if (operand->region >= program->region_count ||
        program->regions[operand->region].space != SPACE_GM) {
        return fallback;
    }
    return program->regions[operand->region].element;
}

/* What the cube accumulates in: 32 bits where there is a choice. */
static enum element accumulator_of(const struct program *program, const struct insn *insn)
{
    enum element usual = element_is_integer(insn_element(insn)) ? ELEMENT_INT32 : ELEMENT_FP32;
    uint32_t types = insn_product_types(program, insn);
    return types == UINT32_C(1) << ELEMENT_UINT32 ? ELEMENT_UINT32 : usual;
}

/* A bias starts C where nothing else is said. */
static void imply_start(struct insn *insn, uint32_t given)
{
    bool bias = insn->operand[MMAD_bias].region != REGION_NONE;
    if ((given & 1U << MMAD_cmatrixInitVal) == 0 && bias) {
        insn->field[MMAD_cmatrixInitVal] = 0;
    }
    if ((given & 1U << MMAD_cmatrixSource) == 0 && bias) {
        insn->field[MMAD_cmatrixSource] = 1;
    }
}

/* What a conversion expects in L0C; of two types that of the tensor. */
static enum element fixpipe_source(const struct program *program, const struct insn *insn)
{
    uint32_t sources = quant_info((enum insn_mode)insn->field[FIXPIPE_mode])->sources;
    if ((sources >> ELEMENT_FP32 & 1) == 0) {
        return ELEMENT_INT32;
    }
    bool integer =
        (sources >> ELEMENT_INT32 & 1) != 0 &&
        operand_type(program, &insn->operand[FIXPIPE_dst], ELEMENT_FP32) == ELEMENT_INT32;
    return integer ? ELEMENT_INT32 : ELEMENT_FP32;
}

/* A copy out of a GM tensor has the element type of the tensor. */
static void imply_type(const struct program *program, struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 1; index < info->operand_count && info->type_count != 0; index++) {
        if ((info->operands[index].spaces & 1U << SPACE_GM) != 0) {
            insn->field[0] = operand_type(program, &insn->operand[index], insn_element(insn));
        }
    }
}

static void imply_switches(struct insn *insn, uint32_t given)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->implied_count; index++) {
        const struct implied_info *implied = &info->implied[index];
        bool written = false;
        for (size_t field = implied->first; field <= implied->last; field++) {
            written = written || (given & UINT32_C(1) << field) != 0;
        }
        if ((given & UINT32_C(1) << implied->field) == 0) {
            insn->field[implied->field] = written;
        }
    }
}

void insn_imply(const struct program *program, struct insn *insn, uint32_t given)
{
    if ((given & 1) == 0) {
        imply_type(program, insn);
    }
    imply_switches(insn, given);
    switch (insn->opcode) {
    case OP_MMAD:
        if ((given & 1U << MMAD_typeB) == 0) {
            insn->field[MMAD_typeB] = insn->field[MMAD_type];
        }
        if ((given & 1U << MMAD_typeC) == 0) {
            insn->field[MMAD_typeC] = accumulator_of(program, insn);
        }
        imply_start(insn, given);
        break;
    case OP_FIXPIPE:
        if ((given & 1U << FIXPIPE_type) == 0) {
            insn->field[FIXPIPE_type] = fixpipe_source(program, insn);
        }
        break;
    case OP_DATA_COPY_L0C2UB:
        l0c2ub_imply(insn, given);
        break;
    default:
        break;
    }
}
