#include "engine/base/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* libyaml asks for memory through this exported function. The executable's definition stands
 * before the library's, so that a test can refuse a request. */
void *yaml_malloc(size_t size);

static uint64_t yaml_requests_left; /* the request that counts it down to 0 fails; 0: none does */

void *yaml_malloc(size_t size)
{
    if (yaml_requests_left > 0 && --yaml_requests_left == 0) {
        return NULL;
    }
    return malloc(size == 0 ? 1 : size);
}

struct reading {
    struct arena arena;
    struct diag diag;
    const struct node *root;
    enum status status;
};

static void reading_init(struct reading *reading)
{
    *reading = (struct reading){0};
    arena_init(&reading->arena, 0);
    diag_init(&reading->diag);
}

static void reading_deinit(struct reading *reading)
{
    arena_deinit(&reading->arena);
    diag_deinit(&reading->diag);
}

static void reading_parse(struct reading *reading, const char *text, size_t length)
{
    reading_init(reading);
    reading->status =
        tree_parse("a.yaml", text, length, &reading->arena, &reading->diag, &reading->root);
}

static void reading_load(struct reading *reading, const char *path)
{
    reading_init(reading);
    reading->status = tree_load(path, &reading->arena, &reading->diag, &reading->root);
}

/* Refused with exactly these first lines of problems, in this order. */
static void assert_refused_bytes(const char *text, size_t length, const char *const *problems,
                                 size_t count)
{
    struct reading reading;
    reading_parse(&reading, text, length);
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    assert_null(reading.root);
    for (size_t i = 0; i < count && i < reading.diag.count; i++) {
        char first_line[256] = "";
        const char *shown = diag_text(&reading.diag, i);
        (void)snprintf(first_line, sizeof first_line, "%.*s", (int)strcspn(shown, "\n"), shown);
        assert_string_equal(first_line, problems[i]);
    }
    assert_int_equal(reading.diag.count, count);
    reading_deinit(&reading);
}

static void assert_refused(const char *text, const char *problem)
{
    assert_refused_bytes(text, strlen(text), &problem, 1);
}

static void assert_place(const struct node *node, uint32_t line, uint32_t column, uint32_t width)
{
    assert_int_equal(node->place.line, line);
    assert_int_equal(node->place.column, column);
    assert_int_equal(node->place.width, width);
}

static void test_maps_lists_and_scalars_have_text_and_place(void **state)
{
    (void)state;
    static const char text[] = "# a plan\n"
                               "conv:\n"
                               "  input: [1, 64]   # N C\n"
                               "  \xC3\xA4: 'a b'\n"
                               "bias: true\n";
    struct reading reading;
    reading_parse(&reading, text, strlen(text));
    assert_int_equal(reading.status, STATUS_OK);
    assert_int_equal(reading.root->kind, NODE_MAP);
    assert_int_equal(reading.root->count, 2);
    const struct node *conv = tree_find(reading.root, "conv");
    assert_int_equal(conv->kind, NODE_MAP);
    assert_place(conv, 3, 3, 1);
    assert_place(reading.root->keys[0], 2, 1, 4);
    const struct node *input = tree_find(conv, "input");
    assert_int_equal(input->kind, NODE_LIST);
    assert_int_equal(input->count, 2);
    assert_place(input, 3, 10, 1);
    assert_string_equal(input->items[1]->text, "64");
    assert_place(input->items[1], 3, 14, 2);
    assert_false(input->items[1]->quoted);
    const struct node *quoted = tree_find(conv, "\xC3\xA4");
    assert_string_equal(quoted->text, "a b");
    assert_true(quoted->quoted);
    assert_place(quoted, 4, 7, 5);
    assert_string_equal(tree_find(reading.root, "bias")->text, "true");
    assert_null(tree_find(reading.root, "relu"));
    assert_null(tree_find(input, "conv"));
    reading_deinit(&reading);
}

