/*
 * Command lines: one argp parser per command, with the messages of this program.
 *
 * Every option is long. A parser of a command handles its own keys and hands the rest to
 * options_parse_plan or options_parse_common; whatever goes wrong is printed to stderr with what
 * was found and what was expected, and the command ends with exit 2.
 */
#ifndef CUBESIM_CLI_OPTIONS_H
#define CUBESIM_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "model/plan.h"

/* Keys beyond characters, so that no option has a short form but those that a command gives. */
enum option_key {
    OPTION_HELP = 256,
    OPTION_PRODUCT,
    OPTION_RULES,
    OPTION_SET,
    OPTION_JSON,
    OPTION_MARKDOWN,
    OPTION_CORE,
    OPTION_CORES,
    OPTION_FROM,
    OPTION_TO,
    OPTION_DB,
    OPTION_TIMELINE,
    OPTION_TIMING_ONLY,
    OPTION_SEED,
    OPTION_INPUT,
    OPTION_WEIGHT,
    OPTION_BIAS,
    OPTION_OUTPUT,
    OPTION_VERIFY,
    OPTION_HAZARDS,
    OPTION_ADVICE
};

/* Rows of the options that several commands share. */
#define OPTION_ROW_HELP                                                                            \
    {                                                                                              \
        "help", OPTION_HELP, NULL, 0, "Print this help", -1                                        \
    }
#define OPTION_ROW_JSON                                                                            \
    {                                                                                              \
        "json", OPTION_JSON, NULL, 0, "Print one JSON object (default: text)", 0                   \
    }
#define OPTION_ROW_RULES                                                                           \
    {                                                                                              \
        "rules", OPTION_RULES, "SET", 0,                                                           \
            "Rule set: pypto, document, strict or vendor (default: the plan's, else pypto)", 0     \
    }
#define OPTION_ROW_PRODUCT                                                                         \
    {                                                                                              \
        "product", OPTION_PRODUCT, "P", 0, "SoC, alias or product file (default: the plan's)", 0   \
    }
#define OPTION_ROW_SET                                                                             \
    {                                                                                              \
        "set", OPTION_SET, "KEY=VALUE", 0,                                                         \
            "Change a number of the product, with its unit; may be repeated (default: none)", 0    \
    }

/* What every command has; the first field of the state of each. */
struct common_options {
    const char *command;  /* "cubesim run", after options_parse */
    const char *argument; /* the first word that is no option, or NULL */
    const char *missing;  /* what is missing without it; NULL: it may be left out */
    const char *refused;  /* after the first word: "one plan"; NULL: the command counts itself */
    bool help, json;
    bool reported; /* a problem was printed */
};

/* Of commands that read a plan. */
struct plan_options {
    struct common_options common;
    const char *product;
    const char **sets;
    size_t set_count;
    bool rules_given;
    enum rule_set rules;
    struct arena *arena; /* room for the list of sets */
};

/* Parses argv (argv[0] is "cubesim NAME"). Returns STATUS_OK or, after a message, BAD_INPUT. When
 * help was asked for it has been printed, and options->help is set. */
enum status options_parse(const struct argp *argp, int argc, char **argv,
                          struct common_options *options) MUST_CHECK;

/* Parsers for the keys that a command does not handle itself. */
error_t options_parse_common(int key, char *argument, struct argp_state *state);
error_t options_parse_plan(int key, char *argument, struct argp_state *state);

/* Reports "cubesim NAME: message" and returns EINVAL, for parsers. */
error_t options_refuse(struct argp_state *state, const char *format, ...) PRINTF_LIKE(2, 3);

/* A whole number of low..high, 20000 or 20,000. A high of UINT32_MAX or more is not told: it stands
 * for what fits into the number. */
error_t options_number(struct argp_state *state, const char *option, const char *argument,
                       uint64_t low, uint64_t high, uint64_t *value);

/* The file of --db. */
error_t options_db(struct argp_state *state, char *argument, const char **db);

/* One of words, as its index. */
error_t options_word(struct argp_state *state, const char *option, const char *argument,
                     const char *const *words, size_t count, size_t *index);

#endif
