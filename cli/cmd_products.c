#include <string.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/page.h"
#include "cli/plan_case.h"
#include "cli/problems.h"
#include "cli/text.h"

static const struct argp_option products_rows[] = {OPTION_ROW_JSON, OPTION_ROW_HELP, {0}};

static const struct argp products_argp = {
    .options = products_rows,
    .parser = options_parse_common,
    .args_doc = "[NAME]",
    .doc = "Lists the known products, or every number of one (a SoC, an alias or a product file) "
           "with its basis and source.\v"
           "The basis says how firm a number is: vendor, measured, fitted or guess.",
};

struct listing {
    struct arena arena;
    struct diag diag;
    const char *command; /* as messages call it */
    bool json;
};

/* As it is written in product files. */
static json_t *quantity_json(int64_t value, enum unit unit)
{
    char buffer[64];
    return json_words(quantity_format(value, unit, buffer, sizeof buffer));
}

static double number_real(int64_t value)
{
    return (double)value / (double)QUANTITY_ONE;
}

/* ---- all products ---- */

static json_t *summary_json(const struct product *product)
{
    json_t *map = json_object();
    json_put(map, "soc", json_words(product->soc));
    json_put(map, "alias", json_words(product->alias));
    json_put(map, "name", json_words(product->name));
    json_put(map, "arch", json_words(arch_word(product->arch)));
    json_put(map, "cores", json_whole(product_whole(product, PRODUCT_CHIP_CORES)));
    json_put(map, "clock_mhz",
             json_number(number_real(product_value(product, PRODUCT_CHIP_CLOCK))));
    json_put(map, "note", json_words(product->note));
    return map;
}

/* "Atlas A2" of "Ascend 910B1, Atlas A2": the SoC has a column of its own. "Ascend 950" of "Ascend
 * 950PR, 32 cores", which has no name of that kind. */
static const char *family_text(struct arena *arena, const struct product *product)
{
    const char *comma = strstr(product->name, ", ");
    if (comma != NULL && (comma[2] < '0' || comma[2] > '9'))
        return comma + 2;
    size_t length = comma != NULL ? (size_t)(comma - product->name) : strlen(product->name);
    while (comma != NULL && length > 0 &&
           (product->name[length - 1] < '0' || product->name[length - 1] > '9'))
        length--;
    return text_need(arena_text(arena, product->name, length));
}

static void summary_row(struct listing *listing, const struct product *product, struct table *table)
{
    struct arena *arena = &listing->arena;
    table_add(table,
              (const char *[]){
                  product->soc,
                  *product->alias != '\0' ? product->alias : "-",
                  text_number(arena, product_whole(product, PRODUCT_CHIP_CORES)),
                  text_quantity(arena, product_value(product, PRODUCT_CHIP_CLOCK), UNIT_FREQUENCY),
                  family_text(arena, product),
              });
}

static int list_products(struct listing *listing)
{
    const char *const *socs = NULL;
    size_t count = 0;
    enum status status = product_list(&listing->arena, &listing->diag, &socs, &count);
    struct table table;
    json_t *list = json_array();
    table_init(&table, &listing->arena, "llrrl");
    table_add(&table, (const char *[]){"soc", "alias", "cores", "clock", "family"});
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct product product;
        status = product_load(socs[i], place_none(), &listing->arena, &listing->diag, &product);
        if (status == STATUS_OK) {
            summary_row(listing, &product, &table);
            json_add(list, summary_json(&product));
        }
    }
    if (status != STATUS_OK) {
        json_decref(list);
        return problems_print(&listing->diag, listing->command, status);
    }
    json_t *root = json_object();
    json_put(root, "products", list);
    if (listing->json) {
        json_print(root);
        return 0;
    }
    json_decref(root);
    printf("%zu products\n\n", count);
    table_print(&table, stdout, 2);
    puts("\n'cubesim products NAME' prints every number of one, with its source");
    return 0;
}

