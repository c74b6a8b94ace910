/* The store when the world fails: what is refused is said, and a run is there whole or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/store_fixture.h"

static struct fixture fixture;

static int make_fixture(void **state)
{
    (void)state;
    fixture_init(&fixture);
    return 0;
}

static int remove_fixture(void **state)
{
    (void)state;
    fixture_deinit(&fixture);
    return 0;
}

static const char *last_message(void)
{
    return fixture.diag.count == 0 ? "" : fixture.diag.problems[fixture.diag.count - 1].message;
}

/* Opening gives DATABASE and a message with these words. */
static void assert_refused(const char *path, bool create, const char *words)
{
    struct store *store = NULL;
    assert_int_equal(store_open(path, create, &fixture.diag, &store), STATUS_DATABASE);
    assert_null(store);
    assert_non_null(strstr(last_message(), words));
    assert_non_null(strstr(last_message(), path));
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Files in the folder of the fixture. */
static size_t count_files(void)
{
    size_t count = 0;
    DIR *folder = opendir(fixture.folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Every run of the database has all that belongs to it; returns how many there are. */
static uint64_t assert_runs_are_whole(void)
{
    struct store *store = fixture_open(&fixture);
    assert_string_equal(fixture_query(&fixture, store, "PRAGMA integrity_check"), "ok\n");
    assert_string_equal(fixture_query(&fixture, store, "PRAGMA foreign_key_check"), "");
    assert_string_equal(
        fixture_query(&fixture, store,
                      "SELECT COUNT(*) FROM run AS r WHERE timeline <> 'none' AND instructions <>\n"
                      "  (SELECT COUNT(*) FROM v_instruction AS i WHERE i.run_id = r.run_id)"),
        "0\n");
    assert_string_equal(
        fixture_query(&fixture, store,
                      "SELECT (SELECT COUNT(*) FROM timeline WHERE run_id NOT IN\n"
                      "  (SELECT run_id FROM run)) + (SELECT COUNT(*) FROM instruction\n"
                      "  WHERE run_id NOT IN (SELECT run_id FROM run))"),
        "0\n");
    uint64_t runs =
        strtoull(fixture_query(&fixture, store, "SELECT COUNT(*) FROM v_run"), NULL, 10);
    store_close(store);
    return runs;
}

/* Runs work in a child and returns how it ended. The child must not return into cmocka. */
static int in_child(void (*work)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work();
        _exit(0);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    return ended;
}

static void expect_in_child(bool holds)
{
    if (!holds)
        _exit(1);
}

#define assert_child_passed(ended) assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0)

/* ---- files that are refused ---- */

static void test_a_newer_database_is_refused(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    fixture_query(&fixture, store, "PRAGMA user_version = 3");
    store_close(store);
    assert_refused(fixture.path, true, "found schema version 3, made by a newer cubesim");
    assert_refused(fixture.path, false, "expected at most 2");
}

static void test_a_database_of_another_program_is_refused_and_left_alone(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    fixture_query(&fixture, store, "PRAGMA application_id = 7");
    store_close(store);
    assert_refused(fixture.path, true, "database of another program");

    /* One without any mark, but with tables. */
    assert_int_equal(store_open(fixture.path, false, &fixture.diag, &store), STATUS_DATABASE);
    unlink(fixture.path);
    store = fixture_open(&fixture);
    fixture_query(&fixture, store, "PRAGMA application_id = 0; PRAGMA user_version = 0");
    store_close(store);
    struct stat before, after;
    assert_int_equal(stat(fixture.path, &before), 0);
    assert_refused(fixture.path, true, "expected one made by cubesim");
    assert_int_equal(stat(fixture.path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
}

static void test_a_file_that_is_no_database_is_refused_and_left_alone(void **state)
{
    (void)state;
    static const char text[] = "product: atlas-a2\nconv: {input: [1, 64, 56, 56]}\n";
    write_file(fixture.path, text);
    assert_refused(fixture.path, true, "not a database");
    assert_refused(fixture.path, false, "not a database");
    char read[128] = "";
    FILE *file = fopen(fixture.path, "r");
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof read - 1, file), strlen(text));
    fclose(file);
    assert_string_equal(read, text);
}

static void test_a_missing_database_is_not_made_for_reading(void **state)
{
    (void)state;
    assert_refused(fixture.path, false, "unable to open");
    assert_int_equal(count_files(), 0);
}

static void test_a_folder_that_is_not_there_is_refused(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/none/runs.db", fixture.folder);
    assert_refused(path, true, "unable to open");
    assert_refused(fixture.folder, true, "unable to open");
}

/* ---- places that cannot be written; as somebody who is not root ---- */

static void become_nobody(void)
{
    enum { NOBODY = 65534 };
    if (geteuid() == 0)
        expect_in_child(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

static void open_in_foreign_folder(void)
{
    become_nobody();
    struct store *store = NULL;
    expect_in_child(store_open(fixture.path, true, &fixture.diag, &store) == STATUS_DATABASE);
    expect_in_child(strstr(last_message(), fixture.path) != NULL);
}

static void test_a_folder_that_may_not_be_written_is_refused(void **state)
{
    (void)state;
    assert_int_equal(chmod(fixture.folder, 0555), 0);
    int ended = in_child(open_in_foreign_folder);
    assert_int_equal(chmod(fixture.folder, 0755), 0);
    assert_child_passed(ended);
    assert_int_equal(count_files(), 0);
}

static void read_and_write_read_only(void)
{
    become_nobody();
    struct store *store = NULL;
    struct stored_run run;
    expect_in_child(store_open(fixture.path, false, &fixture.diag, &store) == STATUS_OK);
    expect_in_child(store_find_run(store, 0, &fixture.arena, &fixture.diag, &run) == STATUS_OK);
    expect_in_child(run.run_id == 1);
    int64_t run_id = 0;
    expect_in_child(store_begin(store, &fixture.subject, "0.1.0", &fixture.diag, &run_id) ==
                    STATUS_DATABASE);
    expect_in_child(strstr(last_message(), "cannot save the run in") != NULL);
    store_close(store);
    expect_in_child(store_open(fixture.path, true, &fixture.diag, &store) != STATUS_OK ||
                    store_begin(store, &fixture.subject, "0.1.0", &fixture.diag, &run_id) ==
                        STATUS_DATABASE);
}

static void test_a_read_only_database_can_be_read_and_not_written(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    fixture_save(&fixture, store);
    store_close(store);
    assert_int_equal(chmod(fixture.path, 0444), 0);
    assert_int_equal(chmod(fixture.folder, 0555), 0);
    int ended = in_child(read_and_write_read_only);
    assert_int_equal(chmod(fixture.folder, 0755), 0);
    assert_int_equal(chmod(fixture.path, 0644), 0);
    assert_child_passed(ended);
    assert_int_equal(assert_runs_are_whole(), 1);
}

/* ---- no room ---- */

enum { MANY_ROWS = 20000, SOME_ROWS = 2000 };

static void test_a_full_database_takes_no_part_of_a_run(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    fixture_save(&fixture, store);
    fixture_query(&fixture, store, "PRAGMA max_page_count = 60");
    fixture.result.instructions = MANY_ROWS;
    assert_int_equal(fixture_flood(&fixture, store, MANY_ROWS), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_DATABASE);
    assert_non_null(strstr(last_message(), "full"));
    store_close(store);
    assert_int_equal(assert_runs_are_whole(), 1);

    store = fixture_open(&fixture);
    assert_int_equal(fixture_flood(&fixture, store, MANY_ROWS), STATUS_OK);
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_OK);
    store_close(store);
    assert_int_equal(assert_runs_are_whole(), 2);
    assert_int_equal(count_files(), 1);
}

static rlim_t file_limit_bytes;
static bool die_at_limit;

/* Saves a long run where files may not grow beyond the limit. */
static void save_with_file_limit(void)
{
    struct rlimit limit = {file_limit_bytes, file_limit_bytes}, no_core = {0, 0};
    expect_in_child(setrlimit(RLIMIT_CORE, &no_core) == 0);
    struct store *store = NULL;
    expect_in_child(store_open(fixture.path, true, &fixture.diag, &store) == STATUS_OK);
    signal(SIGXFSZ, die_at_limit ? SIG_DFL : SIG_IGN);
    expect_in_child(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    fixture.result.instructions = MANY_ROWS;
    enum status status = fixture_flood(&fixture, store, MANY_ROWS);
    if (status == STATUS_OK)
        status = store_finish(store, &fixture.result, &fixture.diag);
    else
        expect_in_child(status == STATUS_DATABASE || store_problem(store)[0] != '\0');
    store_close(store);
    /* Anything but success is an environment that failed, and says so. */
    _exit(status == STATUS_OK ? 0 : status_exit_code(status));
}

static void test_a_disk_that_takes_no_more_fails_cleanly_at_every_place(void **state)
{
    (void)state;
    store_close(fixture_open(&fixture));
    die_at_limit = false;
    uint64_t failures = 0;
    int ended = 1;
    for (file_limit_bytes = 4096; ended != 0; file_limit_bytes += file_limit_bytes / 2) {
        ended = in_child(save_with_file_limit);
        assert_true(WIFEXITED(ended));
        assert_true(WEXITSTATUS(ended) == 0 || WEXITSTATUS(ended) == 3);
        assert_int_equal(assert_runs_are_whole(), ended == 0 ? 1 : 0);
        failures += ended != 0;
    }
    assert_true(failures >= 5);
    assert_int_equal(count_files(), 1);
}

/* ---- processes that die ---- */

static void test_a_process_killed_at_any_write_leaves_whole_runs(void **state)
{
    (void)state;
    store_close(fixture_open(&fixture));
    die_at_limit = true;
    uint64_t kills = 0;
    int ended = 1;
    for (file_limit_bytes = 4096; ended != 0; file_limit_bytes += file_limit_bytes / 2) {
        ended = in_child(save_with_file_limit);
        assert_true(ended == 0 || (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXFSZ));
        assert_int_equal(assert_runs_are_whole(), ended == 0 ? 1 : 0);
        kills += ended != 0;
    }
    assert_true(kills >= 5);
    assert_int_equal(count_files(), 1);
}

static void save_one_and_die_in_the_next(void)
{
    struct store *store = fixture_open(&fixture);
    fixture_save(&fixture, store);
    expect_in_child(fixture_flood(&fixture, store, MANY_ROWS) == STATUS_OK);
    raise(SIGKILL);
}

static void test_a_process_killed_between_rows_and_finish_leaves_earlier_runs(void **state)
{
    (void)state;
    int ended = in_child(save_one_and_die_in_the_next);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    assert_int_equal(assert_runs_are_whole(), 1);
    assert_int_equal(count_files(), 1);
    struct store *store = fixture_open(&fixture);
    assert_true(fixture_save(&fixture, store) > 1);
    store_close(store);
}

/* ---- several processes ---- */

enum { WRITERS = 3, RUNS_EACH = 8 };

static void save_several(void)
{
    struct store *store = NULL;
    expect_in_child(store_open(fixture.path, true, &fixture.diag, &store) == STATUS_OK);
    for (int i = 0; i < RUNS_EACH; i++) {
        int64_t run_id = 0;
        expect_in_child(store_begin(store, &fixture.subject, "0.1.0", &fixture.diag, &run_id) ==
                        STATUS_OK);
        expect_in_child(fixture_emit(&fixture, store) == STATUS_OK);
        expect_in_child(store_finish(store, &fixture.result, &fixture.diag) == STATUS_OK);
    }
    store_close(store);
}

/* Lets several processes do the same work on one database, which does not exist yet. */
static void work_together(void (*work)(void))
{
    pid_t child[WRITERS];
    fflush(NULL);
    for (int i = 0; i < WRITERS; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            work();
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int ended = 1;
        assert_int_equal(waitpid(child[i], &ended, 0), child[i]);
        assert_child_passed(ended);
    }
}

static void test_processes_that_fill_one_database_at_once_all_succeed(void **state)
{
    (void)state;
    work_together(save_several);
    assert_int_equal(assert_runs_are_whole(), WRITERS * RUNS_EACH);
}

static void open_only(void)
{
    struct store *store = NULL;
    expect_in_child(store_open(fixture.path, true, &fixture.diag, &store) == STATUS_OK);
    store_close(store);
}

static void test_processes_that_make_one_database_at_once_all_succeed(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        unlink(fixture.path);
        work_together(open_only);
        assert_int_equal(assert_runs_are_whole(), 0);
    }
}

static void test_a_run_does_not_lock_the_database_until_it_is_finished(void **state)
{
    (void)state;
    struct store *slow = fixture_open(&fixture), *quick = fixture_open(&fixture);
    assert_int_equal(fixture_flood(&fixture, slow, MANY_ROWS), STATUS_OK);
    assert_int_equal(fixture_save(&fixture, quick), 2);
    fixture.result.instructions = MANY_ROWS;
    assert_int_equal(store_finish(slow, &fixture.result, &fixture.diag), STATUS_OK);
    store_close(quick);
    store_close(slow);
    assert_int_equal(assert_runs_are_whole(), 2);
}

static void test_an_open_reader_does_not_stop_a_writer(void **state)
{
    (void)state;
    struct store *reader = fixture_open(&fixture), *writer = fixture_open(&fixture);
    assert_string_equal(fixture_query(&fixture, reader, "BEGIN; SELECT COUNT(*) FROM v_run"),
                        "0\n");
    assert_int_equal(fixture_save(&fixture, writer), 1);
    assert_string_equal(fixture_query(&fixture, reader, "SELECT COUNT(*) FROM v_run"), "0\n");
    assert_string_equal(fixture_query(&fixture, reader, "COMMIT; SELECT COUNT(*) FROM v_run"),
                        "1\n");
    store_close(reader);
    store_close(writer);
}

static void test_a_lock_that_is_never_released_is_an_error_with_its_reason(void **state)
{
    (void)state;
    struct store *holder = fixture_open(&fixture), *store = fixture_open(&fixture);
    fixture_query(&fixture, store, "PRAGMA busy_timeout = 20");
    fixture_query(&fixture, holder, "BEGIN IMMEDIATE");
    int64_t run_id = 0;
    assert_int_equal(store_begin(store, &fixture.subject, "0.1.0", &fixture.diag, &run_id),
                     STATUS_DATABASE);
    assert_non_null(strstr(last_message(), "another process has been writing to it"));
    fixture_query(&fixture, holder, "COMMIT");

    assert_int_equal(fixture_flood(&fixture, store, 100), STATUS_OK);
    fixture_query(&fixture, holder, "BEGIN IMMEDIATE");
    assert_int_equal(store_finish(store, &fixture.result, &fixture.diag), STATUS_DATABASE);
    fixture_query(&fixture, holder, "COMMIT");
    assert_string_equal(fixture_query(&fixture, store, "SELECT COUNT(*) FROM v_run"), "0\n");
    assert_int_equal(fixture_save(&fixture, store), 2);
    store_close(store);
    store_close(holder);
}

/* ---- memory ---- */

/* Saves a run while the n-th request for memory after its begin fails. */
static enum status save_without_memory(struct store *store, uint64_t nth)
{
    assert_int_equal(fixture_begin(&fixture, store), STATUS_OK);
    arena_fail_at(nth);
    enum status status = fixture_emit_many(store, SOME_ROWS);
    if (status == STATUS_OK)
        status = store_finish(store, &fixture.result, &fixture.diag);
    else
        store_abort(store);
    return status;
}

static void test_every_request_for_memory_may_fail(void **state)
{
    (void)state;
    struct store *store = fixture_open(&fixture);
    fixture.result.instructions = SOME_ROWS;
    uint64_t failures = 0;
    for (bool pending = false; !pending; failures += !pending) {
        enum status status = save_without_memory(store, failures + 1);
        pending = arena_fail_pending();
        arena_fail_at(0);
        assert_int_equal(status, pending ? STATUS_OK : STATUS_NO_MEMORY);
        assert_string_equal(fixture_query(&fixture, store, "SELECT COUNT(*) FROM run"),
                            pending ? "1\n" : "0\n");
    }
    assert_true(failures > 10);
    store_close(store);
    assert_int_equal(assert_runs_are_whole(), 1);
}

static void test_a_run_is_not_begun_and_a_store_not_opened_without_memory(void **state)
{
    (void)state;
    struct store *store = NULL;
    for (uint64_t nth = 1; nth <= 2; nth++) {
        arena_fail_at(nth);
        assert_int_equal(store_open(fixture.path, true, &fixture.diag, &store), STATUS_NO_MEMORY);
        assert_null(store);
    }
    store = fixture_open(&fixture);
    arena_fail_at(1);
    assert_int_equal(fixture_begin(&fixture, store), STATUS_NO_MEMORY);
    assert_int_equal(fixture_save(&fixture, store), 2);
    store_close(store);
}

#define STORE_TEST(test) cmocka_unit_test_setup_teardown(test, make_fixture, remove_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_a_newer_database_is_refused),
        STORE_TEST(test_a_database_of_another_program_is_refused_and_left_alone),
        STORE_TEST(test_a_file_that_is_no_database_is_refused_and_left_alone),
        STORE_TEST(test_a_missing_database_is_not_made_for_reading),
        STORE_TEST(test_a_folder_that_is_not_there_is_refused),
        STORE_TEST(test_a_folder_that_may_not_be_written_is_refused),
        STORE_TEST(test_a_read_only_database_can_be_read_and_not_written),
        STORE_TEST(test_a_full_database_takes_no_part_of_a_run),
        STORE_TEST(test_a_disk_that_takes_no_more_fails_cleanly_at_every_place),
        STORE_TEST(test_a_process_killed_at_any_write_leaves_whole_runs),
        STORE_TEST(test_a_process_killed_between_rows_and_finish_leaves_earlier_runs),
        STORE_TEST(test_processes_that_fill_one_database_at_once_all_succeed),
        STORE_TEST(test_processes_that_make_one_database_at_once_all_succeed),
        STORE_TEST(test_a_run_does_not_lock_the_database_until_it_is_finished),
        STORE_TEST(test_an_open_reader_does_not_stop_a_writer),
        STORE_TEST(test_a_lock_that_is_never_released_is_an_error_with_its_reason),
        STORE_TEST(test_every_request_for_memory_may_fail),
        STORE_TEST(test_a_run_is_not_begun_and_a_store_not_opened_without_memory),
    };
    return cmocka_run_group_tests_name("store_fault", tests, NULL, NULL);
}
