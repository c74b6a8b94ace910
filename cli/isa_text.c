#include <string.h>

#include "cli/isa_view.h"
#include "cli/page.h"
#include "cli/text.h"

enum { GAP = 2, COLUMNS_MAX = 4, MEANING_INDENT = 4, KEYS_INDENT = 6, REASON_INDENT = 4 };

/* Rows whose last column is wrapped. */
struct sheet {
    const struct page *page;
    size_t columns;            /* before the last */
    size_t width[COLUMNS_MAX]; /* of these */
};

static void sheet_measure(struct sheet *sheet, const char *const *cells)
{
    for (size_t i = 0; i < sheet->columns; i++) {
        size_t columns = text_columns(cells[i]);
        if (columns > sheet->width[i])
            sheet->width[i] = columns;
    }
}

static void sheet_print(const struct sheet *sheet, const char *const *cells)
{
    struct arena *arena = sheet->page->arena;
    const char *head = "";
    size_t indent = 0;
    for (size_t i = 0; i < sheet->columns; i++) {
        indent += sheet->width[i] + GAP;
        head = text_format(arena, "%s%s%*s", head, cells[i],
                           (int)(sheet->width[i] + GAP - text_columns(cells[i])), "");
    }
    text_print_wrapped(sheet->page->stream, arena, head, indent, cells[sheet->columns],
                       sheet->page->width);
}

/* Prints a block with its head; the cells of row i come from fill, which says false for a row that
 * is left out. */
typedef bool sheet_fill(const void *context, struct arena *arena, size_t row, const char **cells);

static void sheet_block(const struct page *page, const char *const *head, size_t columns,
                        size_t rows, sheet_fill *fill, const void *context)
{
    struct sheet sheet = {.page = page, .columns = columns};
    const char *cells[COLUMNS_MAX + 1];
    bool any = false;
    sheet_measure(&sheet, head);
    for (size_t row = 0; row < rows; row++) {
        if (!fill(context, page->arena, row, cells))
            continue;
        sheet_measure(&sheet, cells);
        any = true;
    }
    if (!any)
        return;
    putchar('\n');
    sheet_print(&sheet, head);
    for (size_t row = 0; row < rows; row++)
        if (fill(context, page->arena, row, cells))
            sheet_print(&sheet, cells);
}

/* "2201 3510" of "dav-2201, dav-3510". */
static const char *short_arches(struct arena *arena, unsigned arches)
{
    const char *list = "";
    for (int arch = 0; arch < ARCH_COUNT; arch++)
        if ((arches & arch_bit((enum arch)arch)) != 0)
            list = text_format(arena, "%s%s%s", list, *list != '\0' ? " " : "",
                               strrchr(arch_word((enum arch)arch), '-') + 1);
    return strcmp(isa_arches(arena, arches), "all") == 0 ? "all" : list;
}

static void insn_cells(struct arena *arena, enum opcode opcode, const char **cells)
{
    const struct insn_info *info = insn_info(opcode);
    cells[0] = info->mnemonic;
    cells[1] = isa_pipes(arena, info);
    cells[2] = short_arches(arena, info->arches);
}

static bool fill_socs(const void *context, struct arena *arena, size_t row, const char **cells)
{
    cells[0] = arch_word((enum arch)row);
    cells[1] = isa_socs_text(arena, context, (enum arch)row);
    return true;
}

static void print_insn_row(const struct page *page, enum opcode opcode)
{
    const struct insn_info *info = insn_info(opcode);
    const char *keys = isa_keys(page->arena, info);
    text_print_wrapped(page->stream, page->arena, "", MEANING_INDENT, info->meaning, page->width);
    if (*keys != '\0')
        text_print_wrapped(page->stream, page->arena, "", KEYS_INDENT, keys, page->width);
}

/* Each instruction with what it does and its keys below it. */
static void print_insns(const struct page *page)
{
    static const char *const head[] = {"mnemonic", "pipe", "dav-"};
    struct sheet sheet = {.page = page, .columns = 2};
    const char *cells[COLUMNS_MAX + 1];
    sheet_measure(&sheet, head);
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        insn_cells(page->arena, (enum opcode)opcode, cells);
        sheet_measure(&sheet, cells);
    }
    putchar('\n');
    sheet_print(&sheet, head);
    for (int opcode = 0; opcode < OP_COUNT; opcode++) {
        insn_cells(page->arena, (enum opcode)opcode, cells);
        sheet_print(&sheet, cells);
        print_insn_row(page, (enum opcode)opcode);
    }
    putchar('\n');
    page_sentence(page, STYLE_PLAIN,
                  "below a mnemonic: what it does, then its operands and keys, in brackets those "
                  "that may be left out");
}

/* Those with one reason together. */
static void print_refused(const struct page *page, const struct refused *refused, size_t count)
{
    puts("\nrefused, and why");
    for (size_t i = 0; i < count;) {
        const char *reason = refused[i].reason, *list = refused[i].mnemonic;
        for (i++; i < count && strcmp(refused[i].reason, reason) == 0; i++)
            list = text_format(page->arena, "%s, %s", list, refused[i].mnemonic);
        text_print_wrapped(page->stream, page->arena, "", 0, list, page->width);
        text_print_wrapped(page->stream, page->arena, "", REASON_INDENT, reason, page->width);
    }
}

void isa_print_table(struct arena *arena, const struct isa_socs *socs)
{
    struct page page = page_stdout(arena);
    size_t count;
    const struct refused *refused = refused_list(&count);
    page_sentence(&page, STYLE_BOLD,
                  text_format(arena, "%d instructions, %zu more refused by name", OP_COUNT, count));
    print_insns(&page);
    print_refused(&page, refused, count);
    sheet_block(&page, (const char *[]){"products", "SoC (alias)"}, 1, ARCH_COUNT, fill_socs, socs);
    puts("\n'cubesim isa MNEMONIC' prints the ranges, units and types of one");
}

