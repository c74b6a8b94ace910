/*
 * Goal: races are those pairs of instructions that touch a byte, one writing, and that no path of
 * flags, unit flags, locks and barriers connects; all of them, and no others. A flag is set twice
 * where the next set can come before the wait for the time before, as a path or else the stream
 * says. Method: seeded random programs of two cores on tiny buffers, with flags before and behind
 * their waits, some set again before they are waited for, unit flags, locks and barriers. An oracle
 * draws the graph of what comes before what, with a node for the begin of each instruction, for its
 * end and for the moment its operands are read, and asks for every pair whether there is a way.
 * Each race that is told must be one of these pairs; and of each pair the instruction that is
 * executed second must be told with some earlier one. (Which one it is may differ: a byte remembers
 * only accesses that are not behind each other.) Of every set of a flag it is asked whether there
 * is a way to or from the wait for the set before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/ordered_program.h"
#include "tests/support/splitmix.h"
#include "tests/support/text_run.h"

enum { ROUNDS = 1000 };

static bool spans_conflict(const struct span *left, const struct span *right)
{
    return left->space == right->space && left->from < right->to && right->from < left->to &&
           (left->write || right->write);
}

/* Whether a span of an event is over before another event begins. */
static bool span_before(const struct core_events *core, uint32_t i, const struct span *span,
                        uint32_t j)
{
    bool operand = core->event[i].pipe == PIPE_CUBE && span->space != SPACE_L0C;
    return core->way[operand ? node_read(i) : node_done(i)][node_begin(j)];
}

/* Of the Mmads of a core only one that adds to what the Mmad right before it writes can race. */
static bool mmads_race(const struct core_events *core, uint32_t i, uint32_t j)
{
    const struct event *first = &core->event[i], *second = &core->event[j];
    if (!second->accumulates || first->kind != EVENT_MOVE)
        return false;
    for (uint32_t between = i + 1; between < j; between++)
        if (core->event[between].kind == EVENT_MOVE && core->event[between].pipe == PIPE_CUBE)
            return false;
    const struct span *written = &first->span[first->spans - 1];
    const struct span *read = &second->span[second->spans - 2];
    return spans_conflict(written, read) && !span_before(core, i, written, j);
}

/* i comes before j in the stream. */
static bool events_race(const struct core_events *core, uint32_t i, uint32_t j)
{
    const struct event *first = &core->event[i], *second = &core->event[j];
    if (first->pipe == second->pipe)
        return first->pipe == PIPE_CUBE && mmads_race(core, i, j);
    for (uint32_t a = 0; a < first->spans; a++)
        for (uint32_t b = 0; b < second->spans; b++)
            if (spans_conflict(&first->span[a], &second->span[b]) &&
                !span_before(core, i, &first->span[a], j) &&
                !span_before(core, j, &second->span[b], i))
                return true;
    return false;
}

static bool cores_race(const struct event *first, const struct event *second)
{
    for (uint32_t a = 0; a < first->spans; a++)
        for (uint32_t b = 0; b < second->spans; b++)
            if (first->span[a].space == SPACE_GM &&
                spans_conflict(&first->span[a], &second->span[b]))
                return true;
    return false;
}

/* ---- the comparison ---- */

/* The event that stands in a line: its core, and its index there. */
static uint32_t event_at(const struct ordered_program *program, uint32_t line, uint32_t *core)
{
    for (*core = 0; *core < CORES; ++*core)
        for (uint32_t i = 0; i < program->core[*core].count; i++)
            if (program->core[*core].event[i].line == line)
                return i;
    fail_msg("no event at line %u", line);
    return 0;
}

static bool pair_races(const struct ordered_program *program, uint32_t core, uint32_t i,
                       uint32_t other_core, uint32_t j)
{
    if (core != other_core)
        return cores_race(&program->core[core].event[i], &program->core[other_core].event[j]);
    return i < j ? events_race(&program->core[core], i, j)
                 : events_race(&program->core[core], j, i);
}

static void check_told(const struct ordered_program *program, const struct hazard_record *hazard,
                       bool told[CORES * EVENTS_MAX])
{
    unsigned line = 0, other = 0;
    const char *and = strstr(hazard->message, " and line ");
    assert_int_equal(sscanf(hazard->message, "line %u", &line), 1);
    assert_non_null(and);
    assert_int_equal(sscanf(and, " and line %u", &other), 1);
    assert_int_equal(line, hazard->line);
    uint32_t core, other_core;
    uint32_t i = event_at(program, line, &core), j = event_at(program, other, &other_core);
    told[core * EVENTS_MAX + i] = true;
    if (!pair_races(program, core, i, other_core, j))
        fail_msg("told and no race: %s\n%s", hazard->message, program->text);
}

