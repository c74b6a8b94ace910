/*
 * `cubesim help metrics`: no key of a JSON object, no column of a view and no label of a summary is
 * without a definition.
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

#include <sqlite3.h>

#include "tests/support/cli.h"

#define PLAN "configs/plans/pointwise_vendor_tile.yaml"

static struct cli cli;
static char db[128];
static char *defined; /* the tables of all words */

static int make_database(void **state)
{
    (void)state;
    cli_init(&cli);
    snprintf(db, sizeof db, "%s", cli_path(&cli, "runs.db"));
    for (int i = 0; i < 2; i++) {
        cli_run(&cli, "run " PLAN " --timing-only --timeline core0 --db %s", db);
        assert_int_equal(cli.code, 0);
    }
    cli_run(&cli, "help metrics --markdown");
    assert_int_equal(cli.code, 0);
    defined = malloc(strlen(cli.out) + 1);
    assert_non_null(defined);
    strcpy(defined, cli.out);
    return 0;
}

static int remove_database(void **state)
{
    (void)state;
    free(defined);
    cli_deinit(&cli);
    return 0;
}

/* Whether a key stands in the second column of a table. */
static bool key_is_defined(const char *key)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "`%s`", key);
    return strstr(defined, quoted) != NULL;
}

/* Whether a word stands in the first column, alone or in a list. */
static bool word_is_defined(const char *word)
{
    size_t length = strlen(word);
    for (const char *line = defined; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "| ", 2) != 0)
            continue;
        const char *end = strstr(line + 2, " | ");
        for (const char *at = line + 2; end != NULL && at + length <= end; at++)
            if (strncmp(at, word, length) == 0 && (at[-1] == ' ') &&
                (at[length] == ',' || at + length == end))
                return true;
    }
    return false;
}

/* Keys of these belong to plans and products, or are names of rows. */
static bool keys_are_foreign(const char *map)
{
    static const char *const maps[] = {"tile", "schedule", "set", "values", "with", "edits"};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (strcmp(map, maps[i]) == 0)
            return true;
    return false;
}

static size_t check_keys(const char *command, json_t *value)
{
    size_t count = 0, index = 0;
    const char *key = NULL;
    json_t *item = NULL;
    json_object_foreach(value, key, item)
    {
        if (!key_is_defined(key))
            fail_msg("'%s' of %s has no definition", key, command);
        count += 1 + (keys_are_foreign(key) ? 0 : check_keys(command, item));
    }
    json_array_foreach(value, index, item) count += check_keys(command, item);
    return count;
}

static void every_key_of_json_has_a_definition(void **state)
{
    (void)state;
    const char *const commands[][2] = {
        {"check " PLAN, ""},
        {"run " PLAN " --verify", ""},
        {"run traces/samples/hazard_race.prog", ""},
        {"validate configs/validation/a2_mte1.yaml", ""},
        {"validate configs/validation/a2_tuning.yaml", ""},
        {"net tests/data/scalesim_gemm.csv", ""},
        {"diff 1 2", db},
        {"diff --set-a run_id=1 --set-b run_id=2", db},
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        size_t name = strcspn(commands[i][0], " ");
        cli_run(&cli, "%.*s %s %s --json", (int)name, commands[i][0], commands[i][1],
                commands[i][0] + name);
        json_t *root = cli_json(&cli);
        assert_true(check_keys(commands[i][0], root) > 10);
        json_decref(root);
    }
}

/* The page of the database, the caller's to free. */
static char *sql_page(void)
{
    enum { PAGE_BYTES = 1 << 18 };
    char *text = calloc(PAGE_BYTES, 1);
    FILE *file = fopen("docs/sql.md", "rb");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, PAGE_BYTES - 1, file) < PAGE_BYTES - 1);
    fclose(file);
    return text;
}

static void every_column_of_a_view_has_a_definition_and_stands_in_the_page_of_sql(void **state)
{
    (void)state;
    char *page = sql_page();
    sqlite3 *opened = NULL;
    sqlite3_stmt *columns = NULL;
    size_t count = 0;
    assert_int_equal(sqlite3_open(db, &opened), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(opened,
                                        "SELECT v.name, c.name FROM sqlite_schema AS v,\n"
                                        "  pragma_table_info(v.name) AS c WHERE v.type = 'view'",
                                        -1, &columns, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(columns) == SQLITE_ROW; count++) {
        const char *column = (const char *)sqlite3_column_text(columns, 1);
        const char *view = (const char *)sqlite3_column_text(columns, 0);
        char quoted[128];
        snprintf(quoted, sizeof quoted, "`%s`", column);
        if (!key_is_defined(column))
            fail_msg("'%s' of %s has no definition", column, view);
        if (strstr(page, quoted) == NULL || strstr(page, view) == NULL)
            fail_msg("'%s' of %s does not stand in docs/sql.md", column, view);
    }
    sqlite3_finalize(columns);
    sqlite3_close(opened);
    free(page);
    assert_true(count > 100);
}

static void every_label_of_a_summary_has_a_definition(void **state)
{
    (void)state;
    enum { LABEL_COLUMNS = 11 };
    size_t count = 0;
    cli_run(&cli, "run " PLAN " --verify --set 'cube.issue=3 cycles'");
    assert_int_equal(cli.code, 0);
    /* Up to the tables every line begins with its label. */
    char *end = strstr(cli.out, "\ncore ");
    assert_non_null(end);
    *end = '\0';
    for (const char *line = strstr(cli.out, "\n\n") + 1; line != NULL; line = strchr(line, '\n')) {
        char label[LABEL_COLUMNS + 1] = "";
        line += *line == '\n';
        size_t length = strcspn(line, "\n");
        if (length < LABEL_COLUMNS || line[0] == ' ' || line[LABEL_COLUMNS - 1] != ' ')
            continue;
        memcpy(label, line, LABEL_COLUMNS);
        for (size_t at = LABEL_COLUMNS; at > 0 && label[at - 1] == ' '; at--)
            label[at - 1] = '\0';
        if (!word_is_defined(label) && !key_is_defined(label))
            fail_msg("'%s' of a summary has no definition", label);
        count++;
    }
    assert_true(count > 10);
}

static void one_word_is_told_by_its_name_or_its_key(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"busy", "cycles in which an instruction occupies the pipe"},
        {"busy_cycles", "cycles in which an instruction occupies the pipe"},
        {"Queue Full", "SCALAR holds an instruction back"},
        {"bound", "the pipe with the largest share of the critical path"},
        {"aic_mac_ratio", "the profiler's: active time of a pipe"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cli_run(&cli, "help metrics '%s'", words[i][0]);
        assert_int_equal(cli.code, 0);
        cli_assert_page(&cli);
        cli_assert_out(&cli, words[i][1]);
    }
    cli_run(&cli, "help metrics busi");
    assert_int_equal(cli.code, 2);
    assert_string_equal(cli.out, "");
    cli_assert_err(&cli, "found no 'busi'; did you mean 'busy'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_of_json_has_a_definition),
        cmocka_unit_test(every_column_of_a_view_has_a_definition_and_stands_in_the_page_of_sql),
        cmocka_unit_test(every_label_of_a_summary_has_a_definition),
        cmocka_unit_test(one_word_is_told_by_its_name_or_its_key),
    };
    return cmocka_run_group_tests(tests, make_database, remove_database);
}
