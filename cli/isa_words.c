#include "cli/isa_words.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"
#include "isa/insn_check.h"
#include "isa/insn_imply.h"
#include "isa/word_list.h"
#include "model/product.h"

enum { TYPES_MAX = 3 /* type, typeB and typeC */, LIST_BYTES = 512 /* of all words of a kind */ };

enum status isa_socs_load(struct arena *arena, struct diag *diag, struct isa_socs *socs)
{
    const char *const *names = NULL;
    size_t count = 0;
    *socs = (struct isa_socs){.count = {0}};
    enum status status = product_list(arena, diag, &names, &count);
    for (int arch = 0; arch < ARCH_COUNT && status == STATUS_OK; arch++) {
        socs->list[arch] = arena_take(arena, count, sizeof *socs->list[arch]);
        status = socs->list[arch] == NULL ? STATUS_NO_MEMORY : STATUS_OK;
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct product product;
        status = product_load(names[i], place_none(), arena, diag, &product);
        if (status == STATUS_OK)
            socs->list[product.arch][socs->count[product.arch]++] =
                (struct isa_soc){product.soc, product.alias};
    }
    return status;
}

/* Appends any text to a list; those of words with bits are isa/word_list.h. */
static const char *list_join(struct arena *arena, const char *list, const char *word)
{
    return text_format(arena, "%s%s%s", list, *list != '\0' ? ", " : "", word);
}

const char *isa_socs_text(struct arena *arena, const struct isa_socs *socs, enum arch arch)
{
    const char *list = "";
    for (size_t i = 0; i < socs->count[arch]; i++) {
        const struct isa_soc *soc = &socs->list[arch][i];
        const char *name =
            *soc->alias == '\0' ? soc->soc : text_format(arena, "%s (%s)", soc->soc, soc->alias);
        list = list_join(arena, list, name);
    }
    return list;
}

const char *isa_arches(struct arena *arena, unsigned arches)
{
    char list[LIST_BYTES] = "";
    bool all = true;
    for (int arch = 0; arch < ARCH_COUNT; arch++)
        all = all && (arches & arch_bit((enum arch)arch)) != 0;
    list_arches(list, sizeof list, ", ", arches);
    return all ? "all" : text_format(arena, "%s", list);
}

const char *isa_spaces(struct arena *arena, unsigned spaces)
{
    char list[LIST_BYTES] = "";
    list_spaces(list, sizeof list, ", ", spaces);
    return text_format(arena, "%s", list);
}

const char *isa_types(struct arena *arena, uint32_t types)
{
    char list[LIST_BYTES] = "";
    list_types(list, sizeof list, ", ", types);
    return text_format(arena, "%s", list);
}

const char *isa_stored(struct arena *arena, const struct quant_info *mode)
{
    return mode->targets == 0 ? "as it is" : isa_types(arena, mode->targets);
}

const char *isa_parameter(const struct quant_info *mode)
{
    static const char *const words[] = {
        [PARAMETER_NONE] = "", [PARAMETER_SCALAR] = "a word", [PARAMETER_VECTOR] = "words"};
    return words[mode->parameter];
}

const char *isa_mode_arches(struct arena *arena, enum opcode opcode, const struct quant_info *mode,
                            const char *(*list)(struct arena *arena, unsigned arches))
{
    const struct insn_info *info = insn_info(opcode);
    const char *arches = list(arena, mode->arches);
    unsigned stores = 0;
    for (size_t i = 0; i < info->path_count; i++)
        stores |= info->paths[i].target == SPACE_L1 ? info->paths[i].arches : 0;
    unsigned to_l1 = mode->arches_l1 & stores;
    if ((mode->arches & stores) == to_l1)
        return arches;
    return text_format(arena, "%s; to l1 %s", arches, to_l1 != 0 ? list(arena, to_l1) : "none");
}

const char *isa_pipes(struct arena *arena, const struct insn_info *info)
{
    const char *list = "";
    unsigned pipes = info->path_count == 0 ? 1U << info->pipe : 0;
    for (size_t i = 0; i < info->path_count; i++)
        pipes |= 1U << info->paths[i].pipe;
    for (int pipe = 0; pipe < PIPE_COUNT; pipe++)
        if ((pipes >> pipe & 1) != 0)
            list = list_join(arena, list, pipe_word((enum pipe)pipe));
    return *list != '\0' ? list : "any";
}

const char *isa_align(struct arena *arena, const struct operand_info *operand)
{
    const char *list = "", *one = "";
    bool same = true;
    uint32_t first = 0;
    for (int space = 0; space < SPACE_COUNT; space++) {
        if ((operand->spaces >> space & 1) == 0)
            continue;
        uint32_t align = operand_align(operand, (enum space)space);
        first = first == 0 ? align : first;
        same = same && align == first;
        one = text_format(arena, "%" PRIu32 " B", first);
        list =
            list_join(arena, list,
                      text_format(arena, "%s %" PRIu32 " B", space_word((enum space)space), align));
    }
    return same ? one : list;
}

bool isa_hole_is_everywhere(const struct insn_info *info, size_t hole)
{
    return (info->arches & ~info->holes[hole].arches) == 0;
}

const char *isa_range(struct arena *arena, enum opcode opcode, size_t field)
{
    const struct insn_info *info = insn_info(opcode);
    const struct field_info *found = &info->fields[field];
    if (found->words != NULL)
        return "word";
    const char *range = text_format(arena, "%" PRId64, found->low);
    if (found->low != found->high)
        range = text_format(arena, "%s..%" PRId64, range, found->high);
    for (size_t i = 0; i < info->hole_count; i++)
        if (info->holes[i].field == field && isa_hole_is_everywhere(info, i))
            range = text_format(arena, "%s but %" PRId64, range, info->holes[i].value);
    return range;
}