/* ---- one product ---- */

static json_t *number_json(const struct product_number *number, const struct product_key_info *info)
{
    json_t *map = json_object();
    json_put(map, "value", quantity_json(number->value, info->unit));
    json_put(map, "basis", json_words(basis_word(number->basis)));
    json_put(map, "source", json_words(number->source));
    json_put(map, "low", quantity_json(number->low, info->unit));
    json_put(map, "high", quantity_json(number->high, info->unit));
    json_put(map, "meaning", json_words(info->meaning));
    return map;
}

static void print_product_json(const struct product *product)
{
    json_t *root = summary_json(product), *numbers = json_object();
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++)
        if (product->number[key].present)
            json_put(numbers, product_key_info(key)->path,
                     number_json(&product->number[key], product_key_info(key)));
    json_put(root, "numbers", numbers);
    json_print(root);
}

/* "31.7 - 40.5 B/cycle", "0 B - 1 KiB", or "" where the sources agree. */
static const char *range_text(struct arena *arena, const struct product_number *number,
                              enum unit unit)
{
    if (number->low == number->value && number->high == number->value)
        return "";
    const char *low = text_quantity(arena, number->low, unit);
    const char *high = text_quantity(arena, number->high, unit);
    const char *low_unit = strchr(low, ' '), *high_unit = strchr(high, ' ');
    if (low_unit != NULL && high_unit != NULL && strcmp(low_unit, high_unit) == 0)
        low = text_need(arena_text(arena, low, (size_t)(low_unit - low)));
    return text_format(arena, "%s - %s", low, high);
}

static void print_product_text(struct listing *listing, const struct product *product)
{
    struct page page = page_stdout(&listing->arena);
    struct table table;
    page_sentence(&page, STYLE_BOLD,
                  text_format(page.arena, "%s: %s, %s", product_text(page.arena, product),
                              product->name, arch_word(product->arch)));
    if (*product->note != '\0')
        page_sentence(&page, STYLE_PLAIN, product->note);
    putchar('\n');
    table_init(&table, page.arena, "lrll");
    table_add(&table, (const char *[]){"key", "value", "basis", "range"});
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++) {
        const struct product_number *number = &product->number[key];
        const struct product_key_info *info = product_key_info(key);
        if (number->present)
            table_add(&table, (const char *[]){info->path,
                                               text_quantity(page.arena, number->value, info->unit),
                                               basis_word(number->basis),
                                               range_text(page.arena, number, info->unit)});
    }
    size_t row = 0;
    puts(table_line(&table, row++, 2));
    for (enum product_key key = 0; key < PRODUCT_KEY_COUNT; key++) {
        if (!product->number[key].present)
            continue;
        puts(table_line(&table, row++, 2));
        text_print_wrapped(stdout, page.arena, "", 4,
                           text_format(page.arena, "%s; source: %s", product_key_info(key)->meaning,
                                       product->number[key].source),
                           page.width);
    }
}

static int show_product(struct listing *listing, const char *name)
{
    struct product product;
    enum status status =
        product_load(name, place_none(), &listing->arena, &listing->diag, &product);
    if (status != STATUS_OK)
        return problems_print(&listing->diag, listing->command, status);
    if (listing->json)
        print_product_json(&product);
    else
        print_product_text(listing, &product);
    return 0;
}

int cmd_products(int argc, char **argv)
{
    struct listing listing = {.json = false};
    struct common_options options = {.refused = "one name"};
    arena_init(&listing.arena, 0);
    diag_init(&listing.diag);
    enum status status = options_parse(&products_argp, argc, argv, &options);
    int code = status_exit_code(status);
    listing.json = options.json;
    listing.command = options.command;
    if (status == STATUS_OK && !options.help)
        code = options.argument == NULL ? list_products(&listing)
                                        : show_product(&listing, options.argument);
    diag_deinit(&listing.diag);
    arena_deinit(&listing.arena);
    return code;
}
