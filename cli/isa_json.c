#include "cli/isa_view.h"
#include "cli/json.h"

static json_t *arches_json(unsigned arches)
{
    json_t *list = json_array();
    for (int arch = 0; arch < ARCH_COUNT; arch++)
        if ((arches & arch_bit((enum arch)arch)) != 0)
            json_add(list, json_words(arch_word((enum arch)arch)));
    return list;
}

static json_t *spaces_json(unsigned spaces)
{
    json_t *list = json_array();
    for (int space = 0; space < SPACE_COUNT; space++)
        if ((spaces >> space & 1) != 0)
            json_add(list, json_words(space_word((enum space)space)));
    return list;
}

static json_t *products_json(const struct isa_socs *socs, unsigned arches)
{
    json_t *list = json_array();
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        for (size_t i = 0; i < socs->count[arch] && (arches & arch_bit((enum arch)arch)) != 0;
             i++) {
            json_t *map = json_object();
            json_put(map, "soc", json_words(socs->list[arch][i].soc));
            const struct isa_soc *soc = &socs->list[arch][i];
            json_put(map, "alias", json_words(*soc->alias != '\0' ? soc->alias : soc->soc));
            json_put(map, "arch", json_words(arch_word((enum arch)arch)));
            json_add(list, map);
        }
    }
    return list;
}

static json_t *operands_json(const struct insn_info *info)
{
    json_t *list = json_array();
    for (size_t i = 0; i < info->operand_count; i++) {
        const struct operand_info *operand = &info->operands[i];
        json_t *map = json_object();
        json_put(map, "name", json_words(operand->name));
        json_put(map, "spaces", spaces_json(operand->spaces));
        json_t *aligns = json_object();
        for (int space = 0; space < SPACE_COUNT; space++)
            if ((operand->spaces >> space & 1) != 0)
                json_put(aligns, space_word((enum space)space),
                         json_whole(operand_align(operand, (enum space)space)));
        json_put(map, "align_bytes", aligns);
        json_put(map, "required", json_boolean(operand->required));
        json_put(map, "meaning", json_words(operand->meaning));
        json_add(list, map);
    }
    return list;
}

static json_t *elements_json(uint32_t types)
{
    json_t *list = json_array();
    for (int element = 0; element < ELEMENT_COUNT; element++)
        if ((types >> element & 1) != 0)
            json_add(list, json_words(element_word((enum element)element)));
    return list;
}

/* Values inside its range that a field cannot have, products that have it, and what may replace it.
 */
static void put_limits(json_t *map, const struct insn_info *info, size_t index)
{
    json_t *holes = json_array();
    unsigned arches = info->arches;
    for (size_t i = 0; i < info->hole_count; i++)
        if (info->holes[i].field == index && isa_hole_is_everywhere(info, i))
            json_add(holes, json_integer(info->holes[i].value));
    for (size_t i = 0; i < info->limit_count; i++)
        if (info->limits[i].field == index)
            arches &= info->limits[i].arches;
    json_put(map, "holes", holes);
    json_put(map, "architectures", arches_json(arches));
    for (size_t i = 0; i < info->unless_count; i++) {
        if (info->unless[i].field != index)
            continue;
        json_put(map, "low_unless", json_integer(info->unless[i].low));
        json_put(map, "unless", json_words(info->fields[info->unless[i].other].name));
        json_put(map, "unless_value", json_integer(info->unless[i].value));
    }
}

static json_t *field_json(enum opcode opcode, size_t index)
{
    const struct field_info *field = &insn_info(opcode)->fields[index];
    json_t *map = json_object();
    json_put(map, "name", json_words(field->name));
    if (field->words != NULL) {
        json_t *words = json_array();
        for (size_t i = 0; i < field->word_count; i++)
            json_add(words, json_words(field->words[i]));
        json_put(map, "words", words);
        if (!field->required)
            json_put(map, "default", json_words(field->words[field->initial]));
    } else {
        json_put(map, "low", json_integer(field->low));
        json_put(map, "high", json_integer(field->high));
        if (!field->required)
            json_put(map, "default", json_integer(field->initial));
        json_put(map, "unit", json_words(field->unit));
    }
    put_limits(map, insn_info(opcode), index);
    json_put(map, "required", json_boolean(field->required));
    json_put(map, "implied", json_boolean(isa_implied(opcode, index)));
    json_put(map, "register", json_boolean(field->hidden));
    json_put(map, "meaning", json_words(field->meaning));
    return map;
}

