#include "isa/insn_check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/status.h"
#include "isa/fixpipe.h"
#include "isa/l0c2ub.h"
#include "isa/load3d.h"

bool problem_set(struct insn_problem *problem, const char *key, const char *format, ...)
{
    va_list arguments;
    problem->key = key;
    va_start(arguments, format);
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    return false;
}

/* Appends a word to a list "a, b, c"; what does not fit is cut. */
static void list_add(char *list, size_t size, const char *word)
{
    size_t length = strlen(list);
    int added = snprintf(list + length, size - length, "%s%s", length == 0 ? "" : ", ", word);
    assert(added >= 0);
}

static const struct region *operand_region(const struct program *program, const struct insn *insn,
                                           size_t index)
{
    uint32_t region = insn->operand[index].region;
    assert(region < program->region_count);
    return &program->regions[region];
}

static void list_arches(char *list, size_t size, unsigned arches)
{
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        if ((arches & arch_bit((enum arch)arch)) != 0) {
            list_add(list, size, arch_word((enum arch)arch));
        }
    }
}

static void list_types(char *list, size_t size, uint32_t types)
{
    for (int element = 0; element < ELEMENT_COUNT; element++) {
        if ((types >> element & 1) != 0) {
            list_add(list, size, element_word((enum element)element));
        }
    }
}

static bool check_arch(const struct program *program, const struct insn_info *info,
                       struct insn_problem *problem)
{
    char list[96] = "";
    if ((info->arches & arch_bit(program->arch)) != 0) {
        return true;
    }
    list_arches(list, sizeof list, info->arches);
    return problem_set(problem, NULL, "found %s on %s; expected a product of %s", info->mnemonic,
                       arch_word(program->arch), list);
}

bool insn_check_operand(const struct program *program, const struct insn *insn, size_t index,
                        struct insn_problem *problem)
{
    const struct operand_info *operand = &insn_info((enum opcode)insn->opcode)->operands[index];
    const struct region *region = operand_region(program, insn, index);
    char list[96] = "";
    if ((operand->spaces & 1U << region->space) != 0) {
        return true;
    }
    for (int space = 0; space < SPACE_COUNT; space++) {
        if ((operand->spaces & 1U << space) != 0) {
            list_add(list, sizeof list, space_word((enum space)space));
        }
    }
    return problem_set(problem, operand->name, "%s '%s' lies in %s; expected %s", operand->name,
                       region->name, space_word(region->space), list);
}

static bool check_spaces(const struct program *program, const struct insn *insn,
                         struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->operand_count; index++) {
        const struct operand_info *operand = &info->operands[index];
        if (insn->operand[index].region == REGION_NONE) {
            if (operand->required) {
                return problem_set(problem, operand->name, "%s is not given; expected %s",
                                   operand->name, operand->meaning);
            }
            continue;
        }
        if (!insn_check_operand(program, insn, index, problem)) {
            return false;
        }
    }
    return true;
}

/* Paths are between the operands dst and src, the first two. */
static const struct path_info *path_find(const struct program *program, const struct insn *insn)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    enum space target = operand_region(program, insn, 0)->space;
    enum space source = operand_region(program, insn, 1)->space;
    for (size_t index = 0; index < info->path_count; index++) {
        const struct path_info *path = &info->paths[index];
        if (path->source == source && path->target == target &&
            (path->arches & arch_bit(program->arch)) != 0) {
            return path;
        }
    }
    return NULL;
}

static bool check_path(const struct program *program, const struct insn *insn,
                       struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    char list[160] = "";
    if (info->path_count == 0 || path_find(program, insn) != NULL) {
        return true;
    }
    for (size_t index = 0; index < info->path_count; index++) {
        const struct path_info *path = &info->paths[index];
        if ((path->arches & arch_bit(program->arch)) != 0) {
            char word[32];
            snprintf(word, sizeof word, "%s->%s", space_word(path->source),
                     space_word(path->target));
            list_add(list, sizeof list, word);
        }
    }
    return problem_set(
        problem, info->operands[0].name, "found a move from %s to %s on %s; expected one of %s",
        space_word(operand_region(program, insn, 1)->space),
        space_word(operand_region(program, insn, 0)->space), arch_word(program->arch), list);
}

static bool in_hole(const struct insn_info *info, size_t field, int64_t value)
{
    for (size_t index = 0; index < info->hole_count; index++) {
        if (info->holes[index].field == field && info->holes[index].value == value) {
            return true;
        }
    }
    return false;
}

bool insn_check_field(const struct insn *insn, size_t index, struct insn_problem *problem)
{
    const struct field_info *field = &insn_info((enum opcode)insn->opcode)->fields[index];
    int64_t value = insn->field[index];
    bool hole = in_hole(insn_info((enum opcode)insn->opcode), index, value);
    if (value >= field->low && value <= field->high && !hole) {
        return true;
    }
    if (field->low == field->high) {
        return problem_set(problem, field->name, "%s is %" PRId64 "; expected %" PRId64 ": %s",
                           field->name, value, field->low, field->meaning);
    }
    if (hole && field->words != NULL) {
        return problem_set(problem, field->name, "%s is %s; expected another word: %s", field->name,
                           field->words[value], field->meaning);
    }
    return problem_set(problem, field->name,
                       "%s is %" PRId64 "; expected %" PRId64 "..%" PRId64 "%s", field->name, value,
                       field->low, field->high, hole ? ", no reserved value" : "");
}

static bool check_ranges(const struct insn *insn, struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->field_count; index++) {
        if (!insn_check_field(insn, index, problem)) {
            return false;
        }
    }
    return true;
}

