/*
 * Texts of every command on terminals of all kinds: widths, character sets, colour.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cli.h"

/* Three rules of it are broken. */
#define WIDE                                                                                       \
    "product: atlas-a2\n"                                                                          \
    "conv: {input: [16, 64, 56, 56], weight: [64, 64, 3, 3], padding: [1, 1, 1, 1], dtype: "       \
    "fp16}\n"                                                                                      \
    "tile_l1: {tileHin: 4, tileHout: 2, tileWin: 56, tileWout: 64, tileCinFmap: 64,\n"             \
    "  tileCinWeight: 64, tileN: 64, tileBatch: 1}\n"                                              \
    "tile_l0: {tileH: 2, tileW: 56, tileK: 576, tileN: 64}\n"

enum { OUTPUT_BYTES = 262144, COMMANDS_MAX = 24 };

static struct cli cli;
static char output[OUTPUT_BYTES];
static char commands[COMMANDS_MAX][256];
static size_t command_count;

static void add_command(const char *format, const char *first)
{
    assert_true(command_count < COMMANDS_MAX);
    const char *place = strchr(format, '@');
    if (place == NULL)
        snprintf(commands[command_count++], sizeof commands[0], "%s", format);
    else
        snprintf(commands[command_count++], sizeof commands[0], "%.*s%s%s", (int)(place - format),
                 format, first, place + 1);
}

static int make_commands(void **state)
{
    (void)state;
    static const char *const of_database[] = {
        "show @ 1",   "show @ 2 --from 1000 --to 2000",
        "show @ 3",   "diff @ 1 2",
        "diff @ 1 3", "diff @ --set-a run_id=1 --set-b run_id=2 --match problem",
    };
    static const char *const others[] = {
        "check configs/plans/res4_int8.yaml",
        "run configs/plans/pointwise_vendor_tile.yaml --timing-only",
        "run traces/samples/hazard_race.prog",
        "run traces/samples/hazard_deadlock.prog",
        "products",
        "products ascend310p3",
        "isa",
        "isa load3dv2",
        "validate configs/validation/a2_mte1.yaml",
        "help metrics",
        "help run",
        "run configs/plans/res2a.yaml --set mte1.l1_to_l0a.rate=512",
    };
    char db[128], plan[128];
    cli_init(&cli);
    snprintf(db, sizeof db, "%s", cli_path(&cli, "runs.db"));
    for (int i = 0; i < 2; i++) {
        cli_run(&cli, "run configs/plans/pointwise_vendor_tile.yaml --timing-only --db %s %s", db,
                i == 1 ? "--timeline core0 --set 'cube.issue=3 cycles'" : "");
        assert_int_equal(cli.code, 0);
    }
    cli_run(&cli, "run configs/plans/res3_310p.yaml --timing-only --timeline none --db %s", db);
    assert_int_equal(cli.code, 0);
    snprintf(plan, sizeof plan, "%s", cli_write(&cli, "w.yaml", WIDE));
    for (size_t i = 0; i < sizeof of_database / sizeof *of_database; i++)
        add_command(of_database[i], db);
    add_command("check @", plan);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_command(others[i], "");
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    cli_deinit(&cli);
    return 0;
}

