#include "isa/insn_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/base/bind.h"
#include "isa/fixpipe.h"
#include "isa/insn_imply.h"
#include "isa/l0c2ub.h"
#include "isa/load3d.h"
#include "isa/word_list.h"

bool problem_set(struct insn_problem *problem, const char *key, const char *format, ...)
{
    va_list arguments;
    problem->key = key;
    va_start(arguments, format);
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool check_arch(const struct program *program, const struct insn_info *info,
                       struct insn_problem *problem)
{
    char list[192] = "";
    if ((info->arches & arch_bit(program->arch)) != 0) {
        return true;
    }
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        char name[48];
        snprintf(name, sizeof name, "%s (%s)", arch_word((enum arch)arch),
                 arch_family((enum arch)arch));
        if ((info->arches & arch_bit((enum arch)arch)) != 0) {
            list_add(list, sizeof list, ", ", name);
        }
    }
    return problem_set(problem, NULL, "found %s on %s (%s); expected a product of %s",
                       info->mnemonic, arch_word(program->arch), arch_family(program->arch), list);
}

bool insn_check_operand(const struct program *program, const struct insn *insn, size_t index,
                        struct insn_problem *problem)
{
    const struct operand_info *operand = &insn_info((enum opcode)insn->opcode)->operands[index];
    const struct region *region = insn_region(program, insn, index);
    char list[96] = "";
    if ((operand->spaces & 1U << region->space) != 0) {
        return true;
    }
    list_spaces(list, sizeof list, ", ", operand->spaces);
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

static bool check_path(const struct program *program, const struct insn *insn,
                       struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    char list[160] = "";
    if (info->path_count == 0 || insn_path(program, insn) != NULL) {
        return true;
    }
    for (size_t index = 0; index < info->path_count; index++) {
        const struct path_info *path = &info->paths[index];
        if ((path->arches & arch_bit(program->arch)) != 0) {
            char word[32];
            snprintf(word, sizeof word, "%s->%s", space_word(path->source),
                     space_word(path->target));
            list_add(list, sizeof list, ", ", word);
        }
    }
    return problem_set(
        problem, info->operands[0].name, "found a move from %s to %s on %s; expected one of %s",
        space_word(insn_region(program, insn, 1)->space),
        space_word(insn_region(program, insn, 0)->space), arch_word(program->arch), list);
}

/* Whether a value is none on all of the given products that have the instruction. */
static bool in_hole(const struct insn_info *info, size_t field, int64_t value, unsigned arches)
{
    unsigned left = info->arches & arches;
    for (size_t index = 0; index < info->hole_count; index++) {
        const struct hole_info *hole = &info->holes[index];
        if (hole->field == field && hole->value == value) {
            left &= ~hole->arches;
        }
    }
    return left == 0;
}

/* The element types that a type field may have on some of the products; all of them where the row
 * does not say. */
static uint32_t field_types(const struct insn_info *info, size_t index, unsigned arches)
{
    uint32_t types = 0;
    for (size_t row = 0; row < info->product_count; row++) {
        const struct product_info *product = &info->products[row];
        const uint32_t sides[] = {product->a, product->b, product->c};
        if ((product->arches & arches) != 0 && index < sizeof sides / sizeof sides[0]) {
            types |= sides[index];
        }
    }
    for (size_t row = 0; row < info->type_count && index == 0; row++) {
        types |= (info->types[row].arches & arches) != 0 ? info->types[row].types : 0;
    }
    return types == 0 ? UINT32_MAX : types;
}

size_t insn_field_words(const struct insn_info *info, size_t index, unsigned arches,
                        const char **words)
{
    const struct field_info *field = &info->fields[index];
    /* Of an instruction that the products lack, all that it may have elsewhere. */
    arches = (info->arches & arches) != 0 ? arches : ARCHES_ANY;
    uint32_t types = field_types(info, index, arches);
    size_t count = 0;
    for (size_t word = 0; word < field->word_count; word++) {
        if (!in_hole(info, index, (int64_t)word, arches) && (types >> word & 1) != 0) {
            words[count++] = field->words[word];
        }
    }
    return count;
}

/* What a field may be on the products, without the values in holes: "0, 2, 3" or its words. */
static const char *list_values(const struct insn_info *info, size_t index, unsigned arches,
                               char *list, size_t size)
{
    const struct field_info *field = &info->fields[index];
    const char *words[INSN_WORDS_MAX];
    if (field->words != NULL) {
        return words_format(words, insn_field_words(info, index, arches, words), list, size);
    }
    list[0] = '\0';
    for (int64_t value = field->low; value <= field->high; value++) {
        char word[24];
        snprintf(word, sizeof word, "%" PRId64, value);
        if (!in_hole(info, index, value, arches)) {
            list_add(list, size, ", ", word);
        }
    }
    return list;
}

bool insn_check_field(const struct insn *insn, size_t index, struct insn_problem *problem)
{
    const struct field_info *field = &insn_info((enum opcode)insn->opcode)->fields[index];
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    int64_t value = insn->field[index];
    char list[WORDS_BYTES];
    bool hole = in_hole(info, index, value, ARCHES_ANY);
    if (value >= field->low && value <= field->high && !hole) {
        return true;
    }
    if (field->low == field->high) {
        return problem_set(problem, field->name, "%s is %" PRId64 "; expected %" PRId64 ": %s",
                           field->name, value, field->low, field->meaning);
    }
    if (hole && field->words != NULL) {
        return problem_set(problem, field->name, "%s is %s; expected %s", field->name,
                           field->words[value],
                           list_values(info, index, ARCHES_ANY, list, sizeof list));
    }
    if (hole) {
        return problem_set(problem, field->name, "%s is %" PRId64 "; expected one of %s",
                           field->name, value,
                           list_values(info, index, ARCHES_ANY, list, sizeof list));
    }
    return problem_set(problem, field->name, "%s is %" PRId64 "; expected %" PRId64 "..%" PRId64,
                       field->name, value, field->low, field->high);
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

/* Words that the product lacks: its pipes are not those of another. */
static bool check_words(const struct program *program, const struct insn *insn,
                        struct insn_problem *problem)
{
    const struct insn_info *info = insn_info((enum opcode)insn->opcode);
    unsigned arches = arch_bit(program->arch);
    for (size_t row = 0; row < info->hole_count; row++) {
        size_t index = info->holes[row].field;
        const struct field_info *field = &info->fields[index];
        char list[WORDS_BYTES];
        if (field->words != NULL && in_hole(info, index, insn->field[index], arches)) {
            return problem_set(problem, field->name, "%s is %s on %s; expected %s", field->name,
                               field->words[insn->field[index]], arch_word(program->arch),
                               list_values(info, index, arches, list, sizeof list));
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
        list_arches(list, sizeof list, ", ", limit->arches);
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
    enum space target = info->operand_count == 0 ? SPACE_GM : insn_region(program, insn, 0)->space;
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
    list_types(list, sizeof list, ", ", allowed);
    return problem_set(problem, info->fields[0].name, "%s takes no %s to %s on %s; expected %s",
                       info->mnemonic, element_word(insn_element(insn)), space_word(target),
                       arch_word(program->arch), allowed == 0 ? "another destination" : list);
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
            list_types(words[side], sizeof words[side], "|", types[side]);
        }
        snprintf(line, sizeof line, "%s x %s -> %s", words[0], words[1], words[2]);
        list_add(list, size, ", ", line);
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
    if ((insn_product_types(program, insn) >> type[2] & 1) != 0) {
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
           check_words(program, insn, problem) && check_unless(insn, problem) &&
           check_packed(insn, problem) && check_limits(program, insn, problem) &&
           check_types(program, insn, problem) && check_products(program, insn, problem) &&
           (insn->opcode != OP_FIXPIPE || fixpipe_check(program, insn, problem)) &&
           (insn->opcode != OP_DATA_COPY_L0C2UB || l0c2ub_check(insn, problem));
}