static void test_scalars_keep_the_text_that_was_written(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        const char *text;
        bool quoted;
    } rows[] = {
        {"a: no", "no", false},
        {"a: 1e3", "1e3", false},
        {"a: 010", "010", false},
        {"a: 512 KiB", "512 KiB", false},
        {"a: 256 B/cycle  # per core", "256 B/cycle", false},
        {"a:", "", false},
        {"a: # nothing", "", false},
        {"a: ''", "", true},
        {"a: \"x\\ty\"", "x\ty", true},
        {"a: 'it''s'", "it's", true},
        {"a: one\n  two", "one two", false},
        {"a: |\n  one\n  two\n", "one\ntwo\n", true},
        {"---\na: b\n...\n", "b", false},
        {"\xEF\xBB\xBF"
         "a: b",
         "b", false},
        {"a: b\r\n", "b", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reading reading;
        reading_parse(&reading, rows[i].yaml, strlen(rows[i].yaml));
        assert_int_equal(reading.status, STATUS_OK);
        const struct node *value = tree_find(reading.root, "a");
        assert_string_equal(value->text, rows[i].text);
        assert_int_equal(value->quoted, rows[i].quoted);
        reading_deinit(&reading);
    }
}

static void test_places_are_right_behind_odd_line_ends_and_a_byte_order_mark(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF"
                               "a: b\r\n\r\nccc: dd\r\nlong: one\r\n  two\r\n";
    struct reading reading;
    reading_parse(&reading, text, strlen(text));
    assert_int_equal(reading.status, STATUS_OK);
    assert_place(tree_find(reading.root, "a"), 1, 4, 1);
    assert_place(tree_find(reading.root, "ccc"), 3, 6, 2);
    assert_place(tree_find(reading.root, "long"), 4, 7, 3);
    reading_deinit(&reading);
}

static void test_json_of_the_same_shape_is_accepted(void **state)
{
    (void)state;
    static const char text[] = "{\n\t\"conv\": {\"input\": [1, 64], \"bias\":true},\n"
                               "\t\"note\": \"a\\u00e4\\/\\\"\"\n}\n";
    struct reading reading;
    reading_parse(&reading, text, strlen(text));
    assert_int_equal(reading.status, STATUS_OK);
    const struct node *conv = tree_find(reading.root, "conv");
    assert_string_equal(tree_find(conv, "input")->items[1]->text, "64");
    assert_string_equal(tree_find(conv, "bias")->text, "true");
    assert_false(tree_find(conv, "bias")->quoted);
    assert_string_equal(tree_find(reading.root, "note")->text, "a\xC3\xA4/\"");
    assert_place(reading.root, 1, 1, 1);
    reading_deinit(&reading);
}

static void test_what_is_not_plain_yaml_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *problem;
    } rows[] = {
        {"a: &x 1\n", "a.yaml:1:4: found an anchor; expected the value written in place"},
        {"a: 1\nb: *x\n", "a.yaml:2:4: found an alias; expected the value written in place"},
        {"a: !!int 1\n", "a.yaml:1:4: found a tag; expected a plain value without '!'"},
        {"a: !x [1]\n", "a.yaml:1:4: found a tag; expected a plain value without '!'"},
        {"a: !x {b: 1}\n", "a.yaml:1:4: found a tag; expected a plain value without '!'"},
        {"%YAML 1.1\n---\na: 1\n",
         "a.yaml:1:1: found a directive; expected a document without '%' lines"},
        {"%TAG ! !x\n---\na: 1\n",
         "a.yaml:1:1: found a directive; expected a document without '%' lines"},
        {"a: 1\n---\nb: 2\n", "a.yaml:2:1: found a second document; expected one in a file"},
        {"a: 1\nb: 2\na: 3\n", "a.yaml:3:1: found key 'a' again; expected it once, as in line 1"},
        {"a: {x: 1, \"x\": 2}\n",
         "a.yaml:1:11: found key 'x' again; expected it once, as in line 1"},
        {"a: 1\n? [x]\n: 2\n", "a.yaml:2:3: found a list as a key; expected a word"},
        {"{a: 1, {x: 1}: 2}\n", "a.yaml:1:8: found a map as a key; expected a word"},
        {"a: \"x\\0y\"\n", "a.yaml:1:4: found a zero character; expected text"},
        {"", "a.yaml: found nothing; expected a YAML document"},
        {"# only a comment\n", "a.yaml: found nothing; expected a YAML document"},
        {"---\n...\n", "a.yaml: found nothing; expected a YAML document"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_refused(rows[i].text, rows[i].problem);
    }
}

