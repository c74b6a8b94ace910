#include "isa/l0c2ub.h"

#include "isa/quant.h"
#include "isa/word_list.h"

static const struct quant_info *scale_info(const struct insn *insn)
{
    return deq_info((enum insn_deq)insn->field[DATA_COPY_L0C2UB_deqScale]);
}

static bool has_type(uint32_t types, enum element element)
{
    return (types >> element & 1) != 0;
}

static enum element first_type(uint32_t types)
{
    enum element element = 0;
    while (!has_type(types, element)) {
        element++;
    }
    return element;
}

/* DEQ_NONE keeps the type, but makes fp16 of fp32 on demand. */
static uint32_t target_types(const struct insn *insn)
{
    uint32_t targets = scale_info(insn)->targets;
    uint32_t half = UINT32_C(1) << ELEMENT_FP16;
    uint32_t same = UINT32_C(1) << insn->field[DATA_COPY_L0C2UB_type];
    return targets != 0 ? targets : insn_element(insn) == ELEMENT_FP32 ? same | half : same;
}

void l0c2ub_imply(struct insn *insn, uint32_t given)
{
    const struct quant_info *info = scale_info(insn);
    if ((given & 1U << DATA_COPY_L0C2UB_type) == 0) {
        bool real = has_type(info->sources, ELEMENT_FP32);
        insn->field[DATA_COPY_L0C2UB_type] = real ? ELEMENT_FP32 : ELEMENT_INT32;
    }
    if ((given & 1U << DATA_COPY_L0C2UB_dstType) == 0) {
        bool is_unsigned = info->parameter == PARAMETER_SCALAR &&
                           (insn->field[DATA_COPY_L0C2UB_deqValue] >> QUANT_WORD_SIGNED & 1) == 0;
        insn->field[DATA_COPY_L0C2UB_dstType] =
            info->targets == 0                                      ? insn_element(insn)
            : is_unsigned && has_type(info->targets, ELEMENT_UINT8) ? ELEMENT_UINT8
                                                                    : first_type(info->targets);
    }
}

bool l0c2ub_check(const struct insn *insn, struct insn_problem *problem)
{
    const struct quant_info *info = scale_info(insn);
    enum element target = (enum element)insn->field[DATA_COPY_L0C2UB_dstType];
    if (!has_type(info->sources, insn_element(insn))) {
        return problem_set(problem, "type", "type is %s; deqScale %s takes int32%s",
                           element_word(insn_element(insn)), info->word,
                           has_type(info->sources, ELEMENT_FP16) ? " or fp16" : "");
    }
    uint32_t targets = target_types(insn);
    if (!has_type(targets, target)) {
        char list[80] = "";
        list_types(list, sizeof list, " or ", targets);
        return problem_set(problem, "dstType", "dstType is %s; deqScale %s makes %s of %s",
                           element_word(target), info->word, list,
                           element_word(insn_element(insn)));
    }
    int64_t mode = insn->field[DATA_COPY_L0C2UB_sidStoreMode];
    return mode == 0 || element_bits(target) == 8 ||
           problem_set(problem, "sidStoreMode", "sidStoreMode is %d with %s; expected 0", (int)mode,
                       element_word(target));
}

uint64_t l0c2ub_row_bytes(const struct insn *insn)
{
    uint32_t size = element_bytes((enum element)insn->field[DATA_COPY_L0C2UB_dstType]);
    bool halves = size == 1 && insn->field[DATA_COPY_L0C2UB_sidStoreMode] != 2;
    return halves ? BLOCK_BYTES : (uint64_t)size * L0C2UB_LANES;
}

uint64_t l0c2ub_source_bytes(const struct insn *insn)
{
    uint64_t fractals = (uint64_t)insn->field[DATA_COPY_L0C2UB_blockCount] *
                        (uint64_t)insn->field[DATA_COPY_L0C2UB_blockLen];
    return fractals * L0C2UB_ROWS * L0C2UB_LANES * element_bytes(insn_element(insn));
}
