/* The example of docs/timeline.md, computed by hand there, is what the engine does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "tests/support/sim_rig.h"
#include "traces/slack.h"

enum { EXAMPLE_JOBS = 8, EXAMPLE_STEPS = 10, COPY_2 = 2, LOAD = 4 };

static struct sim_rig rig;
static struct slack slack;

static void keep(void *context, const struct precedence *precedence)
{
    assert_int_equal(slack_add(context, precedence), STATUS_OK);
}

/* Runs the example with one job longer or shorter, and returns the end. */
static tick run_example(uint32_t seq, int64_t more)
{
    sim_rig_init(&rig);
    slack_init(&slack, "/tmp/cubesim-example");
    sim_work(&rig, PIPE_MTE2, 50, 20);
    sim_set(&rig, PIPE_MTE2, 0);
    sim_work(&rig, PIPE_MTE2, 10, 20);
    sim_wait(&rig, PIPE_MTE1, 0);
    sim_work(&rig, PIPE_MTE1, 30, 10);
    sim_set(&rig, PIPE_MTE1, 1);
    sim_wait(&rig, PIPE_CUBE, 1);
    sim_work(&rig, PIPE_CUBE, 40, 60);
    struct job *job = &rig.job[0][seq];
    job->occupancy = job->by_class[0] = (tick)((int64_t)job->occupancy + more);
    rig.config.precedences = keep;
    rig.config.precedences_context = &slack;
    assert_int_equal(sim_rig_run(&rig), STATUS_OK);
    sim_rig_check(&rig);
    return sim_makespan(rig.sim);
}

static void close_example(void)
{
    slack_deinit(&slack);
    sim_rig_deinit(&rig);
}

/* The cells of a line of a table, "| a | b |"; returns how many. */
static size_t table_cells(char *line, char *cell[8])
{
    size_t count = 0;
    if (line[0] != '|')
        return 0;
    for (char *at = line + 1, *end; (end = strchr(at, '|')) != NULL && count < 8; at = end + 1) {
        at += strspn(at, " ");
        at[strcspn(at, " |")] = '\0';
        cell[count++] = at;
    }
    return count;
}

static void check_instruction(char *const cell[8])
{
    uint32_t seq = (uint32_t)strtoul(cell[0], NULL, 10);
    const struct row *row = sim_rig_row(&rig, 0, seq);
    assert_string_equal(cell[1], pipe_word((enum pipe)row->pipe));
    assert_int_equal(strtoul(cell[3], NULL, 10), STARTUP + DISPATCH * (seq + 1));
    assert_int_equal(strtoul(cell[4], NULL, 10), row->start);
    assert_int_equal(strtoul(cell[5], NULL, 10), row->end);
    assert_int_equal(strtoul(cell[6], NULL, 10), row->done);
    assert_int_equal(strtoul(cell[7], NULL, 10), slack_of(&slack, 0, row->moment));
}

static void check_step(char *const cell[8], const struct path_step *step, tick start)
{
    const char *cause =
        step->kind == STEP_WAIT ? cause_word(step->cause) : step_kind_word(step->kind);
    if (step->seq == ROW_NO_BLOCKER)
        assert_string_equal(cell[1], "-");
    else
        assert_int_equal(strtoul(cell[1], NULL, 10), step->seq);
    assert_string_equal(cell[2], cause);
    assert_int_equal(strtoul(cell[3], NULL, 10), start);
    assert_int_equal(strtoul(cell[4], NULL, 10), step->ticks);
}

static void test_the_tables_of_the_manual_are_what_the_engine_does(void **state)
{
    (void)state;
    tick end = run_example(0, 0), start = 0;
    assert_int_equal(end, 328);
    assert_int_equal(slack_find(&slack, 0, end), STATUS_OK);
    const struct path_step *order[EXAMPLE_STEPS];
    const struct path *path;
    sim_last(rig.sim, &path);
    uint64_t number = path->step;
    for (size_t i = EXAMPLE_STEPS; i-- > 0; number = rig.steps.steps[number - 1].before) {
        assert_int_not_equal(number, 0);
        order[i] = &rig.steps.steps[number - 1];
    }
    assert_int_equal(number, 0);

    FILE *file = fopen("docs/timeline.md", "r");
    assert_non_null(file);
    size_t instructions = 0, steps = 0;
    char line[512], *cell[8];
    while (fgets(line, sizeof line, file) != NULL) {
        size_t cells = table_cells(line, cell);
        if (cells < 5 || cell[0][strspn(cell[0], "0123456789")] != '\0')
            continue;
        if (cells == 8) {
            check_instruction(cell);
            instructions++;
        } else if (cells == 5) {
            assert_true(steps < EXAMPLE_STEPS);
            check_step(cell, order[steps], start);
            start += order[steps++]->ticks;
        }
    }
    fclose(file);
    assert_int_equal(instructions, EXAMPLE_JOBS);
    assert_int_equal(steps, EXAMPLE_STEPS);
    close_example();
}

static void test_a_longer_copy_moves_the_end_only_beyond_its_slack(void **state)
{
    (void)state;
    assert_int_equal(run_example(COPY_2, 144), 328);
    close_example();
    assert_int_equal(run_example(COPY_2, 145), 329);
    close_example();
    assert_int_equal(run_example(COPY_2, -10), 328);
    close_example();
}

static void test_a_shorter_load_on_the_path_ends_the_run_earlier(void **state)
{
    (void)state;
    assert_int_equal(run_example(LOAD, -1), 327);
    close_example();
    assert_int_equal(run_example(LOAD, -30), 298);
    close_example();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_tables_of_the_manual_are_what_the_engine_does),
        cmocka_unit_test(test_a_longer_copy_moves_the_end_only_beyond_its_slack),
        cmocka_unit_test(test_a_shorter_load_on_the_path_ends_the_run_earlier),
    };
    return cmocka_run_group_tests_name("timeline_example", tests, NULL, NULL);
}
