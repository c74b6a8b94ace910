/* Templates of validations: loops, expressions, and the places of what is wrong in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/validation_template.h"

struct bench {
    struct arena arena;
    struct diag diag;
    const struct node *root;
    struct validation_fill fills[4];
    size_t fill_count;
    struct template_text text;
};

static void bench_init(struct bench *bench, const char *document)
{
    *bench = (struct bench){.fill_count = 0};
    arena_init(&bench->arena, 0);
    diag_init(&bench->diag);
    assert_int_equal(
        tree_parse("v.yaml", document, strlen(document), &bench->arena, &bench->diag, &bench->root),
        STATUS_OK);
}

static void bench_deinit(struct bench *bench)
{
    diag_deinit(&bench->diag);
    arena_deinit(&bench->arena);
}

/* Takes a key of the document as a value of a row. */
static void bench_fill(struct bench *bench, const char *name)
{
    bench->fills[bench->fill_count++] =
        (struct validation_fill){name, tree_find(bench->root, name)};
}

static enum status expand(struct bench *bench)
{
    return template_expand(tree_find(bench->root, "program"), bench->fills, bench->fill_count,
                           &bench->arena, &bench->diag, &bench->text);
}

static void assert_text(const char *document, const char *expected)
{
    struct bench bench;
    bench_init(&bench, document);
    bench_fill(&bench, "size");
    bench_fill(&bench, "type");
    assert_int_equal(expand(&bench), STATUS_OK);
    assert_string_equal(bench.text.source->text, expected);
    bench_deinit(&bench);
}

static void values_and_expressions_are_filled_in(void **state)
{
    (void)state;
    assert_text("size: 24\ntype: fp16\nprogram: |\n  a {type} {size} {size/5*2+1} {(size+1)%7-2}\n",
                "a fp16 24 9 2\n");
}

static void loops_nest_and_count_from_0(void **state)
{
    (void)state;
    assert_text("size: 2\ntype: x\nprogram: |\n  .for i size\n  b {i}\n  .for j i+1\n"
                "  c {10*i+j}\n  .end\n  .end\n  .for k 0\n  d\n  .end\n  e\n",
                "b 0\nc 0\nb 1\nc 10\nc 11\ne\n");
    /* A variable hides a value of the row, alone in its braces or not. */
    assert_text(
        "size: 7\ntype: x\nprogram: |\n  {size}\n  .for size 2\n  {size} {size+0}\n  .end\n",
        "7\n0 0\n1 1\n");
}

static void lines_know_where_they_come_from(void **state)
{
    static const char document[] = "x: 1\nprogram: |\n  p\n  .for i 2\n  q {i}\n  .end\n  r\n";
    static const uint32_t lines[] = {3, 5, 5, 7};
    struct bench bench;
    (void)state;
    bench_init(&bench, document);
    assert_int_equal(expand(&bench), STATUS_OK);
    assert_int_equal(bench.text.line_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(bench.text.lines[i], lines[i]);
    bench_deinit(&bench);
}

static void assert_refused(const char *lines, uint32_t line, const char *message)
{
    struct bench bench;
    char document[512];
    (void)snprintf(document, sizeof document, "size: 8\ntype: fp16\nprogram: |\n%s", lines);
    bench_init(&bench, document);
    bench_fill(&bench, "size");
    bench_fill(&bench, "type");
    assert_int_equal(expand(&bench), STATUS_BAD_INPUT);
    assert_true(bench.diag.count > 0);
    assert_int_equal(bench.diag.problems[0].place.line, line);
    if (strstr(bench.diag.problems[0].message, message) == NULL)
        fail_msg("'%s' does not say '%s'", bench.diag.problems[0].message, message);
    bench_deinit(&bench);
}

static void what_is_wrong_is_told_at_its_line(void **state)
{
    (void)state;
    assert_refused("  a\n  b {sise}\n", 5, "found 'sise', which no row of the case fills in");
    assert_refused("  b {size+}\n", 4, "an expression that is cut short");
    assert_refused("  b {(size}\n", 4, "a '(' without its ')'");
    assert_refused("  b {size 2}\n", 4, "something behind it");
    assert_refused("  b {type+1}\n", 4, "a value that is no whole number");
    assert_refused("  b {size/0}\n", 4, "a division of or by less than 1");
    assert_refused("  b {9223372036854775807+size}\n", 4, "a number beyond 64 bits");
    assert_refused("  b {size\n", 4, "a '{' without its '}'");
    assert_refused("  a\n  .for i 3\n  b\n", 5, "a .for without its .end");
    assert_refused("  .end\n", 4, "an .end without a .for");
    assert_refused("  .for 3\n  .end\n", 4, "an expression that is cut short");
    assert_refused("  .for\n  .end\n", 4, "a .for without a variable");
}

static void a_program_without_end_is_refused(void **state)
{
    (void)state;
    assert_refused("  .for i 1000000\n  .for j 1000000\n  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
                   "  .end\n  .end\n",
                   4, "a program of more than 64 MiB");
    assert_refused("  a\n  .for i 1000000000000\n  .end\n", 5,
                   "loops of more than 16,777,216 turns");
    assert_refused("  .for i 1000000\n  .for j 1000000\n  .end\n  .end\n", 5,
                   "loops of more than 16,777,216 turns");
}

static void a_program_is_a_block(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, "program: mmad\n");
    assert_int_equal(expand(&bench), STATUS_BAD_INPUT);
    assert_non_null(strstr(bench.diag.problems[0].message, "found no block of lines"));
    bench_deinit(&bench);
}