static json_t *paths_json(const struct insn_info *info)
{
    json_t *list = json_array();
    for (size_t i = 0; i < info->path_count; i++) {
        json_t *map = json_object();
        json_put(map, "source", json_words(space_word(info->paths[i].source)));
        json_put(map, "target", json_words(space_word(info->paths[i].target)));
        json_put(map, "pipe", json_words(pipe_word(info->paths[i].pipe)));
        json_put(map, "architectures", arches_json(info->paths[i].arches));
        json_add(list, map);
    }
    return list;
}

static json_t *types_json(const struct insn_info *info)
{
    json_t *list = json_array();
    for (size_t i = 0; i < info->type_count; i++) {
        const struct types_info *types = &info->types[i];
        json_t *map = json_object();
        json_put(map, "architectures", arches_json(types->arches));
        json_put(map, "targets", spaces_json(types->targets));
        json_put(map, "types", elements_json(types->types));
        json_add(list, map);
    }
    return list;
}

static json_t *combinations_json(const struct insn_info *info)
{
    json_t *list = json_array();
    for (size_t i = 0; i < info->product_count; i++) {
        json_t *map = json_object();
        json_put(map, "architectures", arches_json(info->products[i].arches));
        json_put(map, "type", elements_json(info->products[i].a));
        json_put(map, "typeB", elements_json(info->products[i].b));
        json_put(map, "typeC", elements_json(info->products[i].c));
        json_add(list, map);
    }
    return list;
}

static json_t *conversions_json(enum opcode opcode)
{
    size_t count;
    const struct quant_info *modes = insn_conversions(opcode, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *map = json_object();
        json_put(map, "word", json_words(modes[i].word));
        json_put(map, "types", elements_json(modes[i].sources));
        uint32_t stored = modes[i].targets != 0 ? modes[i].targets : modes[i].sources;
        json_put(map, "stored", elements_json(stored));
        json_put(map, "takes", json_words(isa_parameter(&modes[i])));
        json_put(map, "architectures", arches_json(modes[i].arches));
        json_put(map, "architectures_l1", arches_json(modes[i].arches_l1));
        json_add(list, map);
    }
    return list;
}

static json_t *insn_json(struct arena *arena, const struct isa_socs *socs, enum opcode opcode)
{
    const struct insn_info *info = insn_info(opcode);
    json_t *map = json_object(), *fields = json_array();
    for (size_t i = 0; i < info->field_count; i++)
        json_add(fields, field_json(opcode, i));
    json_put(map, "mnemonic", json_words(info->mnemonic));
    json_put(map, "modelled", json_true());
    json_put(map, "meaning", json_words(info->meaning));
    json_put(map, "pipe", json_words(isa_pipes(arena, info)));
    json_put(map, "source", json_words(info->source));
    json_put(map, "architectures", arches_json(info->arches));
    json_put(map, "products", products_json(socs, info->arches));
    json_put(map, "operands", operands_json(info));
    json_put(map, "fields", fields);
    json_put(map, "paths", paths_json(info));
    json_put(map, "types", types_json(info));
    json_put(map, "combinations", combinations_json(info));
    json_put(map, "conversions", conversions_json(opcode));
    return map;
}

static json_t *refused_json(const struct refused *refused)
{
    json_t *map = json_object();
    json_put(map, "mnemonic", json_words(refused->mnemonic));
    json_put(map, "modelled", json_false());
    json_put(map, "reason", json_words(refused->reason));
    return map;
}

void isa_print_table_json(struct arena *arena, const struct isa_socs *socs)
{
    size_t count;
    const struct refused *refused = refused_list(&count);
    json_t *root = json_object(), *insns = json_array(), *others = json_array();
    for (int opcode = 0; opcode < OP_COUNT; opcode++)
        json_add(insns, insn_json(arena, socs, (enum opcode)opcode));
    for (size_t i = 0; i < count; i++)
        json_add(others, refused_json(&refused[i]));
    json_put(root, "instructions", insns);
    json_put(root, "refused", others);
    json_print(root);
}

void isa_print_insn_json(struct arena *arena, const struct isa_socs *socs, enum opcode opcode)
{
    json_print(insn_json(arena, socs, opcode));
}

void isa_print_refused_json(const struct refused *refused)
{
    json_print(refused_json(refused));
}
