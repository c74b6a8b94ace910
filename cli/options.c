#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/problems.h"
#include "cli/text.h"
#include "engine/base/bind.h"

enum { OPTIONS_MAX = 32 };

static struct common_options *common_of(const struct argp_state *state)
{
    return state->input;
}

error_t options_refuse(struct argp_state *state, const char *format, ...)
{
    va_list arguments;
    struct arena arena;
    arena_init(&arena, 0);
    va_start(arguments, format);
    const char *message = text_need(arena_format_list(&arena, format, arguments));
    va_end(arguments);
    message_print(stderr, text_format(&arena, "%s: ", state->name), message);
    fprintf(stderr, "'%s --help' lists all options\n", state->name);
    arena_deinit(&arena);
    common_of(state)->reported = true;
    return EINVAL;
}

/* Copies the digits of a whole number without the commas of its groups. False when it is none, or
 * has groups of other than three digits. */
static bool plain_digits(const char *text, char *digits, size_t size)
{
    size_t count = 0, group = 0;
    bool grouped = false;
    for (; *text != '\0' && count + 1 < size; text++) {
        if (*text >= '0' && *text <= '9') {
            digits[count++] = *text;
            group++;
        } else if (*text == ',' && (grouped ? group == 3 : group >= 1 && group <= 3)) {
            grouped = true;
            group = 0;
        } else {
            return false;
        }
    }
    digits[count] = '\0';
    return *text == '\0' && count > 0 && (!grouped || group == 3);
}

error_t options_number(struct argp_state *state, const char *option, const char *argument,
                       uint64_t low, uint64_t high, uint64_t *value)
{
    char shown[EXCERPT_SIZE_BYTES], digits[EXCERPT_SIZE_BYTES] = "";
    bool whole = plain_digits(argument, digits, sizeof digits);
    excerpt_format(argument, shown, sizeof shown);
    errno = 0;
    unsigned long long number = strtoull(digits, NULL, 10);
    if (whole && errno == 0 && number >= low && number <= high) {
        *value = number;
        return 0;
    }
    if (high >= UINT32_MAX)
        return options_refuse(state, "%s: found '%s'%s; expected a whole number from %" PRIu64,
                              option, shown, whole && number > low ? ", which is too large" : "",
                              low);
    return options_refuse(state,
                          "%s: found '%s'; expected a whole number from %" PRIu64 " to %" PRIu64,
                          option, shown, low, high);
}

error_t options_db(struct argp_state *state, char *argument, const char **db)
{
    if (argument[0] == '\0' || strcmp(argument, ":memory:") == 0)
        return options_refuse(state, "--db: found '%s', which keeps nothing; expected a file",
                              argument);
    *db = argument;
    return 0;
}

error_t options_word(struct argp_state *state, const char *option, const char *argument,
                     const char *const *words, size_t count, size_t *index)
{
    char shown[EXCERPT_SIZE_BYTES], all[128] = "";
    size_t used = 0;
    for (*index = 0; *index < count; ++*index)
        if (strcmp(words[*index], argument) == 0)
            return 0;
    for (size_t i = 0; i < count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 words[i]);
    const char *near = nearest_word(argument, words, count);
    return options_refuse(state, "%s: found '%s'; expected %s%s%s%s", option,
                          excerpt_format(argument, shown, sizeof shown), all,
                          near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                          near != NULL ? "'?" : "");
}

/* What getopt refused: a name that is unknown or ambiguous, or a value too many or too few. */
static error_t refuse_option(struct argp_state *state)
{
    const struct argp_option *rows = state->root_argp->options;
    const char *word = state->argv[state->next > 0 ? state->next - 1 : 0];
    const char *names[OPTIONS_MAX];
    char shown[EXCERPT_SIZE_BYTES], name[EXCERPT_SIZE_BYTES];
    size_t count = 0, matches = 0;
    const struct argp_option *match = NULL;
    excerpt_format(word, shown, sizeof shown);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
             word + strspn(word, "-"));
    for (const struct argp_option *row = rows; row->name != NULL && count < OPTIONS_MAX; row++) {
        names[count++] = row->name;
        if (strncmp(row->name, name, strlen(name)) == 0 && strncmp(word, "--", 2) == 0) {
            matches++;
            match = row;
        }
    }
    if (matches > 1)
        return options_refuse(state, "option '%s' may mean several; write it out", shown);
    if (match != NULL && match->arg != NULL)
        return options_refuse(state, "option --%s without a value; expected --%s %s", match->name,
                              match->name, match->arg);
    if (match != NULL)
        return options_refuse(state, "option --%s takes no value; found '%s'", match->name, shown);
    const char *near = nearest_word(name, names, count);
    return options_refuse(state, "unknown option '%s'%s%s%s", shown,
                          near != NULL ? "; did you mean '--" : "", near != NULL ? near : "",
                          near != NULL ? "'?" : "");
}

static error_t take_argument(const char *argument, struct argp_state *state)
{
    struct common_options *options = common_of(state);
    char shown[EXCERPT_SIZE_BYTES];
    if (options->argument != NULL)
        return options_refuse(state, "found '%s' behind '%s'; expected %s",
                              excerpt_format(argument, shown, sizeof shown), options->argument,
                              options->refused);
    options->argument = argument;
    return 0;
}

error_t options_parse_common(int key, char *argument, struct argp_state *state)
{
    struct common_options *options = common_of(state);
    switch (key) {
    case OPTION_HELP:
        options->help = true;
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        return take_argument(argument, state);
    case ARGP_KEY_END:
        if (options->argument == NULL && options->missing != NULL && !options->help)
            return options_refuse(state, "found no %s", options->missing);
        return 0;
    case ARGP_KEY_ERROR:
        return options->reported ? 0 : refuse_option(state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t add_set(struct plan_options *options, const char *assignment,
                       struct argp_state *state)
{
    /* There are fewer --set than words. */
    if (options->sets == NULL)
        options->sets = arena_take(options->arena, (size_t)state->argc, sizeof *options->sets);
    if (options->sets == NULL)
        return ENOMEM;
    options->sets[options->set_count++] = assignment;
    return 0;
}

error_t options_parse_plan(int key, char *argument, struct argp_state *state)
{
    static const char *const rule_sets[RULES_COUNT] = {
#define ROW(name, word) word,
        RULE_SET_LIST(ROW)
#undef ROW
    };
    struct plan_options *options = state->input;
    size_t index = 0;
    switch (key) {
    case OPTION_PRODUCT:
        options->product = argument;
        return 0;
    case OPTION_RULES:
        if (options_word(state, "--rules", argument, rule_sets, RULES_COUNT, &index) != 0)
            return EINVAL;
        options->rules = (enum rule_set)index;
        options->rules_given = true;
        return 0;
    case OPTION_SET:
        return add_set(options, argument, state);
    default:
        return options_parse_common(key, argument, state);
    }
}

enum status options_parse(const struct argp *argp, int argc, char **argv,
                          struct common_options *options)
{
    error_t error =
        argp_parse(argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, options);
    if (error != 0 && !options->reported)
        fprintf(stderr, "%s: %s\n", argv[0], strerror(error));
    options->command = argv[0];
    if (error != 0)
        return error == ENOMEM ? STATUS_NO_MEMORY : STATUS_BAD_INPUT;
    if (options->help)
        argp_help(argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, argv[0]);
    return STATUS_OK;
}