static void test_bytes_that_are_no_text_are_refused_with_their_place(void **state)
{
    (void)state;
    assert_refused("a: 1\nb: \xC3(\n", "a.yaml:2:4: found the byte 0xC3; expected UTF-8 text");
    assert_refused("a: \xED\xA0\x80\n", "a.yaml:1:4: found the byte 0xED; expected UTF-8 text");
    assert_refused("a\x1B: 1\n", "a.yaml:1:2: found the control character U+001B; expected text");
    assert_refused("a: \xC2\x84\n",
                   "a.yaml:1:4: found the control character U+0084; expected text");
    const char *zero = "a.yaml:2:2: found the control character U+0000; expected text";
    assert_refused_bytes("a: 1\nb\0: 2\n", 11, &zero, 1);
    const char *utf16 = "a.yaml:1:1: found the byte 0xFF; expected UTF-8 text";
    assert_refused_bytes("\xFF\xFE"
                         "a\0:\0",
                         6, &utf16, 1);
}

static void test_a_syntax_error_stops_at_its_place(void **state)
{
    (void)state;
    assert_refused("a: [1, 2\nb: 3\n",
                   "a.yaml:2:2: did not find expected ',' or ']' (while parsing a flow sequence "
                   "at 1:4)");
    assert_refused("a:\n\tb: 1\n", "a.yaml:2:1: found a tab; expected spaces as indentation");
    assert_refused("a: 1\n b: 2\n", "a.yaml:2:3: mapping values are not allowed in this context");
    assert_refused("a: 'x\n", "a.yaml:2:1: found unexpected end of stream (while scanning a "
                              "quoted scalar at 1:4)");
    assert_refused("\xC3\xA4\xC3\xA4: @x\n",
                   "a.yaml:1:7: found character that cannot start any token (while scanning for "
                   "the next token at 1:7)");
}

static void test_every_problem_of_the_structure_is_reported_in_order(void **state)
{
    (void)state;
    static const char text[] = "z: &x 1\n"
                               "m:\n"
                               "  q: 1\n"
                               "  b: 2\n"
                               "  q: 3\n"
                               "  b: 4\n"
                               "  q: 5\n"
                               "n: [*x, !t y]\n";
    static const char *const problems[] = {
        "a.yaml:1:4: found an anchor; expected the value written in place",
        "a.yaml:5:3: found key 'q' again; expected it once, as in line 3",
        "a.yaml:6:3: found key 'b' again; expected it once, as in line 4",
        "a.yaml:7:3: found key 'q' again; expected it once, as in line 3",
        "a.yaml:8:5: found an alias; expected the value written in place",
        "a.yaml:8:9: found a tag; expected a plain value without '!'",
    };
    assert_refused_bytes(text, strlen(text), problems, sizeof problems / sizeof problems[0]);
}

static void test_problems_before_a_syntax_error_are_kept(void **state)
{
    (void)state;
    static const char *const problems[] = {
        "a.yaml:1:4: found an anchor; expected the value written in place",
        "a.yaml:3:3: mapping values are not allowed in this context",
    };
    static const char text[] = "a: &x 1\nb: 2\n c: 3\n";
    assert_refused_bytes(text, strlen(text), problems, 2);
}

static void test_nesting_is_accepted_to_64_levels_and_refused_beyond(void **state)
{
    (void)state;
    char text[256] = "";
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    struct reading reading;
    reading_parse(&reading, text, 128);
    assert_int_equal(reading.status, STATUS_OK);
    reading_deinit(&reading);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_refused(text, "a.yaml:1:65: found a value nested more than 64 levels deep; expected "
                         "fewer levels");
    enum { DEEP = 1000000 };
    char *deep = malloc(DEEP + 1);
    assert_non_null(deep);
    memset(deep, '[', DEEP);
    deep[DEEP] = '\0';
    assert_refused(deep, "a.yaml:1:65: found a value nested more than 64 levels deep; expected "
                         "fewer levels");
    free(deep);
}

static void test_a_map_of_many_keys_is_checked_whole(void **state)
{
    (void)state;
    enum { COUNT = 50000 };
    char *text = malloc((size_t)COUNT * 16);
    assert_non_null(text);
    size_t length = 0;
    for (int i = 0; i < COUNT; i++) {
        length += (size_t)sprintf(text + length, "k%d: %d\n", i, i);
    }
    struct reading reading;
    reading_parse(&reading, text, length);
    assert_int_equal(reading.status, STATUS_OK);
    assert_int_equal(reading.root->count, COUNT);
    assert_string_equal(tree_find(reading.root, "k49999")->text, "49999");
    reading_deinit(&reading);
    (void)sprintf(text + length, "k7: 1\n");
    assert_refused(text, "a.yaml:50001:1: found key 'k7' again; expected it once, as in line 8");
    free(text);
}