/* Whether a field becomes another than its initial value when the given ones are known and every
 * operand is a tensor of a type. */
static bool field_moves(struct insn insn, size_t field, uint32_t given, enum element element)
{
    struct region tensor = {.name = "", .space = SPACE_GM, .element = element};
    const struct program program = {.regions = &tensor, .region_count = 1};
    insn_imply(&program, &insn, given);
    return insn.field[field] != insn_info((enum opcode)insn.opcode)->fields[field].initial;
}

bool isa_implied(enum opcode opcode, size_t field)
{
    const struct insn_info *info = insn_info(opcode);
    struct insn insn;
    insn_init(&insn, opcode);
    for (size_t i = 0; i < INSN_OPERANDS_MAX; i++)
        insn.operand[i].region = 0;
    bool implied = false;
    for (int element = 0; element < ELEMENT_COUNT; element++) {
        implied = implied || field_moves(insn, field, 0, (enum element)element);
        for (size_t key = 0; key < info->field_count && !implied; key++) {
            struct insn written = insn;
            int64_t low = info->fields[key].low, high = info->fields[key].high;
            for (int64_t value = low; value <= high && value < low + ELEMENT_COUNT; value++) {
                written.field[key] = value;
                implied = implied || (key != field && field_moves(written, field, 1U << key,
                                                                  (enum element)element));
            }
        }
    }
    return implied;
}

const char *isa_initial(struct arena *arena, enum opcode opcode, size_t field)
{
    const struct field_info *found = &insn_info(opcode)->fields[field];
    if (found->required)
        return "required";
    if (isa_implied(opcode, field))
        return "implied";
    if (found->words != NULL)
        return found->words[found->initial];
    return text_format(arena, "%" PRId64, found->initial);
}

/* The type of a row, or its types, are told in a list of their own. */
static bool is_type(const struct insn_info *info, size_t field)
{
    return info->product_count > 0 ? field < TYPES_MAX : info->type_count > 0 && field == 0;
}

/* What a field is, with its unit or its words. */
static const char *field_text(struct arena *arena, const struct insn_info *info, size_t field)
{
    const struct field_info *found = &info->fields[field];
    const char *list = "", *words[INSN_WORDS_MAX];
    if (is_type(info, field))
        return text_format(arena, "%s: see types", found->meaning);
    size_t count = found->words != NULL ? insn_field_words(info, field, ARCHES_ANY, words) : 0;
    for (size_t i = 0; i < count; i++)
        list = list_join(arena, list, words[i]);
    for (size_t i = 0; i < info->hole_count; i++)
        if (info->holes[i].field == field && !isa_hole_is_everywhere(info, i))
            list = text_format(arena, "%s (%s not on %s)", list, found->words[info->holes[i].value],
                               isa_arches(arena, info->holes[i].arches));
    if (found->words != NULL)
        return text_format(arena, "%s: %s", found->meaning, list);
    if (*found->unit == '\0')
        return found->meaning;
    return text_format(arena, "%s (%s)", found->meaning, found->unit);
}

const char *isa_meaning(struct arena *arena, enum opcode opcode, size_t field)
{
    const struct insn_info *info = insn_info(opcode);
    const char *text = field_text(arena, info, field);
    for (size_t i = 0; i < info->unless_count; i++)
        if (info->unless[i].field == field)
            text = text_format(arena, "%s; from %" PRId64 " unless %s is %" PRId64, text,
                               info->unless[i].low, info->fields[info->unless[i].other].name,
                               info->unless[i].value);
    for (size_t i = 0; i < info->limit_count; i++)
        if (info->limits[i].field == field)
            text = text_format(arena, "%s; on %s only", text,
                               isa_arches(arena, info->limits[i].arches));
    return text;
}

const char *isa_page(struct arena *arena, const struct insn_info *info)
{
    size_t length = strcspn(info->source, " 0123456789");
    return length == 0 ? "isa.md" : text_format(arena, "%.*s.md", (int)length, info->source);
}

const char *isa_sections(struct arena *arena, const struct insn_info *info)
{
    const char *sections = info->source + strcspn(info->source, "0123456789");
    return text_format(arena, "section%s %s", strchr(sections, ',') != NULL ? "s" : "", sections);
}

const char *isa_usage(struct arena *arena, const struct insn_info *info)
{
    const char *line = info->mnemonic;
    for (size_t i = 0; i < info->operand_count; i++)
        if (info->operands[i].required)
            line = text_format(arena, "%s %s=NAME", line, info->operands[i].name);
    for (size_t i = 0; i < info->field_count; i++)
        if (info->fields[i].required)
            line = text_format(arena, "%s %s=%s", line, info->fields[i].name,
                               info->fields[i].words != NULL ? "WORD" : "N");
    return line;
}

/* The operands and keys that must be written, or those that may be left out, with blanks between.
 */
static const char *keys_text(struct arena *arena, const struct insn_info *info, bool required)
{
    const char *list = "";
    for (size_t i = 0; i < info->operand_count; i++)
        if (info->operands[i].required == required)
            list = text_format(arena, "%s %s", list, info->operands[i].name);
    for (size_t i = 0; i < info->field_count; i++)
        if (info->fields[i].required == required && !info->fields[i].hidden)
            list = text_format(arena, "%s %s", list, info->fields[i].name);
    return *list == ' ' ? list + 1 : list;
}

const char *isa_keys(struct arena *arena, const struct insn_info *info)
{
    const char *required = keys_text(arena, info, true), *optional = keys_text(arena, info, false);
    if (*optional == '\0')
        return required;
    return text_format(arena, "%s%s[%s]", required, *required != '\0' ? " " : "", optional);
}
