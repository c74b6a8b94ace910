#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/help_metrics.h"
#include "cli/interrupt.h"
#include "cli/problems.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "engine/base/bind.h"
#include "engine/base/diag.h"
#include "model/version.h"

struct command {
    const char *name, *title; /* title: as messages call it */
    const char *arguments, *summary;
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"check", "cubesim check", "PLAN", "judge a tiling by every rule", cmd_check},
    {"lower", "cubesim lower", "PLAN", "print the instruction streams of a plan", cmd_lower},
    {"run", "cubesim run", "PLAN", "simulate a plan or a .prog; --db saves it", cmd_run},
    {"show", "cubesim show", "DB [RUN]", "draw a saved run", cmd_show},
    {"export", "cubesim export", "DB [RUN]", "write a saved run for other tools", cmd_export},
    {"diff", "cubesim diff", "DB A [B]", "what changed from one saved run to another", cmd_diff},
    {"net", "cubesim net", "NETWORK", "every layer of a network, and their sum", cmd_net},
    {"sensitivity", "cubesim sensitivity", "PLAN", "what 10 % of a product's numbers is worth",
     cmd_sensitivity},
    {"products", "cubesim products", "[NAME]", "list products, or the numbers of one",
     cmd_products},
    {"isa", "cubesim isa", "[MNEMONIC]", "list instructions, or the keys of one", cmd_isa},
    {"validate", "cubesim validate", "FILE", "predicted against measured, row by row",
     cmd_validate},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

static const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_overview(FILE *stream)
{
    fputs("cubesim: performance model of convolutions and matmuls on Ascend AI Cores\n\n", stream);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  cubesim %-11s  %-10s  %s\n", commands[i].name, commands[i].arguments,
                commands[i].summary);
    fputs("  cubesim help         [COMMAND]   this text, or the options of a command\n"
          "  cubesim help         metrics     what words, JSON keys and columns mean\n"
          "  cubesim --version\n\n"
          "exit status: 0 done, and what was checked holds; 1 it does not hold;\n"
          "2 bad usage or input; 3 a file, the database or memory failed; 130 interrupted\n\n"
          "cubesim check configs/plans/res2a.yaml is a good start\n",
          stream);
}

static void print_commands(const char *const names[COMMAND_COUNT + 1])
{
    struct arena arena;
    const char *text = "";
    arena_init(&arena, 0);
    for (size_t i = 0; i <= COMMAND_COUNT; i++)
        text = text_format(&arena, "%s%s%s", text, i > 0 ? " " : "", names[i]);
    message_print(stderr, "commands: ", text);
    arena_deinit(&arena);
}

static int refuse_command(const char *name)
{
    static const char *const options[] = {"--help", "--version"};
    const char *names[COMMAND_COUNT + 1];
    char shown[EXCERPT_SIZE_BYTES], message[2 * EXCERPT_SIZE_BYTES];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    names[COMMAND_COUNT] = "help";
    const char *near = name[0] == '-' ? nearest_word(name, options, 2)
                                      : nearest_word(name, names, COMMAND_COUNT + 1);
    if (strcmp(name, "-h") == 0)
        near = options[0];
    snprintf(message, sizeof message, "unknown %s '%s'%s%s%s",
             name[0] == '-' ? "option" : "command", excerpt_format(name, shown, sizeof shown),
             near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
             near != NULL ? "'?" : "");
    message_print(stderr, "cubesim: ", message);
    print_commands(names);
    fputs("options: --help --version\n", stderr);
    return EXIT_USAGE;
}

static int command_run(const struct command *command, int argc, char **argv)
{
    char title[32];
    snprintf(title, sizeof title, "%s", command->title);
    argv[0] = title;
    return command->run(argc, argv);
}

/* cubesim help metrics [WORD | --markdown]. */
static int help_metrics(const char *word)
{
    if (word != NULL && strcmp(word, "--markdown") == 0)
        help_metrics_markdown(stdout);
    else if (word != NULL)
        return help_metrics_find(stdout, word);
    else
        help_metrics_print(stdout);
    return 0;
}

/* cubesim help [COMMAND]: the command's own --help. */
static int help(int argc, char **argv)
{
    char option[] = "--help", title[] = "";
    if (argc < 2) {
        print_overview(stdout);
        return 0;
    }
    if (strcmp(argv[1], "metrics") == 0 && argc <= 3)
        return help_metrics(argc == 3 ? argv[2] : NULL);
    if (argc > 2) {
        fprintf(stderr, "cubesim help: found %d words; expected one command\n", argc - 1);
        return EXIT_USAGE;
    }
    const struct command *command = command_find(argv[1]);
    if (command == NULL && strcmp(argv[1], "help") != 0)
        return refuse_command(argv[1]);
    if (command == NULL) {
        print_overview(stdout);
        return 0;
    }
    return command_run(command, 2, (char *[]){title, option, NULL});
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(word, "--help") == 0) {
        print_overview(stdout);
        return 0;
    }
    if (strcmp(word, "--version") == 0) {
        puts("cubesim " CUBESIM_VERSION);
        return 0;
    }
    const struct command *command = command_find(word);
    return command != NULL ? command_run(command, argc - 1, argv + 1) : refuse_command(word);
}

/* No file that is opened later may take the place of a standard stream that came closed: output
 * would end up in it. Writing to such a stream fails. */
static void hold_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        while (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
                return;
}

static bool reader_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* stdout has the result, so losing a part of it is a failure. */
static int finish_output(int code)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    if (!failed)
        return code;
    /* A reader that has seen enough needs no message. */
    if (errno != EPIPE && !reader_left())
        fprintf(stderr, "cubesim: cannot write to standard output%s%s\n", errno != 0 ? ": " : "",
                errno != 0 ? strerror(errno) : "");
    return EXIT_ENVIRONMENT;
}

int main(int argc, char **argv)
{
    hold_streams();
    signal(SIGPIPE, SIG_IGN);
    interrupt_ends();
    return finish_output(dispatch(argc, argv));
}