static void test_files_over_16_mib_are_refused(void **state)
{
    (void)state;
    enum { SIZE = 16 * 1024 * 1024 };
    char *text = malloc(SIZE + 1);
    assert_non_null(text);
    memset(text, ' ', SIZE + 1);
    memcpy(text, "a: 1 #", 6);
    struct reading reading;
    reading_parse(&reading, text, SIZE);
    assert_int_equal(reading.status, STATUS_OK);
    reading_deinit(&reading);
    const char *problem = "a.yaml: found more than 16 MiB; expected a file of at most 16 MiB";
    assert_refused_bytes(text, SIZE + 1, &problem, 1);
    free(text);
    reading_load(&reading, "/dev/zero");
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    assert_string_equal(diag_text(&reading.diag, 0),
                        "/dev/zero: found more than 16 MiB; expected a file of at most 16 MiB");
    reading_deinit(&reading);
}

static void test_a_file_is_read_and_named_in_problems(void **state)
{
    (void)state;
    char path[] = "/tmp/cubesim_tree_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    static const char text[] = "a: 1\na: 2\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    struct reading reading;
    reading_load(&reading, path);
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    char expected[256];
    (void)snprintf(expected, sizeof expected,
                   "%s:2:1: found key 'a' again; expected it once, as in line 1\n"
                   "    2 | a: 2\n"
                   "      | ^",
                   path);
    assert_string_equal(diag_text(&reading.diag, 0), expected);
    reading_deinit(&reading);
    assert_int_equal(ftruncate(file, 5), 0);
    reading_load(&reading, path);
    assert_int_equal(reading.status, STATUS_OK);
    assert_string_equal(reading.root->place.source->name, path);
    assert_string_equal(tree_find(reading.root, "a")->text, "1");
    reading_deinit(&reading);
    assert_int_equal(ftruncate(file, 0), 0);
    reading_load(&reading, path);
    assert_int_equal(reading.status, STATUS_BAD_INPUT);
    reading_deinit(&reading);
    close(file);
    unlink(path);
}

static void assert_load(const char *path, enum status status, const char *problem)
{
    struct reading reading;
    reading_load(&reading, path);
    assert_int_equal(reading.status, status);
    assert_null(reading.root);
    assert_int_equal(reading.diag.count, 1);
    assert_string_equal(diag_text(&reading.diag, 0), problem);
    reading_deinit(&reading);
}

static void test_a_wrong_path_is_bad_input(void **state)
{
    (void)state;
    assert_load("no/such.yaml", STATUS_BAD_INPUT,
                "no/such.yaml: cannot open: No such file or directory");
    assert_load("/tmp", STATUS_BAD_INPUT, "/tmp: found a directory; expected a file");
    char path[] = "/tmp/cubesim_tree_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) != 0) { /* root may read everything */
        char expected[128];
        (void)snprintf(expected, sizeof expected, "%s: cannot open: Permission denied", path);
        assert_load(path, STATUS_BAD_INPUT, expected);
    }
    unlink(path);
}

static void test_a_failing_read_is_an_input_output_error(void **state)
{
    (void)state;
    /* The first page of a process is never mapped, so reading it fails as a bad disk does. */
    if (access("/proc/self/mem", R_OK) != 0) {
        skip();
    }
    assert_load("/proc/self/mem", STATUS_IO, "/proc/self/mem: cannot read: Input/output error");
}

static const char fault_text[] = "a: [1, {b: 'c'}]\nd: &x 2\nd: !t 3\n";

