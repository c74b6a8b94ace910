/*
 * SIGINT: before a run it ends the program, during a run it lets it finish and be saved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cli.h"

CLI_FIXTURE(cli)

/* 256 KiB of fp16, more than a pipe holds. */
#define LARGE_OUTPUT                                                                               \
    "product: atlas-a2\n"                                                                          \
    "conv: {input: [1, 16, 32, 64], weight: [64, 16, 1, 1], dtype: fp16}\n"

static char database[128];

/* A child that saves the run of a plan in the database, its output to a file, its messages to
 * another. */
static pid_t start_run(const char *plan, const char *output, const char *messages,
                       void (*on_interrupt)(int))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child != 0)
        return child;
    const char *binary = getenv("CUBESIM_BINARY");
    signal(SIGINT, on_interrupt);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    dup2(open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    execl(binary, binary, "run", plan, "--db", database, "--output", output, (char *)NULL);
    _exit(127);
}

static int exit_code_of(pid_t child)
{
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

/* Opens a pipe that a child opens at the other end. */
static int meet_child(const char *path, int flags)
{
    /* A child that ends before it opens the pipe would leave this waiting for ever. */
    alarm(60);
    int file = open(path, flags);
    alarm(0);
    assert_true(file >= 0);
    return file;
}

static const char *new_pipe(const char *name)
{
    assert_int_equal(mkfifo(cli_path(&cli, name), 0600), 0);
    return cli.path;
}

/* The pipe holds the run back in the middle of its output, so that the interrupt surely meets a run
 * on its way. */
static void an_interrupted_run_is_finished_and_saved(void **state)
{
    (void)state;
    char pipe_path[128], plan[128], bytes[4096];
    strcpy(database, cli_path(&cli, "stopped.db"));
    strcpy(plan, cli_write(&cli, "large.yaml", LARGE_OUTPUT));
    strcpy(pipe_path, new_pipe("out.pipe"));
    pid_t child = start_run(plan, pipe_path, "/dev/null", SIG_DFL);
    int reader = meet_child(pipe_path, O_RDONLY);
    assert_int_equal(kill(child, SIGINT), 0);
    while (read(reader, bytes, sizeof bytes) > 0)
        continue;
    close(reader);
    assert_int_equal(exit_code_of(child), 130);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_run"), 1);
}

/* A plan that does not end holds the program back before there is anything to run. */
static void an_interrupt_before_the_run_ends_it_with_a_word_and_no_database(void **state)
{
    (void)state;
    char plan[128], messages[128], text[256] = "";
    strcpy(database, cli_path(&cli, "early.db"));
    strcpy(plan, new_pipe("plan.pipe"));
    strcpy(messages, cli_path(&cli, "messages"));
    pid_t child = start_run(plan, "/dev/null", messages, SIG_DFL);
    int writer = meet_child(plan, O_WRONLY);
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(exit_code_of(child), 130);
    close(writer);
    assert_int_equal(access(database, F_OK), -1);
    int file = open(messages, O_RDONLY);
    assert_true(read(file, text, sizeof text - 1) > 0);
    close(file);
    assert_string_equal(text, "\ncubesim: interrupted; nothing was saved\n");
}

/* As a shell does for what it starts in the background. */
static void an_interrupt_that_the_caller_ignores_stays_ignored(void **state)
{
    (void)state;
    char plan[128];
    strcpy(database, cli_path(&cli, "ignored.db"));
    strcpy(plan, new_pipe("ignored.pipe"));
    pid_t child = start_run(plan, "/dev/null", "/dev/null", SIG_IGN);
    int writer = meet_child(plan, O_WRONLY);
    assert_int_equal(kill(child, SIGINT), 0);
    assert_int_equal(write(writer, LARGE_OUTPUT, strlen(LARGE_OUTPUT)), strlen(LARGE_OUTPUT));
    close(writer);
    assert_int_equal(exit_code_of(child), 0);
    assert_int_equal(cli_count(database, "SELECT count(*) FROM v_run"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_run_is_finished_and_saved),
        cmocka_unit_test(an_interrupt_that_the_caller_ignores_stays_ignored),
        cmocka_unit_test(an_interrupt_before_the_run_ends_it_with_a_word_and_no_database),
    };
    return cmocka_run_group_tests_name("interrupt", tests, make_folder, remove_folder);
}