static void a_plan_takes_the_values_of_a_row(void **state)
{
    struct bench bench;
    const struct node *filled = NULL;
    (void)state;
    bench_init(&bench, "size: [1, 2]\nplan:\n  a: {b: \"{size}\", c: 3}\n  d: [\"{size}\"]\n");
    bench_fill(&bench, "size");
    assert_int_equal(template_fill(tree_find(bench.root, "plan"), bench.fills, 1, &bench.arena,
                                   &bench.diag, &filled),
                     STATUS_OK);
    const struct node *a = tree_find(filled, "a");
    assert_ptr_equal(tree_find(a, "b"), tree_find(bench.root, "size"));
    assert_string_equal(tree_find(a, "c")->text, "3");
    assert_ptr_equal(tree_find(filled, "d")->items[0], tree_find(bench.root, "size"));
    bench.fill_count = 0;
    assert_int_equal(template_fill(tree_find(bench.root, "plan"), bench.fills, 0, &bench.arena,
                                   &bench.diag, &filled),
                     STATUS_BAD_INPUT);
    assert_int_equal(bench.diag.count, 2);
    assert_int_equal(bench.diag.problems[0].place.line, 3);
    assert_int_equal(bench.diag.problems[0].place.column, 10);
    bench_deinit(&bench);
}

static void a_template_asks_for_what_stands_in_its_braces(void **state)
{
    struct bench bench;
    (void)state;
    bench_init(&bench, "program: |\n  mmad m={m} n=16 k={kk*2}\n  .for i count\n  .end\n"
                       "plan:\n  x: [{y: \"{width}\"}]\n  z: height\n");
    const struct node *program = tree_find(bench.root, "program");
    const struct node *plan = tree_find(bench.root, "plan");
    assert_true(template_asks(program, "m"));
    assert_true(template_asks(program, "kk"));
    assert_true(template_asks(program, "count"));
    assert_false(template_asks(program, "n"));
    assert_false(template_asks(program, "k"));
    assert_true(template_asks(plan, "width"));
    assert_false(template_asks(plan, "height"));
    (void)state;
    bench_deinit(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_expressions_are_filled_in),
        cmocka_unit_test(loops_nest_and_count_from_0),
        cmocka_unit_test(lines_know_where_they_come_from),
        cmocka_unit_test(what_is_wrong_is_told_at_its_line),
        cmocka_unit_test(a_program_without_end_is_refused),
        cmocka_unit_test(a_program_is_a_block),
        cmocka_unit_test(a_plan_takes_the_values_of_a_row),
        cmocka_unit_test(a_template_asks_for_what_stands_in_its_braces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