static bool fill_operands(const void *context, struct arena *arena, size_t row, const char **cells)
{
    const struct insn_info *info = insn_info(*(const enum opcode *)context);
    const struct operand_info *operand = &info->operands[row];
    cells[0] = operand->name;
    cells[1] = isa_spaces(arena, operand->spaces);
    cells[2] = isa_align(arena, operand);
    cells[3] = operand->required ? operand->meaning
                                 : text_format(arena, "%s; may be left out", operand->meaning);
    return true;
}

static bool fill_keys(const void *context, struct arena *arena, size_t row, const char **cells)
{
    const struct insn_info *info = insn_info(*(const enum opcode *)context);
    const struct field_info *field = &info->fields[row];
    cells[0] = field->name;
    cells[1] = isa_range(arena, *(const enum opcode *)context, row);
    cells[2] = isa_initial(arena, *(const enum opcode *)context, row);
    cells[3] = isa_meaning(arena, *(const enum opcode *)context, row);
    return !field->hidden;
}

static bool fill_registers(const void *context, struct arena *arena, size_t row, const char **cells)
{
    const struct insn_info *info = insn_info(*(const enum opcode *)context);
    cells[0] = info->fields[row].name;
    cells[1] = isa_meaning(arena, *(const enum opcode *)context, row);
    return info->fields[row].hidden;
}

static bool fill_paths(const void *context, struct arena *arena, size_t row, const char **cells)
{
    const struct insn_info *info = insn_info(*(const enum opcode *)context);
    const struct path_info *path = &info->paths[row];
    cells[0] = text_format(arena, "%s -> %s", space_word(path->source), space_word(path->target));
    cells[1] = pipe_word(path->pipe);
    cells[2] = isa_arches(arena, path->arches);
    return true;
}

static bool fill_types(const void *context, struct arena *arena, size_t row, const char **cells)
{
    const struct insn_info *info = insn_info(*(const enum opcode *)context);
    const struct types_info *types = &info->types[row];
    cells[0] = short_arches(arena, types->arches);
    cells[1] = isa_spaces(arena, types->targets);
    cells[2] = isa_types(arena, types->types);
    return true;
}

static bool fill_products(const void *context, struct arena *arena, size_t row, const char **cells)
{
    const struct product_info *product = &insn_info(*(const enum opcode *)context)->products[row];
    cells[0] = short_arches(arena, product->arches);
    cells[1] = isa_types(arena, product->a);
    cells[2] = isa_types(arena, product->b);
    cells[3] = isa_types(arena, product->c);
    return true;
}

static bool fill_conversions(const void *context, struct arena *arena, size_t row,
                             const char **cells)
{
    size_t count;
    const enum opcode opcode = *(const enum opcode *)context;
    const struct quant_info *mode = insn_conversions(opcode, &count) + row;
    cells[0] = mode->word;
    cells[1] = isa_types(arena, mode->sources);
    cells[2] = isa_stored(arena, mode);
    cells[3] = isa_parameter(mode);
    cells[4] = isa_mode_arches(arena, opcode, mode, short_arches);
    return true;
}

void isa_print_insn(struct arena *arena, const struct isa_socs *socs, enum opcode opcode)
{
    const struct insn_info *info = insn_info(opcode);
    struct page page = page_stdout(arena);
    page_sentence(&page, STYLE_BOLD, text_format(arena, "%s: %s", info->mnemonic, info->meaning));
    putchar('\n');
    page_field(&page, "line", isa_usage(arena, info));
    page_field(&page, "pipe", isa_pipes(arena, info));
    page_field(&page, "described",
               text_format(arena, "docs/%s, %s", isa_page(arena, info), isa_sections(arena, info)));
    const char *label = "products";
    for (int arch = 0; arch < ARCH_COUNT; arch++) {
        if ((info->arches & arch_bit((enum arch)arch)) == 0)
            continue;
        page_field(&page, label,
                   text_format(arena, "%s: %s", arch_word((enum arch)arch),
                               isa_socs_text(arena, socs, (enum arch)arch)));
        label = "";
    }
    sheet_block(&page, (const char *[]){"operand", "in", "starts at", "what it is"}, 3,
                info->operand_count, fill_operands, &opcode);
    sheet_block(&page, (const char *[]){"key", "values", "default", "what it is"}, 3,
                info->field_count, fill_keys, &opcode);
    sheet_block(&page, (const char *[]){"register", "what it is"}, 1, info->field_count,
                fill_registers, &opcode);
    sheet_block(&page, (const char *[]){"path", "pipe", "products"}, 2, info->path_count,
                fill_paths, &opcode);
    sheet_block(&page, (const char *[]){"dav-", "to", "types"}, 2, info->type_count, fill_types,
                &opcode);
    sheet_block(&page, (const char *[]){"dav-", "type", "typeB", "typeC"}, 3, info->product_count,
                fill_products, &opcode);
    size_t count;
    insn_conversions(opcode, &count);
    sheet_block(&page, (const char *[]){"conversion", "l0c", "stored", "takes", "dav-"}, 4, count,
                fill_conversions, &opcode);
}

void isa_print_refused(struct arena *arena, const struct refused *refused)
{
    struct page page = page_stdout(arena);
    page_sentence(&page, STYLE_BOLD,
                  text_format(arena, "%s is not modelled: %s", refused->mnemonic, refused->reason));
}