static void test_running_out_of_our_memory_is_a_status_wherever_it_happens(void **state)
{
    (void)state;
    uint64_t failures = 0;
    for (uint64_t nth = 1;; nth++) {
        struct reading reading;
        bool good = nth % 2 == 0; /* accepted and refused texts take different paths */
        arena_fail_at(nth / 2 + 1);
        reading_parse(&reading, fault_text, good ? 17 : sizeof fault_text - 1);
        bool pending = arena_fail_pending();
        arena_fail_at(0);
        if (reading.status == STATUS_NO_MEMORY) {
            assert_null(reading.root);
            assert_int_equal(diag_status(&reading.diag), STATUS_NO_MEMORY);
            failures++;
        } else {
            assert_int_equal(reading.status, good ? STATUS_OK : STATUS_BAD_INPUT);
            assert_int_equal(reading.root != NULL, good);
        }
        reading_deinit(&reading);
        if (pending && !good) {
            break;
        }
    }
    assert_true(failures > 40);
}

static void test_running_out_of_memory_while_loading_a_file_is_a_status(void **state)
{
    (void)state;
    for (uint64_t nth = 1;; nth++) {
        struct reading reading;
        arena_fail_at(nth);
        reading_load(&reading, "no/such.yaml");
        bool pending = arena_fail_pending();
        arena_fail_at(0);
        assert_int_equal(reading.status, pending ? STATUS_BAD_INPUT : STATUS_NO_MEMORY);
        reading_deinit(&reading);
        if (pending) {
            break;
        }
    }
    struct reading reading;
    arena_fail_at(1);
    reading_load(&reading, "/dev/zero");
    assert_int_equal(reading.status, STATUS_NO_MEMORY);
    assert_string_equal(diag_text(&reading.diag, 0), "/dev/zero: memory ran out while reading");
    reading_deinit(&reading);
}

static void test_a_limit_of_the_arena_is_kept(void **state)
{
    (void)state;
    struct reading reading;
    reading_init(&reading);
    arena_deinit(&reading.arena);
    arena_init(&reading.arena, 300);
    static const char text[] = "[1, 2, 3, 4, 5, 6, 7, 8, 9]";
    reading.status =
        tree_parse("a.yaml", text, strlen(text), &reading.arena, &reading.diag, &reading.root);
    assert_int_equal(reading.status, STATUS_NO_MEMORY);
    assert_string_equal(diag_text(&reading.diag, 0), "memory ran out while reading 'a.yaml'");
    reading_deinit(&reading);
}

static void test_running_out_of_memory_in_the_parser_is_a_status(void **state)
{
    (void)state;
    uint64_t failures = 0;
    for (uint64_t nth = 1;; nth++) {
        struct reading reading;
        yaml_requests_left = nth;
        reading_parse(&reading, fault_text, 17);
        bool reached = yaml_requests_left == 0;
        yaml_requests_left = 0;
        assert_int_equal(reading.status, reached ? STATUS_NO_MEMORY : STATUS_OK);
        failures += reached;
        reading_deinit(&reading);
        if (!reached) {
            break;
        }
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps_lists_and_scalars_have_text_and_place),
        cmocka_unit_test(test_scalars_keep_the_text_that_was_written),
        cmocka_unit_test(test_places_are_right_behind_odd_line_ends_and_a_byte_order_mark),
        cmocka_unit_test(test_json_of_the_same_shape_is_accepted),
        cmocka_unit_test(test_what_is_not_plain_yaml_is_refused_with_its_place),
        cmocka_unit_test(test_bytes_that_are_no_text_are_refused_with_their_place),
        cmocka_unit_test(test_a_syntax_error_stops_at_its_place),
        cmocka_unit_test(test_every_problem_of_the_structure_is_reported_in_order),
        cmocka_unit_test(test_problems_before_a_syntax_error_are_kept),
        cmocka_unit_test(test_nesting_is_accepted_to_64_levels_and_refused_beyond),
        cmocka_unit_test(test_a_map_of_many_keys_is_checked_whole),
        cmocka_unit_test(test_files_over_16_mib_are_refused),
        cmocka_unit_test(test_a_file_is_read_and_named_in_problems),
        cmocka_unit_test(test_a_wrong_path_is_bad_input),
        cmocka_unit_test(test_a_failing_read_is_an_input_output_error),
        cmocka_unit_test(test_running_out_of_our_memory_is_a_status_wherever_it_happens),
        cmocka_unit_test(test_running_out_of_memory_while_loading_a_file_is_a_status),
        cmocka_unit_test(test_a_limit_of_the_arena_is_kept),
        cmocka_unit_test(test_running_out_of_memory_in_the_parser_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