/* Fields that a switch does not replace. */
static bool check_unless(const struct insn *insn, struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->unless_count; index++) {
        const struct unless_info *unless = &info->unless[index];
        const struct field_info *field = &info->fields[unless->field];
        int64_t value = insn->field[unless->field];
        if (value < unless->low && insn->field[unless->other] != unless->value) {
            return problem_set(
                problem, field->name,
                "%s is %" PRId64 "; expected %" PRId64 "..%" PRId64 ", or %s=%" PRId64, field->name,
                value, unless->low, field->high, info->fields[unless->other].name, unless->value);
        }
    }
    return true;
}

/* Fields that the product lacks. */
static bool check_limits(const struct program *program, const struct insn *insn,
                         struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    for (size_t index = 0; index < info->limit_count; index++) {
        const struct limit_info *limit = &info->limits[index];
        const struct field_info *field = &info->fields[limit->field];
        int64_t value = insn->field[limit->field];
        char list[96] = "";
        if (value == field->initial || (limit->arches & arch_bit(program->arch)) != 0) {
            continue;
        }
        list_arches(list, sizeof list, limit->arches);
        return problem_set(problem, field->name,
                           "%s is %" PRId64 " on %s; expected %" PRId64 ", or a product of %s",
                           field->name, value, arch_word(program->arch), field->initial, list);
    }
    return true;
}

/* The parts of packed words have the ranges of the fields that they stand for. */
static bool check_packed(const struct insn *insn, struct insn_problem *problem)
{
    struct insn parts;
    struct insn_problem part;
    if (insn->opcode != OP_LOAD3DV2PRO) {
        return true;
    }
    load3d_as_v2(insn, &parts);
    if (check_ranges(&parts, &part) && check_unless(&parts, &part)) {
        return true;
    }
    const char *word = load3d_packed_in(part.key);
    return problem_set(problem, word, "%s: %s", word, part.message);
}

static bool check_types(const struct program *program, const struct insn *insn,
                        struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    if (info->type_count == 0) {
        return true;
    }
    /* A register has no operand: its types are those of what it is for. */
    enum space target =
        info->operand_count == 0 ? SPACE_GM : operand_region(program, insn, 0)->space;
    uint32_t allowed = 0;
    for (size_t index = 0; index < info->type_count; index++) {
        const struct types_info *types = &info->types[index];
        if ((types->arches & arch_bit(program->arch)) != 0 &&
            (types->targets & 1U << target) != 0) {
            allowed |= types->types;
        }
    }
    if ((allowed >> insn->field[0] & 1) != 0) {
        return true;
    }
    char list[160] = "";
    list_types(list, sizeof list, allowed);
    return problem_set(problem, info->fields[0].name, "%s takes no %s to %s on %s; expected %s",
                       info->mnemonic, element_word(insn_element(insn)), space_word(target),
                       arch_word(program->arch), allowed == 0 ? "another destination" : list);
}

/* The types of c that a and b allow together; 0 when they do not go together. */
static uint32_t product_types(const struct program *program, const struct insn_info *info,
                              int64_t a, int64_t b)
{
    uint32_t types = 0;
    for (size_t index = 0; index < info->product_count; index++) {
        const struct product_info *product = &info->products[index];
        if ((product->arches & arch_bit(program->arch)) != 0 && (product->a >> a & 1) != 0 &&
            (product->b >> b & 1) != 0) {
            types |= product->c;
        }
    }
    return types;
}

/* "fp16 x fp16 -> fp32" and so on; a choice of types is written with bars. */
static void list_products(char *list, size_t size, const struct program *program,
                          const struct insn_info *info)
{
    for (size_t index = 0; index < info->product_count; index++) {
        const struct product_info *product = &info->products[index];
        const uint32_t types[] = {product->a, product->b, product->c};
        char words[3][64] = {"", "", ""};
        char line[224];
        if ((product->arches & arch_bit(program->arch)) == 0) {
            continue;
        }
        for (size_t side = 0; side < 3; side++) {
            list_types(words[side], sizeof words[side], types[side]);
            for (char *comma = strstr(words[side], ", "); comma != NULL;
                 comma = strstr(comma, ", ")) {
                comma[0] = '|';
                memmove(comma + 1, comma + 2, strlen(comma + 2) + 1);
            }
        }
        snprintf(line, sizeof line, "%s x %s -> %s", words[0], words[1], words[2]);
        list_add(list, size, line);
    }
}

/* type, typeB and typeC, the first three fields. */
static bool check_products(const struct program *program, const struct insn *insn,
                           struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    if (info->product_count == 0) {
        return true;
    }
    const int64_t *type = insn->field;
    if ((product_types(program, info, type[0], type[1]) >> type[2] & 1) != 0) {
        return true;
    }
    char list[224] = "";
    list_products(list, sizeof list, program, info);
    return problem_set(problem, info->fields[0].name, "found %s x %s -> %s on %s; expected %s",
                       element_word((enum element)type[0]), element_word((enum element)type[1]),
                       element_word((enum element)type[2]), arch_word(program->arch), list);
}

bool insn_check(const struct program *program, const struct insn *insn,
                struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    return check_arch(program, info, problem) && check_spaces(program, insn, problem) &&
           check_path(program, insn, problem) && check_ranges(insn, problem) &&
           check_unless(insn, problem) && check_packed(insn, problem) &&
           check_limits(program, insn, problem) && check_types(program, insn, problem) &&
           check_products(program, insn, problem) &&
           (insn->opcode != OP_FIXPIPE || fixpipe_check(program, insn, problem)) &&
           (insn->opcode != OP_DATA_COPY_L0C2UB || l0c2ub_check(insn, problem));
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
    const struct path_info *path = info->path_count == 0 ? NULL : path_find(program, insn);
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
    uint32_t types =
        product_types(program, insn_info(OP_MMAD), insn->field[MMAD_type], insn->field[MMAD_typeB]);
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
