#include <string.h>

#include "cli/commands.h"
#include "cli/isa_view.h"
#include "cli/options.h"
#include "cli/problems.h"
#include "cli/text.h"
#include "engine/base/bind.h"

struct isa_options {
    struct common_options common;
    bool markdown;
};

static error_t isa_parse(int key, char *argument, struct argp_state *state)
{
    struct isa_options *options = state->input;
    switch (key) {
    case OPTION_MARKDOWN:
        options->markdown = true;
        return 0;
    case ARGP_KEY_END:
        if (options->markdown && options->common.json)
            return options_refuse(state, "found --json and --markdown; expected one of them");
        return options_parse_common(key, argument, state);
    default:
        return options_parse_common(key, argument, state);
    }
}

static const struct argp_option isa_rows[] = {
    OPTION_ROW_JSON,
    {"markdown", OPTION_MARKDOWN, NULL, 0, "Print a page of documentation (default: text)", 0},
    OPTION_ROW_HELP,
    {0},
};

static const struct argp isa_argp = {
    .options = isa_rows,
    .parser = isa_parse,
    .args_doc = "[MNEMONIC]",
    .doc = "Lists the instructions of programs, or the operands, keys, ranges, element types and "
           "products of one.\v"
           "Keys are the field names of the vendor's documents.",
};

enum { NAMES_MAX = OP_COUNT + 64 };

/* The names that begin with a word of at least three letters. */
static size_t names_beginning(const char *word, const char *const *names, size_t count,
                              const char **begun)
{
    size_t length = strlen(word), found = 0;
    for (size_t i = 0; i < count && length >= 3; i++)
        if (strncmp(names[i], word, length) == 0)
            begun[found++] = names[i];
    return found;
}

static int refuse_mnemonic(const char *mnemonic, const char *command)
{
    const char *names[NAMES_MAX];
    char shown[EXCERPT_SIZE_BYTES], head[64], message[2 * EXCERPT_SIZE_BYTES + WORDS_BYTES];
    size_t count = 0, refused_count;
    const struct refused *refused = refused_list(&refused_count);
    for (int opcode = 0; opcode < OP_COUNT; opcode++)
        names[count++] = insn_info((enum opcode)opcode)->mnemonic;
    for (size_t i = 0; i < refused_count && count < NAMES_MAX; i++)
        names[count++] = refused[i].mnemonic;
    const char *near = nearest_word(mnemonic, names, count);
    const char *begun[NAMES_MAX];
    size_t begun_count = names_beginning(mnemonic, names, count, begun);
    char list[WORDS_BYTES] = "one that 'cubesim isa' lists";
    if (begun_count > 0)
        words_format(begun, begun_count, list, sizeof list);
    else if (near != NULL)
        words_format(&near, 1, list, sizeof list);
    snprintf(head, sizeof head, "%s: ", command);
    snprintf(message, sizeof message, "unknown instruction '%s'; expected %s",
             excerpt_format(mnemonic, shown, sizeof shown), list);
    message_print(stderr, head, message);
    return status_exit_code(STATUS_BAD_INPUT);
}

static void print_table(struct arena *arena, const struct isa_socs *socs,
                        const struct isa_options *options)
{
    if (options->common.json)
        isa_print_table_json(arena, socs);
    else if (options->markdown)
        isa_print_markdown(arena, socs);
    else
        isa_print_table(arena, socs);
}

static void print_insn(struct arena *arena, const struct isa_socs *socs,
                       const struct isa_options *options, enum opcode opcode)
{
    if (options->common.json)
        isa_print_insn_json(arena, socs, opcode);
    else if (options->markdown)
        isa_print_insn_markdown(arena, opcode);
    else
        isa_print_insn(arena, socs, opcode);
}

static int isa_show(struct arena *arena, const struct isa_socs *socs,
                    const struct isa_options *options)
{
    const char *mnemonic = options->common.argument;
    if (mnemonic == NULL) {
        print_table(arena, socs, options);
        return 0;
    }
    enum opcode opcode = opcode_find(mnemonic);
    if (opcode != OP_COUNT) {
        print_insn(arena, socs, options, opcode);
        return 0;
    }
    const struct refused *refused = refused_find((struct word){mnemonic, strlen(mnemonic)});
    if (refused == NULL)
        return refuse_mnemonic(mnemonic, options->common.command);
    if (options->common.json)
        isa_print_refused_json(refused);
    else
        isa_print_refused(arena, refused);
    return 0;
}

int cmd_isa(int argc, char **argv)
{
    struct isa_options options = {.common = {.refused = "one mnemonic"}};
    struct arena arena;
    struct diag diag;
    struct isa_socs socs;
    arena_init(&arena, 0);
    diag_init(&diag);
    enum status status = options_parse(&isa_argp, argc, argv, &options.common);
    int code = status_exit_code(status);
    if (status == STATUS_OK && !options.common.help) {
        status = isa_socs_load(&arena, &diag, &socs);
        code = status == STATUS_OK ? isa_show(&arena, &socs, &options)
                                   : problems_print(&diag, options.common.command, status);
    }
    diag_deinit(&diag);
    arena_deinit(&arena);
    return code;
}
