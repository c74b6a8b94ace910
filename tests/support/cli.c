#include "tests/support/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { COMMAND_BYTES = 2048 };

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

void cli_init(struct cli *cli)
{
    *cli = (struct cli){.folder = "/tmp/cubesim-cli-XXXXXX"};
    if (getenv("CUBESIM_BINARY") == NULL)
        fail_msg("CUBESIM_BINARY names no cubesim; ctest sets it");
    assert_non_null(mkdtemp(cli->folder));
}

void cli_deinit(struct cli *cli)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", cli->folder);
    assert_int_equal(system(command), 0);
    free(cli->out);
    free(cli->err);
}

/* Runs a command of the shell that fills the files stdout and stderr of the folder. */
static void run_shell(struct cli *cli, const char *command)
{
    char path[128];
    int ended = system(command);
    assert_true(WIFEXITED(ended));
    cli->code = WEXITSTATUS(ended);
    free(cli->out);
    free(cli->err);
    snprintf(path, sizeof path, "%s/stdout", cli->folder);
    cli->out = read_file(path);
    snprintf(path, sizeof path, "%s/stderr", cli->folder);
    cli->err = read_file(path);
}

void cli_run(struct cli *cli, const char *format, ...)
{
    char arguments[COMMAND_BYTES / 2], command[COMMAND_BYTES];
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(arguments, sizeof arguments, format, list) < (int)sizeof arguments);
    va_end(list);
    snprintf(command, sizeof command,
             "{ env -u COLUMNS -u NO_COLOR LC_ALL=C.UTF-8 '%s' %s ; } >'%s/stdout' 2>'%s/stderr'",
             getenv("CUBESIM_BINARY"), arguments, cli->folder, cli->folder);
    run_shell(cli, command);
}

void cli_run_on_terminal(struct cli *cli, const char *format, ...)
{
    char arguments[COMMAND_BYTES / 2], command[COMMAND_BYTES];
    va_list list;
    va_start(list, format);
    assert_true(vsnprintf(arguments, sizeof arguments, format, list) < (int)sizeof arguments);
    va_end(list);
    snprintf(command, sizeof command,
             "env -u COLUMNS NO_COLOR=1 LC_ALL=C.UTF-8 script -qec \"'%s' %s >'%s/stdout'\" "
             "/dev/null </dev/null | tr -d '\\r' >'%s/stderr'",
             getenv("CUBESIM_BINARY"), arguments, cli->folder, cli->folder);
    run_shell(cli, command);
}

const char *cli_path(struct cli *cli, const char *name)
{
    snprintf(cli->path, sizeof cli->path, "%s/%s", cli->folder, name);
    return cli->path;
}

const char *cli_write(struct cli *cli, const char *name, const char *text)
{
    FILE *file = fopen(cli_path(cli, name), "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    return cli->path;
}

json_t *cli_json(const struct cli *cli)
{
    json_error_t error;
    json_t *root = json_loads(cli->out, 0, &error);
    if (root == NULL)
        fail_msg("no JSON: %s\n%s\n%s", error.text, cli->out, cli->err);
    return root;
}

static void assert_has(const struct cli *cli, const char *where, const char *text)
{
    if (strstr(where, text) == NULL)
        fail_msg("'%s' is missing; exit code %d\nstdout:\n%s\nstderr:\n%s", text, cli->code,
                 cli->out, cli->err);
}

void cli_assert_out(const struct cli *cli, const char *text)
{
    assert_has(cli, cli->out, text);
}

void cli_assert_err(const struct cli *cli, const char *text)
{
    /* A copy with the breaks of wrapped messages made spaces again. */
    char *joined = malloc(strlen(cli->err) + 1), *end = joined;
    assert_non_null(joined);
    for (const char *from = cli->err; *from != '\0'; from++) {
        bool goes_on = strncmp(from, "\n    ", 5) == 0 && from[5] != ' ';
        *end++ = goes_on ? ' ' : *from;
        from += goes_on ? 4 : 0;
    }
    *end = '\0';
    bool found = strstr(joined, text) != NULL;
    free(joined);
    if (!found)
        assert_has(cli, cli->err, text);
}

static void assert_lines(const char *text)
{
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n"), columns = 0;
        for (size_t i = 0; i < length; i++)
            columns += ((unsigned char)line[i] & 0xC0) != 0x80;
        if (columns > 80 || (length > 0 && line[length - 1] == ' '))
            fail_msg("%zu columns, or a space at the end: '%.*s'", columns, (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void cli_assert_page(const struct cli *cli)
{
    assert_lines(cli->out);
}

void cli_assert_messages(const struct cli *cli)
{
    assert_lines(cli->err);
}

long long cli_count(const char *database, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open_v2(database, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    long long count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return count;
}