static uint32_t check_missed(const struct ordered_program *program,
                             const bool told[CORES * EVENTS_MAX])
{
    uint32_t races = 0;
    for (uint32_t a = 0; a < CORES * EVENTS_MAX; a++)
        for (uint32_t b = a + 1; b < CORES * EVENTS_MAX; b++) {
            uint32_t core = a / EVENTS_MAX, i = a % EVENTS_MAX;
            uint32_t other = b / EVENTS_MAX, j = b % EVENTS_MAX;
            if (i >= program->core[core].count || j >= program->core[other].count ||
                !pair_races(program, core, i, other, j))
                continue;
            races++;
            if (!told[a] && !told[b])
                fail_msg("lines %u and %u race and neither is told\n%s",
                         program->core[core].event[i].line, program->core[other].event[j].line,
                         program->text);
        }
    return races;
}

/* ---- flags that are set twice ---- */

enum twice { TWICE_CLEAN, TWICE_NOTE, TWICE_HAZARD, TWICE_COUNT };

/* The n-th set or wait of a flag, from 0; count when there is none. */
static uint32_t flag_event(const struct core_events *core, enum event_kind kind, uint32_t flag,
                           uint32_t n)
{
    for (uint32_t i = 0; i < core->count; i++)
        if (core->event[i].kind == kind && core->event[i].number == flag && n-- == 0)
            return i;
    return core->count;
}

/* Set n + 1 of a flag, and wait n. */
static enum twice twice_expected(const struct core_events *core, uint32_t set, uint32_t wait)
{
    if (wait == core->count || core->way[node_done(set)][node_done(wait)])
        return TWICE_HAZARD;
    if (core->way[node_done(wait)][node_done(set)])
        return TWICE_CLEAN;
    return set < wait ? TWICE_HAZARD : TWICE_NOTE;
}

static bool told_at(const struct hazard_record *records, uint64_t count, uint32_t line,
                    const char *what)
{
    for (uint64_t i = 0; i < count; i++)
        if (records[i].line == line && strstr(records[i].message, what) != NULL)
            return true;
    return false;
}

static enum twice twice_told(const struct run_result *result, uint32_t line)
{
    bool hazard = told_at(result->hazards, result->hazards_kept, line, ", which line ");
    bool note = told_at(result->notes, result->notes_kept, line, " again and nothing ");
    assert_false(hazard && note);
    return hazard ? TWICE_HAZARD : note ? TWICE_NOTE : TWICE_CLEAN;
}

static void check_twice(const struct ordered_program *program, const struct core_events *core,
                        const struct run_result *result, uint32_t counts[TWICE_COUNT])
{
    for (uint32_t flag = 0; flag < FLAGS; flag++)
        for (uint32_t n = 0;; n++) {
            uint32_t set = flag_event(core, EVENT_SET, flag, n + 1);
            if (set == core->count)
                break;
            enum twice expected = twice_expected(core, set, flag_event(core, EVENT_WAIT, flag, n));
            if (twice_told(result, core->event[set].line) != expected)
                fail_msg("line %u: expected %d\n%s", core->event[set].line, (int)expected,
                         program->text);
            counts[expected]++;
        }
}

static void test_what_nothing_orders_is_told(void **state)
{
    (void)state;
    static struct ordered_program program;
    uint64_t random = splitmix_seed();
    uint32_t ended = 0, races = 0, clean = 0, twice[TWICE_COUNT] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct text_run run;
        bool told[CORES * EVENTS_MAX] = {false}; /* as the second of a race */
        ordered_program_make(&program, &random);
        text_run_init(&run, program.text);
        if (!run.result.deadlocked) {
            ended++;
            for (uint32_t core = 0; core < CORES; core++) {
                ordered_graph_make(&program.core[core]);
                check_twice(&program, &program.core[core], &run.result, twice);
            }
            for (uint64_t i = 0; i < run.result.hazards_kept; i++)
                if (run.result.hazards[i].kind == HAZARD_RACE)
                    check_told(&program, &run.result.hazards[i], told);
            uint32_t found = check_missed(&program, told);
            races += found;
            clean += found == 0;
        }
        text_run_deinit(&run);
    }
    /* The programs are worth their while. */
    assert_true(ended > ROUNDS / 2 && races > ROUNDS && clean > ROUNDS / 100);
    for (enum twice kind = TWICE_CLEAN; kind < TWICE_COUNT; kind++)
        assert_true(twice[kind] > ROUNDS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_nothing_orders_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