/* What a command prints on both streams in an environment; on_terminal: stdout is one. */
static void print_in(const char *environment, const char *command, bool on_terminal)
{
    char line[1024];
    snprintf(line, sizeof line,
             on_terminal ? "env -u COLUMNS -u NO_COLOR %s script -qec \"'%s' %s 2>/dev/null\" "
                           "/dev/null </dev/null | tr -d '\\r'"
                         : "env -u COLUMNS -u NO_COLOR %s '%s' %s 2>&1",
             environment, getenv("CUBESIM_BINARY"), command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    assert_true(length > 20 && length < sizeof output - 1);
    output[length] = '\0';
    pclose(pipe);
}

static size_t longest_line(const char **line)
{
    size_t longest = 0, columns = 0;
    const char *start = output;
    for (const char *at = output; *at != '\0'; at++) {
        columns = *at == '\n' ? 0 : columns + (((unsigned char)*at & 0xC0) != 0x80);
        if (columns > longest) {
            longest = columns;
            *line = start;
        }
        start = *at == '\n' ? at + 1 : start;
    }
    return longest;
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    static const size_t widths[] = {80, 120};
    for (size_t width = 0; width < sizeof widths / sizeof *widths; width++)
        for (size_t i = 0; i < command_count; i++) {
            char environment[64];
            const char *line = "";
            snprintf(environment, sizeof environment, "LC_ALL=C.UTF-8 COLUMNS=%zu", widths[width]);
            /* Messages of a pipe are one line each, for programs. */
            if (strstr(commands[i], "hazard_") != NULL || strstr(commands[i], "--set mte1") != NULL)
                continue;
            print_in(environment, commands[i], false);
            if (longest_line(&line) > widths[width])
                fail_msg("%zu columns, of %zu: %s\n%.*s", longest_line(&line), widths[width],
                         commands[i], (int)strcspn(line, "\n"), line);
        }
}

static void a_locale_without_utf8_gets_ascii_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < command_count; i++) {
        print_in("LC_ALL=C", commands[i], false);
        for (const unsigned char *at = (const unsigned char *)output; *at != '\0'; at++)
            if (*at != '\n' && (*at < ' ' || *at > '~'))
                fail_msg("byte %02x: %s", *at, commands[i]);
    }
}

static void a_pipe_gets_no_escape_sequence(void **state)
{
    (void)state;
    for (size_t i = 0; i < command_count; i++) {
        print_in("LC_ALL=C.UTF-8 TERM=xterm-256color", commands[i], false);
        if (strchr(output, '\033') != NULL)
            fail_msg("an escape sequence: %s", commands[i]);
    }
}

/* Takes "ESC [ ... m" out of output. */
static size_t strip_colour(void)
{
    size_t count = 0;
    char *to = output;
    for (const char *at = output; *at != '\0'; at++) {
        if (*at == '\033' && at[1] == '[') {
            at += strcspn(at, "m");
            count++;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return count;
}

static void colour_on_a_terminal_is_all_that_no_color_takes_away(void **state)
{
    (void)state;
    static char plain[OUTPUT_BYTES];
    static const char *const off[] = {"NO_COLOR=1 TERM=xterm", "TERM=dumb"};
    size_t coloured = 0;
    for (size_t i = 0; i < command_count; i++) {
        /* How long a simulation took differs from one to the next. */
        if (strncmp(commands[i], "run", 3) == 0)
            continue;
        print_in("LC_ALL=C COLUMNS=80 NO_COLOR=1 TERM=xterm", commands[i], true);
        assert_null(strchr(output, '\033'));
        strcpy(plain, output);
        print_in("LC_ALL=C COLUMNS=80 NO_COLOR= TERM=xterm", commands[i], true);
        coloured += strip_colour() > 0;
        assert_string_equal(output, plain);
    }
    assert_true(coloured > 5);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        char environment[64];
        snprintf(environment, sizeof environment, "LC_ALL=C.UTF-8 COLUMNS=80 %s", off[i]);
        print_in(environment, commands[0], true);
        assert_null(strchr(output, '\033'));
    }
}

static void the_width_is_that_of_the_terminal(void **state)
{
    (void)state;
    char line[1024];
    const char *longest = "";
    snprintf(line, sizeof line,
             "env -u COLUMNS LC_ALL=C.UTF-8 NO_COLOR=1 script -qec \"stty cols 110; '%s' %s\" "
             "/dev/null </dev/null | tr -d '\\r'",
             getenv("CUBESIM_BINARY"), commands[0]);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    pclose(pipe);
    assert_int_equal(longest_line(&longest), 110);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(a_locale_without_utf8_gets_ascii_alone),
        cmocka_unit_test(a_pipe_gets_no_escape_sequence),
        cmocka_unit_test(colour_on_a_terminal_is_all_that_no_color_takes_away),
        cmocka_unit_test(the_width_is_that_of_the_terminal),
    };
    return cmocka_run_group_tests(tests, make_commands, remove_files);
}
