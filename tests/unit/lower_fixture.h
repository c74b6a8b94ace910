/*
 * Plans on their way to a program, and what holds for every stream, for the tests of lower*.c.
 */
#ifndef CUBESIM_TESTS_UNIT_LOWER_FIXTURE_H
#define CUBESIM_TESTS_UNIT_LOWER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/insn_check.h"
#include "isa/program_format.h"
#include "model/lower.h"
#include "tests/support/run_check.h"

enum { LINE_MAX_BYTES = 512 };

static inline struct run_case *loaded(const char *yaml, const char *product)
{
    struct run_case *c = run_case_open("lower");
    enum status status = run_case_load(c, yaml, product);
    if (status != STATUS_OK)
        fail_msg("%s", c->diag.count > 0 ? diag_text(&c->diag, 0) : status_sentence(status));
    return c;
}

static inline struct program lowered(struct run_case *c)
{
    struct program program;
    if (lower_plan(&c->plan, &c->arena, &c->diag, &program) != STATUS_OK)
        fail_msg("%s", c->diag.count > 0 ? diag_text(&c->diag, 0) : "not lowered");
    return program;
}

/* The program of core 0 against a file; UPDATE_GOLDEN=1 writes the file instead. */
static inline void check_golden(const char *yaml, const char *product, const char *path)
{
    struct run_case *c = loaded(yaml, product);
    struct program program = lowered(c);
    void *stream = program.open(program.context, 0, &c->arena);
    bool update = getenv("UPDATE_GOLDEN") != NULL;
    FILE *file = fopen(path, update ? "w" : "r");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    struct insn insn;
    char line[LINE_MAX_BYTES], expected[LINE_MAX_BYTES];
    while (program.next(stream, &insn)) {
        assert_true(program_format_insn(&program, &insn, line, sizeof line) < sizeof line);
        if (update) {
            fprintf(file, "%s\n", line);
            continue;
        }
        assert_non_null(fgets(expected, sizeof expected, file));
        expected[strcspn(expected, "\n")] = '\0';
        assert_string_equal(line, expected);
    }
    if (!update)
        assert_null(fgets(expected, sizeof expected, file));
    fclose(file);
    run_case_close(c);
}

/* Counts instructions and checks what holds for every stream. */
static inline void check_stream(struct run_case *c, uint32_t core, uint64_t count[OP_COUNT])
{
    struct program program = lowered(c);
    void *streams[2] = {program.open(program.context, core, &c->arena),
                        program.open(program.context, core, &c->arena)};
    uint32_t flag[PIPE_COUNT * PIPE_COUNT * EVENT_IDS] = {0};
    struct insn insn, again;
    char text[2][LINE_MAX_BYTES];
    memset(count, 0, OP_COUNT * sizeof count[0]);
    while (program.next(streams[0], &insn)) {
        assert_true(program.next(streams[1], &again));
        program_format_insn(&program, &insn, text[0], sizeof text[0]);
        program_format_insn(&program, &again, text[1], sizeof text[1]);
        assert_string_equal(text[0], text[1]);
        count[insn.opcode]++;
        struct insn_problem problem;
        if (!insn_check(&program, &insn, &problem))
            fail_msg("%s: %s", text[0], problem.message);
        if (insn.opcode != OP_SET_FLAG && insn.opcode != OP_WAIT_FLAG)
            continue;
        uint32_t index = insn_flag(&insn, EVENT_IDS);
        if (insn.opcode == OP_SET_FLAG) {
            assert_true(++flag[index] == 1); /* never set twice without a wait between */
        } else {
            assert_true(flag[index]-- == 1); /* the set stands before its wait */
        }
    }
    assert_false(program.next(streams[1], &again));
    for (uint32_t i = 0; i < flag_count(EVENT_IDS); i++)
        assert_int_equal(flag[i], 0);
}

static inline void check_refused(const char *yaml, const char *product, const char *message)
{
    struct run_case *c = loaded(yaml, product);
    struct program program;
    assert_int_not_equal(lower_plan(&c->plan, &c->arena, &c->diag, &program), STATUS_OK);
    if (strstr(diag_text(&c->diag, 0), message) == NULL)
        fail_msg("%s", diag_text(&c->diag, 0));
    run_case_close(c);
}

#endif
