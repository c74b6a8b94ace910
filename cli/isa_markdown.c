#include <ctype.h>
#include <string.h>

#include "cli/isa_view.h"
#include "cli/text.h"

/* Text in a cell of a table: a bar would end it. */
static const char *cell(struct arena *arena, const char *text)
{
    char *copy = arena_take(arena, 2 * strlen(text) + 1, 1);
    size_t length = 0;
    text_need(copy);
    for (; *text != '\0'; text++) {
        if (*text == '|')
            copy[length++] = '\\';
        copy[length++] = *text;
    }
    return copy;
}

static void print_operands(struct arena *arena, const struct insn_info *info)
{
    if (info->operand_count == 0)
        return;
    puts("\n| operand | in | starts at | what it is |\n|---|---|---|---|");
    for (size_t i = 0; i < info->operand_count; i++) {
        const struct operand_info *operand = &info->operands[i];
        printf("| `%s` | %s | %s | %s%s |\n", operand->name, isa_spaces(arena, operand->spaces),
               isa_align(arena, operand), cell(arena, operand->meaning),
               operand->required ? "" : "; may be left out");
    }
}

static void print_keys(struct arena *arena, enum opcode opcode)
{
    const struct insn_info *info = insn_info(opcode);
    bool any = false;
    for (size_t i = 0; i < info->field_count; i++) {
        const struct field_info *field = &info->fields[i];
        if (field->hidden)
            continue;
        if (!any)
            puts("\n| key | values | default | what it is |\n|---|---|---|---|");
        any = true;
        printf("| `%s` | %s | %s | %s |\n", field->name, isa_range(arena, opcode, i),
               isa_initial(arena, opcode, i), cell(arena, isa_meaning(arena, opcode, i)));
    }
}

static void print_registers(struct arena *arena, enum opcode opcode)
{
    const struct insn_info *info = insn_info(opcode);
    const char *lead = "\nRegisters:";
    for (size_t i = 0; i < info->field_count; i++) {
        if (!info->fields[i].hidden)
            continue;
        printf("%s `%s` %s", lead, info->fields[i].name, isa_meaning(arena, opcode, i));
        lead = ";";
    }
    if (*lead == ';')
        puts(".");
}

static void print_paths(struct arena *arena, const struct insn_info *info)
{
    if (info->path_count == 0)
        return;
    puts("\n| path | pipe | products |\n|---|---|---|");
    for (size_t i = 0; i < info->path_count; i++)
        printf("| %s to %s | %s | %s |\n", space_word(info->paths[i].source),
               space_word(info->paths[i].target), pipe_word(info->paths[i].pipe),
               isa_arches(arena, info->paths[i].arches));
}

static void print_types(struct arena *arena, const struct insn_info *info)
{
    if (info->type_count == 0)
        return;
    puts("\n| products | to | types |\n|---|---|---|");
    for (size_t i = 0; i < info->type_count; i++)
        printf("| %s | %s | %s |\n", isa_arches(arena, info->types[i].arches),
               isa_spaces(arena, info->types[i].targets), isa_types(arena, info->types[i].types));
}

static void print_products(struct arena *arena, const struct insn_info *info)
{
    if (info->product_count == 0)
        return;
    puts("\n| products | type | typeB | typeC |\n|---|---|---|---|");
    for (size_t i = 0; i < info->product_count; i++)
        printf("| %s | %s | %s | %s |\n", isa_arches(arena, info->products[i].arches),
               isa_types(arena, info->products[i].a), isa_types(arena, info->products[i].b),
               isa_types(arena, info->products[i].c));
}

static void print_conversions(struct arena *arena, enum opcode opcode)
{
    size_t count;
    const struct quant_info *modes = insn_conversions(opcode, &count);
    if (count == 0)
        return;
    puts("\n| conversion | l0c | stored | takes | products |\n|---|---|---|---|---|");
    for (size_t i = 0; i < count; i++)
        printf("| `%s` | %s | %s | %s | %s |\n", modes[i].word, isa_types(arena, modes[i].sources),
               isa_stored(arena, &modes[i]), isa_parameter(&modes[i]),
               isa_mode_arches(arena, opcode, &modes[i], isa_arches));
}

void isa_print_insn_markdown(struct arena *arena, enum opcode opcode)
{
    const struct insn_info *info = insn_info(opcode);
    printf("## %s\n\n", info->mnemonic);
    printf("%c%s. Pipe: %s. Products: %s. Described in [%s](%s), %s.\n\n    %s\n",
           toupper((unsigned char)info->meaning[0]), info->meaning + 1, isa_pipes(arena, info),
           isa_arches(arena, info->arches), isa_page(arena, info), isa_page(arena, info),
           isa_sections(arena, info), isa_usage(arena, info));
    print_operands(arena, info);
    print_keys(arena, opcode);
    print_registers(arena, opcode);
    print_paths(arena, info);
    print_types(arena, info);
    print_products(arena, info);
    print_conversions(arena, opcode);
}

static void print_refused(void)
{
    size_t count;
    const struct refused *refused = refused_list(&count);
    puts("\n## Refused by name\n\n| mnemonic | why |\n|---|---|");
    for (size_t i = 0; i < count; i++)
        printf("| `%s` | %s |\n", refused[i].mnemonic, refused[i].reason);
}

void isa_print_markdown(struct arena *arena, const struct isa_socs *socs)
{
    puts("# Instructions\n\n"
         "This is what `cubesim isa --markdown` prints; `scripts/instructions.py` renews it. "
         "[isa.md](isa.md) says\nwhat the instructions do to bytes, [program.md](program.md) how a "
         "program is written.\n\n"
         "An operand is the name of a region, or NAME+bytes; its address is a multiple of what "
         "stands under\n*starts at*. A key that is not required may be left out; one that is "
         "*implied* then follows from the\nother keys and from the tensors that the instruction "
         "names. *Registers* are set by other instructions.\n\n"
         "| architecture | products |\n|---|---|");
    for (int arch = 0; arch < ARCH_COUNT; arch++)
        printf("| %s | %s |\n", arch_word((enum arch)arch),
               isa_socs_text(arena, socs, (enum arch)arch));
    puts("\n| mnemonic | pipe | products | what it does |\n|---|---|---|---|");
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        const struct insn_info *info = insn_info((enum opcode)opcode);
        printf("| [%s](#%s) | %s | %s | %s |\n", info->mnemonic, info->mnemonic,
               isa_pipes(arena, info), isa_arches(arena, info->arches), cell(arena, info->meaning));
    }
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        putchar('\n');
        isa_print_insn_markdown(arena, (enum opcode)opcode);
    }
    print_refused();
}
